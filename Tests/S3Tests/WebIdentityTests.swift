import Glibc
import Support
import Synchronization
import Testing

@testable import S3

@Suite("Credentials for web identity tokens")
struct WebIdentityTests {
    @Test(
        "the token of the file is sent as a form without a signature, with a role if there is one",
        arguments: [
            (TokenService.role, "RoleArn=arn%3Aaws%3Aiam%3A%3A111122223333%3Arole%2Ffiles&"), ("", ""),
        ]
    )
    func form(role: String, parameter: String) async throws {
        try await TokenService.run(role: role, TokenService.numbered) { service in
            try service.write("  to.k-e_n+1\r\n")
            let found = try service.source.credentials(while: { true })
            #expect(found.accessKey == "KEY1" && found.secretKey == "SECRET1" && found.sessionToken == "SESSION1")
            let request = try #require(service.server.requests.first)
            #expect(request.method == "POST" && request.path == "/" && request.headers["authorization"] == nil)
            #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
            let expected =
                "Action=AssumeRoleWithWebIdentity&\(parameter)RoleSessionName=lcfile&Version=2011-06-15"
                + "&WebIdentityToken=to.k-e_n%2B1"
            #expect(String(decoding: request.body, as: UTF8.self) == expected)
        }
    }

    @Test("credentials are cached, and exchanged for the token of that time in the last five minutes of their life")
    func renews() async throws {
        try await TokenService.run(TokenService.numbered) { service in
            for _ in 0..<3 { #expect(try service.accessKey() == "KEY1") }
            service.clock.pass(seconds: 3290)
            #expect(try service.accessKey() == "KEY1" && service.exchanges == 1)
            try service.write("token-2")
            service.clock.pass(seconds: 20)
            // The request that finds them due does not wait.
            #expect(try service.accessKey() == "KEY1")
            try await eventually { try service.accessKey() == "KEY2" }
            #expect(service.exchanges == 2)
            let body = String(decoding: try #require(service.server.requests.last).body, as: UTF8.self)
            #expect(body.hasSuffix("WebIdentityToken=token-2"))
        }
    }

    @Test("credentials that live shortly are used for two thirds of their life")
    func shortLives() async throws {
        let answer: TokenService.Answer = { _, number in TokenService.credentials(number, life: 300) }
        try await TokenService.run(answer) { service in
            #expect(try service.accessKey() == "KEY1")
            service.clock.pass(seconds: 190)
            #expect(try service.accessKey() == "KEY1" && service.exchanges == 1)
            service.clock.pass(seconds: 20)
            try await eventually { try service.accessKey() == "KEY2" }
        }
    }

    @Test("while credentials are valid, a failure is tried again after ten seconds, and after their end it is an error")
    func failures() async throws {
        let isDown = Atomic(false)
        let answer: TokenService.Answer = { _, number in
            isDown.load(ordering: .acquiring) ? TokenService.refusal(503, "") : TokenService.credentials(number)
        }
        try await TokenService.run(answer) { service in
            #expect(try service.accessKey() == "KEY1")
            isDown.store(true, ordering: .releasing)
            service.clock.pass(seconds: 3400)
            #expect(try service.accessKey() == "KEY1")
            // The failure has the time at which it is noted, which is later than the request.
            try await eventually { service.exchanges == 2 && !service.source.isRenewing }
            service.clock.pass(seconds: 5)
            #expect(try service.accessKey() == "KEY1" && service.exchanges == 2)
            service.clock.pass(seconds: 60)
            try await eventually { try service.accessKey() == "KEY1" && service.exchanges == 3 }
            service.clock.pass(seconds: 200)
            let error = #expect(throws: S3Error.self) { try service.accessKey() }
            #expect(error?.reason == .unavailable && error?.isTemporary == true)
            // The requests of the next second cause no exchange.
            let count = service.exchanges
            #expect(throws: S3Error.self) { try service.accessKey() }
            #expect(service.exchanges == count)
            isDown.store(false, ordering: .releasing)
            service.clock.pass(seconds: 2)
            #expect(try service.accessKey() == "KEY\(count + 1)")
        }
    }

    @Test(
        "a refusal has the code of the service, and a failure can pass",
        arguments: [
            (400, "InvalidIdentityToken", .refused), (400, "ExpiredToken", .refused), (403, "AccessDenied", .refused),
            (400, "IDPCommunicationError", .unavailable), (400, "Throttling", .unavailable),
            (500, "InternalError", .unavailable), (503, "", .unavailable), (429, "", .unavailable),
            (302, "", .refused), (0, "", .unavailable),
        ] as [(Int, String, S3Error.Reason)]
    )
    func refusals(status: Int, code: String, reason: S3Error.Reason) async throws {
        try await TokenService.run(TokenService.always(TokenService.refusal(status, code))) { service in
            let thrown = #expect(throws: S3Error.self) { try service.accessKey() }
            let error = try #require(thrown)
            #expect(error.reason == reason && error.isTemporary == (reason == .unavailable))
            guard status > 0 else { return }
            #expect(error.code == code && error.description.contains("(\(status) \(code.isEmpty ? "Said." : code)"))
        }
    }

    @Test("no message has the token, although the service quotes it")
    func hidesTokens() async throws {
        let reply = TokenService.refusal(400, "Bad", "'token-1' is no token")
        try await TokenService.run(TokenService.always(reply)) { service in
            let error = #expect(throws: S3Error.self) { try service.accessKey() }
            #expect(error?.description.contains("(400 Bad)") == true)
            #expect(error?.description.contains("token-1") == false)
        }
    }

    @Test(
        "an answer without usable credentials is an error",
        arguments: [
            (ScriptedReply(), .unavailable), (ScriptedReply(body: Array("<html>".utf8)), .unavailable),
            (ScriptedReply(body: Array("<!DOCTYPE a><a/>".utf8)), .unavailable),
            (ScriptedReply(body: [UInt8](repeating: 0x61, count: 1 << 20)), .unavailable),
            (TokenService.document("", "2040-01-02T03:04:05Z"), .unavailable),
            (TokenService.document("KEY&#10;X: 1", "2040-01-02T03:04:05Z"), .unavailable),
            (TokenService.document("KEY", "tomorrow"), .unavailable),
            (TokenService.document("KEY", "2020-01-02T03:04:05Z"), .clock),
        ] as [(ScriptedReply, S3Error.Reason)]
    )
    func malformed(reply: ScriptedReply, reason: S3Error.Reason) async throws {
        try await TokenService.run(TokenService.always(reply)) { service in
            let error = #expect(throws: S3Error.self) { try service.accessKey() }
            #expect(error?.reason == reason && error?.description.contains("SECRET1") == false)
        }
    }

    @Test(
        "a file without a token is named, nothing is sent, and the next token is used",
        arguments: [nil, "", " \n", "two words", String(repeating: "a", count: 65_537)] as [String?]
    )
    func tokenFiles(text: String?) async throws {
        try await TokenService.run(TokenService.numbered) { service in
            try service.write(text)
            let error = #expect(throws: S3Error.self) { try service.accessKey() }
            #expect(error?.reason == .local && error?.description.contains("/tmp/lcfile-identity-") == true)
            #expect(error?.description.contains("two words") == false && service.exchanges == 0)
            try service.write("token-2")
            service.clock.pass(seconds: 2)
            #expect(try service.accessKey() == "KEY1")
        }
    }

    @Test("threads that need credentials at the same time share one exchange, and its error", arguments: [200, 403])
    func threads(status: Int) async throws {
        let answer: TokenService.Answer = { _, number in
            usleep(200_000)
            return status == 200 ? TokenService.credentials(number) : TokenService.refusal(status, "AccessDenied")
        }
        try await TokenService.run(answer) { service in
            let keys = service.accessKeysOfThreads()
            #expect(keys == Array(repeating: status == 200 ? "KEY1" : nil, count: 16))
            #expect(service.exchanges == 1)
        }
    }

    @Test("a caller can stop an exchange, which is no failure for others")
    func stops() async throws {
        let hasArrived = Atomic(false)
        let answer: TokenService.Answer = { _, number in
            var reply = TokenService.credentials(number)
            if number == 1 { (reply.cut, reply.stalls) = (10, true) }
            hasArrived.store(true, ordering: .releasing)
            return reply
        }
        try await TokenService.run(answer) { service throws in
            let error = #expect(throws: S3Error.self) {
                try service.source.credentials(while: { !hasArrived.load(ordering: .acquiring) })
            }
            #expect(error?.reason == .stopped)
            #expect(try service.accessKey() == "KEY2")
        }
    }
}
