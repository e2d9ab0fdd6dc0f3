"""Runs `lcfile check`, and damages a storage as a failing disk does."""

import json

from backups import lcfile
from client import ALPHA

WHOLE, DAMAGED, STORAGE = 0, 65, 73
# A round begins every 0.864 seconds.
FAST_SCRUBBER = {"LCFILE_SCRUB_DAYS": "0.00001", "LCFILE_SCRUB_MIN_RATE": "1GB"}


def check(server, *arguments):
    return lcfile("check", "--storage", server.storage, *arguments)


def findings(server, *arguments):
    """The exit code, the kinds of findings with their subjects, and the summary."""
    result = check(server, "--json", *arguments)
    assert result.stderr == ""
    *found, last = [json.loads(line) for line in result.stdout.splitlines()]
    return result.returncode, [(one["kind"], one["subject"]) for one in found], last["summary"]


def flip(path, offset=0):
    """Changes one bit of a file, in place."""
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 1]))


def damage_row(server, record, old, new):
    """Changes the text of a file record in the pages of a closed database, as a failing disk does."""
    database = server.storage / ALPHA.id / "lcfile.sqlite"
    content = database.read_bytes()
    place = content.index(record["objectId"].encode())
    place = content.index(old, place)
    database.write_bytes(content[:place] + new + content[place + len(old):])


def damage(server):
    """What the metrics say is damaged, by kind."""
    from metrics import families

    known = families(server).get("lcfile_damage")
    found = {}
    for sample in known.samples if known else []:
        kind = sample.labels["kind"]
        found[kind] = found.get(kind, 0) + sample.value
    return found
