"""Texts laid over images: where, how large, in which colour and font, and all over the image."""

import shutil
import subprocess

import marks
import pytest
from client import assert_refused
from image_looks import BLACK, WHITE, farthest, ink, laid_on, mean, seen
from marks import GRAVITIES
from pictures import BLUE, GREEN, encoded, plain
from PIL import ImageChops, ImageStat

SIZE = (600, 400)
CHINESE = "水印"


@pytest.fixture(scope="module")
def night(api):
    """A black image."""
    return api.store(encoded(plain(*SIZE, BLACK)), name="night.png")["url"]


def written(api, url, said, kind=2, **options):
    return seen(api, f"{url}?watermark/{kind}{marks.text(said, **options)}")


def box(api, url, said, **options):
    """Where the text is, from the corner; its width and height."""
    left, top, right, bottom = ink(written(api, url, said, **options), BLACK)
    return left, top, right - left, bottom - top


def brightest(image):
    """The colour of the thickest strokes."""
    return max((colour for _, colour in laid_on(image).getcolors(1 << 20)), key=sum)


def share(image, part):
    """How much of a part is not black, 0 to 1."""
    return ImageStat.Stat(laid_on(image).crop(part).convert("L")).mean[0] / 255


def same(*pictures):
    first, *others = (laid_on(picture) for picture in pictures)
    return all(ImageChops.difference(first, other).getbbox() is None for other in others)


# Where

@pytest.mark.few(2)
@pytest.mark.parametrize("gravity", GRAVITIES)
def test_text_lies_where_gravity_says(api, night, gravity):
    left, top, right, bottom = ink(written(api, night, "lcfile", gravity=gravity, dx=0, dy=0, fontsize=400), BLACK)
    middle = ((left + right) / 2, (top + bottom) / 2)
    for position, centre, whole in zip(GRAVITIES[gravity], middle, SIZE):
        assert {0: centre < whole / 4, 1: abs(centre - whole / 2) < 8, 2: centre > whole * 3 / 4}[position]


@pytest.mark.few(2)
@pytest.mark.parametrize("gravity, dx, dy", [
    ("NorthWest", 50, 70), ("SouthEast", 50, 70), ("NorthEast", 33, 5), ("SouthWest", 5, 33), ("Center", 40, 30),
    ("Center", -40, -30),
    ("North", 60, 20), ("West", 20, 60),
])
def test_offsets_move_the_text(api, night, gravity, dx, dy):
    options = {"gravity": gravity, "fontsize": 400}
    before = ink(written(api, night, "lcfile", dx=0, dy=0, **options), BLACK)
    after = ink(written(api, night, "lcfile", dx=dx, dy=dy, **options), BLACK)
    signs = [-1 if position == 2 else 1 for position in GRAVITIES[gravity]]
    moved = signs[0] * dx, signs[1] * dy
    assert after == tuple(value + moved[place % 2] for place, value in enumerate(before))


@pytest.mark.smoke
def test_text_lies_in_the_south_east_if_nothing_is_said(api, night):
    said = {"gravity": "SouthEast", "dx": 10, "dy": 10, "dissolve": 100, "fontsize": 240, "fill": "white"}
    image = written(api, night, "lcfile")
    assert same(image, written(api, night, "lcfile", **said))
    left, top, right, bottom = ink(image, BLACK)
    assert SIZE[0] - 16 <= right <= SIZE[0] - 9 and SIZE[1] - 20 <= bottom <= SIZE[1] - 9


def test_picture_keeps_its_size(api, night):
    assert written(api, night, "a long text " * 40, fontsize=800).size == SIZE


@pytest.mark.parametrize("said, options", [
    ("a text that is far too long for it", {"fontsize": 4000}), ("Hi", {"fontsize": 20_000}),
    ("a text that is far too long for it", {"gravity": "Center", "fontsize": 2000}),
], ids=str)
def test_text_that_is_larger_than_the_picture_fits_inside(api, night, said, options):
    image = written(api, night, said, dx=0, dy=0, **options)
    left, top, right, bottom = ink(image, BLACK)
    assert image.size == SIZE
    assert right - left > SIZE[0] * 0.9 or bottom - top > SIZE[1] * 0.9


# How large

@pytest.mark.parametrize("twentieths, height", [(2000, 100), (1000, 50), (400, 20)])
def test_letter_is_as_high_as_its_size_says(api, night, twentieths, height):
    seen_height = box(api, night, "H", fontsize=twentieths)[3]
    # A capital is some seven tenths of the size in every common font.
    assert 0.6 * height <= seen_height <= 0.85 * height


def test_larger_size_draws_a_larger_text(api, night):
    small, large = (box(api, night, "lcfile", fontsize=size) for size in (300, 900))
    for place in (2, 3):
        assert 2.6 < large[place] / small[place] < 3.4


@pytest.mark.parametrize("options", [{}, {"fontsize": 0}], ids=["none", "zero"])
def test_size_is_12_pixels_if_none_is_said(api, night, options):
    assert same(*(written(api, night, "lcfile", **given) for given in (options, {"fontsize": 240})))


def test_longer_text_is_wider_and_no_higher(api, night):
    short, long = box(api, night, "HH"), box(api, night, "H" * 12)
    assert 5 < long[2] / short[2] < 7
    assert long[3] == short[3]


# Which colour

@pytest.mark.few(2)
@pytest.mark.parametrize("fill, colour", [
    ("red", (255, 0, 0)), ("#14c814", GREEN), ("#00f", (0, 0, 255)), ("rebeccapurple", (102, 51, 153)),
])
def test_fill_is_the_colour(api, night, fill, colour):
    assert farthest([brightest(written(api, night, "H", fontsize=2000, fill=fill))], [colour]) <= 4


def test_text_is_white_if_no_fill_is_said(api, night):
    assert brightest(written(api, night, "H", fontsize=2000)) == WHITE


@pytest.mark.parametrize("dissolve", [10, 50, 90])
def test_text_is_as_dense_as_is_said(api, night, dissolve):
    expected = round(255 * dissolve / 100)
    image = written(api, night, "H", fontsize=2000, dissolve=dissolve)
    assert farthest([brightest(image)], [(expected,) * 3]) <= 4


def test_dark_text_is_seen_on_a_bright_picture(api):
    url = api.store(encoded(plain(*SIZE, WHITE), "JPEG"), name="day.jpg")["url"]
    left, top, right, bottom = ink(written(api, url, "lcfile", fill="black", fontsize=600), WHITE)
    assert left > SIZE[0] / 2 and top > SIZE[1] / 2


# What it says

@pytest.mark.few(2)
@pytest.mark.parametrize("said", [
    "<b>&amp;</b>", "<i>", "</span>", "a < b & c > d", "&lt;", "&#65;", "<span foreground='red'>x</span>", "<!-- x -->",
    # With a mark that makes one character of both.
    "<", "&", "<\u0301i>", "&\u0301",
    "<![CDATA[x]]>", "&nosuch;", '"quoted"', "100%", "%s%n", "\\n", "$(fsize)",
])
def test_markup_is_shown_as_it_stands(api, night, said):
    image = written(api, night, said, fontsize=600)
    assert ink(image, BLACK)
    red, green, blue = laid_on(image).split()
    assert ImageChops.difference(red, green).getbbox() is None and ImageChops.difference(red, blue).getbbox() is None


@pytest.mark.parametrize("said, plain_text", [("<b>x</b>", "x"), ("&amp;", "&"), ("&#65;", "A"), ("<i></i>x", "x")])
def test_markup_means_nothing(api, night, said, plain_text):
    assert box(api, night, said)[2] > 2 * box(api, night, plain_text)[2]


@pytest.mark.parametrize("said", ["a\nb", "a\r\nb", "a\tb", "a\u2028b", "a\x0bb"])
def test_line_breaks_are_blanks(api, night, said):
    assert box(api, night, said, fontsize=600)[3] <= box(api, night, "a b", fontsize=600)[3] + 1


def test_line_break_and_blank_draw_the_same(api, night):
    assert same(*(written(api, night, said, fontsize=600) for said in ("a\nb", "a b")))


def test_each_text_draws_something_of_its_own(api, night):
    texts = ["lcfile", "Lcfile", "Привет", "été", "λόγος", CHINESE, CHINESE[::-1], "中文", "日本", "한국"]
    drawn = {written(api, night, said, fontsize=600).convert("RGB").tobytes() for said in texts}
    assert len(drawn) == len(texts)


def fonts_of(language):
    if not shutil.which("fc-list"):
        return ""
    return subprocess.run(["fc-list", f":lang={language}"], capture_output=True, text=True, timeout=15).stdout


@pytest.mark.skipif(not fonts_of("zh"), reason="this machine has no font with Chinese letters")
def test_chinese_letters_are_no_empty_boxes(api, night):
    """One is a line that lies; what no font has is drawn as a frame that stands, or as nothing."""
    left, top, width, height = box(api, night, "一", fontsize=2000)
    assert width > 2 * height


@pytest.mark.parametrize("said", ["", " ", "   ", "\n\t", "\u3000"], ids=ascii)
def test_text_of_nothing_is_refused(api, night, said):
    assert_refused(api.fetch(f"{night}?watermark/2{marks.text(said)}"), 400, 400, "Bad image request")


# Fonts

def test_font_is_the_one_that_is_said(api, night):
    wide, narrow = (box(api, night, said, font="DejaVu Sans Mono", fontsize=600)[2] for said in ("MMMM", "iiii"))
    assert narrow > 0.75 * wide
    usual = [box(api, night, said, fontsize=600)[2] for said in ("MMMM", "iiii")]
    assert usual[1] < 0.6 * usual[0]


@pytest.mark.few(2)
@pytest.mark.parametrize("font", [
    "No Such Font", "DejaVu Sans Mono 99", "Sans, bold 500", "<b>", "a" * 100, "宋体", "'", "Serif:bold",
])
def test_font_that_is_not_there_changes_no_size(api, night, font):
    usual, other = (box(api, night, "HHH", fontsize=600, **options) for options in ({}, {"font": font}))
    assert 0.7 < other[3] / usual[3] < 1.4


# Several

def test_texts_and_images_lie_in_the_order_written(api, night):
    mark = api.store(encoded(plain(200, 100, BLUE)), name="mark.png")["url"]
    image = marks.image(mark, gravity="Center", dx=0, dy=0)
    text = marks.text("HHHH", gravity="Center", dx=0, dy=0, fontsize=1000)
    above = seen(api, f"{night}?watermark/3{image}{text}")
    below = seen(api, f"{night}?watermark/3{text}{image}")
    inside = (202, 152, 398, 248)
    assert farthest([mean(below, inside)], [BLUE]) <= 2
    assert brightest(above.crop(inside)) == WHITE


def test_several_texts_have_words_of_their_own(api, night):
    words = marks.text("HH", gravity="NorthWest", fill="red", fontsize=1000) + marks.text("HH", fontsize=1000)
    image = seen(api, f"{night}?watermark/3{words}")
    assert brightest(image.crop((0, 0, 300, 200))) == (255, 0, 0)
    assert brightest(image.crop((300, 200, 600, 400))) == WHITE


@pytest.mark.parametrize("count, status", [(16, 200), (17, 400)])
def test_16_marks_may_be_laid_over_a_picture(api, night, count, status):
    assert api.fetch(f"{night}?watermark/3{marks.text('x') * count}").status_code == status


# All over the image

QUARTERS = [(0, 0, 300, 200), (300, 0, 600, 200), (0, 200, 300, 400), (300, 200, 600, 400)]


@pytest.mark.few(2)
@pytest.mark.parametrize("options", [{}, {"rotate": 0}, {"rotate": 45}, {"rotate": 90}, {"rotate": 360}, {"uw": 0, "uh": 0},
                                     {"uw": 50, "uh": 20, "rotate": 30}, {"fontsize": 600}, {"dissolve": 50}], ids=str)
def test_tiles_lie_in_every_quarter(api, night, options):
    image = written(api, night, "lcfile", kind=4, **options)
    assert image.size == SIZE
    shares = [share(image, quarter) for quarter in QUARTERS]
    assert min(shares) > 0.001
    assert min(shares) > max(shares) / 4


def test_tiles_reach_the_edges(api, night):
    left, top, right, bottom = ink(written(api, night, "HHHH", kind=4, uw=10, uh=10, fontsize=400), BLACK)
    assert left < 60 and top < 30 and right > SIZE[0] - 60 and bottom > SIZE[1] - 30


def test_wider_gaps_leave_fewer_tiles(api, night):
    shares = [share(written(api, night, "lcfile", kind=4, uw=gap, uh=gap), (0, 0, *SIZE)) for gap in (0, 50, 100, 300)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 4 * shares[3]


def test_gaps_are_100_pixels_if_nothing_is_said(api, night):
    assert same(written(api, night, "lcfile", kind=4), written(api, night, "lcfile", kind=4, uw=100, uh=100))


def test_gap_is_that_of_its_side(api, night):
    """Rows of text with free rows between them, or columns."""
    image = laid_on(written(api, night, "HHHH", kind=4, rotate=0, uw=0, uh=200, fontsize=400)).convert("L")
    rows = [image.crop((0, y, SIZE[0], y + 1)).getextrema()[1] > 60 for y in range(SIZE[1])]
    free = max(len(run) for run in "".join(" X"[row] for row in rows).split("X"))
    assert 180 <= free <= 220


def test_tile_is_turned(api, night):
    """A long text lies flat, or stands upright if it is turned by a right angle."""
    flat, upright = (
        laid_on(written(api, night, "—" * 6, kind=4, rotate=degrees, fontsize=400)).convert("L") for degrees in (0, 90)
    )

    def longest(image, length, line):
        strips = [image.crop(line(place)) for place in range(length)]
        return max(ImageStat.Stat(strip).mean[0] for strip in strips)

    width, height = SIZE
    assert longest(flat, height, lambda y: (0, y, width, y + 1)) > 2 * longest(flat, width, lambda x: (x, 0, x + 1, height))
    assert longest(upright, width, lambda x: (x, 0, x + 1, height)) > 2 * longest(upright, height, lambda y: (0, y, width, y + 1))


@pytest.mark.few(2)
@pytest.mark.parametrize("degrees", [0, 45, 90, 180, 270, 360])
def test_thin_text_is_seen_however_it_is_turned(api, night, degrees):
    assert ink(written(api, night, "-" * 30, kind=4, rotate=degrees), BLACK, tolerance=30)


@pytest.mark.parametrize("said", ["x", "a long text"])
def test_small_picture_has_tiles(api, said):
    url = api.store(encoded(plain(40, 30, BLACK)), name="small.png")["url"]
    image = written(api, url, said, kind=4)
    assert image.size == (40, 30)
    assert ink(image, BLACK)


# Limits and words

@pytest.mark.few(2)
@pytest.mark.parametrize("said", ["x" * 1000, CHINESE * 500, "😀" * 250], ids=["letters", "Chinese", "faces"])
@pytest.mark.parametrize("kind", [2, 3])
def test_1000_letters_are_written(api, night, said, kind):
    image = written(api, night, said, kind=kind)
    assert image.size == SIZE
    # Shrunk to fit, the letters are as small as pixels, so that few of these are bright.
    left, top, right, bottom = ink(image, BLACK, tolerance=20)
    assert right - left > SIZE[0] * 0.9


@pytest.mark.parametrize("said", ["x" * 1001, CHINESE * 501], ids=["letters", "Chinese"])
@pytest.mark.parametrize("kind", [2, 3, 4])
def test_more_letters_are_refused(api, night, said, kind):
    assert_refused(api.fetch(f"{night}?watermark/{kind}{marks.text(said)}"), 400, 400, "images.maxTextLength")


@pytest.mark.extended
def test_limit_of_letters_is_a_setting(new_server):
    api = new_server(LCFILE_IMAGES_MAX_TEXT_LENGTH="5").start().api()
    url = api.store(encoded(plain(60, 40, BLACK)), name="night.png")["url"]
    assert written(api, url, "12345").size == (60, 40)
    assert_refused(api.fetch(f"{url}?watermark/2{marks.text('123456')}"), 400, 400, "images.maxTextLength")


@pytest.mark.parametrize("words", [
    "watermark/2", "watermark/2/text", "watermark/2/text/", "watermark/2/fontsize/500", "watermark/2/text/!!!!",
    "watermark/2/text/gICA",
    "watermark/2{text}{text}", "watermark/4{text}{text}", "watermark/1{text}", "watermark/4",
    "watermark/2{text}/nonsense/1",
    "watermark/2{text}/fill/nonsense", "watermark/2{text}/fill/cmVkZGlzaA", "watermark/2{text}/font/gICA",
    "watermark/2{text}/text",
])
def test_words_that_are_no_text_are_refused(api, night, words):
    assert_refused(api.fetch(f"{night}?{words.format(text=marks.text('x'))}"), 400, 400, "Bad image request")


@pytest.mark.parametrize("kind, name, value", [
    (2, "fontsize", 20_001), (2, "fontsize", -1), (2, "fontsize", "x"), (2, "dissolve", 0), (2, "dissolve", 101),
    (2, "gravity", "south"),
    (2, "dx", "x"), (2, "ws", 0.5), (2, "wst", 1), (2, "uw", 10), (2, "rotate", 45), (3, "uw", 10), (4, "uw", 1001),
    (4, "uh", 1001),
    (4, "uw", -1), (4, "uh", "x"), (4, "rotate", 361), (4, "rotate", -1), (4, "ws", 0.5),
])
def test_value_that_is_none_is_refused(api, night, kind, name, value):
    words = f"watermark/{kind}{marks.text('x')}/{name}/{value}"
    assert_refused(api.fetch(f"{night}?{words}"), 400, 400, "Bad image request")


def anonymous_memory(server):
    """In bytes, without the pages of files."""
    lines = open(f"/proc/{server.process.pid}/status").read().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon:"))


def test_fonts_of_many_texts_do_not_stay_in_memory(new_server):
    """A font takes 20 to 75 KB, and a request names its family and its size."""
    server = new_server(LCFILE_IMAGES_THREADS="1").start()
    api = server.api()
    url = api.store(encoded(plain(64, 64, BLACK)), name="small.png")["url"]

    def write(first, count):
        for number in range(first, first + count):
            written(api, url, CHINESE, fontsize=300 + number, font=f"family{number}")

    write(0, 100)
    before = anonymous_memory(server)
    write(100, 300)
    assert anonymous_memory(server) - before < 6 << 20
