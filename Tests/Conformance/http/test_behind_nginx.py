"""A server behind an nginx that speaks TLS: what it tells clients is the public address, and every dialect goes through."""

import io
import json
from urllib.parse import quote

import pytest
from client import Server, assert_refused
from clients import (
    MIB, assert_stored, kodo_hash, kodo_stream, qiniu_ticket, s3, s3_ticket, some_bytes, stored, tus, tus_id,
)
from pictures import encoded, plain, render
from proxy import Proxy
from uploading import b64

DATA = some_bytes(9 * MIB + 1)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """The proxy, with a server that knows its public address."""
    proxy = Proxy(tmp_path_factory.mktemp("nginx"))
    server = Server(tmp_path_factory.mktemp("behind"), LCFILE_PUBLIC_URL=proxy.url).start()
    try:
        proxy.start(server)
        yield proxy
        proxy.stop()
    finally:
        assert server.stop() == 0


@pytest.fixture(scope="module")
def api(proxy):
    """Calls with the app key, through the proxy."""
    return proxy.api()


@pytest.fixture
def trusted(proxy, monkeypatch):
    """Lets libraries that verify certificates accept that of the proxy."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", proxy.certificate)


@pytest.mark.parametrize("host", [None, "localhost", "127.0.0.1", "other.example.com"])
def test_addresses_of_a_ticket_are_public_whatever_the_host(api, proxy, host):
    # The SDKs of Objective-C and C# send the host without its port.
    headers = {"Host": host} if host else {}
    answer = api.post("/1.1/fileTokens", json={"name": "a.txt"}, headers=headers).json()
    assert answer["url"] == f"{proxy.url}/{answer['key']}"
    assert answer["upload_url"] == f"{proxy.url}/1.1/upload/{answer['token']}"


def test_address_in_a_record_is_public(api, proxy):
    record = api.store(b"x", name="a.txt")
    assert record["url"] == f"{proxy.url}/{record['key']}"


def test_location_of_a_tus_upload_is_public(api, proxy):
    response = api.post("/1.1/uploads", headers={"Tus-Resumable": "1.0.0", "Upload-Length": "5"})
    assert response.status_code == 201
    assert response.headers["Location"].startswith(f"{proxy.url}/1.1/uploads/")


def test_put_without_the_port_in_its_host_goes_through(api):
    ticket = s3_ticket(api)
    assert api.session.put(ticket["upload_url"], data=DATA, headers={"Host": "localhost"}).status_code == 200
    assert_stored(api, ticket, DATA)


def test_boto3_goes_through(api, proxy):
    # Over TLS it sends `aws-chunked` bodies with a trailer.
    ticket = s3_ticket(api)
    s3(ticket["upload_url"], verify=proxy.certificate).put_object(Bucket="any", Key="any", Body=io.BytesIO(DATA))
    assert_stored(api, ticket, DATA)


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_pieces_of_qiniu_go_through(api, proxy, tmp_path, monkeypatch, version):
    from qiniu.http import qn_http_client
    monkeypatch.setattr(qn_http_client.session, "verify", proxy.certificate)
    ticket = qiniu_ticket(api)
    result, info = kodo_stream(ticket, DATA, tmp_path, version)
    assert result == {"hash": kodo_hash(DATA), "key": ticket["key"]}, info
    assert_stored(api, ticket, DATA)


@pytest.mark.parametrize("chunk", [4 * MIB, 16 * MIB])
def test_tus_goes_through(api, proxy, trusted, chunk):
    upload = tus(proxy).uploader(file_stream=io.BytesIO(DATA), chunk_size=chunk, metadata={"filename": "照片.bin"})
    upload.upload()
    assert upload.url.startswith(proxy.url)
    content, record = stored(api, tus_id(api, upload.url))
    assert (content, record["name"]) == (DATA, "照片.bin")


@pytest.mark.parametrize("size", [0, 100_000, 9 * MIB])
def test_form_goes_through(api, size):
    record = api.store(some_bytes(size), name="a.bin")
    assert stored(api, record["objectId"])[0] == some_bytes(size)


def test_long_metadata_and_a_long_address_go_through(api):
    described = {"Upload-Metadata": f"filename {b64('图' * 85)},metaData {b64(json.dumps({'a': 'x' * 20_000}))}"}
    response = api.post("/1.1/uploads", headers={"Tus-Resumable": "1.0.0", "Upload-Length": "0"} | described)
    assert response.status_code == 201, response.text
    response = api.fetch(f"{api.store(b'abc', name='a.txt')['url']}?attname={quote('图' * 1365)}")
    assert response.content == b"abc"


def test_head_over_the_limit_is_answered_by_the_server(api):
    assert_refused(api.get("/1.1/date", headers={"X-Long": "x" * 80_000, "X-More": "x" * 10_000}), 431, 1)


def test_thumbnail_comes_through(api):
    record = api.store(encoded(plain(300, 200)), name="a.png")
    assert render(api, record["url"], "imageView/2/w/60/h/60").size == (60, 40)


def test_part_of_a_file_comes_through(api):
    response = api.fetch(api.store(DATA, name="a.bin")["url"], Range="bytes=1048576-1048580")
    assert (response.status_code, response.content) == (206, DATA[1048576:1048581])
    assert response.headers["Content-Range"] == f"bytes 1048576-1048580/{len(DATA)}"


def test_progress_comes_through(api, proxy):
    ticket = s3_ticket(api, metaData={"size": len(DATA)})
    api.session.put(ticket["upload_url"], data=DATA)
    progress = api.get(f"/1.1/uploads/{ticket['token']}").json()
    assert {name: progress[name] for name in ("state", "received", "url")} == {
        "state": "finished", "received": len(DATA), "url": ticket["url"],
    }
