import pytest
from client import ALPHA, BETA, Server


@pytest.fixture(scope="session")
def state_server(tmp_path_factory):
    """A server that shows its figures to the owners of both apps, with a continuous backup and secrets."""
    server = Server(
        tmp_path_factory.mktemp("state"), apps=(ALPHA, BETA), LCFILE_CONSOLE_MAX_FAILURES="0",
        LCFILE_METRICS_MASTER_KEY="on",
        LCFILE_BACKUP_TARGET=str(tmp_path_factory.mktemp("backup")), LCFILE_FILES_SIGNING_KEYS="a-hidden-signing-key",
        LCFILE_PUBLIC_URL="http://files.example.com/hidden-path",
    ).start()
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture
def owner(browser, state_server):
    """The console of the first app, before the log-in."""
    from browser import Console

    return Console(browser, state_server)
