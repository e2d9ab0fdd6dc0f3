import Domain
import HTTPTypes
import Support
import Testing

@testable import HTTPAPI

@Suite("GET /client")
struct ClientRouteTests {
    @Test("the route is for the master key", arguments: [(Who.guest, 401), (.client, 403), (.master, 200)])
    func access(who: Who, status: Int) async throws {
        try await TestServer().test { client in
            let response = try await client.send("GET", "/1.1/client", nil, who.headers)
            #expect(response.status.code == status)
            #expect(response.text.contains("isTrustedProxy") == (status == 200))
        }
    }
}
