"""Files: who may upload, read, find and delete them."""

import json

import pytest
from batches import get, post, save
from client import assert_refused
from data import Objects, batch, texts
from people import (
    ALLOWED, BOTH, NO_READING, READ, SUBJECTS, Cast, Rules, assert_forbidden, forbidden, no_writing, one_of_each,
    refusal, start,
)

FILES = ["/1.1/files", "/1.1/classes/_File", "/1.1/classes/_file", "/1.1/classes/files"]
UPLOADS = {
    "form": lambda caller: caller.form(("file", ("x.txt", b"x"))),
    "form of several": lambda caller: caller.form(("file", ("x.txt", b"x")), ("file", ("y.txt", b"y"))),
    "form with fields behind": lambda caller: caller.form(("file", ("x.txt", b"x")), ("ACL", json.dumps({"*": BOTH}))),
    "bytes": lambda caller: caller.store_raw(b"x", "x.txt"),
    "text": lambda caller: caller.store_raw(b"x", "x.txt", headers={"Content-Type": "text/plain"}),
}


@pytest.fixture(scope="module")
def files(master):
    """File records, as the operator sees them."""
    return Objects(master, "_File")


def store(caller, acl=None, data=b"x", **fields):
    """Uploads a file; returns its id."""
    given = fields if acl is None else fields | {"ACL": json.dumps(acl)}
    return caller.store(data, name="x.txt", **given)["objectId"]


# Uploading

@pytest.mark.few(3)
@pytest.mark.parametrize("audience, caller", one_of_each(ALLOWED))
@pytest.mark.parametrize("upload", UPLOADS)
def test_upload_is_for_whom_create_is_open(cast, rules, files, server, upload, audience, caller):
    rules.set("_File", create=cast.words(audience))
    before = files.count(), len(server.blobs_at_rest()), server.staged()
    response = UPLOADS[upload](cast[caller])
    if caller in ALLOWED[audience]:
        assert response.status_code == 201
    else:
        assert_forbidden(response, forbidden("create", "_File"))
        assert (files.count(), len(server.blobs()), server.staged()) == before


@pytest.mark.parametrize("upload", UPLOADS)
def test_upload_with_a_stale_session_is_one_of_nobody(cast, rules, upload):
    rules.set("_File", create=["users"])
    caller = cast.guest.server.api()
    caller.headers |= {"X-LC-Session": "0" * 25}
    assert_forbidden(UPLOADS[upload](caller), forbidden("create", "_File"))


@pytest.mark.parametrize("caller", ["guest", "owner", "master"])
def test_owner_of_a_file_is_who_uploaded_it(cast, caller):
    expected = cast.owner.id if caller == "owner" else "unknown"
    for upload in ("form", "bytes"):
        assert UPLOADS[upload](cast[caller]).json()["metaData"]["owner"] == expected
    several = UPLOADS["form of several"](cast[caller]).json()["results"]
    assert [record["metaData"]["owner"] for record in several] == [expected] * 2


@pytest.mark.smoke
def test_new_file_is_open_at_first(cast, files):
    assert files.get(store(cast.owner), returnACL="true").json()["ACL"] == {"*": BOTH}


@pytest.mark.parametrize("caller, acl", [
    ("guest", {"*": READ}), ("owner", {"*": READ, "owner": BOTH}), ("master", {"*": READ}),
])
def test_file_gets_the_default_acl_of_its_class(cast, rules, files, caller, acl):
    rules.set("_File", defaultACL={"*": READ, "owner": BOTH})
    expected = {cast.owner.id if subject == "owner" else subject: rights for subject, rights in acl.items()}
    for upload in ("form", "bytes"):
        id = UPLOADS[upload](cast[caller]).json()["objectId"]
        assert files.get(id, returnACL="true").json()["ACL"] == expected


def test_acl_of_the_upload_counts_instead_of_the_default(cast, rules, files):
    rules.set("_File", defaultACL={"owner": BOTH})
    for acl in ({}, {"*": READ}, {cast.other.id: READ}):
        assert files.get(store(cast.owner, acl), returnACL="true").json()["ACL"] == acl


# Reading

@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("audience, caller", one_of_each(SUBJECTS))
def test_record_is_read_by_whom_its_acl_names(cast, path, audience, caller):
    id = store(cast.owner, cast.acl(audience, read=True))
    response = cast[caller].get(f"{path}/{id}")
    if caller in ALLOWED[audience]:
        assert (response.status_code, response.json()["name"]) == (200, "x.txt")
    else:
        assert_forbidden(response, NO_READING)


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("audience, caller", one_of_each(SUBJECTS))
def test_record_is_found_by_whom_its_acl_names(cast, path, audience, caller):
    id = store(cast.owner, cast.acl(audience, read=True))
    found = cast[caller].get(path, params=texts({"where": {"objectId": id}, "count": 1})).json()
    ids = [id] if caller in ALLOWED[audience] else []
    assert ([record["objectId"] for record in found["results"]], found["count"]) == (ids, len(ids))


@pytest.mark.parametrize("caller, shown", [("guest", False), ("owner", True), ("other", False), ("master", True)])
def test_file_in_an_object_is_expanded_for_those_who_can_read_it(cast, caller, shown):
    id = store(cast.owner, {cast.owner.id: BOTH})
    albums = Objects(cast.master, "files_Album")
    file = {"__type": "File", "id": id}
    album = albums.create(cover=file, pages=[file])
    seen = albums.by(cast[caller])
    single, = batch(seen.api, get(seen, album, include="pages")).json()
    for row in (
        seen.get(album, include="pages").json(), *seen.find(where={"objectId": album}, include="pages"), single["success"],
    ):
        for one in (row["cover"], *row["pages"]):
            assert one["objectId"] == id
            assert [name in one for name in ("url", "name", "metaData")] == [shown] * 3


@pytest.mark.parametrize("caller, shown", [("other", False), ("owner", True)])
def test_answer_to_a_save_expands_the_files_that_the_caller_can_read(cast, caller, shown):
    albums = Objects(cast[caller], "files_Album")
    file = {"__type": "File", "id": store(cast.owner, {cast.owner.id: BOTH})}
    created = albums.post({"cover": file}, fetchWhenSave="true").json()
    changed = albums.update(created["objectId"], {"cover": file}, new="true")
    fields = {"cover": file, "__internalId": "A"}
    saved = save(albums.api, post(albums, fields, new=True, params={"fetchWhenSave": True})).json()["A"]
    assert ["url" in answer["cover"] for answer in (created, changed, saved)] == [shown] * 3


def test_file_in_an_object_is_not_expanded_where_get_is_closed(cast, rules):
    albums = Objects(cast.master, "files_Album")
    album = albums.create(cover={"__type": "File", "id": store(cast.owner)})
    rules.set("_File", get=[])
    assert "url" not in albums.by(cast.guest).read(album)["cover"]
    assert "url" in albums.read(album)["cover"]


@pytest.mark.smoke
def test_url_is_public(cast, rules):
    record = cast.owner.store(b"public", name="x.txt", ACL="{}")
    rules.set("_File", get=[], find=[])
    assert cast.guest.fetch(record["url"]).content == b"public"


@pytest.mark.few(3)
@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("operation, call", [
    ("get", lambda caller, path, id: caller.get(f"{path}/{id}")),
    ("find", lambda caller, path, id: caller.get(path)),
    ("find", lambda caller, path, id: caller.get(path, params={"limit": 0, "count": 1})),
], ids=["get", "find", "count"])
def test_records_are_shown_where_the_class_is_open(cast, rules, path, operation, call):
    id = store(cast.owner)
    rules.set("_File", **{operation: cast.words("role")})
    assert_forbidden(call(cast.owner, path, id), forbidden(operation, "_File"))
    assert refusal(call(cast.member, path, id)) is None


def test_find_closed_leaves_get_open(cast, rules):
    id = store(cast.owner)
    rules.set("_File", find=[])
    assert cast.guest.get(f"/1.1/files/{id}").json()["objectId"] == id


# Deleting

DELETES = {
    "file": lambda caller, id: caller.delete(id),
    "object": lambda caller, id: caller.call("DELETE", f"/1.1/classes/_File/{id}", json={}),
    "batch": lambda caller, id: batch(caller, {"method": "DELETE", "path": f"/1.1/files/{id}"}),
    "batch of objects": lambda caller, id: batch(caller, {"method": "DELETE", "path": f"/1.1/classes/_File/{id}"}),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("caller", ["guest", "owner", "member"])
@pytest.mark.parametrize("delete", DELETES)
def test_own_file_is_deleted_after_delete_was_opened_and_not_before(cast, rules, delete, caller):
    record = cast[caller].store(b"mine", name="x.txt")
    id = record["objectId"]
    assert_forbidden(DELETES[delete](cast[caller], id), forbidden("delete", "_File"))
    assert cast.guest.fetch(record["url"]).content == b"mine"
    rules.set("_File", delete=["everyone"])
    assert refusal(DELETES[delete](cast[caller], id)) is None
    assert_refused(cast.master.get(f"/1.1/files/{id}"), 404, 101)
    assert cast.guest.fetch(record["url"]).status_code == 404


@pytest.mark.parametrize("audience, caller", one_of_each(ALLOWED))
def test_file_is_deleted_by_whom_delete_is_open(cast, rules, audience, caller):
    id = store(cast.owner)
    rules.set("_File", delete=cast.words(audience))
    response = cast[caller].delete(id)
    if caller in ALLOWED[audience]:
        assert (response.status_code, response.json()) == (200, {})
    else:
        assert_forbidden(response, forbidden("delete", "_File"))
    assert (cast.master.get(f"/1.1/files/{id}").status_code == 404) == (caller in ALLOWED[audience])


@pytest.mark.parametrize("audience, caller", one_of_each(SUBJECTS))
@pytest.mark.parametrize("delete", DELETES)
def test_open_delete_leaves_the_acl_in_force(cast, rules, delete, audience, caller):
    id = store(cast.owner, cast.acl(audience, write=True) | {"role:Nowhere": READ})
    rules.set("_File", delete=["everyone"])
    response = DELETES[delete](cast[caller], id)
    if caller in ALLOWED[audience]:
        assert refusal(response) is None
    else:
        assert_forbidden(response, no_writing(id))
    assert (cast.master.get(f"/1.1/files/{id}").status_code == 404) == (caller in ALLOWED[audience])


def test_bytes_of_a_file_that_may_not_be_deleted_stay(cast, rules):
    record = cast.owner.store(b"kept", name="x.txt", ACL=json.dumps({cast.owner.id: BOTH}))
    rules.set("_File", delete=["everyone"])
    mine = store(cast.other)
    assert_forbidden(cast.other.delete(f"{mine},{record['objectId']}"), no_writing(record["objectId"]))
    assert cast.guest.fetch(record["url"]).content == b"kept"


def test_file_is_never_changed_by_its_owner(cast, rules, files):
    id = store(cast.owner)
    rules.set("_File", update=["everyone"])
    before = files.get(id).json()
    for fields in ({"name": "other.txt"}, {"ACL": {"*": READ}}, {"metaData.owner": "me"}):
        assert files.by(cast.owner).put(id, fields).status_code == 403
    assert files.get(id).json() == before


def test_settings_of_files_hold_at_once_on_a_new_server(new_server):
    server = start(new_server)
    cast = Cast(server)
    rules = Rules(cast.master)
    id = store(cast.owner)
    assert_forbidden(cast.owner.delete(id), forbidden("delete", "_File"))
    rules.set("_File", delete=[f"user:{cast.owner.id}"])
    assert_forbidden(cast.other.delete(id), forbidden("delete", "_File"))
    assert cast.owner.delete(id).json() == {}
    assert (cast.guest.count(), server.blobs_at_rest()) == (0, [])
