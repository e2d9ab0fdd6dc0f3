"""The area Server of the console, as its readers use it."""

from urllib.parse import quote

import pytest
from accessibility import broken_rules, overflows, without_focus_ring
from client import ALPHA, eventually
from people import unique
from selenium.webdriver.common.keys import Keys

HOSTILE = [
    "<img src=x onerror=window.hacked=1>", "<script>window.hacked=1</script>", "\"><svg onload=window.hacked=1>",
    "javascript:window.hacked=1", "\u202e<a href=//evil.example>",
]
VIEWS = {
    "": ".server-chart svg[aria-label]", "failures": ".server-part tbody td", "changes": ".server-watch",
    "settings": ".server-own", "version": ".server-notes li",
}


@pytest.fixture(scope="module")
def master(state_server):
    """Calls of the first app, some of which were refused, with values that attack."""
    api = state_server.api(master=True)
    for text in HOSTILE:
        assert api.get(f"/1.1/classes/{quote(text, safe='')}").status_code >= 400
    # The first sample of the history comes a second after the start.
    assert eventually(lambda: api.get("/1.1/server/history").json()["times"], 25)
    return api


@pytest.mark.extended
@pytest.mark.parametrize("language, scheme, width", [("en", "light", 1200), ("zh", "dark", 320)])
def test_every_view_obeys_the_rules(owner, browser, master, language, scheme, width):
    browser.size(width, 800)
    browser.prefer(scheme=scheme)
    broken = {}
    owner.enter("server", language=language)
    for view, shown in VIEWS.items():
        browser.click(f".tabs a[href='#/server{'/' + view if view else ''}']")
        browser.find(shown)
        if view == "changes":
            browser.run("document.querySelector('.server-line button[aria-pressed]').focus()")
            master.post("/1.1/classes/ServerLooks", json={"n": 1})
            browser.find(".server-changes tbody a", "ServerLooks")
        found = broken_rules(browser) + [f"wider than the window: {node}" for node in overflows(browser)]
        if found:
            broken[view] = found
        browser.screenshot(f"server-{view or 'overview'}-{language}-{scheme}-{width}")
    assert broken == {}
    assert browser.errors() == []


@pytest.mark.extended
def test_what_clients_sent_is_text(owner, browser, master):
    owner.enter("server", "failures", key=ALPHA.reader)
    for text in HOSTILE:
        browser.find(".server-part td code", quote(text, safe=""))
    made = "iframe, [onerror], [onload], a[href*=evil], main img, main script"
    assert not browser.all(made) and browser.run("return window.hacked") is None
    assert browser.errors() == []


def test_a_failed_request_is_listed_with_its_id(owner, browser, master):
    response = master.get(f"/1.1/classes/{unique('Gone')}/nothing")
    owner.enter("server", "failures")
    row = browser.find(".server-part tbody tr", response.headers["X-Request-Id"])
    assert response.json()["error"] in row.text and "404" in row.text


@pytest.mark.extended
def test_a_chart_has_its_figures_in_words(owner, browser, master):
    owner.enter("server", key=ALPHA.reader)
    label = browser.find(".server-chart svg[aria-label^='Requests per second']").get_attribute("aria-label")
    assert "now" in label and "least" in label and "greatest" in label
    browser.find(".server-fine", "The server is ready.")
    browser.find(".server-part dd")


@pytest.mark.extended
def test_new_figures_leave_the_focus_where_it_is(owner, browser, master):
    owner.enter("server", key=ALPHA.reader)
    browser.find(".server-numbers")
    assert browser.run("""
        return import('/console/areas/server/merge.js').then(({ merge }) => {
          const parts = document.querySelector('.server-parts');
          const region = parts.querySelector('[tabindex]');
          region.focus();
          const made = parts.cloneNode(true);
          made.querySelector('td').textContent = 'another';
          made.querySelector('tbody').lastChild.remove();
          merge(parts, made.cloneNode(true));
          return document.activeElement === region && parts.isEqualNode(made);
        });
    """)


@pytest.mark.extended
def test_changes_are_watched_paused_and_filtered_by_keyboard(owner, browser, master):
    one, two = unique("One"), unique("Two")
    owner.enter("server", "changes", key=ALPHA.reader)
    browser.find(".server-watch", "Watching")

    def create(name):
        return master.post(f"/1.1/classes/{name}", json={}).json()["objectId"]

    # The first call of the page can begin after the change; a later one then comes after it.
    create(one)
    browser.find(".server-changes tbody tr", one)
    browser.run("document.activeElement.blur()")
    browser.press("p")
    browser.find(".server-watch", "Paused")
    assert browser.all("button[aria-pressed=true]")
    while_paused = create(one)
    browser.press("p")
    assert "created" in browser.find(".server-changes tbody tr", while_paused).text
    browser.press("/")
    assert browser.focused.get_attribute("type") == "search" and not without_focus_ring(browser)
    browser.press(two, Keys.ENTER)
    browser.wait(lambda: not browser.all(".server-changes tbody tr"), "the filter leaves rows of other classes")
    create(one)
    filtered = create(two)
    browser.find(".server-changes tbody tr", filtered)
    assert len(browser.all(".server-changes tbody tr")) == 1
    link = browser.find(".server-changes tbody a", filtered)
    assert two in link.get_attribute("href")


@pytest.mark.extended
def test_settings_are_filtered(owner, browser):
    owner.enter("server", "settings", key=ALPHA.reader)
    browser.find(".server-own", "files.signingKeys")
    assert "a-hidden-signing-key" not in browser.text
    browser.press("/")
    browser.press("masterKey")
    browser.find("[role=status]", "1 setting")
    assert "metrics.masterKey" in browser.find(".server-own").text


@pytest.mark.extended
def test_the_owner_of_one_of_several_apps_is_told_what_is_hidden(console, browser):
    console.enter("server")
    browser.find("main .hint", "metrics.masterKey")
    assert not browser.all(".server-chart")
    console.enter("server", "settings")
    browser.find(".notice.failed", "metrics.masterKey")
