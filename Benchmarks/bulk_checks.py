"""The part of Benchmarks/run that measures what the checks of a bulk run take from other requests, and what the look at a
file's verdict takes from its download."""

import concurrent.futures
import json
import statistics
import time
import urllib.request

from asking import Asker, derivative, quality, upload
from images import SECONDS
from measuring import APP, PHOTO, ROOT, ROUNDS, compare, report, start_lcfile, wrk
from pictures import Pictures

# Enough that the run lasts longer than all rounds.
IMAGES = 4000
DOWNLOAD = 100_000
GOAL = "goal 0.80"
MASTER = {"X-LC-Id": APP["LCFILE_APP_ID"], "X-LC-Key": f"{APP['LCFILE_MASTER_KEY']},master"}
SETTINGS = {"LCFILE_CENSORSHIP_MODEL": str(ROOT / "models/open-nsfw.onnx")}


def bench(folder):
    folder.mkdir()
    server, url = start_lcfile(folder, SETTINGS)
    try:
        if not call(url, "GET", "/censorship/status")["classifier"]["available"]:
            print("bulk run: no classifier; run `make model` first", flush=True)
            return
        with_run(folder, url)
        with_verdict(folder, url)
    finally:
        server.stop()


def with_run(folder, server):
    """Requests for thumbnails and small uploads, in turns without and with a running bulk run."""
    small = folder / "small.jpg"
    small.write_bytes(PHOTO.read_bytes())
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: upload(server, small), range(IMAGES)))
    image = derivative(upload(server, Pictures(folder).large()), 200, "jpeg", quality("jpeg"))
    asker = Asker(folder)
    sides = {
        "200 px of a 12 MP JPEG, 4 conn.": lambda: asker.rate(image, 4, SECONDS),
        "upload of 110 KB, 8 conn.": lambda: uploads(server, small),
    }
    run = call(server, "POST", "/censorship/jobs", {
        "from": "2000-01-01T00:00:00.000Z", "to": "2100-01-01T00:00:00.000Z", "recheck": True,
    })["id"]
    checked = []
    for title, side in sides.items():
        idle, busy = [], []
        for _ in range(ROUNDS):
            call(server, "PUT", f"/censorship/jobs/{run}", {"state": "cancelled"})
            idle.append(side())
            before = call(server, "PUT", f"/censorship/jobs/{run}", {"state": "running"})
            start = time.monotonic()
            busy.append(side())
            after = call(server, "GET", f"/censorship/jobs/{run}")
            checked.append((after["decided"] - before["decided"]) / (time.monotonic() - start))
            if after["state"] == "done":
                print(f"{title}: the run ended too early; it needs more images", flush=True)
        report(title + " during a bulk run", "req/s", statistics.median(busy), statistics.median(idle), "idle", GOAL)
    print(f"{'checks meanwhile':<46} {statistics.median(checked):>10.1f} images/s", flush=True)
    call(server, "PUT", f"/censorship/jobs/{run}", {"state": "cancelled"})


def uploads(server, file):
    """Uploads a second, each durable when answered, of 8 clients."""
    end = time.monotonic() + SECONDS

    def client(_):
        count = 0
        while time.monotonic() < end:
            upload(server, file)
            count += 1
        return count

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return sum(pool.map(client, range(8))) / SECONDS


def with_verdict(folder, server):
    """Downloads of a file that passed its check, against one without a verdict."""
    file = folder / "plain.jpg"
    file.write_bytes(bytes(DOWNLOAD))
    plain, passed = upload(server, file), upload(server, file)
    key = urllib.request.quote(json.dumps({"key": passed.rsplit("/", 1)[1]}))
    record = call(server, "GET", f"/files?where={key}")["results"][0]
    call(server, "PUT", f"/files/{record['objectId']}/censor", {"verdict": "passed"})
    with_check, without = compare(lambda: wrk(passed, 16), lambda: wrk(plain, 16))
    report("download 100 KB with a verdict, 16 conn.", "req/s", with_check, without, "without", "goal 1, within noise")


def call(server, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = MASTER | {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{server}/1.1{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)
