"""What a client was answered, and what must therefore be there after a crash."""

from client import ALPHA
from wire import NoAnswer

MASTER = {"X_LC_Key": f"{ALPHA.master},master"}


class Refusal(Exception):
    """An answer that no client of a healthy server gets."""


def expect(reply, *statuses):
    if reply.status == 503 and 503 not in statuses:
        # What a server without its stores says: the change may have happened, as without an answer.
        raise NoAnswer(f"{reply.request}: 503 {reply.content[:300]}")
    if reply.status not in statuses:
        raise Refusal(f"{reply.request}: {reply.status} {reply.content[:300]}")
    return reply


class Facts:
    """A client that does one thing after the other; each answer is a fact, which no crash may undo.

    Subclasses say what they do (`one`, which returns the key of a fact and the fact) and how a fact shows (`sees`, which
    compares it with what the server says now). What was not answered is nobody's fact, unless it is `possible`.
    """

    kind = "facts"

    def __init__(self, chance, name=""):
        self.chance, self.name = chance, name
        self.known, self.recent, self.number = {}, [], 0

    def one(self, wire):
        raise NotImplementedError

    def sees(self, wire, key, fact):
        """What is wrong with a fact; nothing if it shows."""
        raise NotImplementedError

    def go(self, wire):
        """Does one thing; returns its entries for the ledger."""
        self.number += 1
        key, fact = self.one(wire)
        self.known[key] = fact
        self.recent.append(key)
        return [{self.kind: key, "fact": fact}]

    def faults(self, wire, everything=False):
        """What is wrong with the facts since the last look and some others, or with all."""
        recent, self.recent = self.recent, []
        others = self.chance.sample(sorted(self.known), min(5, len(self.known)))
        for key in dict.fromkeys(sorted(self.known) if everything else recent + others):
            fault = self.sees(wire, key, self.known[key])
            if fault:
                yield f"{self.kind}: {key}: {fault}"
