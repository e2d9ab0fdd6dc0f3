"""Hostile objects: JSON that is none, texts and ids meant for the database, and whatever chance finds."""

import http.client
import json
from urllib.parse import quote

import pytest
from cases import count
from chance import FIELDS, Chance
from client import TIMEOUT, assert_refused
from data import Objects, assert_400, op, send

DEEP = 100_000

NO_JSON = {
    "blank": b" ", "word": b"wash", "open object": b"{", "open text": b'{"a":"', "trailing comma": b'{"a":1,}',
    "single quotes": b"{'a':1}", "two values": b"{}{}", "comment": b'{"a":1}//', "name that is no text": b"{1:1}",
    "NaN": b'{"a":NaN}', "infinity": b'{"a":-Infinity}', "leading zero": b'{"a":01}', "bare point": b'{"a":1.}',
    "plus": b'{"a":+1}', "hexadecimal": b'{"a":0x1}', "control character": b'{"a":"\n"}', "bad escape": b'{"a":"\\x41"}',
    "bad escape after half of a pair": b'{"a":"\\ud800\\u00"}', "array": b"[]", "text": b'"{}"', "number": b"5",
    "true": b"true",
    "name twice": b'{"a":1,"a":2}', "inner name twice": b'{"o":{"b":1,"b":1}}',
    "name twice, once escaped": b'{"a":1,"\\u0061":2}', "number beyond double": b'{"a":1e999}',
    "negative number beyond double": b'{"a":-1e400}', "digits beyond double": b'{"a":' + b"9" * 400 + b"}",
    "bad byte": b'{"a":"\xff"}', "overlong form": b'{"a":"\xc0\xaf"}', "surrogate in bytes": b'{"a":"\xed\xa0\x80"}',
    "cut character": b'{"a":"\xe8\x8c"}', "bad byte in a name": b'{"\xff":1}', "UTF-16": '{"a":1}'.encode("utf-16"),
    "arrays in arrays": b'{"a":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "objects in objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP, "depth of 120": b'{"a":' + b"[" * 120 + b"]" * 120 + b"}",
    "depth without end": b'{"a":[' * DEEP,
}


@pytest.mark.few(4)
@pytest.mark.parametrize("case", NO_JSON)
def test_body_that_is_no_json_object(things, case):
    id = things.create(n=1)
    for method, path in (("POST", things.path), ("PUT", f"{things.path}/{id}")):
        assert_refused(send(things.api, path, NO_JSON[case], method), 400, 107)
    assert things.read(id) == {"n": 1}


def test_depth_below_the_limit_is_taken(things):
    value = 1
    for _ in range(90):
        value = [value]
    assert things.read(things.create(a=value)) == {"a": value}


@pytest.mark.parametrize("where", [
    "{", "x", "5", '"text"', "true", "{'a':1}", '{"a":NaN}', '{"a":1e999}', '{"a":1,"a":2}',
    '{"a":' + "[" * 200 + "]" * 200 + "}",
], ids=lambda where: where[:12])
def test_condition_of_a_change_that_is_no_json(things, where):
    id = things.create(a=1)
    assert_refused(things.put(id, {"a": 2}, where=where), 400, 107)
    assert_refused(things.delete(id, where=where), 400, 107)
    assert things.read(id) == {"a": 1}


@pytest.mark.parametrize("where", [
    {"a": {"$nonsense": 1}}, {"$nonsense": []}, {"$where": "1"}, {"a": {"$gt": 1, "$nonsense": 1}}, {"a": {"$in": 5}},
    {"$or": [5]}, {"a": {"$regex": "("}}, {"$relatedTo": 5}, {"a": {"__type": "Pointer"}},
], ids=str)
def test_condition_of_a_change_that_is_not_understood(things, where):
    id = things.create(a=1)
    assert_400(things.put(id, {"a": 2}, where=where))
    assert_400(things.delete(id, where=where))
    assert things.read(id) == {"a": 1}


INJECTIONS = [
    "' OR 1=1 --", "'; DROP TABLE class_1; --", '" OR ""="', "a') OR ('1'='1", "$.a", 'a"].b', "*", "%", "_",
    "[", "\\",
]


@pytest.mark.few(2)
@pytest.mark.parametrize("text", INJECTIONS, ids=ascii)
def test_text_is_never_part_of_a_statement(things, text):
    things.create(a="other", tags=["other"], p={"x": "other"})
    id = things.create(a=text, tags=[text], p={"x": text})
    for where in ({"a": text}, {"tags": text}, {"p.x": text}, {"p": {"x": text}}, {"a": {"$in": [text]}}):
        assert things.ids(where=where) == {id}


@pytest.mark.few(2)
@pytest.mark.parametrize("value", [
    "x\0y", "\0", ["\0"], {"b": "\0"}, [{"b": ["\0"]}], op("Add", objects=["\0"]), op("AddUnique", objects=["\0"]),
], ids=ascii)
def test_null_character_is_refused(things, value):
    id = things.create(n=1)
    assert_refused(things.post({"a": value}), 400, 107, "a")
    assert_refused(things.put(id, {"a": value}), 400, 107, "a")
    assert things.read(id) == {"n": 1}


def test_null_character_in_an_inner_name_is_refused(things):
    assert_refused(things.post({"a": {"\0": 1}}), 400, 121)


BAD_IDS = [*(quote(text, safe="") for text in INJECTIONS), "%00", "%2e%2e", "z" * 5000, "%E8%8C%B6", "a%2Fb"]


@pytest.mark.few(2)
@pytest.mark.single
@pytest.mark.parametrize("id", BAD_IDS, ids=lambda id: id[:12])
def test_id_that_cannot_be(things, id):
    kept = things.create(n=1)
    read, changed, deleted = things.get(id), things.put(id, {"n": 2}), things.delete(id)
    assert (read.json(), deleted.json()) == ({}, {})
    assert_refused(changed, 400, 1, "Could not find object by id")
    assert things.read(kept) == {"n": 1}


def test_id_that_cannot_be_beside_one_that_is(things):
    id = things.create(n=1)
    for ids in (f"a-b,{id}", f"{id},a_b"):
        assert [things.get(ids).status_code, things.put(ids, {"n": 2}).status_code] == [404, 404]
    assert things.read(id) == {"n": 1}
    assert things.delete(f"a-b,{id}").json() == {}
    assert things.get(id).json() == {}


def test_id_that_could_be_and_is_none(things):
    kept = things.create(n=1)
    assert (things.get("1").json(), things.put("1", {"n": 2}).status_code, things.delete("1").json()) == ({}, 400, {})
    assert things.read(kept) == {"n": 1}


@pytest.mark.few(2)
@pytest.mark.parametrize("acl", [
    [], "*", 5, True, {"*": True}, {"*": "rw"}, {"*": {"read": "yes"}}, {"*": {"read": 1}}, {"*": []},
    {"n" * 129: {"read": True}}, {"*": {"execute": True}},
], ids=str)
def test_bad_acl(things, acl):
    assert_refused(things.post({"ACL": acl}), 400, 123)
    id = things.create(n=1)
    assert_refused(things.put(id, {"ACL": acl}), 400, 123)


@pytest.mark.parametrize("operation", [op("Increment", amount=1), op("Add", objects=[1])], ids=str)
def test_acl_takes_no_operation(things, operation):
    id = things.create()
    assert_400(things.put(id, {"ACL": operation}))


def test_wide_objects_are_no_accident(things):
    assert things.post({"p": {f"k{n}": n for n in range(5000)}}).status_code == 201
    assert_400(things.post({f"c{n}": n for n in range(5000)}), "limit is 180 (objects.maxColumns, objects.guestShare)")


# Chance


def trouble(connection, headers, method, path, body):
    """What is wrong with the answer; nothing if all is well."""
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    data = response.read()
    try:
        answer = json.loads(data)
        proper = response.status < 400 or {"code": int, "error": str} == {name: type(answer[name]) for name in answer}
    except (ValueError, TypeError):
        proper = False
    return None if proper and response.status < 500 else (response.status, data)


@pytest.mark.extended
@pytest.mark.parametrize("seed", range(count(1, 20)))
def test_nothing_that_chance_finds_is_an_accident(new_server, seed):
    server = new_server().start()
    things, chance = Objects(server.api(), "Fuzz"), Chance(seed)
    id = things.create(**FIELDS)
    headers = things.api.headers | {"Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)
    for _ in range(count(300, 5000)):
        request = chance.request(id)
        assert trouble(connection, headers, *request) is None, request
    assert things.get(id).json()["objectId"] == id
    assert server.stop() == 0
