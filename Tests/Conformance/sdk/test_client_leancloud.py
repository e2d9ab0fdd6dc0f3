"""Uploads with the official Python SDK, unmodified, as an app uses it."""

import hashlib
import io
import textwrap

import pytest
from client import ALPHA, Server, eventually
from clients import MIB, some_bytes, stored
from PIL import Image
from sdk import RAISES, SDK
from sdk_people import with_people

START = """
import base64, hashlib, io
from leancloud import ACL, File, User
def facts(file):
    return {"id": file.id, "name": file.name, "key": file.key, "url": file.url, "type": file.mime_type,
            "owner": file.owner_id, "created": file.created_at is not None, "equal": file.created_at == file.updated_at}
def save(*words, **options):
    file = File(*words, **options)
    file.save()
    return file
"""
# A file whose ticket can be seen later
TICKET = """
file = File("a.bin", hashlib.shake_128(b"clients").digest(arguments.get("size", 3)))
ask, tickets = file._get_file_token, []
file._get_file_token = lambda: tickets.append(ask()) or tickets[0]
"""
RED = (230, 20, 20)


@pytest.fixture(scope="module")
def run(sdk):
    """Runs lines that know how files are saved."""
    return lambda lines, **options: sdk(START + textwrap.dedent(lines), **options)


@pytest.fixture(scope="module")
def tencent(tmp_path_factory):
    """Runs lines where uploads go to what the SDK takes for Tencent's store; and calls there."""
    server = Server(tmp_path_factory.mktemp("tencent"), LCFILE_UPLOADS_PROVIDERS="python=qcloud").start()
    sdk = SDK(server.url)
    yield lambda lines, **options: sdk.run(START + textwrap.dedent(lines), **options), server.api()
    sdk.close()
    assert server.stop() == 0


@pytest.mark.smoke
def test_saved_file_has_its_facts_and_bytes(run, api):
    seen = run("say(**facts(save('notes.txt', b'some text')))")
    content, record = stored(api, seen["id"])
    assert content == b"some text"
    assert seen == {
        "id": record["objectId"], "name": "notes.txt", "key": record["key"], "url": record["url"], "type": "text/plain",
        "owner": "unknown", "created": True, "equal": seen["equal"],
    }


@pytest.mark.parametrize("size", [0, 1, 100_000, 9 * MIB])
def test_bytes_of_any_size_are_saved(run, api, size):
    lines = "say(id=save('a.bin', hashlib.shake_128(b'clients').digest(arguments['size'])).id)"
    assert stored(api, run(lines, size=size)["id"])[0] == some_bytes(size)


def test_stream_is_saved(run, api):
    assert stored(api, run("say(id=save('a.bin', io.BytesIO(b'stream')).id)")["id"])[0] == b"stream"


@pytest.mark.parametrize("name", ["照片 一.jpg", "no extension", "x.tar.gz"])
def test_name_is_kept(run, api, name):
    seen = run("say(**facts(save(arguments['name'], b'x')))", name=name)
    assert seen["name"] == stored(api, seen["id"])[1]["name"] == name


@pytest.mark.parametrize("name, type", [("a.png", "image/png"), ("a", "application/octet-stream"), ("a.csv", "text/csv")])
def test_type_follows_the_name(run, api, name, type):
    seen = run("say(**facts(save(arguments['name'], bytes([0, 159, 146, 150]))))", name=name)
    assert seen["type"] == stored(api, seen["id"])[1]["mime_type"] == type


def test_type_of_the_app_comes_first(run, api):
    seen = run("say(**facts(save('a.txt', b'x', 'application/x-thing')))")
    assert seen["type"] == stored(api, seen["id"])[1]["mime_type"] == "application/x-thing"


def test_metadata_is_kept_beside_that_of_the_sdk(run, api):
    lines = """
        file = File("a.txt", b"abc")
        file.metadata["标签"] = {"list": ["火箭", 1.5, None]}
        file.save()
        say(id=file.id)
        """
    record = stored(api, run(lines)["id"])[1]
    assert record["metaData"] == {
        "标签": {"list": ["火箭", 1.5, None]}, "size": 3, "owner": "unknown", "_checksum": hashlib.md5(b"abc").hexdigest(),
    }


def test_fetched_file_is_as_it_was_saved(run):
    lines = """
        saved = save("a.txt", b"abc")
        fetched = File.create_without_data(saved.id)
        fetched.fetch()
        say(saved=facts(saved), fetched=facts(fetched), size=fetched.size)
        """
    seen = run(lines)
    assert seen["fetched"] == seen["saved"] | {"equal": seen["fetched"]["equal"]}
    assert seen["size"] == 3


def test_file_in_an_object_comes_back_with_it(run):
    lines = """
        album = leancloud.Object.extend("SDKAlbum")()
        file = save("a.txt", b"abc")
        album.set("cover", file)
        album.save()
        query = leancloud.Query("SDKAlbum").include("cover")
        say(cover=facts(query.get(album.id).get("cover"))["url"], url=file.url)
        """
    seen = run(lines)
    assert seen["cover"] == seen["url"]


def test_thumbnail_of_a_saved_picture_is_served(run, api):
    picture = io.BytesIO()
    Image.new("RGB", (300, 200), RED).save(picture, "PNG")
    seen = run(
        "say(url=save('a.png', bytes.fromhex(arguments['data'])).get_thumbnail_url(60, 60))", data=picture.getvalue().hex()
    )
    image = Image.open(io.BytesIO(api.fetch(seen["url"]).content))
    assert (image.format, image.size, image.convert("RGB").getpixel((30, 20))) == ("PNG", (60, 40), RED)


def test_saved_files_are_found_by_their_fields(run):
    lines = """
        word = hashlib.sha1(arguments["name"].encode()).hexdigest()
        files = []
        for number in range(3):
            file = File(arguments["name"], b"x" * number)
            file.metadata["word"] = word
            file.save()
            files.append(file.id)
        query = File.query.equal_to("metaData.word", word)
        say(
            all=[file.id for file in query.ascending("createdAt").find()] == files, count=query.count(),
            large=[file.id for file in query.greater_than("metaData.size", 1).find()] == files[2:],
            url=File.query.equal_to("name", arguments["name"]).first().url.startswith("http"),
        )
        """
    assert run(lines, name="found by its fields.txt") == {"all": True, "count": 3, "large": True, "url": True}


# Who may; an ACL cannot be sent with a file, because the SDK does not turn it into JSON.

def test_file_of_somebody_who_is_logged_in_is_theirs(sdk, master):
    for run in with_people(sdk, more=START):
        seen = run("ann = person(); file = save('a.txt', b'x'); say(ann=ann.id, owner=file.owner_id, id=file.id)")
        assert seen["owner"] == seen["ann"] == stored(master, seen["id"])[1]["metaData"]["owner"]


KEY = "file = File('a.txt', b'x'); file.key = arguments['file_key']; file.save(); say(**facts(file))"


def test_master_names_the_key(run, master):
    seen = run(KEY, master=ALPHA.master, file_key="Ærø/robots of the SDK.txt")
    assert seen["key"] == "Ærø/robots of the SDK.txt"
    assert stored(master, seen["id"])[0] == b"x"


def test_key_that_is_taken_raises(run, master):
    run(KEY, master=ALPHA.master, file_key="taken by the SDK.txt")
    lines = RAISES.format(call="file = File('a.txt', b'y'); file.key = arguments['file_key']; file.save()")
    assert run(lines, master=ALPHA.master, file_key="taken by the SDK.txt")["raised"] == 137


def test_app_does_not_name_the_key(run, api):
    seen = run(KEY, file_key="robots of an app.txt")
    assert seen["key"] != "robots of an app.txt"
    assert stored(api, seen["id"])[1]["key"] == seen["key"]


def test_destroyed_file_is_gone(run, api):
    seen = run("file = save('a.txt', b'x'); file.destroy(); say(**facts(file))", master=ALPHA.master)
    assert api.get(f"/1.1/files/{seen['id']}").status_code == 404
    assert api.fetch(seen["url"]).status_code == 404


# Files that are elsewhere

ELSEWHERE = "file = File.create_with_url('logo.png', 'https://elsewhere.example.org/logo.png', {'tag': '火箭'}, 'image/png')\n"


def test_file_elsewhere_has_its_record(run, api):
    seen = run(ELSEWHERE + "file.save(); say(id=file.id, url=file.url, created=file.created_at is not None)")
    record = api.get(f"/1.1/files/{seen['id']}").json()
    assert (seen["url"], seen["created"]) == ("https://elsewhere.example.org/logo.png", True)
    facts = {name: record[name] for name in ("name", "url", "mime_type")}
    assert facts == {"name": "logo.png", "url": "https://elsewhere.example.org/logo.png", "mime_type": "image/png"}
    assert record["metaData"].items() >= {"tag": "火箭", "__source": "external", "owner": "unknown"}.items()


def test_file_elsewhere_is_fetched_and_destroyed(run, api):
    lines = "file.save(); again = File.create_without_data(file.id); again.fetch(); again.destroy(); say(**facts(again))"
    seen = run(ELSEWHERE + lines, master=ALPHA.master)
    assert (seen["name"], seen["url"]) == ("logo.png", "https://elsewhere.example.org/logo.png")
    assert api.get(f"/1.1/files/{seen['id']}").status_code == 404


# Failures

FAILS = TICKET + """
file.metadata["_checksum"] = "0" * 32
try:
    file.save()
    say(raised=None)
except leancloud.LeanCloudError as error:
    say(raised=error.code, **tickets[0])
"""


def test_refused_bytes_raise_and_leave_no_file(run, api):
    seen = run(FAILS)
    assert seen["raised"] == 1
    assert api.get(f"/1.1/files/{seen['objectId']}").status_code == 404
    assert api.fetch(seen["url"]).status_code == 404


def test_refused_bytes_end_the_upload_because_the_sdk_calls_back(run, api):
    path = f"/1.1/uploads/{run(FAILS)['token']}"
    assert eventually(lambda: api.get(path).status_code == 404)


def test_class_that_is_closed_raises_and_leaves_no_file(run, api, rules):
    rules.set("_File", create=[])
    before = api.count()
    seen = run(RAISES.format(call="save('a.txt', b'x')"))
    assert (seen["raised"], api.count()) == (403, before)


# The other way that the SDK knows to bring bytes

@pytest.mark.few(1)
@pytest.mark.parametrize("size", [0, 1, 9 * MIB])
def test_file_goes_the_way_of_tencent(tencent, size):
    run, api = tencent
    seen = run(TICKET + "file.save(); say(**tickets[0])", size=size)
    assert seen["provider"] == "qcloud"
    assert stored(api, seen["objectId"])[0] == some_bytes(size)


def test_bytes_that_are_refused_the_way_of_tencent_raise(tencent):
    run, api = tencent
    seen = run(FAILS)
    assert seen["raised"] == 1
    assert api.get(f"/1.1/files/{seen['objectId']}").status_code == 404
