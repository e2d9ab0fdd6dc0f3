"""An SMS gateway in a process of its own, which keeps the requests that it accepts and answers as it is told."""

import hashlib
import hmac
import http.server
import json
import socket
import subprocess
import sys
import time
from pathlib import Path

from client import TIMEOUT, eventually, free_port

SECRET = "a secret of the gateway"


class SMSGateway:
    """The process, and the requests that it accepted, as files of a folder."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/send"
        self.process = None

    def start(self):
        (self.folder / "ready").unlink(missing_ok=True)
        command = [sys.executable, __file__, str(self.folder), str(self.port)]
        self.process = subprocess.Popen(command, cwd=Path(__file__).parent)
        assert eventually((self.folder / "ready").exists), "the gateway did not start"
        return self

    def behave(self, mode):
        """accept, slow, drop, a status, or `say …`: 200 with a text."""
        new = self.folder / "mode.new"
        new.write_text(mode)
        new.rename(self.folder / "mode")

    def requests(self):
        """The accepted requests, in their order."""
        return [json.loads(path.read_text()) for path in sorted(self.folder.glob("*.json"))]

    def messages(self, to=None):
        """The JSON bodies of the accepted requests."""
        bodies = [json.loads(request["body"]) for request in self.requests()]
        return [body for body in bodies if to is None or body["number"] == to]

    def wait(self, to, count=1, within=TIMEOUT):
        """The messages to a number, once there are that many."""
        assert eventually(lambda: len(self.messages(to)) >= count, within), f"{len(self.messages(to))} SMS to {to}"
        return self.messages(to)

    def code(self, to, count=1):
        """The code in the last of that many messages to a number."""
        return self.wait(to, count)[-1]["code"]

    def tried(self):
        """How many requests it got."""
        return len(list(self.folder.glob("*.try")))

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=TIMEOUT)


def sms_settings(gateway, **more):
    """The settings of a server that sends its SMS through the gateway, without the limits."""
    return {
        "LCFILE_SMS_PROVIDER": "webhook", "LCFILE_SMS_WEBHOOK": gateway.url, "LCFILE_SMS_WEBHOOK_SECRET": SECRET,
        "LCFILE_FETCH_ALLOWED_NETWORKS": "127.0.0.0/8", "LCFILE_SMS_RETRY_PAUSE": "1", "LCFILE_SMS_APP_NAME": "Example",
        "LCFILE_SMS_MAX_PER_MINUTE": "0", "LCFILE_SMS_MAX_PER_DAY": "0", "LCFILE_SMS_MAX_PER_CLIENT": "0",
        "LCFILE_SMS_MAX_PER_APP": "0",
    } | more


def is_signed(request):
    """Whether the signature of a request is right."""
    headers = {name.lower(): value for name, value in request["headers"].items()}
    text = f"{headers['x-lc-sms-timestamp']}.{request['body']}".encode()
    right = hmac.new(SECRET.encode(), text, hashlib.sha256).hexdigest()
    return abs(time.time() - int(headers["x-lc-sms-timestamp"])) < 60 and headers["x-lc-sms-signature"] == right


# What the process does

class Handler(http.server.BaseHTTPRequestHandler):
    folder = None

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        stamp = f"{time.time_ns():020}"
        (self.folder / f"{stamp}.try").touch()
        try:
            mode = (self.folder / "mode").read_text()
        except FileNotFoundError:
            mode = "accept"
        if mode == "slow":
            time.sleep(600)
        if mode == "drop":
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        status, text = (int(mode), "") if mode.isdigit() else (200, mode.removeprefix("say ") if mode != "accept" else "OK")
        if status < 300 and mode == "accept":
            path = self.folder / f"{stamp}.new"
            path.write_text(json.dumps({"path": self.path, "headers": dict(self.headers), "body": body}))
            path.rename(path.with_suffix(".json"))
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *arguments):
        pass


def serve(folder, port):
    Handler.folder = Path(folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    server.daemon_threads = True
    (Handler.folder / "ready").touch()
    server.serve_forever()


if __name__ == "__main__":
    serve(*sys.argv[1:])
