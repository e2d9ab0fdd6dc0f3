"""Base64 uploads of old SDKs: POST /files/<name> with the bytes in JSON, and JSON files that only look like them."""

import base64
import hashlib
import json
from urllib.parse import unquote

import pytest
from cases import covering
from client import ALPHA, TIMEOUT, Server, assert_refused, credentials, eventually
from data import assert_400, send
from elsewhere import record, unfinished
from people import ALLOWED, BOTH, READ, assert_forbidden, forbidden, one_of_each

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0"
KEYS = {"_ApplicationId": ALPHA.id, "_ApplicationKey": ALPHA.key, "_ClientVersion": "js0.5.0", "_InstallationId": "i"}


def coded(data):
    return base64.b64encode(data).decode()


def in_json(api, name, fields):
    return api.post(f"/1.1/files/{name}", json=fields)


def in_tunnel(api, name, fields):
    """As a browser sends it that is spared a preflight: as text, with the keys inside."""
    return api.session.post(
        f"{api.server.url}/1.1/files/{name}", data=json.dumps(KEYS | fields), timeout=TIMEOUT,
        headers={"Content-Type": "text/plain;charset=UTF-8"},
    )


def in_lower_case(api, name, fields):
    return send(api, f"/1.1/files/{name}", json.dumps(fields), **{"Content-Type": "Application/JSON; charset=utf-8"})


WAYS = {"json": in_json, "tunnel": in_tunnel, "other case": in_lower_case}
ways = pytest.mark.parametrize("way", WAYS)


@pytest.fixture
def nothing_is_kept(server, api, afterwards):
    before, others = (api.count(), len(server.blobs_at_rest())), set(unfinished(server))

    def check():
        assert eventually(lambda: set(unfinished(server)) <= others), unfinished(server)
        assert (api.count(), len(server.blobs())) == before

    afterwards(check)


def stored(api, data=b"bytes", name="x.txt", way="json", **fields):
    """The record of what must be taken."""
    response = WAYS[way](api, name, {"base64": coded(data)} | fields)
    assert response.status_code == 201, response.text
    return response.json()


# What is made

@ways
def test_answer_is_the_whole_record_and_its_size(api, server, way):
    made = stored(api, PNG, "pixel.png", way, _ContentType="image/png")
    assert made == {
        "objectId": made["objectId"], "key": made["key"], "createdAt": made["createdAt"],
        "updatedAt": made["createdAt"], "name": "pixel.png", "url": f"{server.url}/{made['key']}",
        "mime_type": "image/png", "bucket": ALPHA.id[:8], "provider": "s3", "size": len(PNG),
        "metaData": {"size": len(PNG), "_checksum": hashlib.md5(PNG).hexdigest(), "owner": "unknown"},
    }
    assert record(api, made["objectId"]) | {"size": len(PNG)} == made


@pytest.mark.few(3)
@pytest.mark.parametrize("size, way", covering([0, 1, 2, 3, 1000, 300_000], WAYS, times=2))
def test_bytes_are_equal(api, way, size):
    data = hashlib.shake_128(str(size).encode()).digest(size)
    made = stored(api, data, "x.bin", way)
    assert (made["size"], made["metaData"]["size"]) == (size, size)
    assert api.fetch(made["url"]).content == data


@ways
def test_shape_of_the_old_javascript_sdk(api, way):
    made = stored(
        api, PNG, "pixel.png", way, _ContentType="image/png", mime_type="image/png",
        metaData={"owner": "unknown", "size": len(PNG)}, ACL={"*": BOTH},
    )
    assert (made["name"], made["size"], api.fetch(made["url"]).content) == ("pixel.png", len(PNG), PNG)


def test_bytes_may_stand_behind_everything_else(api):
    fields = {"metaData": {"long": "x" * 10_000}, "_ContentType": "text/css", "base64": coded(b"a{}")}
    made = in_json(api, "style", fields).json()
    assert (made["mime_type"], api.fetch(made["url"]).content) == ("text/css", b"a{}")


@pytest.mark.parametrize("way, case", covering(WAYS, [
    ({"_ContentType": "image/png"}, "image/png"), ({"mime_type": "image/png"}, "image/png"),
    ({"_ContentType": "image/gif", "mime_type": "image/png"}, "image/png"),
    ({"_ContentType": "Image/PNG; charset=utf-8"}, "image/png"), ({}, "text/css"), ({"_ContentType": None}, "text/css"),
    ({"_ContentType": ""}, "text/css"), ({"_ContentType": "application/octet-stream"}, "text/css"),
]), ids=str)
def test_type_is_what_was_said_then_that_of_the_name(api, way, case):
    fields, expected = case
    assert stored(api, b"a{}", "style.css", way, **fields)["mime_type"] == expected


@ways
def test_type_is_seen_in_the_bytes_at_last(api, way):
    assert stored(api, PNG, "pixel", way)["mime_type"] == "image/png"


@ways
def test_type_of_the_request_is_not_that_of_the_file(api, way):
    made = stored(api, PNG, "pixel", way)
    assert api.fetch(made["url"]).headers["Content-Type"] == "image/png"


@pytest.mark.parametrize("way, name", covering(WAYS, ["a%20b.txt", "%E7%85%A7.txt", "a%2Bb%26c.txt", "100%25.txt"]))
def test_name_is_that_of_the_path(api, way, name):
    assert stored(api, b"x", name, way)["name"] == unquote(name)


@ways
def test_meta_data_is_kept_beside_ours(api, way):
    made = stored(api, b"abc", way=way, metaData={"album": "summer", "size": 99, "owner": "me"})
    assert made["metaData"] == {"album": "summer", "size": 3, "owner": "me",
                                "_checksum": hashlib.md5(b"abc").hexdigest()}


@ways
def test_given_acl_is_kept(api, master, way):
    id = stored(api, way=way, ACL={"*": READ})["objectId"]
    assert master.get(f"/1.1/files/{id}", params={"returnACL": "true"}).json()["ACL"] == {"*": READ}


def test_default_acl_holds(cast, rules):
    rules.set("_File", defaultACL={"*": READ, "owner": BOTH})
    id = stored(cast.owner)["objectId"]
    seen = cast.master.get(f"/1.1/files/{id}", params={"returnACL": "true"}).json()["ACL"]
    assert seen == {"*": READ, cast.owner.id: BOTH}


@pytest.mark.parametrize("way", ["json", "tunnel"])
def test_owner_is_who_is_logged_in(cast, way):
    session = {"_SessionToken": cast.owner.token} if way == "tunnel" else {}
    assert stored(cast.owner, way=way, **session)["metaData"]["owner"] == cast.owner.id


@pytest.mark.parametrize("audience, caller", one_of_each(ALLOWED))
def test_upload_is_for_whom_create_is_open(cast, rules, audience, caller):
    rules.set("_File", create=cast.words(audience))
    response = in_json(cast[caller], "x.txt", {"base64": "eA=="})
    if caller in ALLOWED[audience]:
        assert response.status_code == 201, response.text
    else:
        assert_forbidden(response, forbidden("create", "_File"))


@pytest.mark.usefixtures("nothing_is_kept")
def test_tunnel_with_wrong_keys_is_unauthorized(api):
    response = in_tunnel(api, "x.txt", {"base64": "eA==", "_ApplicationKey": "wrong-wrong"})
    assert (response.status_code, response.json()) == (401, {"code": 401, "error": "Unauthorized."})


@pytest.mark.parametrize("fields", [
    {"key": "robots.txt"}, {"bucket": "mine"}, {"colour": "red"}, {"name": "y.txt"},
], ids=str)
def test_other_fields_are_ignored(api, fields):
    made = stored(api, **fields)
    assert (made["key"].endswith("robots.txt"), made["bucket"], "colour" in made) == (False, ALPHA.id[:8], False)


# What is refused

BROKEN = ["!!!!", "e", "eA==x", "eA=x", "照片", "eA==\0", "====", "eA==eA==", "<p>", "data:text/plain,x"]


@pytest.mark.few(3)
@pytest.mark.usefixtures("nothing_is_kept")
@pytest.mark.parametrize("way, text", covering(WAYS, BROKEN), ids=ascii)
def test_broken_base64_is_refused(api, way, text):
    assert_400(WAYS[way](api, "x.txt", {"base64": text}), "base64")


@pytest.mark.usefixtures("nothing_is_kept")
def test_base64_that_breaks_after_megabytes_is_refused(api):
    assert_400(in_json(api, "x.bin", {"base64": coded(bytes(3_000_000)) + "!"}), "base64")


@pytest.mark.each_value
@pytest.mark.usefixtures("nothing_is_kept")
@pytest.mark.parametrize("field, value, code", [
    ("ACL", {"*": True}, 123), ("ACL", "everyone", 123), ("metaData", "text", 107), ("metaData", [1], 107),
    ("mime_type", 5, 1),
])
@pytest.mark.parametrize("way", ["json", "tunnel"])
def test_bad_field_is_refused_as_in_a_form(api, way, field, value, code):
    assert_refused(WAYS[way](api, "x.txt", {"base64": "eA==", field: value}), 400, code, field)


@pytest.mark.single
@pytest.mark.usefixtures("nothing_is_kept")
@pytest.mark.parametrize(
    "way, name", covering(WAYS, ["a%2Fb", "%2e%2e", "a%00b", "a%0ab", "%ff", "n" * 300]), ids=lambda name: name[:11],
)
def test_bad_name_is_refused(server, way, name):
    fields = {"base64": "eA=="}
    headers = credentials() | {"Content-Type": "application/json"}
    if way == "tunnel":
        fields, headers = KEYS | fields, {"Content-Type": "text/plain"}
    data = json.dumps(fields).encode()
    with server.raw() as connection:
        response = connection.request("POST", f"/1.1/files/{name}", headers | {"Content-Length": len(data)}, data)
        assert (response.status, json.loads(response.content)["code"]) == (400, 122)


@pytest.mark.usefixtures("nothing_is_kept")
def test_wrong_checksum_is_refused(api):
    assert_400(in_json(api, "x.txt", {"base64": "eA==", "metaData": {"_checksum": "0" * 32}}), "_checksum")


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server that takes files of up to 64 KB, and images and text alone."""
    server = Server(
        tmp_path_factory.mktemp("small"), LCFILE_UPLOADS_MAX_SIZE="64KB",
        LCFILE_UPLOADS_ALLOWED_TYPES="image/*;text/plain",
        LCFILE_HTTP_MAX_JSON_SIZE="192KB",
    ).start()
    yield server
    assert server.stop() == 0


@pytest.mark.few(3)
@pytest.mark.parametrize("way", ["json", "tunnel"])
@pytest.mark.parametrize("size, taken", [(1 << 16, True), ((1 << 16) + 1, False), (125_000, False), (1 << 18, False)])
def test_size_of_the_bytes_counts_and_not_that_of_the_text(small, way, size, taken):
    api = small.api()
    before = api.count()
    response = WAYS[way](api, "x.txt", {"base64": coded(b"x" * size)})
    if taken:
        assert response.status_code == 201, response.text
    else:
        assert_refused(response, 413, 413)
    assert api.count() == before + taken
    assert unfinished(small) == []


@pytest.mark.parametrize("way", ["json", "tunnel"])
def test_allowed_types_hold(small, way):
    page = {"base64": coded(b"<!DOCTYPE html><html></html>"), "_ContentType": "text/html"}
    assert_refused(WAYS[way](small.api(), "page.html", page), 403, 403)
    assert WAYS[way](small.api(), "pixel.png", {"base64": coded(PNG)}).status_code == 201
    assert unfinished(small) == []


# What only looks similar

LOOKALIKES = [
    b"{}", b'{"a":1}', b"[]", b'[{"base64":"eA=="}]', b'"base64"', b"5", b"null", b'{"data":"eA=="}',
    b'{"Base64":"eA=="}', b'{"base64 ":"eA=="}', b'{"file":{"base64":"eA=="}}', b'{"_ContentType":"text/html"}',
    b'{"base64":5}', b'{"base64":"eA==","title":"a"}', b'{"url":"http://a.example.org/","title":"a"}', b'{"url":null}',
    b'{"metaData":{"url":"http://a.example.org/"}}', b'{"name":"x.txt","metaData":{}}', b'{"a":"base64","b":"url"}',
    b"", b"{", b'{"base64":"eA=="', b'{"base64":"eA=="}}', b'{base64:"eA=="}', b"\xff\xfe{", b'{"a":1}\n{"b":2}\n',
    b"[1,2,3",
]


@pytest.mark.few(3)
@pytest.mark.parametrize("data", LOOKALIKES, ids=ascii)
def test_other_json_is_stored_as_it_is(api, data):
    response = send(api, "/1.1/files/data.json", data)
    assert response.status_code == 201, response.text
    made = response.json()
    assert (made["name"], made["mime_type"], made["metaData"]["size"]) == ("data.json", "application/json", len(data))
    assert api.fetch(made["url"]).content == data


@pytest.mark.each_value
@pytest.mark.parametrize("type", [
    "application/octet-stream", "application/geo+json", "text/json", "application/jsonlines", "text/plain",
    "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", None,
], ids=str)
@pytest.mark.parametrize("data", [
    b'{"base64":"eA=="}', b'{"url":"http://elsewhere.example.org/x"}',
], ids=["base64", "url"])
def test_json_under_another_type_is_stored_as_it_is(api, type, data):
    response = api.post("/1.1/files/data.json", data=data, headers={"Content-Type": type})
    assert response.status_code == 201, response.text
    assert api.fetch(response.json()["url"]).content == data


@pytest.mark.parametrize("data", [
    b'{"rows":[' + b"1," * 1_500_000 + b"1]}", b"[" * 200 + b"]" * 200, b'{"a":' * 200 + b"1" + b"}" * 200,
], ids=["long", "deep list", "deep object"])
def test_large_json_is_stored_as_it_is(api, data):
    response = send(api, "/1.1/files/data.json", data)
    assert response.status_code == 201, response.text
    assert api.fetch(response.json()["url"]).content == data


def test_json_file_beyond_the_limit_of_json_bodies_is_stored_as_it_is(new_server):
    server = new_server(LCFILE_HTTP_MAX_JSON_SIZE="100KB").start()
    data = json.dumps({"rows": list(range(100_000))}).encode()
    response = send(server.api(), "/1.1/files/data.json", data)
    assert response.status_code == 201, response.text
    assert server.api().fetch(response.json()["url"]).content == data


def test_json_in_chunks_is_stored_as_it_is(api):
    pieces = [b'{"rows":[', b"1," * 50_000, b"1]}"]
    response = send(api, "/1.1/files/data.json", iter(pieces))
    assert response.status_code == 201, response.text
    assert api.fetch(response.json()["url"]).content == b"".join(pieces)


def test_base64_in_chunks_is_unpacked(api):
    made = send(api, "/1.1/files/x.txt", iter([b'{"base', b'64":"eA', b'=="}'])).json()
    assert api.fetch(made["url"]).content == b"x"
