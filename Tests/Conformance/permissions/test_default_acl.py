"""The ACL that a new object gets if none comes along."""

import pytest
from batches import post, save
from client import assert_refused
from data import Objects, batch
from people import BOTH, CALLERS, NO_READING, READ, assert_forbidden, no_writing, permissions, permit

OPEN = {"*": BOTH}
PRIVATE = {"owner": BOTH}


@pytest.fixture(scope="module")
def notes(master):
    """A class whose default ACL does not change, as the operator sees it."""
    return Objects(master, "default_Note")


@pytest.fixture
def drafts(master):
    """A class whose default the test may change, as the operator sees it."""
    permit(master, "default_Draft", defaultACL=OPEN)
    return Objects(master, "default_Draft")


CREATES = {
    "create": lambda notes: notes.post({"n": 1}).json(),
    "batch": lambda notes: batch(notes.api, post(notes, {"n": 1})).json()[0]["success"],
    "batch/save": lambda notes: save(notes.api, post(notes, {"n": 1, "__internalId": "A"}, new=True)).json()["A"],
    "null": lambda notes: notes.post({"n": 1, "ACL": None}).json(),
}


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("create", CREATES)
def test_new_object_is_open_at_first(cast, notes, create, caller):
    id = CREATES[create](notes.by(cast[caller]))["objectId"]
    assert notes.by(cast[caller]).read(id, returnACL="true") == {"n": 1, "ACL": OPEN}


@pytest.mark.parametrize("create", CREATES)
def test_owner_in_the_default_acl_is_who_makes_the_object(cast, drafts, create):
    permit(cast.master, drafts.name, defaultACL={"*": READ, "owner": BOTH})
    id = CREATES[create](drafts.by(cast.owner))["objectId"]
    assert drafts.read(id, returnACL="true")["ACL"] == {"*": READ, cast.owner.id: BOTH}
    assert drafts.by(cast.owner).put(id, {"n": 2}).status_code == 200
    assert_forbidden(drafts.by(cast.other).put(id, {"n": 3}), no_writing(id))


@pytest.mark.parametrize("caller", ["guest", "master"])
def test_owner_is_left_out_if_nobody_is_logged_in(cast, drafts, caller):
    permit(cast.master, drafts.name, defaultACL={"role:Editors": READ} | PRIVATE)
    id = drafts.by(cast[caller]).create(n=1)
    assert drafts.read(id, returnACL="true")["ACL"] == {"role:Editors": READ}


def test_default_acl_of_nothing_is_for_nobody(cast, drafts):
    permit(cast.master, drafts.name, defaultACL={})
    id = drafts.by(cast.owner).create(n=1)
    assert drafts.read(id, returnACL="true")["ACL"] == {}
    assert_forbidden(drafts.by(cast.owner).get(id), NO_READING)


@pytest.mark.parametrize("acl", [{}, OPEN, {"*": READ}, {"owner": READ}], ids=str)
def test_acl_that_comes_along_counts_instead_of_the_default(cast, drafts, acl):
    permit(cast.master, drafts.name, defaultACL=PRIVATE)
    id = drafts.by(cast.owner).create(ACL=acl)
    assert drafts.read(id, returnACL="true")["ACL"] == acl


@pytest.mark.smoke
def test_objects_that_are_there_keep_their_acl(cast, drafts):
    plain, closed = drafts.create(n=1), drafts.create(n=1, ACL={"*": READ})
    permit(cast.master, drafts.name, defaultACL=PRIVATE)
    drafts.update(plain, {"n": 2})
    assert drafts.read(plain, returnACL="true") == {"n": 2, "ACL": OPEN}
    assert drafts.read(closed, returnACL="true") == {"n": 1, "ACL": {"*": READ}}
    assert drafts.by(cast.guest).read(plain) == {"n": 2}


def test_default_acl_is_of_its_class_alone(cast, drafts, notes):
    permit(cast.master, drafts.name, defaultACL={})
    assert notes.by(cast.owner).read(notes.by(cast.owner).create(n=1), returnACL="true")["ACL"] == OPEN


@pytest.mark.parametrize("acl", [[], "*", {"*": True}, {"*": {"read": 1}}, {"owner": "write"}, {"n" * 129: READ}], ids=str)
def test_default_acl_of_another_form_is_123(master, drafts, acl):
    assert_refused(master.call("PUT", f"/1.1/permissions/{drafts.name}", json={"defaultACL": acl}), 400, 123)
    assert permissions(master, drafts.name)["defaultACL"] == OPEN
