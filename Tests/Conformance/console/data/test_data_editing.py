"""Values that are edited in place: by the right editor, checked, and never lost."""

import json

import pytest
from data import DELETE, Objects, blob, describe, geopoint
from people import unique
from selenium.webdriver.common.keys import Keys


# A double has no such number; the next one is 9007199254740992.
LARGE = 9007199254740993


@pytest.fixture
def notes(master):
    return Objects(master, unique("Note"))


def stored(objects, id, field):
    return objects.read(id, returnACL="true").get(field, "none")


@pytest.mark.extended
def test_each_type_has_an_editor_that_saves_its_value(area, notes, master):
    target = Objects(master, unique("Target"))
    goal = target.create(name="the goal")
    target.create(name="another")
    id = notes.create(
        text="old", number=1, yes=False, list=[1], map={"a": 1}, place=geopoint(1, 2), bytes=blob("aGk="),
        link=target.pointer(goal),
    )
    notes.update(id, {"link": DELETE})
    area.enter(notes.name, count=1)
    typed = {
        "text": ("new ' \" < text", "new ' \" < text"), "number": (" -1.5e3", -1500),
        "list": ('["a", {"b": null}]', ["a", {"b": None}]), "map": ('{"x": []}', {"x": []}),
        "bytes": ("aGVsbG8=", blob("aGVsbG8=")),
    }
    for field, (text, value) in typed.items():
        area.open(0, field)
        area.type(text).save()
        assert stored(notes, id, field) == value, field
    area.open(0, "yes")
    area.browser.press(Keys.ARROW_LEFT)
    area.save().shows(0, "yes", "true")
    area.open(0, "place")
    area.type("-89.5")
    area.browser.press(Keys.TAB)
    area.type("179").save().shows(0, "place", "-89.5, 179")
    area.open(0, "link")
    area.type("the g")
    area.browser.find("[role=option]", "the goal")
    area.browser.gone("[role=option]:nth-child(2)")
    area.browser.press(Keys.ARROW_DOWN)
    area.browser.press(Keys.ENTER)
    area.save().shows(0, "link", f"{target.name}:{goal}")
    assert stored(notes, id, "link") == target.pointer(goal)
    area.open(0, "link")
    area.press("Show the object")
    area.browser.find(".data-head h2", target.name)
    area.has(1).shows(0, "name", "the goal")
    assert area.errors() == []


@pytest.mark.extended
def test_a_date_is_edited_in_local_time_and_stored_in_utc(area, notes):
    id = notes.create(due={"__type": "Date", "iso": "2026-01-02T03:04:05.678Z"})
    area.enter(notes.name, count=1).open(0, "due")
    area.browser.find("dialog output", "UTC: 2026-01-02T03:04:05.678Z")
    area.browser.run(
        "const field = document.activeElement; field.value = '2030-05-06T07:08:09.010';"
        " field.dispatchEvent(new Event('input', { bubbles: true }))"
    )
    expected = area.browser.run("return new Date('2030-05-06T07:08:09.010').toISOString()")
    area.save()
    assert stored(notes, id, "due")["iso"] == expected


@pytest.mark.extended
def test_a_date_that_is_not_changed_stays_in_an_hour_that_the_clocks_repeat(area, notes):
    # 02:30 by the clocks, for the second time.
    time = "2026-10-25T01:30:00.000Z"
    id = notes.create(due={"__type": "Date", "iso": time})
    area.browser.command("Emulation.setTimezoneOverride", timezoneId="Europe/Berlin")
    area.enter(notes.name, count=1).open(0, "due")
    area.browser.find("dialog output", f"UTC: {time}")
    area.save()
    assert stored(notes, id, "due")["iso"] == time


@pytest.mark.extended
def test_a_string_keeps_its_line_ends(area, notes):
    id = notes.create(dos="one\r\ntwo", mixed="one\r\ntwo\nthree")
    area.enter(notes.name, count=1).open(0, "dos")
    area.browser.press(Keys.ARROW_RIGHT, "!")
    area.save().shows(0, "dos", "one two!").open(0, "mixed")
    area.save()
    assert (stored(notes, id, "dos"), stored(notes, id, "mixed")) == ("one\r\ntwo!", "one\r\ntwo\nthree")


@pytest.mark.extended
def test_a_platform_that_is_left_out_is_removed_from_a_user(area, master):
    platform = lambda: {"uid": unique("uid"), "access_token": "x"}
    data = {"github": platform(), "weibo": platform()}
    id = master.post("/1.1/users", json={"authData": data}).json()["objectId"]
    area.enter("_User", where={"objectId": id}, count=1).open(0, "authData")
    del data["github"]
    area.type(json.dumps(data)).save()
    assert master.get(f"/1.1/users/{id}").json()["authData"] == data


@pytest.mark.extended
def test_numbers_that_the_page_would_round_are_known(console):
    console.open()
    exact = ["-9007199254740991", "0.1", "1e17", "9007199254740992.0", "1e300", "100000000000000000000", "-.5e3",
             "0.0", "-0e5", "1.50", "5e-324", "0.30000000000000004"]
    rounded = [
        "9007199254740992", "-9223372036854775808", "9007199254740993.0", "9007199254740993e0", "12345678901234567890",
        "12345678901234567890.5", "1e400", "0.12345678901234567890123", "9007199254740990.7", "1e-400",
    ]
    script = "return import('/console/scripts/numbers.js').then(({ isExact }) => arguments[0].filter(isExact))"
    assert console.browser.run(script, exact + rounded) == exact


@pytest.mark.extended
def test_a_wrong_value_is_explained_and_not_stored(area, notes):
    wrong = {
        "n": (1, "1,5", "Write a number"), "m": (1, "9007199254740993", "too large"),
        "list": ([1], "[1", "not JSON: line 1, column 3"), "items": ([1], '{"a": 1}', "needs an array"),
        "map": ({"a": 1}, "[]", "needs an object"), "place": (geopoint(1, 2), "91", "between -90 and 90"),
        "bytes": (blob("aGk="), "a$b=", "not Base64"), "deep": ({"a": 1}, '{"$a": 1}', "$a"),
        "power": (1, "9007199254740993e0", "too large"),
        # The page has another number than the server, so each change of the value would store that.
        "large": ({"n": LARGE, "m": 1}, '{"n": 9007199254740992, "m": 2}', "round the number 9007199254740992"),
    }
    id = notes.create(**{field: value for field, (value, _, _) in wrong.items()})
    area.enter(notes.name, count=1)
    for field, (_, text, message) in wrong.items():
        area.open(0, field)
        assert message in area.type(text).refusal(), field
        # What was typed is still there, and has the focus again.
        assert area.browser.focused.get_attribute("value") == text
        area.browser.press(Keys.ESCAPE)
        area.browser.gone("dialog")
    for field, (value, _, _) in wrong.items():
        assert stored(notes, id, field) == value, field


def test_a_value_is_removed(area, notes):
    id = notes.create(text="gone soon", n=1)
    area.enter(notes.name, count=1).open(0, "text")
    area.press("Remove the value")
    area.browser.click("dialog button.danger")
    area.shows(0, "text", "—")
    assert stored(notes, id, "text") == "none"


@pytest.mark.extended
def test_the_focus_returns_to_the_cell(area, notes):
    notes.create(text="a")
    area.enter(notes.name, count=1).open(0, "text")
    area.type("b")
    area.browser.press(Keys.ENTER)
    area.browser.gone("dialog")
    area.browser.wait(lambda: area.browser.focused == area.cell(0, "text"), "the focus is elsewhere")


@pytest.mark.extended
def test_a_change_by_another_client_is_not_overwritten_unseen(area, notes):
    id = notes.create(text="first")
    area.enter(notes.name, count=1).open(0, "text")
    notes.update(id, {"text": "theirs"})
    assert "now theirs" in area.type("mine").refusal()
    assert stored(notes, id, "text") == "theirs"
    area.save().shows(0, "text", "mine")


@pytest.mark.extended
def test_nothing_typed_is_lost_when_the_session_ends(area, notes, console):
    id = notes.create(text="first")
    area.enter(notes.name, count=1).open(0, "text")
    area.type("typed before the end")
    console.end_sessions()
    # Any call can be the one that asks for the log-in, in a dialog over the panel.
    save = "document.querySelector('.panel button.primary').click()"
    area.browser.run(save)
    area.browser.find("dialog form.login-form")
    area.browser.press(Keys.ESCAPE)
    area.browser.gone("dialog form.login-form")
    area.browser.wait(lambda: not area.browser.all(".panel[aria-busy]"), "the panel still waits")
    assert area.browser.find("dialog textarea").get_attribute("value") == "typed before the end"
    assert area.browser.all(".panel [role=alert]")[0].text == ""
    area.browser.run(save)
    console.log_in()
    area.browser.gone("dialog")
    area.shows(0, "text", "typed before the end")
    assert stored(notes, id, "text") == "typed before the end"


@pytest.mark.extended
def test_an_acl_names_users_and_roles(area, notes, master):
    name = unique("reader")
    user = master.post("/1.1/users", json={"username": name, "password": "correct horse"}).json()["objectId"]
    role = unique("Editors")
    assert master.post("/1.1/roles", json={"name": role, "ACL": {"*": {"read": True}}}).status_code == 201
    id = notes.create(n=1, ACL={"*": {"read": True}, user: {"read": True, "write": True}})
    area.enter(notes.name, count=1).open(0, "ACL")
    area.browser.find("dialog tbody th", f"{name} (user {user})")
    area.browser.click(f"dialog input[aria-label^='{name}'][aria-label$=write]")
    area.browser.click("dialog summary", "Add a role")
    area.browser.find("dialog details[open] input[role=combobox]").send_keys(role)
    area.pick(role)
    area.browser.find("dialog tbody th", f"Role {role}")
    area.browser.click("button[aria-label='Remove Everyone']")
    area.browser.screenshot("data-acl")
    area.save().shows(0, "ACL", f"{user} r, role:{role} r")
    assert stored(notes, id, "ACL") == {user: {"read": True}, f"role:{role}": {"read": True}}


@pytest.mark.extended
def test_the_first_box_of_an_acl_keeps_the_focus_when_the_names_are_known(area, notes, master):
    body = {"username": unique("reader"), "password": "correct horse"}
    user = master.post("/1.1/users", json=body).json()["objectId"]
    id = notes.create(n=1, ACL={user: {"read": True}})
    area.enter(notes.name, count=1).open(0, "ACL")
    area.browser.find("dialog tbody th", f"(user {user})")
    area.browser.press(Keys.SPACE)
    area.browser.press(Keys.TAB)
    area.browser.press(Keys.SPACE)
    area.browser.press(Keys.CONTROL, Keys.ENTER)
    area.browser.gone("dialog")
    assert stored(notes, id, "ACL") == {user: {"write": True}}


@pytest.mark.extended
def test_members_of_a_relation_are_added_removed_and_followed(area, notes, master):
    targets = Objects(master, unique("Member"))
    one, two = targets.create(name="one"), targets.create(name="two")
    describe(master, notes, "members", type="Relation", className=targets.name)
    id = notes.create(n=1)
    notes.update(id, {"members": {"__op": "AddRelation", "objects": [targets.pointer(one)]}})
    area.enter(notes.name, count=1).open(0, "members")
    area.browser.click(f"button[aria-label^='Remove one ({one})']")
    area.browser.find("dialog [role=status]", f"Members in {targets.name}: 0")
    area.pick("two")
    area.browser.find(".members li", "two")
    assert notes.members(id, "members", targets) == {two}
    area.press("Show as a table")
    area.browser.find(".data-head h2", targets.name)
    area.has(1).shows(0, "name", "two")


@pytest.mark.extended
def test_a_removed_member_of_a_relation_is_added_again_by_undo(area, notes, master):
    targets = Objects(master, unique("Member"))
    member = targets.create(name="one")
    describe(master, notes, "members", type="Relation", className=targets.name)
    id = notes.create(members={"__op": "AddRelation", "objects": [targets.pointer(member)]})
    area.enter(notes.name, count=1).open(0, "members")
    area.browser.click(f"button[aria-label^='Remove one ({member})']")
    area.browser.find("dialog [role=status]", f"Removed: one ({member}).")
    assert notes.members(id, "members", targets) == set()
    area.browser.wait(lambda: area.browser.focused.text == "Undo", "the focus is elsewhere")
    area.browser.press(Keys.ENTER)
    area.browser.find(".members li", "one")
    assert notes.members(id, "members", targets) == {member}


@pytest.mark.extended
def test_an_image_of_a_file_is_previewed(area, notes, master, rocket):
    record = master.store(rocket)
    notes.create(photo={"__type": "File", "id": record["objectId"]})
    area.enter(notes.name, count=1).shows(0, "photo", "photo.jpg").open(0, "photo")
    image = area.browser.find("dialog img.preview")
    width = lambda: area.browser.run("return arguments[0].naturalWidth", image)
    area.browser.wait(lambda: width() == 320, "the image is not shown")
    assert area.errors() == []
