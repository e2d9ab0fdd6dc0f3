"""Bulk runs: progress, cancelling, resuming, and what they leave alone."""

import json
import threading

import pytest
from cases import count
from censoring import LONG, PLAIN, Receiver, block, log, photo, put, review, settings, state, verdict, with_webhook
from client import ALPHA, TIMEOUT, Server, assert_refused, eventually
from data import MISSING, TIME
from people import unique

pytestmark = pytest.mark.long

ALWAYS = {"from": "2020-01-01T00:00:00.000Z", "to": "2100-01-01T00:00:00.000Z"}
# More than a run queues at once, which is four for each worker.
COUNT = count(80, 300)


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def server(new_server, receiver):
    server = new_server(
        apps=(ALPHA,), **PLAIN | with_webhook(receiver, LCFILE_CENSORSHIP_WORKERS="4")
    ).start()
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"


@pytest.fixture
def master(server):
    return server.api(master=True)


def fill(server, total, at_once=50):
    """Uploads small images; returns their ids in the order of their creation."""
    ids = []
    for start in range(0, total, at_once):
        photos = [(f"{number}.jpg", photo(f"{number}", 48, 32)) for number in range(start, min(start + at_once, total))]
        response = server.api().form(*[("file", photo) for photo in photos])
        assert response.status_code == 201, response.text
        made = response.json()
        ids += [record["objectId"] for record in (made["results"] if len(photos) > 1 else [made])]
    return ids


def start(master, status=201, **fields):
    response = master.post("/1.1/censorship/jobs", json=ALWAYS | fields)
    assert response.status_code == status, response.text
    return response.json()


def look(master, id):
    return master.get(f"/1.1/censorship/jobs/{id}").json()


def finished(master, id, within=120):
    assert eventually(lambda: look(master, id)["state"] == "done", within), look(master, id)
    return look(master, id)


def change(master, id, state):
    return master.call("PUT", f"/1.1/censorship/jobs/{id}", json={"state": state})


@pytest.mark.extended
def test_run_decides_every_image_once(server, master, receiver):
    ids = fill(server, COUNT)
    for number in range(20):
        server.api().store(b"text", name=f"{number}.txt")
    run = start(master, by="alice")
    assert TIME.fullmatch(run["createdAt"]) and run["state"] in ("running", "done")
    end = finished(master, run["id"])
    assert (end["decided"], end["passed"], end["review"], end["rejected"]) == (COUNT, COUNT, 0, 0)
    assert end["queued"] == COUNT and end["examined"] >= COUNT and end["total"] == end["examined"]
    assert {verdict(master, id) for id in ids} == {"passed"}
    assert all(len(state(master, id)["history"]) == 1 for id in ids[::29])
    assert len(receiver.requests) == COUNT
    assert [one["id"] for one in master.get("/1.1/censorship/jobs").json()["results"]] == [run["id"]]
    entries = [one for one in log(master) if one["event"] == "run"]
    assert [one["state"] for one in entries] == ["done", "running"]
    assert (entries[1]["run"], entries[1]["by"]) == (run["id"], "alice")


def test_run_takes_the_range_of_time_only(server, master):
    ids = fill(server, 9, at_once=1)
    times = [server.api().get(f"/1.1/files/{id}").json()["createdAt"] for id in ids]
    # Up to the next file, which is not in the range.
    run = start(master, **{"from": times[3], "to": times[6]})
    assert finished(master, run["id"])["decided"] == 3
    assert [verdict(master, id) for id in ids] == [None] * 3 + ["passed"] * 3 + [None] * 3


@pytest.mark.extended
def test_run_leaves_decided_images_alone_unless_it_rechecks(server, master, receiver):
    ids = fill(server, 6)
    put(master, ids[0], "passed", by="alice")
    block(master, ids[1], by="alice")
    finished(master, start(master)["id"])
    receiver.says = {"verdict": "rejected"}
    assert finished(master, start(master)["id"])["decided"] == 0
    assert finished(master, start(master, recheck=True)["id"])["rejected"] == 4
    assert [state(master, id).get("by") for id in ids[:2]] == ["alice"] * 2
    assert [verdict(master, id) for id in ids] == ["passed", "rejected"] + ["rejected"] * 4


@pytest.mark.extended
def test_run_is_cancelled_and_resumed(server, master, receiver):
    ids = fill(server, COUNT)
    begun = threading.Event()

    def answer(request):
        # Slow enough that the run does not end before it is cancelled.
        begun.wait(0.2)
        request.reply(200, b'{"verdict":"passed"}')

    receiver.says = answer
    run = start(master)
    assert eventually(lambda: look(master, run["id"])["decided"] >= 10, LONG)
    response = change(master, run["id"], "cancelled")
    assert (response.status_code, response.json()["state"]) == (200, "cancelled")
    # Checks that were under way end; then nothing more is asked.
    idle = lambda: master.get("/1.1/censorship/status").json()["waiting"]["bulk"] == 0
    assert eventually(idle, LONG)
    asked = lambda: len(receiver.requests)
    settled = eventually(lambda: (before := asked()) and not begun.wait(0.5) and before == asked() and before, LONG)
    assert 10 <= settled < COUNT
    assert look(master, run["id"])["state"] == "cancelled"
    begun.set()
    assert change(master, run["id"], "running").json()["state"] in ("running", "done")
    end = finished(master, run["id"])
    assert end["passed"] == COUNT
    assert {verdict(master, id) for id in ids} == {"passed"}
    assert len({json.loads(request.body)["file"] for request in receiver.requests}) == COUNT


@pytest.mark.extended
def test_run_survives_a_killed_server(server, master, receiver):
    ids = fill(server, COUNT)
    run = start(master)
    assert eventually(lambda: look(master, run["id"])["decided"] >= 20, LONG)
    server.kill()
    server.start()
    end = finished(master, run["id"])
    assert end["passed"] == COUNT == end["decided"]
    assert all(len(state(master, id)["history"]) == 1 for id in ids)


@pytest.mark.extended
def test_one_run_at_a_time(server, master, receiver):
    fill(server, 20)
    ends = threading.Event()
    # Below the time-out of the webhook.
    receiver.says = lambda request: (ends.wait(1.5), request.reply(200, b'{"verdict":"passed"}'))
    run = start(master)
    assert_refused(master.post("/1.1/censorship/jobs", json=ALWAYS), 409, 1)
    assert change(master, run["id"], "cancelled").status_code == 200
    other = start(master)
    # Resuming the first would make two.
    assert_refused(change(master, run["id"], "running"), 409, 1)
    ends.set()
    finished(master, other["id"])


@pytest.mark.extended
def test_new_uploads_go_before_a_run(server, master, receiver):
    fill(server, 100)
    receiver.says = lambda request: (request.owner.closed.wait(0.4), request.reply(200, b'{"verdict":"passed"}'))
    settings(master, auto=True)
    run = start(master)
    assert eventually(lambda: look(master, run["id"])["decided"] >= 4, LONG)
    id = server.api().store(photo(unique("new")))["objectId"]
    assert eventually(lambda: verdict(master, id) == "passed", TIMEOUT)
    assert look(master, run["id"])["state"] == "running"


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """Calls with the master key of a server without images."""
    server = Server(tmp_path_factory.mktemp("empty"), apps=(ALPHA,), **PLAIN).start()
    yield server.api(master=True)
    assert server.stop() == 0


@pytest.mark.parametrize("fields, words", [
    ({"from": "2026-01-02T00:00:00.000Z", "to": "2026-01-01T00:00:00.000Z"}, "from"), ({"from": None}, "from"),
    ({"from": "2026-01-01T00:00:00.000Z", "to": "2026-01-01T00:00:00.000Z"}, "from"),
    ({"from": "yesterday"}, "from"), ({"to": 5}, "to"), ({"to": "2026-02-30T00:00:00.000Z"}, "to"),
    ({"recheck": "yes"}, "recheck"), ({"by": "b" * 129}, "by"),
], ids=str)
def test_bad_run_is_refused(empty, fields, words):
    before = empty.get("/1.1/censorship/jobs").json()["results"]
    assert_refused(empty.post("/1.1/censorship/jobs", json=ALWAYS | fields), 400, 1, words)
    assert empty.get("/1.1/censorship/jobs").json()["results"] == before


@pytest.mark.parametrize("given", ["done", "paused", None, 5])
def test_bad_state_of_a_run_is_refused(empty, given):
    run = start(empty)
    finished(empty, run["id"], TIMEOUT)
    response = empty.call("PUT", f"/1.1/censorship/jobs/{run['id']}", json={"state": given})
    assert_refused(response, 400, 1, "state")


def test_unknown_run_is_404(empty):
    assert empty.get(f"/1.1/censorship/jobs/{MISSING}").status_code == 404
    assert change(empty, MISSING, "cancelled").status_code == 404


def test_empty_range_is_done_at_once(empty):
    run = start(empty, **{"from": "2020-01-01T00:00:00.000Z", "to": "2020-01-02T00:00:00.000Z"})
    end = finished(empty, run["id"], TIMEOUT)
    assert (end["total"], end["decided"]) == (0, 0)
    assert review(empty) == []
