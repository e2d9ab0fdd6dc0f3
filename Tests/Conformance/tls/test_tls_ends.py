"""Downloads when the server stops, and of files that lost their end on the disk."""

import os

import pytest
from client import eventually
from hot import active, get, make_hot, series
from hot_files import all_of, response_to, responses_in, status_of, stored
from request_log import log_so_far
from tls import FEW_BYTES, TLSServer, connected, log_lines
from uploading import MB, noise

pytestmark = pytest.mark.long

KINDS = {"hot": [], "route": ["Range: bytes=0-"]}


def is_refused(server):
    try:
        connected(server.port).close()
        return False
    except (ConnectionError, TimeoutError):
        return True


# Stop

@pytest.mark.extended
@pytest.mark.parametrize("kind", KINDS)
def test_slow_download_is_finished_after_sigterm(new_tls_server, kind):
    server = new_tls_server().start()
    data = noise(12 * MB)
    _, target = stored(server, data)
    make_hot(server, target)
    with server.raw(receive_buffer=FEW_BYTES) as connection:
        connection.send(get(target, *KINDS[kind]))
        assert eventually(lambda: active(server) == 1)
        server.terminate()
        assert eventually(lambda: is_refused(server))
        assert connection.answer("GET").content == data
    assert server.wait() == 0


@pytest.mark.extended
@pytest.mark.parametrize("kind", KINDS)
def test_client_that_does_not_read_holds_the_server_only_for_the_time_of_the_setting(new_tls_server, kind):
    server = new_tls_server(LCFILE_HTTP_SHUTDOWN_TIMEOUT="1").start()
    _, target = stored(server, noise(12 * MB))
    make_hot(server, target)
    with server.raw(receive_buffer=FEW_BYTES) as connection:
        connection.send(get(target, *KINDS[kind]))
        assert eventually(lambda: active(server) == 1)
        server.terminate()
        server.wait()


@pytest.mark.extended
def test_requests_behind_a_slow_download_are_answered_after_sigterm(new_tls_server):
    server = new_tls_server().start()
    data = noise(12 * MB)
    (_, large), (_, small) = stored(server, data), stored(server, b"behind")
    for target in (large, small):
        make_hot(server, target)
    with server.raw(receive_buffer=FEW_BYTES) as connection:
        connection.send(get(large) + get(small) * 20)
        assert eventually(lambda: active(server) == 1)
        server.terminate()
        assert eventually(lambda: is_refused(server))
        assert responses_in(all_of(connection)) == [data] + [b"behind"] * 20
    assert server.wait() == 0


@pytest.mark.extended
def test_idle_connection_does_not_hold_the_server_up(new_tls_server):
    """Its client answers the server's close_notify and closes."""
    server = new_tls_server().start()
    with server.raw() as connection:
        assert connection.request("GET", "/health", {}).status == 200
        server.terminate()
        connection.end()
        assert server.wait() == 0


# Files that lost their end

@pytest.fixture(scope="module")
def damaged(tmp_path_factory, authority, certificate):
    """A server whose blobs are cut off. The requests of tests find that, not a round of the scrubber."""
    folder = tmp_path_factory.mktemp("damaged")
    server = TLSServer(folder, authority, certificate, LCFILE_SCRUB_DAYS="0").start()
    yield server
    assert server.stop() == 0


def failed_reads(server):
    return sum(series(server, "lcfile_failed_reads_total").values())


def blob_of(server, data):
    """The target of a new file whose blob is open, because it was requested, and the path of the blob."""
    before = set(server.blobs())
    _, target = stored(server, data)
    blob, = set(server.blobs()) - before
    make_hot(server, target)
    return target, blob


def received(server, target, kind):
    """The body of a response, as far as the server sent it before it closed; the failed read has been counted."""
    before = failed_reads(server)
    with server.raw() as connection:
        connection.send(get(target, *KINDS[kind]))
        body = all_of(connection).partition(b"\r\n\r\n")[2]
    # A route can count it behind the end of the connection.
    assert eventually(lambda: failed_reads(server) > before), "no failed read is counted"
    return body


@pytest.mark.few(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("left", [0, 50, 2 * MB])
def test_file_that_is_cut_off_ends_the_connection_before_a_whole_body(damaged, left, kind):
    data = noise(3 * MB)
    target, blob = blob_of(damaged, data)
    os.truncate(blob, left)
    body = received(damaged, target, kind)
    assert len(body) <= left and data.startswith(body)


@pytest.mark.parametrize("kind", KINDS)
def test_file_that_is_cut_off_is_a_failed_read(damaged, kind):
    target, blob = blob_of(damaged, noise(3 * MB))
    os.truncate(blob, 50)
    before = failed_reads(damaged)
    received(damaged, target, kind)
    assert failed_reads(damaged) == before + 1


@pytest.mark.extended
@pytest.mark.parametrize("kind", KINDS)
def test_file_that_is_cut_off_is_one_error_in_the_log(damaged, kind):
    target, blob = blob_of(damaged, noise(3 * MB))
    os.truncate(blob, 50)
    log_so_far(damaged)
    before = len(log_lines(damaged, "error"))
    received(damaged, target, kind)
    assert eventually(lambda: len(log_lines(damaged, "error")) > before)
    assert len(log_lines(damaged, "error")) == before + 1


@pytest.mark.parametrize("kind", KINDS)
def test_file_that_is_cut_off_is_500_for_the_next_request(damaged, kind):
    target, blob = blob_of(damaged, noise(3 * MB))
    os.truncate(blob, 50)
    received(damaged, target, kind)
    assert eventually(lambda: status_of(damaged, target, *KINDS[kind]) == 500)


@pytest.mark.extended
@pytest.mark.parametrize("kind", KINDS)
def test_file_that_is_cut_off_in_the_middle_of_a_download_gives_no_whole_body(damaged, kind):
    data = noise(12 * MB)
    target, blob = blob_of(damaged, data)
    before = failed_reads(damaged)
    with damaged.raw(receive_buffer=FEW_BYTES) as connection:
        connection.send(get(target, *KINDS[kind]))
        assert eventually(lambda: active(damaged) == 1)
        os.truncate(blob, 1000)
        body = all_of(connection).partition(b"\r\n\r\n")[2]
    assert eventually(lambda: failed_reads(damaged) == before + 1)
    assert len(body) < len(data) and data.startswith(body)


def test_small_hot_file_that_is_cut_off_is_served_from_memory(damaged):
    target, blob = blob_of(damaged, b"in memory")
    os.truncate(blob, 0)
    assert response_to(damaged, target).content == b"in memory"
