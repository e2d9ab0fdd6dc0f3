"""Attacks on log-ins and sessions: finding accounts, tokens chosen by attackers, and limits of a session."""


import pytest
from client import ALPHA, BETA, TIMEOUT, assert_refused
from data import MASTER_ONLY
from people import CHOSEN, NO_SESSION, PASSWORD, Person, assert_forbidden, assert_nobody, me, start, tunnel, unique

MISMATCH = {"code": 210, "error": "The username and password mismatch."}


@pytest.fixture
def person(server):
    return Person(server)


def log_in(api, person, **options):
    return api.post("/1.1/login", json={"username": person.name, "password": PASSWORD}, **options)


# Who is there

@pytest.fixture
def shy(new_server):
    """A server that does not tell which users there are."""
    return start(new_server, LCFILE_ACCOUNTS_HIDE_UNKNOWN_USERS="true")


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_log_in_does_not_tell_who_is_there(shy, method):
    known = {"username": "ann", "email": "ann@example.org", "mobilePhoneNumber": "+8613800000001"}
    unknown = {"username": "bob", "email": "bob@example.org", "mobilePhoneNumber": "+8613800000002"}
    Person(shy, **known)
    for key in known:
        answers = []
        for name in (known[key], unknown[key]):
            fields = {key: name, "password": "wrong"}
            sent = {"json": fields} if method == "POST" else {"params": fields}
            response = shy.api().call(method, "/1.1/login", **sent)
            answers.append((response.status_code, response.json(), set(response.headers)))
        assert answers[0] == answers[1]
        assert answers[0][:2] == (400, MISMATCH)


def test_lock_does_not_tell_who_is_there(shy):
    Person(shy, username="ann")
    known, unknown = [
        [shy.api().post("/1.1/login", json={"username": name, "password": "wrong"}).json() for _ in range(10)]
        for name in ("ann", "bob")
    ]
    assert known == unknown
    assert (known[0], known[9]["code"]) == (MISMATCH, 219)


# Tokens chosen by attackers

SIGN_UPS = {
    "header": lambda api, fields: api.post("/1.1/users", json=fields, headers={"X-LC-Session": CHOSEN}),
    "old header": lambda api, fields: api.post("/1.1/users", json=fields, headers={"X-AVOSCloud-Session-Token": CHOSEN}),
    "parameter": lambda api, fields: api.post("/1.1/users", json=fields, params={"session_token": CHOSEN}),
    "cookie": lambda api, fields: api.post("/1.1/users", json=fields, headers={"Cookie": f"session_token={CHOSEN}"}),
    "tunnel": lambda api, fields: tunnel(api, "/1.1/users", fields | {"_SessionToken": CHOSEN}),
}


@pytest.mark.parametrize("way", SIGN_UPS)
def test_sign_up_takes_no_token_over(api, way):
    response = SIGN_UPS[way](api, {"username": unique("attacks"), "password": PASSWORD})
    assert (response.status_code, len(response.json()["sessionToken"])) == (201, 25)
    assert response.json()["sessionToken"] != CHOSEN
    assert_nobody(api, CHOSEN)


@pytest.mark.parametrize("path", ["/1.1/users", "/1.1/classes/_User"])
def test_sign_up_with_a_token_in_its_body_is_refused(api, path):
    fields = {"username": unique("attacks"), "password": PASSWORD}
    assert_refused(api.post(path, json=fields | {"sessionToken": CHOSEN}), 400, 117)
    assert_nobody(api, CHOSEN)
    assert api.post(path, json=fields).status_code == 201


LOG_INS = {
    "header": {"headers": {"X-LC-Session": CHOSEN}}, "old header": {"headers": {"X-Uluru-Session-Token": CHOSEN}},
    "parameter": {"params": {"session_token": CHOSEN}}, "cookie": {"headers": {"Cookie": f"session_token={CHOSEN}"}},
}


@pytest.mark.parametrize("way", LOG_INS)
def test_log_in_takes_no_token_over(cast, way):
    user = log_in(cast.guest, cast.owner, **LOG_INS[way]).json()
    assert (user["objectId"], len(user["sessionToken"])) == (cast.owner.id, 25)
    assert user["sessionToken"] != CHOSEN
    assert_nobody(cast.guest, CHOSEN)


@pytest.mark.parametrize("field", ["sessionToken", "session_token", "_SessionToken"])
def test_log_in_takes_no_token_from_its_body(cast, field):
    fields = {"username": cast.owner.name, "password": PASSWORD, field: CHOSEN}
    assert cast.guest.post("/1.1/login", json=fields).json().get("sessionToken") != CHOSEN
    assert_nobody(cast.guest, CHOSEN)


def test_session_of_whoever_asks_does_not_become_that_of_the_new_user(cast):
    response = cast.other.post("/1.1/users", json={"username": unique("attacks"), "password": PASSWORD})
    assert response.json()["sessionToken"] != cast.other.token
    assert me(cast.guest, cast.other.token).json()["objectId"] == cast.other.id


def test_session_of_whoever_asks_does_not_become_that_of_who_logs_in(cast):
    user = log_in(cast.other, cast.owner).json()
    assert (user["objectId"], user["sessionToken"] != cast.other.token) == (cast.owner.id, True)
    assert me(cast.guest, cast.other.token).json()["objectId"] == cast.other.id


@pytest.mark.extended
def test_all_log_ins_of_a_user_have_one_token_and_those_of_another_user_another(cast):
    for person in (cast.owner, cast.other):
        assert {log_in(cast.guest, person).json()["sessionToken"] for _ in range(5)} == {person.token}
        assert me(cast.guest, person.token).json()["objectId"] == person.id
    assert cast.owner.token != cast.other.token


@pytest.mark.parametrize("call, fields", [
    ("refreshSessionToken", {}), ("updatePassword", {"old_password": PASSWORD, "new_password": PASSWORD}),
])
def test_renewal_takes_no_token_over(person, call, fields):
    path = f"/1.1/users/{person.id}/{call}"
    sent = {"sessionToken": CHOSEN, "session_token": CHOSEN, "_SessionToken": CHOSEN}
    token = person.call("PUT", path, json=fields | sent, params={"session_token": CHOSEN}).json().get("sessionToken")
    assert token not in (CHOSEN, person.token)
    assert_nobody(person, CHOSEN)


def test_new_password_takes_no_token_over(person):
    path, chosen = f"/1.1/users/{person.id}", {"session_token": CHOSEN}
    assert_refused(person.call("PUT", path, json={"password": "another", "sessionToken": CHOSEN}), 400, 117)
    assert me(person, person.token).json()["objectId"] == person.id
    token = person.call("PUT", path, json={"password": "another"}, params=chosen).json()["sessionToken"]
    assert token not in (CHOSEN, person.token)
    assert_nobody(person, CHOSEN)


# What a session does not open

@pytest.mark.parametrize("method, path", [
    ("GET", "/1.1/schemas"), ("GET", "/1.1/schemas/_User"), ("PUT", "/1.1/schemas/attacks_Note/n"), ("GET", "/1.1/permissions"),
    ("PUT", "/1.1/permissions/_User"), ("GET", "/1.1/scan/classes/_User"), ("GET", "/1.1/scan/classes/attacks_Note"),
    ("GET", "/1.1/indexes/attacks_Note"), ("POST", "/1.1/indexes/attacks_Note"),
])
@pytest.mark.parametrize("caller", ["owner", "member"])
def test_session_is_no_master_key(cast, caller, method, path):
    assert_refused(cast[caller].call(method, path, json={} if method != "GET" else None), 403, 119, MASTER_ONLY)


@pytest.mark.parametrize("headers", [
    {"X-LC-Key": None}, {"X-LC-Key": ""}, {"X-LC-Key": "wrong"}, {"X-LC-Key": ALPHA.master}, {"X-LC-Id": BETA.id},
    {"X-LC-Key": f"{ALPHA.key},master"},
], ids=str)
def test_session_is_no_key(server, cast, headers):
    sent = {name: value for name, value in (cast.owner.headers | headers).items() if value is not None}
    response = cast.owner.session.get(f"{server.url}/1.1/users/me", headers=sent, timeout=TIMEOUT)
    assert_refused(response, 401, 401)


@pytest.mark.parametrize("form", [
    "/1.1/users/{}", "/1/users/{}", "//1.1//users//{}", "/1.1/classes/_User/{}", "/1.1/classes/%5FUser/{}",
    "/1.1/users/{}?fetchWhenSave=true", "/1.1/users/{}?session_token=TOKEN", "/1.1/users/{}?where=%7B%7D",
])
@pytest.mark.parametrize("method, fields", [("PUT", {"city": "Lyon"}), ("DELETE", None)], ids=["PUT", "DELETE"])
def test_other_user_is_altered_on_no_path(cast, person, form, method, fields):
    path = form.replace("TOKEN", cast.other.token).replace("{}", person.id)
    assert_forbidden(cast.other.call(method, path, json=fields), NO_SESSION)
    assert cast.master.get(f"/1.1/users/{person.id}").json()["username"] == person.name


@pytest.mark.each_value
@pytest.mark.parametrize("form", [
    "/1.1/users/{},{}", "/1.1/users/OWN,{}", "/1.1/users/%20{}", "/1.1/users/{}%00", "/1.1/users/OWN/../{}", "/1.1/%75sers/{}",
    "/1.1/classes/_user/{}", "/1.1/classes/users/{}", "/1.1/Users/{}", "/1.1/users/{}/",
])
@pytest.mark.parametrize("method, fields", [("PUT", {"city": "Lyon"}), ("DELETE", None)], ids=["PUT", "DELETE"])
def test_odd_path_alters_no_other_user(cast, server, person, form, method, fields):
    attacker, path = Person(server), f"/1.1/users/{person.id}"
    before = cast.master.get(path).json()
    attacker.call(method, form.replace("OWN", attacker.id).replace("{}", person.id), json=fields)
    assert cast.master.get(path).json() == before
