import Domain
import HTTPTypes
import Support
import Testing

@testable import HTTPAPI

/// The routes of the trash and of collections.
@Suite struct TrashRouteTests {
    private let routes = [
        ("GET", "/1.1/trash"), ("DELETE", "/1.1/trash"), ("POST", "/1.1/trash/a/restore"), ("DELETE", "/1.1/trash/a"),
        ("POST", "/1.1/collections"), ("POST", "/1.1/collections/a/scan"), ("GET", "/1.1/collections/a/files"),
        ("POST", "/1.1/collections/a/files"), ("DELETE", "/1.1/collections/a"),
    ]

    @Test("every route is for the master key", arguments: [(Who.guest, 401), (.client, 403), (.stranger, 403)])
    func callers(who: (Who, Int)) async throws {
        try await TestServer().test { client in
            for (method, path) in routes {
                let response = try await client.send(method, path, "", who.0.headers)
                #expect(response.status.code == who.1, "\(method) \(path)")
            }
        }
    }

    @Test("wrong parameters are named")
    func parameters() async throws {
        try await TestServer().test { client in
            let cases = [
                ("?limit=0", "limit"), ("?limit=1001", "limit"), ("?reason=x", "reason"), ("?cursor=x", "cursor"),
            ]
            for (path, word) in cases {
                let response = try await client.send("GET", "/1.1/trash\(path)", "", Who.master.headers)
                #expect(response.status == .badRequest)
                #expect(response.text.contains(word))
            }
            for (query, word) in [
                ("deletedBefore=", "deletedBefore"), ("deletedBefore", "deletedBefore"),
                ("deletedBefore=null", "value"), ("reason=", "reason"), ("reason=nul%6c", "value"),
                ("reason=%ff", "value"),
                ("deletedBefor=2027-01-01T00:00:00.000Z", "deletedBefor"),
                ("reason=deleted&before=2027-01-01T00:00:00.000Z", "before"), ("=x", "deletedBefore"),
                ("deletedBefore=yesterday", "deletedBefore"),
            ] {
                let response = try await client.send("DELETE", "/1.1/trash?\(query)", "", Who.master.headers)
                #expect(response.status == .badRequest, "\(query)")
                #expect(response.text.contains(word), "\(query): \(response.text)")
            }
            for query in ["", "?reason=deleted", "?reason=collected&deletedBefore=2027-01-01T00:00:00.000Z"] {
                let response = try await client.send("DELETE", "/1.1/trash\(query)", "", Who.master.headers)
                #expect(response.status == .ok, "\(query)")
            }
            let response = try await client.send("POST", "/1.1/trash/none/restore", "", Who.master.headers)
            #expect(response.status == .notFound)
        }
    }
}
