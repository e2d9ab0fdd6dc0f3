"""Clients of live queries that cost little: bare sockets, one epoll, messages in bytes that are prepared once."""

import base64
import json
import os
import select
import socket
import sys
import threading

from measuring import APP
from wire import Wire, head

KEYS = {"X-LC-Id": APP["LCFILE_APP_ID"], "X-LC-Key": APP["LCFILE_APP_KEY"], "Content-Type": "application/json"}
# Of the subscriptions of one installation, as many as one can have by default.
EACH = 100
PATIENCE = 20
# The most that is discarded at once; nothing is written to it.
SINK = bytearray(1 << 20)
# Numbers of commands, and fields of a command (protocol/data 8.4).
LOGIN, ECHO = 8, 14
CMD, APP_ID, NUMBER, INSTALLATION, SERVICE = 1, 3, 5, 6, 8


def packed(*fields):
    """A protobuf message of small numbers and short texts."""
    data = b""
    for number, value in fields:
        text = value.encode() if isinstance(value, str) else None
        data += bytes([number << 3 | 2, len(text)]) + text if text is not None else bytes([number << 3, value])
    return data


def frame(data):
    """A client's frame; its mask is zero, which leaves the bytes as they are."""
    return bytes([0x82, 0x80 | len(data)]) + bytes(4) + data


class Refused(Exception):
    """The server did not accept a WebSocket."""


class Client:
    """One connection, logged in under an installation id of its own."""

    def __init__(self, port, id):
        self.id, self.received = id, 0
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        handshake = {
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key,
            "Sec-WebSocket-Protocol": "lc.protobuf2.3",
        }
        login = (CMD, LOGIN), (APP_ID, KEYS["X-LC-Id"]), (NUMBER, 1), (INSTALLATION, id), (SERVICE, 1)
        self.socket.sendall(head("GET", "/v1/ws", handshake))
        answer = self.read_until(b"\r\n\r\n")
        if b" 101 " not in answer.split(b"\r\n")[0]:
            raise Refused(answer)
        self.socket.sendall(frame(packed(*login)))
        # The answer has the id in it.
        self.read_until(id.encode())

    def read_until(self, mark):
        data = b""
        while mark not in data:
            more = self.socket.recv(4096)
            if not more:
                sys.exit(f"the server closed a connection: {data[:200]}")
            data += more
        return data

    def echo(self):
        """Whether the server still answers on this connection."""
        self.socket.sendall(frame(packed((CMD, ECHO), (NUMBER, 7))))
        return bool(self.socket.recv(4096))

    def discard(self):
        """Takes all that has arrived out of the kernel without copying it; the bytes."""
        count = self.socket.recv_into(SINK, len(SINK), socket.MSG_TRUNC | socket.MSG_DONTWAIT)
        if count == 0:
            sys.exit("the server sent a client away")
        self.received += count
        return count


class Crowd:
    """Clients whose events are waited for together."""

    def __init__(self, port, count, name="device"):
        self.port, self.clients, self.by_socket, self.poll = port, [], {}, select.epoll()
        for number in range(count):
            if not self.add(f"{name}-{number}"):
                sys.exit(f"the server accepts no more than {number} connections")

    def add(self, id):
        """Whether the server accepts one more."""
        try:
            client = Client(self.port, id)
        except Refused:
            return False
        self.clients.append(client)
        self.by_socket[client.socket.fileno()] = client
        self.poll.register(client.socket, select.EPOLLIN)
        return True

    def ready(self, timeout=PATIENCE):
        """The clients for whom something has arrived; it is taken."""
        clients = [self.by_socket[number] for number, _ in self.poll.poll(timeout)]
        for client in clients:
            client.discard()
        return clients

    def close(self):
        for client in self.clients:
            client.socket.close()
        self.poll.close()


class Drain(Crowd):
    """Reads all that comes, in a thread, while something else is measured."""

    def __enter__(self):
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        return self

    def run(self):
        while not self.ended.is_set():
            self.ready(0.1)

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


class API:
    """Requests with the app key on one connection; make it before the clients, whose descriptors `select` cannot take."""

    def __init__(self, port):
        self.wire = Wire(port)
        self.wire.connect()

    def call(self, method, path, fields=None):
        body = b"" if fields is None else json.dumps(fields, separators=(",", ":")).encode()
        status, answer = self.wire.request([head(method, path, KEYS, body), body])
        if status not in (200, 201):
            sys.exit(f"{method} {path}: {status} {answer[:200]}")
        return json.loads(answer)

    def subscribe(self, id, name, where):
        self.call("POST", "/1.1/LiveQuery/subscribe", {"query": {"className": name, "where": where}, "id": id})

    def count(self, name):
        return self.call("GET", f"/1.1/classes/{name}?limit=0&count=1")["count"]
