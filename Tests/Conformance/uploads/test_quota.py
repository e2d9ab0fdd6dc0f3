"""How much an app may hold: what is stored and what is announced together; and how many uploads may be open."""

import pytest
from client import App, OneApp, Server, assert_refused, eventually
from data import at_once
from uploading import (
    KB, MB, WAYS, Tus, ask, assert_counts, assert_file, assert_no_file, assert_nothing_staged, checksum, limits, must,
    noise, record_of, status_of, tokens,
)

pytestmark = pytest.mark.long

LIMIT = MB
PIECE = noise(200 * KB)


# An app for each test, because none of them shares its quota.
APPS = [App(f"quotaApp{number:016}", f"quotaAppKey{number:04}", f"quotaMasterKey{number:04}") for number in range(40)]


def shared(tmp_path_factory, apps, **uploads):
    """A running server, and the apps that no test has had."""
    server = Server(tmp_path_factory.mktemp("quota"), apps=apps, **limits(**uploads)).start()
    yield server, iter(apps)
    assert server.stop() == 0


@pytest.fixture(scope="module")
def sized(tmp_path_factory):
    yield from shared(tmp_path_factory, APPS, quota="1MB")


@pytest.fixture
def server(sized):
    """An app that may hold a megabyte."""
    server, apps = sized
    return OneApp(server, next(apps))


@pytest.fixture
def other(sized):
    """Calls of another app of that server."""
    server, apps = sized
    return server.api(next(apps))


@pytest.fixture
def api(server):
    return server.api()


def token(api, size):
    return tokens(api, metaData={"size": size})


def assert_full(response):
    assert_refused(response, 403, 140)


def stored(api):
    """The bytes of all files."""
    records = must(api.get("/1.1/files?limit=1000"))["results"]
    return sum(record["metaData"]["size"] for record in records)


def fill(api, size=LIMIT):
    """Stores files of this size altogether."""
    return [api.store(noise(min(300 * KB, size - start))) for start in range(0, size, 300 * KB)]


# What counts

@pytest.mark.smoke
def test_app_may_hold_exactly_its_quota(api):
    fill(api)
    assert stored(api) == LIMIT
    assert_full(token(api, 1))


def test_nothing_is_free_of_charge_but_nothing(api):
    fill(api)
    target = ask(api, 0)
    assert target.put(b"").status_code == 200
    assert_file(api, target.id, b"")


@pytest.mark.parametrize("way", WAYS)
def test_file_beyond_the_quota_is_refused_in_every_dialect(server, api, way):
    fill(api, LIMIT - 100 * KB)
    before = api.count()
    id, response = WAYS[way](api, PIECE)
    assert response.status_code == 403
    if way in ("form", "raw"):
        assert_full(response)
    assert record_of(api, id) is None
    assert_counts(server, before)
    id, _ = WAYS[way](api, PIECE[: 100 * KB])
    assert_file(api, id, PIECE[: 100 * KB])


def test_several_files_of_a_form_count_together(server, api):
    fill(api, LIMIT - 300 * KB)
    before = api.count()
    assert_full(api.form(*[("file", (f"{number}", PIECE)) for number in range(2)]))
    assert_counts(server, before)
    assert_nothing_staged(server)


def test_announced_bytes_count_before_they_come(server, api):
    announced = [ask(api, 500 * KB), Tus(server, server.app).create(500 * KB)]
    assert_full(token(api, 100 * KB))
    answer = Tus(server, server.app).post(100 * KB)
    assert (answer.status_code, answer.json()["code"]) == (403, 140)
    assert_full(WAYS["raw"](api, PIECE)[1])
    first, second = announced
    assert first.put(noise(500 * KB, 1)).status_code == 200
    assert second.patch(0, noise(500 * KB, 2)).status_code == 204
    assert_file(api, first.id, noise(500 * KB, 1))
    assert_file(api, second.id, noise(500 * KB, 2))


def test_stored_and_announced_bytes_count_together(api):
    fill(api, 600 * KB)
    ask(api, 300 * KB)
    assert_full(token(api, 125 * KB))
    assert token(api, 124 * KB).status_code == 201


@pytest.mark.extended
def test_announced_bytes_count_once(server, api, other):
    upload = Tus(server, server.app).create(LIMIT)
    data = noise(LIMIT)
    upload.go_on(data, 100 * KB)
    assert_file(api, upload.id, data)
    target = ask(other, LIMIT)
    assert target.v1(data).status_code == 200
    assert_full(token(other, 1))


def test_bytes_that_nobody_announced_count_as_they_come(server, api):
    fill(api, LIMIT - 100 * KB)
    target, upload = ask(api), Tus(server, server.app).create(Upload_Defer_Length=1)
    assert target.put(iter([PIECE])).status_code == 403
    assert_no_file(api, target)
    assert upload.patch(0, PIECE).status_code == 403
    assert upload.offset == 0
    assert record_of(api, upload.id) is None
    assert stored(api) == LIMIT - 100 * KB


def test_apps_do_not_share_a_quota(api, other):
    fill(api)
    assert ask(other, LIMIT).put(noise(LIMIT)).status_code == 200


def test_master_has_the_same_quota(server, api):
    fill(api)
    assert_full(token(server.api(master=True), 1))


def test_no_quota_is_none(new_server):
    free = new_server().start()
    assert token(free.api(), 4 << 30).status_code == 201
    assert token(free.api(), 4 << 30).status_code == 201


@pytest.mark.extended
def test_quota_is_known_after_a_restart(new_server):
    server = new_server(**limits(quota="1MB")).start()
    api = server.api()
    fill(api, 600 * KB)
    ask(api, 400 * KB)
    server.kill()
    server.start()
    assert_full(token(server.api(), 100 * KB))
    assert token(server.api(), 24 * KB).status_code == 201


# What gives room

def has_room(api, size):
    """Whether an upload may be announced; it is given up at once."""
    response = token(api, size)
    if response.status_code == 201:
        api.post("/1.1/fileCallback", json={"token": response.json()["token"], "result": False})
    return response.status_code == 201


def test_deleted_file_gives_room(server, api):
    files = fill(api)
    assert not has_room(api, 300 * KB)
    assert server.api(master=True).delete(files[0]["objectId"]).status_code == 200
    assert has_room(api, 300 * KB)
    assert not has_room(api, 300 * KB + 1)


def test_deleted_object_of_the_class_gives_room(server, api):
    files = fill(api)
    path = f"/1.1/classes/_File/{files[0]['objectId']},{files[1]['objectId']}"
    assert server.api(master=True).call("DELETE", path).status_code == 200
    assert has_room(api, 600 * KB)
    assert not has_room(api, 600 * KB + 1)


def test_upload_that_is_given_up_gives_room(server, api):
    target, upload = ask(api, 500 * KB), Tus(server, server.app).create(500 * KB, data=PIECE)
    target.block(PIECE)
    target.callback(False)
    upload.delete()
    assert has_room(api, LIMIT)
    assert not has_room(api, LIMIT + 1)


def test_refused_upload_gives_room(api):
    target = ask(api, LIMIT)
    target.put(noise(1000))
    target.callback(False)
    api.form(("file", ("x", PIECE)), ("metaData", "{"))
    assert has_room(api, LIMIT)


@pytest.mark.extended
def test_expired_upload_gives_room(new_server):
    settings = limits(quota="1MB", startTimeout=2, expireAfter=2, sweepInterval=1)
    server = new_server(**settings).start()
    api = server.api()
    ask(api, 500 * KB)
    Tus(server).create(500 * KB, data=PIECE)
    assert_full(token(api, LIMIT))
    assert eventually(lambda: has_room(api, LIMIT), 15)


def test_smaller_replacement_of_a_part_gives_room(api):
    target = ask(api)
    id = target.begin()
    must(target.part(id, 1, noise(900 * KB)))
    etag = must(target.part(id, 1, noise(100 * KB)))["etag"]
    must(target.finish(id, [(1, etag)]))
    assert has_room(api, LIMIT - 100 * KB)
    assert not has_room(api, LIMIT - 100 * KB + 1)


# Races

@pytest.mark.few(3)
@pytest.mark.parametrize("way", WAYS)
def test_racing_uploads_never_pass_the_quota(server, way):
    seen = at_once(lambda number: status_of(lambda: WAYS[way](server.api(), noise(len(PIECE), number))[1]), 10, workers=10)
    api = server.api()
    assert set(seen) <= {200, 201, 204, 403}
    assert stored(api) <= LIMIT
    assert stored(api) == len(PIECE) * sum(status != 403 for status in seen)
    assert_counts(server, api.count())


def test_racing_uploads_of_unknown_size_never_pass_the_quota(server):
    def send(number):
        api, data = server.api(), iter([noise(len(PIECE), number)])
        return status_of(lambda: ask(api).put(data) if number % 2 else api.store_raw(data, "x.bin"))

    seen = at_once(send, 20, workers=20)
    assert set(seen) <= {200, 201, 403, None}
    assert stored(server.api()) <= LIMIT
    assert_counts(server, server.api().count())


def test_racing_announcements_never_pass_the_quota(server):
    seen = at_once(lambda number: token(server.api(), 300 * KB).status_code, 20, workers=20)
    assert sorted(seen) == [201] * 3 + [403] * 17


# How many uploads

@pytest.fixture(scope="module")
def numbered(tmp_path_factory):
    yield from shared(tmp_path_factory, APPS[:7], maxOpen=3)


@pytest.fixture
def narrow(numbered):
    """An app that may have three unfinished uploads."""
    server, apps = numbered
    return OneApp(server, next(apps))


def test_uploads_beyond_the_limit_are_429(narrow, numbered):
    api, tus = narrow.api(), Tus(narrow, narrow.app)
    for make in (lambda: ask(api), lambda: ask(api, 5), lambda: tus.create(5)):
        make()
    assert_refused(tokens(api), 429, 430)
    answer = tus.post(5)
    assert (answer.status_code, answer.json()["code"]) == (429, 430)
    server, apps = numbered
    assert tokens(server.api(next(apps))).status_code == 201


@pytest.mark.parametrize("end", ["finished", "given up"])
def test_upload_that_ends_gives_its_place(narrow, end):
    api = narrow.api()
    targets = [ask(api) for _ in range(3)]
    assert_refused(tokens(api), 429, 430)
    assert (targets[0].put(b"x") if end == "finished" else targets[0].callback(False)).status_code == 200
    assert tokens(api).status_code == 201
    assert_refused(tokens(api), 429, 430)


def test_refused_creation_takes_no_place(narrow):
    tus = Tus(narrow, narrow.app)
    wrong = checksum("sha1", bytes(20))
    for _ in range(4):
        assert tus.post(5, b"five!", Upload_Checksum=wrong).status_code == 460
        assert tus.post(5, b"too many").status_code == 413
        assert tus.post(5, Upload_Metadata="filename !!!").status_code == 400
        assert_refused(tokens(narrow.api(), name="../x"), 400, 122)
    for _ in range(3):
        tus.create(5)


def test_racing_uploads_never_pass_the_number(narrow):
    seen = at_once(lambda number: tokens(narrow.api()).status_code, 20, workers=20)
    assert sorted(seen) == [201] * 3 + [429] * 17


@pytest.mark.extended
def test_number_of_uploads_is_known_after_a_restart(new_server):
    server = new_server(**limits(maxOpen=3)).start()
    for _ in range(3):
        ask(server.api())
    server.kill()
    server.start()
    assert_refused(tokens(server.api()), 429, 430)
