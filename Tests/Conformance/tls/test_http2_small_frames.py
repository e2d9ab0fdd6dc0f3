"""The limit on small DATA frames of a connection of HTTP/2, which take a hundred times their size in memory."""

import json

import pytest
from client import credentials
from h2.errors import ErrorCodes
from hot import series
from http2 import DATA, END_STREAM, Client2, frame
from tls import TLSServer

MOST, SMALL = 10, 255
UPLOAD = {name.lower(): value for name, value in credentials().items()} | {"content-type": "application/octet-stream"}


@pytest.fixture(scope="module")
def strict(tmp_path_factory, authority, certificate):
    folder = tmp_path_factory.mktemp("strict")
    server = TLSServer(folder, authority, certificate, LCFILE_HTTP2_MAX_SMALL_FRAMES=str(MOST)).start()
    yield server
    assert server.stop() == 0


def begin(client, *sizes):
    """Sends the head of an upload and frames of these sizes; returns the stream, which has not ended."""
    stream = client.begin("POST", "/1.1/files/small.bin", UPLOAD, ends=False)
    client.send(b"".join(frame(DATA, 0, stream, b"x" * size) for size in sizes))
    return stream


def end(client, stream, data):
    """Sends the last frame of an upload, which must be accepted; returns the size of the file."""
    client.send(frame(DATA, END_STREAM, stream, data))
    answer = client.wait(stream)[0]
    assert answer.status == 201, (answer, client.end_code)
    return json.loads(answer.content)["metaData"]["size"]


def hits(server):
    return series(server, "lcfile_limits_hit_total").get('limit="http2.maxSmallFrames"', 0)


@pytest.mark.parametrize("size", [1, SMALL])
def test_small_frames_beyond_the_limit_end_the_connection(strict, size):
    with Client2(strict) as client:
        begin(client, *[size] * (MOST + 1))
        assert client.wait_for_end() == ErrorCodes.ENHANCE_YOUR_CALM


def test_small_frames_of_all_streams_are_counted_together(strict):
    with Client2(strict) as client:
        for _ in range(MOST + 1):
            begin(client, 1)
        assert client.wait_for_end() == ErrorCodes.ENHANCE_YOUR_CALM


def test_connection_that_ends_is_counted_once(strict):
    before = hits(strict)
    with Client2(strict) as client:
        begin(client, *[1] * 5 * MOST)
        client.wait_for_end()
    assert hits(strict) == before + 1


def test_small_frames_up_to_the_limit_are_accepted(strict):
    with Client2(strict) as client:
        assert end(client, begin(client, *[1] * MOST), b"") == MOST


def test_frames_of_256_bytes_are_not_small(strict):
    count = 5 * MOST
    with Client2(strict) as client:
        assert end(client, begin(client, *[SMALL + 1] * count), b"") == (SMALL + 1) * count


@pytest.mark.extended
def test_last_frames_of_bodies_are_not_counted(strict):
    with Client2(strict) as client:
        sizes = [end(client, begin(client, 1000), b"x") for _ in range(2 * MOST)]
    assert sizes == [1001] * 2 * MOST


def test_connections_are_counted_apart(strict):
    with Client2(strict) as first, Client2(strict) as second:
        streams = [(client, begin(client, *[1] * MOST)) for client in (first, second)]
        assert [end(client, stream, b"") for client, stream in streams] == [MOST, MOST]


@pytest.mark.extended
def test_10000_small_frames_are_accepted_by_default(server):
    with Client2(server) as client:
        assert end(client, begin(client, *[1] * 10_000), b"") == 10_000
