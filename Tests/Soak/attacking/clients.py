"""The attacker's clients and the victims, each on a thread and a connection of its own, and what counts as a failure."""

import threading
import time
from collections import Counter, defaultdict

from attacking.arena import IMAGE_TIMEOUT, QUERY_TIMEOUT
from attacking.bodies import Bodies
from attacking.chains import Chains
from attacking.objects import Objects
from attacking.request import KEYS, Request
from attacking.uploads import Uploads
from random import Random
from wire import Wire

# Seconds from the first byte of a request to the end of its answer, on a machine that is busy with all others.
QUERY_DEADLINE = QUERY_TIMEOUT + 5
BODY_DEADLINE, UPLOAD_DEADLINE = 20, 20
# Every client may have a job of IMAGE_TIMEOUT before this one, on two cores.
IMAGE_DEADLINE = 6 * IMAGE_TIMEOUT
# The longest that a victim may wait, and how often it sends a request.
VICTIM_DEADLINE, VICTIM_PACE = 3, 0.1
# The shares of a client's requests.
WEIGHTS = {"find": 20, "count": 6, "scan": 4, "change": 15, "batch": 8, "save": 5, "body": 10, "image": 20, "question": 3, "upload": 9}
# A request that the server refuses early may end in a reset; of a smaller one the answer must arrive.
SMALL = 60_000


class Ring:
    """What all clients share: the first failure, and the counts."""

    def __init__(self):
        self.ended = threading.Event()
        self.lock = threading.Lock()
        self.failure = None
        self.running = {}
        self.answers, self.longest = defaultdict(Counter), defaultdict(float)
        self.waits = []

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

    def __init__(self, ring, port, seed, number, ids, files, kinds):
        super().__init__(name=f"client {number}", daemon=True)
        self.ring, self.wire = ring, Wire(port, "127.0.0.2")
        self.random = Random(f"{seed} {number}")
        objects = Objects(self.random, ids)
        bodies, chains, uploads = Bodies(self.random), Chains(self.random, files), Uploads(self.random)
        draws = {
            "find": (objects.find, QUERY_DEADLINE), "count": (objects.count, QUERY_DEADLINE), "scan": (objects.scan, QUERY_DEADLINE),
            "change": (objects.change, QUERY_DEADLINE), "batch": (objects.batch, QUERY_DEADLINE),
            "save": (objects.save, QUERY_DEADLINE), "body": (bodies.body, BODY_DEADLINE), "image": (chains.image, IMAGE_DEADLINE),
            "question": (chains.question, IMAGE_DEADLINE), "upload": (uploads.upload, UPLOAD_DEADLINE),
        }
        self.draws = [draws[kind] for kind in kinds]
        self.weights = [WEIGHTS[kind] for kind in kinds]

    def run(self):
        while not self.ring.ended.is_set():
            (draw, deadline), = self.random.choices(self.draws, self.weights)
            request = draw()
            request.deadline = deadline
            if request.leaves_after is None and self.random.random() < 0.05:
                request.leaves_after = self.random.uniform(0.01, 2)
            self.check(request)
        self.wire.close()

    def check(self, request):
        self.ring.running[self.name] = (time.monotonic(), request)
        status, body, took = self.send(request)
        if status == "closed" and len(request.body) < SMALL and request.leaves_after is None:
            # The server may have closed an idle connection in that moment.
            status, body, took = self.send(request)
        self.ring.running.pop(self.name, None)
        if self.ring.ended.is_set() and status in ("closed", "refused"):
            return
        self.ring.count(request.kind, status, took)
        if status == "refused":
            self.ring.fail("The server does not listen any more", request)
        elif status == "late" and request.leaves_after is None:
            self.ring.fail(f"There is no answer within {request.deadline} s", request)
        elif status == "closed" and len(request.body) < SMALL and request.leaves_after is None:
            self.ring.fail("The connection ended without an answer", request)
        elif isinstance(status, int) and status >= 500 and status not in (503, 507):
            self.ring.fail(f"The answer is {status} {body[:300]!r}", request)

    def send(self, request):
        self.wire.patience = request.leaves_after or request.deadline
        began = time.monotonic()
        try:
            status, body = self.wire.request(request.pieces)
        except ConnectionRefusedError:
            status, body = "refused", b""
        return status, body, time.monotonic() - began


class Victim(threading.Thread):
    """Sends the same cheap request again and again; it must be answered at once."""

    def __init__(self, ring, port, target):
        super().__init__(name=f"victim {target}", daemon=True)
        self.ring, self.wire = ring, Wire(port, patience=VICTIM_DEADLINE)
        self.request = Request("victim", "GET", target, KEYS if target.startswith("/1.1/") else {})

    def run(self):
        while not self.ring.ended.wait(VICTIM_PACE):
            began = time.monotonic()
            try:
                status, _ = self.wire.request(self.request.pieces)
            except ConnectionRefusedError:
                status = "refused"
            took = time.monotonic() - began
            self.ring.waits.append(took)
            if self.ring.ended.is_set():
                break
            if status == "closed" and took < 1:
                # An idle connection's end; the next one counts.
                continue
            if status != 200:
                self.ring.fail(f"A victim got {status} after {took:.1f} s", self.request)
        self.wire.close()
