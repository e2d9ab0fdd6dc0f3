"""Buckets for the servers of the tests: each storage folder has its blobs below a prefix of its own."""

import hashlib
import json
import os
from types import SimpleNamespace

from s3_engine import BUCKET, REGION


def shared_store():
    """The store that `engines` has started for servers with one bucket; None without it."""
    text = os.environ.get("LCFILE_TEST_S3")
    return SimpleNamespace(**json.loads(text)) if text else None


def prefix_of(name):
    return "t" + hashlib.sha256(str(name).encode()).hexdigest()[:16]


def blob_settings(engine, prefix):
    """The settings of a server whose blobs are in the bucket, as environment variables."""
    return {
        "LCFILE_BLOBS_STORE": f"s3://{BUCKET}/{prefix}",
        "LCFILE_BLOBS_S3_ENDPOINT": engine.endpoint, "LCFILE_BLOBS_S3_REGION": REGION,
        "LCFILE_BLOBS_S3_ACCESS_KEY": engine.access, "LCFILE_BLOBS_S3_SECRET_KEY": engine.secret,
    }


def objects(engine, prefix):
    """All objects below a prefix: their sizes by their names, without the prefix."""
    pages = engine.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{prefix}/")
    return {
        item["Key"].removeprefix(f"{prefix}/"): item["Size"] for page in pages for item in page.get("Contents", [])
    }


def blobs(engine, prefix, app):
    """The names of the blobs of an app, without the claims of puts that go on."""
    beginning = f"{app.id}/blobs/"
    return [name for name in objects(engine, prefix) if name.startswith(beginning) and not name.endswith(".claim")]
