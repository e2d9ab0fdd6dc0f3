"""Hostile values in the area Data: nothing that an app stores becomes markup or a script, wherever it is shown."""

import json
from urllib.parse import quote

import pytest
from data import Objects, describe
from people import unique
from queries import put
from selenium.webdriver.common.keys import Keys

CORPUS = [
    "<img src=x onerror=window.hacked=1>", "<script>window.hacked=1</script>", "<svg/onload=window.hacked=1>",
    "\"><b onmouseover=window.hacked=1>", "javascript:window.hacked=1", "{{constructor.constructor('hacked=1')()}}",
    "</textarea><iframe srcdoc='<script>parent.hacked=1</script>'>", "\u202e\u0007<a href=//evil.example>",
    "${hacked=1}",
]


def assert_harmless(area):
    browser = area.browser
    assert browser.run("return window.hacked") is None
    made = "iframe, [srcdoc], [onerror], [onload], [onmouseover], a[href*=evil], .data img, .data b, .data svg:not(.map)"
    assert browser.run("return document.querySelectorAll(arguments[0]).length", made) == 0
    assert area.errors() == []


@pytest.mark.extended
def test_values_are_text_wherever_they_are_shown(area, master):
    evil = Objects(master, unique("Evil"))
    name = lambda text: text.translate({ord("."): None, ord("$"): None})
    put(master, evil.name, [{"name": text, "list": [text], "map": {name(text): text}} for text in CORPUS])
    area.enter(evil.name, order="createdAt", count=len(CORPUS))
    for row, text in enumerate(CORPUS):
        assert area.text(row, "name") == text
    area.open(0, "name")
    assert area.browser.focused.get_attribute("value") == CORPUS[0]
    area.browser.press(Keys.ESCAPE)
    area.open(6, "list")
    area.browser.press(Keys.ESCAPE)
    area.browser.gone("dialog")
    area.press("Filter").press("Add a test").choose("Field", "name")
    area.browser.fill("input[aria-label=Value]", CORPUS[0])
    area.browser.find("output.code", CORPUS[0])
    area.press("Apply").has(1)
    assert_harmless(area)


@pytest.mark.extended
def test_names_of_users_roles_and_members_are_text(area, master):
    name = f"{CORPUS[0]}{unique('')}"
    user = master.post("/1.1/users", json={"username": name, "password": "correct horse"}).json()["objectId"]
    notes = Objects(master, unique("Note"))
    describe(master, notes, "link", type="Pointer", className="_User")
    notes.create(n=1, ACL={user: {"read": True}, f"role:{CORPUS[2]}": {"read": True}})
    area.enter(notes.name, count=1).open(0, "ACL")
    area.browser.find("dialog tbody th", name)
    area.browser.press(Keys.ESCAPE)
    area.browser.gone("dialog")
    area.open(0, "link")
    area.browser.find("[role=option]", name)
    assert_harmless(area)


@pytest.mark.extended
def test_errors_and_statements_are_text(area):
    area.console.enter("data", "query", quote(f"select {CORPUS[0]}", safe=""))
    area.press("Run").browser.find(".query [role=alert]", "CQL syntax error")
    assert_harmless(area)


@pytest.mark.extended
def test_an_address_with_another_path_calls_nothing(area):
    """A stranger can write the address of a link; a class name in it must not become another path of the API."""
    area.console.enter("data", "class", "..")
    for name in ["../cloudQuery", "_User/../../cloudQuery?cql=delete", "<b>", "a b"]:
        area.browser.run("location.hash = arguments[0]", f"#/data/class/{quote(name, safe='')}")
        area.browser.find(".data-welcome")
    called = area.browser.run(
        "return performance.getEntriesByType('resource').map((entry) => entry.name)"
        ".filter((name) => name.includes('/api/'))"
    )
    assert called and all("/schemas" in address or "limit=0" in address for address in called)
    assert area.browser.run("return window.hacked") is None


@pytest.mark.extended
def test_names_that_every_object_of_javascript_has_are_fields_and_classes(area, master):
    """A guest can create them, and an object without the field must not get the member of JavaScript."""
    names = ["constructor", "hasOwnProperty", "toString", "valueOf"]
    targets = Objects(master, "constructor")
    things = Objects(master, unique("Thing"))
    things.create(link=targets.pointer(targets.create(name="the goal")), **{name: "text" for name in names})
    things.create(n=1)
    area.enter(things.name, order="createdAt", count=2).shows(1, "n", "1")
    assert [[area.text(row, name) for name in names] for row in (0, 1)] == [["text"] * 4, ["—"] * 4]
    area.open(1, "toString")
    assert area.browser.focused.get_attribute("value") == ""
    area.browser.press(Keys.ESCAPE)
    area.browser.gone("dialog")
    area.open(0, "link")
    area.browser.find("dialog output", "the goal")
    assert_harmless(area)


def test_an_address_with_a_condition_only_reads(area, master):
    things = Objects(master, unique("Thing"))
    things.create(n=1)
    area.console.enter("data", "class", things.name, quote(json.dumps({"where": ["x"], "order": {"a": 1}}), safe=""))
    area.has(1)
