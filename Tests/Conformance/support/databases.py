"""PostgreSQL databases for the servers of the tests: one for each storage folder."""

import hashlib
import os
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def admin_url():
    """The address of a server on which every server of the tests gets a database; None to use SQLite."""
    return os.environ.get("LCFILE_TEST_POSTGRES")


@cache
def psql():
    return str(sorted(Path("/usr/lib/postgresql").glob("*/bin/psql"))[-1])


def execute(url, statement):
    """Runs a statement and returns its rows as text, columns separated by `|`."""
    return subprocess.run(
        [psql(), "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", url],
        input=statement, capture_output=True, text=True, check=True, timeout=60,
    ).stdout.strip()


def database_of(storage, admin=None):
    """The address of the database of a storage folder, which is created if there is none."""
    admin = admin or admin_url()
    name = "t_" + hashlib.sha256(str(storage).encode()).hexdigest()[:16]
    if not execute(admin, f"SELECT 1 FROM pg_database WHERE datname = '{name}'"):
        execute(admin, f"CREATE DATABASE {name}")
    return f"{admin.rsplit('/', 1)[0]}/{name}"


class Postgres:
    """A server of the project's own script, in a folder; it ends with `close`."""

    def __init__(self, folder, options=""):
        self.folder = Path(folder)
        # Its user must reach the folder, which in a process of several is four levels below that of the temporary files.
        for part in [self.folder, *self.folder.parents[:4]]:
            if part.stat().st_uid == os.getuid():
                part.chmod(part.stat().st_mode | 0o111)
        self.options = options
        self.url = self.run("start")

    def run(self, command):
        return subprocess.run(
            [ROOT / "scripts/postgres", command, self.folder / "postgres"],
            env=os.environ | {"POSTGRES_OPTIONS": self.options},
            capture_output=True, text=True, check=True, timeout=120,
        ).stdout.strip()

    def start(self):
        assert self.run("start") == self.url

    def kill(self):
        self.run("kill")

    def stop(self):
        self.run("stop")

    close = stop
