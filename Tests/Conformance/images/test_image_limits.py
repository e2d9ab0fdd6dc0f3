"""Limits of images: each is a setting, what is as large as it says is taken, and one more is refused by its name."""

import functools

import pytest
from cases import covering, some
from client import Server, assert_refused
from image_writers import read
from pictures import encoded, plain

WORDS = "imageView2/2/w/10"
# In bytes and pixels: what the tests below are about.
LIMITS = {
    "MAX_SOURCE_SIZE": "5000", "MAX_SOURCE_SIDE": "120", "MAX_SOURCE_PIXELS": "10000",
    "MAX_RESULT_SIDE": "50", "MAX_RESULT_PIXELS": "2000",
}


@pytest.fixture(scope="module")
def limited(tmp_path_factory):
    """Gives the calls of a server with one of the limits, which is started for the first test that wants it."""
    servers = {}

    def calls(name):
        if name not in servers:
            settings = {f"LCFILE_IMAGES_{name}": LIMITS[name]}
            servers[name] = Server(tmp_path_factory.mktemp("limits"), **settings).start()
        return servers[name].api()

    yield calls
    for server in servers.values():
        assert server.stop() == 0


@functools.cache
def source(width, height, format="PNG"):
    return encoded(plain(width, height), format)


def asked(api, data, words=WORDS):
    return api.fetch(f"{api.store(data, name='picture')['url']}?{words}")


def size(response):
    """The size of the image that must have come back."""
    assert response.status_code == 200, response.content[:300]
    return read(response.content).size


# Sources

SMALL = ["JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP", "HEIF", "AVIF", "JPEG2000"]


def padded(format, length):
    """An image and zeros behind it, which no reader minds, of so many bytes."""
    data = source(40, 30, format)
    assert len(data) < length
    return data + bytes(length - len(data))


@pytest.mark.few(2)
@pytest.mark.parametrize("format", SMALL)
def test_source_of_just_so_many_bytes_is_taken(limited, format):
    assert size(asked(limited("MAX_SOURCE_SIZE"), padded(format, 5000))) == (10, 8)


@pytest.mark.parametrize("words, format", covering(
    [WORDS, "imageInfo", "exif", "imageAve", "imageslim", "imageMogr2/strip"], ["JPEG", "AVIF"],
))
def test_source_of_one_byte_more_is_refused(limited, format, words):
    response = asked(limited("MAX_SOURCE_SIZE"), padded(format, 5001), words)
    assert_refused(response, 400, 400, "images.maxSourceSize")


@pytest.mark.few(2)
@pytest.mark.parametrize("width, height", [(120, 10), (10, 120), (120, 120)])
@pytest.mark.parametrize("format", ["PNG", "AVIF"])
def test_source_with_just_so_long_a_side_is_taken(limited, format, width, height):
    response = asked(limited("MAX_SOURCE_SIDE"), source(width, height, format), "imageMogr2/strip")
    assert size(response) == (width, height)


@pytest.mark.few(2)
@pytest.mark.parametrize("format, sides", covering(SMALL, [(121, 10), (10, 121)]))
def test_source_with_a_side_of_one_pixel_more_is_refused(limited, format, sides):
    response = asked(limited("MAX_SOURCE_SIDE"), source(*sides, format))
    assert_refused(response, 400, 400, "images.maxSourceSide")


@pytest.mark.few(2)
@pytest.mark.parametrize("width, height", [(100, 100), (200, 50), (4, 2500)])
@pytest.mark.parametrize("format", ["PNG", "JPEG"])
def test_source_of_just_so_many_pixels_is_taken(limited, format, width, height):
    response = asked(limited("MAX_SOURCE_PIXELS"), source(width, height, format), "imageMogr2/strip")
    assert size(response) == (width, height)


@pytest.mark.parametrize("words", [WORDS, "imageInfo", "imageAve", "imageslim", "imageMogr2/crop/1x1"])
def test_source_of_one_pixel_more_is_refused(limited, words):
    # 73 x 137 is 10 001.
    response = asked(limited("MAX_SOURCE_PIXELS"), source(73, 137), words)
    assert_refused(response, 400, 400, "images.maxSourcePixels")


@pytest.mark.few(2)
@pytest.mark.parametrize("format", SMALL)
def test_pixels_of_a_source_of_every_format_are_counted(limited, format):
    response = asked(limited("MAX_SOURCE_PIXELS"), source(128, 80, format))
    assert_refused(response, 400, 400, "images.maxSourcePixels")


# Results

@pytest.mark.few(2)
@pytest.mark.parametrize("words, wanted", [
    ("imageMogr2/thumbnail/50x40!", (50, 40)), ("imageMogr2/thumbnail/40x50!", (40, 50)),
    ("imageView/1/w/50/h/50", (50, 50)), ("imageView2/2/w/50", (50, 25)), ("imageMogr2/crop/50x30", (50, 30)),
    ("imageMogr2/thumbnail/50x/rotate/90", (25, 50)),
    ("imageMogr2/thumbnail/50x|imageMogr2/thumbnail/50x", (50, 25)),
])
def test_result_with_just_so_long_a_side_is_made(limited, words, wanted):
    assert size(asked(limited("MAX_RESULT_SIDE"), source(100, 50), words)) == wanted


@pytest.mark.few(2)
@pytest.mark.parametrize("words", [
    "imageMogr2/thumbnail/51x40!", "imageMogr2/thumbnail/40x51!", "imageMogr2/crop/51x30", "imageMogr2/thumbnail/51x",
    "imageMogr2/strip", "imageMogr2/thumbnail/50x/rotate/45", "imageMogr2/thumbnail/51x/crop/10x10",
    "imageMogr2/thumbnail/51x|imageView2/2/w/10", "imageView2/2/w/50|imageMogr2/thumbnail/51x",
])
def test_result_with_a_side_of_one_pixel_more_is_refused(limited, words):
    response = asked(limited("MAX_RESULT_SIDE"), source(100, 50), words)
    assert_refused(response, 400, 400, "images.maxResultSide")


@pytest.mark.parametrize("words", ["imageView2/2/w/51", "imageView/1/w/10/h/51", "imageView2/0/h/51"])
def test_words_that_ask_for_a_side_of_one_pixel_more_are_refused(limited, words):
    assert_refused(asked(limited("MAX_RESULT_SIDE"), source(100, 50), words), 400, 400, "Bad image request")


@pytest.mark.few(2)
@pytest.mark.parametrize("words, wanted", [
    ("imageMogr2/thumbnail/50x40!", (50, 40)), ("imageMogr2/thumbnail/2000x1!", (2000, 1)),
    ("imageView/1/w/40/h/50", (40, 50)), ("imageMogr2/crop/40x50", (40, 50)),
    ("imageMogr2/thumbnail/50x40!/rotate/90", (40, 50)),
])
def test_result_of_just_so_many_pixels_is_made(limited, words, wanted):
    assert size(asked(limited("MAX_RESULT_PIXELS"), source(60, 60), words)) == wanted


# 69 x 29 is 2001.
@pytest.mark.parametrize("words", [
    "imageMogr2/thumbnail/69x29!", "imageMogr2/thumbnail/2001x1!", "imageMogr2/thumbnail/29x69!",
    "imageView/1/w/69/h/29", "imageMogr2/thumbnail/69x29!/crop/10x10", "imageMogr2/thumbnail/69x29!|imageView2/2/w/10",
    "imageMogr2/strip",
])
def test_result_of_one_pixel_more_is_refused(limited, words):
    response = asked(limited("MAX_RESULT_PIXELS"), source(60, 60), words)
    assert_refused(response, 400, 400, "images.maxResultPixels")


@pytest.mark.few(2)
@pytest.mark.parametrize("words", ["imageMogr2/strip", "imageMogr2/auto-orient", "imageMogr2/thumbnail/!90p"])
@pytest.mark.parametrize("name", ["MAX_RESULT_SIDE", "MAX_RESULT_PIXELS"])
def test_source_that_is_larger_than_results_is_the_answer_if_that_is_ignored(limited, name, words):
    response = asked(limited(name), source(100, 50), f"{words}/ignore-error/1")
    assert (response.status_code, response.content) == (200, source(100, 50))


@pytest.mark.parametrize("name", ["MAX_RESULT_SIDE", "MAX_RESULT_PIXELS"])
def test_source_that_is_larger_than_results_is_made_smaller_though_that_is_ignored(limited, name):
    response = asked(limited(name), source(100, 50), "imageMogr2/strip/ignore-error/1|imageView2/2/w/10")
    assert size(response) == (10, 5)


@pytest.mark.few(2)
@pytest.mark.parametrize("format", ["jpg", "png", "webp", "gif", "avif"])
def test_result_of_every_format_is_held_to_its_pixels(limited, format):
    api = limited("MAX_RESULT_PIXELS")
    words = f"format/{format}"
    assert size(asked(api, source(60, 60), f"imageMogr2/thumbnail/50x40!/{words}")) == (50, 40)
    response = asked(api, source(60, 60), f"imageMogr2/thumbnail/69x29!/{words}")
    assert_refused(response, 400, 400, "images.maxResultPixels")


# The defaults

@pytest.fixture(scope="module")
def tile(api):
    return api.store(source(60, 60), name="tile.png")["url"]


@pytest.mark.few(2)
@pytest.mark.parametrize("format, result", covering(["jpg", "png", "webp", "gif", "avif"], [
    ("imageMogr2/thumbnail/9999x10!", (9999, 10)), ("imageMogr2/thumbnail/10x9999!", (10, 9999)),
    ("imageView/1/w/9999/h/7", (9999, 7)), ("imageMogr2/thumbnail/9999x10!/rotate/90", (10, 9999)),
]), ids=str)
def test_side_of_9999_pixels_is_made(api, tile, format, result):
    words, wanted = result
    assert size(api.fetch(f"{tile}?{words}/format/{format}")) == wanted


@pytest.mark.parametrize("words", ["imageMogr2/thumbnail/10000x10!", "imageMogr2/thumbnail/10x10000!"])
def test_side_of_10000_pixels_is_refused(api, tile, words):
    assert_refused(api.fetch(f"{tile}?{words}"), 400, 400, "images.maxResultSide")


# 3125 x 8000 and 5000 x 5000 are 25 000 000.
@pytest.mark.extended
@pytest.mark.parametrize("words, wanted", some([
    ("imageMogr2/thumbnail/3125x8000!", (3125, 8000)), ("imageMogr2/thumbnail/5000x5000!", (5000, 5000)),
    ("imageView/1/w/5000/h/5000", (5000, 5000)), ("imageMogr2/thumbnail/25000000@", (5000, 5000)),
], 4))
def test_25_million_pixels_are_made(api, tile, words, wanted):
    assert size(api.fetch(f"{tile}?{words}")) == wanted


# The format whose encoder takes the most memory; above, each format is held to smaller limits.
@pytest.mark.extended
@pytest.mark.parametrize("format", some(["webp", "jpg", "gif"], 3))
def test_25_million_pixels_are_made_in_other_formats(api, tile, format):
    assert size(api.fetch(f"{tile}?imageMogr2/thumbnail/5000x5000!/format/{format}")) == (5000, 5000)


# 4901 x 5101 is 25 000 001.
@pytest.mark.parametrize("words", ["imageMogr2/thumbnail/4901x5101!", "imageView/1/w/5101/h/4901"])
def test_25_million_pixels_and_one_are_refused(api, tile, words):
    assert_refused(api.fetch(f"{tile}?{words}"), 400, 400, "images.maxResultPixels")
