"""Files with tuspy, the Python client of the tus people, unmodified."""

import asyncio
import io

import pytest
import requests
from client import TIMEOUT, credentials, eventually
from clients import MIB, Gate, some_bytes, stored, tus
from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError, TusUploadFailed
from tusclient.storage.filestorage import FileStorage

DATA = some_bytes(3 * MIB + 5)


def uploader(server, data=DATA, **options):
    return tus(server).uploader(file_stream=io.BytesIO(data), **options)


def headers_of(url):
    response = requests.head(url, headers={"Tus-Resumable": "1.0.0"} | credentials(), timeout=TIMEOUT)
    assert response.status_code == 200
    return response.headers


def assert_became_a_file(api, url, data=DATA, **facts):
    headers = headers_of(url)
    content, record = stored(api, headers["X-LC-Object-Id"])
    assert content == data
    assert record["url"] == headers["X-LC-File-URL"]
    assert record["metaData"]["size"] == len(data)
    assert {name: record[name] for name in facts} == facts


@pytest.mark.few(3)
@pytest.mark.parametrize("size", [0, 1, 4 * MIB, 20 * MIB + 1])
def test_file_goes_at_once(api, server, size):
    upload = uploader(server, some_bytes(size), metadata={"filename": "a.bin"})
    upload.upload()
    assert_became_a_file(api, upload.url, some_bytes(size), name="a.bin")


@pytest.mark.extended
@pytest.mark.parametrize("size, chunk", [(100, 1), (3 * MIB, MIB), (3 * MIB + 5, 100_000), (5 * MIB, 4 * MIB)])
def test_file_goes_in_chunks(api, server, size, chunk):
    upload = uploader(server, some_bytes(size), chunk_size=chunk, metadata={"filename": "a.bin"})
    upload.upload()
    assert_became_a_file(api, upload.url, some_bytes(size))


@pytest.mark.parametrize("chunk", [MIB, 10 * MIB])
def test_chunks_are_checked_by_their_checksum(api, server, chunk):
    upload = uploader(server, chunk_size=chunk, upload_checksum=True, metadata={"filename": "a.bin"})
    upload.upload()
    assert_became_a_file(api, upload.url)


def test_wrong_checksum_is_refused_and_the_right_one_goes_on(api, server):
    upload = uploader(server, chunk_size=MIB, metadata={"filename": "a.bin"})
    upload.upload_chunk()
    refused = requests.patch(upload.url, data=DATA[MIB:], timeout=TIMEOUT, headers=upload.get_headers() | {
        "Upload-Offset": str(MIB), "Content-Type": "application/offset+octet-stream", "Upload-Checksum": "sha1 " + "A" * 27 + "=",
    })
    assert refused.status_code == 460
    assert upload.get_offset() == MIB
    upload.upload()
    assert_became_a_file(api, upload.url)


@pytest.mark.parametrize("metadata, facts", [
    ({"filename": "照片 一.jpg"}, {"name": "照片 一.jpg", "mime_type": "image/jpeg"}),
    ({"name": "Ærø.txt"}, {"name": "Ærø.txt", "mime_type": "text/plain"}),
    ({"filename": "a.bin", "filetype": "image/png"}, {"name": "a.bin", "mime_type": "image/png"}),
])
def test_metadata_becomes_the_record(api, server, metadata, facts):
    upload = uploader(server, metadata=metadata)
    upload.upload()
    assert_became_a_file(api, upload.url, **facts)


@pytest.mark.smoke
def test_metadata_of_the_app_is_in_the_record(api, server):
    upload = uploader(server, metadata={"filename": "a.bin", "metaData": '{"标签":"火箭"}'})
    upload.upload()
    assert stored(api, headers_of(upload.url)["X-LC-Object-Id"])[1]["metaData"]["标签"] == "火箭"


def test_acl_of_the_app_is_that_of_the_record(master, server):
    upload = uploader(server, metadata={"filename": "a.bin", "ACL": '{"*":{"read":true}}'})
    upload.upload()
    path = f"/1.1/files/{headers_of(upload.url)['X-LC-Object-Id']}?returnACL=true"
    assert master.get(path).json()["ACL"] == {"*": {"read": True}}


def test_upload_without_metadata_is_a_file(api, server):
    # The client sends an empty Upload-Metadata.
    upload = uploader(server)
    upload.upload()
    assert_became_a_file(api, upload.url)


def test_unknown_app_is_told_401(server):
    client = TusClient(f"{server.url}/1.1/uploads", headers={"X-LC-Id": "nobody", "X-LC-Key": "nothing"})
    with pytest.raises(TusCommunicationError) as raised:
        client.uploader(file_stream=io.BytesIO(DATA)).upload()
    assert raised.value.status_code == 401


def test_unknown_upload_has_no_offset(server):
    with pytest.raises(TusCommunicationError) as raised:
        uploader(server, url=f"{server.url}/1.1/uploads/{'0' * 40}")
    assert raised.value.status_code == 404


def test_asynchronous_client_sends_chunks(api, server):
    upload = tus(server).async_uploader(file_stream=io.BytesIO(DATA), chunk_size=MIB, upload_checksum=True)
    asyncio.run(upload.upload())
    assert_became_a_file(api, upload.url)


# Going on

def test_new_client_goes_on_where_the_old_one_stopped(api, server):
    first = uploader(server, chunk_size=MIB)
    first.upload_chunk()
    second = uploader(server, url=first.url)
    assert second.offset == MIB
    second.upload()
    assert_became_a_file(api, first.url)


def test_client_that_kept_the_address_goes_on(api, server, tmp_path):
    path = tmp_path / "photo.bin"
    path.write_bytes(DATA)
    options = {"file_path": str(path), "store_url": True, "url_storage": FileStorage(str(tmp_path / "addresses"))}
    first = tus(server).uploader(chunk_size=MIB, **options)
    first.upload_chunk()
    second = tus(server).uploader(**options)
    assert (second.url, second.offset) == (first.url, MIB)
    second.upload()
    assert_became_a_file(api, first.url)


def test_chunk_whose_connection_broke_is_gone_on_with(api, server):
    upload = uploader(server, retries=5, retry_delay=0)
    with Gate(server, 2 * MIB, then=lambda: None) as gate:
        upload.set_url(gate.instead_of(upload.create_url()))
        upload.upload()
        gate.wait()
    assert_became_a_file(api, upload.url.replace(gate.url, server.url))


@pytest.mark.extended
def test_answered_chunks_outlive_a_kill(new_server):
    server = new_server().start()
    first = uploader(server, chunk_size=MIB)
    first.upload_chunk()
    first.upload_chunk()
    server.kill()
    server.start()
    second = uploader(server, url=first.url)
    assert second.offset == 2 * MIB
    second.upload()
    assert_became_a_file(server.api(), first.url)


def kill_in_the_middle(server, upload, after, received):
    """Sends the rest of an upload until so many bytes have passed, of which the server has told that it received some."""
    def end():
        progress = upload.url.replace(gate.url, server.url)
        eventually(lambda: requests.get(progress, timeout=TIMEOUT).json()["received"] >= received)
        server.kill()

    with Gate(server, after, then=end) as gate:
        upload.set_url(gate.instead_of(upload.url))
        with pytest.raises(TusUploadFailed):
            upload.upload()
        gate.wait()
    server.start()


@pytest.mark.extended
def test_upload_goes_on_after_a_kill_in_the_middle_of_a_chunk(new_server):
    server, data = new_server().start(), some_bytes(25 * MIB)
    first = uploader(server, data, chunk_size=10 * MIB)
    first.upload_chunk()
    url = first.url
    kill_in_the_middle(server, first, 5 * MIB, received=14 * MIB)
    last = uploader(server, data, url=url, upload_checksum=True)
    assert 10 * MIB <= last.offset <= 15 * MIB
    last.upload()
    assert_became_a_file(server.api(), url, data)


@pytest.mark.extended
def test_long_chunk_does_not_begin_anew_after_a_kill(new_server):
    server, data = new_server().start(), some_bytes(50 * MIB)
    first = uploader(server, data)
    first.set_url(url := first.create_url())
    kill_in_the_middle(server, first, 40 * MIB, received=39 * MIB)
    last = uploader(server, data, url=url)
    assert 16 * MIB <= last.offset <= 40 * MIB
    last.upload()
    assert_became_a_file(server.api(), url, data)


@pytest.mark.extended
def test_finished_upload_is_known_after_a_kill(new_server):
    server = new_server().start()
    upload = uploader(server)
    upload.upload()
    server.kill()
    server.start()
    assert uploader(server, url=upload.url).offset == len(DATA)
    assert_became_a_file(server.api(), upload.url)
