"""A verifier of third-party log-ins, as an operator runs one beside the server."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer


class Verifier:
    """A verifier that answers as it is told and keeps what it was asked."""

    def __init__(self):
        self.status = 200
        self.body = b""
        self.asked = []
        verifier = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                verifier.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(verifier.status)
                self.send_header("Location", "http://127.0.0.1:1/")
                self.send_header("Content-Length", str(len(verifier.body)))
                self.end_headers()
                self.wfile.write(verifier.body)

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/verify"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def anew(self):
        """Itself, without its recorded requests."""
        self.asked.clear()
        self.status = 200
        self.body = b""
        return self

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
