import Domain
import HTTPTypes
import Support
import Testing

@testable import HTTPAPI

@Suite struct MailRouteTests {
    private let fixture: MailFixture
    private var server = TestServer()

    init() throws {
        fixture = try MailFixture()
        server.mail = fixture
        server.accounts.verifiesEmail = true
    }

    @Test(
        "every caller with credentials of the app can ask for mails; a guest of the server cannot",
        arguments: ["requestEmailVerify", "requestPasswordReset"],
        [(Who.guest, 401), (.client, 200), (.master, 200), (.stranger, 400)]
    )
    func requests(call: String, who: (Who, Int)) async throws {
        try await server.test { client in
            let body = #"{"username":"ann","password":"p","email":"ann@example.org"}"#
            #expect(try await client.send("POST", "/1.1/users", body, Who.client.headers).status == .created)
            let answer = try await client.send("POST", "/1.1/\(call)", #"{"email":"ann@example.org"}"#, who.0.headers)
            #expect(answer.status.code == who.1)
            if who.0 == .stranger { #expect(try answer.json()["code"] == .integer(205)) }
        }
    }

    @Test(
        "the queue is for the master key",
        arguments: [("GET", "/1.1/mails"), ("POST", "/1.1/mails/retry")],
        [(Who.guest, 401), (.client, 403), (.master, 200), (.stranger, 403)]
    )
    func queue(call: (String, String), who: (Who, Int)) async throws {
        try await server.test { client in
            let body = call.0 == "POST" ? #"{"all":true}"# : ""
            let answer = try await client.send(call.0, call.1, body, who.0.headers)
            #expect(answer.status.code == who.1)
        }
    }

    @Test("without a mail server the calls are refused, and no page exists")
    func off() async throws {
        try await TestServer().test { client in
            for (call, code) in [("requestEmailVerify", Int64(1)), ("requestPasswordReset", 119)] {
                let answer = try await client.send("POST", "/1.1/\(call)", #"{"email":"a@b.cd"}"#, Who.client.headers)
                #expect(answer.status == .badRequest)
                #expect(try answer.json()["code"] == .integer(code))
                #expect(answer.text.contains("mail.server"))
            }
            let page = "/1.1/links/\(String(repeating: "a", count: 40))/app"
            let shown = try await client.send("GET", page, "", [:])
            #expect(shown.status == .notFound)
        }
    }
}
