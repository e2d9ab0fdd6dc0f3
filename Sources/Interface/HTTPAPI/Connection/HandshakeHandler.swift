internal import NIOCore
internal import NIOHTTP1

/// Watches over an encrypted connection until its handshake is complete: it ends a connection that takes too long, one
/// that is to make room for others, and one whose client speaks HTTP without TLS, after an answer.
///
/// It is the first handler of the connection, before the one that decrypts, and is removed after the handshake. Used on
/// its connection's event loop only.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = IOData

    /// What the first byte of a connection shows.
    private enum Begin {
        case unknown
        case handshake
        case plainHTTP
    }

    private let timeout: TimeAmount
    private let metrics: RequestMetrics
    private var begin = Begin.unknown
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - timeout: The maximum time of a handshake.
    ///   - metrics: Counts requests without TLS.
    init(timeout: TimeAmount, metrics: RequestMetrics) {
        self.timeout = timeout
        self.metrics = metrics
    }

    func handlerAdded(context: ChannelHandlerContext) {
        closeIn(timeout, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if begin == .unknown, let first = bytes.readableBytesView.first {
            // A handshake begins with the type of its record, 22 (RFC 8446 section 5.1), a request with its method.
            begin = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= first ? .plainHTTP : .handshake
            if begin == .plainHTTP { refuse(context) }
        }
        if begin != .plainHTTP { context.fireChannelRead(data) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is RequestGate.CloseIfIdle, is ChannelShouldQuiesceEvent, ChannelEvent.inputClosed:
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func refuse(_ context: ChannelHandlerContext) {
        var request = metrics.begin(.malformed, .other)
        request.status = 400
        metrics.end(request)
        let refusal = RequestRefusal(.badRequest, "This port speaks HTTPS; the request came without TLS.")
        let body = refusal.body
        let head = refusal.head(length: body.readableBytes)
        var response = "HTTP/1.1 \(head.status.code) \(head.status.reasonPhrase)\r\n"
        for (name, value) in head.headers { response += "\(name): \(value)\r\n" }
        var buffer = context.channel.allocator.buffer(string: response + "\r\n")
        buffer.writeImmutableBuffer(body)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(buffer)), promise: nil)
        context.close(mode: .output, promise: nil)
        // The client has time to read the response, as after other refusals.
        timer?.cancel()
        closeIn(LingeringCloseHandler.time, context)
    }

    private func closeIn(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }
}
