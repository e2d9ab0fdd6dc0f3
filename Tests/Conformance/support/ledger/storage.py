"""The files of a storage folder and the rows of its database, compared right after a start (docs/storage-format.md)."""

import hashlib
import json
import sqlite3

from backups import lcfile
from client import ALPHA, eventually, queued


def faults_of_storage(server, counts, leaves_blobs):
    """What is on the disk without a row, or a row without it. The start removes what deletions have queued."""
    def look():
        keys, uploads, queued = rows(server.storage / ALPHA.id / "lcfile.sqlite")
        named = {hashlib.sha256(key.encode()).hexdigest() for key in keys}
        blobs = {path.name for path in server.blobs()}
        staged = {path.name for path in server.staged()}
        return named, blobs, staged, uploads, queued

    counts["deletions queued at a start"] += look()[-1]
    if not eventually(lambda: look()[-1] == 0, 20):
        yield "the deletion queue does not become empty"
    named, blobs, staged, uploads, _ = look()
    stray = blobs - named
    if leaves_blobs:
        # They stay, so the last look has seen them all.
        counts["blobs that nothing names"] = len(stray)
        stray = set()
    for text, names in (
        ("a record without its blob", named - blobs), ("a blob without a record", stray),
        ("staged for no upload", staged - uploads),
        ("half a derivative", {path.name for path in (server.storage / ALPHA.id / "derivatives").glob("staging-*")}),
    ):
        for name in sorted(names):
            yield f"{text}: {name}"


def rows(database):
    """The keys of all files, the ids of unfinished uploads, and how many deletions are queued."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=5)
    try:
        tables = dict(connection.execute("SELECT name, number FROM class WHERE name IN ('_File', '_Upload', '_Deletion')"))
        keys = connection.execute(f"SELECT json_extract(body, '$.key') FROM class_{tables['_File']}").fetchall()
        uploads = connection.execute(
            f"SELECT id FROM class_{tables['_Upload']} WHERE json_extract(body, '$.state') <> 'finished' "
            "OR json_extract(body, '$._concat') = 'partial'"
        ).fetchall()
        queued, = connection.execute(f"SELECT count(*) FROM class_{tables['_Deletion']}").fetchone()
    finally:
        connection.close()
    return [key for key, in keys if key], {id for id, in uploads}, queued


def faults_of_stores(server, counts, leaves_blobs):
    """The same for a database and a bucket, as `lcfile check` compares them."""
    if not eventually(lambda: queued(server.api(master=True)) == 0, 60):
        yield "the deletion queue does not become empty"
    # With all settings of a server, as an operator has them in its configuration.
    member = server.members[0]
    settings = {name: value for name, value in member.environment.items() if name.startswith("LCFILE_")}
    result = lcfile(
        "check", "--storage", member.storage, "--config", member.folder / "lcfile.yaml", "--json", **settings
    )
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    if not lines:
        yield f"lcfile check: {result.returncode} {result.stderr[-500:]}"
    for line in lines:
        if "kind" in line:
            yield f"{line['kind']}: {line['subject']}"
