"""Sub-queries and relations."""

import pytest
from data import MISSING, pointer
from queries import ask, body, find, found, put, relation, update

# Sub-queries

def of_people(where, **more):
    return {"className": "QueryPerson", "where": where} | more


@pytest.mark.parametrize("operator, sub, expected", [
    ("$inQuery", of_people({"name": "Ann"}), "p"), ("$inQuery", of_people({}), "pq"),
    ("$inQuery", of_people({"born": 1}), ""),
    ("$notInQuery", of_people({"name": "Ann"}), "qrs"), ("$notInQuery", of_people({"born": 1}), "pqrs"),
    ("$inQuery", of_people({}, order="-born", limit=1), "q"), ("$inQuery", of_people({}, order="-born", skip=1), "p"),
    ("$inQuery", of_people({"name": "Ann"}, include="town", keys="born", returnACL=True), "p"),
    ("$inQuery", of_people({}, limit="1", order="born"), "p"),
])
def test_pointer_is_among_the_results_of_a_sub_query(api, books, operator, sub, expected):
    assert found(api, "QueryBook", {"author": {operator: sub}}) == expected


@pytest.mark.parametrize("operator, sub, key, expected", [
    ("$select", {"className": "QueryPerson", "where": {}}, "name", "x"),
    ("$select", {"className": "QueryPerson", "where": {"born": {"$gt": 1985}}}, "name", ""),
    ("$dontSelect", {"className": "QueryPerson", "where": {}}, "name", "yz"),
    ("$dontSelect", {"className": "QueryPerson", "where": {"born": {"$gt": 1985}}}, "name", "xyz"),
    ("$select", {"className": "QueryPerson", "where": {}, "order": "-born", "limit": 1}, "name", ""),
    ("$select", {"className": "QueryPerson", "where": {}}, "nothing", ""),
])
def test_value_is_among_those_of_a_sub_query(api, books, letters, operator, sub, key, expected):
    assert found(api, "QueryLetter", {"to": {operator: {"query": sub, "key": key}}}) == expected


@pytest.fixture(scope="module")
def letters(api, books):
    rows = [
        {"name": "x", "to": "Ann", "person": pointer("QueryPerson", books["Ann"]), "personId": books["Ann"]},
        {"name": "y", "to": "Zoe", "person": pointer("QueryPerson", MISSING), "personId": MISSING},
        {"name": "z"},
    ]
    return put(api, "QueryLetter", rows)


def test_key_of_a_sub_query_may_be_the_object_id(api, books, letters):
    select = {"$select": {"query": {"className": "QueryPerson", "where": {}}, "key": "objectId"}}
    assert found(api, "QueryLetter", {"personId": select}) == "x"


def test_key_of_a_sub_query_may_be_a_pointer(api, books, letters):
    select = {"$select": {"query": {"className": "QueryBook", "where": {"name": "p"}}, "key": "author"}}
    assert found(api, "QueryLetter", {"person": select}) == "x"


@pytest.mark.smoke
def test_sub_queries_nest(api, books):
    towns = {"className": "QueryTown", "where": {"river": "Rhône"}}
    assert found(api, "QueryBook", {"author": {"$inQuery": of_people({"town": {"$inQuery": towns}})}}) == "p"


def test_sub_queries_stand_in_or(api, books):
    where = {"$or": [{"author": {"$inQuery": of_people({"name": "Bob"})}}, {"name": "s"}]}
    assert found(api, "QueryBook", where) == "qs"


@pytest.mark.parametrize("operator, expected", [("$inQuery", ""), ("$notInQuery", "pqrs")])
def test_sub_query_of_an_unknown_class_finds_nothing(api, books, operator, expected):
    where = {"author": {operator: {"className": "QueryNowhere", "where": {}}}}
    assert found(api, "QueryBook", where) == expected


@pytest.mark.parametrize("limit, count", [
    ({}, 100), ({"limit": 7}, 7), ({"limit": 1000}, 1000), ({"limit": 5000}, 1000),
])
def test_sub_query_gives_a_hundred_unless_told_and_a_thousand_at_most(api, many, limit, count):
    sub = {"className": "QueryMany", "where": {}, "order": "n"} | limit
    where = {"n": {"$select": {"query": sub, "key": "n"}}}
    assert body(api, "QueryMany", where, limit=0, count=1)["count"] == count


@pytest.mark.extended
@pytest.mark.sqlite
def test_sub_query_over_large_objects_is_never_answered_from_a_part(master):
    """Objects of 75 MB: more than a sub-query may read."""
    rows = [{"n": n, "s": "s" * 15_000_000} for n in range(5)]
    large = [id for row in rows for id in put(master, "QueryHuge", [row])]
    put(master, "QueryHugeHolder", [{"n": n, "to": pointer("QueryHuge", id)} for n, id in enumerate(large)])
    huge = {"className": "QueryHuge", "where": {}}
    for field, operator, value, count in [
        ("to", "$inQuery", huge, 5), ("to", "$notInQuery", huge, 0),
        ("n", "$select", {"query": huge, "key": "n"}, 5), ("n", "$dontSelect", {"query": huge, "key": "n"}, 0),
    ]:
        reply = body(master, "QueryHugeHolder", {field: {operator: value}}, limit=0, count=1)
        assert reply["count"] == count, (field, operator)
    refused = ask(master, "QueryHugeHolder", {"n": {"$dontSelect": {"query": huge, "key": "s"}}})
    assert (refused.status_code, refused.json()["code"]) == (400, 107)
    assert "8 MB" in refused.json()["error"]


def test_count_and_order_work_with_sub_queries(api, books):
    reply = body(api, "QueryBook", {"author": {"$inQuery": of_people({})}}, order="-name", count=1, limit=1)
    assert ([row["name"] for row in reply["results"]], reply["count"]) == (["q"], 2)


# Relations

@pytest.fixture(scope="module")
def fans(api):
    """Two people with relations to posts: one likes a, b and c, the other b; a third never liked anything."""
    posts = put(api, "QueryPost", [{"name": letter, "n": at} for at, letter in enumerate("abcd")])
    people = put(api, "QueryFan", [{"name": "one"}, {"name": "two"}, {"name": "nobody"}])
    for person, liked in zip(people, (posts[:3], posts[1:2])):
        update(api, "QueryFan", person, likes=relation("AddRelation", "QueryPost", liked))
    return dict(zip(("one", "two", "nobody"), people)) | dict(zip("abcd", posts))


def liked(fans, name):
    return {"$relatedTo": {"object": pointer("QueryFan", fans[name]), "key": "likes"}}


@pytest.mark.parametrize("name, expected", [("one", "abc"), ("two", "b"), ("nobody", "")])
def test_related_to_gives_the_members(api, fans, name, expected):
    assert found(api, "QueryPost", liked(fans, name)) == expected


def test_related_to_goes_with_conditions_order_and_count(api, fans):
    reply = body(api, "QueryPost", liked(fans, "one") | {"n": {"$gt": 0}}, order="-n", limit=1, count=1)
    assert ([row["name"] for row in reply["results"]], reply["count"]) == (["c"], 2)


@pytest.mark.parametrize("object, key", [
    (pointer("QueryFan", MISSING), "likes"), (pointer("QueryNowhere", MISSING), "likes"), ("one", "nothing"),
])
def test_relation_that_is_not_there_has_no_members(api, fans, object, key):
    object = pointer("QueryFan", fans[object]) if object == "one" else object
    assert found(api, "QueryPost", {"$relatedTo": {"object": object, "key": key}}) == ""


def test_pointer_against_a_relation_finds_its_owners(api, fans):
    assert [row["name"] for row in find(api, "QueryFan", {"likes": pointer("QueryPost", fans["a"])})] == ["one"]
    owners = find(api, "QueryFan", {"likes": pointer("QueryPost", fans["b"])}, order="name")
    assert [row["name"] for row in owners] == ["one", "two"]
    assert find(api, "QueryFan", {"likes": pointer("QueryPost", fans["d"])}) == []


def test_every_row_shows_the_relation(api, fans):
    shown = [row["likes"] for row in find(api, "QueryFan")]
    assert shown == [{"__type": "Relation", "className": "QueryPost"}] * 3


def test_redirect_asks_the_owners_class_and_gives_the_target(api, fans):
    reply = body(api, "QueryFan", liked(fans, "one"), redirectClassNameForKey="likes", order="name")
    assert reply["className"] == "QueryPost"
    assert [row["name"] for row in reply["results"]] == ["a", "b", "c"]


def test_redirect_counts_the_target(api, fans):
    assert body(api, "QueryFan", liked(fans, "one"), redirectClassNameForKey="likes", limit=0, count=1)["count"] == 3


def test_relation_changes_are_seen(api):
    posts = put(api, "QueryChange", [{"name": "a"}, {"name": "b"}])
    owner, = put(api, "QueryOwner", [{"likes": relation("AddRelation", "QueryChange", posts)}])
    where = {"$relatedTo": {"object": pointer("QueryOwner", owner), "key": "likes"}}
    assert found(api, "QueryChange", where) == "ab"
    update(api, "QueryOwner", owner, likes=relation("RemoveRelation", "QueryChange", posts[:1]))
    assert found(api, "QueryChange", where) == "b"
    assert api.call("DELETE", f"/1.1/classes/QueryChange/{posts[1]}").status_code == 200
    assert found(api, "QueryChange", where) == ""


def test_member_added_twice_comes_once(api):
    posts = put(api, "QueryTwice", [{"name": "a"}])
    owner, = put(api, "QueryTwiceOwner", [{"likes": relation("AddRelation", "QueryTwice", posts * 2)}])
    update(api, "QueryTwiceOwner", owner, likes=relation("AddRelation", "QueryTwice", posts))
    where = {"$relatedTo": {"object": pointer("QueryTwiceOwner", owner), "key": "likes"}}
    assert body(api, "QueryTwice", where, count=1)["count"] == 1
