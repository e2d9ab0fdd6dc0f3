"""What someone does who has the printed address and the key, and has read nothing: by links and buttons alone."""

import pytest
from accounts import sign_up
from data import Objects
from data_area import DataArea, downloaded
from files_area import FilesArea
from people import Role, permissions, permit, unique
from people_area import PeopleArea
from pictures import encoded, plain


@pytest.mark.extended
def test_a_stranger_looks_after_a_photo_the_permissions_and_a_class(console, console_server, downloads):
    api, master, browser = console_server.api(), console_server.api(master=True), console.browser
    ann = sign_up(api, username=unique("Ann"))
    photo = ann.api.store(encoded(plain(64, 48)), "holiday.png", "image/png")
    notes, role = Objects(master, unique("Note")), Role(master)
    notes.create(text="exported")
    before = permissions(master, "_File")["delete"]
    people, files, data = PeopleArea(console), FilesArea(console), DataArea(console)
    console.open().log_in()

    # A given user's photo
    people.press("People", "nav.areas").search(ann.username).press(ann.username, ".people-users")
    people.heading(ann.username)
    browser.click(".people-files a", "holiday.png")
    browser.find("dialog.files-dialog h2", "holiday.png")

    # Blocked and shown again
    assert api.fetch(photo["url"]).status_code == 200
    browser.click(".censor-panel button", "Block")
    browser.find(".censor-panel .censor-badge", "blocked")
    assert api.fetch(photo["url"]).status_code == 403
    browser.click(".censor-panel button", "Pass")
    browser.find(".censor-panel .censor-badge", "passed")
    assert api.fetch(photo["url"]).status_code == 200
    files.escape()
    # Messages lie over the matrix.
    browser.run("for (const close of document.querySelectorAll('.notice-close')) close.click()")

    # Who may delete files
    try:
        people.press("People", "nav.areas").press("Permissions").press("Files\n_File").heading("Files")
        people.pick("Add a column for a role", role.name).tick("Delete files", f"Role {role.name}")
        people.press("Save the changes").notice("Saved for _File: 1.")
        assert permissions(master, "_File")["delete"] == [*before, role.subject]
    finally:
        permit(master, "_File", delete=before)

    # The export of a class
    people.press("Data", "nav.areas")
    browser.click(f".class-link[data-name='{notes.name}']")
    data.has(1).press("Export").press("Save the file").notice("1 object")
    assert "exported" in downloaded(downloads, f"{notes.name}.csv")
    assert data.errors() == []
