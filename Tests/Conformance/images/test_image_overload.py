"""More images than a server can make: some wait, the others are told to come again, and all else goes on."""

import itertools
import select
import socket
import threading
from concurrent.futures import ThreadPoolExecutor, wait

import pytest
import requests
from client import ALPHA, TIMEOUT, assert_refused, eventually
from data import at_once
from hostile import MB, assert_unharmed, black_png, forget_peak, opened
from pictures import encoded
from PIL import Image

pytestmark = pytest.mark.alone

PLACES = 4


@pytest.fixture(scope="module")
def large():
    """A JPEG of 6 million pixels that takes some time."""
    return encoded(Image.effect_noise((3000, 2000), 60).convert("RGB"), "JPEG", quality=50)


@pytest.fixture
def busy(new_server):
    """A server that makes one image at a time and lets few wait."""
    server = new_server(LCFILE_IMAGES_THREADS="1", LCFILE_IMAGES_MAX_QUEUED=str(PLACES - 1)).start()
    yield server
    assert server.stop() == 0


def slow(number=0):
    """A new request that takes some tenths of a second."""
    return f"imageMogr2/thumbnail/{800 + number}x/blur/50x40/rotate/45/format/webp"


class Burst:
    """Requests for images at once, each on a thread and a connection of its own."""

    def __init__(self, server, url, count):
        self.pool = ThreadPoolExecutor(count)
        self.gate = threading.Barrier(count)
        self.jobs = [self.pool.submit(self.ask, server, url, number) for number in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.pool.shutdown()

    def ask(self, server, url, number):
        self.gate.wait(TIMEOUT)
        return requests.get(f"{url}?{slow(number)}", timeout=4 * TIMEOUT)

    def answers(self, status):
        done = [job.result() for job in self.jobs if job.done()]
        return [answer for answer in done if answer.status_code == status]

    def running(self):
        return [job for job in self.jobs if not job.done()]

    def wait(self):
        wait(self.jobs)


@pytest.mark.extended
def test_those_that_find_no_place_are_told_to_come_again(busy, large):
    url = busy.api().store(large)["url"]
    with Burst(busy, url, 60) as burst:
        burst.wait()
        made, refused = burst.answers(200), burst.answers(429)
        assert len(made) + len(refused) == 60
        assert len(made) >= PLACES
        assert len(refused) >= 60 - 3 * PLACES
    for answer in refused:
        assert_refused(answer, 429, 429)
        assert int(answer.headers["Retry-After"]) >= 1
        assert "no-store" in answer.headers["Cache-Control"]
    for answer in made:
        opened(answer.content)


@pytest.mark.extended
def test_everything_else_is_answered_while_pictures_wait(busy, large):
    api = busy.api()
    url, text = api.store(large)["url"], api.store(b"some text", name="text.txt")["url"]
    kept = f"{url}?imageView2/2/w/30"
    assert api.fetch(kept).status_code == 200
    with Burst(busy, url, 30) as burst:
        assert eventually(lambda: burst.answers(429))
        assert busy.is_healthy()
        assert api.fetch(text).content == b"some text"
        assert api.fetch(url).content == large
        assert api.get("/1.1/date").status_code == 200
        assert api.store(b"more", name="more.txt")
        assert api.fetch(kept).status_code == 200
        assert burst.running(), "the pictures were made before anything else was answered"


@pytest.mark.extended
def test_pictures_are_made_after_a_rush(busy, large):
    api = busy.api()
    url = api.store(large)["url"]
    with Burst(busy, url, 30) as burst:
        burst.wait()
    assert [api.fetch(f"{url}?imageView2/2/w/{width}").status_code for width in range(100, 110)] == [200] * 10


WIDTHS = itertools.count(40)


def ask_anew(api, url):
    """The status of a request for a new derivative."""
    return api.fetch(f"{url}?imageView2/2/w/{next(WIDTHS)}").status_code


def sent(server, url, count, first=0):
    """Connections on which slow images were asked for, and nothing was read."""
    connections = [server.raw() for _ in range(count)]
    for number, connection in enumerate(connections, first):
        path = url.removeprefix(server.url)
        connection.send(f"GET {path}?{slow(number)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return connections


def refused(connections):
    """How many were told that there is no place; nothing is taken from their answers."""
    readable = select.select([connection.socket for connection in connections], [], [], 0)[0]
    return len([one for one in readable if one.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 429"])


def test_clients_that_leave_give_their_places_up(busy, large):
    api = busy.api()
    url = api.store(large)["url"]
    for round in range(3):
        connections = sent(busy, url, PLACES + 3, first=10 * round)
        # Those that find no place are told so at once: when they are, every place was taken.
        assert eventually(lambda: refused(connections)), "there was a place for everybody"
        for connection in connections:
            connection.reset()
        assert eventually(lambda: ask_anew(api, url) == 200), "there is no place"


def test_clients_that_leave_are_not_worked_for(new_server, large):
    server = new_server(LCFILE_IMAGES_THREADS="1", LCFILE_IMAGES_MAX_QUEUED="29").start()
    api = server.api()
    url = api.store(large)["url"]
    connections = sent(server, url, 34)
    # Now the server has read what was sent, and as much waits as can.
    assert eventually(lambda: refused(connections)), "there was a place for everybody"
    for connection in connections:
        connection.reset()
    assert eventually(lambda: ask_anew(api, url) == 200), "there is no place"
    assert server.stop() == 0
    made = [path for path in (server.storage / ALPHA.id / "derivatives").rglob("*") if path.is_file()]
    # The one that was asked for, and those that were nearly ready.
    assert len(made) < 6


def test_equal_requests_take_one_place(busy, large):
    url = busy.api().store(large)["url"]
    answers = at_once(lambda _: requests.get(f"{url}?{slow()}", timeout=4 * TIMEOUT), 20, workers=20)
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1


# Memory

@pytest.fixture
def frugal(new_server):
    """A server with more threads than memory."""
    server = new_server(LCFILE_IMAGES_THREADS="8", LCFILE_IMAGES_MEMORY="64MB").start()
    yield server
    assert server.stop() == 0


def test_picture_that_alone_costs_more_is_refused(frugal):
    url = frugal.api().store(black_png(6000, interlaced=True), name="interlaced.png")["url"]
    assert_refused(frugal.api().fetch(f"{url}?imageView2/2/w/100"), 400, 400, "images.memory")


@pytest.mark.extended
def test_pictures_that_cost_more_together_wait_for_each_other(frugal):
    # Each must be held whole and costs about 40 MB.
    url = frugal.api().store(black_png(3500, interlaced=True), name="interlaced.png")["url"]
    forget_peak(frugal)
    answers = at_once(lambda n: requests.get(f"{url}?imageView2/2/w/{50 + n}", timeout=4 * TIMEOUT), 8)
    assert {answer.status_code for answer in answers} == {200}
    assert_unharmed(frugal, 64 * MB)


def test_small_pictures_are_made_beside_a_large_one(frugal, rocket):
    api = frugal.api()
    big, small = api.store(black_png(3500, interlaced=True))["url"], api.store(rocket)["url"]
    urls = [f"{big}?imageView2/2/w/90"] * 2 + [f"{small}?imageView2/2/w/{width}" for width in range(50, 70)]
    answers = at_once(lambda at: requests.get(urls[at], timeout=4 * TIMEOUT), len(urls), workers=22)
    assert {answer.status_code for answer in answers} == {200}


# Time

@pytest.mark.extended
@pytest.mark.parametrize("words", [
    "imageMogr2/thumbnail/3400x3400!/blur/50x50/rotate/45/blur/50x50/blur/50x49",
    "imageMogr2/thumbnail/9000x9000!/format/avif", "imageMogr2/thumbnail/9000x9000!/quality/100/format/webp",
    "imageMogr2" + "/thumbnail/4900x4900!/thumbnail/4800x4800!" * 10,
])
def test_job_that_takes_too_long_names_the_setting(new_server, large, words):
    # Only the time is to bound them.
    server = new_server(
        LCFILE_IMAGES_TIMEOUT="1", LCFILE_IMAGES_MEMORY="4GB", LCFILE_IMAGES_MAX_WORK="3600000",
        LCFILE_IMAGES_MAX_RESULT_PIXELS="100000000",
    ).start()
    api = server.api()
    url = api.store(large)["url"]
    assert_refused(api.fetch(f"{url}?{words}"), 400, 400, "images.timeout")
    assert api.fetch(f"{url}?imageView2/2/w/50").status_code == 200
