"""The part of Benchmarks/run that measures CQL: how long statements take to read, and queries beside those of REST."""

import json
import statistics
import sys
import urllib.parse

from measuring import APP, HEADERS, report, start_lcfile, turns, wrk
from objects import run_program
from permissions import MASTER, call, save

ROWS = 10_000
# Both sides have short turns one after the other, so that noise hits them alike; many rounds.
SECONDS = 0.5
ROUNDS = 9
# A query of CQL takes at most 1.1 times as long as the same by REST.
GOAL = 1 / 1.1
APP_KEY = {"X-LC-Id": APP["LCFILE_APP_ID"], "X-LC-Key": APP["LCFILE_APP_KEY"]}
CITIES = ["Lyon", "Oslo", "Turin", "Graz"]
# A statement with its values, and the same query of REST.
QUERIES = {
    "find 1 by index": (
        "select * from Row where rank = 4711", [], {"where": {"rank": 4711}},
    ),
    "find 100 by index": (
        "select * from Row where stars = ? and done = false limit 100", [3],
        {"where": {"$and": [{"stars": 3}, {"done": False}]}, "limit": 100},
    ),
    "find 20 of two fields": (
        "select title, rank from Row where rank >= ? and (city in ('Lyon', 'Oslo') or stars > 2) limit 20 order by -rank",
        [5000],
        {
            "where": {"$and": [
                {"rank": {"$gte": 5000}}, {"$or": [{"city": {"$in": ["Lyon", "Oslo"]}}, {"stars": {"$gt": 2}}]},
            ]},
            "keys": "title,rank", "limit": 20, "order": "-rank",
        },
    ),
    "count by index": (
        "select count(*) from Row where stars = 3", [], {"where": {"stars": 3}, "count": 1, "limit": 0},
    ),
}


def bench(folder):
    folder.mkdir()
    run_program("statements")
    server, url = start_lcfile(folder)
    try:
        save(url, "Row", [
            {
                "title": "A row with a title of the usual length", "rank": number, "stars": number % 5,
                "done": number % 2 == 0, "city": CITIES[number % 4], "tags": ["red", "large", "new"],
            }
            for number in range(ROWS)
        ])
        for field in ("rank", "stars"):
            call(url, "POST", "/1.1/indexes/Row", MASTER, {"fields": [field]})
        for name, (statement, values, query) in QUERIES.items():
            for connections in (1, 16):
                compare(url, name, path_of(statement, values), rest_path(query), connections)
    finally:
        server.stop()


def path_of(statement, values):
    parameters = {"cql": statement} | ({"pvalues": json.dumps(values)} if values else {})
    return f"/1.1/cloudQuery?{urllib.parse.urlencode(parameters, quote_via=urllib.parse.quote)}"


def rest_path(query):
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in query.items()}
    return f"/1.1/classes/Row?{urllib.parse.urlencode(texts, quote_via=urllib.parse.quote)}"


def compare(url, name, cql, rest, connections):
    """Both sides in turns, as a guest."""
    (found, expected) = (call(url, "GET", path, APP_KEY) for path in (cql, rest))
    if not (found["results"] or found.get("count")) or any(found[name] != expected[name] for name in expected):
        sys.exit(f"{cql} does not find what {rest} finds")
    rounds = turns([lambda path=path: wrk(url + path, connections, SECONDS, HEADERS) for path in (cql, rest)], ROUNDS)
    mine, other = (statistics.median(side) for side in zip(*rounds))
    ratio = statistics.median(mine / other for mine, other in rounds)
    report(f"CQL, {name}, {connections} conn.", "req/s", mine, other, "REST", f"goal {GOAL:.2f}", ratio)
