"""Showing and setting permissions of classes over HTTP."""

import pytest
from client import BETA, assert_refused
from data import MASTER_ONLY, MISSING, Objects, assert_400, at_once, send
from people import BOTH, READ, WRITE, Person, Role, assert_forbidden, forbidden, permissions, permit, start, unique

OPERATIONS = ["add_fields", "create", "delete", "find", "get", "update"]
OPEN = {operation: ["everyone"] for operation in OPERATIONS} | {"defaultACL": {"*": BOTH}}


@pytest.fixture
def posts(master):
    """A class that is wholly open when a test begins, as the operator sees it."""
    permit(master, "settings_Post", **OPEN)
    return Objects(master, "settings_Post")


# Form

def test_class_is_open_at_first(master):
    objects = Objects(master, "settings_New")
    objects.create(n=1)
    assert permissions(master, objects.name) == OPEN


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_is_named_is_changed(master, posts, operation):
    assert permit(master, posts.name, **{operation: ["users"]}) == OPEN | {operation: ["users"]}
    assert permissions(master, posts.name) == OPEN | {operation: ["users"]}


@pytest.mark.parametrize("words", [
    [], ["everyone"], ["users"], [f"user:{MISSING}"], ["role:Editors"], ["role:Two Words"], ["role:a-b_c"],
    [f"user:{MISSING}", "role:Editors", "role:Readers"], ["users", "role:Editors"],
], ids=str)
def test_words_come_back(master, posts, words):
    assert sorted(permit(master, posts.name, get=words)["get"]) == sorted(words)
    assert sorted(permissions(master, posts.name)["get"]) == sorted(words)


@pytest.mark.parametrize("acl", [{}, {"owner": BOTH}, {"*": READ, "role:Editors": WRITE}], ids=str)
def test_default_acl_comes_back(master, posts, acl):
    assert permit(master, posts.name, defaultACL=acl) == OPEN | {"defaultACL": acl}


def test_all_that_is_shown_can_be_set(master, posts):
    changed = permit(master, posts.name, get=["users"], delete=[], defaultACL={"owner": BOTH})
    permit(master, posts.name, **OPEN)
    assert permit(master, posts.name, **changed) == changed == permissions(master, posts.name)


def test_class_that_is_not_there_is_made(master, cast):
    name = unique("settings_Made")
    assert permit(master, name, create=[]) == OPEN | {"create": []}
    assert Objects(master, name).find() == []
    assert_forbidden(Objects(cast.owner, name).post({"n": 1}), forbidden("create", name))


@pytest.mark.extended
def test_classes_are_shown_each_under_its_name(master, posts):
    permit(master, posts.name, find=["users"])
    every = master.get("/1.1/permissions").json()
    assert every[posts.name] == OPEN | {"find": ["users"]}
    assert {"_User", "_File"} <= set(every)
    for name in every:
        assert permissions(master, name) == every[name]


def test_app_sees_its_own(server, master, posts, beta):
    permit(master, posts.name, get=[])
    assert posts.name not in server.api(BETA, master=True).get("/1.1/permissions").json()
    theirs = Objects(beta, posts.name)
    assert theirs.get(theirs.create(n=1)).json()["n"] == 1


# What is refused

@pytest.mark.parametrize("body", [
    {"read": ["everyone"]}, {"write": []}, {"Find": []}, {"": []}, {"ACL": {}}, {"default_acl": {}},
    {"get": "everyone"}, {"get": None}, {"get": True}, {"get": {}}, {"get": {"everyone": True}}, {"get": 5},
    {"get": [None]}, {"get": [["users"]]}, {"get": [5]},
], ids=str)
def test_member_that_is_not_understood_changes_nothing(master, posts, body):
    response = master.call("PUT", f"/1.1/permissions/{posts.name}", json={"delete": []} | body)
    assert_refused(response, 400, 1, next(iter(body)))
    assert permissions(master, posts.name) == OPEN


@pytest.mark.few(3)
@pytest.mark.parametrize("word", [
    "everybody", "none", "*", "", "Everyone", "user:", "role:", "user", "role", "role:\u212a",
    "user:a b", "user:a/b", "group:Editors", " users", "users ", "USER:" + MISSING, f"user:{MISSING},users",
])
def test_word_that_is_not_understood_changes_nothing(master, posts, word):
    for words in ([word], ["users", word], [word, "everyone"]):
        response = master.call("PUT", f"/1.1/permissions/{posts.name}", json={"delete": [], "get": words})
        assert_refused(response, 400, 1, f"'{word}'")
    assert permissions(master, posts.name) == OPEN


@pytest.mark.parametrize("body", [b"[]", b'"get"', b"5", b"{", b'{"get":[],"get":["users"]}'])
def test_body_that_is_no_object_changes_nothing(master, posts, body):
    assert_400(send(master, f"/1.1/permissions/{posts.name}", body, "PUT"))
    assert permissions(master, posts.name) == OPEN


@pytest.mark.parametrize("name", ["1st", "a%20b", "%2e%2e", "a%2Fb", "%E8%8C%B6"])
def test_class_of_a_bad_name_is_103(master, name):
    assert_refused(master.call("PUT", f"/1.1/permissions/{name}", json={"get": []}), 400, 103)


def test_clients_and_operators_make_no_built_in_class(master):
    assert_400(master.call("PUT", "/1.1/permissions/_Unknown", json={"get": []}), "_Unknown")
    assert "_Unknown" not in master.get("/1.1/permissions").json()


def test_class_that_is_not_there_is_not_shown(master):
    assert_refused(master.get("/1.1/permissions/NeverMade"), 404, 101)
    assert "NeverMade" not in master.get("/1.1/permissions").json()


@pytest.mark.parametrize("caller", ["guest", "owner", "member"])
def test_permissions_are_for_the_operator(cast, master, posts, caller):
    for response in (
        cast[caller].get("/1.1/permissions"), cast[caller].get(f"/1.1/permissions/{posts.name}"),
        cast[caller].get("/1.1/permissions/NeverMade"),
        cast[caller].call("PUT", f"/1.1/permissions/{posts.name}", json={"get": []}),
        cast[caller].call("PUT", f"/1.1/permissions/{posts.name}", json={"nonsense": 1}),
        cast[caller].call("PUT", "/1.1/permissions/NeverMade", json={"get": []}),
    ):
        assert_refused(response, 403, 119, MASTER_ONLY)
    assert permissions(master, posts.name) == OPEN
    assert "NeverMade" not in master.get("/1.1/permissions").json()


@pytest.mark.single
@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_permissions_have_no_other_methods(master, posts, method):
    assert master.call(method, f"/1.1/permissions/{posts.name}", json={"get": []}).status_code == 404
    assert permissions(master, posts.name) == OPEN


# Taking effect

def test_setting_holds_for_the_next_request(cast, posts):
    id = posts.create(n=1)
    for _ in range(10):
        permit(cast.master, posts.name, get=cast.words("user"))
        assert_forbidden(posts.by(cast.other).get(id), forbidden("get", posts.name))
        assert posts.by(cast.owner).read(id) == {"n": 1}
        permit(cast.master, posts.name, get=["everyone"])
        assert posts.by(cast.other).read(id) == {"n": 1}


def test_role_opens_and_closes_with_its_members(cast, posts):
    id = posts.create(n=1)
    role = Role(cast.master)
    permit(cast.master, posts.name, get=[role.subject])
    for _ in range(3):
        assert_forbidden(posts.by(cast.owner).get(id), forbidden("get", posts.name))
        role.add([cast.owner])
        assert posts.by(cast.owner).read(id) == {"n": 1}
        role.remove([cast.owner])


def test_role_opens_once_it_is_made(cast, posts):
    id, name = posts.create(n=1), unique("Later")
    permit(cast.master, posts.name, get=[f"role:{name}"])
    assert_forbidden(posts.by(cast.owner).get(id), forbidden("get", posts.name))
    Role(cast.master, users=[cast.owner], name=name)
    assert posts.by(cast.owner).read(id) == {"n": 1}


def test_settings_made_at_once_are_all_kept(master, posts):
    answers = at_once(lambda number: permit(master, posts.name, **{OPERATIONS[number]: []}), len(OPERATIONS))
    assert len(answers) == len(OPERATIONS)
    assert permissions(master, posts.name) == OPEN | {operation: [] for operation in OPERATIONS}


@pytest.mark.extended
def test_settings_survive_a_restart(new_server):
    server = start(new_server)
    master, person = server.api(master=True), Person(server)
    posts = Objects(master, "Post")
    id = posts.create(n=1)
    role = Role(master)
    changed = permit(master, posts.name, get=["users", role.subject], delete=[], defaultACL={"owner": READ})
    users = permit(master, "_User", find=["users"])
    server.stop()
    server.start()
    assert (permissions(master, posts.name), permissions(master, "_User")) == (changed, users)
    assert_forbidden(posts.by(server.api()).get(id), forbidden("get", posts.name))
    assert posts.by(person).read(id) == {"n": 1}
    assert posts.read(posts.by(person).create(), returnACL="true") == {"ACL": {person.id: READ}}
