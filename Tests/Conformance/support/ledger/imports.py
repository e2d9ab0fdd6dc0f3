"""`lcfile import`, cut off again and again."""

import json
import subprocess
from collections import Counter
from pathlib import Path

from client import ALPHA, BINARY, TIMEOUT
from commands import credentials_of, own_environment

FILES_OF_A_ROUND = 25
# After thousands of rounds the last run has much to do.
PATIENCE = 900
MARK = {"mark": "ledger"}


class Imports:
    """A folder that grows with each round; in the end each of its files was imported exactly once."""

    def __init__(self, server, folder):
        self.server, self.folder = server, Path(folder)
        self.keys = credentials_of(server.url, master=ALPHA.master)
        self.command = ["import", "album", "--meta", json.dumps(MARK)]
        (self.folder / "album").mkdir()
        self.count, self.process = 0, None

    def begin(self):
        """Runs the command, which the crash interrupts."""
        for _ in range(FILES_OF_A_ROUND):
            self.count += 1
            (self.folder / "album" / f"{self.count}.bin").write_bytes(f"file {self.count}".encode() * self.count)
        self.process = subprocess.Popen(
            [BINARY, *self.command], cwd=self.folder, env=own_environment(**self.keys),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )

    def end(self):
        """Kills the command: it would go on as soon as the server is back."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(timeout=TIMEOUT)

    def faults(self, master):
        """Runs the command to its end and compares."""
        for arguments in (self.command, [*self.command, "--verify"]):
            result = subprocess.run(
                [BINARY, *arguments], cwd=self.folder, env=own_environment(**self.keys),
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
            )
            if result.returncode != 0:
                yield f"imports: {arguments[-1]}: {result.returncode} {result.stderr[-500:]}"
        names = Counter(record["name"] for record in self.records(master))
        for number in range(1, self.count + 1):
            if names[f"{number}.bin"] != 1:
                yield f"imports: {number}.bin is there {names[f'{number}.bin']} times"

    def records(self, master):
        found = []
        while True:
            query = {"where": json.dumps({"metaData.mark": MARK["mark"]}), "limit": 1000, "skip": len(found)}
            page = master.get("/1.1/files", params=query).json()["results"]
            found += page
            if len(page) < 1000:
                return found
