"""SIGHUP reads the log level again."""

from client import ALPHA, eventually, yaml_of
from tls import hang_up


def configure(server, level):
    (server.folder / "settings.yaml").write_text(f"log:\n  level: {level}\n{yaml_of([ALPHA])}")


def ask(server, path):
    server.api().get(f"/1.1/{path}")
    return eventually(lambda: f"/1.1/{path}" in server.errors, 3)


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
    assert "log.level is 'loud'" in server.errors
    assert ask(server, "classes/Last") and server.is_healthy()
