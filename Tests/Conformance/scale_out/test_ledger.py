"""Three servers behind an nginx, of which one after the other is killed under load: nothing that was answered is lost, and the
others serve it while one is away."""

import pytest
from cases import count
from ledger import CrashTest, Everybody, KillOne, Ledger
from several import Several

pytestmark = pytest.mark.long

SEED, KILLS, SECONDS = 25, count(4, 100), count(90, 600)


def test_what_was_answered_outlives_every_killed_server(tmp_path, engines):
    def make(folder, storage, **settings):
        return Several(folder, 3, **engines.settings(folder) | settings)

    with Everybody(tmp_path, None, SEED, make).at_work() as everybody:
        test = CrashTest(everybody, SEED, Ledger(tmp_path / "ledger"), KillOne())
        kills = test.run(KILLS, SECONDS)
        assert test.faults == []
        assert kills >= 3
        assert test.counts["files in the ledger"] > 0
        assert test.has_answers(), test.counts
        assert everybody.server.stop() == 0
