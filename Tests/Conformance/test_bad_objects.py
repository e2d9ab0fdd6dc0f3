"""Hostile objects: JSON that is none, texts and ids meant for the database, and whatever chance finds."""

import http.client
import json
import random
from urllib.parse import quote, urlencode

import pytest
from client import TIMEOUT, assert_refused
from data import MISSING, VALUES, Objects, assert_400, date, geopoint, op, pointer, send

DEEP = 100_000

NO_JSON = {
    "blank": b" ", "word": b"wash", "open object": b"{", "open text": b'{"a":"', "trailing comma": b'{"a":1,}',
    "single quotes": b"{'a':1}", "two values": b"{}{}", "comment": b'{"a":1}//', "name that is no text": b"{1:1}",
    "NaN": b'{"a":NaN}', "infinity": b'{"a":-Infinity}', "leading zero": b'{"a":01}', "bare point": b'{"a":1.}',
    "plus": b'{"a":+1}', "hexadecimal": b'{"a":0x1}', "control character": b'{"a":"\n"}', "bad escape": b'{"a":"\\x41"}',
    "half of a pair": b'{"a":"\\ud800"}', "array": b"[]", "text": b'"{}"', "number": b"5", "true": b"true",
    "name twice": b'{"a":1,"a":2}', "inner name twice": b'{"o":{"b":1,"b":1}}',
    "name twice, once escaped": b'{"a":1,"\\u0061":2}', "number beyond double": b'{"a":1e999}',
    "negative number beyond double": b'{"a":-1e400}', "digits beyond double": b'{"a":' + b"9" * 400 + b"}",
    "bad byte": b'{"a":"\xff"}', "overlong form": b'{"a":"\xc0\xaf"}', "surrogate in bytes": b'{"a":"\xed\xa0\x80"}',
    "cut character": b'{"a":"\xe8\x8c"}', "bad byte in a name": b'{"\xff":1}', "UTF-16": '{"a":1}'.encode("utf-16"),
    "arrays in arrays": b'{"a":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "objects in objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP, "depth of 120": b'{"a":' + b"[" * 120 + b"]" * 120 + b"}",
    "depth without end": b'{"a":[' * DEEP,
}


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


@pytest.mark.parametrize("text", INJECTIONS, ids=ascii)
def test_text_is_never_part_of_a_statement(things, text):
    things.create(a="other", tags=["other"], p={"x": "other"})
    id = things.create(a=text, tags=[text], p={"x": text})
    for where in ({"a": text}, {"tags": text}, {"p.x": text}, {"p": {"x": text}}, {"a": {"$in": [text]}}):
        assert things.ids(where=where) == {id}


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


BAD_IDS = [*(quote(text, safe="") for text in INJECTIONS), "%00", "%2e%2e", "z" * 5000, "%E8%8C%B6", "a%2Fb", "1"]


@pytest.mark.parametrize("id", BAD_IDS, ids=lambda id: id[:12])
def test_id_that_cannot_be(things, id):
    kept = things.create(n=1)
    assert things.get(id).json() == {} or things.get(id).status_code in (400, 404)
    assert things.put(id, {"n": 2}).status_code in (400, 404)
    assert things.delete(id).status_code in (200, 400, 404)
    assert things.read(kept) == {"n": 1}


@pytest.mark.parametrize("acl", [
    [], "*", 5, True, {"*": True}, {"*": "rw"}, {"*": {"read": "yes"}}, {"*": {"read": 1}}, {"*": []},
    {"": {"read": True}}, {"*": {"execute": True}},
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

# The fields of the object that the requests are about, each with a value of its type.
FIELDS = {
    "a": [1, "a"], "n": 1, "s": "text", "t": True, "p": {"x": {"y": 1}}, "g": geopoint(), "d": date(), "q": pointer("Fuzz"),
    "r": op("AddRelation", objects=[pointer("Fuzz")]),
}
NAMES = [
    "objectId", "createdAt", "ACL", "p.x", "p.x.y", "n.x", "a.0", "", ".", "a b", "茶", "__type", "__op", "$or", "$in",
    "__internalId", "__children", "className", "\0", "a'b", "x" * 300,
]
TEXTS = [
    "", "a", "茶", "\0", "'", '"', "\\", "%", "2024-03-01T08:00:00.120Z", "Pointer", "X" * 3000, MISSING, "_User", "Fuzz",
    "-a", "🍵", "(a+)+$", "\\Qa\\E", "[", "p.x", "id", "key",
]
NUMBERS = [0, 1, -1, 0.5, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**64, 1e300, -1e-300, 90, 180.5, 1001]
TYPED = [*VALUES.values(), {"__type": "File", "id": MISSING}, {"__type": "Relation", "className": "Fuzz"}]
OPS = [
    "Increment", "Decrement", "Add", "AddUnique", "Remove", "Delete", "AddRelation", "RemoveRelation", "BitAnd", "BitOr",
    "BitXor", "Batch", "SetOnInsert", "Nonsense",
]
OPERATORS = [
    "$ne", "$lt", "$lte", "$gt", "$gte", "$in", "$nin", "$all", "$exists", "$size", "$regex", "$options", "$inQuery",
    "$notInQuery", "$select", "$dontSelect", "$nearSphere", "$maxDistance", "$maxDistanceInKilometers", "$minDistance",
    "$within", "$box", "$nor", "$not", "$eq", "$type", "$mod", "$where", "$nonsense",
]
ARGUMENTS = [
    "amount", "objects", "value", "ops", "className", "objectId", "iso", "latitude", "longitude", "base64", "id", "where",
    "query", "key", "object", "limit", "delete", "__type", "__op",
]
PARAMETERS = ["order", "keys", "include", "limit", "skip", "count", "returnACL", "fetchWhenSave"]


class Chance:
    """Bodies and conditions that are nearly right; the same ones for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick = self.random.choice

    def name(self):
        return self.pick(list(FIELDS) if self.random.random() < 0.8 else NAMES)

    def times(self, most, make):
        return [make() for _ in range(self.random.randrange(most + 1))]

    def value(self, depth=0):
        scalar = [
            lambda: self.pick(TEXTS), lambda: self.pick(NUMBERS), lambda: self.pick([True, False, None]),
            lambda: self.spoil(self.pick(TYPED)),
        ]
        nested = [
            lambda: self.times(3, lambda: self.value(depth + 1)),
            lambda: dict(self.times(3, lambda: (self.name(), self.value(depth + 1)))),
            lambda: {"__op": self.pick(OPS), self.pick(ARGUMENTS): self.value(depth + 1)},
            lambda: self.spoil(op("Increment", amount=self.pick(NUMBERS))),
            lambda: self.spoil(op("AddRelation", objects=[pointer("Fuzz"), self.spoil(pointer("Fuzz"))])),
            lambda: self.spoil(op(self.pick(["Add", "AddUnique", "Remove"]), objects=[self.value(depth + 1)])),
            lambda: op("Batch", ops=self.times(2, lambda: self.value(depth + 1))),
        ]
        return self.pick(scalar if depth > 3 else scalar + nested)()

    def spoil(self, value):
        """The value; now and then one of its members is another or gone."""
        if not isinstance(value, dict) or self.random.random() < 0.7:
            return value
        name = self.pick(list(value))
        kept = {other: value[other] for other in value if other != name}
        return kept if self.random.random() < 0.4 else kept | {name: self.value(3)}

    def field(self):
        name = self.name()
        fitting = name in FIELDS and self.random.random() < 0.6
        return name, self.spoil(FIELDS[name]) if fitting else self.value()

    def fields(self):
        return dict([self.field(), *self.times(2, self.field)])

    def condition(self, depth=0):
        if depth > 2:
            return self.value(3)
        (name, value), inner = self.field(), lambda: self.condition(depth + 1)
        part = lambda: self.spoil({"className": "Fuzz", "where": inner(), "limit": self.pick(NUMBERS)})
        return self.pick([
            lambda: {name: value},
            lambda: {name: {self.pick(OPERATORS): value}},
            lambda: {name: {self.pick(OPERATORS): [value, self.value(3)], self.pick(OPERATORS): self.pick(NUMBERS)}},
            lambda: {self.pick(["$or", "$and", "$nor"]): self.times(3, inner)},
            lambda: {name: {self.pick(["$inQuery", "$notInQuery"]): part()}},
            lambda: {name: {self.pick(["$select", "$dontSelect"]): self.spoil({"query": part(), "key": self.name()})}},
            lambda: {"$relatedTo": self.spoil({"object": self.spoil(pointer("Fuzz")), "key": self.name()})},
            lambda: {"g": self.spoil({"$nearSphere": self.spoil(geopoint()), self.pick(OPERATORS): self.pick(NUMBERS)})},
            lambda: {"g": {"$within": self.spoil({"$box": [self.spoil(geopoint(1, 1)), self.spoil(geopoint(2, 2))]})}},
            lambda: self.times(2, inner),
        ])()

    def text(self, value):
        """The value as JSON, sometimes with a few bytes changed."""
        data = bytearray(json.dumps(value, ensure_ascii=self.random.random() < 0.5).encode())
        while data and self.random.random() < 0.08:
            place = self.random.randrange(len(data))
            noise = self.pick([b"", b"\xff", b"\0", b"{", b"]", b'"', b",", b"\\", b"9"])
            data[place:place + self.random.randrange(2)] = noise
        return bytes(data)

    def request(self, id):
        """Method, path and body."""
        path, fields = "/1.1/classes/Fuzz", lambda: self.text(self.fields())
        more = lambda: {self.pick(PARAMETERS): self.pick([*TEXTS, *FIELDS])}
        query = lambda: urlencode({"where": self.text(self.condition())} | more())
        part = lambda: self.spoil({
            "method": self.pick(["POST", "PUT", "GET", "DELETE"]), "path": self.pick([path, f"{path}/{MISSING}"]),
            "body": self.fields(), "params": {"where": self.condition()},
        })
        return self.pick([
            lambda: ("POST", path, fields()),
            lambda: ("PUT", f"{path}/{id}", fields()),
            lambda: ("PUT", f"{path}/{id}?{query()}", fields()),
            lambda: ("GET", f"{path}?{query()}", b""),
            lambda: ("GET", f"{path}/{id}?{query()}", b""),
            lambda: ("POST", self.pick(["/1.1/batch", "/1.1/batch/save"]), self.text({"requests": self.times(3, part)})),
        ])()


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


@pytest.mark.parametrize("seed", range(2))
def test_nothing_that_chance_finds_is_an_accident(new_server, seed):
    server = new_server().start()
    things, chance = Objects(server.api(), "Fuzz"), Chance(seed)
    id = things.create(**FIELDS)
    headers = things.api.headers | {"Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)
    for _ in range(1500):
        request = chance.request(id)
        assert trouble(connection, headers, *request) is None, request
    assert things.get(id).json()["objectId"] == id
    assert server.stop() == 0
