"""The data of the running app, which changes while programs read it."""

import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from random import Random

from exports.identifiers import iso


@dataclass
class Changes:
    """What changed: pairs of class and id."""

    updated: list = field(default_factory=list)
    added: list = field(default_factory=list)
    deleted: list = field(default_factory=list)


class State:
    """Objects by class and id, relations, and the app's clock, `clock` seconds ahead of this machine's."""

    def __init__(self, app, clock=0):
        self.app, self.clock, self.lock = app, timedelta(seconds=clock), threading.RLock()
        self.objects = {name: {row["objectId"]: row for row in rows} for name, rows in app.objects.items()}
        self.schemas = {name: dict(fields) for name, fields in app.schemas.items()}
        self.relations = {(join.name, join.field): group(join.pairs) for join in app.joins}
        self.last, self.count = datetime.min.replace(tzinfo=timezone.utc), 0

    def now(self):
        return datetime.now(timezone.utc) + self.clock

    def tick(self):
        """A time that no change had before."""
        self.last = max(self.now(), self.last + timedelta(milliseconds=1))
        return iso(self.last)

    def members(self, name, field, id):
        return self.relations.get((name, field), {}).get(id, [])

    def add(self, name, **fields):
        """A new object; returns its id."""
        with self.lock:
            self.count += 1
            time = self.tick()
            id = f"{int(self.last.timestamp()):08x}{self.count:016x}"
            system = {"objectId": id, "createdAt": time, "updatedAt": time, "ACL": {"*": {"read": True, "write": True}}}
            self.objects.setdefault(name, {})[id] = system | fields
            return id

    def update(self, name, id, **fields):
        with self.lock:
            # A new dictionary: the app from which the server was made does not change.
            self.objects[name][id] = self.objects[name][id] | fields | {"updatedAt": self.tick()}

    def delete(self, name, id):
        with self.lock:
            del self.objects[name][id]

    def relate(self, name, id, field, *ids):
        """Adds to a relation of an object."""
        with self.lock:
            owners = self.relations.setdefault((name, field), {})
            owners[id] = list(dict.fromkeys([*owners.get(id, []), *ids]))
            self.update(name, id)

    def unrelate(self, name, id, field, *ids):
        with self.lock:
            owners = self.relations.get((name, field), {})
            owners[id] = [other for other in owners.get(id, []) if other not in ids]
            self.update(name, id)

    def change_some(self, updates=10, additions=5, deletions=3, seed="changes", names=("Post", "Comment", "Place")):
        """Changes objects of classes that the seed chooses; returns what changed."""
        random, changes = Random(seed), Changes()
        for number in range(updates):
            name = random.choice(names)
            id = random.choice(list(self.objects[name]))
            self.update(name, id, changedBy=f"{seed} {number}")
            changes.updated.append((name, id))
        for number in range(additions):
            name = random.choice(names)
            changes.added.append((name, self.add(name, changedBy=f"{seed} new {number}")))
        for _ in range(deletions):
            name = random.choice(names)
            id = random.choice([id for id in self.objects[name] if (name, id) not in changes.updated + changes.added])
            self.delete(name, id)
            changes.deleted.append((name, id))
        return changes


def group(pairs):
    owners = {}
    for owning, related in pairs:
        owners.setdefault(owning, []).append(related)
    return owners
