"""Which calls of the API a session of the console makes, and which are refused; the audit log."""

import json

import pytest
from client import ALPHA, BETA, eventually
from console_calls import ConsoleCalls, audited


@pytest.fixture(scope="module")
def owner(console_server):
    calls = ConsoleCalls(console_server)
    assert calls.log_in().status_code == 200
    return calls


@pytest.fixture(scope="module")
def reader(console_server):
    calls = ConsoleCalls(console_server)
    assert calls.log_in(ALPHA.reader).json()["readOnly"] is True
    return calls


@pytest.fixture(scope="module")
def thing(owner):
    """An object that no test changes."""
    return owner.call("POST", "/1.1/classes/ConsoleKept", json={"text": "kept"}).json()["objectId"]


def text_of(server, thing):
    return server.api(master=True).get(f"/1.1/classes/ConsoleKept/{thing}").json().get("text")


# Which site the call comes from

@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"])
def test_a_call_without_the_token_is_refused(owner, console_server, thing, method):
    """The browser adds the cookie to requests that another page makes it send."""
    response = owner.call(method, f"/1.1/classes/ConsoleKept/{thing}", token=False)
    assert response.status_code == 403 and response.headers["X-Console-Session"] == "changed"
    assert text_of(console_server, thing) == "kept"


@pytest.mark.parametrize("token", ["", "0" * 64, "x", "Ünicode"])
def test_a_call_with_another_token_is_refused(owner, thing, token):
    response = owner.call(
        "DELETE", f"/1.1/classes/ConsoleKept/{thing}", token=False, headers={"X-Console-Token": token.encode()}
    )
    assert response.status_code == 403


def test_the_token_of_another_session_is_refused(owner, reader, thing):
    response = owner.call(
        "DELETE", f"/1.1/classes/ConsoleKept/{thing}", token=False, headers={"X-Console-Token": reader.token}
    )
    assert response.status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_a_call_that_the_browser_calls_foreign_is_refused(owner, thing, site):
    response = owner.call("DELETE", f"/1.1/classes/ConsoleKept/{thing}", headers={"Sec-Fetch-Site": site})
    assert response.status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_another_site_does_not_learn_the_token(owner, site):
    response = owner.session(headers={"Sec-Fetch-Site": site})
    assert response.status_code == 403 and owner.token not in response.text


def test_another_site_cannot_log_in(console_server):
    calls = ConsoleCalls(console_server)
    assert calls.log_in(headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_no_answer_of_the_console_allows_another_origin(owner):
    # A page from elsewhere finds no console here; another server on this machine is another origin, too.
    headers = {"Origin": "http://localhost:1"}
    answers = [
        owner.call("GET", "/1.1/classes/ConsoleKept", headers=headers), owner.session(headers=headers),
        owner.http.get(f"{owner.base}/", headers=headers),
        owner.http.options(
            f"{owner.base}/api/1.1/classes/ConsoleKept",
            headers=headers | {"Access-Control-Request-Method": "DELETE", "Access-Control-Request-Headers": "x-console-token"},
        ),
    ]
    assert [name for answer in answers for name in answer.headers if name.lower().startswith("access-control-")] == []


# Credentials in a call do not replace those of the session

@pytest.mark.parametrize("headers", [
    {"X-LC-Id": BETA.id, "X-LC-Key": f"{BETA.master},master"},
    {"X-AVOSCloud-Application-Id": BETA.id, "X-AVOSCloud-Master-Key": BETA.master},
    {"X-Uluru-Application-Id": BETA.id, "X-Uluru-Application-Key": BETA.key},
    {"X-LC-Session": "x" * 25},
    {"Authorization": "Bearer x"},
])
def test_credentials_of_a_call_are_left_out(owner, thing, headers):
    response = owner.call("GET", f"/1.1/classes/ConsoleKept/{thing}", headers=headers)
    assert response.status_code == 200 and response.json()["text"] == "kept"


def test_a_tunnelled_request_brings_no_credentials(owner, reader, console_server, thing):
    """Old SDKs send method, keys and body as one text; that is not a way around the session."""
    body = f'{{"_method": "DELETE", "_ApplicationId": "{ALPHA.id}", "_MasterKey": "{ALPHA.master}"}}'
    for calls in (owner, reader):
        calls.call("POST", f"/1.1/classes/ConsoleKept/{thing}", data=body, headers={"Content-Type": "text/plain"})
    assert text_of(console_server, thing) == "kept"


@pytest.mark.parametrize("path", [
    "", "/", "/1.1", "/1/classes/Any", "/health", "/1.1x/classes/Any", "/console/api/1.1/classes/Any",
    "/https://example.org/1.1/classes/Any",
])
def test_other_paths_are_no_api(owner, path):
    assert owner.call("GET", path).status_code == 404


# Read-only

@pytest.mark.parametrize("method, path, body", [
    ("POST", "/1.1/classes/ConsoleKept", {}),
    ("PUT", "/1.1/classes/ConsoleKept/{thing}", {"text": "changed"}),
    ("DELETE", "/1.1/classes/ConsoleKept/{thing}", None),
    ("POST", "/1.1/batch", {"requests": [{"method": "DELETE", "path": "/1.1/classes/ConsoleKept/{thing}"}]}),
    ("GET", "/1.1/cloudQuery?cql=delete from ConsoleKept where objectId='{thing}'", None),
    ("GET", "/1.1//cloudQuery?cql=delete from ConsoleKept where objectId='{thing}'", None),
    ("GET", "/1.1/cloudQuery/?cql=select * from A&cql=delete from ConsoleKept where objectId='{thing}'", None),
    ("GET", "/1.1/login?username=a&password=b", None),
    ("PUT", "/1.1/permissions/ConsoleKept", {}),
    ("POST", "/1.1/files/a.txt", {"base64": "YQ=="}),
    ("POST", "/1.1/uploads", None),
    ("POST", "/1.1/files/{thing}/url", {"expiresIn": 315_360_000}),
    ("DELETE", "/1.1/console/sessions", None),
    ("DELETE", "/1.1/users/{thing}/sessions", None),
    ("GET", "/1.1/app", None),
    ("GET", "/1.1//app/", None),
    ("GET", "/1.1/app?a=b", None),
    ("PATCH", "/1.1/uploads/x", None),
])
def test_a_reader_changes_nothing(reader, console_server, thing, method, path, body):
    text = None if body is None else json.dumps(body).replace("{thing}", thing)
    response = reader.call(
        method, path.replace("{thing}", thing), data=text, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 403, response.text
    assert "only reads" in response.json()["error"]
    assert text_of(console_server, thing) == "kept"


@pytest.mark.parametrize("path", [
    "/1.1/classes/ConsoleKept", "/1.1/schemas", "/1.1/files", "/1.1/permissions", "/1.1/trash", "/1.1/console/sessions",
    "/1.1/cloudQuery?cql=select * from ConsoleKept", "/1.1/users", "/1.1/nestedRoles",
])
def test_a_reader_reads_everything(reader, thing, path):
    assert reader.call("GET", path).status_code == 200


# The audit log

def test_a_change_is_in_the_audit_log(owner, console_server):
    response = owner.call("POST", "/1.1/classes/ConsoleAudited?token=hush", json={"secret": "hush"})
    entry = audited(console_server)[0]
    session = owner.session().json()["session"]
    assert entry | {"objectId": "", "createdAt": "", "updatedAt": ""} == {
        "session": session, "method": "POST", "path": "/1.1/classes/ConsoleAudited", "status": 201,
        "requestId": response.headers["X-Request-Id"], "summary": "create ConsoleAudited", "address": "127.0.0.1",
        "objectId": "", "createdAt": "", "updatedAt": "",
    }


def test_a_refused_change_is_in_the_audit_log_with_its_status(owner, console_server):
    response = owner.call("PUT", "/1.1/classes/ConsoleAudited/000000000000000000000000", json={"a": 1})
    assert response.status_code >= 400
    assert audited(console_server)[0]["status"] == response.status_code


def test_a_change_by_cql_is_in_the_audit_log_without_its_values(owner, console_server):
    owner.call("GET", "/1.1/cloudQuery", params={"cql": "insert into ConsoleAudited (a) values ('hush')"})
    entry = audited(console_server)[0]
    assert (entry["method"], entry["path"], entry["status"]) == ("GET", "/1.1/cloudQuery", 200)
    assert "hush" not in str(entry)


def test_reading_is_not_in_the_audit_log(owner, console_server, thing):
    before = audited(console_server)
    owner.call("GET", f"/1.1/classes/ConsoleKept/{thing}")
    owner.call("GET", "/1.1/cloudQuery", params={"cql": "select * from ConsoleKept"})
    assert audited(console_server) == before


def test_an_upload_is_one_entry_without_its_token(owner, console_server):
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": "3", "Upload-Metadata": "filename YS50eHQ="}
    before = len(audited(console_server))
    location = owner.call("POST", "/1.1/uploads", headers=headers).headers["Location"]
    path = location[location.index("/1.1/"):]
    headers = {"Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
    assert owner.call("PATCH", path, headers=headers, data=b"abc").status_code == 204
    entries = audited(console_server)
    assert len(entries) == before + 1 and entries[0]["summary"] == "upload a file"
    assert path.rsplit("/", 1)[1] not in str(entries[0])


# What an answer can be used for

@pytest.mark.parametrize("path", ["/1.1/classes/ConsoleKept", "/1.1/nothing", "/1.1/files/x/content"])
def test_an_answer_cannot_become_a_page(owner, path):
    headers = owner.call("GET", path).headers
    assert headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store"


@pytest.mark.extended
def test_calls_are_in_the_log_of_the_server_once(new_server):
    server = new_server().start()
    calls = ConsoleCalls(server)
    calls.log_in()
    id_ = calls.call("GET", "/1.1/classes/Any").headers["X-Request-Id"]
    lines = eventually(lambda: [line for line in server.errors.splitlines() if id_ in line])
    assert len(lines) == 1 and "/1.1/classes/Any" in lines[0]
    assert ALPHA.master not in server.errors and calls.cookie.value not in server.errors
