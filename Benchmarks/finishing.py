"""The part of Benchmarks/run that measures the end of a large upload whose parts two servers took in turn, and which the S3
store makes a file, beside the writing of its bytes and a copy of them by the store that no server of ours asks for."""

import base64
import http.client
import json
import os
import subprocess
import time
import urllib.parse
from contextlib import ExitStack

from asking import KEYS
from scale_out import PYTHON, Store, postgres, server

SIZE = int(os.environ.get("BENCH_FILE_MB", 5 << 10)) << 20
PART = 64 << 20
TUS = KEYS | {"Tus-Resumable": "1.0.0"}
COPY = """
import json, sys, time, boto3
from boto3.s3.transfer import TransferConfig
given = json.load(sys.stdin)
client = boto3.client("s3", endpoint_url=given["endpoint"], region_name=given["region"],
                      aws_access_key_id=given["key"], aws_secret_access_key=given["secret"])
pages = client.get_paginator("list_objects_v2").paginate(Bucket=given["bucket"])
(key,) = [found["Key"] for page in pages for found in page["Contents"] if found["Size"] == given["size"]]
start = time.monotonic()
client.copy({"Bucket": given["bucket"], "Key": key}, given["bucket"], "copy", Config=TransferConfig(
    multipart_threshold=64 << 20, multipart_chunksize=64 << 20, max_concurrency=4))
print(time.monotonic() - start)
"""


def bench(folder):
    folder.mkdir()
    with ExitStack() as stack:
        database = {"LCFILE_DATABASE_URL": stack.enter_context(postgres(folder / "postgres"))}
        store = stack.enter_context(Store(folder / "s3"))
        urls = [stack.enter_context(server(folder / name, database | store.settings)) for name in ("first", "second")]
        path = begin(urls[0])
        bytes = os.urandom(PART)
        # The last byte ends the upload.
        offsets = list(range(0, SIZE - 1, PART))
        writing = sum(patch(urls[number % 2], path, start, bytes[: min(PART, SIZE - 1 - start)])
                      for number, start in enumerate(offsets))
        finishing = patch(urls[1], path, SIZE - 1, bytes[:1])
        given = {"endpoint": store.endpoint, "region": store.region, "bucket": store.bucket, "key": store.key,
                 "secret": store.secret, "size": SIZE}
        copying = float(subprocess.run(
            [PYTHON, "-c", COPY], input=json.dumps(given), capture_output=True, text=True, check=True, timeout=900).stdout)
    print(f"{SIZE >> 20} MB: written in {writing:.1f} s ({SIZE / writing / 1e6:.0f} MB/s); finished in {finishing:.1f} s, "
          f"{finishing / writing:.2f} of that; a copy by the store {copying:.1f} s", flush=True)


def begin(url):
    name = base64.b64encode(b"large.bin").decode()
    answer = send(url, "POST", "/1.1/uploads", {"Upload-Length": str(SIZE), "Upload-Metadata": f"filename {name}"})
    return urllib.parse.urlsplit(answer.headers["Location"]).path


def patch(url, path, offset, bytes):
    start = time.monotonic()
    send(url, "PATCH", path, {"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}, bytes)
    return time.monotonic() - start


def send(url, method, path, fields, body=b""):
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=900)
    connection.request(method, path, body, TUS | fields)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    assert answer.status in (201, 204), (answer.status, text[:300])
    return answer
