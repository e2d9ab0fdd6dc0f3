internal import Domain
internal import NIOCore

/// Notices that a client is gone while its request is worked on, for work that is worth nothing without it.
///
/// Used on its connection's event loop only, and asked from anywhere.
final class ClientPresence: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private var isGone = false
    /// What is to be done when the client goes, for the requests that are worked on now.
    private var waiting: [ObjectIdentifier: @Sendable () -> Void] = [:]

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

    /// A wish to know; one that is not needed any more is forgotten, because a connection may outlive many requests.
    final class Watch: CallerPresence {
        private let channel: any Channel

        /// Watches nothing yet.
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
                    // Its pipeline is gone already, so the client is; or it is a test's, which closes in the end.
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

    /// Runs a body when the client has gone, on the connection's event loop.
    @discardableResult
    static func whenGone(from channel: any Channel, _ body: @escaping @Sendable () -> Void) -> Watch {
        let watch = Watch(channel)
        watch.watch(body)
        return watch
    }

    /// Runs a body, and cancels it when the client goes.
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
