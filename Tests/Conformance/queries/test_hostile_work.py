"""Requests of a client with the app key that cost a server all its time or memory, unless their work is bounded."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import quote

import pytest
from client import ALPHA, eventually
from data import batch
from hostile import MB, is_idle, memory, processor
from queries import put as put_rows

pytestmark = pytest.mark.alone

# Seconds: queries.timeout in these tests, and what an answer may take beyond it, which leaves room for a debug build
# on a busy machine. Without bounds these requests take many times as long.
DEADLINE = 2
MARGIN = 6
# For a client that asks for something cheap meanwhile.
VICTIM_WAIT = 2
MEMORY = 512 * MB
# So that a server without bounds does not take the machine's memory.
KILLED_ABOVE = 1500 * MB

SUCCESS = None
NO_EFFECT = 305
# A query beyond queries.timeout; a condition whose cost is refused beforehand; a pattern that takes too many steps.
TOO_SLOW, TOO_COSTLY, TOO_MANY_STEPS = 124, 107, 1


@pytest.fixture
def server(new_server):
    server = new_server(LCFILE_QUERIES_TIMEOUT=str(DEADLINE)).start()
    with killed_above(KILLED_ABOVE, server):
        yield server
    assert server.process.poll() is None, f"the server ended by itself: {server.errors[-2000:]}"
    assert memory(server, "VmHWM") < MEMORY
    assert server.stop() == 0


@contextmanager
def killed_above(limit, server):
    ended = threading.Event()

    def watch():
        # The step between two looks.
        while not ended.wait(0.05):
            if server.process.poll() is None and memory(server) > limit:
                server.kill()

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join()


class Attack:
    """Requests that run at once, and what a victim waits for meanwhile."""

    def __init__(self, server):
        self.server = server
        self.victim = server.api()
        self.path = f"/1.1/classes/Victim/{self.create('Victim', {'n': 1})}"

    def create(self, name, fields):
        response = self.victim.post(f"/1.1/classes/{name}", json=fields)
        assert response.status_code == 201, response.text
        return response.json()["objectId"]

    def run(self, *calls):
        """The answers to the calls, each of which gets connections of its own."""
        with ThreadPoolExecutor(len(calls)) as pool:
            began = time.monotonic()
            jobs = [pool.submit(self.timed, call) for call in calls]
            waits = [self.victimized()]
            while not all(job.done() for job in jobs):
                waits.append(self.victimized())
                assert time.monotonic() - began < 4 * (DEADLINE + MARGIN), "there are no answers"
        assert max(waits) < VICTIM_WAIT, f"a client waited {max(waits):.1f} s"
        answers, times = zip(*[job.result() for job in jobs])
        assert max(times) < DEADLINE + MARGIN, f"an answer took {max(times):.1f} s"
        return answers

    def timed(self, call):
        began = time.monotonic()
        return call(self.server.api()), time.monotonic() - began

    def victimized(self):
        """How long the slower of a read and an insert took."""
        times = [time.monotonic()]
        assert self.victim.get(self.path).json()["n"] == 1
        times.append(time.monotonic())
        self.create("Inserted", {"n": 1})
        times.append(time.monotonic())
        return max(times[1] - times[0], times[2] - times[1])


@pytest.fixture
def attack(server):
    return Attack(server)


def put(path, where):
    """A change with a condition in its URL."""
    url = f"{path}?where={quote(json.dumps(where, separators=(',', ':')), safe=':,[]$')}"
    return lambda api: api.call("PUT", url, json={"n": 1})


def batched(path, where):
    """The same as the only request of a batch."""
    return lambda api: batch(api, {"method": "PUT", "path": path, "params": {"where": where}, "body": {"n": 1}})


def found(name, where):
    url = f"/1.1/classes/{name}?where={quote(json.dumps(where, separators=(',', ':')), safe=':,[]$')}"
    return lambda api: api.call("GET", url)


def code(response):
    """The code of a refusal, alone or as the only answer of a batch; checks that it names the setting."""
    body = response.json()
    body = body[0] if isinstance(body, list) else body
    error = body.get("error") if isinstance(body.get("error"), dict) else body
    refused = error.get("code", SUCCESS)
    assert response.status_code in (200, 400), response.text[:500]
    if refused == TOO_SLOW:
        assert "queries.timeout" in error["error"]
    if refused == TOO_COSTLY:
        assert "queries." in error["error"]
    return refused


# Memory: lists of values that each open the array again

MANY = list(range(20_000))


def all_of(count):
    """Five lists of values that are all there."""
    return {"$and": [{"a": {"$all": list(range(first, first + count))}} for first in range(0, 10_000, 2000)]}


@pytest.mark.parametrize("way, count", [(put, 2900), (batched, 10_000)])
def test_condition_on_many_values_of_an_array_takes_little_memory(attack, way, count):
    path = f"/1.1/classes/Values/{attack.create('Values', {'a': MANY})}"
    answer, = attack.run(way(path, all_of(count)))
    assert code(answer) in (SUCCESS, TOO_SLOW, TOO_COSTLY)


def test_query_for_many_values_of_an_array_takes_little_memory(attack):
    attack.create("Values", {"a": MANY})
    answer, = attack.run(found("Values", all_of(2900)))
    assert code(answer) in (SUCCESS, TOO_SLOW, TOO_COSTLY)


@pytest.mark.parametrize("test", ["$ne", "$size", "$regex", "$gt", "$exists"])
def test_query_of_many_tests_keeps_few_copies_of_an_object(attack, server, test):
    path = {"$ne": "o.n", "$size": "a", "$regex": "s", "$gt": "n", "$exists": "missing"}[test]
    value = (lambda number: f"b{number}") if test == "$regex" else (lambda number: number)
    attack.create("Values", {"o": {"n": 0}, "a": [], "s": "a" * 120_000, "n": 0})
    # So many that a debug build evaluates them within the deadline, also on a busy machine.
    count = 400
    attack.run(found("Values", {"n": 1}))
    before = memory(server, "VmHWM")
    conditions = [{path: {test: True if test == "$exists" else value(1 + number)}} for number in range(count)]
    answer, = attack.run(found("Values", {"$and" if test == "$ne" else "$or": conditions}))
    assert code(answer) == SUCCESS
    # Copies for all of them take 48 MB.
    assert memory(server, "VmHWM") < before + 30 * MB


# The only writer: a condition that takes long

def any_of(count):
    """Lists of values that are not there."""
    return {"$or": [{"a": {"$in": [number]}} for number in range(10, 10 + count)]}


@pytest.mark.extended
@pytest.mark.parametrize("way", [put, batched])
def test_slow_condition_of_a_change_keeps_no_writer_waiting(attack, way):
    path = f"/1.1/classes/Digits/{attack.create('Digits', {'a': [number % 10 for number in range(60_000)]})}"
    answers = attack.run(*[way(path, any_of(900))] * 2)
    assert {code(answer) for answer in answers} <= {NO_EFFECT, TOO_SLOW, TOO_COSTLY}


@pytest.mark.extended
def test_batch_of_slow_conditions_has_one_deadline(attack):
    path = f"/1.1/classes/Digits/{attack.create('Digits', {'a': [number % 10 for number in range(60_000)]})}"
    item = {"method": "PUT", "path": path, "params": {"where": any_of(900)}, "body": {"n": 1}}
    answer, = attack.run(lambda api: batch(api, *[item] * 20))
    assert answer.status_code in (200, 400)
    answers = answer.json() if answer.status_code == 200 else [{"error": answer.json()}]
    assert {item["error"]["code"] for item in answers} <= {NO_EFFECT, TOO_SLOW, TOO_COSTLY}


# Values that a set or a path finds at a cost

def test_objects_whose_values_are_equal_keep_no_writer_waiting(attack):
    path = f"/1.1/classes/Alike/{attack.create('Alike', {'a': [{'x': n, 'y': n} for n in range(1200)]})}"
    changes = [{"__op": "AddUnique", "objects": [0]}, {"__op": "Remove", "objects": [0]}] * 10
    answer, = attack.run(lambda api: api.call("PUT", path, json={"a": {"__op": "Batch", "ops": changes}}))
    assert answer.status_code == 200, answer.text[:500]


def in_many_ways(count):
    """Numbers to which a path of 19 indexes leads in thousands of ways."""
    value = [{"0": number} for number in range(count)]
    for _ in range(13):
        value = [{"0": value}]
    return value


INDEXES = "a" + ".0" * 19


def test_path_of_indexes_takes_the_time_of_reading_the_field(attack):
    attack.create("Nested", {"a": in_many_ways(10_000)})
    answer, = attack.run(found("Nested", {INDEXES: -1}))
    assert code(answer) == SUCCESS and answer.json()["results"] == []


def test_path_of_indexes_in_a_condition_keeps_no_writer_waiting(attack):
    path = f"/1.1/classes/Nested/{attack.create('Nested', {'a': in_many_ways(10_000)})}"
    answer, = attack.run(put(path, {INDEXES: -1}))
    assert code(answer) == NO_EFFECT


def test_path_of_indexes_in_a_live_query_keeps_no_subscriber_waiting(attack, server):
    path = f"/1.1/classes/Nested/{attack.create('Nested', {'a': in_many_ways(1500)})}"
    api = server.api()
    query = {"query": {"className": "Nested", "where": {INDEXES: -1}}, "id": "subscriber"}
    assert api.post("/1.1/LiveQuery/subscribe", json=query).status_code == 200
    assert api.call("PUT", path, json={"b": 1}).status_code == 200
    began = time.monotonic()
    assert api.post("/1.1/LiveQuery/subscribe", json=query).status_code == 200
    assert time.monotonic() - began < VICTIM_WAIT


def test_many_hidden_names_take_the_time_of_the_object(attack):
    for _ in range(3):
        attack.create("Empty", {"a": [{}] * 40_000})
    keys = ",".join(f"-a.b{number}" for number in range(900))
    answer, = attack.run(lambda api: api.call("GET", f"/1.1/classes/Empty?keys={keys}"))
    assert [len(found["a"]) for found in answer.json()["results"]] == [40_000] * 3


# Regular expressions: one that begins anew at each character

TEXT = "a" * 50_000 + "!"
PATTERN = {"s": {"$regex": r"\p{L}+$", "$options": "ims"}}


@pytest.mark.extended
def test_slow_patterns_of_queries_keep_no_reader_waiting(attack):
    attack.create("Text", {"s": TEXT})
    answers = attack.run(*[found("Text", PATTERN)] * 4)
    assert {code(answer) for answer in answers} <= {SUCCESS, TOO_SLOW, TOO_MANY_STEPS}
    assert all(answer.json().get("results", []) == [] for answer in answers)


def test_slow_pattern_of_a_change_keeps_no_writer_waiting(attack):
    path = f"/1.1/classes/Text/{attack.create('Text', {'s': TEXT})}"
    answer, = attack.run(put(path, PATTERN))
    assert code(answer) in (NO_EFFECT, TOO_SLOW, TOO_MANY_STEPS)


# Clients that leave

# Each match is cheap; 900 of them for each of 2000 rows are not.
MANY_PATTERNS = {"$or": [{"s": {"$regex": f"a.*b\\d{number}"}} for number in range(900)]}


@contextmanager
def slow_query(server):
    """A query that runs until its client leaves, which is when the body ends."""
    put_rows(server.api(), "Rows", [{"s": "a" * 100 + "b"}] * 2000)
    control = {"_method": "GET", "_ApplicationId": ALPHA.id, "_ApplicationKey": ALPHA.key}
    body = json.dumps(control | {"where": MANY_PATTERNS, "limit": 0, "count": 1}).encode()
    head = "POST /1.1/classes/Rows HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n"
    before = processor(server)
    with server.raw() as client:
        client.send((head % len(body)).encode() + body)
        assert eventually(lambda: processor(server) > before + 1, within=60)
        yield


@pytest.mark.extended
def test_slow_query_ends_when_its_client_leaves(new_server):
    server = new_server(LCFILE_QUERIES_TIMEOUT="600").start()
    with slow_query(server):
        pass
    assert eventually(lambda: is_idle(server), within=60)


@pytest.mark.extended
def test_slow_query_that_goes_on_keeps_no_quick_one_waiting(new_server):
    # Two readers: one quick query, which becomes the slow one, and room for another.
    server = new_server(LCFILE_QUERIES_TIMEOUT="600", LCFILE_DATABASE_READERS="2").start()
    with slow_query(server):
        assert len(server.api().get("/1.1/classes/Rows?limit=1").json()["results"]) == 1
