"""The area Censorship: how it is switched on, thresholds with the histogram, bulk runs."""

from uuid import uuid4

import pytest
from censoring import settings
from client import ALPHA
from unattended import calls_after, calls_with_a_key, hold_timers


@pytest.fixture
def word():
    """A part of names that no other test uses."""
    return uuid4().hex[:8]


@pytest.fixture
def in_force(censorship):
    """The thresholds of the app, which are the usual ones again after the test."""
    yield lambda: censorship.api.get("/1.1/censorship/settings").json()
    settings(censorship.api, passBelow=0.2, rejectAbove=0.8, auto=True, hold=False)


@pytest.mark.extended
def test_without_a_model_the_area_says_how_to_switch_it_on(censorship):
    censorship.enter()
    callout = censorship.browser.find("details.censor-callout", "The classifier is off")
    callout.find_element("css selector", "summary").click()
    assert {"make model", "censorship:\n  model: models/open-nsfw.onnx"} == {
        block.text for block in censorship.browser.all(".censor-callout pre")
    }


@pytest.mark.extended
def test_the_check_of_new_images_is_switched_on(censorship, in_force):
    settings(censorship.api, auto=False)
    censorship.enter()
    censorship.browser.click(".censor-callout button", "Check new images")
    censorship.browser.find(".notice", "New images are checked")
    assert in_force()["auto"] is True


@pytest.mark.extended
def test_sliders_tell_what_other_thresholds_would_do(censorship, word, in_force):
    for n, score in enumerate([0.1, 0.3, 0.3001, 0.9]):
        censorship.image(f"review-{score}-{word}-{n}.jpg")
    censorship.enter("thresholds")
    censorship.browser.wait(lambda: len(censorship.estimate(0)) == 3, "no estimate")
    passed, review, rejected = (int(count) for count in censorship.estimate(0))
    # Other tests have stored images with scores of 0.1 and 0.5.
    censorship.slide("passBelow", 30).slide("rejectAbove", 30)
    expected = [0.1, 0.3, 0.3001, 0.9]
    assert passed >= 1 and rejected >= 1 and review >= 2
    censorship.browser.wait(
        lambda: [int(text.split(" ")[0]) for text in censorship.estimate(1)][1] == 1, "not only the score of 0.3"
    )
    below, equal, above = (int(text.split(" ")[0]) for text in censorship.estimate(1))
    assert below + equal + above == passed + review + rejected >= len(expected)
    assert in_force()["passBelow"] == 0.2
    assert censorship.browser.find(".censor-thresholds pre").text == (
        "lcfile censor settings passBelow=0.3 rejectAbove=0.3"
    )


def test_thresholds_are_set_and_in_force_at_once(censorship, in_force):
    # The slider that is not moved has steps of a hundredth, and its threshold stays as it is.
    settings(censorship.api, rejectAbove=0.8125)
    censorship.enter("thresholds")
    censorship.slide("passBelow", 35)
    censorship.browser.click("button", "Use these thresholds")
    censorship.browser.find(".notice", "The thresholds are in force")
    assert (in_force()["passBelow"], in_force()["rejectAbove"]) == (0.35, 0.8125)


@pytest.mark.extended
def test_moved_thresholds_are_not_left_without_a_question(censorship, in_force):
    censorship.enter("thresholds")
    censorship.browser.find(".censor-flags code")
    censorship.slide("passBelow", 35)
    censorship.browser.click(".tabs a", "History")
    censorship.browser.find("dialog h2", "Leave without saving?")
    censorship.browser.click("dialog button", "Cancel")
    censorship.browser.gone("dialog")
    assert censorship.browser.find("input[name=passBelow]").get_attribute("value") == "35"
    assert censorship.browser.driver.current_url.endswith("#/censorship/thresholds")
    censorship.browser.click(".tabs a", "History")
    censorship.browser.click("dialog button.danger", "Leave")
    censorship.browser.find(".censor-log")
    assert in_force()["passBelow"] == 0.2


@pytest.mark.extended
def test_holding_images_back_is_asked_first(censorship, in_force):
    censorship.enter("thresholds")
    censorship.browser.click("input[name=hold]")
    censorship.browser.find("dialog", "answer 403")
    censorship.browser.click("dialog button", "Cancel")
    assert in_force()["hold"] is False
    censorship.browser.click("input[name=hold]")
    censorship.browser.click("dialog button", "Hold images back")
    censorship.browser.find(".notice", "hold is in force")
    assert in_force()["hold"] is True


@pytest.mark.extended
def test_a_bulk_run_says_how_many_images_and_ends(censorship, word):
    settings(censorship.api, auto=False)
    name = f"rejected-0.9-{word}.jpg"
    id = censorship.api.store(b"no image at all", name, "image/jpeg")["objectId"]
    settings(censorship.api, auto=True)
    censorship.enter("runs")
    censorship.browser.click("form.censor-tools button", "Start")
    assert "image" in censorship.browser.find("dialog h2").text
    censorship.browser.click("dialog button.primary", "Start")
    censorship.browser.find(".notice", "The bulk run has started.")
    censorship.browser.find("tbody", "finished")
    censorship.has(id, "rejected")
    censorship.browser.run("location.hash = '#/censorship/history'")
    censorship.browser.find(".censor-log", "Bulk run finished")


@pytest.mark.extended
def test_a_bulk_run_is_stopped_and_continued(censorship, word):
    settings(censorship.api, auto=False)
    id = censorship.api.store(b"no image at all", f"later-0.5-{word}.jpg", "image/jpeg")["objectId"]
    settings(censorship.api, auto=True)
    censorship.enter("runs")
    censorship.browser.click("form.censor-tools button", "Start")
    censorship.browser.click("dialog button.primary", "Start")
    censorship.browser.find(".censor-state", "images examined (100%)")
    censorship.browser.click("main button.danger", "Stop")
    censorship.browser.find("tbody", "stopped")
    censorship.browser.gone("progress")
    censorship.browser.click("tbody button", "Continue")
    censorship.browser.find("progress")
    hold_timers(censorship.browser)
    assert calls_after(censorship.browser, minutes=15) == 0, "a page that is not used keeps the session alive"
    calls_with_a_key(censorship.browser)
    censorship.browser.click("main button.danger", "Stop")
    censorship.browser.find("tbody", "stopped")
    # Another run would wait for the answer about it, too.
    assert censorship.api.delete(id).status_code == 200


@pytest.mark.extended
def test_a_read_only_session_sees_settings_and_runs_without_controls(censorship):
    censorship.enter("thresholds", key=ALPHA.reader)
    censorship.browser.find(".censor-flags code", "cacheSeconds")
    assert "Use these thresholds" not in censorship.buttons()
    assert all(not box.is_enabled() for box in censorship.browser.all(".censor-flags input"))
    censorship.browser.run("location.hash = '#/censorship/runs'")
    censorship.browser.find("caption", "All bulk runs")
    assert "Start" not in censorship.buttons()


@pytest.mark.extended
def test_no_request_asks_for_more_than_200_rows(censorship):
    censorship.enter()
    for path in ["/history", "/runs", "/thresholds", "/list/passed"]:
        censorship.browser.run("location.hash = arguments[0]", f"#/censorship{path}")
        censorship.browser.find(".tabs a[aria-current]")
    limits = censorship.browser.run(
        "return performance.getEntriesByType('resource').map(({ name }) => new URL(name).searchParams.get('limit'))"
        ".filter((limit) => limit !== null).map(Number)"
    )
    assert limits and max(limits) <= 200
