"""A disk without a free byte: what adds is refused, what frees is done, and all is well again without a restart."""

import pytest
from batches import codes, delete as deletion, post
from cases import covering, some
from client import eventually
from data import batch
from disks import ext4, fill, free, memory, total
from full_disks import Life, alive, assert_full, health, metric, reasons

pytestmark = pytest.mark.long


DISKS = {"tmpfs": memory, "ext4": ext4}
# Tests of a rule that no file system has a part in.
EITHER_DISK = pytest.mark.parametrize("disk", some(reversed(DISKS), 2), indirect=True)


@pytest.fixture(params=DISKS)
def disk(request, tmp_path):
    with DISKS[request.param](tmp_path / "disk") as disk:
        yield disk


@pytest.fixture
def server(disk, new_server):
    server = new_server(storage=disk / "storage").start()
    yield server
    server.stop()


def reserve(server):
    return (server.storage / ".reserve").stat().st_blocks * 512


@pytest.mark.few(1)
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
    assert eventually(lambda: "storage-full" in reasons(server))
    assert metric(server, "lcfile_storage_fault", '{kind="full"}') == 1
    life.assert_nothing_is_added()
    life.assert_reads_go_on()
    life.assert_sessions_go_on()
    assert codes(batch(life.api, deletion(life.tasks, life.ids[10]), post(life.tasks, {"n": 1}))) == [None, 507]
    for file in life.files[:5]:
        assert life.master.delete(file["objectId"]).status_code == 200
    life.assert_well_again()
    assert eventually(lambda: health(server).status_code == 200)
    assert eventually(lambda: reasons(server) == [])
    assert reserve(server) > 0
    assert len(life.tasks.ids()) == 10


@pytest.mark.extended
@EITHER_DISK
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
        life.begin_session()


@pytest.mark.extended
def test_server_with_little_space_is_not_ready(server, disk):
    assert reasons(server) == []
    with open(disk / "filler", "wb") as file:
        # The limit is a sixteenth of this file system, as is the reserve, which is not free.
        while free(disk) > (total(disk) >> 5):
            file.write(bytes(1 << 18))
            file.flush()
    assert eventually(lambda: reasons(server) == ["space-low"])
    assert health(server).status_code == 200
    (disk / "filler").unlink()
    assert eventually(lambda: reasons(server) == [])


@pytest.mark.extended
@pytest.mark.parametrize("end, disk", covering(["stop", "kill"], DISKS), indirect=["disk"])
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
    assert eventually(lambda: server.process.poll() is not None or alive(server))
    assert server.process.poll() is None, server.errors
    assert eventually(lambda: server.errors.count("The server's storage is full.") == 1)
    life.assert_reads_go_on()
    if end == "kill":
        # The start has copied the log of the killed server into the database, which gave back the log's space.
        fill(disk)
    assert eventually(lambda: health(server).json()["status"] == "full")
    life.assert_sessions_go_on()
    for file in life.files[1:5]:
        assert life.master.delete(file["objectId"]).status_code == 200
    life.assert_well_again()


@pytest.mark.few(1)
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


@pytest.mark.extended
@EITHER_DISK
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
