"""Keys from files and from credentials of the service manager."""

import pytest
from client import ALPHA, BETA
from starting import SETTING, assert_does_not_start


@pytest.fixture
def keyed(new_server):
    """A server of one app with two files of keys beside its settings."""
    server = new_server(apps=())
    (server.folder / "app-key").write_text(f"{ALPHA.key}\n")
    (server.folder / "master-key").write_text(f"{ALPHA.master}\r\n")
    return server


def configure(server, text):
    (server.folder / "settings.yaml").write_text(text)
    server.command += ["--config", "settings.yaml"]


def assert_serves(server, app=ALPHA):
    server.start()
    assert server.api(app).store(b"x", name="x.txt")["bucket"] == app.id[:8]
    assert server.api(app, master=True).get("/1.1/schemas").status_code == 200
    for text in (server.output, server.errors):
        assert app.key not in text and app.master not in text


@pytest.mark.extended
def test_keys_come_from_files_of_the_settings(keyed):
    configure(keyed, f"apps: [{{id: {ALPHA.id}, appKeyFile: app-key, masterKeyFile: master-key}}]\n")
    assert_serves(keyed)


def test_keys_come_from_files_of_the_environment(keyed):
    names = {"LCFILE_APP_ID": ALPHA.id, "LCFILE_APP_KEY_FILE": "app-key", "LCFILE_MASTER_KEY_FILE": "master-key"}
    keyed.environment |= names
    assert_serves(keyed)


def test_keys_come_from_credentials(new_server, tmp_path):
    server = new_server(apps=(), CREDENTIALS_DIRECTORY=str(tmp_path))
    (tmp_path / f"lcfile.{BETA.id}.appKey").write_text(BETA.key)
    (tmp_path / f"lcfile.{BETA.id}.masterKey").write_text(BETA.master)
    configure(server, f"apps: [{{id: {BETA.id}}}]\n")
    assert_serves(server, BETA)


@pytest.mark.few(2)
@pytest.mark.parametrize("content, words", [
    (None, ["masterKeyFile", "master-key", "No such file"]), (b"\n", ["is empty"]),
    (b"secret \xff", ["is not UTF-8"]), (b"secret" * 1000, ["4096 bytes"]), (b"a secret", ["master key", "ASCII"]),
])
def test_file_without_a_key_is_refused_without_its_content(keyed, content, words):
    path = keyed.folder / "master-key"
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    configure(keyed, f"apps: [{{id: {ALPHA.id}, appKeyFile: app-key, masterKeyFile: master-key}}]\n")
    assert_does_not_start(keyed, SETTING, *words)
    assert "secret" not in keyed.errors and ALPHA.key not in keyed.errors


def test_key_and_file_are_one_too_many(keyed):
    configure(keyed, f"apps: [{{id: {ALPHA.id}, appKeyFile: app-key, masterKey: x-secret-x, masterKeyFile: master-key}}]\n")
    assert_does_not_start(keyed, SETTING, "masterKey and masterKeyFile are set", "only one")
    assert "secret" not in keyed.errors
