"""Users in batches, and the sign-up of the Objective-C and Swift SDKs."""

import pytest
from accounts import NOT_ITSELF, PASSWORD, TAKEN, sign_up, unique, users_named, with_session
from batches import save
from data import at_once, batch


@pytest.fixture(params=["/1.1/users", "/1.1/classes/_User"])
def path(request):
    return request.param


@pytest.fixture
def ann(api):
    return sign_up(api, city="Lyon")


@pytest.fixture
def bob(api):
    return sign_up(api)


def named(**fields):
    return {"username": unique(), "password": PASSWORD} | fields


def newborn(path, id="A1", method="POST", **fields):
    return {"method": method, "path": path, "new": True, "body": {"__internalId": id} | fields}


def test_sign_up_in_a_batch_is_that_of_the_single_call(api, path):
    body = {"username": unique(), "password": PASSWORD}
    item, = batch(api, {"method": "POST", "path": path, "body": body}).json()
    token = item["success"].pop("sessionToken")
    me = with_session(api, token).get("/1.1/users/me").json()
    assert me == item["success"] | {"sessionToken": token}


def test_batch_changes_its_caller_and_nobody_else(ann, bob, path):
    items = [{"method": method, "path": f"{path}/{user.id}", "body": {"city": "Oslo"}} for method, user in (
        ("PUT", ann), ("PUT", bob), ("DELETE", bob),
    )]
    first, *others = batch(ann.api, *items).json()
    assert set(first["success"]) == {"objectId", "updatedAt"}
    assert others == [{"error": NOT_ITSELF}] * 2
    assert "city" not in bob.read()


@pytest.mark.parametrize("method", ["POST", "post"])
def test_sign_up_of_objective_c_and_swift(api, path, method):
    fields = named(city="Lyon")
    response = save(api, newborn(path, method=method, **fields))
    assert (response.status_code, set(response.json())) == (200, {"A1"})
    body = response.json()["A1"]
    assert {"objectId", "createdAt", "updatedAt", "sessionToken"} < set(body)
    assert (body["username"], body["emailVerified"], body["mobilePhoneVerified"]) == (fields["username"], False, False)
    assert with_session(api, body["sessionToken"]).get("/1.1/users/me").json()["objectId"] == body["objectId"]


def test_rest_of_a_sign_up_of_objective_c_follows_without_an_id(api, path):
    rest = newborn(path, method="PUT", tags={"__op": "Add", "objects": ["a"]})
    body = save(api, newborn(path, **named()), rest).json()["A1"]
    assert with_session(api, body["sessionToken"]).get("/1.1/users/me").json()["tags"] == ["a"]


def test_new_user_is_the_child_of_a_new_object(api, things):
    child = {"className": "_User", "cid": "A1", "key": "owner"}
    seen = save(api, newborn("/1.1/users", **named()), newborn(things.path, "B2", __children=[child])).json()
    assert things.read(seen["B2"]["objectId"])["owner"]["objectId"] == seen["A1"]["objectId"]


def test_taken_name_saves_nothing(api, master, ann):
    fields = named()
    response = save(api, newborn("/1.1/users", **fields), newborn("/1.1/users", "B2", **named(username=ann.username)))
    assert (response.status_code, response.json()) == (400, TAKEN)
    assert users_named(master, fields["username"]) == []


def test_name_that_is_given_twice_in_one_save_saves_nothing(api, master):
    fields = named()
    response = save(api, newborn("/1.1/users", **fields), newborn("/1.1/users", "B2", **fields))
    assert (response.status_code, response.json()) == (400, TAKEN)
    assert users_named(master, fields["username"]) == []


def test_save_changes_its_caller(ann):
    item = {"method": "PUT", "path": ann.path, "body": {"__internalId": ann.id, "city": "Oslo"}}
    assert set(save(ann.api, item).json()[ann.id]) == {"objectId", "updatedAt"}
    assert ann.read()["city"] == "Oslo"


@pytest.mark.parametrize("caller", ["another", "guest", "stale"])
def test_save_changes_nobody_else(api, ann, bob, things, caller):
    by = {"another": bob.api, "guest": api, "stale": with_session(api, "a" * 25)}[caller]
    item = {"method": "PUT", "path": ann.path, "body": {"__internalId": ann.id, "city": "Oslo"}}
    response = save(by, newborn(things.path), item)
    assert (response.status_code, response.json()) == (403, NOT_ITSELF)
    assert ann.read()["city"] == "Lyon"


def test_batch_goes_on_behind_an_own_password_and_a_read(api, ann):
    change = {"method": "PUT", "path": ann.path, "body": {"n": {"__op": "Increment", "amount": 1}}}
    password = {"method": "PUT", "path": ann.path, "body": {"password": "another"}}
    items = batch(ann.api, password, change, {"method": "GET", "path": ann.path}, change).json()
    assert all("success" in item for item in items)
    assert with_session(api, items[0]["success"]["sessionToken"]).get("/1.1/users/me").json()["n"] == 2


def test_batch_goes_on_as_a_guest_behind_the_deletion_of_its_user(api, ann, bob, things):
    id = things.create(n=1, ACL={ann.id: {"write": True}, bob.id: {"read": True}})
    change = {"method": "PUT", "path": f"{things.path}/{id}", "body": {"n": {"__op": "Increment", "amount": 1}}}
    items = batch(ann.api, change, {"method": "DELETE", "path": ann.path}, change).json()
    assert ["success" in item for item in items] == [True, True, False]
    assert things.by(bob.api).read(id) == {"n": 2}


def test_name_of_two_at_once_is_taken_once(server, master):
    fields = named()
    statuses = at_once(lambda _: server.api().post("/1.1/users", json=fields).status_code, 16)
    assert sorted(statuses) == [201] + [400] * 15
    assert len(users_named(master, fields["username"])) == 1
