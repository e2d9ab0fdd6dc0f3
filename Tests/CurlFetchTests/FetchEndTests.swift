import Domain
import NIOCore
import Support
import Testing

@testable import CurlFetch

@Suite(.timeLimit(.minutes(5))) struct FetchEndTests {
    @Test("a server that says nothing is given up when the time is over")
    func timeout() async throws {
        try await LoopbackServer.with(["/a": .silence]) { _, port in
            let error = try await refusal(of: "http://127.0.0.1:\(port)/a", limits: FetchLimits(timeout: 1))
            #expect(error.code == .timedOut)
            #expect(error.message == "The file at url did not arrive within 1 seconds (fetch.timeout).")
        }
    }

    @Test("a server that is too slow is given up before")
    func slow() async throws {
        let reply = Reply.answer(200, ["Content-Length: 100"], "hello", hangsUp: false)
        try await LoopbackServer.with(["/a": reply]) { _, port in
            let limits = FetchLimits(minSpeed: 1000, minSpeedTime: 1)
            let error = try await refusal(of: "http://127.0.0.1:\(port)/a", limits: limits)
            #expect(error.code == .timedOut)
            #expect(error.message.contains("1000 bytes a second for 1 seconds (fetch.minSpeed)"))
        }
    }

    @Test("what the taker throws ends the fetch and is thrown")
    func takerThrows() async throws {
        let reply = Reply.answer(200, ["Content-Length: 100"], "hello", hangsUp: false)
        try await LoopbackServer.with(["/a": reply]) { _, port in
            await #expect(throws: Broken.self) {
                try await fetch("http://127.0.0.1:\(port)/a") { _ in throw Broken() }
            }
        }
    }

    @Test("cancelling ends a fetch that waits for an answer")
    func cancelledWithoutAnswer() async throws {
        try await LoopbackServer.with(["/a": .silence]) { server, port in
            let task = Task { try await fetch("http://127.0.0.1:\(port)/a") }
            await server.waitForRequest()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("cancelling ends a fetch that waits for more bytes")
    func cancelledInBody() async throws {
        let reply = Reply.answer(200, ["Content-Length: 100"], "hello", hangsUp: false)
        try await LoopbackServer.with(["/a": reply]) { _, port in
            let (pieces, source) = AsyncStream.makeStream(of: ByteBuffer.self)
            let task = Task {
                defer { source.finish() }
                return try await fetch("http://127.0.0.1:\(port)/a") { _ = source.yield($0) }
            }
            for await _ in pieces { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("cancelling ends a fetch that waits for its taker")
    func cancelledInTaker() async throws {
        let reply = Reply.answer(200, ["Content-Length: 100"], "hello", hangsUp: false)
        try await LoopbackServer.with(["/a": reply]) { _, port in
            let (pieces, source) = AsyncStream.makeStream(of: ByteBuffer.self)
            let (never, silent) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                defer { source.finish() }
                return try await fetch("http://127.0.0.1:\(port)/a") { piece in
                    _ = source.yield(piece)
                    for await _ in never {}
                }
            }
            for await _ in pieces { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            silent.finish()
        }
    }

    @Test("a fetch that was cancelled before it began opens no connection")
    func cancelledBefore() async throws {
        try await LoopbackServer.with(["/a": .file("hello")]) { server, port in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await fetch("http://127.0.0.1:\(port)/a")
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(server.requests == [])
        }
    }

    @Test(
        "more fetches than the queue takes are refused at once, with the setting of this queue",
        arguments: ["fetch.maxQueued", "fetch.maxQueuedGuests", "mirror.maxQueued"]
    )
    func admission(setting: String) async throws {
        let error = try await refusal(of: "http://127.0.0.1:1/", queue: 0, setting: setting)
        #expect(error.code == .overloaded)
        #expect(error.limit == setting)
        #expect(error.message.contains("(\(setting))"))
    }
}
