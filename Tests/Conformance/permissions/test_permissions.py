"""Permissions of classes: who may do what on which way in."""

import json

import pytest
from batches import codes, delete, get, post, put, save
from data import Objects, batch, op
from people import ALLOWED, CALLERS, READ, Role, assert_forbidden, forbidden, one_of_each, permit, refusal, unique

OPEN = {name: ["everyone"] for name in ("add_fields", "create", "delete", "find", "get", "update")}


@pytest.fixture(scope="module")
def world(cast):
    """Guarded, whose permissions the tests set, with object zero; Outer, open to all, with one that points there."""
    guarded, outer = Objects(cast.master, "permissions_Guarded"), Objects(cast.master, "permissions_Outer")
    zero = guarded.pointer(guarded.create(n=0, object={}))
    outer.create(n=0, pointer=zero, all=op("AddRelation", objects=[zero]))
    return guarded


@pytest.fixture
def guarded(world, cast):
    permit(cast.master, world.name, **OPEN)
    return world


def tunnel(objects, method, id="", **fields):
    """The call as old browsers send it."""
    return objects.api.post(
        f"{objects.path}/{id}".rstrip("/"), data=json.dumps({"_method": method} | fields),
        headers={"Content-Type": "text/plain"},
    )


def outer_of(objects):
    outer = Objects(objects.api, "permissions_Outer")
    return outer, outer.find(where={"n": 0})[0]["objectId"]


def sub_query(name, operator):
    query = {"className": name, "where": {"n": 0}}
    return {"pointer": {operator: query}} if "Query" in operator else {"n": {operator: {"query": query, "key": "n"}}}


def related(objects):
    outer, id = outer_of(objects)
    where = {"$relatedTo": {"object": outer.pointer(id), "key": "all"}}
    return outer.query(where=where, redirectClassNameForKey="all")


def changed_if(objects, operator):
    """A change of an open class whose condition asks the guarded one."""
    outer, id = outer_of(objects)
    return outer.put(id, {"m": 1}, where=sub_query(objects.name, operator))


def child_of(objects):
    """A new object with a pointer, which batch/save makes of a child."""
    children = [{"className": objects.name, "cid": "A", "key": unique("c")}]
    return save(
        objects.api, post(objects, {"__internalId": "A"}, new=True),
        post(objects, {"__internalId": "B", "__children": children}, new=True),
    )


WAYS = {
    "create": {
        "alone": lambda o, id: o.post({"n": 2}),
        "with the flag": lambda o, id: o.post({"n": 2}, fetchWhenSave="true"),
        "batch": lambda o, id: batch(o.api, post(o, {"n": 2})),
        "batch/save": lambda o, id: save(o.api, post(o, {"n": 2, "__internalId": "A"}, new=True)),
        "tunnel": lambda o, id: tunnel(o, "POST", n=2),
    },
    "get": {
        "alone": lambda o, id: o.get(id),
        "with parameters": lambda o, id: o.get(id, include="pointer", keys="n", returnACL="true"),
        "batch": lambda o, id: batch(o.api, get(o, id)),
        "tunnel": lambda o, id: tunnel(o, "GET", id),
    },
    "find": {
        "alone": lambda o, id: o.query(),
        "by id": lambda o, id: o.query(where={"objectId": id}),
        "count": lambda o, id: o.query(limit=0, count=1),
        "batch": lambda o, id: batch(o.api, get(o, limit=1)),
        "tunnel": lambda o, id: tunnel(o, "GET", limit=1),
        "$inQuery": lambda o, id: outer_of(o)[0].query(where=sub_query(o.name, "$inQuery")),
        "$notInQuery": lambda o, id: outer_of(o)[0].query(where=sub_query(o.name, "$notInQuery")),
        "$select": lambda o, id: outer_of(o)[0].query(where=sub_query(o.name, "$select")),
        "$dontSelect": lambda o, id: outer_of(o)[0].query(where=sub_query(o.name, "$dontSelect")),
        "sub-query in $or": lambda o, id: outer_of(o)[0].query(where={"$or": [sub_query(o.name, "$inQuery"), {"n": 0}]}),
        "sub-query in a batch": lambda o, id: batch(o.api, get(outer_of(o)[0], where=sub_query(o.name, "$select"))),
        "sub-query of a change": lambda o, id: changed_if(o, "$inQuery"),
        "redirect": lambda o, id: related(o),
    },
    "update": {
        "alone": lambda o, id: o.put(id, {"n": 2}),
        "condition": lambda o, id: o.put(id, {"n": 2}, where={"n": 1}),
        "operation": lambda o, id: o.put(id, {"n": op("Increment", amount=1)}),
        "dotted": lambda o, id: o.put(id, {"object.x": 1}),
        "ACL": lambda o, id: o.put(id, {"ACL": {"*": READ}}),
        "nothing": lambda o, id: o.put(id, {}),
        "batch": lambda o, id: batch(o.api, put(o, id, {"n": 2})),
        "batch/save": lambda o, id: save(o.api, put(o, id, {"n": 2, "__internalId": id})),
        "tunnel": lambda o, id: tunnel(o, "PUT", id, n=2),
    },
    "delete": {
        "alone": lambda o, id: o.delete(id),
        "several": lambda o, id: o.delete(f"{id},{'0' * 24}"),
        "condition": lambda o, id: o.delete(id, where={"n": 1}),
        "batch": lambda o, id: batch(o.api, delete(o, id)),
        "tunnel": lambda o, id: tunnel(o, "DELETE", id),
    },
    "add_fields": {
        "create": lambda o, id: o.post({unique("c"): 1}),
        "create of a relation": lambda o, id: o.post({unique("c"): op("AddRelation", objects=[o.pointer(id)])}),
        "update": lambda o, id: o.put(id, {unique("c"): 1}),
        "operation": lambda o, id: o.put(id, {unique("c"): op("Increment", amount=1)}),
        "relation": lambda o, id: o.put(id, {unique("c"): op("AddRelation", objects=[o.pointer(id)])}),
        "batch": lambda o, id: batch(o.api, post(o, {unique("c"): 1})),
        "update of a batch": lambda o, id: batch(o.api, put(o, id, {unique("c"): 1})),
        "batch/save": lambda o, id: save(o.api, post(o, {unique("c"): 1, "__internalId": "A"}, new=True)),
        "update of batch/save": lambda o, id: save(o.api, put(o, id, {unique("c"): 1, "__internalId": id})),
        "child": lambda o, id: child_of(o),
        "tunnel": lambda o, id: tunnel(o, "PUT", id, **{unique("c"): 1}),
    },
}


@pytest.mark.few(18)
@pytest.mark.parametrize("audience, caller", one_of_each(ALLOWED))
@pytest.mark.parametrize("operation, way", [(operation, way) for operation, ways in WAYS.items() for way in ways])
def test_operation_is_for_whom_it_is_open(cast, guarded, operation, way, audience, caller):
    id = guarded.create(n=1, object={})
    permit(cast.master, guarded.name, **{operation: cast.words(audience)})
    before = guarded.get(id).json(), guarded.count()
    response = WAYS[operation][way](guarded.by(cast[caller]), id)
    if caller in ALLOWED[audience]:
        assert refusal(response) is None
    else:
        assert_forbidden(response, forbidden(operation, guarded.name))
        assert (guarded.get(id).json(), guarded.count()) == before


@pytest.mark.few(2)
@pytest.mark.parametrize("operation", WAYS)
def test_several_words_open_to_each_of_them(cast, guarded, operation):
    permit(cast.master, guarded.name, **{operation: cast.words("user") + cast.words("role")})
    for way in WAYS[operation].values():
        seen = [refusal(way(guarded.by(cast[caller]), guarded.create(n=1, object={}))) for caller in CALLERS]
        refused = forbidden(operation, guarded.name)
        assert seen == [refused, None, refused, None, None]


@pytest.mark.parametrize("operation", WAYS)
def test_role_opens_to_members_of_its_roles(cast, guarded, operation):
    parent = Role(cast.master, roles=[cast.role])
    permit(cast.master, guarded.name, **{operation: [parent.subject]})
    way = WAYS[operation]["batch"]
    assert refusal(way(guarded.by(cast.member), guarded.create(n=1))) is None
    assert refusal(way(guarded.by(cast.owner), guarded.create(n=1))) == forbidden(operation, guarded.name)


# What lies beside an operation

def test_object_is_made_with_known_fields_where_new_ones_are_closed(cast, guarded):
    permit(cast.master, guarded.name, add_fields=[])
    id = guarded.by(cast.guest).create(n=1, ACL={"*": READ})
    assert guarded.read(id)["n"] == 1


@pytest.mark.smoke
def test_get_and_find_are_apart(cast, guarded):
    id = guarded.create(n=1)
    permit(cast.master, guarded.name, find=[])
    assert guarded.by(cast.guest).get(id).json()["n"] == 1
    permit(cast.master, guarded.name, find=["everyone"], get=[])
    assert guarded.by(cast.guest).ids(where={"objectId": id}) == {id}


@pytest.mark.parametrize("caller, shown", [
    ("guest", False), ("owner", True), ("other", False), ("member", False), ("master", True),
])
def test_pointer_into_a_class_whose_get_is_closed_stays_a_pointer(cast, guarded, caller, shown):
    permit(cast.master, guarded.name, get=cast.words("user"))
    outer, id = outer_of(guarded.by(cast[caller]))
    bare = guarded.pointer(guarded.find(where={"n": 0}, limit=1)[0]["objectId"])
    for row in (outer.get(id, include="pointer").json(), *outer.find(where={"n": 0}, include="pointer")):
        assert row["pointer"]["objectId"] == bare["objectId"]
        assert (row["pointer"] != bare, row["pointer"].get("n")) == ((True, 0) if shown else (False, None))


def test_include_asks_for_no_permission_to_find(cast, guarded):
    permit(cast.master, guarded.name, find=[])
    outer, id = outer_of(guarded.by(cast.guest))
    assert outer.get(id, include="pointer").json()["pointer"]["n"] == 0


@pytest.mark.smoke
def test_items_of_a_batch_are_refused_one_by_one(cast, guarded):
    id = guarded.create(n=1)
    permit(cast.master, guarded.name, create=[], find=[])
    seen = guarded.by(cast.guest)
    assert codes(batch(
        seen.api, post(seen, {"n": 2}), put(seen, id, {"n": 2}), get(seen), get(seen, id), delete(seen, id),
    )) == [403, None, 403, None, None]


def test_refused_item_of_batch_save_leaves_all_as_it_was(cast, guarded):
    id = guarded.create(n=1)
    count = guarded.count()
    permit(cast.master, guarded.name, create=[])
    seen = guarded.by(cast.guest)
    assert_forbidden(save(
        seen.api, put(seen, id, {"n": 2, "__internalId": id}), post(seen, {"n": 3, "__internalId": "A"}, new=True),
    ), forbidden("create", guarded.name))
    assert (guarded.get(id).json()["n"], guarded.count()) == (1, count)
