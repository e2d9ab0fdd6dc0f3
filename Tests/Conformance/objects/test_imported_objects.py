"""Objects that the master key creates with the id and the times that they had on another server."""

import pytest
from accounts import is_live, log_in, unique
from client import assert_refused
from data import MISSING, Objects, batch, own
from hashes import LEANCLOUD

CREATED, UPDATED = "2019-05-06T07:08:09.123Z", "2020-01-02T03:04:05.678Z"
TIMES = {"createdAt": CREATED, "updatedAt": UPDATED}


def test_object_keeps_id_and_times(things, master):
    id = unique("id")
    response = things.by(master).post({"objectId": id, "n": 1} | TIMES)
    assert (response.status_code, response.json()) == (201, {"objectId": id, "createdAt": CREATED})
    assert response.headers["Location"] == f"/1.1/classes/{things.name}/{id}"
    assert things.get(id).json() == {"objectId": id, "n": 1} | TIMES


@pytest.mark.parametrize("name", ["objectId", "createdAt", "updatedAt"])
def test_client_gives_no_system_field(things, name):
    assert_refused(things.post({name: CREATED if name != "objectId" else MISSING}), 400, 105)


def test_batch_imports_each_object_by_itself(things, master):
    first, second = unique("id"), unique("id")
    bodies = [{"objectId": first, "n": 1} | TIMES, {"objectId": first, "n": 2}, {"objectId": second, "n": 3} | TIMES]
    results = batch(master, *({"method": "POST", "path": things.path, "body": body} for body in bodies)).json()
    assert results[0]["success"]["objectId"] == first and results[2]["success"]["objectId"] == second
    assert results[1]["error"]["code"] == 137
    assert {object["objectId"]: object["n"] for object in things.find()} == {first: 1, second: 3}


def test_imported_user_logs_in_with_password_and_token(api, master):
    id, name, token = unique("id"), unique(), unique("imported1")
    password, hash = LEANCLOUD[0]
    fields = {"objectId": id, "username": name, "emailVerified": True, "sessionToken": token} | TIMES
    response = master.post("/1.1/users", json=fields | hash)
    assert (response.status_code, response.json()) == (201, {"objectId": id, "createdAt": CREATED})
    assert is_live(api, token)
    user = log_in(api, password, username=name).json()
    assert (user["objectId"], user["createdAt"], user["emailVerified"]) == (id, CREATED, True)


@pytest.mark.parametrize("name, fields", [
    ("_Role", {"name": unique("role"), "ACL": {}}), ("_File", {"name": "a.png", "url": "https://example.com/a.png"}),
], ids=["role", "external file"])
def test_object_of_a_built_in_class_keeps_id_and_times(master, name, fields):
    objects, id = Objects(master, name), unique("id")
    assert objects.post({"objectId": id} | TIMES | fields).status_code == 201
    seen = objects.get(id).json()
    assert {key: seen[key] for key in TIMES} == TIMES


def test_imported_object_is_changed_like_others(things, master):
    id = unique("id")
    things.by(master).post({"objectId": id, "n": 1} | TIMES)
    assert things.put(id, {"n": 2}).status_code == 200
    seen = things.get(id).json()
    assert own(seen) == {"n": 2} and seen["createdAt"] == CREATED and seen["updatedAt"] > UPDATED


def test_client_gives_a_file_no_id(api):
    id = unique("id")
    response = api.post("/1.1/files", json={"objectId": id, "name": "a.png", "url": "https://example.com/a.png"})
    assert response.status_code == 201 and response.json()["objectId"] != id
