"""The area Data for all its readers: rules of accessibility, both languages, both colour schemes, a narrow window."""

import pytest
from accessibility import without_focus_ring
from data import Objects, describe, geopoint, pointer
from looks import LOOKS, Looks
from people import unique
from selenium.webdriver.common.keys import Keys


@pytest.fixture(scope="module")
def gallery(console_server):
    """An object with a value for each editor, a role, a member of a relation."""
    master = console_server.api(master=True)
    objects = Objects(master, unique("Gallery"))
    describe(master, objects, "members", type="Relation", className=objects.name)
    id = objects.create(
        text="a long text " * 10, n=1.5, yes=True, place=geopoint(48.85, 2.35), list=["x", 1], map={"a": {"b": 1}},
        link=pointer("_User"), due={"__type": "Date", "iso": "2026-01-02T03:04:05.678Z"},
    )
    objects.update(id, {"members": {"__op": "AddRelation", "objects": [objects.pointer(id)]}})
    return objects


@pytest.mark.extended
@LOOKS
def test_every_page_and_panel_obeys_the_rules(console, area, gallery, language, scheme, width):
    browser = console.browser
    looks = Looks(browser, "data", language, scheme, width)
    console.enter("data", language=language)
    browser.find(".class-count")
    looks.at("classes")
    browser.run("location.hash = arguments[0]", f"#/data/class/{gallery.name}")
    for field in ["text", "n", "yes", "place", "list", "map", "link", "due", "members", "ACL", "objectId"]:
        area.open(0, field)
        if field in ("link", "members"):
            browser.wait(lambda: browser.all("[role=option]") or browser.all(".finder .hint"), "no search")
        looks.at(f"editor-{field}")
        browser.press(Keys.ESCAPE)
        browser.gone("dialog")
    assert not without_focus_ring(browser)
    looks.at("table")
    for index, name in enumerate(["filter", "refresh", "export", "add", "field"]):
        browser.all(".data-head button")[index].click()
        if name == "filter":
            browser.click(".filter .line button")
        if name != "refresh":
            looks.at(name)
        if browser.all("dialog"):
            browser.press(Keys.ESCAPE)
            browser.gone("dialog")
    browser.run("location.hash = arguments[0]", "#/data/query")
    browser.fill("#statement", f"select * from {gallery.name}")
    browser.press(Keys.CONTROL, Keys.ENTER)
    browser.find(".data-main .grid")
    looks.at("statement")
    browser.all(".query button")[1].click()
    browser.find(".explanation")
    looks.at("explanation")
    assert looks.broken == {}
    assert area.errors() == []
