"""Attacks with queries: fields of users that one may not see, and classes that are not for clients."""

import pytest
from batches import get
from cases import covering
from data import MISSING, Objects, batch, describe, op, pointer
from people import PASSWORD, READ, Person, Rules, refusal, start, unique

HIDDEN = [
    "password", "_password", "salt", "bcryptPassword", "_hashed_password", "_token", "_session", "sessionToken", "authData",
    "authData.github", "authData.github.uid", "_password.x", "ACL", "_acl",
]


@pytest.fixture
def users(cast):
    """Users as seen by a caller who is allowed to search for all of them."""
    rules = Rules(cast.master)
    rules.set("_User", find=["everyone"])
    yield Objects(cast.other, "_User")
    rules.restore()


@pytest.fixture(scope="module")
def linked(server):
    """Three users with identities on a platform, whose order is not that in which the users were made."""
    people = []
    for letter in "bca":
        person = Person(server)
        person.uid = unique(letter)
        fields = {"authData": {"github": {"uid": person.uid}}}
        assert person.call("PUT", f"/1.1/users/{person.id}", json=fields).status_code == 200
        people.append(person)
    return people


def among(people):
    return {"objectId": {"$in": [person.id for person in people]}}


def found(response):
    """The ids of what a query finds; nothing if it was refused."""
    assert 200 <= response.status_code < 500
    return [row["objectId"] for row in response.json().get("results", [])]


# Fields that one may not see

@pytest.mark.parametrize("field, test", covering(HIDDEN, [
    {"$exists": True}, {"$ne": None}, {"$regex": "."}, {"$gt": ""}, {"$nin": [None, ""]}, {"$ne": "x"}, {"$lte": "\uffff"},
], times=2), ids=str)
def test_hidden_field_of_a_user_answers_no_condition(users, linked, field, test):
    nobody = users.query(where=among(linked) | {"nothing": test})
    assert found(users.query(where=among(linked) | {field: test})) in ([], found(nobody))


@pytest.mark.parametrize("field, value", [
    ("sessionToken", lambda person: person.token), ("_token", lambda person: person.token),
    ("password", lambda person: PASSWORD), ("authData.github.uid", lambda person: person.uid),
    ("authData.github", lambda person: {"uid": person.uid}), ("authData", lambda person: {"github": {"uid": person.uid}}),
])
def test_guess_of_a_hidden_value_is_not_confirmed(users, linked, field, value):
    guess = value(linked[0])
    for where in ({field: guess}, {field: {"$in": [guess]}}, {"$or": [{field: guess}, {"objectId": MISSING}]}):
        assert found(users.query(where=where)) == []
    right, wrong = (found(users.query(where=among(linked) | {field: {"$ne": text}})) for text in (guess, "x"))
    assert right == wrong


@pytest.mark.parametrize("field, value", [
    ("sessionToken", lambda person: person.token), ("password", lambda person: PASSWORD),
    ("authData.github.uid", lambda person: person.uid), ("authData.github", lambda person: {"uid": person.uid}),
])
def test_sub_query_compares_with_no_hidden_value(users, cast, linked, field, value):
    guesses = Objects(cast.other, "attacks_Guess")
    name, right = unique("guess"), value(linked[0])
    ids = [guesses.create(**{name: guess}) for guess in (right, {"uid": "x"} if isinstance(right, dict) else "x")]
    query = {"className": "_User", "where": {"objectId": linked[0].id}}
    for operator in ("$select", "$dontSelect"):
        where = {"objectId": {"$in": ids}, name: {operator: {"query": query, "key": field}}}
        assert found(guesses.query(where=where)) in ([], ids if operator == "$dontSelect" else [])


def test_sub_query_asks_no_hidden_field(users, cast, linked):
    notes = Objects(cast.other, "attacks_Author")
    notes.create(author=linked[0].pointer)
    for where in ({"authData.github.uid": linked[0].uid}, {"authData": {"$exists": True}}, {"_password": {"$exists": True}}):
        query = {"className": "_User", "where": where | among(linked)}
        assert found(notes.query(where={"author": {"$inQuery": query}})) == []


@pytest.mark.parametrize("field", HIDDEN)
def test_order_follows_no_hidden_field(users, linked, field):
    made = [person.id for person in linked]
    for sign in ("", "-"):
        assert found(users.query(where=among(linked), order=sign + field)) in (made, made[::-1], [])


@pytest.mark.parametrize("field", ["password", "_password", "sessionToken", "_token", "authData", "authData.github.uid"])
def test_keys_bring_no_hidden_field(users, linked, field):
    for row in users.find(where=among(linked), keys=f"username,{field}"):
        assert set(row) == {"objectId", "createdAt", "updatedAt", "username"}


def test_operator_finds_users_by_their_platforms(cast, linked):
    users = Objects(cast.master, "_User")
    assert users.ids(where={"authData.github.uid": linked[0].uid}) == {linked[0].id}


@pytest.mark.parametrize("where", [
    {"_password": {"$exists": True}}, {"_password": {"$gt": ""}}, {"password": {"$regex": "."}}, {"sessionToken": {"$ne": None}},
], ids=str)
def test_condition_of_a_change_asks_no_hidden_field_of_oneself(server, where):
    person = Person(server)
    users = Objects(person, "_User")
    assert users.put(person.id, {"city": "Lyon"}, where={"username": person.name}).status_code == 200
    assert users.put(person.id, {"city": "Oslo"}, where=where).json()["code"] == 305
    assert users.read(person.id)["city"] == "Lyon"


@pytest.fixture
def discreet(new_server):
    """A server on which emails are hidden and all may search for users; people with an email each."""
    server = start(new_server)
    people = [Person(server, email=f"{letter}@example.org") for letter in "bca"]
    master = server.api(master=True)
    describe(master, Objects(master, "_User"), "email", hidden=True)
    Rules(master).set("_User", find=["everyone"])
    return people


def test_email_that_is_hidden_is_shown_to_nobody(discreet):
    for asking in (discreet[0], discreet[0].server.api()):
        users = Objects(asking, "_User")
        assert not any("email" in row for row in users.find(keys="username,email"))
        assert "email" not in users.get(discreet[0].id).json()
        assert found(users.query(where={"email": "b@example.org"})) == []
        assert found(users.query(order="email")) in ([person.id for person in discreet], [])
    assert discreet[0].get("/1.1/users/me").json().get("email") is None


# Classes that are not for clients

@pytest.fixture(scope="module")
def session(cast):
    """The session of the owner."""
    return Objects(cast.master, "_Session").find(where={"user": cast.owner.pointer})[0]["objectId"]


@pytest.mark.parametrize("caller", ["guest", "owner", "member"])
@pytest.mark.parametrize("name", [
    "_Session", "_Identity", "_Password", "_Token", "_Permission", "_SCHEMA", "_Join:users:_Role",
])
def test_client_reads_no_class_of_the_server(cast, session, caller, name):
    objects = Objects(cast[caller], name)
    for response in (
        objects.query(), objects.query(limit=0, count=1), objects.get(session), cast[caller].get(f"/1.1/scan/classes/{name}"),
        cast[caller].get(f"/1.1/schemas/{name}"), batch(cast[caller], get(objects)), batch(cast[caller], get(objects, session)),
    ):
        assert refusal(response) is not None


SUBQUERIES = {
    "$inQuery": lambda name: {"target": {"$inQuery": {"className": name, "where": {}}}},
    "$select": lambda name: {"objectId": {"$select": {"query": {"className": name, "where": {}}, "key": "objectId"}}},
    "$select of the user": lambda name: {"author": {"$select": {"query": {"className": name, "where": {}}, "key": "user"}}},
    "$select of the token": lambda name: {"text": {"$select": {"query": {"className": name, "where": {}}, "key": "_token"}}},
}


@pytest.mark.parametrize("name", ["_Session", "_Identity"])
@pytest.mark.parametrize("way", SUBQUERIES)
def test_sub_query_reads_no_class_of_the_server(cast, session, linked, way, name):
    notes = Objects(cast.owner, "attacks_Author")
    notes.create(target=pointer("_Session", session), author=cast.owner.pointer, text=cast.owner.token)
    notes.create(author=linked[0].pointer, text=linked[0].uid)
    assert found(notes.query(where=SUBQUERIES[way](name))) == []


def test_pointer_to_a_session_is_not_included(cast, session):
    notes = Objects(cast.owner, "attacks_Author")
    bare = pointer("_Session", session)
    id = notes.create(target=bare, all=[bare])
    assert notes.read(id, include="target,all,target.user", keys="target,all") == {"target": bare, "all": [bare]}


@pytest.mark.parametrize("name, key", [("_Session", "sessions"), ("_Identity", "identities"), ("_User", "people")])
def test_relation_leads_into_no_class_that_is_closed(cast, session, linked, name, key):
    notes = Objects(cast.guest, "attacks_Related")
    target = pointer(name, {"_Session": session, "_User": linked[0].id}.get(name, MISSING))
    response = notes.post({key: op("AddRelation", objects=[target])})
    if response.status_code == 201:
        where = {"$relatedTo": {"object": notes.pointer(response.json()["objectId"]), "key": key}}
        assert found(notes.query(where=where, redirectClassNameForKey=key)) == []
        assert notes.query(where=where, redirectClassNameForKey=key, limit=0, count=1).json().get("count", 0) == 0
        assert found(Objects(cast.guest, name).query(where=where)) == []


@pytest.mark.parametrize("owner", ["_Session", "_Identity"])
def test_relation_of_a_class_of_the_server_is_empty(cast, session, owner):
    where = {"$relatedTo": {"object": pointer(owner, session), "key": "user"}}
    assert found(Objects(cast.owner, "_User").query(where=where)) == []


# Batches

@pytest.mark.parametrize("path", [
    "/1.1/batch", "/1.1/batch/save", "/1.1/schemas", "/1.1/permissions", "/1.1/permissions/_User", "/1.1/scan/classes/_User",
    "/1.1/indexes/_User", "/1.1/classes/_Session", "/1.1/users", "/1.1/classes/_User?limit=1",
])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_guest_does_nothing_in_a_batch_that_it_may_not_do_alone(cast, method, path):
    body = {"requests": [{"method": "GET", "path": "/1.1/schemas"}], "get": ["everyone"]}
    response = batch(cast.guest, {"method": method, "path": path, "body": body})
    assert response.status_code == 400 or "error" in response.json()[0]


def test_log_in_within_a_batch_is_no_session_of_the_batch(cast):
    seen = batch(
        cast.guest, {"method": "POST", "path": "/1.1/login", "body": {"username": cast.owner.name, "password": PASSWORD}},
        {"method": "PUT", "path": f"/1.1/users/{cast.owner.id}", "body": {"city": "Lyon"}},
    )
    assert seen.json()[1]["error"]["code"] == 206
    assert "city" not in cast.master.get(f"/1.1/users/{cast.owner.id}").json()


def test_items_of_a_batch_see_what_the_caller_may_see(cast):
    notes = Objects(cast.master, "attacks_Items")
    ids = [notes.create(n=1, ACL=acl) for acl in ({"*": READ}, {cast.owner.id: READ}, {})]
    seen = batch(cast.owner, *[get(notes, id) for id in ids], get(notes)).json()
    assert [item.get("error", {}).get("code") for item in seen] == [None, None, 403, None]
    assert {row["objectId"] for row in seen[3]["success"]["results"]} == set(ids[:2])
