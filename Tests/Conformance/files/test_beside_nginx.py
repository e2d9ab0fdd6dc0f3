"""Conditional and range requests, to this server and to an nginx that has the same file with the same date.

`DIFFERENCES` lists every request that they answer differently, with the reason; docs/http-api.md has the same list.
"""

import email.parser
import os
from email.utils import formatdate, parsedate_to_datetime

import pytest
from client import RawConnection
from file_domain import FileDomain

DATA = bytes(range(256)) * 4
SIZE = len(DATA)
TYPE = "application/octet-stream"

RANGES = [
    "bytes=0-0", "bytes=0-99", "bytes=1000-", "bytes=-10", "bytes=0-", "bytes=-5000", "bytes=0-99999999999999999999",
    "Bytes=3-5", "bytes=1023-1023", "bytes=1024-", "bytes=1024-2000", "bytes=-0", "bytes=99999999999999999999-",
    # Several.
    "bytes=0-1,5-6", "bytes=5-6,0-1", "bytes=0-1,-2", "bytes=0-1, 5-6", "bytes=0-1 , 5-6", "bytes=0-1,1024-",
    "bytes=1024-,0-1", "bytes=1024-,-0", "bytes=0-0,2-2,4-4,6-6,8-8", "bytes=" + ",".join(f"{2 * n}-{2 * n}" for n in range(100)),
    "bytes=0-1,2-3", "bytes=0-5,3-8", "bytes=0-9,0-9", "bytes=0-511,512-", "bytes=0-,0-", "bytes=0-,-1",
    "bytes=0-600,400-1023", "bytes=" + ",".join(["0-0"] * 101), "bytes=" + ",".join(f"{2 * n}-{2 * n}" for n in range(101)),
    # Malformed, and in other units.
    "bytes=", "bytes=,", "bytes=-", "bytes=a-b", "bytes=0", "bytes=--1", "bytes=5-4", "bytes=0-1,5-4", "bytes=0-1,x", "bytes=,0-1",
    "bytes=0-1,", "bytes=0-1,,5-6", "bytes=0 - 1", "bytes= 0-1", "bytes 0-1", "items=0-1", "0-1", "bytes=0-1;5-6",
]

# Headers with the validators of each server in place of {etag}, {date}, a date before and one after it.
CONDITIONS = [
    [("If-None-Match", value)] for value in [
        "{etag}", "W/{etag}", '"x", {etag}', '"x",{etag},"y"', "{etag}\t,", ',{etag}', "*", '"x"', "", "x", '"a,*,b"',
        '*, "x"', 'w/{etag}', '{etag} "x"', '"x" {etag}',
    ]
] + [
    [("If-Match", value)] for value in [
        "{etag}", "W/{etag}", '"x", {etag}', '"x", W/{etag}', "*", '"x"', "", "x", '"a,*,b"', '*, "x"',
    ]
] + [
    [(name, value)] for name in ["If-Modified-Since", "If-Unmodified-Since"] for value in [
        "{date}", "{before}", "{after}", "yesterday", "", "{date850}", "{dateC}", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 31 Feb 2021 08:49:37 GMT", "0",
    ]
] + [
    # Two lines of one header.
    [("If-None-Match", '"x"'), ("If-None-Match", "{etag}")], [("If-None-Match", "{etag}"), ("If-None-Match", '"x"')],
    [("If-Match", '"x"'), ("If-Match", "{etag}")], [("If-Match", "{etag}"), ("If-Match", '"x"')],
    [("Range", "bytes=0-1"), ("Range", "bytes=5-6")],
    [("If-Modified-Since", "{date}"), ("If-Modified-Since", "{before}")],
    # The order of RFC 9110 section 13.2.2.
    [("If-Match", '"x"'), ("If-None-Match", "{etag}")], [("If-Match", "{etag}"), ("If-None-Match", "{etag}")],
    [("If-Match", "{etag}"), ("If-Unmodified-Since", "{before}")], [("If-Match", '"x"'), ("If-Unmodified-Since", "{date}")],
    [("If-None-Match", '"x"'), ("If-Modified-Since", "{date}")], [("If-None-Match", "{etag}"), ("If-Modified-Since", "{before}")],
    [("If-Unmodified-Since", "{before}"), ("If-None-Match", "{etag}")],
    [("If-Match", '"x"'), ("Range", "bytes=0-1")], [("If-Match", "{etag}"), ("Range", "bytes=0-1")],
    [("If-None-Match", "{etag}"), ("Range", "bytes=0-1")], [("If-None-Match", '"x"'), ("Range", "bytes=0-1")],
    [("If-None-Match", "{etag}"), ("Range", "bytes=1024-")], [("If-Match", '"x"'), ("Range", "bytes=1024-")],
] + [
    [("If-Range", value), ("Range", text)]
    for value in ["{etag}", "W/{etag}", '"x"', "*", "{date}", "{before}", "{after}", "yesterday", "", "{etag}, {etag}"]
    for text in ["bytes=0-1", "bytes=0-1,5-6", "bytes=1024-"]
] + [
    [("If-Range", "{date850}"), ("Range", "bytes=0-1")], [("If-Range", "{etag}")],
    [("If-Range", "{etag}"), ("If-Range", "{etag}"), ("Range", "bytes=0-1")],
]

CASES = [("GET", [("Range", text)]) for text in RANGES] + [
    ("HEAD", [("Range", text)]) for text in ["bytes=0-1", "bytes=0-1,5-6", "bytes=1024-", "bytes=a-b", "items=0-1"]
] + [("GET", headers) for headers in CONDITIONS] + [
    ("HEAD", headers) for headers in CONDITIONS if "Range" not in dict(headers)
]


def name_of(method, headers):
    shown = [f"{name}: {value if len(value) < 80 else value[:20] + '…' + value[-10:]}" for name, value in headers]
    return " · ".join([method, *shown])


def both(name, ours, theirs):
    """A difference that is the same for `GET` and `HEAD`."""
    return {f"{method} · {name}": (ours, theirs) for method in ["GET", "HEAD"]}


# Request: our answer and that of nginx.
DIFFERENCES = {
    # HEAD has no ranges (RFC 9110 section 14.2).
    "HEAD · Range: bytes=0-1": ("200", "206 0-1"),
    "HEAD · Range: bytes=0-1,5-6": ("200", "206 parts"),
    "HEAD · Range: bytes=1024-": ("200", "416"),
    "HEAD · Range: bytes=a-b": ("200", "416"),
    # A position of any number of digits is a position; nginx refuses those beyond 2^63.
    "GET · Range: bytes=0-99999999999999999999": ("206 0-1023", "416"),
    # Ranges that overlap or touch are one (section 15.3.7.2), and one range is no multipart.
    "GET · Range: bytes=0-1,2-3": ("206 0-3", "206 parts 0-1 2-3"),
    "GET · Range: bytes=0-5,3-8": ("206 0-8", "206 parts 0-5 3-8"),
    "GET · Range: bytes=0-9,0-9": ("206 0-9", "206 parts 0-9 0-9"),
    "GET · Range: bytes=0-511,512-": ("206 0-1023", "206 parts 0-511 512-1023"),
    # More ranges than a hundred are ignored (section 17.15); nginx has no limit unless `max_ranges` is set.
    "GET · Range: bytes=0-0,0-0,0-0,0-…-0,0-0,0-0": ("200", "206 parts" + 101 * " 0-0"),
    "GET · Range: bytes=0-0,2-2,4-4,6-…98,200-200": ("200", "206 parts" + "".join(f" {2 * n}-{2 * n}" for n in range(101))),
    # A malformed range makes the header ignored (section 14.2 leaves it open).
    "GET · Range: bytes=,": ("200", "416"),
    "GET · Range: bytes=-": ("200", "416"),
    "GET · Range: bytes=a-b": ("200", "416"),
    "GET · Range: bytes=0": ("200", "416"),
    "GET · Range: bytes=--1": ("200", "416"),
    "GET · Range: bytes=5-4": ("200", "416"),
    "GET · Range: bytes=0-1,5-4": ("200", "206 0-1"),
    "GET · Range: bytes=0-1,x": ("200", "416"),
    "GET · Range: bytes=0 - 1": ("200", "206 0-1"),
    "GET · Range: bytes=0-1;5-6": ("200", "416"),
    # Empty elements of a list are ignored (section 5.6.1.2).
    "GET · Range: bytes=,0-1": ("206 0-1", "416"),
    "GET · Range: bytes=0-1,": ("206 0-1", "416"),
    "GET · Range: bytes=0-1,,5-6": ("206 parts 0-1 5-6", "416"),
    # A date that is none makes the header ignored (section 13.1.4).
    **both("If-Unmodified-Since: yesterday", "200", "412"),
    **both("If-Unmodified-Since: ", "200", "412"),
    **both("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 UTC", "200", "412"),
    **both("If-Unmodified-Since: Sun, 31 Feb 2021 08:49:37 GMT", "200", "412"),
    **both("If-Unmodified-Since: 0", "200", "412"),
    # Dates are ignored beside tags (section 13.2.2).
    **both("If-Match: {etag} · If-Unmodified-Since: {before}", "200", "412"),
    **both("If-None-Match: {etag} · If-Modified-Since: {before}", "304", "200"),
    # The lines of a list are one list (section 5.3).
    **both('If-None-Match: "x" · If-None-Match: {etag}', "304", "400"),
    **both('If-None-Match: {etag} · If-None-Match: "x"', "304", "400"),
    **both('If-Match: "x" · If-Match: {etag}', "200", "400"),
    **both('If-Match: {etag} · If-Match: "x"', "200", "400"),
    # Several lines of a header with one value are no valid value.
    **both("If-Modified-Since: {date} · If-Modified-Since: {before}", "200", "400"),
    "GET · Range: bytes=0-1 · Range: bytes=5-6": ("200", "206 0-1"),
    "GET · If-Range: {etag} · If-Range: {etag} · Range: bytes=0-1": ("200", "400"),
}


class Peer:
    """One of the servers: where the file is, and its validators."""

    def __init__(self, port, path):
        self.port, self.path = port, path
        headers = self.ask("HEAD", []).headers
        moment = parsedate_to_datetime(headers["Last-Modified"])
        seconds = moment.timestamp()
        self.validators = {
            "etag": headers["ETag"], "date": headers["Last-Modified"], "before": formatdate(seconds - 1, usegmt=True),
            "after": formatdate(seconds + 1, usegmt=True), "date850": moment.strftime("%A, %d-%b-%y %H:%M:%S GMT"),
            "dateC": moment.strftime("%a %b %e %H:%M:%S %Y"),
        }

    def ask(self, method, headers):
        lines = [f"{method} {self.path} HTTP/1.1", "Host: 127.0.0.1"]
        lines += [f"{name}: {value.format(**self.validators)}" for name, value in headers]
        with RawConnection(self.port) as connection:
            connection.send("\r\n".join([*lines, "", ""]).encode())
            return connection.answer(method)

    def result(self, method, headers):
        """The status, and the ranges if there are some; all else of the answer must be right."""
        answer = self.ask(method, headers)
        fields, content, status = answer.headers, answer.content, answer.status
        if status in (400, 412):
            return str(status)
        if status != 416:
            assert (fields["ETag"], fields["Last-Modified"]) == (self.validators["etag"], self.validators["date"])
        if status == 304:
            assert content == b"" and fields["Content-Type"] is None
            return "304"
        assert "Content-Length" in fields and (method == "HEAD" or int(fields["Content-Length"]) == len(content))
        if status == 416:
            assert fields["Content-Range"] == f"bytes */{SIZE}"
            return "416"
        assert status == 206 or fields["Accept-Ranges"] == "bytes"
        if status == 206 and fields.get_content_type() == "multipart/byteranges":
            assert "Content-Range" not in fields
            found = "" if method == "HEAD" else parts(fields["Content-Type"], content)
            return f"206 parts {found}".strip()
        assert fields["Content-Type"] == TYPE
        if status == 206:
            return f"206 {checked(fields['Content-Range'], None if method == 'HEAD' else content)}"
        assert (fields["Content-Length"], content) == (str(SIZE), b"" if method == "HEAD" else DATA)
        return str(status)


def checked(text, content):
    """The range of a `Content-Range`, after its bytes were compared."""
    unit, range, size = text.replace("/", " ").split(" ")
    first, last = map(int, range.split("-"))
    assert (unit, size) == ("bytes", str(SIZE))
    assert content is None or content == DATA[first:last + 1]
    return range


def parts(type, content):
    """The ranges of a multipart body, after the bytes of each were compared."""
    boundary = type.split("boundary=")[1]
    start, *between, end = content.removeprefix(b"\r\n").split(f"--{boundary}".encode())
    assert (start, end) == (b"", b"--\r\n")
    found = []
    for part in between:
        head, bytes = part.removeprefix(b"\r\n").split(b"\r\n\r\n", 1)
        head = email.parser.Parser().parsestr(head.decode())
        assert head["Content-Type"] == TYPE and bytes.endswith(b"\r\n")
        found.append(checked(head["Content-Range"], bytes[:-2]))
    return " ".join(found)


@pytest.fixture(scope="module")
def peers(server, api, tmp_path_factory):
    """This server and an nginx."""
    url = api.store(DATA, name="data.bin")["url"]
    here = Peer(server.own_port, url.removeprefix(server.url))
    nginx = FileDomain(tmp_path_factory.mktemp("nginx"))
    nginx.put("data.bin", DATA)
    moment = parsedate_to_datetime(here.validators["date"]).timestamp()
    os.utime(nginx.files / "data.bin", (moment, moment))
    nginx.start()
    try:
        peer = Peer(nginx.port, "/data.bin")
        assert peer.validators["date"] == here.validators["date"]
        yield here, peer
    finally:
        nginx.close()


@pytest.mark.few(13)
@pytest.mark.parametrize("method, headers", CASES, ids=[name_of(*case) for case in CASES])
def test_answer_is_that_of_nginx_or_a_known_difference(peers, method, headers):
    here, nginx = peers
    expected = DIFFERENCES.get(name_of(method, headers))
    answers = here.result(method, headers), nginx.result(method, headers)
    if expected is None:
        assert answers[0] == answers[1]
    else:
        assert answers == expected


def test_differences_are_of_requests_that_are_sent():
    assert DIFFERENCES.keys() <= {name_of(*case) for case in CASES}
