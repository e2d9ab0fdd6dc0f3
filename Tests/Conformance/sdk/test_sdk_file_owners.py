"""Files of users, with the official Python SDK, unmodified, as an app uses it."""

import json

import pytest
from client import ALPHA
from people import BOTH, READ, Person, forbidden, no_writing, permit, start
from sdk import SDK
from sdk_people import with_people

FILES = """
def by(name, call):
    token = arguments.get(name)
    User.set_current(User.become(token) if token else None)
    return call()
def destroyed(name): return by(name, lambda: refusal(file().destroy))
def seen():
    query = leancloud.File.query.equal_to("objectId", arguments["file"])
    return [code(file().fetch), len(query.find()), query.count()]
"""
DESTROY = "say(guest=destroyed(None), bob=destroyed('bob'), ann=destroyed('ann'))"
CLOSED = forbidden("delete", "_File")


class Owners:
    """Ann and Bob on a server, where the SDK knows both."""

    def __init__(self, server, sdk):
        self.guest, self.master, self.sdk = server.api(), server.api(master=True), sdk
        self.ann, self.bob = Person(server), Person(server)

    def run(self, lines, record):
        return self.sdk(lines, file=record["objectId"], ann=self.ann.token, bob=self.bob.token)


@pytest.fixture
def owners(server, sdk):
    for run in with_people(sdk, more=FILES):
        yield Owners(server, run)


@pytest.fixture
def own(new_server):
    """The same on a server whose permissions the test may change."""
    server = start(new_server)
    sdk = SDK(server.url)
    for run in with_people(sdk.run, more=FILES):
        yield Owners(server, run)
    sdk.close()


def upload(person, **fields):
    """A file that a user uploads; fields are sent as JSON."""
    return person.store(b"x", name="x.txt", **{name: json.dumps(value) for name, value in fields.items()})


def test_file_that_may_not_be_read_is_shown_to_its_owner_alone(owners):
    record = upload(owners.ann, ACL={owners.ann.id: BOTH})
    seen = owners.run("say(ann=by('ann', seen), bob=by('bob', seen), guest=by(None, seen))", record)
    assert seen == {"ann": [None, 1, 1], "bob": [403, 0, 0], "guest": [403, 0, 0]}


def test_owner_of_a_file_is_told(owners):
    record = upload(owners.ann, metaData={"owner": owners.ann.id})
    assert owners.run("f = file(); f.fetch(); say(owner=f.owner_id)", record) == {"owner": owners.ann.id}


def test_master_key_destroys_whatever_the_acl_says(owners, sdk):
    record = upload(owners.ann, ACL={owners.ann.id: BOTH})
    sdk("file().destroy(); say()", master=ALPHA.master, file=record["objectId"])
    assert owners.ann.get(f"/1.1/files/{record['objectId']}").status_code == 404


def test_nobody_deletes_before_deletion_was_opened(own):
    record = upload(own.ann, ACL={"*": READ, own.ann.id: BOTH})
    assert own.run(DESTROY, record) == {"guest": CLOSED, "bob": CLOSED, "ann": CLOSED}
    assert own.guest.get(f"/1.1/files/{record['objectId']}").json() == record


def test_owner_deletes_after_deletion_was_opened_and_nobody_else(own):
    record = upload(own.ann, ACL={"*": READ, own.ann.id: BOTH})
    own.run(DESTROY, record)
    permit(own.master, "_File", delete=["users"])
    assert own.run(DESTROY, record) == {"guest": CLOSED, "bob": no_writing(record["objectId"]), "ann": None}
    assert own.guest.get(f"/1.1/files/{record['objectId']}").status_code == 404


@pytest.mark.extended
def test_deletion_that_was_closed_again_is_closed(own):
    record = upload(own.ann)
    permit(own.master, "_File", delete=["users"])
    permit(own.master, "_File", delete=[])
    assert own.run(DESTROY, record) == {"guest": CLOSED, "bob": CLOSED, "ann": CLOSED}


@pytest.mark.extended
def test_role_that_deletion_was_opened_to_deletes_what_its_acl_lets(own):
    files = [upload(own.bob, ACL={"*": READ, subject: BOTH}) for subject in ("role:Editors", own.bob.id)]
    permit(own.master, "_File", delete=["role:Editors"])
    lines = """
        def make_role():
            role = Role("Editors", ACL()); role.get_users().add(User.get_current()); role.save()
        by("ann", make_role)
        """
    own.run(lines + "say()", files[0])
    seen = [own.run("say(bob=destroyed('bob'), ann=destroyed('ann'))", record) for record in files]
    assert seen == [{"bob": CLOSED, "ann": None}, {"bob": CLOSED, "ann": no_writing(files[1]["objectId"])}]


@pytest.mark.extended
def test_default_acl_gives_a_file_to_who_uploads_it(own):
    permit(own.master, "_File", delete=["users"], defaultACL={"*": READ, "owner": {"write": True}})
    record = upload(own.ann)
    assert own.run(DESTROY, record) == {"guest": CLOSED, "bob": no_writing(record["objectId"]), "ann": None}
