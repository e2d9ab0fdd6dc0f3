"""A row that does not match its checksum: backups copy it as it is, and say so; so do verification and restore."""

import json

import pytest
from backups import INCOMPLETE, assert_succeeds, back_up, lcfile, restore
from checking import damage_row, findings

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
