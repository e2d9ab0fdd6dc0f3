"""What the operator's verifier is told of unions, and questions that it is spared."""

import pytest
from accounts import join, sign_up, unique, user_of
from batches import save
from client import ALPHA, assert_refused
from data import batch
from identities import ENTRY, app, github, nobody

MANY = 101


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
def union():
    return unique("union")


def question(data, **more):
    (platform, values), = data.items()
    return {"app": ALPHA.id, "platform": platform, "authData": values} | more


# Unions

@pytest.mark.parametrize("main", [True, False, None])
def test_verifier_is_told_the_union_at_a_log_in(api, verifier, union, main):
    data = app("wxapp1", union, main)
    assert join(api, data).status_code == 201
    assert verifier.asked == [question(data, union=f"{ENTRY}:{union}")]


def test_verifier_is_told_the_union_of_a_platform_that_is_linked(api, verifier, union):
    data = app("wxapp1", union, True)
    assert sign_up(api).change({"authData": data}).status_code == 200
    assert verifier.asked == [question(data, union=f"{ENTRY}:{union}")]


@pytest.mark.parametrize("missing", ["platform", "unionid"])
def test_verifier_is_told_no_union_where_none_is_claimed(api, verifier, union, missing):
    data = app("wxapp1", union, True)
    del data["wxapp1"][missing]
    assert join(api, data).status_code == 201
    assert verifier.asked == [question(data)]


@pytest.fixture
def ann(own, api, union):
    """A user of a main app, created with the master key."""
    return user_of(api, join(own.api(master=True), app("wxapp1", union, True)))


@pytest.mark.parametrize("main", [True, False, None])
def test_anonymous_data_is_no_way_around_the_verifier(api, verifier, ann, union, main):
    verifier.status = 403
    assert user_of(api, join(api, nobody(union, main))).id != ann.id
    assert verifier.asked == []
    assert "anonymous" not in ann.read()["authData"]


def test_anonymous_data_claims_no_union_from_the_verifier(api, verifier, union):
    evil = user_of(api, join(api, nobody(union, True)))
    assert ENTRY not in evil.read()["authData"]
    assert user_of(api, join(api, app("wxapp1", union, True))).id != evil.id


# What is sent back

def test_platform_that_is_sent_back_unchanged_is_not_asked(api, verifier):
    data, more = github(access_token="t"), {"weixin": {"openid": unique("o")}}
    user = user_of(api, join(api, data))
    verifier.asked.clear()
    assert user.change({"authData": user.read()["authData"] | more}).status_code == 200
    assert verifier.asked == [question(more)]
    assert user.read()["authData"] == data | more


def test_platform_that_is_sent_back_changed_is_asked(api, verifier):
    data = github(access_token="t")
    user = user_of(api, join(api, data))
    verifier.asked.clear()
    verifier.status = 403
    fresh = {"github": data["github"] | {"access_token": "other"}}
    assert_refused(user.change({"authData": fresh}), 400, 251)
    assert verifier.asked == [question(fresh)]
    assert user.read()["authData"] == data


def test_platform_of_another_user_is_asked_though_that_one_has_it(api, verifier):
    data = github(access_token="t")
    user_of(api, join(api, data))
    bob = sign_up(api)
    verifier.asked.clear()
    verifier.status = 403
    assert_refused(bob.change({"authData": data}), 400, 251)
    assert verifier.asked == [question(data)]


# Too many platforms

CALLS = {
    "sign-up": lambda user, data: join(user.api, data),
    "change": lambda user, data: user.change({"authData": data}),
    "save": lambda user, data: save(
        user.api, {"method": "PUT", "path": user.path, "body": {"__internalId": user.id, "authData": data}}
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_verifier_is_asked_for_none_of_too_many(api, verifier, call):
    user = sign_up(api)
    assert_refused(CALLS[call](user, {f"p{n}": {"uid": unique()} for n in range(MANY)}), 400, 1, "100")
    assert verifier.asked == []


def test_verifier_is_asked_for_none_of_too_many_in_a_batch(api, verifier):
    user, data = sign_up(api), {f"p{n}": {"uid": unique()} for n in range(MANY)}
    items = batch(
        user.api, {"method": "POST", "path": "/1.1/users", "body": {"authData": data}},
        {"method": "PUT", "path": user.path, "body": {"authData": data}},
    ).json()
    assert [item["error"]["code"] for item in items] == [1, 1]
    assert verifier.asked == []


@pytest.mark.few(2)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("value", [{"uid": "1"}, None], ids=["set", "null"])
def test_flood_of_platforms_is_refused_before_anybody_is_asked(api, verifier, value, call):
    user, data = sign_up(api), {f"p{n}": value for n in range(20_000)}
    assert_refused(CALLS[call](user, data), 400, 1, "100")
    assert verifier.asked == []


def test_hundred_platforms_are_taken_and_no_more(own, verifier):
    master, data = own.api(master=True), {f"p{n}": {"uid": unique()} for n in range(MANY - 1)}
    user = user_of(own.api(), join(master, data))
    assert_refused(user.change({"authData": github()}), 400, 1, "100")
    assert user.read()["authData"] == data
