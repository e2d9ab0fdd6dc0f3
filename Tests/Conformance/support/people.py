"""A cast of callers, and what tests set for them: roles, ACLs and permissions of classes."""

import itertools
import json
from uuid import uuid4

from cases import EXHAUSTIVE
from client import ALPHA, API, assert_refused
from data import op, pointer

CALLERS = ["guest", "owner", "other", "member", "master"]
# Who is meant by each way to name people, in ACLs (but "users") and in permissions of classes.
ALLOWED = {
    "everyone": set(CALLERS), "users": set(CALLERS) - {"guest"}, "user": {"owner", "master"}, "role": {"member", "master"},
    "nobody": {"master"},
}
SUBJECTS = [audience for audience in ALLOWED if audience != "users"]



def one_of_each(audiences):
    """For each path a caller who is let in and one who is refused; Tests/HTTPAPITests has every audience and caller."""
    return list(itertools.product(audiences, CALLERS)) if EXHAUSTIVE else [("user", "owner"), ("user", "other")]


PASSWORD = "correct horse"
READ, WRITE, BOTH = {"read": True}, {"write": True}, {"read": True, "write": True}
NO_READING = {"code": 403, "error": "Forbidden reading by object's ACL."}
NO_SESSION = {"code": 206, "error": "The user cannot be altered by a client without the session."}


def no_writing(id):
    return {"code": 403, "error": f"Forbidden writing by object's ACL, the object id is {id}."}


def forbidden(operation, name):
    return {"code": 403, "error": f"Forbidden to {operation} by class '{name}' permissions."}


def unique(word):
    """A name that nothing else has."""
    return f"{word}{uuid4().hex[:12]}"


class Person(API):
    """Calls of a user who has just signed up."""

    def __init__(self, server, app=ALPHA, **fields):
        account = {"username": unique("person"), "password": PASSWORD} | fields
        response = server.api(app).post("/1.1/users", json=account)
        assert response.status_code == 201, response.text
        user = response.json()
        self.id, self.name, self.token = user["objectId"], account["username"], user["sessionToken"]
        self.pointer = pointer("_User", self.id)
        super().__init__(server, app, {"X-LC-Key": app.key, "X-LC-Session": self.token})


class Role:
    """A role that a caller has made."""

    def __init__(self, api, users=(), roles=(), acl={"*": READ}, name=None):
        self.api, self.name = api, name or unique("Role")
        fields = {"name": self.name, "ACL": acl} | relations("AddRelation", users, roles)
        response = api.post("/1.1/roles", json=fields)
        assert response.status_code == 201, response.text
        self.id = response.json()["objectId"]
        self.path = f"/1.1/roles/{self.id}"
        self.pointer, self.subject = pointer("_Role", self.id), f"role:{self.name}"

    def add(self, users=(), roles=()):
        self.change(relations("AddRelation", users, roles))

    def remove(self, users=(), roles=()):
        self.change(relations("RemoveRelation", users, roles))

    def change(self, fields):
        response = self.api.call("PUT", self.path, json=fields)
        assert response.status_code == 200, response.text


def relations(name, users=(), roles=()):
    """The operations that put people and roles into a role, or out of it."""
    members = {"users": users, "roles": roles}
    return {key: op(name, objects=[one.pointer for one in all]) for key, all in members.items() if all}


class Cast:
    """One caller of each kind: a guest, three users, one of them in a role, and the master key."""

    def __init__(self, server):
        self.guest, self.master = server.api(), server.api(master=True)
        self.owner, self.other, self.member = (Person(server) for _ in range(3))
        self.role = Role(self.master, users=[self.member])

    def __getitem__(self, caller):
        return getattr(self, caller)

    def acl(self, audience, **rights):
        """The ACL that gives the rights to an audience only."""
        if audience == "nobody":
            return {}
        return {{"everyone": "*", "user": self.owner.id, "role": self.role.subject}[audience]: rights}

    def words(self, audience):
        """The list that opens an operation to an audience."""
        named = {"nobody": [], "user": [f"user:{self.owner.id}"], "role": [self.role.subject]}
        return named.get(audience, [audience])


def permissions(master, name):
    response = master.get(f"/1.1/permissions/{name}")
    assert response.status_code == 200, response.text
    return response.json()


def permit(master, name, **settings):
    """Sets permissions of a class; returns all of them."""
    response = master.call("PUT", f"/1.1/permissions/{name}", json=settings)
    assert response.status_code == 200, response.text
    return response.json()


class Rules:
    """Sets permissions of classes that others use as well, and sets them back."""

    def __init__(self, master):
        self.master, self.before = master, {}

    def set(self, name, **settings):
        self.keep(name)
        permit(self.master, name, **settings)

    def keep(self, name):
        """Resets the class at the end, whichever test changed it."""
        self.before.setdefault(name, permissions(self.master, name))

    def restore(self):
        for name, settings in self.before.items():
            permit(self.master, name, **settings)


def start(new_server, **settings):
    """A server of the test's own, where passwords cost little."""
    return new_server(**settings).start()


def refusal(response):
    """What a request was refused with, alone or as the only one of a batch; nothing if it was done."""
    body = response.json()
    if isinstance(body, list):
        return body[0].get("error")
    return body if response.status_code >= 400 else None


def assert_forbidden(response, error):
    assert refusal(response) == error, response.text
    assert response.status_code == (200 if isinstance(response.json(), list) else 403)


# A token as long as a real one, which no user has.
CHOSEN = "a" * 25


def me(api, token):
    return api.get("/1.1/users/me", headers={"X-LC-Session": token})


def assert_nobody(api, token):
    assert_refused(me(api, token), 400, 211)


def tunnel(api, path, fields, **headers):
    """A POST with method, keys and session in its body."""
    caller = API(api.server, ALPHA, {})
    caller.headers = {"Content-Type": "text/plain"} | headers
    return caller.post(path, data=json.dumps({"_ApplicationId": ALPHA.id, "_ApplicationKey": ALPHA.key} | fields))
