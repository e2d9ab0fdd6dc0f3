"""Uploads over the limit and disks that are full: a clear answer, nothing left, and the server goes on."""

import hashlib
import json
import subprocess

import pytest
from client import LAST_CHUNK, Server, assert_refused, chunk, credentials, eventually, head

LIMIT = 1 << 20
FORM = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x.bin"\r\n\r\n'
FORM_END = b"\r\n--b--\r\n"
FORM_TYPE = {"Content-Type": "multipart/form-data; boundary=b"}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server that takes files of up to a megabyte."""
    server = Server(tmp_path_factory.mktemp("small"), LCFILE_UPLOADS_MAX_SIZE="1MB").start()
    yield server
    assert server.stop() == 0


@pytest.fixture
def nothing_is_kept(small):
    before = small.api().count()
    yield
    assert eventually(lambda: small.staged() == []), small.staged()
    assert small.api().count() == before


def test_file_of_exactly_the_limit_is_taken(small):
    assert small.api().store(b"x" * LIMIT, name="x.bin")["metaData"]["size"] == LIMIT
    assert small.api().store_raw(b"x" * LIMIT, "x.bin").status_code == 201


@pytest.mark.usefixtures("nothing_is_kept")
@pytest.mark.parametrize("size", [LIMIT + 1, 4 * LIMIT])
def test_raw_body_over_the_limit(small, size):
    assert_refused(small.api().store_raw(b"x" * size, "x.bin"), 413, 413, "1048576")


@pytest.mark.usefixtures("nothing_is_kept")
@pytest.mark.parametrize("size", [LIMIT + 1, 4 * LIMIT])
def test_form_over_the_limit(small, size):
    assert_refused(small.api().form(("file", ("x.bin", b"x" * size))), 413, 413, "1048576")


@pytest.mark.usefixtures("nothing_is_kept")
def test_second_file_over_the_limit_refuses_the_whole_form(small):
    response = small.api().form(("file", ("a", b"a")), ("file", ("x.bin", b"x" * (LIMIT + 1))))
    assert_refused(response, 413, 413, "1048576")


@pytest.mark.usefixtures("nothing_is_kept")
def test_announced_size_over_the_limit_is_refused_before_the_body(small):
    with small.raw() as connection:
        connection.send(head("POST", "/1.1/files/x.bin", credentials() | {"Content-Length": 1 << 40}))
        assert connection.answer().status == 413


@pytest.mark.usefixtures("nothing_is_kept")
def test_chunked_body_over_the_limit(small):
    with small.raw() as connection:
        connection.send(head("POST", "/1.1/files/x.bin", credentials() | {"Transfer-Encoding": "chunked"}))
        connection.send(chunk(b"x" * LIMIT) + chunk(b"x") + LAST_CHUNK)
        answer = connection.answer()
        assert (answer.status, json.loads(answer.content)["code"]) == (413, 413)


@pytest.mark.usefixtures("nothing_is_kept")
def test_chunked_form_over_the_limit(small):
    with small.raw() as connection:
        headers = credentials() | FORM_TYPE | {"Transfer-Encoding": "chunked"}
        connection.send(head("POST", "/1.1/files", headers))
        connection.send(chunk(FORM + b"x" * (LIMIT + 1) + FORM_END) + LAST_CHUNK)
        answer = connection.answer()
        assert (answer.status, json.loads(answer.content)["code"]) == (413, 413)


@pytest.mark.usefixtures("nothing_is_kept")
def test_endless_chunked_body_is_answered_before_its_end(small):
    with small.raw() as connection:
        connection.send(head("POST", "/1.1/files/x.bin", credentials() | {"Transfer-Encoding": "chunked"}))
        connection.send(chunk(b"x" * (LIMIT + 1)))
        assert connection.answer().status == 413


# A full disk

@pytest.fixture
def full(new_server, tmp_path):
    """A server on a disk of 8 MB that is empty, but for the server's own files."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"this machine does not let tests mount a small disk: {mounted.stderr.strip()}")
    try:
        server = new_server(storage=disk / "storage", LCFILE_UPLOADS_SWEEP_INTERVAL="1").start()
        yield server
        server.stop()
    finally:
        subprocess.run(["umount", disk], check=True)


def noise(size):
    return hashlib.shake_128(b"noise").digest(size)


def fill(disk):
    """Writes until nothing more fits; returns the file."""
    filler = disk / "filler"
    with open(filler, "wb", buffering=0) as file:
        try:
            for _ in range(10_000):
                file.write(b"x" * 4096)
        except OSError:
            pass
    return filler


@pytest.mark.disk
@pytest.mark.parametrize("dialect", ["form", "raw", "chunked"])
def test_full_disk_is_said_and_the_staged_file_goes(full, dialect):
    api, data = full.api(), noise(12 << 20)
    response = {
        "form": lambda: api.form(("file", ("x.bin", data))),
        "raw": lambda: api.store_raw(data, "x.bin"),
        "chunked": lambda: api.store_raw(iter([data[:3 << 20], data[3 << 20:]]), "x.bin"),
    }[dialect]()
    assert_refused(response, 507, 507, "full")
    assert eventually(lambda: full.staged() == []), full.staged()
    assert full.blobs() == []
    assert api.count() == 0


@pytest.mark.disk
def test_server_goes_on_after_a_full_disk(full):
    api = full.api()
    assert api.store_raw(noise(12 << 20), "x.bin").status_code == 507
    record = api.store(b"fits", name="x.txt")
    assert api.fetch(record["url"]).content == b"fits"


@pytest.mark.disk
def test_first_file_of_a_form_goes_with_the_second_that_does_not_fit(full):
    api = full.api()
    response = api.form(("file", ("a", b"a")), ("file", ("b", noise(12 << 20))))
    assert_refused(response, 507, 507, "full")
    assert eventually(lambda: full.staged() == []), full.staged()
    assert (api.count(), full.blobs()) == (0, [])


@pytest.mark.sqlite
def test_disk_without_room_for_the_row_is_said_as_full(full):
    api = full.api()
    filler = fill(full.storage.parent)
    assert_refused(api.store_raw(b"", "x.bin"), 507, 507, "full")
    filler.unlink()
    # A commit that failed with its database can be undecided, which a sweep decides.
    assert eventually(lambda: (full.staged(), full.blobs()) == ([], []))
    assert api.count() == 0
    assert api.store(b"fits", name="x.txt")["metaData"]["size"] == 4
