"""Hot downloads: prepared responses are those of the route, and no later request gets one that a change made wrong."""

import os
import re
import socket
import threading
import time
from email.utils import parsedate_to_datetime
from urllib.parse import quote, unquote, urlsplit

import marks
import pytest
from app_settings import configured
from censoring import block, decided, photo, put, settings
from client import ALPHA, BETA, Server, eventually
from data import at_once
from hostile import is_idle, memory
from hot import WARM_UP, assert_hot, get, hot_count, make_hot, series, store_at
from live_messages import from_protobuf, packed
from live_wire import BINARY, CLOSE, WireSocket, frame
from pictures import encoded, plain, quarters
from uploading import KB, MB, noise, qetag

STYLES = {"small": "imageView2/2/w/40"}
IMAGE = encoded(quarters())
# Of each kind of body: copied behind the head, in a buffer of its own, sent by `sendfile`.
SIZES = [0, 1, 100, 16 * KB, 16 * KB + 1, 128 * KB, 128 * KB + 1, 3 * MB]
KINDS = [100, 20_000, 3 * MB]
OPERATORS = [
    "imageView2/2/w/60", "imageView2/2/w/60/format/webp", "imageMogr2/rotate/90", "imageView2/2/w/60|imageMogr2/rotate/90",
    "imageslim", f"watermark/2{marks.text('mark')}",
]


def started(folder, **options):
    return configured(Server(folder, **options), alpha={"styles": STYLES}).start()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = started(tmp_path_factory.mktemp("hot"))
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture
def own(tmp_path):
    """A server of the test's own."""
    server = started(tmp_path)
    yield server
    assert server.stop() == 0


def stored(server, data, name="x.bin", app=ALPHA, **fields):
    """A new file's objectId and its target."""
    record = server.api(app).store(data, name=name, **fields)
    return record["objectId"], urlsplit(record["url"]).path


def response_to(server, target, *fields, method="GET"):
    """The response to a request on a connection of its own."""
    with server.raw() as connection:
        connection.send(get(target, *fields, method=method))
        return connection.answer(method)


def hot_response(server, target, *fields, method="GET"):
    """The response to a request that must be answered hot."""
    before = hot_count(server)
    response = response_to(server, target, *fields, method=method)
    assert_hot(server, before, 1)
    return response


def status_of(server, target, *fields, method="GET"):
    return response_to(server, target, *fields, method=method).status


def shown(response):
    """Status, header fields in their order, and body, without what each response has anew."""
    fields = [field for field in response.getheaders() if field[0] not in ("Date", "X-Request-Id")]
    return response.status, fields, response.content


def whole_responses(data):
    """The bodies of the 200s at the beginning, and the rest."""
    bodies = []
    while (end := data.find(b"\r\n\r\n") + 4) > 3:
        head = data[:end]
        assert head.startswith(b"HTTP/1.1 200 OK\r\n"), head
        end += int(re.search(rb"\r\nContent-Length: (\d+)", head)[1])
        if len(data) < end:
            break
        bodies.append(data[len(head):end])
        data = data[end:]
    return bodies, data


def responses_in(data):
    """The bodies of 200s, of which the last one must be whole, too."""
    bodies, rest = whole_responses(data)
    assert rest == b""
    return bodies


def all_of(connection):
    """Everything until the server closes."""
    return b"".join(iter(lambda: connection.socket.recv(1 << 18), b""))


# The response

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
    before = hot_count(server)
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
    assert eventually(lambda: date() > first, 3)


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


# Deletes

FORMS = ["{}", "{}?v=1", "{}?attname=a.png", "{}?imageView2/2/w/60", "{}-small", "/{}"]


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("form", FORMS)
def test_deleted_file_is_404_at_once(server, master, form, method):
    id, path = stored(server, IMAGE, "picture.png")
    target = form.format(path)
    make_hot(server, target)
    hot_response(server, target)
    assert master.delete(id).status_code == 200
    assert status_of(server, target, method=method) == 404


@pytest.mark.parametrize("size", KINDS)
def test_deleted_file_of_each_kind_is_404_at_once(server, master, size):
    id, target = stored(server, noise(size, "deleted"))
    make_hot(server, target)
    hot_response(server, target)
    assert master.delete(id).status_code == 200
    assert status_of(server, target) == 404


def test_known_etag_of_a_deleted_file_is_404_at_once(server, master):
    id, target = stored(server, b"unmodified")
    make_hot(server, target)
    hot_response(server, target)
    assert master.delete(id).status_code == 200
    assert status_of(server, target, "If-None-Match: *") == 404


def test_file_deleted_in_a_batch_is_404_at_once(server, master):
    files = [stored(server, b"batch") for _ in range(3)]
    for _, target in files:
        make_hot(server, target)
    requests = [{"method": "DELETE", "path": f"/1.1/files/{id}"} for id, _ in files]
    assert master.post("/1.1/batch", json={"requests": requests}).status_code == 200
    assert [status_of(server, target) for _, target in files] == [404] * 3


def test_deleted_file_of_the_second_app_is_404_at_once(server):
    id, target = stored(server, b"second", app=BETA)
    make_hot(server, target)
    hot_response(server, target)
    assert server.api(BETA, master=True).delete(id).status_code == 200
    assert status_of(server, target) == 404


def test_delete_leaves_other_hot_files_hot(server, master):
    (id, _), (_, target) = stored(server, b"deleted"), stored(server, b"left")
    make_hot(server, target)
    assert master.delete(id).status_code == 200
    assert hot_response(server, target).content == b"left"


def test_open_request_behind_a_delete_is_404(server, master):
    """A connection that was answered hot before gets no outdated response."""
    id, target = stored(server, b"kept alive")
    make_hot(server, target)
    with server.raw() as connection:
        for _ in range(3):
            assert connection.request("GET", target, {}).content == b"kept alive"
        assert master.delete(id).status_code == 200
        assert connection.request("GET", target, {}).status == 404


@pytest.mark.parametrize("size", [128 * KB, 3 * MB])
def test_blob_of_a_deleted_file_is_closed(server, master, size):
    before = set(server.blobs())
    id, target = stored(server, noise(size))
    blob, = set(server.blobs()) - before
    make_hot(server, target)
    hot_response(server, target)
    assert master.delete(id).status_code == 200
    assert eventually(lambda: not blob.exists())
    assert eventually(lambda: [path for path in open_blobs(server) if path.startswith(str(blob))] == [])


def open_blobs(server):
    """The blobs that the server's process has open, among them those that are deleted."""
    folder, paths = f"/proc/{server.process.pid}/fd", []
    for name in os.listdir(folder):
        try:
            paths.append(os.readlink(f"{folder}/{name}"))
        except FileNotFoundError:
            pass  # It has just been closed.
    return [path for path in paths if "/blobs/" in path]


# Changes

def test_file_that_replaces_a_deleted_one_is_served_at_once(server, master):
    for version in range(3):
        id = store_at(master, "replaced.txt", f"version {version}".encode(), name="x.txt")
        make_hot(server, "/replaced.txt")
        assert hot_response(server, "/replaced.txt").content == f"version {version}".encode()
        assert master.delete(id).status_code == 200


def test_type_of_a_file_that_replaces_a_deleted_one_is_served_at_once(server, master):
    id = store_at(master, "typed", b"text", name="x.txt")
    make_hot(server, "/typed")
    hot_response(server, "/typed")
    assert master.delete(id).status_code == 200
    store_at(master, "typed", b"text", name="x.css")
    assert response_to(server, "/typed").getheader("Content-Type") == "text/css"


@pytest.mark.parametrize("change", [{"name": "y.txt"}, {"metaData": {"a": 1}}, {"ACL": {}}], ids=str)
def test_file_whose_record_changes_is_still_served(server, master, change):
    id, target = stored(server, b"changed", "x.txt")
    make_hot(server, target)
    before = hot_response(server, target)
    assert master.call("PUT", f"/1.1/files/{id}", json=change).status_code == 200
    assert shown(response_to(server, target)) == shown(before)


@pytest.mark.parametrize("spelling", ["/1st.png-small", "//2nd.png-small", "/%33rd.png%2Dsmall"])
def test_file_whose_key_is_the_path_of_a_style_is_served_at_once(server, master, spelling):
    key = unquote(spelling).strip("/")
    store_at(master, key.removesuffix("-small"), IMAGE, name="picture.png")
    make_hot(server, spelling)
    assert hot_response(server, spelling).content != b"file"
    store_at(master, key, b"file")
    assert response_to(server, spelling).content == b"file"


def test_style_is_served_at_once_when_the_file_in_its_place_is_deleted(server, master):
    store_at(master, "styled.png", IMAGE, name="picture.png")
    style = response_to(server, "/styled.png-small")
    id = store_at(master, "styled.png-small", b"file")
    make_hot(server, "/styled.png-small")
    assert hot_response(server, "/styled.png-small").content == b"file"
    assert master.delete(id).status_code == 200
    assert shown(response_to(server, "/styled.png-small")) == shown(style)


def test_style_of_an_earlier_app_is_served_at_once(new_server):
    """Two readings of one path: the first app's file takes precedence from its upload on."""
    image = "imageView2/2/w/{}"
    server = configured(
        new_server(), alpha={"styles": {"s": image.format(40)}, "styleSeparator": "_"},
        beta={"styles": {"a_s": image.format(20)}, "styleSeparator": "-"},
    ).start()
    store_at(server.api(BETA, master=True), "k", IMAGE, name="picture.png")
    make_hot(server, "/k-a_s")
    second = hot_response(server, "/k-a_s").content
    store_at(server.api(ALPHA, master=True), "k-a", IMAGE, name="picture.png")
    first = response_to(server, "/k-a_s?v=1").content
    assert first != second
    assert response_to(server, "/k-a_s").content == first


def test_watermark_of_a_deleted_file_is_not_served(server, master):
    _, path = stored(server, IMAGE, "picture.png")
    id, mark = stored(server, encoded(plain(10, 10)), "mark.png")
    target = f"{path}?watermark/1{marks.image(mark.removeprefix('/'))}"
    assert [status_of(server, target) for _ in range(5)] == [200] * 5
    assert master.delete(id).status_code == 200
    assert status_of(server, target) == 400


def test_watermark_of_a_blocked_file_is_not_served(server, master):
    _, path = stored(server, IMAGE, "picture.png")
    id, mark = stored(server, photo("hot mark", 20, 20), "mark.jpg")
    target = f"{path}?watermark/1{marks.image(mark.removeprefix('/'))}"
    assert [status_of(server, target) for _ in range(5)] == [200] * 5
    block(master, id)
    assert status_of(server, target) == 403


# Censorship

@pytest.mark.parametrize("form", FORMS)
def test_blocked_image_is_403_at_once_and_served_again_once_it_passed(server, master, form):
    id, path = stored(server, photo(f"hot {form}"), "photo.jpg")
    target = form.format(path)
    make_hot(server, target)
    before = hot_response(server, target)
    block(master, id)
    assert [status_of(server, target) for _ in range(4)] == [403] * 4
    put(master, id, "passed")
    assert [shown(response_to(server, target)) for _ in range(WARM_UP)] == [shown(before)] * WARM_UP
    assert shown(hot_response(server, target)) == shown(before)


def test_known_etag_of_a_blocked_image_is_403_at_once(server, master):
    id, target = stored(server, photo("hot etag"), "photo.jpg")
    make_hot(server, target)
    hot_response(server, target)
    block(master, id)
    assert status_of(server, target, "If-None-Match: *") == 403


def test_image_for_blocked_ones_is_shown_at_once_and_for_no_longer(own):
    master = own.api(master=True)
    id, target = stored(own, photo("blocked"), "photo.jpg")
    sign, _ = stored(own, IMAGE, "sign.png")
    make_hot(own, target)
    block(master, id)
    settings(master, blockedImage=sign)
    assert [response_to(own, target).content for _ in range(4)] == [IMAGE] * 4
    settings(master, blockedImage=None)
    assert status_of(own, target) == 403


def test_image_that_is_held_from_now_on_is_403_at_once(own):
    master = own.api(master=True)
    settings(master, auto=True)
    id, target = stored(own, photo("held"), "photo.jpg")
    # Without a model or a webhook the verdict is review, which is no pass.
    decided(master, id)
    make_hot(own, target)
    hot_response(own, target)
    settings(master, hold=True)
    assert status_of(own, target) == 403


@pytest.mark.parametrize("form", ["{}", "{}?imageView2/2/w/60"])
def test_changed_settings_show_in_cache_control_at_once(own, form):
    master = own.api(master=True)
    _, path = stored(own, photo("caching"), "photo.jpg")
    target = form.format(path)

    def caching():
        return response_to(own, target).getheader("Cache-Control")

    make_hot(own, target)
    forever = hot_response(own, target).getheader("Cache-Control")
    for changes, expected in [
        ({"auto": True, "cacheSeconds": 60}, "public, max-age=60"), ({"cacheSeconds": 7200}, "public, max-age=7200"),
        ({"auto": False}, forever),
    ]:
        settings(master, **changes)
        assert [caching() for _ in range(WARM_UP)] == [expected] * WARM_UP
        assert hot_response(own, target).getheader("Cache-Control") == expected


# Limits

def test_no_response_is_hot_without_the_feature(new_server):
    server = new_server(LCFILE_DOWNLOADS_HOT_RESPONSES="0").start()
    _, target = stored(server, b"cold")
    assert [response_to(server, target).content for _ in range(10)] == [b"cold"] * 10
    assert hot_count(server) == 0


def test_no_response_is_hot_without_memory(new_server):
    server = new_server(LCFILE_DOWNLOADS_HOT_MEMORY="0").start()
    _, target = stored(server, b"cold")
    assert [response_to(server, target).content for _ in range(10)] == [b"cold"] * 10
    assert hot_count(server) == 0


def test_no_large_file_is_hot_without_files(new_server):
    server = new_server(LCFILE_DOWNLOADS_HOT_FILES="0").start()
    (_, large), (_, small) = stored(server, noise(128 * KB + 1)), stored(server, noise(128 * KB))
    for target in (large, small):
        make_hot(server, target)
    before = hot_count(server)
    assert response_to(server, large).content == noise(128 * KB + 1)
    assert response_to(server, small).content == noise(128 * KB)
    assert_hot(server, before, 1)


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


def test_only_as_many_targets_are_hot_as_the_limit_allows(new_server):
    server = new_server(LCFILE_DOWNLOADS_HOT_RESPONSES="4").start()
    targets = [stored(server, noise(100, number))[1] for number in range(10)]
    for target in targets:
        make_hot(server, target)
    before = hot_count(server)
    for target in reversed(targets):
        response_to(server, target)
    last = hot_response_count(server, before)
    assert 1 <= last <= 4


def hot_response_count(server, before):
    """The number of hot responses since `before`, when all responses have been counted."""
    assert eventually(lambda: sum(series(server, "http_server_active_requests").values()) == 0)
    return hot_count(server) - before


def test_only_as_many_files_are_open_as_the_limit_allows(new_server):
    server = new_server(LCFILE_DOWNLOADS_HOT_FILES="4", LCFILE_DOWNLOADS_OPEN_FILES="0").start()
    targets = [stored(server, noise(200_000, number))[1] for number in range(10)]
    for target in targets:
        make_hot(server, target)
    hot_response(server, targets[-1])
    assert eventually(lambda: len(open_blobs(server)) <= 4), open_blobs(server)


# Metrics and the log

def labels(method, status):
    return f'http_route="/**",http_request_method="{method}",http_response_status_code="{status}"'


@pytest.mark.parametrize("name", ["hb_requests", "http_server_request_duration_seconds_count"])
@pytest.mark.parametrize("method, fields, status", [
    ("GET", [], 200), ("HEAD", [], 200), ("GET", ["If-None-Match: *"], 304), ("HEAD", ["If-None-Match: *"], 304),
])
def test_hot_requests_count_as_others_do(server, name, method, fields, status):
    _, target = stored(server, b"counted")
    assert status_of(server, target, *fields, method=method) == status
    make_hot(server, target)
    assert eventually(lambda: labels(method, status) in series(server, name))
    before = series(server, name)
    for _ in range(5):
        hot_response(server, target, *fields, method=method)
    after = series(server, name)
    assert {key: after[key] - before.get(key, 0) for key in after if after[key] != before.get(key, 0)} == {
        labels(method, status): 5
    }


def test_no_request_is_active_after_hot_ones(server):
    _, target = stored(server, b"active")
    make_hot(server, target)
    for _ in range(5):
        hot_response(server, target)
    assert eventually(lambda: set(series(server, "http_server_active_requests").values()) == {0})


# Method, key, query string and field of a request.
LOGGED = {
    "GET": ("GET", "logged.txt", "", "X: y"),
    "HEAD": ("HEAD", "head.txt", "", "X: y"),
    "304": ("GET", "unmodified.txt", "", "If-None-Match: *"),
    "query string": ("GET", "query.txt", "?attname=secret.txt", "X: y"),
    "escapes": ("GET", "a b/茶.txt", "", "X: y"),
    # The log has such a path without what can be the token of an upload.
    "path like that of an upload": ("GET", f"a/1.1/uploads/{'Zx9' * 13}", "", "X: y"),
}


@pytest.fixture(scope="module")
def lines(server, master):
    """The log's lines of a request that was not hot, and of the same one when it was, by the names of `LOGGED`."""
    ids = {}
    for name, (method, key, query, field) in LOGGED.items():
        store_at(master, key, b"logged", name="x.txt")
        target = f"/{quote(key)}{query}"
        first = response_to(server, target, field, method=method)
        make_hot(server, target)
        ids[name] = [
            response.getheader("X-Request-Id") for response in (first, hot_response(server, target, field, method=method))
        ]
    # The server writes lines a second after the first of them at the latest.
    assert eventually(lambda: f"={ids[name][1]} " in server.errors)
    written = server.errors.splitlines()
    return {name: [[line for line in written if f"={id} " in line] for id in pair] for name, pair in ids.items()}


@pytest.mark.parametrize("name", LOGGED)
def test_hot_request_has_one_line_in_the_log_with_its_id(lines, name):
    assert len(lines[name][1]) == 1


@pytest.mark.parametrize("name", LOGGED)
def test_line_of_a_hot_request_is_that_of_another(lines, name):
    changing = r"^\S+|(?<= hb\.request\.id=)\S+|(?<= ms=)\d+"
    first, hot = (re.sub(changing, "", line) for (line,) in lines[name])
    assert hot == first


# Connections

def test_2000_requests_in_one_write_are_answered_in_order(server):
    bodies = {stored(server, data)[1]: data for data in (noise(size, "order") for size in (0, 10, 200, 20_000, 200_000))}
    for target in bodies:
        make_hot(server, target)
    # The large ones are few, so that all take little time.
    order = [list(bodies)[4 if number % 100 == 3 else 3 if number % 50 == 7 else number % 3] for number in range(2000)]
    with server.raw() as connection:
        requests = b"".join(map(get, order[:-1])) + get(order[-1], "Connection: close")
        sender = threading.Thread(target=connection.send, args=(requests,))
        sender.start()
        received = all_of(connection)
        sender.join()
    assert responses_in(received) == [bodies[target] for target in order]


def test_2000_requests_in_writes_of_20_are_all_hot_and_answered_in_order(server):
    bodies = {stored(server, data)[1]: data for data in (noise(size, "writes") for size in (0, 10, 200, 20_000, 200_000))}
    for target in bodies:
        make_hot(server, target)
    order = [list(bodies)[number % 5 if number % 100 < 5 else number % 3] for number in range(2000)]
    before, received, read = hot_count(server), b"", []
    with server.raw() as connection:
        for start in range(0, len(order), 20):
            connection.send(b"".join(map(get, order[start:start + 20])))
            while len(read) < start + 20:
                received += connection.socket.recv(1 << 18)
                done, received = whole_responses(received)
                read += done
    assert read == [bodies[target] for target in order]
    assert_hot(server, before, 2000)


def test_requests_of_many_connections_are_all_hot(server):
    _, target = stored(server, b"many")
    make_hot(server, target)
    before = hot_count(server)

    def ask(_):
        with server.raw() as connection:
            return [connection.request("GET", target, {}).content for _ in range(50)]

    assert at_once(ask, 8, workers=8) == [[b"many"] * 50] * 8
    assert_hot(server, before, 400)


def slow_connection(server):
    """A connection whose client takes few bytes at once."""
    connection = server.raw()
    connection.socket.close()
    connection.socket = socket.socket()
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * KB)
    connection.socket.settimeout(15)
    connection.socket.connect(("127.0.0.1", server.port))
    return connection


def active(server):
    return sum(series(server, "http_server_active_requests").values())


def test_slow_client_gets_the_whole_of_a_large_file(server):
    data = noise(12 * MB)
    _, target = stored(server, data)
    make_hot(server, target)
    before = hot_count(server)
    with slow_connection(server) as connection:
        connection.send(get(target))
        # The server cannot send all while the client reads nothing, and serves others.
        assert eventually(lambda: active(server) == 1)
        assert server.is_healthy()
        assert connection.answer("GET").content == data
    assert_hot(server, before, 1)


def test_request_behind_a_slow_download_is_answered(server):
    (_, large), (_, small) = stored(server, noise(12 * MB)), stored(server, b"behind")
    for target in (large, small):
        make_hot(server, target)
    with slow_connection(server) as connection:
        connection.send(get(large))
        assert eventually(lambda: active(server) == 1)
        connection.send(get(small) + get("/none") + get(small, "Connection: close"))
        received = all_of(connection)
    assert re.findall(rb"HTTP/1\.1 (\d+) ", received) == [b"200", b"200", b"404", b"200"]
    assert received.endswith(b"behind")


def test_responses_that_no_client_reads_do_not_fill_the_memory(own):
    _, target = stored(own, noise(128 * KB))
    make_hot(own, target)
    hot_response(own, target)
    before = memory(own)
    with slow_connection(own) as connection:
        # 400 MB of responses to 60 KB of requests, which the server and its socket take.
        connection.send(get(target) * 3000)
        assert eventually(lambda: is_idle(own))
        assert memory(own) - before < 20 * MB


@pytest.mark.parametrize("leave", ["reset", "close"])
def test_client_that_leaves_a_download_disturbs_no_other(server, leave):
    data = noise(12 * MB)
    _, target = stored(server, data)
    make_hot(server, target)
    with slow_connection(server) as connection, slow_connection(server) as other:
        for each in (connection, other):
            each.send(get(target))
        assert eventually(lambda: active(server) == 2)
        connection.reset() if leave == "reset" else connection.socket.close()
        assert eventually(lambda: active(server) == 1)
        assert other.answer("GET").content == data
    assert eventually(lambda: active(server) == 0)


def test_file_that_is_deleted_during_a_slow_download_is_sent_to_its_end(server, master):
    data = noise(12 * MB)
    id, target = stored(server, data)
    make_hot(server, target)
    with slow_connection(server) as connection:
        connection.send(get(target))
        assert eventually(lambda: active(server) == 1)
        assert master.delete(id).status_code == 200
        assert connection.answer("GET").content == data


def test_request_that_is_read_behind_a_download_gets_no_file_that_was_deleted_meanwhile(server, master):
    data = noise(12 * MB)
    (_, large), (id, small) = stored(server, data), stored(server, b"behind")
    for target in (large, small):
        make_hot(server, target)
    with slow_connection(server) as connection:
        connection.send(get(large) + get(small, "Connection: keep-alive") + get(small, "Connection: close"))
        assert eventually(lambda: active(server) == 1)
        assert master.delete(id).status_code == 200
        assert re.findall(rb"HTTP/1\.1 (\d+) ", all_of(connection)) == [b"200", b"404", b"404"]


def test_connection_with_hot_requests_becomes_a_websocket(server):
    _, target = stored(server, b"socket")
    make_hot(server, target)
    with WireSocket(server.port) as connection:
        for _ in range(3):
            assert connection.request("GET", target, {}).content == b"socket"
        connection.upgrade()
        connection.send(frame(BINARY, packed((1, 8), (3, ALPHA.id), (5, 1), (6, "a device"), (8, 1))))
        assert from_protobuf(connection.message())["cmd"] == "loggedin"


def test_websocket_answers_no_http_request(server):
    _, target = stored(server, b"socket")
    make_hot(server, target)
    with WireSocket(server.port) as connection:
        assert connection.request("GET", target, {}).content == b"socket"
        connection.upgrade()
        # Read as frames these are malformed.
        connection.send(get(target) * 3)
        assert connection.socket.recv(1) == bytes([0x80 | CLOSE])


def test_client_that_ends_its_sending_gets_the_whole_of_a_large_file(server):
    data = noise(12 * MB)
    _, target = stored(server, data)
    make_hot(server, target)
    with slow_connection(server) as connection:
        connection.send(get(target) * 2)
        connection.end_of_sending()
        assert responses_in(all_of(connection)) == [data] * 2


def is_refused(server):
    try:
        socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
        return False
    except (ConnectionError, TimeoutError):
        return True


@pytest.mark.parametrize("more", [0, 1, 20])
def test_slow_hot_downloads_are_finished_after_sigterm(own, more):
    """Also those that the server had read when it was stopped."""
    data = noise(12 * MB)
    (_, large), (_, small) = stored(own, data), stored(own, b"behind")
    for target in (large, small):
        make_hot(own, target)
    with slow_connection(own) as connection:
        connection.send(get(large) + get(small) * more)
        assert eventually(lambda: active(own) == 1)
        own.terminate()
        assert eventually(lambda: is_refused(own))
        assert responses_in(all_of(connection)) == [data] + [b"behind"] * more
    assert own.wait() == 0


def test_idle_hot_connection_does_not_hold_the_server_up(new_server):
    server = new_server().start()
    _, target = stored(server, b"idle")
    make_hot(server, target)
    with server.raw() as connection:
        assert connection.request("GET", target, {}).content == b"idle"
        server.terminate()
        assert server.wait(5) == 0


def test_connection_with_hot_requests_is_closed_when_it_is_idle_and_not_before(new_server):
    server = new_server(LCFILE_HTTP_IDLE_TIMEOUT="1").start()
    _, target = stored(server, b"idle")
    make_hot(server, target)
    before = hot_count(server)
    with server.raw() as connection:
        end, count = time.monotonic() + 1.3, 0
        while time.monotonic() < end:
            assert connection.request("GET", target, {}).content == b"idle"
            count += 1
        assert connection.socket.recv(1) == b""
    assert_hot(server, before, count)


def test_download_that_takes_longer_than_the_idle_timeout_is_finished(new_server):
    server = new_server(LCFILE_HTTP_IDLE_TIMEOUT="1").start()
    data = noise(12 * MB)
    _, target = stored(server, data)
    make_hot(server, target)
    with slow_connection(server) as connection, server.raw() as idle:
        connection.send(get(target))
        # The server closes a connection that has sent nothing since, and not the one with the download.
        assert idle.socket.recv(1) == b""
        assert connection.answer("GET").content == data


# Blobs that lost their end

def failed_reads(server):
    return sum(series(server, "lcfile_failed_reads_total").values())


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    """A server whose blobs are cut off."""
    server = started(tmp_path_factory.mktemp("damaged"))
    yield server
    assert server.stop() == 0


def hot_blob(server, data):
    """The target of a new file that is hot, and the path of its blob."""
    before = set(server.blobs())
    _, target = stored(server, data)
    blob, = set(server.blobs()) - before
    make_hot(server, target)
    hot_response(server, target)
    return target, blob


def errors_in_log(server):
    return server.errors.count(" error lcfile")


@pytest.mark.parametrize("left", [0, 50])
def test_hot_file_that_is_cut_off_ends_the_connection(damaged, left):
    target, blob = hot_blob(damaged, b"x" * (3 * MB))
    os.truncate(blob, left)
    with damaged.raw() as connection:
        connection.send(get(target))
        assert all_of(connection).partition(b"\r\n\r\n")[2] == b"x" * left


def test_hot_file_that_is_cut_off_is_a_failed_read(damaged):
    target, blob = hot_blob(damaged, b"x" * (3 * MB))
    os.truncate(blob, 50)
    before = failed_reads(damaged)
    with damaged.raw() as connection:
        connection.send(get(target))
        all_of(connection)
    assert eventually(lambda: failed_reads(damaged) == before + 1)


def test_hot_file_that_is_cut_off_is_one_error_in_the_log(damaged):
    target, blob = hot_blob(damaged, b"x" * (3 * MB))
    os.truncate(blob, 50)
    before = errors_in_log(damaged)
    with damaged.raw() as connection:
        connection.send(get(target))
        all_of(connection)
    assert eventually(lambda: errors_in_log(damaged) > before)
    assert errors_in_log(damaged) == before + 1


def test_hot_file_that_is_cut_off_is_500_for_the_next_request(damaged):
    target, blob = hot_blob(damaged, b"x" * (3 * MB))
    os.truncate(blob, 50)
    with damaged.raw() as connection:
        connection.send(get(target))
        all_of(connection)
    assert status_of(damaged, target) == 500


def test_hot_file_that_is_cut_off_in_the_middle_of_a_download_is_a_failed_read(damaged):
    target, blob = hot_blob(damaged, noise(12 * MB))
    before = failed_reads(damaged)
    with slow_connection(damaged) as connection:
        connection.send(get(target))
        assert eventually(lambda: active(damaged) == 1)
        os.truncate(blob, 1000)
        assert eventually(lambda: failed_reads(damaged) == before + 1)


def test_small_hot_file_that_is_cut_off_is_served_from_memory(damaged):
    target, blob = hot_blob(damaged, b"in memory")
    os.truncate(blob, 0)
    assert hot_response(damaged, target).content == b"in memory"


# Races

class Reader(threading.Thread):
    """Downloads a target again and again, and notes each response with what was known before and after it."""

    def __init__(self, server, target, known):
        super().__init__()
        self.server, self.target, self.known = server, target, known
        self.seen, self.ends = [], threading.Event()

    def run(self):
        with self.server.raw() as connection:
            while not self.ends.is_set():
                before = self.known[0]
                response = connection.request("GET", self.target, {})
                self.seen.append((before, response.status, response.content, self.known[0]))


def race(server, target, known, change):
    """Runs `change` beside three readers, which it gets; returns all that they saw."""
    readers = [Reader(server, target, known) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        change(readers)
    finally:
        for reader in readers:
            reader.ends.set()
        for reader in readers:
            reader.join()
    return [entry for reader in readers for entry in reader.seen]


def becomes_hot(server):
    before = hot_count(server)
    return eventually(lambda: hot_count(server) > before)


@pytest.mark.parametrize("size", [100, 20_000, 200_000])
def test_no_response_has_bytes_of_a_file_that_was_deleted_before_its_request(server, master, size):
    deleted = [0]
    versions = range(1, 7)

    def replace(_):
        for version in versions:
            id = store_at(master, f"race {size}", f"{version:10}".encode() * (size // 10))
            assert becomes_hot(server)
            assert master.delete(id).status_code == 200
            deleted[0] = version

    seen = race(server, f"/race%20{size}", deleted, replace)
    whole = {f"{version:10}".encode() * (size // 10): version for version in versions}
    assert [status for _, status, *_ in seen if status not in (200, 404)] == []
    assert [body[:10] for _, status, body, _ in seen if status == 200 and body not in whole] == []
    assert [(known, whole[body]) for known, status, body, _ in seen if status == 200 and whole[body] <= known] == []


def test_no_derivative_is_served_after_its_file_was_deleted(server, master):
    deleted = [0]
    images = {version: encoded(plain(60, 40, (20 * version, 0, 0))) for version in range(1, 6)}
    target = "/race.png?imageView2/2/w/30"
    bodies = {}

    def replace(_):
        for version, image in images.items():
            id = store_at(master, "race.png", image, name="picture.png")
            bodies[response_to(server, target).content] = version
            assert becomes_hot(server)
            assert master.delete(id).status_code == 200
            deleted[0] = version

    seen = race(server, target, deleted, replace)
    assert len(bodies) == len(images)
    assert [(known, bodies[body]) for known, status, body, _ in seen if status == 200 and bodies[body] <= known] == []


def test_no_request_between_a_block_and_its_end_gets_the_image(server, master):
    # Odd while the image is blocked.
    changes = [0]
    id, target = stored(server, photo("race"), "photo.jpg")

    def change(readers):
        for _ in range(5):
            assert becomes_hot(server)
            block(master, id)
            changes[0] += 1
            counts = [len(reader.seen) for reader in readers]
            assert eventually(lambda: all(len(reader.seen) > count + 2 for reader, count in zip(readers, counts)))
            changes[0] += 1
            put(master, id, "passed")

    seen = race(server, target, changes, change)
    assert {status for before, status, _, after in seen if before == after and before % 2} == {403}
