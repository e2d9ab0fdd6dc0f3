"""A server that may open nothing more: what it has open goes on, the rest is an error, and both end when it may again."""

import resource
import socket

import pytest
import requests
from client import ALPHA, TIMEOUT, Server, eventually
from exhausted import assert_clients_wait
from failing_calls import FailingCalls, descriptors
from hostile import is_idle
from sweeps import SETTINGS
from uploading import assert_file, must, noise

pytestmark = pytest.mark.long


def test_files_without_descriptors(tmp_path):
    """Each call of storage that makes a descriptor fails as at the bound."""
    calls = FailingCalls(tmp_path / "control", tmp_path / "storage")
    server = Server(tmp_path, apps=(ALPHA,), **SETTINGS, **calls.environment).start()
    api = server.api()
    known, other = (api.store(noise(5000, number), name="a.bin") for number in range(2))
    assert api.fetch(known["url"]).status_code == 200
    calls.begin("EMFILE", 1, lasts=True)
    for _ in range(3):
        assert api.fetch(known["url"]).content == noise(5000, 0)
        assert must(api.get(f"/1.1/files/{other['objectId']}"))["name"] == "a.bin"
        for response in (api.fetch(other["url"]), api.store_raw(b"new", "b.bin")):
            assert response.status_code in (500, 503) and response.json()["error"], response.text
    assert calls.end()[1] > 0
    assert api.fetch(other["url"]).content == noise(5000, 1)
    assert_file(api, must(api.store_raw(b"new", "b.bin"), 201)["objectId"], b"new")
    assert server.staged() == []
    assert server.stop() == 0


@pytest.mark.extended
def test_connections_without_descriptors(new_server):
    """The process itself is at its bound: connections that it has are served, others wait and take no processor.

    Those that wait have sent their request: the server may close a connection on which it has read nothing for a while.
    """
    server = new_server(apps=(ALPHA,)).start()
    api = server.api()
    record = api.store(noise(5000), name="a.bin")
    assert api.fetch(record["url"]).status_code == 200
    pid = server.process.pid
    bounds = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (sum(descriptors(pid).values()), bounds[1]))
    waiting = [socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT) for _ in range(5)]
    for connection in waiting:
        connection.sendall(b"GET /health?live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    for _ in range(3):
        assert api.fetch(record["url"]).content == noise(5000)
    assert eventually(lambda: is_idle(server, share=0.3)), "a busy loop"
    resource.prlimit(pid, resource.RLIMIT_NOFILE, bounds)
    assert requests.get(f"{server.url}/health", timeout=TIMEOUT).status_code == 200
    for connection in waiting:
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
        connection.close()
    assert_file(api, must(api.store_raw(b"new", "b.bin"), 201)["objectId"], b"new")


@pytest.mark.single
def test_scrapers_without_descriptors(new_server):
    server = new_server(apps=(ALPHA,)).start()
    assert_clients_wait(server, server.metrics_port)
    assert requests.get(f"http://127.0.0.1:{server.metrics_port}/metrics", timeout=TIMEOUT).status_code == 200
