"""Backups and blobs in a bucket of a real store."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from backups import assert_succeeds, lcfile
from s3_engine import BUCKET, S3Engine

CONFIGURATION = 78

BUNDLE = Path(os.environ["LCFILE_BINARY"]).parent / "lcfilePackageTests.xctest"

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = S3Engine(tmp_path_factory.mktemp("s3"))
    yield engine
    engine.close()


# The debug build, of which `make test` makes both, is never without.
@pytest.mark.skipif(
    BUNDLE.parent.name != "debug" and not BUNDLE.exists(), reason="this binary has no Swift tests built beside it")
@pytest.mark.parametrize(
    "suites, count", [
        # The names begin with the module: each suite runs once.
        ("S3BackupTargetTests", 3),
        pytest.param(r"S3BlobsTests\.(S3|SharedDerivative).*Tests/", 55, marks=pytest.mark.extended),
        pytest.param(
            r"S3BlobsTests\.Staging(Contract|Servers|Fault|Upload|Encryption)Tests/", 29, marks=pytest.mark.extended),
    ], ids=["backups", "blobs", "staging"])
def test_a_bucket_keeps_the_contracts(engine, suites, count):
    """The suites of the contracts are in Swift, where folders and memory run them too; here they get a store."""
    run = subprocess.run(
        [BUNDLE, "--testing-library", "swift-testing", "--filter", suites],
        env=os.environ | engine.environment, capture_output=True, text=True, timeout=240)
    lines = (run.stdout + run.stderr).splitlines()
    assert run.returncode == 0, "\n".join([line for line in lines if "issue" in line] + lines[-20:])
    done = re.search(r"Test run with (\d+) tests? .*passed", run.stdout + run.stderr)
    assert done and int(done[1]) >= count, run.stdout[-2000:]


@pytest.mark.extended
def test_snapshots_in_a_bucket_are_verified_thinned_out_and_restored(engine, new_server, tmp_path):
    server, repository = new_server().start(), f"s3://{BUCKET}/lcfile"
    api = server.api()

    def run(*arguments):
        return assert_succeeds(lcfile(*arguments, **engine.settings))

    def back_up(*arguments):
        return run("backup", "--storage", server.storage, "--to", repository, *arguments)

    first = api.store(b"first", name="first.txt")
    assert "1 new file with 5 bytes" in back_up()
    second = api.store(b"second", name="second.txt")
    # The bytes of the first file are there.
    assert "1 new file with 6 bytes" in back_up("--keep-last", 1)
    # One snapshot of each app.
    assert len(run("backup", "--to", repository, "--list", "--json").splitlines()) == 2
    run("backup", "--to", repository, "--verify", "--read-data")
    run("restore", "--storage", tmp_path / "storage", repository)
    restored = new_server(storage=tmp_path / "storage").start().api()
    for record, content in ((first, b"first"), (second, b"second")):
        assert restored.fetch(restored.get(f"/1.1/files/{record['objectId']}").json()["url"]).content == content


def test_a_bucket_without_keys_is_refused_before_anything_is_sent(new_server):
    server = new_server().start()
    result = lcfile("backup", "--storage", server.storage, "--to", f"s3://{BUCKET}/lcfile")
    assert result.returncode == CONFIGURATION
    assert "backup.s3.accessKey" in result.stderr
