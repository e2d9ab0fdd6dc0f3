"""The commands of docs/operations/README.md, as the packages install the page: unrendered; no server is needed."""

import re

import pytest
from client import TESTS

PAGE = TESTS.parent / "docs" / "operations" / "README.md"
LEVELS = {"trace": 0, "debug": 0, "info": 0, "notice": 0, "warning": 0, "error": 1, "critical": 1}


@pytest.mark.parametrize(("level", "count"), LEVELS.items())
def test_pattern_of_the_log_finds_errors_only(level, count):
    pattern, = re.findall(r"--grep '(\"level\"[^']*)'", PAGE.read_text())
    line = f'{{"time":"2026-01-01T03:00:00.000Z","level":"{level}","logger":"server","message":"error"}}'
    assert len(re.findall(pattern, line)) == count
