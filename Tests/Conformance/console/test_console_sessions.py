"""Log-in, the session and its end, from outside and without a browser."""

import pytest
import requests
from client import ALPHA, BETA, TIMEOUT
from commands import credentials_of, lcfile
from console_calls import ConsoleCalls


@pytest.fixture
def calls(console_server):
    return ConsoleCalls(console_server)


def test_a_log_in_with_the_master_key_gives_a_session_that_changes(calls):
    answer = calls.log_in().json()
    assert answer["app"] == ALPHA.id and answer["readOnly"] is False
    assert calls.call("POST", "/1.1/classes/ConsoleThing", json={"n": 1}).status_code == 201


def test_the_cookie_is_for_the_console_only(calls):
    field = calls.log_in().headers["Set-Cookie"]
    parts = {part.strip() for part in field.split(";")[1:]}
    assert {"Path=/console", "HttpOnly", "SameSite=Strict", "Max-Age=43200"} <= parts
    # Without TLS a browser would not store a cookie for TLS.
    assert "Secure" not in parts


def test_the_cookie_has_no_meaning_outside_the_console(calls):
    calls.log_in()
    cookie = f"{calls.cookie.name}={calls.cookie.value}"
    headers = {"Cookie": cookie, "X-Console-Token": calls.token, "X-LC-Id": ALPHA.id}
    response = requests.get(f"{calls.server.url}/1.1/classes/_ConsoleAudit", headers=headers, timeout=TIMEOUT)
    assert response.status_code == 401


@pytest.mark.parametrize("key", ["", "wrong", ALPHA.key, f"{ALPHA.master},master", BETA.master, f"{ALPHA.reader} "])
def test_a_log_in_with_another_key_is_refused(calls, key):
    response = calls.log_in(key)
    assert response.status_code == 401 and response.json()["error"] == "The app id or the key is wrong."
    assert "Set-Cookie" not in response.headers


def test_an_unknown_app_is_refused_like_a_wrong_key(calls):
    body = {"app": "unknown", "key": ALPHA.master}
    response = calls.http.post(f"{calls.base}/session", json=body, timeout=TIMEOUT)
    assert response.status_code == 401 and response.json() == calls.log_in("wrong").json()


@pytest.mark.parametrize("key", [ALPHA.reader, f"{ALPHA.reader},master"])
def test_the_read_only_key_is_no_key_of_the_api(console_server, key):
    headers = {"X-LC-Id": ALPHA.id, "X-LC-Key": key}
    response = requests.get(f"{console_server.url}/1.1/classes/Any", headers=headers, timeout=TIMEOUT)
    assert response.status_code == 401


@pytest.mark.parametrize("body, status", [
    ("", 400), ("{", 400), ("[]", 400), ('{"app": 1, "key": 2}', 400), ('{"app": "a"}', 400), ("x" * 20_000, 413),
])
def test_a_malformed_log_in_is_refused(calls, body, status):
    headers = {"Content-Type": "application/json"}
    response = calls.http.post(f"{calls.base}/session", data=body, headers=headers, timeout=TIMEOUT)
    assert response.status_code == status, response.text


def test_a_form_cannot_log_in(calls):
    """A form needs no consent of the server, so another site could send it."""
    response = calls.http.post(f"{calls.base}/session", data={"app": ALPHA.id, "key": ALPHA.master}, timeout=TIMEOUT)
    assert response.status_code == 400 and "Set-Cookie" not in response.headers


def test_after_the_log_out_the_cookie_is_worth_nothing(calls):
    calls.log_in()
    value = calls.cookie.value
    assert "Max-Age=0" in calls.log_out().headers["Set-Cookie"]
    calls.http.cookies.set(f"lcfile-console-{calls.server.port}", value, path="/console")
    assert calls.session().json() == {}
    assert calls.call("GET", "/1.1/classes/Any").status_code == 401


@pytest.mark.parametrize("value", [
    "", ".", "..", "a.b.c", f"{ALPHA.id}.0.", "x" * 5000, f"{ALPHA.id}.{'0' * 24}.{'a' * 50}",
])
def test_a_made_up_cookie_is_no_session(calls, value):
    calls.http.cookies.set(f"lcfile-console-{calls.server.port}", value, path="/console")
    assert calls.session().json() == {}
    response = calls.call("GET", "/1.1/classes/Any")
    assert response.status_code == 401 and response.headers["X-Console-Session"] == "ended"


def test_a_cookie_of_another_app_is_no_session_of_this_one(calls):
    calls.log_in()
    app, session, secret = calls.cookie.value.split(".")
    calls.http.cookies.clear()
    calls.http.cookies.set(f"lcfile-console-{calls.server.port}", f"{BETA.id}.{session}.{secret}", path="/console")
    assert calls.session().json() == {}


def test_a_cookie_with_one_other_character_is_no_session(calls):
    calls.log_in()
    value = calls.cookie.value
    calls.http.cookies.clear()
    changed = value[:-1] + ("a" if value[-1] != "a" else "b")
    calls.http.cookies.set(f"lcfile-console-{calls.server.port}", changed, path="/console")
    assert calls.session().json() == {}


def test_the_stored_session_does_not_contain_its_token(calls):
    calls.log_in()
    secret = calls.cookie.value.split(".")[2]
    rows = calls.server.api(master=True).get("/1.1/classes/_ConsoleSession").text
    assert secret not in rows and calls.token not in rows and "_token" not in rows


def command(server, *arguments):
    """What `lcfile console sessions` prints."""
    result = lcfile("console", "sessions", *arguments, **credentials_of(server.url, master=ALPHA.master))
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.extended
def test_sessions_are_listed_and_ended_by_the_command(console_server, calls):
    session = calls.log_in().json()["session"]
    other = ConsoleCalls(console_server)
    other.log_in(ALPHA.reader)
    listed = command(console_server)
    assert f"{session} " in listed and " read-only " in listed and " everything " in listed
    command(console_server, "--end", session)
    assert calls.call("GET", "/1.1/schemas").status_code == 401
    assert other.call("GET", "/1.1/schemas").status_code == 200
    assert command(console_server, "--end-all").endswith(" sessions\n")
    assert other.call("GET", "/1.1/schemas").status_code == 401


@pytest.mark.parametrize("path", ["/1.1/classes/_ConsoleSession", "/1.1/classes/_ConsoleAudit", "/1.1/console/sessions"])
def test_guests_do_not_see_sessions_and_changes(console_server, path):
    assert console_server.api().get(path).status_code == 403


@pytest.mark.parametrize("name", ["_ConsoleSession", "_ConsoleAudit"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nobody_writes_sessions_and_changes_as_objects(console_server, calls, name, method):
    calls.log_in()
    calls.call("POST", "/1.1/classes/ConsoleThing", json={})
    master = console_server.api(master=True)
    row = master.get(f"/1.1/classes/{name}?limit=1").json()["results"][0]["objectId"]
    path = f"/1.1/classes/{name}" + ("" if method == "POST" else f"/{row}")
    response = master.call(method, path, json={"summary": "changed"})
    assert response.status_code in (400, 403), response.text
    assert master.get(f"/1.1/classes/{name}/{row}").json().get("summary") != "changed"
