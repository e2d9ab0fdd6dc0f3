"""Every format that is read becomes every format that is written; without a word it becomes what section 9 says."""

import pytest
from cases import covering, some
from client import assert_refused
from image_looks import BLACK, TYPES, WHITE, distance, farthest, fetched, named, patches, resized, seen
from image_sources import CLEARED, COLOURS, SOURCES, quartered, source, svg
from image_writers import read
from pictures import BLUE, GREEN, RED, YELLOW, encoded, plain
from PIL import Image

pytestmark = pytest.mark.long

NAMES = {"red": RED, "green": GREEN, "blue": BLUE, "yellow": YELLOW}
HALF = (59, 39)


@pytest.fixture(scope="module")
def urls(api):
    """Each source under a name and a type that say nothing."""
    stored = {}

    def url(name):
        if name not in stored:
            stored[name] = api.store(source(name).data, name="picture", type="application/octet-stream")["url"]
        return stored[name]

    return url


def assert_looks(image, of, keeps_alpha):
    """The right colour in each quarter, through transparency too, and all of the image like the source."""
    if not of.exact:
        assert named(patches(image), NAMES) == list(NAMES)
        return
    for ground in (WHITE, BLACK) if keeps_alpha and of.is_clear else (WHITE,):
        assert farthest(patches(image, ground), patches(of.picture, ground)) <= 12
        # What is drawn in its size has sharper edges than what is resampled.
        bound = 8 if of.format in ("svg", "pdf") else 6
        assert distance(image, resized(of.picture, image.size), ground) < bound


@pytest.mark.few(5)
@pytest.mark.parametrize("name, format", covering(SOURCES, TYPES))
def test_source_becomes_each_format(api, urls, name, format):
    response = fetched(api, f"{urls(name)}?imageView2/2/w/{HALF[0]}/format/{format}")
    assert response.headers["Content-Type"] == TYPES[format]
    image = read(response.content)
    assert (f"image/{image.format.lower()}", image.size) == (TYPES[format], HALF)
    assert_looks(image, source(name), keeps_alpha=format != "jpg")


@pytest.mark.few(2)
@pytest.mark.parametrize("name", some(SOURCES, 2))
def test_source_looks_the_same_in_its_own_size(api, urls, name):
    image = seen(api, f"{urls(name)}?imageMogr2/format/png")
    assert image.size == source(name).picture.size
    assert_looks(image, source(name), keeps_alpha=True)


@pytest.mark.few(2)
@pytest.mark.parametrize("name, words", some(covering(
    SOURCES, ["imageView/2/w/59", "imageView2/2/w/59", "imageMogr2/thumbnail/59x"],
), 2))
def test_format_that_nobody_says(api, urls, name, words):
    response = fetched(api, f"{urls(name)}?{words}")
    image = read(response.content)
    assert (image.format, image.size) == (source(name).result, HALF)
    assert response.headers["Content-Type"] == f"image/{image.format.lower()}"
    assert_looks(image, source(name), keeps_alpha=image.format != "JPEG")


@pytest.mark.few(2)
@pytest.mark.parametrize("name, format", covering([
    "PNG of 16 bits", "PNG in gray of 16 bits", "TIFF of 16 bits", "PNG with alpha of 16 bits",
], TYPES, times=2))
def test_result_of_16_bits_has_8(api, urls, name, format):
    data = fetched(api, f"{urls(name)}?imageView2/2/w/59/format/{format}").content
    assert read(data).mode in ("L", "LA", "P", "RGB", "RGBA")
    # Pillow reads 16 bits of three channels as if they were 8: a PNG's header says how many there are.
    assert format != "png" or data[24] <= 8


# Names and types that lie

@pytest.mark.few(2)
@pytest.mark.parametrize("name, claim", covering(["PNG", "GIF", "WebP", "TIFF", "BMP", "AVIF", "SVG", "JPEG XL"], [
    ("photo.jpg", "image/jpeg"), ("photo.heic", "image/heic"), ("page.html", "text/html"),
    ("sheet.pdf", "application/pdf"),
    ("noname", None),
]))
def test_bytes_tell_the_format(api, name, claim):
    file, type = claim
    url = api.store(source(name).data, name=file, type=type)["url"]
    assert seen(api, f"{url}?imageView2/2/w/59").format == source(name).result


# Forms that say the same

@pytest.mark.few(2)
@pytest.mark.parametrize("before", [
    b"\xef\xbb\xbf", b"<?xml version='1.0' encoding='UTF-8'?>\n", b"  \r\n\t", b"<!-- one -->\n<!-- <svg two> -->",
    b"<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd'>\n",
], ids=["mark", "declaration", "blanks", "comments", "document type"])
def test_svg_is_known_whatever_stands_before_it(api, before):
    # Blanks may stand before anything but the declaration, which is not there.
    url = api.store(before + svg(COLOURS), name="drawing.svg")["url"]
    assert seen(api, f"{url}?imageView2/2/w/59").size == HALF


def test_first_page_of_a_pdf_is_drawn(api):
    others = [plain(200, 200, BLUE), plain(30, 30, GREEN)]
    data = encoded(COLOURS, "PDF", save_all=True, append_images=others)
    image = seen(api, api.store(data, name="pages.pdf")["url"] + "?imageMogr2/format/png")
    assert image.size == COLOURS.size
    assert farthest(patches(image), patches(COLOURS)) <= 12


@pytest.mark.few(2)
@pytest.mark.parametrize("format", ["png", "webp", "avif"])
def test_page_of_a_pdf_is_white_where_nothing_is(api, format):
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 118 78]>>"
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page]
    data = b"%PDF-1.4\n" + b"".join(b"%d 0 obj%bendobj\n" % (n, o) for n, o in enumerate(objects, 1))
    data += b"trailer<</Root 1 0 R/Size 4>>\n%%EOF\n"
    image = seen(api, api.store(data, name="empty.pdf")["url"] + f"?imageView2/2/w/59/format/{format}")
    assert farthest(patches(image, BLACK), [WHITE] * 4) <= 2


def test_first_page_of_a_tiff_is_shown(api):
    data = encoded(COLOURS, "TIFF", save_all=True, append_images=[plain(300, 20, BLUE), plain(20, 300, GREEN)])
    image = seen(api, api.store(data, name="pages.tif")["url"] + "?imageMogr2/format/png")
    assert image.size == COLOURS.size
    assert farthest(patches(image), patches(COLOURS)) <= 2


@pytest.mark.parametrize("name", ["JPEG", "PNG", "GIF", "WebP", "TIFF"])
def test_transparency_that_is_nowhere_changes_no_colour(api, urls, name):
    opaque = seen(api, f"{urls(name)}?imageView2/2/w/59/format/png")
    assert farthest(patches(opaque, BLACK), patches(source(name).picture)) <= 12


@pytest.mark.few(2)
@pytest.mark.parametrize("format", ["JXL", "JPEG2000", "HEIF", "TIFF"])
def test_opaque_and_transparent_of_one_format_differ_in_their_result(api, format):
    seen_as = [
        seen(api, api.store(encoded(picture, format), name="picture")["url"] + "?imageView2/2/w/59").format
        for picture in (COLOURS, CLEARED)
    ]
    assert seen_as == ["JPEG", "PNG"]


# What is no source

OTHERS = ["PPM", "ICO", "PCX", "TGA", "SGI", "QOI", "DDS", "EPS", "XBM", "MSP", "SPIDER", "BLP", "ICNS"]


def other(format):
    mode = {"XBM": "1", "MSP": "1", "SPIDER": "F", "BLP": "P"}.get(format, "RGB")
    size = (128, 128) if format == "ICNS" else COLOURS.size
    picture = quartered(RED, GREEN, BLUE, YELLOW).resize(size)
    return encoded(picture.quantize(16) if mode == "P" else picture.convert(mode), format)


@pytest.mark.few(2)
@pytest.mark.parametrize("format", OTHERS)
def test_other_format_is_refused(api, format):
    url = api.store(other(format), name="picture.png", type="image/png")["url"]
    assert_refused(api.fetch(f"{url}?imageView2/2/w/59"), 400, 400)


@pytest.mark.parametrize("data", [
    b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\x80\x80\x80\x80", b"1,2,3\n4,5,6\n", b"#vips2ppm\n", b"\xb6\xa6\xf2\x08" * 99,
    b"SIMPLE  =                    T" + b" " * 2850, b"MATLAB 5.0 MAT-file" + b" " * 200, b"v/1\x01\x02\0\0\0" + b"\0" * 400,
    b"8BPS\0\x01" + b"\0" * 40, b"\x1f\x8b\x08\0" + b"\0" * 60, b"<html><svg xmlns='http://www.w3.org/2000/svg'/></html>",
], ids=["Radiance", "CSV", "comment", "VIPS", "FITS", "MATLAB", "OpenEXR", "PSD", "gzip", "SVG inside HTML"])
def test_what_only_a_library_would_read_is_refused(api, data):
    url = api.store(data, name="picture.png", type="image/png")["url"]
    assert_refused(api.fetch(f"{url}?imageView2/2/w/59"), 400, 400)


@pytest.mark.parametrize("format", ["bmp", "tiff", "heic", "svg", "pdf", "jxl", "jp2", "raw", "v", "auto", "jpg,png"])
def test_format_that_is_not_written_is_refused(api, urls, format):
    assert_refused(api.fetch(f"{urls('PNG')}?imageView2/2/w/59/format/{format}"), 400, 400, "Bad image request")


def test_all_results_are_made_of_whole_files():
    """Guards the table: every format of section 9 is in it, and each of them opens as what it is said to be."""
    assert {source(name).format for name in SOURCES} == {
        "jpeg", "png", "webp", "gif", "tiff", "bmp", "heic", "avif", "svg", "pdf", "jxl", "jp2",
    }
    for name in SOURCES:
        if source(name).format not in ("svg", "pdf"):
            assert isinstance(read(source(name).data), Image.Image)
            assert read(source(name).data).size == source(name).picture.size
