import pytest
from several import Several
from shared_stores import SharedStores


@pytest.fixture(scope="session")
def stores(tmp_path_factory):
    stores = SharedStores(tmp_path_factory.mktemp("stores"))
    yield stores
    stores.close()


@pytest.fixture
def several(tmp_path, stores):
    """Makes servers on one database and one bucket; what still runs in the end is stopped."""
    groups = []

    def make(number=2, **settings):
        group = Several(tmp_path, number, **stores.settings(tmp_path) | settings)
        groups.append(group)
        return group.start()

    yield make
    for group in groups:
        group.stop()
