"""Queries that must be refused with a clear answer or find nothing, and that never harm what is stored."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from client import ALPHA, BETA, TIMEOUT, Server, assert_refused, credentials
from data import MISSING, batch
from queries import put

CLASS = "/1.1/classes/BadRow"
POINT = {"__type": "GeoPoint", "latitude": 40.5, "longitude": -30.5}
POINTER = {"__type": "Pointer", "className": "BadRow", "objectId": MISSING}

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("nothing_is_harmed")]


@pytest.fixture(scope="module")
def rows(api):
    """Three rows of class BadRow with every type of column that conditions care for."""
    return put(api, "BadRow", [
        {"name": "a", "n": 1, "s": "a" * 5000 + "b", "tags": ["x"], "o": {"k": 1}, "at": POINT, "p": POINTER},
        {"name": "b", "n": 2, "likes": {"__op": "AddRelation", "objects": [POINTER]}},
        {"name": "c"},
    ])


@pytest.fixture(scope="module")
def unharmed(api, rows):
    """The rows as they were before the first test."""
    before = api.get(f"{CLASS}?order=name").json()
    assert [row["name"] for row in before["results"]] == ["a", "b", "c"]
    return before


@pytest.fixture
def nothing_is_harmed(api, unharmed, afterwards):
    """The rows are all there when a test is over, each as it was."""

    def check():
        assert api.get(f"{CLASS}?order=name").json() == unharmed

    afterwards(check)


def ask(api, where, **parameters):
    where = where if isinstance(where, str) else json.dumps(where)
    return api.get(CLASS, params=parameters | {"where": where})


def ask_at_length(api, where, path=CLASS, **parameters):
    """Asks with a where that is too long for a URL, in the tunnel, which brings its credentials along."""
    control = {"_method": "GET", "_ApplicationId": ALPHA.id, "_ApplicationKey": ALPHA.key}
    asked = json.dumps(control | {"where": where} | parameters)
    url, type = api.server.url + path, {"Content-Type": "text/plain"}
    return api.session.post(url, data=asked, headers=type, timeout=TIMEOUT)


def short(value):
    return ascii(value)[:30]


def assert_harmless(response):
    """Either an answer or a refusal in the proper form, and no failure of the server."""
    assert response.elapsed.total_seconds() < 5
    if response.status_code == 200:
        assert isinstance(response.json()["results"], list)
    else:
        assert response.status_code in (400, 403, 404), response.content[:300]
        assert set(response.json()) == {"code", "error"}


# Where that is no JSON

@pytest.mark.parametrize("text", [
    "{", "}", "x", "{n:1}", "{'n':1}", '{"n":1,}', '{"n":1', '{"n":1}}', '{"n":1} x', "[1", '{"n":}', '{"n":01}',
    '{"n":NaN}',
    '{"n":+1}', '{"n":"\n"}', '{"n":"\\x"}', "\ufeff{", '{"n":1}\u0000', "nul", '{"$or":[{"n":1},]}', '{"n":"x}',
], ids=short)
def test_where_that_is_no_json(api, text):
    assert_refused(ask(api, text), 400, 107, "where")


@pytest.mark.parametrize("text", ["1", '"text"', "true", "[1]", '["n"]', "0.5"])
def test_where_that_is_no_object(api, text):
    assert_refused(ask(api, text), 400, 107, "where")


def outcome(response):
    """What came back: how many objects were found, or the code of a refusal in the proper form."""
    body = json.loads(response.content)
    if "results" in body:
        return f"{len(body['results'])} found"
    assert set(body) == {"code", "error"}
    return body["code"]


@pytest.mark.parametrize("query, expected", [
    ("where=%", 107), ("where=%zz", 107), ("where=%ff", 107), ("where=%c3%28", 107), ('where={"s":"%ff"}', 107),
    ('where={"s":"%00"}', 107), ("where=%7B%22n%22%3A1", 107), ('where={"n":1}&where={"n":2}', "1 found"),
    ("where", "3 found"), ("&&&=&", "3 found"), ("where[n]=1", "3 found"), ("%77here={", 107), ("limit=%31%", 107),
    ("order=%00", 105), ("keys=%ff", 107), ("include=%00", "3 found"),
])
def test_broken_query_string(server, query, expected):
    with server.raw() as connection:
        response = connection.request("GET", f"{CLASS}?{query}".replace('"', "%22"), credentials())
    assert outcome(response) == expected


@pytest.mark.parametrize("where, expected", [
    ('{"n":1,"n":2}', 107), ('{"s":"\\ud800"}', "0 found"), ('{"s":"\\ud800\\u"}', 107), ('{"s":"\\u0000"}', 107),
    ('{"\\u0000":1}', 105), ('{"n":1e400}', 107), ('{"n":-1e400}', 107), ('{"n":{"$gt":1e308}}', "0 found"),
    ('{"n":9007199254740993}', "0 found"), ('{"n":99999999999999999999999999}', "0 found"), ('{"n":-0}', "0 found"),
    ('{"n":1e-400}', "0 found"), ('{"n":0.' + "1" * 5000 + "}", "0 found"), ('{"n":' + "9" * 5000 + "}", 107),
    ('{"s":"' + "x" * 5000 + '"}', "0 found"),
], ids=short)
def test_extreme_values(api, where, expected):
    assert outcome(ask(api, where)) == expected


# Conditions that mean nothing

@pytest.mark.few(2)
@pytest.mark.parametrize("where, place", [
    ({"n": {"$foo": 1}}, "where.n.$foo"), ({"n": {"$gt": 0, "$foo": 1}}, "where.n.$foo"), ({"$foo": []}, "$foo"),
    ({"n": {"$eq": 1}}, "where.n.$eq"), ({"n": {"$not": {"$gt": 1}}}, "where.n.$not"), ({"$nor": [{"n": 1}]}, "$nor"),
    ({"n": {"$type": 1}}, "where.n.$type"), ({"n": {"$mod": [2, 0]}}, "where.n.$mod"),
    ({"$where": "sleep(9)"}, "$where"),
    ({"n": {"$where": "1"}}, "$where"), ({"$expr": {}}, "$expr"), ({"n": {"$": 1}}, "$"), ({"n": {"$GT": 1}}, "$GT"),
    ({"$or": [{"n": 1}, {"n": {"$foo": 1}}]}, "$foo"), ({"$and": [{"$or": [{"$foo": 1}]}]}, "$foo"),
    ({"o.k": {"$foo": 1}}, "$foo"),
    ([{"n": {"$foo": 1}}], "$foo"), ({"n": {"$elemMatch": {}}}, "$elemMatch"), ({"$text": {"$search": "x"}}, "$text"),
])
def test_unknown_operator_is_named(api, where, place):
    assert_refused(ask(api, where), 400, 107, place)


@pytest.mark.parametrize("where", [
    {"n": {"$gt": 1, "x": 2}}, {"n": {"x": 2, "$gt": 1}}, {"o": {"k": 1, "$exists": True}},
    {"n": {"$gt": 1, "__type": "Date"}},
])
def test_operators_beside_plain_names(api, where):
    assert_refused(ask(api, where), 400, 107, "where")


@pytest.mark.parametrize("condition", [
    {"$in": 1}, {"$in": {}}, {"$in": "x"}, {"$in": None}, {"$nin": 1}, {"$nin": {"a": 1}}, {"$all": "x"},
    {"$all": None},
    {"$size": "x"}, {"$size": -1}, {"$size": 1.5}, {"$size": []}, {"$size": None},
    {"$regex": 1}, {"$regex": None}, {"$regex": []}, {"$regex": {}}, {"$regex": "a", "$options": 1},
    {"$regex": "a", "$options": "z"}, {"$regex": "a", "$options": "gi"}, {"$options": "i"},
])
def test_operand_of_a_wrong_type(api, condition):
    assert_refused(ask(api, {"n": condition}), 400, 107, "where.n")


@pytest.mark.parametrize("where", [
    {"$or": 1}, {"$or": {}}, {"$or": None}, {"$or": "x"}, {"$or": [1]}, {"$or": [False]}, {"$and": 1},
    {"$and": {"n": 1}}, {"$and": ["x"]}, {"$and": [{"n": 1}, 2]}, {"$and": None},
])
def test_or_and_of_what_are_no_conditions(api, where):
    assert_refused(ask(api, where), 400, 107, "where.$")


def test_array_in_an_array_of_conditions_is_taken(api):
    assert len(ask(api, [[]]).json()["results"]) == 3


@pytest.mark.few(3)
@pytest.mark.parametrize("where, expected", [
    ({"$or": [[]]}, "3 found"), ({"$or": []}, 107), ({"$and": []}, 107),
    ({"n": {"$exists": "x"}}, 107), ({"n": {"$exists": None}}, 107), ({"n": {"$exists": 1}}, "2 found"),
    ({"n": {}}, "0 found"), ({"n": {"$gt": None}}, "0 found"), ({"n": {"$gt": {}}}, "0 found"),
    ({"n": {"$lt": [1]}}, "0 found"),
    ({"n": {"$ne": {"$gt": 1}}}, 121), ({"n": {"$in": [{"$gt": 1}]}}, 121), ({"o": {"k": {"$gt": 0}}}, 121),
    ({"d": {"__type": "Date"}}, 107), ({"d": {"__type": "Date", "iso": "nope"}}, 107),
    ({"d": {"__type": "Date", "iso": 1}}, 107),
    ({"p": {"__type": "Pointer"}}, 106), ({"p": {"__type": "Pointer", "className": 1, "objectId": 1}}, 106),
    ({"at": {"__type": "GeoPoint"}}, 302), ({"at": {"__type": "GeoPoint", "latitude": "x", "longitude": 1}}, 302),
    ({"at": {"$gt": POINT}}, "0 found"),
    ({"at": {"$within": {"$box": [POINT, {"__type": "GeoPoint", "latitude": -40, "longitude": -50}]}}}, "1 found"),
    ({"x": {"__type": "Bytes", "base64": "!"}}, 107), ({"x": {"__type": "Nope"}}, 107), ({"x": {"__type": 1}}, 107),
    ({"x": {"__op": "Delete"}}, 107), ({"x": {"__type": "File"}}, 106), ({"x": {"__type": "Relation"}}, 107),
    ({"likes": 1}, "0 found"), ({"likes": {"$gt": 1}}, "0 found"), ({"likes": {"$exists": True}}, "0 found"),
    ({"likes": {"$in": [POINTER]}}, "1 found"), ({"likes": {"$ne": POINTER}}, "2 found"),
    ({"objectId": 1}, "0 found"), ({"objectId": {"$gt": 1}}, "0 found"), ({"objectId": {"$regex": "."}}, "3 found"),
    ({"objectId": None}, "0 found"), ({"createdAt": "2024"}, "0 found"), ({"createdAt": {"$gt": 1}}, "0 found"),
    ({"createdAt": {"$regex": "."}}, "0 found"), ({"ACL": {"*": {"read": True}}}, "0 found"),
    ({"ACL": {"$exists": True}}, "0 found"), ({"ACL.*.read": True}, "0 found"), ({"className": "BadRow"}, "0 found"),
    ({"__type": "Pointer"}, "0 found"),
    ({"n": {"$inQuery": {"className": "BadRow", "where": {}}}}, "0 found"),
    ({"likes": {"$inQuery": {"className": "BadRow", "where": {}}}}, "0 found"),
    ({"$or": [{"$relatedTo": {"object": POINTER, "key": "likes"}}]}, "0 found"),
])
def test_odd_conditions(api, where, expected):
    assert outcome(ask(api, where)) == expected


# Names that try to get out

NAMES = [
    "", ".", "..", "n.", ".n", "n..n", "a" * 5000, ".".join("a" * 500), "n'", 'n"', "n`", "n]", "n;--", "n\\",
    "n\u0000", "n\n", "$", "-n",
    "n' OR '1'='1", "n'); DROP TABLE objects; --", '"; DROP TABLE objects; --', "n) OR 1=1 --", "$.n", "$[0]", "o.$[*]",
    "o[0]", "o.k'",
    'o."k"', "o.#-1", "*", "?", "?1", ":n", "@n", "%", "🚀", "__proto__", "constructor", "rowid", "data", "json",
    "id", "1", "n n", "a,b",
]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", NAMES, ids=short)
def test_odd_names_of_columns_find_nothing(api, name):
    for condition in (1, {"$gt": 0}, {"$in": ["x"]}, {"$regex": "."}, {"$exists": True}, {"$size": 1}, {"$all": ["x"]}):
        response = ask(api, {name: condition})
        assert_harmless(response)
        assert response.status_code != 200 or response.json()["results"] == []


@pytest.mark.few(2)
@pytest.mark.parametrize("parameter", [
    "order", "keys", "include", "redirectClassNameForKey", "scan_key", "returnACL", "count",
])
def test_odd_names_in_parameters_do_no_harm(api, parameter):
    for name in NAMES:
        assert_harmless(api.get(CLASS, params={parameter: name}))


@pytest.mark.parametrize("order, expected", [
    ("-", 105), ("--n", "3 found"), (",", "3 found"), (",,n", "3 found"), ("n,", "3 found"), ("+n", "3 found"),
    (" ", "3 found"), ("n desc", 105), ("n;DROP TABLE x", 105), ("(select 1)", 105), ("n COLLATE x", 105),
    ("n," * 500, 1),
], ids=short)
def test_odd_orders(api, order, expected):
    assert outcome(api.get(CLASS, params={"order": order})) == expected


@pytest.mark.single
@pytest.mark.parametrize("name", [
    "a'b", "a%22b", "a`b", "sqlite_schema", "class", "class_1", "grdb_migrations", "..%2F..%2Fetc", "%00", "a%00",
    "_Nope", "__x", "1abc",
    "a-b", "a.b", "a" * 1000, "%F0%9F%9A%80", "BadRow;--", "BadRow%20", "%20BadRow", "BadRow'", "$BadRow", "BadRow%2Fx",
    "-", "*",
], ids=short)
def test_odd_names_of_classes_are_refused(api, name):
    response = api.get(f"/1.1/classes/{name}")
    assert (response.status_code, response.json()["code"]) in ((404, 101), (400, 103)), response.text


@pytest.mark.parametrize("name", [
    "sqlite_schema", "a'b", "x) UNION SELECT 1 --", "", "_Nope", "a" * 5000, "\u0000", "../BadRow",
], ids=short)
def test_odd_names_of_classes_in_sub_queries_find_nothing(api, name):
    for where in (
        {"p": {"$inQuery": {"className": name, "where": {}}}},
        {"n": {"$select": {"query": {"className": name, "where": {}}, "key": "n"}}},
        {"$relatedTo": {"object": {"__type": "Pointer", "className": name, "objectId": MISSING}, "key": "likes"}},
    ):
        response = ask(api, where)
        assert_harmless(response)
        assert response.status_code != 200 or response.json()["results"] == []


@pytest.mark.parametrize("id", ["'", "' OR '1'='1", "%", "*", "", "x" * 5000, "\u0000", "../x", "🚀"], ids=short)
def test_odd_object_ids_find_nothing(api, id):
    for where in (
        {"objectId": id}, {"objectId": {"$in": [id]}}, {"p": POINTER | {"objectId": id}},
        {"likes": POINTER | {"objectId": id}},
        {"$relatedTo": {"object": POINTER | {"objectId": id}, "key": "likes"}},
    ):
        response = ask(api, where)
        assert_harmless(response)
        assert response.status_code != 200 or response.json()["results"] == []


# Limit and skip

@pytest.mark.each_value
@pytest.mark.parametrize("name", ["limit", "skip"])
@pytest.mark.parametrize("value", [
    "ten", "1.5", "0x10", "1e3", "1;DROP", "--1", "1 1", "١", "99999999999999999999", "NaN", "[]", "'1'",
])
def test_page_that_is_no_number(api, name, value):
    assert_refused(api.get(CLASS, params={name: value}), 400, 1, name)


@pytest.mark.parametrize("value", ["-1", "-9223372036854775808"])
def test_negative_skip(api, value):
    assert_refused(api.get(CLASS, params={"skip": value}), 400, 1, "skip")


@pytest.mark.parametrize("parameters", [
    {"skip": 9223372036854775807}, {"limit": -9223372036854775807}, {"limit": 9223372036854775807},
])
def test_greatest_numbers_do_no_harm(api, parameters):
    assert_harmless(api.get(CLASS, params=parameters))


@pytest.mark.parametrize("parameters", [
    {"limit": "x"}, {"limit": []}, {"limit": {}}, {"skip": -1}, {"skip": "x"}, {"skip": 1.5},
])
def test_bad_page_in_a_batch(api, parameters):
    reply, = api.post("/1.1/batch", json={"requests": [{"method": "GET", "path": CLASS, "params": parameters}]}).json()
    assert reply["error"]["code"] == 1, reply


@pytest.mark.parametrize("where", ["{", 1, {"n": {"$foo": 1}}, True, [1], '"x"'])
def test_bad_where_in_a_batch_leaves_the_others(api, where):
    asked = {"where": where}, {"limit": 1}
    requests = [{"method": "GET", "path": CLASS, "params": parameters} for parameters in asked]
    bad, good = api.post("/1.1/batch", json={"requests": requests}).json()
    assert (bad["error"]["code"], len(good["success"]["results"])) == (107, 1)


@pytest.mark.parametrize("where", ["{", 1, {"n": {"$foo": 1}}, True, [1]])
def test_bad_where_in_the_tunnel(api, where):
    assert_refused(ask_at_length(api, where), 400, 107, "where")


def test_fields_that_steer_a_tunnel_are_never_stored(api):
    control = json.dumps({"_method": "GET", "_ApplicationId": ALPHA.id, "_ApplicationKey": ALPHA.key, "where": "{}"})
    response = api.post("/1.1/classes/BadTunnel", data=control, headers={"Content-Type": "text/plain"})
    assert_refused(response, 404, 101)
    assert_refused(api.get("/1.1/classes/BadTunnel"), 404, 101)


# How much a where may be

def nested(depth):
    where = {"n": 1}
    for _ in range(depth):
        where = {"$and": [where]}
    return where


def test_where_of_the_greatest_depth(api):
    assert [row["name"] for row in ask(api, nested(20)).json()["results"]] == ["a"]


@pytest.mark.parametrize("depth", [21, 45])
def test_where_deeper_than_the_limit(api, depth):
    assert_refused(ask(api, nested(depth)), 400, 107, "20")


@pytest.mark.few(2)
@pytest.mark.parametrize("text", [
    "[" * 30_000, '{"$or":[' * 15_000, '{"n":' * 30_000, '{"n":' + "[" * 30_000 + "]" * 30_000 + "}",
    '{"$and":[' * 3000 + "{}" + "]}" * 3000,
    '{"n":{"$in":[' + "[" * 30_000 + "]" * 30_000 + "]}}",
], ids=short)
def test_where_of_endless_depth(api, text):
    assert_refused(ask_at_length(api, text), 400, 107, "where")


@pytest.mark.parametrize("where", [
    {"$or": [{"n": number} for number in range(900)]},
    {f"c{number}": None for number in range(900)} | {"n": {"$exists": True}},
], ids=["or", "columns"])
def test_where_of_many_conditions(api, where):
    assert len(ask_at_length(api, where).json()["results"]) == 2


@pytest.mark.parametrize("where", [
    {"$or": [{"n": number} for number in range(1100)]}, {f"c{number}": 1 for number in range(1100)},
    {"$and": [{"$or": [{"n": 1}] * 50}] * 50}, {"$or": [{"n": {"$gt": 0, "$lt": 9, "$ne": 5}}] * 400},
    [{"n": 1}] * 1100, {"p": {"$inQuery": {"className": "BadRow", "where": {"$or": [{"n": 1}] * 1100}}}},
], ids=["or", "columns", "nested", "operators", "array", "sub-query"])
def test_where_of_too_many_conditions(api, where):
    assert_refused(ask_at_length(api, where), 400, 107, "1000")


@pytest.mark.parametrize("operator, expected", [("$in", ["a", "b"]), ("$nin", ["c"])])
def test_list_of_the_greatest_length(api, operator, expected):
    response = ask_at_length(api, {"n": {operator: list(range(10_000))}}, order="name")
    assert [row["name"] for row in response.json()["results"]] == expected


@pytest.mark.parametrize("operator", ["$in", "$nin", "$all"])
def test_list_longer_than_the_limit(api, operator):
    assert_refused(ask_at_length(api, {"n": {operator: list(range(10_001))}}), 400, 107, "10000")


SUB = {"$inQuery": {"className": "BadRow", "where": {"n": 1}}}


def nested_sub_queries(count):
    where = {"n": 1}
    for _ in range(count):
        where = {"p": {"$inQuery": {"className": "BadRow", "where": where}}}
    return where


def test_as_many_sub_queries_as_the_limit(api):
    assert ask(api, {"$or": [{"p": SUB}] * 10}).status_code == 200


@pytest.mark.parametrize("where", [
    {"$or": [{"p": SUB}] * 11}, {f"p{number}": SUB for number in range(11)}, nested_sub_queries(11),
    {"$or": [{"n": {"$dontSelect": {"query": {"className": "BadRow", "where": {}}, "key": "n"}}}] * 11},
], ids=["or", "columns", "nested", "select"])
def test_more_sub_queries_than_the_limit(api, where):
    assert_refused(ask(api, where), 400, 107, "10")


@pytest.mark.few(1)
@pytest.mark.parametrize("variable, value, where, word", [
    ("DEPTH", "3", nested(10), "3"), ("CONDITIONS", "3", {"$or": [{"n": number} for number in range(9)]}, "3"),
    ("LIST_LENGTH", "3", {"n": {"$in": [1, 2, 3, 4]}}, "3"), ("SUBQUERIES", "1", {"$or": [{"p": SUB}] * 3}, "1"),
    ("PATTERN_LENGTH", "3", {"s": {"$regex": "abcd"}}, "3"),
    ("PATTERN_MEMORY", "20KB", {"s": {"$regex": "(abcd){1000}"}}, "queries.maxPatternMemory"),
])
def test_limits_can_be_set(new_server, variable, value, where, word):
    api = new_server(**{f"LCFILE_QUERIES_MAX_{variable}": value}).start().api()
    put(api, "BadRow", [{"n": 1}])
    assert_refused(ask(api, where), 400, 107, word)


@pytest.mark.parametrize("include", [
    ".".join(["self"] * 1000), ".".join(["all"] * 1000), ",".join(["self", "all"] * 500),
    ".".join(["self", "all"] * 500),
], ids=["pointer", "array", "list", "mixed"])
def test_include_of_endless_depth(api, include):
    id, = put(api, "BadKnot", [{"name": "k"}])
    knot = {"__type": "Pointer", "className": "BadKnot", "objectId": id}
    assert api.call("PUT", f"/1.1/classes/BadKnot/{id}", json={"self": knot, "all": [knot] * 6}).status_code == 200
    response = api.get("/1.1/classes/BadKnot", params={"include": include, "where": json.dumps({"objectId": id})})
    assert_harmless(response)
    assert len(response.json()["results"]) == 1
    assert len(response.content) < 8000


# Sub-queries and relations that mean nothing

@pytest.mark.parametrize("operator", ["$inQuery", "$notInQuery"])
@pytest.mark.parametrize("operand", [
    1, "x", None, [], {}, {"where": {}}, {"className": 1, "where": {}}, {"className": "BadRow", "where": 1},
    {"className": "BadRow", "where": "x"}, {"className": None, "where": {}},
])
def test_sub_query_that_is_none(api, operator, operand):
    assert_refused(ask(api, {"p": {operator: operand}}), 400, 107, f"where.p.{operator}")


@pytest.mark.parametrize("operator", ["$select", "$dontSelect"])
@pytest.mark.parametrize("operand", [
    1, None, {}, [], {"key": "n"}, {"query": {"className": "BadRow", "where": {}}}, {"query": 1, "key": "n"},
    {"query": {}, "key": "n"},
    {"query": {"className": "BadRow", "where": {}}, "key": 1},
    {"query": {"className": "BadRow", "where": 1}, "key": "n"},
])
def test_selection_that_is_none(api, operator, operand):
    assert_refused(ask(api, {"n": {operator: operand}}), 400, 107, f"where.n.{operator}")


def test_unknown_operator_in_a_sub_query_is_named(api):
    where = {"p": {"$inQuery": {"className": "BadRow", "where": {"n": {"$foo": 1}}}}}
    assert_refused(ask(api, where), 400, 107, "$foo")


@pytest.mark.parametrize("more", [{"limit": "x"}, {"skip": -1}, {"limit": {}}, {"skip": 1.5}])
def test_bad_page_of_a_sub_query(api, more):
    response = ask(api, {"p": {"$inQuery": {"className": "BadRow", "where": {}} | more}})
    assert (response.status_code, response.json()["code"]) in ((400, 1), (400, 107))


@pytest.mark.parametrize("operand", [
    1, None, "x", [], {}, {"key": "likes"}, {"object": POINTER}, {"object": 1, "key": "likes"},
    {"object": POINTER, "key": 1}, {"object": "BadRow", "key": "likes"},
])
def test_relation_that_is_none(api, operand):
    assert_refused(ask(api, {"$relatedTo": operand}), 400, 107, "where.$relatedTo")


@pytest.mark.parametrize("object", [
    {"__type": "Pointer", "className": "BadRow"}, {"__type": "Pointer", "objectId": MISSING}, POINT,
    {"__type": "Pointer", "className": 1, "objectId": 1},
])
def test_relation_of_a_malformed_pointer(api, object):
    response = ask(api, {"$relatedTo": {"object": object, "key": "likes"}})
    assert (response.status_code, response.json()["code"]) in ((400, 106), (400, 107)), response.text


@pytest.mark.parametrize("key", ["n", "nothing", "name.x", "", "objectId"])
def test_redirect_to_what_is_no_relation_does_no_harm(api, key):
    for where in ({}, {"$relatedTo": {"object": POINTER, "key": "likes"}}):
        assert_harmless(ask(api, where, redirectClassNameForKey=key))


# Places that are none

@pytest.mark.few(2)
@pytest.mark.parametrize("condition", [
    {"$nearSphere": 1}, {"$nearSphere": None}, {"$nearSphere": {}}, {"$nearSphere": [1]}, {"$near": [1, "2"]},
    {"$nearSphere": POINTER},
    {"$nearSphere": {"latitude": 1, "longitude": 1, "__type": "Date"}}, {"$nearSphere": POINT, "$maxDistance": "x"},
    {"$nearSphere": POINT, "$maxDistanceInKilometers": None}, {"$nearSphere": POINT, "$minDistance": {}},
    {"$maxDistance": 1},
    {"$minDistanceInMiles": 1}, {"$within": 1}, {"$within": {}}, {"$within": {"$box": 1}}, {"$within": {"$box": []}},
    {"$within": {"$box": [POINT]}}, {"$within": {"$box": [POINT] * 3}}, {"$within": {"$box": [POINT, 1]}},
    {"$within": {"$circle": [POINT, 1]}}, {"$geoWithin": {"$center": [[1, 2], 1]}},
    {"$within": {"$box": [[1, 2], [3]]}},
])
def test_place_that_is_none(api, condition):
    assert_refused(ask(api, {"at": condition}), 400, 107, "where.at")


@pytest.mark.parametrize("latitude, longitude", [
    (91, 0), (-90.1, 0), (0, 181), (0, -180.5), (1e308, 1e308), ("1", "2"), (None, 0), (True, 0),
])
def test_place_outside_the_world(api, latitude, longitude):
    nowhere = {"__type": "GeoPoint", "latitude": latitude, "longitude": longitude}
    for condition in ({"$nearSphere": nowhere}, {"$within": {"$box": [POINT, nowhere]}}):
        response = ask(api, {"at": condition})
        assert (response.status_code, response.json()["code"]) in ((400, 107), (400, 302)), response.text


@pytest.mark.parametrize("where", [
    {"at": {"$nearSphere": POINT}, "to": {"$nearSphere": POINT}}, {"$or": [{"at": {"$nearSphere": POINT}}, {"n": 1}]},
    {"$or": [{"$and": [{"at": {"$nearSphere": POINT}}]}]},
    {"$and": [{"at": {"$nearSphere": POINT}}, {"at": {"$nearSphere": POINT}}]},
])
def test_more_than_one_nearness(api, where):
    assert_refused(ask(api, where), 400, 107, "$nearSphere")


@pytest.mark.parametrize("distance", [-1, 0, 1e308, 1e-308, 100])
def test_odd_distances_do_no_harm(api, distance):
    for name in ("$maxDistance", "$minDistance", "$maxDistanceInKilometers"):
        assert_harmless(ask(api, {"at": {"$nearSphere": POINT, name: distance}}))


def test_nearness_of_other_columns_finds_nothing(api):
    for column in ("n", "s", "nothing", "tags", "objectId"):
        response = ask(api, {column: {"$nearSphere": POINT}})
        assert_harmless(response)
        assert response.status_code != 200 or response.json()["results"] == []


# Patterns

@pytest.mark.parametrize("pattern", [
    "(", ")", "[", "*a", "a**", "(?<n", "a{2,1}", "\\", "(?<=a*)b", "\\p{Nope}", "(?'1x'a)", "[z-a]", "(?#", "\\1(?",
])
def test_pattern_that_is_none(api, pattern):
    assert_refused(ask(api, {"s": {"$regex": pattern}}), 400, 107, "where.s")


@pytest.mark.parametrize("pattern", ["a" * 1001, "火" * 334, "a|" * 5000], ids=short)
def test_pattern_longer_than_the_limit(api, pattern):
    assert_refused(ask_at_length(api, {"s": {"$regex": pattern}}), 400, 107, "1000")


def test_pattern_of_the_greatest_length(api):
    assert [row["name"] for row in ask(api, {"s": {"$regex": "a" * 1000}}).json()["results"]] == ["a"]


def large_patterns(count):
    """Different patterns of 12 bytes that take more than 40 KB each."""
    return [{"s": {"$regex": f"(abcd){{{1000 + number}}}"}} for number in range(count)]


def test_patterns_that_take_more_memory_than_the_limit(api):
    response = ask_at_length(api, {"$or": large_patterns(470)})
    assert_refused(response, 400, 107, "(queries.maxPatternMemory)")
    assert response.json()["error"].startswith("where.$or[")


def test_patterns_of_a_batch_count_together(api):
    items = [{"method": "GET", "path": CLASS, "params": {"where": {"$or": large_patterns(20)[first:first + 5]}}}
             for first in (0, 0, 5, 10, 15)]
    far = {"method": "GET", "path": CLASS, "params": {"where": {"$or": large_patterns(40)[20:]}}}
    *within, beyond = batch(api, *items, far).json()
    assert all("success" in answer for answer in within)
    assert beyond["error"]["code"] == 107 and "queries.maxPatternMemory" in beyond["error"]["error"]


def test_equal_patterns_take_memory_once(api):
    assert ask_at_length(api, {"$or": large_patterns(1) * 900}).status_code == 200


def test_as_many_ordinary_patterns_as_conditions(api):
    where = {"$or": [{"s": {"$regex": f"^\\Qname{number}@example.com\\E"}} for number in range(999)]}
    assert ask_at_length(api, where).status_code == 200


def quickly(ask):
    """Asks; an endless match would end with the time limit's 124, or not before the client gives up."""
    response = ask()
    assert response.json().get("code") != 124
    return response


@pytest.mark.few(2)
@pytest.mark.parametrize("pattern", [
    "(a+)+$", "(a|aa)+$", "^(a+)+$", "(*LIMIT_MATCH=4000000000)(a+)+$", "(*NO_JIT)(a+)+$",
    "(*LIMIT_DEPTH=4000000000)(a+)+$", "(?R)?a+$", "^(?R)?a+$",
])
def test_pattern_that_never_ends_is_stopped(api, pattern):
    assert_refused(quickly(lambda: ask(api, {"s": {"$regex": pattern}})), 400, 1, "s")


@pytest.mark.few(2)
@pytest.mark.parametrize("pattern", [
    "(a|a)*$", "(.*)*x", "(a*)*b$x", "^(([a-z])+.)+[A-Z]([a-z])+$", "(?:a?){500}a{500}$x", "(a(?1)?b?)+$",
    "a*a*a*a*a*a*a*a*x",
    "(a{1000}){1000}", "(?:a{0,60000}){0,60000}", "(" * 400 + "a" + ")" * 400, "(?=(a+))\\1+$", "(?<x>a|b(?&x))*c",
    "\\C\\C", "(?C1)a",
    "(?C'x')a", "(*ACCEPT)", "(*MARK:x)a", "(*UTF)a", "(*UCP)\\w", "(*CRLF)$", "\\Q", "\\Qa\\E\\E", "^(?:a|b)*$",
    "(?s)^(?:.|\\n)*$", "\\X+", "\\K", "(?|(a)|(b))+c",
], ids=short)
def test_heavy_and_odd_patterns_do_no_harm(api, pattern):
    assert_harmless(quickly(lambda: ask(api, {"s": {"$regex": pattern}})))


def test_pattern_that_never_ends_for_each_element_of_an_array(api):
    put(api, "BadArray", [{"tags": ["a" * 100 + "b"] * 100}])
    response = quickly(lambda: api.get("/1.1/classes/BadArray", params={"where": '{"tags":{"$regex":"(a+)+$"}}'}))
    assert_refused(response, 400, 1, "tags")


def test_pattern_that_never_ends_in_a_sub_query(api):
    where = {"p": {"$inQuery": {"className": "BadRow", "where": {"s": {"$regex": "(a+)+$"}}}}}
    assert_refused(quickly(lambda: ask(api, where)), 400, 1, "s")


# Queries that take too long

# Each match is cheap; 900 of them for each of 2000 rows are not.
SLOW = {"$or": [{"s": {"$regex": f"a.*b\\d{number}"}} for number in range(900)]}


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    """A server that gives a query one second, with a class on which some need far more."""
    server = Server(tmp_path_factory.mktemp("impatient"), LCFILE_QUERIES_TIMEOUT="1").start()
    put(server.api(), "BadSlow", [{"s": "a" * 100 + "b"}] * 2000)
    yield server
    assert server.stop() == 0


def ask_slowly(api):
    return ask_at_length(api, SLOW, "/1.1/classes/BadSlow", limit=0, count=1)


@pytest.mark.extended
def test_query_that_takes_too_long_is_124(impatient):
    assert_refused(ask_slowly(impatient.api()), 400, 124)


@pytest.mark.extended
def test_server_goes_on_while_queries_take_too_long(impatient):
    api = impatient.api()
    with ThreadPoolExecutor(8) as pool:
        slow = [pool.submit(ask_slowly, impatient.api()) for _ in range(8)]
        assert impatient.is_healthy()
        assert put(api, "BadOther", [{"s": "x"}])
        assert api.store(b"x", name="x.txt")
        assert impatient.api(BETA).count() == 0
    # They go one after the other: the first until the limit, those that would wait for too long are refused.
    codes = [response.result().json()["code"] for response in slow]
    assert codes.count(124) >= 2 and set(codes) <= {124, 429}
    assert len(api.get("/1.1/classes/BadSlow?limit=1").json()["results"]) == 1


# Scan and indexes

@pytest.mark.parametrize("parameters", [
    {"cursor": "x"}, {"cursor": "'; DROP TABLE x; --"}, {"cursor": "A" * 5000}, {"cursor": "\u0000"},
    {"cursor": "e30="}, {"cursor": MISSING},
])
def test_cursor_that_was_never_given(master, parameters):
    response = master.get("/1.1/scan/classes/BadRow", params=parameters)
    assert response.status_code == 400, response.text
    assert set(response.json()) == {"code", "error"}


@pytest.mark.parametrize("where", ["{", '{"n":{"$foo":1}}', "1"])
def test_bad_where_of_a_scan(master, where):
    assert_refused(master.get("/1.1/scan/classes/BadRow", params={"where": where}), 400, 107, "where")


def test_scan_of_an_unknown_class_is_101(master):
    assert_refused(master.get("/1.1/scan/classes/BadNowhere"), 404, 101)


@pytest.mark.few(2)
@pytest.mark.parametrize("key", NAMES, ids=short)
def test_odd_keys_of_a_scan_do_no_harm(master, key):
    assert_harmless(master.get("/1.1/scan/classes/BadRow", params={"scan_key": key}))


@pytest.mark.parametrize("body", [
    {}, [], {"fields": []}, {"fields": 1}, {"fields": "n"}, {"fields": [1]}, {"fields": [""]},
    {"fields": ["n'); DROP TABLE objects; --"]},
    {"fields": ["n"] * 1000}, {"fields": [None]}, {"fields": ["n\u0000"]}, {"fields": ["a" * 5000]},
])
def test_index_that_is_none(master, body):
    response = master.post("/1.1/indexes/BadRow", json=body)
    assert response.status_code == 400, response.text
    assert set(response.json()) == {"code", "error"}


def test_index_of_an_unknown_class_is_101(master):
    assert_refused(master.post("/1.1/indexes/BadNowhere", json={"fields": ["n"]}), 404, 101)


# Files

@pytest.mark.few(2)
@pytest.mark.parametrize("collection", ["files", "classes/_File", "classes/files"])
@pytest.mark.parametrize("where", ["{", "1", '{"name":{"$foo":1}}', '{"name":{"$regex":"("}}', '{"$where":"1"}'])
def test_bad_where_of_files(api, collection, where):
    assert_refused(api.get(f"/1.1/{collection}", params={"where": where}), 400, 107, "where")


@pytest.mark.few(2)
@pytest.mark.parametrize("parameter", ["order", "keys", "include"])
def test_odd_names_in_parameters_of_files_do_no_harm(api, parameter):
    for name in NAMES:
        assert_harmless(api.get("/1.1/classes/_File", params={parameter: name}))


@pytest.mark.few(2)
@pytest.mark.parametrize("name", NAMES, ids=short)
def test_odd_names_of_columns_of_files_do_no_harm(api, name):
    assert_harmless(api.get("/1.1/classes/_File", params={"where": json.dumps({name: "x"})}))
