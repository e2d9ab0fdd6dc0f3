"""What happens to one user, or one identity, from several sides at the same time."""

import threading

import pytest
from accounts import (
    PASSWORD, is_live, join, log_in, new_token, sessions, settings, sign_up, unique, user_of, with_session,
)
from client import Server
from data import at_once
from identities import app

OLD = "old password"
# Takes long enough to compare that other requests come in between.
SLOW = "$2b$12$CCCCCCCCCCCCCCCCCCCCC.2VcR7hQzk2L.dpbOZi1IcuzBLDE058a"
ROUNDS = range(4)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server that compares one password after the other."""
    server = Server(tmp_path_factory.mktemp("races"), **settings(passwordThreads=1)).start()
    yield server
    assert server.stop() == 0


@pytest.fixture
def slow(own):
    """A user whose password takes long to compare."""
    fields = {"username": unique(), "bcryptPassword": SLOW}
    return user_of(own.api(), own.api(master=True).post("/1.1/users", json=fields))


def during_log_in(server, user, call):
    """Calls while the user logs in; returns the answers to the log-in and to the call."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(log_in(server.api(), OLD, username=user.username)))
    thread.start()
    other = call()
    thread.join()
    return answers[0], other


@pytest.mark.few(1)
@pytest.mark.parametrize("_", ROUNDS)
def test_replaced_hash_does_not_undo_a_new_password(own, slow, _):
    _, changed = during_log_in(own, slow, lambda: slow.change({"password": PASSWORD}, by=own.api(master=True)))
    assert changed.status_code == 200
    assert log_in(own.api(), username=slow.username).status_code == 200
    assert log_in(own.api(), OLD, username=slow.username).json()["code"] == 210


@pytest.mark.few(1)
@pytest.mark.parametrize("_", ROUNDS)
def test_old_password_gives_no_token_that_outlives_it(own, slow, _):
    logged_in, changed = during_log_in(own, slow, lambda: slow.change({"password": PASSWORD}, by=own.api(master=True)))
    assert changed.status_code == 200
    assert not is_live(own.api(), logged_in.json().get("sessionToken", slow.token))
    assert sessions(own.api(master=True), slow) == []


@pytest.mark.few(1)
@pytest.mark.parametrize("_", ROUNDS)
def test_user_that_is_deleted_meanwhile_leaves_no_session(own, slow, _):
    logged_in, deleted = during_log_in(own, slow, lambda: own.api(master=True).call("DELETE", slow.path))
    assert deleted.status_code == 200
    assert not is_live(own.api(), logged_in.json().get("sessionToken", slow.token))
    assert sessions(own.api(master=True), slow) == []


def test_identity_is_linked_to_one_of_several(server):
    users, data = [sign_up(server.api()) for _ in range(8)], {"github": {"uid": unique("id")}}
    answers = at_once(lambda number: users[number].change({"authData": data}).json(), 8)
    assert sorted(answer.get("code", 0) for answer in answers) == [0] + [137] * 7
    owner, = (user.id for user in users if "authData" in user.read())
    assert user_of(server.api(), join(server.api(), data), 200).id == owner


def test_union_of_several_at_once_is_of_one_user(server):
    union = unique("union")
    answers = at_once(lambda number: join(server.api(), app("wxapp1", union, True)), 8)
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert len({answer.json()["objectId"] for answer in answers}) == 1


def test_refreshes_at_once_leave_one_token(server, api):
    user = sign_up(api)

    def refresh(_):
        caller = with_session(server.api(), user.token)
        return caller.call("PUT", f"{user.path}/refreshSessionToken").json().get("sessionToken")

    fresh = [token for token in at_once(refresh, 8) if token]
    assert not is_live(api, user.token)
    live, = (token for token in fresh if is_live(api, token))
    assert new_token(api, user) == live
