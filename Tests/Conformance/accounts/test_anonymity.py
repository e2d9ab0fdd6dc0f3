"""Anonymous users are so no more once any platform is linked, whatever its name and whatever is sent along."""

import pytest
from accounts import join, unique, user_of
from data import batch
from identities import data_of

# Names before and after `anonymous`, by bytes and by letters.
PLATFORMS = ["Alipay", "alipay", "anonymous2", "Anonymous", "github", "ZZZ", "zzz", "a"]


@pytest.fixture
def nobody():
    return data_of("anonymous")


@pytest.fixture
def anonymous(api, nobody):
    return user_of(api, join(api, nobody))


@pytest.fixture(params=PLATFORMS)
def data(request):
    return {request.param: {"uid": unique("id"), "access_token": "t"}}


def dotted(data):
    return {f"authData.{platform}": values for platform, values in data.items()}


FORMS = {
    "members": lambda nobody, data: {"authData": data}, "dotted": lambda nobody, data: dotted(data),
    "all": lambda nobody, data: {"authData": nobody | data},
    "all, the other way": lambda nobody, data: {"authData": data | nobody},
    "both dotted": lambda nobody, data: dotted(data) | dotted(nobody),
}


def assert_known(api, user, nobody, data):
    """The user is that of the platform, and nobody's data is free."""
    assert user.read()["authData"] == data
    assert user_of(api, join(api, data), 200).id == user.id
    assert user_of(api, join(api, nobody)).id != user.id


@pytest.mark.few(5)
@pytest.mark.parametrize("form", FORMS)
def test_any_platform_that_is_linked_ends_anonymity(api, anonymous, nobody, data, form):
    response = anonymous.change(FORMS[form](nobody, data), new="true")
    assert (response.status_code, response.json()["authData"]) == (200, data)
    assert_known(api, anonymous, nobody, data)


def test_reply_to_a_name_and_a_password_has_the_data_without_anonymity(anonymous):
    name = unique()
    body = anonymous.change({"username": name, "password": "p4ss"}, new="true").json()
    assert (body["username"], body["authData"]) == (name, {})


@pytest.mark.few(2)
def test_any_platform_that_is_linked_in_a_batch_ends_anonymity(api, anonymous, nobody, data):
    item = {"method": "PUT", "path": anonymous.path, "body": {"authData": nobody | data}}
    assert set(batch(anonymous.api, item).json()[0]) == {"success"}
    assert_known(api, anonymous, nobody, data)


@pytest.mark.few(2)
def test_log_in_with_any_platform_beside_ends_anonymity(api, anonymous, nobody, data):
    response = join(api, nobody | data)
    assert user_of(api, response, 200).id == anonymous.id
    assert response.json()["authData"] == data
    assert_known(api, anonymous, nobody, data)


@pytest.mark.few(2)
def test_somebody_known_does_not_become_anonymous(api, nobody, data):
    user = user_of(api, join(api, data))
    assert user.change({"authData": nobody}).status_code == 200
    assert_known(api, user, nobody, data)
