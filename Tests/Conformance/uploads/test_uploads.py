"""Uploads that must be taken, and the record that each gives."""

import hashlib
import json
import re
import sqlite3
from urllib.parse import quote, urljoin

import pytest
from client import ALPHA

MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
RANDOM = "[0-9a-zA-Z]{32}"


@pytest.mark.smoke
def test_record_is_whole_and_exact(api, server, rocket):
    record = api.store(rocket)
    assert re.fullmatch("[0-9a-f]{24}", record["objectId"])
    assert re.fullmatch(rf"{RANDOM}\.jpg", record["key"])
    assert re.fullmatch(MOMENT, record["createdAt"])
    assert record == {
        "objectId": record["objectId"],
        "key": record["key"],
        "createdAt": record["createdAt"],
        "updatedAt": record["createdAt"],
        "name": "photo.jpg",
        "url": f"{server.url}/{record['key']}",
        "mime_type": "image/jpeg",
        "bucket": ALPHA.id[:8],
        "provider": "s3",
        "metaData": {"size": len(rocket), "_checksum": hashlib.md5(rocket).hexdigest(), "owner": "unknown"},
    }


def test_answer_is_json_that_nobody_caches(api):
    headers = api.form(("file", ("x.txt", b"x"))).headers
    assert headers["Content-Type"] == "application/json;charset=utf-8"
    assert headers["Cache-Control"] == "no-cache,no-store"


def test_location_names_the_record(api, server):
    response = api.form(("file", ("x.txt", b"x")))
    location = urljoin(server.url, response.headers["Location"])
    assert location == f"{server.url}/1.1/classes/_File/{response.json()['objectId']}"


def test_ids_grow_with_time(api):
    ids = [api.store(b"x", name="x.txt")["objectId"] for _ in range(10)]
    assert ids == sorted(ids)


def test_equal_bytes_get_different_keys(api):
    assert api.store(b"same", name="x.txt")["key"] != api.store(b"same", name="x.txt")["key"]


def test_name_field_beats_the_name_of_the_part(api):
    response = api.form(("name", "field.csv"), ("file", ("part.txt", b"x")))
    record = response.json()
    assert (record["name"], record["mime_type"]) == ("field.csv", "text/csv")


def test_mime_type_field_beats_every_other_source(api, rocket):
    assert api.store(rocket, type="image/png", mime_type="application/x-thing")["mime_type"] == "application/x-thing"


def test_meta_data_of_the_client_is_kept_beside_ours(api):
    mine = {"width": 640, "ratio": 1.5, "标签": ["a", None, True], "nested": {"a": {}}, "owner": "6632f1a0c3d4e5f60718293a"}
    record = api.store(b"abc", name="x.txt", metaData=json.dumps(mine))
    assert record["metaData"] == mine | {"size": 3, "_checksum": hashlib.md5(b"abc").hexdigest()}


def test_values_of_meta_data_are_found_as_those_of_objects(api):
    day = {"__type": "Date", "iso": "2024-05-02T08:00:00Z"}
    id = api.store(b"abc", name="x.txt", metaData=json.dumps({"day": day}))["objectId"]
    found = api.get("/1.1/files", params={"where": json.dumps({"metaData.day": day, "objectId": id})}).json()["results"]
    assert [file["metaData"]["day"]["iso"] for file in found] == ["2024-05-02T08:00:00.000Z"]


@pytest.mark.parametrize("type", ["image", "jpg", "a/b\r\nX-Evil: 1", "照片/png"], ids=ascii)
def test_type_that_is_none_counts_as_not_given(api, type):
    assert api.store(b"abc", name="x.txt", mime_type=type)["mime_type"] == "text/plain"


def test_size_is_counted_and_not_believed(api):
    assert api.store(b"abc", name="x.txt", metaData='{"size":99}')["metaData"]["size"] == 3


def test_right_checksum_of_the_client_is_accepted(api):
    digest = hashlib.md5(b"abc").hexdigest()
    assert api.store(b"abc", name="x.txt", metaData=json.dumps({"_checksum": digest}))["metaData"]["_checksum"] == digest


@pytest.mark.sqlite
def test_acl_is_kept_and_not_shown(api, server):
    acl = {"*": {"read": True}, "6632f1a0c3d4e5f60718293a": {"read": True, "write": True}, "role:admin": {"write": False}}
    record = api.store(b"x", name="x.txt", ACL=json.dumps(acl))
    assert "ACL" not in record
    database = sqlite3.connect(server.storage / ALPHA.id / "lcfile.sqlite", timeout=5)
    (kept,) = database.execute("SELECT acl FROM class_1 WHERE id = ?", [record["objectId"]]).fetchone()
    database.close()
    assert json.loads(kept) == acl


@pytest.mark.parametrize("prefix", ["gamesaves", "/gamesaves/", "gamesaves//"])
def test_prefix_stands_before_the_key(api, prefix):
    assert re.fullmatch(rf"gamesaves/{RANDOM}\.txt", api.store(b"x", name="x.txt", prefix=prefix)["key"])


def test_kept_name_ends_the_key_and_the_url(api, server):
    record = api.store(b"x", name="我的 photo #1?.jpg", keep_file_name="true")
    random, name = record["key"].split("/")
    assert re.fullmatch(RANDOM, random)
    assert name == "我的 photo #1?.jpg"
    assert record["url"] == f"{server.url}/{random}/{quote(name)}"


def test_prefix_and_kept_name_go_together(api):
    record = api.store(b"x", name="save.dat", prefix="a/b", keep_file_name="true")
    assert re.fullmatch(rf"a/b/{RANDOM}/save\.dat", record["key"])


def test_name_without_extension_gives_a_bare_key(api):
    assert re.fullmatch(RANDOM, api.store(b"x", name="README")["key"])


def test_all_fields_may_follow_the_file(api):
    response = api.form(
        ("file", ("part.bin", b"abc")),
        ("name", "later.txt"),
        ("mime_type", "text/x-later"),
        ("metaData", '{"a":1}'),
        ("ACL", '{"*":{"read":true}}'),
        ("prefix", "late"),
        ("keep_file_name", "true"),
    )
    record = response.json()
    assert response.status_code == 201
    assert (record["name"], record["mime_type"], record["metaData"]["a"]) == ("later.txt", "text/x-later", 1)
    assert re.fullmatch(rf"late/{RANDOM}/later\.txt", record["key"])


def test_unknown_fields_are_left_out(api):
    assert "colour" not in api.store(b"x", name="x.txt", colour="red")["metaData"]


def test_several_files_give_results_in_their_order(api):
    response = api.form(*[("file", (f"{number}.txt", b"x" * number)) for number in range(3)])
    assert response.status_code == 201
    assert set(response.json()) == {"results"}
    seen = [(record["name"], record["metaData"]["size"]) for record in response.json()["results"]]
    assert seen == [("0.txt", 0), ("1.txt", 1), ("2.txt", 2)]


def test_several_files_share_the_fields(api):
    results = api.form(("file", ("a.txt", b"a")), ("prefix", "both"), ("file", ("b.txt", b"b"))).json()["results"]
    assert [record["key"].split("/")[0] for record in results] == ["both", "both"]


def test_raw_body_gives_the_same_record(api, rocket):
    response = api.store_raw(rocket, "photo.jpg", headers={"Content-Type": "image/jpeg"})
    record = response.json()
    assert response.status_code == 201
    assert (record["name"], record["mime_type"], record["metaData"]["size"]) == ("photo.jpg", "image/jpeg", len(rocket))
    assert api.fetch(record["url"]).content == rocket


@pytest.mark.parametrize("name", ["a b.txt", "照片 一.txt", "100%.txt", "a+b&c=d.txt", "q?.txt", "😀.txt", "%2e%2e.txt"])
def test_raw_name_is_percent_decoded_once(api, name):
    assert api.store_raw(b"x", name).json()["name"] == name


def test_unescaped_chinese_in_the_form_is_the_name(api, server):
    head = 'Content-Disposition: form-data; name="file"; filename="照片.txt"'
    body = b"--b\r\n" + head.encode() + b"\r\n\r\nx\r\n--b--\r\n"
    response = api.post("/1.1/files", data=body, headers={"Content-Type": "multipart/form-data; boundary=b"})
    assert response.json()["name"] == "照片.txt"


def test_extended_file_name_beats_the_plain_one(api):
    head = "Content-Disposition: form-data; name=\"file\"; filename=\"x.txt\"; filename*=UTF-8''%E7%85%A7.txt"
    body = b"--b\r\n" + head.encode() + b"\r\n\r\nx\r\n--b--\r\n"
    response = api.post("/1.1/files", data=body, headers={"Content-Type": "multipart/form-data; boundary=b"})
    assert response.json()["name"] == "照.txt"


def test_bytes_that_look_like_boundaries_stay_in_the_file(api):
    data = b"\r\n--b\r-\n--bb\r\n-" + b"\r\n--" * 1000 + b"\r\n--"
    boundary = "bbbbbbbbbbbbbbbb"
    body = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n'.encode()
    body += data + f"\r\n--{boundary}--\r\nan epilogue".encode()
    response = api.post("/1.1/files", data=body, headers={"Content-Type": f'multipart/form-data; boundary="{boundary}"'})
    assert api.fetch(response.json()["url"]).content == data


def test_chunked_raw_body_is_stored_whole(api):
    pieces = [bytes([number]) * 40_000 for number in range(50)]
    record = api.store_raw(iter(pieces), "chunks.bin").json()
    assert api.fetch(record["url"]).content == b"".join(pieces)


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 9 << 20])
def test_any_size_comes_back_equal(api, size):
    data = hashlib.shake_128(str(size).encode()).digest(size)
    record = api.store(data, name="any.bin")
    assert record["metaData"]["size"] == size
    assert api.fetch(record["url"]).content == data


@pytest.mark.parametrize("name, data, type, expected", [
    ("page.html", b"plain", None, "text/html"),
    ("movie.mp4", b"plain", None, "video/mp4"),
    ("PHOTO.JPG", b"plain", None, "image/jpeg"),
    ("slides.pptx", b"x", None, "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("picture.webp", b"x", "application/octet-stream", "image/webp"),
    ("no-extension", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0", None, "image/png"),
    ("x.unknownext", b"%PDF-1.7\n", None, "application/pdf"),
    ("x.unknownext", b"\x00\x01\x02\xff\xfe", None, "application/octet-stream"),
    ("x.txt", b"x", "Image/PNG; charset=utf-8", "image/png"),
])
def test_type_comes_from_client_then_extension_then_bytes(api, name, data, type, expected):
    assert api.store(data, name=name, type=type)["mime_type"] == expected


@pytest.mark.parametrize("path", ["/1/files", "//1.1//files", "/1.1/files/"])
def test_old_version_and_spare_slashes_are_the_same_route(server, path):
    with server.raw() as connection:
        body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nx\r\n--b--\r\n'
        headers = {"X-LC-Id": ALPHA.id, "X-LC-Key": ALPHA.key, "Content-Length": len(body)}
        headers["Content-Type"] = "multipart/form-data; boundary=b"
        assert connection.request("POST", path, headers, body).status == 201
