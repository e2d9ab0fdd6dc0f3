"""Hot files that lose their end on the disk."""

import os

import pytest
from client import eventually
from hot import active, get, make_hot, series
from hot_files import all_of, hot_response, slow_connection, started, status_of, stored
from request_log import log_so_far
from uploading import MB, noise


def failed_reads(server):
    return sum(series(server, "lcfile_failed_reads_total").values())


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    """A server whose blobs are cut off. The requests of tests find that, not a round of the scrubber."""
    server = started(tmp_path_factory.mktemp("damaged"), LCFILE_SCRUB_DAYS="0")
    yield server
    assert server.stop() == 0


def hot_blob(server, data):
    """The target of a new file that is hot, and the path of its blob."""
    before = set(server.blobs())
    _, target = stored(server, data)
    blob, = set(server.blobs()) - before
    make_hot(server, target)
    hot_response(server, target)
    return target, blob


def errors_in(log):
    return log.count(" error lcfile")


@pytest.mark.parametrize("left", [0, 50])
def test_hot_file_that_is_cut_off_ends_the_connection(damaged, left):
    target, blob = hot_blob(damaged, b"x" * (3 * MB))
    os.truncate(blob, left)
    with damaged.raw() as connection:
        connection.send(get(target))
        assert all_of(connection).partition(b"\r\n\r\n")[2] == b"x" * left


def test_hot_file_that_is_cut_off_is_a_failed_read(damaged):
    target, blob = hot_blob(damaged, b"x" * (3 * MB))
    os.truncate(blob, 50)
    before = failed_reads(damaged)
    with damaged.raw() as connection:
        connection.send(get(target))
        all_of(connection)
    assert eventually(lambda: failed_reads(damaged) == before + 1)


@pytest.mark.extended
def test_hot_file_that_is_cut_off_is_one_error_in_the_log(damaged):
    target, blob = hot_blob(damaged, b"x" * (3 * MB))
    os.truncate(blob, 50)
    before = errors_in(log_so_far(damaged))
    with damaged.raw() as connection:
        connection.send(get(target))
        all_of(connection)
    assert eventually(lambda: errors_in(damaged.errors) > before)
    assert errors_in(damaged.errors) == before + 1


def test_hot_file_that_is_cut_off_is_500_for_the_next_request(damaged):
    target, blob = hot_blob(damaged, b"x" * (3 * MB))
    os.truncate(blob, 50)
    with damaged.raw() as connection:
        connection.send(get(target))
        all_of(connection)
    assert status_of(damaged, target) == 500


@pytest.mark.extended
def test_hot_file_that_is_cut_off_in_the_middle_of_a_download_is_a_failed_read(damaged):
    target, blob = hot_blob(damaged, noise(12 * MB))
    before = failed_reads(damaged)
    with slow_connection(damaged) as connection:
        connection.send(get(target))
        assert eventually(lambda: active(damaged) == 1)
        os.truncate(blob, 1000)
        assert eventually(lambda: failed_reads(damaged) == before + 1)


def test_small_hot_file_that_is_cut_off_is_served_from_memory(damaged):
    target, blob = hot_blob(damaged, b"in memory")
    os.truncate(blob, 0)
    assert hot_response(damaged, target).content == b"in memory"
