"""TLS: servers with a certificate, and clients that trust only the root."""

import os
import re
import signal
import socket
import ssl

import requests
from client import TIMEOUT, RawConnection, Server, eventually
from hot import Outcome, get
from hot_files import all_of
from live_wire import WireSocket
from uploading import KB, Tus, named

# Servers

class TLSServer(Server):
    """A server whose listener speaks TLS."""

    def __init__(self, folder, authority, certificate, **options):
        super().__init__(folder, **certificate.settings | options)
        self.authority, self.certificate = authority, certificate
        self.url = f"https://127.0.0.1:{self.port}"

    def is_healthy(self):
        try:
            return requests.get(f"{self.url}/health", verify=self.authority.root, timeout=TIMEOUT).status_code == 200
        except requests.ConnectionError:
            return False

    def api(self, *arguments, **options):
        api = super().api(*arguments, **options)
        api.session.verify = str(self.authority.root)
        return api

    def raw(self, **options):
        return TLSConnection(self.port, self.authority.context, **options)


def log_lines(server, level):
    """The lines of the log with this level, but those about the start and the end of the run."""
    run = re.compile(r" lcfile: The server (starts|accepts requests|stops|has stopped)\b")
    return [line for line in server.errors.splitlines() if f" {level} lcfile" in line and not run.search(line)]


def sockets(server):
    """The number of sockets that the server's process has open."""
    folder, count = f"/proc/{server.process.pid}/fd", 0
    for name in os.listdir(folder):
        try:
            count += os.readlink(f"{folder}/{name}").startswith("socket:")
        except FileNotFoundError:
            pass  # It has just been closed.
    return count


def hang_up(server):
    """Tells the server to read its certificate and its key again."""
    server.process.send_signal(signal.SIGHUP)


def presented(server):
    """The certificate of a new connection."""
    with server.raw() as connection:
        return connection.socket.getpeercert(binary_form=True)


def reload(server, certificate):
    """Changes both files and waits until new connections get the certificate."""
    server.certificate.become(certificate)
    hang_up(server)
    assert eventually(lambda: presented(server) == certificate.der)


def exchange(server, *requests):
    """All that the server sends for requests that arrive in one write, until it ends the connection, which it must do
    properly; without what differs between equal responses of two servers."""
    with server.raw() as connection:
        connection.send(b"".join(requests) + get("/health?live", "Connection: close"))
        received = all_of(connection)
    for pattern, replacement in ((rb"/classes/(\w+)/[0-9a-f]{24}(?=\r\n)", rb"/classes/\1/<id>"),
                                 (rb'"updatedAt":"[^"]*"', rb'"updatedAt":"<time>"')):
        received = re.sub(pattern, replacement, received)
    return Outcome(received, "closed", {})


def assert_same(servers, *requests):
    """Both servers send the same bytes."""
    clear, encrypted = (exchange(server, *requests) for server in servers)
    assert encrypted == clear, f"\nencrypted {encrypted.around(clear)}\nin the clear {clear.around(encrypted)}"
    return encrypted


# Clients

# What a client takes at once that reads slowly.
FEW_BYTES = 16 * KB


def connected(port, receive_buffer=None, address=None):
    """A connection in the clear, from another address of this machine if one is given; a small buffer lets the client
    take few bytes at once."""
    plain = socket.socket()
    if address:
        plain.bind((address, 0))
    if receive_buffer:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    plain.settimeout(TIMEOUT)
    plain.connect(("127.0.0.1", port))
    return plain


class TLSConnection(RawConnection):
    """A connection whose handshake is done; an end without close_notify is an error of its reader."""

    def __init__(self, port, context, receive_buffer=None, session=None):
        self.socket = context.wrap_socket(
            connected(port, receive_buffer), server_hostname="localhost", suppress_ragged_eofs=False, session=session
        )


    def end(self):
        """Reads the server's close_notify, which must come before other bytes, and answers it."""
        assert self.socket.recv(1) == b""
        self.socket.unwrap().close()


class TLSWireSocket(TLSConnection, WireSocket):
    """A connection that can become a WebSocket."""

    def __init__(self, server):
        super().__init__(server.port, server.authority.context)
        self.buffer = b""


class TLSTus(Tus):
    """A client of tus; the server says whether by TLS."""

    def call(self, method, path=Tus.PATH, data=b"", **headers):
        merged = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        with self.server.raw() as connection:
            length = {"Content-Length": len(data)} if method in ("POST", "PATCH") else {}
            return Response(connection.request(method, re.sub(r"^\w+://[^/]*", "", path), named(length | merged), data))


class Response:
    """The answer of a raw connection, with the names of `requests`."""

    def __init__(self, answer):
        self.status_code, self.headers, self.content = answer.status, answer.headers, answer.content


class Client(RawConnection):
    """A client that has its records in memory, so that a test sends any part of them.

    `send`, `end_of_sending` and `reset` are those of the connection below.
    """

    def __init__(self, port, context, receive_buffer=None):
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        self.socket = connected(port, receive_buffer)

    def hello(self):
        """The bytes with which the handshake begins, not sent."""
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            return self.outgoing.read()

    def handshake(self):
        while True:
            try:
                self.tls.do_handshake()
                return self.flush()
            except ssl.SSLWantReadError:
                self.flush()
                self.receive()

    def write(self, data, ends=False):
        """Sends data, and in the same write a close_notify if it is the last."""
        self.tls.write(data)
        if ends:
            self.end()
        self.flush()

    def end(self):
        """Puts a close_notify behind what is written."""
        try:
            self.tls.unwrap()
        except ssl.SSLError:
            pass  # That of the server has not come.

    def flush(self):
        self.send(self.outgoing.read())

    def receive(self):
        """Whether the server sent more before its end."""
        records = self.socket.recv(1 << 16)
        self.incoming.write(records)
        return records != b""

    def received(self):
        """All data until the server's close_notify, or until it closes without one: then the end is not proper."""
        data, self.is_proper_end = b"", True
        while True:
            try:
                piece = self.tls.read(1 << 16)
                if not piece:
                    return data
                data += piece
            except ssl.SSLZeroReturnError:
                return data
            except ssl.SSLWantReadError:
                if not self.receive():
                    self.is_proper_end = False
                    return data


def hello(server):
    """The bytes with which a handshake begins."""
    with Client(server.port, server.authority.context) as client:
        return client.hello()
