"""The N-th system call of storage fails: an error is answered, nothing is lost, nothing is left (docs/storage-format.md).

`make soak` has all calls and all ways to fail; here are the most telling ones."""

from random import Random

import pytest
from backups import assert_succeeds, back_up
from client import ALPHA, Server
from failing_calls import FailingCalls
from swept_commands import Backup, Import, Restore, sweep
from swept_requests import Delete, Derivative, Download, Form, LargeUpload, Parts, Resumed, Upload, Verdict
from sweeps import SETTINGS, Sweep
from uploading import assert_file, must, noise

pytestmark = pytest.mark.long

GONE = ("EIO", True)


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    """A server whose calls can fail, and its switch."""
    yield from switched(tmp_path_factory.mktemp("failing"))


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """Another one, in which nothing that failed before is tried again: the next commit is that of the next request."""
    yield from switched(tmp_path_factory.mktemp("quiet"))


def switched(folder):
    calls = FailingCalls(folder / "control", folder / "storage")
    server = Server(folder, apps=(ALPHA,), **SETTINGS, **calls.environment).start()
    yield server, calls
    assert server.stop() == 0


# Requests

@pytest.mark.extended
@pytest.mark.parametrize("operation, ways, share", [
    (Upload, [("EIO", False)], 1), (Resumed, [("EIO", False)], 0.5), (Delete, [("EIO", False)], 0.5),
    (Upload, [("ENOSPC", False), ("EMFILE", False), ("short", False), ("EINTR", False), GONE], 0.2),
    (Resumed, [("ENOSPC", False), ("short", False), GONE], 0.1), (Parts, [("EIO", False), GONE], 0.2),
    (Form, [("EIO", False)], 0.2), (LargeUpload, [("EIO", False), ("short", False)], 0.2),
    (Delete, [("ENOSPC", False), GONE], 0.1), (Derivative, [("EIO", False), ("short", False), GONE], 0.2),
    (Download, [("EIO", False), ("short", False)], 1), (Verdict, [("EIO", False)], 0.1),
], ids=lambda value: value.name.replace(" ", "-") if isinstance(value, type) else None)
def test_request_with_a_failing_call(failing, operation, ways, share):
    server, calls = failing
    result = Sweep(server, calls).run(operation(server), ways, share)
    assert result.faults == []


# Commits

def fail_commit(calls, lasts=False):
    """The next sync of the database's log fails, or all further ones."""
    calls.begin("EIO", 1, lasts, kinds={"sync"}, of="lcfile.sqlite-wal")


@pytest.mark.few(1)
@pytest.mark.parametrize("lasts", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("operation", [Upload, Delete], ids=["upload", "delete"])
def test_change_whose_sync_failed_does_not_come_back_after_a_kill(quiet, operation, lasts):
    """The frames of the failed commit are whole in the log. If the disk fails on, they may count after a kill: then the
    change is there as a whole, bytes and record."""
    server, calls = quiet
    request = operation(server)
    for turn in range(1, 6):
        thing = request.prepare(turn)
        fail_commit(calls, lasts)
        answer = request.act(thing)
        if answer.status_code == 500:
            break
        # A commit of the server's own jobs has failed instead.
    assert answer.status_code == 500, answer.text
    server.kill()
    calls.end()
    server.start()
    sweep = Sweep(server, calls)
    sweep.at_rest("after a kill")
    assert sweep.faults == []
    if not lasts:
        request.check(thing, answer, False)


@pytest.mark.extended
def test_writes_go_on_after_a_failed_sync_and_survive(quiet):
    server, calls = quiet
    upload = Upload(server)
    fail_commit(calls)
    assert upload.act(upload.prepare(2)).status_code == 500
    calls.end()
    thing = upload.prepare(3)
    record = must(upload.act(thing), 201)
    server.kill()
    server.start()
    assert server.api().fetch(record["url"]).content == thing[1]


def test_server_on_a_disk_that_refuses_writes_reads_on_and_comes_back(failing):
    """What a remount to read-only does to calls; a real one cannot be taken back while files are open for writing."""
    server, calls = failing
    upload = Upload(server)
    thing = upload.prepare(1)
    record = must(upload.act(thing), 201)
    calls.begin("EROFS", 1, lasts=True)
    for _ in range(3):
        refused = upload.act(upload.prepare(2))
        assert (refused.status_code, refused.json()["error"]) == (503, "The server's storage is read-only.")
        assert upload.master.delete(record["objectId"]).status_code in (500, 503)
        assert server.api().fetch(record["url"]).content == thing[1]
        assert must(server.api().get(f"/1.1/files/{record['objectId']}"))["name"] == thing[0]
    assert calls.end()[1] > 0
    assert_file(server.api(), must(upload.act(upload.prepare(3)), 201)["objectId"], noise(Upload.size, 3))
    assert upload.master.delete(record["objectId"]).status_code == 200


# Commands

@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """The storage folder of a stopped server with some files."""
    server = Server(tmp_path_factory.mktemp("filled"), apps=(ALPHA,)).start()
    for number in range(3):
        server.api().store(noise(2000, number), name=f"{number}.bin")
    assert server.stop() == 0
    return server


@pytest.mark.extended
def test_backup_with_a_failing_call(filled, tmp_path):
    calls = FailingCalls(tmp_path / "control", filled.storage, tmp_path / "backup", tmp_path / "backup.partial")
    steps, faults = sweep(Backup(tmp_path, calls, filled.storage), [("EIO", False)], Random(23), 0.04)
    assert faults == [] and steps > 2


@pytest.mark.extended
def test_restore_with_a_failing_call(filled, tmp_path):
    assert_succeeds(back_up(filled, tmp_path / "whole"))
    calls = FailingCalls(tmp_path / "control", tmp_path / "whole", tmp_path / "restored")
    steps, faults = sweep(Restore(tmp_path, calls, tmp_path / "whole"), [("EIO", False)], Random(23), 0.04)
    assert faults == [] and steps > 2


@pytest.mark.extended
def test_restore_that_cannot_read_a_folder_to_its_end(filled, tmp_path):
    """An error of `readdir` looks like the end of the folder: a restore would succeed without the rest."""
    assert_succeeds(back_up(filled, tmp_path / "whole"))
    calls = FailingCalls(tmp_path / "control", tmp_path / "whole", tmp_path / "restored")
    steps, faults = sweep(Restore(tmp_path, calls, tmp_path / "whole", {"list"}), [("EIO", False)], Random(23), 0.5)
    assert faults == [] and steps > 2


@pytest.mark.extended
def test_backup_goes_on_after_half_of_a_write(filled, tmp_path):
    calls = FailingCalls(tmp_path / "control", filled.storage, tmp_path / "backup", tmp_path / "backup.partial")
    steps, faults = sweep(Backup(tmp_path, calls, filled.storage, {"write"}), [("short", False)], Random(23), 0.05)
    assert faults == [] and steps > 2


@pytest.mark.extended
def test_restore_goes_on_after_a_signal(filled, tmp_path):
    assert_succeeds(back_up(filled, tmp_path / "whole"))
    calls = FailingCalls(tmp_path / "control", tmp_path / "whole", tmp_path / "restored")
    operation = Restore(tmp_path, calls, tmp_path / "whole", {"open", "create"})
    steps, faults = sweep(operation, [("EINTR", False)], Random(23), 0.1)
    assert faults == [] and steps > 2


@pytest.mark.extended
def test_import_with_a_failing_call(failing, tmp_path):
    server, calls = failing
    steps, faults = sweep(Import(tmp_path, calls, server), [("EIO", False)], Random(23), 0.05)
    assert faults == [] and steps > 2
