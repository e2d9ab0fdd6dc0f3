"""Files that are elsewhere: records with a URL and no bytes, as each SDK makes them."""

import json
from urllib.parse import quote, urljoin, urlsplit

import pytest
from batches import answers, post, save
from client import ALPHA, TIMEOUT, assert_refused, credentials
from data import ID, MISSING, TIME, Objects, assert_400, batch, op, send, texts
from elsewhere import LOGO, Elsewhere, link, record
from people import (
    ALLOWED, BOTH, CALLERS, NO_READING, READ, assert_forbidden, forbidden, no_writing, one_of_each, refusal, unique,
)
from scans import flat, walk

SOURCE = {"__source": "external"}
PUBLIC = {"*": BOTH}
BODY = {"name": "logo.png", "url": LOGO}


@pytest.fixture(scope="module")
def files(master):
    """File records, as the operator sees them."""
    return Objects(master, "_File")


@pytest.fixture(scope="module")
def listener():
    """An address that would notice every connection."""
    elsewhere = Elsewhere()
    yield elsewhere
    elsewhere.close()


def create(api, path="files", **fields):
    return api.post(f"/1.1/{path}", json=BODY | fields)


# The shapes of the SDKs

SHAPES = {
    "curl": ("files", {"name": "logo.png", "url": LOGO, "mime_type": "image/png"}),
    "JavaScript": ("files", {
        "name": "logo.png", "ACL": PUBLIC, "metaData": SOURCE | {"owner": "unknown", "size": 0}, "url": LOGO,
    }),
    "Python": ("files", {
        "name": "logo.png", "ACL": None, "metaData": SOURCE | {"owner": "unknown"}, "mime_type": "image/png",
        "url": LOGO,
    }),
    "PHP": ("files", {
        "name": "logo.png", "ACL": None, "metaData": SOURCE | {"owner": "unknown", "size": 0}, "mime_type": None,
        "url": LOGO, "__type": "File",
    }),
    "Objective-C": ("files", {
        "name": "logo.png", "url": LOGO, "mime_type": "image/png", "metaData": SOURCE, "__type": "File",
        "className": "_File", "ACL": PUBLIC,
    }),
    "C#": ("files", {"__type": "File", "name": "logo.png", "url": LOGO, "metaData": {"size": 0}, "ACL": PUBLIC}),
    "Go": ("files", {"__type": "File", "name": "logo.png", "mime_type": "image/png", "metaData": SOURCE | {"size": 0}}),
    "Swift": ("files", {"name": "logo.png", "url": LOGO, "metaData": SOURCE, "ACL": PUBLIC}),
    "Java": ("classes/_File?fetchWhenSave=false", {
        "name": "logo.png", "url": LOGO, "mime_type": "image/png", "metaData": SOURCE | {"_name": "logo.png"},
    }),
    "Flutter": ("classes/_File", {
        "name": "logo.png", "url": LOGO, "metaData": SOURCE, "__type": "File", "ACL": PUBLIC,
    }),
    "Objective-C's class": ("classes/_file", {"name": "logo.png", "url": LOGO, "metaData": SOURCE}),
}
PATHS = ["files", "classes/_File", "classes/_file", "classes/files"]


@pytest.mark.few(2)
@pytest.mark.parametrize("path, fields", SHAPES.values(), ids=SHAPES)
def test_shape_of_each_sdk_makes_the_record(api, server, path, fields):
    response = api.post(f"/1.1/{path}", json=fields)
    assert response.status_code == 201, response.text
    id = response.json()["objectId"]
    assert urljoin(server.url, response.headers["Location"]) == f"{server.url}/1.1/classes/_File/{id}"
    made = record(api, id)
    expected = {"name": "logo.png", "url": fields.get("url"), "mime_type": fields.get("mime_type")}
    assert {name: made.get(name) for name in expected} == expected
    assert made["metaData"].items() >= (fields.get("metaData") or {}).items()


@pytest.mark.smoke
def test_answer_has_what_every_sdk_reads(api):
    answer = create(api, mime_type="image/png").json()
    assert ID.fullmatch(answer["objectId"]) and TIME.fullmatch(answer["createdAt"])
    assert answer == BODY | {
        "mime_type": "image/png", "objectId": answer["objectId"], "createdAt": answer["createdAt"],
    }


def test_answer_names_no_type_where_none_was_given(api):
    assert set(create(api).json()) == {"objectId", "createdAt", "url", "name"}


def test_go_without_a_url_gets_a_record_without(api):
    path, fields = SHAPES["Go"]
    answer = api.post(f"/1.1/{path}", json=fields).json()
    assert {"objectId", "createdAt"} <= set(answer)
    assert "url" not in answer and "url" not in record(api, answer["objectId"])


def test_url_that_is_null_counts_as_none(api):
    response = create(api, url=None)
    assert response.status_code == 201, response.text
    assert "url" not in record(api, response.json()["objectId"])


@pytest.mark.parametrize("more", [{}, {"mime_type": "image/png"}, {"metaData": SOURCE | {"size": 0}, "ACL": PUBLIC}],
                         ids=["url alone", "with a type", "with metaData"])
def test_old_javascript_posts_under_the_name_and_gets_the_whole_record(api, more):
    response = api.post("/1.1/files/logo.png", json={"name": "logo.png", "url": LOGO} | more)
    assert response.status_code == 201, response.text
    made = response.json()
    assert (made["name"], made["url"]) == ("logo.png", LOGO)
    assert made == record(api, made["objectId"])


def test_old_javascript_in_a_browser_posts_through_the_tunnel(api):
    keys = {"_ApplicationId": ALPHA.id, "_ApplicationKey": ALPHA.key, "_ClientVersion": "js0.5.0"}
    body = json.dumps(keys | {"name": "logo.png", "url": LOGO, "metaData": SOURCE})
    response = api.session.post(
        f"{api.server.url}/1.1/files/logo.png", data=body, headers={"Content-Type": "text/plain"}, timeout=TIMEOUT
    )
    assert response.status_code == 201, response.text
    made = record(api, response.json()["objectId"])
    assert (made["url"], made["metaData"]["__source"]) == (LOGO, "external")
    assert not [name for name in made if name.startswith("_")]


@pytest.mark.parametrize("path", ["/1.1/files", "/1.1/classes/_File", "/classes/_File", "/1.1/classes/_file"])
@pytest.mark.parametrize("method", ["POST", "post"])
def test_file_is_made_in_a_batch(api, method, path):
    made, = answers(batch(api, {"method": method, "path": path, "body": BODY | {"metaData": SOURCE}}))
    assert record(api, made["success"]["objectId"])["url"] == LOGO


def test_swift_saves_the_file_of_an_object_with_it(api):
    notes = Objects(api, "external_Note")
    saved = answers(save(
        api,
        {"method": "post", "path": "/1.1/classes/_File", "new": True, "body": BODY | {"__internalId": "F"}},
        {"method": "post", "path": notes.path, "new": True, "body": {
            "title": "a", "__internalId": "N", "__children": [{"className": "_File", "cid": "F", "key": "logo"}],
        }},
    ))
    id = saved["F"]["objectId"]
    assert record(api, id)["url"] == LOGO
    seen = notes.read(saved["N"]["objectId"])["logo"]
    assert (seen["objectId"], seen["url"]) == (id, LOGO)


def test_bad_file_of_a_saved_object_saves_nothing(api, files):
    name, notes = f"{unique('logo')}.png", Objects(api, "external_Note")
    before = notes.count()
    assert_400(save(
        api, post(notes, {"title": "a", "__internalId": "N"}, new=True),
        post(files, {"name": name, "url": "ftp://elsewhere.example.org/x", "__internalId": "F"}, new=True),
    ), "url")
    assert (notes.count(), files.count(name=name)) == (before, 0)


def test_bad_file_of_a_batch_leaves_the_others(api):
    bodies = [BODY, BODY | {"url": "ftp://elsewhere.example.org/x"}, BODY]
    seen = answers(batch(api, *[{"method": "POST", "path": "/1.1/files", "body": body} for body in bodies]))
    assert [list(item) for item in seen] == [["success"], ["error"], ["success"]]
    assert "url" in seen[1]["error"]["error"]


def test_python_sdk_saves_a_file_that_is_elsewhere(sdk, api):
    said = sdk("""
        file = leancloud.File.create_with_url("logo.png", arguments["url"])
        file.save()
        again = leancloud.File.create_without_data(file.id)
        again.fetch()
        say(id=file.id, url=again.url, name=again.name)
    """, url=LOGO)
    assert (said["url"], said["name"]) == (LOGO, "logo.png")
    assert record(api, said["id"])["metaData"]["__source"] == "external"


# The record

def test_record_is_whole_and_exact(api):
    acl = {"*": READ}
    answer = create(api, mime_type="image/png", metaData={"width": 4, "owner": "me", "size": 0}, ACL=acl).json()
    assert record(api, answer["objectId"]) == BODY | {
        "objectId": answer["objectId"], "createdAt": answer["createdAt"], "updatedAt": answer["createdAt"],
        "mime_type": "image/png", "metaData": SOURCE | {"width": 4, "owner": "me", "size": 0},
    }


@pytest.mark.parametrize("field", ["bucket", "provider", "key"])
@pytest.mark.parametrize("path", ["files", "classes/_File"])
def test_record_has_nothing_of_stored_bytes(api, path, field):
    id = link(api, mime_type="image/png")
    seen, = api.get(f"/1.1/{path}", params=texts({"where": {"objectId": id}})).json()["results"]
    assert field not in seen and field not in api.get(f"/1.1/{path}/{id}").json()


@pytest.mark.parametrize("given", [None, {}, {"__source": "internal"}, {"__source": None}, {"size": 5}], ids=str)
def test_source_is_external_whatever_was_said(api, given):
    fields = {} if given is None else {"metaData": given}
    assert record(api, link(api, **fields))["metaData"]["__source"] == "external"


@pytest.mark.parametrize("given", [None, "", "image", "a/b\r\nX-Evil: 1"], ids=ascii)
def test_type_that_was_not_given_or_is_none_is_absent(api, given):
    assert "mime_type" not in record(api, link(api, mime_type=given))


def test_type_is_not_guessed(api):
    assert "mime_type" not in record(api, link(api, name="photo.jpg"))


def test_acl_is_shown_to_those_who_ask(api):
    id = link(api, ACL={"*": READ})
    assert api.get(f"/1.1/files/{id}", params={"returnACL": "true"}).json()["ACL"] == {"*": READ}
    assert "ACL" not in record(api, id)


def test_several_files_may_have_one_url_or_none(api):
    ids = [link(api) for _ in range(2)] + [link(api, url=None) for _ in range(2)]
    assert len(set(ids)) == 4
    assert [record(api, id).get("url") for id in ids] == [LOGO, LOGO, None, None]


def test_files_of_another_app_are_apart(api, beta):
    assert_refused(beta.get(f"/1.1/files/{link(api)}"), 404, 101)


@pytest.mark.parametrize("name", ["照片 一.png", "a+b&c=d.png", "😀.png", "no extension", "n" * 255],
                         ids=lambda name: ascii(name[:9]))
def test_name_is_kept(api, name):
    assert record(api, link(api, name=name))["name"] == name


BAD_NAMES = ["a/b.png", "a\\b.png", "..", ".", "a\nb", "a\x01b", "a\x7f", "a\u2028b", "n" * 256, "名" * 86]


@pytest.mark.parametrize("url", [LOGO, "https://elsewhere.example.org", "https://elsewhere.example.org/a%2Fb"])
def test_file_without_a_name_gets_one(api, url):
    response = api.post("/1.1/files", json={"url": url})
    assert response.status_code == 201, response.text
    name = record(api, response.json()["objectId"])["name"]
    assert name and "/" not in name


@pytest.mark.few(2)
@pytest.mark.parametrize("path", ["files", "classes/_File"])
@pytest.mark.parametrize("name", BAD_NAMES, ids=lambda name: ascii(name[:9]))
def test_bad_name_is_refused(api, path, name):
    assert_refused(create(api, path, name=name), 400, 122, "name")


@pytest.mark.parametrize("name", [5, True, {}, ["a.png"]], ids=str)
def test_name_that_is_no_text_is_refused(api, name):
    assert_400(create(api, name=name), "name")


@pytest.mark.parametrize("name", [
    "a%2Fb.png", "%2e%2e", pytest.param("a%00b", marks=pytest.mark.single), "%ff",
])
def test_bad_name_in_the_path_is_refused(server, name):
    data = json.dumps({"url": LOGO}).encode()
    headers = credentials() | {"Content-Type": "application/json", "Content-Length": len(data)}
    with server.raw() as connection:
        response = connection.request("POST", f"/1.1/files/{name}", headers, data)
        assert (response.status, json.loads(response.content)["code"]) == (400, 122)


@pytest.mark.parametrize("acl", [[], "*", {"*": True}, {"*": {"read": "yes"}}, {"n" * 129: READ}], ids=str)
def test_bad_acl_is_refused(api, acl):
    assert_refused(create(api, ACL=acl), 400, 123, "ACL")


@pytest.mark.parametrize("value", ["text", 5, [1], True], ids=str)
def test_meta_data_that_is_no_object_is_refused(api, value):
    assert_400(create(api, metaData=value), "metaData")


@pytest.mark.parametrize("value", [5, {}], ids=ascii)
def test_bad_type_is_refused(api, value):
    assert_400(create(api, mime_type=value), "mime_type")


@pytest.mark.parametrize("path", ["/1.1/files", "/1.1/classes/_File"])
@pytest.mark.parametrize("data", [b"{", b"[]", b'"text"', b'{"url":"http://x/","url":"http://y/"}'])
def test_body_that_is_no_object_is_refused(api, path, data):
    assert_400(send(api, path, data))


# URLs

GOOD_URLS = [
    "http://elsewhere.example.org/", "https://elsewhere.example.org", "HTTP://ELSEWHERE.example.org/A",
    "hTTpS://elsewhere.example.org/a", "https://elsewhere.example.org:8443/a%20b.png?x=1&y=%2F#part",
    "https://elsewhere.example.org/" + "a" * 1000, "https://elsewhere.example.org/?to=http://a/@b",
    "https://elsewhere.example.org/a b.png", "http://203.0.113.9/a", "http://[2001:db8::1]:8080/a",
]
PRIVATE_URLS = [
    "http://127.0.0.1/a", "http://127.0.0.1:1/a", "http://localhost/a", "http://[::1]/a", "http://10.0.0.1/a",
    "http://192.168.1.1/a", "http://169.254.169.254/latest/meta-data", "http://nas/photo.jpg",
]
BAD_URLS = [
    "file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x", "ftp://elsewhere.example.org/a",
    "blob:http://x/1", "httpx://elsewhere.example.org/", "", "logo.png", "/logo.png",
    "//elsewhere.example.org/logo.png", "?x", "http:", "http://", "https:///logo.png", "http:elsewhere.example.org",
    "http:/elsewhere.example.org/", "http://:80/", "https://user@elsewhere.example.org/",
    "https://user:word@elsewhere.example.org/", "https://@elsewhere.example.org/",
    "https://elsewhere.example.org/a\nb", "https://elsewhere.example.org/a\r\nX: 1",
    "https://elsewhere.example.org/\0", "https://elsewhere.example.org/\ta", "https://elsewhere.example.org/\x7f",
    "java\nscript:alert(1)", "https://else where.example.org/",
    "https://elsewhere.example.org/" + "a" * 100_000,
]


def brief(value):
    return ascii(value)[:40]


@pytest.mark.parametrize("url", GOOD_URLS, ids=brief)
def test_url_is_kept_as_it_was_given(api, url):
    assert record(api, link(api, url=url))["url"] == url


@pytest.mark.parametrize("url", PRIVATE_URLS, ids=brief)
def test_url_in_a_private_network_may_be_kept(api, url):
    assert record(api, link(api, url=url))["url"] == url


WAYS = {
    "files": lambda api, fields: api.post("/1.1/files", json=fields),
    "class": lambda api, fields: api.post("/1.1/classes/_File", json=fields),
    "batch/save": lambda api, fields: save(api, {
        "method": "post", "path": "/1.1/classes/_File", "body": fields | {"__internalId": "F"}, "new": True,
    }),
}


@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("url", BAD_URLS, ids=brief)
def test_bad_url_is_refused(api, way, url):
    assert_400(WAYS[way](api, {"name": "bad-url.png", "url": url}), "url")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("url", [5, True, {}, ["https://elsewhere.example.org/"], op("Delete")], ids=str)
def test_url_that_is_no_text_is_refused(api, way, url):
    assert_400(WAYS[way](api, {"name": "bad-url.png", "url": url}), "url")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "https://user@elsewhere.example.org/"])
def test_bad_url_under_a_name_is_refused(api, url):
    assert_400(api.post("/1.1/files/bad-url.png", json={"name": "bad-url.png", "url": url}), "url")


def test_master_key_makes_no_url_good(master):
    assert_400(create(master, url="file:///etc/passwd"), "url")


def test_refused_url_makes_no_record(api, files):
    name = f"{unique('bad')}.png"
    for way in WAYS.values():
        way(api, {"name": name, "url": "file:///etc/passwd"})
    assert files.count(name=name) == 0


def test_nobody_looks_at_the_url(api, master, listener):
    url = listener.url("/logo.png")
    fields = {"name": "logo.png", "url": url}
    ids = [link(api, url=url, mime_type="image/png")]
    ids.append(api.post("/1.1/files/logo.png", json=fields).json()["objectId"])
    ids.append(answers(WAYS["batch/save"](api, fields))["F"]["objectId"])
    for id in ids:
        assert record(api, id)["url"] == url
    assert len(api.get("/1.1/files", params=texts({"where": {"url": url}})).json()["results"]) == 3
    assert master.delete(",".join(ids)).json() == {}
    assert listener.visitors() == 0


# Where the URL is seen

def test_condition_on_the_url_finds_files_that_are_elsewhere(api):
    url = f"https://elsewhere.example.org/{unique('a')}.png"
    id = link(api, url=url)
    found = api.get("/1.1/files", params=texts({"where": {"url": url}, "count": 1})).json()
    assert ([one["objectId"] for one in found["results"]], found["count"]) == ([id], 1)


@pytest.mark.parametrize("condition", [
    lambda url: url, lambda url: {"$exists": True}, lambda url: {"$regex": "^http"}, lambda url: {"$in": [url]},
], ids=["equal", "$exists", "$regex", "$in"])
def test_condition_on_the_url_finds_no_stored_file(api, condition):
    stored, linked = api.store(b"x", name="x.txt"), link(api)
    where = {"objectId": {"$in": [stored["objectId"], linked]}, "url": condition(stored["url"])}
    found = {one["objectId"] for one in api.get("/1.1/files", params=texts({"where": where})).json()["results"]}
    assert stored["objectId"] not in found


def test_keys_choose_the_url(api):
    id = link(api)
    row, = api.get("/1.1/files", params=texts({"where": {"objectId": id}, "keys": "url"})).json()["results"]
    assert row["url"] == LOGO and "name" not in row


def test_scan_shows_the_url_of_files_that_are_elsewhere_alone(api, master, files):
    stored, linked = api.store(b"x", name="x.txt")["objectId"], link(api)
    rows = flat(walk(master, files, where={"objectId": {"$in": [stored, linked]}}))
    assert {row["objectId"]: row.get("url") for row in rows} == {stored: None, linked: LOGO}


def test_object_shows_its_file_that_is_elsewhere(api):
    notes, id = Objects(api, "external_Album"), link(api, mime_type="image/png")
    for value in ({"__type": "File", "id": id}, {"__type": "Pointer", "className": "_File", "objectId": id}):
        album = notes.create(cover=value, pages=[value])
        seen = notes.read(album, include="pages")
        whole = {"__type": "File"} | record(api, id)
        assert (seen["cover"], seen["pages"]) == (whole, [whole])


# Who may do what

MAKERS = {
    "files": lambda caller: create(caller),
    "class": lambda caller: create(caller, "classes/_File"),
    "name": lambda caller: caller.post("/1.1/files/logo.png", json=BODY),
    "without a url": lambda caller: caller.post("/1.1/files", json={"name": "logo.png"}),
    "batch": lambda caller: batch(caller, {"method": "POST", "path": "/1.1/files", "body": BODY}),
}


@pytest.mark.parametrize("audience, caller", one_of_each(ALLOWED))
@pytest.mark.parametrize("make", MAKERS)
def test_file_is_made_by_whom_create_is_open(cast, rules, files, make, audience, caller):
    rules.set("_File", create=cast.words(audience))
    before = files.count()
    response = MAKERS[make](cast[caller])
    if caller in ALLOWED[audience]:
        assert refusal(response) is None
        assert files.count() == before + 1
    else:
        assert_forbidden(response, forbidden("create", "_File"))
        assert files.count() == before


def test_swift_saves_no_file_where_create_is_closed(cast, rules, files):
    rules.set("_File", create=["users"])
    before = files.count()
    assert_forbidden(WAYS["batch/save"](cast.guest, BODY), forbidden("create", "_File"))
    assert files.count() == before


@pytest.mark.few(2)
@pytest.mark.parametrize("make", ["files", "class", "name", "batch"])
@pytest.mark.parametrize("caller, acl", [
    ("guest", {"*": READ}), ("owner", {"*": READ, "owner": BOTH}), ("master", {"*": READ}),
])
def test_file_gets_the_default_acl_of_its_class(cast, rules, files, make, caller, acl):
    rules.set("_File", defaultACL={"*": READ, "owner": BOTH})
    body = MAKERS[make](cast[caller]).json()
    id = (body[0]["success"] if isinstance(body, list) else body)["objectId"]
    expected = {cast.owner.id if subject == "owner" else subject: rights for subject, rights in acl.items()}
    assert files.get(id, returnACL="true").json()["ACL"] == expected


@pytest.mark.parametrize("acl", [{}, {"*": READ}], ids=str)
def test_given_acl_counts_instead_of_the_default(cast, rules, files, acl):
    rules.set("_File", defaultACL={"owner": BOTH})
    assert files.get(link(cast.owner, ACL=acl), returnACL="true").json()["ACL"] == acl


@pytest.mark.parametrize("caller", CALLERS)
def test_acl_decides_who_reads_the_record(cast, caller):
    id = link(cast.owner, ACL={cast.owner.id: BOTH})
    response = cast[caller].get(f"/1.1/files/{id}")
    found = cast[caller].get("/1.1/files", params=texts({"where": {"objectId": id}})).json()["results"]
    if caller in ("owner", "master"):
        assert response.json()["url"] == LOGO and len(found) == 1
    else:
        assert_forbidden(response, NO_READING)
        assert found == []


@pytest.mark.parametrize("caller", CALLERS)
def test_delete_is_closed_at_first(cast, caller):
    id = link(cast.owner)
    response = cast[caller].delete(id)
    if caller == "master":
        assert response.json() == {}
    else:
        assert_forbidden(response, forbidden("delete", "_File"))


@pytest.mark.parametrize("caller", CALLERS)
def test_open_delete_leaves_the_acl_in_force(cast, rules, caller):
    id = link(cast.owner, ACL={cast.owner.id: BOTH, "*": READ})
    rules.set("_File", delete=["everyone"])
    response = cast[caller].delete(id)
    if caller in ("owner", "master"):
        assert response.json() == {}
    else:
        assert_forbidden(response, no_writing(id))
    assert (cast.master.get(f"/1.1/files/{id}").status_code == 404) == (caller in ("owner", "master"))


# What is no field of it

OTHERS = {
    "key": "robots.txt", "bucket": "mine", "provider": "s3", "size": 5, "colour": "red", "token": "t", "__type": "File",
    "className": "_File", "prefix": "a", "keep_file_name": True, "_size": 5, "_sha256": "0" * 64, "_key": "robots.txt",
    "_hash": "x", "_ContentType": "text/html", "upload_url": "http://127.0.0.1:1/", "objectId": MISSING,
    "createdAt": "2001-01-01T00:00:00.000Z", "updatedAt": "2001-01-01T00:00:00.000Z",
}


# Under a name these alone; with others the body is a JSON file (test_legacy_uploads.py).
OTHERS_OF_OLD_SDKS = ["key", "size", "__type", "prefix", "keep_file_name", "_ContentType"]


@pytest.mark.parametrize("caller", ["guest", "master"])
@pytest.mark.parametrize("path, names", [
    ("files", OTHERS), ("classes/_File", OTHERS), ("files/logo.png", OTHERS_OF_OLD_SDKS),
], ids=["files", "class", "name"])
def test_other_fields_are_ignored(cast, path, names, caller):
    if caller == "master":
        # An import gives these (test_imported_objects.py).
        names = set(names) - {"objectId", "createdAt", "updatedAt"}
    columns = set(cast.master.get("/1.1/schemas/_File").json())
    response = create(cast[caller], path, **{name: OTHERS[name] for name in names})
    assert response.status_code == 201, response.text
    made = record(cast.master, response.json()["objectId"])
    assert set(made) <= {"objectId", "createdAt", "updatedAt", "name", "url", "mime_type", "metaData"}
    assert made["objectId"] != MISSING and not made["createdAt"].startswith("2001")
    assert set(cast.master.get("/1.1/schemas/_File").json()) == columns


@pytest.mark.parametrize("caller", ["guest", "master"])
def test_key_of_a_stored_file_stays_with_it(cast, caller):
    stored = cast.guest.store(b"mine", name="x.txt")
    id = link(cast[caller], key=stored["key"])
    assert cast.master.delete(id).json() == {}
    assert cast.guest.fetch(stored["url"]).content == b"mine"


def test_file_that_is_elsewhere_is_not_served_here(api, server):
    name = f"{unique('logo')}.png"
    id = link(api, url=f"https://elsewhere.example.org/{name}", name=name, key=name)
    for path in (name, id, f"{id}/{name}", quote(urlsplit(LOGO).path[1:]), quote(LOGO, safe=""), "", "null", "None"):
        assert api.fetch(f"{server.url}/{path}").status_code == 404, path
