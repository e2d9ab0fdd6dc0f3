"""Heads of responses that do not fit into a frame of HTTP/2: without what the client can do without, or not at all."""

import json

import pytest
from h2.errors import ErrorCodes
from http2 import Client2
from tls import TLSTus
from uploading import metadata

# As long as the head of a request can be; encoded, it takes three quarters of that.
LONG = metadata(filename="a.bin", metaData=json.dumps({"a": "x" * 40_000}))
SHORT = metadata(filename="照片.bin", metaData=json.dumps({"a": "x" * 5000}))
TUS = {"tus-resumable": "1.0.0"}


@pytest.fixture
def tus(server):
    return TLSTus(server)


@pytest.fixture
def client(server):
    """A client that can send long heads: before it has confirmed the server's settings, they have at most 16 KB. In the
    end the connection must serve on, and the client must read the fields that the server sends."""
    with Client2(server) as client:
        before = fields(client.request("GET", "/health"))
        yield client
        assert [fields(client.request("GET", "/health")) for _ in range(3)] == [before] * 3


def fields(answer):
    """The status and what is equal in all answers."""
    return answer.status, {name: answer.headers[name] for name in ("content-type", "cache-control", "server")}


def head(client, upload):
    answer = client.api("HEAD", upload.path, TUS)
    return answer, {name: value for name, value in answer.headers.items() if name.startswith("upload-")}


@pytest.mark.extended
def test_head_of_an_upload_with_long_metadata_tells_all_but_them(tus, client):
    upload = tus.create(5, Upload_Metadata=LONG)
    assert upload.head().headers["Upload-Metadata"] == LONG
    answer, told = head(client, upload)
    assert (answer.status, answer.headers["x-lc-object-id"]) == (200, upload.id)
    assert told.pop("upload-expires")
    assert told == {"upload-offset": "0", "upload-length": "5"}


def test_head_of_an_upload_tells_metadata_that_fit(tus, client):
    upload = tus.create(5, Upload_Metadata=SHORT)
    assert head(client, upload)[1]["upload-metadata"] == SHORT


def test_upload_with_long_metadata_is_created_and_continued(client, server):
    answer = client.api("POST", "/1.1/uploads", TUS | {"upload-length": "5", "upload-metadata": LONG})
    assert answer.status == 201
    path = "/1.1/uploads/" + answer.headers["location"].rpartition("/")[2]
    bytes_of = {"content-type": "application/offset+octet-stream"}
    for offset, data in ((0, b"ab"), (2, b"cde")):
        assert client.api("HEAD", path, TUS).headers["upload-offset"] == str(offset)
        answer = client.api("PATCH", path, TUS | bytes_of | {"upload-offset": str(offset)}, data)
        assert answer.status == 204
    record = server.api().get(f"/1.1/files/{answer.headers['x-lc-object-id']}").json()
    assert (record["name"], record["metaData"]["size"], len(record["metaData"]["a"])) == ("a.bin", 5, 40_000)


@pytest.mark.extended
@pytest.mark.parametrize("described, told", [(SHORT, {"upload-metadata": SHORT}), (LONG, {})], ids=["short", "long"])
def test_long_list_of_partial_uploads_is_left_out(tus, client, described, told):
    places = [f"/{'x' * 12_000}/{tus.create(5, Upload_Concat='partial').secret}" for _ in range(2)]
    concatenation = "final;" + " ".join(places)
    answer = client.api("POST", "/1.1/uploads", TUS | {"upload-concat": concatenation, "upload-metadata": described})
    assert answer.status == 201
    path = "/1.1/uploads/" + answer.headers["location"].rpartition("/")[2]
    assert tus.call("HEAD", path).headers["Upload-Concat"] == concatenation
    answer = client.api("HEAD", path, TUS)
    found = {name: answer.headers[name] for name in ("upload-metadata", "upload-concat") if name in answer.headers}
    assert (answer.status, found) == (200, told)


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [30_000, 70_000])
def test_response_that_does_not_fit_resets_its_stream_only(client, size):
    answer = client.request("OPTIONS", "/1.1/uploads", {
        "origin": "https://a.example", "access-control-request-method": "POST",
        "access-control-request-headers": "x" * size,
    })
    assert (answer.status, answer.is_complete, answer.reset) == (0, False, ErrorCodes.INTERNAL_ERROR)


def test_preflight_that_fits_is_answered(client):
    asked = "x-lc-id, " * 1000 + "x-lc-key"
    answer = client.request("OPTIONS", "/1.1/uploads", {
        "origin": "https://a.example", "access-control-request-method": "POST",
        "access-control-request-headers": asked,
    })
    assert (answer.status, answer.headers["access-control-allow-headers"]) == (200, asked)
