"""A server whose images may take little, for tests that try to make them take more."""

import pytest
from client import Server
from hostile import MB, assert_unharmed, forget_peak

BUDGET = 128 * MB


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server whose images may take little, and 5 seconds: less than a client of these tests waits."""
    settings = {"LCFILE_IMAGES_MEMORY": "128MB", "LCFILE_IMAGES_TIMEOUT": "5"}
    server = Server(tmp_path_factory.mktemp("guarded"), **settings).start()
    yield server
    assert server.stop() == 0


@pytest.fixture
def api(guarded, afterwards):
    """Calls whose images leave the server as it was."""
    forget_peak(guarded)
    afterwards(lambda: assert_unharmed(guarded, BUDGET))
    return guarded.api()
