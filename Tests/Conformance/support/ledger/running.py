"""Rounds of work, a crash, a start and a look at what is there."""

import json
import sqlite3
import threading
import time
from collections import Counter
from random import Random

from client import ALPHA, eventually
from wire import NoAnswer, Wire

from .crashes import wait_for_end
from .facts import Refusal
from .uploads import Uploads

CREDENTIALS = {"X-LC-Id": ALPHA.id, "X-LC-Key": ALPHA.key}
FILE_CLIENTS = 5


class Ledger:
    """What was answered, a line of JSON for each answer, on the disk before the next request."""

    def __init__(self, path):
        self.path = path
        self.file = open(path, "a", encoding="utf-8")
        self.lock = threading.Lock()
        self.answers = 0

    def write(self, *entries):
        with self.lock:
            for entry in entries:
                self.file.write(json.dumps(entry) + "\n")
            self.file.flush()
            self.answers += len(entries)

    def read(self):
        with open(self.path, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


class CrashTest:
    """The whole test with one way to crash. After `run`, `faults` are sentences, and `counts` say what was done."""

    def __init__(self, everybody, seed, ledger, crash):
        self.server, self.ledger, self.crash = everybody.server, ledger, crash
        self.clients, self.imports = everybody.clients, everybody.imports
        self.chance = Random(seed)
        self.faults, self.counts = [], Counter()
        self.lock = threading.Lock()
        self.crashed, self.last = threading.Event(), threading.Event()
        self.uploads = Uploads(self)

    def run(self, crashes, seconds):
        """Crashes so often, or for so long, or until something is lost; returns how often it was."""
        begin = time.monotonic()
        self.server.start()
        self.crash.started(self.server)
        done = 0
        while done < crashes and time.monotonic() - begin < seconds and not self.faults:
            self.round()
            done += 1
            self.crash.ended(self)
            if self.start():
                self.crashed.clear()
                self.look(self.crash.faults_of_storage, self.server, self.counts, self.crash.leaves_blobs)
                self.look_at_clients(self.uploads.faults)
        if not self.faults:
            self.look_at_clients(lambda wire: self.uploads.faults_of_ledger(wire, self.ledger.read()), everything=True)
            self.look(self.imports.faults, self.server.api(master=True))
            self.look(self.crash.faults_of_storage, self.server, self.counts, self.crash.leaves_blobs)
        self.counts[self.crash.name], self.counts["answers"] = done, self.ledger.answers
        return done

    # Work, and the crash

    def round(self):
        self.last.clear()
        seeds = [Random(self.chance.random()) for _ in range(FILE_CLIENTS)]
        jobs = [lambda wire, seed=seed: self.uploads.work(wire, seed) for seed in seeds]
        jobs += [lambda wire, client=client: self.change(client, wire) for client in self.clients]
        workers = [threading.Thread(target=self.repeat, args=(job,), daemon=True) for job in jobs]
        strikes = self.crash.strike(self.server, self.chance)
        for worker in workers:
            worker.start()
        self.imports.begin()
        if not (strikes and wait_for_end(self.server, 5)):
            self.wait_for_moment()
        self.crashed.set()
        code = self.server.process.poll()
        if code is not None and not (strikes and code == -9):
            self.fault(f"the server ended by itself with {code}: {self.server.errors[-1000:]}")
        self.imports.end()
        self.crash.end(self.server, self.chance)
        for worker in workers:
            worker.join(timeout=30)
            if worker.is_alive():
                self.fault("a client did not notice that the server died")

    def wait_for_moment(self):
        """The moments behind a last byte are short, so half of the crashes wait for one."""
        # Each client has something to lose. After the first rounds this waits no more.
        eventually(lambda: self.has_answers() or self.server.process.poll() is not None, 20)
        time.sleep(self.chance.random() * 0.5)
        if self.chance.random() < 0.5:
            self.last.clear()
            self.last.wait(1)
            time.sleep(self.chance.random() * 0.02)

    def has_answers(self):
        return self.uploads.files and all(self.counts[client.kind] for client in self.clients)

    def repeat(self, job):
        """One client's work until the crash."""
        wire = Wire(self.server.port, CREDENTIALS)
        while not self.crashed.is_set():
            try:
                job(wire)
            except NoAnswer as error:
                if not self.crashed.is_set() and not wait_for_end(self.server, 10):
                    self.fault(f"no answer of a server that runs: {error}")
                break
            except Refusal as refusal:
                self.fault(f"refused: {refusal}")
                break
        wire.close()

    def change(self, client, wire):
        entries = client.go(wire)
        self.ledger.write(*entries)
        with self.lock:
            self.counts[client.kind] += len(entries)

    def start(self):
        # What puts a storage in order can be interrupted as well.
        while self.chance.random() < 0.25:
            self.counts["starts cut off"] += 1
            self.crash.cut_start(self.server, self.chance)
        try:
            self.server.start()
        except AssertionError as error:
            self.fault(f"the server does not start: {error}")
            return False
        return True

    # What must be there

    def look_at_clients(self, files, everything=False):
        # A server that takes over the end of an upload waits first until the other one has ended for sure.
        wire = Wire(self.server.port, CREDENTIALS, timeout=60)
        self.look(files, wire)
        for client in self.clients:
            self.look(client.faults, wire, *([True] if everything else []))
        wire.close()

    def look(self, faults, *arguments):
        """Notes what is wrong; a look that fails is a fault as well."""
        try:
            for text in faults(*arguments):
                self.fault(text)
        except (NoAnswer, Refusal, OSError, sqlite3.Error) as error:
            self.fault(f"a look at the server fails: {error!r}")

    def fault(self, text):
        with self.lock:
            self.faults.append(text)
