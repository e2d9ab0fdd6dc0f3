"""The site as files: what is served, to whom, with which header fields."""

import socket
import subprocess

import pytest
import requests
from certificates import Authority
from client import ALPHA, TESTS, TIMEOUT
from console_calls import ConsoleCalls
from tls import TLSServer

SITE = TESTS.parent / "Sources" / "Interface" / "ConsoleSite" / "Site"
PATHS = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*") if path.is_file())


def test_the_list_of_embedded_files_is_that_of_the_folder():
    result = subprocess.run([TESTS.parent / "scripts" / "console-site", "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.few(20)
@pytest.mark.parametrize("path", PATHS)
def test_every_file_is_served_with_the_policy(console_server, path):
    url = f"{console_server.url}/console/" + ("" if path == "index.html" else path)
    response = requests.get(url, timeout=TIMEOUT)
    assert response.status_code == 200 and response.content == (SITE / path).read_bytes()
    policy = response.headers["Content-Security-Policy"].split("; ")
    own = f"127.0.0.1:{console_server.port}/console/"
    assert {
        "default-src 'none'", f"script-src {own}", f"style-src {own}", "connect-src 'self'", "base-uri 'none'",
        "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    } <= set(policy)
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert response.headers["Cache-Control"] == "no-cache"


def test_an_unchanged_file_is_not_sent_again(console_server):
    url = f"{console_server.url}/console/scripts/start.js"
    tag = requests.get(url, timeout=TIMEOUT).headers["ETag"]
    assert not tag.startswith("W/")
    again = requests.get(url, headers={"If-None-Match": f'"other", {tag}'}, timeout=TIMEOUT)
    assert again.status_code == 304 and again.content == b"" and again.headers["ETag"] == tag
    assert requests.get(url, headers={"If-None-Match": '"other"'}, timeout=TIMEOUT).status_code == 200


def test_the_address_without_a_slash_leads_to_the_page(console_server):
    response = requests.get(f"{console_server.url}/console", allow_redirects=False, timeout=TIMEOUT)
    assert response.status_code == 308 and response.headers["Location"] == "/console/"


@pytest.mark.parametrize("path", [
    "index.html/x", "nothing.js", "../api", "scripts/", "%2e%2e/1.1/schemas", "scripts/..%2fstart.js", "api", "session/x",
])
def test_other_paths_have_no_file(console_server, path):
    assert requests.get(f"{console_server.url}/console/{path}", timeout=TIMEOUT).status_code == 404


@pytest.mark.parametrize("headers", [
    {"Host": "files.example.com"}, {"X-Forwarded-For": "127.0.0.1"}, {"Forwarded": "for=127.0.0.1"},
    {"X-Real-IP": "127.0.0.1"}, {"Via": "1.1 proxy"}, {"Connection": "close"}, {"Origin": "https://files.example.com"},
])
@pytest.mark.parametrize("path", ["/", "/session", "/api/1.1/schemas", "/scripts/start.js"])
def test_by_default_others_than_browsers_on_this_machine_find_nothing(console_server, headers, path):
    response = requests.get(f"{console_server.url}/console{path}", headers=headers, timeout=TIMEOUT)
    assert response.status_code == 404


def test_a_proxy_that_speaks_http_1_0_finds_nothing(console_server):
    """Older nginx does unless it is configured, and then names the server by the address to which it connects."""
    address = ("127.0.0.1", console_server.port)
    with socket.create_connection(address, timeout=TIMEOUT) as connection:
        connection.sendall(b"GET /console/ HTTP/1.0\r\nHost: %s:%d\r\n\r\n" % (address[0].encode(), address[1]))
        assert b" 404 " in connection.recv(1000).split(b"\r\n")[0]


@pytest.mark.extended
def test_off_means_off(new_server):
    server = new_server(LCFILE_CONSOLE_ACCESS="off").start()
    assert requests.get(f"{server.url}/console/", timeout=TIMEOUT).status_code == 404
    assert ConsoleCalls(server).log_in().status_code == 404
    assert "console" not in server.output


def test_the_greeting_has_the_address(console_server):
    assert f"console     {console_server.url}/console/\n" in console_server.output


@pytest.mark.extended
def test_beyond_the_limit_wrong_keys_are_not_compared(new_server):
    server = new_server(LCFILE_CONSOLE_MAX_FAILURES="3").start()
    calls = ConsoleCalls(server)
    for _ in range(5):
        assert calls.log_in().status_code == 200, "a log-in that succeeds does not count"
    assert [calls.log_in("wrong").status_code for _ in range(3)] == [401, 401, 401]
    response = calls.log_in()
    assert response.status_code == 429 and int(response.headers["Retry-After"]) > 0
    assert "console.maxFailures" in response.json()["error"]


def test_with_on_a_log_in_needs_a_proxy_with_https_or_this_machine(new_server):
    server = new_server(
        LCFILE_CONSOLE_ACCESS="on", LCFILE_HTTP_PROXIES="127.0.0.1", LCFILE_PUBLIC_URL="https://files.example.com"
    ).start()
    host = {"Host": "files.example.com"}
    # Without the field that names the client, the server does not know that a proxy sent the request.
    response = ConsoleCalls(server).log_in(headers=host)
    assert response.status_code == 403 and "HTTPS" in response.json()["error"]
    assert "Set-Cookie" not in response.headers
    response = ConsoleCalls(server).log_in(headers=host | {"X-Forwarded-For": "192.0.2.1"})
    assert response.status_code == 200 and "Secure" in response.headers["Set-Cookie"]
    # A browser on this machine connects without TLS, and many would not store a cookie for TLS.
    response = ConsoleCalls(server).log_in()
    assert response.status_code == 200 and "Secure" not in response.headers["Set-Cookie"]


@pytest.mark.extended
def test_with_tls_the_cookie_is_for_tls_only(tmp_path_factory):
    folder = tmp_path_factory.mktemp("console_tls")
    authority = Authority(folder)
    server = TLSServer(folder, authority, authority.issue("server"), LCFILE_CONSOLE_ACCESS="on").start()
    try:
        calls = ConsoleCalls(server)
        response = calls.log_in(headers={"Host": "files.example.com"}, verify=str(authority.root))
        assert response.status_code == 200
        assert "Secure" in [part.strip() for part in response.headers["Set-Cookie"].split(";")]
    finally:
        assert server.stop() == 0


@pytest.mark.parametrize("key, word", [
    ("short", "8 to 256"), (ALPHA.key, "must differ"), (ALPHA.master, "must differ"), ("with,comma", "without a comma"),
])
def test_a_read_only_key_that_is_no_key_stops_the_start(new_server, key, word):
    server = new_server(apps=())
    file = server.folder / "lcfile.yaml"
    file.write_text(
        f"apps:\n  - id: {ALPHA.id}\n    appKey: {ALPHA.key}\n    masterKey: {ALPHA.master}\n    consoleReadKey: {key}\n"
    )
    server.command += ["--config", str(file)]
    server.launch()
    assert server.wait() == 78
    assert word in server.errors and "consoleReadKey" in server.errors
