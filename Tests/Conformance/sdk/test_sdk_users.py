"""Users and their sessions with the official Python SDK, unmodified, as an app uses it."""

import re

import pytest
from sdk_people import with_people

TOKEN = re.compile(r"[0-9a-z]{25}")


@pytest.fixture
def run(sdk):
    yield from with_people(sdk)


# Signing up

@pytest.mark.smoke
def test_signed_up_user_is_logged_in_and_has_what_the_server_adds(run):
    seen = run(
        """
        user = User(city="Lyon")
        user.sign_up(new_name(), PASSWORD)
        say(token=user.session_token, city=user.get("city"), current=User.get_current() is user, is_current=user.is_current,
            verified=[user.get("emailVerified"), user.get("mobilePhoneVerified")], new=user.is_new(),
            dirty=user.is_dirty(), same_time=user.created_at == user.updated_at, authenticated=user.is_authenticated())
        """
    )
    assert TOKEN.fullmatch(seen.pop("token"))
    assert seen == {
        "city": "Lyon", "current": True, "is_current": True, "verified": [False, False], "new": False, "dirty": False,
        "same_time": True, "authenticated": True,
    }


def test_fetched_user_has_neither_password_nor_token(run):
    seen = run(
        """
        user = person(city="Lyon", email=new_email())
        same = of(user); same.fetch()
        say(fields=fields(same), name=same.get_username() == user.get_username(), token=same.session_token,
            email=same.get_email() == user.get_email())
        """
    )
    assert seen == {
        "fields": [
            "city", "createdAt", "email", "emailVerified", "mobilePhoneVerified", "objectId", "updatedAt", "username",
        ],
        "name": True, "token": None, "email": True,
    }


def test_save_of_a_new_user_signs_up_and_logs_in_only_if_told(run):
    seen = run(
        """
        quiet, loud = (User(username=new_name(), password=PASSWORD) for _ in range(2))
        quiet.save(); first = User.get_current()
        loud.save(make_current=True)
        say(first=first, tokens=[quiet.session_token, loud.session_token], second=User.get_current() is loud)
        """
    )
    assert all(map(TOKEN.fullmatch, seen.pop("tokens")))
    assert seen == {"first": None, "second": True}


def test_save_all_signs_up_each(run):
    seen = run(
        """
        users = [User(username=new_name(), password=PASSWORD) for _ in range(2)]
        User.save_all(users)
        say(tokens=[user.session_token for user in users], again=[log_in(u.get_username()).id == u.id for u in users])
        """
    )
    assert all(map(TOKEN.fullmatch, seen["tokens"]))
    assert seen["again"] == [True, True]


def test_user_without_a_username_gets_one(run):
    seen = run("user = User(email=new_email(), password=PASSWORD); user.save(); say(name=user.get_username())")
    assert re.fullmatch(r"[0-9A-Za-z]{25}", seen["name"])


@pytest.mark.few(3)
@pytest.mark.parametrize("fields, expected", [
    ("password=PASSWORD", 200), ("username=new_name()", 201),
    ("username=taken.get_username(), password=PASSWORD", 202),
    ("username=new_name(), password=PASSWORD, email=taken.get_email()", 203),
    ("username=new_name(), password=PASSWORD, mobilePhoneNumber=taken.get_mobile_phone_number()", 214),
    ("username='', password=PASSWORD", 217), ("username='  ', password=PASSWORD", 217),
    ("username=new_name(), password=''", 218),
    ("username=new_name(), password=PASSWORD, email='nonsense'", 125),
    ("username=new_name(), password=PASSWORD, mobilePhoneNumber='12-34'", 127),
    ("username=new_name(), password=PASSWORD, emailVerified=True", 117),
    ("username=new_name(), password=PASSWORD, mobilePhoneVerified=True", 117),
    ("username=new_name(), password=PASSWORD, _secret=1", 105),
])
def test_refused_sign_up(run, fields, expected):
    seen = run(
        f"""
        taken = person(email=new_email(), mobilePhoneNumber=new_phone())
        User.set_current(None)
        refused = User({fields})
        say(code=code(refused.save), id=refused.id)
        """
    )
    assert seen == {"code": expected, "id": None}


# Logging in

@pytest.mark.parametrize("call", [
    "login(user.get_username(), PASSWORD)", "login(email=user.get_email(), password=PASSWORD)",
    "login(user.get_username(), PASSWORD, email='other@example.org')",
    "login_with_mobile_phone(user.get_mobile_phone_number(), PASSWORD)",
])
def test_log_in(run, call):
    seen = run(
        f"""
        user = person(city="Lyon", email=new_email(), mobilePhoneNumber=new_phone())
        User.set_current(None)
        same = User()
        same = same.{call} or same
        say(id=same.id == user.id, city=same.get("city"), name=same.get_username() == user.get_username(),
            current=User.get_current() is same, token=same.session_token, authenticated=same.is_authenticated())
        """
    )
    assert TOKEN.fullmatch(seen.pop("token"))
    assert seen == {"id": True, "city": "Lyon", "name": True, "current": True, "authenticated": True}


@pytest.mark.few(3)
@pytest.mark.parametrize("call, expected", [
    ("login(user.get_username(), 'wrong')", 210), ("login(email=user.get_email(), password='wrong')", 210),
    ("login_with_mobile_phone(user.get_mobile_phone_number(), 'wrong')", 210),
    ("login(new_name(), PASSWORD)", 211), ("login(email=new_email(), password=PASSWORD)", 211),
    ("login_with_mobile_phone(new_phone(), PASSWORD)", 211), ("login(user.get_username().upper(), PASSWORD)", 211),
    ("login(password=PASSWORD)", 200), ("login(user.get_username())", 201),
])
def test_refused_log_in(run, call, expected):
    seen = run(
        f"""
        user = person(email=new_email(), mobilePhoneNumber=new_phone())
        User.set_current(None)
        say(code=code(lambda: User().{call}), current=User.get_current())
        """
    )
    assert seen == {"code": expected, "current": None}


@pytest.mark.single
@pytest.mark.parametrize("wrong, expected", [(6, None), (7, 219)])
def test_more_than_six_wrong_passwords_lock(run, wrong, expected):
    seen = run(
        """
        name = person().get_username()
        for _ in range(arguments["wrong"]): code(lambda: log_in(name, "wrong"))
        say(code=code(lambda: log_in(name)))
        """, wrong=wrong,
    )
    assert seen == {"code": expected}


def test_all_log_ins_have_the_same_token(run):
    seen = run(
        """
        users = [person()]
        users += [log_in(users[0].get_username()) for _ in range(2)]
        say(tokens=len({user.session_token for user in users}), valid=[user.is_authenticated() for user in users])
        """
    )
    assert seen == {"tokens": 1, "valid": [True, True, True]}


def test_user_that_logged_out_logs_in_again(run):
    seen = run(
        """
        user = person(city="Lyon")
        user.logout()
        user.login(password=PASSWORD)
        say(current=User.get_current() is user, city=user.get("city"), authenticated=user.is_authenticated())
        """
    )
    assert seen == {"current": True, "city": "Lyon", "authenticated": True}


def test_log_out_leaves_nobody_and_ends_no_token(run):
    seen = run(
        """
        user = person()
        user.logout()
        say(current=User.get_current(), is_current=user.is_current, code=code(user.set("city", "Oslo").save),
            authenticated=user.is_authenticated())
        """
    )
    assert seen == {"current": None, "is_current": False, "code": 206, "authenticated": True}
