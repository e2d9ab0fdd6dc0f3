"""Disks that lose power: a folder on the file system of `forgetful/`, whose `__main__` says what survives."""

import contextlib
import json
import select
import subprocess
import tempfile
from pathlib import Path

import pytest

# Debian's, because its packages have pyfuse3.
PYTHON = Path("/usr/bin/python3")
COMMAND = [PYTHON, Path(__file__).parent / "forgetful"]
# How lines begin that say why a machine cannot mount; all else is a fault of the file system.
REASONS = ("fuse", "ModuleNotFoundError: No module named 'pyfuse3'", "ModuleNotFoundError: No module named 'trio'")
KINDS = ("directories", "blobs", "database")
PATIENCE = 30


class CannotMount(Exception):
    """This machine has no FUSE, or does not let this user mount."""


class ForgetfulDisk:
    """The process that serves the file system, and its commands."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.bytes = tempfile.TemporaryDirectory(prefix="lcfile-forgetful-", dir=self.folder.parent)
        self.process = None

    def start(self):
        if not PYTHON.exists():
            raise CannotMount(f"there is no {PYTHON}")
        self.folder.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [*COMMAND, self.folder, self.bytes.name], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        try:
            self.answer()
        except EOFError:
            words = self.process.stderr.read()
            self.close()
            reasons = [line for line in words.splitlines() if line.startswith(REASONS)]
            raise CannotMount(reasons[0]) if reasons else RuntimeError(words) from None
        return self

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        self.bytes.cleanup()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    def answer(self):
        readable, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if readable else ""
        if not line:
            raise EOFError("the file system gives no answer" + ("" if readable else " in time"))
        return json.loads(line)

    def ask(self, *command):
        assert self.process.poll() is None, f"the file system ended: {self.process.stderr.read()}"
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def lose_power(self, seed):
        """What was not synced is lost but for a random part. Whoever had files open must have ended."""
        self.ask("lose", seed)

    def settle(self):
        """Makes all that is there durable."""
        self.ask("settle")

    def ignore(self, *kinds):
        """Syncs of these do nothing from now on."""
        self.ask("ignore", kinds)

    def keep_order(self, keeps_order=True):
        """From now on names reach the disk in the order of their changes, as with a journal."""
        self.ask("order", keeps_order)

    def strike(self, process, count):
        """Kills a process at its count-th change or sync from now on."""
        self.ask("strike", process, count)

    def counts(self):
        return self.ask("counts")


@contextlib.contextmanager
def forgetful_disk(folder):
    """A disk for as long as the block runs; the test is skipped where nothing can be mounted."""
    disk = ForgetfulDisk(folder)
    try:
        disk.start()
    except CannotMount as error:
        pytest.skip(f"this machine does not let tests mount a file system of their own: {error}")
    with contextlib.closing(disk):
        yield disk
