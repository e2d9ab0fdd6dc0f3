"""Client libraries that know nothing of lcfile, pointed at it as their manuals say, and what breaks their connections."""

import hashlib
import io
import os
import socket
import threading
from contextlib import suppress

import boto3
import qiniu
from botocore.config import Config
from client import TIMEOUT, credentials
from tusclient.client import TusClient

# Libraries that read proxies from the environment must not ask one for this machine.
os.environ["no_proxy"] = "127.0.0.1,localhost"

MIB = 1 << 20
BROWSER = {"X-LC-UA": "LeanCloud-JS-SDK/4.15.3 (Browser)"}


def some_bytes(size):
    return hashlib.shake_128(b"clients").digest(size)


def s3_ticket(api, name="photo.bin", **fields):
    return new_ticket(api, {}, "s3", name=name, **fields)


def qiniu_ticket(api, name="photo.bin", **fields):
    return new_ticket(api, BROWSER, "qiniu", name=name, **fields)


def new_ticket(api, headers, provider, **fields):
    """What fileTokens answers: where to bring a file, and as what it will be found."""
    response = api.post("/1.1/fileTokens", json=fields, headers=headers)
    assert response.status_code == 201, response.text
    assert response.json()["provider"] == provider
    return response.json()


def stored(api, id):
    """A file's bytes, and its record."""
    response = api.get(f"/1.1/files/{id}")
    assert response.status_code == 200, response.text
    return api.fetch(response.json()["url"]).content, response.json()


def assert_stored(api, ticket, data):
    content, record = stored(api, ticket["objectId"])
    assert content == data
    assert record["metaData"]["size"] == len(data)
    assert (record["key"], record["url"]) == (ticket["key"], ticket["url"])


def assert_no_file(api, ticket):
    assert api.get(f"/1.1/files/{ticket['objectId']}").status_code == 404
    assert api.fetch(ticket["url"]).status_code == 404


# Qiniu

def kodo(put, ticket, *arguments, host=None, **options):
    """Calls one of qiniu's functions for a ticket, as an app that names its own host; gives the answer and its facts."""
    host = host or ticket["upload_url"]
    qiniu.set_default(default_zone=qiniu.Zone(up_host=host, scheme=host.partition(":")[0]))
    return put(ticket["token"], ticket["key"], *arguments, **options)


def kodo_stream(ticket, data, folder, version, part_size=None, host=None, heard=None):
    """Sends bytes in blocks (v1) or parts (v2), remembering in the folder what is done; heard gets a number for each."""
    return kodo(
        qiniu.put_stream_v2, ticket, io.BytesIO(data), "photo.bin", len(data), host=host, version=version,
        part_size=part_size, modify_time=1, upload_progress_recorder=qiniu.UploadProgressRecorder(str(folder)),
        progress_handler=lambda done, total: heard is None or heard.append(done),
    )


def kodo_hash(data):
    return qiniu.utils.etag_stream(io.BytesIO(data))


# tus

def tus(server):
    return TusClient(f"{server.url}/1.1/uploads", headers=credentials())


def tus_id(api, url):
    """The file that a tus upload became."""
    return api.call("HEAD", url.removeprefix(api.server.url), headers={"Tus-Resumable": "1.0.0"}).headers["X-LC-Object-Id"]


# S3

def s3(endpoint, verify=None, **options):
    return boto3.client(
        "s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="any", aws_secret_access_key="any",
        verify=verify, config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}, **options),
    )


class Gate:
    """A way to a server that breaks in the middle of a request: after so many bytes it does something, once."""

    def __init__(self, server, after, then):
        self.server, self.left, self.then = server, after, then
        self.lock, self.broke, self.done = threading.Lock(), False, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.listen, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Closing alone does not wake the thread that accepts.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def instead_of(self, url):
        """The same address, through here."""
        return url.replace(self.server.url, self.url)

    def wait(self):
        assert self.done.wait(TIMEOUT), "the bytes after which to break did not come"

    def listen(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.server.port))
            except OSError:
                client.close()
                continue
            for source, target, allowed in ((client, server, self.allowed), (server, client, len)):
                threading.Thread(target=self.pump, args=(source, target, allowed), daemon=True).start()

    def pump(self, source, target, allowed):
        with suppress(OSError):
            while data := source.recv(64 << 10):
                end = allowed(data)
                target.sendall(data[:end])
                if end < len(data):
                    self.then()
                    self.done.set()
                    break
        for socket_ in (source, target):
            with suppress(OSError):
                socket_.shutdown(socket.SHUT_RDWR)
        source.close()

    def allowed(self, data):
        """How many of these bytes may pass."""
        with self.lock:
            if self.broke:
                return len(data)
            self.broke = len(data) > self.left
            end = min(self.left, len(data))
            self.left -= end
            return end
