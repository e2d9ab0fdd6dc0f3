"""lcfile export of files whose keys are no paths: a server that the user does not trust names them."""

import hashlib
import json

import pytest
from client import ALPHA
from commands import credentials_of, lcfile
from serving import Serving

DATA = b"outside"
TIME = "2024-05-02T08:00:00.000Z"


class AppOfFiles(Serving):
    """An app with the class `_File` only; each other path has the same bytes."""

    def __init__(self, *keys):
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
            status, body = 200, {"_File": {}}
        elif request.path == "/1.1/classes/_File":
            # The next page begins after the last objectId of this one.
            status, body = 200, {"results": [] if "where" in request.query else self.records}
        request.reply(status, json.dumps(body).encode(), Content_Type="application/json")


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
