"""Which types an operator lets in: by what the bytes are and by what they would be served as."""

import json

import pytest
from cases import EXHAUSTIVE, covering
from client import Server, assert_refused
from pictures import encoded, plain
from uploading import (
    WAYS, Tus, ask, assert_counts, assert_file, assert_kodo_error, assert_no_file, assert_nothing_staged,
    assert_xml_error, limits, metadata, noise, record_of, tokens,
)

PNG, JPEG, GIF = (encoded(plain(20, 20), format) for format in ("PNG", "JPEG", "GIF"))
HTML = b"<!DOCTYPE html><html><head><title>x</title></head><body><script>alert(1)</script></body></html>"
TEXT = b"just words, and nothing else\n"
UNKNOWN = noise(1000)
IMAGES, NO_PAGES = "image/*", "!text/html;application/xhtml+xml"
SETTING = 78


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """Servers by what they allow, each started when it is first needed."""
    made = {}

    def server(allowed):
        if allowed not in made:
            made[allowed] = Server(tmp_path_factory.mktemp("types"), **limits(allowedTypes=allowed)).start()
        return made[allowed]

    yield server
    codes = [server.stop() for server in made.values()]
    assert set(codes) <= {0}


def passes(server, way, data, name, mime_type=None):
    """Sends a file; returns whether it was taken. What is refused must be refused well and leave nothing."""
    api = server.api()
    before = api.count()
    said = {"mime_type": mime_type} if mime_type else {}
    id, response = WAYS[way](api, data, name, **said)
    if response.status_code == 403:
        assert record_of(api, id) is None
        assert_counts(server, before)
        return False
    assert response.status_code in (200, 201, 204), (response.status_code, response.text)
    assert_file(api, id, data)
    return True


# What passes

FILES = {
    "picture": (PNG, "a.png", "image/png"),
    "picture without a type": (JPEG, "a.jpg", None),
    "picture of another kind than claimed": (GIF, "a.png", "image/png"),
    "page": (HTML, "a.html", "text/html"),
    "page without a type": (HTML, "a.html", None),
    "page that is called a picture": (HTML, "a.png", "image/png"),
    "page that is called words": (HTML, "a.txt", "text/plain"),
    "picture that is called a page": (JPEG, "a.jpg", "text/html"),
    "picture that is named a page": (JPEG, "a.html", None),
    "words": (TEXT, "a.txt", "text/plain"),
    "words that are called a table": (TEXT, "a.csv", "text/csv"),
    "words that are called a page": (TEXT, "a.html", "text/html"),
    "words that are called a picture": (TEXT, "a.png", "image/png"),
    "unknown bytes": (UNKNOWN, "a.bin", None),
    "unknown bytes that are called a picture": (UNKNOWN, "a.png", "image/png"),
}
PASS = {
    IMAGES: {"picture", "picture without a type", "picture of another kind than claimed", "words that are called a picture"},
    NO_PAGES: set(FILES) - {
        "page", "page without a type", "page that is called a picture", "page that is called words",
        "picture that is called a page", "picture that is named a page", "words that are called a page",
    },
    "text/csv;text/plain": {"words", "words that are called a table"},
    "application/octet-stream": {"unknown bytes"},
    "*/*": set(FILES),
    "!*/*": set(),
    "!application/octet-stream": set(FILES) - {"unknown bytes", "unknown bytes that are called a picture"},
}


@pytest.mark.few(3)
@pytest.mark.parametrize("file, allowed", covering(FILES, PASS, times=2))
def test_both_what_it_is_and_what_it_is_served_as_must_pass(servers, allowed, file):
    data, name, type = FILES[file]
    assert passes(servers(allowed), "s3", data, name, type) == (file in PASS[allowed])


@pytest.mark.parametrize("allowed, file", covering([IMAGES, NO_PAGES], [
    "picture", "page that is called a picture", "picture that is called a page", "unknown bytes",
]))
@pytest.mark.parametrize("way", WAYS)
def test_every_dialect_asks(servers, allowed, way, file):
    data, name, type = FILES[file]
    assert passes(servers(allowed), way, data, name, type) == (file in PASS[allowed])


# One file of each type that the patterns below tell apart.
TELLING = FILES if EXHAUSTIVE else ["picture", "picture without a type", "page", "words that are called a picture", "words"]


@pytest.mark.extended
@pytest.mark.parametrize("allowed, passing", [
    ("image/png;image/jpeg", ["picture", "picture without a type", "words that are called a picture"]),
    (" image/png ; image/jpeg ", ["picture", "picture without a type", "words that are called a picture"]),
    ("image/png", ["picture", "words that are called a picture"]),
    ("IMAGE/PNG", ["picture", "words that are called a picture"]),
    ("image/p*", ["picture", "words that are called a picture"]),
    ("*/png", ["picture", "words that are called a picture"]),
    ("image/jpeg", ["picture without a type"]),
    ("! text/html ; application/xhtml+xml", sorted(PASS[NO_PAGES])),
    ("", list(FILES)),
])
def test_patterns_mean_what_they_say(servers, allowed, passing):
    server = servers(allowed)
    seen = {file for file in TELLING if passes(server, "raw", *FILES[file])}
    assert seen == set(passing) & set(TELLING)


def test_empty_file_is_judged_by_what_it_is_called(servers):
    assert passes(servers(NO_PAGES), "s3", b"", "a.txt", "text/plain")
    assert not passes(servers(NO_PAGES), "s3", b"", "a.html", "text/html")


def test_page_behind_other_bytes_is_still_served_as_a_picture(servers):
    """Bytes that are an image are one, whatever follows them."""
    assert passes(servers(IMAGES), "s3", GIF + HTML, "a.gif", "image/gif")


# How it is refused

def test_claimed_type_is_refused_with_the_token(servers):
    server = servers(IMAGES)
    for type in ("text/html", "text/plain", "application/pdf"):
        assert_refused(tokens(server.api(), "a.png", mime_type=type), 403, 403)


def test_claimed_type_is_refused_with_the_creation_of_a_tus_upload(servers):
    answer = Tus(servers(IMAGES)).post(5, Upload_Metadata=metadata(filename="a.html", filetype="text/html"))
    assert (answer.status_code, answer.json()["code"]) == (403, 403)


def test_refusals_of_bytes_have_their_dialect_s_form(servers):
    server = servers(IMAGES)
    api = server.api()

    def target():
        return ask(api, name="a.png", mime_type="image/png")

    assert_xml_error(target().put(HTML), 403)
    for way in ("form", "v1", "v2"):
        refused = target()
        assert_kodo_error(getattr(refused, way)(HTML), 403)
        assert_no_file(api, refused)
    assert_refused(api.form(("file", ("a.png", HTML, "image/png"))), 403, 403)
    assert_refused(api.store_raw(HTML, "a.png", headers={"Content-Type": "image/png"}), 403, 403)
    upload = Tus(server).create(len(HTML), Upload_Metadata=metadata(filename="a.png", filetype="image/png"))
    assert upload.patch(0, HTML).status_code == 403
    assert record_of(api, upload.id) is None


def test_one_refused_file_refuses_the_whole_form(servers):
    server = servers(IMAGES)
    api = server.api()
    before = api.count()
    assert_refused(api.form(("file", ("a.png", PNG)), ("file", ("b.png", HTML))), 403, 403)
    assert_counts(server, before)


def test_final_of_partial_uploads_is_judged_as_a_whole(servers):
    tus = Tus(servers(IMAGES))
    named = {"Upload_Metadata": metadata(filename="a.png", filetype="image/png")}
    # Halves of an image have no known type, and it is not checked.
    halves = [tus.create(len(half), data=half, Upload_Concat="partial").path for half in (PNG[:40], PNG[40:])]
    answer = tus.post(Upload_Concat="final;" + " ".join(halves), **named)
    assert_file(tus.server.api(), answer.headers["X-LC-Object-Id"], PNG)
    page = tus.create(len(HTML), data=HTML, Upload_Concat="partial").path
    before = tus.server.api().count()
    assert tus.post(Upload_Concat=f"final;{page}", **named).status_code == 403
    assert tus.server.api().count() == before


@pytest.mark.extended
def test_refused_files_leave_nothing(new_server):
    server = new_server(**limits(allowedTypes=IMAGES)).start()
    for way in WAYS:
        data, name, type = FILES["page that is called a picture"]
        _, response = WAYS[way](server.api(), data, name, mime_type=type)
        assert response.status_code == 403, way
    assert_counts(server, 0)
    server.kill()
    server.start()
    assert_counts(server, 0)


@pytest.mark.extended
def test_refused_single_requests_leave_nothing(new_server):
    server = new_server(**limits(allowedTypes=IMAGES)).start()
    for way in ("form", "raw", "s3", "kodo form", "cos form"):
        WAYS[way](server.api(), HTML, "a.png", mime_type="image/png")
    assert_nothing_staged(server)


# Bad settings

@pytest.mark.few(3)
@pytest.mark.parametrize("allowed", [
    "image", "image/", "/png", "image/png;!text/html", "image/png,text/plain", "image/png/x", "!!text/html", "!", ";;",
    "imáge/png", "image/png; charset=utf-8",
])
def test_bad_patterns_stop_the_start(new_server, allowed):
    server = new_server(**limits(allowedTypes=allowed)).launch()
    assert server.wait() == SETTING, server.errors
    sentences = [line for line in server.errors.splitlines() if line.startswith("lcfile: ")]
    assert len(sentences) == 1 and "uploads.allowedTypes" in sentences[0], server.errors
    assert json.dumps(allowed, ensure_ascii=False).strip('"').split(";")[0].strip("! ") in sentences[0]
