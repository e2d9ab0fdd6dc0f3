"""Files of the tests of hot downloads, and how their responses are read."""

import os
import re
import socket
from urllib.parse import urlsplit

import marks
from app_settings import configured
from client import ALPHA, Server
from hot import assert_hot, get, settled_hot_count
from pictures import encoded, quarters
from uploading import KB, MB

STYLES = {"small": "imageView2/2/w/40"}
IMAGE = encoded(quarters())
# Of each kind of body: copied behind the head, in a buffer of its own, in memory and in a file, sent by `sendfile`.
SIZES = [0, 1, 100, 16 * KB, 16 * KB + 1, 64 * KB, 128 * KB, 128 * KB + 1, 3 * MB]
KINDS = [100, 20_000, 100_000, 3 * MB]
OPERATORS = [
    "imageView2/2/w/60", "imageView2/2/w/60/format/webp", "imageMogr2/rotate/90", "imageView2/2/w/60|imageMogr2/rotate/90",
    "imageslim", f"watermark/2{marks.text('mark')}",
]


def started(folder, **options):
    return configured(Server(folder, **options), alpha={"styles": STYLES}).start()


def stored(server, data, name="x.bin", app=ALPHA, **fields):
    """A new file's objectId and its target."""
    record = server.api(app).store(data, name=name, **fields)
    return record["objectId"], urlsplit(record["url"]).path


def response_to(server, target, *fields, method="GET"):
    """The response to a request on a connection of its own."""
    with server.raw() as connection:
        connection.send(get(target, *fields, method=method))
        return connection.answer(method)


def hot_response(server, target, *fields, method="GET"):
    """The response to a request that must be answered hot."""
    before = settled_hot_count(server)
    response = response_to(server, target, *fields, method=method)
    assert_hot(server, before, 1)
    return response


def status_of(server, target, *fields, method="GET"):
    return response_to(server, target, *fields, method=method).status


def shown(response):
    """Status, header fields in their order, and body, without what each response has anew."""
    fields = [field for field in response.getheaders() if field[0] not in ("Date", "X-Request-Id")]
    return response.status, fields, response.content


def whole_responses(data):
    """The bodies of the 200s at the beginning, and the rest."""
    bodies = []
    while (end := data.find(b"\r\n\r\n") + 4) > 3:
        head = data[:end]
        assert head.startswith(b"HTTP/1.1 200 OK\r\n"), head
        end += int(re.search(rb"\r\nContent-Length: (\d+)", head)[1])
        if len(data) < end:
            break
        bodies.append(data[len(head):end])
        data = data[end:]
    return bodies, data


def responses_in(data):
    """The bodies of 200s, of which the last one must be whole, too."""
    bodies, rest = whole_responses(data)
    assert rest == b""
    return bodies


def all_of(connection):
    """Everything until the server closes."""
    return b"".join(iter(lambda: connection.socket.recv(1 << 18), b""))


def open_blobs(server):
    """The blobs that the server's process has open, among them those that are deleted."""
    folder, paths = f"/proc/{server.process.pid}/fd", []
    for name in os.listdir(folder):
        try:
            paths.append(os.readlink(f"{folder}/{name}"))
        except FileNotFoundError:
            pass  # It has just been closed.
    return [path for path in paths if "/blobs/" in path]


def slow_connection(server):
    """A connection whose client takes few bytes at once."""
    connection = server.raw()
    connection.socket.close()
    connection.socket = socket.socket()
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * KB)
    connection.socket.settimeout(15)
    connection.socket.connect(("127.0.0.1", server.port))
    return connection
