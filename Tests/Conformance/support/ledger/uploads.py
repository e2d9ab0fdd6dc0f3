"""What many clients upload and delete at the same time."""

import hashlib
import threading

from wire import NoAnswer, path_of

from .facts import MASTER, Refusal, expect
from .files import DIALECTS

# An upload whose note was lost finds its own blob in its place; its client has to ask for another key.
KEY_TAKEN = "The key is taken."


class Uploads:
    """The files that were answered, and those whose clients go on after the start."""

    def __init__(self, test):
        self.test = test
        # By id: digest and size; of files whose deletion was answered None.
        self.files = {}
        self.maybe_deleted, self.waiting, self.recent = set(), [], []
        self.lock, self.number = threading.Lock(), 0

    def work(self, wire, chance):
        """Uploads a file, and sometimes deletes one."""
        with self.lock:
            self.number += 1
            number = self.number
        self.attempt(chance.choice(DIALECTS)(chance, number), wire)
        if chance.random() < 0.3:
            self.delete_one(chance, wire)

    def attempt(self, file, wire):
        """Lets a client go on with its file; what it could not end is kept for after the start."""
        try:
            file.go(wire, self.test.last.set)
        except NoAnswer:
            if file.can_go_on:
                with self.lock:
                    self.waiting.append(file)
            raise
        way = type(file).__name__
        self.test.ledger.write({"file": file.id, "sha256": file.digest, "size": file.size, "way": way})
        with self.lock:
            self.files[file.id] = (file.digest, file.size)
            self.recent.append(file.id)
            self.test.counts[way] += 1

    def delete_one(self, chance, wire):
        with self.lock:
            living = [id for id in self.recent if self.files[id] is not None and id not in self.maybe_deleted]
            if not living:
                return
            id = chance.choice(living)
            self.maybe_deleted.add(id)
        expect(wire.call("DELETE", f"/1.1/files/{id}", **MASTER), 200)
        self.test.ledger.write({"deleted": id})
        with self.lock:
            self.files[id] = None
            self.maybe_deleted.discard(id)
            self.test.counts["deleted files"] += 1

    def faults(self, wire):
        """What the last round was answered; clients that were cut off go on first."""
        waiting, self.waiting = self.waiting, []
        for file in waiting:
            self.test.counts["resumed"] += 1
            try:
                self.attempt(file, wire)
            except Refusal as refusal:
                if self.test.crash.leaves_blobs and KEY_TAKEN in str(refusal):
                    self.test.counts["uploads whose key such a blob has"] += 1
                else:
                    yield f"{type(file).__name__} does not go on: {refusal}"
        ids, self.recent = self.recent, []
        yield from self.faults_of(wire, ids)
        self.maybe_deleted.clear()

    def faults_of_ledger(self, wire, entries):
        """Everything that the ledger says, from its file."""
        files = {}
        for entry in entries:
            if "file" in entry:
                files[entry["file"]] = (entry["sha256"], entry["size"])
            elif "deleted" in entry:
                files[entry["deleted"]] = None
        self.test.counts["files in the ledger"] = sum(facts is not None for facts in files.values())
        # A deletion without an answer was settled by what was seen after the crash.
        unsettled = {id for id, facts in files.items() if facts != self.files.get(id)}
        yield from self.faults_of(wire, [id for id in files if id not in unsettled])

    def faults_of(self, wire, ids):
        for id in ids:
            facts = self.files[id]
            reply = wire.call("GET", f"/1.1/files/{id}")
            is_gone = reply.status == 404
            if is_gone and id in self.maybe_deleted:
                self.files[id] = None
            elif is_gone != (facts is None) or reply.status not in (200, 404):
                yield f"file {id}: {reply.status}, {facts}"
            elif not is_gone:
                content = wire.call("GET", path_of(reply.json()["url"])).content
                seen = (hashlib.sha256(content).hexdigest(), len(content))
                if seen != facts or reply.json()["metaData"]["size"] != facts[1]:
                    yield f"file {id}: {seen} instead of {facts}"
