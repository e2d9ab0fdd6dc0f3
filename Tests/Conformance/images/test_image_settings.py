"""Settings of images that change what is made, and what they may not be."""

import pytest
from cases import covering
from client import Server
from data import at_once
from image_looks import distance, farthest, fetched, mean, resized, resized_in_linear_light, seen
from image_sources import COLOURS, source
from image_writers import PROFILES, read
from pictures import encoded, plain
from PIL import ExifTags, Image
from starting import SETTING, assert_does_not_start

WORDS = "imageView2/2/w/59"


@pytest.fixture
def start(new_server):
    """Starts a server of the test's own; names are those of the environment."""
    return lambda **settings: new_server(**{f"LCFILE_IMAGES_{name}": value for name, value in settings.items()}).start()


# Copyright

PERSONAL = {"Make": "SecretCamera", "Software": "SecretProgram", "ImageDescription": "SecretWords"}
RIGHTS = {"Copyright": "Ann Example", "Artist": "Bob Example"}


def photograph(format="JPEG", orientation=1):
    exif = Image.Exif()
    for name, text in (PERSONAL | RIGHTS).items():
        exif[ExifTags.Base[name]] = text
    exif[ExifTags.Base.Orientation] = orientation
    exif.get_ifd(ExifTags.IFD.GPSInfo)[1] = "N"
    return encoded(plain(120, 80), format, exif=exif)


@pytest.fixture(scope="module")
def keeping(tmp_path_factory):
    """A server that retains the copyright fields of images."""
    server = Server(tmp_path_factory.mktemp("keeping"), LCFILE_IMAGES_KEEP_COPYRIGHT="true").start()
    yield server.api()
    assert server.stop() == 0


def rights(image):
    """What EXIF says of an image's rights."""
    exif = image.getexif()
    return {name: exif[ExifTags.Base[name]] for name in RIGHTS if ExifTags.Base[name] in exif}


@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("words", [
    "imageView/2/w/59", WORDS, "imageMogr2/thumbnail/!50p", "imageMogr2/auto-orient/rotate/90",
    f"{WORDS}|imageMogr2/rotate/90",
])
@pytest.mark.parametrize("format", ["jpg", "png", "webp", "avif"])
def test_copyright_is_kept_if_the_operator_says_so(keeping, words, format):
    url = keeping.store(photograph(), name="photo.jpg")["url"]
    assert rights(seen(keeping, f"{url}?{words}/format/{format}")) == RIGHTS


@pytest.mark.few(2)
@pytest.mark.parametrize("words", [WORDS, "imageMogr2/thumbnail/!50p", "imageMogr2/rotate/90"])
@pytest.mark.parametrize("format", ["jpg", "png", "webp", "avif"])
def test_nothing_else_is_kept_with_it(keeping, words, format):
    url = keeping.store(photograph(), name="photo.jpg")["url"]
    data = fetched(keeping, f"{url}?{words}/format/{format}").content
    assert b"Secret" not in data
    assert not dict(read(data).getexif().get_ifd(ExifTags.IFD.GPSInfo))


@pytest.mark.few(2)
@pytest.mark.parametrize("source", ["PNG", "WEBP", "HEIF", "AVIF"])
def test_copyright_of_each_format_is_kept(keeping, source):
    url = keeping.store(photograph(source), name="picture")["url"]
    assert rights(seen(keeping, f"{url}?{WORDS}/format/jpg")) == RIGHTS


def test_picture_that_says_nothing_of_its_rights_gets_none(keeping):
    url = keeping.store(encoded(plain(120, 80), "JPEG"), name="photo.jpg")["url"]
    assert rights(seen(keeping, f"{url}?{WORDS}")) == {}


def test_copyright_and_orientation_are_kept_together(keeping):
    url = keeping.store(photograph(orientation=6), name="photo.jpg")["url"]
    image = seen(keeping, f"{url}?imageMogr2/thumbnail/!50p")
    assert rights(image) == RIGHTS
    assert image.getexif()[ExifTags.Base.Orientation] == 6


def test_copyright_goes_with_the_rest_if_nothing_is_said(api):
    url = api.store(photograph(), name="photo.jpg")["url"]
    assert rights(seen(api, f"{url}?{WORDS}")) == {}


# Quality and workers

@pytest.fixture(scope="module")
def scaling(tmp_path_factory):
    """Calls of a server for each quality of scaling."""
    servers = {
        quality: Server(tmp_path_factory.mktemp(quality), LCFILE_IMAGES_QUALITY=quality).start()
        for quality in ("fast", "best")
    }
    yield {quality: server.api() for quality, server in servers.items()}
    assert [server.stop() for server in servers.values()] == [0, 0]


@pytest.mark.few(1)
@pytest.mark.parametrize("quality", ["fast", "best"])
def test_quality_of_scaling_changes_no_size_and_little_else(scaling, rocket, quality):
    api = scaling[quality]
    photo = read(rocket)
    url = api.store(encoded(photo, icc_profile=None), name="photo.png")["url"]
    for words, size in ((WORDS, (59, 39)), ("imageView2/1/w/100/h/100", (100, 100)), ("imageMogr2/thumbnail/!30p", (192, 128))):
        image = seen(api, f"{url}?{words}")
        assert image.size == size
        if words != "imageView2/1/w/100/h/100":
            assert distance(image, resized(photo, size)) < 3


def bars(width=600, height=400):
    """Black and white lines as thin as can be, which mix to another grey in light than in bytes."""
    image = plain(width, height, (0, 0, 0))
    for x in range(0, width, 2):
        image.paste((255, 255, 255), (x, 0, x + 1, height))
    return image


@pytest.mark.few(2)
@pytest.mark.parametrize("format, picture, words", covering(
    ["PNG", "JPEG", "TIFF"], ["photo", "bars"],
    ["imageView2/2/w/100", "imageMogr2/thumbnail/!30p", "imageView/2/w/59"],
))
def test_best_quality_is_nearer_to_light_than_fast(scaling, rocket, format, picture, words):
    image = bars() if picture == "bars" else read(rocket).convert("RGB")
    data = encoded(image, format, icc_profile=None, **({"quality": 95} if format == "JPEG" else {}))
    made = []
    for quality in ("fast", "best"):
        api = scaling[quality]
        made.append(fetched(api, f"{api.store(data, name='photo')['url']}?{words}/format/png").content)
    fast, best = map(read, made)
    wanted = resized_in_linear_light(read(data), best.size)
    assert distance(best, wanted) < distance(fast, wanted)


@pytest.mark.few(2)
@pytest.mark.parametrize("format, profile, words", covering(
    ["PNG", "JPEG", "WEBP", "TIFF", "AVIF"], [None, *PROFILES],
    ["imageView2/2/w/20", "imageMogr2/auto-orient/thumbnail/!30p", "imageMogr2/thumbnail/50x|imageMogr2/thumbnail/20x"],
))
def test_quality_of_scaling_changes_no_colour(scaling, format, profile, words):
    """One colour is the same in light and in bytes, also of another profile."""
    options = {} if format in ("PNG", "TIFF") else {"quality": 95}
    data = encoded(plain(64, 64, (120, 160, 90)), format, icc_profile=profile and PROFILES[profile], **options)
    fast, best = (
        mean(seen(api, f"{api.store(data, name='plain')['url']}?{words}/format/png")) for api in scaling.values()
    )
    assert farthest([best], [fast]) <= 3


@pytest.mark.parametrize("words", ["imageView2/2/w/100", "imageMogr2/thumbnail/!30p", "imageView/2/w/59"])
def test_best_quality_of_lines_is_the_grey_of_their_light(scaling, words):
    api = scaling["best"]
    url = api.store(encoded(bars()), name="bars.png")["url"]
    image = seen(api, f"{url}?{words}/format/png")
    assert distance(image, resized_in_linear_light(bars(), image.size)) < 3


@pytest.mark.extended
@pytest.mark.parametrize("workers", ["1", "3"])
def test_drawings_are_made_by_any_number_of_workers(start, workers):
    server = start(WORKERS=workers)
    apis = [server.api() for _ in range(4)]
    url = apis[0].store(source("SVG").data, name="drawing.svg")["url"]
    sizes = at_once(lambda place: seen(apis[place], f"{url}?imageView2/2/w/{20 + place}").width, len(apis), len(apis))
    assert sizes == [20 + place for place in range(len(apis))]


@pytest.mark.extended
def test_frames_and_threads_may_be_few(start):
    api = start(THREADS="1", WORKERS="1", MAX_FRAMES="1").api()
    data = encoded(COLOURS, "GIF", save_all=True, append_images=[COLOURS.rotate(180)], duration=100)
    assert seen(api, api.store(data, name="moving.gif")["url"] + f"?{WORDS}").n_frames == 1


# Values that are none

NAMES = {
    "images.memory": "LCFILE_IMAGES_MEMORY", "images.timeout": "LCFILE_IMAGES_TIMEOUT",
    "images.workers": "LCFILE_IMAGES_WORKERS",
    "images.cacheSize": "LCFILE_IMAGES_CACHE_SIZE", "images.mezzanine": "LCFILE_IMAGES_MEZZANINE",
    "images.quality": "LCFILE_IMAGES_QUALITY", "images.keepCopyright": "LCFILE_IMAGES_KEEP_COPYRIGHT",
    "images.maxFrames": "LCFILE_IMAGES_MAX_FRAMES", "images.maxAnimationPixels": "LCFILE_IMAGES_MAX_ANIMATION_PIXELS",
    "images.maxOperators": "LCFILE_IMAGES_MAX_OPERATORS", "images.maxTextLength": "LCFILE_IMAGES_MAX_TEXT_LENGTH",
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name, value", covering(NAMES, ["-1", "nonsense", "99999999999999999999"]))
def test_bad_value_stops_the_start(new_server, name, value):
    server = new_server()
    server.environment[NAMES[name]] = value
    assert_does_not_start(server, SETTING, name)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", [
    "images.memory", "images.timeout", "images.workers", "images.maxFrames", "images.maxOperators",
])
def test_nothing_at_all_stops_the_start(new_server, name):
    server = new_server()
    server.environment[NAMES[name]] = "0"
    assert_does_not_start(server, SETTING, name)
