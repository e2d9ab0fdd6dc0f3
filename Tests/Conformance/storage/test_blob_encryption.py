"""Blobs that the server encrypts with keys of its own: what the store sees, who can start, rotation, and moves."""

import base64
import hashlib
import shutil

import pytest
from backups import INCOMPLETE, assert_succeeds, lcfile
from bucket_servers import engine, make, postgres, prefix, settings_of, url, without_bucket
from buckets import BUCKET, blob_settings, blobs, stored
from client import ALPHA, ROCKET, eventually, queued
from starting import SETTING, STORAGE, assert_does_not_start
from uploading import MB, Tus, ask, assert_file, metadata, must, noise, qetag

pytestmark = pytest.mark.long

OLD, NEW, OTHER = (base64.b64encode(hashlib.sha256(text).digest()).decode() for text in (b"old", b"new", b"other"))


def keys(*keys, **settings):
    return {"LCFILE_BLOBS_ENCRYPTION_KEYS": ",".join(keys)} | settings


def assert_store_knows_nothing(engine, prefix, *contents):
    """No object, name or metadata has a piece of the bytes or one of their digests."""
    pieces = [content[start : start + 32] for content in contents for start in (0, len(content) // 2, len(content) - 32)]
    texts = [text for content in contents for text in (
        qetag(content), hashlib.md5(content).hexdigest(), hashlib.sha1(content[: 4 * MB]).hexdigest(),
        hashlib.sha256(content).hexdigest())]
    for item in stored(engine, prefix):
        answer = engine.client.get_object(Bucket=BUCKET, Key=item.key)
        found = answer["Body"].read()
        assert not [piece for piece in pieces if piece in found], item.key
        assert not [text for text in texts if text in f"{item.key} {answer['Metadata']} {answer['ETag']}"], item.key


def test_every_way_in_and_out_works_and_the_store_sees_no_plaintext(make, engine, prefix):
    server = make(**keys(OLD, LCFILE_TRASH_KEEP="3600")).start()
    api, master = server.api(), server.api(master=True)
    small, large, parts, resumed = noise(1000), noise(20 * MB + 7, 1), noise(13 * MB + 5, 2), noise(18 * MB, 3)
    # While an upload goes on, and after its end.
    upload = Tus(server).create(len(resumed), Upload_Metadata=metadata(filename="x.bin"))
    assert upload.patch(0, resumed[:7_000_001]).status_code == 204
    target = ask(api, len(parts))
    contexts = target.blocks(parts)
    assert_store_knows_nothing(engine, prefix, parts, resumed)
    assert must(target.mkfile(len(parts), contexts))["hash"] == qetag(parts)
    upload.go_on(resumed, 5_000_000)
    other = ask(api, len(parts))
    assert other.v2(parts, 5_000_000).status_code == 200
    records = [api.store(content, name="x.bin") for content in (small, large)]
    image = api.store(ROCKET.read_bytes())
    for id, content in ((target.id, parts), (other.id, parts), (upload.id, resumed)):
        assert_file(api, id, content)
    for record, content in zip(records, (small, large)):
        assert api.fetch(record["url"]).content == content
    for start, end in ((0, 0), (65_530, 65_545), (9 * MB, 11 * MB), (len(large) - 5, len(large) - 1)):
        part = api.fetch(records[1]["url"], Range=f"bytes={start}-{end}")
        assert (part.status_code, part.content) == (206, large[start : end + 1])
    assert api.fetch(image["url"] + "?imageMogr2/thumbnail/100x").headers["Content-Type"] == "image/jpeg"
    for record in records:
        assert master.delete(record["objectId"]).status_code == 200
    assert eventually(lambda: queued(master) == 0)
    assert_store_knows_nothing(engine, prefix, small, large, parts, resumed, ROCKET.read_bytes())
    for record, content in zip(records, (small, large)):
        restored = master.post(f"/1.1/trash/{record['objectId']}/restore")
        assert restored.status_code == 200, restored.text
        assert api.fetch(record["url"]).content == content
    output = assert_succeeds(run(server, "check", "--read-data", "--json"))
    assert '"damaged-blob"' not in output and '"missing-blob"' not in output


def run(server, *arguments):
    return lcfile(*arguments, "--storage", server.storage, "--config", server.folder / "lcfile.yaml", **settings_of(server))


@pytest.mark.extended
def test_changed_objects_are_errors_and_reported(make, engine, prefix):
    server = make(**keys(OLD)).start()
    api = server.api()
    contents = [noise(100_000, number) for number in range(5)]
    records = [api.store(content, name=f"{number}.bin") for number, content in enumerate(contents)]
    found = {item.key.rsplit(".", 1)[-1]: item for item in blobs(engine, prefix, ALPHA)}
    first, second, third, fourth, fifth = (found[record["objectId"]] for record in records)
    data = bytearray(first.read_bytes())
    data[50_000] ^= 1
    first.write_bytes(bytes(data))
    # The blob of one file in the place of another one's, and plaintext.
    second.write_bytes(third.read_bytes())
    third.write_bytes(contents[2])
    # The key of one file with the name, and the whole blob, of another one.
    name = f"{fourth.key.rsplit('.', 1)[0]}.{records[4]['objectId']}"
    engine.client.put_object(Bucket=BUCKET, Key=name, Body=fifth.read_bytes())
    fourth.unlink()
    server.stop()
    shutil.rmtree(server.storage / ".blob-cache")
    server.start()
    for record in records[:4]:
        answer = server.api().fetch(record["url"])
        assert answer.status_code == 500 and len(answer.content) < 1000, record
    assert_file(server.api(), records[4]["objectId"], contents[4])
    server.stop()
    result = run(server, "check", "--read-data", "--json")
    assert result.returncode == INCOMPLETE, result.stderr
    assert result.stdout.count('"kind":"damaged-blob"') == 3, result.stdout
    assert result.stdout.count('"kind":"missing-blob"') == 1, result.stdout


@pytest.mark.extended
def test_starts_without_the_right_keys_are_refused(make, engine, prefix):
    server = make(**keys(OLD)).start()
    id = server.api().store(b"secret", name="x.bin")["objectId"]
    server.stop()
    assert_does_not_start(make(), STORAGE, "blobs.encryption.keys is not set")
    assert_does_not_start(make(**keys(NEW)), STORAGE, "which blobs.encryption.keys does not have")
    result = lcfile("check", "--storage", server.storage, "--config", server.folder / "lcfile.yaml",
                    **blob_settings(engine, prefix))
    assert result.returncode != 0 and "blobs.encryption.keys" in result.stderr + result.stdout
    assert_does_not_start(make(**keys(OLD, LCFILE_DOWNLOADS_REDIRECTS="all")), SETTING, "clients have no keys")
    assert_does_not_start(make(**keys("short")), SETTING, "blobs.encryption.keys must be")
    assert_does_not_start(make(**keys(OLD, LCFILE_BLOBS_STORE="")), SETTING, "blobs.store, which is not set")
    assert_file(make(**keys(OLD)).start().api(), id, b"secret")


@pytest.mark.extended
def test_rotated_key_opens_everything_and_the_old_one_nothing(make):
    server = make(**keys(OLD)).start()
    content = noise(9 * MB)
    id = server.api().store(content, name="x.bin")["objectId"]
    upload = Tus(server).create(len(content), Upload_Metadata=metadata(filename="y.bin"))
    assert upload.patch(0, content[:1_000_000]).status_code == 204
    server.stop()
    for settings in ((NEW, OLD), (OLD, NEW), (NEW,)):
        server = make(**keys(*settings)).start()
        assert_file(server.api(), id, content)
        server.stop()
    assert_does_not_start(make(**keys(OLD)), STORAGE, "which blobs.encryption.keys does not have")
    server = make(**keys(OTHER, NEW)).start()
    again = Tus(server)
    assert again.call("PATCH", upload.path, content[1_000_000:], Upload_Offset=1_000_000,
                      Content_Type=Tus.BYTES).status_code == 204
    assert_file(server.api(), upload.id, content)


@pytest.mark.extended
def test_bucket_from_before_the_keys_is_read_where_the_settings_say_so(make, engine, prefix):
    server = make().start()
    old, content = noise(100_000), noise(9 * MB, 1)
    id = server.api().store(old, name="x.bin")["objectId"]
    upload = Tus(server).create(len(content), Upload_Metadata=metadata(filename="y.bin"))
    assert upload.patch(0, content[:7_000_000]).status_code == 204
    server.stop()
    assert_does_not_start(make(**keys(OLD)), STORAGE, "are not encrypted", "blobs.encryption.unencrypted: read")
    reading = keys(OLD, LCFILE_BLOBS_ENCRYPTION_UNENCRYPTED="read")
    server = make(**reading).start()
    assert_file(server.api(), id, old)
    answer = Tus(server).call("PATCH", upload.path, content[7_000_000:], Upload_Offset=7_000_000, Content_Type=Tus.BYTES)
    assert answer.status_code == 204
    assert_file(server.api(), upload.id, content)
    assert_store_knows_nothing(engine, f"{prefix}/{ALPHA.id}/staging", content)
    assert len([item for item in blobs(engine, prefix, ALPHA) if item.read_bytes() == old]) == 1
    server.stop()
    assert_succeeds(run(server, "check", "--read-data"))
    assert_does_not_start(make(), STORAGE, "blobs.encryption.keys is not set")


def test_first_key_waits_until_no_server_of_another_folder_uses_the_bucket(make, url):
    reading = keys(OLD, LCFILE_BLOBS_ENCRYPTION_UNENCRYPTED="read", LCFILE_DATABASE_URL=url)
    server = make(LCFILE_DATABASE_URL=url).start()
    # Its heartbeat stays.
    server.kill()
    assert_does_not_start(make("other", **reading), STORAGE, "stop all servers first")
    # Its own folder proves that it has ended.
    assert make(**reading).start().stop() == 0


def configuration_of(server, path, *keys):
    value = server.environment
    path.write_text(
        f"blobs:\n  store: {value['LCFILE_BLOBS_STORE']}\n  encryption:\n    keys: {','.join(keys)}\n"
        f"  s3:\n    endpoint: {value['LCFILE_BLOBS_S3_ENDPOINT']}\n"
        f"    region: {value['LCFILE_BLOBS_S3_REGION']}\n    accessKey: {value['LCFILE_BLOBS_S3_ACCESS_KEY']}\n"
        f"    secretKey: {value['LCFILE_BLOBS_S3_SECRET_KEY']}\n")
    return path


@pytest.mark.extended
def test_moves_encrypt_encrypt_anew_and_decrypt(make, engine, prefix, tmp_path, new_server):
    server = without_bucket(make, LCFILE_TRASH_KEEP="3600").start()
    api, master = server.api(), server.api(master=True)
    contents = {api.store(content, name="x.bin")["objectId"]: content for content in (noise(1000), noise(9 * MB, 1), b"")}
    deleted = api.store(noise(2000, 2), name="x.bin")["objectId"]
    assert master.delete(deleted).status_code == 200
    assert eventually(lambda: queued(master) == 0)
    half = noise(6 * MB, 3)
    upload = Tus(server).create(len(half), Upload_Metadata=metadata(filename="y.bin"))
    assert upload.patch(0, half[:3_000_000]).status_code == 204
    server.stop()

    def migrate(server, destination, *arguments):
        result = run(server, "migrate", "--blobs-to", destination, *arguments)
        assert result.returncode == 0, result.stderr
        assert "Moved the files" in result.stdout

    sealed = make(**keys(OLD, LCFILE_TRASH_KEEP="3600"))
    migrate(sealed, "bucket")
    plain = [content for content in contents.values() if content]
    assert_store_knows_nothing(engine, prefix, *plain, noise(2000, 2), half[:3_000_000])
    other = f"{prefix}-other"
    anew = make(**blob_settings(engine, other), **keys(NEW, LCFILE_TRASH_KEEP="3600"))
    migrate(anew, "bucket", "--from", configuration_of(sealed, tmp_path / "former.yaml", OLD))
    assert_store_knows_nothing(engine, other, *plain, noise(2000, 2), half[:3_000_000])
    server = anew.start()
    for id, content in contents.items():
        assert_file(server.api(), id, content)
    assert server.api(master=True).post(f"/1.1/trash/{deleted}/restore").status_code == 200
    assert_file(server.api(), deleted, noise(2000, 2))
    answer = Tus(server).call("PATCH", upload.path, half[3_000_000:], Upload_Offset=3_000_000, Content_Type=Tus.BYTES)
    assert answer.status_code == 204
    assert_file(server.api(), upload.id, half)
    # A backup has plaintext, and is restored without keys.
    assert_succeeds(run(server, "backup", tmp_path / "backup"))
    assert_succeeds(run(server, "backup", "--to", tmp_path / "repository"))
    assert_succeeds(lcfile("restore", "--storage", tmp_path / "restored", tmp_path / "backup"))
    restored = new_server(
        folder=tmp_path, storage=tmp_path / "restored", apps=(ALPHA,), LCFILE_DATABASE_URL="", LCFILE_BLOBS_STORE="").start()
    for id, content in contents.items():
        assert_file(restored.api(), id, content)
    server.stop()
    migrate(anew, "folder")
    server = without_bucket(make, LCFILE_TRASH_KEEP="3600").start()
    for id, content in (contents | {deleted: noise(2000, 2), upload.id: half}).items():
        assert_file(server.api(), id, content)
