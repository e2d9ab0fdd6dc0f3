"""lcfile check: an operator finds a flipped byte, a lost blob and an orphan, repairs, and is told that all is whole."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import threading

import pytest
from backups import assert_succeeds, blob_of, command, restore
from checking import DAMAGED, FAST_SCRUBBER, STORAGE, WHOLE, check, damage, damage_row, findings, flip
from client import ALPHA, ROCKET, TIMEOUT, clean_environment, eventually, queued


@pytest.fixture
def own(new_server):
    # The checks find the damage, not the first round of the scrubber.
    server = new_server(LCFILE_SCRUB_DAYS="0").start()
    yield server
    assert server.stop() == 0


@pytest.mark.extended
def test_whole_storage_beside_a_server(own):
    api = own.api()
    for number in range(5):
        api.store(f"file {number}".encode(), name=f"{number}.txt")
    assert findings(own, "--read-data")[:2] == (WHOLE, [])
    result = check(own)
    assert "5 files" in result.stdout and "No damage." in result.stdout
    assert api.store(b"another", name="a.txt")["objectId"]


@pytest.mark.extended
def test_flipped_byte_is_found_refused_reported_and_served_again(own):
    api = own.api()
    stored = api.store(b"x" * 1000, name="x.bin")
    image = api.store(ROCKET.read_bytes(), name="rocket.jpg")
    thumbnail = image["url"] + "?imageView2/2/w/100"
    # Often enough that the responses are prepared.
    for url in (stored["url"], image["url"], thumbnail):
        for _ in range(3):
            response = api.fetch(url)
            assert response.status_code == 200
    tag = api.fetch(stored["url"]).headers["ETag"]
    for record in (stored, image):
        shutil.copy(blob_of(record, own.storage), own.storage.parent / record["objectId"])
        flip(blob_of(record, own.storage), 500)
    assert findings(own)[:2] == (WHOLE, [])
    code, found, _ = findings(own, "--read-data")
    assert code == DAMAGED
    subjects = {("damaged-blob", f"_File/{record['objectId']}") for record in (stored, image)}
    assert set(found) == subjects
    # The server reads the files that the check named, and refuses each way to their bytes.
    assert eventually(lambda: damage(own) == {"blob": 2, "row": 0})
    for url, method, headers in (
        (stored["url"], "GET", {}),
        (stored["url"], "HEAD", {}),
        (stored["url"], "GET", {"Range": "bytes=0-9"}),
        (stored["url"], "GET", {"If-None-Match": tag}),
        (image["url"], "GET", {}),
        (thumbnail, "GET", {}),
        (image["url"] + "?imageInfo", "GET", {}),
    ):
        response = api.fetch(url, method, **headers)
        assert response.status_code == 500, (url, method, headers)
        assert "ETag" not in response.headers
        assert "no-store" in response.headers.get("Cache-Control", "no-store")
    assert eventually(lambda: "critical" in own.errors and stored["objectId"] in own.errors)
    # It is known now, so a quick check reports it too, and so does the server after a restart.
    assert set(findings(own)[1]) == subjects
    own.terminate()
    own.wait()
    own.start()
    assert eventually(lambda: damage(own) == {"blob": 2, "row": 0})
    assert api.fetch(stored["url"]).status_code == 500
    # An operator puts the bytes back.
    for record in (stored, image):
        shutil.copy(own.storage.parent / record["objectId"], blob_of(record, own.storage))
    assert findings(own)[:2] == (WHOLE, [])
    assert eventually(lambda: damage(own) == {"blob": 0, "row": 0})
    assert api.fetch(stored["url"]).headers["ETag"] == tag
    assert api.fetch(thumbnail).status_code == 200


@pytest.mark.extended
def test_lost_and_foreign_blobs_are_found_and_the_repair_loses_nothing(own):
    api = own.api()
    lost, orphan, kept = (api.store(name.encode(), name=name) for name in ("lost", "orphan", "kept"))
    assert own.stop() == 0
    os.remove(blob_of(lost, own.storage))
    path = blob_of(orphan, own.storage)
    other = path.parent / ("".join(reversed(path.name[2:])))
    other = path.parent / (path.name[:2] + other.name)
    shutil.copy(path, other)
    (path.parent.parent.parent / "staging" / "draft-left").write_bytes(b"left")
    code, found, summary = findings(own)
    assert code == DAMAGED
    assert sorted(found) == [("missing-blob", f"_File/{lost['objectId']}"), ("orphan-blob", f"blobs/{other.name}")]
    code, found, summary = findings(own, "--repair")
    assert (code, summary["damage"], summary["repaired"]) == (DAMAGED, 1, 2)
    assert (own.storage / other.parts[-4] / "lost+found" / other.name).read_bytes() == b"orphan"
    assert (own.storage / other.parts[-4] / "lost+found" / "staging-draft-left").read_bytes() == b"left"
    # The record without bytes stays for a backup that has them.
    blob_of(lost, own.storage).write_bytes(b"lost")
    assert findings(own, "--read-data")[:2] == (WHOLE, [])
    own.start()
    for record, data in ((lost, b"lost"), (orphan, b"orphan"), (kept, b"kept")):
        assert eventually(lambda: api.fetch(record["url"]).status_code == 200)
        assert api.fetch(record["url"]).content == data


def test_repair_is_refused_while_a_server_runs(own):
    result = check(own, "--repair")
    assert result.returncode == STORAGE
    assert "in use" in result.stderr


@pytest.mark.few(1)
@pytest.mark.parametrize("arguments", [["--subset", "0/3"], ["--accept-rows"], ["--subset", "x"]])
def test_wrong_usage(own, arguments):
    assert check(own, *arguments).returncode == 2


@pytest.mark.extended
def test_lost_bytes_of_a_file_in_the_trash_and_bytes_of_no_entry_are_found(new_server):
    own = new_server(LCFILE_TRASH_KEEP="3600").start()
    master = own.api(master=True)
    for record in [master.store(name.encode(), name=name) for name in ("lost", "kept")]:
        # At every moment of the move from the key to the trash all is whole.
        assert master.delete(record["objectId"]).status_code == 200
        assert findings(own, "--read-data")[:2] == (WHOLE, [])
    assert eventually(lambda: queued(master) == 0)
    entries = {entry["name"]: entry["objectId"] for entry in master.get("/1.1/trash").json()["results"]}
    assert findings(own, "--read-data")[:2] == (WHOLE, [])
    assert own.stop() == 0
    path = own.storage / ALPHA.id / "trash" / entries["lost"][-2:] / entries["lost"]
    orphan = path.parent / (22 * "a" + path.parent.name)
    path.rename(orphan)
    code, found, _ = findings(own)
    assert code == DAMAGED
    orphaned = f"trash/{path.parent.name}/{orphan.name}"
    assert sorted(found) == [("missing-blob", f"_Trash/{entries['lost']}"), ("orphan-blob", orphaned)]
    code, _, summary = findings(own, "--repair")
    assert (code, summary["damage"], summary["repaired"]) == (DAMAGED, 1, 1)
    moved = own.storage / ALPHA.id / "lost+found" / f"trash-{orphan.name}"
    moved.rename(path)
    assert findings(own, "--read-data")[:2] == (WHOLE, [])


@pytest.mark.extended
def test_damaged_record_does_not_keep_other_suspects_from_being_examined(new_server):
    own = new_server(LCFILE_SCRUB_DAYS="0").start()
    api = own.api()
    both, blob = api.store(b"x" * 100, name="harvest.txt"), api.store(b"x" * 100, name="x")
    assert own.stop() == 0
    damage_row(own, both, b"harvest", b"harvesu")
    for record in (both, blob):
        flip(blob_of(record, own.storage))
    own.start()
    assert findings(own, "--read-data")[0] == DAMAGED
    assert eventually(lambda: api.fetch(blob["url"]).status_code == 500)
    assert eventually(lambda: not list((own.storage / ALPHA.id / "suspects").iterdir()))
    assert own.stop() == 0


@pytest.mark.extended
def test_damaged_file_that_comes_back_from_the_trash_whole_is_served(new_server):
    own = new_server(LCFILE_SCRUB_DAYS="0", LCFILE_TRASH_KEEP="3600").start()
    master = own.api(master=True)
    file = master.store(b"x" * 100, name="x")
    flip(blob_of(file, own.storage))
    assert findings(own, "--read-data")[0] == DAMAGED
    assert eventually(lambda: damage(own)["blob"] == 1)
    assert master.delete(file["objectId"]).status_code == 200
    assert eventually(lambda: queued(master) == 0)
    # A start forgets the damage, because the file is gone.
    assert own.stop() == 0
    own.start()
    assert eventually(lambda: damage(own)["blob"] == 0)
    path, = [path for path in (own.storage / ALPHA.id / "trash").rglob("*") if path.is_file()]
    flip(path)
    assert master.post(f"/1.1/trash/{file['objectId']}/restore").status_code == 200
    # Each start looks at known damage at once.
    assert own.stop() == 0
    own.start()
    assert eventually(lambda: own.api().fetch(file["url"]).status_code == 200)
    assert own.stop() == 0


READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" || exit 99; exec "$@"'


@pytest.mark.extended
def test_storage_that_can_only_be_read_is_checked_and_saved(new_server, tmp_path):
    """As a snapshot, or a disk that was mounted read-only, has it after the server stopped."""
    own = new_server(LCFILE_SCRUB_DAYS="0").start()
    own.api().store(b"x", name="x.txt")
    assert own.stop() == 0
    for arguments in (("check", "--json"), ("backup",)):
        target = [tmp_path / "backup"] if arguments == ("backup",) else []
        run = command(*arguments, "--storage", own.storage, *target)
        own_mounts = ["unshare", "--map-root-user", "--mount", "sh", "-c", READ_ONLY, str(own.storage)]
        result = subprocess.run(
            own_mounts + run, env=clean_environment(), capture_output=True, text=True, timeout=TIMEOUT
        )
        if result.returncode == 99 or "unshare:" in result.stderr:
            pytest.skip("mounts are not allowed")
        assert (result.returncode, result.stderr) == (0, "")
    assert_succeeds(restore(tmp_path / "backup", tmp_path / "restored"))


@pytest.mark.extended
def test_references_to_deleted_files_are_notes(own):
    api, master = own.api(), own.api(master=True)
    file = api.store(b"x", name="x")
    body = {"photos": [{"__type": "File", "id": file["objectId"]}]}
    object = api.post("/1.1/classes/Album", json=body).json()
    assert findings(own)[1] == []
    assert master.delete(file["objectId"]).status_code == 200
    code, found, summary = findings(own)
    assert code == WHOLE
    assert found == [("dangling-reference", f"Album/{object['objectId']}")]
    assert summary["notes"] == 1


@pytest.mark.extended
def test_what_a_server_is_just_changing_is_no_damage(own):
    """Checks run beside uploads and deletes, and find nothing."""
    master = own.api(master=True)
    stop, problems = threading.Event(), []

    def change():
        api = own.api(master=True)
        while not stop.is_set():
            file = api.store(os.urandom(2000), name="x.bin")
            if api.delete(file["objectId"]).status_code != 200:
                problems.append(file)
            api.store(b"kept", name="kept.txt")

    threads = [threading.Thread(target=change) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(8):
            assert findings(own, "--read-data")[:2] == (WHOLE, [])
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert problems == []
    assert master.count() > 3


def test_flipped_bit_in_a_row_is_found_refused_and_repaired(new_server):
    own = new_server(**FAST_SCRUBBER).start()
    api, master = own.api(), own.api(master=True)
    kept = api.store(b"kept", name="kept.txt")
    record = api.store(b"x", name="harvest.txt")
    assert own.stop() == 0
    damage_row(own, record, b"harvest", b"harvesu")
    own.start()
    # The record is read from the database for this, and is never shown as good.
    response = master.get(f"/1.1/files/{record['objectId']}")
    assert (response.status_code, response.json()["code"]) == (500, 1)
    assert master.get(f"/1.1/files/{kept['objectId']}").status_code == 200
    # The scrubber finds it, and goes on with the files behind it.
    assert eventually(lambda: damage(own) == {"blob": 0, "row": 1})
    code, found, _ = findings(own)
    assert (code, found) == (DAMAGED, [("damaged-row", f"_File/{record['objectId']}")])
    assert own.stop() == 0
    code, _, summary = findings(own, "--repair")
    assert (code, summary["damage"]) == (DAMAGED, 1)
    code, _, summary = findings(own, "--repair", "--accept-rows")
    assert (code, summary["damage"], summary["repaired"]) == (WHOLE, 0, 1)
    assert findings(own)[:2] == (WHOLE, [])
    own.start()
    assert master.get(f"/1.1/files/{record['objectId']}").json()["name"] == "harvesu.txt"
    assert eventually(lambda: damage(own) == {"blob": 0, "row": 0})
    assert own.stop() == 0


def test_damaged_user_of_an_earlier_version_leaves_the_start_whole_and_unknown_openids_refused(new_server):
    own = new_server().start()
    user = own.api(master=True).post("/1.1/users", json={"objectId": "64f0c0ffee64f0c0ffee0001", "username": "harvest"}).json()
    assert own.stop() == 0
    path = own.storage / ALPHA.id / "lcfile.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        # As an earlier version left it: no identity is known to be complete.
        (text,), = database.execute("SELECT schema FROM class WHERE name = '_Identity'")
        schema = json.loads(text)
        del schema["fields"]["_complete"]
        database.execute("UPDATE class SET schema = ? WHERE name = '_Identity'", (json.dumps(schema),))
    damage_row(own, user, b"harvest", b"harvesu")
    # Its health tells of the damage.
    own.launch()
    assert eventually(own.is_live, 60)
    join = {"authData": {"weixin_app": {"openid": "o"}}}
    assert own.api().post("/1.1/users", json=join).status_code == 503
    assert own.api().post("/1.1/users", json={"authData": {"weixin_app": {"uid": "o"}}}).status_code == 201
    assert own.stop() == 0
    assert findings(own, "--repair", "--accept-rows")[0] == WHOLE
    own.start()
    assert own.api().post("/1.1/users", json=join).status_code == 201
    assert own.stop() == 0
