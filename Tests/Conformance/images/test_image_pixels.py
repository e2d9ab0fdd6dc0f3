"""What sizes and cuts of imageView, imageView2 and imageMogr2 show: the right part, in its place, as Pillow draws it."""

import io

import pytest
from cases import covering
from geometry import GRAVITIES, Refused
from image_drawing import assert_alike, assert_in_place, assert_same, drawn, field, mosaic, nine
from image_words import ORIENTATION, answered, opened, stored
from image_writers import PROFILES, SRGB
from pictures import encoded
from PIL import Image, ImageCms

# How far a photograph may lie from Pillow's: on average, and in the worst 8 x 8 pixels. One pixel's shift is 3 to 8 on average.
MEAN, WORST = 1.5, 16
# With edges on a background.
TURNED_MEAN, TURNED_WORST = 2, 40


def between(image, source, target):
    """The image in other colours, without any profile."""
    image = ImageCms.profileToProfile(image, source, target, ImageCms.Intent.RELATIVE_COLORIMETRIC)
    image.info.clear()
    return image


def in_srgb(image):
    """An image with a profile in sRGB."""
    return between(image, ImageCms.ImageCmsProfile(io.BytesIO(image.info["icc_profile"])), SRGB)


@pytest.fixture(scope="module")
def photo(rocket):
    """The photograph in sRGB, without any profile."""
    return in_srgb(Image.open(io.BytesIO(rocket)))


@pytest.fixture(scope="module")
def photo_url(api, photo):
    return stored(api, photo)


@pytest.fixture(scope="module")
def mosaic_url(api):
    return stored(api, mosaic())


@pytest.fixture(scope="module")
def nine_url(api):
    return stored(api, nine())


# Photographs

VIEWS = [f"imageView2/{mode}/w/{w}/h/{h}" for mode in range(6) for w, h in [(200, 100), (100, 200), (150, 150)]] + [
    "imageView2/2/w/320", "imageView2/2/h/100", "imageView/1/w/200/h/100", "imageView/1/w/100/h/200", "imageView/2/w/200/h/200",
]
STEPS = [f"imageMogr2/{words}" for words in (
    "thumbnail/!50p", "thumbnail/!30px", "thumbnail/!x30p", "thumbnail/200x", "thumbnail/x150", "thumbnail/300x300",
    "thumbnail/!300x300r", "thumbnail/200x200!", "thumbnail/300x300>", "thumbnail/30000@",
    "thumbnail/200x/crop/100x100", "thumbnail/200x/gravity/Center/crop/100x100", "crop/300x300/thumbnail/150x",
    "gravity/SouthEast/crop/!300x200-21-13/thumbnail/!50p", "thumbnail/!50p/rotate/90", "rotate/90/thumbnail/100x",
    "rotate/270/gravity/South/crop/200x200/thumbnail/77x",
)]
CHAINS = [
    "imageView2/1/w/200/h/200|imageMogr2/rotate/90", "imageMogr2/crop/300x300|imageView2/2/w/100",
    "imageMogr2/gravity/North/crop/400x200|imageMogr2/rotate/180|imageView2/1/w/90/h/90",
    "imageView2/0/w/300/h/150|imageMogr2/thumbnail/!50px|imageView2/5/w/60/h/50",
]


@pytest.mark.few(2)
@pytest.mark.parametrize("words", VIEWS + STEPS + CHAINS)
def test_photo_is_pillows(api, photo, photo_url, words):
    seen, wanted = opened(answered(api, photo_url, words)), drawn(photo, words)
    assert_alike(seen, wanted, MEAN, WORST)
    assert_in_place(seen, wanted)


@pytest.mark.few(2)
@pytest.mark.parametrize("words", [f"imageMogr2/{words}" for words in (
    "thumbnail/200x/rotate/30", "thumbnail/200x/rotate/45", "thumbnail/200x/rotate/200", "rotate/45/thumbnail/200x",
    "thumbnail/200x/rotate/45/gravity/Center/crop/90x90",
)])
def test_turned_photo_is_pillows(api, photo, photo_url, words):
    seen, wanted = opened(answered(api, photo_url, words)), drawn(photo, words)
    assert_alike(seen, wanted, TURNED_MEAN, TURNED_WORST)
    assert_in_place(seen, wanted)


@pytest.mark.few(2)
@pytest.mark.parametrize("words", [
    "imageMogr2/thumbnail/!200p", "imageMogr2/thumbnail/900x", "imageMogr2/thumbnail/900x900<", "imageMogr2/thumbnail/600000@",
    "imageMogr2/thumbnail/700x600!", "imageMogr2/crop/100x100/thumbnail/!300p", "imageMogr2/thumbnail/!x150p",
    "imageView/1/w/800/h/700",
])
def test_enlarged_photo_is_pillows_but_for_half_a_pixel(api, photo, photo_url, words):
    seen, wanted = opened(answered(api, photo_url, words)), drawn(photo, words)
    assert_alike(seen.reduce(4), wanted.reduce(4), 1.5, 20)


@pytest.mark.parametrize("words", [
    "imageView2/1/w/200/h/200", "imageView/2/w/320", "imageMogr2/thumbnail/!40p", "imageMogr2/crop/300x200",
])
def test_photo_with_a_profile_is_pillows_in_srgb(api, photo, rocket, words):
    url = api.store(rocket)["url"]
    seen, wanted = opened(answered(api, url, f"{words}/format/png")), drawn(photo, words)
    assert_alike(seen, wanted, MEAN, WORST)
    assert_in_place(seen, wanted)


@pytest.mark.few(2)
@pytest.mark.parametrize("format, mean, worst", [("jpg", 3, 16), ("webp", 4, 40), ("gif", 4, 24)])
@pytest.mark.parametrize("words", ["imageView2/1/w/200/h/200", "imageMogr2/thumbnail/!40p"])
def test_photo_in_formats_that_lose_is_nearly_pillows(api, photo, photo_url, words, format, mean, worst):
    seen, wanted = opened(answered(api, photo_url, f"{words}/q/90/format/{format}")), drawn(photo, words)
    assert_alike(seen, wanted, mean, worst)
    assert_in_place(seen, wanted)


# JPEGs of odd sides, which are decoded the smaller the smaller the result is

def as_jpeg(image, **options):
    return encoded(image, "JPEG", quality=90, **options)


def in_gray(photo):
    """A file, and the image in it as it lies."""
    data = as_jpeg(photo.convert("L"))
    return data, opened(data)


def with_a_profile(photo):
    icc = PROFILES["swapped"]
    image = between(photo, SRGB, ImageCms.ImageCmsProfile(io.BytesIO(icc)))
    data = as_jpeg(image, icc_profile=icc)
    return data, in_srgb(opened(data))


def turned(photo):
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    data = as_jpeg(photo, exif=exif)
    return data, opened(data)


@pytest.mark.each_value
# Decoded at one, two, three and eight eighths of its sides.
@pytest.mark.parametrize("side", [40, 90, 190, 500])
@pytest.mark.parametrize("make, orientation", [(in_gray, 1), (with_a_profile, 1), (turned, 6)], ids=["gray", "profile", "turned"])
def test_shrunk_jpeg_is_pillows(api, photo, make, orientation, side):
    data, picture = make(photo.resize((801, 603)))
    url = api.store(data, name="photo.jpg")["url"]
    # The longer side, which is the same one before the image is turned.
    words = f"imageView2/0/w/{side}"
    seen, wanted = opened(answered(api, url, f"{words}/format/png")), drawn(picture, words, orientation)
    assert_alike(seen, wanted, MEAN, WORST)
    assert_in_place(seen, wanted)


# Cuts without scaling: every pixel

OFFSETS = ["", "a10a20", "a10-20", "-10a20", "-10-20", "a0a0", "a45a30", "-45-30", "-70a50"]


@pytest.mark.few(2)
@pytest.mark.parametrize("gravity, offset", covering(GRAVITIES, OFFSETS, times=2))
def test_crop_is_the_right_rectangle(api, mosaic_url, gravity, offset):
    words = f"imageMogr2/gravity/{gravity}/crop/!51x33{offset}"
    try:
        wanted = drawn(mosaic(), words)
    except Refused:
        assert api.fetch(f"{mosaic_url}?{words}").status_code == 400
    else:
        assert_same(opened(answered(api, mosaic_url, words)), wanted)


@pytest.mark.few(2)
@pytest.mark.parametrize("crop", [
    "51x", "x33", "500x33", "51x500", "!51xa5a7", "!x33-5-7", "!500x500a10a20", "!500x500-10-20", "1x1", "119x89",
])
@pytest.mark.parametrize("gravity", ["NorthWest", "Center", "SouthEast"])
def test_crop_with_missing_and_long_sides(api, mosaic_url, gravity, crop):
    words = f"imageMogr2/gravity/{gravity}/crop/{crop}"
    assert_same(opened(answered(api, mosaic_url, words)), drawn(mosaic(), words))


@pytest.mark.parametrize("words, left_top", [
    ("crop/51x33", (0, 0)), ("crop/51x33/gravity/SouthEast", (0, 0)), ("gravity/SouthEast/crop/51x33", (69, 57)),
])
def test_gravity_holds_for_crops_behind_it(api, mosaic_url, words, left_top):
    seen = opened(answered(api, mosaic_url, f"imageMogr2/{words}"))
    assert seen.convert("RGB").getpixel((0, 0)) == mosaic().getpixel(left_top)


@pytest.mark.parametrize("words", [
    "imageView2/1/w/51/h/200", "imageView2/1/w/300/h/33", "imageView2/1/w/50/h/90", "imageView2/1/w/120/h/90",
    "imageView2/5/w/51/h/90", "imageView2/5/w/120/h/33", "imageView/1/w/51/h/90", "imageView/1/w/120/h/33",
])
def test_cut_of_a_view_begins_at_half_of_the_free_length(api, mosaic_url, words):
    assert_same(opened(answered(api, mosaic_url, words)), drawn(mosaic(), words))


@pytest.mark.parametrize("words", [
    "imageView2/0/w/500", "imageView2/2/w/500/h/500", "imageView2/3/w/500/h/1", "imageView2/4/w/500/h/500", "imageView/2/w/500",
    "imageMogr2/thumbnail/500x500>", "imageMogr2/thumbnail/50x500<", "imageMogr2/thumbnail/!100p", "imageMogr2/thumbnail/120x90!",
    "imageMogr2/rotate/360", "imageMogr2/sharpen/0", "imageMogr2/auto-orient/strip", "imageMogr2/gravity/Center",
])
def test_what_changes_nothing_leaves_every_pixel(api, mosaic_url, words):
    assert_same(opened(answered(api, mosaic_url, words)), mosaic())


@pytest.mark.parametrize("words", [
    "rotate/90", "rotate/180", "rotate/270", "rotate/90/rotate/90/rotate/90", "rotate/90/crop/33x51", "crop/51x33/rotate/90",
    "gravity/SouthEast/crop/51x33/crop/20x20", "rotate/180/gravity/East/crop/!51x33-3a4/rotate/270",
])
def test_right_angles_are_exact_and_steps_keep_their_order(api, mosaic_url, words):
    words = f"imageMogr2/{words}"
    assert_same(opened(answered(api, mosaic_url, words)), drawn(mosaic(), words))


# Marks

@pytest.mark.few(2)
@pytest.mark.parametrize("format", ["png", "jpg", "webp", "gif"])
@pytest.mark.parametrize("gravity", GRAVITIES)
def test_each_gravity_shows_its_field(api, nine_url, gravity, format):
    words = f"imageMogr2/thumbnail/!50p/gravity/{gravity}/crop/30x20/format/{format}"
    seen = opened(answered(api, nine_url, words)).convert("RGB")
    assert {field(seen.getpixel((x, y))) for x in (4, 15, 25) for y in (4, 10, 15)} == {gravity}


@pytest.mark.parametrize("words, fields", [
    ("imageView2/1/w/60/h/120", {"North", "Center", "South"}), ("imageView2/1/w/180/h/40", {"West", "Center", "East"}),
    ("imageView2/5/w/180/h/40", {"West", "Center", "East"}), ("imageView/1/w/20/h/40", {"North", "Center", "South"}),
    ("imageView/1/w/240/h/50", {"West", "Center", "East"}), ("imageView2/2/w/90", set(GRAVITIES)),
    ("imageView2/0/w/90", set(GRAVITIES)), ("imageView2/3/w/60/h/60", set(GRAVITIES)), ("imageView2/4/w/60/h/60", set(GRAVITIES)),
    ("imageMogr2/thumbnail/90x90!", set(GRAVITIES)),
])
def test_views_show_these_fields(api, nine_url, words, fields):
    seen = opened(answered(api, nine_url, words)).convert("RGB")
    thirds = [(2 * index + 1) / 6 for index in range(3)]
    assert {field(seen.getpixel((int(seen.width * x), int(seen.height * y)))) for x in thirds for y in thirds} == fields
