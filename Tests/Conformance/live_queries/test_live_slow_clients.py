"""Clients that read too slowly: they are sent away, and neither writers nor other clients wait for them."""

import socket
import time
from uuid import uuid4

import pytest
from batches import post, save
from client import ALPHA, TIMEOUT, eventually
from data import Objects
from hostile import forget_peak, memory
from live_client import SUBSCRIBE, new_id, subscribed, subscribing
from live_messages import JSON, PROTOBUF, from_protobuf, packed
from live_wire import BINARY, CLOSE, TEXT, WireSocket, frame
from people import start

pytestmark = pytest.mark.long

MB = 1 << 20
# Below objects.maxSize; the kernel takes some megabytes for each client before a queue grows.
SIZE = 120_000
COUNT = 160
# What all slow clients may hold together: a queue each, and what is on its way to the kernel.
SLOW = 8
QUEUE = MB
REST = 50 * MB


class Slow(WireSocket):
    """A client with a small receive buffer that reads nothing until it is told to."""

    def __init__(self, port):
        self.buffer = b""
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(("127.0.0.1", port))

    def subscribe(self, api, name):
        id = new_id()
        self.upgrade(protocol=PROTOBUF)
        self.send(frame(BINARY, packed((1, 8), (3, ALPHA.id), (5, 1), (6, id), (8, 1))))
        assert from_protobuf(self.message())["cmd"] == "loggedin"
        subscribed(subscribing(api, id, name))
        return self


def is_connected(server, client):
    """Whether the server's end of a client's connection is open."""
    ends = f":{server.port:04X}", f":{client.socket.getsockname()[1]:04X}"
    lines = [line.split() for line in open("/proc/net/tcp")]
    return any((fields[1][8:], fields[2][8:], fields[3]) == (*ends, "01") for fields in lines[1:])


@pytest.fixture
def crowded(new_server):
    """A server with small queues."""
    return start(new_server, LCFILE_LIVE_QUERIES_QUEUE_SIZE=str(QUEUE), LCFILE_LIVE_QUERIES_QUEUE_COUNT="1000")


@pytest.fixture
def slowly():
    """Subscribes clients that do not read; they are gone when the test ends."""
    clients = []

    def subscribe(server):
        clients.append(Slow(server.port))
        return clients[-1].subscribe(server.api(), "Task")

    yield subscribe
    for client in clients:
        client.socket.close()


def write(tasks, count=COUNT, size=SIZE):
    """Saves large objects; the seconds that this took."""
    began = time.monotonic()
    for n in range(count):
        tasks.create(n=n, text="x" * size)
    return time.monotonic() - began


@pytest.mark.extended
@pytest.mark.alone
def test_slow_clients_cost_neither_memory_nor_time(crowded, slowly, connect):
    api = crowded.api()
    for _ in range(SLOW):
        slowly(crowded)
    alone = write(Objects(api, "Other"))
    fast = connect(api, max_queue=None)
    fast.subscribe("Task")
    before = memory(crowded)
    forget_peak(crowded)
    together = write(Objects(api, "Task"))
    assert [event["object"]["n"] for event in fast.events(COUNT)] == list(range(COUNT))
    assert memory(crowded, "VmHWM") - before < SLOW * QUEUE + REST
    # Each object is encoded and sent besides; a writer that waited for a slow client would take its whole patience.
    assert together < 3 * alone + 2


@pytest.mark.extended
def test_batch_that_many_users_see_takes_little_memory(new_server, connect):
    """The class has a field for files, whose rights differ from user to user."""
    server = start(new_server)
    api = server.api()
    tasks = Objects(api, "Task")
    file = api.store(b"cover", name="cover.txt")
    tasks.create(picture={"__type": "File", "id": file["objectId"]})
    live = connect(api)
    for number in range(100):
        user = api.post("/1.1/users", json={"authData": {"anonymous": {"id": uuid4().hex}}})
        assert user.status_code == 201, user.text
        query = {"className": "Task", "where": {"room": 1, "n": {"$ne": -number}}}
        body = {"query": query, "id": live.id, "sessionToken": user.json()["sessionToken"]}
        subscribed(api.post(SUBSCRIBE, json=body))
    before = memory(server)
    forget_peak(server)
    requests = [
        post(tasks, {"room": 1, "n": n, "text": "x" * 100_000, "__internalId": str(n)}) | {"new": True}
        for n in range(1, 36)
    ]
    response = save(api, *requests)
    assert response.status_code == 200, response.text
    # It does not read all of this, and is sent away.
    live.end()
    assert memory(server, "VmHWM") - before < 100 * MB


@pytest.mark.extended
def test_slow_client_is_sent_away_and_its_connection_closed(crowded, slowly):
    clients = [slowly(crowded) for _ in range(SLOW)]
    assert all(is_connected(crowded, client) for client in clients)
    write(Objects(crowded.api(), "Task"))
    assert eventually(lambda: not any(is_connected(crowded, client) for client in clients)), "slow clients are still connected"
    assert crowded.is_healthy()


@pytest.mark.extended
def test_client_that_is_sent_away_has_a_prefix_of_the_events(crowded, slowly):
    tasks = Objects(crowded.api(), "Task")
    client = slowly(crowded)
    write(tasks)
    code, messages = client.end()
    events, numbers = [from_protobuf(message) for message in messages], []
    if code is not None:
        # It was quick enough to be told.
        assert (code, events[-1]["cmd"]) == (1001, "goaway")
    for event in events:
        if event["cmd"] == "data":
            numbers += [one["object"]["n"] for one in event["msg"]]
    assert numbers == list(range(len(numbers))) and len(numbers) < COUNT


@pytest.mark.extended
def test_too_many_events_send_a_client_away(new_server, slowly):
    server = start(new_server, LCFILE_LIVE_QUERIES_QUEUE_COUNT="10")
    tasks = Objects(server.api(), "Task")
    client = slowly(server)
    # The kernel's buffers are full before the queue is.
    write(tasks)
    assert eventually(lambda: not is_connected(server, client))


@pytest.mark.extended
def test_client_that_was_sent_away_comes_back(crowded, slowly, connect):
    tasks = Objects(crowded.api(), "Task")
    client = slowly(crowded)
    write(tasks)
    client.end()
    live = connect(crowded.api())
    live.subscribe("Task")
    tasks.create(n=1)
    assert [event["op"] for event in live.flush()] == ["create"]


@pytest.mark.extended
@pytest.mark.parametrize("kind", ["echo", "{}", "ping"])
def test_answers_that_are_not_read_hold_little_memory(server, kind):
    """A client that asks and asks and never reads is not read any more, or closed."""
    protocol, one = {
        "echo": (PROTOBUF, frame(BINARY, packed((1, 14), (5, 7)))), "{}": (JSON, frame(TEXT, b"{}")),
        "ping": (PROTOBUF, frame(9, b"x" * 125)),
    }[kind]
    with WireSocket(server.port) as client:
        client.upgrade(protocol=protocol)
        before = memory(server)
        forget_peak(server)
        client.socket.settimeout(1)
        flood, sent = one * (MB // len(one)), 0
        try:
            while sent < 64 * MB:
                sent += client.socket.send(flood)
        except (TimeoutError, ConnectionError):
            pass  # It is not read any more.
        assert memory(server, "VmHWM") - before < 60 * MB
    assert server.is_healthy()


@pytest.mark.extended
def test_close_that_is_not_answered_ends_the_connection(server):
    """The server does not wait for ever for a client that it closes."""
    client = WireSocket(server.port).upgrade(protocol=PROTOBUF)
    client.send(frame(BINARY, b"", mask=None))
    assert client.read()[0] == CLOSE
    # Without the client's own close frame.
    client.socket.settimeout(TIMEOUT)
    assert client.socket.recv(1) == b""
    client.socket.close()


def test_client_that_vanishes_is_forgotten(new_server, slowly, connect):
    server = start(new_server, LCFILE_LIVE_QUERIES_CONNECTIONS="1")
    api = server.api()
    slowly(server).reset()

    def has_room():
        live = connect(api, login=False)
        return live.request("login", appId=ALPHA.id, installationId=live.id, service=1)["cmd"] == "loggedin"

    assert eventually(has_room)
