"""What reviews found: limits that had a way around them, values that could be written but not read, odd names."""

import hashlib
import itertools
import json

import pytest
from batches import answers, codes, delete as deletion, get, post, put as change, save
from cases import count
from chance import FIELDS, Chance
from client import Server, assert_refused
from data import DELETE, MISSING, VALUES, Objects, assert_400, batch, date, describe, op, own, pointer, send
from queries import put

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server of these tests' own: each case has a class of its own, which are many."""
    server = Server(tmp_path_factory.mktemp("hardening"), LCFILE_OBJECTS_MAX_CLASSES="1000").start()
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture(scope="module")
def api(server):
    return server.api()


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


NUMBERS = itertools.count()


@pytest.fixture
def things(api):
    """A class that no other case uses."""
    return Objects(api, f"Case{next(NUMBERS)}")


def nest(levels, name="x"):
    """Objects inside each other, with a number in the innermost."""
    value = 1
    for _ in range(levels):
        value = {name: value}
    return value


def columns(master, objects):
    return set(master.get(f"/1.1/schemas/{objects.name}").json())


# Conditions of changes

@pytest.fixture
def rules(things):
    """Another class for sub-queries to ask, with one open and one closed rule."""
    rules = Objects(things.api, f"{things.name}_rule")
    return {name: rules.pointer(rules.create(name=name, open=name == "a")) for name in "ab"}


def of_rules(rules, where):
    return {"className": rules["a"]["className"], "where": where}


def selecting(rules, where, operator="$select"):
    return {operator: {"query": of_rules(rules, where), "key": "name"}}


CONDITIONS = {
    "$inQuery": lambda rules, open: {"rule": {"$inQuery": of_rules(rules, {"open": open})}},
    "$notInQuery": lambda rules, open: {"rule": {"$notInQuery": of_rules(rules, {"open": not open})}},
    "$select": lambda rules, open: {"name": selecting(rules, {"open": open})},
    "$dontSelect": lambda rules, open: {"name": selecting(rules, {"open": not open}, "$dontSelect")},
    "in $or": lambda rules, open: {"$or": [{"name": "z"}, {"name": selecting(rules, {"open": open})}]},
    "nested": lambda rules, open: {
        "name": selecting(rules, {"name": selecting(rules, {"open": open, "name": {"$regex": "^[ab]$"}})})
    },
    "regex": lambda rules, open: {"name": {"$regex": "^a$" if open else "^b$"}},
    "sub-query with a regex": lambda rules, open: {"name": selecting(rules, {"name": {"$regex": "a" if open else "b"}})},
}


@pytest.mark.few(2)
@pytest.mark.parametrize("case", CONDITIONS)
def test_change_under_a_condition(things, rules, case):
    id = things.create(name="a", rule=rules["a"], n=1)
    assert_refused(things.put(id, {"n": 2}, where=CONDITIONS[case](rules, False)), 400, 305)
    assert things.read(id)["n"] == 1
    things.update(id, {"n": 2}, where=CONDITIONS[case](rules, True))
    assert things.read(id)["n"] == 2


@pytest.mark.few(2)
@pytest.mark.parametrize("case", CONDITIONS)
def test_delete_under_a_condition(things, rules, case):
    id = things.create(name="a", rule=rules["a"])
    assert_refused(things.delete(id, where=CONDITIONS[case](rules, False)), 400, 305)
    assert things.count() == 1
    assert things.delete(id, where=CONDITIONS[case](rules, True)).json() == {}
    assert things.count() == 0


@pytest.mark.few(2)
@pytest.mark.parametrize("case", CONDITIONS)
def test_batches_under_a_condition(things, rules, case):
    id = things.create(name="a", rule=rules["a"], n=1)
    unmet, met = ({"params": {"where": CONDITIONS[case](rules, open)}} for open in (False, True))
    assert_refused(save(things.api, change(things, id, {"n": 2, "__internalId": id}, **unmet)), 400, 305)
    assert id in answers(save(things.api, change(things, id, {"n": 2, "__internalId": id}, **met)))
    assert codes(batch(
        things.api, change(things, id, {"n": 3}, **unmet), deletion(things, id, **unmet),
        change(things, id, {"n": 4}, **met), get(things, id), deletion(things, id, **met),
    )) == [305, 305, None, None, None]
    assert things.count() == 0


def test_sub_query_sees_what_the_batch_changed_before(things):
    first, second = things.create(name="a", open=False), things.create(name="a")
    where = {"name": {"$select": {"query": {"className": things.name, "where": {"open": True}}, "key": "name"}}}
    assert codes(batch(
        things.api, change(things, second, {"n": 1}, params={"where": where}), change(things, first, {"open": True}),
        change(things, second, {"n": 2}, params={"where": where}),
    )) == [305, None, None]


# A match is cheap; twenty of them for each row of the class that is asked are not.
SLOW = {"$or": [{"s": {"$regex": f"a.*b[c-e]{{{number}}}"}} for number in range(1, 21)]}


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    """A server that gives a query one second, and a class on which one needs far more."""
    server = Server(tmp_path_factory.mktemp("impatient"), LCFILE_QUERIES_TIMEOUT="1").start()
    put(server.api(), "Slow", [{"s": "a" * 150 + "b"}] * 2000)
    yield server
    assert server.stop() == 0


@pytest.mark.extended
def test_sub_query_of_a_change_that_takes_too_long_is_124(impatient):
    things = Objects(impatient.api(), "Quick")
    id = things.create(n=1, name="a")
    where = {"name": {"$select": {"query": {"className": "Slow", "where": SLOW}, "key": "s"}}}
    assert_refused(things.put(id, {"n": 2}, where=where), 400, 124)
    assert_refused(things.delete(id, where=where), 400, 124)
    params = {"where": where}
    assert codes(batch(
        things.api, change(things, id, {"n": 2}, params=params), change(things, id, {"m": 1})
    )) == [124, None]
    assert things.read(id) == {"n": 1, "m": 1, "name": "a"}


@pytest.mark.extended
def test_sub_query_of_batch_save_that_takes_too_long_is_124(impatient):
    things = Objects(impatient.api(), "Quick")
    id = things.create(n=1, name="a")
    where = {"name": {"$select": {"query": {"className": "Slow", "where": SLOW}, "key": "s"}}}
    item = change(things, id, {"n": 2, "__internalId": id}, params={"where": where})
    assert_refused(save(things.api, item), 400, 124)
    assert things.read(id) == {"n": 1, "name": "a"}


# Depth

@pytest.mark.parametrize("fields", [
    {"p.a.b.c.d.e.f.g.h.i.j": nest(90)}, {"p." + ".".join("abcdefghijklmnopqrs"): nest(99)}, {"p.x.y": nest(98)},
    {"p.all": op("Add", objects=[nest(97), nest(97)]), "p.b.c.d": nest(97)},
], ids=lambda fields: next(iter(fields)))
def test_path_that_leads_too_deep_is_refused(things, fields):
    id = things.create(p={"n": 1})
    assert_refused(things.put(id, fields), 400, 1, "100")
    assert things.read(id) == {"p": {"n": 1}}


@pytest.mark.few(2)
@pytest.mark.parametrize("before, fields", [
    ({"p": {}}, {"p.a.b.c.d.e.f.g.h.i.j": nest(89)}), ({"p": {}}, {"p.x": nest(97)}), ({}, {"p": nest(99)}),
    ({"p": nest(99)}, {"p.n": 1}), ({"p": {"x": {"all": []}}}, {"p.x.all": op("Add", objects=[nest(95)])}),
], ids=["path", "value", "field", "beside", "array"])
def test_deep_object_is_an_object_like_others(things, master, before, fields):
    id = things.create(**before)
    things.update(id, fields)
    deep = things.get(id).json()
    assert things.find() == things.find(where={"p": deep["p"]}) == [deep]
    for where in ({"p.x": {"$exists": True}}, {"p.x.y": {"$ne": 5}}, {"p.x": {"$ne": {"a": 1}}}):
        assert things.query(where=where).status_code == 200
    assert things.query(where={"p.x.x": {"$regex": "a"}}, order="p").json() == {"results": []}
    assert things.query(keys="p.x.x.x").status_code == 200
    assert master.get(f"/1.1/scan/classes/{things.name}").json()["results"] == [deep]
    assert answers(batch(things.api, get(things, id))) == [{"success": deep}]
    other = Objects(things.api, f"{things.name}_2")
    assert own(other.read(other.create(deep=things.pointer(id)), include="deep")["deep"])["p"] == deep["p"]
    assert own(things.update(id, {"p.beside": 1}, fetchWhenSave="true"))["p"]["beside"] == 1
    things.update(id, {"p": nest(2)})
    assert things.read(id) == {"p": nest(2)}
    things.update(id, fields if "p" in fields else {"p": nest(99)})
    assert things.delete(id).json() == {}
    assert things.find() == []


@pytest.mark.parametrize("levels", [90, 98, 99, 100, 120])
def test_deep_default_is_refused_or_works(things, master, levels):
    response = master.call("PUT", f"/1.1/schemas/{things.name}/p", json={"type": "Object", "default": nest(levels)})
    if response.status_code == 200:
        assert things.read(things.create()) == {"p": nest(levels)}
        assert things.find()[0]["p"] == nest(levels)
        assert master.get(f"/1.1/schemas/{things.name}").json()["p"]["default"] == nest(levels)
    else:
        assert_400(response)
        assert levels > 90


@pytest.mark.extended
@pytest.mark.parametrize("levels", [98, 99])
def test_file_with_deep_data_is_a_file_like_others(new_server, levels):
    server = new_server().start()
    api, master = server.api(), server.api(master=True)
    record = api.store(b"deep", name="x.txt", metaData=json.dumps(nest(levels)))
    assert record["metaData"]["x"] == nest(levels - 1)
    assert api.fetch(record["url"]).content == b"deep"
    assert api.get("/1.1/classes/_File").json()["results"] == [record]
    assert api.get(f"/1.1/files/{record['objectId']}").json() == record
    query = {"where": json.dumps({"metaData.x.x": {"$exists": True}}), "keys": "metaData.x"}
    assert len(api.get("/1.1/classes/_File", params=query).json()["results"]) == 1
    scanned, = master.get("/1.1/scan/classes/_File").json()["results"]
    assert scanned["metaData"] == record["metaData"]
    things = Objects(api, "Album")
    album = things.create(file={"__type": "File", "id": record["objectId"]})
    assert things.read(album)["file"]["metaData"] == record["metaData"]
    assert master.delete(record["objectId"]).json() == {}
    assert (api.count(), server.blobs_at_rest()) == (0, [])


def test_file_with_data_that_is_too_deep_is_refused(server, api):
    before = api.count()
    assert_400(api.form(("metaData", json.dumps(nest(101))), ("file", ("x.txt", b"x"))))
    assert (api.count(), server.staged()) == (before, [])


# Large replies

def test_batch_replies_with_ten_times_what_a_query_may(new_server):
    things = Objects(new_server(LCFILE_QUERIES_MAX_REPLY_SIZE="100KB").start().api(), "Large")
    id = things.create(text="x" * 100_000)
    seen = answers(batch(things.api, *[get(things, id)] * 30, post(things, {"n": 1})))
    *read, written = seen
    fitting = [item for item in read if "success" in item]
    assert 10 <= len(fitting) <= 11
    assert fitting == read[:len(fitting)]
    assert all(item["success"]["text"] == "x" * 100_000 for item in fitting)
    assert all(set(item["error"]) == {"code", "error"} for item in read[len(fitting):])
    assert things.get(written["success"]["objectId"]).json()["n"] == 1


def test_batch_of_queries_is_counted_alike(new_server):
    things = Objects(new_server(LCFILE_QUERIES_MAX_REPLY_SIZE="100KB").start().api(), "Large")
    put(things.api, things.name, [{"text": "x" * 10_000}] * 20)
    seen = codes(batch(things.api, *[get(things)] * 30))
    fitting = seen.count(None)
    assert 10 <= fitting <= 12
    assert seen == [None] * fitting + [1] * (30 - fitting)


# Conditions that hold nothing

@pytest.mark.parametrize("where", [
    {"$or": [{}] * 2000}, {"$and": [{}] * 2000}, {"$or": [{"$or": [{}] * 50}] * 50}, [{}] * 2000,
], ids=["or", "and", "nested", "list"])
def test_empty_conditions_count(things, where):
    things.create()
    for item in (get(things, where=where), deletion(things, MISSING, params={"where": where})):
        answer, = answers(batch(things.api, item))
        assert answer["error"]["code"] == 107 and "queries.maxConditions" in answer["error"]["error"]
    assert things.count() == 1


def test_a_thousand_empty_conditions_are_taken(things):
    things.create()
    found, = answers(batch(things.api, get(things, where={"$or": [{}] * 900})))
    assert len(found["success"]["results"]) == 1


# Numbers that count up

@pytest.fixture
def numbered(things, master):
    """A class whose objects are numbered, with two of them; their ids."""
    describe(master, things, "no", type="Number", autoIncrement=True)
    return [things.create() for _ in range(2)]


@pytest.mark.parametrize("value", [
    7, None, "text", DELETE, op("Increment", amount=1), op("Decrement", amount=1), op("BitOr", value=8),
], ids=str)
def test_number_that_counts_up_is_not_for_clients(things, numbered, value):
    assert_refused(things.post({"no": value}), 400, 117, "no")
    assert_refused(things.put(numbered[0], {"no": value}), 400, 117, "no")
    assert things.read(numbered[0]) == {"no": 1}
    assert things.read(things.create()) == {"no": 3}


@pytest.mark.parametrize("number", [
    "1.5", "9223372036854775807", "-9223372036854775808", "9007199254740992", "1e300", "-1e300", "18446744073709551616",
])
def test_master_key_writes_only_what_can_be_counted(things, master, numbered, number):
    body = f'{{"no":{number}}}'.encode()
    assert_400(send(master, f"{things.path}/{numbered[0]}", body, "PUT"))
    grown = f'{{"no":{{"__op":"Increment","amount":{number}}}}}'.encode()
    assert_400(send(master, f"{things.path}/{numbered[0]}", grown, "PUT"))
    assert things.read(numbered[0]) == {"no": 1}
    response = send(master, things.path, body)
    if response.status_code == 201:
        assert things.read(response.json()["objectId"]) == {"no": 3}
    else:
        assert_400(response)
    last = max(row["no"] for row in things.find())
    assert things.read(things.create()) == {"no": last + 1}


@pytest.mark.parametrize("number, next", [(3, 4), (100, 101), (-5, 3), (0, 3), (2**53 - 2, 2**53 - 1), (7.0, 8)])
def test_numbers_count_on_from_what_the_master_key_wrote(things, master, numbered, number, next):
    things.by(master).update(numbered[0], {"no": number})
    assert things.read(numbered[0]) == {"no": number}
    assert things.read(things.create()) == {"no": next}


def test_number_from_before_it_counted_up_hinders_no_change(things, master):
    id = things.create(no=1.5, a=1)
    response = master.call("PUT", f"/1.1/schemas/{things.name}/no", json={"autoIncrement": True})
    if response.status_code != 200:
        assert_400(response)
    things.update(id, {"a": 2})
    assert things.read(id) == {"no": 1.5, "a": 2}
    assert things.post({}).status_code == 201


# What errors say

SECRETS = {
    "String": "sesame77", "Number": 7777123, "Array": ["sesame77"], "Any": "sesame77",
    "Object": {"x": "sesame77", "n": 7777123, "l": ["sesame77"]},
    "Date": date("2077-01-01T00:00:00.000Z"), "Pointer": pointer("Folder", "7777123" + "0" * 17),
}
PROBES = [
    5, "text", True, [1], {"a": 1}, date(), pointer("Post"), op("Increment", amount=1), op("Add", objects=[1]),
    op("AddUnique", objects=[1]), op("Remove", objects=[1]), op("BitAnd", value=1),
    op("AddRelation", objects=[pointer("Post")]), op("RemoveRelation", objects=[pointer("Post")]),
]

PATHS_OF_SECRETS = [
    "secret", "secret.x", "secret.x.y", "secret.n", "secret.n.y", "secret.l", "secret.l.y", "secret.0", "secret.l.0.x",
]


@pytest.mark.parametrize("type", SECRETS)
def test_error_never_shows_a_hidden_value(things, master, type):
    if type == "Any":
        describe(master, things, "secret", type="Any")
    things.create(secret=SECRETS[type])
    describe(master, things, "secret", hidden=True)
    refusals = []
    for path in PATHS_OF_SECRETS:
        ids = put(things.api, things.name, [{"secret": SECRETS[type]}] * len(PROBES))
        changes = [change(things, id, {path: probe}) for id, probe in zip(ids, PROBES)]
        reply = batch(things.api, *changes)
        assert not any(word in reply.text for word in ("sesame77", "7777123", "2077-01-01")), reply.text
        refusals += [code for code in codes(reply) if code is not None]
    assert set(refusals) == {111}
    assert len(refusals) > 50


def test_mismatch_shows_what_the_caller_sent(things):
    id = things.create(n=5)
    assert_refused(things.put(id, {"n": "mine"}), 400, 111, "mine")
    assert_refused(things.put(id, {"n": op("Add", objects=["mine"])}), 400, 111, "mine")


@pytest.mark.parametrize("key", ["_sha256", "_checksum", "_x", "nothing"])
def test_sub_query_finds_none_of_our_own_words_of_a_file(things, api, master, key):
    data = b"hardening"
    api.store(data, name="hardening.txt")
    selecting = lambda key: {"query": {"className": "_File", "where": {"name": "hardening.txt"}}, "key": key}
    for caller in (things, things.by(master)):
        for value in (hashlib.sha256(data).hexdigest(), hashlib.md5(data).hexdigest()):
            id = things.create(text=value)
            assert caller.find(where={"text": {"$select": selecting(key)}}) == []
            assert id in caller.ids(where={"text": {"$dontSelect": selecting(key)}})
    named = things.create(text="hardening.txt")
    assert things.ids(where={"text": {"$select": selecting("name")}}) == {named}


# Names and operations inside values

@pytest.mark.parametrize("fields", [
    {"p.__type": "Date"}, {"p.__op": "Delete"}, {"p.x.__type": "Pointer"}, {"p.__type": DELETE}, {"p.__x": 1},
    {"p.__type.x": 1},
], ids=str)
def test_path_to_a_name_of_ours_is_121(things, fields):
    id = things.create(p={"x": {"iso": "2024-03-01T08:00:00.120Z"}})
    assert_refused(things.put(id, fields), 400, 121)
    assert things.read(id) == {"p": {"x": {"iso": "2024-03-01T08:00:00.120Z"}}}


@pytest.mark.parametrize("value", [
    {"a": op("Increment")}, {"a": op("Increment", amount=1)}, {"a": DELETE}, [DELETE], {"a": [{"b": DELETE}]},
    op("Add", objects=[DELETE]), {"a": {"__op": "Nonsense"}}, {"a": {"__op": 5}},
], ids=str)
def test_operation_inside_a_value_is_107(things, value):
    id = things.create(n=1)
    assert_refused(things.post({"d": value}), 400, 107)
    assert_refused(things.put(id, {"d": value}), 400, 107)
    assert things.read(id) == {"n": 1}


def test_delete_inside_a_field_that_is_not_there_makes_no_column(things, master):
    id = things.create(n=1)
    things.update(id, {"nope.x": DELETE, "none": DELETE})
    things.update(id, {"n": 2, "nope.x.y": DELETE})
    assert things.read(id) == {"n": 2}
    assert not {"nope", "none"} & columns(master, things)


# Indexes

def test_indexes_tell_cases_apart(things, master):
    path = f"/1.1/indexes/{things.name}"
    ids = [things.create(name=f"{n % 3}", Name=n % 2, p={"x": n, "X": n % 4}) for n in range(12)]
    wheres = [{"name": "1"}, {"Name": 1}, {"p.x": 5}, {"p.X": 2}, {"name": "2", "Name": 0}, {"NAME": 1}]
    before = [things.ids(where=where) for where in wheres]
    all_fields = [["name"], ["Name"], ["p.x"], ["p.X"], ["name", "Name"], ["Name", "name"]]
    for fields in all_fields:
        response = master.post(path, json={"fields": fields})
        assert (response.status_code, response.json()["fields"]) == (201, fields), response.text
    assert [row["fields"] for row in master.get(path).json()["results"]] == all_fields
    assert [things.ids(where=where) for where in wheres] == before
    assert master.call("DELETE", f"{path}/Name").json() == {}
    assert [row["fields"] for row in master.get(path).json()["results"]] == [["name"], *all_fields[2:]]
    things.update(ids[0], {"name": "1", "Name": 1})
    assert things.ids(where={"name": "1", "Name": 1}) >= {ids[0]}


def test_unique_fields_tell_cases_apart(things, master):
    for name in ("n", "N"):
        describe(master, things, name, type="String", unique=True)
    for name in ("name", "Name"):
        describe(master, things, name, type="String", unique=True)
    things.create(n="a", N="b", name="c", Name="d")
    for name, value in (("n", "a"), ("N", "b"), ("name", "c"), ("Name", "d")):
        assert_refused(things.post({name: value}), 400, 137, f"'{name}'")
        other = things.create(**{name: "free"})
        assert_refused(things.put(other, {name: value}), 400, 137, f"'{name}'")
    things.create(n="b", N="a", name="d", Name="c")
    describe(master, things, "N", unique=False)
    things.create(n="e", N="b")
    assert_refused(things.post({"n": "a", "N": "b"}), 400, 137, "'n'")


@pytest.mark.extended
def test_unique_fields_tell_cases_apart_after_a_restart(new_server):
    server = new_server().start()
    things = Objects(server.api(), "Kept")
    for name in ("n", "N"):
        describe(server.api(master=True), things, name, type="String", unique=True)
    things.create(n="a", N="b")
    server.kill()
    server.start()
    for name, value in (("n", "a"), ("N", "b")):
        assert_refused(Objects(server.api(), "Kept").post({name: value}), 400, 137, f"'{name}'")


@pytest.mark.few(2)
@pytest.mark.parametrize("value, status", [
    ({"0": 1}, 201), ({"x": {"0": 1}}, 201), ({"0": {"0": [1]}}, 201), ({}, 201), (None, 201), ({"x": 1, "y": [1]}, 201),
    ({"x": []}, 400), ({"x": [1]}, 400), ({"x": [[]]}, 400),
], ids=str)
def test_index_inside_objects_minds_arrays_alone(things, master, value, status):
    things.create(p={"x": 1})
    id = things.create(p=value)
    response = master.post(f"/1.1/indexes/{things.name}", json={"fields": ["p.x"]})
    assert response.status_code == status, response.text
    if status == 201:
        assert len(things.find(where={"p.x": 1})) == (2 if value and value.get("x") == 1 else 1)
        assert_refused(things.put(id, {"p": {"x": [1]}}), 400, 111)


# Flags of fields

def test_required_counts_for_what_a_change_touches(things, master):
    id, old = things.create(title="a", n=1), things.create(n=1)
    describe(master, things, "title", required=True)
    assert_refused(things.post({"n": 1}), 400, 113, "title")
    things.update(old, {"n": 2})
    things.update(old, {"m": op("Increment", amount=1), "n": DELETE})
    assert things.read(old) == {"m": 1}
    for object in (id, old):
        for value in (None, DELETE):
            assert_refused(things.put(object, {"title": value}), 400, 113, "title")
            assert_refused(things.put(object, {"title": value, "n": 3}), 400, 113, "title")
    assert things.read(id) == {"title": "a", "n": 1}
    things.update(old, {"title": "b"})
    assert things.read(old) == {"m": 1, "title": "b"}


def test_required_counts_inside_what_a_change_touches(things, master):
    id = things.create(p={"x": 1})
    describe(master, things, "p", required=True)
    things.update(id, {"p.x": DELETE})
    things.update(id, {"p.y": 2})
    assert things.read(id) == {"p": {"y": 2}}


@pytest.mark.parametrize("flags", [
    {"required": True}, {"default": {"__type": "Relation", "className": "Post"}}, {"default": []},
    {"default": pointer("Post")},
], ids=str)
def test_relation_is_neither_required_nor_has_a_default(things, master, flags):
    id = things.create(likes=op("AddRelation", objects=[pointer("Post")]))
    before = master.get(f"/1.1/schemas/{things.name}").json()
    assert_400(master.call("PUT", f"/1.1/schemas/{things.name}/likes", json=flags))
    new = {"type": "Relation", "className": "Post"} | flags
    assert_400(master.call("PUT", f"/1.1/schemas/{things.name}/others", json=new))
    assert master.get(f"/1.1/schemas/{things.name}").json() == before
    things.create()
    things.update(id, {"n": 1})


@pytest.fixture
def small(new_server):
    """A server with small limits of classes and indexes."""
    return new_server(LCFILE_OBJECTS_MAX_CLASSES="8", LCFILE_OBJECTS_MAX_INDEXES="3").start()


def test_unique_fields_count_as_indexes(small):
    master, things = small.api(master=True), Objects(small.api(), "Things")
    things.create(a=1, b=1, c=1, d=1)
    describe(master, things, "a", unique=True)
    describe(master, things, "no", type="Number", autoIncrement=True)
    assert master.post("/1.1/indexes/Things", json={"fields": ["b"]}).status_code == 201
    before = master.get("/1.1/schemas/Things").json()
    for name, flags in (("c", {"unique": True}), ("new", {"type": "String", "unique": True})):
        assert_refused(master.call("PUT", f"/1.1/schemas/Things/{name}", json=flags), 400, 1, "3")
    counted = master.call("PUT", "/1.1/schemas/Things/n", json={"type": "Number", "autoIncrement": True})
    assert_refused(counted, 400, 1, "objects.maxIndexes")
    assert_refused(master.post("/1.1/indexes/Things", json={"fields": ["c"]}), 400, 1, "objects.maxIndexes")
    assert master.get("/1.1/schemas/Things").json() == before
    assert describe(master, things, "a", hidden=True) == {"type": "Number", "unique": True, "hidden": True}
    describe(master, things, "a", unique=False)
    describe(master, things, "c", unique=True)


def test_classes_that_the_schema_makes_count(small):
    master = small.api(master=True)
    statuses = []
    for number in range(9):
        response = master.call("PUT", f"/1.1/schemas/C{number}/n", json={"type": "Number"})
        statuses.append(response.status_code)
    assert statuses[:3] == [200] * 3 and statuses == sorted(statuses)
    assert_refused(response, 400, 1, "objects.maxClasses")
    assert_refused(Objects(small.api(), "C9").post({"n": 1}), 400, 1, "objects.maxClasses")
    assert sum(not name.startswith("_") for name in master.get("/1.1/schemas").json()) <= 8
    assert master.call("PUT", "/1.1/schemas/C0/m", json={"type": "Number"}).status_code == 200


# Parameters

def test_change_of_many_fields_answers_with_them_all(things):
    fields = {f"field{number}": number for number in range(150)}
    id = things.create(other=1)
    assert own(things.update(id, fields, fetchWhenSave="true")) == fields
    changed, = answers(batch(things.api, change(things, id, fields, params={"fetchWhenSave": True})))
    assert own(changed["success"]) == fields
    assert own(things.post(fields, fetchWhenSave="true").json()) == fields


@pytest.mark.parametrize("limit, count", [("10.0", 10), ("3.0", 3), ("0.0", 0)])
def test_whole_number_may_have_a_point(things, limit, count):
    put(things.api, things.name, [{"n": n} for n in range(12)])
    ids = [row["objectId"] for row in things.find(order="n")][:12]
    where = {"objectId": {"$in": ids}}
    assert len(things.find(where=where, limit=limit)) == count
    assert len(things.find(where=where, skip=limit)) == 12 - count
    found, = answers(batch(things.api, get(things, where=where, limit=float(limit))))
    assert len(found["success"]["results"]) == count


@pytest.mark.few(2)
@pytest.mark.parametrize("limit", ["10.5", "nan", "inf", "-inf", "1e300", "1.", "1e-3", "0.1", "10.0x", "9" * 400])
def test_number_that_is_not_whole_is_refused(things, limit):
    things.create()
    for name in ("limit", "skip"):
        response = things.query(**{name: limit})
        assert response.status_code == 400, response.text


@pytest.mark.few(2)
@pytest.mark.parametrize("type", ["Array", "Object", "Pointer", "GeoPoint", "Bytes"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_scan_goes_along_what_has_an_order(things, master, type, sign):
    things.create(**VALUES)
    assert_400(master.get(f"/1.1/scan/classes/{things.name}", params={"scan_key": sign + type}), "scan_key")


@pytest.mark.parametrize("type", ["String", "Number", "Boolean", "Date"])
def test_scan_goes_along_each_type_that_has_an_order(things, master, type):
    ids = [things.create(**VALUES) for _ in range(3)]
    rows, cursor = [], None
    for _ in range(4):
        params = {"scan_key": type, "limit": 2} | ({"cursor": cursor} if cursor else {})
        page = master.get(f"/1.1/scan/classes/{things.name}", params=params).json()
        rows, cursor = rows + page["results"], page["cursor"]
        if cursor is None:
            break
    assert [row["objectId"] for row in rows] == ids


# /batch/save

def child(objects, cid, key="child"):
    return {"className": objects.name, "cid": cid, "key": key}


def test_child_of_another_class_is_106(things):
    other = Objects(things.api, f"{things.name}_2")
    other.create()
    things.create()
    assert_refused(save(
        things.api, post(things, {"__internalId": "A"}, new=True),
        post(other, {"__internalId": "B", "__children": [child(other, "A")]}, new=True),
    ), 400, 106)
    assert (things.count(), other.count()) == (1, 1)


@pytest.mark.few(2)
@pytest.mark.parametrize("body", [[1], "text", 5, True, [], ""], ids=str)
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_body_that_is_no_object_is_107(things, body, method):
    id = things.create(n=1)
    path = things.path if method == "POST" else f"{things.path}/{id}"
    item = {"method": method, "path": path, "body": body}
    assert_refused(save(things.api, post(things, {"__internalId": "A"}, new=True), item), 400, 107)
    answer, = answers(batch(things.api, item))
    assert answer["error"]["code"] == 107
    assert things.find() == [things.get(id).json()]


def test_two_new_objects_of_two_classes_with_one_id_are_refused(things):
    things.create()
    other = post(Objects(things.api, f"{things.name}_2"), {"__internalId": "A"}, new=True)
    assert_400(save(things.api, post(things, {"n": 0, "__internalId": "A"}, new=True), other))
    assert things.count() == 1


# Chance

DEEP = [nest(99), nest(60), {"y": [nest(40, "y"), [[[1]]]]}, {"0": {"1": 2}, "": 1}, {"a'b": [None, {}]}, [[], {}, [{}]]]
PATHS = ["p.x", "p.x.y", "p.x.y.z.a.b.c.d.e.f", "p.0", "p.new.0.x", "a.0", "a.5.x", "p." + ".".join(["x"] * 18), "p.é ü"]
DOTTED = [{"p.x": 1}, {"p.x.y": {"$gt": 0}}, {"p.x": {"$exists": True}}, {"a.0": 1}, {"p.x.x": {"$regex": "t"}}, {"s.x": 1}]


def odd_fields(chance):
    fields = chance.fields()
    if chance.random.random() < 0.5:
        value = chance.pick([*DEEP, op("Add", objects=[chance.pick(DEEP)]), DELETE, chance.value()])
        fields[chance.pick([*PATHS, "p", "a"])] = value
    return fields


@pytest.mark.extended
@pytest.mark.parametrize("seed", range(1))
def test_what_is_accepted_can_be_read_changed_and_deleted(new_server, seed):
    server = new_server().start()
    things, master, chance = Objects(server.api(), "Fuzz"), server.api(master=True), Chance(seed)
    ids, accepted = [things.create(**FIELDS)], 0
    cases = count(120, 300)
    for number in range(cases):
        fields = odd_fields(chance)
        creates = number % 3 == 0
        response = things.post(fields) if creates else things.put(chance.pick(ids), fields)
        assert response.status_code < 500, (fields, response.text)
        if response.status_code >= 400:
            continue
        accepted += 1
        id = response.json()["objectId"]
        ids += [id] if creates else []
        seen = things.get(id)
        assert seen.status_code == 200 and seen.json()["objectId"] == id, fields
        for where in ({"objectId": id}, chance.pick(DOTTED)):
            found = things.query(where=where, limit=5)
            assert found.status_code == 200, (fields, where, found.text)
        assert things.put(id, {"marked": 1}).status_code == 200, fields
    assert accepted > cases // 8
    known = {row["objectId"]: row for row in things.find(where={}, limit=1000)}
    assert set(known) == set(ids)
    scanned = master.get("/1.1/scan/classes/Fuzz?limit=1000").json()["results"]
    assert {row["objectId"] for row in scanned} == set(ids)
    for where in DOTTED:
        assert things.query(where=where, limit=1000).status_code == 200, where
    for id in ids:
        assert things.get(id).json() == known[id]
        assert things.put(id, {"p": {}, "n": 1, "a": []}).status_code == 200, known[id]
        assert things.delete(id).json() == {}
    assert things.find() == []
    assert server.stop() == 0
