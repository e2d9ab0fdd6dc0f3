"""One operation again and again, with another of its system calls failing each time, and what must hold after each."""

import hashlib
import sqlite3
import time
from collections import Counter
from contextlib import closing
from random import Random

import requests
from client import ALPHA, eventually
from failing_calls import FAULTS, HARMLESS, descriptors
from uploading import INTERNALS

# Retries are soon, so that a step need not wait for them.
SETTINGS = {
    "LCFILE_UPLOADS_MIN_PART_SIZE": "1B", "LCFILE_UPLOADS_SWEEP_INTERVAL": "1", "LCFILE_CENSORSHIP_RETRY_PAUSE": "1",
    "LCFILE_LOG_LEVEL": "error",
}
# Besides single failures: all calls from the N-th on, as of a disk that is gone.
WAYS = [(fault, False) for fault in FAULTS if fault != "EROFS"] + [("EIO", True), ("ENOSPC", True)]
# 599 is that of Kodo.
ERRORS = {500, 503, 507, 599}


class Fault(AssertionError):
    """What a server must not do."""


def require(condition, text):
    if not condition:
        raise Fault(text)


class Operation:
    """What is swept. `prepare` and `check` run while nothing fails.

    After an error `check` may repeat the operation, which must then succeed, as a client would. What it returns is a
    function that looks again after a restart.
    """

    name = ""

    def prepare(self, number):
        """What `act` needs."""

    def act(self, thing):
        """The answer, or an exception if the connection ended instead."""
        raise NotImplementedError

    def check(self, thing, answer, has_succeeded):
        raise NotImplementedError


def answer_of(operation, thing):
    """The answer of an operation; whether it is a success. An error must be one of the protocol."""
    try:
        answer = operation.act(thing)
    except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
        return error, False
    if answer.status_code < 400:
        return answer, True
    require(answer.status_code in ERRORS, f"{answer.status_code} {answer.text[:200]}")
    require(not INTERNALS.search(answer.text), answer.text[:200])
    body = answer.json() if answer.text else {"error": ""}
    require("error" in body, f"{answer.status_code} {answer.text[:200]}")
    return answer, False


class Sweep:
    """A running server and its switch, and the steps of operations on it."""

    def __init__(self, server, calls, report=lambda text: None):
        self.server, self.calls, self.report = server, calls, report
        self.counts, self.faults, self.later = Counter(), [], []
        self.usual, self.known = None, set()

    def run(self, operation, ways=WAYS, share=1.0, seed=23, seconds=float("inf")):
        """All calls of an operation, or a share of them, for each way to fail; then a kill and a start."""
        chance, end = Random(f"{seed} {operation.name}"), time.monotonic() + seconds
        self.step(operation, "EIO", 0, False)
        self.usual = self.open_now()
        for fault, lasts in ways:
            steps = numbers(lambda number: self.step(operation, fault, number, lasts), share, chance)
            while time.monotonic() < end and next(steps, None) is not None:
                pass
        self.at_rest(operation.name)
        self.server.kill()
        self.server.start()
        self.at_rest(f"{operation.name} after a kill")
        for where, look in self.later:
            self.note(where, look)
        self.later.clear()
        return self

    def step(self, operation, fault, number, lasts):
        where = f"{operation.name}: {fault} {'from' if lasts else 'at'} call {number}"
        thing = operation.prepare(self.counts["steps"])
        self.calls.begin(fault, number, lasts)
        try:
            answer, has_succeeded = answer_of(operation, thing)
            self.wait_for_silence()
        except Fault as found:
            answer, has_succeeded = None, None
            self.fault(where, found)
        finally:
            count, failed = self.calls.end()
        if number and failed:
            where += f" ({self.calls.call(number)})"
        self.counts["steps"] += 1
        self.counts[f"{operation.name} {fault}{' lasting' if lasts else ''}"] += failed > 0
        if has_succeeded is None:
            return count, failed
        self.counts["errors answered"] += not has_succeeded
        if not has_succeeded and (failed == 0 or fault in HARMLESS):
            self.fault(where, f"refused: {getattr(answer, 'text', answer)}")
        self.note(where, lambda: self.check(operation, thing, answer, has_succeeded, where))
        return count, failed

    def check(self, operation, thing, answer, has_succeeded, where):
        require(self.server.process.poll() is None, "the server ended")
        look = operation.check(thing, answer, has_succeeded)
        if look is not None:
            self.later.append((f"{where}, after a kill", look))
        self.storage()
        if self.usual is not None:
            require(eventually(lambda: not self.leaked()), f"left open: {self.leaked()}")

    def wait_for_silence(self):
        """What goes on behind the answer counts as well."""
        before = None
        while (now := self.calls.count()) != before:
            before = now
            time.sleep(0.01)

    # What must hold

    def open_now(self):
        """Open descriptors but those of connections, and of blobs and staged bytes that are there, which stay open."""
        there = {str(path) for path in self.server.blobs() + self.server.staged()}
        seen = descriptors(self.server.process.pid)
        passing = {target for target in there if seen.get(target) == 1} | {"socket"}
        return {target: count for target, count in seen.items() if target not in passing}

    def leaked(self):
        more = {target: count for target, count in self.open_now().items() if count > self.usual.get(target, 0)}
        return {target: count for target, count in more.items() if not may_be_open(target)}

    def storage(self):
        """Each record has its blob, each blob a record or a row of the deletion queue, each staged file an upload."""
        def wrong():
            keys, queued, uploads = rows(self.server)
            blobs = {path.name for path in self.server.blobs()}
            staged = {path.name.split(".")[0] for path in self.server.staged()}
            return {
                (text, name)
                for text, names in (
                    ("a record without its blob", keys - blobs), ("a blob without a record", blobs - keys - queued),
                    ("staged for no upload", staged - uploads),
                )
                for name in names
            } - self.known

        # The sweep puts in order what a failure left.
        if not eventually(lambda: not wrong()):
            found = wrong()
            self.known |= found
            raise Fault("; ".join(f"{text}: {name}" for text, name in sorted(found)))

    def at_rest(self, where):
        """After all retries: nothing waits."""
        def look():
            require(eventually(lambda: not rows(self.server)[1], 15), "the deletion queue does not become empty")
            self.storage()
            left = lambda: list((self.server.storage / ALPHA.id).glob("derivatives/staging-*"))
            require(eventually(lambda: not left()), f"staged derivatives: {left()}")

        self.note(where, look)

    def note(self, where, look):
        try:
            look()
        except (AssertionError, requests.RequestException) as found:
            self.fault(where, found)

    def fault(self, where, found):
        self.faults.append(f"{where}: {found}")
        self.report(self.faults[-1])


def numbers(step, share, chance):
    """Takes the steps of a way to fail: of each call, or of a share of them, and one behind the last, in which nothing
    fails. `step` returns how many calls there were, and how many failed."""
    count, _ = step(0)
    number, failed = 1, 1
    while failed or number <= count:
        if number > count or chance.random() < share:
            _, failed = step(number)
            yield number
        number += 1


def may_be_open(target):
    """Connections of the database are opened when they are needed, and a derivative stays open for a while."""
    return "lcfile.sqlite" in target or "/derivatives/" in target and "staging-" not in target


def rows(server):
    """Digests of the keys of all files, and of those in the deletion queue; ids of unfinished uploads."""
    path = server.storage / ALPHA.id / "lcfile.sqlite"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)) as database:
        tables = dict(database.execute("SELECT name, number FROM class"))
        keys = "SELECT json_extract(body, '$.key') FROM class_{}"
        files, queued = (
            {digest_of_key(key) for key, in database.execute(keys.format(tables[name]))}
            for name in ("_File", "_Deletion")
        )
        uploads = database.execute(
            f"SELECT id FROM class_{tables['_Upload']} WHERE json_extract(body, '$.state') <> 'finished'"
        )
        return files, queued, {id for id, in uploads}


def digest_of_key(key):
    return hashlib.sha256(key.encode()).hexdigest()
