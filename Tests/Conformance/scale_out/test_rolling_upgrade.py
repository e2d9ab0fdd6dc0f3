"""Servers of two versions side by side, and what takes one of them out of the load balancer: docs/scale-out.md, "Three
servers". The newer one is the same program, and the tables have a version that it does not know."""

import signal
import subprocess
import threading
from itertools import count
from pathlib import Path

import pytest
import requests
from client import ALPHA, API, TIMEOUT, eventually
from databases import execute
from proxy import AROUND
from several import Balancer, site
from starting import STORAGE, assert_does_not_start

pytestmark = pytest.mark.long


def calls(member):
    return API(member, ALPHA, {"X-LC-Key": ALPHA.key})


def schemas(group):
    url = group.environment["LCFILE_DATABASE_URL"]
    found = execute(url, "SELECT table_schema FROM information_schema.tables WHERE table_name = 'migration'").splitlines()
    assert len(found) == len(group.apps)
    return url, found


def migrate(group):
    """What a newer server does to the tables at its start; returns what undoes it."""
    url, found = schemas(group)
    for schema in found:
        execute(url, f'INSERT INTO "{schema}".migration (version) SELECT max(version) + 1 FROM "{schema}".migration')
        # A column more, as migrations add them.
        execute(url, f'ALTER TABLE "{schema}".lease ADD COLUMN newer text')

    def undo():
        for schema in found:
            execute(url, f'DELETE FROM "{schema}".migration WHERE version = '
                         f'(SELECT max(version) FROM "{schema}".migration)')

    return undo


def work(member, number):
    """Writes and reads: objects, a file and an upload of several requests."""
    api = calls(member)
    created = api.post("/1.1/classes/Task", json={"number": number})
    assert created.status_code == 201, created.text
    assert api.get(f"/1.1/classes/Task/{created.json()['objectId']}").json()["number"] == number
    record = api.store(f"file {number}".encode(), name="a.txt")
    assert api.fetch(f"{member.url}/{record['key']}").content == f"file {number}".encode()


@pytest.mark.extended
def test_servers_go_on_while_a_newer_one_migrates_and_refuse_to_start_afterwards(several, stores):
    group = several(2)
    first, second = group.members
    undo = migrate(group)
    for number in range(5):
        for member in group.members:
            work(member, number)
            assert ready(member).status_code == 200
    # Also on new connections.
    stores.postgres.kill()
    stores.postgres.start()
    for member in group.members:
        assert eventually(lambda: calls(member).post("/1.1/classes/Task", json={"number": 9}).status_code == 201)
        assert eventually(lambda: ready(member).status_code == 200)
        work(member, 10)
    assert second.stop() == 0
    assert_does_not_start(second, STORAGE, "by a later lcfile")
    work(first, 11)
    undo()
    second.start()
    work(second, 12)


class WatchfulBalancer(Balancer):
    """An nginx that takes only requests for the servers it is told, as a load balancer does that looks at /ready."""

    def start(self, ports):
        around = AROUND.format(folder=self.folder).replace("master_process off; ", "")
        (self.folder / "nginx.conf").write_text(f"user root;{around}")
        (self.folder / "site.conf").write_text(site(self.port, ports))
        self.process = subprocess.Popen(
            ["nginx", "-c", self.folder / "nginx.conf", "-p", self.folder, "-e", self.folder / "errors.log"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        assert eventually(self.workers)

    def workers(self):
        process = self.process.pid
        return set(Path(f"/proc/{process}/task/{process}/children").read_text().split())

    def serve(self, ports):
        """From now on only these; returns when nginx has answered all requests that it sent to others."""
        before = self.workers()
        (self.folder / "site.conf").write_text(site(self.port, ports))
        self.process.send_signal(signal.SIGHUP)
        assert eventually(lambda: self.workers() - before and not self.workers() & before)


class Load:
    """Clients behind the nginx, with a connection for each request; those that fail are written down."""

    def __init__(self, group, clients=4):
        self.group, self.numbers, self.stopped = group, count(), threading.Event()
        self.answered, self.failed = [], []
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(clients)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join(timeout=2 * TIMEOUT)
            assert not thread.is_alive()

    def run(self):
        while not self.stopped.is_set():
            number, api = next(self.numbers), calls(self.group)
            try:
                response = api.post("/1.1/classes/Task", json={"number": number})
                if response.status_code == 201:
                    self.answered.append(response.json()["objectId"])
                else:
                    self.failed.append((number, response.status_code, response.text[:200]))
            except requests.RequestException as error:
                self.failed.append((number, error))
            finally:
                api.session.close()


@pytest.mark.extended
def test_stopped_server_leaves_the_load_balancer_without_a_lost_request(several):
    group = several(2, LCFILE_HTTP_DRAIN_TIME="60")
    group.balancer.stop()
    balancer = group.balancer = WatchfulBalancer(group.folder / "watchful", group.port)
    ports = [member.port for member in group.members]
    balancer.start(ports)
    assert eventually(group.is_healthy)
    with Load(group) as load:
        for member in group.members:
            goes_on(load)
            member.terminate()
            # Not ready first, and it serves meanwhile, with connections that end.
            assert eventually(lambda: ready(member).status_code == 503)
            assert [reason["name"] for reason in ready(member).json()["reasons"]] == ["stopping"]
            assert ready(member).headers["Connection"] == "close"
            work(member, 1)
            balancer.serve([port for port in ports if port != member.port])
            # A second signal ends the time that is left.
            member.terminate()
            assert member.wait() == 0
            goes_on(load)
            member.start()
            balancer.serve(ports)
    assert load.failed == []
    found = {row["objectId"] for row in API(group, ALPHA, {"X-LC-Key": f"{ALPHA.master},master"}).get(
        "/1.1/classes/Task?limit=1000&order=-createdAt").json()["results"]}
    assert set(load.answered[-500:]) <= found


def goes_on(load):
    seen = len(load.answered)
    assert eventually(lambda: len(load.answered) > seen + 50)


def ready(member):
    return requests.get(f"{member.url}/ready", timeout=TIMEOUT)
