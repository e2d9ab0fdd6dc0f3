"""Abandoned uploads expire, and their bytes are removed."""

import re

import pytest
import requests
from client import TIMEOUT, assert_refused, eventually
from uploading import (
    Tus, ask, assert_counts, assert_file, assert_kodo_error, assert_no_file, assert_nothing_staged, has_bytes, limits,
    must, noise, own_server, record_of,
)

pytestmark = pytest.mark.long

DATA = noise(50_000)
HALF = 20_000


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that waits two seconds for the first byte and for further ones, and looks every second."""
    yield from own_server(tmp_path_factory, startTimeout=2, expireAfter=2, sweepInterval=1, minPartSize="1B")


@pytest.fixture(scope="module")
def api(server):
    return server.api()


def is_gone(upload):
    return upload.progress().status_code == 404


def assert_goes(server, upload):
    assert eventually(lambda: is_gone(upload), 15)
    assert_refused(upload.progress(), 404, 101)
    assert eventually(lambda: not has_bytes(server, upload.id))


def total(server, name):
    text = requests.get(f"http://127.0.0.1:{server.metrics_port}/metrics", timeout=TIMEOUT).text
    return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", text, re.MULTILINE))


def outlast(server):
    """Waits until an upload that begins now has ended by itself, so that all before it would have."""
    later = Tus(server).create(len(DATA), data=DATA[:HALF])
    assert eventually(lambda: is_gone(later), 15)


@pytest.mark.extended
def test_token_that_nobody_uses_goes(server, api):
    target = ask(api, len(DATA))
    assert_goes(server, target)
    assert_no_file(api, target)
    assert target.put(DATA).status_code >= 400
    assert_no_file(api, target)


def test_tus_upload_that_nobody_begins_goes(server):
    upload = Tus(server).create(len(DATA))
    assert_goes(server, upload)
    assert [call.status_code for call in (upload.head(), upload.patch(0, DATA), upload.delete())] == [404] * 3


@pytest.mark.extended
def test_tus_upload_that_stays_unfinished_goes_with_its_bytes(server, api):
    upload = Tus(server).create(len(DATA), data=DATA[:HALF])
    assert_goes(server, upload)
    assert upload.patch(HALF, DATA[HALF:]).status_code == 404
    assert record_of(api, upload.id) is None


@pytest.mark.extended
def test_partial_uploads_go(server):
    part = Tus(server).create(len(DATA), data=DATA, Upload_Concat="partial")
    assert_goes(server, part)
    assert 400 <= Tus(server).post(Upload_Concat=f"final;{part.path}").status_code < 500


@pytest.mark.extended
@pytest.mark.parametrize("way", ["blocks", "parts", "part of a block", "cut PUT"])
def test_upload_by_token_that_stays_unfinished_goes_with_its_bytes(server, api, way):
    target = ask(api, len(DATA))
    if way == "blocks":
        target.block(DATA)
    elif way == "parts":
        target.parts(target.begin(), DATA, HALF)
    elif way == "part of a block":
        must(target.mkblk(DATA[:HALF], len(DATA)))
    else:
        with target.start("PUT", "", DATA[:HALF], len(DATA)):
            assert eventually(lambda: target.received == HALF)
    assert_goes(server, target)
    assert_no_file(api, target)


@pytest.mark.extended
def test_session_of_parts_is_unknown_afterwards(server, api):
    target = ask(api)
    id = target.begin()
    listed = target.parts(id, DATA, HALF)
    assert_goes(server, target)
    for answer in (target.part(id, 1, DATA), target.finish(id, listed), target.abort(id)):
        assert_kodo_error(answer, 612)


@pytest.mark.extended
def test_upload_that_somebody_is_sending_stays(server, api):
    target, upload = ask(api, len(DATA)), Tus(server).create(len(DATA))
    with target.start("PUT", "", DATA[:HALF], len(DATA)) as put, upload.start(0, DATA[:HALF], len(DATA)) as patch:
        assert eventually(lambda: target.received == upload.received == HALF)
        outlast(server)
        put.send(DATA[HALF:])
        patch.send(DATA[HALF:])
        assert (put.answer("PUT").status, patch.answer("PATCH").status) == (200, 204)
    assert_file(api, target.id, DATA)
    assert_file(api, upload.id, DATA)


@pytest.mark.extended
def test_finished_files_stay(server, api):
    target, upload = ask(api), Tus(server).create(len(DATA), data=DATA)
    must(target.v2(DATA, HALF))
    outlast(server)
    for one in (target, upload):
        assert_file(api, one.id, DATA)
        assert must(one.progress())["state"] == "finished"


@pytest.mark.extended
def test_uploads_that_went_are_counted_and_logged(new_server):
    server = new_server(**limits(startTimeout=1, expireAfter=1, sweepInterval=1)).start()
    names = "lcfile_uploads_expired_total", "lcfile_uploads_abandoned_bytes_total"
    assert expiries(server) == []
    tus = Tus(server)
    uploads = [ask(server.api()), tus.create(len(DATA), data=DATA[:HALF]), tus.create(len(DATA), data=DATA[:10])]
    for upload in uploads:
        assert_goes(server, upload)
    assert eventually(lambda: [total(server, name) for name in names] == [3, HALF + 10])
    assert eventually(lambda: expiries(server))


def expiries(server):
    """Lines of the log that tell of uploads whose time was over."""
    return [line for line in server.errors.splitlines() if re.search(r"upload", line) and re.search(r"expired|over", line)]


@pytest.mark.extended
def test_expired_bytes_leave_the_folder_empty(server, api):
    for _ in range(5):
        ask(api).block(DATA)
        Tus(server).create(len(DATA), data=DATA[:HALF])
    assert eventually(lambda: server.staged() == [], 15)
    assert_counts(server, api.count())


@pytest.mark.extended
def test_uploads_expire_while_the_server_is_down(new_server):
    settings = limits(startTimeout=2, expireAfter=2, sweepInterval=1)
    server = new_server(**settings).start()
    target, upload = ask(server.api()), Tus(server).create(len(DATA), data=DATA[:HALF])
    target.block(DATA)
    server.kill()
    server.start()
    assert_goes(server, target)
    assert_goes(server, upload)
    assert_nothing_staged(server)


@pytest.mark.extended
@pytest.mark.disk
def test_bytes_without_an_upload_go_at_the_start(new_server):
    server = new_server().start()
    kept = Tus(server).create(len(DATA), data=DATA[:HALF])
    server.kill()
    folder, = {path.parent for path in server.staged()}
    for name in ("0" * 24, "nonsense"):
        (folder / name).write_bytes(b"left")
    server.start()
    assert eventually(lambda: {path.name for path in server.staged()} == {kept.id})
    kept.go_on(DATA)
    assert_file(server.api(), kept.id, DATA)
