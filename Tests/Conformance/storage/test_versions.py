"""Storage of other versions of lcfile: that of an earlier one is served, that of a newer one is left as it is."""

import hashlib
import sqlite3

import pytest
from backups import STORAGE, assert_succeeds, back_up, restore
from client import ALPHA, ROCKET, TESTS, eventually

FIXTURES = TESTS / "SQLiteStoreTests" / "Fixtures"


def state_of(folder):
    """The bytes of each file in a folder, by the file's name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def make_newer(path):
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO grdb_migrations VALUES ('v999 future')")
    database.close()


def assert_refuses(result, path):
    assert (result.returncode, result.stdout) == (STORAGE, "")
    assert "newer version" in result.stderr and str(path) in result.stderr, result.stderr


@pytest.fixture
def newer(new_server):
    """A stopped server with a file, whose database a newer version then opened."""
    server = new_server(apps=(ALPHA,)).start()
    server.api().store(b"hello\n", name="hello.txt")
    assert server.stop() == 0
    make_newer(server.storage / ALPHA.id / "lcfile.sqlite")
    return server


def test_start_and_backup_leave_a_newer_storage_as_it_is(newer, tmp_path):
    before = state_of(newer.storage)
    newer.launch()
    assert newer.wait() == STORAGE
    assert "newer version" in newer.errors
    assert_refuses(back_up(newer, tmp_path / "backup"), newer.storage / ALPHA.id)
    assert not (tmp_path / "backup").exists()
    after = state_of(newer.storage)
    assert {name: after[name] for name in before} == before
    # What a server makes in each storage before it opens a database, and what a reader of a database leaves: an empty log.
    log = f"{ALPHA.id}/lcfile.sqlite-wal"
    assert set(after) - set(before) <= {".reserve", ".lock", log, f"{ALPHA.id}/lcfile.sqlite-shm"}
    assert after.get(log, b"") == b""


@pytest.mark.extended
def test_restore_of_a_newer_backup_makes_nothing(new_server, tmp_path):
    server = new_server(apps=(ALPHA,)).start()
    server.api().store(b"hello\n", name="hello.txt")
    backup, target = tmp_path / "backup", tmp_path / "restored"
    assert_succeeds(back_up(server, backup))
    make_newer(backup / ALPHA.id / "lcfile.sqlite")
    before = state_of(backup)
    assert_refuses(restore(backup, target), backup / ALPHA.id)
    assert state_of(backup) == before
    assert not target.exists() or not any(target.iterdir())


def test_storage_of_the_first_version_is_served(new_server):
    server = new_server(apps=(ALPHA,))
    folder = server.storage / ALPHA.id
    key = "8JDPZph28G5g397aZbxhT3ENu4VlzTgk.jpg"
    digest = hashlib.sha256(key.encode()).hexdigest()
    blob = folder / "blobs" / digest[:2] / digest[2:4] / digest
    blob.parent.mkdir(parents=True)
    blob.write_bytes(ROCKET.read_bytes())
    (folder / "lcfile.sqlite").write_bytes((FIXTURES / "v1.sqlite").read_bytes())
    server.start()
    api = server.api(master=True)
    record = api.get("/1.1/files/6b017ba12dd266ba0b930c5d").json()
    assert record["name"] == "rocket.jpg"
    assert api.fetch(record["url"]).content == ROCKET.read_bytes()

    def checksums():
        with sqlite3.connect(f"file:{folder / 'lcfile.sqlite'}?mode=ro", uri=True) as database:
            return database.execute("SELECT count(*) FROM class_1 WHERE checksum IS NULL").fetchone()[0]

    assert eventually(lambda: checksums() == 0), "rows of the first version have no checksums"


@pytest.mark.extended
def test_damaged_row_is_not_served_and_counted(new_server):
    server = new_server(apps=(ALPHA,)).start()
    record = server.api().store(b"hello\n", name="hello.txt")
    whole = server.api().store(b"world\n", name="world.txt")
    assert server.stop() == 0
    path = server.storage / ALPHA.id / "lcfile.sqlite"
    data = path.read_bytes()
    assert data.count(b'"name":"hello.txt"') == 1
    path.write_bytes(data.replace(b'"name":"hello.txt"', b'"name":"iello.txt"'))
    server.start()
    api = server.api(master=True)
    response = api.get(f"/1.1/files/{record['objectId']}")
    assert (response.status_code, response.json()["code"]) == (500, 1)
    assert api.fetch(record["url"]).status_code == 500
    assert api.fetch(whole["url"]).content == b"world\n"
    assert eventually(lambda: record["objectId"] in server.errors and "checksum" in server.errors)
