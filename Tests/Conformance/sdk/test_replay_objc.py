"""The Objective-C SDK's uploads, byte by byte."""

import pytest
from client import ALPHA, BETA
from people import Person
from replays import (
    CACHE, JSON, OCTETS, SDK, Apple, assert_linked, assert_not_saved, assert_saved, disposition, each_file, extension, form,
    hostname, length, multipart, netloc, random_hex, send, serving, taken, taken_by_cos, taken_by_kodo, taken_by_s3,
)


class ObjC(Apple):
    version = "14.0.0"
    needs = SDK.needs | {"mime_type"}
    # NSDictionary gives the lines of a part's head in any order.
    type_first = False
    # What the app itself set for the upload.
    uploading_headers = ()

    @property
    def agent(self):
        return f"LeanCloud-Objc-SDK/{self.version}" if self.numbers[0] > 12 else f"AVOS Cloud iOS-v{self.version} SDK"

    def headers(self, url, body):
        # The master key is an app key that ends in `,master`.
        key = self.keyed if self.master else self.signed
        return [
            netloc(url), ("Content-Type", "application/json; charset=utf-8"), *key, ("X-LC-Prod", "1"), *self.session,
            ("Connection", "keep-alive"), ("Accept", JSON), ("User-Agent", self.agent), length(body),
            ("Accept-Language", "en-us"), ("Accept-Encoding", "gzip"),
        ]

    def fields(self, name, data, type):
        fields = {"name": name, "mime_type": type or OCTETS, "metaData": {"size": len(data)}}
        # Client keys: a UUID without its dashes.
        return fields if self.numbers >= [13, 3] else fields | {"key": random_hex(32) + extension(name)}

    def upload_headers(self, tokens, *own):
        return [
            hostname(tokens["upload_url"]), *own, ("Connection", "keep-alive"), ("Accept", "*/*"),
            ("User-Agent", "Photos/1.0 (iPhone; iOS 17.2; Scale/3.00)"), ("Accept-Language", "en;q=1"),
            ("Accept-Encoding", "gzip, deflate"),
        ]

    def s3(self, tokens, name, data):
        own = dict([("Content-Type", tokens["mime_type"]), CACHE, *self.uploading_headers])
        headers = self.upload_headers(tokens, *own.items(), length(data))
        taken_by_s3(send("PUT", tokens["upload_url"], headers, data))

    def part(self, field, tokens, data):
        lines = [disposition(field, tokens["key"]), f"Content-Type: {tokens['mime_type']}"]
        return (*(reversed(lines) if self.type_first else lines), data)

    def send_form(self, tokens, *parts, more=()):
        boundary = f"Boundary+{random_hex(16).upper()}"
        body = form(boundary, *parts)
        return send(
            "POST", tokens["upload_url"], self.upload_headers(tokens, multipart(boundary), length(body), *more), body
        )

    def qiniu(self, tokens, name, data):
        fields = [(disposition(field), tokens[field].encode()) for field in ("key", "token")]
        taken_by_kodo(self.send_form(tokens, self.part("file", tokens, data), *fields), tokens["key"], data)

    def qcloud(self, tokens, name, data):
        parts = self.part("filecontent", tokens, data), (disposition("op"), b"upload")
        taken_by_cos(self.send_form(tokens, *parts, more=[("Authorization", tokens["token"])]))


@pytest.fixture(scope="module", params=["s3", "qiniu", "qcloud"])
def objc(request, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("objc"), f"objc={request.param}") as server:
        yield ObjC(server, provider=request.param)


@pytest.mark.few(3)
@each_file
def test_file_is_saved(objc, name, data):
    tokens = objc.save(name, data, "text/plain")
    record = assert_saved(objc.server, tokens, data)
    assert (record["name"], record["mime_type"]) == (name, "text/plain")


def test_lines_of_a_part_may_change_places(objc, monkeypatch):
    monkeypatch.setattr(objc, "type_first", True)
    assert_saved(objc.server, objc.save("note.txt", b"type first", "text/plain"), b"type first")


def test_provider_is_s3_unless_the_operator_says_more(server):
    assert_saved(server, ObjC(server, provider="s3").save("note.txt", b"x"), b"x")


def test_type_that_the_sdk_does_not_know_is_octets(server):
    assert assert_saved(server, ObjC(server).save("README", b"x"), b"x")["mime_type"] == OCTETS


@pytest.mark.parametrize("version", ["4.6.0", "9.0.0", "13.2.0"])
def test_key_of_a_version_that_makes_its_own_is_kept(server, version):
    key = f"{random_hex(32)}.txt"
    tokens = ObjC(server, version=version).save("note.txt", b"old", "text/plain", key=key)
    assert tokens["key"] == key
    assert_saved(server, tokens, b"old")


def test_prefix_is_in_the_key_and_in_the_metadata(server):
    more = {"prefix": "gamesaves", "metaData": {"size": 4, "prefix": "gamesaves"}}
    tokens = ObjC(server).save("note.txt", b"game", **more)
    assert tokens["key"].startswith("gamesaves/") and "/gamesaves/" in tokens["url"]
    assert assert_saved(server, tokens, b"game")["metaData"]["prefix"] == "gamesaves"


def test_leftovers_of_a_record_are_passed_over(server):
    id = "6632f1b7c3d4e5f60718293b"
    old = {"objectId": id, "url": "http://127.0.0.1/old", "createdAt": "2014-05-02T08:00:00.123Z", "bucket": "old"}
    tokens = ObjC(server).save("note.txt", b"again", **old)
    assert tokens["objectId"] != id and tokens["createdAt"] > "2020"
    assert_saved(server, tokens, b"again")


def test_headers_of_the_app_change_nothing(server):
    sdk = ObjC(server)
    sdk.uploading_headers = [("Content-Type", "video/mp4"), ("Cache-Control", "no-store"), ("X-Own", "1")]
    tokens = sdk.save("note.txt", b"own", "text/plain")
    assert assert_saved(server, tokens, b"own")["mime_type"] == "text/plain"
    assert server.api().fetch(tokens["url"]).headers["Cache-Control"].startswith(CACHE[1])


@pytest.mark.parametrize("master", [False, True], ids=["signature", "master key"])
@pytest.mark.parametrize("app", [ALPHA, BETA], ids=["one app", "another"])
def test_each_key_of_each_app_uploads(server, app, master):
    tokens = ObjC(server, app=app, master=master).save("note.txt", b"mine")
    assert_saved(server, tokens, b"mine", app)


def test_file_of_a_user_is_the_users(server):
    person = Person(server)
    acl = {person.id: {"read": True, "write": True}}
    tokens = ObjC(server, session=person.token).save("note.txt", b"x", ACL=acl)
    assert person.get(f"/1.1/files/{tokens['objectId']}").json()["metaData"]["owner"] == person.id
    assert server.api().get(f"/1.1/files/{tokens['objectId']}").status_code == 403


def test_record_is_read_as_the_sdk_reads_it(server):
    sdk = ObjC(server)
    tokens = sdk.save("note.txt", b"x", "text/plain")
    url = f"{server.url}/1.1/classes/_file/{tokens['objectId']}"
    headers = [header for header in sdk.headers(url, b"") if header[0] != "Content-Length"]
    assert taken(send("GET", url, headers))["url"] == tokens["url"]


def test_upload_that_failed_leaves_nothing(server):
    sdk = ObjC(server)
    tokens = sdk.ask("note.txt", b"never sent")
    sdk.call_back(tokens["token"], False)
    assert_not_saved(server, tokens)


def test_file_that_is_elsewhere_is_linked(server):
    url = "http://127.0.0.1:1/pictures/logo.png?size=1"
    assert_linked(server, ObjC(server).link("logo.png", url, "image/png"), "logo.png", url)
