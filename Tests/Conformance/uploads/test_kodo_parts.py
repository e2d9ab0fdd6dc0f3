"""Kodo's blocks (v1) and parts (v2): whatever order, size and repetition; what does not fit is refused."""

import base64
import itertools
import json
import zlib
from urllib.parse import quote

import pytest
from cases import chance, count, covering
from client import BETA, eventually, head
from uploading import (
    BLOCK, KB, MB, ask, assert_counts, assert_file, assert_kodo_error, assert_no_file, has_bytes, md5, must, noise,
    own_server, qetag, record_of, url64,
)

A, B, C = noise(1500, "a"), noise(1000, "b"), noise(2200, "c")
ALL = A + B + C


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server of this module's own that takes parts of any size."""
    yield from own_server(tmp_path_factory, minPartSize="1B")


@pytest.fixture(scope="module")
def api(server):
    return server.api()


@pytest.fixture
def target(api):
    return ask(api)


@pytest.fixture
def contexts(target):
    """Three blocks, sent."""
    return [target.block(data) for data in (A, B, C)]


# Version 1

def test_each_chunk_is_answered_with_what_came(target):
    first = must(target.mkblk(A[:500], len(A)))
    second = must(target.bput(first["ctx"], 500, A[500:]))
    for answer, data, offset in ((first, A[:500], 500), (second, A[500:], len(A))):
        assert set(answer) >= {"ctx", "checksum", "crc32", "offset", "host"}
        assert (answer["crc32"], answer["offset"]) == (zlib.crc32(data), offset)
        assert isinstance(answer["ctx"], str) and "/" not in answer["ctx"] and "," not in answer["ctx"]
    assert first["ctx"] != second["ctx"]


@pytest.mark.few(3)
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_blocks_stand_as_they_are_listed(api, target, contexts, order):
    data = b"".join((A, B, C)[number] for number in order)
    answer = must(target.mkfile(len(data), [contexts[number] for number in order]))
    assert answer == {"hash": qetag(data), "key": target.key}
    assert_file(api, target.id, data)


@pytest.mark.smoke
def test_blocks_of_four_megabytes_in_reverse(api, target):
    data = noise(9 * MB)
    starts = range(0, len(data), BLOCK)
    listed = {start: target.block(data[start : start + BLOCK]) for start in reversed(starts)}
    assert must(target.mkfile(len(data), [listed[start] for start in starts]))["hash"] == qetag(data)
    assert_file(api, target.id, data)


def test_chunks_of_blocks_may_alternate(api, target):
    data = [noise(300 * KB, seed) for seed in range(4)]
    listed = [must(target.mkblk(one[:KB], len(one)))["ctx"] for one in data]
    for start in range(KB, 300 * KB, 100 * KB):
        for number, one in enumerate(data):
            listed[number] = must(target.bput(listed[number], start, one[start : start + 100 * KB]))["ctx"]
    assert must(target.mkfile(1200 * KB, listed))["hash"] == qetag(b"".join(data))
    assert_file(api, target.id, b"".join(data))


def test_file_ends_after_the_listed_blocks(api, target, contexts):
    assert must(target.mkfile(len(A + B), contexts[:2]))["hash"] == qetag(A + B)
    assert_file(api, target.id, A + B)
    assert eventually(lambda: not has_bytes(api.server, target.id))


def test_empty_file_has_no_blocks(api, target):
    assert must(target.mkfile(0, [])) == {"hash": qetag(b""), "key": target.key}
    assert_file(api, target.id, b"")


@pytest.mark.few(3)
@pytest.mark.parametrize("wrong, status", [
    pytest.param(lambda all: [all[0], all[0], all[2]], 701, id="a block twice"),
    pytest.param(lambda all: [all[0], all[2]], 400, id="a block missing"),
    pytest.param(lambda all: [], 400, id="none"),
    pytest.param(lambda all: [*all, all[0]], 701, id="one more"),
    pytest.param(lambda all: [all[0], "nonsense", all[2]], 701, id="nonsense"),
    pytest.param(lambda all: [all[0], all[1][:-5], all[2]], 701, id="cut off"),
    pytest.param(lambda all: [all[0], "", all[2]], 400, id="empty"),
    pytest.param(lambda all: [all[0], "x" * 3000, all[2]], 701, id="long"),
])
def test_list_of_blocks_that_does_not_fit_is_refused(api, target, contexts, wrong, status):
    assert_kodo_error(target.mkfile(len(ALL), wrong(contexts)), status)
    assert_no_file(api, target)
    assert must(target.mkfile(len(ALL), contexts))["hash"] == qetag(ALL)
    assert_file(api, target.id, ALL)


@pytest.mark.parametrize("size", [0, 1, len(ALL) - 1, len(ALL) + 1, 1 << 62])
def test_other_total_than_the_blocks_have_is_refused(api, target, contexts, size):
    assert_kodo_error(target.mkfile(size, contexts), 400)
    assert_no_file(api, target)


@pytest.mark.parametrize("size, status", [("x", 404), ("-1", 400), ("1.5", 404), ("9" * 30, 404)])
def test_total_that_is_no_number_is_refused(api, target, contexts, size, status):
    assert_kodo_error(target.mkfile(size, contexts), status)
    assert_no_file(api, target)


def test_block_of_another_upload_is_701(api, target, contexts):
    other = ask(api)
    foreign = other.block(B)
    assert_kodo_error(target.mkfile(len(ALL), [contexts[0], foreign, contexts[2]]), 701)
    assert_kodo_error(target.bput(must(other.mkblk(B[:10], len(B)))["ctx"], 10, B[10:]), 701)
    assert_no_file(api, target)


def test_block_of_another_app_is_701(server, target, contexts):
    foreign = ask(server.api(BETA)).block(B)
    assert_kodo_error(target.mkfile(len(ALL), [contexts[0], foreign, contexts[2]]), 701)


def test_changed_ctx_is_701(target):
    ctx = must(target.mkblk(A[:500], len(A)))["ctx"]
    rng = chance("ctx")
    for _ in range(50):
        # The last letter of Base64 may have bits that say nothing.
        place = rng.randrange(len(ctx) - 2)
        changed = ctx[:place] + rng.choice([letter for letter in "aZ09_-" if letter != ctx[place]]) + ctx[place + 1 :]
        assert target.bput(changed, 500, A[500:]).status_code == 701, changed
    assert target.bput(ctx, 500, A[500:]).status_code == 200


def test_unfinished_block_is_701(api, target):
    first = target.block(A)
    second = must(target.mkblk(B[:500], len(B)))["ctx"]
    for size in (len(A) + 500, len(A + B)):
        assert_kodo_error(target.mkfile(size, [first, second]), 701)
    assert_no_file(api, target)


def test_chunk_that_is_sent_again_counts_once(api, target):
    first = must(target.mkblk(A[:500], len(A)))["ctx"]
    again = [must(target.bput(first, 500, A[500:1000])) for _ in range(3)]
    assert [answer["offset"] for answer in again] == [1000] * 3
    last = must(target.bput(again[-1]["ctx"], 1000, A[1000:]))["ctx"]
    assert must(target.mkfile(len(A), [last]))["hash"] == qetag(A)
    assert_file(api, target.id, A)


def test_old_ctx_with_other_bytes_does_not_change_a_whole_block(api, target):
    first = must(target.mkblk(A[:500], len(A)))["ctx"]
    last = must(target.bput(first, 500, A[500:]))["ctx"]
    assert_kodo_error(target.bput(first, 500, noise(len(A) - 500, "other")), 701)
    assert must(target.bput(first, 500, A[500:]))["ctx"] == last
    assert must(target.mkfile(len(A), [last]))["hash"] == qetag(A)
    assert_file(api, target.id, A)


@pytest.mark.few(3)
@pytest.mark.parametrize("offset, status", [*((offset, 701) for offset in (0, 499, 501, 1000, "-1", 1 << 40)), ("x", 404)])
def test_offset_that_is_not_the_ctx_s_is_refused(target, offset, status):
    ctx = must(target.mkblk(A[:500], len(A)))["ctx"]
    assert_kodo_error(target.bput(ctx, offset, A[500:]), status)
    last = must(target.bput(ctx, 500, A[500:]))["ctx"]
    assert must(target.mkfile(len(A), [last]))["hash"] == qetag(A)


@pytest.mark.parametrize("size, status", [
    *((size, 400) for size in (0, BLOCK + 1, 1 << 40, -1)), *((size, 404) for size in ("x", "", "1e3")),
])
def test_block_size_that_cannot_be_is_refused(target, size, status):
    assert_kodo_error(target.mkblk(b"x", size), status)


def test_chunk_beyond_its_block_is_refused(api, target):
    assert_kodo_error(target.mkblk(A + b"x", len(A)), 400)
    ctx = must(target.mkblk(A[:500], len(A)))["ctx"]
    assert_kodo_error(target.bput(ctx, 500, A[500:] + b"x"), 400)
    last = must(target.bput(ctx, 500, A[500:]))["ctx"]
    assert_kodo_error(target.bput(last, len(A), b"x"), 701)
    assert must(target.mkfile(len(A), [last]))["hash"] == qetag(A)
    assert_file(api, target.id, A)


def test_chunked_chunk_beyond_its_block_is_refused(target):
    assert_kodo_error(target.mkblk(iter([A, b"x"]), len(A)), 400)
    last = must(target.mkblk(iter([A[:700], A[700:]]), len(A)))["ctx"]
    assert must(target.mkfile(len(A), [last]))["hash"] == qetag(A)


def test_end_that_is_asked_again_is_answered_alike(api, target, contexts):
    answers = [target.mkfile(len(ALL), contexts) for _ in range(3)]
    assert [must(answer) for answer in answers] == [{"hash": qetag(ALL), "key": target.key}] * 3
    assert_file(api, target.id, ALL)


def test_nothing_more_is_taken_after_the_end(api, target, contexts):
    must(target.mkfile(len(ALL), contexts))
    for answer in (target.mkblk(b"x"), target.bput(contexts[0], 10, b"x")):
        assert answer.status_code >= 400
    assert_file(api, target.id, ALL)


@pytest.mark.parametrize("key", ["another.bin", "../x"])
def test_mkfile_of_another_key_is_refused(api, target, contexts, key):
    assert_kodo_error(target.kodo("POST", f"/mkfile/{len(ALL)}/key/{url64(key)}", ",".join(contexts)), 400)
    assert_no_file(api, target)


def spelled(key):
    """The key in every form of Base64 that SDKs send."""
    standard, safe = base64.b64encode(key.encode()).decode(), url64(key)
    forms = {standard, safe, standard.rstrip("="), safe.rstrip("="), quote(standard, safe=""), quote(safe, safe="")}
    return sorted(forms)


@pytest.mark.few(3)
@pytest.mark.parametrize("form", range(6))
def test_key_may_be_spelled_in_any_base64(server, form):
    # A key with bytes that the two alphabets write differently.
    target = ask(server.api(master=True), key=f"key{form}/照片>>>???~~~ÿÿ.bin")
    forms = spelled(target.key)
    key = forms[form % len(forms)]
    id = must(target.kodo("POST", f"/buckets/x/objects/{key}/uploads"))["uploadId"]
    etag = must(target.kodo("PUT", f"/buckets/x/objects/{key}/uploads/{id}/1", A))["etag"]
    body = json.dumps({"parts": [{"partNumber": 1, "etag": etag}]})
    assert must(target.kodo("POST", f"/buckets/x/objects/{key}/uploads/{id}", body))["key"] == target.key
    again = ask(server.api(master=True), key=f"v1/{target.key}")
    forms = [form for form in spelled(again.key) if "/" not in form]
    ctx = again.block(A)
    assert must(again.kodo("POST", f"/mkfile/{len(A)}/key/{forms[form % len(forms)]}", ctx))["key"] == again.key


def test_mkfile_needs_no_key_and_takes_more_pairs(api, target, contexts):
    pairs = f"/mimeType/{url64('text/html')}/fname/{url64('evil.html')}/x:var/{url64('1')}"
    assert must(target.kodo("POST", f"/mkfile/{len(ALL)}{pairs}", ",".join(contexts)))["key"] == target.key
    assert assert_file(api, target.id, ALL)["name"] == "x.bin"


# Version 2

def test_start_is_answered_with_an_id_and_a_time(target):
    answer = must(target.kodo("POST", target.objects))
    assert set(answer) == {"uploadId", "expireAt"}
    assert isinstance(answer["uploadId"], str) and isinstance(answer["expireAt"], int)
    assert answer["expireAt"] > 1_700_000_000


def test_part_is_answered_with_its_md5(target):
    answer = must(target.part(target.begin(), 1, A))
    assert (set(answer), answer["md5"]) == ({"etag", "md5"}, md5(A))


@pytest.mark.few(3)
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_parts_may_come_in_any_order(api, target, order):
    id = target.begin()
    etags = {number: must(target.part(id, number + 1, (A, B, C)[number]))["etag"] for number in order}
    listed = [(number + 1, etags[number]) for number in range(3)]
    assert must(target.finish(id, listed)) == {"hash": qetag(ALL), "key": target.key}
    assert_file(api, target.id, ALL)


@pytest.mark.parametrize("seed", range(count(4, 48)))
def test_parts_of_any_size_in_any_order_sent_again_make_the_file(api, target, seed):
    rng = chance(seed)
    length = rng.randrange(1, 12)
    numbers = sorted(rng.sample(range(1, 40), length))
    sizes = {number: rng.choice([1, 999, 1000, 1001, 70_000]) for number in numbers}
    arrivals = numbers + rng.choices(numbers, k=length)
    rng.shuffle(arrivals)
    id, sent, etags = target.begin(), {}, {}
    for turn, number in enumerate(arrivals):
        # What comes again is longer, shorter or as long as before.
        sent[number] = noise(sizes[number] + rng.choice([0, 0, 500, -sizes[number] // 2]) + 1, f"{seed}/{turn}")
        etags[number] = must(target.part(id, number, sent[number]))["etag"]
    data = b"".join(sent[number] for number in numbers)
    assert must(target.finish(id, [(number, etags[number]) for number in numbers]))["hash"] == qetag(data)
    assert_file(api, target.id, data)


def test_large_parts_of_sizes_that_vary(api, target):
    data, cuts = noise(20 * MB), [0, 5 * MB, 6 * MB, 13 * MB + 1, 20 * MB]
    id = target.begin()
    etags = {n: must(target.part(id, n, data[cuts[n - 1] : cuts[n]]))["etag"] for n in (4, 2, 1, 3)}
    assert must(target.finish(id, sorted(etags.items())))["hash"] == qetag(data)
    assert_file(api, target.id, data)


def test_first_and_last_number(api, target):
    id = target.begin()
    etags = [(number, must(target.part(id, number, data))["etag"]) for number, data in ((1, A), (9999, B), (10_000, C))]
    assert must(target.finish(id, etags))["hash"] == qetag(ALL)
    assert_file(api, target.id, ALL)


@pytest.mark.parametrize("number", ["0", "10001", "-1", "x", "1.0", "99999999999999999999", "%31x"])
def test_number_that_no_part_has_is_refused(target, number):
    assert_kodo_error(target.part(target.begin(), number, A), 400)


@pytest.mark.parametrize("number, when_listed", [(0, 400), (10_001, 701)])
def test_number_beyond_the_range_is_400(target, number, when_listed):
    id = target.begin()
    assert_kodo_error(target.part(id, number, A), 400)
    assert_kodo_error(target.finish(id, [(number, "x")]), when_listed)


def test_part_that_is_sent_again_with_other_bytes_replaces_the_first(api, target):
    id = target.begin()
    old, new = (must(target.part(id, 1, data))["etag"] for data in (A, noise(len(A), "new")))
    assert old != new
    assert_kodo_error(target.finish(id, [(1, old)]), 701)
    assert_no_file(api, target)
    assert target.finish(id, [(1, new)]).status_code == 200
    assert_file(api, target.id, noise(len(A), "new"))


def test_part_that_is_sent_again_longer_leaves_its_neighbours(api, target):
    id = target.begin()
    etags = [must(target.part(id, number, data))["etag"] for number, data in ((1, A), (2, A), (3, A))]
    etags[0] = must(target.part(id, 1, C))["etag"]
    etags[1] = must(target.part(id, 2, B))["etag"]
    assert must(target.finish(id, list(enumerate(etags, 1))))["hash"] == qetag(C + B + A)
    assert_file(api, target.id, C + B + A)


@pytest.fixture
def session(target):
    """Two parts, sent: the id, and what is to be listed."""
    id = target.begin()
    return id, [(number, must(target.part(id, number, data))["etag"]) for number, data in ((1, A), (2, B))]


@pytest.mark.few(3)
@pytest.mark.parametrize("wrong, status", [
    pytest.param(lambda one, two: [one, two, (3, "x")], 701, id="a part that never came"),
    pytest.param(lambda one, two: [one, (2, one[1])], 701, id="the etag of another part"),
    pytest.param(lambda one, two: [one, (2, "")], 701, id="no etag"),
    pytest.param(lambda one, two: [one, one, two], 400, id="a part twice"),
    pytest.param(lambda one, two: [one, two, two], 400, id="the last part twice"),
    pytest.param(lambda one, two: [two, one], 400, id="descending"),
    pytest.param(lambda one, two: [], 400, id="none"),
])
def test_list_of_parts_that_does_not_fit_is_refused(api, target, session, wrong, status):
    id, listed = session
    assert_kodo_error(target.finish(id, wrong(*listed)), status)
    assert_no_file(api, target)
    assert target.finish(id, listed).status_code == 200
    assert_file(api, target.id, A + B)


BAD_BODIES = {
    "nothing": b"",
    "no JSON": b"{",
    "array": b"[]",
    "text": b'"parts"',
    "no parts": b"{}",
    "parts that are none": b'{"parts":5}',
    "parts as object": b'{"parts":{"1":"x"}}',
    "part that is a number": b'{"parts":[1]}',
    "part without etag": b'{"parts":[{"partNumber":1}]}',
    "part without number": b'{"parts":[{"etag":"x"}]}',
    "number as text": b'{"parts":[{"partNumber":"one","etag":"x"}]}',
    "etag as number": b'{"parts":[{"partNumber":1,"etag":5}]}',
    "half a part": b'{"parts":[{"partNumber":1.5,"etag":"x"}]}',
    "deep": b'{"parts":' + b"[" * 60_000,
    "no UTF-8": b'{"parts":"\xff"}',
}


@pytest.mark.few(3)
@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=list(BAD_BODIES))
def test_malformed_finish_is_400(api, target, session, body):
    assert_kodo_error(target.finish(session[0], body), 400)
    assert_no_file(api, target)
    assert target.finish(*session).status_code == 200


def test_finish_ignores_what_the_token_said_before(api, target, session):
    id, listed = session
    parts = [{"partNumber": number, "etag": etag} for number, etag in listed]
    body = {"parts": parts, "fname": "evil.html", "mimeType": "text/html", "metadata": {"a": "b"}, "customVars": {}}
    assert target.finish(id, json.dumps(body).encode()).status_code == 200
    assert assert_file(api, target.id, A + B, name="x.bin")["mime_type"] != "text/html"


def test_finish_before_a_part_is_refused(api, target):
    id = target.begin()
    assert_kodo_error(target.finish(id, [(1, "x")]), 701)
    assert_kodo_error(target.finish(id, []), 400)
    assert_no_file(api, target)


def test_finish_that_is_asked_again_is_answered_alike(api, target, session):
    answers = [must(target.finish(*session)) for _ in range(3)]
    assert answers == [{"hash": qetag(A + B), "key": target.key}] * 3
    assert_file(api, target.id, A + B)


def test_nothing_more_is_taken_after_the_finish(api, target, session):
    id, _ = session
    must(target.finish(*session))
    assert target.part(id, 1, C).status_code >= 400
    target.abort(id)
    assert_file(api, target.id, A + B)


def test_everything_is_612_after_an_abort(server, api, target, session):
    id, listed = session
    assert target.abort(id).status_code == 200
    for answer in (target.part(id, 3, C), target.finish(id, listed), target.abort(id)):
        assert_kodo_error(answer, 612)
    assert_no_file(api, target)
    assert eventually(lambda: not has_bytes(server, target.id))


@pytest.mark.parametrize("id", ["0" * 24, "x", "a" * 300, "..%2f.."])
def test_everything_of_an_unknown_upload_is_612(target, id):
    target.begin()
    for answer in (target.part(id, 1, A), target.finish(id, [(1, "x")]), target.abort(id)):
        assert_kodo_error(answer, 612)


def test_upload_id_of_another_token_is_612(api, target, session):
    id, listed = session
    other = ask(api)
    other.begin()
    for answer in (other.part(id, 1, C), other.finish(id, listed), other.abort(id)):
        assert_kodo_error(answer, 612)
    assert target.finish(id, listed).status_code == 200
    assert_file(api, target.id, A + B)


@pytest.mark.parametrize("key", [url64("another.bin"), "!!!", "%00"])
def test_key_that_is_not_the_upload_s_is_refused(target, key):
    assert_kodo_error(target.kodo("POST", f"/buckets/x/objects/{key}/uploads"), 400)
    id = target.begin()
    path = f"/buckets/x/objects/{key}/uploads/{id}"
    assert_kodo_error(target.kodo("PUT", f"{path}/1", A), 400)
    assert_kodo_error(target.kodo("POST", path, b'{"parts":[]}'), 400)


def test_tilde_is_the_key_of_the_token(api, target):
    id = must(target.kodo("POST", "/buckets/x/objects/~/uploads"))["uploadId"]
    etag = must(target.kodo("PUT", f"/buckets/x/objects/~/uploads/{id}/1", A))["etag"]
    body = json.dumps({"parts": [{"partNumber": 1, "etag": etag}]})
    assert must(target.kodo("POST", f"/buckets/x/objects/~/uploads/{id}", body))["key"] == target.key
    assert_file(api, target.id, A)


def test_part_without_a_content_length_is_refused(target):
    id = target.begin()
    assert_kodo_error(target.part(id, 1, iter([A])), 411)
    assert_kodo_error(target.finish(id, [(1, "x")]), 701)


def test_announced_length_of_a_part_over_the_limit_is_refused_before_the_body(server, target):
    with server.raw() as connection:
        path = f"{target.path}{target.objects}/{target.begin()}/1"
        connection.send(head("PUT", path, target.bearer | {"Content-Length": 1 << 40}))
        assert connection.answer("PUT").status == 413


def test_a_token_has_one_session_whose_newest_part_counts(api, target):
    first, second = target.begin(), target.begin()
    assert first == second
    replaced = must(target.part(second, 1, A))["etag"]
    newest = must(target.part(first, 1, B))["etag"]
    assert_kodo_error(target.finish(second, [(1, replaced)]), 701)
    assert record_of(api, target.id) is None
    must(target.finish(second, [(1, newest)]))
    assert_file(api, target.id, B)


# Small parts

@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """A server with the least size of parts that is usual."""
    yield from own_server(tmp_path_factory)


@pytest.mark.parametrize("sizes", [(1, 1), (MB - 1, MB), (MB, MB - 1, MB)])
def test_small_part_that_is_not_the_last_is_400(strict, sizes):
    target = ask(strict.api())
    id = target.begin()
    listed = [(number, must(target.part(id, number, noise(size)))["etag"]) for number, size in enumerate(sizes, 1)]
    assert_kodo_error(target.finish(id, listed), 400)
    assert_no_file(strict.api(), target)


@pytest.mark.parametrize("sizes", [(1,), (MB, 1), (MB, MB, MB - 1)])
def test_last_part_may_be_small(strict, sizes):
    target = ask(strict.api())
    id = target.begin()
    listed = [(number, must(target.part(id, number, noise(size)))["etag"]) for number, size in enumerate(sizes, 1)]
    assert target.finish(id, listed).status_code == 200
    assert_file(strict.api(), target.id, b"".join(map(noise, sizes)))


@pytest.mark.parametrize("way, begun", covering(["put", "form", "v1", "v2"], ["block", "part"]))
def test_nothing_is_left_of_a_file_that_came_another_way(strict, begun, way):
    target = ask(strict.api())
    target.block(A) if begun == "block" else target.part(target.begin(), 7, A)
    assert getattr(target, way)(ALL).status_code == 200
    assert_file(strict.api(), target.id, ALL)
    assert eventually(lambda: not has_bytes(strict, target.id))


def test_nothing_is_left_of_what_ended(strict):
    api, before = strict.api(), strict.api().count()
    for way in ("v1", "v2"):
        assert getattr(ask(api), way)(ALL).status_code == 200
    gone = ask(api)
    gone.parts(gone.begin(), ALL)
    gone.callback(False)
    assert eventually(lambda: not has_bytes(strict, gone.id))
    assert_counts(strict, before + 2)
