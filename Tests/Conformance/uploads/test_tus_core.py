"""tus 1.0: the core and creation, as a client sees them; sentences of the specification are tests here."""

import json
from urllib.parse import urlsplit

import pytest
from accounts import unique
from client import ALPHA, BETA, credentials, head
from data import ID, Objects, texts
from uploading import (
    Tus, TusUpload, assert_file, assert_no_internals, assert_nothing_staged, b64, metadata, must, noise, own_server,
    record_of,
)

DATA = noise(100_000)
EXTENSIONS = {
    "creation", "creation-with-upload", "creation-defer-length", "checksum", "checksum-trailer", "expiration", "termination",
    "concatenation", "concatenation-unfinished",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    yield from own_server(tmp_path_factory)


@pytest.fixture(scope="module")
def api(server):
    return server.api()


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture(scope="module")
def tus(server):
    return Tus(server)


@pytest.fixture
def upload(tus):
    """One of which nothing was sent yet."""
    return tus.create(len(DATA))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server that takes files of up to a megabyte."""
    yield from own_server(tmp_path_factory, maxSize="1MB")


def statuses(upload, **headers):
    """What each method on an upload is answered with."""
    return {
        "HEAD": upload.head(**headers).status_code,
        "PATCH": upload.patch(0, b"x", **headers).status_code,
        "DELETE": upload.delete(**headers).status_code,
    }


# OPTIONS

@pytest.mark.parametrize("headers", [
    {}, {"Tus_Resumable": "0.2.2"}, {"X_LC_Id": None, "X_LC_Key": None, "Tus_Resumable": None},
])
def test_options_tell_what_the_server_can_do(tus, headers):
    answer = tus.call("OPTIONS", **headers)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["Tus-Resumable"] == answer.headers["Tus-Version"] == "1.0.0"
    assert set(answer.headers["Tus-Extension"].split(",")) == EXTENSIONS
    assert set(answer.headers["Tus-Checksum-Algorithm"].split(",")) == {"sha1", "md5", "sha256", "crc32"}
    assert int(answer.headers["Tus-Max-Size"]) == 5 << 30


def test_options_tell_the_largest_size_of_this_server(small):
    assert Tus(small).call("OPTIONS").headers["Tus-Max-Size"] == str(1 << 20)


@pytest.mark.parametrize("method", ["POST", "HEAD", "PATCH", "DELETE"])
def test_browser_may_use_every_method_and_header(tus, upload, method):
    wanted = ["tus-resumable", "upload-offset", "upload-length", "upload-metadata", "upload-checksum", "upload-concat",
              "upload-defer-length", "x-http-method-override", "content-type", "x-lc-id", "x-lc-key", "x-lc-session"]
    answer = tus.call(
        "OPTIONS", Tus.PATH if method == "POST" else upload.path, X_LC_Id=None, X_LC_Key=None, Origin="https://example.org",
        Access_Control_Request_Method=method, Access_Control_Request_Headers=",".join(wanted),
    )
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] in ("*", "https://example.org")
    assert method in answer.headers["Access-Control-Allow-Methods"].replace(" ", "").split(",")
    allowed = {name.strip().lower() for name in answer.headers["Access-Control-Allow-Headers"].split(",")}
    assert set(wanted) <= allowed


def test_browser_may_read_the_headers_of_answers(tus):
    answer = tus.post(5, Origin="https://example.org")
    assert answer.headers["Access-Control-Allow-Origin"] in ("*", "https://example.org")
    exposed = {name.strip().lower() for name in answer.headers["Access-Control-Expose-Headers"].split(",")}
    assert {"location", "upload-offset", "upload-length", "tus-resumable", "upload-expires", "x-lc-object-id",
            "x-lc-file-url"} <= exposed


# Creation

@pytest.mark.smoke
def test_creation_answers_where_the_upload_is(tus, server):
    answer = tus.post(len(DATA))
    assert answer.status_code == 201
    location = answer.headers["Location"]
    assert location.startswith(f"{server.url}/1.1/uploads/")
    assert len(location.rpartition("/")[2]) == 40
    assert ID.fullmatch(answer.headers["X-LC-Object-Id"])
    assert answer.headers["Tus-Resumable"] == "1.0.0"


@pytest.mark.extended
def test_location_is_the_public_address_whatever_the_host_header(new_server):
    server = new_server(LCFILE_PUBLIC_URL="https://files.example.com/base").start()
    location = Tus(server).post(5, Host="evil.example.org").headers["Location"]
    assert location.startswith("https://files.example.com/base/1.1/uploads/")


def test_uploads_have_different_places(tus):
    assert len({tus.create(5).path for _ in range(20)}) == 20


@pytest.mark.parametrize("headers", [
    pytest.param({}, id="no length"),
    pytest.param({"Upload_Length": "-1"}, id="negative"),
    pytest.param({"Upload_Length": "x"}, id="no number"),
    pytest.param({"Upload_Length": "1.5"}, id="not whole"),
    pytest.param({"Upload_Length": ""}, id="empty"),
    pytest.param({"Upload_Length": "9" * 30}, id="no number that fits"),
    pytest.param({"Upload_Defer_Length": "2"}, id="deferred by another word"),
    pytest.param({"Upload_Defer_Length": "1", "Upload_Length": "5"}, id="deferred and given"),
])
def test_creation_needs_one_length(tus, headers):
    answer = tus.post(**headers)
    assert answer.status_code == 400
    assert "Location" not in answer.headers
    assert_no_internals(answer)


def test_length_over_the_limit_is_413(small):
    before = small.api().count()
    for length in (1 << 20) + 1, 1 << 40, (1 << 63) - 1:
        answer = Tus(small).post(length)
        assert (answer.status_code, answer.json()["code"]) == (413, 413)
    assert small.api().count() == before


def test_length_of_exactly_the_limit_is_taken(small):
    data = noise(1 << 20)
    upload = Tus(small).create(len(data))
    assert upload.patch(0, data).status_code == 204
    assert_file(small.api(), upload.id, data)


def test_default_limit_is_five_gigabytes(tus):
    upload = tus.create(5 << 30)
    assert upload.delete().status_code == 204
    assert tus.post((5 << 30) + 1).status_code == 413


def test_empty_file_is_there_at_once(tus, api):
    answer = tus.post(0)
    assert answer.status_code == 201
    record = assert_file(api, answer.headers["X-LC-Object-Id"], b"")
    assert answer.headers["X-LC-File-URL"] == record["url"]
    upload = TusUpload(tus, answer)
    assert upload.offset == 0


# HEAD

def test_head_tells_offset_length_and_id(upload):
    answer = upload.head()
    assert answer.status_code == 200
    assert (answer.headers["Upload-Offset"], answer.headers["Upload-Length"]) == ("0", str(len(DATA)))
    assert answer.headers["X-LC-Object-Id"] == upload.id
    assert answer.headers["Tus-Resumable"] == "1.0.0"
    assert "no-store" in answer.headers["Cache-Control"]
    assert "Upload-Defer-Length" not in answer.headers
    assert "X-LC-File-URL" not in answer.headers


def test_head_tells_the_metadata_as_it_was_sent(tus):
    sent = metadata(filename="照片.jpg", is_confidential=None, mine="words")
    assert tus.create(5, Upload_Metadata=sent).head().headers["Upload-Metadata"] == sent


def test_head_of_a_finished_upload_tells_its_file(upload, api):
    assert upload.patch(0, DATA).status_code == 204
    answer = upload.head()
    assert (answer.headers["Upload-Offset"], answer.headers["Upload-Length"]) == (str(len(DATA)),) * 2
    assert answer.headers["X-LC-File-URL"] == record_of(api, upload.id)["url"]


@pytest.mark.parametrize("method", ["HEAD", "PATCH", "DELETE"])
@pytest.mark.parametrize("place", ["0" * 40, "a" * 39, "a" * 41, "x", "..%2f..%2fetc", "%00" * 40])
def test_unknown_upload_is_404(tus, method, place):
    headers = {"Upload_Offset": 0, "Content_Type": Tus.BYTES} if method == "PATCH" else {}
    answer = tus.call(method, f"{Tus.PATH}/{place}", b"", **headers)
    assert answer.status_code == 404
    assert "Upload-Offset" not in answer.headers
    assert_no_internals(answer)


# PATCH

def test_whole_file_in_one_patch(upload, api):
    answer = upload.patch(0, DATA)
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["Upload-Offset"] == str(len(DATA))
    assert answer.headers["Tus-Resumable"] == "1.0.0"
    assert answer.headers["X-LC-Object-Id"] == upload.id
    record = assert_file(api, upload.id, DATA)
    assert answer.headers["X-LC-File-URL"] == record["url"]


def test_many_patches_make_one_file(upload, api):
    offset = 0
    for size in (1, 2, 0, 40_000, 1, 59_996):
        answer = upload.patch(offset, DATA[offset : offset + size])
        offset += size
        assert (answer.status_code, answer.headers["Upload-Offset"]) == (204, str(offset))
        assert upload.offset == offset
        assert record_of(api, upload.id) is None or offset == len(DATA)
    assert_file(api, upload.id, DATA)


def test_chunked_patch_is_taken(upload, api):
    answer = upload.patch(0, iter([DATA[:5], DATA[5:70_000], DATA[70_000:]]))
    assert (answer.status_code, answer.headers["Upload-Offset"]) == (204, str(len(DATA)))
    assert_file(api, upload.id, DATA)


@pytest.mark.few(3)
@pytest.mark.parametrize("offset", [0, 9, 11, len(DATA), 1 << 40])
def test_another_offset_is_409_and_changes_nothing(upload, api, offset):
    upload.patch(0, DATA[:10])
    answer = upload.patch(offset, b"other bytes")
    assert (answer.status_code, answer.headers["Upload-Offset"]) == (409, "10")
    assert upload.offset == 10
    upload.go_on(DATA)
    assert_file(api, upload.id, DATA)


@pytest.mark.parametrize("offset", [None, "-1", "x", "1.0", "", "0x0"])
def test_offset_that_is_none_is_400_and_changes_nothing(upload, offset):
    assert upload.patch(offset, b"other bytes").status_code == 400
    assert upload.offset == 0


@pytest.mark.parametrize("type", [None, "application/octet-stream", "text/plain", "application/offset+octet-stream2", ""])
def test_another_content_type_is_415_and_changes_nothing(upload, type):
    assert upload.patch(0, b"other bytes", Content_Type=type).status_code == 415
    assert upload.offset == 0


@pytest.mark.parametrize("chunked", [False, True])
def test_bytes_beyond_the_length_are_refused(upload, api, chunked):
    upload.patch(0, DATA[:10])
    data = DATA[10:] + b"more"
    answer = upload.patch(10, iter([data]) if chunked else data)
    assert answer.status_code == 413
    assert record_of(api, upload.id) is None
    assert 10 <= upload.offset <= len(DATA)
    upload.go_on(DATA)
    assert_file(api, upload.id, DATA)


def test_patch_of_a_finished_upload_changes_nothing(upload, api):
    upload.patch(0, DATA)
    answer = upload.patch(0, b"other bytes")
    assert (answer.status_code, answer.headers["Upload-Offset"]) == (409, str(len(DATA)))
    assert upload.patch(len(DATA), b"other bytes").status_code == 413
    assert_file(api, upload.id, DATA)


def test_last_patch_that_is_sent_again_is_answered_alike(upload, api):
    answers = [upload.patch(0, DATA), upload.patch(len(DATA), b"")]
    assert [answer.status_code for answer in answers] == [204, 204]
    assert [answer.headers["Upload-Offset"] for answer in answers] == [str(len(DATA))] * 2
    assert_file(api, upload.id, DATA)


def test_head_then_patch_on_one_connection(server, tus, upload, api):
    with server.raw() as connection:
        answer = connection.request("HEAD", upload.path, tus.headers)
        assert answer.getheader("Upload-Offset") == "0"
        headers = tus.headers | {"Content-Type": Tus.BYTES, "Upload-Offset": 0, "Content-Length": len(DATA)}
        assert connection.request("PATCH", upload.path, headers, DATA).status == 204
    assert_file(api, upload.id, DATA)


def test_patch_may_wait_for_continue(server, tus, upload, api):
    headers = {"Content-Type": Tus.BYTES, "Upload-Offset": 0, "Content-Length": len(DATA), "Expect": "100-continue"}
    with server.raw() as connection:
        connection.send(head("PATCH", upload.path, tus.headers | headers))
        assert connection.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.send(DATA)
        assert connection.answer("PATCH").status == 204
    assert_file(api, upload.id, DATA)


def test_refusal_comes_without_continue(server, tus, upload):
    headers = {"Content-Type": Tus.BYTES, "Upload-Offset": 7, "Content-Length": len(DATA), "Expect": "100-continue"}
    with server.raw() as connection:
        connection.send(head("PATCH", upload.path, tus.headers | headers))
        assert connection.socket.recv(100).startswith(b"HTTP/1.1 409 ")


# The version

@pytest.mark.parametrize("version", ["0.2.2", "1.0.1", "2.0.0", "", "1", None])
def test_another_version_is_412_and_nothing_is_done(tus, upload, version):
    answer = tus.post(5, Tus_Resumable=version)
    assert (answer.status_code, answer.headers["Tus-Version"]) == (412, "1.0.0")
    assert "Location" not in answer.headers
    assert statuses(upload, Tus_Resumable=version) == dict.fromkeys(("HEAD", "PATCH", "DELETE"), 412)
    assert upload.offset == 0


# Who

WRONG = [
    pytest.param({"X-LC-Id": ALPHA.id}, id="no key"),
    pytest.param({"X-LC-Id": ALPHA.id, "X-LC-Key": "wrong-wrong"}, id="wrong key"),
    pytest.param({"X-LC-Id": ALPHA.id, "X-LC-Key": BETA.key}, id="key of another app"),
    pytest.param({}, id="nothing"),
]


@pytest.mark.parametrize("credentials", WRONG)
def test_wrong_credentials_are_401_on_every_method(tus, upload, credentials):
    headers = {"X_LC_Id": None, "X_LC_Key": None} | {name.replace("-", "_"): value for name, value in credentials.items()}
    assert tus.post(5, **headers).status_code == 401
    assert statuses(upload, **headers) == dict.fromkeys(("HEAD", "PATCH", "DELETE"), 401)
    assert upload.offset == 0


def test_upload_of_another_app_is_404_on_every_method(upload):
    foreign = {name.replace("-", "_"): value for name, value in credentials(BETA).items()}
    assert statuses(upload, **foreign) == dict.fromkeys(("HEAD", "PATCH", "DELETE"), 404)
    assert upload.offset == 0


def test_progress_alone_needs_no_credentials(upload):
    upload.patch(0, DATA[:10])
    assert must(upload.progress())["received"] == 10


# X-HTTP-Method-Override

def test_patch_may_come_as_post(upload, api):
    headers = {"X_HTTP_Method_Override": "PATCH", "Upload_Offset": 0, "Content_Type": Tus.BYTES}
    answer = upload.tus.call("POST", upload.path, DATA, **headers)
    assert (answer.status_code, answer.headers["Upload-Offset"]) == (204, str(len(DATA)))
    assert_file(api, upload.id, DATA)


def test_delete_may_come_as_post(upload):
    assert upload.tus.call("POST", upload.path, X_HTTP_Method_Override="DELETE").status_code == 204
    assert upload.head().status_code == 404


def test_override_needs_the_same_credentials(upload):
    answer = upload.tus.call("POST", upload.path, X_HTTP_Method_Override="DELETE", X_LC_Key="wrong-wrong")
    assert answer.status_code == 401
    assert upload.offset == 0


# Upload-Metadata

def made(tus, api, **fields):
    """The record of a file of two bytes with this metadata."""
    upload = tus.create(2, Upload_Metadata=metadata(**fields))
    assert upload.patch(0, b"ab").status_code == 204
    return assert_file(api, upload.id, b"ab")


@pytest.mark.parametrize("key", ["filename", "name"])
def test_name_of_the_file(tus, api, key):
    record = made(tus, api, **{key: "照片 #1.jpg"})
    assert (record["name"], record["key"][32:]) == ("照片 #1.jpg", ".jpg")


@pytest.mark.parametrize("key", ["filetype", "mime_type", "type"])
def test_type_of_the_file(tus, api, key):
    assert made(tus, api, filename="x.txt", **{key: "image/png"})["mime_type"] == "image/png"


def test_type_by_the_name(tus, api):
    assert made(tus, api, filename="x.csv")["mime_type"] == "text/csv"


def test_no_metadata_makes_a_file_as_well(tus, api):
    upload = tus.create(2)
    assert upload.patch(0, b"ab").status_code == 204
    assert assert_file(api, upload.id, b"ab")["mime_type"] == "text/plain"


def test_meta_data_of_the_client(tus, api):
    mine = {"width": 640, "标签": ["a", None], "owner": "somebody"}
    record = made(tus, api, filename="x.txt", metaData=json.dumps(mine))
    assert {key: record["metaData"][key] for key in mine} == mine


def test_owner_is_who_is_logged_in_or_unknown(tus, api):
    assert made(tus, api, filename="x.txt")["metaData"]["owner"] == "unknown"


def test_acl_of_the_file(tus, api, master):
    acl = {"role:Editors": {"read": True}}
    upload = tus.create(2, Upload_Metadata=metadata(filename="x.txt", ACL=json.dumps(acl)))
    assert upload.patch(0, b"ab").status_code == 204
    assert Objects(master, "_File").get(upload.id, returnACL="true").json()["ACL"] == acl
    assert api.get(f"/1.1/files/{upload.id}").status_code == 403


def test_prefix_and_kept_name(tus, api):
    record = made(tus, api, filename="save.dat", prefix="games/a", keep_file_name="true")
    assert record["key"].startswith("games/a/") and record["key"].endswith("/save.dat")


def test_key_of_the_master(tus, api):
    key = f"{unique('chosen')}/robots.txt"
    headers = {"X_LC_Key": f"{ALPHA.master},master", "Upload_Metadata": metadata(filename="x.txt", key=key)}
    upload = tus.create(2, **headers)
    assert upload.patch(0, b"ab").status_code == 204
    assert assert_file(api, upload.id, b"ab")["key"] == key
    assert tus.post(2, **headers).json()["code"] == 137


def test_key_of_a_client_is_not_taken(tus, api):
    assert made(tus, api, filename="x.txt", key="robots.txt")["key"] != "robots.txt"


def test_unknown_keys_are_passed_over(tus, api):
    assert "relativePath" not in made(tus, api, filename="x.txt", relativePath="a/b", empty=None)["metaData"]


BAD_METADATA = {
    "no Base64": "filename !!!",
    "Base64 cut off": "filename Y",
    "key twice": f"filename {b64('a')},filename {b64('b')}",
    "three words": f"filename {b64('a')} {b64('b')}",
    "name that is no UTF-8": f"filename {b64(bytes([255, 254]))}",
    "name that is a path": metadata(filename="../x"),
    "name with a line end": metadata(filename="a\r\nX-Evil: 1"),
    "name too long": metadata(filename="n" * 256),
    "metaData that is no JSON": metadata(metaData="{"),
    "metaData that is no object": metadata(metaData="[1]"),
    "ACL that is none": metadata(ACL='{"*":true}'),
    "prefix upwards": metadata(prefix="../up"),
}


@pytest.mark.parametrize("sent", BAD_METADATA.values(), ids=list(BAD_METADATA))
def test_malformed_metadata_is_400(tus, sent):
    answer = tus.post(2, Upload_Metadata=sent)
    assert answer.status_code == 400
    assert "Location" not in answer.headers
    assert_no_internals(answer)


def test_refused_creations_leave_nothing(small):
    tus, before = Tus(small), small.api().count()
    for sent in BAD_METADATA.values():
        tus.post(2, b"ab", Upload_Metadata=sent)
    assert_nothing_staged(small)
    assert small.api().count() == before


def test_file_is_found_by_its_name(tus, api):
    name = unique("found") + ".txt"
    id = made(tus, api, filename=name)["objectId"]
    found = api.get("/1.1/classes/_File", params=texts({"where": {"name": name}})).json()["results"]
    assert [(record["objectId"], urlsplit(record["url"]).path[1:]) for record in found] == [(id, record_of(api, id)["key"])]
