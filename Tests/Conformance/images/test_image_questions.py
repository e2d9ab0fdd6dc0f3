"""Questions about images: imageInfo, exif, imageAve and stat; JSON that is not cached."""

import time
from urllib.parse import urlsplit

import numpy
import pytest
from cases import some
from client import assert_refused, head
from image_looks import fetched, laid_on
from image_sources import CLEARED, COLOURS, GRAYS, HEIGHT, SOURCES, WIDTH, source
from image_writers import read
from pictures import BLUE, GREEN, RED, encoded, plain
from PIL import ExifTags, Image, ImageSequence
from uploading import qetag

QUESTIONS = ["imageInfo", "exif", "imageAve", "stat"]
ORIENTATIONS = {
    1: "Top-left", 2: "Top-right", 3: "Bottom-right", 4: "Bottom-left", 5: "Left-top", 6: "Right-top", 7: "Right-bottom",
    8: "Left-bottom",
}
# Those whose colours section 7 names.
MODELLED = [name for name in SOURCES if source(name).model]


def ask(api, url, words):
    response = api.fetch(f"{url}?{words}")
    assert response.status_code == 200, response.content[:300]
    assert response.headers["Content-Type"].startswith("application/json")
    return response.json()


def stored(api, data, name="picture"):
    return api.store(data, name=name)["url"]


@pytest.fixture(scope="module")
def photo(api, rocket):
    return stored(api, rocket, "rocket.jpg")


@pytest.fixture(scope="module")
def described(api):
    """A photograph that tells about itself."""
    return stored(api, encoded(plain(60, 40), "JPEG", exif=exif_of(6)))


@pytest.fixture(scope="module")
def urls(api):
    return {name: stored(api, source(name).data) for name in SOURCES}


def exif_of(orientation=None, **texts):
    exif = Image.Exif()
    exif[ExifTags.Base.Make], exif[ExifTags.Base.DateTime] = "Acme", "2024:05:02 10:00:00"
    exif[ExifTags.Base.XResolution] = 72.0
    if orientation:
        exif[ExifTags.Base.Orientation] = orientation
    details = exif.get_ifd(ExifTags.IFD.Exif)
    details[ExifTags.Base.ISOSpeedRatings] = 200
    details[ExifTags.Base.DateTimeOriginal] = "2024:05:01 09:00:00"
    return exif


# All of them

@pytest.mark.parametrize("words", [*QUESTIONS, "imageView2/2/w/30|imageInfo", "imageInfo&v=1", "stat&v=1"])
def test_answer_is_json_that_is_not_kept(api, described, words):
    response = api.fetch(f"{described}?{words}")
    assert response.status_code == 200, response.content
    assert response.headers["Content-Type"].split(";")[0] == "application/json"
    assert "no-store" in response.headers["Cache-Control"]
    assert isinstance(response.json(), dict)


@pytest.mark.parametrize("words", QUESTIONS)
def test_any_origin_may_ask(api, described, words):
    assert api.fetch(f"{described}?{words}", Origin="https://app.example.com").headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("words", QUESTIONS)
def test_head_of_an_answer_tells_its_length_and_sends_no_body(api, server, described, words):
    length = len(api.fetch(f"{described}?{words}").content)
    path, said = f"{urlsplit(described).path}?{words}", b""
    with server.raw() as connection:
        connection.send(head("HEAD", path, {}) + head("GET", "/health", {"Connection": "close"}))
        while more := connection.socket.recv(65536):
            said += more
    first, rest = said.split(b"\r\n\r\n", 1)
    assert f"content-length: {length}\r\n".encode() in first.lower() + b"\r\n"
    assert rest.startswith(b"HTTP/1.1 200 "), rest[:200]


@pytest.mark.parametrize("words", [
    "imageinfo", "ImageInfo", "IMAGEINFO", "imageAVE", "imageave", "Exif", "EXIF", "Stat", "STAT",
    "imageView2/2/w/30|imageinfo",
])
def test_names_are_case_sensitive(api, described, words):
    assert_refused(api.fetch(f"{described}?{words}"), 400, 400, "Bad image request")


@pytest.mark.parametrize("words", [f"{word}/{more}" for word in QUESTIONS for more in ("x", "w/200", "ignore-error/1")])
def test_questions_take_no_words(api, described, words):
    assert_refused(api.fetch(f"{described}?{words}"), 400, 400, "Bad image request")


@pytest.mark.parametrize("words", [
    f"{word}|imageView2/2/w/30" for word in QUESTIONS] + ["imageInfo|imageInfo", "stat|stat",
])
def test_nothing_stands_behind_a_question(api, described, words):
    assert_refused(api.fetch(f"{described}?{words}"), 400, 400, "Bad image request")


@pytest.mark.parametrize("before", ["imageView2/2/w/30", "imageMogr2/rotate/90", "imageslim"])
@pytest.mark.parametrize("words", ["exif", "imageAve", "stat"])
def test_question_about_the_source_stands_alone(api, described, words, before):
    assert_refused(api.fetch(f"{described}?{before}|{words}"), 400, 400, "Bad image request")


@pytest.mark.parametrize("words", QUESTIONS)
def test_question_about_an_unknown_key_is_404(api, server, words):
    assert_refused(api.fetch(f"{server.url}/{'0' * 32}.jpg?{words}"), 404, 404)


@pytest.mark.parametrize("words", ["imageInfo", "imageAve"])
def test_question_about_what_is_no_image_is_refused(api, words):
    response = api.fetch(stored(api, b"just text", "photo.jpg") + f"?{words}")
    assert_refused(response, 400, 400)
    assert "no-store" in response.headers["Cache-Control"]


# imageInfo

@pytest.mark.few(2)
@pytest.mark.parametrize("name", some(SOURCES, 2))
def test_format_and_sides_of_each_source(api, urls, name):
    info = ask(api, urls[name], "imageInfo")
    assert (info["format"], info["width"], info["height"]) == (source(name).format, WIDTH, HEIGHT)


@pytest.mark.parametrize("name", some(SOURCES, 12))
def test_size_is_that_of_the_file(api, urls, name):
    assert ask(api, urls[name], "imageInfo")["size"] == len(source(name).data)


@pytest.mark.few(4)
@pytest.mark.parametrize("name", MODELLED)
def test_colours_of_each_source_have_their_name(api, urls, name):
    assert ask(api, urls[name], "imageInfo")["colorModel"] == source(name).model


def test_colours_of_a_gif_are_a_palette(api, urls):
    model = ask(api, urls["GIF"], "imageInfo")["colorModel"]
    assert model.startswith("palette") and model.removeprefix("palette").isdecimal()


@pytest.mark.parametrize("name", [
    "JPEG", "PNG with alpha", "WebP", "TIFF", "BMP", "HEIC", "AVIF", "SVG", "PDF", "JPEG XL",
])
def test_members_are_those_of_the_protocol(api, urls, name):
    assert set(ask(api, urls[name], "imageInfo")) == {"size", "format", "width", "height", "colorModel"}


@pytest.mark.parametrize("format", ["GIF", "WEBP"])
@pytest.mark.parametrize("count", [2, 5])
def test_animation_tells_its_frames(api, format, count):
    frames = [plain(40, 30, colour) for colour in (RED, GREEN, BLUE, RED, GREEN)[:count]]
    url = stored(api, encoded(frames[0], format, save_all=True, append_images=frames[1:], duration=100))
    info = ask(api, url, "imageInfo")
    assert (info["frameNumber"], info["width"], info["height"]) == (count, 40, 30)


def test_gif_that_stands_still_has_one_frame(api, urls):
    assert ask(api, urls["GIF"], "imageInfo")["frameNumber"] == 1


@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("format", ["JPEG", "WEBP", "PNG", "TIFF"])
@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_orientation_has_its_name_and_turns_no_side(api, orientation, format):
    if (format, orientation) == ("TIFF", 1):
        pytest.skip("libvips tells no TIFF that says 1 from one that says nothing")
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    info = ask(api, stored(api, encoded(plain(60, 40), format, exif=exif)), "imageInfo")
    assert (info["orientation"], info["width"], info["height"]) == (ORIENTATIONS[orientation], 60, 40)


def test_orientation_that_is_not_said_is_not_told(api):
    info = ask(api, stored(api, encoded(plain(60, 40), "JPEG", exif=exif_of())), "imageInfo")
    assert "orientation" not in info


@pytest.mark.few(2)
@pytest.mark.parametrize("words, format, size", [
    ("imageView2/2/w/59", "png", (59, 39)), ("imageView2/2/w/59/format/webp", "webp", (59, 39)),
    ("imageView2/2/w/59/format/jpg", "jpeg", (59, 39)), ("imageView2/2/w/59/format/gif", "gif", (59, 39)),
    ("imageView2/2/w/59/format/avif", "avif", (59, 39)), ("imageMogr2/rotate/90", "png", (78, 118)),
    ("imageView2/1/w/50/h/50|imageMogr2/crop/20x10", "png", (20, 10)), ("imageslim", "png", (118, 78)),
])
def test_info_at_the_end_of_a_chain_is_of_the_result(api, urls, words, format, size):
    url = urls["PNG with alpha"]
    info = ask(api, url, f"{words}|imageInfo")
    assert (info["format"], info["width"], info["height"]) == (format, *size)
    assert info["size"] == len(fetched(api, f"{url}?{words}").content)


@pytest.mark.parametrize("format, model", [("png", "nrgba"), ("webp", "nrgba"), ("avif", "nrgba"), ("jpg", "ycbcr")])
def test_colours_at_the_end_of_a_chain_are_those_of_the_result(api, urls, format, model):
    words = f"imageView2/2/w/59/format/{format}|imageInfo"
    assert ask(api, urls["PNG with alpha"], words)["colorModel"] == model


@pytest.mark.parametrize("words", ["imageView2/2/w/30", "imageMogr2/auto-orient"])
def test_result_that_was_turned_tells_no_orientation(api, described, words):
    info = ask(api, described, f"{words}|imageInfo")
    assert info.get("orientation", "Top-left") == "Top-left"
    assert info["height"] > info["width"]


@pytest.mark.parametrize("words, count", [("imageView2/2/w/20", 3), ("imageView2/2/w/20/format/webp", 3),
                                          ("imageView2/2/w/20/format/png", None)])
def test_frames_at_the_end_of_a_chain_are_those_of_the_result(api, words, count):
    frames = [plain(40, 30, colour) for colour in (RED, GREEN, BLUE)]
    url = stored(api, encoded(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=100))
    assert ask(api, url, f"{words}|imageInfo").get("frameNumber") == count


# exif

FIELDS = {
    "Make": (2, "Acme"), "DateTime": (2, "2024:05:02 10:00:00"), "XResolution": (5, "72"),
    "Orientation": (3, "Right-top"),
    "ISOSpeedRatings": (3, "200"), "DateTimeOriginal": (2, "2024:05:01 09:00:00"),
}


@pytest.mark.parametrize("name", FIELDS)
def test_field_has_its_type_and_its_value(api, described, name):
    field = ask(api, described, "exif")[name]
    assert (field["type"], field["val"]) == FIELDS[name]


def test_no_field_is_told_that_the_file_does_not_have(api, described):
    assert set(ask(api, described, "exif")) <= set(FIELDS)


def test_field_has_a_type_and_a_value_and_nothing_else(api, described):
    assert {tuple(sorted(field)) for field in ask(api, described, "exif").values()} == {("type", "val")}


@pytest.mark.few(2)
@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_orientation_has_its_name_in_exif(api, orientation):
    url = stored(api, encoded(plain(60, 40), "JPEG", exif=exif_of(orientation)))
    assert ask(api, url, "exif")["Orientation"] == {"type": 3, "val": ORIENTATIONS[orientation]}


@pytest.mark.few(2)
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "HEIF", "AVIF"])
def test_exif_of_each_format_is_told(api, format):
    url = stored(api, encoded(plain(64, 64), format, exif=exif_of()))
    assert ask(api, url, "exif")["DateTime"] == {"type": 2, "val": "2024:05:02 10:00:00"}


@pytest.mark.parametrize("text", ['quote " and \\ and </script>', "línea", "照片"])
def test_text_of_a_field_is_json_whatever_it_holds(api, text):
    exif = exif_of()
    exif[ExifTags.Base.Make] = text.encode()
    assert ask(api, stored(api, encoded(plain(60, 40), "JPEG", exif=exif)), "exif")["Make"]["val"] == text


@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("text", [
    "Ann Example", "Ann (Example)", "x (y, ASCII, 2 components, 2 bytes)", ") (", "(", "a, b, c", " padded ", "[None]",
])
@pytest.mark.parametrize("name", ["Make", "Copyright", "Artist", "ImageDescription"])
def test_text_of_a_field_is_told_as_it_stands(api, name, text):
    exif = Image.Exif()
    exif[ExifTags.Base[name]] = text
    url = stored(api, encoded(plain(60, 40), "JPEG", exif=exif))
    # The word for people of who has the rights is part of the value, as with every field.
    told = f"{text} (Photographer) - [None] (Editor)" if name == "Copyright" else text
    assert ask(api, url, "exif")[name] == {"type": 2, "val": told}


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["JPEG", "PNG", "WebP", "GIF", "BMP", "SVG", "PDF", "HEIC"])
def test_no_exif_is_an_error_of_its_own_form(api, urls, name):
    response = api.fetch(f"{urls[name]}?exif")
    assert (response.status_code, response.json()) == (400, {"error": "no exif data"})
    assert response.headers["Content-Type"].startswith("application/json")
    assert "no-store" in response.headers["Cache-Control"]


def test_exif_of_what_is_no_image_is_refused(api):
    assert api.fetch(stored(api, b"just text", "photo.jpg") + "?exif").status_code == 400


# imageAve

def average(api, url):
    value, = ask(api, url, "imageAve").values()
    assert value.startswith("0x") and len(value) == 8 and value == value.lower()
    return [int(value[place : place + 2], 16) for place in (2, 4, 6)]


def mean_of(image):
    return numpy.asarray(laid_on(image), dtype=float).reshape(-1, 3).mean(axis=0)


def test_average_of_a_photograph(api, rocket):
    picture = read(rocket)
    assert numpy.abs(mean_of(picture) - average(api, stored(api, encoded(picture, icc_profile=None)))).max() <= 1


def test_average_has_one_member(api, photo):
    assert list(ask(api, photo, "imageAve")) == ["RGB"]


@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("picture", [COLOURS, GRAYS, CLEARED, plain(3, 3, (1, 2, 3)), plain(9, 1, (255, 255, 255))],
                         ids=["colours", "grays", "transparent", "dark", "white"])
@pytest.mark.parametrize("format", ["PNG", "TIFF", "BMP"])
def test_average_of_what_loses_nothing(api, picture, format):
    flat = laid_on(picture) if format == "BMP" else picture
    assert numpy.abs(mean_of(flat) - average(api, stored(api, encoded(flat, format)))).max() <= 1


@pytest.mark.parametrize("alpha", [0, 100, 255])
def test_average_is_on_white(api, alpha):
    picture = plain(30, 30, (200, 50, 0, alpha), "RGBA")
    assert numpy.abs(mean_of(picture) - average(api, stored(api, encoded(picture)))).max() <= 1


def test_average_of_an_animation_is_of_its_first_frame(api):
    frames = [plain(40, 30, colour) for colour in (RED, GREEN, BLUE)]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=100)
    assert len(list(ImageSequence.Iterator(read(data)))) == 3
    assert average(api, stored(api, data)) == list(RED)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", [
    "JPEG", "WebP", "HEIC", "AVIF", "SVG", "SVG with transparency", "PDF", "JPEG XL", "JPEG 2000",
])
def test_average_of_each_format(api, urls, name):
    assert numpy.abs(mean_of(source(name).picture) - average(api, urls[name])).max() <= 4


# Clients that leave

@pytest.mark.parametrize("words", ["imageInfo", "exif"])
def test_clients_that_leave_while_a_header_is_read_end_nothing_else(api, server, words):
    # libheif ends its process if a read fails.
    exif = exif_of()
    exif[ExifTags.Base.Copyright] = "x" * 60_000
    url = stored(api, encoded(COLOURS, "HEIF", quality=95, chroma=444, exif=exif))
    pid = server.process.pid
    for pause in range(40):
        with server.raw() as connection:
            connection.send(head("GET", f"{urlsplit(url).path}?{words}", {"Host": "a"}))
            # Another moment each time, within the first milliseconds.
            time.sleep(pause / 10_000)
            connection.reset()
    assert server.is_healthy() and server.process.pid == pid
    answer = ask(api, url, words)
    assert answer["Make"]["val"] == "Acme" if words == "exif" else answer["format"] == "heic"


# stat

@pytest.mark.parametrize("data, name, type", [
    (b"just text", "note.txt", "text/plain"), (b"", "empty.bin", "application/octet-stream"),
    (encoded(COLOURS), "a.png", "image/png"),
    (b"<script>alert(1)</script>", "page.html", "text/html"), (b"x" * (5 << 20), "big.bin", "application/octet-stream"),
], ids=["text", "empty", "image", "page", "two blocks"])
def test_stat_is_of_any_file(api, data, name, type):
    url = api.store(data, name=name, type=type)["url"]
    assert ask(api, url, "stat") == {"fsize": len(data), "hash": qetag(data), "mimeType": type}


def test_stat_of_a_photo_has_the_members_of_the_protocol(api, photo, rocket):
    assert ask(api, photo, "stat") == {"fsize": len(rocket), "hash": qetag(rocket), "mimeType": "image/jpeg"}


def test_stat_of_a_broken_image_is_that_of_the_file(api, rocket):
    assert ask(api, stored(api, rocket[:5000], "half.jpg"), "stat")["fsize"] == 5000


def test_stat_of_a_deleted_file_is_404(api, master):
    record = api.store(b"gone", name="x.txt")
    assert master.delete(record["objectId"]).status_code == 200
    assert api.fetch(f"{record['url']}?stat").status_code == 404
