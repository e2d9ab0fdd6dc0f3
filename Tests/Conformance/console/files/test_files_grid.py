"""The area Files: the grid, the filter, the dialog of a file, keyboard, read-only sessions."""

import io
from urllib.parse import quote

import pytest
import requests
from censoring import block
from client import ALPHA, TIMEOUT, Server
from files_area import TILE, FilesArea
from many_rows import add_copies
from PIL import Image
from pictures import encoded, plain
from selenium.webdriver.common.keys import Keys


@pytest.mark.extended
def test_an_image_has_a_thumbnail_and_other_files_have_a_sign(files, word):
    files.api.store(encoded(plain(640, 480)), f"{word}-a.png")
    files.api.store(b"%!PS", f"{word}-b.eps", "application/postscript")
    files.enter().search(word)
    width = "return arguments[0].querySelector('img')?.naturalWidth"
    files.browser.wait(lambda: files.browser.run(width, files.tile(f"{word}-a.png")) == 320, "no thumbnail")
    assert files.tile(f"{word}-b.eps").find_element("css selector", ".files-sign").text == "EPS"


@pytest.mark.extended
def test_a_long_list_has_few_nodes_and_small_requests(files, word):
    """External records need no bytes, and a batch creates them at once."""
    total = 700
    body = [
        {"method": "POST", "path": "/1.1/files",
         "body": {"url": f"http://127.0.0.1:1/{word}-{n:03}", "name": f"{word}-{n:03}", "mime_type": "text/plain"}}
        for n in range(total)
    ]
    assert files.api.post("/1.1/batch", json={"requests": body}).status_code == 200
    files.enter().search(word)
    browser = files.browser
    browser.find(".files-count", f"{total} files")
    browser.run("document.querySelector('.files-grid').scrollTop = 1e9")
    # The newest is the first.
    files.tile(f"{word}-000")
    assert len(browser.all(".files-tile")) < 100
    limits = limits_of_requests(browser)
    assert limits and max(limits) <= 200


@pytest.mark.extended
def test_a_page_that_comes_in_parts_is_shown_whole(files, word):
    """An answer has fewer records than it was asked for if their bytes are too many."""
    for n in range(5):
        files.api.store(b"x", f"{word}-{n}", "text/plain", metaData='{"long":"no tile shows this"}')
    files.enter()
    browser = files.browser
    browser.find(".files-count", "file")
    browser.run(
        "const original = fetch; window.asked = []; window.fetch = async (path, options) => {"
        " const answer = await original(path, options);"
        " if (!path.startsWith('/console/api/1.1/files?')) return answer;"
        " const { results, count } = await answer.json(); window.asked.push(results);"
        " return Response.json({ results: results.slice(0, 2), count }); }"
    )
    files.search(word)
    browser.wait(lambda: len(files.names()) == 5, "the page is not whole")
    browser.find(".files-facts", "1 B · text/plain")
    assert browser.run("return window.asked.map((results) => results.length)") == [5, 3, 1]
    assert browser.run("return Object.keys(window.asked[0][0].metaData)") == ["size"]


@pytest.mark.extended
def test_a_thumbnail_that_a_lost_connection_delayed_is_shown(files, word):
    files.enter()
    browser = files.browser
    browser.find(".files-count", "file")
    browser.run(
        "const original = fetch; window.lost = 0; window.fetch = (path, options) => {"
        " if (!path.includes('/content?') || window.isBack) return original(path, options);"
        " window.lost += 1; return Promise.reject(new TypeError('lost')); }"
    )
    # Not before: the first grid would get its thumbnail.
    files.api.store(encoded(plain(64, 48)), f"{word}.png")
    files.search(word)
    browser.wait(lambda: browser.run("return window.lost") > 0, "no thumbnail was asked for")
    browser.run("window.isBack = true")
    browser.find(f"{TILE}[title='{word}.png'] img")


@pytest.mark.extended
def test_a_thumbnail_comes_and_goes_with_the_verdict(files, word):
    block(files.api, files.api.store(encoded(plain(64, 48)), f"{word}.png")["objectId"])
    files.enter().search(word)
    browser = files.browser
    picture = f"{TILE}[title='{word}.png'] img"
    browser.find(f"{TILE}[title='{word}.png'] .files-facts", "blocked")
    files.open(f"{word}.png")
    browser.click(".censor-panel button", "Pass, and show it again")
    browser.find(".censor-panel .censor-badge", "passed")
    files.escape()
    browser.find(picture)
    files.open(f"{word}.png")
    browser.click(".censor-panel button", "Block")
    browser.find(".censor-panel .censor-badge", "blocked")
    files.escape()
    browser.find(f"{TILE}[title='{word}.png'] .files-facts", "blocked")
    browser.gone(picture)


def limits_of_requests(browser):
    """The numbers of objects for which the page has asked, of the last 250 requests."""
    return browser.run(
        "return performance.getEntriesByType('resource').map(({ name }) => new URL(name).searchParams.get('limit'))"
        ".filter((limit) => limit !== null).map(Number)"
    )


@pytest.mark.extended
def test_a_hundred_thousand_files_have_few_nodes_and_small_requests(browser, tmp_path):
    from browser import Console

    server = Server(tmp_path, apps=(ALPHA,)).start()
    body = {"url": "http://127.0.0.1:1/x", "name": "name-0.txt", "mime_type": "text/plain"}
    assert server.api(master=True).post("/1.1/files/name-0.txt", json=body).status_code == 201
    assert server.stop() == 0
    add_copies(server, "_File", 99_999, "name-0", lambda n: f"name-{n}")
    server.start()
    try:
        files = FilesArea(Console(browser, server)).enter()
        browser.find(".files-count", "100,000 files")
        # Through the whole grid in 40 steps, faster than the answers come.
        browser.run(
            "const grid = document.querySelector('.files-grid'); let step = 0; const go = () => {"
            " grid.scrollTop = grid.scrollHeight * (step += 1) / 40;"
            " step < 40 ? requestAnimationFrame(go) : grid.dataset.scrolled = 'true'; }; go();"
        )
        browser.find(".files-grid[data-scrolled]")
        # The copies are newer.
        files.tile("name-0.txt")
        assert len(browser.all(".files-tile")) < 100
        limits = limits_of_requests(browser)
        assert max(limits) <= 200 and len(limits) < 100
    finally:
        server.stop()


@pytest.mark.extended
def test_all_files_are_shown_after_those_of_one_type(files, word):
    kind = f"x-test/{word}"
    files.api.store(b"x", f"{word}-typed", kind)
    files.api.store(b"x", f"{word}-other", "text/plain")
    files.enter("type", quote(kind, safe=""))
    browser = files.browser
    browser.wait(lambda: files.names() == [f"{word}-typed"], "not the files of the type")
    # The type stays when the dialog over the grid is closed.
    files.open(f"{word}-typed").escape()
    browser.wait(lambda: browser.driver.current_url.endswith(f"#/files/type/{quote(kind, safe='')}"), "another address")
    assert files.names() == [f"{word}-typed"]
    browser.click(".tabs a", "All files")
    files.tile(f"{word}-other")
    assert browser.find(".files-filter select").get_attribute("value") == "all"


@pytest.mark.extended
def test_the_dialog_of_a_file_with_a_long_name_is_no_wider_than_its_window(files, word):
    name = word + "x" * 200
    record = files.api.store(b"x", name, "text/plain")
    files.enter("file", record["objectId"])
    files.browser.find("dialog.files-dialog h2", name)
    assert files.browser.run(
        "const { scrollWidth, clientWidth } = document.querySelector('dialog'); return scrollWidth <= clientWidth"
    )


@pytest.mark.extended
def test_filter_and_order(files, word):
    for name, data, kind in [("a.txt", b"x" * 30, "text/plain"), ("b.png", encoded(plain(9, 9)), "image/png"),
                             ("c.txt", b"x" * 50_000, "text/plain")]:
        files.api.store(data, f"{word}-{name}", kind)
    files.enter().search(word)
    browser = files.browser
    order, kind = (browser.find(f"#{browser.find(f'.files-filter label', text).get_attribute('for')}")
                   for text in ("Order", "Type"))
    order.send_keys("Largest")
    browser.wait(lambda: files.names() == [f"{word}-c.txt", f"{word}-b.png", f"{word}-a.txt"]
                 or files.names()[:1] == [f"{word}-c.txt"], "not the largest first")
    kind.send_keys("Images")
    browser.wait(lambda: files.names() == [f"{word}-b.png"], "not only the image")
    browser.find(".files-count", "1 file")


@pytest.mark.extended
def test_a_name_with_signs_of_patterns_is_searched_as_it_is(files, word):
    for name in [f"{word}-a.c", f"{word}-abc", f"{word}-\\Ea"]:
        files.api.store(b"x", name, "text/plain")
    files.enter().search(f"{word}-a.c")
    files.browser.wait(lambda: files.names() == [f"{word}-a.c"], "the dot is a pattern")
    files.search(f"{word}-\\E")
    files.browser.wait(lambda: files.names() == [f"{word}-\\Ea"], "the quotation ends too early")


@pytest.mark.extended
def test_the_keyboard_moves_selects_opens_and_closes(files, word):
    for n in range(3):
        files.api.store(b"x", f"{word}-{n}", "text/plain")
    files.enter().search(word)
    browser = files.browser
    grid = browser.find(".files-grid")
    browser.run("arguments[0].focus()", grid)
    browser.press(Keys.ARROW_RIGHT)
    active = "return document.getElementById(arguments[0].getAttribute('aria-activedescendant')).title"
    assert browser.run(active, grid) == f"{word}-1"
    browser.press(Keys.SPACE)
    browser.press(Keys.SHIFT, Keys.ARROW_RIGHT)
    browser.find(".files-selection", "2 files selected")
    browser.press(Keys.ESCAPE)
    browser.gone(".files-selection")
    browser.press(Keys.ENTER)
    browser.find("dialog.files-dialog h2", f"{word}-0")
    files.escape()
    browser.wait(lambda: browser.focused == grid, "the focus is not on the grid again")


@pytest.mark.extended
def test_the_dialog_has_the_facts_and_a_link_that_downloads(files, word):
    record = files.api.store(b"words", f"{word}.txt", "text/plain", metaData='{"album":"summer"}')
    files.enter("file", record["objectId"])
    browser = files.browser
    dialog = browser.find("dialog.files-dialog", record["key"])
    for text in ["text/plain", "5 bytes", record["objectId"], record["metaData"]["_checksum"]]:
        assert text in dialog.text
    assert browser.find(".files-preview pre").text == "words"
    address = browser.find(".files-actions a", "Download").get_attribute("href")
    response = requests.get(address, timeout=TIMEOUT)
    assert response.content == b"words" and "attachment" in response.headers["Content-Disposition"]


def test_an_id_that_is_a_path_opens_nothing(files):
    files.enter("file", "..%2F..%2Fsession")
    files.browser.find(".files-count", "file")
    assert files.browser.all("dialog") == []


@pytest.mark.extended
def test_references_are_found_in_every_kind_of_field(files, word):
    record = files.api.store(b"x", f"{word}.txt", "text/plain")
    file = {"__type": "File", "id": record["objectId"]}
    pointer = {"__type": "Pointer", "className": "_File", "objectId": record["objectId"]}
    relation = {"__op": "AddRelation", "objects": [pointer]}
    fields = {"file": file, "pointer": pointer, "files": [file], "pointers": [1, pointer], "relation": relation}
    for field, value in fields.items():
        assert files.api.post(f"/1.1/classes/FilesOf{field}{word}", json={field: value}).status_code == 201
    text = files.api.post(f"/1.1/classes/FilesText{word}", json={"text": f"see {record['url']}!"}).json()["objectId"]
    files.enter("file", record["objectId"])
    files.section("References")
    browser = files.browser
    browser.find("dialog [role=status]", f"{len(fields)} objects refer")
    listed = browser.find(".files-references").text
    for field in fields:
        assert f"FilesOf{field}{word}" in listed
    assert text not in listed
    browser.click("dialog button", "Search URLs in strings too")
    browser.find(".files-references a", text)


@pytest.mark.extended
def test_image_operations_are_shown_and_their_url_works(files, word):
    record = files.api.store(encoded(plain(640, 480), "JPEG"), f"{word}.jpg", "image/jpeg")
    files.enter("file", record["objectId"])
    files.section("Image operations")
    browser = files.browser
    browser.find(".files-result", "640 × 480")
    browser.find("select[name=fit]").send_keys("Fill and crop")
    browser.run(
        "const slider = document.querySelector('input[name=width]'); slider.value = '100';"
        "slider.dispatchEvent(new Event('input', { bubbles: true }))"
    )
    browser.find("select[name=format]").send_keys("webp")
    browser.find(".files-result", "100 × 300 · webp")
    field = browser.find(".files-operations .files-copy input")
    browser.wait(lambda: "format/webp" in field.get_attribute("value"), "the URL has no format")
    shown = field.get_attribute("value")
    image = Image.open(io.BytesIO(requests.get(shown, timeout=TIMEOUT).content))
    assert (image.size, image.format) == ((100, 300), "WEBP")
    browser.run("arguments[0].value = ''", field)
    browser.click(".files-operations .files-copy button", "Copy")
    # The server's URL of a public image is the same.
    browser.wait(lambda: field.get_attribute("value") == shown, "the copied URL is another one")


@pytest.mark.extended
def test_operations_that_the_server_refuses_show_its_message(files, word):
    record = files.api.store(encoded(plain(64, 48)), f"{word}.png", "image/png")
    files.enter("file", record["objectId"])
    files.section("Image operations")
    browser = files.browser
    browser.find(".files-result", "64 × 48")
    browser.find("select[name=fit]").send_keys("Exact size")
    browser.fill("input[type=number][aria-label^='Width']", "2000000")
    browser.find(".files-result .files-error", "Request")


@pytest.mark.extended
def test_a_read_only_session_changes_nothing(files, word):
    record = files.api.store(b"x", f"{word}.txt", "text/plain")
    files.enter(key=ALPHA.reader).search(word)
    browser = files.browser
    assert browser.all(".files-input") == []
    files.select(f"{word}.txt")
    browser.find(".files-selection", "1 file selected")
    assert not any("Delete" in button.text for button in browser.all("button"))
    browser.run("document.querySelector('.files-grid').focus()")
    browser.press(Keys.DELETE)
    files.open(f"{word}.txt").section("Metadata")
    assert browser.find(".files-metadata textarea").get_attribute("readonly") is not None
    assert not any("Delete" in button.text or "Save" in button.text for button in browser.all("dialog button"))
    assert files.api.get(f"/1.1/files/{record['objectId']}").status_code == 200
