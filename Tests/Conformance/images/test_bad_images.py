"""Thumbnails that must be refused: bad words, files that are no images, and images that are too large."""

import struct
import zlib

import pytest
from client import assert_refused
from pictures import encoded, render
from PIL import Image


@pytest.fixture(scope="module")
def photo(api, rocket):
    return api.store(rocket)["url"]


BAD_WORDS = [
    "imageMogr3/thumbnail/!50p", "imageView3/2/w/100", "imageView", "imageView/", "imageView/0/w/9",
    "imageView/3/w/100", "imageView/x/w/100", "imageView/-1/w/100", "imageView//w/100", "imageView/2/w", "imageView/2/w/",
    "imageView/2/w/abc", "imageView/2/w/-5", "imageView/2/w/1e3", "imageView/2/w/0x10", "imageView/2/w/nan", "imageView/2/w/inf",
    "imageView/2/w/10000", "imageView/2/w/99999999999999999999", "imageView/2/w/1.2.3", "imageView/2/w/٣", "imageView/2/w/10/w/20",
    "imageView/2/w/100/q/0", "imageView/2/w/100/q/101", "imageView/2/w/100/q/x",
    "imageView/2/w/100/format/bmp", "imageView/2/w/100/format/svg", "imageView/2/w/100/format/", "imageView/2/w/100/colour/red",
    "imageView/2/w/100|imageView/4", "nonsense", "IMAGEVIEW/2/w/100", "imageView/2/w/%zz", "imageView/2/w/%00", "imageinfo",
]


@pytest.mark.parametrize("words", BAD_WORDS)
def test_bad_words_are_refused(api, photo, words):
    assert_refused(api.fetch(f"{photo}?{words}"), 400, 400, "Bad image request")


def test_result_beyond_the_limit_is_refused(api, photo):
    assert_refused(api.fetch(f"{photo}?imageView/1/w/9999/h/9999"), 400, 400, "images.maxResultPixels")


def test_refusal_is_not_cached(api, photo):
    assert "no-store" in api.fetch(f"{photo}?imageView/9").headers["Cache-Control"]


def test_thumbnail_of_an_unknown_key_is_404(api, server):
    assert_refused(api.fetch(f"{server.url}/{'0' * 32}.jpg?imageView/2/w/100"), 404, 404)


def png_header(width, height):
    """A PNG that says it has this size, with next to no data."""
    def piece(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = piece(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + piece(b"IDAT", zlib.compress(b"\0" * 1000)) + piece(b"IEND", b"")




def no_images():
    jpeg = encoded(Image.effect_noise((400, 400), 90), "JPEG", quality=90)
    png = encoded(Image.effect_noise((400, 400), 90), "PNG")
    yield "html.jpg", b"<html><body>no image</body></html>"
    yield "text.png", b"just text"
    yield "empty.jpg", b""
    yield "document.pdf", b"%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF"
    yield "magic-only.jpg", b"\xff\xd8\xff\xe0"
    yield "truncated.jpg", jpeg[: len(jpeg) // 2]
    yield "nearly-whole.jpg", jpeg[: len(jpeg) * 9 // 10]
    yield "truncated.png", png[: len(png) // 2]
    yield "broken.png", png[:5000] + b"\0" * 5000 + png[10_000:]
    yield "bomb.png", png_header(30_000, 30_000)
    yield "wide-bomb.png", png_header(30_001, 1)
    yield "huge-bomb.png", png_header(2**31 - 1, 2**31 - 1)
    yield "hollow.png", png_header(300, 300)


@pytest.mark.few(2)
@pytest.mark.parametrize("name, data", [pytest.param(*case, id=case[0]) for case in no_images()])
def test_what_is_no_whole_image_is_refused_and_served_as_it_is(api, name, data):
    url = api.store(data, name=name)["url"]
    assert_refused(api.fetch(f"{url}?imageView/2/w/100"), 400, 400)
    assert api.fetch(url).content == data


def test_server_renders_on_after_every_broken_image(api, photo):
    for name, data in no_images():
        api.fetch(api.store(data, name=name)["url"] + "?imageView/1/w/10/h/10")
    assert render(api, photo, "imageView/1/w/10/h/10").size == (10, 10)


@pytest.mark.extended
def test_source_over_the_limit_is_refused(new_server, rocket):
    api = new_server(LCFILE_IMAGES_MAX_SOURCE_SIZE="100KB").start().api()
    url = api.store(rocket)["url"]
    assert_refused(api.fetch(f"{url}?imageView/2/w/100"), 400, 400, "102400")
    assert api.fetch(url).content == rocket


def test_source_of_just_over_20_mb_is_refused(api, rocket):
    url = api.store(rocket + b"\0" * ((20 << 20) + 1 - len(rocket)))["url"]
    assert_refused(api.fetch(f"{url}?imageView/2/w/100"), 400, 400, "20971520")
