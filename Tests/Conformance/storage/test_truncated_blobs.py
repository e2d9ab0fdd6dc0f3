"""Files that lost their end on the disk: a clear answer or a broken connection, never a busy loop."""

import os
import re

import pytest
import requests
from client import ROCKET, TIMEOUT, eventually
from hostile import is_idle, processor

SIZE = 20 << 20


def failed_reads(server):
    text = requests.get(f"http://127.0.0.1:{server.metrics_port}/metrics", timeout=TIMEOUT).text
    found = re.search(r"^lcfile_failed_reads_total (\S+)$", text, re.M)
    return float(found.group(1)) if found else 0


def log_lines(server):
    return [line for line in server.errors.splitlines() if " error lcfile" in line]


@pytest.fixture
def own(new_server):
    # The requests of the test find the damage, not a round of the scrubber.
    server = new_server(LCFILE_SCRUB_DAYS="0").start()
    yield server
    # SIGTERM ends it, whatever was truncated.
    assert server.stop() == 0


def stored(server, data, name):
    """A file's URL and the path of its blob."""
    before = set(server.blobs())
    url = server.api().store(data, name=name)["url"]
    blob, = set(server.blobs()) - before
    return url, blob


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [100, SIZE])
@pytest.mark.parametrize("left", [0, 50])
def test_blob_that_was_cut_off_before_it_is_opened(own, size, left):
    url, blob = stored(own, b"x" * size, "x.bin")
    os.truncate(blob, left)
    api = own.api()
    for headers in ({}, {"Range": "bytes=0-9"}, {"Range": "bytes=60-"}):
        before, lines = failed_reads(own), len(log_lines(own))
        response = api.fetch(url, **headers)
        assert response.status_code == 500
        assert response.json() == {"code": 1, "error": "The stored file cannot be read."}
        assert eventually(lambda: failed_reads(own) == before + 1)
        assert eventually(lambda: len(log_lines(own)) == lines + 1)
    # The server reads the blob, and then refuses the file without opening it.
    assert eventually(lambda: api.fetch(url, "HEAD").status_code == 500)
    assert own.is_live() and not own.is_healthy()


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [100, 1 << 20, SIZE])
def test_blob_that_is_cut_off_while_it_is_open(own, size):
    url, blob = stored(own, b"x" * size, "x.bin")
    api = own.api()
    assert len(api.fetch(url).content) == size
    os.truncate(blob, 50)
    spent, before, lines = processor(own), failed_reads(own), len(log_lines(own))
    with own.raw() as connection:
        # The head may be out before the end is missed; then the connection breaks off.
        connection.send(f"GET {url[len(own.url):]} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        received = b""
        while piece := connection.socket.recv(1 << 16):
            received += piece
    assert received.endswith(b"x" * 50) and len(received) < 2000
    assert eventually(lambda: failed_reads(own) == before + 1)
    assert eventually(lambda: len(log_lines(own)) == lines + 1)
    # Opened anew, and found out before the head.
    assert api.fetch(url).status_code == 500
    assert api.fetch(url, Range="bytes=0-9").status_code == 500
    # The server reads the blob, and then refuses the file without opening it.
    assert eventually(lambda: api.fetch(url, "HEAD").status_code == 500)
    assert own.is_live() and not own.is_healthy()
    assert processor(own) - spent < 2


@pytest.mark.extended
def test_blob_that_is_cut_off_in_the_middle_of_a_download(own):
    url, blob = stored(own, b"x" * (64 << 20), "x.bin")
    with own.raw() as connection:
        connection.send(f"GET {url[len(own.url):]} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        assert connection.socket.recv(1000)
        before = failed_reads(own)
        os.truncate(blob, 1000)
        assert eventually(lambda: failed_reads(own) == before + 1)
        received = 0
        try:
            while piece := connection.socket.recv(1 << 20):
                received += len(piece)
        except ConnectionResetError:
            pass
        assert received < 64 << 20
    # A busy loop would take all of a processor.
    assert eventually(lambda: is_idle(own))


@pytest.mark.extended
def test_client_that_leaves_a_blob_that_was_cut_off(own):
    url, blob = stored(own, b"x" * SIZE, "x.bin")
    assert len(own.api().fetch(url).content) == SIZE
    os.truncate(blob, 0)
    for _ in range(5):
        with own.raw() as connection:
            connection.send(f"GET {url[len(own.url):]} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    assert eventually(own.is_live)
    assert eventually(lambda: is_idle(own))


@pytest.mark.few(1)
@pytest.mark.parametrize("words", ["imageView2/2/w/100", "imageInfo", "imageAve", "imageMogr2/rotate/90"])
def test_image_whose_blob_was_cut_off(own, words):
    url, blob = stored(own, ROCKET.read_bytes(), "rocket.jpg")
    os.truncate(blob, blob.stat().st_size // 2)
    before = failed_reads(own)
    response = own.api().fetch(f"{url}?{words}")
    assert (response.status_code, response.json()["code"]) == (500, 1)
    assert eventually(lambda: failed_reads(own) == before + 1)


@pytest.mark.extended
def test_content_of_a_blob_that_was_cut_off(own):
    before = set(own.blobs())
    id = own.api().store(b"x" * 1000, name="x.bin")["objectId"]
    blob, = set(own.blobs()) - before
    os.truncate(blob, 10)
    assert own.api().get(f"/1.1/files/{id}/content").status_code == 500


@pytest.mark.extended
def test_derivative_that_is_cut_off_while_it_is_open_is_made_again(new_server):
    # A prepared response has the bytes in memory, so it would not need the file.
    own = new_server(LCFILE_DOWNLOADS_HOT_RESPONSES="0").start()
    url, _ = stored(own, ROCKET.read_bytes(), "rocket.jpg")
    api = own.api()
    url += "?imageView2/2/w/300"
    whole = api.fetch(url).content
    path = eventually(lambda: next(own.storage.glob("*/derivatives/??/*/*"), None))
    assert path
    assert api.fetch(url).content == whole
    os.truncate(path, 100)
    with own.raw() as connection:
        connection.send(f"GET {url[len(own.url):]} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        while connection.socket.recv(1 << 16):
            pass

    def is_made_again():
        # The damage is noted a moment after the connection is closed; until then the next response breaks off, too.
        try:
            return api.fetch(url).content == whole
        except requests.ConnectionError:
            return False

    assert eventually(is_made_again)
