"""What a class that is closed tells on ways that are open: changes, relations, accounts."""

import pytest
from accounts import PASSWORD, TOKEN, is_live, log_in, sign_up, unique
from batches import put, save
from client import assert_refused
from data import MISSING, Objects, assert_400, batch, op, pointer
from people import BOTH, READ, WRITE, assert_forbidden, forbidden, no_writing, permit

NO_EFFECT = {"code": 305, "error": "No effect on updating/deleting a document."}
SHUT = {"get": [], "find": []}


@pytest.fixture
def closed(master):
    """A class whose objects every caller can change and only the master key can read, as the operator sees it."""
    secrets = Objects(master, unique("Closed"))
    secrets.create(n=42, text="secret")
    permit(master, secrets.name, **SHUT)
    return secrets


@pytest.fixture
def id(closed):
    return closed.create(n=42, text="secret")


# Changes

CHANGES = [{"n": op("Increment", amount=0)}, {"n": 43}, {"list": op("Add", objects=[1])}, {}]


@pytest.mark.parametrize("fields", CHANGES, ids=str)
@pytest.mark.parametrize("flag", ["fetchWhenSave", "new"])
def test_change_shows_no_field_of_a_class_that_is_closed(api, closed, id, flag, fields):
    assert set(closed.by(api).update(id, fields, **{flag: "true"})) == {"objectId", "updatedAt"}


def test_change_in_a_batch_shows_no_field_of_a_class_that_is_closed(api, closed, id):
    seen = closed.by(api)
    single, = batch(api, put(seen, id, CHANGES[0], params={"fetchWhenSave": True})).json()
    assert set(single["success"]) == {"objectId", "updatedAt"}
    saved = save(api, put(seen, id, CHANGES[0] | {"__internalId": id}, params={"fetchWhenSave": True}))
    assert set(saved.json()[id]) <= {"objectId", "updatedAt"}


WHERES = [{"text": "secret"}, {"n": {"$gt": 0}}, {"objectId": {"$exists": True}}, {"text": "x"}, {"missing": 1}, {}]


@pytest.mark.parametrize("where", WHERES, ids=str)
@pytest.mark.parametrize("change", [
    lambda seen, id, where: seen.put(id, {"n": 1}, where=where), lambda seen, id, where: seen.delete(id, where=where),
], ids=["update", "delete"])
def test_no_condition_holds_in_a_class_that_is_closed(api, closed, id, change, where):
    response = change(closed.by(api), id, where)
    assert (response.status_code, response.json()) == (400, NO_EFFECT)
    assert closed.read(id) == {"n": 42, "text": "secret"}


@pytest.mark.parametrize("where", WHERES, ids=str)
def test_no_condition_of_a_batch_holds_in_a_class_that_is_closed(api, closed, id, where):
    item = put(closed.by(api), id, {"n": 1}, params={"where": where})
    assert batch(api, item).json() == [{"error": NO_EFFECT}]
    assert closed.read(id) == {"n": 42, "text": "secret"}


def test_operator_is_shown_fields_and_conditions_of_a_class_that_is_closed(closed, id):
    assert closed.update(id, {"n": 43}, where={"n": 42}, fetchWhenSave="true")["n"] == 43


# Relations

@pytest.fixture
def fan(master, closed):
    return Objects(master, unique("Fan")).create()


@pytest.fixture
def related(master, closed, things):
    """Asks who is in a relation of an object of the class."""
    member = things.create()
    owner = closed.create(fans=op("AddRelation", objects=[things.pointer(member)]))
    return lambda api: closed.by(api).members(owner, "fans", things.by(api)) == {member}


def test_relation_of_a_class_that_is_closed_finds_nothing(api, master, related):
    assert [related(caller) for caller in (api, sign_up(api).api, master)] == [False, False, True]


def test_relation_is_shown_where_get_or_find_is_open(api, master, closed, related):
    permit(master, closed.name, get=["users"])
    assert [related(caller) for caller in (api, sign_up(api).api)] == [False, True]


def test_class_of_a_relation_is_not_told_where_all_is_closed(api, closed, things):
    closed.create(fans=op("AddRelation", objects=[things.pointer(things.create())]), one=pointer(things.name))
    for key in ("fans", "one", "text", "missing"):
        assert_400(closed.by(api).query(redirectClassNameForKey=key))


# Which rule speaks first

@pytest.mark.parametrize("target", ["existing", "missing"])
def test_change_of_a_class_that_is_closed_does_not_tell_what_is_there(api, master, closed, id, target):
    permit(master, closed.name, update=[])
    seen, target = closed.by(api), id if target == "existing" else MISSING
    for response in (seen.put(target, {"n": 1}), seen.put(target, {"n": "text"}), seen.put(target, {}, where={"n": 1})):
        assert_forbidden(response, forbidden("update", closed.name))


@pytest.mark.parametrize("name, path, fields", [
    ("_Role", "/1.1/roles", [{"name": "!"}, {"name": "Free"}, {}, {"name": 5, "ACL": {}}]),
    ("_User", "/1.1/users", [
        {"password": "x"}, {"username": "free"}, {}, {"username": "", "password": "x"},
        {"username": "free", "password": "x", "email": "none"}, {"authData": {"github": {"uid": "unknown"}}},
    ]),
])
def test_create_that_is_closed_speaks_before_what_is_wrong(api, rules, name, path, fields):
    rules.set(name, create=[])
    for body in fields:
        for where in (path, f"/1.1/classes/{name}"):
            assert_forbidden(api.post(where, json=body), forbidden("create", name))
        assert_forbidden(batch(api, {"method": "POST", "path": path, "body": body}), forbidden("create", name))


def test_sign_up_that_is_closed_does_not_tell_which_names_are_taken(api, rules):
    user = sign_up(api)
    rules.set("_User", create=[])
    response = api.post("/1.1/users", json={"username": user.username, "password": PASSWORD})
    assert_forbidden(response, forbidden("create", "_User"))


# Accounts

RENEWALS = {
    "updatePassword": lambda user, by: by.call(
        "PUT", f"{user.path}/updatePassword", json={"old_password": PASSWORD, "new_password": "another"},
    ),
    "refreshSessionToken": lambda user, by: by.call("PUT", f"{user.path}/refreshSessionToken"),
}


@pytest.mark.parametrize("renewal", RENEWALS)
def test_account_is_not_renewed_where_update_is_closed(api, rules, renewal):
    user = sign_up(api)
    rules.set("_User", update=[])
    assert_forbidden(RENEWALS[renewal](user, user.api), forbidden("update", "_User"))
    assert is_live(api, user.token)
    assert log_in(api, username=user.username).status_code == 200


@pytest.mark.parametrize("renewal", RENEWALS)
@pytest.mark.parametrize("acl", [{}, {"*": READ}, {MISSING: BOTH}], ids=str)
def test_account_is_not_renewed_by_whom_its_acl_does_not_let_write(api, master, renewal, acl):
    user = sign_up(api)
    assert user.change({"ACL": acl}, by=master).status_code == 200
    assert_forbidden(RENEWALS[renewal](user, user.api), no_writing(user.id))
    assert is_live(api, user.token)
    assert log_in(api, username=user.username).status_code == 200


@pytest.mark.parametrize("renewal", RENEWALS)
def test_account_is_renewed_by_whom_its_acl_lets_write_alone(api, master, renewal):
    user = sign_up(api)
    assert user.change({"ACL": {user.id: WRITE}}, by=master).status_code == 200
    response = RENEWALS[renewal](user, user.api)
    assert response.status_code == 200 and TOKEN.fullmatch(response.json()["sessionToken"])


@pytest.mark.parametrize("path", ["/1.1/users", "/1.1/classes/_User"])
def test_user_that_nobody_may_read_finds_itself(api, path):
    user = sign_up(api, ACL={})
    rows = user.api.get(path).json()["results"]
    assert [row["objectId"] for row in rows] == [user.id]
    assert user.api.get(path, params={"count": 1, "limit": 0}).json()["count"] == 1


def test_user_that_nobody_may_read_is_found_by_nobody_else(api, rules):
    user = sign_up(api, ACL={})
    rules.set("_User", find=["everyone"])
    where = {"objectId": user.id}
    assert [Objects(caller, "_User").find(where=where) for caller in (api, sign_up(api).api)] == [[], []]


def test_refused_create_of_a_role_makes_none(api, master, rules):
    rules.set("_Role", create=[])
    name = unique("Role")
    response = api.post("/1.1/roles", json={"name": name, "ACL": {"*": READ}})
    assert_refused(response, 403, 403)
    assert Objects(master, "_Role").count(name=name) == 0


@pytest.mark.parametrize("key", ["text", "unknown"])
def test_select_from_a_class_that_is_closed_is_forbidden(api, closed, id, things, key):
    things.create(text="secret")
    select = {"$select": {"query": {"className": closed.name, "where": {}}, "key": key}}
    assert_forbidden(things.query(where={"text": select}), forbidden("find", closed.name))
