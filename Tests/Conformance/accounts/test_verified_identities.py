"""What the operator's verifier is asked and what it is spared, and that what it refuses changes nothing."""

import json

import pytest
from accounts import is_live, join, sign_up, unique, user_of
from client import ALPHA, assert_refused, eventually
from data import DELETE, batch
from request_log import log_so_far


@pytest.fixture
def verifier(verifying):
    return verifying[0].anew()


@pytest.fixture
def own(verifying):
    return verifying[1]


@pytest.fixture
def api(own):
    return own.api()


@pytest.fixture
def data():
    return {"github": {"uid": unique("id"), "access_token": "t"}}


def question(data, platform="github"):
    return {"app": ALPHA.id, "platform": platform, "authData": data[platform]}


def test_sign_up_and_each_log_in_are_asked(api, verifier, data):
    user = user_of(api, join(api, data))
    assert user_of(api, join(api, data), 200).id == user.id
    assert verifier.asked == [question(data)] * 2


def test_each_platform_is_asked(api, verifier, data):
    data |= {"weixin": {"openid": unique("o")}}
    assert join(api, data).status_code == 201
    assert sorted(verifier.asked, key=str) == sorted([question(data), question(data, "weixin")], key=str)


@pytest.mark.parametrize("fields", [{"authData": {"github": None}}, {"authData.github": DELETE}, {"city": "Lyon"}], ids=str)
def test_what_links_nothing_is_not_asked(api, verifier, data, fields):
    user = user_of(api, join(api, data))
    verifier.asked.clear()
    verifier.status = 403
    assert user.change(fields).status_code == 200
    assert verifier.asked == []


def test_refused_log_in_replaces_no_data(api, verifier, data):
    user = user_of(api, join(api, data))
    verifier.status = 403
    assert_refused(join(api, {"github": data["github"] | {"access_token": "stolen"}}), 400, 251)
    assert user.read()["authData"] == data
    assert is_live(api, user.token)


def test_refused_data_does_not_tell_whether_somebody_has_it(api, verifier, data):
    user_of(api, join(api, data))
    verifier.status = 403
    known, unknown = join(api, data), join(api, {"github": {"uid": unique("id")}})
    assert (known.status_code, known.json()) == (unknown.status_code, unknown.json())
    only = join(api, {"github": {"uid": unique("id")}}, failOnNotExist="true")
    assert_refused(only, 400, 251)


@pytest.mark.parametrize("form", ["members", "dotted"])
def test_refused_platform_is_not_linked(api, verifier, data, form):
    verifier.status = 403
    user = sign_up(api)
    fields = {"authData": data} if form == "members" else {"authData.github": data["github"]}
    assert_refused(user.change(fields | {"city": "Lyon"}), 400, 251)
    assert not {"city", "authData"} & set(user.read())


def test_batch_is_asked(api, verifier, data):
    user = sign_up(api)
    verifier.status = 403
    answers = batch(
        user.api, {"method": "POST", "path": "/1.1/users", "body": {"authData": data}},
        {"method": "PUT", "path": user.path, "body": {"authData": data}},
    ).json()
    assert [answer["error"]["code"] for answer in answers] == [251, 251]
    assert "authData" not in user.read()


@pytest.mark.parametrize("status", [204, 500, 503])
def test_answer_that_is_none_is_logged(own, api, verifier, data, status):
    verifier.status = status
    line = "answered with neither 200 nor 4xx"
    before = log_so_far(own).count(line)
    assert_refused(join(api, data), 400, 251)
    assert eventually(lambda: own.errors.count(line) == before + 1)


def test_union_is_not_believed_without_the_verifier(api, verifier):
    union = unique("union")
    main = {"uid": unique("id"), "platform": "weixin", "unionid": union, "main_account": True}
    user = user_of(api, join(api, {"wxapp1": main}))
    verifier.status = 403
    assert_refused(join(api, {"wxapp2": {"uid": unique("id"), "platform": "weixin", "unionid": union}}), 400, 251)
    assert set(user.read()["authData"]) == {"wxapp1", "_weixin_unionid"}


# Data that the verifier replaces

def replacing(verifier, **data):
    """Lets the verifier answer with data of its own."""
    verifier.body = json.dumps({"authData": data}).encode()


@pytest.mark.parametrize("platform", ["lc_weapp", "lc_qqapp", "lc_apple"])
def test_code_is_replaced_by_what_it_stands_for(api, verifier, platform):
    openid = unique("o")
    replacing(verifier, openid=openid)
    user = user_of(api, join(api, {platform: {"code": "1"}}))
    assert user.read()["authData"] == {platform: {"openid": openid}}
    assert user_of(api, join(api, {platform: {"code": "2"}}), 200).id == user.id
    assert [asked["authData"] for asked in verifier.asked] == [{"code": "1"}, {"code": "2"}]
    replacing(verifier, openid=unique("o"))
    assert user_of(api, join(api, {platform: {"code": "3"}})).id != user.id


@pytest.mark.parametrize("form", ["members", "dotted"])
def test_code_is_replaced_when_a_platform_is_linked(api, verifier, form):
    user, openid = sign_up(api), unique("o")
    replacing(verifier, openid=openid)
    data = {"code": "1"}
    fields = {"authData": {"lc_weapp": data}} if form == "members" else {"authData.lc_weapp": data}
    assert user.change(fields | {"city": "Lyon"}).status_code == 200
    assert (user.read()["authData"], user.read()["city"]) == ({"lc_weapp": {"openid": openid}}, "Lyon")


@pytest.mark.parametrize("body", [b"", b"ok", b"{}", b"[]", b'{"status":"ok"}'], ids=str)
def test_body_without_data_confirms_that_of_the_client(api, verifier, data, body):
    verifier.body = body
    assert user_of(api, join(api, data)).read()["authData"] == data


@pytest.mark.parametrize("body", [
    b'{"authData":5}', b'{"authData":null}', b'{"authData":{"a.b":1}}', b'{"authData":{"a":{"__op":"Delete"}}}',
    b"x" * (64 * 1024 + 1),
], ids=lambda body: str(body[:30]))
def test_body_with_data_that_cannot_be_stored_refuses(api, verifier, data, body):
    verifier.body = body
    assert_refused(join(api, data), 400, 251)


def test_code_without_a_replacement_is_no_identity(api, verifier):
    assert_refused(join(api, {"lc_weapp": {"code": "1"}}), 400, 250)


def test_body_of_a_refusal_replaces_nothing(api, verifier, data):
    replacing(verifier, uid=unique("id"))
    verifier.status = 403
    assert_refused(join(api, data), 400, 251)
