"""UnionID: accounts of several sub-apps of one platform that are one user, in all orders of log-ins."""

import json

import pytest
from accounts import NO_USER, join, sign_up, unique, user_of
from data import DELETE
from identities import ENTRY, app


@pytest.fixture
def union():
    return unique("union")


@pytest.fixture
def main(union):
    return app("wxapp1", union, True)


@pytest.fixture
def ann(api, main):
    """A user of the main app."""
    return user_of(api, join(api, main))


def holders(master, uid):
    """Users that have the identity on wxapp2."""
    response = master.get("/1.1/users", params={"where": json.dumps({"authData.wxapp2.uid": uid})})
    return [user["objectId"] for user in response.json()["results"]]


@pytest.mark.parametrize("flag", [True, "true"])
def test_main_app_writes_the_entry(api, union, flag):
    data = app("wxapp1", union, flag)
    assert join(api, data).json()["authData"] == data | {ENTRY: {"uid": union}}


@pytest.mark.parametrize("flag", [False, "false", None])
def test_sub_app_writes_no_entry(api, union, flag):
    data = app("wxapp1", union, flag)
    assert join(api, data).json()["authData"] == data


@pytest.mark.parametrize("flag", [True, "true", False, "false", None])
def test_sub_app_after_the_main_app_is_the_same_user(api, ann, main, union, flag):
    sub = app("wxapp2", union, flag)
    response = join(api, sub)
    assert user_of(api, response, 200).id == ann.id
    assert response.json()["authData"] == main | sub | {ENTRY: {"uid": union}}
    assert user_of(api, join(api, sub), 200).id == ann.id


def test_sub_app_before_the_main_app_is_another_user(api, main, union):
    sub = user_of(api, join(api, app("wxapp2", union, False)))
    assert user_of(api, join(api, main)).id != sub.id


def test_two_sub_apps_without_a_main_app_are_two_users(api, union):
    users = [user_of(api, join(api, app(name, union, False))) for name in ("wxapp2", "wxapp3")]
    assert users[0].id != users[1].id


@pytest.mark.smoke
def test_sub_app_that_becomes_the_main_app_writes_the_entry(api, union):
    sub = app("wxapp1", union, False)
    user = user_of(api, join(api, sub))
    main = app("wxapp1", union, True, uid=sub["wxapp1"]["uid"])
    assert join(api, main).json()["authData"] == main | {ENTRY: {"uid": union}}
    assert user_of(api, join(api, app("wxapp2", union, False)), 200).id == user.id


def test_linked_main_app_writes_the_entry(api, main, union):
    user = sign_up(api)
    assert user.change({"authData": main}).status_code == 200
    assert user.read()["authData"] == main | {ENTRY: {"uid": union}}
    assert user_of(api, join(api, app("wxapp2", union, False)), 200).id == user.id


def test_main_app_with_a_new_id_is_found_by_its_union(api, ann, union):
    fresh = app("wxapp1", union, True)
    assert user_of(api, join(api, fresh), 200).id == ann.id
    assert ann.read()["authData"]["wxapp1"] == fresh["wxapp1"]


def test_union_is_of_the_platform_that_the_data_names(api, ann, union):
    assert user_of(api, join(api, app("qqapp", union, False, platform="qq"))).id != ann.id
    data = app("qqapp", union, True, platform="qq")
    assert join(api, data).json()["authData"]["_qq_unionid"] == {"uid": union}


def test_unions_differ(api, ann):
    assert user_of(api, join(api, app("wxapp2", unique("union"), False))).id != ann.id


def test_known_union_logs_in_only(api, ann, union):
    sub = app("wxapp2", union, False)
    assert user_of(api, join(api, sub, failOnNotExist="true"), 200).id == ann.id
    response = join(api, app("wxapp2", unique("union"), True), failOnNotExist="true")
    assert (response.status_code, response.json()) == (400, NO_USER)


def test_identity_that_another_user_has_is_not_moved_by_the_union(api, master, union):
    sub = app("wxapp2", union, False)
    first = user_of(api, join(api, sub))
    second = user_of(api, join(api, app("wxapp1", union, True)))
    join(api, sub)
    assert holders(master, sub["wxapp2"]["uid"]) == [first.id]
    assert "wxapp2" not in second.read()["authData"]


def test_union_of_another_user_is_not_taken(api, ann, union):
    bob = sign_up(api)
    bob.change({"authData": app("wxapp3", union, True)})
    assert ENTRY not in bob.read().get("authData", {})
    assert user_of(api, join(api, app("wxapp2", union, False)), 200).id == ann.id


def test_union_of_a_deleted_user_is_free(api, ann, union):
    assert ann.api.call("DELETE", ann.path).status_code == 200
    assert user_of(api, join(api, app("wxapp2", union, False))).id != ann.id


# Clients do not write entries

def entry(union):
    return {ENTRY: {"uid": union}}


@pytest.mark.parametrize("more", [{}, {"github": {"uid": "…"}}], ids=str)
def test_entry_does_not_log_in(api, ann, union, more):
    data = entry(union) | ({"github": {"uid": unique("id")}} if more else {})
    assert join(api, data).json().get("objectId") != ann.id
    assert user_of(api, join(api, app("wxapp2", union, False)), 200).id == ann.id


WRITES = {
    "members": lambda union: {"authData": entry(union)},
    "with a platform": lambda union: {"authData": entry(union) | {"github": {"uid": unique("id")}}},
    "dotted": lambda union: {f"authData.{ENTRY}": {"uid": union}},
    "deep": lambda union: {f"authData.{ENTRY}.uid": union},
}


@pytest.mark.few(2)
@pytest.mark.parametrize("case", WRITES)
@pytest.mark.parametrize("whose", ["of another", "of nobody"])
def test_entry_is_not_written(api, ann, union, case, whose):
    bob = sign_up(api, authData={"weibo": {"uid": unique("id")}})
    wanted = union if whose == "of another" else unique("union")
    bob.change(WRITES[case](wanted))
    assert ENTRY not in bob.read()["authData"]
    assert join(api, app("wxapp2", wanted, False)).json()["objectId"] != bob.id


@pytest.mark.parametrize("case", WRITES)
def test_entry_is_not_changed(api, ann, union, case):
    other = unique("union")
    ann.change(WRITES[case](other))
    assert ann.read()["authData"][ENTRY] == {"uid": union}
    assert user_of(api, join(api, app("wxapp2", other, False))).id != ann.id
    assert user_of(api, join(api, app("wxapp3", union, False)), 200).id == ann.id


@pytest.mark.parametrize("fields", [{"authData": {ENTRY: None}}, {f"authData.{ENTRY}": DELETE}], ids=str)
def test_entry_is_not_taken_away(api, ann, union, fields):
    ann.change(fields)
    assert ann.read()["authData"][ENTRY] == {"uid": union}


def test_sdk_that_sends_all_back_links_and_unlinks(api, ann, main, union):
    """Python and PHP send what they were shown, our entry among it."""
    more = {"github": {"uid": unique("id")}}
    assert ann.change({"authData": ann.read()["authData"] | more}).status_code == 200
    assert ann.read()["authData"] == main | entry(union) | more
    assert ann.change({"authData": ann.read()["authData"] | {"github": None}}).status_code == 200
    assert ann.read()["authData"] == main | entry(union)
    assert user_of(api, join(api, app("wxapp2", union, False)), 200).id == ann.id
