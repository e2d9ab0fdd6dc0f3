"""Taking platforms away in the form of each SDK, anonymous users, and writes that would move an identity."""

import pytest
from accounts import PASSWORD, join, log_in, sign_up, unique, user_of, with_session
from client import assert_refused
from data import DELETE, op
from identities import data_of, github


@pytest.fixture
def data():
    return github(access_token="t") | data_of("weixin", scope="s")


@pytest.fixture
def ann(api, data):
    """A user of two platforms."""
    return user_of(api, join(api, data))


@pytest.fixture
def bob(api):
    return sign_up(api)


# What SDKs send to unlink weixin from a user with `data`.
FORMS = {
    "Delete of JS, ObjC, Swift, Java": lambda data: {"authData.weixin": DELETE},
    "Delete with a flag": lambda data: {"authData.weixin": DELETE | {"delete": True}},
    "null of C#, Flutter": lambda data: {"authData": {"weixin": None}},
    "all and null of Python, PHP": lambda data: {"authData": data | {"weixin": None}},
}


@pytest.mark.parametrize("form", FORMS)
def test_platform_is_taken_away(api, ann, data, form):
    assert set(ann.change(FORMS[form](data)).json()) == {"objectId", "updatedAt"}
    assert ann.read()["authData"] == {"github": data["github"]}
    assert user_of(api, join(api, {"github": data["github"]}), 200).id == ann.id


@pytest.mark.parametrize("form", FORMS)
def test_identity_that_was_taken_away_logs_in_no_more(api, ann, data, form):
    assert ann.change(FORMS[form](data)).status_code == 200
    assert user_of(api, join(api, {"weixin": data["weixin"]})).id != ann.id


@pytest.mark.parametrize("form", FORMS)
def test_identity_that_was_taken_away_is_free_for_another(api, ann, bob, data, form):
    assert_refused(bob.change({"authData": {"weixin": data["weixin"]}}), 400, 137)
    assert ann.change(FORMS[form](data)).status_code == 200
    assert bob.change({"authData": {"weixin": data["weixin"]}}).status_code == 200
    assert user_of(api, join(api, {"weixin": data["weixin"]}), 200).id == bob.id
    assert_refused(ann.change({"authData": {"weixin": data["weixin"]}}), 400, 137)


@pytest.mark.parametrize("fields", [{"authData": {"qq": None}}, {"authData.qq": DELETE}], ids=str)
def test_platform_that_is_not_linked_is_taken_away_without_effect(ann, data, fields):
    assert ann.change(fields).status_code == 200
    assert ann.read()["authData"] == data


def test_platform_is_added_by_sending_all(api, ann, data):
    """As Python and PHP link."""
    more = data_of("qq")
    assert ann.change({"authData": data | more}).status_code == 200
    assert ann.read()["authData"] == data | more
    assert user_of(api, join(api, more), 200).id == ann.id


def test_one_platform_replaces_another_in_one_change(api, ann, data):
    more = data_of("qq")
    assert ann.change({"authData": {"weixin": None} | more}).status_code == 200
    assert ann.read()["authData"] == {"github": data["github"]} | more


def test_master_key_takes_platforms_away(ann, master, data):
    assert ann.change({"authData": {"weixin": None}}, by=master).status_code == 200
    assert ann.read()["authData"] == {"github": data["github"]}


@pytest.mark.parametrize("caller", ["itself", "master"])
def test_identities_of_a_deleted_user_are_free(api, master, ann, bob, data, caller):
    assert (master if caller == "master" else ann.api).call("DELETE", ann.path).status_code == 200
    assert user_of(api, join(api, {"github": data["github"]})).id != ann.id
    assert bob.change({"authData": {"weixin": data["weixin"]}}).status_code == 200


# Writes that could move an identity without taking it

@pytest.fixture
def victim(api):
    user = user_of(api, join(api, github()))
    return user, user.read()["authData"]


WRITES = {
    "uid": lambda uid: {"authData.github.uid": uid},
    "uid with more": lambda uid: {"authData.github.uid": uid, "authData.github.access_token": "t"},
    "Add": lambda uid: {"authData.github.uid": op("Add", objects=[uid])},
    "Delete of the id": lambda uid: {"authData.github.uid": DELETE},
    "Increment": lambda uid: {"authData.github.uid": op("Increment", amount=1)},
    "Delete of all": lambda uid: {"authData": DELETE},
    "null": lambda uid: {"authData": None},
    "AddRelation": lambda uid: {"authData": op("AddRelation", objects=[])},
}


@pytest.mark.parametrize("case", WRITES)
def test_write_into_the_data_takes_nobody_over(api, ann, victim, case):
    user, data = victim
    ann.change(WRITES[case](data["github"]["uid"]))
    assert user_of(api, join(api, data), 200).id == user.id
    assert user.read()["authData"] == data


@pytest.mark.parametrize("case", WRITES)
def test_identities_are_those_that_the_data_shows(api, ann, data, case):
    uid = unique("id")
    ann.change(WRITES[case](uid))
    shown = ann.read().get("authData", {})
    for known in ({"github": data["github"]}, {"weixin": data["weixin"]}, github(uid)):
        (platform, values), = known.items()
        key = "openid" if platform == "weixin" else "uid"
        is_shown = shown.get(platform, {}).get(key) == values[key]
        assert (join(api, known).json()["objectId"] == ann.id) is is_shown


# Anonymous users

@pytest.fixture
def nobody():
    return data_of("anonymous")


@pytest.fixture
def anonymous(api, nobody):
    return user_of(api, join(api, nobody))


def test_anonymous_user_comes_back(api, anonymous, nobody):
    again = join(api, nobody)
    assert user_of(api, again, 200).id == anonymous.id
    assert again.json()["authData"] == nobody


@pytest.mark.parametrize("form", ["members", "dotted", "all"])
def test_linked_platform_ends_anonymity(api, anonymous, nobody, form):
    data = github()
    fields = {
        "members": {"authData": data}, "dotted": {"authData.github": data["github"]}, "all": {"authData": nobody | data},
    }[form]
    assert anonymous.change(fields).status_code == 200
    assert anonymous.read()["authData"] == data
    assert user_of(api, join(api, data), 200).id == anonymous.id
    assert user_of(api, join(api, nobody)).id != anonymous.id


@pytest.mark.parametrize("more", [{}, {"city": "Lyon"}], ids=str)
def test_name_and_password_end_anonymity(api, anonymous, nobody, more):
    username = unique()
    response = anonymous.change({"username": username, "password": PASSWORD} | more)
    assert response.status_code == 200
    token = response.json()["sessionToken"]
    assert token != anonymous.token
    assert anonymous.read(by=with_session(api, token))["authData"] == {}
    user = user_of(api, log_in(api, username=username), 200)
    assert (user.id, user.token) == (anonymous.id, token)
    assert user_of(api, join(api, nobody)).id != anonymous.id


@pytest.mark.parametrize("fields", [{"city": "Lyon"}, {"email": "…"}], ids=str)
def test_other_changes_leave_anonymity(api, anonymous, nobody, fields):
    fields = {name: f"{unique()}@example.org" if value == "…" else value for name, value in fields.items()}
    assert anonymous.change(fields).status_code == 200
    assert user_of(api, join(api, nobody), 200).id == anonymous.id
