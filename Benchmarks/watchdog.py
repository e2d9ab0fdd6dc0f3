"""How much memory a server and its worker processes take, and the end of one that takes too much."""

import os
import re
import signal
import threading
from pathlib import Path

# Seconds between two looks.
STEP = 0.05


class Watchdog(threading.Thread):
    """Watches a server until `stop`; kills it when it and its workers together hold more than the limit, in bytes."""

    def __init__(self, pid, limit):
        super().__init__(daemon=True)
        self.pid, self.limit = pid, limit
        self.peak = self.workers = 0
        self.killed = False
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(STEP):
            self.look()

    def look(self):
        children = sum(memory(child, "VmRSS") for child in children_of(self.pid))
        self.workers = max(self.workers, children)
        # The kernel keeps the process's own peak, so that nothing is missed between two looks.
        self.peak = max(self.peak, memory(self.pid, "VmHWM"))
        if memory(self.pid, "VmRSS") + children > self.limit and not self.killed:
            os.kill(self.pid, signal.SIGKILL)
            self.killed = True

    def stop(self):
        self.ended.set()
        self.join()
        self.look()


def memory(pid, field):
    """In bytes; 0 if the process has ended."""
    try:
        found = re.search(rf"{field}:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) << 10 if found else 0


def children_of(pid):
    try:
        tasks = Path(f"/proc/{pid}/task").glob("*/children")
        return [int(child) for task in tasks for child in task.read_text().split()]
    except OSError:
        return []
