"""Upload tokens: a client with a token can upload one file, once; wrong, used and expired tokens are refused."""

import json

import pytest
from client import ALPHA, BETA, assert_refused, eventually
from people import forbidden
from uploading import (
    WAYS, Target, ask, assert_file, assert_kodo_error, assert_no_file, assert_no_internals, assert_xml_error, has_bytes,
    limits, must, noise, own_server, progress, record_of, tokens, url64,
)

DATA, OTHER = noise(5000), noise(5000, "other")
JS = {"X-LC-UA": "LeanCloud-JS-SDK/4.15.3 (Browser)"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    yield from own_server(tmp_path_factory)


@pytest.fixture(scope="module")
def api(server):
    return server.api()


@pytest.fixture(scope="module")
def beta(server):
    return server.api(BETA)


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture
def target(api):
    return ask(api, len(DATA))


# Good ones

def for_javascript(api, size):
    """An upload whose token has the form of Qiniu's."""
    response = api.post("/1.1/fileTokens", json={"name": "x.bin", "metaData": {"size": size}}, headers=JS)
    return Target(api, must(response, 201))


@pytest.mark.parametrize("way", ["put", "form", "v1", "v2", "cos"])
def test_every_dialect_works_on_every_upload_url(api, way):
    for target in (ask(api, len(DATA)), for_javascript(api, len(DATA))):
        assert getattr(target, way)(DATA).status_code == 200
        assert_file(api, target.id, DATA)


@pytest.mark.parametrize("way", ["form", "v1", "v2", "cos"])
def test_both_forms_of_a_token_are_taken(api, way):
    target = for_javascript(api, len(DATA))
    assert target.answer["provider"] == "qiniu"
    bucket, secret, _ = target.token.split(":")
    assert (bucket, secret) == (target.answer["bucket"], target.secret)
    target.token = target.secret
    target.bearer = {"Authorization": f"UpToken {target.secret}"}
    assert getattr(target, way)(DATA).status_code == 200
    assert_file(api, target.id, DATA)


@pytest.mark.parametrize("path, headers", [
    ("/whatever/follows", {}), ("?x=y&sign=wrong", {}), ("/", {}), ("", {"Authorization": "UpToken wrong"}),
    ("", {"Authorization": "AWS4-HMAC-SHA256 Credential=x"}), ("", {"X-LC-Id": ALPHA.id, "X-LC-Key": "wrong-wrong"}),
])
def test_put_needs_nothing_but_its_address(api, target, path, headers):
    assert target.call("PUT", path, DATA, headers).status_code == 200
    assert_file(api, target.id, DATA)


def test_put_needs_no_credentials_and_the_token_s_type_counts(api):
    target = ask(api, name="x.png", mime_type="image/png")
    assert target.put(DATA, Content_Type="text/html").status_code == 200
    assert_file(api, target.id, DATA, mime_type="image/png", name="x.png")


def test_tokens_are_random(api):
    assert len({ask(api).secret for _ in range(30)}) == 30


# Wrong ones

@pytest.mark.parametrize("secret", ["0" * 40, "a" * 39, "a" * 41, "x", "%00" * 40, "..%2f..%2f" + "a" * 30])
def test_unknown_address_of_a_put(target, secret):
    target.path = f"/1.1/upload/{secret}"
    assert_xml_error(target.put(DATA), 404)


@pytest.mark.parametrize("secret", ["0" * 40, "a" * 39, "x"])
def test_unknown_address_of_kodo(target, secret):
    target.path = f"/1.1/upload/{secret}"
    for token in (target.token, secret):
        target.token, target.bearer = token, {"Authorization": f"UpToken {token}"}
        assert_kodo_error(target.form(DATA), 401)
        assert_kodo_error(target.mkblk(DATA), 401)
        assert_kodo_error(target.kodo("POST", target.objects), 401)


WRONG = [
    "", "wrong", "UpToken", "UpToken ", "UpToken wrong", "Bearer {token}", "UpToken {other}", "UpToken x:{other}:y",
    "UpToken {token}x",
]


@pytest.mark.parametrize("authorization", [None, *WRONG])
def test_wrong_token_in_the_header_is_401(api, target, authorization):
    other = ask(api)
    value = authorization and authorization.format(token=target.token, other=other.secret)
    id = target.begin()
    for answer in (
        target.mkblk(DATA, Authorization=value), target.mkfile(0, [], Authorization=value),
        target.kodo("POST", target.objects, Authorization=value), target.part(id, 1, DATA, Authorization=value),
        target.finish(id, [(1, "x")], Authorization=value),
        target.kodo("DELETE", f"{target.objects}/{id}", Authorization=value),
    ):
        assert_kodo_error(answer, 401)
    assert_no_file(api, target)
    assert_no_file(api, other)
    assert target.put(DATA).status_code == 200


@pytest.mark.parametrize("token", [None, "", "wrong", "a:b:c", "other", "bucket:other:policy"])
def test_wrong_token_in_the_form_is_401(api, target, token):
    other = ask(api)
    value = token and token.replace("other", other.secret)
    assert_kodo_error(target.form(DATA, {"token": value}), 401)
    assert_no_file(api, target)
    assert_no_file(api, other)
    assert target.form(DATA).status_code == 200


def test_wrong_token_of_the_cos_form_uploads_nothing(api, target):
    for token in ("wrong", ask(api).token):
        response = target.cos(DATA, token)
        assert 400 <= response.status_code < 500
        assert_no_internals(response)
    assert_no_file(api, target)


@pytest.mark.smoke
def test_wrong_key_in_the_form_is_refused(api, target):
    assert_kodo_error(target.form(DATA, {"key": "another.bin"}), 400)
    assert_no_file(api, target)


def test_token_of_another_upload_in_the_path_uploads_that_one(api, target):
    """A PUT believes the address alone."""
    other = ask(api, len(DATA))
    assert other.call("PUT", data=DATA, headers=target.bearer).status_code == 200
    assert_file(api, other.id, DATA)
    assert_no_file(api, target)


# Spent ones

def test_same_bytes_put_again_are_answered_alike(api, target):
    first, again = target.put(DATA), target.put(DATA)
    assert [answer.status_code for answer in (first, again)] == [200, 200]
    assert first.headers["ETag"] == again.headers["ETag"]
    assert_file(api, target.id, DATA)


@pytest.mark.parametrize("data", [OTHER, DATA[:-1], b""])
def test_other_bytes_put_again_are_409(api, data):
    target = ask(api)
    target.put(DATA)
    assert_xml_error(target.put(data), 409)
    assert_file(api, target.id, DATA)


@pytest.mark.each_value
@pytest.mark.parametrize("first", ["put", "form", "v1", "v2", "cos"])
@pytest.mark.parametrize("again", ["form", "v1", "v2", "cos"])
def test_spent_token_changes_no_file(api, first, again):
    target = ask(api)
    assert getattr(target, first)(DATA).status_code == 200
    getattr(target, again)(OTHER)
    assert assert_file(api, target.id, DATA)["key"] == target.key


def test_spent_token_of_kodo_is_614_for_other_bytes(target):
    must(target.form(DATA))
    assert_kodo_error(target.form(OTHER), 614)


def test_refused_bytes_after_the_end_leave_nothing(server, target):
    target.put(DATA)
    target.put(OTHER)
    target.form(OTHER)
    assert eventually(lambda: not has_bytes(server, target.id))


# Given up

def test_upload_that_was_given_up_takes_nothing(server, api, target):
    id = target.begin()
    target.part(id, 1, DATA)
    response = target.callback(False)
    assert (response.status_code, response.json()) == (200, {})
    assert_xml_error(target.put(DATA), 404)
    for answer in (target.form(DATA), target.mkblk(DATA), target.kodo("POST", target.objects)):
        assert_kodo_error(answer, 401)
    assert_no_file(api, target)
    assert_refused(target.progress(), 404, 101)
    assert eventually(lambda: not has_bytes(server, target.id))


def test_giving_up_stops_a_connection_that_sends(server, api, target):
    with target.start("PUT", "", DATA[:1000], len(DATA)) as connection:
        assert eventually(lambda: target.received == 1000)
        assert target.callback(False).json() == {}
        assert connection.answer_or_end() in (401, 403, 404, 409, None)
    assert_no_file(api, target)
    assert eventually(lambda: not has_bytes(server, target.id))


def test_finished_upload_cannot_be_given_up(api, target):
    target.put(DATA)
    assert target.callback(False).json() == {}
    assert_file(api, target.id, DATA)


def test_success_that_nobody_saw_is_ignored(api, target):
    assert target.callback(True).json() == {}
    assert_no_file(api, target)
    assert target.put(DATA).status_code == 200
    assert target.callback(True).json() == {}
    assert_file(api, target.id, DATA)


def test_success_of_an_empty_file_makes_it(api):
    target = ask(api, 0)
    for _ in range(2):
        assert target.callback(True).json() == {}
        assert_file(api, target.id, b"")


def test_success_of_unknown_size_makes_nothing(api):
    target = ask(api)
    assert target.callback(True).json() == {}
    assert_no_file(api, target)


@pytest.mark.parametrize("body", [
    {}, {"token": None, "result": True}, {"token": "unknown", "result": False}, {"token": "0" * 40, "result": False},
    {"token": 5, "result": "x"}, {"result": False}, {"token": "a:b:c", "result": True},
])
def test_callback_is_answered_alike_whatever_it_says(api, body):
    response = api.post("/1.1/fileCallback", json=body)
    assert (response.status_code, response.json()) == (200, {})


def test_callback_of_another_app_gives_nothing_up(api, beta, target):
    response = target.callback(False, beta)
    assert (response.status_code, response.json()) == (200, {})
    assert target.put(DATA).status_code == 200
    assert_file(api, target.id, DATA)


def test_callback_of_another_app_makes_no_empty_file(api, beta):
    target = ask(api, 0)
    assert target.callback(True, beta).json() == {}
    assert_no_file(api, target)


def test_callback_needs_credentials(server, target):
    wrong = server.api()
    wrong.headers = {"X-LC-Id": ALPHA.id, "X-LC-Key": BETA.key}
    assert_refused(target.callback(False, wrong), 401, 401)
    assert target.put(DATA).status_code == 200


def test_token_needs_credentials(server):
    wrong = server.api()
    wrong.headers = {"X-LC-Id": ALPHA.id, "X-LC-Key": BETA.key}
    assert_refused(tokens(wrong), 401, 401)


def test_file_of_a_token_belongs_to_its_app(api, beta):
    target = ask(beta, len(DATA))
    assert target.put(DATA).status_code == 200
    assert record_of(api, target.id) is None
    assert_file(beta, target.id, DATA)


# Old ones

@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """A server that waits a second for the first byte."""
    yield from own_server(tmp_path_factory, startTimeout=1, sweepInterval=1)


@pytest.mark.extended
def test_expired_token_takes_nothing(hasty):
    target = ask(hasty.api(), len(DATA))
    assert eventually(lambda: target.progress().status_code == 404)
    assert_xml_error(target.put(DATA), 404)
    for answer in (target.form(DATA), target.mkblk(DATA), target.kodo("POST", target.objects)):
        assert_kodo_error(answer, 401)
    assert target.callback(True).json() == {}
    assert_no_file(hasty.api(), target)


# Who ends it

@pytest.mark.parametrize("way", ["put", "form", "v1", "v2", "cos"])
def test_caller_who_may_not_create_any_more_ends_nothing(api, rules, way):
    target = ask(api, len(DATA))
    rules.set("_File", create=["users"])
    response = getattr(target, way)(DATA)
    assert response.status_code == 403
    assert_no_internals(response)
    assert_no_file(api, target)
    rules.set("_File", create=["everyone"])
    assert_no_file(api, target)


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("form", "raw")])
def test_caller_who_may_not_create_begins_nothing(api, rules, way):
    rules.set("_File", create=["users"])
    _, response = WAYS[way](api, DATA)
    assert (response.status_code, response.json()) == (403, forbidden("create", "_File"))


# What refusals look like

def test_unknown_route_of_kodo_is_404(target):
    for path in ("/mkblk", "/nothing", "/mkfile", f"/buckets/x/objects/{url64('x')}"):
        assert_kodo_error(target.kodo("POST", path), 404)


def test_form_that_is_none_is_400(target):
    for body, type in ((b"", "multipart/form-data"), (b"x", "multipart/form-data; boundary=b"), (b"{}", "application/json")):
        assert_kodo_error(target.call("POST", data=body, headers={"Content-Type": type}), 400)


def test_form_without_a_file_is_400(api, target):
    parts = [("key", (None, target.key)), ("token", (None, target.token))]
    assert_kodo_error(target.call("POST", files=parts), 400)
    assert_no_file(api, target)


@pytest.mark.extended
def test_put_over_the_limit_is_413_in_xml(new_server):
    server = new_server(**limits(maxSize="1KB")).start()
    target = ask(server.api())
    assert_xml_error(target.put(DATA), 413)
    assert_kodo_error(target.form(DATA), 413)
    assert_kodo_error(target.v1(DATA), 413)
    assert_kodo_error(target.part(target.begin(), 1, DATA), 413)
    assert_no_file(server.api(), target)


def test_progress_of_a_token_is_json_without_the_token(target):
    response = progress(target.server, target.secret)
    assert target.secret not in response.text
    assert json.loads(response.text)["objectId"] == target.id
