"""Writes an app as LeanCloud's export: a folder, an archive, or one file."""

import gzip
import io
import json
import tarfile
from pathlib import Path

from .files import exported
from .identifiers import milliseconds

# How the rows of a class are written: its files, and the form; without an entry it is one `<Class>.jsonl`.
#
# - lines: a JSON object in each line; headed: the same after a line that tells the class
# - windows: lines that end in CRLF, with empty lines between them, times as `{"__type":"Date"}`
# - array: one JSON array; results: one `{"results":[…]}`
# - bson: lines as `bsondump` prints them, with `_id` and `$date`
FORMS = {
    "_File": (["_File.0.jsonl"], "headed"), "_User": (["_User.0.jsonl"], "headed"),
    "Post": (["Post.0.jsonl", "Post.1.jsonl"], "headed"),
    "Comment": (["Comment.0.jsonl", "Comment.1.jsonl", "Comment.2.jsonl"], "lines"),
    "Note": (["Note.jsonl"], "windows"), "Legacy": (["Legacy.0.jsonl"], "bson"), "Country": (["Country.json"], "array"),
    "Setting": (["Setting.json"], "results"), "Event": (["Event.jsonl.gz"], "lines"),
}


def file_names(name):
    """The files that the rows of a class are in."""
    return FORMS.get(name, ([f"{name}.jsonl"], None))[0]


def join_name(join):
    return f"_Join:{join.field}:{join.name}.jsonl"


def write_folder(app, folder, schemas=True, joins=True):
    """The whole export; returns the folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in app.objects:
        write_class(app, name, folder)
        if schemas:
            write_schema(app, name, folder)
    if joins:
        write_joins(app, folder)
    return folder


def write_archive(folder, path, top="export"):
    """A .tar.gz of a folder, with its files below the folder `top`, or at the top if it is empty; returns the path."""
    with open(path, "wb") as file, gzip.GzipFile("", "wb", compresslevel=1, fileobj=file, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for part in sorted(Path(folder).iterdir()):
                entry = archive.gettarinfo(part, f"{top}/{part.name}" if top else part.name)
                entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = 0, 0, 0, "", ""
                with open(part, "rb") as data:
                    archive.addfile(entry, data)
    return Path(path)


def write_class(app, name, folder, form=None):
    """The rows of a class in their files, evenly; returns the paths."""
    names, usual = FORMS.get(name, (file_names(name), "lines"))
    rows, count = app.objects[name], len(names)
    paths = [Path(folder) / file for file in names]
    for part, path in enumerate(paths):
        first, end = len(rows) * part // count, len(rows) * (part + 1) // count
        write_objects(path, name, rows_of(app, name, first, end), form or usual)
    return paths


def write_schema(app, name, folder):
    path = Path(folder) / f"{name}_schema.json"
    path.write_text(json.dumps(app.schemas[name], ensure_ascii=False), encoding="utf-8")
    return path


def write_joins(app, folder):
    for join in app.joins:
        with open(Path(folder) / join_name(join), "w", encoding="utf-8") as file:
            for owning, related in join.pairs:
                file.write(line({"owningId": owning, "relatedId": related}) + "\n")


def rows_of(app, name, first=0, end=None):
    """The rows of a class as exports have them."""
    for number in range(first, len(app.objects[name]) if end is None else end):
        row = app.objects[name][number]
        yield exported(row, number, app.file_domain) if name == "_File" else row


def write_objects(path, name, rows, form="lines"):
    """Rows in one file of a form (see `FORMS`), such as `rows_of(app, name)`; compressed if the path ends in `.gz`."""
    with open_text(path) as file:
        if form == "headed":
            file.write("#filetype:JSON-streaming " + line({"type": "Class", "class": name}) + "\n")
        if form in ("array", "results"):
            file.write(line(list(rows) if form == "array" else {"results": list(rows)}))
            return
        for number, row in enumerate(rows):
            if form == "windows":
                file.write(line(typed_times(row)) + "\r\n" + ("\r\n" if number % 10 == 0 else ""))
            else:
                file.write(line(bson_printed(row, number) if form == "bson" else row) + "\n")


def open_text(path):
    if not str(path).endswith(".gz"):
        return open(path, "w", encoding="utf-8", newline="")
    return io.TextIOWrapper(gzip.GzipFile(path, "wb", mtime=0), encoding="utf-8", newline="")


def line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def typed_times(row):
    """The row with `createdAt` and `updatedAt` in the form of other dates."""
    return row | {name: {"__type": "Date", "iso": row[name]} for name in ("createdAt", "updatedAt")}


def bson_printed(row, number):
    """The row as `bsondump` prints a document: in turns with the forms that its versions write."""
    id, system = row["objectId"], ("objectId", "createdAt", "updatedAt")
    rest = {name: value for name, value in row.items() if name not in system}
    times = {name: bson_date(row[name], number) for name in ("createdAt", "updatedAt")}
    return {"_id": {"$oid": id} if number % 3 else id} | times | bson_dates(rest, number)


def bson_dates(value, number):
    match value:
        case {"__type": "Date", "iso": iso}:
            return bson_date(iso, number)
        case dict():
            return {name: bson_dates(inner, number) for name, inner in value.items()}
        case list():
            return [bson_dates(inner, number) for inner in value]
    return value


def bson_date(iso, number):
    return {"$date": [iso, milliseconds(iso), {"$numberLong": str(milliseconds(iso))}][number % 3]}
