"""Compares objects of the old app with those of the new one, where a difference of form does not count."""

# What no server shows in replies about objects.
SECRET = {"password", "salt", "bcryptPassword", "sessionToken"}


def comparable(row):
    """The object without secrets; a file or a pointer to it is its id, an expanded pointer a pointer, and relations and
    links of files are left out."""
    left_out = SECRET | {"className", "__type"} | ({"url", "bucket", "provider"} if "metaData" in row else set())
    return {
        name: value for name, value in ((name, plain(value)) for name, value in row.items() if name not in left_out)
        if value is not RELATION
    }


def difference(old, new):
    """The fields that differ, each with both values; fields that only the new object has count."""
    old, new = comparable(old), comparable(new)
    names = sorted(old.keys() | new.keys())
    return {name: (old.get(name), new.get(name)) for name in names if not is_same(name, old, new)}


RELATION = object()


def plain(value):
    match value:
        case {"__type": "Relation"}:
            return RELATION
        case {"__type": "File"}:
            return ("File", value.get("objectId") or value.get("id"))
        case {"__type": "Pointer", "className": "_File", "objectId": id}:
            return ("File", id)
        case {"__type": "Pointer", "className": name, "objectId": id}:
            return ("Pointer", name, id)
        case dict():
            return {name: plain(inner) for name, inner in value.items()}
        case list():
            return [plain(inner) for inner in value]
    return value


def is_same(name, old, new):
    return name in old and name in new and typed(old[name]) == typed(new[name])


def typed(value):
    """A value by which `true` and 1 differ, which are equal in Python, and 0.0 and -0.0 do not."""
    match value:
        case bool():
            return ("Boolean", value)
        case dict():
            return {name: typed(inner) for name, inner in value.items()}
        case list() | tuple():
            return [typed(inner) for inner in value]
    return value
