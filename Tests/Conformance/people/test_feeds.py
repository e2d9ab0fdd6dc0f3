"""Feeds from outside: inboxes, their owners, and deliveries to many that a kill interrupts."""

import pytest
from client import assert_refused, eventually
from feeds import Member, as_text, deliveries, import_followers, waiting


@pytest.fixture
def pair(server):
    ann, bob = Member(server), Member(server)
    bob.follow(ann)
    return ann, bob


def test_status_is_in_the_inbox_when_the_answer_is_there(pair):
    ann, bob = pair
    ann.publish("one"), ann.publish("two")
    for member in pair:
        assert member.inbox() == [(2, "two"), (1, "one")]
    assert bob.inbox(sinceId=1) == [(2, "two")]
    assert bob.inbox(maxId=1) == [(1, "one")]
    page = bob.get("/1.1/subscribe/statuses", params={"include": "source", "limit": 1, "count": 1}).json()
    assert (page["end"], page["count"], page["results"][0]["source"]["username"]) == (False, 2, ann.name)
    assert bob.counts() == {"total": 2, "unread": 2}
    assert bob.post("/1.1/subscribe/statuses/resetUnreadCount", json={}).json() == {}
    assert bob.counts() == {"total": 2, "unread": 0}


def test_private_status_is_for_its_receiver(pair, server):
    ann, bob = pair
    id = ann.tell(bob, "secret")
    assert bob.inbox(inboxType="private") == [(1, "secret")]
    assert (ann.inbox(inboxType="private"), bob.inbox()) == ([], [])
    assert bob.get(f"/1.1/statuses/{id}").json()["message"] == "secret"
    assert_refused(Member(server).get(f"/1.1/statuses/{id}"), 403, 403)


def test_inbox_is_for_its_owner(pair):
    ann, bob = pair
    ann.publish()
    owner = {"owner": as_text(bob.pointer)}
    assert_refused(ann.get("/1.1/subscribe/statuses", params=owner), 403, 403)
    assert_refused(ann.get("/1.1/subscribe/statuses/count", params=owner), 403, 403)
    assert_refused(ann.post("/1.1/subscribe/statuses/resetUnreadCount", json={"owner": bob.pointer}), 403, 403)
    gone = owner | {"messageId": "1"}
    assert_refused(ann.call("DELETE", "/1.1/subscribe/statuses/inbox", params=gone), 403, 403)
    assert bob.call("DELETE", "/1.1/subscribe/statuses/inbox", params=gone).json() == {}
    assert (bob.inbox(), ann.inbox()) == ([], [(1, "hello")])


def test_status_of_another_user_cannot_be_published_or_deleted(pair, api):
    ann, bob = pair
    body = {"query": {"className": "_User", "where": {"objectId": bob.id}}, "data": {"source": ann.pointer}}
    assert_refused(bob.post("/1.1/statuses", json=body), 403, 403)
    assert_refused(api.post("/1.1/statuses", json=body), 403, 206)
    id = ann.publish()
    assert_refused(bob.call("DELETE", f"/1.1/statuses/{id}"), 403, 403)
    assert ann.call("DELETE", f"/1.1/statuses/{id}").json() == {}
    assert (ann.inbox(), bob.inbox()) == ([], [])


@pytest.mark.extended
def test_limit_of_statuses(new_server):
    ann = Member(new_server(LCFILE_PEOPLE_MAX_STATUSES="1").start())
    ann.publish()
    body = {"query": {"className": "_User", "where": {"objectId": ann.id}}}
    answer = ann.post("/1.1/statuses", json=body)
    assert_refused(answer, 429, 429, "people.maxStatuses")
    assert int(answer.headers["Retry-After"]) > 3000


@pytest.mark.extended
def test_small_inbox_and_few_types(new_server):
    server = new_server(LCFILE_PEOPLE_MAX_INBOX_SIZE="2", LCFILE_PEOPLE_MAX_INBOX_TYPES="1").start()
    ann = Member(server)
    for number in range(3):
        ann.publish(str(number))
    assert ann.inbox() == [(3, "2"), (2, "1")]
    for type in ("book", "film"):
        ann.publish(query={"className": "_User", "where": {"objectId": ann.id}}, inboxType=type)
    assert [ann.counts(inboxType=type)["total"] for type in ("book", "film")] == [1, 0]


@pytest.mark.extended
def test_kill_during_a_delivery_loses_and_doubles_nothing(new_server):
    server = new_server().start()
    master = server.api(master=True)
    ann = Member(server)
    followers = import_followers(master, ann, 3000)
    statuses = []
    for message in ("one", "two"):
        statuses.append(ann.publish(message))
        server.kill()
        server.start()
        # The author's own inbox and its counts are right at once.
        assert ann.counts() == {"total": len(statuses), "unread": len(statuses)}
    assert eventually(lambda: waiting(master) == 0, 60)
    for status in statuses:
        owners = deliveries(master, status)
        assert (len(owners), set(owners)) == (3001, {ann.id, *followers})
    inbox = {"owner": as_text({"__type": "Pointer", "className": "_User", "objectId": followers[-1]})}
    assert master.get("/1.1/subscribe/statuses/count", params=inbox).json() == {"total": 2, "unread": 2}


@pytest.mark.extended
def test_kill_after_a_deletion_leaves_no_status_in_an_inbox(new_server):
    server = new_server().start()
    master = server.api(master=True)
    ann = Member(server)
    import_followers(master, ann, 1000)
    id = ann.publish()
    assert eventually(lambda: waiting(master) == 0, 60)
    assert ann.call("DELETE", f"/1.1/statuses/{id}").status_code == 200
    server.kill()
    server.start()
    assert eventually(lambda: waiting(master) == 0, 60)
    assert deliveries(master, id) == []
