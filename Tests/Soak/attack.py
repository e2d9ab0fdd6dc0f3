#!/usr/bin/env python3
"""Attacks a server of its own with random costly requests; fails if it does not keep to its bounds.

    Tests/Soak/attack.py [--binary FILE] [--seconds 60] [--seed 1] [--clients 8] [--only find,image] [--memory 512]

Fails (exit code 1, with the seed and the request) if an answer comes later than its deadline, is a 5xx other than 503
and 507, or does not come; if the server holds more memory than --memory (in MB, workers not counted, which
images.workerMemory bounds); if it ends; or if a request for /health or for an object by id waits longer than 3 seconds.
Requests are drawn from the seed; how they interleave is up to the machine.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(Path(__file__).resolve().parent), str(ROOT / "Benchmarks")]

import measuring  # noqa: E402 (stands in the folder of benchmarks)
from attacking.clients import WEIGHTS, Client, Outcome  # noqa: E402
from attacking.server import Server  # noqa: E402
from attacking.victims import Victims  # noqa: E402
from watchdog import Watchdog, memory  # noqa: E402

# Above it the server is killed, so that a fault does not take the machine's memory.
KILLED_ABOVE = 2 << 30


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=measuring.BINARY)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--only", default=",".join(WEIGHTS), help="kinds of requests, of " + ", ".join(WEIGHTS))
    parser.add_argument("--memory", type=int, default=512)
    given = parser.parse_args()
    measuring.BINARY = given.binary.resolve()
    with tempfile.TemporaryDirectory(prefix="soak-attack-") as folder:
        server = Server(Path(folder))
        watchdog = Watchdog(server.process.pid, KILLED_ABOVE)
        outcome = Outcome()
        try:
            waits = attack(server, watchdog, outcome, given)
            finish(server, watchdog, outcome)
        finally:
            server.process.kill()
            server.process.wait()
    report(outcome, waits, watchdog, given)
    sys.exit(1 if outcome.failure else 0)


def attack(server, watchdog, outcome, given):
    """Runs clients until time is over or something fails; returns the waits of victims in milliseconds."""
    ids, files = server.fill(Random(given.seed))
    victims = Victims(server.port, ["/health", f"/1.1/classes/Rows/{ids['Rows'][0]}"])
    watchdog.start()
    kinds = given.only.split(",")
    clients = [Client(outcome, server.port, given.seed, number, ids, files, kinds) for number in range(given.clients)]
    for client in clients:
        client.start()
    waits, end = [], time.monotonic() + given.seconds
    while not outcome.ended.wait(0.1) or any(client.is_alive() for client in clients):
        if time.monotonic() > end:
            # Requests under way are waited for; each has its deadline.
            outcome.ended.set()
            time.sleep(0.1)
        check(server, outcome, given.memory, victims, waits)
        if outcome.failure:
            break
    victims.stop()
    return waits


def check(server, outcome, memory_bound, victims, waits):
    """Fails if the server holds too much, has ended, or lets a victim wait."""
    held = memory(server.process.pid, "VmHWM")
    if held > memory_bound << 20:
        outcome.fail(f"The server holds {held >> 20} MB, the bound is {memory_bound} MB")
    if server.process.poll() is not None:
        outcome.fail(f"The server ended by itself ({server.process.returncode})")
    for path, status, took in victims.poll():
        waits.append(1000 * took)
        # An idle connection may end as the request is sent; the next one counts.
        if status != 200 and not (status == "closed" and took < 1):
            outcome.fail(f"A victim's request for {path} got {status} after {took:.1f} s")


def finish(server, watchdog, outcome):
    watchdog.stop()
    if outcome.failure is None:
        code = server.stop()
        if code != 0:
            outcome.fail(f"The server did not end by SIGTERM within 60 s, or with exit code {code}")


def report(outcome, waits, watchdog, given):
    for kind, counts in sorted(outcome.answers.items()):
        got = ", ".join(f"{status} × {count}" for status, count in sorted(counts.items()))
        print(f"{kind:<24} longest {outcome.longest[kind]:>5.1f} s   {got}")
    waits = sorted(waits) or [0]
    half, most = (waits[int(part * (len(waits) - 1))] for part in (0.5, 0.99))
    print(f"victims: p50 {half:.1f} ms, p99 {most:.1f}, longest {waits[-1]:.1f}; "
          f"memory {watchdog.peak >> 20} MB, workers {watchdog.workers >> 20} MB")
    if outcome.failure:
        words, request, running = outcome.failure
        print(f"\nattack: {words}; seed {given.seed}", file=sys.stderr)
        if request:
            print(f"  {request}\n  saved as {saved(request, given.seed)}", file=sys.stderr)
        for name, (began, other) in sorted(running.items()):
            age = time.monotonic() - began
            print(f"  at the same time, for {age:.1f} s, {name}: {str(other)[:600]}", file=sys.stderr)


def saved(request, seed):
    """The whole request in a file, as it was sent."""
    file = Path(tempfile.gettempdir()) / f"lcfile-attack-{seed}.http"
    file.write_bytes(b"".join(request.pieces))
    return file


if __name__ == "__main__":
    main()
