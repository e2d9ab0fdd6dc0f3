import Domain
import HTTPTypes
import HummingbirdCore
import NIOCore
import Support
import Testing

@testable import HTTPAPI

@Suite("GET /app")
struct AppRouteTests {
    @Test("the route is for the master key", arguments: [(Who.guest, 401), (.client, 403), (.stranger, 403)])
    func access(who: Who, status: Int) async throws {
        try await TestServer().test { client in
            let response = try await client.send("GET", "/1.1/app", nil, who.headers)
            #expect(response.status.code == status)
            #expect(!response.text.contains("app-key"))
        }
    }

    @Test("the key is that with which clients reach the app")
    func key() async throws {
        try await TestServer().test { client in
            let members = try await client.send("GET", "/1.1/app", nil, Who.master.headers).json()
            var headers = HTTPFields()
            headers[.known("X-LC-Id")] = try #require(members["appId"]?.stringValue)
            headers[.known("X-LC-Key")] = try #require(members["appKey"]?.stringValue)
            let response = try await client.send("POST", "/1.1/classes/Note", #"{"n":1}"#, headers)
            #expect(response.status == .created)
            #expect(members["serverURL"]?.stringValue?.hasPrefix("http") == true)
        }
    }

    @Test(
        "a request whose answer has the key is known",
        arguments: [("/1.1/app", true), ("/1.1//app/", true), ("/1.1/app/x", false), ("/1.1/classes/app", false)]
    )
    func isMarked(_ path: String, _ isMarked: Bool) {
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: path)
        #expect(Request(head: head, body: .init(buffer: .init())).showsKey == isMarked)
    }
}
