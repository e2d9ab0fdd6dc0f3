"""Third-party log-ins: signing up and in, and linking; each identity belongs to one user."""

import json

import pytest
from accounts import NO_USER, NOT_ITSELF, is_live, join, log_in, sign_up, unique, user_of, with_session
from client import assert_refused
from data import DELETE, assert_400, at_once, batch
from identities import KEYS, data_of, github


@pytest.fixture
def data():
    return github(access_token="t1", expires_in=7200)


@pytest.fixture
def ann(api, data):
    """A user of GitHub."""
    return user_of(api, join(api, data))


@pytest.fixture
def bob(api):
    return sign_up(api)


# Signing up and logging in

@pytest.mark.parametrize("path", ["/1.1/users", "/1.1/classes/_User"])
def test_new_identity_signs_up(api, data, path):
    response = api.post(path, json={"authData": data, "city": "Lyon"})
    body = response.json()
    assert response.status_code == 201
    assert response.headers["Location"] == f"/1.1/classes/_User/{body['objectId']}"
    assert (body["authData"], body["city"]) == (data, "Lyon")
    assert len(body["username"]) == 25 and body["username"].isalnum()
    assert is_live(api, body["sessionToken"])


@pytest.mark.parametrize("platform", KEYS)
def test_known_identity_logs_in(api, platform):
    data = data_of(platform)
    first = user_of(api, join(api, data))
    second = user_of(api, join(api, data), 200)
    assert (second.id, second.token) == (first.id, first.token)
    assert is_live(api, first.token)


def test_log_in_is_answered_like_any_other(api, ann, data):
    body = join(api, data).json()
    assert body == ann.read() | {"sessionToken": body["sessionToken"]}


@pytest.mark.smoke
def test_stored_data_is_replaced_at_each_log_in(api, ann, data):
    fresh = github(data["github"]["uid"], access_token="t2")
    assert join(api, fresh).json()["authData"] == fresh
    assert ann.read()["authData"] == fresh


def test_identity_may_come_along_with_a_name(api, data):
    user = sign_up(api, authData=data)
    assert user_of(api, join(api, data), 200).id == user.id
    assert user_of(api, log_in(api, username=user.username), 200).id == user.id


def test_one_id_is_somebody_else_on_another_platform(api, ann, data):
    assert user_of(api, join(api, {"weibo": data["github"]})).id != ann.id


def test_ids_differ_by_case(api):
    id = unique("id")
    assert user_of(api, join(api, github(id))).id != user_of(api, join(api, github(id.upper()))).id


@pytest.mark.parametrize("platform", ["weixin", "qq"])
def test_openid_decides_where_there_is_one(api, platform):
    user = user_of(api, join(api, data_of(platform, "o-" + unique(), uid="1")))
    openid = user.read()["authData"][platform]["openid"]
    assert user_of(api, join(api, data_of(platform, openid, uid="2")), 200).id == user.id
    assert user_of(api, join(api, data_of(platform, uid="1"))).id != user.id
    assert user_of(api, join(api, {platform: {"uid": openid}})).id != user.id


@pytest.mark.parametrize("platform", ["weixin_app", "taptap", "platform1"])
def test_openid_identifies_on_a_platform_without_uid(api, bob, platform):
    data = {platform: {
        "openid": unique("o"), "access_token": "t", "expires_in": 7200, "platform": "weixin", "unionid": unique("U"),
        "main_account": True,
    }}
    user = user_of(api, join(api, data))
    assert user_of(api, join(api, data), 200).id == user.id
    assert_refused(bob.change({f"authData.{platform}": data[platform]}), 400, 137)
    other = {platform: {"openid": unique("o")}}
    assert bob.change({f"authData.{platform}": other[platform]}).status_code == 200
    assert user_of(api, join(api, other), 200).id == bob.id


def test_openid_is_not_taken_for_a_uid_of_the_same_platform(api):
    id = unique("id")
    users = {user_of(api, join(api, {"weixin_app": {member: id}})).id for member in ("uid", "openid")}
    assert len(users) == 2


def test_uid_decides_on_other_platforms(api):
    uid = unique("id")
    user = user_of(api, join(api, {"weixin_app": {"uid": uid, "openid": "1"}}))
    assert user_of(api, join(api, {"weixin_app": {"uid": uid, "openid": "2"}}), 200).id == user.id


def test_identity_of_several_at_once_is_of_one_user(server, data):
    answers = at_once(lambda _: join(server.api(), data), 16)
    assert sorted(answer.status_code for answer in answers) == [200] * 15 + [201]
    assert len({answer.json()["objectId"] for answer in answers}) == 1


def test_identity_of_another_app_is_another(ann, data, beta):
    assert join(beta, data).status_code == 201


def test_known_identity_logs_in_only(api, ann, data):
    assert user_of(api, join(api, data, failOnNotExist="true"), 200).id == ann.id


def test_unknown_identity_logs_nobody_in(api, data):
    response = join(api, data, failOnNotExist="true")
    assert (response.status_code, response.json()) == (400, NO_USER)
    assert join(api, data, failOnNotExist="false").status_code == 201


def test_identity_in_a_batch(api, data):
    item = {"method": "POST", "path": "/1.1/users", "body": {"authData": data}}
    refused, first, second = batch(api, item | {"params": {"failOnNotExist": True}}, item, item).json()
    assert refused == {"error": NO_USER}
    assert first["success"]["objectId"] == second["success"]["objectId"]
    assert is_live(api, second["success"]["sessionToken"])


# What is no identity

NOBODY = [
    {"github": {}}, {"github": {"id": "x"}}, {"github": {"openid": ""}}, {"weixin": {}}, {"qq": {"id": "x"}},
    {"anonymous": {"uid": "x"}}, {"anonymous": {"openid": "x"}}, {"github": {"uid": ""}}, {"github": {"uid": None}},
    {"github": {"uid": {"a": 1}}}, {"github": {"uid": ["x"]}}, {"github": {"uid": True}}, {"lc_weapp": {"code": "x"}},
]
MALFORMED = [
    "text", 5, True, ["github"], {"github": 5}, {"github": "u1"}, {"github": [{"uid": "x"}]}, {"a.b": {"uid": "x"}},
    {"$or": {"uid": "x"}}, {"": {"uid": "x"}}, {"a b": {"uid": "x"}}, {"github": {"uid": "x", "$a": 1}},
    {"p" * 129: {"uid": "x"}}, {"a\n": {"uid": "x"}},
    {"github": {"uid": {"$ne": None}}}, {}, None,
]


@pytest.mark.few(2)
@pytest.mark.parametrize("given", NOBODY, ids=json.dumps)
def test_platform_without_an_id_is_250(api, bob, given):
    assert_refused(join(api, given), 400, 250)
    assert_refused(bob.change({"authData": given}), 400, 250)
    assert "authData" not in bob.read()


@pytest.mark.parametrize("given", MALFORMED, ids=json.dumps)
def test_malformed_data_signs_nobody_up(api, given):
    assert_400(join(api, given))


@pytest.mark.few(2)
@pytest.mark.parametrize("given", MALFORMED[:-2], ids=json.dumps)
def test_malformed_data_is_not_linked(ann, given):
    before = ann.read()
    assert_400(ann.change({"authData": given}))
    assert ann.read() == before


# Linking

@pytest.mark.parametrize("form", ["members", "dotted"])
def test_linked_platform_joins_the_others(api, ann, data, form):
    more = data_of("weixin", scope="s")
    fields = {"authData": more} if form == "members" else {"authData.weixin": more["weixin"]}
    assert set(ann.change(fields).json()) == {"objectId", "updatedAt"}
    assert ann.read()["authData"] == data | more
    assert [user_of(api, join(api, known), 200).id for known in (data, more)] == [ann.id] * 2


def test_link_with_the_flag_answers_with_all_platforms(ann, data):
    more = data_of("weixin")
    assert ann.change({"authData": more}, new="true").json()["authData"] == data | more


def test_user_with_a_password_links(api, bob, data):
    assert bob.change({"authData": data}).status_code == 200
    assert user_of(api, join(api, data), 200).id == bob.id
    assert log_in(api, username=bob.username).status_code == 200


def test_linked_identity_of_the_same_platform_replaces_the_old_one(api, ann, data):
    fresh = github()
    assert ann.change({"authData": fresh}).status_code == 200
    assert user_of(api, join(api, fresh), 200).id == ann.id
    assert user_of(api, join(api, data)).id != ann.id


@pytest.mark.parametrize("form", ["members", "dotted", "batch", "save", "master"])
def test_identity_of_another_user_is_137(api, master, ann, bob, data, form):
    fields = {"authData": data} if form != "dotted" else {"authData.github": data["github"]}
    if form in ("batch", "save"):
        item = {"method": "PUT", "path": bob.path, "body": fields | {"__internalId": bob.id}}
        path = "/1.1/batch" + ("/save" if form == "save" else "")
        response = batch(bob.api, item, path=path).json()
        assert (response if form == "save" else response[0]["error"])["code"] == 137
    else:
        assert_refused(bob.change(fields, by=master if form == "master" else None), 400, 137)
    assert "authData" not in bob.read()
    assert user_of(api, join(api, data), 200).id == ann.id


def test_data_of_two_users_moves_no_identity(api, ann, data):
    weibo = data_of("weibo")
    other = user_of(api, join(api, weibo))
    join(api, data | weibo)
    assert [user_of(api, join(api, known), 200).id for known in (data, weibo)] == [ann.id, other.id]
    assert (ann.read()["authData"], other.read()["authData"]) == (data, weibo)


@pytest.mark.parametrize("caller", ["another", "guest", "stale"])
def test_nobody_else_links(api, ann, bob, data, caller):
    by = {"another": bob.api, "guest": api, "stale": with_session(api, "a" * 25)}[caller]
    for fields in ({"authData": data_of("weixin")}, {"authData": None}, {"authData.github": DELETE}):
        response = ann.change(fields, by=by)
        assert (response.status_code, response.json()) == (403, NOT_ITSELF)
    assert ann.read()["authData"] == data
