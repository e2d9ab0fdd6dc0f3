"""A client that uploads large files in every dialect and is no work for the machine: the kernel moves the bytes.

Each function uploads one file in requests of at most so many bytes, where its dialect knows more than one, and gives
its objectId.
"""

import base64
import http.client
import json
import os
import socket
import struct
import sys
import urllib.parse

from measuring import APP

KEYS = {"X-LC-Id": APP["LCFILE_APP_ID"], "X-LC-Key": APP["LCFILE_APP_KEY"]}
MASTER = KEYS | {"X-LC-Key": f"{APP['LCFILE_MASTER_KEY']},master"}
TUS = KEYS | {"Tus-Resumable": "1.0.0"}
BYTES = {"Content-Type": "application/octet-stream"}
MEBI = 1 << 20
BLOCK = 4 * MEBI
# Every byte sent is one of these.
SOURCE = 16 * MEBI
# A server that takes no byte for so many seconds ends the run.
PATIENCE = 60


def source():
    """The bytes, as a file in memory."""
    file = os.memfd_create("source")
    os.write(file, os.urandom(SOURCE))
    return file


def pour(target, source, count):
    """Sends that many bytes of the source, from its start again after its end; the kernel moves them."""
    done = 0
    while done < count:
        offset = done % SOURCE
        done += os.sendfile(target, source, offset, min(count - done, SOURCE - offset))


class Client(http.client.HTTPConnection):
    """One client on one connection; a refusal ends the run."""

    def __init__(self, url, source):
        super().__init__(urllib.parse.urlsplit(url).netloc)
        self.source = source
        self.connect()
        for side in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            self.sock.setsockopt(socket.SOL_SOCKET, side, struct.pack("ll", PATIENCE, 0))

    def ask(self, method, url, headers={}, start=b"", size=0, end=b""):
        """Sends `start`, `size` bytes of the source, and `end`; gives the headers and the JSON of the answer."""
        self.putrequest(method, urllib.parse.urlsplit(url).path)
        for name, value in headers.items():
            self.putheader(name, value)
        self.putheader("Content-Length", len(start) + size + len(end))
        self.endheaders()
        try:
            if start:
                self.sock.sendall(start)
            pour(self.sock.fileno(), self.source, size)
            if end:
                self.sock.sendall(end)
        except (BrokenPipeError, ConnectionResetError):
            pass  # The answer says why.
        answer = self.getresponse()
        text = answer.read()
        if answer.status // 100 != 2:
            sys.exit(f"{method} {url}: {answer.status} {text.decode()[:200]}")
        return answer.headers, json.loads(text) if text else {}

    def token(self, size):
        body = json.dumps({"name": "large.bin", "metaData": {"size": size}}).encode()
        return self.ask("POST", "/1.1/fileTokens", KEYS | {"Content-Type": "application/json"}, body)[1]


def put(client, size, _):
    token = client.token(size)
    client.ask("PUT", token["upload_url"], BYTES, size=size)
    return token["objectId"]


def raw(client, size, _):
    return client.ask("POST", "/1.1/files/large.bin", KEYS | BYTES, size=size)[1]["objectId"]


def form(client, size, _):
    part = 'Content-Disposition: form-data; name="file"; filename="large.bin"\r\nContent-Type: application/octet-stream'
    headers = KEYS | {"Content-Type": "multipart/form-data; boundary=bytes"}
    start, end = f"--bytes\r\n{part}\r\n\r\n".encode(), b"\r\n--bytes--\r\n"
    return client.ask("POST", "/1.1/files", headers, start, size, end)[1]["objectId"]


def blocks(client, size, chunk):
    token = client.token(size)
    url, headers = token["upload_url"], {"Authorization": f"UpToken {token['token']}"}
    contexts = []
    for block in lengths(size, BLOCK):
        path = f"mkblk/{block}"
        for length in lengths(block, chunk):
            _, answer = client.ask("POST", f"{url}/{path}", headers | BYTES, size=length)
            path = f"bput/{answer['ctx']}/{answer['offset']}"
        contexts.append(answer["ctx"])
    client.ask("POST", f"{url}/mkfile/{size}/key/{encoded(token['key'])}", headers, ",".join(contexts).encode())
    return token["objectId"]


def parts(client, size, length):
    token = client.token(size)
    headers = {"Authorization": f"UpToken {token['token']}"}
    url = f"{token['upload_url']}/buckets/{token['bucket']}/objects/{encoded(token['key'])}/uploads"
    url = f"{url}/{client.ask('POST', url, headers)[1]['uploadId']}"
    sent = []
    for number, piece in enumerate(lengths(size, length), 1):
        _, answer = client.ask("PUT", f"{url}/{number}", headers | BYTES, size=piece)
        sent.append({"partNumber": number, "etag": answer["etag"]})
    client.ask("POST", url, headers | {"Content-Type": "application/json"}, json.dumps({"parts": sent}).encode())
    return token["objectId"]


def tus(client, size, length):
    # That is large.bin.
    announced = {"Upload-Length": size, "Upload-Metadata": "filename bGFyZ2UuYmlu"}
    created, _ = client.ask("POST", "/1.1/uploads", TUS | announced)
    offset = 0
    for piece in lengths(size, length):
        headers = TUS | {"Content-Type": "application/offset+octet-stream", "Upload-Offset": offset}
        client.ask("PATCH", created["Location"], headers, size=piece)
        offset += piece
    return created["X-LC-Object-Id"]


def lengths(whole, piece):
    """Those of the pieces of a whole, the last of which may be shorter."""
    return [min(piece, whole - start) for start in range(0, whole, piece)]


def encoded(text):
    return base64.urlsafe_b64encode(text.encode()).decode()
