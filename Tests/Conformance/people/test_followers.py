"""Following from outside: both lists, their end, and what is refused."""

import pytest
from client import assert_refused, eventually
from data import MISSING, Objects
from feeds import Member, waiting


@pytest.fixture
def three(server):
    return [Member(server) for _ in range(3)]


def test_both_sides_see_who_follows_whom(three):
    ann, bob, eve = three
    assert ann.follow(bob, level=1).json() == {}
    assert (ann.others("followees"), bob.others("followers"), ann.others("followers")) == ({bob.id}, {ann.id}, set())
    assert eve.get(f"/1.1/users/{ann.id}/followees").json() == {"results": []}
    both = ann.get("/1.1/users/self/followersAndFollowees", params={"include": "followee", "count": 1}).json()
    assert (both["followers"], both["followers_count"], both["followees_count"]) == ([], 0, 1)
    assert both["followees"][0]["followee"]["username"] == bob.name
    assert ann.call("DELETE", f"/1.1/users/self/friendship/{bob.id}").json() == {}
    assert (ann.others("followees"), bob.others("followers")) == (set(), set())


def test_many_are_followed_by_one_batch(three):
    ann, bob, eve = three
    follow = [{"method": "POST", "path": f"/1.1/users/self/friendship/{other.id}", "body": {"level": 1}} for other in (bob, eve)]
    answer = ann.post("/1.1/batch", json={"requests": follow})
    assert answer.json() == [{"success": {}}] * 2
    assert ann.others("followees", where='{"level":1}') == {bob.id, eve.id}
    assert (bob.others("followers"), eve.others("followers")) == ({ann.id}, {ann.id})


REFUSED = {
    "oneself": (lambda ann, bob: ann.follow(ann), 400, 1),
    "missing user": (lambda ann, bob: ann.post(f"/1.1/users/self/friendship/{MISSING}", json={}), 400, 211),
    "for another user": (lambda ann, bob: ann.post(f"/1.1/users/{bob.id}/friendship/{ann.id}", json={}), 403, 206),
    "a field of the relation": (lambda ann, bob: ann.follow(bob, friendStatus=True), 400, 117),
    "no attributes": (lambda ann, bob: ann.post(f"/1.1/users/self/friendship/{bob.id}", json=[1]), 400, 107),
    "attributes of a missing relation": (
        lambda ann, bob: ann.call("PUT", f"/1.1/users/self/friendship/{bob.id}", json={"a": 1}), 400, 221,
    ),
    "directly": (lambda ann, bob: ann.post("/1.1/classes/_Follower", json={"user": bob.pointer}), 403, 403),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_followed(three, case):
    make, status, code = REFUSED[case]
    assert_refused(make(*three[:2]), status, code)
    assert three[0].others("followees") == set()


@pytest.mark.extended
def test_limit_of_followees(new_server):
    server = new_server(LCFILE_PEOPLE_MAX_FOLLOWEES="1").start()
    ann, bob, eve = (Member(server) for _ in range(3))
    ann.follow(bob)
    assert_refused(ann.follow(eve), 400, 1, "people.maxFollowees")


def test_deleted_user_leaves_no_relations(three, master):
    ann, bob, eve = three
    ann.follow(bob), bob.follow(ann), bob.follow(eve)
    assert ann.call("DELETE", f"/1.1/users/{ann.id}").status_code == 200
    assert eventually(lambda: bob.others("followees") == {eve.id} and bob.others("followers") == set())
    assert eventually(lambda: waiting(master) == 0)
    assert Objects(master, "_Follower").find(where={"follower": ann.pointer}) == []
