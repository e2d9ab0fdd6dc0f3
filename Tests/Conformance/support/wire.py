"""A client that never takes half an answer for a whole one, for tests that kill the server."""

import http.client
import json
from urllib.parse import urlsplit


class NoAnswer(Exception):
    """The connection ended before the answer did."""


class Reply:
    """A whole answer."""

    def __init__(self, request, status, headers, content):
        # The method and the path.
        self.request, self.status, self.headers, self.content = request, status, headers, content

    def json(self):
        return json.loads(self.content)


class Wire:
    """One connection, opened again as needed.

    A body is read by its Content-Length: a library that reads to the end of the connection takes a head whose body the
    server did not live to send for a whole answer without one.
    """

    def __init__(self, port, headers, timeout=15):
        self.port, self.headers, self.timeout = port, headers, timeout
        self.connection = None

    def call(self, method, path, body=b"", **headers):
        """The answer to a request; names of headers have _ for -, None leaves one out."""
        merged = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        merged = {name: str(value) for name, value in merged.items() if value is not None}
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
            self.connection.request(method, path, body, merged)
            response = self.connection.getresponse()
            content = response.read()
        except (http.client.HTTPException, OSError) as error:
            self.close()
            raise NoAnswer(f"{method} {path}: {error!r}") from error
        length = response.headers["Content-Length"]
        has_body = method != "HEAD" and response.status not in (204, 304)
        if has_body and (length is None or int(length) != len(content)):
            self.close()
            raise NoAnswer(f"{method} {path}: {len(content)} bytes of {length}")
        if response.status == 502:
            self.close()
            raise NoAnswer(f"{method} {path}: the server died behind the proxy")
        return Reply(f"{method} {path}", response.status, response.headers, content)

    def send(self, method, path, fields, **headers):
        """The answer to a request with JSON."""
        return self.call(method, path, json.dumps(fields).encode(), Content_Type="application/json", **headers)

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def path_of(url):
    """The part of an absolute URL that a request names."""
    return urlsplit(url).path
