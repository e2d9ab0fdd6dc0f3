"""Images that were cut off or damaged: what can be shown is shown, the rest is refused, and the server goes on."""

import functools
import io
import itertools

import pytest
from cases import EXHAUSTIVE, chance, count, covering, some
from client import assert_refused
from data import at_once
from guarding import api, guarded  # noqa: F401 (fixtures)
from hostile import answered, opened, pdf_page
from PIL import Image

pytestmark = pytest.mark.long

WORDS = "imageView2/2/w/20/format/png"


# Whole images, in every format that is read

def scene(width=40, height=30, phase=0):
    """An image with slopes and edges, so that every part of a codec has work."""
    image = Image.new("RGB", (width, height))
    for x, y in itertools.product(range(width), range(height)):
        image.putpixel((x, y), (x * 6 % 256, y * 8 % 256, 255 if (x + phase) // 5 % 2 else x * y % 256))
    return image


def saved(format, mode="RGB", frames=1, **options):
    images = [scene(phase=phase).convert(mode) for phase in range(frames)]
    if frames > 1:
        options |= {"save_all": True, "append_images": images[1:]}
    out = io.BytesIO()
    images[0].save(out, format, **options)
    return out.getvalue()


SVG = b"""<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="40" height="30">
<defs><linearGradient id="g">
<stop offset="0" stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient></defs>
<rect width="40" height="30" fill="url(#g)"/><path d="M1 1L30 20C1 2 3 4 5 6z"/><text y="20">a</text></svg>"""

SOURCES = {
    "jpeg": lambda: saved("JPEG"),
    "jpeg-progressive": lambda: saved("JPEG", progressive=True),
    "jpeg-cmyk": lambda: saved("JPEG", "CMYK"),
    "png": lambda: saved("PNG"),
    "png-palette": lambda: saved("PNG", "P"),
    "webp": lambda: saved("WEBP"),
    "webp-lossless": lambda: saved("WEBP", "RGBA", lossless=True),
    "webp-animated": lambda: saved("WEBP", frames=3),
    "gif": lambda: saved("GIF", "P"),
    "gif-animated": lambda: saved("GIF", "P", frames=3),
    "tiff": lambda: saved("TIFF"),
    "tiff-lzw": lambda: saved("TIFF", compression="tiff_lzw"),
    "tiff-zlib": lambda: saved("TIFF", compression="tiff_deflate"),
    "tiff-jpeg": lambda: saved("TIFF", compression="jpeg"),
    "tiff-fax": lambda: saved("TIFF", "1", compression="group4"),
    "bmp": lambda: saved("BMP"),
    "bmp-palette": lambda: saved("BMP", "P"),
    "heic": lambda: saved("HEIF"),
    "avif": lambda: saved("AVIF"),
    # A process is started for each of these.
    "svg": lambda: SVG,
    "pdf": lambda: pdf_page(b"1 0 0 rg 0 0 50 50 re f 0 0 m 30 30 l S BT ET"),
    "jxl": lambda: saved("JXL"),
    "jp2": lambda: saved("JPEG2000"),
}
DRAWN = ("svg", "pdf", "jxl", "jp2")
# Of an animation that stands still the first frame is enough; where it moves, a test below is about it.
MUST_BE_WHOLE = [format for format in SOURCES if format != "gif-animated"]
EACH_FORMAT = pytest.mark.parametrize("format", SOURCES)


@functools.cache
def whole(format):
    return SOURCES[format]()


def look_at_all(api, variants):
    """Asks for each of them; every answer is an image or a refusal."""
    variants = list(variants)
    at_once(lambda at: answered(api, variants[at], WORDS), len(variants), workers=4)


def variants(format):
    """How many changed files of a format are looked at."""
    return count(1, 24) if format in DRAWN else count(4, 200)


@pytest.mark.few(2)
@EACH_FORMAT
def test_whole_picture_is_shown(api, format):
    assert answered(api, whole(format), WORDS) is not None


@pytest.mark.few(2)
@EACH_FORMAT
def test_picture_that_was_cut_off_anywhere(api, format):
    data = whole(format)
    step = max(1, len(data) // variants(format))
    look_at_all(api, [data[:end] for end in range(0, len(data), step)])


@pytest.mark.few(2)
@pytest.mark.parametrize("format, tenths", covering(MUST_BE_WHOLE, range(1, 10)))
def test_picture_that_lost_its_end_is_refused(api, format, tenths):
    data = whole(format)
    url = api.store(data[: len(data) * tenths // 10])["url"]
    assert_refused(api.fetch(f"{url}?{WORDS}"), 400, 400)


@pytest.mark.parametrize("tenths, format", covering(range(1, 10), ["gif-animated", "webp-animated"]))
def test_animation_that_lost_its_end_is_refused_where_it_would_move(api, format, tenths):
    data = whole(format)
    url = api.store(data[: len(data) * tenths // 10])["url"]
    assert_refused(api.fetch(f"{url}?imageView2/2/w/20"), 400, 400)


# The places in headers that say how large an image is, of how many parts, and where they lie.
HEADERS = {
    "webp": range(60), "webp-lossless": range(60), "webp-animated": range(120), "tiff": range(0, 200, 3),
    "tiff-lzw": range(1, 200, 3), "heic": range(0, 400, 7),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("format", HEADERS)
def test_header_that_was_cut_off_anywhere(api, format):
    look_at_all(api, [whole(format)[:end] for end in some(HEADERS[format], 3)])


CHANGES = {
    "zero": lambda byte: 0, "ones": lambda byte: 0xFF, "highest bit": lambda byte: byte ^ 0x80,
    "lowest bit": lambda byte: byte ^ 1,
}


@pytest.mark.few(2)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("format", HEADERS)
def test_header_with_another_byte_anywhere(api, format, change):
    data = whole(format)
    # Each change begins at another byte: all four together reach as many bytes of the header as one of each 4.
    first = 0 if EXHAUSTIVE else 4 * list(CHANGES).index(change)
    changed = [data[:at] + bytes([CHANGES[change](data[at])]) + data[at + 1:] for at in some(HEADERS[format][first:], 16)]
    look_at_all(api, [variant for variant in changed if variant != data])


@pytest.mark.few(2)
@EACH_FORMAT
def test_picture_with_flipped_bits(api, format):
    rng = chance(format)
    look_at_all(api, (flipped(whole(format), rng) for _ in range(variants(format))))


def flipped(data, rng):
    """Up to eight bits are changed, half of the time among the first hundred bytes, where sizes are."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(min(len(data), rng.choice([100, len(data)])))] ^= 1 << rng.randrange(8)
    return bytes(data)


@pytest.mark.few(2)
@EACH_FORMAT
def test_picture_with_other_bytes(api, format):
    rng = chance(f"{format} bytes")
    look_at_all(api, (overwritten(whole(format), rng) for _ in range(-(-variants(format) // 2))))


def overwritten(data, rng):
    """Some bytes give way to zeros, ones or noise, are left out, or stand twice."""
    at, size = rng.randrange(len(data)), rng.randint(1, 40)
    new = rng.choice([bytes(size), b"\xff" * size, rng.randbytes(size), b"", data[at: at + size] * 2])
    return data[:at] + new + data[at + size:]


@pytest.mark.few(2)
@EACH_FORMAT
def test_picture_followed_by_another_one(api, format):
    assert answered(api, whole(format) + whole("png"), WORDS) is not None or format in DRAWN


@pytest.mark.few(2)
@pytest.mark.parametrize("format, other", covering(SOURCES, ["jpeg", "png", "webp", "gif", "tiff", "heic"], times=2))
def test_beginning_of_a_format_with_the_rest_of_another(api, format, other):
    answered(api, whole(format)[:20] + whole(other)[20:], WORDS)


# What is called otherwise

@pytest.mark.parametrize("name", ["a.jpg", "a.gif", "a.svg", "a.pdf", "a.txt", "a", "a.png.exe"])
def test_bytes_tell_the_format_and_not_the_name(api, name):
    url = api.store(whole("png"), name=name)["url"]
    response = api.fetch(f"{url}?imageView2/2/w/20")
    assert response.headers["Content-Type"] == "image/png"
    assert opened(response.content).size == (20, 15)


@pytest.mark.parametrize("type", ["image/svg+xml", "application/pdf", "text/html", "image/x-icon"])
def test_bytes_tell_the_format_and_not_the_type(api, type):
    url = api.store(whole("jpeg"), name="a", type=type)["url"]
    assert api.fetch(f"{url}?imageView2/2/w/20").headers["Content-Type"] == "image/jpeg"


NO_IMAGES = {
    "html.jpg": b"<!DOCTYPE html><html><body><svg xmlns='http://www.w3.org/2000/svg'/></body></html>",
    "song.mp3": b"ID3\3\0\0\0\0\0\x0fTIT2\0\0\0\5\0\0\0song\xff\xfb\x90\0" + bytes(1000),
    "archive.zip": b"PK\3\4\x14\0\0\0\0\0" + bytes(1000) + b"PK\5\6" + bytes(18),
    "drawing.svgz": b"\x1f\x8b\x08\0\0\0\0\0\0\3" + bytes(100),
    "video.mp4": b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41" + bytes(1000),
    "sound.wav": b"RIFF\x24\0\0\0WAVEfmt " + bytes(100),
    "words.bmp": b"BMW is a car, and no picture of one.",
    "words.tiff": b"II* and MM\0* are how pictures begin.",
    "words.gif": b"GIF89a is how a picture begins.",
    "words.jpg": b"\xff\xd8\xff is how a picture begins.",
    "words.jxl": b"\xff\x0a is how a picture begins.",
    "words.svg": b"<svg",
    "words.pdf": b"%PDF-",
    "program.exe": b"MZ\x90\0" + bytes(200) + b"PE\0\0",
    "icon.ico": b"\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0" + bytes(100),
    "drawing.psd": b"8BPS\0\1" + bytes(6) + b"\0\3\0\0\0\x10\0\0\0\x10\0\x08\0\3" + bytes(100),
    "picture.ppm": b"P6 2 2 255 " + bytes(12),
    "picture.vips": b"\x08\xf2\xa6\xb6" + bytes(100),
    "table.csv": b"1,2,3\n4,5,6\n",
    "raw.exr": b"\x76\x2f\x31\x01\2\0\0\0" + bytes(100),
    "script.mvg": b"push graphic-context\nimage over 0,0 0,0 'https://127.0.0.1/'\npop graphic-context",
    "script.eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage",
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name, words", covering(NO_IMAGES, [WORDS, "imageInfo", "exif", "imageAve", "imageslim"]))
def test_what_is_no_picture_is_refused(api, name, words):
    url = api.store(NO_IMAGES[name], name=name)["url"]
    assert api.fetch(f"{url}?{words}").status_code == 400


@pytest.mark.parametrize("data", [bytes(size) for size in (0, 1, 100, 100_000)] + [b"\xff" * 1000], ids=len)
def test_bytes_without_meaning_are_refused(api, data):
    assert_refused(api.fetch(f"{api.store(data)['url']}?{WORDS}"), 400, 400)


def test_noise_is_refused(api):
    rng = chance("noise")
    for size in (1, 2, 3, 10, 100, 1000, 10_000):
        assert answered(api, rng.randbytes(size), WORDS) is None
