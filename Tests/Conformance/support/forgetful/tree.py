"""The whole: all nodes, what a sync does, and the loss of power."""

import itertools
import os
import random
import signal
import weakref
from pathlib import Path

from directories import MOMENTS, Directory, settle
from nodes import File

DATABASE = b"lcfile.sqlite"
# So many changes and syncs after another, old changes of names go to the disk: kernels write by themselves.
ROUND, RECENT = 1000, 300


class Tree:
    """All that there is. The bytes lie in a folder of a real file system."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.numbers = itertools.count(2)
        self.directories, self.files = weakref.WeakSet(), weakref.WeakSet()
        # The changes of names in their order, those that the disk lacks among them.
        self.journal = []
        self.root = Directory(1, 0o755, os.getuid(), os.getgid(), self.journal)
        self.directories.add(self.root)
        # Whether names reach the disk in the order of their changes, as ext4 and XFS promise.
        self.keeps_order = False
        # Of blobs, database and directories: whose syncs do nothing.
        self.ignored = set()
        self.victim, self.left = None, 0
        self.is_off = False
        self.counts = dict.fromkeys(("changes", "syncs", "ignored syncs", "losses", "lost changes", "lost pages"), 0)

    def new_file(self, mode, uid, gid):
        number = next(self.numbers)
        file = File(number, mode & 0o7777, uid, gid, str(self.folder / str(number)))
        self.files.add(file)
        return file

    def new_directory(self, mode, uid, gid):
        directory = Directory(next(self.numbers), mode & 0o7777, uid, gid, self.journal)
        self.directories.add(directory)
        return directory

    def change(self):
        """Comes before each change and each sync; the one that was agreed upon is the last that the victim asks for."""
        self.counts["changes"] += 1
        if self.counts["changes"] % ROUND == 0:
            self.settle_until(next(MOMENTS) - RECENT)
        if self.victim is not None:
            self.left -= 1
            if self.left <= 0:
                os.kill(self.victim, signal.SIGKILL)
                self.victim, self.is_off = None, True

    def sync(self, node, kind):
        """Makes a file's bytes or a directory's names durable. A failure after the power went off is not reported."""
        self.change()
        is_ignored = kind in self.ignored
        self.counts["ignored syncs" if is_ignored else "syncs"] += 1
        if self.is_off or is_ignored:
            return
        if self.keeps_order:
            self.settle_until(node.changed)
        node.sync()

    def pending(self):
        """The changes of names that the disk does not have, the oldest first."""
        self.journal[:] = [change for change in self.journal if not change.is_on_disk]
        return list(self.journal)

    def settle_until(self, moment):
        for change in self.pending():
            if change.moment <= moment:
                settle(change)

    def settle(self):
        """Makes everything durable, as `sync` does."""
        for node in [*self.directories, *self.files]:
            node.sync()

    def lose(self, seed):
        """The power fails. From now on there is what the disk holds, and some of what was never synced."""
        chance = random.Random(seed)
        directories, files = (sorted(nodes, key=lambda node: node.number) for nodes in (self.directories, self.files))
        self.counts["losses"] += 1
        self.counts["lost changes"] += len(self.pending())
        self.counts["lost pages"] += sum(len(file.old) for file in files)
        if self.keeps_order:
            pending = self.pending()
            if pending:
                self.settle_until(chance.choice([0, chance.choice(pending).moment, pending[-1].moment]))
        else:
            for directory in chance.sample(directories, len(directories)):
                directory.lose(chance)
        for directory in directories:
            directory.forget()
        self.journal.clear()
        for file in files:
            file.lose(chance)
        for node in [*directories, *files]:
            node.links = 0
        for directory in directories:
            for node in directory.entries.values():
                node.links += 1
        self.victim, self.is_off = None, False
