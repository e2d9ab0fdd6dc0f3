"""The manual pages that scripts/manual makes."""

import json
import shutil
import subprocess
import sys

import pytest
from client import BINARY, TESTS, TIMEOUT


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The texts of all pages by name."""
    folder = tmp_path_factory.mktemp("manual")
    command = [sys.executable, TESTS.parent / "scripts" / "manual", BINARY, folder]
    subprocess.run(command, env={"SOURCE_DATE_EPOCH": "1767225600"}, check=True, timeout=TIMEOUT)
    return {path.name: path.read_text() for path in folder.iterdir()}


def commands(command):
    """The names of a command and of all below it, as those of pages."""
    yield "-".join((command.get("superCommands") or []) + [command["commandName"]])
    for other in command.get("subcommands") or []:
        if other["shouldDisplay"] and other["commandName"] != "help":
            yield from commands(other)


def test_every_command_has_a_page(pages):
    described = subprocess.run([BINARY, "--experimental-dump-help"], capture_output=True, check=True, timeout=TIMEOUT)
    names = set(commands(json.loads(described.stdout)["command"]))
    assert {"lcfile", "lcfile-ls", "lcfile-schema-set", "lcfile-completions"} <= names
    assert set(pages) == {f"{name}.1" for name in names}


def test_page_has_options_examples_and_date(pages):
    page = pages["lcfile-ls.1"]
    assert page.startswith('.TH "LCFILE\\-LS" 1 "2026-01-01" "lcfile ')
    for text in ("lcfile\\-ls \\- ", "\\fB\\-\\-where\\fR \\fIjson\\fR", ".SH EXAMPLES\n.EX\nlcfile ls", "LCFILE_APP_ID"):
        assert text in page
    assert "\\-\\-app\\-key\\fR" not in page


@pytest.mark.extended
@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_groff_has_no_complaints(pages):
    for name, text in pages.items():
        command = ["groff", "-ww", "-z", "-K", "utf8", "-man"]
        result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=TIMEOUT)
        assert (result.returncode, result.stderr) == (0, ""), name
