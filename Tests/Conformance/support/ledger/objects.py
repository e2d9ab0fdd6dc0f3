"""Objects that are made, changed and deleted, alone and in batches."""

import json
from urllib.parse import quote

from .facts import Refusal, expect


class Things:
    """Objects that one client changes, with what it was answered; each has a tag of its own."""

    kind = "changes of objects"

    def __init__(self, name, chance):
        self.path, self.chance, self.number = f"/1.1/classes/{name}", chance, 0
        # By tag: the object's id, the fields that were answered (None once it is deleted).
        self.known = {}
        # By tag: fields that a change without an answer may have made.
        self.possible = {}

    def go(self, wire):
        """One change; returns what was answered."""
        living = [tag for tag, (_, fields) in self.known.items() if fields is not None]
        kind = self.chance.choice(["create", "create", "update", "update", "increment", "delete", "batch"])
        if not living and kind in ("update", "increment", "delete"):
            kind = "create"
        if kind == "create":
            return self.create(wire)
        if kind == "batch":
            return self.batch(wire)
        tag = self.chance.choice(living)
        id, fields = self.known[tag]
        path = f"{self.path}/{id}"
        if kind == "delete":
            self.possible[tag] = None
            expect(wire.call("DELETE", path), 200)
            return self.answered(tag, id, None)
        if kind == "increment":
            change, after = {"n": {"__op": "Increment", "amount": 3}}, fields | {"n": fields["n"] + 3}
        else:
            text = str(self.chance.random())
            change, after = {"s": text}, fields | {"s": text}
        self.possible[tag] = after
        expect(wire.send("PUT", path, change), 200)
        return self.answered(tag, id, after)

    def create(self, wire):
        fields = self.fresh()
        self.possible[fields["tag"]] = fields
        reply = expect(wire.send("POST", self.path, fields), 201)
        return self.answered(fields["tag"], reply.json()["objectId"], fields)

    def batch(self, wire):
        bodies = [self.fresh() for _ in range(3)]
        self.possible |= {fields["tag"]: fields for fields in bodies}
        requests = [{"method": "POST", "path": self.path, "body": fields} for fields in bodies]
        replies = expect(wire.send("POST", "/1.1/batch", {"requests": requests}), 200).json()
        entries = []
        for fields, reply in zip(bodies, replies):
            if "success" not in reply:
                raise Refusal(str(reply))
            entries += self.answered(fields["tag"], reply["success"]["objectId"], fields)
        return entries

    def fresh(self):
        self.number += 1
        return {"tag": f"{self.path} {self.number}", "n": self.number, "s": "x" * self.chance.randrange(2000)}

    def answered(self, tag, id, fields):
        self.known[tag] = (id, fields)
        self.possible.pop(tag, None)
        return [{"object": self.path, "tag": tag, "id": id, "fields": fields}]

    def faults(self, wire, everything=False):
        """What the last changes left, and some other objects, or all."""
        if everything:
            tags = sorted(self.known)
        else:
            tags = list(self.possible) + self.chance.sample(sorted(self.known), min(20, len(self.known)))
        return self.faults_of(wire, tags)

    def faults_of(self, wire, tags):
        """What of these tags is neither as it was answered nor as the change without an answer would have made it."""
        for tag in tags:
            where = json.dumps({"tag": tag})
            # There is no class before its first object.
            reply = expect(wire.call("GET", f"{self.path}?limit=5&where={quote(where, safe='')}"), 200, 404)
            rows = reply.json().get("results", [])
            seen = {name: rows[0][name] for name in ("tag", "n", "s")} if rows else None
            id, fields = self.known.get(tag, (None, None))
            allowed = [fields] + ([self.possible[tag]] if tag in self.possible else [])
            if len(rows) > 1 or seen not in allowed or (rows and id and rows[0]["objectId"] != id):
                yield f"{tag}: {seen} instead of {allowed}"
            self.known[tag] = (rows[0]["objectId"] if rows else id, seen)
            self.possible.pop(tag, None)
