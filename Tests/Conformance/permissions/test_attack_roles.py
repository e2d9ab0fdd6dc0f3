"""Attacks on roles: a user cannot join a role without write access to it."""

import pytest
from batches import delete, post, put, save
from cases import covering
from data import MISSING, Objects, batch, op
from people import BOTH, READ, WRITE, Person, Role, refusal, relations, start, unique


@pytest.fixture(scope="module")
def notes(master):
    """A class of objects that are for roles, as the operator sees it."""
    return Objects(master, "attacks_Secret")


ROLES = ["nobody reads it", "all read it", "members read it"]


@pytest.fixture(params=ROLES)
def role(request, cast):
    """A role that only the operator writes, with one member, and a user who attacks it."""
    role = Role(cast.master, users=[cast.member])
    acls = {"nobody reads it": {}, "all read it": {"*": READ}, "members read it": {role.subject: READ}}
    role.change({"ACL": acls[request.param]})
    role.attacker = cast.member if request.param == "members read it" else cast.other
    return role


@pytest.fixture
def state(cast, notes):
    """All there is to a role: it and others of its name, its members, and who has its grants."""
    roles, users = Objects(cast.master, "_Role"), Objects(cast.master, "_User")

    def state(role):
        id = notes.create(ACL={role.subject: BOTH})
        grants = [notes.by(person).get(id).status_code for person in (cast.other, cast.member)]
        members = [roles.members(role.id, key, target) for key, target in (("users", users), ("roles", roles))]
        return roles.find(where={"name": role.name}, returnACL="true"), members, grants

    return state


def mine(attacker):
    return op("AddRelation", objects=[attacker.pointer])


def children(key, attacker):
    return {"__children": [{"className": "_User", "cid": attacker.id, "key": key}]}


CHANGES = {
    "a member": lambda attacker: {"users": mine(attacker)},
    "a member beside others": lambda attacker: {"color": "red", "users": mine(attacker)},
    "members by value": lambda attacker: {"users": [attacker.pointer]},
    "members by pointer": lambda attacker: {"users": attacker.pointer},
    "members by a batch of operations": lambda attacker: {"users": op("Batch", ops=[mine(attacker)])},
    "members by Add": lambda attacker: {"users": op("Add", objects=[attacker.pointer])},
    "members by a dotted name": lambda attacker: {"users.objects": [attacker.pointer]},
    "a child": lambda attacker: children("users", attacker),
    "a child role": lambda attacker: children("roles", attacker),
    "the members away": lambda attacker: {"users": op("Delete")},
    "another name": lambda attacker: {"name": unique("Mine")},
    "another ACL": lambda attacker: {"ACL": {attacker.id: BOTH}},
    "another ACL and a member": lambda attacker: {"ACL": {"*": BOTH}, "users": mine(attacker)},
    "nothing": lambda attacker: {},
}
WAYS = {
    "roles": lambda roles, id, fields: roles.api.call("PUT", f"/1.1/roles/{id}", json=fields),
    "class": lambda roles, id, fields: roles.put(id, fields),
    "with the flag": lambda roles, id, fields: roles.put(id, fields, fetchWhenSave="true"),
    "condition": lambda roles, id, fields: roles.put(id, fields, where={"name": {"$exists": True}}),
    "batch": lambda roles, id, fields: batch(roles.api, put(roles, id, fields)),
    "batch of roles": lambda roles, id, fields: batch(
        roles.api, {"method": "PUT", "path": f"/1.1/roles/{id}", "body": fields}
    ),
    "batch/save": lambda roles, id, fields: save(roles.api, put(roles, id, fields | {"__internalId": id})),
    "batch/save under a new id": lambda roles, id, fields: save(roles.api, put(roles, id, fields | {"__internalId": "A"})),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("role, way, change", covering(ROLES, WAYS, CHANGES), indirect=["role"])
def test_role_is_not_changed_by_whom_its_acl_does_not_let_write(role, state, way, change):
    before = state(role)
    response = WAYS[way](Objects(role.attacker, "_Role"), role.id, CHANGES[change](role.attacker))
    assert refusal(response) is not None
    assert response.status_code == (200 if "batch" in way and "save" not in way else 403)
    assert state(role) == before


@pytest.mark.few(3)
@pytest.mark.parametrize("way", [
    lambda roles, id: roles.delete(id), lambda roles, id: roles.delete(f"{MISSING},{id}"),
    lambda roles, id: roles.delete(id, where={"name": {"$exists": True}}), lambda roles, id: batch(roles.api, delete(roles, id)),
], ids=["alone", "several", "condition", "batch"])
def test_role_is_not_deleted_by_whom_its_acl_does_not_let_write(role, state, way):
    before = state(role)
    assert refusal(way(Objects(role.attacker, "_Role"), role.id))["code"] == 403
    assert state(role) == before


CREATES = {
    "roles": lambda roles, fields: roles.api.post("/1.1/roles", json=fields),
    "class": lambda roles, fields: roles.post(fields),
    "batch": lambda roles, fields: batch(roles.api, post(roles, fields)),
    "batch/save": lambda roles, fields: save(roles.api, post(roles, fields | {"__internalId": "A"}, new=True)),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("create", CREATES)
def test_second_role_of_the_name_is_none(cast, role, state, create):
    before = state(role)
    fields = {"name": role.name, "ACL": {"*": BOTH}, "users": mine(cast.other)}
    assert refusal(CREATES[create](Objects(cast.other, "_Role"), fields))["code"] == 137
    assert state(role) == before


@pytest.mark.few(4)
@pytest.mark.parametrize("way", WAYS)
def test_own_role_does_not_take_the_name(cast, role, state, way):
    own = Role(cast.other, users=[cast.other], acl={cast.other.id: BOTH})
    before = state(role)
    assert refusal(WAYS[way](Objects(cast.other, "_Role"), own.id, {"name": role.name})) is not None
    assert state(role) == before


def test_names_that_look_alike_are_others(cast, role, state):
    before = state(role)
    for name in (role.name.upper(), role.name.lower(), f"{role.name} ", f" {role.name}", f"{role.name}_"):
        Objects(cast.other, "_Role").post({"name": name, "ACL": {cast.other.id: BOTH}, "users": mine(cast.other)})
    assert state(role) == before


def test_own_role_above_grants_nothing_of_the_role(cast, role, state):
    before = state(role)
    Role(cast.other, users=[cast.other], roles=[role], acl={cast.other.id: BOTH})
    assert state(role) == before


def test_own_role_is_not_put_below(cast, role, state):
    own = Role(cast.other, users=[cast.other], acl={cast.other.id: BOTH})
    before = state(role)
    for way in WAYS.values():
        change = relations("AddRelation", roles=[own])
        assert refusal(way(Objects(cast.other, "_Role"), role.id, change)) is not None
    assert state(role) == before


@pytest.mark.few(3)
@pytest.mark.parametrize("key, target", [
    ("users", lambda cast, role: cast.other.pointer), ("roles", lambda cast, role: role.pointer),
], ids=["users", "roles"])
def test_relation_of_another_class_makes_no_member(cast, role, state, key, target):
    before = state(role)
    Objects(cast.other, f"attacks_{key}").create(**{key: op("AddRelation", objects=[target(cast, role)])})
    assert state(role) == before


@pytest.mark.extended
def test_relation_of_a_user_makes_no_member(new_server):
    server = start(new_server)
    person, master = Person(server), server.api(master=True)
    role = Role(master)
    change = {"roles": op("AddRelation", objects=[role.pointer]), "users": op("AddRelation", objects=[person.pointer])}
    assert person.call("PUT", f"/1.1/users/{person.id}", json=change).status_code == 200
    notes = Objects(master, "Note")
    assert notes.by(person).get(notes.create(ACL={role.subject: BOTH})).status_code == 403


def test_right_to_read_or_to_be_in_a_role_is_none_to_write(cast, state):
    role = Role(cast.master, users=[cast.member], acl={"*": READ})
    for person in (cast.other, cast.member):
        assert refusal(person.call("PUT", role.path, json={"users": mine(cast.other)}))["code"] == 403
    assert cast.other.id not in state(role)[1][0]


def test_members_who_may_write_let_others_in(cast, state):
    role = Role(cast.master, users=[cast.member])
    role.change({"ACL": {role.subject: WRITE}})
    assert cast.member.call("PUT", role.path, json={"users": mine(cast.other)}).status_code == 200
    assert state(role)[2] == [200, 200]


@pytest.mark.parametrize("start", ["role:", ""])
def test_user_with_the_name_of_a_role_is_not_in_it(server, role, notes, start):
    person = Person(server, username=start + role.name)
    assert notes.by(person).get(notes.create(ACL={role.subject: BOTH})).status_code == 403


def test_acl_names_a_user_by_its_id_alone(cast, notes):
    assert notes.by(cast.other).get(notes.create(ACL={cast.other.name: BOTH})).status_code == 403
