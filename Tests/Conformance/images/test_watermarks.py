"""Image marks laid over images: where, how large, how dense, and which files may be one."""

from urllib.parse import urlsplit

import marks
import pytest
from app_settings import configured
from client import ALPHA, Server, assert_refused
from elsewhere import Elsewhere, answer, link
from image_looks import BLACK, WHITE, distance, farthest, fetched, ink, laid_on, mean, seen
from image_sources import source
from image_writers import read
from marks import GRAVITIES, place
from pictures import BLUE, GREEN, RED, encoded, plain
from uploading import url64

SIZE, MARK = (300, 200), (40, 20)


def stored(api, data, name="picture", **options):
    return api.store(data, name=name, **options)["url"]


@pytest.fixture(scope="module")
def paper(api):
    """A white image."""
    return stored(api, encoded(plain(*SIZE, WHITE)))


@pytest.fixture(scope="module")
def tall(api):
    """A white image that is upright."""
    return stored(api, encoded(plain(200, 300, WHITE)))


@pytest.fixture(scope="module")
def mark(api):
    """A red mark of 40 x 20."""
    return stored(api, encoded(plain(*MARK, RED)), "mark.png")


@pytest.fixture(scope="module")
def blue(api):
    return stored(api, encoded(plain(*MARK, BLUE)), "blue.png")


def drawn(api, url, text, **options):
    """The image with the mark on it."""
    return seen(api, f"{url}?watermark/1{marks.image(text, **options)}")


def refuse(api, url, words, status=400):
    assert_refused(api.fetch(f"{url}?{words}"), status, status)


# Where

@pytest.mark.few(3)
@pytest.mark.parametrize("dx, dy", [(None, None), (0, 0), (7, 31), (-5, -8), (-5, 12), (60, 0)])
@pytest.mark.parametrize("gravity", GRAVITIES)
def test_mark_lies_where_gravity_and_offsets_say(api, paper, mark, gravity, dx, dy):
    offsets = {} if dx is None else {"dx": dx, "dy": dy}
    image = drawn(api, paper, mark, gravity=gravity, **offsets)
    box = place(gravity, SIZE, MARK, **offsets)
    assert ink(image, WHITE) == box
    assert farthest([mean(image, box)], [RED]) <= 2


def test_mark_lies_in_the_south_east_if_nothing_is_said(api, paper, mark):
    assert ink(drawn(api, paper, mark), WHITE) == (250, 170, 290, 190)


@pytest.mark.parametrize("dx, dy", [(400, 0), (0, 400), (-300, 0), (0, -200), (1000, -1000)])
def test_mark_that_lies_outside_is_not_seen(api, paper, mark, dx, dy):
    image = drawn(api, paper, mark, gravity="NorthWest", dx=dx, dy=dy)
    assert (image.size, ink(image, WHITE)) == (SIZE, None)


@pytest.mark.smoke
def test_picture_keeps_its_size_and_its_format(api, mark, rocket):
    url = stored(api, rocket)
    image = drawn(api, url, mark)
    assert (image.format, image.size) == ("JPEG", read(rocket).size)


def test_rest_of_the_picture_stays_as_it_is(api, mark, rocket):
    photo = read(rocket)
    image = laid_on(drawn(api, stored(api, encoded(photo, icc_profile=None)), mark, gravity="NorthWest", dx=0, dy=0))
    photo.paste(RED, (0, 0, *MARK))
    assert distance(image, photo) < 0.1


# How dense

@pytest.mark.parametrize("dissolve", [1, 25, 50, 75, 99, 100])
def test_mark_is_as_dense_as_is_said(api, paper, mark, dissolve):
    image = drawn(api, paper, mark, dissolve=dissolve)
    part = dissolve / 100
    expected = tuple(round(value * part + 255 * (1 - part)) for value in RED)
    assert farthest([mean(image, (255, 175, 285, 185))], [expected]) <= 4


@pytest.mark.parametrize("alpha", [0, 64, 200])
def test_transparency_of_a_mark_counts(api, paper, alpha):
    clear = stored(api, encoded(plain(*MARK, (*RED, alpha), "RGBA")))
    part = alpha / 255
    expected = tuple(round(value * part + 255 * (1 - part)) for value in RED)
    assert farthest([mean(drawn(api, paper, clear), (255, 175, 285, 185))], [expected]) <= 4


def test_transparency_and_density_of_a_mark_both_count(api, paper):
    clear = stored(api, encoded(plain(*MARK, (*BLACK, 128), "RGBA")))
    image = drawn(api, paper, clear, dissolve=50)
    assert farthest([mean(image, (255, 175, 285, 185))], [(191, 191, 191)]) <= 4


def test_mark_is_all_that_is_seen_on_a_transparent_picture(api, mark):
    url = stored(api, encoded(plain(*SIZE, (0, 0, 0, 0), "RGBA")))
    image = drawn(api, url, mark).convert("RGBA")
    assert image.getchannel("A").getbbox() == (250, 170, 290, 190)
    assert image.getpixel((270, 180)) == (*RED, 255)


# How large

SCALED = {
    0: ((100, 50), (100, 50)), 1: ((75, 38), (75, 38)), 2: ((75, 38), (50, 25)), 3: ((100, 50), (150, 75)),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("wst", [None, 0, 1, 2, 3])
def test_mark_is_a_part_of_the_picture(api, paper, tall, mark, wst):
    options = {"ws": 0.25} | ({} if wst is None else {"wst": wst})
    for url, expected in zip((paper, tall), SCALED[wst or 0]):
        left, top, right, bottom = ink(drawn(api, url, mark, gravity="NorthWest", dx=0, dy=0, **options), WHITE)
        assert (left, top) == (0, 0)
        assert abs(right - expected[0]) <= 1 and abs(bottom - expected[1]) <= 1


@pytest.mark.parametrize("ws, size", [
    ("1", (300, 150)), ("1.0", (300, 150)), ("0.5", (200, 100)), ("0.01", (4, 2)), ("0.1", (40, 20)),
])
def test_part_is_any_number_up_to_one(api, paper, mark, ws, size):
    box = ink(drawn(api, paper, mark, gravity="NorthWest", dx=0, dy=0, ws=ws), WHITE, tolerance=40)
    assert abs(box[2] - size[0]) <= 1 and abs(box[3] - size[1]) <= 1


def test_mark_grows_no_more_than_tenfold(api, paper):
    small = stored(api, encoded(plain(4, 2, RED)))
    box = ink(drawn(api, paper, small, gravity="NorthWest", dx=0, dy=0, ws=1), WHITE)
    assert abs(box[2] - 40) <= 1 and abs(box[3] - 20) <= 1


@pytest.mark.few(2)
@pytest.mark.parametrize("size, expected", [
    ((400, 100), (300, 75)), ((100, 400), (50, 200)), ((900, 600), (300, 200)), ((300, 200), (300, 200)),
    ((3000, 10), (300, 1)),
])
def test_mark_that_is_larger_than_the_picture_is_shrunk_to_fit(api, paper, size, expected):
    large = stored(api, encoded(plain(*size, RED)))
    assert ink(drawn(api, paper, large, gravity="NorthWest", dx=0, dy=0), WHITE) == (0, 0, *expected)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", [
    "JPEG", "JPEG in gray", "JPEG in CMYK", "PNG of 16 bits", "PNG with a palette", "WebP", "GIF",
])
def test_mark_has_its_colour_on_every_kind_of_picture(api, mark, name):
    image = drawn(api, stored(api, source(name).data), mark, gravity="NorthWest", dx=2, dy=2)
    assert farthest([mean(image, (8, 6, 36, 18))], [RED]) <= 12


@pytest.mark.few(2)
@pytest.mark.parametrize("name", [
    "JPEG", "PNG of 16 bits", "PNG with alpha", "WebP with alpha", "GIF", "TIFF", "HEIC", "AVIF", "BMP",
])
def test_every_kind_of_picture_is_a_mark(api, paper, name):
    image = drawn(api, paper, stored(api, source(name).data), gravity="NorthWest", dx=0, dy=0)
    assert farthest([mean(image, (10, 10, 49, 29)), mean(image, (69, 10, 108, 29))], [RED, GREEN]) <= 12


def test_mark_of_an_animation_is_its_first_frame(api, paper):
    moving = encoded(plain(*MARK, RED), "GIF", save_all=True, append_images=[plain(*MARK, BLUE)], duration=100)
    image = drawn(api, paper, stored(api, moving))
    assert ink(image, WHITE) == (250, 170, 290, 190)
    assert farthest([mean(image, (250, 170, 290, 190))], [RED]) <= 4


# Several

def test_marks_lie_in_the_order_written(api, paper, mark, blue):
    both = [marks.image(url, gravity="Center", dx=0, dy=0) for url in (mark, blue)]
    for order, colour in ((both, BLUE), (both[::-1], RED)):
        assert farthest([mean(seen(api, f"{paper}?watermark/3{''.join(order)}"), (135, 92, 165, 108))], [colour]) <= 2


def test_each_of_several_marks_has_words_of_its_own(api, paper, mark, blue):
    words = marks.image(mark, gravity="NorthWest", dx=0, dy=0, dissolve=50) + marks.image(blue)
    image = seen(api, f"{paper}?watermark/3{words}")
    assert farthest([mean(image, (2, 2, 38, 18)), mean(image, (252, 172, 288, 188))], [(242, 138, 138), BLUE]) <= 5


def test_one_image_may_be_several_marks(api, paper, mark):
    words = "".join(marks.image(mark, gravity=gravity, dx=0, dy=0) for gravity in ("NorthWest", "SouthEast"))
    assert ink(seen(api, f"{paper}?watermark/3{words}"), WHITE) == (0, 0, *SIZE)


# Which files

def key_of(url):
    return urlsplit(url).path[1:]


FORMS = {
    "URL": lambda server, url: url,
    "bare key": lambda server, url: key_of(url),
    "kodo": lambda server, url: f"kodo://{ALPHA.id[:8]}/{key_of(url)}",
}


@pytest.mark.parametrize("form", FORMS)
def test_file_is_named_in_each_form(api, server, paper, mark, form):
    assert ink(drawn(api, paper, FORMS[form](server, mark)), WHITE) == (250, 170, 290, 190)


def test_all_forms_make_one_derivative(api, server, paper, mark):
    tags = {fetched(api, f"{paper}?watermark/1{marks.image(form(server, mark))}").headers["ETag"] for form in FORMS.values()}
    assert len(tags) == 1


def test_base64_may_be_padded_or_not(api, server, paper, mark):
    padded = url64(FORMS["kodo"](server, mark))
    assert padded.endswith("=")
    results = [fetched(api, f"{paper}?watermark/1/image/{word}").content for word in (padded, padded.rstrip("="))]
    assert results[0] == results[1]


def test_name_with_blanks_and_letters_of_any_script_is_found(api, paper):
    url = stored(api, encoded(plain(*MARK, RED)), "水印 mark #1.png", keep_file_name="true")
    record = api.get("/1.1/files?limit=1&order=-createdAt").json()["results"][0]
    assert "水印" in record["key"]
    for text in (url, record["key"], f"kodo://{ALPHA.id[:8]}/{record['key']}"):
        assert ink(drawn(api, paper, text), WHITE) == (250, 170, 290, 190)


@pytest.fixture(scope="module")
def domains(tmp_path_factory):
    """A server whose first app has two file domains, and whose address for the public is another."""
    server = Server(tmp_path_factory.mktemp("domains"), LCFILE_PUBLIC_URL="https://public.example.com")
    configured(server, alpha={"fileDomains": ["https://files.example.com", "http://old.example.com:8080"]},
               beta={"fileDomains": ["https://other.example.net"]}).start()
    yield server
    assert server.stop() == 0


def over(server, picture, mark, host="127.0.0.1"):
    """The answer to an image with a mark, asked for under a host."""
    with server.raw() as connection:
        path = f"{urlsplit(picture).path}?watermark/1{marks.image(mark)}"
        return connection.request("GET", path, {"Host": host})


def paper_and_mark(api):
    """A white image and a red mark."""
    return stored(api, encoded(plain(*SIZE, WHITE))), stored(api, encoded(plain(*MARK, RED)))


def assert_marked(response):
    """The red mark lies on the white image where it lies if nothing is said."""
    assert response.status == 200, response.content[:200]
    image = read(response.content)
    assert ink(image, WHITE) == (250, 170, 290, 190)
    assert farthest([mean(image, (250, 170, 290, 190))], [RED]) <= 2


OWN = ["https://files.example.com", "http://old.example.com:8080", "https://public.example.com"]


@pytest.mark.parametrize("base", OWN)
def test_file_is_named_under_each_address_of_its_app(domains, base):
    picture, mark = paper_and_mark(domains.api())
    assert_marked(over(domains, picture, f"{base}/{key_of(mark)}"))


@pytest.mark.parametrize("host, named", [
    ("asked.example.org", "http://asked.example.org"), ("asked.example.org:81", "http://asked.example.org:81"),
    ("asked.example.org", "https://asked.example.org"),
])
def test_file_is_named_under_the_host_of_the_request(domains, host, named):
    picture, mark = paper_and_mark(domains.api())
    assert_marked(over(domains, picture, f"{named}/{key_of(mark)}", host))


@pytest.mark.parametrize("host, named", [
    ("asked.example.org", "http://else.example.org"), ("127.0.0.1", "http://asked.example.org"),
])
def test_file_under_the_host_of_no_request_is_refused(domains, host, named):
    picture, mark = paper_and_mark(domains.api())
    assert over(domains, picture, f"{named}/{key_of(mark)}", host).status == 400


def test_address_of_another_app_is_refused(domains):
    picture, mark = paper_and_mark(domains.api())
    assert over(domains, picture, f"https://other.example.net/{key_of(mark)}").status == 400


@pytest.fixture(scope="module")
def listener(mark):
    """A server that is not ours and would show an image."""
    elsewhere = Elsewhere()
    yield elsewhere
    elsewhere.close()


STRANGE = [
    "http://example.com/{key}", "https://example.com/{key}", "http://{own}.example.com/{key}",
    "http://{own}@{evil}/{key}",
    "http://me@{own}/{key}", "http://me:word@{own}/{key}", "http://{evil}\\@{own}/{key}", "http://{evil}#@{own}/{key}",
    "http://{evil}?@{own}/{key}", "http://{own}\\@{evil}/{key}", "http://{evil}/{key}", "http://{evil}/{own}/{key}",
    "http://127.0.0.1:1/{key}", "http://127.0.0.1/{key}", "http://localhost/{key}", "http://[::1]/{key}",
    "ftp://{own}/{key}",
    "file:///etc/passwd", "file://{own}/{key}", "//{evil}/{key}", "data:image/png;base64,iVBORw0KGgo=", "javascript:1",
    "http:{evil}/{key}", "http:///{key}", "http://", "kodo://", "kodo://bucket", "s3://bucket/{key}", " ", "/",
    "http://{own}\t.example.com/{key}", "http://{evil}%2f@{own}/{key}", "http://{own}%00.example.com/{key}",
    "http://169.254.169.254/latest/meta-data", "http://{own}:80:80/{key}", "http://{own}/", "../{key}",
    "{key}/../{key}",
]


@pytest.mark.parametrize("text", STRANGE, ids=ascii)
def test_what_is_no_file_of_the_app_is_refused_and_not_fetched(api, server, paper, mark, listener, text):
    listener.offer(answer(encoded(plain(*MARK, RED)), type="image/png"))
    own, evil = urlsplit(server.url).netloc, urlsplit(listener.url()).netloc
    before = listener.visitors()
    refuse(api, paper, f"watermark/1{marks.image(text.format(own=own, evil=evil, key=key_of(mark)))}")
    assert listener.visitors() == before


@pytest.mark.parametrize("form", FORMS)
def test_file_of_another_app_is_refused(api, beta, server, paper, form):
    theirs = stored(beta, encoded(plain(*MARK, RED)))
    refuse(api, paper, f"watermark/1{marks.image(FORMS[form](server, theirs))}")


@pytest.mark.parametrize("form", FORMS)
def test_unknown_key_is_refused(api, server, paper, form):
    refuse(api, paper, f"watermark/1{marks.image(FORMS[form](server, f'{server.url}/{32 * chr(48)}.png'))}")


def test_file_that_is_elsewhere_is_no_mark(api, paper, listener):
    url = listener.offer(answer(encoded(plain(*MARK, RED)), type="image/png"), "mark.png")
    link(api, url)
    before = listener.visitors()
    refuse(api, paper, f"watermark/1{marks.image(url)}")
    assert listener.visitors() == before


def test_deleted_file_is_no_mark(api, master, paper):
    record = api.store(encoded(plain(*MARK, RED)), name="mark.png")
    assert master.delete(record["objectId"]).status_code == 200
    refuse(api, paper, f"watermark/1{marks.image(record['url'])}")


@pytest.mark.parametrize("data", [
    b"just text", b"", encoded(plain(*MARK, RED), "JPEG")[:200]], ids=["text", "empty", "broken",
])
def test_what_is_no_image_is_no_mark(api, paper, data):
    refuse(api, paper, f"watermark/1{marks.image(stored(api, data, 'mark.png'))}")


# Words

@pytest.mark.parametrize("words", [
    "watermark", "watermark/", "watermark/1", "watermark/1/image", "watermark/1/image/", "watermark/1/dx/5",
    "watermark/3",
    "watermark/5{mark}", "watermark/0{mark}", "watermark{mark}", "watermark/2{mark}", "watermark/4{mark}",
    "Watermark/1{mark}",
    "watermark/1{mark}{mark}", "watermark/1{mark}/nonsense/1", "watermark/1{mark}/dx", "watermark/1{mark}/dx/1/dx/1",
    "watermark/1/image/!!!!", "watermark/1/image/gICA",
])
def test_words_that_are_no_mark_are_refused(api, paper, mark, words):
    refuse(api, paper, words.format(mark=marks.image(mark)))


@pytest.mark.few(2)
@pytest.mark.parametrize("name, value", [
    ("dissolve", 0), ("dissolve", 101), ("dissolve", -1), ("dissolve", "x"), ("gravity", "Middle"),
    ("gravity", "center"),
    ("gravity", ""), ("dx", "x"), ("dy", "--1"), ("dx", "99999999999999999999"), ("ws", 0), ("ws", 1.01), ("ws", -0.5),
    ("ws", "x"),
    ("ws", "nan"), ("wst", 4), ("wst", -1), ("fontsize", 500), ("fill", "cmVk"), ("text", "cmVk"), ("rotate", 45),
])
def test_value_that_is_none_is_refused(api, paper, mark, name, value):
    refuse(api, paper, f"watermark/1{marks.image(mark)}/{name}/{value}")
