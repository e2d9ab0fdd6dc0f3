import gc
import os
import sys
from pathlib import Path

# The collection makes millions of objects, and all of them stay: looking for those that do not takes a third of its time.
gc.disable()

# The leancloud package wants an old qiniu; a new one lies beside the others (requirements-newer.txt). It is put first
# before any test file is imported, so that all of them get the same one, whichever is imported first.
sys.path.insert(0, str(Path(sys.prefix) / "newer"))

import pytest
from buckets import common_store
from cases import beyond_few, with_each_value
from client import ALPHA, BETA, ROCKET, Server
from data import MISSING, Objects, pointer
from databases import admin_url
from exports import OldApp, write_folder
from file_domain import FileDomain
from leancloud_server import LeanCloudServer
from people import Cast, Rules
from queries import date, put
from sdk import SDK
from several import shared_server
from verifying import Verifier


def pytest_addoption(parser):
    parser.addoption("--part", choices=["together", "alone"], help="only tests not marked `alone`, or only those marked")
    parser.addoption("--tier", choices=["core", "extended"], help="only tests not marked `extended`, or only those marked")
    parser.addoption("--failures", type=Path, help="a file to which the tests that fail are added, one a line")
    parser.addoption("--again", type=Path, help="only tests of such a file")


def pytest_collection_modifyitems(config, items):
    items[:] = with_each_value(items)
    for item in beyond_few(items):
        item.add_marker("extended")
    if admin_url():
        items[:] = [item for item in items if not is_marked(item, "sqlite")]
    if common_store():
        items[:] = [item for item in items if not is_marked(item, "disk")]
    if os.environ.get("LCFILE_TEST_SERVERS"):
        items[:] = [item for item in items if not is_marked(item, "single")]
    # The files that take long come first: the last ones decide how long one worker runs alone.
    items.sort(key=lambda item: not is_marked(item, "long"))
    chosen = items
    if (again := config.getoption("--again")) is not None:
        wanted = set(again.read_text().splitlines())
        chosen = [item for item in chosen if item.nodeid in wanted]
    if (part := config.getoption("--part")) is not None:
        chosen = [item for item in chosen if is_marked(item, "alone") == (part == "alone")]
    if (tier := config.getoption("--tier")) is not None:
        chosen = [item for item in chosen if is_marked(item, "extended") == (tier == "extended")]
    kept = set(chosen)
    if left_out := [item for item in items if item not in kept]:
        config.hook.pytest_deselected(items=left_out)
        items[:] = chosen


def is_marked(item, mark):
    return item.get_closest_marker(mark) is not None


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop():
    gc.freeze()
    gc.enable()


class FailureList:
    """Adds the tests that fail to a file; with several processes only the first of them has it."""

    def __init__(self, path):
        self.path = path

    def pytest_runtest_logreport(self, report):
        if report.failed:
            with self.path.open("a") as failures:
                failures.write(f"{report.nodeid}\n" if report.when != "teardown" else f"teardown of {report.nodeid}\n")


def pytest_configure(config):
    failures = config.getoption("--failures")
    if failures is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FailureList(failures))


CHECKS = pytest.StashKey[list]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    result = yield
    for check in item.stash.get(CHECKS, []):
        check()
    return result


@pytest.fixture
def afterwards(request):
    """Takes checks of what must hold when the test is over: it is the test that fails then, and not its tear-down."""
    return request.node.stash.setdefault(CHECKS, []).append


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The server that most tests share, with two apps and quick hashes of passwords."""
    server = shared_server(
        tmp_path_factory.mktemp("server"),
        apps=(ALPHA, BETA),
        # Most tests make a class, as guests, and all of them together make more than an app does.
        LCFILE_OBJECTS_MAX_CLASSES="5000",
    ).start()
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture
def new_server(tmp_path):
    """Makes servers of a test's own; what still runs in the end is stopped."""
    servers = []

    def make(**options):
        if (folder := options.pop("folder", None)) is None:
            folder = tmp_path / f"own{len(servers)}"
            folder.mkdir()
        server = Server(folder, **options)
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


@pytest.fixture(scope="module")
def cast(server):
    """People of a module's own: an owner, another user, a role member, the master."""
    return Cast(server)


@pytest.fixture
def rules(master):
    """Permissions of classes that other tests use; what is set ends with the test."""
    rules = Rules(master)
    yield rules
    rules.restore()


@pytest.fixture(scope="session")
def verifying(tmp_path_factory):
    """A verifier of third-party log-ins, and a server that asks it."""
    verifier = Verifier()
    server = Server(
        tmp_path_factory.mktemp("verifying"),
        LCFILE_ACCOUNTS_AUTH_DATA_VERIFIER=verifier.url,
    ).start()
    yield verifier, server
    assert server.stop() == 0
    verifier.close()


@pytest.fixture(scope="session")
def rocket():
    """A real photograph, 640 x 427."""
    return ROCKET.read_bytes()


@pytest.fixture
def things(request, api):
    """The class of the test, which its cases share."""
    names = request.module.__name__, request.function.__name__
    return Objects(api, "_".join(name.removeprefix("test_") for name in names))


@pytest.fixture(scope="session")
def sdk(server):
    """Runs lines with the official Python SDK; gives what they say."""
    sdk = SDK(server.url)
    yield sdk.run
    sdk.close()


# Objects that queries ask for

@pytest.fixture(scope="session")
def rows(api):
    """Six rows of class QueryRow, each with a letter for a name; f has nothing else and e has nulls."""
    return dict(zip("abcdef", put(api, "QueryRow", [
        {"name": "a", "n": 1, "s": "apple", "b": True, "d": date(1), "tags": ["x", "y"], "nums": [1, 5],
         "o": {"city": "Lyon", "zip": 1}, "items": [{"k": 1}, {"k": 2}]},
        {"name": "b", "n": 2, "s": "Banana", "b": False, "d": date(2), "tags": ["y"], "nums": [3],
         "o": {"city": "Oslo", "deep": {"k": [1, 2]}}, "items": [{"k": 3}]},
        {"name": "c", "n": 2.5, "s": "cherry\npie", "d": date(3), "tags": []},
        {"name": "d", "n": -3, "s": "", "tags": ["x", "y", "z"], "nums": [0, 10]},
        {"name": "e", "n": None, "s": None, "tags": None},
        {"name": "f"},
    ])))


@pytest.fixture(scope="session")
def many(api):
    """1005 rows of class QueryMany with the numbers n from 0 on."""
    return put(api, "QueryMany", [{"n": number} for number in range(1005)])


@pytest.fixture(scope="session")
def books(api):
    """A class of books with pointers to people, who point to towns; ids by name."""
    lyon, = put(api, "QueryTown", [{"name": "Lyon", "river": "Rhône"}])
    people = put(api, "QueryPerson", [
        {"name": "Ann", "born": 1980, "town": pointer("QueryTown", lyon)}, {"name": "Bob", "born": 1990},
    ])
    ann, bob = (pointer("QueryPerson", id) for id in people)
    gone = pointer("QueryPerson", MISSING)
    cover = {"__type": "File", "id": api.store(b"cover", name="cover.txt")["objectId"]}
    ids = put(api, "QueryBook", [
        {"name": "p", "author": ann, "editors": [ann, bob, gone], "cover": cover, "pages": [cover], "price": 5},
        {"name": "q", "author": bob},
        {"name": "r", "author": gone},
        {"name": "s"},
    ])
    return dict(zip("pqrs", ids)) | {"Ann": people[0], "Bob": people[1], "Lyon": lyon, "cover": cover["id"]}


# The app that moves here from LeanCloud

@pytest.fixture(scope="session")
def old_files(tmp_path_factory):
    """The old file domain: nginx, which `old_app` fills."""
    domain = FileDomain(tmp_path_factory.mktemp("old_files")).start()
    yield domain
    domain.close()


@pytest.fixture(scope="session")
def old_app(old_files):
    """20 classes, 2000 objects, 200 files; no test changes it."""
    app = OldApp()
    old_files.put_all(app)
    return app


@pytest.fixture(scope="session")
def old_export(old_app, tmp_path_factory):
    """The folder with its export; tests that damage it copy it first."""
    return write_folder(old_app, tmp_path_factory.mktemp("old_export") / "export")


@pytest.fixture
def old_server(old_app):
    """The running app, whose objects a test can change."""
    server = LeanCloudServer(old_app)
    yield server
    server.close()
