"""Who may call: keys, signatures, old header names, the text/plain tunnel, and apps that are wholly apart."""

import hashlib
import json

import pytest
from client import ALPHA, API, BETA, TIMEOUT, assert_refused, credentials

LIST = "/1.1/files?limit=1"
# Deleting what is not there tells the two roles apart: the master key may, the app key may not.
MISSING = "/1.1/files/000000000000000000000000"


def sign(key, moment, *more):
    return ",".join([hashlib.md5(f"{moment}{key}".encode()).hexdigest(), str(moment), *more])


def status(server, headers, method="DELETE", path=MISSING):
    caller = API(server, ALPHA, {})
    caller.headers = {}
    return caller.call(method, path, headers=headers).status_code


AS_CLIENT = {
    "key": {"X-LC-Id": ALPHA.id, "X-LC-Key": ALPHA.key},
    "lower-case names": {"x-lc-id": ALPHA.id, "x-lc-key": ALPHA.key},
    "signature of the reference": {"X-LC-Id": ALPHA.id, "X-LC-Sign": "7ab8e6e21594aeea1ca2dd7c62cb8b4d,1700000000000"},
    "signature in seconds": {"X-LC-Id": ALPHA.id, "X-LC-Sign": "b6a888135377de5dd320fde8f341e598,1700000000"},
    "signature of any text": {"X-LC-Id": ALPHA.id, "X-LC-Sign": sign(ALPHA.key, "007")},
    "AVOSCloud key": {"X-AVOSCloud-Application-Id": ALPHA.id, "X-AVOSCloud-Application-Key": ALPHA.key},
    "AVOSCloud signature": {"X-AVOSCloud-Application-Id": ALPHA.id, "X-AVOSCloud-Request-Sign": sign(ALPHA.key, 1)},
    "Uluru key": {"X-Uluru-Application-Id": ALPHA.id, "X-Uluru-Application-Key": ALPHA.key},
    "mixed names": {"X-LC-Id": ALPHA.id, "X-Uluru-Application-Key": ALPHA.key},
    "empty session": {"X-LC-Id": ALPHA.id, "X-LC-Key": ALPHA.key, "X-LC-Session": "", "X-LC-Prod": "0"},
}
AS_MASTER = {
    "key": {"X-LC-Id": ALPHA.id, "X-LC-Key": f"{ALPHA.master},master"},
    "signature of the reference": {
        "X-LC-Id": ALPHA.id, "X-LC-Sign": "cbc1badd726630ea16ae4a6d1af9c264,1700000000000,master",
    },
    "bare AVOSCloud master key": {"X-AVOSCloud-Application-Id": ALPHA.id, "X-AVOSCloud-Master-Key": ALPHA.master},
    "bare Uluru master key": {"X-Uluru-Application-Id": ALPHA.id, "X-Uluru-Master-Key": ALPHA.master},
    "AVOSCloud key,master": {
        "X-AVOSCloud-Application-Id": ALPHA.id, "X-AVOSCloud-Application-Key": f"{ALPHA.master},master",
    },
}
AS_NOBODY = {
    "nothing": {},
    "id only": {"X-LC-Id": ALPHA.id},
    "key only": {"X-LC-Key": ALPHA.key},
    "unknown app": {"X-LC-Id": "unknownApp", "X-LC-Key": ALPHA.key},
    "app that is a path": {"X-LC-Id": "../" + ALPHA.id, "X-LC-Key": ALPHA.key},
    "wrong key": {"X-LC-Id": ALPHA.id, "X-LC-Key": ALPHA.key + "x"},
    "empty key": {"X-LC-Id": ALPHA.id, "X-LC-Key": ""},
    "only ,master": {"X-LC-Id": ALPHA.id, "X-LC-Key": ",master"},
    "app key as master key": {"X-LC-Id": ALPHA.id, "X-LC-Key": f"{ALPHA.key},master"},
    "bare master key in Key": {"X-LC-Id": ALPHA.id, "X-LC-Key": ALPHA.master},
    "app key as bare master key": {"X-LC-Id": ALPHA.id, "X-AVOSCloud-Master-Key": ALPHA.key},
    "key of another app": {"X-LC-Id": ALPHA.id, "X-LC-Key": BETA.key},
    "master key of another app": {"X-LC-Id": ALPHA.id, "X-LC-Key": f"{BETA.master},master"},
    "upper-case signature": {"X-LC-Id": ALPHA.id, "X-LC-Sign": "7AB8E6E21594AEEA1CA2DD7C62CB8B4D,1700000000000"},
    "signature of another moment": {"X-LC-Id": ALPHA.id, "X-LC-Sign": "7ab8e6e21594aeea1ca2dd7c62cb8b4d,1700000000001"},
    "app key signed as master": {"X-LC-Id": ALPHA.id, "X-LC-Sign": sign(ALPHA.key, 1, "master")},
    "master key signed as app": {"X-LC-Id": ALPHA.id, "X-LC-Sign": sign(ALPHA.master, 1)},
    "third word that is not master": {"X-LC-Id": ALPHA.id, "X-LC-Sign": sign(ALPHA.master, 1, "admin")},
    "signature without a moment": {"X-LC-Id": ALPHA.id, "X-LC-Sign": hashlib.md5(ALPHA.key.encode()).hexdigest()},
}


@pytest.mark.parametrize("headers", AS_CLIENT.values(), ids=AS_CLIENT)
def test_app_key_reads_and_may_not_delete(server, headers):
    assert status(server, headers, "GET", LIST) == 200
    assert status(server, headers) == 403


@pytest.mark.parametrize("headers", AS_MASTER.values(), ids=AS_MASTER)
def test_master_key_may_delete(server, headers):
    assert status(server, headers) == 200


@pytest.mark.parametrize("method, path", [("GET", LIST), ("GET", MISSING), ("DELETE", MISSING), ("POST", "/1.1/files/x")])
@pytest.mark.parametrize("headers", AS_NOBODY.values(), ids=AS_NOBODY)
def test_everyone_else_is_refused_in_one_way(server, headers, method, path):
    caller = API(server, ALPHA, {})
    caller.headers = {}
    response = caller.call(method, path, headers=headers)
    assert response.status_code == 401
    assert response.json() == {"code": 401, "error": "Unauthorized."}


def test_wrong_key_with_a_large_body_gets_its_answer(server):
    caller = API(server, ALPHA, {"X-LC-Key": "wrong-wrong"})
    before = server.staged()
    assert caller.store_raw(b"x" * (8 << 20), "x.bin").json() == {"code": 401, "error": "Unauthorized."}
    assert server.staged() == before


# The tunnel

@pytest.fixture
def tunnel(server):
    caller = API(server, ALPHA, {})
    caller.headers = {"Content-Type": "text/plain;charset=UTF-8"}

    def send(path, body, app=ALPHA, **fields):
        named = {"_ApplicationId": app.id, "_ApplicationKey": app.key} if app else {}
        data = body if isinstance(body, bytes) else json.dumps(named | body | fields).encode()
        return caller.post(path, data=data)

    return send


@pytest.mark.smoke
def test_tunnelled_get_has_its_query_in_the_body(tunnel, api):
    newest = api.store(b"x", name="x.txt")
    response = tunnel("/1.1/classes/_File", {
        "_method": "GET", "limit": 1, "order": "-createdAt", "count": 1, "_ClientVersion": "js0.5",
    })
    assert response.status_code == 200
    assert response.json() == {"results": [newest], "count": api.count()}


def test_tunnelled_query_values_are_escaped(tunnel, api):
    record = api.store(b"x", name="a&limit=0&where={}#%中文+?.txt")
    assert tunnel("/1.1/files", {"_method": "GET", "where": {"name": record["name"]}}).json() == {"results": [record]}


def test_tunnelled_delete_takes_the_master_key(tunnel, api):
    id = api.store(b"x", name="x.txt")["objectId"]
    response = tunnel(f"/1.1/files/{id}", {"_method": "DELETE", "_ApplicationId": ALPHA.id, "_MasterKey": ALPHA.master}, app=None)
    assert (response.status_code, response.json()) == (200, {})
    assert api.get(f"/1.1/files/{id}").status_code == 404


@pytest.mark.smoke
def test_tunnelled_delete_with_the_app_key_is_forbidden(tunnel, api):
    id = api.store(b"x", name="x.txt")["objectId"]
    assert_refused(tunnel(f"/1.1/files/{id}", {"_method": "delete"}), 403, 403)
    assert api.get(f"/1.1/files/{id}").status_code == 200


def test_tunnel_without_keys_is_unauthorized(tunnel):
    response = tunnel("/1.1/files", {"_method": "GET"}, app=None)
    assert (response.status_code, response.json()) == (401, {"code": 401, "error": "Unauthorized."})


@pytest.mark.parametrize("body", [b"", b"{", b"not json", b"[1]", b"\xff"])
def test_tunnel_with_bad_json_is_107(tunnel, body):
    assert_refused(tunnel("/1.1/files", body), 400, 107)


@pytest.mark.parametrize("fields", [{"_method": "BREW"}, {"_method": "GET\r\nX: 1"}, {"_SessionToken": "a\r\nX-LC-Id: b"}])
def test_tunnel_cannot_smuggle(tunnel, fields):
    assert_refused(tunnel("/1.1/files", {"_method": "GET"} | fields), 400, 1)


def test_text_with_keys_in_headers_is_a_tunnel_beside_files(api, things):
    text = json.dumps({"_method": "GET", "where": {"n": 2}})
    second = [things.create(n=n) for n in (1, 2)][1]
    response = api.post(things.path, data=text, headers={"Content-Type": "text/plain"})
    assert response.json() == {"results": [things.get(second).json()]}


def test_fields_that_steer_the_tunnel_are_not_stored(api, things):
    control = {
        "_method": "POST", "_ApplicationId": ALPHA.id, "_ApplicationKey": ALPHA.key, "_ApplicationProduction": "1",
        "_ClientVersion": "js0.5", "_InstallationId": "x", "_SessionToken": "", "_MasterKey": ALPHA.master,
    }
    for headers in (api.headers, {}):
        response = api.session.post(
            api.server.url + things.path, data=json.dumps(control | {"n": 1}), timeout=TIMEOUT,
            headers=headers | {"Content-Type": "text/plain"},
        )
        assert response.status_code == 201, response.text
        assert things.read(response.json()["objectId"]) == {"n": 1}


def test_text_file_with_keys_in_headers_is_no_tunnel(api):
    record = api.store_raw(b"just text", "x.txt", headers={"Content-Type": "text/plain"}).json()
    assert api.fetch(record["url"]).content == b"just text"


# Two apps

NEWEST = "/1.1/files?limit=1000&order=-createdAt"


def test_lists_of_two_apps_are_apart(api, beta):
    mine, theirs = (caller.store(b"x", name="x.txt")["objectId"] for caller in (api, beta))
    listed = [{record["objectId"] for record in caller.get(NEWEST).json()["results"]} for caller in (api, beta)]
    assert mine in listed[0] and theirs in listed[1]
    assert listed[0].isdisjoint(listed[1])


def test_record_of_one_app_is_not_found_by_the_other(api, beta):
    assert_refused(beta.get(f"/1.1/files/{api.store(b'x', name='x')['objectId']}"), 404, 101)


def test_master_of_one_app_deletes_nothing_of_the_other(api, server):
    record = api.store(b"x", name="x.txt")
    server.api(BETA, master=True).delete(record["objectId"])
    assert api.get(f"/1.1/files/{record['objectId']}").json() == record
    assert api.fetch(record["url"]).content == b"x"


@pytest.mark.disk
def test_bytes_of_each_app_lie_in_its_own_folder(api, beta, server):
    before = {app: len(server.blobs_at_rest(app)) for app in (ALPHA, BETA)}
    beta.store(b"only beta's", name="x.txt")
    assert len(server.blobs(ALPHA)) == before[ALPHA]
    assert len(server.blobs(BETA)) == before[BETA] + 1


# Browsers

@pytest.mark.parametrize("path", ["/1.1/files", "/1.1/classes/_File", "/1.1/files/some.jpg"])
def test_preflight_allows_what_the_sdks_send(server, api, path):
    response = api.session.options(server.url + path, headers={
        "Origin": "https://app.example.com", "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "x-lc-id,x-lc-sign,content-type",
    })
    allowed = {name.strip().lower() for name in response.headers["Access-Control-Allow-Headers"].split(",")}
    methods = {name.strip() for name in response.headers["Access-Control-Allow-Methods"].split(",")}
    assert response.status_code == 204
    assert response.headers["Access-Control-Allow-Origin"] in ("*", "https://app.example.com")
    assert methods == {"HEAD", "GET", "POST", "PUT", "DELETE", "OPTIONS"}
    assert response.headers["Access-Control-Max-Age"] == "86400"
    assert allowed >= {
        "content-type", "x-lc-id", "x-lc-key", "x-lc-sign", "x-lc-session", "x-lc-prod", "x-lc-ua", "x-lc-hook-key",
        "x-requested-with", "x-avoscloud-application-id", "x-avoscloud-application-key", "x-avoscloud-master-key",
        "x-avoscloud-request-sign", "x-avoscloud-session-token", "x-avoscloud-application-production",
        "x-avoscloud-client-version", "x-avoscloud-super-key", "x-uluru-application-id", "x-uluru-application-key",
        "x-uluru-master-key", "x-uluru-session-token", "x-uluru-application-production", "x-uluru-client-version",
    }


@pytest.mark.parametrize("headers, expected", [(credentials(), 200), ({}, 401), (credentials() | {"X-LC-Key": "x"}, 401)])
def test_browser_may_read_answers_and_refusals(server, headers, expected):
    caller = API(server, ALPHA, {})
    caller.headers = {}
    response = caller.call("GET", LIST, headers=headers | {"Origin": "https://app.example.com"})
    assert response.status_code == expected
    assert response.headers["Access-Control-Allow-Origin"] in ("*", "https://app.example.com")
