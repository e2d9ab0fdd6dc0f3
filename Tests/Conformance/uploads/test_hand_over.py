"""One writer for each part: the newer connection gets it, because the older one may be dead without notice."""

import threading
from contextlib import suppress

import pytest
from accounts import unique
from client import eventually
from data import at_once, texts
from uploading import (
    GAVE_WAY, Tus, ask, assert_file, has_bytes, metadata, must, noise, own_server, qetag, record_of, status_of,
)

DATA, OTHER = noise(300_000), noise(300_000, "other")
SIZE, HALF = len(DATA), len(DATA) // 2
WRITERS = 16


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    yield from own_server(tmp_path_factory)


@pytest.fixture(scope="module")
def api(server):
    return server.api()


@pytest.fixture
def target(api):
    """An upload by token, with a name of its own."""
    return ask(api, SIZE, name=unique("handed") + ".bin")


@pytest.fixture
def upload(server):
    return Tus(server).create(SIZE, Upload_Metadata=metadata(filename=unique("handed")))


def assert_one_file(server, api, target, data=DATA):
    """Exactly one file, with these bytes, and nothing beside it."""
    name = assert_file(api, target.id, data)["name"]
    found = api.get("/1.1/classes/_File", params=texts({"where": {"name": name}})).json()["results"]
    assert [record["objectId"] for record in found] == [target.id]
    assert eventually(lambda: not has_bytes(server, target.id))


def wake(connection, data):
    """Goes on sending on a connection that the server may have closed."""
    with suppress(ConnectionError):
        connection.send(data)


# S3 PUT

def test_newer_put_replaces_one_that_stalls(server, api, target):
    with target.start("PUT", "", DATA[:HALF], SIZE) as old:
        assert eventually(lambda: target.received == HALF)
        assert target.put(DATA).status_code == 200
        assert old.answer_or_end() in GAVE_WAY
    assert_one_file(server, api, target)


def test_put_that_wakes_up_too_late_changes_nothing(server, api, target):
    with target.start("PUT", "", OTHER[:HALF], SIZE) as old:
        assert eventually(lambda: target.received == HALF)
        with target.start("PUT", "", DATA[:HALF - 1], SIZE) as new:
            assert eventually(lambda: target.received == HALF - 1)
            wake(old, OTHER[HALF:])
            assert old.answer_or_end() in GAVE_WAY
            new.send(DATA[HALF - 1 :])
            assert new.answer("PUT").status == 200
    assert_one_file(server, api, target)


def test_chain_of_stalled_puts_leaves_the_last(server, api, target):
    connections = []
    for number in range(10):
        connections.append(target.start("PUT", "", noise(1000 + number, number), SIZE))
        assert eventually(lambda: target.received == 1000 + number)
    assert target.put(DATA).status_code == 200
    assert all(connection.answer_or_end() in GAVE_WAY for connection in connections)
    assert_one_file(server, api, target)


def test_newer_form_replaces_a_put_that_stalls(server, api, target):
    with target.start("PUT", "", OTHER[:HALF], SIZE) as old:
        assert eventually(lambda: target.received == HALF)
        assert target.form(DATA).status_code == 200
        assert old.answer_or_end() in GAVE_WAY
    assert_one_file(server, api, target)


# tus

def test_head_tells_what_a_stalled_patch_brought(upload):
    with upload.start(0, DATA[:HALF], SIZE):
        assert eventually(lambda: upload.received == HALF)
        assert upload.offset == HALF


@pytest.mark.parametrize("asks", [True, False], ids=["after HEAD", "without HEAD"])
def test_newer_patch_goes_on_where_a_stalled_one_is(server, api, upload, asks):
    with upload.start(0, DATA[:HALF], SIZE) as old:
        assert eventually(lambda: upload.received == HALF)
        assert not asks or upload.offset == HALF
        assert upload.patch(HALF, DATA[HALF:]).status_code == 204
        assert old.answer_or_end() in GAVE_WAY
    assert_one_file(server, api, upload)


def test_patch_that_wakes_up_too_late_changes_nothing(server, api, upload):
    with upload.start(0, DATA[:HALF], SIZE) as old:
        assert eventually(lambda: upload.received == HALF)
        with upload.start(HALF, DATA[HALF : HALF + 10], SIZE - HALF) as new:
            assert eventually(lambda: upload.received == HALF + 10)
            wake(old, OTHER[HALF:])
            assert old.answer_or_end() in GAVE_WAY
            new.send(DATA[HALF + 10 :])
            assert new.answer("PATCH").status == 204
    assert_one_file(server, api, upload)


def test_patch_at_another_offset_does_not_lose_what_the_older_brought(server, api, upload):
    with upload.start(0, DATA[:HALF], SIZE):
        assert eventually(lambda: upload.received == HALF)
        assert upload.patch(0, OTHER).status_code == 409
        assert upload.offset == HALF
    upload.go_on(DATA)
    assert_one_file(server, api, upload)


# Kodo, version 2

def test_newer_part_replaces_one_that_stalls(server, api, target):
    id = target.begin()
    with target.start("PUT", f"{target.objects}/{id}/1", OTHER[:HALF], SIZE, target.bearer) as old:
        assert eventually(lambda: target.received == HALF)
        etag = must(target.part(id, 1, DATA))["etag"]
        assert old.answer_or_end() in GAVE_WAY
    assert must(target.finish(id, [(1, etag)]))["hash"] == qetag(DATA)
    assert_one_file(server, api, target)


def test_another_part_leaves_one_that_stalls_alone(server, api):
    whole = noise(1 << 20) + DATA
    target = ask(api, len(whole))
    id = target.begin()
    with target.start("PUT", f"{target.objects}/{id}/2", DATA[:HALF], SIZE, target.bearer) as slow:
        assert eventually(lambda: target.received == HALF)
        first = must(target.part(id, 1, whole[: 1 << 20]))["etag"]
        slow.send(DATA[HALF:])
        answer = slow.answer("PUT")
    assert answer.status == 200
    second = must(target.part(id, 2, DATA))["etag"]
    assert must(target.finish(id, [(1, first), (2, second)]))["hash"] == qetag(whole)
    assert_one_file(server, api, target, whole)


# Kodo, version 1

def test_newer_chunk_replaces_one_that_stalls(server, api, target):
    ctx = must(target.mkblk(DATA[:10], SIZE))["ctx"]
    with target.start("POST", f"/bput/{ctx}/10", OTHER[10:HALF], SIZE - 10, target.bearer) as old:
        assert eventually(lambda: target.received == HALF)
        last = must(target.bput(ctx, 10, DATA[10:]))["ctx"]
        assert old.answer_or_end() in GAVE_WAY
    assert must(target.mkfile(SIZE, [last]))["hash"] == qetag(DATA)
    assert_one_file(server, api, target)


def test_another_block_leaves_one_that_stalls_alone(server, api, target):
    ctx = must(target.mkblk(DATA[:10], HALF))["ctx"]
    with target.start("POST", f"/bput/{ctx}/10", DATA[10:20], HALF - 10, target.bearer) as slow:
        assert eventually(lambda: target.received == 20)
        second = target.block(DATA[HALF:])
        slow.send(DATA[20:HALF])
        answer = slow.answer()
        assert answer.status == 200
    first = must(target.bput(ctx, 10, DATA[10:HALF]))["ctx"]
    assert must(target.mkfile(SIZE, [first, second]))["hash"] == qetag(DATA)
    assert_one_file(server, api, target)


# Races

def race(*calls):
    """All of them at once; returns what they gave."""
    barrier = threading.Barrier(len(calls))

    def run(number):
        barrier.wait(timeout=20)
        return calls[number]()

    return at_once(run, len(calls), workers=len(calls))


def statuses(call, count=WRITERS):
    return race(*[lambda: status_of(call)] * count)


def test_racing_puts_of_equal_bytes_leave_one_file(server, api, target):
    seen = statuses(lambda: target.put(DATA))
    assert {200} <= set(seen) <= {200, *GAVE_WAY}
    assert_one_file(server, api, target)


def test_racing_puts_of_other_bytes_leave_one_of_them(server, api, target):
    seen = race(*[lambda data=noise(SIZE, number): (status_of(lambda: target.put(data)), data) for number in range(WRITERS)])
    assert {status for status, _ in seen} <= {200, *GAVE_WAY}
    won, = {data for status, data in seen if status == 200}
    assert_one_file(server, api, target, won)


def test_racing_patches_leave_one_file(server, api, upload):
    assert set(statuses(lambda: upload.patch(0, DATA))) <= {204, *GAVE_WAY}
    upload.go_on(DATA)
    assert_one_file(server, api, upload)


def test_racing_parts_leave_one_file(server, api, target):
    id, answers = target.begin(), []
    seen = statuses(lambda: answers.append(target.part(id, 1, DATA)) or answers[-1])
    assert set(seen) <= {200, *GAVE_WAY}
    etags = {answer.json()["etag"] for answer in answers if answer.status_code == 200}
    assert 200 in [target.finish(id, [(1, etag)]).status_code for etag in etags]
    assert_one_file(server, api, target)


def test_racing_chunks_leave_one_file(server, api, target):
    ctx, answers = must(target.mkblk(DATA[:10], SIZE))["ctx"], []
    seen = statuses(lambda: answers.append(target.bput(ctx, 10, DATA[10:])) or answers[-1])
    assert set(seen) <= {200, *GAVE_WAY}
    contexts = {answer.json()["ctx"] for answer in answers if answer.status_code == 200}
    assert 200 in [target.mkfile(SIZE, [ctx]).status_code for ctx in contexts]
    assert_one_file(server, api, target)


def test_racing_ends_of_blocks_make_one_file(server, api, target):
    contexts, answers = target.blocks(DATA), []
    seen = statuses(lambda: answers.append(target.mkfile(SIZE, contexts)) or answers[-1])
    assert {200} <= set(seen) <= {200, *GAVE_WAY}
    assert {answer.text for answer in answers if answer.status_code == 200} == {target.mkfile(SIZE, contexts).text}
    assert_one_file(server, api, target)


def test_racing_ends_of_parts_make_one_file(server, api, target):
    id, answers = target.begin(), []
    parts = target.parts(id, DATA)
    seen = statuses(lambda: answers.append(target.finish(id, parts)) or answers[-1])
    assert {200} <= set(seen) <= {200, *GAVE_WAY}
    assert {answer.text for answer in answers if answer.status_code == 200} == {target.finish(id, parts).text}
    assert_one_file(server, api, target)


def test_dialects_that_race_for_one_token_make_one_file(server, api, target):
    calls = [lambda: target.put(DATA), lambda: target.form(DATA), lambda: target.v1(DATA), lambda: target.v2(DATA)]
    race(*[lambda call=call: status_of(call) for call in calls * 3])
    assert target.put(DATA).status_code == 200
    assert_one_file(server, api, target)


def test_giving_up_while_others_write_leaves_all_or_nothing(server, api):
    for number in range(10):
        target = ask(api, SIZE)
        race(*[lambda: status_of(lambda: target.put(DATA))] * 3, lambda: target.callback(False))
        record = record_of(api, target.id)
        if record is None:
            assert target.put(DATA).status_code != 200
            assert record_of(api, target.id) is None
        else:
            assert_file(api, target.id, DATA)
        assert eventually(lambda: not has_bytes(server, target.id)), number
