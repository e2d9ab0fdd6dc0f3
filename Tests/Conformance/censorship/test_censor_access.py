"""Who is allowed to use the routes of censorship: the master key, and those who hold a signed address or the secret."""

import json

import pytest
from censoring import at_server, block, censoring, photo, put, settings, signed, state, with_webhook
from client import ALPHA, assert_refused
from data import MASTER_ONLY, MISSING
from people import BOTH, CALLERS, Cast

READS = ["", "/status", "/settings", "/jobs", "/log", "/known", "/scores"]
ROUTES = [("GET", f"/1.1/censorship{path}", None) for path in READS] + [
    ("GET", "/1.1/files/{id}/censor", None), ("POST", "/1.1/files/{id}/censor", None),
    ("PUT", "/1.1/files/{id}/censor", {"verdict": "passed"}), ("DELETE", "/1.1/files/{id}/censor", None),
    ("PUT", "/1.1/censorship/settings", {"cacheSeconds": 3600}),
    ("POST", "/1.1/censorship/jobs", {"from": "2020-01-01T00:00:00.000Z", "to": "2020-01-02T00:00:00.000Z"}),
    ("GET", f"/1.1/censorship/jobs/{MISSING}", None),
    ("PUT", f"/1.1/censorship/jobs/{MISSING}", {"state": "cancelled"}),
    ("POST", "/1.1/censorship/known", {"images": [{"sha256": "ab" * 32}]}),
    ("DELETE", f"/1.1/censorship/known/{MISSING}", None),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory, receiver):
    server = censoring(tmp_path_factory.mktemp("censor_access"), **with_webhook(receiver))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def cast(server):
    return Cast(server)


@pytest.fixture(scope="module")
def file(cast):
    """An image of the owner."""
    return cast.owner.store(photo("owned"), ACL=json.dumps({cast.owner.id: BOTH}))


@pytest.mark.parametrize("method, path, body", ROUTES, ids=lambda value: str(value))
@pytest.mark.parametrize("caller", CALLERS)
def test_only_the_master_key_uses_the_routes(cast, file, caller, method, path, body):
    response = cast[caller].call(method, path.format(id=file["objectId"]), **({} if body is None else {"json": body}))
    if caller == "master":
        assert response.status_code < 300 or MISSING in path and response.status_code == 404, response.text
    else:
        assert_refused(response, 403, 119, MASTER_ONLY)


@pytest.mark.parametrize("method, path, body", ROUTES, ids=lambda value: str(value))
def test_routes_need_an_app(cast, file, server, method, path, body):
    caller = server.api()
    caller.headers = {}
    response = caller.call(method, path.format(id=file["objectId"]), **({} if body is None else {"json": body}))
    assert response.status_code == 401, response.text


# The record

@pytest.mark.parametrize("shown", [False, True])
def test_record_shows_its_verdict_to_the_master_key_and_by_setting_to_the_owner(cast, file, shown):
    id = file["objectId"]
    put(cast.master, id, "passed")
    settings(cast.master, showToOwner=shown)
    seen = {caller: cast[caller].get(f"/1.1/files/{id}") for caller in CALLERS}
    assert seen["master"].json()["censorResult"] == "passed"
    assert seen["owner"].json().get("censorResult") == ("passed" if shown else None)
    for caller in ("guest", "other", "member"):
        assert seen[caller].status_code >= 400 or "censorResult" not in seen[caller].json()


def test_public_record_does_not_show_its_verdict_to_others(cast):
    id = cast.owner.store(photo("public"))["objectId"]
    block(cast.master, id)
    settings(cast.master, showToOwner=True)
    for caller in ("guest", "other", "member"):
        assert "censorResult" not in cast[caller].get(f"/1.1/files/{id}").json()
        found = cast[caller].get("/1.1/files", params={"where": json.dumps({"objectId": id})}).json()["results"]
        assert "censorResult" not in found[0]
    settings(cast.master, showToOwner=False)


def test_conditions_on_the_verdict_need_the_master_key(cast):
    id = cast.owner.store(photo("condition"))["objectId"]
    block(cast.master, id)
    query = {"where": json.dumps({"censorResult": "rejected", "objectId": id})}
    found = cast.master.get("/1.1/classes/_File", params=query)
    assert [one["objectId"] for one in found.json()["results"]] == [id]
    for caller in ("guest", "owner", "other"):
        response = cast[caller].get("/1.1/classes/_File", params=query)
        # Neither the result nor an order or a count reveals it.
        assert response.status_code >= 400 or response.json()["results"] == [], response.text


@pytest.mark.parametrize("caller", CALLERS)
def test_nobody_writes_the_verdict_as_a_field(cast, caller):
    id = cast.owner.store(photo(f"written by {caller}"))["objectId"]
    block(cast.master, id)
    cast[caller].call("PUT", f"/1.1/classes/_File/{id}", json={"censorResult": "passed"})
    cast[caller].call("PUT", f"/1.1/files/{id}", json={"censorResult": {"__op": "Delete"}})
    assert state(cast.master, id)["censorResult"] == "rejected"


@pytest.mark.parametrize("name", ["_CensorJob", "_CensorLog"])
@pytest.mark.parametrize("caller", ["guest", "owner", "other"])
def test_classes_of_censorship_are_closed(cast, caller, name):
    assert cast[caller].get(f"/1.1/classes/{name}").status_code >= 400
    assert cast[caller].post(f"/1.1/classes/{name}", json={"a": 1}).status_code >= 400


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_log_cannot_be_changed_not_even_with_the_master_key(cast, method):
    block(cast.master, cast.owner.store(photo(f"log {method}"))["objectId"])
    entry = cast.master.get("/1.1/classes/_CensorLog?limit=1").json()["results"][0]["objectId"]
    path = "/1.1/classes/_CensorLog" + ("" if method == "POST" else f"/{entry}")
    response = cast.master.call(method, path, **({} if method == "DELETE" else {"json": {"note": "changed"}}))
    assert response.status_code >= 400, response.text
    assert cast.master.get(f"/1.1/classes/_CensorLog/{entry}").json().get("note") != "changed"


# Addresses of previews

@pytest.fixture
def preview(server, cast, file):
    """The address of the owner's image for reviewers."""
    return at_server(server, state(cast.master, file["objectId"])["thumbnailURL"])


@pytest.mark.parametrize("caller", CALLERS)
def test_address_of_a_preview_needs_no_key(server, cast, preview, caller):
    for url in (preview, preview.split("?")[0], preview + "/format/png"):
        response = cast[caller].fetch(url)
        assert response.status_code == 200, response.text
        assert response.headers["Content-Type"].startswith("image/")
        assert "no-store" in response.headers["Cache-Control"]


def test_address_of_a_preview_answers_for_a_blocked_file(cast, preview, file):
    block(cast.master, file["objectId"])
    assert cast.guest.fetch(preview).status_code == 200
    put(cast.master, file["objectId"], "passed")


@pytest.mark.parametrize("part", range(-4, 0), ids=["app", "file", "expires", "signature"])
def test_every_change_of_a_previews_address_is_refused(cast, preview, part):
    base, query = preview.split("?")
    parts = base.split("/")
    last = parts[part][-1]
    for other in (parts[part][:-1] + ("0" if last != "0" else "1"), parts[part] + "0", "", "nonsense", MISSING):
        url = "/".join(parts[:part] + [other] + (parts[part:][1:])) + "?" + query
        assert cast.guest.fetch(url).status_code in (403, 404)


# The callback

def test_callback_needs_the_signature_and_no_key(server, file):
    body = json.dumps({"app": ALPHA.id, "file": file["objectId"], "verdict": "passed"}).encode()
    caller = server.api()
    caller.headers = {}
    path = "/1.1/censorship/callback"
    assert caller.post(path, data=body).status_code == 403
    assert caller.post(path, data=body, headers=signed(body, "another secret")).status_code == 403
    assert caller.post(path, data=body, headers=signed(body, at=1)).status_code == 403
    assert caller.post(path, data=body + b" ", headers=signed(body)).status_code == 403
    # No job waits for an answer.
    assert caller.post(path, data=body, headers=signed(body)).status_code == 404


@pytest.mark.parametrize("caller", CALLERS)
def test_key_does_not_replace_the_signature(cast, file, caller):
    body = {"app": ALPHA.id, "file": file["objectId"], "verdict": "passed"}
    assert cast[caller].post("/1.1/censorship/callback", json=body).status_code == 403
