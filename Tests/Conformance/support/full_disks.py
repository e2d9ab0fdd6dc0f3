"""A server before, while and after its disk is full."""

import requests
from accounts import SESSIONS, is_live, log_in, new_token, sessions, sign_up
from client import ALPHA, assert_refused, eventually
from console_calls import ConsoleCalls
from data import Objects

# A file whose deletion frees a part of the reserve.
LARGE = 1 << 20


def health(server, query=""):
    return requests.get(f"{server.url}/health{query}", timeout=15)


def reasons(server):
    """The names of the reasons why the server is not ready; empty if it is."""
    response = requests.get(f"{server.url}/ready", timeout=15)
    names = [reason["name"] for reason in response.json().get("reasons", [])]
    assert response.status_code == (503 if names else 200)
    return names


def metric(server, name, labels=""):
    text = requests.get(f"http://127.0.0.1:{server.metrics_port}/metrics", timeout=15).text
    lines = [line for line in text.splitlines() if line.startswith(f"{name}{labels} ")]
    return float(lines[0].split()[-1]) if lines else None


def assert_full(response):
    assert_refused(response, 507, 507, "full")


class Life:
    """Things that were there before the disk was full."""

    def __init__(self, server):
        self.server = server
        self.api, self.master = server.api(), server.api(master=True)
        self.ann = sign_up(self.api)
        self.tasks = Objects(self.api, "Task")
        self.ids = [self.tasks.create(text="x" * 1000, n=0) for _ in range(20)]
        self.files = [self.api.store(bytes(LARGE), name=f"{number}.bin") for number in range(6)]

    def assert_nothing_is_added(self):
        assert_full(self.api.store_raw(b"", "x.bin"))
        assert_full(self.api.form(("file", ("x.txt", b"x" * 9000))))
        assert_full(self.tasks.post({"text": "more"}))
        assert_full(self.tasks.put(self.ids[-1], {"text": "x" * 2000}))
        assert_full(self.api.post("/1.1/users", json={"username": "bob", "password": "secret"}))
        assert_full(self.api.post("/1.1/fileTokens", json={"name": "x.bin", "size": 9}))
        assert self.server.staged() == []

    def assert_reads_go_on(self):
        assert self.tasks.get(self.ids[-1]).json()["n"] == 0
        assert self.api.fetch(self.files[-1]["url"]).content == bytes(LARGE)
        assert self.tasks.count() > 0

    def assert_sessions_go_on(self):
        ended = self.ann.api.call("PUT", f"{self.ann.path}/refreshSessionToken")
        assert ended.status_code == 200, ended.text
        assert not is_live(self.api, self.ann.token)
        self.begin_session()
        assert log_in(self.api, username=self.ann.username).status_code == 200
        for key in [ALPHA.master, ALPHA.reader]:
            assert ConsoleCalls(self.server).log_in(key).status_code == 200

    def begin_session(self):
        """Ends Ann's session and logs in again, which stores another one."""
        session, = sessions(self.master, self.ann)
        assert self.master.call("DELETE", f"{SESSIONS}/{session['objectId']}").status_code == 200
        assert is_live(self.api, new_token(self.api, self.ann))

    def assert_well_again(self):
        # The bytes of deleted files go after the answer, and their space comes back then.
        assert eventually(lambda: self.tasks.post({"text": "new"}).json().get("objectId")) in self.tasks.ids()
        record = self.api.store(b"fits", name="x.txt")
        assert self.api.fetch(record["url"]).content == b"fits"
        assert sign_up(self.api).token


def alive(server):
    try:
        return health(server, "?live").status_code == 200
    except requests.ConnectionError:
        return False
