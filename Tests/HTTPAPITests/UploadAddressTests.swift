import Domain
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// What is sent to an `upload_url`, without any credentials but the address (docs/uploads.md, section 6).
@Suite struct UploadAddressTests {
    private var server: TestServer {
        var server = TestServer()
        server.uploads.partSize = 4
        return server
    }

    /// Refusals to S3's clients are XML.
    private func expectS3(
        _ response: TestResponse,
        _ status: Int,
        _ code: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status.code == status, "\(response.text)", sourceLocation: sourceLocation)
        #expect(response.headers[.contentType] == "application/xml", sourceLocation: sourceLocation)
        let isError = response.text.contains("<Error><Code>\(code)</Code><Message>")
        #expect(isError, "\(response.text)", sourceLocation: sourceLocation)
    }

    /// Refusals to Kodo's and COS's clients are JSON, with a sentence under both names and the status.
    private func expectKodo(
        _ response: TestResponse,
        _ status: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let body = try response.json()
        #expect(response.status.code == status, "\(response.text)", sourceLocation: sourceLocation)
        #expect(Set(body.keys) == ["error", "code", "message"], sourceLocation: sourceLocation)
        #expect(body["code"] == .integer(Int64(status)), sourceLocation: sourceLocation)
        #expect(body["error"]?.stringValue?.isEmpty == false, sourceLocation: sourceLocation)
        #expect(body["message"] == body["error"], sourceLocation: sourceLocation)
        #expect(response.headers[.known("X-Reqid")] != nil, sourceLocation: sourceLocation)
    }

    /// The end of an upload of `hello` is told by hash and key.
    private func expectFile(
        _ response: TestResponse,
        _ target: Target,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let body = try response.json()
        #expect(Set(body.keys) == ["hash", "key"], sourceLocation: sourceLocation)
        #expect(body["hash"] == .string("Fqr0xh3cxeii2r7eDztILNmuqUNN"), sourceLocation: sourceLocation)
        #expect(body["key"] == .string(target.key), sourceLocation: sourceLocation)
    }

    // MARK: S3

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
                "/bucket/a%20b.txt?partNumber=1&X-Amz-Signature=x",
                "hello",
                [.authorization: "AWS4-HMAC-SHA256 Credential=x", .contentType: "image/png"]
            )
            #expect(response.status == .ok)
            let record = try await client.send("GET", "/1.1/files/\(target.id)").json()
            #expect(record["mime_type"] == .string("text/plain"))
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
        #expect(server.blobs.staged == 0)
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

    // MARK: Forms

    @Test("Kodo's form is answered with hash and key, wherever the file stands in it", arguments: [true, false])
    func form(isFirst: Bool) async throws {
        try await server.test { client in
            let target = try await Target(client, size: 5)
            let fields = [("token", target.token), ("key", target.key), ("crc32", "907060870"), ("x:a", "1")]
            let file = [("file", "hello")]
            let response = try await target.form(isFirst ? file + fields : fields + file)
            #expect(response.status == .ok)
            try expectFile(response, target)
            #expect(response.headers[.known("X-Reqid")] != nil)
        }
    }

    @Test(
        "a form of Kodo's that is refused is told why in JSON, and keeps nothing",
        arguments: [
            ([("file", "hello")], 401), ([("file", "hello"), ("token", "x")], 401),
            ([("file", "hello"), ("token", "b:0123456789012345678901234567890123456789:p")], 401),
            ([("token", "<token>")], 400), ([("file", "hello"), ("file", "hello"), ("token", "<token>")], 400),
            ([("file", "hello"), ("token", "<token>"), ("token", "<token>")], 400),
            ([("file", "hello"), ("token", "<token>"), ("key", "other")], 400),
            ([("file", "hello"), ("token", "<token>"), ("crc32", "x")], 400),
            ([("file", "hello"), ("token", "<token>"), ("crc32", "1")], 406),
            ([("file", "hello!"), ("token", "<token>")], 413), ([("file", "hell"), ("token", "<token>")], 400),
            ([("file", "hello"), ("token", "<token>"), ("key", String(repeating: "k", count: 1025))], 413),
        ] as [([(String, String)], Int)]
    )
    func formRefused(parts: [(String, String)], status: Int) async throws {
        let server = self.server
        try await server.test { client in
            let target = try await Target(client, size: 5)
            let parts = parts.map { ($0, $1 == "<token>" ? target.token : $1) }
            try expectKodo(try await target.form(parts), status)
        }
        #expect(server.blobs.count == 0)
        #expect(server.blobs.staged == 0)
        #expect(server.store.count(of: .file) == 0)
    }

    @Test("the same form again is answered as before, other bytes are 614")
    func formAgain() async throws {
        try await server.test { client in
            let target = try await Target(client)
            _ = try await target.form([("file", "hello"), ("token", target.token)])
            let same = try await target.form([("file", "hello"), ("token", target.token)])
            let other = try await target.form([("file", "hallo"), ("token", target.token)])
            #expect(same.status == .ok)
            try expectFile(same, target)
            try expectKodo(other, 614)
        }
    }

    @Test("a POST that is no form is 400", arguments: ["application/json", "multipart/form-data"])
    func noForm(type: String) async throws {
        try await server.test { client in
            let target = try await Target(client)
            try expectKodo(try await target.call(.post, "", "{}", [.contentType: type]), 400)
        }
    }

    @Test("COS's form is answered with addresses, its token in a header or the query", arguments: [true, false])
    func cos(hasHeader: Bool) async throws {
        try await server.test { client in
            let target = try await Target(client)
            let response = try await target.form(
                [("op", "upload"), (hasHeader ? "filecontent" : "fileContent", "hello")],
                query: hasHeader ? "" : "?sign=\(target.token)",
                hasHeader ? [.authorization: target.token] : [:]
            )
            let url = JSONValue.string("https://files.example.com/\(target.key)")
            #expect(response.status == .ok)
            let body = try response.json()
            #expect(body["code"] == .integer(0))
            #expect(body["message"] == .string("SUCCESS"))
            #expect(body["data"] == .object(["access_url": url, "source_url": url, "url": url]))
        }
    }

    @Test("COS's form with another token, or none, is 401", arguments: ["", "?sign=x"])
    func cosRefused(query: String) async throws {
        try await server.test { client in
            let target = try await Target(client)
            try expectKodo(try await target.form([("op", "upload"), ("filecontent", "hello")], query: query), 401)
        }
    }

    // MARK: Kodo v1

    @Test("blocks in chunks make the file, and each chunk is answered with what SDKs compare")
    func blocks() async throws {
        try await server.test { client in
            let target = try await Target(client, size: 5)
            let first = try await target.call(.post, "/mkblk/5", "he", target.bearer)
            let block = try first.json()
            let context = try #require(block["ctx"]?.stringValue)
            #expect(first.status == .ok)
            #expect(block["offset"] == .integer(2))
            #expect(block["host"] == .string("https://api.example.com\(target.path)"))
            #expect(block["expired_at"]?.integerValue != nil)
            let chunk = try await target.call(.post, "/bput/\(context)/2", "llo", target.bearer).json()
            let last = try #require(chunk["ctx"]?.stringValue)
            #expect(chunk["crc32"] == .integer(2_865_345_332))
            #expect(chunk["offset"] == .integer(5))
            let file = try await target.call(.post, "/mkfile/5/key/\(target.encodedKey)", last, target.bearer)
            #expect(file.status == .ok)
            try expectFile(file, target)
        }
    }

    @Test(
        "what is wrong with blocks is told in Kodo's form",
        arguments: [
            ("/mkblk/0", "", 400), ("/mkblk/4194305", "hello", 400), ("/mkblk/3", "hello", 400),
            ("/bput/x/0", "hello", 701), ("/mkfile/5", "x", 701), ("/mkfile/5", "", 400),
            ("/mkfile/0/key/eA==", "", 400), ("/mkfile/0/key/!", "", 400), ("/nosuch/5", "", 404),
            ("/mkblk/x", "hello", 404),
        ] as [(String, String, Int)]
    )
    func blocksRefused(path: String, body: String, status: Int) async throws {
        try await server.test { client in
            let target = try await Target(client, size: 5)
            try expectKodo(try await target.call(.post, path, body, target.bearer), status)
        }
    }

    // MARK: Kodo v2

    @Test("parts make the file, each named by an etag, with its MD5")
    func parts() async throws {
        try await server.test { client in
            let target = try await Target(client, size: 5)
            let id = try await target.begin()
            let second = try await target.call(.put, "\(target.objects)/\(id)/2", "o", target.bearer)
            let first = try await target.call(
                .put,
                "\(target.objects)/\(id)/1",
                "hell",
                target.bearer.merging([.contentMD5: "QinWkbB7EzQdpT8Xq58kFg=="])
            )
            let tags = try [first, second].map { try #require(try $0.json()["etag"]?.stringValue) }
            #expect(try second.json()["md5"] == .string("d95679752134a2d9eb61dbd7b91c4bcc"))
            let list = zip(1..., tags).map { #"{"partNumber":\#($0),"etag":"\#($1)"}"# }.joined(separator: ",")
            let end = #"{"parts":[\#(list)],"fname":"x","mimeType":"image/png"}"#
            let file = try await target.call(.post, "\(target.objects)/\(id)", end, target.bearer)
            #expect(file.status == .ok)
            try expectFile(file, target)
            let record = try await client.send("GET", "/1.1/files/\(target.id)").json()
            #expect(record["name"] == .string("a.txt"))
        }
    }

    @Test("parts begin with the upload's id and the time it has")
    func partsBegin() async throws {
        try await server.test { client in
            let target = try await Target(client)
            let body = try await target.call(.post, target.objects, nil, target.bearer).json()
            #expect(Set(body.keys) == ["uploadId", "expireAt"])
            #expect(body["expireAt"]?.integerValue != nil)
        }
    }

    @Test(
        "what is wrong with parts is told in Kodo's form",
        arguments: [
            ("PUT", "/0", "hello", [:], 400), ("PUT", "/10001", "hello", [:], 400), ("PUT", "/x", "hello", [:], 400),
            ("PUT", "/1", nil, [:], 411), ("PUT", "/1", "hello!", [:], 413),
            ("PUT", "/1", "hello", ["Content-MD5": "AAAAAAAAAAAAAAAAAAAAAA=="], 406),
            ("PUT", "/1", "hello", ["Content-MD5": "nonsense"], 400), ("POST", "", #"{"parts":[]}"#, [:], 400),
            ("POST", "", "{", [:], 400), ("POST", "", #"{"parts":[{"partNumber":1}]}"#, [:], 400),
            ("POST", "", #"{"parts":[{"partNumber":1,"etag":"x"}]}"#, [:], 701), ("POST", "/1", "", [:], 404),
            ("PUT", "", "hello", [:], 404),
        ] as [(String, String, String?, [String: String], Int)]
    )
    func partsRefused(
        method: String,
        rest: String,
        body: String?,
        fields: [String: String],
        status: Int
    ) async throws {
        try await server.test { client in
            let target = try await Target(client, size: 5)
            let id = try await target.begin()
            var headers = target.bearer
            for (name, value) in fields { headers[.known(name)] = value }
            let method = try #require(HTTPRequest.Method(method))
            try expectKodo(try await target.call(method, "\(target.objects)/\(id)\(rest)", body, headers), status)
        }
    }

    @Test("an uploadId that there is not is 612", arguments: [("PUT", "/x/1"), ("POST", "/x"), ("DELETE", "/x")])
    func unknownID(method: String, rest: String) async throws {
        try await server.test { client in
            let target = try await Target(client)
            let method = try #require(HTTPRequest.Method(method))
            try expectKodo(try await target.call(method, target.objects + rest, "", target.bearer), 612)
        }
    }

    @Test("an upload that was given up is 612 where its id is said, and 401 elsewhere")
    func partsGivenUp() async throws {
        try await server.test { client in
            let target = try await Target(client)
            let id = try await target.begin()
            let gone = try await target.call(.delete, "\(target.objects)/\(id)", nil, target.bearer)
            #expect(gone.status == .ok)
            try expectKodo(try await target.call(.put, "\(target.objects)/\(id)/1", "hello", target.bearer), 612)
            try expectKodo(try await target.call(.post, target.objects, "", target.bearer), 401)
        }
    }

    @Test(
        "a key in the path is the upload's in Base64 of any form, or none",
        arguments: [
            ("<url>", 200), ("<bare>", 200), ("<standard>", 200), ("<encoded>", 200), ("~", 200), ("eA==", 400),
            ("!", 400),
        ] as [(String, Int)]
    )
    func keyForms(form: String, status: Int) async throws {
        try await server.test { client in
            // Its Base64 has a slash and a plus sign in the standard alphabet.
            let target = try await Target(client, #"{"name":"a.txt","key":"ab?cd>ef"}"#, Who.master.headers)
            let standard = target.encodedKey.replacing("-", with: "+").replacing("_", with: "/")
            let encoded = standard.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
            let forms = [
                "<url>": target.encodedKey, "<bare>": target.encodedKey.replacing("=", with: ""),
                "<standard>": standard, "<encoded>": encoded,
            ]
            let path = "/buckets/app/objects/\(forms[form] ?? form)/uploads"
            let response = try await target.call(.post, path, "", target.bearer)
            #expect(response.status.code == status, "\(path): \(response.text)")
        }
    }

    @Test(
        "what Kodo's clients send with another token than the address's, or none, is 401",
        arguments: [
            "", "UpToken", "UpToken x", "Bearer <token>", "<token>", "UpToken b:<other>:p", "UpToken <token> x",
        ]
    )
    func unauthorized(text: String) async throws {
        try await server.test { client in
            let target = try await Target(client)
            let other = try await Target(client)
            let shown = text.replacing("<token>", with: target.token).replacing("<other>", with: other.token)
            for path in ["/mkblk/5", "/bput/x/0", "/mkfile/0", target.objects, "\(target.objects)/x"] {
                try expectKodo(try await target.call(.post, path, "hello", [.authorization: shown]), 401)
            }
        }
    }

    @Test(
        "all dialects work on an address, whichever form its token has",
        arguments: ["LeanCloud-JS-SDK/4.15.3", "curl"]
    )
    func anyProvider(agent: String) async throws {
        try await server.test { client in
            for dialect in 0..<3 {
                let headers = Who.client.headers.merging([.userAgent: agent])
                let target = try await Target(client, #"{"name":"a.txt"}"#, headers)
                let response =
                    switch dialect {
                    case 0: try await target.call(.put, "", "hello")
                    case 1: try await target.form([("file", "hello"), ("token", target.token)])
                    default: try await target.call(.post, "/mkblk/5", "hello", target.bearer)
                    }
                #expect(response.status == .ok)
            }
        }
    }

    @Test("what Kodo's clients send to no upload is 401", arguments: ["", "/mkblk/5", "/buckets/b/objects/~/uploads"])
    func unknown(rest: String) async throws {
        try await server.test { client in
            let response = try await client.execute(
                uri: "/1.1/upload/\(String(repeating: "a", count: 40))\(rest)",
                method: .post,
                body: ByteBuffer(string: "hello")
            )
            try expectKodo(response, 401)
        }
    }

    @Test("a browser is allowed whatever headers it asks for, and shown the answer")
    func browsers() async throws {
        try await server.test { client in
            let target = try await Target(client)
            let preflight = try await target.call(
                .options,
                "",
                nil,
                [
                    .origin: "https://app.example.com", .accessControlRequestMethod: "PUT",
                    .accessControlRequestHeaders: "x-my-own, authorization",
                ]
            )
            #expect(preflight.status == .noContent)
            #expect(preflight.headers[.accessControlAllowOrigin] == "*")
            #expect(preflight.headers[.accessControlAllowHeaders] == "x-my-own, authorization")
            #expect(preflight.headers[.accessControlAllowMethods]?.contains("PUT") == true)
            let response = try await target.call(.put, "", "hello", [.origin: "https://app.example.com"])
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            #expect(response.headers[.accessControlExposeHeaders]?.contains("ETag") == true)
        }
    }
}
