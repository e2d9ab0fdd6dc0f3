"""Animations: what moves goes on moving, with its delays and loops, and stands still where it cannot or may not."""

import pytest
from client import Server
from image_looks import distance, farthest, fetched, laid_on, mean, patches, resized
from image_sources import BLACK, quartered
from image_writers import read
from pictures import BLUE, GREEN, RED, WHITE, YELLOW, encoded, plain
from PIL import Image, ImageSequence
from uploading import url64

# Each frame turns the colours on by a quarter; two of them differ in one quarter only, which a writer may exploit.
FRAMES = [
    quartered(RED, GREEN, BLUE, YELLOW), quartered(GREEN, YELLOW, RED, BLUE), quartered(GREEN, YELLOW, RED, WHITE),
    quartered(BLACK, BLUE, YELLOW, RED),
]
DELAYS = [50, 120, 300, 80]
SIZE = FRAMES[0].size
GIF, WEBP = "GIF", "WEBP"
MODES = [f"imageView2/{mode}/w/60/h/40" for mode in range(6)]


def animation(format, frames=FRAMES, delays=DELAYS, **options):
    """Encoded frames; loop=0 means for ever."""
    if format == WEBP:
        options = {"quality": 95} | options
    return encoded(frames[0], format, save_all=True, append_images=frames[1:], duration=delays, **options)


@pytest.fixture(scope="module")
def urls(api):
    return {format: api.store(animation(format, loop=0), name="moving")["url"] for format in (GIF, WEBP)}


class Moving:
    """An animation that came back."""

    def __init__(self, data):
        image = read(data)
        self.format, self.size, self.loop = image.format, image.size, image.info.get("loop")
        self.frames, self.delays = [], []
        for frame in ImageSequence.Iterator(image):
            self.frames.append(frame.convert("RGBA"))
            self.delays.append(frame.info.get("duration"))


def render(api, url, words):
    return Moving(fetched(api, f"{url}?{words}").content)


def assert_moves(seen, frames=FRAMES, delays=DELAYS):
    assert seen.delays == delays
    assert len(seen.frames) == len(frames)
    for frame, wanted in zip(seen.frames, frames):
        assert frame.size == seen.size
        assert farthest(patches(frame), patches(wanted)) <= 25


# What goes on moving

@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("words", ["imageView/1/w/60/h/40", "imageView/2/w/60", *MODES])
@pytest.mark.parametrize("format", [GIF, WEBP])
def test_view_moves(api, urls, format, words):
    seen = render(api, urls[format], words)
    assert seen.format == format
    assert_moves(seen)


@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("words, size", [
    ("imageMogr2/thumbnail/!50p", (59, 39)), ("imageMogr2/thumbnail/60x40!", (60, 40)),
    ("imageMogr2/thumbnail/200x", (200, 132)),
    ("imageMogr2/auto-orient/strip", SIZE), ("imageMogr2/gravity/Center/crop/80x60", (80, 60)),
    ("imageMogr2/gravity/Center/crop/80x60/thumbnail/40x", (40, 30)), ("imageMogr2/blur/2x1", SIZE),
    ("imageMogr2/sharpen/1", SIZE), ("imageMogr2/colors/256", SIZE), ("imageView2/2/w/59/q/90/interlace/1", (59, 39)),
    ("imageView2/2/w/80|imageMogr2/thumbnail/!50p", (40, 27)), ("imageMogr2/rotate/360", SIZE),
])
@pytest.mark.parametrize("format", [GIF, WEBP])
def test_steps_are_done_on_every_frame(api, urls, format, words, size):
    seen = render(api, urls[format], words)
    assert (seen.format, seen.size) == (format, size)
    assert_moves(seen)


@pytest.mark.parametrize("degrees, turned", [
    (90, Image.Transpose.ROTATE_270), (180, Image.Transpose.ROTATE_180), (270, Image.Transpose.ROTATE_90),
])
@pytest.mark.parametrize("format", [GIF, WEBP])
def test_every_frame_is_turned(api, urls, format, degrees, turned):
    seen = render(api, urls[format], f"imageMogr2/rotate/{degrees}")
    frames = [frame.transpose(turned) for frame in FRAMES]
    assert seen.size == frames[0].size
    assert_moves(seen, frames)


@pytest.mark.parametrize("format", [GIF, WEBP])
def test_every_frame_is_turned_and_its_corners_are_filled(api, urls, format):
    seen = render(api, urls[format], f"imageMogr2/rotate/45/background/{url64('#14c814')}")
    assert seen.delays == DELAYS
    for frame in seen.frames:
        width, height = frame.size
        spots = [(2, 2), (width - 3, 2), (2, height - 3), (width - 3, height - 3)]
        assert farthest([frame.getpixel(spot)[:3] for spot in spots], [GREEN] * 4) <= 25


@pytest.mark.each_value
@pytest.mark.parametrize("format", [GIF, WEBP])
@pytest.mark.parametrize("words, part", [
    ("crop/59x39", 0), ("gravity/NorthEast/crop/59x39", 1), ("gravity/SouthWest/crop/59x39", 2),
    ("gravity/SouthEast/crop/59x39", 3), ("crop/!59x39a59a0", 1),
])
def test_the_same_part_of_every_frame_is_cut_out(api, urls, format, words, part):
    seen = render(api, urls[format], f"imageMogr2/{words}")
    colours = [mean(frame.crop((10, 10, 50, 30))) for frame in seen.frames]
    assert farthest(colours, [patches(frame)[part] for frame in FRAMES]) <= 25


@pytest.mark.parametrize("format", [GIF, WEBP])
def test_every_frame_is_the_whole_picture(api, urls, format):
    seen = render(api, urls[format], "imageView2/2/w/59")
    for frame, wanted in zip(seen.frames, FRAMES):
        assert distance(frame, resized(wanted, frame.size)) < 10


@pytest.mark.each_value
@pytest.mark.parametrize("words", [
    "imageView2/2/w/59/format/{}", "imageMogr2/thumbnail/!50p/format/{}", "imageView/2/w/59/format/{}",
])
@pytest.mark.parametrize("source, result", [(GIF, WEBP), (WEBP, GIF), (GIF, GIF), (WEBP, WEBP)])
def test_formats_that_move_become_each_other(api, urls, source, result, words):
    response = fetched(api, f"{urls[source]}?{words.format(result.lower())}")
    assert response.headers["Content-Type"] == f"image/{result.lower()}"
    seen = Moving(response.content)
    assert seen.format == result
    assert_moves(seen)


@pytest.mark.parametrize("format", [GIF, WEBP])
def test_mark_lies_on_every_frame(api, urls, format):
    mark = api.store(encoded(plain(20, 10, BLACK)), name="mark.png")["url"]
    words = f"watermark/1/image/{url64(mark)}/gravity/NorthWest/dx/5/dy/5"
    seen = render(api, urls[format], words)
    assert seen.delays == DELAYS
    assert farthest([mean(frame, (9, 7, 21, 13)) for frame in seen.frames], [BLACK] * len(FRAMES)) <= 25


@pytest.mark.parametrize("format", [GIF, WEBP])
def test_transparency_of_each_frame_stays(api, format):
    frames = [plain(60, 40, (0, 0, 0, 0), "RGBA") for _ in range(3)]
    for place, frame in enumerate(frames):
        # What is half transparent makes WebP's encoder say that there is transparency.
        frame.paste((*RED, 255), (place * 20, 0, place * 20 + 12, 40))
        frame.paste((*RED, 128), (place * 20 + 12, 0, place * 20 + 20, 40))
    options = {"disposal": 2, "loop": 0} if format == GIF else {"lossless": True, "loop": 0}
    url = api.store(animation(format, frames, 100, **options), name="moving")["url"]
    seen = render(api, url, "imageView2/2/w/30")
    shown = [[frame.getpixel((x, 10))[3] > 200 for x in (3, 13, 23)] for frame in seen.frames]
    assert shown == [[True, False, False], [False, True, False], [False, False, True]]


# Loops and delays

@pytest.mark.each_value
@pytest.mark.parametrize("loop", [0, 1, 3, 1000])
@pytest.mark.parametrize("format", [GIF, WEBP])
def test_loops_stay(api, format, loop):
    url = api.store(animation(format, loop=loop), name="moving")["url"]
    assert render(api, url, "imageView2/2/w/59").loop == loop


@pytest.mark.smoke
def test_gif_that_plays_once_goes_on_playing_once(api):
    data = animation(GIF)
    assert b"NETSCAPE" not in data
    assert render(api, api.store(data, name="moving")["url"], "imageView2/2/w/59").loop is None


@pytest.mark.parametrize("source, result", [(GIF, WEBP), (WEBP, GIF)])
def test_endless_loop_stays_endless_in_the_other_format(api, urls, source, result):
    assert render(api, urls[source], f"imageView2/2/w/59/format/{result.lower()}").loop == 0


@pytest.mark.few(2)
@pytest.mark.parametrize("delay", [20, 100, 1000, 60_000])
@pytest.mark.parametrize("format", [GIF, WEBP])
def test_delay_stays(api, format, delay):
    url = api.store(animation(format, delays=delay, loop=0), name="moving")["url"]
    assert render(api, url, "imageView2/2/w/59").delays == [delay] * len(FRAMES)


# What stands still

@pytest.mark.each_value
@pytest.mark.parametrize("result", ["jpg", "png", "avif"])
@pytest.mark.parametrize("words", [
    "imageView2/2/w/59", "imageView2/1/w/59/h/39", "imageView/1/w/59/h/39", "imageMogr2/thumbnail/!50p",
])
@pytest.mark.parametrize("format", [GIF, WEBP])
def test_first_frame_is_shown_by_formats_that_stand_still(api, urls, format, words, result):
    seen = render(api, urls[format], f"{words}/format/{result}")
    assert (len(seen.frames), seen.size) == (1, (59, 39))
    assert farthest(patches(seen.frames[0]), patches(FRAMES[0])) <= 25


def test_format_that_stands_still_in_the_middle_ends_the_movement(api, urls):
    seen = render(api, urls[GIF], "imageView2/2/w/80/format/png|imageView2/2/w/40/format/gif")
    assert len(seen.frames) == 1


@pytest.mark.parametrize("format", [GIF, WEBP])
def test_picture_of_one_frame_stays_one(api, format):
    url = api.store(encoded(FRAMES[0], format), name="still")["url"]
    assert len(render(api, url, "imageView2/2/w/59").frames) == 1


# Limits

@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server of three frames and 40 000 pixels."""
    server = Server(
        tmp_path_factory.mktemp("animations"), LCFILE_IMAGES_MAX_FRAMES="3", LCFILE_IMAGES_MAX_ANIMATION_PIXELS="40000",
    ).start()
    yield server.api()
    assert server.stop() == 0


def colours(count):
    return [plain(60, 40, (25 * place, 255 - 25 * place, 128)) for place in range(count)]


@pytest.mark.each_value
@pytest.mark.parametrize("count, kept", [(2, 2), (3, 3), (4, 1), (10, 1)])
@pytest.mark.parametrize("format", [GIF, WEBP])
def test_first_frame_is_shown_of_too_many(small, format, count, kept):
    url = small.store(animation(format, colours(count), 100, loop=0), name="moving")["url"]
    seen = render(small, url, "imageView2/2/w/30")
    assert (seen.format, seen.size, len(seen.frames)) == (format, (30, 20), kept)
    assert farthest([mean(seen.frames[0])], [mean(laid_on(colours(1)[0]))]) <= 20


@pytest.mark.few(2)
@pytest.mark.parametrize("size, kept", [((100, 200), 2), ((200, 100), 2), ((200, 101), 1), ((400, 300), 1)])
@pytest.mark.parametrize("format", [GIF, WEBP])
def test_first_frame_is_shown_of_too_many_pixels(small, format, size, kept):
    frames = [plain(*size, colour) for colour in (RED, BLUE)]
    url = small.store(animation(format, frames, 100, loop=0), name="moving")["url"]
    assert len(render(small, url, "imageView2/2/w/30").frames) == kept


@pytest.mark.few(2)
@pytest.mark.parametrize("words, kept", [
    ("imageMogr2/thumbnail/200x100!", 2), ("imageMogr2/thumbnail/201x100!", 1), ("imageMogr2/thumbnail/400x300!", 1),
])
@pytest.mark.parametrize("format", [GIF, WEBP])
def test_first_frame_is_shown_where_the_result_would_have_too_many_pixels(small, format, words, kept):
    url = small.store(animation(format, [plain(60, 40, RED), plain(60, 40, BLUE)], 100, loop=0), name="moving")["url"]
    assert len(render(small, url, words).frames) == kept


def test_info_tells_all_frames_of_a_source_that_is_beyond_the_limit(small):
    url = small.store(animation(GIF, colours(10), 100), name="moving")["url"]
    assert small.fetch(f"{url}?imageInfo").json()["frameNumber"] == 10


@pytest.mark.parametrize("count, kept", [(200, 200), (201, 1)])
def test_200_frames_move_by_default(api, count, kept):
    frames = [plain(8, 8, (place, 255 - place, 128)) for place in range(count)]
    url = api.store(animation(GIF, frames, 20, loop=0), name="moving")["url"]
    assert len(render(api, url, "imageView2/2/w/4").frames) == kept
