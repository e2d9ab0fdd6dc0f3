"""The Python SDK's uploads, byte by byte, compared with what the installed SDK itself sends."""

import json
import re
import socketserver
import sys
import threading

import leancloud
import pytest
from client import ALPHA, LAST_CHUNK, eventually
from replays import (
    OCTETS, assert_linked, assert_not_saved, assert_saved, disposition, each_file, form, length, md5, multipart, netloc,
    random_hex, send, serving, taken_by_cos, taken_by_s3,
)
from replays import SDK as Base
from sdk import SDK


class Python(Base):
    version, interpreter = "2.1.9", "3.11"
    needs = Base.needs | {"url", "mime_type"}
    requests = [("User-Agent", "python-requests/2.31.0"), ("Accept-Encoding", "gzip, deflate"), ("Accept", "*/*")]

    @property
    def agent(self):
        return f"AVOS Cloud python-{self.version} SDK ({self.interpreter})"

    def encode(self, fields):
        return json.dumps(fields, separators=(",", ":"))

    def headers(self, url, body):
        id, key = self.signed
        return [
            netloc(url), ("User-Agent", self.agent), *self.requests[1:], ("Connection", "keep-alive"),
            ("Content-Type", "application/json;charset=utf-8"), id, ("X-LC-Prod", "1"), key, *self.session, length(body),
        ]

    def fields(self, name, data, type):
        meta = {"owner": "unknown", "_checksum": md5(data), "size": len(data)}
        return {"name": name, "ACL": None, "mime_type": type, "metaData": meta}

    def link_fields(self, name, url, type):
        meta = {"owner": "unknown", "__source": "external"}
        return {"name": name, "ACL": None, "metaData": meta, "mime_type": type, "url": url}

    def s3(self, tokens, name, data):
        url = tokens["upload_url"]
        size = length(data) if data else ("Transfer-Encoding", "chunked")
        headers = [netloc(url), *self.requests, ("Connection", "keep-alive"), ("Content-Type", tokens["mime_type"]), size]
        taken_by_s3(send("PUT", url, headers, data or LAST_CHUNK))

    def qcloud(self, tokens, name, data):
        url, boundary = tokens["upload_url"], random_hex(32)
        # Both are files, for requests.
        parts = (disposition("op", "op"), b"upload"), (disposition("filecontent", "filecontent"), data)
        body = form(boundary, *parts)
        own = [("Connection", "keep-alive"), ("Authorization", tokens["token"]), length(body), multipart(boundary)]
        taken_by_cos(send("POST", url, [netloc(url), *self.requests, *own], body))


class Recorder(socketserver.ThreadingTCPServer):
    """Keeps each request as it came and answers it as an upload's server does."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), None)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.requests = []
        threading.Thread(target=self.serve_forever, args=[0.01], daemon=True).start()

    def finish_request(self, connection, address):
        data = b""

        def read_until(done):
            nonlocal data
            while not done():
                more = connection.recv(65536)
                assert more, "the connection ended in a request"
                data += more

        read_until(lambda: b"\r\n\r\n" in data)
        start = data.index(b"\r\n\r\n") + 4
        size = re.search(rb"(?i)content-length: (\d+)", data[:start])
        read_until(lambda: len(data) >= start + int(size[1]) if size else data.endswith(LAST_CHUNK))
        self.requests.append(data)
        connection.sendall(self.answer(data.split(b" ")[1]))

    def answer(self, path):
        tokens = {
            "objectId": "6632f1b7c3d4e5f60718293b", "createdAt": "2024-05-02T08:00:00.123Z", "name": "note.txt",
            "key": "key.txt", "url": f"{self.url}/key.txt", "bucket": "bucket", "mime_type": "text/plain",
            "provider": "s3", "token": "token", "upload_url": f"{self.url}/upload",
        }
        is_tokens, is_put = path == b"/1.1/fileTokens", path == b"/upload"
        status = "201 Created" if is_tokens else "200 OK"
        body = b"" if is_put else json.dumps(tokens if is_tokens else {}).encode()
        lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", 'ETag: "x"', "Connection: close"]
        return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


def masked(request):
    """A request without what differs each time."""
    return re.sub(rb"X-LC-Sign: [0-9a-f]{32},\d{13}\r\n", b"X-LC-Sign: ...\r\n", request)


@pytest.fixture
def recorder():
    with Recorder() as recorder:
        yield recorder
        recorder.shutdown()


@pytest.mark.few(3)
@each_file
def test_replay_is_what_the_sdk_sends(recorder, monkeypatch, name, data):
    sdk = SDK(recorder.url)
    lines = "leancloud.File(arguments['name'], bytes.fromhex(arguments['data'])).save(); say()"
    sdk.run(lines, name=name, data=data.hex())
    assert eventually(lambda: len(recorder.requests) == 3), "the SDK calls back on a thread of its own"
    sdk.close()
    sent = [masked(request) for request in recorder.requests]
    recorder.requests.clear()
    monkeypatch.setattr(Python, "version", leancloud.__version__)
    monkeypatch.setattr(Python, "interpreter", "{0}.{1}".format(*sys.version_info))
    Python(recorder).save(name, data)
    assert [masked(request) for request in recorder.requests] == sent


@pytest.fixture(scope="module", params=["s3", "qcloud"])
def python(request, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("python"), f"python={request.param}") as server:
        yield Python(server, provider=request.param)


@pytest.mark.few(3)
@each_file
def test_file_is_saved(python, name, data):
    tokens = python.save(name, data, "text/plain")
    record = assert_saved(python.server, tokens, data)
    assert (record["name"], record["mime_type"], record["metaData"]["owner"]) == (name, "text/plain", "unknown")


def test_provider_is_s3_unless_the_operator_says_more(server):
    assert_saved(server, Python(server, provider="s3").save("note.txt", b"x"), b"x")


@pytest.mark.parametrize("name, type", [("note.txt", "text/plain"), ("photo.png", "image/png"), ("README", OCTETS)])
def test_type_that_is_null_is_told_by_the_name(server, name, type):
    tokens = Python(server).save(name, b"x", None)
    assert tokens["mime_type"] == type
    assert_saved(server, tokens, b"x")


def test_acl_that_is_null_is_the_default(server, rules):
    rules.set("_File", defaultACL={"*": {"read": True}})
    tokens = Python(server).save("note.txt", b"x")
    record = server.api(master=True).get(f"/1.1/files/{tokens['objectId']}", params={"returnACL": "true"}).json()
    assert record["ACL"] == {"*": {"read": True}}


def test_master_key_is_used_as_soon_as_the_sdk_has_it(server):
    key = f"robots-{random_hex(8)}.txt"
    tokens = Python(server, master=True).save("x.txt", b"User-agent: *", None, key=key)
    assert (tokens["key"], tokens["url"]) == (key, f"{server.url}/{key}")
    assert_saved(server, tokens, b"User-agent: *")


def test_upload_that_failed_leaves_nothing(server):
    sdk = Python(server)
    tokens = sdk.ask("note.txt", b"never sent")
    sdk.call_back(tokens["token"], False)
    assert_not_saved(server, tokens)


def test_file_that_is_elsewhere_is_linked(server):
    url = "http://127.0.0.1:1/logo.png"
    assert_linked(server, Python(server).link("logo.png", url), "logo.png", url)


@pytest.mark.few(3)
@each_file
@pytest.mark.parametrize("master", [None, ALPHA.master], ids=["app key", "master key"])
def test_sdk_itself_saves(server, sdk, master, name, data):
    lines = """
        f = leancloud.File(arguments["name"], bytes.fromhex(arguments["data"]))
        f.save()
        say(objectId=f.id, name=f.name, key=f.key, url=f.url, mime_type=f.mime_type, size=f.size)
    """
    seen = sdk(lines, master=master, name=name, data=data.hex())
    record = server.api().get(f"/1.1/files/{seen['objectId']}").json()
    assert seen.pop("size") == len(data)
    assert {field: record[field] for field in seen} == seen
    assert_saved(server, record, data)
