"""What every part of Benchmarks/run uses: the server under test, the load generator, and how figures are printed."""

import math
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(os.environ.get("LCFILE_BINARY", ROOT / ".build/release/lcfile"))
PHOTO = ROOT / "Tests/Support/Images/rocket.jpg"
APP = {"LCFILE_APP_ID": "bench", "LCFILE_APP_KEY": "benchmark-key", "LCFILE_MASTER_KEY": "benchmark-master"}
HEADERS = ["-H", "X-LC-Id: bench", "-H", "X-LC-Key: benchmark-key"]
ROUNDS = 3
SECONDS = 5
CORES = os.cpu_count() or 1


def free_port():
    return free_ports(1)[0]


def free_ports(count):
    """Different ones, which one call after the other would not promise."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def wait_for(url, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(url, timeout=1).read()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{url} does not answer")


class Process:
    """A server that this run started, and ends."""

    def __init__(self, words, environment, url, errors=None):
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("LCFILE_")}
        self.process = subprocess.Popen(words, env=inherited | environment, stdout=subprocess.DEVNULL, stderr=errors)
        try:
            wait_for(url)
        except BaseException:
            self.stop()
            raise

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=40)


def start_lcfile(folder, more={}, log=None):
    """The process and its URL. Its log goes to the open file `log`, or by default to the standard error of this run."""
    port, metrics_port = free_ports(2)
    metrics = {"LCFILE_METRICS_PORT": str(metrics_port)}
    environment = APP | metrics | {"LCFILE_LOG_LEVEL": "warning", "MALLOC_ARENA_MAX": "2"} | more
    words = [BINARY, "serve", "--storage", folder / "storage", "--port", str(port)]
    return Process(words, environment, f"http://127.0.0.1:{port}/health", log), f"http://127.0.0.1:{port}"


@dataclass
class Load:
    """What wrk measured."""

    # Whole responses a second, and how many there were.
    rate: float
    requests: int
    # Of heads and bodies, as wrk rounds them.
    bytes: float
    # The latency in microseconds that 99 per cent of the requests do not exceed.
    p99: float


def wrk(url, connections, seconds=SECONDS, options=(), arguments=()):
    """Requests per second; a wrong answer stops the run."""
    return load(url, connections, seconds, options, arguments).rate


def load(url, connections, seconds=SECONDS, options=(), arguments=()):
    """What wrk measures. A status from 400 on stops the run, and so does a measurement without a whole response."""
    # wrk itself counts in whole seconds.
    ended = ["timeout", "--preserve-status", "--signal=INT", str(seconds)]
    fixed = ["-t", "1", "-c", str(connections), "-d", f"{math.ceil(seconds) + 1}s", "--timeout", "20s", "--latency"]
    words = [*ended, "wrk", *fixed, *options, url, *arguments]
    answer = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    requests, read, unit = re.search(r"(\d+) requests in .*, ([\d.]+)([KMGT]?)B read", answer).groups()
    if "Non-2xx" in answer or "Socket errors" in answer or requests == "0":
        sys.exit(f"wrk {url}:\n{answer}")
    p99, time_unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", answer).groups()
    return Load(
        rate=float(re.search(r"Requests/sec:\s*([\d.]+)", answer)[1]), requests=int(requests),
        bytes=float(read) * 1024 ** " KMGT".index(unit or " "),
        p99=float(p99) * {"us": 1, "ms": 1e3, "s": 1e6}[time_unit],
    )


def turns(sides, rounds=ROUNDS):
    """What all sides give in each round, one after the other."""
    return [[side() for side in sides] for _ in range(rounds)]


def compare(*sides):
    """Medians of all sides, measured in turns."""
    return tuple(statistics.median(side) for side in zip(*turns(sides)))


def report(what, unit, mine, other, name, goal="", ratio=None):
    """One line; the ratio is that of both figures, unless it was taken in each round."""
    line = f"{what:<46} {mine:>10.1f} {unit:<7} {name} {other:>10.1f}   ratio {ratio or mine / other:.2f} {goal}"
    print(line.rstrip(), flush=True)
