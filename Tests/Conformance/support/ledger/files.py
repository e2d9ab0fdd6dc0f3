"""Files on their way to the server, in every dialect. Their clients can go on after a crash."""

import base64
import hashlib
import json

from uploading import checksum, url64
from wire import path_of

from .facts import Refusal, expect


def form(fields, boundary="ledger"):
    """The body of a form; a file is a pair of a name and bytes."""
    body = b""
    for name, value in fields:
        file = ""
        if isinstance(value, tuple):
            file, value = f'; filename="{value[0]}"', value[1]
        value = value.encode() if isinstance(value, str) else value
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + value + b"\r\n"
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


class File:
    """One file on its way to the server. `go` does what is left of it; it may be called again after a kill."""

    # Whether the client knows enough to go on after a kill, once it knows the file's id.
    resumes = True

    def __init__(self, chance, number):
        self.number = number
        self.size = chance.choice([0, 1, 700, 5_000, 70_000, 300_000, chance.randrange(200_000)])
        self.seed = f"{chance.random()} {number}"
        self.id = None
        self.begin(chance)

    def begin(self, chance):
        pass

    @property
    def data(self):
        return hashlib.shake_128(self.seed.encode()).digest(self.size)

    @property
    def digest(self):
        return hashlib.sha256(self.data).hexdigest()

    @property
    def can_go_on(self):
        return self.resumes and self.id is not None


class Form(File):
    resumes = False

    def go(self, wire, last):
        body, type = form([("file", (f"{self.number}.bin", self.data))])
        last()
        self.id = expect(wire.call("POST", "/1.1/files", body, Content_Type=type), 201).json()["objectId"]


class Raw(File):
    resumes = False

    def go(self, wire, last):
        last()
        self.id = expect(wire.call("POST", f"/1.1/files/{self.number}.bin", self.data), 201).json()["objectId"]


class NamedForm(File):
    resumes = False

    def go(self, wire, last):
        body, type = form([("file", ("other.bin", self.data))])
        last()
        path = f"/1.1/files/{self.number}.bin"
        self.id = expect(wire.call("POST", path, body, Content_Type=type), 201).json()["objectId"]


class Base64(File):
    resumes = False

    def go(self, wire, last):
        fields = {"base64": base64.b64encode(self.data).decode(), "_ContentType": "application/x-ledger"}
        last()
        self.id = expect(wire.send("POST", f"/1.1/files/{self.number}.bin", fields), 201).json()["objectId"]


class Token(File):
    """A file whose token is asked for first."""

    def ask(self, wire):
        if self.id is not None:
            return
        fields = {"name": f"{self.number}.bin", "metaData": {"size": self.size}}
        answer = expect(wire.send("POST", "/1.1/fileTokens", fields), 201).json()
        self.path, self.token, self.key = path_of(answer["upload_url"]), answer["token"], answer["key"]
        self.bucket, self.id = answer["bucket"], answer["objectId"]

    def kodo(self, wire, method, path, body=b"", type="application/octet-stream"):
        bearer = f"UpToken {self.token}"
        return expect(wire.call(method, self.path + path, body, Authorization=bearer, Content_Type=type), 200).json()


class S3Put(Token):
    def go(self, wire, last):
        self.ask(wire)
        last()
        expect(wire.call("PUT", self.path, self.data), 200)


class KodoForm(Token):
    def go(self, wire, last):
        self.ask(wire)
        body, type = form([("token", self.token), ("key", self.key), ("file", ("x.bin", self.data))])
        last()
        expect(wire.call("POST", self.path, body, Content_Type=type), 200)


class COSForm(Token):
    def go(self, wire, last):
        self.ask(wire)
        body, type = form([("op", "upload"), ("filecontent", ("x.bin", self.data))])
        last()
        expect(wire.call("POST", self.path, body, Content_Type=type, Authorization=self.token), 200)


class KodoV1(Token):
    def begin(self, chance):
        self.size = max(self.size, 1)
        self.block = chance.choice([20_000, 120_000, 4 << 20])
        self.contexts, self.chunks = [], chance.choice([1, 2])

    def go(self, wire, last):
        self.ask(wire)
        data = self.data
        for start in range(len(self.contexts) * self.block, len(data), self.block):
            self.contexts.append(self.send(wire, data[start : start + self.block]))
        last()
        self.kodo(wire, "POST", f"/mkfile/{self.size}/key/{url64(self.key)}", ",".join(self.contexts).encode())

    def send(self, wire, block):
        half = max(len(block) // self.chunks, 1)
        answer = self.kodo(wire, "POST", f"/mkblk/{len(block)}", block[:half])
        while answer["offset"] < len(block):
            chunk = block[answer["offset"] :]
            answer = self.kodo(wire, "POST", f"/bput/{answer['ctx']}/{answer['offset']}", chunk)
        return answer["ctx"]


class KodoV2(Token):
    def begin(self, chance):
        self.size = max(self.size, 1)
        self.part = chance.choice([30_000, 120_000, 4 << 20])
        self.parts, self.session = [], None

    def go(self, wire, last):
        self.ask(wire)
        base, data = f"/buckets/{self.bucket}/objects/{url64(self.key)}/uploads", self.data
        if self.session is None:
            self.session = self.kodo(wire, "POST", base)["uploadId"]
        for start in range(len(self.parts) * self.part, len(data), self.part):
            number = start // self.part + 1
            etag = self.kodo(wire, "PUT", f"{base}/{self.session}/{number}", data[start : start + self.part])["etag"]
            self.parts.append({"partNumber": number, "etag": etag})
        last()
        self.kodo(wire, "POST", f"{base}/{self.session}", json.dumps({"parts": self.parts}).encode(), "application/json")


TUS = {"Tus_Resumable": "1.0.0"}
BYTES = "application/offset+octet-stream"


class TusPiece:
    """One upload of tus."""

    def __init__(self, data, steps, **headers):
        self.data, self.steps, self.headers = data, steps, headers
        self.path = self.id = None
        self.is_lost = False

    def create(self, wire):
        if self.path is not None:
            return
        reply = expect(wire.call("POST", "/1.1/uploads", Upload_Length=len(self.data), **TUS, **self.headers), 201)
        self.path, self.id = path_of(reply.headers["Location"]), reply.headers["X-LC-Object-Id"]

    def head(self, wire):
        """How far the upload came, by the server's word; a whole file has a URL."""
        reply = expect(wire.call("HEAD", self.path, **TUS), 200)
        offset, length = int(reply.headers["Upload-Offset"]), int(reply.headers["Upload-Length"])
        if offset == length and "Upload_Concat" not in self.headers and "X-LC-File-URL" not in reply.headers:
            raise Refusal("HEAD says that all bytes are there, and there is no file")
        return offset

    def go(self, wire, last):
        self.create(wire)
        size, offset = len(self.data), self.head(wire)
        # A client that is told of all bytes is done: it sends nothing more.
        while offset < size:
            end = min(size, offset + max(size // self.steps, 1))
            digest = checksum("sha1", hashlib.sha1(self.data[offset:end]).digest()) if self.steps == 3 else None
            if end == size:
                last()
            reply = wire.call(
                "PATCH", self.path, self.data[offset:end],
                Upload_Offset=offset, Content_Type=BYTES, Upload_Checksum=digest, **TUS,
            )
            offset = int(expect(reply, 204).headers["Upload-Offset"])


class Tus(File):
    def begin(self, chance):
        self.steps = chance.choice([1, 1, 2, 3])
        self.piece = None

    def go(self, wire, last):
        if self.piece is None:
            self.piece = TusPiece(self.data, self.steps)
        self.piece.create(wire)
        self.id = self.piece.id
        self.piece.go(wire, last)


class TusConcatenation(File):
    """A file of pieces; if the answer to the last request is lost, it may be there or not."""

    def begin(self, chance):
        self.count, self.pieces = chance.choice([1, 2, 3]), None
        self.has_asked = False

    @property
    def can_go_on(self):
        return self.pieces is not None and all(piece.path for piece in self.pieces) and not self.has_asked

    def go(self, wire, last):
        if self.pieces is None:
            step = -(-self.size // self.count) or 1
            starts = range(0, max(self.size, 1), step)
            self.pieces = [TusPiece(self.data[start : start + step], 2, Upload_Concat="partial") for start in starts]
        for piece in self.pieces:
            piece.go(wire, last)
        paths = " ".join(piece.path for piece in self.pieces)
        self.has_asked = True
        last()
        reply = expect(wire.call("POST", "/1.1/uploads", Upload_Concat=f"final;{paths}", **TUS), 201)
        self.id = reply.headers["X-LC-Object-Id"]


DIALECTS = [
    Form, Raw, NamedForm, Base64, S3Put, KodoForm, COSForm, KodoV1, KodoV2, Tus, Tus, Tus, TusConcatenation,
]
