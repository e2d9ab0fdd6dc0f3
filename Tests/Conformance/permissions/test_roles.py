"""Roles: how they are made and changed, who is in them, and what that grants."""

import pytest
from batches import post, put, save
from data import ID, Objects, assert_400, at_once, batch, op, pointer, texts
from people import BOTH, READ, WRITE, Person, Role, assert_forbidden, no_writing, refusal, relations, unique

NO_ACL = {"code": 1, "error": "Role ACL is required."}


@pytest.fixture(scope="module")
def notes(master):
    """A class of objects that are for roles, as the operator sees it."""
    return Objects(master, "roles_Note")


@pytest.fixture(scope="module")
def roles(master):
    return Objects(master, "_Role")


@pytest.fixture
def grants(notes):
    """Whether a user has the rights of a role."""

    def grants(role, person):
        id = notes.create(n=1, ACL={role.subject: READ})
        found = notes.by(person).ids(where={"objectId": id}) == {id}
        assert (notes.by(person).get(id).status_code == 200) == found
        return found

    return grants


# Making roles

@pytest.mark.parametrize("path", ["/1.1/roles", "/1.1/classes/_Role"])
@pytest.mark.parametrize("caller", ["guest", "owner", "master"])
def test_new_role_is_an_object(cast, roles, path, caller):
    name = unique("Role")
    response = cast[caller].post(path, json={"name": name, "ACL": {"*": READ}})
    id = response.json()["objectId"]
    assert (response.status_code, set(response.json())) == (201, {"objectId", "createdAt"})
    assert response.headers["Location"] == f"/1.1/classes/_Role/{id}"
    assert ID.fullmatch(id)
    seen = cast.guest.get(f"/1.1/roles/{id}").json()
    assert (seen["name"], seen) == (name, cast.guest.get(f"/1.1/classes/_Role/{id}").json())
    assert roles.by(cast.guest).ids(where={"name": name}) == {id}


CREATES = {
    "alone": lambda roles, fields: roles.api.post("/1.1/roles", json=fields),
    "as an object": lambda roles, fields: roles.post(fields),
    "batch": lambda roles, fields: batch(roles.api, post(roles, fields)),
    "batch/save": lambda roles, fields: save(roles.api, post(roles, fields | {"__internalId": "A"}, new=True)),
    "batch/save of roles": lambda roles, fields: save(
        roles.api, {"method": "POST", "path": "/1.1/roles", "new": True, "body": fields | {"__internalId": "A"}}
    ),
}


@pytest.mark.each_value
@pytest.mark.parametrize("caller", ["guest", "owner", "master"])
@pytest.mark.parametrize("fields", [{}, {"ACL": None}], ids=str)
@pytest.mark.parametrize("create", CREATES)
def test_role_needs_an_acl(cast, roles, create, fields, caller):
    name = unique("Role")
    response = CREATES[create](roles.by(cast[caller]), {"name": name} | fields)
    assert refusal(response) == NO_ACL
    assert response.status_code == (200 if create == "batch" else 400)
    assert roles.count(name=name) == 0


@pytest.mark.each_value
@pytest.mark.parametrize("name", [
    "", "a.b", "a/b", "a:b", "role:a", "a*", "*", "a\nb", "a\tb", "a,b", "a'b", 'a"b', "a$b", "a@b", "a|b", "茶", "é",
    "a\u200bb",
], ids=ascii)
@pytest.mark.parametrize("create", CREATES)
def test_name_with_other_characters_is_139(cast, roles, create, name):
    before = roles.count()
    assert refusal(CREATES[create](roles.by(cast.owner), {"name": name, "ACL": {"*": READ}}))["code"] == 139
    assert roles.count() == before


@pytest.mark.parametrize("fields", [
    {}, {"name": None}, {"name": 5}, {"name": ["a"]}, {"name": {"a": 1}}, {"name": op("Increment", amount=1)},
], ids=str)
def test_role_without_a_name_is_none(roles, fields):
    before = roles.count()
    assert_400(roles.post({"ACL": {"*": READ}} | fields))
    assert roles.count() == before


@pytest.mark.parametrize("start", ["Edit_ors", "edit-ors", "Two Words", "9lives", "_x", "-x", "A"])
def test_name_has_letters_digits_and_three_signs(cast, roles, grants, start):
    role = Role(cast.master, users=[cast.owner], name=unique(start))
    assert roles.read(role.id)["name"] == role.name
    assert (grants(role, cast.owner), grants(role, cast.other)) == (True, False)


@pytest.mark.parametrize("caller", ["owner", "master"])
@pytest.mark.parametrize("create", CREATES)
def test_two_roles_have_no_name_in_common(cast, roles, create, caller):
    first = Role(cast.master)
    response = CREATES[create](roles.by(cast[caller]), {"name": first.name, "ACL": {"*": READ}})
    assert refusal(response)["code"] == 137
    assert roles.ids(where={"name": first.name}) == {first.id}


def test_name_that_nobody_may_see_is_taken_all_the_same(cast, roles):
    first = Role(cast.master, acl={})
    response = roles.by(cast.owner).post({"name": first.name, "ACL": {"*": READ}})
    assert (response.status_code, response.json()["code"]) in ((400, 137), (400, 139))
    assert roles.count(name=first.name) == 1


def test_one_of_many_who_make_a_role_at_once_has_it(cast, roles):
    fields = {"name": unique("Role"), "ACL": {"*": READ}}
    answers = at_once(lambda _: roles.by(cast.owner).post(fields).status_code, 8)
    assert sorted(answers) == [201] + [400] * 7
    assert roles.count(name=fields["name"]) == 1


# Changing roles

@pytest.mark.few(3)
@pytest.mark.parametrize("caller", ["owner", "master"])
@pytest.mark.parametrize("rename", [
    lambda roles, id, name: roles.put(id, {"name": name}),
    lambda roles, id, name: roles.put(id, {"name": op("Delete")}),
    lambda roles, id, name: roles.put(id, {"name": None}),
    lambda roles, id, name: roles.put(id, {"color": "red", "name": name}),
    lambda roles, id, name: batch(roles.api, put(roles, id, {"name": name})),
    lambda roles, id, name: save(roles.api, put(roles, id, {"name": name, "__internalId": id})),
], ids=["new", "deleted", "null", "beside others", "batch", "batch/save"])
def test_name_never_changes(cast, roles, rename, caller):
    role = Role(cast.owner, acl={cast.owner.id: BOTH})
    before = roles.get(role.id).json()
    assert refusal(rename(roles.by(cast[caller]), role.id, unique("Other")))["code"] == 139
    assert roles.get(role.id).json() == before


def test_role_takes_other_fields(cast, roles):
    role = Role(cast.owner, acl={"*": READ, cast.owner.id: BOTH})
    role.change({"color": "red", "ACL": {cast.owner.id: BOTH}})
    assert roles.read(role.id, returnACL="true", keys="color,ACL") == {"color": "red", "ACL": {cast.owner.id: BOTH}}


@pytest.mark.parametrize("caller", ["guest", "other", "member"])
@pytest.mark.parametrize("name", ["AddRelation", "RemoveRelation"])
def test_members_are_changed_by_whom_the_acl_lets_write(cast, roles, grants, name, caller):
    role = Role(cast.master, users=[cast.member], acl={"*": READ, cast.owner.id: WRITE})
    change = relations(name, users=[cast.member, cast.other])
    assert_forbidden(roles.by(cast[caller]).put(role.id, change), no_writing(role.id))
    assert [grants(role, cast[person]) for person in ("member", "other")] == [True, False]
    assert roles.by(cast.owner).put(role.id, change).status_code == 200
    assert [grants(role, cast[person]) for person in ("member", "other")] == [name == "AddRelation"] * 2


@pytest.mark.parametrize("caller", ["guest", "member", "other"])
def test_role_is_deleted_by_whom_the_acl_lets_write(cast, roles, grants, caller):
    role = Role(cast.master, users=[cast.member], acl={"*": READ})
    assert_forbidden(roles.by(cast[caller]).delete(role.id), no_writing(role.id))
    assert grants(role, cast.member)


# Members

@pytest.mark.smoke
def test_member_has_what_is_granted_to_the_role(cast, grants):
    role = Role(cast.master, users=[cast.owner, cast.member])
    assert [grants(role, cast[person]) for person in ("guest", "owner", "other", "member", "master")] == [
        False, True, False, True, True,
    ]


def test_role_that_its_members_cannot_read_grants_all_the_same(cast, roles, grants):
    role = Role(cast.master, users=[cast.owner], acl={})
    assert roles.by(cast.owner).count(name=role.name) == 0
    assert grants(role, cast.owner)


def test_role_that_nobody_was_put_into_grants_nothing(cast, grants):
    role = Role(cast.owner, acl={cast.owner.id: BOTH})
    assert not grants(role, cast.owner)


@pytest.mark.parametrize("way", [
    lambda roles, id, fields: roles.put(id, fields), lambda roles, id, fields: batch(roles.api, put(roles, id, fields)),
    lambda roles, id, fields: save(roles.api, put(roles, id, fields | {"__internalId": id})),
    lambda roles, id, fields: roles.put(id, {"users": op("Batch", ops=[fields["users"]])}),
    lambda roles, id, fields: roles.put(id, fields, where={"name": {"$exists": True}}),
], ids=["alone", "batch", "batch/save", "batch of operations", "condition"])
def test_membership_begins_and_ends_at_once(cast, roles, grants, way):
    role = Role(cast.master)
    for _ in range(3):
        for name in ("AddRelation", "RemoveRelation"):
            assert refusal(way(roles, role.id, relations(name, users=[cast.owner]))) is None
            assert grants(role, cast.owner) == (name == "AddRelation")


@pytest.mark.parametrize("create", CREATES)
def test_new_role_grants_at_once(cast, roles, notes, create):
    name = unique("Role")
    id = notes.create(ACL={f"role:{name}": READ})
    assert notes.by(cast.owner).ids(where={"objectId": id}) == set()
    fields = {"name": name, "ACL": {}} | relations("AddRelation", users=[cast.owner])
    assert refusal(CREATES[create](roles, fields)) is None
    assert notes.by(cast.owner).ids(where={"objectId": id}) == {id}


def test_members_may_write_what_the_role_may(cast, notes):
    role = Role(cast.master, users=[cast.owner])
    id = notes.create(n=1, ACL={role.subject: WRITE})
    assert notes.by(cast.owner).put(id, {"n": 2}).status_code == 200
    role.remove([cast.owner])
    assert_forbidden(notes.by(cast.owner).put(id, {"n": 3}), no_writing(id))
    assert notes.read(id) == {"n": 2}


def test_role_that_a_batch_takes_or_gives_counts_for_its_next_request(cast, notes, roles):
    role = Role(cast.master, users=[cast.owner], acl={"*": WRITE})
    id = notes.create(n=1, ACL={role.subject: WRITE})
    seen = notes.by(cast.owner)
    for name, number, error in (("RemoveRelation", 2, no_writing(id)), ("AddRelation", 3, None)):
        change = put(roles, role.id, relations(name, users=[cast.owner]))
        first, second = batch(seen.api, change, put(seen, id, {"n": number})).json()
        assert ("success" in first, second.get("error")) == (True, error)
    assert notes.read(id) == {"n": 3}
    change = put(roles, role.id, relations("RemoveRelation", users=[cast.owner]) | {"__internalId": role.id})
    assert_forbidden(save(seen.api, change, put(seen, id, {"n": 4, "__internalId": id})), no_writing(id))
    assert notes.read(id) == {"n": 3}
    assert seen.put(id, {"n": 5}).status_code == 200


@pytest.mark.parametrize("path", ["/1.1/roles", "/1.1/classes/_Role"])
def test_roles_of_a_user_are_found(cast, server, path):
    person = Person(server)
    mine = {Role(cast.master, users=[person, cast.other]).id for _ in range(2)}
    Role(cast.master, users=[cast.other])
    for caller in ("guest", "owner", "master"):
        found = cast[caller].get(path, params=texts({"where": {"users": person.pointer}})).json()["results"]
        assert {role["objectId"] for role in found} == mine


def test_roles_of_a_user_are_those_that_the_caller_can_read(cast, roles, server):
    person = Person(server)
    shown, hidden = Role(cast.master, users=[person]), Role(cast.master, users=[person], acl={})
    assert roles.by(person).ids(where={"users": person.pointer}) == {shown.id}
    assert roles.ids(where={"users": person.pointer}) == {shown.id, hidden.id}


def test_members_of_a_role_are_found_by_the_operator(cast, roles):
    role = Role(cast.master, users=[cast.owner, cast.member])
    assert roles.members(role.id, "users", Objects(cast.master, "_User")) == {cast.owner.id, cast.member.id}


@pytest.mark.parametrize("target", [pointer("_Role", "0" * 24), pointer("roles_Note", "0" * 24)], ids=str)
def test_members_are_users(cast, roles, target):
    role = Role(cast.master, users=[cast.owner])
    assert_400(roles.put(role.id, {"users": op("AddRelation", objects=[target])}))


# Ends

def test_deleted_role_grants_nothing(cast, notes):
    role = Role(cast.owner, users=[cast.member], acl={cast.owner.id: BOTH})
    id = notes.create(n=1, ACL={role.subject: READ})
    assert notes.by(cast.member).ids(where={"objectId": id}) == {id}
    assert cast.owner.call("DELETE", role.path).json() == {}
    assert notes.by(cast.member).ids(where={"objectId": id}) == set()


def test_new_role_of_an_old_name_has_none_of_its_members(cast, grants):
    old = Role(cast.master, users=[cast.member])
    assert cast.master.call("DELETE", old.path).status_code == 200
    new = Role(cast.master, users=[cast.owner], name=old.name)
    assert [grants(new, cast[person]) for person in ("member", "owner")] == [False, True]


def test_deleted_user_is_in_no_role(cast, notes, server):
    person = Person(server)
    role = Role(cast.master, users=[person])
    id = notes.create(n=1, ACL={role.subject: READ, person.id: READ})
    assert notes.by(person).ids(where={"objectId": id}) == {id}
    assert person.call("DELETE", f"/1.1/users/{person.id}").status_code == 200
    assert notes.by(person).ids(where={"objectId": id}) == set()
