"""Calls of censorship, images for it, and a receiver of its webhook that an operator runs beside the server."""

import hashlib
import hmac
import io
import json
import random
import time

from client import ALPHA, TESTS, Server, eventually
from PIL import Image
from serving import Serving

SECRET = "the shared secret"
MODEL = TESTS.parent / "models" / "open-nsfw.onnx"
# The server is allowed to reach receivers on this machine, tries again soon, and has no model unless a test names it.
PLAIN = {
    "LCFILE_FETCH_ALLOWED_NETWORKS": "127.0.0.1/32",
    "LCFILE_CENSORSHIP_RETRY_PAUSE": "1",
}
# Longer than a check takes with its retries on a slow machine.
LONG = 60


def censoring(folder, **settings):
    """A server of one app."""
    return Server(folder, apps=(ALPHA,), **PLAIN | settings).start()


def with_webhook(receiver, **settings):
    """Settings of a server that asks the receiver."""
    return {
        "LCFILE_CENSORSHIP_WEBHOOK": f"{receiver.url}/check", "LCFILE_CENSORSHIP_WEBHOOK_SECRET": SECRET,
        "LCFILE_CENSORSHIP_WEBHOOK_TIMEOUT": "2",
    } | settings


def with_purge(receiver, **settings):
    """Settings of a server that tells the receiver of blocked files."""
    return {
        "LCFILE_CENSORSHIP_PURGE": f"{receiver.url}/purge", "LCFILE_CENSORSHIP_WEBHOOK_SECRET": SECRET,
    } | settings


# Images

def image(seed, width=120, height=80):
    """A picture of random patches, unlike that of any other seed."""
    chance = random.Random(seed)
    small = Image.new("RGB", (12, 8))
    small.putdata([tuple(chance.randrange(256) for _ in range(3)) for _ in range(12 * 8)])
    return small.resize((width, height), Image.Resampling.BICUBIC)


def bytes_of(picture, format="JPEG", **options):
    out = io.BytesIO()
    picture.save(out, format, **options)
    return out.getvalue()


def photo(seed, width=120, height=80):
    """A small JPEG, unlike that of any other seed."""
    return bytes_of(image(seed, width, height), quality=90)


# Calls

def put(master, id, verdict, **fields):
    """A person's verdict, which must be taken; returns the state."""
    response = master.call("PUT", f"/1.1/files/{id}/censor", json={"verdict": verdict} | fields)
    assert response.status_code == 200, response.text
    return response.json()


def block(master, id, **fields):
    return put(master, id, "rejected", **fields)


def waiting(master):
    """The number of jobs in the queue."""
    return sum(master.get("/1.1/censorship/status").json()["waiting"].values())


def learned(master, id):
    """Waits until a blocked file is in the list of known images; returns its entry."""
    entry = lambda: next((one for one in known(master) if one.get("file") == id), None)
    assert eventually(entry, LONG), f"{id} is not in the list"
    return entry()


def known(master):
    """All known images."""
    return pages(master, "/1.1/censorship/known")


def state(master, id):
    response = master.get(f"/1.1/files/{id}/censor")
    assert response.status_code == 200, response.text
    return response.json()


def verdict(master, id):
    return state(master, id).get("censorResult")


def decided(master, id, within=LONG):
    """Waits until a machine or a person has decided; returns the state."""
    seen = lambda: (now := state(master, id)) and now.get("censorResult") not in (None, "pending") and now
    found = eventually(seen, within)
    assert found, f"no verdict in time: {state(master, id)}"
    return found


def settings(master, **changes):
    """Changes settings, which must be taken; returns all."""
    response = master.call("PUT", "/1.1/censorship/settings", json=changes)
    assert response.status_code == 200, response.text
    return response.json()


def pages(master, path, **query):
    """All results of a list, page by page."""
    found, cursor = [], None
    while True:
        response = master.get(path, params={"limit": 200} | query | ({"cursor": cursor} if cursor else {}))
        assert response.status_code == 200, response.text
        body = response.json()
        found += body["results"]
        cursor = body.get("cursor")
        if not cursor:
            return found


def review(master, **query):
    """All files of the review list."""
    return pages(master, "/1.1/censorship", **query)


def log(master):
    """The whole log, the newest entry first."""
    return pages(master, "/1.1/censorship/log")


def at_server(server, url):
    """The URL at the server's own address."""
    return server.url + "/" + url.split("://", 1)[1].split("/", 1)[1]


def status_of(api, url, **headers):
    return api.fetch(url, **headers).status_code


def assert_blocked(response):
    assert response.status_code == 403, response.content[:100]
    assert "no-store" in response.headers["Cache-Control"]


# The webhook

def signed(body, secret=SECRET, at=None):
    """The headers with time and signature of a body."""
    at = str(int(time.time()) if at is None else at)
    code = hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()
    return {"Content-Type": "application/json", "X-LC-Censor-Timestamp": at, "X-LC-Censor-Signature": code}


def is_signed(request, secret=SECRET):
    at = request.headers.get("X-LC-Censor-Timestamp", "")
    right = signed(request.body, secret, at)["X-LC-Censor-Signature"]
    return abs(time.time() - int(at)) < 60 and hmac.compare_digest(right, request.headers["X-LC-Censor-Signature"])


class Receiver(Serving):
    """Answers as it is told: `says` is a JSON value for 200, or a function of the request that replies itself."""

    def __init__(self, port=0):
        self.says = {"verdict": "passed"}
        super().__init__(port)

    def answer(self, request):
        if callable(self.says):
            return self.says(request)
        request.reply(200, json.dumps(self.says).encode(), Content_Type="application/json")

    def asked(self, id):
        """The bodies of the requests for a file."""
        with self.lock:
            requests = list(self.requests)
        return [body for request in requests if (body := json.loads(request.body))["file"] == id]


def says(status, body=b"", **headers):
    """An answer for `Receiver.says`."""
    return lambda request: request.reply(status, body, **headers)
