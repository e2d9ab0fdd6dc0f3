"""CQL: over HTTP, and with `do_cloud_query` of the official Python SDK."""

import json

import pytest
from cases import chance, count
from client import ALPHA
from commands import assert_fails, credentials_of, lcfile
from data import geopoint, pointer
from people import tunnel, unique
from queries import find, put
from statements import statement

ROWS = [
    {"name": "a", "n": 1, "tags": ["x", "y"], "at": geopoint(48.8566, 2.3522)},
    {"name": "b", "n": 2, "tags": ["x"], "at": geopoint(51.5074, -0.1278)},
    {"name": "c", "n": 3, "tags": []},
    {"name": "d", "n": 4},
]


@pytest.fixture(scope="module")
def tasks(api):
    """Tasks a to d of class CqlTask, the first two in folder F; ids by name."""
    folder = put(api, "CqlFolder", [{"name": "F", "n": 7}])[0]
    rows = [row | ({"folder": pointer("CqlFolder", folder)} if row["n"] < 3 else {}) for row in ROWS]
    return dict(zip("abcd", put(api, "CqlTask", rows))) | {"F": folder}


def ask(api, statement, *values):
    parameters = {"cql": statement} | ({"pvalues": json.dumps(values)} if values else {})
    return api.get("/1.1/cloudQuery", params=parameters)


def query(api, statement, *values):
    response = ask(api, statement, *values)
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize("condition, values, where", [
    ("n > 2", [], {"n": {"$gt": 2}}),
    ("n >= ? and n < ?", [2, 4], {"n": {"$gte": 2, "$lt": 4}}),
    ("name = 'a' or name = \"d\"", [], {"$or": [{"name": "a"}, {"name": "d"}]}),
    ("tags = 'x'", [], {"tags": "x"}),
    ("tags all ('x')", [], {"tags": ["x"]}),
    ("size(tags) = 0", [], {"tags": {"$size": 0}}),
    ("tags is not exists", [], {"tags": {"$exists": False}}),
    ("name not in (?, 'b')", ["a"], {"name": {"$nin": ["a", "b"]}}),
    ("name like '%c%'", [], {"name": {"$regex": "c"}}),
    ("at near [2.3522, 48.8566] max 100 km", [],
     {"at": {"$nearSphere": geopoint(48.8566, 2.3522), "$maxDistanceInKilometers": 100}}),
    ("folder in (select * from CqlFolder where name = 'F')", [],
     {"folder": {"$inQuery": {"className": "CqlFolder", "where": {"name": "F"}}}}),
    ("n in (select n from CqlTask where tags is exists)", [],
     {"n": {"$select": {"query": {"className": "CqlTask", "where": {"tags": {"$exists": True}}}, "key": "n"}}}),
])
def test_a_statement_finds_what_its_query_finds(api, tasks, condition, values, where):
    reply = query(api, f"select count(*), * from CqlTask where {condition} order by -n", *values)
    expected = find(api, "CqlTask", where, order="-n")
    assert reply == {"results": expected, "count": len(expected), "className": "CqlTask"}
    assert expected


@pytest.mark.smoke
def test_columns_and_includes(api, tasks):
    reply = query(api, "select name, include folder from CqlTask where name = ?", "a")
    assert reply["results"] == find(api, "CqlTask", {"name": "a"}, keys="name,folder", include="folder")
    assert reply["results"][0]["folder"]["n"] == 7


@pytest.mark.parametrize("clauses", ["limit ?,? order by n desc", "order by n desc limit ?,?"])
def test_order_and_limit_stand_in_either_order(api, tasks, clauses):
    reply = query(api, f"select * from CqlTask where n < ? {clauses}", 4, 1, 2)
    assert [row["name"] for row in reply["results"]] == ["b", "a"]


def test_a_tunnelled_statement(api, tasks):
    fields = {"_method": "GET", "cql": "select count(*) from CqlTask where n > ?", "pvalues": "[2]"}
    response = tunnel(api, "/1.1/cloudQuery", fields)
    assert response.json() == {"results": [], "count": 2, "className": "CqlTask"}


@pytest.mark.parametrize("statement, code, text", [
    ("select * from CqlTask where n", 300, "line 1, column 30: expected an operator"),
    ("select *\nfrom CqlTask\nlimit x", 300, "line 3, column 7: expected a value"),
    ("select * from CqlTask where name = 'x'; drop table CqlTask", 300, "line 1, column 39"),
    ("select * from CqlTask where n = ?", 300, "no value for this '?'"),
    ("update CqlTask set n = 1 where n = 2", 300, "objectId ="),
    ("select * from CqlTask where name regexp '('", 107, "not a regular expression"),
])
def test_a_wrong_statement_is_refused(api, tasks, statement, code, text):
    response = ask(api, statement)
    assert (response.status_code, response.json()["code"]) == (400, code)
    assert text in response.json()["error"]


def test_values_cannot_become_operators(api, tasks):
    assert ask(api, "select * from CqlTask where n = ?", {"$gt": 0}).json()["code"] == 121


def test_classes_that_only_the_master_key_reads(api, master):
    assert ask(api, "select * from _Session").status_code == 403
    assert ask(master, "select * from _Session").status_code == 200


def test_the_sdk_finds_counts_and_changes(sdk, tasks):
    said = sdk("""
        ask = leancloud.Query.do_cloud_query
        found = ask("select * from CqlTask where n > ? limit ?,? order by n", 1, 0, 2)
        listed = ask("select count(*) from CqlTask where n in (?, ?)", [1, 4])
        new = ask("insert into CqlSdk(name, n) values(?, ?), ('z', 9)", "new", 1).results
        id = new[0].id
        ask("update CqlSdk set n = op('Increment', {'amount': 5}) where objectId = ? and n = 1", id)
        changed = ask("select n from CqlSdk where objectId = ?", id).results[0].get("n")
        gone = ask("delete from CqlSdk where objectId = ?", id).results
        left = ask("select count(*), name from CqlSdk")
        say(names="".join(one.get("name") for one in found.results), kind=found.class_name, count=listed.count,
            new=len(new), changed=changed, gone=len(gone), left=[left.count, left.results[0].get("name")])
    """)
    assert said == {
        "names": "bc", "kind": "CqlTask", "count": 2, "new": 2, "changed": 6, "gone": 0, "left": [1, "z"],
    }


def test_the_sdk_raises_what_the_server_says(sdk, tasks):
    said = sdk("""
        try:
            leancloud.Query.do_cloud_query("select from CqlTask")
            say(code=None)
        except leancloud.LeanCloudError as error:
            say(code=error.code, text=error.error)
    """)
    assert said["code"] == 300
    assert said["text"].startswith("CQL syntax error.Detail: Parse error at line 1, column 8: ")


@pytest.fixture
def command(server, tasks):
    return lambda *words: lcfile("query", *words, **credentials_of(server.url, master=ALPHA.master))


def test_command_prints_a_line_for_each_object(command, tasks):
    result = command("select name, n from CqlTask where n > ? order by -n", 2)
    assert (result.returncode, result.stderr) == (0, "")
    assert [line.split()[:3] for line in result.stdout.splitlines()] == [[tasks["d"], "4", "d"], [tasks["c"], "3", "c"]]


def test_command_prints_json_and_counts(command):
    result = command("select name from CqlTask where name = ?", "a", "--json")
    assert [json.loads(line)["name"] for line in result.stdout.splitlines()] == ["a"]
    assert command("select count(*) from CqlTask").stdout == "count 4\n"


def test_command_names_line_and_column_of_an_error(command):
    assert_fails(command("select * fro CqlTask"), "line 1, column 10")


# Explanations

def explain(api, statement, **more):
    return api.get("/1.1/cloudQuery", params={"cql": statement, "explain": 1} | more)


def test_explain_is_for_the_master_key_only(api, tasks):
    for statement in ("select * from CqlTask", "select * from NoSuchClass", "no statement"):
        response = explain(api, statement)
        assert (response.status_code, response.json()["code"]) == (403, 119)


def test_explain_of_a_sub_query_names_each_query(master, tasks):
    statement = "select count(*), * from CqlTask where folder in (select * from CqlFolder where n = ?)"
    reply = explain(master, statement, pvalues="[7]").json()
    assert reply["where"] == {"folder": {"$inQuery": {"className": "CqlFolder", "where": {"n": 7}}}}
    assert [(one["kind"], one["className"]) for one in reply["queries"]] == [
        ("subquery", "CqlFolder"), ("find", "CqlTask"), ("count", "CqlTask"),
    ]
    # The result of the sub-query is a value of the query.
    assert tasks["F"] in reply["queries"][1]["sql"]


@pytest.mark.sqlite
def test_command_explains_which_index_a_query_uses(command, api, master):
    put(api, "CqlIndexed", [{"n": number, "s": "x"} for number in range(300)])
    assert master.post("/1.1/indexes/CqlIndexed", json={"fields": ["n"]}).status_code == 201
    result = command("select s from CqlIndexed where n = ?", 2, "--explain")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == 'where {"n":2}'
    assert lines[2] == "find CqlIndexed"
    assert lines[3].startswith("  SQL   SELECT ") and "json_extract(body, '$.n') = 2" in lines[3]
    assert lines[4].startswith("  plan  SEARCH ") and " USING INDEX " in lines[4]
    scan = command("select n from CqlIndexed where s = 'x'", "--explain").stdout
    assert "  plan  SCAN class_" in scan


def test_command_explains_as_json(command):
    result = command("select count(*) from CqlTask where name = ?", "a", "--explain", "--json")
    reply = json.loads(result.stdout)
    assert reply["where"] == {"name": "a"}
    assert [one["kind"] for one in reply["queries"]] == ["count"]


@pytest.mark.parametrize("statement", [
    "insert into CqlTask(n) values(9)", "update CqlTask set n = 9 where objectId = 'a'",
    "delete from CqlTask where objectId = 'a'",
])
def test_command_explains_no_changes(command, statement):
    result = command(statement, "--explain")
    assert (result.returncode, result.stdout) == (2, "")
    assert "--explain takes a SELECT" in result.stderr


# What SDKs send

def test_long_statement_of_objective_c_in_a_batch(api, tasks):
    """From 4096 characters of URL on it sends a batch of one request, with `params`."""
    values = ["a" * 4000, "b"]
    parameters = {"cql": "select count(*), * from CqlTask where name in (?, ?)", "pvalues": json.dumps(values)}
    request = {"method": "GET", "path": "/1.1/cloudQuery", "params": parameters}
    response = api.post("/1.1/batch", json={"requests": [request]})
    assert response.status_code == 200, response.text
    answer, = response.json()
    assert answer["success"] == query(api, "select count(*), * from CqlTask where name in (?)", "b")


def test_insert_with_the_master_key_has_the_id_and_times_that_it_gives(api, master):
    id, times = unique("id"), ["2019-05-06T07:08:09.123Z", "2020-01-02T03:04:05.678Z"]
    statement = "insert into CqlImported(objectId, createdAt, updatedAt, n) values(?, ?, ?, 1)"
    assert query(master, statement, id, *times)["results"] == [{"objectId": id, "createdAt": times[0]}]
    assert api.get(f"/1.1/classes/CqlImported/{id}").json() == {
        "objectId": id, "createdAt": times[0], "updatedAt": times[1], "n": 1,
    }
    assert ask(master, statement, id, *times).json()["code"] == 137
    assert ask(master, statement, unique("id"), "yesterday", times[1]).json()["error"].startswith("createdAt must be a time")
    assert ask(api, statement, unique("id"), *times).json()["code"] == 105


def test_insert_of_a_user_is_a_sign_up(api):
    name = unique("cql")
    reply = query(api, "insert into _User(username, password) values(?, ?)", name, "p4ss")
    user, = reply["results"]
    assert user["sessionToken"]
    login = api.post("/1.1/login", json={"username": name, "password": "p4ss"})
    assert login.json()["objectId"] == user["objectId"]
    assert ask(api, "insert into _User(username, password) values(?, ?)", name, "p4ss").json()["code"] == 202


@pytest.mark.extended
def test_random_statements_of_the_grammar_are_read(api, tasks):
    """`make soak` sends more of them, and damaged ones."""
    numbers = chance("statements")
    for _ in range(count(few=100, many=2000)):
        text, values = statement(numbers)
        response = ask(api, text, *values)
        assert response.status_code < 500, (text, values, response.text)
        assert response.json().get("code") != 300, (text, values, response.text)
