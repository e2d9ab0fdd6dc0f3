"""Deleted files in the trash, and files to which nothing refers: through the built binary, and over kills."""

import contextlib
import json
import os
import shutil
import signal
import subprocess

import pytest
from backups import assert_succeeds, back_up, blob_of, restore
from client import ALPHA, assert_refused, eventually, queued
from commands import FAILED, credentials_of, lcfile
from data import batch, pointer
from disks import fill, free, memory
from full_disks import metric
from kept import files as derivatives
from sdk import SDK
from uploading import ask

pytestmark = pytest.mark.long

LABEL = f'{{app="{ALPHA.id}"}}'
OLD = "2025-01-02T03:04:05.678Z"


@pytest.fixture
def own(new_server):
    return new_server(LCFILE_TRASH_KEEP="3600").start()


@pytest.fixture
def master(own):
    return own.api(master=True)


def trashed(server, app=ALPHA):
    """The files that hold bytes in the trash, once the deletion queue is empty."""
    assert eventually(lambda: queued(server.api(app, master=True)) == 0)
    return [path for path in (server.storage / app.id / "trash").rglob("*") if path.is_file()]


def run(server, *arguments, **options):
    return lcfile(*arguments, **credentials_of(server.url, master=ALPHA.master) | options)


def sql(master, text):
    return master.get("/1.1/cloudQuery", params={"cql": text})


@pytest.mark.smoke
def test_deleted_file_is_gone_and_comes_back_whole(own, master, rocket):
    api = own.api()
    record = api.store(rocket, metaData=json.dumps({"a": 1}))
    assert master.call("PUT", f"/1.1/files/{record['objectId']}", json={"ACL": {"*": {"read": True}}}).status_code == 200
    before = master.get(f"/1.1/files/{record['objectId']}", params={"returnACL": "true"}).json()
    thumbnail = f"{record['url']}?imageView/2/w/20"
    # The second request makes a hot download.
    for _ in range(3):
        assert api.fetch(record["url"]).content == rocket
        assert api.fetch(thumbnail).status_code == 200
    assert master.delete(record["objectId"]).status_code == 200
    for url in (record["url"], thumbnail):
        assert api.fetch(url).status_code == 404
    assert (own.blobs_at_rest(), derivatives(own), len(trashed(own))) == ([], [], 1)
    assert metric(own, "lcfile_trash_files", LABEL) == 1
    assert metric(own, "lcfile_trash_bytes", LABEL) == len(rocket)

    shown, = master.get("/1.1/trash").json()["results"]
    seen = (shown["file"], shown["reason"], shown["by"], shown["size"])
    assert seen == (record["objectId"], "deleted", "master", len(rocket))
    assert not any(name.startswith("_") for name in shown)
    restored = run(own, "trash", "restore", record["objectId"])
    assert (restored.returncode, restored.stdout.strip()) == (0, record["url"])
    assert api.fetch(record["url"]).content == rocket
    assert api.fetch(thumbnail).status_code == 200
    assert master.get(f"/1.1/files/{record['objectId']}", params={"returnACL": "true"}).json() == before
    assert (len(own.blobs_at_rest()), trashed(own)) == (1, [])


@pytest.mark.parametrize("way", ["cql", "batch", "command", "sdk"])
def test_every_delete_goes_to_the_trash(own, master, tmp_path, way):
    record = own.api().store(b"bytes", name="a.txt")
    if way == "cql":
        assert sql(master, f"delete from _File where objectId = '{record['objectId']}'").status_code == 200
    elif way == "batch":
        assert batch(master, {"method": "DELETE", "path": f"/1.1/files/{record['objectId']}"}).status_code == 200
    elif way == "command":
        assert run(own, "delete", "--yes", record["objectId"], folder=tmp_path).returncode == 0
    else:
        sdk = SDK(own.url)
        sdk.run("file().destroy(); say()", master=ALPHA.master, file=record["objectId"])
        sdk.close()
    assert own.api().fetch(record["url"]).status_code == 404
    assert master.post(f"/1.1/trash/{record['objectId']}/restore").status_code == 200
    assert own.api().fetch(record["url"]).content == b"bytes"


@pytest.mark.extended
def test_only_the_master_key_sees_the_trash(own):
    user = own.api().post("/1.1/users", json={"username": "ann", "password": "p"}).json()
    for session in ({}, {"X-LC-Session": user["sessionToken"]}):
        for method, path in (
            ("GET", "trash"), ("DELETE", "trash"), ("POST", "trash/a/restore"), ("DELETE", "trash/a"),
            ("POST", "collections"), ("POST", "collections/a/scan"), ("GET", "collections/a/files"),
            ("POST", "collections/a/files"), ("DELETE", "collections/a"),
        ):
            assert own.api().call(method, f"/1.1/{path}", session).status_code == 403, (method, path)


@pytest.mark.extended
def test_key_in_the_trash_is_free_and_neither_file_gets_the_bytes_of_the_other(own, master):
    url = f"{own.url}/logo.png"
    first = ask(master, key="logo.png")
    assert first.put(b"first").status_code == 200
    assert master.delete(first.id).status_code == 200
    second = ask(master, key="logo.png")
    assert second.put(b"second").status_code == 200
    assert own.api().fetch(url).content == b"second"
    assert_refused(master.post(f"/1.1/trash/{first.id}/restore"), 400, 137, second.id)
    assert run(own, "trash", "restore", first.id).returncode == FAILED
    assert master.delete(second.id).status_code == 200
    assert master.post(f"/1.1/trash/{first.id}/restore").status_code == 200
    assert own.api().fetch(url).content == b"first"
    assert len(trashed(own)) == 1


@pytest.mark.extended
def test_time_ends_an_entry(new_server):
    own = new_server(LCFILE_TRASH_KEEP="1").start()
    record = own.api().store(b"bytes", name="a.txt")
    assert own.api(master=True).delete(record["objectId"]).status_code == 200
    assert eventually(lambda: own.api(master=True).get("/1.1/trash").json()["results"] == [])
    assert (own.blobs_at_rest(), trashed(own)) == ([], [])
    assert eventually(lambda: metric(own, "lcfile_trash_expired_total", LABEL) == 1)
    assert_refused(own.api(master=True).post(f"/1.1/trash/{record['objectId']}/restore"), 404, 101)


@pytest.mark.extended
def test_empty_removes_what_it_is_told(own, master):
    records = [own.api().store(b"bytes", name=f"{number}.txt") for number in range(3)]
    for record in records:
        assert master.delete(record["objectId"]).status_code == 200
    refused = run(own, "trash", "empty")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--yes removes without a question" in refused.stderr and "[y/N]" not in refused.stderr
    assert run(own, "trash", "empty", "--yes", "--deleted-before", "1h").stdout == "0 files\n"
    assert run(own, "trash", "empty", "--yes", records[0]["objectId"]).stdout == "1 file\n"
    assert len(run(own, "trash", "list", "--json").stdout.splitlines()) == 2
    assert run(own, "trash", "empty", "--yes").stdout == "2 files\n"
    assert trashed(own) == []


@pytest.mark.extended
def test_bytes_in_the_trash_count_towards_the_quota(new_server):
    own = new_server(LCFILE_TRASH_KEEP="60", LCFILE_UPLOADS_QUOTA="1000").start()
    record = own.api().store(b"x" * 800, name="a.txt")
    assert own.api(master=True).delete(record["objectId"]).status_code == 200
    assert_refused(own.api().store_raw(b"x" * 800, "b.txt"), 403, 140, "in the trash")
    assert run(own, "trash", "empty", "--yes").returncode == 0
    assert own.api().store_raw(b"x" * 800, "b.txt").status_code == 201


@pytest.mark.extended
def test_full_disk_takes_deletes_and_is_freed_by_emptying(new_server, tmp_path):
    with memory(tmp_path / "disk") as disk:
        own = new_server(storage=disk / "storage", LCFILE_TRASH_KEEP="3600").start()
        # More than the reserve, which takes the first space that is free again.
        records = [own.api().store(os.urandom(400_000), name=f"{number}.bin") for number in range(10)]
        fill(disk)
        for record in records:
            assert own.api(master=True).delete(record["objectId"]).status_code == 200
            assert own.api().fetch(record["url"]).status_code == 404
        before = free(disk)
        assert run(own, "trash", "empty", "--yes").stdout == "10 files\n"
        assert eventually(lambda: free(disk) > before + 1_000_000)
        assert eventually(lambda: own.api().store_raw(b"x", "b.txt").status_code == 201)
        own.stop()


@pytest.mark.extended
def test_backup_leaves_the_trash_behind(own, new_server, master, tmp_path):
    gone, kept = own.api().store(b"gone", name="a.txt"), own.api().store(b"kept", name="b.txt")
    assert master.delete(gone["objectId"]).status_code == 200
    assert len(trashed(own)) == 1
    assert " 1 file" in assert_succeeds(back_up(own, tmp_path / "backup"))
    assert_succeeds(restore(tmp_path / "backup", tmp_path / "storage"))
    restored = new_server(storage=tmp_path / "storage").start()
    assert restored.api(master=True).get("/1.1/trash").json()["results"] == []
    assert restored.blobs() == [blob_of(kept, restored.storage)]


def kill_at(server, place, call, act):
    """Kills the server at a system call on a path, which `act` causes."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    tracer = subprocess.Popen(
        ["strace", "-f", "-P", place, "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL", "-o", "/dev/null",
         "-p", str(server.process.pid)],
        stderr=subprocess.PIPE, text=True,
    )
    try:
        if not any("attached" in line for line in iter(tracer.stderr.readline, "")):
            pytest.skip("strace may not attach here")
        # The answer may be cut off by the kill.
        with contextlib.suppress(OSError):
            act()
        assert eventually(lambda: server.process.poll() == -signal.SIGKILL), "the server was not killed"
    finally:
        tracer.terminate()
        tracer.wait(timeout=10)
        tracer.stderr.close()


@pytest.mark.extended
@pytest.mark.parametrize("call", ["link", "unlink"])
def test_kill_while_bytes_move_loses_nothing(own, master, call):
    record = own.api().store(b"bytes", name="a.txt")
    kill_at(own, blob_of(record, own.storage), call, lambda: master.delete(record["objectId"]))
    own.start()
    assert own.api().fetch(record["url"]).status_code == 404
    assert (own.blobs_at_rest(), len(trashed(own))) == ([], 1)
    assert own.api(master=True).post(f"/1.1/trash/{record['objectId']}/restore").status_code == 200
    assert own.api().fetch(record["url"]).content == b"bytes"


@pytest.mark.extended
@pytest.mark.parametrize("moment", ["the bytes have their key", "the record is there"])
def test_kill_while_a_file_is_restored_leaves_an_entry_or_a_file(own, master, moment):
    record = own.api().store(b"bytes", name="a.txt")
    assert master.delete(record["objectId"]).status_code == 200
    aside, = trashed(own)
    blob = blob_of(record, own.storage)
    place, call = {"the bytes have their key": (blob.parent, "fsync"), "the record is there": (aside, "unlink")}[moment]
    kill_at(own, place, call, lambda: master.post(f"/1.1/trash/{record['objectId']}/restore"))
    own.start()
    if moment == "the bytes have their key":
        assert own.api().fetch(record["url"]).status_code == 404
        assert (own.blobs_at_rest(), trashed(own)) == ([], [aside])
        assert own.api(master=True).post(f"/1.1/trash/{record['objectId']}/restore").status_code == 200
    assert own.api().fetch(record["url"]).content == b"bytes"
    assert (own.blobs_at_rest(), trashed(own)) == ([blob], [])


@pytest.fixture
def old_files(own, tmp_path):
    """Stores files that are old enough to be collected; returns their ids by their names."""

    def store(*names):
        rows = []
        for name in names:
            (tmp_path / name).write_text(name)
            rows.append({"path": name, "objectId": os.urandom(12).hex(), "key": f"k/{name}", "createdAt": OLD})
        (tmp_path / "files.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert run(own, "import", "--manifest", "files.jsonl", folder=tmp_path).returncode == 0
        return {row["path"]: row["objectId"] for row in rows}

    return store


@pytest.mark.extended
def test_collect_lists_and_then_moves_what_nothing_refers_to(own, master, old_files):
    names = ["pointer.txt", "array.txt", "object.txt", "relation.txt", "url.txt", "text.txt", "unused.txt"]
    ids = old_files(*names)
    new = own.api().store(b"new", name="new.txt")
    page = {
        "cover": pointer("_File", ids["pointer.txt"]),
        "list": [{"__type": "File", "id": ids["array.txt"]}],
        "nested": {"a": [{"b": pointer("_File", ids["object.txt"])}]},
        "html": f'<img src="{own.url}/k/url.txt?imageView/2/w/20">',
        "text": f"见{own.url}/k/text.txt，谢谢",
        "files": {"__op": "AddRelation", "objects": [pointer("_File", ids["relation.txt"])]},
    }
    assert master.post("/1.1/classes/Page", json=page).status_code == 201

    listed = run(own, "collect", "--unused-for", "30d", "--json")
    assert [json.loads(line)["objectId"] for line in listed.stdout.splitlines()] == [ids["unused.txt"]], listed.stderr
    assert own.api().fetch(f"{own.url}/k/unused.txt").status_code == 200
    assert "unused.txt" in run(own, "collect", "--unused-for", "30d").stdout
    listed = run(own, "collect", "--unused-for", "30d", "--ignore-urls", "--ignore-field", "Page.cover", "--json")
    assert {json.loads(line)["name"] for line in listed.stdout.splitlines()} == {"pointer.txt", "url.txt", "text.txt", "unused.txt"}

    applied = run(own, "collect", "--unused-for", "30d", "--apply")
    assert applied.returncode == 0, applied.stderr
    assert "1 file" in applied.stderr and "moved to the trash" in applied.stderr
    assert own.api().fetch(f"{own.url}/k/unused.txt").status_code == 404
    for name in names[:-1]:
        assert own.api().fetch(f"{own.url}/k/{name}").status_code == 200
    assert own.api().fetch(new["url"]).status_code == 200
    entry, = master.get("/1.1/trash", params={"reason": "collected"}).json()["results"]
    assert entry["file"] == ids["unused.txt"]
    assert run(own, "trash", "restore", ids["unused.txt"]).returncode == 0
    assert own.api().fetch(f"{own.url}/k/unused.txt").content == b"unused.txt"


@pytest.mark.extended
def test_reference_between_scan_and_collection_saves_the_file(own, master, old_files):
    ids = old_files("a.txt", "b.txt", "c.txt")
    assert master.post("/1.1/classes/Page", json={}).status_code == 201
    collection = master.post("/1.1/collections", json={"unusedFor": 3600}).json()["objectId"]
    path = f"/1.1/collections/{collection}"
    assert_refused(master.get(f"{path}/files"), 409, 1)
    assert eventually(lambda: master.post(f"{path}/scan").json()["complete"])
    assert len(master.get(f"{path}/files").json()["results"]) == 3
    assert master.post("/1.1/classes/Page", json={"file": pointer("_File", ids["a.txt"])}).status_code == 201
    assert master.post("/1.1/classes/Page", json={"link": f"see {own.url}/k/b.txt."}).status_code == 201
    collected = master.post(f"{path}/files").json()
    assert [file["objectId"] for file in collected["results"]] == [ids["c.txt"]]
    assert master.call("DELETE", path).status_code == 200
    assert_refused(master.post(f"{path}/scan"), 404, 101)


def test_orders_that_make_no_sense_are_refused(own, master):
    for body, words in (
        ({}, "unusedFor"), ({"unusedFor": 60}, "3600"), ({"unusedFor": 3600, "urls": 1}, "urls"),
        ({"unusedFor": 3600, "fields": ["Page"]}, "Class.field"),
        ({"unusedFor": 3600, "ignoreClasses": "Page"}, "ignoreClasses"),
    ):
        assert_refused(master.post("/1.1/collections", json=body), 400, 1, words)
    assert run(own, "collect", "--unused-for", "5m").returncode == 2
