internal import CoreMetrics
internal import NIOCore
internal import NIOHTTP2

/// Ends a connection of HTTP/2 whose client sends too many small `DATA` frames.
///
/// The window of a stream counts the bytes of frames; each frame that waits for a route takes about a hundred bytes
/// more, so a window of one-byte frames takes a hundred times its size in memory. NIO limits empty frames only. The
/// handler is placed between ``GoAwayHandler`` and ``TableSizeHandler`` and reads the heads of frames. Used on its
/// connection's event loop only.
final class SmallFrameHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = IOData

    private let most: Int
    private let now: () -> NIODeadline
    private var frames = FrameScanner()
    private var count = 0
    private var windowEnd: NIODeadline
    private var isOver = false

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
        while let part = frames.next(in: &bytes) {
            guard case .head(let frame) = part, frame.type == FrameHead.data else { continue }
            let isLast = frame.flags & 1 == 1
            if !isLast, frame.length < SmallFrameHandler.smallLength { count += 1 }
        }
    }
}
