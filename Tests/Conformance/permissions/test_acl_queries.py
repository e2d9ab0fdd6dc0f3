"""ACLs in lists: pages and counts, included objects, sub-queries and relations."""

import pytest
from batches import get
from data import Objects, batch, op, own, pointer
from people import BOTH, CALLERS, READ, WRITE, unique

NOBODY = [{}, {"*": WRITE}, {"*": {"read": False, "write": True}}, {"role:Nowhere": READ}]
READERS = {"everyone": "guest", "user": "owner", "role": "member"}


# Pages and counts

@pytest.fixture(scope="module", params=READERS)
def sieve(request, cast):
    """Thirty objects with the numbers n from 0 on, of which a caller may read every third."""
    rows = Objects(cast.master, f"acl_Sieve_{request.param}")
    for n in range(30):
        rows.create(n=n, letter="ab"[n % 2], ACL=NOBODY[n % 4] if n % 3 else cast.acl(request.param, read=True))
    return rows.by(cast[READERS[request.param]])


def numbers(rows):
    return [row["n"] for row in rows]


THIRDS = list(range(0, 30, 3))


@pytest.mark.few(8)
@pytest.mark.parametrize("query, expected", [
    ({}, THIRDS), ({"order": "n"}, THIRDS), ({"order": "-n"}, THIRDS[::-1]), ({"order": "letter,-n"}, [
        24, 18, 12, 6, 0, 27, 21, 15, 9, 3,
    ]), ({"order": "createdAt", "limit": 1000}, THIRDS), ({"order": "n", "limit": 5}, THIRDS[:5]),
    ({"order": "n", "limit": 5, "skip": 5}, THIRDS[5:]), ({"order": "n", "limit": 5, "skip": 9}, THIRDS[9:]),
    ({"order": "n", "limit": 5, "skip": 10}, []), ({"order": "-n", "limit": 3, "skip": 2}, [21, 18, 15]),
    ({"where": {"n": {"$gt": 20}}}, [21, 24, 27]), ({"where": {"n": {"$in": [1, 2, 3]}}}, [3]),
    ({"where": {"$or": [{"n": 1}, {"n": 6}]}}, [6]), ({"where": {"letter": {"$ne": "a"}}, "order": "-n"}, [27, 21, 15, 9, 3]),
], ids=str)
def test_page_is_of_what_can_be_read(sieve, query, expected):
    assert numbers(sieve.find(**query)) == expected
    found, = batch(sieve.api, get(sieve, **query)).json()
    assert numbers(found["success"]["results"]) == expected


@pytest.mark.parametrize("query, count", [
    ({"limit": 0}, 10), ({"limit": 5}, 10), ({"limit": 5, "skip": 8}, 10), ({"limit": 5, "skip": 20}, 10),
    ({"where": {"n": {"$lt": 10}}, "limit": 1}, 4), ({"where": {"n": 1}}, 0), ({"where": {"letter": "b"}, "limit": 0}, 5),
], ids=str)
def test_count_is_of_what_can_be_read(sieve, query, count):
    assert sieve.query(count=1, **query).json()["count"] == count
    counted, = batch(sieve.api, get(sieve, count=1, **query)).json()
    assert counted["success"]["count"] == count


def test_pages_put_together_are_the_whole(sieve):
    pages = [numbers(sieve.find(order="-n", limit=5, skip=skip)) for skip in range(0, 15, 5)]
    assert pages == [THIRDS[:4:-1], THIRDS[4::-1], []]


def test_operator_finds_all(sieve, cast):
    every = sieve.by(cast.master).query(count=1, order="n").json()
    assert (numbers(every["results"]), every["count"]) == (list(range(30)), 30)


@pytest.mark.smoke
def test_those_whom_no_acl_names_find_nothing(cast):
    rows = Objects(cast.master, "acl_Hidden")
    for acl in NOBODY:
        rows.create(n=1, ACL=acl)
    for caller in ("guest", "owner", "member"):
        assert rows.by(cast[caller]).query(count=1).json() == {"results": [], "count": 0}


@pytest.mark.parametrize("caller", CALLERS)
def test_each_caller_finds_its_own(cast, caller):
    rows = Objects(cast.master, unique("acl_Shared"))
    for name, acl in {
        "all": {"*": READ}, "owner": cast.acl("user", read=True), "role": cast.acl("role", read=True), "none": {},
        "both": cast.acl("user", read=True) | cast.acl("role", read=True),
    }.items():
        rows.create(name=name, ACL=acl)
    assert {row["name"] for row in rows.by(cast[caller]).find()} == {
        "guest": {"all"}, "owner": {"all", "owner", "both"}, "other": {"all"}, "member": {"all", "role", "both"},
        "master": {"all", "owner", "role", "none", "both"},
    }[caller]


# Include

@pytest.fixture(scope="module")
def authors(cast):
    """An author whom all callers can read, one for the owner only, one for the master key only; ids by name."""
    people = Objects(cast.master, "acl_Author")
    return {name: people.create(name=name, ACL=acl) for name, acl in {
        "open": {"*": READ}, "owner": {cast.owner.id: READ}, "closed": {"*": WRITE},
    }.items()}


@pytest.fixture(scope="module")
def people(cast):
    return Objects(cast.master, "acl_Author")


@pytest.fixture(scope="module")
def books(cast):
    return Objects(cast.master, "acl_Book")


def ways_of_reading(objects, id, **parameters):
    """The object as a get, a query and both in a batch show it."""
    where = {"objectId": id}
    single, found = batch(objects.api, get(objects, id, **parameters), get(objects, where=where, **parameters)).json()
    return [
        objects.read(id, **parameters), *map(own, objects.find(where=where, **parameters)),
        own(single["success"]), *map(own, found["success"]["results"]),
    ]


@pytest.mark.parametrize("name, caller, shown", [
    ("open", "guest", True), ("owner", "guest", False), ("owner", "owner", True), ("owner", "other", False),
    ("closed", "owner", False), ("closed", "master", True),
])
def test_pointer_to_what_cannot_be_read_stays_a_pointer(cast, authors, people, books, name, caller, shown):
    bare = people.pointer(authors[name])
    id = books.create(author=bare)
    for book in ways_of_reading(books.by(cast[caller]), id, include="author"):
        if shown:
            assert book["author"]["name"] == name
        else:
            assert book == {"author": bare}


def test_array_of_pointers_shows_those_that_can_be_read(cast, authors, people, books):
    id = books.create(editors=[people.pointer(authors[name]) for name in ("closed", "open", "owner")])
    for book in ways_of_reading(books.by(cast.owner), id, include="editors"):
        assert book["editors"][0] == people.pointer(authors["closed"])
        assert [editor.get("name") for editor in book["editors"]] == [None, "open", "owner"]


@pytest.mark.smoke
def test_include_ends_at_what_cannot_be_read(cast, authors, people, books):
    closed = books.create(name="closed", author=people.pointer(authors["open"]), ACL={})
    id = books.create(prequel=books.pointer(closed))
    for book in ways_of_reading(books.by(cast.owner), id, include="prequel.author"):
        assert book == {"prequel": books.pointer(closed)}


def test_keys_show_nothing_of_what_cannot_be_read(cast, authors, people, books):
    id = books.create(author=people.pointer(authors["closed"]))
    for book in ways_of_reading(books.by(cast.owner), id, include="author", keys="author.name", returnACL="true"):
        assert book["author"] == people.pointer(authors["closed"])


# Sub-queries

@pytest.fixture(scope="module")
def shelf(cast, authors, people):
    """Books named by their authors, and one of nobody."""
    shelf = Objects(cast.master, "acl_Shelf")
    for name, id in authors.items():
        shelf.create(name=name, author=people.pointer(id))
    shelf.create(name="nobody")
    return shelf


def names(objects, where, **parameters):
    return {row["name"] for row in objects.find(where=where, **parameters)}


SUBQUERY = {"className": "acl_Author", "where": {"name": {"$exists": True}}}
SELECT = {"query": SUBQUERY, "key": "name"}


@pytest.mark.parametrize("where, guest, owner", [
    ({"author": {"$inQuery": SUBQUERY}}, {"open"}, {"open", "owner"}),
    ({"author": {"$notInQuery": SUBQUERY}}, {"owner", "closed", "nobody"}, {"closed", "nobody"}),
    ({"name": {"$select": SELECT}}, {"open"}, {"open", "owner"}),
    ({"name": {"$dontSelect": SELECT}}, {"owner", "closed", "nobody"}, {"closed", "nobody"}),
    ({"$or": [{"author": {"$inQuery": SUBQUERY}}, {"name": "nobody"}]}, {"open", "nobody"}, {"open", "owner", "nobody"}),
    ({"author": {"$inQuery": SUBQUERY | {"order": "-createdAt", "limit": 1}}}, {"open"}, {"owner"}),
], ids=["inQuery", "notInQuery", "select", "dontSelect", "or", "page"])
def test_sub_query_finds_what_can_be_read(cast, shelf, where, guest, owner):
    assert names(shelf.by(cast.guest), where) == guest
    assert names(shelf.by(cast.owner), where) == owner
    assert shelf.by(cast.owner).count(**where) == len(owner)


def test_sub_query_of_a_sub_query_finds_what_can_be_read(cast, shelf):
    inner = {"author": {"$inQuery": SUBQUERY}}
    where = {"name": {"$select": {"query": {"className": shelf.name, "where": inner}, "key": "name"}}}
    assert names(shelf.by(cast.guest), where) == {"open"}


@pytest.mark.parametrize("name, holds", [("open", True), ("owner", True), ("closed", False)])
def test_sub_query_of_a_change_finds_what_can_be_read(cast, authors, people, books, name, holds):
    id = books.create(author=people.pointer(authors[name]))
    response = books.by(cast.owner).delete(id, where={"author": {"$inQuery": SUBQUERY}})
    assert (response.status_code, response.json().get("code")) == ((200, None) if holds else (400, 305))


# Relations

@pytest.fixture(scope="module")
def fans(cast, authors, people):
    """Owners of a relation to all authors: one whom all can read, and one who is the owner's; ids by name."""
    fans = Objects(cast.master, "acl_Fan")
    likes = op("AddRelation", objects=[people.pointer(id) for id in authors.values()])
    return {name: fans.create(name=name, likes=likes, ACL=acl) for name, acl in {
        "open": {"*": READ}, "owner": {cast.owner.id: BOTH}, "closed": {"*": WRITE},
    }.items()}


@pytest.mark.parametrize("fan, caller, expected", [
    ("open", "guest", {"open"}), ("open", "owner", {"open", "owner"}), ("owner", "guest", set()),
    ("owner", "owner", {"open", "owner"}), ("owner", "other", set()), ("closed", "owner", set()),
    ("closed", "master", {"open", "owner", "closed"}),
])
def test_relation_shows_what_can_be_read_of_whom_can_be_read(cast, fans, people, fan, caller, expected):
    where = {"$relatedTo": {"object": pointer("acl_Fan", fans[fan]), "key": "likes"}}
    seen = people.by(cast[caller])
    assert (names(seen, where), seen.count(**where)) == (expected, len(expected))
    redirected = Objects(cast[caller], "acl_Fan").query(where=where, redirectClassNameForKey="likes", count=1).json()
    assert ({row["name"] for row in redirected["results"]}, redirected["count"]) == (expected, len(expected))


@pytest.mark.parametrize("caller, expected", [("guest", {"open"}), ("owner", {"open", "owner"})])
def test_owners_of_a_relation_are_found_if_they_can_be_read(cast, authors, fans, people, caller, expected):
    seen = Objects(cast[caller], "acl_Fan")
    where = {"likes": people.pointer(authors["open"])}
    assert (names(seen, where), seen.count(**where)) == (expected, len(expected))


def test_relation_in_a_sub_query_needs_an_owner_that_can_be_read(cast, fans, shelf):
    related = {"object": pointer("acl_Fan", fans["owner"]), "key": "likes"}
    where = {"author": {"$inQuery": {"className": "acl_Author", "where": {"$relatedTo": related}}}}
    assert names(shelf.by(cast.other), where) == set()
    assert names(shelf.by(cast.owner), where) == {"open", "owner"}
