"""lcfile import leancloud: ids that are paths, and classes whose names end like those of other files of an export."""

import io
import json
import tarfile

import pytest
from client import ALPHA, Server
from commands import FAILED, credentials_of, lcfile
from data import Objects
from serving import Serving

TIMES = {"createdAt": "2024-05-02T08:00:00.000Z", "updatedAt": "2024-05-02T08:00:00.000Z"}


class Evil(Serving):
    """A file domain that has the same bytes under each path."""

    def answer(self, request):
        request.reply(200, b"evil", Content_Type="text/plain")


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("empty")).start()
    yield server
    assert server.stop() == 0


def write_archive(path, **files):
    with tarfile.open(path, "w:gz") as archive:
        for name, rows in files.items():
            data = "".join(json.dumps(row) + "\n" for row in rows).encode()
            entry = tarfile.TarInfo(f"{name}.jsonl")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


@pytest.mark.parametrize("form", ["export", "manifest"])
def test_id_that_is_a_path_replaces_no_file(empty, tmp_path, form):
    work, victim = tmp_path / "work", tmp_path / "home" / "authorized_keys"
    work.mkdir()
    victim.parent.mkdir()
    victim.write_text("mine")
    domain = Evil()
    row = {"objectId": "../../home/authorized_keys", "key": "e.txt", "url": f"{domain.url}/e.txt", "ACL": {}}
    if form == "export":
        good = row | TIMES | {"objectId": "64f0c1a2b3d4e5f601234561", "key": "good.txt", "name": "good.txt"}
        write_archive(work / "export.tar.gz", _File=[row | TIMES | {"name": "e.txt"}, good])
        arguments = ["import", "leancloud", "export.tar.gz"]
    else:
        good = row | {"objectId": "64f0c1a2b3d4e5f601234562", "key": "better.txt"}
        (work / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (row, good)))
        arguments = ["import", "--manifest", "list.jsonl"]
    try:
        result = lcfile(*arguments, folder=work, **credentials_of(empty.url, ALPHA, master=ALPHA.master))
    finally:
        domain.close()
    assert result.returncode == FAILED and "objectId must be 1 to 64 ASCII letters and digits" in result.stderr
    assert victim.read_text() == "mine" and list(victim.parent.iterdir()) == [victim]
    assert not list(work.glob("*.parts"))
    record = empty.api(ALPHA, master=True).get(f"/1.1/files/{good['objectId']}")
    assert record.status_code == 200, record.text


@pytest.mark.extended
def test_classes_with_the_endings_of_exports_come_back(empty, new_server, tmp_path):
    names = ["Post", "Post_all", "Log", "Log_schema"]
    source = empty.api(ALPHA, master=True)
    ids = {name: Objects(source, name).create(**{f"of{name}": name}) for name in names}
    result = lcfile(
        "export", "app", *(f"--class={name}" for name in names), folder=tmp_path,
        **credentials_of(empty.url, ALPHA, master=ALPHA.master),
    )
    assert result.returncode == 0, result.stderr
    other = new_server().start()
    result = lcfile(
        "import", "leancloud", "app", folder=tmp_path, **credentials_of(other.url, ALPHA, master=ALPHA.master)
    )
    assert result.returncode == 0, result.stderr
    target = other.api(ALPHA, master=True)
    for name in names:
        (row,) = Objects(target, name).query().json()["results"]
        assert (row["objectId"], row[f"of{name}"]) == (ids[name], name)
        assert f"of{name}" in target.get(f"/1.1/schemas/{name}").json()


def test_null_as_acl_means_that_all_read_and_write(empty, tmp_path):
    rows = [
        {"objectId": "n1", "ACL": None, "n": 9007199254740993} | TIMES,
        {"objectId": "n2", "n": 2, "ACL": None} | TIMES,
    ]
    write_archive(tmp_path / "export.tar.gz", NullACL=rows)
    result = lcfile(
        "import", "leancloud", "export.tar.gz", folder=tmp_path,
        **credentials_of(empty.url, ALPHA, master=ALPHA.master),
    )
    assert result.returncode == 0, result.stderr
    found = Objects(empty.api(ALPHA, master=True), "NullACL").query(order="objectId", returnACL="true").json()["results"]
    assert [row["ACL"] for row in found] == [{"*": {"read": True, "write": True}}] * 2
    assert found[0]["n"] == 9007199254740993
