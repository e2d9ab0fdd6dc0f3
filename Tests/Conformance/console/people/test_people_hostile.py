"""Hostile values in the area People: no name of a user, role or file becomes markup or a script."""

import json

import pytest
from accounts import unique
from data import Objects
from people import permit
from pictures import encoded, plain
from scripts_as_text import XSS, assert_nothing_ran, watch


@pytest.fixture(scope="module")
def evil(console_server):
    """Users, roles and files with these names; returns the first user and the first role."""
    api = console_server.api(master=True)
    word = unique("evil")
    users = []
    for number, text in enumerate(XSS):
        name = f"{word}{number} {text}"
        platform = {f"p{number}": {"uid": text, "access_token": "x"}}
        fields = {"bio": text, "list": [text], "map": {"text": text}, "authData": platform}
        response = api.post("/1.1/users", json={"username": name, "password": "x"} | fields)
        assert response.status_code == 201, response.text
        users.append(response.json()["objectId"])
    members = [{"__type": "Pointer", "className": "_User", "objectId": id} for id in users]
    # An import has names that clients cannot give.
    response = api.post("/1.1/roles", json={
        "name": f"{word} {XSS[1]}", "ACL": {XSS[1]: {"read": True}},
        "users": {"__op": "AddRelation", "objects": members},
    })
    assert response.status_code == 201, response.text
    owner = json.dumps({"owner": users[0]})
    for text in XSS[:3]:
        # A name of a file has no slash.
        parts = {"metaData": (None, owner), "name": (None, text.replace("/", "∕"))}
        image = {"file": ("a.png", encoded(plain(8, 8)), "image/png")}
        assert api.post("/1.1/files", files=image | parts).status_code == 201
    return word, users[0], response.json()["objectId"], f"{word} {XSS[1]}"


@pytest.mark.extended
def test_names_are_text_in_every_view(people, browser, evil, master):
    word, user, role, name = evil
    notes = Objects(master, unique("Note"))
    notes.create(n=1)
    permit(master, notes.name, delete=[f"role:{name}", f"user:{user}"])
    people.enter("users", "1", word)
    watch(browser)
    browser.find(".people-users tbody a", XSS[0])
    assert_nothing_ran(browser)
    people.go("user", user).heading(XSS[0])
    browser.find(".people-files img")
    browser.find(".people-roles li", name)
    browser.find(".people-facts", XSS[0])
    assert_nothing_ran(browser)
    people.go("roles", role).heading(name)
    browser.find("[role=treeitem]", name)
    browser.find(".people-beside li a", XSS[2])
    people.named(f"Remove {word}0 {XSS[0]} from the role").question()
    assert_nothing_ran(browser)
    people.refuse()
    people.go("permissions", notes.name).heading(notes.name)
    browser.find("thead th", XSS[1])
    people.tick("Delete objects", f"Role {name}")
    assert f"Delete objects: Role {name} – no longer allowed" in people.changes()
    assert_nothing_ran(browser)
    assert people.errors() == []
