"""Pipelines, slow clients, WebSockets, stop and time-outs on connections with hot requests."""

import re
import threading
import time

import pytest
from cases import count
from client import ALPHA, eventually
from data import at_once
from hostile import is_idle, memory
from hot import active, assert_hot, get, make_hot, settled_hot_count
from hot_files import all_of, hot_response, responses_in, slow_connection, stored, whole_responses
from live_messages import from_protobuf, packed
from live_wire import BINARY, CLOSE, WireSocket, frame
from stopping import is_refused
from uploading import KB, MB, noise


REQUESTS = count(600, 2000)


@pytest.mark.extended
def test_hundreds_of_requests_in_one_write_are_answered_in_order(server):
    bodies = {stored(server, data)[1]: data for data in (noise(size, "order") for size in (0, 10, 200, 20_000, 200_000))}
    for target in bodies:
        make_hot(server, target)
    # The large ones are few, so that all take little time.
    order = [list(bodies)[4 if number % 100 == 3 else 3 if number % 50 == 7 else number % 3] for number in range(REQUESTS)]
    with server.raw() as connection:
        requests = b"".join(map(get, order[:-1])) + get(order[-1], "Connection: close")
        sender = threading.Thread(target=connection.send, args=(requests,))
        sender.start()
        received = all_of(connection)
        sender.join()
    assert responses_in(received) == [bodies[target] for target in order]


@pytest.mark.extended
def test_hundreds_of_requests_in_writes_of_20_are_all_hot_and_answered_in_order(server):
    bodies = {stored(server, data)[1]: data for data in (noise(size, "writes") for size in (0, 10, 200, 20_000, 200_000))}
    for target in bodies:
        make_hot(server, target)
    order = [list(bodies)[number % 5 if number % 100 < 5 else number % 3] for number in range(REQUESTS)]
    before, received, read = settled_hot_count(server), b"", []
    with server.raw() as connection:
        for start in range(0, len(order), 20):
            connection.send(b"".join(map(get, order[start:start + 20])))
            while len(read) < start + 20:
                received += connection.socket.recv(1 << 18)
                done, received = whole_responses(received)
                read += done
    assert read == [bodies[target] for target in order]
    assert_hot(server, before, REQUESTS)


def test_requests_of_many_connections_are_all_hot(server):
    _, target = stored(server, b"many")
    make_hot(server, target)
    before = settled_hot_count(server)

    def ask(_):
        with server.raw() as connection:
            return [connection.request("GET", target, {}).content for _ in range(50)]

    assert at_once(ask, 8, workers=8) == [[b"many"] * 50] * 8
    assert_hot(server, before, 400)


@pytest.mark.parametrize("size", [64 * KB, 100_000, 128 * KB])
def test_body_is_the_same_after_many_others_were_sent(server, size):
    """The server sends it from its file then, because copies of so many do not stay in the processor's cache."""
    data = noise(size, "file")
    _, target = stored(server, data)
    make_hot(server, target)
    before, others = settled_hot_count(server), (9 << 20) // size + 1
    with server.raw() as connection, server.raw() as other:
        for _ in range(3):
            connection.send(get(target))
            assert connection.answer("GET").content == data
            for _ in range(others):
                other.send(get(target))
                assert other.answer("GET").content == data
    assert_hot(server, before, 3 * (1 + others))


def test_slow_client_gets_the_whole_of_a_large_file(server):
    data = noise(12 * MB)
    _, target = stored(server, data)
    make_hot(server, target)
    before = settled_hot_count(server)
    with slow_connection(server) as connection:
        connection.send(get(target))
        # The server cannot send all while the client reads nothing, and serves others.
        assert eventually(lambda: active(server) == 1)
        assert server.is_healthy()
        assert connection.answer("GET").content == data
    assert_hot(server, before, 1)


def test_request_behind_a_slow_download_is_answered(server):
    (_, large), (_, small) = stored(server, noise(12 * MB)), stored(server, b"behind")
    for target in (large, small):
        make_hot(server, target)
    with slow_connection(server) as connection:
        connection.send(get(large))
        assert eventually(lambda: active(server) == 1)
        connection.send(get(small) + get("/none") + get(small, "Connection: close"))
        received = all_of(connection)
    assert re.findall(rb"HTTP/1\.1 (\d+) ", received) == [b"200", b"200", b"404", b"200"]
    assert received.endswith(b"behind")


@pytest.mark.extended
def test_responses_that_no_client_reads_do_not_fill_the_memory(own):
    _, target = stored(own, noise(128 * KB))
    make_hot(own, target)
    hot_response(own, target)
    before = memory(own)
    with slow_connection(own) as connection:
        # 400 MB of responses to 60 KB of requests, which the server and its socket take.
        connection.send(get(target) * 3000)
        assert eventually(lambda: is_idle(own))
        assert memory(own) - before < 20 * MB


@pytest.mark.parametrize("leave", ["reset", "close"])
def test_client_that_leaves_a_download_disturbs_no_other(server, leave):
    data = noise(12 * MB)
    _, target = stored(server, data)
    make_hot(server, target)
    with slow_connection(server) as connection, slow_connection(server) as other:
        for each in (connection, other):
            each.send(get(target))
        assert eventually(lambda: active(server) == 2)
        connection.reset() if leave == "reset" else connection.socket.close()
        assert eventually(lambda: active(server) == 1)
        assert other.answer("GET").content == data
    assert eventually(lambda: active(server) == 0)


def test_file_that_is_deleted_during_a_slow_download_is_sent_to_its_end(server, master):
    data = noise(12 * MB)
    id, target = stored(server, data)
    make_hot(server, target)
    with slow_connection(server) as connection:
        connection.send(get(target))
        assert eventually(lambda: active(server) == 1)
        assert master.delete(id).status_code == 200
        assert connection.answer("GET").content == data


def test_request_that_is_read_behind_a_download_gets_no_file_that_was_deleted_meanwhile(server, master):
    data = noise(12 * MB)
    (_, large), (id, small) = stored(server, data), stored(server, b"behind")
    for target in (large, small):
        make_hot(server, target)
    with slow_connection(server) as connection:
        connection.send(get(large) + get(small, "Connection: keep-alive") + get(small, "Connection: close"))
        assert eventually(lambda: active(server) == 1)
        assert master.delete(id).status_code == 200
        assert re.findall(rb"HTTP/1\.1 (\d+) ", all_of(connection)) == [b"200", b"404", b"404"]


def test_connection_with_hot_requests_becomes_a_websocket(server):
    _, target = stored(server, b"socket")
    make_hot(server, target)
    with WireSocket(server.port) as connection:
        for _ in range(3):
            assert connection.request("GET", target, {}).content == b"socket"
        connection.upgrade()
        connection.send(frame(BINARY, packed((1, 8), (3, ALPHA.id), (5, 1), (6, "a device"), (8, 1))))
        assert from_protobuf(connection.message())["cmd"] == "loggedin"


def test_websocket_answers_no_http_request(server):
    _, target = stored(server, b"socket")
    make_hot(server, target)
    with WireSocket(server.port) as connection:
        assert connection.request("GET", target, {}).content == b"socket"
        connection.upgrade()
        # Read as frames these are malformed.
        connection.send(get(target) * 3)
        assert connection.socket.recv(1) == bytes([0x80 | CLOSE])


def test_client_that_ends_its_sending_gets_the_whole_of_a_large_file(server):
    data = noise(12 * MB)
    _, target = stored(server, data)
    make_hot(server, target)
    with slow_connection(server) as connection:
        connection.send(get(target) * 2)
        connection.end_of_sending()
        assert responses_in(all_of(connection)) == [data] * 2


@pytest.mark.few(1)
@pytest.mark.parametrize("more", [0, 1, 20])
def test_slow_hot_downloads_are_finished_after_sigterm(own, more):
    """Also those that the server had read when it was stopped."""
    data = noise(12 * MB)
    (_, large), (_, small) = stored(own, data), stored(own, b"behind")
    for target in (large, small):
        make_hot(own, target)
    with slow_connection(own) as connection:
        connection.send(get(large) + get(small) * more)
        assert eventually(lambda: active(own) == 1)
        own.terminate()
        assert eventually(lambda: is_refused(own))
        assert responses_in(all_of(connection)) == [data] + [b"behind"] * more
    assert own.wait() == 0


@pytest.mark.extended
def test_response_of_a_draining_server_ends_the_connection(new_server):
    server = new_server(LCFILE_HTTP_DRAIN_TIME="60").start()
    _, target = stored(server, b"draining")
    make_hot(server, target)
    with server.raw() as connection:
        assert "Connection" not in connection.request("GET", target, {}).headers
        server.terminate()
        assert eventually(lambda: server.api().get("/ready").status_code == 503)
        response = connection.request("GET", target, {})
        assert response.content == b"draining"
        assert response.headers["Connection"] == "close"
        assert connection.socket.recv(1) == b""
    # A second signal ends the time that is left.
    server.terminate()
    assert server.wait() == 0


@pytest.mark.extended
def test_idle_hot_connection_does_not_hold_the_server_up(new_server):
    server = new_server().start()
    _, target = stored(server, b"idle")
    make_hot(server, target)
    with server.raw() as connection:
        assert connection.request("GET", target, {}).content == b"idle"
        server.terminate()
        assert server.wait() == 0


@pytest.mark.extended
def test_connection_with_hot_requests_is_closed_when_it_is_idle_and_not_before(new_server):
    server = new_server(LCFILE_HTTP_IDLE_TIMEOUT="2").start()
    _, target = stored(server, b"idle")
    make_hot(server, target)
    before = settled_hot_count(server)
    with server.raw() as connection:
        end, count = time.monotonic() + 2.3, 0
        while time.monotonic() < end:
            assert connection.request("GET", target, {}).content == b"idle"
            count += 1
        assert connection.socket.recv(1) == b""
    assert_hot(server, before, count)


@pytest.mark.extended
def test_download_that_takes_longer_than_the_idle_timeout_is_finished(new_server):
    server = new_server(LCFILE_HTTP_IDLE_TIMEOUT="1").start()
    data = noise(12 * MB)
    _, target = stored(server, data)
    make_hot(server, target)
    with slow_connection(server) as connection, server.raw() as idle:
        connection.send(get(target))
        # The server closes a connection that has sent nothing since, and not the one with the download.
        assert idle.socket.recv(1) == b""
        assert connection.answer("GET").content == data
