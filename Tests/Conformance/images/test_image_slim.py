"""imageslim: the same image in fewer bytes, or the file as it is."""

import pytest
from client import assert_refused
from image_looks import BLACK, distance, farthest, fetched, patches
from image_sources import CLEARED, COLOURS, source
from image_writers import read
from PIL import ExifTags, Image, ImageOps
from pictures import encoded, named_corners, plain, quarters

LEVELS = range(11)


@pytest.fixture(scope="module")
def photo(rocket):
    return read(rocket).convert("RGB")


@pytest.fixture(scope="module")
def drawing(api, photo):
    """A PNG of a photograph, with thousands of colours."""
    return api.store(encoded(photo.resize((160, 107))), name="drawing.png")["url"]


def stored(api, data, name="picture"):
    return api.store(data, name=name)["url"]


def slimmed(api, url, words="imageslim"):
    return fetched(api, f"{url}?{words}").content


# JPEG

def test_jpeg_gets_smaller(api, photo):
    data = encoded(photo, "JPEG", quality=95)
    made = slimmed(api, stored(api, data))
    assert len(made) < len(data) * 0.6
    assert (read(made).format, read(made).size) == ("JPEG", photo.size)


def test_jpeg_looks_the_same(api, photo):
    made = read(slimmed(api, stored(api, encoded(photo, "JPEG", quality=95))))
    assert distance(made, photo) < 4


def test_jpeg_is_written_with_quality_75(api, photo):
    made = read(slimmed(api, stored(api, encoded(photo, "JPEG", quality=95))))
    assert made.quantization == read(encoded(photo, "JPEG", quality=75)).quantization


def test_gray_jpeg_is_slimmed(api, photo):
    data = encoded(photo.convert("L"), "JPEG", quality=95)
    made = slimmed(api, stored(api, data))
    assert len(made) < len(data)
    assert distance(read(made), photo.convert("L")) < 4


@pytest.mark.parametrize("quality", [20, 40, 60])
def test_jpeg_that_does_not_get_smaller_is_returned_as_it_is(api, photo, quality):
    data = encoded(photo, "JPEG", quality=quality, optimize=True, progressive=True)
    assert slimmed(api, stored(api, data)) == data


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_picture_stands_as_it_stood(api, orientation):
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    data = encoded(quarters().resize((480, 320)), "JPEG", quality=98, exif=exif)
    made = slimmed(api, stored(api, data))
    assert len(made) < len(data)
    before, after = (ImageOps.exif_transpose(read(one)) for one in (data, made))
    assert (after.size, named_corners(after)) == (before.size, named_corners(before))


def test_camera_is_not_told_by_what_is_slimmed(api, photo):
    exif = Image.Exif()
    exif[ExifTags.Base.Make] = "SecretCamera"
    url = stored(api, encoded(photo, "JPEG", quality=95, exif=exif))
    assert b"SecretCamera" not in slimmed(api, url)


# PNG

def test_png_gets_smaller(api, drawing):
    before = api.fetch(drawing).content
    made = slimmed(api, drawing)
    assert len(made) < len(before) * 0.8
    assert (read(made).format, read(made).size) == ("PNG", (160, 107))


def test_png_has_at_most_256_colours(api, drawing):
    made = read(slimmed(api, drawing))
    assert len(read(api.fetch(drawing).content).getcolors(1 << 20)) > 256
    assert len(made.convert("RGBA").getcolors(1 << 20)) <= 256


def test_animated_png_stays_as_it_is(api, photo):
    frames = [photo.resize((160, 107)), photo.resize((160, 107)).rotate(90)]
    data = encoded(frames[0], "PNG", save_all=True, append_images=frames[1:], duration=100)
    assert slimmed(api, stored(api, data)) == data


def test_png_looks_the_same(api, drawing):
    assert distance(read(slimmed(api, drawing)), read(api.fetch(drawing).content)) < 6


def test_png_keeps_its_transparency(api, photo):
    picture = photo.resize((160, 107)).convert("RGBA")
    picture.paste((0, 0, 0, 0), (0, 0, 80, 107))
    data = encoded(picture)
    made = slimmed(api, stored(api, data))
    assert len(made) < len(data)
    image = read(made).convert("RGBA")
    assert (image.getpixel((20, 50))[3], image.getpixel((140, 50))[3]) == (0, 255)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", [
    "PNG", "PNG of 16 bits", "PNG with alpha", "PNG in gray", "PNG interlaced", "PNG with a palette",
])
def test_every_kind_of_png_looks_the_same(api, name):
    image = read(slimmed(api, stored(api, source(name).data)))
    assert image.size == source(name).picture.size
    for ground in (BLACK, (255, 255, 255)):
        assert farthest(patches(image, ground), patches(source(name).picture, ground)) <= 8


def test_png_that_does_not_get_smaller_is_returned_as_it_is(api):
    data = encoded(COLOURS.quantize(4), "PNG", optimize=True, bits=2)
    url = stored(api, data)
    made = slimmed(api, url)
    assert made == data
    assert len(made) < 200


@pytest.mark.parametrize("picture", [plain(1, 1), plain(2, 2, (0, 0, 0, 0), "RGBA")], ids=["a dot", "nothing"])
def test_tiny_png_never_gets_larger(api, picture):
    data = encoded(picture)
    assert len(slimmed(api, stored(api, data))) <= len(data)


# Levels

@pytest.mark.few(2)
@pytest.mark.parametrize("level", LEVELS)
def test_level_changes_no_pixel(api, drawing, level):
    made = read(slimmed(api, drawing, f"imageslim/zlevel/{level}"))
    assert distance(made, read(slimmed(api, drawing))) == 0


def test_higher_level_packs_harder(api, drawing):
    sizes = [len(slimmed(api, drawing, f"imageslim/zlevel/{level}")) for level in (0, 1, 9)]
    assert sizes[0] > sizes[1] > sizes[2]


def test_level_is_3_if_none_is_said(api, drawing):
    assert slimmed(api, drawing) == slimmed(api, drawing, "imageslim/zlevel/3") == slimmed(api, drawing, "imageslim/")


@pytest.mark.parametrize("words", [
    "imageslim/zlevel/11", "imageslim/zlevel/-1", "imageslim/zlevel/x", "imageslim/zlevel/", "imageslim/zlevel",
    "imageslim/9",
    "imageslim/zlevel/3/zlevel/3", "imageslim/q/75", "imageSlim", "imageslim/zlevel/99999999999999999999",
])
def test_bad_words_are_refused(api, drawing, words):
    assert_refused(api.fetch(f"{drawing}?{words}"), 400, 400, "Bad image request")


# What is no JPEG or PNG

@pytest.mark.few(2)
@pytest.mark.parametrize("name, type", [
    ("WebP", "image/webp"), ("WebP with alpha", "image/webp"), ("GIF", "image/gif"), ("TIFF", "image/tiff"),
    ("BMP", "image/bmp"),
    ("HEIC", "image/heic"), ("AVIF", "image/avif"), ("SVG", "image/svg+xml"), ("PDF", "application/pdf"),
    ("JPEG XL", "image/jxl"),
    ("JPEG 2000", "image/jp2"),
])
def test_other_format_is_returned_as_it_is(api, name, type):
    url = api.store(source(name).data, name="picture", type=type)["url"]
    response = api.fetch(f"{url}?imageslim")
    assert (response.status_code, response.content) == (200, source(name).data)
    assert response.headers["Content-Type"] == type


def test_drawing_with_scripts_that_is_returned_is_served_in_a_sandbox(api):
    url = stored(api, source("SVG").data, "drawing.svg")
    response = api.fetch(f"{url}?imageslim")
    assert response.status_code == 200
    assert "sandbox" in response.headers["Content-Security-Policy"].replace(";", " ").split()


def test_animation_is_returned_as_it_is(api):
    data = encoded(COLOURS, "GIF", save_all=True, append_images=[COLOURS.rotate(180)], duration=100)
    assert slimmed(api, stored(api, data)) == data


@pytest.mark.parametrize("data", [b"just text", b"", encoded(CLEARED)[:200]], ids=["text", "empty", "broken"])
def test_what_is_no_image_is_refused(api, data):
    assert_refused(api.fetch(stored(api, data, "picture.png") + "?imageslim"), 400, 400)


@pytest.mark.parametrize("format, quality", [("jpg", 75), ("png", None)])
def test_result_of_a_chain_is_slimmed(api, photo, format, quality):
    url = stored(api, encoded(photo, "JPEG", quality=95))
    made = read(slimmed(api, url, f"imageView2/2/w/200/q/90!/format/{format}|imageslim"))
    assert made.width == 200
    if quality:
        assert made.quantization == read(encoded(photo, "JPEG", quality=quality)).quantization
    else:
        assert len(made.convert("RGBA").getcolors(1 << 20)) <= 256
