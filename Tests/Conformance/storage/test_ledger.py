"""A few crashes of the ledger, by kill and by loss of power; `make soak` has hundreds."""

import pytest
from cases import count
from ledger import CrashTest, Everybody, Kill, Ledger, PowerLoss
from power import KINDS, forgetful_disk

pytestmark = pytest.mark.long

SEED, CRASHES, SECONDS = 15, count(5, 100), count(60, 300)


@pytest.fixture
def disk(tmp_path):
    with forgetful_disk(tmp_path / "disk") as disk:
        yield disk


def run(folder, storage, crash):
    """Runs the test; it has seen something of everything."""
    with Everybody(folder, storage, SEED).at_work() as everybody:
        test = CrashTest(everybody, SEED, Ledger(folder / "ledger"), crash)
        crashes = test.run(CRASHES, SECONDS)
        assert test.faults == []
        assert crashes >= 3
        assert test.counts["files in the ledger"] > 0
        assert test.has_answers(), test.counts
        assert everybody.server.stop() == 0


def test_what_was_answered_outlives_every_kill(tmp_path):
    run(tmp_path, tmp_path / "storage", Kill())


@pytest.mark.few(1)
@pytest.mark.parametrize("keeps_order", [False, True], ids=["names-in-any-order", "names-in-order"])
def test_what_was_answered_outlives_every_loss_of_power(tmp_path, disk, keeps_order):
    run(tmp_path, disk.folder / "storage", PowerLoss(disk, keeps_order=keeps_order))


@pytest.mark.extended
@pytest.mark.parametrize("ignored", [KINDS, *((kind,) for kind in KINDS)], ids="+".join)
def test_without_syncs_the_ledger_finds_what_was_lost(tmp_path, disk, ignored):
    with Everybody(tmp_path, disk.folder / "storage", SEED).at_work() as everybody:
        test = CrashTest(everybody, SEED, Ledger(tmp_path / "ledger"), PowerLoss(disk, ignored))
        test.run(20, 60)
        assert test.faults != [], f"nothing was lost in {test.counts['losses of power']} losses of power"
