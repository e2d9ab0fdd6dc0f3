"""The part of Benchmarks/run that measures downloads of private files by signed URLs, beside nginx with its secure_link
module, which checks an MD5 where lcfile checks an HMAC-SHA256."""

import base64
import hashlib
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from statistics import median

from asking import upload
from downloads import made
from measuring import load, report, start_lcfile, turns
from peers import FileServer

# Of each side in each of three rounds.
SECONDS = float(os.environ.get("BENCH_SECONDS", 3))
SIZES = {"100 B": 100, "10 KB": 10_000, "1 MB": 1_000_000}
CONNECTIONS = (1, 16, 64)
SECRET = "a secret"
# `if` here only returns, the one use of it that nginx's documentation calls safe.
LINKS = f"""
                    secure_link $arg_md5,$arg_expires; secure_link_md5 "$secure_link_expires$uri {SECRET}";
                    location ~ [.]bin$ {{ if ($secure_link != 1) {{ return 403; }} }}
"""


def bench(folder):
    folder.mkdir()
    files = {name: made(folder, size, size) for name, size in SIZES.items()}
    server, url = start_lcfile(folder, {"LCFILE_FILES_ACCESS": "private"})
    try:
        with FileServer(folder / "nginx", location=LINKS) as nginx:
            for name, file in files.items():
                urls = (upload(url, file), signed(nginx.add(file)))
                for each in urls:
                    check(each, file)
                for connections in CONNECTIONS:
                    rates = turns([lambda each=each: load(each, connections, SECONDS).rate for each in urls])
                    report(
                        f"signed download {name}, {connections} conn.", "req/s", *map(median, zip(*rates)), "nginx",
                    )
    finally:
        server.stop()


def signed(url):
    """A URL that nginx takes for an hour."""
    expires = int(time.time()) + 3600
    digest = hashlib.md5(f"{expires}{urllib.parse.urlsplit(url).path} {SECRET}".encode()).digest()
    return f"{url}?md5={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}&expires={expires}"


def check(url, file):
    """The URL has the file's bytes, and without its signature nothing."""
    with urllib.request.urlopen(url, timeout=30) as answer:
        assert answer.read() == file.read_bytes(), url
    try:
        urllib.request.urlopen(url.split("?")[0], timeout=30)
        raise AssertionError(f"{url} needs no signature")
    except urllib.error.HTTPError as error:
        assert error.code == 403, url
