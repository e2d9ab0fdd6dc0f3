import Domain
import HTTPTypes
import Support
import Testing

@testable import HTTPAPI

/// The routes that tell what uses an app's space.
@Suite struct UsageRouteTests {
    @Test("both routes are for the master key", arguments: [(Who.guest, 401), (.client, 403), (.stranger, 403)])
    func callers(who: (Who, Int)) async throws {
        try await TestServer().test { client in
            for path in ["/1.1/usage", "/1.1/usage/groups"] {
                let response = try await client.send("GET", path, nil, who.0.headers)
                #expect(response.status.code == who.1, "\(path)")
            }
        }
    }

    @Test("the total has the files, the trash, the quota and how long the trash stays")
    func total() async throws {
        var server = TestServer()
        server.uploads.quota = 1000
        server.trash = TrashSettings(keep: 60, keepCollected: 3600)
        try await server.test { client in
            _ = try await client.send("POST", "/1.1/files/a.txt", "four", Who.master.headers)
            let gone = try await client.send("POST", "/1.1/files/b.txt", "seven b", Who.master.headers)
            let id = try #require(try gone.json()["objectId"]?.stringValue)
            _ = try await client.send("DELETE", "/1.1/files/\(id)", nil, Who.master.headers)
            let response = try await client.send("GET", "/1.1/usage", nil, Who.master.headers)
            let expected: [String: Int64] = [
                "files": 1, "bytes": 4, "uploads": 0, "announced": 0, "trashFiles": 1, "trashBytes": 7,
                "quota": 1000, "trashKeep": 60, "trashKeepCollected": 3600,
            ]
            #expect(try response.json() == expected.mapValues(JSONValue.integer))
        }
    }

    @Test("without a quota the total has none")
    func noQuota() async throws {
        try await TestServer().test { client in
            let members = try await client.send("GET", "/1.1/usage", nil, Who.master.headers).json()
            #expect(members["bytes"] == .integer(0))
            #expect(members["quota"] == nil)
        }
    }

    @Test("the groups have each type and month once, without parameters, and no file without bytes")
    func groups() async throws {
        let server = TestServer()
        try await server.test { client in
            try await insert(
                [
                    try file("a", "image/png", 5, "2026-01-31T23:59:59.999Z"),
                    try file("b", "image/png", 7, "2026-01-01T00:00:00.000Z"),
                    try file("c", "image/png", 11, "2026-02-01T00:00:00.000Z"),
                    try file("d", "text/plain; charset=gbk", 13, "2025-12-31T23:59:59.999Z"),
                    try external("e"),
                ],
                into: server.store
            )
            let response = try await client.send("GET", "/1.1/usage/groups", nil, Who.master.headers)
            let groups = [
                group("image/png", "2026-01", 2, 12), group("image/png", "2026-02", 1, 11),
                group("text/plain", "2025-12", 1, 13),
            ]
            #expect(try response.json() == ["results": .array(groups)])
        }
    }

    @Test("many types come in several pages that have each file once")
    func pages() async throws {
        let server = TestServer()
        let count = 2 * UsageService.pageSize + 1
        try await server.test { client in
            let files = try (0..<count).map { try file("f\($0)", "x/t\($0)", 1, "2026-01-01T00:00:00.000Z") }
            try await insert(files, into: server.store)
            var types: Set<String> = []
            var pages = 0
            var cursor: String?
            repeat {
                let query = cursor.map { "?cursor=\($0)" } ?? ""
                let page = try await client.send("GET", "/1.1/usage/groups\(query)", nil, Who.master.headers).json()
                for result in page["results"]?.arrayValue ?? [] {
                    let type = try #require(result.objectValue?["mime_type"]?.stringValue)
                    let isNew = types.insert(type).inserted
                    #expect(isNew)
                }
                cursor = page["cursor"]?.stringValue
                pages += 1
            } while cursor != nil && pages < 10
            #expect(types.count == count)
            #expect(pages == 3)
        }
    }

    @Test("a cursor that is none is refused")
    func cursor() async throws {
        try await TestServer().test { client in
            let response = try await client.send("GET", "/1.1/usage/groups?cursor=%2F", nil, Who.master.headers)
            #expect(response.status == .badRequest)
            #expect(response.text.contains("cursor"))
        }
    }

    private func file(_ id: String, _ type: String, _ size: Int64, _ time: String) throws -> StoredObject {
        try object(id, time, ["key": .string(id), "mime_type": .string(type), "_size": .integer(size)])
    }

    private func external(_ id: String) throws -> StoredObject {
        try object(id, "2026-01-01T00:00:00.000Z", ["url": "https://elsewhere.example.com/e.png"])
    }

    private func object(_ id: String, _ time: String, _ fields: [String: JSONValue]) throws -> StoredObject {
        let time = try #require(Timestamp(iso8601: time))
        let fields = fields.merging(["name": .string(id)]) { $1 }
        return StoredObject(id: try #require(ObjectID(id)), createdAt: time, updatedAt: time, fields: fields)
    }

    private func insert(_ files: [StoredObject], into store: MemoryObjectStore) async throws {
        try await store.write { writer in
            for file in files { try writer.insert(file, into: .file) }
        }
    }

    private func group(_ type: String, _ month: String, _ files: Int64, _ bytes: Int64) -> JSONValue {
        .object([
            "mime_type": .string(type), "month": .string(month), "files": .integer(files), "bytes": .integer(bytes),
        ])
    }
}
