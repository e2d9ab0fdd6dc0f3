import FileClient
import Foundation
import Glibc
import Support
import Testing

@testable import Migration

@Suite struct AppDownloadTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        try folder.write("", to: "app/.keep")
    }

    private func client(_ server: ScriptedServer) -> FileClient {
        var options = FileClientOptions()
        options.retries = .none
        return FileClient(server: server.url, appID: "app", appKey: "key,master", options: options)
    }

    private func mode(_ name: String) -> mode_t? {
        var status = stat()
        return lstat("\(folder.path)/\(name)", &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test(
        "a class or a relation whose name could be a path is refused before a file is written",
        arguments: [
            (#"{"../pwned":{}}"#, "class '../pwned'"), (#"{"Post":{},"a/b":{}}"#, "class 'a/b'"),
            (#"{"..":{}}"#, "class '..'"), (#"{"":{}}"#, "class ''"), (#"{"a\u0000":{}}"#, "class 'a\u{0}'"),
            (#"{"Post":{"/\u0308../../x":{"type":"Relation","className":"Post"}}}"#, "in the class Post"),
            (#"{"Post":{"a:b":{"type":"Relation","className":"Post"}}}"#, "relation 'a:b' in the class Post"),
        ]
    )
    func hostileNames(schemas: String, name: String) async throws {
        let server = try ScriptedServer { request, _ in .json(request.path == "/1.1/schemas" ? schemas : "{}") }
        defer { server.close() }
        let error = await #expect(throws: MigrationError.self) {
            try await AppDownload(client(server), to: "\(folder.path)/app")()
        }
        #expect(error?.description.contains(name) == true, "\(String(describing: error))")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["app"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/app") == [".keep"])
    }

    @Test(
        "names of classes and fields of any app are valid",
        arguments: [
            #"{"Post":{"喜欢":{"type":"Relation","className":"_User"}},"_User":{},"Post_all":{}}"#,
            #"{"A1_b":{"_x1":{"type":"Relation","className":"Post"},"n":{"type":"Number"}}}"#,
        ]
    )
    func validNames(schemas: String) async throws {
        let server = try ScriptedServer { request, _ in
            .json(request.path == "/1.1/schemas" ? schemas : #"{"results":[]}"#)
        }
        defer { server.close() }
        try await AppDownload(client(server), to: "\(folder.path)/app")()
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/app")
        #expect(names.contains { $0.hasPrefix("_Join:") })
        for name in names where name != ".keep" { #expect(mode("app/\(name)") == 0o600, "\(name)") }
    }

    @Test(
        """
        a file is downloaded by its signed URL, its partial download does not use the name of another key, and others \
        cannot read the files
        """
    )
    func keysOfParts() async throws {
        let keys = ["k.part", "k.part.etag", "k", "a/b"]
        let rows = keys.enumerated().map { number, key in
            "{\"objectId\":\"a\(number)\",\"key\":\"\(key)\",\"ACL\":{}}"
        }
        try folder.write(rows.joined(separator: "\n"), to: "app/_File.jsonl")
        let server = try ScriptedServer { request, _ in
            // The server's record of the file, whose URL is signed.
            if let id = request.path.wholeMatch(of: /\/1\.1\/files\/a([0-3])/)?.1, let number = Int(id) {
                return .json(#"{"objectId":"a\#(id)","key":"\#(keys[number])","url":"http://x/y?e=1&token=t"}"#)
            }
            guard request.path.hasSuffix("?e=1&token=t") else { return ScriptedReply(status: 403) }
            return ScriptedReply(body: Array(request.path.prefix { $0 != "?" }.utf8))
        }
        defer { server.close() }
        let identity = JournalIdentity(source: "export app", server: server.url, app: "app")
        let journal = try Journal(at: "\(folder.path)/j", for: identity)
        let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: RepeatRules())
        try await AppDownload.downloadFiles(of: try Export("\(folder.path)/app"), run, from: client(server))
        for key in keys {
            let path = "app/files/\(key)"
            #expect(FileManager.default.contents(atPath: "\(folder.path)/\(path)") == Data("/\(key)".utf8), "\(key)")
            #expect(mode(path) == 0o600)
        }
        #expect(mode("app/files") == 0o700)
        #expect(mode("app/files/a") == 0o700)
        #expect(mode("app/.parts") == nil)
    }
}
