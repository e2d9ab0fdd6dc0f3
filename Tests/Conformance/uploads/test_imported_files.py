"""Files that the master key uploads with the key, the id and the time that they had on another server."""

import pytest
from accounts import unique
from client import ALPHA, assert_refused
from uploading import Target, Tus, metadata, must, tokens

CREATED = "2019-05-06T07:08:09.123Z"
PNG = "image/png"


def origin():
    """The members that make a file the one that it was."""
    return {"key": f"{unique('old')}/photo.png", "objectId": unique("id"), "createdAt": CREATED}


def assert_stored(api, members, data):
    file = api.get(f"/1.1/files/{members['objectId']}").json()
    assert {name: file[name] for name in members} == members
    assert file["updatedAt"] == CREATED
    assert api.fetch(file["url"]).content == data


@pytest.fixture
def tus(server):
    client = Tus(server)
    client.headers |= {"X-LC-Key": f"{ALPHA.master},master"}
    return client


def test_upload_by_token_keeps_key_id_and_time(master, api):
    members = origin()
    answer = must(tokens(master, "photo.png", **members), 201)
    assert {name: answer[name] for name in members} == members
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


@pytest.mark.parametrize("members", [{"objectId": "a b"}, {"objectId": 1}, {"createdAt": "yesterday"}], ids=str)
def test_invalid_member_is_refused_by_its_name(master, members):
    assert_refused(tokens(master, "photo.png", **members), 400, 1)


@pytest.mark.parametrize("members", [{"objectId": "a1"}, {"createdAt": CREATED}, {"objectId": 1}], ids=str)
def test_members_of_other_callers_are_ignored(api, members):
    answer = must(tokens(api, "photo.png", **members), 201)
    assert all(answer[name] != value for name, value in members.items())
