import Support
import Testing

@testable import S3

@Suite("Requests and URLs with credentials that end")
struct EndedCredentialsTests {
    /// A service that is also a store, which refuses its first credentials.
    private func run(
        _ refusal: ScriptedReply,
        _ body: (_ service: TokenService, _ client: S3Client) throws -> Void
    ) async throws {
        let answer: TokenService.Answer = { request, number in
            if request.path == "/" { return TokenService.credentials(number) }
            return request.headers["x-amz-security-token"] == "SESSION1" ? refusal : ScriptedReply()
        }
        try await TokenService.run(answer) { service in
            let bucket = try S3Bucket("bucket", region: "us-east-1", endpoint: service.server.url)
            try body(service, S3Client(bucket, credentials: service.source))
        }
    }

    @Test(
        "a request that is refused because of its credentials is repeated once with new ones",
        arguments: [(400, "ExpiredToken"), (403, "ExpiredToken"), (403, "InvalidAccessKeyId")]
    )
    func repeats(status: Int, code: String) async throws {
        try await run(ScriptedStore.refusal(status, code)) { service, client in
            #expect(try service.accessKey() == "KEY1")
            service.clock.pass(seconds: 11)
            try client.put("key", bytes: [1, 2, 3])
            #expect(service.server.requests.map(\.path) == ["/", "/bucket/key", "/", "/bucket/key"])
            #expect(service.server.requests.last?.body == [1, 2, 3] && client.counts.all == 2)
            #expect(service.server.requests.last?.headers["x-amz-security-token"] == "SESSION3")
        }
    }

    @Test("the answer to a HEAD has no code, and its status is enough")
    func heads() async throws {
        try await run(ScriptedReply(status: 400)) { service, client throws in
            #expect(try service.accessKey() == "KEY1")
            service.clock.pass(seconds: 11)
            #expect(try client.head("key") != nil)
            #expect(service.exchanges == 2)
        }
    }

    @Test("new credentials that are refused are not exchanged, and other refusals neither")
    func doesNotRepeat() async throws {
        try await run(ScriptedStore.refusal(400, "ExpiredToken")) { service, client in
            let error = #expect(throws: S3Error.self) { try client.put("key", bytes: []) }
            #expect(error?.code == "ExpiredToken" && service.server.requests.map(\.path) == ["/", "/bucket/key"])
        }
        try await run(ScriptedStore.refusal(403, "AccessDenied")) { service, client throws in
            #expect(try service.accessKey() == "KEY1")
            service.clock.pass(seconds: 11)
            #expect(throws: S3Error.self) { try client.put("key", bytes: []) }
            #expect(service.exchanges == 1)
        }
        try ScriptedStore({ _, _ in ScriptedStore.refusal(400, "ExpiredToken") }).with { client, server in
            #expect(throws: S3Error.self) { try client.put("key", bytes: []) }
            #expect(server.requests.count == 1)
        }
    }

    @Test("without credentials no request is sent to the store, and attempts are as for the store")
    func needsCredentials() async throws {
        let answer: TokenService.Answer = { _, _ in TokenService.refusal(403, "Denied") }
        try await TokenService.run(answer) { service in
            let bucket = try S3Bucket("bucket", region: "us-east-1", endpoint: service.server.url)
            let client = S3Client(bucket, credentials: service.source)
            let error = #expect(throws: S3Error.self) { try client.put("key", bytes: []) }
            #expect(error?.reason == .refused && service.server.requests.map(\.path) == ["/"])
        }
    }

    @Test("a URL is made only if the credentials live as long as it")
    func urls() async throws {
        try await TokenService.run(TokenService.numbered) { service in
            let signer = S3URLSigner(try S3Bucket("bucket", region: "us-east-1"), credentials: service.source)
            func url(_ seconds: Int) -> String? {
                signer.url(of: "a", S3ResponseFields(), from: S3Client.now(), seconds: seconds)
            }
            #expect(url(1) == nil && service.exchanges == 0)
            #expect(try service.accessKey() == "KEY1")
            #expect(url(3500)?.contains("&X-Amz-Security-Token=SESSION1&") == true)
            #expect(url(3700) == nil)
            service.clock.pass(seconds: 3000)
            #expect(url(500) != nil && url(700) == nil)
            service.clock.pass(seconds: 700)
            #expect(url(1) == nil)
        }
    }
}
