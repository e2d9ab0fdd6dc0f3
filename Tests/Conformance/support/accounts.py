"""Users that tests sign up, and their calls with a session."""

import json
import re
import uuid
from dataclasses import dataclass

from client import ALPHA, API
from data import pointer

PASSWORD = "correct horse"
TOKEN = re.compile(r"[a-z0-9]{25}")
NO_USER = {"code": 211, "error": "Could not find user."}
MISMATCH = {"code": 210, "error": "The username and password mismatch."}
TAKEN = {"code": 202, "error": "Username has already been taken."}
NOT_ITSELF = {"code": 206, "error": "The user cannot be altered by a client without the session."}


def unique(word="user"):
    return f"{word}{uuid.uuid4().hex[:16]}"


def new_email():
    return f"{unique()}@example.org"


def new_phone(start="+1"):
    return f"{start}{uuid.uuid4().int % 10**10:010}"


def settings(**accounts):
    """The environment of settings of accounts: maxFailures=3 is accounts.maxFailures."""
    words = {name: re.sub("([A-Z])", r"_\1", name).upper() for name in accounts}
    return {f"LCFILE_ACCOUNTS_{words[name]}": str(value).lower() for name, value in accounts.items()}


def with_session(api, token):
    """The same caller under a session token."""
    caller = API(api.server, ALPHA, {})
    caller.headers = api.headers | {"X-LC-Session": token}
    return caller


@dataclass(frozen=True)
class User:
    """A user with a session."""

    id: str
    token: str
    username: str
    api: API

    @property
    def path(self):
        return f"/1.1/users/{self.id}"

    @property
    def pointer(self):
        return pointer("_User", self.id)

    def change(self, fields, by=None, **query):
        return (by or self.api).call("PUT", self.path, json=fields, params=query)

    def read(self, by=None):
        """The user, as seen by itself or by another caller."""
        response = (by or self.api).get(self.path)
        assert response.status_code == 200, response.text
        return response.json()


def user_of(api, response, status=201):
    """The user of an answer that must bring a token."""
    assert response.status_code == status, response.text
    body = response.json()
    return User(body["objectId"], body["sessionToken"], body["username"], with_session(api, body["sessionToken"]))


def sign_up(api, **fields):
    """A fresh user with these fields; it has a name and a password of its own unless they are given."""
    return user_of(api, api.post("/1.1/users", json={"username": unique(), "password": PASSWORD} | fields))


def log_in(api, password=PASSWORD, **who):
    return api.post("/1.1/login", json=who | {"password": password})


def new_token(api, user, password=PASSWORD):
    """The token of one more log-in, as from another device."""
    return user_of(api, log_in(api, password, username=user.username), 200).token


def is_live(api, token):
    """Whether the token belongs to a session."""
    response = with_session(api, token).get("/1.1/users/me")
    assert response.status_code == 200 or (response.status_code, response.json()) == (400, NO_USER), response.text
    return response.status_code == 200


def users_named(master, username):
    return master.get("/1.1/users", params={"where": f'{{"username":"{username}"}}'}).json()["results"]


def join(api, data, **query):
    """Logs in or signs up with `authData`."""
    return api.post("/1.1/users", json={"authData": data}, params=query)


SESSIONS = "/1.1/classes/_Session"


def sessions(master, user):
    """The sessions of a user, as the master key sees them."""
    response = master.get(SESSIONS, params={"where": json.dumps({"user": user.pointer})})
    assert response.status_code == 200, response.text
    return response.json()["results"]
