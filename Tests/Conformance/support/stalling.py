"""A proxy before an S3 store that forwards everything but the body of one object, until it is released."""

import re
import socket
import threading
from urllib.parse import urlsplit

from client import TIMEOUT

PUT = re.compile(rb"PUT ([^ ?]*)")


class StallingProxy:
    """Counts the PUTs whose path matches, and holds all of them from the `first`-th on."""

    def __init__(self, endpoint, path, first):
        upstream = urlsplit(endpoint)
        self.address = upstream.hostname, upstream.port
        self.path, self.first, self.count = re.compile(path), first, 0
        self.held, self.released = threading.Event(), threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            store = socket.create_connection(self.address, timeout=4 * TIMEOUT)
            threading.Thread(target=self.forward, args=(client, store, self.hold), daemon=True).start()
            threading.Thread(target=self.forward, args=(store, client, None), daemon=True).start()

    def forward(self, source, sink, hold):
        try:
            while data := source.recv(1 << 16):
                if hold:
                    hold(data)
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            end.close()

    def hold(self, data):
        # The head of a request comes in a piece of its own: the client waits for the answer before it.
        put = PUT.match(data)
        if not put or not self.path.search(put[1].decode()):
            return
        self.count += 1
        if self.count >= self.first:
            self.held.set()
            self.released.wait(4 * TIMEOUT)

    def close(self):
        self.released.set()
        self.listener.close()
