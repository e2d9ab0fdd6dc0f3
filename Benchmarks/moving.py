"""The part of Benchmarks/run that measures a move of a storage to PostgreSQL and an S3 store, and back: the copies of bytes
and of objects beside the server, and how long the server has to be stopped for the rest."""

import os
import shutil
import subprocess
import time
from contextlib import ExitStack

from asking import upload
from backups import fill as store_files
from measuring import BINARY, start_lcfile
from objects import ITEMS, NEW_ITEM
from scale_out import Store, ask, postgres

FILES, ROWS = int(os.environ.get("BENCH_FILES", 5_000)), int(os.environ.get("BENCH_ROWS", 50_000))
MORE = 100
LARGE, LARGE_SIZE = 8, 48 << 20


def bench(folder):
    folder.mkdir()
    with ExitStack() as stack:
        database = stack.enter_context(postgres(folder / "postgres"))
        store = stack.enter_context(Store(folder / "s3"))
        home = folder / "home"
        home.mkdir()
        files, objects = store.settings, {"LCFILE_DATABASE_URL": database}
        server, url = start_lcfile(home)
        try:
            store_files(folder / "source", url, FILES)
            large = folder / "large.bin"
            for _ in range(LARGE):
                large.write_bytes(os.urandom(LARGE_SIZE))
                upload(url, large)
            create_objects(url)
            copy(home, files, "--blobs-to", "bucket")
            copy(home, objects, "--to", "postgresql")
            store_files(folder / "more", url, MORE)
            copy(home, files, "--blobs-to", "bucket")
            copy(home, objects, "--to", "postgresql")
            store_files(folder / "last", url, MORE)
        finally:
            server.stop()
        stop(home, "bucket", "postgresql", files, objects)
        server, url = start_lcfile(home, files | objects)
        shutil.rmtree(home / "storage" / app_of(home) / "blobs")
        try:
            copy(home, files | objects, "--blobs-to", "folder")
            copy(home, files | objects, "--to", "sqlite")
            store_files(folder / "back", url, MORE)
        finally:
            server.stop()
        stop(home, "folder", "sqlite", files, objects)
        server, _ = start_lcfile(home)
        server.stop()


def app_of(home):
    (folder,) = {path.parent for path in (home / "storage").glob("*/blobs")}
    return folder.name


def create_objects(url):
    for start in range(0, ROWS, 100):
        requests = [{"method": "POST", "path": ITEMS, "body": NEW_ITEM | {"code": f"code{number:012}"}}
                    for number in range(start, start + 100)]
        ask(url, "POST", "/1.1/batch", {"requests": requests})


def migrate(home, settings, *words):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LCFILE_")} | settings
    start = time.monotonic()
    done = subprocess.run(
        [BINARY, "migrate", "--storage", home / "storage", *words], env=environment, capture_output=True, text=True,
        timeout=900)
    assert done.returncode == 0, done.stderr
    return time.monotonic() - start, done.stdout.strip()


def copy(home, settings, *words):
    taken, output = migrate(home, settings, *words, "--copy-only")
    print(f"{'beside the server: ' + ' '.join(words):<46} {taken:>10.1f} s; {output}", flush=True)


def stop(home, destination, database, files, objects):
    """What the server is stopped for, one command after the other."""
    for words, settings in ((("--to", database), files | objects), (("--blobs-to", destination), files | objects)):
        taken, output = migrate(home, settings, *words)
        print(f"{'stopped: ' + ' '.join(words):<46} {taken:>10.1f} s; {output}", flush=True)
