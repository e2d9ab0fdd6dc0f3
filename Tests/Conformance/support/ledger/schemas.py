"""Classes, fields and indexes that come while the server works."""

from .facts import MASTER, Facts, Refusal, expect


class Schemas(Facts):
    """A class, field or index that was answered is there."""

    kind = "changes of schemas"
    fields_of_a_class = 6

    def __init__(self, chance, name=""):
        super().__init__(chance, name)
        # How many values its looks have stored in unique fields.
        self.values = 0

    def one(self, wire):
        place, number = divmod(self.number, self.fields_of_a_class)
        name, field = f"{self.name}{place}", f"f{number}"
        schema, indexes = f"/1.1/schemas/{name}/{field}", f"/1.1/indexes/{name}"
        match number % 3:
            case 0:
                expect(wire.send("POST", f"/1.1/classes/{name}", {field: number, "shared": number}), 201)
                return f"{name}/{field}", "Number"
            case 1:
                # A field that is there has the type of the first answer, whether it was heard or not.
                expect(wire.send("PUT", schema, {"type": "String", "unique": True}, **MASTER), 200)
                return f"{name}/{field}", "String"
            case _:
                reply = expect(wire.send("PUT", schema, {"type": "Date"}, **MASTER), 200)
                expect(wire.send("POST", indexes, {"fields": [field]}, **MASTER), 200, 201)
                return f"{name} {field}", reply.json()["type"]

    def sees(self, wire, key, type):
        name, _, field = key.replace(" ", "/").partition("/")
        fields = expect(wire.call("GET", f"/1.1/schemas/{name}", **MASTER), 200, 404).json()
        if fields.get(field, {}).get("type") != type:
            return f"{fields.get(field)} instead of {type}"
        if type == "Number":
            return None
        indexes = expect(wire.call("GET", f"/1.1/indexes/{name}", **MASTER), 200).json()["results"]
        if [field] not in [index["fields"] for index in indexes]:
            return f"no index, but {indexes}"
        if type == "String":
            return self.misses_duplicate(wire, name, field)
        return None

    def misses_duplicate(self, wire, name, field):
        """Whether the index does what it is for."""
        self.values += 1
        value = {field: f"value {self.values}"}
        expect(wire.send("POST", f"/1.1/classes/{name}", value), 201)
        reply = wire.send("POST", f"/1.1/classes/{name}", value)
        if reply.status == 201:
            return "a unique field took the same value twice"
        if reply.json()["code"] != 137:
            raise Refusal(str(reply.content))
        return None
