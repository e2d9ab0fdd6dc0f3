"""What servers on one database and one bucket owe each other, and what each does when it is cut off."""

import pytest
import requests
from accounts import is_live, sign_up, with_session
from client import ALPHA, API, eventually, queued
from clients import MIB, some_bytes
from relay import Relay

pytestmark = pytest.mark.long

# As long as a network that is silent may go unnoticed (docs/scale-out.md).
NOTICED = 30
# A lease ends, and another server takes it.
TAKEN_OVER = 40


def calls(member, master=False):
    """Calls of one of the servers, past the nginx."""
    return API(member, ALPHA, {"X-LC-Key": f"{ALPHA.master},master" if master else ALPHA.key})


def test_bytes_and_records_are_on_every_server_at_once(several):
    group = several(3)
    data = some_bytes(3 * MIB + 1)
    for taker in group.members:
        record = calls(taker).store(data, name="a.bin")
        for member in group.members:
            assert calls(member).fetch(f"{member.url}/{record['key']}").content == data


@pytest.mark.extended
def test_deleted_file_is_served_by_no_server(several):
    group = several(2)
    first, second = group.members
    record = calls(first).store(b"to be deleted", name="a.txt")
    for member in group.members:
        assert calls(member).fetch(f"{member.url}/{record['key']}").status_code == 200
    assert calls(first, master=True).delete(record["objectId"]).status_code == 200
    assert eventually(lambda: calls(second).fetch(f"{second.url}/{record['key']}").status_code == 404, 5)
    assert eventually(lambda: queued(calls(second, master=True)) == 0, TAKEN_OVER)


@pytest.mark.extended
def test_tus_upload_goes_on_at_another_server(several):
    group = several(3)
    data = some_bytes(6 * MIB + 5)
    head = {"Tus-Resumable": "1.0.0"}
    api = group.api()
    created = api.post("/1.1/uploads", headers=head | {"Upload-Length": str(len(data))})
    assert created.status_code == 201
    path = created.headers["Location"].removeprefix(group.url)
    offset, turn = 0, 0
    while offset < len(data):
        member = group.members[turn % 3]
        assert calls(member).call("HEAD", path, headers=head).headers["Upload-Offset"] == str(offset)
        body = data[offset : offset + MIB]
        patch = {"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
        response = calls(group.members[(turn + 1) % 3]).call("PATCH", path, headers=head | patch, data=body)
        assert response.status_code == 204, response.text
        offset, turn = offset + len(body), turn + 1
    record = api.get("/1.1/files?limit=1&order=-createdAt").json()["results"][0]
    for member in group.members:
        assert calls(member).fetch(f"{member.url}/{record['key']}").content == data


def test_ended_session_is_refused_by_the_other_server_at_once(several):
    group = several(2)
    first, second = group.members
    for number in range(10):
        user = sign_up(calls(first))
        assert is_live(calls(second), user.token)
        assert user.api.call("PUT", f"{user.path}/refreshSessionToken").status_code == 200
        assert not is_live(calls(second), user.token), f"round {number}"


@pytest.mark.extended
@pytest.mark.parametrize("fault", ["cut", "silence"])
def test_server_without_its_database_answers_503_and_never_by_an_old_permission(several, stores, fault):
    relay = Relay(stores.postgres.url)
    try:
        group = several(1)
        other = group.members[0]
        database = relay.before(other.environment["LCFILE_DATABASE_URL"])
        far = group.another("far", LCFILE_DATABASE_URL=database).start()
        user = sign_up(calls(other))
        assert is_live(calls(far), user.token)
        getattr(relay, fault)()
        ended = calls(other, master=True).call("DELETE", f"{user.path}/sessions")
        assert ended.status_code == 200, ended.text
        assert {status_of(far, user.token) for _ in range(3)} <= {503, None}
        assert eventually(lambda: requests.get(f"{far.url}/ready", timeout=60).status_code == 503, NOTICED)
        relay.resume()
        assert eventually(lambda: requests.get(f"{far.url}/ready", timeout=60).status_code == 200, NOTICED)
        assert not is_live(calls(far), user.token)
        assert far.stop() == 0
    finally:
        relay.close()


def status_of(member, token):
    """The status of a request with a session; None without an answer in time."""
    try:
        return with_session(calls(member), token).get("/1.1/users/me").status_code
    except requests.RequestException:
        return None


@pytest.mark.extended
def test_work_of_a_killed_server_is_taken_over(several):
    group = several(2)
    # Whichever server had the lease of the deletion queue, the other one empties it.
    for victim, other in (group.members, group.members[::-1]):
        records = [calls(victim).store(f"file {number}".encode(), name="a.txt") for number in range(20)]
        master = calls(victim, master=True)
        for record in records:
            assert master.delete(record["objectId"]).status_code == 200
        victim.kill()
        assert eventually(lambda: queued(calls(other, master=True)) == 0, TAKEN_OVER)
        victim.start()


@pytest.mark.extended
def test_server_without_its_store_answers_503_and_goes_on_with_it(several, stores):
    relay = Relay(stores.store.endpoint)
    try:
        group = several(1)
        far = group.another("far", LCFILE_BLOBS_S3_ENDPOINT=relay.before(stores.store.endpoint)).start()
        api, near = calls(far), calls(group.members[0])
        other = near.store(some_bytes(MIB), name="other.bin")
        relay.cut()
        refused = api.store_raw(b"lost", "lost.bin")
        assert (refused.status_code, refused.json()["code"]) == (503, 511), refused.text
        assert "store" in refused.json()["error"]
        # It is never taken for a file that does not exist.
        assert api.fetch(f"{far.url}/{other['key']}").status_code == 503
        assert near.get("/1.1/files?where=" + '{"name":"lost.bin"}').json()["results"] == []
        relay.resume()
        assert api.fetch(f"{far.url}/{other['key']}").content == some_bytes(MIB)
        record = api.store(b"kept", name="kept.bin")
        assert near.fetch(f"{group.url}/{record['key']}").content == b"kept"
        assert far.stop() == 0
    finally:
        relay.close()
