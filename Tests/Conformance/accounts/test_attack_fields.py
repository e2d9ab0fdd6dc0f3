"""Attacks with fields: values that clients cannot set for themselves or others, by any call."""

import json
from contextlib import contextmanager

import pytest
from batches import post, put, save
from cases import covering
from client import Server, assert_refused
from data import DELETE, MISSING, Objects, batch, date, op, pointer
from people import BOTH, NO_SESSION, PASSWORD, Person, assert_forbidden, refusal, unique

BCRYPT = "$2b$04$6m.Cq8IjUbPLe6EV9EzGXe5Ok4wE5rBl6Yp/3nCyAyt7cW2nWpZmG"
# What a client may not write into a user, with the code that is documented.
CLOSED = {
    "sessionToken": ("a" * 25, 117), "emailVerified": (True, 117), "mobilePhoneVerified": (True, 117),
    "salt": ("salt", None), "bcryptPassword": (BCRYPT, None), "_password": ("x", 105), "_hashed_password": ("x", 105),
    "_token": ("x", 105), "_sessionToken": ("x", 105), "_acl": ({"*": BOTH}, 105), "_id": (MISSING, 105), "_salt": ("x", 105),
    "objectId": (MISSING, 105), "createdAt": (date(), 105), "updatedAt": (date(), 105), "className": ("_Role", 105),
}


@pytest.fixture
def person(server):
    return Person(server)


@pytest.fixture
def unchanged(master):
    """Asserts that a user stays as it is: all that the operator sees, its password and its session."""

    @contextmanager
    def unchanged(person):
        path = f"/1.1/users/{person.id}?returnACL=true"
        before = master.get(path).json()
        yield
        assert master.get(path).json() == before
        assert person.get("/1.1/users/me").json()["objectId"] == person.id
        answer = person.post("/1.1/login", json={"username": person.name, "password": PASSWORD})
        assert answer.json()["objectId"] == person.id

    return unchanged


def tunnelled(users, id, fields):
    text = json.dumps({"_method": "PUT"} | fields)
    return users.api.post(f"/1.1/users/{id}", data=text, headers={"Content-Type": "text/plain"})


SIGN_UPS = {
    "users": lambda users, fields: users.api.post("/1.1/users", json=fields),
    "class": lambda users, fields: users.post(fields),
    "with the flag": lambda users, fields: users.post(fields, new="true"),
    "batch": lambda users, fields: batch(users.api, post(users, fields)),
    "batch of users": lambda users, fields: batch(users.api, {"method": "POST", "path": "/1.1/users", "body": fields}),
    "batch/save": lambda users, fields: save(users.api, post(users, fields | {"__internalId": "A"}, new=True)),
}
UPDATES = {
    "users": lambda users, id, fields: users.api.call("PUT", f"/1.1/users/{id}", json=fields),
    "class": lambda users, id, fields: users.put(id, fields),
    "with the flag": lambda users, id, fields: users.put(id, fields, fetchWhenSave="true"),
    "condition": lambda users, id, fields: users.put(id, fields, where={"objectId": id}),
    "batch": lambda users, id, fields: batch(users.api, put(users, id, fields)),
    "batch/save": lambda users, id, fields: save(users.api, put(users, id, fields | {"__internalId": id})),
    "tunnel": tunnelled,
}


# Oneself

@pytest.mark.parametrize("way, field", covering(SIGN_UPS, CLOSED))
def test_sign_up_takes_no_field_that_is_closed(cast, way, field):
    value, code = CLOSED[field]
    name = unique("fields")
    response = SIGN_UPS[way](Objects(cast.guest, "_User"), {"username": name, "password": PASSWORD, field: value})
    assert response.status_code == (200 if "batch" in way and "save" not in way else 400)
    assert refusal(response)["code"] == (code or refusal(response)["code"])
    assert Objects(cast.master, "_User").count(username=name) == 0


FORMS = {
    "value": lambda field: {field: CLOSED[field][0]},
    "beside others": lambda field: {"city": "Lyon", field: CLOSED[field][0]},
    "Delete": lambda field: {field: DELETE},
    "Increment": lambda field: {field: op("Increment", amount=1)},
    "Add": lambda field: {field: op("Add", objects=["x"])},
    "AddRelation": lambda field: {field: op("AddRelation", objects=[pointer("_User")])},
    "Batch": lambda field: {field: op("Batch", ops=[op("Add", objects=["x"])])},
    "dotted": lambda field: {f"{field}.x": "y"},
    "dotted Delete": lambda field: {f"{field}.x": DELETE},
}


@pytest.mark.parametrize("way, field, form", covering(["users", "batch/save"], CLOSED, FORMS))
def test_user_gives_itself_no_field_that_is_closed(cast, unchanged, way, field, form):
    with unchanged(cast.owner):
        response = UPDATES[way](Objects(cast.owner, "_User"), cast.owner.id, FORMS[form](field))
        assert response.status_code == 400


@pytest.mark.parametrize("way, field", covering(UPDATES, ["sessionToken", "emailVerified", "_password", "objectId"]))
def test_no_way_leads_to_a_field_that_is_closed(person, unchanged, way, field):
    with unchanged(person):
        response = UPDATES[way](Objects(person, "_User"), person.id, {field: CLOSED[field][0]})
        assert refusal(response)["code"] == CLOSED[field][1]


ODD_FIELDS = [
    {"password": DELETE}, {"password": None}, {"password": ""}, {"password": 5}, {"password": ["x"]}, {"password": {"$ne": 1}},
    {"password": op("Add", objects=["x"])}, {"password.x": "y"}, {"password": {"__type": "Bytes", "base64": "aGk="}},
    {"ACL.*": BOTH}, {"ACL.*.write": True}, {"ACL": DELETE}, {"acl": {"*": BOTH}}, {"Acl": {"*": BOTH}},
    {"authData": 5}, {"authData": {"github": {}}}, {"authData.github.uid.x": 1}, {"authData": op("Add", objects=[1])},
    {"username": ""}, {"username": None}, {"email": "x"},
]


@pytest.mark.few(4)
@pytest.mark.parametrize("way, fields", covering(["users", "batch/save"], ODD_FIELDS), ids=str)
def test_account_keeps_its_form(person, unchanged, way, fields):
    with unchanged(person):
        assert 400 <= UPDATES[way](Objects(person, "_User"), person.id, fields).status_code < 500


@pytest.mark.parametrize("fields", [
    {"authData": {"_github_unionid": {"uid": "u"}}}, {"authData._github_unionid": {"uid": "u"}},
    {"authData": {"_github_unionid": {"uid": "u"}, "_x": None}}, {"authData._github_unionid.uid": "u"},
], ids=str)
def test_user_writes_no_hidden_name_among_its_platforms(cast, person, fields):
    for way in ("users", "batch", "batch/save"):
        UPDATES[way](Objects(person, "_User"), person.id, fields)
    assert "authData" not in cast.master.get(f"/1.1/users/{person.id}").json()


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server without other sign-ups during the test."""
    server = Server(tmp_path_factory.mktemp("own")).start()
    yield server
    assert server.stop() == 0


@pytest.mark.parametrize("key", [
    "sessionToken", "password", "salt", "bcryptPassword", "_token", "_password", "objectId", "emailVerified", "ACL",
])
def test_children_of_a_save_reach_no_closed_field(own, key):
    person, other = Person(own), Person(own)
    users = Objects(own.api(master=True), "_User")
    before, number, schema = users.read(person.id), users.count(), users.api.get("/1.1/schemas/_User").json()
    children = {"__children": [{"className": "_User", "cid": other.id, "key": key}]}
    mine, guests = users.by(person), users.by(own.api())
    account = {"username": unique("fields"), "password": PASSWORD, "__internalId": "A"}
    assert save(person, put(mine, person.id, children | {"__internalId": person.id})).status_code == 400
    assert save(guests.api, post(guests, children | account, new=True)).status_code == 400
    assert (users.read(person.id), users.count(), users.api.get("/1.1/schemas/_User").json()) == (before, number, schema)


# Others

OF_OTHERS = [
    {"username": "taken-over"}, {"password": "mine now"}, {"email": "mine@example.org"}, {"ACL": {"*": BOTH}}, {"ACL": {}},
    {"mobilePhoneNumber": "+8613800000099"}, {"authData": {"github": {"uid": "mine"}}}, {"authData": None},
    {"username": "taken-over", "password": "mine now"}, {"city": "Lyon"}, {"n": op("Increment", amount=1)}, {},
    {"all": op("AddRelation", objects=[pointer("X")])},
]


@pytest.mark.parametrize("way, fields, caller", covering(UPDATES, OF_OTHERS, ["guest", "other", "member"]), ids=str)
def test_user_is_changed_by_nobody_else(cast, unchanged, way, fields, caller):
    with unchanged(cast.owner):
        assert_forbidden(UPDATES[way](Objects(cast[caller], "_User"), cast.owner.id, fields), NO_SESSION)


@pytest.mark.parametrize("path", ["updatePassword", "refreshSessionToken"])
@pytest.mark.parametrize("caller", ["guest", "other"])
def test_password_and_token_are_renewed_by_nobody_else(cast, unchanged, caller, path):
    with unchanged(cast.owner):
        fields = {"old_password": PASSWORD, "new_password": "mine now"}
        response = cast[caller].call("PUT", f"/1.1/users/{cast.owner.id}/{path}", json=fields)
        assert_forbidden(response, NO_SESSION)


def test_sign_up_makes_no_second_user_of_an_id(cast, unchanged):
    with unchanged(cast.owner):
        fields = {"username": unique("fields"), "password": "mine now", "__internalId": cast.owner.id}
        created = save(cast.guest, post(Objects(cast.guest, "_User"), fields, new=True)).json()
        assert created[cast.owner.id]["objectId"] != cast.owner.id


def test_save_without_an_id_changes_no_user(cast, unchanged):
    with unchanged(cast.owner):
        item = {"method": "PUT", "path": "/1.1/classes/_User", "new": True}
        for id in (cast.owner.id, "A"):
            response = save(cast.other, item | {"body": {"__internalId": id, "city": "Lyon"}})
            assert 400 <= response.status_code < 500


def test_master_key_alone_sets_what_is_closed(cast, person):
    path = f"/1.1/users/{person.id}"
    assert cast.master.call("PUT", path, json={"emailVerified": True, "mobilePhoneVerified": True}).status_code == 200
    seen = cast.guest.get(path).json()
    assert (seen["emailVerified"], seen["mobilePhoneVerified"]) == (True, True)
    assert_refused(person.call("PUT", path, json={"emailVerified": False}), 400, 117)
