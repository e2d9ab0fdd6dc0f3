"""What other SDKs send for codes by SMS and captchas, and what they read of the answers.

The requests follow the sources of the SDKs.
"""

import pytest
from accounts import unique
from client import Server

# Numbers with fixed codes: each SDK has two of its own.
SDKS = ("js", "java", "objc", "csharp")
NUMBERS = {sdk: (f"1380000{index}001", f"1380000{index}002") for index, sdk in enumerate(SDKS)}
CODE = "123456"

# What each SDK sends beside the number.
REQUEST = {
    "js": {},
    "java": {"smsType": "sms"},
    "objc": {"smsType": "sms", "ttl": 10, "name": "App", "op": "sign up"},
    "csharp": {"sign": "App"},
}
CHANGE = {"js": {}, "java": {"ttl": "10"}, "objc": {"ttl": 10}, "csharp": {"ttl": 360}}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    fixed = ", ".join(f"+86{number}={CODE}" for pair in NUMBERS.values() for number in pair)
    server = Server(tmp_path_factory.mktemp("sms"), LCFILE_SMS_FIXED_NUMBERS=fixed).start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def api(server):
    return server.api()


def done(response):
    """SDKs read of most answers only that there is no error."""
    assert (response.status_code, response.json()) == (200, {}), response.text


@pytest.mark.few(3)
@pytest.mark.parametrize("sdk", SDKS)
def test_user_of_a_number(server, api, sdk):
    first, second = NUMBERS[sdk]
    done(api.post("/1.1/requestSmsCode", json={"mobilePhoneNumber": first} | REQUEST[sdk]))
    # JavaScript sends all attributes of the new user with it.
    more = {"nickname": "Ann"} if sdk == "js" else {}
    body = {"mobilePhoneNumber": first, "smsCode": CODE} | more
    response = api.post("/1.1/usersByMobilePhone", json=body)
    user = response.json()
    assert response.status_code == 201
    assert {"objectId", "sessionToken", "createdAt", "username"} <= user.keys() and "smsCode" not in user
    assert (user["mobilePhoneNumber"], user["mobilePhoneVerified"]) == (first, True)

    done(api.post("/1.1/requestLoginSmsCode", json={"mobilePhoneNumber": first}))
    again = api.post("/1.1/login", json={"mobilePhoneNumber": first, "smsCode": CODE}).json()
    assert (again["objectId"], again["sessionToken"]) == (user["objectId"], user["sessionToken"])

    session = {"X-LC-Session": again["sessionToken"]}
    body = {"mobilePhoneNumber": second} | CHANGE[sdk]
    done(api.post("/1.1/requestChangePhoneNumber", json=body, headers=session))
    body = {"mobilePhoneNumber": second, "code": CODE}
    moved = api.post("/1.1/changePhoneNumber", json=body, headers=session).json()
    # Objective-C takes the fields of the user from the answer.
    assert (moved["objectId"], moved["mobilePhoneNumber"]) == (user["objectId"], second)
    assert moved["mobilePhoneVerified"] is True and "updatedAt" in moved

    done(api.post("/1.1/requestPasswordResetBySmsCode", json={"mobilePhoneNumber": second}))
    password = unique()
    body = {"password": password, "mobilePhoneNumber": second}
    done(api.call("PUT", f"/1.1/resetPasswordBySmsCode/{CODE}", json=body))
    login = api.post("/1.1/login", json={"mobilePhoneNumber": second, "password": password})
    assert (login.status_code, login.json()["objectId"]) == (200, user["objectId"])


@pytest.mark.parametrize("sdk", SDKS)
def test_verification_of_a_number(server, api, sdk):
    number = NUMBERS[sdk][0]
    user = api.post("/1.1/users", json={
        "username": unique(), "password": "secret", "mobilePhoneNumber": number,
    }).json()
    done(api.post("/1.1/requestMobilePhoneVerify", json={"mobilePhoneNumber": number}))
    verified = api.post(f"/1.1/verifyMobilePhone/{CODE}", json={"mobilePhoneNumber": number}).json()
    # Objective-C reads both.
    assert verified["objectId"] == user["objectId"] and "updatedAt" in verified
    done(api.post("/1.1/requestSmsCode", json={"mobilePhoneNumber": number} | REQUEST[sdk]))
    done(api.post(f"/1.1/verifySmsCode/{CODE}", json={"mobilePhoneNumber": number}))


@pytest.mark.parametrize("query", [
    {}, {"width": "100", "height": "50"}, {"height": "0", "width": "0"}, {"width": "82.5", "height": "30.5"},
], ids=["javascript", "objective-c", "java", "swift"])
def test_captcha(server, api, query):
    captcha = api.get("/1.1/requestCaptcha", params=query).json()
    assert set(captcha) == {"captcha_token", "captcha_url"}
    picture = api.fetch(captcha["captcha_url"])
    assert (picture.status_code, picture.headers["Content-Type"]) == (200, "image/png")
    wrong = api.post("/1.1/verifyCaptcha", json={"captcha_code": "?", "captcha_token": captcha["captcha_token"]})
    assert wrong.status_code == 400
