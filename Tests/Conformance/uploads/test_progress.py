"""How far an upload is: asked for, and as a stream of events."""

import http.client
import json
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from client import ALPHA, BETA, TIMEOUT, assert_refused, eventually
from data import TIME
from uploading import (
    Tus, ask, assert_file, assert_no_internals, limits, must, named, noise, own_server, progress, record_of,
)

DATA = noise(400_000)
SIZE = len(DATA)
WATCHERS = 3


class Events:
    """A stream of server-sent events, read when asked for."""

    def __init__(self, upload, **headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", upload.server.port, timeout=TIMEOUT)
        accepted = {"Accept": "text/event-stream"} | named(headers)
        self.connection.request("GET", f"/1.1/uploads/{upload.secret}/events", headers=accepted)
        self.response = self.connection.getresponse()
        self.status, self.headers = self.response.status, self.response.headers

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.response.close()
        self.connection.close()

    def __iter__(self):
        """Events as (name, what it says, id) until the stream ends."""
        fields = {}
        for line in iter(self.response.readline, b""):
            text = line.decode().rstrip("\r\n")
            if text:
                name, _, value = text.partition(":")
                fields[name] = value.removeprefix(" ")
            elif "data" in fields:
                yield fields.get("event", "message"), json.loads(fields["data"]), fields.get("id")
                fields = {}

    def until(self, name):
        """The events up to the first of this name."""
        seen = []
        for event in self:
            seen.append(event)
            if event[0] == name:
                return seen
        raise AssertionError(f"the stream ended without {name}: {seen}")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    yield from own_server(tmp_path_factory)


@pytest.fixture(scope="module")
def api(server):
    return server.api()


@pytest.fixture(scope="module")
def beta(server):
    return server.api(BETA)


@pytest.fixture
def target(api):
    return ask(api, SIZE)


@pytest.fixture
def upload(server):
    return Tus(server).create(SIZE)


# State

def assert_state(state, upload, name, received, size=SIZE):
    assert (state["objectId"], state["state"], state["received"]) == (upload.id, name, received)
    shown = (size, received * 100 // size if size else 100) if size is not None else (None, None)
    assert (state.get("size"), state.get("percent")) == shown
    assert ("url" in state) == (name == "finished")
    assert set(state) <= {"objectId", "state", "received", "size", "percent", "expiresAt", "url"}


@pytest.mark.smoke
def test_life_of_a_put(api, target):
    assert_state(must(target.progress()), target, "waiting", 0)
    with target.start("PUT", "", DATA[:100_000], SIZE) as connection:
        assert eventually(lambda: target.received == 100_000)
        assert_state(must(target.progress()), target, "receiving", 100_000)
        connection.send(DATA[100_000:])
        assert connection.answer("PUT").status == 200
    state = must(target.progress())
    assert_state(state, target, "finished", SIZE)
    assert state["url"] == record_of(api, target.id)["url"]


def test_life_of_blocks(target):
    ctx = must(target.mkblk(DATA[:100_000], SIZE))["ctx"]
    assert_state(must(target.progress()), target, "receiving", 100_000)
    last = must(target.bput(ctx, 100_000, DATA[100_000:]))["ctx"]
    assert_state(must(target.progress()), target, "receiving", SIZE)
    must(target.mkfile(SIZE, [last]))
    assert_state(must(target.progress()), target, "finished", SIZE)


def test_life_of_parts(target):
    id = target.begin()
    assert_state(must(target.progress()), target, "waiting", 0)
    for number, start, end, received in ((2, 100_000, SIZE, 300_000), (2, 100_000, SIZE, 300_000), (1, 0, 100_000, SIZE)):
        must(target.part(id, number, DATA[start:end]))
        assert_state(must(target.progress()), target, "receiving", received)


def test_life_of_a_tus_upload(api, upload):
    assert_state(must(upload.progress()), upload, "waiting", 0)
    upload.patch(0, DATA[:1])
    assert_state(must(upload.progress()), upload, "receiving", 1)
    upload.patch(1, DATA[1:-1])
    assert_state(must(upload.progress()), upload, "receiving", SIZE - 1)
    upload.patch(SIZE - 1, DATA[-1:])
    state = must(upload.progress())
    assert_state(state, upload, "finished", SIZE)
    assert state["url"] == record_of(api, upload.id)["url"]


def test_unknown_size_has_no_percent(api, server):
    target, endless = ask(api), Tus(server).create(Upload_Defer_Length=1)
    endless.patch(0, DATA[:10])
    assert_state(must(target.progress()), target, "waiting", 0, None)
    assert_state(must(endless.progress()), endless, "receiving", 10, None)
    endless.patch(10, b"", Upload_Length=20)
    assert_state(must(endless.progress()), endless, "receiving", 10, 20)


def test_empty_file_is_whole(api):
    target = ask(api, 0)
    target.put(b"")
    state = must(target.progress())
    assert (state["state"], state["received"], state["percent"]) == ("finished", 0, 100)


def test_unfinished_upload_tells_when_it_ends(target, upload):
    assert all(TIME.fullmatch(must(one.progress())["expiresAt"]) for one in (target, upload))


def test_progress_needs_no_credentials_and_minds_none(api, beta, target):
    path = f"/1.1/uploads/{target.secret}"
    for caller in (api, beta):
        assert must(caller.get(path))["objectId"] == target.id
    for headers in ({"X-LC-Id": ALPHA.id, "X-LC-Key": BETA.key}, {"X-LC-Id": "nobody"}):
        assert progress(target.server, target.secret, **headers).status_code == 200


def test_progress_is_not_kept_by_caches_and_may_be_read_by_pages(target):
    headers = target.progress().headers
    assert "no-store" in headers["Cache-Control"]
    assert headers["Access-Control-Allow-Origin"] == "*"


def test_old_prefix_works_as_well(api, target):
    assert must(api.get(f"/1/uploads/{target.secret}"))["objectId"] == target.id


@pytest.mark.parametrize("secret", ["0" * 40, "a" * 39, "x", "%00"])
@pytest.mark.parametrize("path", ["", "/events"])
def test_unknown_upload_is_404(server, secret, path):
    response = progress(server, secret + path)
    assert_refused(response, 404, 101)
    assert_no_internals(response)


def test_refused_put_does_not_count(api):
    target = ask(api)
    target.put(DATA, Content_MD5="x" * 22 + "==")
    assert must(target.progress())["received"] == 0


# Events

def assert_order(events, last):
    """What came grows, and the end is the end."""
    names = [name for name, _, _ in events]
    assert names == ["progress"] * (len(events) - 1) + [last]
    received = [data["received"] for _, data, _ in events[:-1]]
    assert received == sorted(received)


def test_events_tell_of_an_upload_until_it_is_finished(api, upload):
    with Events(upload) as events:
        assert (events.status, events.headers["Content-Type"].partition(";")[0]) == (200, "text/event-stream")
        assert "no-store" in events.headers["Cache-Control"] or "no-cache" in events.headers["Cache-Control"]
        for start in range(0, SIZE, 100_000):
            upload.patch(start, DATA[start : start + 100_000])
        seen = list(events)
    assert_order(seen, "finished")
    assert_state(seen[-1][1], upload, "finished", SIZE)
    assert seen[-1][1]["url"] == record_of(api, upload.id)["url"]


def test_each_step_is_told_to_who_waits_for_it(upload):
    with Events(upload) as events:
        stream = iter(events)
        for start in range(0, SIZE, 100_000):
            upload.patch(start, DATA[start : start + 100_000])
            received = start + 100_000
            assert next(data for _, data, _ in stream if data["received"] == received)


def test_events_of_a_body_on_its_way(target):
    with Events(target) as events, target.start("PUT", "", b"", SIZE) as connection:
        stream = iter(events)
        for start in range(0, SIZE - 100_000, 100_000):
            connection.send(DATA[start : start + 100_000])
            assert next(data for _, data, _ in stream if data["received"] == start + 100_000)
        connection.send(DATA[SIZE - 100_000 :])
        assert connection.answer("PUT").status == 200
        assert list(stream)[-1][0] == "finished"


def test_first_event_tells_what_there_is_already(upload):
    upload.patch(0, DATA[:1000])
    with Events(upload) as events:
        name, data, _ = next(iter(events))
    assert name == "progress"
    assert_state(data, upload, "receiving", 1000)


def test_events_of_a_finished_upload_are_its_end(target):
    target.put(DATA)
    with Events(target) as events:
        seen = list(events)
    assert seen[-1][0] == "finished"
    assert_state(seen[-1][1], target, "finished", SIZE)


def assert_gone_after(watched, end, status):
    """Ends an upload that is watched; its last event tells that."""
    with Events(watched) as events:
        stream = iter(events)
        assert next(stream)[0] == "progress"
        assert end().status_code == status
        assert list(stream)[-1][0] == "gone"


def test_events_of_an_upload_that_is_given_up_end_with_gone(target):
    assert_gone_after(target, lambda: target.callback(False), 200)


def test_events_of_an_upload_that_is_terminated_end_with_gone(upload):
    assert_gone_after(upload, upload.delete, 204)


def test_every_watcher_sees_the_end(target):
    watchers = [Events(target) for _ in range(10)]
    with ThreadPoolExecutor(len(watchers)) as pool:
        seen = [pool.submit(list, watcher) for watcher in watchers]
        assert target.put(DATA).status_code == 200
        for future in seen:
            assert_order(future.result(timeout=TIMEOUT), "finished")
    for watcher in watchers:
        watcher.__exit__()


def test_browser_that_comes_back_after_the_end_is_told_to_stop(target):
    with Events(target) as events:
        target.put(DATA)
        last = list(events)[-1][2]
    assert last
    with Events(target, Last_Event_ID=last) as events:
        assert (events.status, events.response.read()) == (204, b"")


def test_browser_that_comes_back_after_the_upload_went_is_told_to_stop(target):
    with Events(target) as events:
        target.callback(False)
        last = list(events)[-1][2]
    assert last
    with Events(target, Last_Event_ID=last) as events:
        assert (events.status, events.response.read()) == (204, b"")


def test_browser_that_comes_back_before_the_end_sees_it(upload):
    upload.patch(0, DATA[:1000])
    with Events(upload) as events:
        _, _, id = next(iter(events))
    with Events(upload, Last_Event_ID=id or "1") as events:
        assert events.status == 200
        upload.go_on(DATA)
        assert list(events)[-1][0] == "finished"


# How many

@pytest.fixture
def few(new_server):
    """A server with few places for watchers: one address has half of those that guests have."""
    return new_server(**limits(maxWatchers=2 * WATCHERS)).start()


def watch_if_there_is_room(target):
    watcher = Events(target)
    if watcher.status == 200:
        return watcher
    watcher.__exit__()
    return None


def fill(target):
    """Watchers on every place."""
    watchers = [eventually(lambda: watch_if_there_is_room(target)) for _ in range(WATCHERS)]
    assert all(watchers)
    return watchers


def leave(watchers):
    for watcher in watchers:
        watcher.__exit__()


def test_watchers_beyond_the_limit_are_429(few):
    target, other = ask(few.api(), SIZE), ask(few.api(), SIZE)
    watchers = fill(target)
    for one in (target, other):
        with Events(one) as refused:
            assert refused.status == 429
    assert must(target.progress())["state"] == "waiting"
    leave(watchers)


@pytest.mark.extended
def test_watcher_that_leaves_frees_its_place(few):
    target = ask(few.api(), SIZE)
    watchers = fill(target)
    watchers.pop().__exit__()
    last = eventually(lambda: watch_if_there_is_room(target))
    assert last
    with Events(target) as refused:
        assert refused.status == 429
    leave([*watchers, last])


@pytest.mark.extended
def test_watchers_whose_upload_ends_free_their_places(few):
    target, other = ask(few.api(), SIZE), ask(few.api(), SIZE)
    watchers = fill(target)
    assert target.put(DATA).status_code == 200
    again = fill(other)
    leave([*watchers, *again])


@pytest.mark.extended
def test_refused_watchers_take_no_place(few):
    target = ask(few.api(), SIZE)
    for _ in range(20):
        assert_refused(progress(few, "0" * 40 + "/events"), 404, 101)
    leave(fill(target))


@pytest.mark.extended
def test_server_ends_while_somebody_watches(few):
    target = ask(few.api(), SIZE)
    watchers = fill(target)
    assert few.stop() == 0
    leave(watchers)


@pytest.mark.extended
def test_watchers_who_do_not_read_do_not_hold_the_upload(server, api):
    target, data = ask(api, 20 << 20), noise(20 << 20)
    sleepers = []
    for _ in range(20):
        sleeper = socket.socket()
        sleeper.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        sleeper.settimeout(TIMEOUT)
        sleeper.connect(("127.0.0.1", server.port))
        sleeper.sendall(f"GET /1.1/uploads/{target.secret}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        sleepers.append(sleeper)
    with Events(target) as awake:
        assert target.v1(data).status_code == 200
        assert list(awake)[-1][0] == "finished"
    assert_file(api, target.id, data)
    for sleeper in sleepers:
        sleeper.close()
