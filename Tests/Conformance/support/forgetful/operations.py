"""The requests of the kernel."""

import errno
import itertools
import os
from collections import Counter

import pyfuse3
from directories import Directory
from nodes import File
from tree import DATABASE

# Only the kernel changes files here, so it can cache what it read.
FOREVER = 1e6
RENAME_NOREPLACE = 1


def failure(number):
    return pyfuse3.FUSEError(number)


class Operations(pyfuse3.Operations):
    """The files of a tree, for one mount of it. Handles of files are descriptors of what holds their bytes."""

    supports_dot_lookup = False

    def __init__(self, tree):
        super().__init__()
        self.tree = tree
        # What the kernel knows, and how often it was told.
        self.known, self.told = {pyfuse3.ROOT_INODE: tree.root}, Counter()
        self.open_files, self.listings, self.handles = {}, {}, itertools.count()

    def attributes(self, node):
        entry = pyfuse3.EntryAttributes()
        entry.st_ino, entry.st_mode, entry.st_uid, entry.st_gid = node.number, node.mode, node.uid, node.gid
        entry.st_atime_ns, entry.st_mtime_ns, entry.st_ctime_ns = node.atime, node.mtime, node.ctime
        entry.st_nlink = max(node.links, 1) if isinstance(node, Directory) else node.links
        entry.st_blksize = 4096
        if isinstance(node, File):
            entry.st_size, entry.st_blocks = node.size, os.stat(node.path).st_blocks
        entry.entry_timeout = entry.attr_timeout = FOREVER
        return entry

    def tell(self, node):
        """The attributes of a node that the kernel will know by its number."""
        self.known[node.number] = node
        self.told[node.number] += 1
        return self.attributes(node)

    def child(self, parent, name):
        node = self.known[parent].entries.get(name)
        if node is None:
            raise failure(errno.ENOENT)
        return node

    async def forget(self, pairs):
        for number, count in pairs:
            self.told[number] -= count
            if self.told[number] <= 0 and number != pyfuse3.ROOT_INODE:
                del self.told[number], self.known[number]

    async def lookup(self, parent, name, context):
        return self.tell(self.child(parent, name))

    async def getattr(self, number, context):
        return self.attributes(self.known[number])

    async def setattr(self, number, wanted, fields, handle, context):
        node = self.known[number]
        if fields.update_size:
            self.tree.change()
            node.truncate(wanted.st_size)
        if fields.update_mode:
            node.mode = wanted.st_mode
        if fields.update_uid:
            node.uid = wanted.st_uid
        if fields.update_gid:
            node.gid = wanted.st_gid
        if fields.update_atime:
            node.atime = wanted.st_atime_ns
        if fields.update_mtime:
            node.mtime = wanted.st_mtime_ns
        return self.attributes(node)

    async def statfs(self, context):
        real, status = os.statvfs(self.tree.folder), pyfuse3.StatvfsData()
        for name in ("bsize", "frsize", "blocks", "bfree", "bavail", "files", "ffree", "favail"):
            setattr(status, f"f_{name}", getattr(real, f"f_{name}"))
        status.f_namemax = 255
        return status

    # Names

    def free(self, parent, name):
        self.tree.change()
        if name in self.known[parent].entries:
            raise failure(errno.EEXIST)
        return self.known[parent]

    async def mkdir(self, parent, name, mode, context):
        directory = self.free(parent, name)
        node = self.tree.new_directory(mode, context.uid, context.gid)
        directory.put(name, node)
        return self.tell(node)

    async def create(self, parent, name, mode, flags, context):
        directory = self.free(parent, name)
        node = self.tree.new_file(mode, context.uid, context.gid)
        node.is_database = name.startswith(DATABASE)
        directory.put(name, node)
        return self.opened(node), self.tell(node)

    async def link(self, number, parent, name, context):
        node = self.known[number]
        self.free(parent, name).put(name, node)
        return self.tell(node)

    async def unlink(self, parent, name, context):
        self.tree.change()
        self.child(parent, name)
        self.known[parent].put(name, None)

    async def rmdir(self, parent, name, context):
        self.tree.change()
        if self.child(parent, name).entries:
            raise failure(errno.ENOTEMPTY)
        self.known[parent].put(name, None)

    async def rename(self, old_parent, old_name, new_parent, new_name, flags, context):
        self.tree.change()
        node = self.child(old_parent, old_name)
        target = self.known[new_parent].entries.get(new_name)
        if flags & ~RENAME_NOREPLACE:
            raise failure(errno.EINVAL)
        if target is not None and flags & RENAME_NOREPLACE:
            raise failure(errno.EEXIST)
        if isinstance(target, Directory) and target.entries:
            raise failure(errno.ENOTEMPTY)
        # Two names of one file: POSIX says that nothing happens.
        if target is not node:
            beginning = self.known[new_parent].put(new_name, node)
            self.known[old_parent].put(old_name, None, partner=beginning)

    # Directories; a handle stands for the names at the time of the first look, so that what changes moves no other name.

    async def opendir(self, number, context):
        handle = next(self.handles)
        self.listings[handle] = self.known[number], []
        return handle

    async def readdir(self, handle, start, token):
        directory, names = self.listings[handle]
        if start == 0:
            names[:] = directory.entries
        for place, name in enumerate(names[start:], start + 1):
            node = directory.entries.get(name)
            if node is None:
                continue
            if not pyfuse3.readdir_reply(token, name, self.attributes(node), place):
                break
            self.known[node.number] = node
            self.told[node.number] += 1

    async def releasedir(self, handle):
        del self.listings[handle]

    async def fsyncdir(self, handle, only_data):
        self.tree.sync(self.listings[handle][0], "directories")

    # Files

    def opened(self, node):
        descriptor = os.open(node.path, os.O_RDWR)
        self.open_files[descriptor] = node
        return pyfuse3.FileInfo(fh=descriptor, keep_cache=True)

    async def open(self, number, flags, context):
        return self.opened(self.known[number])

    async def release(self, handle):
        del self.open_files[handle]
        os.close(handle)

    async def read(self, handle, offset, size):
        return os.pread(handle, size, offset)

    async def write(self, handle, offset, data):
        self.tree.change()
        return self.open_files[handle].write(handle, offset, data)

    async def fsync(self, handle, only_data):
        node = self.open_files[handle]
        self.tree.sync(node, "database" if node.is_database else "blobs")
