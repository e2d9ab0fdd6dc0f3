"""A storage moves to PostgreSQL and a bucket, to another bucket and back, while clients upload, replace and delete: first
copies beside the server, which are killed, then a short stop for the rest."""

import random
import signal
import subprocess
import threading

import pytest
from backups import assert_succeeds, command, lcfile
from bucket_servers import engine, make, postgres, prefix, settings_of, url, without_bucket
from buckets import blob_settings, blobs, objects
from client import ALPHA, TIMEOUT, clean_environment, eventually
from starting import STORAGE, assert_does_not_start
from uploading import metadata, noise

pytestmark = pytest.mark.long

TRASH = {"LCFILE_TRASH_KEEP": "3600"}
TUS = {"Tus-Resumable": "1.0.0"}


class Traffic:
    """Clients that upload files, replace those under keys that they chose, and delete some into the trash; with what the
    server has answered."""

    def __init__(self, server, seed):
        self.random = random.Random(seed)
        self.api, self.master = server.api(), server.api(master=True)
        self.server, self.contents, self.count, self.faults = server, {}, 0, []
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join(timeout=2 * TIMEOUT)
        assert not self.thread.is_alive()
        assert self.faults == []

    def run(self):
        try:
            while not self.stopped.is_set():
                self.step()
        except Exception as fault:
            self.faults.append(fault)

    def step(self):
        self.count += 1
        content = noise(self.random.choice([0, 10, 1000, 70_000, 300_000]), self.count)
        kind = self.count % 4
        if kind == 0:
            self.delete(self.random.choice(list(self.contents)))
        elif kind == 1:
            self.replace(f"chosen/{self.count % 5}.bin", content)
        else:
            self.contents[self.api.store(content, name=f"{self.count}.bin")["objectId"]] = content

    def delete(self, id):
        assert self.master.delete(id).status_code == 200
        del self.contents[id]

    def replace(self, key, content):
        """Deletes the file of a key, if there is one, and stores another one under it."""
        found = self.master.get("/1.1/classes/_File", params={"where": '{"key":"%s"}' % key}).json()["results"]
        for file in found:
            self.delete(file["objectId"])
        response = self.master.post("/1.1/uploads", headers=TUS | {
            "Upload-Length": str(len(content)), "Upload-Metadata": metadata(filename="x.bin", key=key)})
        assert response.status_code == 201, response.text
        path = response.headers["Location"].removeprefix(self.server.url)
        if content:
            response = self.master.call("PATCH", path, data=content, headers=TUS | {
                "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"})
            assert response.status_code == 204, response.text
        (file,) = self.master.get("/1.1/classes/_File", params={"where": '{"key":"%s"}' % key}).json()["results"]
        self.contents[file["objectId"]] = content


def assert_has(server, contents):
    api, master = server.api(), server.api(master=True)
    assert master.count() == len(contents)
    for id, content in contents.items():
        assert api.fetch(api.get(f"/1.1/files/{id}").json()["url"]).content == content, id


def trashed(server):
    return {entry["objectId"] for entry in server.api(master=True).get("/1.1/trash?limit=1000").json()["results"]}


def arguments(server, destination, *options):
    return ["migrate", "--blobs-to", destination, "--storage", server.storage, "--config", server.folder / "lcfile.yaml",
            *options]


def migrate(server, destination, *options):
    return lcfile(*arguments(server, destination, *options), **settings_of(server))


def copy_with_kill(server, destination, reached, *options):
    """Copies beside a server; the first run is killed when it has reached something."""
    process = subprocess.Popen(
        command(*arguments(server, destination, "--copy-only", *options)), env=clean_environment(**settings_of(server)),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert eventually(lambda: process.poll() is not None or reached())
    process.send_signal(signal.SIGKILL)
    process.wait()
    output = assert_succeeds(migrate(server, destination, "--copy-only", *options))
    assert "nothing was switched" in output
    return output


def copy_objects(server, database, url):
    """Copies the objects beside a server; the first run is killed at any moment."""
    words = ["migrate", "--to", database, "--copy-only", "--storage", server.storage]
    process = subprocess.Popen(
        command(*words), env=clean_environment(LCFILE_DATABASE_URL=url), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        process.wait(timeout=random.uniform(0, 1))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for _ in range(2):
        output = assert_succeeds(lcfile(*words, LCFILE_DATABASE_URL=url))
        assert output.startswith("Copied ") and "nothing was switched" in output


def move_objects(server, database, url):
    """Moves the objects of a stopped server, of which a copy was made before."""
    result = lcfile("migrate", "--to", database, "--storage", server.storage, LCFILE_DATABASE_URL=url)
    assert (result.returncode, result.stdout[:6]) == (0, "Moved "), result.stderr


def assert_moves(result):
    assert result.returncode == 0, result.stderr
    assert "Moved the files" in result.stdout


def folder_blobs(server):
    return [path for path in (server.storage / ALPHA.id / "blobs").rglob("*") if path.is_file()]


@pytest.mark.extended
def test_storage_moves_to_postgresql_and_a_bucket_and_back_under_load(make, engine, prefix, url):
    server = without_bucket(make, **TRASH).start()
    with Traffic(server, 1) as traffic:
        assert eventually(lambda: traffic.count > 40)
        copy_with_kill(make(**TRASH), "bucket", lambda: len(blobs(engine, prefix, ALPHA)) > 3)
        copy_objects(server, "postgresql", url)
        seen = traffic.count
        # What changes after the copy.
        assert eventually(lambda: traffic.count > seen + 20)
    entries = trashed(server)
    server.stop()
    # The objects first: the bucket's id of the copy is then not that of the schema.
    moved = make(LCFILE_DATABASE_URL=url, **TRASH)
    move_objects(server, "postgresql", url)
    assert_moves(migrate(moved, "bucket"))
    moved.start()
    assert_has(moved, traffic.contents)
    assert trashed(moved) == entries
    # Nothing of files that were deleted after the copy.
    assert len(blobs(engine, prefix, ALPHA)) == len(traffic.contents)

    former = {path.name for path in folder_blobs(server)}
    with Traffic(moved, 2) as back:
        back.contents |= traffic.contents
        assert eventually(lambda: back.count > 20)
        copy_with_kill(moved, "folder", lambda: {path.name for path in folder_blobs(server)} - former)
        copy_objects(server, "sqlite", url)
        seen = back.count
        assert eventually(lambda: back.count > seen + 20)
    entries = trashed(moved)
    assert moved.stop() == 0
    # A server that ended by itself has left; the move need not wait for it.
    assert_moves(migrate(moved, "folder"))
    move_objects(server, "sqlite", url)
    home = without_bucket(make, **TRASH).start()
    assert_has(home, back.contents)
    assert trashed(home) == entries
    assert len(folder_blobs(server)) == len(back.contents)
    assert not (server.storage / ALPHA.id / "lcfile.copied").exists()
    assert not (server.storage / ALPHA.id / "lcfile.sqlite.copy").exists()
    assert_succeeds(lcfile("check", "--read-data", "--storage", server.storage))


def configuration_of(server, path):
    """The bucket of a server as a configuration file."""
    value = server.environment
    path.write_text(
        f"blobs:\n  store: {value['LCFILE_BLOBS_STORE']}\n  s3:\n    endpoint: {value['LCFILE_BLOBS_S3_ENDPOINT']}\n"
        f"    region: {value['LCFILE_BLOBS_S3_REGION']}\n    accessKey: {value['LCFILE_BLOBS_S3_ACCESS_KEY']}\n"
        f"    secretKey: {value['LCFILE_BLOBS_S3_SECRET_KEY']}\n")
    return path


@pytest.mark.extended
def test_blobs_move_from_one_bucket_to_another_under_load(make, engine, prefix, tmp_path):
    server = make(**TRASH).start()
    other = f"{prefix}-other"
    moved = make(**blob_settings(engine, other), **TRASH)
    former = ["--from", configuration_of(server, tmp_path / "former.yaml")]
    with Traffic(server, 3) as traffic:
        assert eventually(lambda: traffic.count > 20)
        copy_with_kill(moved, "bucket", lambda: len(blobs(engine, other, ALPHA)) > 3, *former)
        seen = traffic.count
        assert eventually(lambda: traffic.count > seen + 10)
    entries = trashed(server)
    server.stop()
    assert_does_not_start(make(**blob_settings(engine, other), **TRASH), STORAGE)
    # Cut off at any moment.
    process = subprocess.Popen(
        command(*arguments(moved, "bucket", *former)), env=clean_environment(**settings_of(moved)),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    process.kill()
    process.wait()
    assert_moves(migrate(moved, "bucket", *former))
    assert "there already" in assert_succeeds(migrate(moved, "bucket", *former))
    assert_does_not_start(make(**TRASH), STORAGE)
    started = make(**blob_settings(engine, other), **TRASH).start()
    assert_has(started, traffic.contents)
    assert trashed(started) == entries
    assert len(blobs(engine, other, ALPHA)) == len(traffic.contents)


def test_copy_is_refused_where_it_would_harm(make, engine, prefix, tmp_path):
    """A bucket of another storage, one bucket twice, and --from for blobs in a folder."""
    make("other", **TRASH).start().stop()
    server = without_bucket(make).start()
    server.api().store(b"bytes", name="a.txt")
    target = make()
    before = objects(engine, prefix)
    result = migrate(target, "bucket", "--copy-only")
    assert result.returncode == STORAGE and "another storage" in result.stderr
    assert objects(engine, prefix) == before
    file = configuration_of(target, tmp_path / "same.yaml")
    assert "in both configurations" in migrate(target, "bucket", "--from", file).stderr
    moved = make(**blob_settings(engine, f"{prefix}-new"))
    assert "omit --from" in migrate(moved, "bucket", "--copy-only", "--from", file).stderr
    # The server has the lock of its folder; without --copy-only the move waits for its end.
    assert migrate(moved, "bucket").returncode == STORAGE
    assert_succeeds(migrate(moved, "bucket", "--copy-only"))
