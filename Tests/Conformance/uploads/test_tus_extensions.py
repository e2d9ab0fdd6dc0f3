"""tus 1.0: creation with upload, deferred lengths, checksums, expiration, termination, concatenation."""

import hashlib
import json
import zlib
from email.utils import parsedate_to_datetime

import pytest
from client import ALPHA, BETA, TIMEOUT, chunk, eventually
from uploading import (
    GAVE_WAY, Tus, TusUpload, assert_counts, assert_file, assert_nothing_staged, b64, checksum, metadata, noise,
    own_server, record_of,
)

DATA = noise(60_000)
HALF = 30_000
DIGESTS = {
    "sha1": lambda data: hashlib.sha1(data).digest(),
    "md5": lambda data: hashlib.md5(data).digest(),
    "sha256": lambda data: hashlib.sha256(data).digest(),
    "crc32": lambda data: zlib.crc32(data).to_bytes(4, "big"),
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server of this module's own that takes files of up to a megabyte."""
    yield from own_server(tmp_path_factory, maxSize="1MB")


@pytest.fixture(scope="module")
def tus(own):
    return Tus(own)


@pytest.fixture(scope="module")
def api(own):
    return own.api()


@pytest.fixture
def upload(tus):
    return tus.create(len(DATA))


# Creation with upload

@pytest.mark.parametrize("size", [1, HALF, len(DATA)])
def test_creation_takes_the_first_bytes(tus, api, size):
    answer = tus.post(len(DATA), DATA[:size])
    assert (answer.status_code, answer.headers["Upload-Offset"]) == (201, str(size))
    upload = TusUpload(tus, answer)
    assert upload.offset == size
    upload.go_on(DATA)
    assert_file(api, upload.id, DATA)


@pytest.mark.smoke
def test_creation_with_all_bytes_tells_the_file(tus, api):
    answer = tus.post(len(DATA), DATA, Upload_Metadata=metadata(filename="whole.bin"))
    record = assert_file(api, answer.headers["X-LC-Object-Id"], DATA, name="whole.bin")
    assert answer.headers["X-LC-File-URL"] == record["url"]


def test_creation_with_too_many_bytes_makes_nothing(tus, api):
    before = api.count()
    assert tus.post(5, b"too many").status_code == 413
    assert api.count() == before


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("type", [None, "application/octet-stream"])
def test_creation_with_bytes_of_another_content_type_is_415(tus, type, chunked):
    answer = tus.post(len(DATA), iter([DATA]) if chunked else DATA, Content_Type=type)
    assert (answer.status_code, answer.headers["Location"]) == (415, None)


def test_type_of_a_creation_without_bytes_says_nothing(tus):
    assert tus.create(len(DATA), Content_Type="text/html").offset == 0


def test_creation_whose_bytes_have_another_checksum_makes_no_file(tus, api):
    before = api.count()
    answer = tus.post(len(DATA), DATA, Upload_Checksum=checksum("sha1", bytes(20)))
    assert answer.status_code == 460
    assert api.count() == before


# Deferred lengths

@pytest.fixture
def endless(tus):
    """An upload of unknown length."""
    return tus.create(Upload_Defer_Length=1)


def test_head_says_that_the_length_is_deferred(endless):
    for offset in (0, HALF):
        answer = endless.head()
        assert (answer.headers["Upload-Defer-Length"], answer.headers["Upload-Length"]) == ("1", None)
        assert answer.headers["Upload-Offset"] == str(offset)
        endless.patch(0, DATA[:HALF])


def test_length_may_come_with_the_last_bytes(endless, api):
    assert endless.patch(0, DATA[:HALF]).status_code == 204
    assert record_of(api, endless.id) is None
    assert endless.patch(HALF, DATA[HALF:], Upload_Length=len(DATA)).status_code == 204
    assert_file(api, endless.id, DATA)


def test_length_may_come_before_the_last_bytes(endless, api):
    assert endless.patch(0, DATA[:HALF], Upload_Length=len(DATA)).status_code == 204
    answer = endless.head()
    assert (answer.headers["Upload-Length"], answer.headers["Upload-Defer-Length"]) == (str(len(DATA)), None)
    endless.go_on(DATA)
    assert_file(api, endless.id, DATA)


def test_length_may_come_after_the_last_bytes(endless, api):
    assert endless.patch(0, DATA).status_code == 204
    assert record_of(api, endless.id) is None
    assert endless.patch(len(DATA), b"", Upload_Length=len(DATA)).status_code == 204
    assert_file(api, endless.id, DATA)


def test_length_is_set_once(endless, api):
    endless.patch(0, DATA[:HALF], Upload_Length=len(DATA))
    assert endless.patch(HALF, b"", Upload_Length=HALF).status_code == 400
    assert endless.head().headers["Upload-Length"] == str(len(DATA))
    assert record_of(api, endless.id) is None


def test_length_that_is_said_again_is_no_other(endless, api):
    endless.patch(0, DATA[:HALF], Upload_Length=len(DATA))
    assert endless.patch(HALF, DATA[HALF:], Upload_Length=len(DATA)).status_code == 204
    assert_file(api, endless.id, DATA)


@pytest.mark.parametrize("length", ["-1", "x", "", HALF - 1])
def test_length_that_cannot_be_is_400(endless, api, length):
    endless.patch(0, DATA[:HALF])
    assert endless.patch(HALF, b"", Upload_Length=length).status_code == 400
    assert endless.offset == HALF
    assert record_of(api, endless.id) is None


def test_deferred_length_has_the_same_limit(tus, endless):
    assert endless.patch(0, b"x", Upload_Length=(1 << 20) + 1).status_code == 413
    assert tus.create(Upload_Defer_Length=1).patch(0, bytes((1 << 20) + 1)).status_code == 413


# Checksums

@pytest.mark.parametrize("algorithm", DIGESTS)
def test_right_checksum_is_taken(upload, api, algorithm):
    digest = DIGESTS[algorithm]
    assert upload.patch(0, DATA[:HALF], Upload_Checksum=checksum(algorithm, digest(DATA[:HALF]))).status_code == 204
    assert upload.patch(HALF, DATA[HALF:], Upload_Checksum=checksum(algorithm, digest(DATA[HALF:]))).status_code == 204
    assert_file(api, upload.id, DATA)


@pytest.mark.parametrize("algorithm", DIGESTS)
def test_wrong_checksum_keeps_nothing_of_its_patch(upload, api, algorithm):
    upload.patch(0, DATA[:HALF])
    wrong = checksum(algorithm, DIGESTS[algorithm](b"other bytes"))
    assert upload.patch(HALF, DATA[HALF:], Upload_Checksum=wrong).status_code == 460
    assert upload.offset == HALF
    assert record_of(api, upload.id) is None
    assert upload.patch(HALF, DATA[HALF:]).status_code == 204
    assert_file(api, upload.id, DATA)


@pytest.mark.extended
def test_wrong_checksum_of_a_long_patch_keeps_nothing(new_server):
    server, data = new_server().start(), noise(40 << 20)
    upload = Tus(server).create(len(data))
    assert upload.patch(0, data, Upload_Checksum=checksum("sha1", bytes(20))).status_code == 460
    assert upload.offset == 0
    assert upload.patch(0, data).status_code == 204
    assert_file(server.api(), upload.id, data)


@pytest.mark.parametrize("algorithm", ["sha512", "sha-1", "none", ""])
def test_unknown_algorithm_is_400_and_changes_nothing(upload, algorithm):
    assert upload.patch(0, DATA, Upload_Checksum=checksum(algorithm, bytes(20))).status_code == 400
    assert upload.offset == 0


@pytest.mark.parametrize("value", ["sha1", "sha1 ", f"sha1,{b64(bytes(20))}", b64(bytes(20))])
def test_checksum_without_algorithm_or_digest_changes_nothing(upload, value):
    assert upload.patch(0, DATA, Upload_Checksum=value).status_code == 400
    assert upload.offset == 0


@pytest.mark.parametrize("value", [
    "sha1 !!!", f"sha1 {b64(bytes(19))}", f"sha1 {b64(bytes(21))}", f"crc32 {b64(bytes(5))}", f"md5 {'0' * 32}",
])
def test_digest_that_cannot_be_is_a_mismatch(upload, value):
    assert upload.patch(0, DATA, Upload_Checksum=value).status_code == 460
    assert upload.offset == 0


def test_checksum_of_nothing_is_taken(upload):
    right = checksum("sha1", hashlib.sha1(b"").digest())
    assert upload.patch(0, b"", Upload_Checksum=right).status_code == 204
    assert upload.patch(0, b"", Upload_Checksum=checksum("sha1", bytes(20))).status_code == 460


# Checksums in trailers

def patch_with_trailer(upload, offset, data, trailer, announced="Upload-Checksum"):
    """A chunked PATCH that says its checksum at the end."""
    with upload.start(offset, data[:100], None, Trailer=announced) as connection:
        connection.send(chunk(data[100:]) + b"0\r\n" + trailer.encode() + b"\r\n")
        return connection.answer("PATCH").status


@pytest.mark.parametrize("algorithm", DIGESTS)
def test_right_checksum_in_a_trailer_is_taken(upload, api, algorithm):
    trailer = f"Upload-Checksum: {checksum(algorithm, DIGESTS[algorithm](DATA))}\r\n"
    assert patch_with_trailer(upload, 0, DATA, trailer) == 204
    assert_file(api, upload.id, DATA)


@pytest.mark.parametrize("algorithm", DIGESTS)
def test_wrong_checksum_in_a_trailer_keeps_nothing_of_its_patch(upload, api, algorithm):
    upload.patch(0, DATA[:HALF])
    trailer = f"Upload-Checksum: {checksum(algorithm, DIGESTS[algorithm](b'other bytes'))}\r\n"
    assert patch_with_trailer(upload, HALF, DATA[HALF:], trailer) == 460
    assert upload.offset == HALF
    upload.go_on(DATA)
    assert_file(api, upload.id, DATA)


@pytest.mark.parametrize("trailer, status", [
    (f"Upload-Checksum: sha512 {b64(bytes(64))}\r\n", 400), ("Upload-Checksum: sha1 !!!\r\n", 460),
    ("Upload-Checksum: sha1\r\n", 400),
])
def test_checksum_in_a_trailer_that_is_none_keeps_nothing_of_its_patch(upload, trailer, status):
    assert patch_with_trailer(upload, 0, DATA, trailer) == status
    assert upload.offset == 0


def test_announced_trailer_that_does_not_come_keeps_nothing_of_its_patch(upload):
    assert patch_with_trailer(upload, 0, DATA, "") == 460
    assert upload.offset == 0


# Expiration

def test_unfinished_uploads_tell_when_they_end(upload):
    answers = [upload.answer, upload.patch(0, DATA[:HALF]), upload.head()]
    for answer in answers:
        moment = parsedate_to_datetime(answer.headers["Upload-Expires"])
        assert (moment - parsedate_to_datetime(answer.headers["Date"])).total_seconds() > 3000
        assert answer.headers["Upload-Expires"].endswith(" GMT")


def test_finished_upload_does_not_tell_that_it_ends(upload):
    assert upload.patch(0, DATA).headers["Upload-Expires"] is None


# Termination

def test_terminated_upload_is_gone(own, upload, api):
    upload.patch(0, DATA[:HALF])
    answer = upload.delete()
    assert (answer.status_code, answer.content, answer.headers["Tus-Resumable"]) == (204, b"", "1.0.0")
    assert [call.status_code for call in (upload.head(), upload.patch(HALF, DATA[HALF:]), upload.delete())] == [404] * 3
    assert upload.progress().status_code == 404
    assert not [path for path in own.staged() if path.name == upload.id]
    assert record_of(api, upload.id) is None


def test_termination_stops_a_connection_that_sends(own, upload, api):
    with upload.start(0, DATA[:HALF], len(DATA)) as connection:
        assert eventually(lambda: upload.received == HALF)
        assert upload.delete().status_code == 204
        assert connection.answer_or_end() in (404, *GAVE_WAY)
    assert upload.head().status_code == 404
    assert eventually(lambda: not [path for path in own.staged() if path.name == upload.id])
    assert record_of(api, upload.id) is None


def test_termination_leaves_the_file_of_a_caller_who_may_not_delete_files(upload, api):
    upload.patch(0, DATA)
    assert upload.delete().status_code == 403
    assert_file(api, upload.id, DATA)
    assert upload.offset == len(DATA)


def test_termination_deletes_the_file_of_a_caller_who_may_delete_files(own, upload, api):
    url = upload.patch(0, DATA).headers["X-LC-File-URL"]
    assert upload.delete(X_LC_Key=f"{ALPHA.master},master").status_code == 204
    assert record_of(api, upload.id) is None
    assert api.session.get(url, timeout=TIMEOUT).status_code == 404
    assert upload.head().status_code == 404


# Concatenation

def partial(tus, data, **headers):
    upload = tus.create(len(data), Upload_Concat="partial", **headers)
    assert upload.patch(0, data).status_code == 204
    return upload


def concat(tus, *places, **headers):
    return tus.post(Upload_Concat="final;" + " ".join(places), **headers)


@pytest.mark.parametrize("absolute", [True, False])
def test_partial_uploads_make_one_file(tus, api, absolute):
    parts = [partial(tus, DATA[start : start + HALF]) for start in (HALF, 0)]
    places = [part.location if absolute else part.path for part in reversed(parts)]
    answer = concat(tus, *places, Upload_Metadata=metadata(filename="whole.bin", metaData=json.dumps({"a": 1})))
    assert answer.status_code == 201
    record = assert_file(api, answer.headers["X-LC-Object-Id"], DATA, name="whole.bin")
    assert (record["metaData"]["a"], answer.headers["X-LC-File-URL"]) == (1, record["url"])
    final = TusUpload(tus, answer)
    assert final.head().headers["Upload-Concat"] == "final;" + " ".join(places)
    assert [final.head().headers[f"Upload-{name}"] for name in ("Offset", "Length")] == [str(len(DATA))] * 2


def test_partial_uploads_may_be_sent_at_the_same_time(tus, api):
    parts = [tus.create(HALF, Upload_Concat="partial") for _ in range(2)]
    for offset in range(0, HALF, 10_000):
        for part, start in zip(parts, (0, HALF)):
            assert part.patch(offset, DATA[start + offset : start + offset + 10_000]).status_code == 204
    answer = concat(tus, *(part.path for part in parts))
    assert_file(api, answer.headers["X-LC-Object-Id"], DATA)


def test_partial_uploads_are_no_files_and_go_with_the_final(own, tus, api):
    before = api.count()
    parts = [partial(tus, DATA[:10], Upload_Metadata=metadata(filename="part")), partial(tus, DATA[10:])]
    assert api.count() == before
    assert [part.head().headers["Upload-Concat"] for part in parts] == ["partial"] * 2
    assert [part.offset for part in parts] == [10, len(DATA) - 10]
    answer = concat(tus, *(part.path for part in parts))
    assert record_of(api, answer.headers["X-LC-Object-Id"])["name"] != "part"
    assert api.count() == before + 1
    assert [part.head().status_code for part in parts] == [404] * 2
    assert eventually(lambda: not {part.id for part in parts} & {path.name for path in own.staged()})


def test_one_partial_upload_may_stand_twice(tus, api):
    part = partial(tus, b"again ")
    answer = concat(tus, part.path, part.path)
    assert_file(api, answer.headers["X-LC-Object-Id"], b"again again ")


def test_partial_upload_of_unknown_length_counts_what_it_got(tus, api):
    part = tus.create(Upload_Defer_Length=1, Upload_Concat="partial")
    part.patch(0, DATA[:HALF])
    assert part.patch(HALF, DATA[HALF:], Upload_Length=len(DATA)).status_code == 204
    assert_file(api, concat(tus, part.path).headers["X-LC-Object-Id"], DATA)


@pytest.fixture
def others(tus, api):
    """What a final upload cannot be made of."""
    whole, gone = tus.create(3), partial(tus, b"abc")
    whole.patch(0, b"abc")
    gone.delete()
    foreign = partial(Tus(tus.server, BETA), b"abc")
    return {
        "ordinary": tus.create(3).path, "file": whole.path, "terminated": gone.path,
        "of another app": foreign.path, "unknown": f"{Tus.PATH}/{'0' * 40}", "elsewhere": "https://example.org/x",
        "nonsense": "::", "file's record": f"/1.1/files/{whole.id}",
    }


@pytest.mark.few(3)
@pytest.mark.parametrize("other", [
    "ordinary", "file", "terminated", "of another app", "unknown", "elsewhere", "nonsense", "file's record",
])
def test_final_of_what_is_no_partial_upload_is_refused(tus, api, others, other):
    good = partial(tus, b"good")
    before = api.count()
    answer = concat(tus, good.path, others[other])
    assert 400 <= answer.status_code < 500 and "Location" not in answer.headers
    assert api.count() == before
    assert good.offset == 4


@pytest.mark.extended
def test_final_of_unfinished_uploads_is_a_file_with_the_last_of_their_bytes(new_server):
    server = new_server().start()
    tus, api = Tus(server), server.api()
    parts = [tus.create(HALF, Upload_Concat="partial") for _ in range(2)]
    answer = concat(tus, *(part.path for part in parts), Upload_Metadata=metadata(filename="late.bin"))
    assert (answer.status_code, answer.headers["X-LC-File-URL"]) == (201, None)
    final = TusUpload(tus, answer)
    parts[1].patch(0, DATA[HALF:])
    parts[0].patch(0, DATA[:100])
    headers = final.head().headers
    assert headers["Upload-Concat"] == "final;" + " ".join(part.path for part in parts)
    assert [headers[name] for name in ("Upload-Offset", "Upload-Length", "X-LC-File-URL")] == [None] * 3
    assert final.patch(0, DATA).status_code == 403
    server.kill()
    server.start()
    assert record_of(server.api(), final.id) is None
    assert parts[0].patch(100, DATA[100:HALF]).status_code == 204
    assert_file(server.api(), final.id, DATA, name="late.bin")
    assert final.offset == len(DATA)
    assert [part.head().status_code for part in parts] == [404] * 2
    assert_nothing_staged(server)
    assert_counts(server, 1)


@pytest.mark.parametrize("value", ["final", "final;", "final; ", "Final;x", "something", "partial;x"])
def test_malformed_concat_is_400(tus, value):
    assert tus.post(None if value.lower().startswith("final") else 5, Upload_Concat=value).status_code == 400


def test_final_over_the_limit_is_413(tus, api):
    parts = [partial(tus, bytes(700_000)) for _ in range(2)]
    before = api.count()
    assert concat(tus, *(part.path for part in parts)).status_code == 413
    assert api.count() == before


def test_patch_of_a_final_upload_is_403(tus, api):
    part = partial(tus, DATA)
    answer = concat(tus, part.path)
    final = TusUpload(tus, answer)
    for offset in (0, len(DATA)):
        assert final.patch(offset, b"more").status_code == 403
    assert_file(api, final.id, DATA)


@pytest.mark.extended
def test_everything_that_was_given_up_or_finished_leaves_no_bytes(new_server):
    server = new_server().start()
    tus = Tus(server)
    parts = [partial(tus, DATA[:HALF]), partial(tus, DATA[HALF:])]
    assert concat(tus, *(part.path for part in parts)).status_code == 201
    partial(tus, DATA).delete()
    tus.create(len(DATA)).patch(0, DATA)
    tus.create(len(DATA), data=DATA[:HALF]).delete()
    assert_nothing_staged(server)
    assert_counts(server, 2)
    server.kill()
    server.start()
    assert_counts(server, 2)


@pytest.mark.extended
def test_refused_requests_leave_no_bytes(new_server):
    server = new_server().start()
    tus = Tus(server)
    tus.post(len(DATA), DATA, Upload_Checksum=checksum("sha1", bytes(20)))
    tus.post(len(DATA), DATA, Content_Type="text/html")
    tus.post(5, DATA)
    part = partial(tus, DATA)
    concat(tus, part.path, f"{Tus.PATH}/{'0' * 40}")
    part.delete()
    assert_nothing_staged(server)
    assert_counts(server, 0)
