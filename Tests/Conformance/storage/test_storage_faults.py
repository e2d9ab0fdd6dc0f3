"""Storage that fails while the server runs: what clients are told, what goes on, and what an operator sees."""

import contextlib
import re
import shutil
import sqlite3
import subprocess

import pytest
from backups import assert_succeeds, back_up, blob_of, lcfile, restore
from client import ALPHA, BINARY, Server, assert_refused, clean_environment, eventually
from data import Objects
from disks import break_down, ext4
from full_disks import Life, alive, health, metric, reasons
from request_log import log_so_far

pytestmark = pytest.mark.long

INCOMPLETE, STORAGE = 65, 73


@pytest.fixture
def disk(tmp_path):
    with ext4(tmp_path / "disk") as disk:
        yield disk


# Read-only

@pytest.mark.extended
def test_disk_that_becomes_read_only(disk, new_server):
    server = new_server(storage=disk / "storage").start()
    life = Life(server)
    break_down(disk)
    for response in (
        life.tasks.post({"n": 1}), life.tasks.put(life.ids[0], {"n": 2}), life.tasks.delete(life.ids[0]),
        life.api.store_raw(b"bytes", "x.bin"), life.master.delete(life.files[0]["objectId"]),
        life.api.form(("file", ("x.txt", b"x"))),
    ):
        assert_refused(response, 503, 503, "The server's storage is read-only.")
    life.assert_reads_go_on()
    assert life.api.fetch(life.files[0]["url"]).status_code == 200
    assert eventually(lambda: health(server).status_code == 503)
    assert health(server).json() == {"status": "read-only", "error": "The server's storage is read-only."}
    assert health(server, "?live").status_code == 200
    assert eventually(lambda: "storage-read-only" in reasons(server))
    assert metric(server, "lcfile_storage_fault", '{kind="read-only"}') == 1
    assert metric(server, "lcfile_ready") == 0
    assert metric(server, "lcfile_not_ready", '{reason="storage-read-only"}') == 1
    assert metric(server, "lcfile_not_ready", '{reason="storage-full"}') == 0
    assert metric(server, "lcfile_storage_faults_total", '{kind="read-only"}') >= 5
    said = subprocess.run(
        [BINARY, "health", "--server", server.url], env=clean_environment(), capture_output=True, text=True, timeout=60
    )
    assert said.returncode == 1 and "read-only" in said.stderr
    assert_succeeds(lcfile("health", "--live", "--server", server.url))
    server.kill()
    server.launch()
    assert server.wait() == STORAGE
    assert re.search(r"lcfile: .*cannot be written: Read-only file system", server.errors)


# Damage

def pages_of(database, table):
    """The leaf pages of a table, whose root must be an interior page: its last child alone, which is enough."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        root, = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        size, = connection.execute("PRAGMA page_size").fetchone()
    content = database.read_bytes()
    header = content[(root - 1) * size:root * size]
    assert header[0] == 5, "the table has one page only"
    return int.from_bytes(header[8:12], "big"), size


def spoil(database, name):
    """Overwrites the last page of a class's table."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        number, = connection.execute("SELECT number FROM class WHERE name = ?", (name,)).fetchone()
    page, size = pages_of(database, f"class_{number}")
    with open(database, "r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


def flip(database, old, new):
    content = database.read_bytes()
    assert old in content
    database.write_bytes(content.replace(old, new))


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A server that was stopped, with two classes of some pages and three files; the records."""
    server = Server(tmp_path_factory.mktemp("original")).start()
    api = server.api()
    for name in ("Good", "Bad"):
        things = Objects(api, name)
        for number in range(60):
            things.create(n=number, text="x" * 500)
    records = [api.store(f"file {number}".encode(), name=f"{number}.txt") for number in range(3)]
    assert server.stop() == 0
    database = server.storage / ALPHA.id / "lcfile.sqlite"
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return server, records


@pytest.fixture
def filled(original, new_server):
    """A server that was not yet started on a copy of that storage; the database; the records."""
    # Requests find the damage, not a round of the scrubber.
    (whole, records), server = original, new_server(LCFILE_SCRUB_DAYS="0")
    shutil.copytree(whole.storage, server.storage)
    records = [record | {"url": record["url"].replace(whole.url, server.url)} for record in records]
    return server, server.storage / ALPHA.id / "lcfile.sqlite", records


@pytest.mark.extended
def test_damaged_page_is_told_and_the_rest_is_served(filled):
    server, database, records = filled
    spoil(database, "Bad")
    api = server.start().api()
    assert health(server).json() == {"status": "ok"}
    for _ in range(3):
        assert_refused(api.get("/1.1/classes/Bad?limit=1000"), 500, 1, "The server's storage is damaged.")
    assert len(api.get("/1.1/classes/Good?limit=1000").json()["results"]) == 60
    assert api.fetch(records[0]["url"]).content == b"file 0"
    assert health(server).status_code == 503
    assert health(server).json()["status"] == "damaged"
    assert alive(server)
    assert metric(server, "lcfile_storage_faults_total", '{kind="damaged"}') == 3
    assert len(re.findall(r"critical .*The server's storage is damaged\.", log_so_far(server))) == 1


@pytest.mark.extended
def test_blob_that_is_missing_is_told_to_the_operator(filled):
    server, _, records = filled
    blob_of(records[1], server.storage).unlink()
    api = server.start().api()
    for words in ("", "?imageInfo"):
        assert_refused(api.fetch(records[1]["url"] + words), 500, 1, "The stored file cannot be read.")
    # From when the server has looked itself, and recorded the damage.
    assert eventually(lambda: api.fetch(records[1]["url"], "HEAD").status_code == 500)
    assert health(server).json()["status"] == "damaged"
    assert log_so_far(server).count(f"The blob of file {records[1]['objectId']} is missing.") == 1
    assert api.fetch(records[0]["url"]).content == b"file 0"


def test_deleted_file_is_no_damage(filled):
    server, _, records = filled
    server.start()
    assert server.api(master=True).delete(records[1]["objectId"]).status_code == 200
    assert server.api().fetch(records[1]["url"]).status_code == 404
    assert health(server).json() == {"status": "ok"}


# Backups of what is damaged

@pytest.mark.parametrize("runs", [True, False], ids=["running", "stopped"])
def test_backup_of_a_damaged_database_is_not_called_good(filled, tmp_path, runs):
    server, database, records = filled
    spoil(database, "Bad")
    if runs:
        server.start()
    backup = tmp_path / "backup"
    result = back_up(server, backup)
    assert result.returncode == STORAGE
    line, = result.stderr.splitlines()
    for words in (str(database), "is damaged", "lcfile.sqlite.damaged", "1 complete app", "cannot be restored", "repaired"):
        assert words in line
    assert not (backup / ALPHA.id / "lcfile.sqlite").exists()
    assert all(blob_of(record, backup).exists() for record in records)
    refused = restore(backup, tmp_path / "storage")
    assert refused.returncode == STORAGE and "was damaged when it was written" in refused.stderr
    assert not (tmp_path / "storage").exists()


@pytest.mark.extended
@pytest.mark.parametrize("old, new", [
    (lambda key: f'"key":"{key}"', lambda key: f'"key":"{key[:-1]}\x01"'),
    (lambda key: f'"key":"{key}"', lambda key: f'"key":x{key}"'),
    (lambda key: f'"key":"{key}"', lambda key: f'"key":"{key[:-1]}_"'),
], ids=["invalid key", "no JSON", "another key"])
def test_record_with_a_flipped_byte_is_reported_and_the_rest_is_backed_up(filled, new_server, tmp_path, old, new):
    server, database, records = filled
    key = records[1]["url"].rsplit("/", 1)[1]
    flip(database, old(key).encode(), new(key).encode())
    server.start()
    backup = tmp_path / "backup"
    result = back_up(server, backup)
    assert result.returncode == INCOMPLETE, result.stderr
    assert "Backed up 2 apps, 2 files" in result.stdout
    line, = result.stderr.splitlines()
    assert "incomplete" in line and "1 damaged file" in line and records[1]["objectId"] in line
    restored = restore(backup, tmp_path / "storage")
    assert restored.returncode == INCOMPLETE and "the backup lacks 1 file," in restored.stderr, restored.stderr
    assert " 2 files" in restored.stdout
    restored = new_server(storage=tmp_path / "storage").start()
    names = {record["name"] for record in restored.api().get("/1.1/classes/_File").json()["results"]}
    assert names == {"0.txt", "2.txt"}
    assert restored.api().fetch(records[0]["url"].replace(server.url, restored.url)).content == b"file 0"
