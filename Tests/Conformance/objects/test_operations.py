"""Operations on fields: each on a missing field, on one of its type and on one of another, on create and on change."""

import re

import pytest
from cases import some
from client import assert_refused
from data import DELETE, MISSING, VALUES, Objects, assert_400, at_once, date, geopoint, op, own, pointer, relation, send


def increment(amount):
    return op("Increment", amount=amount)


def decrement(amount):
    return op("Decrement", amount=amount)


def add(*objects):
    return op("Add", objects=list(objects))


def add_unique(*objects):
    return op("AddUnique", objects=list(objects))


def remove(*objects):
    return op("Remove", objects=list(objects))


def add_relation(*pointers):
    return op("AddRelation", objects=list(pointers))


def remove_relation(*pointers):
    return op("RemoveRelation", objects=list(pointers))


def in_turn(*ops):
    return op("Batch", ops=list(ops))


def post(number):
    return pointer("Post", f"{number:024x}")


ON_MISSING = [
    (increment(2), 2), (increment(-2), -2), (increment(0.5), 0.5), (increment(0), 0), (decrement(2), -2),
    (add(1, 1), [1, 1]), (add(), []), (add_unique(1), [1]), (remove(1), []),
    (op("BitAnd", value=1), 0), (op("BitOr", value=1), 1), (op("BitXor", value=1), 1),
    (in_turn(increment(1), increment(2)), 3), (in_turn(add(1), add(2), remove(1)), [2]),
]


@pytest.mark.few(2)
@pytest.mark.parametrize("operation, expected", ON_MISSING, ids=str)
def test_on_create(things, operation, expected):
    column = f"is{type(expected).__name__}"
    body = things.post({column: operation}, fetchWhenSave="true").json()
    assert own(body) == {column: expected}
    assert things.read(body["objectId"]) == {column: expected}


@pytest.mark.few(2)
@pytest.mark.parametrize("operation, expected", ON_MISSING, ids=str)
def test_on_a_missing_field(things, operation, expected):
    column = f"is{type(expected).__name__}"
    id = things.create(other="a")
    assert own(things.update(id, {column: operation}, fetchWhenSave="true")) == {column: expected}
    assert things.read(id) == {column: expected, "other": "a"}


@pytest.mark.few(2)
@pytest.mark.parametrize("before, operation, after", [
    (5, increment(2), 7), (5, increment(-7), -2), (5, increment(0.5), 5.5), (0.5, increment(1), 1.5),
    (2**40, increment(1), 2**40 + 1), (5, decrement(2), 3), (5, decrement(-2), 7),
    ([1], add(1, 2), [1, 1, 2]), ([1], add(), [1]), ([1], add([2], [2]), [1, [2], [2]]), ([1], add(None), [1, None]),
    ([1, 2], add_unique(1, 2), [1, 2]), ([1, 1], add_unique(1), [1, 1]), ([], add_unique(1), [1]),
    ([1, 2, 1, "1"], remove(1), [2, "1"]), ([1, 2], remove(3), [1, 2]), ([1, 2], remove(), [1, 2]), ([1, 1], remove(1), []),
    (6, op("BitAnd", value=3), 2), (6, op("BitOr", value=3), 7), (6, op("BitXor", value=3), 5),
    (1, in_turn(increment(1), increment(1)), 3), ([1], in_turn(add(2), remove(1)), [2]),
], ids=str)
def test_on_a_field_of_its_type(things, before, operation, after):
    column = f"is{type(after).__name__}"
    id = things.create(**{column: before})
    assert own(things.update(id, {column: operation}, fetchWhenSave="true")) == {column: after}
    assert things.read(id) == {column: after}


@pytest.mark.smoke
def test_unique_adds_what_is_not_there(things):
    id = things.create(tags=["a", "b"])
    things.update(id, {"tags": add_unique("b", "c", "c")})
    assert sorted(things.read(id)["tags"]) == ["a", "b", "c"]


EQUAL = [
    ({"a": 1, "b": [2]}, {"b": [2], "a": 1}), ([1, {"x": None}], [1, {"x": None}]), (1, 1.0), (None, None), (True, True),
    (post(1), post(1) | {"name": "a"}), (date("2024-03-01T08:00:00.000Z"), date("2024-03-01T08:00:00Z")),
    (geopoint(1.0, 2.0), geopoint(1, 2)), ("茶", "茶"),
]


@pytest.mark.few(2)
@pytest.mark.parametrize("stored, given", EQUAL, ids=str)
def test_elements_are_compared_by_value(things, stored, given):
    id = things.create(all=[stored])
    things.update(id, {"all": add_unique(given)})
    assert things.read(id) == {"all": [stored]}
    things.update(id, {"all": remove(given)})
    assert things.read(id) == {"all": []}


@pytest.mark.few(2)
@pytest.mark.parametrize("stored, given", [
    ("1", 1), (1, True), (0, False), (None, 0), ([1, 2], [2, 1]), ({"a": 1}, {"a": 1, "b": 2}), (post(1), post(2)),
    (post(1), pointer("Other", post(1)["objectId"])), ("a", "A"), ("\u00e9", "e\u0301"), (2**53, 2**53 + 1),
    (date("2024-03-01T08:00:00.000Z"), "2024-03-01T08:00:00.000Z"),
], ids=str)
def test_elements_that_are_not_equal_are_told_apart(things, stored, given):
    id = things.create(all=[stored])
    things.update(id, {"all": remove(given)})
    assert things.read(id) == {"all": [stored]}
    things.update(id, {"all": add_unique(given)})
    assert len(things.read(id)["all"]) == 2


def test_file_in_a_list_is_compared_by_its_id(things, api):
    id = api.store(b"x", name="x.txt")["objectId"]
    thing = things.create(all=[{"__type": "File", "id": id}])
    things.update(thing, {"all": add_unique(pointer("_File", id))})
    assert len(things.read(thing)["all"]) == 1
    things.update(thing, {"all": remove({"__type": "File", "objectId": id})})
    assert things.read(thing) == {"all": []}


def test_whole_numbers_stay_whole(things):
    id = things.create(n=1000)
    things.update(id, {"n": increment(1)})
    assert re.search(r'"n":1001[,}]', things.get(id).text)


@pytest.mark.smoke
def test_several_operations_are_one_change(things):
    id = things.create(n=1, tags=["a"], title="old", gone=1)
    things.update(id, {"n": increment(1), "tags": add("b"), "title": "new", "gone": DELETE})
    assert things.read(id) == {"n": 2, "tags": ["a", "b"], "title": "new"}


def test_one_bad_operation_changes_nothing(things):
    id = things.create(n=1, tags=["a"])
    assert_refused(things.put(id, {"n": increment(1), "tags": increment(1)}), 400, 111)
    assert things.read(id) == {"n": 1, "tags": ["a"]}


def test_adding_at_once_loses_none(things, server):
    id = things.create(all=[])
    statuses = at_once(lambda n: things.by(server.api()).put(id, {"all": add(n)}).status_code, 60)
    assert statuses == [200] * 60
    assert sorted(things.read(id)["all"]) == list(range(60))


# Delete

@pytest.mark.few(2)
@pytest.mark.parametrize("type", VALUES)
def test_delete_takes_the_field_away(things, type):
    id = things.create(**{type: VALUES[type], "kept": 1})
    things.update(id, {type: DELETE})
    assert things.read(id) == {"kept": 1}


def test_delete_may_say_so_twice(things):
    id = things.create(n=1)
    things.update(id, {"n": op("Delete", delete=True)})
    assert things.read(id) == {}


def test_delete_of_a_missing_field_has_no_effect(things):
    id = things.create(n=1)
    things.update(id, {"m": DELETE})
    assert things.read(id) == {"n": 1}


def test_delete_on_create_has_no_effect(things):
    assert things.read(things.create(n=DELETE, m=1)) == {"m": 1}


def test_deleted_field_is_not_in_the_answer(things):
    id = things.create(n=1)
    assert own(things.update(id, {"n": DELETE}, fetchWhenSave="true")) == {}


def test_deleted_field_can_be_set_again_with_its_type(things):
    id = things.create(n=1)
    things.update(id, {"n": DELETE})
    assert_refused(things.put(id, {"n": "text"}), 400, 111)
    things.update(id, {"n": 2})
    assert things.read(id) == {"n": 2}


# Fields of another type

OPERATIONS = {
    "Increment": ({"Number"}, increment(1)), "Decrement": ({"Number"}, decrement(1)),
    "BitAnd": ({"Number"}, op("BitAnd", value=1)), "BitOr": ({"Number"}, op("BitOr", value=1)),
    "BitXor": ({"Number"}, op("BitXor", value=1)),
    "Add": ({"Array"}, add(1)), "AddUnique": ({"Array"}, add_unique(1)), "Remove": ({"Array"}, remove(1)),
    "AddRelation": ({"Relation"}, add_relation(post(1))), "RemoveRelation": ({"Relation"}, remove_relation(post(1))),
    "Batch": ({"Relation"}, in_turn(add_relation(post(1)), remove_relation(post(2)))),
}
TYPES = [*VALUES, "Relation"]
WRONG = [(name, type) for name, (types, _) in OPERATIONS.items() for type in TYPES if type not in types]


@pytest.fixture(scope="module")
def typed(api):
    """A class with a column of each type, and an object with them all."""
    objects = Objects(api, "operations_typed")
    return objects, objects.create(**VALUES, Relation=add_relation(post(9)))


@pytest.mark.few(2)
@pytest.mark.parametrize("name, type", some(WRONG, 8))
def test_on_a_field_of_another_type(typed, name, type):
    objects, id = typed
    before = objects.get(id).json()
    assert_refused(objects.put(id, {type: OPERATIONS[name][1]}), 400, 111, f"'{type}'")
    assert objects.get(id).json() == before


@pytest.mark.few(2)
@pytest.mark.parametrize("name, type", some(WRONG, 8))
def test_on_a_new_object_whose_column_has_another_type(typed, name, type):
    objects, id = typed
    assert_refused(objects.post({type: OPERATIONS[name][1]}), 400, 111, f"'{type}'")
    assert objects.ids() == {id}


@pytest.mark.parametrize("operation, value", [
    (increment(1), "text"), (decrement(1), "text"), (op("BitOr", value=1), "text"), (add(1), "text"),
    (add_unique(1), "text"),
    (add_relation(post(1)), "text"),
], ids=str)
def test_operation_fixes_the_type_of_a_new_column(things, operation, value):
    column = operation["__op"]
    things.create(**{column: operation})
    assert_refused(things.post({column: value}), 400, 111)


# Operations that are malformed

@pytest.mark.few(2)
@pytest.mark.parametrize("field, code", [
    (op("Explode"), 1), (op("increment", amount=1), 1), (op(""), 1), (op("SetOnInsert", value=1), 1), (op(5), 107),
    (op(None), 107),
], ids=str)
def test_unknown_operation(things, field, code):
    assert_refused(things.post({"n": field}), 400, code)
    id = things.create(other=1)
    assert_refused(things.put(id, {"n": field}), 400, code)


@pytest.mark.few(3)
@pytest.mark.parametrize("field", [
    op("Increment", amount="1"), op("Increment", amount=None), op("Increment", amount=[1]),
    op("Decrement", amount={}), op("BitOr"), op("BitOr", value="1"), op("BitAnd", value=1.5),
    op("BitXor", value=[1]),
    op("Add"), op("Add", objects="a"), op("Add", objects={"0": 1}), op("AddUnique"), op("AddUnique", objects=1),
    op("Remove"),
    op("Remove", objects=None), op("AddRelation"), op("AddRelation", objects=post(1)), op("RemoveRelation", objects="x"),
    op("AddRelation", objects=["x"]), op("AddRelation", objects=[date()]), op("AddRelation", objects=[[post(1)]]),
    op("AddRelation", objects=[post(1), pointer("Other")]),
    op("AddRelation", objects=[{"__type": "Pointer", "className": "Post"}]),
    op("Batch"), op("Batch", ops={}), op("Batch", ops=[5]), op("Batch", ops=[{"a": 1}]), op("Batch", ops=[op("Explode")]),
], ids=str)
def test_malformed_operation(things, field):
    assert_400(things.post({"n": field}))
    id = things.create(other=1)
    assert_400(things.put(id, {"n": field}))
    assert things.read(id) == {"other": 1}


@pytest.mark.parametrize("amount, again", [
    ("9223372036854775807", 200), ("-9223372036854775807", 200), ("1e308", 400), ("9007199254740993", 200),
])
def test_increment_beyond_whole_numbers_is_no_accident(things, amount, again):
    id = things.create(n=2**53)
    for status in (200, again):
        response = send(things.api, f"{things.path}/{id}", f'{{"n":{{"__op":"Increment","amount":{amount}}}}}', "PUT")
        assert response.status_code == status
    assert isinstance(things.read(id)["n"], (int, float))


# Relations

@pytest.fixture
def posts(things, api):
    """A class of three posts, and their ids."""
    objects = Objects(api, f"{things.name}_posts")
    return objects, [objects.create(n=n) for n in range(3)]


def test_relation_holds_what_was_added(things, posts):
    objects, ids = posts
    id = things.create(likes=add_relation(objects.pointer(ids[0])))
    things.update(id, {"likes": add_relation(objects.pointer(ids[1]))})
    assert things.read(id) == {"likes": relation(objects.name)}
    assert things.members(id, "likes", objects) == set(ids[:2])


def test_relation_loses_what_was_removed(things, posts):
    objects, ids = posts
    id = things.create(likes=add_relation(*map(objects.pointer, ids)))
    things.update(id, {"likes": remove_relation(objects.pointer(ids[1]), objects.pointer(MISSING))})
    assert things.members(id, "likes", objects) == {ids[0], ids[2]}


def test_relation_holds_each_once(things, posts):
    objects, ids = posts
    id = things.create(likes=add_relation(*[objects.pointer(ids[0])] * 2))
    things.update(id, {"likes": add_relation(objects.pointer(ids[0]))})
    found = objects.find(where={"$relatedTo": {"object": things.pointer(id), "key": "likes"}})
    assert [row["objectId"] for row in found] == [ids[0]]


def test_relation_takes_both_in_turn(things, posts):
    objects, ids = posts
    a, b, c = map(objects.pointer, ids)
    id = things.create(likes=in_turn(add_relation(a, b), remove_relation(b)))
    assert things.members(id, "likes", objects) == {ids[0]}
    things.update(id, {"likes": in_turn(add_relation(b, c), remove_relation(a))})
    assert things.members(id, "likes", objects) == set(ids[1:])


def test_relations_of_two_objects_are_apart(things, posts):
    objects, ids = posts
    first, second = (things.create(likes=add_relation(objects.pointer(id))) for id in ids[:2])
    assert things.members(first, "likes", objects) == {ids[0]}
    assert things.members(second, "likes", objects) == {ids[1]}


def test_relations_of_two_columns_are_apart(things, posts):
    objects, ids = posts
    id = things.create(likes=add_relation(objects.pointer(ids[0])), hates=add_relation(objects.pointer(ids[1])))
    assert things.members(id, "likes", objects) == {ids[0]}
    assert things.members(id, "hates", objects) == {ids[1]}


def test_removing_from_a_relation_that_is_not_there_makes_it(things):
    id = things.create(n=1)
    things.update(id, {"likes": remove_relation(post(1))})
    assert things.read(id) == {"n": 1, "likes": relation("Post")}


@pytest.mark.few(2)
@pytest.mark.parametrize("field", [{}, relation("Post"), {"__type": "Relation"}, relation(None)], ids=str)
def test_relation_without_a_change_is_passed_over(things, api, field):
    id = things.create(likes=add_relation(post(1)))
    things.update(id, {"likes": field, "n": 1})
    assert things.read(id) == {"likes": relation("Post"), "n": 1}
    assert things.query(where={"likes": post(1)}).json()["results"][0]["objectId"]


@pytest.mark.parametrize("field", [{"__type": "Relation"}, relation(None)], ids=str)
def test_relation_without_a_class_makes_no_field(things, field):
    id = things.create(n=1, unread=field)
    things.update(id, {"n": 2, "unread": field})
    assert things.read(id) == {"n": 2}
    assert_refused(things.put(id, {"n": field}), 400, 103)


def test_relation_is_found_backwards(things, posts):
    objects, ids = posts
    liking = things.create(likes=add_relation(objects.pointer(ids[0])))
    things.create(likes=add_relation(objects.pointer(ids[1])))
    assert things.ids(where={"likes": objects.pointer(ids[0])}) == {liking}


@pytest.mark.parametrize("name", ["AddRelation", "RemoveRelation"])
@pytest.mark.parametrize("count", [0, 1001])
def test_relation_of_none_or_too_many_pointers(things, name, count):
    assert_refused(things.post({"likes": op(name, objects=[post(n) for n in range(count)])}), 400, 128)


def test_relation_of_a_thousand_pointers(things):
    id = things.create(likes=add_relation(*[post(n) for n in range(1000)]))
    assert things.ids(where={"likes": post(999)}) == {id}


def test_relation_to_another_class(things):
    id = things.create(likes=add_relation(post(1)))
    assert_refused(things.put(id, {"likes": add_relation(pointer("Other"))}), 400, 111, "likes")


def test_plain_value_for_a_relation(things):
    id = things.create(likes=add_relation(post(1)))
    for value in (5, "text", [post(1)], post(1)):
        assert_refused(things.put(id, {"likes": value}), 400, 111, "likes")


def test_deleted_object_leaves_the_relation(things, posts):
    objects, ids = posts
    id = things.create(likes=add_relation(*map(objects.pointer, ids)))
    objects.delete(ids[0])
    assert things.members(id, "likes", objects) == set(ids[1:])


def test_relation_goes_with_its_owner(things, posts):
    objects, ids = posts
    id = things.create(likes=add_relation(objects.pointer(ids[0])))
    things.delete(id)
    assert things.ids(where={"likes": objects.pointer(ids[0])}) == set()


# Keys with dots

@pytest.mark.few(2)
@pytest.mark.parametrize("key, value, after", [
    ("p.city", "X", {"city": "X", "n": 1, "tags": ["a"], "q": {"r": {"s": 1}}}),
    ("p.n", increment(2), {"city": "Lyon", "n": 3, "tags": ["a"], "q": {"r": {"s": 1}}}),
    ("p.n", decrement(2), {"city": "Lyon", "n": -1, "tags": ["a"], "q": {"r": {"s": 1}}}),
    ("p.tags", add("a", "b"), {"city": "Lyon", "n": 1, "tags": ["a", "a", "b"], "q": {"r": {"s": 1}}}),
    ("p.tags", add_unique("a", "b"), {"city": "Lyon", "n": 1, "tags": ["a", "b"], "q": {"r": {"s": 1}}}),
    ("p.tags", remove("a"), {"city": "Lyon", "n": 1, "tags": [], "q": {"r": {"s": 1}}}),
    ("p.city", DELETE, {"n": 1, "tags": ["a"], "q": {"r": {"s": 1}}}),
    ("p.q.r.s", 2, {"city": "Lyon", "n": 1, "tags": ["a"], "q": {"r": {"s": 2}}}),
    ("p.q.r.s", DELETE, {"city": "Lyon", "n": 1, "tags": ["a"], "q": {"r": {}}}),
    ("p.q.r", DELETE, {"city": "Lyon", "n": 1, "tags": ["a"], "q": {}}),
    ("p.q.new.deep", increment(1), {"city": "Lyon", "n": 1, "tags": ["a"], "q": {"r": {"s": 1}, "new": {"deep": 1}}}),
    ("p.new", add(1), {"city": "Lyon", "n": 1, "tags": ["a"], "q": {"r": {"s": 1}}, "new": [1]}),
    ("p.new", date(), {"city": "Lyon", "n": 1, "tags": ["a"], "q": {"r": {"s": 1}}, "new": date()}),
    ("p.city", 5, {"city": 5, "n": 1, "tags": ["a"], "q": {"r": {"s": 1}}}),
    ("p.missing", DELETE, {"city": "Lyon", "n": 1, "tags": ["a"], "q": {"r": {"s": 1}}}),
], ids=str)
def test_dotted_key_reaches_into_an_object(things, key, value, after):
    id = things.create(p={"city": "Lyon", "n": 1, "tags": ["a"], "q": {"r": {"s": 1}}}, other=1)
    things.update(id, {key: value})
    assert things.read(id) == {"p": after, "other": 1}


@pytest.mark.parametrize("key, value, after", [
    ("p.a.b", 1, {"a": {"b": 1}}), ("p.n", increment(2), {"n": 2}), ("p.tags", add_unique("x"), {"tags": ["x"]}),
], ids=str)
def test_missing_parents_are_made(things, key, value, after):
    id = things.create(other=1)
    things.update(id, {key: value})
    assert things.read(id) == {"p": after, "other": 1}


def test_nested_delete_of_nothing_has_no_effect(things):
    id = things.create(other=1)
    things.update(id, {"other": 2, "p.a.b": DELETE})
    assert things.read(id)["other"] == 2


def test_several_dotted_keys_are_one_change(things):
    id = things.create(p={"a": 1, "b": 1, "c": 1})
    things.update(id, {"p.a": 2, "p.b": increment(5), "p.c": DELETE, "n": 1})
    assert things.read(id) == {"p": {"a": 2, "b": 6}, "n": 1}


@pytest.mark.parametrize("column", ["String", "Number", "Array", "Date", "Pointer", "GeoPoint", "Bytes", "Relation"])
def test_dotted_key_into_another_type(typed, column):
    objects, id = typed
    before = objects.get(id).json()
    assert_400(objects.put(id, {f"{column}.a": 1}))
    assert objects.get(id).json() == before


@pytest.mark.parametrize("key", ["p.city.x", "p.tags.x"])
def test_dotted_key_through_a_value_that_is_no_object(things, key):
    fields = {"p": {"city": "Lyon", "tags": ["a"]}}
    id = things.create(**fields)
    assert_400(things.put(id, {key: 1}))
    assert things.read(id) == fields


@pytest.mark.parametrize("key, value", [
    ("p.city", increment(1)), ("p.n", add(1)), ("p.city", op("BitOr", value=1)), ("p.n", remove(1)),
], ids=str)
def test_operation_on_an_inner_field_of_another_type(things, key, value):
    fields = {"p": {"city": "Lyon", "n": 1}}
    id = things.create(**fields)
    assert_refused(things.put(id, {key: value}), 400, 111)
    assert things.read(id) == fields


@pytest.mark.few(2)
@pytest.mark.parametrize("value", [add_relation(post(1)), remove_relation(post(1)), relation("Post")], ids=str)
@pytest.mark.parametrize("key", ["p.likes", "new.likes"])
def test_relation_inside_of_a_field(things, key, value):
    id = things.create(p={"a": 1})
    assert_refused(things.put(id, {key: value}), 400, 111, key)
    assert things.read(id) == {"p": {"a": 1}}
    assert things.read(things.create(new="text")) == {"new": "text"}


def test_inner_fields_have_no_fixed_type(things):
    id = things.create(p={"a": 1})
    things.update(id, {"p.a": "text"})
    things.update(id, {"p.a": [1]})
    assert things.read(id) == {"p": {"a": [1]}}


@pytest.mark.parametrize("value", ["X", increment(1), DELETE], ids=str)
def test_dotted_key_on_create(things, value):
    assert_refused(things.post({"p.city": value}), 400, 105)


@pytest.mark.few(2)
@pytest.mark.parametrize("key", [
    ".", "p.", ".a", "p..a", "p.a.", "p.$a", "p.a b?.", "createdAt.x", "objectId.x", "__x.a", "bad-name.a",
])
def test_bad_dotted_key(things, key):
    id = things.create(p={"a": 1})
    assert_400(things.put(id, {key: 1}))
    assert things.read(id) == {"p": {"a": 1}}
