"""The fields of users: which are needed, what form they have, which are one user's alone, and which clients may not write."""

import pytest
from accounts import (
    NO_USER, PASSWORD, TAKEN, is_live, log_in, new_email, new_phone, sign_up, unique, user_of, users_named,
)
from client import assert_refused
from data import DELETE, assert_400, at_once, batch, op, own

PATHS = ["/1.1/users", "/1.1/classes/_User"]


@pytest.fixture
def ann(api):
    return sign_up(api, email=new_email(), mobilePhoneNumber=new_phone())


@pytest.fixture
def bob(api):
    return sign_up(api)


# Needed

@pytest.mark.few(2)
@pytest.mark.parametrize("fields, code", [
    ({}, 200), ({"password": PASSWORD}, 200), ({"username": "name"}, 201), ({"email": "a@example.org"}, 201),
    ({"mobilePhoneNumber": "+12025550100"}, 201), ({"username": "", "password": PASSWORD}, 217),
    ({"username": "  ", "password": PASSWORD}, 217), ({"username": "name", "password": ""}, 218),
], ids=str)
@pytest.mark.parametrize("path", PATHS)
def test_sign_up_without_what_is_needed(api, master, path, fields, code):
    if fields.get("username") == "name":
        fields = fields | {"username": unique()}
    assert_refused(api.post(path, json=fields), 400, code)
    assert users_named(master, fields.get("username", "")) == []


@pytest.mark.few(2)
@pytest.mark.parametrize("username", [None, 5, True, [], ["a"], {}, {"$ne": None}, op("Increment", amount=1)], ids=str)
def test_name_that_is_no_text(api, username):
    assert_400(api.post("/1.1/users", json={"username": username, "password": PASSWORD}))


@pytest.mark.parametrize("fields, code", [({"username": ""}, 217), ({"username": " "}, 217), ({"password": ""}, 218)], ids=str)
def test_user_keeps_name_and_password(ann, fields, code):
    assert_refused(ann.change(fields), 400, code)
    assert log_in(ann.api, username=ann.username).status_code == 200


@pytest.mark.few(2)
@pytest.mark.parametrize("field", ["username", "password"])
@pytest.mark.parametrize("value", [None, 5, [], {}, DELETE, op("Add", objects=["x"])], ids=str)
def test_name_and_password_are_not_taken_away(ann, field, value):
    assert_400(ann.change({field: value}))
    assert log_in(ann.api, username=ann.username).status_code == 200


# Form

@pytest.mark.few(2)
@pytest.mark.parametrize("email", [
    "", "ann", "@example.org", "ann@", "ann@@example.org", "ann smith@example.org", "ann@example.org\nBcc: bob@example.org",
], ids=repr)
def test_text_that_is_no_email_is_125(api, ann, email):
    assert_refused(api.post("/1.1/users", json={"username": unique(), "password": PASSWORD, "email": email}), 400, 125)
    assert_refused(ann.change({"email": email}), 400, 125)


@pytest.mark.few(2)
@pytest.mark.parametrize("phone", [
    "", "+", "abc", "+123", "123", "+1" + "2" * 25, "+1202555010x", "+1 202 555 0100", "++12025550100",
    "+\uff11\uff12\uff10\uff12\uff15\uff15\uff15\uff10\uff11\uff10\uff10",
], ids=repr)
def test_text_that_is_no_phone_number_is_127(api, ann, phone):
    fields = {"username": unique(), "password": PASSWORD, "mobilePhoneNumber": phone}
    assert_refused(api.post("/1.1/users", json=fields), 400, 127)
    assert_refused(ann.change({"mobilePhoneNumber": phone}), 400, 127)


@pytest.mark.parametrize("form", ["{}", "+86{}"])
def test_phone_number_without_a_country_is_chinese(api, form):
    number = new_phone("1")
    user = sign_up(api, mobilePhoneNumber=number)
    fields = {"username": unique(), "password": PASSWORD, "mobilePhoneNumber": form.format(number)}
    assert_refused(api.post("/1.1/users", json=fields), 400, 214)
    assert user_of(api, log_in(api, mobilePhoneNumber=form.format(number)), 200).id == user.id


@pytest.mark.few(2)
@pytest.mark.parametrize("username", ["茶 🍵", "a@b", "+123", "a'; DROP TABLE user; --", "x" * 200], ids=ascii)
def test_name_is_any_text(api, username):
    user = sign_up(api, username=unique() + username)
    assert user_of(api, log_in(api, username=user.username), 200).id == user.id


# One user's alone

VALUES = {"username": (unique, 202), "email": (new_email, 203), "mobilePhoneNumber": (new_phone, 214)}


@pytest.mark.few(2)
@pytest.mark.parametrize("field", VALUES)
@pytest.mark.parametrize("path", PATHS)
def test_taken_value_is_refused_at_sign_up(api, path, field):
    make, code = VALUES[field]
    value = make()
    sign_up(api, **{field: value})
    assert_refused(api.post(path, json={"username": unique(), "password": PASSWORD} | {field: value}), 400, code)


@pytest.mark.parametrize("field", VALUES)
def test_taken_value_is_refused_in_a_change(api, ann, field):
    make, code = VALUES[field]
    value = make()
    sign_up(api, **{field: value})
    before = ann.read()
    assert_refused(ann.change({field: value}), 400, code)
    assert ann.read() == before


@pytest.mark.parametrize("field", VALUES)
def test_taken_value_is_refused_to_the_master_key(ann, bob, master, field):
    assert_refused(bob.change({field: ann.read()[field]}, by=master), 400, VALUES[field][1])


@pytest.mark.parametrize("field", VALUES)
def test_user_may_keep_its_own_value(ann, field):
    assert ann.change({field: ann.read()[field]}).status_code == 200


@pytest.mark.parametrize("field", VALUES)
def test_value_is_free_again_when_it_was_changed(api, ann, field):
    make, _ = VALUES[field]
    value = ann.read()[field]
    assert ann.change({field: make()}).status_code == 200
    assert sign_up(api, **{field: value}).id != ann.id


@pytest.mark.parametrize("field", VALUES)
def test_value_is_free_again_when_its_user_is_deleted(api, ann, field):
    value = ann.read()[field]
    assert ann.api.call("DELETE", ann.path).status_code == 200
    assert sign_up(api, **{field: value}).id != ann.id


def test_taken_name_is_said_as_on_leancloud(api, ann):
    response = api.post("/1.1/users", json={"username": ann.username, "password": PASSWORD})
    assert (response.status_code, response.json()) == (400, TAKEN)


def test_taken_name_in_a_batch(api, ann):
    body = {"username": ann.username, "password": PASSWORD}
    assert batch(api, {"method": "POST", "path": "/1.1/users", "body": body}).json() == [{"error": TAKEN}]


def test_names_differ_by_case(api, ann):
    assert sign_up(api, username=ann.username.upper()).id != ann.id


@pytest.mark.few(2)
@pytest.mark.parametrize("field", VALUES)
def test_value_of_several_at_once_is_taken_once(server, field):
    make, code = VALUES[field]
    value = make()

    def post(_):
        return server.api().post("/1.1/users", json={"username": unique(), "password": PASSWORD} | {field: value}).json()

    assert sorted(answer.get("code", 0) for answer in at_once(post, 16)) == [0] + [code] * 15


# Not for clients

@pytest.mark.parametrize("field, value", [
    ("sessionToken", "a" * 25), ("emailVerified", True), ("mobilePhoneVerified", True), ("emailVerified", DELETE),
    ("sessionToken", DELETE),
], ids=str)
def test_field_that_only_the_server_writes_is_117(api, master, ann, field, value):
    fields = {"username": unique(), "password": PASSWORD, field: value}
    assert_refused(api.post("/1.1/users", json=fields), 400, 117)
    assert_refused(ann.change({field: value}), 400, 117)
    assert users_named(master, fields["username"]) == []
    assert not is_live(api, "a" * 25)


@pytest.mark.parametrize("field", ["objectId", "createdAt", "updatedAt"])
def test_built_in_field_is_105(api, ann, field):
    value = "a" * 24 if field == "objectId" else "2024-03-01T08:00:00.120Z"
    fields = {"username": unique(), "password": PASSWORD, field: value}
    assert_refused(api.post("/1.1/users", json=fields), 400, 105)
    assert_refused(ann.change({field: value}), 400, 105)


@pytest.mark.few(2)
@pytest.mark.parametrize("field", ["_password", "_hashed_password", "_SessionTokens", "_x", "__x"])
def test_field_with_a_leading_underscore_is_105(api, ann, field):
    assert_refused(api.post("/1.1/users", json={"username": unique(), "password": PASSWORD, field: "x"}), 400, 105)
    assert_refused(ann.change({field: "x"}), 400, 105)


def test_fields_of_the_tunnel_are_passed_over(api, ann, master):
    sent = {"_SessionToken": "x", "_MasterKey": "x", "_ClientVersion": "js0.5"}
    body = {"username": unique(), "password": PASSWORD}
    made = api.post("/1.1/users", json=body | sent)
    assert made.status_code == 201, made.text
    assert ann.change(sent | {"city": "Oslo"}).status_code == 200
    for user in (made.json(), ann.read(), *users_named(master, body["username"])):
        assert not set(sent) & set(user)
    assert "_SessionToken" not in master.get("/1.1/schemas/_User").json()


# Verified addresses

ADDRESSES = {"email": ("emailVerified", new_email), "mobilePhoneNumber": ("mobilePhoneVerified", new_phone)}


@pytest.fixture(params=ADDRESSES)
def verified(request, ann, master):
    """An address of Ann, its flag, which the master key set, and how another address is made."""
    flag, make = ADDRESSES[request.param]
    assert ann.change({flag: True}, by=master).status_code == 200
    assert ann.read()[flag] is True
    return request.param, flag, make


@pytest.mark.parametrize("address", ADDRESSES)
def test_master_key_signs_up_whom_it_verified(master, address):
    flag, make = ADDRESSES[address]
    assert sign_up(master, **{address: make(), flag: True}).read()[flag] is True


def test_other_changes_leave_addresses_verified(ann, verified):
    _, flag, _ = verified
    assert ann.change({"city": "Oslo"}).status_code == 200
    assert ann.read()[flag] is True


def test_new_address_is_not_verified(ann, master, verified):
    address, flag, make = verified
    for by in (ann.api, master):
        assert ann.change({flag: True}, by=master).status_code == 200
        assert ann.change({address: make()}, by=by).status_code == 200
        assert ann.read()[flag] is False


@pytest.mark.parametrize("flag_of_reply", ["new", "fetchWhenSave"])
def test_reply_has_the_flag_that_a_new_address_clears(ann, verified, flag_of_reply):
    address, flag, make = verified
    fresh = make()
    assert own(ann.change({address: fresh}, **{flag_of_reply: "true"}).json()) == {address: fresh, flag: False}
    assert own(ann.change({address: fresh}, **{flag_of_reply: "true"}).json()) == {address: fresh}


def test_removed_address_is_not_verified(ann, verified):
    address, flag, _ = verified
    assert ann.change({address: DELETE}).status_code == 200
    seen = ann.read()
    assert (address in seen, seen[flag]) == (False, False)


def test_removed_address_does_not_log_in(api, ann, verified):
    address, _, _ = verified
    value = ann.read()[address]
    assert ann.change({address: DELETE}).status_code == 200
    response = log_in(api, **{address: value})
    assert (response.status_code, response.json()) == (400, NO_USER)
