"""The queue of checks: it loses nothing, decides nothing twice, and carries thousands of verdicts."""

import json
import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from cases import EXHAUSTIVE
from censoring import (
    LONG, PLAIN, SECRET, Receiver, decided, photo, put, settings, state, verdict, waiting, with_webhook,
)
from client import ALPHA, eventually
from people import unique

pytestmark = pytest.mark.long


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


def decisions(master, id):
    """The machine's entries of a file's history."""
    return [one for one in state(master, id)["history"] if one["kind"] == "machine"]


@pytest.mark.extended
@pytest.mark.parametrize("seed", range(5 if EXHAUSTIVE else 1))
def test_killed_server_decides_each_job_once(new_server, receiver, seed):
    moments = random.Random(seed)
    receiver.says = lambda request: (request.owner.closed.wait(0.02), request.reply(200, b'{"verdict":"passed"}'))
    server = new_server(
        apps=(ALPHA,), **PLAIN | with_webhook(receiver, LCFILE_CENSORSHIP_WORKERS="2")
    ).start()
    settings(server.api(master=True), auto=True)
    ids = []
    for round in range(4):
        api = server.api()
        ids += [api.store(photo(f"{seed} {round} {number}", 48, 32))["objectId"] for number in range(30)]
        # The moment of the kill is what the test is about.
        time.sleep(moments.uniform(0, 0.5))
        server.kill()
        server.start()
    master = server.api(master=True)
    for id in ids:
        assert decided(master, id)["censorResult"] == "passed"
    assert [len(decisions(master, id)) for id in ids] == [1] * len(ids)
    assert eventually(lambda: waiting(master) == 0, LONG)


@pytest.mark.extended
def test_killed_server_stores_every_verdict_that_it_answered(new_server):
    server = new_server(apps=(ALPHA,), **PLAIN).start()
    ids = [server.api().store(photo(f"kept {number}", 48, 32))["objectId"] for number in range(60)]
    master, answered = server.api(master=True), []
    for number, id in enumerate(ids):
        put(master, id, "rejected")
        answered.append(id)
        if number == 40:
            server.kill()
            break
    server.start()
    master = server.api(master=True)
    assert {verdict(master, id) for id in answered} == {"rejected"}
    assert all(len(state(master, id)["history"]) == 1 for id in answered)


@pytest.mark.extended
def test_file_that_is_deleted_while_it_waits_ends_its_job(new_server, receiver):
    receiver.says = lambda request: (request.owner.closed.wait(0.3), request.reply(200, b'{"verdict":"passed"}'))
    server = new_server(apps=(ALPHA,), **PLAIN | with_webhook(receiver, LCFILE_CENSORSHIP_WORKERS="1")).start()
    api, master = server.api(), server.api(master=True)
    settings(master, auto=True)
    ids = [api.store(photo(unique("deleted"), 48, 32))["objectId"] for _ in range(6)]
    for id in ids[1::2]:
        assert master.delete(id).status_code == 200
    assert eventually(lambda: waiting(master) == 0, LONG)
    assert [verdict(master, id) for id in ids[::2]] == ["passed"] * 3
    assert master.get(f"/1.1/files/{ids[1]}/censor").status_code == 404


def test_file_is_deleted_while_it_is_checked(new_server, receiver):
    server = new_server(apps=(ALPHA,), **PLAIN | with_webhook(receiver)).start()
    master = server.api(master=True)

    def answer(request):
        master.delete(json.loads(request.body)["file"])
        request.reply(200, b'{"verdict":"rejected"}')

    receiver.says = answer
    settings(master, auto=True)
    id = server.api().store(photo(unique("during")))["objectId"]
    assert eventually(lambda: receiver.asked(id) and waiting(master) == 0, LONG)
    assert master.get(f"/1.1/files/{id}/censor").status_code == 404
    assert server.process.poll() is None


@pytest.mark.extended
@pytest.mark.alone
def test_many_blocks_at_once(new_server):
    """10 000 where everything is tested, 500 otherwise."""
    count = 10_000 if EXHAUSTIVE else 500
    server = new_server(apps=(ALPHA,), **PLAIN).start()
    master = server.api(master=True)
    bodies = [
        {"url": f"http://127.0.0.1:1/{number}.jpg", "name": "a.jpg", "mime_type": "image/jpeg"}
        for number in range(count)
    ]
    ids = []
    for begin in range(0, count, 100):
        parts = [{"method": "POST", "path": "/1.1/classes/_File", "body": body} for body in bodies[begin:begin + 100]]
        ids += [one["success"]["objectId"] for one in master.post("/1.1/batch", json={"requests": parts}).json()]
    start = time.monotonic()
    callers = [server.api(master=True) for _ in range(16)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda one: put(callers[one[0] % 16], one[1], "rejected", by="alice"), enumerate(ids)))
    seconds = time.monotonic() - start
    # A debug build, and the client is the slower side; without group commits it would take minutes.
    assert seconds < count / 25, f"{count} blocks took {seconds:.1f} s"
    assert verdict(master, ids[0]) == verdict(master, ids[-1]) == "rejected"
    found = master.get("/1.1/classes/_File", params={"where": '{"censorResult":"rejected"}', "count": 1, "limit": 0})
    assert found.json()["count"] == count


@pytest.mark.extended
@pytest.mark.alone
def test_many_waiting_jobs_survive_a_restart(new_server):
    """Nothing is decided while the webhook is down, and the start is as quick as ever."""
    count = 20_000 if EXHAUSTIVE else 500
    server = new_server(apps=(ALPHA,), **PLAIN | {
        "LCFILE_CENSORSHIP_WEBHOOK": "http://127.0.0.1:1/", "LCFILE_CENSORSHIP_WEBHOOK_SECRET": SECRET,
        "LCFILE_CENSORSHIP_ATTEMPTS": "20",
    }).start()
    master = server.api(master=True)
    settings(master, auto=True)
    for begin in range(0, count, 100):
        parts = [
            {"method": "POST", "path": "/1.1/classes/_File", "body": {
                "url": f"http://127.0.0.1:1/{number}.jpg", "name": "a.jpg", "mime_type": "image/jpeg",
            }}
            for number in range(begin, begin + 100)
        ]
        assert all("success" in one for one in master.post("/1.1/batch", json={"requests": parts}).json())
    assert waiting(master) == count
    server.kill()
    start = time.monotonic()
    server.start()
    assert time.monotonic() - start < 15
    assert waiting(server.api(master=True)) == count


def test_metrics_tell_depth_age_and_results(new_server):
    server = new_server(apps=(ALPHA,), **PLAIN).start()
    master = server.api(master=True)
    settings(master, auto=True)
    decided(master, server.api().store(photo("metrics"))["objectId"])
    text = requests.get(f"http://127.0.0.1:{server.metrics_port}/metrics", timeout=15).text
    for name in ("waiting", "waiting_bulk", "oldest_seconds", "run_examined", "run_files"):
        assert f'lcfile_censorship_{name}{{app="{ALPHA.id}"}}' in text
