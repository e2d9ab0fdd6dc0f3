"""Two servers on one database and one bucket whose clocks differ by ten minutes: what the docs promise holds all the same
(docs/scale-out.md, "When a part dies"). Live queries are not among it."""

import time
from datetime import datetime

import pytest
import requests
from accounts import is_live, log_in, sign_up
from client import ALPHA, API, SWEEPS, eventually, queued
from clients import MIB, some_bytes
from databases import execute
from shifted_clocks import shifted
from uploading import Tus, ask, assert_file, must

pytestmark = pytest.mark.long

AHEAD = 600
TAKEN_OVER = 40
TRASH = {"LCFILE_TRASH_KEEP": "3600"}
SHORT = {"LCFILE_UPLOADS_START_TIMEOUT": "1500"}


@pytest.fixture
def pair(several):
    """A server with the right time and one that is ahead, which are members of one group."""
    group = several(1, **TRASH, **SHORT, **SWEEPS)
    far = group.another("ahead", **shifted(AHEAD))
    group.members.append(far)
    far.start()
    return group.members


def calls(member, master=False):
    return API(member, ALPHA, {"X-LC-Key": f"{ALPHA.master},master" if master else ALPHA.key})


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def create(member, **fields):
    response = calls(member).post("/1.1/classes/Task", json=fields)
    assert response.status_code == 201, response.text
    return response.json()


def task(member, id):
    return calls(member).get(f"/1.1/classes/Task/{id}").json()


def test_clocks_differ_and_times_of_one_object_never_run_backwards(pair):
    near, ahead = pair
    first, second = create(near, number=1), create(ahead, number=2)
    assert seconds(second["createdAt"]) - seconds(first["createdAt"]) > AHEAD - 60
    assert abs(seconds(first["createdAt"]) - time.time()) < 60
    # The server whose clock is behind changes what the other one has created, and both see the same.
    for member, number in ((near, 3), (ahead, 4), (near, 5)):
        before = task(near, second["objectId"])
        changed = calls(member).call("PUT", f"/1.1/classes/Task/{second['objectId']}", json={"number": number})
        assert changed.status_code == 200, changed.text
        after = task(ahead, second["objectId"])
        assert after == task(near, second["objectId"]) and after["number"] == number
        assert after["createdAt"] == second["createdAt"]
        assert after["updatedAt"] >= before["updatedAt"] >= after["createdAt"]


@pytest.mark.few(1)
@pytest.mark.parametrize("born", [0, 1], ids=["near", "ahead"])
def test_sessions_of_one_server_are_those_of_the_other_and_end_at_once(pair, born):
    taker, other = pair[born], pair[1 - born]
    user = sign_up(calls(taker))
    assert is_live(calls(other), user.token)
    assert log_in(calls(other), username=user.username).status_code == 200
    changed = user.api.call("PUT", f"{user.path}/refreshSessionToken")
    assert changed.status_code == 200, changed.text
    assert not is_live(calls(other), user.token) and not is_live(calls(taker), user.token)
    assert is_live(calls(other), changed.json()["sessionToken"])


@pytest.mark.extended
@pytest.mark.parametrize("born", [0, 1], ids=["near", "ahead"])
def test_uploads_of_one_server_go_on_at_the_other(pair, born):
    taker, other = pair[born], pair[1 - born]
    data = some_bytes(3 * MIB + 7)
    # A token, parts of both servers, and the end at the other one.
    target = ask(calls(taker), size=len(data))
    id, tags = target.begin(), []
    for number, start in enumerate(range(0, len(data), MIB), 1):
        target.server = pair[number % 2]
        tags.append((number, must(target.part(id, number, data[start : start + MIB]))["etag"]))
    target.server = other
    must(target.finish(id, tags))
    assert_file(calls(taker), target.id, data)
    # tus, one request at each server, while both sweep.
    upload = Tus(taker).create(len(data))
    waiting = Tus(taker).create(5)
    offset, turn = 0, 0
    while offset < len(data):
        upload.tus.server = upload.server = pair[turn % 2]
        assert upload.offset == offset
        assert upload.patch(offset, data[offset : offset + MIB]).status_code == 204
        offset, turn = min(offset + MIB, len(data)), turn + 1
    assert_file(calls(other), upload.id, data)
    # It has not begun, and ends in 25 minutes: neither clock is there yet.
    swept = swept_of(other)
    assert eventually(lambda: swept_of(other) > swept + 1)
    waiting.tus.server = waiting.server = other
    assert waiting.patch(0, b"12345").status_code == 204
    assert_file(calls(taker), waiting.id, b"12345")


def swept_of(member):
    """The number of requests to the store, which each sweep sends."""
    page = requests.get(f"http://127.0.0.1:{member.metrics_port}/metrics", timeout=60).text
    lines = [line for line in page.splitlines() if line.startswith("lcfile_blob_store_requests_total")]
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines)


@pytest.mark.extended
def test_files_go_to_the_trash_of_one_server_and_come_back_from_the_other(pair):
    for deleter, other in (pair, pair[::-1]):
        record = calls(deleter).store(b"back again", name="a.txt")
        path = record["key"]
        for member in pair:
            assert calls(member).fetch(f"{member.url}/{path}").status_code == 200
        assert calls(deleter, master=True).delete(record["objectId"]).status_code == 200
        # The feed tells the other one.
        assert eventually(lambda: calls(other).fetch(f"{other.url}/{path}").status_code == 404, 5)
        assert eventually(lambda: queued(calls(other, master=True)) == 0, TAKEN_OVER)
        entries = calls(other, master=True).get("/1.1/trash?limit=100").json()["results"]
        assert record["objectId"] in [entry["file"] for entry in entries]
        restored = calls(other, master=True).post(f"/1.1/trash/{record['objectId']}/restore")
        assert restored.status_code == 200, restored.text
        assert calls(deleter).fetch(f"{deleter.url}/{path}").content == b"back again"


@pytest.mark.extended
def test_leases_end_by_the_clock_of_the_database(pair):
    """A server that is ahead takes no lease of one that works, and gets it when that one is killed."""
    near, ahead = pair
    url = near.environment["LCFILE_DATABASE_URL"]
    schema = execute(url, "SELECT nspname FROM pg_namespace WHERE nspname ILIKE '%alpha%'")

    def holders():
        return dict(
            line.split("|")
            for line in execute(url, f'SELECT name, holder FROM "{schema}".lease WHERE ends > now()').splitlines()
        )

    assert eventually(lambda: len(holders()) >= 5)
    before = holders()
    # Longer than a lease lasts without a renewal.
    renewed = execute(url, f'SELECT min(ends) FROM "{schema}".lease')
    assert eventually(lambda: execute(url, f"SELECT min(ends) > '{renewed}'::timestamptz + interval '14 s' "
                                           f'FROM "{schema}".lease') == "t", 60)
    assert holders() == before
    for victim, other in ((near, ahead), (ahead, near)):
        victim.kill()
        names = holders()
        records = [calls(other).store(b"x", name="a.txt") for _ in range(3)]
        for record in records:
            assert calls(other, master=True).delete(record["objectId"]).status_code == 200
        assert eventually(lambda: queued(calls(other, master=True)) == 0, TAKEN_OVER)
        assert eventually(lambda: len(set(holders().values())) == 1 and holders().keys() >= names.keys(), TAKEN_OVER)
        victim.start()
