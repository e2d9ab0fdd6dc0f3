"""Addresses that the server gives begin with https or wss, and work as they are."""

import pytest
from client import ALPHA, TIMEOUT
from data import Objects
from live_client import Live, short
from live_messages import PROTOCOLS, from_protobuf, packed
from live_wire import BINARY, frame
from hot import get, make_hot
from hot_files import stored
from tls import TLSTus, TLSWireSocket
from uploading import ask, noise, record_of, tokens

LOGIN = frame(BINARY, packed((1, 8), (3, ALPHA.id), (5, 1), (6, "a device"), (8, 1)))


def test_greeting_names_https(server):
    assert f"lcfile serves at {server.url}\n" in server.output


def test_url_of_a_record_begins_with_https(server, api):
    assert api.store(b"addressed")["url"].startswith(f"{server.url}/")


@pytest.mark.extended
def test_url_of_a_record_begins_with_the_public_url(new_tls_server):
    server = new_tls_server(LCFILE_PUBLIC_URL="https://files.example").start()
    assert server.api().store(b"addressed")["url"].startswith("https://files.example/")


def test_upload_url_of_a_token_begins_with_https(server, api):
    assert tokens(api).json()["upload_url"].startswith(f"{server.url}/")


def test_upload_url_of_a_token_takes_the_bytes(api):
    target = ask(api)
    assert api.session.put(target.answer["upload_url"], data=b"put", timeout=TIMEOUT).status_code == 200
    assert api.fetch(record_of(api, target.id)["url"]).content == b"put"


def test_location_of_a_tus_upload_begins_with_https(server):
    assert TLSTus(server).create(10).location.startswith(f"{server.url}/")


def test_location_of_a_tus_upload_takes_the_bytes(server, api):
    upload = TLSTus(server).create(9)
    headers = TLSTus(server).headers | {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
    assert api.session.patch(upload.location, data=b"123456789", headers=headers, timeout=TIMEOUT).status_code == 204


# WebSockets

@pytest.fixture
def address(server, api):
    """Where the server's route sends clients of live queries."""
    return api.get("/v1/route", params={"appId": ALPHA.id, "secure": "1"}).json()["server"]


def test_route_names_wss(server, address):
    assert address.startswith(server.url.replace("https://", "wss://") + "/v1/ws")


@pytest.mark.few(2)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_event_of_a_live_query_arrives(server, api, address, protocol):
    with Live(api, protocol=protocol, url=address, ssl=server.authority.context) as live:
        query = live.subscribe(f"TLSLive{PROTOCOLS.index(protocol)}")
        id = Objects(api, f"TLSLive{PROTOCOLS.index(protocol)}").create(n=1, text="x" * 100_000)
        event = live.event()
        assert (event["query_id"], short([event])) == (query, [("create", id)])


def test_connection_with_hot_requests_becomes_a_websocket(server):
    _, target = stored(server, noise(100))
    make_hot(server, target)
    with TLSWireSocket(server) as connection:
        for _ in range(3):
            assert connection.request("GET", target, {}).content == noise(100)
        connection.upgrade()
        connection.send(LOGIN)
        assert from_protobuf(connection.message())["cmd"] == "loggedin"


def test_websocket_answers_no_http_request(server):
    with TLSWireSocket(server) as connection:
        connection.upgrade()
        # Read as a frame this is malformed.
        connection.send(get("/health") * 3)
        assert connection.read()[0] == 8
