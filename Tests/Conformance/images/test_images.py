"""Thumbnails by the URL: sizes, cuts, formats, colours, orientation, headers."""

import io

import pytest
from pictures import WHITE, assert_close, corners, encoded, named_corners, plain, quarters, render, stripes
from PIL import Image, ImageCms, ImageOps


@pytest.fixture(scope="module")
def photo(api, rocket):
    return api.store(rocket)["url"]


@pytest.fixture(scope="module")
def wide(api):
    return api.store(encoded(plain(400, 300)), name="wide.png")["url"]


# Sizes

@pytest.mark.few(2)
@pytest.mark.parametrize("words, size", [
    ("imageView/2/w/200/h/200", (200, 150)), ("imageView/2/w/200", (200, 150)), ("imageView/2/h/150", (200, 150)),
    ("imageView/2/w/100/h/30", (40, 30)), ("imageView/2/w/0/h/150", (200, 150)), ("imageView/2/w/200/h/0", (200, 150)),
    ("imageView/2/w/4000", (400, 300)), ("imageView/2/w/401/h/301", (400, 300)), ("imageView/2/w/4", (4, 3)),
    ("imageView/1/w/100/h/100", (100, 100)), ("imageView/1/w/37/h/211", (37, 211)), ("imageView/1/w/500/h/100", (500, 100)),
    ("imageView/1/w/800/h/900", (800, 900)), ("imageView/1/w/1/h/1", (1, 1)), ("imageView/1/w/80", (80, 80)),
    ("imageView/2/w/100.0/h/80.0", (100, 75)), ("imageView/1/w/100.0/h/80.0/q/90.0", (100, 80)),
    ("imageView/2/h/150/w/100", (100, 75)), ("imageView/2/w/200/", (200, 150)), ("imageView%2F2%2Fw%2F200", (200, 150)),
    ("imageView/2/w/200&v=1", (200, 150)),
])
def test_size_is_exact(api, wide, words, size):
    assert render(api, wide, words).size == size


@pytest.mark.parametrize("words, size", [
    ("imageView/2/w/200/h/200/q/100/format/png", (200, 133)), ("imageView/1/w/200/h/200/q/100/format/png", (200, 200)),
    ("imageView/1/w/1000/h/600", (1000, 600)), ("imageView/2/w/320/h/320", (320, 214)), ("imageView/2/w/9999", (640, 427)),
])
def test_size_of_a_real_photo(api, photo, words, size):
    assert render(api, photo, words).size == size


@pytest.mark.few(2)
@pytest.mark.parametrize("width", range(10, 640, 90))
def test_other_side_follows_within_a_pixel(api, photo, width):
    image = render(api, photo, f"imageView/2/w/{width}")
    assert image.width == width
    assert abs(image.height - width * 427 / 640) < 1


@pytest.mark.smoke
def test_mode_1_cuts_the_centre(api):
    url = api.store(encoded(stripes()), name="stripes.png")["url"]
    image = render(api, url, "imageView/1/w/100/h/100")
    assert named_corners(image) == ["green"] * 4


def test_mode_2_cuts_nothing(api):
    url = api.store(encoded(stripes()), name="stripes.png")["url"]
    image = render(api, url, "imageView/2/w/150/h/150")
    assert image.size == (150, 50)
    assert named_corners(image) == ["red", "blue", "red", "blue"]


# Formats

@pytest.mark.parametrize("word, format", [("jpg", "JPEG"), ("jpeg", "JPEG"), ("png", "PNG"), ("webp", "WEBP"), ("gif", "GIF"),
                                          ("PNG", "PNG")])
def test_format_is_what_was_asked_for(api, photo, word, format):
    image = render(api, photo, f"imageView/2/w/100/format/{word}")
    assert (image.format, image.width) == (format, 100)


def test_avif_is_made(api, photo):
    response = api.fetch(f"{photo}?imageView/2/w/100/format/avif")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "image/avif"
    assert response.content[4:12] == b"ftypavif"


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "GIF"])
def test_format_is_the_sources_own(api, format):
    url = api.store(encoded(plain(50, 50), format), name="no-extension")["url"]
    assert render(api, url, "imageView/2/w/20").format == format


@pytest.mark.few(2)
@pytest.mark.parametrize("mode, format", [("L", "JPEG"), ("CMYK", "JPEG"), ("I;16", "PNG"), ("P", "PNG"), ("1", "PNG"),
                                          ("LA", "PNG"), ("RGBA", "WEBP"), ("RGB", "TIFF"), ("CMYK", "TIFF")])
def test_every_kind_of_source_becomes_a_jpeg(api, mode, format):
    source = Image.new("I;16", (60, 40), 40_000) if mode == "I;16" else quarters().convert(mode)
    url = api.store(encoded(source, format), name="source")["url"]
    image = render(api, url, "imageView/1/w/30/h/20/format/jpg")
    assert (image.format, image.size) == ("JPEG", (30, 20))
    assert image.mode in ("L", "RGB")


def test_transparency_becomes_white_in_a_jpeg(api):
    url = api.store(encoded(plain(60, 60, (0, 0, 0, 0), "RGBA")), name="clear.png")["url"]
    assert_close(corners(render(api, url, "imageView/2/w/30/format/jpg")), [WHITE] * 4, 2)


@pytest.mark.smoke
def test_transparency_stays_in_a_png(api):
    url = api.store(encoded(plain(60, 60, (0, 0, 0, 0), "RGBA")), name="clear.png")["url"]
    assert render(api, url, "imageView/2/w/30").convert("RGBA").getpixel((15, 15))[3] == 0


@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("colour", [(0, 0, 255), (255, 0, 0), (0, 255, 0), (255, 255, 0), (128, 128, 128), WHITE, (10, 10, 10)])
@pytest.mark.parametrize("profile", ["untagged", "sRGB"])
def test_colours_stay_as_they_are(api, colour, profile):
    tag = {"icc_profile": ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()} if profile == "sRGB" else {}
    url = api.store(encoded(plain(60, 60, colour), **tag), name="colour.png")["url"]
    assert_close(corners(render(api, url, "imageView/2/w/30")), [colour] * 4, 4)


def test_quality_changes_the_size(api, photo):
    sizes = [len(api.fetch(f"{photo}?imageView/2/w/300/q/{q}").content) for q in (10, 50, 100)]
    assert sizes[0] * 1.5 < sizes[1] < sizes[2] / 1.5


def test_quality_is_85_by_default(api, photo):
    assert api.fetch(f"{photo}?imageView/2/w/300").content == api.fetch(f"{photo}?imageView/2/w/300/q/85").content


# Orientation

@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("words", ["imageView/2/w/{0}", "imageView/1/w/{0}/h/{1}", "imageView/2/w/{0}/h/{1}/format/png"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_is_applied(api, orientation, words):
    exif = Image.Exif()
    exif[0x0112] = orientation
    source = encoded(quarters(), "JPEG", quality=95, exif=exif)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(source)))
    url = api.store(source)["url"]
    image = render(api, url, words.format(upright.width // 2, upright.height // 2))
    assert image.size == (upright.width // 2, upright.height // 2)
    assert named_corners(image) == named_corners(upright)
    assert image.getexif().get(0x0112, 1) == 1


def test_place_of_a_photo_is_not_told_by_its_thumbnail(api):
    exif = Image.Exif()
    exif.get_ifd(0x8825)[1] = "N"
    exif[0x010F] = "SecretCamera"
    url = api.store(encoded(plain(60, 60), "JPEG", exif=exif))["url"]
    assert b"SecretCamera" in api.fetch(url).content
    assert b"SecretCamera" not in api.fetch(f"{url}?imageView/2/w/30").content


# HTTP

def test_thumbnail_has_the_headers_of_a_file(api, photo):
    headers = api.fetch(f"{photo}?imageView/2/w/50").headers
    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["ETag"] != api.fetch(photo).headers["ETag"]


def test_head_of_a_thumbnail_tells_its_size(api, photo):
    url = f"{photo}?imageView/2/w/50"
    full, head = api.fetch(url), api.fetch(url, "HEAD")
    assert (head.headers["Content-Length"], head.content) == (str(len(full.content)), b"")


def test_thumbnail_that_is_known_gives_304(api, photo):
    url = f"{photo}?imageView/2/w/50"
    assert api.fetch(url, If_None_Match=api.fetch(url).headers["ETag"]).status_code == 304


@pytest.mark.parametrize("query", ["?v=1", "?"])
def test_other_queries_give_the_original(api, photo, rocket, query):
    assert api.fetch(photo + query).content == rocket
