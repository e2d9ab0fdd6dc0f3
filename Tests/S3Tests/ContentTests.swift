import Glibc
import Support
import Testing

@testable import S3

@Suite("Content, ranges and copies")
struct ContentTests {
    private static let object = S3Object(key: "key", size: 10, modified: 0, tag: "0f")

    private static func digits(_ range: Range<Int>, _ status: Int = 206, cut: Int? = nil) -> ScriptedReply {
        ScriptedReply(
            status: status,
            headers: [
                "ETag: \"0f\"", "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/10",
                "X-Amz-Meta-A: b",
            ],
            body: Array("0123456789".utf8)[range].map(\.self),
            cut: cut
        )
    }

    /// What a client reads of the object `0123456789`.
    private func read(
        _ range: Range<Int64>,
        _ answer: @escaping @Sendable (_ request: ReceivedRequest, _ number: Int) -> ScriptedReply
    ) throws -> (text: String, object: S3Object, requests: [ReceivedRequest]) {
        try ScriptedStore(answer).with { client, server in
            var bytes: [UInt8] = []
            let object = try client.read(range, of: ContentTests.object) { bytes += $0 }
            return (String(decoding: bytes, as: UTF8.self), object, server.requests)
        }
    }

    @Test("a range is requested of the object that was listed, and comes with its metadata")
    func ranges() throws {
        let (text, object, requests) = try read(2..<5) { _, _ in ContentTests.digits(2..<5) }
        #expect(text == "234" && object.metadata == ["a": "b"] && object.size == 10)
        #expect(requests.first?.headers["range"] == "bytes=2-4" && requests.first?.headers["if-match"] == "\"0f\"")
        let whole = try read(0..<10) { _, _ in ContentTests.digits(0..<10, 200) }
        #expect(whole.text == "0123456789" && whole.requests.first?.headers["range"] == nil)
    }

    @Test("a range that breaks off continues, and each byte arrives once")
    func continues() throws {
        let (text, _, requests) = try read(0..<10) { _, number in
            switch number {
            case 1: ContentTests.digits(0..<10, 200, cut: 3)
            case 2: ScriptedReply(status: 503)
            case 3: ContentTests.digits(3..<10, cut: 4)
            default: ContentTests.digits(7..<10)
            }
        }
        #expect(text == "0123456789")
        #expect(requests.map { $0.headers["range"] } == [nil, "bytes=3-9", "bytes=3-9", "bytes=7-9"])
    }

    @Test("another object, another range and other sizes are refused")
    func refusesOthers() throws {
        var other = ContentTests.digits(2..<5)
        other.headers[0] = "ETag: \"1f\""
        let replies: [(ScriptedReply, S3Error.Reason)] = [
            (other, .missing), (ScriptedStore.refusal(412, "PreconditionFailed"), .missing),
            (ScriptedStore.refusal(404, "NoSuchKey"), .missing), (ContentTests.digits(3..<6), .damaged),
            (ContentTests.digits(2..<6), .damaged), (ContentTests.digits(0..<10, 200), .damaged),
        ]
        for (reply, reason) in replies {
            let error = #expect(throws: S3Error.self) { _ = try read(2..<5) { _, _ in reply } }
            #expect(error?.reason == reason)
        }
    }

    @Test("content is read for its digests and again for each attempt")
    func content() throws {
        let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { request, number in
            ScriptedReply(
                status: number == 1 ? 503 : 200,
                headers: ["ETag: \"\(S3Body(request.body).digests.md5.hexadecimal)\""]
            )
        }
        try ScriptedStore(answer).with { client, server in
            var observed: [UInt8] = []
            let content = try S3Content(size: Int64(bytes.count)) { buffer, offset in
                let part = bytes[Int(offset)...].prefix(min(buffer.count, 100_001))
                buffer.copyBytes(from: part)
                return part.count
            } observing: {
                observed += $0
            }
            try client.put("key", content, headers: [("x-amz-meta-a", "b")])
            #expect(observed == bytes)
            #expect(server.requests.map(\.body) == [bytes, bytes])
            #expect(server.requests.last?.headers["x-amz-meta-a"] == "b")
            #expect(server.requests.last?.headers["x-amz-content-sha256"] == S3Body(bytes).digests.sha256)
        }
        let error = #expect(throws: S3Error.self) { _ = try S3Content(size: 5) { _, _ in 0 } }
        #expect(error?.reason == .local)
    }

    @Test("a copy names its source, and an error behind a head with 200 is one")
    func copies() throws {
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { _, number in
            number == 1 ? ScriptedStore.refusal(200, "InternalError") : .json("<CopyObjectResult/>")
        }
        try ScriptedStore(answer).with { client, server in
            try client.copy("a b/ü", to: "new")
            #expect(server.requests.map(\.path) == ["/bucket/new", "/bucket/new"])
            #expect(server.requests.last?.headers["x-amz-copy-source"] == "/bucket/a%20b/%C3%BC")
        }
        try ScriptedStore({ _, _ in ScriptedStore.refusal(404, "NoSuchKey") }).with { client, _ in
            let error = #expect(throws: S3Error.self) { try client.copy("a", to: "new") }
            #expect(error?.reason == .missing)
        }
    }

    @Test("what creates an object asks for encryption, and nothing else does")
    func encrypts() throws {
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { request, _ in
            .json(request.method == "POST" ? "<R><UploadId>u</UploadId></R>" : "", "ETag: \"version-1\"")
        }
        for (encryption, key) in [(.managed, nil), (.keyService(key: "k"), "k")] as [(S3Encryption, String?)] {
            try ScriptedStore(answer, change: { $0.encryption = encryption }).with { client, server in
                try client.put("key", bytes: [])
                try client.copy("key", to: "copy")
                let upload = try client.begin("key", headers: [])
                _ = try client.put(S3Content([1]), as: 1, of: upload)
                let name = "x-amz-server-side-encryption"
                let algorithm = key == nil ? "AES256" : "aws:kms"
                #expect(server.requests.map { $0.headers[name] } == [algorithm, algorithm, algorithm, nil])
                #expect(server.requests[0].headers["\(name)-aws-kms-key-id"] == key)
            }
        }
    }

    @Test("uploads that are not complete are listed with their times")
    func uploads() throws {
        let text = """
            <ListMultipartUploadsResult><EncodingType>url</EncodingType><Upload><Key>p/a%20b</Key><UploadId>u1</UploadId>
            <Initiated>2026-01-02T03:04:05.000Z</Initiated></Upload><Upload><Key>p/c</Key></Upload></ListMultipartUploadsResult>
            """
        try ScriptedStore({ _, _ in .json(text) }).with { client, server in
            let found = try client.uploads(prefix: "p/")
            #expect(found == [S3Upload(key: "p/a b", id: "u1", begun: 1_767_323_045)])
            #expect(server.requests.first?.path == "/bucket/?encoding-type=url&prefix=p%2F&uploads=")
        }
        try ScriptedStore({ _, _ in ScriptedStore.refusal(404, "NoSuchUpload") }).with { client, _ in
            try client.abort(S3Upload(key: "a", id: "u", begun: 0))
        }
    }

    @Test("a deletion reports the errors of its keys, and removes the others")
    func reports() throws {
        let mixed =
            "<DeleteResult><Error><Key>b</Key><Code>AccessDenied</Code></Error>"
            + "<Error><Key>c</Key><Code>SlowDown</Code></Error></DeleteResult>"
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { _, number in
            .json(number == 1 ? mixed : "<DeleteResult/>")
        }
        try ScriptedStore(answer).with { client, server in
            let errors = client.deleteReporting(["a", "b", "c"])
            #expect(errors.keys.sorted() == ["b"] && errors["b"]?.reason == .refused)
            #expect(server.requests.count == 2)
        }
        try ScriptedStore({ _, _ in ScriptedReply(status: 503) }).with { client, server in
            let errors = client.deleteReporting((0..<1500).map { "k\($0)" })
            #expect(errors.count == 1500 && errors.values.allSatisfy { $0.reason == .unavailable })
            #expect(server.requests.count == 3)
        }
    }
}
