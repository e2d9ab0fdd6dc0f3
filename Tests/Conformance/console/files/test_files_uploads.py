"""The area Files: uploads by choice and by drop, pauses, a reload in the middle."""

from uuid import uuid4

import pytest
from uploading import md5, noise

# Bytes a second that make an upload last long enough to be interrupted.
SLOW = 256 << 10


@pytest.fixture
def name():
    return f"{uuid4().hex[:8]}.bin"


def throttle(browser, speed):
    """Limits the speed of uploads in bytes a second; -1 for no limit."""
    browser.command("Network.enable")
    browser.command(
        "Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=speed
    )


@pytest.fixture
def slow(files):
    """An area whose uploads are slow until the test says otherwise."""
    files.enter()
    files.browser.find(".files-count", "file")
    throttle(files.browser, SLOW)
    yield files
    throttle(files.browser, -1)


def begin(files, tmp_path, name, size=2 << 20):
    """Begins an upload and waits until the server has some of its bytes; returns all of them."""
    data = noise(size)
    (tmp_path / name).write_bytes(data)
    files.choose(tmp_path / name)
    files.browser.wait(lambda: "KB of" in " ".join(files.uploads()), "no byte has arrived")
    return data


def created(files, name):
    """The number of unfinished uploads with a name at the server."""
    where = {"where": f'{{"name":"{name}"}}', "count": 1, "limit": 0}
    return files.api.get("/1.1/classes/_Upload", params=where).json()["count"]


@pytest.mark.extended
def test_chosen_files_are_uploaded_whole(files, tmp_path, name):
    contents = {f"{n}-{name}": noise(size, n) for n, size in enumerate([0, 1, 3 << 20])}
    for each, data in contents.items():
        (tmp_path / each).write_bytes(data)
    files.enter()
    files.choose(*(tmp_path / each for each in contents))
    for each, data in contents.items():
        record = files.stored(each)
        assert files.api.fetch(record["url"]).content == data
    files.browser.find(".files-uploads h2", "0 of 3 open")
    for each in contents:
        files.tile(each)


@pytest.mark.extended
def test_a_dropped_file_is_uploaded(files, name):
    files.enter()
    files.browser.find(".files-grid")
    files.browser.run(
        "const transfer = new DataTransfer();"
        "transfer.items.add(new File(['dropped'], arguments[0], { type: 'text/plain' }));"
        "for (const type of ['dragenter', 'dragover', 'drop']) document.querySelector('.files-grid').dispatchEvent("
        "new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }))", name
    )
    record = files.stored(name)
    assert record["mime_type"] == "text/plain"
    assert files.api.fetch(record["url"]).content == b"dropped"


@pytest.mark.extended
def test_an_upload_continues_after_a_reload(slow, tmp_path, name):
    data = begin(slow, tmp_path, name)
    browser = slow.browser
    browser.driver.refresh()
    browser.find(".files-uploads-list li", name)
    throttle(browser, -1)
    record = slow.stored(name)
    assert record["metaData"]["_checksum"] == md5(data)
    # It was continued: this page has created no upload.
    created = browser.run(
        "return performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/1.1/uploads')).length"
    )
    assert created == 0
    browser.find(".files-uploads-list li", "Finished")
    browser.driver.refresh()
    browser.find(".files-count", "file")
    assert browser.all(".files-uploads-list li") == []


@pytest.mark.extended
def test_a_paused_upload_waits_until_it_is_continued(slow, tmp_path, name):
    data = begin(slow, tmp_path, name)
    browser = slow.browser
    browser.click(".files-uploads-list button", "Pause")
    browser.find(".files-uploads-list li", "Paused")
    assert slow.named(name) == []
    throttle(browser, -1)
    browser.click(".files-uploads-list button", "Continue")
    assert slow.stored(name)["metaData"]["_checksum"] == md5(data)


@pytest.mark.extended
def test_a_cancelled_upload_is_removed_from_the_server(slow, tmp_path, name):
    begin(slow, tmp_path, name)
    browser = slow.browser
    browser.click(".files-uploads-list button", "Cancel")
    browser.gone(".files-uploads-list li")
    browser.wait(lambda: created(slow, name) == 0, "the upload is there")
    assert slow.named(name) == []


@pytest.mark.extended
def test_an_upload_that_is_cancelled_before_its_path_is_known_is_removed(files, tmp_path, name):
    (tmp_path / name).write_bytes(b"bytes")
    files.enter()
    browser = files.browser
    browser.find(".files-count", "file")
    browser.run(
        "const original = fetch; window.fetch = async (path, options) => {"
        " const response = await original(path, options);"
        " if (path.endsWith('/1.1/uploads')) await new Promise((answer) => { window.answer = answer; });"
        " options.signal?.throwIfAborted();"
        " return response; }"
    )
    files.choose(tmp_path / name)
    browser.wait(lambda: browser.run("return Boolean(window.answer)"), "no upload was created")
    assert created(files, name) == 1
    browser.click(".files-uploads-list button", "Cancel")
    browser.gone(".files-uploads-list li")
    browser.run("window.answer()")
    browser.wait(lambda: created(files, name) == 0, "the upload is there")
    assert files.named(name) == []


@pytest.mark.extended
def test_an_upload_goes_on_while_another_area_is_open(slow, tmp_path, name):
    data = begin(slow, tmp_path, name)
    slow.browser.click("nav.areas a", "Activity")
    slow.browser.gone(".files-grid")
    throttle(slow.browser, -1)
    assert slow.stored(name)["metaData"]["_checksum"] == md5(data)


@pytest.mark.extended
def test_an_upload_goes_on_after_a_new_log_in(slow, tmp_path, name):
    data = begin(slow, tmp_path, name)
    slow.console.end_sessions()
    throttle(slow.browser, -1)
    slow.console.log_in()
    assert slow.stored(name)["metaData"]["_checksum"] == md5(data)


@pytest.mark.extended
def test_a_refused_upload_shows_the_message_of_the_server(files, tmp_path, name):
    """The quota of this server is 64 MB."""
    (tmp_path / name).write_bytes(b"\0")
    with open(tmp_path / name, "r+b") as file:
        file.truncate(70 << 20)
    files.enter()
    files.choose(tmp_path / name)
    files.browser.find(".files-uploads-list li", "uploads.quota")
    files.browser.find(".files-uploads-list li", "Request")
