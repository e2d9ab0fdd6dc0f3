"""The part of Benchmarks/run that measures images: derivatives made anew, and those that are kept already."""

import os
import sys
import time
import urllib.parse
from contextlib import ExitStack

from asking import Asker, derivative, fetched, quality, upload
from measuring import CORES, compare, report, start_lcfile, wrk
from peers import Nginx, Thumbor
from pictures import Pictures

# Of each side in each of three rounds.
SECONDS = float(os.environ.get("BENCH_SECONDS", 4))
CONNECTIONS = (1, 4, 16)
WIDTHS = (200, 512, 1600)
FORMATS = ("jpeg", "webp", "avif")
LOOP_GOAL = 0.9
CACHED_GOAL = 0.8
CACHED_SIZES = (10_000, 100_000)
# Of the cache, so that nothing is forgotten while it is counted.
ROOM = {"LCFILE_IMAGES_CACHE_SIZE": "20GB"}


def bench(folder):
    folder.mkdir()
    pictures, asker = Pictures(folder), Asker(folder)
    with ExitStack() as stack:
        nginx, thumbor = (stack.enter_context(peer(folder / peer.__name__)) for peer in (Nginx, Thumbor))
        server, url = start_lcfile(folder, ROOM)
        stack.callback(server.stop)
        made = Made(pictures, asker, url, [nginx, thumbor])
        for width in WIDTHS:
            for format in FORMATS:
                made.measure(pictures.large(), "12 MP JPEG", width, format)
        made.measure(pictures.detailed(), "4 MP PNG", 512, "png")
        check_made(folder, asker, url)
        bench_cached(folder, url, pictures.large(), nginx)


class Made:
    """Derivatives made anew, against a bare loop and other servers."""

    def __init__(self, pictures, asker, url, peers):
        self.pictures, self.asker, self.url, self.peers = pictures, asker, url, peers
        self.uploaded = {}

    def measure(self, source, what, width, format):
        if source not in self.uploaded:
            self.uploaded[source] = upload(self.url, source)
            for peer in self.peers:
                peer.add(source)
        mine = derivative(self.uploaded[source], width, format, quality(format))
        self.check(source, mine, width, format)
        others = {peer.name: peer.derivative(source, width, format) for peer in self.peers}
        others = {name: url for name, url in others.items() if url}
        for connections in CONNECTIONS:
            threads = min(connections, CORES)

            def loop():
                return float(
                    self.pictures.run("loop", source, format, width, quality(format), threads, SECONDS)
                )

            def ask(url, connection):
                return self.asker.rate(url, connections, SECONDS, connection)

            sides = [lambda: ask(mine, "keep"), loop]
            sides += [lambda url=url: ask(url, "close") for url in others.values()]
            rate, bare, *rates = compare(*sides)
            title = f"{what} -> {width} px {format}, {connections} conn."
            report(title, "req/s", rate, bare, "libvips loop", f"goal {LOOP_GOAL:.2f}")
            for name, other in zip(others, rates):
                report(title, "req/s", rate, other, name)

    def check(self, source, mine, width, format):
        """The loop has to make the same picture as the server, or else it does other work.

        JPEGs the server makes smaller without libvips (docs/design.md): of them only the size is the same.
        """
        if source.suffix == ".jpg":
            return
        served = fetched(mine.replace("NUMBER", "99999"))
        target = self.pictures.folder / "one"
        self.pictures.run("one", source, format, width, quality(format), target)
        bare = target.read_bytes()
        if served != bare:
            sys.exit(f"{width} px {format}: the server's has {len(served)} bytes, the loop's {len(bare)}")


def check_made(folder, asker, url):
    """Every answer must have been made: one that was kept already is fast."""
    answered = asker.answered[urllib.parse.urlsplit(url).port]
    end = time.monotonic() + 10
    while (count := kept(folder)) < answered:
        if time.monotonic() > end:
            sys.exit(f"{answered} derivatives were answered, but only {count} made")
        time.sleep(0.1)


def kept(folder):
    """How many derivatives the server keeps."""
    return sum(len(files) for path, _, files in os.walk(folder / "storage") if "/derivatives/" in f"{path}/")


def bench_cached(folder, server, source, nginx):
    """Derivatives that are kept, against a file of the same bytes, ours and nginx's."""
    original = upload(server, source)
    for size in CACHED_SIZES:
        url, derived = nearest(original, size)
        copy = folder / f"copy{size}.jpg"
        copy.write_bytes(derived)
        plain, other = upload(server, copy), nginx.add(copy)
        for connections in CONNECTIONS:
            mine, own, peer = compare(*[
                lambda url=url: wrk(url, connections, SECONDS) for url in (url, plain, other)
            ])
            title = f"kept derivative of {len(derived) / 1000:.0f} KB, {connections} conn."
            report(title, "req/s", mine, own, "plain file", f"goal {CACHED_GOAL:.2f}")
            report(title, "req/s", mine, peer, "nginx")


def nearest(original, size):
    """A derivative of about this many bytes, and its URL."""
    low, high = 16, 2000
    while True:
        width = (low + high) // 2
        url = f"{original}?imageView2/2/w/{width}/q/85"
        derived = fetched(url)
        if high - low <= 2:
            return url, derived
        low, high = (width, high) if len(derived) < size else (low, width)
