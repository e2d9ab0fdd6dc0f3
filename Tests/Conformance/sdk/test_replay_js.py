"""The JavaScript SDK's uploads, byte by byte: browsers, Node.js, mini-programs, React Native, and its oldest versions."""

import base64
import string
from urllib.parse import quote

import pytest
from replays import (
    CACHE, FILES, JSON, OCTETS, SDK, assert_linked, assert_not_saved, assert_saved, disposition, each_file, extension,
    form, length, multipart, netloc, pieces, random_hex, random_word, send, serving, taken, taken_by_cos, taken_by_kodo,
    taken_by_s3, urlsafe, with_files,
)


class JS(SDK):
    version = "4.15.3"
    needs = SDK.needs | {"url"}
    part_size = 16 << 20
    browser = [
        ("Connection", "keep-alive"), ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"),
        ("Accept", "*/*"), ("Origin", "https://app.example.com"), ("Referer", "https://app.example.com/"),
        ("Accept-Encoding", "gzip, deflate"), ("Accept-Language", "en"),
    ]
    node = [("User-Agent", "node-superagent/3.8.3"), ("Accept-Encoding", "gzip, deflate"), ("Connection", "close")]

    def __init__(self, server, platform="Browser", stream=False, **options):
        super().__init__(server, **options)
        self.platform, self.stream = platform, stream

    @property
    def usual(self):
        return "qiniu" if self.numbers >= [3, 2, 1] and self.version != "4.11.0" else "s3"

    @property
    def is_node(self):
        return self.platform == "Node.js"

    @property
    def agent(self):
        node = "Node.js/18.0.0" if self.numbers[0] >= 4 else "Node.js; Node.js/v12.10.0"
        return f"LeanCloud-JS-SDK/{self.version} ({node if self.is_node else self.platform})"

    def headers(self, url, body):
        own = [*self.signed, ("Content-Type", "application/json;charset=UTF-8"), *self.session]
        if self.is_node:
            return [("User-Agent", self.agent), *self.node[1:2], *own, length(body), netloc(url), self.node[2]]
        return [netloc(url), *own, ("X-LC-UA", self.agent), length(body), *self.browser]

    def fields(self, name, data, type):
        # A stream and a file of a phone have no size that the SDK knows.
        size = {} if self.stream or self.platform not in ("Browser", "Node.js") else {"size": len(data)}
        fields = {"name": name, "metaData": size | {"owner": "unknown"}} | ({"mime_type": type} if type else {})
        # Client keys: 20 hexadecimal digits.
        return fields if self.numbers >= [4, 8, 3] else fields | {"key": random_hex(20) + extension(name)}

    def ask(self, name, data, type=None, **more):
        self.key = more.get("key", self.fields(name, data, type).get("key"))
        return super().ask(name, data, type, **more | ({"key": self.key} if self.key else {}))

    def link_fields(self, name, url, type):
        # The SDK reads the type from where there is none.
        return {"name": name, "metaData": {"owner": "unknown", "__source": "external", "size": 0}, "url": url}

    def upload_headers(self, url, *own):
        return [*own, *self.node, netloc(url)] if self.is_node else [netloc(url), *own, *self.browser]

    def send_form(self, url, field, tokens, name, data, fields):
        boundary = "-" * 26 + random_word(24, string.digits) if self.is_node else f"----WebKitFormBoundary{random_word(16)}"
        type = f"Content-Type: {tokens['mime_type']}"
        if self.is_node and self.numbers[0] < 4:
            # `field` with a Buffer: a part that has bytes and no name.
            file = disposition(field), f"Content-Type: {OCTETS}", data
        elif self.platform == "ReactNative":
            file = disposition(field, name).replace("Content-D", "content-d"), type.lower(), data
        else:
            file = disposition(field, name), type, data
        body = form(boundary, file, *((disposition(key), value.encode()) for key, value in fields.items()))
        return send("POST", url, self.upload_headers(url, multipart(boundary), length(body)), body)

    def s3(self, tokens, name, data):
        assert self.platform in ("Browser", "Node.js") and not self.stream, "this platform cannot PUT"
        own = [("Content-Type", tokens["mime_type"]), CACHE, length(data)]
        taken_by_s3(send("PUT", tokens["upload_url"], self.upload_headers(tokens["upload_url"], *own), data))

    def qcloud(self, tokens, name, data):
        url = f"{tokens['upload_url']}?sign={quote(tokens['token'], safe='')}"
        taken_by_cos(self.send_form(url, "fileContent", tokens, name, data, {"op": "upload"}))

    def qiniu(self, tokens, name, data):
        if self.numbers >= [4, 11, 1] and (self.stream or self.platform in ("Browser", "Node.js") and len(data) >= 64 << 20):
            return self.parts(tokens, name, data)
        # The first of these versions send the key that they made themselves.
        key = tokens["key"] if self.numbers >= [3, 12] else self.key
        more = {"name": name, "key": key, "token": tokens["token"]}
        # WeChat throws if the answer is no JSON.
        taken_by_kodo(self.send_form(tokens["upload_url"], "file", tokens, name, data, more), tokens["key"], data)

    def call(self, tokens, method, path="", body=b"", *own):
        url = f"{tokens['upload_url']}/buckets/{tokens['bucket']}/objects/{urlsafe(tokens['key'])}/uploads{path}"
        own = ("Authorization", f"UpToken {tokens['token']}"), *own, length(body)
        return send(method, url, self.upload_headers(url, *own), body)

    def start(self, tokens):
        return taken(self.call(tokens, "POST"))["uploadId"]

    def part(self, tokens, id, number, data):
        etag = taken(self.call(tokens, "PUT", f"/{id}/{number}", data))["etag"]
        return {"partNumber": number, "etag": etag}

    def parts(self, tokens, name, data):
        id = self.start(tokens)
        parts = [self.part(tokens, id, number, piece) for number, piece in enumerate(pieces(data, self.part_size), 1)]
        finish = self.encode({"parts": parts, "fname": name, "mimeType": tokens["mime_type"]}).encode()
        answer = self.call(tokens, "POST", f"/{id}", finish, ("Content-Type", JSON))
        taken_by_kodo(answer, tokens["key"], data)

    def stop(self, tokens, id):
        return self.call(tokens, "DELETE", f"/{id}")

class OldJS(SDK):
    """0.x: POST without a preflight, everything in the body."""

    version = "0.5.8"

    def post(self, path, fields, status=200):
        key = {"_MasterKey": self.app.master} if self.master else {}
        own = {"_ApplicationId": self.app.id, "_ApplicationKey": self.app.key} | key
        client = {"_ClientVersion": f"js{self.version}", "_InstallationId": "5d0c8a8e-8b8f-4bd6-8e0b-2b8c2a3f9d11"}
        url, body = self.server.url + path, self.encode(fields | own | client).encode()
        headers = [netloc(url), length(body), ("Content-Type", "text/plain;charset=UTF-8"), *JS.browser]
        return taken(send("POST", url, headers, body), status)


PLATFORMS = ["Browser", "Node.js", "Weapp", "ReactNative"]
VERSIONS = {"3.2.0": "s3", "3.2.1": "qiniu", "4.10.0": "qiniu", "4.11.0": "s3", "4.11.1": "qiniu", "4.15.3": "qiniu"}
ORIGIN = "https://app.example.com"
# Only these can send more than a file of a phone.
FULL = ["Browser", "Node.js"]


@pytest.mark.few(3)
@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("version, provider", VERSIONS.items())
def test_provider_is_one_that_the_version_sends_to_us(server, version, provider, platform):
    # `ask` compares what the answer names.
    JS(server, platform, version=version, provider=provider).ask("note.txt", b"x")


@pytest.mark.few(3)
@with_files(VERSIONS, FULL)
def test_file_is_saved(server, pair, file):
    (version, platform), (name, data) = pair, FILES[file]
    tokens = JS(server, platform, version=version).save(name, data, "text/plain")
    record = assert_saved(server, tokens, data)
    assert (record["name"], record["mime_type"], record["metaData"]["owner"]) == (name, "text/plain", "unknown")


@pytest.mark.few(3)
@with_files([version for version, provider in VERSIONS.items() if provider == "qiniu"], ["Weapp", "ReactNative"])
def test_file_of_a_phone_is_saved_without_its_size(server, pair, file):
    (version, platform), (name, data) = pair, FILES[file]
    assert_saved(server, JS(server, platform, version=version).save(name, data, "text/plain"), data)


@pytest.mark.parametrize("platform", ["QQApp", "Alipay", "Baidu", "Toutiao", "QuickApp"])
def test_file_of_other_mini_programs_is_saved(server, platform):
    assert_saved(server, JS(server, platform).save("note.txt", b"mini", "text/plain"), b"mini")


@pytest.fixture(scope="module", params=["s3", "qcloud"])
def told(request, tmp_path_factory):
    """A server that was told which provider to name."""
    with serving(tmp_path_factory.mktemp("js"), f"js={request.param}") as server:
        yield server, request.param


@pytest.mark.few(3)
@pytest.mark.each_value
@each_file
@pytest.mark.parametrize("platform", FULL)
def test_file_is_saved_with_another_provider(told, platform, name, data):
    server, provider = told
    assert_saved(server, JS(server, platform, provider=provider).save(name, data, "text/plain"), data)


@pytest.mark.parametrize("size", [1, 16 << 20, (16 << 20) + 1], ids=["a byte", "one part", "two parts"])
def test_stream_is_saved_in_parts(server, size):
    data = (b"a stream of bytes " * (size // 18 + 1))[:size]
    tokens = JS(server, "Node.js", stream=True).save("stream.bin", data, OCTETS)
    assert_saved(server, tokens, data)


class LeanEngine(JS):
    """The SDK in LeanEngine, which replaces its user agent."""

    agent = "AVOS Cloud Code Node 3.8.0"


@pytest.mark.parametrize("version, stream", [("3.15.0", False), ("4.15.3", False), ("4.15.3", True)])
def test_file_of_leanengine_is_saved(server, version, stream):
    sdk = LeanEngine(server, "Node.js", stream=stream, version=version)
    assert_saved(server, sdk.save("note.bin", b"from the engine", OCTETS), b"from the engine")


def test_parts_that_are_stopped_leave_nothing(server):
    sdk = JS(server, "Node.js", stream=True)
    tokens = sdk.ask("stream.bin", b"")
    id = sdk.start(tokens)
    part = sdk.part(tokens, id, 1, b"some bytes")
    assert sdk.stop(tokens, id).status == 200
    finish = sdk.encode({"parts": [part]}).encode()
    assert sdk.call(tokens, "POST", f"/{id}", finish, ("Content-Type", JSON)).status == 612
    sdk.call_back(tokens["token"], False)
    assert_not_saved(server, tokens)


@pytest.mark.parametrize("version, count", [("3.2.1", 20), ("4.8.2", 20)])
def test_key_of_a_version_that_makes_its_own_is_kept(server, version, count):
    for key in (f"{random_hex(count)}.txt", f"{random_hex(count)}/note.txt"):
        tokens = JS(server, version=version).save("note.txt", b"old", "text/plain", key=key)
        assert tokens["key"] == key
        assert_saved(server, tokens, b"old")


# Everything behind the last dot is an extension for the SDK. React Native has it from the address of a file.
ODD = {
    "long": "2.二零二四年第一季度工作总结", "empty": "foo.", "words": "v1.2 (final version of the whole document)",
    "query": "asset.JPG?id=106E99A1-4F6A-45A2-B320-B0AD4A8E8473&ext=JPG",
}


@pytest.mark.few(4)
@pytest.mark.parametrize("name", ODD.values(), ids=ODD)
@pytest.mark.parametrize("version", ["3.2.1", "3.11.1", "3.12.0", "4.8.2"])
@pytest.mark.parametrize("platform", ["Browser", "ReactNative"])
def test_file_with_an_odd_extension_is_saved_under_the_random_part_of_its_key(server, platform, version, name):
    sdk = JS(server, platform, version=version)
    tokens = sdk.save(name, b"odd", "text/plain")
    assert tokens["key"] == sdk.key[:20]
    assert assert_saved(server, tokens, b"odd")["name"] == name


def test_key_of_another_file_is_refused_with_the_bytes(server):
    sdk = JS(server, version="3.11.1")
    tokens = sdk.ask("foo.", b"odd", "text/plain")
    fields = {"name": "foo.", "key": random_hex(20) + ".", "token": tokens["token"]}
    assert sdk.send_form(tokens["upload_url"], "file", tokens, "foo.", b"odd", fields).status == 400
    assert_not_saved(server, tokens)


@pytest.mark.parametrize("version", ["3.12.0", "4.8.2"])
def test_name_is_kept_in_the_place_of_the_extension_of_the_key_that_a_version_makes(server, version):
    sdk = JS(server, version=version)
    tokens = sdk.save("resume.txt", b"kept", "text/plain", keep_file_name=True)
    assert tokens["key"] == f"{sdk.key[:20]}/resume.txt"
    assert tokens["url"].endswith("/resume.txt")
    assert_saved(server, tokens, b"kept")


def test_key_of_the_app_needs_the_master_key_and_is_the_path(server):
    key = f"robots-{random_hex(8)}.txt"
    tokens = JS(server, "Node.js", master=True).save("x.txt", b"User-agent: *", "text/plain", key=key)
    assert (tokens["key"], tokens["url"]) == (key, f"{server.url}/{key}")
    assert_saved(server, tokens, b"User-agent: *")


@pytest.mark.parametrize("keep", [True, False])
def test_name_is_kept_if_the_app_says_so(server, keep):
    tokens = JS(server).save("note 1.txt", b"x", "text/plain", keep_file_name=keep)
    assert tokens["key"].endswith("/note 1.txt") == keep
    assert_saved(server, tokens, b"x")


def test_type_that_the_app_does_not_say_is_told_by_the_name(server):
    assert JS(server).ask("photo.png", b"x")["mime_type"] == "image/png"


@pytest.mark.smoke
def test_upload_that_failed_leaves_nothing(server):
    sdk = JS(server)
    tokens = sdk.ask("note.txt", b"never sent")
    sdk.call_back(tokens["token"], False)
    assert_not_saved(server, tokens)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_file_that_is_elsewhere_is_linked(server, platform):
    url = "http://127.0.0.1:1/logo.png"
    assert_linked(server, JS(server, platform).link("logo.png", url), "logo.png", url)


# Browsers ask first

@pytest.mark.parametrize("method, path, headers", [
    ("POST", "/1.1/fileTokens", "content-type,x-lc-id,x-lc-session,x-lc-sign,x-lc-ua"),
    ("PUT", "", "cache-control,content-type,x-own"),
    ("POST", "", "x-own"),
    ("POST", "/buckets/{bucket}/objects/{key}/uploads", "authorization"),
    ("PUT", "/buckets/{bucket}/objects/{key}/uploads/u1/1", "authorization"),
    ("DELETE", "/buckets/{bucket}/objects/{key}/uploads/u1", "authorization"),
])
def test_browser_is_allowed_to_send(server, method, path, headers):
    tokens = JS(server).ask("note.txt", b"x")
    base = server.url if path.startswith("/1.1/") else tokens["upload_url"]
    url = base + path.format(bucket=tokens["bucket"], key=urlsafe(tokens["key"]))
    answer = server.api().fetch(
        url, "OPTIONS", Origin=ORIGIN, Access_Control_Request_Method=method, Access_Control_Request_Headers=headers,
    )
    allowed = {name: answer.headers[f"Access-Control-Allow-{name}"] for name in ("Origin", "Methods", "Headers")}
    assert answer.status_code // 100 == 2 and allowed["Origin"] in ("*", ORIGIN)
    assert method in allowed["Methods"]
    # `*` stands for every name but Authorization.
    names = {name.strip().lower() for name in allowed["Headers"].split(",")}
    assert "*" in names and "authorization" not in headers or set(headers.split(",")) <= names


def test_browser_is_allowed_to_read_each_answer(server):
    sdk = JS(server)
    tokens = sdk.ask("note.txt", b"x")
    url = tokens["upload_url"]
    for answer in (
        sdk.call(tokens, "POST"), sdk.call(tokens, "PUT", "/none/1", b"x"),
        send("PUT", url, sdk.upload_headers(url, length(b"too long")), b"too long"),
        sdk.send_form(url, "file", tokens, "note.txt", b"x", {"key": tokens["key"], "token": tokens["token"]}),
    ):
        assert answer.headers["Access-Control-Allow-Origin"] in ("*", ORIGIN)


# 0.x and 1.x

def legacy(server, name, data, type="text/plain", **options):
    """Uploads as 0.x in a browser does: everything in JSON, without a preflight."""
    text = base64.b64encode(data).decode()
    # The first versions took the length of the text for the size.
    fields = {"base64": text, "_ContentType": type, "mime_type": type, "metaData": {"owner": "unknown", "size": len(text)}}
    return OldJS(server).post(f"/1.1/files/{quote(name)}", fields | options, 201)


@each_file
def test_base64_through_the_tunnel_is_saved(server, name, data):
    saved = legacy(server, name, data)
    assert (saved["name"], saved["size"]) == (name, len(data))
    record = assert_saved(server, saved, data)
    assert record["mime_type"] == "text/plain"


@each_file
def test_base64_in_json_is_saved(server, name, data):
    fields = {"base64": base64.b64encode(data).decode(), "_ContentType": "text/plain", "metaData": {"owner": "unknown"}}
    # As 1.0.0 sends it with the region `us`.
    saved = JS(server, version="1.0.0").post(f"/1.1/files/{quote(name)}", fields, 201)
    assert (saved["name"], saved["size"]) == (name, len(data))
    assert_saved(server, saved, data)


def test_base64_of_version_0_3_goes_to_path_1(server):
    fields = {"base64": base64.b64encode(b"js0.3").decode(), "_ContentType": "text/plain", "metaData": {}}
    assert_saved(server, OldJS(server, version="0.3.7").post("/1/files/note.txt", fields, 201), b"js0.3")


def test_acl_of_a_legacy_upload_is_kept(server):
    saved = legacy(server, "note.txt", b"x", ACL={"role:Nobody": {"read": True}})
    assert server.api().get(f"/1.1/files/{saved['objectId']}").status_code == 403


@pytest.mark.parametrize("key", ["0123456789abcdef", "0123456789abcdef.txt", "0123456789abcdef0123.txt"])
def test_old_route_of_tokens_gives_the_tokens_of_an_upload(server, key):
    # Another beginning each time, for keys are given once.
    key = random_hex(8) + key[8:]
    fields = {"key": key, "name": "note.txt", "mime_type": "text/plain", "metaData": {"owner": "unknown"}}
    tokens = OldJS(server).post("/1.1/qiniu", fields, 201)
    assert tokens["key"] == key
    # No request of this SDK: 0.5.8 to 1.0.0 do not know `s3` and post the bytes to a fixed host of Qiniu, so their
    # uploads fail. The PUT shows that the tokens are those of an upload, as from `fileTokens`.
    taken_by_s3(send("PUT", tokens["upload_url"], [netloc(server.url), length(b"x")], b"x"))
    assert_saved(server, tokens, b"x")


@pytest.mark.parametrize("make", [OldJS, JS], ids=["0.x", "1.x and 2.x"])
def test_link_of_old_versions_answers_the_whole_record(server, make):
    url = "http://127.0.0.1:1/logo.png"
    fields = {"name": "logo.png", "url": url, "mime_type": "image/png", "metaData": {"__source": "external", "size": 0}}
    saved = make(server, version="1.5.5").post("/1.1/files/logo.png", fields, 201)
    assert saved["mime_type"] == "image/png"
    assert_linked(server, saved, "logo.png", url)
