"""The first steps in an empty app: shown at the first visit, done from the real state, with lines that work."""

import re
import subprocess
import sys

import pytest
from client import TIMEOUT, clean_environment
from looks import LOOKS, Looks
from pictures import encoded, plain
from replays import sign
from unattended import calls_after, calls_with_a_key, hold_timers

SDKS = ["JavaScript", "Swift", "Java", "Python", "Valine"]


def done(browser, number):
    """Waits until a step is done; returns its element."""
    step = f".first-step:nth-child({number})"
    browser.find(f"{step}[data-done=true] .first-state", "done")
    return browser.find(step)


def lines(browser, sdk):
    """The lines of an SDK, once they have the keys of the app."""
    browser.click(".first-sdks button", sdk)
    return browser.find(".first-step:nth-child(3) .code-block:nth-of-type(2) pre").text


@pytest.fixture
def visit(empty):
    """The first visit of an app: no address is given."""
    empty.enter()
    empty.browser.find("h1", "First steps")
    empty.browser.find(".first-step[data-done=false]")
    return empty


@pytest.mark.extended
def test_the_first_visit_of_an_empty_app_shows_the_steps(visit):
    browser = visit.browser
    browser.find("[role=status]", "0 of 3 steps done")
    browser.fill("input[name=class]", "Recipe")
    browser.click("button", "Create the class")
    done(browser, 1)
    browser.find("a[href='#/data/class/Recipe']")
    assert "Recipe" in visit.server.api(visit.app, master=True).get("/1.1/schemas").json()
    # The next visit begins with the data, and the steps are reached by the list of shortcuts.
    visit.open()
    browser.find("nav.areas a[aria-current=page]", "Data")
    browser.find("body").send_keys("?")
    browser.click("dialog a", "First steps")
    browser.gone("dialog")
    done(browser, 1)


@pytest.mark.extended
def test_a_photo_is_uploaded_right_here(visit, tmp_path):
    path = tmp_path / "photo.png"
    path.write_bytes(encoded(plain(64, 48)))
    visit.browser.all("input[name=photo]")[0].send_keys(str(path))
    done(visit.browser, 2)
    visit.browser.find(".first-done a", "Show 1 file in Files").click()
    visit.browser.find(".files-tile")


@pytest.mark.extended
def test_the_lines_for_python_connect_and_end_the_last_step(visit):
    text = lines(visit.browser, "Python")
    assert visit.app.key in text and visit.server.url in text
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", text], env=clean_environment(), timeout=TIMEOUT, text=True,
        capture_output=True,
    )
    assert "Saved:" in ran.stdout, ran.stderr
    done(visit.browser, 3)
    done(visit.browser, 1)


@pytest.mark.extended
def test_the_lines_for_javascript_have_the_settings_with_which_the_sdk_signs(visit):
    """The SDK sends the id, and the time signed with the key, to the server URL."""
    text = lines(visit.browser, "JavaScript")
    given = dict(re.findall(r'(appId|appKey|serverURL): "([^"]*)"', text))
    caller = visit.server.api(visit.app)
    caller.headers = {"X-LC-Id": given["appId"], "X-LC-Sign": sign(given["appKey"], "1234567890123")}
    assert given["serverURL"] == visit.server.url
    assert caller.post("/1.1/classes/TestObject", json={"words": "Hello, lcfile!"}).status_code == 201
    done(visit.browser, 3)


@pytest.mark.extended
def test_the_lines_of_every_sdk_have_the_id_the_key_and_the_address(visit):
    for sdk in SDKS:
        text = lines(visit.browser, sdk)
        assert all(f'"{value}"' in text for value in (visit.app.id, visit.app.key, visit.server.url)), sdk


@pytest.mark.extended
def test_steps_without_a_reader_do_not_keep_the_session_alive(visit):
    hold_timers(visit.browser)
    assert calls_after(visit.browser, minutes=15) == 0
    calls_with_a_key(visit.browser)


def test_a_name_that_is_no_class_is_refused_beside_the_field(visit):
    visit.browser.find("input[name=class]")
    visit.browser.run("document.querySelector('input[name=class]').removeAttribute('pattern')")
    visit.browser.fill("input[name=class]", "_Own")
    visit.browser.click("button", "Create the class")
    visit.browser.find(".first-form [role=alert]", "Request")


@pytest.mark.extended
def test_a_read_only_session_sees_the_state_and_lines_without_the_key(empty):
    browser = empty.browser
    empty.enter(key=empty.app.reader)
    browser.find("h1", "First steps")
    browser.find(".first-step[data-done=false]")
    assert browser.all("input") == [] and "Create the class" not in browser.text
    text = lines(browser, "Swift")
    assert empty.app.id in text and empty.app.key not in browser.text
    browser.find(".hint", "does not get the app key")


@pytest.mark.extended
@LOOKS
def test_the_steps_obey_the_rules(empty, language, scheme, width):
    browser = empty.browser
    looks = Looks(browser, "first-steps", language, scheme, width)
    assert empty.server.api(empty.app, master=True).post("/1.1/classes/Recipe", json={"n": 1}).status_code == 201
    empty.enter("first-steps", language=language)
    browser.find(".first-step[data-done=true]")
    for sdk in SDKS:
        lines(browser, sdk)
        looks.at(sdk)
    assert looks.broken == {}
    assert browser.errors() == []
