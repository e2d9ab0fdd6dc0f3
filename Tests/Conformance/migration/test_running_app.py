"""lcfile import leancloud --from: a running app, and what changes in it; lcfile export and the way back."""

import re
from urllib.parse import quote

import pytest
from accounts import log_in
from client import Server
from commands import FAILED, SERVER, USAGE, credentials_of, lcfile
from exports import OLD, OldApp, difference, write_folder
from file_domain import FileDomain
from leancloud_server import LeanCloudServer

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    folder = tmp_path_factory.mktemp("old")
    app = OldApp(objects=300, files=20)
    domain = FileDomain(folder / "domain").put_all(app).start()
    app.export = write_folder(app, folder / "export")
    app.server = LeanCloudServer(app)
    yield app
    app.server.close()
    domain.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("new"), apps=(OLD,)).start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def journal(tmp_path_factory):
    return tmp_path_factory.mktemp("journal") / "old.journal"


def run(server, old, journal, *arguments, key=OLD.master):
    return lcfile(
        "import", "leancloud", "--from", old.server.url, "--source-app-id", OLD.id, "--journal", journal, *arguments,
        LEANCLOUD_MASTER_KEY=key, **credentials_of(server.url, OLD, master=OLD.master),
    )


@pytest.fixture(scope="module")
def imported(server, old, journal):
    """The server with what the app had at first."""
    result = run(server, old, journal, "--users", old.export)
    assert result.returncode == 0, result.stderr
    return server


@pytest.mark.extended
def test_running_app_is_imported_and_then_its_changes(old, imported, journal):
    server = imported
    changes = old.server.state.change_some()
    result = run(server, old, journal)
    assert result.returncode == 0, result.stderr
    api = server.api(OLD, master=True)
    for name, id in changes.updated + changes.added:
        new = api.get(f"/1.1/classes/{name}/{id}?returnACL=true").json()
        expected = {"ACL": {"*": {"read": True, "write": True}}} | old.server.state.objects[name][id]
        assert difference(expected, new) == {}
    result = run(server, old, journal, "--verify")
    assert "that are not in the export" in result.stderr


@pytest.mark.extended
def test_app_that_fails_now_and_then_is_read_to_its_end(old, server, tmp_path):
    faults = old.server.faults
    faults.error_share = 0.1
    faults.fail_next(2, 429)
    faults.lose_next(2)
    try:
        result = run(server, old, tmp_path / "j", "--users", old.export, "--retries", "20")
    finally:
        faults.error_share = 0
    assert result.returncode == 0, result.stderr
    assert faults.planned == [] and faults.lost == 0, "the faults were not met"


def test_run_after_an_interrupted_one_takes_what_changed_meanwhile(old, new_server, tmp_path):
    """The first run reads the app and does not reach the new server."""
    server = new_server(apps=(OLD,))
    server.start().kill()
    result = run(server, old, tmp_path / "j", "--retries", "0")
    assert result.returncode == SERVER and (tmp_path / "j.source/begun").exists()
    id = next(iter(old.server.state.objects["Country"]))
    old.server.state.update("Country", id, note="changed meanwhile")
    server.start()
    result = run(server, old, tmp_path / "j")
    assert result.returncode == 0, result.stderr
    assert server.api(OLD, master=True).get(f"/1.1/classes/Country/{id}").json()["note"] == "changed meanwhile"


def test_run_that_stops_after_an_interrupted_one_does_not_end_well(old, new_server, tmp_path):
    """A second pass would only continue the download of the first, and lack what has changed since that began."""
    server = new_server(apps=(OLD,))
    server.start().kill()
    assert run(server, old, tmp_path / "j", "--retries", "0").returncode == SERVER
    id = next(iter(old.server.state.objects["Country"]))
    old.server.state.update("Country", id, note="changed before the stop")
    server.start()
    old.server.faults.fail_next(1, 403)
    result = run(server, old, tmp_path / "j", "--retries", "0")
    assert result.returncode == FAILED and (tmp_path / "j.source/begun").exists(), result.stderr
    result = run(server, old, tmp_path / "j")
    assert result.returncode == 0, result.stderr
    note = server.api(OLD, master=True).get(f"/1.1/classes/Country/{id}").json()["note"]
    assert note == "changed before the stop"


def test_passwords_of_an_older_export_leave_newer_fields(old, new_server, tmp_path):
    """--users after a run without it, which has read what changed since the export was made."""
    server = new_server(apps=(OLD,)).start()
    name, password = next(iter(old.passwords.items()))
    (id,) = [id for id, row in old.server.state.objects["_User"].items() if row["username"] == name]
    old.server.state.update("_User", id, note="newer than the export")
    changed = old.server.state.objects["_User"][id]
    for arguments in [(), ("--users", old.export)]:
        result = run(server, old, tmp_path / "j", *arguments)
        assert result.returncode == 0, result.stderr
        shown = server.api(OLD, master=True).get(f"/1.1/users/{id}").json()
        assert (shown.get("note"), shown["updatedAt"]) == (changed["note"], changed["updatedAt"])
    assert log_in(server.api(OLD), password, username=name).status_code == 200


def test_wrong_source_key_is_named(old, server, tmp_path):
    result = run(server, old, tmp_path / "j", key="wrong")
    assert result.returncode == SERVER and "Unauthorized" in result.stderr
    assert run(server, old, tmp_path / "j", key="").returncode == USAGE


def test_export_and_import_give_an_equal_app(old, imported, tmp_path, new_server):
    """With the default journals, which are different files."""
    result = lcfile("export", "app", folder=tmp_path, **credentials_of(imported.url, OLD, master=OLD.master))
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "app.lcfile-export-journal").exists()
    other = new_server(apps=(OLD,)).start()
    keys = credentials_of(other.url, OLD, master=OLD.master)
    result = lcfile("import", "leancloud", "app", folder=tmp_path, **keys)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "app.lcfile-journal").exists()
    # Both count the same objects and relations; the settings of classes are not compared.
    (number,) = re.findall(r"imported (\d+ objects, \d+ relations?), \d+ class settings, ", result.stderr)
    result = lcfile("import", "leancloud", "app", "--verify", folder=tmp_path, **keys)
    assert result.returncode == 0, result.stderr
    assert f"compared {number}, " in result.stderr
    key = old.keys_of_files[0]
    assert other.api(OLD).fetch(f"{other.url}/{quote(key)}").content == old.content(key)
