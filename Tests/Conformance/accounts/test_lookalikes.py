"""Texts that look alike, or that Unicode calls equal, are others: names, addresses, identities, entries of an ACL."""

import pytest
from accounts import PASSWORD, join, log_in, new_phone, sign_up, unique, user_of
from client import assert_refused
from identities import github
from people import BOTH, Role, permissions

# The first of each pair is what the second becomes when it is normalised.
KELVIN = "\u212a"
PAIRS = {"kelvin": ("K", KELVIN), "composed": ("\u00e9", "e\u0301"), "angstrom": ("\u00c5", "\u212b")}


@pytest.fixture(params=PAIRS)
def pair(request):
    """Two texts that no byte comparison takes for one."""
    rest = unique()
    return tuple(start + rest for start in PAIRS[request.param])


# Roles

@pytest.fixture
def guest_role(api):
    return lambda name: api.post("/1.1/roles", json={"name": name, "ACL": {"*": BOTH}})


@pytest.mark.parametrize("caller", ["owner", "master"])
@pytest.mark.parametrize("path", ["/1.1/roles", "/1.1/classes/_Role"])
def test_role_is_not_renamed_to_a_name_that_looks_alike(cast, master, caller, path):
    rest = unique("eepers")
    role = Role(cast.owner, users=[cast.owner], acl={"*": BOTH}, name=f"K{rest}")
    assert_refused(cast[caller].call("PUT", f"{path}/{role.id}", json={"name": KELVIN + rest}), 400, 139)
    assert master.get(role.path).json()["name"] == f"K{rest}"


def test_role_that_was_not_renamed_keeps_its_name_from_others(cast, guest_role):
    role = Role(cast.owner, users=[cast.owner], acl={"*": BOTH}, name=unique("K"))
    cast.owner.call("PUT", role.path, json={"name": KELVIN + role.name[1:]})
    assert guest_role(role.name).json()["code"] == 137


def test_role_of_a_name_that_looks_alike_is_not_made(guest_role):
    assert_refused(guest_role(KELVIN + unique("ings")), 400, 139)


@pytest.mark.parametrize("rights", [BOTH, {"read": True}], ids=str)
def test_acl_names_no_role_that_only_looks_alike(api, master, things, rights):
    acl = {f"role:{KELVIN}ings": rights}
    id = things.create(n=1)
    for caller in (things, things.by(master)):
        assert_refused(caller.post({"n": 2, "ACL": acl}), 400, 123)
        assert_refused(caller.put(id, {"ACL": acl}), 400, 123)
    assert things.get(id, returnACL="true").json()["ACL"] == {"*": BOTH}
    assert things.count(n=2) == 0


def test_permission_names_no_role_that_only_looks_alike(master, things):
    things.create()
    before = permissions(master, things.name)
    response = master.call("PUT", f"/1.1/permissions/{things.name}", json={"find": [f"role:{KELVIN}ings"]})
    assert response.status_code == 400
    assert permissions(master, things.name) == before


# Users

def test_names_that_look_alike_are_of_two_users(api, pair):
    users = [sign_up(api, username=name) for name in pair]
    assert [user_of(api, log_in(api, username=name), 200).id for name in pair] == [user.id for user in users]


def test_user_is_renamed_to_a_name_that_looks_alike(api, pair):
    first, second = pair
    user = sign_up(api, username=first)
    assert user.change({"username": second}).status_code == 200
    assert user.read()["username"] == second
    assert log_in(api, username=first).json()["code"] == 211
    assert sign_up(api, username=first).id != user.id


@pytest.mark.parametrize("way", ["users", "batch"])
def test_email_that_only_looks_like_the_verified_one_is_not_verified(api, master, pair, way):
    first, second = (f"{name}@example.org" for name in pair)
    user = sign_up(api, email=first)
    assert user.change({"emailVerified": True}, by=master).status_code == 200
    if way == "users":
        user.change({"email": second})
    else:
        user.api.post("/1.1/batch", json={"requests": [{"method": "PUT", "path": user.path, "body": {"email": second}}]})
    assert (user.read()["email"], user.read()["emailVerified"]) in ((first, True), (second, False))


@pytest.mark.parametrize("start", ["\uff0b1", "+\uff11", "+\U0001d7cf", "+\u0661"])
def test_phone_number_of_digits_that_look_alike_is_127(api, master, start):
    rest = f"{int(unique('')[:9], 16) % 10**9:09}"
    user = sign_up(api, mobilePhoneNumber=f"+1{rest}")
    assert user.change({"mobilePhoneVerified": True}, by=master).status_code == 200
    assert_refused(user.change({"mobilePhoneNumber": start + rest}), 400, 127)
    assert user.read()["mobilePhoneVerified"] is True


@pytest.mark.few(2)
@pytest.mark.parametrize("first, second", [("0{}", "+86{}"), ("0086{}", "{}"), ("86{}", "0{}"), ("{}", "86{}")])
def test_phone_number_in_another_notation_is_of_the_same_user(api, first, second):
    number = new_phone("1")
    user = sign_up(api, mobilePhoneNumber=first.format(number))
    assert user.read()["mobilePhoneNumber"] == (f"+86{number}" if first.startswith("0") else first.format(number))
    for notation in (first, second):
        text = notation.format(number)
        assert user_of(api, log_in(api, mobilePhoneNumber=text), 200).id == user.id
        fields = {"username": unique(), "password": PASSWORD, "mobilePhoneNumber": text}
        assert_refused(api.post("/1.1/users", json=fields), 400, 214)


# Identities

def test_ids_that_look_alike_are_of_two_users(api, pair):
    users = [user_of(api, join(api, github(id))) for id in pair]
    assert [user_of(api, join(api, github(id)), 200).id for id in pair] == [user.id for user in users]
    assert [user.read()["authData"]["github"]["uid"] for user in users] == list(pair)


def test_identity_that_is_replaced_by_one_that_looks_alike_is_another(api, pair):
    first, second = pair
    user = user_of(api, join(api, github(first)))
    assert user.change({"authData": github(second)}).status_code == 200
    assert user.read()["authData"] == github(second)
    assert user_of(api, join(api, github(second)), 200).id == user.id
    assert user_of(api, join(api, github(first))).id != user.id


def test_long_ids_that_look_alike_are_of_two_users(api, pair):
    users = [user_of(api, join(api, github(id + "x" * 300))) for id in pair]
    assert users[0].id != users[1].id
