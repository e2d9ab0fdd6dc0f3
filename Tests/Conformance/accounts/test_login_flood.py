"""A flood of log-ins waits for itself, and beyond a bound is refused; everything else goes on."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from accounts import PASSWORD, User, log_in, settings, sign_up, unique, with_session
from client import TIMEOUT, Server, assert_refused, eventually
from data import at_once, batch

pytestmark = pytest.mark.alone

LOG_INS = 64
WAITING = 24


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """A server that compares one password after the other and lets some wait."""
    options = settings(passwordCost=12, passwordThreads=1, maxQueuedPasswords=WAITING)
    server = Server(tmp_path_factory.mktemp("busy"), **options).start()
    yield server
    assert server.stop() == 0


@pytest.mark.extended
def test_flood_of_log_ins_is_answered_while_uploads_go_on(busy):
    users = [sign_up(busy.api()) for _ in range(8)]
    answered = threading.Event()
    during = []

    def send(number):
        password = PASSWORD if number // 8 % 2 else "wrong"
        return log_in(busy.api(), password, username=users[number % 8].username)

    with ThreadPoolExecutor(1) as pool:
        flood = pool.submit(at_once, send, LOG_INS, LOG_INS)
        flood.add_done_callback(lambda _: answered.set())
        api = busy.api()
        while not answered.is_set():
            record = api.store(b"meanwhile", name="x.txt")
            health = requests.get(f"{busy.url}/health", timeout=TIMEOUT).status_code
            found = api.get("/1.1/classes/_File?limit=1").status_code
            if not answered.is_set():
                during.append((health, found, api.fetch(record["url"]).content))
    statuses = [response.status_code for response in flood.result()]
    assert len(during) >= 5 and set(during) == {(200, 200, b"meanwhile")}
    assert {response.json()["code"] for response in flood.result() if response.status_code == 400} == {210}
    assert set(statuses) == {200, 400, 429}
    assert statuses.count(429) <= LOG_INS - WAITING


def test_refusal_says_that_too_many_wait(busy):
    responses = at_once(lambda _: log_in(busy.api(), username=unique()), LOG_INS, LOG_INS)
    refused = [response for response in responses if response.status_code == 429]
    assert refused, "names that nobody has must be compared as well"
    for response in refused:
        assert_refused(response, 429, 429)
        assert int(response.headers["Retry-After"]) > 0


def imported(server, count):
    """Users with a session, for whom no password was hashed."""
    rows = [{"objectId": unique("id"), "username": unique(), "sessionToken": unique("imported1")} for _ in range(count)]
    requests = [{"method": "POST", "path": "/1.1/users", "body": row} for row in rows]
    assert all("success" in answer for answer in batch(server.api(master=True), *requests).json())
    callers = [with_session(server.api(), row["sessionToken"]) for row in rows]
    return [User(row["objectId"], row["sessionToken"], row["username"], by) for row, by in zip(rows, callers)]


@pytest.mark.extended
@pytest.mark.parametrize("call", ["sign-up", "change"])
def test_flood_of_new_passwords_is_refused_alike(busy, call):
    # A change ends the session of its user, so each user makes one.
    users = imported(busy, LOG_INS)

    def send(number):
        if call == "change":
            return users[number].change({"password": PASSWORD})
        return busy.api().post("/1.1/users", json={"username": unique(), "password": PASSWORD})

    statuses = {response.status_code for response in at_once(send, LOG_INS, LOG_INS)}
    assert statuses == {200 if call == "change" else 201, 429}


@pytest.mark.extended
def test_flood_of_the_master_key_always_waits(busy):
    user = sign_up(busy.api())
    answers = at_once(lambda _: user.change({"password": PASSWORD}, by=busy.api(master=True)), LOG_INS, LOG_INS)
    assert {answer.status_code for answer in answers} == {200}


@pytest.mark.extended
def test_flood_of_one_address_delays_log_ins_at_others_by_few_passwords(new_server):
    server = new_server(**settings(passwordCost=13, passwordThreads=1, maxQueuedPasswords=WAITING)).start()
    user, answers = sign_up(server.api()), []

    def flood(_):
        answers.append(log_in(server.api().at("127.0.0.2"), username=unique()).status_code)

    with ThreadPoolExecutor(1) as pool:
        flooding = pool.submit(at_once, flood, LOG_INS, LOG_INS)
        assert eventually(lambda: 429 in answers)
        assert log_in(server.api(), username=user.username).status_code == 200
        assert user.change({"password": PASSWORD}, by=server.api(master=True)).status_code == 200
        # Both overtook the queue, which was full.
        assert len(answers) < LOG_INS
        flooding.result()
    assert set(answers) == {400, 429}


@pytest.mark.extended
def test_log_in_works_after_the_flood(busy):
    user = sign_up(busy.api())
    at_once(lambda _: log_in(busy.api(), username=unique()), LOG_INS, LOG_INS)
    assert log_in(busy.api(), username=user.username).status_code == 200
