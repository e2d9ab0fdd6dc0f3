import FileClient
import Foundation
import Glibc
import Support
import Testing

@testable import Migration

@Suite struct FileImportTests {
    private let folder: TestFolder
    private let identity = JournalIdentity(source: "import photos", server: "http://127.0.0.1:1", app: "a")

    init() throws {
        folder = try TestFolder()
    }

    @Test("the name of a temporary file is no part of what an export says", arguments: ["../a", "/a", "a/../../b", ""])
    func names(item: String) throws {
        let path = try TemporaryFolder("\(folder.path)/parts").path(for: item)
        let name = try #require(path.split(separator: "/").last)
        #expect(path == "\(folder.path)/parts/\(name)")
        #expect(name.count == 32 && name.allSatisfy(\.isHexDigit))
    }

    @Test("a file that the server refuses leaves no temporary file, neither in the folder nor elsewhere")
    func refusedUpload() async throws {
        let server = try ScriptedServer { request, _ in
            request.method == "GET"
                ? ScriptedReply(body: Array("bytes".utf8)) : .json(#"{"code":1,"error":"refused"}"#, status: 400)
        }
        defer { server.close() }
        var options = FileClientOptions()
        options.retries = .none
        let client = FileClient(server: server.url, appID: "app", appKey: "key", options: options)
        let journal = try Journal(at: "\(folder.path)/j", for: identity)
        let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: RepeatRules())
        var description = UploadDescription(name: "a.txt")
        // Sources refuse such an id; a journal of an earlier version can have it.
        description.objectId = "../escaped"
        let item = FileItem(url: server.url + "/a.txt", description)
        let files = FileImport(client, journal)
        let open: @Sendable () -> ItemList<FileItem> = { ItemList([item]) }
        try await run.send("file", from: open) { batch, progress in [await files.send(batch[0], progress)] }
        let failures = try await journal.failures(10)
        #expect(failures.map(\.reason) == ["refused (HTTP 400)"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/j.parts").isEmpty)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/escaped"))
    }

    /// Sends a file in a process of its own.
    private func send(
        _ path: String,
        to server: ScriptedServer,
        describedBy template: FileTemplate = FileTemplate(),
        resumableSize: Int64 = 1 << 20
    ) async throws {
        var options = FileClientOptions()
        options.retries = .none
        options.resumableSize = resumableSize
        let client = FileClient(server: server.url, appID: "app", appKey: "key", options: options)
        let journal = try Journal(at: "\(folder.path)/j", for: identity)
        let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: RepeatRules())
        guard case .item(let item) = FileItem.element(at: path, describedBy: template) else {
            throw MigrationError("\(path) is no item")
        }
        let files = FileImport(client, journal)
        let open: @Sendable () -> ItemList<FileItem> = { ItemList([item]) }
        try await run.send("file", from: open) { batch, progress in [await files.send(batch[0], progress)] }
    }

    /// Sends a file in a process of its own, to a server that stores no byte of it.
    private func sendInterrupted(_ path: String, to server: ScriptedServer) async throws {
        await #expect(throws: FileClientError.self) {
            try await send(path, to: server, resumableSize: 1)
        }
    }

    /// The objectId with which an upload is created.
    private func objectID(of request: ReceivedRequest) throws -> String {
        let pairs = try #require(request.headers["upload-metadata"]).split(separator: ",")
        let pair = pairs.first { $0.hasPrefix("objectId ") }
        let value = String(try #require(pair).dropFirst("objectId ".count))
        let bytes = try #require(Data(base64Encoded: value))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "a file that changed after its answer was lost replaces the earlier version, before its upload if it has a key",
        arguments: [false, true]
    )
    func changedAfterLostAnswer(hasKey: Bool) async throws {
        let server = try ScriptedServer { request, number in
            if number == 1 { return .json(#"{"error":"lost"}"#, status: 500) }
            guard request.method == "POST" else { return .json("{}") }
            let headers = ["Location: http://s/1.1/uploads/token", "X-LC-File-Url: http://s/k", "X-LC-Object-Id: a1"]
            return ScriptedReply(status: 201, headers: headers)
        }
        defer { server.close() }
        var template = FileTemplate()
        template.keepsPaths = hasKey
        let path = try folder.write("12345", to: "a.txt")
        await #expect(throws: FileClientError.self) {
            try await send(path, to: server, describedBy: template)
        }
        try folder.write("other bytes", to: "a.txt")
        try await send(path, to: server, describedBy: template)
        let methods = hasKey ? ["POST", "DELETE", "POST"] : ["POST", "POST", "DELETE"]
        #expect(server.requests.map(\.method) == methods)
        let first = try objectID(of: server.requests[0])
        let deleted = server.requests.filter { $0.method == "DELETE" }.map(\.path)
        #expect(deleted == ["/1.1/files/\(first)"])
        let uploads = server.requests.filter { $0.method == "POST" }
        let last = try #require(uploads.last)
        let second = try objectID(of: last)
        #expect(second != first)
    }

    @Test(
        "an unfinished upload is continued only with the version of the file whose bytes it has",
        arguments: ["same", "replaced", "rewritten"]
    )
    func continuedUpload(how: String) async throws {
        let server = try ScriptedServer { request, _ in
            switch request.method {
            case "POST": ScriptedReply(status: 201, headers: ["Location: http://s/1.1/uploads/token"])
            case "HEAD": ScriptedReply(headers: ["Upload-Offset: 0", "Upload-Length: 5"])
            default: .json(#"{"error":"unauthorized"}"#, status: 401)
            }
        }
        defer { server.close() }
        let path = try folder.write("12345", to: "a.txt")
        try await sendInterrupted(path, to: server)
        #expect(server.requests.map(\.method) == ["POST", "PATCH"])
        var before = stat()
        try #require(stat(path, &before) == 0)
        // Each has the size and the time of the earlier one, as after `cp --preserve` and `rsync --inplace --times`.
        if how == "replaced" {
            let other = try folder.write("54321", to: "other.txt")
            try #require(rename(other, path) == 0)
        } else if how == "rewritten" {
            let descriptor = Glibc.open(path, O_WRONLY)
            defer { close(descriptor) }
            try #require(pwrite(descriptor, "54321", 5, 0) == 5)
        }
        if how != "same" { try #require(FileTimes.setBack(path, to: before)) }
        try await sendInterrupted(path, to: server)
        #expect(server.requests.map(\.method).dropFirst(2) == [how == "same" ? "HEAD" : "POST", "PATCH"])
    }

    @Test("only the record of a file that the server had is adjusted", arguments: [false, true])
    func adjustedRecord(isKnown: Bool) async throws {
        let server = try ScriptedServer { request, _ in
            guard request.method == "POST" else {
                // The MD5 of the bytes.
                let metaData = #"{"size":5,"_checksum":"827ccb0eea8a706c4c34a16891f84e7b"}"#
                return .json(#"{"objectId":"a1","metaData":\#(metaData)}"#)
            }
            if isKnown { return .json(#"{"code":137,"error":"known"}"#, status: 400) }
            let headers = ["Location: http://s/1.1/uploads/token", "X-LC-File-Url: http://s/k", "X-LC-Object-Id: a1"]
            return ScriptedReply(status: 201, headers: headers)
        }
        defer { server.close() }
        let client = FileClient(server: server.url, appID: "app", appKey: "key")
        let journal = try Journal(at: "\(folder.path)/j", for: identity)
        let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: RepeatRules())
        let path = try folder.write("12345", to: "a.txt")
        guard case .item(let item) = FileItem.element(at: path, describedBy: FileTemplate()) else {
            throw MigrationError("\(path) is no item")
        }
        let files = FileImport(client, journal)
        let adjusted = Counter()
        let open: @Sendable () -> ItemList<FileItem> = { ItemList([item]) }
        try await run.send("file", from: open) { batch, progress in
            let end = await files.send(batch[0], progress) {
                _ = adjusted.next()
                return .done
            }
            return [end]
        }
        #expect(try await journal.failures(10).isEmpty)
        #expect(adjusted.value == (isKnown ? 1 : 0))
    }

    @Test("a note of an earlier version, without the version of the file, is not continued")
    func earlierNote() throws {
        let path = try folder.write("12345", to: "a.txt")
        let version = try #require(FileVersion(of: path))
        let url = "http://s/1.1/uploads/token"
        #expect(NotedUpload(url).location(for: version) == nil)
        #expect(NotedUpload(url).location(for: nil) == url)
        let note = NotedUpload(url, of: version)
        #expect(NotedUpload(note.text) == note)
        #expect(note.location(for: version) == url)
        #expect(note.location(for: nil) == nil)
    }
}
