"""More objects than requests make in a test's time: copies of one, written into the database of a stopped server.

Rows that old versions wrote have no checksum; these have none either.
"""

import contextlib
import sqlite3
import time

from client import ALPHA


def add_copies(server, name, count, old, new):
    """Adds `count` copies of the only object of a class, with `old` in its JSON replaced by `new(n)`."""
    now = int(time.time() * 1000)
    with contextlib.closing(sqlite3.connect(server.storage / ALPHA.id / "lcfile.sqlite")) as database, database:
        number, = database.execute("SELECT number FROM class WHERE name = ?", (name,)).fetchone()
        (body,), = database.execute(f"SELECT body FROM class_{number}").fetchall()
        database.executemany(
            f"INSERT INTO class_{number} (id, created_at, updated_at, acl, body) VALUES (?, ?, ?, NULL, ?)",
            ((f"{n:024x}", now + n, now + n, body.replace(old, new(n))) for n in range(1, count + 1)),
        )
