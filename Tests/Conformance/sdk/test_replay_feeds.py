"""What other SDKs send for devices, followers, friends and feeds, and what they read of the answers.

The requests of JavaScript are those of its recordings with LeanCloud; those of Java and Objective-C follow their sources.
"""

import json

import pytest
from client import assert_refused
from data import texts
from feeds import Member
from people import unique


@pytest.fixture
def pair(server):
    return Member(server), Member(server)


def assert_created(response):
    """JavaScript, Java and Objective-C read the id and the time of a new object."""
    assert response.status_code == 201, response.text
    assert set(response.json()) == {"objectId", "createdAt"}
    return response.json()["objectId"]


# JavaScript

def test_js_follow(pair):
    ann, bob = pair
    place = {"__type": "GeoPoint", "latitude": 0, "longitude": 0}
    path = f"/1.1/users/{ann.id}/friendship/{bob.id}"
    assert ann.post(path, json={"group": 1, "position": place}).json() == {}
    where = {"user": ann.pointer, "group": 1}
    rows = ann.get("/1.1/classes/_Followee", params=texts({"where": where, "include": "followee"})).json()["results"]
    row = rows[0]
    # As LeanCloud's recorded answer: an included user is a pointer with fields.
    assert (row["followee"]["__type"], row["followee"]["username"], row["user"]) == ("Pointer", bob.name, ann.pointer)
    assert (row["group"], row["position"]["__type"]) == (1, "GeoPoint")
    other = ann.get("/1.1/classes/_Followee", params=texts({"where": where | {"group": 0}}))
    assert other.json() == {"results": []}
    # The body of JavaScript's DELETE is the text null.
    assert ann.call("DELETE", path, data="null", headers={"Content-Type": "application/json"}).json() == {}
    assert ann.get("/1.1/classes/_Followee", params=texts({"where": {"user": ann.pointer}})).json() == {"results": []}


def test_js_followers_and_followees(pair):
    ann, bob = pair
    ann.follow(bob), bob.follow(ann)
    query = {"include": "follower,followee", "keys": "follower,followee"}
    both = ann.get(f"/1.1/users/{ann.id}/followersAndFollowees", params=query).json()
    assert [row["follower"]["username"] for row in both["followers"]] == [bob.name]
    assert [row["followee"]["username"] for row in both["followees"]] == [bob.name]


def test_js_statuses(pair):
    ann, bob = pair
    bob.follow(ann)
    data = {"image": "image url", "message": "message", "source": ann.pointer}
    followers = {"className": "_Follower", "keys": "follower", "where": {"user": ann.pointer}}
    body = {"query": followers, "data": data, "inboxType": "default"}
    assert_created(ann.post("/1.1/statuses", json=body))
    users = {"className": "_User", "where": {"objectId": bob.id}}
    assert_created(ann.post("/1.1/statuses", json=body | {"query": users, "inboxType": "private"}))
    # A search for users that is closed finds the author alone.
    women = {"where": {"gender": "female"}, "className": "_User"}
    assert_created(ann.post("/1.1/statuses", json=body | {"query": women}))
    query = {"where": {}, "owner": bob.pointer, "inboxType": "default", "sinceId": 0, "maxId": 0}
    page = bob.get("/1.1/subscribe/statuses", params=texts(query)).json()
    assert set(page) == {"results", "end"}
    status = page["results"][0]
    assert (status["messageId"], status["message"], status["image"]) == (1, "message", "image url")
    count = {"inboxType": "private", "owner": bob.pointer}
    path = "/1.1/subscribe/statuses/count"
    assert bob.get(path, params=texts(count)).json() == {"total": 1, "unread": 1}
    assert bob.post("/1.1/subscribe/statuses/resetUnreadCount", json=count).json() == {}
    assert bob.get(path, params=texts(count)).json() == {"total": 1, "unread": 0}
    own = ann.get("/1.1/classes/_Status", params=texts({"where": {"source": ann.pointer}})).json()["results"]
    assert [row["inboxType"] for row in own] == ["default", "private", "default"]


def test_js_inbox_query_that_is_too_long_for_a_url(pair):
    ann, _ = pair
    many = [{"__type": "Pointer", "className": "Todo", "objectId": "5850f138128fe1006978f766"}] * 50
    params = {"where": {"arr": {"$all": many}}, "owner": ann.pointer, "inboxType": "default", "sinceId": 0, "maxId": 0}
    request = {"method": "GET", "path": "/1.1/subscribe/statuses", "params": params}
    answer = ann.post("/1.1/batch", json={"requests": [request]})
    assert answer.json() == [{"success": {"results": [], "end": False}}]


def test_js_friendship(pair):
    ann, bob = pair
    request = {"user": ann.pointer, "friend": bob.pointer, "friendship": {"circle": "sport"}}
    id = assert_created(ann.post("/1.1/users/friendshipRequests", json=request))
    where = {"friend": bob.pointer, "status": "pending"}
    found = bob.get("/1.1/classes/_FriendshipRequest", params=texts({"where": where})).json()["results"]
    assert [row["objectId"] for row in found] == [id]
    answer = bob.call("PUT", f"/1.1/users/friendshipRequests/{id}/accept", json={"friendship": {"circle": "music"}})
    assert answer.json()["objectId"] == id
    where = {"user": bob.pointer, "friendStatus": True}
    rows = bob.get("/1.1/classes/_Followee", params=texts({"where": where})).json()["results"]
    assert [(row["followee"]["objectId"], row["circle"]) for row in rows] == [(ann.id, "music")]
    # The guide changes attributes by saving the object.
    assert bob.call("PUT", f"/1.1/classes/_Followee/{rows[0]['objectId']}", json={"remark": "x"}).status_code == 200


def test_js_installation(api):
    fields = {"deviceType": "web", "installationId": unique("i"), "channels": []}
    id = assert_created(api.post("/1.1/classes/_Installation", json=fields))
    again = api.post("/1.1/classes/_Installation", json=fields)
    assert (again.status_code, again.json()["objectId"]) == (200, id)


# Java

def test_java_statuses(pair):
    ann, bob = pair
    bob.follow(ann)
    for number in range(3):
        # Java sends the order and the limits of its query, too.
        query = {"className": "_Follower", "where": {"user": ann.pointer}, "keys": "follower", "limit": "0", "skip": "0"}
        data = {"image": "", "message": f"index={number}", "source": ann.pointer}
        assert_created(ann.post("/1.1/statuses", json={"data": data, "inboxType": "default", "query": query}))
    query = {
        "owner": json.dumps(bob.pointer), "inboxType": "default", "include": "source", "order": "-messageId", "limit": "2",
    }
    seen, last = [], None
    while True:
        # Its iterator goes on below the smallest number that it has seen.
        more = {} if last is None else {"maxId": str(last - 1)}
        page = bob.get("/1.1/subscribe/statuses", params=query | more).json()["results"]
        seen += [row["message"] for row in page]
        if len(page) < 2:
            break
        last = min(row["messageId"] for row in page)
    assert seen == ["index=2", "index=1", "index=0"]
    old_first = query | {"order": "messageId", "sinceId": "1"}
    page = bob.get("/1.1/subscribe/statuses", params=old_first).json()["results"]
    assert [row["messageId"] for row in page] == [2, 3]
    own = {"where": {"inboxType": "default", "source": ann.pointer}, "order": "-createdAt", "limit": "2"}
    found = bob.get("/1.1/statuses", params=texts(own)).json()["results"]
    assert [row["message"] for row in found] == ["index=2", "index=1"]
    # The receiver deletes from the inbox, the author the status.
    gone = {"messageId": "2", "inboxType": "default", "owner": json.dumps(bob.pointer)}
    assert bob.call("DELETE", "/1.1/subscribe/statuses/inbox", params=gone).json() == {}
    assert ann.call("DELETE", f"/1.1/statuses/{found[0]['objectId']}").json() == {}
    assert [message for _, message in bob.inbox()] == ["index=0"]
    counts = bob.get("/1.1/subscribe/statuses/count", params=query | {"count": "1", "limit": "0"}).json()
    assert counts == {"total": 1, "unread": 1}
    assert bob.post("/1.1/subscribe/statuses/resetUnreadCount").json() == {}


def test_java_friends_and_block_list(pair):
    ann, bob = pair
    request = assert_created(ann.post("/1.1/users/friendshipRequests", json={"user": ann.pointer, "friend": bob.pointer}))
    again = ann.post("/1.1/users/friendshipRequests", json={"user": ann.pointer, "friend": bob.pointer})
    assert_refused(again, 400, 1, "Friendship already exists.")
    # Its calls without attributes have a body without members, or none.
    assert bob.call("PUT", f"/1.1/users/friendshipRequests/{request}/decline").status_code == 200
    accepted = bob.call("PUT", f"/1.1/users/friendshipRequests/{request}/accept", json={})
    assert accepted.json()["updatedAt"]
    where = {"friendStatus": True, "user": bob.pointer}
    friends = lambda: bob.get("/1.1/users/self/friends", params=texts({"where": where, "include": "followee"})).json()
    assert [row["followee"]["username"] for row in friends()["results"]] == [ann.name]
    changed = bob.call(
        "PUT", f"/1.1/users/{bob.id}/friendship/{ann.id}",
        json={"friendship": {"remark": "x", "nickname": {"__op": "Delete"}}},
    )
    assert set(changed.json()) == {"objectId", "updatedAt"}
    assert friends()["results"][0]["remark"] == "x"
    assert bob.post(f"/1.1/users/self/friendBlocklist/{ann.id}").json() == {}
    assert friends() == {"results": []}
    blocked = bob.get("/1.1/users/self/friendBlocklist", params={"include": "blockedUser", "skip": "0", "limit": "10"})
    assert [row["blockedUser"]["objectId"] for row in blocked.json()["results"]] == [ann.id]
    assert bob.call("DELETE", f"/1.1/users/self/friendBlocklist/{ann.id}").json() == {}
    # The receiver deletes the request, and each its own friends.
    assert bob.call("DELETE", f"/1.1/classes/_FriendshipRequest/{request}").status_code == 200
    row = friends()["results"][0]["objectId"]
    assert bob.call("DELETE", f"/1.1/classes/_Followee/{row}").status_code == 200
    assert (friends()["results"], ann.others("friends")) == ([], {bob.id})


def test_java_installation(api):
    fields = {"deviceType": "android", "installationId": unique("i"), "timeZone": "Asia/Shanghai"}
    id = assert_created(api.post("/1.1/installations", json=fields, params={"fetchWhenSave": "false"}))
    assert api.call("PUT", f"/1.1/installations/{id}", json=fields | {"channels": ["a"]}).status_code == 200


# Objective-C

def test_objc_installation(api):
    """Each operation is a POST to the collection, with the id that the device has."""
    base = {"deviceToken": unique("t"), "apnsTeamId": "team", "deviceType": "ios", "timeZone": "Asia/Shanghai"}
    item = {"method": "POST", "path": "/1.1/installations"}
    first = [item | {"body": base | {"__internalId": "A", "badge": 1}}]
    id = api.post("/1.1/batch/save", json={"requests": first}).json()["A"]["objectId"]
    channels = {"__op": "AddUnique", "objects": ["a"]}
    more = [
        item | {"body": base | {"__internalId": id, "objectId": id, "badge": 2}},
        item | {"body": base | {"__internalId": id, "objectId": id, "channels": channels}},
    ]
    answer = api.post("/1.1/batch/save", json={"requests": more})
    assert answer.json()[id]["objectId"] == id, answer.text
    shown = api.get(f"/1.1/installations/{id}").json()
    assert (shown["badge"], shown["channels"], shown["deviceToken"]) == (2, ["a"], base["deviceToken"])


@pytest.mark.parametrize("path", ["/1.1/installations", "/1.1/classes/_Installation"])
def test_objc_installation_that_the_server_knows(api, path):
    """A reinstalled app has its token and no id; its operations, and objects that point to it, name it by theirs."""
    token = {"deviceToken": unique("t"), "deviceType": "ios"}
    id = assert_created(api.post(path, json=token))
    child = {"className": "_Installation", "cid": "A", "key": "device"}
    answer = api.post("/1.1/batch/save", json={"requests": [
        {"method": "POST", "path": path, "new": True, "body": token | {"__internalId": "A", "badge": 1}},
        {"method": "PUT", "path": path, "body": {"__internalId": "A", "channels": ["a"]}},
        {"method": "POST", "path": "/1.1/classes/OfDevices", "new": True, "body": {"__internalId": "B", "__children": [child]}},
    ]})
    assert answer.status_code == 200, answer.text
    assert answer.json()["A"]["objectId"] == id
    shown = api.get(f"/1.1/installations/{id}").json()
    assert (shown["badge"], shown["channels"]) == (1, ["a"])
    other = api.get(f"/1.1/classes/OfDevices/{answer.json()['B']['objectId']}").json()
    assert other["device"]["objectId"] == id


def test_objc_statuses(pair):
    ann, bob = pair
    assert bob.post(f"/1.1/users/self/friendship/{ann.id}").json() == {}
    query = {"className": "_Follower", "where": {"user": ann.pointer}, "include": "follower", "keys": "follower"}
    body = {"data": {"text": "hello", "source": ann.pointer}, "query": query, "inboxType": "default"}
    id = assert_created(ann.post("/1.1/statuses", json=body))
    owner = '{"__type":"Pointer", "className":"_User", "objectId":"%s"}' % bob.id
    shown = bob.get(f"/1.1/statuses/{id}", params={"owner": owner, "include": "source"}).json()
    assert (shown["text"], shown["source"]["username"], shown["inboxType"]) == ("hello", ann.name, "default")
    page = bob.get("/1.1/subscribe/statuses", params={"owner": json.dumps(bob.pointer), "inboxType": "default"}).json()
    assert (page["end"], [row["messageId"] for row in page["results"]]) == (True, [1])
    inbox = {"owner": owner, "inboxType": "default"}
    assert bob.get("/1.1/subscribe/statuses/count", params=inbox).json()["unread"] == 1
    assert bob.post("/1.1/subscribe/statuses/resetUnreadCount", json=inbox).json() == {}
    assert bob.get("/1.1/subscribe/statuses/count", params=inbox).json()["unread"] == 0
    deleted = ann.call("DELETE", f"/1.1/statuses/{id}", json={"owner": owner})
    assert deleted.json() == {}
    assert bob.inbox() == []


def test_objc_lists_of_friends_that_are_too_long_for_a_url(pair):
    """A GET whose URL has more than 4096 characters is sent as the only request of a batch."""
    ann, bob = pair
    id = assert_created(ann.post("/1.1/users/friendshipRequests", json={"user": ann.pointer, "friend": bob.pointer}))
    assert bob.call("PUT", f"/1.1/users/friendshipRequests/{id}/accept", json={}).status_code == 200
    many = [ann.pointer | {"objectId": f"{number:024x}"} for number in range(40)] + [bob.pointer]

    def found(path, field):
        params = {"where": json.dumps({field: {"$in": many}}), "include": field, "limit": 100}
        request = {"method": "GET", "path": path, "params": params}
        answer, = ann.post("/1.1/batch", json={"requests": [request]}).json()
        return [row[field]["username"] for row in answer["success"]["results"]]

    assert found("/1.1/users/self/friends", "followee") == [bob.name]
    assert ann.post(f"/1.1/users/self/friendBlocklist/{bob.id}").json() == {}
    assert found("/1.1/users/self/friends", "followee") == []
    assert found("/1.1/users/self/friendBlocklist", "blockedUser") == [bob.name]


# C#

@pytest.mark.parametrize("prefix", ["followers", "followees", "friendshiprequests"])
def test_csharp_rows_of_people_have_paths_of_their_own(pair, prefix):
    """Queries, fetches and deletes of these classes name no class since 2.2.2."""
    ann, bob = pair
    ann.follow(bob), bob.follow(ann)
    ann.post("/1.1/users/friendshipRequests", json={"user": ann.pointer, "friend": bob.pointer})
    params = texts({"where": {"user": ann.pointer}, "include": "user"})
    rows = ann.get(f"/1.1/{prefix}", params=params).json()["results"]
    assert [row["user"]["username"] for row in rows] == [ann.name]
    path = f"/1.1/{prefix}/{rows[0]['objectId']}"
    assert ann.get(path).json()["user"] == ann.pointer
    assert ann.call("DELETE", path).status_code == 200
    assert ann.get(f"/1.1/{prefix}", params=params).json()["results"] == []
