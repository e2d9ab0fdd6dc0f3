"""The result's format chosen by the client's Accept, where the app allows it and the URL says none."""

import pytest
from app_settings import configured
from client import BETA, Server
from elsewhere import Elsewhere
from image_looks import TYPES, distance, fetched, resized, seen
from image_sources import CLEARED, COLOURS
from image_words import stored_turned
from image_writers import read
from pictures import encoded, named_corners, quarters
from PIL import Image, ImageOps
from remote import FETCHING, address, offered
from starting import SETTING, assert_does_not_start

CHROME = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"
SAFARI = "image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"
OLD_SAFARI = "image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5"
WORDS = "imageView2/2/w/59"


@pytest.fixture(scope="module")
def choosing(tmp_path_factory):
    """A server whose first app prefers AVIF and then WebP; the second says nothing."""
    server = Server(tmp_path_factory.mktemp("choosing"), **FETCHING)
    configured(server, alpha={"autoFormats": ["avif", "webp"], "styles": {"s": WORDS}}).start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def api(choosing):
    return choosing.api()


@pytest.fixture(scope="module")
def url(api):
    return api.store(encoded(COLOURS, "JPEG", quality=95), name="photo.jpg")["url"]


def vary(response):
    return [word.strip().lower() for word in response.headers.get("Vary", "").split(",")]


def type_of(api, url, accept, words=WORDS):
    headers = {} if accept is None else {"Accept": accept}
    return fetched(api, f"{url}?{words}", **headers).headers["Content-Type"]


ACCEPTS = {
    CHROME: "avif", SAFARI: "avif", OLD_SAFARI: "jpg", "*/*": "jpg", "image/*": "jpg", "image/avif": "avif", "image/webp": "webp",
    "image/webp,*/*": "webp", "image/webp, image/avif;q=0.1": "avif", "image/avif;q=0, image/webp": "webp",
    "image/avif;q=0.0,image/webp;q=0.000": "jpg", "image/avif; q=0 ,image/webp ; q=0.5": "webp",
    "image/avif;q=0.001": "avif",
    "IMAGE/AVIF": "avif", "Image/WebP": "webp", "image/avif;Q=0": "jpg", "image/avif;v=1;q=0": "jpg",
    "image/avifx": "jpg",
    "ximage/avif": "jpg", "text/html": "jpg", "": "jpg", ",,;q=1,": "jpg", "image/png": "jpg",
    "image/jpeg,image/webp": "webp",
    "text/html;x=\"image/webp\"": "jpg",
}


@pytest.mark.parametrize("accept", ACCEPTS)
def test_first_of_the_list_that_the_client_names_is_made(api, url, accept):
    assert type_of(api, url, accept) == TYPES[ACCEPTS[accept]]


def test_client_that_names_nothing_gets_the_sources_format(choosing, url):
    # The library of the other tests always sends an Accept.
    with choosing.raw() as connection:
        response = connection.request("GET", url.removeprefix(choosing.url) + f"?{WORDS}", {"Accept": None})
    assert (response.status, response.getheader("Content-Type")) == (200, "image/jpeg")


def test_accept_may_stand_in_several_lines(choosing, url):
    path = url.removeprefix(choosing.url)
    with choosing.raw() as connection:
        lines = f"GET {path}?{WORDS} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nAccept: image/webp\r\n\r\n"
        connection.send(lines.encode())
        assert connection.answer("GET").getheader("Content-Type") == "image/webp"


@pytest.mark.parametrize("accept, format", [(CHROME, "AVIF"), ("image/webp", "WEBP"), ("*/*", "JPEG")])
def test_bytes_are_of_the_format(api, url, accept, format):
    image = read(fetched(api, f"{url}?{WORDS}", Accept=accept).content)
    assert (image.format, image.size) == (format, (59, 39))
    assert distance(image, resized(COLOURS, (59, 39))) < 6


@pytest.mark.parametrize("words", [
    "imageView/2/w/59", "imageView2/1/w/59/h/39", "imageMogr2/thumbnail/!50p", "imageView2/2/w/90|imageMogr2/rotate/90",
])
def test_every_operator_lets_the_client_choose(api, url, words):
    assert type_of(api, url, CHROME, words) == TYPES["avif"]


@pytest.mark.parametrize("accept", [CHROME, "image/webp", "*/*", OLD_SAFARI, "image/avif;q=0"])
def test_answer_that_may_differ_says_so(api, url, accept):
    assert "accept" in vary(fetched(api, f"{url}?{WORDS}", Accept=accept))


FAILS = "imageMogr2/crop/!10x10a5000a0/ignore-error/1"


@pytest.mark.parametrize("words", [f"imageView2/2/w/90|{FAILS}", f"{FAILS}|imageView2/2/w/90", FAILS])
def test_failure_that_is_ignored_lets_the_client_choose(api, url, words):
    response = fetched(api, f"{url}?{words}", Accept="image/webp")
    assert (response.headers["Content-Type"], "accept" in vary(response)) == ("image/webp", True)


def test_unchanged_answer_says_so_too(api, url):
    etag = fetched(api, f"{url}?{WORDS}", Accept=CHROME).headers["ETag"]
    response = api.fetch(f"{url}?{WORDS}", Accept=CHROME, If_None_Match=etag)
    assert (response.status_code, "accept" in vary(response)) == (304, True)


@pytest.mark.smoke
def test_each_format_has_an_etag_of_its_own(api, url):
    tags = {fetched(api, f"{url}?{WORDS}", Accept=accept).headers["ETag"] for accept in (CHROME, "image/webp", "*/*")}
    assert len(tags) == 3


def test_etag_of_one_format_does_not_confirm_another(api, url):
    etag = fetched(api, f"{url}?{WORDS}", Accept="image/webp").headers["ETag"]
    assert api.fetch(f"{url}?{WORDS}", Accept=CHROME, If_None_Match=etag).status_code == 200


# Without a choice of the client

@pytest.mark.parametrize("format", TYPES)
def test_format_that_is_said_wins(api, url, format):
    response = fetched(api, f"{url}?{WORDS}/format/{format}", Accept=CHROME)
    assert response.headers["Content-Type"] == TYPES[format]
    assert "accept" not in vary(response)


@pytest.mark.parametrize("words", [
    f"{WORDS}/format/png|imageMogr2/rotate/90", f"imageMogr2/rotate/90|{WORDS}/format/png",
])
def test_format_that_is_said_anywhere_in_a_chain_wins(api, url, words):
    assert type_of(api, url, CHROME, words) == "image/png"


@pytest.mark.parametrize("query", ["", "?v=3", "?attname=x.jpg"])
def test_file_itself_is_what_it_is(api, url, query):
    response = api.fetch(url + query, Accept=CHROME)
    assert response.content == encoded(COLOURS, "JPEG", quality=95)
    assert "accept" not in vary(response)


@pytest.mark.parametrize("words", ["imageInfo", "stat"])
def test_questions_about_the_file_do_not_change(api, url, words):
    answers = {api.fetch(f"{url}?{words}", Accept=accept).content for accept in (CHROME, "*/*")}
    assert len(answers) == 1


def test_app_that_says_nothing_gives_the_sources_format(choosing):
    beta = choosing.api(BETA)
    url = beta.store(encoded(COLOURS, "JPEG"), name="photo.jpg")["url"]
    response = fetched(beta, f"{url}?{WORDS}", Accept=CHROME)
    assert response.headers["Content-Type"] == "image/jpeg"
    assert "accept" not in vary(response)


# What it works with

def test_style_lets_the_client_choose(api, url):
    response = fetched(api, f"{url}-s", Accept=CHROME)
    assert (response.headers["Content-Type"], "accept" in vary(response)) == ("image/avif", True)


@pytest.mark.parametrize("accept", [CHROME, "image/webp"])
def test_transparency_stays(api, accept):
    url = api.store(encoded(CLEARED), name="window.png")["url"]
    image = read(fetched(api, f"{url}?{WORDS}", Accept=accept).content).convert("RGBA")
    assert (image.getpixel((10, 30))[3], image.getpixel((10, 10))[3]) == (0, 255)


def test_head_tells_what_get_would_give(api, url):
    full, head = (api.fetch(f"{url}?{WORDS}", method, Accept=CHROME) for method in ("GET", "HEAD"))
    assert [head.headers[name] for name in ("Content-Type", "Content-Length", "ETag", "Vary")] == [
        full.headers[name] for name in ("Content-Type", "Content-Length", "ETag", "Vary")
    ]


@pytest.mark.extended
@pytest.mark.parametrize("formats, accept, type", [
    (["webp"], CHROME, "image/webp"), (["webp", "avif"], CHROME, "image/webp"),
    (["webp", "avif"], "image/avif", "image/avif"),
    ([], CHROME, "image/jpeg"), (["png"], "image/png", "image/png"),
], ids=str)
def test_list_is_a_setting_and_its_order_counts(new_server, formats, accept, type):
    server = configured(new_server(), alpha={"autoFormats": formats}).start()
    api = server.api()
    assert type_of(api, api.store(encoded(COLOURS, "JPEG"), name="x.jpg")["url"], accept) == type


@pytest.mark.few(2)
@pytest.mark.parametrize("formats", [
    ["bmp"], ["svg"], "nonsense", [5], [["avif"]], {"avif": True}, ["avif", "nonsense"], [""],
], ids=str)
def test_bad_list_stops_the_start(new_server, formats):
    assert_does_not_start(configured(new_server(), alpha={"autoFormats": formats}), SETTING, "autoFormats")


@pytest.mark.few(2)
@pytest.mark.parametrize("words, size", [
    ("imageMogr2/thumbnail/80x", (50, 80)), ("imageMogr2/quality/80", (100, 160)), ("imageView2/2/w/50", (50, 80)),
    ("imageMogr2/gravity/West/crop/80x100/thumbnail/40x", (50, 40)),
])
@pytest.mark.parametrize("accept", [CHROME, "image/webp", "*/*"])
def test_picture_stands_upright_for_every_client(api, accept, words, size):
    url = stored_turned(api, quarters().resize((160, 100)), 6, quality=95)
    image = ImageOps.exif_transpose(seen(api, f"{url}?{words}", Accept=accept))
    upright = seen(api, f"{url}?{words}/format/jpg")
    assert image.size == size
    assert named_corners(image) == named_corners(ImageOps.exif_transpose(upright))


@pytest.mark.extended
@pytest.mark.parametrize("accept, type", [("image/avif,image/webp", "image/webp"), ("image/avif", "image/jpeg")])
def test_format_that_takes_too_much_memory_is_passed_over(api, accept, type):
    url = api.store(encoded(COLOURS.resize((4500, 3000)), "JPEG"), name="large.jpg")["url"]
    response = fetched(api, f"{url}?imageMogr2/quality/80", Accept=accept)
    assert (response.headers["Content-Type"], "accept" in vary(response)) == (type, True)


# What moves

@pytest.fixture(scope="module")
def moving(api):
    """The URL of an animation of three frames by its format."""
    frames = [COLOURS, COLOURS.rotate(90), COLOURS.rotate(180)]
    return {
        format: api.store(
            encoded(frames[0], format, save_all=True, append_images=frames[1:], duration=[50, 120, 300], loop=0),
            name="moving",
        )["url"] for format in ("GIF", "WEBP")
    }


@pytest.mark.each_value
@pytest.mark.parametrize("words", [WORDS, "imageMogr2/thumbnail/!50p", "imageView2/2/w/90|imageMogr2/thumbnail/59x"])
@pytest.mark.parametrize("accept", [CHROME, "image/webp", SAFARI])
@pytest.mark.parametrize("format", ["GIF", "WEBP"])
def test_what_moves_becomes_a_webp_because_an_avif_does_not(api, moving, format, accept, words):
    image = read(fetched(api, f"{moving[format]}?{words}", Accept=accept).content)
    assert (image.format, image.n_frames, image.size) == ("WEBP", 3, (59, 39))


@pytest.mark.parametrize("accept", ["image/avif", "*/*", "image/avif,image/webp;q=0", OLD_SAFARI])
@pytest.mark.parametrize("format", ["GIF", "WEBP"])
def test_what_moves_stays_what_it_is_if_no_format_that_moves_is_named(api, moving, format, accept):
    image = read(fetched(api, f"{moving[format]}?{WORDS}", Accept=accept).content)
    assert (image.format, image.n_frames) == (format, 3)


@pytest.mark.parametrize("accept", [CHROME, "image/avif", "image/webp", "*/*"])
@pytest.mark.parametrize("format", ["GIF", "WEBP"])
def test_answer_that_moves_and_may_differ_says_so(api, moving, format, accept):
    assert "accept" in vary(fetched(api, f"{moving[format]}?{WORDS}", Accept=accept))


def test_gif_of_one_frame_becomes_an_avif(api):
    url = api.store(encoded(COLOURS, "GIF"), name="still.gif")["url"]
    assert type_of(api, url, CHROME) == TYPES["avif"]


def test_animation_of_too_many_frames_becomes_an_avif(api):
    """Only its first frame is shown, so that nothing moves."""
    frames = [Image.new("RGB", (8, 8), (place, 255 - place, 128)) for place in range(201)]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=20)
    assert type_of(api, api.store(data, name="moving.gif")["url"], CHROME, "imageView2/2/w/4") == TYPES["avif"]


# By the record's address

@pytest.fixture(scope="module")
def contents(api):
    """Addresses of records, of a file that lies here and of one that lies elsewhere."""
    elsewhere = Elsewhere()
    data = encoded(COLOURS, "JPEG", quality=95)
    here = address(api, api.store(data, name="photo.jpg")["objectId"])
    yield {"here": here, "elsewhere": offered(api, elsewhere, data, "photo.jpg", "image/jpeg")[0]}
    elsewhere.close()


@pytest.mark.parametrize("accept, format", [
    (CHROME, "avif"), ("image/webp", "webp"), ("image/avif;q=0, image/webp", "webp"), ("*/*", "jpg"),
])
@pytest.mark.parametrize("place", ["here", "elsewhere"])
def test_client_chooses_at_the_records_address(api, contents, place, accept, format):
    response = fetched(api, f"{contents[place]}?{WORDS}", Accept=accept)
    assert response.headers["Content-Type"] == TYPES[format]
    assert read(response.content).size == (59, 39)


@pytest.mark.parametrize("accept", [CHROME, "*/*"])
@pytest.mark.parametrize("place", ["here", "elsewhere"])
def test_answer_at_the_records_address_says_what_it_depends_on(api, contents, place, accept):
    """On what the client takes, and on who it is."""
    words = vary(fetched(api, f"{contents[place]}?{WORDS}", Accept=accept))
    assert {"accept", "x-lc-id", "x-lc-key", "x-lc-sign", "x-lc-session"} <= set(words)


@pytest.mark.parametrize("words", ["", f"?{WORDS}/format/png"])
@pytest.mark.parametrize("place", ["here", "elsewhere"])
def test_answer_at_the_records_address_that_cannot_differ_says_nothing(api, contents, place, words):
    assert "accept" not in vary(fetched(api, contents[place] + words, Accept=CHROME))
