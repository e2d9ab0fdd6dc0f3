"""Copying in: files that the server fetches from a URL and keeps as its own."""

import gzip
import hashlib
import json
import select
from threading import Event

import pytest
from client import ALPHA, BETA, Server, assert_refused, chunk, credentials, eventually, head
from data import ID, TIME, assert_400, at_once, texts
from elsewhere import (
    Elsewhere, answer, cut_off, drip, endless, endless_head, held, link, opening, raw, record, redirect, silence,
    unfinished, unmeasured,
)
from people import ALLOWED, BOTH, READ, Cast, Rules, assert_forbidden, forbidden, one_of_each
from pictures import encoded, plain

pytestmark = pytest.mark.long

OPEN = "127.0.0.1/32"
DATA = hashlib.shake_128(b"copied").digest(3_000_000)
PNG, JPEG = encoded(plain(4, 4)), encoded(plain(4, 4), "JPEG")
HTML = b"<!DOCTYPE html><html><body>page</body></html>"
FAST = {"LCFILE_FETCH_ALLOWED_NETWORKS": OPEN}


@pytest.fixture(scope="module")
def elsewhere():
    elsewhere = Elsewhere()
    yield elsewhere
    elsewhere.close()


@pytest.fixture(scope="module")
def fetching(tmp_path_factory):
    """A server that may fetch from this machine."""
    server = Server(tmp_path_factory.mktemp("fetching"), apps=(ALPHA, BETA), **FAST).start()
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture(scope="module")
def api(fetching):
    return fetching.api()


@pytest.fixture(scope="module")
def cast(fetching):
    return Cast(fetching)


@pytest.fixture
def rules(cast):
    rules = Rules(cast.master)
    yield rules
    rules.restore()


@pytest.fixture
def start(new_server):
    """Starts a server of the test's own that may fetch from this machine."""
    return lambda **settings: new_server(**FAST | settings).start()


@pytest.fixture(scope="module")
def limited(tmp_path_factory):
    """Gives a server with these settings, which is started for the first test that wants it."""
    servers = {}

    def given(**settings):
        key = tuple(settings.items())
        if key not in servers:
            servers[key] = Server(tmp_path_factory.mktemp("limited"), **FAST | settings).start()
        return servers[key]

    yield given
    for server in servers.values():
        assert server.stop() == 0


@pytest.fixture
def nothing_is_kept(fetching, api, afterwards):
    """After the test there are as many files as before, and nothing on its way in."""
    before = api.count(), len(fetching.blobs_at_rest())

    def check():
        assert_nothing_is_staged(fetching)
        assert (api.count(), len(fetching.blobs())) == before

    afterwards(check)


def assert_nothing_is_staged(server):
    assert eventually(lambda: unfinished(server) == []), unfinished(server)


def files_of(server):
    return server.api().count(), len(server.blobs())


def assert_nothing_is_kept(server, before=(0, 0)):
    assert_nothing_is_staged(server)
    assert files_of(server) == before


def fetch(api, url, path="files", **fields):
    return api.post(f"/1.1/{path}", json={"url": url, "fetch": True} | fields)


def copied(api, url, **fields):
    """The record of what must be copied in."""
    response = fetch(api, url, **fields)
    assert response.status_code == 201, response.text
    return response.json()


@pytest.fixture(scope="module", autouse=True)
def too_slow(tmp_path_factory, elsewhere):
    """A fetch from a source that is too slow, while the other tests run: it is given half a minute."""
    server = Server(tmp_path_factory.mktemp("slow"), LCFILE_FETCH_MIN_SPEED="1000000", **FAST).start()
    url = elsewhere.offer(drip(b"x" * 1000))
    with begin(server, url) as connection:
        yield server, connection, arrived(elsewhere, url)
    assert server.stop() == 0


def begin(server, url):
    """Sends a request for a copy on a connection of its own, and does not wait for its answer."""
    data = json.dumps({"url": url, "fetch": True}).encode()
    headers = credentials() | {"Content-Type": "application/json", "Content-Length": len(data)}
    connection = server.raw()
    connection.send(head("POST", "/1.1/files", headers) + data)
    return connection


def arrived(elsewhere, url):
    """Waits for a request for the URL."""
    assert eventually(lambda: elsewhere.visits_of(url)), "nobody asked for the file"
    return elsewhere.visits_of(url)[0]


# What is made

@pytest.mark.parametrize("path", ["files", "classes/_File"])
def test_record_is_that_of_an_upload(api, fetching, elsewhere, path):
    url = elsewhere.offer(answer(PNG, type="image/png"), "pixel.png")
    response = fetch(api, url, path)
    assert response.status_code == 201, response.text
    made = response.json()
    assert ID.fullmatch(made["objectId"]) and TIME.fullmatch(made["createdAt"])
    assert made == {
        "objectId": made["objectId"], "key": made["key"], "createdAt": made["createdAt"],
        "updatedAt": made["createdAt"], "name": "pixel.png", "url": f"{fetching.url}/{made['key']}",
        "mime_type": "image/png", "bucket": ALPHA.id[:8], "provider": "s3", "metaData": {
            "size": len(PNG), "_checksum": hashlib.md5(PNG).hexdigest(), "owner": "unknown", "__sourceURL": url,
        },
    }
    assert record(api, made["objectId"]) == made


@pytest.mark.parametrize("offered", [
    lambda data: answer(data), lambda data: unmeasured(data),
    lambda data: raw(opening(Transfer_Encoding="chunked") + chunk(data[:1000]) + chunk(data[1000:]) + b"0\r\n\r\n"),
], ids=["with its length", "up to the end", "in chunks"])
def test_bytes_are_equal(api, elsewhere, offered):
    made = copied(api, elsewhere.offer(offered(DATA)))
    assert made["metaData"]["size"] == len(DATA)
    assert api.fetch(made["url"]).content == DATA


def test_empty_file_is_copied(api, elsewhere):
    made = copied(api, elsewhere.offer(answer(b"")))
    assert made["metaData"]["size"] == 0
    assert api.fetch(made["url"]).content == b""


def test_packed_file_stays_packed(api, elsewhere):
    data = gzip.compress(b"text " * 1000)
    made = copied(api, elsewhere.offer(answer(data, type="application/gzip"), "text.gz"))
    assert api.fetch(made["url"]).content == data


def test_copy_stays_when_the_source_is_gone(api, elsewhere):
    url = elsewhere.offer(answer(b"first"))
    made = copied(api, url)
    elsewhere.offer(answer(status=404))
    assert api.fetch(made["url"]).content == b"first"
    assert len(elsewhere.visits_of(url)) == 1


def test_each_copy_is_a_file_of_its_own(api, elsewhere):
    url = elsewhere.offer(answer(b"twice"))
    first, second = copied(api, url), copied(api, url)
    assert first["key"] != second["key"] and first["objectId"] != second["objectId"]
    assert len(elsewhere.visits_of(url)) == 2


def test_copied_picture_has_thumbnails(api, elsewhere):
    made = copied(api, elsewhere.offer(answer(PNG), "pixel.png"))
    assert api.fetch(made["url"] + "?imageView/2/w/2").status_code == 200


@pytest.mark.parametrize("path, name", [
    ("photo.jpg", "photo.jpg"), ("a/b/photo.jpg?w=5&x=/y.png", "photo.jpg"), ("my%20photo.jpg", "my photo.jpg"),
    ("%E7%85%A7%E7%89%87.jpg", "照片.jpg"), ("no-extension", "no-extension"), ("100%25.jpg", "100%.jpg"),
    ("n" * 255, "n" * 255), ("n" * 256, "file"),
], ids=lambda text: text[:12])
def test_name_comes_from_the_url(api, elsewhere, path, name):
    assert copied(api, elsewhere.offer(answer(JPEG), path))["name"] == name


def test_given_name_counts(api, elsewhere):
    made = copied(api, elsewhere.offer(answer(b"x"), "photo.jpg"), name="mine.txt")
    assert (made["name"], made["key"].split(".")[-1]) == ("mine.txt", "txt")


@pytest.mark.parametrize("path", [
    "a%2Fb.jpg", "..%2F..%2Fup.jpg", "a%00b.jpg", "a%0d%0ab.jpg", "a%5Cb.jpg", "%ff.jpg", "",
], ids=lambda path: path[:12])
def test_name_that_the_url_ends_in_obeys_the_rules(api, elsewhere, path):
    response = fetch(api, elsewhere.offer(answer(JPEG), path))
    if response.status_code == 201:
        name = response.json()["name"]
        assert name not in ("", ".", "..") and not set(name) & set("/\\\0\r\n") and len(name.encode()) <= 255
    else:
        assert_refused(response, 400, 122, "name")


@pytest.mark.parametrize("name", ["a/b.txt", "..", "a\nb", "n" * 256], ids=lambda name: ascii(name[:9]))
def test_bad_name_is_refused_before_anybody_is_asked(api, elsewhere, name):
    url = elsewhere.offer(answer(b"x"))
    assert_refused(fetch(api, url, name=name), 400, 122, "name")
    assert elsewhere.visits_of(url) == []


@pytest.mark.few(2)
@pytest.mark.parametrize("said", [
    None, "text/html", "application/octet-stream", "application/zip", "nonsense", "image/jpeg\tX",
], ids=str)
@pytest.mark.parametrize("data, type", [(PNG, "image/png"), (JPEG, "image/jpeg")], ids=["png", "jpeg"])
def test_type_is_that_of_the_bytes_when_the_source_lies(api, elsewhere, said, data, type):
    made = copied(api, elsewhere.offer(answer(data, type=said), "picture"))
    assert made["mime_type"] == type
    assert api.fetch(made["url"]).headers["Content-Type"] == type


def test_page_under_the_type_of_a_picture_is_no_picture(api, elsewhere):
    made = copied(api, elsewhere.offer(answer(HTML, type="image/png"), "picture"))
    assert made["mime_type"] == "text/html"


@pytest.mark.parametrize("said", ["text/css", "text/css; charset=utf-8", "TEXT/CSS"])
def test_type_of_text_is_what_the_source_says(api, elsewhere, said):
    assert copied(api, elsewhere.offer(answer(b"a { b: c }", type=said), "style"))["mime_type"] == "text/css"


def test_given_type_counts(api, elsewhere):
    url = elsewhere.offer(answer(PNG, type="image/png"), "picture")
    assert copied(api, url, mime_type="application/x-mine")["mime_type"] == "application/x-mine"


def test_given_meta_data_is_kept_beside_ours(api, elsewhere):
    url = elsewhere.offer(answer(b"abc"))
    seen = copied(api, url, metaData={"album": "summer", "size": 99})["metaData"]
    assert (seen["album"], seen["size"], seen["__sourceURL"]) == ("summer", 3, url)


def test_source_cannot_be_forged(api, elsewhere):
    url = elsewhere.offer(answer(b"abc"))
    seen = copied(api, url, metaData={"__sourceURL": "https://bank.example.org/"})["metaData"]
    assert seen["__sourceURL"] == url


@pytest.mark.parametrize("fields", [
    {"key": "robots.txt"}, {"bucket": "mine"}, {"provider": "qiniu"}, {"_size": 5},
], ids=str)
def test_other_fields_are_ignored(api, elsewhere, fields):
    made = copied(api, elsewhere.offer(answer(b"x")), **fields)
    assert made["key"] != "robots.txt"
    assert (made["bucket"], made["provider"], "_size" in made) == (ALPHA.id[:8], "s3", False)


def test_right_checksum_is_taken(api, elsewhere):
    digest = hashlib.md5(b"abc").hexdigest()
    made = copied(api, elsewhere.offer(answer(b"abc")), metaData={"_checksum": digest})
    assert made["metaData"]["_checksum"] == digest


@pytest.mark.usefixtures("nothing_is_kept")
def test_wrong_checksum_is_refused(api, elsewhere):
    assert_400(fetch(api, elsewhere.offer(answer(b"abc")), metaData={"_checksum": "0" * 32}), "_checksum")


def test_without_the_word_nobody_is_asked(api, elsewhere):
    url = elsewhere.offer(answer(b"x"))
    for more in ({}, {"fetch": False}, {"fetch": None}):
        assert record(api, link(api, url=url, **more))["url"] == url
    assert elsewhere.visits_of(url) == []


def test_copy_without_a_url_is_refused(api):
    assert_400(api.post("/1.1/files", json={"name": "x.txt", "fetch": True}), "url")


# What the source learns

def test_source_is_asked_once_with_get(api, elsewhere):
    url = elsewhere.offer(answer(b"x"), "photo.jpg?w=5")
    copied(api, url)
    visit, = elsewhere.visits_of(url)
    assert visit.line.split(" ")[0] == "GET"
    assert visit.headers["host"] == f"127.0.0.1:{elsewhere.port}"


def test_source_learns_nothing_of_the_caller(cast, elsewhere):
    url = elsewhere.offer(answer(b"x"))
    copied(cast.owner, url)
    visit, = elsewhere.visits_of(url)
    assert not {"cookie", "authorization", "referer", "x-forwarded-for"} & set(visit.headers)
    assert not [name for name in visit.headers if name.startswith(("x-lc", "x-avoscloud", "x-uluru"))]
    said = " ".join(visit.headers.values())
    assert not any(secret in said for secret in (cast.owner.token, ALPHA.id, ALPHA.key, ALPHA.master))


def test_cookie_of_a_source_is_not_brought_back(api, elsewhere):
    second = elsewhere.offer(answer(b"x"))
    copied(api, elsewhere.offer(answer(status=302, Location=second, Set_Cookie="a=b; Path=/")))
    copied(api, second)
    assert not any("cookie" in visit.headers for visit in elsewhere.visits_of(second))


@pytest.mark.extended
@pytest.mark.disk
def test_proxy_of_the_environment_is_not_used(start, elsewhere):
    proxy = Elsewhere()
    try:
        names = ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
        server = start(**{name: proxy.url() for name in names})
        assert copied(server.api(), elsewhere.offer(answer(b"straight")))["metaData"]["size"] == 8
        assert proxy.visitors() == 0
    finally:
        proxy.close()


# Who may

@pytest.mark.parametrize("audience, caller", one_of_each(ALLOWED))
def test_copy_is_for_whom_create_is_open(cast, rules, elsewhere, audience, caller):
    rules.set("_File", create=cast.words(audience))
    url = elsewhere.offer(answer(b"x"))
    response = fetch(cast[caller], url)
    if caller in ALLOWED[audience]:
        assert response.status_code == 201, response.text
    else:
        assert_forbidden(response, forbidden("create", "_File"))
        assert elsewhere.visits_of(url) == []


@pytest.mark.usefixtures("nothing_is_kept")
def test_caller_who_lost_the_right_meanwhile_gets_nothing(cast, fetching, rules, elsewhere):
    gate = Event()
    url = elsewhere.offer(held(b"late", gate))
    with begin(fetching, url) as connection:
        arrived(elsewhere, url)
        rules.set("_File", create=["users"])
        gate.set()
        response = connection.answer()
        assert (response.status, json.loads(response.content)) == (403, forbidden("create", "_File"))


@pytest.mark.parametrize("caller", ["guest", "owner", "master"])
def test_owner_is_who_asked_for_it(cast, elsewhere, caller):
    expected = cast.owner.id if caller == "owner" else "unknown"
    assert copied(cast[caller], elsewhere.offer(answer(b"x")))["metaData"]["owner"] == expected


def test_copy_gets_the_given_acl(cast, elsewhere):
    acl = {cast.owner.id: BOTH}
    id = copied(cast.owner, elsewhere.offer(answer(b"x")), ACL=acl)["objectId"]
    assert cast.master.get(f"/1.1/files/{id}", params={"returnACL": "true"}).json()["ACL"] == acl
    assert cast.other.get(f"/1.1/files/{id}").status_code == 403


def test_copy_gets_the_default_acl_of_its_class(cast, rules, elsewhere):
    rules.set("_File", defaultACL={"*": READ, "owner": BOTH})
    id = copied(cast.owner, elsewhere.offer(answer(b"x")))["objectId"]
    seen = cast.master.get(f"/1.1/files/{id}", params={"returnACL": "true"}).json()["ACL"]
    assert seen == {"*": READ, cast.owner.id: BOTH}


def test_bad_acl_is_refused_before_anybody_is_asked(api, elsewhere):
    url = elsewhere.offer(answer(b"x"))
    assert_refused(fetch(api, url, ACL={"*": True}), 400, 123, "ACL")
    assert elsewhere.visits_of(url) == []


def test_copy_belongs_to_the_app_that_asked(fetching, elsewhere):
    id = copied(fetching.api(BETA), elsewhere.offer(answer(b"x")))["objectId"]
    assert_refused(fetching.api().get(f"/1.1/files/{id}"), 404, 101)


# Redirects

@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_followed(api, elsewhere, status):
    target = elsewhere.offer(answer(b"there"))
    made = copied(api, elsewhere.offer(redirect(target, status)))
    assert api.fetch(made["url"]).content == b"there"


def test_relative_redirect_is_followed(api, elsewhere):
    path = elsewhere.offer(answer(b"there")).removeprefix(elsewhere.url(""))
    assert copied(api, elsewhere.offer(redirect(path)))["metaData"]["size"] == 5


def chain(elsewhere, steps):
    """An address from which so many redirects lead to a file."""
    url = elsewhere.offer(answer(b"there"))
    for _ in range(steps):
        url = elsewhere.offer(redirect(url))
    return url


def test_five_redirects_are_followed(api, elsewhere):
    assert copied(api, chain(elsewhere, 5))["metaData"]["size"] == 5


@pytest.mark.usefixtures("nothing_is_kept")
@pytest.mark.parametrize("steps", [6, 20])
def test_more_redirects_are_refused(api, elsewhere, steps):
    assert_400(fetch(api, chain(elsewhere, steps)))


@pytest.mark.usefixtures("nothing_is_kept")
def test_redirect_to_itself_is_refused(api, elsewhere):
    url = elsewhere.offer(answer())
    elsewhere.answers[url.removeprefix(elsewhere.url(""))] = redirect(url)
    assert_400(fetch(api, url))
    assert len(elsewhere.visits_of(url)) <= 6


@pytest.mark.few(2)
@pytest.mark.usefixtures("nothing_is_kept")
@pytest.mark.parametrize("target", [
    "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "dict://127.0.0.1/x", "javascript:alert(1)",
    "data:text/plain,x", "http://", "http://[", "http://127.0.0.1:99999/", "", "scp://127.0.0.1/x", "smb://127.0.0.1/x",
    "tftp://127.0.0.1/x", "imap://127.0.0.1/x", "ldap://127.0.0.1/x", "telnet://127.0.0.1/x", "ws://127.0.0.1/x",
])
def test_redirect_to_another_scheme_is_refused(api, elsewhere, target):
    assert_400(fetch(api, elsewhere.offer(redirect(target))))


def test_body_of_a_redirect_is_no_part_of_the_file(api, elsewhere):
    target = elsewhere.offer(answer(b"there"))
    made = copied(api, elsewhere.offer(answer(b"moved", status=302, Location=target)))
    assert api.fetch(made["url"]).content == b"there"


# Sources that fail

FAILURES = {
    "404": answer(b"not here", status=404), "403": answer(b"no", status=403), "500": answer(b"no", status=500),
    "304": answer(status=304), "401": answer(status=401, WWW_Authenticate="Basic"),
    "redirect to nowhere": answer(status=302), "fewer bytes than announced": cut_off(b"abc", 1000),
    "none of the announced bytes": cut_off(b"", 1000), "chunks cut off": raw(
        opening(Transfer_Encoding="chunked") + chunk(b"abc")
    ), "broken chunks": raw(opening(Transfer_Encoding="chunked") + b"zz\r\nabc\r\n0\r\n\r\n"),
    "no HTTP": raw(b"SSH-2.0-OpenSSH_9.2\r\n"), "nothing": raw(b""), "half a head": raw(b"HTTP/1.1 200 OK\r\nContent-"),
    "negative length": raw(b"HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc"), "endless head": endless_head,
    "other part than asked": answer(b"abc", status=206, Content_Range="bytes 5-7/1000"),
}


@pytest.mark.few(2)
@pytest.mark.usefixtures("nothing_is_kept")
@pytest.mark.parametrize("failure", FAILURES)
def test_source_that_fails_is_said_and_nothing_is_kept(api, elsewhere, failure):
    assert_400(fetch(api, elsewhere.offer(FAILURES[failure])))


SECRET = b"secret of the inside"


@pytest.mark.usefixtures("nothing_is_kept")
@pytest.mark.parametrize("offered", [
    answer(SECRET, status=404), answer(SECRET, status=500, X_Said=SECRET.decode()), raw(SECRET),
    raw(b"HTTP/1.1 200 " + SECRET + b"\r\nContent-Length: 9\r\n\r\n" + SECRET[:6]),
], ids=["404", "500", "no HTTP", "cut off"])
def test_refusal_repeats_no_words_of_the_source(api, elsewhere, offered):
    response = fetch(api, elsewhere.offer(offered))
    assert_400(response)
    assert "secret" not in response.text


@pytest.mark.usefixtures("nothing_is_kept")
def test_refused_connection_is_said(api):
    gone = Elsewhere()
    gone.close()
    assert_400(fetch(api, gone.url("/photo.jpg")))


@pytest.mark.usefixtures("nothing_is_kept")
def test_tls_with_who_speaks_none_is_said(api, elsewhere):
    url = elsewhere.offer(answer(b"x")).replace("http:", "https:")
    assert_400(fetch(api, url))


def test_server_goes_on_after_every_failure(api, elsewhere):
    for failure in FAILURES.values():
        fetch(api, elsewhere.offer(failure))
    assert copied(api, elsewhere.offer(answer(b"good")))["metaData"]["size"] == 4


@pytest.mark.parametrize("url", [
    "file:///etc/passwd", "ftp://127.0.0.1/x", "javascript:alert(1)", "", "/photo.jpg", 5,
    "http://user:word@127.0.0.1/", "http://127.0.0.1/a\r\nX: 1", "http://127.0.0.1/a b",
], ids=ascii)
def test_rules_of_urls_hold_for_copies(api, url):
    assert_400(fetch(api, url), "url")


# Time and size

@pytest.mark.extended
@pytest.mark.parametrize("source", [silence, drip()], ids=["silent", "dripping"])
def test_source_that_takes_too_long_is_given_up(limited, elsewhere, source):
    server = limited(LCFILE_FETCH_TIMEOUT="1", LCFILE_FETCH_MIN_SPEED="1")
    before = files_of(server)
    url = elsewhere.offer(source)
    assert_400(fetch(server.api(), url))
    assert eventually(lambda: arrived(elsewhere, url).left)
    assert_nothing_is_kept(server, before)


@pytest.mark.extended
@pytest.mark.parametrize("setting", ["LCFILE_FETCH_MAX_SIZE", "LCFILE_UPLOADS_MAX_SIZE"])
def test_endless_source_ends_at_the_limit(limited, elsewhere, setting):
    server = limited(**{setting: "1MB"})
    before = files_of(server)
    url = elsewhere.offer(endless)
    assert_refused(fetch(server.api(), url), 413, 413, "1048576")
    assert eventually(lambda: arrived(elsewhere, url).left)
    assert_nothing_is_kept(server, before)


@pytest.mark.extended
@pytest.mark.parametrize("setting", ["LCFILE_FETCH_MAX_SIZE", "LCFILE_UPLOADS_MAX_SIZE"])
def test_announced_size_over_the_limit_is_refused_before_the_bytes(limited, elsewhere, setting):
    server = limited(**{setting: "1MB"})
    before, never = files_of(server), Event()
    url = elsewhere.offer(held(b"x" * ((1 << 20) + 1), never))
    assert_refused(fetch(server.api(), url), 413, 413, "1048576")
    assert_nothing_is_kept(server, before)


@pytest.mark.few(1)
@pytest.mark.parametrize("setting", ["LCFILE_FETCH_MAX_SIZE", "LCFILE_UPLOADS_MAX_SIZE"])
def test_file_of_exactly_the_limit_is_copied(limited, elsewhere, setting):
    server = limited(**{setting: "1MB"})
    for offered in (answer(b"x" * (1 << 20)), unmeasured(b"x" * (1 << 20))):
        assert copied(server.api(), elsewhere.offer(offered))["metaData"]["size"] == 1 << 20


@pytest.mark.extended
def test_packed_body_does_not_grow_beyond_the_limit(limited, elsewhere):
    server = limited(LCFILE_FETCH_MAX_SIZE="1MB")
    before = set(server.blobs())
    packed = gzip.compress(b"\0" * (64 << 20))
    response = fetch(server.api(), elsewhere.offer(answer(packed, Content_Encoding="gzip")))
    if response.status_code == 201:
        assert response.json()["metaData"]["size"] == len(packed)
    assert sum(path.stat().st_size for path in set(server.blobs()) - before) <= 1 << 20


@pytest.mark.extended
def test_quota_holds_for_copies(start, elsewhere):
    server = start(LCFILE_UPLOADS_QUOTA="1MB")
    copied(server.api(), elsewhere.offer(answer(b"x" * 600_000)))
    for offered in (answer(b"x" * 600_000), unmeasured(b"x" * 600_000)):
        assert_refused(fetch(server.api(), elsewhere.offer(offered)), 403, 140)
    assert_nothing_is_staged(server)
    assert server.api().count() == 1
    copied(server.api(), elsewhere.offer(answer(b"x" * 400_000)))


@pytest.mark.few(2)
@pytest.mark.parametrize("allowed, data, said, taken", [
    ("image/*", PNG, "image/png", True), ("image/*", PNG, "text/html", True), ("image/*", HTML, "image/png", False),
    ("!text/html;application/xhtml+xml", HTML, "text/html", False), ("!text/html", HTML, "text/plain", False),
    ("!text/html", b"a,b", "text/csv", True), ("image/*", b"a,b", "text/csv", False),
])
def test_allowed_types_hold_for_copies(limited, elsewhere, allowed, data, said, taken):
    server = limited(LCFILE_UPLOADS_ALLOWED_TYPES=allowed)
    before = files_of(server)
    response = fetch(server.api(), elsewhere.offer(answer(data, type=said), "thing"))
    if taken:
        assert response.status_code == 201, response.text
    else:
        assert_refused(response, 403, 403)
        assert_nothing_is_kept(server, before)


# Ends

@pytest.mark.usefixtures("nothing_is_kept")
@pytest.mark.parametrize("source", [silence, drip()], ids=["silent", "dripping"])
def test_client_that_leaves_ends_the_fetch(fetching, elsewhere, source):
    url = elsewhere.offer(source)
    with begin(fetching, url):
        visit = arrived(elsewhere, url)
        assert not visit.left
    assert eventually(lambda: visit.left), "the fetch went on for nobody"


@pytest.mark.usefixtures("nothing_is_kept")
def test_client_that_crashes_ends_the_fetch(fetching, elsewhere):
    url = elsewhere.offer(drip())
    connection = begin(fetching, url)
    visit = arrived(elsewhere, url)
    connection.reset()
    assert eventually(lambda: visit.left), "the fetch went on for nobody"


@pytest.mark.extended
@pytest.mark.disk
def test_server_that_was_killed_in_a_fetch_keeps_nothing(start, elsewhere):
    def beginning(visit):
        """More bytes than stay in memory, and no end."""
        visit.send(opening(length=8 << 20))
        visit.send(b"x" * (4 << 20))
        visit.wait()

    server = start()
    url = elsewhere.offer(beginning)
    with begin(server, url):
        assert eventually(lambda: arrived(elsewhere, url) and unfinished(server))
        server.kill()
    server.start()
    assert_nothing_is_kept(server)


@pytest.mark.extended
def test_fetch_does_not_keep_the_server_from_ending(start, elsewhere):
    server = start(LCFILE_HTTP_SHUTDOWN_TIMEOUT="1")
    url = elsewhere.offer(silence)
    with begin(server, url):
        arrived(elsewhere, url)
        server.terminate()
        server.wait()


# Many at once

def answered(connections):
    """Those on which an answer has begun."""
    ready, _, _ = select.select([connection.socket for connection in connections], [], [], 0)
    return [connection for connection in connections if connection.socket in ready]


@pytest.mark.extended
def test_fetches_beyond_the_queue_are_refused(start, elsewhere):
    server, gate = start(LCFILE_FETCH_THREADS="1", LCFILE_FETCH_MAX_QUEUED="1"), Event()
    url = elsewhere.offer(held(b"slow", gate))
    first = begin(server, url)
    arrived(elsewhere, url)
    others = [begin(server, url) for _ in range(4)]
    assert eventually(lambda: len(answered(others)) == 3), "one must wait and three be refused"
    refused = answered(others)
    waiting, = [connection for connection in others if connection not in refused]
    for response in [connection.answer() for connection in refused]:
        assert (response.status, json.loads(response.content)["code"]) == (429, 429)
        assert int(response.getheader("Retry-After")) > 0
    assert len(elsewhere.visits_of(url)) == 1
    gate.set()
    assert [connection.answer().status for connection in (first, waiting)] == [201, 201]


def test_fetches_go_on_after_a_flood(start, elsewhere):
    server = start(LCFILE_FETCH_THREADS="1", LCFILE_FETCH_MAX_QUEUED="1")
    url = elsewhere.offer(answer(b"x" * 100_000))
    statuses = {fetched.status_code for fetched in at_once(lambda _: fetch(server.api(), url), 32)}
    assert statuses <= {201, 429} and 201 in statuses
    assert copied(server.api(), url)["metaData"]["size"] == 100_000
    assert_nothing_is_staged(server)


@pytest.mark.extended
def test_uploads_go_on_while_fetches_wait(start, elsewhere):
    server, gate = start(LCFILE_FETCH_THREADS="1"), Event()
    url = elsewhere.offer(held(b"slow", gate))
    with begin(server, url):
        arrived(elsewhere, url)
        stored = server.api().store(b"meanwhile", name="x.txt")
        assert server.api().fetch(stored["url"]).content == b"meanwhile"
    gate.set()


def test_copies_at_once_do_not_mix(api, elsewhere):
    urls = [elsewhere.offer(answer(bytes([number]) * 200_000)) for number in range(16)]
    made = at_once(lambda number: copied(api, urls[number]), 16, 4)
    for number, one in enumerate(made):
        assert one["metaData"]["__sourceURL"] == urls[number]
        assert api.fetch(one["url"]).content == bytes([number]) * 200_000


def test_copy_is_found_as_other_files_are(api, elsewhere):
    made = copied(api, elsewhere.offer(answer(b"x")))
    for where in ({"key": made["key"]}, {"metaData.__sourceURL": made["metaData"]["__sourceURL"]}):
        assert api.get("/1.1/files", params=texts({"where": where})).json()["results"] == [made]


@pytest.mark.extended
def test_source_that_is_too_slow_is_given_up(too_slow):
    server, connection, visit = too_slow
    connection.socket.settimeout(60)
    response = connection.answer()
    assert (response.status, "fetch.minSpeed" in json.loads(response.content)["error"]) == (400, True)
    assert eventually(lambda: visit.left)
    assert_nothing_is_kept(server)
