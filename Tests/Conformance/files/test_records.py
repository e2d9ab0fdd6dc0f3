"""Records: reading, listing, deleting."""

import pytest
from client import ALPHA, BETA, Server, assert_refused

MISSING = "000000000000000000000000"


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A server whose first app has 105 files, in the order of their names."""
    server = Server(tmp_path_factory.mktemp("full")).start()
    for start in (0, 50, 100):
        names = [f"{number:03}.txt" for number in range(start, min(start + 50, 105))]
        assert server.api().form(*[("file", (name, name.encode())) for name in names]).status_code == 201
    yield server
    assert server.stop() == 0


def names(response):
    assert response.status_code == 200, response.text
    return [record["name"] for record in response.json()["results"]]


NAMES = [f"{number:03}.txt" for number in range(105)]


@pytest.mark.smoke
def test_record_by_id_is_that_of_the_upload(api):
    record = api.store(b"x", name="x.txt")
    response = api.get(f"/1.1/files/{record['objectId']}")
    assert (response.status_code, response.json()) == (200, record)


@pytest.mark.parametrize("collection", ["files", "classes/_File", "classes/_file"])
def test_record_is_the_same_on_every_route(api, collection):
    record = api.store(b"x", name="x.txt")
    assert api.get(f"/1.1/{collection}/{record['objectId']}").json() == record


@pytest.mark.parametrize("id", [
    MISSING, "x", "%2e%2e", pytest.param("a%00b", marks=pytest.mark.single), "z" * 200, "'%20OR%201=1",
])
def test_missing_record_is_101(api, id):
    assert_refused(api.get(f"/1.1/files/{id}"), 404, 101)


@pytest.mark.parametrize("collection", ["files", "classes/_File", "classes/_file", "classes/files"])
def test_list_is_in_order_of_creation(full, collection):
    assert names(full.api().get(f"/1.1/{collection}")) == NAMES[:100]


@pytest.mark.few(2)
@pytest.mark.parametrize("query, expected", [
    ("limit=3", NAMES[:3]), ("limit=3&skip=2", NAMES[2:5]), ("skip=100", NAMES[100:]),
    ("limit=1000", NAMES), ("limit=1000&skip=104", NAMES[104:]), ("skip=105", []), ("skip=999999999", []),
    ("limit=99999", NAMES), ("limit=1001", NAMES), ("limit=-1", NAMES[:100]), ("limit=0", []), ("limit=", NAMES[:100]),
    ("order=-createdAt&limit=2", NAMES[:-3:-1]), ("order=-name&limit=2", NAMES[:-3:-1]),
    ('where={"name":"003.txt"}', NAMES[3:4]), ('where={"mime_type":"image/png"}', []),
])
def test_limit_and_skip_choose_the_page(full, query, expected):
    assert names(full.api().get(f"/1.1/classes/_File?{query}")) == expected


def test_count_alone(full):
    assert full.api().get("/1.1/classes/_File?limit=0&count=1").json() == {"results": [], "count": 105}


def test_count_beside_a_page_is_of_all(full):
    body = full.api().get("/1.1/classes/_File?limit=2&skip=1&count=1").json()
    assert (len(body["results"]), body["count"]) == (2, 105)


def test_without_count_there_is_none(full):
    assert set(full.api().get("/1.1/classes/_File?limit=1").json()) == {"results"}


def test_other_app_has_an_empty_list(full):
    assert full.api(BETA).get("/1.1/classes/_File?count=1").json() == {"results": [], "count": 0}


@pytest.mark.parametrize("query, word", [
    ("limit=ten", "limit"), ("skip=-1", "skip"), ("skip=x", "skip"), ("limit=99999999999999999999", "limit"),
])
def test_query_that_is_not_understood_is_refused(full, query, word):
    assert_refused(full.api().get(f"/1.1/classes/_File?{query}"), 400, 1, word)


# Deleting

def test_app_key_may_not_delete(api, rocket):
    record = api.store(rocket)
    assert_refused(api.delete(record["objectId"]), 403, 403)
    assert api.get(f"/1.1/files/{record['objectId']}").json() == record
    assert api.fetch(record["url"]).content == rocket


def test_master_key_deletes(master):
    response = master.delete(master.store(b"x", name="x.txt")["objectId"])
    assert (response.status_code, response.json()) == (200, {})


@pytest.mark.parametrize("collection", ["classes/_File", "classes/_file"])
def test_master_key_deletes_on_the_routes_of_other_sdks(master, collection):
    id = master.store(b"x", name="x.txt")["objectId"]
    response = master.call("DELETE", f"/1.1/{collection}/{id}", json={})
    assert (response.status_code, response.json()) == (200, {})
    assert master.get(f"/1.1/files/{id}").status_code == 404


@pytest.mark.parametrize("body", [b"", b"{}", b"null"])
def test_delete_may_carry_a_body(master, body):
    id = master.store(b"x", name="x.txt")["objectId"]
    assert master.delete(id, data=body, headers={"Content-Type": "application/json"}).json() == {}


def test_deleting_twice_is_no_error(master):
    id = master.store(b"x", name="x.txt")["objectId"]
    assert [master.delete(id).status_code for _ in range(2)] == [200, 200]


def test_deleting_what_never_was_is_no_error(master):
    assert master.delete(MISSING).json() == {}


@pytest.mark.single
def test_deleted_file_is_gone_everywhere(master, server):
    data = b"only in this test: 5c1f7a"
    record = master.store(data, name="x.txt")
    count = master.count()
    assert [path.read_bytes() for path in server.blobs_at_rest(ALPHA)].count(data) == 1
    master.delete(record["objectId"])
    assert_refused(master.get(f"/1.1/files/{record['objectId']}"), 404, 101)
    assert_refused(master.fetch(record["url"]), 404, 404)
    assert data not in [path.read_bytes() for path in server.blobs_at_rest(ALPHA)]
    assert master.count() == count - 1


# Other servers know within moments.
@pytest.mark.single
def test_thumbnail_goes_with_its_file(master, rocket):
    record = master.store(rocket)
    url = record["url"] + "?imageView/2/w/20"
    assert master.fetch(url).status_code == 200
    master.delete(record["objectId"])
    assert master.fetch(url).status_code == 404


def test_deleting_one_of_two_equal_files_leaves_the_other(master, rocket):
    first, second = master.store(rocket), master.store(rocket)
    master.delete(first["objectId"])
    assert master.fetch(second["url"]).content == rocket
