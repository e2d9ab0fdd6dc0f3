import FoundationEssentials
import Glibc
import Support
import Synchronization
import Testing

@testable import FileClient

@Suite struct UploadTests {
    private let file = TemporaryFile(bytes: (0..<100_000).map { UInt8($0 % 251) })
    private let record = #"{"objectId":"6b014fd02ccc0416011d10e3","url":"http://u","name":"n"}"#

    @Test("a small file is one request with its description")
    func form() async throws {
        let record = record
        let server = try ScriptedServer { _, _ in .json(record, status: 201) }
        defer { server.close() }
        var description = UploadDescription(name: "quo\"te ü.txt")
        description.metaData = .object(["a": .integer(1)])
        description.keyPrefix = "p"
        let sent = Mutex<Int64>(0)
        let result = try await server.client().upload(
            file.path,
            as: description,
            progress: { bytes in sent.withLock { $0 = bytes } }
        )
        #expect(result.objectId == "6b014fd02ccc0416011d10e3")
        #expect(sent.withLock { $0 } == 100_000)
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        #expect(request.method == "POST" && request.path == "/1.1/files")
        let boundary = try #require(request.headers["content-type"]?.split(separator: "=").last)
        let head = String(decoding: request.body.prefix(700), as: UTF8.self)
        #expect(head.contains("name=\"name\"\r\n\r\nquo\"te ü.txt\r\n"))
        #expect(head.contains("name=\"metaData\"\r\n\r\n{\"a\":1}\r\n"))
        #expect(head.contains("name=\"prefix\"\r\n\r\np\r\n"))
        #expect(String(decoding: request.body.suffix(60), as: UTF8.self).hasSuffix("\r\n--\(boundary)--\r\n"))
        let start = try #require(request.body.indices.first { request.body[$0...].starts(with: [0, 1, 2, 3, 4, 5]) })
        #expect(Array(request.body[start..<start + 100_000]) == file.bytes)
    }

    @Test("a resumable upload continues at the offset that the server has after a broken connection")
    func resumes() async throws {
        let tus = TusScript(size: 100_000, record: record, cuts: [2])
        let server = try ScriptedServer { request, number in tus.answer(request, number) }
        defer { server.close() }
        let location = Mutex("")
        let client = server.client { options in
            options.resumableSize = 1000
            options.pieceSize = 40_000
        }
        let result = try await client.upload(file.path, created: { url in location.withLock { $0 = url } })
        #expect(result.name == "n")
        #expect(tus.bytes == file.bytes)
        #expect(location.withLock { $0 } == "http://elsewhere/1.1/uploads/token")
        #expect(server.requests.filter { $0.method == "POST" }.count == 1)
        #expect(server.requests.filter { $0.method == "HEAD" }.count == 1)
    }

    @Test("an upload of an earlier call continues")
    func continues() async throws {
        let tus = TusScript(size: 100_000, record: record, stored: Array(file.bytes.prefix(70_000)))
        let server = try ScriptedServer { request, number in tus.answer(request, number) }
        defer { server.close() }
        _ = try await server.client().upload(file.path, continuing: "http://elsewhere/1.1/uploads/token")
        #expect(tus.bytes == file.bytes)
        #expect(server.requests.map(\.method) == ["HEAD", "PATCH", "GET"])
    }

    @Test(
        "a continued upload succeeds only if the server has the bytes of the file in the end",
        arguments: [("same", true), ("other", true), ("same", false), ("other", false), ("complete", true)]
    )
    func compares(stored: String, hasChecksum: Bool) async throws {
        let count = stored == "complete" ? 100_000 : 70_000
        let earlier = stored == "same" ? file.bytes.prefix(count) : [UInt8](repeating: 7, count: count)[...]
        let all = Array(earlier + file.bytes.dropFirst(count))
        var digest = FileDigest()
        all.withUnsafeBytes { digest.update($0) }
        let (checksum, etag) = (hasChecksum ? ",\"_checksum\":\"\(digest.md5)\"" : "", digest.qiniuHash)
        let record =
            #"{"objectId":"a1","name":"n","key":"k","url":"http://u/k","metaData":{"size":100000"# + checksum + "}}"
        let tus = TusScript(size: 100_000, record: record, stored: Array(earlier))
        let server = try ScriptedServer { request, number in
            request.path == "/k" ? ScriptedReply(headers: ["ETag: \"\(etag)\""]) : tus.answer(request, number)
        }
        defer { server.close() }
        let client = server.client()
        let location = "http://elsewhere/1.1/uploads/token"
        if stored == "same" {
            #expect(try await client.upload(file.path, continuing: location).objectId == "a1")
        } else {
            let error = await #expect(throws: FileClientError.self) {
                try await client.upload(file.path, continuing: location)
            }
            #expect(error?.kind == .damaged)
            #expect(error?.message.contains("a1") == true)
        }
        #expect(tus.bytes == all)
    }

    @Test("an upload that the server does not know begins again")
    func expired() async throws {
        let tus = TusScript(size: 100_000, record: record)
        let server = try ScriptedServer { request, number in
            number == 1 ? ScriptedReply(status: 404) : tus.answer(request, number)
        }
        defer { server.close() }
        _ = try await server.client().upload(file.path, continuing: "http://elsewhere/1.1/uploads/old")
        #expect(server.requests.map(\.method) == ["HEAD", "POST", "PATCH", "GET"])
        #expect(tus.bytes == file.bytes)
    }

    @Test("a stream of unknown length announces it with its last piece", arguments: [50_000, 80_000])
    func stream(count: Int) async throws {
        let part = TemporaryFile(bytes: Array(file.bytes.prefix(count)))
        let tus = TusScript(size: nil, record: record)
        let server = try ScriptedServer { request, number in tus.answer(request, number) }
        defer { server.close() }
        let descriptor = open(part.path, O_RDONLY)
        defer { close(descriptor) }
        let client = server.client { $0.streamPieceSize = 40_000 }
        _ = try await client.upload(descriptor: descriptor, as: UploadDescription(name: "n"))
        #expect(tus.bytes == part.bytes)
        #expect(server.requests.last { $0.method == "PATCH" }?.headers["upload-length"] == "\(count)")
    }

    @Test(
        "a refused objectId counts as an earlier request of the same upload only if the stored bytes are the same",
        arguments: [("same", true), ("other", true), ("same", false), ("other", false)]
    )
    func earlierRequest(stored: String, hasChecksum: Bool) async throws {
        let bytes = stored == "same" ? file.bytes : [UInt8](repeating: 7, count: 100_000)
        var digest = FileDigest()
        bytes.withUnsafeBytes { digest.update($0) }
        let (checksum, etag) = (hasChecksum ? ",\"_checksum\":\"\(digest.md5)\"" : "", digest.qiniuHash)
        let server = try ScriptedServer { request, _ in
            switch request.method {
            case "POST": .json(#"{"code":137,"error":"The objectId is taken."}"#, status: 400)
            case "HEAD": ScriptedReply(headers: ["ETag: \"\(etag)\""])
            default:
                .json(
                    #"{"objectId":"a1","name":"n","key":"k","url":"http://u/k","metaData":{"size":100000"#
                        + checksum + "}}"
                )
            }
        }
        defer { server.close() }
        var description = UploadDescription(name: "n")
        (description.objectId, description.key) = ("a1", "k")
        let client = server.client()
        if stored == "same" {
            #expect(try await client.upload(file.path, as: description).objectId == "a1")
        } else {
            let error = await #expect(throws: FileClientError.self) {
                try await client.upload(file.path, as: description)
            }
            #expect(error?.code == FileClientError.duplicateValue)
        }
    }

    @Test("a file with bytes and without a size is not uploaded as an empty one")
    func withoutSize() async throws {
        let client = FileClient(server: "http://127.0.0.1:1", appID: "a", appKey: "b")
        let error = await #expect(throws: FileClientError.self) { try await client.upload("/proc/version") }
        #expect(error?.kind == .unsized)
        #expect(error?.message == "/proc/version has bytes but no size, like files in /proc")
    }

    @Test("a file that changes while it is sent is not stored", arguments: ["grows", "has the same size and time"])
    func changes(how: String) async throws {
        let path = file.path
        let tus = TusScript(size: 100_000, record: record)
        let server = try ScriptedServer { request, number in
            if request.method == "PATCH" {
                if how == "grows" {
                    TemporaryFile.append("x", to: path)
                } else {
                    TemporaryFile.overwrite("x", of: path)
                }
            }
            return tus.answer(request, number)
        }
        defer { server.close() }
        let client = server.client { options in
            options.resumableSize = 1000
            options.pieceSize = 60_000
        }
        let error = await #expect(throws: FileClientError.self) { try await client.upload(path) }
        #expect(error?.message == "\(path) changed while it was read")
        #expect(tus.bytes.count == 60_000)
    }
}

/// The server's side of tus for one upload.
private final class TusScript: Sendable {
    private let size: Int?
    private let record: String
    private let cuts: Set<Int>
    private let state: Mutex<(bytes: [UInt8], patches: Int)>

    /// An upload whose `PATCH` requests with the numbers in `cuts` are stored by half and get no answer.
    init(size: Int?, record: String, cuts: Set<Int> = [], stored: [UInt8] = []) {
        self.size = size
        self.record = record
        self.cuts = cuts
        state = Mutex((stored, 0))
    }

    var bytes: [UInt8] { state.withLock { $0.bytes } }

    func answer(_ request: ReceivedRequest, _ number: Int) -> ScriptedReply {
        let length = size.map { ["Upload-Length: \($0)"] } ?? []
        switch request.method {
        case "POST": return ScriptedReply(status: 201, headers: ["Location: http://elsewhere/1.1/uploads/token"])
        case "HEAD": return ScriptedReply(headers: ["Upload-Offset: \(bytes.count)"] + length + finished(size))
        case "PATCH":
            return state.withLock { state in
                state.patches += 1
                guard request.headers["upload-offset"] == "\(state.bytes.count)" else {
                    return ScriptedReply(status: 409)
                }
                if cuts.contains(state.patches) {
                    state.bytes += request.body.prefix(request.body.count / 2)
                    return ScriptedReply(status: 0)
                }
                state.bytes += request.body
                let size = size ?? request.headers["upload-length"].flatMap { Int($0) }
                let end = size == state.bytes.count ? about : []
                return ScriptedReply(status: 204, headers: ["Upload-Offset: \(state.bytes.count)"] + end)
            }
        default: return .json(record)
        }
    }

    private func finished(_ size: Int?) -> [String] { bytes.count == size ? about : [] }

    private var about: [String] { ["X-LC-Object-Id: 6b014fd02ccc0416011d10e3", "X-LC-File-URL: http://u"] }
}
