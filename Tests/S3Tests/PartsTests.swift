import Crypto
import Glibc
import Support
import Testing

@testable import S3

@Suite("Objects in parts")
struct PartsTests {
    /// A file of ten bytes, sent in parts of four.
    private func put(
        _ answer: @escaping @Sendable (_ request: ReceivedRequest, _ number: Int) -> ScriptedReply,
        _ check: (_ client: S3Client, _ path: String, _ server: ScriptedServer) throws -> Void
    ) throws {
        let path = "/tmp/lcfile-s3-\(UInt64.random(in: 0...UInt64.max))"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        _ = write(descriptor, "0123456789", 10)
        close(descriptor)
        defer { unlink(path) }
        try ScriptedStore(answer, change: { options in (options.singlePutSize, options.partSize) = (5, 4) }).with {
            try check($0, path, $1)
        }
    }

    /// A store that takes parts.
    private static func store(_ request: ReceivedRequest) -> ScriptedReply {
        switch request.method {
        case "POST" where request.path.hasSuffix("?uploads="):
            .json("<InitiateMultipartUploadResult><UploadId>u&amp;1</UploadId></InitiateMultipartUploadResult>")
        case "PUT": ScriptedReply(headers: ["ETag: \"\(S3Body(request.body).digests.md5.hexadecimal)\""])
        case "POST": .json("<CompleteMultipartUploadResult/>")
        default: ScriptedReply(status: 204)
        }
    }

    private static let tag = S3Part.tag(of: ["0123", "4567", "89"].map { S3Body(Array($0.utf8)).digests.md5 })

    @Test("a large file is sent in parts, which are completed in order")
    func sendsParts() throws {
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { request, _ in PartsTests.store(request) }
        try put(answer) { client, path, server in
            let size = try client.put("key", fileAt: path)
            #expect(size == 10)
            let requests = server.requests
            #expect(requests.map(\.method) == ["POST", "PUT", "PUT", "PUT", "POST"])
            #expect(requests[0].headers["x-amz-meta-part-size"] == "4")
            #expect(
                requests[3].path == "/bucket/key?partNumber=3&uploadId=u%261" && requests[3].body == Array("89".utf8)
            )
            let list = String(decoding: requests[4].body, as: UTF8.self)
            #expect(list.hasPrefix("<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>&quot;"))
        }
    }

    @Test("parts that fail are sent again alone")
    func repeatsParts() throws {
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { request, number in
            number == 3 ? ScriptedReply(status: 500) : PartsTests.store(request)
        }
        try put(answer) { client, path, server in
            try client.put("key", fileAt: path)
            #expect(server.requests.map(\.body.count).dropLast() == [0, 4, 4, 4, 2])
        }
    }

    @Test("an upload that fails is aborted")
    func aborts() throws {
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { request, number in
            number == 3 ? ScriptedStore.refusal(403, "AccessDenied") : PartsTests.store(request)
        }
        try put(answer) { client, path, server in
            let error = #expect(throws: S3Error.self) { try client.put("key", fileAt: path) }
            #expect(error?.code == "AccessDenied")
            #expect(server.requests.last?.method == "DELETE")
            #expect(server.requests.last?.path == "/bucket/key?uploadId=u%261")
        }
    }

    @Test("an error behind a head with 200 is an error")
    func readsLateErrors() throws {
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { request, number in
            guard request.method == "POST", number == 5 else { return PartsTests.store(request) }
            return ScriptedStore.refusal(200, "InternalError")
        }
        try put(answer) { client, path, server in
            try client.put("key", fileAt: path)
            #expect(server.requests.count == 6)
        }
    }

    @Test("an upload whose completion was answered into a lost connection is recognised by its ETag")
    func recognisesCompletion() throws {
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { request, number in
            switch number {
            case 5: ScriptedReply(status: 0)
            case 6: ScriptedStore.refusal(404, "NoSuchUpload")
            case 7: ScriptedReply(headers: ["ETag: \"\(PartsTests.tag)\""], body: [UInt8](repeating: 0, count: 10))
            default: PartsTests.store(request)
            }
        }
        try put(answer) { client, path, server in
            try client.put("key", fileAt: path)
            #expect(server.requests.map(\.method).suffix(3) == ["POST", "POST", "HEAD"])
        }
    }

    @Test("a download of parts is compared with the ETag of parts")
    func comparesParts() throws {
        let headers = ["ETag: \"\(PartsTests.tag)\"", "x-amz-meta-part-size: 4"]
        for (text, isGood) in [("0123456789", true), ("012345678X", false)] {
            let reply = ScriptedReply(headers: headers, body: Array(text.utf8))
            try ScriptedStore({ _, _ in reply }).with { client, _ in
                let path = "/tmp/lcfile-s3-\(UInt64.random(in: 0...UInt64.max))"
                defer { unlink(path) }
                #expect(((try? client.get("key", toFileAt: path)) != nil) == isGood)
            }
        }
    }

    @Test("parts grow with the object, so that their number stays within the limit of stores")
    func growsParts() throws {
        let client = S3Client(
            try S3Bucket("bucket", region: "us-east-1"),
            credentials: S3Credentials(accessKey: "A", secretKey: "S")
        )
        #expect(client.partSize(for: 100 << 20) == 64 << 20)
        let largest: Int64 = 5 << 40
        let size = client.partSize(for: largest)
        #expect((largest + size - 1) / size <= 10_000 && size < 5 << 30)
    }
}
