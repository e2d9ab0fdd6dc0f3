"""The alert rules and the dashboard are what Prometheus and Grafana load, and name only metrics that exist."""

import json
import re
from pathlib import Path

import pytest
import yaml
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard
from metrics import OPERATIONS, families, metrics_in, promtool

ALERTS = OPERATIONS / "alerts.yml"
DASHBOARD = OPERATIONS / "dashboard.json"
CASES = Path(__file__).with_name("alert_cases.yml")
RULES = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


def test_promtool_accepts_the_rules():
    code, output = promtool("check", "rules", ALERTS)
    assert code == 0, output
    assert f"{len(RULES)} rules found" in output


@pytest.mark.extended
def test_alerts_fire_when_they_should_and_only_then():
    code, output = promtool("test", "rules", CASES)
    assert code == 0, output


@pytest.mark.few(3)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_alert_has_a_case_that_fires_and_one_that_does_not(rule):
    # The base loader reads `0x4`, five zeros for promtool, as a string instead of as a number.
    tests = yaml.load(CASES.read_text(), yaml.BaseLoader)["tests"]
    cases = [case for test in tests for case in test["alert_rule_test"] if case["alertname"] == rule["alert"]]
    assert {bool(case.get("exp_alerts")) for case in cases} == {True, False}


@pytest.mark.few(3)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_alert_names_metrics_that_exist(server, rule):
    named = metrics_in(rule["expr"])
    assert named <= families(server).keys()
    assert named or "up{" in rule["expr"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_alert_is_explained(rule):
    headings = re.findall(r"^## (\w+)$", (OPERATIONS / "alerts.md").read_text(), re.M)
    assert rule["alert"] in headings
    assert rule["annotations"]["summary"]
    assert rule["annotations"]["description"].endswith(f"See docs/operations/alerts.md#{rule['alert'].lower()}")


def test_every_explained_alert_exists():
    headings = re.findall(r"^## (\w+)$", (OPERATIONS / "alerts.md").read_text(), re.M)
    assert headings == [rule["alert"] for rule in RULES]


# The dashboard

def panels():
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"]


def expressions():
    return [target["expr"] for panel in panels() for target in panel["targets"]]


def test_grafanas_library_reads_the_dashboard():
    register_default_plugins()
    dashboard = Dashboard.from_json(json.loads(DASHBOARD.read_text()))
    assert dashboard.title == "lcfile"
    assert len([panel for panel in dashboard.panels if panel.type_val != "row"]) == len(panels())


def test_promtool_accepts_the_expressions_of_the_dashboard(tmp_path):
    # Grafana replaces the variables.
    plain = [text.replace("$__rate_interval", "5m").replace("$instance", ".*") for text in expressions()]
    rules = [{"record": f"panel:{index}", "expr": text} for index, text in enumerate(plain)]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    code, output = promtool("check", "rules", file)
    assert code == 0, output


def test_dashboard_names_metrics_that_exist(server):
    known = families(server).keys()
    for text in expressions():
        assert metrics_in(text) and metrics_in(text) <= known, text


def test_every_panel_uses_the_chosen_data_source():
    for panel in panels():
        for part in (panel, *panel["targets"]):
            assert part["datasource"] == {"type": "prometheus", "uid": "${datasource}"}, panel["title"]


def test_panels_do_not_overlap():
    taken = set()
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken and place["x"] + place["w"] <= 24, panel["title"]
        taken |= cells
