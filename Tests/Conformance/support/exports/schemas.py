"""The fields of classes and their types, as `GET /1.1/schemas` answers them."""

BUILT_IN = {"objectId": "String", "createdAt": "Date", "updatedAt": "Date", "ACL": "ACL"}
# The fields of a class without objects.
EMPTY = {"name": {"type": "String"}, "at": {"type": "Date"}}


def schema_of(name, rows):
    """Each field has the type of its first value that is not null."""
    fields = {field: {"type": type} for field, type in BUILT_IN.items()}
    if not rows:
        return fields | EMPTY
    for row in rows:
        for field, value in row.items():
            if field not in fields and value is not None:
                fields[field] = description(value)
    return fields


def description(value):
    match value:
        case {"__type": "Pointer", "className": "_File"}:
            return {"type": "File"}
        case {"__type": "Pointer" | "Relation" as kind, "className": name}:
            return {"type": kind, "className": name}
        case {"__type": kind}:
            return {"type": kind}
    names = {bool: "Boolean", int: "Number", float: "Number", str: "String", list: "Array", dict: "Object"}
    return {"type": names[type(value)]}
