"""Files with boto3, the S3 client of Amazon, unmodified: signed, presigned, checked in the ways it knows."""

import base64
import hashlib
import io
from urllib.parse import urlsplit

import pytest
import requests
from botocore.exceptions import ClientError
from client import TIMEOUT
from clients import MIB, assert_no_file, assert_stored, s3, s3_ticket, some_bytes

DATA = some_bytes(100_000)


@pytest.fixture
def ticket(api):
    return s3_ticket(api)


def put(ticket, data, **options):
    return s3(ticket["upload_url"]).put_object(Bucket="any", Key="a b/照片.bin", Body=data, **options)


def refusal(call, *arguments, **options):
    """What the client reads out of the server's XML."""
    with pytest.raises(ClientError) as raised:
        call(*arguments, **options)
    error = raised.value.response
    # Without XML that it can read, the client calls the error by its status.
    assert not error["Error"]["Code"].isdigit(), error
    assert error["Error"]["Message"].endswith("."), error
    return error["ResponseMetadata"]["HTTPStatusCode"], error["Error"]["Code"]


def md5(data):
    return base64.b64encode(hashlib.md5(data).digest()).decode()


@pytest.mark.few(3)
@pytest.mark.parametrize("size", [0, 1, 100_000, 9 * MIB])
@pytest.mark.parametrize("kind", [bytes, io.BytesIO])
def test_signed_put_becomes_the_file(api, ticket, size, kind):
    answer = put(ticket, kind(some_bytes(size)))
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert answer["ETag"].strip('"')
    assert_stored(api, ticket, some_bytes(size))


@pytest.mark.parametrize("version", ["s3v4", "s3"])
def test_presigned_address_becomes_the_file(api, ticket, version):
    client = s3(ticket["upload_url"], signature_version=version)
    url = client.generate_presigned_url("put_object", {"Bucket": "any", "Key": "photo.bin"})
    assert url.startswith(ticket["upload_url"] + "/any/photo.bin?")
    assert requests.put(url, data=DATA, timeout=TIMEOUT).status_code == 200
    assert_stored(api, ticket, DATA)


def test_query_of_a_presigned_address_is_ignored(api, ticket):
    client = s3("http://s3.example.com", signature_version="s3v4")
    query = urlsplit(client.generate_presigned_url("put_object", {"Bucket": "any", "Key": "photo.bin"})).query
    assert requests.put(f"{ticket['upload_url']}?{query}", data=DATA, timeout=TIMEOUT).status_code == 200
    assert_stored(api, ticket, DATA)


@pytest.mark.parametrize("algorithm", ["CRC32", "SHA1", "SHA256"])
def test_put_with_a_checksum_of_amazon_becomes_the_file(api, ticket, algorithm):
    put(ticket, DATA, ChecksumAlgorithm=algorithm)
    assert_stored(api, ticket, DATA)


@pytest.mark.few(3)
@pytest.mark.parametrize("size", [0, 1, 100_000, MIB, 9 * MIB + 1])
def test_chunks_of_amazon_are_taken_out_of_the_bytes(api, ticket, size):
    # The client sends `aws-chunked` only to https addresses; so that is what it believes until the request is signed.
    client = s3(ticket["upload_url"].replace("http:", "https:"))
    sent = []

    def go_without_tls(request, **_):
        request.url = request.url.replace("https:", "http:")
        sent.append(request.headers["Content-Encoding"].decode())

    client.meta.events.register("before-send.s3.PutObject", go_without_tls)
    client.put_object(Bucket="any", Key="photo.bin", Body=io.BytesIO(some_bytes(size)))
    assert sent == ["aws-chunked"]
    assert_stored(api, ticket, some_bytes(size))


def test_right_md5_is_accepted(api, ticket):
    put(ticket, DATA, ContentMD5=md5(DATA))
    assert_stored(api, ticket, DATA)


def test_wrong_md5_is_refused_and_the_next_attempt_is_taken(api, ticket):
    assert refusal(put, ticket, DATA, ContentMD5=md5(b"other")) == (400, "BadDigest")
    assert_no_file(api, ticket)
    put(ticket, DATA)
    assert_stored(api, ticket, DATA)


@pytest.mark.parametrize("coding", ["gzip", "br", "identity,zstd"])
def test_coding_that_downloads_would_not_repeat_is_refused(api, ticket, coding):
    assert refusal(put, ticket, DATA, ContentEncoding=coding) == (400, "InvalidRequest")
    assert_no_file(api, ticket)
    put(ticket, DATA, ContentEncoding="identity")
    assert_stored(api, ticket, DATA)


@pytest.mark.smoke
def test_same_bytes_again_are_answered_as_before(api, ticket):
    assert put(ticket, DATA)["ETag"] == put(ticket, DATA)["ETag"]
    assert_stored(api, ticket, DATA)


def test_other_bytes_after_the_end_are_refused(api, ticket):
    put(ticket, DATA)
    assert refusal(put, ticket, b"other")[0] == 409
    assert_stored(api, ticket, DATA)


def test_other_size_than_announced_is_refused(api):
    ticket = s3_ticket(api, metaData={"size": 5})
    assert 400 <= refusal(put, ticket, b"four")[0] < 500
    assert_no_file(api, ticket)


def test_unknown_upload_is_refused_in_words_that_the_client_reads(api, ticket):
    ticket["upload_url"] = ticket["upload_url"][:-40] + "0" * 40
    assert 400 <= refusal(put, ticket, DATA)[0] < 500
