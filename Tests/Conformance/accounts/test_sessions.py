"""Tokens of sessions: who they stand for, and what of them is kept."""

import json

import pytest
import requests
from accounts import NO_USER, NOT_ITSELF, PASSWORD, is_live, log_in, new_token, settings, sign_up, unique, with_session
from client import ALPHA, TIMEOUT, assert_refused
from data import batch
from request_log import log_so_far


@pytest.fixture
def ann(api):
    return sign_up(api, city="Lyon")


@pytest.fixture
def bob(api):
    return sign_up(api)


@pytest.mark.smoke
def test_each_log_in_gives_the_same_token(api, ann):
    assert [new_token(api, ann) for _ in range(3)] == [ann.token] * 3
    assert is_live(api, ann.token)


def test_client_does_not_choose_the_token_of_a_log_in(api, ann):
    chosen = "chosen0" * 3 + "abcd"
    response = with_session(api, chosen).post("/1.1/login", json={
        "username": ann.username, "password": PASSWORD, "sessionToken": chosen, "session_token": chosen,
    })
    assert response.json().get("sessionToken") != chosen
    assert not is_live(api, chosen)


@pytest.mark.parametrize("name", ["X-LC-Session", "X-AVOSCloud-Session-Token", "X-Uluru-Session-Token"])
def test_me_is_the_user_of_the_header(api, ann, name):
    response = api.get("/1.1/users/me", headers={name: ann.token})
    assert (response.status_code, response.json()) == (200, ann.read() | {"sessionToken": ann.token})


def test_me_is_the_user_of_the_parameter(api, ann):
    response = api.get("/1.1/users/me", params={"session_token": ann.token})
    assert (response.status_code, response.json()) == (200, ann.read() | {"sessionToken": ann.token})


def test_parameter_logs_nobody_in_elsewhere(api, ann):
    response = api.call("PUT", ann.path, params={"session_token": ann.token}, json={"city": "Oslo"})
    assert (response.status_code, response.json()) == (403, NOT_ITSELF)


def test_field_of_the_tunnel_logs_in_through_the_tunnel_alone(api, ann):
    body = {"_method": "PUT", "_ApplicationId": ALPHA.id, "_ApplicationKey": ALPHA.key, "_SessionToken": ann.token}
    tunnelled = requests.post(
        api.server.url + ann.path, data=json.dumps(body | {"city": "Oslo"}), headers={"Content-Type": "text/plain"},
        timeout=TIMEOUT,
    )
    assert tunnelled.status_code == 200, tunnelled.text
    smuggled = api.call("PUT", ann.path, json={"_SessionToken": ann.token, "city": "Rome"})
    assert smuggled.status_code == 403
    assert ann.read()["city"] == "Oslo"


STALE = {
    "unknown": lambda ann: "a" * 25,
    "upper case": lambda ann: ann.token.upper(),
    "shorter": lambda ann: ann.token[:-1],
    "longer": lambda ann: ann.token + "a",
    "id": lambda ann: ann.id,
    "condition": lambda ann: '{"$ne":null}',
    "SQL": lambda ann: "' OR 1=1 --",
    "percent": lambda ann: "%" * 25,
    "long": lambda ann: "a" * 4000,
    "empty": lambda ann: "",
}


@pytest.fixture(params=STALE)
def stale(request, api, ann):
    return with_session(api, STALE[request.param](ann))


@pytest.mark.few(2)
@pytest.mark.parametrize("place", ["header", "parameter"])
def test_stale_token_is_not_me(api, ann, stale, place):
    token = stale.headers["X-LC-Session"]
    response = stale.get("/1.1/users/me") if place == "header" else api.get("/1.1/users/me", params={"session_token": token})
    assert (response.status_code, response.json()) == (400, NO_USER)


def test_nobody_is_not_me(api, master):
    for caller in (api, master):
        response = caller.get("/1.1/users/me")
        assert (response.status_code, response.json()) == (400, NO_USER)


@pytest.mark.few(2)
def test_stale_token_fails_no_request_that_is_open(stale, things):
    things = things.by(stale)
    id = things.create(n=1)
    assert things.update(id, {"n": 2})
    assert things.read(id) == {"n": 2}
    assert id in things.ids()
    assert sign_up(stale).id


def test_stale_token_is_nobody_where_somebody_is_needed(ann, stale):
    response = stale.call("PUT", ann.path, json={"city": "Oslo"})
    assert (response.status_code, response.json()) == (403, NOT_ITSELF)
    assert_refused(stale.get("/1.1/users"), 403, 403, "Forbidden to find by class '_User' permissions.")


def test_token_of_one_app_is_unknown_to_another(ann, beta):
    response = beta.get("/1.1/users/me", headers={"X-LC-Session": ann.token})
    assert (response.status_code, response.json()) == (400, NO_USER)


def test_requests_of_a_batch_are_of_its_session(ann, api):
    found, = batch(ann.api, {"method": "GET", "path": "/1.1/users"}).json()
    assert found == {"success": {"results": [ann.read()]}}


@pytest.mark.parametrize("caller", ["user", "stale", "guest"])
def test_log_out_ends_nothing(api, ann, caller):
    by = {"user": ann.api, "stale": with_session(api, "a" * 25), "guest": api}[caller]
    response = by.post("/1.1/logout")
    assert (response.status_code, response.json()) == (200, {})
    assert is_live(api, ann.token)


# What is kept

def database(server):
    """All bytes of the app's database, those not yet in their place among them."""
    files = (server.storage / ALPHA.id).glob("lcfile.sqlite*")
    return b"".join(path.read_bytes() for path in files if not path.name.endswith("-shm"))


@pytest.mark.sqlite
def test_database_holds_neither_tokens_nor_passwords(server, api):
    password = unique("password")
    ann = sign_up(api, password=password)
    tokens = [ann.token, ann.api.call("PUT", f"{ann.path}/refreshSessionToken").json()["sessionToken"]]
    assert new_token(api, ann, password) == tokens[1]
    kept = database(server)
    assert ann.username.encode() in kept
    assert [secret.encode() in kept for secret in tokens] == [False, False]


@pytest.mark.sqlite
def test_database_does_not_hold_a_password(server, api):
    password = unique("password")
    ann = sign_up(api, password=password)
    assert log_in(api, password, username=ann.username).status_code == 200
    kept = database(server)
    assert ann.username.encode() in kept
    assert password.encode() not in kept


def test_log_holds_neither_tokens_nor_passwords(server, api):
    password = unique("password")
    ann = sign_up(api, password=password)
    assert api.get("/1.1/login", params={"username": ann.username, "password": password}).status_code == 200
    assert api.get("/1.1/users/me", params={"session_token": ann.token}).status_code == 200
    log = log_so_far(server)
    assert "/1.1/users/me" in log
    assert [secret in log for secret in (password, ann.token)] == [False, False]


@pytest.mark.extended
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_separate_sessions_outlive_the_server(new_server, end):
    server = new_server(**settings(sharedSessionToken=False)).start()
    ann = sign_up(server.api())
    tokens = [ann.token, new_token(server.api(), ann)]
    assert len(set(tokens)) == 2
    getattr(server, end)()
    server.start()
    assert [is_live(server.api(), token) for token in tokens] == [True, True]
    assert log_in(server.api(), username=ann.username).status_code == 200
