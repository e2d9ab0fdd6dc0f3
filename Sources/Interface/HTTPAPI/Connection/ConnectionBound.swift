internal import Glibc
package import Logging
package import NIOCore

/// Limits the number of open connections to the available descriptors.
///
/// At the limit the listening socket is not read, so further clients wait in the kernel's queue, and idle connections
/// are closed, those that are idle for longest first. Without it, NIO would accept until the process has no descriptor
/// left and then retry forever in a busy loop. Used on the listening channel's event loop only.
final class ConnectionBound: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private let most: Int
    private let connections: OpenConnections
    private let logger: Logger
    private var open = 0
    /// Whether the listening socket is not read, because of the limit or because `accept` failed.
    private var isPaused = false
    private var isRelieving = false
    private var lastRelief: NIODeadline?
    /// The number of consecutive times that connections were closed; each time more of them are.
    private var reliefs = 0

    /// The minimum idle time before a connection is closed: a client that just connected or just got a response can
    /// send a request at any moment.
    static let leastIdleTime = TimeAmount.milliseconds(250)
    /// The time between two checks for idle connections while the maximum is reached.
    static let interval = TimeAmount.milliseconds(250)

    /// - Parameters:
    ///   - most: The maximum number of open connections.
    ///   - connections: The open connections.
    ///   - logger: Records that the system refuses connections.
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
        // Not passed on, because Hummingbird would end the listener.
        guard error.errnoCode != ECONNABORTED, !isPaused else { return }
        logger.error("No connection can be accepted", metadata: ["error": "\(error)"])
        pause(context)
        relieve(context)
    }

    /// Errors of `accept` after which it can succeed later.
    private static let passing = [ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private func pause(_ context: ChannelHandlerContext) {
        isPaused = true
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    }

    private func resume(_ context: ChannelHandlerContext) {
        isPaused = false
        // Fails if the listener is closed, which needs no handling.
        try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }

    /// Closes idle connections periodically until connections are below the maximum.
    private func relieve(_ context: ChannelHandlerContext) {
        guard isPaused, !isRelieving, context.channel.isActive else { return }
        isRelieving = true
        let now = NIODeadline.now()
        reliefs = lastRelief.map { now - $0 < .seconds(1) } ?? false ? reliefs + 1 : 0
        lastRelief = now
        // An eighth, then a quarter, a half, all: clients that open connections and send nothing lose them increasingly
        // fast.
        connections.closeIdle(max(1, most / 8) << min(3, reliefs), olderThan: ConnectionBound.leastIdleTime)
        context.eventLoop.assumeIsolated().scheduleTask(in: ConnectionBound.interval) { [self] in
            isRelieving = false
            // After an error of `accept` the listener retries, because other code can have closed a descriptor.
            if isPaused, open < most { resume(context) }
            relieve(context)
        }
    }
}

extension OpenConnections {
    /// Limits the connections that a listener accepts; returns when the limit is active.
    ///
    /// - Parameters:
    ///   - most: The maximum number of open connections.
    ///   - listener: The listening channel.
    ///   - logger: Records that the system refuses connections.
    /// - Throws: An error if the listener is closed.
    package func bound(to most: Int, on listener: any Channel, logger: Logger) async throws {
        try await listener.eventLoop.submit {
            let handler = ConnectionBound(most: most, connections: self, logger: logger)
            try listener.pipeline.syncOperations.addHandler(handler, position: .first)
        }.get()
    }
}
