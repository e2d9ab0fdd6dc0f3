"""The part of Benchmarks/run that attacks a server with costly requests and measures how long others wait meanwhile."""

import json
import os
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

from animations import animated_webp
from asking import upload
from measuring import PHOTO, ROOT, start_lcfile
from permissions import APP_KEY, call
from watchdog import Watchdog

# Of each attack; answers that are still due then are waited for.
SECONDS = float(os.environ.get("BENCH_SECONDS", 20))
# For one answer, attackers' and victims'.
PATIENCE = 60
# Above it the server is killed, in bytes: without bounds one request can take all memory of the machine.
MEMORY_LIMIT = int(os.environ.get("HOSTILE_MEMORY_LIMIT_MB", 2048)) << 20
# An attacker is another client; with 127.0.0.1 it is one behind the victims' proxy.
ATTACKER = os.environ.get("HOSTILE_ADDRESS", "127.0.0.2")
VICTIM = "127.0.0.1"
MEMORY_GOAL, WAIT_GOAL = 512, 250
# Each a server of its own: the attacks of one line run at once.
SCENARIOS = {
    "alone": [],
    "memory": ["memory"],
    "writer": ["writer"],
    "regex": ["regex"],
    "regex put": ["regex put"],
    "json": ["json"],
    "tunnels": ["tunnels"],
    "images": ["images"],
    "all": ["memory", "writer", "regex", "regex put", "json", "tunnels", "images"],
}


def bench(folder):
    folder.mkdir()
    chosen = os.environ.get("HOSTILE_SCENARIOS")
    lines = []
    for name in chosen.split(",") if chosen else SCENARIOS:
        with tempfile.TemporaryDirectory(prefix="hostile-", dir=folder) as own:
            lines.append(scenario(Path(own), name, SCENARIOS[name]))
    # The same figures as they stand in docs/security.md.
    print("\n".join(["", *TABLE, *lines]), flush=True)


def scenario(folder, name, attacks):
    server, url = start_lcfile(folder)
    watchdog = Watchdog(server.process.pid, MEMORY_LIMIT)
    watchdog.start()
    try:
        port = urllib.parse.urlsplit(url).port
        targets = prepare(folder, url)
        victims = Client("victims.py", port, VICTIM, PATIENCE, json.dumps(targets["victims"]))
        attack = {name: targets["attacks"][name] for name in attacks}
        attackers = Client("attackers.py", json.dumps({
            "port": port, "source": ATTACKER, "seconds": SECONDS, "patience": PATIENCE, "attacks": attack,
        })) if attacks else None
        answers = attackers.result(SECONDS + PATIENCE + 30) if attackers else quiet(server.process)
        waits = victims.result(2 * PATIENCE)
    finally:
        watchdog.stop()
        end(server.process)
    return report(name, watchdog, waits, answers)


def quiet(process):
    """No attack, for as long as one takes."""
    try:
        process.wait(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        pass
    return {}


def prepare(folder, url):
    """Makes the objects and files of attackers' and victims' requests; returns their paths."""

    def create(name, fields):
        return f"/1.1/classes/{name}/{call(url, 'POST', f'/1.1/classes/{name}', APP_KEY, fields)['objectId']}"

    def store(name, data):
        file = folder / name
        file.write_bytes(data)
        return urllib.parse.urlsplit(upload(url, file)).path

    values = create("Values", {"a": list(range(20_000))})
    digits = create("Digits", {"a": [number % 10 for number in range(60_000)]})
    text = create("Text", {"s": "a" * 50_000 + "!"})
    return {
        "attacks": {
            "memory": values, "writer": digits, "regex": text, "regex put": text,
            "json": "/1.1/classes/Values", "tunnels": "/1.1/classes/Values",
            # Frames as large as images.memory admits one such job at a time, and two.
            "images": [store(f"{side}.webp", animated_webp(side, side, 30)) for side in (800, 560)],
        },
        "victims": {
            "get by id": create("Victim", {"text": "one", "n": 1}), "insert": "/1.1/classes/Inserted",
            "thumbnail": store("photo.jpg", PHOTO.read_bytes()), "download": store("plain.bin", bytes(100_000)),
            "health": "/health",
        },
    }


class Client:
    """A process that sends requests and in the end prints JSON."""

    def __init__(self, script, *words):
        command = [sys.executable, ROOT / "Benchmarks" / script, *map(str, words)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            sys.exit(f"{script} does not start")

    def result(self, seconds):
        """Ends the input and waits."""
        try:
            output, _ = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            sys.exit(f"{self.process.args[1]} does not end")
        return json.loads(output)


def end(process):
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        print("the server did not end within 20 s and was killed", flush=True)
        process.kill()
        process.wait()


VICTIMS = ("get by id", "insert", "thumbnail", "download", "health")
TABLE = [
    f"| attack | memory | workers | {' | '.join(VICTIMS)} | not 2xx | attackers: answers, longest wait |",
    f"|---|--:|--:|{'--:|' * len(VICTIMS)}--:|---|",
]


def report(name, watchdog, waits, answers):
    """Prints the figures of one scenario; returns them as a line of the table."""
    memory, workers = watchdog.peak >> 20, watchdog.workers >> 20
    end = f", killed at {MEMORY_LIMIT >> 20} MB" if watchdog.killed else ""
    held = f"{memory:>6} MB{end}, workers {workers} MB"
    print(f"{name:<12} memory at its peak {held}   goal below {MEMORY_GOAL}", flush=True)
    cells, others = [], 0
    for victim in VICTIMS:
        times = sorted(1000 * wait for wait, _ in waits[victim])
        bad = sum(not good for _, good in waits[victim])
        half, most = (times[int(part * (len(times) - 1))] for part in (0.5, 0.99))
        figures = f"p50 {half:>8.1f} ms   p99 {most:>8.1f}   longest {times[-1]:>8.1f}"
        print(f"  {victim:<24} {figures}   {bad} of {len(times)} not 2xx   goal p99 below {WAIT_GOAL}, 0", flush=True)
        cells.append(f"{half:.0f}, {most:.0f}, {times[-1]:.0f}")
        others += bad
    told = []
    for attack, (counts, longest, error) in answers.items():
        got = ", ".join(f"{status} × {count}" for status, count in sorted(counts.items()))
        print(f"  attack: {attack:<16} {got}; longest {longest:.1f} s   {error}", flush=True)
        told.append(f"{f'{attack}: ' if len(answers) > 1 else ''}{got}; {longest:.1f} s")
    held = f"killed at {MEMORY_LIMIT >> 20} MB" if watchdog.killed else f"{memory} MB"
    return f"| {name} | {held} | {workers} MB | {' | '.join(cells)} | {others} | {'<br>'.join(told)} |"
