"""What a session lets a user do, with the official Python SDK, unmodified, as an app uses it."""

import pytest
from client import ALPHA
from people import NO_SESSION
from sdk_people import with_people


@pytest.fixture
def run(sdk):
    yield from with_people(sdk)


# Tokens

def test_become(run):
    seen = run(
        """
        user = person(city="Lyon")
        User.set_current(None)
        same = User.become(user.session_token)
        say(id=same.id == user.id, city=same.get("city"), token=same.session_token == user.session_token,
            current=User.get_current() is same, code=code(same.set("city", "Oslo").save))
        """
    )
    assert seen == {"id": True, "city": "Lyon", "token": True, "current": True, "code": None}


def test_become_another_user_than_the_one_logged_in(run):
    assert run("ann = person(); bob = person(); say(ann=User.become(ann.session_token).id == ann.id)") == {"ann": True}


@pytest.mark.parametrize("token", ["''", "'x' * 25", "user.session_token.upper()", "user.session_token + 'x'", "user.id"])
def test_become_with_a_token_that_is_none_raises_211(run, token):
    lines = f"user = person(); User.set_current(None); say(code=code(lambda: User.become({token})), now=User.get_current())"
    assert run(lines) == {"code": 211, "now": None}


@pytest.mark.parametrize("user, expected", [
    ("User()", False), ("User(sessionToken='x' * 25)", False), ("person()", True), ("of(person())", False),
])
def test_is_authenticated(run, user, expected):
    assert run(f"say(authenticated={user}.is_authenticated())") == {"authenticated": expected}


def test_refreshed_token_is_new_and_valid(run):
    seen = run(
        """
        user = person(); old = user.session_token
        user.refresh_session_token()
        say(changed=user.session_token != old, authenticated=user.is_authenticated(), code=code(user.set("n", 1).save))
        """
    )
    assert seen == {"changed": True, "authenticated": True, "code": None}


def test_refresh_ends_all_other_tokens(run):
    seen = run(
        """
        user = person(); others = [User.become(user.session_token), log_in(user.get_username())]
        User.set_current(user)
        user.refresh_session_token()
        say(valid=[other.is_authenticated() for other in others])
        """
    )
    assert seen == {"valid": [False, False]}


def test_refresh_on_one_device_ends_the_token_of_the_other(run):
    seen = run(
        """
        name = person().get_username(); phone, tablet = log_in(name), log_in(name)
        same = phone.session_token == tablet.session_token
        User.set_current(phone); phone.refresh_session_token()
        ended = not tablet.is_authenticated()
        tablet.login(name, PASSWORD)
        say(same=same, ended=ended, again=tablet.session_token == phone.session_token,
            authenticated=phone.is_authenticated() and tablet.is_authenticated())
        """
    )
    assert seen == {"same": True, "ended": True, "again": True, "authenticated": True}


def test_refresh_of_somebody_elses_token_raises_206(run):
    seen = run("ann = person(); bob = person(); say(code=code(ann.refresh_session_token), ann=ann.is_authenticated())")
    assert seen == {"code": 206, "ann": True}


# Passwords

def test_update_password_gives_a_new_token(run):
    seen = run(
        """
        user = person(); old = user.session_token
        user.update_password(PASSWORD, "changed")
        say(changed=user.session_token != old, authenticated=user.is_authenticated(), current=User.get_current() is user)
        """
    )
    assert seen == {"changed": True, "authenticated": True, "current": True}


def test_update_password_ends_all_other_tokens(run):
    seen = run(
        """
        user = person(); others = [User.become(user.session_token), log_in(user.get_username())]
        User.set_current(user)
        user.update_password(PASSWORD, "changed")
        say(valid=[other.is_authenticated() for other in others])
        """
    )
    assert seen == {"valid": [False, False]}


def test_saved_password_gives_a_new_token(run):
    seen = run(
        """
        user = person(); old = user.session_token
        user.set_password("changed"); user.save()
        say(changed=user.session_token != old, authenticated=user.is_authenticated(), code=code(user.set("n", 1).save),
            old=User(sessionToken=old).is_authenticated(), fields=user.has("sessionToken"))
        """
    )
    assert seen == {"changed": True, "authenticated": True, "code": None, "old": False, "fields": False}


@pytest.mark.parametrize("change", [
    "user.update_password(PASSWORD, 'changed')", "user.set_password('changed'); user.save()",
])
def test_changed_password_replaces_the_old_one(run, change):
    seen = run(
        f"""
        user = person(); name = user.get_username()
        {change}
        User.set_current(None)
        say(old=code(lambda: log_in(name)), new=code(lambda: log_in(name, "changed")))
        """
    )
    assert seen == {"old": 210, "new": None}


def test_update_password_with_a_wrong_old_one_raises_210(run):
    seen = run(
        """
        user = person()
        say(code=code(lambda: user.update_password("wrong", "changed")), authenticated=user.is_authenticated(),
            old=code(lambda: log_in(user.get_username())))
        """
    )
    assert seen == {"code": 210, "authenticated": True, "old": None}


@pytest.mark.parametrize("caller", ["None", "person()"])
def test_update_of_somebody_elses_password_raises_206(run, caller):
    seen = run(
        f"""
        ann = person()
        User.set_current({caller})
        say(code=code(lambda: ann.update_password(PASSWORD, "changed")), old=code(lambda: log_in(ann.get_username())))
        """
    )
    assert seen == {"code": 206, "old": None}


# Changes

def test_user_changes_its_own_fields(run):
    seen = run(
        """
        user = person(n=1, city="Lyon", tags=["a"], gone=1); name = new_name(); email = new_email()
        user.increment("n", 2).set("city", "Oslo").add("tags", "b").unset("gone").set_username(name).set_email(email)
        user.save()
        same = of(user); same.fetch()
        say(n=same.get("n"), city=same.get("city"), tags=same.get("tags"), gone=same.has("gone"),
            name=same.get_username() == name, email=same.get_email() == email, later=same.updated_at > same.created_at,
            authenticated=user.is_authenticated())
        """
    )
    assert seen == {
        "n": 3, "city": "Oslo", "tags": ["a", "b"], "gone": False, "name": True, "email": True, "later": True,
        "authenticated": True,
    }


CALLERS = {"guest": "None", "other": "person()", "stale": "User(sessionToken='x' * 25)"}


@pytest.mark.few(3)
@pytest.mark.parametrize("caller", CALLERS.values(), ids=CALLERS)
@pytest.mark.parametrize("call", [
    "of(ann).set('city', 'Oslo').save", "of(ann).set('password', 'changed').save", "of(ann).destroy",
    "lambda: User.save_all([of(ann).set('city', 'Oslo')])", "lambda: User.destroy_all([of(ann)])",
])
def test_change_of_another_user_raises_206(run, call, caller):
    seen = run(
        f"""
        ann = person(city="Lyon")
        User.set_current({caller})
        refused = refusal({call})
        User.set_current(None)
        say(refused=refused, city=log_in(ann.get_username()).get("city"))
        """
    )
    assert seen == {"refused": NO_SESSION, "city": "Lyon"}


@pytest.mark.few(3)
@pytest.mark.parametrize("change, expected", [
    ("set_username(other.get_username())", 202), ("set_email(other.get_email())", 203),
    ("set_mobile_phone_number(other.get_mobile_phone_number())", 214), ("set_username('')", 217),
    ("set_password('')", 218), ("set_email('nonsense')", 125), ("set_mobile_phone_number('12-34')", 127),
    ("set('emailVerified', True)", 117), ("set('mobilePhoneVerified', True)", 117),
])
def test_refused_change(run, change, expected):
    seen = run(
        f"""
        other = person(email=new_email(), mobilePhoneNumber=new_phone()); user = person(); name = user.get_username()
        user.{change}
        refused = code(user.save)
        say(code=refused, name=log_in(name).id == user.id)
        """
    )
    assert seen == {"code": expected, "name": True}


def test_destroyed_user_is_gone_with_its_session(run):
    seen = run(
        """
        user = person()
        user.destroy()
        say(authenticated=user.is_authenticated(), code=code(lambda: log_in(user.get_username())))
        """
    )
    assert seen == {"authenticated": False, "code": 211}


def test_master_key_changes_and_destroys_any_user(run, sdk):
    id = run("say(id=person(city='Lyon').id)")["id"]
    lines = """
        user = leancloud.User.create_without_data(arguments["user"])
        user.set("city", "Oslo").save(); user.fetch(); user.destroy()
        say(city=user.get("city"), left=leancloud.User.query.equal_to("objectId", user.id).count())
        """
    assert sdk(lines, master=ALPHA.master, user=id) == {"city": "Oslo", "left": 0}
