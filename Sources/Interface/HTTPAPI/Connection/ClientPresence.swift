internal import Domain
internal import NIOCore

/// Detects that a client disconnects while its request is processed, to cancel work that only this client needs.
///
/// Its state is used on its connection's event loop only; a ``Watch`` is usable from any thread.
final class ClientPresence: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private var isGone = false
    /// The callbacks for a disconnection, for the requests that are being processed.
    private var waiting: [ObjectIdentifier: @Sendable () -> Void] = [:]

    /// The number of callbacks.
    var count: Int { waiting.count }

    func handlerRemoved(context: ChannelHandlerContext) {
        leave()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { leave() }
        context.fireUserInboundEventTriggered(event)
    }

    private func leave() {
        isGone = true
        let bodies = waiting.values
        waiting = [:]
        for body in bodies { body() }
    }

    /// The registration of a callback; it is removed with ``unwatch()``, because a connection can outlive many
    /// requests.
    final class Watch: CallerPresence {
        private let channel: any Channel

        /// Creates a watch without a callback.
        init(_ channel: any Channel) {
            self.channel = channel
        }

        func unwatch() {
            onLoop { $0?.waiting[ObjectIdentifier(self)] = nil }
        }

        func watch(_ body: @escaping @Sendable () -> Void) {
            onLoop { [channel] presence in
                if let presence, !presence.isGone {
                    presence.waiting[ObjectIdentifier(self)] = body
                } else if presence != nil {
                    body()
                } else {
                    // The pipeline is gone, so the client is too; or this is the channel of a test, which closes at the
                    // end.
                    channel.closeFuture.whenComplete { _ in body() }
                }
            }
        }

        private func onLoop(_ body: @escaping @Sendable (ClientPresence?) -> Void) {
            channel.eventLoop.execute { [channel] in
                body(try? channel.pipeline.syncOperations.handler(type: ClientPresence.self))
            }
        }
    }

    /// Runs a body on the connection's event loop when the client disconnects.
    @discardableResult
    static func whenGone(from channel: any Channel, _ body: @escaping @Sendable () -> Void) -> Watch {
        let watch = Watch(channel)
        watch.watch(body)
        return watch
    }

    /// Runs a body, and cancels it when the client disconnects.
    static func required<Result: Sendable>(
        on channel: any Channel,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task { try await body() }
        let watch = whenGone(from: channel) { task.cancel() }
        defer { watch.unwatch() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
