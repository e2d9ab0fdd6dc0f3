"""The pre-scaled copy of a large image from which small derivatives are rendered: it is invisible to clients."""

import pytest
from client import Server
from image_looks import distance, fetched
from image_writers import read
from kept import assert_kept, kept, settle
from PIL import Image
from pictures import encoded, quarters

SIZES = [
    "imageView2/0/w/200/h/100", "imageView2/1/w/150/h/150", "imageView2/2/w/160", "imageView2/2/w/399",
    "imageView2/2/w/900",
    "imageView2/3/w/120/h/110", "imageView2/4/w/120/h/100", "imageView2/5/w/120/h/100", "imageView/1/w/100/h/37",
    "imageMogr2/thumbnail/!10p", "imageMogr2/thumbnail/20000@", "imageMogr2/crop/300x200",
    "imageMogr2/thumbnail/200x|imageMogr2/rotate/90",
    "imageMogr2/gravity/Center/crop/800x800/thumbnail/100x", "imageMogr2/crop/!700x500a900a500",
    "imageMogr2/thumbnail/3000x2000>",
]


def photograph(**options):
    """A large image whose places can be told from each other."""
    return encoded(quarters().resize((1600, 1000)), "JPEG", quality=95, **options)


def count_kept(server):
    """What is kept of the tests before."""
    settle(server)
    return len(kept(server))


def stored(server, data):
    return server.api().store(data, name="photo.jpg")["url"]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """One image on a server that keeps copies of 800 pixels, and on one that keeps none."""
    servers = [
        Server(tmp_path_factory.mktemp("mezzanine"), **settings).start() for settings in ({"LCFILE_IMAGES_MEZZANINE": "800"}, {})
    ]
    yield [(server, stored(server, photograph())) for server in servers]
    for server in servers:
        assert server.stop() == 0


@pytest.mark.few(2)
@pytest.mark.parametrize("words", SIZES)
def test_copy_in_the_middle_changes_no_size_and_no_place(both, words):
    with_copy, without = (read(fetched(server.api(), f"{url}?{words}/format/png").content) for server, url in both)
    assert with_copy.size == without.size
    assert distance(with_copy, without) < 4


def test_copy_in_the_middle_is_kept_beside_the_first_derivative(both):
    server, _ = both[0]
    before = count_kept(server)
    url = stored(server, photograph())
    fetched(server.api(), f"{url}?imageView2/2/w/100")
    assert_kept(server, before + 2)
    fetched(server.api(), f"{url}?imageView2/2/w/120")
    assert_kept(server, before + 3)


def test_small_picture_has_no_copy(both):
    server, _ = both[0]
    before = count_kept(server)
    fetched(server.api(), f"{stored(server, encoded(quarters()))}?imageView2/2/w/60")
    assert_kept(server, before + 1)


@pytest.mark.parametrize("words", ["imageInfo", "imageAve", "stat"])
def test_questions_are_about_the_source(both, words):
    answers = [server.api().fetch(f"{url}?{words}").json() for server, url in both]
    assert answers[0] == answers[1]


@pytest.mark.few(2)
@pytest.mark.parametrize("words", [
    "imageView2/2/w/100", "imageMogr2/thumbnail/100x", "imageMogr2/auto-orient/thumbnail/100x",
])
@pytest.mark.parametrize("orientation", [3, 6])
def test_copy_in_the_middle_stands_as_its_source(both, orientation, words):
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = photograph(exif=exif)
    images = [read(fetched(server.api(), f"{stored(server, data)}?{words}").content) for server, _ in both]
    assert images[0].size == images[1].size
    assert images[0].getexif().get(0x0112, 1) == images[1].getexif().get(0x0112, 1)
    assert distance(*images) < 4


def test_deleted_file_takes_its_copy_along(both):
    server, _ = both[0]
    before = count_kept(server)
    record = server.api().store(photograph(), name="photo.jpg")
    fetched(server.api(), f"{record['url']}?imageView2/2/w/100")
    assert_kept(server, before + 2)
    assert server.api(master=True).delete(record["objectId"]).status_code == 200
    assert_kept(server, before)
