"""Settings, status and the log of censorship."""

import pytest
from censoring import block, censoring, log, photo, put, settings
from client import ALPHA, BETA, assert_refused
from data import MISSING, TIME
from people import unique

DEFAULTS = {
    "auto": False, "hold": False, "passBelow": 0.2, "rejectAbove": 0.8, "hashDistance": 31, "blockedImage": None,
    "cacheSeconds": 3600, "showToOwner": False,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = censoring(tmp_path_factory.mktemp("censor_settings"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture
def fresh(master):
    """The settings of a new app, also afterwards."""
    yield settings(master, **DEFAULTS)
    settings(master, **DEFAULTS)


@pytest.mark.smoke
def test_new_app_has_the_defaults(new_server):
    server = new_server(apps=(ALPHA,)).start()
    assert server.api(master=True).get("/1.1/censorship/settings").json() == DEFAULTS


@pytest.mark.few(2)
@pytest.mark.parametrize("name, value", [
    ("auto", True), ("hold", True), ("passBelow", 0), ("passBelow", 0.5), ("rejectAbove", 1), ("rejectAbove", 0.2),
    ("hashDistance", 0), ("hashDistance", 64), ("cacheSeconds", 0), ("showToOwner", True), ("blockedImage", None),
])
def test_change_touches_the_given_setting_only(master, fresh, name, value):
    assert settings(master, **{name: value}) == fresh | {name: value}
    assert master.get("/1.1/censorship/settings").json() == fresh | {name: value}


@pytest.mark.few(2)
@pytest.mark.parametrize("body, words", [
    ({"nonsense": 1}, "nonsense"), ({"auto": "yes"}, "auto"), ({"auto": None}, "auto"),
    ({"passBelow": -0.1}, "passBelow"),
    ({"passBelow": 1.1}, "passBelow"), ({"rejectAbove": "high"}, "rejectAbove"), ({"rejectAbove": 2}, "rejectAbove"),
    ({"passBelow": 0.9, "rejectAbove": 0.1}, "passBelow"), ({"hashDistance": -1}, "hashDistance"),
    ({"hashDistance": 65}, "hashDistance"), ({"hashDistance": 1.5}, "hashDistance"),
    ({"cacheSeconds": -1}, "cacheSeconds"),
    ({"blockedImage": 5}, "blockedImage"), ({"blockedImage": MISSING}, "blockedImage"), ({"by": "b" * 129}, "by"),
    ({"auto": True, "nonsense": 1}, "nonsense"),
], ids=str)
def test_bad_setting_is_refused_by_name_and_changes_nothing(master, fresh, body, words):
    assert_refused(master.call("PUT", "/1.1/censorship/settings", json=body), 400, 1, words)
    assert master.get("/1.1/censorship/settings").json() == fresh


def test_placeholder_must_be_an_image(server, master, fresh):
    text = server.api().store(b"hello", name="a.txt")["objectId"]
    assert_refused(master.call("PUT", "/1.1/censorship/settings", json={"blockedImage": text}), 400, 1, "blockedImage")
    picture = server.api().store(photo("placeholder"))["objectId"]
    assert settings(master, blockedImage=picture)["blockedImage"] == picture


@pytest.mark.extended
def test_settings_survive_a_restart(new_server):
    server = new_server(apps=(ALPHA,)).start()
    settings(server.api(master=True), auto=True, rejectAbove=0.9)
    server.kill()
    server.start()
    changed = server.api(master=True).get("/1.1/censorship/settings").json()
    assert changed == DEFAULTS | {"auto": True, "rejectAbove": 0.9}


def test_each_app_has_its_own(new_server):
    server = new_server(apps=(ALPHA, BETA)).start()
    settings(server.api(ALPHA, master=True), auto=True)
    assert server.api(BETA, master=True).get("/1.1/censorship/settings").json() == DEFAULTS


@pytest.mark.smoke
def test_status_says_what_works(master, fresh):
    status = master.get("/1.1/censorship/status").json()
    assert {"auto": False, "hold": False, "webhook": False, "purge": False, "known": 0}.items() <= status.items()
    assert status["classifier"]["available"] is False and status["classifier"]["reason"]
    assert status["waiting"] == {"new": 0, "bulk": 0}
    settings(master, auto=True)
    assert master.get("/1.1/censorship/status").json()["auto"] is True


# The log

def test_verdicts_and_settings_are_in_the_log(server, master, fresh):
    id = server.api().store(photo(unique("logged")))["objectId"]
    block(master, id, by="alice", note="bad")
    settings(master, hold=True, by="bob")
    put(master, id, "passed")
    master.post(f"/1.1/files/{id}/censor")
    newest = [one for one in log(master) if one["event"] == "settings" or one.get("file") == id]
    assert all(TIME.fullmatch(entry["at"]) for entry in newest)
    first = next(one for one in newest if one.get("by") == "alice")
    expected = {"event": "verdict", "file": id, "verdict": "rejected", "kind": "person", "note": "bad"}
    assert expected.items() <= first.items()
    change = next(one for one in newest if one.get("by") == "bob")
    assert (change["event"], change["before"]["hold"], change["after"]["hold"]) == ("settings", False, True)
    assert newest.index(change) < newest.index(first)


def test_log_has_pages_without_gaps(server, master):
    id = server.api().store(photo(unique("pages")))["objectId"]
    for number in range(12):
        put(master, id, "passed", note=f"{number}")
    seen, cursor = [], None
    while len(seen) < 12:
        page = master.get("/1.1/censorship/log", params={"limit": 5} | ({"cursor": cursor} if cursor else {})).json()
        seen += [one for one in page["results"] if one.get("file") == id]
        cursor = page.get("cursor")
        if not cursor:
            break
    assert [one["note"] for one in seen[:12]] == [f"{number}" for number in reversed(range(12))]


@pytest.mark.few(2)
@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 201}, {"limit": "x"}, {"cursor": "nonsense"}], ids=str)
def test_bad_page_of_the_log_is_refused(master, query):
    assert master.get("/1.1/censorship/log", params=query).status_code == 400


@pytest.mark.extended
def test_bad_settings_of_the_server_stop_its_start(new_server):
    bad = {"WORKERS": "-1", "ATTEMPTS": "0", "FRAMES": "0", "WEBHOOK": "ftp://x/", "TIMEOUT": "0", "PURGE": "nonsense"}
    for name, value in bad.items():
        server = new_server(apps=(ALPHA,), **{f"LCFILE_CENSORSHIP_{name}": value}).launch()
        assert server.wait() == 78, name
        assert "censorship." in server.errors
