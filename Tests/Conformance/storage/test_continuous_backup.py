"""The continuous backup: a machine that is lost costs what came after the last segment, and nothing before it."""

import shutil
import socket
import sqlite3
import time

import pytest
from backups import assert_succeeds, restore
from client import ALPHA, BETA, LAST_CHUNK, TIMEOUT, chunk, eventually
from generations import generations, last_moment, named_blobs, rebuild, replay, segments
from metrics import values
from stopping import begin_upload, is_refused
from writers import Writers, assert_present

pytestmark = pytest.mark.long


def serve(new_server, repository, **settings):
    settings = {"LCFILE_BACKUP_INTERVAL": "1"} | settings
    return new_server(LCFILE_BACKUP_TARGET=str(repository), **settings).start()


def wait_for_generation(repository, count=1):
    assert eventually(lambda: len(generations(repository)) >= count), "no generation is whole"
    return generations(repository)[-1]


def wait_for_moment(generation, moment):
    # Behind a failure, the next attempt comes after ten seconds at the latest.
    assert eventually(lambda: last_moment(generation) >= moment, 2 * TIMEOUT), "a change is not stored"


def test_a_lost_machine_comes_back_with_every_answer_before_the_last_segment(new_server, tmp_path):
    repository = tmp_path / "repository"
    server = serve(new_server, repository)
    generation = wait_for_generation(repository)
    writers = Writers(server)
    # Enough for several checkpoints of the log, which begins anew then.
    assert eventually(lambda: len(writers.answers) > 400 and len(segments(generation)) > 3, 4 * TIMEOUT)
    server.kill()
    writers.end()
    shutil.rmtree(server.storage)
    assert generations(repository) == [generation], "the capture lost its place"
    moment = last_moment(generation)
    covered = [answer for answer in writers.answers if answer[0] < moment]
    assert len(covered) > 200
    storage = tmp_path / "storage"
    rebuild(repository, storage)
    api = new_server(storage=storage).start().api(master=True)
    assert_present(api, covered)


@pytest.mark.extended
def test_each_segment_is_a_moment_with_all_that_was_answered_before_it_and_nothing_after(new_server, tmp_path):
    repository = tmp_path / "repository"
    api = serve(new_server, repository).api(master=True)
    generation = wait_for_generation(repository)
    moments = []
    for number in range(3):
        identity = api.post("/1.1/classes/Note", json={"number": number}).json()["objectId"]
        answered = time.time()
        # A commit behind it, so that a segment ends there.
        api.post("/1.1/classes/Mark", json={})
        wait_for_moment(generation, answered)
        moments.append((identity, last_moment(generation)))
    for count, (_, moment) in enumerate(moments, 1):
        database = tmp_path / f"{count}.sqlite"
        database.write_bytes(replay(generation, moment))
        with sqlite3.connect(database) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            text = "\n".join(connection.iterdump())
        assert [identity in text for identity, _ in moments] == [True] * count + [False] * (3 - count)


@pytest.mark.extended
def test_a_stopped_server_leaves_no_change_behind(new_server, tmp_path):
    repository = tmp_path / "repository"
    server = serve(new_server, repository, LCFILE_BACKUP_INTERVAL="3600")
    generation = wait_for_generation(repository)
    # What the start changed while the base was stored.
    before = len(segments(generation))
    record = server.api().store(b"the last one", name="last.txt")
    server.stop()
    storage = tmp_path / "storage"
    rebuild(repository, storage)
    api = new_server(storage=storage).start().api()
    assert api.fetch(api.get(f"/1.1/files/{record['objectId']}").json()["url"]).content == b"the last one"
    assert len(segments(generation)) == before + 1 and len(named_blobs(generation)) == 1
    assert not list((server.storage / ALPHA.id / "spool").iterdir())


@pytest.mark.extended
def test_an_upload_that_ends_while_the_server_stops_is_in_the_backup(new_server, tmp_path):
    repository = tmp_path / "repository"
    server = serve(new_server, repository, LCFILE_BACKUP_INTERVAL="3600")
    assert eventually(lambda: generations(repository) and generations(repository, BETA)), "no generation is whole"
    with begin_upload(server, "late.txt") as connection:
        server.terminate()
        # The listener is the last service that stops.
        assert eventually(lambda: is_refused(server))
        connection.send(chunk(b"second half") + LAST_CHUNK)
        assert connection.answer().status == 201
    assert server.wait() == 0
    storage = tmp_path / "storage"
    assert_succeeds(restore(repository, storage))
    api = new_server(storage=storage).start().api()
    (record,) = api.get("/1.1/files").json()["results"]
    assert api.fetch(record["url"]).content == b"first half, second half"


@pytest.mark.extended
def test_a_target_that_does_not_answer_leaves_the_stop_clean(new_server):
    # The kernel accepts for it.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(TIMEOUT)
        server = serve(
            new_server, "s3://bucket/prefix", LCFILE_HTTP_SHUTDOWN_TIMEOUT="5",
            LCFILE_BACKUP_S3_ENDPOINT=f"http://127.0.0.1:{silent.getsockname()[1]}",
            LCFILE_BACKUP_S3_ACCESS_KEY="key", LCFILE_BACKUP_S3_SECRET_KEY="secret",
        )
        # A loop waits for the target.
        connection, _ = silent.accept()
        with connection, begin_upload(server) as upload:
            server.terminate()
            assert eventually(lambda: is_refused(server))
            upload.send(chunk(b"second half") + LAST_CHUNK)
            assert upload.answer().status == 201
            assert server.wait() == 0
    assert "The continuous backup lacks the last changes" in server.errors
    assert " critical " not in server.errors and "The server has stopped" in server.errors


@pytest.mark.extended
def test_a_target_that_fails_delays_nobody_and_gets_the_rest_when_it_works_again(new_server, tmp_path):
    repository = tmp_path / "repository"
    server = serve(new_server, repository)
    api = server.api()
    generation = wait_for_generation(repository)
    aside = tmp_path / "aside"
    # A file in the place of the folder: every call of the target fails.
    repository.rename(aside)
    repository.write_bytes(b"")
    identities = [api.post("/1.1/classes/Note", json={"number": number}).json()["objectId"] for number in range(20)]
    assert eventually(lambda: any(name.startswith("backup_failures") for name in values(server, "lcfile_backup_failures_total")))
    assert eventually(lambda: values(server, "lcfile_backup_lag_seconds")[f"backup_lag_seconds {ALPHA.id}"] > 0)
    moment = time.time()
    repository.unlink()
    aside.rename(repository)
    identities.append(api.post("/1.1/classes/Note", json={}).json()["objectId"])
    wait_for_moment(generation, moment)
    database = tmp_path / "database.sqlite"
    database.write_bytes(replay(generation))
    with sqlite3.connect(database) as connection:
        text = "\n".join(connection.iterdump())
    assert [identity for identity in identities if identity not in text] == []


@pytest.mark.extended
def test_changes_beyond_the_limit_are_dropped_and_a_new_generation_has_them(new_server, tmp_path):
    repository = tmp_path / "repository"
    server = serve(new_server, repository, LCFILE_BACKUP_MAX_WAITING="100KB")
    api = server.api()
    wait_for_generation(repository)
    record = api.post("/1.1/classes/Note", json={"text": "x" * 120_000}).json()
    generation = wait_for_generation(repository, 2)
    assert record["objectId"].encode() in replay(generation)


@pytest.mark.extended
def test_each_start_begins_a_generation(new_server, tmp_path):
    repository = tmp_path / "repository"
    server = serve(new_server, repository)
    wait_for_generation(repository)
    record = server.api().store(b"bytes", name="a.txt")
    server.kill()
    server.start()
    generation = wait_for_generation(repository, 2)
    assert record["objectId"].encode() in replay(generation)
    assert any(name.split(".")[0] for name in named_blobs(generation))
