"""Attacks with tokens: texts that are none, and tokens in places where none belongs."""

import hashlib
import json

import pytest
from client import ALPHA, BETA, assert_refused
from data import MASTER_ONLY, Objects, batch, texts
from people import BOTH, CHOSEN, Person, assert_forbidden, assert_nobody, forbidden, permit, tunnel


@pytest.fixture(scope="module")
def marked(master):
    """A class whose objects say in their ACL who made them, as the operator sees it."""
    permit(master, "attacks_Marked", defaultACL={"role:Makers": BOTH, "owner": BOTH})
    return Objects(master, "attacks_Marked")


@pytest.fixture
def maker(marked):
    """Who the server takes a caller for: the id of a user, or nothing."""

    def maker(response):
        assert response.status_code == 201, response.text
        acl = marked.get(response.json()["objectId"], returnACL="true").json()["ACL"]
        users = [subject for subject in acl if subject != "role:Makers"]
        assert len(users) <= 1
        return users[0] if users else None

    return maker


# Tokens that are none

TOKENS = {
    "unknown": lambda person, session: CHOSEN,
    "capitals": lambda person, session: person.token.upper(),
    "cut": lambda person, session: person.token[:-1],
    "longer": lambda person, session: person.token + "a",
    "twice": lambda person, session: f"{person.token},{person.token}",
    "master": lambda person, session: f"{person.token},master",
    "hash": lambda person, session: hashlib.sha256(person.token.encode()).hexdigest(),
    "id of the session": lambda person, session: session,
    "id of the user": lambda person, session: person.id,
    "name of the user": lambda person, session: person.name,
    "wildcard": lambda person, session: "%", "star": lambda person, session: "*",
    "quote": lambda person, session: "' OR '1'='1",
    "very long": lambda person, session: "a" * 5000,
    "key": lambda person, session: ALPHA.key, "master key": lambda person, session: f"{ALPHA.master},master",
}


def session_of(master, person):
    found = master.get("/1.1/classes/_Session", params=texts({"where": {"user": person.pointer}}))
    return found.json()["results"][0]["objectId"]


@pytest.mark.parametrize("token", TOKENS)
def test_text_that_is_no_token_is_nobody(server, cast, marked, maker, token):
    person = Person(server)
    text = TOKENS[token](person, session_of(cast.master, person))
    assert_nobody(cast.guest, text)
    assert maker(marked.by(cast.guest).api.post(marked.path, json={}, headers={"X-LC-Session": text})) is None
    response = cast.guest.get("/1.1/schemas", headers={"X-LC-Session": text})
    assert_refused(response, 403, 119, MASTER_ONLY)


def test_token_of_a_deleted_user_is_nobody(server, cast, marked, maker):
    person = Person(server)
    assert maker(marked.by(person).post({})) == person.id
    assert person.call("DELETE", f"/1.1/users/{person.id}").status_code == 200
    assert_nobody(cast.guest, person.token)
    assert maker(marked.by(person).post({})) is None
    assert_forbidden(person.get("/1.1/users"), forbidden("find", "_User"))


def test_token_of_an_ended_session_is_nobody(server, cast, marked, maker):
    person = Person(server)
    session = session_of(cast.master, person)
    assert maker(marked.by(person).post({})) == person.id
    assert cast.master.call("DELETE", f"/1.1/classes/_Session/{session}").status_code == 200
    assert_nobody(cast.guest, person.token)
    assert maker(marked.by(person).post({})) is None


def test_token_of_another_app_is_nobody(server, cast, marked, maker):
    stranger = Person(server, BETA)
    assert_nobody(cast.guest, stranger.token)
    assert maker(cast.guest.post(marked.path, json={}, headers={"X-LC-Session": stranger.token})) is None


# Tokens where none belongs

PLACES = {
    "body": lambda api, path, token: api.post(path, json={"_SessionToken": token}),
    "plain body": lambda api, path, token: api.post(path, json={"sessionToken": token}),
    "parameter": lambda api, path, token: api.post(path, json={}, params={"session_token": token}),
    "other parameter": lambda api, path, token: api.post(path, json={}, params={"_SessionToken": token, "sessionToken": token}),
    "header as parameter": lambda api, path, token: api.post(path, json={}, params={"X-LC-Session": token}),
    "cookie": lambda api, path, token: api.post(
        path, json={}, headers={"Cookie": f"X-LC-Session={token}; session_token={token}"}
    ),
    "authorization": lambda api, path, token: api.post(path, json={}, headers={"Authorization": f"Bearer {token}"}),
    "header with underscores": lambda api, path, token: api.post(path, json={}, headers={"X_LC_Session": token}),
}


@pytest.mark.parametrize("place", PLACES)
def test_token_in_another_place_is_none(cast, marked, maker, place):
    assert maker(PLACES[place](cast.guest, marked.path, cast.owner.token)) is None


@pytest.mark.parametrize("place", ["headers", "session", "sessionToken", "_SessionToken", "params", "body"])
def test_token_in_an_item_of_a_batch_is_none(cast, marked, maker, place):
    value = cast.owner.token if "ession" in place else {"X-LC-Session": cast.owner.token, "_SessionToken": cast.owner.token}
    if place == "body":
        value = {"_SessionToken": cast.owner.token}
    item = {"method": "POST", "path": marked.path, "body": {}} | {place: value}
    created = batch(cast.guest, item).json()[0]["success"]
    assert set(marked.get(created["objectId"], returnACL="true").json()["ACL"]) == {"role:Makers"}


@pytest.mark.parametrize("fields", [
    {"_SessionToken": "TOKEN"}, {"_SessionToken": "TOKEN", "_method": "PUT"},
    {"_ApplicationKey": f"{ALPHA.master},master"}, {"_MasterKey": ALPHA.master}, {"_MasterKey": ALPHA.master, "_method": "PUT"},
], ids=str)
def test_json_is_no_tunnel(cast, fields):
    sent = {name: cast.owner.token if value == "TOKEN" else value for name, value in fields.items()} | {"city": "Lyon"}
    path = f"/1.1/users/{cast.owner.id}"
    assert 400 <= cast.guest.call("PUT", path, json=sent).status_code < 500
    assert cast.guest.post(path, json=sent).status_code == 404
    assert "city" not in cast.master.get(path).json()


def test_session_of_a_tunnel_is_one(cast, marked, maker):
    assert maker(tunnel(cast.guest, marked.path, {"_SessionToken": cast.owner.token})) == cast.owner.id


@pytest.mark.parametrize("end", [
    "\r\nX-LC-Key: {master},master", "\nX-AVOSCloud-Master-Key: {master}", "\r\n\r\nDELETE /1.1/files/x HTTP/1.1\r\n", "\0",
    "\r",
])
def test_session_of_a_tunnel_carries_no_header(cast, marked, end):
    before = marked.count()
    text = cast.owner.token + end.format(master=ALPHA.master)
    assert_refused(tunnel(cast.guest, marked.path, {"_SessionToken": text}), 400, 1)
    assert marked.count() == before


@pytest.mark.parametrize("value", [5, None, [], {"a": 1}, True], ids=str)
def test_session_of_a_tunnel_that_is_no_text_is_nobody(cast, marked, maker, value):
    response = tunnel(cast.guest, marked.path, {"_SessionToken": value})
    if response.status_code == 201:
        assert maker(response) is None
    else:
        assert response.status_code == 400


def twice(server, method, path, names, tokens, body):
    """A request with two session headers."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"X-LC-Id: {ALPHA.id}", f"X-LC-Key: {ALPHA.key}"]
    lines += [f"{name}: {token}" for name, token in zip(names, tokens)]
    text = json.dumps(body)
    lines += ["Content-Type: application/json", f"Content-Length: {len(text)}", "", text]
    with server.raw() as connection:
        connection.send("\r\n".join(lines).encode())
        return connection.answer()


@pytest.mark.parametrize("names", [
    ("X-LC-Session", "X-LC-Session"), ("X-LC-Session", "x-lc-session"), ("X-LC-Session", "X-AVOSCloud-Session-Token"),
    ("X-AVOSCloud-Session-Token", "X-Uluru-Session-Token"),
], ids=str)
def test_two_sessions_are_not_two_callers(server, cast, names):
    people = cast.owner, cast.other
    tokens = [person.token for person in people]
    answers = [
        twice(server, "PUT", f"/1.1/users/{person.id}", names, tokens, {"color": "red"}).status for person in people
    ]
    assert answers in ([200, 403], [403, 200], [403, 403], [400, 400])
