"""lcfile status: one screen about a server."""

import json

import pytest
from backups import assert_succeeds
from client import free_port
from commands import SERVER, USAGE, assert_fails, lcfile


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


@pytest.mark.extended
def test_status_does_not_show_figures_of_another_server(status, server, new_server):
    other = new_server().start()
    result = status(metrics_port=other.metrics_port)
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert len(lines) == 3 and lines[0].split() == ["server", server.url] and lines[1].split() == ["ready", "yes"]
    address = f"http://127.0.0.1:{other.metrics_port}/metrics"
    assert lines[2].startswith("metrics") and f"those at {address} are of another server" in lines[2]
    assert "--metrics" in lines[2]
    shown = json.loads(status("--json", metrics_port=other.metrics_port).stdout)
    assert shown.keys() == {"server", "ready", "metricsError"} and "another server" in shown["metricsError"]
    own = f"http://127.0.0.1:{server.metrics_port}"
    named = json.loads(status("--json", "--metrics", own, metrics_port=other.metrics_port).stdout)
    assert named["figures"]["memory"] > 1 << 20


def test_status_of_a_server_that_is_down():
    url = f"http://127.0.0.1:{free_port()}"
    assert_fails(lcfile("status", "--server", url), "connect", f"{url} does not answer", code=SERVER)


@pytest.mark.extended
@pytest.mark.parametrize("command", ["status", "health"])
def test_server_is_found_as_by_other_commands(server, tmp_path, command):
    environment = {"LCFILE_METRICS_PORT": str(server.metrics_port)}
    assert_succeeds(lcfile(command, LCFILE_SERVER=server.url, **environment))
    home = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert_succeeds(lcfile("profile", "set", "here", "--server", server.url, **home))
    assert_succeeds(lcfile(command, "--profile", "here", **home, **environment))
    assert_succeeds(lcfile(command, LCFILE_PROFILE="here", **home, **environment))
    assert_fails(lcfile(command, "--profile", "nowhere", **home, **environment), "no profile 'nowhere'", code=USAGE)


@pytest.mark.extended
def test_status_shows_failed_requests_also_if_there_are_none(status, new_server):
    fresh = new_server().start()
    fresh.api().get("/1.1/files?limit=1")
    shown = lcfile("status", "--server", fresh.url, LCFILE_METRICS_PORT=str(fresh.metrics_port)).stdout
    row, = [line for line in shown.splitlines() if line.startswith("requests failed by the server")]
    assert row.split()[-1] == "0"
