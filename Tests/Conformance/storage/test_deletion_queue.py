"""The bytes of deleted files: they go behind the answer, and whatever happens in between, in the end."""

import contextlib
import shutil
import signal
import sqlite3
import subprocess

import pytest
from backups import assert_succeeds, back_up, blob_of, restore
from cases import count
from client import ALPHA, assert_refused, eventually, queued
from data import batch
from full_disks import metric
from hostile import forget_peak, memory
from kept import files as derivatives
from request_log import log_so_far
from uploading import ask

pytestmark = pytest.mark.long

LABEL = f'{{app="{ALPHA.id}"}}'


@pytest.fixture
def own(new_server):
    return new_server().start()


@contextlib.contextmanager
def obstructed(server, path):
    """A folder in the blob's place, which cannot be removed as a file is; then the blob again."""
    aside = path.with_name("aside")
    path.rename(aside)
    path.mkdir()
    try:
        yield
    finally:
        # A server that looked between the two would find nothing to remove.
        server.process.send_signal(signal.SIGSTOP)
        path.rmdir()
        aside.rename(path)
        server.process.send_signal(signal.SIGCONT)


def rows(server, tmp_path):
    """How many rows wait in the database of a server that does not run; its files stay as they are."""
    copy = tmp_path / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for path in (server.storage / ALPHA.id).glob("lcfile.sqlite*"):
        shutil.copy(path, copy)
    with contextlib.closing(sqlite3.connect(copy / "lcfile.sqlite")) as database:
        number, = database.execute("SELECT number FROM class WHERE name = '_Deletion'").fetchone()
        return database.execute(f"SELECT count(*) FROM class_{number}").fetchone()[0]


@pytest.mark.smoke
def test_bytes_and_derivatives_go_behind_the_answer(own, rocket):
    record = own.api().store(rocket)
    assert own.api().fetch(f"{record['url']}?imageView/2/w/20").status_code == 200
    assert eventually(lambda: derivatives(own))
    assert own.api(master=True).delete(record["objectId"]).status_code == 200
    assert own.api().fetch(record["url"]).status_code == 404
    assert own.api().fetch(f"{record['url']}?imageView/2/w/20").status_code == 404
    assert (own.blobs_at_rest(), derivatives(own)) == ([], [])
    assert eventually(lambda: metric(own, "lcfile_deletions_removed_total", LABEL) == 1)
    assert metric(own, "lcfile_deletions_waiting", LABEL) == 0
    assert metric(own, "lcfile_deletions_failed_total", LABEL) == 0


@pytest.mark.extended
def test_bytes_that_cannot_be_removed_are_tried_again_and_keep_no_others(own):
    api, master = own.api(), own.api(master=True)
    stuck, other = api.store(b"stuck", name="a.txt"), api.store(b"other", name="b.txt")
    assert api.fetch(stuck["url"]).content == b"stuck"
    with obstructed(own, blob_of(stuck, own.storage)):
        for record in (stuck, other):
            assert master.delete(record["objectId"]).status_code == 200
            assert api.fetch(record["url"]).status_code == 404
        assert eventually(lambda: not blob_of(other, own.storage).exists())
        # The second attempt: the first pause is a second.
        assert eventually(lambda: metric(own, "lcfile_deletions_failed_total", LABEL) >= 2)
        assert metric(own, "lcfile_deletions_waiting", LABEL) == queued(master) == 1
        line, = (line for line in log_so_far(own).splitlines() if "The bytes of a deleted file cannot be removed" in line)
        assert "Is a directory" in line and stuck["objectId"] in line and stuck["key"] not in line
    assert eventually(lambda: not blob_of(stuck, own.storage).exists(), 20)
    assert eventually(lambda: queued(master) == 0)
    assert eventually(lambda: "The bytes of all deleted files are removed" in own.errors)


@pytest.mark.few(1)
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_restart_goes_on(own, tmp_path, end):
    record = own.api().store(b"bytes", name="a.txt")
    with obstructed(own, blob_of(record, own.storage)):
        assert own.api(master=True).delete(record["objectId"]).status_code == 200
        assert eventually(lambda: metric(own, "lcfile_deletions_failed_total", LABEL))
        getattr(own, end)()
        assert rows(own, tmp_path) == 1
    own.start()
    assert own.blobs_at_rest() == []


MOMENTS = {
    "the rows are stored": ("unlink", lambda blob: blob, True),
    "the bytes are removed": ("fsync", lambda blob: blob.parent, False),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("moment", MOMENTS)
def test_kill_behind_a_step_loses_no_removal(own, tmp_path, moment):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    call, place, has_bytes = MOMENTS[moment]
    record, kept = own.api().store(b"bytes", name="a.txt"), own.api().store(b"kept", name="b.txt")
    blob = blob_of(record, own.storage)
    tracer = subprocess.Popen(
        ["strace", "-f", "-P", place(blob), "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL",
         "-o", "/dev/null", "-p", str(own.process.pid)],
        stderr=subprocess.PIPE, text=True,
    )
    try:
        # A line of its own for the path comes first.
        lines = iter(tracer.stderr.readline, "")
        if not any("attached" in line for line in lines):
            pytest.skip("strace may not attach here")
        # The answer may be cut off by the kill.
        with contextlib.suppress(OSError):
            own.api(master=True).delete(record["objectId"])
        assert eventually(lambda: own.process.poll() == -signal.SIGKILL), "the server was not killed"
    finally:
        tracer.terminate()
        tracer.wait(timeout=10)
        tracer.stderr.close()
    assert rows(own, tmp_path) == 1
    assert blob.exists() == has_bytes
    own.start()
    assert_refused(own.api().get(f"/1.1/files/{record['objectId']}"), 404, 101)
    assert own.blobs_at_rest() == [blob_of(kept, own.storage)]
    assert own.api().fetch(kept["url"]).content == b"kept"


@pytest.mark.extended
def test_key_of_a_deleted_file_is_free_and_the_new_bytes_stay(own):
    api, master = own.api(), own.api(master=True)
    url = f"{own.url}/logo.png"
    for number in range(20):
        target = ask(master, key="logo.png")
        assert target.put(b"%d" % number).status_code == 200
        assert api.fetch(url).content == b"%d" % number
        if number < 19:
            assert master.delete(target.id).status_code == 200
    assert len(own.blobs_at_rest()) == 1
    own.kill()
    own.start()
    assert len(own.blobs_at_rest()) == 1
    assert own.api().fetch(url).content == b"19"


@pytest.mark.extended
def test_key_waits_for_bytes_that_cannot_be_removed(own):
    master = own.api(master=True)
    first = ask(master, key="logo.png")
    assert first.put(b"first").status_code == 200
    blob = own.blobs()[0]
    with obstructed(own, blob):
        assert master.delete(first.id).status_code == 200
        second = ask(master, key="logo.png")
        assert second.put(b"second").status_code == 500
    assert second.put(b"second").status_code == 200
    own.kill()
    own.start()
    assert own.blobs_at_rest() == [blob]
    assert own.api().fetch(f"{own.url}/logo.png").content == b"second"


@pytest.mark.extended
def test_backup_leaves_queue_and_bytes_behind(own, new_server, tmp_path):
    master = own.api(master=True)
    gone, kept = own.api().store(b"gone", name="a.txt"), own.api().store(b"kept", name="b.txt")
    with obstructed(own, blob_of(gone, own.storage)):
        assert master.delete(gone["objectId"]).status_code == 200
        assert queued(master) == 1
        assert " 1 file" in assert_succeeds(back_up(own, tmp_path / "backup"))
    assert_succeeds(restore(tmp_path / "backup", tmp_path / "storage"))
    restored = new_server(storage=tmp_path / "storage").start()
    assert queued(restored.api(master=True)) == 0
    assert restored.blobs() == [blob_of(kept, restored.storage)]
    assert "deletion" not in log_so_far(restored)


@pytest.mark.extended
def test_hundreds_of_deletes_in_a_batch_take_no_memory(own):
    api, master = own.api(), own.api(master=True)
    form = [("file", ("x.txt", b"x"))] * 100
    ids = [record["objectId"] for _ in range(count(4, 10)) for record in api.form(*form).json()["results"]]
    requests = [{"method": "DELETE", "path": f"/1.1/files/{id}"} for id in ids]
    # The same requests once before, of files that are not there, so that what a batch takes is taken.
    assert batch(master, *[{"method": "DELETE", "path": f"/1.1/files/{id[::-1]}"} for id in ids]).status_code == 200
    base = memory(own)
    forget_peak(own)
    assert batch(master, *requests).json() == [{"success": {}}] * len(ids)
    assert own.blobs_at_rest() == []
    assert memory(own, "VmHWM") - base < len(ids) * (16 << 10)
