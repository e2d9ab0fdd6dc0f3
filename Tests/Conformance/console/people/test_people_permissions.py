"""Who may do what with a class: the matrix in the area People."""

import pytest
from accounts import unique
from client import ALPHA
from data import Objects
from people import Person, Role, permissions, permit
from selenium.webdriver.common.keys import Keys


@pytest.fixture
def notes(master):
    """A class of the test's own."""
    objects = Objects(master, unique("Note"))
    objects.create(n=1)
    return objects


@pytest.mark.extended
def test_a_stranger_changes_who_may_delete_files(people, browser, master):
    before = permissions(master, "_File")["delete"]
    role = Role(master)
    try:
        people.console.enter()
        people.press("People", "nav.areas").press("Permissions").press("Files\n_File")
        people.heading("Files").pick("Add a column for a role", role.name)
        people.tick("Delete files", f"Role {role.name}")
        assert f"Delete files: Role {role.name} – allowed from now on" in people.changes()
        people.press("Save the changes").notice("Saved for _File: 1.")
        assert permissions(master, "_File")["delete"] == [*before, role.subject]
    finally:
        permit(master, "_File", delete=before)


@pytest.mark.extended
def test_the_matrix_shows_what_is_stored(people, browser, master, notes, console_server):
    ann = Person(console_server)
    permit(master, notes.name, delete=[], update=["users"], create=[f"user:{ann.id}", "role:Nowhere"])
    people.enter("permissions", notes.name).heading(notes.name)
    states = {
        ("Search and count", "Everyone"): True, ("Change objects", "Everyone"): False,
        ("Change objects", "Logged-in users"): True, ("Create objects", f"User {ann.name}"): True,
        ("Create objects", "Role Nowhere"): True, ("Delete objects", "Everyone"): False,
    }
    assert {cell: people.box(*cell).is_selected() for cell in states} == states
    assert browser.find("[data-operation=delete]").text == "only the master key"
    assert "does not exist" in browser.find("thead th", "Nowhere").text


@pytest.mark.extended
def test_to_open_a_class_to_everyone_is_asked_about_and_can_be_undone(people, browser, master, notes):
    permit(master, notes.name, delete=[])
    people.enter("permissions", notes.name).tick("Delete objects", "Everyone")
    warning = f"Everyone, also without a log-in: Delete objects ({notes.name})."
    assert warning in people.changes()
    people.press("Save the changes")
    assert warning in people.question()
    people.refuse()
    assert permissions(master, notes.name)["delete"] == []
    people.press("Undo the changes")
    assert not people.box("Delete objects", "Everyone").is_selected()
    assert not browser.find(".people-saving button.primary").is_enabled()
    people.tick("Delete objects", "Everyone").press("Save the changes").agree()
    people.notice(f"Saved for {notes.name}: 1.")
    assert permissions(master, notes.name)["delete"] == ["everyone"]


@pytest.mark.extended
def test_only_what_was_changed_is_saved(people, master, notes):
    before = permissions(master, notes.name)
    people.enter("permissions", notes.name).tick("Change objects", "Everyone")
    people.tick("Change objects", "Logged-in users")
    permit(master, notes.name, find=["users"])
    people.press("Save the changes").notice(f"Saved for {notes.name}: 2.")
    assert permissions(master, notes.name) == before | {"find": ["users"], "update": ["users"]}


@pytest.mark.extended
def test_a_change_of_another_client_is_shown_before_it_is_replaced(people, master, notes):
    people.enter("permissions", notes.name).tick("Delete objects", "Everyone")
    role = Role(master)
    permit(master, notes.name, delete=["everyone", role.subject])
    people.press("Save the changes").browser.find(".people-saving [role=alert]", "changed by another client meanwhile")
    assert permissions(master, notes.name)["delete"] == ["everyone", role.subject]
    assert people.box("Delete objects", f"Role {role.name}").is_selected()
    people.press("Save the changes").notice(f"Saved for {notes.name}: 1.")
    assert permissions(master, notes.name)["delete"] == [role.subject]


@pytest.mark.extended
def test_changes_are_not_lost_by_leaving_or_by_the_end_of_the_session(people, browser, master, notes):
    people.enter("permissions", notes.name).tick("Delete objects", "Everyone").go("permissions", "_User")
    assert "Leave without saving?" in people.question()
    people.refuse().heading(notes.name)
    assert not people.box("Delete objects", "Everyone").is_selected()
    people.console.end_sessions()
    people.press("Save the changes")
    people.console.log_in()
    people.notice(f"Saved for {notes.name}: 1.")
    assert permissions(master, notes.name)["delete"] == []


@pytest.mark.extended
def test_the_matrix_is_used_by_keyboard_alone(people, browser, master, notes):
    people.enter("permissions", notes.name).heading(notes.name)
    browser.run("arguments[0].focus()", people.box("Read one object by its ID", "Everyone"))
    browser.press(Keys.SPACE)
    for _ in range(40):
        if browser.focused.text == "Save the changes":
            break
        browser.press(Keys.TAB)
    browser.press(Keys.ENTER)
    people.notice(f"Saved for {notes.name}: 1.")
    assert permissions(master, notes.name)["get"] == []


@pytest.mark.extended
def test_a_class_with_fixed_permissions_is_not_offered(people, browser):
    people.enter("permissions")
    browser.find(".people-classes a", "_User")
    names = browser.run("return [...document.querySelectorAll('.people-classes a')].map((link) => link.dataset.name)")
    assert {"_File", "_User", "_Role"} <= set(names)
    assert not {"_Session", "_Trash", "_ConsoleAudit", "_Identity"} & set(names)


def test_a_reader_sees_the_matrix_and_changes_nothing(people, browser, notes):
    people.enter("permissions", notes.name, key=ALPHA.reader).heading(notes.name)
    assert not people.box("Delete objects", "Everyone").is_enabled()
    shown = [node.text for node in browser.all("main button, main summary") if node.is_displayed()]
    assert shown == []


@pytest.mark.extended
def test_an_address_with_another_path_calls_nothing(people, browser):
    people.enter("permissions")
    for name in ["..", "a b", "_User%2F.."]:
        people.go("permissions", name)
        browser.find(".people-beside", "There is no such class.")
        people.go("permissions")
        browser.find(".people-beside", "Choose a class")
    called = browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert [name for name in called if "/permissions/" in name] == []
