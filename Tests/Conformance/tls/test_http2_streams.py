"""Streams of HTTP/2: slow readers, cancelled requests, answers before the end of a request, and the ends of
connections."""

import struct
import time
from contextlib import suppress

import pytest
from client import credentials, eventually
from h2.errors import ErrorCodes
from h2.settings import SettingCodes
from hostile import memory
from hot import active, make_hot
from hot_files import stored
from http2 import ENDS, GOAWAY, Client2, frame
from tls import TLSServer
from uploading import KB, MB, noise

LARGE = noise(5 * MB, "streams")
# Of many small windows, each of which takes a step of the client and of the server.
WINDOWED = noise(500 * KB, "windows")
# The parts of 99 uploads fit into the first window of a connection.
PART = noise(500, "crossing")
UPLOAD = {name.lower(): value for name, value in credentials().items()} | {"content-type": "application/octet-stream"}


@pytest.fixture(scope="module")
def target(server):
    return stored(server, LARGE)[1]


@pytest.fixture(scope="module")
def impatient(tmp_path_factory, authority, certificate):
    """A server that closes idle connections after a second."""
    server = TLSServer(tmp_path_factory.mktemp("impatient"), authority, certificate, LCFILE_HTTP_IDLE_TIMEOUT="1").start()
    yield server
    assert server.stop() == 0


# Flow control

@pytest.mark.parametrize("is_hot", [False, True], ids=["route", "hot"])
def test_client_with_a_small_window_gets_the_whole_file(server, is_hot):
    _, target = stored(server, WINDOWED)
    if is_hot:
        make_hot(server, target)
    with Client2(server, {SettingCodes.INITIAL_WINDOW_SIZE: 2000}) as client:
        answer = client.request("GET", target, {} if is_hot else {"if-match": "*"})
    assert (answer.status, answer.content == WINDOWED) == (200, True)


def test_stream_that_is_not_read_holds_up_no_other(server, target):
    with Client2(server, {SettingCodes.INITIAL_WINDOW_SIZE: 1000}) as client:
        blocked = client.begin("GET", target)
        while not client.responses[blocked].status:
            client.receive()
        assert client.request("GET", "/health").status == 200


def test_100_streams_that_are_not_read_take_little_memory(server, target):
    make_hot(server, target)
    before = memory(server)
    with Client2(server, {SettingCodes.INITIAL_WINDOW_SIZE: 0}) as client:
        streams = [client.begin("GET", target) for _ in range(100)]
        while not all(client.responses[stream].status for stream in streams):
            client.receive()
        # 500 MB are asked for; a stream holds two pieces of 128 KB at most.
        assert memory(server) - before < 60 * MB


# Requests that end early

def test_refused_upload_is_answered_before_its_end(server):
    with Client2(server) as client:
        stream = client.begin("POST", "/1.1/files/a.bin", UPLOAD | {"x-lc-id": "none"}, ends=False)
        answer = client.wait(stream)[0]
        assert (answer.status, answer.is_complete) == (401, True)
        # The server tells the client to send no more (RFC 9113 section 8.1).
        while answer.reset is None:
            client.receive()
        assert answer.reset == ErrorCodes.NO_ERROR


def test_connection_serves_on_after_a_refused_upload(server):
    with Client2(server) as client:
        stream = client.begin("POST", "/1.1/files/a.bin", UPLOAD | {"x-lc-id": "none"}, ends=False)
        client.upload(stream, noise(2 * MB))
        client.wait(stream)
        assert client.request("GET", "/health").status == 200


def test_bodies_that_cross_the_ends_of_99_refused_uploads_are_ignored(server):
    with Client2(server) as client:
        head = UPLOAD | {"x-lc-id": "none"}
        streams = [client.begin("POST", "/1.1/files/a.bin", head, ends=False) for _ in range(99)]
        while any(client.responses[stream].reset is None for stream in streams):
            client.receive()
        # One stream of the limit is left. The library does not know of the resets, as a client that has not read them yet.
        for stream in streams:
            client.h2.send_data(stream, PART)
        client.flush()
        assert client.request("GET", "/health").status == 200


def test_cancelled_upload_leaves_no_file(server, master):
    with Client2(server) as client:
        stream = client.begin("POST", "/1.1/files/cancelled-http2.bin", UPLOAD, noise(10 * KB), ends=False)
        client.h2.reset_stream(stream, ErrorCodes.CANCEL)
        client.flush()
        assert client.request("GET", "/health").status == 200
        assert eventually(lambda: active(server) == 0)
    found = master.get("/1.1/files", params={"where": '{"name": "cancelled-http2.bin"}'})
    assert found.json() == {"results": []}


@pytest.mark.extended
def test_upload_that_stops_is_reset_after_the_timeout(impatient):
    with Client2(impatient) as client:
        stream = client.begin("POST", "/1.1/files/a.bin", UPLOAD, noise(10 * KB), ends=False)
        assert client.wait(stream)[0].reset == ErrorCodes.CANCEL


@pytest.mark.extended
@pytest.mark.parametrize("path, status", [("health", 400), ("/health", 200), ("/1.1/date/none", 404)])
def test_request_without_an_end_is_reset_although_its_response_waits(impatient, path, status):
    """The first one is answered before any route, and the client grants no byte to any of the responses."""
    with Client2(impatient, {SettingCodes.INITIAL_WINDOW_SIZE: 0}) as client:
        answer = client.wait(client.begin("GET", path, ends=False))[0]
        assert (answer.status, answer.is_complete, answer.reset) == (status, False, ErrorCodes.CANCEL)


def test_upload_is_finished_after_the_goaway_of_its_client(server):
    with Client2(server) as client:
        stream = client.begin("POST", "/1.1/files/leaving.bin", UPLOAD, noise(10 * KB), ends=False)
        client.send(frame(GOAWAY, 0, 0, struct.pack(">II", 0, ErrorCodes.NO_ERROR)))
        client.upload(stream, b"end")
        assert client.wait(stream)[0].status == 201


@pytest.mark.extended
def test_download_that_takes_longer_than_the_timeout_goes_on(impatient):
    data = noise(1 * MB, "slow")
    path = stored(impatient, data)[1]
    begin = time.monotonic()
    with Client2(impatient, {SettingCodes.INITIAL_WINDOW_SIZE: 4000}) as client:
        stream = client.begin("GET", path)
        while client.is_open(stream):
            client.receive()
            # The client is slow: it takes about 400 KB a second.
            time.sleep(0.01)
        assert client.responses[stream].content == data
    assert time.monotonic() - begin > 1


@pytest.mark.extended
def test_response_that_the_client_does_not_take_is_reset(impatient):
    path = stored(impatient, noise(1 * MB, "untaken"))[1]
    with Client2(impatient, {SettingCodes.INITIAL_WINDOW_SIZE: 0}) as client:
        response, = client.wait(client.begin("GET", path))
    assert (response.status, response.reset) == (200, ErrorCodes.CANCEL)


# Ends of connections

@pytest.mark.extended
def test_idle_connection_is_closed_with_notice(impatient):
    with Client2(impatient) as client:
        assert client.wait_for_end() == ErrorCodes.NO_ERROR


@pytest.mark.extended
def test_pings_do_not_keep_a_connection_open(impatient):
    with Client2(impatient) as client:
        def ping():
            client.h2.ping(b"12345678")
            client.flush()
            client.receive()
            return client.is_closed or client.end_code is not None
        with suppress(*ENDS):  # The server can have closed the connection between two pings.
            assert eventually(ping)


@pytest.mark.extended
def test_stopping_server_finishes_the_requests_of_a_connection(new_tls_server):
    server = new_tls_server().start()
    path = stored(server, WINDOWED)[1]
    with Client2(server, {SettingCodes.INITIAL_WINDOW_SIZE: 1000}) as client:
        stream = client.begin("GET", path)
        while not client.responses[stream].content:
            client.receive()
        server.terminate()
        while client.end_code is None:
            client.receive()
        assert client.wait(stream)[0].content == WINDOWED
        assert client.wait_for_end() == ErrorCodes.NO_ERROR
    assert server.wait() == 0


@pytest.mark.extended
def test_stopping_server_cuts_off_what_takes_too_long(new_tls_server):
    server = new_tls_server(LCFILE_HTTP_SHUTDOWN_TIMEOUT="1").start()
    path = stored(server, LARGE)[1]
    with Client2(server, {SettingCodes.INITIAL_WINDOW_SIZE: 0}) as client:
        # Routes, hot downloads and an upload that never ends.
        streams = [client.begin("GET", path, {"if-match": "*"} if number % 2 else {}) for number in range(20)]
        client.begin("POST", "/1.1/files/endless.bin", UPLOAD, noise(KB), ends=False)
        while not all(client.responses[stream].status for stream in streams):
            client.receive()
        server.terminate()
        assert server.wait() == 0


@pytest.mark.extended
def test_stopping_server_ends_an_idle_connection(new_tls_server):
    server = new_tls_server().start()
    with Client2(server) as client:
        assert client.request("GET", "/health").status == 200
        server.terminate()
        assert client.wait_for_end() == ErrorCodes.NO_ERROR
    assert server.wait() == 0


def test_request_that_crosses_the_announced_end_of_an_idle_connection_is_served(new_tls_server):
    server = new_tls_server().start()
    with Client2(server) as client:
        assert client.request("GET", "/health").status == 200
        client.unanswered = []
        server.terminate()
        while not client.unanswered:
            client.receive()
        # As if sent before the announcement arrived.
        assert client.request("GET", "/health").status == 200
        client.answer_pings()
        assert client.wait_for_end() == ErrorCodes.NO_ERROR
    assert server.wait() == 0


def test_killed_client_leaves_no_request(server, target):
    with Client2(server, {SettingCodes.INITIAL_WINDOW_SIZE: 0}) as client:
        streams = [client.begin("GET", target) for _ in range(20)]
        while not all(client.responses[stream].status for stream in streams):
            client.receive()
    assert eventually(lambda: active(server) == 0)
