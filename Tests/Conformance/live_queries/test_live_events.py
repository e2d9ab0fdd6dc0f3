"""Which event a change causes, and what the event shows (protocol/data 8.5)."""

import pytest
from batches import delete, post, put, save
from client import assert_refused
from data import DELETE, Objects, at_once, batch, blob, date, geopoint, op, pointer
from live_client import short, subscribing
from live_messages import PROTOCOLS

BARE = {"__type", "className", "objectId"}


def shown(tasks, id):
    """The object of an event, as a query shows it."""
    object, = tasks.find(where={"objectId": id})
    return {"__type": "Object", "className": tasks.name} | object


# The life of an object

@pytest.mark.smoke
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_each_change_of_an_object_is_one_event(connect, tasks, protocol):
    live = connect(protocol=protocol)
    query = live.subscribe(tasks.name, {"done": False})
    id = tasks.create(title="wash 洗 🧺", done=False)
    assert live.event() == {"op": "create", "query_id": query, "object": shown(tasks, id)}
    tasks.update(id, {"title": "dry"})
    assert live.event() == {"op": "update", "query_id": query, "updatedKeys": ["title"], "object": shown(tasks, id)}
    tasks.update(id, {"done": True})
    assert live.event() == {"op": "leave", "query_id": query, "updatedKeys": ["done"], "object": shown(tasks, id)}
    tasks.update(id, {"done": False, "title": "iron"})
    both = ["done", "title"]
    assert live.event() == {"op": "enter", "query_id": query, "updatedKeys": both, "object": shown(tasks, id)}
    tasks.delete(id)
    gone = {"__type": "Object", "className": tasks.name, "objectId": id}
    assert live.event() == {"op": "delete", "query_id": query, "object": gone}
    assert live.flush() == []


def test_object_that_does_not_match_causes_no_event(live, tasks):
    live.subscribe(tasks.name, {"done": False})
    id = tasks.create(done=True)
    tasks.update(id, {"title": "dry"})
    tasks.delete(id)
    assert live.flush() == []


def test_class_that_does_not_exist_yet_can_be_subscribed(live, tasks):
    live.subscribe(tasks.name, {"n": {"$gt": 1}})
    id = tasks.create(n=2)
    assert short(live.flush()) == [("create", id)]


def test_object_of_another_class_or_app_causes_no_event(live, tasks, beta):
    live.subscribe(tasks.name)
    Objects(tasks.api, f"{tasks.name}_other").create(n=1)
    Objects(beta, tasks.name).create(n=1)
    assert live.flush() == []


# Conditions, evaluated before and after a change

HERE, THERE = geopoint(40, -30), geopoint(-40, 30)
FOLDER, OTHER = pointer("Folder", "1" * 24), pointer("Folder", "2" * 24)
CONDITIONS = {
    "equals": ({"n": 1}, {"n": 1}, {"n": 2}),
    "equals and more": ({"n": 1, "s": "a"}, {"n": 1, "s": "a"}, {"s": "b"}),
    "$ne": ({"n": {"$ne": 1}}, {"n": 2}, {"n": 1}),
    "$in": ({"n": {"$in": [1, 2]}}, {"n": 2}, {"n": 3}),
    "$nin": ({"n": {"$nin": [1, 2]}}, {"n": 3}, {"n": 2}),
    "$gt": ({"n": {"$gt": 1}}, {"n": 2}, {"n": op("Increment", amount=-1)}),
    "$lte and $gte": ({"n": {"$lte": 3, "$gte": 1}}, {"n": 3}, {"n": 4}),
    "$exists": ({"n": {"$exists": True}}, {"n": 0}, {"n": DELETE}),
    "null": ({"n": None}, {"n": None}, {"n": 1}),
    "$regex": ({"s": {"$regex": "^wa.h"}}, {"s": "wash"}, {"s": "dry"}),
    "element of an array": ({"a": "x"}, {"a": ["x", "y"]}, {"a": op("Remove", objects=["x"])}),
    "$all": ({"a": {"$all": ["x", "y"]}}, {"a": ["y", "x"]}, {"a": ["x"]}),
    "$size": ({"a": {"$size": 2}}, {"a": ["x", "y"]}, {"a": op("Add", objects=["z"])}),
    "path": ({"o.city": "Lyon"}, {"o": {"city": "Lyon"}}, {"o": {"city": "Oslo"}}),
    "date": ({"d": {"$lt": date("2024-06-01T00:00:00.000Z")}}, {"d": date()}, {"d": date("2025-01-01T00:00:00.000Z")}),
    "pointer": ({"p": FOLDER}, {"p": FOLDER}, {"p": OTHER}),
    "$nearSphere": ({"g": {"$nearSphere": HERE, "$maxDistanceInKilometers": 10}}, {"g": HERE}, {"g": THERE}),
    "$or": ({"$or": [{"n": 1}, {"s": "a"}]}, {"n": 2, "s": "a"}, {"s": "b"}),
    "$or of what no index finds": ({"$or": [{"n": {"$gt": 5}}, {"s": "a"}]}, {"n": 6}, {"n": 5}),
    "$and": ({"$and": [{"n": {"$gt": 1}}, {"n": {"$lt": 3}}]}, {"n": 2}, {"n": 3}),
    "boolean": ({"b": True}, {"b": True}, {"b": False}),
    "number as integer and decimal": ({"n": 1.0}, {"n": 1}, {"n": 1.5}),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("where, matching, change", CONDITIONS.values(), ids=CONDITIONS)
def test_condition_decides_between_create_leave_and_enter(live, tasks, where, matching, change):
    live.subscribe(tasks.name, where)
    id = tasks.create(**matching)
    tasks.update(id, change)
    tasks.update(id, {name: matching.get(name, DELETE) for name in change})
    created, left, entered = live.flush()
    assert short([created, left, entered]) == [("create", id), ("leave", id), ("enter", id)]
    assert left["updatedKeys"] == entered["updatedKeys"] == sorted(change)


@pytest.mark.parametrize("where", [None, {}, "", "{}"])
def test_query_without_a_condition_sees_every_object(live, tasks, where):
    live.subscribe(tasks.name) if where is None else live.subscribe(tasks.name, where=where)
    id = tasks.create(n=1)
    assert short(live.flush()) == [("create", id)]


# What an event shows

def test_object_is_shown_as_a_query_shows_it(live, tasks):
    id = tasks.create(
        s="text", n=1.5, b=True, a=["x", 1, {"y": None}], o={"a": {"b": 1}}, d=date(), g=geopoint(), by=blob(),
        p=pointer(tasks.name), r=op("AddRelation", objects=[pointer(tasks.name)]), z=None,
    )
    live.subscribe(tasks.name, {"s": "text"})
    tasks.update(id, {"n": 2})
    assert live.event()["object"] == shown(tasks, id)


def test_options_of_a_query_change_nothing(live, tasks):
    live.subscribe(tasks.name, limit=0, skip=5, order="-n", include="p", keys="n")
    live.subscribe(tasks.name, {"n": 1}, limit="10", skip="0", keys=["n"])
    id = tasks.create(n=1, s="text")
    events = live.flush()
    assert [event["object"] for event in events] == [shown(tasks, id)] * 2


def test_file_is_shown_as_a_file(live, tasks, api):
    file = api.store(b"cover", name="cover.txt")
    live.subscribe(tasks.name)
    id = tasks.create(cover={"__type": "File", "id": file["objectId"]})
    object = live.event()["object"]
    assert object == shown(tasks, id)
    assert (object["cover"]["__type"], object["cover"]["url"]) == ("File", file["url"])


def test_file_has_the_type_of_files(live, api):
    """JavaScript's SDK makes AV.File of it."""
    live.subscribe("_File")
    file = api.store(b"cover", name="cover.txt")
    event, = [event for event in live.flush() if event["object"]["objectId"] == file["objectId"]]
    assert (event["op"], event["object"]["__type"]) == ("create", "File")


@pytest.mark.parametrize("shows", [True, "true", False, None])
def test_acl_is_shown_if_the_query_asks_for_it(live, tasks, shows):
    acl = {"*": {"read": True, "write": True}}
    id = tasks.create(n=1, ACL=acl)
    live.subscribe(tasks.name, returnACL=shows)
    tasks.update(id, {"ACL": {"*": {"read": True}}})
    event, = live.flush()
    assert ("ACL" in event["object"], event["updatedKeys"]) == ((True, ["ACL"]) if shows else (False, []))


CHANGES = {
    "one field": ({"n": 2}, ["n"]),
    "several": ({"s": "b", "n": 2, "b": True}, ["b", "n", "s"]),
    "increment": ({"n": op("Increment", amount=5)}, ["n"]),
    "deletion of a field": ({"s": DELETE}, ["s"]),
    "part of an object": ({"o.city": "Oslo"}, ["o"]),
    "addition to an array": ({"a": op("AddUnique", objects=["x", "y"])}, ["a"]),
    "one of two is the same": ({"n": 2, "s": "a"}, ["n"]),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("change, keys", CHANGES.values(), ids=CHANGES)
def test_updated_keys_name_the_fields_whose_values_differ(live, tasks, change, keys):
    id = tasks.create(s="a", n=1, o={"city": "Lyon"}, a=["x"])
    live.subscribe(tasks.name)
    tasks.update(id, change)
    assert [(event["op"], event["updatedKeys"]) for event in live.flush()] == [("update", keys)]


# Batches

def test_each_object_of_a_batch_causes_an_event_in_its_order(live, tasks):
    live.subscribe(tasks.name, {"n": {"$gt": 0}})
    answers = batch(tasks.api, *(post(tasks, {"n": n}) for n in range(10))).json()
    ids = [answer["success"]["objectId"] for answer in answers]
    assert short(live.flush()) == [("create", id) for id in ids[1:]]
    batch(tasks.api, put(tasks, ids[2], {"n": 0}), delete(tasks, ids[3]), put(tasks, ids[0], {"n": 5}))
    assert short(live.flush()) == [("leave", ids[2]), ("delete", ids[3]), ("enter", ids[0])]


def test_objects_saved_together_cause_an_event_each(live, tasks):
    live.subscribe(tasks.name)
    requests = [post(tasks, {"n": n, "__internalId": str(n)}) | {"new": True} for n in range(5)]
    response = save(tasks.api, *requests)
    assert response.status_code == 200, response.text
    events = live.flush()
    assert [(event["op"], event["object"]["n"]) for event in events] == [("create", n) for n in range(5)]


def test_save_that_is_aborted_causes_no_event(live, tasks):
    id = tasks.create(n=1)
    live.subscribe(tasks.name)
    # The second one fails, and with it the first one.
    response = save(tasks.api, post(tasks, {"n": 2, "__internalId": "a"}) | {"new": True}, put(tasks, id, {"n": "text"}))
    assert "success" not in str(response.json()), response.text
    assert live.flush() == []
    assert tasks.count(n=2) == 0


@pytest.mark.few(2)
@pytest.mark.parametrize("send", [
    lambda tasks, id: tasks.put(id, {"n": 5}, where={"n": 2}),
    lambda tasks, id: tasks.put(id, {"n": "text"}),
    lambda tasks, id: tasks.put("0" * 24, {"n": 5}),
    lambda tasks, id: tasks.post({"n": "text"}),
    lambda tasks, id: tasks.delete(id, where={"n": 2}),
], ids=["condition of a change", "wrong type", "unknown object", "wrong type of a new one", "condition of a deletion"])
def test_change_that_is_refused_causes_no_event(live, tasks, send):
    id = tasks.create(n=1)
    live.subscribe(tasks.name)
    assert send(tasks, id).status_code >= 400
    assert live.flush() == []


# Order

def test_events_of_one_object_come_in_the_order_of_its_changes(connect, tasks):
    lives = [connect() for _ in range(2)]
    id = tasks.create(n=0)
    for live in lives:
        live.subscribe(tasks.name, {"n": {"$lte": 500}})
    increment = put(tasks, id, {"n": op("Increment", amount=1)})
    answers = at_once(lambda _: batch(tasks.api.server.api(), *[increment] * 25), 20, workers=4)
    assert all("success" in answer for response in answers for answer in response.json())
    for live in lives:
        events = live.events(500)
        assert [event["object"]["n"] for event in events] == list(range(1, 501))
        assert {event["op"] for event in events} == {"update"}
        assert live.flush() == []


def test_events_of_parallel_writers_are_complete(live, tasks):
    live.subscribe(tasks.name, {"keep": True})

    def write(number):
        own = tasks.by(tasks.api.server.api())
        id = own.create(keep=True, n=number)
        own.update(id, {"n": number + 1000})
        own.delete(id)
        return id

    ids = at_once(write, 40, workers=4)
    events = short(live.flush())
    for id in ids:
        assert [op for op, of in events if of == id] == ["create", "update", "delete"]
    assert len(events) == 3 * len(ids)


# What is not offered

@pytest.mark.parametrize("where", [
    {"p": {"$inQuery": {"className": "Folder", "where": {"n": 1}}}},
    {"p": {"$notInQuery": {"className": "Folder", "where": {"n": 1}}}},
    {"s": {"$select": {"query": {"className": "Folder", "where": {}}, "key": "s"}}},
    {"s": {"$dontSelect": {"query": {"className": "Folder", "where": {}}, "key": "s"}}},
    {"$relatedTo": {"object": pointer("Folder"), "key": "r"}},
    {"$or": [{"n": 1}, {"p": {"$inQuery": {"className": "Folder", "where": {"n": 1}}}}]},
], ids=str)
def test_condition_on_other_objects_is_refused(api, tasks, where):
    body = {"query": {"className": tasks.name, "where": where}, "id": "a device"}
    response = api.post("/1.1/LiveQuery/subscribe", json=body)
    assert response.status_code == 400, response.text
    assert_refused(response, 400, response.json()["code"])


@pytest.mark.parametrize("test", [lambda tag: tag, lambda tag: {"$ne": tag}, lambda tag: {"$in": [tag]}])
def test_condition_on_the_members_of_a_relation_is_refused(api, tasks, test):
    tag = pointer("Tag")
    tasks.create(tags=op("AddRelation", objects=[tag]))
    assert_refused(subscribing(api, "a device", tasks.name, {"tags": test(tag)}), 400, 1, "relation 'tags'")
