"""Requests that run while a server stops."""

import socket

from client import chunk, credentials, eventually, head
from hot import active


def begin_upload(server, name="late.bin"):
    """An upload that the server has begun to take, not ended yet."""
    connection = server.raw()
    connection.send(head("POST", f"/1.1/files/{name}", credentials() | {"Transfer-Encoding": "chunked"}))
    connection.send(chunk(b"first half, "))
    assert eventually(lambda: active(server) == 1)
    return connection


def is_refused(server):
    """Whether the server takes no more connections."""
    try:
        socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
        return False
    except (ConnectionError, TimeoutError):
        return True
