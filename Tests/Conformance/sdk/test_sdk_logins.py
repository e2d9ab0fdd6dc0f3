"""Third-party log-ins with the official Python SDK, unmodified, and what needs mails and SMS."""

import re

import pytest
from client import ALPHA
from sdk_people import with_people

GITHUB = """
def github(): return {"uid": new_name(), "access_token": "t"}
def platforms(user):
    same = User.become(user.session_token)
    return sorted(same.get("authData") or {})
"""


@pytest.fixture
def run(sdk):
    yield from with_people(sdk, more=GITHUB)


def test_first_log_in_with_a_platform_signs_up(run):
    seen = run(
        """
        data = github()
        user = User.login_with("github", data)
        say(name=user.get_username(), linked=user.is_linked("github"), current=User.get_current() is user,
            authenticated=user.is_authenticated(), stored=user.get("authData") == {"github": data})
        """
    )
    assert re.fullmatch(r"[0-9A-Za-z]{25}", seen.pop("name"))
    assert seen == {"linked": True, "current": True, "authenticated": True, "stored": True}


@pytest.mark.parametrize("platform, identity", [
    ("github", "uid"), ("weixin", "openid"), ("qq", "openid"), ("anonymous", "id"),
])
def test_log_in_with_the_same_identity_is_the_same_user(run, platform, identity):
    seen = run(
        """
        platform, data = arguments["platform"], {arguments["identity"]: new_name()}
        user = User.login_with(platform, dict(data)); user.set("city", "Lyon").save()
        User.set_current(None)
        same = User.login_with(platform, dict(data))
        say(id=same.id == user.id, city=same.get("city"), same_token=same.session_token == user.session_token)
        """, platform=platform, identity=identity,
    )
    assert seen == {"id": True, "city": "Lyon", "same_token": True}


def test_log_in_replaces_the_stored_data(run):
    seen = run(
        """
        data = github()
        User.login_with("github", data | {"old": 1}); User.set_current(None)
        user = User.become(User.login_with("github", data | {"access_token": "u"}).session_token)
        say(stored=user.get("authData") == {"github": data | {"access_token": "u"}})
        """
    )
    assert seen == {"stored": True}


@pytest.mark.parametrize("platform, data", [
    ("github", {}), ("github", {"id": "x"}), ("weixin", {"id": "x"}), ("qq", {"id": "x"}), ("anonymous", {"uid": "x"}),
])
def test_identity_that_is_missing_raises_250(run, platform, data):
    lines = "say(code=code(lambda: User.login_with(arguments['platform'], arguments['data'])), now=User.get_current())"
    assert run(lines, platform=platform, data=data) == {"code": 250, "now": None}


def test_linked_platform_logs_in(run):
    seen = run(
        """
        data = github(); user = person()
        user.link_with("github", dict(data))
        User.set_current(None)
        say(id=User.login_with("github", data).id == user.id, linked=user.is_linked("github"),
            password=log_in(user.get_username()).id == user.id)
        """
    )
    assert seen == {"id": True, "linked": True, "password": True}


def test_link_leaves_platforms_that_it_does_not_name(run):
    seen = run(
        """
        user = User.login_with("github", github())
        of(user).link_with("qq", {"openid": new_name()})
        say(platforms=platforms(user))
        """
    )
    assert seen == {"platforms": ["github", "qq"]}


def test_identity_of_another_user_raises_137(run):
    seen = run(
        """
        data = github(); ann = User.login_with("github", dict(data))
        bob = person()
        say(code=code(lambda: bob.link_with("github", dict(data))), platforms=platforms(bob),
            ann=User.login_with("github", data).id == ann.id)
        """
    )
    assert seen == {"code": 137, "platforms": [], "ann": True}


def test_link_to_another_user_raises_206(run):
    seen = run(
        """
        data = github(); ann = person(); bob = person()
        say(code=code(lambda: of(ann).link_with("github", dict(data))), platforms=platforms(ann))
        """
    )
    assert seen == {"code": 206, "platforms": []}


def test_unlinked_platform_is_gone_and_the_others_stay(run):
    seen = run(
        """
        data = github(); user = person()
        user.link_with("github", dict(data)); user.link_with("qq", {"openid": new_name()})
        user.unlink_from("github")
        linked = [user.is_linked("github"), user.is_linked("qq")]
        stored = platforms(user)
        User.set_current(None)
        say(linked=linked, stored=stored, other=User.login_with("github", data).id != user.id)
        """
    )
    assert seen == {"linked": [False, True], "stored": ["qq"], "other": True}


def test_anonymous_goes_when_a_platform_is_linked(run):
    seen = run(
        """
        id = new_name(); user = User.login_with("anonymous", {"id": id})
        user.link_with("github", github())
        stored = platforms(user)
        User.set_current(None)
        say(stored=stored, other=User.login_with("anonymous", {"id": id}).id != user.id)
        """
    )
    assert seen == {"stored": ["github"], "other": True}


def test_anonymous_goes_when_username_and_password_are_set(run):
    seen = run(
        """
        id = new_name(); user = User.login_with("anonymous", {"id": id}); name = new_name()
        same = of(user); same.set_username(name); same.set_password(PASSWORD); same.save()
        User.set_current(None)
        stored = platforms(log_in(name))
        User.set_current(None)
        say(same=log_in(name).id == user.id, stored=stored, other=User.login_with("anonymous", {"id": id}).id != user.id)
        """
    )
    assert seen == {"same": True, "stored": [], "other": True}


def test_platforms_are_hidden_from_others_and_shown_to_master(run, sdk):
    seen = run(
        """
        user = User.login_with("github", github())
        def shown():
            same = of(user); same.fetch()
            return sorted(same.get("authData") or {})
        itself = shown(); person(); other = shown(); User.set_current(None)
        say(id=user.id, itself=itself, other=other, guest=shown())
        """
    )
    lines = "user = leancloud.User.query.get(arguments['user']); say(platforms=sorted(user.get('authData')))"
    assert sdk(lines, master=ALPHA.master, user=seen.pop("id")) == {"platforms": ["github"]}
    assert seen == {"itself": ["github"], "other": [], "guest": []}


@pytest.mark.each_value
@pytest.mark.parametrize("call", [
    "User.request_password_reset('ann@example.org')",
    "User.request_mobile_phone_verify('+33600000000')", "User.request_password_reset_by_sms_code('+33600000000')",
    "User.reset_password_by_sms_code('123456', 'changed', '+33600000000')",
    "User.request_change_phone_number('+33600000000')", "User.change_phone_number('123456', '+33600000000')",
    "User.verify_mobile_phone_number('123456', '+33600000000')", "User.request_login_sms_code('+33600000000')",
    "User.signup_or_login_with_mobile_phone('+33600000000', '123456')",
    "leancloud.cloud.request_sms_code('+33600000000')", "leancloud.cloud.verify_sms_code('+33600000000', '123456')",
    "leancloud.cloud.request_captcha()", "leancloud.cloud.verify_captcha('abcd', 'token')",
])
@pytest.mark.parametrize("user", ["None", "person()"], ids=["guest", "user"])
def test_what_needs_mails_or_sms_raises_119(run, call, user):
    assert run(f"User.set_current({user}); say(code=code(lambda: {call}))") == {"code": 119}


@pytest.mark.parametrize("user", ["None", "person()"], ids=["guest", "user"])
def test_verification_of_an_address_without_a_mail_server_raises_1(run, user):
    call = "User.request_email_verify('ann@example.org')"
    assert run(f"User.set_current({user}); say(code=code(lambda: {call}))") == {"code": 1}
