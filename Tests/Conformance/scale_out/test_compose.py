"""The compose file of several servers: what it sets is what servers take, and nginx takes its configuration."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from client import ALPHA, free_port
from proxy import AROUND

DEPLOYMENT = Path(__file__).parents[3] / "deploy/scale-out"
VALUES = {
    "PUBLIC_URL": "http://localhost:8080", "APP_ID": ALPHA.id, "APP_KEY": ALPHA.key, "MASTER_KEY": ALPHA.master,
    "POSTGRES_PASSWORD": "secret", "S3_ACCESS_KEY": "access", "S3_SECRET_KEY": "secret",
}


@pytest.fixture(scope="module")
def compose():
    text = (DEPLOYMENT / "compose.yaml").read_text()
    return yaml.safe_load(re.sub(r"\$\{(\w+)(:\?[^}]*)?\}", lambda found: VALUES[found[1]], text))


def servers(compose):
    return {name: service for name, service in compose["services"].items() if name.startswith("lcfile")}


def test_servers_have_equal_settings_and_folders_of_their_own(compose):
    several = servers(compose)
    assert len(several) == 3
    settings = [service["environment"] for service in several.values()]
    assert settings[0] == settings[1] == settings[2]
    assert len({service["volumes"][0] for service in several.values()}) == 3


def test_variables_are_those_of_the_documentation(compose):
    named = set(re.findall(r"^(\w+)=", section(), re.MULTILINE))
    assert named == set(VALUES)


def section():
    text = (DEPLOYMENT.parents[1] / "docs/scale-out.md").read_text()
    return re.search(r"cat > \.env <<END\n(.*?)^END", text, re.DOTALL | re.MULTILINE)[1]


@pytest.mark.extended
def test_server_with_these_settings_serves(compose, stores, new_server, tmp_path):
    settings = dict(servers(compose)["lcfile1"]["environment"])
    own = stores.settings(tmp_path)
    # Only the addresses and the keys of the stores are other ones here.
    assert {name for name in settings if name.startswith(("LCFILE_DATABASE_", "LCFILE_BLOBS_"))} == set(own)
    server = new_server(apps=(), **settings | own | {"LCFILE_HTTP_PROXIES": "127.0.0.1"}).start()
    record = server.api().store(b"bytes", name="a.txt")
    assert record["url"].startswith("http://localhost:8080/")
    assert server.api().fetch(f"{server.url}/{record['key']}").content == b"bytes"


def test_nginx_takes_the_configuration(compose, tmp_path):
    text = (DEPLOYMENT / "nginx.conf").read_text()
    for name in servers(compose):
        assert f"server {name}:8080 " in text
        # No names are resolved here.
        text = text.replace(f"{name}:8080", f"127.0.0.1:{free_port()}")
    text = text.replace("listen 80;", f"listen 127.0.0.1:{free_port()};")
    (tmp_path / "nginx.conf").write_text(AROUND.format(folder=tmp_path))
    (tmp_path / "site.conf").write_text(text)
    tested = subprocess.run(
        ["nginx", "-t", "-c", tmp_path / "nginx.conf", "-p", tmp_path, "-e", tmp_path / "errors.log"],
        capture_output=True, text=True, timeout=30,
    )
    assert tested.returncode == 0, tested.stderr
