"""The operator's commands lcfile index and lcfile schema."""

import json

import pytest
from cases import covering, some
from client import ALPHA, BETA, free_port
from commands import SERVER, USAGE, assert_fails, credentials_of, lcfile
from data import describe, pointer

pytestmark = pytest.mark.long


@pytest.fixture
def run(server):
    """Runs a command as the administrator of an app."""

    def run(*arguments, app=ALPHA, key=None, url=server.url):
        return lcfile(*arguments, **credentials_of(url, app, master=key or app.master))

    return run


@pytest.fixture
def out(run):
    """Runs a command that must work; returns the lines that it prints."""

    def out(*arguments, **options):
        result = run(*arguments, **options)
        assert (result.returncode, result.stderr) == (0, "")
        return result.stdout.splitlines()

    return out


@pytest.fixture
def field(things, master):
    """What the server says of a field of the test's class."""
    return lambda name: master.get(f"/1.1/schemas/{things.name}").json()[name]


# Indexes

@pytest.mark.parametrize("fields, name", some([
    (["a"], "a"), (["b.c"], "b.c"), (["a", "d"], "a,d"), (["d", "b.c"], "d,b.c"),
], 3), ids=str)
def test_index_is_added_listed_and_removed(out, things, fields, name):
    things.create(a=1, b={"c": 1}, d="text")
    assert out("index", "add", things.name, *fields) == [name]
    assert out("index", "list", things.name) == [name]
    assert out("index", "remove", things.name, name) == []
    assert out("index", "list", things.name) == []


def test_index_that_is_there_is_added_again(out, things):
    things.create(a=1)
    for _ in range(2):
        assert out("index", "add", things.name, "a") == ["a"]
    assert out("index", "list", things.name) == ["a"]


@pytest.mark.smoke
def test_indexes_are_listed_one_a_line(out, things, master):
    things.create(a=1, mobile="text")
    describe(master, things, "mobile", unique=True)
    out("index", "add", things.name, "a")
    assert sorted(out("index", "list", things.name)) == ["a", "mobile  unique"]


def test_indexes_are_json_a_line(out, things, master):
    things.create(a=1, mobile="text")
    describe(master, things, "mobile", unique=True)
    out("index", "add", things.name, "a")
    assert sorted(map(json.loads, out("index", "list", things.name, "--json")), key=lambda index: index["name"]) == [
        {"name": "a", "fields": ["a"], "unique": False}, {"name": "mobile", "fields": ["mobile"], "unique": True},
    ]


def test_index_of_a_missing_field_is_refused(run, things):
    things.create(a=1)
    assert_fails(run("index", "add", things.name, "nowhere"), "'nowhere' cannot be indexed", "400")


def test_index_of_an_array_is_refused(run, things):
    things.create(a=[1])
    assert_fails(run("index", "add", things.name, "a"), "'a' cannot be indexed", "400")


@pytest.mark.parametrize("command", [("list",), ("add", "n"), ("remove", "n")], ids=str)
def test_index_of_a_missing_class(run, command):
    name, *rest = command
    assert_fails(run("index", name, "NeverMade", *rest), "Class or object doesn't exists.", "404")


@pytest.mark.few(2)
@pytest.mark.parametrize("path", ["b.😀", "b.x y", "b.x'y", 'b.x"y'], ids=ascii)
def test_index_of_an_odd_place_is_refused(run, things, path):
    things.create(b={"c": 1})
    assert_fails(run("index", "add", things.name, path), "cannot be indexed", "letters, digits", "400")


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["a", "b.茶 x?y#z%41/,c", "..", "%61"], ids=ascii)
def test_missing_index_cannot_be_removed(run, things, name):
    things.create(a=1)
    assert_fails(run("index", "remove", things.name, name), f"no index '{name}'", "404")


def test_index_of_a_unique_field_stays(run, out, things, master):
    describe(master, things, "name", type="String", unique=True)
    assert_fails(run("index", "remove", things.name, "name"), "no index 'name'", "404")
    assert out("index", "list", things.name) == ["name  unique"]


@pytest.mark.few(2)
@pytest.mark.parametrize("name, command", covering(
    ["1st", "a b", "a/b", "a?b", "a#b", "..", ".", "%2e%2e", "茶"], [("index", "list"), ("schema", "show")],
), ids=ascii)
def test_class_name_is_one_part_of_the_path(run, command, name):
    assert_fails(run(*command, name), "Invalid class name", "400")


@pytest.mark.parametrize("command", [("index", "list", ""), ("index", "remove", "A", ""), ("schema", "show", "")])
def test_empty_name(run, command):
    assert_fails(run(*command), "empty")


# Showing classes

def test_fields_are_shown_one_a_line(out, things, master):
    things.create(title="a", folder=pointer("Folder"))
    describe(master, things, "no", type="Number", autoIncrement=True)
    describe(master, things, "note", type="String", required=True, readOnly=True, hidden=True, default="a b")
    assert [line.split(maxsplit=2) for line in out("schema", "show", things.name)] == [
        ["ACL", "ACL"],
        ["createdAt", "Date"],
        ["folder", "Pointer<Folder>"],
        ["no", "Number", "unique auto-increment"],
        ["note", "String", 'required read-only hidden default="a b"'],
        ["objectId", "String"],
        ["title", "String"],
        ["updatedAt", "Date"],
    ]


def test_types_stand_under_each_other(out, things):
    things.create(a=1, quite_a_long_name=1)
    lines = out("schema", "show", things.name)
    assert {line[:19].rstrip() for line in lines} == {line.split()[0] for line in lines}
    assert all(line == line.rstrip() for line in lines)


def test_all_classes_are_shown_each_under_its_name(out, things):
    things.create(a=1)
    parts = {part[0]: part[1:] for part in map(str.splitlines, "\n".join(out("schema", "show")).split("\n\n"))}
    assert parts[things.name] == [f"  {line}" for line in out("schema", "show", things.name)]


def test_fields_are_json_a_line_for_each_class(out, things, master):
    things.create(a=1)
    line, = out("schema", "show", things.name, "--json")
    fields = master.get(f"/1.1/schemas/{things.name}").json()
    assert json.loads(line) == {"className": things.name, "fields": fields}
    assert line in out("schema", "show", "--json")
    changed, = out("schema", "set", things.name, "a", "--required", "--json")
    assert json.loads(changed) == {"className": things.name, "fields": {"a": {"type": "Number", "required": True}}}


def test_classes_of_another_app_are_not_shown(out, things):
    things.create(a=1)
    assert things.name not in out("schema", "show", app=BETA)


def test_missing_class_is_said(run):
    assert_fails(run("schema", "show", "NeverMade"), "Class or object doesn't exists.", "404")


# Changing fields

def test_field_is_made_and_shown(out, things, field):
    assert out("schema", "set", things.name, "title", "--type", "String", "--unique", "--required") == [
        "title  String  unique required"
    ]
    assert field("title") == {"type": "String", "unique": True, "required": True}


@pytest.mark.parametrize("type", ["Pointer", "Relation"])
def test_field_that_leads_to_a_class(out, things, field, type):
    assert out("schema", "set", things.name, type, "--type", type, "--target", "Folder") == [f"{type}  {type}<Folder>"]
    assert field(type) == {"type": type, "className": "Folder"}


@pytest.mark.few(2)
@pytest.mark.parametrize("option, flag", [
    ("unique", "unique"), ("required", "required"), ("read-only", "readOnly"), ("hidden", "hidden"),
])
def test_flag_is_set_and_taken_back(out, things, field, option, flag):
    out("schema", "set", things.name, option.replace("-", "_"), "--type", "Number", "--default", "1")
    before = field(option.replace("-", "_"))
    out("schema", "set", things.name, option.replace("-", "_"), f"--{option}")
    assert field(option.replace("-", "_")) == before | {flag: True}
    out("schema", "set", things.name, option.replace("-", "_"), f"--no-{option}")
    assert field(option.replace("-", "_")) == before


def test_auto_increment(out, things):
    assert out("schema", "set", things.name, "no", "--type", "Number", "--auto-increment") == [
        "no  Number  unique auto-increment"
    ]
    assert [things.read(things.create())["no"] for _ in range(2)] == [1, 2]


@pytest.mark.few(2)
@pytest.mark.parametrize("type, text, value", [
    ("Number", "5", 5), ("Number", "-1.5", -1.5), ("String", '"a/b 茶"', "a/b 茶"), ("String", '"--x"', "--x"),
    ("Boolean", "false", False), ("Object", '{"a": [1, null, {}]}', {"a": [1, None, {}]}), ("Array", "[]", []),
    ("Pointer", '{"__type":"Pointer","className":"Folder","objectId":"000000000000000000000000"}', pointer("Folder")),
], ids=ascii)
def test_default_is_set_and_taken_away(out, things, field, type, text, value):
    name = f"{type}_{len(text)}"
    target = ["--target", "Folder"] if type == "Pointer" else []
    out("schema", "set", things.name, name, "--type", type, *target, "--default", text)
    assert field(name)["default"] == value
    out("schema", "set", things.name, name, "--default", "null")
    assert "default" not in field(name)


@pytest.mark.few(2)
@pytest.mark.parametrize("arguments, words", [
    (["--type", "String"], "it cannot change"),
    (["--type", "Nonsense"], "type 'Nonsense' is not known. The types are String, Number, "),
    (["--default", '"text"'], "The default of 'n' must have the type Number"), (["--unique"], "already taken"),
], ids=str)
def test_change_that_the_server_refuses(run, things, field, arguments, words):
    for _ in range(2):
        things.create(n=1)
    before = field("n")
    assert_fails(run("schema", "set", things.name, "n", *arguments), words, "400")
    assert field("n") == before


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["bad?", "a/b", "..", "acl", "__x", "😀"], ids=ascii)
def test_bad_field_name_is_refused(run, things, name):
    assert_fails(run("schema", "set", things.name, name, "--type", "String"), "Invalid key name.", "400")


# Wrong usage

@pytest.mark.few(2)
@pytest.mark.parametrize("arguments, words", [
    (["index", "list"], "<class>"), (["index", "add", "A"], "<field>"), (["index", "remove", "A"], "<name>"),
    (["index", "add", "A", "a", "b", "c"], "one or two fields"), (["schema", "show", "A", "B"], "'B'"),
    (["schema", "set", "A", "a"], "what to set"), (["schema", "set", "A", "a", "--default", "text"], "not JSON"),
    (["schema", "set", "A", "a", "--type", "Pointer"], "need --target"),
    (["schema", "set", "A", "a", "--target", "B"], "need --target"),
], ids=str)
def test_wrong_usage(run, arguments, words):
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (USAGE, "")
    assert words in result.stderr


@pytest.mark.parametrize("arguments, words", [
    (["index", "--help"], ["list", "add", "remove"]), (["schema", "--help"], ["show", "set"]),
    (["schema", "set", "--help"], ["--type", "--target", "--no-read-only", "--default", "--master-key"]),
], ids=str)
def test_help_names_everything(arguments, words):
    result = lcfile(*arguments)
    assert result.returncode == 0
    for word in words:
        assert word in result.stdout


# Server and app

def test_wrong_master_key_is_said(run):
    assert_fails(run("schema", "show", key=ALPHA.key), "Unauthorized.", "401", code=SERVER)


def test_server_that_is_down_is_said(run):
    assert_fails(run("schema", "show", url=f"http://127.0.0.1:{free_port()}"), "connect", code=SERVER)


def test_something_else_than_lcfile_is_said(run, server):
    assert_fails(run("schema", "show", url=f"{server.url}/elsewhere"), "404")


def test_environment_names_server_and_app(server, things):
    things.create(a=1)
    result = lcfile(
        "schema", "show", things.name,
        LCFILE_PUBLIC_URL=server.url, LCFILE_APP_ID=ALPHA.id, LCFILE_MASTER_KEY=ALPHA.master,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert f"{'a':<9}  Number" in result.stdout.splitlines()


@pytest.mark.parametrize("given", [{}, {"LCFILE_APP_ID": "a"}, {"LCFILE_MASTER_KEY": "m"}], ids=str)
def test_command_without_an_app_is_wrong_usage(tmp_path, given):
    result = lcfile("index", "list", "A", folder=tmp_path, **given)
    assert (result.returncode, result.stdout) == (USAGE, "")
    assert "--app-id" in result.stderr and "--master-key" in result.stderr
    assert "apps.yaml" not in result.stderr


# Several servers need the same keys, so none of them makes an app.
@pytest.mark.extended
@pytest.mark.single
def test_keys_of_the_first_start_are_found(new_server):
    server = new_server(apps=()).start()
    for environment in ({}, {"LCFILE_STORAGE": str(server.storage)}):
        result = lcfile("schema", "show", folder=server.folder, **environment)
        assert result.returncode == USAGE
        assert f"{environment.get('LCFILE_STORAGE', 'storage')}/apps.yaml" in result.stderr
        assert server.generated.master not in result.stderr
    app = server.generated
    (server.folder / "master-key").write_text(f"{app.master}\n")
    options = ["--server", server.url, "--app-id", app.id, "--master-key-file", "master-key"]
    result = lcfile("schema", "show", *options, folder=server.folder)
    assert (result.returncode, result.stderr) == (0, "")
