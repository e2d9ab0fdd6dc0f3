"""Servers whose blobs are in a bucket of a real store: which bucket they take, and what they do with it."""

import shutil

import pytest
from bucket_servers import engine, make, postgres, prefix, url, without_bucket
from buckets import BUCKET, blob_settings, blobs, objects
from client import ALPHA, ROCKET, eventually, queued
from databases import database_of
from metrics import documented, families
from starting import SETTING, STORAGE, assert_does_not_start
from uploading import noise

pytestmark = pytest.mark.long

MB = 1 << 20


def marker(server):
    return server.storage / ALPHA.id / "lcfile.bucket"


def files_of(server):
    """The names of the files in the storage folder in which bytes of clients could be."""
    return [
        path for name in ("blobs", "staging", "trash") for path in (server.storage / ALPHA.id / name).rglob("*")
        if path.is_file()
    ]


# What a server does


@pytest.mark.extended
def test_bytes_are_in_the_bucket_and_not_in_the_folder(make, engine, prefix):
    server = make(LCFILE_TRASH_KEEP="3600").start()
    api, master = server.api(), server.api(master=True)
    small, large = noise(1000), noise(20 * MB, 1)
    records = [api.store(small, name="small.bin"), api.store(large, name="large.bin")]
    for record, content in zip(records, (small, large)):
        assert api.fetch(record["url"]).content == content
        part = api.fetch(record["url"], Range="bytes=100-199")
        assert (part.status_code, part.content) == (206, content[100:200])
    assert sorted(blob.size for blob in blobs(engine, prefix, ALPHA)) == [1000, 20 * MB]
    assert files_of(server) == []
    image = api.store(ROCKET.read_bytes())
    assert api.fetch(image["url"] + "?imageMogr2/thumbnail/100x").headers["Content-Type"] == "image/jpeg"
    assert master.delete(records[0]["objectId"]).status_code == 200
    assert eventually(lambda: queued(master) == 0)
    assert api.fetch(records[0]["url"]).status_code == 404
    restored = master.post(f"/1.1/trash/{records[0]['objectId']}/restore")
    assert restored.status_code == 200, restored.text
    assert api.fetch(records[0]["url"]).content == small
    # What the cache has does not count.
    assert server.stop() == 0
    shutil.rmtree(server.storage / ".blob-cache")
    server.start()
    for record, content in zip(records, (small, large)):
        assert api.fetch(record["url"]).content == content


# Which bucket


def test_start_without_the_setting_is_refused(make):
    server = make().start()
    server.stop()
    assert_does_not_start(without_bucket(make), SETTING, "lcfile.bucket", "set blobs.store")


@pytest.mark.extended
def test_another_bucket_is_refused(make, engine, prefix):
    server = make().start()
    server.stop()
    other = make(LCFILE_BLOBS_STORE=f"s3://{BUCKET}/{prefix}-other")
    assert_does_not_start(other, STORAGE, "blobs.store names another bucket or prefix", f"{prefix}-other/{ALPHA.id}/")
    assert objects(engine, f"{prefix}-other") == {}


@pytest.mark.extended
def test_bucket_of_another_storage_is_refused(make):
    make().start().stop()
    other = make("two")
    assert_does_not_start(other, STORAGE, "has the blobs of another storage")
    assert not marker(other).exists()
    assert not (other.storage / ALPHA.id / "lcfile.sqlite").exists()


@pytest.mark.extended
def test_folder_with_blobs_is_refused(make, engine, prefix):
    server = without_bucket(make).start()
    server.api().store(b"bytes", name="file.txt")
    server.stop()
    assert_does_not_start(make(), STORAGE, "move them first")
    assert objects(engine, prefix) == {}
    # A folder that was used and has no bytes can begin with a bucket.
    without_bucket(make, "two").start().stop()
    make("two").start()


@pytest.mark.extended
def test_objects_of_an_unknown_owner_are_refused(make, engine, prefix):
    make().start().stop()
    engine.client.delete_object(Bucket=BUCKET, Key=f"{prefix}/{ALPHA.id}/owners")
    engine.client.put_object(Bucket=BUCKET, Key=f"{prefix}/{ALPHA.id}/blobs/ab/something", Body=b"")
    assert_does_not_start(make(), STORAGE, "blobs.store names another bucket or prefix")
    assert_does_not_start(make("two"), STORAGE, "no object that tells whose they are")


@pytest.mark.extended
@pytest.mark.parametrize("has_owners", [False, True])
def test_start_that_ended_before_the_marker_goes_on(make, engine, prefix, has_owners):
    server = make().start()
    server.stop()
    id = marker(server).read_text()
    marker(server).rename(f"{marker(server)}.partial")
    if not has_owners:
        for name in objects(engine, prefix):
            engine.client.delete_object(Bucket=BUCKET, Key=f"{prefix}/{name}")
    make().start()
    assert marker(server).read_text() == id


def test_missing_bucket_and_wrong_keys_are_told(make):
    assert_does_not_start(make(LCFILE_BLOBS_STORE="s3://none-of-this-name"), STORAGE, "none-of-this-name")
    assert_does_not_start(make("two", LCFILE_BLOBS_S3_SECRET_KEY="wrong"), STORAGE, "blobs.store")
    assert_does_not_start(
        make("three", LCFILE_BLOBS_S3_ACCESS_KEY="", LCFILE_BLOBS_S3_SECRET_KEY=""), SETTING, "blobs.s3.accessKey")


# Several servers


@pytest.mark.extended
def test_servers_of_one_database_and_one_bucket_share_files(make, url):
    first = make(LCFILE_DATABASE_URL=url).start()
    one = first.api()
    before = one.store(b"before", name="before.txt")
    second = make("two", LCFILE_DATABASE_URL=url).start()
    other = second.api()
    after = other.store(b"after", name="after.txt")
    assert marker(first).read_text() == marker(second).read_text()
    for api, server in ((one, first), (other, second)):
        for record, content in ((before, b"before"), (after, b"after")):
            address = record["url"].replace(first.url, server.url).replace(second.url, server.url)
            assert api.fetch(address).content == content
    # The folder of a server has nothing that the others need.
    second.kill()
    shutil.rmtree(second.storage)
    make("two", LCFILE_DATABASE_URL=url).start()


@pytest.mark.extended
def test_new_folder_does_not_join_without_the_bucket(make, url, prefix):
    server = make(LCFILE_DATABASE_URL=url).start()
    server.api().store(b"bytes", name="file.txt")
    two = without_bucket(make, "two", LCFILE_DATABASE_URL=url)
    # It waits for the end of a server that is perhaps being killed.
    two.launch()
    assert two.wait(60) == STORAGE
    assert "is used by another server; with the blobs in its storage folder" in two.errors
    empty = make("three", LCFILE_DATABASE_URL=url, LCFILE_BLOBS_STORE=f"s3://{BUCKET}/{prefix}-other")
    assert_does_not_start(empty, STORAGE, "has the objects of another storage")


@pytest.mark.extended
def test_bucket_of_another_database_is_refused(make, url, postgres, tmp_path):
    make(LCFILE_DATABASE_URL=url).start().stop()
    other = database_of(tmp_path / "other", postgres.url)
    assert_does_not_start(make("two", LCFILE_DATABASE_URL=other), STORAGE, "do not belong together")
    # Neither is the bucket given to the folder with SQLite.
    assert_does_not_start(make("three"), STORAGE, "has the blobs of another storage")


def test_database_and_bucket_without_apps_are_refused(new_server, engine, prefix, url, tmp_path):
    server = new_server(
        folder=tmp_path, apps=(), LCFILE_DATABASE_URL=url, **blob_settings(engine, prefix))
    assert_does_not_start(server, SETTING, "set apps")


def test_metrics_of_the_bucket_are_those_of_the_documentation(make):
    server = make().start()
    url = server.api().store(b"counted", name="a.txt")["url"]
    assert server.api().fetch(url).content == b"counted"
    found = {name: family for name, family in families(server).items() if name.startswith("lcfile_blob_")}
    assert found.keys() == {name for name in documented() if name.startswith("lcfile_blob_")}
    assert found["lcfile_blob_store_requests_total"].samples[0].value > 0
