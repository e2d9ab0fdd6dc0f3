"""Tokens with `accounts.sharedSessionToken: false`: each log-in begins a session of its own, which ends by itself."""

import pytest
from accounts import (
    PASSWORD, SESSIONS, is_live, join, log_in, new_token, sessions, settings, sign_up, unique, user_of, with_session,
)
from client import Server
from data import at_once, batch, own
from hashes import BCRYPT, LEANCLOUD
from identities import KEYS, data_of
from sdk import SDK
from sdk_people import with_people

MAX = 8


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    options = settings(sharedSessionToken=False, maxSessions=MAX)
    server = Server(tmp_path_factory.mktemp("separate"), **options).start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def api(server):
    return server.api()


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture
def ann(api):
    return sign_up(api, city="Lyon")


@pytest.fixture
def other(api, ann):
    """The token of Ann's second device."""
    return new_token(api, ann)


# Log-ins

@pytest.mark.smoke
def test_each_log_in_gives_a_token_of_its_own(api, master, ann):
    tokens = {ann.token, *[new_token(api, ann) for _ in range(3)]}
    assert len(tokens) == 4
    assert all(is_live(api, token) for token in tokens)
    assert len(sessions(master, ann)) == 4


@pytest.mark.parametrize("platform", KEYS)
def test_known_identity_logs_in_with_a_token_of_its_own(api, platform):
    data = data_of(platform)
    first = user_of(api, join(api, data))
    second = user_of(api, join(api, data), 200)
    assert second.id == first.id and second.token != first.token
    assert is_live(api, first.token) and is_live(api, second.token)


@pytest.mark.extended
def test_each_log_in_of_the_python_sdk_has_a_token_of_its_own(server):
    sdk = SDK(server.url)
    try:
        for run in with_people(sdk.run):
            seen = run(
                """
                users = [person()]
                users += [log_in(users[0].get_username()) for _ in range(2)]
                valid = [user.is_authenticated() for user in users]
                say(tokens=len({user.session_token for user in users}), valid=valid)
                """
            )
            assert seen == {"tokens": 3, "valid": [True, True, True]}
    finally:
        sdk.close()


@pytest.mark.extended
def test_oldest_token_ends_when_there_are_too_many(api):
    bob, ann = sign_up(api), sign_up(api)
    tokens = [ann.token, *[new_token(api, ann) for _ in range(MAX + 1)]]
    assert [is_live(api, token) for token in tokens] == [False] * 2 + [True] * MAX
    assert is_live(api, bob.token)


def test_log_ins_at_once_keep_to_the_number_of_sessions(server, master, ann):
    tokens = [user_of(server.api(), answer, 200).token for answer in at_once(
        lambda _: log_in(server.api(), username=ann.username), 2 * MAX
    )]
    assert len(set(tokens)) == 2 * MAX
    assert sum(is_live(server.api(), token) for token in tokens) == MAX
    assert len(sessions(master, ann)) == MAX


@pytest.mark.parametrize("text, hash", [
    LEANCLOUD[0], (BCRYPT[0][0], {"bcryptPassword": BCRYPT[0][1]}),
], ids=["leancloud", "bcrypt"])
def test_log_ins_at_once_have_a_token_each_while_the_hash_is_replaced(server, master, text, hash):
    username = unique()
    assert master.post("/1.1/users", json={"username": username} | hash).status_code == 201
    answers = at_once(lambda _: log_in(server.api(), text, username=username), MAX)
    assert [answer.status_code for answer in answers] == [200] * MAX
    assert len({answer.json()["sessionToken"] for answer in answers}) == MAX


# Ends

@pytest.mark.parametrize("action, body", [
    ("refreshSessionToken", {}), ("updatePassword", {"old_password": PASSWORD, "new_password": "another"}),
])
def test_renewal_ends_all_other_tokens(api, ann, other, action, body):
    fresh = ann.api.call("PUT", f"{ann.path}/{action}", json=body).json()["sessionToken"]
    assert [is_live(api, token) for token in (fresh, ann.token, other)] == [True, False, False]


def test_refreshes_at_once_leave_one_token(server, api, ann):
    tokens = [ann.token, *[new_token(api, ann) for _ in range(MAX - 1)]]

    def refresh(number):
        return server.api().call(
            "PUT", f"{ann.path}/refreshSessionToken", headers={"X-LC-Session": tokens[number]}
        ).json().get("sessionToken")

    fresh = [token for token in at_once(refresh, MAX) if token]
    assert [is_live(api, token) for token in tokens] == [False] * MAX
    assert sum(is_live(api, token) for token in fresh) == 1


def assert_renewed(api, ann, other, answer):
    assert set(answer) == {"objectId", "updatedAt", "sessionToken"}
    assert [is_live(api, token) for token in (answer["sessionToken"], ann.token, other)] == [True, False, False]


def test_password_that_the_user_sets_ends_all_tokens_and_returns_the_next(api, ann, other):
    assert_renewed(api, ann, other, ann.change({"password": "another"}).json())


def test_password_that_the_user_sets_in_a_batch_ends_all_tokens_and_returns_the_next(api, ann, other):
    answer, = batch(ann.api, {"method": "PUT", "path": ann.path, "body": {"password": "another"}}).json()
    assert_renewed(api, ann, other, answer["success"])


@pytest.mark.parametrize("flag", ["new", "fetchWhenSave"])
def test_answer_to_a_new_password_with_other_fields_shows_the_token(api, ann, flag):
    response = ann.change({"city": "Oslo", "password": "another"}, **{flag: "true"})
    answer = own(response.json())
    assert (response.status_code, set(answer)) == (200, {"city", "sessionToken"})
    assert is_live(api, answer["sessionToken"])


def test_password_that_the_master_key_sets_ends_all_tokens(api, master, ann, other):
    assert ann.change({"password": "another"}, by=master).status_code == 200
    assert [is_live(api, token) for token in (ann.token, other)] == [False, False]


def test_the_master_key_ends_all_sessions_of_a_user(api, master, ann, other):
    assert master.call("DELETE", f"{ann.path}/sessions").json() == {"ended": 2}
    assert [is_live(api, token) for token in (ann.token, other)] == [False, False]
    assert sessions(master, ann) == []


def test_name_and_password_of_an_anonymous_user_return_the_next_token(api):
    anonymous = user_of(api, join(api, data_of("anonymous")))
    token = anonymous.change({"username": unique(), "password": PASSWORD}).json()["sessionToken"]
    assert [is_live(api, known) for known in (token, anonymous.token)] == [True, False]
    assert anonymous.read(with_session(api, token))["authData"] == {}


# Sessions

def test_master_key_lists_a_session_for_each_log_in(master, ann, other):
    found = sessions(master, ann)
    assert len({session["objectId"] for session in found}) == 2
    assert ann.token not in str(found) and other not in str(found)


def test_master_key_ends_the_session_of_one_device(api, master, ann):
    session, = sessions(master, ann)
    other = new_token(api, ann)
    assert master.call("DELETE", f"{SESSIONS}/{session['objectId']}").status_code == 200
    assert [is_live(api, token) for token in (ann.token, other)] == [False, True]
