"""The commands whose system calls are swept: import, backup and restore; they end by themselves."""

import filecmp
import shutil
import subprocess
import time
from contextlib import closing
from pathlib import Path
from sqlite3 import connect

from backups import command
from client import ALPHA, TIMEOUT
from commands import credentials_of, own_environment
from failing_calls import HARMLESS
from sweeps import Fault, numbers, require
from uploading import noise


class Command:
    """What is swept. `prepare` and `check` run while nothing fails; `check` repeats a command that failed."""

    name = ""

    def __init__(self, folder, calls, kinds=None):
        """With `kinds`, calls of those only fail."""
        self.folder, self.calls, self.kinds = Path(folder), calls, kinds

    def prepare(self, number):
        """The arguments."""
        raise NotImplementedError

    def check(self, code, number):
        raise NotImplementedError

    def clean(self):
        """Removes what a run with a fault left, which would make all later ones fail."""

    def environment(self, **settings):
        return own_environment(**settings | self.calls.environment)

    def run(self, arguments, **settings):
        return subprocess.run(
            command(*arguments), cwd=self.folder, env=self.environment(**settings), capture_output=True, text=True,
            timeout=2 * TIMEOUT,
        )

    def step(self, fault, number, lasts):
        """One run with a failing call; returns how many calls there were, and how many failed."""
        arguments = self.prepare(number)
        self.calls.begin(fault, number, lasts, self.kinds)
        try:
            result = self.run(arguments)
        finally:
            count, failed = self.calls.end()
        require(result.returncode >= 0, f"it crashed: {result.stderr[-500:]}")
        require(result.returncode == 0 or "\nlcfile: " in f"\n{result.stderr}", result.stderr)
        may_fail = failed and fault not in HARMLESS
        require(may_fail or result.returncode == 0, f"it failed by itself: {result.stderr}")
        self.stderr = result.stderr
        self.check(result.returncode, number)
        return count, failed


class Backup(Command):
    """A backup of a stopped server."""

    name = "backup"

    def __init__(self, folder, calls, storage, kinds=None):
        super().__init__(folder, calls, kinds)
        self.storage, self.target = storage, self.folder / "backup"

    def clean(self):
        shutil.rmtree(self.target, ignore_errors=True)

    def prepare(self, number):
        return "backup", "--storage", self.storage, self.target

    def check(self, code, number):
        if code == 73 and list(self.target.glob("*/lcfile.sqlite.damaged")):
            # What cannot be read is told as damage; such a backup is not restored.
            shutil.rmtree(self.target)
        if code not in (0, 65):
            require(not self.target.exists(), "there is a backup after an error")
            # What the failure left makes room for the next one.
            repeated = self.run(self.prepare(number))
            require(repeated.returncode == 0, f"no backup afterwards: {repeated.stderr}")
            code = 0
        if code == 0:
            same_bytes(self.storage, self.target)
        shutil.rmtree(self.target)


class Restore(Command):
    """A restore of a whole backup."""

    name = "restore"

    def __init__(self, folder, calls, backup, kinds=None):
        super().__init__(folder, calls, kinds)
        self.backup, self.target = backup, self.folder / "restored"

    def clean(self):
        shutil.rmtree(self.target, ignore_errors=True)

    def prepare(self, number):
        return "restore", "--storage", self.target, self.backup

    def check(self, code, number):
        # A failure of the last sync, after which nothing can be written, leaves a whole storage and says so.
        if code != 0 and "is restored, but" not in self.stderr:
            repeated = self.run(self.prepare(number))
            if repeated.returncode != 0:
                require("remove its contents first" in repeated.stderr, repeated.stderr)
                shutil.rmtree(self.target)
                repeated = self.run(self.prepare(number))
            require(repeated.returncode == 0, f"no restore afterwards: {repeated.stderr}")
        same_bytes(self.backup, self.target)
        require(not (self.target / "restore.partial").exists(), "something is left of the restore")
        shutil.rmtree(self.target)


class Import(Command):
    """An import of three files; the calls of both the command and the server fail."""

    name = "import"
    seed = 0

    def __init__(self, folder, calls, server):
        super().__init__(folder, calls)
        self.server, self.api = server, server.api(master=True)
        self.album = self.folder / "album"

    def prepare(self, number):
        Import.seed += 1
        shutil.rmtree(self.album, ignore_errors=True)
        for journal in self.folder.glob("album*"):
            journal.unlink()
        self.album.mkdir()
        self.files = {f"{Import.seed}-{part}.bin": noise(2000, 10 * Import.seed + part) for part in range(3)}
        for name, data in self.files.items():
            (self.album / name).write_bytes(data)
        return "import", "album", "--retries", "1"

    def run(self, arguments):
        return super().run(arguments, **credentials_of(self.server.url, master=ALPHA.master))

    def check(self, code, number):
        if code != 0:
            repeated = self.run(("import", "album"))
            require(repeated.returncode == 0, f"the same command does not go on: {repeated.stderr}")
        found = {
            record["name"]: record["url"]
            for record in self.api.get("/1.1/files", params={"limit": 1000, "order": "-createdAt"}).json()["results"]
        }
        for name, data in self.files.items():
            require(name in found, f"{name} was not imported")
            require(self.api.fetch(found[name]).content == data, f"{name} has other bytes")


def same_bytes(left, right):
    """Both have the same blobs, and databases with the same files."""
    blobs = sorted(path.relative_to(left) for path in left.glob("*/blobs/*/*"))
    require(blobs == sorted(path.relative_to(right) for path in right.glob("*/blobs/*/*")), "not all blobs are there")
    for blob in blobs:
        require(filecmp.cmp(left / blob, right / blob, shallow=False), f"{blob} differs")
    for app in {blob.parts[0] for blob in blobs}:
        require(records(left / app) == records(right / app), "the records differ")


def records(app):
    with closing(connect(f"file:{app / 'lcfile.sqlite'}?mode=ro", uri=True)) as database:
        number, = database.execute("SELECT number FROM class WHERE name = '_File'").fetchone()
        return database.execute(f"SELECT id, body FROM class_{number} ORDER BY id").fetchall()


def sweep(operation, ways, chance, share=1.0, report=print, end=float("inf")):
    """All calls of a command, or a share of them; returns how many steps there were, and the faults."""
    steps, faults = 0, []
    for fault, lasts in ways:
        def step(number):
            try:
                return operation.step(fault, number, lasts)
            except (Fault, AssertionError, OSError, subprocess.TimeoutExpired) as found:
                count, failed = operation.calls.end()
                call = f" ({operation.calls.call(number)})" if failed else ""
                faults.append(f"{operation.name}: {fault} {'from' if lasts else 'at'} call {number}{call}: {found}")
                report(faults[-1])
                operation.clean()
                return count, failed

        run = numbers(step, share, chance)
        while time.monotonic() < end and next(run, None) is not None:
            steps += 1
    return steps, faults
