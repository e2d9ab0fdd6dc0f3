import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPAPI

@Suite struct GoAwayHandlerTests {
    private let channel = EmbeddedChannel()

    init() throws {
        try channel.pipeline.syncOperations.addHandler(GoAwayHandler())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func send(_ buffers: [[UInt8]]) {
        for bytes in buffers { channel.writeAndFlush(IOData.byteBuffer(ByteBuffer(bytes: bytes)), promise: nil) }
        channel.embeddedEventLoop.run()
    }

    private func frame(_ type: UInt8, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [0, 0, UInt8(payload.count), type, 0, 0, 0, 0, stream] + payload
    }

    private func goAway(_ code: UInt8) -> [UInt8] { frame(7, [0x7f, 0xff, 0xff, 0xff, 0, 0, 0, code]) }

    @Test("a GOAWAY with an error closes the connection", arguments: [UInt8(1), 11])
    func error(code: UInt8) {
        send([goAway(code)])
        #expect(!channel.isActive)
    }

    @Test("a GOAWAY without an error does not")
    func stop() {
        send([goAway(0)])
        #expect(channel.isActive)
    }

    @Test("the frame is sent before the connection closes")
    func order() throws {
        send([goAway(1)])
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(bytes: goAway(1)))
    }

    @Test("the bytes of a file that look like a GOAWAY do not close the connection")
    func data() {
        send([[0, 0, 17, 0, 0, 0, 0, 0, 1], goAway(1)])
        #expect(channel.isActive)
    }

    @Test("after the bytes of a file, even of an empty one, frames are recognised again", arguments: [0, 20])
    func afterData(size: Int) {
        send([[0, 0, UInt8(size), 0, 0, 0, 0, 0, 1], [UInt8](repeating: 7, count: size), goAway(1)])
        #expect(!channel.isActive)
    }
}
