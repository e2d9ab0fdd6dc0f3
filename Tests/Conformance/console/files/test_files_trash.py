"""The area Files: deletes, the trash, and what takes the space."""

import pytest
from client import eventually


def names_in_trash(files):
    return {entry["name"] for entry in files.api.get("/1.1/trash?limit=1000").json()["results"]}


@pytest.mark.extended
def test_a_deleted_file_is_restored_with_its_url(files, word):
    record = files.api.store(b"back", f"{word}.txt", "text/plain")
    files.enter().search(word).open(f"{word}.txt")
    files.browser.click("dialog.files-dialog button", "Delete")
    question = files.confirm()
    assert "Delete 1 file?" in question and f"{word}.txt" in question and "7 days" in question
    files.browser.find(".files-count", "No file")
    assert files.api.fetch(record["url"]).status_code == 404
    files.browser.click(".tabs a", "Trash")
    files.browser.click(f"input[aria-label='Select {word}.txt']")
    files.browser.click("button", "Restore")
    files.browser.find(".notice", "1 file was restored")
    assert files.api.fetch(record["url"]).content == b"back"


@pytest.mark.extended
def test_the_question_promises_no_more_time_than_the_trash_gives(files, word):
    files.api.store(b"x", f"{word}.txt", "text/plain")
    files.enter().search(word).select(f"{word}.txt")
    browser = files.browser
    browser.run(
        "const sent = fetch; window.fetch = async (path, options) =>"
        " (path === '/console/api/1.1/usage' ? Response.json({ trashKeep: window.keep }) : sent(path, options))"
    )
    for hours, text in [(12, "for less than a day."), (36, "for 1 day."), (48, "for 2 days.")]:
        browser.run("window.keep = arguments[0]", hours * 3600)
        browser.click(".files-selection button", "Delete")
        browser.find("dialog", text)
        browser.click("dialog button", "Cancel")
        browser.gone("dialog")


@pytest.mark.extended
def test_a_delete_that_is_not_confirmed_deletes_nothing(files, word):
    record = files.api.store(b"x", f"{word}.txt", "text/plain")
    files.enter().search(word).select(f"{word}.txt")
    files.browser.click(".files-selection button", "Delete")
    files.browser.click("dialog button", "Cancel")
    files.browser.gone("dialog")
    assert files.api.fetch(record["url"]).status_code == 200


@pytest.mark.extended
def test_several_selected_files_are_deleted_after_their_number(files, word):
    for n in range(3):
        files.api.store(b"x", f"{word}-{n}", "text/plain")
    files.enter().search(word).select(f"{word}-0", f"{word}-2")
    files.browser.click(".files-selection button", "Delete")
    assert "Delete 2 files?" in files.confirm()
    files.browser.wait(lambda: files.names() == [f"{word}-1"], "not only the other one is left")
    assert {f"{word}-0", f"{word}-2"} <= names_in_trash(files)


@pytest.mark.extended
def test_an_entry_is_removed_for_good(files, word):
    record = files.api.store(b"x", f"{word}.txt", "text/plain")
    assert files.api.delete(record["objectId"]).status_code == 200
    files.enter("trash")
    files.browser.click(f"input[aria-label='Select {word}.txt']")
    files.browser.click("button", "Delete for good")
    question = files.confirm()
    assert "Delete 1 file for good?" in question and "cannot be undone" in question
    files.browser.find(".notice", "1 file was deleted for good")
    assert f"{word}.txt" not in names_in_trash(files)


@pytest.mark.extended
def test_the_trash_is_emptied_after_the_number_of_files(files, word):
    for n in range(2):
        record = files.api.store(b"x", f"{word}-{n}", "text/plain")
        assert files.api.delete(record["objectId"]).status_code == 200
    count = len(names_in_trash(files))
    files.enter("trash")
    files.browser.find("th", f"{word}-0")
    # The clock of a reader's machine can be an hour behind that of the server.
    files.browser.run(
        "const Real = Date; window.Date = class extends Real {"
        " constructor(...parts) { super(...(parts.length > 0 ? parts : [Real.now() - 3_600_000])); } }"
    )
    files.browser.click("button", "Empty the trash")
    assert f"all {count} files" in files.confirm()
    files.browser.find("[role=status]", "The trash is empty")
    assert names_in_trash(files) == set()


@pytest.mark.extended
def test_the_space_adds_up(files, word):
    kind = f"x-test/{word}"
    for n in range(3):
        files.api.store(b"x" * 1024, f"{word}-{n}", kind)
    files.enter("space")
    browser = files.browser
    row = browser.find(".files-space tbody tr", kind)
    assert "3 KB" in row.text and row.find_elements("tag name", "td")[2].text == "3"
    browser.find(".files-total", "of 64 MB in use")
    browser.find(".files-total meter")
    browser.click(".files-space a", kind)
    browser.wait(lambda: sorted(files.names()) == [f"{word}-{n}" for n in range(3)], "not the files of the type")


@pytest.mark.extended
def test_a_read_only_session_cannot_change_the_trash(files, word):
    from client import ALPHA

    record = files.api.store(b"x", f"{word}.txt", "text/plain")
    assert files.api.delete(record["objectId"]).status_code == 200
    files.enter("trash", key=ALPHA.reader)
    files.browser.find("th", f"{word}.txt")
    shown = {button.text for button in files.browser.all("main button") if button.is_displayed()}
    assert shown.isdisjoint({"Restore", "Delete for good", "Empty the trash"})
    assert eventually(lambda: f"{word}.txt" in names_in_trash(files))
