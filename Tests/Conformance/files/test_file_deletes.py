"""Deleting files, stored ones and those that are elsewhere, as each SDK does it."""

import pytest
from batches import answers, codes, delete
from client import assert_refused
from data import MISSING, Objects, batch, send
from elsewhere import LOGO, link


def in_batch(path, method="DELETE", **more):
    return lambda api, ids: batch(api, *[{"method": method, "path": f"{path}/{id}"} | more for id in ids])


# How each SDK deletes several; one is a list of one.
SHAPES = {
    "Objective-C many": in_batch("/1.1/files"),
    "Swift": in_batch("/1.1/classes/_File", "delete"),
    "C# all": in_batch("/1.1/classes/_File"),
    "C# all with a body": in_batch("/1.1/classes/_File", body={}),
    "without the version": in_batch("/classes/_File"),
    "Objective-C's class": in_batch("/1.1/classes/_file"),
    "Java many": lambda api, ids: api.call("DELETE", f"/1.1/classes/_File/{','.join(ids)}", json={}),
    "files by comma": lambda api, ids: api.delete(",".join(ids)),
    "JavaScript all": lambda api, ids: batch(
        api, {"method": "DELETE", "path": f"/1.1/classes/_File/{','.join(ids)}", "body": {}}
    ),
    "JavaScript all on files": lambda api, ids: batch(api, {"method": "DELETE", "path": f"/1.1/files/{','.join(ids)}"}),
}
# How each SDK deletes one.
SINGLE = {
    "JavaScript": lambda api, id: api.delete(id),
    "PHP": lambda api, id: send(api, f"/1.1/files/{id}", b"{}", "DELETE"),
    "Python": lambda api, id: send(api, f"/1.1/files/{id}", b"null", "DELETE"),
    "Objective-C": lambda api, id: api.call("DELETE", f"/1.1/classes/_file/{id}"),
    "Java": lambda api, id: send(api, f"/1.1/classes/_File/{id}", b"{}", "DELETE"),
    "documentation": lambda api, id: api.call("DELETE", f"/1.1/classes/files/{id}"),
}
KINDS = ["stored", "elsewhere"]
shapes = pytest.mark.parametrize("shape", SHAPES)
kinds = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def make(api):
    """Makes a file of a kind; gives its id and, of a stored one, its URL."""
    def make(kind, data=b"x"):
        if kind == "elsewhere":
            return link(api), None
        record = api.store(data, name="x.txt")
        return record["objectId"], record["url"]

    return make


def assert_done(response):
    """200, and `{}` for each."""
    assert response.status_code == 200, response.text
    body = response.json()
    assert body == {} or body and all(item == {"success": {}} for item in body)


def exists(api, id):
    response = api.get(f"/1.1/files/{id}")
    assert response.status_code in (200, 404), response.text
    return response.status_code == 200


@pytest.mark.few(2)
@kinds
@pytest.mark.parametrize("shape", SINGLE)
def test_one_file_goes(api, master, make, shape, kind):
    id, _ = make(kind)
    response = SINGLE[shape](master, id)
    assert (response.status_code, response.json()) == (200, {})
    assert not exists(api, id)


@pytest.mark.few(2)
@shapes
def test_many_files_of_both_kinds_go(api, master, make, shape):
    ids = [make(kind)[0] for kind in KINDS * 2]
    assert_done(SHAPES[shape](master, ids))
    assert not any(exists(api, id) for id in ids)


@pytest.mark.few(2)
@shapes
def test_files_that_were_not_named_stay(api, master, make, shape):
    ids, kept = [make(kind)[0] for kind in KINDS], [make(kind)[0] for kind in KINDS]
    SHAPES[shape](master, ids)
    assert all(exists(api, id) for id in kept)


@pytest.mark.few(2)
@shapes
def test_bytes_of_all_go(api, master, server, make, shape):
    made = [make("stored", f"delete {shape} {number}".encode()) for number in range(3)]
    SHAPES[shape](master, [id for id, _ in made])
    assert [api.fetch(url).status_code for _, url in made] == [404] * 3
    left = {path.read_bytes() for path in server.blobs_at_rest()}
    assert not left & {f"delete {shape} {number}".encode() for number in range(3)}


@shapes
def test_missing_file_is_no_error(master, shape):
    assert_done(SHAPES[shape](master, [MISSING]))


@pytest.mark.few(2)
@shapes
def test_missing_file_among_others_is_no_error(api, master, make, shape):
    (first, _), (last, _) = make("stored"), make("elsewhere")
    assert_done(SHAPES[shape](master, [first, MISSING, last]))
    assert not exists(api, first) and not exists(api, last)


@pytest.mark.few(2)
@shapes
def test_file_named_twice_is_no_error(api, master, make, shape):
    id, _ = make("stored")
    assert_done(SHAPES[shape](master, [id, id]))
    assert not exists(api, id)


@kinds
def test_deleting_again_is_no_error(master, make, kind):
    id, _ = make(kind)
    assert [master.delete(id).json() for _ in range(2)] == [{}, {}]


@kinds
@shapes
def test_client_deletes_nothing(api, make, shape, kind):
    id, _ = make(kind)
    response = SHAPES[shape](api, [id])
    if isinstance(response.json(), list):
        assert codes(response) == [403]
    else:
        assert_refused(response, 403, 403)
    assert exists(api, id)


# Conditions

@kinds
def test_condition_that_does_not_hold_is_305(api, master, make, kind):
    id, url = make(kind)
    assert_refused(Objects(master, "_File").delete(id, where={"name": "another"}), 400, 305)
    assert exists(api, id)
    assert url is None or api.fetch(url).content == b"x"


@kinds
@pytest.mark.parametrize("path", ["files", "classes/_File"])
def test_condition_that_holds_deletes(api, master, make, path, kind):
    id, _ = make(kind)
    name = "logo.png" if kind == "elsewhere" else "x.txt"
    response = master.call("DELETE", f"/1.1/{path}/{id}", params={"where": f'{{"name":"{name}"}}'})
    assert (response.status_code, response.json()) == (200, {})
    assert not exists(api, id)


@pytest.mark.parametrize("where", [{"name": "another"}, '{"name":"another"}'], ids=str)
def test_condition_in_a_batch_counts_for_its_request(api, master, make, where):
    (kept, url), (gone, _) = make("stored"), make("stored")
    files = Objects(master, "_File")
    assert codes(batch(master, delete(files, kept, params={"where": where}), delete(files, gone))) == [305, None]
    assert (exists(api, kept), exists(api, gone)) == (True, False)
    assert api.fetch(url).content == b"x"


def test_condition_on_the_url_holds_for_files_that_are_elsewhere_alone(api, master, make):
    (stored, url), files = make("stored"), Objects(master, "_File")
    assert_refused(files.delete(stored, where={"url": url}), 400, 305)
    linked = link(api)
    assert files.delete(linked, where={"url": LOGO}).json() == {}
    assert (exists(api, stored), exists(api, linked)) == (True, False)


@pytest.mark.parametrize("where", ["{", "5", '{"name":{"$where":"1"}}'])
def test_condition_that_is_none_deletes_nothing(api, master, make, where):
    id, _ = make("stored")
    assert master.delete(id, params={"where": where}).status_code == 400
    assert exists(api, id)


# What is left

@pytest.mark.smoke
def test_object_keeps_its_pointer_to_a_deleted_file(api, master, make):
    for kind in KINDS:
        id, _ = make(kind)
        notes = Objects(api, "deletes_Note")
        note = notes.create(cover={"__type": "File", "id": id})
        master.delete(id)
        seen = notes.read(note)["cover"]
        assert seen["objectId"] == id and "url" not in seen


def test_failed_request_of_a_batch_leaves_the_others(api, master, make):
    (first, _), (last, _) = make("stored"), make("elsewhere")
    seen = answers(batch(
        master, delete(Objects(master, "_File"), first), {"method": "DELETE", "path": "/1.1/nonsense/x"},
        delete(Objects(master, "_File"), last),
    ))
    assert [list(item) for item in seen] == [["success"], ["error"], ["success"]]
    assert not exists(api, first) and not exists(api, last)


def test_deleted_key_is_free_for_nobody_to_read(api, master, make):
    id, url = make("stored")
    assert api.fetch(url).content == b"x"
    master.delete(id)
    assert api.fetch(url).status_code == 404
    assert api.fetch(url, Range="bytes=0-0").status_code == 404
