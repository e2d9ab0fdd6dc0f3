import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// What S3's clients send to an `upload_url` (docs/uploads.md, section 6).
@Suite struct S3PutTests {
    private var server: TestServer {
        var server = TestServer()
        server.uploads.partSize = 4
        return server
    }

    @Test("a PUT is answered 200 without a body and with the MD5 as ETag, and the file is there")
    func put() async throws {
        try await server.test { client in
            let target = try await Target(client, size: 5)
            let response = try await target.call(.put, "", "hello")
            #expect(response.status == .ok)
            #expect(response.text.isEmpty)
            #expect(response.headers[.eTag] == #""5d41402abc4b2a76b9719d911017c592""#)
            let file = try await client.send("GET", "/\(target.key)", nil, [:])
            #expect(file.text == "hello")
        }
    }

    @Test("a PUT is one whatever S3's clients put around it")
    func putDecorated() async throws {
        try await server.test { client in
            let target = try await Target(client)
            let response = try await target.call(
                .put,
                "/bucket/a%20b.txt?x-id=PutObject&X-Amz-Signature=x&acl=1&own&uploads=3",
                "hello",
                [.authorization: "AWS4-HMAC-SHA256 Credential=x", .contentType: "image/png"]
            )
            #expect(response.status == .ok)
            let record = try await client.send("GET", "/1.1/files/\(target.id)").json()
            #expect(record["mime_type"] == .string("text/plain"))
        }
    }

    @Test(
        "another operation of S3 is 501 in XML, and the upload stays as it was",
        arguments: [
            (.put, "?acl", [:]), (.put, "/bucket/key?tagging=", [:]), (.put, "/bucket?versioning", [:]),
            (.put, "/bucket/key?partNumber=2&uploadId=x", [:]), (.put, "", ["x-amz-copy-source": "/bucket/other"]),
            (.put, "/bucket/key", ["X-Amz-Write-Offset-Bytes": "5"]), (.post, "?uploads", [:]),
            (.post, "/bucket/key?uploads=", [:]), (.post, "/bucket/key?uploadId=x", [:]),
            (.delete, "/bucket/key?uploadId=x", [:]),
        ] as [(HTTPRequest.Method, String, [String: String])]
    )
    func otherOperation(method: HTTPRequest.Method, rest: String, fields: [String: String]) async throws {
        try await server.test { client in
            let target = try await Target(client)
            var headers = HTTPFields()
            for (name, value) in fields { headers[.known(name)] = value }
            let response = try await target.call(method, rest, "<Tagging/>", headers)
            expectS3(response, 501, "NotImplemented")
            #expect(response.text.contains("PutObject"))
            let put = try await target.call(.put, "", "hello")
            #expect(put.status == .ok)
            let file = try await client.send("GET", "/\(target.key)", nil, [:])
            #expect(file.text == "hello")
        }
    }

    @Test("the framing of newer AWS clients is taken out", arguments: ["Content-Encoding", "x-amz-content-sha256"])
    func putChunked(header: String) async throws {
        try await server.test { client in
            let target = try await Target(client, size: 5)
            var headers: HTTPFields = [.known("x-amz-decoded-content-length"): "5"]
            headers[.known(header)] = header.hasPrefix("x") ? "STREAMING-UNSIGNED-PAYLOAD-TRAILER" : "aws-chunked"
            let response = try await target.call(.put, "", "5\r\nhello\r\n0\r\nx-amz-checksum:AA==\r\n\r\n", headers)
            #expect(response.status == .ok)
            let file = try await client.send("GET", "/\(target.key)", nil, [:])
            #expect(file.text == "hello")
        }
    }

    @Test("Content-Encoding can say that the bytes are not coded", arguments: ["identity", "Identity", ""])
    func putIdentity(coding: String) async throws {
        try await server.test { client in
            let target = try await Target(client)
            let response = try await target.call(.put, "", "hello", [.contentEncoding: coding])
            #expect(response.status == .ok)
            let file = try await client.send("GET", "/\(target.key)", nil, [:])
            #expect(file.text == "hello" && file.headers[.contentEncoding] == nil)
        }
    }

    @Test("a refusal of Content-Encoding names the header")
    func codingNamed() async throws {
        try await server.test { client in
            let target = try await Target(client)
            let response = try await target.call(.put, "", "hello", [.contentEncoding: "gzip"])
            #expect(response.text.contains("Content-Encoding"))
        }
    }

    @Test("the same bytes again are answered as before, others are a conflict")
    func putAgain() async throws {
        try await server.test { client in
            let target = try await Target(client)
            let first = try await target.call(.put, "", "hello")
            let second = try await target.call(.put, "", "hello")
            let third = try await target.call(.put, "", "hallo")
            #expect(second.status == .ok)
            #expect(second.headers[.eTag] == first.headers[.eTag])
            expectS3(third, 409, "OperationAborted")
        }
    }

    @Test(
        "a PUT that is refused is told why in XML, and keeps nothing",
        arguments: [
            ("hello!", [:], 413, "EntityTooLarge"), ("hell", [:], 400, "InvalidRequest"),
            ("hello", ["Content-MD5": "AAAAAAAAAAAAAAAAAAAAAA=="], 400, "BadDigest"),
            ("hello", ["Content-MD5": "00000000000000000000000000000000"], 400, "BadDigest"),
            ("hello", ["Content-MD5": "nonsense"], 400, "InvalidRequest"),
            ("5\r\nhello", ["Content-Encoding": "aws-chunked"], 400, "InvalidRequest"),
            ("hello", ["Content-Encoding": "gzip"], 400, "InvalidRequest"),
            ("hello", ["Content-Encoding": "identity, br"], 400, "InvalidRequest"),
            ("5\r\nhello\r\n0\r\n\r\n", ["Content-Encoding": "aws-chunked,gzip"], 400, "InvalidRequest"),
            ("hello", ["x-amz-checksum-crc32": "AAAAAA=="], 400, "BadDigest"),
            ("hello", ["x-amz-checksum-sha1": "AAAAAAAAAAAAAAAAAAAAAAAAAAA="], 400, "BadDigest"),
            ("hello", ["x-amz-checksum-sha256": "nonsense"], 400, "InvalidRequest"),
            (
                "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n",
                ["Content-Encoding": "aws-chunked", "x-amz-trailer": "x-amz-checksum-crc32"], 400, "BadDigest"
            ),
            (
                "5\r\nhello\r\n0\r\n\r\n",
                ["Content-Encoding": "aws-chunked", "x-amz-trailer": "x-amz-checksum-crc32"], 400, "InvalidRequest"
            ),
        ] as [(String, [String: String], Int, String)]
    )
    func putRefused(body: String, fields: [String: String], status: Int, code: String) async throws {
        let server = self.server
        try await server.test { client in
            let target = try await Target(client, size: 5)
            var headers = HTTPFields()
            for (name, value) in fields { headers[.known(name)] = value }
            expectS3(try await target.call(.put, "", body, headers), status, code)
        }
        #expect(server.blobs.count == 0)
        #expect(server.staging.count == 0)
        #expect(server.store.count(of: .file) == 0)
    }

    @Test(
        "Content-MD5 is taken in Base64 and in hexadecimal digits",
        arguments: ["XUFAKrxLKna5cZ2REBfFkg==", "5d41402abc4b2a76b9719d911017c592"]
    )
    func putMD5(digest: String) async throws {
        try await server.test { client in
            let target = try await Target(client)
            let response = try await target.call(.put, "", "hello", [.contentMD5: digest])
            #expect(response.status == .ok)
        }
    }

    @Test(
        "the checksums of AWS clients are taken, and those that the server cannot compute are ignored",
        arguments: [
            ("crc32", "NhCmhg=="), ("sha1", "qvTGHdzF6KLavt4PO0gs2a6pQ00="),
            ("sha256", "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="), ("crc32c", "AAAAAA=="),
            ("crc64nvme", "AAAAAAAAAAA="),
        ]
    )
    func putChecksum(kind: String, digest: String) async throws {
        try await server.test { client in
            let name = "x-amz-checksum-\(kind)"
            let whole = try await Target(client).call(.put, "", "hello", [.known(name): digest])
            #expect(whole.status == .ok)
            let chunks = "5\r\nhello\r\n0\r\n\(name):\(digest)\r\n\r\n"
            let headers: HTTPFields = [.contentEncoding: "aws-chunked", .known("x-amz-trailer"): name]
            let chunked = try await Target(client).call(.put, "", chunks, headers)
            #expect(chunked.status == .ok)
        }
    }

    @Test("a PUT to no upload is 404 in XML", arguments: ["a", String(repeating: "a", count: 40)])
    func putUnknown(token: String) async throws {
        try await server.test { client in
            let response = try await client.execute(
                uri: "/1.1/upload/\(token)",
                method: .put,
                body: ByteBuffer(string: "hello")
            )
            expectS3(response, 404, "NoSuchUpload")
        }
    }

    @Test("a PUT after guests may make no files any more is 403 in XML")
    func putForbidden() async throws {
        try await server.test { client in
            let target = try await Target(client)
            _ = try await client.send("PUT", "/1.1/permissions/_File", #"{"create":[]}"#, Who.master.headers)
            expectS3(try await target.call(.put, "", "hello"), 403, "AccessDenied")
        }
    }
}
