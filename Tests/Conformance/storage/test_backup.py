"""lcfile backup and lcfile restore: what is copied fits together, is whole or is not there, and comes back."""

import contextlib
import hashlib
import signal
import subprocess
import threading

import pytest
import requests
from backups import INCOMPLETE, STORAGE, USAGE, assert_succeeds, back_up, blob_of, command, lcfile, restore
from cases import count
from client import ALPHA, BETA, TIMEOUT, Server, clean_environment, eventually
from failing_calls import FailingCalls, state

pytestmark = pytest.mark.long

# Records are read in pages of this many; those of a page are copied before the next is read.
PAGE = 256


def assert_refused(result, *words):
    assert result.returncode == STORAGE
    (line,) = result.stderr.splitlines()
    assert line.startswith("lcfile: ")
    for word in words:
        assert str(word) in line


def bytes_of(name):
    size = int.from_bytes(hashlib.sha256(name.encode()).digest()[:2], "big") * 3
    return hashlib.shake_128(name.encode()).digest(size)


def all_of(api, name):
    results = []
    while True:
        page = api.get(f"/1.1/classes/{name}?limit=1000&skip={len(results)}&order=createdAt,objectId").json()["results"]
        results += page
        if not page:
            return results


def assert_every_record_has_its_bytes(api):
    records = all_of(api, "_File")
    for record in records:
        assert api.fetch(record["url"]).content == bytes_of(record["name"]), record
    return records


def fill(server):
    """Gives a server files and objects in two apps, none of which is ever deleted; returns it with their ids."""
    api = server.api()
    files = [api.store(bytes_of(f"kept-{number}"), name=f"kept-{number}") for number in range(10)]
    files.append(api.store(bytes_of("照片"), name="照片", prefix="a/b"))
    objects = [api.post("/1.1/classes/Task", json={"number": number, "photo": files[0]["objectId"]}) for number in range(10)]
    assert all(response.status_code == 201 for response in objects)
    server.api(BETA).store(bytes_of("beta"), name="beta")
    return server, {file["objectId"] for file in files}, {response.json()["objectId"] for response in objects}


@pytest.fixture
def filled(new_server):
    """A server of the test's own that runs, the ids of its files and those of its objects."""
    return fill(new_server().start())


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A server of the module's own, with the same files; tests add some and neither delete any nor stop it."""
    server = Server(tmp_path_factory.mktemp("running")).start()
    fill(server)
    yield server
    assert server.stop() == 0


@contextlib.contextmanager
def changes(server, threads=3):
    """Uploads, deletes and makes objects for as long as the block runs; yields what went wrong."""
    stop, problems, done = threading.Event(), [], []

    def run(thread):
        api, master = server.api(), server.api(master=True)
        number = 0
        while not stop.is_set():
            try:
                names = [f"{thread}-{number}-{letter}" for letter in "ab"]
                first, second = [api.store(bytes_of(name), name=name) for name in names]
                assert master.delete(first["objectId"]).status_code == 200
                assert api.post("/1.1/classes/Task", json={"file": second["objectId"]}).status_code == 201
            except (AssertionError, requests.RequestException) as problem:
                problems.append(problem)
                return
            number += 1
            done.append(number)

    running = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(threads)]
    for thread in running:
        thread.start()
    try:
        assert eventually(lambda: len(done) >= threads or problems)
        yield problems
    finally:
        stop.set()
        for thread in running:
            thread.join(timeout=TIMEOUT)


@pytest.mark.extended
def test_backup_of_a_server_that_works_is_consistent(filled, new_server, tmp_path):
    (server, files, objects), backups = filled, count(2, 5)
    with changes(server) as problems:
        for number in range(backups):
            assert_succeeds(back_up(server, tmp_path / f"backup-{number}"))
    assert problems == []
    for number in range(backups):
        storage = tmp_path / f"storage-{number}"
        assert_succeeds(restore(tmp_path / f"backup-{number}", storage))
        restored = new_server(storage=storage).start()
        api = restored.api()
        assert files <= {record["objectId"] for record in assert_every_record_has_its_bytes(api)}
        assert objects <= {task["objectId"] for task in all_of(api, "Task")}
        assert {record["name"] for record in assert_every_record_has_its_bytes(restored.api(BETA))} == {"beta"}
        # As many blobs as records: what was uploaded after the copy of the database is in neither.
        assert len(restored.blobs()) == len(all_of(api, "_File"))
        assert restored.stop() == 0


@pytest.mark.smoke
def test_backup_of_a_server_that_was_stopped(filled, new_server, tmp_path):
    server, files, _ = filled
    assert server.stop() == 0
    assert_succeeds(back_up(server, tmp_path / "backup"))
    assert_succeeds(restore(tmp_path / "backup", tmp_path / "storage"))
    restored = new_server(storage=tmp_path / "storage").start()
    assert {record["objectId"] for record in assert_every_record_has_its_bytes(restored.api())} == files


@pytest.mark.extended
def test_backup_of_a_server_that_was_killed(filled, new_server, tmp_path):
    server, files, objects = filled
    server.kill()
    assert_succeeds(back_up(server, tmp_path / "backup"))
    assert_succeeds(restore(tmp_path / "backup", tmp_path / "storage"))
    restored = new_server(storage=tmp_path / "storage").start()
    assert {record["objectId"] for record in assert_every_record_has_its_bytes(restored.api())} == files
    assert {task["objectId"] for task in all_of(restored.api(), "Task")} == objects
    # And the storage that was backed up is as good as before.
    assert {record["objectId"] for record in assert_every_record_has_its_bytes(server.start().api())} == files


@pytest.mark.extended
def test_both_commands_tell_how_much(new_server, tmp_path):
    server = new_server().start()
    server.api().store(b"12345", name="a.txt")
    server.api().store(b"", name="empty.txt")
    assert assert_succeeds(back_up(server, tmp_path / "backup")) == f"Backed up 2 apps, 2 files, 5 bytes to {tmp_path}/backup.\n"
    said = assert_succeeds(restore(tmp_path / "backup", tmp_path / "storage"))
    assert said == f"Restored 2 apps, 2 files, 5 bytes to {tmp_path}/storage.\n"


@pytest.mark.extended
def test_generated_app_keeps_its_keys(new_server, tmp_path):
    server = new_server(apps=()).start()
    app = server.generated
    record = server.api(app).store(bytes_of("x"), name="x")
    assert_succeeds(back_up(server, tmp_path / "backup"))
    assert_succeeds(restore(tmp_path / "backup", tmp_path / "storage"))
    restored = new_server(apps=(), storage=tmp_path / "storage").start()
    assert restored.generated == app
    (again,) = assert_every_record_has_its_bytes(restored.api(app))
    assert again["objectId"] == record["objectId"]


@pytest.mark.extended
def test_storage_is_named_by_the_environment(running, tmp_path):
    server = running
    assert_succeeds(lcfile("backup", tmp_path / "backup", LCFILE_STORAGE=str(server.storage)))
    assert_succeeds(lcfile("restore", tmp_path / "backup", LCFILE_STORAGE=str(tmp_path / "storage")))
    assert (tmp_path / "storage" / ALPHA.id / "lcfile.sqlite").exists()


def test_databases_in_a_backup_are_plain_files(running, tmp_path):
    assert_succeeds(back_up(running, tmp_path / "backup"))
    names = {path.name for path in (tmp_path / "backup" / ALPHA.id).iterdir()}
    assert names == {"lcfile.sqlite", "blobs", "staging"}
    assert (tmp_path / "backup" / ALPHA.id / "lcfile.sqlite").read_bytes()[18:20] == b"\x01\x01"
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o700


# While a backup runs: it is stopped where it opens a blob, after the copy of the database.

@pytest.fixture
def held_up(new_server, tmp_path):
    """A server with more than a page of files, and a backup of it that waits at a blob of the first page."""
    server = new_server().start()
    api = server.api()
    # A form takes less time for each file. The files behind the page have a form of their own and come last.
    forms = [[("file", ("x.txt", b"x"))] * count for count in (*[PAGE // 4] * 4, 10)]
    records = [record for form in forms for record in api.form(*form).json()["results"]]
    calls = FailingCalls(tmp_path / "calls", server.storage)
    calls.stop_at("open", blob_of(records[0], server.storage).name)
    backup = tmp_path / "backup"
    process = subprocess.Popen(
        command("backup", "--storage", server.storage, backup), env=clean_environment(**calls.environment),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert eventually(lambda: state(process) == "T")
    yield server, records, backup, process
    process.kill()
    process.wait(timeout=TIMEOUT)
    process.stdout.close()
    process.stderr.close()


def go_on(process):
    """Lets a backup finish; returns what it prints."""
    process.send_signal(signal.SIGCONT)
    output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, errors
    return output


def test_file_deleted_during_a_backup_is_in_it_neither_as_record_nor_as_bytes(held_up, tmp_path):
    server, records, backup, process = held_up
    master = server.api(master=True)
    for record in records[PAGE:PAGE + 3]:
        assert master.delete(record["objectId"]).status_code == 200
    assert eventually(lambda: not any(blob_of(record, server.storage).exists() for record in records[PAGE:PAGE + 3]))
    assert "Left out 3 files that the server deleted" in go_on(process)
    assert f" {len(records) - 3} files" in assert_succeeds(restore(backup, tmp_path / "storage"))


@pytest.mark.extended
def test_file_uploaded_during_a_backup_is_not_in_it(held_up, tmp_path):
    server, records, backup, process = held_up
    server.api().store(b"new", name="new.txt")
    assert f" {len(records)} files" in go_on(process)
    assert f" {len(records)} files" in assert_succeeds(restore(backup, tmp_path / "storage"))


@pytest.mark.extended
def test_killed_backup_leaves_no_folder_of_that_name_and_can_be_repeated(held_up):
    server, records, backup, process = held_up
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=TIMEOUT)
    assert not backup.exists()
    assert (backup.parent / "backup.partial").exists()
    assert_refused(restore(backup.parent / "backup.partial", backup.parent / "storage"), "interrupted")
    assert not (backup.parent / "storage").exists()
    assert f" {len(records)} files" in assert_succeeds(back_up(server, backup))
    assert not (backup.parent / "backup.partial").exists()


def test_second_backup_to_the_same_folder_is_refused(held_up):
    server, _, backup, process = held_up
    assert_refused(back_up(server, backup), "another backup", backup)
    assert process.poll() is None


# Refusals

def test_backup_to_a_folder_that_exists(running, tmp_path):
    (tmp_path / "backup").mkdir()
    assert_refused(back_up(running, tmp_path / "backup"), tmp_path / "backup", "exists")
    assert list((tmp_path / "backup").iterdir()) == []


def test_backup_into_a_folder_that_does_not_exist(running, tmp_path):
    assert_refused(back_up(running, tmp_path / "no" / "where"), tmp_path / "no" / "where")


def test_backup_next_to_a_partial_folder_of_somebody_else(running, tmp_path):
    (tmp_path / "backup.partial").mkdir()
    (tmp_path / "backup.partial" / "thesis.txt").write_text("mine")
    assert_refused(back_up(running, tmp_path / "backup"), "backup.partial")
    assert (tmp_path / "backup.partial" / "thesis.txt").read_text() == "mine"


def test_backup_of_a_storage_that_does_not_exist(tmp_path):
    assert_refused(lcfile("backup", "--storage", tmp_path / "nowhere", tmp_path / "backup"), tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.extended
def test_damaged_blob_is_named_by_the_restore(running, tmp_path):
    server = running
    whole = bytes_of("damaged")
    other = bytes([whole[0] ^ 1]) + whole[1:]
    record = server.api().store(whole, name="damaged")
    assert_succeeds(back_up(server, tmp_path / "backup"))
    blob = blob_of(record, tmp_path / "backup")
    for content, words in [(other, "digest"), (whole[:2], "2 bytes"), (None, "missing")]:
        blob.unlink()
        if content is not None:
            blob.write_bytes(content)
        assert_refused(restore(tmp_path / "backup", tmp_path / "storage"), record["objectId"], words)
        assert not (tmp_path / "storage").exists()
    blob.write_bytes(other)
    assert_succeeds(restore(tmp_path / "backup", tmp_path / "storage", "--quick"))


def test_damaged_database_is_named_by_the_restore(running, tmp_path):
    assert_succeeds(back_up(running, tmp_path / "backup"))
    database = tmp_path / "backup" / ALPHA.id / "lcfile.sqlite"
    content = bytearray(database.read_bytes())
    content[4096 * 2:-4096] = b"\xff" * len(content[4096 * 2:-4096])
    database.write_bytes(content)
    assert_refused(restore(tmp_path / "backup", tmp_path / "storage"), database)
    assert not (tmp_path / "storage").exists()


def test_restore_into_a_storage_with_content(running, tmp_path):
    server = running
    assert_succeeds(back_up(server, tmp_path / "backup"))
    before = sorted(server.storage.rglob("*"))
    assert_refused(restore(tmp_path / "backup", server.storage), server.storage, "not empty")
    assert sorted(server.storage.rglob("*")) == before
    assert server.is_healthy()


@pytest.mark.extended
def test_restore_into_an_empty_folder(running, tmp_path):
    assert_succeeds(back_up(running, tmp_path / "backup"))
    (tmp_path / "storage").mkdir()
    assert_succeeds(restore(tmp_path / "backup", tmp_path / "storage"))


def test_restore_from_what_is_no_backup(running, tmp_path):
    server = running
    for folder in (server.storage, tmp_path / "nowhere"):
        assert_refused(restore(folder, tmp_path / "storage"), folder)
    assert not (tmp_path / "storage").exists()


@pytest.mark.extended
def test_no_server_starts_on_a_restore_that_was_cut_off(running, new_server, tmp_path):
    server = running
    assert_succeeds(back_up(server, tmp_path / "backup"))
    (tmp_path / "storage" / "restore.partial" / ALPHA.id).mkdir(parents=True)
    other = new_server(storage=tmp_path / "storage").launch()
    assert other.wait() == STORAGE
    assert "restore.partial" in other.errors
    assert_succeeds(restore(tmp_path / "backup", tmp_path / "storage"))
    assert assert_every_record_has_its_bytes(other.start().api())


@pytest.mark.parametrize("arguments", [
    ("backup",), ("restore",), ("backup", ""), ("backup", "a", "b"), ("backup", "--storage", "", "a"), ("restore", "a", "--slow"),
])
def test_wrong_usage(arguments):
    assert lcfile(*arguments).returncode == USAGE


@pytest.mark.extended
@pytest.mark.disk
def test_restore_of_an_incomplete_backup_says_what_it_lacks(new_server, tmp_path):
    server, backup = new_server().start(), tmp_path / "backup"
    record = server.api().store(b"lost", name="a.txt")
    server.api().store(b"there", name="b.txt")
    blob_of(record, server.storage).unlink()
    assert back_up(server, backup).returncode == INCOMPLETE
    assert (backup / "backup.txt").read_text() == "lcfile backup 1\ndamaged: 1\n"
    restored = restore(backup, tmp_path / "storage")
    assert restored.returncode == INCOMPLETE and "the backup lacks 1 file," in restored.stderr, restored.stderr
    assert " 1 file," in restored.stdout
