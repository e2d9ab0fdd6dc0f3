"""No request gets a prepared response that an earlier change made wrong."""

import threading
from urllib.parse import unquote

import marks
import pytest
from app_settings import configured
from censoring import block, decided, photo, put, settings
from client import ALPHA, BETA, eventually
from hot import WARM_UP, hot_count, make_hot, store_at
from hot_files import IMAGE, KINDS, hot_response, open_blobs, response_to, shown, status_of, stored
from pictures import encoded, plain
from uploading import KB, MB, noise


# Deletes

FORMS = ["{}", "{}?v=1", "{}?attname=a.png", "{}?imageView2/2/w/60", "{}-small", "/{}"]


@pytest.mark.few(2)
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


@pytest.mark.few(2)
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


@pytest.mark.extended
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

@pytest.mark.few(2)
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


@pytest.mark.extended
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


@pytest.mark.few(1)
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


@pytest.mark.few(2)
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


@pytest.mark.extended
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
