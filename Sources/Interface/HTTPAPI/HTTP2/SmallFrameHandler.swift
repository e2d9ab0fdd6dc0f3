internal import CoreMetrics
internal import NIOCore
internal import NIOHTTP2

/// Ends a connection of HTTP/2 whose client sends too many small `DATA` frames.
///
/// The window of a stream counts the bytes of frames; each frame that waits for a route takes about a hundred bytes
/// more, so a window of one-byte frames takes a hundred times its size in memory. NIO limits empty frames only. The
/// handler is placed between ``GoAwayHandler`` and NIO's handler and reads the heads of frames (RFC 9113 section 4.1).
/// Used on its connection's event loop only.
final class SmallFrameHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = IOData

    private let most: Int
    private let now: () -> NIODeadline
    /// The bytes before the next frame: at first the client's preface (RFC 9113 section 3.4).
    private var skipped = 24
    /// The beginning of a frame's head.
    private var head = ByteBuffer()
    private var count = 0
    private var windowEnd: NIODeadline
    private var isOver = false

    /// The size in bytes of a frame's head.
    private static let headSize = 9
    /// The length in bytes below which a frame is small.
    static let smallLength = 256

    /// - Parameters:
    ///   - most: The maximum number of small frames within ``HTTP2Limits/window``.
    ///   - now: Returns the current time; tests replace it.
    init(most: Int, now: @escaping () -> NIODeadline = NIODeadline.now) {
        self.most = most
        self.now = now
        windowEnd = now() + HTTP2Limits.window
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        count(in: unwrapInboundIn(data))
        guard count > most else { return context.fireChannelRead(data) }
        let time = now()
        guard time < windowEnd else {
            windowEnd = time + HTTP2Limits.window
            count = 0
            return context.fireChannelRead(data)
        }
        isOver = true
        Counter(label: "lcfile_limits_hit_total", dimensions: [("limit", "http2.maxSmallFrames")]).increment()
        // GoAwayHandler closes the connection behind it.
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(.goAway(.enhanceYourCalm))), promise: nil)
    }

    /// Counts the small frames whose heads end in these bytes.
    private func count(in bytes: ByteBuffer) {
        var bytes = bytes
        while bytes.readableBytes > 0 {
            let step = min(skipped, bytes.readableBytes)
            bytes.moveReaderIndex(forwardBy: step)
            skipped -= step
            guard skipped == 0 else { return }
            let missing = SmallFrameHandler.headSize - head.readableBytes
            guard var part = bytes.readSlice(length: min(missing, bytes.readableBytes)) else { return }
            head.writeBuffer(&part)
            guard head.readableBytes == SmallFrameHandler.headSize, let high = head.readInteger(as: UInt8.self),
                let low = head.readInteger(as: UInt16.self), let type = head.readInteger(as: UInt8.self),
                let flags = head.readInteger(as: UInt8.self)
            else { return }
            head.clear()
            skipped = Int(high) << 16 | Int(low)
            let isLast = flags & 1 == 1
            if type == 0, !isLast, skipped < SmallFrameHandler.smallLength { count += 1 }
        }
    }
}
