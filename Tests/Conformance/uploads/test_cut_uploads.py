"""Clients that leave at any byte of a body: nothing is taken for whole, nothing stays, and who comes back goes on."""

from contextlib import suppress

import pytest
from cases import chance as chance_of, count
from client import chunk, credentials, eventually, head
from uploading import (
    KB, Tus, ask, assert_counts, assert_file, assert_nothing_staged, content_md5, has_bytes, must, noise, own_server,
    record_of,
)

CUTS = count(20, 200)
DATA = noise(300 * KB)
FIELD = b'--b\r\nContent-Disposition: form-data; name="token"\r\n\r\n%s\r\n'
FORM = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x.bin"\r\n\r\n' + DATA + b"\r\n--b--\r\n"
FORM_TYPE = {"Content-Type": "multipart/form-data; boundary=b"}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server of this module's own, so that what lies in its folders is what cut uploads left."""
    yield from own_server(tmp_path_factory)


def chunked(data, chance):
    """The body as chunks of any sizes, without its end."""
    cuts = [0, *sorted(chance.sample(range(1, len(data)), 5)), len(data)] if len(data) > 10 else [0, len(data)]
    return b"".join(chunk(data[start:end]) for start, end in zip(cuts, cuts[1:]))


def leave(server, chance, method, path, headers, data, at=None, may_chunk=True):
    """Sends a request up to a random byte of its body and goes away, in one of the ways that clients go."""
    is_chunked = may_chunk and chance.random() < 0.4
    body = chunked(data, chance) if is_chunked else data
    size = {"Transfer-Encoding": "chunked"} if is_chunked else {"Content-Length": len(data)}
    at = chance.randrange(len(data)) if at is None else at
    with server.raw() as connection, suppress(ConnectionError):
        connection.send(head(method, path, headers | size) + body[:at])
        way = chance.choice(["close", "reset", "end of sending"])
        if way == "reset":
            connection.reset()
        elif way == "end of sending":
            connection.end_of_sending()
            status = connection.answer_or_end()
            assert status is None or 400 <= status < 500, status


@pytest.mark.parametrize("path, headers, body", [
    ("/1.1/files/x.bin", {}, DATA), ("/1.1/files", FORM_TYPE, FORM),
    ("/1.1/files/x.bin", content_md5(DATA), DATA),
], ids=["raw body", "form", "raw body with Content-MD5"])
def test_cut_body_of_one_request_leaves_nothing(own, path, headers, body):
    chance, api = chance_of(path), own.api()
    before = api.count()
    for _ in range(CUTS):
        leave(own, chance, "POST", path, credentials() | headers, body)
    assert_nothing_staged(own)
    assert_counts(own, before)
    whole = must(api.post(path, data=body, headers=headers), 201)
    assert_file(api, whole["objectId"], DATA)
    assert_counts(own, before + 1)


@pytest.mark.parametrize("method", ["PUT", "POST"], ids=["S3 PUT", "Kodo form"])
@pytest.mark.parametrize("announced", [None, len(DATA)], ids=["size unknown", "size announced"])
def test_cut_request_of_a_token_makes_no_file_and_may_come_again(own, method, announced):
    chance, api = chance_of(f"{method}{announced}"), own.api()
    before, target = api.count(), ask(own.api(), announced)
    headers, body = {}, DATA
    if method == "POST":
        headers, body = FORM_TYPE, FIELD % target.token.encode() + FORM
    for _ in range(CUTS):
        leave(own, chance, method, target.path, headers, body)
        assert record_of(api, target.id) is None
    assert_counts(own, before)
    assert target.call(method, data=body, headers=headers).status_code == 200
    assert_file(api, target.id, DATA)
    assert eventually(lambda: not has_bytes(own, target.id))
    assert_counts(own, before + 1)


def come_back(send, finish):
    """Sends and ends until it is taken: the server may read what a dead connection brought after what a newer one did."""

    def is_taken():
        sent = send()
        return sent.status_code == 200 and finish(sent.json()).status_code == 200

    assert eventually(is_taken)


def test_cut_blocks_of_kodo_do_not_count(own):
    chance, api = chance_of("v1"), own.api()
    before, target = api.count(), ask(own.api(), len(DATA))
    for _ in range(CUTS // 2):
        leave(own, chance, "POST", f"{target.path}/mkblk/{len(DATA)}", target.bearer, DATA)
    ctx = must(target.mkblk(DATA[:1000], len(DATA)))["ctx"]
    for _ in range(CUTS):
        leave(own, chance, "POST", f"{target.path}/bput/{ctx}/1000", target.bearer, DATA[1000:])
    assert target.mkfile(len(DATA), [ctx]).status_code == 701
    assert_counts(own, before)
    come_back(
        lambda: target.bput(ctx, 1000, DATA[1000:]), lambda answer: target.mkfile(len(DATA), [answer["ctx"]]),
    )
    assert_file(api, target.id, DATA)
    assert eventually(lambda: not has_bytes(own, target.id))
    assert_counts(own, before + 1)


@pytest.mark.parametrize("headers", [{}, content_md5(DATA)], ids=["", "with Content-MD5"])
def test_cut_parts_of_kodo_do_not_count(own, headers):
    chance, api = chance_of(f"v2{headers}"), own.api()
    before, target = api.count(), ask(own.api(), len(DATA))
    id = target.begin()
    for _ in range(CUTS):
        leave(own, chance, "PUT", f"{target.path}{target.objects}/{id}/1", target.bearer | headers, DATA, may_chunk=False)
    assert target.finish(id, [(1, "etag")]).status_code == 701
    assert_counts(own, before)
    come_back(lambda: target.part(id, 1, DATA), lambda answer: target.finish(id, [(1, answer["etag"])]))
    assert_file(api, target.id, DATA)
    assert eventually(lambda: not has_bytes(own, target.id))
    assert_counts(own, before + 1)


def test_cut_replacement_of_a_part_does_not_count(own):
    chance, api, other = chance_of("again"), own.api(), noise(len(DATA), "other")
    target = ask(own.api(), len(DATA))
    id = target.begin()
    must(target.part(id, 1, DATA))
    for _ in range(CUTS):
        leave(own, chance, "PUT", f"{target.path}{target.objects}/{id}/1", target.bearer, other, may_chunk=False)
    come_back(lambda: target.part(id, 1, DATA), lambda answer: target.finish(id, [(1, answer["etag"])]))
    assert_file(api, target.id, DATA)


@pytest.mark.few(3)
@pytest.mark.parametrize("deferred", [False, True], ids=["length known", "length deferred"])
@pytest.mark.parametrize("seed", range(3))
def test_cut_patches_of_tus_go_on_exactly_where_head_says(own, seed, deferred):
    chance, api, tus = chance_of(seed), own.api(), Tus(own)
    before = api.count()
    upload = tus.create(Upload_Defer_Length=1) if deferred else tus.create(len(DATA))
    offset, kept, sent = 0, 0, 0
    for _ in range(CUTS):
        rest = DATA[offset:]
        at = chance.randrange(len(rest) // 20)
        headers = tus.headers | {"Upload-Offset": offset, "Content-Type": Tus.BYTES}
        leave(own, chance, "PATCH", upload.path, headers, rest, at)
        now, sent = upload.offset, max(sent, offset + at)
        assert offset <= now <= sent
        kept, offset = kept + (now > offset), now
    assert kept > CUTS // 4, "hardly anything of a cut PATCH was kept"
    assert record_of(api, upload.id) is None
    length = {"Upload_Length": len(DATA)} if deferred else {}
    assert eventually(lambda: upload.patch(upload.offset, DATA[upload.offset :], **length).status_code == 204)
    assert_file(api, upload.id, DATA)
    assert eventually(lambda: not has_bytes(own, upload.id))
    assert_counts(own, before + 1)


def test_cut_creations_of_tus_leave_at_most_what_expires(own):
    chance, api, tus = chance_of("create"), own.api(), Tus(own)
    before = api.count()
    for _ in range(CUTS):
        headers = tus.headers | {"Upload-Length": len(DATA), "Content-Type": Tus.BYTES}
        leave(own, chance, "POST", Tus.PATH, headers, DATA)
    assert_counts(own, before)
    tus.create(len(DATA), data=DATA)
    assert_counts(own, before + 1)


def test_patches_without_a_length_that_end_too_early_are_no_end(own):
    chance, api, tus = chance_of("deferred"), own.api(), Tus(own)
    upload = tus.create(Upload_Defer_Length=1)
    headers = tus.headers | {"Upload-Offset": 0, "Content-Type": Tus.BYTES, "Upload-Length": len(DATA)}
    leave(own, chance, "PATCH", upload.path, headers, DATA, at=1000, may_chunk=False)
    assert eventually(lambda: upload.offset <= 1000)
    assert record_of(api, upload.id) is None
    upload.delete()
    assert eventually(lambda: not has_bytes(own, upload.id))
