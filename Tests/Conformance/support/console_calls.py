"""Calls of the console's own addresses, as its site makes them and as an attacker would."""

import requests

from client import ALPHA, TIMEOUT


class ConsoleCalls:
    """A browser's view of the console without a browser: the cookie, and the token of the session."""

    def __init__(self, server, app=ALPHA, address=None):
        self.server, self.app = server, app
        self.base = f"{server.url}/console"
        self.http = requests.Session()
        self.token = None

    def log_in(self, key=None, app=None, **options):
        """Returns the response; a log-in that succeeds is kept."""
        body = {"app": (app or self.app).id, "key": self.app.master if key is None else key}
        response = self.http.post(f"{self.base}/session", json=body, timeout=TIMEOUT, **options)
        if response.status_code == 200:
            self.token = response.json()["token"]
        return response

    def session(self, **options):
        return self.http.get(f"{self.base}/session", timeout=TIMEOUT, **options)

    def log_out(self):
        return self.http.delete(f"{self.base}/session", headers={"X-Console-Token": self.token}, timeout=TIMEOUT)

    def call(self, method, path, headers=None, token=True, **options):
        """A call of the API; without `token` as another site would make it."""
        sent = {"X-Console-Token": self.token} if token and self.token else {}
        return self.http.request(
            method, f"{self.base}/api{path}", headers=sent | (headers or {}), timeout=TIMEOUT, **options
        )

    @property
    def cookie(self):
        """The only cookie."""
        cookie, = self.http.cookies
        return cookie


def audited(server, app=ALPHA):
    """The entries of the audit log, the newest first."""
    response = server.api(app, master=True).get("/1.1/classes/_ConsoleAudit?order=-createdAt&limit=1000")
    assert response.status_code == 200, response.text
    return response.json()["results"]
