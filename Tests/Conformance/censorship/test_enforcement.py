"""A blocked file is gone from every URL at once, and comes back when it is passed."""

import io
import json
import re
import threading

import pytest
from app_settings import configured
from cases import covering
from censoring import (
    PLAIN, assert_blocked, at_server, block, bytes_of, decided, image, photo, put, settings, state, status_of,
)
from client import ALPHA, Server
from elsewhere import Elsewhere, answer, link
from marks import image as mark
from people import unique
from PIL import Image
from uploading import noise

STYLE = {"small": "imageView2/2/w/40"}
OPERATORS = ["imageView2/2/w/60", "imageView2/2/w/60/format/webp", "imageMogr2/thumbnail/50x", "imageInfo", "exif",
             "imageAve", "imageslim", "imageView2/2/w/60|imageMogr2/rotate/90"]


@pytest.fixture(scope="module")
def elsewhere():
    elsewhere = Elsewhere()
    yield elsewhere
    elsewhere.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = configured(Server(tmp_path_factory.mktemp("enforcement"), **PLAIN), alpha={"styles": STYLE}).start()
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture(scope="module")
def api(server):
    return server.api()


@pytest.fixture
def file(server, api):
    """A new image with its URL at the server."""
    made = api.store(photo(unique("enforced"), 200, 150))
    return made | {"url": at_server(server, made["url"])}


@pytest.fixture
def restored(master):
    """Settings that end with the test."""
    yield
    settings(master, auto=False, hold=False, blockedImage=None, cacheSeconds=3600)


# Blocked

@pytest.mark.smoke
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("headers", [
    {}, {"Range": "bytes=0-9"}, {"Range": "bytes=-5"}, {"If_None_Match": '"x"'},
    {"If_Modified_Since": "Mon, 01 Jan 2035 00:00:00 GMT"},
], ids=str)
def test_blocked_file_answers_403_with_no_store(api, master, file, method, headers):
    assert status_of(api, file["url"]) == 200
    block(master, file["objectId"])
    assert_blocked(api.fetch(file["url"], method, **headers))


def test_blocked_file_is_not_unmodified(api, master, file):
    tag = api.fetch(file["url"]).headers["ETag"]
    assert status_of(api, file["url"], If_None_Match=tag) == 304
    block(master, file["objectId"])
    assert_blocked(api.fetch(file["url"], If_None_Match=tag))


@pytest.mark.each_value
@pytest.mark.parametrize("words", OPERATORS)
@pytest.mark.parametrize("cached", [False, True], ids=["new", "cached"])
def test_nothing_is_made_of_a_blocked_file(api, master, file, words, cached):
    url = f"{file['url']}?{words}"
    if cached:
        # These images have no EXIF data.
        assert status_of(api, url) == (400 if words == "exif" else 200)
    block(master, file["objectId"])
    assert_blocked(api.fetch(url))


@pytest.mark.parametrize("cached", [False, True], ids=["new", "cached"])
def test_style_of_a_blocked_file_is_blocked(api, master, file, cached):
    url = f"{file['url']}-small"
    if cached:
        assert status_of(api, url) == 200
    block(master, file["objectId"])
    assert_blocked(api.fetch(url))


@pytest.mark.parametrize("more", ["?attname=a.jpg", "?v=1", "?x-oss-process=image/info", "?imageView2/2/w/60&v=2"])
def test_query_strings_do_not_help(api, master, file, more):
    block(master, file["objectId"])
    assert_blocked(api.fetch(file["url"] + more))


def test_hot_file_is_blocked(api, master, file):
    for _ in range(20):
        assert status_of(api, file["url"]) == 200
    block(master, file["objectId"])
    for _ in range(5):
        assert_blocked(api.fetch(file["url"]))


def test_content_address_of_a_stored_file_is_blocked(server, api, master, file):
    url = f"{server.url}/1.1/files/{file['objectId']}/content"
    block(master, file["objectId"])
    assert_blocked(api.fetch(url))
    assert_blocked(api.fetch(url + "?imageView2/2/w/60"))


# The type that the record of a file on another server declares, if it does.
DECLARED = [{"mime_type": "image/jpeg"}, {"mime_type": "application/octet-stream"}, {"mime_type": "text/plain"}, {}]


def far(server, api, elsewhere, data, type, **fields):
    """The record of a file on another server: its id, and its addresses here."""
    id = link(api, elsewhere.offer(answer(data, type=type), "far"), **fields)
    return id, [f"{server.url}/1.1/files/{id}/content{more}" for more in ("", "?imageView2/2/w/60")]


@pytest.mark.parametrize("fields, cached", covering(DECLARED, [False, True]), ids=str)
def test_image_on_another_server_is_blocked_here(server, api, master, elsewhere, fields, cached):
    id, urls = far(server, api, elsewhere, photo(unique("far")), "image/jpeg", **fields)
    if cached:
        assert [status_of(api, url) for url in urls] == [200, 200]
    block(master, id)
    for url in urls:
        assert_blocked(api.fetch(url))


@pytest.mark.parametrize("cached", [False, True], ids=["new", "cached"])
def test_watermark_of_a_blocked_file_is_not_drawn(api, master, file, cached):
    base = api.store(photo(unique("base"), 300, 200))["url"]
    url = f"{at_server(api.server, base)}?watermark/1{mark(file['url'])}"
    if cached:
        assert status_of(api, url) == 200
    block(master, file["objectId"])
    assert_blocked(api.fetch(url))


def test_watermark_on_a_blocked_file_is_refused(api, master, file):
    sign = at_server(api.server, api.store(photo(unique("sign"), 30, 20))["url"])
    url = f"{file['url']}?watermark/1{mark(sign)}"
    assert status_of(api, url) == 200
    block(master, file["objectId"])
    assert_blocked(api.fetch(url))


def test_pass_brings_everything_back(api, master, file):
    before = api.fetch(file["url"])
    urls = [file["url"], f"{file['url']}?imageView2/2/w/60", f"{file['url']}-small"]
    for round in range(3):
        block(master, file["objectId"])
        assert [status_of(api, url) for url in urls] == [403] * 3
        put(master, file["objectId"], "passed")
        assert [status_of(api, url) for url in urls] == [200] * 3
    assert api.fetch(file["url"]).content == before.content


@pytest.mark.extended
def test_block_survives_a_restart(new_server):
    server = new_server(apps=(ALPHA,), **PLAIN).start()
    made = server.api().store(photo("restart"))
    block(server.api(master=True), made["objectId"])
    server.stop()
    server.start()
    assert_blocked(server.api().fetch(at_server(server, made["url"])))


def test_other_file_with_the_same_bytes_has_its_own_verdict(server, api, master, file):
    data = api.fetch(file["url"]).content
    twin = api.store(data)
    block(master, file["objectId"])
    assert status_of(api, at_server(server, twin["url"])) == 200


def test_record_of_a_blocked_file_stays(api, master, file):
    block(master, file["objectId"])
    assert api.get(f"/1.1/files/{file['objectId']}").json()["objectId"] == file["objectId"]


def test_block_during_a_download_does_not_break_the_server(server, api, master):
    made = api.store(bytes_of(image("large", 400, 300), "BMP") + noise(8 << 20), name="large.bmp", type="image/bmp")
    url = at_server(server, made["url"])
    response = api.session.get(url, stream=True, timeout=15)
    response.raw.read(1000)
    block(master, made["objectId"])
    # The bytes on their way can end or not; the next request gets none.
    response.close()
    assert_blocked(api.fetch(url))


@pytest.mark.extended
def test_many_requests_see_a_verdict_at_once(api, master, file):
    """No answer that begins after the block is a 200."""
    blocked, wrong = threading.Event(), []

    def fetch():
        caller = api.server.api()
        for _ in range(150):
            late = blocked.is_set()
            if caller.fetch(file["url"]).status_code == 200 and late:
                wrong.append(1)

    threads = [threading.Thread(target=fetch) for _ in range(4)]
    for thread in threads:
        thread.start()
    block(master, file["objectId"])
    blocked.set()
    for thread in threads:
        thread.join()
    assert not wrong


# What a blocked URL shows

def test_placeholder_is_shown_instead(server, api, master, file, restored):
    sign = api.store(bytes_of(Image.new("RGB", (90, 60), (1, 2, 3)), "PNG"), name="blocked.png")
    settings(master, blockedImage=sign["objectId"])
    block(master, file["objectId"])
    for words in ("", "?imageView2/2/w/30"):
        response = api.fetch(file["url"] + words)
        assert "no-store" in response.headers["Cache-Control"]
        seen = Image.open(io.BytesIO(response.content)).convert("RGB")
        assert all(abs(a - b) < 8 for a, b in zip(seen.getpixel((5, 5)), (1, 2, 3)))
    settings(master, blockedImage=None)
    assert_blocked(api.fetch(file["url"]))


def test_placeholder_that_is_gone_or_blocked_itself_is_not_shown(server, api, master, file, restored):
    sign = api.store(photo(unique("sign")))["objectId"]
    settings(master, blockedImage=sign)
    block(master, file["objectId"])
    block(master, sign)
    assert_blocked(api.fetch(file["url"]))
    master.delete(sign)
    assert_blocked(api.fetch(file["url"]))


# Hold until passed

@pytest.mark.extended
def test_new_image_is_held_until_it_is_passed(server, api, master, restored):
    settings(master, auto=True, hold=True)
    made = api.store(photo(unique("held")))
    url = at_server(server, made["url"])
    assert_blocked(api.fetch(url))
    assert_blocked(api.fetch(url + "?imageView2/2/w/60"))
    # Without a model or a webhook the verdict is review, which is not a pass.
    decided(master, made["objectId"])
    assert_blocked(api.fetch(url))
    put(master, made["objectId"], "passed")
    assert status_of(api, url) == 200


def test_hold_does_not_touch_other_types_and_old_images(server, api, master, file, restored):
    settings(master, auto=True, hold=True)
    text = api.store(b"hello", name="a.txt")
    assert status_of(api, at_server(server, text["url"])) == 200
    assert status_of(api, file["url"]) == 200


@pytest.mark.few(1)
@pytest.mark.parametrize("fields", DECLARED, ids=str)
def test_image_on_another_server_is_held_under_every_type(server, api, master, elsewhere, restored, fields):
    settings(master, auto=True, hold=True)
    id, urls = far(server, api, elsewhere, photo(unique("far")), "image/jpeg", **fields)
    for url in urls:
        assert_blocked(api.fetch(url))
    assert decided(master, id)["censorResult"] == "review"
    assert_blocked(api.fetch(urls[0]))
    put(master, id, "passed")
    assert [status_of(api, url) for url in urls] == [200, 200]


def test_file_on_another_server_that_is_no_image_passes(server, api, master, elsewhere, restored):
    settings(master, auto=True, hold=True)
    id, urls = far(server, api, elsewhere, b"a text", "text/plain", mime_type="text/plain")
    assert decided(master, id)["censorResult"] == "passed"
    assert status_of(api, urls[0]) == 200


# Caches

def test_cache_time_is_shorter_while_images_are_checked(api, master, file, restored):
    def age(words=""):
        return int(re.search(r"max-age=(\d+)", api.fetch(file["url"] + words).headers["Cache-Control"])[1])

    long = age()
    settings(master, auto=True, cacheSeconds=60)
    assert age() == 60 < long
    settings(master, cacheSeconds=7200)
    assert age() == 7200
    assert age("?imageView2/2/w/60") == 7200
    settings(master, auto=False)
    assert age() == long


# Lists

def test_review_list_has_the_blocked_files_with_previews(server, api, master, file):
    block(master, file["objectId"], note="bad")
    found = master.get("/1.1/censorship", params={"verdict": "rejected", "limit": 1}).json()["results"][0]
    assert found["objectId"] == file["objectId"]
    assert {"name", "mime_type", "size", "createdAt", "thumbnailURL"} <= set(found) and "history" not in found
    response = api.fetch(at_server(server, found["thumbnailURL"]))
    assert response.status_code == 200
    assert Image.open(io.BytesIO(response.content)).size == (200, 150)
    assert not json.loads(master.get(f"/1.1/classes/_File/{file['objectId']}").text).get("note")
    assert state(master, file["objectId"])["note"] == "bad"


@pytest.mark.parametrize("query, words", [
    ({"verdict": "bad"}, "verdict"), ({"limit": "0"}, "limit"), ({"limit": "201"}, "limit"), ({"limit": "x"}, "limit"),
    ({"from": "yesterday"}, "from"), ({"to": "2026-13-01"}, "to"), ({"cursor": "nonsense"}, "cursor"),
    ({"from": "2026-01-02T00:00:00.000Z", "to": "2026-01-01T00:00:00.000Z"}, "from"),
], ids=str)
def test_bad_query_of_the_review_list_is_refused(master, query, words):
    response = master.get("/1.1/censorship", params=query)
    assert response.status_code == 400, response.text
    assert words in response.json()["error"]


@pytest.mark.extended
def test_review_list_has_pages_without_gaps(new_server):
    server = new_server(apps=(ALPHA,), **PLAIN).start()
    api, master = server.api(), server.api(master=True)
    ids = [api.store(photo(f"page {number}"))["objectId"] for number in range(23)]
    for number, id in enumerate(ids):
        put(master, id, ["passed", "rejected"][number % 2])
    seen, cursor = [], None
    while True:
        page = master.get("/1.1/censorship", params={"limit": 5} | ({"cursor": cursor} if cursor else {})).json()
        assert len(page["results"]) <= 5
        seen += page["results"]
        cursor = page.get("cursor")
        if not cursor:
            break
    assert [one["objectId"] for one in seen] == list(reversed(ids))
    blocked = master.get("/1.1/censorship", params={"verdict": "rejected"}).json()["results"]
    assert [one["objectId"] for one in blocked] == list(reversed(ids[1::2]))
    middle = seen[11]["createdAt"]
    later = master.get("/1.1/censorship", params={"from": middle, "limit": 200}).json()["results"]
    assert [one["objectId"] for one in later] == [one["objectId"] for one in seen[:12]]
