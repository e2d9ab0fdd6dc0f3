"""Images that are small as files and huge once opened: each is answered in its time and its memory."""

import struct
import zlib

import marks
import pytest
from PIL import Image
from cases import covering
from client import Server, assert_refused
from guarding import api, guarded  # noqa: F401 (fixtures)
from hostile import (
    MB, animated_webp, answered, assert_unharmed, black_png, bmp_sized, deflated_zeros, forget_peak, gif,
    gif_sized, heif_grid_of_itself, heif_of_many, heif_sized, jpeg_of_scans, jpeg_sized, jpeg_with, opened, png,
    png_piece, tiff, tiff_in_a_loop,
    webp_sized, written,
)

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def small_server(tmp_path_factory):
    """A server whose images may take next to nothing."""
    server = Server(tmp_path_factory.mktemp("small"), LCFILE_IMAGES_MEMORY="32MB").start()
    yield server
    assert server.stop() == 0


@pytest.fixture
def small(small_server, afterwards):
    forget_peak(small_server)
    afterwards(lambda: assert_unharmed(small_server, 32 * MB))
    return small_server.api()


# Headers that say too much

def named(pictures):
    """A function without arguments for each image, by its name."""
    whole = [picture if isinstance(picture[0], str) else (picture[0].__name__, *picture) for picture in pictures]
    return {name: lambda make=make, sizes=sizes: make(*sizes) for name, make, *sizes in whole}


def cases(*pictures):
    """Parametrises a test by images: a function and what it takes, or its name, the function and what it takes."""
    makers = named(pictures)
    return pytest.mark.parametrize("make", makers.values(), ids=makers)


def asked(questions, *pictures, times=1):
    """The same, each image with some of the questions."""
    makers = named(pictures)
    return pytest.mark.parametrize("make, words", [
        pytest.param(makers[name], words, id=f"{name}-{words}") for name, words in covering(makers, questions, times=times)
    ])


def packed_tiff(width, height):
    return tiff(width, height, deflated_zeros(width * height * 3), 8)


@pytest.mark.few(2)
@asked(
    ["imageView2/2/w/100", "imageMogr2/crop/1x1", "imageAve"],
    ("png", png, 17_000, 17_000), ("png-wide", png, 30_001, 1), ("png-high", png, 1, 30_001),
    (jpeg_sized, 65_500, 65_500), (webp_sized, 16_383, 16_383),
    (gif_sized, 65_535, 65_535), (tiff, 100_000, 100_000), (packed_tiff, 12_000, 13_000), (bmp_sized, 40_000, 40_000),
    ("bmp-upside-down", bmp_sized, 15_000, -15_000), ("heic", heif_sized, 16_000, 16_000, "HEIF"),
    ("avif", heif_sized, 16_000, 16_000, "AVIF"),
)
def test_size_beyond_the_limit_is_refused(api, make, words):
    assert_refused(api.fetch(f"{api.store(make())['url']}?{words}"), 400, 400, "images.maxSource")


@pytest.mark.few(2)
@cases(
    ("png-0", png, 0, 0), ("png-most", png, 2**31 - 1, 2**31 - 1), ("jpeg-most", jpeg_sized, 65_535, 65_535),
    ("jpeg-0", jpeg_sized, 100, 0),
    ("tiff-most", tiff, 2**32 - 1, 2**32 - 1), ("tiff-0", tiff, 0, 0), ("bmp-most", bmp_sized, 2**31 - 1, 2**31 - 1),
    ("bmp-least", bmp_sized, -(2**31), -(2**31)), ("bmp-0", bmp_sized, 0, 0), ("heic-0", heif_sized, 0, 0, "HEIF"),
    ("heic-60000", heif_sized, 60_000, 60_000, "HEIF"), ("avif-60000", heif_sized, 60_000, 60_000, "AVIF"),
    ("heic-most", heif_sized, 2**32 - 1, 2**32 - 1, "HEIF"), ("avif-most", heif_sized, 2**32 - 1, 2**32 - 1, "AVIF"),
)
def test_size_that_cannot_be_is_refused(api, make):
    assert_refused(api.fetch(f"{api.store(make())['url']}?imageView2/2/w/100"), 400, 400)


@pytest.mark.few(2)
@cases((png, 1_000, 1_000), (bmp_sized, 1_000, 1_000), (tiff, 1_000, 1_000), ("heic", heif_sized, 1_000, 1_000, "HEIF"),
       (webp_sized, 1_000, 1_000))
def test_size_without_pixels_is_refused(api, make):
    assert_refused(api.fetch(f"{api.store(make())['url']}?imageView2/2/w/100"), 400, 400)


# Pixels within the limits

def zeros_behind_a_png(side):
    """A PNG whose pixels are followed by as many zeros as fit into a file of 20 MB."""
    return png(side, side, deflated_zeros(19 << 30))


def zeros_behind_a_tiff(side):
    return tiff(side, side, deflated_zeros(19 << 30), 8)


def black(side, format, options):
    return written(side, side, format, **options)


@pytest.mark.few(1)
@cases(
    ("png-interlaced", black_png, 12_000, True),
    ("jpeg-progressive", black, 8_000, "JPEG", {"progressive": True}), ("bmp", black, 2_500, "BMP", {}),
    ("webp", black, 6_000, "WEBP", {"lossless": True, "method": 0}),
)
def test_picture_that_must_be_opened_whole_is_refused_by_its_price(small, make):
    assert_refused(small.fetch(f"{small.store(make())['url']}?imageView2/2/w/100"), 400, 400, "images.memory")


@pytest.mark.extended
def test_tiff_of_hundreds_of_pages_is_drawn(api):
    """libvips 8.14 writes past a table while it looks for a pyramid in so many pages."""
    pages = [Image.new("RGB", (4, 4))] * 399
    assert answered(api, written(4, 4, "TIFF", save_all=True, append_images=pages), "imageView2/2/w/2") is not None


@pytest.mark.extended
@cases(
    ("png", zeros_behind_a_png, 100), ("png-12000", zeros_behind_a_png, 12_000), ("tiff", zeros_behind_a_tiff, 100),
    ("jpeg-scans", jpeg_of_scans, 4000, 400_000),
)
def test_work_that_a_header_does_not_tell_of_is_not_done_for_long(new_server, make):
    # A server of its own: the work goes on where it cannot be stopped, and others would wait for it.
    server = new_server(LCFILE_IMAGES_TIMEOUT="2").start()
    image = answered(server.api(), make())
    assert image is None or image.size == (100, 100)
    assert_unharmed(server, 512 * MB)


@pytest.mark.extended
def test_picture_of_144_million_pixels_is_read_in_lines_or_given_up(api):
    image = answered(api, black_png(12_000))
    assert image is None or image.size == (100, 100)


# Animations

TINY = b"\2\2\x44\1\0"


@pytest.mark.few(2)
@cases(
    ("gif-of-100000-pixels", gif, 1, 1, 100_000), ("gif-of-100000-frames", gif, 500, 500, 100_000, TINY),
    ("gif-of-100-million-pixels", gif, 1000, 1000, 100), ("webp-of-100-million-pixels", animated_webp, 1000, 100),
)
def test_animation_beyond_the_limits_stands_still(api, make):
    image = answered(api, make())
    assert image is not None
    assert not getattr(image, "is_animated", False)


def test_question_about_100000_frames_counts_them(api):
    data = gif(100, 100, 100_000, TINY)
    info = answered(api, data, "imageInfo")
    assert tuple(info[name] for name in ("size", "format", "width", "height")) == (len(data), "gif", 100, 100)
    assert info["frameNumber"] == 100_000


def test_question_about_100000_frames_tells_the_first_ones_colour(api):
    assert answered(api, gif(100, 100, 100_000, TINY), "imageAve") == {"RGB": "0xe01010"}


@pytest.mark.parametrize("frames", [4096, 4097])
def test_frames_of_a_webp_are_counted_up_to_a_limit(api, frames):
    image = answered(api, animated_webp(8, frames))
    assert (image is not None) == (frames <= 4096)


@pytest.mark.parametrize("words", ["imageInfo", "imageAve", "imageslim"])
def test_question_about_4097_frames_of_a_webp_is_refused(api, words):
    assert answered(api, animated_webp(8, 4097), words) is None


def test_frames_that_are_larger_than_the_canvas_take_no_more_room(api):
    start = gif(10, 10)[:-1]
    huge = b"," + struct.pack("<HHHHB", 60_000, 60_000, 65_535, 65_535, 0) + TINY
    image = answered(api, start + huge * 100 + b";")
    assert image is None or image.size == (10, 10)


# Metadata

def exif_in_a_loop():
    """Directories that are followed by themselves and hold each other, and a text of 4 GB."""
    text = struct.pack("<HHII", 0x010F, 2, 2**32 - 1, 8)
    own = struct.pack("<HHII", 0x8769, 4, 1, 8)
    return jpeg_with(0xE1, b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<H", 2) + text + own + struct.pack("<I", 8))


def profile(size):
    """The head of a colour profile and a table of tags that lie nowhere."""
    head = struct.pack(">I4sI4s4s4s12x4s88x", size, b"lcms", 0x04400000, b"mntr", b"RGB ", b"XYZ ", b"acsp")
    return (head + struct.pack(">I", 2**31) + b"\xff" * size)[:size]


def jpeg_profile(data):
    parts = [data[at: at + 65_000] for at in range(0, len(data), 65_000)]
    return jpeg_with(0xE2, *[b"ICC_PROFILE\0" + bytes([at + 1, len(parts)]) + part for at, part in enumerate(parts)])


def texts(count, size):
    """A PNG of one pixel with so many texts of letters: of zeros each would be an empty string."""
    piece = png_piece(b"zTXt", b"Comment\0\0" + zlib.compress(b"A" * size, 9))
    return png(1, 1, zlib.compress(bytes(4)), pieces=piece * count)


def tiff_of_shared_strips(directories, strips):
    """A TIFF whose directories all have the same table of strips, a byte for each."""
    fields = [(256, 3, 1, 8), (257, 4, 1, strips), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 1, strips, 8),
              (277, 3, 1, 1), (278, 4, 1, 1), (279, 1, strips, 8)]
    entries = struct.pack("<H", len(fields)) + b"".join(struct.pack("<HHII", *field) for field in fields)
    start, size = 8 + strips, len(entries) + 4
    next = [start + size * (at + 1) for at in range(directories - 1)] + [0]
    return (b"II*\0" + struct.pack("<I", start) + b"\x08" * strips
            + b"".join(entries + struct.pack("<I", offset) for offset in next))


def with_segments(marker, payload, count):
    return jpeg_with(marker, *[payload] * count)


def pixel_with(*pieces):
    """A PNG of one pixel with these in it: kinds, heads, and how many zeros are packed behind."""
    packed = [
        png_piece(kind, head + (deflated_zeros(size) if size else b"")) * count for kind, head, size, count in pieces
    ]
    return png(1, 1, zlib.compress(bytes(4)), pieces=b"".join(packed))


def pixel_before(kind, head, size, count):
    """The same behind the pixel."""
    data = pixel_with((kind, head, size, count))
    at, end = data.index(b"IDAT") - 4, len(data) - 12
    return data[:33] + data[at:end] + data[33:at] + data[end:]


METADATA = ["exif", "imageView2/2/w/100", "imageInfo"]


@pytest.mark.few(2)
@asked(
    METADATA,
    (exif_in_a_loop,), ("exif-of-16-segments", with_segments, 0xE1, b"Exif\0\0" + bytes(65_000), 16),
    ("comments", with_segments, 0xFE, b"x" * 65_000, 250), ("profile-of-10MB", jpeg_profile, profile(10 * MB)),
    ("profile-of-anything", jpeg_profile, bytes(range(256)) * 100),
    ("profile-in-parts", with_segments, 0xE2, b"ICC_PROFILE\0\xff\xff" + bytes(65_000), 20),
    ("png-text-of-10MB", pixel_with, (b"zTXt", b"Comment\0\0", 10 * MB, 1)),
    ("png-16-texts", pixel_with, (b"zTXt", b"Comment\0\0", MB, 16)), ("png-16-texts-of-15MB", texts, 16, 15 * MB),
    ("png-2500-texts-behind", pixel_before, b"zTXt", b"Comment\0\0", 7 * MB, 2500),
    ("png-100000-texts", pixel_with, (b"tEXt", b"a\0b", 0, 100_000)),
    times=2,
)
def test_metadata_takes_neither_time_nor_memory(api, make, words):
    response = api.fetch(f"{api.store(make())['url']}?{words}")
    assert response.status_code == (400 if words == "exif" else 200), response.text[:200]
    assert words != "exif" or response.json() == {"error": "no exif data"}


# Of packed texts at most 16 are read, and 256 KB.
@pytest.mark.few(2)
@asked(
    METADATA,
    ("17-texts", pixel_with, (b"zTXt", b"Comment\0\0", 1000, 17)),
    ("17-texts-of-any-kind", pixel_with, (b"zTXt", b"Comment\0\0", 1000, 8), (b"iTXt", b"a\0\1\0\0\0", 1000, 8),
     (b"iCCP", b"x\0\0", 1000, 1)),
    ("2500-texts-of-7MB", pixel_with, (b"zTXt", b"Comment\0\0", 7 * MB, 2500)),
    ("profile-of-1GB", pixel_with, (b"iCCP", b"x\0\0", 1 << 30, 1)),
    ("text-of-4GB", pixel_with, (b"zTXt", b"Comment\0\0", 4 << 30, 1)),
)
def test_png_of_too_much_packed_text_is_refused(api, make, words):
    assert_refused(api.fetch(f"{api.store(make())['url']}?{words}"), 400, 400, "compressed texts")


@asked(
    METADATA,
    ("jpeg-50000-segments", with_segments, 0xE1, b"", 50_000),
    ("tiff-1000-directories", tiff_of_shared_strips, 1000, MB),
    ("tiff-19MB-of-strips", tiff_of_shared_strips, 1, 19 * MB),
    times=2,
)
def test_metadata_that_takes_long_to_read_is_refused(api, make, words):
    assert_refused(api.fetch(f"{api.store(make())['url']}?{words}"), 400, 400, "too many")


# Marks

def marked(api, count):
    """The answer to an image of a megapixel that lies on itself so many times, and is made small only then."""
    url = api.store(written(1200, 900, "JPEG"))["url"]
    return api.fetch(f"{url}?watermark/3{marks.image(url, dissolve=50) * count}|imageView2/2/w/60")


@pytest.mark.alone
@pytest.mark.parametrize("count", [1, 8])
def test_large_marks_are_drawn_while_there_is_memory(api, count):
    response = marked(api, count)
    assert response.status_code == 200, response.text[:200]
    assert opened(response.content).size == (60, 45)


def test_large_marks_that_cost_more_together_are_refused(api):
    assert_refused(marked(api, 16), 400, 400, "images.memory")


# Structures

@pytest.mark.extended
@cases((heif_of_many, 10_000), (heif_grid_of_itself,))
def test_heic_that_is_made_of_itself_is_refused(api, make):
    assert answered(api, make()) is None


def test_tiff_whose_directory_follows_itself_is_shown(api):
    assert answered(api, tiff_in_a_loop()).size == (12, 12)


def test_tiff_whose_directory_follows_itself_is_described(api):
    info = answered(api, tiff_in_a_loop(), "imageInfo")
    assert (info["format"], info["width"], info["height"]) == ("tiff", 12, 12)


def test_server_makes_pictures_after_all_this(api):
    assert opened(api.fetch(f"{api.store(written(90, 60, 'PNG'))['url']}?imageView2/2/w/30").content).size == (30, 20)
