"""The frame of the console in a browser: log-in, navigation, the end of a session, languages, accessibility."""

import json

import pytest
import requests
from accessibility import broken_rules, overflows, without_focus_ring
from client import ALPHA, TIMEOUT
from console_calls import ConsoleCalls
from scripts_as_text import XSS, assert_nothing_ran, watch
from selenium.webdriver.common.keys import Keys


@pytest.mark.extended
def test_an_owner_logs_in_and_sees_the_areas(console, browser):
    console.open().log_in()
    assert browser.find("nav.areas a[aria-current=page]").text
    assert browser.find("header .app").text == ALPHA.id
    assert browser.errors() == []


@pytest.mark.extended
def test_the_first_field_has_the_focus_and_enter_logs_in(console, browser):
    console.open()
    browser.find("form.login-form")
    browser.press(ALPHA.id, Keys.TAB, ALPHA.master, Keys.ENTER)
    browser.find("nav.areas")


@pytest.mark.extended
def test_a_wrong_key_is_said_next_to_the_form_and_the_app_stays(console, browser):
    console.open().log_in("wrong-key")
    assert "The app id or the key is wrong." in browser.find(".form-error p").text
    assert browser.find("input[name=app]").get_attribute("value") == ALPHA.id
    assert browser.focused.get_attribute("name") == "key"
    console.log_in()
    browser.find("nav.areas")


@pytest.mark.extended
def test_a_reload_keeps_the_session_and_the_place(console, browser):
    console.enter("activity")
    browser.driver.refresh()
    browser.find("nav.areas a[aria-current=page]", "Activity")


@pytest.mark.extended
def test_the_log_out_ends_the_session(console, browser):
    console.enter()
    browser.click("header button", "Log out")
    browser.find("form.login-form")
    browser.driver.refresh()
    browser.find("form.login-form")
    assert browser.run("return document.cookie") == ""


@pytest.mark.extended
def test_scripts_do_not_see_the_cookie(console, browser):
    console.enter()
    assert browser.run("return document.cookie") == ""
    assert any(cookie["httpOnly"] for cookie in browser.command("Network.getAllCookies")["cookies"])


@pytest.mark.extended
def test_the_read_only_key_is_marked_and_has_no_actions(console, browser, console_server):
    ConsoleCalls(console_server).log_in()
    console.enter("activity", key=ALPHA.reader)
    assert browser.find("header .badge").text == "read-only"
    browser.find("main td", "this session")
    assert browser.all("main button.danger") == []


@pytest.mark.extended
def test_after_the_end_of_a_session_the_call_is_made_after_a_new_log_in(console, browser, console_server):
    """Nothing on the page is lost: the dialog is over it, and what was asked for happens."""
    console.enter("activity")
    browser.find("main td", "this session")
    browser.run("window.samePage = true")
    console.end_sessions()
    other = ConsoleCalls(console_server).log_in().json()["session"]
    browser.run("location.hash = '#/activity/again'")
    browser.find("dialog form.login-form")
    assert browser.find("dialog input[name=app]").get_attribute("value") == ALPHA.id
    assert browser.focused.get_attribute("name") == "key"
    assert broken_rules(browser) == []
    console.log_in()
    browser.gone("dialog")
    browser.find("main td", other)
    assert browser.run("return window.samePage") is True


@pytest.mark.extended
def test_entries_with_the_time_of_the_last_one_follow_on_the_next_page(console, browser, console_server):
    calls = ConsoleCalls(console_server)
    calls.log_in()
    for _ in range(51):
        calls.call("DELETE", f"/1.1/classes/ConsoleNote/{'0' * 24}")
    entries = console_server.api(master=True).get(
        "/1.1/classes/_ConsoleAudit?order=-createdAt,-objectId&limit=51"
    ).json()["results"]
    console.enter("activity")
    browser.find("main td code", entries[49]["requestId"])
    browser.click("main button", "Show more")
    browser.find("main td code", entries[50]["requestId"])
    where = json.loads(browser.run(
        "return performance.getEntriesByType('resource').map(({ name }) => new URL(name).searchParams.get('where'))"
        ".filter((where) => where !== null).at(-1)"
    ))
    last = {"__type": "Date", "iso": entries[49]["createdAt"]}
    assert {"createdAt": last, "objectId": {"$lt": entries[49]["objectId"]}} in where["$or"]


@pytest.mark.extended
def test_a_session_of_another_tab_is_taken_over(console, browser):
    """The other tab's log-in replaces the cookie; this tab goes on with it and asks for nothing."""
    console.enter("activity")
    first, = browser.driver.window_handles
    browser.driver.switch_to.new_window("tab")
    browser.driver.get(console.url)
    browser.find("nav.areas")
    browser.click("header button", "Log out")
    browser.find("form.login-form")
    console.log_in()
    browser.find("nav.areas")
    browser.driver.switch_to.window(first)
    browser.run("location.hash = '#/activity/again'")
    browser.find("main td", "this session")
    assert browser.all("dialog") == []


@pytest.mark.extended
def test_the_log_out_ends_the_later_session_of_another_tab(console, browser):
    console.enter("activity")
    browser.find("main td", "this session")
    console.end_sessions()
    first, = browser.driver.window_handles
    browser.driver.switch_to.new_window("tab")
    browser.driver.get(console.url)
    console.log_in()
    browser.find("nav.areas")
    browser.driver.switch_to.window(first)
    browser.click("header button", "Log out")
    browser.find("form.login-form")
    browser.driver.refresh()
    browser.find("form.login-form")
    assert browser.all("nav.areas") == []


@pytest.mark.extended
def test_a_server_that_is_gone_is_named(new_server, browser):
    from browser import Console

    server = new_server().start()
    console = Console(browser, server).enter("activity")
    browser.find("main td", "this session")
    server.stop()
    browser.run("location.hash = '#/activity/again'")
    assert "The server does not answer." in browser.find(".notice.failed").text
    browser.click(".notice.failed button")
    assert console.app == ALPHA


@pytest.mark.extended
@pytest.mark.parametrize("language, title, locale", [("en", "Activity", "en"), ("zh", "操作记录", "zh-CN")])
def test_the_page_speaks_the_language_of_its_reader(console, browser, language, title, locale):
    console.enter("activity", language=language)
    assert browser.find("h1").text == title
    assert browser.run("return document.documentElement.lang").startswith(locale)


@pytest.mark.extended
def test_the_language_is_changed_in_the_page(console, browser):
    console.open()
    browser.find("select.language").send_keys("简体中文")
    browser.find("h1", "lcfile 控制台")


@pytest.mark.extended
def test_both_languages_have_the_same_texts(browser, console):
    console.open()
    missing = browser.run("""
        const done = arguments[0];
        return Promise.all([import('/console/words/en.js'), import('/console/words/zh.js'),
            import('/console/scripts/areas.js')]).then(([{ en }, { zh }, { pages: areas }]) => {
          const all = (name, own) => ({ ...own, ...Object.assign({}, ...areas.map((area) => area.words?.[name] ?? {})) });
          const [left, right] = [all('en', en), all('zh', zh)];
          const values = (text) => [...JSON.stringify(text).matchAll(/\\{(\\w+)\\}/g)].map((found) => found[1]);
          const same = (key) => new Set(values(left[key])).symmetricDifference(new Set(values(right[key]))).size === 0;
          return Object.keys({ ...left, ...right }).filter((key) => !left[key] || !right[key] || !same(key));
        });
    """)
    assert missing == []


# Keyboard

@pytest.mark.extended
def test_the_navigation_is_used_by_keyboard(console, browser):
    console.enter()
    browser.press(Keys.TAB)
    assert browser.focused.text == "Skip to the content"
    browser.press(Keys.ENTER)
    assert browser.focused.tag_name == "h1"
    browser.press(Keys.ALT, Keys.SHIFT, "1")
    browser.find("nav.areas li:first-child a[aria-current=page]")


@pytest.mark.extended
def test_the_list_of_shortcuts_opens_and_gives_the_focus_back(console, browser):
    console.enter()
    browser.find("header button", "Shortcuts").send_keys(Keys.ENTER)
    browser.find("dialog kbd", "Alt+Shift+1")
    assert broken_rules(browser) == []
    browser.press(Keys.ESCAPE)
    browser.gone("dialog")
    assert browser.focused.text == "Shortcuts"
    browser.find("body").send_keys("?")
    browser.find("dialog kbd")


@pytest.mark.extended
def test_the_focus_is_seen_on_every_control(console, browser):
    console.enter("activity")
    browser.find("main td", "this session")
    seen = 0
    browser.run("document.body.focus()")
    for _ in range(12):
        browser.press(Keys.TAB)
        if browser.focused.tag_name == "body":
            break
        assert not without_focus_ring(browser), browser.focused.get_attribute("outerHTML")
        seen += 1
    assert seen >= 5


# Accessibility and sizes

LOOKS = [(width, scheme) for width in (1200, 320) for scheme in ("light", "dark")]


def assert_rules(browser, page):
    """Looks at a page in all widths and colours."""
    for width, scheme in LOOKS:
        browser.prefer(scheme=scheme)
        browser.size(width, 800)
        browser.screenshot(f"{page}-{scheme}-{width}")
        assert broken_rules(browser) == [] and overflows(browser) == [], (width, scheme)


@pytest.mark.extended
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_pages_obey_the_rules(console, browser, language):
    console.open("activity", language=language)
    browser.find("form.login-form")
    assert_rules(browser, f"login-{language}")
    console.log_in()
    browser.find("main tbody td code")
    assert_rules(browser, f"activity-{language}")
    assert browser.errors() == []


@pytest.mark.extended
def test_with_reduced_motion_nothing_moves(console, browser):
    browser.prefer(motion="reduce")
    console.enter()
    moving = browser.run("""
        return [...document.querySelectorAll('*')].filter((node) => {
          const style = getComputedStyle(node);
          return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0;
        }).length
    """)
    assert moving == 0


# Values of attackers

@pytest.mark.extended
def test_what_attackers_put_into_sessions_and_changes_is_text(console, browser, console_server):
    for text in XSS:
        calls = ConsoleCalls(console_server)
        calls.http.headers["User-Agent"] = text.encode("utf-8").decode("latin-1").replace("\t", " ").strip()
        calls.log_in()
        calls.call("PUT", "/1.1/classes/" + requests.utils.quote(text, safe=""), json={})
    console.enter("activity")
    watch(browser)
    browser.run("location.hash = '#/activity/again'")
    browser.find("main td", "<script>stolen()</script>")
    assert_nothing_ran(browser)
    assert browser.errors() == []


@pytest.mark.extended
def test_a_value_cannot_become_an_address_that_runs(console, browser):
    console.open()
    addresses = ["javascript:stolen()", " java\nscript:stolen()", "JAVASCRIPT:x", "vbscript:x", "data:text/html,x",
                 "data:image/svg+xml,x", "\u0001javascript:x", "blob:x", "https://a.example/", "/a", "#/a", "a:b"]
    safe = browser.run("""
        return import('/console/scripts/element.js').then(({ element }) =>
          arguments[0].map((address) => element('a', { href: address }).hasAttribute('href')));
    """, addresses)
    assert [address for address, is_safe in zip(addresses, safe) if is_safe] == [
        "blob:x", "https://a.example/", "/a", "#/a",
    ]


def test_the_policy_stops_markup_made_from_strings(console, browser):
    console.open()
    refused = browser.run("""
        return import('/console/scripts/element.js').then(() => {
          const attempts = [
            () => { document.createElement('div').innerHTML = '<b>x</b>'; },
            () => { eval('1'); },
            () => { document.createElement('script').text = 'stolen()'; },
            () => { trustedTypes.createPolicy('any', {}); },
          ];
          return attempts.map((attempt) => { try { attempt(); return false; } catch { return true; } });
        });
    """)
    assert refused == [True, True, True, True]


def test_another_page_cannot_frame_the_console(browser, console_server):
    browser.driver.get("data:text/html,<title>other</title>")
    browser.run(
        "const frame = document.createElement('iframe'); frame.src = arguments[0]; document.body.append(frame);",
        f"{console_server.url}/console/",
    )
    browser.driver.switch_to.frame(0)
    browser.wait(
        lambda: browser.run("return location.href").startswith("chrome-error:"), "the frame was not refused"
    )


@pytest.mark.extended
def test_a_script_in_a_file_does_not_reach_the_console(console, browser, console_server):
    """A file of the app has the origin of the console; its sandbox is what keeps it out."""
    page = (
        b"<!doctype html><title>file</title><p id=result>nothing ran</p><script>"
        b"fetch('/console/session').then((r) => r.text()).then((t) => { document.title = 'stolen ' + t; });</script>"
    )
    url = console_server.api().store(page, name="page.html", type="text/html")["url"]
    console.enter()
    browser.driver.get(url)
    assert browser.find("#result").text == "nothing ran"
    assert "stolen" not in browser.driver.title
    response = requests.get(url, timeout=TIMEOUT)
    assert response.headers["Content-Security-Policy"].startswith("sandbox;")
