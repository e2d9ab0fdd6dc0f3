"""What no answer shows: passwords, tokens, and the platforms of others."""

import pytest
from data import Objects, batch, texts
from people import PASSWORD, Person, unique


@pytest.fixture
def person(server):
    return Person(server)


SECRET = {"password", "_password", "salt", "bcryptPassword", "_token", "token", "_hashed_password"}


def names(value):
    """All names inside a value."""
    if isinstance(value, list):
        return set().union(*map(names, value))
    if isinstance(value, dict):
        return set(value).union(*map(names, value.values()))
    return set()


def assert_secret(response, *allowed):
    assert response.status_code in (200, 201), response.text
    assert not names(response.json()) & (SECRET | {"sessionToken"}) - set(allowed)
    assert PASSWORD not in response.text


ASKING = {"keys": "username,password,_password,salt,sessionToken,_token,authData", "returnACL": "true", "include": "password"}


@pytest.mark.parametrize("params", [{}, ASKING, {"keys": "-username"}], ids=["all", "named", "without"])
@pytest.mark.parametrize("caller", ["guest", "owner", "other", "master"])
def test_no_way_of_reading_shows_a_secret(cast, caller, params):
    api, id = cast[caller], cast.owner.id
    assert_secret(api.get(f"/1.1/users/{id}", params=params))
    assert_secret(batch(api, {"method": "GET", "path": f"/1.1/users/{id}", "params": params}))
    notes = Objects(api, "fields_Note")
    note = notes.create(author=cast.owner.pointer, all=[cast.owner.pointer])
    included = {"keys": "author.password,author._password,all"} if params else {}
    assert_secret(notes.get(note, include="author,all", **included))
    if caller != "guest":
        assert_secret(api.get("/1.1/users", params=params | texts({"where": {"objectId": id}})))


@pytest.mark.parametrize("path", ["/1.1/scan/classes/_User", "/1.1/scan/classes/_Session", "/1.1/classes/_Session"])
def test_operator_is_shown_no_secret(cast, path):
    assert_secret(cast.master.get(path, params={"limit": 1000}))
    assert_secret(cast.master.get(path, params={"limit": 1000} | ASKING))
    assert cast.owner.token not in cast.master.get(path, params={"limit": 1000}).text


@pytest.mark.parametrize("query", ["", "?new=true"])
def test_answer_to_a_change_shows_no_secret(person, master, query):
    path = f"/1.1/users/{person.id}{query}"
    assert_secret(person.call("PUT", path, json={"city": "Lyon"}))
    assert_secret(master.call("PUT", path, json={"password": PASSWORD, "city": "Lyon"}))


@pytest.mark.parametrize("query", ["", "?new=true"])
def test_answer_to_a_new_password_shows_the_token_alone(person, query):
    response = person.call("PUT", f"/1.1/users/{person.id}{query}", json={"password": PASSWORD, "city": "Lyon"})
    assert_secret(response, "sessionToken")
    assert response.json()["sessionToken"] != person.token


def test_answers_to_sign_up_and_log_in_show_the_token_alone(api):
    fields = {"username": unique("fields"), "password": PASSWORD}
    for path in ("/1.1/users?fetchWhenSave=true", "/1.1/login", "/1.1/login?fetchWhenSave=true"):
        assert_secret(api.post(path, json=fields), "sessionToken")


def test_schema_names_no_secret(master):
    assert not SECRET & set(master.get("/1.1/schemas/_User").json())


@pytest.mark.parametrize("caller", ["guest", "other"])
def test_platforms_of_a_user_are_shown_to_nobody_else(cast, server, caller):
    person = Person(server)
    assert person.call("PUT", f"/1.1/users/{person.id}", json={"authData": {"github": {"uid": unique("u")}}}).status_code == 200
    assert "authData" not in cast[caller].get(f"/1.1/users/{person.id}").json()
    notes = Objects(cast[caller], "fields_Note")
    id = notes.create(author=person.pointer)
    assert "authData" not in notes.read(id, include="author")["author"]
    assert "authData" not in notes.read(id, include="author", keys="author.authData")["author"]
