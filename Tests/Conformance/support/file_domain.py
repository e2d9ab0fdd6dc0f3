"""The old file domain of an app: nginx on a folder, or a server of Python that has faults for each key."""

import subprocess
import threading
from collections import Counter
from urllib.parse import quote, unquote

import requests
from client import TIMEOUT, eventually, free_port
from clients import kodo_hash
from serving import Serving

CONFIGURATION = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/errors.log warn;
events {{ worker_connections 512; }}
http {{
    log_format keys '$status $request_method $request_uri $http_range';
    access_log {folder}/access.log keys;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    default_type application/octet-stream; sendfile on; max_ranges {ranges};
    server {{
        listen 127.0.0.1:{port};
        root {folder}/files;
    }}
}}
"""


class FileDomain:
    """nginx on a folder: `url` before a key, percent-encoded, is where its bytes are. Ranges are served unless `ranges`
    is false."""

    def __init__(self, folder, ranges=True):
        self.folder, self.ranges, self.port = folder, ranges, free_port()
        self.files = folder / "files"
        self.files.mkdir(parents=True, exist_ok=True)
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "access.log"

    def put(self, key, data):
        """Stores the bytes of a key."""
        path = self.files / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def put_all(self, app):
        """Stores all internal files of an `OldApp`, whose URLs begin here from now on."""
        app.move_files(self.url)
        for key in app.keys_of_files:
            self.put(key, app.content(key))
        return self

    def remove(self, key):
        (self.files / key).unlink()

    def start(self):
        file = self.folder / "nginx.conf"
        file.write_text(CONFIGURATION.format(folder=self.folder, port=self.port, ranges="1000" if self.ranges else "0"))
        self.process = subprocess.Popen(
            ["nginx", "-c", file, "-p", self.folder, "-e", self.folder / "errors.log"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        assert eventually(lambda: self.is_answering() or self.process.poll() is not None), "no answer in time"
        assert self.process.poll() is None, (self.folder / "errors.log").read_text()
        self.forget_requests()
        return self

    def is_answering(self):
        try:
            return requests.get(self.url, timeout=TIMEOUT).status_code in (403, 404)
        except requests.ConnectionError:
            return False

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=TIMEOUT)

    def counts(self):
        """How many requests each key had."""
        paths = [line.split(" ")[2] for line in self.log.read_text().splitlines()]
        return Counter(unquote(path.split("?")[0].removeprefix("/")) for path in paths)

    def forget_requests(self):
        # nginx appends, so that it goes on at the beginning of the emptied file.
        self.log.write_bytes(b"")


class FaultyFileDomain(Serving):
    """Serves keys of an `OldApp`, or from `contents`, with ranges and with ETags as Qiniu computes them; keys with a
    fault are answered in another way."""

    def __init__(self, app=None, contents=None, etags=True):
        self.app, self.contents, self.etags = app, dict(contents or {}), etags
        self.faults = {}
        super().__init__()
        if app is not None:
            app.move_files(self.url)

    # What tests say

    def fail(self, key, fault):
        """Answers requests for the key with one of the faults below."""
        self.faults[key] = fault

    def heal(self, key=None):
        """Ends the fault of a key, or all faults."""
        self.faults = {} if key is None else {name: fault for name, fault in self.faults.items() if name != key}

    def link(self, key):
        return f"{self.url}/{quote(key)}"

    def counts(self):
        """How many requests each key had."""
        with self.lock:
            return Counter(key_of(request) for request in self.requests)

    def ranges_of(self, key):
        """The `Range` of each request for the key, nil where there was none."""
        with self.lock:
            return [request.headers.get("Range") for request in self.requests if key_of(request) == key]

    # What it does

    def content(self, key):
        if key in self.contents:
            return self.contents[key]
        return self.app.content(key) if self.app is not None and key in self.app.files.numbers else None

    def answer(self, request):
        key = key_of(request)
        data = self.content(key)
        fault = self.faults.get(key)
        if fault is not None:
            fault(request, data)
        elif data is None:
            request.reply(404)
        else:
            serve(request, data, etag=self.etags)


def key_of(request):
    return unquote(request.path.removeprefix("/"))


def serve(request, data, ranges=True, etag=True, body=None, length=0):
    """The bytes, or the range of them that is requested. `body` sends the part in another way than at once, and
    `length` adds to the announced length."""
    tag = f'"{kodo_hash(data)}"' if etag else None
    headers = {"Content_Type": "application/octet-stream", "Accept_Ranges": "bytes" if ranges else None, "ETag": tag}
    wanted = request.headers.get("Range")
    is_part = ranges and bool(wanted) and bool(data) and request.headers.get("If-Range", tag) == tag
    first, end = part_of(wanted, len(data)) if is_part else (0, len(data))
    if is_part and first >= len(data):
        return request.reply(416, Content_Range=f"bytes */{len(data)}")
    if is_part:
        headers["Content_Range"] = f"bytes {first}-{end - 1}/{len(data)}"
    request.head(206 if is_part else 200, end - first + length, **headers)
    if request.method != "HEAD":
        (body or request.wfile.write)(data[first:end])


def part_of(header, size):
    """The first byte and the end of a range such as `bytes=5-` or `bytes=5-9`; everything for other forms."""
    if not header.startswith("bytes=") or "," in header:
        return 0, size
    first, _, last = header.removeprefix("bytes=").partition("-")
    if first == "":
        return max(0, size - int(last)), size
    return int(first), min(int(last) + 1, size) if last else size


# Faults: what a key is answered with

def without_ranges(request, data):
    serve(request, data, ranges=False)


def slow(rate):
    """So many bytes in a second."""
    def fault(request, data):
        def drip(part):
            step = max(1, rate // 20)
            for offset in range(0, len(part), step):
                request.wfile.write(part[offset:offset + step])
                if request.owner.closed.wait(step / rate):
                    return
        serve(request, data, body=drip)

    return fault


def times(count, fault):
    """The fault for the first requests only, also when they come at the same time."""
    left, lock = [count], threading.Lock()

    def bounded(request, data):
        with lock:
            left[0] -= 1
            has_fault = left[0] >= 0
        fault(request, data) if has_fault else serve(request, data)

    return bounded


def status(code, **headers):
    """An error, such as 404, 403 or 503; names of headers have _ for -."""
    return lambda request, data: request.reply(code, b"no", **headers)


def cut_after(count):
    """Ends the connection after so many bytes of each reply."""
    def fault(request, data):
        def begin(part):
            request.wfile.write(part[:count])
            request.cut()
        serve(request, data, body=begin)

    return fault


def wrong_bytes(request, data):
    """Other bytes, as many as there should be."""
    serve(request, bytes(byte ^ 0xFF for byte in data))


def wrong_size(request, data):
    """The bytes and one more."""
    serve(request, data + b"x")


def wrong_length(request, data):
    """Announces ten bytes more than come."""
    def begin(part):
        request.wfile.write(part)
        request.cut()
    serve(request, data, body=begin, length=10)


def redirect(to, code=302):
    return lambda request, data: request.reply(code, Location=to)


def silence(request, data):
    """Takes the request and answers nothing until the domain is closed."""
    request.owner.closed.wait()
    request.cut()
