"""The official SDKs' dialogues for a live query, byte by byte, and what each SDK asks of the answers.

Read in the SDKs' sources:
- leancloud/javascript-sdk src/live-query.js and dist/av-live-query.js (the plug-in), leancloud/js-realtime-sdk
  src/realtime.js, src/connection.js, src/websocket-plus.js
- leancloud/objc-sdk AVOS/Sources/Realtime/LiveQuery/LCLiveQuery.m, LCSubscriber.m, IM/Connection/LCRTMConnection.m,
  AVOS/Sources/Vendor/WebSocket/LCRTMWebSocket.m
- leancloud/swift-sdk Sources/RTM/LiveQuery.swift, LiveQueryClient.swift, RTMConnection.swift, WebSocket.swift
- leancloud/java-unified-sdk realtime/src/main/java/cn/leancloud: livequery/LCLiveQuery.java, command/LiveQueryLoginPacket.java,
  session/LCConnectionManager.java, websocket/StandardWebSocketClient.java
- leancloud/csharp-sdk LiveQuery/LiveQuery: Internal/LCLiveQueryConnection.cs, Public/LCLiveQuery.cs
"""

import base64
import json
import struct
from uuid import uuid4

import pytest
from client import ALPHA
from live_client import now
from live_messages import BASE64, JSON, PROTOBUF, PROTOBUF_1, from_protobuf, packed
from live_wire import BINARY, CLOSE, PING, PONG, TEXT, frame, opened
from people import Person
from replays import netloc, send, taken
from test_replay_csharp import CSharp
from test_replay_java import Java
from test_replay_js import JS
from test_replay_objc import ObjC
from test_replay_swift import Swift

# Numbers of commands.
ACK, LOGIN, DATA, ECHO, LOGGEDIN, LOGOUT = 3, 8, 9, 14, 15, 16
# In the order of each client; its key is put in where there is none.
UPGRADES = {
    "browser": [
        ("Connection", "Upgrade"), ("Pragma", "no-cache"), ("Cache-Control", "no-cache"),
        ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"), ("Upgrade", "websocket"),
        ("Origin", "https://app.example.com"), ("Sec-WebSocket-Version", "13"), ("Accept-Encoding", "gzip, deflate"),
        ("Accept-Language", "en"), ("Sec-WebSocket-Key", None),
        ("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits"),
    ],
    "Node.js": [
        ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", None), ("Connection", "Upgrade"), ("Upgrade", "websocket"),
        ("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits"),
    ],
    "Objective-C": [
        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", None),
    ],
    "Swift": [
        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", None),
        ("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits; server_max_window_bits=15"),
    ],
    "Java": [
        ("Connection", "Upgrade"), ("Sec-WebSocket-Key", None), ("Sec-WebSocket-Version", "13"), ("Upgrade", "websocket"),
    ],
    "C#": [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", None)],
}


@pytest.fixture
def person(server):
    return Person(server)


@pytest.fixture
def diary(tasks, person):
    """A class of which the person alone may read what the fixtures write."""
    return tasks.by(person)


def route(sdk, query, *headers):
    """What the router answers, with all that the SDKs read."""
    url = f"{sdk.server.url}/v1/route?{query}"
    body = taken(send("GET", url, [netloc(url), *headers]))
    assert isinstance(body["groupId"], str) and body["server"].startswith("ws://") and body["secondary"].startswith("ws://")
    assert isinstance(body["ttl"], int) and body["ttl"] > 0
    return body["server"]


def upgraded(address, client, protocol):
    return opened(address, [netloc(address), *UPGRADES[client], ("Sec-WebSocket-Protocol", protocol)])


def subscribe(sdk, fields):
    body = sdk.post("/1.1/LiveQuery/subscribe", fields)
    assert isinstance(body["query_id"], str)
    return body["query_id"]


def bye(socket, code=1000):
    """Closes as a client does; the server answers with the same code and closes the connection."""
    socket.send(frame(CLOSE, struct.pack(">H", code)))
    assert socket.end()[0] == code


def assert_told(message, id, query, op, object, keys=None):
    """A push as each SDK's filters let it through."""
    assert "i" not in message and (message["cmd"], message["service"], message["installationId"]) == ("data", 1, id)
    assert len(message["ids"]) == len(message["msg"]) == 1
    event, = message["msg"]
    assert (event["op"], event["query_id"], event.get("updatedKeys")) == (op, query, keys)
    shown = event["object"]
    assert (shown["className"], shown["objectId"]) == (object["className"], object["objectId"])
    assert {name: shown.get(name) for name in object} == object


def changed(diary, person, **fields):
    """Makes an object that only the person can read, and changes it; what both events show."""
    id = diary.create(ACL={person.id: {"read": True, "write": True}}, **fields)
    first = {"className": diary.name, "objectId": id} | fields
    diary.update(id, {"title": "dry"})
    return first, first | {"title": "dry"}


# JavaScript

@pytest.mark.few(2)
@pytest.mark.parametrize("platform", ["Browser", "Node.js"])
@pytest.mark.parametrize("protocol", [PROTOBUF, BASE64])
def test_javascript(server, diary, person, platform, protocol):
    sdk = JS(server, platform, session=person.token)
    origin = [] if sdk.is_node else [("Origin", "https://app.example.com")]
    url = f"{server.url}/v1/route?appId={ALPHA.id}&secure=true&_t={now()}"
    answer = send("GET", url, [netloc(url), *origin])
    assert sdk.is_node or answer.headers["Access-Control-Allow-Origin"] in ("*", "https://app.example.com")
    socket = upgraded(taken(answer)["server"], "Node.js" if sdk.is_node else "browser", protocol)
    id = str(uuid4())

    def say(*fields):
        data = packed(*fields)
        socket.send(frame(TEXT, base64.b64encode(data)) if protocol == BASE64 else frame(BINARY, data))

    def hear():
        opcode, data = socket.read()
        assert opcode == (TEXT if protocol == BASE64 else BINARY)
        return from_protobuf(base64.b64decode(data, validate=True) if protocol == BASE64 else data)

    say((1, LOGIN), (3, ALPHA.id), (5, 1), (6, id), (8, 1))
    reply = hear()
    assert (reply["cmd"], reply["i"]) == ("loggedin", 1)
    # A member that is undefined is not sent.
    query = subscribe(sdk, {"query": {"where": {"done": False}, "className": diary.name}, "id": id})
    first, second = changed(diary, person, title="wash", done=False)
    for expected in (("create", first), ("update", second, ["title"])):
        message = hear()
        assert_told(message, id, query, *expected)
        ids = [(10, own) for own in message["ids"]]
        say((1, ACK), (3, ALPHA.id), (6, id), (8, 1), (105, packed(*ids)))
    # The keep-alive.
    say((1, ECHO), (5, 2))
    assert hear()["i"] == 2
    assert sdk.post("/1.1/LiveQuery/unsubscribe", {"id": id, "query_id": query}) == {}
    say((1, LOGOUT), (3, ALPHA.id), (5, 3), (6, id), (8, 1))
    reply = hear()
    assert (reply["cmd"], reply["i"]) == ("loggedout", 3)
    # The SDK then closes without a code; the server may have done so before.
    socket.send(frame(CLOSE))
    assert socket.end()[0] in (1000, 1005)


def test_javascript_comes_back(server, diary, person):
    """It logs in and subscribes again, and keeps the id of its query."""
    sdk = JS(server, session=person.token)
    id, fields = str(uuid4()), {"query": {"where": {"done": False}, "className": diary.name}}
    address = route(sdk, f"appId={ALPHA.id}&secure=true&_t={now()}")
    queries = []
    for _ in range(2):
        socket = upgraded(address, "browser", PROTOBUF)
        socket.send(frame(BINARY, packed((1, LOGIN), (3, ALPHA.id), (5, 1), (6, id), (8, 1))))
        assert from_protobuf(socket.message())["cmd"] == "loggedin"
        queries.append(subscribe(sdk, fields | {"id": id}))
        first, second = changed(diary, person, title="wash", done=False)
        # Both, because an event that is late goes to the next connection.
        assert_told(from_protobuf(socket.message()), id, queries[0], "create", first)
        assert_told(from_protobuf(socket.message()), id, queries[0], "update", second, ["title"])
        socket.reset()
    assert queries[0] == queries[1]


def test_javascript_has_a_new_id_after_a_log_in(server, diary, person):
    """Each log-in of a user makes a new id, which logs in on the same connection; queries of the old one live on."""
    guest, user = JS(server), JS(server, session=person.token)
    socket = upgraded(route(guest, f"appId={ALPHA.id}&secure=true&_t={now()}"), "browser", PROTOBUF)
    queries = {}
    for number, sdk in enumerate((guest, user), 1):
        id = str(uuid4())
        socket.send(frame(BINARY, packed((1, LOGIN), (3, ALPHA.id), (5, number), (6, id), (8, 1))))
        reply = from_protobuf(socket.message())
        assert (reply["cmd"], reply["i"]) == ("loggedin", number)
        queries[id] = subscribe(sdk, {"query": {"where": {"done": False}, "className": diary.name}, "id": id})
    created = diary.create(title="wash", done=False)
    messages = [from_protobuf(socket.message()) for _ in queries]
    shown = {"className": diary.name, "objectId": created, "title": "wash"}
    for message in sorted(messages, key=lambda message: list(queries).index(message["installationId"])):
        assert_told(message, message["installationId"], queries[message["installationId"]], "create", shown)
    assert {message["installationId"] for message in messages} == set(queries)
    # The first one ends, and the other one stays.
    first, second = queries
    socket.send(frame(BINARY, packed((1, LOGOUT), (3, ALPHA.id), (5, 3), (6, first), (8, 1))))
    reply = from_protobuf(socket.message())
    assert (reply["cmd"], reply["i"]) == ("loggedout", 3)
    diary.delete(created)
    assert_told(from_protobuf(socket.message()), second, queries[second], "delete", {
        "className": diary.name, "objectId": created,
    })


# Objective-C and Swift

def apple(sdk, client, protocol, id, *login):
    """Logs in as both do; a ping is empty."""
    address = route(sdk, f"appId={ALPHA.id}&secure=1", *sdk.headers(f"{sdk.server.url}/", b"")[1:])
    socket = upgraded(address, client, protocol)
    socket.send(frame(BINARY, packed((1, LOGIN), (3, ALPHA.id), (5, 1), (6, id), (8, 1), *login)))
    reply = from_protobuf(socket.message())
    assert (reply["cmd"], reply["i"], reply["service"], reply["installationId"]) == ("loggedin", 1, 1, id)
    socket.send(frame(PING))
    assert socket.read() == (PONG, b"")
    return socket


@pytest.mark.parametrize("protocol", [PROTOBUF, PROTOBUF_1])
def test_objective_c(server, diary, person, protocol):
    sdk = ObjC(server, session=person.token)
    id = f"livequery-{str(uuid4()).upper()}"
    socket = apple(sdk, "Objective-C", protocol, id)
    fields = {"query": {"className": diary.name, "where": {"done": False}, "returnACL": True}}
    query = subscribe(sdk, fields | {"sessionToken": person.token, "id": id})
    first, second = changed(diary, person, title="wash", done=False)
    acl = {"ACL": {person.id: {"read": True, "write": True}}}
    assert_told(from_protobuf(socket.message()), id, query, "create", first | acl)
    assert_told(from_protobuf(socket.message()), id, query, "update", second | acl, ["title"])
    assert sdk.post("/1.1/LiveQuery/unsubscribe", {"id": id, "query_id": query}) == {}
    bye(socket)


def test_swift(server, diary, person):
    sdk = Swift(server, session=person.token)
    id, stamp = f"livequery-{uuid4().hex}", now()
    socket = apple(sdk, "Swift", PROTOBUF, id, (10, stamp))
    options = {"include": "author", "keys": "title", "order": "-createdAt", "limit": 10, "skip": 0, "returnACL": "true"}
    query = {"className": diary.name, "where": {"done": False}} | options
    query = subscribe(sdk, {"query": query, "id": id, "clientTimestamp": stamp, "sessionToken": person.token})
    first, second = changed(diary, person, title="wash", done=False)
    acl = {"ACL": {person.id: {"read": True, "write": True}}}
    assert_told(from_protobuf(socket.message()), id, query, "create", first | acl)
    assert_told(from_protobuf(socket.message()), id, query, "update", second | acl, ["title"])
    assert sdk.post("/1.1/LiveQuery/unsubscribe", {"id": id, "query_id": query}) == {}
    bye(socket)


# Java

def java(address, protocol, *, pushes, id, number):
    socket = upgraded(address, "Java", protocol)
    if pushes:
        # For messages to the device, which has an id of its own; without a number and without a service.
        socket.send(frame(BINARY, packed((1, LOGIN), (3, ALPHA.id), (6, uuid4().hex))))
        reply = from_protobuf(socket.message())
        assert (reply["cmd"], reply["service"]) == ("loggedin", 0) and "i" not in reply
    # Without the app's id; numbers begin below zero.
    socket.send(frame(BINARY, packed((1, LOGIN), (5, number), (6, id), (8, 1), (10, now()))))
    reply = from_protobuf(socket.message())
    assert (reply["cmd"], reply["i"], reply["service"]) == ("loggedin", number, 1)
    return socket


@pytest.mark.few(2)
@pytest.mark.parametrize("pushes", [True, False], ids=["with push", "without push"])
@pytest.mark.parametrize("protocol", [PROTOBUF, PROTOBUF_1])
def test_java(server, diary, person, protocol, pushes):
    sdk = Java(server, session=None)
    id = uuid4().hex
    address = route(sdk, f"appId={ALPHA.id}&installationId={uuid4().hex}&secure=1", ("User-Agent", "okhttp/4.7.2"))
    socket = java(address, protocol, pushes=pushes, id=id, number=-65535)
    query = {"where": '{"done":false,"title":{"$ne":null}}', "className": diary.name, "limit": "10", "skip": "0"}
    query = subscribe(sdk, {"query": query, "sessionToken": person.token, "id": id})
    first, second = changed(diary, person, title="wash", done=False)
    assert_told(from_protobuf(socket.message()), id, query, "create", first)
    assert_told(from_protobuf(socket.message()), id, query, "update", second, ["title"])
    socket.send(frame(PING))
    assert socket.read() == (PONG, b"")
    assert sdk.post("/1.1/LiveQuery/unsubscribe", {"id": id, "query_id": query}) == {}
    bye(socket)


def test_java_without_a_condition(server, tasks):
    sdk = Java(server, session=None)
    id = uuid4().hex
    address = route(sdk, f"appId={ALPHA.id}&installationId={uuid4().hex}&secure=1")
    socket = java(address, PROTOBUF_1, pushes=True, id=id, number=-1)
    query = subscribe(sdk, {"query": {"className": tasks.name, "returnACL": "true"}, "id": id})
    created = tasks.create(n=1)
    assert_told(from_protobuf(socket.message()), id, query, "create", {"className": tasks.name, "objectId": created, "n": 1})


# C#

def test_csharp(server, diary, person):
    sdk = CSharp(server, session=person.token)
    id = str(uuid4())
    socket = upgraded(route(sdk, f"appId={ALPHA.id}&secure=1"), "C#", JSON)

    def say(text):
        socket.send(frame(TEXT, text.encode()))

    def hear():
        opcode, data = socket.read()
        assert opcode == TEXT
        return json.loads(data)

    login = {"cmd": "login", "appId": ALPHA.id, "installationId": id, "clientTs": now(), "service": 1, "i": 1}
    say(json.dumps(login, separators=(",", ":")))
    reply = hear()
    assert (reply["cmd"], reply["i"]) == ("loggedin", 1) and "error" not in reply
    stamp = {"id": id, "clientTimestamp": now(), "sessionToken": person.token}
    query = subscribe(sdk, {"query": {"className": diary.name, "where": {"done": False}}} | stamp)
    first, second = changed(diary, person, title="wash", done=False)
    assert_told(hear(), id, query, "create", first)
    assert_told(hear(), id, query, "update", second, ["title"])
    # Without a condition the SDK sends null.
    every = subscribe(sdk, {"query": {"className": diary.name, "where": None}} | stamp)
    assert every != query
    for _ in range(2):
        say("{}")
        assert socket.read() == (TEXT, b"{}")
    # .NET's own keep-alive needs no answer.
    socket.send(frame(PONG))
    assert sdk.post("/1.1/LiveQuery/unsubscribe", {"id": id, "query_id": query}) == {}
    bye(socket)


def test_csharp_is_told_of_a_failed_log_in_in_its_form(server):
    socket = upgraded(route(CSharp(server), f"appId={ALPHA.id}&secure=1"), "C#", JSON)
    login = {"cmd": "login", "appId": "unknown", "installationId": "x", "clientTs": now(), "service": 1, "i": 1}
    socket.send(frame(TEXT, json.dumps(login).encode()))
    reply = json.loads(socket.message())
    assert (reply["cmd"], reply["i"], reply["error"]["code"]) == ("error", 1, 4103)
    assert isinstance(reply["error"]["detail"], str)


# The route

def test_route_is_public_and_names_the_public_address(new_server):
    server = new_server(LCFILE_PUBLIC_URL="https://files.example.com").start()
    answer = server.api().fetch(f"{server.url}/v1/route?appId={ALPHA.id}&secure=1")
    assert answer.status_code == 200
    for name in ("server", "secondary"):
        assert answer.json()[name].startswith("wss://files.example.com/v1/ws")


@pytest.mark.parametrize("query", ["", "?secure=1", "?appId=unknown&secure=1"])
def test_route_of_an_unknown_app_is_refused(server, query):
    answer = server.api().fetch(f"{server.url}/v1/route{query}")
    assert answer.status_code in (400, 401, 404), answer.text
    assert set(answer.json()) == {"code", "error"}
