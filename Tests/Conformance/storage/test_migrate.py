"""lcfile migrate: all objects move to PostgreSQL and back, also if the command is killed, and servers find them."""

import json
import subprocess

import pytest
from backups import STORAGE, assert_succeeds, command, lcfile, restore
from client import ALPHA, Server, clean_environment
from databases import Postgres, database_of

pytestmark = pytest.mark.long

SETTING = 78


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    engine = Postgres(tmp_path_factory.mktemp("engine"))
    yield engine
    engine.close()


@pytest.fixture
def server(tmp_path):
    """A server on SQLite, stopped, with objects, a file and a relation."""
    server = Server(tmp_path, LCFILE_DATABASE_URL="").start()
    api = server.api(master=True)
    file = api.store(b"bytes", name="a.txt")
    for number in range(30):
        fields = {"number": number, "text": "é😀\u0001", "photo": file["objectId"], "ACL": {file["objectId"]: {"read": True}}}
        created = api.post("/1.1/classes/Task", json=fields)
        assert created.status_code == 201, created.text
    first, second = [row["objectId"] for row in contents(server)["Task"][:2]]
    pointer = {"__type": "Pointer", "className": "Task", "objectId": second}
    likes = {"likes": {"__op": "AddRelation", "objects": [pointer]}}
    assert api.call("PUT", f"/1.1/classes/Task/{first}", json=likes).status_code == 200
    server.stop()
    yield server
    server.stop()


def contents(server):
    api = server.api(master=True)
    found = {
        name: api.get(f"/1.1/classes/{name}?limit=1000&order=createdAt,objectId").json()["results"]
        for name in ["Task", "_File"]
    }
    # The port is another one.
    for file in found["_File"]:
        assert api.fetch(file.pop("url")).content == b"bytes"
    owner = {"__type": "Pointer", "className": "Task", "objectId": found["Task"][0]["objectId"]}
    related = json.dumps({"$relatedTo": {"key": "likes", "object": owner}})
    found["likes"] = api.get("/1.1/classes/Task", params={"where": related}).json()["results"]
    return found


def served(server, url):
    """What a server finds that runs on SQLite or on a database."""
    server.environment["LCFILE_DATABASE_URL"] = url
    server.start()
    try:
        return contents(server)
    finally:
        server.stop()


def migrate(server, kind, url):
    return lcfile("migrate", "--storage", server.storage, "--to", kind, LCFILE_DATABASE_URL=url)


@pytest.mark.extended
def test_objects_move_there_and_back_and_a_backup_between_can_be_restored(server, postgres, tmp_path):
    before = served(server, "")
    assert len(before["Task"]) == 30
    url = database_of(server.storage, postgres.url)
    result = migrate(server, "postgresql", url)
    assert result.returncode == 0, result.stderr
    assert f"objects of app {ALPHA.id}." in result.stdout
    folder = server.storage / ALPHA.id
    assert (folder / "lcfile.postgres").exists() and not (folder / "lcfile.sqlite").exists()
    assert served(server, url) == before

    assert_succeeds(lcfile("backup", "--storage", server.storage, tmp_path / "backup", LCFILE_DATABASE_URL=url))
    assert_succeeds(restore(tmp_path / "backup", tmp_path / "restored"))
    (tmp_path / "other").mkdir()
    other = Server(tmp_path / "other", storage=tmp_path / "restored", LCFILE_DATABASE_URL="")
    assert served(other, "") == before

    result = migrate(server, "sqlite", url)
    assert result.returncode == 0, result.stderr
    assert (folder / "lcfile.sqlite").exists() and not (folder / "lcfile.postgres").exists()
    assert served(server, "") == before


@pytest.mark.extended
@pytest.mark.parametrize("kind", ["postgresql", "sqlite"])
def test_a_killed_move_loses_nothing_and_the_next_one_ends_it(server, postgres, kind):
    before = served(server, "")
    url = database_of(server.storage, postgres.url)
    if kind == "sqlite":
        assert migrate(server, "postgresql", url).returncode == 0
    for time in [0.3, 0.6, 0.9, 1.2]:
        process = subprocess.Popen(
            command("migrate", "--storage", server.storage, "--to", kind),
            env=clean_environment(LCFILE_DATABASE_URL=url), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(timeout=time)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    result = migrate(server, kind, url)
    assert result.returncode == 0, result.stderr
    assert served(server, url if kind == "postgresql" else "") == before


def test_a_move_is_refused_while_a_server_runs_and_without_the_setting(server, postgres):
    url = database_of(server.storage, postgres.url)
    server.start()
    assert migrate(server, "postgresql", url).returncode == STORAGE
    server.stop()
    assert migrate(server, "postgresql", "").returncode == SETTING
    assert (server.storage / ALPHA.id / "lcfile.sqlite").exists()
