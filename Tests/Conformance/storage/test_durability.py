"""What was answered is kept, whenever the server is killed."""

import hashlib
import threading

import pytest
import requests
from client import ALPHA, Server, chunk, credentials, eventually, head

ROUNDS = 3
THREADS = 4
MOST_UPLOADS = 2000


def bytes_of(round, thread, number):
    size = (number * 37_813 + thread * 7_001) % 300_000
    return hashlib.shake_128(f"{round}/{thread}/{number}".encode()).digest(size)


def upload_until_it_dies(server, round, thread, answered, refused):
    """Uploads one file after the other; notes each that was answered with 201."""
    api = server.api()
    for number in range(MOST_UPLOADS):
        data = bytes_of(round, thread, number)
        try:
            if number % 2:
                response = api.form(("file", (f"{number}.bin", data)))
            else:
                response = api.store_raw(data, f"{number}.bin")
            # The server may die in the middle of an answer, which then is none.
            record = response.json()
        except requests.RequestException:
            return
        if response.status_code == 201:
            answered.append((record, hashlib.sha256(data).digest()))
        else:
            refused.append(response.text)


@pytest.fixture(scope="module")
def survivor(tmp_path_factory):
    """A server that was killed in the middle of uploads several times and runs again, with what it had answered."""
    server = Server(tmp_path_factory.mktemp("killed"))
    answered, refused, staged = [], [], []
    try:
        for round in range(ROUNDS):
            server.start()
            staged.append(server.staged())
            before = len(answered)
            threads = [
                threading.Thread(target=upload_until_it_dies, args=(server, round, number, answered, refused), daemon=True)
                for number in range(THREADS)
            ]
            for thread in threads:
                thread.start()
            assert eventually(lambda: len(answered) >= before + 25, 20), "uploads do not get on"
            server.kill()
            for thread in threads:
                thread.join(timeout=20)
                assert not thread.is_alive()
        server.start()
        staged.append(server.staged())
        yield server, answered, refused, staged
        assert server.stop() == 0
    finally:
        server.stop()


@pytest.mark.extended
def test_every_answered_upload_is_there_with_equal_bytes(survivor):
    server, answered, _, _ = survivor
    api = server.api()
    assert len(answered) >= ROUNDS * 25
    for record, digest in answered:
        assert api.get(f"/1.1/files/{record['objectId']}").json() == record
        assert hashlib.sha256(api.fetch(record["url"]).content).digest() == digest


def test_every_listed_record_has_its_bytes(survivor):
    server, answered, _, _ = survivor
    api = server.api()
    records = []
    for skip in range(0, 10_000, 1000):
        page = api.get(f"/1.1/classes/_File?limit=1000&skip={skip}").json()["results"]
        records += page
        if not page:
            break
    assert len(records) >= len(answered)
    for record in records:
        content = api.fetch(record["url"]).content
        assert len(content) == record["metaData"]["size"]
        assert hashlib.md5(content).hexdigest() == record["metaData"]["_checksum"]


def test_no_upload_was_refused_before_the_kill(survivor):
    assert survivor[2] == []


def test_staging_is_empty_after_each_start(survivor):
    assert survivor[3] == [[]] * (ROUNDS + 1)


@pytest.mark.smoke
def test_killed_upload_leaves_nothing(new_server):
    server = new_server().start()
    with server.raw() as connection:
        connection.send(head("POST", "/1.1/files/x.bin", credentials() | {"Transfer-Encoding": "chunked"}))
        connection.send(chunk(b"x" * 3_000_000))
        assert eventually(lambda: sum(path.stat().st_size for path in server.staged()) > 0)
        server.kill()
    server.start()
    assert (server.staged(), server.blobs(ALPHA), server.api().count()) == ([], [], 0)
