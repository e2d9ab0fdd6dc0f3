"""The metrics of a server, as Prometheus' own parser reads them, and the tool promtool."""

import re
import shutil
import subprocess
from pathlib import Path

import requests
from client import TIMEOUT, eventually
from hot import settle
from prometheus_client.parser import text_string_to_metric_families

ROOT = Path(__file__).parents[3]
OPERATIONS = ROOT / "docs" / "operations"


def documented():
    """Type and labels of each metric in the documentation."""
    rows = re.findall(r"^\| `(\w+)` \| (counter|gauge|histogram) \| (.*?) ?\|", (OPERATIONS / "metrics.md").read_text(), re.M)
    return {name: (type, set(re.findall(r"`(\w+)`", labels))) for name, type, labels in rows}


def page(server):
    response = requests.get(f"http://127.0.0.1:{server.metrics_port}/metrics", timeout=TIMEOUT)
    assert response.status_code == 200
    return response


def families(server):
    """All metrics by their names as the server writes them."""
    return {name_of(family): family for family in text_string_to_metric_families(page(server).text)}


def name_of(family):
    # The parser removes the ending of counters.
    return f"{family.name}_total" if family.type == "counter" else family.name


def values(server, *names):
    """The values of some metrics by name and values of labels, `name value value`, without those that are 0."""
    known = families(server)
    found = {}
    for name in names:
        short = name.removeprefix("lcfile_").removesuffix("_total")
        for sample in known[name].samples:
            if sample.value:
                found[" ".join([short, *sample.labels.values()])] = sample.value
    return found


class Watch:
    """What changes in some metrics from now on; it begins when all earlier requests are counted."""

    def __init__(self, server, *names):
        settle(server)
        self.server = server
        self.names = names
        self.before = values(server, *names)

    @property
    def changes(self):
        after = values(self.server, *self.names)
        return {key: after[key] - self.before.get(key, 0) for key in after if after[key] != self.before.get(key, 0)}

    def assert_changes(self, expected):
        """A request counts when its response has been written, which can be after the client has read it."""
        eventually(lambda: self.changes == expected)
        changes = self.changes
        assert changes == expected, changes


# Metrics in expressions of PromQL: a name before labels, a range or the end of an operand.
NAME = re.compile(r"\b(?:lcfile|process)_[a-z_]+\b|\bup\b(?=\{)")


def metrics_in(expression):
    """The metrics that an expression of PromQL names, without the endings of histograms."""
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in NAME.findall(expression)} - {"up"}


def promtool(*arguments, text=None):
    """The result and the output of promtool."""
    program = shutil.which("promtool") or str(ROOT / ".build" / "tools" / "promtool")
    done = subprocess.run([program, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr
