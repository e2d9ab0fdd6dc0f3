import pytest
from client import App, Server

# An app for each test, because the first step that is made ends its beginning.
APPS = [App(f"firstSteps{n:014}", f"firstAppKey{n}", f"firstMasterKey{n}", f"firstReadKey{n}") for n in range(12)]


@pytest.fixture(scope="session")
def empty_server(tmp_path_factory):
    """A server with empty apps."""
    server = Server(
        tmp_path_factory.mktemp("first-steps"), apps=APPS,
        LCFILE_CONSOLE_MAX_FAILURES="0",
    ).start()
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture(scope="session")
def apps():
    """Apps that no test has used."""
    return iter(APPS)


@pytest.fixture
def empty(browser, empty_server, apps):
    """The console of an empty app, before the log-in."""
    from browser import Console

    return Console(browser, empty_server, next(apps))
