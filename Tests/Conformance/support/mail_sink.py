"""A mail server in a process of its own, which keeps what it accepts and answers as it is told."""

import asyncio
import email
import email.policy
import json
import re
import ssl
import subprocess
import sys
from pathlib import Path

from accounts import settings
from client import TIMEOUT, eventually, free_port

USER, PASSWORD = "mailer", "a secret of mail"
LINK = re.compile(r"https?://\S+/1\.1/links/([a-z0-9]{40})/(\w+)")


class MailSink:
    """The process, and the mails that it accepted, as files of a folder."""

    def __init__(self, folder, certificate=None, smtps=False, auth=False, starttls=True):
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.port = free_port()
        self.url = f"{'smtps' if smtps else 'smtp'}://localhost:{self.port}"
        self.options = {
            "folder": str(self.folder), "port": self.port, "smtps": smtps, "auth": auth, "starttls": starttls,
            "chain": str(certificate.chain) if certificate else None,
            "key": str(certificate.key) if certificate else None,
        }
        self.process = None
        # By their files, which never change: a test that waits asks a hundred times for all of them.
        self.parsed = {}

    def start(self):
        (self.folder / "ready").unlink(missing_ok=True)
        self.process = subprocess.Popen([sys.executable, __file__, json.dumps(self.options)], cwd=Path(__file__).parent)
        assert eventually((self.folder / "ready").exists), "the mail server did not start"
        return self

    def behave(self, mode):
        """accept, refuse-recipient, refuse-data, refuse-message, refuse-sender, defer, slow or drop."""
        new = self.folder / "mode.new"
        new.write_text(mode)
        new.rename(self.folder / "mode")

    def mails(self, to=None):
        """The accepted mails, in their order."""
        paths = sorted(self.folder.glob("*.eml"))
        for path in paths:
            if path not in self.parsed:
                self.parsed[path] = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        return [self.parsed[path] for path in paths if to is None or self.parsed[path]["X-Rcpt"] == to]

    def wait(self, to, count=1, within=TIMEOUT):
        """The mails to an address, once there are that many."""
        assert eventually(lambda: len(self.mails(to)) >= count, within), f"{len(self.mails(to))} mails to {to}"
        return self.mails(to)

    def tried(self):
        """How many mails it was offered."""
        return len(list(self.folder.glob("*.try")))

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=TIMEOUT)


def mail_settings(sink, **more):
    """The settings of a server that sends its mails to the sink."""
    return {
        "LCFILE_MAIL_SERVER": sink.url, "LCFILE_MAIL_FROM": "Example <app@example.org>",
        "LCFILE_MAIL_MAX_PER_CLIENT": "0", "LCFILE_MAIL_RETRY_PAUSE": "1",
        "LCFILE_MAIL_REDIRECTS": "https://app.example.org, http://localhost:3000/in",
    } | settings(verifyEmail=True) | more


def link_of(mail):
    """The address of the page in a mail."""
    return LINK.search(mail.get_body("plain").get_content()).group()


def token_of(mail):
    return LINK.search(mail.get_body("plain").get_content()).group(1)


# What the process does

class Handler:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.count = len(list(self.folder.glob("*.try")))
        self.accepted = len(list(self.folder.glob("*.eml")))

    @property
    def mode(self):
        try:
            return (self.folder / "mode").read_text()
        except FileNotFoundError:
            return "accept"

    async def handle_MAIL(self, server, session, envelope, address, options):
        if self.mode == "refuse-sender":
            return "550 5.7.1 no such sender"
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        self.count += 1
        (self.folder / f"{self.count:06}.try").touch()
        mode = self.mode
        if mode == "refuse-recipient":
            return "550 5.1.1 no such mailbox"
        if mode == "defer":
            return "451 4.7.1 come back later"
        if mode == "slow":
            await asyncio.sleep(600)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        mode = self.mode
        if mode == "refuse-message":
            return "554 5.6.0 not this one"
        if mode == "drop":
            server.transport.abort()
            return "421 gone"
        added = f"X-Rcpt: {envelope.rcpt_tos[0]}\r\nX-From: {envelope.mail_from}\r\nX-Tls: {server.transport.get_extra_info('ssl_object') is not None}\r\n"
        added += f"X-Helo: {session.host_name}\r\nX-User: {session.authenticated}\r\n"
        self.accepted += 1
        path = self.folder / f"{self.accepted:06}.new"
        path.write_bytes(added.encode() + envelope.original_content)
        path.rename(path.with_suffix(".eml"))
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    from aiosmtpd.smtp import AuthResult

    return AuthResult(success=(data.login, data.password) == (USER.encode(), PASSWORD.encode()), handled=False)


async def serve(options):
    from aiosmtpd.smtp import SMTP

    context = None
    if options["chain"]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options["chain"], options["key"])
    handler = Handler(options["folder"])
    encrypts = context is not None and not options["smtps"] and options["starttls"]

    class Sink(SMTP):
        async def smtp_DATA(self, arg):
            if handler.mode == "refuse-data":
                return await self.push("554 5.7.1 no mail from there")
            await super().smtp_DATA(arg)

    def connection():
        return Sink(
            handler, hostname="sink", tls_context=context if encrypts else None, authenticator=authenticate,
            auth_required=options["auth"], auth_require_tls=encrypts, ident="sink",
        )

    loop = asyncio.get_running_loop()
    await loop.create_server(
        connection, "127.0.0.1", options["port"], ssl=context if options["smtps"] else None
    )
    (Path(options["folder"]) / "ready").touch()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(json.loads(sys.argv[1])))
