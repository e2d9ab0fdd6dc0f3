internal import NIOCore
internal import NIOHTTP2

/// How many bytes of a request's body a client can send before the server takes some (RFC 9113 section 5.2).
///
/// A stream begins with a small window, because a client can open many streams whose routes do not read. It gets a large
/// one when so much of its body was taken that a route must be reading it: with the small one an upload would wait for
/// the network between any two pieces.
struct StreamWindow {
    /// The bytes that every stream can send; NIO renews them.
    static let initial = 64 << 10
    /// The bytes that a stream can send whose body is being read.
    static let large = 1 << 20
    /// The bytes of a body that a route must have taken for a large window: more than wait in memory for a route that
    /// does not read.
    static let trusted = 512 << 10
    /// The bytes after which a large window is renewed.
    private static let step = 256 << 10

    private var taken = 0
    private var unconfirmed = 0

    /// Records that bytes of the body were taken.
    ///
    /// - Returns: The bytes by which the window grows; `nil` if it does not.
    mutating func take(_ bytes: Int) -> Int? {
        let wasLarge = taken >= StreamWindow.trusted
        taken += bytes
        guard taken >= StreamWindow.trusted else { return nil }
        guard wasLarge else { return StreamWindow.large - StreamWindow.initial }
        unconfirmed += bytes
        guard unconfirmed >= StreamWindow.step else { return nil }
        defer { unconfirmed = 0 }
        return unconfirmed
    }
}

/// Sends the client the growth of a stream's window; it is the stream's first handler, used on its event loop only.
final class StreamWindowHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private var window = StreamWindow()
    private var isGrowing = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let payload = unwrapInboundIn(data)
        context.fireChannelRead(data)
        guard case .data(let data) = payload, !data.endStream, let growth = window.take(data.data.readableBytes) else {
            return
        }
        isGrowing = true
        context.writeAndFlush(wrapOutboundOut(.windowUpdate(windowSizeIncrement: growth)), promise: nil)
        isGrowing = false
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // NIO reports a growth as an error if the end of the request has arrived and waits to be read.
        if !isGrowing { context.fireErrorCaught(error) }
    }
}
