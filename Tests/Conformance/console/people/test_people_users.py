"""Users in the area People: found, looked at, logged out, deleted."""

import pytest
from accounts import User, is_live, join, log_in, new_phone, sessions, sign_up, unique, user_of
from client import ALPHA
from data import Objects, describe
from people import CHOSEN, Role
from people_area import import_users
from pictures import encoded, plain


@pytest.fixture(scope="module")
def api(console_server):
    return console_server.api()


@pytest.fixture
def ann(api):
    """A user with a mail address and a phone number."""
    name = unique("Ann")
    return sign_up(api, username=name, email=f"{name}@example.org", mobilePhoneNumber=new_phone(), city="Lyon")


def photo(user, name):
    """Stores an image as the user; returns its id."""
    return user.api.store(encoded(plain(64, 48)), name, "image/png")["objectId"]


@pytest.mark.extended
def test_a_stranger_finds_the_photo_of_a_user(people, browser, ann):
    id = photo(ann, "holiday.png")
    people.console.enter()
    people.press("People", "nav.areas").search(ann.username[:12].lower()).shows(ann.username).press(ann.username)
    people.heading(ann.username)
    browser.find(".people-files img")
    people.press("holiday.png")
    browser.find("dialog.files-dialog h2", "holiday.png")
    assert id in browser.run("return location.hash")


@pytest.mark.extended
def test_users_are_found_by_each_of_their_names(people, api, ann):
    sign_up(api)
    fields = ann.read(people.master)
    number = fields["mobilePhoneNumber"]
    people.enter("users")
    for text in [ann.username, fields["email"][1:], ann.id, f"{number[:5]} {number[5:]}"]:
        people.search(f"{text}0").browser.find(".people-state", "No user matches")
        people.search(text).shows(ann.username)
    people.search(".*").browser.find(".people-state", "No user matches “.*”.")


@pytest.mark.extended
def test_the_list_has_pages_with_the_newest_users_first(people, browser):
    word = unique("paged")
    users = [f"{word}{number:02}" for number in range(52)]
    import_users(people.master, users)
    people.enter("users", "1", word).shows(*reversed(users[2:]))
    browser.find(".people-state", "52 users")
    people.press("Next page").shows(users[1], users[0])
    browser.driver.refresh()
    people.shows(users[1], users[0]).press("Previous page").shows(*reversed(users[2:]))


@pytest.mark.extended
def test_the_page_of_a_user_has_its_facts_and_no_secret(people, browser, ann):
    # An object with a member `toString` cannot become a string in JavaScript.
    odd = {"uid": "u", "openid": {"toString": 1}, "access_token": "x"}
    platform = {"authData": {"github": {"uid": "octo1", "access_token": "hush-token"}, "odd": odd}}
    assert ann.change(platform, by=people.master).status_code == 200
    people.enter("user", ann.id).heading(ann.username)
    facts = browser.find("main").text
    for text in [ann.read(people.master)["mobilePhoneNumber"], "not verified", "github octo1", "Lyon", ann.id]:
        assert text in facts
    assert "hush-token" not in browser.driver.page_source
    assert ann.token not in browser.driver.page_source


@pytest.mark.extended
def test_files_and_objects_of_a_user_are_linked(people, browser, ann):
    id = photo(ann, "mine.png")
    assert ann.change({"avatar": {"__type": "File", "id": id}}).status_code == 200
    posts = Objects(people.master, unique("Post"))
    describe(people.master, posts, "author", type="Pointer", className="_User")
    posts.create(author=ann.pointer)
    people.enter("user", ann.id).heading(ann.username)
    browser.find(f".people-files a[href='#/files/file/{id}']", "avatar: mine.png")
    people.press(f"Objects of {posts.name} whose author is this user: 1")
    browser.find(".data-state", "Objects: 1")
    people.go("user", ann.id).press("All files of this user")
    browser.find(".files-tile[title='mine.png']")
    assert browser.find(".files-count").text.startswith("1 ")
    people.press("Show the files of all users")
    browser.wait(lambda: browser.run("return location.hash") == "#/files", "the filter is still in the address")


@pytest.mark.extended
def test_one_session_is_ended_and_then_all(people, browser, api):
    """An imported session stays valid beside that of the log-ins, so this user has two."""
    id, name, data = unique("")[:24], unique("Ivy"), {"github": {"uid": unique("uid")}}
    imported = {"objectId": id, "username": name, "sessionToken": CHOSEN, "authData": data}
    assert people.master.post("/1.1/users", json=imported).status_code == 201
    own = user_of(api, join(api, data), 200).token
    people.enter("user", id).heading(name)
    browser.find(".people-sessions [role=status]", "2 sessions")
    newest = sessions(people.master, User(id, own, name, api))[-1]["objectId"]
    people.named(f"End the session {newest}")
    assert f"End this session of {name}?" in people.agree()
    people.notice("1 session has ended.")
    browser.find(".people-sessions [role=status]", "1 session")
    assert [is_live(api, token) for token in (CHOSEN, own)] == [True, False]
    people.press("End all sessions")
    assert "Sessions that end: 1." in people.agree()
    browser.find(".people-sessions [role=status]", "This user has no session")
    assert not is_live(api, CHOSEN)


@pytest.mark.extended
def test_another_password_ends_the_sessions_of_a_user(people, browser, api, ann):
    people.enter("user", ann.id).heading(ann.username).press("Set a password")
    browser.fill("dialog input[type=password]", "another password")
    browser.click("dialog button.primary")
    people.notice(f"{ann.username} has a new password.")
    browser.find(".people-sessions [role=status]", "This user has no session")
    assert not is_live(api, ann.token)
    assert log_in(api, "another password", username=ann.username).status_code == 200


@pytest.mark.extended
def test_a_user_is_deleted_after_a_question_that_names_it(people, browser, ann):
    people.enter("user", ann.id).heading(ann.username).press("Delete this user").question()
    assert browser.focused.text == "Cancel"
    people.refuse()
    assert ann.read(people.master)["username"] == ann.username
    people.press("Delete this user")
    assert f"({ann.id}) is deleted" in people.agree()
    people.notice(f"The user {ann.username} was deleted.")
    browser.find(".people-users")
    people.search(ann.username).browser.find(".people-state", "No user matches")


@pytest.mark.extended
def test_an_unknown_user_is_said_to_be_unknown(people, ann):
    people.enter("user", "0" * 24).heading("There is no user with this ID.")
    people.go("users").browser.find(".people-users")
    people.go("user", "..").heading("There is no user with this ID.")
    people.go("constructor").browser.find(".people-users")


@pytest.mark.extended
def test_a_user_is_added_to_a_role_and_has_the_rights_of_others_by_it(people, browser, ann):
    outer = Role(people.master)
    inner = Role(people.master)
    outer.add(roles=[inner])
    people.enter("user", ann.id).heading(ann.username)
    browser.find(".people-roles", "in no role")
    people.pick("Add the user to a role", inner.name)
    browser.find(".people-roles [role=status]", "2 roles")
    assert [row.text.split("\n")[:2] for row in browser.all(".people-roles .people-list li")] == [
        [inner.name, "in the role"], [outer.name, "through another role"],
    ]
    people.named(f"Remove the user from {inner.name}").agree()
    browser.find(".people-roles", "in no role")


def test_a_reader_sees_a_user_and_changes_nothing(people, browser, ann):
    people.enter("user", ann.id, key=ALPHA.reader).heading(ann.username)
    browser.find(".people-sessions td")
    shown = [node.text for node in browser.all("main button, main summary") if node.is_displayed()]
    assert shown == []
    assert people.errors() == []
