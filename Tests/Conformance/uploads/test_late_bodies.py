"""Requests whose body comes late: what was taken away from the caller meanwhile is not theirs any more."""

import json

import pytest
from accounts import PASSWORD, is_live, log_in, new_token, sign_up, unique, with_session
from client import ALPHA, credentials, eventually, head
from data import Objects, texts
from people import BOTH, NO_SESSION, Person, Role, forbidden, no_writing

HALF = 5
FORM = (
    b'--b\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n\r\n', b"late\r\n--b--\r\n",
)


def late(server, method, path, token, data, meanwhile, **headers):
    """Sends a request's body in two parts, and calls in between; returns status and body of the answer."""
    named = credentials() | {"X-LC-Session": token, "Content-Length": len(data), "Expect": "100-continue"} | headers
    with server.raw() as connection:
        connection.send(head(method, path, named))
        assert connection.socket.recv(100).startswith(b"HTTP/1.1 100 ")
        connection.send(data[:HALF])
        meanwhile()
        connection.send(data[HALF:])
        answer = connection.answer(method)
        return answer.status, json.loads(answer.content)


def late_json(server, method, path, token, fields, meanwhile):
    data = json.dumps(fields).encode()
    return late(server, method, path, token, data, meanwhile, **{"Content-Type": "application/json"})


def item(path, fields):
    return {"requests": [{"method": "PUT", "path": path, "body": fields}]}


WAYS = {
    "single": lambda path, id, fields: ("PUT", path, fields),
    "batch": lambda path, id, fields: ("POST", "/1.1/batch", item(path, fields)),
    "batch/save": lambda path, id, fields: ("POST", "/1.1/batch/save", item(path, fields | {"__internalId": id})),
}


def assert_late_refusal(answer, way, error):
    assert answer == ((200, [{"error": error}]) if way == "batch" else (403, error))


# Sessions

ENDS = {
    "updatePassword": lambda api, master, user, token: api.call(
        "PUT", f"{user.path}/updatePassword", headers={"X-LC-Session": token},
        json={"old_password": PASSWORD, "new_password": "the user's"},
    ),
    "refreshSessionToken": lambda api, master, user, token: api.call(
        "PUT", f"{user.path}/refreshSessionToken", headers={"X-LC-Session": token},
    ),
    "password by the user": lambda api, master, user, token: user.change(
        {"password": "the user's"}, by=with_session(api, token),
    ),
    "password by the operator": lambda api, master, user, token: user.change({"password": "the user's"}, by=master),
}


@pytest.mark.each_value
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("way", WAYS)
def test_session_that_ended_before_the_body_sets_no_password(server, api, master, way, end):
    user = sign_up(api)
    token = new_token(api, user)

    def meanwhile():
        assert ENDS[end](api, master, user, token).status_code == 200

    method, path, fields = WAYS[way](user.path, user.id, {"password": "the thief's"})
    assert_late_refusal(late_json(server, method, path, user.token, fields, meanwhile), way, NO_SESSION)
    assert not is_live(api, user.token)
    password = PASSWORD if end == "refreshSessionToken" else "the user's"
    assert log_in(api, password, username=user.username).status_code == 200
    assert log_in(api, "the thief's", username=user.username).json()["code"] == 210


def test_session_that_lives_on_writes(server, api):
    user = sign_up(api)
    status, _ = late_json(server, "PUT", user.path, user.token, {"city": "Lyon"}, lambda: new_token(api, user))
    assert (status, user.read()["city"]) == (200, "Lyon")


# Roles

@pytest.mark.parametrize("way", WAYS)
def test_role_that_was_lost_before_the_body_writes_nothing(server, master, way):
    person = Person(server)
    role, notes = Role(master, users=[person]), Objects(master, "late_Note")
    id = notes.create(n=1, ACL={role.subject: BOTH})
    method, path, fields = WAYS[way](f"{notes.path}/{id}", id, {"n": 2})
    answer = late_json(server, method, path, person.token, fields, lambda: role.remove([person]))
    assert_late_refusal(answer, way, no_writing(id))
    assert notes.read(id) == {"n": 1}


def test_role_that_was_lost_before_the_body_is_not_won_back(server, master):
    person = Person(server)
    role = Role(master, users=[person])
    role.change({"ACL": {role.subject: BOTH}})
    back = {"users": {"__op": "AddRelation", "objects": [person.pointer]}}
    answer = late_json(server, "PUT", role.path, person.token, back, lambda: role.remove([person]))
    assert answer == (403, no_writing(role.id))
    assert Objects(master, "_Role").members(role.id, "users", Objects(master, "_User")) == set()


# Uploads

def raw(server, name, token, meanwhile):
    return late(server, "POST", f"/1.1/files/{name}", token, b"late bytes", meanwhile)


def form(server, name, token, meanwhile):
    data = FORM[0] % name.encode() + FORM[1]
    type = {"Content-Type": "multipart/form-data; boundary=b"}
    return late(server, "POST", "/1.1/files", token, data, meanwhile, **type)


@pytest.mark.parametrize("upload", [raw, form])
def test_session_that_ended_before_the_body_uploads_nothing(server, api, master, rules, upload):
    user, name = sign_up(api), f"{unique('late')}.txt"
    rules.set("_File", create=["users"])
    before = server.staged(ALPHA)

    def meanwhile():
        assert user.change({"password": "the user's"}, by=master).status_code == 200

    assert upload(server, name, user.token, meanwhile) == (403, forbidden("create", "_File"))
    found = master.get("/1.1/classes/_File", params=texts({"where": {"name": name}})).json()
    assert found == {"results": []}
    assert eventually(lambda: server.staged(ALPHA) == before)


@pytest.mark.parametrize("upload", [raw, form])
def test_session_that_lives_on_uploads(server, api, rules, upload):
    user, name = sign_up(api), f"{unique('late')}.txt"
    rules.set("_File", create=["users"])
    status, record = upload(server, name, user.token, lambda: new_token(api, user))
    assert (status, record["name"]) == (201, name)
