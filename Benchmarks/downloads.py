"""The part of Benchmarks/run that measures downloads against nginx: rates, processor time, memory, 304s, derivatives.

downloads_under_load.py measures the influence of other requests and of the log.
"""

import http.client
import os
import resource
import sys
import urllib.parse
from contextlib import ExitStack, closing
from statistics import median

import downloads_under_load
from asking import PATIENCE, Asker, fetched, upload
from images import ROOM, nearest
from measuring import load, report, start_lcfile, turns
from peers import FileServer
from pictures import Pictures
from processes import Processes

# Of each side in each of three rounds.
SECONDS = float(os.environ.get("BENCH_SECONDS", 3))
SIZES = {"100 B": 100, "1 KB": 1_000, "10 KB": 10_000, "100 KB": 100_000, "1 MB": 1_000_000}
CONNECTIONS = (1, 16, 64, 512)
LARGE, LARGE_CONNECTIONS = 256_000_000, (1, 16)
# Processor time is shown for these sizes, with so many connections.
COSTED, COSTED_CONNECTIONS = (100_000, 1_000_000, LARGE), 16
UNCHANGED, UNCHANGED_CONNECTIONS, UNCHANGED_GOAL = 10_000, (16, 64), 0.8
# A 304 is shorter than this, and the file is longer.
LONGEST_HEAD = 1_000
DERIVATIVES = {"10 KB": 10_000, "100 KB": 100_000}
DERIVATIVE_CONNECTIONS = (1, 16, 64)


def goal(size):
    """The goal for the ratio of rates, for a size in bytes."""
    return f"goal {0.8 if size < 100_000 else 1.0 if size < 1_000_000 else 0.95:.2f}"


def bench(folder):
    folder.mkdir()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    pictures, asker = Pictures(folder), Asker(folder)
    with ExitStack() as stack:
        nginx = stack.enter_context(FileServer(folder / "nginx"))
        server, url = start_lcfile(folder, ROOM)
        stack.callback(server.stop)
        pair = Pair(url, server.process.pid, nginx)
        bench_sizes(folder, pair)
        bench_large(folder, pair, asker)
        bench_unchanged(folder, pair)
        photo = upload(url, pictures.large())
        bench_derivatives(folder, pair, photo)
        file = made(folder, "loaded", 100_000)
        downloads_under_load.bench_latency(pair.add(file), photo, file, asker, SECONDS)
    downloads_under_load.bench_log(folder, SECONDS)


class Pair:
    """lcfile and nginx."""

    def __init__(self, url, pid, nginx):
        self.url, self.nginx = url, nginx
        self.processes = (Processes(pid), Processes(nginx.process.process.pid))

    def add(self, file):
        """The URLs of a file at both servers. It was downloaded twice, after which it is hot."""
        urls = (upload(self.url, file), self.nginx.add(file))
        self.check(urls, file)
        return urls

    def check(self, urls, file):
        for url in 2 * urls:
            if fetched(url) != file.read_bytes():
                sys.exit(f"{url} does not have the bytes of {file.name}")

    def measure(self, urls, side):
        """For each server, the medians of a rate and of processor time in milliseconds for each GB.

        `side` measures the URL of one server; it returns the rate and the number of downloaded bytes.
        """
        def costed(url, processes):
            before = processes.seconds()
            rate, size = side(url)
            return rate, (processes.seconds() - before) * 1000 / (size / 1e9)

        rounds = turns([lambda side=side: costed(*side) for side in zip(urls, self.processes)])
        return [tuple(map(median, zip(*results))) for results in zip(*rounds)]

    def compare(self, title, unit, urls, size, connections, side):
        """A row of rates, and for some a row of processor time."""
        (mine, cost), (other, other_cost) = self.measure(urls, side)
        report(f"{title}, {connections} conn.", unit, mine, other, "nginx", goal(size))
        if size in COSTED and connections == COSTED_CONNECTIONS:
            report(f"processor time, {title}, {connections} conn.", "ms/GB", cost, other_cost, "nginx")


def made(folder, name, size):
    """A file of random bytes."""
    file = folder / f"{name}.bin"
    file.write_bytes(os.urandom(size))
    return file


def rate(url, size, connections):
    """Downloads a second by wrk, and the bytes of the whole ones."""
    found = load(url, connections, SECONDS)
    return found.rate, found.requests * size


def bench_sizes(folder, pair):
    for name, size in SIZES.items():
        urls = pair.add(made(folder, size, size))
        for connections in CONNECTIONS:
            pair.compare(
                f"download {name}", "req/s", urls, size, connections, lambda url: rate(url, size, connections)
            )
    mine, other = (processes.memory() for processes in pair.processes)
    report(f"memory after {CONNECTIONS[-1]} conn.", "MB", mine, other, "nginx")


def bench_large(folder, pair, asker):
    """Measures with asking.c, which receives every started response to its end, and that time counts.

    wrk would stop in the middle of them, and reads 8 KB at a time, which makes the client the limit of both servers.
    """
    file = made(folder, "large", LARGE)
    urls = pair.add(file)
    file.unlink()

    def side(url, connections):
        answers = asker.ask([url], connections, SECONDS)
        if answers.refused or answers.others:
            sys.exit(f"{url}: {answers}")
        return answers.rate * LARGE / 1e6, answers.bytes

    for connections in LARGE_CONNECTIONS:
        pair.compare("download 256 MB", "MB/s", urls, LARGE, connections, lambda url: side(url, connections))


def bench_unchanged(folder, pair):
    """304s to each server's own ETag."""
    urls = pair.add(made(folder, "unchanged", UNCHANGED))
    tags = {url: head_of(url)[1]["ETag"] for url in urls}
    for url in urls:
        status, fields = head_of(url, {"If-None-Match": tags[url]})
        if status != 304:
            sys.exit(f"{url}: {status} instead of 304")
        if fields["Content-Length"]:
            # RFC 9110 section 8.6 allows it, but wrk's HTTP parser waits for so many bytes.
            sys.exit(f"{url} sends a 304 with Content-Length, so wrk waits for a body")

    def side(url, connections):
        found = load(url, connections, SECONDS, ["-H", f"If-None-Match: {tags[url]}"])
        if found.bytes / found.requests > LONGEST_HEAD:
            sys.exit(f"{url}: not every answer was a 304")
        return found.rate, found.bytes

    for connections in UNCHANGED_CONNECTIONS:
        (mine, _), (other, _) = pair.measure(urls, lambda url: side(url, connections))
        report(f"304, {connections} conn.", "req/s", mine, other, "nginx", f"goal {UNCHANGED_GOAL:.2f}")


def head_of(url, headers={}):
    """The status and the header fields of a response on a connection that stays open, as those of wrk do."""
    parts = urllib.parse.urlsplit(url)
    with closing(http.client.HTTPConnection(parts.netloc, timeout=PATIENCE)) as connection:
        connection.request("GET", parts.path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers


def bench_derivatives(folder, pair, photo):
    """Cached derivatives, against nginx's file of the same bytes."""
    for name, size in DERIVATIVES.items():
        url, derived = nearest(photo, size)
        copy = folder / f"derived{size}.jpg"
        copy.write_bytes(derived)
        urls = (url, pair.nginx.add(copy))
        pair.check(urls, copy)
        for connections in DERIVATIVE_CONNECTIONS:
            (mine, _), (other, _) = pair.measure(urls, lambda url: rate(url, len(derived), connections))
            title = f"cached derivative of {len(derived) / 1000:.0f} KB, {connections} conn."
            report(title, "req/s", mine, other, "nginx", goal(size))
