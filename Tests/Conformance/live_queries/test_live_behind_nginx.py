"""Live queries behind an nginx that speaks TLS, with the configuration of docs/deployment.md."""

import ssl

import pytest
from client import ALPHA, Server
from data import Objects
from live_client import Live, address, short
from live_messages import PROTOCOLS, from_protobuf, packed
from live_wire import BINARY, PATH, WireSocket, frame
from proxy import Proxy


@pytest.fixture(scope="module")
def behind(tmp_path_factory):
    """The server, and the proxy before it."""
    proxy = Proxy(tmp_path_factory.mktemp("nginx"))
    server = Server(tmp_path_factory.mktemp("behind"), LCFILE_PUBLIC_URL=proxy.url).start()
    try:
        proxy.start(server)
        yield server, proxy
        proxy.stop()
    finally:
        assert server.stop() == 0


@pytest.fixture
def trusting(behind):
    return ssl.create_default_context(cafile=behind[1].certificate)


def test_route_names_the_public_address(behind):
    server, proxy = behind
    answer = proxy.api().get("/v1/route", params={"appId": ALPHA.id, "secure": "1"}).json()
    assert answer["server"].startswith(proxy.url.replace("https://", "wss://") + PATH)
    assert answer["server"] == address(server.url)


@pytest.mark.few(2)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_dialogue_goes_through(behind, trusting, protocol):
    server, proxy = behind
    api = server.api()
    with Live(api, protocol=protocol, ssl=trusting) as live:
        # `subscribe` asks the proxy, as clients do.
        query = live.subscribe("Task", by=proxy.api())
        id = Objects(proxy.api(), "Task").create(n=1, text="x" * 100_000)
        event, = live.flush()
        assert (event["query_id"], short([event])) == (query, [("create", id)])
        assert live.request("logout", installationId=live.id, service=1)["cmd"] == "loggedout"
        assert live.end()[1] == 1000


def test_answer_to_the_handshake_is_as_clients_want_it(behind, trusting):
    _, proxy = behind
    with WireSocket(proxy.port) as socket:
        socket.socket = trusting.wrap_socket(socket.socket, server_hostname="localhost")
        # `upgrade` has the strictest client's checks.
        socket.upgrade()
        socket.send(frame(BINARY, packed((1, 14), (5, 7))))
        assert from_protobuf(socket.message())["i"] == 7


def test_plain_request_is_told_to_upgrade(behind):
    assert behind[1].api().get(PATH).status_code == 426
