"""What a master key shows of the running server: state, history, failed requests, settings, changes."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from client import ALPHA, BETA, Server, eventually
from console_calls import ConsoleCalls
from people import unique

PATHS = ["server", "server/history", "server/failures", "server/settings", "server/notes", "changes"]


@pytest.fixture(scope="module")
def master(state_server):
    return state_server.api(master=True)


def shown(api, path):
    response = api.get(f"/1.1/{path}")
    assert response.status_code == 200, response.text
    return response.json()


# Who sees it

@pytest.mark.parametrize("path", PATHS)
def test_guests_and_users_see_nothing(state_server, path):
    guest = state_server.api()
    user = guest.post("/1.1/users", json={"username": unique("someone"), "password": "correct horse"}).json()
    assert guest.get(f"/1.1/{path}").status_code == 403
    assert guest.get(f"/1.1/{path}", headers={"X-LC-Session": user["sessionToken"]}).status_code == 403
    assert guest.get(f"/1.1/{path}", headers={"X-LC-Key": "wrong"}).status_code == 401


@pytest.mark.parametrize("path", PATHS)
def test_a_read_only_session_of_the_console_sees_it(state_server, path):
    reader = ConsoleCalls(state_server)
    reader.log_in(ALPHA.reader)
    assert reader.call("GET", f"/1.1/{path}").status_code == 200


@pytest.mark.parametrize("path", ["server/history", "server/settings"])
def test_owners_of_one_of_several_apps_do_not_see_the_whole_server(console_server, path):
    response = console_server.api(master=True).get(f"/1.1/{path}")
    assert response.status_code == 403 and "metrics.masterKey" in response.json()["error"]


def test_owners_of_one_of_several_apps_see_the_state_of_their_app(console_server):
    state = shown(console_server.api(master=True), "server")
    assert state["ready"] and "machine" not in state and "deletions_waiting" in state["app"]


# The state

def test_the_state_has_the_version_readiness_and_queues(master):
    state = eventually(lambda: (found := shown(master, "server"))["ready"] and found)
    assert state["hasMirror"] is False and state["reasons"] == [] and state["faults"] == [] and state["version"]
    machine = state["machine"]
    assert {"images", "passwords"} <= {queue["name"] for queue in machine["queues"]}
    assert machine["connections"]["open"] >= 1
    assert machine["figures"]["process_resident_memory_bytes"] > 0


def test_the_state_has_the_backup_and_the_scrubber(master):
    names = {"backup_lag_seconds", "scrub_progress_ratio", "damage.blob", "damage.row"}
    assert eventually(lambda: names <= set(shown(master, "server")["app"])), shown(master, "server")["app"]


def test_the_notes_are_the_newest_section_of_the_changelog(master):
    notes = shown(master, "server/notes")["notes"]
    assert notes.startswith("## [") and notes.count("\n## ") == 0


# Settings

def test_settings_are_shown_without_secrets(master):
    response = master.get("/1.1/server/settings")
    settings = {setting["name"]: setting for setting in response.json()["server"]}
    assert settings["metrics.masterKey"] == {"name": "metrics.masterKey", "value": "on", "isDefault": False}
    assert settings["files.signingKeys"] == {"name": "files.signingKeys", "value": "(set)", "isDefault": False}
    assert settings["uploads.maxNameLength"]["isDefault"]
    for secret in ["hidden", ALPHA.key, ALPHA.master, BETA.master, ALPHA.reader]:
        assert secret not in response.text


# Failed requests

def failures(api, list):
    return shown(api, "server/failures")[list]


def test_a_refused_request_is_listed_with_its_id_and_message(master):
    response = master.get("/1.1/classes/Nothing?where={")
    entry = next(entry for entry in failures(master, "refused") if entry["id"] == response.headers["X-Request-Id"])
    assert entry["status"] == response.status_code == 400 and entry["message"] == response.json()["error"]
    assert (entry["method"], entry["path"]) == ("GET", "/1.1/classes/Nothing")


def test_an_error_of_the_server_is_listed_apart(state_server, master):
    record = master.store(b"damaged soon", "damaged.txt", "text/plain")
    blob = max(state_server.blobs(), key=lambda path: path.stat().st_mtime_ns)
    blob.write_bytes(b"x")
    response = master.get(f"/1.1/files/{record['objectId']}/content")
    assert response.status_code == 500
    assert response.headers["X-Request-Id"] in [entry["id"] for entry in failures(master, "failed")]


def test_the_owner_of_another_app_does_not_see_failed_requests(state_server, master):
    response = master.get(f"/1.1/classes/{unique('Alpha')}/nothing")
    assert response.status_code == 404
    text = state_server.api(BETA, master=True).get("/1.1/server/failures").text
    assert response.headers["X-Request-Id"] not in text


def test_tokens_and_query_strings_are_not_listed(master):
    token = "t" * 40
    for path in [f"/1.1/upload/{token}", f"/1.1/uploads/{token}", f"/1.1/classes/X/y?token={token}"]:
        master.get(path)
    assert token not in master.get("/1.1/server/failures").text


# Changes

def watch(api, **query):
    parameters = "&".join(f"{name}={value}" for name, value in query.items())
    return shown(api, f"changes?{parameters}")


def test_changes_are_listed_once_in_order_with_who_made_them(state_server, master):
    name = unique("Watched")
    start = watch(master, classes=name)
    assert start["results"] == []
    id = state_server.api().post(f"/1.1/classes/{name}", json={"n": 1}).json()["objectId"]
    master.call("PUT", f"/1.1/classes/{name}/{id}", json={"n": 2})
    master.call("DELETE", f"/1.1/classes/{name}/{id}")
    page = watch(master, classes=name, cursor=start["cursor"])
    assert [(c["operation"], c["by"]) for c in page["results"]] == [
        ("created", "guest"), ("updated", "master"), ("deleted", "master"),
    ]
    assert {(c["className"], c["objectId"]) for c in page["results"]} == {(name, id)} and not page["missed"]
    assert watch(master, classes=name, cursor=page["cursor"])["results"] == []


def test_a_call_waits_for_a_change(master):
    name = unique("Waited")
    cursor = watch(master)["cursor"]
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(watch, master, classes=name, cursor=cursor, wait=10)
        id = master.post(f"/1.1/classes/{name}", json={}).json()["objectId"]
        assert [change["objectId"] for change in waiting.result()["results"]] == [id]


def test_the_owner_of_another_app_does_not_see_changes(state_server, master):
    beta = state_server.api(BETA, master=True)
    start = watch(beta)["cursor"]
    name = unique("Alpha")
    assert master.post(f"/1.1/classes/{name}", json={}).status_code == 201
    assert watch(beta, cursor=start)["results"] == []


@pytest.mark.parametrize("query", ["wait=-1", "wait=21", "wait=x", "cursor=x", "cursor=1-2-3", "classes=a%20b"])
def test_a_malformed_call_is_refused(master, query):
    assert master.get(f"/1.1/changes?{query}").status_code == 400


def test_a_server_that_stops_answers_those_who_wait(tmp_path):
    server = Server(tmp_path, apps=(ALPHA,)).start()
    api = server.api(master=True)
    cursor = watch(api)["cursor"]
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(watch, api, cursor=cursor, wait=10)
        # The session of the calls and that of the one that waits.
        assert eventually(lambda: shown(api, "server")["machine"]["connections"]["open"] >= 2)
        assert server.stop() == 0
        assert waiting.result()["results"] == []


# History

def test_the_history_grows(master):
    assert eventually(lambda: len(shown(master, "server/history")["times"]) >= 1, 25)
    history = shown(master, "server/history")
    assert all(len(values) == len(history["times"]) for values in history["series"].values())
    assert history["series"]["requests"][-1] > 0 and history["series"]["memory"][-1] > 0
    later = shown(master, f"server/history?after={history['times'][-1]}")
    assert len(later["times"]) <= 1
    assert master.get("/1.1/server/history?after=x").status_code == 400
