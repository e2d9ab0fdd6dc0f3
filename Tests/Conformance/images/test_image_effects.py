"""What imageMogr2 does beyond sizes and cuts: turning by any angle, blur, sharpen, the background of what is transparent."""

import pytest
from image_drawing import assert_alike, blurred, difference, drawn, nine
from image_words import answered, based, opened, stored
from PIL import Image, ImageFilter, ImageStat
from pictures import RED, WHITE, assert_close, plain


@pytest.fixture(scope="module")
def photo_url(api, rocket):
    return api.store(rocket)["url"]


def tips(image):
    """The four corners' own pixels."""
    return [image.convert("RGB").getpixel((x, y)) for x in (0, image.width - 1) for y in (0, image.height - 1)]


# Turning by other angles

@pytest.mark.few(2)
@pytest.mark.parametrize("degrees", [1, 30, 45, 89, 135, 200, 300, 359])
def test_turned_fields_lie_where_they_should(api, degrees):
    words = f"imageMogr2/rotate/{degrees}"
    seen = opened(answered(api, stored(api, nine()), words))
    assert_alike(seen, drawn(nine(), words), 2, 40)


@pytest.mark.parametrize("words, colour", [
    ("rotate/45", WHITE), (f"rotate/45/background/{based('red')}", (255, 0, 0)),
    (f"background/{based('#00ff80')}/rotate/45", (0, 255, 128)), (f"rotate/45/background/{based('#0F8')}", (0, 255, 136)),
    (f"rotate/30/background/{based('darkslategray')}", (47, 79, 79)),
])
def test_corners_of_a_turned_picture_have_the_background(api, words, colour):
    url = stored(api, plain(80, 80))
    assert_close(tips(opened(answered(api, url, f"imageMogr2/{words}"))), [colour] * 4, 2)


@pytest.mark.parametrize("degrees", [90, 180, 270, 360])
def test_right_angles_show_no_background(api, degrees):
    url = stored(api, plain(81, 50))
    seen = opened(answered(api, url, f"imageMogr2/rotate/{degrees}/background/{based('blue')}"))
    assert_close(tips(seen), [RED] * 4, 0)


# Blur and sharpen

def hills():
    """A small grey image with a dot, an edge and a slope."""
    image = Image.new("L", (64, 48), 30)
    image.paste(220, (40, 0, 64, 48))
    image.putpixel((14, 20), 255)
    for x in range(20):
        image.paste(12 * x, (x, 36, x + 1, 48))
    return image


@pytest.mark.few(2)
@pytest.mark.parametrize("radius, sigma", [(1, 1), (2, 1), (3, 10), (5, 2), (10, 3), (12, 50), (4, 0.5), (20, 7.5)])
def test_blur_is_a_gaussian_cut_off_at_the_radius(api, radius, sigma):
    url = stored(api, hills().convert("RGB"))
    seen = opened(answered(api, url, f"imageMogr2/blur/{radius}x{sigma}"))
    wanted = blurred(hills(), radius, sigma).convert("L")
    assert max(high for _, high in difference(seen, wanted).getextrema()) <= 2


def test_blur_reaches_no_further_than_its_radius(api):
    image = plain(41, 41, (0, 0, 0))
    image.paste((255, 255, 255), (18, 18, 23, 23))
    seen = opened(answered(api, stored(api, image), "imageMogr2/blur/6x50"))
    assert seen.getbbox() == (12, 12, 29, 29)


@pytest.mark.parametrize("words", ["blur/5x3", "blur/50x50", "blur/1x0.5"])
def test_blur_leaves_a_plain_picture(api, words):
    seen = opened(answered(api, stored(api, plain(60, 40)), f"imageMogr2/{words}"))
    assert_close(tips(seen), [RED] * 4, 1)


def roughness(image):
    """How strongly neighbours differ."""
    edges = image.convert("L").filter(ImageFilter.Kernel((3, 3), (0, -1, 0, -1, 4, -1, 0, -1, 0), 1, 128))
    # The filter leaves the outermost pixels as they were.
    return ImageStat.Stat(edges.crop((1, 1, image.width - 1, image.height - 1))).stddev[0]


def test_sharpen_makes_edges_mildly_stronger(api, photo_url):
    before, after = (
        opened(answered(api, photo_url, f"imageMogr2/format/png/thumbnail/300x/{words}")) for words in ("sharpen/0", "sharpen/1")
    )
    assert 1.05 < roughness(after) / roughness(before) < 2.5
    assert_alike(after, before, 8, 40)


def test_sharpen_leaves_what_is_plain(api):
    seen = opened(answered(api, stored(api, plain(60, 40)), "imageMogr2/sharpen/1"))
    assert_close(tips(seen), [RED] * 4, 1)


def test_blur_before_and_behind_a_thumbnail_differ(api, photo_url):
    before, behind = (
        roughness(opened(answered(api, photo_url, f"imageMogr2/format/png/{words}")))
        for words in ("blur/5x2/thumbnail/200x", "thumbnail/200x/blur/5x2")
    )
    assert before > behind * 1.2


# Transparency

@pytest.fixture(scope="module")
def glass(api):
    """Half of it red glass, half of it nothing."""
    image = plain(80, 60, (255, 0, 0, 128), "RGBA")
    image.paste((0, 0, 0, 0), (40, 0, 80, 60))
    return stored(api, image)


@pytest.mark.parametrize("words, left, right", [
    ("imageView2/2/w/80/format/jpg/q/100", (255, 127, 127), WHITE), ("imageView/2/w/80/format/jpg/q/100", (255, 127, 127), WHITE),
    ("imageMogr2/format/jpg/q/100", (255, 127, 127), WHITE),
    (f"imageMogr2/format/jpg/q/100/background/{based('blue')}", (128, 0, 127), (0, 0, 255)),
    (f"imageMogr2/background/{based('#000')}/format/jpg/q/100", (128, 0, 0), (0, 0, 0)),
])
def test_transparency_is_laid_on_the_background(api, glass, words, left, right):
    seen = opened(answered(api, glass, words)).convert("RGB")
    assert_close([seen.getpixel((15, 30)), seen.getpixel((65, 30))], [left, right], 4)


@pytest.mark.parametrize("format", ["png", "webp"])
def test_background_leaves_transparency_that_the_result_can_have(api, glass, format):
    seen = opened(answered(api, glass, f"imageMogr2/background/{based('blue')}/format/{format}")).convert("RGBA")
    assert [seen.getpixel((x, 30))[3] for x in (15, 65)] == [128, 0]


def test_edges_towards_transparency_do_not_darken(api):
    image = plain(90, 60, (0, 0, 0, 0), "RGBA")
    image.paste((255, 255, 255, 255), (0, 0, 45, 60))
    seen = opened(answered(api, stored(api, image), "imageView2/2/w/31")).convert("RGBA")
    shown = [seen.getpixel((x, 10)) for x in range(seen.width)]
    assert all(min(pixel[:3]) >= 250 for pixel in shown if pixel[3] > 8)
