"""Runs commands of the binary that end by themselves."""

import subprocess

from client import ALPHA, BINARY, TIMEOUT, clean_environment

FAILED, USAGE, SERVER, INTERRUPTED = 1, 2, 3, 130


def own_environment(**environment):
    """An environment without the profiles and unfinished uploads of the user who runs the tests."""
    return clean_environment(**{"HOME": "/dev/null", "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": ""} | environment)


def lcfile(*arguments, folder=None, input=None, text=True, **environment):
    return subprocess.run(
        [BINARY, *map(str, arguments)],
        cwd=folder, env=own_environment(**environment), capture_output=True, text=text, timeout=4 * TIMEOUT,
        **({"stdin": subprocess.DEVNULL} if input is None else {"input": input}),
    )


def credentials_of(url, app=ALPHA, key=None, master=None):
    """The variables that tell a command its server, app and keys: the app key, or the master key where it is given."""
    keys = {"LCFILE_MASTER_KEY": master} if master else {"LCFILE_APP_KEY": key or app.key}
    return {"LCFILE_SERVER": url, "LCFILE_APP_ID": app.id} | keys


def assert_fails(result, *words, code=FAILED):
    assert result.returncode == code, result.stderr
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("lcfile: ")
    for word in words:
        assert word in line
