"""People's verdicts on files (censorship)."""

import json

from censoring import bytes_of, image
from wire import path_of

from .facts import MASTER, Facts, expect


class Verdicts(Facts):
    """A verdict that was answered stays, and is enforced."""

    kind = "verdicts"

    def __init__(self, chance, name=""):
        super().__init__(chance, name)
        # By file: the verdict of a request without an answer. By file: its URL's path.
        self.possible, self.paths = {}, {}

    def one(self, wire):
        if not self.paths or self.chance.random() < 0.4:
            picture = bytes_of(image(f"{self.name} {self.number}"), "PNG")
            record = expect(wire.call("POST", f"/1.1/files/verdict{self.number}.png", picture), 201).json()
            self.paths[record["objectId"]] = path_of(record["url"])
            return record["objectId"], None
        id = self.chance.choice(sorted(self.paths))
        self.possible[id] = verdict = self.chance.choice(["rejected", "passed"])
        # Also without an answer, the look after the crash shows which of both it is.
        self.recent.append(id)
        expect(wire.send("PUT", f"/1.1/files/{id}/censor", {"verdict": verdict}, **MASTER), 200)
        del self.possible[id]
        return id, verdict

    def sees(self, wire, id, fact):
        state = json.loads(expect(wire.call("GET", f"/1.1/files/{id}/censor", **MASTER), 200, 404).content)
        seen = state.get("censorResult")
        allowed = {fact, self.possible.pop(id, fact)}
        self.known[id] = seen
        if seen not in allowed:
            return f"{seen} instead of {allowed}"
        status = wire.call("GET", self.paths[id]).status
        if status != (403 if seen == "rejected" else 200):
            return f"{seen}, and the file's URL answers {status}"
        return None
