"""The listener without TLS that sends clients to the encrypted one."""

import pytest
import requests
from client import TIMEOUT, Server, free_port
from starting import SETTING, assert_does_not_start
from tls import TLSServer


@pytest.fixture(scope="module")
def redirecting(tmp_path_factory, authority, certificate):
    port = free_port()
    folder = tmp_path_factory.mktemp("redirecting")
    server = TLSServer(folder, authority, certificate, LCFILE_TLS_REDIRECT_PORT=str(port)).start()
    server.redirect = f"http://localhost:{port}"
    yield server
    assert server.stop() == 0


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_request_is_sent_to_the_same_path_with_tls(redirecting, method):
    answer = requests.request(method, f"{redirecting.redirect}/1.1/a?b=c", allow_redirects=False, timeout=TIMEOUT)
    assert (answer.status_code, answer.headers["Location"]) == (308, f"https://localhost:{redirecting.port}/1.1/a?b=c")


def test_upload_follows_with_its_body(redirecting, authority):
    answer = requests.post(
        f"{redirecting.redirect}/1.1/files/a.txt", b"redirected", headers=redirecting.api().headers,
        verify=authority.root, timeout=TIMEOUT,
    )
    assert answer.status_code == 201
    assert answer.history[0].status_code == 308


def test_bad_request_is_400(redirecting):
    answer = requests.get(f"{redirecting.redirect}/", headers={"Host": "a b"}, allow_redirects=False, timeout=TIMEOUT)
    assert answer.status_code == 400


def test_redirects_need_a_certificate(tmp_path):
    assert_does_not_start(Server(tmp_path, LCFILE_TLS_REDIRECT_PORT="8081"), SETTING, "tls.redirectPort")
