"""ACLs of single objects: their form, and who they allow to read and write."""

import json

import pytest
from batches import delete, get, post, put, save
from cases import covering
from client import assert_refused
from data import Objects, batch, op, own, send
from people import (
    ALLOWED, BOTH, CALLERS, NO_READING, READ, SUBJECTS, WRITE, assert_forbidden, no_writing, one_of_each, refusal, unique,
)

OPEN = {"*": BOTH}


@pytest.fixture(scope="module")
def notes(master):
    """The class of most tests, as the operator sees it."""
    return Objects(master, "acl_Note")


# Form

WRONG = [
    [], "*", 5, True, {"*": True}, {"*": None}, {"*": "rw"}, {"*": 1}, {"*": []}, {"*": ["read"]}, {"read": True},
    {"*": {"read": "yes"}}, {"*": {"read": "true"}}, {"*": {"read": 1}}, {"*": {"read": None}}, {"*": {"read": {}}},
    {"*": {"execute": True}}, {"*": {"Read": True}}, {"*": READ | {"__type": "ACL"}}, {"n" * 129: READ},
    {"*": READ, "role:Editors": "write"}, {"a b": True}, {"role:" + "n" * 129: READ}, op("Delete"),
]
# Names of entries that are no user and no role, some of them close to one.
STRANGE = [
    "", " *", "*.*", "**", "role", "role:", "role:*", "role:a/b", "Role:Editors", "a b", "茶", "a.b", "$x", "\0", '"',
    "\\u002a", "n" * 128, "role:" + "n" * 128,
]
TAKERS = {
    "create": lambda api, notes, id, acl: notes.post({"ACL": acl}),
    "update": lambda api, notes, id, acl: notes.put(id, {"ACL": acl}),
    "create of a batch": lambda api, notes, id, acl: batch(api, post(notes, {"ACL": acl})),
    "update of a batch": lambda api, notes, id, acl: batch(api, put(notes, id, {"ACL": acl})),
    "create of batch/save": lambda api, notes, id, acl: save(api, post(notes, {"ACL": acl, "__internalId": "A"}, new=True)),
    "update of batch/save": lambda api, notes, id, acl: save(api, put(notes, id, {"ACL": acl, "__internalId": id})),
    "sign-up": lambda api, notes, id, acl: api.post(
        "/1.1/users", json={"username": unique("acl"), "password": "p", "ACL": acl}
    ),
    "role": lambda api, notes, id, acl: api.post("/1.1/roles", json={"name": unique("Acl"), "ACL": acl}),
    "upload": lambda api, notes, id, acl: api.form(("ACL", json.dumps(acl)), ("file", ("x.txt", b"x"))),
}


@pytest.mark.few(4)
@pytest.mark.parametrize("taker, acl", covering(TAKERS, WRONG), ids=str)
def test_acl_of_another_form_is_123(api, notes, taker, acl):
    id = notes.create(n=1, ACL=OPEN)
    response = TAKERS[taker](api, notes.by(api), id, acl)
    assert refusal(response)["code"] == 123
    assert response.status_code == (200 if taker.endswith("of a batch") else 400)
    assert notes.read(id, returnACL="true") == {"n": 1, "ACL": OPEN}


@pytest.mark.parametrize("acl", [
    {}, {"*": {}}, {"*": READ}, {"nobodyHasThisId": BOTH}, {"role:NeverMade": WRITE}, {"*": {"read": False, "write": True}},
], ids=str)
def test_acl_comes_back_as_it_was_sent(notes, acl):
    id = notes.create(n=1, ACL=acl)
    assert notes.read(id, returnACL="true") == {"n": 1, "ACL": acl}
    assert notes.find(where={"objectId": id}, returnACL="true")[0]["ACL"] == acl


@pytest.mark.each_value
@pytest.mark.parametrize("name", STRANGE, ids=ascii)
@pytest.mark.parametrize("taker", ["create", "update", "upload"])
def test_entry_of_any_name_is_stored_and_grants_nobody_anything(cast, api, notes, taker, name):
    id = notes.create(n=1, ACL=OPEN)
    reply = TAKERS[taker](api, notes.by(api), id, {name: BOTH})
    assert reply.status_code in (200, 201), reply.text
    objects = Objects(cast.master, "_File") if taker == "upload" else notes
    id = reply.json()["objectId"]
    assert objects.get(id, returnACL="true").json()["ACL"] == {name: BOTH}
    for caller in CALLERS:
        if caller != "master":
            assert_forbidden(objects.by(cast[caller]).get(id), NO_READING)
            assert objects.by(cast[caller]).find(where={"objectId": id}) == []


# Reading and writing

@pytest.mark.parametrize("audience, caller", one_of_each(SUBJECTS))
def test_object_is_read_by_whom_its_acl_names(cast, notes, audience, caller):
    id = notes.create(n=1, ACL=cast.acl(audience, read=True))
    seen = notes.by(cast[caller])
    alone, batched = seen.get(id), batch(seen.api, get(seen, id))
    if caller in ALLOWED[audience]:
        assert own(alone.json()) == own(batched.json()[0]["success"]) == {"n": 1}
    else:
        for response in (alone, batched):
            assert_forbidden(response, NO_READING)


CHANGES = {
    "update": lambda notes, id: notes.put(id, {"n": 2}),
    "delete": lambda notes, id: notes.delete(id),
    "update of a batch": lambda notes, id: batch(notes.api, put(notes, id, {"n": 2})),
    "delete of a batch": lambda notes, id: batch(notes.api, delete(notes, id)),
    "update of batch/save": lambda notes, id: save(notes.api, put(notes, id, {"n": 2, "__internalId": id})),
    "operation": lambda notes, id: notes.put(id, {"n": op("Increment", amount=1)}),
    "ACL": lambda notes, id: notes.put(id, {"ACL": OPEN}),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("audience, caller", one_of_each(SUBJECTS))
@pytest.mark.parametrize("change", CHANGES)
def test_object_is_changed_by_whom_its_acl_names(cast, notes, audience, caller, change):
    id = notes.create(n=1, ACL=cast.acl(audience, write=True))
    before = notes.get(id).json()
    response = CHANGES[change](notes.by(cast[caller]), id)
    if caller in ALLOWED[audience]:
        assert refusal(response) is None
        assert notes.get(id).json() != before
    else:
        assert_forbidden(response, no_writing(id))
        assert notes.get(id).json() == before


@pytest.mark.parametrize("caller, audience", [("guest", "everyone"), ("owner", "user"), ("member", "role")])
def test_right_to_read_is_none_to_write(cast, notes, caller, audience):
    id = notes.create(n=1, ACL=cast.acl(audience, read=True))
    for change in CHANGES.values():
        assert_forbidden(change(notes.by(cast[caller]), id), no_writing(id))
    assert notes.read(id) == {"n": 1}


@pytest.mark.parametrize("caller, audience", [("guest", "everyone"), ("owner", "user"), ("member", "role")])
def test_right_to_write_is_none_to_read(cast, notes, caller, audience):
    id = notes.create(n=1, ACL=cast.acl(audience, write=True))
    assert_forbidden(notes.by(cast[caller]).get(id), NO_READING)
    assert notes.by(cast[caller]).find(where={"objectId": id}) == []


@pytest.mark.parametrize("name", ["AddRelation", "RemoveRelation"])
def test_relation_is_changed_by_whom_the_acl_of_its_owner_lets_write(cast, name):
    links = Objects(cast.master, "acl_Link")
    first, second = (links.create(ACL={"*": BOTH}) for _ in range(2))
    id = links.create(all=op("AddRelation", objects=[links.pointer(first)]), ACL=cast.acl("user", write=True))
    change = {"all": op(name, objects=[links.pointer(first), links.pointer(second)])}
    assert_forbidden(links.by(cast.other).put(id, change), no_writing(id))
    assert links.members(id, "all", links) == {first}
    assert links.by(cast.owner).put(id, change).status_code == 200
    assert links.members(id, "all", links) == ({first, second} if name == "AddRelation" else set())


@pytest.mark.parametrize("acl", [
    {"*": {"read": False, "write": False}}, {"*": {"read": False}}, {"*": {}}, {"owner": BOTH}, {"role:star": BOTH},
    {"users": BOTH}, {"everyone": BOTH}, {"master": BOTH}, {"null": BOTH}, {"undefined": BOTH},
], ids=str)
def test_acl_that_names_nobody(cast, notes, acl):
    id = notes.create(n=1, ACL=acl)
    for caller in ("guest", "owner", "member"):
        seen = notes.by(cast[caller])
        assert_forbidden(seen.get(id), NO_READING)
        assert_forbidden(seen.put(id, {"n": 2}), no_writing(id))
        assert seen.find(where={"objectId": id}) == []


@pytest.mark.parametrize("closed", [{"read": False, "write": False}, {"read": False}, {}], ids=str)
def test_nothing_takes_a_right_away(cast, notes, closed):
    entries = {cast.member.id: closed, cast.role.subject: closed}
    for acl in ({"*": BOTH} | entries, entries | {cast.role.subject: BOTH}, entries | {cast.member.id: BOTH}):
        id = notes.create(n=1, ACL=acl)
        assert notes.by(cast.member).read(id) == {"n": 1}
        assert notes.by(cast.member).put(id, {"n": 2}).status_code == 200


@pytest.mark.smoke
def test_rights_of_several_entries_add_up(cast, notes):
    id = notes.create(n=1, ACL={"*": READ, cast.role.subject: WRITE})
    assert notes.by(cast.member).update(id, {"n": 2}, new="true")["n"] == 2
    assert_forbidden(notes.by(cast.other).put(id, {"n": 3}), no_writing(id))


@pytest.mark.parametrize("text", [
    '{"\\u002a":{"read":true}}', '{"*":{"\\u0072ead":true}}', '{ "*" : { "write" : false , "read" : true } }',
    '{"A":{"read":false},"*":{"read":true}}',
])
def test_acl_means_the_same_however_it_is_written(api, notes, text):
    id = send(api, notes.path, f'{{"n":7,"ACL":{text}}}'.encode()).json()["objectId"]
    assert notes.by(api).read(id) == {"n": 7}
    assert notes.by(api).ids(where={"objectId": id}) == {id}
    assert_forbidden(notes.by(api).put(id, {"n": 2}), no_writing(id))


def test_missing_object_is_no_secret(cast, notes):
    id = notes.create(ACL={})
    notes.delete(id)
    seen = notes.by(cast.owner)
    assert (seen.get(id).json(), seen.delete(id).json()) == ({}, {})
    assert_refused(seen.put(id, {"n": 1}), 400, 1, id)


@pytest.mark.parametrize("flag", [{"fetchWhenSave": "true"}, {"new": "true"}], ids=str)
def test_object_that_cannot_be_read_shows_no_fields(cast, notes, flag):
    id = notes.create(n=1, secret="s", ACL={"*": WRITE})
    seen = notes.by(cast.owner)
    assert set(seen.update(id, {"n": op("Increment", amount=1)}, **flag)) == {"objectId", "updatedAt"}
    batched = batch(seen.api, put(seen, id, {"n": op("Increment", amount=1)}, params=flag)).json()
    assert set(batched[0]["success"]) == {"objectId", "updatedAt"}
    saved = save(seen.api, put(seen, id, {"n": op("Increment", amount=1), "__internalId": id}, params=flag)).json()
    assert set(saved[id]) == {"objectId", "updatedAt"}
    assert notes.read(id) == {"n": 4, "secret": "s"}


CONDITIONAL = {
    "update": lambda notes, id, where: notes.put(id, {"n": 2}, where=where),
    "delete": lambda notes, id, where: notes.delete(id, where=where),
    "update of a batch": lambda notes, id, where: batch(notes.api, put(notes, id, {"n": 2}, params={"where": where})),
    "delete of a batch": lambda notes, id, where: batch(notes.api, delete(notes, id, params={"where": where})),
    "update of batch/save": lambda notes, id, where: save(
        notes.api, put(notes, id, {"n": 2, "__internalId": id}, params={"where": where})
    ),
}


@pytest.mark.parametrize("where", [{"n": 1}, {"n": 2}, {"n": {"$exists": True}}, {"nothing": None}], ids=str)
@pytest.mark.parametrize("change", CONDITIONAL)
def test_no_condition_holds_for_what_cannot_be_read(cast, notes, change, where):
    id = notes.create(n=1, ACL={"*": WRITE})
    response = CONDITIONAL[change](notes.by(cast.owner), id, where)
    assert refusal(response) == {"code": 305, "error": "No effect on updating/deleting a document."}
    assert notes.read(id) == {"n": 1}


@pytest.mark.parametrize("change", CONDITIONAL)
def test_condition_is_no_way_around_the_right_to_write(cast, notes, change):
    id = notes.create(n=1, ACL={"*": READ})
    assert_forbidden(CONDITIONAL[change](notes.by(cast.owner), id, {"n": 1}), no_writing(id))
    assert notes.read(id) == {"n": 1}


def test_one_of_several_that_may_not_be_deleted_stays(cast, notes):
    mine, closed = notes.create(ACL={"*": BOTH}), notes.create(ACL={"*": READ})
    assert_forbidden(notes.by(cast.owner).delete(f"{mine},{closed}"), no_writing(closed))
    assert notes.get(closed).json()["objectId"] == closed


# Changing

@pytest.mark.smoke
def test_acl_is_changed_by_whom_it_lets_write(cast, notes):
    id = notes.create(n=1, ACL={cast.owner.id: WRITE})
    notes.by(cast.owner).update(id, {"ACL": {cast.other.id: READ}})
    assert notes.read(id, returnACL="true")["ACL"] == {cast.other.id: READ}
    assert notes.by(cast.other).read(id) == {"n": 1}
    assert_forbidden(notes.by(cast.owner).put(id, {"ACL": OPEN}), no_writing(id))


def test_update_that_names_no_acl_leaves_it(cast, notes):
    id = notes.create(n=1, ACL={cast.owner.id: BOTH})
    notes.by(cast.owner).update(id, {"n": 2})
    assert notes.read(id, returnACL="true") == {"n": 2, "ACL": {cast.owner.id: BOTH}}


def test_refused_item_of_batch_save_leaves_all_as_it_was(cast, notes):
    mine, closed = notes.create(n=1), notes.create(n=1, ACL={"*": READ})
    seen = notes.by(cast.owner)
    assert_forbidden(save(
        seen.api, put(seen, mine, {"n": 2, "__internalId": mine}), put(seen, closed, {"n": 2, "__internalId": closed}),
    ), no_writing(closed))
    assert notes.read(mine) == notes.read(closed) == {"n": 1}
