"""The part of Benchmarks/run that measures what the limits of requests cost: the same call where each request counts for
its address, its user and its app, and where it does not."""

import os
from statistics import median

from measuring import APP, report, start_lcfile, turns, wrk
from permissions import call, save

SECONDS = float(os.environ.get("BENCH_SECONDS", 1))
ROUNDS = 7
CONNECTIONS = (1, 16, 64)
# More than any run sends, so that all is counted and nothing refused.
MANY = "100000000"
LIMITED = {"LCFILE_LIMITS_EXEMPT": "none"} | {
    f"LCFILE_LIMITS_{name}": MANY for name in ("REQUESTS", "USER_REQUESTS", "APP_REQUESTS")
}
FREE = {f"LCFILE_LIMITS_{name}": "0" for name in ("REQUESTS", "USER_REQUESTS", "APP_REQUESTS")}
APP_KEY = {"X-LC-Id": APP["LCFILE_APP_ID"], "X-LC-Key": APP["LCFILE_APP_KEY"]}
GOAL = 0.95


def bench(folder):
    for name in ("limited", "free"):
        (folder / name).mkdir(parents=True)
    servers = [start_lcfile(folder / name, settings) for name, settings in (("limited", LIMITED), ("free", FREE))]
    try:
        calls = [prepared(url) for _, url in servers]
        for connections in CONNECTIONS:
            rates = turns([lambda each=each: wrk(each[0], connections, SECONDS, each[1]) for each in calls], ROUNDS)
            report(
                f"an object by its id, limits, {connections} conn.", "req/s", *map(median, zip(*rates)), "without",
                f"goal {GOAL:.2f}",
            )
    finally:
        for server, _ in servers:
            server.stop()


def prepared(url):
    """The URL of an object, and wrk's options for a user's calls."""
    save(url, "Item", [{"title": "A title of the usual length"}])
    item = call(url, "GET", "/1.1/classes/Item?limit=1", APP_KEY)["results"][0]["objectId"]
    user = call(url, "POST", "/1.1/users", APP_KEY, {"username": "ann", "password": "a password"})
    headers = APP_KEY | {"X-LC-Session": user["sessionToken"]}
    options = [word for name, value in headers.items() for word in ("-H", f"{name}: {value}")]
    return f"{url}/1.1/classes/Item/{item}", options
