"""Queries as a whole: which class they ask, the ways to ask, and indexes."""

import json

import pytest
from client import ALPHA, TIMEOUT, assert_refused
from data import Objects, describe, geopoint, pointer
from queries import ask, body, found, listed, only, put, relation, update

# Classes

@pytest.mark.smoke
def test_unknown_class_is_101(api):
    assert_refused(ask(api, "QueryNowhere"), 404, 101, "Class or object doesn't exists.")


def test_class_of_another_app_is_unknown(beta, rows):
    assert_refused(ask(beta, "QueryRow"), 404, 101)


def test_class_names_are_case_sensitive(api, rows):
    assert_refused(ask(api, "queryrow"), 404, 101)


def test_query_does_not_create_the_class(api):
    ask(api, "QueryNever", {"n": 1})
    assert_refused(ask(api, "QueryNever"), 404, 101)


def test_query_without_credentials_is_401(api, rows):
    assert_refused(api.get("/1.1/classes/QueryRow", headers={"X-LC-Key": "wrong"}), 401, 401)


def test_class_whose_rows_are_gone_is_empty(api):
    id, = put(api, "QueryGone", [{"name": "a"}])
    api.call("DELETE", f"/1.1/classes/QueryGone/{id}")
    assert body(api, "QueryGone", count=1) == {"results": [], "count": 0}


def test_misspelt_parameter_is_named_in_a_header_and_changes_nothing(api, rows):
    params = {"wher": '{"n":1}', "limit": 2, "_t": "1764000000"}
    response = api.get("/1.1/classes/QueryRow", params=params)
    assert response.headers["X-LC-Warning"] == "unknown parameter 'wher'; did you mean 'where'?"
    assert response.json() == api.get("/1.1/classes/QueryRow?limit=2").json()


def test_updated_and_deleted_rows_are_seen_at_once(api):
    ids = put(api, "QueryFresh", [{"name": "a", "n": 1}, {"name": "b", "n": 1}])
    update(api, "QueryFresh", ids[0], n=2)
    assert found(api, "QueryFresh", {"n": 1}) == "b"
    assert found(api, "QueryFresh", {"n": 2}) == "a"
    api.call("DELETE", f"/1.1/classes/QueryFresh/{ids[0]}")
    assert found(api, "QueryFresh", {"n": 2}) == ""


# Other ways to ask

@pytest.mark.parametrize("parameters", [
    {"where": {"n": {"$gt": 0}}, "limit": 2, "order": "name", "count": 1, "returnACL": False},
    {"where": '{"n":{"$gt":0}}', "limit": "2", "order": "name", "count": "1", "returnACL": "false"},
    {"where": [{"n": {"$gt": 0}}], "limit": 2, "order": "name", "count": True},
])
def test_query_in_a_batch(api, rows, parameters):
    request = {"method": "GET", "path": "/1.1/classes/QueryRow", "params": parameters}
    reply, = api.post("/1.1/batch", json={"requests": [request]}).json()
    assert ([row["name"] for row in reply["success"]["results"]], reply["success"]["count"]) == (["a", "b"], 3)


def test_queries_in_a_batch_fail_apart(api, rows):
    requests = [{"method": "GET", "path": f"/1.1/classes/{name}"} for name in ("QueryNowhere", "QueryRow")]
    replies = api.post("/1.1/batch", json={"requests": requests}).json()
    assert (replies[0]["error"]["code"], len(replies[1]["success"]["results"])) == (101, 6)


def test_batch_reads_its_own_writes(api):
    requests = [
        {"method": "POST", "path": "/1.1/classes/QueryBatch", "body": {"name": "a"}},
        {"method": "GET", "path": "/1.1/classes/QueryBatch", "params": {"where": {"name": "a"}}},
    ]
    replies = api.post("/1.1/batch", json={"requests": requests}).json()
    assert only(replies[1]["success"]["results"])["name"] == "a"


def test_tunnelled_query(api, rows):
    control = {"_method": "GET", "_ApplicationId": ALPHA.id, "_ApplicationKey": ALPHA.key}
    asked = json.dumps(control | {"where": {"n": {"$gt": 0}}, "limit": 1, "order": "-n"})
    url, type = f"{api.server.url}/1.1/classes/QueryRow", {"Content-Type": "text/plain"}
    response = api.session.post(url, data=asked, headers=type, timeout=TIMEOUT)
    assert (response.status_code, only(response.json()["results"])["name"]) == (200, "c")


# Hidden fields

@pytest.fixture(scope="module")
def hidden(api, master):
    """Objects a and b with fields that only the master key sees; the ids of a and of the post that a points to."""
    post, = put(api, "QueryHiddenPost", [{"name": "p", "code": "y"}])
    types = {"code": "String", "o": "Object", "at": "GeoPoint", "to": "Pointer", "likes": "Relation"}
    for field, type in types.items():
        target = {"className": "QueryHiddenPost"} if field in ("to", "likes") else {}
        describe(master, Objects(api, "QueryHidden"), field, type=type, hidden=True, **target)
    ids = put(api, "QueryHidden", [
        {"name": "a", "code": "z", "o": {"x": 1}, "at": geopoint(), "to": pointer("QueryHiddenPost", post),
         "likes": relation("AddRelation", "QueryHiddenPost", [post])},
        {"name": "b", "code": "y"},
    ])
    put(api, "QueryTeller", [{"name": "x", "of": pointer("QueryHidden", ids[0])}])
    return ids[0], post


@pytest.mark.parametrize("where, for_client, for_master", [
    ({"code": "z"}, "", "a"), ({"code": {"$ne": "z"}}, "ab", "b"), ({"code": {"$exists": True}}, "", "ab"),
    ({"code": {"$exists": False}}, "ab", ""), ({"code": None}, "ab", ""), ({"code": {"$regex": "^z"}}, "", "a"),
    ({"code": {"$gt": "y"}}, "", "a"), ({"code": {"$in": ["z"]}}, "", "a"), ({"code": {"$nin": ["z"]}}, "ab", "b"),
    ({"o": {"x": 1}}, "", "a"), ({"o.x": 1}, "", "a"), ({"o.x": {"$exists": False}}, "ab", "b"),
    ({"$or": [{"code": "z"}, {"name": "q"}]}, "", "a"), ({"$and": [{"name": "a"}, {"code": "z"}]}, "", "a"),
    ({"to": {"$inQuery": {"className": "QueryHiddenPost", "where": {}}}}, "", "a"),
    ({"code": {"$select": {"query": {"className": "QueryHiddenPost", "where": {}}, "key": "code"}}}, "", "b"),
    ({"to": {"$notInQuery": {"className": "QueryHiddenPost", "where": {}}}}, "ab", "b"),
    ({"code": {"$dontSelect": {"query": {"className": "QueryHiddenPost", "where": {}}, "key": "code"}}}, "ab", "a"),
    ({"name": {"$nin": ["b"]}, "code": {"$lt": "zz"}}, "", "a"), ({"at": {"$nearSphere": geopoint()}}, "", "a"),
    ({"at": {"$within": {"$box": [geopoint(0, -90), geopoint(80, 0)]}}}, "", "a"),
])
def test_hidden_field_is_a_missing_one(api, master, hidden, where, for_client, for_master):
    for caller, expected in ((api, for_client), (master, for_master)):
        assert found(caller, "QueryHidden", where) == expected
        assert body(caller, "QueryHidden", where, limit=0, count=1)["count"] == len(expected)


@pytest.mark.parametrize("sub, for_client, for_master", [
    ({"$inQuery": {"className": "QueryHidden", "where": {"code": "z"}}}, "", "x"),
    ({"$notInQuery": {"className": "QueryHidden", "where": {"code": "z"}}}, "x", ""),
    ({"$inQuery": {"className": "QueryHidden", "where": {}, "order": "-code", "limit": 1}}, "x", "x"),
    ({"$inQuery": {"className": "QueryHidden", "where": {}, "order": "code", "limit": 1}}, "x", ""),
])
def test_hidden_field_is_a_missing_one_in_a_sub_query(api, master, hidden, sub, for_client, for_master):
    assert [found(caller, "QueryTeller", {"of": sub}) for caller in (api, master)] == [for_client, for_master]


def test_hidden_key_of_a_sub_query_gives_nothing(api, master, hidden):
    where = {"code": {"$select": {"query": {"className": "QueryHidden", "where": {}}, "key": "code"}}}
    assert [found(caller, "QueryHiddenPost", where) for caller in (api, master)] == ["", "p"]


def test_hidden_field_gives_no_order(api, master, hidden):
    for order, for_master in (("code", "ba"), ("-code", "ab")):
        assert [listed(caller, "QueryHidden", order=order) for caller in (api, master)] == ["ab", for_master]


def test_hidden_relation_has_no_members(api, master, hidden):
    where = {"$relatedTo": {"object": pointer("QueryHidden", hidden[0]), "key": "likes"}}
    assert [found(caller, "QueryHiddenPost", where) for caller in (api, master)] == ["", "p"]
    owners = {"likes": pointer("QueryHiddenPost", hidden[1])}
    assert [found(caller, "QueryHidden", owners) for caller in (api, master)] == ["", "a"]


def test_change_where_a_hidden_field_has_a_value(api, master, hidden):
    where = {"where": '{"code":"z"}'}
    path = f"/1.1/classes/QueryHidden/{hidden[0]}"
    assert_refused(api.call("PUT", path, params=where, json={"name": "a"}), 400, 305)
    assert_refused(api.call("DELETE", path, params=where), 400, 305)
    assert master.call("PUT", path, params=where, json={"name": "a"}).status_code == 200


# Indexes

def test_index_changes_no_answer(api, master):
    put(api, "QueryIndexed", [{"name": "a", "n": 2}, {"name": "b", "n": 1}, {"name": "c"}, {"name": "d", "n": 2}])
    questions = [
        ({"n": 2}, "name"), ({"n": {"$gt": 1}}, "name"), ({"n": None}, "name"), ({"n": {"$ne": 2}}, "name"),
        ({}, "n,name"),
    ]
    before = [listed(api, "QueryIndexed", where, order=order) for where, order in questions]
    response = master.post("/1.1/indexes/QueryIndexed", json={"fields": ["n"]})
    assert response.status_code == 201, response.text
    assert [listed(api, "QueryIndexed", where, order=order) for where, order in questions] == before
    assert before == ["ad", "ad", "c", "bc", "cbad"]


def test_index_needs_the_master_key(api, rows):
    assert_refused(api.post("/1.1/indexes/QueryRow", json={"fields": ["n"]}), 403, 119)


def test_schema_needs_the_master_key(api, rows):
    assert_refused(api.call("PUT", "/1.1/schemas/QueryRow/n", json={}), 403, 119)
