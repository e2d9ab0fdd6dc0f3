"""Random queries, changes and batches."""

from urllib.parse import quote

from attacking.conditions import HEAVY, ORDERS, Conditions
from attacking.request import KEYS, LONGEST_TARGET, MASTER, compact, query, with_json

BATCHED = [1, 5, 30, 100, 101]
KEYS_SHOWN = ["n", "-a", "o.a", "p.n", *ORDERS]
INCLUDES = ["p", "p.p", "p.p.p.p.p", "p.p.p.p.p.p", "items", "o.p", "missing"]


class Objects:
    """Draws requests on the classes that the server was filled with."""

    def __init__(self, random, ids):
        self.random, self.ids = random, ids
        self.pick = random.choice
        self.conditions = Conditions(random, ids)

    def find(self):
        parameters = self.parameters()
        return query("find", f"/1.1/classes/{self.class_name()}", parameters)

    def count(self):
        parameters = {"where": self.conditions.where(), "count": 1, "limit": 0}
        return query("count", f"/1.1/classes/{self.class_name()}", parameters)

    def scan(self):
        parameters = {"where": self.conditions.where(), "limit": self.pick([1, 100, 1000])}
        parameters["scan_key"] = self.pick(["objectId", "n", "createdAt", "s", "a"])
        headers = MASTER if self.random.random() < 0.9 else KEYS
        return query("scan", f"/1.1/scan/classes/{self.class_name()}", parameters, headers)

    def change(self):
        item = self.item(self.pick(["PUT", "PUT", "PUT", "DELETE"]))
        target = f"{item['path']}?where={quote(compact(item['params']['where']))}"
        if len(target) > LONGEST_TARGET:
            return with_json("change in a batch", "POST", "/1.1/batch", {"requests": [item]})
        return with_json("change", item["method"], target, item.get("body", {}))

    def batch(self):
        items, values = [], 0
        for _ in range(self.pick(BATCHED)):
            method = self.pick(["GET", "GET", "POST", "PUT", "PUT", "DELETE"])
            items.append(self.item(method, small=values > 100_000))
            values += len(compact(items[-1])) // 4
        return with_json("batch", "POST", "/1.1/batch", {"requests": items})

    def save(self):
        """`batch/save`, whose items may point to each other."""
        count = self.pick([1, 10, 100, 1000, 1001])
        where = self.conditions.where() if self.random.random() < 0.5 else {"n": {"$gte": 0}}
        if len(compact(where)) * count > 2_000_000:
            count = 10
        items = []
        for number in range(count):
            if self.random.random() < 0.5:
                item = self.item("PUT", small=True) | {"params": {"where": where}}
            else:
                item = {"method": "POST", "path": "/1.1/classes/Saved", "new": True, "body": self.fields()}
            children = [{"className": "Saved", "cid": str(number - 1), "key": "child"}] if number else []
            item["body"] = item["body"] | {"__internalId": str(number), "__children": children}
            items.append(item)
        return with_json("batch/save", "POST", "/1.1/batch/save", {"requests": items})

    def item(self, method, small=False):
        """One request of a batch."""
        name = self.pick(["Rows", "Big"])
        path = f"/1.1/classes/{name}/{self.pick(self.ids[name])}"
        where = {"n": {"$gte": self.random.randrange(9)}} if small else self.conditions.where()
        if not small and self.conditions.heavy:
            name = "Big"
            path = f"/1.1/classes/Big/{self.ids['Big'][self.pick(HEAVY[self.conditions.heavy])]}"
        if method == "GET":
            return {"method": "GET", "path": f"/1.1/classes/{name}", "params": {"where": where, "limit": 100}}
        if method == "POST":
            return {"method": "POST", "path": "/1.1/classes/Saved", "body": self.fields()}
        if method == "DELETE":
            # Nothing with both is there, so the objects that are attacked stay.
            return {"method": "DELETE", "path": path, "params": {"where": {"$and": [where, {"objectId": "none"}]}}}
        return {"method": "PUT", "path": path, "params": {"where": where}, "body": self.operations(name)}

    def operations(self, name):
        """Changes of fields that no condition needs, so that the costly values stay."""
        values = [self.random.randrange(1000) for _ in range(self.pick([1, 10, 1000, 10_000]))]
        count = self.pick([1, 100, 1000, 1001])
        pointers = [self.conditions.pointer() | {"className": "Rows"} for _ in range(count)]
        unique = {"__op": "AddUnique", "objects": values[:1000]}
        return self.pick([
            {"changed": {"__op": "Increment", "amount": 1}}, {"more": {"__op": "Delete"}},
            {"more": {"__op": "AddUnique", "objects": values}}, {"more": {"__op": "Remove", "objects": values}},
            {"more": {"__op": "Add", "objects": values[:100]}}, {"rel": {"__op": "AddRelation", "objects": pointers}},
            {"more": {"__op": "Batch", "ops": [unique] * self.pick([2, 100])}},
        ])

    def fields(self):
        names = self.random.choices(range(330), k=self.pick([1, 5, 50]))
        fields = {f"f{name}": self.random.randrange(1000) for name in names}
        return fields | {"text": "x" * self.pick([1, 1000, 100_000 if self.random.random() < 0.05 else 10])}

    def parameters(self):
        parameters = {"where": self.conditions.where(), "limit": self.pick([0, 1, 100, 1000, 1001])}
        parts = {
            "order": self.conditions.order, "skip": lambda: self.pick([0, 10, 100_000, 10**15]), "count": lambda: 1,
            "include": lambda: ",".join(self.random.choices(INCLUDES, k=self.conditions.limited([1, 3, 1000], 1001))),
            "keys": lambda: ",".join(self.random.choices(KEYS_SHOWN, k=self.pick([1, 5, 1000]))),
            "returnACL": lambda: "true", "redirectClassNameForKey": lambda: self.pick(["p", "rel"]),
        }
        for name, draw in parts.items():
            if self.random.random() < (0.02 if name == "redirectClassNameForKey" else 0.3):
                parameters[name] = draw()
        return parameters

    def class_name(self):
        """The class whose objects the present condition is costly on, else any."""
        if self.conditions.heavy:
            return "Big"
        return self.pick(["Rows", "Rows", "Big", "Big", "Big", "Saved", "Missing", "_File", "_Role"])
