"""Starts that the server must refuse, and its exit codes."""

ADDRESS, STORAGE, SETTING, USAGE = 69, 73, 78, 2


def assert_does_not_start(server, code, *words):
    if server.process is None or server.process.poll() is not None:
        server.launch()
    assert server.wait() == code, server.errors
    assert server.errors.count("\nlcfile: ") + server.errors.startswith("lcfile: ") == 1, server.errors
    # Several faults have a line each, behind the first one.
    message = server.errors[server.errors.index("lcfile: "):]
    for word in words:
        assert word in message
    # Log lines may stand beside the sentence; a crash's trace may not.
    assert "Fatal error" not in server.errors
    assert server.output == ""
