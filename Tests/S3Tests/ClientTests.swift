import Glibc
import Support
import Synchronization
import Testing

@testable import S3

@Suite("The client of S3 stores")
struct ClientTests {
    private func path() -> String { "/tmp/lcfile-s3-\(UInt64.random(in: 0...UInt64.max))" }

    @Test("a request is signed, with the session token and the digests of the body")
    func signs() throws {
        try ScriptedStore({ _, _ in ScriptedReply() }).with { client, server in
            try client.put("a b/ü", bytes: Array("hello".utf8))
            let request = try #require(server.requests.first)
            #expect(request.method == "PUT" && request.path == "/bucket/a%20b/%C3%BC")
            #expect(request.headers["x-amz-security-token"] == "TOKEN")
            #expect(request.headers["content-md5"] == "XUFAKrxLKna5cZ2REBfFkg==")
            #expect(
                request.headers["x-amz-content-sha256"]
                    == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
            )
            let authorization = try #require(request.headers["authorization"])
            #expect(authorization.contains("Credential=ACCESS/") && authorization.contains("x-amz-security-token"))
        }
    }

    @Test("overload, failures and lost connections are tried again", arguments: [500, 502, 503, 429, 0])
    func triesAgain(status: Int) throws {
        let store = ScriptedStore({ _, number in ScriptedReply(status: number < 3 ? status : 200) })
        try store.with { client, server in
            try client.put("key", bytes: [1, 2, 3])
            #expect(server.requests.map(\.body) == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
        }
    }

    @Test(
        "attempts are bounded, and what cannot pass is not tried again",
        arguments: [(503, 3), (0, 3), (403, 1), (501, 1)]
    )
    func boundsAttempts(status: Int, count: Int) throws {
        try ScriptedStore({ _, _ in ScriptedReply(status: status) }).with { client, server in
            #expect(throws: S3Error.self) { try client.put("key", bytes: []) }
            #expect(server.requests.count == count)
        }
    }

    @Test("an unreachable store is named")
    func namesUnreachable() throws {
        var options = S3Options()
        options.attempts = 1
        let client = S3Client(
            try S3Bucket("bucket", region: "us-east-1", endpoint: "http://127.0.0.1:1"),
            credentials: S3Credentials(accessKey: "A", secretKey: "S"),
            options: options
        )
        let error = #expect(throws: S3Error.self) { try client.head("key") }
        #expect(error?.reason == .unavailable)
        #expect(error?.description.hasPrefix("http://127.0.0.1:1 cannot be reached") == true)
    }

    @Test("a store that sends nothing is left after the idle time")
    func leavesSilentStores() throws {
        let silent = ScriptedReply(body: Array("abc".utf8), cut: 1, stalls: true)
        let error = try ScriptedStore(
            { _, _ in silent },
            change: { options in (options.idleTimeout, options.attempts) = (1, 1) }
        ).with { client, _ in
            #expect(throws: S3Error.self) { try client.get("key", limit: 10) }
        }
        #expect(error?.reason == .unavailable && error?.description.contains("for 1 seconds") == true)
    }

    @Test("a caller can stop a request that waits")
    func stops() throws {
        let stopped = Atomic(false)
        let error = try ScriptedStore(
            { _, _ in
                stopped.store(true, ordering: .releasing)
                return ScriptedReply(status: 503)
            },
            change: { $0.firstPause = .seconds(600) },
            goesOn: { !stopped.load(ordering: .acquiring) }
        ).with { client, _ in
            #expect(throws: S3Error.self) { try client.put("key", bytes: []) }
        }
        #expect(error?.reason == .stopped)
    }

    @Test("a download that breaks off continues where it stopped")
    func continuesDownloads() throws {
        let path = path()
        defer { unlink(path) }
        let text = String(repeating: "0123456789", count: 100)
        let tag = S3Body(Array(text.utf8)).digests.md5.hexadecimal
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { _, number in
            guard number > 1 else { return ScriptedStore.object(text, cut: 400) }
            let headers = ["ETag: \"\(tag)\"", "Content-Range: bytes 400-999/1000"]
            return ScriptedReply(status: 206, headers: headers, body: Array(text.utf8.dropFirst(400)))
        }
        try ScriptedStore(answer).with { client, server in
            let object = try client.get("key", toFileAt: path)
            #expect(object.size == 1000)
            #expect(server.requests.last?.headers["range"] == "bytes=400-")
            #expect(server.requests.last?.headers["if-match"] == "\"\(tag)\"")
        }
        #expect(try String(decoding: content(path), as: UTF8.self) == text)
    }

    @Test("a download begins again when the object was replaced meanwhile")
    func restartsDownloads() throws {
        let path = path()
        defer { unlink(path) }
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { request, number in
            if number == 1 { return ScriptedStore.object("the old one", cut: 4) }
            guard request.headers["range"] == nil else { return ScriptedStore.refusal(412, "PreconditionFailed") }
            return ScriptedStore.object("new")
        }
        try ScriptedStore(answer).with { client, _ in _ = try client.get("key", toFileAt: path) }
        #expect(try content(path) == Array("new".utf8))
    }

    @Test("bytes that the ETag does not describe are refused after a second attempt")
    func refusesDamage() throws {
        let path = path()
        defer { unlink(path) }
        let wrong = String(repeating: "0", count: 32)
        try ScriptedStore({ _, _ in ScriptedStore.object("bytes", tag: wrong) }).with { client, server in
            let error = #expect(throws: S3Error.self) { try client.get("key", toFileAt: path) }
            #expect(error?.reason == .damaged && server.requests.count == 2)
            #expect(throws: S3Error.self) { try client.get("key", limit: 10) }
            #expect(throws: S3Error.self) { try client.put("key", bytes: Array("bytes".utf8)) }
        }
    }

    @Test("an ETag that is no digest is not compared")
    func takesOtherTags() throws {
        try ScriptedStore({ _, _ in ScriptedStore.object("bytes", tag: "version-7") }).with { client, _ in
            let bytes = try client.get("key", limit: 10)
            #expect(bytes == Array("bytes".utf8))
        }
    }

    @Test("a small object has a limit, and a missing one is nil")
    func limitsSmallObjects() throws {
        try ScriptedStore({ _, _ in ScriptedStore.object("12345") }).with { client, _ in
            let bytes = try client.get("key", limit: 5)
            #expect(bytes?.count == 5)
            let error = #expect(throws: S3Error.self) { try client.get("key", limit: 4) }
            #expect(error?.reason == .tooLarge)
        }
        try ScriptedStore({ _, _ in ScriptedStore.refusal(404, "NoSuchKey") }).with { client, _ in
            let bytes = try client.get("key", limit: 4)
            let object = try client.head("key")
            #expect(bytes == nil && object == nil)
        }
    }

    private func content(_ path: String) throws -> [UInt8] {
        let file = try S3File(reading: path)
        let size = Int(try file.size())
        var bytes = [UInt8](repeating: 0, count: size)
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes
    }
}
