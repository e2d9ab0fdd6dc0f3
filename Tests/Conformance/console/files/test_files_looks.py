"""The area Files for all its readers: rules of accessibility, both languages, both colour schemes, a narrow window."""

import pytest
from accessibility import without_focus_ring
from looks import LOOKS, Looks
from pictures import encoded, plain


@pytest.fixture(scope="module")
def gallery(files_server):
    """An image, a text, an object that refers to them, and an entry of the trash."""
    api = files_server.api(master=True)
    image = api.store(encoded(plain(640, 480)), "looks-image.png", "image/png")
    api.store(b"words", f"looks-{'a-long-name-' * 12}.txt", "text/plain")
    gone = api.store(b"x", "looks-deleted.txt", "text/plain")
    assert api.delete(gone["objectId"]).status_code == 200
    value = {"picture": {"__type": "File", "id": image["objectId"]}}
    assert api.post("/1.1/classes/FilesLooks", json=value).status_code == 201
    return image


@pytest.mark.few(1)
@LOOKS
def test_every_view_obeys_the_rules(files, gallery, tmp_path, language, scheme, width):
    browser = files.browser
    looks = Looks(browser, "files", language, scheme, width)
    files.enter(language=language).search("looks-")
    browser.wait(lambda: browser.all(".files-tile img"), "no thumbnail")
    (tmp_path / "looks-upload.txt").write_text("words")
    files.choose(tmp_path / "looks-upload.txt")
    browser.find(".files-uploads-list li[data-state=done]")
    files.tile("looks-upload.txt")
    files.select("looks-image.png")
    looks.at("grid")
    browser.run("document.querySelector('.files-grid').focus()")
    assert not without_focus_ring(browser)
    browser.click(".files-selection button.danger")
    browser.find("dialog button.danger")
    looks.at("question")
    browser.click("dialog button:not(.danger)")
    browser.gone("dialog")
    files.open("looks-image.png")
    browser.find(".files-preview img")
    for summary in browser.all("dialog summary"):
        summary.click()
    browser.find(".files-references a", "FilesLooks")
    browser.find(".files-result", "640 × 480")
    looks.at("details")
    files.escape()
    for view, shown in [("trash", ".files-trash-name"), ("space", ".files-space a")]:
        browser.click(f".tabs a[href='#/files/{view}']")
        browser.find(shown)
        looks.at(view)
    assert looks.broken == {}
