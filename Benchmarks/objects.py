"""The part of Benchmarks/run that measures the data store: in process by StoreBenchmark, then over HTTP by wrk."""

import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import urllib.parse
import urllib.request

from measuring import APP, BINARY, HEADERS, ROOT, compare, report, start_lcfile, wrk

PROGRAM = BINARY.parent / "StoreBenchmark"
# The last one is also how many files there are.
ROWS = (10_000, 100_000, 1_000_000)
SECONDS = 2
ITEMS = "/1.1/classes/Item"
NEW_ITEM = {
    "title": "An item with a title of the usual length", "code": "c0de5eed00000000", "rank": 7, "stars": 4,
    "price": 12.25, "done": False, "due": {"__type": "Date", "iso": "2026-11-21T08:00:00.000Z"},
    "owner": {"__type": "Pointer", "className": "Owner", "objectId": "WORD"}, "tags": ["red", "large", "new"],
    "profile": {"city": "Lyon", "age": 42},
}


def bench(folder):
    storage = folder / "storage"
    database = storage / "bench/lcfile.sqlite"
    database.parent.mkdir(parents=True)
    output = run_program("measure", database, *map(str, ROWS))
    alone = {name: float(rate) for name, rate in re.findall(r"^(.+), 16 at once +([\d.]+)", output, re.M)}
    measure_reads(folder, database, alone)
    owners = sample(database, "Owner", "id", folder / "owners.txt", among=10_000)
    for environment, note in (({}, ""), (slow_disk(folder), "2 ms a sync")):
        run_program("creates", database, "1", note, environment=environment)
        measure_creates(folder, owners, environment, note)


def run_program(*words, environment={}):
    """Runs what is measured without HTTP, and returns what it printed."""
    command = ["timeout", "200", PROGRAM, *words]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | environment) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode != 0:
        sys.exit(f"StoreBenchmark {words[0]} ended with {process.returncode} (124: it took over 200 seconds)")
    return "".join(lines)


def slow_disk(folder):
    """The environment of a process whose disk is as slow as a usual SSD."""
    library = folder / "slowsync.so"
    source = ROOT / "Benchmarks/slowsync.c"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    return {"LD_PRELOAD": str(library)}


def sample(database, class_name, expression, file, among=ROWS[-1]):
    """Writes what an expression gives for some ten thousand objects, in no order."""
    connection = sqlite3.connect(database)
    (number,) = connection.execute("SELECT number FROM class WHERE name = ?", (class_name,)).fetchone()
    every = max(1, among // 20_000)
    rows = connection.execute(f"SELECT {expression} FROM class_{number} WHERE number % {every} = 0").fetchall()
    connection.close()
    random.shuffle(rows)
    file.write_text("".join(f"{word}\n" for (word,) in rows))
    return file


def measure_reads(folder, database, alone):
    ids = sample(database, "Item", "id", folder / "ids.txt")
    codes = sample(database, "Item", "json_extract(body, '$.code')", folder / "codes.txt")
    ranks = sample(database, "Item", "json_extract(body, '$.rank')", folder / "ranks.txt")
    by_code, by_rank = where("code", '"WORD"'), where("rank", "WORD")
    # The names are those that StoreBenchmark prints.
    reads = {
        "get by id": (f"{ITEMS}/WORD", ids),
        "find by index, limit 1": (f"{ITEMS}?limit=1&{by_code}", codes),
        "newest 100 with include": (f"{ITEMS}?limit=100&order=-createdAt&include=owner", ids),
        "count by index": (f"{ITEMS}?limit=0&count=1&{by_rank}", ranks),
    }
    server, url = start_lcfile(folder)
    try:
        for name, (path, words) in reads.items():
            check(url, path, words)
            mine, bare = compare(
                lambda: send(url, 16, words, "GET", path), lambda: wrk(f"{url}/health", 16, SECONDS)
            )
            report(f"{name}, HTTP, 16 connections", "req/s", mine, bare, "/health")
            whole, store = 1e6 / mine, 1e6 / alone[name]
            print(f"{'':<46} {whole:>10.1f} us a request: {store:.1f} store, {whole - store:.1f} HTTP; "
                  f"/health {1e6 / bare:.1f}", flush=True)
    finally:
        server.stop()


def measure_creates(folder, owners, environment, note):
    server, url = start_lcfile(folder, environment)
    body = json.dumps(NEW_ITEM)
    try:
        many, one = compare(
            lambda: send(url, 64, owners, "POST", ITEMS, body), lambda: send(url, 1, owners, "POST", ITEMS, body)
        )
        name = "creates, HTTP, 64 connections"
        report(f"{name}, {note}" if note else name, "req/s", many, one, "1 connection")
    finally:
        server.stop()


def send(url, connections, words, method, path, *body, seconds=SECONDS):
    headers = [*HEADERS, "-H", "Content-Type: application/json"]
    return wrk(
        url, connections, seconds, ["-s", ROOT / "Benchmarks/objects.lua", *headers], ["--", method, path, words, *body]
    )


def where(field, value):
    return "where=" + urllib.parse.quote(f'{{"{field}":{value}}}')


def check(url, path, words):
    """One answer must hold what is asked for: a reply without it is fast."""
    path = path.replace("WORD", words.read_text().split()[0])
    headers = {"X-LC-Id": APP["LCFILE_APP_ID"], "X-LC-Key": APP["LCFILE_APP_KEY"]}
    with urllib.request.urlopen(urllib.request.Request(url + path, headers=headers), timeout=10) as answer:
        text = answer.read().decode()
    if not re.search(r'"objectId":"|"count":[1-9]', text):
        sys.exit(f"GET {path} found nothing: {text[:200]}")
