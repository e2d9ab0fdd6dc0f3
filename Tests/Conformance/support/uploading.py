"""Ways to bring bytes in: a client of a few lines for each dialect of docs/uploads.md, right or wrong as it is told."""

import base64
import hashlib
import http.client
import json
import re
from urllib.parse import urlsplit
from xml.etree import ElementTree

import requests
from client import ALPHA, TIMEOUT, Server, chunk, credentials, eventually, head
from data import MISSING

KB, MB = 1 << 10, 1 << 20
BLOCK = 4 * MB
# The answers to a connection that a newer one took over from: a refusal, or none because it was closed.
GAVE_WAY = (409, None)
INTERNALS = re.compile(
    r"\b(swift|sqlite|grdb|nio\w*|errno|fatal|posix\w*)\b|Optional\(|0x[0-9a-f]{6}|(storage|staging|blobs)/", re.IGNORECASE
)


def noise(size, seed=0):
    """Bytes of no known type, for each seed others."""
    return hashlib.shake_128(f"noise {seed}".encode()).digest(size)


def b64(data):
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def url64(text):
    return base64.urlsafe_b64encode(text.encode()).decode()


def md5(data):
    return hashlib.md5(data).hexdigest()


def content_md5(data):
    return {"Content-MD5": b64(hashlib.md5(data).digest())}


def qetag(data):
    """Qiniu's hash: SHA-1 of the one block of 4 MiB, or of the SHA-1s of several."""
    blocks = [hashlib.sha1(data[start : start + BLOCK]).digest() for start in range(0, max(len(data), 1), BLOCK)]
    whole = b"\x16" + blocks[0] if len(blocks) == 1 else b"\x96" + hashlib.sha1(b"".join(blocks)).digest()
    return base64.urlsafe_b64encode(whole).decode()


def named(headers):
    """Headers from arguments: _ for -; those without a value are left out."""
    return {name.replace("_", "-"): str(value) for name, value in headers.items() if value is not None}


def limits(**uploads):
    """The environment of settings of uploads: maxSize="1MB" is uploads.maxSize."""
    words = {name: re.sub("([A-Z])", r"_\1", name).upper() for name in uploads}
    return {f"LCFILE_UPLOADS_{words[name]}": str(value) for name, value in uploads.items()}


def own_server(tmp_path_factory, **uploads):
    """A server of a module's own, because unfinished uploads leave bytes where other tests look."""
    server = Server(tmp_path_factory.mktemp("uploads"), **limits(**uploads)).start()
    yield server
    assert server.stop() == 0


class Refused(AssertionError):
    """An answer that must not be."""

    def __init__(self, response):
        super().__init__(f"{response.status_code} {response.text[:300]}")
        self.response = response


def must(response, status=200):
    """The JSON of an answer that must be this one."""
    if response.status_code != status:
        raise Refused(response)
    return response.json()


def status_of(call):
    """The status that a call was answered with; nothing if the connection ended instead."""
    try:
        return call().status_code
    except (requests.ConnectionError, http.client.HTTPException, ConnectionError):
        return None


# Tokens

def tokens(api, name="x.bin", **fields):
    """Asks for a token; fields without a value are left out."""
    body = {"name": name} | {key: value for key, value in fields.items() if value is not None}
    return api.post("/1.1/fileTokens", json=body)


def ask(api, size=None, name="x.bin", metaData=None, **fields):
    """An upload of a token of its own, whose size is announced or not."""
    announced = {} if size is None else {"size": size}
    return Target(api, must(tokens(api, name, metaData=(metaData or {}) | announced, **fields), 201))


class Target:
    """What `fileTokens` answered, and the calls of each dialect on it."""

    def __init__(self, api, answer):
        self.api, self.server, self.answer = api, api.server, answer
        self.id, self.key, self.token, self.url = (answer[name] for name in ("objectId", "key", "token", "url"))
        self.path = urlsplit(answer["upload_url"]).path
        self.secret = self.path.rpartition("/")[2]
        self.bearer = {"Authorization": f"UpToken {self.token}"}

    def call(self, method, path="", data=None, headers=None, **options):
        """A request below `upload_url`, without the app's credentials."""
        url = self.server.url + self.path + path
        return self.api.session.request(method, url, data=data, headers=headers, timeout=TIMEOUT, **options)

    def start(self, method, path, data, length, headers=None):
        """A request whose body has just begun, on a connection of its own."""
        connection = self.server.raw()
        connection.send(head(method, self.path + path, (headers or {}) | {"Content-Length": length}) + data)
        return connection

    # One request

    def put(self, data, **headers):
        return self.call("PUT", data=data, headers=named(headers))

    def form(self, data, parts=None, name="x.bin"):
        """The Kodo form; parts with nothing for a value are left out, the file stands first as in JavaScript."""
        texts = {"name": name, "key": self.key, "token": self.token} | (parts or {})
        fields = [("file", (name, data))] + [(key, (None, text)) for key, text in texts.items() if text is not None]
        return self.call("POST", files=fields)

    def cos(self, data, token=None):
        fields = [("op", (None, "upload")), ("filecontent", ("x.bin", data))]
        return self.call("POST", files=fields, headers={"Authorization": token or self.token})

    # Kodo, version 1

    def kodo(self, method, path, data=None, **headers):
        """Headers win over the right ones; nothing takes one away."""
        binary = {"Content-Type": "application/octet-stream"}
        merged = binary | self.bearer | {name.replace("_", "-"): value for name, value in headers.items()}
        return self.call(method, path, data, {name: value for name, value in merged.items() if value is not None})

    def mkblk(self, data, size=None, **headers):
        return self.kodo("POST", f"/mkblk/{len(data) if size is None else size}", data, **headers)

    def bput(self, ctx, offset, data, **headers):
        return self.kodo("POST", f"/bput/{ctx}/{offset}", data, **headers)

    def mkfile(self, size, contexts, pairs="", **headers):
        path = f"/mkfile/{size}/key/{url64(self.key)}{pairs}"
        return self.kodo("POST", path, ",".join(contexts).encode(), **{"Content_Type": "text/plain"} | headers)

    def block(self, data, step=MB):
        """Sends one block in chunks; returns its last ctx."""
        ctx = must(self.mkblk(data[:step], len(data)))["ctx"]
        for start in range(step, len(data), step):
            ctx = must(self.bput(ctx, start, data[start : start + step]))["ctx"]
        return ctx

    def blocks(self, data, step=MB):
        """Sends all blocks; returns what `mkfile` needs."""
        return [self.block(data[start : start + BLOCK], step) for start in range(0, len(data), BLOCK)]

    def v1(self, data):
        """All requests of it; returns the last answer, or the first refusal."""
        try:
            return self.mkfile(len(data), self.blocks(data))
        except Refused as refused:
            return refused.response

    # Kodo, version 2

    @property
    def objects(self):
        return f"/buckets/{self.answer['bucket']}/objects/{url64(self.key)}/uploads"

    def begin(self):
        return must(self.kodo("POST", self.objects))["uploadId"]

    def part(self, id, number, data, **headers):
        return self.kodo("PUT", f"{self.objects}/{id}/{number}", data, **headers)

    def finish(self, id, parts, **headers):
        """Parts are pairs of a number and an etag, or the body itself."""
        data = parts
        if isinstance(parts, list):
            data = json.dumps({"parts": [{"partNumber": number, "etag": etag} for number, etag in parts]}).encode()
        return self.kodo("POST", f"{self.objects}/{id}", data, **{"Content_Type": "application/json"} | headers)

    def abort(self, id):
        return self.kodo("DELETE", f"{self.objects}/{id}")

    def parts(self, id, data, step=BLOCK):
        """Sends all parts; returns what the finish needs."""
        starts = enumerate(range(0, max(len(data), 1), step), 1)
        return [(number, must(self.part(id, number, data[start : start + step]))["etag"]) for number, start in starts]

    def v2(self, data, step=BLOCK):
        """All requests of it; returns the last answer, or the first refusal."""
        try:
            id = self.begin()
            return self.finish(id, self.parts(id, data, step))
        except Refused as refused:
            return refused.response

    # Around it

    def callback(self, result, api=None):
        return (api or self.api).post("/1.1/fileCallback", json={"token": self.token, "result": result})

    def progress(self):
        return progress(self.server, self.secret)

    @property
    def received(self):
        return must(self.progress())["received"]


# tus

class Answer:
    """What `http.client` got, with the names of `requests`."""

    def __init__(self, response):
        self.status_code, self.headers, self.content = response.status, response.headers, response.read()

    @property
    def text(self):
        return self.content.decode()

    def json(self):
        return json.loads(self.content)


def metadata(**fields):
    """The value of Upload-Metadata; nothing is a key without a value."""
    return ",".join(key if value is None else f"{key} {b64(value)}" for key, value in fields.items())


def checksum(algorithm, digest):
    return f"{algorithm} {b64(digest)}"


class Tus:
    """A client of tus 1.0.0."""

    PATH = "/1.1/uploads"
    BYTES = "application/offset+octet-stream"

    def __init__(self, server, app=ALPHA):
        self.server = server
        self.headers = credentials(app) | {"Tus-Resumable": "1.0.0"}

    def call(self, method, path=PATH, data=b"", **headers):
        """One request on a connection of its own; headers win over the usual ones, nothing takes one away."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=TIMEOUT)
        try:
            merged = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, urlsplit(path).path, data, named(merged))
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def post(self, length=None, data=b"", **headers):
        """Asks for an upload, perhaps with its first bytes."""
        type = self.BYTES if data else None
        return self.call("POST", data=data, **{"Upload_Length": length, "Content_Type": type} | headers)

    def create(self, length=None, data=b"", **headers):
        """An upload that must be made."""
        answer = self.post(length, data, **headers)
        assert answer.status_code == 201, (answer.status_code, answer.content)
        return TusUpload(self, answer)


class TusUpload:
    """One upload, by what its creation was answered with."""

    def __init__(self, tus, answer):
        self.tus, self.server, self.answer = tus, tus.server, answer
        self.location, self.id = answer.headers["Location"], answer.headers["X-LC-Object-Id"]
        self.path = urlsplit(self.location).path
        self.secret = self.path.rpartition("/")[2]

    def head(self, **headers):
        return self.tus.call("HEAD", self.path, **headers)

    @property
    def offset(self):
        answer = self.head()
        assert answer.status_code == 200, answer.status_code
        return int(answer.headers["Upload-Offset"])

    def patch(self, offset, data, **headers):
        usual = {"Upload_Offset": offset, "Content_Type": Tus.BYTES}
        return self.tus.call("PATCH", self.path, data, **usual | headers)

    def delete(self, **headers):
        return self.tus.call("DELETE", self.path, **headers)

    def start(self, offset, data, length, **headers):
        """A PATCH whose body has just begun, on a connection of its own; chunked if it has no length."""
        size = {"Transfer-Encoding": "chunked"} if length is None else {"Content-Length": length}
        usual = {"Upload-Offset": offset, "Content-Type": Tus.BYTES} | size
        connection = self.server.raw()
        connection.send(head("PATCH", self.path, self.tus.headers | usual | named(headers)))
        connection.send(chunk(data) if length is None else data)
        return connection

    def go_on(self, data, step=None):
        """Sends what is missing, from where HEAD says."""
        offset = self.offset
        while offset < len(data):
            answer = self.patch(offset, data[offset : offset + (step or len(data))])
            assert answer.status_code == 204, (answer.status_code, answer.content)
            offset = int(answer.headers["Upload-Offset"])
        return offset

    def progress(self):
        return progress(self.server, self.secret)

    @property
    def received(self):
        return must(self.progress())["received"]


# What came of it

def progress(server, secret, **headers):
    return requests.get(f"{server.url}/1.1/uploads/{secret}", headers=named(headers), timeout=TIMEOUT)


def record_of(api, id):
    """The file's record; nothing if there is none."""
    response = api.get(f"/1.1/files/{id}")
    if response.status_code == 404:
        return None
    return must(response)


def assert_file(api, id, data, **facts):
    """The file is there, whole, and what its record and its ETag say of the bytes is true."""
    record = record_of(api, id)
    assert record is not None, "there is no record"
    download = api.fetch(record["url"])
    assert (download.status_code, len(download.content)) == (200, len(data))
    assert download.content == data
    assert record["metaData"]["size"] == len(data)
    assert record["metaData"].get("_checksum", md5(data)) == md5(data)
    assert download.headers["ETag"] == f'"{qetag(data)}"'
    assert {name: record[name] for name in facts} == facts
    return record


def assert_no_file(api, target):
    assert record_of(api, target.id) is None
    assert api.fetch(target.url).status_code == 404


def has_bytes(server, id):
    """Whether bytes of an unfinished upload lie there."""
    return any(path.name.startswith(id) for path in server.staged())


def assert_nothing_staged(server):
    assert eventually(lambda: server.staged() == []), server.staged()


def assert_counts(server, files):
    """As many records as files, and as many blobs."""
    assert eventually(lambda: (server.api().count(), len(server.blobs())) == (files, files)), (
        server.api().count(), len(server.blobs()), files,
    )


def assert_no_internals(response):
    assert not INTERNALS.search(response.text), response.text


def assert_xml_error(response, status):
    """The error of a store like S3: a code and a sentence."""
    assert response.status_code == status, (response.status_code, response.text[:300])
    assert "xml" in response.headers["Content-Type"]
    error = ElementTree.fromstring(response.content)
    assert error.tag == "Error"
    assert re.fullmatch(r"[A-Z]\w+", error.findtext("Code")), response.text
    assert len(error.findtext("Message")) > 8, response.text
    assert_no_internals(response)


def assert_kodo_error(response, status):
    """The error of a store like Kodo: a sentence, perhaps also under the names that COS has for it."""
    assert response.status_code == status, (response.status_code, response.text[:300])
    assert {"error"} <= set(response.json()) <= {"error", "code", "message"}
    assert len(response.json()["error"]) > 8, response.text
    assert_no_internals(response)


# Each way to send one whole file: gives the id (of no file, if it was refused) and the last answer.

def send_form(api, data, name="x.bin", **fields):
    texts = [(key, value if isinstance(value, str) else json.dumps(value)) for key, value in fields.items()]
    response = api.form(*texts, ("file", (name, data)))
    return response.json().get("objectId", MISSING), response


def send_raw(api, data, name="x.bin", mime_type=None, headers=None):
    type = {"Content-Type": mime_type} if mime_type else {}
    response = api.store_raw(data, name, headers=type | (headers or {}))
    return response.json().get("objectId", MISSING), response


def with_token(send):
    def way(api, data, name="x.bin", **fields):
        asked = tokens(api, name, **fields)
        if asked.status_code != 201:
            return MISSING, asked
        target = Target(api, asked.json())
        return target.id, send(target, data)

    return way


def send_tus(api, data, name="x.bin", mime_type=None, **fields):
    app_only = Tus(api.server)
    app_only.headers = api.headers | {"Tus-Resumable": "1.0.0"}
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in fields.items()}
    type = {"filetype": mime_type} if mime_type else {}
    made = app_only.post(len(data), Upload_Metadata=metadata(filename=name, **type, **texts))
    if made.status_code != 201:
        return MISSING, made
    upload = TusUpload(app_only, made)
    return upload.id, upload.patch(0, data) if data else made


TOKEN_WAYS = {
    "s3": with_token(lambda target, data: target.put(data)),
    "kodo form": with_token(lambda target, data: target.form(data)),
    "kodo v1": with_token(lambda target, data: target.v1(data)),
    "kodo v2": with_token(lambda target, data: target.v2(data)),
    "cos form": with_token(lambda target, data: target.cos(data)),
}
WAYS = {"form": send_form, "raw": send_raw, "tus": send_tus} | TOKEN_WAYS


def ask_for_tokens(api, path="/1.1/fileTokens", agent=None, **fields):
    return api.post(path, json={"name": "note.txt"} | fields, headers=agent)
