"""More clients than file descriptors: no busy loop, all clients are served in the end, all descriptors are closed."""

import os
import socket
import time

import pytest
import requests
from client import TIMEOUT, Server, credentials, eventually, head
from hostile import is_idle, processor
from request_log import log_so_far

pytestmark = pytest.mark.long

LIMIT = 256


class Bounded(Server):
    """A server whose process may have few descriptors, hard and soft."""

    def launch(self):
        self.command = ["prlimit", f"--nofile={LIMIT}:{LIMIT}", *self.command]
        return super().launch()


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def limit_of(server):
    line, = (line for line in open(f"/proc/{server.process.pid}/limits") if line.startswith("Max open files"))
    return line.split()[3]


@pytest.fixture
def bounded(tmp_path):
    server = Bounded(tmp_path).start()
    yield server
    assert server.stop() == 0


def connected(server, count):
    connections = []
    for _ in range(count):
        connection = socket.socket()
        connection.settimeout(TIMEOUT)
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", server.port))
        connections.append(connection)
    return connections


def is_quick(server, within=30):
    try:
        return requests.get(f"{server.url}/health", timeout=within).status_code == 200
    except requests.RequestException:
        return False


@pytest.mark.extended
def test_more_idle_clients_than_descriptors(bounded):
    before = descriptors(bounded)
    connections = connected(bounded, 2 * LIMIT)
    spent, started = processor(bounded), time.monotonic()
    # Those that are idle for longest make room, again and again.
    for _ in range(3):
        assert is_quick(bounded)
        assert descriptors(bounded) < LIMIT
    assert processor(bounded) - spent < 0.5 * (time.monotonic() - started) + 0.5
    for connection in connections:
        connection.close()
    assert eventually(lambda: descriptors(bounded) <= before + 5)
    assert is_quick(bounded)


@pytest.mark.extended
def test_more_busy_clients_than_descriptors(bounded):
    before = descriptors(bounded)
    connections = connected(bounded, 2 * LIMIT)
    for connection in connections:
        try:
            # A body that never comes: these are not idle.
            connection.sendall(head("POST", "/1.1/classes/Busy", credentials() | {"Content-Length": 10}))
        except OSError:
            pass
    # A busy loop would take all of a processor.
    assert eventually(lambda: is_idle(bounded, share=0.3))
    assert descriptors(bounded) < LIMIT
    for connection in connections:
        connection.close()
    assert eventually(lambda: is_quick(bounded, 2), 60)
    assert eventually(lambda: descriptors(bounded) <= before + 5)


@pytest.mark.extended
def test_downloads_at_the_bound(bounded):
    """Each connection has a file of its own as well: none of them may fail for want of a descriptor."""
    api = bounded.api()
    urls = [api.store(b"x" * 100_000, name=f"{number}.bin")["url"] for number in range(80)]
    sessions = [requests.Session() for _ in range(40)]
    for turn in range(4):
        for number, session in enumerate(sessions):
            response = session.get(urls[(number * 3 + turn) % len(urls)], timeout=TIMEOUT)
            assert (response.status_code, len(response.content)) == (200, 100_000)
    assert descriptors(bounded) < LIMIT
    assert " error lcfile" not in log_so_far(bounded)


@pytest.mark.extended
def test_forms_with_many_files(bounded):
    """Only the last file of a form is open, however many it has."""
    before = descriptors(bounded)
    part, end = b'--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\na\r\n', b"--B--\r\n"
    form = {"Content-Type": "multipart/form-data; boundary=B", "Content-Length": 99 * len(part) + len(end)}
    connections = [socket.create_connection(("127.0.0.1", bounded.port), TIMEOUT) for _ in range(4)]
    for connection in connections:
        connection.sendall(head("POST", "/1.1/files", credentials() | form) + 99 * part)
    assert eventually(lambda: len(bounded.staged()) == 4 * 98)
    assert descriptors(bounded) <= before + 20
    for connection in connections:
        connection.sendall(end)
        assert connection.recv(12) == b"HTTP/1.1 201"
        connection.close()
    assert bounded.staged() == []


@pytest.mark.extended
def test_idle_uploads(bounded):
    """Only the uploads that were used last stay open without a request."""
    api = bounded.api()
    before = descriptors(bounded)
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": "2", "Content-Type": "application/offset+octet-stream"}
    for _ in range(100):
        assert api.post("/1.1/uploads", headers=headers, data=b"a").status_code == 201
    assert descriptors(bounded) <= before + 28


@pytest.mark.extended
def test_soft_limit_is_raised(tmp_path):
    server = Server(tmp_path)
    server.command = ["prlimit", "--nofile=300:3000", *server.command]
    server.start()
    assert limit_of(server) == "3000"
    assert server.stop() == 0


def test_limit_that_is_too_small_is_told(tmp_path):
    server = Server(tmp_path)
    server.command = ["prlimit", "--nofile=100:100", *server.command]
    server.launch()
    assert server.wait() != 0
    assert "open files" in server.errors + server.output


@pytest.mark.extended
def test_setting_bounds_the_connections(new_server):
    server = new_server(LCFILE_HTTP_MAX_CONNECTIONS="10").start()
    before = descriptors(server)
    connections = connected(server, 40)
    assert is_quick(server)
    assert descriptors(server) <= before + 20
    for connection in connections:
        connection.close()
