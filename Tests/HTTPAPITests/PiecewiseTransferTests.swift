import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPAPI

@Suite struct PiecewiseTransferTests {
    private static let small = PiecewiseTransfer.smallest
    private static let large = PiecewiseTransfer.largest

    /// A connection that sends one range of a file whose bytes are letters.
    private final class Sender: ChannelOutboundHandler {
        typealias OutboundIn = IOData
        typealias OutboundOut = IOData

        let channel = EmbeddedChannel()
        let socket = BlockedSocket()
        /// The size of the file, which can be less than what the range needs.
        private let fileSize: Int
        /// The ranges that were read, in order.
        private(set) var pieces: [Range<Int64>] = []
        /// Whether the connection was open when the damage of the file was noted; `nil` if none was.
        fileprivate(set) var wasActiveAtDamage: Bool?
        private var context: ChannelHandlerContext?

        init(fileSize: Int) throws {
            self.fileSize = fileSize
            try channel.pipeline.syncOperations.addHandlers([socket, self])
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        func handlerAdded(context: ChannelHandlerContext) {
            self.context = context
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            self.context = nil
        }

        /// Begins to send; `failsAt` is the offset from which the disk cannot be read.
        func send(
            _ range: Range<Int64>,
            failsAt: Int64 = .max,
            isClosed: Bool = false
        ) throws -> EventLoopFuture<Void> {
            let context = try #require(context)
            let sender = NIOLoopBound(self, eventLoop: channel.eventLoop)
            let files = FileSending.pieces { _, range, eventLoop in
                sender.value.pieces.append(range)
                guard range.upperBound <= failsAt else { return eventLoop.makeFailedFuture(DiskFault()) }
                return eventLoop.makeSucceededFuture(bytes(of: range, size: sender.value.fileSize))
            }
            let file = SendFile(descriptor: -1, range: range) {
                sender.value.wasActiveAtDamage = sender.value.channel.isActive
            }
            return files.start(file, context) { bytes, sent in
                // The embedded channel would accept bytes after its end.
                guard !isClosed else { return sent.fail(ChannelError.ioOnClosedChannel) }
                context.writeAndFlush(NIOAny(bytes), promise: sent)
            }
        }
    }

    private struct DiskFault: Error {}

    @Test("the range arrives whole and in order", arguments: [0, 1, small - 1, small, small + 1, 3 * large + 7])
    func whole(size: Int) throws {
        let sender = try Sender(fileSize: size + 200)
        let range = Int64(100)..<Int64(100 + size)
        try sender.send(range).wait()
        #expect(sender.socket.sent == String(buffer: bytes(of: range, size: size + 200)))
    }

    @Test("pieces grow while the socket has room")
    func growing() throws {
        let sender = try Sender(fileSize: 10 * Self.large)
        try sender.send(0..<Int64(2 * Self.large)).wait()
        let sizes = sender.pieces.map(\.count)
        #expect(sizes == [Self.small, Self.large, 2 * Self.large - Self.small - Self.large])
    }

    @Test("a piece after one for which the socket had no room is small, and is read when it has room again")
    func shrinking() throws {
        let sender = try Sender(fileSize: 10 * Self.large)
        sender.socket.isBlocked = true
        let sent = try sender.send(0..<Int64(4 * Self.small))
        #expect(sender.pieces.map(\.count) == [Self.small])
        for count in 2...4 {
            sender.socket.accept()
            #expect(sender.pieces.map(\.count) == Array(repeating: Self.small, count: count))
        }
        sender.socket.accept()
        try sent.wait()
    }

    @Test("a file that ends in the range closes the connection")
    func truncated() throws {
        let sender = try Sender(fileSize: Self.small + 10)
        let sent = try sender.send(0..<Int64(2 * Self.small))
        #expect(throws: FileEndedEarly.self) { try sent.wait() }
        #expect(!sender.channel.isActive)
        #expect(sender.socket.sent.utf8.count == Self.small)
    }

    @Test("a file that ends in the range is noted before the connection closes")
    func damage() throws {
        let sender = try Sender(fileSize: Self.small)
        _ = try? sender.send(0..<Int64(2 * Self.small)).wait()
        #expect(sender.wasActiveAtDamage == true)
    }

    @Test("an error of the disk ends the transfer")
    func diskFault() throws {
        let sender = try Sender(fileSize: 10 * Self.large)
        let sent = try sender.send(0..<Int64(Self.large), failsAt: Int64(Self.small))
        #expect(throws: DiskFault.self) { try sent.wait() }
        #expect(sender.pieces.count == 2)
    }

    @Test("a closed connection ends the transfer, and nothing more is read")
    func closed() throws {
        let sender = try Sender(fileSize: 10 * Self.large)
        let sent = try sender.send(0..<Int64(Self.large), isClosed: true)
        #expect(throws: ChannelError.ioOnClosedChannel) { try sent.wait() }
        #expect(sender.pieces.count == 1)
    }
}

/// The bytes of a range of a file of letters, as far as the file has them.
private func bytes(of range: Range<Int64>, size: Int) -> ByteBuffer {
    let range = range.clamped(to: 0..<Int64(size))
    return ByteBuffer(bytes: range.map { UInt8(ascii: "a") + UInt8($0 % 23) })
}
