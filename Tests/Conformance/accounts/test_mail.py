"""Mails that verify addresses and reset passwords, and the pages behind their links."""

import re
from urllib.parse import urlsplit

import pytest
import requests
from accounts import PASSWORD, is_live, log_in, new_email, new_token, sign_up, unique
from client import ALPHA, BETA, TIMEOUT, Server, assert_refused, eventually
from mail_sink import MailSink, link_of, mail_settings, token_of
from sdk import SDK

CALLS = {"verify": "requestEmailVerify", "reset": "requestPasswordReset"}


@pytest.fixture(scope="module")
def sink(tmp_path_factory):
    sink = MailSink(tmp_path_factory.mktemp("sink")).start()
    yield sink
    sink.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory, sink):
    server = Server(tmp_path_factory.mktemp("mail"), **mail_settings(sink)).start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def api(server):
    return server.api()


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture
def user(api):
    user = sign_up(api, email=new_email())
    object.__setattr__(user, "email", user.read()["email"])
    return user


def ask(api, purpose, email, **more):
    return api.post(f"/1.1/{CALLS[purpose]}", json={"email": email} | more)


def page(url, language="en"):
    return requests.get(url, headers={"Accept-Language": language}, timeout=TIMEOUT)


def use(url, language="en", **fields):
    return requests.post(url, data=fields, headers={"Accept-Language": language}, timeout=TIMEOUT)


def reset_link(api, sink, user):
    """A link that resets the password of a user, whose first mail verifies the address."""
    known = len(sink.wait(user.email))
    assert ask(api, "reset", user.email).json() == {}
    return link_of(sink.wait(user.email, known + 1)[-1])


# The mail

def test_sign_up_sends_a_mail_in_the_form_of_rfc_5322(server, sink, user):
    mail, = sink.wait(user.email)
    assert (mail["X-From"], mail["X-Helo"], mail["From"]) == ("app@example.org", "example.org", "Example <app@example.org>")
    assert mail["To"] == user.email
    assert mail["Subject"] == "Confirm your email address for Example"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert re.fullmatch(r"<\S+@example\.org>", mail["Message-ID"])
    assert mail["Date"].datetime.tzinfo is not None
    assert mail.get_content_type() == "multipart/alternative"
    text, html = (mail.get_body(kind).get_content() for kind in ("plain", "html"))
    assert link_of(mail).startswith(server.url) and link_of(mail) in html and user.email in text
    assert mail.defects == []


def test_user_without_an_address_and_an_import_get_no_mail(api, master, sink):
    sign_up(api)
    known = new_email()
    master.post("/1.1/users", json={"objectId": "b" * 24, "username": unique(), "email": known, "emailVerified": False})
    later = sign_up(api, email=new_email()).read()["email"]
    sink.wait(later)
    assert sink.mails(known) == []


def test_batch_sends_a_mail_for_each_user_that_it_makes(api, sink):
    emails = [new_email(), new_email(), "nonsense"]
    response = api.post("/1.1/batch", json={"requests": [
        {"method": "POST", "path": "/1.1/users", "body": {"username": unique(), "password": PASSWORD, "email": email}}
        for email in emails
    ]})
    assert ["success" in item for item in response.json()] == [True, True, False]
    for email in emails[:2]:
        sink.wait(email)


# The page

def test_page_only_shows_a_form_and_its_post_verifies(master, sink, user):
    url = link_of(sink.wait(user.email)[0])
    for _ in range(2):
        response = page(url)
        assert response.status_code == 200 and '<form method="post">' in response.text and user.email in response.text
    assert requests.head(url, timeout=TIMEOUT).status_code == 200
    assert user.read()["emailVerified"] is False
    assert "Address confirmed" in use(url).text
    assert user.read()["emailVerified"] is True
    assert is_live(user.api, user.token)
    # Used up.
    for response in (page(url), use(url)):
        assert response.status_code == 404 and "not valid" in response.text


@pytest.mark.few(2)
@pytest.mark.parametrize("language, words", [
    ("en", "Confirm your email address"), ("zh-CN,zh;q=0.9,en;q=0.8", "验证邮箱"), ("fr", "Confirm your email address"),
    ("en;q=0.3, zh;q=0.5", "验证邮箱"), ("", "Confirm your email address"),
])
def test_page_speaks_the_language_of_its_reader(sink, user, language, words):
    response = page(link_of(sink.wait(user.email)[0]), language)
    assert f"<title>{words}</title>" in response.text
    assert response.headers["Content-Language"] == ("zh-CN" if words == "验证邮箱" else "en")


@pytest.mark.parametrize("state", ["form", "done", "invalid"])
def test_page_has_no_script_and_gives_nothing_away(sink, user, state):
    url = link_of(sink.wait(user.email)[0])
    response = {"form": lambda: page(url), "done": lambda: use(url), "invalid": lambda: page(url[:-3] + "xyz")}[state]()
    if state == "invalid":
        response = page(url.replace(token_of(sink.mails(user.email)[0]), "a" * 40))
    assert "<script" not in response.text and "http" not in response.text
    headers = response.headers
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "no-referrer"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "form-action 'self'" in policy
    assert "script" not in policy and "unsafe" not in policy and "style-src 'sha256-" in policy
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["X-Frame-Options"] == "DENY"


def test_token_of_another_app_unknown_tokens_and_other_forms_are_not_valid(sink, user):
    url = link_of(sink.wait(user.email)[0])
    token = token_of(sink.mails(user.email)[0])
    for wrong in (url.replace(ALPHA.id, BETA.id), url.replace(token, "a" * 40), url.replace(token, token[:39])):
        for response in (page(wrong), use(wrong)):
            assert response.status_code == 404 and "not valid" in response.text
    assert page(url.replace(ALPHA.id, "nobody")).status_code == 404
    assert user.read()["emailVerified"] is False


def test_head_of_a_page_has_no_body_that_the_next_response_would_follow(server, sink, user):
    path = urlsplit(link_of(sink.wait(user.email)[0])).path
    for target, status in ((path, 200), (path.replace(path.split("/")[3], "a" * 40), 404)):
        with server.raw() as connection:
            connection.send(f"HEAD {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            connection.send(b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            received = b"".join(iter(lambda: connection.socket.recv(1 << 16), b""))
        assert received.startswith(f"HTTP/1.1 {status} ".encode())
        assert b"\r\n\r\nHTTP/1.1 200 OK\r\n" in received


def test_log_has_no_token_and_no_address(server, sink, user):
    mail, = sink.wait(user.email)
    link = link_of(mail)
    responses = page(link), page(link.replace("/1.1/", "/1.1/./")), use(link)
    ids = [response.headers["X-Request-Id"] for response in responses]
    # A line is written a moment after its response.
    assert eventually(lambda: all(id in server.errors for id in ids))
    assert token_of(mail) not in server.errors and user.email not in server.errors
    assert f"/1.1/links/…/{ALPHA.id}" in server.errors



# Changes of the address

def test_new_address_is_unverified_and_gets_a_mail_and_the_old_links_are_void(sink, user):
    old = link_of(sink.wait(user.email)[0])
    use(old)
    assert user.read()["emailVerified"] is True
    new = new_email()
    assert user.change({"email": new}).status_code == 200
    assert user.read()["emailVerified"] is False
    assert "Address confirmed" in use(link_of(sink.wait(new)[0])).text
    assert user.read()["emailVerified"] is True


def test_link_to_an_old_address_is_void(sink, user):
    old = link_of(sink.wait(user.email)[0])
    user.change({"email": new_email()})
    assert use(old).status_code == 404
    # Not even when the user has the address again.
    user.change({"email": user.email})
    assert use(old).status_code == 404
    assert user.read()["emailVerified"] is False


def test_same_address_again_sends_nothing(api, sink, user):
    sink.wait(user.email)
    assert user.change({"email": user.email}).status_code == 200
    sink.wait(sign_up(api, email=new_email()).read()["email"])
    assert len(sink.mails(user.email)) == 1


# New passwords

def test_reset_sets_the_password_once_and_ends_sessions(api, sink, user):
    url = reset_link(api, sink, user)
    assert "New password" in page(url).text and "新密码" in page(url, "zh").text
    assert log_in(api, username=user.username).status_code == 200
    assert "Password changed" in use(url, password="another", again="another").text
    token = new_token(api, user, "another")
    assert log_in(api, username=user.username).json()["code"] == 210
    assert [is_live(api, user.token), is_live(api, token)] == [False, True]
    assert use(url, password="third", again="third").status_code == 404
    assert log_in(api, "third", username=user.username).json()["code"] == 210


@pytest.mark.few(2)
@pytest.mark.parametrize("first, second, words", [
    ("one", "two", "differ"), ("", "", "cannot be used"), ("x" * 2000, "x" * 2000, "cannot be used"), ("one", "", "differ"),
])
def test_unusable_password_shows_the_form_again_and_the_link_stays_valid(api, sink, user, first, second, words):
    url = reset_link(api, sink, user)
    response = use(url, password=first, again=second)
    assert response.status_code == 400 and words in response.text and "<form" in response.text
    assert log_in(api, username=user.username).status_code == 200
    assert "Password changed" in use(url, password="null", again="null").text
    assert log_in(api, "null", username=user.username).status_code == 200


def test_link_that_verifies_resets_no_password(api, sink, user):
    url = link_of(sink.wait(user.email)[0])
    use(url, password="another", again="another")
    assert log_in(api, username=user.username).status_code == 200


@pytest.mark.few(2)
@pytest.mark.parametrize("change", ["by user", "by master", "address", "updatePassword", "deleted"])
def test_change_of_the_user_makes_the_link_void(api, master, sink, user, change):
    url = reset_link(api, sink, user)
    if change == "updatePassword":
        body = {"old_password": PASSWORD, "new_password": "another"}
        assert user.api.call("PUT", f"{user.path}/updatePassword", json=body).status_code == 200
    elif change == "deleted":
        assert user.api.call("DELETE", user.path).status_code == 200
    else:
        fields = {"email": new_email()} if change == "address" else {"password": "another"}
        assert user.change(fields, by=master if change == "by master" else None).status_code == 200
    assert use(url, password="third", again="third").status_code == 404


@pytest.mark.extended
def test_only_the_newest_ten_links_for_a_purpose_are_valid(api, master, sink, user):
    sink.wait(user.email)
    for count in range(2, 13):
        assert ask(master, "reset", user.email).json() == {}
        sink.wait(user.email, count)
    verifying, first, *newest = sink.mails(user.email)
    assert page(link_of(first)).status_code == 404
    assert [page(link_of(mail)).status_code for mail in (verifying, *newest)] == [200] * 11


# Requests

@pytest.mark.few(2)
@pytest.mark.parametrize("purpose", CALLS)
@pytest.mark.parametrize("caller", ["guest", "user", "master"])
def test_every_caller_can_ask(api, master, sink, user, purpose, caller):
    by = {"guest": api, "user": user.api, "master": master}[caller]
    sink.wait(user.email)
    assert (ask(by, purpose, user.email).status_code, ask(by, purpose, user.email).json()) == (200, {})
    sink.wait(user.email, 3)


@pytest.mark.few(2)
@pytest.mark.parametrize("purpose", CALLS)
@pytest.mark.parametrize("body, code", [
    ({"email": "nobody@example.org"}, 205), ({"email": "nonsense"}, 125), ({"email": "a@b\r\nBcc: x@example.org"}, 125),
    ({"email": "josé@example.org"}, 125), ({"email": "a@例子.example"}, 125), ({"email": ""}, 204), ({}, 204),
    ({"email": 1}, 204), ({"email": None}, 204),
])
def test_request_that_cannot_be_served(api, purpose, body, code):
    assert_refused(api.post(f"/1.1/{CALLS[purpose]}", json=body), 400, code)


@pytest.mark.extended
def test_verified_address_gets_no_further_mail(api, sink, user):
    use(link_of(sink.wait(user.email)[0]))
    assert ask(api, "verify", user.email).json() == {}
    sink.wait(sign_up(api, email=new_email()).read()["email"])
    assert len(sink.mails(user.email)) == 1


@pytest.mark.few(2)
@pytest.mark.parametrize("email", ["josé@example.org", "ann@例子.example", "ann@-x.example.org", '.ann@example.org'])
def test_address_that_can_get_no_mail_is_refused_where_one_must_be_sent(api, user, email):
    assert_refused(api.post("/1.1/users", json={"username": unique(), "password": PASSWORD, "email": email}), 400, 125)
    assert_refused(user.change({"email": email}), 400, 125)
    assert user.read()["email"] == user.email


# Redirects

@pytest.mark.few(2)
@pytest.mark.parametrize("target", ["https://app.example.org", "https://app.example.org/a?b=1&c=2", "http://localhost:3000/in/x"])
def test_page_leads_on_to_an_allowed_page(api, sink, user, target):
    sink.wait(user.email)
    assert ask(api, "verify", user.email, redirect=target).json() == {}
    response = use(link_of(sink.wait(user.email, 2)[1]) + "?redirect=https://evil.example.org")
    assert f'<a href="{target.replace("&", "&amp;")}">Continue</a>' in response.text and "evil" not in response.text


@pytest.mark.few(2)
@pytest.mark.parametrize("target", [
    "https://evil.example.org", "https://app.example.org.evil.example", "https://app.example.org@evil.example",
    "//evil.example.org", "javascript:alert(1)", "https://app.example.org\\@evil.example", "http://app.example.org",
    "http://localhost:3000/inside", "http://localhost:3000/in/../x", "http://localhost:3000/in/%2E./x", "", 1,
    "https://app.example.org/\r\nX: y", "HTTPS://evil.example", "https://app.example.org/<b>",
])
def test_open_redirect_is_refused(api, user, target):
    assert_refused(ask(api, "verify", user.email, redirect=target), 400, 1, "mail.redirects")


# The official SDK

@pytest.mark.extended
def test_python_sdk_asks_for_both_mails(server, sink, user):
    sdk = SDK(server.url)
    try:
        sink.wait(user.email)
        said = sdk.run("""
            leancloud.User.request_email_verify(arguments['email'])
            leancloud.User.request_password_reset(arguments['email'])
            say(asked=True)
            """, email=user.email)
        assert said == {"asked": True}
        subjects = [mail["Subject"] for mail in sink.wait(user.email, 3)]
        assert sorted(subjects)[-1] == "Reset your password for Example"
        unknown = sdk.run("""
            try:
                leancloud.User.request_password_reset('nobody@example.org')
            except leancloud.LeanCloudError as error:
                say(code=error.code)
            """)
        assert unknown == {"code": 205}
    finally:
        sdk.close()


# The queue belongs to the master key

@pytest.mark.parametrize("method, path", [("GET", "mails"), ("POST", "mails/retry"), ("GET", "classes/_Mail"), ("GET", "classes/_MailLink")])
def test_queue_is_for_the_master_key(api, master, user, method, path):
    for caller in (api, user.api):
        assert caller.call(method, f"/1.1/{path}", json={"all": True} if method == "POST" else None).status_code == 403
    response = master.call(method, f"/1.1/{path}", json={"all": True} if method == "POST" else None)
    assert response.status_code == 200, response.text


@pytest.mark.parametrize("name", ["_Mail", "_MailLink"])
def test_nobody_writes_the_classes_of_mails(master, user, name):
    response = master.post(f"/1.1/classes/{name}", json={"to": "x@example.org"})
    assert response.status_code == 400 and response.json()["code"] == 103
    shown = master.get(f"/1.1/classes/{name}").json()["results"]
    assert all("_token" not in row for row in shown)
