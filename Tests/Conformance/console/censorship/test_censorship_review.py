"""The area Censorship: the review by keyboard, undo, the dialog of a file, read-only sessions."""

from uuid import uuid4

import pytest
from censoring import at_server, block, put, state, status_of
from client import ALPHA
from files_area import FilesArea
from selenium.webdriver.common.keys import Keys


@pytest.fixture
def word():
    """A part of names that no other test uses."""
    return uuid4().hex[:8]


@pytest.mark.extended
def test_images_are_reviewed_by_keyboard(censorship, word):
    first, second, third = censorship.images("review", word, 3)
    name = f"review-0.5-{word}"
    censorship.enter().shows(f"{name}-2.jpg")
    censorship.key("n").shows(f"{name}-1.jpg")
    censorship.key(Keys.SHIFT + "n").shows(f"{name}-2.jpg")
    # A key that is held down decides about one image, not about all that follow.
    censorship.browser.command("Input.dispatchKeyEvent", type="keyDown", key="p", text="p", autoRepeat=True)
    assert censorship.current == f"{name}-2.jpg"
    censorship.key("p").shows(f"{name}-1.jpg")
    censorship.key("b").shows(f"{name}-0.jpg")
    assert censorship.has(third, "passed")["decidedBy"] == "person"
    assert censorship.has(second, "rejected")["by"] == "console"
    assert state(censorship.api, first)["censorResult"] == "review"
    assert [entry for entry in censorship.names() if word in entry] == [f"{name}-0.jpg"]


@pytest.mark.extended
def test_an_image_is_blurred_until_the_reader_looks_at_it(censorship, word):
    censorship.images("review", word, 2)
    censorship.enter().shows(f"review-0.5-{word}-1.jpg")
    assert censorship.loaded() and censorship.is_blurred
    censorship.key("v")
    censorship.browser.wait(lambda: not censorship.is_blurred, "it is blurred")
    censorship.key("n").shows(f"review-0.5-{word}-0.jpg")
    assert censorship.loaded() and censorship.is_blurred
    censorship.browser.click(".censor-look")
    censorship.browser.wait(lambda: not censorship.is_blurred, "it is blurred")


@pytest.mark.extended
def test_undo_brings_back_the_image_with_the_verdict_and_the_scores_of_before(censorship, word):
    id, = censorship.images("review", word, 1)
    censorship.enter().shows(f"review-0.5-{word}-0.jpg")
    censorship.key("b")
    censorship.has(id, "rejected")
    censorship.key("u").shows(f"review-0.5-{word}-0.jpg")
    seen = censorship.has(id, "review")
    assert (seen["decidedBy"], seen["scores"]) == ("machine", {"nsfw": 0.5})


@pytest.mark.extended
def test_undo_of_a_change_of_mind_brings_back_the_verdict_of_the_person(censorship, word):
    id, = censorship.images("review", word, 1)
    censorship.enter().shows(f"review-0.5-{word}-0.jpg")
    censorship.key("b")
    censorship.has(id, "rejected")
    censorship.browser.run("location.hash = '#/censorship/list/rejected'")
    censorship.shows(f"review-0.5-{word}-0.jpg").key("p")
    censorship.has(id, "passed")
    censorship.key("u")
    assert censorship.has(id, "rejected")["decidedBy"] == "person"


@pytest.mark.extended
def test_a_decision_of_another_reviewer_is_shown_before_it_is_replaced(censorship, word):
    id, = censorship.images("review", word, 1)
    name = f"review-0.5-{word}-0.jpg"
    censorship.enter().shows(name)
    block(censorship.api, id, by="a colleague")
    censorship.key("p")
    censorship.browser.find(".notice", f"{name} has another decision meanwhile: blocked.")
    assert censorship.has(id, "rejected")["by"] == "a colleague"
    censorship.browser.click(".censor-item-name", name)
    censorship.shows(name).browser.find(".censor-facts", "a colleague")
    censorship.key("p")
    assert censorship.has(id, "passed")["by"] == "console"
    censorship.key("u")
    assert censorship.has(id, "rejected")["decidedBy"] == "person"


@pytest.mark.extended
def test_undo_leaves_a_later_decision_of_another_reviewer(censorship, word):
    id, = censorship.images("review", word, 1)
    name = f"review-0.5-{word}-0.jpg"
    censorship.enter().shows(name).key("p")
    censorship.has(id, "passed")
    block(censorship.api, id, by="a colleague")
    censorship.key("u")
    censorship.browser.find(".notice", f"{name} has another decision meanwhile, which stays.")
    assert censorship.has(id, "rejected")["by"] == "a colleague"


@pytest.mark.extended
def test_the_dialog_of_a_file_shows_another_decision_before_it_is_replaced(censorship, word):
    id, = censorship.images("passed", word, 1, 0.1)
    FilesArea(censorship.console).enter("file", id)
    browser = censorship.browser
    browser.find(".censor-panel .censor-badge", "passed")
    put(censorship.api, id, "passed", note="looked at twice")
    browser.click(".censor-panel button", "Block")
    browser.find(".notice", "Your verdict was not sent.")
    assert state(censorship.api, id)["note"] == "looked at twice"
    browser.wait(lambda: browser.find(".censor-panel button", "Block").is_enabled(), "the other decision is not shown")
    browser.click(".censor-panel button", "Block")
    browser.find(".censor-panel .censor-badge", "blocked")


@pytest.mark.extended
def test_what_is_known_about_an_image_is_shown_with_its_history(censorship, word):
    id, = censorship.images("review", word, 1)
    censorship.enter().shows(f"review-0.5-{word}-0.jpg")
    for text in ["nsfw 0.5", "The name says so.", "checker webhook", "image/jpeg"]:
        censorship.browser.find(".censor-facts", text)
    censorship.browser.find(".censor-decisions", "checker webhook")
    censorship.browser.fill(".censor-note input", f"a note {word}")
    censorship.browser.click(".censor-buttons button", "Block")
    assert censorship.has(id, "rejected")["note"] == f"a note {word}"
    censorship.browser.run("location.hash = '#/censorship/history'")
    censorship.browser.find(".censor-log", f"Note: a note {word}")


@pytest.mark.extended
def test_a_note_stays_with_its_image_until_it_is_sent(censorship, word):
    first, second = censorship.images("review", word, 2)
    name = f"review-0.5-{word}"
    note = lambda: censorship.browser.find(".censor-note input").get_attribute("value")
    censorship.enter().shows(f"{name}-1.jpg")
    censorship.browser.fill(".censor-note input", f"second {word}")
    censorship.browser.click(".censor-buttons button", "Next")
    censorship.shows(f"{name}-0.jpg")
    assert note() == ""
    censorship.browser.click(".censor-buttons button", "Pass")
    assert "note" not in censorship.has(first, "passed")
    # The text of another image is asked about, too.
    censorship.browser.click("nav.areas a", "Data")
    censorship.browser.find("dialog h2", "Leave without saving?")
    censorship.browser.click("dialog button", "Cancel")
    censorship.browser.gone("dialog")
    # Another list, and the same one again.
    censorship.browser.run("location.hash = '#/censorship/list/passed'")
    censorship.shows(f"{name}-0.jpg")
    assert note() == ""
    censorship.browser.run("location.hash = '#/censorship'")
    censorship.browser.click(".censor-item-name", f"{name}-1.jpg")
    censorship.shows(f"{name}-1.jpg")
    assert note() == f"second {word}"
    censorship.browser.click(".censor-buttons button", "Block")
    assert censorship.has(second, "rejected")["note"] == f"second {word}"


@pytest.mark.extended
def test_the_note_of_a_verdict_that_was_not_sent_is_at_its_image(censorship, word):
    _, id = censorship.images("review", word, 2)
    name = f"review-0.5-{word}"
    note = lambda: censorship.browser.find(".censor-note input").get_attribute("value")
    censorship.enter().shows(f"{name}-1.jpg")
    censorship.browser.fill(".censor-note input", f"reason {word}")
    block(censorship.api, id, by="a colleague")
    censorship.browser.click(".censor-buttons button", "Pass")
    censorship.browser.find(".notice", f"{name}-1.jpg has another decision meanwhile")
    censorship.shows(f"{name}-0.jpg")
    assert note() == ""
    censorship.browser.click(".censor-item-name", f"{name}-1.jpg")
    censorship.shows(f"{name}-1.jpg")
    assert note() == f"reason {word}"
    censorship.browser.click(".censor-buttons button", "Pass")
    assert censorship.has(id, "passed")["note"] == f"reason {word}"


@pytest.mark.extended
def test_keys_in_a_field_are_text(censorship, word):
    id, = censorship.images("review", word, 1)
    censorship.enter().shows(f"review-0.5-{word}-0.jpg")
    assert censorship.browser.fill(".censor-note input", "pbun").get_attribute("value") == "pbun"
    assert state(censorship.api, id)["censorResult"] == "review"


@pytest.mark.extended
def test_a_verdict_at_the_end_of_the_session_is_sent_after_the_log_in(censorship, word):
    id, = censorship.images("review", word, 1)
    censorship.enter().shows(f"review-0.5-{word}-0.jpg").loaded()
    censorship.console.end_sessions()
    censorship.key("b")
    censorship.console.log_in()
    censorship.has(id, "rejected")


@pytest.mark.extended
def test_a_verdict_about_a_file_that_is_gone_says_so(censorship, word):
    id, = censorship.images("review", word, 1)
    censorship.enter().shows(f"review-0.5-{word}-0.jpg").loaded()
    assert censorship.api.delete(id).status_code == 200
    censorship.key("b")
    censorship.browser.find(".notice.failed", "File not found.")
    assert f"review-0.5-{word}-0.jpg" not in censorship.names()


@pytest.mark.extended
def test_a_photo_is_found_blocked_and_shown_again_in_files(censorship, word):
    id, = censorship.images("passed", word, 1, 0.1)
    name = f"passed-0.1-{word}-0.jpg"
    url = at_server(censorship.server, censorship.api.get(f"/1.1/files/{id}").json()["url"])
    files, browser = FilesArea(censorship.console).enter().search(word), censorship.browser
    files.open(name)
    browser.find(".censor-panel .censor-badge", "passed")
    browser.click(".censor-panel button", "Block")
    browser.find(".censor-panel .censor-badge", "blocked")
    assert status_of(censorship.api, url) == 403
    assert censorship.loaded() and censorship.is_blurred
    browser.click(".censor-panel button", "Pass, and show it again")
    browser.find(".censor-panel .censor-badge", "passed")
    assert status_of(censorship.api, url) == 200


@pytest.mark.extended
def test_a_file_that_is_no_image_has_no_verdict(censorship, word):
    id = censorship.api.store(b"words", f"{word}.txt", "text/plain")["objectId"]
    FilesArea(censorship.console).enter("file", id)
    censorship.browser.find(".files-preview pre")
    assert censorship.browser.all(".censor-panel") == []
    called = censorship.browser.run("return performance.getEntriesByType('resource').map(({ name }) => name)")
    assert [address for address in called if address.endswith("/censor")] == []


@pytest.mark.extended
def test_a_read_only_session_looks_and_changes_nothing(censorship, word):
    id, = censorship.images("review", word, 1)
    censorship.enter(key=ALPHA.reader).shows(f"review-0.5-{word}-0.jpg")
    assert censorship.loaded()
    for key in "pbu":
        censorship.key(key)
    assert not {"Pass", "Block", "Undo"} & {text.split("\n")[0] for text in censorship.buttons()}
    FilesArea(censorship.console).enter("file", id, key=ALPHA.reader)
    censorship.browser.find(".censor-panel .censor-badge", "to review")
    assert [button.text for button in censorship.browser.all(".censor-panel button")] == []
    assert state(censorship.api, id)["censorResult"] == "review"


@pytest.mark.extended
def test_without_a_session_nothing_is_shown(censorship):
    censorship.console.open("censorship")
    censorship.browser.find("form.login-form")
    assert censorship.browser.all(".censor-card") == []
