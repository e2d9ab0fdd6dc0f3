"""Requests at once on connections of HTTP/2 share an eighth of the descriptors, beside the one that each connection can
have; so neither unfinished uploads nor hot downloads take all of them."""

import json
import os
from contextlib import ExitStack, contextmanager

import pytest
from client import credentials, eventually
from h2.settings import SettingCodes
from hot import active, make_hot, series
from hot_files import stored
from http2 import Client2
from tls import TLSServer, log_lines
from uploading import KB, noise

pytestmark = pytest.mark.long

LIMIT = 256
# Of these one connection has fewer than `http2.maxStreams`, and all together have more than the server has descriptors.
CLIENTS, UPLOADS = 4, 90
UPLOAD = {name.lower(): value for name, value in credentials().items()} | {"content-type": "application/octet-stream"}
# The parts of all uploads of a connection fit into its first window.
PART = noise(500, "unfinished")


def narrow_server(folder, authority, certificate, **settings):
    """A server with few descriptors."""
    server = TLSServer(folder, authority, certificate, **settings)
    server.command = ["prlimit", f"--nofile={LIMIT}:{LIMIT}", *server.command]
    return server.start()


@pytest.fixture(scope="module")
def narrow(tmp_path_factory, authority, certificate):
    server = narrow_server(tmp_path_factory.mktemp("narrow"), authority, certificate)
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def shared(tmp_path_factory, authority, certificate):
    """The same, with limits for each address also of this machine."""
    server = narrow_server(tmp_path_factory.mktemp("shared"), authority, certificate, LCFILE_LIMITS_EXEMPT="none")
    yield server
    assert server.stop() == 0


def begin_uploads(client):
    """The streams of uploads without an end."""
    return [client.begin("POST", "/1.1/files/unfinished.bin", UPLOAD, PART, ends=False) for _ in range(UPLOADS)]


def refused(client, streams):
    return [client.responses[stream] for stream in streams if client.responses[stream].status]


def admitted(client, streams):
    return [stream for stream in streams if not client.responses[stream].status]


def refusals(client):
    """The number of requests of a connection, uploads and others, that were refused."""
    return [answer.status for answer in client.responses.values()].count(503)


def hits(server, limit):
    return series(server, "lcfile_limits_hit_total").get(f'limit="{limit}"', 0)


def settled(server, clients):
    """Whether no refusal is on its way any more: the server works on those uploads only that have no answer yet."""
    for client, _ in clients:
        client.request("GET", "/health")
    return active(server) == sum(len(admitted(*client)) for client in clients)


@contextmanager
def crowd(server, *addresses):
    """Connections from these addresses, one after the other, with the streams of their unfinished uploads."""
    clients = []
    with ExitStack() as connections:
        for address in addresses:
            client = connections.enter_context(Client2(server, address=address))
            clients.append((client, begin_uploads(client)))
            assert eventually(lambda: settled(server, clients)), f"{active(server)} uploads are in progress"
        yield clients
    assert eventually(lambda: active(server) == 0), "the requests of closed connections do not end"


# All clients are exempt from limits for each address

@pytest.fixture(scope="module")
def clients(narrow):
    """The connections that hold as many uploads as they can."""
    with crowd(narrow, *[None] * CLIENTS) as clients:
        yield clients


@pytest.fixture(scope="module")
def answers(clients):
    """The responses to refused uploads."""
    return [answer for client in clients for answer in refused(*client)]


def test_uploads_beyond_the_descriptors_are_503(answers):
    assert {answer.status for answer in answers} == {503}


def test_refused_uploads_are_told_when_to_come_again(answers):
    assert {answer.headers.get("retry-after") for answer in answers} == {"1"}


def test_refused_uploads_are_told_the_setting(answers):
    assert all("http.maxConnections" in json.loads(answer.content)["error"] for answer in answers)


def test_refused_requests_are_counted(narrow, clients, answers):
    # Requests behind the uploads can be refused as well.
    seen = sum(refusals(client) for client, _ in clients)
    assert hits(narrow, "http.maxConnections") == seen >= len(answers) > 0


def test_each_connection_has_one_upload_at_least(clients):
    assert all(admitted(*client) for client in clients)


def test_new_connection_of_http1_is_served_beside_unfinished_uploads(narrow, clients):
    assert narrow.is_healthy()


def test_new_connection_of_http2_is_served_beside_unfinished_uploads(narrow, clients):
    with Client2(narrow) as client:
        assert client.request("GET", "/health").status == 200


def test_unfinished_uploads_leave_descriptors(narrow, clients):
    # A quarter is for caches of open files, which are empty.
    assert len(os.listdir(f"/proc/{narrow.process.pid}/fd")) < LIMIT * 3 / 4


def test_unfinished_uploads_write_no_line_of_level_error(narrow, clients):
    assert log_lines(narrow, "error") == []


# Each address has half of the uploads

@pytest.mark.extended
def test_admitted_uploads_are_finished(shared):
    with crowd(shared, None) as ((client, streams),):
        running = admitted(client, streams)
        for stream in running:
            client.upload(stream, b"end")
        assert {answer.status for answer in client.wait(*running)} == {201}


@pytest.mark.extended
def test_as_many_uploads_are_admitted_after_the_first_ones_left(shared):
    counts = []
    for _ in range(2):
        with crowd(shared, None) as (client,):
            counts.append(len(admitted(*client)))
    assert counts[0] == counts[1]


@pytest.fixture
def addresses(shared):
    """Clients at two addresses, of which the first one has begun all of its uploads before the second one."""
    with crowd(shared, "127.0.0.1", "127.0.0.2") as clients:
        yield clients


def test_one_address_leaves_half_of_the_uploads_to_others(addresses):
    first, second = (len(admitted(*client)) for client in addresses)
    assert 1 < first == second < UPLOADS


def test_uploads_beyond_those_of_an_address_are_503(addresses):
    assert {answer.status for client in addresses for answer in refused(*client)} == {503}


@pytest.mark.extended
def test_uploads_beyond_those_of_an_address_are_counted_as_those_beyond_all(shared):
    before = hits(shared, "http.maxConnections")
    with crowd(shared, None) as ((client, streams),):
        assert hits(shared, "http.maxConnections") - before == refusals(client) >= len(refused(client, streams)) > 0


# Hot downloads beside uploads of the same address, which have all of its places but that of each connection

@pytest.mark.parametrize(
    "size, statuses", [(200 * KB, [200, 503, 503]), (KB, [200, 200, 200])], ids=["from a file", "from memory"]
)
def test_hot_downloads_that_are_not_read_take_places_if_they_hold_a_file(shared, size, statuses):
    _, target = stored(shared, noise(size, "hot"))
    make_hot(shared, target)
    with crowd(shared, None), Client2(shared, {SettingCodes.INITIAL_WINDOW_SIZE: 0}) as client:
        streams = [client.begin("GET", target) for _ in statuses]
        while not all(client.responses[stream].status for stream in streams):
            client.receive()
        assert [client.responses[stream].status for stream in streams] == statuses
