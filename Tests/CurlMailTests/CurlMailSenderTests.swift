import CurlMail
import NIOPosix
import Testing

@testable import Domain

/// The time limits are shorter than the 120 seconds that libcurl waits for a reply by itself.
@Suite(.timeLimit(.minutes(1))) struct CurlMailSenderTests {
    /// Sends a mail with a sender, and a thread, of its own.
    private func send(to url: String, timeout: Int = 60) async throws {
        var server = MailServer(url: url)
        server.encryption = .off
        server.timeout = timeout
        let message = MailMessage(
            from: try #require(Mailbox("app@example.org")),
            to: try #require(MailAddress("ann@example.net")),
            subject: "Hello",
            text: "text",
            html: "<p>text</p>",
            id: "id.0.abc",
            date: Timestamp(milliseconds: 1_714_636_800_123)
        )
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let result: Result<Void, any Error>
        do {
            result = .success(try await CurlMailSender(server: server, pool: pool).send(message))
        } catch {
            result = .failure(error)
        }
        try await pool.shutdownGracefully()
        try result.get()
    }

    @Test("a mail is handed over, and the connection ends with QUIT")
    func handedOver() async throws {
        try await ScriptedMailServer.with([:]) { server, url in
            try await send(to: url)
            #expect(server.words == ["EHLO", "MAIL", "RCPT", "DATA", ".", "QUIT"])
        }
    }

    @Test("a server that accepted the mail and does not answer QUIT does not hold the worker")
    func silentQuit() async throws {
        try await ScriptedMailServer.with(["QUIT": ""]) { server, url in
            try await send(to: url)
            #expect(server.words.last == "QUIT")
        }
    }

    @Test("a mail that was accepted counts as sent if the server stops during QUIT")
    func stopDuringQuit() async throws {
        try await ScriptedMailServer.with(["QUIT": ""]) { server, url in
            let task = Task { try await send(to: url) }
            await server.wait(for: "QUIT")
            task.cancel()
            try await task.value
        }
    }

    @Test("a mail that the server has not accepted yet counts as not sent if the server stops")
    func stopBeforeAcceptance() async throws {
        try await ScriptedMailServer.with([".": ""]) { server, url in
            let task = Task { try await send(to: url) }
            await server.wait(for: ".")
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("a server that refuses the recipient and does not answer QUIT holds the worker for mail.timeout only")
    func silentQuitAfterRefusal() async throws {
        try await ScriptedMailServer.with(["RCPT": "550 Unknown", "QUIT": ""]) { _, url in
            let error = await #expect(throws: DeliveryFailure.self) { try await send(to: url, timeout: 3) }
            #expect(error?.kind == .refused)
        }
    }

    @Test(
        "a mail that the server refused is not sent, also if the server answers QUIT with 250",
        arguments: [
            ("451 Try later", .deferred), ("451-Try\r\n451 later", .deferred), ("554 No", .refused),
        ] as [(String, DeliveryFailure.Kind)]
    )
    func acceptedQuitAfterRefusal(reply: String, kind: DeliveryFailure.Kind) async throws {
        try await ScriptedMailServer.with([".": reply, "QUIT": "250 Bye"]) { server, url in
            let error = await #expect(throws: DeliveryFailure.self) { try await send(to: url) }
            #expect(error?.kind == kind)
            #expect(server.words.last == "QUIT")
        }
    }

    @Test("a reply of several lines accepts a mail")
    func acceptedInLines() async throws {
        try await ScriptedMailServer.with([".": "250-Accepted\r\n250 as 1", "QUIT": ""]) { server, url in
            try await send(to: url)
            #expect(server.words.last == "QUIT")
        }
    }

    @Test("a server that does not answer the message in time has not accepted it")
    func silentMessage() async throws {
        try await ScriptedMailServer.with([".": ""]) { _, url in
            let error = await #expect(throws: DeliveryFailure.self) { try await send(to: url, timeout: 3) }
            #expect(error?.kind == .deferred)
            #expect(error?.description == "The mail server did not answer in time (mail.timeout).")
        }
    }
}
