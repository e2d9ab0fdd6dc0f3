import pytest
from client import ALPHA, BETA, ROCKET, Server


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The server that most tests share, with two apps."""
    server = Server(tmp_path_factory.mktemp("server"), apps=(ALPHA, BETA)).start()
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture
def new_server(tmp_path_factory):
    """Makes servers of a test's own; what still runs in the end is stopped."""
    servers = []

    def make(**options):
        server = Server(options.pop("folder", None) or tmp_path_factory.mktemp("own"), **options)
        servers.append(server)
        return server

    yield make
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def api(server):
    """Calls with the app key."""
    return server.api()


@pytest.fixture(scope="session")
def master(server):
    """Calls with the master key."""
    return server.api(master=True)


@pytest.fixture(scope="session")
def beta(server):
    """Calls of another app of the same server."""
    return server.api(BETA)


@pytest.fixture(scope="session")
def rocket():
    """A real photograph, 640 x 427."""
    return ROCKET.read_bytes()
