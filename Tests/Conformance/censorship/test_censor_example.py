"""The receiver in docs/censorship.md, run as an operator would run it."""

import os
import re
import subprocess
import sys

import pytest
import requests
from censoring import PLAIN, SECRET, decided, photo, settings, signed, state
from client import ALPHA, TESTS, eventually, free_port, is_free

GUIDE = TESTS.parent / "docs" / "censorship.md"


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The URL of the running example."""
    program = tmp_path_factory.mktemp("example") / "receiver.py"
    program.write_text(re.search(r"```python\n(.*?)```", GUIDE.read_text(), re.S)[1])
    port = free_port()
    environment = dict(os.environ, LCFILE_CENSORSHIP_WEBHOOK_SECRET=SECRET, PORT=str(port))
    process = subprocess.Popen([sys.executable, program], env=environment, stderr=subprocess.DEVNULL)
    try:
        assert eventually(lambda: process.poll() is None and not is_free(port))
        yield f"http://127.0.0.1:{port}/check"
    finally:
        process.kill()
        process.wait()


def test_example_decides(new_server, example):
    server = new_server(apps=(ALPHA,), **PLAIN | {
        "LCFILE_CENSORSHIP_WEBHOOK": example, "LCFILE_CENSORSHIP_WEBHOOK_SECRET": SECRET,
    }).start()
    master = server.api(master=True)
    settings(master, auto=True)
    seen = decided(master, server.api().store(photo("example"))["objectId"])
    # Without the classifier's score it is not sure.
    assert (seen["censorResult"], seen["checker"], seen["scores"]) == ("review", "webhook", {"example": 0.5})
    assert len(state(master, seen["objectId"])["history"]) == 1


@pytest.mark.parametrize("headers", [
    {}, signed(b"{}", "another secret"), signed(b"{}", at=1),
    {"X-LC-Censor-Timestamp": "x", "X-LC-Censor-Signature": "y"},
    {"X-LC-Censor-Timestamp": "²", "X-LC-Censor-Signature": "é"},
], ids=["none", "another secret", "old", "nonsense", "not ASCII"])
def test_example_refuses_what_is_not_signed(example, headers):
    encoded = {name: value.encode("latin-1") for name, value in headers.items()}
    assert requests.post(example, data=b"{}", headers=encoded, timeout=15).status_code == 403
