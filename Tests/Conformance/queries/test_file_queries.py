"""Queries for files."""

import json

import pytest
from queries import BASE, body, find, only


@pytest.fixture(scope="module")
def files(master):
    """Three files whose names no other test uses; their records by name."""
    stored = [("query-a.txt", b"a"), ("query-b.txt", b"bb"), ("query-c.png", b"ccc")]
    return {name: master.store(data, name=name) for name, data in stored}


def file_names(api, where, collection="classes/_File", **parameters):
    response = api.get(f"/1.1/{collection}", params=parameters | {"where": json.dumps(where)})
    assert response.status_code == 200, response.text
    return [record["name"] for record in response.json()["results"]]


OURS = {"name": {"$regex": "^query-"}}


@pytest.mark.parametrize("collection", ["files", "classes/_File", "classes/files"])
def test_files_are_found_on_every_route(api, files, collection):
    assert file_names(api, {"name": "query-b.txt"}, collection) == ["query-b.txt"]


@pytest.mark.parametrize("where, expected", [
    ({"mime_type": "image/png"}, ["query-c.png"]), ({"metaData.size": 2}, ["query-b.txt"]),
    ({"metaData.size": {"$gte": 2}}, ["query-b.txt", "query-c.png"]),
    ({"name": {"$in": ["query-a.txt", "x"]}}, ["query-a.txt"]),
    ({"$or": [{"metaData.size": 1}, {"mime_type": "image/png"}]}, ["query-a.txt", "query-c.png"]), ({"nothing": 1}, []),
    ({"createdAt": {"$lt": {"__type": "Date", "iso": "2001-01-01T00:00:00.000Z"}}}, []),
])
def test_files_are_found_by_their_columns(api, files, where, expected):
    assert file_names(api, {"$and": [OURS, where]}, order="name") == expected


@pytest.mark.parametrize("column", ["key", "objectId"])
def test_file_is_found_by_what_is_its_own(api, files, column):
    assert file_names(api, {column: files["query-b.txt"][column]}) == ["query-b.txt"]


def test_file_is_found_by_its_creation_time(api, files):
    record = files["query-b.txt"]
    where = OURS | {"createdAt": {"$gte": {"__type": "Date", "iso": record["createdAt"]}}}
    assert file_names(api, where, order="name")[-2:] == ["query-b.txt", "query-c.png"]


@pytest.mark.parametrize("order, expected", [
    ("name", "abc"), ("-name", "cba"), ("metaData.size", "abc"), ("-metaData.size", "cba"), ("mime_type,-name", "cba"),
])
def test_files_come_in_order(api, files, order, expected):
    assert [name[6] for name in file_names(api, OURS, order=order)] == list(expected)


def test_files_come_in_pages_with_a_count(api, files):
    reply = body(api, "_File", OURS, order="name", limit=1, skip=1, count=1)
    assert ([record["name"] for record in reply["results"]], reply["count"]) == (["query-b.txt"], 3)


def test_keys_choose_the_columns_of_files(api, files):
    assert set(only(find(api, "_File", {"name": "query-a.txt"}, keys="name"))) == BASE | {"name"}


def test_found_file_is_the_record(api, files):
    assert only(find(api, "_File", {"name": "query-a.txt"})) == files["query-a.txt"]


def test_files_of_another_app_are_not_found(beta, files):
    assert file_names(beta, OURS) == []
