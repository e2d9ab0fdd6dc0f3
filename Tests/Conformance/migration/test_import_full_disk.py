"""lcfile import into a server whose disk fills: the run stops, and continues when there is space."""

import os

import pytest
from client import ALPHA
from commands import SERVER, credentials_of, lcfile
from disks import memory


@pytest.fixture
def disk(tmp_path):
    with memory(tmp_path / "disk", size="24m") as disk:
        yield disk


def test_full_disk_stops_the_import_and_the_same_command_continues(disk, new_server, tmp_path):
    server = new_server(storage=disk / "storage").start()
    try:
        (disk / "other").write_bytes(bytes(15 << 20))
        (tmp_path / "album").mkdir()
        for number in range(20):
            (tmp_path / f"album/{number}.bin").write_bytes(os.urandom(500_000))
        keys = credentials_of(server.url, master=ALPHA.master)
        result = lcfile("import", "album", "--retries", "1", folder=tmp_path, **keys)
        assert result.returncode == SERVER
        assert "full" in result.stderr and "The same command continues" in result.stderr
        (disk / "other").unlink()
        result = lcfile("import", "album", folder=tmp_path, **keys)
        assert result.returncode == 0, result.stderr
        result = lcfile("import", "album", "--verify", folder=tmp_path, **keys)
        assert result.returncode == 0, result.stderr
        count = server.api(master=True).get("/1.1/files", params={"limit": 0, "count": 1}).json()["count"]
        assert count == 20
    finally:
        server.stop()
