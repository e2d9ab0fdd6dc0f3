"""What others do not take from a user by making roles, and how large a role may be."""

import pytest
from client import Server, assert_refused
from data import Objects, op, pointer
from people import READ, Person, Role, unique

MOST = 5
LIMIT = 16 << 10


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server on which few roles count."""
    settings = {"LCFILE_ACCOUNTS_MAX_ROLES": str(MOST)}
    server = Server(tmp_path_factory.mktemp("roles"), **settings).start()
    yield server
    assert server.stop() == 0


@pytest.fixture
def person(own):
    return Person(own)


@pytest.fixture
def granted(own):
    """The numbers of the roles whose grants a user has."""
    notes = Objects(own.api(master=True), "Note")

    def granted(roles, person):
        ids = [notes.create(ACL={role.subject: READ}) for role in roles]
        found = notes.by(person).ids(where={"objectId": {"$in": ids}})
        return [number for number, id in enumerate(ids) if id in found]

    return granted


def chain(master, person, length):
    """Roles each of which is in the next; the person is in the first."""
    roles = [Role(master, users=[person])]
    while len(roles) < length:
        roles.append(Role(master, roles=roles[-1:]))
    return roles


# The user that a guest adds to roles of its own.
JUNK = {
    "the user": lambda guest, person, roles: Role(guest, users=[person]),
    "the user, unseen": lambda guest, person, roles: Role(guest, users=[person], acl={}),
    "the first role": lambda guest, person, roles: Role(guest, roles=roles[:1]),
    "the last role": lambda guest, person, roles: Role(guest, roles=roles[-1:]),
    "all of them": lambda guest, person, roles: Role(guest, users=[person], roles=roles),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("length", [1, 3, MOST])
def test_roles_made_later_push_out_no_older_ones(own, person, granted, length, junk):
    roles = chain(own.api(master=True), person, length)
    for _ in range(MOST):
        JUNK[junk](own.api(), person, roles)
    assert granted(roles, person) == list(range(length))


def test_roles_made_later_push_out_none_of_several_direct_ones(own, person, granted):
    roles = [Role(own.api(master=True), users=[person]) for _ in range(MOST)]
    for _ in range(MOST):
        Role(own.api(), users=[person], roles=roles)
    assert granted(roles, person) == list(range(MOST))


def test_chain_of_roles_made_later_pushes_out_no_older_ones(own, person, granted):
    roles = chain(own.api(master=True), person, 3)
    chain(own.api(), person, 2 * MOST)
    assert granted(roles, person) == [0, 1, 2]


# Sizes

CREATES = ["/1.1/roles", "/1.1/classes/_Role"]


def role_of(size, **fields):
    return {"name": unique("Role"), "ACL": {"*": READ}, "text": "x" * size} | fields


@pytest.mark.parametrize("path", CREATES)
@pytest.mark.parametrize("caller", ["guest", "master"])
def test_role_over_16_kilobytes_is_116(api, master, caller, path):
    fields = role_of(LIMIT)
    assert_refused((api if caller == "guest" else master).post(path, json=fields), 400, 116)
    assert Objects(master, "_Role").count(name=fields["name"]) == 0


def test_role_within_16_kilobytes_is_made(api):
    assert api.post("/1.1/roles", json=role_of(LIMIT - 1000)).status_code == 201


def test_role_does_not_grow_beyond_16_kilobytes(master):
    role = Role(master)
    for fields in ({"text": "x" * LIMIT}, {"list": op("Add", objects=["x" * LIMIT])}):
        assert_refused(master.call("PUT", role.path, json=fields), 400, 116)
    assert not {"text", "list"} & set(master.get(role.path).json())
    role.change({"text": "x" * (LIMIT - 1000)})


def test_acl_counts_into_the_size_of_a_role(api):
    acl = {f"{number:024x}": READ for number in range(500)}
    assert_refused(api.post("/1.1/roles", json=role_of(0, ACL=acl)), 400, 116)


def test_members_count_not_into_the_size_of_a_role(master):
    members = op("AddRelation", objects=[pointer("_User", f"{number:024x}") for number in range(1000)])
    assert master.post("/1.1/roles", json=role_of(LIMIT - 1000, users=members)).status_code == 201
