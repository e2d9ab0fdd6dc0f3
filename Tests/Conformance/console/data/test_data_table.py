"""The tables of the area Data: classes with counts, sorting, filters, and any number of rows."""

import json

import pytest
from client import ALPHA, Server
from data import Objects, describe, geopoint, pointer
from data_area import DataArea
from many_rows import add_copies
from people import unique
from queries import put
from selenium.webdriver.common.keys import Keys

ROWS = 100_000


@pytest.fixture(scope="module")
def trees(console_server):
    """A class of 230 trees, of which the numbers are indexed; shared by the tests that change nothing."""
    master = console_server.api(master=True)
    objects = Objects(master, unique("Tree"))
    put(master, objects.name, [{"n": n, "name": f"tree {n:03}", "isOak": n % 2 == 0} for n in range(230)])
    assert master.post(f"/1.1/indexes/{objects.name}", json={"fields": ["n"]}).status_code == 201
    return objects


@pytest.mark.extended
def test_a_class_shows_its_count_and_its_newest_objects(area, trees):
    area.enter(trees.name, count=230).shows(0, "name", "tree 229")
    assert area.values("isOak", 3) == ["false", "true", "false"]
    area.browser.find("nav.classes a[aria-current=page] .class-name", trees.name)
    area.browser.find("nav.classes a[aria-current=page] .class-count", "230")
    area.browser.screenshot("data-table")


@pytest.mark.extended
def test_a_table_is_sorted_by_indexed_fields_only(area, trees):
    area.enter(trees.name, count=230)
    sortable = [button.text for button in area.browser.all(".grid-sort .grid-name")]
    assert sortable == ["objectId", "n", "createdAt", "updatedAt"]
    area.press("n").shows(0, "n", "0")
    assert "order" in area.browser.driver.current_url
    area.browser.press(Keys.ENTER)
    area.shows(0, "n", "229")
    assert area.browser.find("[aria-sort]").get_attribute("aria-sort") == "descending"


@pytest.mark.extended
def test_the_keyboard_reaches_the_last_row_and_column(area, trees):
    area.enter(trees.name, order="n", count=230).focus(0, "n")
    area.browser.press(Keys.CONTROL, Keys.END)
    area.shows(229, "n", "229")
    area.browser.wait(lambda: area.browser.focused == area.cell(229, "ACL"), "the last cell has no focus")
    area.browser.press(Keys.HOME)
    area.browser.press(Keys.PAGE_UP)
    area.browser.press(Keys.ARROW_RIGHT)
    row = int(area.browser.run("return document.activeElement.parentNode.getAttribute('aria-rowindex')")) - 2
    assert 180 < row < 229
    area.browser.wait(lambda: area.browser.focused == area.cell(row, "objectId"), "the focus is elsewhere")


@pytest.mark.extended
def test_a_filter_shows_its_condition_and_statement(area, trees):
    area.enter(trees.name, count=230).press("Filter").press("Add a test")
    for field, test, value, where, cql in [
        ("n", "≥", "200", {"n": {"$gte": 200}}, "n >= 200"),
        ("name", "begins with", "it's (\\d) .1", {"name": {"$regex": "^it's \\(\\\\d\\) \\.1"}}, None),
        ("n", "is one of", "1, 2, 999", {"n": {"$in": [1, 2, 999]}}, "n in (1, 2, 999)"),
        ("isOak", "has no value", None, {"isOak": {"$exists": False}}, "isOak is not exists"),
        ("name", "contains", "e 01", {"name": {"$regex": "e 01"}}, "name regexp 'e 01'"),
    ]:
        area.choose("Field", field).choose("Comparison", test)
        if value is not None:
            area.browser.fill("input[aria-label=Value]", value)
        text = area.browser.find("textarea[aria-label^=Condition]").get_attribute("value")
        statement = area.browser.find("output.code").text
        assert json.loads(text) == where
        assert cql is None or statement == f"select * from {trees.name} where {cql}"
        # The statement means the same to the server.
        explained = trees.api.get("/1.1/cloudQuery", params={"cql": statement, "explain": 1})
        assert explained.status_code == 200 and explained.json()["where"] == where, explained.text
    area.press("Apply").has(10)
    area.press("Open as a statement").press("Run").browser.find(".data-state", f"Results of {trees.name}: 10")


@pytest.mark.extended
def test_a_filter_adds_to_the_condition_in_force(area, trees):
    area.enter(trees.name, where={"isOak": True}, count=115).press("Filter").press("Add a test")
    area.choose("Field", "n").choose("Comparison", "≤")
    area.browser.fill("input[aria-label=Value]", "6")
    area.press("Apply").has(4)


@pytest.mark.extended
def test_a_filter_adds_to_a_condition_that_was_typed_by_hand(area, trees):
    area.enter(trees.name, count=230).press("Filter")
    text = lambda: json.loads(area.browser.find("textarea[aria-label^=Condition]").get_attribute("value"))
    area.browser.fill("textarea[aria-label^=Condition]", '{"n": {"$lt": 7}}')
    area.press("Apply").has(7).press("Add a test")
    area.choose("Field", "isOak").press("Apply").has(4)
    assert text() == {"n": {"$lt": 7}, "isOak": True}
    # The condition of the address is in force, and not the earlier one of the builder.
    area.browser.driver.back()
    area.has(7)
    assert text() == {"n": {"$lt": 7}} and area.browser.all(".filter-row") == []


@pytest.mark.extended
def test_a_condition_that_was_typed_and_not_applied_is_not_replaced(area, trees):
    where = "textarea[aria-label^=Condition]"
    area.enter(trees.name, count=230).press("Filter")
    area.browser.fill(where, '{"n": {"$lt": 7}')
    area.press("Add a test").browser.find(".filter [role=alert]", "This is not JSON")
    assert area.browser.all(".filter-row") == []
    area.browser.find(where).send_keys("}")
    area.press("Add a test").choose("Field", "isOak").press("Apply").has(4)
    # The rows go when the text is changed, so that no later change of one of them replaces it.
    typed = '{"n": {"$lt": 3}, "isOak": false}'
    area.browser.fill(where, typed)
    assert area.browser.all(".filter-row") == []
    area.choose("How the tests combine", "At least one test holds")
    assert area.browser.find(where).get_attribute("value") == typed
    area.press("Apply").has(1)


@pytest.mark.extended
def test_rows_whose_conditions_are_not_in_the_text_are_not_replaced_by_typing(area, trees):
    area.enter(trees.name, count=230).press("Filter").press("Add a test")
    text = area.browser.find("textarea[aria-label^=Condition]")
    area.choose("Field", "n").choose("Comparison", "≤")
    area.browser.fill("input[aria-label=Value]", "4")
    area.press("Add a test").choose("Field", "n")
    area.browser.find(".filter [role=alert]", "Write a number")
    # The first row changes while the second one has no value: the text has its earlier condition.
    area.browser.fill("input[aria-label=Value]", "1")
    text.send_keys(" ")
    assert json.loads(text.get_attribute("value")) == {"n": {"$lte": 4}}
    assert len(area.browser.all(".filter-row")) == 2
    area.browser.find(".filter [role=alert]", "Write a number")
    assert not area.browser.find(".filter button", "Open as a statement").is_enabled()
    # By keyboard: the buttons move when a row or the alert goes.
    area.browser.all(".filter-row button")[-1].send_keys(Keys.ENTER)
    area.browser.wait(lambda: len(area.browser.all(".filter-row")) == 1, "the row is not removed")
    area.browser.find("input[aria-label=Value]").send_keys(Keys.ENTER)
    area.has(2)
    text.send_keys(" ")
    assert area.browser.all(".filter-row") == []


@pytest.mark.extended
def test_a_condition_is_a_statement_that_selects_the_same_or_none(console):
    console.open()
    statements = console.browser.run(
        "return import('/console/areas/data/condition.js').then(({ cqlOf }) =>"
        " arguments[0].map((where) => cqlOf('Tree', where)))",
        [
            {"$or": [{}, {"n": 1}]}, {"$or": [{}]}, {"$and": [{}, {}], "n": 1}, {"$and": [{}, {"n": 1}]},
            {"$or": [{"n": 1}, {"n": 2}]}, {"n": {"$in": []}}, {"n": {"$nin": []}}, {"$or": []},
        ],
    )
    assert statements == [
        "select * from Tree", "select * from Tree", "select * from Tree where n = 1",
        "select * from Tree where n = 1", "select * from Tree where (n = 1 or n = 2)", None, None, None,
    ]


@pytest.mark.extended
def test_tests_of_a_filter_combine_and_a_wrong_value_is_named(area, trees):
    area.enter(trees.name, count=230).press("Filter").press("Add a test")
    area.choose("Field", "n").choose("Comparison", "<")
    area.browser.fill("input[aria-label=Value]", "many")
    area.press("Apply")
    area.browser.find(".filter [role=alert]", "Write a number")
    area.browser.fill("input[aria-label=Value]", "5")
    area.press("Add a test").choose("Field", "isOak").choose("How the tests combine", "At least one test holds")
    area.press("Apply").has(117)
    area.choose("How the tests combine", "All tests hold").press("Apply").has(3)
    area.press("Show all objects").has(230)


@pytest.mark.extended
def test_a_condition_that_the_server_refuses_is_explained(area, trees):
    area.enter(trees.name, where={"n": {"$foo": 1}})
    area.browser.find(".data-state", "$foo is not a known operator")


@pytest.mark.extended
def test_values_of_all_types_are_shown_in_short(area, console_server):
    master = console_server.api(master=True)
    objects = Objects(master, unique("Typed"))
    describe(master, objects, "friends", type="Relation", className="_User")
    objects.create(
        text="a\nb", number=-0.5, place=geopoint(1.5, -2), list=["x", 1], map={"a": {"b": None}},
        other=pointer("Tree"), long="x" * 1000,
        ACL={"*": {"read": True}, "role:Editors": {"read": True, "write": True}},
    )
    objects.create(text="")
    area.enter(objects.name, order="createdAt", count=2)
    expected = {
        "text": "a b", "number": "-0.5", "place": "1.5, -2", "list": '["x",1]', "map": '{"a":{"b":null}}',
        "other": f"Tree:{'0' * 24}", "friends": "→ _User", "ACL": "* r, role:Editors rw",
    }
    assert {field: area.text(0, field) for field in expected} == expected
    assert area.text(0, "long") == "x" * 200 + "…"
    assert area.text(1, "number") == "—" and area.text(1, "text") == ""


@pytest.mark.extended
def test_a_hundred_thousand_rows_have_few_nodes_and_small_requests(browser, tmp_path):
    from browser import Console

    server = Server(tmp_path, apps=(ALPHA,)).start()
    things = Objects(server.api(master=True), "Thing")
    things.create(n=0)
    assert server.stop() == 0
    add_copies(server, "Thing", ROWS - 1, '"n":0', lambda n: f'"n":{n}')
    server.start()
    try:
        area = DataArea(Console(browser, server)).enter("Thing", count=ROWS).focus(0, "n")
        browser.run(
            "window.limits = []; const sent = window.fetch; window.fetch = (address, options) => {"
            " window.limits.push(Number(new URL(address, location).searchParams.get('limit')));"
            " return sent(address, options); }"
        )
        # Through the whole table in 40 steps, faster than the answers come.
        browser.run(
            "const grid = document.querySelector('.grid'); let step = 0; const go = () => {"
            " grid.scrollTop = grid.scrollHeight * (step += 1) / 40;"
            " step < 40 ? requestAnimationFrame(go) : grid.dataset.scrolled = 'true'; }; go();"
        )
        browser.find(".grid[data-scrolled]")
        browser.press(Keys.CONTROL, Keys.END)
        area.shows(ROWS - 1, "n", "0")
        limits = browser.run("return window.limits")
        assert max(limits) <= 200 and len(limits) < 100
        assert len(browser.all(".grid-row")) < 100
        assert area.browser.find(".grid").get_attribute("aria-rowcount") == str(ROWS + 1)
        assert area.errors() == []
    finally:
        server.stop()
