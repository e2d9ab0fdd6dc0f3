"""Wrong usage, and the scripts with which shells complete commands."""

import subprocess

import pytest
from client import TIMEOUT
from commands import USAGE, lcfile, own_environment


@pytest.mark.few(2)
@pytest.mark.parametrize("arguments, words", [
    (["lss"], ["Did you mean 'lcfile ls'?", "Usage: lcfile <subcommand>"]),
    (["--verson"], ["Did you mean 'lcfile --version'?", "Usage: lcfile <subcommand>"]),
    (["ls", "--lmit", "3"], ["Did you mean '--limit'?", "Usage: lcfile ls "]),
    (["ls"], ["Set --app-id", "Usage: lcfile ls ", "See 'lcfile ls --help'"]),
    (["index", "list", "A"], ["Set --app-id", "Usage: lcfile index list ", "See 'lcfile index list --help'"]),
    (["completions", "csh"], ["'csh'", "'bash', 'zsh' or 'fish'", "Usage: lcfile completions "]),
], ids=lambda value: " ".join(value))
def test_usage_is_that_of_the_command(tmp_path, arguments, words):
    result = lcfile(*arguments, folder=tmp_path)
    assert (result.returncode, result.stdout) == (USAGE, "")
    for word in words:
        assert word in result.stderr


def completed(line, folder, **environment):
    """What bash offers at the end of the line."""
    script = lcfile("completions", "bash").stdout
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    test = f"""{script}
        COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}
        complete -p lcfile | grep --quiet -- '-F _lcfile ' || exit 9
        compopt() {{ :; }}
        _lcfile lcfile "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    result = subprocess.run(
        ["bash", "--norc", "-c", test],
        cwd=folder, env=own_environment(**environment), capture_output=True, text=True, timeout=TIMEOUT,
    )
    assert result.returncode == 0, result.stderr
    return {word.strip() for word in result.stdout.splitlines()}


@pytest.mark.extended
@pytest.mark.parametrize("line, offered", [
    ("lcfile thu", "thumbnail"), ("lcfile schema s", "show set"), ("lcfile serve --metr", "--metrics-port"),
    ("lcfile thumbnail --format w", "webp"), ("lcfile permissions set Order f", "find"),
    ("lcfile completions z", "zsh"), ("lcfile serve --config s", "settings.yaml"),
], ids=str)
def test_bash_completes(tmp_path, line, offered):
    (tmp_path / "settings.yaml").write_text("")
    (tmp_path / "some.txt").write_text("")
    assert completed(line, tmp_path) == set(offered.split())
