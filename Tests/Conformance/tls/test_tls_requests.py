"""Requests by TLS have the responses that they have in the clear, byte for byte."""

import gzip
import json

import pytest
import zstandard
from client import LAST_CHUNK, chunk, credentials, head
from tls import TLSTus, assert_same
from uploading import MB, TOKEN_WAYS, Tus, metadata, noise, record_of, send_form, send_raw

JSON = credentials() | {"Content-Type": "application/json"}
UNPACK = {
    "gzip": gzip.decompress, "zstd": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
    None: lambda data: data,
}
QUERY = "/1.1/classes/TLSNote?order=n&keys=n,text"


def post(path, body, **headers):
    return head("POST", path, JSON | headers | {"Content-Length": len(body)}) + body


@pytest.fixture(scope="module")
def notes(both):
    """Both servers have the same objects of 200 KB together; the path of a query for all."""
    for server in both:
        for n in range(5):
            fields = {"n": n, "text": f"{n} 笔记 " * 4000}
            assert server.api().post("/1.1/classes/TLSNote", json=fields).status_code == 201
    return QUERY


@pytest.mark.few(2)
@pytest.mark.parametrize("request_bytes", [
    pytest.param(head("GET", "/health", {}), id="health"),
    pytest.param(head("GET", "/none.jpg", {}), id="unknown file"),
    pytest.param(head("GET", "/1.1/nothing", credentials()), id="unknown route"),
    pytest.param(head("GET", "/1.1/classes/TLSNone", credentials()), id="unknown class"),
    pytest.param(head("GET", "/1.1/files?limit=1", credentials() | {"X-LC-Key": "wrong-wrong"}), id="wrong key"),
    pytest.param(head("OPTIONS", "/1.1/files", {"Origin": "https://a.example"}), id="preflight"),
    pytest.param(post("/1.1/classes/TLSTask", b'{"title": "\xe8\x8c\xb6"}'), id="object"),
    pytest.param(post("/1.1/classes/TLSTask", b'{"title": '), id="malformed object"),
    pytest.param(post("/1.1/classes/TLSTask?fetchWhenSave=true", b'{"a": "%s"}' % (b"x" * 50_000)), id="large object"),
])
def test_response_is_that_in_the_clear(both, request_bytes):
    assert_same(both, request_bytes)


@pytest.mark.parametrize("bad", [
    b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"GET /health HTTP/1.1\r\n\r\n", b"\0\1\2\3\r\n\r\n",
    b"POST /1.1/files HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
], ids=["two hosts", "no host", "no HTTP", "two lengths"])
def test_refusal_of_a_malformed_request_is_that_in_the_clear(both, bad):
    assert_same(both, bad)


@pytest.mark.parametrize("coding", ["gzip", "zstd", None])
def test_response_to_a_query_is_that_in_the_clear(both, notes, coding):
    """Compressed bytes depend on the ids, so they are compared without their compression."""
    bodies = []
    for server in both:
        with server.raw() as connection:
            answer = connection.request("GET", notes, credentials() | {"Accept-Encoding": coding})
        assert answer.getheader("Content-Encoding") == coding
        body = UNPACK[coding](answer.content)
        bodies.append([(found["n"], found["text"]) for found in json.loads(body)["results"]])
    assert bodies[1] == bodies[0]


# Uploads

def send_tus(api, data):
    tus = (TLSTus if api.server.url.startswith("https") else Tus)(api.server)
    upload = tus.create(len(data), Upload_Metadata=metadata(filename="x.bin"))
    return upload.id, upload.patch(0, data) if data else upload.answer


WAYS = {"form": send_form, "raw body": send_raw, "token and S3 PUT": TOKEN_WAYS["s3"], "tus": send_tus}
# What each file has anew.
ANEW = ["objectId", "key", "url", "createdAt", "updatedAt"]


@pytest.fixture(scope="module")
def uploads(both):
    """The data, and the record of the file that each way stored on each server."""
    found = {}
    for way, send in WAYS.items():
        for size in (0, 1000, 5 * MB + 1):
            data = noise(size, way)
            found[way, size] = data, [record_of(server.api(), send(server.api(), data)[0]) for server in both]
    return found


@pytest.mark.few(2)
@pytest.mark.parametrize("size", [0, 1000, 5 * MB + 1])
@pytest.mark.parametrize("way", WAYS)
def test_uploaded_file_has_its_bytes(server, uploads, way, size):
    data, (_, record) = uploads[way, size]
    assert server.api().fetch(record["url"]).content == data


@pytest.mark.parametrize("size", [0, 1000, 5 * MB + 1])
@pytest.mark.parametrize("way", WAYS)
def test_record_of_an_uploaded_file_is_that_in_the_clear(uploads, way, size):
    clear, encrypted = ({key: record[key] for key in record if key not in ANEW} for record in uploads[way, size][1])
    assert encrypted == clear


def test_continue_comes_before_the_body(server):
    with server.raw() as connection:
        fields = {"Expect": "100-continue", "Transfer-Encoding": "chunked"}
        connection.send(head("POST", "/1.1/files/continued.bin", credentials() | fields))
        assert connection.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.send(chunk(noise(100_000)) + LAST_CHUNK)
        assert connection.answer().status == 201
