"""Uploads whose clients leave before their end: nothing is stored, and the server has not failed."""

import json
import re
import socket
import ssl
import struct
from contextlib import ExitStack, suppress

import pytest
from client import chunk, credentials, eventually, head
from h2.errors import ErrorCodes
from hot import active, series
from http2 import DATA, GOAWAY, Client2, frame
from request_log import logged_status
from tls import log_lines

TYPE = {"content-type": "application/octet-stream"}
UPLOAD = {name.lower(): value for name, value in credentials().items()} | TYPE
# What arrives of a body of 10 000 bytes.
PART, LENGTH = b"x" * 2000, {"content-length": "10000"}


# How clients leave; `stream` is that of the upload, with HTTP/2

def fin(connection, stream):
    """Ends the connection of TCP without a close_notify, as an attacker can."""
    connection.socket.shutdown(socket.SHUT_WR)


def close_notify(connection, stream):
    with suppress(ssl.SSLError):  # The server sends data before its own close_notify.
        connection.socket.unwrap()


def rst(connection, stream):
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.socket.close()


def goaway(client, stream):
    client.send(frame(GOAWAY, 0, 0, struct.pack(">II", 0, ErrorCodes.NO_ERROR)))
    fin(client, stream)


def violation(client, stream):
    """Sends a frame to which the server answers with the end of the connection."""
    client.send(frame(DATA, 0, 0, b"x"))
    assert client.wait_for_end() == ErrorCodes.PROTOCOL_ERROR


def cancel(client, stream):
    client.h2.reset_stream(stream, ErrorCodes.CANCEL)
    client.flush()


# How uploads begin

def http1(server, path, has_length):
    connection = server.raw()
    fields = credentials() | TYPE | (LENGTH if has_length else {"transfer-encoding": "chunked"})
    connection.send(head("POST", path, fields) + (PART if has_length else chunk(PART)))
    return connection, None


def http2(server, path, has_length):
    client = Client2(server)
    return client, client.begin("POST", path, UPLOAD | (LENGTH if has_length else {}), PART, ends=False)


LEAVING = [(http2, leave) for leave in (fin, close_notify, rst, goaway, violation, cancel)]
LEAVING += [(http1, leave) for leave in (fin, close_notify, rst)]
CASES = [(begin, leave, has_length) for begin, leave in LEAVING for has_length in (True, False)]


def name_of(case):
    begin, leave, has_length = case
    return f"{begin.__name__}-{leave.__name__}-{'length' if has_length else 'no-length'}"


@pytest.fixture(scope="module")
def statuses(hostile):
    """A server on which the uploads of all cases were cut off; the statuses of their requests in the log."""
    with ExitStack() as connections:
        begun = []
        for case in CASES:
            begin, leave, has_length = case
            connection, stream = begin(hostile, f"/1.1/files/{name_of(case)}", has_length)
            begun.append((leave, connections.enter_context(connection), stream))
        assert eventually(lambda: active(hostile) == len(CASES)), "not all uploads begin"
        for leave, connection, stream in begun:
            leave(connection, stream)
        statuses = {case: logged_status(hostile, f"/1.1/files/{name_of(case)}") for case in CASES}
        assert eventually(lambda: active(hostile) == 0), "a request does not end"
    return statuses


def records(server, name):
    response = server.api(master=True).get("/1.1/files", params={"where": json.dumps({"name": name})})
    assert response.status_code == 200, response.text
    return response.json()["results"]


def test_whole_upload_leaves_its_record(server):
    """So the records of cut-off uploads would be found."""
    with Client2(server) as client:
        assert client.api("POST", "/1.1/files/whole.bin", TYPE | {"content-length": "2000"}, PART).status == 201
    assert [record["metaData"]["size"] for record in records(server, "whole.bin")] == [2000]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_cut_off_upload_leaves_no_record(hostile, statuses, case):
    assert records(hostile, name_of(case)) == []


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_cut_off_upload_is_an_error_of_its_client(statuses, case):
    assert statuses[case] == 400


def test_cut_off_uploads_leave_no_bytes(hostile, statuses):
    assert (hostile.blobs(), hostile.staged()) == ([], [])


def test_cut_off_uploads_write_no_line_of_level_error(hostile, statuses):
    assert log_lines(hostile, "error") == []


def test_cut_off_uploads_count_as_no_failures_of_the_server(hostile, statuses):
    counts = series(hostile, "lcfile_http_requests_total")
    assert [labels for labels, value in counts.items() if value and re.search('status="(5..|other)"', labels)] == []
