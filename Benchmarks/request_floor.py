"""The part of Benchmarks/run that measures what a request costs: routes of lcfile beside one of Hummingbird alone."""

import json
import os
import statistics
import sys

from measuring import APP, BINARY, Process, free_port, report, start_lcfile, turns, wrk
from permissions import call, save

BARE = BINARY.with_name("BareHummingbird")
SECONDS = float(os.environ.get("BENCH_SECONDS", 2))
ROUNDS = 5
CONNECTIONS = (1, 16, 64)
APP_KEY = {"X-LC-Id": APP["LCFILE_APP_ID"], "X-LC-Key": APP["LCFILE_APP_KEY"]}
# wrk sends these with each request.
OPTIONS = [word for name, value in APP_KEY.items() for word in ("-H", f"{name}: {value}")]
# The rate of /health, and of one object by its id, as a part of that of the route of Hummingbird alone.
FLOOR, GET = 0.9, 0.6
SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '%s'
"""


def bench(folder):
    if not BARE.exists():
        sys.exit(f"{BARE} is missing; build it: swift build -c release --product BareHummingbird --static-swift-stdlib")
    folder.mkdir()
    # The lowest cost of a password, so that the row shows the way of a log-in and not scrypt.
    server, url = start_lcfile(folder, {"LCFILE_ACCOUNTS_PASSWORD_COST": "10"})
    port = free_port()
    bare = Process([BARE, str(port)], {}, f"http://127.0.0.1:{port}/health")
    try:
        save(url, "Item", [{"rank": rank, "title": "A title of the usual length"} for rank in range(1000)])
        item = call(url, "GET", "/1.1/classes/Item?limit=1", APP_KEY)["results"][0]["objectId"]
        user = {"username": "ann", "password": "a password"}
        call(url, "POST", "/1.1/users", APP_KEY, user)
        script = folder / "login.lua"
        script.write_text(SCRIPT % json.dumps(user))
        query = "/1.1/classes/Item?limit=10&order=-createdAt"
        rows = {
            "/health": (lambda many: wrk(f"{url}/health", many, SECONDS), f"goal {FLOOR}"),
            "an object by its id": (
                lambda many: wrk(f"{url}/1.1/classes/Item/{item}", many, SECONDS, OPTIONS), f"goal {GET}",
            ),
            "the 10 newest objects": (lambda many: wrk(f"{url}{query}", many, SECONDS, OPTIONS), ""),
            "a log-in": (lambda many: wrk(f"{url}/1.1/login", many, SECONDS, [*OPTIONS, "-s", script]), ""),
        }
        for many in CONNECTIONS:
            sides = [lambda: wrk(f"http://127.0.0.1:{port}/health", many, SECONDS)]
            sides += [lambda side=side: side(many) for side, _ in rows.values()]
            other, *mine = (statistics.median(rates) for rates in zip(*turns(sides, ROUNDS)))
            for (name, (_, goal)), rate in zip(rows.items(), mine):
                report(f"{name}, {many} conn.", "req/s", rate, other, "Hummingbird", goal)
    finally:
        bare.stop()
        server.stop()
