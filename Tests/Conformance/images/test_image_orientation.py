"""EXIF orientation: who turns images upright, who leaves them, and what the result says of it."""

import pytest
from cases import covering
from image_drawing import assert_alike, assert_same, drawn, mosaic
from image_words import ORIENTATION, answered, opened, stored_turned
from pictures import encoded, named_corners, quarters
from PIL import ImageOps

FORMATS = ["JPEG", "PNG", "WEBP", "TIFF"]
LOSSLESS = {"JPEG": {"quality": 95, "subsampling": 0}, "WEBP": {"lossless": True}, "PNG": {}, "TIFF": {}}
ORIENTATIONS = range(1, 9)
EACH = pytest.mark.parametrize("orientation", ORIENTATIONS)

UPRIGHT = [
    "imageView/2/w/60", "imageView/1/w/40/h/60", "imageView2/0/w/60", "imageView2/1/w/60/h/40", "imageView2/2/w/60",
    "imageView2/3/w/60/h/10", "imageView2/4/w/60/h/10", "imageView2/5/w/60/h/30", "imageMogr2/auto-orient/thumbnail/60x",
    "imageMogr2/auto-orient/strip/thumbnail/60x", "imageMogr2/auto-orient/gravity/SouthEast/crop/50x40",
]
AS_IT_LIES = [
    "imageMogr2/thumbnail/60x", "imageMogr2/thumbnail/60x40!", "imageMogr2/gravity/SouthEast/crop/50x40", "imageMogr2/rotate/90",
    "imageMogr2/blur/1x0.3",
]


@pytest.fixture(scope="module")
def turned(api):
    """An image's URL by its format and orientation, stored when it is asked for first."""
    urls = {}

    def url(format, orientation):
        if (format, orientation) not in urls:
            urls[format, orientation] = stored_turned(api, mosaic(), orientation, format, **LOSSLESS[format])
        return urls[format, orientation]

    return url


def said(image):
    return image.getexif().get(ORIENTATION, 1)


# Upright

@pytest.mark.few(2)
@pytest.mark.parametrize("words, format, orientation", covering(
    ["imageView/2/w/500", "imageView2/2/w/500", "imageMogr2/auto-orient"], FORMATS, ORIENTATIONS, times=2,
))
def test_picture_is_upright_to_the_pixel(api, turned, format, orientation, words):
    seen = opened(answered(api, turned(format, orientation), f"{words}/format/png"))
    wanted = drawn(mosaic(), "imageMogr2/auto-orient", orientation)
    if format == "JPEG":
        assert_alike(seen, wanted, 12, 40)
    else:
        assert_same(seen, wanted)


@pytest.mark.few(2)
@pytest.mark.parametrize("words, orientation", covering(UPRIGHT, ORIENTATIONS))
def test_sizes_and_cuts_are_those_of_the_upright_picture(api, turned, orientation, words):
    seen = opened(answered(api, turned("JPEG", orientation), words))
    assert seen.size == drawn(mosaic(), words, orientation).size


@pytest.mark.few(2)
@pytest.mark.parametrize("words, format, orientation", covering(
    ["imageView/2/w/60", "imageView2/2/w/60", "imageMogr2/auto-orient", "imageMogr2/auto-orient/strip"], FORMATS,
    ORIENTATIONS, times=2,
))
def test_upright_picture_says_no_orientation(api, turned, format, orientation, words):
    assert said(opened(answered(api, turned(format, orientation), words))) == 1


@pytest.mark.few(2)
@pytest.mark.parametrize("words, orientation", covering(
    ["imageView2/1/w/120/h/120", "imageMogr2/auto-orient/thumbnail/!50p", "imageView/1/w/200/h/100"], ORIENTATIONS,
))
def test_corners_lie_where_viewers_show_them(api, orientation, words):
    url = stored_turned(api, quarters(), orientation, quality=95)
    upright = ImageOps.exif_transpose(opened(api.fetch(url).content))
    assert named_corners(opened(answered(api, url, words))) == named_corners(upright)


# As it lies

@pytest.mark.few(2)
@pytest.mark.parametrize("words, format, orientation", covering(AS_IT_LIES, FORMATS, ORIENTATIONS, times=2))
def test_picture_that_is_not_turned_keeps_its_orientation(api, turned, format, orientation, words):
    seen = opened(answered(api, turned(format, orientation), words))
    assert (seen.size, said(seen)) == (drawn(mosaic(), words).size, orientation)


@pytest.mark.few(2)
@pytest.mark.parametrize("format, orientation", covering(["PNG", "WEBP", "TIFF"], ORIENTATIONS))
def test_pixels_stay_as_they_lie_without_auto_orient(api, turned, format, orientation):
    words = "imageMogr2/gravity/East/crop/51x33"
    seen = opened(answered(api, turned(format, orientation), f"{words}/format/png"))
    assert_same(seen, drawn(mosaic(), words))


@pytest.mark.parametrize("result, orientation", covering(["jpg", "png", "webp"], ORIENTATIONS))
def test_orientation_is_kept_in_every_format_that_can_say_it(api, turned, orientation, result):
    seen = opened(answered(api, turned("JPEG", orientation), f"imageMogr2/thumbnail/60x/format/{result}"))
    assert (seen.size, said(seen)) == ((60, 45), orientation)


@pytest.mark.parametrize("words, orientation", covering([
    "imageMogr2/strip/thumbnail/60x", "imageMogr2/thumbnail/60x/strip", "imageMogr2/thumbnail/60x/format/gif",
], ORIENTATIONS))
def test_strip_and_gif_drop_the_orientation_and_turn_nothing(api, turned, orientation, words):
    seen = opened(answered(api, turned("JPEG", orientation), words))
    assert (seen.size, said(seen)) == ((60, 45), 1)


# Steps and chains

@pytest.mark.few(2)
@pytest.mark.parametrize("words, orientation", covering([
    "imageMogr2/auto-orient/crop/51x33", "imageMogr2/crop/51x33/auto-orient", "imageMogr2/auto-orient/auto-orient",
    "imageMogr2/auto-orient/rotate/90", "imageMogr2/rotate/90/auto-orient", "imageView2/2/w/500|imageMogr2/auto-orient",
    "imageMogr2/gravity/SouthEast/crop/51x33|imageView2/2/w/500", "imageView2/2/w/500|imageMogr2/crop/51x33",
    "imageMogr2/auto-orient|imageMogr2/gravity/South/crop/51x33", "imageMogr2/crop/80x70|imageMogr2/crop/51x33|imageView2/2/w/500",
    "imageMogr2/strip|imageMogr2/gravity/South/crop/51x33",
], ORIENTATIONS))
def test_turning_keeps_its_place_among_the_steps(api, turned, orientation, words):
    seen = opened(answered(api, turned("PNG", orientation), words))
    assert_same(seen, drawn(mosaic(), words, orientation))
    assert said(seen) == 1


@EACH
def test_chain_of_steps_keeps_the_orientation(api, turned, orientation):
    words = "imageMogr2/crop/80x70|imageMogr2/gravity/East/crop/51x33"
    seen = opened(answered(api, turned("PNG", orientation), words))
    assert_same(seen, drawn(mosaic(), words))
    assert said(seen) == orientation


@pytest.mark.few(2)
@EACH
def test_viewers_show_the_result_as_they_show_the_source(api, orientation):
    source = encoded(quarters(), "JPEG", quality=95)
    url = stored_turned(api, opened(source), orientation, quality=95)
    before = ImageOps.exif_transpose(opened(api.fetch(url).content))
    after = ImageOps.exif_transpose(opened(answered(api, url, "imageMogr2/thumbnail/!50p")))
    assert (after.size, named_corners(after)) == ((before.width // 2, before.height // 2), named_corners(before))
