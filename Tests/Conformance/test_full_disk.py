"""A disk without a free byte: what adds is refused, what frees is done, and all is well again without a restart."""

import pytest
import requests
from accounts import is_live, log_in, new_token, sign_up
from client import ALPHA, BETA, assert_refused, eventually
from data import Objects, batch
from disks import ext4, fill, free, memory
from test_batch import codes, delete as deletion, post

HALF = 512 << 10


@pytest.fixture(params=["tmpfs", "ext4"])
def disk(request, tmp_path):
    with {"tmpfs": memory, "ext4": ext4}[request.param](tmp_path / "disk") as disk:
        yield disk


@pytest.fixture
def server(disk, new_server):
    server = new_server(storage=disk / "storage", LCFILE_ACCOUNTS_PASSWORD_COST="10").start()
    yield server
    server.stop()


def health(server, query=""):
    return requests.get(f"{server.url}/health{query}", timeout=15)


def metric(server, name, labels=""):
    text = requests.get(f"http://127.0.0.1:{server.metrics_port}/metrics", timeout=15).text
    lines = [line for line in text.splitlines() if line.startswith(f"{name}{labels} ")]
    return float(lines[0].split()[-1]) if lines else None


def assert_full(response):
    assert_refused(response, 507, 507, "full")


def reserve(server):
    return (server.storage / ".reserve").stat().st_blocks * 512


class Life:
    """Things that were there before the disk was full."""

    def __init__(self, server):
        self.server = server
        self.api, self.master = server.api(), server.api(master=True)
        self.ann = sign_up(self.api)
        self.tasks = Objects(self.api, "Task")
        self.ids = [self.tasks.create(text="x" * 1000, n=0) for _ in range(20)]
        self.files = [self.api.store(bytes(HALF), name=f"{number}.bin") for number in range(6)]

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
        assert self.api.fetch(self.files[-1]["url"]).content == bytes(HALF)
        assert self.tasks.count() > 0

    def assert_sessions_go_on(self):
        response = log_in(self.api, username=self.ann.username)
        assert response.status_code == 200, response.text
        ended = self.ann.api.call("PUT", f"{self.ann.path}/refreshSessionToken")
        assert ended.status_code == 200, ended.text
        assert not is_live(self.api, self.ann.token)

    def assert_well_again(self):
        assert self.tasks.create(text="new") in self.tasks.ids()
        record = self.api.store(b"fits", name="x.txt")
        assert self.api.fetch(record["url"]).content == b"fits"
        assert sign_up(self.api).token


def test_full_disk_lets_go_of_what_is_on_it(server, disk):
    life = Life(server)
    assert reserve(server) > 0
    fill(disk)
    # The first request that meets the full disk is one that frees.
    for id in life.ids[:10]:
        assert life.tasks.delete(id).status_code == 200
    assert eventually(lambda: health(server).status_code == 503)
    assert health(server).json() == {"status": "full", "error": "The server's storage is full."}
    assert health(server, "?live").json() == {"status": "ok"}
    assert metric(server, "lcfile_storage_fault", '{kind="full"}') == 1
    life.assert_nothing_is_added()
    life.assert_reads_go_on()
    life.assert_sessions_go_on()
    assert codes(batch(life.api, deletion(life.tasks, life.ids[10]), post(life.tasks, {"n": 1}))) == [None, 507]
    for file in life.files[:5]:
        assert life.master.delete(file["objectId"]).status_code == 200
    life.assert_well_again()
    assert eventually(lambda: health(server).status_code == 200)
    assert reserve(server) > 0
    assert len(life.tasks.ids()) == 10


def test_full_disk_does_not_wear_out(server, disk):
    """Far more deletes than the log of the database has pages: the log begins anew instead of growing."""
    life = Life(server)
    ids = [life.tasks.create(text="x" * 100) for _ in range(300)]
    fill(disk)
    for id in ids[:1]:
        assert life.tasks.delete(id).status_code == 200
    fill_level = free(disk)
    for id in ids[1:]:
        assert life.tasks.delete(id).status_code == 200
    assert free(disk) > fill_level // 2
    for _ in range(30):
        new_token(life.api, life.ann)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_start_on_a_full_disk(server, disk, end):
    life = Life(server)
    fill(disk)
    if end == "stop":
        # The reserve is released, and taken again at the end, before something else can fill its space.
        assert life.tasks.delete(life.ids[0]).status_code == 200
        assert reserve(server) == 0
        assert server.stop() == 0
        fill(disk)
    else:
        server.kill()
    assert reserve(server) > 0
    server.launch()
    assert eventually(lambda: server.process.poll() is not None or alive(server), 20)
    assert server.process.poll() is None, server.errors
    assert server.errors.count("The server's storage is full.") == 1
    life.assert_reads_go_on()
    assert health(server).json()["status"] == "full"
    life.assert_sessions_go_on()
    for file in life.files[1:5]:
        assert life.master.delete(file["objectId"]).status_code == 200
    life.assert_well_again()


def alive(server):
    try:
        return health(server, "?live").status_code == 200
    except requests.ConnectionError:
        return False


def test_upload_by_token_that_does_not_fit_leaves_its_bytes_nowhere(server, disk):
    life = Life(server)
    room = free(disk)
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": str(100 << 20)}
    created = life.api.post("/1.1/uploads", headers=headers | {"Upload-Metadata": "name eC5iaW4="})
    assert created.status_code == 201, created.text
    url = created.headers["Location"].removeprefix(server.url)
    sent = life.api.call(
        "PATCH", url, data=iter([bytes(1 << 20)] * 50),
        headers={"Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"},
    )
    assert sent.status_code == 507
    offset = int(life.api.call("HEAD", url, headers={"Tus-Resumable": "1.0.0"}).headers["Upload-Offset"])
    assert free(disk) >= room - offset - (1 << 20)
    if offset == 0:
        life.assert_well_again()


def test_without_a_reserve_a_full_disk_is_told_and_nothing_more(disk, new_server):
    server = new_server(storage=disk / "storage", LCFILE_DISK_RESERVE="0").start()
    life = Life(server)
    filler = fill(disk)
    assert_full(life.api.form(("file", ("x.txt", b"x" * 9000))))
    assert eventually(lambda: health(server).status_code == 503)
    assert health(server).json()["status"] == "full"
    filler.unlink()
    life.assert_well_again()
    assert eventually(lambda: health(server).status_code == 200)
