import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

@Suite struct UploadFormTests {
    /// A form's body from its parts, each head and content.
    private func form(_ parts: [(String, String)], closing: String = "\r\n--B--\r\n") -> String {
        parts.map { "--B\r\nContent-Disposition: form-data; \($0)\r\n\r\n\($1)" }.joined(separator: "\r\n") + closing
    }

    private func post<Value>(
        _ body: String,
        as who: Who = .client,
        to server: TestServer = TestServer(),
        _ check: @escaping @Sendable (TestResponse) throws -> Value
    ) async throws -> Value {
        try await server.test { client in
            var headers = who.headers
            headers[.contentType] = "multipart/form-data; boundary=B"
            return try await client.execute(
                uri: "/1.1/files",
                method: .post,
                headers: headers,
                body: ByteBuffer(string: body),
                check
            )
        }
    }

    @Test("fields count before the file and behind it", arguments: [true, false])
    func fields(before: Bool) async throws {
        let fields = [
            ("name=\"name\"", "照片 1.png"), ("name=\"mime_type\"", "image/png"), ("name=\"prefix\"", "/saves/"),
            ("name=\"metaData\"", #"{"width":3}"#), ("name=\"ACL\"", #"{"*":{"read":true}}"#),
            ("name=\"keep_file_name\"", "true"), ("name=\"unknown\"", "passed over"),
        ]
        let file = [("name=\"file\"; filename=\"x.jpg\"\r\nContent-Type: image/jpeg", "abc")]
        try await post(form(before ? fields + file : file + fields)) { response in
            let record = try response.json()
            #expect(response.status == .created)
            #expect(record["name"] == .string("照片 1.png"))
            #expect(record["mime_type"] == .string("image/png"))
            #expect(record["metaData"]?.objectValue?["width"] == .integer(3))
            #expect(record["key"]?.stringValue?.wholeMatch(of: /saves\/[0-9A-Za-z]{32}\/照片 1\.png/) != nil)
            #expect(record["url"]?.stringValue?.hasSuffix("/%E7%85%A7%E7%89%87%201.png") == true)
            #expect(response.headers[.location] == "/1.1/classes/_File/\(record["objectId"]?.stringValue ?? "")")
        }
    }

    @Test("several files give results in their order")
    func several() async throws {
        try await post(form([("name=\"file\"; filename=\"a.txt\"", "1"), ("name=\"file\"; filename=\"b.txt\"", "22")]))
        { response in
            guard case .array(let results)? = try response.json()["results"] else {
                throw ServiceError(.badRequest, "")
            }
            #expect(results.map { $0.objectValue?["name"] } == [.string("a.txt"), .string("b.txt")])
        }
    }

    @Test(
        "a form that is wrong is refused with its code and keeps nothing",
        arguments: [
            ([("name=\"x\"", "1")], 400, 1, "file"),
            ([("name=\"file\"; filename=\"../x\"", "1")], 400, 122, "slash"),
            ([("name=\"file\"; filename=\"..\"", "1")], 400, 122, "folder"),
            ([("name=\"file\"", "1"), ("name=\"metaData\"", "{")], 400, 107, "metaData"),
            ([("name=\"file\"", "1"), ("name=\"metaData\"", "[]")], 400, 107, "metaData"),
            ([("name=\"file\"", "1"), ("name=\"ACL\"", "[]")], 400, 123, "ACL"),
            ([("name=\"file\"", "1"), ("name=\"prefix\"", "../x")], 400, 1, "prefix"),
            ([("name=\"file\"", "1"), ("name=\"keep_file_name\"", "maybe")], 400, 1, "keep_file_name"),
            ([("name=\"file\"", "1"), ("name=\"file\"", "2"), ("name=\"name\"", "x")], 400, 1, "name"),
            ([("name=\"file\"", "1"), ("name=\"name\"", "x"), ("name=\"name\"", "y")], 400, 1, "twice"),
            (
                [("name=\"file\"", "1"), ("name=\"metaData\"", String(repeating: "x", count: 1025))], 413, 413,
                "uploads.maxFieldSize"
            ),
            ([("name=\"file\"", String(repeating: "x", count: 1 << 20 + 1))], 413, 413, "uploads.maxSize"),
            ([(String, String)](repeating: ("name=\"x\"", ""), count: 11), 413, 413, "uploads.maxParts"),
        ] as [([(String, String)], Int, Int64, String)]
    )
    func refused(parts: [(String, String)], status: Int, code: Int64, named: String) async throws {
        let server = TestServer()
        try await post(form(parts), to: server) { response in
            #expect(response.status.code == status)
            let body = try response.json()
            #expect(body["code"] == .integer(code))
            #expect(body["error"]?.stringValue?.contains(named) == true, "\(response.text)")
        }
        #expect(server.staging.count == 0)
        #expect(server.blobs.count == 0)
        #expect(server.store.count(of: .file) == 0)
    }

    @Test(
        "only metaData and ACL can be larger than 4 KB, and names of the master key",
        arguments: [
            ("name", .client, 413), ("mime_type", .client, 413), ("prefix", .client, 413),
            ("keep_file_name", .client, 413), ("name", .master, 201), ("metaData", .client, 201), ("ACL", .client, 201),
            ("unknown", .client, 201),
        ] as [(String, Who, Int)]
    )
    func shortFields(field: String, who: Who, status: Int) async throws {
        var server = TestServer()
        server.wire = WireLimits(jsonSize: 1 << 16, formParts: 10)
        server.uploads.masterNameLength = 5000
        let blanks = String(repeating: " ", count: 5000)
        let json = ["metaData": "\(blanks){}", "ACL": #"\#(blanks){"*":{"read":true}}"#]
        let value = json[field] ?? String(repeating: "n", count: 5000)
        let parts = [("name=\"\(field)\"", value), ("name=\"file\"; filename=\"a\"", "a")]
        try await post(form(parts), as: who, to: server) { response in
            #expect(response.status.code == status, "\(response.text)")
            guard status == 413 else { return }
            #expect(response.text.contains("'\(field)' is larger than 4096 bytes"), "\(response.text)")
        }
    }

    @Test(
        "a part whose bytes are not those of its file is refused, and plain ones are stored",
        arguments: [
            ("; filename=a\r\nContent-Transfer-Encoding: base64", "Content-Transfer-Encoding base64"),
            ("\r\ncontent-transfer-encoding:Quoted-Printable", "Content-Transfer-Encoding Quoted-Printable"),
            ("; filename=a\r\nContent-Encoding: gzip", "Content-Encoding gzip"),
            ("; filename=a\r\nContent-Encoding: utf-8, BR", "Content-Encoding BR"),
            ("\r\nContent-Type: multipart/mixed; boundary=x", "multipart/mixed"),
            ("; filename=a\r\nContent-Transfer-Encoding: Binary", nil),
            ("; filename=a\r\nContent-Transfer-Encoding: 8bit", nil),
            ("; filename=a\r\nContent-Encoding: utf-8", nil),
            ("; filename=a\r\nContent-Transfer-Encoding: 7bit\r\nContent-Encoding: identity", nil),
            ("; filename=a\r\nContent-Type: multipart/mixed; boundary=x", nil),
        ] as [(String, String?)]
    )
    func codedParts(head: String, named: String?) async throws {
        let server = TestServer()
        try await post(form([("name=file\(head)", "abc")]), to: server) { response in
            #expect(response.status == (named == nil ? .created : .badRequest), "\(response.text)")
            if let named { #expect(response.text.contains(named), "\(response.text)") }
        }
        #expect(server.store.count(of: .file) == (named == nil ? 1 : 0))
        #expect(server.staging.count == 0)
    }

    @Test(
        "a field with a coding is refused, and a part that is ignored can have one",
        arguments: [("metaData", 400), ("note", 201)]
    )
    func codedFields(name: String, status: Int) async throws {
        let fields = ["Content-Transfer-Encoding: base64", "Content-Type: multipart/mixed; boundary=x"].map {
            ("name=\(name)\r\n\($0)", "e30=")
        }
        for field in fields {
            try await post(form([field, ("name=file; filename=a", "abc")])) { response in
                #expect(response.status.code == status, "\(response.text)")
            }
        }
    }

    @Test(
        "fields that each file of a form gets are limited like the JSON of as many objects",
        arguments: [(1, 201), (2, 201), (3, 413)]
    )
    func repeated(files: Int, status: Int) async throws {
        var server = TestServer()
        server.wire = WireLimits(jsonSize: 1 << 16, guestJSONSize: 1500, fieldSize: 1024, formParts: 10)
        let metaData = #"{"text":"\#(String(repeating: "a", count: 500))"}"#
        let fields = [("name=\"metaData\"", metaData), ("name=\"ACL\"", #"{"*":{"read":true}}"#)]
        let parts = fields + (0..<files).map { ("name=\"file\"; filename=\"\($0).txt\"", "") }
        try await post(form(parts), to: server) { response in
            #expect(response.status.code == status, "\(response.text)")
            guard status == 413 else { return }
            #expect(response.text.contains("metaData and ACL"))
            #expect(response.text.contains("http.maxGuestJsonSize"))
        }
        #expect(server.staging.count == 0)
        #expect(server.store.count(of: .file) == (status == 413 ? 0 : files))
    }

    @Test(
        "fields, their values and the names of files count in the memory of bodies until the answer",
        arguments: [
            ["name", "prefix"].map { ("name=\"\($0)\"", String(repeating: "a", count: 600)) },
            [("name=\"metaData\"", #"{"list":[\#(String(repeating: "[],", count: 200))[]]}"#)],
            (0..<3).map { ("name=\"file\"; filename=\"\($0)\(String(repeating: "a", count: 400))\"", "") },
        ] as [[(String, String)]]
    )
    func memory(parts: [(String, String)]) async throws {
        var server = TestServer()
        server.wire = WireLimits(jsonSize: 1 << 16, bodyMemory: 4096, fieldSize: 1024, formParts: 10)
        let file = [("name=\"file\"; filename=\"a.txt\"", "a")]
        let (large, small) = (form(parts + file), form(file + [("name=\"prefix\"", "p")]))
        var headers = Who.client.headers
        headers[.contentType] = "multipart/form-data; boundary=B"
        try await server.test { [headers] client in
            for _ in 0..<3 {
                for (body, status) in [(large, 413), (small, 201)] {
                    let response = try await client.execute(
                        uri: "/1.1/files",
                        method: .post,
                        headers: headers,
                        body: ByteBuffer(string: body)
                    )
                    #expect(response.status.code == status, "\(response.text)")
                    if status == 413 { #expect(response.text.contains("http.bodyMemory"), "\(response.text)") }
                }
            }
        }
        #expect(server.staging.count == 0)
    }

    @Test("a form without its closing boundary keeps nothing")
    func cutShort() async throws {
        let server = TestServer()
        try await post(form([("name=\"file\"", "abc")], closing: ""), to: server) { #expect($0.status == .badRequest) }
        #expect(server.staging.count == 0)
        #expect(server.blobs.count == 0)
    }

    @Test(
        "a body that is no form is told where to go",
        arguments: [
            nil, "text/html", "multipart/form-data", "multipart/form-data; boundary=",
        ] as [String?]
    )
    func noForm(type: String?) async throws {
        try await TestServer().test { client in
            var headers = Who.client.headers
            headers[.contentType] = type
            try await client.execute(uri: "/1.1/files", method: .post, headers: headers) { response in
                #expect(response.status == .badRequest)
                #expect(response.text.contains("multipart/form-data"))
            }
        }
    }
}
