"""The crash ledger: clients work, every answer is written down outside the server, the server is killed at random moments
and started again on the same storage, and everything that was answered must be there."""

import hashlib
import json
import sqlite3
import threading
import time
from collections import Counter
from random import Random

from client import ALPHA, eventually
from ledger_clients import DIALECTS, Refusal, Things, expect
from wire import NoAnswer, Wire, path_of

CREDENTIALS = {"X-LC-Id": ALPHA.id, "X-LC-Key": ALPHA.key}
# Parts of any size, so that small files have several.
SETTINGS = {"LCFILE_UPLOADS_MIN_PART_SIZE": "1B", "LCFILE_LOG_LEVEL": "error"}
FILE_CLIENTS, OBJECT_CLIENTS = 5, 2


class Ledger:
    """What was answered, a line of JSON for each answer, on the disk before the next request."""

    def __init__(self, path):
        self.path = path
        self.file = open(path, "a", encoding="utf-8")
        self.lock = threading.Lock()

    def write(self, *entries):
        with self.lock:
            for entry in entries:
                self.file.write(json.dumps(entry) + "\n")
            self.file.flush()

    def read(self):
        with open(self.path, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


class CrashTest:
    """Rounds of work, a kill, a start and a look at what is there."""

    def __init__(self, server, seed, ledger):
        self.server, self.ledger = server, ledger
        self.chance = Random(seed)
        self.faults, self.counts = [], Counter()
        # By id: digest and size; of files whose deletion was answered None.
        self.files = {}
        self.things = [Things(f"Ledger{number}", Random(f"{seed} things {number}")) for number in range(OBJECT_CLIENTS)]
        self.maybe_deleted, self.waiting, self.recent = set(), [], []
        self.lock = threading.Lock()
        self.killed, self.last = threading.Event(), threading.Event()
        self.number = 0

    def run(self, kills, seconds):
        """Kills so often, or for so long; returns how often it was."""
        start = time.monotonic()
        self.server.start()
        done = 0
        while done < kills and time.monotonic() - start < seconds and not self.faults:
            self.round()
            done += 1
            self.killed.clear()
            self.check_storage()
            self.check_recent()
        self.counts["kills"] = done
        self.check_all()
        return done

    # Work, and the kill

    def round(self):
        self.last.clear()
        workers = [threading.Thread(target=self.store_files, args=(Random(self.chance.random()),), daemon=True)
                   for _ in range(FILE_CLIENTS)]
        workers += [threading.Thread(target=self.change_things, args=(things,), daemon=True) for things in self.things]
        for worker in workers:
            worker.start()
        # The moments behind a last byte are short, so half of the kills wait for one.
        time.sleep(self.chance.random() * 0.5)
        if self.chance.random() < 0.5:
            self.last.clear()
            self.last.wait(1)
            time.sleep(self.chance.random() * 0.02)
        self.killed.set()
        self.server.kill()
        for worker in workers:
            worker.join(timeout=30)
            if worker.is_alive():
                self.fault("a client did not notice that the server died")
        self.server.start()

    def store_files(self, chance):
        wire = Wire(self.server.port, CREDENTIALS)
        while not self.killed.is_set():
            with self.lock:
                self.number += 1
                number = self.number
            file = chance.choice(DIALECTS)(chance, number)
            self.attempt(file, wire)
            if chance.random() < 0.3:
                self.delete_one(chance, wire)
        wire.close()

    def attempt(self, file, wire):
        """Lets a client go on with its file; what it could not end is kept for after the start."""
        try:
            file.go(wire, self.last.set)
        except NoAnswer as error:
            if not self.killed.is_set():
                self.fault(f"no answer of a server that runs: {error}")
            if file.can_go_on:
                with self.lock:
                    self.waiting.append(file)
            return
        except Refusal as refusal:
            self.fault(f"{type(file).__name__}: {refusal}")
            return
        way = type(file).__name__
        self.ledger.write({"file": file.id, "sha256": file.digest, "size": file.size, "way": way})
        with self.lock:
            self.files[file.id] = (file.digest, file.size)
            self.recent.append(file.id)
            self.counts[way] += 1

    def delete_one(self, chance, wire):
        with self.lock:
            living = [id for id in self.recent if self.files[id] is not None and id not in self.maybe_deleted]
            if not living:
                return
            id = chance.choice(living)
            self.maybe_deleted.add(id)
        try:
            expect(wire.call("DELETE", f"/1.1/files/{id}", X_LC_Key=f"{ALPHA.master},master"), 200)
        except NoAnswer:
            return
        except Refusal as refusal:
            return self.fault(f"DELETE: {refusal}")
        self.ledger.write({"deleted": id})
        with self.lock:
            self.files[id] = None
            self.maybe_deleted.discard(id)
            self.counts["deleted files"] += 1

    def change_things(self, things):
        wire = Wire(self.server.port, CREDENTIALS)
        while not self.killed.is_set():
            try:
                entries = things.go(wire)
            except NoAnswer as error:
                if not self.killed.is_set():
                    self.fault(f"no answer of a server that runs: {error}")
                break
            except Refusal as refusal:
                self.fault(f"objects: {refusal}")
                break
            self.ledger.write(*entries)
            with self.lock:
                self.counts["changes of objects"] += len(entries)
        wire.close()

    # What must be there

    def check_recent(self):
        """What the last round was answered; clients that were cut off go on first."""
        wire = Wire(self.server.port, CREDENTIALS)
        waiting, self.waiting = self.waiting, []
        for file in waiting:
            self.counts["resumed"] += 1
            self.attempt(file, wire)
        ids, self.recent = self.recent, []
        self.check_files(wire, ids)
        for things in self.things:
            tags = list(things.possible) + self.chance.sample(sorted(things.known), min(20, len(things.known)))
            for fault in things.faults(wire, tags):
                self.fault(fault)
        self.maybe_deleted.clear()
        wire.close()

    def check_all(self):
        """Everything that the ledger says, from its file."""
        files, objects = {}, {}
        for entry in self.ledger.read():
            if "file" in entry:
                files[entry["file"]] = (entry["sha256"], entry["size"])
            elif "deleted" in entry:
                files[entry["deleted"]] = None
            else:
                objects[entry["tag"]] = entry["fields"]
        # A deletion without an answer was settled by what was seen after the kill.
        unsettled = {id for id, facts in files.items() if facts != self.files.get(id)}
        wire = Wire(self.server.port, CREDENTIALS)
        self.check_files(wire, [id for id in files if id not in unsettled])
        for things in self.things:
            for fault in things.faults(wire, sorted(things.known)):
                self.fault(fault)
        wire.close()
        self.counts["files in the ledger"] = sum(facts is not None for facts in files.values())
        self.counts["objects in the ledger"] = sum(fields is not None for fields in objects.values())

    def check_files(self, wire, ids):
        for id in ids:
            facts = self.files[id]
            reply = wire.call("GET", f"/1.1/files/{id}")
            is_gone = reply.status == 404
            if is_gone and id in self.maybe_deleted:
                self.files[id] = None
            elif is_gone != (facts is None) or reply.status not in (200, 404):
                self.fault(f"file {id}: {reply.status}, {facts}")
            elif not is_gone:
                content = wire.call("GET", path_of(reply.json()["url"])).content
                seen = (hashlib.sha256(content).hexdigest(), len(content))
                if seen != facts or reply.json()["metaData"]["size"] != facts[1]:
                    self.fault(f"file {id}: {seen} instead of {facts}")

    def check_storage(self):
        """Rows and blobs, before any new work (docs/storage-format.md): the start removes what deletions have queued."""
        def look():
            keys, uploads, queued = rows(self.server.storage / ALPHA.id / "lcfile.sqlite")
            named = {hashlib.sha256(key.encode()).hexdigest() for key in keys}
            blobs = {path.name for path in self.server.blobs()}
            staged = {path.name for path in self.server.staged()}
            return named, blobs, staged, uploads, queued

        self.counts["deletions queued at a start"] += look()[-1]
        if not eventually(lambda: look()[-1] == 0, 20):
            self.fault("the deletion queue does not become empty")
        named, blobs, staged, uploads, _ = look()
        for text, names in (
            ("a record without its blob", named - blobs), ("a blob without a record", blobs - named),
            ("staged for no upload", staged - uploads),
        ):
            for name in names:
                self.fault(f"{text}: {name}")

    def fault(self, text):
        with self.lock:
            self.faults.append(text)


def rows(database):
    """The keys of all files, the ids of unfinished uploads, and how many deletions are queued."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=5)
    try:
        tables = dict(connection.execute("SELECT name, number FROM class WHERE name IN ('_File', '_Upload', '_Deletion')"))
        keys = connection.execute(f"SELECT json_extract(body, '$.key') FROM class_{tables['_File']}").fetchall()
        uploads = connection.execute(
            f"SELECT id FROM class_{tables['_Upload']} WHERE json_extract(body, '$.state') <> 'finished' "
            "OR json_extract(body, '$._concat') = 'partial'"
        ).fetchall()
        queued, = connection.execute(f"SELECT count(*) FROM class_{tables['_Deletion']}").fetchone()
    finally:
        connection.close()
    return [key for key, in keys if key], {id for id, in uploads}, queued
