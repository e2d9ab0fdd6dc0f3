"""Runs commands of the binary that end by themselves."""

import subprocess

from client import BINARY, TIMEOUT, clean_environment


def lcfile(*arguments, folder=None, **environment):
    return subprocess.run(
        [BINARY, *map(str, arguments)],
        cwd=folder, env=clean_environment(**environment), capture_output=True, text=True, timeout=TIMEOUT,
    )


def assert_fails(result, *words):
    assert result.returncode == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("lcfile: ")
    for word in words:
        assert word in line
