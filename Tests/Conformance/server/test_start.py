"""Starts that must be refused: one sentence that names what is wrong, and an exit code for scripts."""

import re
import socket
import sqlite3
import subprocess

import pytest
import requests
from client import ALPHA, BETA, BINARY, TIMEOUT, App, clean_environment, eventually, yaml_of
from starting import ADDRESS, SETTING, STORAGE, USAGE, assert_does_not_start


@pytest.mark.smoke
def test_port_in_use(new_server):
    first = new_server().start()
    second = new_server(LCFILE_HOST="127.0.0.1")
    second.environment["LCFILE_PORT"] = str(first.port)
    assert_does_not_start(second, ADDRESS, str(first.port), "port")
    assert first.is_healthy()


def test_metrics_port_in_use(new_server):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        server = new_server()
        server.environment["LCFILE_METRICS_PORT"] = port
        assert_does_not_start(server, ADDRESS, port, "metrics.port (LCFILE_METRICS_PORT)", "metrics.enabled")
        assert not server.storage.exists()


def test_port_in_use_creates_nothing(new_server):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = new_server()
        server.environment["LCFILE_PORT"] = str(taken.getsockname()[1])
        assert_does_not_start(server, ADDRESS, "port (LCFILE_PORT)")
        assert not server.storage.exists()


@pytest.mark.parametrize("name, setting", [("LCFILE_HOST", "host"), ("LCFILE_METRICS_HOST", "metrics.host")])
def test_host_without_an_address(new_server, name, setting):
    server = new_server(**{name: "no..where"})
    assert_does_not_start(server, SETTING, f"{setting} is 'no..where'")
    assert not server.storage.exists()


@pytest.mark.extended
def test_free_ports_are_told(new_server):
    server = new_server(arguments=["--port", "0", "--metrics-port", "0"]).launch()
    assert eventually(server.has_greeted, 20)
    url = server.output.split()[3]
    assert requests.get(f"{url}/health", timeout=TIMEOUT).status_code == 200
    line = eventually(lambda: re.search(r".*metrics are served on a free port.*", server.errors)).group()
    port = re.search(r"\bport\W+(\d+)", line).group(1)
    assert requests.get(f"http://127.0.0.1:{port}/metrics", timeout=TIMEOUT).status_code == 200


def test_host_that_is_not_ours(new_server):
    assert_does_not_start(new_server(LCFILE_HOST="192.0.2.1"), ADDRESS, "192.0.2.1", "host")


def test_storage_that_is_a_file(new_server, tmp_path):
    (tmp_path / "file").write_text("")
    assert_does_not_start(new_server(storage=tmp_path / "file"), STORAGE, str(tmp_path / "file"))


def test_storage_whose_parent_does_not_exist(new_server, tmp_path):
    assert_does_not_start(new_server(storage=tmp_path / "no" / "where"), STORAGE, str(tmp_path / "no" / "where"))


def test_storage_on_a_file_system_that_cannot_be_written(new_server):
    assert_does_not_start(new_server(storage="/proc/lcfile"), STORAGE, "/proc/lcfile")


def test_app_folder_that_is_a_file(new_server):
    server = new_server()
    server.storage.mkdir()
    (server.storage / ALPHA.id).write_text("")
    assert_does_not_start(server, STORAGE, ALPHA.id)


@pytest.mark.extended
def test_second_server_on_the_same_storage(new_server):
    first = new_server().start()
    assert_does_not_start(new_server(storage=first.storage), STORAGE, "in use by another lcfile server")
    assert first.is_healthy()


@pytest.mark.extended
def test_database_of_a_newer_version_is_left_alone(new_server):
    server = new_server().start()
    record = server.api().store(b"x", name="x.txt")
    assert server.stop() == 0
    path = server.storage / ALPHA.id / "lcfile.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO grdb_migrations VALUES ('v999 future')")
    database.close()
    assert_does_not_start(server, STORAGE, "newer version", str(path))
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT id FROM class_1").fetchall() == [(record["objectId"],)]
    database.close()


def test_database_that_is_none(new_server):
    server = new_server()
    (server.storage / ALPHA.id).mkdir(parents=True)
    (server.storage / ALPHA.id / "lcfile.sqlite").write_bytes(b"no database " * 1000)
    assert_does_not_start(server, STORAGE, "lcfile.sqlite")


def test_damaged_file_of_the_generated_app(new_server):
    server = new_server(apps=())
    server.storage.mkdir()
    (server.storage / "apps.yaml").write_text("apps: []\n")
    assert_does_not_start(server, STORAGE, "apps.yaml")


# Settings

@pytest.mark.few(2)
@pytest.mark.parametrize("text, words", [
    ("colour: red\n", ["colour", "docs/configuration.md"]),
    ("uploads:\n  maxSise: 5GB\n", ["uploads.maxSise", "did you mean uploads.maxSize?"]),
    ("uploads:\n  maxSize: [1, 2]\n", ["uploads.maxSize"]),
    ("database:\n  rowCache: some\n", ["database.rowCache", "some"]),
    ("database:\n  rowCache: 2000GB\n", ["database.rowCache", "2000GB"]),
    ("database:\n  readers: 999\n", ["database.readers", "999", "256"]),
    ("uploads:\n  maxSize: a lot\n", ["uploads.maxSize", "a lot", "5GB"]),
    ("log:\n  level: loud\n", ["log.level", "loud", "debug"]),
    ("port: 1\nport.: 2\n", ["settings.yaml:2", "'port.'"]),
    ("log.level: info\nlog: {level: debug}\n", ["settings.yaml:2", "'log.level' occurs more than once"]),
    ("a: [\n", ["settings.yaml"]),
    ("- a\n- b\n", ["settings.yaml"]),
    ("apps: {}\n", ["apps"]),
    ("apps:\n  - id: a\n    colour: red\n", ["colour", "masterKey"]),
    (yaml_of([App("../up", "12345678", "abcdefgh")]), ["../up"]),
    (yaml_of([App("a", "1234567", "abcdefgh")]), ["app key", "8"]),
    (yaml_of([App("a", "same-same", "same-same")]), ["differ"]),
    (yaml_of([ALPHA, App(ALPHA.id, BETA.key, BETA.master)]), ["same id"]),
])
def test_bad_configuration_file(new_server, text, words):
    server = new_server(apps=())
    (server.folder / "settings.yaml").write_text(text)
    server.command += ["--config", "settings.yaml"]
    assert_does_not_start(server, SETTING, *words)
    assert not server.storage.exists()


def test_all_faulty_settings_are_told_at_once(new_server):
    server = new_server(apps=())
    (server.folder / "settings.yaml").write_text("colour: red\nlog:\n  level: loud\n")
    server.command += ["--config", "settings.yaml"]
    assert_does_not_start(server, SETTING, "2 settings cannot be used:")
    assert "\n  unknown setting 'colour' in settings.yaml; " in server.errors
    assert "\n  log.level is 'loud'; allowed: " in server.errors


def test_faults_of_apps_and_of_settings_that_do_not_fit_together_are_told_with_the_others(new_server):
    server = new_server(apps=())
    (server.folder / "settings.yaml").write_text(
        "uploads: 5\nmail: {server: 'smtp://127.0.0.1:25'}\napps:\n  - {id: a/b, appKey: short, masterKey: abcdefgh}\n"
    )
    server.environment["LCFILE_LOG_LEVEL"] = "loud"
    server.command += ["--config", "settings.yaml"]
    assert_does_not_start(
        server, SETTING, "5 settings cannot be used:", "'uploads' in settings.yaml is a group of settings",
        "log.level is 'loud'", "the app id 'a/b'", "the app key of app 'a/b'", "mail.server needs mail.from",
    )


def test_configuration_file_that_is_not_there(new_server):
    assert_does_not_start(new_server(apps=(), arguments=["--config", "nowhere.yaml"]), SETTING, "nowhere.yaml")


@pytest.mark.few(2)
@pytest.mark.parametrize("name, value, words", [
    ("LCFILE_COLOUR", "red", ["LCFILE_COLOUR", "docs/configuration.md"]),
    ("LCFILE_PROT", "1", ["LCFILE_PROT", "did you mean LCFILE_PORT?"]),
    ("LCFILE_PORT", "http", ["port", "http", "65535"]),
    ("LCFILE_PORT", "-1", ["port", "'-1'"]),
    ("LCFILE_UPLOADS_MAX_SIZE", "-1", ["uploads.maxSize", "-1"]),
    ("LCFILE_UPLOADS_MAX_SIZE", "99999999999999999999", ["uploads.maxSize"]),
    ("LCFILE_PUBLIC_URL", "ftp://x", ["publicURL", "ftp://x"]),
    ("LCFILE_METRICS_ENABLED", "maybe", ["metrics.enabled", "maybe"]),
])
def test_bad_environment(new_server, name, value, words):
    server = new_server()
    server.environment[name] = value
    assert_does_not_start(server, SETTING, *words)


def test_metrics_on_the_port_of_the_server(new_server):
    server = new_server()
    server.environment["LCFILE_METRICS_PORT"] = str(server.port)
    assert_does_not_start(server, SETTING, "metrics.port", str(server.port))


@pytest.mark.parametrize("flag, value", [("--port", "99999"), ("--port", "x")])
def test_bad_flag(new_server, flag, value):
    server = new_server()
    server.command += [flag, value]
    assert_does_not_start(server, SETTING, "port", value)


def test_unknown_flag_is_wrong_usage():
    result = subprocess.run(
        [BINARY, "serve", "--colour", "red"], env=clean_environment(), capture_output=True, text=True, timeout=TIMEOUT
    )
    assert result.returncode == USAGE
    assert "--colour" in result.stderr


def test_keys_are_never_repeated_in_a_refusal(new_server):
    server = new_server(apps=(App("a", "secret,with,commas", "other-secret"),))
    assert_does_not_start(server, SETTING, "app key")
    assert "secret" not in server.errors
