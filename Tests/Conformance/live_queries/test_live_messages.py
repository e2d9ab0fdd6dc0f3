"""What clients send on a connection: right, odd and hostile (RFC 6455 5, protocol/data 8.5, 8.6)."""

import base64
import json

import pytest
from cases import count, covering
from client import ALPHA
from live_client import now
from live_messages import BASE64, JSON, PROTOBUF, PROTOCOLS, decode, encode, packed
from live_wire import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, WireSocket, closing, frame

pytestmark = pytest.mark.long

# Codes for what cannot be understood: a breach of the protocol, a wrong kind of data, data that is not what it says.
BROKEN = {1002, 1003, 1007}
TOO_LARGE = 1009


@pytest.fixture(scope="module")
def silent(server):
    """A connection that never logs in, opened before all tests of this file."""
    with WireSocket(server.port) as socket:
        yield socket.upgrade()


@pytest.fixture(autouse=True)
def other(silent):
    """Each test comes after it."""


@pytest.fixture
def upgraded(server):
    sockets = []

    def make(protocol=PROTOBUF):
        sockets.append(WireSocket(server.port).upgrade(protocol=protocol))
        return sockets[-1]

    yield make
    for socket in sockets:
        socket.socket.close()


def login(id, i=1, **fields):
    return {"cmd": "login", "appId": ALPHA.id, "installationId": id, "service": 1, "clientTs": now(), "i": i} | fields


def framed(command, protocol=PROTOBUF):
    content = encode({name: value for name, value in command.items() if value is not None}, protocol)
    return frame(TEXT, content.encode()) if isinstance(content, str) else frame(BINARY, content)


def heard(socket, protocol=PROTOBUF):
    data = socket.message()
    return decode(data if protocol == PROTOBUF else data.decode(), protocol)


def logged_in(socket, protocol=PROTOBUF):
    socket.send(framed(login("a device"), protocol))
    assert heard(socket, protocol)["cmd"] == "loggedin"
    return socket


# Frames

ECHO = packed((1, 14), (5, 7))
FRAMES = {
    "without a mask": (frame(BINARY, ECHO, mask=None), {1002}),
    "reserved bit": (frame(BINARY, ECHO, reserved=4), {1002}),
    "unknown opcode": (frame(3, b"x"), {1002}),
    "unknown opcode of a control frame": (frame(11, b"x"), {1002}),
    "ping in pieces": (frame(PING, b"x", final=False), {1002}),
    "long ping": (frame(PING, b"x" * 126), {1002}),
    "end of no message": (frame(CONTINUATION, b"x"), {1002}),
    "message inside another": (frame(BINARY, ECHO[:1], final=False) + frame(BINARY, ECHO), {1002}),
    "text in a binary sub-protocol": (frame(TEXT, b"{}"), {1003}),
    "message of 64 KB and a byte": (frame(BINARY, bytes(65_537)), {TOO_LARGE}),
    "announced message of 4 EB": (frame(BINARY, b"", length=1 << 62), {TOO_LARGE, 1002}),
    "pieces of a large message": (
        frame(BINARY, bytes(40_000), final=False) + frame(CONTINUATION, bytes(40_000)), {TOO_LARGE},
    ),
    "end without end": (
        frame(BINARY, b"", final=False) + frame(CONTINUATION, b"", final=False) * count(20_000, 200_000),
        BROKEN | {TOO_LARGE, 1008},
    ),
    "close with half a code": (frame(CLOSE, b"\x03"), {1002}),
    "close with a code that is none": (closing(1005), {1002}),
    "close with a code that is too small": (closing(999), {1002}),
    "close with a reason that is no text": (frame(CLOSE, b"\x03\xe8\xff"), {1002, 1007}),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name, moment", covering(FRAMES, ["before the log-in", "after it"]))
def test_broken_frame_ends_the_connection(upgraded, name, moment):
    (data, codes), socket = FRAMES[name], upgraded()
    if moment == "after it":
        logged_in(socket)
    try:
        socket.send(data)
    except ConnectionError:
        pass  # It was refused before all of it was sent.
    assert socket.end()[0] in codes


MESSAGES = {
    "text that is no UTF-8": (JSON, TEXT, b'{"cmd":"\xff"}', {1007}),
    "binary": (JSON, BINARY, b"{}", {1003}),
    "no JSON": (JSON, TEXT, b"{", BROKEN),
    "empty": (JSON, TEXT, b"", BROKEN),
    "an array": (JSON, TEXT, b"[]", BROKEN),
    "a number": (JSON, TEXT, b"1", BROKEN),
    "deep JSON": (JSON, TEXT, b'{"cmd":' + b"[" * 30_000, BROKEN),
    "two objects": (JSON, TEXT, b"{}{}", BROKEN),
    "no protobuf": (PROTOBUF, BINARY, b"\xff\xff\xff", BROKEN),
    "cut protobuf": (PROTOBUF, BINARY, b"\x1a\x20abc", BROKEN),
    "endless varint": (PROTOBUF, BINARY, b"\x08" + b"\xff" * 11, BROKEN),
    "deep protobuf": (PROTOBUF, BINARY, b"\xab\x06" * 20_000, BROKEN),
    "text that is no base64": (BASE64, TEXT, b"!!!", BROKEN),
    "base64 of no protobuf": (BASE64, TEXT, base64.b64encode(b"\xff\xff\xff"), BROKEN),
    "binary beside base64": (BASE64, BINARY, ECHO, {1003}),
}


@pytest.mark.parametrize("protocol, opcode, data, codes", MESSAGES.values(), ids=MESSAGES)
def test_message_that_is_none_ends_the_connection(upgraded, protocol, opcode, data, codes):
    socket = upgraded(protocol)
    socket.send(frame(opcode, data))
    assert socket.end()[0] in codes


def test_message_in_pieces_is_read(upgraded):
    socket = upgraded()
    data = encode(login("a device"), PROTOBUF)
    socket.send(frame(BINARY, data[:5], final=False) + frame(PING, b"?") + frame(CONTINUATION, b"", final=False))
    socket.send(frame(CONTINUATION, data[5:9], final=False) + frame(CONTINUATION, data[9:]))
    assert socket.read() == (PONG, b"?")
    assert heard(socket)["cmd"] == "loggedin"


@pytest.mark.parametrize("data", [b"", b"x" * 125])
def test_ping_is_answered_with_its_content(upgraded, data):
    socket = upgraded()
    socket.send(frame(PING, data))
    assert socket.read() == (PONG, data)


def test_pong_is_not_answered(upgraded):
    socket = upgraded()
    socket.send(frame(PONG, b"x") + frame(BINARY, ECHO))
    assert heard(socket)["i"] == 7


@pytest.mark.parametrize("code", [1000, 1001, 3000, 4999])
def test_close_is_answered_with_its_code(upgraded, code):
    socket = upgraded()
    socket.send(closing(code, "bye"))
    assert socket.end() == (code, [])


def test_messages_behind_a_close_are_not_read(upgraded):
    socket = upgraded()
    socket.send(closing(1000) + frame(BINARY, ECHO))
    assert socket.end() == (1000, [])


# Commands

@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_log_in_is_answered_with_its_number(connect, protocol):
    live = connect(protocol=protocol, login=False)
    reply = live.request("login", appId=ALPHA.id, installationId=live.id, service=1, clientTs=now())
    assert reply == {"cmd": "loggedin", "service": 1, "installationId": live.id, "i": 1}


@pytest.mark.parametrize("logs_in", [False, True], ids=["before the log-in", "after it"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_echo_is_answered_with_its_number(connect, protocol, logs_in):
    live = connect(protocol=protocol, login=logs_in)
    assert [live.echo()["cmd"] for _ in range(3)] == ["echo"] * 3


@pytest.mark.parametrize("number", [0, -1, -(1 << 31), (1 << 31) - 1])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_number_of_any_size_comes_back(connect, protocol, number):
    live = connect(protocol=protocol, login=False)
    live.send(cmd="echo", i=number)
    assert live.receive()["i"] == number


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_log_out_is_answered_and_ends_the_connection(connect, protocol):
    live = connect(protocol=protocol)
    reply = live.request("logout", appId=ALPHA.id, installationId=live.id, service=1)
    assert (reply["cmd"], reply["i"]) == ("loggedout", 2)
    assert live.end() == ([], 1000)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_log_in_of_an_unknown_app_is_refused_for_good(connect, protocol):
    live = connect(protocol=protocol, login=False)
    reply = live.request("login", appId="unknown", installationId=live.id, service=1)
    assert (reply["cmd"], reply["error"]["code"]) == ("error", 4103)
    # JS takes this code for the end, and does not come back.
    assert live.end() == ([], 4103)


@pytest.mark.parametrize("fields", [
    {"installationId": None}, {"installationId": ""}, {"installationId": "x" * 257}, {"installationId": "a\nb"},
], ids=str)
@pytest.mark.parametrize("protocol", [PROTOBUF, JSON])
def test_log_in_that_lacks_something_is_refused(upgraded, protocol, fields):
    socket = upgraded(protocol)
    socket.send(framed(login("a device") | fields, protocol))
    reply = heard(socket, protocol)
    assert (reply["cmd"], reply["i"]) == ("error", 1)


def test_second_log_in_with_the_same_id_is_taken(connect, tasks):
    live = connect()
    live.subscribe(tasks.name)
    live.log_in()
    tasks.create(n=1)
    assert len(live.flush()) == 1


@pytest.mark.parametrize("first", ["push", "live"])
def test_push_log_in_stands_beside_it(connect, tasks, first):
    live = connect(login=first == "live")
    live.send(cmd="login", appId=ALPHA.id, installationId="a device")
    reply = live.receive()
    assert (reply["cmd"], reply["service"]) == ("loggedin", 0)
    if first == "push":
        live.log_in()
    live.subscribe(tasks.name)
    tasks.create(n=1)
    assert len(live.flush()) == 1


@pytest.mark.parametrize("cmd", ["session", "conv", "direct", "rcp", "unread", "read", "presence", "patch", "blacklist"])
@pytest.mark.parametrize("protocol", [PROTOBUF, JSON])
def test_messaging_is_refused(connect, protocol, cmd):
    live = connect(protocol=protocol)
    reply = live.request(cmd, appId=ALPHA.id, peerId="Tom")
    assert reply["cmd"] == "error" and reply["error"]
    assert live.echo()["cmd"] == "echo"


def test_messaging_is_refused_before_a_log_in(connect):
    live = connect(login=False)
    assert live.request("session", op=1, appId=ALPHA.id, peerId="Tom")["cmd"] == "error"


@pytest.mark.parametrize("cmd", ["ack", "data"])
@pytest.mark.parametrize("logs_in", [False, True], ids=["before the log-in", "after it"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_needs_no_answer_gets_none(connect, protocol, logs_in, cmd):
    live = connect(protocol=protocol, login=logs_in)
    live.send(cmd=cmd, appId=ALPHA.id, installationId=live.id, service=1, **{"ids": ["unknown"]} if cmd == "ack" else {})
    assert live.echo()["cmd"] == "echo"


@pytest.mark.parametrize("logs_in", [False, True], ids=["before the log-in", "after it"])
def test_empty_object_is_answered_with_one(upgraded, logs_in):
    socket = upgraded(JSON)
    if logs_in:
        logged_in(socket, JSON)
    socket.send(frame(TEXT, b"{}"))
    assert socket.read() == (TEXT, b"{}")


ODD = [
    {"cmd": "nonsense", "i": 5}, {"cmd": 8, "i": 5}, {"cmd": None, "i": 5}, {"i": 5}, {"cmd": "echo", "i": "5"},
    {"cmd": "echo", "i": 1.5}, {"cmd": "echo", "i": 1 << 40}, {"cmd": "echo"}, {"cmd": "logout", "i": []},
    {"cmd": "login", "i": 5, "appId": 5, "installationId": "x", "service": 1},
    {"cmd": "login", "i": 5, "appId": ALPHA.id, "installationId": {}, "service": 1},
    {"cmd": "login", "i": 5, "appId": ALPHA.id, "installationId": "x", "service": "1"},
    {"cmd": "ack", "ids": 5}, {"cmd": "ack", "ids": [5]}, {"cmd": "data", "msg": 1},
]


@pytest.mark.parametrize("command", ODD, ids=str)
def test_odd_command_is_refused_or_ignored(upgraded, command):
    """Either an error, no answer, or the end with a code: but an answer to what comes later, or the end."""
    socket = upgraded(JSON)
    socket.send(frame(TEXT, json.dumps(command).encode()) + frame(TEXT, b'{"cmd":"echo","i":77}'))
    while True:
        opcode, data = socket.read()
        if opcode == CLOSE:
            assert int.from_bytes(data[:2]) in BROKEN
            return
        message = json.loads(data)
        assert message["cmd"] in ("error", "echo", "loggedin", "loggedout"), message
        if message.get("i") == 77:
            return


@pytest.mark.parametrize("number", [22, 99, -1, 1 << 40])
def test_unknown_number_of_a_command_is_refused_or_ignored(upgraded, number):
    socket = upgraded()
    socket.send(frame(BINARY, packed((1, number), (5, 5))) + frame(BINARY, ECHO))
    opcode, data = socket.read()
    if opcode == CLOSE:
        assert int.from_bytes(data[:2]) in BROKEN
        return
    reply = decode(data, PROTOBUF)
    assert reply["cmd"] == "error" and heard(socket)["i"] == 7 or reply["i"] == 7


def test_unknown_fields_are_ignored(upgraded):
    socket = upgraded()
    socket.send(frame(BINARY, ECHO + packed((500, "text"), (501, 5), (102, packed((1, 5))))))
    assert heard(socket)["i"] == 7
    socket = upgraded(JSON)
    socket.send(frame(TEXT, b'{"cmd":"echo","i":7,"more":{"a":[1]}}'))
    assert heard(socket, JSON)["i"] == 7


@pytest.mark.extended
def test_connection_without_a_log_in_ends(silent):
    """Clients read this code as a log-in that took too long."""
    silent.socket.settimeout(30)
    assert silent.end() == (4108, [])
