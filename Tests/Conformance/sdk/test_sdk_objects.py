"""Objects with the official Python SDK, unmodified, as an app uses it."""

import textwrap

import pytest
from client import ALPHA
from data import date, describe, geopoint, op, pointer, relation
from sdk import RAISES


@pytest.fixture
def run(sdk, things):
    """Runs lines in which Thing is the class of the test, and Other another one."""

    def run(lines, **arguments):
        start = "Thing, Other = (leancloud.Object.extend(arguments['name'] + end) for end in ('', '_other'))\n"
        return sdk(start + textwrap.dedent(lines), name=things.name, **arguments)

    return run


@pytest.mark.smoke
def test_saved_object_has_id_and_times(run, things):
    seen = run(
        """
        thing = Thing(title="wash", n=1)
        thing.save()
        say(id=thing.id, equal=thing.created_at == thing.updated_at, new=thing.is_new(), dirty=thing.is_dirty())
        """
    )
    assert things.read(seen.pop("id")) == {"title": "wash", "n": 1}
    assert seen == {"equal": True, "new": False, "dirty": False}


def test_values_of_each_type_come_back(run, things):
    seen = run(
        """
        from datetime import datetime, timezone
        when = datetime(2024, 3, 1, 8, 0, 0, 120000, tzinfo=timezone.utc)
        other = Other(); other.save()
        thing = Thing(text="茶", n=1.5, yes=True, none=None, list=[1, "a", {"b": [when]}], object={"a": {"b": when}},
                      when=when, here=leancloud.GeoPoint(40, -30), other=other, others=[other])
        thing.save()
        same = Thing.create_without_data(thing.id)
        same.fetch()
        say(id=thing.id, text=same.get("text"), n=same.get("n"), yes=same.get("yes"), none=same.get("none"),
            has=same.has("none"), when=same.get("when") == when, deep=same.get("object")["a"]["b"] == when,
            list=same.get("list")[2]["b"] == [when],
            here=[same.get("here").latitude, same.get("here").longitude], other=same.get("other").id == other.id,
            others=[o.id == other.id for o in same.get("others")])
        """
    )
    stored = things.read(seen.pop("id"))
    assert (stored["when"], stored["here"]) == (date(), geopoint(40, -30))
    assert seen == {
        "text": "茶", "n": 1.5, "yes": True, "none": None, "has": True, "when": True, "deep": True, "list": True,
        "here": [40, -30], "other": True, "others": [True],
    }


def test_changes_of_an_existing_object(run, things):
    id = things.create(n=1, tags=["a", "b"], gone=1, flags=6)
    run(
        """
        thing = Thing.create_without_data(arguments["thing"])
        thing.increment("n", 2).add("tags", "c").unset("gone").set("title", "new")
        thing.save()
        thing.remove("tags", "a"); thing.save()
        thing.add_unique("tags", "b"); thing.save()
        say()
        """, thing=id,
    )
    seen = things.read(id)
    assert sorted(seen.pop("tags")) == ["b", "c"]
    assert seen == {"n": 3, "title": "new", "flags": 6}


def test_bits(run, things):
    id = things.create(n=6)
    seen = run(
        """
        thing = Thing.create_without_data(arguments["thing"]); thing.fetch()
        thing.bit_and("n", 3); thing.save()
        thing.bit_or("n", 8); thing.save()
        thing.bit_xor("n", 1); thing.save()
        say(n=thing.get("n"))
        """, thing=id,
    )
    assert seen == {"n": 11} and things.read(id) == {"n": 11}


def test_fetch_when_save_brings_what_others_changed(run, things):
    id = things.create(n=10, title="a")
    seen = run(
        """
        thing = Thing.create_without_data(arguments["thing"])
        thing.increment("n")
        thing.save(fetch_when_save=True)
        say(n=thing.get("n"))
        """, thing=id,
    )
    assert seen == {"n": 11}


def test_save_where_it_does_not_hold_raises_305(run, things):
    id = things.create(n=1)
    call = "Thing.create_without_data(arguments['thing']).set('n', 5).save(where=Thing.query.greater_than('n', 3))"
    assert run(RAISES.format(call=call), thing=id) == {"raised": 305, "text": "No effect on updating/deleting a document."}
    assert things.read(id) == {"n": 1}


def test_unsaved_children_are_saved_first(run, things):
    seen = run(
        """
        child = Other(name="child")
        thing = Thing(child=child, children=[Other(name="b"), Other(name="c")])
        thing.save()
        say(id=thing.id, child=child.id)
        """
    )
    stored = things.read(seen["id"], include="child,children")
    assert stored["child"]["objectId"] == seen["child"]
    assert [row["name"] for row in (stored["child"], *stored["children"])] == ["child", "b", "c"]


def test_save_all_and_destroy_all(run, things):
    seen = run(
        """
        all = [Thing(n=n) for n in range(3)]
        Thing.save_all(all)
        Thing.destroy_all(all[:2])
        say(ids=[thing.id for thing in all])
        """
    )
    assert things.ids() == {seen["ids"][2]}


def test_destroy(run, things):
    id = things.create()
    run("Thing.create_without_data(arguments['thing']).destroy(); say()", thing=id)
    assert things.get(id).json() == {}


def test_get_of_a_missing_object_has_nothing(run, things):
    things.create()
    assert run("say(existed=Thing.query.get('0' * 24).is_existed())") == {"existed": False}


def test_missing_class_raises_101(run):
    assert run(RAISES.format(call="leancloud.Query('NeverMade').find()"))["raised"] == 101


def test_value_of_another_type_raises_111(run, things):
    things.create(n=1)
    assert run(RAISES.format(call="Thing(n='text').save()"))["raised"] == 111


def test_file_in_an_object_is_a_file(run, things, api):
    record = api.store(b"x", name="x.txt", metaData='{"album":"summer"}')
    seen = run(
        """
        file = leancloud.File.create_without_data(arguments["file"]); file.fetch()
        thing = Thing(file=file)
        thing.save()
        same = Thing.query.get(thing.id).get("file")
        say(id=same.id, name=same.name, url=same.url, album=same.metadata["album"])
        """, file=record["objectId"],
    )
    assert seen == {"id": record["objectId"], "name": "x.txt", "url": record["url"], "album": "summer"}


@pytest.mark.parametrize("include", ["", ".include('files')"])
def test_files_in_a_list_can_be_decoded(run, things, api, include):
    record = api.store(b"x", name="x.txt")
    id = things.create(files=[pointer("_File", record["objectId"])])
    query = f"Thing.query.equal_to('objectId', arguments['thing']){include}"
    seen = run(f"say(ids=[file.id for file in {query}.first().get('files')])", thing=id)
    assert seen == {"ids": [record["objectId"]]}


def test_relation_is_added_queried_and_removed(run, things):
    seen = run(
        """
        others = [Other(n=n) for n in range(3)]
        Other.save_all(others)
        thing = Thing()
        thing.relation("likes").add(others[0], others[1])
        thing.save()
        thing.relation("likes").remove(others[0]); thing.relation("likes").add(others[2])
        thing.save()
        found = Thing.query.get(thing.id).relation("likes").query.ascending("n").find()
        say(id=thing.id, found=[other.get("n") for other in found],
            back=[o.id for o in leancloud.Relation.reverse_query(arguments["name"], "likes", others[2]).find()])
        """
    )
    assert (seen["found"], seen["back"]) == ([1, 2], [seen["id"]])
    assert things.read(seen["id"]) == {"likes": relation(f"{things.name}_other")}


def test_relation_whose_class_is_not_known_yet(run):
    seen = run(
        """
        other = Other(n=5); other.save()
        thing = Thing(); thing.relation("likes").add(other); thing.save()
        bare = Thing.create_without_data(thing.id)
        found = leancloud.Relation(bare, "likes").query.find()
        say(found=[o.get("n") for o in found])
        """
    )
    assert seen == {"found": [5]}


def test_include_and_select(run):
    seen = run(
        """
        top = Other(name="top", color="red"); top.save()
        middle = Other(name="middle", color="green", parent=top); middle.save()
        Thing(title="a", n=1, parent=middle).save()
        thing = Thing.query.include("parent.parent").select("title", "parent.name", "parent.parent.name").first()
        parent = thing.get("parent")
        say(title=thing.get("title"), n=thing.has("n"), parent=parent.get("name"), color=parent.has("color"),
            top=parent.get("parent").get("name"))
        """
    )
    assert seen == {"title": "a", "n": False, "parent": "middle", "color": False, "top": "top"}


def test_fetch_with_include(run, things):
    inner = things.create(name="inner")
    id = things.create(inner=things.pointer(inner), n=1)
    seen = run(
        """
        thing = Thing.create_without_data(arguments["thing"])
        thing.fetch(select=["inner"], include=["inner"])
        say(name=thing.get("inner").get("name"), n=thing.has("n"))
        """, thing=id,
    )
    assert seen == {"name": "inner", "n": False}


def test_query_by_condition_order_and_count(run, things):
    for n in range(6):
        things.create(n=n, even=n % 2 == 0)
    seen = run(
        """
        query = Thing.query.equal_to("even", True).less_than("n", 5).descending("n")
        say(found=[thing.get("n") for thing in query.find()], count=query.count(), first=query.first().get("n"))
        """
    )
    assert seen == {"found": [4, 2, 0], "count": 3, "first": 4}


@pytest.mark.parametrize("scan", ["scan()", "scan(batch_size=3)", "scan(batch_size=3, scan_key='n')"])
def test_scan_gives_each_object_once(run, things, scan):
    things.create(n=0)
    stored = len(things.find())
    for n in range(stored, stored + 6):
        things.create(n=n)
    seen = run(f"say(found=[thing.id for thing in Thing.query.{scan}])", master=ALPHA.master)
    assert sorted(seen["found"]) == sorted(things.ids(limit=1000))


def test_acl_is_saved_and_comes_when_asked_for(run, things):
    seen = run(
        """
        acl = leancloud.ACL()
        acl.set_public_read_access(True)
        acl.set_role_write_access("Editors", True)
        thing = Thing(); thing.set_acl(acl); thing.save()
        without, with_ = (Thing.query.include_acl(value).first().get_acl() for value in (False, True))
        say(without=without is None, read=with_.get_public_read_access(), write=with_.get_public_write_access(),
            role=with_.get_role_write_access("Editors"))
        """
    )
    assert seen == {"without": True, "read": True, "write": False, "role": True}


def test_hidden_and_default_columns(run, things, master):
    describe(master, things, "secret", type="String", hidden=True)
    describe(master, things, "n", type="Number", default=7)
    things.create(secret="s")
    lines = "thing = Thing.query.first(); say(secret=thing.get('secret'), n=thing.get('n'))"
    assert run(lines) == {"secret": None, "n": 7}
    assert run(lines, master=ALPHA.master) == {"secret": "s", "n": 7}


def test_server_time(run):
    seen = run(
        """
        from datetime import datetime, timezone
        say(near=abs((leancloud.client.get_server_time() - datetime.now(timezone.utc)).total_seconds()) < 60)
        """
    )
    assert seen == {"near": True}


def test_fetched_relation_knows_its_class(run, things):
    id = things.create(likes=op("AddRelation", objects=[pointer("Post")]))
    seen = run("say(likes=Thing.query.get(arguments['thing']).get('likes').target_class_name)", thing=id)
    assert seen == {"likes": "Post"}
