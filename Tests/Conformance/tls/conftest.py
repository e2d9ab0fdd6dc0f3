import pytest
from certificates import RSA, Authority
from client import Server, eventually
from tls import TLSServer, reload, sockets


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def certificate(authority):
    """The certificate of servers unless a test says otherwise."""
    return authority.issue("first")


@pytest.fixture(scope="session")
def renewed(authority):
    """Another certificate with another key, which clients trust too."""
    return authority.issue("second", RSA)


@pytest.fixture(scope="session")
def server(tmp_path_factory, authority, certificate):
    """The server that most tests of this folder share."""
    server = TLSServer(tmp_path_factory.mktemp("tls"), authority, certificate).start()
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture(scope="session")
def api(server):
    return server.api()


@pytest.fixture(scope="session")
def master(server):
    return server.api(master=True)


@pytest.fixture(scope="session")
def both(tmp_path_factory, server):
    """A server in the clear, and the one with TLS."""
    clear = Server(tmp_path_factory.mktemp("clear")).start()
    yield clear, server
    assert clear.stop() == 0


@pytest.fixture
def new_tls_server(tmp_path, authority, certificate):
    """Makes servers of a test's own; what still runs in the end is stopped."""
    servers = []

    def make(certificate=certificate, **settings):
        folder = tmp_path / f"own{len(servers)}"
        folder.mkdir()
        server = TLSServer(folder, authority, certificate, **settings)
        servers.append(server)
        return server

    yield make
    for server in servers:
        server.stop()


@pytest.fixture
def changing(new_tls_server, certificate, tmp_path):
    """A server of the test's own with the first certificate in files that the test changes."""
    return new_tls_server(certificate.copied(tmp_path)).start()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory, authority, certificate):
    """A server of the module's own, whose sockets are counted."""
    server = TLSServer(tmp_path_factory.mktemp("hostile"), authority, certificate).start()
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture
def calm(hostile, afterwards):
    """The same; when the test is over, the server is healthy and has closed what clients opened."""
    before = sockets(hostile)
    afterwards(lambda: hostile.is_healthy() or pytest.fail("the server is not healthy"))
    afterwards(lambda: eventually(lambda: sockets(hostile) <= before) or pytest.fail("connections stay open"))
    return hostile


@pytest.fixture(scope="module")
def reloaded(tmp_path_factory, authority, certificate):
    """A server of the module's own, whose certificate changes."""
    files = certificate.copied(tmp_path_factory.mktemp("files"))
    server = TLSServer(tmp_path_factory.mktemp("reloaded"), authority, files).start()
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture
def own(reloaded, certificate):
    """The same, with the first certificate."""
    reload(reloaded, certificate)
    return reloaded
