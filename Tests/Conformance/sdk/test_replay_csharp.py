"""The C# and Unity SDK's uploads, byte by byte: S3, Qiniu's form, and Qiniu's parts in three spellings of the key."""

import base64
import hashlib

import pytest
from client import ALPHA, BETA
from people import Person
from replays import (
    BLOCK, JSON, OCTETS, SDK, assert_linked, assert_not_saved, assert_saved, each_file, form, hostname, length, md5,
    multipart, netloc, pieces, random_hex, send, serving, taken, taken_by_kodo, taken_by_s3, urlsafe,
)


class CSharp(SDK):
    version = "2.4.1"
    needs = SDK.needs | {"bucket", "mime_type"}

    def headers(self, url, body):
        return [
            netloc(url), *(self.keyed if self.master else self.signed), *self.session,
            ("User-Agent", f"LeanCloud-CSharp-SDK/{self.version}"), ("Accept", JSON), ("Content-Type", JSON), length(body),
        ]

    def fields(self, name, data, type):
        fields = {"name": name, "__type": "File"} | ({"mime_type": type} if type else {})
        return fields | {"metaData": {"size": len(data), "_checksum": md5(data)}}

    def link_fields(self, name, url, type):
        return {"name": name, "url": url}

    def s3(self, tokens, name, data):
        # .NET refuses types with parameters. The age should have been a thousand times as long.
        assert ";" not in tokens["mime_type"]
        own = [("Cache-Control", "public, max-age=31536"), ("Content-Type", tokens["mime_type"]), length(data)]
        taken_by_s3(send("PUT", tokens["upload_url"], [netloc(tokens["upload_url"]), *own], data))

    def qiniu(self, tokens, name, data):
        (self.parts if self.numbers >= [0, 10, 3] else self.send_form)(tokens, data)

    def send_form(self, tokens, data):
        url, boundary = tokens["upload_url"], "-".join(map(random_hex, (8, 4, 4, 4, 12)))
        type = "Content-Type: text/plain; charset=utf-8"
        # Names without quotes.
        fields = [(type, f"Content-Disposition: form-data; name={field}", tokens[field].encode()) for field in ("key", "token")]
        body = form(boundary, *fields, ("Content-Disposition: form-data; name=file", data))
        headers = [netloc(url), multipart(f'"{boundary}"'), length(body)]
        taken_by_kodo(send("POST", url, headers, body), tokens["key"], data)

    def encoded(self, key):
        """The key in the path: three spellings, version by version."""
        if self.numbers >= [2, 2, 1]:
            return urlsafe(key)
        standard = base64.b64encode(key.encode()).decode()
        if self.numbers >= [0, 10, 19]:
            return standard
        return standard.replace("+", "%2b").replace("/", "%2f").replace("=", "%3d")

    def call(self, tokens, method, path, *own, body=b""):
        url = f"{tokens['upload_url']}/buckets/{tokens['bucket']}/objects/{self.encoded(tokens['key'])}/uploads{path}"
        headers = [hostname(url), ("Authorization", f"UpToken {tokens['token']}"), *own, length(body)]
        return send(method, url, headers, body)

    def part(self, tokens, id, number, data):
        digest = base64.b64encode(hashlib.md5(data).digest()).decode()
        own = ("Content-Type", OCTETS), ("Content-MD5", digest)
        return {"partNumber": number, "etag": taken(self.call(tokens, "PUT", f"/{id}/{number}", *own, body=data))["etag"]}

    def parts(self, tokens, data):
        id = taken(self.call(tokens, "POST", ""))["uploadId"]
        parts = [self.part(tokens, id, number, piece) for number, piece in enumerate(pieces(data, BLOCK), 1)]
        finish = self.encode({"parts": parts}).encode()
        taken_by_kodo(self.call(tokens, "POST", f"/{id}", ("Content-Type", JSON), body=finish), tokens["key"], data)


# The last with the form, the first with each spelling of the key, and the newest.
VERSIONS = ["0.10.2", "0.10.3", "0.10.19", "2.2.1", "2.4.1"]


@pytest.fixture(scope="module")
def kodo(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("csharp"), "csharp=qiniu") as server:
        yield server


@each_file
def test_file_is_saved(server, name, data):
    tokens = CSharp(server, provider="s3").save(name, data, "text/plain")
    record = assert_saved(server, tokens, data)
    assert (record["name"], record["mime_type"]) == (name, "text/plain")


@pytest.mark.few(3)
@pytest.mark.each_value
@each_file
@pytest.mark.parametrize("version", VERSIONS)
def test_file_is_saved_with_qiniu(kodo, version, name, data):
    tokens = CSharp(kodo, version=version, provider="qiniu").save(name, data, "text/plain")
    assert_saved(kodo, tokens, data)


@pytest.mark.few(3)
@pytest.mark.parametrize("version", VERSIONS)
def test_key_with_any_letters_of_base64_is_understood(kodo, version):
    # Of `?` and `~` in these places come the letters that the two alphabets of Base64 do not share.
    prefix = "aa?aa~"
    sdk = CSharp(kodo, version=version, provider="qiniu")
    tokens = sdk.save("note.txt", b"spelled", prefix=prefix, metaData={"size": 7, "prefix": prefix})
    assert {"+", "/"} <= set(base64.b64encode(tokens["key"].encode()).decode())
    assert tokens["key"].startswith(f"{prefix}/")
    assert_saved(kodo, tokens, b"spelled")


@pytest.mark.parametrize("size", [BLOCK, BLOCK + 1, 2 * BLOCK])
def test_parts_are_saved(kodo, size):
    data = hashlib.shake_128(b"csharp").digest(size)
    assert_saved(kodo, CSharp(kodo, provider="qiniu").save("movie.bin", data), data)


def test_type_is_bare_if_the_app_gives_parameters(server):
    tokens = CSharp(server).save("note.txt", b"x", "text/plain; charset=utf-8")
    assert tokens["mime_type"] == "text/plain"
    assert_saved(server, tokens, b"x")


def test_type_that_the_app_does_not_say_is_told_by_the_name(server):
    tokens = CSharp(server).save("photo.png", b"x")
    assert assert_saved(server, tokens, b"x")["mime_type"] == "image/png"


def test_prefix_is_in_the_url(server):
    tokens = CSharp(server).save("note.txt", b"game", prefix="gamesaves", metaData={"size": 4, "prefix": "gamesaves"})
    assert "/gamesaves/" in tokens["url"]
    assert assert_saved(server, tokens, b"game")["metaData"]["prefix"] == "gamesaves"


@pytest.mark.parametrize("app", [ALPHA, BETA], ids=["one app", "another"])
def test_master_key_is_sent_as_it_is(server, app):
    assert_saved(server, CSharp(server, app=app, master=True).save("note.txt", b"x"), b"x", app)


def test_file_of_a_user_is_read_by_the_user_alone(server):
    person = Person(server)
    acl = {person.id: {"read": True, "write": True}}
    tokens = CSharp(server, session=person.token).save("note.txt", b"x", ACL=acl)
    assert person.get(f"/1.1/files/{tokens['objectId']}").json()["name"] == "note.txt"
    refused = server.api().get(f"/1.1/files/{tokens['objectId']}")
    assert (refused.status_code, refused.json()["code"]) == (403, 403)


def test_upload_that_failed_leaves_nothing(server):
    sdk = CSharp(server)
    tokens = sdk.ask("note.txt", b"never sent")
    sdk.call_back(tokens["token"], False)
    assert_not_saved(server, tokens)


def test_file_that_is_elsewhere_is_linked(server):
    url = "http://127.0.0.1:1/logo.png"
    answer = CSharp(server).link("logo.png", url)
    # This SDK does not say that the file is elsewhere; its url does.
    assert_linked(server, answer, "logo.png", url)
