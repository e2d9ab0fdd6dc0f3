"""The part of Benchmarks/run that measures what keeps a storage for years: backups beside restic and rsync, checks beside
sha256sum, and what a continuous backup takes from writes.

restic, rsync and sha256sum read the same storage folder. A side is measured once for each step, because a second backup
finds the first; the order of the sides is drawn anew for each step, and the page cache has all files for each of them.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from statistics import median

from imports import seconds
from measuring import APP, BINARY, report, start_lcfile, turns
from objects import ITEMS, NEW_ITEM, send
from uploads import CREDENTIALS, build, measured

# The files at first, and those that come before the second backup.
FILES, MORE, SIZE = 20_000, 400, 100_000
CLIENTS = 16
SMALL, SMALL_FILES = 10_000, 20_000
SECONDS = float(os.environ.get("BENCH_SECONDS", 3))
CONTINUOUS_GOAL = "goal 0.90"


def bench(folder):
    folder.mkdir()
    for tool in ("restic", "rsync"):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is missing; run scripts/bootstrap bench")
    bench_repositories(folder / "repositories")
    bench_continuous(folder / "continuous")


def bench_repositories(folder):
    folder.mkdir()
    if shutil.disk_usage(folder).free < 8 * FILES * SIZE:
        sys.exit(f"backups: {8 * FILES * SIZE >> 30} GB must be free at {folder}")
    server, url = start_lcfile(folder)
    sides = {"lcfile": Repository(folder), "restic": Restic(folder), "rsync -a": Rsync(folder)}
    try:
        for step, count in (("first backup", FILES), (f"second backup, {MORE} of {FILES + MORE} files new", MORE)):
            fill(folder / f"source-{count}", url, count)
            compare_steps(f"{step}, {FILES * SIZE // 10**9} GB", sides, "backup")
    finally:
        server.stop()
    compare_steps("verification, all bytes read", {name: sides[name] for name in ("lcfile", "restic")}, "verify")
    compare_steps("check --read-data", {"lcfile": Check(folder), "sha256sum": Sums(folder)}, "verify")
    shutil.rmtree(folder)


def fill(source, url, count):
    """Stores files of random bytes."""
    source.mkdir()
    for number in range(count):
        path = source / f"{number % 100}/{number}.bin"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(os.urandom(SIZE))
    seconds([BINARY, "import", "--quiet", source], os.environ | APP | {"LCFILE_SERVER": url, "HOME": str(source)})
    shutil.rmtree(source)


def compare_steps(title, sides, step):
    """The seconds of each side, beside those of lcfile, and the memory of lcfile."""
    taken = {name: getattr(sides[name], step)() for name in random.sample(sorted(sides), len(sides))}
    mine, memory = taken.pop("lcfile")
    for name, (other, _) in taken.items():
        report(title, "s", mine, other, name, "(below 1 is faster)")
    print(f"{'memory: ' + title:<46} {memory / 1000:>10.1f} MB; " + ", ".join(
        f"{name} {peak / 1000:.0f} MB" for name, (_, peak) in taken.items()
    ), flush=True)


def measure(words, environment={}):
    """The seconds that a command takes with the disk in step at its end, and its peak of resident memory in KB."""
    os.sync()
    timed = ["/usr/bin/time", "-f", "%M", *map(str, words)]
    start = time.monotonic()
    result = subprocess.run(
        timed, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=900
    )
    os.sync()
    elapsed = time.monotonic() - start
    if result.returncode != 0:
        sys.exit(f"{words} ended with {result.returncode}: {result.stderr}")
    return elapsed, int(result.stderr.split()[-1])


class Repository:
    def __init__(self, folder):
        self.words = [BINARY, "backup", "--storage", folder / "storage", "--to", folder / "repository"]

    def backup(self):
        return measure(self.words)

    def verify(self):
        return measure([*self.words, "--verify", "--read-data"])


class Restic:
    """Without compression, as ours, and without a cache of its own from other runs; it encrypts, which ours does not."""

    def __init__(self, folder):
        self.storage, self.repository = folder / "storage", folder / "restic"
        self.environment = {
            "RESTIC_PASSWORD": "benchmark", "RESTIC_REPOSITORY": str(self.repository),
            "RESTIC_CACHE_DIR": str(folder / "restic-cache"), "RESTIC_COMPRESSION": "off",
        }

    def backup(self):
        if not self.repository.exists():
            measure(["restic", "init", "--quiet"], self.environment)
        return measure(["restic", "backup", "--quiet", self.storage], self.environment)

    def verify(self):
        return measure(["restic", "check", "--quiet", "--read-data"], self.environment)


class Rsync:
    def __init__(self, folder):
        self.words = ["rsync", "-a", f"{folder}/storage/", folder / "rsync"]

    def backup(self):
        return measure(self.words)


class Check:
    def __init__(self, folder):
        self.words = [BINARY, "check", "--storage", folder / "storage", "--read-data"]

    def verify(self):
        return measure(self.words)


class Sums:
    """The digests of all blobs, as many files at a time as there are cores."""

    def __init__(self, folder):
        find = f"find '{folder}/storage' -path '*/blobs/*' -type f -print0"
        self.words = ["sh", "-c", f"{find} | xargs -0 -n 100 -P {os.cpu_count()} sha256sum"]

    def verify(self):
        return measure(self.words)


def bench_continuous(folder):
    """Writes with a continuous backup to another folder of the same disk, beside writes without one."""
    folder.mkdir()
    clients = build(folder, "clients")
    words = folder / "words.txt"
    words.write_text("".join(f"{number:024x}\n" for number in range(1000)))
    servers = {}
    try:
        for name, settings in (("with", {"LCFILE_BACKUP_TARGET": str(folder / "target")}), ("without", {})):
            (folder / name).mkdir()
            servers[name] = start_lcfile(folder / name, settings)
        urls = [url for _, url in servers.values()]
        kinds = {
            f"uploads of {SMALL // 1000} KB, {CLIENTS} clients": lambda url: upload(clients, url),
            f"creates, {CLIENTS} connections": lambda url: send(url, CLIENTS, words, "POST", ITEMS, json.dumps(NEW_ITEM)),
        }
        for title, work in kinds.items():
            rates = turns([lambda url=url: work(url) for url in urls])
            mine, other = map(median, zip(*rates))
            report(f"{title}, continuous backup", "req/s", mine, other, "without", CONTINUOUS_GOAL)
        if not list((folder / "target").glob("*/wal/*/*.segment")):
            sys.exit("the continuous backup stored nothing")
    finally:
        for process, _ in servers.values():
            process.stop()


def upload(clients, url):
    port = int(re.search(r":(\d+)$", url)[1])
    rate, _ = measured(clients, port, CREDENTIALS, CLIENTS, SMALL, SMALL_FILES, max(1, round(SECONDS)), "form")
    return rate
