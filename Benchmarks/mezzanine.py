"""The part of Benchmarks/run that measures the kept copy of large pictures: what it gains, and what it costs first."""

import statistics
import time
from contextlib import ExitStack

from asking import Asker, derivative, fetched, quality, upload
from images import ROOM, SECONDS
from measuring import ROUNDS, compare, report, start_lcfile
from pictures import Pictures

SIDE = 1600
WIDTH = 200
CONNECTIONS = 4
# A PNG of 12 megapixels is larger than a source may be by default.
SETTINGS = ROOM | {"LCFILE_IMAGES_MAX_SOURCE_SIZE": "64MB"}


def bench(folder):
    folder.mkdir()
    pictures, asker = Pictures(folder), Asker(folder)
    servers = {}
    with ExitStack() as stack:
        for side in (0, SIDE):
            own = folder / f"mezzanine{side}"
            own.mkdir()
            server, servers[side] = start_lcfile(own, SETTINGS | {"LCFILE_IMAGES_MEZZANINE": str(side)})
            stack.callback(server.stop)
        for name, source in sources(pictures).items():
            measure(name, source, servers, asker)


def sources(pictures):
    large = pictures.large()
    cut = {name: (large, pictures.folder / f"large.{name}", 4000, 3000) for name in ("png", "heic", "avif")}
    return {
        "12 MP JPEG": large,
        "12 MP PNG": pictures.cut(*cut["png"]),
        "12 MP HEIC": pictures.cut(*cut["heic"], "[Q=60]"),
        "12 MP AVIF": pictures.cut(*cut["avif"], "[Q=60,effort=2]"),
    }


def measure(name, source, servers, asker):
    firsts, urls = {side: [] for side in servers}, {}
    for _ in range(ROUNDS):
        for side, server in servers.items():
            urls[side] = derivative(upload(server, source), WIDTH, "jpeg", quality("jpeg"))
            start = time.monotonic()
            fetched(urls[side].replace("NUMBER", "99999"))
            firsts[side].append((time.monotonic() - start) * 1000)
    with_copy, without = (statistics.median(firsts[side]) for side in (SIDE, 0))
    report(f"first {WIDTH} px of a {name}, 1 conn.", "ms", with_copy, without, "no copy kept")
    with_copy, without = compare(*[
        lambda side=side: asker.rate(urls[side], CONNECTIONS, SECONDS) for side in (SIDE, 0)
    ])
    report(f"further {WIDTH} px of a {name}, {CONNECTIONS} conn.", "req/s", with_copy, without, "no copy kept")
