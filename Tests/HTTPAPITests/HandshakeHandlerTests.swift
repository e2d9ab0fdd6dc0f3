import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPAPI

@Suite struct HandshakeHandlerTests {
    private let channel = EmbeddedChannel()
    private let metrics = RequestMetrics()

    init() throws {
        let handler = HandshakeHandler(timeout: .seconds(60), metrics: metrics)
        try channel.pipeline.syncOperations.addHandler(handler)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func sent() throws -> String {
        var text = ""
        while let data = try channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let bytes) = data { text += String(buffer: bytes) }
        }
        return text
    }

    @Test("a record of TLS is passed on")
    func record() throws {
        try channel.writeInbound(ByteBuffer(bytes: [22, 3, 1]))
        #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(bytes: [22, 3, 1]))
    }

    @Test("a request without TLS is answered and not passed on", arguments: ["GET / HTTP/1.1\r\n\r\n", "P"])
    func plain(text: String) throws {
        try channel.writeInbound(ByteBuffer(string: text))
        #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
        #expect(try sent().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    }

    @Test("such a request is answered once and counted once")
    func once() throws {
        try channel.writeInbound(ByteBuffer(string: "GET / HT"))
        try channel.writeInbound(ByteBuffer(string: "TP/1.1\r\n\r\n"))
        #expect(try sent().components(of: "HTTP/1.1 400") == 1)
        #expect(metrics.counts.map(\.status) == [400])
    }

    @Test("its connection is closed when the client had time to read")
    func drained() throws {
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
        channel.embeddedEventLoop.advanceTime(by: LingeringCloseHandler.time)
        #expect(!channel.isActive)
    }

    @Test("a handshake that takes too long ends")
    func timeout() throws {
        try channel.writeInbound(ByteBuffer(bytes: [22, 3, 1]))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(!channel.isActive)
    }

    @Test("after its removal there is no timeout")
    func removed() throws {
        let handler = try channel.pipeline.syncOperations.handler(type: HandshakeHandler.self)
        channel.pipeline.syncOperations.removeHandler(handler, promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
    }

    @Test("a connection that makes place for others is closed")
    func idle() {
        channel.pipeline.fireUserInboundEventTriggered(RequestGate.CloseIfIdle())
        #expect(!channel.isActive)
    }

    @Test("a connection is closed when the server stops")
    func stop() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(!channel.isActive)
    }
}

extension String {
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
