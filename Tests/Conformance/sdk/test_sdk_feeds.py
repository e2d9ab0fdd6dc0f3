"""Followers and feeds with the official Python SDK, unmodified, as an app uses it."""

import pytest
from sdk_people import with_people

MORE = """
from leancloud import Status, InboxQuery
def ids(query): return [user.id for user in query.find()]
def messages(query): return [status.get("message") for status in query.find()]
"""


@pytest.fixture
def run(sdk):
    yield from with_people(sdk, MORE)


def test_follow_and_unfollow(run):
    seen = run(
        """
        ann, bob = person(), person()
        bob.follow(ann.id)
        followees = ids(User.create_followee_query(bob.id))
        User.set_current(ann)
        followers = ids(User.create_follower_query(ann.id))
        name = User.create_follower_query(ann.id).include("follower").first().get_username() == bob.get_username()
        User.set_current(bob)
        bob.unfollow(ann.id)
        say(followees=followees == [ann.id], followers=followers == [bob.id], name=name,
            left=ids(User.create_followee_query(bob.id)), itself=code(lambda: bob.follow(bob.id)),
            other=code(lambda: ann.follow(bob.id)))
        """
    )
    assert seen == {"followees": True, "followers": True, "name": True, "left": [], "itself": 1, "other": 206}


def test_statuses_for_followers(run):
    seen = run(
        """
        ann, bob = person(), person()
        bob.follow(ann.id)
        User.set_current(ann)
        for message in ("one", "two"):
            status = Status(message=message)
            status.send_to_followers()
        made = bool(status.id and status.created_at)
        User.set_current(bob)
        inbox = InboxQuery().owner(bob)
        first = inbox.first()
        counts = Status.count_unread_statuses(bob)
        say(made=made, all=messages(inbox), since=messages(InboxQuery().owner(bob).since_id(1)),
            until=messages(InboxQuery().owner(bob).max_id(1)), number=first.get("messageId"),
            source=first.get("source").id == ann.id, counts=[counts.total, counts.unread],
            foreign=code(lambda: Status.count_unread_statuses(ann)), kept=code(status.destroy))
        """
    )
    assert seen == {
        "made": True, "all": ["two", "one"], "since": ["two"], "until": ["one"], "number": 2, "source": True,
        "counts": [2, 2], "foreign": 403, "kept": 403,
    }


def test_private_status(run):
    seen = run(
        """
        bob, ann = person(), person()
        status = Status(message="secret")
        status.send_private_status(bob)
        own = messages(InboxQuery().owner(ann).inbox_type("private"))
        User.set_current(bob)
        received = messages(InboxQuery().owner(bob).inbox_type("private"))
        unread = Status.count_unread_statuses(bob, "private").unread
        User.set_current(ann)
        status.destroy()
        User.set_current(bob)
        say(own=own, received=received, unread=unread, left=messages(InboxQuery().owner(bob).inbox_type("private")))
        """
    )
    assert seen == {"own": [], "received": ["secret"], "unread": 1, "left": []}


def test_status_to_the_results_of_a_query_that_the_author_may_ask(run):
    seen = run(
        """
        bob, ann = person(), person()
        group = leancloud.Object.extend("sdk_Group")
        group(member=bob).save()
        status = Status(message="news")
        status.inbox_type = "news"
        query = Query("sdk_Group").equal_to("member", bob).select("member")
        status.send(query)
        User.set_current(bob)
        say(received=messages(InboxQuery().owner(bob).inbox_type("news")))
        """
    )
    assert seen == {"received": ["news"]}
