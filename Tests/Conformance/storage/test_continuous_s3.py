"""The continuous backup to a bucket of a real store: what a lost machine costs, also while a generation begins."""

import shutil
import time

import pytest
from backups import assert_succeeds, lcfile
from client import ALPHA, BETA, TIMEOUT, eventually
from s3_engine import BUCKET, S3Engine
from stalling import StallingProxy
from writers import Writers, assert_present, is_present

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = S3Engine(tmp_path_factory.mktemp("s3"))
    yield engine
    engine.close()


class Bucket:
    """The continuous backup in a prefix of the bucket."""

    def __init__(self, engine, prefix):
        self.client, self.prefix = engine.client, prefix
        self.url = f"s3://{BUCKET}/{prefix}"

    def names(self, end, app=ALPHA):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{self.prefix}/{app.id}/wal/")
        return sorted(entry["Key"] for page in pages for entry in page.get("Contents", ()) if entry["Key"].endswith(end))

    def generations(self):
        return [name.rsplit("/", 1)[0] for name in self.names("/manifest.json")]

    def first_generation(self):
        """The one of the start, when each app has one: a restore gives all apps back."""
        assert eventually(lambda: self.names("/manifest.json", BETA) and self.generations(), 4 * TIMEOUT)
        return self.generations()[0]

    def last_moment(self, generation):
        """The time of the last commit of the last segment in seconds since 1970."""
        names = [name for name in self.names(".segment") if name.startswith(generation)]
        return int(names[-1].rsplit("/", 1)[1].split("-")[1]) / 1000 if names else 0


def lose_and_restore(server, settings, bucket, new_server, tmp_path):
    """Kills the server, removes its folder, and starts one on what the bucket has; the time of the kill."""
    server.kill()
    killed = time.time()
    shutil.rmtree(server.storage)
    storage = tmp_path / "storage"
    assert_succeeds(lcfile("restore", "--storage", storage, bucket.url, **settings))
    return killed, new_server(storage=storage).start().api(master=True)


@pytest.mark.extended
def test_a_machine_lost_under_load_costs_what_came_after_the_last_segment(engine, new_server, tmp_path):
    bucket = Bucket(engine, "lost")
    server = new_server(LCFILE_BACKUP_TARGET=bucket.url, LCFILE_BACKUP_INTERVAL="1", **engine.settings).start()
    generation = bucket.first_generation()
    writers = Writers(server)
    assert eventually(lambda: len(writers.answers) > 100 and len(bucket.names(".segment")) > 2, 4 * TIMEOUT)
    killed, api = lose_and_restore(server, engine.settings, bucket, new_server, tmp_path)
    writers.end()
    moment = bucket.last_moment(generation)
    assert_present(api, [answer for answer in writers.answers if answer[0] < moment])
    later = [answer for answer in writers.answers if answer[0] >= moment]
    lost = [answer for answer in later if not is_present(api, answer)]
    seconds = killed - min((answer[0] for answer in lost), default=killed)
    print(f"lost: {len(lost)} of {len(writers.answers)} answers, those of the last {seconds:.1f} s")
    assert len(lost) < len(writers.answers) / 2


@pytest.mark.extended
def test_a_machine_lost_while_the_next_base_is_on_its_way_costs_no_more(engine, new_server, tmp_path):
    bucket = Bucket(engine, "renewed")
    proxy = StallingProxy(engine.endpoint, f"/{ALPHA.id}/wal/.*/base$", 2)
    settings = engine.settings | {"LCFILE_BACKUP_S3_ENDPOINT": proxy.endpoint}
    try:
        server = new_server(
            LCFILE_BACKUP_TARGET=bucket.url, LCFILE_BACKUP_INTERVAL="1", LCFILE_BACKUP_RENEW_AFTER_SIZE="100KB", **settings,
        ).start()
        api = server.api()
        generation = bucket.first_generation()
        answers = []

        def create(text):
            answer = api.post("/1.1/classes/Note", json={"text": text}).json()["objectId"]
            answers.append((time.time(), "object", answer, text))

        create("x" * 120_000)
        assert proxy.held.wait(4 * TIMEOUT), "no renewal"
        for number in range(3):
            create(f"{number}")
            record = api.store(b"%d" % number, name=f"{number}.txt")
            answers.append((time.time(), "file", record["objectId"], b"%d" % number))
            moment = time.time()
            api.post("/1.1/classes/Note", json={"text": "behind all of them"})
            # The generation before takes them, because the request for the next one is held.
            assert eventually(lambda: bucket.last_moment(generation) >= moment, 2 * TIMEOUT), "a change waits"
        assert bucket.generations() == [generation]
        _, restored = lose_and_restore(server, engine.settings, bucket, new_server, tmp_path)
        assert_present(restored, answers)
    finally:
        proxy.close()
