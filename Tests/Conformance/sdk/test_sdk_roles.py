"""Roles with the official Python SDK, unmodified, as an app uses them."""

import pytest
from client import ALPHA
from people import NO_READING, forbidden, no_writing
from sdk_people import with_people

ROLES = """
Thing = leancloud.Object.extend(arguments["name"])
def writable():
    acl = ACL(); acl.set_public_read_access(True); acl.set_public_write_access(True)
    return acl
def role(*users, roles=()):
    role = Role(new_name(), writable())
    role.get_users().add(*users) if users else None
    role.get_roles().add(*roles) if roles else None
    role.save()
    return role
def same(role): return Role.query.get(role.id)
def granted_to(role):
    acl = ACL(); acl.set_role_read_access(role, True)
    thing = Thing(); thing.set_acl(acl); thing.save()
    return thing
def sees(user, thing):
    User.set_current(user)
    return Thing.query.equal_to("objectId", thing.id).count() == 1
"""


@pytest.fixture
def run(sdk, things):
    yield from with_people(lambda lines, **arguments: sdk(lines, name=things.name, **arguments), more=ROLES)


# Making and changing

def test_saved_role_is_found_by_its_name(run):
    seen = run(
        """
        name = new_name(); role = Role(name); role.save()
        found = Role.query.include_acl().equal_to("name", name).find()
        say(ids=[one.id == role.id for one in found], name=found[0].get_name() == name, acl=found[0].get_acl().dump())
        """
    )
    assert seen == {"ids": [True], "name": True, "acl": {"*": {"read": True}}}


def test_role_without_an_acl_is_refused(run):
    seen = run("say(refused=refusal(leancloud.Object.create('_Role', name=new_name()).save))")
    assert seen == {"refused": {"code": 1, "error": "Role ACL is required."}}


@pytest.mark.parametrize("name", ["", "a.b", "a/b", "é", "a\n", "role:a"])
def test_name_of_another_form_raises_139(run, name):
    lines = "say(code=code(leancloud.Object.create('_Role', name=arguments['role'], ACL=ACL({'*': {'read': True}})).save))"
    assert run(lines, role=name) == {"code": 139}


def test_name_with_blanks_and_hyphens_is_taken(run):
    seen = run(
        """
        name = f"{new_name()} of_the-day"
        leancloud.Object.create("_Role", name=name, ACL=writable()).save()
        say(found=Role.query.equal_to("name", name).count())
        """
    )
    assert seen == {"found": 1}


def test_name_that_is_taken_is_refused(run):
    seen = run(
        """
        name = new_name(); Role(name).save()
        refused = code(Role(name).save)
        say(refused=refused, left=Role.query.equal_to("name", name).count())
        """
    )
    assert seen == {"refused": 137, "left": 1}


def test_name_cannot_be_changed(run):
    seen = run(
        """
        one = role(); name = one.get_name(); again = same(one)
        refused = code(again.set("name", new_name()).save)
        say(refused=refused, left=Role.query.get(one.id).get_name() == name)
        """
    )
    assert seen == {"refused": 139, "left": True}


def test_destroyed_role_is_gone(run):
    assert run("one = role(); one.destroy(); say(left=Role.query.equal_to('objectId', one.id).count())") == {"left": 0}


@pytest.mark.parametrize("change", ["get_users().add(bob)", "get_roles().add(role())", "set_acl(writable())"])
def test_role_is_changed_by_its_acl_alone(run, change):
    seen = run(
        f"""
        ann = person(); bob = person()
        acl = ACL(); acl.set_public_read_access(True); acl.set_write_access(ann, True)
        one = Role(new_name(), acl); one.save()
        def change(user):
            User.set_current(user)
            again = same(one); again.{change}
            return refusal(again.save)
        say(id=one.id, refused=[change(bob), change(None)], owner=change(ann))
        """
    )
    assert (seen["refused"], seen["owner"]) == ([no_writing(seen["id"])] * 2, None)


def test_role_that_may_not_be_read_is_not_found_and_grants_nevertheless(run):
    seen = run(
        """
        ann = person(); secret = Role(new_name(), ACL()); secret.get_users().add(ann); secret.save()
        thing = granted_to(secret)
        say(found=Role.query.equal_to("name", secret.get_name()).count(), sees=sees(ann, thing),
            refused=refusal(lambda: Role.query.get(secret.id)))
        """
    )
    assert seen == {"found": 0, "sees": True, "refused": NO_READING}


# Members

@pytest.mark.parametrize("role", ["one", "same(one)"], ids=["saved", "fetched"])
def test_members_are_found_by_themselves_and_by_master(run, sdk, role):
    seen = run(
        f"""
        ann = person(); bob = person(); one = role(ann, bob)
        members = {role}.users.query
        itself = [user.id for user in members.find()]
        User.set_current(None)
        say(role=one.id, users=[ann.id, bob.id], itself=itself, guest=refusal(members.find))
        """
    )
    lines = """
        members = leancloud.Role.create_without_data(arguments["role"]).get_users().query
        say(ids=[user.id for user in members.ascending("createdAt").find()], count=members.count())
        """
    assert sdk(lines, master=ALPHA.master, role=seen["role"]) == {"ids": seen["users"], "count": 2}
    assert seen["guest"] == forbidden("find", "_User")
    assert seen["itself"] == seen["users"][1:]


def test_roles_of_a_role_are_found(run):
    seen = run(
        """
        inner = role(); outer = role(roles=[inner])
        say(inner=[found.get("name") == inner.get_name() for found in same(outer).get_roles().query.find()],
            outer=[found.id == outer.id for found in Role.query.equal_to("roles", inner).find()])
        """
    )
    assert seen == {"inner": [True], "outer": [True]}


def test_roles_of_a_user_are_those_that_it_is_in_directly(run):
    seen = run(
        """
        ann = person(); inner = role(ann); also = role(ann); outer = role(roles=[inner]); role()
        say(roles=sorted(found.id for found in ann.get_roles()) == sorted([inner.id, also.id]))
        """
    )
    assert seen == {"roles": True}


def test_member_sees_what_its_role_may_read_and_nobody_else_does(run):
    seen = run(
        """
        ann = person(); bob = person(); thing = granted_to(role(ann))
        say(seen=[sees(user, thing) for user in (ann, bob, None)])
        """
    )
    assert seen == {"seen": [True, False, False]}


def test_new_member_has_its_rights_at_once_and_loses_them_at_once(run):
    seen = run(
        """
        ann = person(); one = role(); thing = granted_to(one); seen = [sees(ann, thing)]
        again = same(one); again.get_users().add(ann); again.save(); seen.append(sees(ann, thing))
        again = same(one); again.get_users().remove(ann); again.save(); seen.append(sees(ann, thing))
        say(seen=seen)
        """
    )
    assert seen == {"seen": [False, True, False]}


def test_destroyed_role_grants_nothing(run):
    lines = "ann = person(); one = role(ann); thing = granted_to(one); one.destroy(); say(sees=sees(ann, thing))"
    assert run(lines) == {"sees": False}


# Roles in roles

def test_member_has_what_is_granted_to_the_roles_above_and_not_to_those_below(run):
    seen = run(
        """
        low = person(); middle = person(); high = person()
        editors = role(low); readers = role(middle, roles=[editors]); all = role(high, roles=[readers])
        things = [granted_to(one) for one in (editors, readers, all)]
        say(seen=[[sees(user, thing) for thing in things] for user in (low, middle, high)])
        """
    )
    assert seen == {"seen": [[True, True, True], [False, True, True], [False, False, True]]}


def test_roles_in_a_loop_have_the_same_rights(run):
    seen = run(
        """
        ann = person(); bob = person(); other = person()
        one = role(ann); two = role(bob, roles=[one]); again = same(one); again.get_roles().add(two, one); again.save()
        things = [granted_to(one), granted_to(two)]
        say(seen=[[sees(user, thing) for thing in things] for user in (ann, bob, other)])
        """
    )
    assert seen == {"seen": [[True, True], [True, True], [False, False]]}


def test_role_that_left_another_loses_its_rights(run):
    seen = run(
        """
        ann = person(); editors = role(ann); readers = role(roles=[editors]); thing = granted_to(readers)
        before = sees(ann, thing)
        again = same(readers); again.get_roles().remove(editors); again.save()
        say(before=before, after=sees(ann, thing))
        """
    )
    assert seen == {"before": True, "after": False}
