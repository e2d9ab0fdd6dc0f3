"""The part of Benchmarks/run that measures what permissions cost: the same rows for callers of each kind."""

import json
import statistics
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass

from measuring import APP, report, start_lcfile, turns, wrk

ROWS = 10_000
ROLES = 100
# Of how many roles the measured users are members.
MEMBERSHIPS = (0, 10, ROLES)
# Callers of one question have short turns one after the other, so that noise hits all alike; many rounds.
SECONDS = 0.4
ROUNDS = 7
# The user with all roles needs at most 1.5 times as long as the master key.
GOAL = 1 / 1.5
APP_KEY = {"X-LC-Id": APP["LCFILE_APP_ID"], "X-LC-Key": APP["LCFILE_APP_KEY"]}
MASTER = APP_KEY | {"X-LC-Key": f"{APP['LCFILE_MASTER_KEY']},master"}
# What is asked, and how many rows the answer must tell of.
QUERIES = {"find 100": ("limit=100", 100), "count 10 000": ("limit=0&count=1", ROWS)}
MEASURED = [("find 100", 1), ("find 100", 16), ("count 10 000", 1)]
READ = {"read": True}


@dataclass(frozen=True)
class Case:
    """One line of the report: who asks for what."""

    rows: str
    query: str
    connections: int
    caller: str
    headers: dict

    def path(self):
        return f"/1.1/classes/{self.rows}?{QUERIES[self.query][0]}"

    def run(self, url):
        options = [word for name, value in self.headers.items() for word in ("-H", f"{name}: {value}")]
        return wrk(url + self.path(), self.connections, SECONDS, options)


def bench(folder):
    folder.mkdir()
    # A user sends more than clients may by default.
    server, url = start_lcfile(folder, {"LCFILE_LIMITS_USER_REQUESTS": "0"})
    try:
        users = {count: sign_up(url, f"user{count}") for count in MEMBERSHIPS}
        make_roles(url, users)
        # The user in all roles reads each row by a role, the others by their own entry.
        named = {user["objectId"]: READ for count, user in users.items() if count < ROLES}
        make_rows(url, "Open", lambda number: {"*": READ})
        make_rows(url, "Guarded", lambda number: {f"role:Role{number % ROLES}": READ} | named)
        measure(url, {count: APP_KEY | {"X-LC-Session": user["sessionToken"]} for count, user in users.items()})
    finally:
        server.stop()


def measure(url, sessions):
    members = {f"{count} roles": headers for count, headers in sessions.items()}
    most = f"{ROLES} roles"
    callers = {
        "Open": {"master": MASTER, "guest": APP_KEY, most: members[most]}, "Guarded": {"master": MASTER} | members,
    }
    for rows in callers:
        for query, connections in MEASURED:
            cases = [Case(rows, query, connections, caller, headers) for caller, headers in callers[rows].items()]
            compare(url, cases, most)


def compare(url, cases, most):
    """Each caller against the first, the master, in the same round."""
    for case in cases:
        check(url, case)
    rounds = turns([lambda case=case: case.run(url) for case in cases], ROUNDS)
    for case, rates in zip(cases, zip(*rounds)):
        rate, master = statistics.median(rates), statistics.median(first for first, *_ in rounds)
        ratio = statistics.median(mine / first for mine, (first, *_) in zip(rates, rounds))
        goal = f"goal {GOAL:.2f}" if case.query.startswith("find") and case.caller == most else ""
        title = f"{case.query} {case.rows}, {case.caller}, {case.connections} conn."
        report(title, "req/s", rate, master, "master", goal, ratio)


def check(url, case):
    """Every caller must read every row: an answer without them is fast."""
    answer = call(url, "GET", case.path(), case.headers)
    found = answer.get("count", len(answer["results"]))
    if found != QUERIES[case.query][1]:
        sys.exit(f"{case} tells of {found} rows")


def sign_up(url, name):
    return call(url, "POST", "/1.1/users", APP_KEY, {"username": name, "password": "a password"})


def make_roles(url, users):
    def role(number):
        members = [user for count, user in users.items() if number < count]
        pointers = [{"__type": "Pointer", "className": "_User", "objectId": user["objectId"]} for user in members]
        return {"name": f"Role{number}", "ACL": {}, "users": {"__op": "AddRelation", "objects": pointers}}

    save(url, "_Role", [role(number) for number in range(ROLES)])


def make_rows(url, name, acl):
    save(url, name, [
        {
            "title": "A row with a title of the usual length", "rank": number, "stars": number % 5, "done": False,
            "tags": ["red", "large", "new"], "profile": {"city": "Lyon", "age": 42}, "ACL": acl(number),
        }
        for number in range(ROWS)
    ])


def save(url, name, objects):
    """Saves new objects as master, a thousand in each request and transaction."""
    requests = [
        {"method": "POST", "path": f"/1.1/classes/{name}", "new": True, "body": object | {"__internalId": str(number)}}
        for number, object in enumerate(objects)
    ]
    for start in range(0, len(requests), 1000):
        call(url, "POST", "/1.1/batch/save", MASTER, {"requests": requests[start:start + 1000]})


def call(url, method, path, headers, body=None):
    """The answer's JSON; a refusal stops the run."""
    data = None if body is None else json.dumps(body).encode()
    headers = headers | {"Content-Type": "application/json"}
    request = urllib.request.Request(url + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        sys.exit(f"{method} {path}: {refusal.read().decode()[:200]}")
