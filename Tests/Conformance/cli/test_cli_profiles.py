"""Profiles, and where commands find server and keys."""

import json
import os
import stat

import pytest
from client import ALPHA, BETA
from commands import USAGE, lcfile
from terminals import OnTerminal


@pytest.fixture
def run(tmp_path):
    """Runs a command whose profiles are in a folder of the test."""
    return lambda *arguments, **options: lcfile(*arguments, XDG_CONFIG_HOME=str(tmp_path), **options)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "lcfile" / "config.yaml"


def create(run, server, name="main", app=ALPHA):
    result = run(
        "profile", "set", name, "--server", server.url, "--app-id", app.id, "--app-key-stdin", "--master-key-stdin",
        input=f"{app.key}\n{app.master}\n",
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.smoke
def test_all_commands_use_the_profile(run, server, file):
    create(run, server)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    for command in (["ls"], ["schema", "show"], ["permissions", "show"], ["index", "list", "_User"]):
        result = run(*command)
        assert (result.returncode, result.stderr) == (0, ""), command


@pytest.mark.extended
def test_second_profile_is_chosen_by_option_variable_and_default(run, server):
    create(run, server)
    create(run, server, "beta", BETA)
    (server.folder / "named.txt").write_text("x")
    upload = ("upload", "--json", server.folder / "named.txt")
    assert ALPHA.id[:8] in run(*upload).stdout
    assert BETA.id[:8] in run(*upload, "--profile", "beta").stdout
    assert BETA.id[:8] in run(*upload, LCFILE_PROFILE="beta").stdout
    assert run("profile", "use", "beta").returncode == 0
    assert BETA.id[:8] in run(*upload).stdout
    variables = {"LCFILE_APP_ID": ALPHA.id, "LCFILE_APP_KEY": ALPHA.key}
    assert ALPHA.id[:8] in run(*upload, **variables).stdout


@pytest.mark.extended
def test_profiles_are_listed_shown_and_removed_without_their_keys(run, server):
    create(run, server)
    create(run, server, "other")
    assert [line.split() for line in run("profile", "list").stdout.splitlines()] == [
        ["*", "main", server.url, ALPHA.id], ["other", server.url, ALPHA.id],
    ]
    shown = run("profile", "show").stdout
    assert server.url in shown and ALPHA.key not in shown and ALPHA.master not in shown
    assert run("profile", "remove", "other").returncode == 0
    assert run("profile", "show", "other").returncode == USAGE
    assert len(run("profile", "list").stdout.splitlines()) == 1


def test_profiles_are_json_a_line_without_their_keys(run, server):
    create(run, server)
    create(run, server, "other", BETA)
    first, other = map(json.loads, run("profile", "list", "--json").stdout.splitlines())
    assert {key: first[key] for key in ("name", "default", "server", "appId")} == {
        "name": "main", "default": True, "server": server.url, "appId": ALPHA.id,
    }
    assert (other["name"], other["default"]) == ("other", False)
    shown = json.loads(run("profile", "show", "other", "--json").stdout)
    assert shown == other and BETA.key not in other["appKey"] and BETA.master not in other["masterKey"]


@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o660])
@pytest.mark.parametrize("command", [["ls"], ["schema", "show"], ["upload", "x"], ["profile", "list"]], ids=str)
def test_file_that_others_can_read_is_refused(run, server, file, mode, command):
    create(run, server)
    file.chmod(mode)
    result = run(*command)
    assert (result.returncode, result.stdout) == (USAGE, "")
    assert f"chmod 600 '{file}'" in result.stderr and f"mode {mode:o}" in result.stderr
    assert ALPHA.key not in result.stderr


def test_key_files(run, server, tmp_path):
    (tmp_path / "key").write_text(f"  {ALPHA.master}\n")
    options = ["--server", server.url, "--app-id", ALPHA.id]
    assert run("schema", "show", *options, "--master-key-file", tmp_path / "key").returncode == 0
    assert run("profile", "set", "p", *options, "--master-key-file", tmp_path / "key").returncode == 0
    assert run("schema", "show").returncode == 0
    (tmp_path / "key").write_text("\n")
    result = run("schema", "show")
    assert result.returncode == USAGE and "is empty" in result.stderr


def test_profile_without_a_value_is_refused_and_not_stored(run, file):
    result = run("profile", "set", "x", input="")
    assert (result.returncode, result.stdout) == (USAGE, "") and "no value" in result.stderr
    assert not file.exists()


@pytest.mark.parametrize("option", ["--app-key", "--master-key"])
def test_keys_are_no_arguments(run, option):
    result = run("ls", "--app-id", ALPHA.id, option, ALPHA.master)
    assert result.returncode == USAGE
    assert "visible" in result.stderr and ALPHA.master not in result.stderr


def test_prompt_does_not_show_the_keys(tmp_path, server, run):
    command = OnTerminal(
        "profile", "set", "main", "--server", server.url, "--app-id", ALPHA.id, XDG_CONFIG_HOME=str(tmp_path)
    )
    for prompt, key in (("App key: ", ALPHA.key), ("Master key: ", ALPHA.master)):
        assert command.shows(prompt), command.text
        command.type(key)
    assert command.end() == 0
    assert ALPHA.key not in command.text and ALPHA.master not in command.text
    assert run("schema", "show").returncode == 0


@pytest.mark.parametrize("text, words", [
    ("profiles: [", "config.yaml"), ("profiles: {a: {servr: x}}", "servr"), ("profiles: {a: {appId: i}}\ndefault: b", "'b'"),
])
def test_malformed_file_is_said(run, file, text, words):
    file.parent.mkdir()
    file.write_text(text)
    os.chmod(file, 0o600)
    result = run("ls")
    assert result.returncode == USAGE and words in result.stderr


@pytest.mark.extended
def test_serve_ignores_the_variables_of_commands(new_server):
    new_server(LCFILE_PROFILE="x", LCFILE_SERVER="http://x", LCFILE_MASTER_KEY_FILE="/x", LCFILE_APP_KEY_FILE="/x").start()
