"""What ends tokens, what leaves them alone, and the two calls that give new ones."""

import pytest
from accounts import MISMATCH, NOT_ITSELF, PASSWORD, TOKEN, is_live, log_in, new_token, settings, sign_up, with_session
from client import assert_refused
from data import assert_400, send


@pytest.fixture
def ann(api):
    return sign_up(api, city="Lyon")


@pytest.fixture
def bob(api):
    return sign_up(api)


@pytest.mark.parametrize("body", [b"", b"{}", b"null"])
def test_refresh_ends_the_token_before(api, ann, body):
    response = send(ann.api, f"{ann.path}/refreshSessionToken", body, "PUT")
    assert (response.status_code, set(response.json())) == (200, {"objectId", "updatedAt", "sessionToken"})
    fresh = response.json()["sessionToken"]
    assert TOKEN.fullmatch(fresh)
    assert [is_live(api, token) for token in (fresh, ann.token)] == [True, False]
    assert new_token(api, ann) == fresh


@pytest.mark.parametrize("action, body", [
    ("refreshSessionToken", {}), ("updatePassword", {"old_password": PASSWORD, "new_password": "another"}),
])
@pytest.mark.parametrize("caller", ["another", "guest", "stale"])
def test_nobody_else_ends_the_tokens_of_a_user(api, ann, bob, action, body, caller):
    by = {"another": bob.api, "guest": api, "stale": with_session(api, "a" * 25)}[caller]
    response = by.call("PUT", f"{ann.path}/{action}", json=body)
    assert (response.status_code, response.json()) == (403, NOT_ITSELF)
    assert is_live(api, ann.token)
    assert log_in(api, username=ann.username).status_code == 200


def update_password(user, old, new):
    return user.api.call("PUT", f"{user.path}/updatePassword", json={"old_password": old, "new_password": new})


def test_new_password_replaces_the_old_one(api, ann):
    response = update_password(ann, PASSWORD, "another")
    assert (response.status_code, set(response.json())) == (200, {"objectId", "updatedAt", "sessionToken"})
    assert log_in(api, username=ann.username).json() == MISMATCH
    assert log_in(api, "another", username=ann.username).status_code == 200


@pytest.mark.smoke
def test_new_password_ends_the_token_before(api, ann):
    fresh = update_password(ann, PASSWORD, "another").json()["sessionToken"]
    assert [is_live(api, token) for token in (fresh, ann.token)] == [True, False]
    assert new_token(api, ann, "another") == fresh


def test_wrong_old_password_changes_nothing(api, ann):
    response = update_password(ann, "wrong", "another")
    assert (response.status_code, response.json()) == (400, MISMATCH)
    assert is_live(api, ann.token)
    assert log_in(api, username=ann.username).status_code == 200


@pytest.mark.few(2)
@pytest.mark.parametrize("body", [
    {}, {"old_password": PASSWORD}, {"new_password": "another"}, {"old_password": PASSWORD, "new_password": ""},
    {"old_password": PASSWORD, "new_password": None}, {"old_password": PASSWORD, "new_password": 5},
    {"old_password": None, "new_password": "another"}, {"old_password": {"$ne": ""}, "new_password": "another"},
], ids=str)
def test_change_without_both_passwords_is_refused(api, ann, body):
    assert_400(ann.api.call("PUT", f"{ann.path}/updatePassword", json=body))
    assert is_live(api, ann.token)
    assert log_in(api, username=ann.username).status_code == 200


@pytest.mark.parametrize("caller", ["itself", "master"])
def test_password_that_is_set_ends_the_token_of_all_devices(api, master, ann, caller):
    assert new_token(api, ann) == ann.token
    assert ann.change({"password": "another"}, by=master if caller == "master" else None).status_code == 200
    assert not is_live(api, ann.token)
    assert new_token(api, ann, "another") != ann.token


@pytest.mark.extended
@pytest.mark.parametrize("shared", [True, False], ids=["shared", "separate"])
def test_tokens_outlive_a_new_password_if_it_is_set_so(new_server, shared):
    options = settings(endSessionsOnPasswordChange=False, sharedSessionToken=shared)
    server = new_server(**options).start()
    api, master = server.api(), server.api(master=True)
    ann = sign_up(api)
    fresh = update_password(ann, PASSWORD, "second").json()["sessionToken"]
    assert set(ann.change({"password": "third"}).json()) == {"objectId", "updatedAt"}
    assert ann.change({"password": "fourth"}, by=master).status_code == 200
    assert is_live(api, ann.token) and is_live(api, fresh)
    tokens = {ann.token, fresh, new_token(api, ann, "fourth")}
    assert len(tokens) == (1 if shared else 3)


@pytest.mark.extended
def test_refresh_ends_tokens_even_then(new_server):
    server = new_server(**settings(endSessionsOnPasswordChange=False)).start()
    ann = sign_up(server.api())
    fresh = ann.api.call("PUT", f"{ann.path}/refreshSessionToken").json()["sessionToken"]
    assert [is_live(server.api(), token) for token in (fresh, ann.token)] == [True, False]


def test_tokens_end_with_their_user(api, master, ann, things):
    assert master.call("DELETE", ann.path).status_code == 200
    assert not is_live(api, ann.token)
    assert things.by(ann.api).create(n=1)


def test_tokens_of_others_go_on(api, ann, bob):
    assert update_password(ann, PASSWORD, "another").status_code == 200
    assert is_live(api, bob.token)


def test_the_operator_ends_the_sessions_of_one_user(api, master, ann, bob):
    response = master.call("DELETE", f"{ann.path}/sessions")
    assert (response.status_code, response.json()) == (200, {"ended": 1})
    assert [is_live(api, token) for token in (ann.token, bob.token)] == [False, True]
    assert log_in(api, username=ann.username).status_code == 200


def test_a_user_without_sessions_has_none_to_end(master, ann):
    assert master.call("DELETE", f"{ann.path}/sessions").json() == {"ended": 1}
    assert master.call("DELETE", f"{ann.path}/sessions").json() == {"ended": 0}


@pytest.mark.parametrize("id", ["0" * 24, "a'b"])
def test_sessions_of_an_unknown_user_do_not_end(master, id):
    assert_refused(master.call("DELETE", f"/1.1/users/{id}/sessions"), 400, 211)


@pytest.mark.parametrize("caller", ["itself", "another", "guest"])
def test_only_the_operator_ends_all_sessions(api, ann, bob, caller):
    by = {"itself": ann.api, "another": bob.api, "guest": api}[caller]
    assert_refused(by.call("DELETE", f"{ann.path}/sessions"), 403, 119)
    assert is_live(api, ann.token)
