"""Clients that say nothing or read slowly: they cost little, end after the timeout, and hold up no other client."""

from contextlib import ExitStack

import pytest
from client import eventually
from hostile import is_idle, memory
from hot import active, get, make_hot
from hot_files import stored
from tls import FEW_BYTES, Client, TLSConnection, TLSServer, connected
from uploading import KB, MB, noise

pytestmark = pytest.mark.long


def silent(server, stage):
    """A connection whose client says nothing more after a stage of the handshake."""
    if stage == "connected":
        return connected(server.port)
    client = Client(server.port, server.authority.context)
    if stage == "first byte":
        client.send(client.hello()[:1])
    elif stage == "hello":
        client.send(client.hello())
    else:
        client.handshake()
    return client


LARGE = noise(1 * MB) * 50
STAGES = ["connected", "first byte", "hello", "handshake"]


# Timeouts

@pytest.fixture(scope="module")
def impatient(tmp_path_factory, authority, certificate):
    """A server that closes idle connections after a second."""
    server = TLSServer(tmp_path_factory.mktemp("impatient"), authority, certificate, LCFILE_HTTP_IDLE_TIMEOUT="1").start()
    yield server
    assert server.stop() == 0


def is_closed(connection):
    connection.settimeout(0.01)
    try:
        while connection.recv(1 << 16):
            pass
        return True
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


@pytest.mark.extended
@pytest.mark.parametrize("stage", STAGES)
def test_connection_that_stops_is_closed(impatient, stage):
    with silent(impatient, stage) as connection:
        assert eventually(lambda: is_closed(getattr(connection, "socket", connection)))


@pytest.mark.extended
def test_handshake_that_goes_on_by_single_bytes_is_closed(impatient):
    with Client(impatient.port, impatient.authority.context) as client:
        rest = iter(client.hello())

        def is_closed_at_next_byte():
            try:
                client.send(bytes([next(rest)]))
            except ConnectionError:
                return True
            return is_closed(client.socket)

        assert eventually(is_closed_at_next_byte)


# Many clients

@pytest.fixture
def crowded(new_tls_server):
    return new_tls_server().start()


@pytest.mark.extended
@pytest.mark.parametrize("stage", STAGES)
def test_200_silent_clients_hold_up_no_other(crowded, stage):
    _, target = stored(crowded, noise(100 * KB))
    with crowded.raw() as earlier, ExitStack() as leaving:
        for _ in range(200):
            leaving.enter_context(silent(crowded, stage))
        for _ in range(20):
            with crowded.raw() as later:
                for connection in (earlier, later):
                    assert connection.request("GET", target, {}).content == noise(100 * KB)


@pytest.mark.extended
@pytest.mark.parametrize("stage", STAGES)
def test_silent_clients_at_the_limit_give_way_to_others(new_tls_server, stage):
    server = new_tls_server(LCFILE_HTTP_MAX_CONNECTIONS="30").start()
    with ExitStack() as leaving:
        for _ in range(30):
            leaving.enter_context(silent(server, stage))
        assert server.is_healthy()


# Slow readers

@pytest.fixture
def large(new_tls_server):
    """A server of the test's own, because a process reuses memory, with a file of 50 MB that is hot; and its target."""
    server = new_tls_server().start()
    _, target = stored(server, LARGE)
    make_hot(server, target)
    return server, target


@pytest.mark.extended
@pytest.mark.parametrize("kind, fields", [("hot", []), ("route", ["Range: bytes=0-"])])
def test_50_slow_clients_of_a_file_of_50_mb_cost_less_than_60_mb(large, kind, fields):
    server, target = large
    before = memory(server)
    with ExitStack() as leaving:
        clients = [leaving.enter_context(server.raw(receive_buffer=FEW_BYTES)) for _ in range(50)]
        for client in clients:
            client.send(get(target, *fields))
        assert eventually(lambda: active(server) == 50)
        for _ in range(10):
            for client in clients:
                client.socket.recv(FEW_BYTES)
        # The server has sent all that the sockets take. Then the allocator returns what it does not use to the system.
        assert eventually(lambda: is_idle(server))
        assert eventually(lambda: memory(server) - before < 60 * MB), (memory(server) - before) // MB


@pytest.mark.extended
def test_slow_client_of_a_file_of_50_mb_gets_all_of_it(large):
    server, target = large
    with TLSConnection(server.port, server.authority.context, FEW_BYTES) as connection:
        connection.send(get(target))
        assert eventually(lambda: is_idle(server))
        assert connection.answer("GET").content == LARGE
