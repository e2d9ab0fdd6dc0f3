"""What a result tells of its source: nothing but the image and, where it is not turned, its orientation."""

import pytest
from cases import covering
from image_words import ORIENTATION, answered, opened
from pictures import encoded, quarters
from PIL import Image, ImageCms
from PIL.PngImagePlugin import PngInfo

SECRETS = ["SecretCamera", "SecretOwner", "SecretPlace", "SecretComment", "SecretTitle"]
XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/">SecretTitle</x:xmpmeta>'
RESULTS = ["jpg", "png", "webp", "gif", "avif"]
WORDS = [
    "imageView/2/w/60", "imageView2/2/w/60", "imageMogr2/thumbnail/60x", "imageMogr2/strip", "imageMogr2/auto-orient",
    "imageMogr2/strip/thumbnail/60x",
]


def exif():
    """Camera, owner, place, and an orientation."""
    exif = Image.Exif()
    exif[0x010F], exif[0x8298], exif[0x013B], exif[ORIENTATION] = "SecretCamera", "SecretOwner", "SecretOwner", 6
    place = exif.get_ifd(0x8825)
    place[1], place[2], place[3], place[4], place[27] = "N", (48.0, 51.0, 30.0), "E", (2.0, 17.0, 40.0), b"SecretPlace"
    return exif


def sources():
    """Everything that a format can say, by its name."""
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    texts = PngInfo()
    texts.add_text("Comment", "SecretComment", zip=False)
    texts.add_itxt("Title", "SecretTitle")
    return {
        "JPEG": encoded(quarters(), "JPEG", quality=95, exif=exif(), icc_profile=profile, xmp=XMP, comment=b"SecretComment"),
        "PNG": encoded(quarters(), "PNG", exif=exif(), icc_profile=profile, pnginfo=texts),
        "WEBP": encoded(quarters(), "WEBP", exif=exif(), icc_profile=profile, xmp=XMP),
        "TIFF": encoded(quarters(), "TIFF", exif=exif(), icc_profile=profile, description="SecretComment"),
        "GIF": encoded(quarters(), "GIF", comment=b"SecretComment"),
    }


@pytest.fixture(scope="module")
def urls(api):
    return {format: api.store(data, name="source")["url"] for format, data in sources().items()}


@pytest.mark.parametrize("format, secrets", [
    ("JPEG", SECRETS), ("PNG", ["SecretCamera", "SecretComment", "SecretTitle"]),
    ("WEBP", ["SecretCamera", "SecretPlace", "SecretTitle"]), ("TIFF", ["SecretCamera", "SecretComment"]),
    ("GIF", ["SecretComment"]),
])
def test_sources_do_tell(format, secrets):
    assert all(secret.encode() in sources()[format] for secret in secrets)


@pytest.mark.parametrize("format, words, result", covering(
    ["JPEG", "PNG", "WEBP", "TIFF", "GIF"], WORDS, RESULTS, times=4,
))
def test_no_secret_is_in_the_result(api, urls, format, words, result):
    data = answered(api, urls[format], f"{words}/format/{result}")
    assert not [secret for secret in SECRETS if secret.encode() in data]


@pytest.mark.each_value
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_result_has_no_profile_no_xmp_and_no_text(api, urls, format, result):
    image = opened(answered(api, urls[format], f"imageMogr2/thumbnail/60x/format/{result}"))
    assert not {"icc_profile", "xmp", "comment", "photoshop", "Comment", "Title"} & set(image.info)


@pytest.mark.few(2)
@pytest.mark.parametrize("result", ["jpg", "png", "webp"])
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_nothing_but_the_orientation_stays_of_exif(api, urls, format, result):
    found = opened(answered(api, urls[format], f"imageMogr2/thumbnail/60x/format/{result}")).getexif()
    assert found.get(ORIENTATION) == 6
    assert 0x8825 not in found and not found.get_ifd(0x8825)
    assert not {0x010F, 0x0110, 0x8298, 0x013B, 0x0132, 0x010E} & set(found)


@pytest.mark.each_value
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("words", ["imageMogr2/strip", "imageMogr2/auto-orient/strip", "imageMogr2/strip/thumbnail/60x"])
def test_nothing_stays_of_exif_with_strip(api, urls, words, result):
    found = opened(answered(api, urls["JPEG"], f"{words}/format/{result}")).getexif()
    assert found.get(ORIENTATION, 1) == 1
    assert not {0x010F, 0x8825, 0x8298, 0x013B} & set(found)
