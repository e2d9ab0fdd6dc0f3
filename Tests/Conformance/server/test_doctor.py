"""lcfile doctor: one line for each subject, and an exit code."""

import json
import resource
import subprocess

import pytest
from client import ALPHA, BINARY, TIMEOUT, eventually, free_port, queued
from commands import FAILED, USAGE, lcfile, own_environment
from disks import fill, memory
from proxy import plain_proxy


def examine(*arguments, **environment):
    """The exit code, and the findings by subject; of several with one subject, the worst."""
    result = lcfile("doctor", "--json", *arguments, **environment)
    assert result.stderr == ""
    order = ["ok", "note", "problem"]
    findings = {}
    for line in result.stdout.splitlines():
        finding = json.loads(line)
        known = findings.get(finding["subject"])
        if known is None or order.index(finding["level"]) > order.index(known["level"]):
            findings[finding["subject"]] = finding
    levels = {finding["level"] for finding in findings.values()}
    assert result.returncode == (FAILED if "problem" in levels else 0)
    return findings


def test_a_running_server_is_examined_through_its_url(server):
    findings = examine("--config", server.folder / "lcfile.yaml", "--storage", server.storage, "--url", server.url)
    assert findings["settings"]["level"] == "ok" and findings["database.schema"]["level"] == "ok"
    assert findings["url.reachable"]["level"] == "ok"
    assert findings["url.webSockets"]["level"] == "ok"
    assert findings["url.bodySize"]["level"] == "ok"
    assert findings["clock.difference"]["level"] == "ok"
    assert findings["storage.folder"]["level"] == "ok"
    assert findings["storage.links"]["level"] == "ok"
    assert findings["network.names"]["text"].endswith("this machine")
    assert not (server.storage / ".doctor").exists()


def test_lines_are_for_people(tmp_path):
    result = lcfile("doctor", "--storage", tmp_path / "new")
    lines = [line.split(None, 2) for line in result.stdout.splitlines()]
    assert all(level in ("ok", "note", "problem") and text for level, _, text in lines)
    assert ["note", "storage.folder"] in [line[:2] for line in lines]
    assert not (tmp_path / "new").exists()


def test_a_full_storage_in_memory_is_two_problems(tmp_path):
    with memory(tmp_path / "memory") as folder:
        fill(folder)
        findings = examine("--storage", folder)
    assert findings["storage.fileSystem"]["level"] == "problem" and "tmpfs" in findings["storage.fileSystem"]["text"]
    assert findings["storage.space"]["level"] == "problem"


def test_a_low_limit_of_open_files_is_a_problem(tmp_path):
    limited = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
    result = subprocess.run(
        [BINARY, "doctor", "--storage", tmp_path], env=own_environment(), preexec_fn=limited,
        capture_output=True, text=True, timeout=TIMEOUT)
    assert result.returncode == FAILED
    line = next(line for line in result.stdout.splitlines() if "limits.openFiles" in line)
    assert line.startswith("problem") and "LimitNOFILE" in line


def test_a_name_that_does_not_resolve_and_a_closed_port_are_problems(tmp_path):
    unknown = examine("--storage", tmp_path, "--url", "https://files.invalid")
    assert unknown["network.names"]["level"] == "problem" and "files.invalid" in unknown["network.names"]["text"]
    closed = examine("--storage", tmp_path, "--url", f"http://127.0.0.1:{free_port()}")
    assert closed["url.reachable"]["level"] == "problem"


def test_settings_with_faults_are_a_problem_and_the_rest_is_examined(tmp_path):
    findings = examine("--storage", tmp_path, LCFILE_PORT="none", LCFILE_MAIL_SERVER="smtp://127.0.0.1:1")
    assert findings["settings"]["level"] == "problem" and "port" in findings["settings"]["text"]
    assert findings["storage.folder"]["level"] == "ok"


def test_target_of_the_continuous_backup_that_is_no_repository_is_a_problem(tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_bytes(b"x")
    foreign = examine("--storage", tmp_path / "storage", LCFILE_BACKUP_TARGET=str(tmp_path / "photos"))
    assert foreign["backup.target"]["level"] == "problem" and "photos" in foreign["backup.target"]["text"]
    (tmp_path / "share" / "@eaDir").mkdir(parents=True)
    share = examine("--storage", tmp_path / "storage", LCFILE_BACKUP_TARGET=str(tmp_path / "share"))
    assert share["backup.target"]["level"] == "ok", "the server begins a repository beside empty folders"
    new = examine("--storage", tmp_path / "storage", LCFILE_BACKUP_TARGET=str(tmp_path / "backups"))
    assert new["backup.target"]["level"] == "note" and not (tmp_path / "backups").exists()


def test_services_that_take_no_connection_are_named(tmp_path):
    port = free_port()
    findings = examine(
        "--storage", tmp_path, LCFILE_MAIL_SERVER=f"smtp://127.0.0.1:{port}", LCFILE_MAIL_FROM="app@example.org")
    assert findings["network.services"]["level"] == "problem"
    assert f"127.0.0.1:{port}" in findings["network.services"]["text"]


def through(server, url):
    return examine("--config", server.folder / "lcfile.yaml", "--storage", server.storage, "--through", url)


TRANSFER = ("url.upload", "url.downloads", "url.buffering", "url.clients")


@pytest.mark.extended
def test_a_file_goes_to_a_server_and_back_and_nothing_of_it_is_left(new_server):
    own = new_server(LCFILE_TRASH_KEEP="3600").start()
    findings = through(own, own.url)
    assert {subject: findings[subject]["level"] for subject in TRANSFER} == dict.fromkeys(TRANSFER, "ok")
    master = own.api(master=True)
    assert master.count() == 0
    assert master.get("/1.1/trash").json()["results"] == []
    assert eventually(lambda: queued(master) == 0)
    assert list(own.blobs()) == []
    assert not any(key in str(findings) for key in (ALPHA.key, ALPHA.master))


@pytest.mark.extended
def test_a_proxy_as_documented_is_ok(new_server, tmp_path):
    own = new_server(LCFILE_HTTP_PROXIES="127.0.0.1").start()
    lines = (
        "proxy_request_buffering off;", "proxy_buffering off;",
        "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
    )
    with plain_proxy(tmp_path / "proxy", own.port, *lines) as url:
        findings = through(own, url)
    # The doctor and the proxy have the same address here, so the proxy seems to name no client.
    assert {subject: findings[subject]["level"] for subject in TRANSFER[:3]} == dict.fromkeys(TRANSFER[:3], "ok")
    assert "192.0.2.77" not in str(findings)


@pytest.mark.extended
def test_a_proxy_that_collects_uploads_drops_ranges_and_believes_clients_is_told(new_server, tmp_path):
    own = new_server(LCFILE_HTTP_PROXIES="127.0.0.1").start()
    lines = ('proxy_set_header Range "";', "proxy_set_header X-Forwarded-For $http_x_forwarded_for;")
    with plain_proxy(tmp_path / "proxy", own.port, *lines) as url:
        findings = through(own, url)
    levels = {subject: findings[subject]["level"] for subject in TRANSFER}
    assert levels == dict(zip(TRANSFER, ("ok", "problem", "note", "problem")))
    assert "range" in findings["url.downloads"]["text"]


def test_wrong_usage(tmp_path):
    assert lcfile("doctor", "--url", "files.example.com").returncode == USAGE
    assert lcfile("doctor", "--storage", "").returncode == USAGE
    assert lcfile("doctor", "--config", "").returncode == USAGE
    assert lcfile("doctor", "--through", "files.example.com").returncode == USAGE
