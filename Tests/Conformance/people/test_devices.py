"""Devices register themselves with every start of an app, and stay one object."""

import pytest
from people import Person, unique


def register(api, **fields):
    response = api.post("/1.1/installations", json=fields)
    assert response.status_code in (200, 201), response.text
    return response.status_code, response.json()["objectId"]


@pytest.mark.extended
def test_device_is_one_object_after_a_restart(new_server):
    server = new_server().start()
    fields = {"deviceType": "android", "installationId": unique("i"), "channels": ["a"]}
    status, id = register(server.api(), **fields)
    assert status == 201
    server.kill()
    server.start()
    assert register(server.api(), **fields | {"channels": ["b"]}) == (200, id)
    assert server.api().get(f"/1.1/installations/{id}").json()["channels"] == ["b"]
    assert len(server.api(master=True).get("/1.1/installations").json()["results"]) == 1


def test_device_of_another_user_is_protected_by_its_acl_and_the_own_one_stays_beside_it(server):
    ann, bob = Person(server), Person(server)
    token = unique("t")
    register(ann, deviceToken=token, ACL={ann.id: {"read": True, "write": True}})
    made = bob.post("/1.1/installations", json={"deviceToken": token})
    assert made.status_code == 201
    again = bob.post("/1.1/installations", json={"deviceToken": token})
    assert (again.status_code, again.json()["objectId"]) == (200, made.json()["objectId"])
