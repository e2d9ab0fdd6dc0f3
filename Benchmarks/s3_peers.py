"""The part of Benchmarks/run that measures S3 PUT of small files against other S3 servers: SeaweedFS and Ceph."""

import os
import shlex
import shutil
import signal
import sys
import urllib.parse
from contextlib import ExitStack
from itertools import count
from pathlib import Path

from measuring import ROUNDS, compare, report
from s3_engines import Engine, SeaweedFS
from uploads import CLIENTS, CREDENTIALS, SMALL, SMALL_FILES, build, measured, start_server, stored

SECONDS = float(os.environ.get("BENCH_SECONDS", 5))


def scripts():
    """The script of each peer by its name; it starts its engine as Benchmarks/s3_engines.py describes."""
    given = os.environ.get("S3_PEERS", "")
    pairs = [word.partition("=") for word in shlex.split(given)]
    if not all(name and script for name, _, script in pairs):
        sys.exit(f'S3_PEERS must be "NAME=SCRIPT NAME=SCRIPT", not "{given}"')
    return {name: Path(script).absolute() for name, _, script in pairs}


def bench(folder, required):
    """Skipped without scripts, unless this part is `required`."""
    peers = scripts()
    if not peers and not required:
        print("s3-peers: skipped, because S3_PEERS names no scripts", flush=True)
        return
    missing = [str(script) for script in peers.values() if not os.access(script, os.X_OK)]
    if missing or not peers:
        sys.exit(f"s3-peers: S3_PEERS must name scripts that start the peers; missing: {', '.join(missing) or 'all'}")
    # The engines are daemons, which would outlive a run that SIGTERM ends at once.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder.mkdir()
    # Our server is one more side, and SeaweedFS is measured twice.
    needed = ROUNDS * (len(peers) + 2) * SMALL_FILES * SMALL
    if shutil.disk_usage(folder).free < needed:
        sys.exit(f"s3-peers: {needed >> 30} GB must be free at {folder}")
    clients = build(folder, "clients")
    with ExitStack() as running:
        sides = []
        for name, script in peers.items():
            kind = SeaweedFS if name == "seaweedfs" else Engine
            engine = running.enter_context(kind(name, script, folder / name))
            sides.append(Side(clients, engine, name, f"{name}/"))
            if name == "seaweedfs":
                engine.sync_below("fsync/")
                sides.append(Side(clients, engine, f"{name} with fsync", "fsync/"))
        server, url = start_server(folder)
        running.callback(server.stop)
        port = urllib.parse.urlsplit(url).port
        answered = []

        def ours():
            rate, files = measured(clients, port, CREDENTIALS, CLIENTS, SMALL, SMALL_FILES, SECONDS, "put")
            answered.append(files)
            return rate

        mine, *others = compare(ours, *(side.put for side in sides))
        if stored(folder) != [SMALL] * int(sum(answered)):
            sys.exit("not every file is stored that was answered")
        for side, other in zip(sides, others):
            side.check()
            report(f"S3 PUT, 100 KB, {CLIENTS} clients", "files/s", mine, other, side.name)


class Side:
    """Objects below one prefix of an engine."""

    def __init__(self, clients, engine, name, prefix):
        self.clients, self.engine, self.name, self.prefix = clients, engine, name, prefix
        self.turns = count()
        self.answered = 0

    def put(self):
        """Objects per second; the requests are signed before the time starts."""
        turn = next(self.turns)
        keys = [f"{self.prefix}{turn}-{number}.bin" for number in range(SMALL_FILES)]
        lines = "".join(f"{path}\n" for path in self.engine.presigned("PUT", keys))
        limits = (CLIENTS, SMALL, SMALL_FILES, SECONDS)
        rate, files = measured(self.clients, self.engine.port, "", *limits, "list", lines=lines)
        self.answered += int(files)
        return rate

    def check(self):
        """Every answered object must be listed with its whole size; one that is not listed was fast."""
        sizes = self.engine.sizes(self.prefix)
        if sorted(sizes.values()) != [SMALL] * self.answered:
            sys.exit(f"{self.name}: of {self.answered} answered objects not every one is listed with its size")
        sample = sorted(sizes)[:: max(1, len(sizes) // 10)]
        contents = {self.engine.ask("GET", key)[1] for key in sample}
        if {len(content) for content in contents} != {SMALL} or len(contents) != 1:
            sys.exit(f"{self.name}: objects differ from what was sent")
