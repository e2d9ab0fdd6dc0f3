"""Roles in the area People: the tree, who is in a role, and which roles are in which."""

import json

import pytest
from accounts import unique
from client import ALPHA
from data import pointer
from people import Person, Role
from people_area import import_users
from selenium.webdriver.common.keys import Keys


@pytest.fixture
def ann(console_server):
    return Person(console_server)


def roles_of(master, role, key):
    """The ids in a relation of a role."""
    target = {"users": "_User", "roles": "_Role"}[key]
    where = json.dumps({"$relatedTo": {"object": role.pointer, "key": key}})
    response = master.get(f"/1.1/classes/{target}", params={"where": where})
    return {one["objectId"] for one in response.json()["results"]}


@pytest.mark.extended
def test_the_tree_shows_roles_in_roles_by_keyboard_alone(people, browser, master):
    word = unique("A0")
    low, middle, top = (Role(master, name=f"{word} {name}") for name in ("low", "middle", "top"))
    middle.add(roles=[low])
    top.add(roles=[middle])
    people.enter("roles")
    browser.find("[role=treeitem]", top.name)
    assert middle.name not in [name for name, _ in people.tree()]
    browser.run("arguments[0].focus()", browser.find("[role=treeitem][tabindex='0']"))
    while browser.focused.get_attribute("aria-label") != top.name:
        before = browser.focused
        browser.press(Keys.ARROW_DOWN)
        assert browser.focused != before, f"the tree ends without {top.name}"
    browser.press(Keys.ARROW_RIGHT)
    browser.press(Keys.ARROW_RIGHT)
    browser.press(Keys.ARROW_RIGHT)
    browser.press(Keys.ARROW_RIGHT)
    assert browser.focused.get_attribute("aria-label") == low.name
    shown = [(name, level) for name, level in people.tree() if word in name]
    assert shown == [(top.name, 1), (middle.name, 2), (low.name, 3)]
    browser.press(Keys.ENTER)
    people.heading(low.name)
    people.go("roles", top.id).heading(top.name)
    browser.run("arguments[0].focus()", browser.find("[role=treeitem][tabindex='0']"))
    browser.press(Keys.ARROW_LEFT)
    browser.press(Keys.ARROW_LEFT)
    assert [name for name, _ in people.tree() if word in name] == [top.name, middle.name]
    assert people.errors() == []


@pytest.mark.extended
def test_roles_that_contain_each_other_end_in_the_tree(people, browser, master):
    word = unique("A1")
    first, second = Role(master, name=f"{word} first"), Role(master, name=f"{word} second")
    first.add(roles=[second])
    second.add(roles=[first])
    people.enter("roles", first.id).heading(first.name)
    browser.run("arguments[0].focus()", browser.find("[role=treeitem]", first.name))
    for _ in range(6):
        browser.press(Keys.ARROW_RIGHT)
    again = f"{first.name}, again: these roles contain each other"
    assert [one for one in people.tree() if word in one[0]] == [[first.name, 1], [second.name, 2], [again, 3]]


@pytest.mark.extended
def test_the_search_finds_roles_in_any_place(people, browser, master):
    role = Role(master, name=unique("Deep"))
    Role(master, roles=[role])
    people.enter("roles").search(role.name[1:].upper()).browser.find(".people-state", "1 role found")
    people.press(role.name).heading(role.name)


@pytest.mark.extended
def test_users_are_added_and_removed_page_by_page(people, browser, master, ann):
    members = [pointer("_User", id) for id in import_users(master, [unique("m") for _ in range(51)])]
    role = Role(master)
    role.change({"users": {"__op": "AddRelation", "objects": members}})
    people.enter("roles", role.id).heading(role.name)
    browser.find(".people-beside [role=status]", "51 users")
    people.press("Next page")
    shown = ".people-beside .people-section:first-of-type li code"
    browser.wait(lambda: len(browser.all(shown)) == 1, "no second page")
    people.pick("Add a user", ann.name).notice(f"{ann.name} is in the role {role.name}.")
    browser.find(".people-beside [role=status]", "52 users")
    assert ann.id in roles_of(master, role, "users")
    people.press("Previous page")
    question = people.named(f"Remove {ann.name} from the role").agree()
    assert f"{ann.name} loses the rights that it has by {role.name}." in question
    browser.find(".people-beside [role=status]", "51 users")
    assert ann.id not in roles_of(master, role, "users")


@pytest.mark.extended
def test_enter_chooses_no_user_of_the_text_before(people, browser, master):
    names = [unique("first"), unique("second")]
    first, second = import_users(master, names)
    role = Role(master)
    people.enter("roles", role.id).heading(role.name).press("Add a user")
    field = browser.find("main details[open] input")
    field.send_keys(names[0])
    # The list of the empty text, which is there before, has other users too.
    only = lambda name: [name in one.text for one in browser.all("main details[open] [role=option]")] == [True]
    browser.wait(lambda: only(names[0]), "not only the first user")
    field.send_keys(Keys.ARROW_DOWN)
    browser.find("main details[open] [role=option][aria-selected=true]", names[0])
    # Both in one task of the page, before the search for the new text.
    browser.run(
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', { bubbles: true }));"
        "arguments[0].dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))",
        field, names[1]
    )
    browser.wait(lambda: only(names[1]), "not only the second user")
    field.send_keys(Keys.ARROW_DOWN, Keys.ENTER)
    people.notice(f"{names[1]} is in the role {role.name}.")
    assert roles_of(master, role, "users") == {second}


@pytest.mark.extended
def test_a_role_is_made_filled_with_a_role_and_deleted(people, browser, master):
    inner = Role(master)
    name = unique("Editors")
    people.enter("roles").press("New role")
    browser.press(name, Keys.ENTER)
    people.heading(name)
    made, = master.get("/1.1/roles", params={"where": f'{{"name":"{name}"}}', "returnACL": "true"}).json()["results"]
    assert made["ACL"] == {}
    people.pick("Add a role", inner.name).notice(f"The role {inner.name} is in {name}")
    browser.find(".people-beside li a", inner.name)
    people.press("Delete this role")
    question = people.agree()
    assert "Users in it: 0. Roles in it: 1." in question and f"ACLs and permissions that name {name} stay." in question
    people.notice(f"The role {name} was deleted.")
    assert master.get(f"/1.1/classes/_Role/{made['objectId']}").json() == {}


@pytest.mark.extended
def test_a_loop_is_asked_about(people, browser, master):
    inner = Role(master)
    outer = Role(master, roles=[inner])
    people.enter("roles", inner.id).heading(inner.name)
    browser.find("[role=treeitem]", outer.name)
    people.pick("Add a role", outer.name)
    assert f"{outer.name} contains {inner.name} already." in people.agree()
    people.notice(f"The role {outer.name} is in {inner.name}")
    assert roles_of(master, inner, "roles") == {outer.id}


@pytest.mark.extended
def test_a_name_that_the_server_refuses_stays_in_the_form(people, browser, master):
    role = Role(master)
    people.enter("roles").press("New role")
    browser.press(role.name, Keys.ENTER)
    assert "name" in browser.find("dialog [role=alert]").text
    assert browser.focused.get_attribute("value") == role.name


@pytest.mark.extended
def test_a_reader_sees_roles_and_changes_nothing(people, browser, master, ann):
    inner = Role(master)
    role = Role(master, users=[ann], roles=[inner])
    people.enter("roles", role.id, key=ALPHA.reader).heading(role.name)
    browser.find(".people-beside li a", ann.name)
    browser.find(".people-beside li a", inner.name)
    shown = [node.text for node in browser.all("main button, main summary") if node.is_displayed()]
    assert shown == []
