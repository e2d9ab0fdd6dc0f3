from uuid import uuid4

import pytest
from client import ALPHA, Server


@pytest.fixture(scope="session")
def files_server(tmp_path_factory):
    """A server with a trash and a quota."""
    server = Server(
        tmp_path_factory.mktemp("files"), apps=(ALPHA,), LCFILE_TRASH_KEEP="604800", LCFILE_UPLOADS_QUOTA="64MB",
        LCFILE_CONSOLE_MAX_FAILURES="0",
    ).start()
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture
def word():
    """A part of names that no other test uses."""
    return uuid4().hex[:8]


@pytest.fixture
def files(browser, files_server):
    """The area Files, before the log-in; `browser` is that of all tests of the console."""
    from browser import Console
    from files_area import FilesArea

    return FilesArea(Console(browser, files_server))
