"""Buckets for the servers of the tests: each storage folder has its blobs below a prefix of its own."""

import hashlib
import json
import os
from dataclasses import dataclass, field
from functools import cache
from types import SimpleNamespace

BUCKET = "backups"
REGION = "us-east-1"


def prefix_of(name):
    return "t" + hashlib.sha256(str(name).encode()).hexdigest()[:16]


def client_of(store):
    """A client of another maker, for what lcfile itself does not do."""
    # Most tests need no store, and importing it takes half a second.
    import boto3
    from botocore.config import Config

    return boto3.client(
        "s3", endpoint_url=store.endpoint, region_name=REGION,
        aws_access_key_id=store.access, aws_secret_access_key=store.secret,
        config=Config(retries={"max_attempts": 0}, connect_timeout=2, read_timeout=5, s3={"addressing_style": "path"}))


@cache
def common_store():
    """The store on which every server of the tests has its blobs (LCFILE_TEST_S3); None for those on the disk."""
    text = os.environ.get("LCFILE_TEST_S3")
    if not text:
        return None
    store = SimpleNamespace(**json.loads(text))
    store.client = client_of(store)
    return store


def blob_settings(store, prefix):
    """The settings of a server whose blobs are in the bucket, as environment variables."""
    return {
        "LCFILE_BLOBS_STORE": f"s3://{BUCKET}/{prefix}",
        "LCFILE_BLOBS_S3_ENDPOINT": store.endpoint, "LCFILE_BLOBS_S3_REGION": REGION,
        "LCFILE_BLOBS_S3_ACCESS_KEY": store.access, "LCFILE_BLOBS_S3_SECRET_KEY": store.secret,
    }


def encryption_settings():
    """The keys of servers that encrypt in the common store (Tests/Conformance/buckets --encrypted)."""
    keys = os.environ.get("LCFILE_TEST_S3_KEYS")
    return {"LCFILE_BLOBS_ENCRYPTION_KEYS": keys} if keys else {}


@dataclass(frozen=True)
class StoredObject:
    """An object with what tests ask of the path of a file."""

    store: object = field(compare=False)
    key: str
    size: int

    @property
    def name(self):
        return self.key.rsplit("/", 1)[-1]

    def stat(self):
        return SimpleNamespace(st_size=self.size)

    def read_bytes(self):
        return self.store.client.get_object(Bucket=BUCKET, Key=self.key)["Body"].read()

    def write_bytes(self, data):
        head = self.store.client.head_object(Bucket=BUCKET, Key=self.key)
        self.store.client.put_object(Bucket=BUCKET, Key=self.key, Body=data, Metadata=head["Metadata"])

    def unlink(self):
        self.store.client.delete_object(Bucket=BUCKET, Key=self.key)


def stored(store, prefix, *, behind=""):
    """The objects below a prefix whose names go on like this."""
    pages = store.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{prefix}/{behind}")
    return [StoredObject(store, item["Key"], item["Size"]) for page in pages for item in page.get("Contents", [])]


def objects(store, prefix):
    """All objects below a prefix: their sizes by their names, without the prefix."""
    return {item.key.removeprefix(f"{prefix}/"): item.size for item in stored(store, prefix)}


def blobs(store, prefix, app):
    """The blobs of an app, without the claims of puts that go on."""
    return [item for item in stored(store, prefix, behind=f"{app.id}/blobs/") if not item.key.endswith(".claim")]


def staged(store, prefix, app):
    """The staged bytes and notes of an app, one for each folder of segments."""
    root = f"{app.id}/staging/"
    found = {}
    for item in stored(store, prefix, behind=root):
        parts = item.key.removeprefix(f"{prefix}/{root}").split("/")
        if parts[0] != "servers":
            found.setdefault(tuple(parts[:2]), item)
    return list(found.values())
