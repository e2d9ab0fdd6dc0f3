"""Objects: creating, reading, changing, deleting, and what an answer holds."""

import json
import re
from threading import Event

import pytest
from client import ALPHA, API, assert_refused, credentials
from data import (
    ID, MISSING, TIME, VALUES, Objects, at_once, batch, date, describe, geopoint, op, own, pointer, relation, send,
)
from wire import NoAnswer, Wire

NO_CLASS = {"code": 101, "error": "Class or object doesn't exists."}
NO_EFFECT = {"code": 305, "error": "No effect on updating/deleting a document."}
FLAGS = [{"fetchWhenSave": "true"}, {"new": "true"}, {"fetchWhenSave": True}]


# Creating

@pytest.mark.parametrize("sent, stored", [
    (r"ab\ud83d", "ab\ufffd"), (r"\ude00b", "\ufffdb"), (r"\ud83d\u0041", "\ufffdA"), (r"\ud83d\ud83d\ude00", "\ufffd😀"),
], ids=ascii)
def test_half_of_a_surrogate_pair_is_stored_as_the_replacement_character(things, sent, stored):
    response = send(things.api, things.path, f'{{"title":"{sent}"}}'.encode())
    assert things.read(response.json()["objectId"]) == {"title": stored}


@pytest.mark.smoke
def test_create_answers_with_id_and_time(things):
    response = things.post({"title": "wash"})
    body = response.json()
    assert (response.status_code, set(body)) == (201, {"objectId", "createdAt"})
    assert ID.fullmatch(body["objectId"]) and TIME.fullmatch(body["createdAt"])


def test_create_tells_the_relative_location(things):
    response = things.post({})
    assert response.headers["Location"] == f"/1.1/classes/{things.name}/{response.json()['objectId']}"


def test_answers_are_json_that_nobody_keeps(things):
    headers = things.post({}).headers
    assert headers["Content-Type"] == "application/json;charset=utf-8"
    assert (headers["Cache-Control"], headers["Pragma"]) == ("no-cache,no-store", "no-cache")


@pytest.mark.parametrize("flag", FLAGS, ids=str)
def test_create_with_the_flag_answers_with_the_object(things, flag):
    body = things.post({"title": "wash", "when": date()}, **flag).json()
    assert own(body) == {"title": "wash", "when": date()}
    assert body == things.get(body["objectId"]).json()


@pytest.mark.parametrize("query", [
    "fetchWhenSave=false", "new=false", "className=", "where=&fetchWhenSave=", "new=null&nonsense=1", 'where={"title":"no"}',
])
def test_create_passes_over_parameters_that_say_nothing(things, query):
    response = things.api.post(f"{things.path}?{query}", json={"title": "wash"})
    assert (response.status_code, set(response.json())) == (201, {"objectId", "createdAt"})


@pytest.mark.parametrize("type", ["application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8"])
def test_content_type_may_name_the_charset(things, type):
    response = things.api.post(things.path, data='{"title":"茶"}'.encode(), headers={"Content-Type": type})
    assert things.read(response.json()["objectId"]) == {"title": "茶"}


def test_body_may_come_in_chunks(things):
    response = send(things.api, things.path, iter([b'{"title":"wa', b'sh"}']))
    assert things.read(response.json()["objectId"]) == {"title": "wash"}


@pytest.mark.smoke
def test_object_without_fields_is_an_object(things):
    assert things.read(things.create()) == {}


def test_ids_rise(things):
    ids = [things.create() for _ in range(20)]
    assert ids == sorted(set(ids))


def test_new_object_was_updated_when_it_was_created(things):
    created = things.post({}).json()
    assert things.get(created["objectId"]).json() == created | {"updatedAt": created["createdAt"]}


@pytest.mark.parametrize("field, value", [
    ("__ignore_hooks", ["beforeSave"]), ("__internalId", "A1"), ("__internalId", ""), ("__children", []),
    ("_method", "GET"), ("_ApplicationId", "a"), ("_ApplicationKey", "k"), ("_MasterKey", "m"), ("_SessionToken", "s"),
    ("_ApplicationProduction", 1), ("_ClientVersion", "js0.5"), ("_InstallationId", "i"),
])
def test_control_fields_are_never_stored(things, field, value):
    id = things.create(**{field: value, "title": "a"})
    things.update(id, {field: value})
    assert things.read(id) == {"title": "a"}


@pytest.mark.parametrize("column", ["id", "_private", "name2", "A", "x_Y_9", "select", "order", "error"])
def test_ordinary_columns(things, column):
    assert things.read(things.create(**{column: "x"})) == {column: "x"}


# Values

@pytest.mark.parametrize("type", VALUES)
def test_value_of_each_type_comes_back(things, type):
    assert things.read(things.create(**{type: VALUES[type]})) == {type: VALUES[type]}


@pytest.mark.few(2)
@pytest.mark.parametrize("type", VALUES)
def test_value_of_each_type_comes_back_from_inside(things, type):
    fields = {"list": [VALUES[type], [VALUES[type]]], "object": {"a": VALUES[type], "b": {"c": [VALUES[type]]}}}
    assert things.read(things.create(**fields)) == fields


@pytest.mark.few(2)
@pytest.mark.parametrize("text", [
    "", "茶 🍵 e\u0301", "a\"b\\c/d\n\t", "'; DROP TABLE x; --", "\u2028\ufeff\x7f", "x" * 50_000,
],
                         ids=lambda text: ascii(text[:9]))
def test_any_text_comes_back(things, text):
    assert things.read(things.create(text=text)) == {"text": text}


@pytest.mark.parametrize("number", ["0", "1000", "-7", "9007199254740991", "1.5", "-0.001", "1e+100", "0.1"])
def test_number_keeps_its_form(things, number):
    response = send(things.api, things.path, f'{{"n":{number}}}'.encode())
    stored = things.get(response.json()["objectId"])
    assert stored.json()["n"] == json.loads(number)
    assert ("." in number or "e" in number) or re.search(rf'"n":{number}[,}}]', stored.text)


def test_null_is_stored(things):
    assert things.read(things.create(title=None)) == {"title": None}


@pytest.mark.parametrize("given, kept", [
    ("2024-03-01T08:00:00Z", "2024-03-01T08:00:00.000Z"), ("2024-03-01T08:00:00.1Z", "2024-03-01T08:00:00.100Z"),
    ("2024-03-01T08:00:00.12Z", "2024-03-01T08:00:00.120Z"), ("2024-03-01T08:00:00.120000Z", "2024-03-01T08:00:00.120Z"),
    ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"), ("2024-02-29T00:00:00.000Z", "2024-02-29T00:00:00.000Z"),
])
def test_date_has_three_digits(things, given, kept):
    assert things.read(things.create(when=date(given), all=[date(given)])) == {"when": date(kept), "all": [date(kept)]}


@pytest.mark.parametrize("fields", [
    {"here": geopoint(40, -30)}, {"all": [geopoint(40, -30)]}, {"deep": {"here": geopoint(40, -30)}},
])
def test_geopoint_has_decimals(things, fields):
    id = things.create(**fields)
    for text in (things.get(id).text, things.query(where={"objectId": id}).text):
        assert re.search(r'"latitude":40\.0[,}]', text) and re.search(r'"longitude":-30\.0[,}]', text), text


@pytest.mark.parametrize("latitude, longitude", [(90, 180), (-90, -180), (0, 0), (89.999999, -179.999999)])
def test_geopoint_at_the_edge(things, latitude, longitude):
    id = things.create(here=geopoint(latitude, longitude))
    assert things.read(id) == {"here": geopoint(latitude, longitude)}


@pytest.mark.parametrize("given", [
    pointer("Folder") | {"name": "home", "createdAt": "2024-03-01T08:00:00.120Z"}, pointer("Folder") | {"__type": "Object"},
    pointer("Folder") | {"__type": "Object", "deep": {"a": [1]}},
])
def test_pointer_is_kept_bare(things, given):
    assert things.read(things.create(folder=given, all=[given])) == {"folder": pointer("Folder"), "all": [pointer("Folder")]}


# Files

@pytest.fixture
def record(api):
    return api.store(b"a file", name="a.txt", metaData='{"album":"summer"}')


FILES = {
    "File by id": lambda record: {"__type": "File", "id": record["objectId"]},
    "File by id with name and url": lambda record: {
        "__type": "File", "id": record["objectId"], "name": "a.txt", "url": record["url"],
    },
    "File by objectId": lambda record: {"__type": "File", "objectId": record["objectId"]},
    "File by id beside null": lambda record: {"__type": "File", "id": record["objectId"], "objectId": None},
    "whole File": lambda record: {"__type": "File"} | record,
    "Pointer": lambda record: pointer("_File", record["objectId"]),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("form", FILES)
def test_file_in_any_form_comes_back_whole(things, record, form):
    id = things.create(picture=FILES[form](record))
    expected = {"__type": "File"} | record
    for seen in (things.read(id)["picture"], things.find(where={"objectId": id})[0]["picture"]):
        assert {name: seen[name] for name in expected} == expected


@pytest.mark.few(2)
@pytest.mark.parametrize("form", FILES)
def test_file_in_a_list_is_whole_only_when_included(things, record, form):
    id = things.create(pictures=[FILES[form](record)])
    bare, = things.read(id)["pictures"]
    assert (bare["objectId"], "url" in bare) == (record["objectId"], False)
    whole, = things.read(id, include="pictures")["pictures"]
    assert (whole["__type"], whole["name"], whole["url"]) == ("File", "a.txt", record["url"])


def test_file_without_a_url_has_an_empty_one_in_a_field(api, things):
    id = FILE.by(api).post({"name": "nowhere.txt"}).json()["objectId"]
    thing = things.create(picture={"__type": "File", "id": id})
    assert {name: things.read(thing)["picture"][name] for name in ("name", "url")} == {"name": "nowhere.txt", "url": ""}


@pytest.mark.parametrize("key", ["picture.url", "picture.metaData", "picture.name"])
def test_keys_below_a_file_leave_what_sdks_need(things, record, key):
    id = things.create(picture=FILES["File by id"](record))
    picture = things.read(id, keys=key)["picture"]
    names = {"objectId", "name", "url", "__type"} | {key.split(".")[1]}
    assert {name: picture.get(name) for name in names} == {name: (record | {"__type": "File"})[name] for name in names}
    assert "mime_type" not in picture


def test_file_in_an_answer_to_a_save_is_whole(things, record):
    body = things.post({"picture": FILES["File by id"](record)}, fetchWhenSave="true").json()
    assert body["picture"]["url"] == record["url"]


# Reading

def test_object_has_no_class_name(things):
    assert not {"className", "__type"} & set(things.get(things.create(title="a")).json())


def test_missing_object_is_an_empty_object(things):
    things.create()
    response = things.get(MISSING)
    assert (response.status_code, response.json()) == (200, {})


def test_missing_class_is_101(api):
    for path in ("/1.1/classes/NeverMade", f"/1.1/classes/NeverMade/{MISSING}"):
        response = api.get(path)
        assert (response.status_code, response.json()) == (404, NO_CLASS)


def test_reading_makes_no_class(api, master):
    api.get("/1.1/classes/OnlyRead")
    assert "OnlyRead" not in master.get("/1.1/schemas").json()


@pytest.mark.parametrize("body", [b"null", b"{}", b""])
def test_get_may_carry_a_body(things, body):
    id = things.create(title="a")
    assert send(things.api, f"{things.path}/{id}", body, "GET").json()["title"] == "a"


def test_object_of_a_query_is_that_of_a_get(things):
    id = things.create(title="a", when=date(), here=geopoint(1, 2))
    assert things.find() == [things.get(id).json()]


# Changing

def test_change_answers_with_id_and_time(things):
    id = things.create(n=1)
    body = things.update(id, {"n": 2})
    assert (set(body), body["objectId"]) == ({"updatedAt", "objectId"}, id)
    assert TIME.fullmatch(body["updatedAt"])


def test_change_leaves_other_fields_and_the_creation_alone(things):
    created = things.post({"n": 1, "title": "a"}).json()
    changed = things.update(created["objectId"], {"n": 2})
    assert things.get(created["objectId"]).json() == created | changed | {"n": 2, "title": "a"}
    assert changed["updatedAt"] >= created["createdAt"]


@pytest.mark.parametrize("flag", FLAGS, ids=str)
def test_change_with_the_flag_answers_with_what_it_touched(things, flag):
    id = things.create(n=1, title="a", other="b")
    body = things.update(id, {"n": op("Increment", amount=2), "title": "c"}, **flag)
    assert own(body) == {"n": 3, "title": "c"}
    assert {"objectId", "updatedAt"} <= set(body)


def test_change_with_the_flag_answers_with_relations(things):
    id = things.create(n=1, likes=op("AddRelation", objects=[pointer("Post")]))
    assert own(things.update(id, {"n": 2}, fetchWhenSave="true")) == {"n": 2, "likes": relation("Post")}


def test_change_of_a_missing_object_says_which(things):
    things.create()
    response = things.put(MISSING, {"n": 1})
    error = f"Could not find object by id '{MISSING}' for class '{things.name}'."
    assert (response.status_code, response.json()) == (400, {"code": 1, "error": error})


def test_change_of_a_missing_object_makes_none(things):
    things.create()
    things.put(MISSING, {"n": 1})
    assert things.count() == 1


def test_change_without_fields_is_a_change(things):
    id = things.create(n=1)
    assert set(things.update(id, {})) == {"updatedAt", "objectId"}
    assert things.read(id) == {"n": 1}


def test_null_replaces_a_value(things):
    id = things.create(title="a")
    things.update(id, {"title": None})
    assert things.read(id) == {"title": None}


def test_one_bad_field_changes_nothing(things):
    id = things.create(n=1, title="a")
    assert_refused(things.put(id, {"n": 2, "title": 5}), 400, 111)
    assert things.read(id) == {"n": 1, "title": "a"}


@pytest.mark.parametrize("where", [{"n": 1}, '{"n":1}', {"n": {"$lt": 5}, "title": "a"}, [{"n": 1}, {"title": "a"}], "", {}])
def test_change_where_it_holds(things, where):
    id = things.create(n=1, title="a")
    things.update(id, {"n": 9}, where=where)
    assert things.read(id)["n"] == 9


@pytest.mark.parametrize("where", [{"n": 2}, {"n": {"$gt": 5}}, {"missing": 1}, {"objectId": MISSING}])
def test_change_where_it_does_not_hold_has_no_effect(things, where):
    id = things.create(n=1)
    response = things.put(id, {"n": 9}, where=where)
    assert (response.status_code, response.json()) == (400, NO_EFFECT)
    assert things.read(id) == {"n": 1}


def test_condition_holds_at_the_moment_of_the_change(things, server):
    id = things.create(left=10)

    def take(_):
        fields = {"left": op("Decrement", amount=1)}
        return things.by(server.api()).put(id, fields, where={"left": {"$gt": 0}}).status_code

    statuses = at_once(take, 40)
    assert (statuses.count(200), statuses.count(400)) == (10, 30)
    assert things.read(id) == {"left": 0}


@pytest.mark.extended
def test_increments_at_once_lose_none(things, server):
    id = things.create(n=0)
    statuses = at_once(lambda _: things.by(server.api()).put(id, {"n": op("Increment", amount=1)}).status_code, 200)
    assert statuses == [200] * 200
    assert things.read(id) == {"n": 200}


def test_first_objects_of_a_class_at_once_are_all_kept(things, server):
    statuses = at_once(lambda n: things.by(server.api()).post({f"c{n % 10}": n}).status_code, 50)
    assert statuses == [201] * 50
    assert things.count() == 50


# Deleting

def test_delete_answers_with_an_empty_object(things):
    response = things.delete(things.create())
    assert (response.status_code, response.json()) == (200, {})


def test_deleted_object_is_gone(things):
    gone, kept = things.create(), things.create()
    things.delete(gone)
    assert (things.get(gone).json(), things.ids()) == ({}, {kept})


@pytest.mark.parametrize("body", [b"", b"{}", b"null", b'{"__ignore_hooks":["beforeDelete"]}'])
def test_delete_may_carry_a_body(things, body):
    id = things.create()
    assert send(things.api, f"{things.path}/{id}", body, "DELETE").json() == {}
    assert things.get(id).json() == {}


def test_deleting_twice_is_no_error(things):
    id = things.create()
    assert [things.delete(id).json() for _ in range(2)] == [{}, {}]


@pytest.mark.parametrize("separator", [",", "%2C"])
def test_delete_takes_several_ids(things, separator):
    ids = [things.create() for _ in range(4)]
    response = things.delete(separator.join(ids[:2] + [MISSING, ids[2]]))
    assert (response.status_code, response.json()) == (200, {})
    assert things.ids(where={"objectId": {"$in": ids}}) == {ids[3]}


def test_delete_where_it_does_not_hold_has_no_effect(things):
    id = things.create(n=1)
    response = things.delete(id, where={"n": 2})
    assert (response.status_code, response.json()) == (400, NO_EFFECT)
    assert things.read(id) == {"n": 1}


def test_delete_where_it_holds(things):
    id = things.create(n=1)
    assert things.delete(id, where={"n": 1}).status_code == 200
    assert things.get(id).json() == {}


def test_class_outlives_its_objects(things):
    things.delete(things.create(n=1))
    assert things.find() == []
    assert_refused(things.post({"n": "text"}), 400, 111)


# Columns that rows lack

def test_relation_is_on_every_row(things):
    before = things.create(n=1)
    things.create(likes=op("AddRelation", objects=[pointer("Post")]))
    after = things.create(n=2)
    assert [things.read(id).get("likes") for id in (before, after)] == [relation("Post")] * 2
    assert [row["likes"] for row in things.find()] == [relation("Post")] * 3


def test_relation_is_in_the_answer_to_a_create_with_the_flag(things):
    things.create(likes=op("AddRelation", objects=[pointer("Post")]))
    assert things.post({}, fetchWhenSave="true").json()["likes"] == relation("Post")


def test_other_columns_are_left_out(things):
    id = things.create(a=1)
    things.create(b=1)
    assert things.read(id) == {"a": 1}


@pytest.mark.few(2)
@pytest.mark.parametrize("type, value", [
    ("Number", 7), ("String", "x"), ("Boolean", False), ("Array", [1]), ("Object", {"a": 1}),
])
def test_default_is_shown_on_rows_that_lack_it(things, master, type, value):
    id = things.create()
    describe(master, things, type, type=type, default=value)
    assert things.read(id)[type] == value
    assert things.post({}, fetchWhenSave="true").json()[type] == value


def test_default_does_not_hide_a_value(things, master):
    describe(master, things, "n", type="Number", default=7)
    assert things.read(things.create(n=1)) == {"n": 1}


def test_default_is_not_seen_by_queries(things, master):
    describe(master, things, "n", type="Number", default=7)
    things.create(title="lacks it")
    stored = things.create(n=7)
    assert things.ids(where={"n": 7}) == {stored}


def test_default_is_where_increments_do_not_start(things, master):
    describe(master, things, "n", type="Number", default=7)
    id = things.create()
    things.update(id, {"n": op("Increment", amount=1)})
    assert things.read(id) == {"n": 1}


def test_hidden_column_is_shown_to_the_master_key_alone(things, master):
    describe(master, things, "secret", type="String", hidden=True)
    id = things.create(secret="s", n=1)
    assert things.read(id) == {"n": 1}
    assert own(things.find()[0]) == {"n": 1}
    assert things.by(master).read(id) == {"secret": "s", "n": 1}


@pytest.mark.parametrize("query", [{"keys": "secret,n"}, {"include": "secret"}])
def test_hidden_column_cannot_be_asked_for(things, master, query):
    describe(master, things, "secret", type="String", hidden=True)
    assert things.read(things.create(secret="s", n=1), **query) == {"n": 1}


def test_hidden_column_is_not_in_answers_to_saves(things, master):
    describe(master, things, "secret", type="String", hidden=True)
    body = things.post({"secret": "s"}, fetchWhenSave="true").json()
    assert "secret" not in body
    assert "secret" not in things.update(body["objectId"], {"secret": "t"}, fetchWhenSave="true")


def test_hidden_column_is_not_in_included_objects(things, master):
    describe(master, things, "secret", type="String", hidden=True)
    inner = things.create(secret="s", n=1)
    outer = things.create(inner=things.pointer(inner))
    assert "secret" not in things.read(outer, include="inner")["inner"]


# ACL

OPEN = {"*": {"read": True, "write": True}}


def test_acl_comes_only_when_asked_for(things):
    acl = {"*": {"read": True}, "role:Editors": {"write": True}, MISSING: {"read": True, "write": True}}
    id = things.create(ACL=acl)
    assert things.read(id) == {}
    assert own(things.find()[0]) == {}
    assert things.read(id, returnACL="true") == {"ACL": acl}
    assert own(things.find(returnACL="true")[0]) == {"ACL": acl}


def test_object_without_acl_is_open(things):
    assert things.read(things.create(), returnACL="true") == {"ACL": OPEN}


def test_acl_can_be_changed(things):
    id = things.create(ACL=OPEN)
    things.update(id, {"ACL": OPEN | {MISSING: {"read": True}}})
    assert things.read(id, returnACL="true") == {"ACL": OPEN | {MISSING: {"read": True}}}


# Keys and include

@pytest.fixture
def family(things, api):
    """A child with a parent with a parent, each with a name and a colour."""
    top = things.create(name="top", color="red")
    middle = things.create(name="middle", color="green", parent=things.pointer(top))
    bottom = things.create(name="bottom", color="blue", parent=things.pointer(middle), all=[things.pointer(top)], n=1)
    return things, top, middle, bottom


def both(things, id, **query):
    """The object by its id, which is that of a query."""
    one, (other,) = things.get(id, **query).json(), things.find(where={"objectId": id}, **query)
    assert one == other
    return one


@pytest.mark.few(2)
@pytest.mark.parametrize("keys, seen", [
    ("name", {"name"}), ("name,color", {"name", "color"}), ("name, n", {"name", "n"}), ("missing", set()),
    ("-name", {"color", "parent", "all", "n"}), ("-name,-color,-n", {"parent", "all"}),
    ("", {"name", "color", "parent", "all", "n"}),
])
def test_keys_choose_the_fields(family, keys, seen):
    things, *_, bottom = family
    assert set(both(things, bottom, keys=keys)) == seen | {"objectId", "createdAt", "updatedAt"}


@pytest.mark.parametrize("key", ["createdAt", "updatedAt", "objectId"])
def test_minus_leaves_out_even_what_every_object_has(family, key):
    things, *_, bottom = family
    assert key not in things.find(where={"objectId": bottom}, keys=f"-{key}")[0]


def test_keys_reach_into_objects(things):
    id = things.create(profile={"city": "Lyon", "zip": 1}, n=1)
    assert own(both(things, id, keys="profile.city")) == {"profile": {"city": "Lyon"}}


def test_pointer_is_bare_without_include(family):
    things, _, middle, bottom = family
    assert both(things, bottom)["parent"] == things.pointer(middle)


def test_included_pointer_gains_all_fields(family):
    things, _, middle, bottom = family
    expected = things.pointer(middle) | things.get(middle).json()
    assert both(things, bottom, include="parent")["parent"] == expected


def test_include_goes_through_several_pointers(family):
    things, top, _, bottom = family
    seen = both(things, bottom, include="parent.parent")["parent"]
    assert seen["name"] == "middle"
    assert seen["parent"] == things.pointer(top) | things.get(top).json()


def test_include_expands_a_list_of_pointers(family):
    things, top, _, bottom = family
    assert both(things, bottom, include="all")["all"] == [things.pointer(top) | things.get(top).json()]


def test_include_goes_one_level_through_a_list(things):
    top = things.create(name="top")
    middle = things.create(parent=things.pointer(top))
    id = things.create(all=[things.pointer(middle)])
    assert both(things, id, include="all")["all"][0]["parent"] == things.pointer(top)


def test_include_takes_several_names(family):
    things, top, _, bottom = family
    seen = both(things, bottom, include="all, parent")
    assert (seen["all"][0]["name"], seen["parent"]["name"]) == ("top", "middle")


@pytest.mark.few(2)
@pytest.mark.parametrize("include", ["name,n", "missing", "missing.deeper", "name.x", "", "parentx,n"])
def test_include_passes_over_what_is_no_pointer(family, include):
    things, *_, bottom = family
    assert both(things, bottom, include=include) == things.get(bottom).json()


def test_dangling_pointer_stays_bare(things):
    fields = {"gone": things.pointer(MISSING), "never": pointer("NeverMade"), "all": [things.pointer(MISSING)]}
    id = things.create(**fields)
    assert own(both(things, id, include="gone,never,all")) == fields


def test_pointer_to_itself_is_included_once_a_level(things):
    id = things.create(name="a")
    things.update(id, {"self": things.pointer(id)})
    seen = both(things, id, include="self.self")
    assert seen["self"]["self"]["name"] == "a"
    assert seen["self"]["self"]["self"] == things.pointer(id)


def test_keys_limit_an_included_object(family):
    things, _, middle, bottom = family
    seen = both(things, bottom, include="parent", keys="name,parent.name")
    assert {"name", "parent"} == set(own(seen))
    assert seen["parent"]["name"] == "middle"
    assert not {"color", "parent"} & set(seen["parent"])
    assert seen["parent"]["objectId"] == middle


def test_keys_limit_an_object_two_pointers_away(family):
    things, *_, bottom = family
    seen = both(things, bottom, include="parent.parent", keys="parent.parent.color")["parent"]["parent"]
    assert (seen["color"], "name" in seen) == ("red", False)


def test_acl_of_included_objects_comes_only_when_asked_for(family):
    things, *_, bottom = family
    assert "ACL" not in things.read(bottom, include="parent")["parent"]


# Other routes and other apps

def test_installations_are_objects_of_their_class(api):
    response = api.post("/1.1/installations", json={"deviceType": "ios", "channels": ["a"]})
    id = response.json()["objectId"]
    assert (response.status_code, response.headers["Location"]) == (201, f"/1.1/classes/_Installation/{id}")
    assert api.call("PUT", f"/1.1/installations/{id}", json={"channels": ["b"]}).status_code == 200
    seen = api.get(f"/1.1/installations/{id}").json()
    assert own(seen) == {"deviceType": "ios", "channels": ["b"]}
    assert seen == api.get(f"/1.1/classes/_Installation/{id}").json()
    assert seen in api.get("/1.1/installations").json()["results"]
    assert api.call("DELETE", f"/1.1/installations/{id}").json() == {}
    assert api.get(f"/1.1/installations/{id}").json() == {}


FILE = Objects(None, "_File")


def test_file_is_read_and_found_like_an_object(api, record):
    id = record["objectId"]
    assert FILE.by(api).get(id).json() == record
    assert FILE.by(api).find(where={"objectId": id}) == [record]
    assert FILE.by(api).find(where={"key": record["key"]}, keys="name")[0]["name"] == "a.txt"
    assert FILE.by(api).count(key=record["key"]) == 1


def test_missing_file_is_an_empty_object_here(api):
    assert FILE.by(api).get(MISSING).json() == {}


def test_file_is_deleted_by_the_master_key_alone(api, master, record):
    assert_refused(FILE.by(api).delete(record["objectId"]), 403, 403)
    assert FILE.by(master).delete(record["objectId"]).json() == {}
    assert FILE.by(api).get(record["objectId"]).json() == {}


def test_file_cannot_be_changed(api, record):
    assert FILE.by(api).put(record["objectId"], {"name": "b.txt"}).status_code == 403
    assert FILE.by(api).get(record["objectId"]).json() == record


def test_file_cannot_be_made_of_nothing(api):
    before = api.count()
    assert_refused(FILE.by(api).post({"mime_type": "text/plain"}), 400, 1, "url")
    assert api.count() == before


def test_class_of_one_app_is_missing_in_the_other(things, beta):
    things.create()
    assert_refused(things.by(beta).query(), 404, 101)


def test_object_of_one_app_is_missing_in_the_other(things, beta):
    id = things.create(n=1)
    theirs = things.by(beta).create(n="another type")
    assert things.by(beta).get(id).json() == {}
    assert things.by(beta).put(id, {"n": "x"}).json()["code"] == 1
    assert things.by(beta).delete(id).json() == {}
    assert (things.ids(), things.by(beta).ids()) == ({id}, {theirs})


def test_time_needs_no_credentials(server):
    nobody = API(server, ALPHA, {})
    nobody.headers = {}
    body = nobody.get("/1.1/date").json()
    assert (set(body), body["__type"]) == ({"__type", "iso"}, "Date")
    assert TIME.fullmatch(body["iso"])


CALLS = [
    ("POST", "/1.1/classes/X"), ("GET", "/1.1/classes/X"), ("GET", f"/1.1/classes/X/{MISSING}"),
    ("PUT", f"/1.1/classes/X/{MISSING}"),
    ("DELETE", f"/1.1/classes/X/{MISSING}"), ("POST", "/1.1/batch"), ("POST", "/1.1/batch/save"),
    ("GET", "/1.1/scan/classes/X"),
    ("GET", "/1.1/schemas"), ("GET", "/1.1/schemas/X"), ("PUT", "/1.1/schemas/X/a"), ("GET", "/1.1/indexes/X"),
    ("POST", "/1.1/indexes/X"), ("DELETE", "/1.1/indexes/X/a"), ("POST", "/1.1/installations"),
]


@pytest.mark.parametrize("method, path", CALLS)
def test_wrong_key_is_refused_everywhere(server, method, path):
    response = API(server, ALPHA, {"X-LC-Key": "wrong"}).call(method, path, json={})
    assert (response.status_code, response.json()) == (401, {"code": 401, "error": "Unauthorized."})


@pytest.mark.parametrize("session", ["", "never-was", "k3v9x0q2m7c1b8z5n4w6a0s3d"])
def test_stale_session_is_nobody(things, session):
    response = things.api.post(things.path, json={"n": 1}, headers={"X-LC-Session": session})
    assert response.status_code == 201


# The tunnel

def tunnel(server, path, **fields):
    nobody = API(server, ALPHA, {})
    nobody.headers = {"Content-Type": "text/plain"}
    fields = {"_ApplicationId": ALPHA.id, "_ApplicationKey": ALPHA.key} | fields
    return nobody.post(path, data=json.dumps(fields).encode())


def test_tunnelled_create(things, server):
    response = tunnel(server, things.path, title="a")
    assert response.status_code == 201
    assert things.read(response.json()["objectId"]) == {"title": "a"}


def test_tunnelled_change(things, server):
    id = things.create(done=False)
    response = tunnel(server, f"{things.path}/{id}", _method="PUT", done=True)
    assert (response.status_code, set(response.json())) == (200, {"updatedAt", "objectId"})
    assert things.read(id) == {"done": True}


def test_tunnelled_query(things, server):
    id = things.create(n=1)
    things.create(n=2)
    body = tunnel(server, things.path, _method="GET", where={"n": 1}, limit=5, count=1).json()
    assert body == {"results": [things.get(id).json()], "count": 1}


def test_tunnelled_delete(things, server):
    id = things.create()
    assert tunnel(server, f"{things.path}/{id}", _method="DELETE").json() == {}
    assert things.get(id).json() == {}


# What was answered is kept

@pytest.mark.extended
def test_answered_objects_outlive_a_kill(new_server):
    server = new_server().start()
    things = Objects(server.api(), "Kept")
    ids = [things.create(n=n, likes=op("AddRelation", objects=[pointer("Post", MISSING)])) for n in range(20)]
    things.update(ids[0], {"n": op("Increment", amount=100)})
    things.delete(ids[1])
    saved = batch(server.api(), {"method": "POST", "path": "/1.1/classes/Kept", "body": {"n": 1000}}).json()
    server.kill()
    server.start()
    kept = Objects(server.api(), "Kept").find(limit=1000)
    assert {row["n"] for row in kept} == {100, *range(2, 20), 1000}
    assert saved[0]["success"]["objectId"] in {row["objectId"] for row in kept}
    assert all(row["likes"] == relation("Post") for row in kept)


@pytest.mark.extended
def test_answered_objects_outlive_a_kill_in_the_middle(new_server):
    server = new_server().start()
    answered, killed = [], Event()

    def create(number):
        wire = Wire(server.port, credentials())
        try:
            # A head whose body the server did not live to send is no answer.
            reply = wire.send("POST", "/1.1/classes/Kept", {"n": number})
        except NoAnswer:
            assert killed.is_set()
            return
        finally:
            wire.close()
        assert reply.status == 201, reply.content
        answered.append(reply.json()["objectId"])
        if len(answered) >= 40 and not killed.is_set():
            killed.set()
            server.process.kill()

    at_once(create, 400, workers=8)
    server.kill()
    server.start()
    assert len(answered) >= 40
    assert set(answered) <= Objects(server.api(), "Kept").ids(limit=1000)
