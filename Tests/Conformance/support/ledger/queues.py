"""Mails and SMS: what was asked for is sent, or stands in the list of what was given up."""

from accounts import PASSWORD
from client import eventually

from .facts import MASTER, Facts, expect

# After the last start the queues send what was left.
PATIENCE = 60


class Mails(Facts):
    """Users who sign up; each gets a mail, once at least."""

    kind = "mails"

    def __init__(self, chance, name, sink):
        super().__init__(chance, name)
        self.sink = sink

    def one(self, wire):
        fields = {"username": f"{self.name}{self.number}", "password": PASSWORD}
        fields["email"] = f"{fields['username']}@example.org"
        return fields["email"], expect(wire.send("POST", "/1.1/users", fields), 201).json()["objectId"]

    def sees(self, wire, address, id):
        user = wire.call("GET", f"/1.1/users/{id}", **MASTER)
        if user.status != 200 or user.json()["email"] != address:
            return f"the user is {user.status} {user.content[:100]}"
        return None

    def faults(self, wire, everything=False):
        yield from super().faults(wire, everything)
        if everything:
            yield from unsent(self, wire, "/1.1/mails", lambda: {mail["X-Rcpt"] for mail in self.sink.mails()})


class Codes(Facts):
    """Codes by SMS."""

    kind = "SMS"

    def __init__(self, chance, name, gateway):
        super().__init__(chance, name)
        self.gateway, self.prefix = gateway, chance.randrange(10**4)

    def one(self, wire):
        phone = f"+1{self.prefix:04}{self.number:06}"
        expect(wire.send("POST", "/1.1/requestSmsCode", {"mobilePhoneNumber": phone}), 200)
        return phone, None

    def sees(self, wire, phone, fact):
        return None

    def faults(self, wire, everything=False):
        if everything:
            yield from unsent(self, wire, "/1.1/sms", lambda: {sms["number"] for sms in self.gateway.messages()})


def unsent(facts, wire, path, sent):
    """The messages of a queue that were neither delivered nor given up."""
    def waiting():
        return expect(wire.call("GET", f"{path}?state=waiting&limit=1000", **MASTER), 200).json()["results"]

    if not eventually(lambda: not waiting(), PATIENCE):
        yield f"{facts.kind}: {len(waiting())} still wait"
    dead = expect(wire.call("GET", f"{path}?state=dead&limit=1000", **MASTER), 200).content.decode()
    for key in sorted(set(facts.known) - sent()):
        if key not in dead:
            yield f"{facts.kind}: nothing came to {key}"
