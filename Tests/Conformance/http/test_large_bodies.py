"""JSON bodies of many megabytes: who may send them, what they cost, and who waits for them."""

import json
import socket
import threading
import time

import pytest
from accounts import sign_up
from cases import count, covering
from client import ALPHA, LAST_CHUNK, TIMEOUT, assert_refused, chunk, credentials, eventually, head
from data import assert_400
from hostile import MB, forget_peak, memory

pytestmark = pytest.mark.long

SIZE = count(10, 19) * MB
# What a server may take beyond what it takes at rest: 200 MB for a body of 19.
BUDGET = 10 * SIZE + 10 * MB
# The server under test is a debug build, whose parser is some thirty times slower.
PATIENCE = 120


@pytest.fixture
def own(new_server):
    """A server of the test's own, and what it takes at rest."""
    server = new_server().start()
    forget_peak(server)
    return server, memory(server)


def filled(unit, before=b"[", behind=b"]", size=SIZE):
    """A text of so many bytes that repeats a value."""
    count = (size - len(before) - len(behind) + 1) // (len(unit) + 1)
    return before + b",".join([unit] * count) + behind


SHAPES = {
    "objects": b"{}", "arrays": b"[]", "numbers": b"1", "strings": b'"ab"', "members": b'{"a":1}',
    "nested": b"[" * 90 + b"]" * 90,
}


def peak(server, base):
    return memory(server, "VmHWM") - base


def send(api, path, data, **headers):
    return api.session.post(
        api.server.url + path, data=data, headers=api.headers | {"Content-Type": "application/json"} | headers,
        timeout=PATIENCE,
    )


# Before authentication

@pytest.mark.few(1)
@pytest.mark.parametrize("path, announced", covering(
    ["/1.1/classes/Large", "/1.1/batch", "/1.1/files/x.txt", "/1.1/login"], [True, False],
))
def test_tunnel_without_credentials_costs_next_to_nothing(own, path, announced):
    server, base = own
    data = filled(b"{}", b'{"a":[', b"]}")
    with server.raw() as connection:
        connection.socket.settimeout(PATIENCE)
        size = {"Content-Length": len(data)} if announced else {"Transfer-Encoding": "chunked"}
        connection.send(head("POST", path, {"Content-Type": "text/plain"} | size))
        try:
            connection.send(data if announced else chunk(data) + LAST_CHUNK)
        except ConnectionError:
            # The answer comes before the end of such a body.
            pass
        answer = connection.answer()
    # A file of old SDKs is Base64 in JSON, and may be large.
    assert answer.status == (401 if "files" in path else 413)
    assert json.loads(answer.content)["code"] == answer.status
    assert peak(server, base) < 4 * SIZE + 4 * MB


def test_tunnel_with_a_wrong_key_is_refused_before_its_body_is_looked_at(api):
    fields = b'{"_ApplicationId":"%s","_ApplicationKey":"wrong","a":1,"a":2}' % ALPHA.id.encode()
    response = api.session.post(
        f"{api.server.url}/1.1/classes/Large", data=fields, headers={"Content-Type": "text/plain"}, timeout=TIMEOUT
    )
    assert_refused(response, 401, 401)


# Who may send what

def item(name, fields):
    return {"method": "POST", "path": f"/1.1/classes/{name}", "body": fields}


def batch_of(size, name="LargeImport"):
    """A batch of honest objects of about a kilobyte."""
    fields = {"title": "An item with a title of the usual length", "rank": 7, "tags": ["red", "large"], "text": "x" * 800}
    unit = json.dumps(item(name, fields)).encode()
    return filled(unit, b'{"requests":[', b"]}", size)


@pytest.mark.extended
@pytest.mark.parametrize("who, limit, setting, largest", [
    ("guest", 4 * MB, "http.maxGuestJsonSize", "objects.maxSize"), ("user", 8 * MB, "http.maxUserJsonSize", "objects.maxSize"),
    ("master", 20 * MB, "http.maxJsonSize", "objects.maxMasterSize"),
])
def test_limit_of_each_caller(server, who, limit, setting, largest):
    api = sign_up(server.api()).api if who == "user" else server.api(master=who == "master")
    response = send(api, "/1.1/classes/Large", b'{"a":"' + b"x" * (limit - 8) + b'"}')
    assert_400(response, largest)
    response = send(api, "/1.1/classes/Large", b'{"a":"' + b"x" * (limit - 7) + b'"}')
    assert_refused(response, 413, 413, f"{limit} bytes, the limit ({setting})")


@pytest.mark.extended
def test_import_by_the_master_key(own):
    server, base = own
    api = server.api(master=True)
    data = batch_of(count(4, 9) * MB)
    response = send(api, "/1.1/batch", data)
    assert response.status_code == 200, response.text[:200]
    answers = response.json()
    assert all(set(answer) == {"success"} for answer in answers)
    found = api.get("/1.1/classes/LargeImport?limit=0&count=1").json()
    assert found["count"] == len(answers) == data.count(b'"method"')
    assert peak(server, base) < BUDGET


# What they cost

BODIES = {
    "/1.1/classes/Large": (b'{"a":[', b"]}"), "/1.1/batch": (b'{"requests":[', b"]}"), "/1.1/login": (b"[", b"]"),
}


@pytest.mark.extended
@pytest.mark.parametrize("shape, path", covering(SHAPES, BODIES))
def test_any_shape_costs_little_more_than_its_text(own, shape, path):
    server, base = own
    before, behind = BODIES[path]
    response = send(server.api(master=True), path, filled(SHAPES[shape], before, behind))
    # The values of some shapes need more memory than there is for bodies.
    assert_refused(response, 413, 413, "http.")
    assert peak(server, base) < BUDGET


@pytest.mark.extended
@pytest.mark.alone
def test_many_large_bodies_at_once_leave_memory_and_time_for_others(own):
    server, base = own
    data = filled(b"{}", b'{"a":[', b"]}")
    seen = []

    def attack():
        seen.append(send(server.api(master=True), "/1.1/classes/Large", data).status_code)

    attackers = [threading.Thread(target=attack) for _ in range(6)]
    for attacker in attackers:
        attacker.start()
    slowest, looks = 0, 0
    while any(attacker.is_alive() for attacker in attackers):
        start = time.monotonic()
        assert server.is_healthy()
        slowest, looks = max(slowest, time.monotonic() - start), looks + 1
    assert looks
    assert set(seen) <= {413, 429}, seen
    assert slowest < 5
    assert peak(server, base) < 2 * BUDGET
    # All of it is free again.
    assert send(server.api(master=True), "/1.1/classes/Large", data).status_code == 413


@pytest.mark.extended
def test_replies_count_until_a_slow_client_has_read_them(new_server):
    # A guest may hold a quarter of what there is. The kernel takes some megabytes of the first reply.
    server = new_server(LCFILE_HTTP_MAX_JSON_SIZE="10MB", LCFILE_HTTP_BODY_MEMORY="48MB").start()
    api = server.api()
    id = api.session.post(
        server.url + "/1.1/classes/Large", json={"text": "x" * 100_000}, headers=api.headers, timeout=PATIENCE,
    ).json()["objectId"]
    body = json.dumps({"requests": [{"method": "GET", "path": f"/1.1/classes/Large/{id}"}] * 90}).encode()

    def all_read():
        return all("success" in answer for answer in send(api, "/1.1/batch", body).json())

    with server.raw() as connection:
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        headers = credentials() | {"Content-Type": "application/json", "Content-Length": len(body)}
        connection.send(head("POST", "/1.1/batch", headers) + body)
        # The reply is made when it begins.
        assert connection.socket.recv(1)
        assert not any(all_read() for _ in range(3))
        connection.reset()
        assert eventually(all_read)


@pytest.mark.extended
def test_bodies_that_trickle_hold_what_arrived_and_no_more(new_server):
    # A guest may hold a quarter of what there is: one megabyte.
    server = new_server(LCFILE_HTTP_MAX_JSON_SIZE="1MB", LCFILE_HTTP_BODY_MEMORY="4MB").start()
    connections = [server.raw() for _ in range(40)]
    try:
        for connection in connections:
            headers = credentials() | {"Content-Type": "application/json", "Content-Length": 900_000}
            connection.send(head("POST", "/1.1/classes/Large", headers))
            connection.send(b'{"a":"' + b"x" * 1000)
        assert send(server.api(), "/1.1/classes/Large", b'{"a":"' + b"x" * 100_000 + b'"}').status_code == 201
        for connection in connections[:2]:
            connection.send(b"x" * 450_000)
        assert eventually(
            lambda: send(server.api(), "/1.1/classes/Large", b'{"a":"' + b"x" * 100_000 + b'"}').status_code == 429
        )
        assert send(server.api(master=True), "/1.1/classes/Large", b"{}").status_code == 201
        # What left gives its memory back.
        for connection in connections[:2]:
            connection.reset()
        assert eventually(
            lambda: send(server.api(), "/1.1/classes/Large", b'{"a":"' + b"x" * 100_000 + b'"}').status_code == 201
        )
    finally:
        for connection in connections:
            connection.socket.close()
