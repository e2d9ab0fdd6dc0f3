#!/usr/bin/python3
"""A file system for tests that forgets, when the power fails, what was not synced.

It has two states: what processes see, and what the disk holds.

- fsync and fdatasync of a file bring its bytes and its size to the disk. They bring no name of it.
- fsync of a directory brings its names to the disk as they are: new ones, removed ones, and ones that mean another file.
  It brings no bytes, and not the name of the directory itself.
- A rename is never half: where the old name is gone, the new one is there. Over an existing name it is atomic.
- close, and the end of a process, bring nothing to the disk. Neither does sync_file_range, as its manual says.

When the power fails, what is on the disk stays. Of the rest a random part is there as well, because a kernel may write
anything at any time: of each name's changes the first few; of each changed page of 4096 bytes the new bytes, the old
ones, or some of its sectors of 512 bytes new and the others old; zeros where the disk never had bytes; of a size that
grew, any up to the new one. No order is kept between two names or two pages.

This is the strict reading of POSIX. ext4 and XFS give more, because names go through a journal: they reach the disk in
the order of their changes, and the fsync of a file or directory brings all changes of names along up to the last one
that concerns it, also those elsewhere. The command `order` switches to this reading; bytes stay as above.

Left out: damage to what is on the disk; modes, owners and times (they survive); fallocate (unknown: libraries write).

Usage: forgetful MOUNT_POINT FOLDER. It reads commands from its input, a line of JSON each, answers each
with one line when it is done, and ends with its input:

- ["lose", seed]: the power fails, and the file system is mounted again with what is left
- ["settle"]: everything is brought to the disk
- ["ignore", [kinds]]: syncs of these do nothing from now on: directories, blobs, database
- ["strike", process, count]: kills the process at its count-th change or sync from now on; later syncs do nothing
- ["order", true or false]: whether names keep their order
- ["counts"]: what it has done
"""

import json
import sys

import pyfuse3
import trio
from operations import Operations
from tree import Tree

OPTIONS = {"fsname=forgetful", "default_permissions"}


class Commands:
    """The commands of the test that started this process."""

    def __init__(self, tree):
        self.tree = tree
        self.input, self.rest = trio.lowlevel.FdStream(0), b""

    async def next(self):
        """The next command; nothing at the end."""
        while b"\n" not in self.rest:
            more = await self.input.receive_some()
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def answer(self, value=None):
        print(json.dumps(value), flush=True)

    async def until_loss(self):
        """Does what is asked; returns the seed of the next loss of power, nothing at the end."""
        while (command := await self.next()) is not None:
            match command:
                case ["lose", seed]:
                    return seed
                case ["settle"]:
                    self.tree.settle()
                case ["ignore", kinds]:
                    self.tree.ignored = set(kinds)
                case ["order", keeps_order]:
                    self.tree.keeps_order = keeps_order
                case ["strike", process, count]:
                    self.tree.victim, self.tree.left = process, count
                case ["counts"]:
                    self.answer(self.tree.counts)
                    continue
            self.answer()
        return None


async def serve(mount_point, folder):
    tree = Tree(folder)
    commands = Commands(tree)
    while True:
        pyfuse3.init(Operations(tree), mount_point, OPTIONS)
        commands.answer()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pyfuse3.main)
            seed = await commands.until_loss()
            pyfuse3.terminate()
        pyfuse3.close(unmount=True)
        if seed is None:
            return
        tree.lose(seed)


if __name__ == "__main__":
    trio.run(serve, *sys.argv[1:])
