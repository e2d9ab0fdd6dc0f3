"""Objects that the master key creates with the id and the times that they had on another server."""

import pytest
from accounts import is_live, log_in, unique
from client import assert_refused
from data import MISSING, Objects, assert_400, batch, describe, op, own, pointer
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


# Times of changes

def imported(things, master, **fields):
    """The id of an object that the master key imported with its times."""
    id = unique("id")
    assert things.by(master).post({"objectId": id} | fields | TIMES).status_code == 201
    return id


def test_imported_change_has_the_time_that_it_had(things, master):
    id = imported(things, master)
    members = op("AddRelation", objects=[pointer("_User")])
    answer = things.by(master).update(id, {"members": members, "updatedAt": UPDATED})
    assert answer == {"objectId": id, "updatedAt": UPDATED}
    assert things.get(id).json()["updatedAt"] == UPDATED


def test_time_of_a_change_can_be_earlier(things, master):
    id = things.create(n=1)
    change = {"method": "PUT", "path": f"{things.path}/{id}", "body": {"n": 2, "updatedAt": CREATED}}
    assert batch(master, change).json() == [{"success": {"objectId": id, "updatedAt": CREATED}}]
    assert things.get(id).json()["updatedAt"] == CREATED


@pytest.mark.parametrize("path, fields", [
    ("users", {"username": "name", "password": "p4ss"}), ("roles", {"name": "name", "ACL": {}}),
    ("files", {"name": "a.png", "url": "https://example.com/a.png"}),
], ids=lambda value: value if isinstance(value, str) else "")
def test_change_of_a_built_in_object_keeps_its_time(master, path, fields):
    fields = {key: unique() if value == "name" else value for key, value in fields.items()}
    id = master.post(f"/1.1/{path}", json=fields).json()["objectId"]
    response = master.call("PUT", f"/1.1/{path}/{id}", json={"updatedAt": UPDATED})
    assert (response.status_code, response.json()["updatedAt"]) == (200, UPDATED)
    assert master.get(f"/1.1/{path}/{id}").json()["updatedAt"] == UPDATED


def test_user_gives_no_time_of_a_change(things, cast):
    id = things.create(n=1)
    for caller in (cast.guest, cast.owner):
        assert_refused(things.by(caller).put(id, {"updatedAt": UPDATED}), 400, 105)


@pytest.mark.parametrize("body", [{"updatedAt": "now"}, {"updatedAt": None}, {"updatedAt": op("Delete")}], ids=str)
def test_invalid_time_of_a_change_is_refused_by_its_name(things, master, body):
    assert_refused(things.by(master).put(things.create(n=1), body), 400, 1, "updatedAt")


# Names of fields in any script

NAMES = ["城市", "naïve", "имя", "名_2", "e\u0301"]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_field_of_any_script_is_read_queried_and_changed_by_everyone(things, master, name):
    id = imported(things, master, **{name: 1})
    assert things.read(id) == {name: 1}
    assert things.ids(where={name: 1}) == {id} and things.ids(where={name: {"$exists": False}}) == set()
    assert things.update(id, {name: op("Increment")})
    assert things.find(keys=name, order=f"-{name}")[0][name] == 2
    assert things.read(things.create(**{name: 3})) == {name: 3}
    things.by(master).delete(id)
    for other in things.ids():
        things.by(master).delete(other)


def test_relation_and_included_pointer_of_any_script(things, master):
    target = things.create(n=1)
    id = imported(things, master, 父=things.pointer(target), 子=op("AddRelation", objects=[things.pointer(target)]))
    assert things.read(id, include="父")["父"]["n"] == 1
    assert things.members(id, "子", things) == {target}
    assert things.ids(where={"父": {"$inQuery": {"className": things.name, "where": {"n": 1}}}}) == {id}


def test_new_field_of_any_script_needs_the_master_key(things, master, cast):
    id = things.create(n=1)
    for caller in (cast.guest, cast.owner):
        for value in (1, None, op("Increment"), op("AddRelation", objects=[pointer("Post")])):
            assert_refused(things.by(caller).put(id, {"城市": value}), 400, 105)
    assert things.by(master).update(id, {"城市": 1})


def test_index_and_unique_field_of_any_script(things, master):
    describe(master, things, "编号", type="String", unique=True)
    describe(master, things, "Größe", type="Number")
    assert master.post(f"/1.1/indexes/{things.name}", json={"fields": ["Größe"]}).status_code == 201
    id = things.create(编号="a", Größe=1)
    assert_refused(things.post({"编号": "a"}), 400, 137, "编号")
    assert things.ids(where={"Größe": {"$gte": 1}}, order="Größe") == {id}


@pytest.mark.parametrize("name", ["a b", "a-b", "a'b", 'a"b', "a\\b", "\u0301a", "_\u0301", "\u212a", "😀", "a\u200db"], ids=ascii)
def test_other_names_are_refused_to_the_master_key_too(things, master, name):
    assert_refused(things.by(master).post({name: 1}), 400, 105)


def test_name_in_another_normalization_form_is_another_name(things, master):
    imported(things, master, **{"\u00e9": 1})
    assert_refused(things.by(master).post({"e\u0301": 1}), 400, 105, "normalization")
    assert things.ids(where={"e\u0301": 1}) == set()


# A quote that a combining mark follows is one character for some libraries, and a quote for a database.
@pytest.mark.parametrize("name", ["p.x'\u0301", 'p.x"\u0301', "p.\\\u0301"], ids=ascii)
def test_marked_quote_does_not_reach_the_database(things, name):
    things.create(p={"x": 1})
    assert_refused(things.query(order=name), 400, 105)


# Large objects

def large(size):
    return "x" * size


def test_master_key_stores_larger_objects(things, master, api):
    id = imported(things, master, text=large(1 << 20))
    assert len(things.read(id)["text"]) == 1 << 20
    assert_refused(things.post({"text": large(1 << 18)}), 400, 116, "objects.maxSize")


@pytest.mark.extended
def test_client_changes_a_large_object_without_making_it_larger(things, master):
    id = imported(things, master, text=large(1 << 20), n=1)
    assert things.update(id, {"n": 2})
    assert things.update(id, {"text": "y" * (1 << 20)})
    assert_refused(things.put(id, {"text": large((1 << 20) + 1)}), 400, 116, "objects.maxSize")
    assert things.update(id, {"text": ""}) and things.update(id, {"text": large(1000)})
    assert_refused(things.put(id, {"text": large(1 << 18)}), 400, 116)


def test_condition_of_a_change_of_a_large_object(things, master):
    id = imported(things, master, text=large(1 << 20), n=1)
    assert things.update(id, {"n": op("Increment")}, where={"n": 1, "text": {"$regex": "^x"}})
    assert_refused(things.put(id, {"n": 3}, where={"n": 1}), 400, 305)


@pytest.mark.extended
def test_batch_of_large_objects_is_answered_within_the_reply_limit(things, master):
    bodies = [{"objectId": unique("id"), "text": large(4 << 20), "n": n} for n in range(3)]
    posts = [{"method": "POST", "path": things.path, "body": body} for body in bodies]
    assert all("success" in item for item in batch(master, *posts).json())
    assert len(things.find(keys="text")) == 1


# Classes that LeanCloud's services made

def test_master_key_creates_any_built_in_class(master, api, cast):
    name = f"_Service{unique('x')}"
    ours, theirs = Objects(master, name), Objects(api, name)
    assert_refused(theirs.post({"n": 1}), 400, 103)
    id = imported(ours, master, _state="a", n=1)
    assert theirs.read(id) == {"_state": "a", "n": 1}
    assert theirs.by(cast.owner).update(id, {"n": 2})


# Users and roles as exports have them

def import_user(master, **fields):
    id = unique("id")
    response = master.post("/1.1/users", json={"objectId": id} | fields)
    assert response.status_code == 201, response.text
    return id


@pytest.mark.parametrize("value", [None, ""], ids=["null", "empty"])
def test_users_without_names_do_not_collide(master, value):
    fields = {name: value for name in ("username", "email", "mobilePhoneNumber", "password", "salt")}
    ids = [import_user(master, **fields, emailVerified=None, mobilePhoneVerified=None) for _ in range(2)]
    users = [master.get(f"/1.1/users/{id}").json() for id in ids]
    assert len({user["username"] for user in users}) == 2
    assert all("email" not in user and "mobilePhoneNumber" not in user for user in users)


@pytest.mark.parametrize("fields", [
    {"email": "no address"}, {"mobilePhoneNumber": "138 0000"}, {"salt": "s"}, {"password": None, "salt": "s"},
    {"authData": None}, {"authData": {}}, {"authData": {"custom": {"access_token": "x"}}}, {"authData": {"weibo": {}}},
    {"ACL": {"role:gone": {"write": True}, MISSING: {"read": True}}}, {"importedFriend": pointer("_User"), "importedMap": {"": None}},
], ids=str)
def test_user_that_sign_ups_would_refuse_is_imported(master, fields):
    import_user(master, **{key: unique() + value if key == "email" else value for key, value in fields.items()})


def test_imported_union_identifies_its_user(master, api):
    union = unique()
    data = {"openid": unique(), "platform": "weixin", "unionid": union}
    id = import_user(master, authData={"weixin": data, "_weixin_unionid": {"uid": union}})
    other = {"openid": unique(), "platform": "weixin", "unionid": union, "main_account": False}
    assert api.post("/1.1/users", json={"authData": {"weixin_mini": {"uid": "x"} | other}}).json()["objectId"] == id


@pytest.mark.parametrize("platform", ["weixin_app", "wx-app"])
def test_imported_user_logs_in_by_its_openid(master, api, platform):
    data = {platform: {"openid": unique(), "access_token": "t"}}
    id = import_user(master, authData=data)
    assert api.post("/1.1/users", json={"authData": data}).json()["objectId"] == id


@pytest.mark.parametrize("name", ["管理员", "a:b", "admin@example.com", "."], ids=ascii)
def test_role_of_any_name_protects_objects(things, master, cast, name):
    name = unique(name)
    fields = {"name": name, "ACL": {"*": {"read": True}}, "users": op("AddRelation", objects=[cast.owner.pointer])}
    assert_refused(cast.guest.post("/1.1/roles", json=fields), 400, 139)
    response = master.post("/1.1/roles", json={"objectId": unique("id")} | fields)
    assert response.status_code == 201, response.text
    id = things.create(n=1, ACL={f"role:{name}": {"read": True, "write": True}})
    assert things.by(cast.owner).ids() >= {id} and things.by(cast.owner).update(id, {"n": 2})
    assert id not in things.by(cast.other).ids()
    assert_refused(things.by(cast.other).put(id, {"n": 3}), 403, 403)


def test_references_to_what_does_not_exist_are_imported(things, master):
    fields = {"parent": pointer(f"Gone{unique('x')}"), "file": {"__type": "File", "id": MISSING}, "map": {"": None, "a": [None]}}
    id = imported(things, master, **fields)
    assert things.read(id)["map"] == fields["map"]


def test_devices_with_one_token_are_imported(master):
    devices = Objects(master, "_Installation")
    token = unique("token")
    for _ in range(2):
        imported(devices, master, deviceToken=token, channels=["", "a"], deviceType="ios", timeZone=None)
    assert devices.count(deviceToken=token) == 2
