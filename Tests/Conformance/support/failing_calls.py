"""The system calls of a program on some folders: counted, and the N-th of them fails (the sources are in `failing`)."""

import errno
import mmap
import os
import struct
from pathlib import Path

from preloading import preload_library

SOURCES = Path(__file__).resolve().parent / "failing"
# In the order of failing.h.
KINDS = (
    "open", "create", "read", "write", "sync", "rename", "link", "unlink", "mkdir", "truncate", "allocate", "close",
    "list", "send", "status", "map", "times",
)
END, NAME, LOGGED = 32, 96, 8192
HEAD = struct.Struct(f"8I{END}s")
SIZE = HEAD.size + NAME * LOGGED
SHORT = 0xFFFF
STOP = 0xFFFE
FOREVER = 0xFFFFFFFF

# The kinds of calls that can end in each way. Only calls that make descriptors lack them; a full disk shows where bytes
# or names are added; signals interrupt the calls that POSIX lets them; half of a transfer is told by its length.
FAULTS = {
    "EIO": (errno.EIO, set(KINDS)),
    "ENOSPC": (errno.ENOSPC, {"create", "write", "sync", "rename", "link", "mkdir", "truncate", "allocate"}),
    "EMFILE": (errno.EMFILE, {"open", "create", "list"}),
    "EROFS": (errno.EROFS, {"create", "write", "rename", "link", "unlink", "mkdir", "truncate", "allocate"}),
    "short": (SHORT, {"read", "write", "send"}),
    "EINTR": (errno.EINTR, {"open", "create", "read", "write", "truncate", "send"}),
}
# What must succeed although it is met.
HARMLESS = {"short", "EINTR"}


class FailingCalls:
    """The switch of one program, or of several that share it; `environment` is what they are started with."""

    def __init__(self, path, *folders):
        with open(path, "wb") as file:
            file.truncate(SIZE)
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), SIZE)
        self.environment = {
            "LD_PRELOAD": str(preload_library(SOURCES)), "FAILING_CONTROL": str(path), "FAILING_UNDER": ":".join(map(str, folders)),
        }

    def begin(self, fault="EIO", first=0, lasts=False, kinds=None, of=""):
        """Counts from now on; the call `first` of the fault's kinds fails with it, and all behind it if it lasts.

        With 0 none fails.

        With `kinds`, calls of those only count, and with `of`, those of files whose name ends so.
        """
        error, all_kinds = FAULTS[fault]
        kinds = kinds or all_kinds
        bits = sum(1 << number for number, kind in enumerate(KINDS) if kind in kinds)
        last = FOREVER if lasts and first else first
        self.memory[:HEAD.size] = HEAD.pack(0, first, last, error, bits, 0, 0, 0, of.encode())
        self.memory[0] = 1

    def stop_at(self, kind, name):
        """Stops the program before its first call of a kind with the file of a name, until it gets SIGCONT."""
        end = name.encode()[-END:]
        self.memory[:HEAD.size] = HEAD.pack(0, 1, 1, STOP, 1 << KINDS.index(kind), 0, 0, 0, end)
        self.memory[0] = 1

    def end(self):
        """Counts no more; returns how many calls there were, and how many of them failed."""
        self.memory[0] = 0
        return HEAD.unpack_from(self.memory)[5:7]

    def count(self):
        """How many calls there were until now."""
        return HEAD.unpack_from(self.memory)[5]

    def call(self, number):
        """What the call of a number was: its kind and the end of its path."""
        place = HEAD.size + (number - 1) * NAME
        return self.memory[place:place + NAME].split(b"\0")[0].decode(errors="replace")

    def calls(self):
        return [self.call(number) for number in range(1, min(self.end()[0], LOGGED) + 1)]


def state(process):
    """The kernel's letter for the state of a process: `T` is stopped."""
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]


def descriptors(pid):
    """What a process has open: how many of each target, with names that are new each time made equal."""
    counts = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except FileNotFoundError:
            continue
        kind = target.split(":")[0] if not target.startswith("/") else target
        counts[kind] = counts.get(kind, 0) + 1
    return counts
