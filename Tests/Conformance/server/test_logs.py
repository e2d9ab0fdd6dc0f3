"""The log: what its lines say of requests and of the run, in JSON and in text, and that no client forges a line."""

import json
import re
import socket

import pytest
from client import ALPHA, Server, eventually
from hot import get, make_hot
from terminals import OnTerminal

CLIENT = "198.51.100.7"


@pytest.fixture(scope="module")
def logging(tmp_path_factory):
    """A server that writes JSON and believes a proxy on this machine."""
    server = Server(
        tmp_path_factory.mktemp("logging"),
        LCFILE_LOG_FORMAT="auto",
        LCFILE_HTTP_PROXIES="127.0.0.1",
        LCFILE_PUBLIC_URL="https://files.example.com/base",
        LCFILE_CENSORSHIP_WEBHOOK_SECRET="the secret of the webhook",
        LCFILE_DISK_RESERVE="32MB",
    ).start()
    yield server
    server.stop()


def lines(server):
    """All whole lines, each of which must be an object with the parts that every line has."""
    text = server.errors
    parsed = [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]
    for line in parsed:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert {"level", "logger", "message"} <= line.keys()
    return parsed


def request_line(server, id):
    """The only line of the request with an id."""
    def found():
        return [line for line in lines(server) if line["message"] == "Request" and line["id"] == id]

    assert eventually(found), f"no line of request {id}"
    line, = found()
    return line


def line_of(server, target, *fields, method="GET"):
    """The line of a request that is sent now, and its response."""
    with server.raw() as connection:
        connection.send(get(target, *fields, method=method))
        response = connection.answer(method)
    return request_line(server, response.getheader("X-Request-Id")), response


# Requests

def test_line_of_a_call_says_who_asked_what_and_what_it_cost(logging):
    api = logging.api()
    response = api.get("/1.1/classes/Nothing?where=%7B%7D", headers={"X-Forwarded-For": CLIENT})
    line = request_line(logging, response.headers["X-Request-Id"])
    assert line.pop("time") and line.pop("ms") >= 0
    assert line == {
        "level": "info", "logger": "lcfile", "message": "Request", "id": response.headers["X-Request-Id"],
        "app": ALPHA.id, "client": CLIENT, "method": "GET", "path": "/1.1/classes/Nothing",
        "route": "/1.1/classes/{class}", "status": response.status_code, "bytes": len(response.content),
    }


@pytest.mark.extended
@pytest.mark.parametrize("method, fields, size", [("GET", [], 7), ("HEAD", [], 0), ("GET", ["If-None-Match: *"], 0)])
def test_line_of_a_hot_download_is_that_of_its_route(logging, method, fields, size):
    target = "/" + logging.api().store(b"content", "x.txt")["key"]
    found = []
    for hot in (False, True):
        if hot:
            make_hot(logging, target)
        line, _ = line_of(logging, target, f"X-Forwarded-For: {CLIENT}", *fields, method=method)
        assert line.pop("time") and line.pop("id") and line.pop("ms") >= 0
        found.append(line)
    assert found[0] == found[1]
    assert (found[0]["app"], found[0]["client"], found[0]["bytes"]) == (ALPHA.id, CLIENT, size)


@pytest.mark.extended
def test_download_that_its_client_leaves_is_marked(logging):
    record = logging.api().store(bytes(64 << 20), name="large.bin")
    with logging.raw() as connection:
        connection.send(get("/" + record["key"]))
        assert connection.socket.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 200"

    def left():
        return [line for line in lines(logging) if line.get("path") == f"/{record['key']}"]

    line, = eventually(left)
    assert line["complete"] is False and "bytes" not in line


HOSTILE = {
    "escapes of a line break": ("/a%0d%0a2026-01-01T00:00:00.000Z%20error%20lcfile:%20forged", []),
    "bytes beyond ASCII": ("/\xe2\x80\xa8forged\xc2\x85", []),
    "quotes": ('/a"},{"level":"error","message":"forged', []),
    "an address": ("/a", ["X-Forwarded-For: forged\xc2\x85"]),
    "an id": ("/a", ["X-Request-Id: forged"]),
    "a session": ("/a", ["X-LC-Id: forged", "X-LC-Key: forged"]),
}


@pytest.mark.extended
@pytest.mark.parametrize("name", HOSTILE)
def test_no_request_forges_a_line(logging, name):
    target, fields = HOSTILE[name]
    line_of(logging, "/before")
    before = len(lines(logging))
    with logging.raw() as connection:
        connection.send(get(target, *fields))
        connection.answer()
    # Lines are written in their order, so those of the request, if it has some, are there with that of the next one.
    line_of(logging, "/behind")
    new = lines(logging)[before:]
    assert {(line["level"], line["message"]) for line in new} == {("info", "Request")}
    # A client whom a proxy does not name has no address.
    unnamed = {"0.0.0.0"} if name == "an address" else set()
    assert {line["client"] for line in new} == {"127.0.0.1"} | unnamed


@pytest.mark.few(1)
@pytest.mark.parametrize("format", ["json", "text"])
def test_name_of_a_file_forges_no_line(new_server, format):
    """A failure names what the client sent."""
    server = new_server(LCFILE_LOG_FORMAT=format, LCFILE_LOG_LEVEL="debug").start()
    name = "x\r\n2026-01-01T00:00:00.000Z critical lcfile: forged"
    server.api().post("/1.1/files/x.txt", json={"base64": "aGk=", "prefix": name, "mime_type": name})
    server.api().post(f"/1.1/classes/{'A' * 200}", json={name: name})
    assert server.stop() == 0
    beginning = '{"time":"20' if format == "json" else "20"
    for line in server.errors.splitlines():
        assert line.startswith(beginning) and not line.startswith("2026-01-01"), line


# The run

def test_start_says_version_storage_settings_and_limits(logging):
    start, = [line for line in lines(logging) if line["message"] == "The server starts"]
    assert re.match(r"\d+\.\d+\.\d+", start["version"])
    assert {"libvips", "SQLite", "libpq", "libcurl", "Swift"} == start["libraries"].keys()
    assert start["storage"] == str(logging.storage)
    settings = start["settings"]
    assert settings["port"] == str(logging.port)
    assert settings["publicURL"] == "https://files.example.com/…"
    assert settings["censorship.webhookSecret"] == "(set)"
    # These have their defaults.
    assert not {"disk.reserve", "log.format", "host"} & settings.keys()
    serving, = [line for line in lines(logging) if line["message"] == "The server accepts requests"]
    assert serving["limits"]["connections"] > 0 and serving["limits"]["uploadBytes"] > 0
    assert (serving["limits"]["requestsPerMinute"], serving["limits"]["imageMillisecondsPerMinute"]) == (12000, 60000)
    assert "the secret of the webhook" not in logging.errors
    assert not any(key in logging.errors for key in (ALPHA.key, ALPHA.master))


@pytest.mark.extended
@pytest.mark.parametrize("signal, name", [(15, "SIGTERM"), (2, "SIGINT")])
def test_stop_says_which_signal_came(new_server, signal, name):
    server = new_server(LCFILE_LOG_FORMAT="json").start()
    server.process.send_signal(signal)
    assert server.wait() == 0
    stop, stopped = lines(server)[-2:]
    assert (stop["message"], stop["reason"]) == ("The server stops", name)
    assert stopped["message"] == "The server has stopped"


@pytest.mark.few(2)
@pytest.mark.parametrize("code, settings, reason", [
    (78, {"LCFILE_LOG_LEVEL": "loud", "LCFILE_METRICS_ENABLED": "maybe"}, "2 settings cannot be used:\n"),
    (73, {"LCFILE_UPLOADS_TYPE_TABLE": "/nowhere"}, "/nowhere"),
    (69, {"LCFILE_HOST": "192.0.2.1"}, "192.0.2.1"),
])
@pytest.mark.parametrize("format", ["auto", "json"])
def test_failed_start_is_the_last_line_of_a_log_in_json(new_server, code, settings, reason, format):
    server = new_server(LCFILE_LOG_FORMAT=format, **settings).launch()
    assert server.wait() == code
    last = lines(server)[-1]
    assert (last["level"], last["message"]) == ("critical", "The server stops")
    assert reason in last["reason"]
    assert [line["message"] for line in lines(server)].count("The server stops") == 1


def test_faults_of_a_file_are_logged_in_the_format_of_the_file(new_server):
    server = new_server(apps=())
    del server.environment["LCFILE_LOG_FORMAT"]
    (server.folder / "settings.yaml").write_text("colour: red\nlog: {format: text}\n")
    server.command += ["--config", "settings.yaml"]
    server.launch()
    assert server.wait() == 78
    assert server.errors.startswith("lcfile: unknown setting 'colour'")


def test_failed_start_on_a_terminal_is_a_sentence(new_server, tmp_path):
    server = new_server()
    command = OnTerminal("serve", "--port", "none", folder=tmp_path, columns=300)
    assert command.end() == 78
    assert "lcfile: port is 'none'; allowed: " in command.text
    assert server.process is None


@pytest.mark.extended
def test_log_on_a_terminal_is_text(new_server, tmp_path):
    server = new_server()
    command = OnTerminal("serve", *server.command[2:], folder=tmp_path, columns=300, **{
        name: value for name, value in server.environment.items()
        if name.startswith("LCFILE_") and name != "LCFILE_LOG_FORMAT"
    })
    assert command.shows("lcfile serves at")
    # The log is written once a second.
    assert command.shows("The server accepts requests")
    assert re.search(r"^\S+Z notice lcfile: The server starts ", command.text, re.MULTILINE)
    command.process.send_signal(15)
    assert command.end() == 0
    assert re.search(r"^\S+Z notice lcfile: The server stops reason=SIGTERM\r?$", command.text, re.MULTILINE)
