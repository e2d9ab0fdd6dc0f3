"""SIGHUP reads the log level again, and names the changed settings that need a restart."""

import pytest
from client import ALPHA, BETA, eventually, yaml_of
from tls import hang_up


def configure(server, level):
    (server.folder / "settings.yaml").write_text(f"log:\n  level: {level}\n{yaml_of([ALPHA])}")


def ask(server, path):
    server.api().get(f"/1.1/{path}")
    return eventually(lambda: f"/1.1/{path}" in server.errors)


@pytest.mark.extended
def test_log_level_is_read_again(new_server):
    server = new_server(apps=(), arguments=["--config", "settings.yaml"])
    configure(server, "warning")
    server.start()
    server.api().get("/1.1/classes/Before")
    configure(server, "info")
    hang_up(server)
    assert eventually(lambda: "log.level has changed" in server.errors)
    assert ask(server, "classes/After") and "/1.1/classes/Before" not in server.errors
    configure(server, "loud")
    hang_up(server)
    assert eventually(lambda: "the settings of before stay" in server.errors)
    assert eventually(lambda: "log.level is 'loud'" in server.errors)
    settings = server.folder / "settings.yaml"
    settings.write_text(f"log.: {{level: debug}}\nlog: {{level: debug}}\n{yaml_of([ALPHA])}")
    hang_up(server)
    assert eventually(lambda: "'log.' is not the name of a setting" in server.errors)
    assert ask(server, "classes/Last") and server.is_healthy()


def test_settings_that_need_a_restart_are_named_without_their_values(new_server):
    server = new_server(apps=(), arguments=["--config", "settings.yaml"])
    file = server.folder / "settings.yaml"
    file.write_text(f"files:\n  signingKeys: the-first-long-key\n{yaml_of([ALPHA])}")
    server.start()
    hang_up(server)
    assert eventually(lambda: "no certificate to read again" in server.errors)
    file.write_text(
        f"files:\n  signingKeys: the-other-long-key\nuploads:\n  maxSize: 1GB\nlog:\n  level: debug\n"
        f"{yaml_of([ALPHA, BETA])}"
    )
    hang_up(server)
    assert eventually(lambda: "log.level has changed" in server.errors)
    line, = eventually(lambda: [line for line in server.errors.splitlines() if "no effect before a restart" in line])
    assert " warning " in line
    for name in ("files.signingKeys", "uploads.maxSize", f"apps.{BETA.id}"):
        assert name in line
    assert "log.level" not in line and ALPHA.id not in line
    assert "long-key" not in server.errors and BETA.key not in server.errors
