"""Kills a command and its server at random moments, and runs the command to its end."""

import subprocess
import time

from client import BINARY, TIMEOUT
from commands import lcfile, own_environment


def run_with_kills(server, arguments, folder, keys, kills, moments, longest=1.2):
    """Runs a command that continues where it was; every second kill is also one of the server. Returns the result of the
    last run, which nothing disturbs."""
    for kill in range(kills):
        client = subprocess.Popen(
            [BINARY, *map(str, arguments)], cwd=folder, env=own_environment(**keys),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        # The moment of the kill is what the caller is about.
        time.sleep(moments.uniform(0.1, longest))
        if kill % 2 == 1:
            server.kill()
            server.start()
            # Some of these clients wait for the server and go on with it.
            time.sleep(moments.uniform(0, longest / 2))
        client.kill()
        client.wait(timeout=TIMEOUT)
    return lcfile(*arguments, folder=folder, **keys)
