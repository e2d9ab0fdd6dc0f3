"""Files with the official Python SDK, unmodified, as an app uses it."""

import io
import json

import pytest
from client import ALPHA
from PIL import Image
from sdk import RAISES

@pytest.fixture
def record(api, rocket):
    return api.store(rocket, metaData=json.dumps({"width": 640, "标签": "火箭"}))


def test_fetched_file_has_all_its_fields(sdk, record):
    seen = sdk(
        """
        f = file()
        f.fetch()
        say(id=f.id, key=f.key, name=f.name, url=f.url, size=f.size, type=f.mime_type, owner=f.owner_id,
            metadata=f.metadata, created=f.created_at.isoformat(), equal=f.created_at == f.updated_at)
        """,
        file=record["objectId"],
    )
    created = seen.pop("created")
    assert seen == {
        "id": record["objectId"],
        "key": record["key"],
        "name": "photo.jpg",
        "url": record["url"],
        "size": record["metaData"]["size"],
        "type": "image/jpeg",
        "owner": "unknown",
        "metadata": record["metaData"],
        "equal": True,
    }
    assert len(created) >= 19


def test_fetch_with_the_master_key_works_too(sdk, record):
    lines = "f = file(); f.fetch(); say(name=f.name)"
    assert sdk(lines, key=None, master=ALPHA.master, file=record["objectId"]) == {"name": "photo.jpg"}


@pytest.mark.parametrize("call, format, size", [
    ("200, 200", "PNG", (200, 133)),
    ("100, 100, scale_to_fit=False", "PNG", (100, 100)),
    ("320, 100, quality=60, scale_to_fit=False, fmt='jpg'", "JPEG", (320, 100)),
    ("64, 64, fmt='webp', scale_to_fit=False", "WEBP", (64, 64)),
])
def test_thumbnail_url_gives_the_thumbnail(sdk, api, record, call, format, size):
    url = sdk(f"f = file(); f.fetch(); say(url=f.get_thumbnail_url({call}))", file=record["objectId"])["url"]
    image = Image.open(io.BytesIO(api.fetch(url).content))
    assert (image.format, image.size) == (format, size)


def test_master_key_destroys(sdk, api, record):
    sdk("file().destroy(); say()", master=ALPHA.master, file=record["objectId"])
    assert api.get(f"/1.1/files/{record['objectId']}").status_code == 404
    assert api.fetch(record["url"]).status_code == 404


def test_app_key_may_not_destroy(sdk, api, record):
    seen = sdk(RAISES.format(call="file().destroy()"), file=record["objectId"])
    assert seen["raised"] == 403
    assert api.fetch(record["url"]).status_code == 200


def test_missing_file_raises_101(sdk):
    seen = sdk(RAISES.format(call="file().fetch()"), file="0" * 24)
    assert seen["raised"] == 101


def test_wrong_key_raises_401(sdk, record):
    seen = sdk(RAISES.format(call="file().fetch()"), key="wrong-wrong", file=record["objectId"])
    assert seen == {"raised": 401, "text": "Unauthorized."}


def test_query_without_conditions_lists_the_newest(sdk, record):
    lines = "say(ids=[f.id for f in leancloud.File.query.descending('createdAt').limit(1).find()])"
    assert sdk(lines, file=None) == {"ids": [record["objectId"]]}


def test_query_counts(sdk, api, record):
    assert sdk("say(count=leancloud.File.query.count())", file=None) == {"count": api.count()}
