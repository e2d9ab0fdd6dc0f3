import FileClient
import Support
import Testing

@testable import Migration

@Suite struct ObjectImportTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    /// Imports a row that the server has with other values, and returns the body of the last request.
    private func lastRequest(changing row: String, of className: String, into stored: String) async throws -> String {
        let server = try ScriptedServer { request, _ in
            guard request.method == "GET" else {
                let isChange = String(decoding: request.body, as: UTF8.self).contains(#""method":"PUT""#)
                return .json(isChange ? #"[{"success":{}}]"# : #"[{"error":{"code":137,"error":"known"}}]"#)
            }
            return .json(request.path.hasPrefix("/1.1/schemas/") ? "{}" : #"{"results":[\#(stored)]}"#)
        }
        defer { server.close() }
        let client = FileClient(server: server.url, appID: "app", appKey: "key,master")
        let identity = JournalIdentity(source: "import leancloud", server: server.url, app: "app")
        let journal = try Journal(at: "\(folder.path)/j", for: identity)
        let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: RepeatRules())
        let objects = ObjectImport(client, of: className, changing: true)
        let object = try ExportedObject(Array(row.utf8), at: "line 1")
        let open: @Sendable () -> ItemList<ExportedObject> = { ItemList([object]) }
        try await run.send(className, from: open) { batch, progress in await objects.send(batch, progress) }
        return String(decoding: server.requests.last?.body ?? [], as: UTF8.self)
    }

    @Test(
        "a change of a user deletes a name that is empty in the export, and leaves missing ones",
        arguments: ["\"\"", "null"]
    )
    func emptyNames(value: String) async throws {
        let names = ["username", "email", "mobilePhoneNumber"].map { "\"\($0)\":\(value)" }.joined(separator: ",")
        let body = try await lastRequest(
            changing: #"{"objectId":"a1","ACL":{},\#(names)}"#,
            of: "_User",
            into: #"{"objectId":"a1","ACL":{},"username":"random","email":"a@example.com"}"#
        )
        let change = #"{"method":"PUT","path":"/1.1/users/a1","body":{"email":{"__op":"Delete"}}}"#
        #expect(body == #"{"requests":[\#(change)]}"#)
    }

    @Test("a change of a user without identities in the export deletes those on the server", arguments: ["{}", "null"])
    func unlinked(value: String) async throws {
        let body = try await lastRequest(
            changing: #"{"objectId":"a1","ACL":{},"authData":\#(value)}"#,
            of: "_User",
            into: #"{"objectId":"a1","ACL":{},"authData":{"weixin":{"openid":"a"}}}"#
        )
        let change = #"{"method":"PUT","path":"/1.1/users/a1","body":{"authData":{"__op":"Delete"}}}"#
        #expect(body == #"{"requests":[\#(change)]}"#)
    }
}
