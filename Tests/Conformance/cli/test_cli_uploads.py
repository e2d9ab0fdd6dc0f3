"""lcfile upload: files, folders, standard input, descriptions."""

import contextlib
import hashlib
import json
import os
import subprocess

import pytest
from cases import covering
from client import ALPHA, BINARY, free_port
from commands import FAILED, SERVER, USAGE, assert_fails, credentials_of, lcfile, own_environment

LARGE = 17 << 20


@pytest.fixture
def run(server, tmp_path):
    """Runs a command in a folder of its own; `master=True` gives it the master key."""

    def run(*arguments, master=False, url=server.url, **options):
        keys = credentials_of(url, master=ALPHA.master if master else None)
        return lcfile(*arguments, folder=tmp_path, **keys | options)

    return run


@pytest.fixture
def upload(run):
    """Uploads what must succeed; returns the records."""

    def upload(*arguments, **options):
        result = run("upload", "--json", *arguments, **options)
        assert (result.returncode, result.stderr) == (0, "")
        return [json.loads(line)["file"] for line in result.stdout.splitlines()]

    return upload


NAMES = ["two words.txt", "照片.jpg", "🚀 emoji.png", "no-extension", ".hidden", "quo\"te';.txt", "-dash"]


@pytest.mark.few(2)
@pytest.mark.parametrize("name, size", covering(NAMES, [5, LARGE]))
def test_odd_names_and_all_bytes(upload, api, tmp_path, name, size):
    data = os.urandom(16) * (size // 16 + 1)
    (tmp_path / name).write_bytes(data)
    record, = upload("--", name)
    assert record["name"] == name
    assert record["metaData"]["size"] == len(data)
    assert hashlib.sha256(api.fetch(record["url"]).content).digest() == hashlib.sha256(data).digest()


@pytest.mark.extended
def test_folder_is_uploaded_with_everything_in_it_except_links(upload, tmp_path):
    (tmp_path / "album" / "deep" / "照").mkdir(parents=True)
    for path in ("a.txt", ".b", "deep/c.txt", "deep/照/d"):
        (tmp_path / "album" / path).write_text(path)
    (tmp_path / "album" / "link").symlink_to("/etc/passwd")
    (tmp_path / "album" / "circle").symlink_to("..")
    os.mkfifo(tmp_path / "album" / "pipe")
    assert sorted(record["name"] for record in upload("album/")) == [".b", "a.txt", "c.txt", "d"]


def test_link_named_as_argument_is_followed(upload, tmp_path):
    (tmp_path / "target.txt").write_text("x")
    (tmp_path / "link.txt").symlink_to("target.txt")
    assert upload("link.txt")[0]["name"] == "link.txt"


@pytest.mark.extended
@pytest.mark.parametrize("size", [0, 5, 8 << 20, (8 << 20) + 1, LARGE])
def test_standard_input(server, api, size):
    data = os.urandom(1 << 10) * (size >> 10) + b"x" * (size & 1023)
    result = lcfile("upload", "-", "--name", "in.bin", input=data, text=False, **credentials_of(server.url))
    assert (result.returncode, result.stderr) == (0, b"")
    assert api.fetch(result.stdout.decode().strip()).content == data


def test_description(upload, api, tmp_path):
    (tmp_path / "a.txt").write_text("x")
    record, = upload(
        "a.txt", "--name", "b.md", "--mime-type", "text/x-special", "--meta", '{"album":"夏"}', "--key-prefix", "p/q",
        "--keep-name", "--read", "everyone", "--write", "role:Editors",
    )
    assert (record["name"], record["mime_type"], record["metaData"]["album"]) == ("b.md", "text/x-special", "夏")
    assert record["key"].startswith("p/q/") and record["key"].endswith("/b.md")
    shown = api.get(f"/1.1/files/{record['objectId']}?returnACL=true").json()
    assert shown["ACL"] == {"*": {"read": True}, "role:Editors": {"write": True}}


@pytest.mark.extended
def test_key_needs_the_master_key(run, upload, api, tmp_path):
    (tmp_path / "a.txt").write_text("x")
    record, = upload("a.txt", "--key", "chosen/by me.txt", master=True)
    assert record["key"] == "chosen/by me.txt"
    assert api.fetch(record["url"]).text == "x"
    result = run("upload", "a.txt", "--key", "other")
    assert result.returncode == USAGE and "--master-key-file" in result.stderr
    again = run("upload", "a.txt", "--key", "chosen/by me.txt", master=True)
    assert_fails(again, "a.txt", "HTTP 400")


def test_failures_are_listed_at_the_end_and_in_json(run, tmp_path):
    for name in ("a.txt", "c.txt"):
        (tmp_path / name).write_text(name)
    result = run("upload", "nowhere", "a.txt", "missing", "c.txt", "--json")
    assert result.returncode == FAILED
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["source"] for line in lines] == ["nowhere", "a.txt", "missing", "c.txt"]
    assert ["error" in line for line in lines] == [True, False, True, False]
    first, *listed = result.stderr.splitlines()
    assert first == "lcfile: 2 of 4 files failed:"
    assert [line.split(": ")[1] for line in listed] == ["nowhere", "missing"]


def test_quiet_prints_errors_only(run, tmp_path):
    (tmp_path / "a.txt").write_text("x")
    result = run("upload", "-q", "a.txt", "missing")
    assert (result.returncode, result.stdout) == (FAILED, "")
    assert "missing" in result.stderr


def test_wrong_key_stops_the_run(run, tmp_path):
    for name in "abcdefghij":
        (tmp_path / name).write_text(name)
    result = run("upload", "--concurrency", "1", *"abcdefghij", LCFILE_APP_KEY="wrong-key")
    assert (result.returncode, result.stdout) == (SERVER, "")
    assert "a: Unauthorized." in result.stderr and "9 files not tried" in result.stderr
    assert "wrong-key" not in result.stderr


def test_no_server(run, tmp_path):
    (tmp_path / "a.txt").write_text("x")
    assert_fails(run("upload", "a.txt", url=f"http://127.0.0.1:{free_port()}"), "a.txt", "connect", code=SERVER)


@pytest.mark.extended
def test_refused_file_is_said(new_server, tmp_path):
    server = new_server(LCFILE_UPLOADS_MAX_SIZE="1MB").start()
    (tmp_path / "big").write_bytes(bytes(2 << 20))
    (tmp_path / "bigger").write_bytes(bytes(LARGE))
    for name in ("big", "bigger"):
        result = lcfile("upload", name, folder=tmp_path, **credentials_of(server.url))
        assert_fails(result, name, "HTTP 413")


@pytest.mark.extended
@pytest.mark.alone
def test_memory_does_not_grow_with_the_file(server, tmp_path):
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 128 << 20)

    def peak(*arguments, source=os.devnull):
        """The largest memory of a command; /proc has it until the command ends, and it only grows."""
        most = 0
        with open(source) as input:
            process = subprocess.Popen(
                [BINARY, *arguments], stdin=input, stdout=subprocess.DEVNULL,
                env=own_environment(**credentials_of(server.url)),
            )
        while process.poll() is None:
            with contextlib.suppress(OSError, ValueError), open(f"/proc/{process.pid}/status") as status:
                value, = [line.split()[1] for line in status if line.startswith("VmHWM")]
                most = max(most, int(value) << 10)
        assert process.returncode == 0
        return most

    (tmp_path / "small").write_bytes(b"x")
    idle = peak("upload", str(tmp_path / "small"))
    assert peak("upload", str(tmp_path / "large")) < idle + (32 << 20)
    assert peak("upload", "-", "--name", "stream", source=tmp_path / "large") < idle + (64 << 20)


@pytest.mark.extended
def test_server_with_another_public_address(new_server, tmp_path):
    """The address in `Location` and in records can be one that the client does not reach."""
    server = new_server(LCFILE_PUBLIC_URL="https://files.invalid").start()
    (tmp_path / "large").write_bytes(bytes(LARGE))
    result = lcfile("upload", "large", "--json", folder=tmp_path, **credentials_of(server.url))
    assert (result.returncode, result.stderr) == (0, "")
    record = json.loads(result.stdout)["file"]
    assert record["url"].startswith("https://files.invalid/")
    result = lcfile("get", "-o", "copy", record["objectId"], folder=tmp_path, **credentials_of(server.url))
    assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "copy").read_bytes() == bytes(LARGE)


@pytest.mark.extended
def test_many_files_keep_their_order(run, api, tmp_path):
    (tmp_path / "many").mkdir()
    for number in range(100):
        (tmp_path / "many" / f"{number:03}").write_text("x" * (number % 7))
    result = run("upload", "--json", "--concurrency", "16", "many")
    assert (result.returncode, result.stderr) == (0, "")
    names = [json.loads(line)["file"]["name"] for line in result.stdout.splitlines()]
    assert names == [f"{number:03}" for number in range(100)]
