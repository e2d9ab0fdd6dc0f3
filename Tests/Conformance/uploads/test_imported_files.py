"""Files that the master key uploads with the key, the id and the time that they had on another server."""

from urllib.parse import quote

import pytest
from accounts import unique
from client import ALPHA, assert_refused
from uploading import Target, Tus, metadata, must, send_form, tokens

CREATED, UPDATED = "2019-05-06T07:08:09.123Z", "2020-01-02T03:04:05.678Z"
PNG = "image/png"


def origin():
    """The members that make a file the one that it was."""
    return {"key": f"{unique('old')}/photo.png", "objectId": unique("id"), "createdAt": CREATED, "updatedAt": UPDATED}


def assert_stored(api, members, data):
    file = api.get(f"/1.1/files/{members['objectId']}").json()
    assert {name: file[name] for name in members} == members
    assert api.fetch(file["url"]).content == data


@pytest.fixture
def tus(server):
    client = Tus(server)
    client.headers |= {"X-LC-Key": f"{ALPHA.master},master"}
    return client


def test_upload_by_token_keeps_key_id_and_time(master, api):
    members = origin()
    answer = must(tokens(master, "photo.png", **members), 201)
    assert all(answer[name] == members[name] for name in ("key", "objectId", "createdAt"))
    assert Target(master, answer).put(b"abc", Content_Type=PNG).status_code == 200
    assert_stored(api, members, b"abc")


@pytest.mark.smoke
def test_upload_by_tus_keeps_key_id_and_time(tus, api):
    members = origin()
    upload = tus.create(6, b"abc", Upload_Metadata=metadata(filename="photo.png", filetype=PNG, **members))
    assert upload.patch(3, b"def").status_code == 204
    assert_stored(api, members, b"abcdef")


def test_id_of_a_file_is_refused_before_the_bytes(master, server):
    members = origin()
    target = Target(master, must(tokens(master, "photo.png", **members), 201))
    assert target.put(b"abc").status_code == 200
    blobs = server.blobs_at_rest()
    assert_refused(tokens(master, "photo.png", **origin() | {"objectId": members["objectId"]}), 400, 137)
    assert server.blobs_at_rest() == blobs


@pytest.mark.parametrize("members", [{"objectId": "a b"}, {"objectId": 1}, {"createdAt": "yesterday"}, {"updatedAt": "x"}], ids=str)
def test_invalid_member_is_refused_by_its_name(master, members):
    assert_refused(tokens(master, "photo.png", **members), 400, 1)


@pytest.mark.parametrize("members", [{"objectId": "a1"}, {"createdAt": CREATED}, {"objectId": 1}], ids=str)
def test_members_of_other_callers_are_ignored(api, members):
    answer = must(tokens(api, "photo.png", **members), 201)
    assert all(answer[name] != value for name, value in members.items())


# Names

LONG = "图" * 1365


def import_by_token(master, data, name="a.bin", **fields):
    """The record of a file that the master key uploads."""
    answer = must(tokens(master, name, **fields), 201)
    assert Target(master, answer).put(data).status_code == 200
    return must(master.get(f"/1.1/files/{answer['objectId']}"))


def test_master_key_gives_longer_names(master, tus, api):
    file = import_by_token(master, b"abc", LONG)
    assert file["name"] == LONG
    response = api.fetch(f"{file['url']}?attname={quote(LONG)}")
    assert response.content == b"abc" and quote(LONG[:85]) in response.headers["Content-Disposition"]
    upload = tus.create(3, b"abc", Upload_Metadata=metadata(filename=LONG, metaData='{"a":"' + "x" * 20_000 + '"}'))
    assert must(master.get(f"/1.1/files/{upload.id}"))["name"] == LONG
    for response in (send_form(master, b"abc", LONG)[1], master.post("/1.1/files", json={"name": LONG, "url": file["url"]})):
        assert must(response, 201)["name"] == LONG
    assert must(master.call("PUT", f"/1.1/files/{file['objectId']}", json={"name": LONG[1:]}))


def test_longer_names_have_a_limit_and_are_not_for_others(master, api):
    for caller, name, limit in ((master, LONG + "xx", 4096), (api, "x" * 256, 255)):
        assert_refused(tokens(caller, name), 400, 122, str(limit))
        assert_refused(caller.post("/1.1/files", json={"name": name, "url": "https://example.com/a"}), 400, 122, str(limit))


# Media types

@pytest.mark.parametrize("given, stored", [
    ("text/plain; charset=gbk", "text/plain; charset=gbk"), ('Text/HTML;x=y; Charset="UTF-8"', "text/html; charset=utf-8"),
    ("text/plain; x=y", "text/plain"), ("text/plain; charset=a b", "text/plain"), ("text/plain; charset=", "text/plain"),
], ids=str)
def test_charset_of_an_imported_file_is_served(master, given, stored):
    # The C# SDK fails on parameters in the response with the token.
    assert must(tokens(master, "a.txt", mime_type=given), 201)["mime_type"] == stored.partition(";")[0]
    file = import_by_token(master, "中文".encode("gbk"), "a.txt", mime_type=given)
    assert file["mime_type"] == stored
    assert master.fetch(file["url"]).headers["Content-Type"] == stored


def test_charset_from_tus_and_of_an_external_file(master, tus, api):
    upload = tus.create(1, b"a", Upload_Metadata=metadata(filename="a", filetype="text/plain;charset=Big5"))
    external = must(master.post("/1.1/files", json={"url": "https://example.com/a", "mime_type": "text/css;charset=gbk"}), 201)
    assert must(api.get(f"/1.1/files/{upload.id}"))["mime_type"] == "text/plain; charset=big5"
    assert external["mime_type"] == "text/css; charset=gbk"


def test_charset_of_other_callers_is_dropped(api, cast):
    for caller in (api, cast.owner):
        assert must(tokens(caller, "a.txt", mime_type="text/plain; charset=gbk"), 201)["mime_type"] == "text/plain"


def test_image_with_a_charset_is_still_an_image(master, api, rocket):
    file = import_by_token(master, rocket, "a.jpg", mime_type="image/jpeg; charset=binary")
    assert api.fetch(f"{file['url']}?imageInfo").json()["format"] == "jpeg"


# Keys

KEYS = ["照片/猫 1.jpg", "a b.jpg", "a+b.jpg", "100%.jpg", "%41.jpg", "it's \"x\".jpg", "😀/😀.jpg", ".hidden", "a/.b.jpg", "?a=b#c.jpg"]


@pytest.mark.few(3)
@pytest.mark.parametrize("key", KEYS, ids=ascii)
def test_key_of_any_characters_is_downloaded_by_its_url(master, api, rocket, key):
    key = f"{unique('k')}/{key}"
    file = import_by_token(master, rocket, "photo.jpg", key=key)
    assert (file["key"], file["url"]) == (key, f"{api.server.url}/{quote(key, safe='/~')}")
    assert api.fetch(file["url"]).content == rocket
    assert api.fetch(f"{file['url']}?imageView2/2/w/20").headers["Content-Type"] == "image/jpeg"


@pytest.mark.parametrize("key", ["1.1/a", "1/a", "health", "a//b", "/a", "a/../b", "a\nb", "x" * 1025], ids=lambda key: ascii(key[:9]))
def test_key_that_no_url_reaches_is_refused(master, key):
    assert_refused(tokens(master, key=key), 400, 1, "key must")


def test_announcement_with_the_id_of_an_unfinished_upload_replaces_it(tus):
    """An import that was killed before it received the URL repeats its announcement."""
    described = metadata(filename="x.txt", objectId=unique("id"), key=f"{unique('old')}/x.txt")
    first = tus.create(5, Upload_Metadata=described)
    second = tus.create(5, Upload_Metadata=described)
    assert first.head().status_code == 404
    assert second.offset == 0


def test_deleted_file_can_be_imported_again_under_its_id_and_key(tus, master, server):
    id, key = unique("id"), f"{unique('old')}/x.txt"
    for content in (b"first", b"again"):
        tus.create(5, content, Upload_Metadata=metadata(filename="x.txt", objectId=id, key=key))
        assert master.fetch(f"{server.url}/{key}").content == content
        assert master.delete(id).status_code == 200


def test_name_with_slashes_is_for_the_master_key_only(tus, server, master):
    id = unique("id")
    tus.create(1, b"x", Upload_Metadata=metadata(filename="a/b\\c.txt", objectId=id))
    file = master.get(f"/1.1/files/{id}").json()
    assert file["name"] == "a/b\\c.txt"
    assert master.fetch(file["url"]).content == b"x"
    refused = Tus(server).post(1, b"x", Upload_Metadata=metadata(filename="a/b.txt"))
    assert refused.status_code == 400
