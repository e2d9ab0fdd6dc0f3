"""The operator's command lcfile permissions."""

import json

import pytest
from cases import covering
from client import ALPHA, BETA, assert_refused, free_port
from commands import FAILED, SERVER, USAGE, assert_fails, credentials_of, lcfile
from data import MISSING, Objects
from people import BOTH, READ, assert_forbidden, forbidden, permissions, permit

OPERATIONS = ["add_fields", "create", "delete", "find", "get", "update"]
OPEN = {operation: ["everyone"] for operation in OPERATIONS} | {"defaultACL": {"*": BOTH}}


@pytest.fixture
def posts(master):
    """A class that is wholly open when a test begins, as the operator sees it."""
    permit(master, "commands_Post", **OPEN)
    return Objects(master, "commands_Post")


@pytest.fixture
def run(server):
    """Runs a command as the administrator of an app."""

    def run(*arguments, app=ALPHA, key=None, url=server.url):
        return lcfile("permissions", *arguments, **credentials_of(url, app, master=key or app.master))

    return run


@pytest.fixture
def out(run):
    """Runs a command that must work; returns the words of the lines that it prints."""

    def out(*arguments, **options):
        result = run(*arguments, **options)
        assert (result.returncode, result.stderr) == (0, "")
        return [line.split() for line in result.stdout.splitlines()]

    return out


# Showing

@pytest.mark.smoke
def test_permissions_are_shown_one_a_line(out, master, posts):
    permit(master, posts.name, find=["users"], delete=[], get=[f"user:{MISSING}", "role:Editors"])
    lines = {name: words for name, *words in out("show", posts.name)}
    assert {name: lines[name] for name in OPERATIONS if name != "get"} == {
        "add_fields": ["everyone"], "create": ["everyone"], "delete": ["none"], "find": ["users"], "update": ["everyone"],
    }
    assert set(lines["get"]) == {f"user:{MISSING}", "role:Editors"}


def test_default_acl_is_shown(run, master, posts):
    permit(master, posts.name, defaultACL={"owner": BOTH})
    line, = [line for line in run("show", posts.name).stdout.splitlines() if "owner" in line]
    assert json.loads(line[line.index("{"):]) == {"owner": BOTH}


@pytest.mark.extended
def test_all_classes_are_shown_each_under_its_name(run, out, posts):
    every = run("show").stdout
    parts = {part[0]: part[1:] for part in map(str.splitlines, every.split("\n\n"))}
    assert {posts.name, "_User", "_File"} <= set(parts)
    for name in (posts.name, "_User", "_File"):
        assert [line.split() for line in parts[name]] == out("show", name)


def test_permissions_are_json_a_line_for_each_class(run, master, posts):
    shown = run("show", posts.name, "--json").stdout
    assert json.loads(shown) == {"className": posts.name, "permissions": permissions(master, posts.name)}
    assert shown in run("show", "--json").stdout
    changed = json.loads(run("set", posts.name, "delete", "none", "--json").stdout)
    assert changed == {"className": posts.name, "permissions": OPEN | {"delete": []}}


def test_classes_of_another_app_are_not_shown(run, posts):
    assert posts.name in run("show").stdout
    assert posts.name not in run("show", app=BETA).stdout


def test_defaults_of_built_in_classes_are_shown(out):
    assert ["delete", "none"] in out("show", "_File")
    assert ["find", "none"] in out("show", "_User")


# Setting

@pytest.mark.few(3)
@pytest.mark.parametrize("operation, words", covering(OPERATIONS, [
    ["everyone"], ["users"], [f"user:{MISSING}"], ["role:Editors"], ["role:Two Words", "role:a-b_c", f"user:{MISSING}"],
]), ids=str)
def test_operation_is_opened(out, master, posts, operation, words):
    permit(master, posts.name, **{operation: []})
    out("set", posts.name, operation, *words)
    seen = permissions(master, posts.name)
    assert sorted(seen.pop(operation)) == sorted(words)
    assert seen == {name: value for name, value in OPEN.items() if name != operation}


@pytest.mark.few(3)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_none_closes(out, master, posts, operation):
    out("set", posts.name, operation, "none")
    assert permissions(master, posts.name) == OPEN | {operation: []}


def test_setting_prints_what_holds_now(run, posts):
    result = run("set", posts.name, "delete", "role:Editors", "users")
    line, = [line for line in result.stdout.splitlines() if line.split()[0] == "delete"]
    assert set(line.split()[1:]) == {"role:Editors", "users"}


def test_setting_makes_the_class(out, master):
    out("set", "commands_Made", "create", "none")
    assert permissions(master, "commands_Made") == OPEN | {"create": []}


@pytest.mark.parametrize("acl", [{}, {"owner": BOTH}, {"*": READ, "role:Editors": BOTH}], ids=str)
def test_default_acl_is_set(out, master, posts, acl):
    out("default-acl", posts.name, json.dumps(acl))
    assert permissions(master, posts.name) == OPEN | {"defaultACL": acl}


def test_setting_holds_for_the_next_request(out, cast, posts):
    id = posts.create(n=1)
    out("set", posts.name, "get", *cast.words("user"))
    assert_forbidden(posts.by(cast.other).get(id), forbidden("get", posts.name))
    assert posts.by(cast.owner).read(id) == {"n": 1}


def test_owner_deletes_its_file_after_the_command_and_not_before(out, cast, rules):
    rules.keep("_File")
    record = cast.owner.store(b"mine", name="x.txt")
    assert_forbidden(cast.owner.delete(record["objectId"]), forbidden("delete", "_File"))
    out("set", "_File", "delete", f"user:{cast.owner.id}")
    assert_forbidden(cast.other.delete(record["objectId"]), forbidden("delete", "_File"))
    assert cast.owner.delete(record["objectId"]).json() == {}
    assert_refused(cast.master.get(f"/1.1/files/{record['objectId']}"), 404, 101)


# Refusals

def assert_sentence(result):
    """The command failed with something to read, and printed nothing else."""
    assert result.returncode in (FAILED, USAGE)
    assert result.stdout == ""
    assert len(result.stderr.strip()) > 10


@pytest.mark.few(3)
@pytest.mark.parametrize("arguments", [
    ["set", "commands_Post", "get", "everybody"], ["set", "commands_Post", "get", "users", "nonsense"],
    ["set", "commands_Post", "get", "user:"], ["set", "commands_Post", "get", "role:"],
    ["set", "commands_Post", "get", "role:a\n"], ["set", "commands_Post", "get", ""],
    ["set", "commands_Post", "get", "none", "users"], ["set", "commands_Post", "get", "group:Editors"],
    ["set", "commands_Post", "read", "everyone"], ["set", "commands_Post", "", "everyone"],
    ["default-acl", "commands_Post", "[]"], ["default-acl", "commands_Post", '{"*":true}'],
    ["default-acl", "commands_Post", "text"], ["default-acl", "commands_Post", '{"*":{"read":1}}'],
], ids=str)
def test_wrong_words_change_nothing(run, master, posts, arguments):
    assert_sentence(run(*arguments))
    assert permissions(master, posts.name) == OPEN


@pytest.mark.few(3)
@pytest.mark.parametrize("arguments", [
    ["show", "1st"], ["show", ""], ["show", "a/b"], ["show", ".."], ["show", "茶"], ["set", "1st", "get", "users"],
    ["set", "_Unknown", "get", "users"], ["set", "..", "get", "users"], ["set", "_Session", "find", "everyone"],
    ["default-acl", "1st", "{}"],
], ids=ascii)
def test_wrong_class_is_said(run, arguments):
    assert_sentence(run(*arguments))


def test_missing_class_is_said(run):
    assert_fails(run("show", "NeverMade"), "Class or object doesn't exists.", "404")


@pytest.mark.few(3)
@pytest.mark.parametrize("arguments", [
    ["set"], ["set", "commands_Post"], ["set", "commands_Post", "get"], ["default-acl"], ["default-acl", "commands_Post"],
    ["show", "A", "B"], ["nonsense"], ["default-acl", "commands_Post", "{}", "{}"],
], ids=str)
def test_wrong_usage(run, master, posts, arguments):
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (USAGE, "")
    assert len(result.stderr.strip()) > 10
    assert permissions(master, posts.name) == OPEN


def test_app_key_is_refused(run, master, posts):
    assert_fails(run("set", posts.name, "get", "none", key=ALPHA.key), "Unauthorized.", "401", code=SERVER)
    assert permissions(master, posts.name) == OPEN


def test_server_that_is_down_is_said(run):
    assert_fails(run("show", url=f"http://127.0.0.1:{free_port()}"), "connect", code=SERVER)


def test_command_without_an_app_is_wrong_usage(tmp_path):
    result = lcfile("permissions", "show", folder=tmp_path)
    assert (result.returncode, result.stdout) == (USAGE, "")
    assert "--app-id" in result.stderr and "--master-key" in result.stderr


def test_help_names_everything():
    result = lcfile("permissions", "--help")
    assert result.returncode == 0
    for word in ("show", "set", "default-acl"):
        assert word in result.stdout
