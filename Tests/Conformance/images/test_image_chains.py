"""Chains of operators, what ends them, and what happens when one of them fails."""

from urllib.parse import urlsplit

import pytest
from client import Server, assert_refused
from image_looks import BLACK, WHITE, distance, farthest, fetched, mean, patches, seen
from image_sources import CLEARED, COLOURS
from image_writers import read
from pictures import BLUE, GREEN, RED, encoded, plain
from PIL import Image
from uploading import url64

SIZE = COLOURS.size
# Nothing of this rectangle lies in an image of the tests' size.
FAILS = "imageMogr2/crop/!10x10a500a500"
PASSES = f"{FAILS}/ignore-error/1"
HALF = "imageView2/2/w/59"


@pytest.fixture(scope="module")
def url(api):
    return api.store(encoded(COLOURS), name="picture")["url"]


@pytest.fixture(scope="module")
def window(api):
    """An image of which a quarter is transparent."""
    return api.store(encoded(CLEARED), name="window")["url"]


# In their order

@pytest.mark.parametrize("words, size", [
    (HALF, (59, 39)), (f"{HALF}|imageMogr2/rotate/90", (39, 59)), (f"imageMogr2/rotate/90|{HALF}", (59, 89)),
    ("imageView2/1/w/50/h/50|imageView2/1/w/20/h/40", (20, 40)),
    ("imageMogr2/crop/40x30|imageMogr2/thumbnail/!200p", (80, 60)),
    ("imageMogr2/thumbnail/!200p|imageMogr2/crop/40x30", (40, 30)), ("imageMogr2/rotate/90|imageMogr2/rotate/90", SIZE),
    ("imageView/1/w/200/h/200|imageMogr2/crop/x50|imageView2/2/w/20", (20, 5)),
])
def test_each_operator_works_on_the_result_of_the_one_before(api, url, words, size):
    assert seen(api, f"{url}?{words}").size == size


def test_pixels_of_a_chain_are_those_of_its_parts(api, url):
    image = seen(api, f"{url}?imageMogr2/gravity/SouthEast/crop/59x39|imageMogr2/rotate/180|imageView2/2/w/30")
    assert farthest([mean(image)], [patches(COLOURS)[3]]) <= 4


@pytest.mark.smoke
def test_steps_of_a_chain_are_those_of_one_operator(api, url):
    chained = seen(api, f"{url}?imageMogr2/thumbnail/80x|imageMogr2/rotate/90|imageMogr2/gravity/Center/crop/40x40")
    alone = seen(api, f"{url}?imageMogr2/thumbnail/80x/rotate/90/gravity/Center/crop/40x40")
    assert distance(chained, alone) < 1


@pytest.mark.parametrize("words", [
    f"{HALF}|imageMogr2/rotate/90", f"{HALF}%7CimageMogr2/rotate/90", f"{HALF}%7cimageMogr2%2Frotate%2f90",
    "%69mageView2/2/w/5%39|imageMogr2/rotate/90",
])
def test_words_may_be_escaped(server, url, words):
    # The library of the other tests escapes what it sends in a way of its own.
    with server.raw() as connection:
        response = connection.request("GET", f"{urlsplit(url).path}?{words}", {})
    assert response.status == 200
    assert read(response.content).size == (39, 59)


def test_mark_lies_on_what_the_operator_before_made(api, url):
    mark = api.store(encoded(plain(10, 10, BLACK)), name="mark.png")["url"]
    words = f"watermark/1/image/{url64(mark)}/gravity/SouthEast/dx/0/dy/0"
    image = seen(api, f"{url}?{HALF}|{words}")
    assert image.size == (59, 39)
    assert farthest([mean(image, (50, 30, 58, 38))], [BLACK]) <= 4
    smaller = seen(api, f"{url}?{words}|{HALF}")
    assert farthest([mean(smaller, (50, 30, 53, 33))], [patches(COLOURS)[3]]) <= 8


def test_slimming_works_on_what_the_operator_before_made(api, url, rocket):
    photo = api.store(rocket)["url"]
    image = seen(api, f"{photo}?imageView2/2/w/300|imageslim")
    assert (image.format, image.width) == ("JPEG", 300)


@pytest.mark.parametrize("words, format", [
    (f"{HALF}/format/webp|imageMogr2/rotate/90", "WEBP"),
    (f"{HALF}/format/webp|imageMogr2/rotate/90/format/gif", "GIF"),
    (f"{HALF}|imageMogr2/rotate/90/format/jpg", "JPEG"),
    (f"{HALF}/format/jpg|imageMogr2/rotate/90|imageView2/2/w/20", "JPEG"),
])
def test_last_format_that_is_said_is_that_of_the_result(api, url, words, format):
    assert seen(api, f"{url}?{words}").format == format


def test_jpeg_in_the_middle_ends_transparency(api, window):
    image = seen(api, f"{window}?{HALF}/format/jpg|imageView2/2/w/40/format/png")
    assert image.format == "PNG"
    assert farthest([patches(image, BLACK)[2]], [WHITE]) <= 4


def test_ground_of_a_jpeg_in_the_middle_is_that_of_its_operator(api, window):
    words = f"imageMogr2/background/{url64('#14c814')}/format/jpg|imageMogr2/background/{url64('red')}/format/png"
    assert farthest([patches(seen(api, f"{window}?{words}"), BLACK)[2]], [GREEN]) <= 4


@pytest.mark.parametrize("format", ["png", "webp", "avif"])
def test_other_format_in_the_middle_keeps_transparency(api, window, format):
    image = seen(api, f"{window}?{HALF}/format/{format}|imageView2/2/w/40/format/png")
    assert farthest([patches(image, BLACK)[2]], [BLACK]) <= 4


# How many

def chain(count):
    return "|".join(["imageMogr2/rotate/180"] * count)


@pytest.mark.parametrize("count", [1, 2, 15, 16])
def test_16_operators_are_done(api, url, count):
    expected = patches(COLOURS)[:: 1 if count % 2 == 0 else -1]
    assert farthest(patches(seen(api, f"{url}?{chain(count)}")), expected) <= 4


@pytest.mark.parametrize("words", [chain(17), chain(100), f"{chain(16)}|imageInfo", "|" * 16 + HALF])
def test_17_operators_are_refused(api, url, words):
    assert_refused(api.fetch(f"{url}?{words}"), 400, 400, "Bad image request")


def test_limit_of_operators_is_a_setting(new_server):
    api = new_server(LCFILE_IMAGES_MAX_OPERATORS="2").start().api()
    url = api.store(encoded(COLOURS), name="picture")["url"]
    assert seen(api, f"{url}?{chain(2)}").size == SIZE
    assert_refused(api.fetch(f"{url}?{chain(3)}"), 400, 400, "images.maxOperators")


@pytest.mark.parametrize("words", [
    f"|{HALF}", f"{HALF}|", f"{HALF}||{HALF}", "|", f"{HALF}%7C", f"{HALF}|nonsense", f"nonsense|{HALF}", f"{HALF}/|{HALF}/|",
    f"{HALF}%257C{HALF}", f"{HALF};{HALF}", f"{HALF},{HALF}",
])
def test_chain_with_what_is_no_operator_is_refused(api, url, words):
    assert_refused(api.fetch(f"{url}?{words}"), 400, 400, "Bad image request")


# What follows them

@pytest.mark.parametrize("tail", [
    "&v=3", "&", "&&", "&e=1700000000&token=a:b", "&v=3|imageInfo", "&imageInfo", "&%zz", "&a/b|c/d",
])
@pytest.mark.parametrize("words", [HALF, f"{HALF}|imageMogr2/rotate/90", f"{HALF}/"])
def test_ampersand_ends_the_operators(api, url, words, tail):
    assert fetched(api, f"{url}?{words}{tail}").content == fetched(api, f"{url}?{words}").content


def test_derivative_may_be_named_for_saving(api, url):
    response = fetched(api, f"{url}?{HALF}&attname=small.png")
    assert response.headers["Content-Disposition"].startswith("attachment")
    assert "small.png" in response.headers["Content-Disposition"]
    assert read(response.content).size == (59, 39)


@pytest.mark.parametrize("query", [
    "v=3", "v=3|imageInfo", "v=3&imageInfo", "a=imageInfo", "v=imageView2/2/w/59", "=", "attname=x.png",
    "e=1&token=a:b",
    # SDKs append their words with a `?`, also to a URL that has one already.
    f"x=1?{HALF}", "x=1?imageView/2/w/59/q/100/format/png", "x=1?imageMogr2/thumbnail/!50.0p", f"x=1&{HALF}",
    f"x=1&imageInfo|{HALF}",
])
def test_query_that_begins_with_a_parameter_gives_the_file(api, url, query):
    assert api.fetch(f"{url}?{query}").content == encoded(COLOURS)


@pytest.mark.parametrize("query", ["v", "v/a=3", "imageView2/2/w=59", "%69mageInf", "/imageInfo", "3"])
def test_query_that_is_neither_is_refused(api, url, query):
    assert_refused(api.fetch(f"{url}?{query}"), 400, 400, "Bad image request")


def test_refusal_is_not_kept(api, url):
    assert "no-store" in api.fetch(f"{url}?{HALF}|nonsense").headers["Cache-Control"]


# Failures

FAILURES = {
    "a cut outside": "imageMogr2/crop/!10x10a500a500", "too many pixels": "imageMogr2/thumbnail/9999x9999!",
    "too long a side": "imageMogr2" + "/thumbnail/!1000p" * 3,
}


@pytest.mark.parametrize("words", FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("chain", [
    "{}", "{}|imageView2/2/w/30", "imageView2/2/w/100|{}", "imageView2/2/w/100|{}|imageView2/2/w/30",
])
def test_operator_that_fails_fails_the_chain(api, url, words, chain):
    response = api.fetch(f"{url}?{chain.format(words)}")
    assert_refused(response, 400, 400)
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.parametrize("words", FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("chain, size", [
    ("{}", SIZE), ("{}|imageView2/2/w/59", (59, 39)), ("imageView2/2/w/59|{}", (59, 39)),
    ("imageView2/2/w/59|{}|imageMogr2/rotate/90", (39, 59)), ("{0}|imageView2/2/w/59|{0}", (59, 39)),
])
def test_failure_that_is_ignored_leaves_the_picture_as_it_was(api, url, words, chain, size):
    image = seen(api, f"{url}?{chain.format(words + '/ignore-error/1')}")
    assert image.size == size
    expected = patches(COLOURS.transpose(Image.Transpose.ROTATE_270)) if size == (39, 59) else patches(COLOURS)
    assert farthest(patches(image), expected) <= 8


@pytest.mark.parametrize("words", FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("chain", [
    PASSES + "|{}", "{}|" + PASSES, "imageView2/2/w/90/ignore-error/1|{}", "{}|imageView2/2/w/90/ignore-error/1",
    "imageView2/2/w/90/ignore-error/1|imageMogr2/rotate/90|{}", "imageView2/2/w/90|" + PASSES + "|{}",
])
def test_only_the_operator_that_says_so_ignores_failures(api, url, chain, words):
    assert_refused(api.fetch(f"{url}?{chain.format(words)}"), 400, 400)


def test_nothing_of_an_operator_that_failed_is_done(api, url):
    image = seen(api, f"{url}?imageMogr2/rotate/90/crop/!10x10a500a500/ignore-error/1")
    assert image.size == SIZE


@pytest.mark.parametrize("words", [f"{FAILS}/ignore-error/0", f"{HALF}|{FAILS}/ignore-error/0"])
def test_failure_counts_where_ignoring_is_switched_off(api, url, words):
    assert_refused(api.fetch(f"{url}?{words}"), 400, 400)


@pytest.mark.parametrize("words", [
    "imageView2/9/w/59/ignore-error/1", "imageView2/2/x/1/ignore-error/1", "imageMogr2/nonsense/1/ignore-error/1",
    "imageView2/2/w/59/ignore-error/2", "imageView2/2/w/59/ignore-error", "nonsense/ignore-error/1",
    f"{HALF}/ignore-error/1|nonsense", f"{chain(16)}|{PASSES}",
])
def test_what_is_not_understood_is_refused_all_the_same(api, url, words):
    assert_refused(api.fetch(f"{url}?{words}"), 400, 400, "Bad image request")


@pytest.mark.each_value
@pytest.mark.parametrize("words", [
    "imageView2/2/w/59", "imageView/2/w/59", "imageMogr2/thumbnail/59x", "imageView2/2/w/59/q/90",
])
@pytest.mark.parametrize("data, name", [
    (b"just text", "note.txt"), (b"", "empty.jpg"), (encoded(COLOURS, "JPEG")[:300], "half.jpg"),
    (b"%PDF-1.4\n%%EOF", "a.pdf"),
], ids=["text", "empty", "broken", "PDF"])
def test_file_that_cannot_be_read_is_the_answer_if_the_first_operator_says_so(api, words, data, name):
    url = api.store(data, name=name)["url"]
    plainly, response = api.fetch(url), api.fetch(f"{url}?{words}/ignore-error/1")
    assert (response.status_code, response.content) == (200, data)
    assert response.headers["Content-Type"] == plainly.headers["Content-Type"]
    # The next request may succeed.
    assert response.headers["Cache-Control"] == "public, max-age=60"
    assert_refused(api.fetch(f"{url}?{words}"), 400, 400)


def test_file_that_is_no_image_runs_nothing_when_it_is_the_answer(api):
    url = api.store(b"<script>alert(1)</script>", name="page.html")["url"]
    response = api.fetch(f"{url}?{HALF}/ignore-error/1")
    assert "sandbox" in response.headers["Content-Security-Policy"].replace(";", " ").split()


@pytest.mark.parametrize("words", [f"{HALF}|imageView2/2/w/30/ignore-error/1", f"imageslim|{HALF}/ignore-error/1"])
def test_file_that_cannot_be_read_is_refused_if_a_later_operator_ignores_failures(api, words):
    url = api.store(b"just text", name="note.txt")["url"]
    assert_refused(api.fetch(f"{url}?{words}"), 400, 400)


def damaged(format="JPEG"):
    """An image whose header is whole and whose pixels are not."""
    return encoded(COLOURS, format)[:-100] + b"\xff" * 100


DAMAGED = pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "GIF", "AVIF", "JXL"])


@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("words", [
    f"{HALF}/ignore-error/1|imageView2/2/w/30", f"{HALF}/ignore-error/1|imageslim",
    f"{HALF}|imageView2/2/w/30/ignore-error/1",
])
@DAMAGED
def test_file_whose_pixels_are_broken_is_refused_if_one_operator_ignores_no_failures(api, format, words):
    url = api.store(damaged(format), name="damaged")["url"]
    assert_refused(api.fetch(f"{url}?{words}"), 400, 400)


@pytest.mark.few(2)
@DAMAGED
def test_file_whose_pixels_are_broken_is_the_answer_if_all_operators_ignore_failures(api, format):
    data = damaged(format)
    url = api.store(data, name="damaged")["url"]
    response = api.fetch(f"{url}?{HALF}/ignore-error/1|imageMogr2/rotate/90/ignore-error/1")
    assert (response.status_code, response.content) == (200, data)


@pytest.mark.parametrize("data", [damaged(), b"just text"], ids=["pixels", "header"])
def test_broken_mark_is_refused_though_the_operator_before_it_ignores_failures(api, url, data):
    mark = api.store(data, name="mark.jpg")["url"]
    assert_refused(api.fetch(f"{url}?{HALF}/ignore-error/1|watermark/1/image/{url64(mark)}"), 400, 400)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server to which the tests' images are too large."""
    server = Server(
        tmp_path_factory.mktemp("chains"), LCFILE_IMAGES_MAX_SOURCE_SIDE="100", LCFILE_IMAGES_MAX_SOURCE_SIZE="10KB",
    ).start()
    yield server.api()
    assert server.stop() == 0


@pytest.mark.parametrize("data", [encoded(COLOURS), encoded(plain(64, 64, BLUE), "TIFF")], ids=["sides", "bytes"])
def test_source_that_is_too_large_is_the_answer_if_the_first_operator_says_so(small, data):
    url = small.store(data, name="large")["url"]
    assert_refused(small.fetch(f"{url}?imageView2/2/w/30"), 400, 400)
    assert small.fetch(f"{url}?imageView2/2/w/30/ignore-error/1").content == data


def test_ignored_failure_of_an_unknown_key_is_404(api, server):
    assert_refused(api.fetch(f"{server.url}/{'0' * 32}.jpg?{HALF}/ignore-error/1"), 404, 404)


def test_marks_stand_where_they_are_when_an_operator_is_passed_over(api, url):
    mark = api.store(encoded(plain(20, 20, BLACK)), name="mark.png")["url"]
    words = f"{PASSES}|watermark/1/image/{url64(mark)}/gravity/NorthWest/dx/0/dy/0"
    image = seen(api, f"{url}?{words}")
    assert farthest([mean(image, (2, 2, 18, 18)), mean(image, (30, 25, 50, 35))], [BLACK, RED]) <= 8
