"""Downloads by TLS are those in the clear, byte for byte: of the route, and hot ones."""

import pytest
from hot import CREATED, assert_hot, get, make_hot, settled_hot_count, store_at
from hot_files import IMAGE, response_to
from tls import assert_same
from uploading import KB, MB, noise, qetag

# Around the sizes of records (16 KB), of the first piece of a file (64 KB) and of bodies in memory (128 KB).
SIZES = [
    0, 1, 1000, *(size + more for size in (16 * KB, 64 * KB, 128 * KB) for more in (-1, 0, 1)), 1 * MB, 5 * MB + 1,
]
RANGES = [
    (0, "0-"), (1, "0-0"), (1000, "999-"), (1000, "1000-"), (1000, "-0"), (1000, "0-0,10-20,-1"),
    (64 * KB + 1, "0-65535"), (64 * KB + 1, "65536-"), (128 * KB + 1, "1-"), (5 * MB + 1, "0-0"), (5 * MB + 1, "-1"),
    (5 * MB + 1, "1-"), (5 * MB + 1, "16383-16384"), (5 * MB + 1, "65535-131072"), (5 * MB + 1, "0-5242879"),
    (5 * MB + 1, "0-0,-1"), (5 * MB + 1, "0-99999,2000000-2700000,-70000"),
]
FORMS = {
    "HEAD": lambda target, _: get(target, method="HEAD"),
    "304": lambda target, data: get(target, f'If-None-Match: "{qetag(data)}"'),
    "HEAD with 304": lambda target, data: get(target, f'If-None-Match: "{qetag(data)}"', method="HEAD"),
}


@pytest.fixture(scope="module")
def files(both):
    """Both servers have the same files, `/<size>.bin` and an image."""
    for server in both:
        master = server.api(master=True)
        for size in SIZES:
            store_at(master, f"{size}.bin", noise(size), createdAt=CREATED)
        store_at(master, "picture.png", IMAGE, name="picture.png", createdAt=CREATED)
    return both


@pytest.mark.few(2)
@pytest.mark.parametrize("size", SIZES)
def test_download_has_the_bytes_of_the_file(files, size):
    assert response_to(files[1], f"/{size}.bin?v=bytes").content == noise(size)


@pytest.mark.few(2)
@pytest.mark.parametrize("size", SIZES)
def test_first_download_is_that_in_the_clear(files, size):
    assert_same(files, get(f"/{size}.bin?v=first"))


def assert_same_when_hot(servers, target, request):
    for server in servers:
        make_hot(server, target)
    before = settled_hot_count(servers[1])
    assert_same(servers, request)
    assert_hot(servers[1], before, 1)


@pytest.mark.few(2)
@pytest.mark.parametrize("size", SIZES)
def test_third_download_is_hot_and_that_in_the_clear(files, size):
    target = f"/{size}.bin?v=third"
    assert_same_when_hot(files, target, get(target))


@pytest.mark.few(2)
@pytest.mark.parametrize("size, ranges", RANGES)
def test_ranges_are_those_in_the_clear(files, size, ranges):
    assert_same(files, get(f"/{size}.bin", f"Range: bytes={ranges}"))


@pytest.mark.few(2)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1000, 128 * KB, 5 * MB + 1])
def test_response_without_a_body_is_that_in_the_clear(files, size, form):
    assert_same(files, FORMS[form](f"/{size}.bin?v=head", noise(size)))


@pytest.mark.few(2)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1000, 128 * KB, 5 * MB + 1])
def test_hot_response_without_a_body_is_that_in_the_clear(files, size, form):
    target = f"/{size}.bin?v={form.replace(' ', '-')}"
    assert_same_when_hot(files, target, FORMS[form](target, noise(size)))


def test_first_derivative_is_that_in_the_clear(files):
    assert_same(files, get("/picture.png?imageView2/2/w/60"))


def test_third_derivative_is_hot_and_that_in_the_clear(files):
    target = "/picture.png?imageView2/2/w/50"
    assert_same_when_hot(files, target, get(target))
