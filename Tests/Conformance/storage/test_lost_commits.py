"""A write-ahead log that was damaged after a kill: the server notices that answered changes are missing."""

import pytest
from backups import back_up, lcfile
from bucket_servers import engine, make, postgres, prefix, settings_of, url, without_bucket
from checking import DAMAGED, STORAGE, check, findings
from client import ALPHA, eventually
from data import Objects
from full_disks import health, metric

FRAME = 24 + 4096


def killed_with_damage(server):
    """Creates objects one after the other, kills the server, and flips a byte in a page in the middle of the log."""
    server.start()
    tasks = Objects(server.api(), "Task")
    ids = [tasks.create(n=number) for number in range(20)]
    server.kill()
    log = server.storage / ALPHA.id / "lcfile.sqlite-wal"
    content = bytearray(log.read_bytes())
    frames = (len(content) - 32) // FRAME
    content[32 + (frames - 6) * FRAME + 2000] ^= 1
    log.write_bytes(content)
    return ids, log, bytes(content)


@pytest.mark.extended
def test_a_start_with_lost_changes_is_refused(new_server):
    server = new_server()
    _, log, content = killed_with_damage(server)
    server.launch()
    assert server.wait() == 73
    assert "has lost acknowledged changes" in server.errors and "disk.lostCommits" in server.errors
    assert log.read_bytes() == content


@pytest.mark.extended
def test_commands_report_lost_changes_and_leave_every_file(new_server, tmp_path):
    server = new_server()
    _, log, _ = killed_with_damage(server)

    def contents():
        return {path.name: path.read_bytes() for path in log.parent.iterdir() if path.is_file()}

    before = contents()
    code, found, _ = findings(server)
    assert (code, found) == (DAMAGED, [("lost-changes", "lcfile.sqlite")])
    repaired = check(server, "--repair", "--remove-rows")
    assert repaired.returncode == STORAGE
    assert "has lost acknowledged changes" in repaired.stderr
    copied = back_up(server, tmp_path / "copy")
    assert copied.returncode == STORAGE and "has lost acknowledged changes" in copied.stderr
    saved = tmp_path / "copy" / ALPHA.id / "lcfile.sqlite.damaged-wal"
    assert saved.read_bytes() == before[log.name]
    stored = lcfile("backup", "--storage", server.storage, "--to", tmp_path / "repository")
    assert stored.returncode != 0 and "has lost acknowledged changes" in stored.stderr
    assert contents() == before
    server.launch()
    assert server.wait() == STORAGE
    assert "has lost acknowledged changes" in server.errors


@pytest.mark.extended
def test_copies_before_a_move_are_refused_after_lost_changes(make, url):
    server = without_bucket(make)
    _, log, content = killed_with_damage(server)
    for words, settings in [
        (("--to", "postgresql"), {"LCFILE_DATABASE_URL": url}), (("--blobs-to", "bucket"), settings_of(make())),
    ]:
        result = lcfile("migrate", *words, "--copy-only", "--storage", server.storage, **settings)
        assert result.returncode == STORAGE and result.stdout == ""
        assert "has lost acknowledged changes" in result.stderr and str(log.parent) in result.stderr
        assert log.read_bytes() == content


@pytest.mark.extended
def test_an_accepted_loss_is_alarmed_and_the_log_is_saved(new_server):
    server = new_server(LCFILE_DISK_LOST_COMMITS="accept")
    ids, log, content = killed_with_damage(server)
    server.launch()
    assert eventually(server.is_live, 20)
    tasks = Objects(server.api(), "Task")
    left = set(tasks.ids(limit=1000))
    assert left and left < set(ids)
    assert health(server).json()["status"] == "damaged"
    assert eventually(lambda: metric(server, "lcfile_storage_fault", '{kind="damaged"}') == 1)
    saved, = log.parent.glob("lcfile.sqlite-wal.damaged-*")
    assert saved.read_bytes() == content
    assert eventually(lambda: "critical" in server.output.lower() + server.errors.lower())
    server.stop()
    server.start()
    assert health(server).status_code == 200


@pytest.mark.smoke
def test_a_kill_without_damage_raises_no_alarm(new_server):
    server = new_server().start()
    tasks = Objects(server.api(), "Task")
    ids = {tasks.create(n=number) for number in range(20)}
    server.kill()
    server.start()
    assert set(Objects(server.api(), "Task").ids(limit=1000)) == ids
    assert health(server).status_code == 200
