import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// Kodo's blocks (v1) and parts (v2), sent to an `upload_url` (docs/uploads.md, section 6).
@Suite struct KodoPartTests {
    private var server: TestServer {
        var server = TestServer()
        server.uploads.partSize = 4
        return server
    }

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
}
