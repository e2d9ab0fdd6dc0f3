"""Each limit of live queries, with a small setting."""

import time

import pytest
from client import assert_refused, eventually
from data import Objects
from live_client import TITLE, Live, costly, new_id, short, subscribed, subscribing, unsubscribe
from live_messages import JSON, PROTOBUF, PROTOCOLS
from people import start
from starting import SETTING, assert_does_not_start


def limited(new_server, **settings):
    """A server with limits: subscribe_rate=1 is liveQueries.subscribeRate."""
    return start(new_server, **{f"LCFILE_LIVE_QUERIES_{name.upper()}": str(value) for name, value in settings.items()})


def refused(live):
    """The error with which a log-in is refused."""
    reply = live.request("login", appId=live.app.id, installationId=live.id, service=1)
    assert reply["cmd"] == "error", reply
    return reply["error"]


def has_room(api):
    """Whether one more connection can log in."""
    with Live(api, login=False) as live:
        reply = live.request("login", appId=live.app.id, installationId=live.id, service=1)
        return reply["cmd"] == "loggedin"


def assert_limit(response, setting):
    assert response.status_code == 429, response.text
    assert_refused(response, 429, response.json()["code"], setting)


@pytest.mark.few(1)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_connections_of_an_app(new_server, connect, protocol):
    api = limited(new_server, connections=2).api()
    first, _ = connect(api), connect(api)
    error = refused(connect(api, protocol=protocol, login=False))
    assert "connections" in error["detail" if protocol == JSON else "reason"]
    first.close()
    assert eventually(lambda: has_room(api))


@pytest.mark.extended
def test_connections_of_an_installation(new_server, connect):
    api = limited(new_server, connections_per_installation=2).api()
    first = connect(api)
    connect(api, id=first.id)
    assert "connectionsPerInstallation" in refused(connect(api, id=first.id, login=False))["reason"]
    connect(api)


@pytest.mark.extended
def test_refused_connection_is_not_counted(new_server, connect):
    api = limited(new_server, connections=1).api()
    first = connect(api)
    for _ in range(5):
        refused(connect(api, login=False))
    first.close()
    assert eventually(lambda: has_room(api))


@pytest.mark.extended
def test_subscriptions_of_an_app(new_server):
    api = limited(new_server, subscriptions=2).api()
    first, second = new_id(), new_id()
    query = subscribed(subscribing(api, first, "Task", {"n": 1}))
    subscribed(subscribing(api, second, "Task", {"n": 2}))
    assert_limit(subscribing(api, new_id(), "Task"), "liveQueries.subscriptions")
    assert_limit(subscribing(api, first, "Task"), "liveQueries.subscriptions")
    # A repeated one is none more.
    assert subscribed(subscribing(api, first, "Task", {"n": 1})) == query
    unsubscribe(api, first, query)
    subscribed(subscribing(api, new_id(), "Task"))


@pytest.mark.extended
def test_subscriptions_of_an_installation(new_server):
    api = limited(new_server, subscriptions_per_installation=2).api()
    id = new_id()
    first, _ = (subscribed(subscribing(api, id, "Task", {"n": n})) for n in range(2))
    assert_limit(subscribing(api, id, "Task"), "liveQueries.subscriptionsPerInstallation")
    assert subscribed(subscribing(api, id, "Task", {"n": 0})) == first
    subscribed(subscribing(api, new_id(), "Task"))
    unsubscribe(api, id, first)
    subscribed(subscribing(api, id, "Task"))


@pytest.mark.extended
def test_rate_of_subscribing(new_server):
    server = limited(new_server, subscribe_rate=1)
    api, id = server.api(), new_id()
    responses = [subscribing(api, new_id(), "Task") for _ in range(20)]
    # Ten at once, and one more for each second that this took.
    assert [response.status_code for response in responses[:10]] == [200] * 10
    refused = [response for response in responses if response.status_code != 200]
    assert refused
    for response in refused:
        assert_limit(response, "liveQueries.subscribeRate")
    assert subscribing(server.api().at("127.0.0.2"), id, "Task").status_code == 200
    assert {subscribing(server.api(master=True), id, "Task").status_code for _ in range(30)} == {200}
    assert eventually(lambda: subscribing(api, id, "Task").status_code == 200)


def test_size_of_a_condition(new_server):
    api = limited(new_server, condition_size=1024).api()
    subscribed(subscribing(api, new_id(), "Task", {"s": "x" * 900}))
    for where in ({"s": "x" * 1100}, '{"s":"' + "x" * 1100 + '"}', {"n": {"$in": list(range(1000))}}):
        response = subscribing(api, new_id(), "Task", where)
        assert_refused(response, 400, response.json()["code"], "liveQueries.conditionSize")


def test_memory_of_the_patterns_of_a_condition(api):
    def where(count):
        return {"$or": [{"s": {"$regex": f"(abcd){{{1000 + number}}}"}} for number in range(count)]}

    subscribed(subscribing(api, new_id(), "Task", where(4)))
    response = subscribing(api, new_id(), "Task", where(400))
    assert_refused(response, 400, 107, "(liveQueries.patternMemory)")
    assert response.json()["error"].startswith("where.$or[")


@pytest.mark.extended
def test_memory_of_the_conditions_of_an_app(new_server):
    # Guests can use 60 %, and each condition takes ten times its JSON.
    api = limited(new_server, memory="200KB").api()
    id, texts = new_id(), [str(number) * 5000 for number in range(3)]
    first, _ = (subscribed(subscribing(api, id, "Task", {"s": text})) for text in texts[:2])
    assert_limit(subscribing(api, id, "Task", {"s": texts[2]}), "liveQueries.memory")
    subscribed(subscribing(api, new_id(), "Task", {"s": texts[1]}))
    unsubscribe(api, id, first)
    subscribed(subscribing(api, id, "Task", {"s": texts[2]}))


def told(api, live):
    """Saves objects, of which a client is told; the seconds that this took."""
    began = time.monotonic()
    ids = [Objects(api, "Task").create(list="home", title=TITLE) for _ in range(3)]
    assert short(live.events(3)) == [("create", id) for id in ids]
    return time.monotonic() - began


@pytest.mark.extended
@pytest.mark.parametrize("connects", [False, True])
def test_costly_conditions_do_not_hold_up_the_events_of_others(new_server, connect, connects):
    api = start(new_server).api()
    live, hostile = connect(api), connect(api, login=connects)
    live.subscribe("Task", {"list": "home"})
    alone = told(api, live)
    for number in range(25):
        subscribed(subscribing(api, hostile.id, "Task", costly(number)))
    # Without limits each change takes seconds.
    assert told(api, live) < 3 * alone + 2
    if connects:
        messages, code = hostile.end()
        assert (messages[-1]["cmd"], code) == ("goaway", 1001)
        # What one object cost ends no subscription.
        subscribed(subscribing(api, hostile.id, "Task", costly(0)))


@pytest.mark.extended
@pytest.mark.parametrize("protocol", [PROTOBUF, JSON])
def test_size_of_a_message(new_server, connect, protocol):
    api = limited(new_server, message_size=1024).api()
    live = connect(api, protocol=protocol)
    live.send(cmd="ack", ids=["x" * 600])
    live.echo()
    live.send(cmd="ack", ids=["x" * 1100])
    assert live.end() == ([], 1009)


@pytest.mark.few(2)
@pytest.mark.parametrize("name, value", [
    ("CONNECTIONS", "-1"), ("SUBSCRIPTIONS", "many"), ("MESSAGE_SIZE", "1GB"), ("QUEUE_COUNT", "0"), ("LIFETIME", "0"),
    ("IDLE_TIMEOUT", "1"),
])
def test_setting_out_of_range_is_refused(new_server, name, value):
    server = new_server(**{f"LCFILE_LIVE_QUERIES_{name}": value})
    assert_does_not_start(server, SETTING, "liveQueries.")
