"""Access to derivatives: every client that knows the URL of a file can request them, as it can the file."""

import pytest
import requests
from app_settings import configured
from cases import covering
from client import ALPHA, BETA, TIMEOUT, Server, credentials
from data import MISSING
from image_sources import COLOURS
from people import SUBJECTS, Cast, permit
from pictures import encoded
from uploading import url64

WORDS = "imageView2/2/w/59"
TAILS = {
    "file": "", "derivative": f"?{WORDS}", "chain": f"?{WORDS}|imageMogr2/rotate/90", "style": "-small",
    "slim": "?imageslim", "info": "?imageInfo", "exif": "?exif", "colour": "?imageAve", "stat": "?stat",
    "info of a chain": f"?{WORDS}|imageInfo", "styled question": "-info",
}
SETTINGS = {"alpha": {"styles": {"small": WORDS, "info": "imageInfo"}}}
KEYS = {
    "guest": credentials(), "master": {"X-LC-Id": ALPHA.id, "X-LC-Key": f"{ALPHA.master},master"},
    "another app": credentials(BETA), "wrong key": {"X-LC-Id": ALPHA.id, "X-LC-Key": "wrong-wrong"},
    "unknown app": {"X-LC-Id": "unknownApp", "X-LC-Key": ALPHA.key},
    "wrong master key": {"X-LC-Id": ALPHA.id, "X-LC-Key": f"{ALPHA.key},master"},
    "wrong signature": {"X-LC-Id": ALPHA.id, "X-LC-Sign": "0" * 32 + ",1700000000000"},
    "wrong session": credentials() | {"X-LC-Session": MISSING},
}
# What an answer is, and not when it was made.
HEADERS = ["Content-Type", "Content-Length", "ETag", "Last-Modified", "Cache-Control", "Vary"]


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    """A server of the module's own, whose first app has styles."""
    server = Server(tmp_path_factory.mktemp("public"))
    configured(server, **SETTINGS).start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def cast(public):
    return Cast(public)


def stored(cast, acl=None):
    """The URL of an image whose record has this ACL."""
    record = cast.master.store(encoded(COLOURS), name="picture.png")
    if acl is not None:
        path = f"/1.1/files/{record['objectId']}"
        assert cast.master.call("PUT", path, json={"ACL": acl}).status_code == 200
        assert cast.guest.get(path).status_code == (200 if "*" in acl else 403)
    return record["url"]


@pytest.fixture(scope="module")
def opened(cast):
    return stored(cast)


@pytest.fixture(scope="module")
def closed(cast):
    """The URL of an image whose record only the master key can read."""
    return stored(cast, {})


def asked(url, headers=None, method="GET"):
    """The status, the headers and the body that come back."""
    response = requests.request(method, url, headers=headers, timeout=TIMEOUT)
    return response.status_code, [response.headers.get(name) for name in HEADERS], response.content


@pytest.mark.few(2)
@pytest.mark.parametrize("tail, audience", covering(TAILS, [subject for subject in SUBJECTS if subject != "everyone"]))
def test_record_that_is_closed_closes_no_url(cast, opened, audience, tail):
    status, headers, content = asked(stored(cast, cast.acl(audience, read=True)) + TAILS[tail])
    expected = asked(opened + TAILS[tail])
    assert (status, content) == (expected[0], expected[2])
    assert headers[-2:] == expected[1][-2:]


@pytest.mark.parametrize("tail, keys", covering(TAILS, KEYS))
def test_keys_are_not_looked_at(closed, keys, tail):
    assert asked(closed + TAILS[tail], KEYS[keys]) == asked(closed + TAILS[tail])


@pytest.mark.parametrize("tail, caller", covering(TAILS, ["owner", "other", "member"]))
def test_user_is_not_looked_at(cast, closed, caller, tail):
    person = cast[caller]
    assert asked(closed + tail, person.headers) == asked(closed + tail)


@pytest.mark.parametrize("tail", TAILS.values(), ids=TAILS)
def test_head_of_a_closed_record_is_that_of_an_open_one(opened, closed, tail):
    assert asked(closed + tail, method="HEAD")[::2] == asked(opened + tail, method="HEAD")[::2]


@pytest.mark.parametrize("keys", [{}, *KEYS.values()], ids=["none", *KEYS])
def test_derivative_of_a_closed_record_may_be_kept_by_everybody(closed, keys):
    response = requests.get(f"{closed}?{WORDS}", headers=keys, timeout=TIMEOUT)
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "Vary" not in response.headers


def test_file_of_a_closed_record_is_a_mark(cast, opened):
    """A client that knows the URL can read the file, so a mark does not reveal hidden data."""
    mark = stored(cast, {})
    assert asked(f"{opened}?watermark/1/image/{url64(mark)}")[0] == 200


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_unknown_key_is_404_whoever_asks(public, keys):
    url = f"{public.url}/{'0' * 32}.png?{WORDS}"
    status, _, content = asked(url, keys)
    assert (status, content) == (404, asked(url)[2])


@pytest.fixture(scope="module")
def fenced(tmp_path_factory):
    """The URL of an image on a server whose files only the master key can read."""
    server = Server(tmp_path_factory.mktemp("fenced"))
    configured(server, **SETTINGS).start()
    record = server.api().store(encoded(COLOURS), name="picture.png")
    permit(server.api(master=True), "_File", get=[], find=[])
    assert server.api().get(f"/1.1/files/{record['objectId']}").status_code == 403
    yield record["url"]
    assert server.stop() == 0


@pytest.mark.parametrize("tail", TAILS.values(), ids=TAILS)
def test_class_that_is_closed_closes_no_url(fenced, opened, tail):
    assert asked(fenced + tail)[::2] == asked(opened + tail)[::2]
