"""The attacker's clients, each a thread with a connection, and what counts as a failure."""

import re
import threading
import time
from collections import Counter, defaultdict
from random import Random

from attacking.server import IMAGE_TIMEOUT, QUERY_TIMEOUT
from attacking.bodies import Bodies
from attacking.chains import Chains
from attacking.objects import Objects
from attacking.uploads import Uploads
from wire import Wire

# Seconds from the first byte of a request to the end of its answer, on a machine that is busy with all others.
# A slow query waits at most twice QUERY_TIMEOUT for its connection, and then runs for QUERY_TIMEOUT (docs/queries.md).
QUERY_DEADLINE = 3 * QUERY_TIMEOUT + 5
BODY_DEADLINE, UPLOAD_DEADLINE = 20, 20
# On two cores, with a job of IMAGE_TIMEOUT of each client before this one, and as many that overtake it: jobs run in the
# order of their estimates and of what their files took lately, not of their arrival (docs/security.md).
IMAGE_DEADLINE = 12 * IMAGE_TIMEOUT
# The shares of a client's requests.
WEIGHTS = {
    "find": 20, "count": 6, "scan": 4, "change": 15, "batch": 8, "save": 5, "body": 10, "image": 20, "question": 3,
    "upload": 9,
}
# A request that the server refuses early may end in a reset; of a smaller one the answer must arrive.
SMALL = 60_000


class Outcome:
    """What all clients share: the first failure, and the counts."""

    def __init__(self):
        self.ended = threading.Event()
        self.lock = threading.Lock()
        self.failure = None
        self.running = {}
        self.answers, self.longest = defaultdict(Counter), defaultdict(float)

    def fail(self, words, request=None):
        with self.lock:
            if self.failure is None:
                self.failure = (words, request, dict(self.running))
        self.ended.set()

    def count(self, kind, status, took):
        with self.lock:
            self.answers[kind][str(status)] += 1
            self.longest[kind] = max(self.longest[kind], took)


class Client(threading.Thread):
    """Sends random requests until the end; its sequence of requests follows from the seed and its number."""

    def __init__(self, outcome, port, seed, number, ids, files, kinds):
        super().__init__(name=f"client {number}", daemon=True)
        self.outcome, self.wire = outcome, Wire(port, "127.0.0.2")
        self.random = Random(f"{seed} {number}")
        objects = Objects(self.random, ids)
        bodies, chains, uploads = Bodies(self.random), Chains(self.random, files), Uploads(self.random)
        draws = {
            "find": (objects.find, QUERY_DEADLINE), "count": (objects.count, QUERY_DEADLINE),
            "scan": (objects.scan, QUERY_DEADLINE), "change": (objects.change, QUERY_DEADLINE),
            "batch": (objects.batch, QUERY_DEADLINE), "save": (objects.save, QUERY_DEADLINE),
            "body": (bodies.body, BODY_DEADLINE), "image": (chains.image, IMAGE_DEADLINE),
            "question": (chains.question, IMAGE_DEADLINE), "upload": (uploads.upload, UPLOAD_DEADLINE),
        }
        self.draws = [draws[kind] for kind in kinds]
        self.weights = [WEIGHTS[kind] for kind in kinds]

    def run(self):
        while not self.outcome.ended.is_set():
            (draw, deadline), = self.random.choices(self.draws, self.weights)
            request = draw()
            request.deadline = deadline
            if request.leaves_after is None and self.random.random() < 0.05:
                request.leaves_after = self.random.uniform(0.01, 2)
            self.check(request)
        self.wire.close()

    def check(self, request):
        self.outcome.running[self.name] = (time.monotonic(), request)
        status, body, took = self.send(request)
        if status == "closed" and len(request.body) < SMALL and request.leaves_after is None:
            # The server may have closed an idle connection in that moment.
            status, body, took = self.send(request)
        self.outcome.running.pop(self.name, None)
        if self.outcome.ended.is_set() and status in ("closed", "refused"):
            return
        if status == "late" and request.leaves_after is not None:
            status = "left"
        code = re.search(rb'"code":(\d+)', body[:200]) if status == 400 else None
        self.outcome.count(request.kind, f"{status}/{code[1].decode()}" if code else status, took)
        if status == "refused":
            self.outcome.fail("The server does not listen any more", request)
        elif status == "late":
            self.outcome.fail(f"There is no answer within {request.deadline} s", request)
        elif status == "closed" and len(request.body) < SMALL and request.leaves_after is None:
            self.outcome.fail("The connection ended without an answer", request)
        elif isinstance(status, int) and status >= 500 and status not in (503, 507):
            self.outcome.fail(f"The answer is {status} {body[:300]!r}", request)

    def send(self, request):
        self.wire.patience = request.leaves_after or request.deadline
        began = time.monotonic()
        try:
            status, body = self.wire.request(request.pieces)
        except ConnectionRefusedError:
            status, body = "refused", b""
        return status, body, time.monotonic() - began
