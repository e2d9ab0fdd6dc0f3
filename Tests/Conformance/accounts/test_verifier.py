"""Whether third-party log-ins are true: the operator's verifier is asked."""

import socket

import pytest
from client import ALPHA, assert_refused, free_port
from verifying import Verifier

GITHUB = {"uid": "u1", "access_token": "t"}


@pytest.fixture
def verifier():
    verifier = Verifier()
    yield verifier
    verifier.close()


@pytest.fixture
def start(new_server):
    """Starts a server that asks an address."""

    def start(url, **settings):
        return new_server(LCFILE_ACCOUNTS_AUTH_DATA_VERIFIER=url, **settings).start().api()

    return start


def sign_up(api, data=GITHUB, platform="github"):
    return api.post("/1.1/users", json={"authData": {platform: data}})


@pytest.mark.extended
def test_verifier_is_asked_with_app_platform_and_data(start, verifier):
    assert sign_up(start(verifier.url)).status_code == 201
    assert verifier.asked == [{"app": ALPHA.id, "platform": "github", "authData": GITHUB}]


@pytest.mark.parametrize("status", [204, 301, 302, 400, 401, 403, 404, 500, 503])
def test_every_answer_but_200_refuses(verifying, status):
    verifier, server = verifying
    api, data = server.api(), GITHUB | {"uid": f"answered{status}"}
    verifier.anew().status = status
    assert_refused(sign_up(api, data), 400, 251, "github")
    verifier.status = 200
    assert sign_up(api, data).status_code == 201


def test_verifier_is_not_asked_for_a_change_of_another_user(verifying):
    verifier, server = verifying
    verifier.anew()
    api = server.api()
    user = sign_up(api, GITHUB | {"uid": "another"}).json()
    verifier.anew()
    platforms = {f"p{number}": {"uid": "x"} for number in range(100)}
    assert_refused(api.call("PUT", f"/1.1/users/{user['objectId']}", json={"authData": platforms}), 403, 206)
    assert verifier.asked == []


@pytest.mark.extended
def test_known_user_is_verified_again(start, verifier):
    api = start(verifier.url)
    assert sign_up(api).status_code == 201
    verifier.status = 403
    assert_refused(sign_up(api), 400, 251)


@pytest.mark.extended
def test_linking_is_verified(start, verifier):
    api = start(verifier.url)
    user = api.post("/1.1/users", json={"username": "ann", "password": "p4ss"}).json()
    verifier.status = 403
    for body in ({"authData": {"github": GITHUB}}, {"authData.github": GITHUB}):
        response = api.call(
            "PUT", f"/1.1/users/{user['objectId']}", json=body, headers={"X-LC-Session": user["sessionToken"]}
        )
        assert_refused(response, 400, 251)
    assert len(verifier.asked) == 2


@pytest.mark.extended
def test_batch_save_is_verified(start, verifier):
    api = start(verifier.url)
    verifier.status = 403
    request = {"method": "POST", "path": "/1.1/users", "body": {"__internalId": "a", "authData": {"github": GITHUB}}}
    assert_refused(api.post("/1.1/batch/save", json={"requests": [request]}), 400, 251)


@pytest.mark.extended
def test_anonymous_users_are_not_verified(start, verifier):
    assert sign_up(start(verifier.url), {"id": "a"}, "anonymous").status_code == 201
    assert verifier.asked == []


def test_verifier_that_is_down_refuses(start):
    assert_refused(sign_up(start(f"http://127.0.0.1:{free_port()}/")), 400, 251)


@pytest.mark.extended
def test_verifier_that_is_silent_refuses_in_time(start):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        assert_refused(sign_up(start(url, LCFILE_ACCOUNTS_AUTH_DATA_VERIFIER_TIMEOUT="1")), 400, 251)


def test_without_a_verifier_clients_are_believed(api):
    assert sign_up(api, {"uid": "believed"}).status_code == 201
