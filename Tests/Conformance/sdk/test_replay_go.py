"""The Go SDK's uploads and those of the command line `lean`, byte by byte."""

import json
from urllib.parse import quote_plus

import pytest
from client import LAST_CHUNK
from people import Person
from replays import (
    CACHE, JSON, OCTETS, SDK, assert_linked, assert_not_saved, assert_saved, disposition, each_file, extension, form, length,
    multipart, netloc, random_hex, random_word, send, serving, taken, taken_by_cos, taken_by_s3,
)


class Go(SDK):
    version = "0.3.2"
    needs = {"objectId", "createdAt", "key", "url", "token", "bucket", "upload_url", "provider"}
    # An empty *os.File goes in chunks; an empty bytes.Reader has a length.
    from_reader = False

    @property
    def agent(self):
        return f"LeanCloud-Golang-SDK/{self.version} linux/go1.18.10"

    def encode(self, fields):
        text = json.dumps(fields, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
        for mark in "<>&":
            text = text.replace(mark, f"\\u{ord(mark):04x}")
        return text

    def headers(self, url, body):
        named = [(name.replace("LC", "Lc"), value) for name, value in self.keyed + [("X-LC-Prod", "1")] + self.session]
        own = [("User-Agent", self.agent), length(body), ("Content-Type", JSON)]
        return [netloc(url), *own, *named, ("Accept-Encoding", "gzip")]

    def fields(self, name, data, type):
        meta = {"size": len(data), "owner": self.owner()}
        return {"__type": "File", "name": name, "mime_type": type or OCTETS, "metaData": meta}

    def link_fields(self, name, url, type):
        # The SDK forgets the url.
        meta = {"__source": "external", "owner": self.owner()}
        return {"__type": "File", "name": name, "mime_type": type or "", "metaData": meta}

    def owner(self):
        """Who is logged in, as the SDK asks before each upload."""
        if not self.session:
            return "unknown"
        url = f"{self.server.url}/1.1/users/me"
        without_body = [header for header in self.headers(url, b"") if not header[0].startswith("Content-")]
        return taken(send("GET", url, without_body))["objectId"]

    def http(self, url, body, *own):
        size = length(body) if body or self.from_reader else ("Transfer-Encoding", "chunked")
        return [netloc(url), ("User-Agent", "Go-http-client/1.1"), size, *own, ("Accept-Encoding", "gzip")]

    def s3(self, tokens, name, data):
        url = tokens["upload_url"]
        headers = self.http(url, data, CACHE, ("Content-Type", tokens["mime_type"]))
        taken_by_s3(send("PUT", url, headers, data if data or self.from_reader else LAST_CHUNK))

    def qcloud(self, tokens, name, data):
        url, boundary = f"{tokens['upload_url']}?sign={quote_plus(tokens['token'])}", random_hex(60)
        file = disposition("fileContent", name), f"Content-Type: {OCTETS}", data
        body = form(boundary, (disposition("op"), b"upload"), file)
        taken_by_cos(send("POST", url, self.http(url, body, multipart(boundary)), body))

class CLI(Go):
    """go-upload inside lean-cli: an own key, and no call back."""

    version = "0.1.0"
    needs = {"objectId", "url", "provider", "upload_url", "mime_type", "token"}

    @property
    def agent(self):
        return f"LeanCloud-Go-Upload/{self.version}"

    def headers(self, url, body):
        return [
            netloc(url), ("User-Agent", self.agent), length(body), ("Content-Type", "Application/JSON"),
            *((name.replace("LC", "Lc"), value) for name, value in self.keyed), ("Accept-Encoding", "gzip"),
        ]

    def fields(self, name, data, type):
        meta = {"size": len(data), "owner": "unknown"}
        return {"name": name, "key": random_word(40) + extension(name), "mime_type": type or "", "metaData": meta}

    def call_back(self, token, result=True):
        pass


@pytest.fixture(scope="module", params=["s3", "qcloud"])
def told(request, tmp_path_factory):
    """A server that names the providers with which these two send to us."""
    with serving(tmp_path_factory.mktemp("go"), f"go={request.param}, cli={request.param}") as server:
        yield server, request.param


@pytest.mark.few(3)
@pytest.mark.each_value
@each_file
@pytest.mark.parametrize("sdk", [Go, CLI])
def test_file_is_saved(told, sdk, name, data):
    server, provider = told
    # The CLI never calls back: the bytes alone make the file.
    tokens = sdk(server, provider=provider).save(name, data, "text/plain")
    record = assert_saved(server, tokens, data)
    assert (record["name"], record["mime_type"], record["metaData"]["owner"]) == (name, "text/plain", "unknown")


@pytest.mark.parametrize("sdk", [Go, CLI])
def test_provider_is_s3_unless_the_operator_says_more(server, sdk):
    assert_saved(server, sdk(server, provider="s3").save("note.txt", b"x"), b"x")


@pytest.mark.parametrize("from_reader", [False, True], ids=["in chunks", "with a length"])
def test_empty_file_is_saved(server, from_reader):
    sdk = Go(server)
    sdk.from_reader = from_reader
    assert_saved(server, sdk.save("empty.txt", b"", "text/plain"), b"")


@pytest.mark.parametrize("name", ["note.txt", "README", "archive.tar.gz"])
def test_key_of_the_cli_is_kept(server, name):
    key = random_word(40) + extension(name)
    tokens = CLI(server).save(name, b"by the CLI", key=key)
    assert (tokens["key"], tokens["url"]) == (key, f"{server.url}/{key}")
    assert_saved(server, tokens, b"by the CLI")


def test_empty_type_of_the_cli_is_told_by_the_name(server):
    tokens = CLI(server).save("photo.png", b"x", "")
    assert assert_saved(server, tokens, b"x")["mime_type"] == "image/png"


def test_owner_is_the_user_that_the_sdk_asked_for(server):
    person = Person(server)
    tokens = Go(server, session=person.token).save("note.txt", b"x")
    assert assert_saved(server, tokens, b"x")["metaData"]["owner"] == person.id


def test_master_key_is_sent_as_it_is(server):
    assert_saved(server, Go(server, master=True).save("note.txt", b"x"), b"x")


def test_upload_that_failed_leaves_nothing(server):
    sdk = Go(server)
    tokens = sdk.ask("note.txt", b"never sent")
    sdk.call_back(tokens["token"], False)
    assert_not_saved(server, tokens)


@pytest.mark.parametrize("state", ["finished", "given up", "unknown"])
def test_call_back_never_fails_the_upload(server, state):
    # Its failure would fail the upload in this SDK alone.
    sdk = Go(server)
    token = "0" * 40 if state == "unknown" else sdk.save("note.txt", b"x")["token"]
    sdk.call_back(token, state != "given up")
    sdk.call_back(token)


def test_file_that_is_elsewhere_is_linked_without_its_url(server):
    assert_linked(server, Go(server).link("logo.png", "http://127.0.0.1:1/logo.png", "image/png"), "logo.png")
