"""Servers whose objects are in PostgreSQL: which database they take, what they lose, and what the commands do with it."""

import json
import shutil
import threading
import time

import pytest
import requests
from backups import STORAGE, assert_succeeds, back_up, blob_of, lcfile, restore
from client import ALPHA, Server, eventually
from databases import Postgres, database_of, execute

pytestmark = pytest.mark.long

SCHEMA = f"lcfile_{ALPHA.id}"
CONFIGURATION = 78


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    postgres = Postgres(tmp_path_factory.mktemp("engine"), "-c max_connections=400")
    yield postgres
    postgres.close()


@pytest.fixture
def make(new_server, postgres, tmp_path):
    """Makes a server on PostgreSQL; one for each name, and always the same database and storage."""

    def make(name="one", **settings):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        url = database_of(folder, postgres.url)
        return new_server(folder=folder, apps=(ALPHA,), **{"LCFILE_DATABASE_URL": url} | settings)

    return make


def database(server):
    return server.environment["LCFILE_DATABASE_URL"]


def marker(server):
    return server.storage / ALPHA.id / "lcfile.postgres"


def assert_does_not_start(server, *words, code=STORAGE):
    server.launch()
    assert server.wait(60) == code
    for word in words:
        assert word in server.errors


def fill(server, count=20):
    """Gives a server files and objects; returns the records of the files."""
    api = server.api()
    records = [api.store(f"file {number}".encode(), name=f"{number}.txt") for number in range(count)]
    for number, record in enumerate(records):
        photo = {"__type": "Pointer", "className": "_File", "objectId": record["objectId"]}
        response = api.post("/1.1/classes/Photo", json={"number": number, "photo": photo, "text": "照片\u0001"})
        assert response.status_code == 201, response.text
    return records


def contents(server):
    """All objects of the class and all records of files, in the order of their creation."""
    api = server.api(master=True)
    # The host of a URL is that of the server.
    return [
        json.dumps(api.get(f"/1.1/classes/{name}?limit=1000").json()["results"]).replace(server.url, "")
        for name in ("Photo", "_File")
    ]


# Which database


@pytest.mark.extended
def test_objects_are_in_a_schema_of_the_app_and_no_file_of_sqlite_is_made(make):
    server = make().start()
    fill(server, 3)
    assert execute(database(server), f"SELECT count(*) FROM \"{SCHEMA}\".class WHERE name = 'Photo'") == "1"
    assert marker(server).read_text().splitlines()[0] == f"schema: {SCHEMA}"
    assert not (server.storage / ALPHA.id / "lcfile.sqlite").exists()


@pytest.mark.extended
def test_objects_outlive_a_killed_server(make):
    server = make().start()
    fill(server)
    before = contents(server)
    server.kill()
    server = make().start()
    assert contents(server) == before
    assert server.stop() == 0


@pytest.mark.extended
def test_server_without_the_setting_refuses_to_start_beside_objects_in_postgres(make):
    server = make().start()
    server.stop()
    without = make(LCFILE_DATABASE_URL="")
    assert_does_not_start(without, "set database.url", SCHEMA, code=CONFIGURATION)
    assert not (server.storage / ALPHA.id / "lcfile.sqlite").exists()


@pytest.mark.extended
def test_storage_with_objects_in_sqlite_is_not_served_with_an_empty_schema(make):
    make(LCFILE_DATABASE_URL="").start().stop()
    server = make()
    assert_does_not_start(server, "has lcfile.sqlite", "lcfile migrate")
    assert not marker(server).exists()


@pytest.mark.extended
def test_schema_that_was_made_anew_is_refused(make):
    server = make().start()
    server.stop()
    execute(database(server), f'DROP SCHEMA "{SCHEMA}" CASCADE')
    assert_does_not_start(make(), "was created anew")


@pytest.mark.extended
def test_schema_with_objects_of_another_storage_is_refused(make):
    server = make().start()
    fill(server, 1)
    server.stop()
    other = make("two", LCFILE_DATABASE_URL=database(server))
    assert_does_not_start(other, "has the objects of another storage")
    assert not marker(other).exists()


@pytest.mark.extended
def test_second_server_with_a_copy_of_the_folder_is_refused_until_the_first_one_ends(make):
    server = make().start()
    records = fill(server, 1)
    copy = make("two", LCFILE_DATABASE_URL=database(server))
    shutil.copytree(server.storage, copy.storage, dirs_exist_ok=True)
    assert_does_not_start(copy, "is used by another server")
    # The first one was not disturbed, and a kill frees the schema at once.
    fill(server, 1)
    server.kill()
    copy.start()
    assert copy.api().get(f"/1.1/files/{records[0]['objectId']}").status_code == 200
    assert_does_not_start(make(), "is used by another server")


@pytest.mark.extended
def test_server_goes_on_after_the_database_ended_its_connections(make):
    server = make().start()
    fill(server, 1)
    execute(
        database(server),
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'lcfile'"
        " AND datname = current_database()",
    )
    fill(server, 1)
    locks = (
        "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
        " WHERE locktype = 'advisory' AND application_name = 'lcfile' AND datname = current_database()"
    )
    assert eventually(lambda: execute(database(server), locks) == "1")
    copy = make("two", LCFILE_DATABASE_URL=database(server))
    shutil.copytree(server.storage, copy.storage, dirs_exist_ok=True)
    assert_does_not_start(copy, "is used by another server")


@pytest.mark.extended
def test_start_that_ended_before_the_marker_goes_on(make):
    server = make().start()
    server.stop()
    marker(server).unlink()
    for name in ("blobs", "staging"):
        (server.storage / ALPHA.id / name).rmdir()
    server = make().start()
    fill(server, 1)
    assert marker(server).exists()


@pytest.mark.extended
def test_damaged_marker_is_refused(make):
    server = make().start()
    server.stop()
    marker(server).write_text("schema: \n")
    assert_does_not_start(make(), "lcfile.postgres is damaged")


@pytest.mark.few(1)
@pytest.mark.parametrize("address", ["postgres//user:secret@host", "http://host/name", "postgres://user:secret@[host/name"])
def test_address_that_is_none_is_refused_without_its_password(make, address):
    server = make(LCFILE_DATABASE_URL=address)
    assert_does_not_start(server, "database.url must be the address of a database", code=CONFIGURATION)
    assert "secret" not in server.errors


@pytest.mark.extended
def test_unreachable_database_ends_the_start_with_the_reason(make):
    server = make(LCFILE_DATABASE_URL="postgres://user:secret@127.0.0.1:1/name")
    assert_does_not_start(server, "cannot be opened", "port 1 failed")
    assert "secret" not in server.errors


def test_continuous_backup_of_sqlite_is_refused(make, tmp_path):
    server = make(LCFILE_BACKUP_TARGET=str(tmp_path / "backups"))
    assert_does_not_start(server, "backup.target", "database.url", code=CONFIGURATION)


# What is lost


def test_nothing_acknowledged_is_lost_when_the_database_crashes(make, postgres):
    server = make().start()
    acknowledged, statuses, stop = [], set(), threading.Event()

    def create():
        api = server.api()
        while not stop.is_set():
            try:
                response = api.post("/1.1/classes/Photo", json={"number": 1})
            except requests.ConnectionError:
                continue
            statuses.add(response.status_code)
            if response.status_code == 201:
                acknowledged.append(response.json()["objectId"])

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        count = len(acknowledged)
        assert eventually(lambda: len(acknowledged) > count + 20, 60)
        postgres.kill()
        statuses.clear()
        assert eventually(lambda: 503 in statuses, 60)
        assert eventually(lambda: requests.get(f"{server.url}/ready").status_code == 503, 60)
        assert requests.get(f"{server.url}/health?live").status_code == 200
        postgres.start()
    count = len(acknowledged)
    assert eventually(lambda: len(acknowledged) > count + 20, 60)
    stop.set()
    for thread in threads:
        thread.join()
    assert statuses <= {201, 503}
    assert eventually(lambda: requests.get(f"{server.url}/ready").status_code == 200, 60)
    api = server.api(master=True)
    found = set()
    for start in range(0, len(acknowledged), 100):
        where = json.dumps({"objectId": {"$in": acknowledged[start:start + 100]}})
        page = api.get("/1.1/classes/Photo", params={"where": where, "limit": 1000}).json()["results"]
        found |= {row["objectId"] for row in page}
    assert found == set(acknowledged)


@pytest.mark.extended
def test_files_are_served_while_the_database_is_away_only_if_their_records_are_known(make, postgres):
    server = make().start()
    known, unknown = fill(server, 2)
    assert server.api().fetch(known["url"]).status_code == 200
    postgres.kill()
    try:
        assert server.api().fetch(unknown["url"]).status_code == 503
        upload = server.api().store_raw(b"new", "new.txt")
        # A code of its own: it is not the 503 of a read-only storage, whose reads go on.
        assert (upload.status_code, upload.json()["code"], upload.headers["Retry-After"]) == (503, 511, "1")
        assert "database" in upload.json()["error"]
        assert requests.get(f"{server.url}/health").status_code == 200
    finally:
        postgres.start()
    assert eventually(lambda: server.api().fetch(unknown["url"]).status_code == 200, 60)
    assert server.api().fetch(known["url"]).content == b"file 0"


# Commands


@pytest.mark.extended
def test_backup_is_restored_as_a_storage_with_sqlite(make, tmp_path):
    server = make().start()
    fill(server)
    before = contents(server)
    backup, restored = tmp_path / "backup", tmp_path / "three" / "storage"
    variables = {"LCFILE_DATABASE_URL": database(server)}
    assert_succeeds(lcfile("backup", "--storage", server.storage, backup, **variables))
    assert not (backup / ALPHA.id / "lcfile.postgres").exists()
    server.stop()
    restored.parent.mkdir()
    assert_succeeds(restore(backup, restored))
    copy = make("three", LCFILE_DATABASE_URL="").start()
    assert contents(copy) == before
    assert copy.api().count() == 20


def test_backup_without_the_setting_names_it(make, tmp_path):
    server = make().start()
    result = back_up(server, tmp_path / "backup")
    assert (result.returncode, "set database.url" in result.stderr) == (STORAGE, True), result.stderr
    assert not (tmp_path / "backup").exists()


@pytest.mark.extended
def test_check_finds_what_is_missing_and_what_is_too_much(make):
    server = make().start()
    records = fill(server, 3)
    variables = {"LCFILE_DATABASE_URL": database(server)}
    check = ("check", "--storage", server.storage, "--json")
    assert lcfile(*check, **variables).returncode == 0
    missing = blob_of(records[0], server.storage)
    extra = server.storage / ALPHA.id / "blobs" / ("00" * 1) / ("00" * 32)
    missing.rename(missing.parent / "kept")
    extra.parent.mkdir(exist_ok=True)
    extra.write_bytes(b"orphan")
    result = lcfile(*check, **variables)
    assert result.returncode == 65, result.stderr
    assert records[0]["objectId"] in result.stdout and "00" * 32 in result.stdout
    (missing.parent / "kept").rename(missing)
    server.stop()
    assert lcfile(*check, "--repair", **variables).returncode == 0
    assert not extra.exists()
    assert lcfile(*check, **variables).returncode == 0


@pytest.mark.extended
def test_check_of_a_server_that_stores_and_deletes_finds_nothing(make):
    server = make().start()
    stop = threading.Event()

    def work():
        api, master = server.api(), server.api(master=True)
        while not stop.is_set():
            record = api.store(b"short-lived", name="s.txt")
            assert master.delete(record["objectId"]).status_code == 200

    thread = threading.Thread(target=work)
    thread.start()
    try:
        end = time.monotonic() + 60
        for _ in range(5):
            result = lcfile("check", "--storage", server.storage, "--json", LCFILE_DATABASE_URL=database(server))
            assert result.returncode == 0, result.stdout + result.stderr
            assert time.monotonic() < end
    finally:
        stop.set()
        thread.join()


@pytest.mark.extended
def test_doctor_examines_the_database(make):
    server = make().start()
    result = lcfile("doctor", "--storage", server.storage, LCFILE_DATABASE_URL=database(server))
    # The server of the tests writes without syncs, which the doctor calls a problem.
    assert "fsync and full_page_writes of the database are off" in result.stdout.replace("\n", " ")
    assert "PostgreSQL" in result.stdout
