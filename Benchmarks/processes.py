"""The processor time and the memory of a server with its child processes."""

import os
from pathlib import Path

TICK = 1 / os.sysconf("SC_CLK_TCK")


class Processes:
    """What a server and its child processes use."""

    def __init__(self, first):
        self.first = first

    def children(self):
        lists = Path(f"/proc/{self.first}/task").glob("*/children")
        return [child for children in lists for child in children.read_text().split()]

    def seconds(self):
        """Processor time of user and system."""
        def of(pid):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            # utime, stime and those of children that have ended (proc(5)).
            return sum(map(int, fields[11:15])) * TICK
        return sum(map(of, [self.first, *self.children()]))

    def memory(self):
        """Resident memory in MB; pages that children share with the first process count once."""
        def of(pid, *names):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            return sum(int(line.split()[1]) for line in lines if line.startswith(names)) / 1024
        return of(self.first, "Rss:") + sum(of(child, "Private_Clean:", "Private_Dirty:") for child in self.children())
