"""A network between a server and what it needs, which a test cuts, slows or silences."""

import socket
import threading
import time
from urllib.parse import urlsplit

from client import TIMEOUT


class Relay:
    """Forwards TCP connections to an address. New and open connections do what the last call said."""

    def __init__(self, url):
        upstream = urlsplit(url)
        self.address = upstream.hostname, upstream.port
        self.works, self.is_cut, self.delay = threading.Event(), False, 0
        self.works.set()
        self.lock, self.sockets = threading.Lock(), set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def before(self, url):
        """The same URL, by way of the relay."""
        return url.replace(f"{self.address[0]}:{self.address[1]}", f"127.0.0.1:{self.port}")

    def cut(self):
        """Ends all connections, and new ones at once."""
        self.is_cut = True
        with self.lock:
            open_ones = list(self.sockets)
        for one in open_ones:
            close(one)

    def silence(self):
        """Forwards nothing more, and says nothing, as a firewall that forgets connections."""
        self.works.clear()

    def resume(self):
        self.is_cut, self.delay = False, 0
        self.works.set()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.is_cut:
                client.close()
                continue
            try:
                server = socket.create_connection(self.address, timeout=TIMEOUT)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            with self.lock:
                self.sockets |= {client, server}
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self.forward, args=(source, sink), daemon=True).start()

    def forward(self, source, sink):
        try:
            while data := source.recv(1 << 16):
                self.works.wait()
                if self.delay:
                    time.sleep(self.delay)
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            close(one)
        with self.lock:
            self.sockets -= {source, sink}

    def close(self):
        self.listener.close()
        self.cut()
        self.works.set()


def close(one):
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    one.close()
