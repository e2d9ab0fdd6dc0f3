"""A few kills of the crash ledger; `make soak` has hundreds."""

import pytest
from cases import count
from client import Server
from ledger import SETTINGS, CrashTest, Ledger

pytestmark = pytest.mark.long

SEED, KILLS, SECONDS = 15, count(8, 100), count(20, 300)


def test_what_was_answered_outlives_every_kill(tmp_path):
    server = Server(tmp_path, **SETTINGS)
    test = CrashTest(server, SEED, Ledger(tmp_path / "ledger"))
    try:
        kills = test.run(KILLS, SECONDS)
        assert test.faults == []
        assert kills >= 5
        assert test.counts["files in the ledger"] > 20
        assert test.counts["objects in the ledger"] > 20
        assert server.stop() == 0
    finally:
        server.stop()
