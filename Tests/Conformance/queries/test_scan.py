"""Scans: a walk over all objects of a class with the master key."""

import pytest
from client import BETA, assert_refused
from data import MASTER_ONLY, Objects, assert_400, describe, own
from queries import put
from scans import flat, page, scan, walk


def seen(pages):
    return [row["objectId"] for row in flat(pages)]


@pytest.fixture(scope="module")
def full(api):
    """A class of 105 objects, and their ids in the order they were made."""
    objects = Objects(api, "scan_full")
    return objects, [objects.create(n=n, odd=n % 2 == 1) for n in range(105)]


@pytest.mark.smoke
def test_scan_is_for_the_master_key(full):
    objects, _ = full
    response = scan(objects.api, objects)
    assert (response.status_code, response.json()) == (403, {"code": 119, "error": MASTER_ONLY})


@pytest.mark.few(2)
@pytest.mark.parametrize("limit", [1, 7, 104, 105, 106, 1000])
def test_scan_gives_each_object_once_in_order(full, master, limit):
    objects, ids = full
    pages = walk(master, objects, limit=limit)
    assert seen(pages) == ids
    assert all(len(results) == limit for results in pages[:-2])


def test_scan_gives_a_hundred_by_itself(full, master):
    objects, ids = full
    results, cursor = page(master, objects)
    assert (len(results), isinstance(cursor, str)) == (100, True)


def test_end_of_a_scan_is_null(full, master):
    objects, _ = full
    assert '"cursor":null' in scan(master, objects, limit=1000, where={"n": -1}).text


def test_scanned_object_is_that_of_a_get(full, master):
    objects, ids = full
    assert flat(walk(master, objects, limit=50))[0] == objects.get(ids[0]).json()


@pytest.mark.parametrize("where", [{"odd": True}, '{"odd":true}', [{"odd": True}], {"$or": [{"odd": True}]}], ids=str)
def test_scan_takes_a_condition(full, master, where):
    objects, ids = full
    assert seen(walk(master, objects, limit=10, where=where)) == ids[1::2]


def test_scan_of_nothing_ends_at_once(full, master):
    objects, _ = full
    assert page(master, objects, where={"n": {"$gt": 1000}}) == ([], None)


def test_scan_of_an_empty_class_ends_at_once(things, master):
    things.delete(things.create())
    assert page(master, things) == ([], None)


@pytest.mark.few(2)
@pytest.mark.parametrize("key, expected", [
    ("objectId", range(105)), ("-objectId", reversed(range(105))), ("n", range(105)), ("-n", reversed(range(105))),
])
def test_scan_goes_along_a_key(full, master, key, expected):
    objects, _ = full
    assert [row["n"] for row in flat(walk(master, objects, limit=10, scan_key=key))] == list(expected)


@pytest.mark.parametrize("key", ["createdAt", "-createdAt"])
def test_scan_along_the_creation_gives_each_once(full, master, key):
    objects, ids = full
    assert sorted(seen(walk(master, objects, limit=10, scan_key=key))) == ids


@pytest.fixture(scope="module")
def alike(api):
    """Thirty objects of one batch with one number."""
    objects = Objects(api, "scan_alike")
    put(api, objects.name, [{"n": 5}] * 30)
    return objects


@pytest.mark.few(2)
@pytest.mark.parametrize("key", ["n", "-n", "createdAt", "-createdAt", "updatedAt", "-updatedAt"])
def test_objects_of_one_value_are_not_lost_between_pages(alike, master, key):
    def place(row):
        return row[key.removeprefix("-")], row["objectId"]

    ordered = sorted(alike.find(), key=place, reverse=key.startswith("-"))
    assert [place(row) for row in flat(walk(master, alike, limit=4, scan_key=key))] == list(map(place, ordered))


@pytest.mark.parametrize("key", ["n", "-n"])
def test_objects_without_the_key_are_not_lost_between_pages(api, things, master, key):
    ids = put(api, things.name, [{"n": 5}] * 10 + [{}] * 10)
    where = {"objectId": {"$in": ids}}
    assert sorted(seen(walk(master, things, limit=4, scan_key=key, where=where))) == sorted(ids)


@pytest.mark.parametrize("key", ["o.n", "-o.n"])
def test_value_inside_a_field_is_no_key(api, things, master, key):
    put(api, things.name, [{"o": {"n": 1}}])
    assert_400(scan(master, things, scan_key=key), "scan_key")


def test_value_that_is_too_long_for_a_cursor_ends_no_page(api, things, master):
    put(api, things.name, [{"t": "short"}, {"t": "x" * 17_000}])
    assert page(master, things, scan_key="t", limit=1)[0]
    assert_400(scan(master, things, scan_key="-t", limit=1), "too long")


@pytest.mark.parametrize("limit, sizes", [
    ({}, [100] * 10 + [5]), ({"limit": 1000}, [1000, 5]), ({"limit": 300}, [300, 300, 300, 105]),
])
def test_scan_of_a_large_class(many, master, limit, sizes):
    pages = walk(master, Objects(None, "QueryMany"), **limit)
    assert ([len(results) for results in pages if results], seen(pages)) == (sizes, sorted(many))


@pytest.mark.parametrize("keys, fields", [("n", {"n"}), ("-n", {"odd"})])
def test_scan_chooses_fields(full, master, keys, fields):
    objects, _ = full
    assert {name for row in flat(walk(master, objects, limit=10, keys=keys)) for name in own(row)} == fields


def test_objects_made_and_deleted_meanwhile_disturb_no_others(things, master):
    ids = [things.create(n=n) for n in range(20)]
    doomed = iter([ids[19], ids[0], ids[10]])

    def disturb():
        things.create(n=100)
        if id := next(doomed, None):
            things.delete(id)

    found = seen(walk(master, things, between=disturb, limit=4, where={"n": {"$lt": 100}}))
    assert found == sorted(set(found))
    assert set(ids) - {ids[19], ids[0], ids[10]} <= set(found)


def test_scan_shows_hidden_columns(things, master):
    describe(master, things, "secret", type="String", hidden=True)
    things.create(secret="s")
    assert flat(walk(master, things))[0]["secret"] == "s"


def test_scan_of_files_is_without_urls(new_server):
    server = new_server().start()
    record = server.api().store(b"x", name="x.txt")
    results, _ = page(server.api(master=True), Objects(None, "_File"))
    assert len(results) == 1
    assert (results[0]["key"], results[0]["name"], "url" in results[0]) == (record["key"], "x.txt", False)


def test_scan_of_a_missing_class(master):
    assert_refused(scan(master, Objects(None, "NeverMade")), 404, 101)


@pytest.mark.parametrize("cursor", ["x", "0", "-1", "a" * 5000, "'; --", "\0", "e30=", "eyJhIjoxfQ==", "../x", "%"],
                         ids=lambda cursor: ascii(cursor[:9]))
def test_bad_cursor(full, master, cursor):
    objects, _ = full
    assert_400(scan(master, objects, cursor=cursor))


def test_cursor_that_was_changed(full, master):
    objects, _ = full
    _, cursor = page(master, objects, limit=10)
    for changed in (cursor[:-1], cursor + "A", cursor[::-1]):
        if changed != cursor:
            assert scan(master, objects, limit=10, cursor=changed).status_code == 400


def test_cursor_of_another_class(full, things, master):
    objects, _ = full
    things.create()
    _, cursor = page(master, objects, limit=10)
    assert_400(scan(master, things, limit=10, cursor=cursor))


def test_cursor_of_another_app_shows_nothing_of_it(full, master, server):
    objects, ids = full
    objects.by(server.api(BETA)).create()
    _, cursor = page(master, objects, limit=10)
    response = scan(server.api(BETA, master=True), objects, limit=10, cursor=cursor)
    assert not any(id in response.text for id in ids)


@pytest.mark.parametrize("query", [
    {"limit": "ten"}, {"where": "{"}, {"where": "5"}, {"scan_key": "bad?"}, {"scan_key": "a'b"},
], ids=str)
def test_bad_parameters(full, master, query):
    objects, _ = full
    assert_400(scan(master, objects, **query))
