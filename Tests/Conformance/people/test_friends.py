"""Requests for friendship, block lists, and searches for friends, from outside."""

import pytest
from client import assert_refused
from data import texts
from feeds import Member
from live_client import Live, short


@pytest.fixture
def pair(server):
    return Member(server), Member(server)


def ask(user, friend, **more):
    return user.post("/1.1/users/friendshipRequests", json={"user": user.pointer, "friend": friend.pointer} | more)


def answer(user, request, word, **body):
    return user.call("PUT", f"/1.1/users/friendshipRequests/{request}/{word}", json=body)


def test_accepted_request_makes_friends(pair):
    ann, bob = pair
    made = ask(ann, bob, friendship={"circle": "sport"})
    assert (made.status_code, set(made.json())) == (201, {"objectId", "createdAt"})
    id = made.json()["objectId"]
    assert made.headers["Location"] == f"/1.1/classes/_FriendshipRequest/{id}"
    assert (ann.others("friends"), bob.others("friends")) == (set(), set())
    accepted = answer(bob, id, "accept", friendship={"circle": "music"})
    assert (accepted.status_code, set(accepted.json())) == (200, {"objectId", "updatedAt"})
    assert (ann.others("friends"), bob.others("friends")) == ({bob.id}, {ann.id})
    # Both can delete the request.
    assert ann.call("DELETE", f"/1.1/classes/_FriendshipRequest/{id}").status_code == 200


def test_declined_request(pair):
    ann, bob = pair
    id = ask(ann, bob).json()["objectId"]
    assert_refused(answer(ann, id, "accept"), 403, 403)
    assert answer(bob, id, "decline").json()["objectId"] == id
    assert_refused(ask(ann, bob), 400, 1, "Friendship already exists.")
    # Its requester could ask again.
    assert_refused(ann.call("DELETE", f"/1.1/classes/_FriendshipRequest/{id}"), 403, 403, "declined")
    assert answer(bob, id, "accept").status_code == 200
    assert ann.others("friends") == {bob.id}


def test_receiver_of_a_declined_request_deletes_it(pair):
    ann, bob = pair
    id = ask(ann, bob).json()["objectId"]
    answer(bob, id, "decline")
    assert bob.call("DELETE", f"/1.1/classes/_FriendshipRequest/{id}").status_code == 200
    assert ask(ann, bob).status_code == 201


def test_block_list(pair):
    ann, bob = pair
    answer(bob, ask(ann, bob).json()["objectId"], "accept")
    path = f"/1.1/users/self/friendBlocklist/{bob.id}"
    assert ann.post(path).json() == {}
    blocked = ann.get("/1.1/users/self/friendBlocklist", params={"include": "blockedUser"}).json()["results"]
    assert [row["blockedUser"]["username"] for row in blocked] == [bob.name]
    assert (ann.others("friends"), bob.others("friends")) == (set(), {ann.id})
    assert_refused(bob.follow(ann), 403, 403)
    bob.tell(ann, "hello")
    assert ann.inbox(inboxType="private") == []
    assert ann.call("DELETE", path, json={}).json() == {}
    assert ann.others("friends") == {bob.id}


def test_strict_search_needs_an_open_class_and_equality(pair, server, rules):
    ann, bob = pair
    query = texts({"where": {"username": bob.name}})
    search = lambda query: ann.get("/1.1/users/strictlyQuery", params=query)
    assert search(query).json() == {"results": []}
    rules.set("_User", find=["users"])
    assert [user["objectId"] for user in search(query).json()["results"]] == [bob.id]
    for where in ({"username": {"$regex": "a"}}, {"email": "a@b.cd"}, {"$or": [{"username": "a"}]}):
        assert_refused(search(texts({"where": where})), 400, 1)
    assert_refused(search(query | {"skip": "1"}), 400, 1)
    bob.post(f"/1.1/users/self/friendBlocklist/{ann.id}")
    assert search(query).json() == {"results": []}


def test_both_hear_of_a_request_and_of_its_answer(pair, server):
    ann, bob = pair
    lives = {user: Live(user) for user in (ann, bob, Member(server))}
    try:
        for user, live in lives.items():
            live.subscribe("_FriendshipRequest", {"friend": bob.pointer})
        id = ask(ann, bob).json()["objectId"]
        answer(bob, id, "accept")
        told = {user: short(live.flush()) for user, live in lives.items()}
    finally:
        for live in lives.values():
            live.close()
    both = [("create", id), ("update", id)]
    assert list(told.values()) == [both, both, []]
