"""The mirror: files that the server fetches from an app's old file domain when a client first asks for them."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from urllib.parse import quote, urlsplit

import pytest
from accounts import unique
from client import ALPHA, Server, assert_refused, eventually, head
from commands import FAILED, credentials_of, lcfile
from data import MISSING, MASTER_ONLY
from elsewhere import Elsewhere, answer, cut_off, endless, held, opening, raw, redirect, silence
from people import Cast
from uploading import Target, Tus, assert_nothing_staged, md5, metadata, must, noise, qetag, tokens

DATA = noise(300_000)
FETCHING = {"LCFILE_FETCH_ALLOWED_NETWORKS": "127.0.0.1/32"}


@pytest.fixture(scope="module")
def old():
    """The server of the old file domain."""
    old = Elsewhere()
    yield old
    old.close()


def mirroring(folder, old, **settings):
    """A server of one app whose files were served before under a path of the old server."""
    settings = FETCHING | {
        "LCFILE_MIRROR_ORIGIN": old.url("/old"), "LCFILE_MIRROR_MAX_SIZE": "1MB", "LCFILE_MIRROR_TIMEOUT": "2",
    } | settings
    return Server(folder, apps=(ALPHA,), **settings).start()


@pytest.fixture(scope="module")
def server(tmp_path_factory, old):
    server = mirroring(tmp_path_factory.mktemp("mirror"), old)
    yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert server.stop() == 0


@pytest.fixture(scope="module")
def api(server):
    return server.api()


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture(scope="module")
def cast(server):
    return Cast(server)


class Place:
    """A key, and what the old server answers for it."""

    def __init__(self, old, reply, name="photo.bin"):
        self.old, self.key = old, f"{unique('k')}/{name}"
        self.path = f"/old/{quote(self.key)}"
        self.say(reply)

    def say(self, reply):
        self.old.answers[self.path] = reply

    @property
    def visits(self):
        return len([visit for visit in self.old.visits if visit.path == self.path])


@pytest.fixture
def place(old):
    return lambda reply, name="photo.bin": Place(old, reply, name)


def get(api, place, query="", method="GET", **headers):
    return api.fetch(f"{api.server.url}/{quote(place.key)}{query}", method, **headers)


def record(api, key):
    """The record of a key; nothing if there is none."""
    results = api.get("/1.1/classes/_File", params={"where": json.dumps({"key": key})}).json()["results"]
    return results[0] if results else None


def assert_not_stored(api, place):
    assert record(api, place.key) is None
    assert_nothing_staged(api.server)


# Unknown keys

@pytest.mark.smoke
def test_unknown_key_is_fetched_once_and_stored(api, place):
    file = place(answer(DATA, type="application/x-thing", ETag=f'"{qetag(DATA)}"'))
    for _ in range(2):
        response = get(api, file)
        assert (response.status_code, response.content) == (200, DATA)
        assert response.headers["Content-Type"] == "application/x-thing"
        assert response.headers["ETag"] == f'"{qetag(DATA)}"'
    assert file.visits == 1
    stored = record(api, file.key)
    assert (stored["name"], stored["mime_type"]) == ("photo.bin", "application/x-thing")
    assert (stored["metaData"]["size"], stored["metaData"]["_checksum"]) == (len(DATA), md5(DATA))
    assert urlsplit(stored["url"]).path == f"/{quote(file.key)}" and not any(name.startswith("_") for name in stored)


@pytest.mark.parametrize("name", ["照片 1.jpg", "a+b%41.bin", "😀?x=1#y.bin"], ids=ascii)
def test_key_is_asked_for_as_urls_spell_it(api, place, name):
    file = place(answer(DATA), name)
    assert get(api, file).content == DATA and file.visits == 1


def test_head_and_range_of_an_unknown_key(api, place):
    file, other = place(answer(DATA)), place(answer(DATA))
    response = get(api, file, method="HEAD")
    assert (response.status_code, response.headers["Content-Length"]) == (200, str(len(DATA)))
    response = get(api, other, Range="bytes=10-19")
    assert (response.status_code, response.content) == (206, DATA[10:20])


def test_image_and_name_of_an_unknown_key(api, place, rocket):
    file, other = place(answer(rocket, type="image/jpeg"), "photo.jpg"), place(answer(DATA))
    assert get(api, file, "?imageView2/2/w/59&v=1").headers["Content-Type"] == "image/jpeg"
    assert get(api, file, "?imageInfo").json()["width"] == 640 and file.visits == 1
    assert "a.bin" in get(api, other, "?attname=a.bin").headers["Content-Disposition"]


def test_concurrent_requests_share_one_fetch(api, place):
    gate = Event()
    file = place(held(DATA, gate))
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(get, server_api, file) for server_api in [api.server.api() for _ in range(8)]]
        assert eventually(lambda: file.visits)
        gate.set()
        assert all(call.result().content == DATA for call in calls)
    assert file.visits == 1


def test_fetch_outlives_its_client(api, place):
    gate = Event()
    file = place(held(DATA, gate))
    with api.server.raw() as connection:
        connection.send(head("GET", f"/{quote(file.key)}", {}))
        assert eventually(lambda: file.visits)
    gate.set()
    assert eventually(lambda: record(api, file.key))
    assert get(api, file).content == DATA and file.visits == 1


def test_redirect_is_followed(api, place, old):
    target = place(answer(DATA))
    file = place(redirect(old.url(target.path)))
    assert get(api, file).content == DATA


def test_detected_type_replaces_none(api, place, rocket):
    file, other = place(answer(rocket), "photo"), place(answer(b"a{}", type="application/octet-stream"), "a.css")
    assert get(api, file).headers["Content-Type"] == "image/jpeg"
    assert get(api, other).headers["Content-Type"] == "text/css"


# Refusals

def test_key_that_the_old_server_lacks_is_remembered(api, place):
    file = place(answer(status=404))
    for _ in range(3):
        assert get(api, file).status_code == 404
    assert file.visits == 1
    assert_not_stored(api, file)


FAILURES = {
    "other hash": answer(DATA, ETag='"FqmZPjZHBoFquj4lcXhQwmyc0Nid"'), "cut off": cut_off(DATA, len(DATA) + 1),
    "status 500": answer(b"no", status=500), "status 403": answer(b"no", status=403), "slow": silence,
    "too large": answer(bytes(1 << 20) + b"x"), "endless": endless, "no answer": raw(b""),
    "encoded": raw(opening(length=len(DATA), Content_Encoding="gzip") + DATA),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("failure", FAILURES)
def test_failure_of_the_old_server_stores_nothing(api, place, failure):
    file = place(FAILURES[failure])
    response = get(api, file)
    assert_refused(response, 502, 502)
    assert int(response.headers["Retry-After"]) > 0
    # It is remembered, so that clients do not make the server ask all the time.
    assert (get(api, file).status_code, file.visits) == (502, 1)
    assert_not_stored(api, file)


def test_private_address_is_refused(new_server, old, place, tmp_path):
    file = place(answer(DATA))
    server = new_server(folder=tmp_path, apps=(ALPHA,), LCFILE_MIRROR_ORIGIN=old.url("/old")).start()
    assert_refused(get(server.api(), file), 502, 502)
    assert file.visits == 0


@pytest.mark.extended
def test_fetches_beyond_the_queue_are_429(new_server, old, place):
    settings = {"LCFILE_MIRROR_ORIGIN": old.url("/old"), "LCFILE_MIRROR_THREADS": "1", "LCFILE_MIRROR_MAX_QUEUED": "0"}
    server = new_server(apps=(ALPHA,), **FETCHING | settings).start()
    gate = Event()
    file, other = place(held(DATA, gate)), place(answer(DATA))
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(get, server.api(), file)
        assert eventually(lambda: file.visits)
        assert_refused(get(server.api(), other), 429, 429)
        gate.set()
        assert call.result().content == DATA
    assert get(server.api(), other).content == DATA


def test_quota_applies(new_server, old, place):
    settings = FETCHING | {"LCFILE_MIRROR_ORIGIN": old.url("/old"), "LCFILE_UPLOADS_QUOTA": "1000"}
    server = new_server(apps=(ALPHA,), **settings).start()
    file = place(answer(DATA))
    assert_refused(get(server.api(), file), 403, 140)
    assert_not_stored(server.api(), file)


@pytest.mark.parametrize("path", ["1.1/nothing", "1/x", "a//b"])
def test_paths_that_are_no_keys_are_not_asked_for(api, old, path):
    before = len(old.visits)
    assert api.fetch(f"{api.server.url}/{path}").status_code == 404
    assert len(old.visits) == before


@pytest.mark.extended
def test_kill_during_a_fetch_leaves_nothing(new_server, old, place):
    settings = FETCHING | {"LCFILE_MIRROR_ORIGIN": old.url("/old")}
    server = new_server(apps=(ALPHA,), **settings).start()
    gate = Event()
    file = place(held(DATA, gate))
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(get, server.api(), file)
        assert eventually(lambda: file.visits)
        server.kill()
        assert call.exception() is not None
    gate.set()
    server.start()
    assert server.blobs() == [] and server.staged() == []
    assert_not_stored(server.api(), file)
    file.say(answer(DATA))
    assert get(server.api(), file).content == DATA


def test_deleted_file_is_not_fetched_again(api, master, place):
    file = place(answer(DATA))
    get(api, file)
    assert master.delete(record(api, file.key)["objectId"]).status_code == 200
    assert get(api, file).status_code == 404 and file.visits == 1


# Records that an import creates before their bytes

CREATED = "2019-05-06T07:08:09.123Z"


def import_record(master, key, data=DATA, **fields):
    body = {"objectId": unique("id"), "key": key, "name": "old name.bin", "createdAt": CREATED, "updatedAt": CREATED}
    body |= {"metaData": {"size": len(data), "_checksum": md5(data), "owner": "u1"}} | fields
    return must(master.post("/1.1/classes/_File", json=body), 201)


def test_missing_record_is_filled_by_its_first_download(api, master, place):
    file = place(answer(DATA, type="image/png"))
    made = import_record(master, file.key, mime_type="text/plain; charset=gbk")
    shown = must(api.get(f"/1.1/files/{made['objectId']}"))
    assert shown["url"] == made["url"] == f"{api.server.url}/{quote(file.key)}" and file.visits == 0
    response = get(api, file)
    assert (response.content, response.headers["Content-Type"]) == (DATA, "text/plain; charset=gbk")
    assert must(api.get(f"/1.1/files/{made['objectId']}")) == shown
    assert shown["updatedAt"] == CREATED and shown["metaData"]["owner"] == "u1"


def test_missing_record_is_filled_by_its_content(api, master, place, rocket):
    file = place(answer(rocket, type="image/jpeg"))
    id = import_record(master, file.key, rocket)["objectId"]
    assert api.get(f"/1.1/files/{id}/content?imageInfo").json()["format"] == "jpeg"


@pytest.mark.parametrize("query", ["", "?imageInfo"])
def test_missing_private_record_is_private_from_its_first_download(new_server, old, place, rocket, query):
    settings = FETCHING | {"LCFILE_MIRROR_ORIGIN": old.url("/old"), "LCFILE_FILES_ACCESS": "acl"}
    server = new_server(apps=(ALPHA,), **settings).start()
    file = place(answer(rocket, type="image/jpeg"))
    owner = {"5ce0bbbbbbbbbbbbbbbbbbb1": {"read": True, "write": True}}
    import_record(server.api(master=True), file.key, rocket, ACL=owner)
    for _ in range(2):
        assert_refused(get(server.api(), file, query), 403, 403)


def test_image_that_waits_for_a_check_is_not_shown_by_its_first_download(new_server, old, place, rocket):
    settings = FETCHING | {"LCFILE_MIRROR_ORIGIN": old.url("/old")}
    server = new_server(apps=(ALPHA,), **settings).start()
    change = server.api(master=True).call("PUT", "/1.1/censorship/settings", json={"auto": True, "hold": True})
    assert change.status_code == 200, change.text
    file = place(answer(rocket, type="image/jpeg"), "photo.jpg")
    for _ in range(2):
        assert get(server.api(), file).status_code == 403
    assert file.visits == 1


@pytest.mark.parametrize("metaData", [{"size": 1}, {"_checksum": MISSING + "0" * 8}, {"size": len(DATA), "_checksum": "0" * 32}], ids=str)
def test_bytes_that_the_record_does_not_describe_are_not_stored(api, master, place, metaData):
    file = place(answer(DATA))
    import_record(master, file.key, metaData=metaData)
    blobs = len(api.server.blobs_at_rest())
    assert_refused(get(api, file), 502, 502)
    assert len(api.server.blobs()) == blobs
    assert_nothing_staged(api.server)


@pytest.mark.parametrize("way", ["token", "tus"])
def test_missing_record_is_filled_by_an_import_with_its_id_and_key(api, master, server, place, way):
    file = place(answer(status=404))
    made = import_record(master, file.key)
    members = {"objectId": made["objectId"], "key": file.key, "createdAt": CREATED}
    if way == "token":
        assert Target(master, must(tokens(master, "new.bin", **members), 201)).put(DATA).status_code == 200
    else:
        tus = Tus(server)
        tus.headers |= {"X-LC-Key": f"{ALPHA.master},master"}
        tus.create(len(DATA), DATA, Upload_Metadata=metadata(filename="new.bin", **members))
    assert get(api, file).content == DATA and file.visits == 0
    assert must(api.get(f"/1.1/files/{made['objectId']}"))["name"] == "new.bin"


def test_missing_record_is_not_filled_under_another_id_or_by_others(api, master, place):
    file = place(answer(status=404))
    made = import_record(master, file.key)
    assert_refused(tokens(master, key=file.key, objectId=unique("id")), 400, 137)
    assert_refused(tokens(master, key=f"{file.key}x", objectId=made["objectId"]), 400, 137)
    assert_refused(master.post("/1.1/files", json={"key": file.key, "name": "x"}), 400, 137)


def test_deleted_missing_record_is_not_fetched(api, master, place):
    file = place(answer(DATA))
    id = import_record(master, file.key)["objectId"]
    assert master.delete(id).status_code == 200
    assert get(api, file).status_code == 404 and file.visits == 0


@pytest.mark.parametrize("way", ["record", "upload"])
def test_import_takes_the_place_of_what_the_mirror_stored(api, master, place, way):
    file = place(answer(DATA))
    get(api, file)
    mirrored = record(api, file.key)["objectId"]
    if way == "record":
        made = import_record(master, file.key)["objectId"]
    else:
        made = unique("id")
        target = Target(master, must(tokens(master, "old name.bin", key=file.key, objectId=made, createdAt=CREATED), 201))
        assert target.put(DATA).status_code == 200
    after = record(api, file.key)
    assert (after["objectId"], after["name"], after["createdAt"]) == (made, "old name.bin", CREATED)
    assert api.get(f"/1.1/files/{mirrored}").status_code == 404
    assert get(api, file).content == DATA and file.visits == 1


@pytest.mark.parametrize("way", ["record", "upload"])
def test_import_of_other_bytes_is_refused(api, master, place, way):
    file = place(answer(DATA))
    get(api, file)
    if way == "record":
        body = {"objectId": unique("id"), "key": file.key, "name": "x", "metaData": {"size": 3}}
        assert master.post("/1.1/classes/_File", json=body).status_code == 400
    else:
        target = Target(master, must(tokens(master, key=file.key, objectId=unique("id")), 201))
        assert target.put(b"abc").status_code in (400, 409)
    assert get(api, file).content == DATA


def test_clients_create_no_missing_record(api, cast, master):
    for caller in (api, cast.owner):
        made = must(caller.post("/1.1/classes/_File", json={"key": unique("k"), "name": "x"}), 201)
        assert "key" not in must(master.get(f"/1.1/files/{made['objectId']}"))


@pytest.mark.parametrize("fields", [{"key": "1.1/x"}, {"key": ""}, {"key": "a//b"}, {"metaData": 1}, {"name": ".."}], ids=str)
def test_invalid_missing_record_is_refused(master, fields):
    body = {"key": unique("k"), "name": "x"} | fields
    assert master.post("/1.1/classes/_File", json=body).status_code == 400


def test_app_without_a_mirror_has_no_missing_records(new_server):
    server = new_server(apps=(ALPHA,)).start()
    master = server.api(master=True)
    assert_refused(master.post("/1.1/classes/_File", json={"key": "k", "name": "x"}), 400, 1, "mirror.origin")
    assert_refused(master.get("/1.1/mirror"), 400, 119, "mirror.origin")
    result = lcfile("mirror", "status", **credentials_of(server.url, master=ALPHA.master))
    assert (result.returncode, result.stdout) == (FAILED, "")


# The status

@pytest.mark.extended
def test_status_counts(new_server, old, place):
    server = new_server(apps=(ALPHA,), **FETCHING | {"LCFILE_MIRROR_ORIGIN": old.url("/old")}).start()
    api, master = server.api(), server.api(master=True)
    files = [place(answer(DATA)) for _ in range(4)]
    for file in files[:3]:
        import_record(master, file.key)
    get(api, files[0])
    get(api, files[3])
    get(api, place(answer(status=404)))
    get(api, place(answer(status=500)))
    status = {
        "origin": old.url("/old"), "missing": 2, "missingBytes": 2 * len(DATA), "mirrored": 2, "created": 1, "failed": 1,
    }
    assert must(master.get("/1.1/mirror")) == status
    command = lambda *arguments: lcfile("mirror", "status", *arguments, **credentials_of(server.url, master=ALPHA.master))
    assert json.loads(command("--json").stdout) == status
    lines = command().stdout.splitlines()
    assert lines[0] == f"origin        {old.url('/old')}" and "2 files, 586 KiB" in lines[1]
    metrics = api.fetch(f"http://127.0.0.1:{server.metrics_port}/metrics").text
    for result, count in {"stored": 2, "not_found": 1, "failed": 1}.items():
        assert f'lcfile_mirror_fetches_total{{app="{ALPHA.id}",result="{result}"}} {count}' in metrics


def test_status_is_for_the_master_key(api, cast):
    for caller in (api, cast.owner):
        assert_refused(caller.get("/1.1/mirror"), 403, 119, MASTER_ONLY)
