"""Clients that read slowly, or end their sending, beside requests that are answered before the decoder."""

import pytest
from client import ALPHA, Server, eventually
from data import Objects
from hostile import is_idle, memory
from hot import get, settle
from hot_files import all_of, slow_connection
from uploading import KB, MB

KEYS = [f"X-LC-Id: {ALPHA.id}", f"X-LC-Key: {ALPHA.key}"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("direct"), apps=(ALPHA,)).start()
    try:
        yield server
    finally:
        assert server.stop() == 0


# The system takes about four of these responses. Of the next one, which is direct, and of those behind it, which are not,
# the server has a part when the input ends.
@pytest.mark.few(1)
@pytest.mark.parametrize("count", range(1, 8))
def test_client_that_ends_its_sending_and_reads_slowly_gets_all_responses_whole(server, count):
    objects = Objects(server.api(), f"Slow{count}")
    for _ in range(7):
        objects.create(text="x" * (120 * KB))
    with slow_connection(server) as connection:
        for number in range(count):
            connection.send(get(f"{objects.path}?limit=10", *KEYS))
            if number < min(4, count - 1):
                settle(server)
        connection.end_of_sending()
        assert eventually(lambda: is_idle(server))
        received = all_of(connection)
    assert received.count(b"HTTP/1.1 200 OK\r\n") == count
    assert received.count(b"x" * (120 * KB)) == 7 * count and received.endswith(b"}]}")


@pytest.mark.extended
def test_responses_that_no_client_reads_do_not_fill_the_memory(server):
    objects = Objects(server.api(), "Unread")
    id = objects.create(text="x" * (15 * KB))
    # From now on the object is in memory, and its response is written before the next request is read.
    objects.read(id)
    target = f"/1.1/classes/Unread/{id}"
    # Of 256 bytes: the server reads powers of two, so each read has whole requests only.
    request = get(target, *KEYS, "X:" + "x" * (256 - len(get(target, *KEYS, "X:"))))
    before = memory(server)
    with slow_connection(server) as connection:
        # 90 MB of responses.
        connection.send(request * 6000)
        assert eventually(lambda: is_idle(server))
        grown = memory(server) - before
        connection.reset()
    assert grown < 12 * MB
