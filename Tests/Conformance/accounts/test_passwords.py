"""Hashes of passwords: those that come from elsewhere, and their replacement by new ones."""

import json
import re
import sqlite3

import pytest
from accounts import MISMATCH, PASSWORD, is_live, log_in, new_token, settings, sign_up, unique, user_of, users_named
from client import ALPHA, Server
from data import assert_400, batch
from hashes import BCRYPT, LEANCLOUD

IMPORTS = LEANCLOUD + [(text, {"bcryptPassword": hash}) for text, hash in BCRYPT]


SCRYPT = re.compile(r"\$scrypt\$ln=(\d+),r=8,p=1\$[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+")


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server of these tests' own, whose database they read."""
    server = Server(tmp_path_factory.mktemp("passwords")).start()
    yield server
    assert server.stop() == 0


def hash_of(server, user):
    """The hash that the database holds for a user."""
    connection = sqlite3.connect(f"file:{server.storage / ALPHA.id / 'lcfile.sqlite'}?mode=ro", uri=True)
    try:
        number, = connection.execute("SELECT number FROM class WHERE name = '_User'").fetchone()
        body, = connection.execute(f"SELECT body FROM class_{number} WHERE id = ?", [user.id]).fetchone()
    finally:
        connection.close()
    hash, = (value for value in json.loads(body).values() if str(value).startswith("$"))
    return hash


def cost_of(server, user):
    """The cost in the stored hash; nothing if it is of another kind than our own."""
    match = SCRYPT.fullmatch(hash_of(server, user))
    return match and int(match.group(1))


def import_user(server, hash):
    """A user that the master key made of a hash."""
    return user_of(server.api(), server.api(master=True).post("/1.1/users", json={"username": unique()} | hash))


# Hashes from elsewhere

@pytest.mark.few(2)
@pytest.mark.parametrize("text, hash", IMPORTS, ids=str)
def test_imported_hash_lets_its_password_in(own, text, hash):
    user = import_user(own, hash)
    for _ in range(2):
        assert user_of(own.api(), log_in(own.api(), text, username=user.username), 200).id == user.id


@pytest.mark.few(2)
@pytest.mark.parametrize("text, hash", IMPORTS, ids=str)
def test_imported_hash_lets_no_other_password_in(own, text, hash):
    user = import_user(own, hash)
    for wrong in (text + "x", text[:-1], text.swapcase(), *hash.values()):
        assert log_in(own.api(), wrong, username=user.username).json() == MISMATCH
    assert_400(log_in(own.api(), text + "\0", username=user.username))


@pytest.mark.few(2)
@pytest.mark.parametrize("text, hash", IMPORTS, ids=str)
@pytest.mark.sqlite
def test_imported_hash_is_replaced_at_the_first_log_in(own, text, hash):
    user = import_user(own, hash)
    assert cost_of(own, user) is None
    assert log_in(own.api(), text + "x", username=user.username).json() == MISMATCH
    assert cost_of(own, user) is None
    new_token(own.api(), user, text)
    assert cost_of(own, user) == 10


@pytest.mark.parametrize("text, hash", [LEANCLOUD[0], IMPORTS[-1]], ids=str)
def test_batch_of_the_master_key_imports(own, text, hash):
    item = {"method": "POST", "path": "/1.1/users", "body": {"username": unique()} | hash}
    assert set(batch(own.api(master=True), item).json()[0]) == {"success"}
    assert log_in(own.api(), text, username=item["body"]["username"]).status_code == 200


@pytest.mark.parametrize("hash", [LEANCLOUD[0][1], {"bcryptPassword": BCRYPT[0][1]}], ids=["leancloud", "bcrypt"])
def test_clients_do_not_import_hashes(own, hash):
    api, fields = own.api(), {"username": unique()} | hash
    assert_400(api.post("/1.1/users", json=fields))
    assert_400(api.post("/1.1/users", json={"password": PASSWORD} | fields))
    assert users_named(own.api(master=True), fields["username"]) == []
    user = sign_up(api)
    assert_400(user.change(hash))
    assert log_in(api, username=user.username).status_code == 200


@pytest.mark.parametrize("hash", [
    {"bcryptPassword": ""}, {"bcryptPassword": "U*U"}, {"bcryptPassword": 5}, {"bcryptPassword": None},
    {"bcryptPassword": "$2a$05$CCCCCCCCCCCCCCCCCCCCC"}, {"bcryptPassword": "$1$salt$hash"},
    {"bcryptPassword": "$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"},
    LEANCLOUD[0][1] | {"salt": 5}, LEANCLOUD[0][1] | {"salt": "a$b"}, LEANCLOUD[0][1] | {"password": "not base64!"},
    {"salt": LEANCLOUD[0][1]["salt"]},
], ids=str)
def test_malformed_hash_is_refused(own, hash):
    assert_400(own.api(master=True).post("/1.1/users", json={"username": unique()} | hash))


# Our own

@pytest.mark.extended
@pytest.mark.sqlite
def test_default_cost_is_15(new_server):
    server = new_server()
    # The tests' own default.
    del server.environment["LCFILE_ACCOUNTS_PASSWORD_COST"]
    server.start()
    assert cost_of(server, sign_up(server.api())) == 15


@pytest.mark.sqlite
def test_hash_of_the_same_cost_stays(own):
    user = sign_up(own.api())
    before = hash_of(own, user)
    new_token(own.api(), user)
    assert hash_of(own, user) == before


@pytest.mark.smoke
@pytest.mark.sqlite
def test_hash_of_another_cost_is_replaced_at_the_next_log_in(new_server):
    server = new_server().start()
    user = sign_up(server.api())
    server.stop()
    server.environment |= settings(passwordCost=11)
    server.start()
    assert cost_of(server, user) == 10
    for _ in range(2):
        new_token(server.api(), user)
        assert cost_of(server, user) == 11
    assert is_live(server.api(), user.token)


@pytest.mark.sqlite
def test_each_hash_has_a_salt_of_its_own(own):
    assert hash_of(own, sign_up(own.api())) != hash_of(own, sign_up(own.api()))


def test_replaced_hash_ends_no_session(own):
    text, hash = LEANCLOUD[0]
    user = import_user(own, hash)
    new_token(own.api(), user, text)
    assert is_live(own.api(), user.token)


@pytest.mark.parametrize("query", [
    {"keys": "_password"}, {"keys": "username,_password"}, {"order": "_password"},
    {"where": '{"_password":{"$exists":true}}'}, {"where": '{"_password":{"$regex":"^.scrypt"}}'},
    {"where": '{"username":{"$select":{"query":{"className":"_User","where":{}},"key":"_password"}}}'},
], ids=str)
def test_hashes_are_never_shown(own, query):
    user = sign_up(own.api())
    for caller in (user.api, own.api(master=True)):
        for path in ("/1.1/users", user.path, "/1.1/scan/classes/_User", "/1.1/schemas/_User"):
            assert "scrypt$" not in caller.get(path, params=query).text


@pytest.mark.parametrize("pattern, other", [("^.scrypt", "^never"), ("", "^never")])
def test_conditions_do_not_see_hashes(own, pattern, other):
    user = sign_up(own.api())
    wheres = [json.dumps({"_password": {"$regex": regex}}) for regex in (pattern, other)]
    seen = [user.api.get("/1.1/users", params={"where": where}) for where in wheres]
    assert (seen[0].status_code, seen[0].json()) == (seen[1].status_code, seen[1].json())
