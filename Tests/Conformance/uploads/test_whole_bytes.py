"""Nothing is served that was not checked: sizes, checksums, and the names that bytes get by their hash."""

import json
import zlib

import pytest
from cases import covering
from client import assert_refused
from uploading import (
    BLOCK, MB, TOKEN_WAYS, WAYS, Tus, ask, assert_file, assert_kodo_error, assert_no_file, assert_xml_error, b64,
    content_md5, md5, metadata, must, noise, own_server, qetag, record_of,
)

DATA = noise(100_000)
SIZES = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 9 * MB]
NOT_THE_SIZE = (400, 413, 701)
KODO = ["kodo form", "kodo v1", "kodo v2"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    yield from own_server(tmp_path_factory)


@pytest.fixture(scope="module")
def api(server):
    return server.api()


# The announced size

def send(target, way, data):
    calls = {"s3": "put", "kodo form": "form", "kodo v1": "v1", "kodo v2": "v2", "cos form": "cos"}
    return getattr(target, calls[way])(data)


@pytest.mark.parametrize("way", TOKEN_WAYS)
def test_bytes_of_the_announced_size_are_taken(api, way):
    target = ask(api, len(DATA))
    assert send(target, way, DATA).status_code == 200
    assert_file(api, target.id, DATA)


@pytest.mark.few(3)
@pytest.mark.parametrize("way, wrong", covering(TOKEN_WAYS, [0, 1, len(DATA) - 1, len(DATA) + 1, 1 << 31], times=2))
def test_bytes_of_another_size_than_announced_are_refused(api, way, wrong):
    target = ask(api, wrong)
    assert send(target, way, DATA).status_code in NOT_THE_SIZE
    assert_no_file(api, target)


@pytest.mark.few(3)
@pytest.mark.parametrize("way", TOKEN_WAYS)
def test_right_bytes_are_taken_after_wrong_ones(api, way):
    target = ask(api, len(DATA))
    assert send(target, way, DATA[:-1]).status_code in NOT_THE_SIZE
    assert send(target, way, DATA).status_code == 200
    assert_file(api, target.id, DATA)


@pytest.mark.few(3)
@pytest.mark.parametrize("size", ["5", 5.5, -1, True, None, [5], 1e30])
def test_size_that_is_no_whole_number_announces_nothing(api, size):
    target = ask(api, metaData={"size": size})
    assert "size" not in must(target.progress())
    assert target.put(DATA).status_code == 200
    assert_file(api, target.id, DATA)


def test_size_that_is_a_whole_number_with_a_point_counts(api):
    target = ask(api, metaData={"size": 5.0})
    assert target.put(b"five!").status_code == 200
    assert_file(api, target.id, b"five!")


def test_announced_size_over_the_limit_is_refused_with_the_token(api):
    assert_refused(api.post("/1.1/fileTokens", json={"name": "x", "metaData": {"size": (5 << 30) + 1}}), 413, 413)


# Content-MD5

MALFORMED = ["x", "!!!!", b64(bytes(15)), b64(bytes(17)), md5(DATA) + "=", "=" * 24]


@pytest.mark.smoke
def test_right_content_md5_of_a_put(api):
    target = ask(api)
    assert target.put(DATA, **content_md5(DATA)).status_code == 200
    assert_file(api, target.id, DATA)


@pytest.mark.few(3)
@pytest.mark.parametrize("value", [*content_md5(b"other").values(), *MALFORMED])
def test_wrong_content_md5_of_a_put_keeps_nothing(api, value):
    target = ask(api)
    assert_xml_error(target.put(DATA, Content_MD5=value), 400)
    assert_no_file(api, target)
    assert target.put(DATA, **content_md5(DATA)).status_code == 200
    assert_file(api, target.id, DATA)


def test_right_content_md5_of_a_raw_body(api):
    id, _ = WAYS["raw"](api, DATA, headers=content_md5(DATA))
    assert_file(api, id, DATA)


@pytest.mark.parametrize("value", [*content_md5(b"other").values(), *MALFORMED])
def test_wrong_content_md5_of_a_raw_body_keeps_nothing(api, value):
    before = api.count()
    assert_refused(api.store_raw(DATA, "x.bin", headers={"Content-MD5": value}), 400, 1)
    assert api.count() == before


def test_right_content_md5_of_a_part(api):
    target = ask(api)
    id = target.begin()
    answer = must(target.part(id, 1, DATA, **content_md5(DATA)))
    assert answer["md5"] == md5(DATA)
    assert target.finish(id, [(1, answer["etag"])]).status_code == 200
    assert_file(api, target.id, DATA)


@pytest.mark.parametrize("value, status", [
    *((value, 406) for value in content_md5(b"other").values()), *((value, 400) for value in MALFORMED),
])
def test_wrong_content_md5_of_a_part_keeps_nothing_of_it(api, value, status):
    target = ask(api)
    id = target.begin()
    assert_kodo_error(target.part(id, 1, DATA, Content_MD5=value), status)
    assert target.finish(id, [(1, md5(DATA))]).status_code == 701
    etag = must(target.part(id, 1, DATA))["etag"]
    assert target.finish(id, [(1, etag)]).status_code == 200
    assert_file(api, target.id, DATA)


def test_mismatch_of_a_part_is_406(api):
    target = ask(api)
    assert_kodo_error(target.part(target.begin(), 1, DATA, **content_md5(b"other")), 406)


def test_wrong_content_md5_of_a_replacement_leaves_no_wrong_bytes(api):
    target, other = ask(api), noise(len(DATA), "other")
    id = target.begin()
    etag = must(target.part(id, 1, DATA))["etag"]
    assert_kodo_error(target.part(id, 1, other, **content_md5(DATA)), 406)
    if target.finish(id, [(1, etag)]).status_code != 200:
        assert target.finish(id, [(1, must(target.part(id, 1, DATA))["etag"])]).status_code == 200
    assert_file(api, target.id, DATA)


# metaData._checksum

NAMES = [way for way in WAYS if way != "raw"]
MISMATCH = {"form": 400, "s3": 400, "tus": 460, "cos form": 406} | dict.fromkeys(KODO, 406)


@pytest.mark.parametrize("way", NAMES)
def test_right_checksum_of_the_client(api, way):
    id, _ = WAYS[way](api, DATA, metaData={"_checksum": md5(DATA)})
    assert assert_file(api, id, DATA)["metaData"]["_checksum"] == md5(DATA)


@pytest.mark.parametrize("way", NAMES)
def test_wrong_checksum_of_the_client_keeps_nothing(api, way):
    before = api.count()
    id, response = WAYS[way](api, DATA, metaData={"_checksum": md5(b"other")})
    assert (response.status_code, record_of(api, id)) == (MISMATCH[way], None)
    assert api.count() == before


@pytest.mark.extended
def test_checksum_of_a_large_file_is_compared_and_kept(api):
    data = noise(65 * MB)
    target = ask(api, metaData={"_checksum": md5(data)})
    assert target.v2(data, 16 * MB).status_code == 200
    assert assert_file(api, target.id, data)["metaData"]["_checksum"] == md5(data)
    wrong = ask(api, metaData={"_checksum": md5(b"other")})
    assert wrong.v2(data, 16 * MB).status_code == 406
    assert_no_file(api, wrong)


@pytest.mark.extended
def test_large_file_without_an_announced_checksum_has_none(api):
    data = noise(65 * MB)
    target = ask(api)
    assert target.put(data).status_code == 200
    assert "_checksum" not in assert_file(api, target.id, data)["metaData"]


def test_checksum_of_parts_in_any_order_is_that_of_the_file(api):
    data = noise(3 * MB)
    target = ask(api, metaData={"_checksum": md5(data)})
    id = target.begin()
    etags = {number: must(target.part(id, number, data[(number - 1) * MB : number * MB]))["etag"] for number in (3, 1, 2)}
    assert target.finish(id, sorted(etags.items())).status_code == 200
    assert_file(api, target.id, data)


# CRC-32 of the form

def test_right_crc_of_the_form(api):
    target = ask(api)
    assert target.form(DATA, {"crc32": str(zlib.crc32(DATA))}).status_code == 200
    assert_file(api, target.id, DATA)


@pytest.mark.parametrize("value, status", [
    (str(zlib.crc32(b"other")), 406), ("x", 400), ("-1", 400), (str(1 << 32), 400), (f"{zlib.crc32(DATA):08x}z", 400),
])
def test_wrong_crc_of_the_form_keeps_nothing(api, value, status):
    target = ask(api)
    assert_kodo_error(target.form(DATA, {"crc32": value}), status)
    assert_no_file(api, target)
    assert target.form(DATA, {"crc32": str(zlib.crc32(DATA))}).status_code == 200
    assert_file(api, target.id, DATA)


def test_crc_may_follow_the_bytes_or_come_before(api):
    for order in (1, -1):
        target = ask(api)
        parts = [("crc32", (None, str(zlib.crc32(b"other")))), ("token", (None, target.token)), ("file", ("x", DATA))]
        assert target.call("POST", files=parts[::order]).status_code == 406
        assert_no_file(api, target)


# The hash

@pytest.fixture(scope="module")
def bodies():
    return {size: noise(size, "hash") for size in SIZES}


@pytest.mark.few(3)
@pytest.mark.parametrize("way, size", covering(WAYS, SIZES))
def test_etag_of_every_file_is_its_hash(api, bodies, way, size):
    id, _ = WAYS[way](api, bodies[size])
    assert_file(api, id, bodies[size])


@pytest.mark.parametrize("size", SIZES)
def test_put_answers_the_etag(api, bodies, size):
    answer = ask(api, size).put(bodies[size])
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["ETag"] == f'"{md5(bodies[size])}"'


@pytest.mark.parametrize("way, size", covering(KODO, SIZES))
def test_kodo_answers_the_hash(api, bodies, way, size):
    target = ask(api, size)
    answer = send(target, way, bodies[size])
    assert must(answer) == {"hash": qetag(bodies[size]), "key": target.key}
    assert answer.headers["X-Reqid"]
    assert answer.headers["Content-Type"].startswith("application/json")


@pytest.mark.few(3)
@pytest.mark.parametrize("step", [MB, MB + 1, 3 * MB, BLOCK, 5 * MB])
def test_hash_does_not_depend_on_the_size_of_parts(api, bodies, step):
    data = bodies[9 * MB]
    assert must(ask(api).v2(data, step))["hash"] == qetag(data)


@pytest.mark.parametrize("step", [1, 1000, BLOCK - 1, BLOCK, BLOCK + 1])
def test_etag_does_not_depend_on_the_size_of_patches(server, api, bodies, step):
    data = bodies[9 * MB][: max(step * 3 + 1, 4)]
    upload = Tus(server).create(len(data))
    upload.go_on(data, step)
    assert_file(api, upload.id, data)


def test_etag_of_a_file_made_of_partial_ones(server, api, bodies):
    tus, data = Tus(server), bodies[9 * MB]
    places = [
        tus.create(len(part), data=part, Upload_Concat="partial").path for part in (data[: 5 * MB], data[5 * MB :])
    ]
    said = metadata(metaData=json.dumps({"_checksum": md5(data)}))
    answer = tus.post(Upload_Concat="final;" + " ".join(places), Upload_Metadata=said)
    assert answer.status_code == 201
    assert_file(api, answer.headers["X-LC-Object-Id"], data)
