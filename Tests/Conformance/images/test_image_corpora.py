"""Images that others collected to try decoders with: PngSuite, those of Go's image libraries, photos of old cameras.

Debian has them in packages for developers (scripts/bootstrap test). Each picture comes out as Pillow reads it.
"""

from pathlib import Path

import pytest
from cases import some
from client import assert_refused
from hostile import MB, assert_unharmed, forget_peak, jpeg_with, opened
from PIL import Image, ImageChops, ImageStat

SUFFIXES = {".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".bmp", ".webp"}


def collected(pattern):
    """The images of a package; none if it is not installed, of which a test of its own tells."""
    files = sorted(file for file in Path("/usr/share").glob(pattern) if file.suffix in SUFFIXES)
    return [pytest.param(file, id=file.name) for file in files]


GO = collected("go-1.*/src/image/**/testdata/**/*")
GO_MORE = collected("gocode/src/golang.org/x/image/testdata/*")
CAMERAS = collected("gocode/src/github.com/rwcarlsen/goexif/exif/**/*.jpg")
# What they hold in Debian 12; a later version may hold more.
COUNTS = {
    "golang-1.19-src": (GO, 84), "golang-golang-x-image-dev": (GO_MORE, 74),
    "golang-github-rwcarlsen-goexif-dev": (CAMERAS, 61),
}
BROKEN = ("invalid-",)
# Without an embedded profile, the colours of inks are not defined.
UNSURE = ("cmyk",)


@pytest.fixture
def stored(server, api):
    """Stores a file's bytes under its name; no image may take more than all may."""
    forget_peak(server)
    yield lambda file: api.store(file.read_bytes(), name=file.name)["url"]
    assert_unharmed(server, 512 * MB)


@pytest.mark.parametrize("package", COUNTS)
def test_pictures_of_a_package_are_there(package):
    """Without them the tests below would silently have no cases."""
    found, wanted = COUNTS[package]
    assert found, f"the Debian package {package} is not installed: scripts/bootstrap test"
    assert len(found) >= wanted, f"pictures of the Debian package {package} are not where they were"


def is_whole(parameter):
    return not any(word in parameter.values[0].name for word in BROKEN)


def is_dated(parameter):
    """Whether the file is named by the time that its camera wrote into it."""
    return "-sep-" in parameter.values[0].name and parameter.values[0].name[0].isdigit()


def shown(image):
    """As it looks on white."""
    if image.mode == "I;16":
        image = image.point(lambda value: value / 256, "L")
    image = image.convert("RGBA")
    white = Image.new("RGBA", image.size, "white")
    white.alpha_composite(image)
    return white.convert("RGB")


@pytest.mark.few(3)
@pytest.mark.parametrize("file", some(filter(is_whole, GO + GO_MORE), 3))
def test_picture_is_read_as_pillow_reads_it(api, stored, file):
    response = api.fetch(f"{stored(file)}?imageMogr2/format/png")
    assert response.status_code == 200, response.content
    seen, wanted = shown(opened(response.content)), shown(Image.open(file))
    assert seen.size == wanted.size
    if not any(word in file.name for word in UNSURE):
        # Lossy images differ a little, because decoders smooth colours in more than one way.
        assert max(ImageStat.Stat(ImageChops.difference(seen, wanted)).mean) < (2 if is_lossy(file) else 1)


def is_lossy(file):
    return file.suffix == ".jpeg" or "lossy.webp" in file.name or "lossy-with-alpha" in file.name


@pytest.mark.few(2)
@pytest.mark.parametrize("file", some(filter(is_whole, GO + GO_MORE), 4))
def test_picture_is_described_as_pillow_reads_it(api, stored, file):
    answer = api.fetch(f"{stored(file)}?imageInfo").json()
    image = Image.open(file)
    wanted = (file.stat().st_size, image.format.lower(), *image.size)
    assert tuple(answer[name] for name in ("size", "format", "width", "height")) == wanted


@pytest.mark.few(2)
@pytest.mark.parametrize("words", ["imageView2/2/w/50", "imageMogr2/thumbnail/!50p/rotate/30", "imageAve"])
@pytest.mark.parametrize("file", [file for file in GO if not is_whole(file)])
def test_broken_picture_is_refused_or_shown(api, stored, file, words):
    response = api.fetch(f"{stored(file)}?{words}")
    if response.status_code != 200:
        assert_refused(response, 400, 400)


# What cameras write into their photos; of most there is nothing else in the file.

def exif_segment(data):
    """The first EXIF segment of a JPEG, without its marker and length."""
    at = data.index(b"Exif\0\0")
    return data[at: at - 2 + int.from_bytes(data[at - 2: at], "big")]


@pytest.mark.few(2)
@pytest.mark.parametrize("file", some(filter(is_dated, CAMERAS), 2))
def test_exif_of_a_camera_tells_when_the_photo_was_made(api, file):
    photo = jpeg_with(0xE1, exif_segment(file.read_bytes()))
    fields = api.fetch(f"{api.store(photo)['url']}?exif").json()
    times = {fields[name]["val"] for name in ("DateTime", "DateTimeOriginal") if name in fields}
    assert "{}:{}:{} {}:{}:{}".format(*file.name.split("-")) in times


def is_picture(file):
    """Whether Pillow finds pixels in it, too."""
    try:
        Image.open(file).load()
    except OSError:
        return False
    return True


@pytest.mark.few(2)
@pytest.mark.parametrize("file", some(CAMERAS, 3))
def test_file_of_a_camera_is_shown_if_it_is_a_picture_and_refused_else(api, stored, file):
    url, status = stored(file), 200 if is_picture(file) else 400
    for words in ("imageView2/2/w/50", "imageMogr2/rotate/30", "imageInfo", "imageAve", "exif"):
        assert api.fetch(f"{url}?{words}").status_code == status, words
