"""The end of the server: its clients are told to come back, and none holds it up."""

import time

import pytest
from client import ALPHA, eventually
from data import Objects
from live_client import TITLE, costly, short, subscribed, subscribing
from live_messages import PROTOCOLS, from_protobuf, packed
from live_wire import BINARY, WireSocket, frame
from people import start


@pytest.fixture
def own(new_server):
    return start(new_server)


@pytest.mark.smoke
def test_sigterm_closes_the_connections(own, connect):
    """Without `goaway`, after which JavaScript's SDK asks the server that stops for the route."""
    lives = [connect(own.api(), protocol=protocol) for protocol in PROTOCOLS]
    for live in lives:
        live.subscribe("Task")
    own.terminate()
    for live in lives:
        assert live.end() == ([], 1001)
    assert own.wait(10) == 0


@pytest.mark.extended
def test_events_before_sigterm_come_first(own, connect):
    live = connect(own.api())
    live.subscribe("Task")
    ids = [Objects(own.api(), "Task").create(n=n) for n in range(20)]
    own.terminate()
    messages, code = live.end()
    assert ({message["cmd"] for message in messages} | {"data"}, code) == ({"data"}, 1001)
    told = [event["object"]["objectId"] for message in messages for event in message["msg"]]
    assert told == ids[:len(told)]


@pytest.mark.extended
@pytest.mark.parametrize("logs_in", [False, True], ids=["before the log-in", "after it"])
def test_client_that_does_not_answer_does_not_hold_the_server_up(own, logs_in):
    with WireSocket(own.port) as socket:
        socket.upgrade()
        if logs_in:
            socket.send(frame(BINARY, packed((1, 8), (3, ALPHA.id), (5, 1), (6, "a device"), (8, 1))))
            assert from_protobuf(socket.message())["cmd"] == "loggedin"
        own.terminate()
        # It neither reads nor closes.
        assert own.wait(10) == 0


def stop(server, live):
    """Stops a server with a client; the seconds that this took."""
    began = time.monotonic()
    server.terminate()
    assert live.end()[1] == 1001
    assert server.wait() == 0
    return time.monotonic() - began


@pytest.mark.extended
def test_costly_conditions_do_not_hold_the_server_up(own, connect):
    alone = stop(own, connect(own.api()))
    own.start()
    api = own.api()
    live, hostile = connect(api), connect(api)
    live.subscribe("Other")
    for number in range(25):
        subscribed(subscribing(api, "a device without a connection", "Task", costly(number)))
        subscribed(subscribing(api, hostile.id, "Task", costly(number)))
    for _ in range(10):
        Objects(api, "Task").create(title=TITLE)
    assert stop(own, live) < 3 * alone + 2


@pytest.mark.extended
def test_client_comes_back_after_a_restart(own, connect):
    live = connect(own.api())
    query = live.subscribe("Task")
    own.terminate()
    assert live.end()[1] == 1001
    assert own.wait() == 0
    own.start()
    again = connect(own.api(), id=live.id)
    assert again.subscribe("Task") == query
    id = Objects(own.api(), "Task").create(n=1)
    assert short(again.flush()) == [("create", id)]


def test_kill_is_a_lost_connection(own, connect):
    live = connect(own.api())
    own.kill()
    assert live.end() == ([], 1006)
    assert eventually(lambda: own.start().is_healthy())
