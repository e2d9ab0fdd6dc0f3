"""Objects that the S3 store encrypts with keys of its own: blobs, staged bytes, copies and backups."""

import pytest
from backups import assert_succeeds, lcfile
from bucket_servers import engine, make, prefix
from buckets import BUCKET, stored
from client import eventually, queued
from uploading import noise

pytestmark = pytest.mark.long

MB = 1 << 20


def assert_encrypted(engine, prefix, count):
    # The store encrypts no bytes where there are none, such as those of claims and heartbeats.
    found = [item.key for item in stored(engine, prefix) if item.size > 0]
    assert len(found) >= count
    heads = {key: engine.client.head_object(Bucket=BUCKET, Key=key) for key in found}
    assert {key: head.get("ServerSideEncryption") for key, head in heads.items()} == dict.fromkeys(found, "AES256")


@pytest.mark.extended
def test_blobs_parts_and_copies_are_encrypted_and_read_again(make, engine, prefix):
    server = make(LCFILE_BLOBS_S3_ENCRYPTION="AES256", LCFILE_TRASH_KEEP="3600", LCFILE_DOWNLOADS_REDIRECTS="all").start()
    api, master = server.api(), server.api(master=True)
    contents = [noise(1000), noise(20 * MB, 1)]
    records = [api.store(content, name=f"{len(content)}.bin") for content in contents]
    assert_encrypted(engine, prefix, 3)
    for record in records:
        assert master.delete(record["objectId"]).status_code == 200
    assert eventually(lambda: queued(master) == 0)
    assert_encrypted(engine, prefix, 3)
    for record in records:
        assert master.post(f"/1.1/trash/{record['objectId']}/restore").status_code == 200
    assert_encrypted(engine, prefix, 3)
    # The larger one comes from the store.
    answers = [api.fetch(record["url"]) for record in records]
    assert [answer.content for answer in answers] == contents
    assert [len(answer.history) for answer in answers] == [0, 1]


def test_objects_of_a_backup_are_encrypted(new_server, engine, prefix):
    server = new_server().start()
    server.api().store(b"bytes", name="file.txt")
    arguments = ("backup", "--storage", server.storage, "--to", f"s3://{BUCKET}/{prefix}")
    assert_succeeds(lcfile(*arguments, LCFILE_BACKUP_S3_ENCRYPTION="AES256", **engine.settings))
    assert_encrypted(engine, prefix, 2)
