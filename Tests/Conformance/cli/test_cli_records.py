"""lcfile ls, stat and url."""

import json

import pytest
from client import ALPHA, Server, free_port
from commands import FAILED, SERVER, USAGE, assert_fails, credentials_of, lcfile


@pytest.fixture(scope="module")
def files(api):
    """Twelve files with a mark that others lack, the oldest first."""
    return [api.store(b"x" * number, name=f"n{number:02}.txt", metaData='{"mark":"ls"}') for number in range(12)]


@pytest.fixture
def run(server):
    return lambda *arguments, **options: lcfile(*arguments, **credentials_of(server.url) | options)


WHERE = '{"metaData.mark":"ls"}'


def test_newest_files_come_first(run, files):
    result = run("ls", "--where", WHERE, "--columns", "objectId")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.split() == [file["objectId"] for file in reversed(files)]


def test_default_columns(run, files):
    line = run("ls", "--where", WHERE, "--limit", "1").stdout.splitlines()[0]
    last = files[-1]
    assert line.split() == [last["objectId"], "11", last["createdAt"], "text/plain", "n11.txt"]


@pytest.mark.few(2)
@pytest.mark.parametrize("order, first", [("name", "n00.txt"), ("-name", "n11.txt"), ("createdAt", "n00.txt"), ("-objectId", None)])
def test_order(run, files, order, first):
    names = run("ls", "--where", WHERE, "--order", order, "--columns", "name").stdout.split()
    assert len(names) == 12
    assert first in (None, names[0])


def test_json_lines_are_records(run, files):
    lines = [json.loads(line) for line in run("ls", "--where", WHERE, "--json", "--limit", "3").stdout.splitlines()]
    assert [line["name"] for line in lines] == ["n11.txt", "n10.txt", "n09.txt"]
    assert lines[0]["metaData"]["size"] == 11


@pytest.fixture(scope="module")
def paged(tmp_path_factory):
    """The credentials for a server with more files than a page has."""
    server = Server(tmp_path_factory.mktemp("paged")).start()
    master = server.api(master=True)
    for start in range(0, 1100, 100):
        requests = [
            {"method": "POST", "path": "/1.1/classes/_File", "body": {"url": "http://e.org/x", "name": f"{start + n:04}"}}
            for n in range(100)
        ]
        assert all("success" in reply for reply in master.post("/1.1/batch", json={"requests": requests}).json())
    yield credentials_of(server.url)
    assert server.stop() == 0


@pytest.mark.few(1)
@pytest.mark.parametrize("order", ["-createdAt", "createdAt", "objectId", "name"])
def test_all_pages_are_listed_once(paged, order):
    result = lcfile("ls", "--all", "--order", order, "--columns", "name", **paged)
    assert sorted(result.stdout.split()) == [f"{number:04}" for number in range(1100)]


def test_limit_beyond_a_page_is_listed(paged):
    limited = lcfile("ls", "--limit", "1050", "--columns", "name", **paged)
    assert len(set(limited.stdout.split())) == 1050


def test_bad_condition_is_said(run):
    assert_fails(run("ls", "--where", '{"a":{"$nonsense":1}}'), "$nonsense", "HTTP 400")
    assert run("ls", "--where", "nonsense").returncode == USAGE


@pytest.mark.extended
def test_permissions_apply_without_the_master_key(run, rules, files, tmp_path):
    rules.set("_File", find=[], get=[])
    assert_fails(run("ls"), "HTTP 403")
    assert len(run("ls", "--master", "--where", WHERE, LCFILE_MASTER_KEY=ALPHA.master).stdout.splitlines()) == 12
    # Downloads need no permission, and uploads only that to create.
    assert run("get", "-o", "-", files[5]["key"]).stdout == "xxxxx"
    (tmp_path / "large").write_bytes(bytes(17 << 20))
    result = run("upload", tmp_path / "large")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("http")


@pytest.mark.extended
@pytest.mark.parametrize("by", ["objectId", "key", "url"])
def test_stat_and_url(run, files, by):
    file = files[5]
    rows = dict(line.split(maxsplit=1) for line in run("stat", file[by]).stdout.splitlines())
    assert (rows["objectId"], rows["name"], rows["size"], rows["metaData.mark"]) == (
        file["objectId"], "n05.txt", "5 (5 B)", '"ls"'
    )
    assert rows["md5"] == file["metaData"]["_checksum"]
    assert json.loads(run("stat", "--json", file[by]).stdout)["objectId"] == file["objectId"]
    assert run("url", file[by]).stdout == f"{file['url']}\n"


def test_url_under_another_name(run, files, api):
    url = run("url", "--save-as", "报告 1.txt", files[1]["objectId"]).stdout.strip()
    assert "attachment" in api.fetch(url).headers["Content-Disposition"]


def test_missing_files_do_not_hide_the_others(run, files):
    result = run("url", "000000000000000000000000", files[0]["objectId"], "no-such-key")
    assert (result.returncode, result.stdout) == (FAILED, f"{files[0]['url']}\n")
    assert "lcfile: 2 of 3 files failed:" in result.stderr


def test_wrong_key_and_no_server(run):
    assert_fails(run("ls", LCFILE_APP_KEY="wrong"), "Unauthorized.", code=SERVER)
    assert_fails(run("ls", LCFILE_SERVER=f"http://127.0.0.1:{free_port()}"), "connect", code=SERVER)
    assert_fails(run("stat", "key", LCFILE_SERVER=f"http://127.0.0.1:{free_port()}"), "connect", code=SERVER)
