"""A server of other people's files, on the loopback, that answers as it is told and counts who comes."""

import itertools
import select
import socket
import threading

from client import ALPHA, TIMEOUT, eventually

LOGO = "https://elsewhere.example.org/logo.png"


class Elsewhere:
    """Each address that it offers has an answer of its own; one request a connection."""

    def __init__(self, host="127.0.0.1"):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.create_server((host, 0), family=family, backlog=128)
        self.host, self.port = self.socket.getsockname()[:2]
        self.answers, self.visits = {}, []
        self.numbers = itertools.count()
        self.closed = threading.Event()
        self.peers, self.own, self.threads = [], set(), []
        self.accepting = threading.Thread(target=self.accept)
        self.accepting.start()

    # What tests say

    def offer(self, answer, path="photo.bin"):
        """The address of something new, which is answered so."""
        path = f"/{next(self.numbers)}/{path}"
        self.answers[path.split("?")[0]] = answer
        return self.url(path)

    def url(self, path="/", host=None):
        """An address here; the host may be written in another way."""
        host = host or (f"[{self.host}]" if ":" in self.host else self.host)
        return f"http://{host}:{self.port}{path}"

    def visits_of(self, url):
        return [visit for visit in self.visits if self.url(visit.path) == url]

    def visitors(self):
        """The number of all accepted connections, without its own."""
        with socket.create_connection((self.host, self.port), timeout=TIMEOUT) as probe:
            # Connections are accepted in their order: when this one is there, so are those before it.
            name = probe.getsockname()[:2]
            self.own.add(name)
            assert eventually(lambda: name in self.peers), "the probe did not arrive"
        return len([peer for peer in self.peers if peer not in self.own])

    def close(self):
        self.closed.set()
        socket.create_connection((self.host, self.port), timeout=TIMEOUT).close()
        for thread in [self.accepting, *self.threads]:
            thread.join()
        self.socket.close()

    # What it does

    def accept(self):
        while not self.closed.is_set():
            connection, peer = self.socket.accept()
            self.peers.append(peer[:2])
            thread = threading.Thread(target=self.converse, args=[connection])
            self.threads.append(thread)
            thread.start()

    def converse(self, connection):
        with connection:
            visit = Visit(connection, self.closed)
            if visit.listen():
                self.visits.append(visit)
                self.answers.get(visit.path.split("?")[0], answer(status=404))(visit)


class Visit:
    """One request, and the connection that it came on."""

    def __init__(self, connection, closed):
        self.connection, self.closed = connection, closed
        self.left = False
        self.line, self.headers = "", {}

    @property
    def path(self):
        return self.line.split(" ")[1]

    def listen(self):
        """Reads the request's head; false if none comes."""
        text = b""
        while b"\r\n\r\n" not in text:
            if not select.select([self.connection], [], [], 0.02)[0]:
                if self.closed.is_set():
                    return False
                continue
            try:
                more = self.connection.recv(65536)
            except ConnectionError:
                return False
            text += more
            if not more or text.startswith(b"\x16"):
                # Nothing, or the first byte of TLS, which is not spoken here.
                return False
        self.line, *lines = text.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
        self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return True

    def send(self, data):
        """Sends; false as soon as the client has disconnected."""
        view = memoryview(data)
        while view and not self.is_over():
            if select.select([], [self.connection], [], 0.02)[1]:
                try:
                    view = view[self.connection.send(view, socket.MSG_DONTWAIT):]
                except BlockingIOError:
                    pass
                except ConnectionError:
                    self.left = True
        return not self.left

    def wait(self, event=None, within=None):
        """Waits for the event while the client is connected; without an event until it disconnects or the time is over."""
        event = event or threading.Event()
        step = 0.02 if within is None else within
        while not self.is_over() and not event.wait(step) and within is None:
            pass

    def is_over(self):
        """Whether the other side has hung up, or this is closed."""
        try:
            if not self.left and select.select([self.connection], [], [], 0)[0]:
                self.left = not self.connection.recv(65536)
        except ConnectionError:
            self.left = True
        return self.left or self.closed.is_set()


# Answers

def opening(status=200, type=None, length=None, **headers):
    """The head of an answer; names of headers have _ for -."""
    named = {"Connection": "close", "Content-Type": type, "Content-Length": length}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{name}: {value}" for name, value in named.items() if value is not None]
    return "\r\n".join([f"HTTP/1.1 {status} Said", *lines, "", ""]).encode()


def answer(data=b"", status=200, type=None, **headers):
    """The bytes, with their length."""
    return raw(opening(status, type, len(data), **headers) + data)


def unmeasured(data, type=None):
    """The bytes without their length: they end with the connection."""
    return raw(opening(type=type) + data)


def cut_off(data, length):
    """The bytes under a length that is another one."""
    return raw(opening(length=length) + data)


def raw(data):
    """Bytes as they are, heads among them."""
    return lambda visit: visit.send(data)


def redirect(to, status=302):
    return answer(status=status, Location=to)


def held(data, gate, announced=True):
    """Says what will come, and sends it when the gate opens."""
    def run(visit):
        visit.send(opening(length=len(data) if announced else None) + data[:1])
        visit.wait(gate)
        visit.send(data[1:])

    return run


def silence(visit):
    """Takes the request and says nothing."""
    visit.wait()


def drip(piece=b"x"):
    """A file of a megabyte, some ten pieces a second."""
    def run(visit):
        visit.send(opening(length=1 << 20))
        while visit.send(piece) and not visit.is_over():
            visit.wait(within=0.1)

    return run


def endless(visit):
    """A file that never ends."""
    visit.send(opening())
    while visit.send(b"x" * 65536) and not visit.is_over():
        pass


def endless_head(visit):
    """An answer whose headers never end."""
    visit.send(b"HTTP/1.1 200 OK\r\n")
    while visit.send(b"X-More: " + b"x" * 1000 + b"\r\n") and not visit.is_over():
        pass


# Files of this server that are elsewhere

def link(api, url=LOGO, name="logo.png", **fields):
    """Makes a record of a file that is elsewhere; returns its id."""
    response = api.post("/1.1/files", json={"name": name, "url": url} | fields)
    assert response.status_code == 201, response.text
    return response.json()["objectId"]


def record(api, id):
    """The record of a file, which must be there."""
    response = api.get(f"/1.1/files/{id}")
    assert response.status_code == 200, response.text
    return response.json()


def unfinished(server, app=ALPHA):
    """The files that hold bytes on their way in."""
    return server.staged(app)
