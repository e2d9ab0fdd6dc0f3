"""One user from the first code to the first followee, by the official Python SDK and the links in mails."""

import pytest
import requests
from accounts import new_email
from client import TIMEOUT, Server
from mail_sink import MailSink, link_of, mail_settings
from sdk import SDK

NUMBER, CODE = "13800000000", "123456"


@pytest.fixture
def sink(tmp_path):
    sink = MailSink(tmp_path / "sink").start()
    yield sink
    sink.stop()


@pytest.fixture
def server(tmp_path, sink):
    (tmp_path / "server").mkdir()
    options = mail_settings(sink, LCFILE_SMS_FIXED_NUMBERS=f"+86{NUMBER}={CODE}")
    server = Server(tmp_path / "server", **options).start()
    yield server
    assert server.stop() == 0


@pytest.fixture
def sdk(server):
    sdk = SDK(server.url)
    yield sdk
    sdk.close()


def use(link, **fields):
    """Sends the form of a link's page."""
    assert requests.post(link, data=fields, timeout=TIMEOUT).status_code == 200


@pytest.mark.extended
def test_user_signs_up_by_phone_verifies_an_address_resets_the_password_and_follows(server, sink, sdk):
    email = new_email()
    sdk.run("""
        leancloud.cloud.request_sms_code(arguments["number"])
        user = leancloud.User.signup_or_login_with_mobile_phone(arguments["number"], arguments["code"])
        user.set_email(arguments["email"])
        user.save()
        say()
    """, number=NUMBER, code=CODE, email=email)
    use(link_of(sink.wait(email)[0]))
    said = sdk.run("""
        leancloud.User.request_password_reset(arguments["email"])
        user = leancloud.User.get_current()
        user.fetch()
        say(verified=user.get("emailVerified"))
    """, email=email)
    assert said == {"verified": True}
    use(link_of(sink.wait(email, 2)[1]), password="by page", again="by page")
    said = sdk.run("""
        leancloud.User.login_with_mobile_phone(arguments["number"], "by page")
        leancloud.User.request_password_reset_by_sms_code(arguments["number"])
        leancloud.User.reset_password_by_sms_code(arguments["code"], "by code", arguments["number"])
        other = leancloud.User()
        other.set_username("other")
        other.set_password("secret")
        other.sign_up()
        user = leancloud.User.login_with_mobile_phone(arguments["number"], "by code")
        user.follow(other.id)
        followees = leancloud.User.create_followee_query(user.id).find()
        say(followees=[followee.id for followee in followees], other=other.id)
    """, number=NUMBER, code=CODE)
    assert said["followees"] == [said["other"]]
