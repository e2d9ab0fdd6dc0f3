"""The part of Benchmarks/run that measures imports: files against a copy of the folder, objects against creates in
process, and the memory of the client."""

import json
import os
import random
import re
import subprocess
import sys
import time

from measuring import APP, BINARY, ROOT, report, start_lcfile
from objects import run_program

SMALL, LARGE, LARGE_SIZE = 20_000, 4, 1 << 30
OBJECTS = 100_000
MEMORY = (10_000, 1_000_000)


def bench(folder):
    folder.mkdir(parents=True)
    server, url = start_lcfile(folder)
    try:
        environment = os.environ | APP | {"LCFILE_SERVER": url, "HOME": str(folder)}
        measure_objects(folder, environment)
        measure_files(folder, environment, "20 000 files of 10 to 100 KB", write_small)
        measure_files(folder, environment, "4 files of 1 GB", write_large)
        for count in MEMORY:
            measure_memory(folder, environment, count)
    finally:
        server.stop()


def write_small(folder):
    generator = random.Random(1)
    noise = generator.randbytes(100_000)
    for number in range(SMALL):
        path = folder / f"{number % 100}/{number}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(number.to_bytes(8, "big") + noise[: generator.randrange(10_000, 100_000)])


def write_large(folder):
    folder.mkdir()
    noise = os.urandom(1 << 20)
    for number in range(LARGE):
        with open(folder / f"{number}.bin", "wb") as output:
            for piece in range(LARGE_SIZE >> 20):
                output.write(piece.to_bytes(8, "big") + noise[8:])


def measure_files(folder, environment, name, write):
    source = folder / re.sub(r"\W+", "-", name)
    write(source)
    size = sum(path.stat().st_size for path in source.rglob("*") if path.is_file()) / 1e6
    os.sync()
    copied = seconds(["sh", "-c", f"cp -r '{source}' '{source}.copy' && sync"])
    subprocess.run(["rm", "-rf", f"{source}.copy"], check=True)
    os.sync()
    imported = seconds([BINARY, "import", "--quiet", source], environment)
    report(f"import of {name}", "MB/s", size / imported, size / copied, "cp -r and sync")
    subprocess.run(["rm", "-rf", source], check=True)


def measure_objects(folder, environment):
    """Creates of single objects by 64 tasks in process, and the import of an export with as many objects."""
    database = folder / "bench/lcfile.sqlite"
    database.parent.mkdir()
    run_program("measure", database, "1000", "2000", "3000")
    output = run_program("creates", database, "2")
    alone = float(re.search(r"^creates, 64 at once +([\d.]+)", output, re.M)[1])
    source = folder / "Item.jsonl"
    write_objects(source, OBJECTS)
    imported = seconds([BINARY, "import", "leancloud", "--quiet", source], environment)
    report("import of 100 000 objects", "objects/s", OBJECTS / imported, alone, "creates in process")


def write_objects(path, count):
    with open(path, "w") as output:
        for number in range(count):
            row = {
                "objectId": f"{number:024x}", "title": "An item with a title of the usual length", "rank": number,
                "price": 12.25, "done": False, "due": {"__type": "Date", "iso": "2026-11-21T08:00:00.000Z"},
                "owner": {"__type": "Pointer", "className": "Owner", "objectId": f"{number % 1000:024x}"},
                "tags": ["red", "large", "new"], "profile": {"city": "Lyon", "age": 42}, "ACL": {"*": {"read": True}},
                "createdAt": "2024-03-01T08:00:00.121Z", "updatedAt": "2024-03-01T08:00:00.121Z",
            }
            output.write(json.dumps(row) + "\n")


def measure_memory(folder, environment, count):
    """The peak of the client's resident memory while it compares a list with its journal."""
    source = folder / f"{count}.jsonl"
    file = folder / "x"
    file.write_text("x")
    with open(source, "w") as output:
        for number in range(count):
            output.write(json.dumps({"path": str(file), "name": f"{number}.txt"}) + "\n")
    words = ["/usr/bin/time", "-f", "%M", BINARY, "import", "--dry-run", "--quiet", "--manifest", source]
    result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=600)
    if result.returncode != 0:
        sys.exit(result.stderr)
    print(f"import: memory of the client, {count} items".ljust(46), f"{int(result.stderr.split()[-1]) / 1000:.0f} MB")


def seconds(words, environment=None):
    start = time.monotonic()
    result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=900)
    if result.returncode != 0:
        sys.exit(f"{words} ended with {result.returncode}: {result.stderr}")
    return time.monotonic() - start
