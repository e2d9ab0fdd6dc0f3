"""Codes by SMS: requests, log-in and sign-up, verification, reset of passwords, change of numbers."""

import pytest
from accounts import PASSWORD, is_live, log_in, new_phone, new_token, sign_up, unique, user_of, users_named
from client import Server, assert_refused, eventually
from sdk import SDK
from sms_gateway import SMSGateway, is_signed, sms_settings

FIXED = {"+8613800000000": "123456", "+8613800000001": "000000", "+8613800000002": "654321"}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    gateway = SMSGateway(tmp_path_factory.mktemp("gateway")).start()
    yield gateway
    gateway.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory, gateway):
    fixed = ", ".join(f"{number}={code}" for number, code in FIXED.items())
    server = Server(tmp_path_factory.mktemp("sms"), **sms_settings(gateway, LCFILE_SMS_FIXED_NUMBERS=fixed)).start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def api(server):
    return server.api()


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture
def phone():
    return new_phone()


@pytest.fixture
def user(api, phone):
    user = sign_up(api, mobilePhoneNumber=phone)
    object.__setattr__(user, "phone", phone)
    return user


def ask(api, call, phone, **more):
    response = api.post(f"/1.1/{call}", json={"mobilePhoneNumber": phone} | more)
    assert (response.status_code, response.json()) == (200, {}), response.text


def say(api, path, phone, method="POST", **more):
    return api.call(method, f"/1.1/{path}", json={"mobilePhoneNumber": phone} | more)


def wrong(code):
    return f"{(int(code) + 1) % 10**6:06}"


# The message

def test_message_has_a_text_and_its_request_is_signed(api, gateway, phone):
    ask(api, "requestSmsCode", phone)
    message, = gateway.wait(phone)
    assert message["text"] == f"{message['code']} is your verification code for Example. It is valid for 10 minutes."
    assert len(message["code"]) == 6 and message["code"].isdigit()
    assert (message["purpose"], message["type"], message["digits"]) == ("generic", "sms", phone[1:])
    request = [request for request in gateway.requests() if phone in request["body"]][0]
    assert is_signed(request) and request["headers"]["Content-Type"] == "application/json"


def test_variables_template_and_voice_reach_the_gateway(api, gateway, phone):
    hostile = 'a"},{"b\\n&=%'
    ask(api, "requestSmsCode", phone, name="Shop", op=hostile, sign="天天", smsType="voice", ttl=5)
    message, = gateway.wait(phone)
    assert (message["sign"], message["type"], message["ttl"], message["name"]) == ("天天", "voice", "5", "Shop")
    assert message["variables"]["op"] == hostile
    assert message["text"].startswith("【天天】") and "Shop" in message["text"] and "5 minutes" in message["text"]


def test_log_has_no_code_and_no_number(server, api, gateway, phone):
    ask(api, "requestSmsCode", phone)
    code = gateway.code(phone)
    say(api, f"verifySmsCode/{wrong(code)}", phone)
    assert say(api, f"verifySmsCode/{code}", phone).json() == {}
    assert eventually(lambda: server.errors.count("/1.1/verifySmsCode/…") >= 2)
    assert code not in server.errors and wrong(code) not in server.errors and phone not in server.errors


# Codes

@pytest.mark.parametrize("mark", ["+", "%2B"])
def test_number_in_the_query_string_may_have_a_plus_that_is_not_escaped(api, gateway, phone, mark):
    """PHP's SDK sends it so."""
    ask(api, "requestSmsCode", phone)
    path = f"/1.1/verifySmsCode/{gateway.code(phone)}?mobilePhoneNumber={mark}{phone.removeprefix('+')}"
    assert api.post(path).json() == {}


@pytest.mark.parametrize("spelled", ["+1202555{}", "001202555{}", "+1-202.555.{}", "+1 (202) 555-{}", "＋1202555{}"])
def test_code_in_every_notation_of_the_number(api, gateway, spelled):
    last = new_phone()[-4:]
    phone, text = f"+1202555{last}", spelled.format(last)
    known = len(gateway.messages(phone))
    ask(api, "requestSmsCode", text)
    code = gateway.code(phone, known + 1)
    assert say(api, f"verifySmsCode/{code}", text).json() == {}
    assert_refused(say(api, f"verifySmsCode/{code}", phone), 400, 603)


@pytest.mark.parametrize("number", ["", None, 1, "+1", "123", "+86 23800000000", "+12025550100\r\nX: y", "0" * 70, "+0123456789"])
@pytest.mark.parametrize("call", ["requestSmsCode", "requestLoginSmsCode", "verifySmsCode/123456"])
def test_number_that_is_none_is_refused(api, call, number):
    assert_refused(api.post(f"/1.1/{call}", json={"mobilePhoneNumber": number}), 400, 212 if number in ("", None, 1) else 127)


def test_five_wrong_tries_make_a_code_void(api, gateway, phone):
    ask(api, "requestSmsCode", phone)
    code = gateway.code(phone)
    for number in range(5):
        assert_refused(say(api, f"verifySmsCode/{(int(code) + 1 + number) % 10**6:06}", phone), 400, 603)
    assert_refused(say(api, f"verifySmsCode/{code}", phone), 400, 603)


def test_code_of_another_purpose_or_number_is_wrong(api, gateway, user, phone):
    ask(api, "requestLoginSmsCode", phone)
    code = gateway.code(phone)
    assert_refused(say(api, f"verifySmsCode/{code}", phone), 400, 603)
    assert_refused(say(api, f"verifyMobilePhone/{code}", phone), 400, 603)
    assert_refused(say(api, f"resetPasswordBySmsCode/{code}", phone, "PUT", password="x"), 400, 603)
    assert_refused(say(api, "login", new_phone(), smsCode=code), 400, 603)
    assert say(api, "login", phone, smsCode=code).status_code == 200


# Log-in and sign-up

def test_code_signs_up_and_logs_in(api, master, gateway, phone):
    ask(api, "requestSmsCode", phone)
    code = gateway.code(phone)
    assert_refused(say(api, "usersByMobilePhone", phone, smsCode=wrong(code), city="Lyon"), 400, 603)
    assert users_named(master, phone) == []
    response = say(api, "usersByMobilePhone", phone, smsCode=code, city="Lyon")
    user = user_of(api, response)
    assert response.headers["Location"] == f"/1.1/classes/_User/{user.id}"
    shown = user.read()
    assert (shown["username"], shown["mobilePhoneNumber"], shown["mobilePhoneVerified"]) == (phone, phone, True)
    assert shown["city"] == "Lyon" and "smsCode" not in shown
    assert_refused(say(api, "usersByMobilePhone", phone, smsCode=code), 400, 603)
    ask(api, "requestSmsCode", phone)
    again = say(api, "usersByMobilePhone", phone, smsCode=gateway.code(phone, 2), city="Paris")
    assert user_of(api, again, 200).id == user.id
    assert user.read()["city"] == "Lyon"
    # A user without a password.
    assert log_in(api, username=phone).json()["code"] == 210


def test_sign_up_by_code_with_a_name_and_a_password(api, gateway, phone):
    ask(api, "requestSmsCode", phone)
    name = unique()
    user_of(api, say(api, "usersByMobilePhone", phone, smsCode=gateway.code(phone), username=name, password=PASSWORD))
    assert log_in(api, username=name).status_code == 200
    assert log_in(api, mobilePhoneNumber=f"{phone[:2]} {phone[2:]}").status_code == 200


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_code_logs_in(api, gateway, user, phone, method):
    ask(api, "requestLoginSmsCode", phone)
    fields = {"mobilePhoneNumber": phone, "smsCode": gateway.code(phone)}
    if method == "GET":
        response = api.call("GET", "/1.1/login", params=fields)
    else:
        response = api.post("/1.1/login", json=fields)
    assert user_of(api, response, 200).id == user.id
    assert user.read()["mobilePhoneVerified"] is True


@pytest.mark.parametrize("call", ["requestLoginSmsCode", "requestMobilePhoneVerify", "requestPasswordResetBySmsCode"])
def test_unknown_number_is_213(api, phone, call):
    assert_refused(say(api, call, phone), 400, 213)


# Verification

def test_code_verifies_the_number_once(api, gateway, user, phone):
    ask(api, "requestMobilePhoneVerify", phone)
    code = gateway.code(phone)
    answer = say(api, f"verifyMobilePhone/{code}", phone)
    assert answer.json() == {"objectId": user.id, "updatedAt": user.read()["updatedAt"]}
    assert user.read()["mobilePhoneVerified"] is True
    assert_refused(say(api, f"verifyMobilePhone/{code}", phone), 400, 603)
    # A number that is verified gets no further SMS.
    ask(api, "requestMobilePhoneVerify", phone)
    ask(api, "requestLoginSmsCode", phone)
    assert [message["purpose"] for message in gateway.wait(phone, 2)] == ["verifyPhone", "logIn"]


def test_older_sdks_send_the_code_only(api, gateway, user, phone):
    ask(api, "requestMobilePhoneVerify", phone)
    code = gateway.code(phone)
    assert_refused(api.post(f"/1.1/verifyMobilePhone/{code}", json={}), 400, 212)
    assert user.api.post(f"/1.1/verifyMobilePhone/{code}").status_code == 200


def test_change_of_the_number_clears_the_flag_and_voids_codes(api, gateway, user, phone):
    ask(api, "requestPasswordResetBySmsCode", phone)
    code = gateway.code(phone)
    new = new_phone()
    assert user.change({"mobilePhoneNumber": new}).status_code == 200
    assert user.read()["mobilePhoneVerified"] is False
    for number in (phone, new):
        assert_refused(say(api, f"resetPasswordBySmsCode/{code}", number, "PUT", password="x"), 400, 603)


# New passwords

@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_code_resets_the_password_once_and_ends_sessions(api, gateway, user, phone, method):
    ask(api, "requestPasswordResetBySmsCode", phone)
    code = gateway.code(phone)
    assert_refused(say(api, f"resetPasswordBySmsCode/{wrong(code)}", phone, method, password="another"), 400, 603)
    assert_refused(say(api, f"resetPasswordBySmsCode/{code}", phone, method, password=""), 400, 218)
    assert_refused(say(api, f"resetPasswordBySmsCode/{code}", phone, method), 400, 201)
    assert say(api, f"resetPasswordBySmsCode/{code}", phone, method, password="another").json() == {}
    assert not is_live(api, user.token)
    assert is_live(api, new_token(api, user, "another"))
    assert log_in(api, username=user.username).json()["code"] == 210
    assert_refused(say(api, f"resetPasswordBySmsCode/{code}", phone, method, password="third"), 400, 603)


# Change of the number

def test_code_changes_the_number_of_the_user_who_asked(api, gateway, user):
    new = new_phone()
    assert_refused(say(api, "requestChangePhoneNumber", new), 403, 206)
    ask(user.api, "requestChangePhoneNumber", new, ttl=360)
    message, = gateway.wait(new)
    assert message["ttl"] == "6"
    stranger = sign_up(api)
    assert_refused(say(stranger.api, "changePhoneNumber", new, code=message["code"]), 400, 603)
    assert_refused(say(api, "changePhoneNumber", new, code=message["code"]), 403, 206)
    answer = say(user.api, "changePhoneNumber", new, code=message["code"]).json()
    assert answer == {
        "objectId": user.id, "updatedAt": user.read()["updatedAt"], "mobilePhoneNumber": new, "mobilePhoneVerified": True,
    }
    assert (user.read()["mobilePhoneNumber"], user.read()["mobilePhoneVerified"]) == (new, True)
    assert_refused(say(stranger.api, "requestChangePhoneNumber", new), 400, 214)


# The master key

def test_rows_and_queue_are_for_the_master_key(api, master, user, gateway, phone):
    ask(api, "requestSmsCode", phone)
    code = gateway.code(phone)
    for path in ("sms", "sms?state=codes", "classes/_Sms", "classes/_SmsCode", "classes/_Captcha"):
        for caller in (api, user.api):
            assert caller.get(f"/1.1/{path}").status_code == 403
        assert master.get(f"/1.1/{path}").status_code == 200
    assert code not in master.get("/1.1/sms?state=codes&limit=1000").text
    for name in ("_Sms", "_SmsCode", "_Captcha"):
        assert_refused(master.post(f"/1.1/classes/{name}", json={"number": phone}), 400, 103)


# The official SDK

SDK_CALLS = """
    from leancloud import cloud, User
    number, other, third = arguments["numbers"]
    def code(call):
        try:
            call()
        except leancloud.LeanCloudError as error:
            return error.code
    cloud.request_sms_code(number[3:])
    cloud.verify_sms_code(number, "123456")
    again = code(lambda: cloud.verify_sms_code(number, "123456"))
    cloud.request_sms_code(number[3:])
    user = User.signup_or_login_with_mobile_phone(number[3:], "123456")
    signed = [user.get_mobile_phone_number(), user.get("mobilePhoneVerified"), bool(user.get_session_token())]
    User.request_password_reset_by_sms_code(number)
    User.reset_password_by_sms_code("123456", "changed", number)
    user = User.login_with_mobile_phone(number, "changed")
    User.request_change_phone_number(other, ttl=10)
    User.change_phone_number("000000", other)
    user.fetch()
    moved = [user.get_mobile_phone_number(), user.get("mobilePhoneVerified")]
    user.set_mobile_phone_number(third)
    user.save()
    user.fetch()
    cleared = user.get("mobilePhoneVerified")
    User.request_mobile_phone_verify(third)
    User.verify_mobile_phone_number("654321", third)
    user.fetch()
    User.request_login_sms_code(third)
    wrong = code(lambda: User.verify_mobile_phone_number("654322", third))
    say(again=again, signed=signed, moved=moved, cleared=cleared, verified=user.get("mobilePhoneVerified"), wrong=wrong)
"""


@pytest.mark.extended
def test_python_sdk_signs_up_resets_verifies_and_changes_numbers(server):
    sdk = SDK(server.url)
    try:
        said = sdk.run(SDK_CALLS, numbers=list(FIXED))
    finally:
        sdk.close()
    assert said == {
        "again": 603, "signed": ["13800000000", True, True], "moved": ["+8613800000001", True], "cleared": False,
        "verified": True, "wrong": 603,
    }
