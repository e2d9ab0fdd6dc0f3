import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// Forms of Kodo's and COS's clients, sent to an `upload_url` (docs/uploads.md, section 6).
@Suite struct KodoFormTests {
    private var server: TestServer {
        var server = TestServer()
        server.uploads.partSize = 4
        return server
    }

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
        #expect(server.staging.count == 0)
        #expect(server.store.count(of: .file) == 0)
    }

    @Test(
        "a part of Kodo's form with a coding is refused, unless it is ignored",
        arguments: [("file", 400), ("token", 400), ("x:a", 200)]
    )
    func codedPart(name: String, status: Int) async throws {
        try await server.test { client in
            let target = try await Target(client, size: 5)
            let parts = [("x:a", "1"), ("token", target.token), ("file", "hello")].map { part, text in
                // The first quote ends the name.
                (part == name ? "\(part)\"\r\nContent-Transfer-Encoding: base64\r\nX-Rest: \"" : part, text)
            }
            let response = try await target.form(parts)
            #expect(response.status.code == status, "\(response.text)")
        }
    }

    @Test("a field of a form of Kodo's that is larger than 4 KB is refused", arguments: ["key", "token", "crc32"])
    func longField(field: String) async throws {
        var server = self.server
        server.wire = WireLimits(jsonSize: 1 << 16, formParts: 10)
        try await server.test { client in
            let target = try await Target(client, size: 5)
            let response = try await target.form([(field, String(repeating: "1", count: 4097)), ("file", "hello")])
            try expectKodo(response, 413)
            #expect(response.text.contains("'\(field)' is larger than 4096 bytes"))
        }
    }

    @Test("the fields of a form of Kodo's count in the memory of bodies until the answer")
    func memory() async throws {
        var server = self.server
        server.wire = WireLimits(jsonSize: 1 << 16, bodyMemory: 8192, fieldSize: 1024, formParts: 10)
        try await server.test { client in
            let large = ["key", "crc32"].map { ($0, String(repeating: "1", count: 1024)) }
            for _ in 0..<2 {
                let target = try await Target(client, size: 5)
                let response = try await target.form([("token", target.token)] + large + [("file", "hello")])
                try expectKodo(response, 413)
                #expect(response.text.contains("http.bodyMemory"))
            }
            let target = try await Target(client, size: 5)
            try expectFile(try await target.form([("file", "hello"), ("token", target.token)]), target)
        }
    }

    @Test(
        "the random key that an old SDK announced is accepted, also if the file has another key",
        arguments: [
            ("2.二零二四年第一季度工作总结", ".二零二四年第一季度工作总结", false, ""), ("foo.", ".", false, ""),
            (
                "v1.2 (final version of the whole document)", ".2 (final version of the whole document)", false, ""
            ),
            ("a.JPG?id=106E99A1&ext=JPG", ".JPG?id=106E99A1&ext=JPG", false, ""), ("a.txt", ".txt", false, ".txt"),
            ("a.txt", ".txt", true, "/a.txt"), ("README", "", true, "/README"),
        ]
    )
    func announcedKey(name: String, tail: String, keepsName: Bool, end: String) async throws {
        try await server.test { client in
            let key = "0123456789abcdef0123"
            let body = #"{"name":"\#(name)","key":"\#(key + tail)","keep_file_name":\#(keepsName)}"#
            let target = try await Target(client, body)
            #expect(target.key == key + end)
            let parts = [("file", "hello"), ("token", target.token)]
            try expectKodo(try await target.form(parts + [("key", "0123456789abcdef0124\(tail)")]), 400)
            let response = try await target.form(parts + [("key", key + tail)])
            #expect(response.status == .ok)
            try expectFile(response, target)
        }
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
}
