"""Sessions as objects of class _Session: only the master key can list and end them."""

import hashlib

import pytest
from accounts import SESSIONS as PATH, is_live, new_token, sessions, sign_up
from batches import save
from client import assert_refused
from data import MISSING, Objects, batch, op


@pytest.fixture
def ann(api):
    return sign_up(api)


@pytest.fixture
def session(master, ann):
    """The id of Ann's session."""
    return sessions(master, ann)[0]["objectId"]


# The master key

def test_master_key_lists_the_one_session_of_a_user(api, master, ann):
    assert new_token(api, ann) == ann.token
    found, = sessions(master, ann)
    assert found["user"] == ann.pointer
    assert set(found) - {"updatedAt"} == {"objectId", "createdAt", "user"}
    assert ann.token not in str(found) and hashlib.sha256(ann.token.encode()).hexdigest() not in str(found)


def test_master_key_reads_one_session(master, ann, session):
    assert master.get(f"{PATH}/{session}").json() == sessions(master, ann)[0]


@pytest.mark.parametrize("key", ["token", "sessionToken", "_token", "hash", "digest"])
def test_keys_do_not_show_tokens(master, session, key):
    assert key not in master.get(f"{PATH}/{session}", params={"keys": key}).json()


def test_master_key_ends_the_session_of_a_user(api, master, ann, session):
    response = master.call("DELETE", f"{PATH}/{session}")
    assert (response.status_code, response.json()) == (200, {})
    assert not is_live(api, ann.token)
    assert sessions(master, ann) == []
    token = new_token(api, ann)
    assert token != ann.token and is_live(api, token)


def test_master_key_ends_sessions_in_a_batch(api, master, ann, session):
    assert batch(master, {"method": "DELETE", "path": f"{PATH}/{session}"}).json() == [{"success": {}}]
    assert not is_live(api, ann.token)


def test_sessions_that_ended_are_not_listed(master, ann, session):
    assert ann.api.call("PUT", f"{ann.path}/refreshSessionToken").status_code == 200
    assert session not in {found["objectId"] for found in sessions(master, ann)}
    assert master.call("DELETE", ann.path).status_code == 200
    assert sessions(master, ann) == []


@pytest.mark.parametrize("field", ["token", "sessionToken"])
def test_not_even_the_master_key_chooses_a_token(api, master, ann, session, field):
    chosen = hashlib.md5(ann.id.encode()).hexdigest()[:25]
    master.post(PATH, json={"user": ann.pointer, field: chosen})
    master.call("PUT", f"{PATH}/{session}", json={field: chosen})
    assert not is_live(api, chosen)
    assert is_live(api, ann.token)


# Everyone else

@pytest.fixture(params=["guest", "user"])
def caller(request, api, ann):
    return api if request.param == "guest" else ann.api


def requests_of(ann, id):
    return {
        "get": [("GET", f"{PATH}/{id}", None)],
        "find": [("GET", PATH, None)],
        "create": [("POST", PATH, {"user": ann.pointer})],
        "update": [("PUT", f"{PATH}/{id}", {"user": ann.pointer})],
        "delete": [("DELETE", f"{PATH}/{id}", None), ("DELETE", f"{PATH}/{id},{MISSING}", None)],
    }


OPERATIONS = ["get", "find", "create", "update", "delete"]


def forbidden(operation):
    return {"code": 403, "error": f"Forbidden to {operation} by class '_Session' permissions."}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_sessions_are_closed(api, ann, session, caller, operation):
    for method, path, body in requests_of(ann, session)[operation]:
        response = caller.call(method, path, json=body)
        assert (response.status_code, response.json()) == (403, forbidden(operation))
    assert is_live(api, ann.token)


def test_missing_session_is_closed_as_well(caller, session):
    response = caller.get(f"{PATH}/{MISSING}")
    assert (response.status_code, response.json()) == (403, forbidden("get"))


@pytest.mark.parametrize("query", [
    {"limit": 0, "count": 1}, {"where": "{}"}, {"keys": "user"}, {"include": "user"}, {"where": f'{{"objectId":"{MISSING}"}}'},
], ids=str)
def test_sessions_are_neither_found_nor_counted(caller, session, query):
    response = caller.get(PATH, params=query)
    assert (response.status_code, response.json()) == (403, forbidden("find"))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_sessions_are_closed_in_a_batch(api, ann, session, caller, operation):
    items = [
        {"method": method, "path": path, "body": body or {}}
        for method, path, body in requests_of(ann, session)[operation]
    ]
    assert batch(caller, *items).json() == [{"error": forbidden(operation)}] * len(items)
    assert is_live(api, ann.token)


@pytest.mark.parametrize("operation", ["create", "update"])
def test_sessions_are_closed_in_a_save(master, ann, session, caller, operation):
    (method, path, body), = requests_of(ann, session)[operation]
    item = {"method": method, "path": path, "body": body | {"__internalId": session}}
    response = save(caller, item)
    assert (response.status_code, response.json()) == (403, forbidden(operation))
    assert len(sessions(master, ann)) == 1


def test_sessions_are_not_scanned(caller, session):
    assert_refused(caller.get("/1.1/scan/classes/_Session"), 403, 119)


@pytest.mark.parametrize("path", ["/1.1/classes/_session", "/1.1/classes/_SESSION", "/1.1/sessions", "/1.1/classes/sessions"])
def test_other_spellings_lead_to_no_sessions(caller, session, path):
    for response in (caller.get(path), caller.get(f"{path}/{session}"), caller.call("DELETE", f"{path}/{session}")):
        assert session not in response.text


def test_permissions_of_sessions_cannot_be_changed(master, caller, session):
    for body in ({"find": ["everyone"]}, {"get": ["users"], "delete": ["users"]}):
        assert master.call("PUT", "/1.1/permissions/_Session", json=body).status_code == 400
    assert caller.get(PATH).json() == forbidden("find")
    assert caller.get(f"{PATH}/{session}").json() == forbidden("get")


@pytest.fixture
def things(things, ann, session):
    """A class with an object that points to a session and to its user."""
    pointer = {"__type": "Pointer", "className": "_Session", "objectId": session}
    relation = op("AddRelation", objects=[pointer])
    things.create(session=pointer, sessions=relation, user=ann.pointer, of=ann.id)
    return things


def test_session_is_not_included(things, caller, master, ann):
    where = {"of": ann.id}
    bare, = things.by(caller).find(where=where, include="session,session.user")
    assert set(bare["session"]) == {"__type", "className", "objectId"}
    whole, = things.by(master).find(where=where, include="session")
    assert whole["session"]["user"]["objectId"] == ann.id


def conditions(ann):
    """Conditions that ask sessions; the second of each pair asks what no session meets."""
    pairs = []
    for inner in ({"user": ann.pointer}, {"user": {"__type": "Pointer", "className": "_User", "objectId": MISSING}}):
        query = {"className": "_Session", "where": inner}
        pairs.append({
            "$inQuery": {"session": {"$inQuery": query}},
            "$notInQuery": {"session": {"$notInQuery": query}},
            "$select": {"user": {"$select": {"query": query, "key": "user"}}},
            "$dontSelect": {"user": {"$dontSelect": {"query": query, "key": "user"}}},
            "$or": {"$or": [{"of": "nobody"}, {"session": {"$inQuery": query}}]},
        })
    return pairs


@pytest.mark.parametrize("case", ["$inQuery", "$notInQuery", "$select", "$dontSelect", "$or"])
def test_sub_query_tells_nothing_of_sessions(things, caller, master, ann, case):
    matching, other = (pair[case] for pair in conditions(ann))
    seen = [things.by(caller).query(where={"of": ann.id, "$and": [where]}) for where in (matching, other)]
    assert (seen[0].status_code, seen[0].json()) == (seen[1].status_code, seen[1].json())
    counts = [things.by(master).count(of=ann.id, **{"$and": [where]}) for where in (matching, other)]
    assert sorted(counts) == [0, 1]


def test_condition_of_a_change_tells_nothing_of_sessions(things, caller, ann):
    id, = things.ids(where={"of": ann.id})
    statuses = [things.by(caller).put(id, {"n": 1}, where=pair["$inQuery"]).status_code for pair in conditions(ann)]
    assert statuses[0] == statuses[1] != 200


def test_relation_does_not_lead_to_sessions(things, caller, ann):
    id, = things.ids(where={"of": ann.id})
    where = {"$relatedTo": {"object": things.pointer(id), "key": "sessions"}}
    by_class = Objects(caller, "_Session").query(where=where)
    by_key = things.by(caller).query(where=where, redirectClassNameForKey="sessions")
    for response in (by_class, by_key):
        assert (response.status_code, response.json()) == (403, forbidden("find"))
