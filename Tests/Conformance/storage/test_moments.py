"""lcfile restore --at: every moment of a server that ships its changes comes back after the machine is lost."""

import json
import shutil
from datetime import datetime

import pytest
from backups import INCOMPLETE, STORAGE, assert_succeeds, lcfile, restore
from client import ALPHA, eventually

pytestmark = pytest.mark.long


def generations(repository):
    lines = assert_succeeds(lcfile("backup", "--to", repository, "--list", "--json")).splitlines()
    return [row for row in map(json.loads, lines) if (row["kind"], row["app"]) == ("generation", ALPHA.id)]


def moment_with(api, repository):
    """The moment of a shipped state that has everything that was answered before the call."""
    # Later than all answers, so a segment that ends behind it has what they told.
    mark = api.store(b"mark", name="mark.txt")["createdAt"]

    def shipped():
        if not (repository / "lcfile-backup.json").exists():
            return None
        rows = generations(repository)
        return rows[-1]["until"] if rows and rows[-1]["until"] >= mark else None

    moment = eventually(shipped, 60)
    assert moment, "nothing was shipped"
    return moment


def contents(api, names):
    """The bytes of the files with these names, by name."""
    rows = api.get("/1.1/files?limit=1000").json()["results"]
    return {row["name"]: api.fetch(row["url"]).content for row in rows if row["name"] in names}


def test_two_moments_of_a_killed_server_are_restored_from_two_generations(new_server, tmp_path):
    repository = tmp_path / "repository"
    server = new_server(LCFILE_BACKUP_TARGET=str(repository), LCFILE_BACKUP_INTERVAL="1").start()
    api, master = server.api(), server.api(master=True)
    first = {f"first-{number}.txt": b"first %d" % number for number in range(5)}
    records = [api.store(data, name=name) for name, data in first.items()]
    earlier = moment_with(api, repository)
    assert master.delete(records[0]["objectId"]).status_code == 200
    server.kill()

    server.start()
    second = {f"second-{number}.txt": bytes([number]) * 100_000 for number in range(5)}
    for name, data in second.items():
        api.store(data, name=name)
    moment_with(api, repository)
    server.kill()
    shutil.rmtree(server.storage)
    assert len(generations(repository)) >= 2

    assert_succeeds(lcfile("backup", "--to", repository, "--verify", "--read-data"))
    names = first.keys() | second.keys()
    del first["first-0.txt"]
    for arguments, expected in [((), first | second), (("--at", earlier), first | {"first-0.txt": b"first 0"})]:
        storage = tmp_path / f"storage-{len(arguments)}"
        said = assert_succeeds(restore(repository, storage, *arguments))
        assert f"Restored generation {ALPHA.id}" in said
        restored = new_server(storage=storage).start()
        assert contents(restored.api(master=True), names) == expected
        restored.stop()


@pytest.mark.extended
def test_missing_segment_is_named_with_the_moment_before_it(new_server, tmp_path):
    repository = tmp_path / "repository"
    server = new_server(LCFILE_BACKUP_TARGET=str(repository), LCFILE_BACKUP_INTERVAL="1").start()
    api = server.api()
    api.store(b"first", name="first.txt")
    before = moment_with(api, repository)
    api.store(b"second", name="second.txt")
    moment_with(api, repository)
    # A later segment, without which the last could not be missed.
    api.store(b"third", name="third.txt")
    moment_with(api, repository)
    server.kill()
    segments = sorted((repository / ALPHA.id / "wal").rglob("*.segment"))
    lost = next(index for index, path in enumerate(segments) if milliseconds(path) > time_of(before))
    segments[lost].unlink()
    result = restore(repository, tmp_path / "storage")
    assert result.returncode == STORAGE
    assert f"segment {lost + 1} of generation {ALPHA.id}" in result.stderr
    assert f"--at {before} restores the state before it" in result.stderr
    assert lcfile("backup", "--to", repository, "--verify").returncode == STORAGE
    assert_succeeds(restore(repository, tmp_path / "storage", "--at", before))
    restored = new_server(storage=tmp_path / "storage").start()
    names = {"first.txt", "second.txt", "third.txt"}
    assert contents(restored.api(master=True), names) == {"first.txt": b"first"}


@pytest.mark.extended
def test_lost_list_of_blobs_is_reported_and_stops_a_retention(new_server, tmp_path):
    repository = tmp_path / "repository"
    server = new_server(LCFILE_BACKUP_TARGET=str(repository), LCFILE_BACKUP_INTERVAL="1").start()
    api = server.api()
    api.store(b"first", name="first.txt")
    moment_with(api, repository)
    api.store(b"second", name="second.txt")
    moment_with(api, repository)
    server.kill()
    verify = ("backup", "--to", repository, "--verify")
    assert_succeeds(lcfile(*verify))
    lost = sorted((repository / ALPHA.id / "wal").rglob("*.blobs"))[-1]
    name = lost.read_text().split()[0]
    lost.unlink()
    assert lcfile(*verify).returncode == STORAGE
    forgotten = lcfile("backup", "--to", repository, "--forget", "--keep-last", "1")
    assert forgotten.returncode == STORAGE and "no blob was removed" in forgotten.stderr
    (repository / ALPHA.id / "blobs" / name[:2] / name).unlink()
    assert restore(repository, tmp_path / "storage").returncode == STORAGE
    assert restore(repository, tmp_path / "storage", "--leave-out-damaged").returncode == INCOMPLETE


def milliseconds(segment):
    return int(segment.stem.split("-")[1])


def time_of(moment):
    return round(datetime.fromisoformat(moment).timestamp() * 1000)
