"""Exact sizes of what imageView, imageView2 and imageMogr2 give: rows of the tables in docs/image-options.md.

Sizes are decided without a pixel, so ImageSizeTableTests has all of these cases and more; here are some, rendered."""

import io
from itertools import product

import pytest
from cases import some
from geometry import Refused, expected_size
from image_words import asked_raw, size_or_refusal, stored, stored_turned
from pictures import plain
from PIL import Image

SOURCES = [(800, 600), (600, 800), (120, 60), (1, 1), (1, 997), (997, 1), (4000, 3)]

# The tables' own numbers

VIEWS = {
    0: [(133, 100), (100, 133), (120, 60)], 1: [(200, 100), (200, 100), (120, 60)],
    2: [(133, 100), (75, 100), (120, 60)], 3: [(200, 150), (200, 267), (120, 60)],
    4: [(200, 150), (150, 200), (120, 60)], 5: [(200, 100), (100, 200), (120, 60)],
}
TABLE = [
    (source, f"imageView2/{mode}/w/200/h/100", size) for mode, row in VIEWS.items() for source, size in zip(SOURCES, row)
] + [
    ((120, 60), "imageView2/1/w/100/h/100", (100, 60)),
] + [((800, 600), f"imageMogr2/{words}", size) for words, size in [
    ("thumbnail/!50p", (400, 300)), ("thumbnail/!50px", (400, 600)), ("thumbnail/!x50p", (800, 300)),
    ("thumbnail/200x", (200, 150)), ("thumbnail/x150", (200, 150)), ("thumbnail/400x400", (400, 300)),
    ("thumbnail/!400x400r", (533, 400)), ("thumbnail/400x400!", (400, 400)), ("thumbnail/400x400>", (400, 300)),
    ("thumbnail/400x>", (400, 300)), ("thumbnail/x400>", (533, 400)), ("thumbnail/1600x1600<", (1600, 1200)),
    ("thumbnail/!50px50p", (400, 300)), ("thumbnail/!50px25p", (400, 150)), ("thumbnail/!200px50p", (1600, 300)),
    ("thumbnail/1600x<", (1600, 1200)), ("thumbnail/x1200<", (1600, 1200)), ("thumbnail/200x<", (800, 600)),
    ("thumbnail/x150<", (800, 600)), ("thumbnail/800x<", (800, 600)), ("thumbnail/x600<", (800, 600)),
    ("thumbnail/100x!", (100, 75)), ("thumbnail/x150!", (200, 150)), ("thumbnail/!100xr", (100, 75)),
    ("thumbnail/250000@", (577, 433)), ("crop/300x400", (300, 400)), ("crop/300x", (300, 600)), ("crop/x400", (800, 400)),
    ("crop/!300x400a10a20", (300, 400)), ("crop/!300x400-10a20", (290, 400)),
    ("auto-orient/thumbnail/!50p/gravity/Center/crop/200x200/rotate/45", (283, 283)),
]]

VIEW_WORDS = [
    f"imageView2/{mode}/{box}" for mode in range(6) for box in ("w/200/h/100", "w/100/h/200", "w/50", "h/50", "w/9999/h/1")
] + [f"imageView/{words}" for words in (
    "1/w/200/h/100", "1/w/7/h/500", "1/w/64", "1/h/64", "2/w/200/h/100", "2/w/50", "2/h/50",
)]
MOGR_WORDS = [f"imageMogr2/thumbnail/{words}" for words in (
    "!50p", "!33p", "!250p", "!0p", "!100p", "!1p", "!1000p", "!50px", "!x50p", "!300px", "!x300p", "!0px", "!x0p",
    "200x", "x150", "3x", "x2", "400x400", "400x30", "!400x400r", "!90x40r", "400x400!", "9x700!",
    "400x400>", "400x>", "x400>", "5000x5000>", "90x40>", "1600x1600<", "800x600<", "801x601<", "1600x20<",
    "250000@", "10000@", "480000@", "25000000@", "25000001@",
    "20000x", "20000x20000", "10001x300", "!20000x20000r", "20000x20000!",
)]
CROP_WORDS = [f"imageMogr2/{words}" for words in (
    "crop/100x50", "crop/100x", "crop/x50", "crop/5000x5000", "crop/!100x50a10a20", "crop/!100x50-10-20", "crop/!5000x5000a1a1",
    "gravity/SouthEast/crop/!100x50-90-40", "gravity/Center/crop/!100x50a700a0", "gravity/North/crop/1x1",
    "rotate/90", "rotate/180", "rotate/270", "rotate/360", "rotate/1", "rotate/45", "rotate/150", "rotate/359",
    "blur/3x2", "sharpen/1", "auto-orient", "strip/format/png",
)]


@pytest.fixture(scope="module")
def urls(api):
    """An image of each size."""
    return {size: stored(api, plain(*size)) for size in SOURCES}


@pytest.fixture(scope="module")
def wide(urls):
    return urls[800, 600]


@pytest.mark.few(2)
@pytest.mark.parametrize("source, words, size", some(TABLE, 4))
def test_size_is_the_documents(api, urls, source, words, size):
    assert size_or_refusal(api, urls[source], words) == size


# A step that shares no factor with the number of sources, so that all of them are among the cases.
@pytest.mark.few(3)
@pytest.mark.parametrize("words, source", some(product(VIEW_WORDS + MOGR_WORDS + CROP_WORDS, SOURCES), 15), ids=str)
def test_size_follows_the_rules(api, urls, source, words):
    try:
        wanted = expected_size(words, *source)
    except Refused:
        wanted = 400
    assert size_or_refusal(api, urls[source], words) == wanted


# Ways to write the same

@pytest.mark.parametrize("words, size", some([
    ("imageView2/2/w/100.0/h/80.0", (100, 75)), ("imageView2/1/w/100.4/h/80.5", (100, 81)),
    ("imageView/1/w/99.5/h/80.49", (100, 80)), ("imageView2/2/w/100.0000000001", (100, 75)), ("imageView2/2/w/00100", (100, 75)),
    ("imageMogr2/thumbnail/100.0x80.0!", (100, 80)), ("imageMogr2/thumbnail/!50.0p", (400, 300)),
    ("imageMogr2/crop/10.5x20.4", (11, 20)),
    ("imageMogr2/crop/!780.0x590.0a30.0a5.0", (770, 590)), ("imageMogr2/thumbnail/250000.0@", (577, 433)),
], 4))
def test_fractions_are_rounded_half_up(api, wide, words, size):
    assert size_or_refusal(api, wide, words) == size


@pytest.mark.parametrize("words, size", some([
    ("imageView2/2/w/0/h/150", (200, 150)), ("imageView2/2/w/200/h/0", (200, 150)), ("imageView2/1/w/0/h/150", (150, 150)),
    ("imageView2/0/w/200/h/0", (200, 150)), ("imageView2/3/w/150/h/0", (200, 150)), ("imageView2/5/w/150/h/0", (150, 150)),
    ("imageView/1/w/0/h/150", (150, 150)), ("imageView2/2/w/0.0/h/150", (200, 150)),
    ("imageMogr2/thumbnail/0x150", (200, 150)), ("imageMogr2/thumbnail/200x0", (200, 150)),
    ("imageMogr2/thumbnail/0x0", (800, 600)), ("imageMogr2/thumbnail/!0x0r", (800, 600)),
    ("imageMogr2/thumbnail/0x0>", (800, 600)), ("imageMogr2/crop/0x50", (800, 50)), ("imageMogr2/crop/50x0", (50, 600)),
    ("imageMogr2/crop/!0x50a10a0", (790, 50)),
], 4))
def test_side_of_0_is_not_given(api, wide, words, size):
    assert size_or_refusal(api, wide, words) == size


@pytest.mark.parametrize("words", some([f"imageView2/{mode}/{box}" for mode in range(6) for box in ("w/0/h/0", "q/75")], 4))
def test_image_without_a_box_keeps_its_size(api, wide, words):
    assert size_or_refusal(api, wide, words) == (800, 600)


@pytest.mark.parametrize("words, size", some([
    ("imageView2/2/h/90/w/400", (120, 90)), ("imageView2/2/q/50/h/90/interlace/1/w/400", (120, 90)),
    ("imageView2/2/w/200/", (200, 150)), ("imageMogr2/thumbnail/200x/crop/50x50/", (50, 50)),
    ("imageMogr2/format/png/thumbnail/200x", (200, 150)),
    ("imageMogr2/crop/50x50/thumbnail/200x", (200, 200)), ("imageMogr2/thumbnail/200x/thumbnail/!50p", (100, 75)),
    ("imageMogr2/rotate/90/crop/50x700", (50, 700)), ("imageMogr2/crop/50x700/rotate/90", (600, 50)),
    ("imageMogr2/strip/thumbnail/200x/auto-orient", (200, 150)),
], 4))
def test_order_of_words(api, wide, words, size):
    assert size_or_refusal(api, wide, words) == size


@pytest.mark.parametrize("words, size", some([
    ("imageView2%2F2%2Fw%2F200", (200, 150)), ("imageView2/2/%77/2%30%30", (200, 150)),
    ("imageMogr2/thumbnail/50%25", (400, 300)), ("imageMogr2/thumbnail/50%25x", (400, 600)),
    ("imageMogr2/thumbnail/x50%25", (800, 300)), ("imageMogr2/thumbnail/400x400%5E", (533, 400)),
    ("imageMogr2/thumbnail/400x400%3E", (400, 300)), ("imageMogr2/thumbnail/1600x1600%3C", (1600, 1200)),
    ("imageMogr2/thumbnail/400x400%21", (400, 400)), ("imageMogr2/thumbnail/%2150p", (400, 300)),
    ("imageMogr2/thumbnail/250000%40", (577, 433)),
    ("imageMogr2/crop/790x590%2B20%2B30", (780, 570)), ("imageMogr2/crop/790x590-20-30", (770, 560)),
    ("imageView2/2/w/200%7CimageView2/2/w/100", (100, 75)), ("imageView2/2/w/200&v=3", (200, 150)),
    ("imageView2/2/w/200&v=3|imageView2/2/w/100", (200, 150)),
], 4))
def test_percent_encoding(api, wide, words, size):
    assert size_or_refusal(api, wide, words) == size


@pytest.mark.parametrize("words, size", [
    ("imageMogr2/thumbnail/400x400>", (400, 300)), ("imageMogr2/thumbnail/1600x1600<", (1600, 1200)),
    ("imageMogr2/thumbnail/400x400^", (533, 400)), ("imageMogr2/crop/790x590+20+30", (780, 570)),
    ("imageView2/2/w/200|imageView2/2/w/100", (100, 75)),
])
def test_signs_that_travel_as_they_stand(server, wide, words, size):
    answer = asked_raw(server, wide, words)
    assert answer.status == 200, answer.content[:200]
    assert Image.open(io.BytesIO(answer.content)).size == size


# What exceeds

@pytest.mark.parametrize("words", some([
    "imageMogr2/thumbnail/10000x", "imageMogr2/thumbnail/9000x9000!", "imageMogr2/thumbnail/!1000p", "imageView/1/w/9999/h/9999",
    "imageMogr2/thumbnail/9000x9000!/crop/10x10", "imageMogr2/thumbnail/9000x9000!/thumbnail/10x",
    "imageMogr2/thumbnail/9000x9000!|imageView2/2/w/10", "imageView2/2/w/10000", "imageMogr2/thumbnail/1000001x",
], 4))
def test_result_over_the_limits_is_refused(api, wide, words):
    assert size_or_refusal(api, wide, words) == 400


@pytest.mark.parametrize("words, size", some([
    ("imageView/2/w/200", (200, 667)), ("imageView2/2/w/200", (200, 667)), ("imageView2/1/w/900/h/900", (900, 900)),
    ("imageMogr2/thumbnail/200x", (200, 60)), ("imageMogr2/auto-orient/thumbnail/200x", (200, 667)),
    ("imageMogr2/crop/300x200", (300, 200)), ("imageMogr2/auto-orient", 400), ("imageMogr2/strip", 400),
], 4))
def test_source_may_be_larger_than_a_result(api, words, size):
    """Turning it upright first makes no result of it."""
    url = stored_turned(api, plain(10_000, 3_000), 6)
    assert size_or_refusal(api, url, words) == size


@pytest.mark.parametrize("crop", some(["!10x10a800a0", "!10x10a0a600", "!10x10-10a0", "!10x10a0-10", "!10x10-10-10"], 4))
def test_crop_beside_the_picture_is_refused(api, wide, crop):
    assert size_or_refusal(api, wide, f"imageMogr2/crop/{crop}") == 400


@pytest.mark.parametrize("words", some([
    "crop/!10x10a5", "crop/10x10+5", "crop/10x10-5", "rotate/0", "rotate/361", "thumbnail/!1001p", "gravity/center",
], 4))
def test_words_that_are_not_in_the_tables_are_refused(api, wide, words):
    assert size_or_refusal(api, wide, f"imageMogr2/{words}") == 400
