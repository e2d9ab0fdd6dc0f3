"""The calls of the server."""

import hashlib
import json
from collections import Counter
from email.utils import format_datetime
from urllib.parse import quote

from data import relation
from serving import Serving

from .conditions import Conditions, Unsupported, fields_of, plain, sorted_rows
from .faults import Faults
from .state import State

SECRET = {"password", "salt", "bcryptPassword", "sessionToken"}
MOST = 1000


class Refused(Exception):
    def __init__(self, status, code, error):
        self.status, self.body = status, {"code": code, "error": error}


class LeanCloudServer(Serving):
    """A running app, filled from an `OldApp`, which does not change with it.

    - `state`: the data: `add`, `update`, `delete`, `relate`, `unrelate`, `change_some`, and `objects` by class and id
    - `faults`: limits and errors, see `Faults`
    - `counts()`: the number of requests by path; `requests` are all of them
    - `clock`: seconds by which its clock (header `Date`, `updatedAt`) is ahead
    - `cursors`: `same` as recorded, with a position that the server remembers and that each request advances, or
      `new`, a cursor for each page with which a page can be requested again
    """

    def __init__(self, app, clock=0, cursors="same", port=0):
        self.app, self.keys, self.cursors = app, app.keys, cursors
        self.state, self.faults = State(app, clock), Faults()
        self.conditions = Conditions(self.state.members)
        self.scans = {}
        super().__init__(port)

    def counts(self):
        with self.lock:
            return Counter(request.path for request in self.requests)

    def expire_cursors(self):
        """Cursors of scans that are not finished become invalid, as on LeanCloud after ten minutes."""
        self.scans.clear()

    # Requests

    def answer(self, request):
        status = self.faults.status()
        if self.faults.delay:
            self.closed.wait(self.faults.delay)
        if status == 429:
            return self.send(request, 429, {"code": 429, "error": "Too many requests."})
        if status is not None:
            return request.reply(status, b"<html>no</html>", Content_Type="text/html", Date=self.date())
        try:
            status, body = 200, self.route(request)
        except Refused as refusal:
            status, body = refusal.status, refusal.body
        except Unsupported as error:
            status, body = 400, {"code": 107, "error": f"Unknown operator {error}."}
        if self.faults.loses():
            return request.cut()
        self.send(request, status, body)

    def send(self, request, status, body):
        data = json.dumps(body, ensure_ascii=False).encode()
        request.reply(status, data, Content_Type="application/json;charset=utf-8", Date=self.date())

    def date(self):
        return format_datetime(self.state.now(), usegmt=True)

    def route(self, request):
        parts = request.path.strip("/").split("/")
        if parts == ["1.1", "date"]:
            return {"__type": "Date", "iso": self.state.tick()}
        is_master = self.authenticate(request.headers)
        match parts if request.method == "GET" else []:
            case ["1.1", "schemas"]:
                self.require(is_master)
                return self.state.schemas
            case ["1.1", "schemas", name]:
                self.require(is_master)
                return self.class_of(name, self.state.schemas)
            case ["1.1", "scan", "classes", name]:
                self.require(is_master)
                return self.scan(name, request.query)
            case ["1.1", "classes", name]:
                return self.query(name, request.query, is_master)
            case ["1.1", "classes", name, id]:
                row = self.class_of(name, self.state.objects).get(id)
                return self.shown(name, row, request.query) if row and is_readable(row, is_master) else {}
        raise Refused(404, 404, "Not found.")

    def authenticate(self, headers):
        """Whether the master key was given; refuses wrong keys."""
        key, sign, is_master = headers.get("X-LC-Key"), headers.get("X-LC-Sign"), False
        if headers.get("X-LC-Id") == self.keys.id and key:
            is_master = key == f"{self.keys.master},master"
            if is_master or key == self.keys.key:
                return is_master
        elif headers.get("X-LC-Id") == self.keys.id and sign:
            digest, time, *rest = sign.split(",")
            is_master = rest == ["master"]
            secret = self.keys.master if is_master else self.keys.key
            if digest == hashlib.md5((time + secret).encode()).hexdigest():
                return is_master
        raise Refused(401, 401, "Unauthorized.")

    def require(self, is_master):
        if not is_master:
            raise Refused(403, 403, "The request must be signed by master key.")

    def class_of(self, name, table):
        if name not in table:
            raise Refused(404, 101, "Class or object doesn't exists.")
        return table[name]

    # Lists

    def matching(self, name, where, is_master=True):
        with self.state.lock:
            rows = list(self.class_of(name, self.state.objects).values())
        return [row for row in rows if is_readable(row, is_master) and self.conditions.match(where, name, row)]

    def query(self, name, query, is_master):
        rows = self.matching(name, condition(query), is_master)
        count, limit = len(rows), limit_of(query)
        rows = sorted_rows(rows, query.get("order", ""))[int(query.get("skip") or 0):][:limit]
        reply = {"results": [self.shown(name, row, query) for row in rows]}
        return reply | ({"count": count} if query.get("count") == "1" else {})

    def scan(self, name, query):
        where, key = condition(query), query.get("scan_key") or "objectId"
        field = key.lstrip("-")
        if field in fields_of(where):
            raise Refused(400, 1, f"The scan key '{field}' can not be in where.")
        start = self.position(query.get("cursor"))
        rows = sorted_rows(self.matching(name, where), f"{key},objectId")
        if start is not None:
            rows = [row for row in rows if is_behind(place(row, field), start, key.startswith("-"))]
        rows = rows[:limit_of(query)]
        if not rows:
            return {"results": [], "cursor": None}
        cursor = query.get("cursor") if start is not None and self.cursors == "same" else f"cursor{len(self.scans)}"
        self.scans[cursor] = place(rows[-1], field)
        return {"results": [self.shown(name, row, query, is_scan=True) for row in rows], "cursor": cursor}

    def position(self, cursor):
        """Where the scan goes on: the scan key and id of the last object, nil at its beginning."""
        if not cursor:
            return None
        if cursor not in self.scans:
            raise Refused(400, 1, "Invalid cursor.")
        return self.scans[cursor]

    # What replies show

    def shown(self, name, row, query, is_scan=False):
        fields = {key: value for key, value in row.items() if key not in (SECRET if name == "_User" else ())}
        if query.get("returnACL") != "true":
            fields.pop("ACL", None)
        if name == "_File" and not is_scan:
            fields["url"] = self.link(row)
        for owner, field in self.state.relations:
            if owner == name:
                fields.setdefault(field, relation(self.state.schemas[name][field]["className"]))
        included = set((query.get("include") or "").split(","))
        return {key: self.expanded(value, key in included) for key, value in fields.items()}

    def expanded(self, value, in_lists):
        """A file as its record; files in lists only if the field is included."""
        if isinstance(value, list):
            return [self.expanded(one, False) for one in value] if in_lists else value
        if isinstance(value, dict) and (value.get("__type") == "File" or value.get("className") == "_File"):
            record = self.state.objects["_File"].get(value.get("objectId") or value.get("id"))
            if record is not None and value.get("__type") != "Relation":
                shown = {name: field for name, field in record.items() if name != "ACL"}
                return {"__type": "File"} | shown | {"url": self.link(record)}
        return value

    def link(self, record):
        return record["url"] if "key" not in record else f"{self.app.file_domain}/{quote(record['key'])}"


def is_readable(row, is_master):
    return is_master or row.get("ACL", {"*": {"read": True}}).get("*", {}).get("read") is True


def condition(query):
    return json.loads(query.get("where") or "{}")


def limit_of(query):
    return min(int(query.get("limit") or 100), MOST)


def place(row, field):
    return plain(row.get(field)), row["objectId"]


def is_behind(one, other, is_descending):
    if is_descending:
        return one[0] < other[0] or one[0] == other[0] and one[1] > other[1]
    return one > other
