"""The Java and Android SDK's uploads, byte by byte: S3, and Qiniu's blocks with every check that the SDK makes."""

import hashlib
import zlib

import pytest
from replays import (
    BLOCK, CACHE, JSON, OCTETS, SDK, assert_linked, assert_not_saved, assert_saved, each_file, extension, length, md5,
    netloc, pieces, random_word, send, serving, taken, taken_by_kodo, taken_by_s3, urlsafe,
)


class Java(SDK):
    version = "8.2.28"
    needs = SDK.needs | {"url"}
    chunk = 256 << 10

    @property
    def agent(self):
        new = self.numbers >= [6, 0, 4]
        return f"LeanCloud-Java-SDK/{self.version}" if new else f"LeanCloud SDK v{self.version}"

    def encode(self, fields):
        # Gson writes what could end a script as escapes.
        text = super().encode(fields)
        for mark in "<>&='":
            text = text.replace(mark, f"\\u{ord(mark):04x}")
        return text

    link_path = "/1.1/classes/_File?fetchWhenSave=false"

    def link_fields(self, name, url, type):
        return {"metaData": {"__source": "external"}, "name": name, "url": url, "mime_type": type or OCTETS}

    def okhttp(self, url, agent="okhttp/4.7.2"):
        return [netloc(url), ("Connection", "Keep-Alive"), ("Accept-Encoding", "gzip"), ("User-Agent", agent)]

    def headers(self, url, body):
        return [
            # Always present, and empty for guests.
            *(self.session or [("X-LC-Session", "")]), ("X-LC-Prod", "1"), *self.signed, ("Accept", JSON),
            ("Content-Type", "application/json; charset=UTF-8"), length(body), *self.okhttp(url, self.agent),
        ]

    def fields(self, name, data, type):
        meta = {"_name": name, "_checksum": md5(data), "size": len(data)}
        fields = {"metaData": meta, "name": name, "mime_type": type or OCTETS}
        # Client keys: 40 letters and digits.
        current = self.numbers >= [7, 0, 9] or [6, 5, 14] <= self.numbers < [7]
        return fields if current else fields | {"key": random_word(40) + extension(name)}

    def save(self, name, data, type=None, **more):
        tokens = super().save(name, data, type, **more)
        # The uploader calls back, then the file does; the second one's failure fails the save.
        self.call_back(tokens["token"])
        return tokens

    def s3(self, tokens, name, data):
        # Of an empty file nothing is sent.
        if data:
            url = tokens["upload_url"]
            own = [CACHE, ("Content-Type", tokens["mime_type"]), length(data)]
            taken_by_s3(send("PUT", url, [*own, *self.okhttp(url)], data))

    def call(self, tokens, path, body, type=OCTETS):
        url = tokens["upload_url"] + path
        own = [("Authorization", f"UpToken {tokens['token']}"), ("Content-Type", type), length(body)]
        return send("POST", url, [*own, *self.okhttp(url)], body)

    def block(self, tokens, data):
        """Sends a block in chunks; returns its last ctx."""
        last = None
        for piece in pieces(data, self.chunk):
            path = f"/bput/{last['ctx']}/{last['offset']}" if last else f"/mkblk/{len(data)}"
            start = last["offset"] if last else 0
            last = taken(self.call(tokens, path, piece))
            # Java checks the second and later chunks of a block.
            assert (last["crc32"], last["offset"]) == (zlib.crc32(piece), start + len(piece))
            assert last["ctx"] and last["checksum"] and last["host"]
            assert not set("/?#%, ") & set(last["ctx"]), "ctx stands in a path and in a list as it is"
        return last["ctx"]

    def make(self, tokens, data, contexts):
        path = f"/mkfile/{len(data)}/key/{urlsafe(tokens['key'])}"
        return self.call(tokens, path, ",".join(contexts).encode(), "text/plain; charset=utf-8")

    def qiniu(self, tokens, name, data):
        contexts = [self.block(tokens, block) for block in pieces(data, BLOCK)]
        taken_by_kodo(self.make(tokens, data, contexts), tokens["key"], data)


# The server refuses java=qcloud: the SDK sends files above 512 KiB in slices.
@pytest.fixture(scope="module", params=["s3", "qiniu"])
def java(request, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("java"), f"java={request.param}") as server:
        yield Java(server, provider=request.param)


@pytest.fixture(scope="module")
def blocks(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("blocks"), "java=qiniu") as server:
        yield Java(server, provider="qiniu")


def bytes_of(size):
    return hashlib.shake_128(b"java").digest(size)


@pytest.mark.few(3)
@each_file
def test_file_is_saved(java, name, data):
    tokens = java.save(name, data, "text/plain")
    record = assert_saved(java.server, tokens, data)
    assert (record["name"], record["mime_type"], record["metaData"]["_name"]) == (name, "text/plain", name)


@pytest.mark.few(3)
@pytest.mark.parametrize("version", ["5.0.10", "6.5.12", "6.5.14", "7.0.8", "7.0.9", "8.2.18", "8.2.28"])
def test_every_version_saves_with_s3_unless_the_operator_says_more(server, version):
    assert_saved(server, Java(server, version=version, provider="s3").save("note.txt", b"x", "text/plain"), b"x")


@pytest.mark.few(3)
@pytest.mark.parametrize("version", ["5.0.10", "6.5.12", "7.0.8"])
@pytest.mark.parametrize("tail", [".txt", "/note.txt", ""])
def test_key_of_a_version_that_makes_its_own_is_kept(server, version, tail):
    key = random_word(40) + tail
    tokens = Java(server, version=version).save("note.txt", b"old", "text/plain", key=key)
    assert tokens["key"] == key
    assert_saved(server, tokens, b"old")


def test_empty_file_needs_no_put(server):
    sdk = Java(server)
    tokens = sdk.ask("empty.txt", b"", "text/plain")
    sdk.call_back(tokens["token"])
    assert_saved(server, tokens, b"")
    # The second of its two calls comes when all is done.
    sdk.call_back(tokens["token"])
    assert_saved(server, tokens, b"")


def test_upload_whose_put_failed_unseen_is_no_file(server):
    # The SDK takes a failed PUT for a success and says true.
    sdk = Java(server)
    tokens = sdk.ask("note.txt", b"never sent")
    sdk.call_back(tokens["token"])
    sdk.call_back(tokens["token"])
    assert_not_saved(server, tokens)


def test_upload_that_failed_leaves_nothing(server):
    sdk = Java(server)
    tokens = sdk.ask("note.txt", b"never sent")
    sdk.call_back(tokens["token"], False)
    sdk.call_back(tokens["token"], False)
    assert_not_saved(server, tokens)


def test_file_that_is_elsewhere_is_linked(server):
    url = "http://127.0.0.1:1/logo.png?a=1&b=2"
    assert_linked(server, Java(server).link("logo.png", url, "image/png"), "logo.png", url)


# Blocks

@pytest.mark.few(3)
@pytest.mark.parametrize("size", [1, 256 << 10, (256 << 10) + 1, BLOCK, BLOCK + 1, BLOCK + (300 << 10), 2 * BLOCK])
def test_blocks_of_any_size_are_saved(blocks, size):
    data = bytes_of(size)
    assert_saved(blocks.server, blocks.save("movie.bin", data), data)


def test_empty_file_is_made_of_no_blocks(blocks):
    tokens = blocks.ask("empty.txt", b"", "text/plain")
    answer = blocks.make(tokens, b"", [])
    # The hash of nothing, as Qiniu itself gives it.
    assert taken(answer) == {"hash": "Fto5o-5ea0sNMlW_75VgGJCv2AcJ", "key": tokens["key"]}
    assert_saved(blocks.server, tokens, b"")


def test_key_with_a_folder_and_a_name_comes_back_equal(blocks):
    # Only such keys have `-` and `_` in their Base64.
    key = f"{random_word(40)}/我的 文件?~.txt"
    tokens = blocks.save("我的 文件?~.txt", b"named", "text/plain", key=key)
    assert tokens["key"] == key
    assert_saved(blocks.server, tokens, b"named")


def test_chunk_whose_answer_was_lost_is_sent_again(blocks):
    data = bytes_of(3 * blocks.chunk)
    tokens = blocks.ask("movie.bin", data)
    first, second, third = pieces(data, blocks.chunk)
    last = taken(blocks.call(tokens, f"/mkblk/{len(data)}", first))
    for _ in range(2):
        next = taken(blocks.call(tokens, f"/bput/{last['ctx']}/{last['offset']}", second))
        assert (next["offset"], next["crc32"]) == (2 * blocks.chunk, zlib.crc32(second))
    end = taken(blocks.call(tokens, f"/bput/{next['ctx']}/{next['offset']}", third))
    taken_by_kodo(blocks.make(tokens, data, [end["ctx"]]), tokens["key"], data)
    assert_saved(blocks.server, tokens, data)


def test_block_whose_answer_was_lost_is_sent_again(blocks):
    data = bytes_of(BLOCK + 1)
    tokens = blocks.ask("movie.bin", data)
    first, second = pieces(data, BLOCK)
    taken(blocks.call(tokens, f"/mkblk/{len(first)}", first[: blocks.chunk]))
    contexts = [blocks.block(tokens, first), blocks.block(tokens, second)]
    taken_by_kodo(blocks.make(tokens, data, contexts), tokens["key"], data)
    assert_saved(blocks.server, tokens, data)


def test_end_whose_answer_was_lost_is_asked_again(blocks):
    data = bytes_of(1000)
    tokens = blocks.ask("movie.bin", data)
    context = blocks.block(tokens, data)
    for _ in range(2):
        taken_by_kodo(blocks.make(tokens, data, [context]), tokens["key"], data)
    assert_saved(blocks.server, tokens, data)
