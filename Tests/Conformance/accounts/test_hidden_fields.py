"""Passwords and tokens on ways that are the operator's: scans, indexes, schemas, imports of users."""

import pytest
from accounts import PASSWORD, is_live, join, log_in, sign_up, unique, user_of, users_named
from cases import covering
from client import Server, assert_refused
from data import assert_400
from hashes import BCRYPT, LEANCLOUD
from identities import github

SECRET = ["password", "salt", "bcryptPassword", "sessionToken"]
HIDDEN = [
    ("_User", "_password"), ("_Session", "_token"), *(("_User", name) for name in SECRET), ("_Session", "token"),
    ("_Session", "sessionToken"),
]
TEXT, HASH = LEANCLOUD[0]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server of these tests' own: what one of them gets through would stay for all."""
    server = Server(tmp_path_factory.mktemp("hidden")).start()
    yield server
    assert server.stop() == 0


@pytest.fixture
def api(own):
    return own.api()


@pytest.fixture
def master(own):
    return own.api(master=True)


@pytest.fixture
def ann(api):
    return sign_up(api)


# Scans and indexes

@pytest.mark.usefixtures("ann")
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("name, field", HIDDEN)
def test_scan_goes_along_no_secret(master, name, field, sign):
    response = master.get(f"/1.1/scan/classes/{name}", params={"scan_key": sign + field, "limit": 1})
    assert_refused(response, 400, 1, "scan_key")


@pytest.mark.parametrize("name, field", HIDDEN)
@pytest.mark.parametrize("others", [[], ["createdAt"]], ids=str)
def test_index_is_on_no_secret(master, name, field, others):
    path = f"/1.1/indexes/{name}"
    before = master.get(path).json()
    for fields in ([field, *others], [*others, field]):
        assert_refused(master.post(path, json={"fields": fields}), 400, 1, field)
    assert master.get(path).json() == before


@pytest.mark.usefixtures("ann")
@pytest.mark.parametrize("name", ["_User", "_Session"])
def test_indexes_name_no_secret(master, name):
    rows = master.get(f"/1.1/indexes/{name}").json()["results"]
    fields = {field for row in rows for field in [row["name"], *row["fields"]]}
    assert {"_User": "username", "_Session": "user"}[name] in fields
    assert not any(field.startswith("_") or field in SECRET for field in fields)


# Schemas

@pytest.mark.parametrize("field, flags", covering([*SECRET, "_password"], [
    {"type": "String"}, {"type": "String", "required": True}, {"required": True}, {"hidden": False}, {"type": "Number"},
    {"type": "String", "default": "x"}, {"type": "String", "unique": True},
]), ids=str)
def test_schema_takes_no_field_of_a_secret(api, master, ann, field, flags):
    before = master.get("/1.1/schemas/_User").json()
    assert_400(master.call("PUT", f"/1.1/schemas/_User/{field}", json=flags), f"'{field}'")
    assert master.get("/1.1/schemas/_User").json() == before
    assert log_in(api, username=ann.username).status_code == 200


# Users from elsewhere

NEITHER = {
    "no base64": {"password": "=" * 88, "salt": "abc"},
    "base64 of too little": {"password": "A" * 84 + "====", "salt": "abc"},
    "bytes beyond": {"password": HASH["password"] + "A", "salt": "abc"},
    "salt alone": {"salt": "abc"},
    "salt and null": {"password": None, "salt": "abc"},
    "password and bcrypt": {"password": PASSWORD, "bcryptPassword": BCRYPT[0][1]},
    "hash and bcrypt": HASH | {"bcryptPassword": BCRYPT[0][1]},
    "salt and bcrypt": {"salt": "abc", "bcryptPassword": BCRYPT[0][1]},
}


@pytest.mark.parametrize("case", NEITHER)
def test_import_that_is_no_password_makes_nobody(master, case):
    fields = {"username": unique()} | NEITHER[case]
    assert_400(master.post("/1.1/users", json=fields))
    assert_400(master.post("/1.1/users", json=fields | {"authData": github()}))
    assert users_named(master, fields["username"]) == []


@pytest.mark.parametrize("case", NEITHER)
def test_import_that_is_no_password_changes_nobody(api, master, ann, case):
    assert_400(ann.change(NEITHER[case] | {"city": "Lyon"}, by=master))
    assert "city" not in ann.read()
    assert is_live(api, ann.token)
    assert log_in(api, username=ann.username).status_code == 200


NULLS = [
    {"password": None, "salt": None}, {"password": None}, {"salt": None}, {"bcryptPassword": None},
    {"password": None, "salt": None, "bcryptPassword": None},
]


@pytest.mark.parametrize("nulls", NULLS, ids=str)
def test_import_without_a_password_goes_by_its_platforms(api, master, nulls):
    """Exports say null of users who have none."""
    data, username = github(), unique()
    user = user_of(api, master.post("/1.1/users", json={"username": username, "authData": data} | nulls))
    assert user_of(api, join(api, data), 200).id == user.id
    assert log_in(api, username=username).json()["code"] == 210


def test_import_with_other_forms_that_are_null_goes_by_the_one(api, master):
    for text, fields in ((TEXT, HASH | {"bcryptPassword": None}), (PASSWORD, {"password": PASSWORD, "salt": None})):
        user = user_of(api, master.post("/1.1/users", json={"username": unique()} | fields))
        assert user_of(api, log_in(api, text, username=user.username), 200).id == user.id
