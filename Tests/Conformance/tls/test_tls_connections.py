"""Connections with TLS: many requests, and records of any size."""

import threading

import pytest
from cases import count
from client import credentials, head
from hot import assert_hot, get, make_hot, settled_hot_count
from hot_files import all_of, responses_in, stored
from tls import Client, assert_same
from uploading import noise

SIZES = [0, 10, 200, 20_000, 200_000]


@pytest.fixture(scope="module")
def bodies(server):
    """The bodies of hot files by their targets."""
    bodies = {stored(server, data)[1]: data for data in (noise(size, "connections") for size in SIZES)}
    for target in bodies:
        make_hot(server, target)
    return bodies


def order(bodies, total):
    """Targets of which the large ones are few, so that all take little time."""
    return [list(bodies)[number % 5 if number % 100 < 5 else number % 3] for number in range(total)]


# Many requests

def test_300_requests_of_one_connection_are_all_hot(server, bodies):
    before = settled_hot_count(server)
    with server.raw() as connection:
        for target in order(bodies, 300):
            assert connection.request("GET", target, {}).content == bodies[target]
    assert_hot(server, before, 300)


@pytest.mark.extended
def test_300_requests_of_one_connection_that_take_the_route_are_answered(server, bodies):
    with server.raw() as connection:
        for target in order(bodies, 300):
            assert connection.request("GET", target, {"If-Match": "*"}).content == bodies[target]


def test_hundreds_of_requests_in_one_write_are_answered_in_order(server, bodies):
    targets = order(bodies, count(600, 2000))
    with Client(server.port, server.authority.context) as client:
        client.handshake()
        client.tls.write(b"".join(map(get, targets[:-1])) + get(targets[-1], "Connection: close"))
        # The thread has the records only: OpenSSL does not allow two threads to use one connection at once, and then
        # takes a read that has to wait for an end without close_notify.
        sender = threading.Thread(target=client.send, args=(client.outgoing.read(),))
        sender.start()
        received = client.received()
        sender.join()
    assert client.is_proper_end
    assert responses_in(received) == [bodies[target] for target in targets]


def test_pipeline_of_different_requests_is_answered_as_in_the_clear(both):
    body = b'{"title": "pipelined"}'
    fields = credentials() | {"Content-Type": "application/json", "Content-Length": len(body)}
    assert_same(
        both, get("/health"), get("/none"), head("POST", "/1.1/classes/TLSPipelined", fields) + body,
        get("/none", "Range: bytes=0-1"), get("/1.1/classes/TLSPipelined", *(f"{a}: {b}" for a, b in credentials().items())),
        get("/health", method="HEAD"),
    )


# Records

@pytest.mark.parametrize("size", [1, 7, 100])
def test_requests_in_small_records_are_answered(server, bodies, size):
    targets = list(bodies)
    data = b"".join(map(get, targets[:-1])) + get(targets[-1], "Connection: close")
    with server.raw() as connection:
        for start in range(0, len(data), size):
            connection.send(data[start:start + size])
        assert responses_in(all_of(connection)) == list(bodies.values())


@pytest.mark.parametrize("size", [1, 100, 1400])
def test_records_in_small_segments_are_answered(server, bodies, size):
    target = list(bodies)[3]
    with Client(server.port, server.authority.context) as client:
        client.handshake()
        client.tls.write(get(target) * 3)
        client.end()
        records = client.outgoing.read()
        for start in range(0, len(records), size):
            client.send(records[start:start + size])
        assert responses_in(client.received()) == [bodies[target]] * 3
