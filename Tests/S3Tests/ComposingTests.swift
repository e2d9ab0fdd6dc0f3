import Support
import Testing

@testable import S3

@Suite("Copies of parts and objects") struct ComposingTests {
    private let source = S3Object(key: "a b", size: 100, tag: String(repeating: "a", count: 32))
    private let upload = S3Upload(key: "c", id: "id", begun: 0)

    private func copied(_ result: String, _ tag: String) -> ScriptedReply {
        ScriptedReply(body: Array("<\(result)><ETag>&quot;\(tag)&quot;</ETag></\(result)>".utf8))
    }

    @Test("a part names its source, its range, its number and its upload")
    func part() throws {
        try ScriptedStore { _, _ in copied("CopyPartResult", "tag") }
            .with { client, server in
                let part = try client.copy(source, 10..<20, as: 3, of: upload)
                #expect(part.number == 3 && part.tag == "tag" && part.md5.isEmpty)
                _ = try client.copy(source, 0..<100, as: 1, of: upload)
                #expect(
                    server.requests.map(\.path) == [
                        "/bucket/c?partNumber=3&uploadId=id", "/bucket/c?partNumber=1&uploadId=id",
                    ]
                )
                #expect(server.requests.map { $0.headers["x-amz-copy-source"] } == ["/bucket/a%20b", "/bucket/a%20b"])
                #expect(server.requests.map { $0.headers["x-amz-copy-source-range"] } == ["bytes=10-19", nil])
            }
    }

    @Test("an error behind a head with 200 is repeated")
    func lateErrors() throws {
        try ScriptedStore { _, number in
            number < 3
                ? ScriptedReply(body: Array("<Error><Code>InternalError</Code></Error>".utf8))
                : copied("CopyObjectResult", source.tag)
        }
        .with { client, server in
            try client.copy(source, to: "c", headers: [("x-amz-meta-a", "1")])
            #expect(server.requests.count == 3)
            #expect(server.requests.last?.headers["x-amz-meta-a"] == "1")
            #expect(server.requests.last?.headers["x-amz-metadata-directive"] == "REPLACE")
        }
    }

    @Test("a copy with another MD5 than its source is damaged; that of a range is not compared")
    func otherBytes() throws {
        let other = String(repeating: "b", count: 32)
        try ScriptedStore { _, _ in copied("CopyPartResult", other) }
            .with { client, _ in
                let failure = #expect(throws: S3Error.self) {
                    try client.copy(source, 0..<100, as: 1, of: upload)
                }
                #expect(failure?.reason == .damaged)
                let part = try client.copy(source, 0..<99, as: 1, of: upload)
                #expect(part.md5 == [UInt8](repeating: 0xBB, count: 16))
            }
    }

    @Test("an object with another size or digest than its parts is damaged")
    func verification() throws {
        let parts = (1...2).map { S3Part(number: $0, tag: "", md5: [UInt8](repeating: UInt8($0), count: 16)) }
        let tag = S3Part.tag(of: parts.map(\.md5))
        for (size, tag, isWhole) in [
            (10, tag, true), (11, tag, false), (10, String(repeating: "c", count: 32) + "-2", false),
            (10, "other", true),
        ] {
            let store = ScriptedStore { _, _ in
                ScriptedReply(headers: ["ETag: \"\(tag)\""], body: [UInt8](repeating: 0, count: size))
            }
            try store.with { client, _ in
                if isWhole {
                    try client.verify("c", of: parts, size: 10)
                } else {
                    let failure = #expect(throws: S3Error.self) { try client.verify("c", of: parts, size: 10) }
                    #expect(failure?.reason == .damaged)
                }
            }
        }
    }
}
