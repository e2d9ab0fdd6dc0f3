import FileClient
import Support
import Testing

@testable import Migration

@Suite struct LeanCloudImportTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        try folder.write(#"{"objectId":"a1","ACL":{},"password":"h","salt":"s"}"# + "\n", to: "app/_User.jsonl")
        let schema = #"{"score":{"type":"Number","required":true},"likes":{"type":"Relation","className":"Post"}}"#
        try folder.write(schema, to: "app/_User_schema.json")
        try folder.write(#"{"owningId":"a1","relatedId":"p1"}"# + "\n", to: "app/_Join:likes:_User.jsonl")
        try folder.write(#"{"_User":{"find":["everyone"]}}"#, to: "app/_permissions.json")
        try folder.write(#"{"_User":[{"fields":["score"]}]}"#, to: "app/_indexes.json")
    }

    @Test("of an export beside a running app only users are sent: no relations, and no settings of their class")
    func secretsOnly() async throws {
        #expect(try await writes(secretsOnly: true) == ["POST /1.1/batch"])
        let all = try await writes(secretsOnly: false)
        #expect(all.count > 2 && Set(all).count > 1, "\(all)")
    }

    @Test("the users of an export come after the fields of the running app, whose types their rows need")
    func fieldsFirst() async throws {
        try folder.write(#"{"objectId":"a1","ACL":{},"score":1}"# + "\n", to: "users/_User.jsonl")
        let all = try await writes(secretsOnly: false, users: "users")
        #expect(all.firstIndex(of: "POST /1.1/batch") == 2, "\(all)")
        #expect(all.prefix(2).allSatisfy { $0.contains("/1.1/schemas/_User/") }, "\(all)")
        #expect(all.filter { $0 == "POST /1.1/batch" }.count == 2, "\(all)")
    }

    /// The requests of an import that are no reads.
    ///
    /// - Parameters:
    ///   - secretsOnly: Whether the import gives secrets only.
    ///   - users: The folder of an export whose users come first; `nil` for none.
    /// - Returns: The methods and paths, in order.
    /// - Throws: Errors of the import.
    private func writes(secretsOnly: Bool, users: String? = nil) async throws -> [String] {
        let server = try ScriptedServer { request, _ in
            if request.path == "/1.1/batch" { return .json(#"[{"success":{}}]"#) }
            return .json(request.path.hasPrefix("/1.1/classes/") ? #"{"results":[]}"# : "{}")
        }
        defer { server.close() }
        let client = FileClient(server: server.url, appID: "app", appKey: "key,master")
        let identity = JournalIdentity(source: "import leancloud", server: server.url, app: "app")
        let journal = try Journal(at: "\(folder.path)/\(secretsOnly).journal", for: identity)
        let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: RepeatRules())
        var options = LeanCloudImport.Options()
        (options.classNames, options.changesObjects, options.givesSecretsOnly) = (["_User"], true, secretsOnly)
        let app = LeanCloudImport(try Export("\(folder.path)/app"), client, run, options)
        (options.kindPrefix, options.givesSecretsOnly) = ("users ", true)
        let first = try users.map { LeanCloudImport(try Export("\(folder.path)/\($0)"), client, run, options) }
        try await app(users: first)
        return server.requests.filter { $0.method != "GET" }.map { "\($0.method) \($0.path)" }
    }
}
