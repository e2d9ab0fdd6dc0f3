"""Hostile clients of HTTP/2: malformed requests end their stream, floods end their connection, and no other client
notices."""

import struct
from contextlib import suppress

import pytest
from client import credentials, eventually
from h2.errors import ErrorCodes
from hostile import memory
from hot import series
from http2 import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PRIORITY, RST_STREAM, SENDING_ENDS, SETTINGS,
    WINDOW_UPDATE, Client2, frame,
)
from tls import connected
from uploading import MB

UPLOAD = {name.lower(): value for name, value in credentials().items()} | {"content-type": "application/octet-stream"}


@pytest.fixture(autouse=True)
def others(hostile):
    """Another client, which is served before and after."""
    with Client2(hostile) as client:
        assert client.request("GET", "/health").status == 200
        yield
        assert client.request("GET", "/health").status == 200


def limit_hits(server, limit):
    return sum(value for labels, value in series(server, "lcfile_limits_hit_total").items() if limit in str(labels))


# Malformed requests

def pseudo(method="GET", authority="a", path="/health"):
    return [(":method", method), (":scheme", "https"), (":authority", authority), (":path", path)]


@pytest.mark.parametrize("fields, name", [
    ([field for field in pseudo() if field[0] != ":authority"], "host"),
    (pseudo(authority="user@a"), "host"),
    (pseudo() + [("host", "b")], "host"),
    (pseudo(path="health"), "path"),
    (pseudo(path="*"), "path"),
], ids=["no-host", "user-in-host", "two-hosts", "no-slash", "asterisk"])
def test_bad_head_is_400_and_names_the_field(hostile, fields, name):
    with Client2(hostile) as client:
        answer = client.wait(client.open(fields))[0]
        assert (answer.status, name in answer.content.decode()) == (400, True)


def test_connection_serves_on_after_a_bad_head(hostile):
    with Client2(hostile) as client:
        client.wait(client.open(pseudo(path="health")))
        assert client.request("GET", "/health").status == 200


def test_1001_fields_are_431(hostile):
    with Client2(hostile) as client:
        # Until the client has confirmed the server's settings, heads have at most 16 KB.
        client.request("GET", "/health")
        assert client.request("GET", "/health", [(f"x-{number}", "1") for number in range(1001)]).status == 431


@pytest.mark.parametrize("fields", [
    [("X-Upper", "1")],
    [("connection", "keep-alive")],
    [("transfer-encoding", "chunked")],
    [("te", "gzip")],
    [("content-length", "5")],
    [("content-length", "-1")],
    [("content-length", "1"), ("content-length", "2")],
    [(":path", "/again")],
], ids=lambda fields: "-".join(name for name, _ in fields))
def test_malformed_request_resets_its_stream_only(hostile, fields):
    with Client2(hostile) as client:
        assert client.request("GET", "/health", fields).reset == ErrorCodes.PROTOCOL_ERROR
        assert client.request("GET", "/health").status == 200


@pytest.mark.parametrize("fields", [
    pseudo(authority="a b"), pseudo(path="/a b"), pseudo(path="/a\r\nX: y"), pseudo() + [("x-a", "b\r\nX: y")],
], ids=["host", "path", "line-break", "field"])
def test_blank_or_line_break_resets_the_stream(hostile, fields):
    with Client2(hostile) as client:
        assert client.wait(client.open(fields))[0].reset == ErrorCodes.PROTOCOL_ERROR


def test_connect_is_refused(hostile):
    with Client2(hostile) as client:
        answer = client.wait(client.open([(":method", "CONNECT"), (":authority", "example.com:443")]))[0]
        assert answer.status == 501


# Floods and violations; equal frames in one write, because the server counts those of a while

def hpack(client, path="/health"):
    """The head of a request as the client would send it."""
    return client.h2.encoder.encode([
        (":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", path),
    ])


def resets(client):
    """CVE-2023-44487: requests that are cancelled at once."""
    for stream in range(1, 1001, 2):
        client.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, hpack(client)))
        client.send(frame(RST_STREAM, 0, stream, struct.pack(">I", ErrorCodes.CANCEL)))


def continuations(client):
    """CVE-2024-27316: a head that never ends."""
    client.send(frame(HEADERS, END_STREAM, 1, hpack(client)))
    for _ in range(100):
        client.send(frame(CONTINUATION, 0, 1, b""))


def settings(client):
    """CVE-2019-9515."""
    client.send(frame(SETTINGS) * 2000)


def pings(client):
    """CVE-2019-9512."""
    client.send(frame(PING, 0, 0, b"12345678") * 2000)


def priorities(client):
    """CVE-2019-9513."""
    client.send(frame(PRIORITY, 0, 1, struct.pack(">IB", 3, 1)) * 2000)


def empty_data(client):
    """CVE-2019-9518."""
    client.send(frame(HEADERS, END_HEADERS, 1, hpack(client, "/1.1/files/a")))
    client.send(frame(DATA, 0, 1, b"") * 1000)


def small_data(client):
    """Frames of one byte, each of which takes a hundred in memory."""
    client.send(frame(HEADERS, END_HEADERS, 1, hpack(client, "/1.1/files/a")))
    for _ in range(20):
        client.send(frame(DATA, 0, 1, b"x") * 1000)


def malformed(client):
    """Streams that the server must reset."""
    for stream in range(1, 1001, 2):
        client.send(frame(HEADERS, END_HEADERS, stream, hpack(client)))
        client.send(frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", 0)))


def run(attack, client):
    """Attacks until the server closes the connection."""
    with suppress(*SENDING_ENDS):
        attack(client)


@pytest.mark.parametrize(
    "attack", [resets, continuations, settings, pings, priorities, empty_data, small_data, malformed],
    ids=lambda attack: attack.__name__,
)
def test_flood_ends_the_connection(hostile, attack):
    with Client2(hostile) as client:
        run(attack, client)
        # Without a code, the end came before the client read it.
        assert client.wait_for_end() in (ErrorCodes.ENHANCE_YOUR_CALM, None)


@pytest.mark.parametrize("attack, limit", [
    (resets, "http2.maxResets"), (settings, "http2.maxControlFrames"), (small_data, "http2.maxSmallFrames"),
])
def test_flood_is_counted_as_a_limit(hostile, attack, limit):
    before = limit_hits(hostile, limit)
    with Client2(hostile) as client:
        run(attack, client)
        client.wait_for_end()
    # NIO tells of what the client exceeded when it has written the GOAWAY.
    assert eventually(lambda: limit_hits(hostile, limit) == before + 1)


@pytest.mark.parametrize("data", [
    frame(DATA, 0, 0, b"x"),
    frame(HEADERS, END_HEADERS, 2, b""),
    frame(SETTINGS, 0, 1),
    frame(PING, 0, 0, b"short"),
    frame(CONTINUATION, END_HEADERS, 1, b""),
    frame(HEADERS, END_HEADERS, 1, b"\xff\xff\xff\xff\xff"),
    frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 0)),
    b"\xff\xff\xff\x00\x00\x00\x00\x00\x01" + b"x" * 100,
], ids=["data-0", "even-stream", "settings-1", "short-ping", "continuation", "hpack", "no-growth", "long-frame"])
def test_violation_ends_the_connection_with_an_error(hostile, data):
    with Client2(hostile) as client:
        client.send(data)
        client.wait_for_end()
        assert client.end_code not in (None, ErrorCodes.NO_ERROR)


def test_wrong_preface_ends_the_connection(hostile):
    context = hostile.authority.client()
    context.set_alpn_protocols(["h2"])
    with context.wrap_socket(connected(hostile.port), server_hostname="localhost") as socket:
        socket.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
        received = b""
        while piece := socket.recv(1000):
            received += piece
    # The last frame is GOAWAY with PROTOCOL_ERROR.
    assert received[-17:] == frame(GOAWAY, 0, 0, struct.pack(">II", 0x7FFFFFFF, ErrorCodes.PROTOCOL_ERROR))


def test_stream_beyond_the_limit_ends_the_connection(hostile):
    with Client2(hostile) as client:
        client.request("GET", "/health")
        allowed = client.h2.remote_settings.max_concurrent_streams
        for _ in range(allowed):
            client.begin("POST", "/1.1/files/a", UPLOAD, ends=False)
        last = client.h2.get_next_available_stream_id()
        client.send(frame(HEADERS, END_HEADERS, last, hpack(client)))
        assert (allowed, client.wait_for_end()) == (100, ErrorCodes.PROTOCOL_ERROR)


def test_header_bomb_takes_no_memory(hostile):
    """Compressed, each field takes a byte; decompressed, 4 KB."""
    before = memory(hostile)
    with Client2(hostile) as client:
        value = "v" * 4000
        first = client.h2.encoder.encode([
            (":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", "/health"), ("x-bomb", value),
        ])
        client.send(frame(HEADERS, END_STREAM, 1, first))
        # The entry 62 of the dynamic table is the newest one.
        client.send(frame(CONTINUATION, END_HEADERS, 1, b"\xbe" * 16_000))
        client.wait_for_end()
        assert client.end_code not in (None, ErrorCodes.NO_ERROR)
    assert memory(hostile) - before < 30 * MB


# HTTP without TLS

def test_plain_http_is_told_to_use_https(hostile):
    answer = plain(hostile, b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ") and b"HTTPS" in answer


def test_plain_http2_is_told_to_use_https(hostile):
    assert plain(hostile, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def plain(server, data):
    with connected(server.port) as connection:
        connection.sendall(data)
        received = b""
        while piece := connection.recv(1000):
            received += piece
        return received
