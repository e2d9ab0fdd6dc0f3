"""The Flutter SDK's uploads, byte by byte."""

import string

import pytest
from replays import (
    CACHE, OCTETS, SDK, assert_linked, assert_not_saved, assert_saved, disposition, each_file, form, netloc,
    random_word, send, serving, taken_by_kodo, taken_by_s3,
)


class Flutter(SDK):
    version = "0.7.10"
    needs = SDK.needs | {"mime_type"}

    def headers(self, url, body):
        own = [("user-agent", f"LeanCloud-Flutter-SDK/{self.version}"), *self.signed, *self.session]
        return [
            *((name.lower(), value) for name, value in own), ("content-type", "application/json; charset=utf-8"),
            ("accept-encoding", "gzip"), ("content-length", len(body)), ("host", netloc(url)[1]),
        ]

    def fields(self, name, data, type):
        # Neither the size nor, unless the app says it, the type.
        return {"name": name, "__type": "File", "mime_type": type, "metaData": None}

    link_path = "/1.1/classes/_File"

    def link_fields(self, name, url, type):
        return {"name": name, "url": url}

    def dart(self, url, body, *own):
        return [
            ("user-agent", "Dart/2.17 (dart:io)"), *own, ("accept-encoding", "gzip"), ("content-length", len(body)),
            ("host", netloc(url)[1]),
        ]

    def s3(self, tokens, name, data):
        own = ("cache-control", CACHE[1]), ("content-type", tokens["mime_type"])
        taken_by_s3(send("PUT", tokens["upload_url"], self.dart(tokens["upload_url"], data, *own), data))

    def qiniu(self, tokens, name, data):
        boundary = "--dio-boundary-" + random_word(10, string.digits)
        fields = [(disposition(field).lower(), tokens[field].encode()) for field in ("key", "token")]
        body = form(boundary, *fields, (disposition("file").lower(), f"content-type: {OCTETS}", data))
        own = ("content-type", f"multipart/form-data; boundary={boundary}")
        answer = send("POST", tokens["upload_url"], self.dart(tokens["upload_url"], body, own), body)
        taken_by_kodo(answer, tokens["key"], data)


@pytest.fixture(scope="module", params=[("0.7.10", "s3"), ("0.7.7", "s3"), ("0.7.7", "qiniu")], ids="-".join)
def flutter(request, tmp_path_factory):
    version, provider = request.param
    with serving(tmp_path_factory.mktemp("flutter"), f"flutter={provider}") as server:
        yield Flutter(server, version=version, provider=provider)


@pytest.mark.few(3)
@each_file
def test_file_is_saved_without_its_size(flutter, name, data):
    tokens = flutter.save(name, data, "text/plain")
    record = assert_saved(flutter.server, tokens, data)
    assert (record["name"], record["mime_type"]) == (name, "text/plain")


def test_provider_is_s3_unless_the_operator_says_more(server):
    assert_saved(server, Flutter(server, provider="s3").save("note.txt", b"x"), b"x")


@pytest.mark.parametrize("name, type", [("photo.png", "image/png"), ("README", OCTETS)])
def test_type_that_is_null_is_told_by_the_name(server, name, type):
    # The SDK throws at a type that is null in the answer.
    tokens = Flutter(server).ask(name, b"x", None)
    assert tokens["mime_type"] == type


def test_metadata_of_the_app_is_kept(server):
    tokens = Flutter(server).save("note.txt", b"x", metaData={"width": 1.5, "owner": "me"})
    metadata = assert_saved(server, tokens, b"x")["metaData"]
    assert (metadata["width"], metadata["owner"]) == (1.5, "me")


def test_upload_that_failed_leaves_nothing(server):
    sdk = Flutter(server)
    tokens = sdk.ask("note.txt", b"never sent")
    sdk.call_back(tokens["token"], False)
    assert_not_saved(server, tokens)


def test_file_that_is_elsewhere_is_linked(server):
    url = "http://127.0.0.1:1/logo.png"
    assert_linked(server, Flutter(server).link("logo.png", url), "logo.png", url)
