"""Three servers behind an nginx, of which one after the other is killed under load, or what they share: nothing that was
answered is lost, and the other servers serve it while one is away."""

import pytest
from cases import count
from ledger import CrashTest, Everybody, KillOne, KillStore, Ledger
from several import Several

pytestmark = pytest.mark.long

SEED, KILLS, SECONDS = 25, count(2, 100), count(60, 600)


def run(folder, stores, crash):
    def make(folder, storage, **settings):
        return Several(folder, 3, **stores.settings(folder) | settings)

    with Everybody(folder, None, SEED, make).at_work() as everybody:
        test = CrashTest(everybody, SEED, Ledger(folder / "ledger"), crash)
        kills = test.run(KILLS, SECONDS)
        assert test.faults == []
        assert kills >= 1
        assert test.counts["files in the ledger"] > 0
        assert test.has_answers(), test.counts
        assert everybody.server.stop() == 0


def test_what_was_answered_outlives_every_killed_server(tmp_path, stores):
    run(tmp_path, stores, KillOne())


@pytest.mark.extended
def test_what_was_answered_outlives_a_killed_database(tmp_path, stores):
    run(tmp_path, stores, KillStore("database", stores.postgres))


@pytest.mark.extended
def test_what_was_answered_outlives_a_killed_store(tmp_path, stores):
    run(tmp_path, stores, KillStore("store", stores.store))
