"""lcfile import: folders, lists and manifests, each file exactly once."""

import hashlib
import json
import os
import signal
import subprocess

import pytest
from cases import count
from client import ALPHA, BINARY, TIMEOUT, eventually
from commands import FAILED, INTERRUPTED, SERVER, USAGE, credentials_of, lcfile, own_environment
from http_files import FolderServer

ODD_NAMES = ["two words.txt", "照片.jpg", "🚀 emoji.png", "no-extension", "quo\"te';.txt", "-dash", "深/文件夹/x.bin"]


@pytest.fixture
def run(server, tmp_path):
    """Runs a command in a folder of its own with the master key."""

    def run(*arguments, url=server.url, **options):
        return lcfile(*arguments, folder=tmp_path, **credentials_of(url, master=ALPHA.master) | options)

    return run


@pytest.fixture
def records(master):
    """The records of all files whose metaData has this mark, by name; no two of them have the same name."""

    def records(mark):
        where = json.dumps({"metaData.mark": mark})
        found = master.get("/1.1/files", params={"where": where, "limit": 1000}).json()["results"]
        assert len({record["name"] for record in found}) == len(found)
        return {record["name"]: record for record in found}

    return records


@pytest.fixture
def mark(request):
    return f"{request.node.name}-{os.urandom(4).hex()}"


def write(folder, names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"bytes of {name}".encode())


def test_folder_with_odd_names_comes_over_and_compares_equal(run, records, api, tmp_path, mark):
    write(tmp_path / "album", ODD_NAMES)
    arguments = ["import", "album", "--meta", json.dumps({"mark": mark})]
    result = run(*arguments)
    assert result.returncode == 0, result.stderr
    found = records(mark)
    assert sorted(found) == sorted(name.split("/")[-1] for name in ODD_NAMES)
    assert api.fetch(found["照片.jpg"]["url"]).content == "bytes of 照片.jpg".encode()
    assert run(*arguments, "--verify").returncode == 0


def test_second_run_imports_only_what_is_new(run, records, tmp_path, mark):
    write(tmp_path / "album", ["a", "b"])
    arguments = ["import", "--json", "album", "--meta", json.dumps({"mark": mark})]
    assert len(run(*arguments).stdout.splitlines()) == 2
    write(tmp_path / "album", ["c"])
    result = run(*arguments)
    assert [json.loads(line)["name"] for line in result.stdout.splitlines()] == ["album/c"]
    assert sorted(records(mark)) == ["a", "b", "c"]


@pytest.mark.extended
def test_paths_can_become_keys(run, api, server, tmp_path, mark):
    write(tmp_path / "album", ["深/x.txt"])
    assert run("import", "album", "--keep-paths", "--key-prefix", mark).returncode == 0
    assert api.fetch(f"{server.url}/{mark}/%E6%B7%B1/x.txt").content == "bytes of 深/x.txt".encode()


@pytest.mark.few(1)
@pytest.mark.parametrize("keys", [[], ["--keep-paths"]], ids=["random-keys", "paths-as-keys"])
def test_changed_file_is_reported_and_replaced_with_update(run, records, api, tmp_path, mark, keys):
    write(tmp_path / mark, [f"{mark}.txt"])
    arguments = ["import", mark, "--meta", json.dumps({"mark": mark}), *keys]
    assert run(*arguments).returncode == 0
    first = records(mark)[f"{mark}.txt"]["objectId"]
    (tmp_path / mark / f"{mark}.txt").write_text("new")
    result = run(*arguments)
    assert result.returncode == FAILED
    assert "changed since it was migrated" in result.stderr
    assert run(*arguments, "--update").returncode == 0
    record = records(mark)[f"{mark}.txt"]
    assert record["objectId"] != first
    assert api.fetch(record["url"]).content == b"new"


def test_dry_run_counts_and_changes_nothing(run, records, tmp_path, mark):
    write(tmp_path / "album", ["a", "b", ".hidden"])
    result = run("import", "album", "--dry-run", "--json", "--meta", json.dumps({"mark": mark}))
    counts = json.loads(result.stdout)
    assert (counts["toDo"], counts["toDoBytes"]) == (2, 20)
    assert records(mark) == {}
    assert os.listdir(tmp_path) == ["album"]


def test_manifest_decides_what_the_server_stores(run, master, tmp_path, mark):
    write(tmp_path, ["a.bin"])
    row = {
        "path": "a.bin", "name": "名.txt", "mime_type": "text/plain", "key": f"{mark}/名.txt", "objectId": os.urandom(12).hex(),
        "createdAt": "2020-01-02T03:04:05.678Z", "metaData": {"a": [1]}, "ACL": {"*": {"read": True}},
    }
    (tmp_path / "files.jsonl").write_text(json.dumps(row) + "\n")
    assert run("import", "--manifest", "files.jsonl").returncode == 0
    record = master.get(f"/1.1/files/{row['objectId']}", params={"returnACL": "true"}).json()
    for name in ("name", "mime_type", "key", "createdAt", "ACL"):
        assert record[name] == row[name]
    assert record["metaData"]["a"] == [1]


@pytest.mark.extended
def test_list_of_paths_and_urls_comes_from_standard_input(run, records, tmp_path, mark):
    write(tmp_path, ["a.txt", "served/b c.txt"])
    with FolderServer(tmp_path / "served") as old:
        lines = f"a.txt\n{old.url}/b%20c.txt\nmissing.txt\n"
        result = run("import", "-", "--meta", json.dumps({"mark": mark}), input=lines)
    assert result.returncode == FAILED
    assert "missing.txt: No such file or directory" in result.stderr
    assert sorted(records(mark)) == ["a.txt", "b c.txt"]


def test_key_that_exists_with_other_bytes_is_reported_and_the_rest_continues(run, tmp_path, mark):
    write(tmp_path, ["a", "b", "same/a"])
    (tmp_path / "same/a").write_bytes((tmp_path / "a").read_bytes())
    for name, path, key in [("first", "a", "k"), ("same", "same/a", "k"), ("other", "b", "k")]:
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"path": path, "key": f"{mark}/{key}"}) + "\n")
    assert run("import", "--manifest", "first.jsonl").returncode == 0
    assert run("import", "--manifest", "same.jsonl").returncode == 0
    result = run("import", "--manifest", "other.jsonl")
    assert result.returncode == FAILED
    assert f"the server has a file with the key '{mark}/k' and other bytes" in result.stderr


@pytest.mark.extended
def test_failed_file_is_tried_again_only_when_asked(run, records, tmp_path, mark):
    write(tmp_path, ["a"])
    (tmp_path / "list.jsonl").write_text(json.dumps({"path": "a", "key": "1.1/x", "name": "n"}) + "\n")
    first = run("import", "--manifest", "list.jsonl")
    assert first.returncode == FAILED
    assert "belong to the server" in first.stderr
    assert "failed before" in run("import", "--json", "--manifest", "list.jsonl").stdout
    assert "belong to the server" in run("import", "--json", "--retry-failed", "--manifest", "list.jsonl").stdout


def test_verification_finds_a_file_that_was_deleted(run, records, master, tmp_path, mark):
    write(tmp_path / "album", ["a", "b"])
    arguments = ["import", "album", "--meta", json.dumps({"mark": mark})]
    assert run(*arguments).returncode == 0
    master.delete(records(mark)['a']['objectId'])
    result = run(*arguments, "--verify", "--report", "report.json", "--report", "report.html")
    assert result.returncode == FAILED
    assert "album/a: the server has no such file" in result.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert [(item["name"], item["reason"]) for item in report["differences"]] == [("album/a", "the server has no such file")]
    assert report["totals"] == {"file": {"done": {"count": 2, "bytes": 20}}}
    assert "the server has no such file" in (tmp_path / "report.html").read_text()


def test_verification_names_what_was_not_imported_or_has_changed(run, tmp_path, mark):
    write(tmp_path / "album", ["a", "b"])
    arguments = ["import", "album", "--meta", json.dumps({"mark": mark})]
    assert run(*arguments).returncode == 0
    (tmp_path / "album/a").write_bytes(b"other bytes")
    write(tmp_path / "album", ["c"])
    result = run(*arguments, "--verify", "--report", "report.json")
    assert result.returncode == FAILED
    report = json.loads((tmp_path / "report.json").read_text())
    reasons = {item["name"]: item["reason"] for item in report["differences"]}
    assert sorted(reasons) == ["album/a", "album/c"]
    assert "changed since the import" in reasons["album/a"]
    assert reasons["album/c"] == "was not imported"


def test_verification_without_an_import_compares_files_by_their_keys(run, tmp_path, mark):
    write(tmp_path / "album", ["a", "b"])
    arguments = ["--keep-paths", "--key-prefix", mark]
    assert run("import", "album", *arguments).returncode == 0
    write(tmp_path / "album", ["c"])
    result = run("import", "album", *arguments, "--journal", "other.journal", "--verify")
    assert result.returncode == FAILED
    assert "album/c: the server has no such file" in result.stderr and "1 differ" in result.stderr


def test_name_of_a_file_is_no_html_in_the_report(run, tmp_path):
    # A quote and a combining mark are one character for Swift, but a quote for a browser.
    (tmp_path / "list.jsonl").write_text(json.dumps({"path": "no\"\u0301 <b>&", "name": "n"}) + "\n")
    assert run("import", "--manifest", "list.jsonl", "--report", "report.html").returncode == FAILED
    report = (tmp_path / "report.html").read_text()
    assert "no&quot;\u0301 &lt;b&gt;&amp;" in report
    assert "no\"" not in report


def test_journal_of_one_server_is_not_used_for_another(run, tmp_path):
    write(tmp_path / "album", ["a"])
    assert run("import", "album").returncode == 0
    result = run("import", "album", url="http://127.0.0.1:1")
    assert "belongs to 'import" in result.stderr
    assert result.returncode == FAILED


def test_app_key_is_not_enough(server, tmp_path):
    write(tmp_path / "album", ["a"])
    result = lcfile("import", "album", folder=tmp_path, **credentials_of(server.url))
    assert result.returncode == USAGE
    assert "--master-key-file" in result.stderr


def test_wrong_master_key_stops_at_once(server, tmp_path):
    write(tmp_path / "album", ["a", "b"])
    result = lcfile("import", "album", folder=tmp_path, **credentials_of(server.url, master="wrong"))
    assert result.returncode == SERVER
    assert "The same command continues" in result.stderr


@pytest.mark.extended
def test_killed_at_any_moment_every_file_exists_once(server, run, records, tmp_path, mark):
    names = [f"{number}.bin" for number in range(count(120, 300))]
    write(tmp_path / "album", names)
    arguments = ["import", "album", "--meta", json.dumps({"mark": mark})]
    environment = own_environment(**credentials_of(server.url, master=ALPHA.master))
    # One is killed before its first file, perhaps before its journal.
    for stored in (0, 1, 10, 30, 60):
        process = subprocess.Popen([BINARY, *arguments], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
        assert eventually(lambda: len(records(mark)) >= stored)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=TIMEOUT)
    assert run(*arguments).returncode == 0
    found = records(mark)
    assert len(found) == len(names)
    assert run(*arguments, "--verify").returncode == 0


@pytest.mark.extended
@pytest.mark.parametrize("keys", [[], ["--keep-paths"]], ids=["random-keys", "paths-as-keys"])
def test_files_that_change_after_a_kill_exist_once_as_they_are_now(server, run, records, tmp_path, mark, keys):
    names = [f"{mark}-{number}.bin" for number in range(300)]
    write(tmp_path / mark, names)
    arguments = ["import", mark, "--meta", json.dumps({"mark": mark}), *keys]
    environment = own_environment(**credentials_of(server.url, master=ALPHA.master))
    process = subprocess.Popen([BINARY, *arguments], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    assert eventually(lambda: len(records(mark)) >= 40)
    process.kill()
    process.wait(timeout=TIMEOUT)
    for name in names:
        (tmp_path / mark / name).write_bytes(f"new bytes of {name}".encode())
    result = run(*arguments, "--update")
    assert result.returncode == 0, result.stderr
    assert len(records(mark)) == len(names)
    assert run(*arguments, "--verify").returncode == 0


@pytest.mark.extended
def test_interruption_says_how_to_continue(server, run, tmp_path):
    write(tmp_path / "album", [f"{number}" for number in range(20)])
    environment = own_environment(**credentials_of(server.url, master=ALPHA.master))
    process = subprocess.Popen(
        [BINARY, "import", "album", "--rate", "2", "--json"], cwd=tmp_path, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    # After its first file the command has certainly begun.
    assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == INTERRUPTED
    assert "interrupted; " in errors and "The same command continues (journal: album.lcfile-journal)" in errors
    assert run("import", "album").returncode == 0


@pytest.mark.extended
def test_journals_in_the_folder_are_not_imported(run, records, tmp_path, mark):
    write(tmp_path / "album", ["a", "sub/b"])
    arguments = ["--meta", json.dumps({"mark": mark})]
    assert run("import", "album/sub").returncode == 0
    assert (tmp_path / "album/sub.lcfile-journal").exists()
    assert run("import", "album", *arguments).returncode == 0
    assert sorted(records(mark)) == ["a", "b"]


@pytest.mark.extended
def test_large_file_is_stored_with_its_bytes(run, records, api, tmp_path, mark):
    data = os.urandom(1 << 20) * 20
    (tmp_path / "large.bin").write_bytes(data)
    assert run("import", "large.bin", "--meta", json.dumps({"mark": mark})).returncode == 0
    content = api.fetch(records(mark)["large.bin"]["url"]).content
    assert hashlib.sha256(content).digest() == hashlib.sha256(data).digest()
