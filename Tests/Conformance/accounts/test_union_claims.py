"""Unions that a user cannot claim: with an anonymous identity, and after its platform was unlinked."""

import pytest
from accounts import join, sign_up, unique, user_of
from data import DELETE
from identities import ENTRY, app, github, nobody


@pytest.fixture
def union():
    return unique("union")


@pytest.fixture
def ann(api, union):
    """A user of the main app."""
    return user_of(api, join(api, app("wxapp1", union, True)))


@pytest.mark.parametrize("main", [True, "true", False, None])
def test_anonymous_data_does_not_log_in_as_the_owner_of_a_union(api, ann, union, main):
    data = nobody(union, main)
    other = user_of(api, join(api, data))
    assert other.id != ann.id
    assert "anonymous" not in ann.read()["authData"]
    assert user_of(api, join(api, data), 200).id == other.id


def test_anonymous_data_beside_a_platform_does_not_log_in_as_the_owner_of_a_union(api, ann, union):
    assert user_of(api, join(api, nobody(union, True) | github())).id != ann.id
    assert user_of(api, join(api, app("wxapp2", union, False)), 200).id == ann.id


def test_anonymous_data_logs_in_only_where_it_is_known(api, ann, union):
    response = join(api, nobody(union, False), failOnNotExist="true")
    assert (response.status_code, response.json()["code"]) == (400, 211)


def test_anonymous_sign_up_claims_no_union(api, union):
    data = nobody(union, True)
    response = join(api, data)
    evil = user_of(api, response)
    assert response.json()["authData"] == data
    assert user_of(api, join(api, app("wxapp1", union, True))).id != evil.id
    assert user_of(api, join(api, data), 200).id == evil.id
    assert ENTRY not in evil.read()["authData"]


@pytest.mark.parametrize("form", ["members", "dotted"])
def test_linked_anonymous_data_claims_no_union(api, union, form):
    evil, data = sign_up(api), nobody(union, True)
    fields = {"authData": data} if form == "members" else {"authData.anonymous": data["anonymous"]}
    assert evil.change(fields).status_code == 200
    assert ENTRY not in evil.read()["authData"]
    assert user_of(api, join(api, app("wxapp1", union, True))).id != evil.id


# After the main app was taken away

FORMS = {
    "Delete": {"authData.wxapp1": DELETE}, "null": {"authData": {"wxapp1": None}},
}


@pytest.fixture(params=FORMS)
def left(request, ann):
    """The user without its main app, but with an app of another union of the platform."""
    assert ann.change({"authData": app("wxapp3", unique("union"), False)}).status_code == 200
    assert ann.change(FORMS[request.param]).status_code == 200
    return ann


@pytest.mark.parametrize("main", [True, False])
def test_union_that_was_left_does_not_lead_to_the_user(api, left, union, main):
    assert user_of(api, join(api, app("wxapp2", union, main))).id != left.id


def test_union_that_was_left_is_no_more_shown(left):
    assert set(left.read()["authData"]) == {"wxapp3"}


def test_union_that_was_left_is_free(api, left, union):
    bob = sign_up(api)
    assert bob.change({"authData": app("wxapp2", union, True)}).status_code == 200
    assert user_of(api, join(api, app("wxapp4", union, False)), 200).id == bob.id


def test_union_lives_while_one_of_its_apps_is_linked(api, ann, union):
    assert user_of(api, join(api, app("wxapp2", union, False)), 200).id == ann.id
    assert ann.change({"authData.wxapp1": DELETE}).status_code == 200
    assert user_of(api, join(api, app("wxapp4", union, False)), 200).id == ann.id
