"""An address makes as many users in an hour as accounts.maxSignUps says; logging in is no sign-up."""

import pytest
from accounts import PASSWORD, join, log_in, settings, sign_up, unique, user_of, with_session
from client import assert_refused
from identities import github

LIMIT = 3


@pytest.fixture
def few(new_server):
    """A server on which an address makes few users."""
    return new_server(**settings(maxSignUps=LIMIT)).start()


def fields(name=None):
    return {"username": name or unique(), "password": PASSWORD}


def test_address_makes_as_many_users_as_the_limit_says(few):
    api, data = few.api(), github()
    ann, bob = sign_up(api), user_of(api, join(api, data))
    # A taken name creates no user.
    assert_refused(api.post("/1.1/users", json=fields(ann.username)), 400, 202)
    answers = api.post("/1.1/batch", json={"requests": [
        {"method": "POST", "path": "/1.1/users", "body": fields()} for _ in range(3)
    ]}).json()
    assert ["success" in answer for answer in answers] == [True, False, False]
    assert {answer["error"]["code"] for answer in answers[1:]} == {429}
    for caller in (api, with_session(few.api(), ann.token)):
        for path in ("/1.1/users", "/1.1/classes/_User"):
            refused = caller.post(path, json=fields())
            assert_refused(refused, 429, 429, "accounts.maxSignUps")
            assert 60 < int(refused.headers["Retry-After"]) <= 3600 / LIMIT
    assert_refused(join(api, github()), 429, 429, "accounts.maxSignUps")
    # Who is there logs in, by password and by authData.
    assert log_in(api, username=ann.username).status_code == 200
    assert user_of(api, join(api, data), 200).id == bob.id
    assert few.api(master=True).post("/1.1/users", json=fields()).status_code == 201
    assert few.api().at("127.0.0.2").post("/1.1/users", json=fields()).status_code == 201
