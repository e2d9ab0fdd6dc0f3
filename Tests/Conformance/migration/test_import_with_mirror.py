"""An app moves before its files: records first, bytes from the mirror when they are requested, the rest by an import."""

import json

import pytest
from client import Server
from commands import credentials_of, lcfile
from exports import OLD, OldApp, write_folder
from file_domain import FileDomain


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    folder = tmp_path_factory.mktemp("old")
    app = OldApp(objects=200, files=40)
    domain = FileDomain(folder / "domain").put_all(app).start()
    app.export = write_folder(app, folder / "export")
    yield app
    domain.close()


@pytest.fixture(scope="module")
def server(old, tmp_path_factory):
    mirror = {"LCFILE_MIRROR_ORIGIN": old.file_domain, "LCFILE_FETCH_ALLOWED_NETWORKS": "127.0.0.1/32"}
    server = Server(tmp_path_factory.mktemp("mirror"), apps=(OLD,), **mirror).start()
    yield server
    assert server.stop() == 0


def run(server, *arguments):
    return lcfile(*arguments, **credentials_of(server.url, OLD, master=OLD.master))


def status(server):
    return json.loads(run(server, "mirror", "status", "--json").stdout)


@pytest.mark.extended
def test_app_moves_before_its_files(old, server, tmp_path):
    internal = [row for row in old.objects["_File"] if row.get("key")]
    arguments = ["import", "leancloud", old.export, "--class", "_File", "--journal"]
    result = run(server, *arguments, tmp_path / "records", "--without-files")
    assert result.returncode == 0, result.stderr
    assert status(server)["missing"] == len(internal)

    row = internal[0]
    url = f"{server.url}/{old.url(row | {'url': None}).removeprefix(old.file_domain).lstrip('/')}"
    assert server.api(OLD).fetch(url).content == old.content(row["key"])
    assert server.api(OLD, master=True).get(f"/1.1/files/{row['objectId']}").json()["key"] == row["key"]
    assert status(server)["missing"] == len(internal) - 1

    result = run(server, *arguments, tmp_path / "bytes", "--file-domain", old.file_domain)
    assert result.returncode == 0, result.stderr
    assert status(server)["missing"] == 0
    result = run(server, *arguments, tmp_path / "bytes", "--file-domain", old.file_domain, "--verify")
    assert result.returncode == 0, result.stderr
