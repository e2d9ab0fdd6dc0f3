"""A web server for the files of a folder."""

import functools
import http.server
import threading


class FolderServer:
    """Serves a folder on a port of its own while the `with` block lasts."""

    def __init__(self, folder):
        handler = functools.partial(_Handler, directory=str(folder))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
