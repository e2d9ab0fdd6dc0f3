"""Roles in roles: what goes from one to the other, loops, and how many roles and members there may be."""

import pytest
from data import Objects, op, pointer
from people import READ, WRITE, Person, Role, start


@pytest.fixture(scope="module")
def notes(master):
    """A class of objects that are for roles, as the operator sees it."""
    return Objects(master, "levels_Note")


@pytest.fixture
def granted(notes):
    """The numbers of the roles whose grants a user has."""

    def granted(roles, person):
        ids = [notes.create(ACL={role.subject: READ}) for role in roles]
        found = notes.by(person).ids(where={"objectId": {"$in": ids}}, limit=1000)
        return [number for number, id in enumerate(ids) if id in found]

    return granted


def chain(master, users, length):
    """Roles each of which is in the next; the people are in the first."""
    roles = [Role(master, users=users)]
    while len(roles) < length:
        roles.append(Role(master, roles=roles[-1:]))
    return roles


# Roles in roles

@pytest.mark.smoke
def test_members_of_a_child_have_what_is_granted_to_its_parents(cast, granted):
    assert granted(chain(cast.master, [cast.owner], 4), cast.owner) == [0, 1, 2, 3]


def test_members_of_a_parent_have_nothing_of_its_children(cast, granted):
    editors = Role(cast.master, users=[cast.member])
    readers = Role(cast.master, users=[cast.owner], roles=[editors])
    assert granted([editors, readers], cast.owner) == [1]
    assert granted([editors, readers], cast.member) == [0, 1]


def test_members_in_the_middle_have_what_lies_above(cast, granted):
    roles = chain(cast.master, [cast.owner], 5)
    roles[2].add([cast.other])
    assert granted(roles, cast.other) == [2, 3, 4]


def test_role_has_many_parents_and_children(cast, granted):
    children = [Role(cast.master, users=[person]) for person in (cast.owner, cast.other)]
    parents = [Role(cast.master, roles=children) for _ in range(3)]
    for number, person in enumerate((cast.owner, cast.other)):
        assert granted(children + parents, person) == [number, 2, 3, 4]


def test_grants_come_once_by_many_ways(cast, notes):
    bottom = Role(cast.master, users=[cast.owner])
    sides = [Role(cast.master, roles=[bottom]) for _ in range(2)]
    top = Role(cast.master, roles=sides)
    id = notes.create(ACL={role.subject: READ for role in [bottom, *sides, top]})
    assert notes.by(cast.owner).query(where={"objectId": id}, count=1).json()["count"] == 1


def test_role_in_a_role_grants_the_right_to_write(cast, notes):
    *_, top = chain(cast.master, [cast.owner], 3)
    id = notes.create(n=1, ACL={top.subject: WRITE})
    assert notes.by(cast.owner).put(id, {"n": 2}).status_code == 200
    assert notes.by(cast.other).put(id, {"n": 3}).status_code == 403


def test_new_role_above_grants_at_once(cast, granted):
    roles = chain(cast.master, [cast.owner], 2)
    assert granted(roles, cast.owner) == [0, 1]
    assert granted([*roles, Role(cast.master, roles=roles[-1:])], cast.owner) == [0, 1, 2]


@pytest.mark.parametrize("link", [0, 1, 2])
def test_chain_is_cut_and_mended_at_once(cast, granted, link):
    roles = chain(cast.master, [cast.owner], 4)
    roles[link + 1].remove(roles=[roles[link]])
    assert granted(roles, cast.owner) == list(range(link + 1))
    roles[link + 1].add(roles=[roles[link]])
    assert granted(roles, cast.owner) == [0, 1, 2, 3]


def test_chain_ends_at_a_deleted_role(cast, granted):
    roles = chain(cast.master, [cast.owner], 4)
    assert cast.master.call("DELETE", roles[1].path).status_code == 200
    assert granted(roles, cast.owner) == [0]


@pytest.mark.parametrize("hidden", [0, 1, 2])
def test_role_that_cannot_be_read_is_a_link_like_others(cast, granted, hidden):
    roles = chain(cast.master, [cast.owner], 3)
    roles[hidden].change({"ACL": {}})
    assert granted(roles, cast.owner) == [0, 1, 2]


# Loops

@pytest.mark.parametrize("length", [1, 2, 3])
def test_loop_grants_what_its_roles_may(cast, granted, length):
    roles = chain(cast.master, [cast.owner], length)
    roles[0].add(roles=roles[-1:])
    assert granted(roles, cast.owner) == list(range(length))
    assert granted(roles, cast.other) == []


def test_everybody_in_a_loop_has_the_same(cast, granted):
    roles = chain(cast.master, [cast.owner], 3)
    roles[0].add(roles=roles[-1:])
    roles[1].add([cast.member])
    assert granted(roles, cast.member) == granted(roles, cast.owner) == [0, 1, 2]


def test_loop_with_a_way_out_of_it(cast, granted):
    roles = chain(cast.master, [cast.owner], 3)
    roles[0].add(roles=roles[-1:])
    outside = Role(cast.master, roles=[roles[2]])
    inside = Role(cast.master, users=[cast.other])
    roles[1].add(roles=[inside])
    assert granted([*roles, outside, inside], cast.owner) == [0, 1, 2, 3]
    assert granted([*roles, outside, inside], cast.other) == [0, 1, 2, 3, 4]


# Bounds

@pytest.mark.extended
def test_chain_grants_nothing_beyond_sixty_four_levels(cast, granted):
    roles = chain(cast.master, [cast.owner], 70)
    assert granted(roles, cast.owner) == list(range(64))
    assert granted(roles, cast.other) == []


@pytest.mark.extended
def test_loop_of_seventy_is_as_harmless(cast, granted):
    roles = chain(cast.master, [cast.owner], 70)
    roles[0].add(roles=roles[-1:])
    assert granted(roles, cast.owner) == list(range(64))


def test_role_of_ten_thousand_works(cast, granted):
    role = Role(cast.master)
    ids = [f"{number:024x}" for number in range(10_000)]
    for first in range(0, 10_000, 1000):
        crowd = [pointer("_User", id) for id in ids[first:first + 1000]]
        role.change({"users": op("AddRelation", objects=crowd)})
    role.add([cast.owner])
    assert [granted([role], person) for person in (cast.owner, cast.other)] == [[0], []]
    assert Objects(cast.guest, "_Role").ids(where={"users": pointer("_User", ids[9999])}) == {role.id}
    role.remove([cast.owner])
    assert granted([role], cast.owner) == []


@pytest.mark.few(1)
@pytest.mark.parametrize("count, seen", [(4, 4), (5, 5), (9, 5)])
def test_more_roles_than_allowed_grant_nothing(new_server, count, seen):
    server = start(new_server, LCFILE_ACCOUNTS_MAX_ROLES="5")
    master, person = server.api(master=True), Person(server)
    notes = Objects(master, "Note")
    for number in range(count):
        notes.create(n=number, ACL={Role(master, users=[person]).subject: READ})
    assert notes.by(person).count() == len(notes.by(person).find()) == seen


def test_setting_of_roles_is_checked(new_server):
    server = new_server(LCFILE_ACCOUNTS_MAX_ROLES="none").launch()
    assert server.wait() != 0
    assert "accounts.maxRoles" in server.errors
