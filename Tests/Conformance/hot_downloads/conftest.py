import pytest
from hot_files import started


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = started(tmp_path_factory.mktemp("hot"))
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture
def own(tmp_path):
    """A server of the test's own."""
    server = started(tmp_path)
    yield server
    assert server.stop() == 0
