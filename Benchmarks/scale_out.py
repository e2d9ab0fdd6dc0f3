"""The part of Benchmarks/run that measures servers on PostgreSQL and an S3 store: against one on SQLite and the disk, against
the engines alone, and one, two and three servers behind an nginx. All of it shares the processors of this machine, so
more servers show what they add to the work, and not what more machines give."""

import hashlib
import hmac
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from contextlib import ExitStack, contextmanager

from asking import fetched, upload
from measuring import APP, HEADERS, ROOT, compare, free_port, report, start_lcfile, wait_for, wrk
from objects import ITEMS, NEW_ITEM, run_program, send

SECONDS = float(os.environ.get("BENCH_SECONDS", 3))
ROWS, CLIENTS = 20_000, 16
SMALL, LARGE = 100_000, 48 << 20
PYTHON = ROOT / "Tests/Conformance/.venv/bin/python"


def bench(folder):
    folder.mkdir()
    for program in ("psql", "pgbench"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is missing; run scripts/bootstrap bench")
    with ExitStack() as stack:
        database = stack.enter_context(postgres(folder / "postgres"))
        store = stack.enter_context(Store(folder / "s3"))
        alone = stack.enter_context(server(folder / "alone"))
        shared = {"LCFILE_DATABASE_URL": database, **store.settings}
        group = [stack.enter_context(server(folder / f"server{number}", shared)) for number in range(3)]
        bench_objects(folder, database, alone, group)
        bench_files(folder, store, alone, group)
        redirecting = stack.enter_context(server(folder / "redirecting", shared | {"LCFILE_DOWNLOADS_REDIRECTS": "public"}))
        bench_redirects(folder, store, redirecting)


# Objects


def bench_objects(folder, database, alone, group):
    ids = {url: fill(folder, url) for url in (alone, group[0])}
    # As autovacuum does within a minute: without statistics the first queries of a new index take a slow way.
    subprocess.run(["psql", "--quiet", database, "--command", "ANALYZE"], check=True, timeout=60)
    codes = folder / "codes.txt"
    codes.write_text("".join(f"code{number:012}\n" for number in random.sample(range(ROWS), ROWS // 2)))
    by_code = "where=" + urllib.parse.quote('{"code":"WORD"}')

    def get(url):
        return lambda: send_to(url, ids.get(url, ids[group[0]]), "GET", f"{ITEMS}/WORD")

    def find(url):
        return lambda: send_to(url, codes, "GET", f"{ITEMS}?limit=1&{by_code}")

    def create(url):
        return lambda: send_to(url, codes, "POST", ITEMS, json.dumps(NEW_ITEM | {"code": "new WORD"}))

    for name, work in (("get by id", get), ("find by index", find), ("create", create)):
        mine, other = compare(work(group[0]), work(alone))
        report(f"{name}, PostgreSQL, {CLIENTS} at once", "req/s", mine, other, "SQLite")
    # What the store costs beside the bare statement, without HTTP: "SQL" is one statement of libpq. Goal 0.67.
    run_program("postgres", database, str(ROWS))
    # What a read by a key costs the database alone.
    statement = f"SELECT id, created_at, updated_at, acl, body FROM {table_of(database, 'Item')} WHERE number = :number;"
    mine, bare = compare(get(group[0]), lambda: pgbench(folder, database, statement))
    report(f"get by id, PostgreSQL and HTTP, {CLIENTS} at once", "req/s", mine, bare, "pgbench, one statement")
    with balancer(folder / "nginx-objects", group) as urls:
        for name, work in (("get by id", get), ("create", create)):
            one, two, three = compare(*(work(url) for url in urls))
            report(f"{name}, 2 servers behind nginx", "req/s", two, one, "1 server")
            report(f"{name}, 3 servers behind nginx", "req/s", three, one, "1 server")


def fill(folder, url):
    """Creates the rows, in batches; gives a file with their ids."""
    ids = []
    for start in range(0, ROWS, 100):
        requests = [
            {"method": "POST", "path": ITEMS, "body": NEW_ITEM | {"code": f"code{number:012}"}}
            for number in range(start, start + 100)
        ]
        ids += [answer["success"]["objectId"] for answer in ask(url, "POST", "/1.1/batch", {"requests": requests})]
    ask(url, "POST", "/1.1/indexes/Item", {"fields": ["code"]})
    random.shuffle(ids)
    file = folder / f"ids-{urllib.parse.urlsplit(url).port}.txt"
    file.write_text("".join(f"{id}\n" for id in ids))
    return file


def send_to(url, words, method, path, *body):
    return send(url, CLIENTS, words, method, path, *body, seconds=SECONDS)


def pgbench(folder, database, statement):
    """Transactions a second of one prepared statement."""
    script = folder / "statement.sql"
    script.write_text(f"\\set number random(1, {ROWS})\n{statement}\n")
    words = ["pgbench", "--no-vacuum", "--protocol=prepared", f"--client={CLIENTS}", "--jobs=1",
             f"--time={max(1, round(SECONDS))}", f"--file={script}", database]
    done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60)
    return float(re.search(r"tps = ([\d.]+)", done.stdout)[1])


def table_of(database, name):
    """The table of a class, with its schema."""
    statement = f"SELECT number FROM lcfile_bench.class WHERE name = '{name}'"
    done = subprocess.run(["psql", "-At", database, "-c", statement], check=True, capture_output=True, text=True, timeout=60)
    return f"lcfile_bench.class_{done.stdout.strip()}"


# Files


def bench_files(folder, store, alone, group):
    names = {}
    for size in (SMALL, LARGE):
        file = folder / f"{size}.bin"
        file.write_bytes(random.randbytes(size))
        names[size] = file

    def put(url, size, clients):
        return lambda: uploads(url, names[size], clients)

    for size, clients, what in ((SMALL, CLIENTS, "100 KB"), (LARGE, 2, "48 MB")):
        mine, other, bare = compare(
            put(group[0], size, clients), put(alone, size, clients), lambda: store.uploads(names[size], clients)
        )
        report(f"upload {what}, S3 store, {clients} at once", "MB/s", mine, other, "disk")
        report(f"upload {what}, S3 store, {clients} at once", "MB/s", mine, bare, "the store alone")
    for size, clients, what in ((SMALL, CLIENTS, "100 KB"), (LARGE, 4, "48 MB")):
        urls = {url: upload(url, names[size]) for url in (alone, group[0])}
        path = urllib.parse.urlsplit(urls[group[0]]).path
        mine, other = compare(*(lambda url=url: wrk(urls[url], clients, SECONDS) for url in (group[0], alone)))
        report(f"download {what}, cached, {clients} at once", "req/s", mine, other, "disk", "goal 0.90")
        with balancer(folder / f"nginx-{size}", group) as balanced:
            one, two, three = compare(*(lambda url=url: wrk(url + path, clients, SECONDS) for url in balanced))
            report(f"download {what}, 2 servers behind nginx", "req/s", two, one, "1 server")
            report(f"download {what}, 3 servers behind nginx", "req/s", three, one, "1 server")
    fresh = [upload(group[0], names[LARGE]) for _ in range(6)]
    direct = store.put("direct.bin", names[LARGE])
    # Another server than the one that took them: it has none of them in its cache.
    paths = iter([urllib.parse.urlsplit(url).path for url in fresh])
    mine, bare = compare(lambda: transfer(group[1] + next(paths), LARGE), lambda: transfer(direct, LARGE))
    report("download 48 MB, not cached", "MB/s", mine, bare, "the store alone", "goal 0.80")


def bench_redirects(folder, store, url):
    """The same downloads when the server sends clients to the store."""
    file = folder / f"{LARGE}.bin"
    direct, target = store.put("redirected.bin", file), upload(url, file)
    mine, bare = compare(lambda: transfer(target, LARGE), lambda: transfer(direct, LARGE))
    report("download 48 MB by redirect", "MB/s", mine, bare, "the store alone", "goal 0.80")
    report(f"redirects, {CLIENTS} at once", "req/s", *compare(
        lambda: wrk(target, CLIENTS, SECONDS), lambda: wrk(f"{url}/health", CLIENTS, SECONDS)), "/health")


def uploads(url, file, clients):
    """Megabytes a second of forms by curl, which starts anew for each file: the same for both sides."""
    words = ["curl", "-sS", "--fail-with-body", "-o", os.devnull, *HEADERS, "-F", f"file=@{file}", f"{url}/1.1/files"]
    return rate(lambda: words, file.stat().st_size, clients)


def rate(command, size, clients):
    """Megabytes a second of processes that run until the time is over, several at once."""
    end, begin, done, running = time.monotonic() + SECONDS, time.monotonic(), 0, []
    while time.monotonic() < end or running:
        while len(running) < clients and time.monotonic() < end:
            running.append(subprocess.Popen(command(), stdout=subprocess.DEVNULL))
        process = running.pop(0)
        if process.wait(timeout=120) != 0:
            sys.exit(f"{command()} failed")
        done += 1
    return done * size / (time.monotonic() - begin) / 1e6


def transfer(url, size):
    """Megabytes a second of one download."""
    begin = time.monotonic()
    words = ["curl", "-sS", "--fail", "-L", "-o", os.devnull, "-w", "%{size_download}", url]
    done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=120)
    if int(done.stdout) != size:
        sys.exit(f"{url} has {done.stdout} bytes")
    return size / (time.monotonic() - begin) / 1e6


# What runs


@contextmanager
def server(folder, more={}):
    folder.mkdir()
    process, url = start_lcfile(folder, more)
    try:
        yield url
    finally:
        process.stop()


@contextmanager
def postgres(folder):
    """A database that syncs its commits, as SQLite does."""
    script, options = ROOT / "scripts/postgres", "-c fsync=on -c max_connections=200"
    words = {"env": os.environ | {"POSTGRES_OPTIONS": options}, "check": True, "timeout": 300}
    # Its user must reach the folder.
    for part in (folder.parent, folder.parent.parent):
        part.chmod(part.stat().st_mode | 0o111)
    url = subprocess.run([script, "start", folder], capture_output=True, text=True, **words).stdout.strip()
    try:
        yield url
    finally:
        subprocess.run([script, "stop", folder], **words)


class Store:
    """The S3 store, with URLs that authenticate one request each (Signature Version 4)."""

    def __init__(self, folder):
        folder.mkdir()
        if not PYTHON.exists():
            sys.exit("scale-out needs the Python packages of the tests: Tests/Conformance/run --set-up")
        words = [PYTHON, ROOT / "Tests/Conformance/support/s3_engine.py", folder]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        facts = json.loads(self.process.stdout.readline())
        self.endpoint, self.bucket, self.region = facts["endpoint"], facts["bucket"], facts["region"]
        self.key, self.secret = facts["access"], facts["secret"]
        self.number = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=60)

    @property
    def settings(self):
        return {
            "LCFILE_BLOBS_STORE": f"s3://{self.bucket}/bench", "LCFILE_BLOBS_S3_ENDPOINT": self.endpoint,
            "LCFILE_BLOBS_S3_REGION": self.region, "LCFILE_BLOBS_S3_ACCESS_KEY": self.key,
            "LCFILE_BLOBS_S3_SECRET_KEY": self.secret,
        }

    def url(self, method, name):
        host = urllib.parse.urlsplit(self.endpoint).netloc
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        scope = f"{now[:8]}/{self.region}/s3/aws4_request"
        query = urllib.parse.urlencode({
            "X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": f"{self.key}/{scope}", "X-Amz-Date": now,
            "X-Amz-Expires": "3600", "X-Amz-SignedHeaders": "host",
        }, quote_via=urllib.parse.quote, safe="")
        path = f"/{self.bucket}/{name}"
        request = f"{method}\n{path}\n{query}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD"
        text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
        secret = f"AWS4{self.secret}".encode()
        for part in scope.split("/"):
            secret = hmac.digest(secret, part.encode(), "sha256")
        return f"{self.endpoint}{path}?{query}&X-Amz-Signature={hmac.digest(secret, text.encode(), 'sha256').hex()}"

    def put(self, name, file):
        """Stores a file; gives a URL to read it."""
        subprocess.run(["curl", "-sS", "--fail", "-T", file, self.url("PUT", name)], check=True, timeout=120)
        return self.url("GET", name)

    def uploads(self, file, clients):
        def command():
            self.number += 1
            return ["curl", "-sS", "--fail", "-T", str(file), self.url("PUT", f"alone/{self.number}")]

        return rate(command, file.stat().st_size, clients)


@contextmanager
def balancer(folder, servers):
    """URLs of an nginx that divides requests among one, two and all of the servers."""
    folder.mkdir()
    ports, blocks = [free_port() for _ in servers], ""
    for number, port in enumerate(ports, 1):
        members = " ".join(f"server {urllib.parse.urlsplit(url).netloc};" for url in servers[:number])
        blocks += (
            f"upstream lcfile{number} {{ {members} keepalive 32; }} server {{ listen 127.0.0.1:{port}; "
            "client_max_body_size 0; proxy_request_buffering off; proxy_buffering off; proxy_http_version 1.1; "
            f"proxy_set_header Connection \"\"; location / {{ proxy_pass http://lcfile{number}; }} }}\n"
        )
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/errors warn;\n"
        f"events {{ worker_connections 512; }}\nhttp {{ access_log off; "
        + " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        + f"\n{blocks}}}\n"
    )
    process = subprocess.Popen(["nginx", "-c", folder / "nginx.conf", "-p", folder, "-e", folder / "errors"])
    try:
        urls = [f"http://127.0.0.1:{port}" for port in ports]
        for url in urls:
            wait_for(f"{url}/health")
        yield urls
    finally:
        process.terminate()
        process.wait(timeout=20)


def ask(url, method, path, fields):
    headers = {
        "X-LC-Id": APP["LCFILE_APP_ID"], "X-LC-Key": f"{APP['LCFILE_MASTER_KEY']},master",
        "Content-Type": "application/json",
    }
    return json.loads(fetched(urllib.request.Request(url + path, json.dumps(fields).encode(), headers, method=method)))
