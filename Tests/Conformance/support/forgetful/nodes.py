"""What the file system holds: nodes with attributes, and regular files with what the disk has of them."""

import os
import stat
import time
import weakref

PAGE, SECTOR = 4096, 512


class Node:
    """A file or a directory, without its name. Its mode, owner and times are not modelled: they survive."""

    def __init__(self, number, mode, uid, gid):
        self.number, self.mode, self.uid, self.gid = number, mode, uid, gid
        self.links = 0
        # The moment of the last change of a name that concerns it.
        self.changed = 0
        self.atime = self.mtime = self.ctime = time.time_ns()

    def touch(self):
        self.mtime = self.ctime = time.time_ns()


class File(Node):
    """A regular file. What processes see lies in a file of a real file system, at `path`; `old` has those pages of which
    the disk holds something else, and that: the bytes, fewer than a page at the disk's end of the file."""

    def __init__(self, number, mode, uid, gid, path):
        super().__init__(number, stat.S_IFREG | mode, uid, gid)
        self.path = path
        self.size = self.disk_size = 0
        self.old = {}
        self.is_database = False
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        # A file ends when nothing refers to it any more: no name, no name on the disk, no process.
        weakref.finalize(self, os.unlink, path).atexit = False

    def keep_old(self, descriptor, start, end):
        """Notes what the disk holds of the pages that are about to change."""
        for page in range(start // PAGE, -(-end // PAGE)):
            if page not in self.old:
                length = min(max(self.disk_size - page * PAGE, 0), PAGE)
                self.old[page] = os.pread(descriptor, length, page * PAGE) if length else b""

    def write(self, descriptor, offset, data):
        self.keep_old(descriptor, offset, offset + len(data))
        written = os.pwrite(descriptor, data, offset)
        self.size = max(self.size, offset + written)
        self.touch()
        return written

    def truncate(self, size):
        descriptor = os.open(self.path, os.O_RDWR)
        try:
            self.keep_old(descriptor, size, max(self.disk_size, size))
            os.ftruncate(descriptor, size)
        finally:
            os.close(descriptor)
        self.size = size
        self.touch()

    def sync(self):
        self.old.clear()
        self.disk_size = self.size

    def lose(self, chance):
        """Becomes what the disk holds, with a part of what was not synced: of each page all, nothing or some sectors."""
        if self.old or self.size != self.disk_size:
            written = {"nothing": 0.0, "all": 1.0, "some": chance.random()}[chance.choice(["nothing", "all", "some"])]
            descriptor = os.open(self.path, os.O_RDWR)
            try:
                self.lose_pages(descriptor, chance, written)
            finally:
                os.close(descriptor)
        self.sync()

    def lose_pages(self, descriptor, chance, written):
        size = self.lose_size(chance, written)
        for page, old in sorted(self.old.items()):
            if chance.random() < written:
                # A disk writes sectors; a page is torn where the power ended.
                kept = PAGE if written == 1 or chance.random() < 0.7 else SECTOR * chance.randrange(1, PAGE // SECTOR)
            else:
                kept = 0
            new = os.pread(descriptor, PAGE, page * PAGE)[:kept]
            # What the disk never had is a hole, which reads as zeros.
            os.pwrite(descriptor, new + old.ljust(PAGE, b"\0")[len(new):], page * PAGE)
        os.ftruncate(descriptor, size)
        self.size = size

    def lose_size(self, chance, written):
        if self.size <= self.disk_size:
            return self.size if chance.random() < written else self.disk_size
        if written in (0.0, 1.0):
            return self.size if written or chance.random() < 0.3 else self.disk_size
        return chance.randint(self.disk_size, self.size)
