"""`Accept-Encoding` of JSON answers: which are compressed, and that nothing else changes."""

import gzip
import json

import pytest
import zstandard
from client import credentials, head

GZIP = {"Accept-Encoding": "gzip"}


@pytest.fixture(scope="module")
def notes(api):
    """The path of a query whose answer has some KB, and of one whose answer has some hundred KB."""
    for size, name in [(2_000, "ShortNotes"), (60_000, "LongNotes")]:
        for n in range(5):
            text = f"{n} 笔记 " * (size // 8)
            assert api.post(f"/1.1/classes/{name}", json={"text": text}).status_code == 201
    return "/1.1/classes/ShortNotes", "/1.1/classes/LongNotes"


def asked(server, path, **headers):
    with server.raw() as connection:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return connection.request("GET", path, credentials() | named)


def decompressed(coding, content):
    if coding == "gzip":
        return gzip.decompress(content)
    return zstandard.ZstdDecompressor().decompressobj().decompress(content)


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_compressed_answer_is_the_same(server, notes, coding):
    for path in notes:
        plain = asked(server, path)
        packed = asked(server, path, Accept_Encoding=coding)
        assert plain.getheader("Content-Encoding") is None
        assert packed.getheader("Content-Encoding") == coding
        assert plain.getheader("Vary") == packed.getheader("Vary") == "Accept-Encoding"
        assert decompressed(coding, packed.content) == plain.content
        assert len(packed.content) < len(plain.content) / 4


def test_short_answer_has_a_length_and_a_long_one_is_chunked(server, notes):
    short, long = (asked(server, path, **GZIP) for path in notes)
    assert short.getheader("Content-Length") == str(len(short.content))
    assert (long.getheader("Content-Length"), long.getheader("Transfer-Encoding")) == (None, "chunked")


def test_connection_goes_on_after_compressed_answers(server, notes):
    with server.raw() as connection:
        for path in notes * 3:
            answer = connection.request("GET", path, credentials() | GZIP)
            assert len(json.loads(gzip.decompress(answer.content))["results"]) == 5
            assert connection.request("GET", "/health", {}).content == b'{"status":"ok"}'


def test_old_client_gets_a_compressed_answer_that_ends_with_the_connection(server, notes):
    for path in notes:
        with server.raw() as connection:
            connection.send(head("GET", path, credentials() | GZIP).replace(b"HTTP/1.1", b"HTTP/1.0", 1))
            answer = connection.answer("GET")
            assert answer.getheader("Transfer-Encoding") is None
            assert len(json.loads(gzip.decompress(answer.content))["results"]) == 5


@pytest.mark.parametrize("value, is_compressed", [
    ("gzip", True), ("gzip, deflate, br", True), ("x-gzip", True), ("*", True), ("gzip;q=0.1", True), ("GZIP;Q=0.1", True),
    ("identity;q=0, gzip;q=0.001", True), ("deflate", False), ("br", False), ("gzip;q=0", False), ("gzip;q=0, *", False),
    ("identity", False), ("identity, gzip;q=0.5", False), ("*;q=0", False), ("identity;q=0", False), ("", False),
])
def test_weights_decide(server, notes, value, is_compressed):
    answer = asked(server, notes[0], Accept_Encoding=value)
    assert (answer.status, answer.getheader("Content-Encoding")) == (200, "gzip" if is_compressed else None)


@pytest.mark.parametrize("value, coding", [
    ("gzip, deflate, br, zstd", "zstd"), ("zstd;q=0.9, gzip", "gzip"), ("zstd;q=0, *", "gzip"),
    ("zstd, identity;q=0.5", "zstd"),
])
def test_client_chooses_between_codings(server, notes, value, coding):
    assert asked(server, notes[0], Accept_Encoding=value).getheader("Content-Encoding") == coding


def test_several_lines_are_one_list(server, notes):
    with server.raw() as connection:
        request = head("GET", notes[0], credentials() | {"Accept-Encoding": "br"})
        connection.send(request[:-2] + b"Accept-Encoding: gzip\r\n\r\n")
        assert connection.answer("GET").getheader("Content-Encoding") == "gzip"


def test_files_errors_and_short_answers_are_not_compressed(server, api):
    url = api.store(b" " * 10_000, name="blank.json")["url"]
    for path in [url.removeprefix(server.url), "/health", "/none", "/1.1/classes/Nothing"]:
        assert asked(server, path, **GZIP).getheader("Content-Encoding") is None


def test_answers_with_session_tokens_are_not_compressed(server, api):
    user = {"username": "compressed", "password": "secret", "text": "word " * 1000}
    created = api.post("/1.1/users?fetchWhenSave=true", json=user, headers=GZIP)
    logged_in = api.post("/1.1/login", json={"username": "compressed", "password": "secret"}, headers=GZIP)
    session = {"X-LC-Session": logged_in.json()["sessionToken"]}
    changed = api.call(
        "PUT", f"/1.1/users/{logged_in.json()['objectId']}?fetchWhenSave=true", headers=GZIP | session,
        json={"password": "another", "text": "word " * 1000},
    )
    for answer in created, logged_in, changed:
        assert answer.json()["sessionToken"] and len(answer.content) > 1024
        assert "Content-Encoding" not in answer.headers


@pytest.mark.extended
def test_setting_turns_it_off(new_server):
    server = new_server(LCFILE_HTTP_COMPRESSION="false").start()
    assert server.api().post("/1.1/classes/Note", json={"text": "word " * 1000}).status_code == 201
    answer = asked(server, "/1.1/classes/Note", **GZIP)
    assert (answer.getheader("Content-Encoding"), answer.getheader("Vary")) == (None, None)
    assert len(json.loads(answer.content)["results"]) == 1
