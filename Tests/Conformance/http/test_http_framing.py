"""Requests as no library sends them: where each ends, what becomes of the connection (RFC 9110, RFC 9112)."""

import json
import re
import subprocess

import pytest
from client import LAST_CHUNK, chunk, credentials, head
from request_log import log_so_far

GET = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"


def all_of(connection):
    """Everything until the server closes."""
    pieces = []
    while piece := connection.socket.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


def statuses(data):
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", data)]


def exchange(server, data):
    """What the server sends until it closes, as text and as statuses."""
    with server.raw() as connection:
        connection.send(data)
        connection.end_of_sending()
        received = all_of(connection)
        return received, statuses(received)


def answered(connection, count):
    """The statuses of the next answers, which may come in one piece."""
    received = b""
    while len(statuses(received)) < count:
        piece = connection.socket.recv(65536)
        assert piece, received
        received += piece
    return statuses(received)


def refusal(server, data):
    """The status of the one answer behind which the server closes, although the client does not."""
    with server.raw() as connection:
        connection.send(data)
        answer = connection.answer()
        assert answer.getheader("Connection") == "close"
        assert set(json.loads(answer.content)) == {"code", "error"}
        assert connection.socket.recv(1) == b""
        return answer.status


# Framing

# Values that are well formed and name a coding that the server does not know, as the last one or before `chunked`.
UNKNOWN_CODINGS = {"xchunked", "identity", "gzip", "gzip, chunked", "deflate"}


@pytest.mark.parametrize("value", [
    "", " ", "xchunked", "identity", "chunked;q=1", "gzip", "chunked x", "\tchunked", "gzip, chunked", "chunked, chunked",
    "chunked, gzip", ",chunked", "deflate", "chunked\r\nTransfer-Encoding: chunked", "chunked\r\nTransfer-Encoding:",
    "chunked\r\nContent-Length: 5", "chunked\r\ncontent-length: 0",
])
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_bad_transfer_encoding_is_refused_and_nothing_behind_it_is_served(server, method, value):
    blank = "" if value.startswith("\t") else " "
    data = f"{method} /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:{blank}{value}\r\n\r\n"
    assert refusal(server, data.encode() + HIDDEN) == (501 if value in UNKNOWN_CODINGS else 400)


@pytest.mark.parametrize("fields", [
    "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 6", "Content-Length: +5",
    "Content-Length: -5", "Content-Length: 5,5", "Content-Length: 5 5", "Content-Length: 0x5", "Content-Length: ",
    "Content-Length: 99999999999999999999", "Content-Length : 5", "Content-Length: 5\r\nTransfer-Encoding: chunked",
])
def test_bad_length_is_refused(server, fields):
    assert refusal(server, f"POST /health HTTP/1.1\r\nHost: a\r\n{fields}\r\n\r\n".encode() + HIDDEN) == 400


@pytest.mark.parametrize("coding", ["chunked", "Chunked", "CHUNKED"])
def test_chunks_are_read(server, coding):
    with server.raw() as connection:
        connection.send(head("POST", "/1.1/files/a.txt", credentials() | {"Transfer-Encoding": coding}))
        connection.send(chunk(b"abc") + LAST_CHUNK + GET)
        assert answered(connection, 2) == [201, 200]


@pytest.mark.parametrize("body", [b"nonsense\r\n", b"-1\r\n", b"0x1\r\na\r\n", b"1\r\nab\r\n"])
def test_malformed_chunks_have_one_answer(server, body):
    received, codes = exchange(server, head("GET", "/health", {"Transfer-Encoding": "chunked"}) + body + HIDDEN)
    # Where the first chunk is whole, the answer may be on its way when the rest turns out to be none.
    assert len(codes) == 1 and codes[0] in ((200, 400) if body.startswith(b"1\r\n") else (400,))
    assert b"Connection: close" in received


@pytest.mark.parametrize("field", ["X : y", "X\x01: y", ": y", "X: a\rb", "X: a\x00b"])
def test_malformed_fields_are_refused(server, field):
    assert refusal(server, f"GET /health HTTP/1.1\r\nHost: a\r\n{field}\r\n\r\n".encode() + HIDDEN) == 400


@pytest.mark.parametrize("lines", ["X: y\r\n folded\r\n", "X: y\n"])
def test_old_ways_to_break_lines_are_refused_or_read_as_one_request(server, lines):
    _, codes = exchange(server, f"GET /health HTTP/1.1\r\nHost: a\r\n{lines}\r\n".encode())
    assert codes in ([200], [400])


@pytest.mark.parametrize("fields", ["X: " + "x" * 100_000 + "\r\n", "X: y\r\n" * 1100])
def test_heads_beyond_the_limit_are_431(server, fields):
    assert refusal(server, f"GET /health HTTP/1.1\r\nHost: a\r\n{fields}\r\n".encode()) == 431


def test_other_versions_are_505(server):
    assert refusal(server, b"GET /health HTTP/2.0\r\nHost: a\r\n\r\n") == 505


def test_refusal_waits_for_its_turn(server):
    _, codes = exchange(server, GET + GET + b"GET /health HTTP/1.1\r\n\r\n" + HIDDEN)
    assert codes == [200, 200, 400]


# Hosts

@pytest.mark.parametrize("fields", [
    "", "Host: a\r\nHost: a\r\n", "Host: a\r\nHost: b\r\n", "Host: a b\r\n", "Host: a/b\r\n", "Host: u@a\r\n", "Host: a:b\r\n",
    "Host: http://a\r\n", "Host: [::1\r\n", "Host:\r\n",
])
def test_bad_host_is_refused(server, fields):
    assert refusal(server, f"GET /health HTTP/1.1\r\n{fields}\r\n".encode() + HIDDEN) == 400


@pytest.mark.parametrize("host", ["a", "a.example:8080", "127.0.0.1", "[::1]:8080"])
def test_good_host_is_served(server, host):
    with server.raw() as connection:
        assert connection.request("GET", "/health", {"Host": host}).status == 200


# The end of a connection

@pytest.mark.parametrize("fields", [
    "Connection: close", "Connection: Close", "Connection: CLOSE", "Connection: x, close", "Connection: keep-alive, close",
    "Connection: keep-alive\r\nConnection: close",
])
def test_close_is_understood(server, fields):
    with server.raw() as connection:
        connection.send(f"GET /health HTTP/1.1\r\nHost: a\r\n{fields}\r\n\r\n".encode() + HIDDEN)
        received = all_of(connection)
        assert statuses(received) == [200]
        assert b"Connection: close\r\n" in received


@pytest.mark.parametrize("fields", ["", "Host: a\r\n", "Connection: keep-alive\r\n"])
def test_old_http_ends_with_the_answer(server, fields):
    with server.raw() as connection:
        connection.send(f"GET /health HTTP/1.0\r\n{fields}\r\n".encode())
        received = all_of(connection)
        assert statuses(received) == [200]
        assert b"Connection: close\r\n" in received


def test_old_http_gets_no_continue(server):
    with server.raw() as connection:
        fields = "".join(f"{name}: {value}\r\n" for name, value in credentials().items())
        connection.send(
            f"POST /1.1/files/a.txt HTTP/1.0\r\n{fields}Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc".encode()
        )
        assert statuses(all_of(connection)) == [201]


# Other protocols

@pytest.mark.parametrize("protocol", ["h2c", "websocket", "TLS/1.0, HTTP/1.1"])
@pytest.mark.parametrize("options", ["Upgrade", "upgrade, HTTP2-Settings", "keep-alive, UPGRADE"])
def test_wish_for_another_protocol_is_passed_over(server, protocol, options):
    with server.raw() as connection:
        fields = {"Upgrade": protocol, "Connection": options, "HTTP2-Settings": "AAMAAABkAAQAoAAAAAIAAAAA"}
        # Each behind the other's answer, and then all at once.
        for _ in range(3):
            assert connection.request("GET", "/health", fields).status == 200
        connection.send(head("GET", "/health", fields) * 3 + GET)
        assert answered(connection, 4) == [200] * 4


def test_wish_for_another_protocol_with_a_body(server):
    with server.raw() as connection:
        fields = credentials() | {"Upgrade": "h2c", "Connection": "Upgrade"}
        for length in ({"Content-Length": 3}, {"Transfer-Encoding": "chunked"}):
            body = chunk(b"abc") + LAST_CHUNK if "Transfer-Encoding" in length else b"abc"
            connection.send(head("POST", "/1.1/files/a.txt", fields | length) + body + GET)
            assert answered(connection, 2) == [201, 200]


def test_curl_with_two_urls(server):
    command = ["curl", "-sS", "--noproxy", "*", "--http2", "--max-time", "10", f"{server.url}/health", f"{server.url}/health"]
    assert subprocess.run(command, capture_output=True, timeout=30).stdout == b'{"status":"ok"}' * 2


def test_connect_is_refused(server):
    assert refusal(server, b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n" + HIDDEN) == 501


# The log

def test_tokens_are_not_in_the_log(server):
    token = "Zx9" * 13 + "Z"
    for path in ("/1.1/./upload/", "/1.1/%75pload/", "//1.1/upload/", "/1.1/uploads/", "/1.1/upload/./", "/1.1/%zz/%75pload/"):
        with server.raw() as connection:
            connection.request("GET", path + token, {})
    assert token not in log_so_far(server)


@pytest.mark.extended
def test_clients_that_leave_are_no_errors(new_server):
    server = new_server().start()
    for number in range(120):
        connection = server.raw()
        fields = credentials() | {"Content-Length": 1 << 20}
        if number % 3 == 0:
            fields["Expect"] = "100-continue"
        paths = ("/1.1/files/x.bin", "/1.1/classes/Left", "/1.1/login")
        if number % 2:
            fields["Content-Type"] = "application/json"
        connection.send(head("POST", paths[number % 3], fields) + b'{"a":')
        if number % 12 == 0:
            # It is asked for the body, and then leaves.
            connection.socket.recv(10)
        if number % 2:
            connection.reset()
        else:
            connection.socket.close()
    assert server.is_healthy()
    assert server.stop() == 0
    assert [line for line in server.errors.splitlines() if " error lcfile" in line] == []
