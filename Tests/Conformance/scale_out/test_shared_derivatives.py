"""Derivatives that two servers share in the bucket (docs/scale-out.md, "Shared derivatives")."""

from urllib.parse import urlsplit

import pytest
import requests
from buckets import BUCKET
from client import ALPHA, ROCKET, TIMEOUT, eventually
from metrics import values

pytestmark = pytest.mark.long

RESULTS = "lcfile_blob_store_derivatives_total"


@pytest.fixture
def pair(several):
    return several(2, LCFILE_IMAGES_SHARED_CACHE="3600").members


def results(server):
    """The values of the metric by its label."""
    return {name.split()[-1]: value for name, value in values(server, RESULTS).items()}


def objects(stores):
    listed = stores.store.client.list_objects_v2(Bucket=BUCKET).get("Contents", [])
    return [found["Key"] for found in listed if f"/{ALPHA.id}/derivatives/" in found["Key"]]


@pytest.mark.extended
def test_what_one_server_has_rendered_the_other_sends_until_the_file_is_deleted(pair, stores):
    first, second = pair
    file = first.api().store(ROCKET.read_bytes(), name="rocket.jpg")
    path = urlsplit(file["url"]).path + "?imageView2/2/w/100/format/webp"
    rendered = requests.get(first.url + path, timeout=TIMEOUT)
    assert rendered.status_code == 200 and rendered.headers["Content-Type"] == "image/webp"
    assert eventually(lambda: results(first).get("stored") == 1), results(first)
    assert "read" not in results(first)
    assert len(objects(stores)) == 1
    shared = requests.get(second.url + path, timeout=TIMEOUT)
    assert (shared.status_code, shared.content) == (200, rendered.content)
    assert shared.headers["ETag"] == rendered.headers["ETag"]
    assert shared.headers["Content-Type"] == "image/webp"
    assert results(second) == {"read": 1}
    deleted = second.api(master=True).call("DELETE", f"/1.1/files/{file['objectId']}")
    assert deleted.status_code == 200, deleted.text
    assert eventually(lambda: not objects(stores))
    for member in pair:
        assert eventually(lambda: requests.get(member.url + path, timeout=TIMEOUT).status_code == 404)
