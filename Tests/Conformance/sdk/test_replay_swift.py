"""The Swift SDK's uploads, byte by byte."""

import json
import re
from urllib.parse import quote

import pytest
from replays import (
    CACHE, JSON, OCTETS, Apple, assert_linked, assert_not_saved, assert_saved, disposition, each_file, extension, form,
    length, multipart, netloc, random_hex, send, serving, taken_by_cos, taken_by_kodo, taken_by_s3,
)


class Swift(Apple):
    version = "17.11.0"
    alamofire = [
        ("Connection", "keep-alive"), ("Accept", "*/*"), ("Accept-Language", "en;q=1.0"),
        ("Accept-Encoding", "br;q=1.0, gzip;q=0.9, deflate;q=0.8"),
        ("User-Agent", "Photos/1.0 (org.example.photos; build:1; iOS 17.2.0) Alamofire/5.7.1"),
    ]

    def headers(self, url, body):
        return [
            netloc(url), ("Content-Type", JSON), *self.signed, ("X-LC-Prod", "1"), *self.session, ("Accept", JSON),
            ("User-Agent", f"LeanCloud-Swift-SDK/{self.version}"), length(body), *self.alamofire[:1], *self.alamofire[2:4],
        ]

    def fields(self, name, data, type):
        fields = {"name": name, "mime_type": type or OCTETS, "metaData": {"size": len(data)}}
        return fields if self.numbers >= [17, 6, 2] else fields | {"key": random_hex(32) + extension(name)}

    def ask(self, name, data, type=None, **more):
        self.key = more.get("key", self.fields(name, data, type).get("key"))
        return super().ask(name, data, type, **more | ({"key": self.key} if self.key else {}))

    def send_form(self, tokens, *parts, more=()):
        boundary = f"alamofire.boundary.{random_hex(16)}"
        body = form(boundary, *parts)
        headers = [netloc(tokens["upload_url"]), multipart(boundary), length(body), *self.alamofire, *more]
        return send("POST", tokens["upload_url"], headers, body)

    def s3(self, tokens, name, data):
        own = [("Content-Type", tokens["mime_type"]), length(data), CACHE]
        taken_by_s3(send("PUT", tokens["upload_url"], [netloc(tokens["upload_url"]), *own, *self.alamofire], data))

    def qiniu(self, tokens, name, data):
        # Versions that make a key send it here, too, and not that of the answer.
        values = {"token": tokens["token"], "key": self.key or tokens["key"]}
        fields = [(disposition(field), value.encode()) for field, value in values.items()]
        file = disposition("file", name), f"Content-Type: {tokens['mime_type']}", data
        taken_by_kodo(self.send_form(tokens, *fields, file), tokens["key"], data)

    def qcloud(self, tokens, name, data):
        file = disposition("filecontent", name), f"Content-Type: {tokens['mime_type']}", data
        op = disposition("op"), b"upload"
        taken_by_cos(self.send_form(tokens, file, op, more=[("Authorization", tokens["token"])]))


@pytest.fixture(scope="module", params=["s3", "qiniu", "qcloud"])
def swift(request, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("swift"), f"swift={request.param}") as server:
        yield Swift(server, provider=request.param)


def batch(server, *requests, path="/1.1/batch"):
    """Calls in a batch, with methods in lower case."""
    sdk, url = Swift(server), server.url + path
    body = sdk.encode({"requests": list(requests)}).encode()
    answer = send("POST", url, sdk.headers(url, body), body)
    assert (answer.status, answer.headers.get_content_type()) == (200, JSON)
    return json.loads(answer.content)


@pytest.mark.few(3)
@each_file
def test_file_is_saved(swift, name, data):
    tokens = swift.save(name, data, "text/plain")
    record = assert_saved(swift.server, tokens, data)
    assert (record["name"], record["mime_type"]) == (name, "text/plain")


def test_provider_is_s3_unless_the_operator_says_more(server):
    assert_saved(server, Swift(server, provider="s3").save("note.txt", b"x"), b"x")


@pytest.mark.parametrize("version", ["12.0.0", "16.1.0", "17.6.1"])
def test_key_of_a_version_that_makes_its_own_is_kept(server, version):
    key = f"{random_hex(32)}.txt"
    tokens = Swift(server, version=version).save("note.txt", b"old", "text/plain", key=key)
    assert tokens["key"] == key
    assert_saved(server, tokens, b"old")


def test_name_is_kept_in_the_place_of_the_extension_of_the_key_that_a_version_makes(swift):
    old = Swift(swift.server, version="17.6.1", provider=swift.provider)
    tokens = old.save("resume.txt", b"kept", "text/plain", keep_file_name=True)
    assert tokens["key"] == f"{old.key[:32]}/resume.txt"
    assert_saved(swift.server, tokens, b"kept")


def test_name_that_is_kept_ends_the_key_and_the_url(swift):
    name = "我的 笔记 #1.txt"
    tokens = swift.save(name, b"kept", "text/plain", keep_file_name=True)
    assert re.fullmatch(f"[0-9a-zA-Z]{{32}}/{name}", tokens["key"])
    assert tokens["url"].endswith(f"/{quote(name)}")
    assert_saved(swift.server, tokens, b"kept")


def test_record_is_read_as_the_sdk_reads_it(server):
    tokens = Swift(server).save("note.txt", b"x", "text/plain")
    read, = batch(server, {"method": "get", "path": f"/1.1/classes/_File/{tokens['objectId']}"})
    # A null would fail where a string is expected.
    assert read["success"]["url"] == tokens["url"] and None not in read["success"].values()


def test_upload_that_failed_leaves_nothing(server):
    sdk = Swift(server)
    tokens = sdk.ask("note.txt", b"never sent")
    sdk.call_back(tokens["token"], False)
    assert_not_saved(server, tokens)


URL = "http://127.0.0.1:1/logo.png"


def test_file_that_is_elsewhere_is_linked(server):
    assert_linked(server, Swift(server).link("logo.png", URL, "image/png"), "logo.png", URL)


def test_file_that_is_elsewhere_is_linked_with_the_object_that_holds_it(server):
    body = Swift(server).link_fields("logo.png", URL, "image/png") | {"__internalId": "A1"}
    item = {"method": "post", "path": "/1.1/classes/_File", "body": body, "new": True}
    saved = batch(server, item, path="/1.1/batch/save")["A1"]
    record = server.api().get(f"/1.1/files/{saved['objectId']}").json()
    assert (record["url"], record["createdAt"]) == (URL, saved["createdAt"])
