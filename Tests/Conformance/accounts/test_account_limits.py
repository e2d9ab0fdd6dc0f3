"""Corners of signing up and logging in: empty fields, texts that end too early, and many at once."""

import base64
import hashlib

import pytest
from accounts import NO_USER, PASSWORD, is_live, join, log_in, new_email, sign_up, unique, user_of, users_named
from batches import save
from cases import count
from client import assert_refused
from data import DELETE, at_once
from identities import github
from people import start

ZERO = "\0"


@pytest.fixture
def ann(api):
    return sign_up(api, email=new_email())


# Log-ins

@pytest.mark.few(2)
@pytest.mark.parametrize("method", ["POST", "GET"])
@pytest.mark.parametrize("name", ["username", "email"])
@pytest.mark.parametrize("form", ["{}\0", "{}\0zzz", "\0{}"])
def test_name_with_a_zero_is_107(api, ann, method, name, form):
    fields = {name: form.format(ann.read()[name]), "password": PASSWORD}
    response = api.post("/1.1/login", json=fields) if method == "POST" else api.get("/1.1/login", params=fields)
    assert_refused(response, 400, 107, name)


def test_sign_up_under_a_name_with_a_zero_is_107(api, master, ann):
    response = api.post("/1.1/users", json={"username": ann.username + ZERO, "password": PASSWORD})
    assert_refused(response, 400, 107)
    assert [user["objectId"] for user in users_named(master, ann.username)] == [ann.id]


def test_log_in_with_an_sms_code_that_is_null_goes_by_the_password(api, ann):
    fields = {"username": ann.username, "password": PASSWORD, "smsCode": None}
    assert user_of(api, api.post("/1.1/login", json=fields), 200).id == ann.id
    assert api.post("/1.1/login", json=fields | {"password": "wrong"}).json()["code"] == 210


@pytest.mark.parametrize("name", ["username", "email"])
def test_log_in_with_other_names_that_are_null_goes_by_the_one(api, ann, name):
    fields = {"username": None, "email": None, "mobilePhoneNumber": None, "password": PASSWORD}
    assert user_of(api, api.post("/1.1/login", json=fields | {name: ann.read()[name]}), 200).id == ann.id


# Signing up

@pytest.mark.parametrize("path", ["/1.1/users", "/1.1/classes/_User"])
@pytest.mark.parametrize("fields", [
    {"email": None}, {"mobilePhoneNumber": None}, {"email": None, "mobilePhoneNumber": None}, {"email": DELETE},
    {"username": None, "email": None},
], ids=str)
def test_address_that_is_null_is_none_to_sign_up_with(api, path, fields):
    assert_refused(api.post(path, json=fields | {"password": PASSWORD}), 400, 200)


@pytest.mark.parametrize("path", ["/1.1/users", "/1.1/classes/_User"])
def test_item_of_a_save_that_only_logs_in_makes_nobody(api, path):
    data = github()
    body = {"__internalId": "A", "authData": data}
    item = {"method": "POST", "path": path, "new": True, "params": {"failOnNotExist": True}, "body": body}
    response = save(api, item)
    assert (response.status_code, response.json()) == (400, NO_USER)
    assert join(api, data, failOnNotExist="true").json() == NO_USER


def test_item_of_a_save_that_only_logs_in_finds_who_is_there(api):
    data = github()
    user = user_of(api, join(api, data))
    body = {"__internalId": "A", "authData": data}
    item = {"method": "POST", "path": "/1.1/users", "params": {"failOnNotExist": True}, "body": body}
    assert save(api, item).json()["A"]["objectId"] == user.id


# Many at once

def leancloud(text, salt):
    """A hash as LeanCloud exports it."""
    digest = hashlib.sha512((salt + text).encode()).digest()
    for _ in range(512):
        digest = hashlib.sha512(digest).digest()
    return {"password": base64.b64encode(digest).decode(), "salt": salt}


BCRYPT = {"bcryptPassword": "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"}


@pytest.mark.extended
@pytest.mark.parametrize("text, hash", [
    (PASSWORD, leancloud(PASSWORD, "abc123")), ("U*U", BCRYPT),
], ids=["leancloud", "bcrypt"])
def test_log_ins_at_once_all_get_the_one_token_while_the_hash_is_replaced(server, api, master, text, hash):
    for _ in range(count(2, 4)):
        username = unique()
        assert master.post("/1.1/users", json={"username": username} | hash).status_code == 201
        answers = at_once(lambda _: log_in(server.api(), text, username=username), 8)
        assert [answer.status_code for answer in answers] == [200] * 8
        token, = {answer.json()["sessionToken"] for answer in answers}
        assert user_of(api, log_in(api, text, username=username), 200).token == token
        assert is_live(api, token)


# Who is there

@pytest.mark.extended
def test_forms_of_a_phone_number_do_not_tell_who_is_there(new_server):
    api = start(new_server, LCFILE_ACCOUNTS_HIDE_UNKNOWN_USERS="true").api()
    sign_up(api, mobilePhoneNumber="13800000001")
    sign_up(api, mobilePhoneNumber="13800000003")
    for known, first, second in (("01", "{}", "+86{}"), ("03", "+86{}", "{}")):
        answers = []
        for end in (known, f"{int(known) + 1:02}"):
            number = f"138000000{end}"
            codes = [log_in(api, "wrong", mobilePhoneNumber=first.format(number)).json()["code"] for _ in range(7)]
            answers.append([*codes, log_in(api, "wrong", mobilePhoneNumber=second.format(number)).json()["code"]])
        assert answers == [[210] * 7 + [219]] * 2
