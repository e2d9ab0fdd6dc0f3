"""Changing file records: only the master key can, and only ACL, name and metaData."""

import pytest
from batches import answers, codes, put, save
from cases import covering
from client import BETA, assert_refused, eventually
from data import DELETE, ID, MISSING, TIME, Objects, assert_400, batch, op
from elsewhere import LOGO, link, record
from people import BOTH, READ

CALLERS = ["guest", "owner", "other", "member"]
CHANGES = {"name": "other.txt", "metaData": {"album": "summer"}, "ACL": {"*": READ}}
KEPT = {
    "key": "robots.txt", "url": "https://elsewhere.example.org/other.png", "mime_type": "text/html", "bucket": "mine",
    "provider": "qiniu", "size": 5, "colour": "red", "_size": 5, "_sha256": "0" * 64, "_key": "robots.txt", "hash": "x",
}
NAMED = {"objectId": MISSING, "createdAt": "2001-01-01T00:00:00.000Z", "updatedAt": "2001-01-01T00:00:00.000Z"}
WAYS = {
    "files": lambda caller, id, fields: caller.call("PUT", f"/1.1/files/{id}", json=fields),
    "class": lambda caller, id, fields: caller.call("PUT", f"/1.1/classes/_File/{id}", json=fields),
    "batch": lambda caller, id, fields: batch(caller, {"method": "PUT", "path": f"/1.1/files/{id}", "body": fields}),
    "batch of objects": lambda caller, id, fields: batch(caller, put(Objects(caller, "_File"), id, fields)),
    "batch/save": lambda caller, id, fields: save(
        caller, put(Objects(caller, "_File"), id, fields | {"__internalId": id})
    ),
    "lower-case batch/save": lambda caller, id, fields: save(
        caller, {"method": "put", "path": f"/1.1/classes/_file/{id}", "body": fields | {"__internalId": id}}
    ),
}
ways = pytest.mark.parametrize("way", WAYS)


@pytest.fixture
def stored(cast):
    """The record of a file that the owner uploaded, for everyone to write."""
    return cast.owner.store(b"bytes", name="x.txt", metaData='{"album":"spring"}')


@pytest.fixture(scope="module")
def files(master):
    return Objects(master, "_File")


def whole(master, id):
    return master.get(f"/1.1/files/{id}", params={"returnACL": "true"}).json()


def assert_refusal(way, response, status, code):
    """A refusal, alone or in a batch, where each request has its own."""
    if way.startswith("batch") and "save" not in way:
        assert codes(response) == [code]
    else:
        assert_refused(response, status, code)


def change(master, id, **fields):
    response = WAYS["files"](master, id, fields)
    assert response.status_code == 200, response.text
    return response.json()


# Clients

@pytest.mark.parametrize("way, caller, field", covering(WAYS, CALLERS, CHANGES, times=2))
def test_client_changes_nothing(cast, stored, way, caller, field):
    before = whole(cast.master, stored["objectId"])
    response = WAYS[way](cast[caller], stored["objectId"], {field: CHANGES[field]})
    assert_refusal(way, response, 403, 403)
    assert whole(cast.master, stored["objectId"]) == before


@ways
@pytest.mark.parametrize("caller", CALLERS)
def test_open_update_lets_no_client_change_anything(cast, rules, stored, way, caller):
    rules.set("_File", update=["everyone"], add_fields=["everyone"])
    before = whole(cast.master, stored["objectId"])
    assert_refusal(way, WAYS[way](cast[caller], stored["objectId"], CHANGES), 403, 403)
    assert whole(cast.master, stored["objectId"]) == before


@ways
def test_client_changes_no_file_that_is_elsewhere(cast, way):
    id = link(cast.owner)
    before = whole(cast.master, id)
    assert_refusal(way, WAYS[way](cast.owner, id, {"url": "https://elsewhere.example.org/other.png"}), 403, 403)
    assert whole(cast.master, id) == before


@ways
def test_client_learns_nothing_of_a_file_that_is_not_there(cast, way):
    assert_refusal(way, WAYS[way](cast.guest, MISSING, {"name": "x.txt"}), 403, 403)


@pytest.mark.parametrize("fields", [{}, {"name": DELETE}, {"metaData.album": "summer"}, {"colour": "red"}], ids=str)
def test_client_sends_what_it_likes_and_changes_nothing(cast, stored, fields):
    assert_refused(WAYS["class"](cast.owner, stored["objectId"], fields), 403, 403)


def test_refused_change_takes_the_whole_save_with_it(cast, stored):
    notes = Objects(cast.owner, "updates_Note")
    id = notes.create(n=1)
    assert_refused(save(
        cast.owner, put(notes, id, {"n": 2, "__internalId": id}),
        put(Objects(cast.owner, "_File"), stored["objectId"], {"name": "y.txt", "__internalId": "F"}),
    ), 403, 403)
    assert notes.read(id) == {"n": 1}


# The master key

@pytest.mark.few(2)
@ways
@pytest.mark.parametrize("field", CHANGES)
def test_master_key_changes_it(cast, stored, way, field):
    answer, = answers_of(way, WAYS[way](cast.master, stored["objectId"], {field: CHANGES[field]}))
    after = whole(cast.master, stored["objectId"])
    assert answer["objectId"] == stored["objectId"] and TIME.fullmatch(answer["updatedAt"])
    assert after["updatedAt"] == answer["updatedAt"]
    if field == "metaData":
        assert after[field].items() >= CHANGES[field].items()
    else:
        assert after[field] == CHANGES[field]


def answers_of(way, response):
    """What each request was answered with, whichever way it came."""
    body = answers(response)
    if "save" in way:
        return list(body.values())
    return [item["success"] for item in body] if way.startswith("batch") else [body]


@pytest.mark.smoke
def test_master_key_changes_all_three_at_once(cast, stored):
    change(cast.master, stored["objectId"], **CHANGES)
    after = whole(cast.master, stored["objectId"])
    assert (after["name"], after["ACL"], after["metaData"]["album"]) == ("other.txt", {"*": READ}, "summer")


@pytest.mark.few(2)
@pytest.mark.parametrize("field", ["key", "url", "mime_type", "bucket", "provider", "createdAt", "objectId"])
def test_change_leaves_everything_else(cast, stored, field):
    change(cast.master, stored["objectId"], **CHANGES)
    assert record(cast.master, stored["objectId"])[field] == stored[field]


def test_change_leaves_bytes_and_url(cast, stored):
    change(cast.master, stored["objectId"], name="other.html")
    response = cast.guest.fetch(stored["url"])
    assert (response.content, response.headers["Content-Type"].split(";")[0]) == (b"bytes", "text/plain")


def test_new_name_leaves_a_key_that_kept_the_old(cast):
    stored = cast.owner.store(b"bytes", name="x.txt", keep_file_name="true")
    change(cast.master, stored["objectId"], name="y.txt")
    after = record(cast.master, stored["objectId"])
    assert (after["name"], after["key"], after["url"]) == ("y.txt", stored["key"], stored["url"])


@pytest.mark.parametrize("field", CHANGES)
def test_time_of_the_change_moves_on(cast, stored, field):
    def updated():
        return change(cast.master, stored["objectId"], **{field: CHANGES[field]})["updatedAt"]

    # A change may fall into the millisecond of the upload, but not every one.
    assert eventually(lambda: updated() > stored["updatedAt"])
    after = record(cast.master, stored["objectId"])
    assert after["updatedAt"] > after["createdAt"] == stored["createdAt"]


@pytest.mark.parametrize("field, value", [("size", 99), ("size", None), ("_checksum", "0" * 32), ("_checksum", None)])
def test_what_the_server_measured_stays(cast, stored, field, value):
    change(cast.master, stored["objectId"], metaData={"album": "summer"} if value is None else {field: value})
    assert record(cast.master, stored["objectId"])["metaData"][field] == stored["metaData"][field]


def test_meta_data_is_replaced_and_not_merged(cast, stored):
    change(cast.master, stored["objectId"], metaData={"place": "Lyon"})
    after = record(cast.master, stored["objectId"])["metaData"]
    assert after["place"] == "Lyon" and "album" not in after


@pytest.mark.parametrize("fields", [
    {"metaData.size": 99}, {"metaData.size": DELETE}, {"metaData": DELETE}, {"metaData": op("Increment", amount=1)},
    {"metaData.size": op("Increment", amount=1)}, {"metaData": None}, {"metaData": {"__op": "Batch", "ops": [DELETE]}},
], ids=str)
def test_no_operation_changes_the_size(cast, stored, fields):
    WAYS["class"](cast.master, stored["objectId"], fields)
    assert record(cast.master, stored["objectId"])["metaData"]["size"] == 5


@pytest.mark.parametrize("fields", [
    {"name": DELETE}, {"name": None}, {"name": op("Add", objects=["x"])}, {"name.a": 1},
], ids=str)
def test_no_operation_takes_the_name(cast, stored, fields):
    WAYS["class"](cast.master, stored["objectId"], fields)
    assert isinstance(record(cast.master, stored["objectId"])["name"], str)


@pytest.mark.parametrize("way, field", covering(WAYS, KEPT))
def test_master_key_changes_no_other_field(cast, stored, way, field):
    before = whole(cast.master, stored["objectId"])
    assert_refusal(way, WAYS[way](cast.master, stored["objectId"], {field: KEPT[field]}), 403, 403)
    assert whole(cast.master, stored["objectId"]) == before


@pytest.mark.parametrize("field", [name for name in NAMED if name != "updatedAt"])
def test_master_key_changes_no_id_and_no_creation(cast, stored, field):
    WAYS["class"](cast.master, stored["objectId"], {field: NAMED[field], "name": "y.txt"})
    after = record(cast.master, stored["objectId"])
    assert after["objectId"] == stored["objectId"] and after["createdAt"] == stored["createdAt"]


@pytest.mark.parametrize("value", [DELETE, None, op("Increment", amount=1), {"a": 1}], ids=str)
def test_operation_on_another_field_is_refused_alike(cast, stored, value):
    assert_refused(WAYS["class"](cast.master, stored["objectId"], {"key": value}), 403, 403)
    assert record(cast.master, stored["objectId"])["key"] == stored["key"]


def test_one_field_too_many_changes_nothing(cast, stored):
    before = whole(cast.master, stored["objectId"])
    assert_refused(WAYS["class"](cast.master, stored["objectId"], CHANGES | {"key": "robots.txt"}), 403, 403)
    assert whole(cast.master, stored["objectId"]) == before


@pytest.mark.parametrize("field", ["url", "key", "mime_type"])
def test_master_key_changes_no_file_that_is_elsewhere(cast, field):
    id = link(cast.owner, mime_type="image/png")
    assert_refused(WAYS["class"](cast.master, id, {field: KEPT[field]}), 403, 403)
    after = record(cast.master, id)
    assert (after["url"], after["mime_type"], "key" in after) == (LOGO, "image/png", False)


def test_master_key_renames_a_file_that_is_elsewhere(cast):
    id = link(cast.owner)
    change(cast.master, id, name="other.png", metaData={"width": 4})
    after = record(cast.master, id)
    assert (after["name"], after["url"]) == ("other.png", LOGO)
    assert after["metaData"] == {"__source": "external", "width": 4}


BAD_NAMES = ["..", ".", "", "a\nb", "a\x01b", "n" * 4097, "名" * 1366]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", BAD_NAMES, ids=lambda name: ascii(name[:9]))
def test_rules_of_names_hold(cast, stored, name):
    assert_refused(WAYS["class"](cast.master, stored["objectId"], {"name": name}), 400, 122, "name")
    assert record(cast.master, stored["objectId"])["name"] == "x.txt"


@pytest.mark.parametrize("name", [5, True, {"a": 1}, ["a"]], ids=str)
def test_name_that_is_no_text_is_refused(cast, stored, name):
    assert_400(WAYS["class"](cast.master, stored["objectId"], {"name": name}))
    assert record(cast.master, stored["objectId"])["name"] == "x.txt"


@pytest.mark.parametrize("acl", [[], "*", {"*": True}, {"n" * 129: READ}], ids=str)
def test_bad_acl_is_refused(cast, stored, acl):
    assert_refused(WAYS["class"](cast.master, stored["objectId"], {"ACL": acl}), 400, 123)


@pytest.mark.parametrize("value", ["text", 5, [1]], ids=str)
def test_meta_data_that_is_no_object_is_refused(cast, stored, value):
    assert_400(WAYS["class"](cast.master, stored["objectId"], {"metaData": value}))
    assert record(cast.master, stored["objectId"])["metaData"] == stored["metaData"]


def test_new_acl_holds_for_the_next_request(cast, rules, stored):
    rules.set("_File", delete=["everyone"])
    change(cast.master, stored["objectId"], ACL={cast.owner.id: BOTH})
    assert cast.other.get(f"/1.1/files/{stored['objectId']}").status_code == 403
    assert cast.other.delete(stored["objectId"]).status_code == 403
    assert cast.owner.delete(stored["objectId"]).json() == {}


@pytest.mark.parametrize("way", ["files", "class", "batch"])
def test_file_that_is_not_there_is_said_as_of_objects(cast, way):
    assert_refusal(way, WAYS[way](cast.master, MISSING, {"name": "y.txt"}), 400, 1)


def test_change_under_a_condition(cast, files, stored):
    id = stored["objectId"]
    assert_refused(files.put(id, {"name": "y.txt"}, where={"name": "z.txt"}), 400, 305)
    assert record(cast.master, id)["name"] == "x.txt"
    assert files.put(id, {"name": "y.txt"}, where={"name": "x.txt"}).status_code == 200
    assert record(cast.master, id)["name"] == "y.txt"


def test_changed_file_is_found_by_what_it_is_now(cast, stored):
    name = f"{stored['objectId']}.txt"
    change(cast.master, stored["objectId"], name=name)
    found, = Objects(cast.guest, "_File").find(where={"name": name})
    assert found == record(cast.guest, stored["objectId"]) and ID.fullmatch(found["objectId"])


def test_changed_file_shows_in_objects_that_have_it(cast, stored):
    albums = Objects(cast.owner, "updates_Album")
    id = albums.create(cover={"__type": "File", "id": stored["objectId"]})
    change(cast.master, stored["objectId"], name="y.txt")
    assert albums.read(id)["cover"]["name"] == "y.txt"


def test_master_of_another_app_changes_nothing(server, cast, stored):
    WAYS["class"](server.api(BETA, master=True), stored["objectId"], {"name": "y.txt"})
    assert record(cast.master, stored["objectId"])["name"] == "x.txt"
