"""What needs SMS or mails is refused with a sentence that names the setting, if the server sends none."""

import pytest
from accounts import PASSWORD, is_live, log_in, new_email, new_phone, sign_up, users_named
from client import assert_refused

PHONE = {"mobilePhoneNumber": "+12025550100"}
CALLS = [
    ("POST", "requestPasswordReset", {"email": "ann@example.org"}),
    ("POST", "requestSmsCode", PHONE),
    ("POST", "verifySmsCode/123456", PHONE),
    ("POST", "requestMobilePhoneVerify", PHONE),
    ("POST", "verifyMobilePhone/123456", PHONE),
    ("POST", "verifyMobilePhone/123456", {}),
    ("POST", "requestLoginSmsCode", PHONE),
    ("POST", "usersByMobilePhone", PHONE | {"smsCode": "123456"}),
    ("POST", "requestPasswordResetBySmsCode", PHONE),
    ("PUT", "resetPasswordBySmsCode/123456", PHONE | {"password": "another"}),
    ("POST", "resetPasswordBySmsCode/123456", PHONE | {"password": "another"}),
    ("POST", "requestChangePhoneNumber", PHONE | {"ttl": 10}),
    ("POST", "changePhoneNumber", PHONE | {"code": "123456"}),
    ("GET", "requestCaptcha?width=85&height=30", None),
    ("POST", "verifyCaptcha", {"captcha_code": "abcd", "captcha_token": "t"}),
    ("POST", "login", PHONE | {"smsCode": "123456"}),
    ("GET", "login?mobilePhoneNumber=%2B12025550100&smsCode=123456", None),
]


@pytest.fixture(scope="module")
def user(api):
    return sign_up(api)


@pytest.mark.parametrize("method, path, body", CALLS, ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.parametrize("caller", ["guest", "user", "master"])
def test_call_that_sends_or_takes_a_code_is_119(api, master, user, method, path, body, caller):
    by = {"guest": api, "user": user.api, "master": master}[caller]
    setting = "mail.server" if path == "requestPasswordReset" else "sms.provider"
    assert_refused(by.call(method, f"/1.1/{path}", json=body), 400, 119, setting)


@pytest.mark.parametrize("caller", ["guest", "user", "master"])
def test_verification_of_an_address_without_a_mail_server_is_1(api, master, user, caller):
    by = {"guest": api, "user": user.api, "master": master}[caller]
    assert_refused(by.post("/1.1/requestEmailVerify", json={"email": "ann@example.org"}), 400, 1, "mail.server")


def test_code_signs_nobody_up(api, master):
    phone = new_phone()
    assert_refused(api.post("/1.1/usersByMobilePhone", json={"mobilePhoneNumber": phone, "smsCode": "123456"}), 400, 119)
    assert users_named(master, phone) == []


def test_code_logs_nobody_in(api):
    user = sign_up(api, mobilePhoneNumber=new_phone())
    fields = {"mobilePhoneNumber": user.read()["mobilePhoneNumber"], "smsCode": "123456"}
    for more in ({}, {"password": PASSWORD}):
        assert_refused(api.post("/1.1/login", json=fields | more), 400, 119)


@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_code_sets_no_password(api, method):
    user = sign_up(api, mobilePhoneNumber=new_phone())
    body = {"mobilePhoneNumber": user.read()["mobilePhoneNumber"], "password": "another"}
    assert_refused(api.call(method, "/1.1/resetPasswordBySmsCode/123456", json=body), 400, 119)
    assert log_in(api, username=user.username).status_code == 200


def test_code_verifies_no_address(api):
    user = sign_up(api, email=new_email(), mobilePhoneNumber=new_phone())
    for path in ("verifyMobilePhone/123456", "requestMobilePhoneVerify"):
        body = {"mobilePhoneNumber": user.read()["mobilePhoneNumber"]}
        assert_refused(user.api.post(f"/1.1/{path}", json=body), 400, 119)
    assert (user.read()["mobilePhoneVerified"], user.read()["emailVerified"]) == (False, False)


def test_forgotten_password_is_set_by_the_master_key(api, master):
    user = sign_up(api)
    assert user.change({"password": "remembered"}, by=master).status_code == 200
    assert log_in(api, "remembered", username=user.username).status_code == 200
    assert not is_live(api, user.token)
