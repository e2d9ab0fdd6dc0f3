import FoundationEssentials
import Glibc
import Support
import Testing

@testable import FileClient

@Suite struct DownloadTests {
    private static let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    private let target = TemporaryFile()

    /// The server's side: a file with its ETag, and single ranges.
    private static func answer(_ request: ReceivedRequest, etag: String = DownloadTests.etag) -> ScriptedReply {
        guard let range = request.headers["range"], request.headers["if-range"] == etag,
            let start = Int(range.dropFirst("bytes=".count).dropLast())
        else { return ScriptedReply(headers: ["ETag: \(etag)"], body: bytes) }
        guard start < bytes.count else {
            return ScriptedReply(status: 416, headers: ["Content-Range: bytes */\(bytes.count)"])
        }
        let field = "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)"
        return ScriptedReply(status: 206, headers: ["ETag: \(etag)", field], body: Array(bytes[start...]))
    }

    private static let etag: String = {
        var digest = FileDigest()
        bytes.withUnsafeBytes { digest.update($0) }
        return "\"\(digest.qiniuHash)\""
    }()

    @Test("a broken connection is continued with the rest")
    func continues() async throws {
        let server = try ScriptedServer { request, number in
            var reply = Self.answer(request)
            if number < 3 { reply.cut = 1_000_000 }
            return reply
        }
        defer { server.close() }
        let result = try await server.client().download(server.url + "/key", to: target.path)
        #expect(result.size == 3_000_000)
        #expect(target.content == Self.bytes)
        #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=1000000-", "bytes=2000000-"])
        #expect(server.requests.allSatisfy { $0.headers["x-lc-key"] == nil })
        #expect(TemporaryFile.content(of: target.path + ".lcfile-part") == nil)
        #expect(TemporaryFile.content(of: target.path + ".lcfile-etag") == nil)
    }

    @Test("a later call continues the partial file, if the file is still the same", arguments: [true, false])
    func later(isSame: Bool) async throws {
        let server = try ScriptedServer { request, number in
            var reply = Self.answer(request, etag: isSame || number > 1 ? Self.etag : "\"other\"")
            if number == 1 { reply.cut = 2_000_000 }
            return reply
        }
        defer { server.close() }
        let once = server.client { $0.retries = .none }
        await #expect(throws: FileClientError.self) { try await once.download(server.url + "/key", to: target.path) }
        #expect(TemporaryFile.content(of: target.path + ".lcfile-part")?.count == 2_000_000)
        #expect(target.content?.isEmpty == true)
        _ = try await once.download(server.url + "/key", to: target.path)
        #expect(target.content == Self.bytes)
        #expect(server.requests[1].headers["range"] == "bytes=2000000-")
    }

    @Test("a file beside that has the name with .part stays, also if it is downloaded at the same time")
    func neighbour() async throws {
        let neighbour = target.path + ".part"
        defer { unlink(neighbour) }
        try Data("own".utf8).write(to: URL(filePath: neighbour))
        let server = try ScriptedServer { request, _ in
            // The other file arrives while this one does.
            if request.path == "/k" { try? Data("other".utf8).write(to: URL(filePath: neighbour)) }
            return Self.answer(request)
        }
        defer { server.close() }
        let client = server.client()
        _ = try await client.download(server.url + "/k", to: target.path)
        #expect(target.content == Self.bytes)
        #expect(TemporaryFile.content(of: neighbour) == Array("other".utf8))
    }

    @Test("a partial file that was replaced does not become the file")
    func replaced() async throws {
        let part = target.path + ".lcfile-part"
        let server = try ScriptedServer { request, _ in
            unlink(part)
            try? Data("other".utf8).write(to: URL(filePath: part))
            return Self.answer(request)
        }
        defer { server.close() }
        let error = await #expect(throws: FileClientError.self) {
            try await server.client().download(server.url + "/k", to: target.path)
        }
        #expect(error?.message == "\(part) was replaced or removed during the download")
        #expect(target.content?.isEmpty == true)
        #expect(TemporaryFile.content(of: part) == Array("other".utf8))
    }

    @Test("a partial file that was complete is verified and used")
    func complete() async throws {
        let server = try ScriptedServer { request, _ in Self.answer(request) }
        defer { server.close() }
        try Data(Self.bytes).write(to: URL(filePath: target.path + ".lcfile-part"))
        try Data(Self.etag.utf8).write(to: URL(filePath: target.path + ".lcfile-etag"))
        _ = try await server.client().download(server.url + "/key", to: target.path)
        #expect(target.content == Self.bytes)
    }

    @Test("wrong bytes do not become the file", arguments: ["etag", "md5", "size"])
    func damaged(what: String) async throws {
        let server = try ScriptedServer { request, _ in
            Self.answer(request, etag: what == "etag" ? "\"lAAAAAAAAAAAAAAAAAAAAAAAAAAA\"" : Self.etag)
        }
        defer { server.close() }
        let metaData: [String: JSON] = [
            "size": .integer(what == "size" ? 5 : 3_000_000),
            "_checksum": .string(what == "md5" ? "00000000000000000000000000000000" : Self.md5),
        ]
        let record = FileRecord(fields: ["metaData": .object(metaData)])
        let error = await #expect(throws: FileClientError.self) {
            try await server.client().download(server.url + "/key", to: target.path, expecting: record)
        }
        #expect(error?.kind == .damaged)
        #expect(target.content?.isEmpty == true)
        #expect(TemporaryFile.content(of: target.path + ".lcfile-part") == nil)
    }

    @Test("a download with more bytes than the file has ends there", arguments: ["announced", "endless", "unknown"])
    func tooLong(how: String) async throws {
        let server = try ScriptedServer { request, _ in
            var reply = Self.answer(request)
            if how != "announced" { reply.hasLength = false }
            // Without a limit the client waits for the end.
            reply.stalls = true
            return reply
        }
        defer { server.close() }
        let record = FileRecord(fields: ["metaData": .object(["size": .integer(2_000_000)])])
        let client = server.client { options in
            options.maxUnannouncedSize = 2_500_000
            options.idleTimeout = 5
        }
        let error = await #expect(throws: FileClientError.self) {
            try await client.download(server.url + "/key", to: target.path, expecting: how == "unknown" ? nil : record)
        }
        #expect(error?.kind == .damaged)
        let message = [
            "announced": "more than its 2000000 bytes arrive",
            "endless": "more than its 2000000 bytes arrive",
            "unknown": "the server does not announce its size, and more than 2500000 bytes arrive",
        ]
        #expect(error?.message == message[how])
        #expect(server.requests.count == 1)
        #expect(TemporaryFile.content(of: target.path + ".lcfile-part") == nil)
        #expect(TemporaryFile.content(of: target.path + ".lcfile-etag") == nil)
    }

    @Test("a file whose size is not announced is downloaded up to the limit")
    func unannounced() async throws {
        let server = try ScriptedServer { request, _ in
            var reply = Self.answer(request)
            reply.hasLength = false
            return reply
        }
        defer { server.close() }
        let client = server.client { $0.maxUnannouncedSize = 3_000_000 }
        #expect(try await client.download(server.url + "/key", to: target.path).size == 3_000_000)
        #expect(target.content == Self.bytes)
    }

    @Test("a rest of a file of another size is refused")
    func twoSizes() async throws {
        let server = try ScriptedServer { request, number in
            var reply = Self.answer(request)
            if number == 1 { reply.cut = 1_000_000 }
            reply.headers = reply.headers.map { $0.replacing("/3000000", with: "/4000000") }
            return reply
        }
        defer { server.close() }
        let error = await #expect(throws: FileClientError.self) {
            try await server.client().download(server.url + "/key", to: target.path)
        }
        #expect(error?.message == "the server announces two sizes for one file")
    }

    private static let md5: String = {
        var digest = FileDigest()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.md5
    }()

    @Test("a descriptor gets the bytes once, also over a broken connection")
    func descriptor() async throws {
        let server = try ScriptedServer { request, number in
            var reply = Self.answer(request)
            if number == 1 { reply.cut = 500_000 }
            return reply
        }
        defer { server.close() }
        let output = open(target.path, O_WRONLY)
        defer { close(output) }
        _ = try await server.client().download(server.url + "/key", descriptor: output)
        #expect(target.content == Self.bytes)
    }

    @Test("an empty file is downloaded")
    func empty() async throws {
        let server = try ScriptedServer { _, _ in ScriptedReply(headers: ["ETag: \"Fto5o-5ea0sNMlW_75VgGJCv2AcJ\""]) }
        defer { server.close() }
        #expect(try await server.client().download(server.url + "/key", to: target.path).size == 0)
        #expect(target.content == [])
    }

    @Test(
        "the digests are those of the server",
        arguments: [
            (0, "d41d8cd98f00b204e9800998ecf8427e", "Fto5o-5ea0sNMlW_75VgGJCv2AcJ"),
            (3, "900150983cd24fb0d6963f7d28e17f72", "FqmZPjZHBoFquj4lcXhQwmyc0Nid"),
        ]
    )
    func digests(count: Int, md5: String, hash: String) {
        var digest = FileDigest()
        Array("abc".utf8.prefix(count)).withUnsafeBytes { digest.update($0) }
        #expect(digest.md5 == md5)
        #expect(digest.qiniuHash == hash)
    }

    @Test("the digest does not depend on the pieces, also at the ends of blocks", arguments: [4 << 20, (8 << 20) + 1])
    func pieces(size: Int) {
        let bytes = [UInt8](repeating: 7, count: size)
        var whole = FileDigest()
        bytes.withUnsafeBytes { whole.update($0) }
        var parts = FileDigest()
        for start in stride(from: 0, to: size, by: 1_000_003) {
            bytes[start..<min(size, start + 1_000_003)].withUnsafeBytes { parts.update($0) }
        }
        #expect(whole.qiniuHash == parts.qiniuHash)
        #expect(whole.md5 == parts.md5)
        #expect(whole.qiniuHash.hasPrefix(size > 4 << 20 ? "l" : "F"))
    }

    @Test(
        "Content-Range is read",
        arguments: [
            ("bytes 5-9/10", 5, 10), ("bytes 0-0/*", 0, nil), ("bytes */10", nil, nil), ("items 1-2/3", nil, nil),
        ]
            as [(String, Int64?, Int64?)]
    )
    func contentRange(text: String, start: Int64?, size: Int64?) {
        let range = ContentRange(text)
        #expect(range?.start == start)
        #expect(range?.size == size)
    }
}
