"""Damages files of an export in place. `number` counts the objects of the file from 0; functions that concern
one object return its id."""

import json


def lines_of(path):
    """The lines of a file, as bytes with their ends."""
    return path.read_bytes().splitlines(keepends=True)


def object_of(line):
    """The object in a line, or nil for the first line that tells the class."""
    return None if line.startswith(b"#") else json.loads(line)


def truncate_last_line(path):
    """The file ends in the middle of its last object, as after a download that broke off."""
    *others, last = lines_of(path)
    path.write_bytes(b"".join(others) + last[: len(last) // 2])
    return object_of(last)["objectId"]


def break_line(path, number):
    """The line lacks its last brace."""
    return replace_line(path, number, lambda line: line.rstrip()[:-1] + b"\n")


def insert_line(path, number, data):
    """Any bytes as a line before the object."""
    return replace_line(path, number, lambda line: data + b"\n" + line)


def add_byte_order_mark(path):
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())


def recode_line(path, number, encoding):
    """The line, with Chinese text in its field `note`, is in another encoding, such as `utf-16` or `gbk`.

    Of the object only the system fields and this text are left, because in UTF-16 other text could contain a byte that
    ends the line.
    """
    def recode(line):
        row = {name: object_of(line)[name] for name in ("objectId", "createdAt", "updatedAt")} | {"note": "中文"}
        return json.dumps(row, ensure_ascii=False).encode(encoding) + b"\n"

    return replace_line(path, number, recode)


def repeat_object(path, number, **changes):
    """The object comes once more at the end of the file: the same, or with other fields."""
    line = object_lines(path)[number]
    row = object_of(line)
    with open(path, "ab") as file:
        file.write(json.dumps(row | changes, ensure_ascii=False).encode() + b"\n")
    return row["objectId"]


def add_fields(path, number, **fields):
    """The object has more fields, such as `_hidden`, `a.b`, or a text with U+0000, which the server refuses."""
    def extend(line):
        return json.dumps(object_of(line) | fields, ensure_ascii=False).encode() + b"\n"

    return replace_line(path, number, extend)


def replace_line(path, number, change):
    lines = lines_of(path)
    numbers = [index for index, line in enumerate(lines) if not line.startswith(b"#")]
    line = lines[numbers[number]]
    lines[numbers[number]] = change(line)
    path.write_bytes(b"".join(lines))
    return object_of(line)["objectId"]


def object_lines(path):
    return [line for line in lines_of(path) if not line.startswith(b"#")]
