"""lcfile import leancloud, when the old file domain is slow, fails, or sends wrong bytes."""

import hashlib
import json

import pytest
from client import Server
from commands import FAILED, credentials_of, lcfile
from exports import OLD, OldApp, write_folder
from file_domain import (
    FaultyFileDomain, cut_after, redirect, slow, status, times, without_ranges, wrong_bytes, wrong_length, wrong_size,
)

SIZE = 3_000_000


@pytest.fixture(scope="module")
def old():
    """An app with 60 files, and its file domain without faults."""
    app = OldApp(objects=200, files=60, large=(SIZE,) * 3)
    domain = FaultyFileDomain(app)
    yield app, domain
    domain.close()


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("target"), apps=(OLD,)).start()
    yield server
    assert server.stop() == 0


@pytest.fixture
def run(old, target, tmp_path):
    """Imports one file from an export of its own."""
    app, domain = old

    def run(row, *arguments):
        (tmp_path / "_File.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n")
        keys = credentials_of(target.url, OLD, master=OLD.master)
        words = ["import", "leancloud", "_File.jsonl", "--file-domain", domain.url, "--retries", "3", *arguments]
        return lcfile(*words, folder=tmp_path, **keys)

    yield run
    domain.heal()


@pytest.fixture
def row(old, target):
    """A large internal file with its checksum; it is removed from the server in the end."""
    app, domain = old
    row = next(row for row in app.objects["_File"] if "key" in row and len(app.content(row["key"])) == SIZE)
    row = row | {"metaData": row["metaData"] | {"_checksum": md5(app.content(row["key"])), "size": SIZE}}
    yield row
    target.api(OLD, master=True).delete(row["objectId"])


def md5(data):
    return hashlib.md5(data).hexdigest()


PASSING = {
    "without ranges": without_ranges, "slow": slow(8_000_000), "unavailable twice": times(2, status(503)),
    "cut off twice": times(2, cut_after(1_000_000)), "cut off at the beginning": times(1, cut_after(10)),
    "shorter than announced": wrong_length,
}


@pytest.mark.extended
@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_file_arrives_in_spite_of_the_fault(run, row, old, target, fault):
    app, domain = old
    domain.fail(row["key"], fault)
    result = run(row)
    assert result.returncode == 0, result.stderr
    record = target.api(OLD, master=True).get(f"/1.1/files/{row['objectId']}").json()
    assert (record["key"], record["name"], record["createdAt"]) == (row["key"], row["name"], row["createdAt"])
    assert target.api(OLD).fetch(app.url(row | {"url": None}).replace(app.file_domain, target.url)).content == app.content(row["key"])


@pytest.mark.extended
def test_file_arrives_from_where_a_redirect_leads(run, row, old):
    app, domain = old
    other = FaultyFileDomain(contents={"elsewhere": app.content(row["key"])})
    try:
        domain.fail(row["key"], redirect(other.link("elsewhere")))
        result = run(row)
        assert result.returncode == 0, result.stderr
    finally:
        other.close()


FAILING = {
    "wrong bytes": (wrong_bytes, "hash differs"), "wrong size": (wrong_size, "more than its"),
    "gone": (status(404), "404"), "refused": (status(403), "403"), "unavailable": (status(503), "503"),
}


@pytest.mark.few(1)
@pytest.mark.parametrize(("fault", "reason"), FAILING.values(), ids=FAILING)
def test_file_that_does_not_arrive_is_reported_and_nothing_of_it_is_left(run, row, old, target, fault, reason):
    _, domain = old
    domain.fail(row["key"], fault)
    result = run(row)
    assert result.returncode == FAILED
    assert row["objectId"] in result.stderr and reason in result.stderr
    assert target.api(OLD, master=True).get(f"/1.1/files/{row['objectId']}").status_code == 404


@pytest.mark.extended
def test_failed_file_is_imported_when_the_fault_is_gone(run, row, old):
    _, domain = old
    domain.fail(row["key"], wrong_bytes)
    assert run(row).returncode == FAILED
    domain.heal()
    result = run(row, "--retry-failed")
    assert result.returncode == 0, result.stderr


@pytest.mark.extended
def test_file_is_requested_once(run, row, old):
    _, domain = old
    domain.forget_requests()
    assert run(row).returncode == 0
    assert run(row).returncode == 0
    assert domain.counts()[row["key"]] == 1
