"""lcfile backup --to: snapshots of a server that works are consistent, whole or not there, and come back."""

import json
import subprocess
import threading

import pytest
from backups import INCOMPLETE, STORAGE, assert_succeeds, blob_of, command, lcfile, restore
from client import ALPHA, TIMEOUT, clean_environment, eventually
from failing_calls import FailingCalls, state

pytestmark = pytest.mark.long


def back_up(server, repository, *arguments):
    return lcfile("backup", "--storage", server.storage, "--to", repository, *arguments)


def verify(repository, *arguments):
    return lcfile("backup", "--to", repository, "--verify", *arguments)


def snapshots(repository):
    lines = assert_succeeds(lcfile("backup", "--to", repository, "--list", "--json")).splitlines()
    return [json.loads(line) for line in lines]


def content_of(number):
    return b"%d " % number * (number % 700)


@pytest.mark.extended
def test_snapshots_of_a_server_that_works_are_restored_with_all_that_was_answered(new_server, tmp_path):
    server, repository = new_server().start(), tmp_path / "repository"
    stored, stop = [], threading.Event()

    def upload():
        api = server.api()
        while not stop.is_set():
            number = len(stored)
            stored.append(api.store(content_of(number), name=f"{number}.txt"))

    thread = threading.Thread(target=upload, daemon=True)
    thread.start()
    try:
        assert eventually(lambda: len(stored) > 20)
        for _ in range(3):
            answered = len(stored)
            assert_succeeds(back_up(server, repository))
    finally:
        stop.set()
        thread.join(timeout=TIMEOUT)
    assert [row["app"] for row in snapshots(repository)].count(ALPHA.id) == 3
    assert_succeeds(verify(repository, "--read-data"))
    assert_succeeds(restore(repository, tmp_path / "storage"))
    restored = new_server(storage=tmp_path / "storage").start().api()
    for number, record in enumerate(stored[:answered]):
        assert restored.fetch(restored.get(f"/1.1/files/{record['objectId']}").json()["url"]).content == content_of(number)


@pytest.mark.extended
def test_killed_backup_leaves_no_snapshot_and_the_next_one_goes_on(new_server, tmp_path):
    server, repository = new_server().start(), tmp_path / "repository"
    api = server.api()
    records = [api.store(content_of(number), name=f"{number}.txt") for number in range(1, 6)]
    # Blobs are stored in the order of their names, so there are some before it.
    last = max(blob_of(record, server.storage).name for record in records)
    calls = FailingCalls(tmp_path / "calls", server.storage)
    calls.stop_at("open", last)
    process = subprocess.Popen(
        command("backup", "--storage", server.storage, "--to", repository), env=clean_environment(**calls.environment),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    assert eventually(lambda: state(process) == "T")
    assert any((repository / ALPHA.id / "blobs").rglob("*.*"))
    process.kill()
    process.wait(timeout=TIMEOUT)
    assert snapshots(repository) == []
    assert_succeeds(back_up(server, repository, "--keep-last", "1"))
    assert_succeeds(verify(repository, "--read-data"))


@pytest.mark.extended
def test_retention_leaves_the_newest_snapshots(new_server, tmp_path):
    server, repository = new_server().start(), tmp_path / "repository"
    server.api().store(b"bytes", name="a.txt")
    for _ in range(3):
        assert_succeeds(back_up(server, repository))
    before = snapshots(repository)
    said = assert_succeeds(lcfile("backup", "--to", repository, "--keep-last", "2", "--dry-run"))
    assert f"Would remove snapshot {ALPHA.id}" in said
    assert snapshots(repository) == before
    assert_succeeds(back_up(server, repository, "--keep-last", "2"))
    times = [row["time"] for row in snapshots(repository) if row["app"] == ALPHA.id]
    assert len(times) == 2 and times[0] == [row["time"] for row in before if row["app"] == ALPHA.id][-1]
    # The day after which blobs go has not passed.
    assert_succeeds(verify(repository))


@pytest.mark.extended
def test_damage_is_named_with_its_exit_code(new_server, tmp_path):
    server, repository = new_server().start(), tmp_path / "repository"
    record = server.api().store(b"bytes", name="a.txt")
    assert_succeeds(back_up(server, repository))
    (blob,) = (repository / ALPHA.id / "blobs").rglob(f"{blob_of(record, server.storage).name}.*")
    blob.write_bytes(b"BYTES")
    assert_succeeds(verify(repository))
    result = verify(repository, "--read-data")
    assert result.returncode == INCOMPLETE
    assert record["objectId"] in result.stderr
    refused = restore(repository, tmp_path / "storage")
    assert refused.returncode == STORAGE and record["objectId"] in refused.stderr
    assert not (tmp_path / "storage" / ALPHA.id).exists()
    # The next backup stores again what is gone.
    blob.unlink()
    assert "1 new file" in assert_succeeds(back_up(server, repository))
    assert_succeeds(verify(repository, "--read-data"))


@pytest.mark.disk
def test_restore_of_an_incomplete_snapshot_says_what_it_lacks(new_server, tmp_path):
    server, repository = new_server().start(), tmp_path / "repository"
    first, second = (server.api().store(data, name="a.txt") for data in (b"first", b"second"))
    assert_succeeds(back_up(server, repository))
    blob_of(first, server.storage).unlink()
    for blob in (repository / ALPHA.id / "blobs").rglob(f"{blob_of(first, server.storage).name}.*"):
        blob.unlink()
    assert back_up(server, repository).returncode == INCOMPLETE
    result = restore(repository, tmp_path / "storage")
    assert result.returncode == INCOMPLETE
    assert "1 file" in result.stdout and "the backup lacks 1 file," in result.stderr
    assert "the newest state without damage is of " in result.stderr


@pytest.mark.few(2)
@pytest.mark.parametrize("arguments", [
    ("--list",), ("--verify",), ("--forget", "--keep-last", "1"), ("--dry-run", "--keep-last", "1"),
], ids=["list", "verify", "forget", "dry-run"])
def test_only_a_backup_creates_the_folder_of_a_repository(tmp_path, arguments):
    result = lcfile("backup", "--to", tmp_path / "typo", *arguments)
    assert result.returncode == STORAGE and str(tmp_path / "typo") in result.stderr
    assert not (tmp_path / "typo").exists()


@pytest.mark.few(2)
@pytest.mark.parametrize("arguments", [
    ("backup", "d", "--to", "r"), ("backup", "--verify"), ("backup", "--to", "r", "--read-data"),
    ("backup", "--to", "r", "--keep-last", "0"), ("backup", "--to", "r", "--dry-run"),
    ("backup", "--to", "r", "--list", "--verify"), ("backup", "--to", "r", "--json"),
    ("backup", "--to", "r", "--verify", "--read-data", "--subset", "3/2"), ("restore", "d", "--at", "yesterday"),
])
def test_wrong_usage(arguments, tmp_path):
    result = lcfile(*arguments)
    assert result.returncode == 2
