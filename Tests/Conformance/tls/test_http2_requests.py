"""Requests of HTTP/2: every kind of route gives the answer that HTTP/1.1 gets."""

import json

import pytest
from client import credentials
from hot import assert_hot, make_hot, series, settle, settled_hot_count
from hot_files import stored
from http2 import Client2
from tls import connected
from uploading import MB, noise

# What differs between two equal answers.
VOLATILE = {"date", "x-request-id", "connection"}
SMALL, LARGE = noise(5000, "http2"), noise(3 * MB, "http2")


@pytest.fixture(scope="module")
def client(server):
    with Client2(server) as client:
        assert client.protocol == "h2"
        yield client


@pytest.fixture(scope="module")
def targets(server):
    """The targets of a file that fits into memory, and of one that is read from its file."""
    return {"small": stored(server, SMALL)[1], "large": stored(server, LARGE)[1]}


def first_answer(server, method, path, headers=None, body=b""):
    """The answer of HTTP/1.1 as (status, headers, body)."""
    with server.raw() as connection:
        fields = {"Content-Length": len(body)} if body else {}
        answer = connection.request(method, path, fields | (headers or {}), body)
    headers = {name.lower(): value for name, value in answer.getheaders() if name.lower() not in VOLATILE}
    return answer.status, headers, answer.content


def second_answer(client, method, path, headers=None, body=b""):
    answer = client.request(method, path, {name.lower(): value for name, value in (headers or {}).items()}, body)
    headers = {name: value for name, value in answer.headers.items() if name not in VOLATILE}
    return answer.status, headers, answer.content


KEYS = credentials()


@pytest.mark.few(2)
@pytest.mark.parametrize("method, path, headers", [
    ("GET", "/health", {}),
    ("GET", "/1.1/date/none", {}),
    ("POST", "/health", {}),
    ("GET", "/no-such-file", {}),
    ("GET", "/1.1/classes/Http2None", KEYS),
    ("GET", "/1.1/classes/Http2None", {}),
    ("GET", "/1.1/users/me", KEYS | {"X-LC-Session": "wrong"}),
    ("OPTIONS", "/1.1/classes/A", {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}),
    ("OPTIONS", "/1.1/uploads", {"Tus-Resumable": "1.0.0"}),
    ("GET", "/v1/route?appId=" + KEYS["X-LC-Id"] + "&secure=1", {}),
])
def test_answer_is_that_of_http1(server, client, method, path, headers):
    assert second_answer(client, method, path, headers) == first_answer(server, method, path, headers)


@pytest.mark.few(2)
@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("method, headers", [
    ("GET", {"If-Match": "*"}),
    ("HEAD", {"If-Match": "*"}),
    ("GET", {"Range": "bytes=10-99"}),
    ("GET", {"Range": "bytes=0-9,20-29"}),
    ("GET", {"Range": "bytes=99999999-"}),
    ("GET", {"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}),
    ("GET", {"If-None-Match": "*"}),
    ("GET", {"If-Match": '"other"'}),
])
def test_download_is_that_of_http1(server, client, targets, size, method, headers):
    first, second = (answer for answer in (
        first_answer(server, method, targets[size], headers), second_answer(client, method, targets[size], headers)
    ))
    if first[1].get("content-type", "").startswith("multipart/"):
        # Each has a boundary of its own.
        first, second = ((status, len(body)) for status, _, body in (first, second))
    assert second == first


def test_304_of_a_file_that_is_not_hot_has_no_length_of_a_body(server, client):
    answer = client.request("GET", stored(server, LARGE)[1], {"if-none-match": "*"})
    assert (answer.status, answer.headers.get("content-length"), answer.content) == (304, None, b"")


@pytest.mark.parametrize("size", ["small", "large"])
def test_hot_download_has_the_bytes_of_the_file(server, client, targets, size):
    make_hot(server, targets[size])
    before = settled_hot_count(server)
    assert client.request("GET", targets[size]).content == {"small": SMALL, "large": LARGE}[size]
    assert_hot(server, before, 1)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_hot_answer_is_that_of_http1(server, client, targets, method):
    make_hot(server, targets["small"])
    first = first_answer(server, method, targets["small"])
    before = settled_hot_count(server)
    assert second_answer(client, method, targets["small"]) == first
    assert_hot(server, before, 1)


def test_hot_download_that_the_client_has_is_304(server, client, targets):
    make_hot(server, targets["small"])
    tag = client.request("HEAD", targets["small"]).headers["etag"]
    before = settled_hot_count(server)
    answer = client.request("GET", targets["small"], {"if-none-match": tag})
    assert (answer.status, answer.content) == (304, b"")
    assert_hot(server, before, 1)


def test_deleted_file_is_gone_at_once_although_it_was_hot(server, client):
    record, target = stored(server, noise(700, "deleted"))
    make_hot(server, target)
    assert client.request("GET", target).status == 200
    assert server.api(master=True).delete(record).status_code == 200
    assert client.request("GET", target).status == 404


def test_object_is_saved_and_read(client):
    saved = client.api("POST", "/1.1/classes/Http2", {"content-type": "application/json"}, b'{"a": 1}')
    assert saved.status == 201
    read = client.api("GET", saved.headers["location"])
    assert json.loads(read.content)["a"] == 1


@pytest.mark.parametrize("body", [b"", SMALL, LARGE], ids=["empty", "small", "large"])
def test_file_is_uploaded(client, body):
    saved = client.api("POST", "/1.1/files/http2.bin", {"content-type": "application/octet-stream"}, body)
    assert saved.status == 201, saved.content
    url = json.loads(saved.content)["url"]
    assert client.request("GET", "/" + url.split("/", 3)[3]).content == body


def test_upload_of_30_mb_gets_a_large_window(client):
    body = noise(30 * MB, "window")
    before = client.window_updates
    assert client.api("POST", "/1.1/files/window.bin", {"content-type": "application/octet-stream"}, body).status == 201
    # With the first window alone there would be an update for each 32 KB.
    assert client.window_updates - before < 30 * MB / (128 << 10)


def test_tus_checksum_in_a_trailer_is_checked(client):
    fields = {"tus-resumable": "1.0.0"}
    created = client.api("POST", "/1.1/uploads", fields | {"upload-length": "4"})
    path = "/" + created.headers["location"].split("/", 3)[3]
    headers = {name.lower(): value for name, value in credentials().items()} | fields | {
        "content-type": "application/offset+octet-stream", "upload-offset": "0", "trailer": "upload-checksum",
    }
    stream = client.begin("PATCH", path, headers, b"abcd", ends=False)
    client.h2.send_headers(stream, [("upload-checksum", "sha1 AAAAAAAAAAAAAAAAAAAAAAAAAAA=")], end_stream=True)
    client.flush()
    assert client.wait(stream)[0].status == 460


EXPECTING = {name.lower(): value for name, value in KEYS.items()} | {
    "content-type": "application/octet-stream", "expect": "100-continue",
}


def test_expectation_gets_100_before_the_body(client):
    stream = client.begin("POST", "/1.1/files/expected.bin", EXPECTING, ends=False)
    answer = client.responses[stream]
    while client.is_open(stream) and not answer.informational:
        client.receive()
    assert answer.informational == [100]
    client.upload(stream, b"expected")
    assert client.wait(stream)[0].status == 201


def test_refused_expectation_gets_no_100(server):
    with Client2(server) as client:
        stream = client.begin("POST", "/1.1/files/expected.bin", EXPECTING | {"x-lc-key": "wrong"}, ends=False)
        answer = client.wait(stream)[0]
        assert (answer.informational, answer.status) == ([], 401)


def test_100_requests_at_once_are_answered(client, targets):
    streams = [client.begin("GET", targets["small"], {"if-match": "*"}) for _ in range(100)]
    assert {(answer.status, answer.content) for answer in client.wait(*streams)} == {(200, SMALL)}


def test_requests_are_counted_as_those_of_http1(server, client):
    def count():
        settle(server)
        return sum(
            value for labels, value in series(server, "lcfile_http_requests_total").items() if 'group="health"' in labels
        )

    before = count()
    client.request("GET", "/health")
    assert count() == before + 1


def test_client_that_offers_no_version_gets_http1(server):
    with server.raw() as connection:
        assert connection.socket.selected_alpn_protocol() is None
        assert connection.request("GET", "/health", {}).status == 200


@pytest.mark.extended
def test_http2_can_be_switched_off(new_tls_server):
    server = new_tls_server(LCFILE_HTTP2_ENABLED="false").start()
    context = server.authority.client()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with context.wrap_socket(connected(server.port), server_hostname="localhost") as socket:
        assert socket.selected_alpn_protocol() == "http/1.1"
