"""What the log says of single requests."""

import re

from client import eventually


def logged_status(server, path):
    """The status in the log's line of a request, which comes when its route is done; no other request has the path."""
    line = re.compile(rf" lcfile: Request .*\bpath={re.escape(path)} status=(\d+)")
    found = eventually(lambda: line.search(server.errors))
    assert found, f"there is no line of {path}: {server.errors[-2000:]}"
    return int(found[1])
