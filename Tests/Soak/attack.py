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
from attacking.arena import Arena  # noqa: E402
from attacking.clients import WEIGHTS, Client, Ring, Victim  # noqa: E402
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
        arena = Arena(Path(folder))
        watchdog = Watchdog(arena.process.pid, KILLED_ABOVE)
        ring = Ring()
        try:
            attack(arena, watchdog, ring, given)
            finish(arena, watchdog, ring)
        finally:
            arena.process.kill()
            arena.process.wait()
    report(ring, watchdog, given)
    sys.exit(1 if ring.failure else 0)


def attack(arena, watchdog, ring, given):
    ids, files = arena.fill(Random(given.seed))
    watchdog.start()
    threads = [Victim(ring, arena.port, target) for target in ("/health", f"/1.1/classes/Rows/{ids['Rows'][0]}")]
    kinds = given.only.split(",")
    threads += [Client(ring, arena.port, given.seed, number, ids, files, kinds) for number in range(given.clients)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + given.seconds
    while not ring.ended.wait(0.1) and time.monotonic() < end:
        held = memory(arena.process.pid, "VmHWM")
        if held > given.memory << 20:
            ring.fail(f"The server holds {held >> 20} MB, the bound is {given.memory} MB")
        if arena.process.poll() is not None:
            ring.fail(f"The server ended by itself ({arena.process.returncode})")
    ring.ended.set()
    for thread in threads:
        # Requests under way are waited for, each until its deadline.
        thread.join(timeout=0.1 if ring.failure else 90)


def finish(arena, watchdog, ring):
    watchdog.stop()
    if ring.failure is None:
        code = arena.stop()
        if code != 0:
            ring.fail(f"The server did not end by SIGTERM within 60 s, or with exit code {code}")


def report(ring, watchdog, given):
    for kind, counts in sorted(ring.answers.items()):
        got = ", ".join(f"{status} × {count}" for status, count in sorted(counts.items()))
        print(f"{kind:<24} longest {ring.longest[kind]:>5.1f} s   {got}")
    waits = sorted(1000 * wait for wait in ring.waits) or [0]
    half, most = (waits[int(part * (len(waits) - 1))] for part in (0.5, 0.99))
    print(f"victims: p50 {half:.1f} ms, p99 {most:.1f}, longest {waits[-1]:.1f}; "
          f"memory {watchdog.peak >> 20} MB, workers {watchdog.workers >> 20} MB")
    if ring.failure:
        words, request, running = ring.failure
        print(f"\nattack: {words}; seed {given.seed}", file=sys.stderr)
        if request:
            print(f"  {request}\n  saved as {saved(request, given.seed)}", file=sys.stderr)
        for name, (began, other) in sorted(running.items()):
            print(f"  at the same time, for {time.monotonic() - began:.1f} s, {name}: {str(other)[:600]}", file=sys.stderr)


def saved(request, seed):
    """The whole request in a file, as it was sent."""
    file = Path(tempfile.gettempdir()) / f"lcfile-attack-{seed}.http"
    file.write_bytes(b"".join(request.pieces))
    return file


if __name__ == "__main__":
    main()
