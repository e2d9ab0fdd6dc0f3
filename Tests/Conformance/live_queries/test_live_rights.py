"""Who is told of a change: rights are those at the moment of the change (protocol/data 8.5)."""

import pytest
from accounts import log_in
from client import BETA
from data import Objects, describe
from live_client import UNSUBSCRIBE, short, subscribed, subscribing
from people import (
    ALLOWED, CALLERS, PASSWORD, READ, SUBJECTS, WRITE, Person, Role, assert_forbidden, forbidden, permit,
)

PUBLIC = {"*": READ}


@pytest.fixture
def notes(tasks, cast):
    """The class of the case, as the master key sees it."""
    return tasks.by(cast.master)


def only_ids(event, notes, id):
    """Whether the event shows nothing of the object but which one it is."""
    return event["object"] == {"__type": "Object", "className": notes.name, "objectId": id}


# ACLs

@pytest.mark.parametrize("audience", SUBJECTS)
def test_acl_decides_who_is_told(connect, cast, notes, audience):
    lives = {caller: connect(cast[caller]) for caller in CALLERS}
    for live in lives.values():
        live.subscribe(notes.name, {"n": {"$gte": 1}})
    id = notes.create(n=1, ACL=cast.acl(audience, read=True))
    notes.update(id, {"n": 2})
    notes.update(id, {"n": 0})
    notes.update(id, {"n": 3})
    notes.delete(id)
    all = [(op, id) for op in ("create", "update", "leave", "enter", "delete")]
    told = {caller: short(live.flush()) for caller, live in lives.items()}
    assert told == {caller: all if caller in ALLOWED[audience] else [] for caller in CALLERS}


def test_right_to_write_is_none_to_read(connect, cast, notes):
    live = connect(cast.owner)
    live.subscribe(notes.name)
    notes.create(n=1, ACL={cast.owner.id: WRITE})
    assert live.flush() == []


@pytest.mark.smoke
def test_acl_that_is_taken_away_is_a_leave_that_shows_nothing(connect, cast, notes):
    live = connect(cast.owner)
    live.subscribe(notes.name, {"n": {"$gte": 0}})
    id = notes.create(n=1, ACL={cast.owner.id: READ})
    notes.update(id, {"n": 2, "secret": "new", "ACL": {cast.other.id: READ}})
    notes.update(id, {"n": 3})
    created, left = live.flush()
    assert short([created, left]) == [("create", id), ("leave", id)]
    assert left["updatedKeys"] == [] and only_ids(left, notes, id)


def test_acl_that_is_given_is_an_enter(connect, cast, notes):
    live = connect(cast.owner)
    live.subscribe(notes.name, {"n": 1})
    id = notes.create(n=1, ACL={})
    notes.update(id, {"ACL": {cast.owner.id: READ}})
    event, = live.flush()
    assert (short([event]), event["object"]["n"]) == ([("enter", id)], 1)


def test_deletion_shows_nothing_but_the_id(connect, cast, notes):
    live = connect(cast.master)
    live.subscribe(notes.name, returnACL=True)
    id = notes.create(n=1, secret="s", ACL=PUBLIC)
    notes.delete(id)
    assert only_ids(live.events(2)[1], notes, id)


# Permissions of classes

def test_closed_class_is_refused(cast, notes):
    notes.create(n=1)
    permit(cast.master, notes.name, find=cast.words("user"))
    assert_forbidden(subscribing(cast.other, "a device", notes.name), forbidden("find", notes.name))
    assert_forbidden(subscribing(cast.guest, "a device", notes.name), forbidden("find", notes.name))
    subscribed(subscribing(cast.owner, "a device", notes.name))


def test_class_that_is_closed_later_is_silent_until_it_opens(connect, cast, notes):
    notes.create(n=0)
    lives = {caller: connect(cast[caller]) for caller in ("guest", "owner", "master")}
    for live in lives.values():
        live.subscribe(notes.name)
    permit(cast.master, notes.name, find=cast.words("user"))
    closed = notes.create(n=1)
    notes.update(closed, {"n": 2})
    told = {caller: short(live.flush()) for caller, live in lives.items()}
    both = [("create", closed), ("update", closed)]
    assert told == {"guest": [], "owner": both, "master": both}
    permit(cast.master, notes.name, find=["everyone"])
    notes.update(closed, {"n": 3})
    assert [short(live.flush()) for live in lives.values()] == [[("update", closed)]] * 3


# Roles

def test_role_that_is_taken_away_ends_events(connect, cast, notes):
    person = Person(cast.master.server)
    role = Role(cast.master, users=[person])
    live = connect(person)
    live.subscribe(notes.name)
    id = notes.create(n=1, ACL={role.subject: READ})
    # Rights are looked up when an event is decided, so it is waited for.
    assert short(live.flush()) == [("create", id)]
    role.remove(users=[person])
    notes.update(id, {"n": 2})
    assert live.flush() == []
    role.add(users=[person])
    notes.update(id, {"n": 3})
    assert short(live.flush()) == [("update", id)]


def test_role_inside_a_role_counts(connect, cast, notes):
    person = Person(cast.master.server)
    inner = Role(cast.master, users=[person])
    outer = Role(cast.master, roles=[inner])
    live = connect(person)
    live.subscribe(notes.name)
    id = notes.create(n=1, ACL={outer.subject: READ})
    assert short(live.flush()) == [("create", id)]
    outer.remove(roles=[inner])
    notes.update(id, {"n": 2})
    assert live.flush() == []


# Sessions

def test_session_that_ended_is_a_guest(connect, cast, notes):
    person = Person(cast.master.server)
    live = connect(person)
    live.subscribe(notes.name)
    own = notes.create(n=1, ACL={person.id: READ})
    assert short(live.flush()) == [("create", own)]
    assert person.call("PUT", f"/1.1/users/{person.id}/refreshSessionToken").status_code == 200
    notes.update(own, {"n": 2})
    public = notes.create(n=1, ACL=PUBLIC)
    assert short(live.flush()) == [("create", public)]


def test_user_that_is_deleted_is_a_guest(connect, cast, notes):
    person = Person(cast.master.server)
    live = connect(person)
    live.subscribe(notes.name)
    own = notes.create(n=1, ACL={person.id: READ})
    assert short(live.flush()) == [("create", own)]
    assert person.call("DELETE", f"/1.1/users/{person.id}").status_code == 200
    notes.update(own, {"n": 2})
    public = notes.create(n=1, ACL=PUBLIC)
    assert short(live.flush()) == [("create", public)]


@pytest.mark.parametrize("place", ["header", "body"])
def test_session_is_in_the_header_or_in_the_body(connect, cast, notes, place):
    live = connect(cast.owner if place == "header" else cast.guest)
    token = {"sessionToken": cast.owner.token} if place == "body" else {}
    body = {"query": {"className": notes.name, "where": {}}, "id": live.id} | token
    subscribed(live.api.post("/1.1/LiveQuery/subscribe", json=body))
    id = notes.create(n=1, ACL={cast.owner.id: READ})
    assert short(live.flush()) == [("create", id)]


def test_stale_session_is_a_guest(connect, cast, notes):
    live = connect(cast.guest)
    body = {"query": {"className": notes.name, "where": {}}, "id": live.id, "sessionToken": "a" * 25}
    subscribed(cast.guest.post("/1.1/LiveQuery/subscribe", json=body))
    notes.create(n=1, ACL={cast.owner.id: READ})
    id = notes.create(n=1, ACL=PUBLIC)
    assert short(live.flush()) == [("create", id)]


@pytest.mark.parametrize("first, second", [("owner", "guest"), ("guest", "owner"), ("owner", "other"), ("master", "guest")])
def test_repeated_subscription_has_the_rights_of_the_newest(connect, cast, notes, first, second):
    live = connect(cast[first])
    query = live.subscribe(notes.name)
    assert live.subscribe(notes.name, by=cast[second]) == query
    notes.create(n=1, ACL={cast.owner.id: READ})
    assert len(live.flush()) == (second == "owner")


# Hidden fields

def test_hidden_field_is_neither_shown_nor_named(connect, cast, notes):
    describe(cast.master, notes, "secret", type="String", hidden=True)
    guest, master = connect(cast.guest), connect(cast.master)
    for live in (guest, master):
        live.subscribe(notes.name)
    id = notes.create(n=1, secret="s")
    notes.update(id, {"n": 2, "secret": "t"})
    notes.update(id, {"secret": "u"})
    events = guest.flush()
    assert [event.get("updatedKeys") for event in events] == [None, ["n"], []]
    assert not any("secret" in event["object"] for event in events)
    events = master.flush()
    assert [event.get("updatedKeys") for event in events] == [None, ["n", "secret"], ["secret"]]
    assert [event["object"]["secret"] for event in events] == ["s", "t", "u"]


def test_hidden_field_matches_no_condition(connect, cast, notes):
    describe(cast.master, notes, "secret", type="String", hidden=True)
    guest, master = connect(cast.guest), connect(cast.master)
    for live in (guest, master):
        response = subscribing(live.api, live.id, notes.name, {"secret": {"$regex": "^s"}})
        assert live is guest or response.status_code == 200, response.text
    notes.create(n=1, secret="s")
    assert (len(guest.flush()), len(master.flush())) == (0, 1)


# Users

def test_guest_cannot_subscribe_to_users(cast):
    assert_forbidden(subscribing(cast.guest, "a device", "_User"), forbidden("find", "_User"))


def test_user_is_told_of_itself_only(connect, cast):
    ann, bob = Person(cast.master.server), Person(cast.master.server)
    live = connect(ann)
    live.subscribe("_User")
    for person in (bob, ann):
        assert person.call("PUT", f"/1.1/users/{person.id}", json={"city": "Lyon"}).status_code == 200
    event, = live.flush()
    assert (event["op"], event["object"]["objectId"], event["updatedKeys"]) == ("update", ann.id, ["city"])


def test_master_is_told_of_users_that_sign_up_and_log_in(connect, cast):
    live = connect(cast.master)
    city = f"City{live.id}"
    live.subscribe("_User", {"city": city})
    person = Person(cast.master.server, city=city)
    assert log_in(cast.guest, PASSWORD, username=person.name).status_code == 200
    created, login = live.flush()
    assert short([created, login]) == [("create", person.id), ("login", person.id)]
    assert (login["object"]["username"], login["object"]["className"]) == (person.name, "_User")
    assert not {"password", "sessionToken", "salt"} & set(login["object"])


def test_event_of_a_new_password_shows_no_token(connect, cast):
    person = Person(cast.master.server)
    live = connect(cast.master)
    live.subscribe("_User", {"objectId": person.id})
    response = person.call("PUT", f"/1.1/users/{person.id}", json={"password": "another"})
    assert response.json()["sessionToken"] != person.token
    events = live.flush()
    assert short(events[:1]) == [("update", person.id)]
    for event in events:
        assert not {"password", "sessionToken", "salt"} & {*event["object"], *event.get("updatedKeys", [])}
        assert response.json()["sessionToken"] not in str(event)


@pytest.mark.parametrize("call, body", [
    ("/refreshSessionToken", {}), ("/updatePassword", {"old_password": PASSWORD, "new_password": "another"}),
    ("", {"password": "another"}),
], ids=["refresh", "new password", "saved password"])
def test_new_token_without_a_log_in_is_none(connect, cast, call, body):
    person = Person(cast.master.server)
    live = connect(cast.master)
    live.subscribe("_User", {"objectId": person.id})
    response = person.call("PUT", f"/1.1/users/{person.id}{call}", json=body)
    assert response.json()["sessionToken"] != person.token
    assert short(live.flush()) == [("update", person.id)]
    password = "another" if body else PASSWORD
    assert log_in(cast.guest, password, username=person.name).status_code == 200
    assert short(live.flush()) == [("login", person.id)]


def test_user_is_told_of_its_own_log_in(connect, cast):
    person = Person(cast.master.server)
    live = connect(person)
    live.subscribe("_User", {"objectId": person.id})
    assert log_in(cast.guest, PASSWORD, username=person.name).status_code == 200
    assert log_in(cast.guest, PASSWORD, username=cast.owner.name).status_code == 200
    assert log_in(cast.guest, "wrong", username=person.name).status_code != 200
    assert short(live.flush()) == [("login", person.id)]


def test_log_in_of_a_user_that_does_not_match_causes_no_event(connect, cast):
    live = connect(cast.master)
    live.subscribe("_User", {"city": f"City{live.id}"})
    assert log_in(cast.guest, PASSWORD, username=cast.owner.name).status_code == 200
    assert live.flush() == []


@pytest.mark.parametrize("name", ["_Session", "_Deletion"])
def test_internal_class_is_refused_to_all_but_the_master(cast, name):
    for caller in ("guest", "owner"):
        assert subscribing(cast[caller], "a device", name).status_code == 403


# Ids

def test_other_installation_receives_nothing(connect, cast, notes):
    subscriber, other = connect(cast.guest), connect(cast.guest)
    query = subscriber.subscribe(notes.name)
    # Nor can another installation end the subscription.
    cast.guest.post(UNSUBSCRIBE, json={"id": other.id, "query_id": query})
    id = notes.create(n=1)
    assert (short(subscriber.flush()), other.flush()) == ([("create", id)], [])


def test_same_id_in_another_app_receives_nothing(connect, cast, notes, beta):
    subscriber = connect(cast.guest)
    other = connect(beta, id=subscriber.id, app=BETA)
    query = subscriber.subscribe(notes.name)
    assert other.subscribe(notes.name) != query
    id = notes.create(n=1)
    assert (short(subscriber.flush()), other.flush()) == ([("create", id)], [])
    Objects(beta, notes.name).create(n=2)
    assert (subscriber.flush(), len(other.flush())) == ([], 1)
