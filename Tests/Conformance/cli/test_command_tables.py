"""The tables of commands in the documentation name the commands that the binary has."""

import re

import pytest
from client import TESTS
from commands import lcfile

ROOT = TESTS.parent


def section(path, heading):
    """The lines of a page below a heading, up to the next heading of the second level."""
    _, text = (ROOT / path).read_text().split(f"{heading}\n", 1)
    return text.split("\n## ", 1)[0].splitlines()


def overview(path, heading):
    """The commands of an overview, a line for each: `lcfile ls …`."""
    return {line.split()[1] for line in section(path, heading) if line.startswith("lcfile ")}


def table():
    """The commands in the first column of docs/cli.md: `trash list·restore·empty`."""
    rows = [line.split("|")[1] for line in section("docs/cli.md", "# The command line") if line.startswith("| ")]
    return {name for row in rows for name in re.findall(r"`([a-z-]+)[^`]*`", row)}


@pytest.fixture(scope="module")
def commands():
    """The names that `lcfile --help` lists below its headings of subcommands."""
    _, *lists = re.split(r"^[A-Z ]*SUBCOMMANDS:$", lcfile("--help").stdout, flags=re.M)
    return {name for text in lists for name in re.findall(r"^  ([a-z-]+)(?: |$)", text, re.M)}


@pytest.mark.parametrize("documented", [
    table, lambda: overview("README.md", "## Commands"), lambda: overview("README.zh-CN.md", "## 命令"),
], ids=["docs/cli.md", "README.md", "README.zh-CN.md"])
def test_every_command_is_documented(commands, documented):
    assert {"upload", "migrate", "completions"} <= commands
    assert documented() == commands
