"""The part of downloads.py that measures latency while clients upload and request derivatives, and the log's cost."""

import os
import sys
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from statistics import median

from asking import KEYS, derivative, fetched, quality, upload
from measuring import compare, load, report, start_lcfile, turns
from pictures import built
from uploads import measured

CONNECTIONS = 16
UPLOADS, UPLOADED, MOST_UPLOADS = 8, 100_000, 20_000
IMAGES, WIDTH = 4, 200
# Seconds for which the load lasts before and after the measurement.
MARGIN = 1
LOGGED = 10_000


def bench_latency(urls, photo, file, asker, seconds):
    """Downloads from each server, with the same load on lcfile in both cases."""
    clients = built(file.parent, "clients")
    port = urllib.parse.urlsplit(photo).port
    lines = "".join(f"{name}: {value}\r\n" for name, value in KEYS.items())
    image = derivative(photo, WIDTH, "jpeg", quality("jpeg"))

    def loaded(url):
        """The 99th percentile, and the rates of downloads, uploads and derivatives."""
        # clients.c syncs the disk before it begins, which is then done sooner than the margin ends.
        os.sync()
        whole = seconds + 2 * MARGIN
        with ThreadPoolExecutor(2) as pool:
            others = [
                pool.submit(measured, clients, port, lines, UPLOADS, UPLOADED, MOST_UPLOADS, whole, "form"),
                pool.submit(asker.rate, image, IMAGES, whole),
            ]
            time.sleep(MARGIN)
            found = load(url, CONNECTIONS, seconds)
            if any(other.done() for other in others):
                sys.exit("the uploads or derivatives ended before the downloads")
            (uploads, _), images = (other.result() for other in others)
        return found.p99, found.rate, uploads, images

    rounds = turns([lambda url=url: loaded(url) for url in urls])
    sides = [map(median, zip(*results)) for results in zip(*rounds)]
    titles = {
        f"p99 of 100 KB, {CONNECTIONS} conn., under load": "µs", "... downloads": "req/s",
        "... uploads to lcfile": "files/s", "... new derivatives of lcfile": "req/s",
    }
    for (title, unit), mine, other in zip(titles.items(), *sides):
        report(title, unit, mine, other, "nginx")


def bench_log(folder, seconds):
    """Two servers with the same file, of which one logs each download to a file."""
    file = folder / "logged.bin"
    file.write_bytes(os.urandom(LOGGED))
    log = folder / "log.txt"
    with ExitStack() as stack:
        errors = stack.enter_context(open(log, "wb"))
        urls = []
        for level, output in (("info", errors), ("warning", None)):
            own = folder / level
            own.mkdir()
            server, url = start_lcfile(own, {"LCFILE_LOG_LEVEL": level}, output)
            stack.callback(server.stop)
            urls.append(upload(url, file))
            # Downloads are hot after two requests.
            for _ in range(2):
                fetched(urls[-1])
        requests = 0

        def logged():
            nonlocal requests
            found = load(urls[0], CONNECTIONS, seconds)
            requests += found.requests
            return found.rate

        mine, other = compare(logged, lambda: load(urls[1], CONNECTIONS, seconds).rate)
    report(f"download 10 KB, {CONNECTIONS} conn., log level info", "req/s", mine, other, "warning")
    # The server writes its last lines when it stops.
    with open(log, "rb") as lines:
        path = urllib.parse.urlsplit(urls[0]).path.encode()
        written = sum(path in line for line in lines)
    print(f"{'... lines of these downloads in the log':<46} {written / requests:>10.2f} for each", flush=True)
