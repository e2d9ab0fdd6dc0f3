"""lcfile status: one screen about a server."""

import json

import pytest
from client import free_port
from commands import SERVER, assert_fails, lcfile


@pytest.fixture
def status(server):
    def run(*arguments, metrics_port=server.metrics_port):
        return lcfile("status", *arguments, "--server", server.url, LCFILE_METRICS_PORT=str(metrics_port))

    return run


def test_status_has_readiness_and_figures(status, server, api):
    api.get("/1.1/files?limit=1")
    result = status()
    assert (result.returncode, result.stderr) == (0, "")
    rows = dict(line.split("  ", 1) for line in result.stdout.splitlines())
    assert rows["server"].strip() == server.url and rows["ready"].strip() == "yes"
    assert int(rows["requests"]) > 0
    assert {"memory", "disk space free"} <= rows.keys()


def test_status_as_json(status, server):
    shown = json.loads(status("--json").stdout)
    assert (shown["server"], shown["ready"]) == (server.url, True)
    assert shown["figures"]["memory"] > 1 << 20


def test_status_without_metrics_shows_what_is_known(status):
    result = status(metrics_port=free_port())
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    assert len(lines) == 3 and lines[1].split() == ["ready", "yes"]
    assert lines[2].startswith("metrics") and "not reachable" in lines[2] and "--metrics" in lines[2]


def test_status_of_a_server_that_is_down():
    result = lcfile("status", "--server", f"http://127.0.0.1:{free_port()}")
    assert_fails(result, "connect", code=SERVER)
