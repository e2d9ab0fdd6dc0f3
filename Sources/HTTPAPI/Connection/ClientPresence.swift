internal import NIOCore

/// Notices that a client is gone while its request is worked on, for work that is worth nothing without it.
///
/// Used on its connection's event loop only, and asked from anywhere.
final class ClientPresence: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private var gone: EventLoopPromise<Void>?

    func handlerAdded(context: ChannelHandlerContext) {
        gone = context.eventLoop.makePromise()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        gone?.succeed()
    }

    func channelInactive(context: ChannelHandlerContext) {
        gone?.succeed()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { gone?.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Runs a body when the client has gone, on the connection's event loop.
    static func whenGone(from channel: any Channel, _ body: @escaping @Sendable () -> Void) {
        let gone = channel.eventLoop.flatSubmit {
            let presence = try? channel.pipeline.syncOperations.handler(type: ClientPresence.self)
            // Nobody is on a connection that is only a test's.
            return presence?.gone?.futureResult ?? channel.closeFuture
        }
        gone.whenSuccess(body)
    }

    /// Runs a body, and cancels it when the client goes.
    static func required<Result: Sendable>(
        on channel: any Channel,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task { try await body() }
        whenGone(from: channel) { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
