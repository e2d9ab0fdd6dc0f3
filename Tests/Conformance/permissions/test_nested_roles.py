"""Which roles contain which others, for tools that show roles as a tree."""

import pytest
from client import assert_refused
from people import Role

PATH = "/1.1/nestedRoles"


def pages(master, limit):
    """The results of all calls, by following the cursor."""
    cursor = None
    while True:
        response = master.get(PATH, params={"limit": limit} | ({"cursor": cursor} if cursor else {}))
        assert response.status_code == 200, response.text
        body = response.json()
        assert set(body) == {"results", "cursor"}
        yield body["results"]
        cursor = body["cursor"]
        if cursor is None:
            return


def links(master, roles, limit=1000):
    """The pairs of these roles, each as often as the server lists it."""
    ids = {role.id for role in roles}
    found = [(one["role"], one["contains"]) for page in pages(master, limit) for one in page]
    return sorted(pair for pair in found if ids.issuperset(pair))


def test_roles_in_roles_are_listed_once_also_in_loops(cast, master):
    inner, middle = Role(master, users=[cast.owner]), Role(master)
    middle.add(roles=[inner])
    outer = Role(master, roles=[middle, inner])
    inner.add(roles=[outer])
    expected = [(middle.id, inner.id), (outer.id, middle.id), (outer.id, inner.id), (inner.id, outer.id)]
    assert links(master, [inner, middle, outer]) == sorted(expected)


def test_what_is_removed_or_deleted_is_not_listed(master):
    inner, other = Role(master), Role(master)
    outer = Role(master, roles=[inner, other])
    outer.remove(roles=[other])
    assert links(master, [inner, other, outer]) == [(outer.id, inner.id)]
    assert master.call("DELETE", inner.path).status_code == 200
    assert links(master, [inner, other, outer]) == []


def test_pages_have_every_pair(master):
    inner = [Role(master) for _ in range(5)]
    outer = Role(master, roles=inner)
    found = list(pages(master, 2))
    assert all(len(page) == 2 for page in found[:-1])
    assert links(master, [outer, *inner], limit=2) == sorted((outer.id, role.id) for role in inner)


@pytest.mark.parametrize("query", [
    {"limit": "0"}, {"limit": "1001"}, {"limit": "x"}, {"cursor": "a"}, {"cursor": "a,"}, {"cursor": "a,b,c"},
    {"cursor": "a'--,b"},
], ids=str)
def test_malformed_parameters_are_refused(master, query):
    assert_refused(master.get(PATH, params=query), 400, 1)


@pytest.mark.parametrize("caller", ["guest", "owner", "member"])
def test_the_list_is_for_the_master_key(cast, caller):
    assert_refused(cast[caller].get(PATH), 403, 119)
