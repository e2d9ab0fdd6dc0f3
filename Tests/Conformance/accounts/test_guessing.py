"""Guessing passwords: after too many failures the name is locked for a while, and answers reveal nothing."""

import pytest
from accounts import (
    MISMATCH, NO_USER, PASSWORD, is_live, log_in, new_email, new_phone, settings, sign_up, unique,
)
from client import Server, assert_refused, eventually
from data import at_once, batch

ALLOWED = 6
NAMES = ["username", "email", "mobilePhoneNumber"]


@pytest.fixture
def ann(api):
    return sign_up(api, email=new_email(), mobilePhoneNumber=new_phone())


def guess(api, times, **who):
    """The codes of wrong log-ins, one after the other."""
    return [log_in(api, f"wrong {number}", **who).json()["code"] for number in range(times)]


def lock(api, user):
    assert guess(api, ALLOWED + 1, username=user.username) == [210] * (ALLOWED + 1)


def assert_locked(api, password=PASSWORD, **who):
    assert_refused(log_in(api, password, **who), 400, 219)


@pytest.mark.parametrize("name", NAMES)
def test_six_failures_lock_nobody(api, ann, name):
    who = {name: ann.read()[name]}
    assert guess(api, ALLOWED, **who) == [210] * ALLOWED
    assert log_in(api, **who).status_code == 200


@pytest.mark.single
@pytest.mark.parametrize("name", NAMES)
def test_seven_failures_refuse_the_right_password(api, ann, name):
    who = {name: ann.read()[name]}
    assert guess(api, ALLOWED + 2, **who) == [210] * (ALLOWED + 1) + [219]
    assert_locked(api, **who)
    response = api.get("/1.1/login", params=who | {"password": PASSWORD})
    assert_refused(response, 400, 219)


@pytest.mark.single
def test_failures_of_all_names_of_a_user_count_together(api, ann):
    names = [{name: ann.read()[name]} for name in NAMES]
    codes = [code for number in range(ALLOWED + 1) for code in guess(api, 1, **names[number % 3])]
    assert codes == [210] * (ALLOWED + 1)
    for who in names:
        assert_locked(api, **who)


@pytest.mark.single
def test_forms_of_a_phone_number_count_together(api):
    number = new_phone("1")
    sign_up(api, mobilePhoneNumber=number)
    for form in (number, f"+86{number}") * 3 + (number,):
        assert guess(api, 1, mobilePhoneNumber=form) == [210]
    assert_locked(api, mobilePhoneNumber=f"+86{number}")


@pytest.mark.extended
def test_success_forgets_failures(api, ann):
    for _ in range(3):
        assert guess(api, ALLOWED, username=ann.username) == [210] * ALLOWED
        assert log_in(api, username=ann.username).status_code == 200


@pytest.mark.single
def test_old_password_counts_as_well(api, ann):
    def update(old):
        body = {"old_password": old, "new_password": "another"}
        return ann.api.call("PUT", f"{ann.path}/updatePassword", json=body)

    assert [update(f"wrong {number}").json()["code"] for number in range(ALLOWED + 1)] == [210] * (ALLOWED + 1)
    assert_refused(update(PASSWORD), 400, 219)
    assert_locked(api, username=ann.username)


def test_guesses_in_a_batch_count_as_well(api, ann):
    """A batch has no log-in, and may not become a way around the count."""
    item = {"method": "POST", "path": "/1.1/login", "body": {"username": ann.username, "password": "wrong"}}
    answered = [answer["error"]["code"] for answer in batch(api, *[item] * 40).json()]
    assert answered.count(210) <= ALLOWED + 1


def test_lock_is_of_one_user(api, ann):
    bob = sign_up(api)
    lock(api, ann)
    assert log_in(api, username=bob.username).status_code == 200


@pytest.mark.single
def test_lock_leaves_sessions_alone(api, ann):
    lock(api, ann)
    assert is_live(api, ann.token)
    assert ann.change({"n": 1}).status_code == 200
    assert_locked(api, username=ann.username)


@pytest.mark.single
@pytest.mark.parametrize("name, make", [*zip(NAMES, [unique, new_email, new_phone])])
def test_name_that_nobody_has_is_locked_alike(api, name, make):
    who = {name: make()}
    assert guess(api, ALLOWED + 2, **who) == [211] * (ALLOWED + 1) + [219]


@pytest.mark.parametrize("caller", ["master", "itself"])
def test_new_password_opens_the_lock(api, master, ann, caller):
    lock(api, ann)
    assert ann.change({"password": "another"}, by=master if caller == "master" else None).status_code == 200
    assert log_in(api, "another", username=ann.username).status_code == 200


@pytest.mark.single
def test_user_without_a_password_is_guessed_like_others(api):
    answer = api.post("/1.1/users", json={"authData": {"github": {"uid": unique()}}}).json()
    assert guess(api, ALLOWED + 2, username=answer["username"]) == [210] * (ALLOWED + 1) + [219]


# Settings

def test_unknown_users_are_hidden_if_it_is_set_so(new_server):
    api = new_server(**settings(hideUnknownUsers=True)).start().api()
    user = sign_up(api)
    unknown = [{"username": unique()}, {"email": new_email()}, {"mobilePhoneNumber": new_phone()}]
    for who in ({"username": user.username}, *unknown):
        response = log_in(api, "wrong", **who)
        assert (response.status_code, response.json()) == (400, MISMATCH)


def test_unknown_users_are_said_by_default(api):
    response = log_in(api, username=unique())
    assert (response.status_code, response.json()) == (400, NO_USER)


@pytest.mark.extended
@pytest.mark.parametrize("allowed", [1, 3])
def test_number_of_failures_is_a_setting(new_server, allowed):
    api = new_server(**settings(maxFailures=allowed)).start().api()
    ann, bob = sign_up(api), sign_up(api)
    assert guess(api, allowed, username=ann.username) == [210] * allowed
    assert log_in(api, username=ann.username).status_code == 200
    assert guess(api, allowed + 1, username=bob.username) == [210] * (allowed + 1)
    assert_locked(api, username=bob.username)


@pytest.mark.extended
def test_lock_opens_after_its_time(new_server):
    # A failure counts for that time as well, so few of them must come within it.
    api = new_server(**settings(maxFailures=1, lockoutTime=3)).start().api()
    user = sign_up(api)
    assert guess(api, 2, username=user.username) == [210] * 2
    assert_locked(api, username=user.username)
    assert eventually(lambda: log_in(api, username=user.username).status_code == 200)


# Many at once

@pytest.mark.extended
@pytest.mark.single
@pytest.mark.parametrize("who, code", [("user", 210), ("unknown", 211)])
def test_guesses_at_once_reveal_no_more(server, ann, who, code):
    name = ann.username if who == "user" else unique()
    codes = at_once(lambda number: guess(server.api(), 1, username=name)[0], 20, workers=20)
    assert set(codes) == {code, 219}
    assert codes.count(code) == ALLOWED + 1
    assert_locked(server.api(), username=name)


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """A server that compares one password after the other, each for some time."""
    server = Server(tmp_path_factory.mktemp("slow"), **settings(passwordCost=13, passwordThreads=1)).start()
    yield server
    assert server.stop() == 0


@pytest.mark.extended
@pytest.mark.alone
def test_right_guess_that_waits_behind_wrong_ones_is_refused(slow):
    user = sign_up(slow.api())
    answered = []

    def send(number):
        if number == 30:
            assert eventually(lambda: len(answered) >= 3)
            return log_in(slow.api(), username=user.username).json()["code"]
        code, = guess(slow.api(), 1, username=user.username)
        answered.append(code)
        return code

    *wrong, right = at_once(send, 31, workers=31)
    assert wrong.count(210) == ALLOWED + 1
    assert right == 219
