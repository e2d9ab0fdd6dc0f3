"""The commands on storages whose blobs are in a bucket, and moves between a folder and a bucket."""

import json
import signal
import subprocess
import time

import pytest
import requests
from backups import INCOMPLETE, assert_succeeds, command, lcfile
from bucket_servers import engine, make, postgres, prefix, settings_of, url, without_bucket
from buckets import BUCKET, blob_settings, blobs, objects, prefix_of
from client import ALPHA, clean_environment, eventually, queued
from s3_engine import S3Engine
from starting import STORAGE, assert_does_not_start
from uploading import ask, assert_file, must, noise

pytestmark = pytest.mark.long

MB = 1 << 20
TRASH = {"LCFILE_TRASH_KEEP": "3600"}


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request):
    """The setting of the database, for both kinds."""
    return {"LCFILE_DATABASE_URL": request.getfixturevalue("url")} if request.param == "postgresql" else {}


def run(server, *arguments):
    return lcfile(*arguments, "--storage", server.storage, "--config", server.folder / "lcfile.yaml", **settings_of(server))


def fill(server):
    """Gives a server files, one of them large and one in the trash; returns the bytes by the ids of the records."""
    api, master = server.api(), server.api(master=True)
    contents = [noise(1000 + number, number) for number in range(12)] + [noise(9 * MB, 99), b""]
    records = [api.store(content, name=f"{number}.bin") for number, content in enumerate(contents)]
    assert master.delete(records[0]["objectId"]).status_code == 200
    assert eventually(lambda: queued(master) == 0)
    return {record["objectId"]: content for record, content in zip(records, contents)}, records[0]["objectId"]


def assert_has(server, contents, trashed):
    api, master = server.api(), server.api(master=True)
    response = master.post(f"/1.1/trash/{trashed}/restore")
    assert response.status_code == 200, response.text
    for id, content in contents.items():
        record = api.get(f"/1.1/files/{id}").json()
        assert api.fetch(record["url"]).content == content


def find(output, kind):
    return [line for line in map(json.loads, output.splitlines()) if line.get("kind") == kind]


# Check


@pytest.mark.extended
def test_check_compares_records_with_objects(make, engine, prefix, database):
    server = make(**database, **TRASH).start()
    fill(server)
    assert_succeeds(run(server, "check"))
    assert_succeeds(run(server, "check", "--read-data"))
    found = blobs(engine, prefix, ALPHA)
    missing, other = [blob for blob in found if 1000 < blob.size < 2000][:2]
    missing.unlink()
    other.write_bytes(bytes(other.size))
    orphan = f"{prefix}/{ALPHA.id}/blobs/ab/ab{'0' * 62}.65a000000000000000000001"
    engine.client.put_object(Bucket=BUCKET, Key=orphan, Body=b"orphan")
    result = run(server, "check", "--read-data", "--json")
    assert result.returncode == INCOMPLETE, result.stderr
    assert len(find(result.stdout, "missing-blob")) == 1
    assert len(find(result.stdout, "damaged-blob")) == 1
    assert len(find(result.stdout, "orphan-blob")) == 1
    server.stop()
    result = run(server, "check", "--repair", "--json")
    assert result.returncode == INCOMPLETE, result.stderr
    names = objects(engine, prefix)
    assert [name for name in names if name.startswith(f"{ALPHA.id}/lost+found/")], names
    assert f"{ALPHA.id}/blobs/ab/ab{'0' * 62}.65a000000000000000000001" not in names


# Backup


@pytest.mark.extended
@pytest.mark.parametrize("kind", ["folder", "repository"])
def test_backup_has_the_bytes_and_is_restored_with_files(make, new_server, database, tmp_path, kind):
    server = make(**database, **TRASH).start()
    contents, trashed = fill(server)
    target = ["--to", tmp_path / "backup"] if kind == "repository" else [tmp_path / "backup"]
    output = assert_succeeds(run(server, "backup", *target))
    assert "13" in output
    assert_succeeds(lcfile("restore", "--storage", tmp_path / "restored", tmp_path / "backup"))
    restored = new_server(
        folder=tmp_path, storage=tmp_path / "restored", apps=(ALPHA,), LCFILE_DATABASE_URL="", LCFILE_BLOBS_STORE="").start()
    for id, content in contents.items():
        if id != trashed:
            api = restored.api()
            assert api.fetch(api.get(f"/1.1/files/{id}").json()["url"]).content == content


# Moves


def migrate(server, destination, *arguments):
    return run(server, "migrate", "--blobs-to", destination, *arguments)


def begin_upload(server, content):
    """Sends the first half of a tus upload; returns its path."""
    api = server.api()
    response = api.post("/1.1/uploads", headers={
        "Tus-Resumable": "1.0.0", "Upload-Length": str(len(content)), "Upload-Metadata": "filename YS5iaW4="})
    assert response.status_code == 201, response.text
    path = response.headers["Location"].removeprefix(server.url)
    send(server, path, 0, content[: len(content) // 2])
    return path


def send(server, path, offset, content):
    response = server.api().call("PATCH", path, data=content, headers={
        "Tus-Resumable": "1.0.0", "Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"})
    assert response.status_code in (200, 204), response.text
    return response


def offset_of(server, path):
    response = server.api().call("HEAD", path, headers={"Tus-Resumable": "1.0.0"})
    assert response.status_code == 200
    return int(response.headers["Upload-Offset"])


@pytest.mark.extended
def test_bytes_move_to_the_bucket_and_back(make, engine, prefix, database):
    server = without_bucket(make, **database, **TRASH).start()
    contents, trashed = fill(server)
    half = noise(3 * MB, 5)
    upload = begin_upload(server, half)
    server.stop()
    with_bucket = make(**database, **TRASH)
    output = assert_succeeds_noting(migrate(with_bucket, "bucket"))
    assert f"Moved the files of app {ALPHA.id}: 14 files" in output
    assert "there already" in assert_succeeds(migrate(with_bucket, "bucket"))
    assert_does_not_start(without_bucket(make, **database), 78, "set blobs.store")
    with_bucket.start()
    assert offset_of(with_bucket, upload) == len(half) // 2
    send(with_bucket, upload, len(half) // 2, half[len(half) // 2:])
    assert_has(with_bucket, contents, trashed)
    assert len(blobs(engine, prefix, ALPHA)) == 15
    # With a file in the trash again.
    master = with_bucket.api(master=True)
    assert master.delete(trashed).status_code == 200
    assert eventually(lambda: queued(master) == 0)
    with_bucket.stop()
    # A server used the bucket just now.
    assert eventually(lambda: migrate(with_bucket, "folder").returncode != STORAGE, 90)
    back = without_bucket(make, **database, **TRASH).start()
    assert_has(back, contents, trashed)
    back.stop()
    assert_does_not_start(make(**database), STORAGE)


def assert_succeeds_noting(result):
    """A move says where the former bytes are."""
    assert result.returncode == 0, result.stderr
    assert "the former bytes are" in result.stderr
    return result.stdout


def goes_on_at(server, target):
    """The client of an upload speaks to another server from now on."""
    target.server, target.api = server, server.api()


@pytest.mark.extended
def test_parts_with_gaps_between_them_move_to_the_bucket_and_back(make, engine, prefix, database):
    server = without_bucket(make, **database).start()
    parts = {number: noise(MB + MB // 2, number) for number in range(1, 8)}
    data = b"".join(parts.values())
    target = ask(server.api(), size=len(data))
    id, tags = target.begin(), {}

    def send_parts(*numbers):
        tags.update({number: must(target.part(id, number, parts[number]))["etag"] for number in numbers})

    # The first part gives the size of the others' places.
    send_parts(2, 5)
    server.stop()
    with_bucket = make(**database)
    assert_succeeds_noting(migrate(with_bucket, "bucket"))
    staged = f"{ALPHA.id}/staging/uploads/"
    assert sum(size for name, size in objects(engine, prefix).items() if name.startswith(staged)) < 2 * (2 * MB)
    goes_on_at(with_bucket.start(), target)
    send_parts(7, 4)
    with_bucket.stop()
    assert_succeeds_noting(migrate(with_bucket, "folder"))
    assert not (server.storage / ".blob-move-cache").exists()
    back = without_bucket(make, **database)
    (staged,) = [path for path in back.staged() if path.name == target.id]
    assert staged.stat().st_blocks * 512 < 4 * (2 * MB)
    goes_on_at(back.start(), target)
    send_parts(1, 3, 6)
    assert target.received == len(data)
    must(target.finish(id, sorted(tags.items())))
    assert_file(back.api(), target.id, data)


@pytest.mark.extended
def test_move_that_is_killed_continues(make, engine, prefix):
    server = without_bucket(make, **TRASH).start()
    contents, trashed = fill(server)
    server.stop()
    with_bucket = make(**TRASH)
    arguments = command(
        "migrate", "--blobs-to", "bucket", "--storage", server.storage, "--config", server.folder / "lcfile.yaml")
    for count in (1, 6):
        process = subprocess.Popen(
            arguments, env=clean_environment(**settings_of(with_bucket)), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        eventually(lambda: process.poll() is not None or len(blobs(engine, prefix, ALPHA)) >= count)
        process.send_signal(signal.SIGKILL)
        process.wait()
        # A bucket that is not complete is used by no server.
        if process.returncode == -signal.SIGKILL:
            assert_does_not_start(make(**TRASH), STORAGE)
        # As a kill in the middle of a file leaves it.
        (server.storage / ".blob-move-cache").mkdir(exist_ok=True)
        (server.storage / ".blob-move-cache/fetch-x").write_bytes(b"bytes")
    assert_succeeds_noting(migrate(with_bucket, "bucket"))
    assert not (server.storage / ".blob-move-cache").exists()
    assert_has(make(**TRASH).start(), contents, trashed)


def server_id(engine, prefix):
    """The id by which a bucket knows the only server that uses it."""
    (name,) = [name for name in objects(engine, prefix) if name.startswith(f"{ALPHA.id}/staging/servers/")]
    return name.rpartition("/")[2]


def leave_commit(engine, prefix, server):
    """A commit that a server has begun, and not ended; returns the names of its note and its claim."""
    file, blob = "65a0000000000000000000ff", "ab" + "1" * 62
    note = f"{ALPHA.id}/staging/commits/{file}.{blob}.draft~{server}~draft-{server}-x"
    claim = f"{ALPHA.id}/blobs/ab/{blob}.{file}.claim"
    for name in (claim, note):
        engine.client.put_object(Bucket=BUCKET, Key=f"{prefix}/{name}", Body=b"")
    return {note, claim}


@pytest.mark.extended
def test_killed_server_that_starts_again_ends_its_commits_at_once_and_another_one_waits(make, engine, prefix, url):
    server = make(LCFILE_DATABASE_URL=url).start()
    left = leave_commit(engine, prefix, server_id(engine, prefix))
    server.kill()
    other = make("other", LCFILE_DATABASE_URL=url).start()
    assert left <= objects(engine, prefix).keys()
    server.start()
    assert not left & objects(engine, prefix).keys()
    # The names of both have gone with the lock of the folder; the one that lives is not among them.
    assert len((server.storage / ".servers").read_text().splitlines()) == 2
    server.api().store(b"bytes", name="a.txt")
    assert other.stop() == 0


@pytest.mark.extended
def test_move_does_not_wait_for_the_killed_server_of_its_folder_and_does_for_another(make, url):
    server = make(LCFILE_DATABASE_URL=url).start()
    server.api().store(b"bytes", name="a.txt")
    other = make("other", LCFILE_DATABASE_URL=url).start()
    server.kill()
    other.kill()
    refused = migrate(server, "folder")
    assert refused.returncode == STORAGE and "in the last minute" in refused.stderr
    other.start()
    assert other.stop() == 0
    assert_succeeds_noting(migrate(server, "folder"))


@pytest.mark.extended
def test_missing_bytes_stop_a_move_before_the_switch(make):
    server = without_bucket(make).start()
    fill(server)
    server.stop()
    server.blobs()[0].unlink()
    with_bucket = make()
    result = migrate(with_bucket, "bucket")
    assert result.returncode == INCOMPLETE and "--leave-damaged" in result.stderr
    assert not (server.storage / ".blob-move-cache").exists()
    without_bucket(make).start().stop()
    assert_succeeds_noting(migrate(with_bucket, "bucket", "--leave-damaged"))
    make().start()


@pytest.mark.extended
def test_objects_move_to_postgresql_beside_a_bucket(make, url):
    server = make(**TRASH).start()
    contents, trashed = fill(server)
    server.stop()
    moved = make(LCFILE_DATABASE_URL=url, **TRASH)
    result = run(moved, "migrate", "--to", "postgresql")
    assert result.returncode == 0, result.stderr
    assert_has(moved.start(), contents, trashed)
    # A new folder joins.
    make("two", LCFILE_DATABASE_URL=url, **TRASH).start()


# Doctor, readiness, deaths


@pytest.mark.extended
def test_doctor_examines_the_bucket(make):
    server = make()
    result = run(server, "doctor")
    assert "can be written, listed, read, copied and removed" in result.stdout
    wrong = make("two", LCFILE_BLOBS_S3_SECRET_KEY="wrong")
    assert "a server could not write" in run(wrong, "doctor").stdout


def test_doctor_tells_that_the_bucket_has_not_the_blobs_of_the_folder(make, prefix):
    server = make().start()
    assert server.stop() == 0
    assert f"the bucket has the blobs of {server.storage}/{ALPHA.id}" in run(server, "doctor").stdout
    server.environment["LCFILE_BLOBS_STORE"] = f"s3://{BUCKET}/{prefix}x"
    result = run(server, "doctor")
    assert result.returncode == 1 and "blobs.store names another bucket or prefix" in result.stdout


@pytest.mark.extended
def test_server_without_its_store_is_not_ready(make, tmp_path):
    folder = tmp_path / "store"
    folder.mkdir()
    store = S3Engine(folder)
    try:
        server = make("ready", **blob_settings(store, prefix_of(tmp_path / "ready"))).start()
        assert requests.get(f"{server.url}/ready", timeout=15).status_code == 200
    finally:
        store.close()
    def reasons():
        response = requests.get(f"{server.url}/ready", timeout=15)
        return response.status_code == 503 and response.text
    assert "blob-store-unavailable" in eventually(reasons)
    # Requests that wait for the store do not keep the server from ending.
    assert server.stop() == 0


@pytest.mark.extended
def test_upload_survives_a_killed_server(make, database):
    server = make(**database).start()
    content = noise(4 * MB, 7)
    upload = begin_upload(server, content)
    server.kill()
    server = make(**database).start()
    path = upload
    offset = offset_of(server, path)
    assert offset == len(content) // 2
    send(server, path, offset, content[offset:])
    api = server.api()
    (record,) = api.get("/1.1/classes/_File").json()["results"]
    assert api.fetch(record["url"]).content == content
