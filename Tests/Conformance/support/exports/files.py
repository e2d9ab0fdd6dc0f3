"""Records of `_File` and the bytes behind them.

A record here is what the app means: `metaData` is an object, and an internal file has no `url`. `exported` gives it the
forms that rows of exports have.
"""

import hashlib
import json
from urllib.parse import quote

from client import ROCKET

from .identifiers import chance, creation, iso, object_id, token

# Bytes of a file, in turns.
SIZES = (512, 0, 10_000, 1, 65_537, 17, 4_096, 100_001, 4_095, 262_144)
# Above the 16 MiB from which the command line uploads by tus.
LARGE = (16 << 20) + 1

# Name and media type of a file, in turns; the type None is missing in the record.
NAMES = [
    ("photo.jpg", "image/jpeg"),
    ("notes.txt", "text/plain; charset=gbk"),
    ("two words.pdf", "application/pdf"),
    ("照片 1.png", "image/png"),
    ("no-extension", "application/octet-stream"),
    ("🍵 tea.mp4", "video/mp4"),
    ("page.HTML", "text/html;charset=UTF-8"),
    ("n" * 296 + ".zip", "application/zip"),
    ("a+b&c=d %20 #1.csv", "text/csv; charset=utf-8; header=present"),
    ("'quoted\" \\name.json", "application/json"),
    ("untyped.bin", None),
    (".hidden", "application/octet-stream"),
    ("naïve résumé.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("名" * 100 + ".wav", "audio/x-wav"),
]
# Keys that an app chose with its master key; each is used by one file.
CHOSEN_KEYS = [
    "robots.txt", "照片/猫 1.jpg", "a+b/c&d=e.txt", "100% sure.txt", "quote'\".txt", "🍵/tea.txt", ".well-known/app.json",
    "deep/er/and/deeper.bin", "semi;colon,comma.txt", "naïve.txt",
]
# One of so many files is on another server.
EXTERNAL_EVERY = 10
ELSEWHERE = "https://elsewhere.example.org"


class Files:
    """The files of an app: `records` in their order, and `content` by key."""

    def __init__(self, app, count, sizes, large):
        self.app, self.sizes, self.large = app, sizes, large
        self.numbers = {}
        self.records = [self.record(number) for number in range(count)]

    def is_external(self, number):
        return number % EXTERNAL_EVERY == EXTERNAL_EVERY - 1

    def record(self, number):
        random = chance(self.app.seed, "_File", number)
        name, type = NAMES[number % len(NAMES)]
        time = iso(creation(number))
        common = {
            "objectId": object_id(self.app.seed, "_File", number), "name": name, "createdAt": time, "updatedAt": time,
            "ACL": self.app.acl(random),
        }
        if self.is_external(number):
            link = f"{ELSEWHERE}/{number}/{quote(name[:40])}"
            record = common | {"url": link, "metaData": {"__source": "external", "owner": "unknown"}}
            return record | ({"mime_type": type} if type and number % 20 == 9 else {})
        key = self.key(number, name, random)
        self.numbers[key] = number
        data = self.content(key)
        record = common | {"key": key, "bucket": self.app.keys.id[:8], "metaData": self.metadata(number, data, random)}
        if type is not None:
            record["mime_type"] = type
        if number % 6:
            # Records of the first years have no provider.
            record["provider"] = "qiniu"
        return record

    def key(self, number, name, random):
        extension = "." + name.rsplit(".", 1)[1] if "." in name[1:] else ""
        if number % 7 == 3 and number // 7 < len(CHOSEN_KEYS):
            return CHOSEN_KEYS[number // 7]
        forms = [
            lambda: token(random, 32) + extension,
            lambda: f"{token(random, 32)}/{name}" if len(name.encode()) < 200 else token(random, 32),
            lambda: token(random, 40) + extension,
            lambda: f"gamesaves/{token(random, 32)}{extension}",
            lambda: token(random, 20, "0123456789abcdef") + extension,
        ]
        return forms[number % len(forms)]()

    def metadata(self, number, data, random):
        values = {"size": len(data), "owner": self.app.some_user(random) if number % 4 else "unknown"}
        if number % 3:
            values["_checksum"] = hashlib.md5(data).hexdigest()
        if number % 5 == 0:
            values |= {"width": 640, "height": 427, "album": {"name": "夏天", "tags": ["a", None]}}
        if number % 11 == 5:
            # Flutter sends no size.
            del values["size"]
        return values

    def content(self, key):
        """The bytes of an internal file; random, or a photograph that is different for each key."""
        number = self.numbers[key]
        if number < len(self.large):
            return chance(self.app.seed, key).randbytes(self.large[number])
        if NAMES[number % len(NAMES)][0] == "photo.jpg":
            # Decoders stop at the end of the image.
            return ROCKET.read_bytes() + key.encode()
        return chance(self.app.seed, key).randbytes(self.sizes[number % len(self.sizes)])


def url(record, domain):
    """Where the bytes of a record are."""
    return record["url"] if "key" not in record else f"{domain}/{quote(record['key'])}"


def exported(record, number, domain):
    """A row of an export: some internal files have their URL, some have `metaData` as JSON in a string, and external
    files have a null for their bucket or no bucket."""
    row = dict(record)
    if "key" not in row:
        return row | ({"bucket": None, "key": None} if number % 20 == 9 else {})
    if number % 2:
        row["url"] = url(record, domain)
    if number % 7 == 5:
        row["metaData"] = json.dumps(row["metaData"], ensure_ascii=False)
    return row
