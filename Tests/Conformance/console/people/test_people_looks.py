"""The area People for all its readers: rules of accessibility, both languages, both colour schemes, a narrow window."""

import pytest
from accessibility import without_focus_ring
from accounts import new_phone, sign_up, unique
from data import Objects, describe
from looks import LOOKS, Looks
from people import Role, permit
from pictures import encoded, plain


@pytest.fixture(scope="module")
def gallery(console_server):
    """A user with everything, roles in roles, and a class with permissions."""
    api, master = console_server.api(), console_server.api(master=True)
    name = unique("Ann")
    ann = sign_up(
        api, username=name, email=f"{name}@example.org", mobilePhoneNumber=new_phone(), bio="long words " * 20,
        authData={"weixin": {"openid": "o1", "access_token": "x"}},
    )
    ann.api.store(encoded(plain(64, 48)), f"{'a-long-name-' * 8}.png", "image/png")
    ann.api.store(b"words", "notes.txt", "text/plain")
    posts = Objects(master, unique("Post"))
    describe(master, posts, "author", type="Pointer", className="_User")
    posts.create(author=ann.pointer)
    low = Role(master, users=[ann], name=unique("AA low "))
    top = Role(master, roles=[low], name=unique("AA top "))
    low.add(roles=[top])
    permit(master, posts.name, delete=[low.subject, f"user:{ann.id}"], update=[])
    return ann, low, posts


@pytest.mark.extended
@LOOKS
def test_every_view_obeys_the_rules(people, browser, gallery, language, scheme, width):
    ann, role, posts = gallery
    looks = Looks(browser, "people", language, scheme, width)
    people.enter("users", language=language)
    browser.find(".people-users tbody a")
    looks.at("users")
    people.go("user", ann.id).heading(ann.username)
    browser.find(".people-files img")
    browser.find(".people-sessions td")
    browser.find(".people-roles li")
    browser.find(".people-belongings .people-list a")
    looks.at("user")
    browser.click(".people-sessions > div > button.danger")
    looks.at("question")
    people.refuse()
    people.go("roles", role.id).heading(role.name)
    browser.find(".people-beside li a", ann.username)
    browser.run("arguments[0].focus()", browser.find("[role=treeitem][tabindex='0']"))
    for summary in browser.all(".people-beside summary"):
        summary.click()
    browser.wait(lambda: len(browser.all("[role=option]")) >= 2, "no search")
    looks.at("role")
    browser.click(".people-side > button")
    looks.at("new-role")
    people.refuse()
    people.go("permissions", posts.name).heading(posts.name)
    browser.run("arguments[0].focus()", browser.find(".people-matrix input"))
    assert not without_focus_ring(browser)
    boxes = browser.all(".people-matrix tbody tr:nth-child(5) input")
    boxes[0].click()
    boxes[2].click()
    looks.at("matrix")
    assert looks.broken == {}
    assert people.errors() == []
