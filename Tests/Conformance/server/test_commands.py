"""Commands without a server of their own: lcfile upload, lcfile health and lcfile version."""

import json
import re

import pytest
from client import ALPHA, ROCKET, free_port
from commands import FAILED, SERVER, USAGE, assert_fails, credentials_of, lcfile


@pytest.fixture
def upload(server, tmp_path):
    def run(*files, key=ALPHA.key, url=server.url):
        return lcfile("upload", *files, folder=tmp_path, **credentials_of(url, key=key))

    return run


@pytest.mark.smoke
def test_upload_prints_the_address(upload, api, rocket):
    result = upload(ROCKET)
    (url,) = result.stdout.splitlines()
    assert (result.returncode, result.stderr) == (0, "")
    assert api.fetch(url).content == rocket


def test_uploaded_file_has_its_name_and_type(upload, api):
    upload(ROCKET)
    record = api.get("/1.1/files?order=-createdAt&limit=1").json()["results"][0]
    assert (record["name"], record["mime_type"]) == ("rocket.jpg", "image/jpeg")


def test_several_files_print_a_line_each_in_order(upload, api, tmp_path):
    for name in ("one.txt", "two.txt", "three.txt"):
        (tmp_path / name).write_text(name)
    result = upload("one.txt", "two.txt", "three.txt")
    assert [api.fetch(url).text for url in result.stdout.splitlines()] == ["one.txt", "two.txt", "three.txt"]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["two words.txt", "照片.txt", "a;b,c=d.txt", 'quo"te.txt', "-dash.txt", "per%20cent.txt", "@at.txt"])
def test_any_name_is_kept(upload, api, tmp_path, name):
    (tmp_path / name).write_text("x")
    assert upload("--", name).returncode == 0
    assert api.get("/1.1/files?order=-createdAt&limit=1").json()["results"][0]["name"] == name


def test_empty_file_is_uploaded(upload, api, tmp_path):
    (tmp_path / "empty.txt").write_text("")
    assert api.fetch(upload("empty.txt").stdout.strip()).content == b""


def test_wrong_key_is_said(upload):
    assert_fails(upload(ROCKET, key="wrong-wrong"), "rocket.jpg", "Unauthorized.", "401", code=SERVER)


def test_missing_file_is_said(upload):
    assert_fails(upload("nowhere.jpg"), "nowhere.jpg")


def test_empty_folder_has_no_files(upload, tmp_path, api):
    (tmp_path / "folder").mkdir()
    before = api.count()
    result = upload("folder")
    assert (result.returncode, result.stdout, api.count()) == (0, "", before)


def test_server_that_is_down_is_said(upload):
    assert_fails(upload(ROCKET, url=f"http://127.0.0.1:{free_port()}"), "rocket.jpg", "connect", code=SERVER)


def test_a_failure_does_not_stop_the_other_files(upload, tmp_path, api):
    for name in ("one.txt", "three.txt"):
        (tmp_path / name).write_text(name)
    before = api.count()
    result = upload("one.txt", "nowhere.txt", "three.txt")
    assert (result.returncode, len(result.stdout.splitlines()), api.count() - before) == (FAILED, 2, 2)
    assert "nowhere.txt" in result.stderr


def test_environment_names_server_and_app(server):
    result = lcfile("upload", ROCKET, LCFILE_PUBLIC_URL=server.url, LCFILE_APP_ID=ALPHA.id, LCFILE_APP_KEY=ALPHA.key)
    assert (result.returncode, result.stdout.startswith(server.url)) == (0, True)


def test_upload_without_an_app_is_wrong_usage():
    result = lcfile("upload", ROCKET)
    assert result.returncode == USAGE
    assert "--app-id" in result.stderr


def test_upload_without_files_is_wrong_usage():
    assert lcfile("upload", LCFILE_APP_ID="a", LCFILE_APP_KEY="b").returncode == USAGE


@pytest.mark.parametrize("option", [(), ("--live",), ("--ready",)])
def test_health_of_a_server_that_runs(server, option):
    result = lcfile("health", *option, "--server", server.url)
    assert (result.returncode, result.stderr) == (0, "")


def test_health_finds_the_port_in_the_environment(server):
    assert lcfile("health", LCFILE_PORT=str(server.port)).returncode == 0


def test_health_of_a_server_that_is_down():
    assert_fails(lcfile("health", "--server", f"http://127.0.0.1:{free_port()}"), "does not answer")


def test_health_of_one_kind_at_a_time(server):
    assert lcfile("health", "--live", "--ready", "--server", server.url).returncode == USAGE


def test_health_of_something_else(server):
    assert_fails(lcfile("health", "--server", f"{server.url}/elsewhere"), "404")


# Versions

LIBRARIES = ["libvips", "SQLite", "libpq", "libcurl", "Swift"]


def test_version_names_the_libraries():
    result = lcfile("--version")
    first, second = result.stdout.splitlines()
    assert re.fullmatch(r"lcfile \d+\.\d+\.\d+(-dev)? \(commit (unknown|[0-9a-f]{7,40}(-modified)?)\)", first)
    assert [part.split()[0] for part in second.split(", ")] == LIBRARIES
    assert lcfile("version").stdout == result.stdout


def test_version_as_json():
    version = json.loads(lcfile("version", "--json").stdout)
    assert f"lcfile {version['version']} (commit {version.get('commit', 'unknown')})" in lcfile("--version").stdout
    assert sorted(version["libraries"]) == sorted(LIBRARIES)


@pytest.mark.parametrize("arguments, words", [((), ["serve", "upload", "health"]), (("serve",), ["--storage", "--sample"])])
def test_help_names_everything(arguments, words):
    result = lcfile(*arguments, "--help")
    assert result.returncode == 0
    for word in words:
        assert word in result.stdout
