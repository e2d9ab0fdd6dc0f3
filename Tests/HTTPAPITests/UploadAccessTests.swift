import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// Who may do what with uploads: by the app's key and by the class of files, or by the address alone.
@Suite struct UploadAccessTests {
    /// The kinds of callers, in the order of the tables' columns.
    private enum Asker: CaseIterable {
        /// No credentials at all.
        case nobody
        /// The app key.
        case guest
        case user
        case master
        /// The key of another app.
        case stranger

        func headers(_ session: String) -> HTTPFields {
            switch self {
            case .nobody: [:]
            case .guest: Who.client.headers
            case .user: Who.client.headers.merging([.known("X-LC-Session"): session])
            case .master: Who.master.headers
            case .stranger: Who.stranger.headers
            }
        }
    }

    /// Runs a body as each kind of caller, each on a separate server; returns the statuses.
    private func statuses(
        _ body: @escaping @Sendable (TestClient, HTTPFields) async throws -> TestResponse
    ) async throws -> [Int] {
        var statuses: [Int] = []
        for asker in Asker.allCases {
            let status = try await TestServer().test { client in
                let ann = #"{"username":"ann","password":"p4ss"}"#
                let user = try await client.send("POST", "/1.1/users", ann).json()
                let session = try #require(user["sessionToken"]?.stringValue)
                return try await body(client, asker.headers(session)).status.code
            }
            statuses.append(status)
        }
        return statuses
    }

    @Test(
        "callers with the create permission get tokens and uploads; results are for callers of the app",
        arguments: [
            ("fileTokens", #"["everyone"]"#, [401, 201, 201, 201, 201]),
            ("fileTokens", #"["users"]"#, [401, 403, 201, 201, 201]), ("fileTokens", "[]", [401, 403, 403, 201, 201]),
            ("qiniu", #"["everyone"]"#, [401, 201, 201, 201, 201]),
            ("qiniu", #"["users"]"#, [401, 403, 201, 201, 201]), ("qiniu", "[]", [401, 403, 403, 201, 201]),
            ("uploads", #"["everyone"]"#, [401, 201, 201, 201, 201]),
            ("uploads", #"["users"]"#, [401, 403, 201, 201, 201]), ("uploads", "[]", [401, 403, 403, 201, 201]),
            ("fileCallback", #"["everyone"]"#, [401, 200, 200, 200, 200]),
            ("fileCallback", #"["users"]"#, [401, 200, 200, 200, 200]),
            ("fileCallback", "[]", [401, 200, 200, 200, 200]),
        ] as [(String, String, [Int])]
    )
    func begin(path: String, entries: String, expected: [Int]) async throws {
        let statuses = try await statuses { client, headers in
            _ = try await client.send("PUT", "/1.1/permissions/_File", #"{"create":\#(entries)}"#, Who.master.headers)
            let tus: HTTPFields = [.tusResumable: "1.0.0", .uploadLength: "5"]
            // A creation of tus has no body, or bytes of its own type.
            let body = path == "uploads" ? nil : "{}"
            return try await client.send("POST", "/1.1/\(path)", body, headers.merging(tus))
        }
        #expect(statuses == expected)
    }

    @Test(
        "an upload of tus needs its URL and a key of its app",
        arguments: [
            ("HEAD", [401, 200, 200, 200, 404]), ("PATCH", [401, 204, 204, 204, 404]),
            ("DELETE", [401, 204, 204, 204, 404]), ("POST", [401, 204, 204, 204, 404]),
            ("OPTIONS", [200, 200, 200, 200, 200]), ("GET", [200, 200, 200, 200, 200]),
        ] as [(String, [Int])]
    )
    func tus(method: String, expected: [Int]) async throws {
        let statuses = try await statuses { client, headers in
            let path = try await client.tus(size: 5)
            let own: HTTPFields = [
                .tusResumable: "1.0.0", .uploadOffset: "0", .contentType: "application/offset+octet-stream",
                .known("X-HTTP-Method-Override"): "PATCH",
            ]
            return try await client.execute(
                uri: path,
                method: try #require(HTTPRequest.Method(method)),
                headers: headers.merging(own),
                body: ["PATCH", "POST"].contains(method) ? ByteBuffer(string: "hello") : nil
            )
        }
        #expect(statuses == expected)
    }

    @Test("progress and its events need only the token", arguments: ["", "/events"])
    func progress(rest: String) async throws {
        let statuses = try await statuses { client, headers in
            let target = try await Target(client)
            _ = try await target.call(.put, "", "hello")
            return try await client.send("GET", "/1.1/uploads/\(target.secret)\(rest)", nil, headers)
        }
        #expect(statuses == [200, 200, 200, 200, 200])
    }

    @Test("only a key of the same app gives an upload up by its token")
    func callback() async throws {
        let statuses = try await statuses { client, headers in
            let target = try await Target(client)
            let body = #"{"token":"\#(target.token)","result":false}"#
            _ = try await client.send("POST", "/1.1/fileCallback", body, headers)
            return try await target.call(.put, "", "hello")
        }
        #expect(statuses == [200, 404, 404, 404, 200])
    }
}
