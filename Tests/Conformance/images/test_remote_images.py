"""GET /1.1/files/<id>/content: files that lie elsewhere, and images made of them."""

import shutil
import threading

import pytest
from client import ALPHA, Server, assert_refused, eventually
from data import assert_400, at_once
from elsewhere import Elsewhere, answer, endless, held, link, record, redirect, silence, unfinished, unmeasured
from image_looks import TYPES, farthest, patches, seen
from image_sources import COLOURS, source
from image_writers import read
from kept import assert_kept, folder, kept
from people import Cast
from pictures import encoded, plain
from remote import FETCHING, PNG, WORDS, address, get, offered


@pytest.fixture(scope="module")
def elsewhere():
    elsewhere = Elsewhere()
    yield elsewhere
    elsewhere.close()


@pytest.fixture(scope="module")
def fetching(tmp_path_factory):
    """A server that may fetch from this machine."""
    server = Server(tmp_path_factory.mktemp("fetching"), LCFILE_IMAGES_MAX_SOURCE_SIZE="1MB", **FETCHING).start()
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
def own(new_server):
    return new_server(**FETCHING).start()


# What is served

@pytest.mark.smoke
def test_bytes_are_those_of_the_other_server(api, elsewhere):
    url, _ = offered(api, elsewhere)
    response = get(api, url)
    assert (response.status_code, response.content) == (200, PNG)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["PNG", "TIFF", "SVG", "PDF", "JPEG XL", "HEIC"])
def test_kept_file_is_drawn_as_the_fetched_one_was(api, elsewhere, name):
    url, _ = offered(api, elsewhere, source(name).data, "picture", type="application/octet-stream")
    sizes = [seen(api, f"{url}?imageView2/2/w/{width}/format/png").width for width in (20, 21, 22)]
    assert sizes == [20, 21, 22]


@pytest.mark.parametrize("name", ["PNG", "JPEG", "WebP", "GIF", "AVIF"])
def test_type_is_that_of_the_bytes(api, elsewhere, name):
    url, _ = offered(api, elsewhere, source(name).data, "picture", type="application/octet-stream")
    assert get(api, url).headers["Content-Type"] == f"image/{source(name).format}"


@pytest.mark.few(2)
@pytest.mark.parametrize("offering", [unmeasured, answer], ids=["up to the end", "with its length"])
@pytest.mark.parametrize("words, size, format", [
    (WORDS, (59, 39), "PNG"), ("imageView/1/w/40/h/40", (40, 40), "PNG"), (f"{WORDS}/format/webp", (59, 39), "WEBP"),
    (f"{WORDS}|imageMogr2/rotate/90/format/jpg", (39, 59), "JPEG"),
])
def test_words_make_a_derivative(api, elsewhere, words, size, format, offering):
    url = address(api, link(api, elsewhere.offer(offering(PNG))), words)
    image = seen(api, url)
    assert (image.size, image.format) == (size, format)


def test_colours_are_those_of_the_picture(api, elsewhere):
    url, _ = offered(api, elsewhere)
    assert farthest(patches(seen(api, f"{url}?{WORDS}")), patches(COLOURS)) <= 4


@pytest.mark.few(2)
@pytest.mark.parametrize("format", TYPES)
def test_each_format_is_made(api, elsewhere, format):
    url, _ = offered(api, elsewhere)
    assert get(api, f"{url}?{WORDS}/format/{format}").headers["Content-Type"] == TYPES[format]


def test_animation_from_elsewhere_moves(api, elsewhere):
    frames = [plain(40, 30, colour) for colour in ((255, 0, 0), (0, 0, 255))]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=100)
    url, _ = offered(api, elsewhere, data, "moving.gif", type="image/gif")
    assert seen(api, f"{url}?imageView2/2/w/20").n_frames == 2


def test_questions_are_answered(api, elsewhere):
    url, _ = offered(api, elsewhere)
    info = get(api, f"{url}?imageInfo").json()
    assert (info["size"], info["format"], info["width"], info["height"]) == (len(PNG), "png", *COLOURS.size)


@pytest.mark.parametrize("query", ["v=3", "attname=photo.png", ""])
def test_parameters_give_the_bytes(api, elsewhere, query):
    url, _ = offered(api, elsewhere)
    assert get(api, f"{url}?{query}").content == PNG


@pytest.mark.parametrize("words", ["", f"?{WORDS}"], ids=["bytes", "derivative"])
def test_head_has_the_headers_and_no_body(api, elsewhere, words):
    url, _ = offered(api, elsewhere)
    full, head = get(api, url + words), get(api, url + words, "HEAD")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("Content-Type", "Content-Length", "ETag"):
        assert head.headers[name] == full.headers[name]


@pytest.mark.parametrize("words", ["", f"?{WORDS}"], ids=["bytes", "derivative"])
def test_known_etag_gives_304(api, elsewhere, words):
    url, _ = offered(api, elsewhere)
    etag = get(api, url + words).headers["ETag"]
    assert get(api, url + words, If_None_Match=etag).status_code == 304


@pytest.mark.parametrize("words", ["", f"?{WORDS}"], ids=["bytes", "derivative"])
def test_range_gives_its_part(api, elsewhere, words):
    url, _ = offered(api, elsewhere)
    full = get(api, url + words).content
    part = get(api, url + words, Range="bytes=5-14")
    assert (part.status_code, part.content) == (206, full[5:15])


@pytest.mark.parametrize("words", ["", f"?{WORDS}"], ids=["bytes", "derivative"])
def test_if_range_with_the_etag_gives_the_part(api, elsewhere, words):
    url, _ = offered(api, elsewhere)
    full = get(api, url + words)
    part = get(api, url + words, Range="bytes=5-14", If_Range=full.headers["ETag"])
    assert (part.status_code, part.content) == (206, full.content[5:15])


@pytest.mark.parametrize("words", ["", f"?{WORDS}"], ids=["bytes", "derivative"])
@pytest.mark.parametrize("date", [
    lambda full: "Thu, 02 May 2019 08:00:00 GMT", lambda full: full.headers["Date"]], ids=["there", "here"],
)
def test_if_range_with_a_date_gives_the_whole(api, elsewhere, date, words):
    """Neither the day that the other server names nor that of the fetch says which bytes these are."""
    there = elsewhere.offer(answer(PNG, type="image/png", Last_Modified="Thu, 02 May 2019 08:00:00 GMT"))
    url = address(api, link(api, there)) + words
    full = get(api, url)
    response = get(api, url, Range="bytes=5-14", If_Range=date(full))
    assert (response.status_code, response.content) == (200, full.content)


def test_any_origin_may_read(api, elsewhere):
    url, _ = offered(api, elsewhere)
    assert get(api, url, Origin="https://app.example.com").headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("data, type", [
    (b"<!DOCTYPE html><html><script>alert(1)</script></html>", "text/html"), (source("SVG").data, "image/svg+xml"),
], ids=["page", "drawing"])
def test_active_content_from_elsewhere_is_served_in_a_sandbox(api, elsewhere, data, type):
    url, _ = offered(api, elsewhere, data, "page.html", type=type)
    response = get(api, url)
    assert (response.status_code, response.content) == (200, data)
    assert "sandbox" in response.headers["Content-Security-Policy"].replace(";", " ").split()
    assert response.headers["X-Content-Type-Options"] == "nosniff"


# How often the other server is asked

def test_bytes_are_fetched_once_for_all_requests(api, elsewhere):
    url, there = offered(api, elsewhere)
    for words in ("", f"?{WORDS}", f"?{WORDS}", "?imageView2/2/w/20", "?imageInfo", ""):
        assert get(api, url + words).status_code == 200
    assert len(elsewhere.visits_of(there)) == 1


def test_requests_at_once_fetch_once(api, elsewhere):
    gate = threading.Event()
    there = elsewhere.offer(held(PNG, gate), "photo.png")
    url = address(api, link(api, there))
    apis = [api.server.api() for _ in range(10)]

    def ask(place):
        return apis[place].fetch(f"{url}?imageView2/2/w/{20 + place % 3}").status_code

    opener = threading.Thread(target=lambda: (eventually(lambda: elsewhere.visits_of(there)), gate.set()))
    opener.start()
    assert at_once(ask, len(apis), len(apis)) == [200] * len(apis)
    opener.join()
    assert len(elsewhere.visits_of(there)) == 1


@pytest.mark.extended
def test_bytes_that_were_fetched_outlive_the_other_server(own):
    gone = Elsewhere()
    there = gone.offer(answer(PNG), "photo.png")
    url = address(own.api(), link(own.api(), there))
    assert get(own.api(), url).content == PNG
    gone.close()
    assert read(get(own.api(), f"{url}?{WORDS}").content).size == (59, 39)


@pytest.mark.extended
def test_bytes_that_were_fetched_outlive_this_server(own, elsewhere):
    url, there = offered(own.api(), elsewhere)
    assert get(own.api(), f"{url}?{WORDS}").status_code == 200
    assert eventually(lambda: kept(own))
    assert own.stop() == 0
    own.start()
    for words in (f"?{WORDS}", "?imageView2/2/w/20", ""):
        assert get(own.api(), url + words).status_code == 200
    assert len(elsewhere.visits_of(there)) == 1


@pytest.mark.extended
def test_bytes_are_fetched_again_when_they_are_no_more_kept(own, elsewhere):
    url, there = offered(own.api(), elsewhere)
    assert get(own.api(), f"{url}?{WORDS}").status_code == 200
    assert eventually(lambda: kept(own))
    assert own.stop() == 0
    shutil.rmtree(folder(own))
    own.start()
    assert read(get(own.api(), f"{url}?{WORDS}").content).size == (59, 39)
    assert len(elsewhere.visits_of(there)) == 2


def test_record_stays_one_of_a_file_that_is_elsewhere(api, elsewhere):
    there = elsewhere.offer(answer(PNG))
    id = link(api, there)
    before = record(api, id), api.count(), len(api.server.blobs_at_rest())
    assert get(api, address(api, id, WORDS)).status_code == 200
    assert (record(api, id), api.count(), len(api.server.blobs())) == before
    assert unfinished(api.server) == []


@pytest.mark.extended
def test_deleted_record_is_gone(own, elsewhere):
    id = link(own.api(), elsewhere.offer(answer(PNG)))
    assert get(own.api(), address(own.api(), id, WORDS)).status_code == 200
    assert own.api(master=True).delete(id).status_code == 200
    for words in (WORDS, ""):
        assert_refused(get(own.api(), address(own.api(), id, words)), 404, 404)


@pytest.mark.extended
def test_records_of_one_address_share_what_is_kept(own, elsewhere):
    there = elsewhere.offer(answer(PNG))
    for id in (link(own.api(), there), link(own.api(), there)):
        assert get(own.api(), address(own.api(), id, WORDS)).status_code == 200
    assert len(elsewhere.visits_of(there)) == 1
    assert_kept(own, 2)


# What fails

@pytest.mark.parametrize("words", ["", WORDS, "imageInfo"])
def test_private_address_is_refused_by_default(server, elsewhere, words):
    # The server that all tests share has no networks open.
    api = server.api()
    id = link(api, elsewhere.offer(answer(PNG)))
    before = elsewhere.visitors()
    assert_400(get(api, address(api, id, words)))
    assert elsewhere.visitors() == before


@pytest.mark.parametrize("url", [
    "http://169.254.169.254/latest/meta-data", "http://127.0.0.2:1/", "http://[::1]:1/", "http://localhost:1/",
    "https://10.0.0.1/x.png",
])
def test_closed_network_is_refused(api, url):
    assert_400(get(api, address(api, link(api, url), WORDS)))


def test_redirect_leads_to_no_closed_address(api, elsewhere):
    behind = Elsewhere("127.0.0.2")
    try:
        id = link(api, elsewhere.offer(redirect(behind.offer(answer(PNG)))))
        assert_400(get(api, address(api, id, WORDS)))
        assert behind.visitors() == 0
    finally:
        behind.close()


def test_redirect_is_followed(api, elsewhere):
    id = link(api, elsewhere.offer(redirect(elsewhere.offer(answer(PNG)))))
    assert seen(api, address(api, id, WORDS)).size == (59, 39)


LARGE = b"\x89PNG\r\n\x1a\n" + b"x" * (1 << 20)


@pytest.mark.parametrize("offering", [
    answer(LARGE), unmeasured(LARGE), endless], ids=["announced", "not announced", "endless",
])
@pytest.mark.parametrize("words", ["", WORDS])
def test_what_is_too_large_is_refused(api, elsewhere, words, offering):
    id = link(api, elsewhere.offer(offering))
    assert_400(get(api, address(api, id, words)))
    assert eventually(lambda: unfinished(api.server) == [])


def test_largest_that_is_allowed_is_served(api, elsewhere):
    data = PNG.ljust(1 << 20, b"\0")
    url, _ = offered(api, elsewhere, data)
    assert get(api, url).content == data


@pytest.mark.parametrize("data", [
    b"just text", b"", PNG[:100], b"<html></html>"], ids=["text", "empty", "broken", "page",
])
def test_what_is_no_image_is_refused(api, elsewhere, data):
    url, _ = offered(api, elsewhere, data)
    assert_refused(get(api, f"{url}?{WORDS}"), 400, 400)


@pytest.mark.parametrize("words", ["nonsense", "imageView2/9/w/5", "imageView2", f"{WORDS}|nonsense"])
def test_bad_words_are_refused_and_nobody_is_asked(api, elsewhere, words):
    url, there = offered(api, elsewhere)
    assert_refused(get(api, f"{url}?{words}"), 400, 400, "Bad image request")
    assert elsewhere.visits_of(there) == []


@pytest.mark.parametrize("status", [404, 403, 500, 204, 304])
def test_refusal_of_the_other_server_is_one_of_ours(api, elsewhere, status):
    id = link(api, elsewhere.offer(answer(b"", status=status)))
    response = get(api, address(api, id, WORDS))
    assert_400(response)
    assert "no-store" in response.headers["Cache-Control"]


def test_failure_is_not_kept(api, elsewhere):
    there = elsewhere.offer(answer(status=404), "photo.png")
    url = address(api, link(api, there), WORDS)
    assert_400(get(api, url))
    elsewhere.answers[there.removeprefix(elsewhere.url(""))] = answer(PNG)
    assert seen(api, url).size == (59, 39)


@pytest.mark.extended
def test_source_that_says_nothing_ends_in_time(new_server, elsewhere):
    server = new_server(**FETCHING, LCFILE_FETCH_TIMEOUT="1").start()
    id = link(server.api(), elsewhere.offer(silence))
    assert_400(get(server.api(), address(server.api(), id, WORDS)))


def test_file_itself_cannot_be_the_answer_if_it_is_not_there(api, elsewhere):
    id = link(api, elsewhere.offer(answer(status=404)))
    assert_400(get(api, address(api, id, f"{WORDS}/ignore-error/1")))


def test_source_learns_nothing_of_who_asks(cast, api, elsewhere):
    there = elsewhere.offer(answer(PNG))
    response = cast.owner.get(f"/1.1/files/{link(api, there)}/content")
    assert response.status_code == 200
    visit, = elsewhere.visits_of(there)
    said = " ".join([*visit.headers, *visit.headers.values()])
    assert not any(secret in said for secret in (cast.owner.token, ALPHA.id, ALPHA.key, "cookie", "x-lc", "forwarded"))
