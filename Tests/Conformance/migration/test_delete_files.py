"""lcfile delete: by name, condition, age, and files to which nothing refers."""

import json
import os

import pytest
from censoring import settings
from client import ALPHA
from commands import FAILED, USAGE, credentials_of, lcfile
from pictures import encoded, plain
from terminals import OnTerminal


@pytest.fixture
def run(server, tmp_path):
    def run(*arguments, **options):
        return lcfile(*arguments, folder=tmp_path, **credentials_of(server.url, master=ALPHA.master) | options)

    return run


@pytest.fixture
def mark():
    return os.urandom(8).hex()


@pytest.fixture
def files(run, master, tmp_path, mark):
    """Four files, of which the first three are a year old; returns their ids."""
    rows = []
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text(f"{mark} {number}")
        row = {"path": f"{number}.txt", "objectId": os.urandom(12).hex(), "key": f"{mark}/{number}.txt", "metaData": {"mark": mark}}
        rows.append(row | ({"createdAt": "2025-01-02T03:04:05.678Z"} if number < 3 else {}))
    (tmp_path / "files.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("import", "--manifest", "files.jsonl").returncode == 0
    return [row["objectId"] for row in rows]


@pytest.fixture
def left(master, mark):
    """The ids of the files that still exist."""

    def left():
        where = json.dumps({"metaData.mark": mark})
        return {record["objectId"] for record in master.get("/1.1/files", params={"where": where}).json()["results"]}

    return left


def condition(mark):
    return json.dumps({"metaData.mark": mark})


def test_named_files_are_deleted_and_missing_ones_are_reported(run, files, left, server, mark):
    names = [files[0], f"{mark}/1.txt", f"{server.url}/{mark}/2.txt", "none.txt"]
    result = run("delete", "--yes", *names)
    assert result.returncode == FAILED
    assert "none.txt: there is no such file" in result.stderr
    assert left() == {files[3]}


def test_url_of_a_file_elsewhere_names_no_file_with_its_path_as_key(run, files, left, master, mark):
    url = f"https://cdn.elsewhere.example/{mark}/1.txt"
    fields = {"name": "1.txt", "url": url, "mime_type": "text/plain", "metaData": {"mark": mark}}
    made = master.post("/1.1/classes/_File", json=fields)
    assert made.status_code == 201, made.text
    shown = run("stat", "--json", url)
    assert json.loads(shown.stdout)["objectId"] == made.json()["objectId"]
    result = run("delete", "--yes", url)
    assert result.returncode == 0, result.stderr
    assert left() == set(files)


@pytest.mark.extended
def test_condition_and_age_are_combined(run, files, left, mark):
    result = run("delete", "--yes", "--where", condition(mark), "--older-than", "90d")
    assert result.returncode == 0, result.stderr
    assert left() == {files[3]}


@pytest.mark.extended
def test_list_comes_from_standard_input(run, files, left):
    assert run("delete", "--yes", "-", input="\n".join(files[:2])).returncode == 0
    assert left() == set(files[2:])


@pytest.mark.extended
def test_manifest_of_an_import_names_the_files(run, files, left, tmp_path, mark):
    rows = [{"path": "0.txt", "objectId": files[0]}, {"path": "1.txt", "key": f"{mark}/1.txt"}, {"path": "2.txt"}]
    (tmp_path / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "list.csv").write_text(f"name,key\n2.txt,{mark}/2.txt\n")
    result = run("delete", "--yes", "--manifest", "list.jsonl", "--manifest", "list.csv")
    assert result.returncode == FAILED
    assert "list.jsonl, line 3: neither objectId, key nor url" in result.stderr
    assert left() == {files[3]}


def test_dry_run_counts_and_deletes_nothing(run, files, left, mark):
    result = run("delete", "--dry-run", "--json", "--where", condition(mark))
    assert json.loads(result.stdout) == {"count": 4, "bytes": 4 * 18}
    assert left() == set(files)


@pytest.mark.extended
def test_files_to_which_something_refers_are_left(run, master, files, left, server, mark):
    body = {"photo": {"__type": "File", "id": files[0]}, "text": f"see [it]({server.url}/{mark}/1.txt)."}
    assert master.post("/1.1/classes/Referring", json=body).status_code == 201
    result = run("delete", "--yes", "--unreferenced", "--where", condition(mark))
    assert result.returncode == 0, result.stderr
    # The last one is younger than a day.
    assert left() == {files[0], files[1], files[3]}


@pytest.mark.extended
def test_relations_styles_and_the_placeholder_are_references(run, master, tmp_path, left, server, mark):
    rows = [
        {
            "path": name, "objectId": os.urandom(12).hex(), "key": f"{mark}/{name}", "metaData": {"mark": mark},
            "createdAt": "2025-01-02T03:04:05.678Z",
        }
        for name in ("related.png", "styled.png", "sign.png", "unused.png")
    ]
    for number, row in enumerate(rows):
        (tmp_path / row["path"]).write_bytes(encoded(plain(40 + number, 40)))
    (tmp_path / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("import", "--manifest", "list.jsonl").returncode == 0
    related, styled, sign, unused = (row["objectId"] for row in rows)
    body = {
        "photos": {"__op": "AddRelation", "objects": [{"__type": "Pointer", "className": "_File", "objectId": related}]},
        "text": f"{server.url}/{mark}/styled.png-thumb",
    }
    assert master.post("/1.1/classes/Referring", json=body).status_code == 201
    settings(master, blockedImage=sign)
    try:
        result = run("delete", "--yes", "--unreferenced", "--where", condition(mark))
    finally:
        settings(master, blockedImage=None)
    assert result.returncode == 0, result.stderr
    assert left() == {related, styled, sign}


@pytest.mark.few(1)
@pytest.mark.parametrize(("answer", "deleted"), [("y", True), ("n", False), ("", False)], ids=["yes", "no", "nothing"])
def test_question_is_answered(server, files, left, tmp_path, mark, answer, deleted):
    command = OnTerminal(
        "delete", "--where", condition(mark), folder=tmp_path, **credentials_of(server.url, master=ALPHA.master),
    )
    assert command.shows("Delete 4 files with 72 B?")
    command.type(answer)
    assert command.end() == (0 if deleted else FAILED)
    assert left() == (set() if deleted else set(files))
    assert not (tmp_path / "lcfile-delete.lcfile-journal").exists()


def test_condition_that_the_server_refuses_leaves_no_journal(run, files, left, tmp_path, mark):
    refused = run("delete", "--yes", "--where", json.dumps({"name": {"$foo": 1}}))
    assert refused.returncode != 0 and "$foo" in refused.stderr
    assert not (tmp_path / "lcfile-delete.lcfile-journal").exists()
    assert run("delete", "--yes", "--where", condition(mark)).returncode == 0
    assert left() == set()


def test_app_key_is_not_enough(server, tmp_path, files, left):
    result = lcfile("delete", "--yes", files[0], folder=tmp_path, **credentials_of(server.url))
    assert result.returncode == USAGE
    assert "--master-key-file" in result.stderr
    assert left() == set(files)


@pytest.mark.few(2)
@pytest.mark.parametrize("arguments", [[], ["x", "--unreferenced"], ["-"], ["--older-than", "soon"]], ids=str)
def test_unclear_selection_is_refused(run, arguments):
    assert run("delete", *arguments, input="").returncode == USAGE
