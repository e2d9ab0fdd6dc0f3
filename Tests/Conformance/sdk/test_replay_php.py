"""The PHP SDK's uploads, byte by byte."""

import hashlib
import json
import time
import zlib
from xml.etree import ElementTree

import pytest
from replays import (
    SDK, assert_linked, assert_not_saved, assert_saved, disposition, each_file, form, length, multipart, netloc, random_hex,
    random_word, send, serving, taken_by_cos, taken_by_kodo, taken_by_s3,
)


class PHP(SDK):
    version = "0.14.2"
    needs = {"objectId", "provider", "upload_url", "key"}

    @property
    def agent(self):
        return f"LeanCloud PHP SDK {self.version}"

    @property
    def moment(self):
        # Seconds, unlike all others.
        return str(int(time.time()))

    def encode(self, fields):
        return json.dumps(fields, separators=(",", ":")).replace("/", "\\/")

    def headers(self, url, body):
        id, key = self.signed
        return [
            netloc(url), ("Accept", "*/*"), id, ("Content-Type", "application/json;charset=utf-8"),
            ("Accept-Encoding", "gzip, deflate"), ("User-Agent", self.agent), ("X-LC-Prod", "0"), key, *self.session,
            length(body),
        ]

    def fields(self, name, data, type):
        # An empty string counts as no data.
        meta = {"owner": "unknown"} | ({"size": len(data)} if data else {})
        return {"name": name, "ACL": None, "mime_type": type, "metaData": meta, "__type": "File"}

    def link_fields(self, name, url, type):
        meta = {"owner": "unknown", "__source": "external"}
        return {"name": name, "ACL": None, "mime_type": type, "metaData": meta, "url": url}

    def curl(self, url, body, *own):
        # curl waits for 100 before it sends more than a kilobyte, in its newer versions a megabyte.
        expect = [("Expect", "100-continue")] if len(body) > 1024 else []
        return [netloc(url), ("Accept", "*/*"), ("User-Agent", self.agent), *own, length(body), *expect]

    def s3(self, tokens, name, data):
        headers = self.curl(tokens["upload_url"], data, ("Content-Type", tokens["mime_type"]))
        taken_by_s3(send("PUT", tokens["upload_url"], headers, data))

    def send_form(self, tokens, field, data, *own, **fields):
        boundary = random_hex(32)
        file = disposition(field, tokens["key"]), f"Content-Type: {tokens['mime_type']}", data
        # The form begins with an empty line.
        body = b"\r\n" + form(boundary, *((disposition(key), value.encode()) for key, value in fields.items()), file)
        headers = self.curl(tokens["upload_url"], body, multipart(boundary), *own)
        return send("POST", tokens["upload_url"], headers, body)

    def qiniu(self, tokens, name, data, crc=None):
        fields = {"token": tokens["token"], "key": tokens["key"], "crc32": str(zlib.crc32(data) if crc is None else crc)}
        taken_by_kodo(self.send_form(tokens, "file", data, **fields), tokens["key"], data)

    def qcloud(self, tokens, name, data):
        fields = {"op": "upload", "sha": hashlib.sha1(data).hexdigest()}
        taken_by_cos(self.send_form(tokens, "filecontent", data, ("Authorization", tokens["token"]), **fields))


@pytest.fixture(scope="module", params=["s3", "qiniu", "qcloud"])
def php(request, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("php"), f"php={request.param}") as server:
        yield PHP(server, provider=request.param)


@pytest.mark.few(3)
@each_file
def test_file_is_saved(php, name, data):
    tokens = php.save(name, data, "text/plain")
    record = assert_saved(php.server, tokens, data)
    assert (record["name"], record["mime_type"], record["metaData"]["owner"]) == (name, "text/plain", "unknown")


def test_provider_is_s3_unless_the_operator_says_more(server):
    assert_saved(server, PHP(server, provider="s3").save("note.txt", b"x"), b"x")


@pytest.mark.parametrize("master", [False, True], ids=["app key", "master key"])
def test_signature_of_seconds_is_taken(server, master):
    sdk = PHP(server, master=master)
    assert len(sdk.moment) == 10
    assert_saved(server, sdk.save("note.txt", b"x"), b"x")


@pytest.mark.parametrize("name, type", [("photo.png", "image/png"), ("README", "application/octet-stream")])
def test_type_that_is_null_is_told_by_the_name(server, name, type):
    assert PHP(server).ask(name, b"x", None)["mime_type"] == type


def test_wrong_crc32_refuses_the_form(server):
    sdk = PHP(server)
    tokens = sdk.ask("note.txt", b"good")
    fields = {"token": tokens["token"], "key": tokens["key"], "crc32": str(zlib.crc32(b"good") ^ 1)}
    answer = sdk.send_form(tokens, "file", b"good", **fields)
    assert answer.status == 406 and json.loads(answer.content)["error"]
    assert_not_saved(server, tokens)
    # A new attempt begins anew.
    sdk.qiniu(tokens, "note.txt", b"good")
    assert_saved(server, tokens, b"good")


def test_failure_of_a_put_is_xml_with_a_code_and_a_message(server):
    sdk = PHP(server)
    url = sdk.ask("note.txt", b"x")["upload_url"]
    unknown = url[:-40] + random_word(40)
    answer = send("PUT", unknown, sdk.curl(unknown, b"x", ("Content-Type", "text/plain")), b"x")
    assert answer.status == 404
    error = ElementTree.fromstring(answer.content)
    assert error.tag == "Error" and error.findtext("Code") and error.findtext("Message")


def test_key_of_the_app_needs_the_master_key_and_is_the_path(server):
    key = f"robots-{random_hex(8)}.txt"
    tokens = PHP(server, master=True).save("x.txt", b"User-agent: *", "text/plain", key=key)
    assert (tokens["key"], tokens["url"]) == (key, f"{server.url}/{key}")
    assert_saved(server, tokens, b"User-agent: *")


def test_upload_that_failed_leaves_nothing(server):
    sdk = PHP(server)
    tokens = sdk.ask("note.txt", b"never sent")
    sdk.call_back(tokens["token"], False)
    assert_not_saved(server, tokens)


def test_file_that_is_elsewhere_is_linked(server):
    url = "http://127.0.0.1:1/logo.png"
    assert_linked(server, PHP(server).link("logo.png", url), "logo.png", url)
