"""lcfile censor: the command line of reviewers."""

import hashlib
import json
import re
import subprocess
import threading

import pytest
from cases import count
from censoring import censoring, log, photo, settings, state, verdict, with_webhook
from client import ALPHA, BINARY, eventually, free_port
from commands import FAILED, INTERRUPTED, SERVER, USAGE, assert_fails, credentials_of, lcfile, own_environment
from data import MISSING
from people import unique
from terminals import OnTerminal, on_terminal

pytestmark = pytest.mark.long

RECENTLY = "1h"


@pytest.fixture(scope="module")
def server(tmp_path_factory, receiver):
    server = censoring(tmp_path_factory.mktemp("censor_commands"), **with_webhook(receiver))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture(scope="module")
def keys(server):
    return credentials_of(server.url, master=ALPHA.master)


@pytest.fixture(scope="module")
def run(keys):
    return lambda *arguments, **options: lcfile("censor", *arguments, **keys | options)


@pytest.fixture
def files(server):
    """Three new images."""
    return [server.api().store(photo(unique("command")), name=f"photo {number}.jpg") for number in range(3)]


@pytest.fixture
def ids(files):
    return [file["objectId"] for file in files]


def succeed(result):
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


@pytest.mark.smoke
def test_files_are_blocked_and_passed(run, master, ids):
    out = succeed(run("block", *ids, "--note", "a note", "--by", "alice"))
    assert out.splitlines() == [f"{id}  blocked" for id in ids]
    seen = state(master, ids[1])
    assert (seen["censorResult"], seen["by"], seen["note"]) == ("rejected", "alice", "a note")
    assert succeed(run("pass", *ids)).splitlines() == [f"{id}  passed" for id in ids]
    assert [verdict(master, id) for id in ids] == ["passed"] * 3


def test_name_of_the_login_is_the_default(run, master, ids):
    succeed(run("block", ids[0]))
    assert state(master, ids[0])["by"]


@pytest.mark.extended
def test_ids_come_from_standard_input(run, master, ids):
    succeed(run("block", "-", input="\n".join(ids) + "\n"))
    assert [verdict(master, id) for id in ids] == ["rejected"] * 3
    lines = succeed(run("list", "--verdict", "rejected", "--limit", "3", "--json"))
    succeed(run("pass", "-", input=lines))
    assert [verdict(master, id) for id in ids] == ["passed"] * 3


def test_failure_does_not_stop_the_others(run, master, ids):
    result = run("block", ids[0], MISSING, ids[1])
    assert result.returncode == FAILED
    assert MISSING in result.stderr and "404" in result.stderr
    assert [verdict(master, id) for id in ids] == ["rejected", "rejected", None]


def test_json_lines_are_states(run, ids):
    lines = [json.loads(line) for line in succeed(run("block", *ids, "--json")).splitlines()]
    assert [line["objectId"] for line in lines] == ids
    assert {line["censorResult"] for line in lines} == {"rejected"}


@pytest.fixture(scope="module")
def many(master):
    """The ids of more images than a page has."""
    total, made = count(250, 1000), []
    bodies = [{"url": f"http://127.0.0.1:1/{n}.jpg", "name": "a.jpg", "mime_type": "image/jpeg"} for n in range(total)]
    for start in range(0, total, 100):
        requests = [
            {"method": "POST", "path": "/1.1/classes/_File", "body": body} for body in bodies[start:start + 100]
        ]
        made += [one["success"]["objectId"] for one in master.post("/1.1/batch", json={"requests": requests}).json()]
    return made


@pytest.mark.extended
def test_hundreds_of_ids_are_blocked_with_bounded_concurrency(server, master, many):
    result = subprocess.run(
        [BINARY, "censor", "block", "-", "--quiet"], input="\n".join(many), text=True, capture_output=True,
        env=own_environment(**credentials_of(server.url, master=ALPHA.master)), timeout=120,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert verdict(master, many[0]) == verdict(master, many[-1]) == "rejected"


# Lists

def test_list_shows_the_newest_first(run, ids):
    succeed(run("block", *ids))
    lines = succeed(run("list", "--verdict", "rejected", "--limit", "3")).splitlines()
    assert [line.split()[0] for line in lines] == list(reversed(ids))
    assert "rejected" in lines[0] and "photo 2.jpg" in lines[0] and "/1.1/censorship/files/" in lines[0]


@pytest.mark.extended
def test_list_takes_times(server, run, ids):
    succeed(run("pass", *ids))
    assert len(succeed(run("list", "--from", RECENTLY, "--limit", "2")).splitlines()) == 2
    assert succeed(run("list", "--to", "2020-01-01")) == ""
    assert run("list", "--from", "soon").returncode == USAGE
    assert_fails(run("list", "--from", "2026-01-02", "--to", "2026-01-01"), "from", "HTTP 400")


@pytest.mark.extended
def test_list_of_all_has_every_page_once(run, many):
    succeed(run("pass", "-", "--quiet", input="\n".join(many)))
    lines = succeed(run("list", "--all", "--json")).splitlines()
    seen = [json.loads(line)["objectId"] for line in lines]
    assert len(seen) == len(set(seen)) and set(many) <= set(seen)


@pytest.mark.extended
def test_show_prints_the_history(run, ids):
    succeed(run("block", ids[0], "--note", "first", "--by", "alice"))
    succeed(run("pass", ids[0], "--note", "second", "--by", "bob"))
    out = succeed(run("show", ids[0]))
    assert re.search(r"verdict +passed", out) and re.search(r"note +second", out)
    assert out.index("second") < out.index("first")
    assert json.loads(succeed(run("show", ids[0], "--json")))["history"][1]["note"] == "first"
    assert_fails(run("show", MISSING), "HTTP 404")


KITTY = {"TERM": "xterm-kitty"}


@pytest.mark.extended
def test_terminal_with_kittys_protocol_shows_previews(keys, run, ids):
    succeed(run("block", ids[0]))
    code, text = on_terminal("censor", "list", "--limit", "1", **keys, **KITTY)
    assert code == 0
    assert "\x1b_Ga=T,f=100,q=2,m=" in text and text.count("\x1b_G") == text.count("\x1b\\")
    assert "/1.1/censorship/files/" not in text
    code, text = on_terminal("censor", "show", ids[0], **keys, **KITTY)
    assert code == 0 and "\x1b_Ga=T" in text


@pytest.mark.few(1)
@pytest.mark.parametrize("arguments, environment", [
    (["--no-previews"], KITTY), ([], {"TERM": "xterm"}), ([], KITTY | {"TMUX": "/tmp/x"}),
], ids=["refused", "another terminal", "tmux"])
def test_other_terminals_show_urls(keys, run, ids, arguments, environment):
    succeed(run("block", ids[0]))
    code, text = on_terminal("censor", "list", "--limit", "1", *arguments, **keys, **environment)
    assert code == 0
    assert "\x1b_G" not in text and "/1.1/censorship/files/" in text and "OBJECTID" in text


# Checks and runs

@pytest.mark.extended
def test_check_prints_the_verdict(run, receiver, master, server, ids):
    receiver.says = {"verdict": "review"}
    try:
        assert succeed(run("check", *ids)).splitlines() == [f"{id}  review" for id in ids]
    finally:
        receiver.says = {"verdict": "passed"}
    text = server.api().store(b"text", name="a.txt")["objectId"]
    result = run("check", text)
    assert result.returncode == FAILED and "HTTP 400" in result.stderr


@pytest.mark.extended
def test_run_shows_its_end(run, master, ids):
    out = succeed(run("run", "--from", RECENTLY))
    assert re.search(r"state +done", out)
    assert [verdict(master, id) for id in ids] == ["passed"] * 3
    status = json.loads(succeed(run("run", "--status", "--json")))
    assert status["state"] == "done"
    assert json.loads(succeed(run("run", "--status", "--json", "--id", status["id"]))) == status


@pytest.mark.extended
def test_run_shows_its_progress_and_ctrl_c_leaves_it_going(keys, run, receiver, master, server):
    made = [server.api().store(photo(unique("slow"), 32, 32))["objectId"] for _ in range(30)]
    gate = threading.Event()
    receiver.says = lambda request: (gate.wait(0.4), request.reply(200, b'{"verdict":"passed"}'))
    try:
        command = OnTerminal("censor", "run", "--from", RECENTLY, **keys)
        assert command.shows("%"), command.text
        command.process.send_signal(2)
        assert command.end() == INTERRUPTED
        assert "lcfile censor run --follow" in command.text
        assert json.loads(succeed(run("run", "--status", "--json")))["state"] == "running"
        assert json.loads(succeed(run("run", "--cancel", "--json")))["state"] == "cancelled"
        gate.set()
        succeed(run("run", "--resume", "--no-wait"))
        assert eventually(lambda: json.loads(succeed(run("run", "--status", "--json")))["state"] == "done", 60)
    finally:
        gate.set()
        receiver.says = {"verdict": "passed"}
    assert {verdict(master, id) for id in made} == {"passed"}


BAD_RUNS = [["run"], ["run", "--from", "x"], ["run", "--status", "--from", "1d"]]


@pytest.mark.parametrize("arguments", BAD_RUNS, ids=" ".join)
def test_bad_arguments_of_a_run(run, arguments):
    assert run(*arguments).returncode == USAGE


# Settings, log, known images, status

@pytest.mark.extended
def test_settings_are_printed_and_changed(run, master):
    assert re.search(r"cacheSeconds +3600", succeed(run("settings")))
    out = succeed(run("settings", "rejectAbove=0.9", "cacheSeconds=60", "--by", "alice", "--json"))
    assert {"rejectAbove": 0.9, "cacheSeconds": 60}.items() <= json.loads(out).items()
    assert_fails(run("settings", "nonsense=1"), "nonsense", "HTTP 400")
    assert_fails(run("settings", "rejectAbove=2"), "rejectAbove", "HTTP 400")
    assert run("settings", "auto").returncode == USAGE
    settings(master, rejectAbove=0.8, cacheSeconds=3600)


@pytest.mark.extended
def test_log_prints_the_newest_first(run, master, ids):
    succeed(run("block", ids[0], "--by", "alice", "--note", "why"))
    line = succeed(run("log", "--limit", "1")).strip()
    assert all(word in line for word in (ids[0], "alice", "rejected", "why"))
    assert json.loads(succeed(run("log", "--limit", "1", "--json"))) == log(master)[0]


@pytest.mark.extended
def test_known_images_are_added_listed_and_removed(run, tmp_path):
    digits = [hashlib.sha256(unique("k").encode()).hexdigest() for _ in range(4)]
    (tmp_path / "list.txt").write_text(f"# comment\n\nsha256:{digits[0]} seen twice\npdq:{digits[1]}\n{digits[2]}\n")
    assert succeed(run("known", "add", tmp_path / "list.txt", f"pdq:{digits[3]}")) == "added 4 of 4 images\n"
    assert succeed(run("known", "add", tmp_path / "list.txt")) == "added 0 of 3 images\n"
    entries = [json.loads(line) for line in succeed(run("known", "list", "--json", "--limit", "4")).splitlines()]
    assert {entry.get("sha256") or entry.get("pdq") for entry in entries} == set(digits)
    assert next(entry for entry in entries if entry.get("sha256") == digits[0])["note"] == "seen twice"
    succeed(run("known", "remove", *[entry["id"] for entry in entries]))
    assert digits[0] not in succeed(run("known", "list", "--all"))
    assert_fails(run("known", "remove", MISSING), "HTTP 404")
    (tmp_path / "bad.txt").write_text(f"{digits[0]}\nnonsense\n")
    assert_fails(run("known", "add", tmp_path / "bad.txt"), "line 2", code=USAGE)


@pytest.mark.extended
def test_status_is_a_table(run):
    out = succeed(run("status"))
    assert re.search(r"classifier +off: ", out) and re.search(r"webhook +on", out)
    assert json.loads(succeed(run("status", "--json")))["webhook"] is True


@pytest.mark.few(2)
@pytest.mark.parametrize("arguments", [["list"], ["status"], ["show", MISSING], ["block", MISSING]], ids=" ".join)
def test_server_that_is_not_there(keys, arguments):
    result = lcfile("censor", *arguments, **keys | {"LCFILE_SERVER": f"http://127.0.0.1:{free_port()}"})
    assert result.returncode == SERVER
    assert result.stdout == ""


def test_app_key_is_not_enough(server):
    result = lcfile("censor", "status", **credentials_of(server.url))
    assert result.returncode != 0 and "master" in result.stderr.lower()


def test_wrong_master_key_is_refused(server):
    result = lcfile("censor", "status", **credentials_of(server.url, master="wrong"))
    assert result.returncode == SERVER
