"""One HTTP/1.1 connection to which prepared bytes are sent, so that a client of a benchmark costs little."""

import http.client
import select
import socket
import time

# Bytes of a body sent between two looks whether the server has answered already.
STEP = 1 << 18


class Wire:
    """Sends requests one after the other; connects again whenever the server has closed the connection."""

    def __init__(self, port, source="127.0.0.1", patience=60):
        self.port, self.source, self.patience = port, source, patience
        self.socket = None

    def request(self, pieces):
        """The status of the answer, `late`, or `closed` if the connection ended without one; and its body.

        Raises ConnectionRefusedError if no server listens.
        """
        try:
            return self.exchange(pieces)
        except ConnectionRefusedError:
            raise
        except TimeoutError:
            self.close()
            return "late", b""
        except (OSError, http.client.HTTPException):
            self.close()
            return "closed", b""

    def exchange(self, pieces):
        deadline = time.monotonic() + self.patience
        if self.socket is None or self.readable():
            self.connect()
        whole = self.send(pieces, deadline)
        self.socket.settimeout(max(deadline - time.monotonic(), 0.001))
        # The answer to a HEAD has no body.
        answer = http.client.HTTPResponse(self.socket, method=pieces[0].split(b" ", 1)[0].decode())
        answer.begin()
        body = answer.read()
        if answer.will_close or not whole:
            self.close()
        return answer.status, body

    def send(self, pieces, deadline):
        """Sends until the server answers; whether everything was sent by then."""
        for piece in pieces:
            rest = memoryview(piece)
            while rest:
                left = max(deadline - time.monotonic(), 0)
                readable, writable, _ = select.select([self.socket], [self.socket], [], left)
                if readable:
                    return False
                if not writable:
                    raise TimeoutError
                rest = rest[self.socket.send(rest[:STEP]):]
        return True

    def connect(self):
        self.close()
        self.socket = socket.create_connection(("127.0.0.1", self.port), self.patience, (self.source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def readable(self):
        """Whether the server has closed the idle connection."""
        return bool(select.select([self.socket], [], [], 0)[0])

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None


def head(method, target, headers, body=b""):
    """A request's head for this body."""
    lines = [f"{method} {target} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body or method in ("POST", "PUT"):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode()
