internal import NIOCore

/// Gives a client the time to read the last response after the server has ended its side of a connection (RFC 9112
/// section 9.6).
///
/// Closing a connection with unread bytes resets it, and the response can be lost. So what still arrives is read and
/// discarded until the client closes its side, or ``time`` is over. The handler is placed before the decoder. Used on
/// its connection's event loop only.
final class LingeringCloseHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The time in which a client can read the last response.
    static let time = TimeAmount.seconds(5)

    /// Whether the server has ended its side.
    private var hasEnded = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !hasEnded { context.fireChannelRead(data) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // The consumer of requests no longer reads.
        if hasEnded { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if hasEnded, event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else {
            context.close(mode: mode, promise: promise)
            return
        }
        hasEnded = true
        // NIO drops unsent bytes here if the client has ended its sending.
        guard !context.hasWrittenAll else { return endOutput(context, promise) }
        context.writtenAll().assumeIsolated().whenComplete { [self] _ in endOutput(context, promise) }
    }

    private func endOutput(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        let ended = promise ?? context.eventLoop.makePromise()
        // After all earlier writes.
        ended.futureResult.assumeIsolated().whenComplete { _ in
            guard context.channel.isActive else { return }
            context.eventLoop.assumeIsolated().scheduleTask(in: LingeringCloseHandler.time) {
                context.close(promise: nil)
            }
            context.read()
        }
        context.close(mode: .output, promise: ended)
    }
}
