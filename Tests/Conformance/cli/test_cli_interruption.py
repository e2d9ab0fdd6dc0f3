"""Ctrl-C and restarts of the server in the middle of transfers."""

import hashlib
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
import requests
from client import BINARY, TIMEOUT, eventually
from commands import INTERRUPTED, credentials_of, lcfile, own_environment

pytestmark = pytest.mark.long

SIZE = 24 << 20


@pytest.fixture
def data(tmp_path):
    data = os.urandom(SIZE)
    (tmp_path / "large 大.bin").write_bytes(data)
    return data


@pytest.fixture
def start(tmp_path):
    """Starts a command in the folder of the test; what still runs in the end is stopped."""
    processes = []

    def start(server, *arguments):
        environment = own_environment(XDG_STATE_HOME=str(tmp_path / "state"), **credentials_of(server.url))
        process = subprocess.Popen(
            [BINARY, *arguments], cwd=tmp_path, env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait(timeout=TIMEOUT)


def states(tmp_path):
    return list((tmp_path / "state" / "lcfile" / "uploads").glob("*.json"))


def upload_under_way(server, tmp_path):
    """Waits until the server has bytes of the upload in the state file; returns the URL of its progress."""

    def progress():
        for state in states(tmp_path):
            if text := state.read_text():
                url = server.url + "/1.1/uploads/" + json.loads(text)["location"].rsplit("/", 1)[-1]
                if requests.get(url, timeout=TIMEOUT).json().get("received", 0) > 0:
                    return url
        return None

    url = eventually(progress, TIMEOUT)
    assert url, "no upload began"
    return url


def assert_uploaded(server, url, result, data):
    """The file has the bytes, and it is the upload that began first."""
    upload = requests.get(url, timeout=TIMEOUT).json()
    assert upload["state"] == "finished"
    record = json.loads(result)["file"]
    assert record["objectId"] == upload["objectId"]
    content = requests.get(record["url"], timeout=TIMEOUT).content
    assert hashlib.sha256(content).digest() == hashlib.sha256(data).digest()


@pytest.mark.extended
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_upload_continues_after_an_interruption(server, data, start, tmp_path, number):
    process = start(server, "upload", "--json", "--bandwidth", "3M", "large 大.bin", "missing")
    url = upload_under_way(server, tmp_path)
    process.send_signal(number)
    _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == INTERRUPTED
    assert "interrupted; 0 of 2 files uploaded" in errors
    assert "run the command again" in errors and "  large 大.bin" in errors
    stored = requests.get(url, timeout=TIMEOUT).json()["received"]
    assert 0 < stored < SIZE
    (state,) = states(tmp_path)
    assert state.stat().st_mode & 0o777 == 0o600
    again = start(server, "upload", "--json", "large 大.bin")
    output, errors = again.communicate(timeout=TIMEOUT)
    assert (again.returncode, errors) == (0, "")
    assert_uploaded(server, url, output, data)
    assert states(tmp_path) == []


@pytest.mark.extended
def test_changed_file_or_description_begins_again(server, data, start, tmp_path):
    process = start(server, "upload", "--bandwidth", "3M", "large 大.bin")
    url = upload_under_way(server, tmp_path)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=TIMEOUT)
    again = start(server, "upload", "--json", "--name", "other.bin", "large 大.bin")
    output, _ = again.communicate(timeout=TIMEOUT)
    assert again.returncode == 0
    assert json.loads(output)["file"]["objectId"] != requests.get(url, timeout=TIMEOUT).json()["objectId"]
    (tmp_path / "large 大.bin").write_bytes(bytes(SIZE))
    third = start(server, "upload", "--json", "large 大.bin")
    output, _ = third.communicate(timeout=TIMEOUT)
    assert requests.get(json.loads(output)["file"]["url"], timeout=TIMEOUT).content == bytes(SIZE)


@pytest.mark.extended
def test_file_that_replaced_another_one_of_its_size_and_time_begins_again(server, data, start, tmp_path):
    file = tmp_path / "large 大.bin"
    process = start(server, "upload", "--bandwidth", "3M", file.name)
    url = upload_under_way(server, tmp_path)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=TIMEOUT)
    times = (file.stat().st_atime_ns, file.stat().st_mtime_ns)
    (tmp_path / "other").write_bytes(bytes(SIZE))
    (tmp_path / "other").rename(file)
    os.utime(file, ns=times)
    again = start(server, "upload", "--json", file.name)
    output, errors = again.communicate(timeout=TIMEOUT)
    assert (again.returncode, errors) == (0, "")
    record = json.loads(output)["file"]
    assert record["objectId"] != requests.get(url, timeout=TIMEOUT).json()["objectId"]
    assert requests.get(record["url"], timeout=TIMEOUT).content == bytes(SIZE)


@pytest.mark.extended
def test_upload_survives_a_killed_server(new_server, data, start, tmp_path):
    server = new_server().start()
    process = start(server, "upload", "--json", "--bandwidth", "6M", "large 大.bin")
    url = upload_under_way(server, tmp_path)
    server.kill()
    server.start()
    output, errors = process.communicate(timeout=4 * TIMEOUT)
    assert (process.returncode, errors) == (0, "")
    assert_uploaded(server, url, output, data)


@pytest.mark.extended
def test_download_continues_after_an_interruption(server, api, data, start, tmp_path):
    record = api.store(data, name="down.bin")
    part = tmp_path / "down.bin.lcfile-part"
    process = start(server, "get", "--bandwidth", "3M", record["objectId"])
    assert eventually(lambda: part.exists() and part.stat().st_size > 1 << 20, TIMEOUT)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == INTERRUPTED
    assert f"  {record['objectId']}" in errors
    size = part.stat().st_size
    assert 1 << 20 < size < SIZE
    assert not (tmp_path / "down.bin").exists()
    # Marks the bytes that are there, to see that they are used: the hash tells, and the next run begins again.
    with part.open("r+b") as file:
        file.write(b"not those bytes!")
    damaged = start(server, "get", record["objectId"])
    _, errors = damaged.communicate(timeout=TIMEOUT)
    assert damaged.returncode == 1 and "hash differs" in errors
    assert not part.exists() and not (tmp_path / "down.bin").exists()
    process = start(server, "get", record["objectId"])
    assert process.wait(timeout=TIMEOUT) == 0
    assert (tmp_path / "down.bin").read_bytes() == data


@pytest.mark.extended
def test_download_survives_a_killed_server(new_server, data, start, tmp_path):
    server = new_server().start()
    record = server.api().store(data, name="down.bin")
    process = start(server, "get", "--bandwidth", "6M", record["objectId"])
    part = tmp_path / "down.bin.lcfile-part"
    assert eventually(lambda: part.exists() and part.stat().st_size > 1 << 20, TIMEOUT)
    server.kill()
    server.start()
    _, errors = process.communicate(timeout=4 * TIMEOUT)
    assert (process.returncode, errors) == (0, "")
    assert (tmp_path / "down.bin").read_bytes() == data


def test_second_interruption_ends_at_once(server, data, start, tmp_path):
    process = start(server, "upload", "--bandwidth", "1M", "large 大.bin")
    upload_under_way(server, tmp_path)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=TIMEOUT) == INTERRUPTED


def test_interruption_of_a_stream_says_what_is_missing(server, start, tmp_path):
    read, write = os.pipe()
    environment = own_environment(**credentials_of(server.url))
    process = subprocess.Popen(
        [BINARY, "upload", "-", "--name", "s"], env=environment, stdin=read, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )
    os.close(read)
    os.write(write, b"some bytes")
    assert eventually(lambda: takes_interruptions(process.pid), TIMEOUT)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=TIMEOUT)
    os.close(write)
    assert process.returncode == INTERRUPTED
    assert "interrupted; 0 of 1 file uploaded" in errors


def takes_interruptions(pid):
    """Whether the process reads SIGINT from a descriptor: before that, the signal is lost or ends the process."""
    masks = []
    for file in Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            lines = file.read_text().splitlines()
        except OSError:
            continue  # closed meanwhile
        masks += [int(line.split()[1], 16) for line in lines if line.startswith("sigmask:")]
    return any(mask & 1 << signal.SIGINT - 1 for mask in masks)
