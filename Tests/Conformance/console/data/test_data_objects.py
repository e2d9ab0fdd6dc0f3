"""Objects that are added, deleted and exported; classes and fields; statements; sessions that only read."""

import csv
import io
import json

import pytest
from accounts import PASSWORD, log_in
from client import ALPHA
from data import Objects, date, geopoint, pointer
from data_area import downloaded
from people import unique
from queries import put
from selenium.webdriver.common.keys import Keys

FORMULA = "=HYPERLINK(\"http://evil.example\")"


@pytest.fixture
def tasks(master):
    """Seven objects of a class of the test's own."""
    tasks = Objects(master, unique("Task"))
    put(master, tasks.name, [{"n": n, "done": n % 2 == 0} for n in range(7)])
    return tasks


@pytest.mark.extended
def test_a_class_a_field_and_an_object_are_made(area, master):
    area.console.enter("data")
    name = unique("Shop")
    area.press("New class")
    area.browser.press("not a name")
    assert "A name is a letter" in area.refusal()
    area.type(name)
    area.browser.press(Keys.ENTER)
    area.browser.find(".data-head h2", name)
    area.has(0).press("New field")
    area.browser.press("price")
    area.browser.find("dialog select").send_keys("Number")
    area.save()
    area.browser.find("[role=columnheader]", "price")
    area.press("New object").browser.click("dialog input[aria-label='Set price']")
    area.type("12.5").save().has(1).shows(0, "price", "12.5")
    assert Objects(master, name).find()[0]["price"] == 12.5


@pytest.mark.extended
def test_a_user_is_made_with_a_password_and_logs_in(area, console_server):
    name = unique("ann")
    area.enter("_User").press("New object").browser.click("dialog input[aria-label='Set username']")
    area.browser.press(name)
    assert "password: Write a password." in area.refusal()
    area.browser.fill("dialog input[type=password]", PASSWORD)
    area.save()
    assert log_in(console_server.api(), username=name).json()["username"] == name


@pytest.mark.extended
def test_selected_objects_are_deleted_after_their_number_was_shown(area, tasks):
    area.enter(tasks.name, order="createdAt", count=7).select(1, 3).has(7, selected=2)
    area.focus(1, "n").browser.press(Keys.DELETE)
    area.browser.find("dialog", f"Delete from {tasks.name}: 2")
    assert area.browser.focused.text == "Cancel"
    area.press("Delete 2").has(5).notice(f"Deleted from {tasks.name}: 2.")
    assert sorted(task["n"] for task in tasks.find()) == [0, 2, 4, 5, 6]


@pytest.mark.extended
def test_a_deletion_that_is_not_confirmed_deletes_nothing(area, tasks):
    area.enter(tasks.name, count=7).select(0).press("Delete")
    area.browser.find("dialog", "1")
    area.browser.press(Keys.ESCAPE)
    area.browser.gone("dialog")
    area.has(7, selected=1)
    assert len(tasks.find()) == 7


@pytest.mark.extended
def test_everything_that_matches_is_deleted_but_what_was_taken_out(area, tasks):
    area.enter(tasks.name, where={"done": True}, order="createdAt", count=4).focus(0, "n")
    area.browser.press(Keys.CONTROL, "a")
    area.has(4, selected=4).select(2).has(4, selected=3).press("Delete")
    area.browser.find("dialog", "Everything")
    # Objects that match only after the question were not part of it.
    tasks.create(n=8, done=True)
    area.press("Delete 3").has(2)
    assert sorted(task["n"] for task in tasks.find()) == [1, 3, 4, 5, 8]


@pytest.mark.extended
def test_a_selection_is_exported_as_csv_without_formulas(area, master, downloads):
    things = Objects(master, unique("Thing"))
    time = date("2026-01-02T03:04:05.678Z")
    things.create(s=FORMULA, n=-1, d=time, p=pointer("Tree"), g=geopoint(1.5, 2), a=[1, "x"])
    things.create(s='a "quoted", text\nof two lines')
    things.create(s="not selected")
    area.enter(things.name, order="createdAt", count=3).select(0, 1).has(3, selected=2).press("Export")
    area.press("Save the file").notice("2 objects")
    text = downloaded(downloads, f"{things.name}.csv")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    first, second = sorted(rows, key=lambda row: row["createdAt"])
    assert first["s"] == f"'{FORMULA}" and first["n"] == "-1" and first["d"] == time["iso"]
    assert (first["p"], first["g"], first["a"]) == ("0" * 24, "1.5,2", '[1,"x"]')
    assert second["s"] == 'a "quoted", text\nof two lines' and second["n"] == ""


@pytest.mark.extended
def test_everything_is_exported_as_json_lines(area, master, downloads):
    many = Objects(master, unique("Many"))
    put(master, many.name, [{"n": n} for n in range(450)])
    area.enter(many.name, where={"n": {"$gte": 30}}, count=420).press("Export")
    area.browser.click("dialog input[value=jsonl]")
    area.press("Save the file").notice("420 objects")
    objects = [json.loads(line) for line in downloaded(downloads, f"{many.name}.jsonl").splitlines()]
    assert sorted(object["n"] for object in objects) == list(range(30, 450))
    assert objects[0]["ACL"] == {"*": {"read": True, "write": True}}


@pytest.mark.extended
def test_a_statement_runs_and_is_explained(area, tasks):
    area.console.enter("data", "query")
    area.browser.press(f"select n from {tasks.name} where n > 3 order by n")
    area.browser.press(Keys.CONTROL, Keys.ENTER)
    area.browser.find(".data-state", f"Results of {tasks.name}: 3")
    assert area.values("n", 3) == ["4", "5", "6"]
    area.press("Explain")
    text = area.browser.find(".explanation").text
    assert '"$gt": 3' in text and "SELECT" in text and "SCAN" in text
    area.browser.screenshot("data-explain")
    area.press("Show as a table")
    area.browser.find(".data-head h2", tasks.name)
    area.has(3)


@pytest.mark.extended
def test_a_statement_that_was_not_run_is_not_left_without_a_question(area, tasks):
    statement = f"select * from {tasks.name}"
    area.console.enter("data", "query")
    area.browser.fill("#statement", statement)
    area.browser.click("nav.classes a", tasks.name)
    area.browser.find("dialog h2", "Leave without saving?")
    area.browser.click("dialog button", "Cancel")
    area.browser.gone("dialog")
    assert area.browser.find("#statement").get_attribute("value") == statement
    assert area.browser.driver.current_url.endswith("#/data/query")
    area.press("Run").browser.find(".data-state", f"Results of {tasks.name}")
    area.browser.click("nav.classes a", tasks.name)
    area.browser.find(".data-head h2", tasks.name)


def assert_kept(area, tasks, statement):
    """A change was not made, and its statement is not left without a question."""
    area.browser.click("nav.classes a", tasks.name)
    area.browser.find("dialog h2", "Leave without saving?")
    area.press("Cancel").browser.gone("dialog")
    assert area.browser.find("#statement").get_attribute("value") == statement
    assert tasks.count() == 7


@pytest.mark.extended
@pytest.mark.parametrize("is_reader", [False, True])
def test_a_change_that_was_not_sent_is_not_left_without_a_question(is_reader, area, tasks):
    statement = f"delete from {tasks.name} where n = 0"
    area.console.enter("data", "query", key=ALPHA.reader if is_reader else None)
    area.browser.fill("#statement", statement)
    area.press("Run")
    if is_reader:
        area.browser.find(".query [role=alert]", "read-only")
    else:
        area.press("Cancel").browser.gone("dialog")
    assert_kept(area, tasks, statement)


@pytest.mark.extended
@pytest.mark.parametrize("button", ["Explain", "Run"])
def test_a_change_that_failed_is_not_left_without_a_question(button, area, tasks):
    """The server explains no change; the request that runs it gets no answer."""
    statement = f"delete from {tasks.name} where objectId = 'x'"
    area.console.enter("data", "query")
    area.browser.fill("#statement", statement)
    area.press(button)
    if button == "Run":
        area.browser.run(
            "const send = window.fetch; window.fetch = (target, options) => String(target.url ?? target)"
            ".includes('cloudQuery') ? Promise.reject(new TypeError()) : send(target, options)"
        )
        area.browser.click("dialog button.danger")
    area.browser.find(".query [role=alert]", "does not answer" if button == "Run" else "explain takes a SELECT")
    assert_kept(area, tasks, statement)


@pytest.mark.extended
def test_a_wrong_statement_is_answered_with_its_position_and_the_request(area):
    area.console.enter("data", "query")
    area.browser.press("select *\nfro Task")
    alert = area.press("Run").browser.find(".query [role=alert]", "line 2, column 1").text
    assert "Request " in alert


@pytest.mark.extended
def test_a_statement_that_changes_is_asked_about(area, tasks):
    id = tasks.find()[0]["objectId"]
    area.console.enter("data", "query")
    area.browser.press(f"delete from {tasks.name} where objectId = '{id}'")
    area.press("Run").browser.find("dialog", "changes data")
    assert tasks.count() == 7
    area.press("Run it").browser.find(".data-state", f"Results of {tasks.name}: 0")
    assert tasks.count() == 6


@pytest.mark.extended
def test_a_session_that_reads_has_no_buttons_that_change(area, tasks):
    area.enter(tasks.name, order="createdAt", count=7, key=ALPHA.reader)
    assert area.buttons() == ["Filter", "Refresh", "Export"]
    area.open(0, "n")
    assert [button.text for button in area.browser.all("dialog button")] == ["Close"]
    area.browser.press(Keys.ESCAPE)
    area.browser.gone("dialog")
    area.select(0).focus(0, "n").browser.press(Keys.DELETE)
    assert area.browser.all("dialog") == []
    area.browser.run("location.hash = '#/data/query'")
    area.browser.fill("#statement", f"delete from {tasks.name} where n = 0")
    area.press("Run").browser.find(".query [role=alert]", "read-only")
    assert tasks.count() == 7


@pytest.mark.extended
def test_a_class_without_a_session_asks_for_the_log_in_first(area, tasks):
    area.console.open("data", "class", tasks.name)
    area.browser.find("form.login-form")
    assert "Objects" not in area.browser.text
    area.console.log_in()
    area.browser.find(".data-head h2", tasks.name)
    area.has(7)
