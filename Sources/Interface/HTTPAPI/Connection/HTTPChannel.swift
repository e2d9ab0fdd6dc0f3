internal import Glibc
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOTLS

/// Sets up each accepted connection: TLS if it is encrypted, then the version of HTTP that the client chose.
struct HTTPChannel: HTTPChannelHandler {
    /// A connection and, after the handshake, its requests.
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        /// Fails if the connection ends before the handshake.
        let version: EventLoopFuture<Version>
    }

    /// The version of HTTP with the requests of a connection.
    enum Version: Sendable {
        case http1(AcceptedRequests, DirectTasks)
        case http2(HTTP2Streams)
        /// The connection is refused.
        case none
    }

    let responder: HTTPChannelHandler.Responder
    let addresses: AddressConnections?
    let services: ConnectionServices

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            guard addresses?.admit(channel) ?? true else { return try refused(channel) }
            // An upload that fills its buffers gets larger ones, because each read switches to the event loop and to a
            // task. The smallest one has the heads of most requests whole, as hot downloads need them.
            let allocator = AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 4096, maximum: 512 << 10)
            try channel.syncOptions?.setOption(.recvAllocator, value: allocator)
            // A client that does not read its response would keep the connection for ever.
            try channel.syncOptions?.setOption(.unacknowledgedTimeout, value: .init(services.idleTimeout.milliseconds))
            let activity = ConnectionActivity()
            if let encryption = services.encryption {
                return Value(
                    channel: channel,
                    version: try negotiation(on: channel, encryption, activity, logger)
                )
            }
            let version = try http1(on: channel, activity, logger)
            return Value(channel: channel, version: channel.eventLoop.makeSucceededFuture(version))
        }
    }

    /// Begins the handshake of TLS, in which client and server agree on the version of HTTP (RFC 7301).
    private func negotiation(
        on channel: any Channel,
        _ encryption: Encryption,
        _ activity: ConnectionActivity,
        _ logger: Logger
    ) throws -> EventLoopFuture<Version> {
        let pipeline = channel.pipeline.syncOperations
        let handshake = HandshakeHandler(timeout: services.idleTimeout, metrics: services.metrics)
        services.connections.add(channel, activity)
        channel.closeFuture.whenComplete { [connections = services.connections] _ in connections.remove(channel) }
        let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Version> { result, channel in
            channel.eventLoop.makeCompletedFuture {
                channel.pipeline.syncOperations.removeHandler(handshake, promise: nil)
                if case .negotiated("h2") = result {
                    return .http2(try HTTP2Pipeline(services: services).configure(channel, activity, logger))
                }
                return try http1(on: channel, activity, logger)
            }
        }
        let truncation = TruncationHandler(isTruncation: encryption.isTruncation)
        try pipeline.addHandlers(handshake, encryption.makeHandler(), truncation, negotiation)
        return negotiation.protocolNegotiationResult
    }

    private func http1(
        on channel: any Channel,
        _ activity: ConnectionActivity,
        _ logger: Logger
    ) throws -> Version {
        let tasks = DirectTasks()
        let requests = try HTTP1Pipeline(services: services).configure(channel, activity, tasks, logger)
        return .http1(AcceptedRequests(requests), tasks)
    }

    /// A connection that closes at once: the address has too many.
    ///
    /// An error instead would end the listener, which reports errors of its connections as its own.
    private func refused(_ channel: any Channel) throws -> Value {
        channel.eventLoop.execute { channel.close(promise: nil) }
        return Value(channel: channel, version: channel.eventLoop.makeSucceededFuture(.none))
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.version.get() {
            case .http1(let requests, let tasks):
                await withTaskCancellationHandler {
                    tasks.open()
                    await respond(to: requests.take(), logger)
                    await tasks.finish()
                } onCancel: {
                    tasks.cancel()
                }
            case .http2(let streams): await streams.each { await respond(to: $0, logger) }
            case .none: break
            }
        } catch {
            logger.debug("The handshake failed", metadata: ["error": "\(error)"])
        }
    }

    private func respond(to requests: HTTPConnection.Requests, _ logger: Logger) async {
        await PendingRecord.$current.withValue(PendingRecord()) {
            await handleHTTP(asyncChannel: requests, logger: logger)
        }
    }
}

extension ChannelOption where Self == ChannelOptions.Types.SocketOption {
    /// The milliseconds after which the kernel ends a connection whose client acknowledges no sent bytes, or leaves its
    /// window closed (`TCP_USER_TIMEOUT` in tcp(7); RFC 5482).
    fileprivate static var unacknowledgedTimeout: Self {
        Self(level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT))
    }
}

extension TimeAmount {
    /// Whole milliseconds.
    fileprivate var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
