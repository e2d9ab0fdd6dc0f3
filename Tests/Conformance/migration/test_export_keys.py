"""lcfile export and import --from of names that are no paths: a server that the user does not trust chooses them."""

import hashlib
import json

import pytest
from client import ALPHA
from commands import credentials_of, lcfile
from serving import Serving

DATA = b"outside"
TIME = "2024-05-02T08:00:00.000Z"


class AppOfFiles(Serving):
    """An app with files, and its other classes without objects; each other path has the same bytes."""

    def __init__(self, *keys, schemas=None):
        self.schemas = {"_File": {}} | (schemas or {})
        meta = {"size": len(DATA), "_checksum": hashlib.md5(DATA).hexdigest()}
        self.records = [
            {
                "objectId": f"{number:024x}", "createdAt": TIME, "updatedAt": TIME, "name": "x.txt", "key": key,
                "bucket": "b", "mime_type": "text/plain", "metaData": meta,
            }
            for number, key in enumerate(keys)
        ]
        super().__init__()

    def answer(self, request):
        if not request.path.startswith("/1.1/"):
            return request.reply(200, DATA, Content_Type="text/plain")
        status, body = 404, {"code": 404, "error": "Not found."}
        if request.path == "/1.1/schemas":
            status, body = 200, self.schemas
        elif request.path == "/1.1/date":
            status, body = 200, {"__type": "Date", "iso": TIME}
        elif request.path == "/1.1/classes/_File":
            # The next page begins after the last objectId of this one.
            status, body = 200, {"results": [] if "where" in request.query else self.records}
        elif record := next((row for row in self.records if request.path == f"/1.1/files/{row['objectId']}"), None):
            status, body = 200, record
        request.reply(status, json.dumps(body).encode(), Content_Type="application/json")


@pytest.mark.few(2)
@pytest.mark.parametrize("key", ["../escaped.txt", "../\u0308escaped.txt", "a/../../\u0308escaped.txt"], ids=ascii)
def test_key_leads_no_file_out_of_the_folder_of_files(tmp_path, key):
    app = AppOfFiles(key, "a/\u0308b.txt")
    try:
        result = lcfile("export", "app", folder=tmp_path, **credentials_of(app.url, ALPHA, master=ALPHA.master))
    finally:
        app.close()
    assert result.returncode != 0, result.stderr
    assert not [path for path in tmp_path.rglob("*escaped*")]
    assert (tmp_path / "app" / "files" / "a" / "\u0308b.txt").read_bytes() == DATA


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "schemas", [{"../escaped": {}}, {"Post": {"../escaped": {"type": "Relation", "className": "Post"}}}],
    ids=["class", "relation"],
)
@pytest.mark.parametrize("command", ["export", "import"])
def test_name_of_a_class_or_relation_leads_no_file_out_of_the_folder(tmp_path, command, schemas):
    app = AppOfFiles(schemas=schemas)
    arguments = ["export", "app"]
    if command == "import":
        arguments = ["import", "leancloud", "--from", app.url, "--source-app-id", ALPHA.id]
    keys = credentials_of(app.url, ALPHA, master=ALPHA.master) | {"LEANCLOUD_MASTER_KEY": ALPHA.master}
    try:
        result = lcfile(*arguments, folder=tmp_path, **keys)
    finally:
        app.close()
    assert result.returncode != 0 and "'../escaped'" in result.stderr and "is no valid" in result.stderr
    assert not [path for path in tmp_path.rglob("*") if "escaped" in path.name or "Post" in path.name]


def test_partial_download_has_the_name_of_no_key_and_others_cannot_read_files(tmp_path):
    keys = ["k.part", "k.part.etag", "k", "a/b"]
    app = AppOfFiles(*keys)
    try:
        result = lcfile(
            "export", "app", "--concurrency", "1", folder=tmp_path,
            **credentials_of(app.url, ALPHA, master=ALPHA.master),
        )
    finally:
        app.close()
    assert result.returncode == 0, result.stderr
    files = {str(path.relative_to(tmp_path / "app" / "files")) for path in (tmp_path / "app" / "files").rglob("*")}
    assert files == {*keys, "a"}
    assert all((tmp_path / "app" / "files" / key).read_bytes() == DATA for key in keys)
    for path in [tmp_path / "app", *(tmp_path / "app").rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
