"""Classes and columns: names, types, flags, limits, and the endpoints that show and set them."""

import pytest
from cases import some
from client import BETA, Server, assert_refused
from data import (
    DELETE, MASTER_ONLY, MISSING, VALUES, Objects, assert_400, at_once, blob, date, describe, geopoint, op, pointer,
    send,
)

TAKEN = "A unique field was given a value that is already taken."


def assert_mismatch(response, *words):
    assert_refused(response, 400, 111)
    assert all(word in response.json()["error"] for word in words), response.json()["error"]


# Names

@pytest.mark.single
@pytest.mark.parametrize("name", [
    "1st", "a-b", "a%20b", "a.b", "%E8%8C%B6", "_New", "__x", "a$b", "a%00b", "a'b", "%27", "a%22b",
])
def test_bad_class_name(api, name):
    assert_refused(Objects(api, name).post({"n": 1}), 400, 103)


@pytest.mark.parametrize("name", [
    "_Conversation", "_ConversationMemberInfo", "_SysMessage", "_Notification",
])
def test_built_in_class_that_apps_use_like_their_own(api, name):
    things = Objects(api, name)
    id = things.create(name="a", m=["u1"])
    assert things.put(id, {"m": {"__op": "AddUnique", "objects": ["u2"]}}).status_code == 200
    assert things.find(where={"m": "u2"})[0]["objectId"] == id
    assert things.delete(id).status_code == 200


@pytest.mark.parametrize("name", ["_Identity", "_Upload", "_UploadPart", "_Usage", "_Deletion"])
def test_class_of_lcfile_is_for_no_caller(api, master, name):
    for caller in (api, master):
        assert_refused(Objects(caller, name).post({"n": 1}), 400, 103)


def test_session_is_made_by_a_log_in_alone(api, master):
    assert_refused(Objects(api, "_Session").post({"n": 1}), 403, 403)
    assert_refused(Objects(master, "_Session").post({"n": 1}), 400, 119)


@pytest.mark.parametrize("name", ["A", "a1_b", "schema_select", "Order", "sqlite_master", "objects"])
def test_good_class_name(api, name):
    things = Objects(api, name)
    assert things.read(things.create(n=1)) == {"n": 1}


def test_class_names_keep_their_case(api):
    upper, lower = Objects(api, "schema_Case"), Objects(api, "schema_case")
    ids = upper.create(n=1), lower.create(n="text")
    assert (upper.ids(), lower.ids()) == ({ids[0]}, {ids[1]})


BAD_COLUMNS = ["bad?", "a-b", "a b", "茶", "a$b", "a/b", "a'b", "a\"b", "a\0b", "a\t", "é"]
RESERVED = [
    "OBJECTID", "objectid", "createdat", "CreatedAt", "UPDATEDAT", "updatedat", "className", "classname", "CLASSNAME", "acl",
    "Acl", "__x", "__type2",
]


@pytest.mark.few(2)
@pytest.mark.parametrize("column", BAD_COLUMNS, ids=ascii)
def test_bad_column_name(things, column):
    assert_refused(things.post({column: 1}), 400, 105)
    id = things.create(n=1)
    for value in (1, op("Increment", amount=1), op("AddRelation", objects=[pointer("Post")])):
        assert_refused(things.put(id, {column: value}), 400, 105)
    assert things.read(id) == {"n": 1}


def test_bad_column_name_is_said(things):
    error = (
        "Invalid key name. Keys are case-sensitive and 'a-zA-Z0-9_' are the only valid characters. The column is: 'bad?'."
    )
    assert things.post({"bad?": 1}).json() == {"code": 105, "error": error}


@pytest.mark.parametrize("column", RESERVED)
def test_reserved_column_name(things, column):
    assert_refused(things.post({column: 1}), 400, 105)


@pytest.mark.parametrize("column, value", [
    ("objectId", MISSING), ("createdAt", "2024-03-01T08:00:00.120Z"), ("updatedAt", date()), ("createdAt", DELETE),
])
def test_built_in_columns_are_not_for_clients(things, column, value):
    response = things.post({column: value})
    assert response.json()["code"] == 105
    id = things.create()
    before = things.get(id).json()
    response = things.put(id, {column: value})
    assert response.json()["code"] == 105
    assert things.get(id).json() == before


def test_column_names_keep_their_case(things):
    fields = {"name": "a", "Name": 1, "NAME": True}
    assert things.read(things.create(**fields)) == fields


@pytest.mark.few(2)
@pytest.mark.parametrize("value", [
    {"$a": 1}, {"a.b": 1}, {"a": {"$b": 1}}, [{"$a": 1}], [[{"a": {"b.c": 1}}]], {"$": 1}, {"a$b": 1}, {".": 1},
    op("Add", objects=[{"$a": 1}]), op("AddUnique", objects=[{"a": {"b.c": 1}}]),
], ids=str)
def test_bad_inner_name(things, value):
    assert_refused(things.post({"x": value}), 400, 121)
    id = things.create(n=1)
    assert_refused(things.put(id, {"x": value}), 400, 121)


@pytest.mark.parametrize("name", ["a b", "a-b", "茶", "objectId", "createdAt", "a'b\"c", "__x", "1"], ids=ascii)
def test_inner_names_are_free_otherwise(things, name):
    fields = {"x": {name: 1, "y": [{name: 2}]}}
    assert things.read(things.create(**fields)) == fields


# Types

@pytest.fixture(scope="module")
def typed(api):
    """A class with a column of each type, and an object with them all."""
    objects = Objects(api, "schema_typed")
    return objects, objects.create(**VALUES, Relation=op("AddRelation", objects=[pointer("Post")]))


PAIRS = [(column, type) for column in [*VALUES, "Relation"] for type in VALUES if type != column]


@pytest.mark.few(2)
@pytest.mark.parametrize("column, type", some(PAIRS, 8))
def test_value_of_another_type(typed, column, type):
    objects, id = typed
    before = objects.get(id).json()
    start, end = f"Invalid value type for field '{column}',value '", f"but it is '{{:type \"{type}\""
    for response in (objects.post({column: VALUES[type]}), objects.put(id, {column: VALUES[type]})):
        assert_mismatch(response, start, f'expect type is {{:type "{column}"', end)
    assert objects.get(id).json() == before


@pytest.mark.parametrize("fixed, given, error", [
    (date(), "2024-03-01", """value '"2024-03-01"',expect type is {:type "Date"},but it is '{:type "String"}'."""),
    (True, "yes", """value '"yes"',expect type is {:type "Boolean"},but it is '{:type "String"}'."""),
    ("x", 5, """value '5',expect type is {:type "String"},but it is '{:type "Number"}'."""),
    (pointer("Folder"), "x",
     """value '"x"',expect type is {:type "Pointer", :className "Folder"},but it is '{:type "String"}'."""),
], ids=str)
def test_sentence_of_a_mismatch(api, fixed, given, error):
    things = Objects(api, f"schema_sentence_{type(fixed).__name__}_{type(given).__name__}_{len(error)}")
    things.create(when=fixed)
    assert things.post({"when": given}).json() == {"code": 111, "error": f"Invalid value type for field 'when',{error}"}


@pytest.mark.smoke
def test_pointer_to_another_class(things):
    things.create(folder=pointer("Folder"))
    assert_mismatch(things.post({"folder": pointer("Post")}), ':className "Folder"', ':className "Post"')


def test_file_column_takes_files_alone(things, api):
    id = api.store(b"x", name="x.txt")["objectId"]
    things.create(picture={"__type": "File", "id": id})
    for value in ("text", pointer("Folder"), {"a": 1}):
        assert_mismatch(things.post({"picture": value}), "'picture'")
    assert things.post({"picture": pointer("_File", id)}).status_code == 201


def test_null_fits_every_type(typed):
    objects, _ = typed
    for column in VALUES:
        id = objects.create(**{column: None})
        objects.delete(id)


def test_null_fixes_no_type(things):
    things.create(n=None)
    things.create(n=1)
    assert_mismatch(things.post({"n": "text"}), "'n'")


def test_refused_object_fixes_no_type(things):
    things.create(a=1)
    assert_mismatch(things.post({"a": "text", "b": "text"}), "'a'")
    things.create(b=1)


def test_refused_object_makes_no_class(api, master):
    assert_refused(api.post("/1.1/classes/schema_refused", json={"bad?": 1}), 400, 105)
    assert "schema_refused" not in master.get("/1.1/schemas").json()


@pytest.mark.parametrize("id, where", [(MISSING, ""), (None, {"n": 2})], ids=["missing object", "condition"])
def test_refused_change_makes_no_column(things, master, id, where):
    existing = things.create(n=1)
    likes = op("AddRelation", objects=[pointer("Post")])
    assert_400(things.put(id or existing, {"column": 1, "likes": likes}, where=where))
    assert not {"column", "likes"} & set(master.get(f"/1.1/schemas/{things.name}").json())


def test_any_takes_everything(things, master):
    assert describe(master, things, "any", type="Any") == {"type": "Any"}
    for value in [*VALUES.values(), None]:
        assert things.read(things.create(any=value)) == {"any": value}


def test_columns_of_two_classes_are_apart(things, api):
    things.create(n=1)
    Objects(api, f"{things.name}_2").create(n="text")


def test_type_that_first_objects_disagree_on_is_one(things, server):
    values = list(VALUES.values())
    statuses = at_once(lambda n: things.by(server.api()).post({"x": values[n % len(values)]}).status_code, 45)
    assert set(statuses) == {201, 400}
    assert len({type(row["x"]).__name__ for row in things.find(limit=1000)}) == 1


# Values of a type that are malformed

MALFORMED = "Malformed pointer. Pointers must be arrays of a classname and an object id."


@pytest.mark.parametrize("value", [
    {"__type": "Pointer"}, {"__type": "Pointer", "className": "Folder"}, {"__type": "Pointer", "objectId": MISSING},
    {"__type": "Pointer", "className": 5, "objectId": MISSING}, {"__type": "Pointer", "className": "Folder", "objectId": 5},
    {"__type": "Pointer", "className": "Folder", "objectId": None}, {"__type": "Object", "className": "Folder"},
], ids=str)
def test_malformed_pointer(things, value):
    for fields in ({"x": value}, {"x": [value]}, {"x": {"y": value}}):
        response = things.post(fields)
        assert (response.status_code, response.json()) == (400, {"code": 106, "error": MALFORMED})


@pytest.mark.parametrize("latitude, longitude", [(90.0001, 0), (-91, 0), (0, 180.0001), (0, -181), (1e300, 0)])
def test_geopoint_out_of_range(things, latitude, longitude):
    value = geopoint(latitude, longitude)
    for fields in ({"x": value}, {"y": [value]}):
        assert_refused(things.post(fields), 400, 302)


@pytest.mark.parametrize("value", [
    {"__type": "Nonsense"}, {"__type": ""}, {"__type": 5}, {"__type": None},
    {"__type": "pointer", "className": "A", "objectId": "x"},
], ids=str)
def test_unknown_type(things, value):
    for fields in ({"x": value}, {"x": [value]}, {"x": {"y": value}}):
        assert_refused(things.post(fields), 400, 107)


@pytest.mark.few(2)
@pytest.mark.parametrize("value", [
    date(None), date(5), date(""), date("yesterday"), date("2024-13-01T00:00:00.000Z"), date("2024-02-30T00:00:00.000Z"),
    date("2024-03-01T25:00:00.000Z"), {"__type": "Date"}, geopoint("1", "2"), geopoint(None, 1),
    {"__type": "GeoPoint", "latitude": 1}, {"__type": "GeoPoint"}, blob("not base64!"), blob(5), {"__type": "Bytes"},
    {"__type": "File"}, {"__type": "File", "id": 5}, {"__type": "Relation", "className": ""},
    {"__type": "Relation", "className": 5},
], ids=str)
def test_malformed_value(things, value):
    assert_400(things.post({"x": value}))
    assert_400(things.post({"x": [value]}))


# Flags of columns

def test_required_column(things, master):
    describe(master, things, "title", type="String", required=True)
    assert_refused(things.post({"n": 1}), 400, 113, "title")
    assert_refused(things.by(master).post({}), 400, 113, "title")
    things.create(title="a")


def test_required_column_may_stay_out_of_a_change(things, master):
    describe(master, things, "title", type="String", required=True)
    id = things.create(title="a")
    things.update(id, {"n": 1})
    assert things.read(id) == {"title": "a", "n": 1}


@pytest.mark.parametrize("value", ["b", DELETE], ids=str)
def test_read_only_column(things, master, value):
    describe(master, things, "title", type="String", readOnly=True)
    id = things.by(master).create(title="a")
    assert_refused(things.put(id, {"title": value}), 400, 117, "title")
    assert things.read(id) == {"title": "a"}


def test_read_only_column_on_create(things, master):
    describe(master, things, "title", type="String", readOnly=True)
    assert_refused(things.post({"title": "a"}), 400, 117, "title")
    things.create(n=1)


def test_read_only_column_is_read_only_inside(things, master):
    describe(master, things, "p", type="Object", readOnly=True)
    id = things.by(master).create(p={"a": 1})
    assert_refused(things.put(id, {"p.a": 2}), 400, 117, "p")


def test_master_key_writes_read_only_columns(things, master):
    describe(master, things, "title", type="String", readOnly=True)
    id = things.by(master).create(title="a")
    things.by(master).update(id, {"title": "b"})
    assert things.read(id) == {"title": "b"}


def assert_taken(response):
    assert (response.status_code, response.json()["code"]) == (400, 137)
    assert response.json()["error"].startswith(TAKEN)


@pytest.mark.parametrize("type, value", [
    ("String", "a"), ("Number", 5), ("Date", date()), ("Pointer", pointer("Folder")), ("Boolean", True),
])
def test_unique_column(things, master, type, value):
    describe(master, things, type, type=type, unique=True, **({"className": "Folder"} if type == "Pointer" else {}))
    things.create(**{type: value})
    assert_taken(things.post({type: value}))


def test_unique_column_on_change(things, master):
    describe(master, things, "name", type="String", unique=True)
    things.create(name="a")
    id = things.create(name="b")
    assert_taken(things.put(id, {"name": "a", "n": 1}))
    assert things.read(id) == {"name": "b"}
    things.update(id, {"name": "b", "n": 2})


def test_unique_value_is_free_again(things, master):
    describe(master, things, "name", type="String", unique=True)
    first, second = things.create(name="a"), things.create(name="b")
    things.delete(first)
    things.update(second, {"name": "c"})
    things.create(name="a")
    things.create(name="b")


def test_unique_tells_cases_apart(things, master):
    describe(master, things, "name", type="String", unique=True)
    things.create(name="a")
    things.create(name="A")


def test_unique_tells_forms_of_a_letter_apart(things, master):
    describe(master, things, "name", type="String", unique=True)
    things.create(name="\u00e9")
    things.create(name="e\u0301")


def test_unique_value_at_once_is_taken_once(things, master, server):
    describe(master, things, "name", type="String", unique=True)
    statuses = at_once(lambda _: things.by(server.api()).post({"name": "a"}).status_code, 32)
    assert sorted(statuses) == [201] + [400] * 31


def test_column_with_equal_values_cannot_become_unique(things, master):
    for _ in range(2):
        things.create(name="a")
    response = master.call("PUT", f"/1.1/schemas/{things.name}/name", json={"unique": True})
    assert 400 <= response.status_code < 500
    assert "unique" not in master.get(f"/1.1/schemas/{things.name}").json()["name"]
    things.create(name="a")


def test_auto_increment_numbers_new_objects(things, master):
    describe(master, things, "no", type="Number", autoIncrement=True)
    numbers = [things.read(things.create())["no"] for _ in range(3)]
    assert numbers == [numbers[0], numbers[0] + 1, numbers[0] + 2]
    assert things.post({}, fetchWhenSave="true").json()["no"] == numbers[0] + 3


def test_auto_increment_at_once_gives_each_its_own(things, master, server):
    describe(master, things, "no", type="Number", autoIncrement=True)
    numbers = at_once(lambda _: things.by(server.api()).post({}, fetchWhenSave="true").json()["no"], 40)
    assert len(set(numbers)) == 40


def test_auto_increment_takes_no_number_again(things, master):
    describe(master, things, "no", type="Number", autoIncrement=True)
    id = things.create()
    last = things.read(id)["no"]
    things.delete(id)
    assert things.read(things.create())["no"] > last


def test_auto_increment_keeps_a_number_of_the_master_key(things, master):
    describe(master, things, "no", type="Number", autoIncrement=True)
    imports = things.by(master)
    assert imports.post({"no": 100}, fetchWhenSave="true").json()["no"] == 100
    assert things.read(things.create())["no"] == 101
    assert_refused(things.post({"no": 500}), 400, 117, "no")
    assert_400(imports.post({"no": 5.5}), "whole number")


def test_class_whose_last_number_is_taken_says_so(things, master):
    describe(master, things, "no", type="Number", autoIncrement=True)
    things.by(master).create(no=2**53 - 1)
    assert_400(things.post({}), "has no further number")


# The schema

def schema(master, objects):
    response = master.get(f"/1.1/schemas/{objects.name}")
    assert response.status_code == 200, response.text
    return response.json()


def test_schema_tells_the_types(things, api, master):
    file = {"__type": "File", "id": api.store(b"x", name="x")["objectId"]}
    things.create(**VALUES, File=file, Relation=op("AddRelation", objects=[pointer("Post")]))
    described = schema(master, things)
    assert {column: described[column]["type"] for column in [*VALUES, "File", "Relation"]} == {
        column: column for column in [*VALUES, "File", "Relation"]
    }
    assert (described["Pointer"]["className"], described["Relation"]["className"]) == ("Folder", "Post")


def test_schema_of_a_class_is_its_part_of_all(things, master):
    things.create(n=1)
    assert master.get("/1.1/schemas").json()[things.name] == schema(master, things)


def test_schema_of_another_app_is_apart(things, server):
    things.create(n=1)
    assert things.name not in server.api(BETA, master=True).get("/1.1/schemas").json()


def test_schema_of_a_missing_class(master):
    assert_refused(master.get("/1.1/schemas/NeverMade"), 404, 101)


@pytest.mark.parametrize("method, path", [
    ("GET", "/1.1/schemas"), ("GET", "/1.1/schemas/{name}"), ("PUT", "/1.1/schemas/{name}/n"),
    ("GET", "/1.1/indexes/{name}"),
    ("POST", "/1.1/indexes/{name}"), ("DELETE", "/1.1/indexes/{name}/n"),
])
def test_schema_is_for_the_master_key(things, method, path):
    things.create(n=1)
    response = things.api.call(method, path.format(name=things.name), json={"type": "Number", "fields": ["n"]})
    assert (response.status_code, response.json()) == (403, {"code": 119, "error": MASTER_ONLY})


@pytest.mark.parametrize("flags", [
    {"type": "String"}, {"type": "Number", "default": 5}, {"type": "Pointer", "className": "Folder"},
    {"type": "Relation", "className": "Post"}, {"type": "Any"}, {"type": "String", "unique": True, "required": True},
    {"type": "Object", "readOnly": True, "hidden": True}, {"type": "GeoPoint"}, {"type": "File"}, {"type": "Bytes"},
], ids=str)
def test_column_is_made_and_described(master, flags):
    objects = Objects(None, "schema_made_" + "_".join(flags) + flags["type"])
    assert describe(master, objects, "x", **flags) == flags
    assert schema(master, objects)["x"] == flags


def test_column_of_an_unknown_class_makes_the_class(things, master):
    describe(master, things, "n", type="Number")
    assert things.find() == []
    assert_mismatch(things.post({"n": "text"}), "'n'")


def test_flags_are_set_and_taken_back(things, master):
    things.create(n=1)
    assert describe(master, things, "n", hidden=True) == {"type": "Number", "hidden": True}
    assert describe(master, things, "n", readOnly=True) == {"type": "Number", "hidden": True, "readOnly": True}
    assert describe(master, things, "n", hidden=False) == {"type": "Number", "readOnly": True}


def test_flags_of_a_missing_column_need_a_type(things, master):
    things.create(n=1)
    response = master.call("PUT", f"/1.1/schemas/{things.name}/m", json={"hidden": True})
    assert 400 <= response.status_code < 500
    assert "m" not in schema(master, things)


@pytest.mark.few(2)
@pytest.mark.parametrize("flags", [
    {"type": "String"}, {"type": "Nonsense"}, {"type": 5}, {"type": "Pointer"}, {"unique": "yes"}, {"default": "text"},
    {"required": 1},
], ids=str)
def test_bad_flags_change_nothing(things, master, flags):
    things.create(n=1)
    before = schema(master, things)
    assert_400(master.call("PUT", f"/1.1/schemas/{things.name}/n", json=flags))
    assert schema(master, things) == before


def test_auto_increment_is_for_numbers(things, master):
    things.create(title="a")
    assert_400(master.call("PUT", f"/1.1/schemas/{things.name}/title", json={"autoIncrement": True}))


@pytest.mark.parametrize("column", ["bad%3F", "className", "__x", "acl"])
def test_bad_column_name_in_the_schema(things, master, column):
    things.create(n=1)
    assert_refused(master.call("PUT", f"/1.1/schemas/{things.name}/{column}", json={"type": "String"}), 400, 105)


def test_bad_class_name_in_the_schema(master):
    assert_refused(master.call("PUT", "/1.1/schemas/1st/x", json={"type": "String"}), 400, 103)


@pytest.mark.extended
def test_flags_outlive_a_restart(new_server):
    server = new_server().start()
    things = Objects(server.api(), "Kept")
    describe(server.api(master=True), things, "name", type="String", unique=True, default="x")
    things.create(name="a")
    server.kill()
    server.start()
    described = server.api(master=True).get("/1.1/schemas/Kept").json()["name"]
    assert described == {"type": "String", "unique": True, "default": "x"}
    assert_taken(Objects(server.api(), "Kept").post({"name": "a"}))


# Indexes

@pytest.mark.few(2)
@pytest.mark.parametrize("fields, name", [
    (["a"], "a"), (["b.c"], "b.c"), (["a", "d"], "a,d"), (["a", "b.c"], "a,b.c"),
])
def test_index_is_made_listed_and_deleted(things, master, fields, name):
    things.create(a=1, b={"c": 1}, d=date())
    path = f"/1.1/indexes/{things.name}"
    response = master.post(path, json={"fields": fields})
    assert (response.status_code, response.json()) == (201, {"name": name, "fields": fields})
    assert response.json() in master.get(path).json()["results"]
    assert master.call("DELETE", f"{path}/{name}").json() == {}
    assert response.json() not in master.get(path).json()["results"]


def test_index_changes_no_answer(things, master):
    ids = [things.create(n=n % 3, p={"x": n}, name=f"{n % 2}") for n in range(9)]
    queries = [{"n": 1}, {"n": {"$gt": 0}}, {"p.x": {"$lte": 4}}, {"name": "1", "n": 2}, {"n": None}, {"n": {"$ne": 1}}]
    before = [things.ids(where=where) for where in queries]
    for fields in (["n"], ["p.x"], ["name", "n"], ["n", "p.x"]):
        assert master.post(f"/1.1/indexes/{things.name}", json={"fields": fields}).status_code == 201
    assert [things.ids(where=where) for where in queries] == before
    things.update(ids[0], {"n": 1})
    assert things.ids(where={"n": 1}) == before[0] | {ids[0]}


@pytest.mark.parametrize("body", [
    {}, {"fields": []}, {"fields": "a"}, {"fields": [1]}, {"fields": ["bad?"]}, {"fields": ["a'b"]}, {"fields": [""]},
],
                         ids=str)
def test_bad_index(things, master, body):
    things.create(a=1)
    assert_400(master.post(f"/1.1/indexes/{things.name}", json=body))


def test_index_of_a_missing_class(master):
    assert_refused(master.get("/1.1/indexes/NeverMade"), 404, 101)


# Limits

def test_object_beyond_128_kb(things):
    assert things.post({"text": "x" * 100_000}).status_code == 201
    assert_refused(things.post({"text": "x" * 140_000}), 400, 116)


def test_object_that_grows_beyond_128_kb(things):
    id = things.create(a="x" * 100_000, all=["y" * 10_000])
    for fields in ({"b": "x" * 50_000}, {"all": op("Add", objects=["x" * 50_000])}):
        assert_refused(things.put(id, fields), 400, 116)
    assert things.read(id) == {"a": "x" * 100_000, "all": ["y" * 10_000]}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server with small limits."""
    server = Server(
        tmp_path_factory.mktemp("small"), LCFILE_OBJECTS_MAX_SIZE="2KB", LCFILE_OBJECTS_MAX_COLUMNS="20",
        LCFILE_OBJECTS_MAX_CLASSES="8", LCFILE_HTTP_MAX_JSON_SIZE="16KB",
    ).start()
    yield server
    assert server.stop() == 0


def test_largest_object_is_a_setting(small):
    things = Objects(small.api(), "Small")
    assert things.post({"text": "x" * 1500}).status_code == 201
    assert_refused(things.post({"text": "x" * 2100}), 400, 116)


def test_largest_body_is_a_setting(small):
    things = Objects(small.api(), "Small")
    assert_refused(things.post({"text": "x" * 17_000}), 413, 413, "16384")
    assert_refused(send(small.api(), "/1.1/batch", iter([b"x" * 10_000, b"x" * 10_000])), 413, 413, "16384")


def test_most_columns_is_a_setting(small):
    things = Objects(small.api(master=True), "Small")
    answers = [things.post({f"c{number}": 1}) for number in range(21)]
    assert all(answer.status_code == 201 for answer in answers[:12])
    assert_refused(answers[-1], 400, 1, "limit is 20 ")
    assert things.post({"c0": 2}).status_code == 201


def test_guests_leave_columns_and_classes_for_the_master_key(small):
    guests, masters = (Objects(small.api(master=master), "Shared") for master in (False, True))
    answers = [guests.post({f"c{number}": 1}) for number in range(13)]
    assert [answer.status_code for answer in answers] == [201] * 12 + [400]
    assert "limit is 12 (objects.maxColumns, objects.guestShare)" in answers[-1].json()["error"]
    assert masters.post({"c12": 1}).status_code == 201
    assert guests.post({"c12": 2}).status_code == 201


def test_refused_columns_leave_nothing(small):
    things = Objects(small.api(master=True), "Small")
    before = small.api(master=True).get("/1.1/schemas/Small").json()
    assert_refused(things.post({f"d{number}": 1 for number in range(30)}), 400, 1, "limit is 20 ")
    assert small.api(master=True).get("/1.1/schemas/Small").json() == before


def test_most_classes_is_a_setting(small):
    answers = [Objects(small.api(master=True), f"C{number}").post({"n": 1}) for number in range(9)]
    assert all(answer.status_code == 201 for answer in answers[:3])
    assert_refused(answers[-1], 400, 1, "limit is 8 ")
    assert Objects(small.api(), "C0").post({"n": 2}).status_code == 201
