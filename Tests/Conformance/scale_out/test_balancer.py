"""Which requests nginx repeats on another server when one dies without an answer, with deploy/scale-out/nginx.conf and two
listeners in the place of servers."""

import socket
import threading

import pytest
from client import TIMEOUT, eventually, free_port
from several import Balancer


class Member:
    """Takes requests, notes their heads and bodies, and answers them, or closes the connection instead."""

    def __init__(self, answers):
        self.answers, self.requests = answers, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, connection.makefile("rb") as lines:
            while head := lines.readline():
                length = 0
                while (line := lines.readline().strip()):
                    name, _, value = line.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                body = lines.read(length)
                self.requests.append((head.decode().rsplit(" ", 1)[0], body))
                if not self.answers:
                    return
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")


@pytest.fixture
def members():
    members = [Member(answers=False), Member(answers=True)]
    yield members
    for member in members:
        member.listener.close()


@pytest.fixture
def balancer(tmp_path, members):
    balancer = Balancer(tmp_path / "nginx", free_port())
    balancer.start([member.port for member in members])
    assert eventually(lambda: is_open(balancer.port))
    yield balancer
    balancer.stop()


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def status_of(port, head, body):
    """The status of the response; head and body are sent at once, so that nginx has both before it sends any."""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as connection:
        connection.sendall(f"{head} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        return int(connection.makefile("rb").readline().split()[1])


@pytest.mark.parametrize("method, body, is_repeated", [
    ("GET", b"", True), ("DELETE", b"", True),
    ("POST", b"{}", False), ("PUT", b"{}", False), ("PUT", b"", False), ("PUT", b"x" * 1_000_000, False),
])
def test_request_of_a_server_that_died_goes_to_another_one_only_if_it_may(balancer, members, method, body, is_repeated):
    dead, living = members
    request = f"{method} /1.1/classes/a%2Fb?c=%20d"
    # The members get requests in turn.
    statuses = [status_of(balancer.port, request, body) for _ in range(2)]
    assert dead.requests == [(request, body)]
    assert living.requests == [(request, body)] * (2 if is_repeated else 1)
    assert sorted(statuses) == [200, 200 if is_repeated else 502]
