"""Fixtures of servers whose blobs are in a bucket of a real store."""

import pytest
from buckets import blob_settings, prefix_of
from client import ALPHA
from databases import Postgres, database_of
from s3_engine import S3Engine


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = S3Engine(tmp_path_factory.mktemp("s3"))
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    postgres = Postgres(tmp_path_factory.mktemp("engine"), "-c max_connections=400")
    yield postgres
    postgres.close()


@pytest.fixture
def prefix(tmp_path):
    return prefix_of(tmp_path)


@pytest.fixture
def make(new_server, engine, prefix, tmp_path):
    """Makes a server on the bucket; one for each name, with SQLite unless a database is set."""

    def make(name="one", **settings):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        given = {"LCFILE_DATABASE_URL": ""} | blob_settings(engine, prefix) | settings
        return new_server(folder=folder, apps=(ALPHA,), **given)

    return make


@pytest.fixture
def url(postgres, tmp_path):
    """The address of a database of the test's own."""
    return database_of(tmp_path, postgres.url)


def without_bucket(make, name="one", **settings):
    return make(name, **{"LCFILE_BLOBS_STORE": ""} | settings)


def settings_of(server):
    """What a command needs to find the blobs and objects of a server."""
    return {
        name: value for name, value in server.environment.items() if name.startswith(("LCFILE_BLOBS_", "LCFILE_DATABASE_"))
    }
