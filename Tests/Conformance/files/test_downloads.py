"""The file host: bytes, headers, conditions, ranges, and what browsers must not run."""

import hashlib
import json

import pytest
from client import ALPHA

DATA = hashlib.shake_128(b"ranges").digest(100_000)


@pytest.fixture(scope="module")
def photo(api, rocket):
    return api.store(rocket)["url"]


@pytest.fixture(scope="module")
def binary(api):
    return api.store(DATA, name="data.bin")["url"]


@pytest.mark.smoke
def test_bytes_are_equal(api, photo, rocket):
    assert api.fetch(photo).content == rocket


@pytest.mark.smoke
def test_headers_say_all_of_the_file(api, photo, rocket):
    headers = api.fetch(photo).headers
    assert headers["Content-Type"] == "image/jpeg"
    assert headers["Content-Length"] == str(len(rocket))
    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert headers["Accept-Ranges"] == "bytes"
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["ETag"].startswith('"') and headers["ETag"].endswith('"')
    assert headers["Last-Modified"].endswith(" GMT")


@pytest.mark.parametrize("origin", [{}, {"Origin": "https://app.example.com"}])
def test_any_origin_may_read_a_file(api, photo, origin):
    assert api.fetch(photo, **origin).headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("origin", [{}, {"Origin": "https://app.example.com"}])
def test_any_origin_may_read_the_range_of_a_part(api, photo, origin):
    # The third response is a prepared one.
    answers = [api.fetch(photo, **origin) for _ in range(3)] + [api.fetch(photo, Range="bytes=5-9", **origin)]
    for answer in answers:
        exposed = answer.headers["Access-Control-Expose-Headers"].split(", ")
        assert {"ETag", "Content-Range", "Accept-Ranges", "Content-Length"} <= set(exposed)


def test_head_has_the_headers_and_no_body(api, photo):
    full, head = api.fetch(photo), api.fetch(photo, "HEAD")
    changing = ("Date", "X-Request-Id")
    assert head.status_code == 200
    assert head.content == b""
    assert {k: v for k, v in head.headers.items() if k not in changing} == {
        k: v for k, v in full.headers.items() if k not in changing
    }


@pytest.mark.smoke
def test_etag_is_of_the_bytes(api, photo, rocket):
    assert api.fetch(api.store(rocket, name="other.jpg")["url"]).headers["ETag"] == api.fetch(photo).headers["ETag"]
    assert api.fetch(api.store(rocket + b"x")["url"]).headers["ETag"] != api.fetch(photo).headers["ETag"]


@pytest.mark.parametrize("form", ["{}", "W/{}", '"x", {}', '"x",{} , "y"', "*"])
def test_known_etag_gives_304(api, photo, form):
    etag = api.fetch(photo).headers["ETag"]
    response = api.fetch(photo, If_None_Match=form.format(etag))
    assert (response.status_code, response.content, response.headers["ETag"]) == (304, b"", etag)


def test_other_etag_gives_the_file(api, photo, rocket):
    assert api.fetch(photo, If_None_Match='"other"').content == rocket


def test_known_date_gives_304(api, photo):
    moment = api.fetch(photo).headers["Last-Modified"]
    assert api.fetch(photo, If_Modified_Since=moment).status_code == 304


@pytest.mark.parametrize("moment", ["Thu, 02 May 2019 08:00:00 GMT", "yesterday"])
def test_older_or_broken_date_gives_the_file(api, photo, moment):
    assert api.fetch(photo, If_Modified_Since=moment).status_code == 200


def test_etag_counts_before_the_date(api, photo):
    moment = api.fetch(photo).headers["Last-Modified"]
    assert api.fetch(photo, If_Modified_Since=moment, If_None_Match='"other"').status_code == 200


# Ranges

@pytest.mark.parametrize("text, start, end", [
    ("0-0", 0, 1), ("0-99", 0, 100), ("500-999", 500, 1000), ("99999-99999", 99_999, 100_000), ("99990-", 99_990, 100_000),
    ("0-", 0, 100_000), ("-10", 99_990, 100_000), ("-200000", 0, 100_000), ("99000-999999999999999999999", 99_000, 100_000),
])
def test_range_gives_its_part(api, binary, text, start, end):
    response = api.fetch(binary, Range=f"bytes={text}")
    assert response.status_code == 206
    assert response.content == DATA[start:end]
    assert response.headers["Content-Range"] == f"bytes {start}-{end - 1}/100000"
    assert response.headers["Content-Length"] == str(end - start)


@pytest.mark.parametrize("text", ["100000-", "100000-100001", "999999999999999999999-", "-0"])
def test_range_beyond_the_end_is_416(api, binary, text):
    response = api.fetch(binary, Range=f"bytes={text}")
    assert response.status_code == 416
    assert response.headers["Content-Range"] == "bytes */100000"


@pytest.mark.parametrize("text", ["bytes=0-,0-", "bytes=5-4", "bytes=", "bytes=-", "bytes=a-b", "items=0-1", "bytes 0-1"])
def test_doubled_broken_and_unknown_ranges_give_the_whole(api, binary, text):
    response = api.fetch(binary, Range=text)
    assert (response.status_code, response.content) == (200, DATA)


def test_many_ranges_of_a_large_file_come_in_one_body(api, server):
    data = hashlib.shake_128(b"large").digest(9_000_000)
    url = api.store(data, name="large.bin")["url"]
    ranges = [(n * 90_000, n * 90_000 + 80_000) for n in range(100)]
    response = api.fetch(url, Range="bytes=" + ",".join(f"{start}-{end - 1}" for start, end in ranges))
    assert response.status_code == 206
    assert int(response.headers["Content-Length"]) == len(response.content)
    boundary = response.headers["Content-Type"].removeprefix("multipart/byteranges; boundary=")
    assert response.content == b"".join(
        f"--{boundary}\r\nContent-Type: application/octet-stream\r\n"
        f"Content-Range: bytes {start}-{end - 1}/{len(data)}\r\n\r\n".encode() + data[start:end] + b"\r\n"
        for start, end in ranges
    ) + f"--{boundary}--\r\n".encode()


def test_connection_goes_on_after_several_ranges(api, server, binary):
    path = binary.removeprefix(server.url)
    with server.raw() as connection:
        for _ in range(3):
            assert connection.request("GET", path, {"Range": "bytes=0-1,5-6"}).status == 206
            assert connection.request("GET", path, {"Range": "bytes=5-9"}).content == DATA[5:10]


@pytest.mark.parametrize("name, value, status", [("Range", "bytes=100000-", 416), ("If-Match", '"x"', 412)])
def test_refusals_are_in_no_cache(api, binary, name, value, status):
    response = api.fetch(binary, **{name: value})
    assert (response.status_code, response.headers["Cache-Control"], response.content) == (status, "no-store", b"")


def test_range_of_an_empty_file_is_416(api):
    url = api.store(b"", name="empty.bin")["url"]
    response = api.fetch(url, Range="bytes=0-")
    assert (response.status_code, response.headers["Content-Range"]) == (416, "bytes */0")


def test_range_does_not_apply_to_head(api, binary):
    # RFC 9110, 14.2: Range is defined for GET only and ignored elsewhere.
    response = api.fetch(binary, "HEAD", Range="bytes=0-9")
    assert (response.status_code, response.headers["Content-Length"]) == (200, "100000")


def test_if_range_with_the_etag_gives_the_part(api, binary):
    etag = api.fetch(binary).headers["ETag"]
    assert api.fetch(binary, Range="bytes=0-9", If_Range=etag).content == DATA[:10]


@pytest.mark.parametrize("condition", ['"other"', "W/{}", "Thu, 02 May 2019 08:00:00 GMT"])
def test_if_range_with_another_validator_gives_the_whole(api, binary, condition):
    etag = api.fetch(binary).headers["ETag"]
    response = api.fetch(binary, Range="bytes=0-9", If_Range=condition.format(etag))
    assert (response.status_code, response.content) == (200, DATA)


def test_known_etag_counts_before_the_range(api, binary):
    etag = api.fetch(binary).headers["ETag"]
    assert api.fetch(binary, Range="bytes=0-9", If_None_Match=etag).status_code == 304


# Keys and paths

@pytest.mark.parametrize("path", [
    "/" + "0" * 32 + ".jpg", "/apps.yaml", "/nothing/here", "/%ff", f"/{ALPHA.id}/lcfile.sqlite", "/" + "k" * 2000,
    "/a%2f..%2fb", *(
        pytest.param(path, marks=pytest.mark.single)
        for path in ("/..", "/../apps.yaml", "/%2e%2e/apps.yaml", "/%00", "/%zz", "/../../../../etc/passwd")
    ),
])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_unknown_key_is_404_in_json(server, method, path):
    with server.raw() as connection:
        response = connection.request(method, path, {})
        assert (response.status, response.getheader("Content-Type")) == (404, "application/json;charset=utf-8")
        if method == "GET":
            assert json.loads(response.content) == {"code": 404, "error": "File not found."}


def test_404_is_not_cached(api, server):
    assert "no-store" in api.fetch(f"{server.url}/nothing.jpg").headers["Cache-Control"]


@pytest.mark.parametrize("name", ["my photo.jpg", "照片 一.jpg", "a+b&c=d;e.jpg", "100%25.jpg", "q?#.jpg", "Ünï😀.jpg", "'\"<>.jpg"])
def test_url_of_a_kept_name_works_as_it_stands(api, name):
    record = api.store(b"bytes of " + name.encode(), name=name, keep_file_name="true")
    assert record["url"].isascii()
    assert api.fetch(record["url"]).content == b"bytes of " + name.encode()


def test_double_slashes_before_the_key_do_not_matter(server, api, photo, rocket):
    with server.raw() as connection:
        assert connection.request("GET", "//" + photo.split("/")[-1], {}).content == rocket


def test_many_downloads_on_one_connection_stay_in_step(server, api, photo, rocket):
    path = "/" + photo.split("/")[-1]
    with server.raw() as connection:
        for _ in range(5):
            assert connection.request("GET", path, {}).content == rocket
            assert connection.request("HEAD", path, {}).status == 200
            assert connection.request("GET", path, {"Range": "bytes=5-9"}).content == rocket[5:10]
            assert connection.request("GET", "/none", {}).status == 404


@pytest.mark.parametrize("query", ["?v=1", "?attname=x.jpg", "?", "?v=1&imageView/2/w/10"])
def test_ordinary_parameters_give_the_original(api, photo, rocket, query):
    assert api.fetch(photo + query).content == rocket


# What browsers must not run

@pytest.mark.parametrize("name, data", [
    ("page.html", b"<script>alert(1)</script>"), ("drawing.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
    ("code.js", b"alert(1)"), ("data.xml", b"<?xml version='1.0'?><a/>"), ("page.xhtml", b"<html/>"),
    ("style.xsl", b"<x/>"), ("code.mjs", b"x"), ("feed.rss", b"<rss/>"), ("page.htm", b"<b>"),
])
def test_active_content_is_served_in_a_sandbox(api, name, data):
    response = api.fetch(api.store(data, name=name)["url"])
    assert "sandbox" in response.headers["Content-Security-Policy"].replace(";", " ").split()
    assert "allow-scripts" not in response.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.content == data


@pytest.mark.parametrize("type", ["text/html", "image/svg+xml", "application/xhtml+xml", "text/xml", "unknown/thing",
                                  "application/javascript", "Text/HTML; charset=utf-8", "multipart/x-mixed-replace"])
def test_claimed_active_type_is_served_in_a_sandbox(api, type):
    png = b"\x89PNG\r\n\x1a\n" + b"<script>alert(1)</script>"
    response = api.fetch(api.store(png, name="picture.png", type=type)["url"])
    assert response.headers["Content-Type"] == type.split(";")[0].lower()
    assert "sandbox" in response.headers["Content-Security-Policy"].replace(";", " ").split()


def test_photo_has_no_sandbox(api, photo):
    assert "Content-Security-Policy" not in api.fetch(photo).headers


def test_html_bytes_under_the_name_of_a_photo_are_not_sniffed(api):
    response = api.fetch(api.store(b"<script>alert(1)</script>", name="photo.jpg")["url"])
    assert response.headers["Content-Type"] == "image/jpeg"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_file_host_changes_nothing(api, photo, rocket, method):
    response = api.fetch(photo, method)
    assert 400 <= response.status_code < 500
    assert api.fetch(photo).content == rocket
