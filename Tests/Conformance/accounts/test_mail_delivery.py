"""The way of mails to the mail server: encryption, log-in, failures, kills, limits and the commands of the operator."""

import json
import re

import pytest
from accounts import log_in, new_email, settings, sign_up
from certificates import Authority
from client import ALPHA, BETA, assert_refused, eventually
from commands import FAILED, USAGE, credentials_of, lcfile
from mail_sink import PASSWORD, USER, MailSink, link_of, mail_settings
from metrics import values


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def sinks(tmp_path):
    """Makes mail servers of a test's own."""
    made = []

    def make(**options):
        made.append(MailSink(tmp_path / f"sink{len(made)}", **options))
        return made[-1].start()

    yield make
    for sink in made:
        sink.stop()


@pytest.fixture
def serve(new_server, sinks):
    """A server with a mail server."""

    def make(sink=None, **more):
        sink = sink or sinks()
        return new_server(**mail_settings(sink, **more)).start(), sink

    return make


def ask(server, user, call="requestPasswordReset"):
    assert server.api().post(f"/1.1/{call}", json={"email": user.read()["email"]}).status_code == 200


def waiting(server, state="waiting"):
    return server.api(master=True).get("/1.1/mails", params={"state": state}).json()["results"]


def signed_up(server):
    return sign_up(server.api(), email=new_email())


def address(user):
    return user.read()["email"]


# Encryption and log-in

KINDS = {
    "plain": ({}, {}),
    "auth in the clear": ({"auth": True}, {"LCFILE_MAIL_STARTTLS": "off"}),
    "starttls": ({"certificate": True}, {}),
    "starttls and auth": ({"certificate": True, "auth": True}, {}),
    "smtps and auth": ({"certificate": True, "auth": True, "smtps": True}, {}),
}


@pytest.mark.extended
@pytest.mark.parametrize("kind", KINDS)
def test_mail_arrives(serve, sinks, authority, kind):
    options, more = KINDS[kind]
    if options.get("certificate"):
        options = options | {"certificate": authority.issue("mail")}
        more = more | {"LCFILE_MAIL_CA_FILE": str(authority.root)}
    if options.get("auth"):
        more = more | {"LCFILE_MAIL_USER": USER, "LCFILE_MAIL_PASSWORD": PASSWORD}
    server, sink = serve(sinks(**options), **more)
    mail, = sink.wait(address(signed_up(server)))
    assert mail["X-Tls"] == str("certificate" in options)
    if "auth" in options:
        assert mail["X-User"] == "True"
    assert PASSWORD not in server.errors and PASSWORD not in server.output
    assert eventually(lambda: waiting(server) == [])


@pytest.mark.extended
@pytest.mark.parametrize("kind, words", [
    ("no starttls", "encrypted"), ("foreign certificate", "encrypted"), ("wrong password", "log-in"),
])
def test_no_mail_and_no_password_without_the_encryption_and_log_in_that_are_set(serve, sinks, authority, kind, words):
    options, more = {"auth": True, "certificate": authority.issue("mail")}, {"LCFILE_MAIL_CA_FILE": str(authority.root)}
    password = PASSWORD
    if kind == "no starttls":
        options = {}
    elif kind == "foreign certificate":
        more = {}
    else:
        password = "another secret"
    server, sink = serve(sinks(**options), LCFILE_MAIL_USER=USER, LCFILE_MAIL_PASSWORD=password, **more)
    signed_up(server)
    mail = eventually(lambda: [mail for mail in waiting(server) if "failure" in mail])[0]
    assert words in mail["failure"] and mail["state"] == "waiting"
    assert sink.mails() == []
    assert password not in server.errors


def test_password_from_a_file(serve, sinks, tmp_path):
    (tmp_path / "password").write_text(PASSWORD + "\n")
    server, sink = serve(
        sinks(auth=True), LCFILE_MAIL_USER=USER, LCFILE_MAIL_PASSWORD_FILE=str(tmp_path / "password"),
        LCFILE_MAIL_STARTTLS="off",
    )
    sink.wait(address(signed_up(server)))


# Failures

@pytest.mark.extended
@pytest.mark.parametrize("mode, words", [
    ("defer", "does not accept the recipient now (451)"), ("drop", "closed the connection"),
    ("slow", "did not answer in time"), ("refuse-sender", "refused the sender with 550"),
])
def test_failed_mail_is_sent_again(serve, mode, words):
    server, sink = serve(LCFILE_MAIL_TIMEOUT="1")
    sink.behave(mode)
    user = signed_up(server)
    mail = eventually(lambda: [mail for mail in waiting(server) if "failure" in mail])[0]
    assert words in mail["failure"], mail
    assert mail["to"] == address(user) and mail["attempts"] == 1
    sink.behave("accept")
    mail, = sink.wait(address(user), within=15)
    assert "Address confirmed" in server.api().session.post(link_of(mail)).text
    assert eventually(lambda: waiting(server) == [])
    assert eventually(lambda: "Mails are sent again" in server.errors)
    assert "A mail was not sent; this is tried again" in server.errors


@pytest.mark.extended
@pytest.mark.parametrize("mode, status", [("refuse-recipient", 550), ("refuse-data", 554), ("refuse-message", 554)])
def test_refused_mail_is_a_dead_letter_at_once(serve, mode, status):
    server, sink = serve()
    sink.behave(mode)
    user = signed_up(server)
    mail, = eventually(lambda: waiting(server, "dead"))
    assert (mail["state"], mail["to"], mail["attempts"]) == ("dead", address(user), 1)
    assert str(status) in mail["failure"]
    assert waiting(server) == []
    # The gauge is measured each second, the counter at once.
    measured = {f"mails_dead {ALPHA.id}": 1, f"mails_given_up {ALPHA.id}": 1}
    assert eventually(lambda: values(server, "lcfile_mails_dead", "lcfile_mails_given_up_total") == measured)
    assert eventually(lambda: mail["objectId"] in server.errors)
    assert address(user) not in server.errors


@pytest.mark.extended
def test_mail_server_that_is_down_loses_nothing(serve):
    server, sink = serve()
    sink.stop()
    users = [signed_up(server) for _ in range(5)]
    assert eventually(lambda: any("failure" in mail for mail in waiting(server)))
    assert len(waiting(server)) == 5 and waiting(server, "dead") == []
    sink.start()
    for user in users:
        sink.wait(address(user), within=30)
    assert eventually(lambda: waiting(server) == [])


@pytest.mark.extended
def test_mail_that_cannot_be_delivered_in_time_is_a_dead_letter_and_commands_send_it_again(serve):
    server, sink = serve(LCFILE_MAIL_GIVE_UP_AFTER="1")
    sink.behave("defer")
    user = signed_up(server)
    keys = credentials_of(server.url, master=ALPHA.master)
    assert eventually(lambda: waiting(server, "dead"))
    assert lcfile("mail", "list", **keys).stdout == ""
    listed = lcfile("mail", "list", "--dead", **keys)
    assert re.fullmatch(rf"\S+ +\S+ +dead +verify +{address(user)} +\d+ +The mail server does not .*\n", listed.stdout)
    mail = json.loads(lcfile("mail", "list", "--dead", "--json", **keys).stdout)
    assert mail["to"] == address(user)
    sink.behave("accept")
    assert lcfile("mail", "retry", mail["objectId"], **keys).stdout == "1 mail\n"
    found, = sink.wait(address(user))
    assert "Address confirmed" in server.api().session.post(link_of(found)).text
    assert lcfile("mail", "retry", "--all", **keys).stdout == "0 mails\n"
    unknown = lcfile("mail", "retry", "nope", **keys)
    assert (unknown.returncode, unknown.stdout) == (FAILED, "0 mails\n") and "1 of 1 message" in unknown.stderr
    assert lcfile("mail", "list", "--dead", **keys).stdout == ""
    for wrong in (["retry"], ["retry", "--all", mail["objectId"]], ["list", "--limit", "0"]):
        assert lcfile("mail", *wrong, **keys).returncode == USAGE


@pytest.mark.parametrize("body", [{}, {"ids": []}, {"ids": ["*"]}, {"ids": "x"}, {"all": "true"}, {"ids": ["a"] * 1001}])
def test_retry_refuses_other_bodies(server, body):
    assert_refused(server.api(master=True).post("/1.1/mails/retry", json=body), 400, 119)


@pytest.mark.extended
def test_kill_between_the_commit_and_the_mail_loses_nothing(serve):
    server, sink = serve()
    sink.behave("slow")
    users = [signed_up(server) for _ in range(3)]
    assert eventually(lambda: sink.tried() >= 2)
    server.kill()
    assert sink.mails() == []
    sink.stop()
    sink.behave("accept")
    sink.start()
    server.start()
    for user in users:
        mail, = sink.wait(address(user))
        assert "Address confirmed" in server.api().session.post(link_of(mail)).text
    assert eventually(lambda: waiting(server) == [])


@pytest.mark.extended
def test_mails_are_counted(serve):
    server, sink = serve()
    sink.wait(address(signed_up(server)))
    assert eventually(lambda: values(server, "lcfile_mails_sent_total") == {f"mails_sent {ALPHA.id}": 1})
    assert values(server, "lcfile_mails_waiting", "lcfile_mails_dead", "lcfile_mails_failed_total") == {}


@pytest.mark.extended
def test_ended_links_are_not_valid(serve):
    server, sink = serve(LCFILE_MAIL_VERIFY_LIFETIME="1")
    user = signed_up(server)
    url = link_of(sink.wait(address(user))[0])
    assert eventually(lambda: server.api().session.get(url).status_code == 404)
    assert server.api().session.post(url).status_code == 404
    assert user.read()["emailVerified"] is False


# Limits

def reset(server, email):
    return server.api().post("/1.1/requestPasswordReset", json={"email": email})


@pytest.mark.extended
def test_requests_that_send_no_mail_use_up_no_address(serve):
    server, sink = serve(LCFILE_MAIL_MAX_PER_ADDRESS="2")
    email = new_email()
    for _ in range(3):
        assert_refused(reset(server, email), 400, 205)
    signed_up = server.api().post("/1.1/users", json={"username": "late", "password": "p", "email": email})
    assert signed_up.status_code == 201


@pytest.mark.extended
def test_limit_of_an_address(serve):
    server, sink = serve(LCFILE_MAIL_MAX_PER_ADDRESS="2")
    user = signed_up(server)
    for _ in range(2):
        reset(server, address(user)).raise_for_status()
    response = reset(server, address(user))
    assert_refused(response, 429, 1, "mail.maxPerAddress")
    assert 0 < int(response.headers["Retry-After"]) <= 1800
    assert_refused(reset(server, address(user).upper()), 429, 1, "mail.maxPerAddress")
    # The master key has no limit, and another address has its own.
    assert server.api(master=True).post("/1.1/requestPasswordReset", json={"email": address(user)}).status_code == 200
    ask(server, signed_up(server))


@pytest.mark.extended
@pytest.mark.parametrize("limit", ["CLIENT", "APP"])
def test_limit_of_a_client_and_of_an_app(serve, limit):
    server, sink = serve(**{f"LCFILE_MAIL_MAX_PER_{limit}": "2"})
    words = f"mail.maxPer{limit.capitalize()}"
    first, second = signed_up(server), signed_up(server)
    refused = server.api().post("/1.1/users", json={"username": "late", "password": "p", "email": new_email()})
    assert_refused(refused, 429, 1, words)
    assert log_in(server.api(), "p", username="late").json()["code"] == 211
    assert_refused(first.change({"email": new_email()}), 429, 1, words)
    assert first.change({"city": "Lyon"}).status_code == 200
    assert_refused(server.api().post("/1.1/requestEmailVerify", json={"email": address(second)}), 429, 1, words)
    elsewhere = server.api().at("127.0.0.2").post("/1.1/requestEmailVerify", json={"email": address(second)})
    assert elsewhere.status_code == (200 if limit == "CLIENT" else 429)
    sign_up(server.api())


# Settings of accounts

@pytest.mark.extended
def test_log_in_needs_a_verified_address_if_the_setting_says_so(serve):
    server, sink = serve(**settings(requireVerifiedEmail=True, verifyEmail=True))
    user = signed_up(server)
    assert_refused(log_in(server.api(), username=user.username), 400, 216)
    assert log_in(server.api(), "wrong", username=user.username).json()["code"] == 210
    assert "Address confirmed" in server.api().session.post(link_of(sink.wait(address(user))[0])).text
    assert log_in(server.api(), username=user.username).status_code == 200
    assert log_in(server.api(), username=sign_up(server.api()).username).status_code == 200


@pytest.mark.extended
def test_apps_have_their_own_settings(new_server, sinks):
    server = new_server(**mail_settings(sinks()) | settings(verifyEmail=False))
    file = server.folder / "lcfile.yaml"
    file.write_text(file.read_text().replace(
        f"  - id: {ALPHA.id}", f"  - id: {ALPHA.id}\n    verifyEmail: true\n    requireVerifiedEmail: true"
    ))
    server.start()
    alpha = sign_up(server.api(), email=new_email())
    assert log_in(server.api(), username=alpha.username).json()["code"] == 216
    beta = server.api(BETA)
    other = beta.post("/1.1/users", json={"username": "bob", "password": "p", "email": new_email()})
    assert other.status_code == 201
    assert log_in(beta, "p", username="bob").status_code == 200


@pytest.mark.extended
def test_unknown_address_answers_alike_if_the_setting_says_so(serve):
    server, sink = serve(**settings(hideUnknownUsers=True))
    user = signed_up(server)
    for call in ("requestEmailVerify", "requestPasswordReset"):
        answers = [server.api().post(f"/1.1/{call}", json={"email": email}) for email in (address(user), new_email())]
        assert [(answer.status_code, answer.json()) for answer in answers] == [(200, {})] * 2
    sink.wait(address(user), 3)
    assert eventually(lambda: waiting(server) == [])
    assert {mail["X-Rcpt"] for mail in sink.mails()} == {address(user)}


# The operator's texts

@pytest.fixture
def texts(tmp_path):
    """A folder for the operator's texts."""
    folder = tmp_path / "texts"
    folder.mkdir()
    return folder


@pytest.mark.extended
def test_texts_of_the_operator_are_used(new_server, sinks, texts):
    (texts / "verify-mail.en.txt").write_text("Subject: 欢迎 {{app}}\n\nYour link: {{link}}\n")
    (texts / "page.en.html").write_text("<title>{{title}}</title><style>b{color:red}</style><b>Ours</b>{{content}}")
    sink = sinks()
    server = new_server(**mail_settings(sink, LCFILE_MAIL_TEMPLATES=str(texts))).start()
    mail, = sink.wait(address(signed_up(server)))
    assert mail["Subject"] == "欢迎 Example"
    assert mail.get_body("plain").get_content().startswith("Your link: http")
    page = server.api().session.get(link_of(mail), headers={"Accept-Language": "en"})
    assert "<b>Ours</b>" in page.text and "<form" in page.text
    assert page.headers["Content-Security-Policy"].count("sha256-") == 2


@pytest.mark.extended
@pytest.mark.parametrize("name, text, words", [
    ("verify-mail.en.txt", "Subject: a\n{{lnk}}", "verify-mail.en.txt has the unknown variable '{{lnk}}'"),
    ("verify-mail.fr.txt", "Subject: a\n{{link}}", "verify-mail.fr.txt is not the name of a template"),
])
def test_server_does_not_start_with_a_faulty_text(new_server, sinks, texts, name, text, words):
    (texts / name).write_text(text)
    server = new_server(**mail_settings(sinks(), LCFILE_MAIL_TEMPLATES=str(texts))).launch()
    assert server.wait() == 78
    assert words in server.errors
