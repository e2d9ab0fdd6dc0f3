"""Hot responses are those of the route: status, fields and body."""

from email.utils import parsedate_to_datetime

import pytest
from app_settings import configured
from client import eventually
from hot import assert_hot, hot_count, make_hot, settled_hot_count
from hot_files import IMAGE, KINDS, OPERATORS, SIZES, hot_response, open_blobs, response_to, shown, stored
from uploading import KB, noise, qetag

pytestmark = pytest.mark.long


# The response

@pytest.mark.few(2)
@pytest.mark.parametrize("size", SIZES)
def test_third_response_is_hot_and_equal_to_the_first(server, size):
    data = noise(size)
    _, target = stored(server, data)
    first = response_to(server, target)
    response_to(server, target)
    assert shown(hot_response(server, target)) == shown(first)
    assert first.content == data


def test_second_response_is_not_hot(server):
    _, target = stored(server, b"twice")
    before = settled_hot_count(server)
    response_to(server, target)
    response_to(server, target)
    hot_response(server, target)
    assert hot_count(server) == before + 1


@pytest.mark.parametrize("size", KINDS)
def test_hot_head_is_equal_to_the_first(server, size):
    _, target = stored(server, noise(size))
    first = response_to(server, target, method="HEAD")
    make_hot(server, target)
    assert shown(hot_response(server, target, method="HEAD")) == shown(first)


@pytest.mark.few(2)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("size", KINDS)
def test_hot_304_is_equal_to_the_first(server, method, size):
    data = noise(size, 304)
    _, target = stored(server, data)
    condition = f'If-None-Match: "{qetag(data)}"'
    first = response_to(server, target, condition, method=method)
    assert first.status == 304
    make_hot(server, target)
    assert shown(hot_response(server, target, condition, method=method)) == shown(first)


@pytest.mark.few(2)
@pytest.mark.parametrize("operators", OPERATORS)
def test_derivative_is_hot_and_equal_to_the_first(server, operators):
    _, path = stored(server, IMAGE, "picture.png")
    target = f"{path}?{operators}"
    first = response_to(server, target)
    response_to(server, target)
    assert shown(hot_response(server, target)) == shown(first)


def test_style_is_hot_and_equal_to_the_first(server):
    _, path = stored(server, IMAGE, "picture.png")
    first = response_to(server, f"{path}-small")
    response_to(server, f"{path}-small")
    assert shown(hot_response(server, f"{path}-small")) == shown(first)


@pytest.mark.parametrize("name", ["a.bin", "%E7%85%A7%E7%89%87.bin"])
def test_hot_file_is_named_for_saving(server, name):
    _, path = stored(server, b"saved")
    first = response_to(server, f"{path}?attname={name}").getheader("Content-Disposition")
    response_to(server, f"{path}?attname={name}")
    assert hot_response(server, f"{path}?attname={name}").getheader("Content-Disposition") == first
    assert first.startswith("attachment")


def test_each_name_for_saving_is_that_of_the_request(server):
    _, path = stored(server, b"saved")
    for name in ("a.bin", "b.bin"):
        make_hot(server, f"{path}?attname={name}")
    for name in ("a.bin", "b.bin"):
        assert name in hot_response(server, f"{path}?attname={name}").getheader("Content-Disposition")


def test_hot_file_without_a_name_for_saving_has_none(server):
    _, path = stored(server, b"saved")
    make_hot(server, f"{path}?attname=a.bin")
    make_hot(server, path)
    assert hot_response(server, path).getheader("Content-Disposition") is None


def test_hot_page_has_its_sandbox(server):
    _, target = stored(server, b"<script>alert(1)</script>", "page.html")
    first = response_to(server, target)
    response_to(server, target)
    assert shown(hot_response(server, target)) == shown(first)
    assert "sandbox" in first.getheader("Content-Security-Policy")


def test_hot_response_has_an_id_of_its_own(server):
    _, target = stored(server, b"ids")
    make_hot(server, target)
    ids = [hot_response(server, target).getheader("X-Request-Id") for _ in range(3)]
    assert len(set(ids)) == 3


def test_date_of_hot_responses_moves_on(server):
    _, target = stored(server, b"dates")
    make_hot(server, target)

    def date():
        return parsedate_to_datetime(response_to(server, target).getheader("Date"))

    first = date()
    assert eventually(lambda: date() > first)


@pytest.mark.parametrize("method, field", [
    ("HEAD", "X: y"), ("GET", "Range: bytes=0-1"), ("GET", "Range: bytes=0-1,5-6"), ("GET", "Range: bytes=1000-"),
    ("GET", "If-None-Match: *"), ("GET", 'If-Match: "x"'), ("GET", "If-Unmodified-Since: Thu, 02 May 2019 08:00:00 GMT"),
])
def test_other_responses_are_not_prepared_for_whole_files(server, method, field):
    data = b"whole bytes"
    _, target = stored(server, data)
    for _ in range(3):
        response_to(server, target, field, method=method)
    response = response_to(server, target)
    assert (response.status, response.content) == (200, data)


def test_format_of_a_derivative_is_that_which_each_client_accepts(new_server):
    server = configured(new_server(), alpha={"autoFormats": ["webp"]}).start()
    _, path = stored(server, IMAGE, "picture.png")
    target = f"{path}?imageView2/2/w/20"
    for _ in range(3):
        assert response_to(server, target).getheader("Content-Type") == "image/png"
        assert response_to(server, target, "Accept: image/webp").getheader("Content-Type") == "image/webp"


# Limits

@pytest.mark.extended
def test_no_response_is_hot_without_the_feature(new_server):
    server = new_server(LCFILE_DOWNLOADS_HOT_RESPONSES="0").start()
    _, target = stored(server, b"cold")
    assert [response_to(server, target).content for _ in range(10)] == [b"cold"] * 10
    assert settled_hot_count(server) == 0


@pytest.mark.extended
def test_no_response_is_hot_without_memory(new_server):
    server = new_server(LCFILE_DOWNLOADS_HOT_MEMORY="0").start()
    _, target = stored(server, b"cold")
    assert [response_to(server, target).content for _ in range(10)] == [b"cold"] * 10
    assert settled_hot_count(server) == 0


@pytest.mark.extended
def test_no_large_file_is_hot_without_files(new_server):
    server = new_server(LCFILE_DOWNLOADS_HOT_FILES="0").start()
    (_, large), (_, small) = stored(server, noise(128 * KB + 1)), stored(server, noise(128 * KB))
    for target in (large, small):
        make_hot(server, target)
    before = settled_hot_count(server)
    assert response_to(server, large).content == noise(128 * KB + 1)
    assert response_to(server, small).content == noise(128 * KB)
    assert_hot(server, before, 1)


@pytest.mark.extended
@pytest.mark.parametrize("limit", [
    {"LCFILE_DOWNLOADS_HOT_RESPONSES": "4"}, {"LCFILE_DOWNLOADS_HOT_MEMORY": "64KB"}, {"LCFILE_DOWNLOADS_HOT_FILES": "2"},
], ids=str)
def test_more_targets_than_a_limit_allows_are_all_right(new_server, limit):
    server = new_server(**limit).start()
    files = {stored(server, data)[1]: data for data in (noise(size, "limit") for size in range(1, 150_001, 15_000))}
    targets = list(files) * 3
    # Each target is hot for a moment: the requests in a row of one target are.
    for target in targets + sorted(targets):
        assert response_to(server, target).content == files[target]
    assert hot_count(server) > 0


@pytest.mark.extended
def test_only_as_many_targets_are_hot_as_the_limit_allows(new_server):
    server = new_server(LCFILE_DOWNLOADS_HOT_RESPONSES="4").start()
    targets = [stored(server, noise(100, number))[1] for number in range(10)]
    for target in targets:
        make_hot(server, target)
    before = settled_hot_count(server)
    for target in reversed(targets):
        response_to(server, target)
    assert 1 <= settled_hot_count(server) - before <= 4


@pytest.mark.extended
def test_only_as_many_files_are_open_as_the_limit_allows(new_server):
    server = new_server(LCFILE_DOWNLOADS_HOT_FILES="4", LCFILE_DOWNLOADS_OPEN_FILES="0").start()
    targets = [stored(server, noise(200_000, number))[1] for number in range(10)]
    for target in targets:
        make_hot(server, target)
    hot_response(server, targets[-1])
    assert eventually(lambda: len(open_blobs(server)) <= 4), open_blobs(server)
