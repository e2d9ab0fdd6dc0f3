"""Permissions of built-in classes, and what is closed at first."""

import pytest
from batches import delete, get, post, put, save
from client import assert_refused
from data import MISSING, Objects, batch, texts
from people import BOTH, READ, Person, Role, assert_forbidden, forbidden, permissions, refusal, relations, start, unique

USERS = ["/1.1/users", "/1.1/classes/_User", "/1.1/users/strictlyQuery"]
# A search for friends takes equality only (people/test_friends.py).
SEARCHED = USERS[:2]


# Short paths

def account():
    return {"username": unique("built"), "password": "p"}


def new_role():
    return {"name": unique("Built"), "ACL": {"*": BOTH}}


def item(method, path, body=None):
    return {"method": method, "path": path, "body": body or {}}


CALLS = {
    "sign-up": ("_User", "create", lambda cast, role: cast.owner.post("/1.1/users", json=account())),
    "sign-up as an object": ("_User", "create", lambda cast, role: cast.owner.post("/1.1/classes/_User", json=account())),
    "sign-up in a batch": ("_User", "create", lambda cast, role: batch(cast.owner, item("POST", "/1.1/users", account()))),
    "sign-up by batch/save": ("_User", "create", lambda cast, role: save(
        cast.owner, item("POST", "/1.1/users", account() | {"__internalId": "A"}) | {"new": True},
    )),
    "sign-up by a platform": ("_User", "create", lambda cast, role: cast.owner.post(
        "/1.1/users", json={"authData": {"github": {"uid": unique("u")}}},
    )),
    "user": ("_User", "get", lambda cast, role: cast.owner.get(f"/1.1/users/{cast.other.id}")),
    "user as an object": ("_User", "get", lambda cast, role: cast.owner.get(f"/1.1/classes/_User/{cast.other.id}")),
    "change of a user": ("_User", "update", lambda cast, role: cast.owner.call(
        "PUT", f"/1.1/users/{cast.owner.id}", json={"email": f"{unique('built')}@example.org"},
    )),
    "new field of a user": ("_User", "add_fields", lambda cast, role: cast.owner.call(
        "PUT", f"/1.1/users/{cast.owner.id}", json={unique("c"): 1},
    )),
    "roles": ("_Role", "find", lambda cast, role: cast.owner.get("/1.1/roles")),
    "role": ("_Role", "get", lambda cast, role: cast.owner.get(role.path)),
    "new role": ("_Role", "create", lambda cast, role: cast.owner.post("/1.1/roles", json=new_role())),
    "change of a role": ("_Role", "update", lambda cast, role: cast.owner.call(
        "PUT", role.path, json=relations("AddRelation", users=[cast.owner]),
    )),
    "deletion of a role": ("_Role", "delete", lambda cast, role: cast.owner.call("DELETE", role.path)),
    "new installation": ("_Installation", "create", lambda cast, role: cast.owner.post(
        "/1.1/installations", json={"deviceType": "ios"},
    )),
    "installations": ("_Installation", "find", lambda cast, role: cast.owner.get("/1.1/installations")),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("call", CALLS)
def test_operation_of_a_built_in_class_is_closed_and_opened(cast, rules, call):
    name, operation, make = CALLS[call]
    role = Role(cast.master, acl={"*": BOTH})
    cast.guest.post("/1.1/installations", json={"deviceType": "ios"})
    rules.set(name, **{operation: []})
    assert_forbidden(make(cast, role), forbidden(operation, name))
    rules.set(name, **{operation: cast.words("user")})
    assert refusal(make(cast, role)) is None


def test_user_that_may_not_be_deleted_by_itself(server, rules):
    person = Person(server)
    rules.set("_User", delete=[])
    path = f"/1.1/users/{person.id}"
    assert_forbidden(person.call("DELETE", path), forbidden("delete", "_User"))
    rules.set("_User", delete=["users"])
    assert person.call("DELETE", path).json() == {}


def test_users_log_in_where_nobody_may_sign_up(server, cast, rules):
    person = Person(server)
    rules.set("_User", create=[], find=[], get=[], update=[])
    login = {"username": person.name, "password": "correct horse"}
    assert cast.guest.post("/1.1/login", json=login).json()["objectId"] == person.id


def test_role_grants_where_its_class_is_closed(cast, rules):
    notes = Objects(cast.master, "builtin_Note")
    id = notes.create(n=1, ACL={cast.role.subject: READ})
    rules.set("_Role", find=[], get=[])
    assert notes.by(cast.member).read(id) == {"n": 1}


# What is closed at first

@pytest.mark.parametrize("name, closed", [("_User", {"find"}), ("_File", {"delete"}), ("_Role", set())])
def test_what_is_closed_at_first(new_server, name, closed):
    settings = permissions(start(new_server).api(master=True), name)
    assert settings == {
        operation: [] if operation in closed else ["everyone"]
        for operation in ("add_fields", "create", "delete", "find", "get", "update")
    } | {"defaultACL": {"*": BOTH}}


SEARCHES = {
    "all": lambda caller, path: caller.get(path),
    "one": lambda caller, path: caller.get(path, params=texts({"where": {"username": "ann"}})),
    "count": lambda caller, path: caller.get(path, params={"count": 1, "limit": 0}),
    "batch": lambda caller, path: batch(caller, {"method": "GET", "path": path}),
}


@pytest.mark.parametrize("path", USERS)
@pytest.mark.parametrize("search", SEARCHES)
def test_guest_may_not_search_for_users(cast, path, search):
    assert_forbidden(SEARCHES[search](cast.guest, path), forbidden("find", "_User"))


@pytest.mark.parametrize("operator, key", [
    ("$inQuery", None), ("$notInQuery", None), ("$select", "username"), ("$dontSelect", "email"),
])
def test_guest_may_not_search_for_users_in_a_sub_query(cast, operator, key):
    notes = Objects(cast.guest, "builtin_Note")
    notes.create(n=1)
    query = {"className": "_User", "where": {}}
    where = {"name": {operator: {"query": query, "key": key} if key else query}}
    assert_forbidden(notes.query(where=where), forbidden("find", "_User"))


def test_guest_may_not_search_for_users_through_a_relation(cast):
    query = {"where": {"$relatedTo": {"object": cast.role.pointer, "key": "users"}}}
    for path, redirect in (("/1.1/users", {}), ("/1.1/roles", {"redirectClassNameForKey": "users"})):
        assert_forbidden(cast.guest.get(path, params=texts(query | redirect)), forbidden("find", "_User"))


@pytest.mark.parametrize("path", SEARCHED)
@pytest.mark.parametrize("query", [
    {}, {"limit": 1000}, {"order": "username"}, {"order": "-createdAt", "limit": 1}, {"where": {"username": {"$exists": True}}},
    {"where": {"$or": [{"username": {"$ne": "x"}}, {"email": "y"}]}}, {"where": {"objectId": {"$ne": MISSING}}},
], ids=str)
def test_user_who_searches_finds_itself(cast, path, query):
    found = cast.owner.get(path, params=texts(query | {"count": 1})).json()
    assert ([user["objectId"] for user in found["results"]], found["count"]) == ([cast.owner.id], 1)


@pytest.mark.parametrize("path", SEARCHED)
def test_user_who_searches_for_others_finds_nobody(cast, path):
    for where in ({"objectId": cast.other.id}, {"username": cast.other.name}, {"username": {"$in": [cast.other.name]}}):
        assert cast.owner.get(path, params=texts({"where": where, "count": 1})).json() == {"results": [], "count": 0}


def test_user_in_a_sub_query_is_the_caller(cast):
    notes = Objects(cast.master, "builtin_Author")
    for person in (cast.owner, cast.other):
        notes.create(author=person.pointer, name=person.name)
    sub = {"className": "_User", "where": {}}
    for where in ({"author": {"$inQuery": sub}}, {"name": {"$select": {"query": sub, "key": "username"}}}):
        assert {note["name"] for note in notes.by(cast.owner).find(where=where)} == {cast.owner.name}


def test_user_finds_no_other_member_of_its_role(cast):
    role = Role(cast.master, users=[cast.owner, cast.other])
    users = Objects(cast.owner, "_User")
    assert Objects(cast.owner, "_Role").members(role.id, "users", users) == {cast.owner.id}


def test_users_are_read_one_by_one_and_included(cast):
    assert cast.guest.get(f"/1.1/users/{cast.owner.id}").json()["username"] == cast.owner.name
    notes = Objects(cast.guest, "builtin_Note")
    id = notes.create(author=cast.owner.pointer)
    assert notes.read(id, include="author")["author"]["username"] == cast.owner.name


def test_search_for_users_is_opened(cast, rules):
    rules.set("_User", find=["everyone"])
    users = Objects(cast.guest, "_User")
    assert users.ids(where={"objectId": {"$in": [cast.owner.id, cast.other.id]}}) == {cast.owner.id, cast.other.id}


@pytest.mark.parametrize("caller", ["guest", "owner", "member"])
@pytest.mark.parametrize("call", [
    lambda o: o.query(), lambda o: o.query(count=1, limit=0), lambda o: o.get(MISSING), lambda o: o.delete(MISSING),
    lambda o: batch(o.api, get(o)), lambda o: batch(o.api, get(o, MISSING)), lambda o: batch(o.api, delete(o, MISSING)),
], ids=["find", "count", "get", "delete", "find of a batch", "get of a batch", "delete of a batch"])
def test_sessions_are_for_the_operator(cast, caller, call):
    response = call(Objects(cast[caller], "_Session"))
    assert refusal(response)["code"] == 403
    assert response.status_code == (200 if isinstance(response.json(), list) else 403)


@pytest.mark.parametrize("caller", ["guest", "owner"])
@pytest.mark.parametrize("call", [
    lambda o, id, fields: o.put(id, fields), lambda o, id, fields: o.post(fields),
    lambda o, id, fields: batch(o.api, post(o, fields)), lambda o, id, fields: batch(o.api, put(o, id, fields)),
    lambda o, id, fields: save(o.api, post(o, fields | {"__internalId": "A"}, new=True)),
    lambda o, id, fields: save(o.api, put(o, id, fields | {"__internalId": id})),
], ids=["update", "create", "create of a batch", "update of a batch", "create of batch/save", "update of batch/save"])
def test_clients_neither_make_nor_change_sessions(cast, server, caller, call):
    sessions, person = Objects(cast.master, "_Session"), Person(server)
    before, = sessions.find(where={"user": person.pointer})
    response = call(sessions.by(cast[caller]), before["objectId"], {"user": cast.other.pointer, "token": "a" * 25})
    assert refusal(response) is not None
    assert sessions.find(where={"user": person.pointer}) == [before]
    assert_refused(cast.guest.get("/1.1/users/me", headers={"X-LC-Session": "a" * 25}), 400, 211)


@pytest.mark.parametrize("settings", [
    {"find": ["everyone"]}, {"get": ["users"]}, {"delete": ["everyone"]}, {"defaultACL": {"*": BOTH}},
], ids=str)
def test_sessions_stay_for_the_operator(cast, settings):
    assert_refused(cast.master.call("PUT", "/1.1/permissions/_Session", json=settings), 400, 1)
    assert Objects(cast.owner, "_Session").query().status_code == 403
