"""lcfile import leancloud: an export in all its forms becomes the same app."""

import json

import pytest
from accounts import is_live, log_in
from client import Server
from commands import FAILED, credentials_of, lcfile
from data import Objects, pointer
from exports import (
    OLD, OldApp, break_line, difference, insert_line, recode_line, repeat_object, truncate_last_line, write_archive,
    write_folder,
)
from file_domain import FileDomain


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """The app of the old server, its export, and the domain of its files."""
    folder = tmp_path_factory.mktemp("old")
    app = OldApp(objects=600, files=60)
    domain = FileDomain(folder / "domain").put_all(app).start()
    app.export = write_folder(app, folder / "export")
    app.archive = write_archive(app.export, folder / "export.tar.gz")
    yield app
    domain.close()


def run(server, *arguments, folder=None, app=OLD):
    keys = credentials_of(server.url, app, master=app.master)
    return lcfile("import", "leancloud", *arguments, folder=folder, **keys)


@pytest.fixture(scope="module")
def imported(old, tmp_path_factory):
    """A server with the app, imported from the archive."""
    server = Server(tmp_path_factory.mktemp("imported"), apps=(OLD,)).start()
    result = run(server, old.archive, "--file-domain", old.file_domain)
    yield server, result
    assert server.stop() == 0


def stored(api, name):
    """All objects of a class by their ids."""
    found, cursor = {}, ""
    while cursor is not None:
        query = {"limit": 500, "scan_key": "objectId", "returnACL": "true"} | ({"cursor": cursor} if cursor else {})
        page = api.get(f"/1.1/scan/classes/{name}", params=query).json()
        found |= {row["objectId"]: row for row in page["results"]}
        cursor = page.get("cursor")
    return found


def test_everything_is_imported(imported):
    _, result = imported
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    assert " failed" not in result.stderr


def test_objects_are_the_same(old, imported):
    api = imported[0].api(OLD, master=True)
    for name, rows in old.objects.items():
        if not rows:
            continue
        new = stored(api, name)
        assert new.keys() == {row["objectId"] for row in rows}
        if name != "_File":
            assert {id: found for id, found in differences(rows, new)} == {}, name


def differences(rows, new):
    for row in rows:
        # A user whose email is null has no email.
        row = {name: value for name, value in row.items() if name != "email" or value is not None}
        found = difference({"ACL": {"*": {"read": True, "write": True}}} | row, new[row["objectId"]])
        if found:
            yield row["objectId"], found


def test_users_log_in_with_passwords_and_tokens(old, imported):
    api = imported[0].api(OLD)
    name, password = next(iter(old.passwords.items()))
    assert log_in(api, password, username=name).status_code == 200
    assert is_live(api, old.objects["_User"][1]["sessionToken"])


def test_relations_have_their_members(old, imported):
    api = imported[0].api(OLD, master=True)
    join, = [join for join in old.joins if (join.name, join.field) == ("Post", "likes")]
    owner = join.pairs[0][0]
    condition = {"$relatedTo": {"object": pointer("Post", owner), "key": "likes"}}
    found = api.get("/1.1/classes/_User", params={"where": json.dumps(condition)}).json()["results"]
    assert {row["objectId"] for row in found} == old.members("Post", "likes", owner)


@pytest.mark.extended
def test_verification_finds_no_difference(old, imported):
    result = run(imported[0], old.archive, "--verify", "--file-domain", old.file_domain)
    assert result.returncode == 0, result.stderr


def test_second_run_sends_nothing(old, imported):
    result = run(imported[0], old.archive, "--json", "--file-domain", old.file_domain)
    assert (result.returncode, result.stdout) == (0, "")


def test_verification_names_what_differs(old, imported, tmp_path):
    server, _ = imported
    id = old.objects["Country"][3]["objectId"]
    Objects(server.api(OLD, master=True), "Country").put(id, {"code": "other"})
    result = run(server, old.archive, "--verify", "--class", "Country")
    assert result.returncode == FAILED
    assert f"Country {id}: these fields differ: code, updatedAt" in result.stderr


def test_verification_of_an_export_that_was_not_imported_fails(old, new_server, tmp_path):
    server = new_server(apps=(OLD,)).start()
    result = run(server, old.archive, "--verify", "--class", "Country", "--journal", tmp_path / "j")
    assert result.returncode == FAILED
    assert "the server has no such object" in result.stderr and " differ" in result.stderr


@pytest.mark.extended
def test_import_into_a_full_server_names_what_differs_and_changes_it_if_told(old, imported, tmp_path):
    server, _ = imported
    id = old.objects["Country"][5]["objectId"]
    Objects(server.api(OLD, master=True), "Country").put(id, {"name": "other"})
    journal = tmp_path / "second.journal"
    result = run(server, old.archive, "--class", "Country", "--journal", journal)
    assert result.returncode == FAILED and "other values: name, updatedAt" in result.stderr
    result = run(server, old.archive, "--class", "Country", "--journal", journal, "--retry-failed", "--update")
    assert result.returncode == 0, result.stderr


BROKEN = {
    "truncated last line": lambda path: truncate_last_line(path),
    "invalid line": lambda path: break_line(path, 3),
    "line that is no JSON": lambda path: insert_line(path, 2, b"oops"),
    "GBK": lambda path: recode_line(path, 4, "gbk"),
    "UTF-16": lambda path: recode_line(path, 4, "utf-16"),
    "repeated id with other content": lambda path: repeat_object(path, 1, kind="other"),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("damage", BROKEN.values(), ids=BROKEN)
def test_bad_line_is_named_and_the_others_are_imported(damage, new_server_of_old, old, tmp_path):
    source = tmp_path / "export"
    source.mkdir()
    path = source / "Event.jsonl"
    rows = old.objects["Event"][:8]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    damage(path)
    api = new_server_of_old.api(OLD, master=True)
    result = run(new_server_of_old, source)
    assert result.returncode == FAILED
    assert "Event" in result.stderr and ("line " in result.stderr or "twice" in result.stderr)
    count = api.get("/1.1/classes/Event", params={"limit": 0, "count": 1}).json()["count"]
    assert count >= len(rows) - 1
    api.delete("/1.1/classes/Event/" + ",".join(row["objectId"] for row in rows))


@pytest.fixture(scope="module")
def new_server_of_old(tmp_path_factory):
    """An empty server with the app."""
    server = Server(tmp_path_factory.mktemp("empty"), apps=(OLD,)).start()
    yield server
    assert server.stop() == 0


def test_dry_run_changes_nothing(old, new_server_of_old, tmp_path):
    result = run(new_server_of_old, old.archive, "--dry-run", "--class", "Post", "--journal", tmp_path / "j")
    assert result.returncode == 0 and str(len(old.objects["Post"])) in result.stdout
    assert not (tmp_path / "j").exists()
    api = new_server_of_old.api(OLD, master=True)
    assert api.get("/1.1/classes/Post").status_code == 404


def test_app_key_is_refused(old, new_server_of_old):
    result = lcfile("import", "leancloud", old.export, **credentials_of(new_server_of_old.url, OLD))
    assert result.returncode != 0 and "master" in result.stderr


def test_folder_without_an_export_is_refused(new_server_of_old, tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    result = run(new_server_of_old, tmp_path, "--journal", tmp_path / "j")
    assert result.returncode == FAILED and "is no export" in result.stderr
