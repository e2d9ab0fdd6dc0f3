"""lcfile import leancloud --from: later runs read again what earlier ones left out or could not import."""

import pytest
from client import Server
from commands import FAILED, credentials_of, lcfile
from exports import OLD, OldApp
from file_domain import FileDomain
from leancloud_server import LeanCloudServer


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    folder = tmp_path_factory.mktemp("old")
    app = OldApp(objects=100, files=8)
    app.domain = FileDomain(folder / "domain").put_all(app).start()
    app.server = LeanCloudServer(app)
    yield app
    app.server.close()
    app.domain.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("new"), apps=(OLD,)).start()
    yield server
    assert server.stop() == 0


@pytest.fixture
def run(server, old, tmp_path):
    def run(*arguments):
        return lcfile(
            "import", "leancloud", "--from", old.server.url, "--source-app-id", OLD.id, "--journal", tmp_path / "j",
            *arguments, LEANCLOUD_MASTER_KEY=OLD.master, **credentials_of(server.url, OLD, master=OLD.master),
        )

    return run


@pytest.mark.extended
def test_class_that_an_earlier_run_left_out_is_imported(old, server, run):
    result = run("--class", "Country")
    assert result.returncode == 0, result.stderr
    result = run("--class", "Country", "--class", "Setting")
    assert result.returncode == 0, result.stderr
    reply = server.api(OLD, master=True).get("/1.1/classes/Setting?count=1&limit=0").json()
    assert reply["count"] == len(old.server.state.objects["Setting"]) > 0


@pytest.mark.extended
def test_file_that_failed_is_read_again_and_the_verification_reads_everything(old, server, run):
    key = old.keys_of_files[0]
    (row,) = [row for row in old.objects["_File"] if row.get("key") == key]
    old.domain.remove(key)
    result = run("--class", "_File")
    assert result.returncode == FAILED and "the download failed" in result.stderr
    # The comparison reads all files, also those that the import has read before.
    result = run("--class", "_File", "--verify")
    assert result.returncode == FAILED and f"_File {row['objectId']}: the server has no such file" in result.stderr
    old.domain.put(key, old.content(key))
    result = run("--class", "_File", "--retry-failed")
    assert result.returncode == 0, result.stderr
    assert server.api(OLD, master=True).get(f"/1.1/files/{row['objectId']}").json()["key"] == key
    result = run("--class", "_File", "--verify")
    assert result.returncode == 0, result.stderr
