"""Files with Qiniu's own Python SDKs, unmodified: the newest, and the old one that LeanCloud's SDK brings along."""

import pytest
from clients import (
    MIB, Gate, assert_no_file, assert_stored, kodo, kodo_hash, kodo_stream, qiniu, qiniu_ticket, some_bytes,
)
from qiniu.services.storage.uploaders import FormUploader

pytestmark = pytest.mark.long

SMALL = some_bytes(100_000)


@pytest.fixture
def ticket(api):
    return qiniu_ticket(api)


@pytest.fixture
def path_of(tmp_path):
    """Writes bytes into a file; gives its path."""
    def write(data):
        path = tmp_path / "photo.bin"
        path.write_bytes(data)
        return str(path)
    return write


def assert_sent(answer, ticket, data):
    result, info = answer
    assert info.status_code == 200, info
    assert result == {"hash": kodo_hash(data), "key": ticket["key"]}


def assert_not_sent(answer, status):
    result, info = answer
    assert (result, info.status_code) == (None, status), info
    assert info.req_id and '"error"' in info.text_body


def test_token_is_one_that_the_sdk_can_read(ticket):
    bucket, _, policy = qiniu.Auth.up_token_decode(ticket["token"])
    assert (bucket, policy["scope"].partition(":")[0]) == (ticket["bucket"], ticket["bucket"])


# Form

@pytest.mark.smoke
def test_bytes_go_in_a_form(api, ticket):
    assert_sent(kodo(qiniu.put_data, ticket, SMALL), ticket, SMALL)
    assert_stored(api, ticket, SMALL)


@pytest.mark.few(3)
@pytest.mark.parametrize("size", [0, 1, 100_000, 4 * MIB, 4 * MIB + 1, 8 * MIB])
def test_file_goes_in_a_form(api, ticket, path_of, size):
    data = some_bytes(size)
    assert_sent(kodo(qiniu.put_file_v2, ticket, path_of(data)), ticket, data)
    assert_stored(api, ticket, data)


def test_variables_and_metadata_of_qiniu_do_not_disturb(api, ticket):
    extras = {"params": {"x:colour": "红"}, "metadata": {"x-qn-meta-!Last-Modified": "Sat, 02 May 2026 08:00:00 GMT"}}
    assert_sent(kodo(qiniu.put_data, ticket, SMALL, fname="照片 一.bin", **extras), ticket, SMALL)
    assert_stored(api, ticket, SMALL)


def test_wrong_crc32_in_a_form_is_refused(api, ticket):
    uploader = FormUploader("", regions=[qiniu.Zone(up_host=ticket["upload_url"])])
    assert_not_sent(uploader.upload(ticket["key"], data=SMALL, up_token=ticket["token"], crc32_int=1), 406)
    assert_no_file(api, ticket)


def test_token_of_another_upload_in_a_form_is_refused(api, ticket):
    answer = kodo(qiniu.put_data, ticket | {"token": qiniu_ticket(api)["token"]}, SMALL)
    assert_not_sent(answer, 401)
    assert_no_file(api, ticket)


# Blocks and parts; the SDK sends three at a time, so that they come in any order.

@pytest.mark.few(3)
@pytest.mark.parametrize("size", [1, 4 * MIB - 1, 4 * MIB, 4 * MIB + 1, 8 * MIB, 9 * MIB, 30 * MIB + 7])
def test_blocks_become_the_file(api, ticket, tmp_path, size):
    data = some_bytes(size)
    assert_sent(kodo_stream(ticket, data, tmp_path, "v1"), ticket, data)
    assert_stored(api, ticket, data)


@pytest.mark.few(3)
@pytest.mark.parametrize("size, part_size", [
    (1, 4 * MIB), (4 * MIB, 4 * MIB), (4 * MIB + 1, 4 * MIB), (9 * MIB, 4 * MIB), (8 * MIB, MIB), (5 * MIB + 1, MIB),
    (16 * MIB + 3, 7 * MIB), (9 * MIB, 16 * MIB), (3 * MIB, MIB + 1),
])
def test_parts_become_the_file(api, ticket, tmp_path, size, part_size):
    data = some_bytes(size)
    assert_sent(kodo_stream(ticket, data, tmp_path, "v2", part_size), ticket, data)
    assert_stored(api, ticket, data)


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_large_file_goes_in_pieces_by_itself(api, ticket, path_of, version):
    data = some_bytes(9 * MIB)
    assert_sent(kodo(qiniu.put_file_v2, ticket, path_of(data), version=version), ticket, data)
    assert_stored(api, ticket, data)


def test_parts_that_are_too_small_are_refused(api, ticket, tmp_path):
    assert_not_sent(kodo_stream(ticket, some_bytes(2 * MIB), tmp_path, "v2", MIB // 2), 400)
    assert_no_file(api, ticket)


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_token_of_another_upload_for_pieces_is_refused(api, ticket, tmp_path, version):
    ticket |= {"token": qiniu_ticket(api)["token"]}
    assert_not_sent(kodo_stream(ticket, SMALL, tmp_path, version), 401)
    assert_no_file(api, ticket)


@pytest.mark.parametrize("way", ["form", "v1", "v2"])
def test_key_that_the_master_chose_arrives(master, tmp_path, way):
    ticket = qiniu_ticket(master, key=f"Ærø/照片 ?>~{way}.bin")
    if way == "form":
        answer = kodo(qiniu.put_data, ticket, SMALL)
    else:
        answer = kodo_stream(ticket, SMALL, tmp_path, way)
    assert_sent(answer, ticket, SMALL)
    assert_stored(master, ticket, SMALL)


# A server that is killed while pieces come

@pytest.mark.extended
@pytest.mark.parametrize("version, part_size, after", [("v1", None, 14 * MIB), ("v2", MIB, 5 * MIB), ("v2", 4 * MIB, 14 * MIB)])
def test_pieces_go_on_after_the_server_was_killed(new_server, tmp_path, version, part_size, after):
    server = new_server().start()
    api, data = server.api(), some_bytes(6 * (part_size or 4 * MIB) + 5)
    ticket, before, later = qiniu_ticket(api), [], []
    with Gate(server, after, then=server.kill) as gate:
        host = gate.instead_of(ticket["upload_url"])
        result, _ = kodo_stream(ticket, data, tmp_path, version, part_size, host, heard=before)
        gate.wait()
        assert result is None
        server.start()
        assert_sent(kodo_stream(ticket, data, tmp_path, version, part_size, host, heard=later), ticket, data)
    assert before and later and len(before) + len(later) == 7
    assert_stored(api, ticket, data)


# The SDK that the leancloud package asks for, in a process of its own

OLD = """
import hashlib, io, qiniu
from qiniu.services.storage.upload_progress_recorder import UploadProgressRecorder
from qiniu.services.storage.uploader import put_stream
assert qiniu.__version__ == "7.3.1"
host, token, key = (arguments[name] for name in ("host", "token", "file_key"))
# Without a second host it would ask Qiniu for one after a failure.
qiniu.set_default(default_zone=qiniu.Zone(up_host=host, up_host_backup=host))
data = hashlib.shake_128(b"clients").digest(arguments["size"])
def form(): return qiniu.put_data(token, key, data)
def blocks():
    return put_stream(
        token, key, io.BytesIO(data), "photo.bin", len(data), modify_time=1,
        upload_progress_recorder=UploadProgressRecorder(arguments["folder"]),
        progress_handler=lambda done, total: heard.append(done),
    )
heard = []
result, info = {way}()
say(result=result, status=info.status_code, heard=heard)
"""


def old(sdk, way, ticket, size, folder, host=None):
    """What the old SDK got, and the bytes that it reported as sent."""
    host = host or ticket["upload_url"]
    seen = sdk(
        OLD.replace("{way}", way), host=host, token=ticket["token"], file_key=ticket["key"], size=size, folder=str(folder),
    )
    return (seen["result"], seen["status"]), seen["heard"]


def sent(ticket, size):
    return {"hash": kodo_hash(some_bytes(size)), "key": ticket["key"]}, 200


@pytest.mark.few(3)
@pytest.mark.parametrize("way, size", [
    ("form", 0), ("form", 1), ("form", 5 * MIB), ("blocks", 1), ("blocks", 4 * MIB), ("blocks", 4 * MIB + 1), ("blocks", 9 * MIB),
])
def test_old_sdk_sends(sdk, api, ticket, tmp_path, way, size):
    assert old(sdk, way, ticket, size, tmp_path)[0] == sent(ticket, size)
    assert_stored(api, ticket, some_bytes(size))


@pytest.mark.extended
def test_old_sdk_goes_on_after_the_server_was_killed(sdk, new_server, tmp_path):
    server, size = new_server().start(), 13 * MIB
    ticket = qiniu_ticket(server.api())
    with Gate(server, 9 * MIB, then=server.kill) as gate:
        host = gate.instead_of(ticket["upload_url"])
        before = old(sdk, "blocks", ticket, size, tmp_path, host)[1]
        gate.wait()
        server.start()
        answer, later = old(sdk, "blocks", ticket, size, tmp_path, host)
    assert answer == sent(ticket, size)
    assert (before, later) == ([4 * MIB, 8 * MIB], [12 * MIB, 13 * MIB])
    assert_stored(server.api(), ticket, some_bytes(size))
