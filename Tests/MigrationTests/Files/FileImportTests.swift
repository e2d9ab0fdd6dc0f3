import FileClient
import Foundation
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
}
