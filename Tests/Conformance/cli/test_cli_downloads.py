"""lcfile get, and lcfile thumbnail with --output."""

import io
import json
import os

import pytest
from client import free_port
from commands import FAILED, SERVER, USAGE, assert_fails, credentials_of, lcfile
from PIL import Image


@pytest.fixture
def run(server, tmp_path):
    """Runs a command in a folder of its own."""
    return lambda *arguments, **options: lcfile(
        *arguments, folder=tmp_path, **credentials_of(server.url) | options
    )


@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("by", ["objectId", "key", "url"])
@pytest.mark.parametrize("name", ["a b.bin", "照片.bin", "🚀", "plain"])
def test_file_is_downloaded_under_its_name(run, api, tmp_path, by, name):
    data = os.urandom(100_000)
    record = api.store(data, name=name)
    result = run("get", record[by])
    assert (result.returncode, result.stderr, result.stdout) == (0, "", f"{name}\n")
    assert (tmp_path / name).read_bytes() == data
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_several_files_go_into_a_folder_that_is_created(run, api, tmp_path):
    records = [api.store(name.encode(), name=name) for name in ("one", "two", "three")]
    result = run("get", "-o", "folder", *(record["objectId"] for record in records))
    assert result.stdout.splitlines() == ["folder/one", "folder/two", "folder/three"]
    assert (tmp_path / "folder" / "two").read_bytes() == b"two"


@pytest.mark.extended
def test_standard_output(run, api):
    data = os.urandom(1 << 20)
    result = run("get", "-o", "-", api.store(data)["objectId"], text=False)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout == data


def test_existing_file_stays_without_overwrite(run, api, tmp_path):
    record = api.store(b"new", name="f.txt")
    (tmp_path / "f.txt").write_text("old")
    result = run("get", record["objectId"])
    assert_fails(result, "f.txt exists", "--overwrite")
    assert (tmp_path / "f.txt").read_text() == "old"
    assert run("get", "--overwrite", record["objectId"]).returncode == 0
    assert (tmp_path / "f.txt").read_text() == "new"


@pytest.mark.few(2)
@pytest.mark.parametrize("file", ["000000000000000000000000", "no-such-key", "{url}/no-such-key"])
def test_missing_file_leaves_nothing(run, server, tmp_path, file):
    assert_fails(run("get", file.format(url=server.url)))
    assert list(tmp_path.iterdir()) == []


def test_folder_that_is_a_file_is_wrong_usage(run, tmp_path):
    (tmp_path / "file").write_text("")
    assert run("get", "a", "b", "-o", "file").returncode == USAGE


def test_external_file_is_downloaded_from_its_url(run, api, tmp_path):
    inner = api.store(b"bytes of another server", name="inner.txt")
    body = {"url": inner["url"], "name": "outer.txt", "mime_type": "text/plain"}
    record = api.post("/1.1/files", json=body).json()
    assert run("get", record["objectId"]).stdout == "outer.txt\n"
    assert (tmp_path / "outer.txt").read_bytes() == b"bytes of another server"


@pytest.mark.extended
def test_damaged_bytes_do_not_become_the_file(new_server, tmp_path):
    # The client finds the damage, not a round of the scrubber.
    server = new_server(LCFILE_SCRUB_DAYS="0").start()
    record = server.api().store(b"right", name="f.txt")
    blob, = server.blobs()
    blob.chmod(0o600)
    blob.write_bytes(b"wrong")
    result = lcfile("get", record["objectId"], folder=tmp_path, **credentials_of(server.url))
    assert_fails(result, "hash differs")
    assert "f.txt" not in [path.name for path in tmp_path.iterdir()]
    assert "f.txt.lcfile-part" not in [path.name for path in tmp_path.iterdir()]


def test_json(run, api):
    record = api.store(b"12345", name="f.txt")
    result = run("get", "--json", record["objectId"], "no-such-key")
    first, second = map(json.loads, result.stdout.splitlines())
    assert first == {"source": record["objectId"], "path": "f.txt", "size": 5}
    assert (second["source"], second["status"]) == ("no-such-key", 404)
    assert result.returncode == FAILED


def test_no_server(run):
    url = f"http://127.0.0.1:{free_port()}"
    assert_fails(run("get", "000000000000000000000000", LCFILE_SERVER=url), "connect", code=SERVER)


@pytest.mark.extended
def test_thumbnail_is_printed_and_downloaded(run, api, tmp_path, rocket):
    record = api.store(rocket, name="rocket.jpg")
    options = ["--width", "100", "--height", "80", "--format", "png"]
    result = run("thumbnail", *options, record["objectId"])
    assert result.stdout == f"{record['url']}?imageView2/2/w/100/h/80/format/png\n"
    assert api.fetch(result.stdout.strip()).headers["Content-Type"] == "image/png"
    result = run("thumbnail", *options, "--crop", "-o", ".", record["key"])
    assert (result.returncode, result.stdout) == (0, "rocket.png\n")
    image = Image.open(tmp_path / "rocket.png")
    assert (image.size, image.format) == ((100, 80), "PNG")
    data = run("thumbnail", "--width", "50", "-o", "-", record["url"], text=False).stdout
    assert Image.open(io.BytesIO(data)).width == 50


def test_thumbnail_of_something_else_is_refused(run, api, tmp_path):
    record = api.store(b"no image", name="a.txt")
    assert_fails(run("thumbnail", "--width", "10", "-o", "x.jpg", record["objectId"]), "HTTP 400")
    assert not (tmp_path / "x.jpg").exists()
