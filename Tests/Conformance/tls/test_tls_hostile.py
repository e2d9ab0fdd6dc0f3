"""Clients that speak no TLS, or change its bytes: the server lives and closes their connections."""

import socket

import pytest
from hot import get
from tls import Client, connected, hello
from uploading import noise


def all_until_end(connection):
    """What arrives until the server closes, by an end or by a reset."""
    data = b""
    try:
        while piece := connection.recv(1 << 16):
            data += piece
    except ConnectionResetError:
        pass
    return data


# No TLS

NO_TLS = {
    "request": get("/health"),
    "upload": b"POST /1.1/files/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100_000,
    "preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "hello of SSL 2": b"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10" + bytes(40),
    "header of a proxy": b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + get("/health"),
    "zeros": bytes(10_000),
    "alert": b"\x15\x03\x01\x00\x02\x02\x28",
    "data before the handshake": b"\x17\x03\x03\x00\x05hello",
    "record of 64 KB": b"\x16\x03\x01\xff\xff" + bytes(70_000),
    "hello of 16 MB": b"\x16\x03\x01\x40\x00\x01\xff\xff\xff" + bytes(16_380),
} | {f"random bytes {seed}": noise(size, seed) for seed, size in enumerate([5, 6, 100, 1000, 20_000, 300_000])}


def send(connection, data):
    try:
        connection.sendall(data)
    except ConnectionError:
        pass  # The server has closed before it read all.


@pytest.mark.few(2)
@pytest.mark.parametrize("name", NO_TLS)
def test_connection_without_tls_is_closed(calm, name):
    with connected(calm.port) as connection:
        send(connection, NO_TLS[name])
        all_until_end(connection)


@pytest.mark.parametrize("name", ["request", "upload"])
def test_request_in_the_clear_gets_one_answer(calm, name):
    with connected(calm.port) as connection:
        send(connection, NO_TLS[name])
        received = all_until_end(connection)
        assert (received[:13], received.count(b"HTTP/")) == (b"HTTP/1.1 400 ", 1)


@pytest.mark.parametrize("offset", [0, 1, 5, 9, 43, 100, 200])
def test_hello_with_one_other_byte_harms_no_one(calm, offset):
    data = bytearray(hello(calm))
    data[offset] ^= 0xFF
    with connected(calm.port) as connection:
        send(connection, bytes(data))
        # The server can wait for more, because some of these bytes are lengths.
        connection.shutdown(socket.SHUT_WR)
        all_until_end(connection)


@pytest.mark.parametrize("data", [b"x" * 100, get("/health"), bytes(100_000)], ids=["text", "request", "zeros"])
def test_plain_bytes_behind_a_handshake_end_the_connection(calm, data):
    with Client(calm.port, calm.authority.context) as client:
        client.handshake()
        send(client.socket, data)
        assert b"HTTP/" not in all_until_end(client.socket)


def test_record_that_was_changed_on_the_way_ends_the_connection(calm):
    with Client(calm.port, calm.authority.context) as client:
        client.handshake()
        client.tls.write(get("/health"))
        record = bytearray(client.outgoing.read())
        record[-1] ^= 1
        client.send(bytes(record))
        assert client.received() == b""


def test_record_that_is_repeated_is_not_answered_twice(calm):
    with Client(calm.port, calm.authority.context) as client:
        client.handshake()
        client.tls.write(get("/health"))
        record = client.outgoing.read()
        client.send(record)
        assert client.receive()
        client.send(record)
        assert client.received().count(b"HTTP/1.1 200") == 1
