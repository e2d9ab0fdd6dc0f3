"""Costly images do not keep others waiting: what is too costly is refused, and a thumbnail overtakes the rest."""

import select
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests
from client import TIMEOUT, assert_refused, eventually
from hostile import children, processor
from metrics import values
from pictures import encoded
from PIL import Image

pytestmark = pytest.mark.alone

FRAMES, SIDE = 12, 1400


@pytest.fixture(scope="module")
def bomb():
    """An animated WebP of some 30 KB and 24 million pixels."""
    frames = [Image.new("RGB", (SIDE, SIDE), (20 * number, 255 - 20 * number, 128)) for number in range(FRAMES)]
    data = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:], duration=50, quality=50)
    assert len(data) < 100_000
    return data


@pytest.fixture(scope="module")
def photo():
    """A JPEG of twelve million pixels."""
    return encoded(Image.effect_noise((4000, 3000), 60).convert("RGB"), "JPEG", quality=50)


@pytest.fixture
def patient(new_server):
    """A server with two threads for images that refuses no image for its cost."""
    server = new_server(
        LCFILE_IMAGES_THREADS="2", LCFILE_IMAGES_MAX_WORK="3600000", LCFILE_IMAGES_TIMEOUT="600",
        LCFILE_IMAGES_MEMORY="4GB", LCFILE_HTTP_IDLE_TIMEOUT="600",
    ).start()
    yield server
    assert server.stop() == 0


def asked(server, url, words):
    """A connection on which an image was asked for, and nothing was read."""
    connection = server.raw()
    connection.send(f"GET {url.removeprefix(server.url)}?{words} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return connection


def drawings(server):
    """How many worker processes draw an image now."""
    count = 0
    for child in children(server):
        try:
            count += b"\0draw\0" in Path(f"/proc/{child}/cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            pass  # It has ended.
    return count


def svg(inside):
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50">{inside}</svg>'.encode()


def endless_svg(number):
    """An SVG that takes for ever to draw, which its header does not tell; the number makes it another one's bytes."""
    turbulence = '<feTurbulence baseFrequency="0.05" numOctaves="2000000000"/>'
    return svg(f'<filter id="f{number}">{turbulence}</filter><rect width="100" height="50" filter="url(#f{number})"/>')


def answered(connections):
    return select.select([connection.socket for connection in connections], [], [], 0)[0]


def test_blurred_animation_is_refused_before_it_begins(api, bomb):
    url = api.store(bomb, name="bomb.webp")["url"]
    for sigma in range(47, 51):
        assert_refused(api.fetch(f"{url}?imageMogr2/blur/50x{sigma}"), 400, 400, "images.maxWork")
    assert_refused(api.fetch(f"{url}?imageMogr2/blur/9x9|imageMogr2/sharpen/1/rotate/45/blur/9x9"), 400, 400, "maxWork")
    # What it is for: it stays animated, small.
    response = api.fetch(f"{url}?imageView2/2/w/50")
    assert response.status_code == 200 and b"ANMF" in response.content


def test_limit_on_work_is_a_setting(new_server, photo):
    server = new_server(LCFILE_IMAGES_MAX_WORK="500").start()
    api = server.api()
    url = api.store(photo)["url"]
    assert_refused(api.fetch(f"{url}?imageMogr2/blur/50x50"), 400, 400, "500 ms (images.maxWork)")
    assert api.fetch(f"{url}?imageView2/2/w/50").status_code == 200
    # The file itself, if failures are to be ignored.
    assert api.fetch(f"{url}?imageMogr2/blur/50x50/ignore-error/1").content == photo


@pytest.mark.extended
def test_thumbnails_overtake_blurred_animations(patient, bomb, photo):
    api = patient.api()
    costly, cheap = api.store(bomb, name="bomb.webp")["url"], api.store(photo)["url"]
    before = processor(patient)
    blurs = [asked(patient, costly, f"imageMogr2/blur/50x{sigma}") for sigma in range(47, 51)]
    # Now both threads are taken.
    assert eventually(lambda: processor(patient) > before + 1, within=60)
    assert not answered(blurs)
    for width in range(50, 60):
        assert api.fetch(f"{cheap}?imageView2/2/w/{width}").status_code == 200
    # And one of a file whose header was not read before.
    assert api.fetch(f"{api.store(photo, name='new.jpg')['url']}?imageView2/2/w/50").status_code == 200
    assert not answered(blurs), "the thumbnails waited for a blur"
    for connection in blurs:
        connection.reset()
    # They are given up, and nothing is left behind.
    assert eventually(lambda: api.fetch(f"{cheap}?imageMogr2/thumbnail/800x/blur/9x9").status_code == 200, within=60)


@pytest.mark.extended
def test_drawings_overtake_those_that_never_end(new_server):
    """A format that needs a worker process: what a drawing takes shows only while it is drawn."""
    server = new_server(LCFILE_IMAGES_TIMEOUT="600", LCFILE_HTTP_IDLE_TIMEOUT="600").start()
    api = server.api()
    bombs = [api.store(endless_svg(number), name=f"{number}.svg")["url"] for number in range(6)]
    held = [asked(server, url, "imageView2/2/w/50/format/png") for url in bombs]
    # Two processes, and one that was in the lane and goes on beside it.
    assert eventually(lambda: drawings(server) >= 3, within=60)
    for color in ("red", "lime", "blue"):
        url = api.store(svg(f'<rect width="100" height="50" fill="{color}"/>'), name=f"{color}.svg")["url"]
        response = api.fetch(f"{url}?imageView2/2/w/50/format/png")
        assert response.status_code == 200 and response.content.startswith(b"\x89PNG")
    assert not answered(held), "the drawings waited for one that ended at its deadline"
    for connection in held:
        connection.reset()
    assert eventually(lambda: drawings(server) == 0), "a process outlived its request"
    assert server.stop() == 0


def test_one_file_does_not_take_the_whole_queue(new_server, photo):
    """Others get in when one file has all permits; then one of its jobs is told to come again."""
    server = new_server(
        LCFILE_IMAGES_THREADS="1", LCFILE_IMAGES_MAX_QUEUED="5", LCFILE_IMAGES_MAX_WORK="3600000",
        LCFILE_IMAGES_TIMEOUT="600", LCFILE_IMAGES_MEMORY="4GB",
    ).start()
    api = server.api()
    greedy, modest = api.store(photo)["url"], api.store(photo)["url"]
    held = [asked(server, greedy, f"imageMogr2/thumbnail/3000x/blur/50x{sigma}") for sigma in range(30, 36)]
    # A job that still fetches its source from a bucket is not refused in favour of others.
    assert eventually(lambda: values(server, "lcfile_queue_waiting_jobs").get("queue_waiting_jobs images") == 5)
    more = []
    # When one more is refused, all permits are taken.
    assert eventually(lambda: more.append(asked(server, greedy, f"imageMogr2/thumbnail/{2000 + len(more)}x/blur/9x9"))
                      or answered(more))
    with ThreadPoolExecutor(2) as pool:
        answers = [
            pool.submit(requests.get, f"{modest}?imageView2/2/w/{width}", timeout=4 * TIMEOUT) for width in (50, 60)
        ]
        assert [answer.result().status_code for answer in answers] == [200, 200]
    for connection in held + more:
        connection.reset()
    assert server.stop() == 0
