"""Uploads that must be refused with a clear answer, leaving nothing behind and nothing harmed."""

import json

import pytest
from client import assert_refused, chunk, credentials, eventually, head
from hot import active

pytestmark = pytest.mark.usefixtures("nothing_is_kept")

DISPOSITION = 'Content-Disposition: form-data; name="file"; filename="x.txt"'
GOOD = (
    f"--b\r\n{DISPOSITION}\r\nContent-Type: text/plain\r\n\r\nsome bytes\r\n"
    '--b\r\nContent-Disposition: form-data; name="metaData"\r\n\r\n{"a":1}\r\n--b--\r\n'
).encode()
TYPE = "multipart/form-data; boundary=b"


@pytest.fixture
def nothing_is_kept(server, api, afterwards):
    before, others = (api.count(), len(server.blobs_at_rest())), set(server.staged())

    def check():
        assert eventually(lambda: set(server.staged()) <= others), server.staged()
        assert (api.count(), len(server.blobs())) == before

    afterwards(check)


def send_form(api, body, type=TYPE):
    return api.post("/1.1/files", data=body, headers={"Content-Type": type})


def test_form_without_a_file_part(api):
    assert_refused(api.form(("name", "x.txt"), ("metaData", "{}")), 400, 1, "file")


@pytest.mark.parametrize("type", [
    "multipart/form-data", "multipart/form-data; boundary=", f"multipart/form-data; boundary={'b' * 71}",
    "multipart/mixed; boundary=b", "application/x-www-form-urlencoded", "nonsense",
])
def test_content_type_that_is_no_form(api, type):
    assert_refused(send_form(api, GOOD, type), 400, 1, "multipart/form-data")


@pytest.mark.few(3)
@pytest.mark.parametrize("body", [
    pytest.param(GOOD.replace(b"--b--", b""), id="no closing boundary"),
    pytest.param(GOOD.replace(b"--b", b"--c"), id="another boundary"),
    pytest.param(GOOD.replace(b'; name="file"', b"", 1), id="part without a name"),
    pytest.param(GOOD.replace(DISPOSITION.encode() + b"\r\n", b"", 1), id="part without a disposition"),
    pytest.param(GOOD.replace(b"--b\r\n", b"--bgarbage\r\n", 1), id="garbage behind a boundary"),
    pytest.param(GOOD.replace(b"--b\r\n", b"--b\n", 1), id="bare line feed behind a boundary"),
    pytest.param(GOOD.replace(b"Content-Type: text/plain", b"Content-Type text/plain"), id="header without a colon"),
    pytest.param(GOOD.replace(b"text/plain", b"text/\xff\xfe"), id="header that is no UTF-8"),
    pytest.param(GOOD.replace(b"text/plain", b"x" * 20_000), id="head of 20 kB"),
    pytest.param(b"--b--\r\n" + GOOD, id="closed before it begins"),
    pytest.param(b"", id="empty"),
])
def test_broken_multipart(api, body):
    assert_refused(send_form(api, body), 400, 1)


@pytest.mark.extended
def test_multipart_truncated_at_any_byte(api):
    end = GOOD.index(b"--b--") + len(b"--b--")
    for length in range(end):
        assert_refused(send_form(api, GOOD[:length]), 400, 1)


def test_field_that_stands_twice(api):
    assert_refused(api.form(("name", "a"), ("file", ("x", b"x")), ("name", "b")), 400, 1, "name")


def test_name_field_for_several_files(api):
    assert_refused(api.form(("name", "a"), ("file", ("x", b"x")), ("file", ("y", b"y"))), 400, 1, "name")


def test_more_parts_than_the_limit(api):
    assert_refused(api.form(*[("file", ("x", b"x"))] * 101), 413, 413, "100")


def test_field_larger_than_the_limit(api):
    assert_refused(api.form(("file", ("x", b"x")), ("metaData", " " * 200_000 + "{}")), 413, 413, "metaData")


# Bodies that end too early

SHORT = [
    ("/1.1/files/short.bin", {"Content-Length": 1000}, b"x" * 500),
    ("/1.1/files/short.bin", {"Content-Length": 1000}, b""),
    ("/1.1/files/short.bin", {"Content-Length": 9_000_000}, b"x" * 3_000_000),
    ("/1.1/files/short.bin", {"Transfer-Encoding": "chunked"}, chunk(b"x" * 500)),
    ("/1.1/files/short.bin", {"Transfer-Encoding": "chunked"}, b"3e8\r\n" + b"x" * 500),
    ("/1.1/files", {"Content-Length": len(GOOD) + 100, "Content-Type": TYPE}, GOOD),
    ("/1.1/files", {"Content-Length": len(GOOD), "Content-Type": TYPE}, GOOD[:-40]),
]


@pytest.mark.parametrize("path, headers, body", SHORT)
def test_body_shorter_than_announced_is_never_taken(server, path, headers, body):
    with server.raw() as connection:
        connection.send(head("POST", path, credentials() | headers) + body)
        connection.end_of_sending()
        status = connection.answer_or_end()
        assert status is None or 400 <= status < 500


@pytest.mark.parametrize("path, headers, body", SHORT)
def test_connection_reset_in_the_body_is_never_taken(server, path, headers, body):
    connection = server.raw()
    connection.send(head("POST", path, credentials() | headers) + body)
    if body:
        eventually(lambda: active(server) > 0, within=2)
    connection.reset()


@pytest.mark.parametrize("body", [b"zz\r\nxx\r\n0\r\n\r\n", b"-5\r\nhello\r\n0\r\n\r\n", b"5\r\nhelloworld\r\n0\r\n\r\n"])
def test_broken_chunks_are_never_taken(server, body):
    with server.raw() as connection:
        connection.send(head("POST", "/1.1/files/x.bin", credentials() | {"Transfer-Encoding": "chunked"}) + body)
        status = connection.answer_or_end()
        assert status is None or 400 <= status < 500


# Names

BAD_NAMES = ["a/b.txt", "/etc/passwd", "a\\b.txt", "..", ".", "../x", "a\nb", "a\rb", "a\0b", "a\x1bb", "a\x7f", "a\x85b",
             "a\u2028b", "n" * 4096, "名" * 86]


@pytest.mark.few(3)
@pytest.mark.parametrize("name", BAD_NAMES, ids=lambda name: ascii(name[:9]))
def test_bad_name_in_the_field(api, name):
    response = api.form(("file", ("x.txt", b"x")), ("name", name))
    assert_refused(response, 400, 122, "name")


@pytest.mark.parametrize("name", ["a/b.txt", "../x", "..", "a\0b", "n" * 10_000], ids=lambda name: ascii(name[:9]))
def test_bad_name_of_the_part(api, name):
    body = GOOD.replace(b'"x.txt"', b'"' + name.encode() + b'"')
    assert_refused(send_form(api, body), 400, 122, "name")


@pytest.mark.few(3)
@pytest.mark.single
@pytest.mark.parametrize("name", ["a%2Fb.txt", "..%2f..%2fetc%2fpasswd", "%2e%2e", "..", "a%5Cb", "a%00b", "a%0ab", "%7F",
                                  "%zz", "%", "a%ff", "n" * 10_000], ids=lambda name: name[:9])
def test_bad_name_in_the_path(server, name):
    with server.raw() as connection:
        response = connection.request("POST", f"/1.1/files/{name}", credentials() | {"Content-Length": 1}, b"x")
        assert (response.status, json.loads(response.content)["code"]) == (400, 122)


# Fields

@pytest.mark.few(3)
@pytest.mark.parametrize("text", ["not json", "{", "[1]", '"text"', "1", '{"a":1}}', "{'a':1}", '{"a":NaN}', "\x01"])
def test_meta_data_that_is_no_json_object(api, text):
    assert_refused(api.form(("file", ("x.txt", b"x")), ("metaData", text)), 400, 107, "metaData")


@pytest.mark.parametrize("value, code", [
    ('{"__type":"Pointer"}', 106), ('{"__type":"x"}', 107), ('{"$x":1}', 121), ('{"a.b":1}', 121), ('"\\u0000"', 107),
    ('{"__op":"Delete"}', 107),
])
def test_meta_data_with_a_value_that_objects_cannot_have(api, value, code):
    assert_refused(api.form(("file", ("x.txt", b"x")), ("metaData", f'{{"a":{value}}}')), 400, code)


def test_meta_data_that_is_a_typed_value(api):
    day = '{"__type":"Date","iso":"2024-05-02T08:00:00Z"}'
    assert_refused(api.form(("file", ("x.txt", b"x")), ("metaData", day)), 400, 107, "metaData")


def test_meta_data_nested_without_end(api):
    assert_refused(api.form(("file", ("x", b"x")), ("metaData", '{"a":' + "[" * 60_000)), 400, 107, "metaData")


@pytest.mark.parametrize("text", ["[]", '"*"', '{"*":true}', '{"*":{"read":"yes"}}', '{"*":{"read":1}}',
                                  '{"*":{"execute":true}}', '{"%s":{"read":true}}' % ("n" * 129)])
def test_bad_acl(api, text):
    assert_refused(api.form(("ACL", text), ("file", ("x.txt", b"x"))), 400, 123, "ACL")


@pytest.mark.parametrize("field, value", [
    ("prefix", "../up"), ("prefix", "a//b"), ("prefix", "a/./b"), ("prefix", "a\nb"), ("prefix", "p" * 256),
    ("keep_file_name", "maybe"),
])
def test_other_bad_fields(api, field, value):
    assert_refused(api.form(("file", ("x.txt", b"x")), (field, value)), 400, 1, field)


def test_checksum_that_is_not_of_these_bytes(api):
    metadata = json.dumps({"_checksum": "0" * 32})
    assert_refused(api.form(("file", ("x.txt", b"x")), ("metaData", metadata)), 400, 1, "_checksum")


def test_one_bad_field_refuses_every_file_of_the_form(api):
    assert_refused(api.form(("file", ("a", b"a")), ("file", ("b", b"b")), ("metaData", "{")), 400, 107)


def test_refusal_leaves_the_connection_usable(server):
    with server.raw() as connection:
        path = "/1.1/files/a%2Fb"
        first = connection.request("POST", path, credentials() | {"Content-Length": 100_000}, b"x" * 100_000)
        assert first.status == 400
        if first.getheader("Connection", "").lower() != "close":
            assert connection.request("GET", "/1.1/files?limit=1", credentials()).status == 200
