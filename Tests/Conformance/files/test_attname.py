"""?attname=: a file that is saved under a name instead of shown."""

import re
from urllib.parse import quote, unquote

import pytest
from client import assert_refused, head

DATA = b"0123456789"
# What may stand unescaped in filename* (RFC 8187), and a header as RFC 6266 has it.
PLAIN = re.compile(r"(?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-F]{2})*")
FORM = re.compile(r'''attachment(?:; *filename=(?P<token>[^";, ]+|"(?P<quoted>(?:[^"\\\x00-\x1f\x7f]|\\["\\])*)"))?'''
                  r'''(?:; *filename\*=UTF-8''(?P<extended>[^;, ]*))?''')


@pytest.fixture(scope="module")
def url(api):
    return api.store(DATA, name="numbers.txt")["url"]


def parsed(response):
    """The header's plain name and its extended one; it must have the form of RFC 6266."""
    header = response.headers["Content-Disposition"]
    match = FORM.fullmatch(header)
    assert match and header.isascii(), header
    quoted, extended = match["quoted"], match["extended"]
    plain = match["token"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
    assert extended is None or PLAIN.fullmatch(extended), header
    return plain, None if extended is None else unquote(extended, errors="strict")


def name_of(response):
    """The name that a browser saves under: the extended one counts."""
    plain, extended = parsed(response)
    return plain if extended is None else extended


def ask(api, url, name, method="GET", **headers):
    return api.fetch(f"{url}?attname={quote(name, safe='')}", method, **headers)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_named_file_is_an_attachment(api, url, method):
    response = ask(api, url, "report.pdf", method)
    assert response.status_code == 200
    assert name_of(response) == "report.pdf"
    assert response.content == (DATA if method == "GET" else b"")


def test_plain_name_is_there_for_old_clients(api, url):
    assert parsed(ask(api, url, "report.pdf"))[0] == "report.pdf"


@pytest.mark.parametrize("query", ["", "?", "?v=1", "?name=x.txt", "?Attname=x.txt", "?xattname=x.txt"])
def test_file_that_is_not_named_is_shown(api, url, query):
    assert "Content-Disposition" not in api.fetch(url + query).headers


NAMES = [
    "my report.pdf", "照片 一.jpg", "😀.png", "Ünï.txt", "100%.txt", "%41.txt", "a+b&c=d.txt", "semi;colon.txt",
    "comma,.txt", "it's.txt", "star*.txt", "a=b.txt", "(round) [square] {curly}.txt", "tilde~^`|.txt", "no extension",
    ".hidden", "a" * 200, "€ rates", "£ and € rates", "naïve file.txt", "foo-%c3%a4-%e2%82%ac.html", "foo-ä.html",
    "%20 %2F %00.txt", "=?UTF-8?Q?foo=2D=C3=A4=2Ehtml?=", "filename=x; size=1",
    # Joiners are part of words and of emoji, tag characters of flags.
    "می\u200cخواهم.txt", "👨\u200d👩\u200d👧.png", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f.png",
]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name[:16]))
def test_any_name_comes_back_whole(api, url, name):
    assert name_of(ask(api, url, name)) == name


@pytest.mark.parametrize("name", [
    'quo"te.txt', "back\\slash.txt", '"', '\\"', '";x="y.txt', "a\\", '"; filename*=UTF-8\'\'evil.html',
])
def test_quotes_end_no_name(api, url, name):
    plain, extended = parsed(ask(api, url, name))
    assert "evil.html" not in (plain, extended)


def test_name_beyond_ascii_has_both_forms(api, url):
    plain, extended = parsed(ask(api, url, "照片.jpg"))
    assert extended == "照片.jpg"
    assert plain is None or plain.isascii()


@pytest.mark.parametrize("name", [
    "a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rX-Evil: 1", "\r\n\r\n<script>alert(1)</script>", "a\0b", "a\x1bb", "a\x7fb",
    "a\x85b", "a\u2028b", "tab\there",
], ids=ascii)
def test_control_characters_are_in_no_header(api, url, name):
    response = ask(api, url, name)
    assert (response.status_code, response.content) == (200, DATA)
    assert "X-Evil" not in response.headers
    assert not re.search(r"[\x00-\x1f\x7f]", response.headers.get("Content-Disposition", ""))
    assert not re.search(r"[\x00-\x1f\x7f]", name_of(response) or "")


@pytest.mark.parametrize("name", [
    "../../etc/passwd", "/etc/passwd", "a/b.txt", "..\\..\\autoexec.bat", "C:\\x.txt", "a/\u0308b.txt", "a\\\u0308b.txt",
], ids=ascii)
def test_saved_name_is_no_path(api, url, name):
    response = ask(api, url, name)
    assert response.status_code == 200
    for seen in parsed(response):
        assert seen is None or not set(seen) & set("/\\") and seen not in (".", "..")


@pytest.mark.parametrize("name", ["..", "."])
def test_folder_is_no_name(api, url, name):
    response = ask(api, url, name)
    assert response.status_code == 200
    assert "Content-Disposition" not in response.headers


@pytest.mark.few(2)
@pytest.mark.parametrize("mark", "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", ids=ascii)
def test_name_is_not_turned_around(api, url, mark):
    # U+202E shows what follows from right to left: cod.exe as a document.
    assert name_of(ask(api, url, f"report{mark}cod.exe")) == "reportcod.exe"


@pytest.mark.parametrize("query", ["attname=", "attname=&v=1", "attname=%", "attname=/", "attname=%2F%5C"])
def test_empty_name_serves_the_file(api, url, query):
    response = api.fetch(f"{url}?{query}")
    assert (response.status_code, response.content) == (200, DATA)
    if "Content-Disposition" in response.headers:
        assert parsed(response)[0] != ""


@pytest.mark.parametrize("query", [
    "attname=%ff.txt", "attname=%c3%28", "attname=%zz", "attname=a%", "attname=%ed%a0%80",
])
def test_broken_escapes_break_no_header(api, url, query):
    response = api.fetch(f"{url}?{query}")
    assert (response.status_code, response.content) == (200, DATA)
    assert "Content-Disposition" not in response.headers or parsed(response)


def test_very_long_name_breaks_nothing(api, url):
    response = ask(api, url, "n" * 4000)
    assert response.status_code == 200
    assert len(response.headers.get("Content-Disposition", "")) < 10_000


@pytest.mark.parametrize("query", [
    "attname=x.txt&v=1", "v=1&attname=x.txt", "e=1&token=2&attname=x.txt", "attname=x.txt&attname=x.txt",
])
def test_name_stands_among_other_parameters(api, url, query):
    response = api.fetch(f"{url}?{query}")
    assert (name_of(response), response.content) == ("x.txt", DATA)


def test_plus_is_a_plus_or_a_blank(api, url):
    assert name_of(api.fetch(f"{url}?attname=a+b.txt")) in ("a+b.txt", "a b.txt")


# With everything else

def test_part_of_a_named_file(api, url):
    response = ask(api, url, "x.txt", Range="bytes=2-4")
    assert (response.status_code, response.content) == (206, DATA[2:5])
    assert response.headers["Content-Range"] == "bytes 2-4/10"
    assert name_of(response) == "x.txt"


def test_range_beyond_the_end_of_a_named_file(api, url):
    assert ask(api, url, "x.txt", Range="bytes=10-").status_code == 416


def test_known_etag_of_a_named_file_gives_304(api, url):
    etag = ask(api, url, "x.txt").headers["ETag"]
    response = ask(api, url, "x.txt", If_None_Match=etag)
    assert (response.status_code, response.content) == (304, b"")


@pytest.mark.parametrize("header", [
    "Content-Type", "Content-Length", "ETag", "Last-Modified", "Cache-Control", "Accept-Ranges",
    "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "X-Content-Type-Options",
])
def test_name_changes_no_other_header(api, url, header):
    assert ask(api, url, "page.html").headers[header] == api.fetch(url).headers[header]


def test_named_page_stays_in_its_sandbox(api):
    url = api.store(b"<script>alert(1)</script>", name="page.html")["url"]
    response = ask(api, url, "photo.jpg")
    assert response.headers["Content-Type"].split(";")[0] == "text/html"
    assert "sandbox" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_named_thumbnail(api, rocket, method):
    url = api.store(rocket)["url"]
    response = api.fetch(f"{url}?imageView/2/w/20&attname=small.jpg", method)
    assert (response.status_code, response.headers["Content-Type"]) == (200, "image/jpeg")
    assert name_of(response) == "small.jpg"
    assert int(response.headers["Content-Length"]) < len(rocket)


def test_part_of_a_named_thumbnail(api, rocket):
    url = f"{api.store(rocket)['url']}?imageView/2/w/20"
    response = api.fetch(f"{url}&attname=small.jpg", Range="bytes=0-9")
    assert (response.status_code, response.content) == (206, api.fetch(url).content[:10])
    assert name_of(response) == "small.jpg"


def test_name_in_front_of_image_words_gives_the_original(api, rocket):
    url = api.store(rocket)["url"]
    response = api.fetch(f"{url}?attname=x.jpg&imageView/2/w/20")
    assert (name_of(response), response.content) == ("x.jpg", rocket)


def test_refusals_have_no_name(api, server, url):
    missing = ask(api, f"{server.url}/{'0' * 32}.jpg", "x.jpg")
    assert_refused(missing, 404, 404)
    bad = api.fetch(f"{url}?imageView/9&attname=x.jpg")
    assert_refused(bad, 400, 400)
    assert not [one for one in (missing, bad) if "Content-Disposition" in one.headers]


def test_refused_head_has_no_body(server):
    # A client takes what follows the head for the next answer.
    with server.raw() as connection:
        connection.send(head("HEAD", f"/{'0' * 32}.jpg?attname=x.jpg", {"Connection": "close"}))
        received = b"".join(iter(lambda: connection.socket.recv(65536), b""))
    assert received.startswith(b"HTTP/1.1 404 ")
    assert received.endswith(b"\r\n\r\n")


def test_url_of_a_kept_name_takes_another_name(api):
    url = api.store(b"kept", name="照片.txt", keep_file_name="true")["url"]
    response = ask(api, url, "photo.txt")
    assert (name_of(response), response.content) == ("photo.txt", b"kept")
