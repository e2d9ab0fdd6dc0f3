"""The token that all log-ins of a user share: which devices have it, and what follows it when it ends."""

from pathlib import Path

import pytest
from accounts import (
    PASSWORD, SESSIONS, TOKEN, is_live, join, log_in, new_email, new_token, sessions, settings, sign_up, unique,
    user_of,
)
from client import ALPHA, BETA, App, yaml_of
from data import at_once, batch
from hashes import LEANCLOUD
from identities import github

SET = {"password": "another"}


@pytest.fixture
def ann(api):
    return sign_up(api, city="Lyon")


@pytest.fixture
def start(new_server):
    """Starts a server of the test's own, whose users have three sessions at most."""
    return lambda **options: new_server(**settings(maxSessions=3), **options).start()


def become(api, token):
    """What the JavaScript SDK does with a stored token; the user's id and token."""
    user = user_of(api, api.get("/1.1/users/me", params={"session_token": token}), 200)
    return user.id, user.token


# One token

def test_each_way_to_log_in_gives_the_same_token(api, master):
    data, email = github(), new_email()
    ann = sign_up(api, authData=data, email=email)
    answers = [
        log_in(api, username=ann.username), log_in(api, email=email), join(api, data),
        api.get("/1.1/login", params={"username": ann.username, "password": PASSWORD}),
        api.get("/1.1/users/me", params={"session_token": ann.token}),
    ]
    assert [user_of(api, answer, 200).token for answer in answers] == [ann.token] * 5
    assert len(sessions(master, ann)) == 1


def test_users_have_tokens_of_their_own(api, beta, ann):
    tokens = [ann.token, sign_up(api).token, sign_up(beta, username=ann.username).token]
    assert len(set(tokens)) == 3
    assert all(map(TOKEN.fullmatch, tokens))


@pytest.mark.extended
def test_no_number_of_log_ins_ends_the_token(start):
    server = start()
    ann = sign_up(server.api())
    assert {new_token(server.api(), ann) for _ in range(8)} == {ann.token}
    assert is_live(server.api(), ann.token)


@pytest.mark.extended
def test_log_ins_at_once_have_one_token_and_one_session(server, master, ann):
    session, = sessions(master, ann)
    assert master.call("DELETE", f"{SESSIONS}/{session['objectId']}").status_code == 200
    answers = at_once(lambda _: log_in(server.api(), username=ann.username), 16)
    token, = {user_of(server.api(), answer, 200).token for answer in answers}
    assert token != ann.token and is_live(server.api(), token)
    assert len(sessions(master, ann)) == 1


def test_imported_token_stays_valid_beside_the_shared_one(api, master):
    id, name, imported = unique("id"), unique(), unique("imported1")
    password, hash = LEANCLOUD[0]
    fields = {"objectId": id, "username": name, "sessionToken": imported}
    assert master.post("/1.1/users", json=fields | hash).status_code == 201
    user = user_of(api, log_in(api, password, username=name), 200)
    assert user.token != imported
    assert new_token(api, user, password) == user.token
    assert [is_live(api, token) for token in (imported, user.token)] == [True, True]
    assert len(sessions(master, user)) == 2
    assert user.api.call("PUT", f"{user.path}/refreshSessionToken").status_code == 200
    assert [is_live(api, token) for token in (imported, user.token)] == [False, False]


# Two devices

def test_refresh_on_one_device_ends_the_token_of_the_other(api):
    """As the JavaScript SDK: `logIn` twice, `refreshSessionToken` on one, `become` and `logIn` on the other."""
    name = sign_up(api).username
    phone, tablet = (user_of(api, log_in(api, username=name), 200) for _ in range(2))
    assert phone.token == tablet.token
    response = phone.api.call("PUT", f"{phone.path}/refreshSessionToken", json={})
    assert response.status_code == 200
    fresh = response.json()["sessionToken"]
    assert TOKEN.fullmatch(fresh) and fresh != tablet.token
    assert become(api, fresh) == (phone.id, fresh)
    assert not is_live(api, tablet.token)
    assert tablet.change({"city": "Oslo"}).json()["code"] == 206
    assert new_token(api, tablet) == fresh


def test_update_of_the_password_on_one_device_ends_the_token_of_the_other(api, ann):
    tablet = user_of(api, log_in(api, username=ann.username), 200)
    body = {"old_password": PASSWORD, "new_password": "another"}
    fresh = ann.api.call("PUT", f"{ann.path}/updatePassword", json=body).json()["sessionToken"]
    assert [is_live(api, token) for token in (fresh, tablet.token)] == [True, False]
    assert new_token(api, tablet, "another") == fresh


# A password that a PUT sets

def single(user):
    return user.change(SET).json()


def by_class(user):
    return user.api.call("PUT", f"/1.1/classes/_User/{user.id}", json=SET).json()


def in_batch(user):
    answer, = batch(user.api, {"method": "PUT", "path": user.path, "body": SET}).json()
    return answer["success"]


def in_save(user):
    item = {"method": "PUT", "path": user.path, "body": SET | {"__internalId": user.id}}
    return batch(user.api, item, path="/1.1/batch/save").json()[user.id]


@pytest.mark.few(2)
@pytest.mark.parametrize("put", [single, by_class, in_batch, in_save])
def test_password_that_the_user_sets_ends_the_token_and_returns_the_next(api, master, ann, put):
    answer = put(ann)
    assert set(answer) == {"objectId", "updatedAt", "sessionToken"}
    assert become(api, answer["sessionToken"]) == (ann.id, answer["sessionToken"])
    assert not is_live(api, ann.token)
    assert new_token(api, ann, "another") == answer["sessionToken"]
    assert len(sessions(master, ann)) == 1


def test_requests_of_a_batch_go_on_as_the_user_behind_a_new_password(api, ann):
    changes = SET, {"city": "Oslo"}, {"password": "third"}
    requests = [{"method": "PUT", "path": ann.path, "body": fields} for fields in changes]
    first, second, third = (answer["success"] for answer in batch(ann.api, *requests).json())
    assert "sessionToken" not in second
    assert [is_live(api, token) for token in (first["sessionToken"], third["sessionToken"])] == [False, True]
    assert ann.read(by=api)["city"] == "Oslo"


def test_password_that_the_master_key_sets_returns_no_token(api, master, ann):
    response = ann.change(SET, by=master)
    assert (response.status_code, set(response.json())) == (200, {"objectId", "updatedAt"})
    assert not is_live(api, ann.token)
    assert sessions(master, ann) == []
    token = new_token(api, ann, "another")
    assert token != ann.token and is_live(api, token)


def test_refused_password_ends_nothing(api, ann):
    assert ann.change({"password": ""}).status_code == 400
    assert ann.change(SET, where='{"city":"Oslo"}').json()["code"] == 305
    assert is_live(api, ann.token)
    assert new_token(api, ann) == ann.token


def test_change_of_another_field_leaves_the_token(api, ann):
    response = ann.change({"city": "Oslo", "email": new_email(), "username": unique()})
    assert (response.status_code, set(response.json())) == (200, {"objectId", "updatedAt"})
    assert is_live(api, ann.token)


# Restarts

@pytest.mark.extended
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_token_survives_a_restart(start, end):
    server = start()
    ann, bob = sign_up(server.api()), sign_up(server.api())
    fresh = bob.api.call("PUT", f"{bob.path}/refreshSessionToken").json()["sessionToken"]
    getattr(server, end)()
    server.start()
    assert [is_live(server.api(), token) for token in (ann.token, fresh, bob.token)] == [True, True, False]
    assert [new_token(server.api(), user) for user in (ann, bob)] == [ann.token, fresh]
    assert [len(sessions(server.api(master=True), user)) for user in (ann, bob)] == [1, 1]


@pytest.mark.extended
def test_another_master_key_gives_the_next_log_in_another_token(start):
    server = start()
    ann = sign_up(server.api())
    assert server.stop() == 0
    changed = App(ALPHA.id, ALPHA.key, "anotherMasterKey")
    Path(server.folder, "lcfile.yaml").write_text(yaml_of((changed, BETA)))
    server.start()
    assert is_live(server.api(), ann.token)
    token = new_token(server.api(), ann)
    assert token != ann.token
    assert new_token(server.api(), ann) == token
    assert [is_live(server.api(), live) for live in (ann.token, token)] == [True, True]
    assert len(sessions(server.api(changed, master=True), ann)) == 2
    assert ann.api.call("PUT", f"{ann.path}/refreshSessionToken").status_code == 200
    assert [is_live(server.api(), ended) for ended in (ann.token, token)] == [False, False]


@pytest.mark.extended
def test_tokens_stay_valid_when_the_setting_changes(start):
    server = start(**settings(sharedSessionToken=False))
    ann = sign_up(server.api())
    separate = [ann.token, new_token(server.api(), ann)]
    assert server.stop() == 0
    server.environment |= settings(sharedSessionToken=True)
    server.start()
    shared = new_token(server.api(), ann)
    assert shared not in separate
    assert new_token(server.api(), ann) == shared
    assert [is_live(server.api(), token) for token in (*separate, shared)] == [True] * 3
    assert server.stop() == 0
    server.environment |= settings(sharedSessionToken=False, maxSessions=4)
    server.start()
    again = new_token(server.api(), ann)
    assert again not in (*separate, shared)
    assert [is_live(server.api(), token) for token in (*separate, shared, again)] == [True] * 4
