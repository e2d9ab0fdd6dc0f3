"""ACLs count where sizes are limited: of an object, and of a reply."""

import pytest
from batches import answers, get
from client import Server, assert_refused
from data import Objects, batch
from people import BOTH, READ
from queries import put

SIZE, REPLY = 20 << 10, 100 << 10


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server with small limits."""
    limits = {"LCFILE_OBJECTS_MAX_SIZE": str(SIZE), "LCFILE_QUERIES_MAX_REPLY_SIZE": str(REPLY)}
    server = Server(tmp_path_factory.mktemp("sizes"), **limits).start()
    yield server
    assert server.stop() == 0


@pytest.fixture
def objects(request, own):
    """The class of the test."""
    return Objects(own.api(), "".join(part.title() for part in request.function.__name__.split("_")))


def acl(size):
    """An ACL of about that many bytes, which every caller is allowed to read."""
    entries = {f"role:{number:04}{'n' * 90}": READ for number in range(size // 115)}
    return {"*": BOTH} | entries


def test_object_whose_acl_is_too_large_is_116(objects):
    objects.create(n=1)
    assert_refused(objects.post({"n": 2, "ACL": acl(SIZE + 4000)}), 400, 116)
    assert objects.count() == 1


def test_object_that_is_too_large_with_its_acl_is_116(objects):
    half = SIZE * 6 // 10
    fields, rights = {"text": "x" * half}, {"ACL": acl(half)}
    id, other = objects.create(**fields), objects.create(**rights)
    assert_refused(objects.post(fields | rights), 400, 116)
    assert_refused(objects.put(id, rights), 400, 116)
    assert_refused(objects.put(other, fields), 400, 116)
    assert objects.get(id, returnACL="true").json()["ACL"] == {"*": BOTH}
    assert objects.read(other) == {}


def test_object_shrinks_by_its_acl(objects):
    half = SIZE * 6 // 10
    id = objects.create(ACL=acl(half))
    objects.update(id, {"ACL": acl(0), "text": "x" * half})
    assert objects.read(id) == {"text": "x" * half}


@pytest.fixture
def rows(objects):
    return put(objects.api, objects.name, [{"n": number, "ACL": acl(10_000)} for number in range(30)])


def test_reply_with_acls_is_within_its_size(objects, rows):
    response = objects.query(returnACL="true", limit=1000, order="n")
    found = response.json()["results"]
    assert [row["n"] for row in found] == [*range(len(found))]
    assert 8 <= len(found) <= 11
    assert all(row["ACL"] == acl(10_000) for row in found)
    assert len(response.content) < REPLY + 11_000


def test_replies_of_a_batch_count_acls(objects, rows):
    seen = answers(batch(objects.api, *[get(objects, id, returnACL=True) for id in rows * 4]))
    fitting = [item for item in seen if "success" in item]
    assert 80 <= len(fitting) <= 115
    assert fitting == seen[:len(fitting)]
    assert all(item["error"]["code"] == 1 for item in seen[len(fitting):])
