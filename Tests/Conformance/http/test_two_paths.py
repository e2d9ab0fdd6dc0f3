"""All paths of a request, the prepared response and the route before the decoder and the route behind it, send the same
bytes.

Two servers have the same files and objects; on one of them all requests take the path of the decoder. Every test sends
the same bytes to both and compares all that they send until they close, except times and random ids.
"""

import re
import select
import socket

import pytest
from cases import EXHAUSTIVE, chance, count
from client import ALPHA, LAST_CHUNK, TIMEOUT, chunk
from data import Objects, own
from hot import Pair, WARM_UP, assert_hot, get, make_hot, series, settle, settled_hot_count
from pictures import encoded, quarters
from uploading import noise, qetag

pytestmark = pytest.mark.long

# By the size of the body: copied behind the head, in a buffer of its own, sent by `sendfile`.
FILES = {
    "hot.bin": b"hot " * 25, "medium.bin": noise(20_000), "large.bin": noise(200_000), "picture.png": encoded(quarters()),
}
DERIVATIVE = "/picture.png?imageView2/2/w/20"
CHAIN = f"{DERIVATIVE}|imageMogr2/rotate/90"
TARGETS = ["/hot.bin", "/medium.bin", "/large.bin", DERIVATIVE]
TAG = f'"{qetag(FILES["hot.bin"])}"'
# A response to it is the proof that both servers found the same beginning of the next request.
NEXT = get("/hot.bin")
KEYS = [f"X-LC-Id: {ALPHA.id}", f"X-LC-Key: {ALPHA.key}", "Content-Type: application/json"]


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    pair = Pair(tmp_path_factory.mktemp, FILES)
    try:
        # Both servers render the derivatives now, because the end of sending would cancel that.
        for target in [*TARGETS, CHAIN]:
            for peer in (pair.hot, pair.cold):
                make_hot(peer.server, target)
        before = settled_hot_count(pair.hot.server)
        pair.assert_same([b"".join(map(get, TARGETS))])
        assert_hot(pair.hot.server, before, len(TARGETS))
        yield pair
        assert settled_hot_count(pair.cold.server) == 0
    finally:
        codes = pair.stop()
    assert codes == [0, 0]


def form(*fields, line="GET /hot.bin HTTP/1.1", host="Host: a", body=b""):
    """The bytes of a request whose parts need not be valid."""
    lines = [line, *([] if host is None else [host]), *fields, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def to(target, **options):
    return form(line=f"GET {target} HTTP/1.1", **options)


def of_length(length):
    """A simple request whose head has exactly this length."""
    return form("X: " + "x" * (length - len(form("X: "))))


# Requests that are answered hot

SIMPLE = {
    "only Host": form(),
    "HEAD": form(line="HEAD /hot.bin HTTP/1.1"),
    "lower-case names": form("accept: */*", host="host: a"),
    "upper-case names": form("ACCEPT: */*", host="HOST: a"),
    "no blank before values": form("Accept:*/*", host="Host:a"),
    "blanks before values": form("Accept: \t */*", host="Host:  \ta"),
    "blanks after another value": form("Accept: */* \t "),
    "empty values": form("X:", "Y: ", "Z:\t"),
    "Host after other fields": form("Accept: */*", "Host: a", host=None),
    "Host with a port": form(host="Host: a:80"),
    "Host with an empty port": form(host="Host: a:"),
    "Host that is an IPv4 address": form(host="Host: 127.0.0.1:8080"),
    "fields of a browser": form(
        "Connection: keep-alive", "User-Agent: Mozilla/5.0 (X11; Linux x86_64)", "Accept: image/avif,image/webp,*/*;q=0.8",
        "Accept-Encoding: gzip, deflate, br", "Accept-Language: en", "Referer: http://a/", "Cookie: a=b; c=d",
        "Sec-Fetch-Mode: no-cors", "Priority: u=5",
    ),
    "Connection: keep-alive": form("Connection: keep-alive"),
    "Connection: KEEP-ALIVE": form("Connection: KEEP-ALIVE"),
    "Connection twice": form("Connection: keep-alive", "Connection: keep-alive"),
    "Keep-Alive": form("Keep-Alive: timeout=5"),
    "Origin": form("Origin: https://app.example.com"),
    "Cookie": form("Cookie: a=b"),
    "Accept": form("Accept: image/webp"),
    "Accept-Encoding": form("Accept-Encoding: gzip"),
    "Authorization": form("Authorization: Basic YTpi"),
    "credentials": form(*KEYS[:2]),
    "Content-Type": form("Content-Type: application/json"),
    "Forwarded": form("Forwarded: for=1.2.3.4", "X-Forwarded-For: 1.2.3.4", "X-Forwarded-Proto: https"),
    "methods in fields": form("X-HTTP-Method-Override: DELETE", "X-HTTP-Method: DELETE"),
    "bytes beyond ASCII": form("X: \x80\xff"),
    "names of all token characters": form("!#$%&'*+-.^_`|~09azAZ: y"),
    "98 further fields": form(*["X: y"] * 99),
    "head of 2000 bytes": of_length(2000),
    "other tag": form('If-None-Match: "x"'),
    "same tag": form(f"If-None-Match: {TAG}"),
    "same tag, weak": form(f"If-None-Match: W/{TAG}"),
    "same tag in a list": form(f'If-None-Match: "x", {TAG}'),
    "same tag for HEAD": form(f"If-None-Match: {TAG}", line="HEAD /hot.bin HTTP/1.1"),
    "blanks around the same tag": form(f"If-None-Match: \t{TAG}"),
    "any tag": form("If-None-Match: *"),
    "any tag in a list": form('If-None-Match: *, "x"'),
    "empty tag": form("If-None-Match:"),
    "malformed tag": form("If-None-Match: x"),
    "malformed weak tag": form(f"If-None-Match: w/{TAG}"),
    "two slashes": to("//hot.bin"),
    "three slashes": to("///hot.bin"),
    "escaped letter": to("/%68ot.bin"),
    "escaped dot": to("/hot%2Ebin"),
    "escaped dot in lower case": to("/hot%2ebin"),
    "unknown parameter": to("/hot.bin?v=1"),
    "empty query": to("/hot.bin?"),
    "name for saving": to("/hot.bin?attname=a.bin"),
    "escaped name for saving": to("/hot.bin?attname=%E7%85%A7.bin"),
    "name for saving with a line break": to("/hot.bin?attname=a%0d%0aX:%20y"),
    "name for saving with a quote": to("/hot.bin?attname=a%22b%5Cc.bin"),
    "name for saving that is no UTF-8": to("/hot.bin?attname=%ff.bin"),
    "empty name for saving": to("/hot.bin?attname="),
    "two names for saving": to("/hot.bin?attname=a.bin&attname=b.bin"),
    "derivative": to(DERIVATIVE),
    "derivative in another spelling": to("/picture.png?imageView2%2F2%2Fw%2F20"),
    "derivative with a name for saving": to(f"{DERIVATIVE}&attname=a.png"),
    "chain": to(CHAIN),
    "medium file": to("/medium.bin"),
    "large file": to("/large.bin"),
    "HEAD of a large file": form(line="HEAD /large.bin HTTP/1.1"),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("name", SIMPLE)
def test_simple_request_gets_the_same_response_hot(pair, name):
    server = pair.hot.server
    for _ in range(WARM_UP):
        pair.assert_same([SIMPLE[name].replace(b"HEAD", b"GET") + NEXT])
    before = settled_hot_count(server)
    pair.assert_same([SIMPLE[name] + NEXT])
    pair.assert_same([SIMPLE[name], NEXT])
    assert_hot(server, before, 4)


# Requests that are not, or not all

OTHERS = {
    # The request line.
    "HTTP/1.0": form(line="GET /hot.bin HTTP/1.0"),
    "HTTP/1.0 without Host": form(line="GET /hot.bin HTTP/1.0", host=None),
    "HTTP/1.0 with keep-alive": form("Connection: keep-alive", line="GET /hot.bin HTTP/1.0"),
    "HTTP/1.2": form(line="GET /hot.bin HTTP/1.2"),
    "HTTP/0.9": b"GET /hot.bin\r\n",
    "HTTP/2.0": form(line="GET /hot.bin HTTP/2.0"),
    "preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/01.1": form(line="GET /hot.bin HTTP/01.1"),
    "HTTP/1.10": form(line="GET /hot.bin HTTP/1.10"),
    "version in lower case": form(line="GET /hot.bin http/1.1"),
    "blank after the version": form(line="GET /hot.bin HTTP/1.1 "),
    "no version": form(line="GET /hot.bin"),
    "no target": form(line="GET HTTP/1.1"),
    "two blanks before the target": form(line="GET  /hot.bin HTTP/1.1"),
    "two blanks after the target": form(line="GET /hot.bin  HTTP/1.1"),
    "tab before the target": form(line="GET\t/hot.bin HTTP/1.1"),
    "tab after the target": form(line="GET /hot.bin\tHTTP/1.1"),
    "blank before the method": form(line=" GET /hot.bin HTTP/1.1"),
    "empty line before": b"\r\n" + form(),
    "three empty lines before": b"\r\n\r\n\r\n" + form(),
    "line feed before": b"\n" + form(),
    "carriage return before": b"\r" + form(),
    "line feed after the request line": b"GET /hot.bin HTTP/1.1\nHost: a\r\n\r\n",
    "blank in the target": to("/hot .bin"),
    "absolute form": to("http://a/hot.bin"),
    "absolute form of another host": to("http://b/hot.bin"),
    "absolute form in upper case": to("HTTP://a/hot.bin"),
    "absolute form of https": to("https://a/hot.bin"),
    "asterisk": to("*"),
    "authority": to("a:80"),
    "target without a slash": to("hot.bin"),
    "target of one slash": to("/"),
    "fragment": to("/hot.bin#part"),
    "fragment after a query": to("/hot.bin?v=1#part"),
    "empty fragment": to("/hot.bin#"),
    "dot segment": to("/./hot.bin"),
    "two dot segments": to("/a/../hot.bin"),
    "slash after the key": to("/hot.bin/"),
    "backslash": to("\\hot.bin"),
    "escaped slash": to("/%2Fhot.bin"),
    "escaped NUL": to("/hot.bin%00"),
    "malformed escape": to("/hot.bin%zz"),
    "escaped question mark": to("/hot.bin%3Fv=1"),
    "unknown key": to("/none.bin"),
    "health": to("/health"),
    "API": to("/1.1/classes/TwoPaths"),
    "unknown operator": to("/picture.png?imageView9/2/w/20"),
    "two question marks": to("/hot.bin??"),
    "target of 20 KB": to("/hot.bin?v=" + "x" * 20_000),
    # Methods.
    "POST": form("Content-Length: 3", line="POST /hot.bin HTTP/1.1", body=b"abc"),
    "POST without a length": form(line="POST /hot.bin HTTP/1.1"),
    "PUT": form("Content-Length: 3", line="PUT /hot.bin HTTP/1.1", body=b"abc"),
    "DELETE": form(line="DELETE /hot.bin HTTP/1.1"),
    "PATCH": form("Content-Length: 0", line="PATCH /hot.bin HTTP/1.1"),
    "OPTIONS": form(line="OPTIONS /hot.bin HTTP/1.1"),
    "OPTIONS with Origin": form("Origin: http://a", line="OPTIONS /hot.bin HTTP/1.1"),
    "TRACE": form(line="TRACE /hot.bin HTTP/1.1"),
    "CONNECT": form(line="CONNECT a:80 HTTP/1.1"),
    "unknown method": form(line="FETCH /hot.bin HTTP/1.1"),
    "method in lower case": form(line="get /hot.bin HTTP/1.1"),
    "method in mixed case": form(line="Get /hot.bin HTTP/1.1"),
    "HEAD in lower case": form(line="head /hot.bin HTTP/1.1"),
    "longer method": form(line="GETS /hot.bin HTTP/1.1"),
    # Host.
    "no Host": form(host=None),
    "empty Host": form(host="Host:"),
    "Host twice": form("Host: a"),
    "two Hosts": form("Host: b"),
    "Host twice in other letters": form("HOST: a"),
    "Host with a blank": form(host="Host: a b"),
    "Host with a user": form(host="Host: u@a"),
    "Host with a path": form(host="Host: a/b"),
    "Host with a scheme": form(host="Host: http://a"),
    "Host with a port that is none": form(host="Host: a:b"),
    "Host with a port of six digits": form(host="Host: a:000080"),
    "Host without a name": form(host="Host: :80"),
    "Host that is an IPv6 address": form(host="Host: [::1]:80"),
    "Host that is a cut IPv6 address": form(host="Host: [::1"),
    "Host with an underscore": form(host="Host: a_b"),
    "Host with an escape": form(host="Host: %61"),
    "Host with a malformed escape": form(host="Host: %6"),
    "Host with a comma": form(host="Host: a,b"),
    "Host of 1000 letters": form(host="Host: " + "a" * 1000),
    "Host with bytes beyond ASCII": form(host="Host: \xe4"),
    "blank after Host's value": form(host="Host: a "),
    "tab after Host's value": form(host="Host: a\t"),
    "blank before Host's colon": form(host="Host : a"),
    # Lines of fields.
    "blank before a colon": form("X : y"),
    "tab before a colon": form("X\t: y"),
    "no colon": form("X"),
    "no name": form(": y"),
    "blank before a name": form("X: y", " Z: z"),
    "blank before the first name": form(host=" Host: a"),
    "folded value": form("X: y\r\n z"),
    "value folded with a tab": form("X: y\r\n\tz"),
    "folded Host": form(host="Host:\r\n a"),
    "folded Content-Length": form("Content-Length:\r\n 3", body=b"abc"),
    "line of one blank": form("X: y", " "),
    "line feed after a field": form("X: y\nY: z"),
    "line feed after the last field": b"GET /hot.bin HTTP/1.1\r\nHost: a\n\r\n",
    "line feeds only": b"GET /hot.bin HTTP/1.1\nHost: a\n\n",
    "line feed for the empty line": b"GET /hot.bin HTTP/1.1\r\nHost: a\r\n\n",
    "carriage return in a value": form("X: y\rz"),
    "carriage return before the line's end": form("X: y\r"),
    "carriage returns only": b"GET /hot.bin HTTP/1.1\rHost: a\r\r",
    "carriage return for the empty line": b"GET /hot.bin HTTP/1.1\r\nHost: a\r\n\rX: y\r\n\r\n",
    "NUL in a value": form("X: y\0z"),
    "NUL after the head": form(body=b"\0"),
    "no end of the head": b"GET /hot.bin HTTP/1.1\r\nHost: a\r\n",
    "99 further fields": form(*["X: y"] * 100),
    "200 fields": form(*["X: y"] * 200),
    "1100 fields": form(*["X: y"] * 1100),
    "head of 4000 bytes": of_length(4000),
    "head of 16384 bytes": of_length(16384),
    "head of 16385 bytes": of_length(16385),
    "head of 80 KB less 1": of_length((80 << 10) - 1),
    "head of 100 KB": of_length(100_000),
    # The connection.
    "Connection: close": form("Connection: close"),
    "Connection: CLOSE": form("Connection: CLOSE"),
    "Connection: keep-alive, close": form("Connection: keep-alive, close"),
    "Connection: keep-alive and close": form("Connection: keep-alive", "Connection: close"),
    "Connection: close and keep-alive": form("Connection: close", "Connection: keep-alive"),
    "Connection: another field": form("Connection: Host"),
    "empty Connection": form("Connection:"),
    "Connection: two blanks": form("Connection: keep alive"),
    "Connection: a comma": form("Connection: ,"),
    "Connection: a comma after keep-alive": form("Connection: keep-alive,"),
    "tab before keep-alive": form("Connection:\tkeep-alive"),
    "blank after keep-alive": form("Connection: keep-alive "),
    "tab after keep-alive": form("Connection: keep-alive\t"),
    "Connection: longer than keep-alive": form("Connection: keep-alives"),
    "Connection: upgrade without Upgrade": form("Connection: upgrade"),
    "Upgrade without Connection": form("Upgrade: h2c"),
    "empty Upgrade": form("Upgrade:", "Connection: Upgrade"),
    "Proxy-Connection: keep-alive": form("Proxy-Connection: keep-alive"),
    "Proxy-Connection: close": form("Proxy-Connection: close"),
    "Proxy-Connection: close after keep-alive": form("Connection: keep-alive", "Proxy-Connection: close"),
    "Proxy-Connection: upgrade": form("Proxy-Connection: upgrade"),
    "HTTP2-Settings": form("HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"),
    "Expect": form("Expect: 100-continue"),
    "Expect with a length": form("Expect: 100-continue", "Content-Length: 3", body=b"abc"),
    "unknown expectation": form("Expect: more"),
    "TE": form("TE: trailers"),
    "Trailer": form("Trailer: X"),
    # Ranges and conditions.
    "Range": form("Range: bytes=0-1"),
    "two ranges": form("Range: bytes=0-1,5-6"),
    "Range twice": form("Range: bytes=0-1", "Range: bytes=5-6"),
    "Range beyond the end": form("Range: bytes=1000-"),
    "malformed Range": form("Range: x"),
    "empty Range": form("Range:"),
    "Range of a large file": form("Range: bytes=5-100004", line="GET /large.bin HTTP/1.1"),
    "Range of HEAD": form("Range: bytes=0-1", line="HEAD /hot.bin HTTP/1.1"),
    "If-Range": form(f"If-Range: {TAG}", "Range: bytes=0-1"),
    "If-Range with another tag": form('If-Range: "x"', "Range: bytes=0-1"),
    "If-Range without Range": form(f"If-Range: {TAG}"),
    "If-Match": form(f"If-Match: {TAG}"),
    "If-Match with another tag": form('If-Match: "x"'),
    "If-Modified-Since": form("If-Modified-Since: Fri, 01 Mar 2024 08:00:00 GMT"),
    "If-Modified-Since with another date": form("If-Modified-Since: Fri, 01 Mar 2024 08:00:01 GMT"),
    "malformed If-Modified-Since": form("If-Modified-Since: x"),
    "If-Unmodified-Since": form("If-Unmodified-Since: Fri, 01 Mar 2024 08:00:00 GMT"),
    "If-Unmodified-Since with an earlier date": form("If-Unmodified-Since: Fri, 01 Mar 2024 07:00:00 GMT"),
    "If-None-Match twice, the tag last": form('If-None-Match: "x"', f"If-None-Match: {TAG}"),
    "If-None-Match twice, the tag first": form(f"If-None-Match: {TAG}", 'If-None-Match: "x"'),
    "If-None-Match twice with any tag": form("If-None-Match: *", "If-None-Match: *"),
    "If-None-Match twice, once empty": form("If-None-Match:", f"If-None-Match: {TAG}"),
    "If-None-Match with a date": form('If-None-Match: "x"', "If-Modified-Since: Fri, 01 Mar 2024 08:00:00 GMT"),
    "If-None-Match with a range": form('If-None-Match: "x"', "Range: bytes=0-1"),
    "If-None-Match with bytes beyond ASCII": form(f'If-None-Match: "\xe4", {TAG}'),
    "tab after the same tag": form(f"If-None-Match: {TAG}\t"),
    "blank after the same tag": form(f"If-None-Match: {TAG} "),
    "tab after any tag": form("If-None-Match: *\t"),
    "blank after any tag": form("If-None-Match: * "),
    # Bodies, some of which look like a request.
    "Content-Length: 0": form("Content-Length: 0"),
    "Content-Length": form("Content-Length: 3", body=b"abc"),
    "Content-Length of a request": form(f"Content-Length: {len(NEXT)}", body=NEXT),
    "HEAD with a body": form("Content-Length: 3", line="HEAD /hot.bin HTTP/1.1", body=b"abc"),
    "Content-Length twice": form("Content-Length: 3", "Content-Length: 3", body=b"abc"),
    "two Content-Lengths": form("Content-Length: 0", f"Content-Length: {len(NEXT)}", body=NEXT),
    "list of Content-Lengths": form("Content-Length: 3, 3", body=b"abc"),
    "Content-Length with a sign": form("Content-Length: +3", body=b"abc"),
    "Content-Length in hexadecimal": form("Content-Length: 0x3", body=b"abc"),
    "negative Content-Length": form("Content-Length: -1"),
    "empty Content-Length": form("Content-Length:"),
    "Content-Length beyond 64 bits": form("Content-Length: 18446744073709551616"),
    "blank before Content-Length's colon": form("Content-Length : 3", body=b"abc"),
    "blank after Content-Length's value": form("Content-Length: 3 ", body=b"abc"),
    "underscore in Content_Length": form("Content_Length: 3"),
    "body without a length": form(body=b"abc"),
    "chunked": form("Transfer-Encoding: chunked", body=chunk(b"abc") + LAST_CHUNK),
    "chunked in upper case": form("TRANSFER-ENCODING: CHUNKED", body=chunk(b"abc") + LAST_CHUNK),
    "chunked request": form("Transfer-Encoding: chunked", body=chunk(NEXT) + LAST_CHUNK),
    "chunked without a chunk": form("Transfer-Encoding: chunked", body=LAST_CHUNK),
    "chunk extension": form("Transfer-Encoding: chunked", body=b'3;a="b"\r\nabc\r\n0;c\r\n\r\n'),
    "chunk extension with a line feed": form("Transfer-Encoding: chunked", body=b"3;a\nabc\r\n0\r\n\r\n"),
    "trailer fields": form("Transfer-Encoding: chunked", body=b"3\r\nabc\r\n0\r\nX: y\r\n\r\n"),
    "trailer that is a Content-Length": form("Transfer-Encoding: chunked", body=b"0\r\nContent-Length: 50\r\n\r\n"),
    "chunk with a line feed": form("Transfer-Encoding: chunked", body=b"3\nabc\n0\n\n"),
    "chunk of a malformed size": form("Transfer-Encoding: chunked", body=b"x\r\nabc\r\n0\r\n\r\n"),
    "length, then chunked": form("Content-Length: 3", "Transfer-Encoding: chunked", body=LAST_CHUNK),
    "chunked, then length": form("Transfer-Encoding: chunked", "Content-Length: 3", body=LAST_CHUNK),
    "length of 0, then chunked": form("Content-Length: 0", "Transfer-Encoding: chunked", body=chunk(NEXT) + LAST_CHUNK),
    "chunked twice": form("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=LAST_CHUNK),
    "Transfer-Encoding: identity": form("Transfer-Encoding: identity"),
    "Transfer-Encoding: gzip, chunked": form("Transfer-Encoding: gzip, chunked", body=LAST_CHUNK),
    "Transfer-Encoding: chunked, gzip": form("Transfer-Encoding: chunked, gzip", body=LAST_CHUNK),
    "Transfer-Encoding: xchunked": form("Transfer-Encoding: xchunked", body=LAST_CHUNK),
    "empty Transfer-Encoding": form("Transfer-Encoding:", body=LAST_CHUNK),
    "tab before chunked": form("Transfer-Encoding:\tchunked", body=LAST_CHUNK),
    "folded Transfer-Encoding": form("Transfer-Encoding:\r\n chunked", body=LAST_CHUNK),
    "blank before Transfer-Encoding's colon": form("Transfer-Encoding : chunked", body=LAST_CHUNK),
    "underscore in Transfer_Encoding": form("Transfer_Encoding: chunked"),
}


@pytest.mark.few(13)
@pytest.mark.parametrize("name", OTHERS)
def test_other_request_gets_the_same_response_beside_hot_ones(pair, name):
    # A target that the decoder accepts is hot for the last round.
    for _ in range(WARM_UP):
        pair.assert_same([OTHERS[name] + NEXT])
    pair.assert_same([NEXT + OTHERS[name] + NEXT])
    pair.assert_same([OTHERS[name], NEXT])


def test_request_in_place_of_chunks_gets_the_same_response(pair):
    # In one write: a response that was written before the server notices that these are no chunks has another head.
    pair.assert_same([NEXT + form("Transfer-Encoding: chunked") + NEXT])


# The server drops what it has not answered when the client ends its sending behind a request with `Upgrade`, and cancels
# work on images, with and without hot downloads. So the last request ends the connection here.
LONGER = {
    "information about an image": to("/picture.png?imageInfo"),
    "operator on a file that is no image": to("/hot.bin?imageView2/2/w/20"),
    "derivative that is new": to("/picture.png?imageView2/2/w/21"),
} | {
    f"Upgrade: {protocol}, {fields}": form(f"Upgrade: {protocol}", *fields)
    for protocol in ("h2c", "websocket", "TLS/1.0, HTTP/1.1")
    for fields in (["Connection: Upgrade"], ["Connection: keep-alive, upgrade", "Content-Length: 0"])
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name", LONGER)
def test_request_that_takes_longer_gets_the_same_response_beside_hot_ones(pair, name):
    request, last = LONGER[name], form("Connection: close")
    for pieces in ([request + NEXT + last], [NEXT + request + NEXT + request + last], [request, NEXT, last]):
        pair.assert_same(pieces, ends=False)


# Requests of the API, whose routes begin before the decoder

CALL = "/1.1/classes/TwoPaths"
# By the size of the response: one write, two writes, from another thread in one piece, and in several pieces.
OBJECTS = {"SHORT": "short", "LONG": "long " * 1000, "LONGER": "longer " * 5000, "LONGEST": "longest " * 15_000}


def call(target, *fields, method="GET", keys=KEYS[:2]):
    return form(*keys, *fields, line=f"{method} {target} HTTP/1.1")


CALLS = {
    **{f"{size} object": call(f"{CALL}/{size}") for size in OBJECTS},
    "HEAD of an object": call(f"{CALL}/SHORT", method="HEAD"),
    "object of the old path": call("/1/classes/TwoPaths/SHORT"),
    "selected fields": call(f"{CALL}/SHORT?keys=-text"),
    "missing object": call(f"{CALL}/000000000000000000000000"),
    "two objects": call(f"{CALL}/SHORT,LONG"),
    "class that is none": call("/1.1/classes/No-Class/SHORT"),
    "query": call(f"{CALL}?where=%7B%22size%22%3A%22SHORT%22%7D&count=1"),
    "malformed query": call(f"{CALL}?where=%7B"),
    "query of two KB": call(f"{CALL}?where=%7B%22size%22%3A%22{'x' * 2000}%22%7D"),
    "query of eight KB": call(f"{CALL}?where=%7B%22size%22%3A%22{'x' * 8000}%22%7D"),
    "file's record": call("/1.1/files?where=%7B%22key%22%3A%22hot.bin%22%7D&keys=key"),
    "no keys": call(f"{CALL}/SHORT", keys=[]),
    "wrong key": call(f"{CALL}/SHORT", keys=[KEYS[0], "X-LC-Key: wrong"]),
    "key twice": call(f"{CALL}/SHORT", KEYS[1]),
    "empty key before another": call(f"{CALL}/SHORT", keys=[KEYS[0], "X-LC-Key:", f"X-AVOSCloud-Application-Key: {ALPHA.key}"]),
    "master key": call(f"{CALL}/SHORT", keys=[KEYS[0], f"X-LC-Key: {ALPHA.master},master"]),
    "unknown session": call(f"{CALL}/SHORT", "X-LC-Session: none"),
    "method in a field": call(f"{CALL}/SHORT", "X-HTTP-Method-Override: DELETE"),
    "Origin": call(f"{CALL}/SHORT", "Origin: https://app.example.com"),
    "user that is not logged in": call("/1.1/users/me"),
    "unknown path": call("/1.1/nothing"),
    "health": to("/health"),
    "readiness": to("/ready"),
    "page of the console": to("/console/"),
    "number of a request": call(f"{CALL}/SHORT", "lcfile-request-number: 1"),
}


@pytest.fixture(scope="module")
def ids(pair):
    """For each server, the ids of its objects."""
    def stored(peer):
        objects = Objects(peer.server.api(), "TwoPaths")
        return {size: objects.create(size=size, text=text) for size, text in OBJECTS.items()}

    return {peer: stored(peer) for peer in (pair.hot, pair.cold)}


def outcome(peer, ids, pieces):
    """What a server sends if the names of objects in the pieces are the ids that it knows."""
    for size, id in ids[peer].items():
        pieces = [piece.replace(f"/{size}".encode(), f"/{id}".encode()).replace(f",{size}".encode(), f",{id}".encode())
                  for piece in pieces]
    return peer.outcome(pieces)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", CALLS)
def test_call_of_the_api_gets_the_same_response_before_the_decoder(pair, ids, name):
    request = CALLS[name]
    for pieces in ([request], [request + NEXT], [NEXT + request + request + NEXT], [request, request, NEXT]):
        hot, cold = (outcome(peer, ids, pieces) for peer in (pair.hot, pair.cold))
        assert hot == cold, f"\nsent {pieces}\nhot  {hot.around(cold)}\ncold {cold.around(hot)}"


@pytest.mark.parametrize("size", OBJECTS)
@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_object_of_each_size_is_whole_before_the_decoder(pair, ids, size, coding):
    # Bytes of compressed objects differ with their ids.
    path = f"{CALL}/{ids[pair.hot][size]}"
    response = pair.hot.server.api().get(path, headers={"Accept-Encoding": coding})
    assert own(response.json()) == {"size": size, "text": OBJECTS[size]}


@pytest.fixture(scope="module")
def long_objects(pair):
    """Four megabytes of objects."""
    objects = Objects(pair.hot.server.api(), "TwoPathsSlow")
    for _ in range(40):
        objects.create(text="y" * 100_000)
    return objects


@pytest.mark.parametrize("tail", [b"", b"\r\n", b"GET /x HT", NEXT], ids=["nothing", "line end", "half a request", "request"])
def test_response_is_whole_for_a_slow_client_that_has_ended_its_sending(pair, long_objects, tail):
    """The response is longer than the buffers of both ends, so it waits for the client, who has half closed."""
    server = pair.hot.server
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(TIMEOUT)
        client.connect(("127.0.0.1", server.port))
        client.sendall(call(f"/1.1/classes/{long_objects.name}?limit=40") + tail)
        client.shutdown(socket.SHUT_WR)
        received = b""
        # The client reads nothing for a second, in which a server that closes too early drops the rest.
        ended = select.poll()
        ended.register(client, select.POLLRDHUP)
        assert ended.poll(1000) == []
        while piece := client.recv(1 << 16):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
    assert length > 4_000_000 and len(body) >= length


def test_calls_of_the_api_are_counted_alike(pair, ids):
    def counted(peer):
        settle(peer.server)
        before = series(peer.server, "lcfile_http_requests_total")
        for name in CALLS:
            outcome(peer, ids, [CALLS[name]])
        settle(peer.server)
        after = series(peer.server, "lcfile_http_requests_total")
        return {labels: value - before.get(labels, 0) for labels, value in after.items() if value != before.get(labels)}

    assert counted(pair.hot) == counted(pair.cold)


# Each byte

# Of letters and digits a few are enough: what a parser knows are the other bytes of ASCII.
COMMON = set(b"bcdefghijklmnopqrstuvwxyBCDEFGHIJKLMNOPQRSTUVWXY12345678")
BYTES = [byte for byte in range(256) if EXHAUSTIVE or byte not in COMMON and (byte < 0x82 or byte in (0xA0, 0xC3, 0xFF))]


def differing_bytes(pair, make):
    """The bytes in whose case the servers differ."""
    return [hex(byte) for byte in BYTES if pair.differs([make(chr(byte)) + NEXT])]


def test_each_byte_in_a_name_is_treated_alike(pair):
    assert differing_bytes(pair, lambda byte: form(f"X{byte}Y: z")) == []


def test_each_byte_in_a_value_is_treated_alike(pair):
    assert differing_bytes(pair, lambda byte: form(f"X: y{byte}z")) == []


def test_each_byte_at_the_end_of_a_value_is_treated_alike(pair):
    assert differing_bytes(pair, lambda byte: form(f"X: y{byte}")) == []


def test_each_byte_in_a_host_is_treated_alike(pair):
    assert differing_bytes(pair, lambda byte: form(host=f"Host: a{byte}b")) == []


def test_each_byte_at_the_end_of_a_host_is_treated_alike(pair):
    assert differing_bytes(pair, lambda byte: form(host=f"Host: a{byte}")) == []


@pytest.mark.extended
def test_each_byte_in_a_query_is_treated_alike(pair):
    visible = [byte for byte in BYTES if 0x21 <= byte < 0x7F]
    for byte in visible:
        pair.hot.outcome([get(f"/hot.bin?v={chr(byte)}z")] * WARM_UP)
    before = settled_hot_count(pair.hot.server)
    assert differing_bytes(pair, lambda byte: to(f"/hot.bin?v={byte}z")) == []
    # All of them but four at most can be in a target, and each of these requests has another one behind it.
    assert settled_hot_count(pair.hot.server) - before >= 2 * (len(visible) - 4)


def test_each_byte_before_a_request_is_treated_alike(pair):
    assert differing_bytes(pair, lambda byte: NEXT + byte.encode("latin-1") + NEXT) == []


# Pipelines

def post(body, *fields, path="/1.1/classes/TwoPaths"):
    return form(*fields, f"Content-Length: {len(body)}", line=f"POST {path} HTTP/1.1", body=body)


HOT = [get(target) for target in TARGETS] + [
    get("/hot.bin", method="HEAD"), get("/large.bin", method="HEAD"), get("/hot.bin", 'If-None-Match: "x"'),
    get("/hot.bin", "Connection: keep-alive"), get("/hot.bin", "Accept: */*", "User-Agent: x"),
    get("/hot.bin", f"If-None-Match: {TAG}"),
]
COLD = [
    get("/none.bin"), get("/health"), get("/hot.bin", "Range: bytes=0-1"), get("/hot.bin", "If-Modified-Since: x"),
    post(b'{"n":1}', *KEYS), post(NEXT, *KEYS), post(NEXT), post(b"x" * 5000), get("/hot.bin", "Connection: close"),
    form("Transfer-Encoding: chunked", body=chunk(NEXT) + LAST_CHUNK), form("Content-Length: 5", body=b"GET /"),
    b"\r\n" + NEXT, get("/hot.bin", "Expect: 100-continue"), get("/hot.bin", method="OPTIONS"),
    form(line="GET /hot.bin HTTP/1.0"), get("/hot.bin", method="DELETE"),
]
# Each request for which the handler stays or leaves, behind and before hot ones.
MIXED = {
    "unknown key": [NEXT, get("/none.bin"), NEXT],
    "health": [NEXT, get("/health"), NEXT, NEXT],
    "record": [NEXT, post(b'{"n":1}', *KEYS), NEXT, get("/hot.bin", method="HEAD"), NEXT],
    "record that is a request": [NEXT, post(NEXT, *KEYS), NEXT],
    "chunks": [NEXT, form("Transfer-Encoding: chunked", body=chunk(NEXT) + LAST_CHUNK), NEXT],
    "range": [NEXT, get("/medium.bin", "Range: bytes=5-9"), get("/medium.bin"), NEXT],
    "all hot": [*HOT[:4], NEXT, get("/hot.bin", 'If-None-Match: "x"'), NEXT],
    "unmodified": [NEXT, get("/hot.bin", f"If-None-Match: {TAG}"), NEXT],
    "large files": [get("/large.bin"), get("/none.bin"), get("/large.bin"), get("/large.bin"), NEXT],
    "all": [
        NEXT, get("/large.bin"), post(b'{"n":1}', *KEYS), NEXT, get("/none.bin"), get("/hot.bin", method="HEAD"),
        get("/hot.bin", 'If-None-Match: "x"'), get("/health"), get("/medium.bin"), get("/hot.bin", "Connection: close"),
        NEXT,
    ],
}


@pytest.mark.parametrize("name", MIXED)
def test_pipeline_in_one_write(pair, name):
    pair.assert_same([b"".join(MIXED[name])])


@pytest.mark.parametrize("name", MIXED)
def test_pipeline_in_a_write_for_each_request(pair, name):
    pair.assert_same(MIXED[name])


@pytest.mark.few(2)
@pytest.mark.parametrize("name", MIXED)
def test_pipeline_in_two_writes(pair, name):
    data = b"".join(MIXED[name])
    ends = {sum(map(len, MIXED[name][:number])) for number in range(1, len(MIXED[name]))}
    # At each end, and a byte before or behind it in turn.
    shifts = [(-1, 0, 1)] if EXHAUSTIVE else [(-1, 0), (0, 1)]
    near = {end + shift for number, end in enumerate(sorted(ends)) for shift in shifts[number % len(shifts)]}
    between = set(chance(name).sample(range(1, len(data)), count(2, len(data) - 1)))
    cuts = sorted(cut for cut in near | between if 0 < cut < len(data))
    assert [cut for cut in cuts if pair.differs([data[:cut], data[cut:]])] == []


def test_pipeline_byte_by_byte(pair):
    data = b"".join([NEXT, get("/none.bin"), NEXT, post(b'{"n":1}', *KEYS), NEXT])
    pair.assert_same([bytes([byte]) for byte in data])


@pytest.mark.extended
def test_pipeline_of_200_requests(pair):
    random = chance("200")
    # Behind the first one that is not hot all go to the decoder.
    requests = [random.choice(HOT) for _ in range(100)] + [random.choice(HOT + COLD[:8]) for _ in range(100)]
    outcome = pair.assert_same([b"".join(requests)])
    assert len(outcome.statuses) == 200


# At random

PIECES = [
    b"\r\n", b"\n", b"\r", b" ", b"\t", b":", b"\0", b"\x80", b"\xff", b"\x7f", b"/", b"//", b"%", b"%2f", b"?", b"#", b"a", b"0",
    b",", b'"', b"Host: a\r\n", b"Host: b\r\n", b"Content-Length: 0\r\n", b"Content-Length: 5\r\n",
    b"Transfer-Encoding: chunked\r\n", b"Connection: close\r\n", b"Connection: keep-alive\r\n", b"Range: bytes=0-1\r\n",
    b'If-None-Match: "x"\r\n', b"X: y\r\n", b"X: y\r\n z\r\n", b"GET ", b"HEAD ", b"HTTP/1.1", b"HTTP/1.0", b"0\r\n\r\n",
    b"\r\n\r\n", b"TE: trailers\r\n", b"Proxy-Connection: close\r\n", b"Expect: 100-continue\r\n", NEXT,
]


def mutated(random, data):
    """The bytes with up to three changes."""
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        start = random.randrange(len(data) + 1)
        end = min(len(data), start + random.choice([1, 1, 1, 2, 4, 10, 30]))
        change = random.choice(["delete", "duplicate", "swap", "insert", "replace"])
        if change == "delete":
            del data[start:end]
        elif change == "duplicate":
            data[start:start] = data[start:end]
        elif change == "swap" and end < len(data):
            data[start], data[end] = data[end], data[start]
        elif change == "insert":
            data[start:start] = random.choice(PIECES)
        elif change == "replace":
            data[start:end] = random.choice(PIECES)
    return bytes(data)


def pipeline(random):
    """Two to six requests in one or two writes: most of them hot, some of them changed, above all the first."""
    requests = [random.choice(HOT if random.random() < 0.8 else COLD) for _ in range(random.randrange(1, 6))]
    changed = (random.random() < (0.35 if number == 0 else 0.2) for number in range(len(requests)))
    data = b"".join(mutated(random, one) if change else one for one, change in zip(requests, changed)) + NEXT
    cut = random.randrange(1, len(data))
    # Malformed chunks that arrive behind their head can be noticed before or after the response is written, and a body
    # for which the client seems to wait can arrive before or after it.
    if b"Transfer-Encoding" in data or b"100-continue" in data or random.random() < 0.5:
        return [data]
    return [data[:cut], data[cut:]]


@pytest.mark.extended
def test_random_pipelines(pair):
    cases = count(150, 20_000)
    before = settled_hot_count(pair.hot.server)
    for number in range(cases):
        pieces = pipeline(chance(f"two paths {number}"))
        if pair.differs(pieces):
            data = b"".join(pieces)
            pair.assert_same([pair.shortest(data)] if pair.differs([data]) else pieces)
    # Behind the first request that is not hot none is, if all came in one read.
    assert settled_hot_count(pair.hot.server) - before >= cases // 2
