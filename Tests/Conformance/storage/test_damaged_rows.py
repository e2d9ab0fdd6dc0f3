"""A row that does not match its checksum: backups copy it as it is, and say so; so do verification and restore."""

import contextlib
import json
import sqlite3

import pytest
from backups import INCOMPLETE, assert_succeeds, back_up, lcfile, restore
from checking import DAMAGED, WHOLE, damage_row, findings
from client import ALPHA, eventually, queued

pytestmark = pytest.mark.long


@pytest.fixture
def damaged(new_server):
    """A stopped server with a damaged row, and what messages call the row."""
    own = new_server(LCFILE_SCRUB_DAYS="0").start()
    record = own.api().store(b"bytes", name="harvest.txt")
    own.api().store(b"kept", name="kept.txt")
    assert own.stop() == 0
    damage_row(own, record, b"harvest", b"harvesu")
    return own, f"_File/{record['objectId']}"


def assert_told(result, row, count=1):
    assert result.returncode == INCOMPLETE, result.stderr
    assert row in result.stderr and "does not match its checksum" in result.stderr
    assert f"{count} damaged row" in result.stderr


def test_backup_to_a_folder_and_its_restore(damaged, tmp_path, new_server):
    own, row = damaged
    result = back_up(own, tmp_path / "backup")
    assert_told(result, row)
    assert len(result.stderr.splitlines()) == 1
    assert "2 files" in result.stdout
    assert_told(restore(tmp_path / "backup", tmp_path / "storage"), row)
    # It is as damaged there as it was.
    restored = new_server(storage=tmp_path / "storage")
    assert findings(restored)[1] == [("damaged-row", row)]


@pytest.mark.extended
def test_backup_to_a_repository_its_list_verification_and_restore(damaged, tmp_path):
    own, row = damaged
    repository = tmp_path / "repository"
    to_repository = ("backup", "--storage", own.storage, "--to", repository)
    assert_told(lcfile(*to_repository), row)
    verified = lcfile("backup", "--to", repository, "--verify")
    assert_told(verified, row)
    assert "0 damaged or missing files" in verified.stderr
    lines = assert_succeeds(lcfile("backup", "--to", repository, "--list", "--json")).splitlines()
    assert sorted(json.loads(line)["damagedRows"] for line in lines) == [0, 1]
    assert_told(restore(repository, tmp_path / "storage"), row)
    # After a repair the backup is whole; a retention keeps it and the older one is no reason to keep more.
    assert findings(own, "--repair", "--accept-rows")[0] == 0
    assert_succeeds(lcfile(*to_repository))
    assert_told(lcfile("backup", "--to", repository, "--verify"), row)
    assert_succeeds(lcfile("backup", "--to", repository, "--keep-last", "1", "--forget"))
    assert_succeeds(lcfile("backup", "--to", repository, "--verify"))


def damage_class(server, name, change):
    """Changes all rows of a class in a closed database, and leaves their checksums."""
    path = server.storage / ALPHA.id / "lcfile.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        # The indexes of some classes use it.
        database.create_function("lcfile_checksum", -1, lambda *values: 0, deterministic=True)
        (number,), = database.execute("SELECT number FROM class WHERE name = ?", (name,))
        assert database.execute(f"UPDATE class_{number} SET {change}").rowcount > 0


@pytest.mark.extended
def test_start_with_damaged_rows_of_usage_and_uploads(new_server):
    own = new_server(LCFILE_SCRUB_DAYS="0").start()
    own.api().store(b"x" * 1000, name="x.txt")
    assert own.api().post("/1.1/fileTokens", json={"name": "late.txt"}).status_code == 201
    assert own.stop() == 0
    damage_class(own, "_Usage", "updated_at = updated_at + 1")
    damage_class(own, "_Upload", "created_at = created_at + 1")
    # Its health tells of the damage.
    own.launch()
    assert eventually(own.is_live, 60)
    assert "usage was damaged and is counted anew" in own.output + own.errors
    assert "row of an upload" in own.output + own.errors
    stored = own.api().store(b"new", name="new.txt")
    assert own.api(master=True).delete(stored["objectId"]).status_code == 200
    assert own.stop() == 0
    code, found, _ = findings(own)
    assert (code, [kind for kind, _ in found]) == (DAMAGED, ["damaged-row"])
    assert findings(own, "--repair", "--remove-rows")[0] == WHOLE
    assert findings(own)[:2] == (WHOLE, [])


@pytest.mark.extended
def test_damaged_row_of_the_trash_keeps_no_other_entry(new_server):
    own = new_server(LCFILE_SCRUB_DAYS="0", LCFILE_TRASH_KEEP="3600").start()
    master = own.api(master=True)
    for number in range(3):
        record = own.api().store(b"x", name=f"{number}.txt")
        assert master.delete(record["objectId"]).status_code == 200
    assert eventually(lambda: queued(master) == 0)
    assert own.stop() == 0
    damage_class(own, "_Trash", "updated_at = updated_at + 1 WHERE number = 1")
    own.launch()
    assert eventually(own.is_live, 60)
    master = own.api(master=True)
    trash = master.get("/1.1/trash").json()
    assert len(trash.get("results", [])) == 2, trash
    assert master.call("DELETE", "/1.1/trash").json() == {"removed": 2}
    assert master.get("/1.1/trash").json()["results"] == []
    assert own.stop() == 0
    assert [kind for kind, _ in findings(own)[1]] == ["damaged-row"]


@pytest.mark.extended
def test_repair_counts_a_damaged_usage_anew(new_server):
    own = new_server(LCFILE_SCRUB_DAYS="0").start()
    own.api().store(b"x" * 1000, name="x.txt")
    assert own.stop() == 0
    damage_class(own, "_Usage", """body = replace(body, '"files":1', '"files":7')""")
    code, found, summary = findings(own, "--repair")
    assert (code, summary["damage"]) == (WHOLE, 0)
    assert sorted(found) == [("damaged-row", "_Usage/usage"), ("wrong-usage", "usage")]
    assert findings(own)[:2] == (WHOLE, [])


@pytest.mark.extended
def test_removed_rows_leave_nothing_to_repair(new_server):
    own = new_server(LCFILE_SCRUB_DAYS="0", LCFILE_TRASH_KEEP="3600").start()
    master = own.api(master=True)
    own.api().store(b"kept", name="kept.txt")
    gone = own.api().store(b"gone", name="gone.txt")
    assert master.delete(gone["objectId"]).status_code == 200
    assert eventually(lambda: queued(master) == 0)
    assert own.api().post("/1.1/fileTokens", json={"name": "late.txt", "metaData": {"size": 100}}).status_code == 201
    assert master.post("/1.1/users", json={"username": "ann", "password": "secret"}).status_code == 201
    assert master.post("/1.1/classes/Note", json={"n": 1}).status_code == 201
    assert own.stop() == 0
    for name in ("_File", "_Trash", "_Upload", "_User", "Note"):
        damage_class(own, name, "created_at = created_at + 1")
        assert findings(own)[0] == DAMAGED
        assert findings(own, "--repair", "--remove-rows")[0] == WHOLE
        assert findings(own)[:2] == (WHOLE, []), name
