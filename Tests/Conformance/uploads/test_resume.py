"""The server is killed in the middle of an upload, starts again, and the client goes on."""

import http.client
import threading
import time
from random import Random

import pytest
import requests
from buckets import common_store
from cases import count
from client import eventually
from uploading import (
    BLOCK, KB, MB, Tus, ask, assert_counts, assert_file, assert_nothing_staged, limits, must, noise, own_server, qetag,
    record_of,
)

pytestmark = pytest.mark.long

DATA = noise(9 * MB)
ROUNDS, THREADS, FILES = (1 if common_store() else count(3, 10)), 4, 12
DONE = (200, 204)
WAYS = ("put", "v1", "v2", "tus")


@pytest.fixture
def server(new_server):
    """A server to kill."""
    return new_server(**limits(minPartSize="1B")).start()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A server to kill that has what the tests before left behind."""
    yield from own_server(tmp_path_factory, minPartSize="1B")


def revive(server):
    server.kill()
    server.start()


def stall(target, method, path, data, length):
    """Begins a request with the token and waits until its bytes have come; the connection stays open."""
    before = target.received
    connection = target.start(method, path, data, length, target.bearer)
    assert eventually(lambda: target.received == before + len(data))
    return connection


# Kodo, version 1

@pytest.mark.extended
def test_complete_blocks_are_kept(shared):
    target = ask(shared.api(), len(DATA))
    contexts = [target.block(DATA[start : start + BLOCK]) for start in (0, BLOCK)]
    revive(shared)
    contexts.append(target.block(DATA[2 * BLOCK :]))
    answer = must(target.mkfile(len(DATA), contexts))
    assert (answer["hash"], answer["key"]) == (qetag(DATA), target.key)
    assert_file(shared.api(), target.id, DATA)


@pytest.mark.extended
def test_block_goes_on_with_the_ctx_from_before(shared):
    target = ask(shared.api(), len(DATA))
    first = target.block(DATA[:BLOCK])
    ctx = must(target.mkblk(DATA[BLOCK : BLOCK + 256 * KB], BLOCK))["ctx"]
    ctx = must(target.bput(ctx, 256 * KB, DATA[BLOCK + 256 * KB : BLOCK + MB]))["ctx"]
    revive(shared)
    second = must(target.bput(ctx, MB, DATA[BLOCK + MB : 2 * BLOCK]))["ctx"]
    third = target.block(DATA[2 * BLOCK :])
    assert must(target.mkfile(len(DATA), [first, second, third]))["hash"] == qetag(DATA)
    assert_file(shared.api(), target.id, DATA)


@pytest.mark.extended
def test_chunk_that_was_cut_off_is_sent_again(shared):
    target = ask(shared.api(), BLOCK)
    ctx = must(target.mkblk(DATA[:MB], BLOCK))["ctx"]
    with stall(target, "POST", f"/bput/{ctx}/{MB}", DATA[MB : 2 * MB], BLOCK - MB):
        revive(shared)
    ctx = must(target.bput(ctx, MB, DATA[MB:BLOCK]))["ctx"]
    assert must(target.mkfile(BLOCK, [ctx]))["hash"] == qetag(DATA[:BLOCK])
    assert_file(shared.api(), target.id, DATA[:BLOCK])


@pytest.mark.extended
def test_blocks_are_kept_through_several_kills(shared):
    target, contexts = ask(shared.api(), len(DATA)), []
    for start in range(0, len(DATA), BLOCK):
        contexts.append(target.block(DATA[start : start + BLOCK]))
        revive(shared)
    assert must(target.mkfile(len(DATA), contexts))["hash"] == qetag(DATA)
    assert_file(shared.api(), target.id, DATA)


# Kodo, version 2

@pytest.mark.extended
def test_parts_are_kept(shared):
    target = ask(shared.api(), len(DATA))
    id = target.begin()
    parts = target.parts(id, DATA[: 2 * BLOCK])
    with stall(target, "PUT", f"{target.objects}/{id}/3", DATA[2 * BLOCK : 2 * BLOCK + 1000], MB):
        revive(shared)
    parts.append((3, must(target.part(id, 3, DATA[2 * BLOCK :]))["etag"]))
    assert must(target.finish(id, parts))["hash"] == qetag(DATA)
    assert_file(shared.api(), target.id, DATA)


@pytest.mark.extended
def test_part_that_was_cut_off_does_not_count(shared):
    target = ask(shared.api())
    id = target.begin()
    first = must(target.part(id, 1, DATA[:MB]))["etag"]
    with stall(target, "PUT", f"{target.objects}/{id}/2", DATA[MB : MB + 1000], MB):
        revive(shared)
    assert target.finish(id, [(1, first), (2, first)]).status_code == 701
    assert record_of(shared.api(), target.id) is None


@pytest.mark.extended
def test_part_that_was_being_replaced_has_its_old_bytes_or_none(shared):
    target = ask(shared.api())
    id = target.begin()
    etag = must(target.part(id, 1, DATA[:MB]))["etag"]
    with target.start("PUT", f"{target.objects}/{id}/1", noise(MB // 2, "other"), MB, target.bearer):
        assert eventually(lambda: target.received != MB)
        revive(shared)
    finished = target.finish(id, [(1, etag)])
    assert finished.status_code in (200, 701)
    if finished.status_code == 200:
        assert_file(shared.api(), target.id, DATA[:MB])
    else:
        etag = must(target.part(id, 1, DATA[:MB]))["etag"]
        assert must(target.finish(id, [(1, etag)]))["hash"] == qetag(DATA[:MB])


# tus

@pytest.mark.extended
def test_finished_patches_are_kept(shared):
    upload = Tus(shared).create(len(DATA))
    for start in range(0, 3 * MB, MB):
        assert upload.patch(start, DATA[start : start + MB]).status_code == 204
    revive(shared)
    assert upload.offset == 3 * MB
    upload.go_on(DATA)
    assert_file(shared.api(), upload.id, DATA)


@pytest.mark.extended
def test_long_patch_is_kept_up_to_the_last_sixteen_megabytes(shared):
    data = noise(45 * MB)
    upload = Tus(shared).create(len(data))
    with upload.start(0, data[: 40 * MB], len(data)):
        assert eventually(lambda: upload.received == 40 * MB, 30)
        revive(shared)
    assert 32 * MB <= upload.offset <= 40 * MB
    upload.go_on(data)
    assert_file(shared.api(), upload.id, data)


@pytest.mark.extended
def test_patch_with_a_checksum_is_kept_whole_or_not_at_all(shared):
    upload = Tus(shared).create(len(DATA))
    upload.patch(0, DATA[:1000])
    with upload.start(1000, DATA[1000 : 2 * MB], len(DATA) - 1000, Upload_Checksum="sha1 " + "A" * 27 + "="):
        assert eventually(lambda: upload.received == 2 * MB)
        revive(shared)
    assert upload.offset == 1000
    upload.go_on(DATA)
    assert_file(shared.api(), upload.id, DATA)


@pytest.mark.extended
def test_what_a_creation_said_is_kept(shared):
    tus = Tus(shared)
    whole, deferred = tus.create(10, Upload_Metadata="filename eC50eHQ="), tus.create(Upload_Defer_Length=1)
    part = tus.create(4, data=b"part", Upload_Concat="partial")
    before = [upload.head().headers for upload in (whole, deferred, part)]
    revive(shared)
    after = [upload.head().headers for upload in (whole, deferred, part)]
    for name in ("Offset", "Length", "Defer-Length", "Metadata", "Concat"):
        assert [headers[f"Upload-{name}"] for headers in after] == [headers[f"Upload-{name}"] for headers in before]
    assert [headers["X-LC-Object-Id"] for headers in after] == [whole.id, deferred.id, part.id]
    assert whole.patch(0, b"ten bytes.").status_code == 204
    assert_file(shared.api(), whole.id, b"ten bytes.", name="x.txt")
    final = tus.post(Upload_Concat=f"final;{part.path}")
    assert_file(shared.api(), final.headers["X-LC-Object-Id"], b"part")


def test_finished_upload_is_known_after_a_kill(shared):
    upload = Tus(shared).create(5, data=b"whole")
    target = ask(shared.api(), 5)
    answer = must(target.v1(b"whole"))
    revive(shared)
    assert upload.head().headers["X-LC-File-URL"] == record_of(shared.api(), upload.id)["url"]
    assert target.put(b"whole").status_code == 200
    assert must(target.progress())["state"] == "finished"
    assert answer["hash"] == qetag(b"whole")


# Tokens

@pytest.mark.few(3)
@pytest.mark.parametrize("way", ["put", "form", "v1", "v2"])
def test_token_from_before_takes_an_upload(shared, way):
    target = ask(shared.api(), MB, metaData={"mine": "words"}, mime_type="image/png", name="x.png")
    revive(shared)
    assert getattr(target, way)(DATA[:MB]).status_code == 200
    assert assert_file(shared.api(), target.id, DATA[:MB], mime_type="image/png")["metaData"]["mine"] == "words"


@pytest.mark.extended
def test_put_that_was_cut_off_is_sent_again(server):
    target = ask(server.api(), len(DATA))
    with stall(target, "PUT", "", DATA[: 5 * MB], len(DATA)):
        revive(server)
    assert record_of(server.api(), target.id) is None
    assert target.put(DATA).status_code == 200
    assert_file(server.api(), target.id, DATA)
    assert server.staged() == []


# The last request

class Ending:
    """An upload that lacks its last request alone, which may be sent as often as needed."""

    def __init__(self, server, seed, way):
        self.data = noise(50_000 + seed, seed)
        self.size = len(self.data)
        if way == "tus":
            self.upload = Tus(server).create(self.size, data=self.data[:100])
        else:
            self.upload = ask(server.api(), self.size)
        self.id = self.upload.id
        self.way = way
        if way == "v1":
            starts = range(0, self.size, 20_000)
            self.contexts = [self.upload.block(self.data[start : start + 20_000]) for start in starts]
        if way == "v2":
            self.session = self.upload.begin()
            self.listed = self.upload.parts(self.session, self.data, 20_000)

    def end(self):
        """Asks for the end; returns the status."""
        if self.way == "put":
            return self.upload.put(self.data).status_code
        if self.way == "v1":
            return self.upload.mkfile(self.size, self.contexts).status_code
        if self.way == "v2":
            return self.upload.finish(self.session, self.listed).status_code
        offset = self.upload.offset
        return self.upload.patch(offset, self.data[offset:]).status_code


def end_until_it_dies(endings, answered, refused):
    for ending in endings:
        try:
            status = ending.end()
        except (requests.RequestException, http.client.HTTPException, OSError):
            # The server may die in the middle of an answer, which then is none.
            return
        if status in DONE:
            answered.append(ending.id)
        else:
            refused.append((ending.way, status))


@pytest.mark.extended
def test_kill_around_the_last_request_leaves_a_whole_file_or_none(server):
    chance, all = Random(1), []
    for round in range(ROUNDS):
        endings = [Ending(server, round * FILES + number, WAYS[number % 4]) for number in range(FILES)]
        chance.shuffle(endings)
        answered, refused, enough = [], [], chance.randrange(FILES)
        threads = [
            threading.Thread(target=end_until_it_dies, args=(endings[number::THREADS], answered, refused), daemon=True)
            for number in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        assert eventually(lambda: len(answered) >= enough, 20), "uploads do not end"
        server.kill()
        for thread in threads:
            thread.join(timeout=20)
            assert not thread.is_alive()
        assert refused == []
        server.start()
        api, all = server.api(), all + endings
        ended = [ending for ending in endings if record_of(api, ending.id)]
        assert set(answered) <= {ending.id for ending in ended}
        for ending in ended:
            assert_file(api, ending.id, ending.data)
        assert_decided(server)
        # Clients without an answer repeat their request, finished or not; then all files exist.
        assert {(ending.way, ending.end() in DONE) for ending in endings} == {(way, True) for way in WAYS}
        assert_counts(server, len(all))
        assert_nothing_staged(server)
    for ending in all:
        assert_file(server.api(), ending.id, ending.data)


def assert_decided(server):
    """A start has decided what the killed one left: there are as many blobs as records.

    In a bucket, where other servers can have the upload, only its own end decides (docs/scale-out.md, "Which
    request counts").
    """
    if not common_store():
        assert_counts(server, server.api().count())


MOMENTS = {
    "pieces are copied": lambda server, staged, blobs: len(server.staged()) > staged,
    "bytes are in their place": lambda server, staged, blobs: len(server.blobs()) > blobs,
}


def at_the_moment(condition, within=3.0):
    """Waits without a pause, for what lasts shorter than one."""
    deadline = time.monotonic() + within
    while not condition() and time.monotonic() < deadline:
        pass


@pytest.mark.extended
@pytest.mark.parametrize("way, moment", [("v1", "pieces are copied"), *((way, "bytes are in their place") for way in WAYS)])
def test_kill_at_a_moment_of_the_end_leaves_a_whole_file_or_none(server, way, moment):
    for round in range(1 if common_store() else count(2, 3)):
        ending = Ending(server, round, way)
        staged, blobs = len(server.staged()), len(server.blobs())
        thread = threading.Thread(target=end_until_it_dies, args=([ending], [], []), daemon=True)
        thread.start()
        at_the_moment(lambda: MOMENTS[moment](server, staged, blobs) or not thread.is_alive())
        server.kill()
        thread.join(timeout=20)
        server.start()
        if record_of(server.api(), ending.id):
            assert_file(server.api(), ending.id, ending.data)
        assert_decided(server)
        assert ending.end() in DONE
        assert_file(server.api(), ending.id, ending.data)
        assert_counts(server, round + 1)
        assert_nothing_staged(server)


@pytest.mark.extended
def test_tus_upload_whose_last_request_was_cut_off_is_whole_only_with_its_file(server):
    for round in range(1 if common_store() else count(3, 5)):
        ending = Ending(server, round, "tus")
        blobs = len(server.blobs())
        thread = threading.Thread(target=end_until_it_dies, args=([ending], [], []), daemon=True)
        thread.start()
        at_the_moment(lambda: len(server.blobs()) > blobs or not thread.is_alive())
        server.kill()
        thread.join(timeout=20)
        server.start()
        answer = ending.upload.head()
        # A client that is told of all bytes stops here.
        if int(answer.headers["Upload-Offset"]) == ending.size:
            assert answer.headers["X-LC-File-URL"]
            assert_file(server.api(), ending.id, ending.data)
        else:
            ending.upload.go_on(ending.data)
            assert_file(server.api(), ending.id, ending.data)


def test_tus_upload_that_was_cut_off_becomes_a_file_although_nobody_asks(server):
    ending = Ending(server, 7, "tus")
    thread = threading.Thread(target=end_until_it_dies, args=([ending], [], []), daemon=True)
    thread.start()
    at_the_moment(lambda: server.blobs() or not thread.is_alive())
    server.kill()
    thread.join(timeout=20)
    server.start()
    if must(ending.upload.progress())["received"] == ending.size:
        # Another server can be creating the file: a sweep waits for the end of its lease.
        assert not common_store() or eventually(lambda: record_of(server.api(), ending.id))
        assert_file(server.api(), ending.id, ending.data)
        assert_nothing_staged(server)
