"""How pictures are asked for: uploads, single downloads, and many requests of which no two are equal."""

import json
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections import defaultdict
from dataclasses import dataclass

from measuring import APP
from pictures import built

# In place of NUMBER: a height that never bounds the result, and so many different ones that nothing is asked for twice.
FIRST_HEIGHT, LAST_HEIGHT = 100_000, 999_999
KEYS = {"X-LC-Id": APP["LCFILE_APP_ID"], "X-LC-Key": APP["LCFILE_APP_KEY"]}
PATIENCE = 120


def upload(server, file):
    """The URL of a new file with these bytes."""
    request = urllib.request.Request(f"{server}/1.1/files/{file.name}", file.read_bytes(), KEYS, method="POST")
    request.add_header("Content-Type", "application/octet-stream")
    return json.loads(fetched(request))["url"]


def fetched(request):
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()
    except urllib.error.HTTPError as refusal:
        sys.exit(f"{refusal.url}: {refusal.code} {refusal.read().decode()[:200]}")


def derivative(url, width, format, quality):
    """A URL for another request of the same picture each time."""
    return f"{url}?imageMogr2/auto-orient/thumbnail/{width}xNUMBER/format/{format}/quality/{quality}!"


def quality(format):
    """What is measured with; that of AVIF means something else."""
    return 55 if format == "avif" else 85


@dataclass
class Answers:
    """What many requests were answered with."""

    rate: float
    good: int
    refused: int
    others: int
    bytes: int


class Asker:
    """Runs asking.c, each time with numbers that no URL had before."""

    def __init__(self, folder):
        self.tool = built(folder, "asking")
        self.next = defaultdict(lambda: FIRST_HEIGHT)
        # Of each server.
        self.answered = defaultdict(int)

    def ask(self, urls, clients, seconds, most=10**9, connection="keep", refused="now"):
        split = [urllib.parse.urlsplit(url) for url in urls]
        paths = [urllib.parse.urlunsplit(("", "", url.path, url.query, "")) for url in split]
        first = self.next[urls[0]]
        words = [split[0].port, clients, seconds, most, first, connection, refused, *paths]
        done = subprocess.run(
            [str(word) for word in (self.tool, *words)], stdout=subprocess.PIPE, text=True,
            timeout=seconds + PATIENCE,
        )
        if done.returncode != 0:
            sys.exit(f"asking {urls[0]} failed")
        rate, *counts = done.stdout.split()
        answers = Answers(float(rate), *map(int, counts))
        self.next[urls[0]] += answers.good + answers.refused + answers.others
        if self.next[urls[0]] > LAST_HEIGHT:
            sys.exit(f"{urls[0]}: no more different requests")
        self.answered[split[0].port] += answers.good
        return answers

    def rate(self, url, clients, seconds, connection="keep"):
        """Requests per second; a wrong answer stops the run."""
        answers = self.ask([url], clients, seconds, connection=connection)
        if answers.refused or answers.others:
            sys.exit(f"{url}: {answers}")
        return answers.rate
