"""What the tests know of the outside of lcfile: its process, its HTTP interface, and how to wait."""

import http.client
import itertools
import os
import re
import signal
import socket
import struct
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import buckets
import requests
from databases import admin_url, database_of
from requests.adapters import HTTPAdapter

TESTS = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("LCFILE_BINARY", str(TESTS.parent / ".build" / "debug" / "lcfile"))
ROCKET = TESTS / "Support" / "Images" / "rocket.jpg"
# What a server that was killed left in a bucket waits for the next one: the end of an upload for 15 seconds, and other
# bytes for a minute and the next sweep (docs/scale-out.md). An answer and a condition may take as long.
TIMEOUT, PATIENCE = (45, 120.0) if buckets.common_store() else (15, 30.0)
# Tests wait for sweeps.
SWEEPS = {"LCFILE_UPLOADS_SWEEP_INTERVAL": "5"}


@dataclass(frozen=True)
class App:
    """An app and its keys."""

    id: str
    key: str
    master: str
    # The key with which the console only reads.
    reader: str = ""


# The keys of the reference's worked examples of signatures.
ALPHA = App("alphaAppId0000000000001", "exampleAppKey", "exampleMasterKey", "exampleReadKey")
BETA = App("betaAppId00000000000002", "betaAppKey123", "betaMasterKey123")


def eventually(condition, within=PATIENCE):
    """Waits until the condition gives something true and returns it; the last value when time is over."""
    start = time.monotonic()
    while True:
        value = condition()
        waited = time.monotonic() - start
        if value or waited > within:
            return value
        # The step between two looks at the condition, so that looking does not take the server's processor. It grows with
        # the wait, which becomes a twentieth longer at most.
        time.sleep(min(max(0.01, waited / 20), 0.1))


# Ports below those that the kernel gives to outgoing connections, which take a port between its choice and its use.
# Each process of a run has a range of its own; it begins somewhere in it, because other runs may be under way.
PORTS_OF_A_PROCESS = 2000
FIRST_PORT = 10_000 + PORTS_OF_A_PROCESS * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
PORTS = itertools.cycle(range(FIRST_PORT, FIRST_PORT + PORTS_OF_A_PROCESS))
for _ in range(os.getpid() * 37 % PORTS_OF_A_PROCESS):
    next(PORTS)


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_ports(count):
    """Ports that no process listens on, all different, and not given before."""
    return list(itertools.islice(filter(is_free, PORTS), count))


def free_port():
    return free_ports(1)[0]


def clean_environment(**settings):
    """This process's environment without settings of lcfile and without proxies, and then the given ones."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LCFILE_", "LEANCLOUD_", "LC_API")) and not name.lower().endswith("_proxy")
    }
    return kept | settings


def yaml_of(apps):
    lines = ["apps:"]
    for app in apps:
        lines += [f"  - id: {app.id}", f"    appKey: {app.key}", f"    masterKey: {app.master}"]
        if app.reader:
            lines.append(f"    consoleReadKey: {app.reader}")
    return "\n".join(lines) + "\n"


class Server:
    """One server process on a folder of its own; stop it and start it again as often as needed."""

    def __init__(self, folder, apps=(ALPHA, BETA), storage=None, arguments=(), **settings):
        self.folder, self.apps = Path(folder), apps
        self.storage = Path(storage or self.folder / "storage")
        self.port, self.metrics_port = free_ports(2)
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = clean_environment(
            LCFILE_PORT=str(self.port),
            LCFILE_STORAGE=str(self.storage),
            LCFILE_METRICS_PORT=str(self.metrics_port),
            # All tests sign their users up from one address, and far more than a client does.
            # Many passwords are hashed, and the default cost takes a tenth of a second for each.
            # Tests look for words in lines; those of the log's format set it.
            **{
                "LCFILE_ACCOUNTS_MAX_SIGN_UPS": "0", "LCFILE_ACCOUNTS_PASSWORD_COST": "10", "LCFILE_LOG_FORMAT": "text",
            } | settings,
        )
        if admin_url() and "LCFILE_DATABASE_URL" not in settings:
            self.environment["LCFILE_DATABASE_URL"] = database_of(self.storage)
        store = buckets.common_store()
        # The prefix of its blobs, if the tests have a common store.
        self.prefix = buckets.prefix_of(self.storage) if store and "LCFILE_BLOBS_STORE" not in settings else None
        if self.prefix:
            self.environment = SWEEPS | self.environment | buckets.blob_settings(store, self.prefix)
            self.environment |= buckets.encryption_settings()
        self.command = [BINARY, "serve", *arguments]
        if apps:
            file = self.folder / "lcfile.yaml"
            file.write_text(yaml_of(apps))
            self.command += ["--config", str(file)]
        self.process = None

    def launch(self):
        """Starts the process and waits for nothing."""
        with open(self.folder / "stdout", "wb") as out, open(self.folder / "stderr", "wb") as errors:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=errors
            )
        return self

    def start(self):
        """Starts the process and waits until it has greeted and answers."""
        return self.launch().wait_for_start()

    def wait_for_start(self):
        # The greeting is waited for first, because a look at a file costs less than a request that is refused.
        # All tests that share the server depend on it, so a busy machine gets a minute, and more for the databases of many
        # apps.
        patience = 60 + 5 * len(self.apps)
        assert eventually(lambda: self.has_greeted() or self.process.poll() is not None, patience), "no greeting in time"
        assert eventually(lambda: self.is_healthy() or self.process.poll() is not None, 60), "no answer in time"
        assert self.process.poll() is None, f"the server did not start: {self.errors}"
        return self

    @property
    def own_port(self):
        """The port of the process, past what may be in front of it."""
        return self.port

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def has_greeted(self):
        return "lcfile serves at" in self.output

    def is_healthy(self):
        try:
            return requests.get(f"{self.url}/health", timeout=TIMEOUT).status_code == 200
        except requests.ConnectionError:
            return False

    def is_live(self):
        """Whether it answers, whatever the state of its storage."""
        try:
            return requests.get(f"{self.url}/health?live", timeout=TIMEOUT).status_code == 200
        except requests.ConnectionError:
            return False

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self, within=TIMEOUT):
        return self.process.wait(timeout=within)

    def stop(self):
        """Ends the process as an operator does, by force if it does not obey; returns its exit code."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.terminate()
            try:
                self.wait()
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.returncode

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=TIMEOUT)

    @property
    def output(self):
        return (self.folder / "stdout").read_text()

    @property
    def errors(self):
        return (self.folder / "stderr").read_text()

    @property
    def generated(self):
        """The app that a server without configured apps made for itself."""
        text = (self.storage / "apps.yaml").read_text()
        return App(*(re.search(rf"\b{name}: (\S+)", text).group(1) for name in ("id", "appKey", "masterKey")))

    def staged(self, app=ALPHA):
        """What lies in the app's staging folder."""
        if self.prefix:
            return buckets.staged(buckets.common_store(), self.prefix, app)
        return list((self.storage / app.id / "staging").iterdir())

    def blobs(self, app=ALPHA):
        """The files that hold the app's bytes."""
        if self.prefix:
            return buckets.blobs(buckets.common_store(), self.prefix, app)
        # `os.walk` takes half of the time of `rglob`, and the servers that tests share have thousands of folders.
        return [Path(folder, name) for folder, _, names in os.walk(self.storage / app.id / "blobs") for name in names]

    def blobs_at_rest(self, app=ALPHA):
        """The same once the bytes of all deleted files are gone: they go behind the answer."""
        master = self.api(app, master=True)
        assert eventually(lambda: queued(master) == 0), "bytes of deleted files stay"
        return self.blobs(app)

    def api(self, app=ALPHA, master=False):
        return API(self, app, {"X-LC-Key": f"{app.master},master" if master else app.key})

    def raw(self):
        return RawConnection(self.port)


class OneApp:
    """One app of a running server, with what tests ask of a `Server`: tests with an app each can share a process."""

    def __init__(self, server, app):
        self.server, self.app, self.port = server, app, server.port

    def api(self, app=None, master=False):
        return self.server.api(app or self.app, master)

    def staged(self):
        return self.server.staged(self.app)

    def blobs(self):
        return self.server.blobs(self.app)


def queued(master):
    """How many deleted files of an app still have their bytes."""
    response = master.get("/1.1/classes/_Deletion?limit=0&count=1")
    assert response.status_code == 200, response.text
    return response.json()["count"]


class From(HTTPAdapter):
    """Connects from another address of this machine, as another client."""

    def __init__(self, address):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, source_address=(self.address, 0), **options)


def whole(response):
    """The answer, if its body is as long as its head says: requests takes a body that a killed server did not send, or
    not all of it, for a whole one."""
    length = response.headers.get("Content-Length")
    has_body = response.request.method != "HEAD" and response.status_code not in (204, 304)
    if has_body and length is not None and "Content-Encoding" not in response.headers:
        if len(response.content) != int(length):
            raise requests.ConnectionError(f"{len(response.content)} bytes of an answer of {length}")
    return response


class API:
    """Calls of one app with one kind of credentials."""

    def __init__(self, server, app, credentials):
        self.server = server
        self.headers = {"X-LC-Id": app.id} | credentials
        self.session = requests.Session()
        self.session.trust_env = False

    def at(self, address):
        """The same calls from another address, such as 127.0.0.2."""
        self.session.mount("http://", From(address))
        return self

    def call(self, method, path, headers=None, **options):
        return whole(self.session.request(
            method, self.server.url + path, headers=self.headers | (headers or {}), timeout=TIMEOUT, **options
        ))

    def get(self, path, **options):
        return self.call("GET", path, **options)

    def post(self, path, **options):
        return self.call("POST", path, **options)

    def delete(self, id, **options):
        return self.call("DELETE", f"/1.1/files/{id}", **options)

    def form(self, *parts):
        """Uploads a form; parts are (field, text) or ("file", (name, bytes, type)), sent in this order."""
        files = [(field, value if isinstance(value, tuple) else (None, value)) for field, value in parts]
        return self.post("/1.1/files", files=files)

    def store(self, data, name="photo.jpg", type=None, **fields):
        """Uploads one file that must be taken; returns its record."""
        response = self.form(*fields.items(), ("file", (name, data, type) if type else (name, data)))
        assert response.status_code == 201, response.text
        return response.json()

    def store_raw(self, data, name, **options):
        return self.post(f"/1.1/files/{quote(name, safe='')}", data=data, **options)

    def count(self):
        return self.get("/1.1/classes/_File?limit=0&count=1").json()["count"]

    def fetch(self, url, method="GET", **headers):
        """Asks the file host, without credentials; names of headers have _ for -."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return whole(self.session.request(method, url, headers=named, timeout=TIMEOUT))


class RawConnection:
    """A connection on which every byte is ours, for requests that no library would send."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def request(self, method, path, headers, body=b""):
        self.send(head(method, path, headers) + body)
        return self.answer(method)

    def answer(self, method="POST"):
        """Reads the next final answer."""
        response = http.client.HTTPResponse(self.socket, method=method)
        response.begin()
        response.content = response.read()
        return response

    def answer_or_end(self):
        """The next answer's status, or nothing if the server closes instead."""
        try:
            return self.answer().status
        except (http.client.HTTPException, ConnectionError):
            return None

    def end_of_sending(self):
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        """Closes so that the server sees a reset, as from a machine that crashed."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def head(method, path, headers):
    """A request's head; headers without a value are left out."""
    headers = {"Host": "127.0.0.1"} | headers
    lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode()


def credentials(app=ALPHA):
    return {"X-LC-Id": app.id, "X-LC-Key": app.key}


def chunk(data):
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


LAST_CHUNK = b"0\r\n\r\n"


def assert_refused(response, status, code, words=""):
    """Status, code and a sentence that names what is wrong."""
    assert response.status_code == status, response.content[:200]
    assert response.headers["Content-Type"] == "application/json;charset=utf-8"
    body = response.json()
    assert set(body) == {"code", "error"}
    assert body["code"] == code, body
    assert re.fullmatch(r"\S.{8,}\.", body["error"]), body
    assert words in body["error"]
