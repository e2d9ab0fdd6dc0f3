"""Reads generations of a continuous backup without lcfile: docs/continuous-backup.md describes the format."""

import hashlib
import json
import shutil
import struct

from client import ALPHA

HEADER, END = struct.Struct(">8sIIQ32s"), struct.Struct(">IIq")


def generations(repository, app=ALPHA):
    """The folders of whole generations, from old to new."""
    return sorted(path.parent for path in (repository / app.id / "wal").glob("*/manifest.json"))


def segments(generation):
    """The files of segments in the order of their numbers."""
    return sorted(generation.glob("*.segment"))


def last_moment(generation):
    """The time of the last commit of the last segment in seconds since 1970; 0 without segments."""
    names = [path.name for path in segments(generation)]
    return int(names[-1].split("-")[1]) / 1000 if names else 0


def replay(generation, until=None):
    """The bytes of the database after the segments whose last commit is not later; checks the whole chain."""
    base = (generation / "base").read_bytes()
    manifest = json.loads((generation / "manifest.json").read_text())
    previous = hashlib.sha256(base).digest()
    assert manifest["database"] == {"size": len(base), "sha256": previous.hex()}
    database = bytearray(base)
    for number, path in enumerate(segments(generation), 1):
        name_number, moment, digest = path.stem.split("-")
        name_number, moment = int(name_number), int(moment)
        blobs = path.with_suffix(".blobs")
        assert hashlib.sha256(blobs.read_bytes() if blobs.exists() else b"").hexdigest() == digest
        content = path.read_bytes()
        magic, size, zero, own, named = HEADER.unpack_from(content)
        assert (magic, zero, own, name_number, named) == (b"lcfseg01", 0, number, number, previous)
        previous = hashlib.sha256(content[:-32]).digest()
        assert previous == content[-32:]
        end, pages, time = END.unpack_from(content, len(content) - 32 - END.size)
        assert (end, time) == (0, moment)
        if until is not None and moment / 1000 > until:
            break
        for offset in range(HEADER.size, len(content) - 32 - END.size, 4 + size):
            (page,) = struct.unpack_from(">I", content, offset)
            if page * size > len(database):
                database.extend(bytes(page * size - len(database)))
            database[(page - 1) * size:page * size] = content[offset + 4:offset + 4 + size]
        del database[pages * size:]
    return bytes(database)


def named_blobs(generation):
    """The names in the lists of blobs."""
    lists = [generation / "files", *generation.glob("*.blobs")]
    return {line for path in lists for line in path.read_text().split()}


def rebuild(repository, storage, until=None, app=ALPHA):
    """Makes the storage folder of one app from its newest generation."""
    generation = generations(repository, app)[-1]
    folder = storage / app.id
    folder.mkdir(parents=True)
    (folder / "lcfile.sqlite").write_bytes(replay(generation, until))
    for name in named_blobs(generation):
        target = folder / "blobs" / name[:2] / name.split(".")[0]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(repository / app.id / "blobs" / name[:2] / name, target)
