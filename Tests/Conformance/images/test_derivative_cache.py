"""The cache of derivatives: one copy for all forms of a request, deleted with its file, within its limit."""

import os
import shutil
import time

import pytest
from app_settings import configured
from client import ALPHA, BETA, assert_refused, eventually
from data import at_once
from image_looks import fetched
from kept import assert_kept, bytes_kept, content, folder, kept, settle
from pictures import encoded, quarters
from PIL import Image

pytestmark = pytest.mark.long

WORDS = "imageView2/2/w/60/h/50"
DATA = encoded(quarters())


@pytest.fixture
def start(new_server):
    """Starts a server of the test's own, whose first app has a style."""
    def run(**settings):
        named = {f"LCFILE_IMAGES_{name}": str(value) for name, value in settings.items()}
        return configured(new_server(**named), alpha={"styles": {"s": WORDS}}).start()

    return run


@pytest.fixture
def own(start):
    return start()


def stored(server, data=DATA, app=ALPHA):
    return server.api(app).store(data, name="picture.png")["url"]


def noise(seed=0, side=200):
    """An image that does not pack."""
    return encoded(Image.effect_noise((side, side), 40 + seed))


# Equal requests

EQUAL = [
    "imageView2/2/w/60/h/50", "imageView2/2/h/50/w/60", "imageView2/2/w/60/h/50/", "imageView2/2/w/60.0/h/50.0",
    "imageView2/2/w/060/h/50",
    "imageView2/2/w/59.6/h/50.4", "imageView2%2F2%2Fw%2F60%2Fh%2F50", "imageView2/2/w/60/h/50&v=3",
    "imageView2/2/w/60/h/50&",
    "imageView2/2/w/60/h/50/ignore-error/0", "imageView2/2/w/60/h/50/interlace/0",
]
OTHERS = [
    "imageView2/2/w/61/h/50", "imageView2/1/w/60/h/50", "imageView2/2/w/60/h/50/format/jpg",
    "imageView2/2/w/60/h/50/format/webp",
    "imageView2/2/w/60/h/50/format/webp/q/50", "imageView2/2/w/60/h/50|imageMogr2/rotate/90",
    "imageMogr2/rotate/90|imageView2/2/w/60/h/50",
]


@pytest.mark.smoke
def test_equal_requests_have_one_etag_and_are_kept_once(own):
    url = stored(own)
    tags = {fetched(own.api(), f"{url}?{words}").headers["ETag"] for words in EQUAL}
    tags.add(fetched(own.api(), f"{url}-s").headers["ETag"])
    assert len(tags) == 1
    assert_kept(own, 1)


@pytest.mark.extended
def test_different_requests_are_kept_each(own):
    url = stored(own)
    for words in OTHERS:
        fetched(own.api(), f"{url}?{words}")
    assert_kept(own, len(OTHERS))
    bodies = {fetched(own.api(), f"{url}?{words}").content for words in OTHERS}
    assert len(bodies) == len(OTHERS)


@pytest.mark.extended
def test_formats_that_are_chosen_by_the_client_are_those_that_are_said(new_server):
    server = configured(new_server(), alpha={"autoFormats": ["webp"]}).start()
    url = stored(server)
    chosen = fetched(server.api(), f"{url}?{WORDS}", Accept="image/webp")
    said = fetched(server.api(), f"{url}?{WORDS}/format/webp")
    assert chosen.headers["ETag"] == said.headers["ETag"]
    assert_kept(server, 1)


@pytest.mark.extended
def test_files_of_equal_bytes_are_kept_each(own):
    first, second = (fetched(own.api(), f"{stored(own)}?{WORDS}") for _ in range(2))
    assert first.headers["ETag"] == second.headers["ETag"]
    assert_kept(own, 2)


def test_apps_keep_their_own(own):
    for app in (ALPHA, BETA):
        fetched(own.api(app), f"{stored(own, app=app)}?{WORDS}")
        assert_kept(own, 1, app)


def test_nothing_is_kept_of_a_refusal(own):
    url = stored(own)
    for words in ("imageView2/9", "nonsense", "imageMogr2/crop/!5x5a900a900", "imageView2/2/w/60|nonsense"):
        assert_refused(own.api().fetch(f"{url}?{words}"), 400, 400)
    fetched(own.api(), f"{url}?{WORDS}")
    assert_kept(own, 1)


@pytest.mark.extended
def test_20_requests_at_once_make_one(start):
    """With a queue of one, rendering it twice would refuse a request."""
    server = start(THREADS=1, MAX_QUEUED=1)
    url = stored(server, noise(side=1500))
    apis = [server.api() for _ in range(20)]
    answers = at_once(lambda place: apis[place].fetch(f"{url}?imageMogr2/blur/20x10/format/jpg"), len(apis), len(apis))
    assert [answer.status_code for answer in answers] == [200] * 20
    assert len({(answer.headers["ETag"], answer.content) for answer in answers}) == 1
    assert_kept(server, 1)


# How they are served

HEADERS = ["Content-Type", "Content-Length", "ETag", "Last-Modified", "Cache-Control", "Accept-Ranges", "X-Content-Type-Options"]


@pytest.mark.extended
def test_second_answer_is_as_the_first(own):
    url = f"{stored(own)}?{WORDS}"
    first = fetched(own.api(), url)
    assert_kept(own, 1)
    second = fetched(own.api(), url)
    assert [second.headers[name] for name in HEADERS] == [first.headers[name] for name in HEADERS]
    assert second.content == first.content


@pytest.fixture(scope="module")
def answered(api):
    """A derivative that has been made, and its first answer."""
    url = api.store(DATA, name="picture.png")["url"] + f"?{WORDS}"
    return url, fetched(api, url)


def test_derivative_may_be_kept_for_a_year(answered):
    assert answered[1].headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_etag_is_strong_and_not_the_files(api, answered):
    etag = answered[1].headers["ETag"]
    assert etag.startswith('"') and etag.endswith('"')
    assert etag != api.fetch(answered[0].split("?")[0]).headers["ETag"]


@pytest.mark.parametrize("form", ["{}", "W/{}", '"x", {}', "*"])
def test_known_etag_gives_304(api, answered, form):
    url, first = answered
    response = api.fetch(url, If_None_Match=form.format(first.headers["ETag"]))
    assert (response.status_code, response.content, response.headers["ETag"]) == (304, b"", first.headers["ETag"])


def test_other_etag_gives_the_derivative(api, answered):
    url, first = answered
    assert api.fetch(url, If_None_Match='"other"').content == first.content


def test_known_date_gives_304(api, answered):
    url, first = answered
    assert api.fetch(url, If_Modified_Since=first.headers["Last-Modified"]).status_code == 304


@pytest.mark.parametrize("text, start, end", [("0-0", 0, 1), ("0-9", 0, 10), ("10-", 10, None), ("-7", -7, None)])
def test_range_gives_its_part(api, answered, text, start, end):
    url, first = answered
    response = api.fetch(url, Range=f"bytes={text}")
    assert (response.status_code, response.content) == (206, first.content[start:end])
    assert response.headers["Content-Range"].endswith(f"/{len(first.content)}")
    assert response.headers["Content-Type"] == "image/png"


def test_range_beyond_the_end_is_416(api, answered):
    url, first = answered
    response = api.fetch(url, Range=f"bytes={len(first.content)}-")
    assert (response.status_code, response.headers["Content-Range"]) == (416, f"bytes */{len(first.content)}")


def test_if_range_with_the_etag_gives_the_part(api, answered):
    url, first = answered
    response = api.fetch(url, Range="bytes=0-9", If_Range=first.headers["ETag"])
    assert (response.status_code, response.content) == (206, first.content[:10])


def test_if_range_with_the_date_gives_the_whole(api, answered):
    """Other settings make other bytes of the same words, and their date is the file's as well."""
    url, first = answered
    response = api.fetch(url, Range="bytes=0-9", If_Range=first.headers["Last-Modified"])
    assert (response.status_code, response.content) == (200, first.content)


def test_head_has_the_headers_and_no_body(api, answered):
    url, first = answered
    head = api.fetch(url, "HEAD")
    assert (head.status_code, head.content) == (200, b"")
    assert [head.headers[name] for name in HEADERS] == [first.headers[name] for name in HEADERS]


def test_derivatives_have_no_address_of_their_own(own):
    fetched(own.api(), f"{stored(own)}?{WORDS}")
    assert_kept(own, 1)
    path, = kept(own)
    for tail in (path.relative_to(own.storage), path.relative_to(own.storage / ALPHA.id), path.name):
        assert own.api().fetch(f"{own.url}/{tail}").status_code == 404


# What ends them

def test_deleted_file_takes_its_derivatives_along(own):
    record = own.api().store(DATA, name="picture.png")
    other = stored(own)
    for url in (record["url"], other):
        fetched(own.api(), f"{url}?{WORDS}")
        fetched(own.api(), f"{url}?imageView2/2/w/20")
    assert_kept(own, 4)
    assert own.api(master=True).delete(record["objectId"]).status_code == 200
    assert_refused(own.api().fetch(f"{record['url']}?{WORDS}"), 404, 404)
    assert_kept(own, 2)
    assert fetched(own.api(), f"{other}?{WORDS}").content


@pytest.mark.extended
def test_derivatives_outlive_the_server(own):
    url = f"{stored(own)}?{WORDS}"
    first = fetched(own.api(), url)
    assert_kept(own, 1)
    made = kept(own)[0].stat().st_ino
    assert own.stop() == 0
    own.start()
    again = fetched(own.api(), url)
    assert (again.headers["ETag"], again.content) == (first.headers["ETag"], first.content)
    assert [path.stat().st_ino for path in kept(own)] == [made]


def test_deleting_the_folder_loses_only_time(own):
    url = stored(own)
    before = [fetched(own.api(), f"{url}?{words}").content for words in OTHERS]
    assert_kept(own, len(OTHERS))
    shutil.rmtree(folder(own))
    assert [fetched(own.api(), f"{url}?{words}").content for words in OTHERS] == before
    fetched(own.api(), f"{url}?imageView2/2/w/33")
    assert eventually(lambda: kept(own)), "nothing is kept any more"


@pytest.mark.extended
def test_deleting_the_folder_while_the_server_is_off_loses_only_time(own):
    url = f"{stored(own)}?{WORDS}"
    before = fetched(own.api(), url).content
    assert_kept(own, 1)
    assert own.stop() == 0
    shutil.rmtree(folder(own))
    own.start()
    assert fetched(own.api(), url).content == before
    assert_kept(own, 1)


def half(data):
    return data[: len(data) // 2]


@pytest.mark.extended
@pytest.mark.parametrize("damage", [half, lambda data: b"", lambda data: b"nonsense" * 100, lambda data: data[:-1]],
                         ids=["half", "nothing", "nonsense", "a byte less"])
def test_derivative_that_is_damaged_is_made_again(own, damage):
    url = f"{stored(own)}?{WORDS}"
    before = fetched(own.api(), url)
    assert_kept(own, 1)
    assert own.stop() == 0
    path, = kept(own)
    path.write_bytes(damage(path.read_bytes()))
    own.start()
    again = fetched(own.api(), url)
    assert (again.content, again.headers["Content-Type"]) == (before.content, "image/png")


@pytest.mark.extended
def test_rests_of_unfinished_writing_are_cleared_away(own):
    fetched(own.api(), f"{stored(own)}?{WORDS}")
    assert_kept(own, 1)
    assert own.stop() == 0
    (folder(own) / "staging-0123456789abcdef").write_bytes(b"x" * 1000)
    own.start()
    fetched(own.api(), f"{stored(own)}?{WORDS}")
    assert eventually(lambda: not list(folder(own).glob("staging-*")))


# Room

ROOM = 200 << 10


@pytest.mark.extended
def test_no_more_is_kept_than_there_is_room_for(start):
    server = start(CACHE_SIZE="200KB")
    url = stored(server, noise(side=300))
    for side in range(100, 130):
        fetched(server.api(), f"{url}?imageView2/2/w/{side}/format/png")
    assert eventually(lambda: bytes_kept(server) <= ROOM), bytes_kept(server)
    assert bytes_kept(server) > ROOM / 4
    assert fetched(server.api(), f"{url}?imageView2/2/w/100/format/png").content


@pytest.mark.extended
def test_room_counts_what_was_there_before_a_restart(start):
    server = start(CACHE_SIZE="200KB")
    url = stored(server, noise(side=300))
    for side in range(100, 113):
        fetched(server.api(), f"{url}?imageView2/2/w/{side}/format/png")
    assert server.stop() == 0
    server.start()
    for side in range(113, 130):
        fetched(server.api(), f"{url}?imageView2/2/w/{side}/format/png")
    assert eventually(lambda: bytes_kept(server) <= ROOM), bytes_kept(server)


@pytest.mark.extended
def test_smaller_room_clears_what_is_beyond_it(start):
    server = start(CACHE_SIZE="1MB")
    url = stored(server, noise(side=300))
    for side in range(100, 125):
        fetched(server.api(), f"{url}?imageView2/2/w/{side}/format/png")
    assert eventually(lambda: bytes_kept(server) > ROOM / 2)
    assert server.stop() == 0
    server.environment["LCFILE_IMAGES_CACHE_SIZE"] = "100KB"
    server.start()
    fetched(server.api(), f"{url}?imageView2/2/w/99/format/png")
    assert eventually(lambda: bytes_kept(server) <= 100 << 10), bytes_kept(server)


def file_of(server, derivative):
    """The file in which a derivative is kept; nothing if there is none."""
    return next((path for path in kept(server) if content(path).startswith(derivative)), None)


def cut(server, url, number):
    """A derivative of 9 to 10 blocks, and another one for each number."""
    return fetched(server.api(), f"{url}?imageMogr2/crop/!190x190a{number}a0/format/png").content


@pytest.mark.extended
def test_what_was_not_used_for_longest_goes_first(start):
    """The first of all was made before the others and used after them: it stays, and the second goes."""
    server = start(CACHE_SIZE="400KB")
    url = stored(server, noise(side=300))
    derivatives = [cut(server, url, number) for number in range(8)]
    assert_kept(server, 8)
    paths = [file_of(server, derivative) for derivative in derivatives]
    assert server.stop() == 0
    # A use is noted once an hour, so these must be older; the first one is the oldest.
    for days, path in zip(range(8, 0, -1), paths):
        then = time.time() - days * 86_400
        os.utime(path, (then, then))
    old = paths[0].stat().st_mtime
    server.start()
    assert cut(server, url, 0) == derivatives[0]
    assert eventually(lambda: paths[0].stat().st_mtime > old + 86_400), "the use was not noted"
    # A little more than the limit, so that removing the seven unused ones is enough.
    for number in range(8, 13):
        cut(server, url, number)
    assert eventually(lambda: not paths[1].exists()), "nothing had to go"
    assert eventually(lambda: bytes_kept(server) <= 400 << 10)
    settle(server)
    assert paths[0].exists()


@pytest.mark.extended
def test_derivative_that_is_larger_than_the_room_is_served_and_not_kept(start):
    server = start(CACHE_SIZE="20KB")
    url = stored(server, noise(side=300))
    for _ in range(2):
        assert len(fetched(server.api(), f"{url}?imageView2/2/w/290/format/png").content) > 20 << 10
    fetched(server.api(), f"{url}?imageView2/2/w/20")
    assert_kept(server, 1)


@pytest.mark.extended
def test_no_room_keeps_nothing(start):
    server = start(CACHE_SIZE=0)
    url = stored(server)
    # So many that some would have been written by now, and the last ones by when the server has ended.
    for side in range(20, 50):
        fetched(server.api(), f"{url}?imageView2/2/w/{side}")
    assert server.stop() == 0
    assert kept(server) == []


@pytest.mark.extended
def test_what_is_not_kept_is_the_same_when_it_is_made_again(start):
    server = start(CACHE_SIZE=0)
    url = f"{stored(server)}?{WORDS}"
    answers = [fetched(server.api(), url) for _ in range(3)]
    assert len({(answer.headers["ETag"], answer.content) for answer in answers}) == 1


@pytest.mark.extended
def test_room_is_an_apps_own(start):
    server = start(CACHE_SIZE="200KB")
    theirs = stored(server, app=BETA)
    fetched(server.api(BETA), f"{theirs}?{WORDS}")
    assert_kept(server, 1, BETA)
    url = stored(server, noise(side=300))
    for side in range(100, 130):
        fetched(server.api(), f"{url}?imageView2/2/w/{side}/format/png")
    settle(server)
    assert eventually(lambda: bytes_kept(server) <= ROOM)
    assert len(kept(server, BETA)) == 1
