import tempfile

import pytest
from client import ALPHA, BETA, Server


@pytest.fixture(scope="session")
def chromium():
    """The browser of this process; it starts with the first test that needs it."""
    from browser import Browser

    browser = Browser(tempfile.mkdtemp(prefix="lcfile-chromium-"))
    yield browser
    browser.close()


@pytest.fixture
def browser(chromium):
    """The browser without anything of earlier tests."""
    chromium.forget()
    return chromium


@pytest.fixture(scope="session")
def console_server(tmp_path_factory):
    """The server whose console the tests use, with two apps; the first one has a read-only key."""
    server = Server(
        tmp_path_factory.mktemp("console"), apps=(ALPHA, BETA),
        LCFILE_CONSOLE_MAX_FAILURES="0",
    ).start()
    # The page of an app without a class and a file is that of the first steps.
    assert server.api(master=True).post("/1.1/classes/ConsoleNote", json={"n": 1}).status_code == 201
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture
def console(browser, console_server):
    """The console of the first app, before the log-in."""
    from browser import Console

    return Console(browser, console_server)


@pytest.fixture
def downloads(browser, tmp_path):
    """The folder in which the browser saves files."""
    browser.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    return tmp_path
