"""Every setting under which the code counts refusals has a series from the start; no server is needed."""

import re

from client import TESTS

ROOT = TESTS.parent
SOURCES = ROOT / "Sources"
# Settings that only messages name: their refusals count as errors, as docs/operations/metrics.md says.
ONLY_IN_MESSAGES = {
    "http.maxGuestJsonSize", "http.maxJsonSize", "http.maxUserJsonSize", "liveQueries.patternMemory",
    "objects.maxClasses", "objects.maxColumns", "objects.maxMasterSize", "objects.maxSize",
    "queries.maxPatternMemory",
}


def settings():
    """The settings that the documentation has."""
    return set(re.findall(r"^\| `(\w+(?:\.\w+)+)` \|", (ROOT / "docs" / "configuration.md").read_text(), re.M))


def catalog():
    """The values of the label `limit` with which the server starts, without `other`."""
    text = (SOURCES / "Program" / "Server" / "Metrics" / "MetricCatalog.swift").read_text()
    values = re.search(r"let limits = series\(\s*of: \"limit\",\s*\[(.*?)\]", text, re.S)[1]
    return set(re.findall(r'"([^"]+)"', values)) - {"other"}


def settings_of_limits():
    """The settings that the code gives limits, each with a file that does.

    Parts of the server have names of settings only for their limits, and Program also to read them. A name can be made of
    a group and of a literal in the same file: `setting: "sms.\\(name)"`.
    """
    known, found = settings(), {}
    for file in SOURCES.rglob("*.swift"):
        text = file.read_text()
        if "Program" in file.relative_to(SOURCES).parts:
            names = set(re.findall(r'(?:setting|limit): "(\w+\.\w+)"', text))
        else:
            names = set(re.findall(r'"(\w+\.\w+)"', text))
        for group in re.findall(r'(?:setting|limit): "(\w+)\.\\\(', text):
            names |= {f"{group}.{name}" for name in re.findall(r'"(\w+)"', text)}
        found.update({name: file for name in names & known})
    return found


def test_every_setting_of_a_limit_has_a_series():
    found = settings_of_limits()
    assert {"fetch.maxQueued", "fetch.maxQueuedGuests", "mirror.maxQueued", "sms.maxPerDay"} <= found.keys()
    lacking = {name: file for name, file in found.items() if name not in catalog() | ONLY_IN_MESSAGES}
    assert not lacking


def test_every_series_is_a_setting_of_a_limit():
    assert catalog() <= settings_of_limits().keys()
    assert not catalog() & ONLY_IN_MESSAGES
