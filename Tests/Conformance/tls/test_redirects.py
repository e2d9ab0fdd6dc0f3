"""The listener without TLS that sends clients to the encrypted one."""

import select
from contextlib import ExitStack

import pytest
import requests
from client import TIMEOUT, RawConnection, Server, eventually, free_port, head
from exhausted import assert_clients_wait
from hot import get
from hot_files import all_of
from starting import SETTING, assert_does_not_start
from tls import TLSServer, connected


@pytest.fixture(scope="module")
def redirecting(tmp_path_factory, authority, certificate):
    port = free_port()
    folder = tmp_path_factory.mktemp("redirecting")
    server = TLSServer(folder, authority, certificate, LCFILE_TLS_REDIRECT_PORT=str(port)).start()
    server.redirect, server.redirect_port = f"http://localhost:{port}", port
    yield server
    assert server.stop() == 0


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_request_is_sent_to_the_same_path_with_tls(redirecting, method):
    answer = requests.request(method, f"{redirecting.redirect}/1.1/a?b=c", allow_redirects=False, timeout=TIMEOUT)
    assert (answer.status_code, answer.headers["Location"]) == (308, f"https://localhost:{redirecting.port}/1.1/a?b=c")


def test_upload_follows_with_its_body(redirecting, authority):
    answer = requests.post(
        f"{redirecting.redirect}/1.1/files/a.txt", b"redirected", headers=redirecting.api().headers,
        verify=authority.root, timeout=TIMEOUT,
    )
    assert answer.status_code == 201
    assert answer.history[0].status_code == 308


def test_bad_request_is_400(redirecting):
    answer = requests.get(f"{redirecting.redirect}/", headers={"Host": "a b"}, allow_redirects=False, timeout=TIMEOUT)
    assert answer.status_code == 400


# The body of a request is for the other listener, and connections are few

UNFINISHED = head("POST", "/1.1/files/a", {"Content-Length": 1_000_000}) + b"part"
# For each address.
CONNECTIONS = 8


def test_request_with_an_unfinished_body_is_told_that_its_connection_closes(redirecting):
    with RawConnection(redirecting.redirect_port) as connection:
        connection.send(UNFINISHED)
        answer = connection.answer()
        assert (answer.status, answer.getheader("Connection")) == (308, "close")


def test_client_that_sends_its_body_on_does_not_keep_its_connection(redirecting):
    with RawConnection(redirecting.redirect_port) as connection:
        connection.send(UNFINISHED)
        assert connection.answer().status == 308

        def is_closed():
            try:
                connection.send(b"x")
                return select.select([connection.socket], [], [], 0)[0] and connection.socket.recv(1) == b""
            except ConnectionError:
                return True

        assert eventually(is_closed)


def test_request_behind_another_one_is_not_answered(redirecting):
    with RawConnection(redirecting.redirect_port) as connection:
        connection.send(get("/a") + get("/b"))
        assert all_of(connection).count(b"HTTP/1.1 308 ") == 1


@pytest.fixture
def port(new_tls_server):
    """The listener of a server of the test's own, on which no connection of another test counts."""
    port = free_port()
    new_tls_server(LCFILE_TLS_REDIRECT_PORT=str(port)).start()
    return port


@pytest.fixture
def crowd(port):
    """One connection more than an address has: those that stay open, and those that the server has closed."""
    with ExitStack() as connections:
        opened = [connections.enter_context(RawConnection(port)) for _ in range(CONNECTIONS + 1)]
        closed, _, _ = select.select([connection.socket for connection in opened], [], [], TIMEOUT)
        yield [connection for connection in opened if connection.socket not in closed], closed


def test_ninth_connection_of_an_address_is_closed(crowd):
    _, closed = crowd
    assert [connection.recv(1) for connection in closed] == [b""]


@pytest.mark.extended
def test_first_eight_connections_of_an_address_are_served(crowd):
    opened, _ = crowd
    for connection in opened:
        connection.send(get("/"))
    assert [connection.answer_or_end() for connection in opened] == [308] * CONNECTIONS


def test_other_address_is_served_beside_eight_connections(port, crowd):
    with connected(port, address="127.0.0.2") as connection:
        connection.sendall(get("/"))
        assert connection.recv(1000).startswith(b"HTTP/1.1 308 ")


def test_address_is_served_again_after_its_connections_are_closed(port, crowd):
    for connection in crowd[0]:
        connection.socket.close()

    def is_redirected():
        with RawConnection(port) as connection:
            connection.send(get("/"))
            return connection.answer_or_end() == 308

    assert eventually(is_redirected)


def test_clients_wait_while_the_server_has_no_descriptor(new_tls_server):
    port = free_port()
    server = new_tls_server(LCFILE_TLS_REDIRECT_PORT=str(port)).start()
    assert_clients_wait(server, port)
    answer = requests.get(f"http://localhost:{port}/", allow_redirects=False, timeout=TIMEOUT)
    assert answer.status_code == 308


def test_redirects_need_a_certificate(tmp_path):
    assert_does_not_start(Server(tmp_path, LCFILE_TLS_REDIRECT_PORT="8081"), SETTING, "tls.redirectPort")
