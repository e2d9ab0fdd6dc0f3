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
    private func lastRequest(
        changing row: String,
        of className: String,
        into stored: String,
        refusal: Int = 137,
        secretsOnly: Bool = false
    ) async throws -> String {
        let server = try ScriptedServer { request, _ in
            guard request.method == "GET" else {
                let isChange = String(decoding: request.body, as: UTF8.self).contains(#""method":"PUT""#)
                return .json(isChange ? #"[{"success":{}}]"# : #"[{"error":{"code":\#(refusal),"error":"known"}}]"#)
            }
            return .json(request.path.hasPrefix("/1.1/schemas/") ? "{}" : #"{"results":[\#(stored)]}"#)
        }
        defer { server.close() }
        let client = FileClient(server: server.url, appID: "app", appKey: "key,master")
        let identity = JournalIdentity(source: "import leancloud", server: server.url, app: "app")
        let journal = try Journal(at: "\(folder.path)/\(server.url.filter(\.isNumber))", for: identity)
        let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: RepeatRules())
        let objects = ObjectImport(client, of: className, changing: true, secretsOnly: secretsOnly)
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

    @Test("the hash and the token of a user are sent although nothing that the server shows differs")
    func credentials() async throws {
        let time = #""updatedAt":"2024-05-01T00:00:00.000Z""#
        let body = try await lastRequest(
            changing: #"{"objectId":"a1","ACL":{},\#(time),"password":"h","salt":"s","sessionToken":"t"}"#,
            of: "_User",
            into: #"{"objectId":"a1","ACL":{},\#(time)}"#
        )
        let fields = #"{"password":"h","salt":"s","sessionToken":"t",\#(time)}"#
        #expect(body == #"{"requests":[{"method":"PUT","path":"/1.1/users/a1","body":\#(fields)}]}"#)
    }

    @Test(
        "of an export beside a running app, users that the server has as new get their secrets, and no older fields",
        arguments: [
            ("2024-06-01", #""password":"h","salt":"s","sessionToken":"t","updatedAt":"2024-06-01T00:00:00.000Z""#),
            ("2024-05-01", #""password":"h","salt":"s","sessionToken":"t","updatedAt":"2024-05-01T00:00:00.000Z""#),
            (
                "2024-04-01",
                #""password":"h","salt":"s","score":1,"sessionToken":"t","updatedAt":"2024-05-01T00:00:00.000Z""#
            ),
        ]
    )
    func secretsOnly(day: String, fields: String) async throws {
        let row = #""updatedAt":"2024-05-01T00:00:00.000Z","score":1,"password":"h","salt":"s","sessionToken":"t""#
        let body = try await lastRequest(
            changing: #"{"objectId":"a1","ACL":{},\#(row)}"#,
            of: "_User",
            into: #"{"objectId":"a1","ACL":{},"updatedAt":"\#(day)T00:00:00.000Z","score":2}"#,
            secretsOnly: true
        )
        #expect(body == #"{"requests":[{"method":"PUT","path":"/1.1/users/a1","body":{\#(fields)}}]}"#)
    }

    @Test(
        "of an export beside a running app, users whose older names are those of others by now get their secrets",
        arguments: [202, 203, 214]
    )
    func takenNames(code: Int) async throws {
        let fields = #""updatedAt":"2024-05-01T00:00:00.000Z","username":"old","password":"h","salt":"s""#
        let body = try await lastRequest(
            changing: #"{"objectId":"a1","ACL":{},\#(fields)}"#,
            of: "_User",
            into: #"{"objectId":"a1","ACL":{},"updatedAt":"2024-06-01T00:00:00.000Z","username":"new"}"#,
            refusal: code,
            secretsOnly: true
        )
        let change = #"{"password":"h","salt":"s","updatedAt":"2024-06-01T00:00:00.000Z"}"#
        #expect(body == #"{"requests":[{"method":"PUT","path":"/1.1/users/a1","body":\#(change)}]}"#)
    }

    @Test("of an export beside a running app, users without secrets who are not newer are not changed")
    func withoutSecrets() async throws {
        let body = try await lastRequest(
            changing: #"{"objectId":"a1","ACL":{},"updatedAt":"2024-05-01T00:00:00.000Z","score":1}"#,
            of: "_User",
            into: #"{"objectId":"a1","ACL":{},"updatedAt":"2024-06-01T00:00:00.000Z","score":2}"#,
            secretsOnly: true
        )
        #expect(!body.contains("PUT"))
    }

    @Test("a password that is no hash is sent with other changes only: the server would take it for another one")
    func plainPassword() async throws {
        let fields = #""objectId":"a1","ACL":{},"updatedAt":"2024-05-01T00:00:00.000Z""#
        let row = #"{\#(fields),"password":"plain"}"#
        let same = try await lastRequest(changing: row, of: "_User", into: "{\(fields)}")
        #expect(!same.contains("PUT"))
        let other = try await lastRequest(changing: row, of: "_User", into: #"{\#(fields),"score":1}"#)
        #expect(other.contains(#""password":"plain""#))
    }

    @Test(
        "of a file the ACL, the name and metaData are changed, and what the server cannot change is left out",
        arguments: [
            (#""tag":"x","name":"b","ACL":{}"#, #"{"ACL":{},"name":"b","updatedAt":"2024-05-01T00:00:00.000Z"}"#),
            (#""tag":"x","mime_type":"","name":"""#, #"{"updatedAt":"2024-05-01T00:00:00.000Z"}"#),
            (#""size":5,"name":null"#, #"{"updatedAt":"2024-05-01T00:00:00.000Z"}"#),
        ]
    )
    func files(fields: String, change: String) async throws {
        let body = try await lastRequest(
            changing: #"{"objectId":"a1","updatedAt":"2024-05-01T00:00:00.000Z",\#(fields)}"#,
            of: "_File",
            into: #"{"objectId":"a1","updatedAt":"2024-01-01T00:00:00.000Z","name":"a","mime_type":"text/plain"}"#
        )
        #expect(body == #"{"requests":[{"method":"PUT","path":"/1.1/classes/_File/a1","body":\#(change)}]}"#)
    }

    @Test("a file that differs only in what the server cannot change is not changed")
    func unchangeableFile() async throws {
        let body = try await lastRequest(
            changing: #"{"objectId":"a1","tag":"x","name":""}"#,
            of: "_File",
            into: #"{"objectId":"a1","name":"a"}"#
        )
        #expect(!body.contains("PUT"))
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
