"""What the log says: a thread of the server writes it behind the events, lines of requests up to a second later."""

import itertools
import re

from client import eventually


def logged_status(server, path):
    """The status in the log's line of a request, which comes when its route is done; no other request has the path."""
    line = re.compile(rf" lcfile: Request .*\bpath={re.escape(path)} status=(\d+)")
    found = eventually(lambda: line.search(server.errors))
    assert found, f"there is no line of {path}: {server.errors[-2000:]}"
    return int(found[1])


NUMBERS = itertools.count()


def log_so_far(server):
    """The log with all lines of earlier events: they are written in their order, so they are there with that of a request
    that is sent now."""
    path = f"/log-so-far-{next(NUMBERS)}"
    server.api().fetch(server.url + path)
    logged_status(server, path)
    return server.errors
