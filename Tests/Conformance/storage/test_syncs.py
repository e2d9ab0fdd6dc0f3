"""An answer comes after the disk has what it promises: the kernel's calls, in their order, watched by strace.

Killing a server proves nothing here, because what it wrote survives it in the kernel's memory; a power cut does not
wait for that.
"""

import re
import shutil
import subprocess

import pytest
from client import ALPHA, eventually
from uploading import Tus

CALL = re.compile(r"^\d+ +(?:<\.\.\. )?(fsync|fdatasync|link|unlink|pwrite64|write|writev|sendto)\b")


@pytest.fixture
def trace(new_server, tmp_path):
    """Runs requests under strace and returns its lines from a mark on."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    server = new_server().start()
    # What the start had to write is written before this, and no sync of it is taken for that of a request.
    assert server.api().post("/1.1/classes/Earlier", json={}).status_code == 201
    log = tmp_path / "trace"
    calls = "trace=fsync,fdatasync,link,unlink,pwrite64,write,writev,sendto"
    tracer = subprocess.Popen(
        ["strace", "-f", "-yy", "-s", "32", "-e", calls, "-o", log, "-p", str(server.process.pid)],
        stderr=subprocess.PIPE, text=True,
    )
    first = tracer.stderr.readline()
    if "attached" not in first:
        tracer.wait(timeout=10)
        pytest.skip(f"strace may not attach here: {first.strip()}")
    yield server, log
    tracer.terminate()
    tracer.wait(timeout=10)
    tracer.stderr.close()


def lines_until_answer(log, answer):
    """The calls up to the one that sends the answer."""
    lines = []

    def has_answer():
        lines[:] = log.read_text(errors="replace").splitlines()
        return any(answer in line for line in lines)

    assert eventually(has_answer), "strace did not see the answer"
    end = next(i for i, line in enumerate(lines) if answer in line)
    return [line for line in lines[: end + 1] if CALL.match(line)]


def position(lines, pattern):
    found = [i for i, line in enumerate(lines) if re.search(pattern, line)]
    assert found, f"{pattern} is not among\n" + "\n".join(lines)
    return found[0]


def last_row_sync(lines):
    """The last sync of the app's rows; earlier ones can be those of its background work, which a start wakes."""
    wal = rf"f(data)?sync\(\d+<[^>]*{ALPHA.id}/lcfile.sqlite-wal>"
    return len(lines) - 1 - position(lines[::-1], wal)


def test_an_upload_is_answered_after_file_folder_and_row_are_synced(trace):
    server, log = trace
    assert server.api().store_raw(b"to be kept", "kept.txt").status_code == 201
    lines = lines_until_answer(log, "HTTP/1.1 201")
    written = position(lines, r"pwrite64\(\d+<[^>]*/staging/")
    named = position(lines, r"link\(.*/staging/.*/blobs/")
    file_synced, folder_synced = (
        next(i for i, line in enumerate(lines) if i > named and re.search(rf"f(data)?sync\(\d+<[^>]*{file}>", line))
        for file in ("/staging/[^>]*", "/blobs/..")
    )
    unstaged = position(lines, r"unlink\(.*/staging/")
    row_synced = last_row_sync(lines[:unstaged])
    assert written < named < min(file_synced, folder_synced)
    assert max(file_synced, folder_synced) < row_synced < unstaged < len(lines) - 1


def test_a_part_of_an_upload_is_answered_after_its_bytes_their_name_and_its_row_are_synced(trace):
    server, log = trace
    upload = Tus(server).create(20)
    assert upload.patch(0, b"first ten.").status_code == 204
    lines = lines_until_answer(log, "HTTP/1.1 204")
    written = position(lines, r"pwrite64\(\d+<[^>]*/staging/")
    bytes_synced, name_synced = (
        next(i for i, line in enumerate(lines) if i > written and re.search(rf"f(data)?sync\(\d+<[^>]*{file}>", line))
        for file in ("/staging/[^>]+", "/staging")
    )
    row_synced = last_row_sync(lines)
    assert written < bytes_synced < row_synced < len(lines) - 1
    assert name_synced < row_synced


def test_a_new_folder_of_blobs_is_synced_with_the_folder_above_it(trace):
    server, log = trace
    server.api().store_raw(b"first of its folder", "kept.txt")
    lines = lines_until_answer(log, "HTTP/1.1 201")
    row_synced = last_row_sync(lines[: position(lines, r"unlink\(.*/staging/")])
    for folder in ("/blobs", "/blobs/.."):
        assert position(lines, rf"f(data)?sync\(\d+<[^>]*{folder}>") < row_synced


def test_a_delete_is_answered_after_its_rows_are_synced_and_bytes_go_behind_them_and_before_the_rest(trace):
    server, log = trace
    id = server.api().store_raw(b"to be deleted", "gone.txt").json()["objectId"]
    lines_until_answer(log, "HTTP/1.1 201")
    assert server.api(master=True).delete(id).status_code == 200
    lines = lines_until_answer(log, "HTTP/1.1 200")
    wal = rf"f(data)?sync\(\d+<[^>]*{ALPHA.id}/lcfile.sqlite-wal>"
    start = position(lines, "HTTP/1.1 201") + 1
    assert position(lines[start:], wal) < len(lines) - start - 1

    def removal():
        """The calls from the answer to the worker's own transaction, which is the last of them."""
        calls = [line for line in log.read_text(errors="replace").splitlines() if CALL.match(line)][start:]
        place = -1
        for wanted in (r"unlink\(.*/blobs/", r"f(data)?sync\(\d+<[^>]*/blobs/..>", wal):
            place = next((i for i, line in enumerate(calls) if i > place and re.search(wanted, line)), None)
            if place is None:
                return None
        return calls

    calls = eventually(removal)
    assert calls, "the bytes stay, or the row goes before the folder is synced"
    assert position(calls, wal) < position(calls, r"unlink\(.*/blobs/")


@pytest.mark.parametrize("path, body, status", [
    ("classes/Kept", {"n": 1}, 201),
    ("batch", {"requests": [{"method": "POST", "path": "/1.1/classes/Kept", "body": {"n": 1}}]}, 200),
    ("batch/save", {"requests": [{"method": "POST", "path": "/1.1/classes/Kept", "body": {"__internalId": "a"}}]}, 200),
])
def test_a_change_of_objects_is_answered_after_its_row_is_synced(trace, path, body, status):
    server, log = trace
    assert server.api().post(f"/1.1/{path}", json=body).status_code == status
    lines = lines_until_answer(log, "HTTP/1.1 20")
    assert position(lines, rf"f(data)?sync\(\d+<[^>]*{ALPHA.id}/lcfile.sqlite-wal>") < len(lines) - 1
