"""Clients that read slowly, or end their sending, beside requests that are answered before the decoder."""

import threading

import pytest
from client import ALPHA, Server, eventually
from data import Objects
from hostile import is_idle, memory
from hot import get
from hot_files import all_of, slow_connection
from uploading import KB, MB

KEYS = [f"X-LC-Id: {ALPHA.id}", f"X-LC-Key: {ALPHA.key}"]
REQUESTS = 200_000
# Of 64 bytes: the server reads powers of two, so each read has whole requests only.
PADDING = "X: " + "x" * (64 - len(get("/1.1/date", "X: ")))


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path, apps=(ALPHA,)).start()
    try:
        yield server
    finally:
        assert server.stop() == 0


def test_client_that_ends_its_sending_and_reads_slowly_gets_the_whole_response(server):
    objects = Objects(server.api(), "Slow")
    id = objects.create(text="x" * (120 * KB))
    for _ in range(6):
        objects.create(text="x" * (120 * KB))
    for target, size in ((f"/1.1/classes/Slow/{id}", 120 * KB), ("/1.1/classes/Slow?limit=10", 7 * 120 * KB)):
        with slow_connection(server) as connection:
            connection.send(get(target, *KEYS))
            connection.end_of_sending()
            head, body = all_of(connection).split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert body.count(b"x") >= size and body.endswith(b"}")


def test_short_responses_that_no_client_reads_do_not_fill_the_memory(server):
    before = memory(server)
    with slow_connection(server) as connection:
        def send():
            # Ends with the connection, if the server does not read all.
            try:
                connection.send(get("/1.1/date", PADDING) * REQUESTS)
            except OSError:
                pass

        sender = threading.Thread(target=send)
        sender.start()
        # All responses are more than 60 MB.
        assert eventually(lambda: is_idle(server))
        grown = memory(server) - before
        connection.reset()
        sender.join()
    assert grown < 20 * MB
