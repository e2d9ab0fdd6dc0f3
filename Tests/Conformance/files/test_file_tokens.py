"""POST /fileTokens and /fileCallback: what they answer, which keys they take, and when a file comes into being."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from cases import covering
from client import ALPHA, API, BETA, TIMEOUT, Server, assert_refused
from data import ID, TIME, assert_400, send
from people import Person, assert_forbidden, forbidden
from qiniu.zone import Zone
from replays import assert_not_saved, assert_saved, md5, random_hex, random_word, serving
from starting import SETTING, assert_does_not_start
from uploading import ask_for_tokens as post

ALNUM = "[0-9a-zA-Z]"
ROUTES = ["/1.1/fileTokens", "/1/fileTokens", "/1.1/qiniu"]
JS_AGENT = {"X-LC-UA": "LeanCloud-JS-SDK/4.15.3 (Browser)"}


def ask(api, **fields):
    """Tokens that must be given."""
    response = post(api, **fields)
    assert response.status_code == 201, response.text
    return response.json()


def put(api, tokens, data):
    """Sends the bytes without credentials."""
    return api.session.put(tokens["upload_url"], data=data, timeout=TIMEOUT)


def finish(api, tokens, data=b"some bytes"):
    response = put(api, tokens, data)
    assert response.status_code == 200, response.text
    return assert_saved(api.server, tokens, data)


def call_back(api, **fields):
    response = api.post("/1.1/fileCallback", json=fields)
    assert (response.status_code, response.json()) == (200, {})


# The answer

@pytest.mark.parametrize("path", ROUTES)
def test_answer_is_whole_and_exact(api, server, path):
    response = post(api, path, name="photo.png", metaData={"size": 3})
    tokens = response.json()
    assert response.status_code == 201
    assert response.headers["Content-Type"] == "application/json;charset=utf-8"
    assert ID.fullmatch(tokens["objectId"]) and TIME.fullmatch(tokens["createdAt"])
    assert re.fullmatch(rf"{ALNUM}{{32}}\.png", tokens["key"]) and re.fullmatch(f"{ALNUM}{{40}}", tokens["token"])
    assert tokens == {
        "objectId": tokens["objectId"],
        "createdAt": tokens["createdAt"],
        "name": "photo.png",
        "key": tokens["key"],
        "url": f"{server.url}/{tokens['key']}",
        "bucket": ALPHA.id[:8],
        "mime_type": "image/png",
        "provider": "s3",
        "token": tokens["token"],
        "upload_url": f"{server.url}/1.1/upload/{tokens['token']}",
    }


@pytest.mark.smoke
def test_record_is_what_the_answer_said(api):
    acl = {"*": {"read": True}}
    tokens = ask(api, metaData={"size": 10, "width": 640, "标签": ["a", None]}, ACL=acl)
    record = finish(api, tokens)
    assert (record["metaData"]["width"], record["metaData"]["标签"]) == (640, ["a", None])
    master = api.server.api(master=True)
    shown = master.get(f"/1.1/files/{tokens['objectId']}", params={"returnACL": "true"}).json()
    assert (shown["ACL"], shown["updatedAt"]) == (acl, tokens["createdAt"])


def test_answer_of_another_app_has_its_bucket(beta):
    tokens = ask(beta)
    assert tokens["bucket"] == BETA.id[:8]
    assert put(beta, tokens, b"beta").status_code == 200
    assert_saved(beta.server, tokens, b"beta", BETA)


def test_token_of_qiniu_is_one_that_its_own_sdk_reads(api):
    tokens = ask(api, agent=JS_AGENT)
    bucket, secret, policy = tokens["token"].split(":")
    assert (bucket, secret) == (tokens["bucket"], tokens["upload_url"][-40:])
    assert Zone().unmarshal_up_token(tokens["token"]) == (bucket, tokens["bucket"])
    assert tokens["provider"] == "qiniu" and policy


def test_everything_secret_is_different_each_time(api):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ask(api), range(40)))
    for field in ("token", "key", "objectId", "upload_url"):
        assert len({tokens[field] for tokens in answers}) == 40
    # Neither tells of the other, nor of its neighbours: with 62 letters no two begin alike.
    assert len({word[:8] for tokens in answers for word in (tokens["token"], tokens["key"])}) == 80
    assert not any(tokens["key"][:8] in tokens["token"] for tokens in answers)


def test_token_is_kept_nowhere_as_it_is(api, server):
    token = ask(api)["token"].encode()
    files = [path for path in (server.storage / ALPHA.id).rglob("*") if path.is_file()]
    assert files and not [path for path in files if token in path.read_bytes()]


@pytest.mark.parametrize("change", [
    lambda url: url[:-1] + ("a" if url[-1] != "a" else "b"), lambda url: url[:-1], lambda url: url + "a",
    lambda url: url[:-40] + random_word(40), lambda url: url[:-40],
], ids=["another letter", "shorter", "longer", "guessed", "none"])
def test_other_token_uploads_nothing(api, change):
    tokens = ask(api)
    assert put(api, {"upload_url": change(tokens["upload_url"])}, b"foreign").status_code == 404
    assert_not_saved(api.server, tokens)


# Who may ask

def test_tokens_need_credentials(server):
    caller = API(server, ALPHA, {"X-LC-Key": "wrong-wrong"})
    for path in [*ROUTES, "/1.1/fileCallback"]:
        assert_refused(post(caller, path), 401, 401)


@pytest.mark.parametrize("caller", ["guest", "user", "master"])
@pytest.mark.parametrize("path", ROUTES)
def test_tokens_are_for_whom_create_is_open(server, master, rules, path, caller):
    callers = {"guest": server.api(), "user": Person(server), "master": master}
    rules.set("_File", create=["users"])
    response = post(callers[caller], path)
    if caller == "guest":
        assert_forbidden(response, forbidden("create", "_File"))
    else:
        assert response.status_code == 201


def test_whoever_lost_the_right_meanwhile_finishes_nothing(server, rules, api):
    tokens = ask(api)
    rules.set("_File", create=[])
    assert put(api, tokens, b"too late").status_code == 403
    assert_not_saved(server, tokens)


@pytest.mark.parametrize("who", ["guest", "user"])
def test_owner_is_who_asked_unless_it_is_said(server, who):
    person = Person(server)
    caller, owner = (person, person.id) if who == "user" else (server.api(), "unknown")
    assert finish(caller, ask(caller))["metaData"]["owner"] == owner
    assert finish(caller, ask(caller, metaData={"owner": "me"}))["metaData"]["owner"] == "me"


# Keys

@pytest.mark.few(2)
@pytest.mark.parametrize("letters, count, tail", [
    pytest.param(random_hex, 16, "", id="JS 0.3"),
    pytest.param(random_hex, 16, ".txt", id="JS 0.5"),
    pytest.param(random_hex, 20, ".txt", id="JS"),
    pytest.param(random_hex, 20, "", id="JS without an extension"),
    pytest.param(random_hex, 20, "/我的 note.txt", id="JS with the name"),
    pytest.param(random_hex, 32, ".txt", id="ObjC and Swift"),
    pytest.param(random_hex, 32, "", id="ObjC and Swift without an extension"),
    pytest.param(random_word, 40, ".txt", id="Java and CLI"),
    pytest.param(random_word, 40, "", id="Java and CLI without an extension"),
    pytest.param(random_word, 40, "/我的 note.txt", id="Java with the name"),
])
def test_key_like_those_of_old_sdks_is_taken(api, server, letters, count, tail):
    key = letters(count) + tail
    # With keep_file_name the key ends in the file's name.
    tokens = ask(api, key=key, name=tail.removeprefix("/") if "/" in tail else "note.txt")
    assert (tokens["key"], tokens["url"]) == (key, f"{server.url}/{quote(key)}")
    finish(api, tokens)


@pytest.mark.few(2)
@pytest.mark.parametrize("tail, name", [
    (".txt", "resume.txt"), (".other", "resume.txt"), ("", "README"), ("/我的 note.txt", "我的 note.txt"),
    (".2 (final version of the whole document)", "v1.2 (final version of the whole document)"),
])
@pytest.mark.parametrize("letters, count", [
    pytest.param(random_hex, 20, id="JS"), pytest.param(random_hex, 32, id="Swift"), pytest.param(random_word, 40, id="Java"),
])
def test_name_that_is_kept_follows_the_random_part_of_the_key(api, server, letters, count, tail, name):
    random = letters(count)
    tokens = ask(api, key=random + tail, name=name, keep_file_name=True)
    assert (tokens["key"], tokens["url"]) == (f"{random}/{name}", f"{server.url}/{quote(tokens['key'])}")
    finish(api, tokens)


@pytest.mark.parametrize("tail, name", [
    (".二零二四年第一季度工作总结", "2.二零二四年第一季度工作总结"), (".", "foo."), (".JPG?id=1&ext=JPG", "a.JPG?id=1&ext=JPG"), (".b#c", "a.b#c"),
    (".2 (final version of the whole document)", "v1.2 (final version of the whole document)"),
])
def test_odd_extension_of_javascript_is_left_out_of_the_key(api, tail, name):
    random = random_hex(20)
    tokens = ask(api, key=random + tail, name=name)
    assert (tokens["key"], tokens["name"]) == (random, name)
    finish(api, tokens)


@pytest.mark.parametrize("key", [
    "robots.txt", "a", "note.txt", "0123456789abcdef0.txt", "0123456789abcdef012.txt", "0123456789abcdefg123.txt",
    "0" * 31, "0" * 41, "0" * 39 + "-", "0123456789abcdef0123/a/note.txt", "0123456789abcdef0123/", "/0123456789abcdef0123",
    "0123456789abcdef0123/..", "../0123456789abcdef0123.txt", "1.1/files", "0123456789abcdef0123.txt\n", "",
    "0123456789abcdef0123.txt?x", "0123456789abcdef0123/\u0308note.txt",
    "0123456789abcdef0123/" + "n" * 1100,
])
def test_other_key_without_the_master_key_is_passed_over(api, key):
    tokens = ask(api, key=key)
    assert re.fullmatch(rf"{ALNUM}{{32}}\.txt", tokens["key"])


def test_random_key_never_takes_the_place_of_a_file(api):
    key = f"{random_hex(32)}.txt"
    tokens = ask(api, key=key)
    finish(api, tokens, b"the first")
    second = post(api, key=key)
    assert second.status_code == 400
    assert api.fetch(tokens["url"]).content == b"the first"


@pytest.mark.parametrize("tail", ["robots.txt", "a/b/c", "我的 文件 #1?.txt", "%2e%2e", "no-extension"])
def test_key_with_the_master_key_is_the_path(master, server, tail):
    key = f"{random_hex(8)}-{tail}"
    tokens = ask(master, key=key)
    assert (tokens["key"], tokens["url"]) == (key, f"{server.url}/{quote(key)}")
    finish(master, tokens)


@pytest.mark.parametrize("key", [
    "../robots.txt", "a/../b", "a//b", "/a", "a/", ".", "..", "a/./b", "a\nb", "a\0b", "k" * 1025, "1.1/files", "1/files",
    # For a path, a slash before a combining mark is a slash.
    "../\u0308x/y.txt", "a/../\u0308b", "a//\u0308b", "/\u0308a", "1.1/\u0308x", "console/\u0308x",
])
def test_key_that_no_url_can_have_is_refused_to_the_master_key(master, key):
    assert_400(post(master, key=key))


def test_key_of_a_file_is_refused_to_the_master_key(master):
    key = f"{random_hex(8)}/robots.txt"
    tokens = ask(master, key=key)
    finish(master, tokens, b"the first")
    assert_refused(post(master, key=key), 400, 137)
    assert master.fetch(tokens["url"]).content == b"the first"


def test_key_that_two_uploads_want_is_the_first_ones(master):
    key = f"{random_hex(8)}/robots.txt"
    first, second = ask(master, key=key), post(master, key=key)
    finish(master, first, b"the first")
    # The other one learns of it when it asks or when it ends.
    assert second.status_code == 400 or put(master, second.json(), b"the second").status_code >= 400
    assert master.fetch(first["url"]).content == b"the first"


def test_same_key_in_two_apps_is_the_file_of_the_first_to_finish(server, master):
    key, other = f"{random_hex(8)}.txt", server.api(BETA, master=True)
    mine, theirs = ask(master, key=key), ask(other, key=key)
    finish(master, mine, b"mine")
    assert put(other, theirs, b"theirs").status_code == 400
    assert other.get(f"/1.1/files/{theirs['objectId']}").status_code == 404
    assert master.get(f"/1.1/files/{mine['objectId']}").json()["metaData"]["size"] == 4
    assert master.fetch(f"{server.url}/{key}").content == b"mine"


@pytest.mark.few(2)
@pytest.mark.parametrize("fields, start, end", [
    ({"prefix": "gamesaves"}, "gamesaves/", ".txt"),
    ({"prefix": "/a/b/"}, "a/b/", ".txt"),
    ({"prefix": "存 档"}, "存 档/", ".txt"),
    ({"prefix": ""}, "", ".txt"),
    ({"prefix": None}, "", ".txt"),
    ({"keep_file_name": True}, "", "/note.txt"),
    ({"keep_file_name": False}, "", ".txt"),
    ({"keep_file_name": None}, "", ".txt"),
    ({"prefix": "a", "keep_file_name": True}, "a/", "/note.txt"),
    ({"name": "我的 #1.txt", "keep_file_name": True}, "", "/我的 #1.txt"),
    ({"name": "README"}, "", ""),
    ({"name": ".profile"}, "", ""),
], ids=str)
def test_new_key_has_prefix_and_name_as_asked(api, server, fields, start, end):
    tokens = ask(api, **fields)
    assert re.fullmatch(f"{re.escape(start)}{ALNUM}{{32}}{re.escape(end)}", tokens["key"])
    assert tokens["url"] == f"{server.url}/{quote(tokens['key'])}"
    finish(api, tokens)


@pytest.mark.parametrize("prefix", [
    "..", "a/../b", "a//b", "a\\b", "1.1", "1/x", "a\nb", "p" * 256, 5, ["a"],
    "../\u0308x", "a//\u0308b", "1.1/\u0308x", "console/\u0308x",
], ids=ascii)
def test_prefix_that_is_none_is_refused(api, prefix):
    assert_400(post(api, prefix=prefix), "prefix")


# Fields

def test_unknown_fields_and_leftovers_are_passed_over(api):
    others = {
        "__type": "File", "className": "_File", "objectId": "6632f1b7c3d4e5f60718293b", "url": "http://127.0.0.1/x",
        "createdAt": "2014-05-02T08:00:00.123Z", "updatedAt": "2014-05-02T08:00:00.123Z", "bucket": "b", "token": "t",
        "provider": "qcloud", "upload_url": "http://127.0.0.1/up", "size": 99, "colour": "red", "nested": {"a": [1]},
    }
    tokens = ask(api, **others)
    assert not [field for field, value in others.items() if tokens.get(field) == value]
    record = finish(api, tokens)
    assert not {"colour", "nested", "className", "__type"} & set(record)


def test_nulls_are_not_given(api):
    tokens = ask(api, mime_type=None, metaData=None, ACL=None, key=None, prefix=None, keep_file_name=None, size=None)
    assert tokens["mime_type"] == "text/plain"
    assert finish(api, tokens)["metaData"]["owner"] == "unknown"


@pytest.mark.few(2)
@pytest.mark.parametrize("name, type, expected", [
    ("a.txt", None, "text/plain"),
    ("a.txt", "", "text/plain"),
    ("a.PNG", None, "image/png"),
    ("a", None, "application/octet-stream"),
    ("a.unknownext", None, "application/octet-stream"),
    ("a.txt", "application/x-thing", "application/x-thing"),
    ("a.txt", "Image/PNG; charset=utf-8", "image/png"),
])
def test_type_comes_from_the_client_then_from_the_name(api, name, type, expected):
    tokens = ask(api, name=name, mime_type=type)
    assert tokens["mime_type"] == expected
    finish(api, tokens)


@pytest.mark.parametrize("fields", [
    {"name": 5}, {"name": "a/b"}, {"name": "a\nb"}, {"name": "n" * 256}, {"name": ".."},
    {"metaData": "text"}, {"metaData": [1]}, {"ACL": "everyone"}, {"ACL": {"*": 5}}, {"keep_file_name": {}},
    {"mime_type": 5},
], ids=str)
def test_field_that_is_none_is_refused(api, fields):
    assert_400(post(api, **fields))


@pytest.mark.parametrize("name", [None, ""], ids=str)
def test_file_without_a_name_gets_one(api, name):
    # The Python SDK names a file "" if the app does not name it.
    tokens = ask(api, name=name)
    assert tokens["name"] and re.fullmatch(f"{ALNUM}{{32}}", tokens["key"])


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"text"', b"null", b'{"name":"a","name":"b"}', b"\xff"])
def test_body_that_is_no_object_is_refused(api, body):
    assert_400(send(api, "/1.1/fileTokens", body))


@pytest.mark.parametrize("type", ["Application/JSON", "application/json; charset=utf-8", "APPLICATION/JSON;charset=UTF-8"])
def test_content_type_is_read_whatever_its_case(api, type):
    assert send(api, "/1.1/fileTokens", b'{"name":"a.txt"}', **{"Content-Type": type}).status_code == 201


# Sizes

@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server that takes files of a kilobyte."""
    server = Server(tmp_path_factory.mktemp("small"), LCFILE_UPLOADS_MAX_SIZE="1KB").start()
    yield server.api()
    assert server.stop() == 0


def test_announced_size_beyond_the_limit_is_refused(small):
    finish(small, ask(small, metaData={"size": 1024}), b"x" * 1024)
    for size in (1025, 10**15, 2**62):
        assert_refused(post(small, metaData={"size": size}), 413, 413, "1024")


def test_unannounced_size_beyond_the_limit_is_refused_with_the_bytes(small):
    tokens = ask(small)
    assert put(small, tokens, b"x" * 1025).status_code == 413
    finish(small, tokens, b"x" * 1024)


@pytest.mark.parametrize("sent", [b"", b"some byte", b"some bytes."], ids=["none", "fewer", "more"])
def test_other_number_of_bytes_than_announced_is_refused(api, sent):
    tokens = ask(api, metaData={"size": 10})
    assert 400 <= put(api, tokens, sent).status_code < 500
    assert_not_saved(api.server, tokens)
    # A new attempt begins anew.
    finish(api, tokens, b"some bytes")


@pytest.mark.parametrize("size", ["10", 1.5, None, True, [], {}], ids=str)
def test_size_that_is_no_whole_number_announces_nothing(api, size):
    assert finish(api, ask(api, metaData={"size": size}), b"counted")["metaData"]["size"] == 7


@pytest.mark.parametrize("right", [True, False])
def test_announced_checksum_is_compared(api, right):
    digest = md5(b"some bytes") if right else "0" * 32
    tokens = ask(api, metaData={"_checksum": digest})
    response = put(api, tokens, b"some bytes")
    if right:
        assert_saved(api.server, tokens, b"some bytes")
    else:
        assert response.status_code == 400
        assert_not_saved(api.server, tokens)


# When a file comes into being

def test_file_is_there_after_its_bytes_and_not_before(api):
    tokens = ask(api)
    assert_not_saved(api.server, tokens)
    assert api.get("/1.1/files", params={"where": json.dumps({"objectId": tokens["objectId"]})}).json() == {"results": []}
    finish(api, tokens)


@pytest.mark.parametrize("fields", [
    {}, {"token": None, "result": True}, {"token": "", "result": False}, {"token": "0" * 40, "result": False},
    {"token": "a:" + "0" * 40 + ":b", "result": True}, {"token": "x" * 10_000, "result": False}, {"token": 5, "result": 5},
    {"token": {"__op": "Delete"}, "result": None}, {"token": "a'; DROP TABLE uploads; --", "result": "false"},
], ids=lambda fields: str(fields)[:60])
def test_call_back_with_an_unknown_token_is_passed_over(api, fields):
    call_back(api, **fields)


@pytest.mark.parametrize("result", [True, False])
def test_call_back_with_a_spent_token_is_passed_over(api, result):
    finished, given_up = ask(api), ask(api)
    finish(api, finished)
    call_back(api, token=given_up["token"], result=False)
    for _ in range(2):
        call_back(api, token=finished["token"], result=result)
        call_back(api, token=given_up["token"], result=result)
    assert_saved(api.server, finished, b"some bytes")
    assert_not_saved(api.server, given_up)


@pytest.mark.parametrize("agent", [None, JS_AGENT], ids=["s3", "qiniu"])
@pytest.mark.parametrize("plain", [True, False], ids=["plain", "as given"])
def test_false_gives_the_upload_up(api, agent, plain):
    tokens = ask(api, agent=agent)
    call_back(api, token=tokens["upload_url"][-40:] if plain else tokens["token"], result=False)
    assert 400 <= put(api, tokens, b"too late").status_code < 500
    assert_not_saved(api.server, tokens)


def test_key_of_an_upload_given_up_is_free_again(master):
    key = f"{random_hex(8)}.txt"
    call_back(master, token=ask(master, key=key)["token"], result=False)
    finish(master, ask(master, key=key))


@pytest.mark.parametrize("fields", [{}, {"metaData": {"size": 10}}], ids=["size unknown", "ten bytes"])
def test_true_alone_proves_nothing(api, fields):
    tokens = ask(api, **fields)
    call_back(api, token=tokens["token"], result=True)
    assert_not_saved(api.server, tokens)
    finish(api, tokens)


def test_true_makes_the_file_that_was_announced_empty(api):
    tokens = ask(api, metaData={"size": 0})
    assert_not_saved(api.server, tokens)
    call_back(api, token=tokens["token"], result=True)
    assert_saved(api.server, tokens, b"")


@pytest.mark.parametrize("result", ["true", 1, None])
def test_result_that_is_not_true_makes_no_empty_file(api, result):
    tokens = ask(api, metaData={"size": 0})
    call_back(api, token=tokens["token"], result=result)
    assert_not_saved(api.server, tokens)


@pytest.mark.parametrize("result", [True, False])
def test_token_of_another_app_is_unknown(api, beta, result):
    tokens = ask(api, metaData={"size": 0})
    call_back(beta, token=tokens["token"], result=result)
    assert_not_saved(api.server, tokens)
    assert put(api, tokens, b"").status_code == 200
    assert_saved(api.server, tokens, b"")


# Providers

AGENTS = {
    "objc": ["LeanCloud-Objc-SDK/14.0.0", "AVOS Cloud iOS-v11.6.0 SDK", "AVOS Cloud OSX-v9.0.0 SDK"],
    "swift": ["LeanCloud-Swift-SDK/17.11.0"], "java": ["LeanCloud-Java-SDK/8.2.28", "LeanCloud SDK v5.0.10"],
    "csharp": ["LeanCloud-CSharp-SDK/2.4.1"], "flutter": ["LeanCloud-Flutter-SDK/0.7.10"],
    "go": ["LeanCloud-Golang-SDK/0.3.2 linux/go1.18.10"], "python": ["AVOS Cloud python-2.9.13 SDK (3.9)"],
    "php": ["LeanCloud PHP SDK 0.14.2"], "cli": ["LeanCloud-Go-Upload/0.1.0"],
    "js": ["LeanCloud-JS-SDK/4.15.3 (Node.js/18.0.0)", "AVOS Cloud Code Node 3.8.0"],
    "other": ["curl/8.0", "", "My LeanCloud-Java-SDK/8.2.28"],
}
CASES = [(name, agent) for name, agents in AGENTS.items() for agent in agents]


PROVIDERS = ["qiniu", "qcloud", "s3"]


@pytest.fixture(scope="module")
def told(request, tmp_path_factory):
    """A server that names one provider to every SDK."""
    # Java has no qcloud.
    words = ", ".join(f"{name}={request.param}" for name in AGENTS if (name, request.param) != ("java", "qcloud"))
    with serving(tmp_path_factory.mktemp("told"), words) as server:
        yield server.api(), request.param


@pytest.mark.few(2)
@pytest.mark.parametrize("told, case", sorted(covering(PROVIDERS, CASES)), indirect=["told"])
def test_provider_is_what_the_operator_says_for_the_sdk(told, case):
    (api, provider), (name, agent) = told, case
    if (name, provider) == ("java", "qcloud"):
        provider = "s3"
    tokens = ask(api, agent={"User-Agent": agent})
    assert tokens["provider"] == provider
    assert (tokens["token"].count(":") == 2) == (provider == "qiniu")
    finish(api, tokens)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A server that names another provider to each second SDK."""
    words = "objc=qiniu,java=qiniu, flutter = qiniu ,python=qiniu,cli=qiniu,js=s3,other=qcloud"
    with serving(tmp_path_factory.mktemp("mixed"), words) as server:
        yield server.api()


@pytest.mark.parametrize("name, agent", CASES)
def test_provider_of_one_sdk_is_not_that_of_another(mixed, name, agent):
    expected = {name: "qiniu" for name in ("objc", "java", "flutter", "python", "cli")} | {"other": "qcloud"}
    assert ask(mixed, agent={"User-Agent": agent})["provider"] == expected.get(name, "s3")


@pytest.mark.parametrize("header, case", covering(["X-LC-UA", "User-Agent"], [
    ("LeanCloud-JS-SDK/4.15.3", "qiniu"), ("LeanCloud-JS-SDK/5.0.0-beta.2 (Browser)", "qiniu"),
    ("LeanCloud-JS-SDK/10.0.0 (Weapp)", "qiniu"), ("LeanCloud-JS-SDK/4.9.3 (Weapp)", "qiniu"),
    ("LeanCloud-JS-SDK/3.10.0 (Weapp)", "qiniu"), ("LeanCloud-JS-SDK/3.2.0 (Weapp)", "s3"),
    ("LeanCloud-JS-SDK/2.5.4 (Browser)", "s3"), ("LeanCloud-JS-SDK/4.11.0", "s3"), ("LeanCloud-JS-SDK/4.11.10", "qiniu"),
    # LeanEngine says its own version.
    ("AVOS Cloud Code Node 3.8.0", "qiniu"), ("AVOS Cloud Code Node 3.0.0", "qiniu"), ("AVOS Cloud Code Node 2.0.5", "s3"),
]))
def test_provider_for_javascript_depends_on_the_version(api, header, case):
    agent, provider = case
    assert ask(api, agent={header: agent})["provider"] == provider


@pytest.mark.few(2)
@pytest.mark.parametrize("name, value, words", [
    ("PROVIDERS", "java", ["uploads.providers", "java"]), ("PROVIDERS", "java=s4", ["uploads.providers", "s4"]),
    ("PROVIDERS", "kotlin=s3", ["uploads.providers", "kotlin"]), ("PROVIDERS", "=s3", ["uploads.providers"]),
    ("PROVIDERS", "java=", ["uploads.providers"]), ("PROVIDERS", "java=s3=qiniu", ["uploads.providers"]),
    ("PROVIDERS", "js=s3,java=qcloud", ["uploads.providers", "java=qcloud", "java=qiniu"]),
    ("PROVIDERS", "java=s3;js=s3", ["uploads.providers"]), ("START_TIMEOUT", "soon", ["uploads.startTimeout", "soon"]),
    ("START_TIMEOUT", "0", ["uploads.startTimeout"]), ("EXPIRE_AFTER", "-1", ["uploads.expireAfter", "-1"]),
    ("QUOTA", "a lot", ["uploads.quota", "a lot"]), ("MAX_OPEN", "-1", ["uploads.maxOpen", "-1"]),
    ("MIN_PART_SIZE", "x", ["uploads.minPartSize", "x"]), ("ALLOWED_TYPES", "images", ["uploads.allowedTypes", "images"]),
])
def test_bad_setting_stops_the_start(new_server, name, value, words):
    server = new_server()
    server.environment[f"LCFILE_UPLOADS_{name}"] = value
    assert_does_not_start(server, SETTING, *words)
