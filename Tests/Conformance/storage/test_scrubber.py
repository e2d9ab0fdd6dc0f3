"""The scrubber finds damage of files that are not requested, and keeps its position."""

import json

import pytest
from backups import blob_of
from checking import FAST_SCRUBBER, damage, flip
from client import ALPHA, eventually
from metrics import values


@pytest.mark.extended
def test_scrubber_finds_a_flipped_byte_and_a_lost_blob_by_itself(new_server):
    own = new_server(**FAST_SCRUBBER).start()
    api = own.api()
    flipped, lost, whole = (api.store(name.encode() * 100, name=name) for name in ("flipped", "lost", "whole"))
    flip(blob_of(flipped, own.storage), 50)
    bytes = blob_of(lost, own.storage).read_bytes()
    blob_of(lost, own.storage).unlink()
    assert eventually(lambda: damage(own) == {"blob": 2, "row": 0})
    for record in (flipped, lost):
        assert api.fetch(record["url"]).status_code == 500
        assert api.fetch(record["url"], "HEAD").status_code == 500
        assert eventually(lambda: record["objectId"] in own.errors)
    assert api.fetch(whole["url"]).status_code == 200
    names = "scrub_blobs", "scrub_bytes", "scrub_last_round_timestamp_seconds"
    metrics = "lcfile_scrub_blobs_total", "lcfile_scrub_bytes_total", "lcfile_scrub_last_round_timestamp_seconds"
    # The round that found the damage can still be under way.
    assert eventually(lambda: {f"{name} {ALPHA.id}" for name in names} <= values(own, *metrics).keys())
    # Whole again, and found by the next round.
    blob_of(lost, own.storage).write_bytes(bytes)
    flip(blob_of(flipped, own.storage), 50)
    assert eventually(lambda: damage(own) == {"blob": 0, "row": 0})
    assert api.fetch(lost["url"]).content == bytes
    assert own.stop() == 0


@pytest.mark.extended
def test_damaged_file_that_is_deleted_is_forgotten(new_server):
    own = new_server(**FAST_SCRUBBER).start()
    file = own.api().store(b"x" * 100, name="x")
    flip(blob_of(file, own.storage))
    assert eventually(lambda: damage(own)["blob"] == 1)
    assert own.stop() == 0
    own.start()
    assert own.api().fetch(file["url"]).status_code == 500
    assert own.api(master=True).delete(file["objectId"]).status_code == 200
    # The known damage is looked at when the server starts.
    assert own.stop() == 0
    own.start()
    assert eventually(lambda: damage(own)["blob"] == 0)
    assert own.stop() == 0


def test_no_rounds_without_days(new_server):
    own = new_server(LCFILE_SCRUB_DAYS="0").start()
    own.api().store(b"x", name="x")
    assert own.stop() == 0
    assert not (own.storage / ALPHA.id / "scrub.json").exists()


@pytest.mark.extended
def test_round_continues_after_a_restart(new_server):
    own = new_server(LCFILE_SCRUB_MIN_RATE="1GB").start()
    state = own.storage / ALPHA.id / "scrub.json"
    assert eventually(lambda: state.exists() and not json.loads(state.read_text())["running"])
    ids = sorted(own.api().store(b"%d" % number, name="x")["objectId"] for number in range(5))
    assert own.stop() == 0
    known = json.loads(state.read_text())
    state.write_text(json.dumps({**known, "running": True, "rowsDone": True, "file": ids[2], "files": 3}))
    own.start()
    assert eventually(lambda: not json.loads(state.read_text())["running"])
    assert json.loads(state.read_text())["files"] == 5
    assert values(own, "lcfile_scrub_blobs_total") == {f"scrub_blobs {ALPHA.id}": 2}
    assert own.stop() == 0
