"""Logging in by name, email and phone."""

import pytest
from accounts import MISMATCH, NO_USER, PASSWORD, TOKEN, log_in, new_email, new_phone, sign_up, unique
from data import assert_400, send


@pytest.fixture
def ann(api):
    return sign_up(api, email=new_email(), mobilePhoneNumber=new_phone(), city="Lyon")


WAYS = {
    "POST": lambda api, fields: api.post("/1.1/login", json=fields),
    "GET": lambda api, fields: api.get("/1.1/login", params=fields),
}
NAMES = ["username", "email", "mobilePhoneNumber"]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", WAYS)
def test_log_in_answers_with_the_user_and_a_token(api, ann, way, name):
    response = WAYS[way](api, {name: ann.read()[name], "password": PASSWORD})
    assert response.status_code == 200
    body = response.json()
    assert TOKEN.fullmatch(body["sessionToken"])
    assert body == ann.read() | {"sessionToken": body["sessionToken"]}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", WAYS)
def test_wrong_password_is_210(api, ann, way, name):
    response = WAYS[way](api, {name: ann.read()[name], "password": PASSWORD + "x"})
    assert (response.status_code, response.json()) == (400, MISMATCH)


@pytest.mark.parametrize("name, make", [("username", unique), ("email", new_email), ("mobilePhoneNumber", new_phone)])
@pytest.mark.parametrize("way", WAYS)
def test_unknown_name_is_211(api, way, name, make):
    response = WAYS[way](api, {name: make(), "password": PASSWORD})
    assert (response.status_code, response.json()) == (400, NO_USER)


def test_user_of_one_app_does_not_log_in_to_another(ann, beta):
    assert log_in(beta, username=ann.username).json() == NO_USER


@pytest.mark.parametrize("name", [
    None, {"username": None}, {"username": True}, {"username": {"$ne": None}}, {"username": ["ann"]}, {"email": {"$gt": ""}},
    {"mobilePhoneNumber": 12025550100}, {"mobilePhoneNumber": {"$regex": "."}},
], ids=str)
def test_log_in_without_a_name_is_refused(api, ann, name):
    assert_400(api.post("/1.1/login", json=(name or {}) | {"password": PASSWORD}))


@pytest.mark.parametrize("name", ["objectId", "city", "createdAt"])
def test_log_in_by_another_field_is_refused(api, ann, name):
    assert_400(log_in(api, **{name: ann.read()[name]}))


@pytest.mark.parametrize("password", [None, 5, True, [], {}, {"$ne": None}, [PASSWORD], ""], ids=str)
def test_log_in_with_a_password_that_is_none_is_refused(api, ann, password):
    assert_400(log_in(api, password, username=ann.username))


def test_log_in_without_a_password_is_refused(api, ann):
    assert_400(api.post("/1.1/login", json={"username": ann.username}))


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b'"text"'])
def test_log_in_with_another_body_is_refused(api, body):
    assert_400(send(api, "/1.1/login", body))
