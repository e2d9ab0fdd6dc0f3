"""lcfile import leancloud again, with a newer export: what changed in the app arrives, and what did not is not sent."""

import json

import pytest
from accounts import is_live, log_in, with_session
from client import ALPHA, Server
from commands import SERVER, credentials_of, lcfile
from disks import memory
from hashes import leancloud_hash

MADE, CHANGED = "2024-01-01T00:00:00.000Z", "2024-05-01T00:00:00.000Z"
PUBLIC = {"*": {"read": True, "write": True}}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Private are the files whose ACL says so; there is no old file domain, only an origin for the mirror."""
    server = Server(
        tmp_path_factory.mktemp("newer"), apps=(ALPHA,), LCFILE_FILES_ACCESS="acl",
        LCFILE_MIRROR_ORIGIN="http://127.0.0.1:1",
    ).start()
    yield server
    assert server.stop() == 0


def row(id, number, changed=None, **fields):
    times = {"createdAt": MADE, "updatedAt": changed or MADE}
    return {"objectId": f"{id}{number:04d}".ljust(24, "0"), "ACL": PUBLIC} | times | fields


def write(folder, schemas={}, files={}, **classes):
    """An export; `files` are the bytes by key."""
    folder.mkdir()
    for name, rows in classes.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, schema in schemas.items():
        (folder / f"{name}_schema.json").write_text(json.dumps(schema))
    for key, content in files.items():
        (folder / "files" / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / "files" / key).write_bytes(content)
    return folder


def run(server, export, *arguments, journal=None):
    journal = journal or export.parent / f"{export.name}.journal"
    keys = credentials_of(server.url, master=ALPHA.master)
    return lcfile("import", "leancloud", export, "--journal", journal, *arguments, **keys)


def run_both(server, tmp_path, old, new):
    """Imports an export, and then a newer one."""
    for folder, arguments in [(old, []), (new, ["--update"])]:
        result = run(server, folder, *arguments)
        assert result.returncode == 0, result.stderr


def secrets(password, token):
    return {"salt": "s4lt", "password": leancloud_hash(password, "s4lt"), "sessionToken": token}


def test_new_password_and_session_replace_the_old_ones(server, tmp_path):
    user = row("5a", 1, username="newpass", email="n@example.com", emailVerified=True)
    old = write(tmp_path / "old", _User=[user | secrets("one", "a" * 25)])
    new = write(tmp_path / "new", _User=[user | {"updatedAt": CHANGED} | secrets("two", "b" * 25)])
    run_both(server, tmp_path, old, new)
    api = server.api()
    assert log_in(api, "one", username="newpass").status_code == 400
    assert log_in(api, "two", username="newpass").status_code == 200
    assert (is_live(api, "a" * 25), is_live(api, "b" * 25)) == (False, True)


def test_other_change_of_a_user_keeps_its_session(server, tmp_path):
    user = row("5a", 2, username="samepass") | secrets("one", "c" * 25)
    old = write(tmp_path / "old", _User=[user])
    new = write(tmp_path / "new", _User=[user | {"updatedAt": CHANGED, "score": 1}])
    run_both(server, tmp_path, old, new)
    assert log_in(server.api(), "one", username="samepass").json()["score"] == 1
    assert is_live(server.api(), "c" * 25)


def test_log_in_between_two_exports_stays_if_the_password_is_the_same(server, tmp_path):
    """The log-in replaces LeanCloud's hash; the newer export may lack the token."""
    user = row("5a", 6, username="between") | secrets("one", "f" * 25)
    old = write(tmp_path / "old", _User=[user])
    newer = user | {"updatedAt": CHANGED, "score": 1}
    del newer["sessionToken"]
    new = write(tmp_path / "new", _User=[newer])
    api = server.api()
    assert run(server, old).returncode == 0
    own = log_in(api, "one", username="between").json()["sessionToken"]
    result = run(server, new, "--update")
    assert result.returncode == 0, result.stderr
    assert (is_live(api, own), is_live(api, "f" * 25)) == (True, True)
    shown = server.api(master=True).get(f"/1.1/users/{user['objectId']}").json()
    assert shown["score"] == 1 and not [name for name in shown if name.startswith("_")]


def test_password_of_an_export_reaches_a_user_who_came_without_one(server, tmp_path):
    """As --from brings users, with the time of their last change."""
    user = row("5a", 7, username="later")
    old = write(tmp_path / "old", _User=[user])
    new = write(tmp_path / "new", _User=[user | secrets("one", "g" * 25)])
    run_both(server, tmp_path, old, new)
    assert log_in(server.api(), "one", username="later").status_code == 200
    assert is_live(server.api(), "g" * 25)


def test_password_that_changed_before_a_run_without_passwords_arrives(server, tmp_path):
    user = row("5a", 8, username="hidden")
    changed = user | {"updatedAt": CHANGED}
    old = write(tmp_path / "old", _User=[user | secrets("one", "h" * 25)])
    live = write(tmp_path / "live", _User=[changed])
    new = write(tmp_path / "new", _User=[changed | secrets("two", "i" * 25)])
    run_both(server, tmp_path, old, live)
    result = run(server, new, "--update")
    assert result.returncode == 0, result.stderr
    api = server.api()
    statuses = [log_in(api, password, username="hidden").status_code for password in ("one", "two")]
    assert statuses == [400, 200]
    assert (is_live(api, "h" * 25), is_live(api, "i" * 25)) == (False, True)


def test_new_token_of_an_unchanged_user_replaces_the_old_one(server, tmp_path):
    user = row("5a", 3, username="token") | secrets("one", "d" * 25)
    old = write(tmp_path / "old", _User=[user])
    new = write(tmp_path / "new", _User=[user | {"sessionToken": "e" * 25}])
    run_both(server, tmp_path, old, new)
    assert (is_live(server.api(), "d" * 25), is_live(server.api(), "e" * 25)) == (False, True)


def test_token_that_was_revoked_here_stays_revoked(server, tmp_path):
    user = row("5a", 9, username="revoked") | secrets("one", "j" * 25)
    export = write(tmp_path / "export", _User=[user])
    api = server.api()
    assert run(server, export).returncode == 0
    caller = with_session(api, "j" * 25)
    assert caller.call("PUT", f"/1.1/users/{user['objectId']}/refreshSessionToken", json={}).status_code == 200
    result = run(server, export, "--update", journal=tmp_path / "other.journal")
    assert result.returncode == 0, result.stderr
    assert not is_live(api, "j" * 25)


def test_changed_address_and_platforms_are_those_of_the_export(server, tmp_path):
    platforms = {"github": {"uid": "new1"}, "twitter": {"uid": "new1"}}
    user = row("5a", 4, username="address", email="old@example.com", emailVerified=True, authData=platforms)
    changes = {"updatedAt": CHANGED, "email": "new@example.com", "authData": {"github": {"uid": "new1"}}}
    old = write(tmp_path / "old", _User=[user])
    new = write(tmp_path / "new", _User=[user | changes])
    run_both(server, tmp_path, old, new)
    shown = server.api(master=True).get(f"/1.1/users/{user['objectId']}").json()
    assert (shown["email"], shown["emailVerified"]) == ("new@example.com", True)
    assert (shown["authData"], shown["updatedAt"]) == ({"github": {"uid": "new1"}}, CHANGED)
    result = run(server, new, "--verify")
    assert result.returncode == 0, result.stderr


def test_changed_record_of_a_file_arrives_and_its_bytes_stay(server, tmp_path):
    file = row("5f", 1, key="newer/a.txt", name="a.txt", mime_type="text/plain", bucket=ALPHA.id[:8], metaData={"size": 5})
    changes = {"updatedAt": CHANGED, "name": "b.txt", "metaData": {"size": 5, "tag": "x"}, "ACL": {}}
    bytes = {"newer/a.txt": b"hello"}
    old = write(tmp_path / "old", files=bytes, _File=[file])
    new = write(tmp_path / "new", files=bytes, _File=[file | changes])
    run_both(server, tmp_path, old, new)
    guest, master = server.api(), server.api(master=True)
    assert guest.fetch(f"{server.url}/newer/a.txt").status_code == 403, "the file is private now"
    path = f"/1.1/files/{file['objectId']}"
    shown = master.get(path, params={"returnACL": "true"}).json()
    assert (shown["name"], shown["metaData"]["tag"], shown["ACL"]) == ("b.txt", "x", {})
    assert shown["updatedAt"] == CHANGED
    assert master.get(f"{path}/content").content == b"hello"
    result = run(server, new, "--verify")
    assert result.returncode == 0, result.stderr


def test_fields_of_files_that_the_server_does_not_change_hinder_no_import(server, tmp_path):
    """Columns of the app, no name, no type: the files are imported, and what the server can change arrives."""
    common = {"mime_type": "text/plain", "bucket": ALPHA.id[:8], "metaData": {"size": 5}}
    others = [{"name": "a.txt", "tag": "x", "size": 5}, {"name": None}, {}, {"name": "a.txt", "mime_type": None}]
    keys = [f"columns{number}/a.txt" for number in range(len(others))]
    rows = [row("5f", 10 + number, key=keys[number]) | common | fields for number, fields in enumerate(others)]
    # The second record of one key is not on the server.
    rows.append(row("5f", 20, key=keys[0]) | common | {"name": "twice.txt"})
    bytes = {key: b"hello" for key in keys}
    new = write(tmp_path / "new", files=bytes, _File=[row | {"updatedAt": CHANGED, "ACL": {}} for row in rows])
    run_both(server, tmp_path, write(tmp_path / "old", files=bytes, _File=rows), new)
    assert [server.api().fetch(f"{server.url}/{key}").status_code for key in keys] == [403] * len(keys)


def test_records_and_then_bytes_with_one_journal(server, tmp_path):
    file = row("5f", 2, key="newer/late.txt", name="late.txt", mime_type="text/plain", bucket=ALPHA.id[:8])
    export = write(tmp_path / "export", files={"newer/late.txt": b"late"}, _File=[file])
    for arguments, count in [(["--without-files"], 1), ([], 1), ([], 0), (["--without-files"], 0)]:
        result = run(server, export, *arguments)
        assert result.returncode == 0, result.stderr
        assert ("imported 1 object" in result.stderr) == bool(count), result.stderr
        if not arguments:
            assert server.api().fetch(f"{server.url}/newer/late.txt").content == b"late"


def test_objects_older_than_a_counting_field_stay_without_a_number(server, tmp_path):
    schema = {"no": {"type": "Number", "autoIncrement": True}}
    rows = [row("5c", 1), row("5c", 2, no=1), row("5c", 3, no=2)]
    result = run(server, write(tmp_path / "export", {"Counted": schema}, Counted=rows))
    assert result.returncode == 0, result.stderr
    api = server.api(master=True)
    stored = api.get("/1.1/classes/Counted", params={"order": "objectId"}).json()["results"]
    assert [object.get("no") for object in stored] == [None, 1, 2]
    new = api.post("/1.1/classes/Counted", json={}, params={"fetchWhenSave": "true"}).json()
    assert new["no"] == 3


def test_export_has_the_bytes_of_private_files(server, tmp_path):
    file = row("5f", 3, key="newer/own.txt", name="own.txt", mime_type="text/plain", bucket=ALPHA.id[:8]) | {"ACL": {}}
    result = run(server, write(tmp_path / "export", files={"newer/own.txt": b"own"}, _File=[file]))
    assert result.returncode == 0, result.stderr
    keys = credentials_of(server.url, master=ALPHA.master)
    result = lcfile("export", "copy", "--class", "_File", folder=tmp_path, **keys)
    assert (tmp_path / "copy/files/newer/own.txt").read_bytes() == b"own", result.stderr


def test_full_disk_stops_an_import_of_objects_and_the_same_command_continues(new_server, tmp_path):
    rows = [row("5d", number, text="x" * 12_000) for number in range(2000)]
    export = write(tmp_path / "export", Large=rows)
    with memory(tmp_path / "disk", size="96m") as disk:
        server = new_server(storage=disk / "storage").start()
        try:
            (disk / "other").write_bytes(bytes(72 << 20))
            result = run(server, export, "--retries", "1")
            assert result.returncode == SERVER, result.stderr
            assert "full" in result.stderr and "The same command continues" in result.stderr
            assert "failed" not in result.stderr
            (disk / "other").unlink()
            result = run(server, export)
            assert result.returncode == 0, result.stderr
            count = server.api(master=True).get("/1.1/classes/Large", params={"limit": 0, "count": 1}).json()["count"]
            assert count == len(rows)
        finally:
            server.stop()
