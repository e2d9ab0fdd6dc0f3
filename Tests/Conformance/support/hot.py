"""Hot downloads: how a target becomes hot, what the metrics count, and two servers that differ only in this feature."""

import http.client
import os
import re
import socket

from client import ALPHA, TIMEOUT, Server, eventually
from uploading import ask

# Equal times give equal `Last-Modified` fields on two servers.
CREATED = "2024-03-01T08:00:00.120Z"
# A target gets prepared responses with its second request.
WARM_UP = 2


def get(target, *fields, method="GET"):
    """The bytes of a request; fields are whole lines without their ends."""
    return "\r\n".join([f"{method} {target} HTTP/1.1", "Host: a", *fields, "", ""]).encode("latin-1")


def make_hot(server, target):
    """Requests a target until the next request for it is hot."""
    with server.raw() as connection:
        for _ in range(WARM_UP):
            connection.send(get(target))
            assert connection.answer("GET").status == 200


def store_at(master, key, data, name="x.bin", **fields):
    """Stores a file under a key that the operator chose; returns its objectId."""
    target = ask(master, name=name, key=key, **fields)
    response = target.put(data)
    assert response.status_code == 200, response.text
    return target.id


# Metrics

def series(server, name):
    """The values of all series of a metric by their labels, as the server writes them."""
    connection = http.client.HTTPConnection("127.0.0.1", server.metrics_port, timeout=TIMEOUT)
    try:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    finally:
        connection.close()
    found = re.findall(rf"^{name}(?:{{([^}}]*)}})? (\S+)$", text, re.MULTILINE)
    return {labels: float(value) for labels, value in found}


def hot_count(server):
    """The number of requests that were answered hot."""
    return sum(series(server, "lcfile_hot_downloads_total").values())


def active(server):
    """The number of requests that have no whole response yet."""
    return sum(series(server, "lcfile_http_requests_in_progress").values())


def settle(server):
    """Returns when no request is in progress, so that all are counted whose responses clients have read.

    A request counts when its response has been written, which can be after the client has read it.
    """
    assert eventually(lambda: active(server) == 0), f"{active(server)} requests do not end"


def settled_hot_count(server):
    """The number when no client sends."""
    settle(server)
    return hot_count(server)


def assert_hot(server, before, count):
    """Exactly `count` requests were answered hot since the number was `before`, and no client sends now."""
    assert settled_hot_count(server) - before == count


# Two servers

class Outcome:
    """The bytes that a server sent on one connection until it closed, without what differs between equal responses."""

    # Each pattern begins with a literal, which makes its search fast.
    CHANGING = [
        (re.compile(rb"\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT(?=\r\n)"), b"\r\nDate: <date>"),
        (re.compile(rb"\r\nX-Request-Id: [0-9a-f]{20,32}(?=\r\n)"), b"\r\nX-Request-Id: <id>"),
        (re.compile(rb"\r\nX-Server-Id: [0-9a-f]{16}(?=\r\n)"), b"\r\nX-Server-Id: <id>"),
        (re.compile(rb"boundary=[0-9a-f]{32}(?=\r\n)"), b"boundary=<boundary>"),
        (re.compile(rb"--[0-9a-f]{32}(?=\r\n|--)"), b"--<boundary>"),
        (re.compile(rb"/classes/TwoPaths/[0-9a-f]{24}(?=\r\n)"), b"/classes/TwoPaths/<id>"),
        (re.compile(rb'"objectId":"[0-9a-f]{24}"'), b'"objectId":"<id>"'),
        (re.compile(rb'"updatedAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"'), b'"updatedAt":"<time>"'),
        (re.compile(rb'"createdAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"'), b'"createdAt":"<time>"'),
    ]

    def __init__(self, received, end, bodies):
        for name, body in bodies.items():
            received = received.replace(body, f"<the bytes of {name}>".encode())
        for pattern, replacement in Outcome.CHANGING:
            received = pattern.sub(replacement, received)
        self.received, self.end = received, end

    def __eq__(self, other):
        return (self.received, self.end) == (other.received, other.end)

    def around(self, other):
        """The bytes around the first difference from another outcome, for the message of a failed test."""
        same = len(os.path.commonprefix([self.received, other.received]))
        shown = self.received[max(0, same - 300):same + 300]
        return f"{self.end} after {self.statuses}, {len(self.received)} bytes; from byte {max(0, same - 300)}: {shown}"

    @property
    def statuses(self):
        return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", self.received)]


class Peer:
    """One of the two servers, with a connection on which it shows that it has processed what arrived before."""

    def __init__(self, server, bodies):
        self.server, self.bodies = server, bodies
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)

    def process(self):
        """Returns when the server has answered a request that was sent now."""
        self.connection.request("GET", "/health?live")
        self.connection.getresponse().read()

    def outcome(self, pieces, ends=True):
        """Sends each piece in a write of its own, ends the sending side if `ends`, and reads until the server closes."""
        received, end = b"", "closed"
        with self.server.raw() as connection:
            connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                for number, piece in enumerate(pieces):
                    if number > 0:
                        self.process()
                    connection.send(piece)
                if ends:
                    connection.end_of_sending()
            except ConnectionError as error:
                end = f"{type(error).__name__} while sending"
            try:
                while piece := connection.socket.recv(1 << 16):
                    received += piece
            except (ConnectionError, TimeoutError) as error:
                end = f"{type(error).__name__} while receiving"
        return Outcome(received, end, self.bodies)


class Pair:
    """Two servers with the same files: one has hot downloads, the other one has not."""

    def __init__(self, new_folder, files):
        bodies = {key: data for key, data in files.items() if len(data) > 1000}
        self.hot, self.cold = (
            Peer(Server(new_folder(name), apps=(ALPHA,), **more).start(), bodies)
            for name, more in (("hot", {}), ("cold", {"LCFILE_DOWNLOADS_HOT_RESPONSES": "0"}))
        )
        for peer in (self.hot, self.cold):
            master = peer.server.api(master=True)
            for key, data in files.items():
                store_at(master, key, data, name=key, createdAt=CREATED)

    def stop(self):
        for peer in (self.hot, self.cold):
            peer.connection.close()
        return [peer.server.stop() for peer in (self.hot, self.cold)]

    def outcomes(self, pieces, **options):
        return tuple(peer.outcome(pieces, **options) for peer in (self.hot, self.cold))

    def differs(self, pieces, **options):
        hot, cold = self.outcomes(pieces, **options)
        return hot != cold

    def assert_same(self, pieces, **options):
        """Both servers send the same bytes; returns the outcome."""
        hot, cold = self.outcomes(pieces, **options)
        assert hot == cold, f"\nsent {pieces}\nhot  {hot.around(cold)}\ncold {cold.around(hot)}"
        return hot

    def shortest(self, data):
        """Removes bytes while the outcomes still differ."""
        step = len(data) // 2
        while step:
            start = 0
            while start < len(data):
                shorter = data[:start] + data[start + step:]
                if self.differs([shorter]):
                    data = shorter
                else:
                    start += step
            step //= 2
        return data
