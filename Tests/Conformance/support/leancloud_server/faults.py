"""What goes wrong at a server that is asked much: limits, errors, slow replies, lost replies."""

import threading
import time
from random import Random


class Faults:
    """No fault at first; tests set attributes.

    - `rate`: requests in a second, beyond which the answer is 429
    - `error_share`: the fraction of requests, chosen by a seeded generator, that get 502, 503 or 500
    - `delay`: seconds before each answer
    - `fail_next(count, status)`: the next requests get this status
    - `lose_next(count)`: the next requests are carried out, but the connection ends instead of the answer
    """

    def __init__(self, seed="faults"):
        self.rate, self.error_share, self.delay = None, 0, 0
        self.random, self.lock = Random(seed), threading.Lock()
        self.planned, self.lost = [], 0
        self.window, self.used = 0, 0

    def fail_next(self, count, status=503):
        with self.lock:
            self.planned += [status] * count

    def lose_next(self, count=1):
        with self.lock:
            self.lost += count

    def status(self):
        """The status of an error for the request that came just now, or nil."""
        with self.lock:
            if self.planned:
                return self.planned.pop(0)
            second = int(time.monotonic())
            self.used = self.used + 1 if second == self.window else 1
            self.window = second
            if self.rate is not None and self.used > self.rate:
                return 429
            return self.random.choice([500, 502, 503]) if self.random.random() < self.error_share else None

    def loses(self):
        """Whether the answer to this request is lost."""
        with self.lock:
            is_lost = self.lost > 0
            self.lost -= is_lost
            return is_lost
