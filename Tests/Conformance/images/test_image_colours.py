"""Colours become sRGB, whatever they were: embedded profiles, CMYK, 16 bits; and what shows through transparency."""

import io

import numpy
import pytest
from cases import covering, some
from client import assert_refused
from image_looks import BLACK, WHITE, farthest, fetched, mean, named, seen
from image_writers import GRAY, PROFILES, RGB, RGBA, SRGB, png, profile, read, samples
from pictures import GREEN, RED, encoded, plain
from PIL import Image, ImageCms, ImageColor
from uploading import url64

# Saturated enough to differ between profiles, and inside what sRGB can show.
MEANT = (120, 160, 90)


TAGGED = ["JPEG", "PNG", "WEBP", "TIFF", "AVIF", "HEIF"]
ANGLES = [f"imageMogr2/rotate/90/format/{format}" for format in ("png", "jpg", "webp", "avif", "gif")]
WAYS = ["imageView2/2/w/40/format/png", "imageView/1/w/20/h/20/format/png", "imageMogr2/format/png",
        "imageMogr2/crop/40x40/format/png", "imageMogr2/thumbnail/100x/format/png", *ANGLES]


def in_srgb(colour, icc, mode="RGB"):
    """What a colour of the profile is in sRGB, as another library says."""
    picture = Image.new(mode, (1, 1), colour)
    theirs = ImageCms.ImageCmsProfile(io.BytesIO(icc))
    return ImageCms.profileToProfile(picture, theirs, SRGB, outputMode="RGB").getpixel((0, 0))


def stored(api, data, name="picture"):
    return api.store(data, name=name)["url"]


# Profiles

@pytest.mark.few(2)
@pytest.mark.parametrize("name, words", covering(PROFILES, WAYS))
def test_embedded_profile_is_applied(api, name, words):
    url = stored(api, encoded(plain(64, 64, MEANT), "PNG", icc_profile=PROFILES[name]))
    assert farthest([mean(seen(api, f"{url}?{words}"))], [in_srgb(MEANT, PROFILES[name])]) <= 6


@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("name", ["P3", "swapped"])
@pytest.mark.parametrize("format", TAGGED)
def test_profile_of_each_format_is_applied(api, format, name):
    options = {} if format in ("PNG", "TIFF") else {"quality": 95}
    url = stored(api, encoded(plain(64, 64, MEANT), format, icc_profile=PROFILES[name], **options))
    assert farthest([mean(seen(api, f"{url}?imageView2/2/w/40/format/png"))], [in_srgb(MEANT, PROFILES[name])]) <= 6


@pytest.mark.parametrize("format", ["PNG", "JPEG", "TIFF"])
def test_profile_of_gray_is_applied(api, format):
    icc = profile([], gamma=1.0)
    url = stored(api, encoded(plain(64, 64, 100, "L"), format, icc_profile=icc))
    assert farthest([mean(seen(api, f"{url}?imageView2/2/w/40/format/png"))], [in_srgb(100, icc, "L")]) <= 4


def test_profile_is_applied_with_transparency(api):
    picture = plain(64, 64, (*MEANT, 255), "RGBA")
    url = stored(api, encoded(picture, "PNG", icc_profile=PROFILES["swapped"]))
    image = seen(api, f"{url}?imageView2/2/w/40")
    assert farthest([mean(image)], [in_srgb(MEANT, PROFILES["swapped"])]) <= 4


LAB = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
UNFITTING = {
    "gray with RGB": ("L", 100, PROFILES["swapped"]), "gray with LAB": ("L", 100, LAB),
    "gray with a part": ("L", 100, profile([])[:150]), "gray with junk": ("L", 100, b"junk" * 50),
    "RGB with gray": ("RGB", MEANT, profile([], gamma=1.0)), "RGB with LAB": ("RGB", MEANT, LAB),
    "RGB with a part": ("RGB", MEANT, PROFILES["swapped"][:150]), "RGB with junk": ("RGB", MEANT, b"junk" * 50),
    "RGB without curves": ("RGB", MEANT, PROFILES["swapped"].replace(b"curv", b"junk")),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name, format, words", covering(UNFITTING, ["JPEG", "PNG", "TIFF"], [
    "imageView2/2/w/40/format/png", "imageMogr2/format/png", "imageMogr2/thumbnail/50x|imageMogr2/thumbnail/20x/format/png",
], times=3))
def test_profile_that_does_not_fit_is_ignored(api, name, format, words):
    mode, colour, icc = UNFITTING[name]
    url = stored(api, encoded(plain(64, 64, colour, mode), format, icc_profile=icc))
    wanted = (colour,) * 3 if mode == "L" else colour
    assert farthest([mean(seen(api, f"{url}?{words}"))], [wanted]) <= 6


@pytest.mark.each_value
@pytest.mark.parametrize("format", ["jpg", "png", "webp", "avif"])
@pytest.mark.parametrize("words", ["imageView2/2/w/40", "imageMogr2", "imageMogr2/rotate/90"])
def test_profile_is_left_out(api, words, format):
    url = stored(api, encoded(plain(64, 64, MEANT), "JPEG", icc_profile=PROFILES["P3"]))
    data = fetched(api, f"{url}?{words}/format/{format}").content
    assert "icc_profile" not in read(data).info
    assert PROFILES["P3"][128:] not in data


def test_mean_colour_is_that_of_srgb(api):
    url = stored(api, encoded(plain(64, 64, MEANT), "PNG", icc_profile=PROFILES["swapped"]))
    value = api.fetch(f"{url}?imageAve").json()["RGB"]
    colour = tuple(int(value[place : place + 2], 16) for place in (2, 4, 6))
    assert farthest([colour], [in_srgb(MEANT, PROFILES["swapped"])]) <= 4


def test_marks_keep_their_colours_on_a_picture_with_a_profile(api):
    url = stored(api, encoded(plain(64, 64, MEANT), "PNG", icc_profile=PROFILES["swapped"]))
    mark = stored(api, encoded(plain(20, 20, RED), "PNG"))
    image = seen(api, f"{url}?watermark/1/image/{url64(mark)}/gravity/NorthWest/dx/0/dy/0")
    assert farthest([mean(image, (4, 4, 16, 16))], [RED]) <= 4


# CMYK

INKS = {
    "paper": (0, 0, 0, 0), "cyan": (255, 0, 0, 0), "magenta": (0, 255, 0, 0), "yellow": (0, 0, 255, 0),
    "black": (0, 0, 0, 255), "red": (0, 255, 255, 0), "green": (255, 0, 255, 0), "blue": (255, 255, 0, 0),
}
PRINTED = {
    "paper": WHITE, "cyan": (0, 160, 230), "magenta": (230, 20, 130), "yellow": (255, 240, 0), "black": (20, 20, 20),
    "red": (230, 30, 35), "green": (0, 150, 70), "blue": (50, 50, 145),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("ink, kind, format", covering(
    INKS, ["JPEG", "TIFF"], ["png", "jpg", "webp", "gif", "avif"], times=2,
))
def test_ink_has_its_colour(api, ink, kind, format):
    url = stored(api, encoded(plain(64, 64, INKS[ink], "CMYK"), kind))
    colour = mean(seen(api, f"{url}?imageView2/2/w/40/format/{format}"))
    assert named([colour], PRINTED) == [ink], colour


@pytest.mark.parametrize("kind", ["JPEG", "TIFF"])
def test_paper_without_ink_is_white(api, kind):
    url = stored(api, encoded(plain(64, 64, (0, 0, 0, 0), "CMYK"), kind))
    assert farthest([mean(seen(api, f"{url}?imageView2/2/w/40/format/png"))], [WHITE]) <= 3


# 16 bits

def ramp():
    """Each value from 0 to 65535 in steps of 257, from left to right."""
    return numpy.tile(numpy.arange(256, dtype=numpy.uint32).reshape(1, -1, 1) * 257, (8, 1, 1))


@pytest.mark.parametrize("format", ["png", "webp", "gif"])
@pytest.mark.parametrize("channels", [1, 3])
def test_16_bits_become_8_evenly(api, channels, format):
    values = numpy.repeat(ramp(), channels, axis=2)
    url = stored(api, png(values, 16, GRAY if channels == 1 else RGB))
    image = seen(api, f"{url}?imageMogr2/format/{format}").convert("RGB")
    places = range(8, 256, 16)
    # A GIF has not all of the grays, and WebP loses some.
    tolerance = 1 if format == "png" else 8
    assert farthest([image.getpixel((x, 4)) for x in places], [(x, x, x) for x in places]) <= tolerance


def test_low_byte_of_16_bits_counts_for_little(api):
    url = stored(api, png(numpy.full((40, 40, 3), 100 * 256 + 255), 16, RGB))
    assert farthest([mean(seen(api, f"{url}?imageMogr2/auto-orient"))], [(100, 100, 100)]) <= 1


def test_alpha_of_16_bits_becomes_8(api):
    values = numpy.full((40, 40, 4), 65535)
    values[:, :, 3] = 128 * 257
    image = seen(api, stored(api, png(values, 16, RGBA)) + "?imageMogr2/auto-orient")
    assert abs(image.convert("RGBA").getpixel((20, 20))[3] - 128) <= 1


# Transparency

def clear(alpha=0, colour=(0, 0, 0)):
    return plain(64, 64, (*colour, alpha), "RGBA")


def on(ground):
    return f"imageMogr2/background/{url64(ground)}/format/jpg"


@pytest.mark.few(2)
@pytest.mark.parametrize("format, words", covering(["PNG", "WEBP", "TIFF", "AVIF", "HEIF", "JXL", "JPEG2000", "GIF"], [
    "imageView/2/w/40/format/jpg", "imageView2/2/w/40/format/jpg", "imageMogr2/format/jpg",
    "imageMogr2/rotate/90/format/jpg",
]))
def test_transparency_is_white_in_a_jpeg(api, format, words):
    url = stored(api, encoded(clear(), format))
    assert farthest([mean(seen(api, f"{url}?{words}"))], [WHITE]) <= 2


@pytest.mark.parametrize("alpha", [64, 128, 192])
def test_half_transparency_lets_the_ground_through(api, alpha):
    url = stored(api, encoded(clear(alpha, (200, 0, 0)), "PNG"))
    part = alpha / 255
    expected = tuple(round(value * part + 255 * (1 - part)) for value in (200, 0, 0))
    assert farthest([mean(seen(api, f"{url}?imageView2/2/w/40/format/jpg"))], [expected]) <= 4


@pytest.mark.parametrize("alpha", [64, 128, 192])
def test_half_transparency_lets_another_ground_through(api, alpha):
    url = stored(api, encoded(clear(alpha, (200, 0, 0)), "PNG"))
    part = alpha / 255
    expected = tuple(round(value * part + ground * (1 - part)) for value, ground in zip((200, 0, 0), (0, 0, 255)))
    assert farthest([mean(seen(api, f"{url}?{on('blue')}"))], [expected]) <= 4


@pytest.mark.few(2)
@pytest.mark.parametrize("format", ["png", "webp", "avif"])
@pytest.mark.parametrize("alpha", [0, 128, 255])
def test_transparency_stays_where_the_format_has_it(api, alpha, format):
    url = stored(api, encoded(clear(alpha, RED), "PNG"))
    image = seen(api, f"{url}?imageView2/2/w/40/format/{format}").convert("RGBA")
    assert abs(image.getpixel((20, 20))[3] - alpha) <= 3


@pytest.mark.parametrize("format", ["png", "webp", "avif", "gif"])
def test_background_changes_nothing_where_transparency_stays(api, format):
    url = stored(api, encoded(clear(), "PNG"))
    image = seen(api, f"{url}?imageMogr2/background/{url64('red')}/format/{format}").convert("RGBA")
    assert image.getpixel((20, 20))[3] == 0


@pytest.mark.few(2)
@pytest.mark.parametrize("words", [
    "imageView2/2/w/32", "imageView2/1/w/30/h/20", "imageMogr2/thumbnail/!50p", "imageMogr2/blur/3x2",
])
def test_colour_of_what_is_transparent_does_not_bleed(api, words):
    """Opaque red beside transparent black: nothing that can be seen is darker than red."""
    picture = clear()
    picture.paste((*RED, 255), (0, 0, 31, 64))
    data = numpy.asarray(seen(api, stored(api, encoded(picture, "PNG")) + f"?{words}").convert("RGBA")).astype(int)
    visible = data[data[:, :, 3] > 40]
    assert len(visible) and visible[:, 0].min() >= RED[0] - 30
    flat = numpy.asarray(seen(api, stored(api, encoded(picture, "PNG")) + f"?{words}/format/jpg")).astype(int)
    assert flat[:, :, 0].min() >= RED[0] - 30


# Words for colours

@pytest.fixture(scope="module")
def window(api):
    """An image that is transparent all over."""
    return stored(api, encoded(plain(24, 24, (0, 0, 0, 0), "RGBA"), "PNG"))


@pytest.mark.parametrize("name", some(sorted(ImageColor.colormap), 12))
def test_css_name_is_its_colour(api, window, name):
    assert farthest([mean(seen(api, f"{window}?{on(name)}"))], [ImageColor.getrgb(name)[:3]]) <= 4


@pytest.mark.parametrize("text, colour", [
    ("#c08040", (192, 128, 64)), ("#C08040", (192, 128, 64)), ("#c84", (204, 136, 68)), ("#C84", (204, 136, 68)),
    ("#000000", BLACK), ("#fff", WHITE), ("#0f0", (0, 255, 0)),
])
def test_number_is_its_colour(api, window, text, colour):
    assert farthest([mean(seen(api, f"{window}?{on(text)}"))], [colour]) <= 3


def test_base64_may_be_padded_or_not(api, window):
    padded = url64("#c08040")
    assert padded.endswith("=")
    results = [fetched(api, f"{window}?imageMogr2/background/{word}/format/jpg").content
               for word in (padded, padded.rstrip("="), padded.replace("=", "%3D"))]
    assert len(set(results)) == 1


@pytest.mark.parametrize("text", [
    "c08040", "#c0804", "#c0", "#", "#c080400", "#gggggg", "#ｆｆｆ", "nosuchcolour", "", " ", "rgb(1,2,3)", "#12345678",
    "white\0",
])
def test_what_is_no_colour_is_refused(api, window, text):
    assert_refused(api.fetch(f"{window}?{on(text)}"), 400, 400, "Bad image request")


@pytest.mark.parametrize("word", ["white", "d2hpdGU*", "_w", "!!!!", "%20", "gICA"])
def test_what_is_no_base64_text_is_refused(api, window, word):
    assert_refused(api.fetch(f"{window}?imageMogr2/background/{word}/format/jpg"), 400, 400, "Bad image request")


@pytest.mark.parametrize("degrees", [30, 45, 123])
def test_corners_of_a_turned_picture_have_the_background(api, degrees):
    url = stored(api, encoded(plain(60, 60, RED), "PNG"))
    image = seen(api, f"{url}?imageMogr2/rotate/{degrees}/background/{url64('#14c814')}")
    width, height = image.size
    places = [(1, 1), (width - 2, 1), (1, height - 2), (width - 2, height - 2)]
    assert farthest([image.convert("RGB").getpixel(place) for place in places], [GREEN] * 4) <= 6


def test_samples_are_even():
    """Guards the helper: 8 bits are stretched over 16 without loss."""
    assert samples(plain(1, 1, (0, 128, 255)), 16).ravel().tolist() == [0, 128 * 257, 65535]
