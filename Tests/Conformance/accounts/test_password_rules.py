"""What a password may be: its length, its characters, its type; and that each of its bytes counts."""

import pytest
from accounts import MISMATCH, PASSWORD, is_live, log_in, settings, sign_up, unique, users_named
from data import assert_400, op

LIMIT = "accounts.maxPasswordLength"
LONGEST = ["x" * 1024, "茶" * 341 + "x"]
TOO_LONG = ["x" * 1025, "茶" * 342, "x" * 1_000_000]


@pytest.fixture
def ann(api):
    return sign_up(api)


def names(text):
    return f"{len(text)}{text[0]}"


@pytest.mark.parametrize("password", LONGEST, ids=names)
def test_password_of_the_limit_logs_in(api, password):
    user = sign_up(api, password=password)
    assert log_in(api, password, username=user.username).status_code == 200
    assert log_in(api, password[:-1], username=user.username).json() == MISMATCH


@pytest.mark.parametrize("password", TOO_LONG, ids=names)
def test_longer_password_signs_nobody_up(api, master, password):
    username = unique()
    assert_400(api.post("/1.1/users", json={"username": username, "password": password}), LIMIT)
    assert users_named(master, username) == []


@pytest.mark.parametrize("password", TOO_LONG, ids=names)
def test_longer_password_is_not_set(api, master, ann, password):
    assert_400(ann.change({"password": password}), LIMIT)
    assert_400(ann.change({"password": password}, by=master), LIMIT)
    body = {"old_password": PASSWORD, "new_password": password}
    assert_400(ann.api.call("PUT", f"{ann.path}/updatePassword", json=body), LIMIT)
    assert is_live(api, ann.token)


@pytest.mark.parametrize("password", TOO_LONG, ids=names)
def test_longer_password_is_not_even_compared(api, ann, password):
    assert_400(log_in(api, password, username=ann.username), LIMIT)
    body = {"old_password": password, "new_password": PASSWORD}
    assert_400(ann.api.call("PUT", f"{ann.path}/updatePassword", json=body), LIMIT)


@pytest.mark.extended
def test_limit_is_a_setting(new_server):
    api = new_server(**settings(maxPasswordLength=20)).start().api()
    assert sign_up(api, password="x" * 20).id
    assert_400(api.post("/1.1/users", json={"username": unique(), "password": "x" * 21}), LIMIT)


@pytest.mark.few(2)
@pytest.mark.parametrize("password, others", [
    ("p4ss ", ["p4ss", " p4ss", "p4ss  "]),
    ("Straße", ["Strasse", "STRASSE", "straße"]),
    ("caf\u00e9", ["cafe\u0301", "cafe"]),
    ("🍵" * 20, ["🍵" * 19]),
    ("x" * 100 + "a", ["x" * 100 + "b", "x" * 72]),
    ("茶\u2028\ufeff\"\\", ["茶\u2028\"\\"]),
    ("$scrypt$ln=10,r=8,p=1$AA==$AA==", ["x"]),
], ids=ascii)
def test_each_byte_of_a_password_counts(api, password, others):
    user = sign_up(api, password=password)
    for other in others:
        assert log_in(api, other, username=user.username).json() == MISMATCH
    assert log_in(api, password, username=user.username).status_code == 200


@pytest.mark.parametrize("more", ["\0", "\0\0", "\0word"], ids=ascii)
def test_zero_does_not_end_a_password(api, ann, more):
    assert_400(log_in(api, PASSWORD + more, username=ann.username))
    body = {"old_password": PASSWORD + more, "new_password": "another"}
    assert_400(ann.api.call("PUT", f"{ann.path}/updatePassword", json=body))


@pytest.mark.few(2)
@pytest.mark.parametrize("password", ["\0", "p4ss\0", "\0p4ss", "p4ss\0word"], ids=ascii)
def test_password_with_a_zero_is_refused_like_every_such_text(api, master, ann, password):
    username = unique()
    assert_400(api.post("/1.1/users", json={"username": username, "password": password}), "U+0000")
    assert users_named(master, username) == []
    body = {"old_password": PASSWORD, "new_password": password}
    for response in (
        ann.change({"password": password}), ann.change({"password": password}, by=master),
        ann.api.call("PUT", f"{ann.path}/updatePassword", json=body),
    ):
        assert_400(response, "U+0000")
    assert log_in(api, username=ann.username).status_code == 200


@pytest.mark.few(2)
@pytest.mark.parametrize("password", [
    None, 5, 1.5, True, [], ["x"], {}, {"a": "b"}, op("Increment", amount=1), op("Delete"),
    {"__type": "Bytes", "base64": "aGk="},
], ids=str)
def test_password_is_a_text(api, master, ann, password):
    username = unique()
    assert_400(api.post("/1.1/users", json={"username": username, "password": password}))
    assert users_named(master, username) == []
    assert_400(ann.change({"password": password}, by=master))
    assert log_in(api, username=ann.username).status_code == 200


@pytest.mark.parametrize("field", ["password.a", "password.length", "username.a"])
def test_password_has_no_inside(ann, field):
    assert_400(ann.change({field: "x"}))
    assert log_in(ann.api, username=ann.username).status_code == 200
