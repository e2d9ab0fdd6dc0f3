"""The addresses that an app's files are served under: the first makes URLs, all of them serve."""

from urllib.parse import urlsplit

import pytest
from batches import answers, get, post, save
from client import ALPHA, BETA, Server, yaml_of
from data import Objects, batch, texts
from elsewhere import LOGO, link, record
from scans import flat, walk

FILES, OLD, OTHER = "https://files.example.com", "http://old.example.com:8080", "https://other.example.net"


def configure(server, **domains):
    """Gives the apps their file domains, in the order of the file; they hold from the next start."""
    apps = {"alpha": ALPHA, "beta": BETA}
    parts = []
    for name, app in apps.items():
        text = yaml_of([app]).removeprefix("apps:\n")
        parts.append(text + (f"    fileDomains: {domains[name]}\n" if name in domains else ""))
    (server.folder / "lcfile.yaml").write_text("apps:\n" + "".join(parts))
    return server


def listed(*addresses):
    return f"[{', '.join(addresses)}]"


def restarted(server, **domains):
    assert server.stop() == 0
    return configure(server, **domains).start()


def base(url):
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """A server whose first app has two domains and whose second has another."""
    server = Server(tmp_path_factory.mktemp("named"))
    configure(server, alpha=listed(FILES, OLD), beta=listed(OTHER)).start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def api(named):
    return named.api()


@pytest.fixture(scope="module")
def master(named):
    return named.api(master=True)


@pytest.fixture(scope="module")
def beta(named):
    return named.api(BETA)


@pytest.fixture(scope="module")
def stored(api):
    return api.store(b"bytes", name="x.txt")


def serve(server, url, method="GET", host=None):
    """Asks this server for what another name leads to."""
    parts = urlsplit(url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    with server.raw() as connection:
        return connection.request(method, path, {"Host": host or parts.netloc})


# Where the URL is seen

WAYS = {
    "form": lambda api: api.store(b"x", name="x.txt"),
    "form of several": lambda api: api.form(*[("file", ("x.txt", b"x"))] * 2).json()["results"][1],
    "bytes": lambda api: api.store_raw(b"x", "x.txt").json(),
    "base64": lambda api: api.post("/1.1/files/x.txt", json={"base64": "eA=="}).json(),
}


@pytest.mark.parametrize("way", WAYS)
def test_first_domain_begins_the_url_of_an_upload(api, way):
    made = WAYS[way](api)
    assert made["url"] == f"{FILES}/{made['key']}"


@pytest.mark.parametrize("path", ["fileTokens", "qiniu"])
def test_first_domain_begins_the_url_of_a_token_and_not_where_it_uploads(api, named, path):
    response = api.post(f"/1.1/{path}", json={"name": "x.txt", "metaData": {"size": 1}})
    assert response.status_code == 201, response.text
    token = response.json()
    assert token["url"] == f"{FILES}/{token['key']}"
    assert base(token["upload_url"]) == named.url


def test_upload_of_a_token_is_served_under_the_domain(api, named):
    token = api.post("/1.1/fileTokens", json={"name": "x.txt"}).json()
    assert api.session.put(token["upload_url"], data=b"put", timeout=5).status_code == 200
    assert serve(named, token["url"]).content == b"put"
    assert record(api, token["objectId"])["url"] == token["url"]


@pytest.mark.parametrize("path", ["files", "classes/_File", "classes/_file"])
def test_first_domain_begins_the_url_of_a_record(api, stored, path):
    assert api.get(f"/1.1/{path}/{stored['objectId']}").json()["url"] == f"{FILES}/{stored['key']}"


@pytest.mark.parametrize("path", ["files", "classes/_File", "classes/files"])
def test_first_domain_begins_the_url_of_what_is_found(api, stored, path):
    query = texts({"where": {"objectId": stored["objectId"]}})
    found, = api.get(f"/1.1/{path}", params=query).json()["results"]
    assert found["url"] == f"{FILES}/{stored['key']}"


def test_first_domain_begins_the_url_in_a_batch(api, stored):
    seen, = answers(batch(api, get(Objects(api, "_File"), stored["objectId"])))
    assert seen["success"]["url"] == f"{FILES}/{stored['key']}"


def test_first_domain_begins_the_url_in_objects(api, stored):
    notes, file = Objects(api, "domains_Note"), {"__type": "File", "id": stored["objectId"]}
    fields = {"cover": file, "pages": [file]}
    made = notes.post(fields, fetchWhenSave="true").json()
    item = post(notes, fields | {"__internalId": "N"}, new=True, params={"fetchWhenSave": True})
    saved = answers(save(api, item))["N"]
    id = made["objectId"]
    shown = [notes.read(id, include="pages"), *notes.find(where={"objectId": id}, include="pages")]
    urls = {made["cover"]["url"], saved["cover"]["url"]}
    urls |= {one["url"] for row in shown for one in (row["cover"], *row["pages"])}
    assert urls == {f"{FILES}/{stored['key']}"}


def test_kept_name_is_escaped_behind_the_domain(api, named):
    made = api.store(b"kept", name="照片 #1.txt", keep_file_name="true")
    assert made["url"].startswith(f"{FILES}/") and made["url"].isascii()
    assert serve(named, made["url"]).content == b"kept"


def test_scan_shows_no_url_whatever_the_domain(master, stored):
    row, = flat(walk(master, Objects(master, "_File"), where={"objectId": stored["objectId"]}))
    assert "url" not in row and row["key"] == stored["key"]


def test_url_of_a_file_that_is_elsewhere_is_its_own(api):
    assert record(api, link(api))["url"] == LOGO


def test_domain_is_no_condition(api, stored):
    query = texts({"where": {"url": f"{FILES}/{stored['key']}"}})
    assert api.get("/1.1/files", params=query).json()["results"] == []


def test_each_app_has_its_own_domain(api, beta):
    mine, theirs = api.store(b"x", name="x.txt"), beta.store(b"x", name="x.txt")
    assert (base(mine["url"]), base(theirs["url"])) == (FILES, OTHER)


# What serves

@pytest.mark.parametrize("host", ["files.example.com", "FILES.example.com", "old.example.com:8080", "old.example.com",
                                  "other.example.net", "never-heard-of.example.org", "127.0.0.1", "[::1]:80", "x"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_every_name_serves(named, stored, method, host):
    response = serve(named, stored["url"], method, host)
    assert (response.status, response.getheader("Content-Length")) == (200, "5")
    assert response.content == (b"bytes" if method == "GET" else b"")


def test_domain_of_one_app_serves_files_of_the_other(named, beta):
    theirs = beta.store(b"theirs", name="x.txt")
    assert serve(named, theirs["url"], host="files.example.com").content == b"theirs"


def test_images_and_ranges_are_served_under_the_domain(api, named, rocket):
    url = api.store(rocket)["url"]
    assert serve(named, f"{url}?imageView/2/w/20").getheader("Content-Type") == "image/jpeg"
    with named.raw() as connection:
        part = connection.request("GET", urlsplit(url).path, {"Host": "files.example.com", "Range": "bytes=0-9"})
        assert (part.status, part.content) == (206, rocket[:10])


def test_calls_work_under_a_domain(named, stored):
    with named.raw() as connection:
        headers = {"Host": "files.example.com", "X-LC-Id": ALPHA.id, "X-LC-Key": ALPHA.key}
        assert connection.request("GET", f"/1.1/files/{stored['objectId']}", headers).status == 200


@pytest.mark.parametrize("host", ["evil.example.org", "files.example.com@evil.example.org", "evil.example.org:80"])
def test_name_that_the_client_used_makes_no_url(named, stored, host):
    with named.raw() as connection:
        headers = {"Host": host, "X-LC-Id": ALPHA.id, "X-LC-Key": ALPHA.key, "X-Forwarded-Host": "evil.example.org"}
        response = connection.request("GET", f"/1.1/files/{stored['objectId']}", headers)
        assert b"evil" not in response.content


# Changing it

@pytest.mark.extended
def test_new_domain_changes_every_stored_url_and_no_other(new_server):
    server = configure(new_server(), alpha=listed(FILES, OLD)).start()
    api = server.api()
    stored, linked = api.store(b"bytes", name="x.txt"), link(api)
    notes = Objects(api, "domains_Note")
    note = notes.create(cover={"__type": "File", "id": stored["objectId"]}, logo={"__type": "File", "id": linked})
    for domains, expected in (
        ({"alpha": listed(OLD, FILES)}, OLD), ({"alpha": listed(OTHER)}, OTHER),
        ({}, server.url), ({"alpha": "[]"}, server.url),
    ):
        restarted(server, **domains)
        url = f"{expected}/{stored['key']}"
        assert record(api, stored["objectId"])["url"] == url
        seen = notes.read(note)
        assert (seen["cover"]["url"], seen["logo"]["url"]) == (url, LOGO)
        assert record(api, linked)["url"] == LOGO
        assert serve(server, url).content == serve(server, stored["url"]).content == b"bytes"


@pytest.mark.extended
def test_public_address_serves_apps_without_a_domain(new_server):
    server = new_server(LCFILE_PUBLIC_URL="https://public.example.com")
    configure(server, alpha=listed(FILES)).start()
    urls = [server.api(app).store(b"x", name="x.txt")["url"] for app in (ALPHA, BETA)]
    assert [base(url) for url in urls] == [FILES, "https://public.example.com"]


@pytest.mark.few(1)
@pytest.mark.parametrize("given, expected", [
    ("https://files.example.com/", "https://files.example.com"),
    ("http://files.example.com", "http://files.example.com"),
    ("https://files.example.com:8443", "https://files.example.com:8443"),
    ("'http://[2001:db8::1]:80'", "http://[2001:db8::1]:80"),
    ("http://192.0.2.7", "http://192.0.2.7"),
])
def test_domain_is_taken_in_each_form(new_server, given, expected):
    api = configure(new_server(), alpha=f"[{given}]").start().api()
    made = api.store(b"x", name="x.txt")
    assert made["url"] == f"{expected}/{made['key']}"


@pytest.mark.few(2)
@pytest.mark.parametrize("given", [
    "[files.example.com]", "[ftp://files.example.com]", "['']", "['https://']", "['https:///x']",
    "['https://a b.example.com']", "['https://files.example.com?x=1']", "['https://files.example.com#x']",
    "['https://me@files.example.com']", "['javascript:alert(1)']", "[5]", "[[https://files.example.com]]",
    "{a: https://files.example.com}", "[https://files.example.com, nonsense]", "['https://files.example.com\\x00']",
    '["https://files.example.com\\r\\nX: 1"]',
])
def test_bad_domain_stops_the_start(new_server, given):
    server = configure(new_server(), alpha=given).launch()
    assert server.wait() == 78, server.errors
    sentence, = [line for line in server.errors.splitlines() if line.startswith("lcfile: ")]
    assert "fileDomains" in sentence
    assert not server.storage.exists()
