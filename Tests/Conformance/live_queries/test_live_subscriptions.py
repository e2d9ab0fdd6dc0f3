"""Subscriptions: their ids, how long they live, and which requests are refused (protocol/data 8.1)."""

import json

import pytest
from client import assert_refused, eventually
from data import Objects, batch, send
from live_client import SUBSCRIBE, UNSUBSCRIBE, new_id, short, subscribed, subscribing, unsubscribe
from people import start

pytestmark = pytest.mark.long

WHERE = {"done": False, "n": {"$gt": 1}}


def ask(api, body):
    return api.post(SUBSCRIBE, json=body)


# Ids

@pytest.mark.parametrize("where", [
    WHERE, {"n": {"$gt": 1}, "done": False}, json.dumps(WHERE), ' { "n":{"$gt" : 1 }, "done":false }',
], ids=str)
def test_same_query_has_the_same_id(api, tasks, where):
    id = new_id()
    first = subscribed(subscribing(api, id, tasks.name, WHERE))
    assert first and isinstance(first, str)
    assert subscribed(subscribing(api, id, tasks.name, where)) == first


def test_options_that_change_no_event_change_no_id(api, tasks):
    id = new_id()
    first = subscribed(subscribing(api, id, tasks.name, WHERE))
    options = {"limit": 10, "skip": "0", "order": "n", "include": "p", "keys": "n", "returnACL": False}
    assert subscribed(subscribing(api, id, tasks.name, WHERE, **options)) == first


def test_other_query_has_another_id(api, tasks, beta):
    id = new_id()
    ids = {
        subscribed(subscribing(api, id, tasks.name, WHERE)),
        subscribed(subscribing(api, new_id(), tasks.name, WHERE)),
        subscribed(subscribing(api, id, f"{tasks.name}_2", WHERE)),
        subscribed(subscribing(api, id, tasks.name, {"done": False})),
        subscribed(subscribing(api, id, tasks.name, WHERE, returnACL=True)),
        subscribed(subscribing(beta, id, tasks.name, WHERE)),
    }
    assert len(ids) == 6


@pytest.mark.extended
def test_id_is_the_same_after_a_restart(new_server):
    server = start(new_server)
    before = subscribed(subscribing(server.api(), "a device", "Task", WHERE))
    assert server.stop() == 0
    server.start()
    assert subscribed(subscribing(server.api(), "a device", "Task", WHERE)) == before


def test_repeated_subscription_causes_one_event(live, tasks):
    assert len({live.subscribe(tasks.name, WHERE) for _ in range(3)}) == 1
    tasks.create(done=False, n=2)
    assert len(live.flush()) == 1


# Several of them

def test_several_queries_of_a_connection_have_an_event_each(live, tasks):
    wheres = [{}, {"n": 1}, {"n": {"$gt": 0}}, {"n": 2}, {"$or": [{"n": 1}, {"n": 2}]}]
    queries = [live.subscribe(tasks.name, where) for where in wheres]
    id = tasks.create(n=1)
    events = live.flush()
    assert {event["query_id"] for event in events} == {queries[0], queries[1], queries[2], queries[4]}
    assert short(events) == [("create", id)] * 4
    assert all(event["object"] == events[0]["object"] for event in events)


def test_one_change_is_a_different_event_for_each_query(live, tasks):
    id = tasks.create(n=1)
    ops = {live.subscribe(tasks.name, where): op for where, op in [
        ({"n": 1}, "leave"), ({"n": 2}, "enter"), ({"n": {"$gt": 0}}, "update"),
    ]}
    tasks.update(id, {"n": 2})
    assert {event["query_id"]: event["op"] for event in live.flush()} == ops


def test_all_connections_of_an_installation_are_told(connect, tasks):
    first = connect()
    second = connect(id=first.id)
    first.subscribe(tasks.name)
    id = tasks.create(n=1)
    assert short(first.flush()) == short(second.flush()) == [("create", id)]
    first.close()
    tasks.delete(id)
    assert short(second.flush()) == [("delete", id)]


def test_connection_may_come_after_the_subscription(connect, api, tasks):
    id = new_id()
    query = subscribed(subscribing(api, id, tasks.name))
    live = connect(id=id)
    tasks.create(n=1)
    assert [event["query_id"] for event in live.flush()] == [query]


# Ends

def test_ended_subscription_causes_no_event(live, tasks, api):
    ended, other = live.subscribe(tasks.name), live.subscribe(tasks.name, {"n": 1})
    unsubscribe(api, live.id, ended)
    tasks.create(n=1)
    assert [event["query_id"] for event in live.flush()] == [other]
    assert live.subscribe(tasks.name) == ended
    tasks.create(n=2)
    assert [event["query_id"] for event in live.flush()] == [ended]


@pytest.mark.parametrize("query", ["unknown", "0" * 32])
def test_unknown_subscription_can_be_ended(api, query):
    unsubscribe(api, new_id(), query)


def test_subscription_outlives_its_connection(connect, tasks, api):
    live, other = connect(), connect()
    query = live.subscribe(tasks.name)
    live.close()
    tasks.create(n=1)
    # The server has dealt with the change when another connection knows of it.
    other.flush()
    again = connect(id=live.id)
    # What happened meanwhile is not told later.
    id = tasks.create(n=2)
    assert [(event["query_id"], event["object"]["objectId"]) for event in again.flush()] == [(query, id)]


@pytest.mark.extended
@pytest.mark.sqlite
@pytest.mark.parametrize("connects", [True, False], ids=["after its connection", "without a connection"])
def test_subscription_is_forgotten_after_a_while(new_server, connect, connects):
    server = start(
        # The next request comes within this time, also on a busy machine.
        new_server, LCFILE_LIVE_QUERIES_LIFETIME="3", LCFILE_LIVE_QUERIES_SUBSCRIPTIONS="1",
    )
    api = server.api()
    if connects:
        live = connect(api)
        live.subscribe("Task")
        live.close()
    else:
        subscribed(subscribing(api, new_id(), "Task"))
    other = new_id()
    assert subscribing(api, other, "Task").status_code == 429
    assert eventually(lambda: subscribing(api, other, "Task").status_code == 200), "it is still there"


@pytest.mark.extended
@pytest.mark.sqlite
def test_subscription_of_a_connection_stays(new_server, connect):
    server = start(
        new_server, LCFILE_LIVE_QUERIES_LIFETIME="1", LCFILE_LIVE_QUERIES_SUBSCRIPTIONS="3",
    )
    api = server.api()
    live = connect(api)
    live.subscribe("Task")
    live.flush()
    # Another one comes and goes meanwhile.
    subscribed(subscribing(api, new_id(), "Task"))
    other = new_id()
    assert eventually(lambda: subscribing(api, other, "Task").status_code == 200)
    id = Objects(api, "Task").create(n=1)
    assert short(live.flush()) == [("create", id)]


# Refusals

LONG = "x" * 257
BODIES = {
    "no query": {"id": "a device"},
    "query of another type": {"id": "a device", "query": "Task"},
    "no class": {"id": "a device", "query": {"where": {}}},
    "class of another type": {"id": "a device", "query": {"className": 1, "where": {}}},
    "bad name of a class": {"id": "a device", "query": {"className": "a b", "where": {}}},
    "no id": {"query": {"className": "Task", "where": {}}},
    "empty id": {"id": "", "query": {"className": "Task", "where": {}}},
    "id of another type": {"id": 5, "query": {"className": "Task", "where": {}}},
    "id too long": {"id": LONG, "query": {"className": "Task", "where": {}}},
    "id with a control character": {"id": "a\u0000b", "query": {"className": "Task", "where": {}}},
    "condition of another type": {"id": "a device", "query": {"className": "Task", "where": [1]}},
    "condition that is a number": {"id": "a device", "query": {"className": "Task", "where": 5}},
    "text that is no JSON": {"id": "a device", "query": {"className": "Task", "where": "{n:"}},
    "unknown operator": {"id": "a device", "query": {"className": "Task", "where": {"n": {"$near": 1}}}},
    "bad operand": {"id": "a device", "query": {"className": "Task", "where": {"n": {"$in": 5}}}},
    "bad pattern": {"id": "a device", "query": {"className": "Task", "where": {"s": {"$regex": "("}}}},
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_bad_subscription_is_refused(api, body):
    response = ask(api, body)
    assert response.status_code == 400, response.text
    assert_refused(response, 400, response.json()["code"])


@pytest.mark.parametrize("body", [
    {}, {"id": "a device"}, {"query_id": "q"}, {"id": 5, "query_id": "q"}, {"id": "a device", "query_id": 5},
    {"id": LONG, "query_id": "q"},
], ids=str)
def test_bad_end_of_a_subscription_is_refused(api, body):
    response = api.post(UNSUBSCRIBE, json=body)
    assert response.status_code == 400, response.text
    assert_refused(response, 400, response.json()["code"])


@pytest.mark.parametrize("path", [SUBSCRIBE, UNSUBSCRIBE])
@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"null", b'"text"'])
def test_body_that_is_no_object_is_refused(api, path, data):
    response = send(api, path, data)
    assert response.status_code == 400, response.text
    assert_refused(response, 400, response.json()["code"])


@pytest.mark.parametrize("path", [SUBSCRIBE, UNSUBSCRIBE])
def test_keys_are_needed(api, path):
    body = {"query": {"className": "Task", "where": {}}, "id": "a device", "query_id": "q"}
    assert_refused(api.post(path, json=body, headers={"X-LC-Key": "wrong"}), 401, 401)


def test_subscription_in_a_batch_or_by_another_method_is_refused(api):
    assert api.get(SUBSCRIBE).status_code in (404, 405)
    body = {"query": {"className": "Task", "where": {}}, "id": "a device"}
    answer, = batch(api, {"method": "POST", "path": SUBSCRIBE, "body": body}).json()
    assert "error" in answer
