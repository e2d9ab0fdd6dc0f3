"""What a first start makes is there after a loss of power, with all that was answered since."""

import pytest
from power import forgetful_disk


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    with forgetful_disk(tmp_path_factory.mktemp("power") / "disk") as disk:
        yield disk


# With two of these seeds, a storage folder whose name was not synced is gone.
@pytest.mark.few(1)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_new_storage_with_its_keys_and_first_file_outlives_a_loss_of_power(new_server, disk, seed):
    server = new_server(apps=(), storage=disk.folder / f"storage{seed}").start()
    app = server.generated
    record = server.api(app).store_raw(b"to be kept", "kept.txt").json()
    server.kill()
    disk.lose_power(seed)
    server.start()
    assert server.generated == app
    assert server.api(app).get(f"/1.1/files/{record['objectId']}").json() == record
    assert server.api(app).fetch(record["url"]).content == b"to be kept"
    assert server.stop() == 0
