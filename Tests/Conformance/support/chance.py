"""Requests about objects that are nearly right, made by a seeded generator."""

import json
import random
from urllib.parse import urlencode

from data import MISSING, VALUES, date, geopoint, op, pointer

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
