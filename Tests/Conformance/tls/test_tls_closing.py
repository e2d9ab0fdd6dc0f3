"""The end of a connection: by the server, by close_notify of the client, or by a client that just leaves."""

import pytest
from client import eventually
from hot import active, get, make_hot
from hot_files import all_of, responses_in, stored
from tls import FEW_BYTES, Client, hello, log_lines, sockets
from uploading import MB, noise

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def bodies(server):
    """The bodies of hot files by their targets."""
    bodies = {stored(server, data)[1]: data for data in (noise(size, "ends") for size in (0, 200, 20_000, 200_000))}
    for target in bodies:
        make_hot(server, target)
    return bodies


def test_last_response_is_followed_by_close_notify(server, bodies):
    """An attacker who cuts the connection off must not make half a body look whole."""
    target = list(bodies)[3]
    with server.raw() as connection:
        connection.send(get(target, "Connection: close"))
        # It fails if the server closes without a close_notify.
        assert all_of(connection).endswith(bodies[target])


def test_client_that_sends_close_notify_behind_its_request_gets_the_response(server, bodies):
    for target, data in bodies.items():
        with Client(server.port, server.authority.context) as client:
            client.handshake()
            client.write(get(target, "Connection: keep-alive"), ends=True)
            assert responses_in(client.received()) == [data]


@pytest.mark.extended
@pytest.mark.parametrize("kind", ["hot", "route"])
def test_slow_client_that_sent_close_notify_gets_a_whole_large_file(server, kind):
    """So does a client in the clear that ends its sending (`test_hot_connections.py`)."""
    data = noise(12 * MB)
    _, target = stored(server, data)
    if kind == "hot":
        make_hot(server, target)
    with Client(server.port, server.authority.context, FEW_BYTES) as client:
        client.handshake()
        client.write(get(target), ends=True)
        assert eventually(lambda: active(server) == 1)
        assert responses_in(client.received()) == [data]


def test_idle_connection_is_closed_when_the_client_sends_close_notify(server):
    with Client(server.port, server.authority.context) as client:
        client.handshake()
        client.write(b"", ends=True)
        assert client.received() == b""


@pytest.mark.extended
@pytest.mark.parametrize("leave", ["close_notify", "close", "reset"])
def test_client_that_leaves_is_no_fault_in_the_log(new_tls_server, leave):
    server = new_tls_server().start()
    before = sockets(server)
    for _ in range(10):
        with Client(server.port, server.authority.context) as client:
            client.handshake()
            client.write(get("/health"))
            assert client.receive()
            if leave == "close_notify":
                client.write(b"", ends=True)
            elif leave == "reset":
                client.reset()
    assert eventually(lambda: sockets(server) <= before)
    assert log_lines(server, "error") + log_lines(server, "warning") == []


@pytest.mark.extended
def test_idle_connection_is_closed_after_the_timeout(new_tls_server):
    server = new_tls_server(LCFILE_HTTP_IDLE_TIMEOUT="1").start()
    with server.raw() as connection:
        assert connection.request("GET", "/health", {}).status == 200
        connection.end()


@pytest.mark.extended
def test_download_that_takes_longer_than_the_idle_timeout_is_finished(new_tls_server):
    server = new_tls_server(LCFILE_HTTP_IDLE_TIMEOUT="1").start()
    data = noise(12 * MB)
    _, target = stored(server, data)
    with server.raw(receive_buffer=FEW_BYTES) as connection, server.raw() as idle:
        connection.send(get(target))
        idle.end()
        assert connection.answer("GET").content == data


# Clients that leave

@pytest.mark.few(2)
@pytest.mark.parametrize("leave", ["close", "reset"])
@pytest.mark.parametrize("part", [1, 100, None], ids=["first byte", "half the hello", "whole hello"])
def test_client_that_leaves_in_the_middle_of_a_handshake_harms_no_one(calm, part, leave):
    data = hello(calm)[:part]
    for _ in range(30):
        with Client(calm.port, calm.authority.context) as client:
            client.send(data)
            if part is None:
                # The server has answered, so it waits for the second half.
                assert client.receive()
            if leave == "reset":
                client.reset()


@pytest.mark.few(2)
@pytest.mark.parametrize("kind", ["hot", "route"])
@pytest.mark.parametrize("leave", ["close", "reset"])
def test_client_that_leaves_a_download_harms_no_other(hostile, leave, kind):
    data = noise(12 * MB)
    _, target = stored(hostile, data)
    if kind == "hot":
        make_hot(hostile, target)
    with hostile.raw(receive_buffer=FEW_BYTES) as leaving, hostile.raw(receive_buffer=FEW_BYTES) as other:
        for connection in (leaving, other):
            connection.send(get(target))
        assert eventually(lambda: active(hostile) == 2)
        leaving.reset() if leave == "reset" else leaving.socket.close()
        assert eventually(lambda: active(hostile) == 1)
        assert other.answer("GET").content == data
    assert eventually(lambda: active(hostile) == 0)


def test_client_that_leaves_an_upload_harms_no_one(calm):
    for _ in range(10):
        with calm.raw() as connection:
            connection.send(b"POST /1.1/files/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 100_000)


def test_client_that_ends_tcp_without_close_notify_harms_no_other(calm):
    """The server takes it for a connection that was cut off, and can end the response. In the clear it sends the whole."""
    data = noise(12 * MB)
    _, target = stored(calm, data)
    with Client(calm.port, calm.authority.context, FEW_BYTES) as client, calm.raw() as other:
        client.handshake()
        client.write(get(target))
        client.end_of_sending()
        assert other.request("GET", target, {}).content == data
