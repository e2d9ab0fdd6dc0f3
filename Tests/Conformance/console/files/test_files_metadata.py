"""The area Files: metadata and names are changed in the dialog of a file."""

import json

import pytest
from selenium.webdriver.common.keys import Keys


@pytest.mark.extended
def test_metadata_and_name_are_changed_and_wrong_json_is_not_sent(files, word):
    record = files.api.store(b"x", f"{word}.txt", "text/plain", metaData='{"album":"summer"}')
    files.enter("file", record["objectId"])
    files.section("Metadata")
    browser = files.browser
    text = browser.fill(".files-metadata textarea", '{"album":')
    browser.find(".files-error", "not valid JSON")
    assert text.get_attribute("aria-invalid") == "true"
    browser.fill(".files-metadata textarea", '{"album":"winter"}')
    browser.fill(".files-metadata input", f"{word}-new.txt")
    browser.click(".files-metadata button", "Save")
    browser.find(".notice", "Saved")
    changed = files.api.get(f"/1.1/files/{record['objectId']}").json()
    assert (changed["name"], changed["metaData"]["album"]) == (f"{word}-new.txt", "winter")
    assert changed["metaData"]["size"] == 1


@pytest.mark.extended
def test_metadata_of_another_client_is_not_overwritten_unseen(files, word):
    record = files.api.store(b"x", f"{word}.txt", "text/plain", metaData='{"album":"summer","size":7}')
    path = f"/1.1/files/{record['objectId']}"
    files.enter("file", record["objectId"])
    files.section("Metadata")
    browser = files.browser
    save = lambda: browser.click(".files-metadata button", "Save")
    # A change of what is not changed here stays, and is shown.
    assert files.api.call("PUT", path, json={"metaData": {"album": "theirs"}}).status_code == 200
    browser.fill(".files-metadata input", f"{word}-mine.txt")
    save()
    browser.find(".notice", "Saved")
    text = browser.find(".files-metadata textarea")
    browser.wait(lambda: "theirs" in text.get_attribute("value"), "the metadata of the other client are not shown")
    assert files.api.get(path).json()["metaData"]["album"] == "theirs"
    # A change of the same is shown first.
    assert files.api.call("PUT", path, json={"name": f"{word}-theirs.txt"}).status_code == 200
    browser.fill(".files-metadata input", f"{word}-again.txt")
    save()
    browser.find(".files-metadata .files-error", f"{word}-theirs.txt")
    assert files.api.get(path).json()["name"] == f"{word}-theirs.txt"
    save()
    browser.wait(lambda: files.api.get(path).json()["name"] == f"{word}-again.txt", "the name is not replaced")
    # A number that the page would round is not sent, and not shown as if it were stored.
    browser.fill(".files-metadata textarea", '{"n": 9007199254740993}')
    browser.find(".files-metadata .files-error", "round the number 9007199254740993")
    save()
    assert files.api.get(path).json()["metaData"]["album"] == "theirs"


@pytest.mark.extended
def test_what_is_typed_survives_the_end_of_the_session(files, word):
    record = files.api.store(b"x", f"{word}.txt", "text/plain")
    files.enter("file", record["objectId"])
    files.section("Metadata")
    browser = files.browser
    browser.fill(".files-metadata textarea", json.dumps({"kept": word}))
    files.console.end_sessions()
    browser.click(".files-metadata button", "Save")
    files.console.log_in()
    browser.find(".notice", "Saved")
    assert files.api.get(f"/1.1/files/{record['objectId']}").json()["metaData"]["kept"] == word


@pytest.mark.extended
def test_leaving_unsaved_metadata_is_asked_first(files, word):
    record = files.api.store(b"x", f"{word}.txt", "text/plain")
    files.enter("file", record["objectId"])
    files.section("Metadata")
    browser = files.browser
    browser.fill(".files-metadata textarea", "{}")
    browser.press(Keys.ESCAPE)
    browser.find("dialog", "Leave without saving?")
    browser.click("dialog:last-of-type button", "Cancel")
    assert browser.find(".files-metadata textarea").get_attribute("value") == "{}"


@pytest.mark.extended
def test_a_second_step_back_behind_the_question_shows_the_view_of_the_address(files, word):
    record = files.api.store(b"x", f"{word}.txt", "text/plain")
    files.enter("trash")
    browser = files.browser
    view = lambda title: browser.find(".place nav a[aria-current=page]", title)
    questions = lambda: browser.all("dialog:not(.files-dialog)")
    view("Trash")
    # Before the end of the load, the browser replaces its entry instead of adding one.
    end = "return performance.getEntriesByType('navigation')[0].loadEventEnd"
    browser.wait(lambda: browser.run(end), "the page is not loaded")
    browser.run("location.hash = '#/files/space'")
    view("Space")
    browser.run("location.hash = `#/files/file/${arguments[0]}`", record["objectId"])
    files.section("Metadata")
    browser.fill(".files-metadata input", f"{word}-new.txt")
    for number in (1, 2):
        browser.run("history.back()")
        browser.wait(lambda: len(questions()) == number, f"there are not {number} questions")
    for number in (1, 0):
        browser.click("dialog:last-of-type button", "Leave")
        browser.wait(lambda: len(questions()) == number, f"there are not {number} questions")
    assert browser.driver.current_url.endswith("#/files/trash")
    view("Trash")
