"""The way of SMS to the gateway: templates, failures, kills, limits, captchas and the commands of the operator."""

import json
import re

import pytest
from accounts import log_in, new_phone, settings, sign_up
from captchas import solution
from client import ALPHA, BETA, assert_refused, eventually
from commands import FAILED, USAGE, credentials_of, lcfile
from metrics import values
from sdk import SDK
from sms_gateway import SMSGateway, sms_settings


@pytest.fixture
def gateways(tmp_path):
    """Makes gateways of a test's own."""
    made = []

    def make():
        made.append(SMSGateway(tmp_path / f"gateway{len(made)}"))
        return made[-1].start()

    yield make
    for gateway in made:
        gateway.stop()


@pytest.fixture
def serve(new_server, gateways):
    """A server with a gateway."""

    def make(**more):
        gateway = gateways()
        return new_server(**sms_settings(gateway, **more)).start(), gateway

    return make


def ask(server, phone, **more):
    return server.api().post("/1.1/requestSmsCode", json={"mobilePhoneNumber": phone} | more)


def asked(server, phone=None):
    phone = phone or new_phone()
    assert ask(server, phone).json() == {}
    return phone


def works(server, phone, code):
    answer = server.api().post(f"/1.1/verifySmsCode/{code}", json={"mobilePhoneNumber": phone})
    return answer.json() == {}


def waiting(server, state="waiting"):
    return server.api(master=True).get("/1.1/sms", params={"state": state}).json()["results"]


# The gateway's templates

@pytest.mark.extended
def test_form_with_log_in_as_a_gateway_wants_it(serve, tmp_path):
    (tmp_path / "headers").write_text("Authorization: Basic YTpi\nX-Id: {{id}}\n")
    server, gateway = serve(
        LCFILE_SMS_WEBHOOK_FORMAT="form", LCFILE_SMS_WEBHOOK_HEADERS_FILE=str(tmp_path / "headers"),
        LCFILE_SMS_WEBHOOK_BODY="To={{number}}&From=%2B15005550006&Body={{text}}",
    )
    phone = asked(server)
    request, = eventually(gateway.requests)
    assert request["headers"]["Authorization"] == "Basic YTpi" and len(request["headers"]["X-Id"]) == 24
    assert request["headers"]["Content-Type"] == "application/x-www-form-urlencoded"
    assert request["body"].startswith(f"To=%2B{phone[1:]}&From=%2B15005550006&Body=")
    assert "YTpi" not in server.errors and "YTpi" not in server.output


@pytest.mark.extended
def test_query_string_without_a_body(serve, gateways, new_server):
    gateway = gateways()
    url = gateway.url + "?mobile={{digits}}&tpl={{var.op}}"
    settings = sms_settings(gateway) | {"LCFILE_SMS_WEBHOOK": url, "LCFILE_SMS_WEBHOOK_FORMAT": "query"}
    server = new_server(**settings).start()
    phone = new_phone()
    ask(server, phone, op="a&b=c d").raise_for_status()
    request, = eventually(gateway.requests)
    assert request["path"] == f"/send?mobile={phone[1:]}&tpl=a%26b%3Dc%20d" and request["body"] == ""


@pytest.mark.extended
def test_texts_of_the_operator(serve, tmp_path):
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "generic.txt").write_text("Code {{{code}}}\n")
    (texts / "Order.txt").write_text("Order {{order_id}} of {{name}}\n")
    server, gateway = serve(LCFILE_SMS_TEMPLATES=str(texts), LCFILE_SMS_SIGN="Shop")
    phone = asked(server)
    code = gateway.code(phone)
    assert gateway.messages(phone)[0]["text"] == f"【Shop】Code {code}"
    ask(server, phone, template="Order", order_id=7, sign="Other").raise_for_status()
    message = gateway.wait(phone, 2)[1]
    assert (message["text"], message["template"], message["code"]) == ("【Other】Order 7 of Example", "Order", "")
    assert_refused(ask(server, phone, template="Order"), 400, 604)
    assert_refused(ask(server, phone, template="../x"), 400, 604)
    # A text without a code leaves the last code.
    assert works(server, phone, code)


# Failures

@pytest.mark.extended
@pytest.mark.parametrize("mode, words", [
    ("500", "answered with status 500"), ("429", "answered with status 429"), ("drop", "closed the connection"),
    ("slow", "did not answer in time"), ("401", "refused the request with status 401"), ("say no", "sms.webhookExpects"),
])
def test_failed_sms_is_sent_again_with_the_same_code(serve, mode, words):
    server, gateway = serve(LCFILE_SMS_WEBHOOK_TIMEOUT="1", LCFILE_SMS_WEBHOOK_EXPECTS="OK")
    gateway.behave(mode)
    phone = asked(server)
    message = eventually(lambda: [message for message in waiting(server) if "failure" in message])[0]
    assert words in message["failure"], message
    # On a slow machine it has been tried again by now.
    assert message["to"] == phone and message["attempts"] >= 1
    gateway.behave("accept")
    found = gateway.wait(phone, within=20)
    assert works(server, phone, found[0]["code"])
    assert eventually(lambda: waiting(server) == [])
    assert eventually(lambda: "SMS are sent again" in server.errors)
    assert "An SMS was not sent; this is tried again" in server.errors and phone not in server.errors


@pytest.mark.extended
def test_refused_sms_is_a_dead_letter_and_commands_send_it_again(serve):
    server, gateway = serve()
    gateway.behave("400")
    phone = asked(server)
    keys = credentials_of(server.url, master=ALPHA.master)
    assert eventually(lambda: waiting(server, "dead"))
    assert lcfile("sms", "list", **keys).stdout == ""
    listed = lcfile("sms", "list", "--dead", **keys)
    assert re.fullmatch(rf"\S+ +\S+ +dead +generic +\{phone} +1 +The SMS gateway refused the SMS with .*\n", listed.stdout)
    message = json.loads(lcfile("sms", "list", "--dead", "--json", **keys).stdout)
    codes = json.loads(lcfile("sms", "list", "--codes", "--json", **keys).stdout)
    assert (codes["to"], codes["purpose"], codes["tries"], "code" in codes) == (phone, "generic", 0, False)
    gateway.behave("accept")
    assert lcfile("sms", "retry", message["objectId"], **keys).stdout == "1 SMS\n"
    assert works(server, phone, gateway.code(phone))
    assert lcfile("sms", "retry", "--all", **keys).stdout == "0 SMS\n"
    unknown = lcfile("sms", "retry", "nope", **keys)
    assert (unknown.returncode, unknown.stdout) == (FAILED, "0 SMS\n") and "1 of 1 message" in unknown.stderr
    for wrong in (["retry"], ["retry", "--all", message["objectId"]], ["list", "--limit", "0"], ["list", "--dead", "--codes"]):
        assert lcfile("sms", *wrong, **keys).returncode == USAGE


@pytest.mark.extended
def test_sms_whose_code_has_ended_is_a_dead_letter(serve):
    server, gateway = serve(LCFILE_SMS_GIVE_UP_AFTER="1")
    gateway.behave("500")
    asked(server)
    assert eventually(lambda: waiting(server, "dead"))
    measured = {f"sms_dead {ALPHA.id}": 1, f"sms_given_up {ALPHA.id}": 1}
    assert eventually(lambda: values(server, "lcfile_sms_dead", "lcfile_sms_given_up_total") == measured)


@pytest.mark.extended
def test_kill_between_the_commit_and_the_sms_loses_nothing(serve):
    server, gateway = serve()
    gateway.behave("slow")
    phones = [asked(server) for _ in range(3)]
    assert eventually(lambda: gateway.tried() >= 2)
    server.kill()
    assert gateway.requests() == []
    gateway.stop()
    gateway.behave("accept")
    gateway.start()
    server.start()
    for phone in phones:
        message, = gateway.wait(phone)
        assert works(server, phone, message["code"])
    assert eventually(lambda: waiting(server) == [])
    assert eventually(lambda: values(server, "lcfile_sms_sent_total") == {f"sms_sent {ALPHA.id}": 3})


@pytest.mark.extended
def test_gateway_in_a_private_network_needs_a_setting(gateways, new_server):
    gateway = gateways()
    server = new_server(**sms_settings(gateway) | {"LCFILE_FETCH_ALLOWED_NETWORKS": ""}).start()
    asked(server)
    message = eventually(lambda: [message for message in waiting(server) if "failure" in message])[0]
    assert "fetch.allowedNetworks" in message["failure"] and gateway.tried() == 0


# Limits

@pytest.mark.extended
def test_flood_of_one_number(serve):
    server, gateway = serve(LCFILE_SMS_MAX_PER_MINUTE="1")
    phone = asked(server)
    for spelled in (phone, f"00{phone[1:]}"):
        response = ask(server, spelled)
        assert_refused(response, 400, 601, "sms.maxPerMinute")
        assert 0 < int(response.headers["Retry-After"]) <= 60
    # Another client has no other allowance, the master key has no limit, another number has its own.
    assert server.api().at("127.0.0.2").post("/1.1/requestSmsCode", json={"mobilePhoneNumber": phone}).status_code == 400
    assert server.api(master=True).post("/1.1/requestSmsCode", json={"mobilePhoneNumber": phone}).status_code == 200
    asked(server)
    gateway.wait(phone, 2)


@pytest.mark.few(1)
@pytest.mark.parametrize("limit", ["Day", "Client", "App"])
def test_flood(serve, limit):
    server, gateway = serve(**{f"LCFILE_SMS_MAX_PER_{limit.upper()}": "3"})
    phone = new_phone()
    statuses = [ask(server, phone if limit == "Day" else new_phone()).status_code for _ in range(20)]
    assert statuses == [200] * 3 + [400] * 17
    refused = ask(server, phone)
    assert_refused(refused, 400, 601, f"sms.maxPer{limit}")
    elsewhere = server.api().at("127.0.0.2").post("/1.1/requestSmsCode", json={"mobilePhoneNumber": new_phone()})
    assert elsewhere.status_code == (400 if limit == "App" else 200)


def test_unknown_numbers_cannot_be_tried_without_a_limit(serve):
    server, gateway = serve(LCFILE_SMS_MAX_PER_CLIENT="3")
    codes = [
        server.api().post("/1.1/requestLoginSmsCode", json={"mobilePhoneNumber": new_phone()}).json()["code"]
        for _ in range(5)
    ]
    assert codes == [213] * 3 + [601] * 2


# Settings of accounts

@pytest.mark.extended
def test_sign_up_sends_a_code_and_log_in_needs_a_verified_number(serve):
    server, gateway = serve(**settings(verifyPhone=True, requireVerifiedPhone=True))
    phone = new_phone()
    user = sign_up(server.api(), mobilePhoneNumber=phone)
    code = gateway.code(phone)
    assert_refused(log_in(server.api(), mobilePhoneNumber=phone), 400, 215)
    assert log_in(server.api(), "wrong", mobilePhoneNumber=phone).json()["code"] == 210
    assert log_in(server.api(), username=user.username).status_code == 200
    assert_refused(server.api().post("/1.1/requestLoginSmsCode", json={"mobilePhoneNumber": phone}), 400, 215)
    server.api().post(f"/1.1/verifyMobilePhone/{code}", json={"mobilePhoneNumber": phone}).raise_for_status()
    assert log_in(server.api(), mobilePhoneNumber=phone).status_code == 200
    refused = server.api().post("/1.1/users", json={"username": "x", "password": "p", "mobilePhoneNumber": "+8612345"})
    assert_refused(refused, 400, 127)


@pytest.mark.extended
def test_apps_have_their_own_settings(new_server, gateways):
    server = new_server(**sms_settings(gateways()))
    file = server.folder / "lcfile.yaml"
    text = f"  - id: {ALPHA.id}\n    verifyPhone: true\n    requireVerifiedPhone: true"
    file.write_text(file.read_text().replace(f"  - id: {ALPHA.id}", text))
    server.start()
    phone = new_phone()
    for app, code in ((ALPHA, 215), (BETA, None)):
        api = server.api(app)
        body = {"username": "bob", "password": "p", "mobilePhoneNumber": phone}
        assert api.post("/1.1/users", json=body).status_code == 201
        assert log_in(api, "p", mobilePhoneNumber=phone).json().get("code") == code


@pytest.mark.extended
def test_unknown_number_answers_alike_if_the_setting_says_so(serve):
    server, gateway = serve(**settings(hideUnknownUsers=True))
    phone = new_phone()
    sign_up(server.api(), mobilePhoneNumber=phone)
    for call in ("requestLoginSmsCode", "requestMobilePhoneVerify", "requestPasswordResetBySmsCode"):
        answers = [server.api().post(f"/1.1/{call}", json={"mobilePhoneNumber": number}) for number in (phone, new_phone())]
        assert [(answer.status_code, answer.json()) for answer in answers] == [(200, {})] * 2
    gateway.wait(phone, 3)
    assert eventually(lambda: waiting(server) == [])
    assert {message["number"] for message in gateway.messages()} == {phone}


# Development

@pytest.mark.extended
def test_codes_are_in_the_log_and_the_list_in_development(new_server):
    server = new_server(LCFILE_SMS_PROVIDER="log").start()
    phone = asked(server)
    listed = lcfile("sms", "list", "--codes", **credentials_of(server.url, master=ALPHA.master)).stdout
    code = re.fullmatch(rf"\S+ +\S+ +generic +\{phone} +0 +\S+ +(\d{{6}})\n", listed).group(1)
    line = eventually(lambda: [line for line in server.errors.splitlines() if f"code={code}" in line])[0]
    assert "notice" in line and phone in line
    assert works(server, phone, code)


def test_fixed_numbers_work_without_a_provider(new_server, tmp_path):
    (tmp_path / "numbers").write_text("+8613800000000=123456\n")
    server = new_server(LCFILE_SMS_FIXED_NUMBERS_FILE=str(tmp_path / "numbers")).start()
    asked(server, "13800000000")
    # Tests and reviewers ask as often as they want.
    asked(server, "13800000000")
    assert works(server, "13800000000", "123456") and not works(server, "13800000000", "123456")
    assert_refused(ask(server, new_phone()), 400, 119, "sms.provider")


@pytest.mark.extended
def test_sms_that_wait_are_not_logged_when_sms_are_switched_off(serve):
    server, gateway = serve()
    gateway.behave("500")
    phone = asked(server)
    assert eventually(lambda: waiting(server))
    server.stop()
    server.environment |= {"LCFILE_SMS_PROVIDER": "off", "LCFILE_SMS_FIXED_NUMBERS": "+8613800000000=123456"}
    server.start()
    message = eventually(lambda: [message for message in waiting(server) if "sms.provider" in message.get("failure", "")])[0]
    assert message["to"] == phone and phone not in server.errors


# Captchas

@pytest.mark.extended
def test_sms_needs_a_solved_captcha_if_the_setting_says_so(serve):
    server, gateway = serve(LCFILE_SMS_REQUIRE_CAPTCHA="true")
    api = server.api()
    phone = new_phone()
    assert_refused(ask(server, phone), 400, 608)
    captcha = api.get("/1.1/requestCaptcha", params={"width": 100, "height": 50}).json()
    picture = api.session.get(captcha["captcha_url"])
    assert picture.headers["Content-Type"] == "image/png" and picture.content[:4] == b"\x89PNG"
    assert (int.from_bytes(picture.content[16:20]), int.from_bytes(picture.content[20:24])) == (100, 50)
    wrong = {"captcha_token": captcha["captcha_token"], "captcha_code": "0000"}
    assert_refused(api.post("/1.1/verifyCaptcha", json=wrong), 400, 608)
    for token in ("", "x", captcha["captcha_token"]):
        assert_refused(ask(server, phone, validate_token=token), 400, 608)
    master = server.api(master=True)
    assert master.post("/1.1/requestSmsCode", json={"mobilePhoneNumber": phone}).status_code == 200
    gateway.wait(phone)


@pytest.mark.extended
def test_solved_captcha_sends_one_sms(serve):
    server, gateway = serve(LCFILE_SMS_REQUIRE_CAPTCHA="true")
    api = server.api()
    phone = new_phone()
    token = api.get("/1.1/requestCaptcha", params={"size": 6}).json()["captcha_token"]
    answer = {"captcha_token": token, "captcha_code": f" {solution(token, ALPHA)} ".lower()}
    proof = api.post("/1.1/verifyCaptcha", json=answer).json()["validate_token"]
    assert_refused(api.post("/1.1/verifyCaptcha", json=answer), 400, 608)
    # The proof is that of the app.
    beta = server.api(BETA)
    assert_refused(beta.post("/1.1/requestSmsCode", json={"mobilePhoneNumber": phone, "validate_token": proof}), 400, 608)
    assert ask(server, phone, validate_token=proof).status_code == 200
    assert_refused(ask(server, phone, validate_token=proof), 400, 608)
    assert len(gateway.wait(phone)) == 1


@pytest.mark.extended
def test_python_sdk_solves_a_captcha(serve):
    server, gateway = serve(LCFILE_SMS_REQUIRE_CAPTCHA="true")
    sdk = SDK(server.url)
    try:
        said = sdk.run("""
            captcha = leancloud.cloud.request_captcha(width=85, height=30)
            say(url=captcha.url, token=captcha.token)
            """)
        phone = new_phone()
        sdk.run("""
            captcha = leancloud.cloud.Captcha(arguments["token"], "")
            leancloud.cloud.request_sms_code(arguments["phone"], validate_token=captcha.verify(arguments["answer"]))
            say()
            """, token=said["token"], answer=solution(said["token"], ALPHA), phone=phone)
    finally:
        sdk.close()
    assert said["url"].startswith(f"{server.url}/1.1/captchas/")
    gateway.wait(phone)
