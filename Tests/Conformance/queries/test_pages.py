"""Pages of results: how many, in which order, with which columns, and how large a reply may be."""

import pytest
from queries import BASE, ask, body, find, found, listed, only, put


def numbers(api, where=None, **parameters):
    return [row["n"] for row in find(api, "QueryMany", where, **{"order": "n"} | parameters)]


@pytest.mark.few(2)
@pytest.mark.parametrize("parameters, expected", [
    ({}, range(100)), ({"limit": 3}, range(3)), ({"limit": 3, "skip": 2}, range(2, 5)), ({"limit": 1000}, range(1000)),
    ({"limit": 1001}, range(1000)), ({"limit": 999999}, range(1000)), ({"limit": -1}, range(100)), ({"limit": 0}, []),
    ({"skip": 1000}, range(1000, 1005)), ({"skip": 1005}, []), ({"skip": 999999999}, []), ({"limit": ""}, range(100)),
    ({"skip": ""}, range(100)), ({"limit": 5, "order": "-n"}, range(1004, 999, -1)),
])
def test_limit_and_skip_choose_the_page(api, many, parameters, expected):
    assert numbers(api, **parameters) == list(expected)


@pytest.mark.smoke
def test_limit_counts_what_matches(api, many):
    assert numbers(api, {"n": {"$gte": 500}}, limit=2, skip=1) == [501, 502]


def test_pages_without_an_order_cover_everything_once(api, many):
    pages = [row["n"] for start in range(0, 1005, 201) for row in find(api, "QueryMany", limit=201, skip=start)]
    assert sorted(pages) == list(range(1005))


def test_count_alone(api, many):
    assert body(api, "QueryMany", count=1, limit=0) == {"results": [], "count": 1005}


def test_count_is_of_all_that_match(api, many):
    reply = body(api, "QueryMany", {"n": {"$lt": 500}}, count=1, limit=2, skip=3)
    assert (len(reply["results"]), reply["count"]) == (2, 500)


@pytest.mark.parametrize("parameters", [{}, {"count": 0}, {"count": ""}])
def test_without_count_there_is_none(api, many, parameters):
    assert "count" not in body(api, "QueryMany", limit=1, **parameters)


def test_parameters_that_mean_nothing_are_ignored(api, rows):
    parameters = {"className": "", "include": "", "keys": "", "order": "", "fetchWhenSave": "false", "colour": "red"}
    assert found(api, "QueryRow", **parameters) == "abcdef"


# Order

@pytest.mark.parametrize("order, expected", [
    ("n,name", "efdabc"), ("-n,name", "cbadef"), ("-n,-name", "cbadfe"), ("s,name", "efdbac"), ("-s,name", "cabdef"),
    ("d,-name", "fedabc"), ("-d,name", "cbadef"), ("name", "abcdef"), ("-name", "fedcba"), ("-n, name", "cbadef"),
    ("o.city,name", "cdefab"), ("-o.city,name", "bacdef"), ("nothing,-name", "fedcba"), ("b,name", "cdefba"),
])
def test_order(api, rows, order, expected):
    assert listed(api, "QueryRow", order=order) == expected


@pytest.mark.parametrize("order, reverse", [
    ("createdAt", False), ("-createdAt", True), ("objectId", False), ("-objectId", True),
])
def test_order_by_built_in_columns(api, rows, order, reverse):
    values = [row[order.removeprefix("-")] for row in find(api, "QueryRow", order=order)]
    assert values == sorted(values, reverse=reverse)


def test_order_chooses_the_page(api, rows):
    assert listed(api, "QueryRow", order="-name", limit=2, skip=1) == "ed"


# Columns of the reply

@pytest.mark.parametrize("keys, expected", [
    ("n", BASE | {"n"}), ("n,s", BASE | {"n", "s"}), ("name", BASE | {"name"}), ("nothing", BASE), ("objectId", BASE),
    ("-n", BASE | {"name", "s", "b", "d", "tags", "nums", "o", "items"}),
    ("-n,-s,-b,-d,-tags,-nums,-o,-items", BASE | {"name"}),
    ("-createdAt,-updatedAt,-n,-s,-b,-d,-tags,-nums,-o,-items", {"objectId", "name"}),
    ("-objectId,-n,-s,-b,-d,-tags,-nums,-o,-items", {"createdAt", "updatedAt", "name"}),
])
def test_keys_choose_the_columns(api, rows, keys, expected):
    assert set(only(find(api, "QueryRow", {"name": "a"}, keys=keys))) == expected


def test_keys_reach_into_objects(api, rows):
    assert only(find(api, "QueryRow", {"name": "a"}, keys="o.city"))["o"] == {"city": "Lyon"}


@pytest.mark.parametrize("keys", ["-o.city", "o,-o.city"])
def test_negative_keys_reach_into_objects(api, rows, keys):
    whole = only(find(api, "QueryRow", {"name": "a"}))["o"]
    assert "city" in whole
    assert only(find(api, "QueryRow", {"name": "a"}, keys=keys)).get("o", {}) == {
        name: value for name, value in whole.items() if name != "city"
    }


def test_keys_work_for_one_object(api, rows):
    assert set(api.get(f"/1.1/classes/QueryRow/{rows['a']}?keys=n").json()) == BASE | {"n"}


def test_where_and_order_use_columns_that_are_not_asked_for(api, rows):
    assert listed(api, "QueryRow", {"n": {"$gt": 0}}, keys="name", order="-n") == "cba"


def test_missing_columns_are_left_out(api, rows):
    assert set(only(find(api, "QueryRow", {"name": "f"}))) == BASE | {"name"}


def test_result_is_the_object_itself(api, rows):
    assert only(find(api, "QueryRow", {"name": "a"})) == api.get(f"/1.1/classes/QueryRow/{rows['a']}").json()


def test_acl_comes_only_when_asked_for(api, rows):
    assert "ACL" not in only(find(api, "QueryRow", {"name": "a"}))
    row = only(find(api, "QueryRow", {"name": "a"}, returnACL="true"))
    assert row["ACL"] == {"*": {"read": True, "write": True}}


# Large replies

@pytest.fixture(scope="module")
def large(api):
    """Seven megabytes in seventy rows; their ids."""
    return put(api, "QueryLarge", [{"name": "x", "s": "s" * 100_000}] * 70)


def test_reply_stops_before_six_mebibytes(api, large):
    response = ask(api, "QueryLarge", count=1)
    assert response.status_code == 200
    assert (len(response.json()["results"]), response.json()["count"]) == (62, 70)
    assert len(response.content) < 6 << 20


@pytest.mark.parametrize("keys", ["name", "-s"])
def test_columns_that_are_not_asked_for_take_no_room(api, large, keys):
    rows = find(api, "QueryLarge", keys=keys, limit=1000)
    assert [set(row) for row in rows] == [BASE | {"name"}] * 70


def test_large_rows_come_in_pages(api, large):
    pages = [find(api, "QueryLarge", order="objectId", limit=35, skip=skip) for skip in (0, 35)]
    assert [row["objectId"] for page in pages for row in page] == sorted(large)
