"""Downloads by redirect to a real S3 store: what clients get there, for how long, and what they cannot do with the URL."""

import shutil
import subprocess
import time
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from bucket_servers import engine
from buckets import blob_settings, prefix_of
from client import ALPHA, ROCKET, Server, eventually
from commands import credentials_of, lcfile
from request_log import log_so_far
from starting import SETTING, assert_does_not_start
from uploading import noise

pytestmark = pytest.mark.long

MB = 1 << 20
CONTENT = noise(2 * MB)
LARGE = noise(20 * MB, 1)
ALL = {"LCFILE_DOWNLOADS_REDIRECTS": "all", "LCFILE_DATABASE_URL": ""}


@pytest.fixture(scope="module")
def start(engine, tmp_path_factory):
    """Starts servers that redirect, each with blobs of its own."""
    servers = []

    def start(**settings):
        folder = tmp_path_factory.mktemp("redirects")
        servers.append(Server(folder, apps=(ALPHA,), **blob_settings(engine, prefix_of(folder)) | ALL | settings))
        return servers[-1].start()

    yield start
    for server in servers:
        assert server.stop() == 0


@pytest.fixture(scope="module")
def server(start):
    return start()


@pytest.fixture(scope="module")
def record(server):
    return server.api().store(CONTENT, name="movie.bin")


def asked(url, method="GET", **headers):
    return requests.request(method, url, headers=headers, allow_redirects=False, timeout=30)


def location(url, **headers):
    answer = asked(url, **headers)
    assert answer.status_code == 302, answer.text
    return answer.headers["Location"]


# What clients get


def test_client_gets_the_bytes_of_the_store_with_the_fields_of_the_file(server, engine, record):
    answer = requests.get(record["url"], timeout=30)
    assert (answer.status_code, answer.content) == (200, CONTENT)
    assert answer.url.startswith(f"{engine.endpoint}/")
    assert [hop.status_code for hop in answer.history] == [302]
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.extended
def test_large_file_that_was_stored_in_parts_is_whole(server):
    url = server.api().store(LARGE, name="large.bin")["url"]
    assert requests.get(location(url), timeout=60).content == LARGE


def test_range_goes_to_the_store(server, record):
    answer = requests.get(record["url"], headers={"Range": "bytes=100-199"}, timeout=30)
    assert (answer.status_code, answer.content) == (206, CONTENT[100:200])
    assert answer.headers["Content-Range"] == f"bytes 100-199/{len(CONTENT)}"
    tag = answer.headers["ETag"]
    # A client continues with the tag that it got, which is the store's.
    rest = requests.get(record["url"], headers={"Range": "bytes=200-", "If-Range": tag}, timeout=30)
    assert (rest.status_code, rest.content) == (206, CONTENT[200:])


def test_tag_of_the_server_continues_at_the_server(server, record):
    tag = asked(record["url"], "HEAD").headers["ETag"]
    answer = asked(record["url"], **{"Range": "bytes=100-199", "If-Range": tag})
    assert (answer.status_code, answer.content) == (206, CONTENT[100:200])
    assert asked(record["url"], **{"If-None-Match": tag}).status_code == 304


def test_client_that_has_the_bytes_of_the_store_gets_none(server, record):
    tag = requests.get(record["url"], timeout=30).headers["ETag"]
    answer = requests.get(record["url"], headers={"If-None-Match": tag}, timeout=30)
    assert (answer.status_code, answer.content) == (304, b"")


def test_download_gets_its_name_from_the_store(server, record):
    answer = requests.get(record["url"] + "?attname=Film+%C3%A9.bin", timeout=30)
    assert answer.headers["Content-Disposition"] == (
        "attachment; filename=\"Film _.bin\"; filename*=UTF-8''Film%20%C3%A9.bin")
    assert answer.content == CONTENT


def test_type_of_an_image_and_its_derivative(start):
    server = start(LCFILE_DOWNLOADS_REDIRECT_MIN_SIZE="0")
    url = server.api().store(ROCKET.read_bytes(), name="rocket.jpg")["url"]
    answer = requests.get(url, timeout=30)
    assert (answer.content, answer.headers["Content-Type"]) == (ROCKET.read_bytes(), "image/jpeg")
    assert answer.history
    derivative = requests.get(url + "?imageView2/2/w/100", timeout=30)
    assert (derivative.status_code, derivative.history) == (200, [])


@pytest.mark.parametrize("program", ["curl", "lcfile"])
def test_programs_follow(server, record, tmp_path, program):
    file = tmp_path / "copy.bin"
    if program == "curl":
        if shutil.which("curl") is None:
            pytest.skip("curl is missing")
        subprocess.run(["curl", "-sSfL", "-o", file, record["url"]], check=True, timeout=60)
    else:
        result = lcfile("get", "-o", file, record["objectId"], **credentials_of(server.url))
        assert result.returncode == 0, result.stderr
    assert file.read_bytes() == CONTENT


# Who is redirected


@pytest.mark.parametrize("master", [False, True])
def test_keys_are_not_sent_to_the_store(server, record, master):
    api = server.api(master=master)
    for url in (record["url"], f"{server.url}/1.1/files/{record['objectId']}/content"):
        answer = asked(url, **api.headers)
        assert (answer.status_code, answer.content) == (200, CONTENT)


def test_session_is_not_sent_to_the_store(server, record):
    api = server.api()
    user = api.post("/1.1/users", json={"username": "redirected", "password": "secret"}).json()
    headers = api.headers | {"X-LC-Session": user["sessionToken"]}
    url = f"{server.url}/1.1/files/{record['objectId']}/content"
    assert asked(url, **headers).content == CONTENT
    assert asked(url).status_code == 302


def test_small_file_stays_with_the_server(server):
    url = server.api().store(b"small", name="small.txt")["url"]
    assert asked(url).content == b"small"


def test_page_stays_with_the_server_which_sandboxes_it(server):
    url = server.api().store(b"<script>alert(1)</script>" * 100_000, name="page.html")["url"]
    answer = asked(url)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/html")
    assert "sandbox" in answer.headers["Content-Security-Policy"]


# The URL


@pytest.mark.extended
def test_url_ends(start):
    server = start(LCFILE_DOWNLOADS_REDIRECT_LIFETIME="1")
    url = server.api().store(CONTENT, name="a.bin")["url"]
    answer = asked(url)
    assert answer.headers["Cache-Control"] == "public, max-age=0"
    first = answer.headers["Location"]
    assert requests.get(first, timeout=30).content == CONTENT
    assert eventually(lambda: asked(first).status_code == 403)
    assert requests.get(location(url), timeout=30).content == CONTENT


@pytest.mark.extended
def test_url_of_a_private_file_ends_with_its_signature(start):
    server = start(LCFILE_FILES_ACCESS="private")
    record = server.api().store(CONTENT, name="a.bin")
    assert asked(record["url"].partition("?")[0]).status_code == 403
    signed = server.api().post(f"/1.1/files/{record['objectId']}/url", json={"expiresIn": 3}).json()["url"]
    expiry = int(parse_qs(urlsplit(signed).query)["e"][0])
    answer = asked(signed)
    target = answer.headers["Location"]
    assert answer.headers["Cache-Control"].startswith("private, max-age=")
    assert requests.get(target, timeout=30).headers["Cache-Control"].startswith("private, max-age=")
    assert "token=" not in target
    assert eventually(lambda: asked(target).status_code == 403)
    assert time.time() <= expiry + 30
    assert asked(signed).status_code == 403


def changed(url, part, by):
    assert part in url
    return url.replace(part, by, 1)


@pytest.mark.parametrize("change", ["signature", "key", "type", "time", "PUT", "DELETE"])
def test_store_refuses_another_request_than_the_signed_one(server, record, change):
    url = location(record["url"])
    signature = parse_qs(urlsplit(url).query)["X-Amz-Signature"][0]
    other = {
        "signature": lambda: changed(url, signature, signature[:-1] + ("0" if signature[-1] != "0" else "1")),
        "key": lambda: changed(url, urlsplit(url).path, urlsplit(url).path.rpartition("/blobs/")[0] + "/owners"),
        "type": lambda: changed(url, "application%2Foctet-stream", "text%2Fhtml"),
        "time": lambda: changed(url, "X-Amz-Expires=", "X-Amz-Expires=9"),
    }.get(change, lambda: url)()
    method = change if change.isupper() else "GET"
    assert asked(other, method).status_code == 403
    assert asked(url).content == CONTENT


@pytest.mark.extended
def test_keys_of_the_store_and_signed_urls_are_secret(server, engine, record):
    url = location(record["url"])
    assert engine.secret not in url
    assert parse_qs(urlsplit(url).query)["X-Amz-SignedHeaders"] == ["host"]
    log = log_so_far(server)
    assert "X-Amz" not in log and engine.secret not in log


def test_deleted_file_is_gone_at_the_store(server):
    record = server.api().store(CONTENT, name="a.bin")
    url = location(record["url"])
    assert server.api(master=True).delete(record["objectId"]).status_code == 200
    assert asked(record["url"]).status_code == 404
    assert eventually(lambda: asked(url).status_code == 404)


@pytest.mark.extended
def test_clients_can_have_another_endpoint(start, engine):
    public = engine.endpoint.replace("127.0.0.1", "localhost")
    server = start(LCFILE_BLOBS_S3_PUBLIC_ENDPOINT=public)
    url = server.api().store(CONTENT, name="a.bin")["url"]
    assert location(url).startswith(f"{public}/")
    assert requests.get(url, timeout=30).content == CONTENT


def test_redirects_without_a_bucket_are_refused(new_server, tmp_path):
    server = new_server(folder=tmp_path, apps=(ALPHA,), LCFILE_DOWNLOADS_REDIRECTS="public", LCFILE_BLOBS_STORE="")
    assert_does_not_start(server, SETTING, "downloads.redirects", "blobs.store")
