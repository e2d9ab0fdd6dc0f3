"""Which rule speaks first: credentials, permissions of classes, the session rule, ACLs, flags of fields."""

import pytest
from client import assert_refused
from data import MISSING, Objects, describe, own
from people import BOTH, NO_SESSION, READ, Person, assert_forbidden, forbidden, no_writing


@pytest.fixture
def person(server):
    return Person(server)


@pytest.fixture(scope="module")
def notes(master):
    return Objects(master, "order_Note")


def change(caller, person):
    return caller.call("PUT", f"/1.1/users/{person.id}", json={"city": "Lyon"})


def test_permission_speaks_before_the_session_rule(cast, rules, person):
    rules.set("_User", update=[])
    for caller in (cast.guest, cast.other, person):
        assert_forbidden(change(caller, person), forbidden("update", "_User"))


def test_session_rule_speaks_before_the_acl(cast, person):
    cast.master.call("PUT", f"/1.1/users/{person.id}", json={"ACL": {}})
    for caller in (cast.guest, cast.other):
        assert_forbidden(change(caller, person), NO_SESSION)


def test_acl_of_a_user_binds_the_user_itself(cast, person):
    cast.master.call("PUT", f"/1.1/users/{person.id}", json={"ACL": {"*": READ}})
    assert_forbidden(change(person, person), no_writing(person.id))
    assert change(cast.master, person).status_code == 200


def test_right_to_write_a_user_is_no_session(cast, person):
    assert person.call("PUT", f"/1.1/users/{person.id}", json={"ACL": {"*": BOTH, cast.other.id: BOTH}}).status_code == 200
    assert_forbidden(change(cast.other, person), NO_SESSION)


def test_permission_speaks_before_the_acl(cast, rules, notes):
    id = notes.create(n=1, ACL={})
    rules.set(notes.name, get=[], update=[], delete=[])
    seen = notes.by(cast.owner)
    assert_forbidden(seen.get(id), forbidden("get", notes.name))
    assert_forbidden(seen.put(id, {"n": 2}), forbidden("update", notes.name))
    assert_forbidden(seen.delete(id), forbidden("delete", notes.name))


@pytest.mark.parametrize("operation, call", [
    ("get", lambda notes: notes.get(MISSING)), ("update", lambda notes: notes.put(MISSING, {"n": 1})),
    ("delete", lambda notes: notes.delete(MISSING)),
], ids=["get", "update", "delete"])
def test_permission_speaks_before_the_search_for_the_object(cast, rules, notes, operation, call):
    notes.create(n=1)
    rules.set(notes.name, **{operation: []})
    assert_forbidden(call(notes.by(cast.owner)), forbidden(operation, notes.name))


@pytest.mark.parametrize("operation, call", [
    ("update", lambda notes, id: notes.put(id, {"n": 2}, where={"n": 5})),
    ("delete", lambda notes, id: notes.delete(id, where={"n": 5})),
], ids=["update", "delete"])
def test_permission_speaks_before_the_condition(cast, rules, notes, operation, call):
    id = notes.create(n=1)
    rules.set(notes.name, **{operation: []})
    assert_forbidden(call(notes.by(cast.owner), id), forbidden(operation, notes.name))


def test_acl_speaks_before_the_condition(cast, notes):
    id = notes.create(n=1, ACL={"*": READ})
    assert_forbidden(notes.by(cast.owner).put(id, {"n": 2}, where={"n": 5}), no_writing(id))
    assert_forbidden(notes.by(cast.owner).delete(id, where={"n": 5}), no_writing(id))


def test_acl_speaks_before_flags_of_fields(cast):
    flagged = Objects(cast.master, "order_Flagged")
    id = flagged.create(n=1, ACL={"*": READ})
    describe(cast.master, flagged, "n", readOnly=True)
    assert_forbidden(flagged.by(cast.owner).put(id, {"n": 2}), no_writing(id))


def test_credentials_speak_before_everything(cast, rules, notes):
    id = notes.create(n=1)
    rules.set(notes.name, get=[])
    assert_refused(cast.owner.get(f"{notes.path}/{id}", headers={"X-LC-Key": "wrong"}), 401, 401)


def test_session_binds_no_operator(cast, rules, notes):
    id = notes.create(n=1, ACL={})
    rules.set(notes.name, get=[], find=[])
    headers = {"X-LC-Session": cast.owner.token}
    assert own(cast.master.get(f"{notes.path}/{id}", headers=headers).json()) == {"n": 1}
