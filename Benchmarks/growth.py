"""The part of Benchmarks/run that tells by how much memory grows over many images of every format."""

import re
import statistics
import sys
from pathlib import Path

from asking import Asker, derivative, quality, upload
from measuring import start_lcfile
from pictures import Pictures

JOBS = 20_000
# Until then caches and pools fill.
SETTLED = 5_000
CHUNK = 500
CLIENTS = 8
# Each source with its results, in turn; the large photograph and AVIF are rare because they take long.
MIX = {
    "photo.jpg": [(200, "jpeg"), (400, "webp"), (64, "png"), (120, "gif"), (300, "jpeg"), (150, "jpeg"), (90, "webp")],
    "photo.png": [(200, "png"), (320, "jpeg"), (100, "webp"), (48, "png")],
    "photo.webp": [(200, "webp"), (300, "jpeg"), (80, "png")],
    "moving.gif": [(60, "gif"), (60, "webp"), (100, "png")],
    "photo.avif": [(100, "jpeg"), (64, "avif")],
    "large.jpg": [(200, "jpeg")],
}


def bench(folder):
    folder.mkdir()
    pictures, asker = Pictures(folder), Asker(folder)
    server, url = start_lcfile(folder, {"LCFILE_IMAGES_CACHE_SIZE": "64MB"})
    try:
        uploaded = {name: upload(url, source) for name, source in sources(pictures).items()}
        urls = [
            derivative(uploaded[name], width, format, quality(format))
            for name, results in MIX.items() for width, format in results
        ]
        points = []
        for done in range(0, JOBS, CHUNK):
            answers = asker.ask(urls, CLIENTS, 120, CHUNK)
            if answers.good != CHUNK:
                sys.exit(f"growth: {answers}")
            points.append((done + CHUNK, resident(server.process.pid)))
    finally:
        server.stop()
    settled = [point for point in points if point[0] > SETTLED]
    slope = statistics.linear_regression(*zip(*settled)).slope * 1000
    print(
        f"memory after {points[0][0]} jobs {points[0][1] / 1024:.0f} MB, after {SETTLED} {at(points, SETTLED):.0f} MB, "
        f"after {JOBS} {points[-1][1] / 1024:.0f} MB; it grows by {slope:.1f} KB for each 1000 jobs", flush=True,
    )


def sources(pictures):
    large = pictures.large()
    photo = pictures.smaller(large, "photo.jpg", 640, "[Q=90]")
    moving = pictures.smaller(large, "moving.jpg", 160, "[Q=90]")
    return {
        "photo.jpg": photo,
        "photo.png": pictures.smaller(large, "photo.png", 400),
        "photo.webp": pictures.smaller(large, "photo.webp", 480, "[Q=85]"),
        "moving.gif": pictures.animated(moving, "moving.gif"),
        "photo.avif": pictures.smaller(large, "photo.avif", 320, "[Q=60]"),
        "large.jpg": large,
    }


def resident(pid):
    """In KB."""
    return int(re.search(r"VmRSS:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())[1])


def at(points, jobs):
    """In MB."""
    return dict(points)[jobs] / 1024
