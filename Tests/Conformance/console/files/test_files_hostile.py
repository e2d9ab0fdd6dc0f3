"""The area Files with files that attack its reader: no value becomes markup, no file runs in the console's origin."""

import json

import pytest

SCRIPT = "window.attacked = true"
NAMES = [
    f"<img src=x onerror={SCRIPT!r}>.html", f"\"><script>{SCRIPT}</script>.svg", "javascript:window.attacked=1.js",
    "{name}<svg onload=window.attacked=1>.txt", "'-window.attacked=1-'.json", "\u202egpj.exe",
]
CONTENTS = {
    "text/html": f"<script>{SCRIPT}</script><img src=x onerror='{SCRIPT}'>",
    "image/svg+xml": f"<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30' onload='{SCRIPT}'>"
                     f"<script>{SCRIPT}</script><rect width='40' height='30' fill='red'/></svg>",
    "application/xhtml+xml": f"<html xmlns='http://www.w3.org/1999/xhtml'><script>{SCRIPT}</script></html>",
    "text/xml": f"<?xml version='1.0'?><x:script xmlns:x='http://www.w3.org/1999/xhtml'>{SCRIPT}</x:script>",
    "application/javascript": SCRIPT,
    "application/pdf": f"%PDF-1.4 /OpenAction << /S /JavaScript /JS ({SCRIPT}) >>",
}


@pytest.fixture(scope="module")
def hostile(files_server):
    """Files of each type with a name of each kind, whose metadata and ACL attack too."""
    api = files_server.api(master=True)
    # Names inside have no points.
    metadata = json.dumps({"owner": NAMES[0], "\"><script>window['attacked'] = true</script>": NAMES[0]})
    acl = json.dumps({"role:x": {"read": True}, "*": {"read": True}})
    return [
        api.store(content.encode(), NAMES[n % len(NAMES)], kind, metaData=metadata, ACL=acl)
        for n, (kind, content) in enumerate(CONTENTS.items())
    ]


def unharmed(browser):
    """Nothing has run, and the policy of the page had nothing to stop."""
    assert browser.run("return window.attacked") is None
    assert [line for line in browser.errors() if "Content Security Policy" in line or "TrustedHTML" in line] == []
    return True


@pytest.mark.extended
def test_names_are_shown_as_they_are(files, hostile):
    files.enter()
    for record in hostile:
        files.tile(record["name"])
    assert unharmed(files.browser)


@pytest.mark.extended
@pytest.mark.parametrize("number", range(len(CONTENTS)), ids=list(CONTENTS))
def test_the_dialog_of_a_hostile_file_runs_nothing(files, hostile, number):
    record = hostile[number]
    files.enter("file", record["objectId"])
    browser = files.browser
    browser.find("dialog.files-dialog h2", record["name"].replace("\u202e", ""))
    for summary in browser.all("dialog summary"):
        summary.click()
    browser.find("dialog [role=status]", "refer to this file")
    browser.wait(lambda: browser.find(".files-preview").text or browser.all(".files-preview img"), "no preview")
    assert browser.find(".files-metadata textarea").get_attribute("value").count(NAMES[0]) == 2
    for image in browser.all("dialog img"):
        assert (image.get_attribute("src") or "blob:").startswith("blob:")
    assert browser.all("dialog iframe, dialog object, dialog embed") == []
    assert unharmed(browser)


@pytest.mark.extended
def test_metadata_without_a_text_hide_no_file(files):
    """An object with a member `toString` cannot become a string in JavaScript."""
    odd = {"toString": 1}
    body = {"name": "odd.bin", "url": "http://127.0.0.1:1/x", "metaData": {"_checksum": odd, "owner": odd, "size": odd}}
    id = files.api.post("/1.1/files/odd.bin", json=body).json()["objectId"]
    files.enter("file", id)
    files.browser.find("dialog dd", '{"toString":1}')


@pytest.mark.extended
def test_the_preview_of_an_svg_is_a_raster_image(files, hostile):
    record = hostile[list(CONTENTS).index("image/svg+xml")]
    files.enter("file", record["objectId"])
    browser = files.browser
    image = browser.find(".files-preview img")
    kind = browser.driver.execute_async_script(
        "const done = arguments[1]; const reader = new Image(); reader.src = arguments[0].src;"
        "reader.decode().then(() => done([reader.naturalWidth, reader.naturalHeight]), (error) => done(String(error)))",
        image,
    )
    assert kind == [40, 30]


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["text/html", "image/svg+xml", "application/xhtml+xml", "text/xml"])
def test_the_content_opened_by_itself_runs_nothing(files, hostile, kind):
    """The address of the call, opened as a page by a link: without the token it is refused, and would be sandboxed."""
    record = hostile[list(CONTENTS).index(kind)]
    files.enter()
    browser = files.browser
    browser.find(".files-count", "file")
    browser.driver.get(f"{files.server.url}/console/api/1.1/files/{record['objectId']}/content")
    assert browser.run("return window.attacked") is None
    assert SCRIPT not in browser.driver.page_source
    # The public URL is of the same origin on a server with one address.
    browser.driver.get(record["url"])
    assert browser.run("return window.attacked") is None
