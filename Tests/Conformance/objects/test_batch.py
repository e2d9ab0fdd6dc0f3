"""Several requests in one: /batch, each for itself, and /batch/save, all or nothing."""

import pytest
from accounts import unique
from batches import answers, codes, delete, get, post, put, save
from client import assert_refused
from data import ID, MISSING, TIME, Objects, assert_400, batch, date, describe, op, own, pointer, relation, send

# /batch

def test_example_of_the_reference(things):
    changed, gone = things.create(n=7), things.create()
    seen = answers(batch(
        things.api,
        post(things, {"title": "a"}),
        put(things, changed, {"n": op("Increment", amount=1)}, params={"where": {"n": {"$lt": 5}}}),
        get(things, "f" * 24),
        delete(things, gone),
    ))
    assert set(seen[0]) == {"success"} and set(seen[0]["success"]) == {"objectId", "createdAt"}
    assert seen[1:] == [
        {"error": {"code": 305, "error": "No effect on updating/deleting a document."}}, {"success": None}, {"success": {}},
    ]


@pytest.mark.smoke
def test_each_answer_is_that_of_the_single_call(things):
    id = things.create(n=1, when=date())
    read, changed, found = answers(batch(things.api, get(things, id), put(things, id, {"n": 2}), get(things, limit=1)))
    assert own(read["success"]) == {"n": 1, "when": date()}
    assert set(changed["success"]) == {"updatedAt", "objectId"}
    assert found == {"success": {"results": [things.get(id).json()]}}


def test_requests_run_in_their_order(things):
    id = things.create(n=1)
    seen = answers(batch(things.api, *[step for _ in range(3) for step in (
        put(things, id, {"n": op("Increment", amount=1)}), get(things, id),
    )]))
    assert [item["success"]["n"] for item in seen[1::2]] == [2, 3, 4]


@pytest.mark.smoke
def test_failure_of_one_leaves_the_others(things):
    id = things.create(n=1)
    response = batch(things.api, put(things, id, {"n": 2}), post(things, {"n": "text"}), put(things, id, {"title": "a"}))
    assert codes(response) == [None, 111, None]
    assert things.read(id) == {"n": 2, "title": "a"}


def test_half_of_a_surrogate_pair_fails_no_request(things):
    id = things.create(n=1)
    cut = '{"method":"PUT","path":"%s/%s","body":{"title":"ab\\ud83d"}}' % (things.path, id)
    other = '{"method":"PUT","path":"%s/%s","body":{"n":2}}' % (things.path, id)
    response = send(things.api, "/1.1/batch", f'{{"requests":[{cut},{other}]}}'.encode())
    assert codes(response) == [None, None]
    assert things.read(id) == {"n": 2, "title": "ab\ufffd"}


@pytest.mark.parametrize("prefix", ["/1.1", ""])
@pytest.mark.parametrize("change", [str.upper, str.lower], ids=["upper", "lower"])
def test_methods_and_paths_in_their_forms(things, prefix, change):
    id, path = things.create(n=1), f"{prefix}/classes/{things.name}"
    response = batch(
        things.api,
        {"method": change("post"), "path": path, "body": {}},
        {"method": change("put"), "path": f"{path}/{id}", "body": {"n": 2}},
        {"method": change("get"), "path": f"{path}/{id}"},
        {"method": change("delete"), "path": f"{path}/{id}", "body": {}},
    )
    assert codes(response) == [None] * 4
    assert response.json()[2]["success"]["n"] == 2
    assert things.get(id).json() == {}


@pytest.mark.parametrize("where", [{"n": {"$gte": 2}}, '{"n":{"$gte":2}}', [{"n": {"$gte": 2}}]], ids=str)
def test_query_takes_its_condition_in_each_form(things, where):
    things.create(n=1)
    id = things.create(n=2)
    found, = answers(batch(things.api, get(things, where=where, limit=10)))
    assert id in {row["objectId"] for row in found["success"]["results"]}
    assert all(row["n"] == 2 for row in found["success"]["results"])


@pytest.mark.parametrize("params", [
    {"limit": 0, "count": 1}, {"limit": "0", "count": "1"}, {"limit": 0, "count": True, "where": {}},
], ids=str)
def test_query_counts(things, params):
    things.create()
    counted, = answers(batch(things.api, get(things, **params)))
    assert counted["success"] == {"results": [], "count": things.count()}


def test_query_takes_all_other_parameters(things):
    inner = things.create(name="inner")
    things.create(name="a", inner=things.pointer(inner), ACL={"*": {"read": True}})
    found, = answers(batch(things.api, get(
        things, where={"name": "a"}, include="inner", keys="inner,ACL", order="-name", skip="0", returnACL=True,
    )))
    row, = found["success"]["results"]
    assert (row["inner"]["name"], row["ACL"], "name" in row) == ("inner", {"*": {"read": True}}, False)


@pytest.mark.parametrize("flag", [{"fetchWhenSave": True}, {"fetchWhenSave": "true"}, {"new": True}], ids=str)
def test_flag_gives_the_object(things, flag):
    id = things.create(n=1)
    created, changed = answers(batch(
        things.api, post(things, {"n": 5}, params=flag), put(things, id, {"n": op("Increment", amount=1)}, params=flag)
    ))
    assert (own(created["success"]), own(changed["success"])) == ({"n": 5}, {"n": 2})


def test_missing_objects_and_classes(things):
    things.create()
    missing = Objects(things.api, "NeverMade")
    seen = answers(batch(
        things.api, get(things, MISSING), delete(things, MISSING), put(things, MISSING, {"n": 1}), get(missing),
        get(missing, MISSING),
    ))
    lost = {"code": 1, "error": f"Could not find object by id '{MISSING}' for class '{things.name}'."}
    nothing = {"code": 101, "error": "Class or object doesn't exists."}
    assert seen == [{"success": None}, {"success": {}}, {"error": lost}, {"error": nothing}, {"error": nothing}]


def test_ids_that_cannot_be(things, api):
    id, lost = things.create(n=1), {"code": 1, "error": f"Could not find object by id 'a-b' for class '{things.name}'."}
    seen = answers(batch(
        things.api, get(things, "a-b"), put(things, "a-b", {"n": 2}), delete(things, "a-b"),
        put(things, f"a-b,{id}", {"n": 2}),
    ))
    assert seen[:3] == [{"success": None}, {"error": lost}, {"success": {}}]
    assert seen[3]["error"]["code"] == 404
    assert_refused(api.get("/1.1/users/a-b"), 400, 211)
    assert things.read(id) == {"n": 1}


def test_delete_takes_several_ids(things):
    ids = [things.create() for _ in range(3)]
    assert answers(batch(things.api, delete(things, ",".join(ids), body={}))) == [{"success": {}}]
    assert things.find() == []


@pytest.mark.parametrize("where, codes_", [({"n": 1}, [None]), ({"n": 2}, [305])], ids=str)
def test_delete_with_a_condition(things, where, codes_):
    id = things.create(n=1)
    assert codes(batch(things.api, delete(things, id, params={"where": where}))) == codes_


def test_internal_id_is_not_stored(things):
    created, = answers(batch(things.api, post(things, {"n": 1, "__internalId": ""})))
    assert things.read(created["success"]["objectId"]) == {"n": 1}


def test_batch_of_three_hundred(things):
    seen = answers(batch(things.api, *[post(things, {"n": n}) for n in range(300)]))
    found = {row["objectId"]: row["n"] for row in things.find(limit=1000)}
    assert [found[item["success"]["objectId"]] for item in seen] == list(range(300))


def test_batch_of_nothing(api):
    assert answers(batch(api)) == []


def test_files_in_a_batch(api, master):
    file = Objects(api, "_File")
    record = api.store(b"x", name="x.txt")
    id = record["objectId"]
    assert answers(batch(api, get(file, id), get(file, MISSING))) == [{"success": record}, {"success": None}]
    for path in (file.path, "/1.1/files"):
        assert codes(batch(api, {"method": "DELETE", "path": f"{path}/{id}"})) == [403]
    assert answers(batch(master, {"method": "DELETE", "path": f"/1.1/files/{id}"})) == [{"success": {}}]
    assert answers(batch(api, get(file, id))) == [{"success": None}]


def test_caller_of_a_batch_is_the_caller_of_its_requests(things, master):
    describe(master, things, "secret", type="String", hidden=True)
    id = things.create(secret="s")
    assert [own(answers(batch(api, get(things, id)))[0]["success"]) for api in (things.api, master)] == [{}, {"secret": "s"}]
    assert codes(batch(things.api, {"method": "GET", "path": "/1.1/schemas"})) != [None]


@pytest.mark.parametrize("body", [
    b"[]", b"{}", b'{"requests":{}}', b'{"requests":5}', b'{"requests":null}', b"{", b"", b'"requests"',
])
@pytest.mark.parametrize("path", ["/1.1/batch", "/1.1/batch/save"])
def test_batch_that_is_none(api, path, body):
    assert_400(send(api, path, body))


BAD_ITEMS = [
    5, None, [], "GET", {}, {"method": "POST"}, {"path": "/1.1/classes/X"}, {"method": 5, "path": "/1.1/classes/X"},
    {"method": "GET", "path": 5}, {"method": "BREW", "path": "/1.1/classes/X"},
    {"method": "POST", "path": "/1.1/classes/X", "body": [1]},
    {"method": "POST", "path": "/1.1/classes/X", "body": "text"}, {"method": "GET", "path": "/1.1/nonsense"},
    {"method": "GET", "path": ""},
    {"method": "GET", "path": "http://127.0.0.1:1/1.1/classes/X"}, {"method": "GET", "path": "/1.1/../health"},
    {"method": "PATCH", "path": "/1.1/classes/X/y", "body": {}},
    {"method": "GET", "path": "/1.1/classes/X", "params": "limit=1"},
    {"method": "GET", "path": "/1.1/classes/X", "params": {"where": "{"}},
    {"method": "POST", "path": "/1.1/classes/1st", "body": {}}, {"method": "POST", "path": "/1.1/classes/_User", "body": {}},
]


@pytest.mark.parametrize("item", BAD_ITEMS, ids=str)
def test_bad_request_is_an_error_of_its_own_or_of_all(things, item):
    response = batch(things.api, post(things, {"n": 1}), item, post(things, {"n": 2}))
    if response.status_code == 200:
        first, bad, last = response.json()
        assert set(first) == set(last) == {"success"}
        assert set(bad) == {"error"} and set(bad["error"]) == {"code", "error"}
    else:
        assert_400(response)


# /batch/save


def test_example_of_the_reference_for_saves(api):
    folders, tasks = Objects(api, "batch_Folder"), Objects(api, "batch_Task")
    id = tasks.create(title="old")
    seen = answers(save(
        api,
        post(folders, {"name": "home", "__internalId": "A1"}, new=True),
        post(tasks, {
            "title": "wash", "__internalId": "B2", "__children": [{"className": folders.name, "cid": "A1", "key": "folder"}],
        }, new=True),
        put(tasks, id, {"__internalId": id, "tags": op("AddUnique", objects=["x"])}, params={"fetchWhenSave": True}),
    ))
    assert set(seen) == {"A1", "B2", id}
    for key in ("A1", "B2"):
        assert set(seen[key]) == {"objectId", "createdAt", "updatedAt"}
        assert ID.fullmatch(seen[key]["objectId"]) and TIME.fullmatch(seen[key]["updatedAt"])
    assert (set(seen[id]), seen[id]["tags"]) == ({"objectId", "updatedAt", "tags"}, ["x"])
    assert folders.read(seen["A1"]["objectId"]) == {"name": "home"}
    assert tasks.read(seen["B2"]["objectId"]) == {"title": "wash", "folder": folders.pointer(seen["A1"]["objectId"])}
    assert tasks.read(id) == {"title": "old", "tags": ["x"]}


def test_save_of_a_new_object(things):
    seen = answers(save(things.api, post(things, {"n": 1, "__internalId": "u-1"}, new=True, method="post")))
    assert things.get(seen["u-1"]["objectId"]).json() == seen["u-1"] | {"n": 1}


def test_save_of_an_existing_object(things):
    id = things.create(n=1)
    seen = answers(save(things.api, put(things, id, {"n": 2, "__internalId": id})))
    assert set(seen[id]) == {"objectId", "updatedAt"}
    assert things.read(id) == {"n": 2}


def test_save_with_the_flag_gives_the_fields(things):
    seen = answers(save(things.api, post(things, {"n": 1, "__internalId": "A"}, new=True, params={"fetchWhenSave": True})))
    assert own(seen["A"]) == {"n": 1}


def test_saves_of_one_object_are_one_answer(things):
    id = things.create(tags=["a", "b"])
    seen = answers(save(
        things.api,
        put(things, id, {"__internalId": id, "tags": op("Remove", objects=["a"])}),
        put(things, id, {"__internalId": id, "tags": op("Add", objects=["c"]), "n": 1}, params={"fetchWhenSave": True}),
    ))
    assert set(seen) == {id}
    assert own(seen[id]) == {"tags": ["b", "c"], "n": 1}
    assert things.read(id) == {"tags": ["b", "c"], "n": 1}


def test_change_without_an_id_is_of_the_object_made_before(things):
    seen = answers(save(
        things.api,
        post(things, {"title": "a", "__internalId": "A"}, new=True),
        post(things, {"title": "b", "__internalId": "B"}, new=True),
        {"method": "PUT", "path": things.path, "new": True, "body": {
            "__internalId": "B", "likes": op("AddRelation", objects=[pointer("Post")]),
            "__children": [{"className": things.name, "cid": "A", "key": "parent"}],
        }},
    ))
    assert set(seen) == {"A", "B"}
    assert {"objectId", "createdAt", "updatedAt"} <= set(seen["B"])
    parent = things.pointer(seen["A"]["objectId"])
    assert things.read(seen["B"]["objectId"]) == {"title": "b", "parent": parent, "likes": relation("Post")}
    assert things.read(seen["A"]["objectId"]) == {"title": "a", "likes": relation("Post")}


def test_new_object_that_is_saved_twice_is_made_once(api):
    folders, tasks = Objects(api, "batch_Folder"), Objects(api, "batch_Task")
    name = unique("home")
    seen = answers(save(
        api,
        post(folders, {"name": name, "__internalId": "F"}, new=True),
        post(folders, {"__internalId": "F"}, new=True),
        post(folders, {"n": 1, "__internalId": "F"}, new=True),
        post(tasks, {"__internalId": "T"}, new=True),
        {"method": "PUT", "path": tasks.path, "new": True, "body": {
            "__internalId": "T", "__children": [{"className": folders.name, "cid": "F", "key": "folder"}],
        }},
    ))
    assert set(seen) == {"F", "T"}
    assert all(set(value) == {"objectId", "createdAt", "updatedAt"} for value in seen.values())
    assert folders.ids(where={"name": name}) == {seen["F"]["objectId"]}
    assert folders.read(seen["F"]["objectId"]) == {"name": name, "n": 1}
    assert tasks.read(seen["T"]["objectId"]) == {"folder": folders.pointer(seen["F"]["objectId"])}


def test_new_objects_of_two_classes_with_one_name_are_refused(things):
    things.create()
    fresh = Objects(things.api, f"{things.name}_fresh")
    items = [post(objects, {"__internalId": "A"}, new=True) for objects in (things, fresh)]
    assert_refused(save(things.api, *items), 400, 1)
    assert things.count() == 1


def test_child_may_be_an_object_that_exists(things):
    child = things.create(name="child")
    seen = answers(save(things.api, post(things, {
        "__internalId": "A", "__children": [{"className": things.name, "cid": child, "key": "child"}],
    }, new=True)))
    assert things.read(seen["A"]["objectId"]) == {"child": things.pointer(child)}


@pytest.mark.parametrize("cid", ["missing", "B", "5f3a"])
def test_child_that_is_no_object_is_106(things, cid):
    things.create()
    before, child = things.count(), {"className": things.name, "cid": cid, "key": "child"}
    assert_refused(save(things.api, post(things, {"__internalId": "A", "__children": [child]}, new=True)), 400, 106, cid)
    assert things.count() == before


def test_new_object_is_completed_without_the_right_to_change_it(things):
    closed = {"*": {"read": True}}
    rest = {"__internalId": "A", "__children": [{"className": things.name, "cid": "B", "key": "child"}]}
    seen = answers(save(
        things.api,
        post(things, {"__internalId": "B", "ACL": closed}, new=True),
        post(things, {"__internalId": "A", "title": "a", "ACL": closed}, new=True),
        {"method": "PUT", "path": things.path, "new": True, "body": rest | {"tags": op("AddUnique", objects=["x"])}},
    ))
    id = seen["A"]["objectId"]
    assert things.read(id) == {"title": "a", "tags": ["x"], "child": things.pointer(seen["B"]["objectId"])}
    assert_refused(save(things.api, put(things, id, {"__internalId": id, "title": "b"})), 403, 403)


def test_object_may_have_several_children(things):
    seen = answers(save(
        things.api, *[post(things, {"__internalId": name}, new=True) for name in "AB"],
        post(things, {"__internalId": "C", "__children": [
            {"className": things.name, "cid": "A", "key": "a"}, {"className": things.name, "cid": "B", "key": "b"},
        ]}, new=True),
    ))
    a, b = (things.pointer(seen[name]["objectId"]) for name in "AB")
    assert things.read(seen["C"]["objectId"]) == {"a": a, "b": b}


def test_relation_of_a_new_object(things):
    liked = op("AddRelation", objects=[pointer("Post")])
    seen = answers(save(things.api, post(things, {"__internalId": "A", "likes": liked}, new=True)))
    assert things.ids(where={"likes": pointer("Post")}) == {seen["A"]["objectId"]}


@pytest.mark.parametrize("where, holds", [
    ({"n": 1}, True), ('{"n":1}', True), ({"n": 2}, False), ('{"n":2}', False),
], ids=str)
def test_save_with_a_condition(things, where, holds):
    id = things.create(n=1)
    response = save(things.api, put(things, id, {"__internalId": id, "n": 9}, params={"where": where}))
    if holds:
        assert answers(response)[id]["objectId"] == id
    else:
        assert_refused(response, 400, 305)
    assert things.read(id) == {"n": 9 if holds else 1}


FAILING = {
    "another type": lambda things, id: (put(things, id, {"n": "text", "__internalId": id}), 111),
    "bad column": lambda things, id: (post(things, {"bad?": 1, "__internalId": "B"}, new=True), 105),
    "bad class": lambda things, id: (post(Objects(None, "1st"), {"__internalId": "B"}, new=True), 103),
    "missing object": lambda things, id: (put(things, MISSING, {"n": 1, "__internalId": MISSING}), 1),
    "condition": lambda things, id: (put(things, id, {"n": 3, "__internalId": id}, params={"where": {"n": 0}}), 305),
    "malformed pointer": lambda things, id: (post(things, {"p": {"__type": "Pointer"}, "__internalId": "B"}, new=True), 106),
    "users": lambda things,
    id: ({"method": "POST", "path": "/1.1/users", "body": {"username": "a", "__internalId": "B"}}, 201),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("case", FAILING)
def test_one_failure_saves_nothing(things, master, case):
    id = things.create(n=1)
    count, schema = things.count(), master.get(f"/1.1/schemas/{things.name}").json()
    fresh = Objects(things.api, f"{things.name}_fresh")
    failing, code = FAILING[case](things, id)
    likes = op("AddRelation", objects=[pointer("Post")])
    assert_refused(save(
        things.api,
        post(things, {"n": 2, "column": 1, "__internalId": "A"}, new=True),
        post(fresh, {"__internalId": "C"}, new=True),
        put(things, id, {"n": op("Increment", amount=1), "likes": likes, "__internalId": id}),
        failing,
    ), 400, code)
    assert (things.read(id), things.count()) == ({"n": 1}, count)
    assert master.get(f"/1.1/schemas/{things.name}").json() == schema
    assert fresh.query().json()["code"] == 101


def test_what_was_not_saved_can_be_saved_with_another_type(things):
    things.create()
    fresh = Objects(things.api, f"{things.name}_fresh")
    assert_refused(save(
        things.api, post(things, {"n": 1, "__internalId": "A"}, new=True),
        post(fresh, {"n": 1, "__internalId": "B"}, new=True),
        post(things, {"n": "text", "__internalId": "C"}, new=True),
    ), 400, 111)
    assert [objects.read(objects.create(n="text")) for objects in (things, fresh)] == [{"n": "text"}] * 2


def test_unique_failure_saves_nothing(things, master):
    describe(master, things, "name", type="String", unique=True)
    response = save(things.api, *[post(things, {"name": "a", "__internalId": id}, new=True) for id in "AB"])
    assert_refused(response, 400, 137)
    assert things.find() == []


@pytest.mark.parametrize("children", [
    5, {}, [5], [{}], [{"cid": "A"}], [{"className": "X", "cid": "A"}], [{"className": "X", "key": "x"}],
    [{"className": "X", "cid": 5, "key": "x"}], [{"className": "X", "cid": "A", "key": "bad?"}],
], ids=str)
def test_malformed_children(things, children):
    assert_400(save(things.api, post(things, {"__internalId": "B", "__children": children}, new=True)))


@pytest.mark.parametrize("path", ["/classes/{}/{}", "/users/{1}", "/classes/_User/{1}"])
def test_creation_with_an_id_in_the_path(things, master, path):
    id, users = things.create(n=1), Objects(master, "_User")
    body = {"username": f"u{id}", "password": "p4ss", "__internalId": id}
    item = {"method": "POST", "path": "/1.1" + path.format(things.name, id), "body": body}
    assert codes(batch(things.api, item)) == [404]
    assert_refused(save(things.api, post(things, {"__internalId": "A"}, new=True), item), 404, 404)
    assert things.ids(where={"username": f"u{id}"}) == users.ids(where={"username": f"u{id}"}) == set()


def test_change_of_several_ids_in_a_save(things):
    ids = [things.create(n=1) for _ in range(2)]
    assert_refused(save(things.api, put(things, ",".join(ids), {"n": 2, "__internalId": "A"})), 404, 404)
    assert [things.read(id) for id in ids] == [{"n": 1}] * 2


def test_change_without_an_id_of_what_was_not_made(things):
    things.create()
    assert_400(save(things.api, {"method": "PUT", "path": things.path, "new": True, "body": {"__internalId": "Z", "n": 1}}))


UNKNOWN_PATHS = ["/1.1/nonsense", "", "http://127.0.0.1:1/1.1/classes/X", "/1.1/../health"]


@pytest.mark.few(2)
@pytest.mark.parametrize("item", BAD_ITEMS, ids=str)
def test_bad_request_refuses_the_save(things, item):
    things.create()
    before = things.count()
    response = save(things.api, post(things, {"__internalId": "A"}, new=True), item)
    is_unknown = isinstance(item, dict) and item.get("path") in UNKNOWN_PATHS
    assert response.status_code == (404 if is_unknown else 400)
    assert set(response.json()) == {"code", "error"}
    assert things.count() == before


def test_installation_is_saved_like_an_object(api):
    body = {"__internalId": "I", "deviceType": "ios"}
    seen = answers(save(api, {"method": "POST", "path": "/1.1/installations", "new": True, "body": body}))
    assert own(api.get(f"/1.1/installations/{seen['I']['objectId']}").json()) == {"deviceType": "ios"}


def test_save_of_nothing(api):
    assert answers(save(api)) == {}
