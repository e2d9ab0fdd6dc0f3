"""Private files end to end: the URLs of records end, and SDKs use them without a change."""

import io
import time

import pytest
from client import ALPHA, Server, assert_refused, eventually
from commands import assert_fails, credentials_of, lcfile
from PIL import Image
from sdk import SDK

OLD, NEW = "the-old-key-of-last-year", "the-new-key-of-today"


@pytest.fixture(scope="module")
def private(tmp_path_factory):
    """A server whose files are all private."""
    server = Server(tmp_path_factory.mktemp("private"), LCFILE_FILES_ACCESS="private").start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def record(private, rocket):
    return private.api().store(rocket)


def test_url_of_a_record_shows_the_file_and_no_cache_shares_it(private, record, rocket):
    answer = private.api().fetch(private.api().get(f"/1.1/files/{record['objectId']}").json()["url"])
    assert (answer.status_code, answer.content) == (200, rocket)
    assert answer.headers["Cache-Control"].startswith("private, max-age=")


def test_url_without_its_signature_is_refused(private, record):
    answer = private.api().fetch(record["url"].partition("?")[0])
    assert_refused(answer, 403, 403, "needs a signature")
    assert answer.headers["Cache-Control"] == "private, no-store"


def test_signature_of_another_file_is_refused(private, record):
    other = private.api().store(b"other", "a.txt")
    url = record["url"].partition("?")[0] + "?" + other["url"].partition("?")[2]
    assert_refused(private.api().fetch(url), 403, 403, "signature of this URL is wrong")


def test_url_ends_when_it_expires(private, record):
    body = {"expiresIn": 1}
    answer = private.api().post(f"/1.1/files/{record['objectId']}/url", json=body).json()
    expiry = int(answer["url"].partition("e=")[2].partition("&")[0])
    # Whole seconds: the end is up to one second away.
    assert eventually(lambda: time.time() >= expiry)
    assert_refused(private.api().fetch(answer["url"]), 403, 403, "has expired")


def test_sdk_gets_the_file_and_its_thumbnail(private, record, rocket):
    sdk = SDK(private.url)
    try:
        lines = "f = file(); f.fetch(); say(url=f.url, thumbnail=f.get_thumbnail_url(64, 64, fmt='webp'))"
        seen = sdk.run(lines, file=record["objectId"])
    finally:
        sdk.close()
    assert private.api().fetch(seen["url"]).content == rocket
    image = Image.open(io.BytesIO(private.api().fetch(seen["thumbnail"]).content))
    assert (image.format, image.width) == ("WEBP", 64)


def test_command_makes_a_url_that_expires(private, record, rocket):
    arguments = ("--expires", "1h", "--image", "imageView2/1/w/32/h/32", record["objectId"])
    url = lcfile("url", *arguments, **credentials_of(private.url)).stdout.strip()
    assert Image.open(io.BytesIO(private.api().fetch(url).content)).size == (32, 32)
    assert private.api().fetch(url.replace("w/32", "w/33")).status_code == 403


@pytest.mark.parametrize("by", ["objectId", "key", "url"])
def test_command_downloads_with_the_signature_of_the_record(private, record, rocket, by):
    result = lcfile("get", "-o", "-", record[by].partition("?")[0], text=False, **credentials_of(private.url))
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout == rocket


@pytest.mark.extended
@pytest.mark.parametrize("access", ["any", "styles", "signed"])
def test_thumbnail_of_a_command_is_served_whatever_images_strangers_get(new_server, rocket, tmp_path, access):
    server = new_server(LCFILE_IMAGES_ACCESS=access).start()
    record = server.api().store(rocket)
    arguments = ("thumbnail", "--width", "32", "--height", "32", "--crop")
    master = credentials_of(server.url, master=ALPHA.master)
    for name in (record["objectId"], record["key"], record["url"]):
        url = lcfile(*arguments, "--master", name, **master).stdout.strip()
        assert Image.open(io.BytesIO(server.api().fetch(url).content)).size == (32, 32)
        image = lcfile(*arguments, "--master", "-o", "-", name, text=False, **master)
        assert (image.returncode, image.stderr) == (0, b"")
        assert Image.open(io.BytesIO(image.stdout)).size == (32, 32)
    stranger = lcfile(*arguments, record["objectId"], **credentials_of(server.url))
    if access == "any":
        assert stranger.stdout == url + "\n" and "token=" not in url
    else:
        assert_fails(stranger, f"images.access is {access}", "--master", "lcfile url --image")


@pytest.mark.extended
def test_keys_rotate_while_old_urls_stay_valid(new_server, rocket):
    server = new_server(LCFILE_FILES_ACCESS="private", LCFILE_FILES_SIGNING_KEYS=OLD).start()
    target = server.api().store(rocket)["url"].removeprefix(server.url)
    server.stop()
    for keys, status in ((f"{NEW}, {OLD}", 200), (NEW, 403)):
        settings = {"LCFILE_FILES_ACCESS": "private", "LCFILE_FILES_SIGNING_KEYS": keys}
        server = new_server(storage=server.storage, **settings).start()
        assert server.api().get(target).status_code == status
        server.stop()


def test_hot_file_is_private_as_soon_as_its_acl_is(new_server, rocket):
    server = new_server(LCFILE_FILES_ACCESS="acl").start()
    record = server.api().store(rocket)
    url = record["url"]
    assert [server.api().fetch(url).status_code for _ in range(4)] == [200] * 4
    body = {"ACL": {}}
    assert server.api(master=True).call("PUT", f"/1.1/files/{record['objectId']}", json=body).status_code == 200
    assert_refused(server.api().fetch(url), 403, 403, "needs a signature")
