"""A client of HTTP/2 on which every frame is ours."""

import struct
from contextlib import suppress
from dataclasses import dataclass, field
from ssl import SSLEOFError, SSLError

from client import credentials
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, InformationalResponseReceived, ResponseReceived, StreamEnded, WindowUpdated
from h2.settings import Settings
from tls import connected

# The errors of a connection that the server has closed.
ENDS = BrokenPipeError, ConnectionResetError, SSLEOFError
# The same of a sender: what it sends behind a failed write is an error of TLS, too.
SENDING_ENDS = BrokenPipeError, ConnectionResetError, SSLError


@dataclass
class Response:
    """What came on a stream so far."""

    status: int = 0
    headers: dict = field(default_factory=dict)
    content: bytes = b""
    is_complete: bool = False
    # The statuses of responses before the final one, such as 100.
    informational: list = field(default_factory=list)
    # The code of the server's RST_STREAM.
    reset: int = None


class Client2:
    """A connection that agreed on HTTP/2; it checks nothing that it sends, so that it can send what is not allowed."""

    def __init__(self, server, settings=None, address=None):
        context = server.authority.client()
        context.set_alpn_protocols(["h2", "http/1.1"])
        plain = connected(server.port, address=address)
        self.socket = context.wrap_socket(plain, server_hostname="localhost")
        self.protocol = self.socket.selected_alpn_protocol()
        self.h2 = H2Connection(H2Configuration(
            client_side=True, header_encoding="utf-8", validate_outbound_headers=False, normalize_outbound_headers=False,
        ))
        self.responses = {}
        # The code of the server's GOAWAY.
        self.end_code = None
        self.is_closed = False
        # The PING frames that are answered later; None answers each at once.
        self.unanswered = None
        self.window_updates = 0
        self.unparsed = b""
        if settings:
            self.h2.local_settings = Settings(client=True, initial_values=settings)
        self.h2.initiate_connection()
        self.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    # Sending

    def flush(self):
        data = self.h2.data_to_send()
        if data:
            self.socket.sendall(data)

    def send(self, data):
        """Sends bytes behind the library's back."""
        self.socket.sendall(data)

    def begin(self, method, path, headers=None, body=None, ends=True):
        """Sends a head, and a body that fits into the window; the stream ends with it unless told otherwise."""
        fields = [(":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path)]
        fields += list(headers.items() if isinstance(headers, dict) else headers or [])
        stream = self.open(fields, ends and not body)
        if body:
            self.h2.send_data(stream, body, end_stream=ends)
        self.flush()
        return stream

    def open(self, fields, ends=True):
        """Sends a head of these fields alone."""
        stream = self.h2.get_next_available_stream_id()
        self.responses[stream] = Response()
        self.h2.send_headers(stream, fields, end_stream=ends)
        self.flush()
        return stream

    def upload(self, stream, body):
        """Sends a body of any size and ends the stream, or stops when the server has answered."""
        position = 0
        while position < len(body) and not self.responses[stream].is_complete and not self.is_closed:
            room = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
            if room <= 0:
                self.receive()
                continue
            piece = body[position:position + room]
            position += len(piece)
            self.h2.send_data(stream, piece, end_stream=position == len(body))
            self.flush()

    # Receiving

    def receive(self):
        """Waits for bytes and takes what they say."""
        assert not self.is_closed, f"the server has closed the connection with the code {self.end_code}"
        try:
            data = self.socket.recv(1 << 16)
        except ENDS:
            data = b""
        if not data:
            self.is_closed = True
            return
        self.unparsed += data
        with suppress(*SENDING_ENDS):
            self.take()

    def take(self):
        """Takes the whole frames that have arrived, and sends what they need."""
        for event in self.h2.receive_data(b"".join(self.frames())):
            response = self.responses.get(getattr(event, "stream_id", None), Response())
            match event:
                case InformationalResponseReceived():
                    response.informational.append(int(dict(event.headers)[":status"]))
                case ResponseReceived():
                    response.headers = dict(event.headers)
                    response.status = int(response.headers.pop(":status"))
                case DataReceived():
                    response.content += event.data
                    self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                case StreamEnded():
                    response.is_complete = True
                case WindowUpdated():
                    self.window_updates += 1
        self.flush()

    def frames(self):
        """The whole frames among the bytes, but those that the library would not take: it knows no connection that ends
        after its last requests, and no streams that it did not begin."""
        while len(self.unparsed) >= 9:
            length, kind, flags = int.from_bytes(self.unparsed[:3], "big"), self.unparsed[3], self.unparsed[4]
            stream, payload = int.from_bytes(self.unparsed[5:9], "big"), self.unparsed[9:9 + length]
            if len(payload) < length:
                return
            whole, self.unparsed = self.unparsed[:9 + length], self.unparsed[9 + length:]
            if kind == GOAWAY:
                self.end_code = int.from_bytes(payload[4:8], "big")
            elif kind == PING and not flags & ACK:
                if self.unanswered is None:
                    self.send(frame(PING, ACK, 0, payload))
                else:
                    self.unanswered.append(payload)
            elif kind == RST_STREAM:
                if stream in self.responses:
                    self.responses[stream].reset = int.from_bytes(payload, "big")
            elif stream == 0 or stream in self.responses:
                yield whole

    def wait(self, *streams):
        """The responses to streams, when they are complete, reset or cut off."""
        while not self.is_closed and any(self.is_open(stream) for stream in streams):
            self.receive()
        return [self.responses[stream] for stream in streams]

    def is_open(self, stream):
        response = self.responses[stream]
        return not response.is_complete and response.reset is None

    def answer_pings(self):
        """Answers the PING frames that wait, and further ones at once."""
        waiting, self.unanswered = self.unanswered, None
        for payload in waiting:
            self.send(frame(PING, ACK, 0, payload))

    def wait_for_end(self):
        """The code of the server's GOAWAY, when it has closed the connection."""
        while not self.is_closed:
            self.receive()
        return self.end_code

    def request(self, method, path, headers=None, body=b""):
        stream = self.begin(method, path, headers, ends=not body)
        if body:
            self.upload(stream, body)
        return self.wait(stream)[0]

    def api(self, method, path, headers=None, body=b""):
        """A request with the app's key."""
        fields = {name.lower(): value for name, value in credentials().items()} | (headers or {})
        return self.request(method, path, fields, body)


def frame(kind, flags=0, stream=0, payload=b""):
    """The bytes of a frame (RFC 9113 section 4.1)."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


# Types of frames (RFC 9113 section 6).
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
# Flags.
END_STREAM, ACK, END_HEADERS = 1, 1, 4
