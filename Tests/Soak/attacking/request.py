"""One request of the attacker: its bytes, and when its answer is due."""

import json
from dataclasses import dataclass, field
from urllib.parse import quote

from measuring import APP
from wire import head

KEYS = {"X-LC-Id": APP["LCFILE_APP_ID"], "X-LC-Key": APP["LCFILE_APP_KEY"]}
MASTER = KEYS | {"X-LC-Key": f"{APP['LCFILE_MASTER_KEY']},master"}
# Bytes of a URL that the server reads; it refuses heads of 80 KB.
LONGEST_TARGET = 75_000


@dataclass
class Request:
    """A request, ready to be sent."""

    kind: str
    method: str
    target: str
    headers: dict
    body: bytes = b""
    # Seconds until the answer must have come.
    deadline: float = 0
    # Seconds after which the client closes the connection without an answer.
    leaves_after: float | None = None
    pieces: list = field(init=False)

    def __post_init__(self):
        self.pieces = [head(self.method, self.target, self.headers, self.body), self.body]

    def __str__(self):
        return f"{self.kind}: {self.method} {self.target[:500]} with {len(self.body)} bytes: {self.body[:1000]!r}"


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def with_json(kind, method, target, value, headers=KEYS):
    return Request(kind, method, target, headers | {"Content-Type": "application/json"}, compact(value).encode())


def query(kind, target, parameters, headers=KEYS):
    """A GET; one whose URL would be too long goes through a text/plain tunnel."""
    texts = {name: value if isinstance(value, str) else compact(value) for name, value in parameters.items()}
    url = f"{target}?{'&'.join(f'{name}={quote(text)}' for name, text in texts.items())}"
    if len(url) <= LONGEST_TARGET:
        return Request(kind, "GET", url, headers)
    credentials = {"_ApplicationId": headers["X-LC-Id"], "_ApplicationKey": headers["X-LC-Key"]}
    body = compact(texts | credentials | {"_method": "GET"}).encode()
    return Request(f"{kind} (tunnel)", "POST", target, {"Content-Type": "text/plain"}, body)
