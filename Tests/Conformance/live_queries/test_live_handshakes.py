"""How a connection becomes a WebSocket, and what is refused with an HTTP answer (RFC 6455 4.2)."""

import json

import pytest
from client import ALPHA, credentials, eventually, head
from live_messages import JSON, PROTOBUF, PROTOCOLS, from_protobuf, packed
from live_wire import BINARY, PATH, TEXT, WireSocket, frame

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
GOOD = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": KEY,
    "Sec-WebSocket-Protocol": PROTOBUF,
}


def login(id, app=ALPHA):
    return frame(BINARY, packed((1, 8), (3, app.id), (5, 1), (6, id), (8, 1)))


def assert_logs_in(socket, id="a device"):
    socket.send(login(id))
    assert from_protobuf(socket.message())["cmd"] == "loggedin"


def refused(server, method, path, headers, body=b""):
    with server.raw() as connection:
        answer = connection.request(method, path, headers, body)
        assert set(json.loads(answer.content)) == {"code", "error"}, answer.content
        return answer.status


@pytest.fixture
def socket(server):
    with WireSocket(server.port) as socket:
        yield socket


# What is refused

@pytest.mark.smoke
@pytest.mark.parametrize("path", [PATH, f"{PATH}?appId={ALPHA.id}"])
def test_plain_get_is_told_to_upgrade(server, path):
    assert refused(server, "GET", path, {}) == 426


BAD = {
    "no Upgrade": {"Upgrade": None},
    "another Upgrade": {"Upgrade": "h2c"},
    "no Connection": {"Connection": None},
    "another Connection": {"Connection": "keep-alive"},
    "no version": {"Sec-WebSocket-Version": None},
    "old version": {"Sec-WebSocket-Version": "8"},
    "no key": {"Sec-WebSocket-Key": None},
    "short key": {"Sec-WebSocket-Key": "dGhlIHNhbXBsZQ=="},
    "key that is no base64": {"Sec-WebSocket-Key": "!!!!"},
    "no sub-protocol": {"Sec-WebSocket-Protocol": None},
    "unknown sub-protocol": {"Sec-WebSocket-Protocol": "lc.protobuf2.2"},
    "sub-protocol in capitals": {"Sec-WebSocket-Protocol": "LC.PROTOBUF2.3"},
    "a part of one": {"Sec-WebSocket-Protocol": "lc"},
}


@pytest.mark.single
@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_bad_handshake_is_refused(server, change):
    assert refused(server, "GET", PATH, GOOD | change) in (400, 426)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_other_method_does_not_upgrade(server, method):
    assert refused(server, method, PATH, GOOD | {"Content-Length": "2"}, b"{}") in (400, 404, 405, 426)


@pytest.mark.parametrize("scheme", ["http", "HTTPS"])
def test_target_in_absolute_form_upgrades(socket, scheme):
    """RFC 9112 3.2.2: a server must accept it, although only proxies get it."""
    assert_logs_in(socket.upgrade(path=f"{scheme}://127.0.0.1{PATH}?appId={ALPHA.id}"))


@pytest.mark.parametrize("path", ["/health", "/1.1/date", "/v1/route", "/v1/ws/", "/v1/wsx", "/V1/WS", "/", "/a/b.txt"])
def test_other_path_does_not_upgrade(server, path):
    with server.raw() as connection:
        assert connection.request("GET", path, GOOD).status != 101


@pytest.mark.single
def test_http_1_0_does_not_upgrade(server):
    with server.raw() as connection:
        connection.send(head("GET", PATH, GOOD).replace(b"HTTP/1.1", b"HTTP/1.0"))
        assert connection.answer("GET").status >= 400


def test_connection_that_was_refused_can_be_used(server):
    with server.raw() as connection:
        assert connection.request("GET", PATH, {}).status == 426
        assert connection.request("GET", "/health", {}).status == 200


# What is taken

@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_sub_protocol_that_was_offered_is_named(socket, protocol):
    socket.upgrade(protocol=protocol)


@pytest.mark.parametrize("change", [
    {"Connection": "keep-alive, Upgrade"}, {"Connection": "upgrade"}, {"Upgrade": "WebSocket"},
    {"Origin": "https://app.example.com"}, {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"},
    {"Cookie": "a=b"},
], ids=str)
def test_handshake_of_any_client_is_taken(socket, change):
    headers = {"Host": "127.0.0.1"} | GOOD | {"Sec-WebSocket-Key": None} | change
    assert_logs_in(socket.upgrade(list(headers.items())))


@pytest.mark.parametrize("offered, chosen", [
    ("lc.protobuf2.9, lc.json.3", JSON), ("lc.json.3,lc.protobuf2.3", JSON), ("x, lc.protobuf2.3, lc.json.3", PROTOBUF),
])
def test_first_known_sub_protocol_is_chosen(server, offered, chosen):
    with WireSocket(server.port) as socket:
        socket.send(head("GET", PATH, GOOD | {"Sec-WebSocket-Protocol": offered}))
        status, headers = socket.head()
        assert (status, headers["sec-websocket-protocol"]) == (101, [chosen])


def test_connection_that_served_requests_upgrades(socket, tasks):
    for _ in range(2):
        socket.send(head("GET", "/health", {}))
        status, headers = socket.head()
        assert status == 200 and socket.taken(int(headers["content-length"][0]))
    body = b'{"n":1}'
    headers = credentials() | {"Content-Length": len(body), "Content-Type": "application/json"}
    socket.send(head("POST", tasks.path, headers) + body)
    status, headers = socket.head()
    assert status == 201 and socket.taken(int(headers["content-length"][0]))
    assert_logs_in(socket.upgrade())


def test_message_right_behind_the_handshake_is_taken(socket):
    socket.send(head("GET", PATH, GOOD) + login("a device"))
    assert socket.head()[0] == 101
    assert from_protobuf(socket.message())["cmd"] == "loggedin"


def test_handshake_in_small_pieces_is_taken(socket):
    for byte in head("GET", PATH, GOOD):
        socket.send(bytes([byte]))
    assert socket.head()[0] == 101
    for byte in login("a device"):
        socket.send(bytes([byte]))
    assert from_protobuf(socket.message())["cmd"] == "loggedin"


def test_request_on_an_upgraded_connection_is_a_broken_frame(socket):
    socket.upgrade()
    # As a frame it would be 69 bytes long.
    socket.send(head("GET", "/health", {"X-More": "x" * 100}))
    assert socket.end()[0] == 1002


def test_text_protocol_has_text_frames(socket):
    socket.upgrade(protocol=JSON)
    socket.send(frame(TEXT, b"{}"))
    assert socket.read() == (TEXT, b"{}")


# Beside other connections

@pytest.mark.extended
def test_idle_timeout_of_requests_does_not_end_it(new_server, connect):
    server = new_server(LCFILE_HTTP_IDLE_TIMEOUT="1").start()
    live = connect(server.api())
    with server.raw() as idle:
        # Opened later, it is closed for its silence.
        assert idle.socket.recv(1) == b""
    live.subscribe("Task")
    server.api().post("/1.1/classes/Task", json={"n": 1})
    assert live.event()["op"] == "create"


@pytest.mark.extended
def test_full_server_closes_idle_clients_and_not_this_one(new_server, connect):
    server = new_server(LCFILE_HTTP_MAX_CONNECTIONS="10").start()
    live = connect(server.api())
    live.subscribe("Task")
    idle = [server.raw() for _ in range(20)]
    try:
        assert eventually(lambda: server.api().post("/1.1/classes/Task", json={"n": 1}).status_code == 201)
        assert live.event()["op"] == "create"
    finally:
        for connection in idle:
            connection.socket.close()
