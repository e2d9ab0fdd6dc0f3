"""WebSocket connections on which every byte is ours (RFC 6455), for what no library sends."""

import base64
import hashlib
import os
import struct
from urllib.parse import urlsplit

from client import RawConnection
from live_messages import PROTOBUF

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
PATH = "/v1/ws"


def frame(opcode, payload=b"", final=True, reserved=0, mask=b"\x37\xfa\x21\x3d", length=None):
    """A client's frame; without a mask if it is None. `length` is announced instead of the payload's own."""
    length = len(payload) if length is None else length
    flag = 0 if mask is None else 0x80
    head = bytes([final << 7 | reserved << 4 | opcode])
    if length < 126:
        head += bytes([flag | length])
    elif length < 1 << 16:
        head += struct.pack(">BH", flag | 126, length)
    else:
        head += struct.pack(">BQ", flag | 127, length)
    if mask is None:
        return head + payload
    return head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


def closing(code, reason=""):
    return frame(CLOSE, struct.pack(">H", code) + reason.encode())


class WireSocket(RawConnection):
    """A connection that is upgraded by `upgrade`, and then sends and reads frames."""

    def __init__(self, port):
        super().__init__(port)
        self.buffer = b""

    def upgrade(self, headers=(), path=PATH, protocol=PROTOBUF):
        """Upgrades with these headers, in this order, or with what a client needs at least."""
        key = base64.b64encode(os.urandom(16)).decode()
        headers = headers or [
            ("Host", "127.0.0.1"), ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Protocol", protocol), ("Sec-WebSocket-Key", None),
        ]
        lines = [f"{name}: {key if value is None else value}" for name, value in headers]
        self.send("\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode())
        status, answer = self.head()
        assert status == 101, answer
        # Objective-C takes exactly one of each.
        assert [value.lower() for value in answer["upgrade"]] == ["websocket"]
        assert [value.lower() for value in answer["connection"]] == ["upgrade"]
        assert answer["sec-websocket-accept"] == [base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()]
        assert answer.get("sec-websocket-protocol") == [dict(headers)["Sec-WebSocket-Protocol"]]
        assert "sec-websocket-extensions" not in answer
        return self

    def head(self):
        """The status and the headers of an answer; names in lower case, each with all its values."""
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers.setdefault(name.lower(), []).append(value.strip())
        return int(first.split()[1]), headers

    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise EOFError("the server closed")
        self.buffer += data

    def taken(self, count):
        while len(self.buffer) < count:
            self.more()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def read(self):
        """The next frame: its opcode and its content. The server masks and splits none."""
        first, length = self.taken(2)
        assert first & 0xF0 == 0x80 and length < 0x80, (first, length)
        if length > 125:
            length = int.from_bytes(self.taken(2 if length == 126 else 8))
        return first & 0xF, self.taken(length)

    def message(self):
        """The next frame that is a message."""
        opcode, data = self.read()
        assert opcode in (TEXT, BINARY), (opcode, data)
        return data

    def end(self):
        """The code of the close frame behind which the server closes, and the messages before it; no code if there is none."""
        messages, code = [], None
        try:
            while True:
                opcode, data = self.read()
                if opcode == CLOSE:
                    code = int.from_bytes(data[:2]) if data else 1005
                    # The answer to a close frame; who closed first may be gone already.
                    self.send(frame(CLOSE, data[:2]))
                    self.end_of_sending()
                else:
                    messages.append(data)
        except (EOFError, OSError):
            return code, messages


def opened(url, headers=(), **options):
    """A connection to an address that the route named."""
    address = urlsplit(url)
    path = address.path + (f"?{address.query}" if address.query else "")
    return WireSocket(address.port).upgrade(headers, path=path, **options)
