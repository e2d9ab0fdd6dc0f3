"""An HTTP server on the loopback that runs in threads of the tests, for what plays another server."""

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


class Serving:
    """Answers with `answer(request)`, which subclasses implement; `requests` are all requests in their order.

    `request` is a `Handler`: it has `method`, `path` (as sent, without the query string), `query` (the first value of
    each parameter) and `headers`, and it sends the reply.
    """

    def __init__(self, port=0):
        serving = self

        class Bound(Handler):
            owner = serving

        self.requests, self.lock = [], threading.Lock()
        self.closed = threading.Event()
        self.connections = set()
        self.server = ThreadingHTTPServer(("127.0.0.1", port), Bound)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def answer(self, request):
        raise NotImplementedError

    def forget_requests(self):
        """Empties what was counted."""
        with self.lock:
            self.requests.clear()

    def close(self):
        self.closed.set()
        self.server.shutdown()
        self.thread.join()
        with self.lock:
            connections = list(self.connections)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.server.server_close()


class Handler(BaseHTTPRequestHandler):
    """One connection; it stays open between requests."""

    protocol_version = "HTTP/1.1"
    owner = None

    def setup(self):
        super().setup()
        with self.owner.lock:
            self.owner.connections.add(self.connection)

    def finish(self):
        with self.owner.lock:
            self.owner.connections.discard(self.connection)
        try:
            super().finish()
        except ConnectionError:
            pass

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True

    def serve(self):
        parts = urlsplit(self.path)
        self.method, self.path = self.command, parts.path
        self.query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.owner.lock:
            self.owner.requests.append(self)
        self.owner.answer(self)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = serve

    def reply(self, status, data=b"", **headers):
        """Sends a whole reply with its length; names of headers have _ for -."""
        self.head(status, len(data), **headers)
        if self.method != "HEAD":
            self.wfile.write(data)

    def head(self, status, length, **headers):
        self.send_response_only(status)
        headers.setdefault("Date", self.date_time_string())
        for name, value in {"Content-Length": length, **headers}.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def cut(self):
        """Ends the connection in the middle of what was announced."""
        self.wfile.flush()
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def log_message(self, *_):
        pass
