internal import Glibc
package import Logging
package import NIOCore

/// Accepts no more connections than there are descriptors for.
///
/// At the bound the listening socket is not read, so further clients wait in the kernel's queue, and connections that
/// wait for a request are closed, those first that wait for longest. NIO alone would accept until the process has no
/// descriptor left and then try again for ever, as fast as it can. Used on the listening channel's event loop only.
final class ConnectionBound: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private let most: Int
    private let connections: OpenConnections
    private let logger: Logger
    private var open = 0
    /// Whether the listening socket is not read, because of the bound or because the system refused.
    private var isPaused = false
    private var isRelieving = false
    private var lastRelief: NIODeadline?
    /// How often in a row connections had to be closed: then more of them are.
    private var reliefs = 0

    /// How long a connection is left alone in any case: a client that just connected or was just answered may send a
    /// request at any moment.
    static let leastIdleTime = TimeAmount.milliseconds(250)
    /// The time between two checks for idle connections while the maximum is reached.
    static let interval = TimeAmount.milliseconds(250)

    /// - Parameters:
    ///   - most: The most connections that are open at once.
    ///   - connections: Those that are.
    ///   - logger: Is told when the system refuses connections.
    init(most: Int, connections: OpenConnections, logger: Logger) {
        self.most = most
        self.connections = connections
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        open += 1
        unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).assumeIsolated().whenComplete { [self] _ in
            open -= 1
            if isPaused, open < most { resume(context) }
        }
        context.fireChannelRead(data)
        guard open >= most, !isPaused else { return }
        logger.debug("The maximum number of connections is open", metadata: ["connections": "\(open)"])
        pause(context)
        relieve(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, ConnectionBound.passing.contains(error.errnoCode) else {
            context.fireErrorCaught(error)
            return
        }
        // Not handed on, or Hummingbird would end the listener.
        guard error.errnoCode != ECONNABORTED, !isPaused else { return }
        logger.error("No connection can be accepted", metadata: ["error": "\(error)"])
        pause(context)
        relieve(context)
    }

    /// What `accept` says when it may succeed later.
    private static let passing = [ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private func pause(_ context: ChannelHandlerContext) {
        isPaused = true
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    }

    private func resume(_ context: ChannelHandlerContext) {
        isPaused = false
        // Fails if the listener is closed, which is as well.
        try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }

    /// Closes idle connections periodically until connections are below the maximum.
    private func relieve(_ context: ChannelHandlerContext) {
        guard isPaused, !isRelieving, context.channel.isActive else { return }
        isRelieving = true
        let now = NIODeadline.now()
        reliefs = lastRelief.map { now - $0 < .seconds(1) } ?? false ? reliefs + 1 : 0
        lastRelief = now
        // An eighth, then a quarter, a half, all: clients that open connections and send nothing lose them faster and
        // faster.
        connections.closeIdle(max(1, most / 8) << min(3, reliefs), olderThan: ConnectionBound.leastIdleTime)
        context.eventLoop.assumeIsolated().scheduleTask(in: ConnectionBound.interval) { [self] in
            isRelieving = false
            // After an error of `accept` it tries again: other code may have closed a descriptor.
            if isPaused, open < most { resume(context) }
            relieve(context)
        }
    }
}

extension OpenConnections {
    /// Bounds the connections that a listener accepts; returns when the bound holds.
    ///
    /// - Parameters:
    ///   - most: The most that are open at once.
    ///   - listener: The listening channel.
    ///   - logger: Is told when the system refuses connections.
    /// - Throws: When the listener is closed.
    package func bound(to most: Int, on listener: any Channel, logger: Logger) async throws {
        try await listener.eventLoop.submit {
            let handler = ConnectionBound(most: most, connections: self, logger: logger)
            try listener.pipeline.syncOperations.addHandler(handler, position: .first)
        }.get()
    }
}
