"""What people see: progress, colours, help, suggestions, exit codes."""

import re
import subprocess

import pytest
from client import BINARY, TIMEOUT, free_port
from commands import FAILED, USAGE, credentials_of, lcfile, own_environment
from terminals import on_terminal

LARGE = 17 << 20


@pytest.fixture
def large(tmp_path):
    (tmp_path / "照片 large.bin").write_bytes(bytes(LARGE))
    return "照片 large.bin"


@pytest.mark.extended
def test_progress_is_on_a_terminal(server, large, tmp_path):
    code, text = on_terminal(
        "upload", "--bandwidth", "12M", large, folder=tmp_path, columns=110, **credentials_of(server.url)
    )
    assert code == 0
    assert re.search(r"\[=+>? *\] +\d+%  [\d.]+ MiB / 17.0 MiB  [\d.]+ MiB/s  ETA 0:0\d  照片 large\.bin\x1b\[K", text), text
    assert "uploaded 1 file, 17.0 MiB in 0:0" in text
    url, = re.findall(rf"{server.url}/\S+", text)
    # The progress is removed from the screen before the URL is written.
    assert text.index("\r\x1b[K" + url) > 0


@pytest.mark.extended
@pytest.mark.parametrize("columns", [20, 40, 80])
def test_progress_fits_a_narrow_terminal(server, large, tmp_path, columns):
    code, text = on_terminal(
        "upload", "--bandwidth", "16M", large, folder=tmp_path, columns=columns, **credentials_of(server.url)
    )
    assert code == 0
    for line in re.findall(r"\r([^\r\x1b]*)\x1b\[K", text):
        wide = sum(1 for character in line if "\u4e00" <= character <= "\u9fff")
        assert len(line) + wide < columns


@pytest.mark.parametrize("options", [("--quiet",), ("-q",)])
def test_quiet_shows_nothing(server, tmp_path, options):
    (tmp_path / "a").write_text("x")
    assert on_terminal("upload", *options, "a", folder=tmp_path, **credentials_of(server.url)) == (0, "")


@pytest.mark.few(2)
@pytest.mark.parametrize("environment, isRed", [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)], ids=str)
def test_colours(server, tmp_path, environment, isRed):
    code, text = on_terminal("upload", "missing", folder=tmp_path, **credentials_of(server.url) | environment)
    assert code == FAILED
    assert ("\x1b[31mlcfile:\x1b[0m missing" in text) == isRed
    assert ("\x1b[3" in text) == isRed


@pytest.mark.extended
def test_pipes_get_neither_progress_nor_colours(server, large, tmp_path):
    result = lcfile("upload", large, "missing", folder=tmp_path, **credentials_of(server.url))
    assert "\x1b" not in result.stdout + result.stderr
    assert result.stderr == "lcfile: missing: No such file or directory\n"


@pytest.mark.few(2)
@pytest.mark.parametrize("arguments", [
    ["version"], ["ls"], ["ls", "--all", "--json"], ["upload", "a"], ["upload", "--json", "a", "a"],
], ids=" ".join)
def test_results_that_cannot_be_written_are_a_failure(server, api, tmp_path, arguments):
    api.store(b"x", name="full.txt")
    (tmp_path / "a").write_text("x")
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [BINARY, *arguments], cwd=tmp_path, env=own_environment(**credentials_of(server.url)),
            stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT,
        )
    assert result.returncode == FAILED
    assert result.stderr.splitlines()[-1] == "lcfile: standard output cannot be written: No space left on device"


def test_list_has_a_header_and_units_on_a_terminal(server, api):
    api.store(bytes(2048), name="header.bin")
    code, text = on_terminal("ls", "--where", '{"name":"header.bin"}', **credentials_of(server.url))
    assert code == 0
    assert "OBJECTID" in text and "2.00 KiB" in text and "\x1b[1m" in text


def test_names_do_not_control_the_terminal(server, tmp_path):
    (tmp_path / "evil\x1b[2Jname").write_text("x")
    _, text = on_terminal("upload", "evil\x1b[2Jname", folder=tmp_path, **credentials_of(server.url))
    assert "\x1b[2J" not in text


COMMANDS = [
    "upload", "get", "ls", "stat", "url", "thumbnail", "import", "import leancloud", "export", "delete", "query", "schema",
    "schema show", "schema set", "index", "index list", "index add", "index remove", "permissions", "permissions show",
    "permissions set", "permissions default-acl", "mirror", "mirror status", "censor", "censor list", "serve", "status",
    "health", "version", "backup", "restore", "profile", "profile set", "profile list", "profile show", "profile use",
    "profile remove", "completions",
]
GROUPS = ["schema", "index", "permissions", "mirror", "profile"]


@pytest.mark.few(2)
@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command(command):
    result = lcfile(*command.split(), "--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert f"lcfile {command}" in result.stdout
    assert "Examples:" in result.stdout or command in GROUPS


def test_root_help_names_every_command():
    text = lcfile("--help").stdout
    for command in COMMANDS:
        assert re.search(rf"^  {command.split()[0]} ", text, re.M), command


@pytest.mark.few(2)
@pytest.mark.parametrize("arguments, words", [
    (["uplaod", "x"], "Did you mean 'lcfile upload'?"), (["profile", "lst"], "Did you mean 'lcfile profile list'?"),
    (["ls", "--wher", "{}"], "--where"),
], ids=str)
def test_misspelt(arguments, words):
    result = lcfile(*arguments)
    assert (result.returncode, result.stdout) == (USAGE, "")
    assert words in result.stderr


@pytest.mark.few(2)
@pytest.mark.parametrize("arguments", [[], ["help"], ["help", "upload"]], ids=str)
def test_help_is_no_error(arguments):
    assert lcfile(*arguments).returncode == 0


def test_health_keeps_its_exit_codes():
    assert lcfile("health", "--server", f"http://127.0.0.1:{free_port()}").returncode == 1
