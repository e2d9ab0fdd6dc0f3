"""The victims of Benchmarks/run hostile: requests of honest clients at a modest rate, and how long each waits.

    victims.py PORT SOURCE PATIENCE TARGETS    runs until its input ends; prints as JSON [seconds, is 2xx] for each

TARGETS is JSON: the paths of the object to get, the class to insert into, the picture and the plain file.
"""

import itertools
import json
import sys
import threading
import time

from attackers import JSON, KEYS
from wire import Wire, head

# Requests a second of each kind.
RATE = 20
# Of each kind: honest requests come from clients who do not wait for each other's answers.
CONNECTIONS = 4
# Seconds after the end for requests that were due before it; what is not sent by then counts as not answered.
DRAIN = 10
# A height that never bounds the result makes each thumbnail another one.
HEIGHTS = itertools.count(100_000)


def insert(path):
    body = b'{"text":"one of many","n":1}'
    return [head("POST", path, JSON, body), body]


VICTIMS = {
    "get by id": lambda path: [head("GET", path, KEYS)],
    "insert": insert,
    "thumbnail": lambda path: [head("GET", f"{path}?imageMogr2/thumbnail/50x{next(HEIGHTS)}", {})],
    "download": lambda path: [head("GET", path, {})],
    "health": lambda path: [head("GET", path, {})],
}


class Victim:
    """One kind of request at a fixed rate; a wait counts from when the request was due."""

    def __init__(self, wires, make, path):
        self.wires, self.make, self.path = wires, make, path
        self.waits = []
        # When a request is due, the first connection that is free takes it; next() of a count is atomic in CPython.
        self.numbers = itertools.count()

    def threads(self, ended):
        start = time.monotonic()
        return [threading.Thread(target=self.run, args=(wire, start, ended)) for wire in self.wires]

    def run(self, wire, start, ended):
        for number in self.numbers:
            due = start + number / RATE
            ended.wait(max(due - time.monotonic(), 0))
            if due > ended.at:
                break
            if time.monotonic() > ended.at + DRAIN:
                self.waits.append((time.monotonic() - due, False))
                continue
            try:
                status, _ = wire.request(self.make(self.path))
            except ConnectionRefusedError:
                self.waits.append((time.monotonic() - due, False))
                break
            self.waits.append((time.monotonic() - due, status in range(200, 300)))


class End(threading.Event):
    """The end of the measurement, and when that was."""

    at = float("inf")

    def set(self):
        self.at = time.monotonic()
        super().set()


def main():
    port, source, patience, targets = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), json.loads(sys.argv[4])
    victims = {
        name: Victim([Wire(port, source, patience) for _ in range(CONNECTIONS)], VICTIMS[name], path)
        for name, path in targets.items()
    }
    for victim in victims.values():
        # The first of each makes connections and classes.
        for wire in victim.wires:
            wire.request(victim.make(victim.path))
    ended = End()
    threads = [thread for victim in victims.values() for thread in victim.threads(ended)]
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    sys.stdin.read()
    ended.set()
    for thread in threads:
        thread.join()
    print(json.dumps({name: victim.waits for name, victim in victims.items()}))


if __name__ == "__main__":
    main()
