"""Clients of live queries: a connection that logs in, subscribes over HTTP and receives events."""

import itertools
import time
from collections import deque
from functools import cache
from uuid import uuid4

import requests
from client import ALPHA, TIMEOUT
from live_messages import PROTOBUF, decode, encode
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

SUBSCRIBE, UNSUBSCRIBE = "/1.1/LiveQuery/subscribe", "/1.1/LiveQuery/unsubscribe"
# Members of the only message that the server sends unasked while all is well.
PUSH = {"cmd", "service", "installationId", "ids", "msg"}
# Events about an object that existed before the change.
CHANGES = {"update", "enter", "leave"}
# A class that no rule closes; see `Live.flush`.
MARKS = "LiveMark"


def new_id():
    return f"live-{uuid4().hex}"


def now():
    """Milliseconds since 1970, as clients send them."""
    return int(time.time() * 1000)


@cache
def address(url, app=ALPHA):
    """Where the server's route sends clients; they take it as it is."""
    response = requests.get(f"{url}/v1/route", params={"appId": app.id, "secure": "1"}, timeout=TIMEOUT)
    assert response.status_code == 200, response.text
    return response.json()["server"]


def subscribing(api, id, name, where=None, **query):
    """Asks for a live query; returns the response."""
    return api.post(SUBSCRIBE, json={"query": {"className": name, "where": where or {}} | query, "id": id})


# The text for which `costly` takes long.
TITLE = "Buy milk and bread and butter and cheese and eggs for the weekend party"


def costly(number):
    """A condition on `title`, another one for each number, whose expressions take about a tenth of a second."""
    tests = [{"title": {"$regex": f"[a-z ]*[a-z ]*[a-z ]*[!?0](?#{number}-{part})"}} for part in range(60)]
    return {"$or": tests}


def subscribed(response):
    """The `query_id` of an answer to it."""
    assert response.status_code == 200, response.text
    assert set(response.json()) == {"query_id"}
    return response.json()["query_id"]


def unsubscribe(api, id, query):
    response = api.post(UNSUBSCRIBE, json={"id": id, "query_id": query})
    assert (response.status_code, response.json()) == (200, {}), response.text


class Live:
    """One connection with one installation id; logged in unless told otherwise."""

    def __init__(self, api, id=None, protocol=PROTOBUF, url=None, login=True, **options):
        self.api, self.id, self.protocol = api, id or new_id(), protocol
        self.app = options.pop("app", ALPHA)
        self.numbers, self.pushed, self.seen = itertools.count(1), deque(), set()
        self.mark, self.marks = None, itertools.count(1)
        options = {"compression": None, "proxy": None, "ping_interval": None, "max_size": None, "legacy": True} | options
        self.socket = connect(url or address(api.server.url, self.app), subprotocols=[protocol], **options)
        assert self.socket.subprotocol == protocol
        if login:
            self.log_in()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    # Messages

    def send(self, **command):
        self.socket.send(encode(command, self.protocol))

    def receive(self, within=TIMEOUT):
        return decode(self.socket.recv(timeout=within), self.protocol)

    def request(self, cmd, **fields):
        """Sends a command with a number; returns the reply to it, and keeps the events that come before."""
        number = next(self.numbers)
        self.send(cmd=cmd, i=number, **fields)
        while True:
            message = self.receive()
            if "i" in message:
                assert message["i"] == number, message
                return message
            self.take(message)

    def log_in(self):
        reply = self.request("login", appId=self.app.id, installationId=self.id, service=1, clientTs=now())
        assert (reply["cmd"], reply["service"], reply["installationId"]) == ("loggedin", 1, self.id), reply

    def echo(self):
        """Waits until the server has read all that was sent before."""
        return self.request("echo")

    # Events

    def take(self, message):
        assert set(message) == PUSH, message
        assert (message["cmd"], message["service"], message["installationId"]) == ("data", 1, self.id)
        assert len(message["ids"]) == len(message["msg"]) > 0, message
        assert not self.seen & set(message["ids"]) and all(isinstance(id, str) and id for id in message["ids"])
        self.seen.update(message["ids"])
        for event in message["msg"]:
            parts = {"op", "query_id", "object"} | ({"updatedKeys"} if event["op"] in CHANGES else set())
            assert set(event) == parts, event
            assert {"__type", "className", "objectId"} <= set(event["object"]), event
            assert event["object"]["__type"] == ("File" if event["object"]["className"] == "_File" else "Object")
            self.pushed.append(event)

    def subscribe(self, name, where=None, by=None, **query):
        """Subscribes as the connection's caller or another one; returns the `query_id`."""
        return subscribed(subscribing(by or self.api, self.id, name, where, **query))

    def event(self):
        """The next event."""
        while not self.pushed:
            self.take(self.receive())
        return self.pushed.popleft()

    def events(self, count):
        return [self.event() for _ in range(count)]

    def flush(self):
        """All events of changes that were committed before this call.

        It saves an object to which the connection is subscribed: what comes before that event is all there is, because
        events are sent in the order of the changes.
        """
        guest = self.api.server.api(self.app)
        if self.mark is None:
            self.mark = subscribed(subscribing(guest, self.id, MARKS, {"of": self.id}))
        token = f"{next(self.marks)}-{uuid4().hex}"
        response = guest.post(f"/1.1/classes/{MARKS}", json={"of": self.id, "token": token})
        assert response.status_code == 201, response.text
        events = []
        while True:
            event = self.event()
            if event["query_id"] != self.mark:
                events.append(event)
            elif event["object"]["token"] == token:
                return events

    # Ends

    def end(self, within=TIMEOUT):
        """Waits until the server closes; returns the last messages and the code of the close frame."""
        messages, end = [], time.monotonic() + within
        try:
            while True:
                messages.append(self.receive(max(0.01, end - time.monotonic())))
        except ConnectionClosed:
            return messages, self.socket.close_code


def short(events):
    """Events without what every object has, as (op, id)."""
    return [(event["op"], event["object"]["objectId"]) for event in events]
