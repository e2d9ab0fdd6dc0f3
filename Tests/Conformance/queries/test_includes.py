"""Pointers: what include puts in their place, and how conditions find them."""

import pytest
from data import MISSING, pointer
from queries import BARE, BASE, ask, find, found, only, put, update

# Include

def book(api, name="p", **parameters):
    return only(find(api, "QueryBook", {"name": name}, **parameters))


def test_pointer_is_bare_unless_included(api, books):
    assert book(api)["author"] == pointer("QueryPerson", books["Ann"])


@pytest.mark.smoke
def test_included_pointer_has_all_fields(api, books):
    author = book(api, include="author")["author"]
    assert set(author) == BARE | BASE | {"name", "born", "town"}
    assert (author["__type"], author["className"], author["objectId"]) == ("Pointer", "QueryPerson", books["Ann"])
    assert author["town"] == pointer("QueryTown", books["Lyon"])


def test_include_goes_through_several_pointers(api, books):
    author = book(api, include="author.town")["author"]
    assert (author["name"], author["town"]["river"]) == ("Ann", "Rhône")


def test_array_of_pointers_is_bare_unless_included(api, books):
    assert [set(editor) for editor in book(api)["editors"]] == [BARE] * 3


def test_include_expands_an_array_of_pointers(api, books):
    assert [editor.get("name") for editor in book(api, include="editors")["editors"]] == ["Ann", "Bob", None]


@pytest.mark.parametrize("include", ["editors.town", "editors,editors.town"])
def test_include_goes_no_deeper_than_an_array(api, books, include):
    assert book(api, include=include)["editors"][0]["town"] == pointer("QueryTown", books["Lyon"])


@pytest.mark.parametrize("include", [
    "nothing", "price", "name,cover", "author.nothing", "author.name", "nothing.at.all",
])
def test_include_of_what_is_no_pointer_is_ignored(api, books, include):
    assert book(api, include=include)["price"] == 5


def test_several_columns_are_included(api, books):
    row = book(api, include="author,editors")
    assert (row["author"]["name"], row["editors"][1]["name"]) == ("Ann", "Bob")


def test_dangling_pointer_stays_bare(api, books):
    assert book(api, "r", include="author")["author"] == pointer("QueryPerson", MISSING)


def test_include_works_for_one_object(api, books):
    row = api.get(f"/1.1/classes/QueryBook/{books['p']}?include=author").json()
    assert row["author"]["name"] == "Ann"


def test_keys_limit_an_included_object(api, books):
    author = book(api, include="author", keys="author.name")["author"]
    assert author["name"] == "Ann"
    assert not {"born", "town"} & set(author)


@pytest.mark.parametrize("keys, hidden", [
    ("-author.name", {"name"}), ("-author.createdAt,-author.updatedAt", {"createdAt", "updatedAt"}),
    ("-author.objectId,-author.__type", set()), ("-name,-author.name", {"name"}),
])
def test_negative_keys_leave_members_of_an_included_object_out(api, books, keys, hidden):
    whole, author = (book(api, include="author", keys=shown)["author"] for shown in ("", keys))
    assert author == {name: value for name, value in whole.items() if name not in hidden}


def test_keys_of_the_pointer_leave_the_included_object_whole(api, books):
    row = book(api, include="author", keys="author")
    assert set(row) == BASE | {"author"}
    assert (row["author"]["name"], row["author"]["born"]) == ("Ann", 1980)


def test_file_column_is_expanded_without_include(api, books):
    cover = book(api)["cover"]
    assert (cover["__type"], cover["objectId"], cover["name"]) == ("File", books["cover"], "cover.txt")
    assert api.fetch(cover["url"]).content == b"cover"


def test_files_in_an_array_are_expanded_by_include(api, books):
    assert only(book(api, include="pages")["pages"])["name"] == "cover.txt"


@pytest.fixture(scope="module")
def chain(api):
    """Eight objects in a row, each pointing to the next; the id of the first."""
    id, = put(api, "QueryLink", [{"at": 7}])
    for at in range(6, -1, -1):
        id, = put(api, "QueryLink", [{"at": at, "next": pointer("QueryLink", id)}])
    return id


def test_include_goes_five_pointers_deep(api, chain):
    row = only(find(api, "QueryLink", {"objectId": chain}, include="next.next.next.next.next"))
    for at in range(6):
        assert row["at"] == at
        row = row["next"]
    assert set(row) == BARE


def test_deeper_include_is_no_error(api, chain):
    row = only(find(api, "QueryLink", {"objectId": chain}, include="next.next.next.next.next.next.next"))
    assert row["next"]["next"]["next"]["next"]["next"]["at"] == 5


def test_object_that_points_to_itself_is_included(api):
    id, = put(api, "QueryKnot", [{"name": "k"}])
    update(api, "QueryKnot", id, self=pointer("QueryKnot", id))
    row = only(find(api, "QueryKnot", include="self"))
    assert (row["self"]["name"], set(row["self"]["self"])) == ("k", BARE)


# Room for included objects

@pytest.fixture(scope="module")
def large(api):
    """Twenty objects of a hundred kilobytes; their ids."""
    return put(api, "QueryLoad", [{"s": "s" * 100_000}] * 20)


def test_included_objects_count_into_a_reply(api, large):
    put(api, "QueryHolder", [{"all": [pointer("QueryLoad", id) for id in large]}] * 10)
    response = ask(api, "QueryHolder", include="all")
    rows = response.json()["results"]
    assert (len(rows), len(response.content) < 6 << 20) == (10, True)
    assert ["s" in one for row in rows for one in row["all"]] == [True] * 62 + [False] * 138
    assert rows[9]["all"] == [pointer("QueryLoad", id) for id in large]
    # Their fields take no room if they are not asked for.
    rows = find(api, "QueryHolder", include="all", keys="all.createdAt")
    assert [set(one) for row in rows for one in row["all"]] == [BARE | BASE] * 200


@pytest.mark.extended
def test_rows_leave_less_room_for_included_objects(api, large):
    put(api, "QueryLoaded", [{"s": "s" * 100_000, "to": pointer("QueryLoad", large[0])}] * 35)
    response = ask(api, "QueryLoaded", include="to")
    assert len(response.content) < 6 << 20
    assert ["s" in row["to"] for row in response.json()["results"]] == [True] * 27 + [False] * 8


# Pointers in where

def test_pointer_equals_by_class_and_id(api, books):
    assert found(api, "QueryBook", {"author": pointer("QueryPerson", books["Ann"])}) == "p"
    assert found(api, "QueryBook", {"author": pointer("QueryTown", books["Ann"])}) == ""


def test_pointers_in_lists_and_negations(api, books):
    ann, bob = pointer("QueryPerson", books["Ann"]), pointer("QueryPerson", books["Bob"])
    assert found(api, "QueryBook", {"author": {"$in": [ann, bob]}}) == "pq"
    assert found(api, "QueryBook", {"author": {"$in": [None, bob]}}) == "qs"
    assert found(api, "QueryBook", {"author": {"$nin": [ann, bob]}}) == "rs"
    assert found(api, "QueryBook", {"author": {"$ne": ann}}) == "qrs"


def test_pointer_is_found_in_an_array(api, books):
    ann, bob = pointer("QueryPerson", books["Ann"]), pointer("QueryPerson", books["Bob"])
    assert found(api, "QueryBook", {"editors": bob}) == "p"
    assert found(api, "QueryBook", {"editors": {"$all": [bob, ann]}}) == "p"
    assert found(api, "QueryBook", {"editors": pointer("QueryPerson", books["p"])}) == ""


def test_pointer_of_an_included_object_is_a_pointer(api, books):
    author = book(api, include="author")["author"]
    assert found(api, "QueryBook", {"author": author}) == "p"


def test_file_finds_the_rows_that_hold_it(api, books):
    assert found(api, "QueryBook", {"cover": {"__type": "File", "id": books["cover"]}}) == "p"
