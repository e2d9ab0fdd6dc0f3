"""A server without a free descriptor, and its listeners meanwhile."""

import os
import resource
import socket
from contextlib import ExitStack, contextmanager

from client import TIMEOUT, eventually
from hostile import is_idle

# More than descriptors that the server closes at that moment; fewer than an address has on the listener of redirects.
WAITING = 5


@contextmanager
def no_descriptor_left(server):
    """The process of the server can open nothing more meanwhile."""
    pid = server.process.pid
    bounds = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    taken = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
    # The kernel gives the lowest free number, which must be below the limit.
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (min(set(range(len(taken) + 1)) - taken), bounds[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, bounds)


def refusals(server):
    """The number of lines of the log about connections that the system did not let a listener accept."""
    return server.errors.count("No connection can be accepted")


def assert_clients_wait(server, port):
    """Clients of a listener wait while the server has no descriptor for them, and take no processor."""
    before = refusals(server)
    with ExitStack() as connections, no_descriptor_left(server):
        for _ in range(WAITING):
            connections.enter_context(socket.create_connection(("127.0.0.1", port), TIMEOUT))
        assert eventually(lambda: refusals(server) > before), "the log has no error of the listener"
        assert eventually(lambda: is_idle(server, share=0.3)), "a busy loop"
