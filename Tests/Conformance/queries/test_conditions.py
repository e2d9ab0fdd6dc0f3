"""Conditions: which objects a where finds."""

import pytest
from data import MISSING
from queries import date, find, found, only, put

# Conditions on values

@pytest.mark.few(2)
@pytest.mark.parametrize("where, expected", [
    ({"n": 2}, "b"), ({"n": 2.0}, "b"), ({"n": -3}, "d"), ({"n": 7}, ""), ({"n": "2"}, ""), ({"b": True}, "a"),
    ({"b": False}, "b"), ({"b": 1}, ""), ({"s": "apple"}, "a"), ({"s": "Apple"}, ""), ({"s": ""}, "d"),
    ({"s": "cherry\npie"}, "c"), ({"d": date(2)}, "b"), ({"n": 2, "s": "Banana"}, "b"), ({"n": 2, "s": "apple"}, ""),
])
def test_equality(api, rows, where, expected):
    assert found(api, "QueryRow", where) == expected


@pytest.mark.parametrize("where, expected", [
    ({"n": {"$gt": 1}}, "bc"), ({"n": {"$gte": 1}}, "abc"), ({"n": {"$lt": 2}}, "ad"), ({"n": {"$lte": 2}}, "abd"),
    ({"n": {"$gt": -3, "$lt": 2.5}}, "ab"), ({"n": {"$gt": 2.5}}, ""),
    ({"d": {"$gte": date(2)}}, "bc"), ({"d": {"$lt": date(2)}}, "a"),
    ({"s": {"$gt": "Z"}}, "ac"), ({"s": {"$lt": "a"}}, "bd"), ({"s": {"$gte": ""}}, "abcd"),
])
def test_comparisons(api, rows, where, expected):
    assert found(api, "QueryRow", where) == expected


@pytest.mark.parametrize("where", [
    {"n": {"$gt": ""}}, {"n": {"$lt": "z"}}, {"s": {"$gt": 0}}, {"d": {"$gt": 0}}, {"d": {"$gt": "2000"}},
    {"s": {"$lt": date(1)}}, {"b": {"$gte": 0}}, {"o": {"$gt": 0}},
])
def test_comparison_matches_only_values_of_its_own_type(api, rows, where):
    assert found(api, "QueryRow", where) == ""


@pytest.mark.parametrize("column", ["createdAt", "updatedAt"])
def test_times_compare_with_dates(api, rows, column):
    past = {"__type": "Date", "iso": "2001-01-01T00:00:00.000Z"}
    assert found(api, "QueryRow", {column: {"$gt": past}}) == "abcdef"
    assert found(api, "QueryRow", {column: {"$lt": past}}) == ""


def test_creation_time_finds_its_row(api, rows):
    row = api.get(f"/1.1/classes/QueryRow/{rows['c']}").json()
    where = {"createdAt": {"__type": "Date", "iso": row["createdAt"]}}
    assert "c" in found(api, "QueryRow", where)


@pytest.mark.parametrize("where, expected", [
    ({"n": {"$ne": 2}}, "acdef"), ({"b": {"$ne": True}}, "bcdef"), ({"s": {"$ne": "apple"}}, "bcdef"),
    ({"n": {"$ne": "2"}}, "abcdef"), ({"n": {"$nin": [1, 2]}}, "cdef"), ({"n": {"$nin": []}}, "abcdef"),
])
def test_negations_match_rows_without_the_column(api, rows, where, expected):
    assert found(api, "QueryRow", where) == expected


@pytest.mark.parametrize("where, expected", [
    ({"n": {"$in": [1, 2.5]}}, "ac"), ({"n": {"$in": []}}, ""), ({"n": {"$in": [1, "apple"]}}, "a"),
    ({"n": {"$in": [None, 1]}}, "aef"), ({"n": {"$nin": [None, 1]}}, "bcd"), ({"d": {"$in": [date(1), date(3)]}}, "ac"),
])
def test_lists_of_values(api, rows, where, expected):
    assert found(api, "QueryRow", where) == expected


@pytest.mark.parametrize("where, expected", [
    ({"s": None}, "ef"), ({"s": {"$ne": None}}, "abcd"), ({"s": {"$exists": True}}, "abcde"),
    ({"s": {"$exists": False}}, "f"), ({"s": {"$exists": True, "$nin": ["", None]}}, "abc"),
    ({"nothing": None}, "abcdef"),
])
def test_null_is_missing_or_null_but_exists(api, rows, where, expected):
    assert found(api, "QueryRow", where) == expected


@pytest.mark.parametrize("where, expected", [
    ({"nothing": 1}, ""), ({"nothing": {"$ne": 1}}, "abcdef"), ({"nothing": {"$exists": False}}, "abcdef"),
    ({"nothing": {"$exists": True}}, ""), ({"nothing": {"$gt": 1}}, ""), ({"nothing": {"$regex": ""}}, ""),
    ({"nothing.at.all": 1}, ""),
])
def test_unknown_column_is_a_missing_one(api, rows, where, expected):
    assert found(api, "QueryRow", where) == expected


@pytest.mark.smoke
def test_object_id_finds_its_row(api, rows):
    assert found(api, "QueryRow", {"objectId": rows["c"]}) == "c"
    assert found(api, "QueryRow", {"objectId": {"$in": [rows["a"], rows["d"], MISSING]}}) == "ad"
    assert found(api, "QueryRow", {"objectId": {"$nin": [rows["a"], rows["d"]]}}) == "bcef"


TEXTS = [
    "'; DROP TABLE x; --", "' OR '1'='1", '" OR ""="', "%", "_", "a%b", "\\", "\\'", "？",
    "火箭 🚀", "é", "e\u0301", "$gt", "a.b", "{}", "[]", "null", "true", "1", " ", "\n", "x" * 1000, "\\Q\\E", ".*",
    "\u2028", "\ufeff", "ß", "ı",
]


@pytest.fixture(scope="module")
def texts(api):
    return put(api, "QueryText", [{"s": text, "o": {"t": text}} for text in TEXTS])


@pytest.mark.few(2)
@pytest.mark.parametrize("index", range(len(TEXTS)), ids=lambda index: ascii(TEXTS[index])[:30])
def test_text_finds_exactly_itself(api, texts, index):
    for where in ({"s": TEXTS[index]}, {"s": {"$in": [TEXTS[index]]}}, {"o.t": TEXTS[index]}):
        row = only(find(api, "QueryText", where))
        assert (row["objectId"], row["s"]) == (texts[index], TEXTS[index])


# Arrays and objects

@pytest.mark.parametrize("where, expected", [
    ({"tags": "y"}, "abd"), ({"tags": "q"}, ""), ({"tags": {"$ne": "x"}}, "bcef"), ({"tags": {"$in": ["z", "q"]}}, "d"),
    ({"tags": {"$nin": ["x"]}}, "bcef"), ({"nums": {"$gt": 5}}, "d"), ({"nums": {"$lt": 1}}, "d"), ({"nums": 3}, "b"),
    ({"tags": {"$regex": "^z"}}, "d"), ({"items.k": 2}, "a"), ({"items.k": {"$gt": 2}}, "b"),
])
def test_any_element_of_an_array_may_match(api, rows, where, expected):
    assert found(api, "QueryRow", where) == expected


def test_bounds_of_a_range_may_be_met_by_different_elements(api, rows):
    assert found(api, "QueryRow", {"nums": {"$gt": 6, "$lt": 1}}) == "d"


@pytest.mark.parametrize("where, expected", [
    ({"tags": ["y"]}, "b"), ({"tags": ["x", "y"]}, "a"), ({"tags": ["y", "x"]}, ""), ({"tags": []}, "c"),
])
def test_array_equals_the_whole_array(api, rows, where, expected):
    assert found(api, "QueryRow", where) == expected


@pytest.mark.parametrize("values, expected", [
    (["x", "y"], "ad"), (["y", "x"], "ad"), (["y"], "abd"), (["x", "q"], ""), ([], ""),
])
def test_all(api, rows, values, expected):
    assert found(api, "QueryRow", {"tags": {"$all": values}}) == expected


@pytest.mark.parametrize("size, expected", [(0, "c"), (1, "b"), (2, "a"), (3, "d"), (9, "")])
def test_size(api, rows, size, expected):
    assert found(api, "QueryRow", {"tags": {"$size": size}}) == expected


def test_size_of_what_is_no_array_matches_nothing(api, rows):
    assert found(api, "QueryRow", {"s": {"$size": 5}}) == ""


@pytest.mark.parametrize("where, expected", [
    ({"o.city": "Lyon"}, "a"), ({"o.city": {"$in": ["Lyon", "Oslo"]}}, "ab"), ({"o.zip": {"$exists": True}}, "a"),
    ({"o.deep.k": 2}, "b"), ({"o.city": {"$ne": "Lyon"}}, "bcdef"), ({"o.city": {"$regex": "^O"}}, "b"),
    ({"o.city.x": 1}, ""),
])
def test_dots_reach_into_objects(api, rows, where, expected):
    assert found(api, "QueryRow", where) == expected


@pytest.mark.parametrize("value, expected", [
    ({"city": "Lyon", "zip": 1}, "a"), ({"city": "Lyon"}, ""), ({"city": "Oslo", "deep": {"k": [1, 2]}}, "b"),
])
def test_object_equals_the_whole_object(api, rows, value, expected):
    assert found(api, "QueryRow", {"o": value}) == expected


# Text patterns

@pytest.mark.parametrize("pattern, options, expected", [
    ("^a", None, "a"), ("an", None, "b"), ("e$", None, "ac"), ("^A", None, ""), ("^A", "i", "a"), ("^b.*A$", "i", "b"),
    ("^\\Qapple\\E", None, "a"), ("^\\Qapp\\E", "", "a"), ("\\Q.\\E", None, ""), ("^pie", None, ""), ("^pie", "m", "c"),
    ("cherry.pie", None, ""), ("cherry.pie", "s", "c"), ("app le", "x", "a"), ("^CHERRY.PIE$", "is", "c"),
    ("^[ab]", "i", "ab"), ("(?<!b)an", "i", "b"), ("(p)\\1", None, "a"), ("^(?:apple|Banana)$", None, "ab"),
    ("", None, "abcd"),
])
def test_regex(api, rows, pattern, options, expected):
    condition = {"$regex": pattern} | ({} if options is None else {"$options": options})
    assert found(api, "QueryRow", {"s": condition}) == expected


def test_regex_sees_characters_and_not_bytes(api):
    put(api, "QueryLetters", [{"name": "a", "s": "火箭"}, {"name": "b", "s": "🚀"}, {"name": "c", "s": "Éa"}])
    assert found(api, "QueryLetters", {"s": {"$regex": "^..$"}}) == "ac"
    assert found(api, "QueryLetters", {"s": {"$regex": "^[火-箭🚀]+$"}}) == "ab"


@pytest.mark.parametrize("column", ["n", "b", "d", "o"])
def test_regex_matches_text_only(api, rows, column):
    assert found(api, "QueryRow", {column: {"$regex": ""}}) == ""


def test_regex_goes_with_other_conditions_on_its_column(api, rows):
    assert found(api, "QueryRow", {"s": {"$regex": "a", "$ne": "apple"}}) == "b"


# Or, and

@pytest.mark.parametrize("where, expected", [
    ({"$or": [{"n": 1}, {"s": ""}]}, "ad"), ({"$or": [{"n": 1}]}, "a"),
    ({"$or": [{"n": 1}, {"s": ""}], "b": True}, "a"),
    ({"$and": [{"n": {"$gt": 0}}, {"n": {"$lt": 2.5}}]}, "ab"), ({"$and": [{"n": 2}]}, "b"),
    ({"$or": [{"n": {"$gt": 2}}, {"$and": [{"b": True}, {"s": {"$regex": "^\\QA\\E", "$options": "i"}}]}]}, "ac"),
    ({"$and": [{"$or": [{"n": 1}, {"n": 2}]}, {"$or": [{"b": False}, {"s": ""}]}]}, "b"),
    ({"$or": [{}, {"n": 1}]}, "abcdef"), ({"$and": [{}]}, "abcdef"), ({"$or": [{"n": 1}, {"n": 1}]}, "a"),
    # C# and Flutter write a query without conditions as null.
    ({"$or": [None, {"n": 1}]}, "abcdef"), ({"$and": [None, {"n": 1}]}, "a"), ({"$or": [{"n": 1}, None]}, "abcdef"),
    ([{"n": {"$gt": 0}}, {"b": True}], "a"), ([{"n": 1}], "a"), ([{"n": 1}, {"n": 2}], ""),
])
def test_or_and(api, rows, where, expected):
    assert found(api, "QueryRow", where) == expected


@pytest.mark.parametrize("text", ["", "{}", "[]", "null"])
def test_empty_where_is_none(api, rows, text):
    response = api.get("/1.1/classes/QueryRow", params={"where": text})
    assert (response.status_code, len(response.json()["results"])) == (200, 6)
