import Domain
import Glibc
import NIOCore
import NIOPosix
import Support
import Testing

@testable import CurlFetch

@Suite(.timeLimit(.minutes(5))) struct WebhookSenderTests {
    @Test(
        "every status comes back with its body, also an error and a redirect",
        arguments: [200, 202, 204, 302, 400, 403, 500, 503]
    )
    func answer(status: Int) async throws {
        let body = status == 204 ? "" : #"{"verdict":"passed"}"#
        let reply = Reply.answer(status, ["Content-Length: \(body.utf8.count)", "Location: /b"], body)
        try await LoopbackServer.with(["/a": reply, "/b": .file("no")]) { server, port in
            let answer = try await post(to: "http://127.0.0.1:\(port)/a")
            #expect(answer == WebhookReply(status: status, body: Array(body.utf8)))
            #expect(server.requests.count == 1)
        }
    }

    @Test("the request is a POST of the body with the given fields, and tells nothing else")
    func request() async throws {
        try await LoopbackServer.with(["/a?b": .file("{}")]) { server, port in
            _ = try await post(
                #"{"file":"中"}"#,
                to: "http://127.0.0.1:\(port)/a?b#c",
                headers: [("X-LC-Censor-Timestamp", "17"), ("X-LC-Censor-Signature", "ab")]
            )
            let lines = [
                "POST /a?b HTTP/1.1", "Host: 127.0.0.1:\(port)", "User-Agent: lcfile", "Accept: */*",
                "Content-Type: application/json", "X-LC-Censor-Timestamp: 17", "X-LC-Censor-Signature: ab",
                "Content-Length: 14", "", #"{"file":"中"}"#,
            ]
            #expect(server.requests == [lines.joined(separator: "\r\n")])
        }
    }

    @Test("a large body arrives whole")
    func largeBody() async throws {
        let body = String(repeating: "x", count: 300_000)
        try await LoopbackServer.with(["/a": .file("{}")]) { server, port in
            _ = try await post(body, to: "http://127.0.0.1:\(port)/a")
            #expect(server.requests.first?.hasSuffix("\r\n\r\n" + body) == true)
        }
    }

    // MARK: Answers beyond the limits

    @Test("an answer of exactly the limit comes, announced or not", arguments: [true, false])
    func exact(isAnnounced: Bool) async throws {
        let body = String(repeating: "x", count: WebhookReply.maxSize)
        let fields = isAnnounced ? ["Content-Length: \(body.utf8.count)"] : []
        try await LoopbackServer.with(["/a": .answer(200, fields, body)]) { _, port in
            let answer = try await post(to: "http://127.0.0.1:\(port)/a")
            #expect(answer.body.count == WebhookReply.maxSize)
            #expect(answer.isWhole)
        }
    }

    @Test(
        "a longer answer comes with its status and its beginning, whether it announces its size, is endless or an error",
        arguments: [(200, true), (200, false), (500, true), (302, false)]
    )
    func huge(status: Int, isAnnounced: Bool) async throws {
        let body = String(repeating: "x", count: WebhookReply.maxSize + 1)
        let fields = isAnnounced ? ["Content-Length: \(body.utf8.count)"] : ["Location: /b"]
        try await LoopbackServer.with(["/a": .answer(status, fields, body, hangsUp: false)]) { _, port in
            let answer = try await post(to: "http://127.0.0.1:\(port)/a")
            #expect(answer.status == status)
            #expect(answer.body == [UInt8](repeating: UInt8(ascii: "x"), count: WebhookReply.maxSize))
            #expect(!answer.isWhole)
        }
    }

    @Test("a receiver that says nothing, or stops within its answer, is given up in time", arguments: [true, false])
    func slow(isSilent: Bool) async throws {
        let part = Reply.answer(200, ["Content-Length: 100"], "{", hangsUp: false)
        try await LoopbackServer.with(["/a": isSilent ? .silence : part]) { _, port in
            let error = try await refusal(ofPostTo: "http://127.0.0.1:\(port)/a", within: 1)
            #expect(error.code == .timedOut)
            #expect(error.message == "The webhook did not answer within 1 seconds.")
        }
    }

    @Test(
        "an answer that ends too early is refused",
        arguments: ["HTTP/1.1 200 Said\r\nContent-Length: 9\r\n\r\n{", ""]
    )
    func brokenOff(bytes: String) async throws {
        try await LoopbackServer.with(["/a": Reply(bytes: ByteBuffer(string: bytes))]) { _, port in
            let error = try await refusal(ofPostTo: "http://127.0.0.1:\(port)/a")
            #expect(error.code == .badRequest)
            #expect(error.message == "The webhook closed the connection before its answer was complete.")
        }
    }

    @Test("an answer that is not HTTP is refused")
    func otherProtocol() async throws {
        try await LoopbackServer.with(["/a": Reply(bytes: ByteBuffer(string: "SSH-2.0-OpenSSH\r\n"))]) { _, port in
            let error = try await refusal(ofPostTo: "http://127.0.0.1:\(port)/a")
            #expect(error.code == .badRequest)
        }
    }

    // MARK: The guard

    @Test(
        "addresses that are not public are refused unless their network is allowed, and no request arrives",
        arguments: ["127.0.0.1", "127.1", "0x7f.1", "localhost", "[::ffff:127.0.0.1]"]
    )
    func guarded(host: String) async throws {
        try await LoopbackServer.with(["/a": .file("{}")]) { server, port in
            let error = try await refusal(ofPostTo: "http://\(host):\(port)/a", allowed: [])
            #expect(error.code == .badRequest)
            #expect(error.message.contains("fetch.allowedNetworks"))
            #expect(server.requests == [])
        }
    }

    @Test(
        "an unreachable host and an unknown name are refused",
        arguments: ["http://127.0.0.1:1/", "http://nobody.invalid/"]
    )
    func unreachable(url: String) async throws {
        let error = try await refusal(ofPostTo: url)
        #expect(error.code == .badRequest)
        #expect(error.message == "The webhook cannot be reached from this server.")
    }

    @Test("a proxy of the environment is not used")
    func proxies() async {
        // The environment is the process's, so the test runs in a process of its own.
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { setenv(name, "http://127.0.0.1:1", 1) }
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            try await LoopbackServer.with(["/a": .file("{}")]) { _, port in
                let answer = try await post(to: "http://127.0.0.1:\(port)/a")
                try #require(answer.status == 200)
            }
        }
    }

    // MARK: Ends

    @Test("cancelling ends a request that waits for its answer, or for the rest of it", arguments: [true, false])
    func cancelled(isSilent: Bool) async throws {
        let part = Reply.answer(200, ["Content-Length: 100"], "{", hangsUp: false)
        try await LoopbackServer.with(["/a": isSilent ? .silence : part]) { server, port in
            let start = ContinuousClock.now
            let task = Task { try await post(to: "http://127.0.0.1:\(port)/a", within: 600) }
            await server.waitForRequest()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(ContinuousClock.now - start < .seconds(300))
        }
    }

    @Test("a request that was cancelled before it began opens no connection")
    func cancelledBefore() async throws {
        try await LoopbackServer.with(["/a": .file("{}")]) { server, port in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await post(to: "http://127.0.0.1:\(port)/a")
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(server.requests == [])
        }
    }

    @Test("more requests than are allowed to wait are refused at once")
    func admission() async throws {
        let error = try await refusal(ofPostTo: "http://127.0.0.1:1/", queue: 0)
        #expect(error.code == .overloaded)
    }
}

/// Posts with a sender, and a thread, of its own.
private func post(
    _ body: String = "{}",
    to url: String,
    headers: [(name: String, value: String)] = [],
    within seconds: Int = 30,
    allowed: [String] = ["127.0.0.1/32"],
    queue: Int = 8
) async throws -> WebhookReply {
    let url = try RemoteURL(url)
    let addresses = AddressGuard(allowedNetworks: try allowed.map { try #require(IPNetwork($0)) })
    let pool = NIOThreadPool(numberOfThreads: 1)
    pool.start()
    let sender = CurlWebhookSender(limits: FetchLimits(), addresses: addresses, pool: pool, limit: queue)
    let result: Result<WebhookReply, any Error>
    do {
        result = .success(try await sender.post(Array(body.utf8), to: url, headers: headers, within: seconds))
    } catch {
        result = .failure(error)
    }
    try await pool.shutdownGracefully()
    return try result.get()
}

/// The error of a request that must not succeed.
private func refusal(
    ofPostTo url: String,
    within seconds: Int = 30,
    allowed: [String] = ["127.0.0.1/32"],
    queue: Int = 8
) async throws -> ServiceError {
    let error = await #expect(throws: ServiceError.self) {
        try await post(to: url, within: seconds, allowed: allowed, queue: queue)
    }
    return try #require(error)
}
