"""ACLs and class permissions with the official Python SDK, unmodified, as an app uses them."""

import pytest
from data import MISSING, Objects
from people import BOTH, NO_READING, forbidden, no_writing, permit
from sdk_people import with_people

ACLS = """
Thing, Other = (leancloud.Object.extend(arguments["name"] + end) for end in ("", "_other"))
def under(user, call):
    User.set_current(user)
    return code(call)
def public(read=True, write=True):
    acl = ACL(); acl.set_public_read_access(read); acl.set_public_write_access(write)
    return acl
def of_user(user):
    acl = ACL(); acl.set_read_access(user, True); acl.set_write_access(user, True)
    return acl
def guarded(acl, Class=Thing, **fields):
    thing = Class(**fields); thing.set_acl(acl); thing.save()
    return thing
def again(thing): return type(thing).create_without_data(thing.id)
"""


@pytest.fixture
def run(sdk, things):
    name = {"name": things.name}
    yield from with_people(lambda lines, **arguments: sdk(lines, **name | arguments), more=ACLS)


# Who may read and write

EVERYBODY = ["guest", "ann", "bob", "member"]
RIGHTS = {
    "nobody": ("pass", [], []),
    "public read": ("acl.set_public_read_access(True)", EVERYBODY, []),
    "public write": ("acl.set_public_write_access(True)", [], EVERYBODY),
    "user": ("acl.set_read_access(ann, True)", ["ann"], []),
    "user by id": ("acl.set_read_access(ann.id, True); acl.set_write_access(bob.id, True)", ["ann"], ["bob"]),
    "role": ("acl.set_role_read_access(role, True)", ["member"], []),
    "role by name": ("acl.set_role_write_access(role.get_name(), True)", [], ["member"]),
    "role as id": ("acl.set_read_access(role, True); acl.set_write_access(role, True)", ["member"], ["member"]),
    "rights add up": (
        "acl.set_read_access(ann, True); acl.set_write_access(ann, True); acl.set_role_read_access(role, True)",
        ["ann", "member"], ["ann"],
    ),
    "right that was taken back": (
        "acl.set_public_read_access(True); acl.set_public_read_access(False); acl.set_read_access(bob, True)", ["bob"], [],
    ),
    "false beside true": ("acl = ACL({'*': {'read': True}, ann.id: {'read': False}})", EVERYBODY, []),
    "unknown user and role": (f"acl = ACL({{'{MISSING}': {{'read': True}}, 'role:none': {{'write': True}}}})", [], []),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("lines, readers, writers", RIGHTS.values(), ids=RIGHTS)
def test_acl_gives_rights_to_those_it_names(run, lines, readers, writers):
    seen = run(
        f"""
        users = {{"guest": None}} | {{name: person() for name in ("ann", "bob", "member")}}
        ann, bob = users["ann"], users["bob"]
        role = Role(new_name(), ACL()); role.get_users().add(users["member"]); role.save()
        acl = ACL()
        {lines}
        thing = guarded(acl, n=1)
        query = Thing.query.equal_to("objectId", thing.id)
        def can(call): return [name for name, user in users.items() if under(user, call) is None]
        def counts(user): return User.set_current(user) or query.count()
        say(get=can(again(thing).fetch), find=can(query.first), update=can(lambda: again(thing).set("n", 2).save()),
            count=[name for name, user in users.items() if counts(user)])
        """
    )
    assert seen == {"get": readers, "find": readers, "count": readers, "update": writers}


def test_get_of_what_may_not_be_read_raises_403(run):
    seen = run("id = guarded(ACL()).id; say(refused=refusal(lambda: Thing.query.get(id)))")
    assert seen == {"refused": NO_READING}


@pytest.mark.parametrize("call", [
    "again(thing).set('n', 2).save", "again(thing).set_acl(public()).save", "again(thing).destroy",
    "lambda: Thing.save_all([again(thing).set('n', 2)])", "lambda: Thing.destroy_all([again(thing)])",
])
def test_change_of_what_may_not_be_written_raises_403(run, call):
    seen = run(
        f"""
        thing = guarded(public(write=False), n=1)
        person()
        refused = refusal({call})
        say(id=thing.id, refused=refused, n=Thing.query.get(thing.id).get("n"))
        """
    )
    assert (seen["refused"], seen["n"]) == (no_writing(seen["id"]), 1)


def test_writer_changes_the_acl_and_destroys(run):
    seen = run(
        """
        ann = person(); bob = person(); thing = guarded(of_user(ann))
        before = under(bob, lambda: Thing.query.get(thing.id))
        User.set_current(ann)
        again(thing).set_acl(of_user(bob)).save()
        after = under(bob, lambda: Thing.query.get(thing.id))
        gone = [under(user, again(thing).destroy) for user in (ann, bob)]
        say(before=before, after=after, gone=gone)
        """
    )
    assert seen == {"before": 403, "after": None, "gone": [403, None]}


def test_pages_and_counts_hold_what_may_be_read(run):
    seen = run(
        """
        ann = person(); acls = [of_user(ann), ACL(), public()]
        for n in range(9): guarded(acls[n % 3], n=n)
        query = Thing.query.ascending("n").limit(4)
        def page(user):
            User.set_current(user)
            return [[thing.get("n") for thing in query.find()], query.count()]
        say(ann=page(ann), guest=page(None))
        """
    )
    assert seen == {"ann": [[0, 2, 3, 5], 6], "guest": [[2, 5, 8], 3]}


@pytest.mark.parametrize("acl", [
    {"*": True}, {"*": {"read": 1}}, {"*": {"own": True}}, {"n" * 129: {"read": True}},
], ids=str)
def test_acl_of_another_form_raises_123(run, acl):
    assert run("say(code=code(lambda: guarded(ACL(arguments['acl']))))", acl=acl) == {"code": 123}


def test_included_object_that_may_not_be_read_stays_a_pointer(run):
    seen = run(
        """
        ann = person(); other = guarded(of_user(ann), Other, n=5)
        id = guarded(public(), other=other).id
        def shown(user):
            User.set_current(user)
            return Thing.query.include("other").get(id).get("other").dump()
        say(id=other.id, ann=shown(ann)["n"], guest=shown(None))
        """
    )
    assert seen == {"id": seen["id"], "ann": 5, "guest": {"objectId": seen["id"]}}


@pytest.mark.parametrize("query", ["matches_query('other', Other.query)", "matches_key_in_query('n', 'n', Other.query)"])
def test_sub_query_matches_nothing_that_may_not_be_read(run, query):
    seen = run(
        f"""
        ann = person(); thing = guarded(public(), n=5, other=guarded(of_user(ann), Other, n=5))
        query = Thing.query.equal_to("objectId", thing.id).{query}
        mine = query.count(); User.set_current(None)
        say(ann=mine, guest=query.count())
        """
    )
    assert seen == {"ann": 1, "guest": 0}


def test_relation_of_an_object_that_may_not_be_read_is_empty(run):
    seen = run(
        """
        ann = person(); other = guarded(public(), Other)
        thing = Thing(); thing.set_acl(of_user(ann)); thing.relation("others").add(other); thing.save()
        query = thing.relation("others").query
        mine = query.count(); User.set_current(None)
        say(ann=mine, guest=query.count())
        """
    )
    assert seen == {"ann": 1, "guest": 0}


# Settings of the class

def test_default_acl_gives_a_new_object_to_who_makes_it(run, things, master):
    permit(master, things.name, defaultACL={"owner": BOTH})
    seen = run(
        """
        ann = person(); bob = person()
        User.set_current(ann); thing = Thing(n=1); thing.save()
        User.set_current(None); orphan = Thing(); orphan.save()
        def rights(thing, user): return [under(user, again(thing).fetch), under(user, again(thing).set("n", 2).save)]
        say(ann=rights(thing, ann), bob=rights(thing, bob), guest=rights(thing, None), orphan=rights(orphan, ann))
        """
    )
    assert seen == {"ann": [None, None], "bob": [403, 403], "guest": [403, 403], "orphan": [403, 403]}


def test_acl_that_comes_along_replaces_the_default(run, things, master):
    permit(master, things.name, defaultACL={"owner": BOTH})
    lines = "person(); guarded(public(write=False)); say(acl=Thing.query.include_acl().first().get_acl().dump())"
    assert run(lines) == {"acl": {"*": {"read": True}}}


OPERATIONS = {
    "create": "Thing(n=2).save()", "get": "Thing.query.get(arguments['thing'])", "find": "Thing.query.find()",
    "update": "thing.set('n', 3).save()", "delete": "thing.destroy()", "add_fields": "thing.set(new_name(), 1).save()",
}


@pytest.mark.parametrize("operation, call", OPERATIONS.items(), ids=OPERATIONS)
def test_operation_is_open_to_the_role_that_it_was_opened_to(run, api, master, operation, call):
    things = Objects(api, f"SdkOperation_{operation}")
    id = things.create(n=1)
    permit(master, things.name, **{operation: [f"role:{things.name}"]})
    seen = run(
        f"""
        ann = person(); bob = person()
        role = Role(arguments["name"], ACL()); role.get_users().add(ann); role.save()
        thing = Thing.create_without_data(arguments["thing"])
        def refused(user): return User.set_current(user) or refusal(lambda: {call})
        say(others=[refused(None), refused(bob)], member=refused(ann))
        """, name=things.name, thing=id,
    )
    assert seen == {"others": [forbidden(operation, things.name)] * 2, "member": None}
