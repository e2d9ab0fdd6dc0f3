"""The attackers of Benchmarks/run hostile: costly requests that any client with the app key can send.

    attackers.py CONFIGURATION    runs until its time is over; prints as JSON what each attack was answered with

The configuration is JSON: port, source (the address to connect from), seconds, patience (seconds for one answer), and
attacks (from names to what the attack needs).
"""

import itertools
import json
import sys
import threading
import time
import urllib.parse
from collections import Counter

from measuring import APP
from wire import Wire, head

KEYS = {"X-LC-Id": APP["LCFILE_APP_ID"], "X-LC-Key": APP["LCFILE_APP_KEY"]}
JSON = KEYS | {"Content-Type": "application/json"}
TEXT = {"Content-Type": "text/plain"}
# Of each client: seconds from one request to the next at least, so that refusals do not become a flood, and requests.
PACE = 0.05
MOST = 1000
# Just below http.maxJsonSize.
BODY = 19 << 20
PATTERN = {"s": {"$regex": r"\p{L}+$", "$options": "ims"}}


def all_of_many(count):
    """Five `$all` of this many values each, every one of them there."""
    return {"$and": [{"a": {"$all": list(range(first, first + count))}} for first in range(0, 10_000, 2000)]}


def any_of_many():
    """900 `$in`, all false, so that each is looked at."""
    return {"$or": [{"a": {"$in": [number]}} for number in range(10, 910)]}


def query(where):
    """A condition in a URL, which with all else may have 80 KB."""
    return f"where={urllib.parse.quote(compact(where), safe=':,[]$')}"


def put(target, where):
    """A change with a condition."""
    body = b'{"n":1}'
    return [head("PUT", f"{target}?{query(where)}", JSON, body), body]


def batch(target, where):
    """The same as the only request of a batch."""
    request = {"method": "PUT", "path": target, "params": {"where": where}, "body": {"n": 1}}
    body = compact({"requests": [request]}).encode()
    return [head("POST", "/1.1/batch", JSON, body), body]


def find(target, where):
    return [head("GET", f"{target.rpartition('/')[0]}?{query(where)}", KEYS)]


def objects(headers, target, before=b"", after=b""):
    """Many empty objects, each of which takes far more memory than text."""
    count = (BODY - len(before) - len(after) - 4) // 3
    body = before + b"[" + b"{}," * count + b"{}]" + after
    return [head("POST", target, headers, body), body]


def compact(json_value):
    return json.dumps(json_value, separators=(",", ":"))


def same(request):
    return itertools.repeat(request)


def blurs(path):
    """Requests for the same file, each with a sigma that was not asked for before."""
    return ([head("GET", f"{path}?imageMogr2/blur/50x{50 - number / 1000:.3f}", {})] for number in itertools.count(1))


# For each attack the requests of each of its clients; clients with one iterator share it.
ATTACKS = {
    "memory": lambda target: [same(put(target, all_of_many(2900))), same(batch(target, all_of_many(10_000)))],
    "writer": lambda target: [same(put(target, any_of_many())), same(batch(target, any_of_many()))],
    "regex": lambda target: [same(find(target, PATTERN)) for _ in range(4)],
    "regex put": lambda target: [same(put(target, PATTERN))],
    "json": lambda target: [same(objects(JSON, target))] * 6,
    "tunnels": lambda target: [same(objects(TEXT, target, b'{"a":', b',"_ApplicationId":"bench"}'))] * 6,
    "images": lambda paths: [requests for requests in map(blurs, paths) for _ in range(2)],
}


class Attack:
    """What the clients of one attack were answered with."""

    def __init__(self):
        self.answers, self.longest, self.first_error = Counter(), 0.0, ""
        self.lock = threading.Lock()

    def run(self, wire, requests, end):
        for _ in range(MOST):
            with self.lock:
                request = next(requests)
            began = time.monotonic()
            if began >= end:
                break
            try:
                status, body = wire.request(request)
            except ConnectionRefusedError:
                break
            took = time.monotonic() - began
            with self.lock:
                self.answers[str(status)] += 1
                self.longest = max(self.longest, took)
                if not self.first_error and b'"error"' in body[:4096]:
                    self.first_error = body[:200].decode(errors="replace")
            time.sleep(min(max(PACE - took, 0), max(end - time.monotonic(), 0)))
        wire.close()


def main():
    given = json.loads(sys.argv[1])
    clients = []
    attacks = {name: Attack() for name in given["attacks"]}
    for name, target in given["attacks"].items():
        for requests in ATTACKS[name](target):
            wire = Wire(given["port"], given["source"], given["patience"])
            clients.append((attacks[name], wire, requests))
    print("ready", flush=True)
    end = time.monotonic() + given["seconds"]
    threads = [threading.Thread(target=attack.run, args=(wire, requests, end)) for attack, wire, requests in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report = {name: [attack.answers, attack.longest, attack.first_error] for name, attack in attacks.items()}
    print(json.dumps(report))


if __name__ == "__main__":
    main()
