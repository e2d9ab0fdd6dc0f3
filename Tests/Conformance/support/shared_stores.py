"""The stores of several servers: a PostgreSQL and an S3 store that run for the tests."""

from buckets import blob_settings, prefix_of
from databases import Postgres, database_of
from s3_engine import S3Engine


class SharedStores:
    """Starts both in a folder."""

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
