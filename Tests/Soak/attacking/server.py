"""The server that is attacked, and the objects and images that are worth attacking."""

import json
import subprocess
import urllib.parse

from attacking.request import KEYS, Request, with_json
from attacking.sources import MADE, sources
from measuring import PHOTO, start_lcfile
from wire import Wire

# Seconds. The settings are smaller than the defaults, so that a run sees many deadlines.
QUERY_TIMEOUT, IMAGE_TIMEOUT = 5, 10
# Half of the default: with it the whole server keeps below 512 MB, whatever images are requested.
IMAGE_MEMORY = "256MB"
SETTINGS = {
    "LCFILE_QUERIES_TIMEOUT": str(QUERY_TIMEOUT), "LCFILE_IMAGES_TIMEOUT": str(IMAGE_TIMEOUT),
    "LCFILE_IMAGES_MEMORY": IMAGE_MEMORY, "LCFILE_IMAGES_CACHE_SIZE": "256MB", "LCFILE_UPLOADS_QUOTA": "1GB",
    "LCFILE_LOG_LEVEL": "critical",
}


class Server:
    """A server with a storage of its own."""

    def __init__(self, folder):
        started, self.url = start_lcfile(folder, SETTINGS)
        self.process = started.process
        self.port = urllib.parse.urlsplit(self.url).port
        self.wire = Wire(self.port)

    def fill(self, random):
        """Makes what is attacked: ids by class, and paths of images by file name."""
        ids = {"Rows": [], "Big": []}
        for number in range(100):
            ids["Rows"].append(self.create("Rows", row(random, number, ids["Rows"])))
        for fields in big(ids["Rows"]):
            ids["Big"].append(self.create("Big", fields))
        files = {}
        for name, data in {"photo.jpg": PHOTO.read_bytes(), **sources()}.items():
            files[name] = self.store(name, data)
        for name, (source, operations) in MADE.items():
            status, data = self.wire.request(Request("setup", "GET", f"{files[source]}?{operations}", {}).pieces)
            if status == 200:
                files[name] = self.store(name, data)
        return ids, files

    def create(self, name, fields):
        return self.made(with_json("setup", "POST", f"/1.1/classes/{name}", fields))["objectId"]

    def store(self, name, data):
        headers = KEYS | {"Content-Type": "application/octet-stream"}
        record = self.made(Request("setup", "POST", f"/1.1/files/{name}", headers, data))
        return urllib.parse.urlsplit(record["url"]).path

    def made(self, request):
        status, body = self.wire.request(request.pieces)
        if status != 201:
            raise RuntimeError(f"{request}: {status} {body[:300]!r}")
        return json.loads(body)

    def stop(self):
        """Ends the server; returns its exit code."""
        self.process.terminate()
        try:
            return self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def row(random, number, earlier):
    def pointer(id):
        return {"__type": "Pointer", "className": "Rows", "objectId": id}

    fields = {
        "n": number % 10, "s": "a" * random.randrange(40) + random.choice(["", "!", "b"]), "b": number % 2 == 0,
        "tags": [f"value {random.randrange(20)}" for _ in range(random.randrange(20))],
        "o": {"a": {"b": number % 5}, "list": list(range(random.randrange(50)))},
        "t": {"__type": "Date", "iso": f"2026-01-{number % 28 + 1:02}T00:00:00.000Z"},
        "g": {"__type": "GeoPoint", "latitude": random.uniform(-80, 80), "longitude": random.uniform(-170, 170)},
        "items": [{"k": number} for number in range(random.randrange(30))],
        "rel": {"__op": "AddRelation", "objects": [pointer(id) for id in earlier[:50]]} if earlier else None,
    }
    if earlier:
        fields["p"] = pointer(random.choice(earlier))
    return {name: value for name, value in fields.items() if value is not None}


def big(rows):
    """Objects near objects.maxSize, each large in another way."""
    pointers = [{"__type": "Pointer", "className": "Rows", "objectId": id} for id in rows]
    return [
        {"n": 1, "a": list(range(20_000))},
        {"n": 2, "d": [number % 10 for number in range(60_000)]},
        {"n": 3, "s": "a" * 50_000 + "!", "text": "ab" * 30_000},
        {"n": 4, "items": [{"k": number, "list": [1, 2, 3]} for number in range(3000)]},
        {"n": 5, "o": {f"m{number}": {"a": [{}]} for number in range(5000)}},
        {"n": 6, "items": pointers * 15},
        {"n": 7, "s": "é" * 25_000, "a": [{} for _ in range(20_000)]},
    ]
