"""Random abuses of uploads: forms, announcements, bytes at wrong offsets, bodies that end early."""

from base64 import b64encode

from attacking.request import KEYS, Request, with_json

NAMES = ["a.jpg", "x" * 255, "x" * 256, "../../etc/passwd", "a\u0000b", "folder/name.txt", "é.png", ""]
BOUNDARY = "soak"


class Uploads:
    """Draws uploads of few bytes, so that a run takes little of the disk."""

    def __init__(self, random):
        self.random = random
        self.pick = random.choice
        # How many uploads were announced; uploads.maxOpen bounds them, and each takes a record.
        self.announced = 0

    def upload(self):
        draws = [self.raw, self.form, self.base64, self.token, self.tus, self.remote, self.wrong_address]
        request = self.pick(draws)()
        if self.random.random() < 0.1:
            request.leaves_after = self.random.uniform(0, 0.5)
        return request

    def raw(self):
        name = self.pick(["a.jpg", "b.bin", "x" * 255, "%2e%2e", "%00"])
        type = self.pick(["application/octet-stream", "image/webp", "text/plain", "a/b" * 1000])
        headers = KEYS | {"Content-Type": type}
        if self.random.random() < 0.2:
            headers["Content-MD5"] = "AAAAAAAAAAAAAAAAAAAAAA=="
        return Request("raw upload", "POST", f"/1.1/files/{name}", headers, self.bytes())

    def form(self):
        count = self.pick([1, 5, 50, 100, 101])
        metadata = ['{"a":1}', "[" * 200, '{"a":' * 90 + "1" + "}" * 90, "x" * 140_000]
        fields = [
            ("prefix", self.pick(["p", "health", "1.1", "../..", "a/" * 200])), ("metaData", self.pick(metadata)),
        ]
        parts = [f'name="{name}"\r\n\r\n{value}' for name, value in fields if self.random.random() < 0.3]
        parts += [f'name="file"; filename="{number}.bin"\r\n\r\n' + "x" * 100 for number in range(count)]
        body = "".join(f"--{BOUNDARY}\r\nContent-Disposition: form-data; {part}\r\n" for part in parts).encode()
        if self.random.random() < 0.8:
            body += f"--{BOUNDARY}--\r\n".encode()
        headers = KEYS | {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        return Request("form", "POST", "/1.1/files", headers, body)

    def base64(self):
        text = b64encode(self.bytes()).decode()
        return with_json("base64", "POST", "/1.1/files/a.bin", {"base64": self.pick([text, text[:-1], "!" * 1000])})

    def token(self):
        self.announced += 1
        size = self.pick([0, 1, 1 << 20, 1 << 62, -1])
        fields = {"name": self.pick(NAMES), "key": "x", "metaData": {"size": size}, "mime_type": "image/png"}
        return with_json("announcement", "POST", "/1.1/fileTokens", fields)

    def tus(self):
        length = self.pick([0, 10, 1000, 10**18])
        headers = KEYS | {
            "Tus-Resumable": "1.0.0", "Upload-Length": str(length),
            "Upload-Metadata": "filename " + b64encode(b"a").decode(),
        }
        return Request("tus", "POST", "/1.1/uploads", headers, self.pick([b"", b"x" * 5]))

    def remote(self):
        """A file elsewhere, of this machine or of none, which the server must not connect to."""
        url = self.pick(["http://127.0.0.1:1/x", "http://[::1]/", "file:///etc/passwd", "x" * 5000])
        fields = {"url": url, "name": "x", "fetch": self.random.random() < 0.8}
        return with_json("remote file", "POST", "/1.1/files", fields)

    def wrong_address(self):
        target = f"/1.1/upload/{'A' * self.pick([10, 40, 5000])}"
        method = self.pick(["POST", "PUT", "PATCH", "HEAD"])
        headers = {"Upload-Offset": self.pick(["0", "5", "-1"]), "Tus-Resumable": "1.0.0"}
        return Request("upload by address", method, target, headers, self.bytes())

    def bytes(self):
        images = [b"GIF89a" + b"\0" * 1000, b"\x89PNG\r\n\x1a\n" + b"x" * 100_000, b"<svg/>" * 100]
        return self.pick([b"", b"x", *images])
