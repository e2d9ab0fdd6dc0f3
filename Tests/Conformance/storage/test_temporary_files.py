"""Temporary files are in the storage folder: in a container with a read-only root no other folder can be written."""

import pytest
from backups import assert_succeeds, back_up
from client import ALPHA
from data import Objects, batch
from failing_calls import FailingCalls

# The sort of a limited query is a table of SQLite, of which 2 MB are in memory.
OBJECTS, BYTES, BATCH = 600, 6000, 100


@pytest.mark.sqlite
def test_large_sorts_use_the_storage_folder(new_server, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    calls = FailingCalls(tmp_path / "control", folder / "storage")
    server = new_server(folder=folder, apps=(ALPHA,), **calls.environment).start()
    objects = Objects(server.api(), "Post")
    for first in range(0, OBJECTS, BATCH):
        posts = [
            {"method": "POST", "path": objects.path, "body": {"rank": -n, "text": "x" * BYTES}}
            for n in range(first, first + BATCH)
        ]
        assert all("success" in item for item in batch(objects.api, *posts).json())
    calls.begin(kinds={"create"})
    found = objects.api.get(objects.path, params={"order": "rank", "limit": OBJECTS}).json()["results"]
    created = calls.calls()
    assert [item["rank"] for item in found] == sorted(item["rank"] for item in found) and len(found) == OBJECTS
    assert any(call.startswith("create /.temporary/etilqs_") for call in created), created
    assert list((server.storage / ".temporary").iterdir()) == []


def test_start_removes_temporary_files(new_server):
    server = new_server(apps=(ALPHA,)).start()
    server.kill()
    left = server.storage / ".temporary" / "etilqs_0123456789abcdef"
    left.write_bytes(b"left")
    server.start()
    assert not left.exists()


@pytest.mark.sqlite
def test_backups_do_not_have_temporary_files(new_server, tmp_path):
    server = new_server(apps=(ALPHA,)).start()
    (server.storage / ".temporary" / "etilqs_0123456789abcdef").write_bytes(b"left")
    assert_succeeds(back_up(server, tmp_path / "backup"))
    assert not list((tmp_path / "backup").rglob("*etilqs*")) and not (tmp_path / "backup" / ".temporary").exists()
