"""Guests, users and the master key have shares of their own in limits that they share."""

import json
from threading import Event

import pytest
from client import assert_refused, credentials, eventually, head
from elsewhere import Elsewhere, answer, held
from people import Person
from uploading import Tus, ask, limits, tokens

FAST = {"LCFILE_FETCH_ALLOWED_NETWORKS": "127.0.0.1/32"}


@pytest.fixture
def elsewhere():
    elsewhere = Elsewhere()
    yield elsewhere
    elsewhere.close()


@pytest.mark.extended
def test_guests_uploads_leave_room_for_users_and_the_master(new_server):
    server = new_server(**FAST, **limits(maxOpen=4, maxOpenGuests=2, maxOpenUser=3)).start()
    guest, master = server.api(), server.api(master=True)
    ann, bob = Person(server), Person(server)
    first = ask(guest)
    Tus(server).create(5)
    assert_refused(tokens(guest), 429, 430, "uploads.maxOpenGuests")
    for _ in range(3):
        ask(ann)
    assert_refused(tokens(ann), 429, 430, "uploads.maxOpenUser")
    ask(bob)
    assert_refused(tokens(bob), 429, 430, "uploads.maxOpen")
    for _ in range(10):
        ask(master)
    server.kill()
    server.start()
    assert_refused(tokens(guest), 429, 430, "uploads.maxOpenGuests")
    assert_refused(tokens(ann), 429, 430)
    assert tokens(master).status_code == 201
    # Those of the master key are in no share.
    assert first.callback(False).status_code == 200
    assert tokens(guest).status_code == 201


@pytest.mark.extended
def test_guests_at_one_address_leave_room_for_those_at_others(new_server):
    server = new_server(**FAST, **limits(maxOpenGuests=3, maxOpenAddress=2)).start()
    here, there = server.api(), server.api().at("127.0.0.2")
    first = ask(here)
    Tus(server).create(5)
    assert_refused(tokens(here), 429, 430, "uploads.maxOpenAddress")
    server.kill()
    server.start()
    assert_refused(tokens(here), 429, 430, "uploads.maxOpenAddress")
    assert tokens(there).status_code == 201
    assert_refused(tokens(there), 429, 430, "uploads.maxOpenGuests")
    assert first.callback(False).status_code == 200
    assert tokens(here).status_code == 201


@pytest.mark.extended
def test_idle_upload_of_a_guest_expires_before_that_of_a_user(new_server):
    server = new_server(**FAST, **limits(guestIdleTimeout=2, sweepInterval=1)).start()
    ann = Person(server)
    targets = [ask(api, 10) for api in (server.api(), ann)]
    for target in targets:
        id = target.begin()
        assert target.part(id, 1, b"x").status_code == 200
    assert eventually(lambda: targets[0].progress().status_code == 404)
    assert targets[1].progress().status_code == 200


def fetching(server, api, url):
    """A request for a copy that waits."""
    data = json.dumps({"url": url, "fetch": True}).encode()
    headers = credentials() | api.headers | {"Content-Type": "application/json", "Content-Length": len(data)}
    connection = server.raw()
    connection.send(head("POST", "/1.1/files", headers) + data)
    return connection


def test_guests_fetches_leave_room_for_the_master(new_server, elsewhere):
    server, gate = new_server(**FAST, LCFILE_FETCH_THREADS="2", LCFILE_FETCH_GUEST_THREADS="1",
                              LCFILE_FETCH_MAX_QUEUED_GUESTS="0").start(), Event()
    slow, quick = elsewhere.offer(held(b"slow", gate)), elsewhere.offer(answer(b"quick"))
    with fetching(server, server.api(), slow) as waiting:
        assert eventually(lambda: elsewhere.visits_of(slow))
        copy = {"url": quick, "fetch": True}
        assert_refused(server.api().post("/1.1/files", json=copy), 429, 429)
        assert server.api(master=True).post("/1.1/files", json=copy).status_code == 201
        gate.set()
        assert waiting.answer().status == 201
