"""Users: sign-up, which fields each caller sees, changing and deleting."""

import json
import re

import pytest
from accounts import (
    NO_USER, NOT_ITSELF, PASSWORD, TOKEN, is_live, log_in, new_email, new_phone, settings, sign_up, unique, user_of,
    with_session,
)
from client import assert_refused
from data import ID, MISSING, Objects, batch, describe, own

PATHS = ["/1.1/users", "/1.1/classes/_User"]


@pytest.fixture(params=PATHS)
def path(request):
    return request.param


@pytest.fixture
def ann(api):
    return sign_up(api, email=new_email(), city="Lyon")


@pytest.fixture(scope="module")
def bob(api):
    return sign_up(api)


@pytest.fixture
def callers(api, master, ann, bob):
    """All kinds of callers that read Ann."""
    return {
        "herself": ann.api, "another": bob.api, "guest": api, "stale": with_session(api, "a" * 25), "master": master,
    }


OTHERS = ["another", "guest", "stale"]


# Signing up

def test_sign_up_answers_with_the_user_and_its_token(api, path):
    fields = {"username": unique(), "email": new_email(), "mobilePhoneNumber": new_phone(), "city": "Lyon"}
    response = api.post(path, json=fields | {"password": PASSWORD})
    body = response.json()
    id, token, created = (body.pop(name) for name in ("objectId", "sessionToken", "createdAt"))
    assert response.status_code == 201
    assert ID.fullmatch(id) and TOKEN.fullmatch(token)
    assert body == fields | {"emailVerified": False, "mobilePhoneVerified": False, "updatedAt": created}


def test_sign_up_tells_the_location(api, path):
    response = api.post(path, json={"username": unique(), "password": PASSWORD})
    assert response.headers["Location"] == f"/1.1/classes/_User/{response.json()['objectId']}"


@pytest.mark.parametrize("flag", ["new", "fetchWhenSave"])
def test_sign_up_with_the_flag_is_answered_alike(api, path, flag):
    response = api.post(path, json={"username": unique(), "password": PASSWORD, "n": 1}, params={flag: "true"})
    user = user_of(api, response)
    assert response.json() == user.read() | {"sessionToken": user.token}


@pytest.mark.parametrize("field, make", [("email", new_email), ("mobilePhoneNumber", new_phone)])
def test_user_without_a_name_gets_one(api, path, field, make):
    user = user_of(api, api.post(path, json={field: make(), "password": PASSWORD}))
    assert re.fullmatch("[A-Za-z0-9]{25}", user.username)
    assert user_of(api, log_in(api, username=user.username), 200).id == user.id


@pytest.mark.parametrize("caller", ["another", "stale", "master"])
def test_whoever_signs_somebody_up_gets_the_new_user(callers, bob, caller):
    new = sign_up(callers[caller])
    assert new.id != bob.id
    assert new.api.get("/1.1/users/me").json()["objectId"] == new.id


# Reading

@pytest.mark.parametrize("caller", ["herself", *OTHERS, "master"])
def test_user_is_read_without_its_secrets(callers, ann, path, caller):
    body = callers[caller].get(f"{path}/{ann.id}").json()
    assert set(body) == {
        "objectId", "createdAt", "updatedAt", "username", "email", "emailVerified", "mobilePhoneVerified", "city",
    }


@pytest.mark.parametrize("caller", ["herself", "master"])
def test_user_in_a_list_is_the_user_of_a_get(callers, ann, path, caller):
    found = callers[caller].get(path, params={"where": json.dumps({"objectId": ann.id})})
    assert found.json() == {"results": [ann.read()]}


@pytest.mark.parametrize("field", ["password", "salt", "sessionToken", "bcryptPassword"])
@pytest.mark.parametrize("caller", ["herself", "master"])
def test_keys_do_not_show_secrets(callers, ann, field, caller):
    response = callers[caller].get(ann.path, params={"keys": field})
    assert field not in response.json()


@pytest.mark.parametrize("field", ["password", "salt", "sessionToken", "bcryptPassword"])
def test_conditions_do_not_see_secrets(ann, path, field):
    response = ann.api.get(path, params={"where": json.dumps({field: {"$exists": True}})})
    assert response.json().get("results", []) == []


def test_logged_in_user_finds_itself_alone(ann, bob, path):
    assert ann.api.get(f"{path}?count=1").json() == {"results": [ann.read()], "count": 1}


@pytest.mark.smoke
def test_strict_query_is_a_query(ann, bob, api):
    assert ann.api.get("/1.1/users/strictlyQuery").json() == {"results": [ann.read()]}
    response = api.get("/1.1/users/strictlyQuery")
    assert_refused(response, 403, 403, "Forbidden to find by class '_User' permissions.")


@pytest.mark.few(2)
@pytest.mark.parametrize("caller", ["herself", "guest", "master"])
def test_missing_user_is_211(callers, path, caller):
    response = callers[caller].get(f"{path}/{MISSING}")
    assert (response.status_code, response.json()) == (400, NO_USER)


def test_missing_user_in_a_batch_is_211(api, path):
    assert batch(api, {"method": "GET", "path": f"{path}/{MISSING}"}).json() == [{"error": NO_USER}]


@pytest.mark.extended
def test_hidden_email_is_shown_to_the_master_key_alone(new_server):
    server = new_server().start()
    api, master = server.api(), server.api(master=True)
    user = sign_up(api, email=new_email())
    describe(master, Objects(api, "_User"), "email", hidden=True)
    assert ["email" in user.read(by=caller) for caller in (api, user.api, master)] == [False, False, True]


# Changing and deleting

@pytest.mark.parametrize("caller", ["herself", "master"])
def test_change_answers_with_id_and_time(callers, ann, path, caller):
    response = callers[caller].call("PUT", f"{path}/{ann.id}", json={"city": "Oslo"})
    assert (response.status_code, set(response.json())) == (200, {"objectId", "updatedAt"})
    assert ann.read()["city"] == "Oslo"


@pytest.mark.parametrize("flag", ["new", "fetchWhenSave"])
def test_change_with_the_flag_answers_with_what_it_touched(ann, flag):
    response = ann.change({"city": "Oslo"}, **{flag: "true"})
    assert own(response.json()) == {"city": "Oslo"}


@pytest.mark.parametrize("flag", ["new", "fetchWhenSave"])
def test_change_of_the_password_with_the_flag_answers_with_the_new_token_as_well(ann, flag):
    body = ann.change({"city": "Oslo", "password": "another"}, **{flag: "true"}).json()
    token = body.pop("sessionToken")
    assert own(body) == {"city": "Oslo"}
    assert token != ann.token and is_live(ann.api, token)


@pytest.mark.parametrize("caller", OTHERS)
def test_nobody_else_changes_a_user(callers, ann, path, caller):
    before = ann.read()
    response = callers[caller].call("PUT", f"{path}/{ann.id}", json={"city": "Oslo", "password": "another"})
    assert (response.status_code, response.json()) == (403, NOT_ITSELF)
    assert ann.read() == before
    assert log_in(ann.api, username=ann.username).status_code == 200


@pytest.mark.parametrize("caller", OTHERS)
def test_nobody_else_deletes_a_user(callers, ann, path, caller):
    response = callers[caller].call("DELETE", f"{path}/{ann.id}")
    assert (response.status_code, response.json()) == (403, NOT_ITSELF)
    assert is_live(ann.api, ann.token)


@pytest.mark.few(2)
@pytest.mark.parametrize("caller", ["herself", "master"])
def test_deleted_user_is_gone(callers, ann, path, caller):
    response = callers[caller].call("DELETE", f"{path}/{ann.id}")
    assert (response.status_code, response.json()) == (200, {})
    for gone in (callers["guest"].get(ann.path), log_in(callers["guest"], username=ann.username)):
        assert (gone.status_code, gone.json()) == (400, NO_USER)


def test_user_does_not_take_others_along(ann, bob, path):
    response = ann.api.call("DELETE", f"{path}/{ann.id},{bob.id}")
    assert (response.status_code, response.json()) == (403, NOT_ITSELF)
    assert is_live(bob.api, bob.token)


@pytest.mark.parametrize("caller, code", [("another", 206), ("master", 1)])
def test_change_of_a_missing_user(callers, path, caller, code):
    response = callers[caller].call("PUT", f"{path}/{MISSING}", json={"city": "Oslo"})
    assert_refused(response, 403 if code == 206 else 400, code)


def test_change_under_a_condition(ann):
    assert_refused(ann.change({"n": 1}, where='{"city":"Oslo"}'), 400, 305)
    assert ann.change({"n": 1}, where='{"city":"Lyon"}').status_code == 200
