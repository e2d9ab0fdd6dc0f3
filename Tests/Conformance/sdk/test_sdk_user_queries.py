"""Queries of users, and objects that point to them, with the official Python SDK, unmodified, as an app uses it."""

import pytest
from client import ALPHA
from people import forbidden
from sdk_people import with_people


@pytest.fixture
def run(sdk):
    yield from with_people(sdk)


def test_guest_may_not_query_users(run):
    seen = run("say(refused=[refusal(call) for call in (User.query.find, User.query.count, User.query.first)])")
    assert seen == {"refused": [forbidden("find", "_User")] * 3}


def test_user_that_queries_finds_itself_alone(run):
    seen = run(
        """
        other = person(); user = person()
        say(all=[found.id == user.id for found in User.query.find()], count=User.query.count(),
            other=User.query.equal_to("username", other.get_username()).count(),
            itself=User.query.equal_to("username", user.get_username()).count())
        """
    )
    assert seen == {"all": [True], "count": 1, "other": 0, "itself": 1}


def test_master_key_queries_users(run, sdk):
    users = run("users = [person(city='Lyon'), person(city='Oslo')]; say(ids=[user.id for user in users])")["ids"]
    lines = """
        found = leancloud.User.query.contained_in("objectId", arguments["users"]).descending("city").find()
        say(ids=[user.id for user in found], cities=[user.get("city") for user in found])
        """
    assert sdk(lines, master=ALPHA.master, users=users) == {"ids": users[::-1], "cities": ["Oslo", "Lyon"]}


def test_guest_gets_a_user_by_its_id(run):
    seen = run("user = person(city='Lyon'); User.set_current(None); say(city=User.query.get(user.id).get('city'))")
    assert seen == {"city": "Lyon"}


def test_included_user_shows_what_anybody_may_see(run, things):
    seen = run(
        """
        Thing = leancloud.Object.extend(arguments["name"])
        user = User.login_with("github", {"uid": new_name(), "access_token": "secret"})
        user.set("city", "Lyon").save()
        thing = Thing(owner=user); thing.save()
        User.set_current(None)
        bare, whole = (query.get(thing.id).get("owner") for query in (Thing.query, Thing.query.include("owner")))
        say(bare=fields(bare), id=bare.id == user.id, whole=fields(whole), city=whole.get("city"))
        """, name=things.name,
    )
    assert seen == {
        "bare": ["objectId"], "id": True, "city": "Lyon",
        "whole": ["city", "createdAt", "emailVerified", "mobilePhoneVerified", "objectId", "updatedAt", "username"],
    }


def test_objects_are_found_by_the_user_they_point_to(run, things):
    seen = run(
        """
        Thing = leancloud.Object.extend(arguments["name"])
        ann = person(); bob = person()
        for n, owner in enumerate([ann, bob, ann]): Thing(n=n, owner=owner).save()
        say(found=[thing.get("n") for thing in Thing.query.equal_to("owner", ann).ascending("n").find()])
        """, name=things.name,
    )
    assert seen == {"found": [0, 2]}


def test_sub_query_on_users_is_no_way_around_their_permissions(run, things):
    seen = run(
        """
        Thing = leancloud.Object.extend(arguments["name"])
        ann = person(city="Lyon"); bob = person(city="Lyon")
        for owner in (ann, bob): Thing(owner=owner).save()
        query = Thing.query.matches_query("owner", User.query.equal_to("city", "Lyon"))
        mine = [thing.get("owner").id == bob.id for thing in query.find()]
        User.set_current(None)
        say(mine=mine, guest=refusal(query.find))
        """, name=things.name,
    )
    assert seen == {"mine": [True], "guest": forbidden("find", "_User")}
