"""A running server: health, metrics, connections, 100 Continue, and how it ends."""

import json
import re
import socket
import time
from contextlib import contextmanager

import pytest
import requests
from client import LAST_CHUNK, TIMEOUT, chunk, credentials, eventually, head
from hot import settle
from stopping import begin_upload, is_refused


def metrics(server):
    response = requests.get(f"http://127.0.0.1:{server.metrics_port}/metrics", timeout=TIMEOUT)
    assert response.status_code == 200
    return response


def total(text, name):
    return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", text, re.MULTILINE))


@pytest.mark.smoke
def test_health_needs_no_keys(server):
    response = requests.get(f"{server.url}/health", timeout=TIMEOUT)
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.smoke
def test_ready_needs_no_keys(server):
    response = requests.get(f"{server.url}/ready", timeout=TIMEOUT)
    assert (response.status_code, response.json()) == (200, {"status": "ready"})
    assert response.headers["Cache-Control"] == "no-cache,no-store"


def test_ready_has_no_other_methods(server):
    assert requests.post(f"{server.url}/ready", timeout=TIMEOUT).status_code == 404


@pytest.mark.extended
def test_every_answer_has_an_id_that_the_log_knows(server, api):
    id = api.get("/1.1/files?limit=1").headers["X-Request-Id"]
    assert eventually(lambda: id in server.errors)


@pytest.mark.smoke
def test_metrics_count_requests(server, api):
    settle(server)
    before = total(metrics(server).text, "lcfile_http_requests_total")
    for _ in range(5):
        api.get("/1.1/files?limit=1")
    settle(server)
    assert total(metrics(server).text, "lcfile_http_requests_total") - before == 5


def test_paths_of_files_make_no_new_series(server, api):
    api.fetch(f"{server.url}/never-seen-before.jpg")
    assert "never-seen-before" not in metrics(server).text


def test_metrics_are_not_on_the_public_port(server):
    assert requests.get(f"{server.url}/metrics", timeout=TIMEOUT).status_code == 404


@pytest.mark.extended
def test_metrics_can_be_switched_off(new_server):
    server = new_server(LCFILE_METRICS_ENABLED="false").start()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.metrics_port), timeout=TIMEOUT)


def test_unknown_routes_are_404_in_json(api):
    response = api.get("/1.1/classes/Todo")
    assert response.status_code == 404
    assert response.json()["code"] == 101


@pytest.mark.parametrize("text", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nbad header\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GET\0"])
def test_what_is_no_http_harms_nothing(server, text):
    with server.raw() as connection:
        connection.send(text)
        connection.end_of_sending()
        status = connection.answer_or_end()
        assert status is None or 400 <= status < 500
    assert server.is_healthy()


def test_pipelined_requests_are_answered_in_order(server):
    with server.raw() as connection:
        connection.send(head("GET", "/health", {}) + head("GET", "/none", {}) + head("GET", "/health", {"Connection": "close"}))
        answers = b"".join(iter(lambda: connection.socket.recv(65536), b""))
    assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"200", b"404", b"200"]


# 100 Continue

def expecting(path, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return head("POST", path, credentials() | {"Expect": "100-continue"} | named)


def test_continue_is_said_before_the_body_is_sent(server, api, rocket):
    with server.raw() as connection:
        connection.send(expecting("/1.1/files/photo.jpg", Content_Length=len(rocket)))
        assert connection.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.send(rocket)
        answer = connection.answer()
    assert answer.status == 201
    assert api.get("/1.1/files?order=-createdAt&limit=1").json()["results"][0]["metaData"]["size"] == len(rocket)


def test_continue_is_said_to_a_form(server):
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nx\r\n--b--\r\n'
    with server.raw() as connection:
        connection.send(expecting("/1.1/files", Content_Length=len(body), Content_Type="multipart/form-data; boundary=b"))
        assert connection.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.send(body)
        assert connection.answer().status == 201


@pytest.mark.parametrize("path, headers, status", [
    ("/1.1/files/x.bin", {"X-LC-Key": "wrong-wrong", "Content-Length": 1000}, 401),
    ("/1.1/files/x.bin", {"Content-Length": 1 << 50}, 413),
    ("/1.1/files/a%2Fb", {"Content-Length": 1000}, 400),
    ("/1.1/files", {"Content-Length": 1000, "Content-Type": "text/html"}, 400),
    ("/1.1/nothing", {"Content-Length": 1000}, 404),
])
def test_refusal_comes_without_continue(server, path, headers, status):
    with server.raw() as connection:
        connection.send(head("POST", path, credentials() | {"Expect": "100-continue"} | headers))
        start = connection.socket.recv(20, socket.MSG_PEEK)
        assert start.startswith(f"HTTP/1.1 {status}".encode())
        answer = connection.answer()
        # The client does not send the body, so the next request needs another connection.
        assert (answer.status, answer.getheader("Connection")) == (status, "close")


def test_continue_is_said_to_a_request_behind_another(server):
    first = head("POST", "/1.1/files/a.txt", credentials() | {"Content-Length": 3}) + b"abc"
    with server.raw() as connection:
        connection.send(first + expecting("/1.1/files/b.txt", Content_Length=3))
        answers = b""
        while b"100 Continue" not in answers:
            answers += (received := connection.socket.recv(65536))
            assert received, answers
        assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"201", b"100"]
        connection.send(b"xyz")
        assert connection.answer().status == 201


# The end

@pytest.mark.extended
def test_upload_that_runs_at_sigterm_is_finished_and_kept(new_server):
    server = new_server().start()
    with begin_upload(server) as connection:
        server.terminate()
        assert eventually(lambda: is_refused(server)), "new connections are still taken"
        assert server.process.poll() is None
        connection.send(chunk(b"second half") + LAST_CHUNK)
        assert connection.answer().status == 201
    assert server.wait() == 0
    server.start()
    (record,) = server.api().get("/1.1/files").json()["results"]
    assert server.api().fetch(record["url"]).content == b"first half, second half"


def test_sigint_ends_the_server_too(new_server):
    server = new_server().start()
    server.process.send_signal(2)
    assert server.wait() == 0


@pytest.mark.extended
def test_idle_connections_do_not_hold_the_server_up(new_server):
    server = new_server().start()
    with server.raw() as connection, server.raw():
        assert connection.request("GET", "/health", {}).status == 200
        server.terminate()
        assert server.wait() == 0


@pytest.mark.extended
def test_upload_that_never_ends_does_not_hold_the_server_up(new_server):
    server = new_server(LCFILE_HTTP_SHUTDOWN_TIMEOUT="1").start()
    with begin_upload(server):
        server.terminate()
        server.wait()
    server.start()
    assert server.staged() == []
    assert server.api().count() == 0


@pytest.mark.extended
def test_stop_without_time_for_requests_is_a_clean_one(new_server):
    server = new_server(LCFILE_HTTP_SHUTDOWN_TIMEOUT="0").start()
    with begin_upload(server):
        server.terminate()
        assert server.wait() == 0
    assert " critical " not in server.errors and "The server has stopped" in server.errors


def test_slow_download_is_finished_after_sigterm(new_server):
    server = new_server().start()
    data = b"0123456789abcdef" * (1 << 20)
    record = server.api().store(data, name="large.bin")
    with server.raw() as connection:
        connection.send(head("GET", "/" + record["key"], {}))
        assert connection.socket.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 200"
        server.terminate()
        assert eventually(lambda: is_refused(server))
        assert connection.answer("GET").content == data
    assert server.wait() == 0


@pytest.mark.extended
def test_websocket_that_begins_after_sigterm_does_not_hold_the_server_up(new_server):
    server = new_server(LCFILE_HTTP_SHUTDOWN_TIMEOUT="600").start()
    record = server.api().store(b"0123456789abcdef" * (1 << 20), name="large.bin")
    fields = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "lc.json.3",
    }
    with server.raw() as connection:
        connection.send(head("GET", "/" + record["key"], {}))
        assert connection.socket.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 200"
        server.terminate()
        assert eventually(lambda: is_refused(server))
        connection.send(head("GET", "/v1/ws", fields))
        received = b"".join(iter(lambda: connection.socket.recv(1 << 20), b""))
    # 101 and a close frame if the handshake arrived before the connection learned of the stop; no answer if it was read
    # after the end of the download.
    first, *others = re.findall(rb"HTTP/1\.1 (\d+) ", received)
    assert first == b"200" and others in ([b"503"], [b"101"], [])
    assert server.wait() == 0


@contextmanager
def long_page(server):
    """A client that begins to read a page that is too long for the buffers of the kernel."""
    for _ in range(50):
        assert server.api().post("/1.1/classes/Long", json={"text": "x" * 115_000}).status_code == 201
    with server.raw() as connection:
        connection.send(head("GET", "/1.1/classes/Long?limit=1000", credentials()))
        assert connection.socket.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 200"
        yield connection


@pytest.mark.extended
def test_page_that_is_not_read_yet_is_finished_after_sigterm(new_server):
    server = new_server().start()
    with long_page(server) as connection:
        server.terminate()
        assert eventually(lambda: is_refused(server))
        assert len(json.loads(connection.answer("GET").content)["results"]) == 50
    assert server.wait() == 0


@pytest.mark.extended
def test_client_that_reads_slowly_gets_its_page_beyond_the_idle_timeout(new_server):
    server = new_server(LCFILE_HTTP_IDLE_TIMEOUT="1").start()
    with long_page(server) as connection:
        received = b""
        began = time.monotonic()
        while time.monotonic() - began < 3:
            received += connection.socket.recv(10_000)
            # The pace of the client.
            time.sleep(0.05)
        while not received.endswith(b"]}"):
            more = connection.socket.recv(1 << 20)
            assert more, f"{len(received)} bytes came"
            received += more
    assert len(json.loads(received.partition(b"\r\n\r\n")[2])["results"]) == 50


@pytest.mark.extended
def test_client_that_does_not_read_its_download_does_not_hold_the_server_up(new_server):
    server = new_server(LCFILE_HTTP_SHUTDOWN_TIMEOUT="1").start()
    record = server.api().store(b"0123456789abcdef" * (1 << 20), name="large.bin")
    with server.raw() as connection:
        connection.send(head("GET", "/" + record["key"], {}))
        assert connection.socket.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 200"
        server.terminate()
        server.wait()


@pytest.mark.extended
@pytest.mark.parametrize("begun", [b"", b"GET /health HT", head("POST", "/1.1/files/x", credentials() | {"Content-Length": 9})])
def test_connection_that_sends_nothing_is_closed(new_server, begun):
    server = new_server(LCFILE_HTTP_IDLE_TIMEOUT="1").start()
    with server.raw() as connection:
        connection.send(begun)
        while connection.socket.recv(1000):
            pass
    assert eventually(lambda: server.staged() == [])
