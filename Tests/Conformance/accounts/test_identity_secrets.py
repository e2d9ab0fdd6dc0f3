"""Who sees `authData`, and who learns of it by asking in other ways."""

import json

import pytest
from accounts import join, sign_up, user_of
from client import Server
from data import Objects, batch
from identities import github


@pytest.fixture
def data():
    return github(access_token="t")


@pytest.fixture
def ann(api, data):
    """A user of GitHub."""
    return user_of(api, join(api, data))


@pytest.fixture
def bob(api):
    return sign_up(api)


def test_data_is_seen_by_the_user_and_the_master_key(api, master, ann, bob, data):
    seen = [ann.read(by=caller).get("authData") for caller in (ann.api, master, bob.api, api)]
    assert seen == [data, data, None, None]


def test_data_is_seen_alike_in_lists_and_batches(api, master, ann, bob, data):
    where = {"where": json.dumps({"objectId": ann.id})}
    assert [user["authData"] for user in ann.api.get("/1.1/users", params=where).json()["results"]] == [data]
    assert [user["authData"] for user in master.get("/1.1/users", params=where).json()["results"]] == [data]
    item = {"method": "GET", "path": ann.path}
    seen = [batch(caller, item).json()[0]["success"].get("authData") for caller in (ann.api, master, bob.api, api)]
    assert seen == [data, data, None, None]


def test_data_is_seen_alike_when_the_user_is_included(things, api, master, ann, bob, data):
    id = things.create(owner=ann.pointer)
    for keys in ({}, {"keys": "owner.authData"}):
        seen = [things.by(caller).read(id, include="owner", **keys)["owner"] for caller in (ann.api, master, bob.api, api)]
        assert [owner.get("authData") for owner in seen] == [data, data, None, None]


# Conditions

@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server on which every caller can search for users."""
    server = Server(tmp_path_factory.mktemp("open")).start()
    response = server.api(master=True).call("PUT", "/1.1/permissions/_User", json={"find": ["everyone"]})
    assert response.status_code == 200, response.text
    yield server
    assert server.stop() == 0


@pytest.fixture(params=["another", "guest"])
def asking(request, own):
    return sign_up(own.api()).api if request.param == "another" else own.api()


@pytest.fixture
def known(own, data):
    """A user of GitHub on that server."""
    return user_of(own.api(), join(own.api(), data))


def conditions(uid):
    return {
        "value": {"authData.github.uid": uid},
        "whole": {"authData.github": {"uid": uid, "access_token": "t"}},
        "$regex": {"authData.github.uid": {"$regex": f"^{uid}"}},
        "$in": {"authData.github.uid": {"$in": [uid]}},
        "$or": {"$or": [{"authData.github.uid": uid}, {"username": "nobody"}]},
    }


@pytest.mark.parametrize("case", conditions(""))
def test_conditions_do_not_see_the_data_of_others(own, asking, known, data, case):
    where = {"where": json.dumps(conditions(data["github"]["uid"])[case] | {"objectId": known.id})}
    assert asking.get("/1.1/users", params=where).json() == {"results": []}
    assert len(own.api(master=True).get("/1.1/users", params=where).json()["results"]) == 1


@pytest.mark.parametrize("case", conditions(""))
def test_sub_queries_do_not_see_the_data_of_others(own, asking, known, data, case):
    notes = Objects(own.api(), "Note")
    notes.create(owner=known.pointer)
    inner = {"className": "_User", "where": conditions(data["github"]["uid"])[case] | {"objectId": known.id}}
    where = {"owner": {"$inQuery": inner}}
    assert notes.by(asking).find(where=where) == []
    assert len(notes.by(own.api(master=True)).find(where=where)) == 1


@pytest.mark.parametrize("name", ["_Identity", "_User"])
def test_sub_query_does_not_tell_who_has_an_identity(api, things, bob, ann, data, name):
    things.create(owner=ann.pointer)
    uid = data["github"]["uid"]
    for where in ({"identity": f"github:{uid}"}, {"authData.github.uid": uid}):
        query = {"query": {"className": name, "where": where}, "key": "user" if name == "_Identity" else "objectId"}
        for caller in (api, bob.api):
            response = things.by(caller).query(where={"owner": {"$select": query}})
            assert ann.id not in response.text
