"""Evaluates conditions: equality, comparisons, `$in`, `$nin`, `$ne`, `$exists`, `$and`, `$or` and `$relatedTo`."""

SYSTEM_TIMES = ("createdAt", "updatedAt")


class Unsupported(Exception):
    """A condition that this server does not evaluate."""


class Conditions:
    """Conditions on objects of one app; `members(class, field, id)` gives the ids in a relation."""

    def __init__(self, members):
        self.members = members

    def match(self, where, name, row):
        if isinstance(where, list):
            return all(self.match(part, name, row) for part in where)
        return all(self.test(key, value, name, row) for key, value in where.items())

    def test(self, key, value, name, row):
        if key in ("$and", "$or"):
            results = [self.match(part, name, row) for part in value]
            return all(results) if key == "$and" else any(results)
        if key == "$relatedTo":
            owner = value["object"]
            return row["objectId"] in self.members(owner["className"], value["key"], owner["objectId"])
        if key.startswith("$"):
            raise Unsupported(key)
        stored = row.get(key)
        if isinstance(stored, dict) and stored.get("__type") == "Relation":
            return value["objectId"] in self.members(name, key, row["objectId"])
        if isinstance(value, dict) and any(name.startswith("$") for name in value):
            return all(compare(operator, stored, argument) for operator, argument in value.items())
        return is_equal(stored, value)


def compare(operator, stored, argument):
    stored_value, value = plain(stored), plain(argument)
    if operator == "$ne":
        return not is_equal(stored, argument)
    if operator == "$exists":
        return (stored is not None) == argument
    if operator in ("$in", "$nin"):
        return any(is_equal(stored, one) for one in argument) == (operator == "$in")
    tests = {
        "$gt": lambda: stored_value > value, "$gte": lambda: stored_value >= value,
        "$lt": lambda: stored_value < value, "$lte": lambda: stored_value <= value,
    }
    if operator not in tests:
        raise Unsupported(operator)
    return is_ordered(stored_value, value) and tests[operator]()


def plain(value):
    """A date as its text, which is ordered like the time and equal to the bare text of `createdAt`."""
    return value["iso"] if isinstance(value, dict) and value.get("__type") == "Date" else value


def is_equal(stored, value):
    stored, value = plain(stored), plain(value)
    if isinstance(stored, list) and not isinstance(value, list):
        return any(is_equal(one, value) for one in stored)
    if is_pointer(stored) and is_pointer(value):
        return all(stored.get(name) == value.get(name) for name in ("className", "objectId"))
    return stored == value


def is_pointer(value):
    return isinstance(value, dict) and value.get("__type") == "Pointer"


def is_ordered(left, right):
    numbers = (int, float)
    return isinstance(left, str) and isinstance(right, str) or isinstance(left, numbers) and isinstance(right, numbers)


def fields_of(where):
    """The names of all fields that a condition tests."""
    if isinstance(where, list):
        return {name for part in where for name in fields_of(part)}
    names = {name for name in where if not name.startswith("$")}
    return names.union(*(fields_of(where[key]) for key in ("$and", "$or") if key in where))


def sorted_rows(rows, order):
    """By a list of fields such as `-updatedAt,objectId`."""
    for field in reversed([part.strip() for part in order.split(",") if part.strip()]):
        name = field.lstrip("-+")
        rows = sorted(rows, key=lambda row: sort_key(row.get(name)), reverse=field.startswith("-"))
    return rows


def sort_key(value):
    value = plain(value)
    return (value is not None, str(type(value) is str), value if isinstance(value, (str, int, float)) else "")
