"""GET /1.1/files/<id>/content: who may have which file, of ours and of others."""

import pytest
import requests
from client import ALPHA, API, BETA, TIMEOUT, Server, assert_refused, credentials
from data import MISSING
from elsewhere import Elsewhere, answer, link
from image_writers import read
from people import ALLOWED, CALLERS, READ, SUBJECTS, Cast, one_of_each
from remote import FETCHING, PNG, WORDS, address, get, offered


@pytest.fixture(scope="module")
def elsewhere():
    elsewhere = Elsewhere()
    yield elsewhere
    elsewhere.close()


@pytest.fixture(scope="module")
def fetching(tmp_path_factory):
    """A server that may fetch from this machine."""
    server = Server(tmp_path_factory.mktemp("fetching"), **FETCHING).start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def api(fetching):
    return fetching.api()


@pytest.fixture(scope="module")
def cast(fetching):
    return Cast(fetching)


# Files of our own

def test_stored_file_is_served(api):
    made = api.store(b"bytes of mine", name="note.txt")
    response = get(api, address(api, made["objectId"]))
    assert (response.status_code, response.content) == (200, b"bytes of mine")
    assert response.headers["Content-Type"] == get(api, made["url"]).headers["Content-Type"]


def test_stored_picture_has_derivatives(api):
    made = api.store(PNG, name="picture.png")
    by_id, by_key = get(api, address(api, made["objectId"], WORDS)), get(api, f"{made['url']}?{WORDS}")
    assert read(by_id.content).size == (59, 39)
    assert (by_id.headers["ETag"], by_id.content) == (by_key.headers["ETag"], by_key.content)


def test_stored_page_is_served_in_a_sandbox(api):
    made = api.store(b"<script>alert(1)</script>", name="page.html")
    response = get(api, address(api, made["objectId"]))
    assert "sandbox" in response.headers["Content-Security-Policy"].replace(";", " ").split()


@pytest.mark.parametrize("words", ["", WORDS])
def test_record_without_a_url_has_no_content(api, words):
    made = api.post("/1.1/files", json={"__type": "File", "name": "logo.png"})
    assert made.status_code == 201
    assert_refused(get(api, address(api, made.json()["objectId"], words)), 404, 404)


# Who may

@pytest.mark.parametrize("words", ["", WORDS])
@pytest.mark.parametrize("audience, caller", one_of_each(SUBJECTS))
def test_record_that_the_caller_may_not_read_does_not_exist(cast, elsewhere, audience, caller, words):
    there = elsewhere.offer(answer(PNG), "photo.png")
    id = link(cast.master, there, ACL=cast.acl(audience, read=True))
    response = cast[caller].get(f"/1.1/files/{id}/content?{words}")
    if caller in ALLOWED[audience]:
        assert response.status_code == 200
    else:
        assert_refused(response, 404, 404)
        assert elsewhere.visits_of(there) == []


@pytest.mark.parametrize("audience", ["user", "role", "nobody"])
def test_record_that_not_everybody_may_read_does_not_exist_without_keys(cast, elsewhere, audience):
    id = link(cast.master, elsewhere.offer(answer(PNG)), ACL=cast.acl(audience, read=True))
    assert_refused(get(cast.guest, address(cast.guest, id, WORDS)), 404, 404)


@pytest.mark.parametrize("caller", CALLERS)
def test_what_was_kept_for_one_is_not_shown_to_another(cast, elsewhere, caller):
    id = link(cast.master, elsewhere.offer(answer(PNG)), ACL={cast.owner.id: READ})
    path = f"/1.1/files/{id}/content?{WORDS}"
    assert cast.owner.get(path).status_code == 200
    assert cast[caller].get(path).status_code == (200 if caller in ("owner", "master") else 404)


@pytest.mark.parametrize("caller", ["guest", "owner", "master"])
def test_answer_to_somebody_with_keys_is_not_kept_for_others(cast, elsewhere, caller):
    """An answer that a shared cache may store must be readable by every client."""
    id = link(cast.master, elsewhere.offer(answer(PNG)), ACL={"*": READ})
    shown = cast[caller].get(f"/1.1/files/{id}/content?{WORDS}").headers
    assert shown["Cache-Control"] == "private, no-cache"
    assert "X-LC-Session" in shown["Vary"]


def test_answer_to_nobody_may_be_kept_for_all(cast, api, elsewhere):
    id = link(cast.master, elsewhere.offer(answer(PNG)), ACL={"*": READ})
    shown = get(api, address(api, id, WORDS)).headers
    assert shown["Cache-Control"] == "public, max-age=3600"
    assert "X-LC-Session" in shown["Vary"]


@pytest.mark.parametrize("path", ["", f"?{WORDS}"], ids=["bytes", "derivative"])
@pytest.mark.parametrize("headers", [
    {"X-LC-Id": ALPHA.id, "X-LC-Key": "wrong-wrong"}, {"X-LC-Id": "unknownApp", "X-LC-Key": ALPHA.key},
    {"X-LC-Id": ALPHA.id, "X-LC-Key": BETA.key}, {"X-LC-Id": ALPHA.id, "X-LC-Key": f"{ALPHA.key},master"},
], ids=["wrong key", "unknown app", "another app's key", "no master key"])
def test_keys_that_are_sent_are_checked(api, elsewhere, headers, path):
    url, _ = offered(api, elsewhere)
    response = requests.get(url + path, headers=headers, timeout=TIMEOUT)
    assert (response.status_code, response.json()) == (401, {"code": 401, "error": "Unauthorized."})


def test_right_keys_are_as_good_as_none(api, elsewhere):
    url, _ = offered(api, elsewhere)
    assert requests.get(url, headers=credentials(), timeout=TIMEOUT).content == PNG


@pytest.mark.parametrize("words", ["", WORDS])
def test_record_of_another_app_is_unknown(fetching, api, elsewhere, words):
    id = link(api, elsewhere.offer(answer(PNG)))
    for master in (False, True):
        assert_refused(fetching.api(BETA, master=master).get(f"/1.1/files/{id}/content?{words}"), 404, 404)


def test_records_of_every_app_are_served_without_keys(fetching, elsewhere):
    for app in (ALPHA, BETA):
        api = fetching.api(app)
        assert get(api, address(api, link(api, elsewhere.offer(answer(PNG))))).content == PNG


@pytest.mark.parametrize("id", [MISSING, "x", "a" * 1000, "%00", "..%2f..", "0" * 23 + "g"], ids=lambda id: id[:12])
@pytest.mark.parametrize("keys", [{}, credentials()], ids=["without keys", "with keys"])
def test_unknown_id_is_404(fetching, id, keys):
    url = f"{fetching.url}/1.1/files/{id}/content"
    assert_refused(requests.get(url, headers=keys, timeout=TIMEOUT), 404, 404)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_address_changes_nothing(api, elsewhere, method):
    url, there = offered(api, elsewhere)
    caller = API(api.server, ALPHA, credentials())
    assert 400 <= caller.call(method, url.removeprefix(api.server.url), json={}).status_code < 500
    assert get(api, url).content == PNG
