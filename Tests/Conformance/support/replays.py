"""What the official SDKs send for a file, byte by byte, and what they ask of the answers.

Here is what they share; each has its class in its own test_replay_<sdk>.py. `save` goes through the three steps: `ask` is
POST /fileTokens, `upload` sends the bytes as the answer's provider says, `call_back` tells how that went. Answers are
checked as the strictest SDK checks them.
"""

import base64
import gzip
import hashlib
import itertools
import json
import secrets
import string
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from cases import covering
from client import ALPHA, RawConnection, Server

BLOCK = 4 << 20
CACHE = ("Cache-Control", "public, max-age=31536000")
JSON = "application/json"
OCTETS = "application/octet-stream"

# What each SDK uploads in each way: a name with and without an extension, one of any script, bytes like a boundary, none.
FILES = {
    "text": ("note.txt", b"hello"),
    "any script": ("我的 笔记 #1.txt", b"\r\n--Boundary\r\n\r\n--"),
    "all bytes": ("README", bytes(range(256)) * 300),
    "empty": ("empty.txt", b""),
}
each_file = pytest.mark.parametrize("name, data", FILES.values(), ids=FILES)


def with_files(*others):
    """Parametrises a test by all pairs of other values, each with one of the files in turn."""
    return pytest.mark.parametrize("pair, file", covering(itertools.product(*others), FILES), ids=str)


@contextmanager
def serving(folder, providers):
    """A server with its own choice of providers, such as `java=qiniu`."""
    server = Server(folder, LCFILE_UPLOADS_PROVIDERS=providers).start()
    yield server
    assert server.stop() == 0


# Words

def random_word(count, letters=string.ascii_letters + string.digits):
    return "".join(secrets.choice(letters) for _ in range(count))


def random_hex(count):
    return secrets.token_hex(count)[:count]


def extension(name):
    return "." + name.rpartition(".")[2] if "." in name else ""


def md5(data):
    return hashlib.md5(data).hexdigest()


def sign(key, moment, *more):
    return ",".join([md5(f"{moment}{key}".encode()), moment, *more])


def urlsafe(text):
    return base64.urlsafe_b64encode(text.encode()).decode()


def qetag(data):
    """Qiniu's hash: SHA-1 over the SHA-1 of each 4 MiB, or the SHA-1 itself if there is only one."""
    blocks = [hashlib.sha1(data[at : at + BLOCK]).digest() for at in range(0, len(data) or 1, BLOCK)]
    whole = b"\x16" + blocks[0] if len(blocks) == 1 else b"\x96" + hashlib.sha1(b"".join(blocks)).digest()
    return base64.urlsafe_b64encode(whole).decode()


def pieces(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


# Requests

def send(method, url, headers, body=b""):
    """A request on a connection of its own, with these headers alone and in this order."""
    address = urlsplit(url)
    target = url.removeprefix(f"{address.scheme}://{address.netloc}")
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers), "", ""]
    with RawConnection(address.port) as connection:
        connection.send("\r\n".join(lines).encode())
        if ("Expect", "100-continue") in headers:
            assert connection.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.send(body)
        answer = connection.answer(method)
    if answer.headers["Content-Encoding"] == "gzip":
        answer.content = gzip.decompress(answer.content)
    return answer


def netloc(url):
    return "Host", urlsplit(url).netloc


def hostname(url):
    """The host without the port, as two SDKs send it."""
    return "Host", urlsplit(url).hostname


def length(body):
    return "Content-Length", len(body)


def disposition(name, filename=None):
    return f'Content-Disposition: form-data; name="{name}"' + (f'; filename="{filename}"' if filename else "")


def form(boundary, *parts):
    """A form's body; each part is its lines and its bytes."""
    body = [
        b"--%s\r\n%s\r\n\r\n%s\r\n" % (boundary.encode(), "\r\n".join(lines).encode(), data) for *lines, data in parts
    ]
    return b"".join(body) + f"--{boundary}--\r\n".encode()


def multipart(boundary):
    return "Content-Type", f"multipart/form-data; boundary={boundary}"


# Answers

def taken(answer, status=200):
    """The JSON object of an answer that every SDK takes for a success."""
    assert answer.status == status, (answer.status, answer.content[:500])
    # JS and Swift read nothing else as JSON; for Python and PHP a member `error` is a failure, whatever the status is.
    assert answer.headers.get_content_type() == JSON
    body = json.loads(answer.content)
    assert isinstance(body, dict) and "error" not in body, body
    return body


def taken_by_s3(answer):
    assert (answer.status, answer.content) == (200, b""), (answer.status, answer.content[:500])
    assert answer.headers["ETag"].strip('"')


def taken_by_kodo(answer, key, data):
    # Qiniu's own SDKs want X-Reqid; Java wants its own key back.
    assert taken(answer) == {"hash": qetag(data), "key": key}
    assert answer.headers["X-Reqid"]


def taken_by_cos(answer):
    body = taken(answer)
    assert (body["code"], body["message"]) == (0, "SUCCESS")
    assert set(body["data"]) == {"access_url", "source_url", "url"}


def assert_saved(server, tokens, data, app=ALPHA):
    """Reads back what was uploaded: the record by its id, the bytes by its address. Returns the record."""
    api = server.api(app)
    response = api.get(f"/1.1/files/{tokens['objectId']}")
    assert response.status_code == 200, response.text
    record = response.json()
    same = ["objectId", "createdAt", "name", "key", "url", "mime_type", "bucket"]
    assert {name: record.get(name) for name in same} == {name: tokens[name] for name in same}
    assert (record["metaData"]["size"], record["metaData"]["_checksum"]) == (len(data), md5(data))
    stored = api.fetch(record["url"])
    assert stored.content == data
    assert stored.headers["Content-Type"].partition(";")[0] == record["mime_type"]
    assert stored.headers["ETag"] == f'"{qetag(data)}"'
    return record


def assert_not_saved(server, tokens, app=ALPHA):
    api = server.api(app)
    assert api.get(f"/1.1/files/{tokens['objectId']}").status_code == 404
    assert api.fetch(tokens["url"]).status_code == 404


def assert_linked(server, answer, name, url=None, app=ALPHA):
    """Reads back the record of a file that is elsewhere."""
    assert all(isinstance(answer[field], str) for field in ("objectId", "createdAt")), answer
    assert (answer["name"], answer.get("url")) == (name, url)
    record = server.api(app).get(f"/1.1/files/{answer['objectId']}").json()
    assert (record["name"], record.get("url"), record["createdAt"]) == (name, url, answer["createdAt"])
    assert record["metaData"]["__source"] == "external"


# SDKs

class SDK:
    """What they have in common."""

    # What the SDK cannot do without in the answer of fileTokens.
    needs = {"objectId", "provider", "upload_url", "token", "key"}
    # The provider that the answer names if the server is told nothing.
    usual = "s3"
    # Where records of files that are elsewhere are made.
    link_path = "/1.1/files"

    def __init__(self, server, app=ALPHA, master=False, session=None, version=None, provider=None):
        self.server, self.app, self.master = server, app, master
        self.session = [("X-LC-Session", session)] if session else []
        self.version = version or self.version
        self.provider = provider or self.usual

    @property
    def numbers(self):
        return [int(number) for number in self.version.split(".")]

    @property
    def moment(self):
        return str(int(time.time() * 1000))

    @property
    def signed(self):
        key = self.app.master if self.master else self.app.key
        return [("X-LC-Id", self.app.id), ("X-LC-Sign", sign(key, self.moment, *["master"] * self.master))]

    @property
    def keyed(self):
        return [("X-LC-Id", self.app.id), ("X-LC-Key", f"{self.app.master},master" if self.master else self.app.key)]

    def encode(self, fields):
        return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)

    def post(self, path, fields, status=200):
        url, body = self.server.url + path, self.encode(fields).encode()
        return taken(send("POST", url, self.headers(url, body), body), status)

    def ask(self, name, data, type=None, **more):
        # go-upload takes 201 alone.
        tokens = self.post("/1.1/fileTokens", self.fields(name, data, type) | more, 201)
        # Java up to 8.2.18 reads each value as a string and throws at any other.
        assert all(isinstance(value, str) for value in tokens.values()), tokens
        assert not {field for field in self.needs if not tokens.get(field)}, tokens
        assert tokens["provider"] == self.provider
        return tokens

    def upload(self, tokens, name, data):
        getattr(self, tokens["provider"])(tokens, name, data)

    def call_back(self, token, result=True):
        assert self.post("/1.1/fileCallback", {"token": token, "result": result}) == {}

    def save(self, name, data, type=None, **more):
        tokens = self.ask(name, data, type, **more)
        self.upload(tokens, name, data)
        self.call_back(tokens["token"])
        return tokens

    def link(self, name, url, type=None):
        """Makes the record of a file that is elsewhere."""
        return self.post(self.link_path, self.link_fields(name, url, type), 201)


class Apple(SDK):
    """Objective-C and Swift: Foundation writes `/` as `\\/` in JSON."""

    def encode(self, fields):
        return super().encode(fields).replace("/", "\\/")

    def link_fields(self, name, url, type):
        return {"url": url, "name": name, "mime_type": type or OCTETS, "metaData": {"__source": "external"}}
