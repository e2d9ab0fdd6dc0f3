"""What clients at one address can do in a minute, and how many connections they have."""

import socket

import pytest
import requests
from accounts import PASSWORD, settings, unique
from client import ALPHA, TIMEOUT, Server, assert_refused, eventually

FIRST, SECOND = "192.0.2.1", "192.0.2.2"
FILES = "/1.1/classes/_File?limit=0"


@pytest.fixture
def limited(new_server):
    """A server with limits that apply to this machine, or to the clients that it names as a trusted proxy."""
    return lambda **more: new_server(LCFILE_LIMITS_EXEMPT="none", **more).start()


def assert_limited(calls, setting, within=60):
    """The first call is answered, the second refused, with the seconds to wait."""
    first, second = calls
    assert first.status_code != 429
    assert_refused(second, 429, 429, f"limits.{setting}")
    assert 1 <= int(second.headers["Retry-After"]) <= within


@pytest.mark.extended
def test_calls_of_the_api_are_limited_and_the_master_key_is_not(limited):
    server = limited(LCFILE_LIMITS_REQUESTS="1")
    assert_limited([server.api().get(FILES) for _ in range(2)], "requests")
    assert [server.api(master=True).get(FILES).status_code for _ in range(3)] == [200] * 3
    # The file host is not the API.
    assert server.api().fetch(f"{server.url}/missing").status_code == 404


@pytest.mark.extended
def test_wrong_keys_count(limited):
    api = limited(LCFILE_LIMITS_REQUESTS="1").api()
    assert_limited([api.get(FILES, headers={"X-LC-Key": "wrong"}) for _ in range(2)], "requests")


@pytest.mark.extended
def test_date_needs_no_key_and_does_not_count(limited):
    api = limited(LCFILE_LIMITS_REQUESTS="1").api()
    assert [api.get("/1.1/date", headers={"X-LC-Key": "wrong"}).status_code for _ in range(2)] == [200, 200]


CREDENTIALS_IN_URLS = [
    ("GET", "/1.1/files/5f3a00000000000000000000/content"),
    ("PUT", "/1.1/upload/unknown"),
    ("GET", "/1.1/uploads/unknown"),
    ("GET", "/1.1/uploads/unknown/events"),
    ("GET", "/1.1/links/unknown/app"),
    ("GET", f"/1.1/censorship/files/{ALPHA.id}/unknown/1/wrong"),
    ("POST", "/1.1/censorship/callback"),
]


@pytest.fixture(scope="module")
def one_request(tmp_path_factory):
    """A server that trusts this machine as a proxy and answers one request of each client."""
    settings = {"LIMITS_REQUESTS": "1", "LIMITS_EXEMPT": "none", "HTTP_PROXIES": "127.0.0.1"}
    server = Server(tmp_path_factory.mktemp("one"), **{f"LCFILE_{name}": value for name, value in settings.items()})
    yield server.start()
    assert server.stop() == 0


@pytest.mark.parametrize("method, path", CREDENTIALS_IN_URLS)
def test_requests_whose_url_is_the_credential_count(one_request, method, path):
    client = {"X-Forwarded-For": f"192.0.2.{10 + CREDENTIALS_IN_URLS.index((method, path))}"}
    calls = [requests.request(method, one_request.url + path, headers=client, timeout=TIMEOUT) for _ in range(2)]
    assert calls[0].status_code not in (429, 500)
    assert calls[1].status_code == 429
    assert "limits.requests" in calls[1].text


@pytest.mark.extended
def test_each_client_of_a_trusted_proxy_has_its_own_limit(limited):
    api = limited(LCFILE_LIMITS_REQUESTS="1", LCFILE_HTTP_PROXIES="127.0.0.1").api()
    for client in (FIRST, SECOND):
        calls = [api.get(FILES, headers={"X-Forwarded-For": client}) for _ in range(2)]
        assert_limited(calls, "requests")


def test_uploads_are_limited_in_all_dialects_together(limited):
    api = limited(LCFILE_LIMITS_UPLOADS="2").api()
    assert api.store_raw(b"1", "a.txt").status_code == 201
    assert api.post("/1.1/fileTokens", json={"name": "a.txt", "key": unique()}).status_code == 201
    assert_refused(api.form(("file", ("a.txt", b"3"))), 429, 429, "limits.uploads")
    assert_refused(api.post("/1.1/fileTokens", json={"name": "a.txt", "key": unique()}), 429, 429, "limits.uploads")


@pytest.mark.extended
def test_log_ins_are_limited(limited):
    api = limited(LCFILE_LIMITS_LOG_INS="1").api()
    body = {"username": unique(), "password": PASSWORD}
    assert_limited([api.post("/1.1/login", json=body) for _ in range(2)], "logIns")


@pytest.mark.extended
def test_new_passwords_count_as_log_ins_also_of_refused_requests(limited):
    server = limited(LCFILE_LIMITS_LOG_INS="1", LCFILE_HTTP_PROXIES="127.0.0.1")
    users = server.api(master=True)
    user = users.post("/1.1/users", json={"username": unique(), "password": PASSWORD}).json()
    taken = {"username": user["username"], "password": PASSWORD}
    for client, method, path, body in (
        (FIRST, "POST", "/1.1/users", taken), (SECOND, "PUT", f"/1.1/users/{user['objectId']}", {"password": "x"}),
    ):
        calls = [
            server.api().call(method, path, json=body, headers={"X-Forwarded-For": client}) for _ in range(2)
        ]
        assert calls[0].json()["code"] == (202 if method == "POST" else 206)
        assert_limited(calls, "logIns")


@pytest.mark.extended
def test_fetches_are_limited(limited):
    api = limited(LCFILE_LIMITS_FETCHES="1").api()
    body = {"name": "a.txt", "url": "http://127.0.0.1:1/a.txt", "fetch": True}
    assert_limited([api.post("/1.1/files", json=body) for _ in range(2)], "fetches")


def test_work_on_images_is_limited_and_cached_images_cost_nothing(limited, rocket):
    api = limited(LCFILE_LIMITS_IMAGE_WORK="1").api()
    url = api.store(rocket)["url"]
    first, second = (f"{url}?imageView2/2/w/{width}" for width in (100, 101))
    assert_limited([api.fetch(first), api.fetch(second)], "imageWork", within=600)
    assert api.fetch(first).status_code == 200


def test_machine_itself_has_no_limits_by_default(new_server):
    api = new_server(LCFILE_LIMITS_REQUESTS="1").start().api()
    assert [api.get(FILES).status_code for _ in range(3)] == [200] * 3


def test_connections_of_one_address_are_limited(limited):
    server = limited(LCFILE_HTTP_MAX_CONNECTIONS_PER_ADDRESS="2")
    request = f"GET /1.1/date HTTP/1.1\r\nHost: x\r\nX-LC-Id: {ALPHA.id}\r\n\r\n".encode()

    def connection(address):
        return socket.create_connection(("127.0.0.1", server.port), TIMEOUT, source_address=(address, 0))

    def is_answered(one):
        try:
            one.sendall(request)
            return one.recv(1) == b"H"
        except ConnectionError:
            return False

    def is_taken(address):
        with connection(address) as one:
            return is_answered(one)

    with connection("127.0.0.3") as one:
        with connection("127.0.0.3") as two:
            assert is_answered(one) and is_answered(two)
            assert not is_taken("127.0.0.3")
            assert is_taken("127.0.0.4")
        # The server counts a connection until it has seen its end.
        assert eventually(lambda: is_taken("127.0.0.3")), "a closed connection still counts"
