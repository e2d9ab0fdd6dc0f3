import pytest
from buckets import blob_settings, prefix_of
from databases import Postgres, database_of
from s3_engine import S3Engine
from several import Several


class Engines:
    """A PostgreSQL and an S3 store, which servers share."""

    def __init__(self, folder):
        for name in ("database", "bucket"):
            (folder / name).mkdir()
        self.postgres = Postgres(folder / "database", "-c max_connections=500")
        self.store = S3Engine(folder / "bucket")

    def settings(self, name):
        """The settings of servers: a database and a prefix of their own for each name."""
        return blob_settings(self.store, prefix_of(name)) | {
            "LCFILE_DATABASE_URL": database_of(name, self.postgres.url),
        }

    def close(self):
        self.store.close()
        self.postgres.close()


@pytest.fixture(scope="session")
def engines(tmp_path_factory):
    engines = Engines(tmp_path_factory.mktemp("engines"))
    yield engines
    engines.close()


@pytest.fixture
def several(tmp_path, engines):
    """Makes servers on one database and one bucket; what still runs in the end is stopped."""
    groups = []

    def make(number=2, **settings):
        group = Several(tmp_path, number, **engines.settings(tmp_path) | settings)
        groups.append(group)
        return group.start()

    yield make
    for group in groups:
        group.stop()
