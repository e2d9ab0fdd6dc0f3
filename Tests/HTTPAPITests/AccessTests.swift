import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// Every endpoint with every kind of caller: the statuses, in one table for each kind.
@Suite struct AccessTests {
    /// The kinds of callers, in the order of the tables' columns.
    private enum Asker: String, CaseIterable {
        /// No credentials at all.
        case nobody
        /// The app key.
        case guest
        /// The user to whom the object belongs, by its ACL.
        case owner
        /// A user that no permission and no ACL names.
        case other
        /// A user in the role that the ACL names.
        case member
        case master
        /// The key of another app.
        case stranger
    }

    @Test(
        "objects that their owner and a role may read and write",
        arguments: [
            ("POST", "classes/Task", [401, 201, 201, 201, 201, 201, 201]),
            ("GET", "classes/Task", [401, 200, 200, 200, 200, 200, 404]),
            ("GET", "classes/Task/<id>", [401, 403, 200, 403, 200, 200, 404]),
            ("PUT", "classes/Task/<id>", [401, 403, 200, 403, 200, 200, 400]),
            ("DELETE", "classes/Task/<id>", [401, 403, 200, 403, 200, 200, 200]),
            ("POST", "batch", [401, 200, 200, 200, 200, 200, 200]),
            ("POST", "batch/save", [401, 200, 200, 200, 200, 200, 200]),
            ("POST", "installations", [401, 201, 201, 201, 201, 201, 201]),
            ("POST", "classes/_Other", [401, 400, 400, 400, 400, 201, 400]),
            ("GET", "scan/classes/Task", [401, 403, 403, 403, 403, 200, 403]),
            ("GET", "schemas", [401, 403, 403, 403, 403, 200, 403]),
            ("GET", "schemas/Task", [401, 403, 403, 403, 403, 200, 403]),
            ("PUT", "schemas/Task/n", [401, 403, 403, 403, 403, 200, 403]),
            ("GET", "indexes/Task", [401, 403, 403, 403, 403, 200, 403]),
            ("POST", "indexes/Task", [401, 403, 403, 403, 403, 201, 403]),
            ("DELETE", "indexes/Task/x", [401, 403, 403, 403, 403, 404, 403]),
            ("GET", "cloudQuery?cql=select%20*%20from%20Task", [401, 200, 200, 200, 200, 200, 404]),
            ("GET", "cloudQuery?explain=1&cql=select%20*%20from%20Task", [401, 403, 403, 403, 403, 200, 403]),
            ("GET", "permissions", [401, 403, 403, 403, 403, 200, 403]),
            ("GET", "permissions/Task", [401, 403, 403, 403, 403, 200, 403]),
            ("PUT", "permissions/Task", [401, 403, 403, 403, 403, 200, 403]),
            ("GET", "date", [200, 200, 200, 200, 200, 200, 200]),
        ] as [(String, String, [Int])]
    )
    func objects(method: String, path: String, statuses: [Int]) async throws {
        try await check(method, "/1.1/\(path)", statuses) { $0.object }
    }

    @Test(
        "users, sessions and roles",
        arguments: [
            ("POST", "users", [401, 201, 201, 201, 201, 201, 201]),
            ("POST", "classes/_User", [401, 201, 201, 201, 201, 201, 201]),
            ("GET", "users", [401, 403, 200, 200, 200, 200, 403]),
            ("GET", "users/strictlyQuery", [401, 403, 200, 200, 200, 200, 403]),
            ("GET", "users/me", [401, 400, 200, 200, 200, 400, 400]),
            ("GET", "users/<id>", [401, 200, 200, 200, 200, 200, 400]),
            ("PUT", "users/<id>", [401, 403, 200, 403, 403, 200, 403]),
            ("DELETE", "users/<id>", [401, 403, 200, 403, 403, 200, 403]),
            ("PUT", "users/<id>/refreshSessionToken", [401, 403, 200, 403, 403, 200, 403]),
            ("PUT", "users/<id>/updatePassword", [401, 403, 200, 403, 403, 200, 403]),
            ("POST", "login", [401, 200, 200, 200, 200, 200, 400]),
            ("POST", "logout", [401, 200, 200, 200, 200, 200, 200]),
            ("POST", "requestSmsCode", [401, 400, 400, 400, 400, 400, 400]),
            ("GET", "classes/_Session", [401, 403, 403, 403, 403, 200, 403]),
            ("POST", "classes/_Session", [401, 403, 403, 403, 403, 400, 403]),
            ("GET", "classes/_Identity", [401, 404, 404, 404, 404, 404, 404]),
            ("POST", "classes/_Identity", [401, 400, 400, 400, 400, 400, 400]),
            ("GET", "schemas/_Identity", [401, 403, 403, 403, 403, 404, 403]),
            ("GET", "permissions/_Identity", [401, 403, 403, 403, 403, 404, 403]),
            ("GET", "roles", [401, 200, 200, 200, 200, 200, 200]),
            ("POST", "roles", [401, 201, 201, 201, 201, 201, 201]),
            ("PUT", "roles/<role>", [401, 403, 403, 403, 403, 200, 400]),
            ("DELETE", "roles/<role>", [401, 403, 403, 403, 403, 200, 200]),
        ] as [(String, String, [Int])]
    )
    func accounts(method: String, path: String, statuses: [Int]) async throws {
        try await check(method, "/1.1/\(path)", statuses) { $0.user }
    }

    @Test(
        "files that their owner and a role may read and write, while users may delete files",
        arguments: [
            ("GET", "/health", [200, 200, 200, 200, 200, 200, 200]),
            ("GET", "/1.1/files", [401, 200, 200, 200, 200, 200, 200]),
            ("GET", "/1.1/classes/_File", [401, 200, 200, 200, 200, 200, 200]),
            ("GET", "/1/classes/_file", [401, 200, 200, 200, 200, 200, 200]),
            ("GET", "/1.1/files/<id>", [401, 403, 200, 403, 200, 200, 404]),
            ("GET", "/1.1/classes/_File/<id>", [401, 403, 200, 403, 200, 200, 200]),
            ("POST", "/1.1/files/new.txt", [401, 201, 201, 201, 201, 201, 201]),
            ("POST", "/1.1/classes/_File", [401, 400, 400, 400, 400, 400, 400]),
            ("PUT", "/1.1/files/<id>", [401, 403, 403, 403, 403, 200, 403]),
            ("DELETE", "/1.1/files/<id>", [401, 403, 200, 403, 200, 200, 403]),
            ("DELETE", "/1.1/classes/_File/<id>", [401, 403, 200, 403, 200, 200, 403]),
            ("GET", "/<key>", [200, 200, 200, 200, 200, 200, 200]),
            ("HEAD", "/<key>", [200, 200, 200, 200, 200, 200, 200]),
            ("GET", "/nosuchkey", [404, 404, 404, 404, 404, 404, 404]),
        ] as [(String, String, [Int])]
    )
    func files(method: String, path: String, statuses: [Int]) async throws {
        try await check(method, path, statuses) { $0.file }
    }

    /// Sends the request as each kind of caller, each to a separate server.
    private func check(
        _ method: String,
        _ path: String,
        _ statuses: [Int],
        _ id: @escaping @Sendable (Stage) -> String
    ) async throws {
        for (asker, status) in zip(Asker.allCases, statuses) {
            try await TestServer().test { client in
                let stage = try await Stage(client)
                let path = path.replacing("<id>", with: id(stage)).replacing("<role>", with: stage.role)
                    .replacing("<key>", with: stage.key)
                let response = try await client.send(
                    method,
                    path,
                    body(method, path),
                    stage.headers(of: asker)
                )
                #expect(response.status.code == status, "\(asker): \(response.text)")
            }
        }
    }

    /// What each endpoint needs to be sent; the others take an empty object.
    private func body(_ method: String, _ path: String) -> String? {
        guard method != "GET", method != "HEAD", !path.contains("/files") else { return nil }
        let bodies = [
            ("indexes", #"{"fields":["n"]}"#), ("permissions", #"{"find":["users"]}"#),
            ("batch", #"{"requests":[]}"#), ("updatePassword", #"{"old_password":"p4ss","new_password":"n"}"#),
            ("login", #"{"username":"owner","password":"p4ss"}"#),
            ("roles", #"{"name":"New","ACL":{}}"#), ("_User", #"{"username":"new","password":"p4ss"}"#),
        ]
        if path.hasSuffix("/users") { return #"{"username":"new","password":"p4ss"}"# }
        if method == "PUT", path.contains("/roles/") { return "{}" }
        return bodies.first { path.contains($0.0) }?.1 ?? "{}"
    }

    /// A server with users, a role, an object and a file.
    private struct Stage {
        private(set) var tokens: [Asker: String] = [:]
        private(set) var user = ""
        private(set) var role = ""
        private(set) var object = ""
        private(set) var file = ""
        private(set) var key = ""

        init(_ client: TestClient) async throws {
            var ids: [Asker: String] = [:]
            for asker in [Asker.owner, .other, .member] {
                let body = #"{"username":"\#(asker)","password":"p4ss"}"#
                let user = try await client.send("POST", "/1.1/users", body, Who.client.headers).json()
                ids[asker] = user["objectId"]?.stringValue
                tokens[asker] = user["sessionToken"]?.stringValue
            }
            user = ids[.owner] ?? ""
            let member = #"{"__type":"Pointer","className":"_User","objectId":"\#(ids[.member] ?? "")"}"#
            role = try await made(
                client,
                "roles",
                """
                {"name":"Editors","ACL":{"*":{"read":true}},"users":{"__op":"AddRelation","objects":[\(member)]}}
                """
            )
            let acl = #"{"\#(user)":{"read":true,"write":true},"role:Editors":{"read":true,"write":true}}"#
            object = try await made(client, "classes/Task", #"{"n":1,"ACL":\#(acl)}"#)
            let record = try await client.upload("a.txt", ("ACL", acl))
            file = record["objectId"]?.stringValue ?? ""
            key = record["key"]?.stringValue ?? ""
            _ = try await client.send("PUT", "/1.1/permissions/_File", #"{"delete":["users"]}"#, Who.master.headers)
        }

        private func made(_ client: TestClient, _ path: String, _ body: String) async throws -> String {
            let reply = try await client.send("POST", "/1.1/\(path)", body, Who.master.headers)
            return try #require(try reply.json()["objectId"]?.stringValue)
        }

        func headers(of asker: Asker) -> HTTPFields {
            switch asker {
            case .nobody: return [:]
            case .guest: return Who.client.headers
            case .master: return Who.master.headers
            case .stranger: return Who.stranger.headers
            case .owner, .other, .member:
                var headers = Who.client.headers
                headers[.known("X-LC-Session")] = tokens[asker]
                return headers
            }
        }
    }
}
