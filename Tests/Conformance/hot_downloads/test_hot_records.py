"""Metrics and the log have hot requests as they have others."""

import re
from urllib.parse import quote

import pytest
from client import eventually
from hot import make_hot, series, settle, store_at
from hot_files import hot_response, response_to, status_of, stored


def labels(method, status):
    return f'group="files",method="{method}",status="{status}"'


@pytest.mark.few(2)
@pytest.mark.parametrize("method, fields, status", [
    ("GET", [], 200), ("HEAD", [], 200), ("GET", ["If-None-Match: *"], 304), ("HEAD", ["If-None-Match: *"], 304),
])
def test_hot_requests_count_as_others_do(server, method, fields, status):
    name = "lcfile_http_requests_total"
    _, target = stored(server, b"counted")
    assert status_of(server, target, *fields, method=method) == status
    make_hot(server, target)
    settle(server)
    before = series(server, name)
    for _ in range(5):
        hot_response(server, target, *fields, method=method)
    after = series(server, name)
    assert {key: after[key] - before.get(key, 0) for key in after if after[key] != before.get(key, 0)} == {
        labels(method, status): 5
    }


def test_no_request_is_active_after_hot_ones(server):
    _, target = stored(server, b"active")
    make_hot(server, target)
    for _ in range(5):
        hot_response(server, target)
    assert eventually(lambda: set(series(server, "lcfile_http_requests_in_progress").values()) == {0})


# Method, key, query string and field of a request.
LOGGED = {
    "GET": ("GET", "logged.txt", "", "X: y"),
    "HEAD": ("HEAD", "head.txt", "", "X: y"),
    "304": ("GET", "unmodified.txt", "", "If-None-Match: *"),
    "query string": ("GET", "query.txt", "?attname=secret.txt", "X: y"),
    "escapes": ("GET", "a b/茶.txt", "", "X: y"),
    # The log has such a path without what can be the token of an upload.
    "path like that of an upload": ("GET", f"a/1.1/uploads/{'Zx9' * 13}", "", "X: y"),
}


@pytest.fixture(scope="module")
def lines(server, master):
    """The log's lines of a request that was not hot, and of the same one when it was, by the names of `LOGGED`."""
    ids = {}
    for name, (method, key, query, field) in LOGGED.items():
        store_at(master, key, b"logged", name="x.txt")
        target = f"/{quote(key)}{query}"
        first = response_to(server, target, field, method=method)
        make_hot(server, target)
        ids[name] = [
            response.getheader("X-Request-Id") for response in (first, hot_response(server, target, field, method=method))
        ]
    # The server writes lines a second after the first of them at the latest.
    assert eventually(lambda: f"={ids[name][1]} " in server.errors)
    written = server.errors.splitlines()
    return {name: [[line for line in written if f"={id} " in line] for id in pair] for name, pair in ids.items()}


@pytest.mark.parametrize("name", LOGGED)
def test_hot_request_has_one_line_in_the_log_with_its_id(lines, name):
    assert len(lines[name][1]) == 1


@pytest.mark.parametrize("name", LOGGED)
def test_line_of_a_hot_request_is_that_of_another(lines, name):
    changing = r"^\S+|(?<= id=)\S+|(?<= ms=)[\d.]+"
    first, hot = (re.sub(changing, "", line) for (line,) in lines[name])
    assert hot == first
