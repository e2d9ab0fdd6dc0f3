import NIOCore
import NIOEmbedded
import Support
import Testing

@testable import HTTPAPI

/// Work that is given up when its client goes.
@Suite struct ClientPresenceTests {
    private func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ClientPresence())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    @Test("the body is run once when the client goes, and not before")
    func gone() throws {
        let channel = try connection()
        let runs = Counter()
        ClientPresence.whenGone(from: channel) { _ = runs.next() }
        channel.embeddedEventLoop.run()
        #expect(runs.value == 0)
        _ = try channel.finish()
        #expect(runs.value == 1)
        channel.embeddedEventLoop.run()
        #expect(runs.value == 1)
    }

    @Test("a client that sends nothing any more is gone, too")
    func inputClosed() throws {
        let channel = try connection()
        let runs = Counter()
        ClientPresence.whenGone(from: channel) { _ = runs.next() }
        channel.embeddedEventLoop.run()
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(runs.value == 1)
        _ = try channel.finish()
        #expect(runs.value == 1)
    }

    @Test("other events of a connection are none")
    func otherEvents() throws {
        let channel = try connection()
        let runs = Counter()
        ClientPresence.whenGone(from: channel) { _ = runs.next() }
        channel.embeddedEventLoop.run()
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.outputClosed)
        #expect(runs.value == 0)
        _ = try channel.finish()
    }

    @Test("all who wait are told, but not those who ended")
    func several() throws {
        let channel = try connection()
        let (first, second, third) = (Counter(), Counter(), Counter())
        ClientPresence.whenGone(from: channel) { _ = first.next() }
        let watch = ClientPresence.whenGone(from: channel) { _ = second.next() }
        ClientPresence.whenGone(from: channel) { _ = third.next() }
        watch.unwatch()
        channel.embeddedEventLoop.run()
        _ = try channel.finish()
        #expect([first, second, third].map(\.value) == [1, 0, 1])
    }

    @Test("a client that is gone already is told of at once")
    func late() throws {
        let channel = try connection()
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        let runs = Counter()
        ClientPresence.whenGone(from: channel) { _ = runs.next() }
        channel.embeddedEventLoop.run()
        #expect(runs.value == 1)
        _ = try channel.finish()
    }

    @Test("nothing is kept of a watch that ended, while its connection lives on")
    func forgotten() throws {
        let channel = try connection()
        weak var kept: Counter?
        do {
            let runs = Counter()
            kept = runs
            let watch = ClientPresence.whenGone(from: channel) { _ = runs.next() }
            channel.embeddedEventLoop.run()
            #expect(kept != nil)
            watch.unwatch()
            channel.embeddedEventLoop.run()
        }
        #expect(kept == nil)
        _ = try channel.finish()
    }

    @Test("work is cancelled when its client goes")
    func required() async throws {
        let channel = try await NIOAsyncTestingChannel {
            try $0.pipeline.syncOperations.addHandler(ClientPresence())
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            try await ClientPresence.required(on: channel) {
                begin.finish()
                // Nothing ever comes, and waiting for it ends only when the task is cancelled.
                let (silence, mouth) = AsyncStream.makeStream(of: Void.self)
                for await _ in silence {}
                withExtendedLifetime(mouth) {}
                try Task.checkCancellation()
            }
        }
        for await _ in begun {}
        try await channel.close()
        await #expect(throws: CancellationError.self) { try await work.value }
    }

    @Test("work that ends gives its result, and its error")
    func results() async throws {
        let channel = try await NIOAsyncTestingChannel {
            try $0.pipeline.syncOperations.addHandler(ClientPresence())
        }
        #expect(try await ClientPresence.required(on: channel) { 7 } == 7)
        await #expect(throws: Broken.self) { try await ClientPresence.required(on: channel) { throw Broken() } }
    }

    @Test("a connection without the handler goes when it closes")
    func noHandler() throws {
        let channel = EmbeddedChannel()
        let runs = Counter()
        ClientPresence.whenGone(from: channel) { _ = runs.next() }
        channel.embeddedEventLoop.run()
        #expect(runs.value == 0)
        _ = try channel.finish()
        #expect(runs.value == 1)
    }
}
