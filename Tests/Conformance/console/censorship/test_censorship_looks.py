"""The area Censorship for all its readers: accessibility, languages, colours, a narrow window, hostile values."""

import pytest
from accessibility import without_focus_ring
from censoring import block
from looks import Looks
from scripts_as_text import XSS, assert_nothing_ran, watch


@pytest.fixture(scope="module")
def gallery(censor_server):
    """Images with each verdict."""
    from censorship_area import CensorshipArea

    class Outside:
        browser, server = None, censor_server

    area = CensorshipArea(Outside)
    for verdict, score in [("passed", 0.01), ("passed", 0.12), ("review", 0.41), ("rejected", 0.93)]:
        area.images(verdict, "looks-" + "a-long-name-" * 8, 1, score)


@pytest.mark.extended
@pytest.mark.parametrize("language, scheme, width", [("zh", "light", 1200), ("en", "dark", 320)])
def test_every_view_obeys_the_rules(censorship, gallery, language, scheme, width):
    browser = censorship.browser
    looks = Looks(browser, "censorship", language, scheme, width)
    censorship.enter(language=language)
    browser.find(".censor-decisions")
    censorship.loaded()
    looks.at("review")
    # Thumbnails are loaded when they are in sight.
    browser.run("document.querySelector('.censor-items').scrollIntoView()")
    browser.wait(lambda: browser.all(".censor-thumb img"), "no thumbnail")
    looks.at("list")
    browser.run("document.querySelector('.censor-look').focus()")
    assert not without_focus_ring(browser)
    for view, shown in [("history", ".censor-log td"), ("runs", "caption"), ("thresholds", ".censor-bars span")]:
        browser.run("location.hash = arguments[0]", f"#/censorship/{view}")
        browser.find(shown)
        if view == "thresholds":
            browser.find(".censor-flags code")
            browser.wait(lambda: len(censorship.estimate(0)) == 3, "no estimate")
            for summary in browser.all("summary"):
                summary.click()
        looks.at(view)
    assert looks.broken == {}
    assert browser.errors() == []


@pytest.mark.extended
def test_hostile_values_are_text(censorship):
    """Names come from clients, reasons from a webhook, notes from the command line."""
    # A name is no path and has no control characters.
    names = [text for text in XSS if not {"/", "\t"} & set(text)][:5]
    ids = [censorship.image(f"review-0.5-{text}") for text in names]
    for id, text in zip(ids[:3], XSS):
        block(censorship.api, id, note=text, by=text[:60])
    censorship.enter()
    watch(censorship.browser)
    censorship.shows(f"review-0.5-{names[4]}")
    censorship.browser.find(".censor-decisions", "checker webhook")
    censorship.browser.run("location.hash = '#/censorship/list/rejected'")
    censorship.browser.find(".censor-facts", XSS[2])
    censorship.browser.run("location.hash = '#/censorship/history'")
    censorship.browser.find(".censor-log td", XSS[0])
    assert_nothing_ran(censorship.browser)
    assert [line for line in censorship.browser.errors() if "Content Security" in line or "Trusted" in line] == []
