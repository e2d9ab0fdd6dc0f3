"""Limits for an address apply to the clients that a trusted proxy names; other senders cannot name one."""

import pytest
from accounts import PASSWORD, settings, unique
from client import assert_refused

FIRST, SECOND = "192.0.2.1", "192.0.2.2"


@pytest.fixture
def one_each(new_server):
    """A server on which an address makes one user."""
    return lambda **more: new_server(**settings(maxSignUps=1), **more).start()


def sign_up(api, header="X-Forwarded-For", value=None):
    headers = {header: value} if value else {}
    return api.post("/1.1/users", json={"username": unique(), "password": PASSWORD}, headers=headers)


def assert_one_each(api, header, *values):
    """The values name different clients, each of which makes one user."""
    for value in values:
        assert sign_up(api, header, value).status_code == 201
    for value in values:
        assert_refused(sign_up(api, header, value), 429, 429, "accounts.maxSignUps")


@pytest.mark.extended
def test_each_client_of_a_trusted_proxy_has_its_own_limit(one_each):
    server = one_each(LCFILE_HTTP_PROXIES="127.0.0.0/8, 10.0.0.0/8")
    assert_one_each(server.api(), "X-Forwarded-For", FIRST, f"{SECOND}, 10.0.0.7", "2001:db8::1")


def test_what_a_client_sends_itself_does_not_count(one_each):
    api = one_each(LCFILE_HTTP_PROXIES="127.0.0.1").api()
    assert sign_up(api, value=FIRST).status_code == 201
    # The proxy adds the real address behind the one that the client invented.
    assert_refused(sign_up(api, value=f"{SECOND}, {FIRST}"), 429, 429, "accounts.maxSignUps")
    assert_refused(sign_up(api, value=f"10.0.0.9, unknown, {FIRST}"), 429, 429, "accounts.maxSignUps")


def test_bytes_of_a_client_hide_no_address_of_the_proxy(one_each):
    api = one_each(LCFILE_HTTP_PROXIES="127.0.0.1").api()
    assert sign_up(api, value=FIRST).status_code == 201
    # U+0600 forms one grapheme cluster with the comma after it.
    value = f"{SECOND}%\u0600, {FIRST}".encode()
    assert_refused(sign_up(api, value=value), 429, 429, "accounts.maxSignUps")


def test_open_quote_of_a_client_hides_no_address_of_the_proxy(one_each):
    api = one_each(LCFILE_HTTP_PROXIES="127.0.0.1", LCFILE_HTTP_PROXY_HEADER="forwarded").api()
    assert sign_up(api, "Forwarded", f"for={FIRST}").status_code == 201
    assert_refused(sign_up(api, "Forwarded", f'for=", for={FIRST}'), 429, 429, "accounts.maxSignUps")


@pytest.mark.few(1)
@pytest.mark.parametrize("value", ["unknown", "127.0.0.1%\u0600".encode(), '"'])
def test_client_without_an_address_is_not_the_proxy(new_server, value):
    server = new_server(LCFILE_HTTP_PROXIES="127.0.0.1").start()
    api = server.api(master=True)
    assert api.get("/1.1/client").json()["address"] == "127.0.0.1"
    answer = api.get("/1.1/client", headers={"X-Forwarded-For": value}).json()
    assert answer == {"address": "0.0.0.0", "connection": "127.0.0.1", "isTrustedProxy": True}


@pytest.mark.extended
def test_other_header_is_not_read(one_each):
    api = one_each(LCFILE_HTTP_PROXIES="127.0.0.1").api()
    assert sign_up(api, "Forwarded", f"for={FIRST}").status_code == 201
    assert_refused(sign_up(api, "Forwarded", f"for={SECOND}"), 429, 429, "accounts.maxSignUps")


@pytest.mark.extended
def test_forwarded_is_read_by_setting(one_each):
    server = one_each(LCFILE_HTTP_PROXIES="127.0.0.1", LCFILE_HTTP_PROXY_HEADER="forwarded")
    values = f"for={FIRST};proto=https", f'for="{SECOND}:4711"', 'for="[2001:db8::1]"'
    assert_one_each(server.api(), "Forwarded", *values)


@pytest.mark.parametrize("proxies", [{}, {"LCFILE_HTTP_PROXIES": "127.0.0.2"}])
def test_no_other_connection_can_name_a_client(one_each, proxies):
    api = one_each(**proxies).api()
    assert sign_up(api, value=FIRST).status_code == 201
    assert_refused(sign_up(api, value=SECOND), 429, 429, "accounts.maxSignUps")


@pytest.mark.extended
def test_log_warns_if_urls_would_begin_with_the_own_address(new_server):
    server = new_server(LCFILE_HTTP_PROXIES="127.0.0.1").start()
    assert server.stop() == 0
    assert "publicURL is not set" in server.errors


@pytest.mark.extended
def test_log_does_not_warn_with_a_public_url(new_server):
    server = new_server(LCFILE_HTTP_PROXIES="127.0.0.1", LCFILE_PUBLIC_URL="https://files.example.com").start()
    assert server.stop() == 0
    assert "publicURL is not set" not in server.errors
