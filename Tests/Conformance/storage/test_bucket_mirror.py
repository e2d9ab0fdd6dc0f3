"""Files of the mirror whose bytes are in a bucket, where the name of a blob has the id of a file."""

import pytest
from accounts import unique
from backups import assert_succeeds, lcfile
from bucket_servers import engine, make, prefix, settings_of
from buckets import objects
from client import eventually, queued
from elsewhere import Elsewhere, answer
from uploading import Target, must, noise, tokens

DATA = noise(300_000)


@pytest.fixture(scope="module")
def old():
    old = Elsewhere()
    yield old
    old.close()


@pytest.fixture
def server(make, old):
    return make(
        LCFILE_MIRROR_ORIGIN=old.url("/old"), LCFILE_FETCH_ALLOWED_NETWORKS="127.0.0.1/32", LCFILE_TRASH_KEEP="3600",
    ).start()


def run(server, *arguments):
    config = server.folder / "lcfile.yaml"
    assert_succeeds(lcfile(*arguments, "--storage", server.storage, "--config", config, **settings_of(server)))


@pytest.mark.few(1)
@pytest.mark.parametrize("way", ["record", "upload"])
def test_import_that_takes_over_the_bytes_of_the_mirror_has_them(server, old, engine, prefix, tmp_path, way):
    api, master = server.api(), server.api(master=True)
    key, id = unique("k"), unique("id")
    old.answers[f"/old/{key}"] = answer(DATA)
    assert api.fetch(f"{server.url}/{key}").content == DATA
    if way == "record":
        must(master.post("/1.1/classes/_File", json={"objectId": id, "key": key, "name": "a.bin"}), 201)
    else:
        assert Target(master, must(tokens(master, "a.bin", key=key, objectId=id), 201)).put(DATA).status_code == 200
    assert api.fetch(f"{server.url}/{key}").content == DATA
    run(server, "check", "--read-data")
    run(server, "backup", tmp_path / "backup")
    # Into the trash and back, and away for ever.
    assert master.delete(id).status_code == 200
    assert eventually(lambda: queued(master) == 0)
    assert api.fetch(f"{server.url}/{key}").status_code == 404
    must(master.post(f"/1.1/trash/{id}/restore"))
    assert api.fetch(f"{server.url}/{key}").content == DATA
    run(server, "check", "--read-data")
    assert master.delete(id).status_code == 200
    entry = must(master.get("/1.1/trash"))["results"][0]["objectId"]
    must(master.call("DELETE", f"/1.1/trash/{entry}"))
    assert eventually(lambda: queued(master) == 0)
    assert not [name for name in objects(engine, prefix) if "/blobs/" in name or "/trash/" in name]
