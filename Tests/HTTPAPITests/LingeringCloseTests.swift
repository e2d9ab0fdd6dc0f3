import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPAPI

@Suite struct LingeringCloseTests {
    private let channel = EmbeddedChannel()
    private let reads = CountedReads()

    init() throws {
        try channel.pipeline.syncOperations.addHandlers(reads, LingeringCloseHandler())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func endOutput() {
        channel.close(mode: .output, promise: nil)
        channel.embeddedEventLoop.run()
    }

    private func receive(_ text: String) throws -> String? {
        try channel.writeInbound(ByteBuffer(string: text))
        return try channel.readInbound(as: ByteBuffer.self).map { String(buffer: $0) }
    }

    @Test("bytes are passed on until the server ends its side, and discarded then")
    func discards() throws {
        #expect(try receive("a") == "a")
        endOutput()
        #expect(try receive("b") == nil)
        #expect(channel.isActive)
    }

    @Test("what still arrives is read, although no other handler asks for it")
    func readsOn() throws {
        _ = try receive("a")
        #expect(reads.count == 0)
        endOutput()
        _ = try receive("b")
        #expect(reads.count == 2)
    }

    @Test("the connection is closed when the client had its time", arguments: [(4, true), (5, false)])
    func time(seconds: Int64, isOpen: Bool) {
        endOutput()
        channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
        #expect(channel.isActive == isOpen)
    }

    @Test("a client that ends its side ends the connection, but not before the server has", arguments: [true, false])
    func clientEnds(serverHasEnded: Bool) {
        if serverHasEnded { endOutput() }
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        channel.embeddedEventLoop.run()
        #expect(channel.isActive == !serverHasEnded)
    }

    @Test("a close of both sides happens at once")
    func whole() throws {
        try channel.close().wait()
        #expect(!channel.isActive)
    }
}

/// Counts the reads that handlers ask for.
private final class CountedReads: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }

    /// EmbeddedChannel cannot end one side.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
    }
}
