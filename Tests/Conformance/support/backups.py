"""Runs `lcfile backup` and `lcfile restore`, and finds blobs in what they write."""

import hashlib
import subprocess
from urllib.parse import unquote, urlsplit

from client import ALPHA, BINARY, TIMEOUT, clean_environment

USAGE, INCOMPLETE, STORAGE = 2, 65, 73


def command(*arguments):
    return [BINARY, *map(str, arguments)]


def lcfile(*arguments, **environment):
    return subprocess.run(
        command(*arguments), env=clean_environment(**environment), capture_output=True, text=True, timeout=4 * TIMEOUT
    )


def back_up(server, folder):
    return lcfile("backup", "--storage", server.storage, folder)


def restore(folder, storage, *arguments):
    return lcfile("restore", "--storage", storage, *arguments, folder)


def assert_succeeds(result):
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def blob_of(record, folder, app=ALPHA):
    """Where the bytes of a record lie in a storage folder or a backup."""
    key = unquote(urlsplit(record["url"]).path)[1:]
    digest = hashlib.sha256(key.encode()).hexdigest()
    return folder / app.id / "blobs" / digest[:2] / digest
