package import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// Configures HTTP/1.1 connections: Hummingbird's handlers, plus TLS, strict request parsing, `sendfile` and
/// `100 Continue`.
package enum HTTPConnection {
    /// - Parameters:
    ///   - idleTimeout: How long a connection can send no part of a request before it is closed.
    ///   - connections: The open connections; each connection adds itself.
    ///   - addresses: Limits the connections of each client address; `nil` for no limit.
    ///   - liveConnections: Accepts WebSockets; `nil` for none.
    ///   - hotDownloads: The prepared responses of downloads; `nil` for none.
    ///   - metrics: Counts the requests.
    ///   - encryption: Encrypts the connections; `nil` for connections in the clear.
    ///   - proxies: The reverse proxies that are believed when they name a client.
    ///   - requests: Receives the requests that get prepared responses; `nil` if no request is logged.
    ///   - logger: Receives failures of these responses.
    /// - Returns: The builder with which Hummingbird creates the server's connections.
    package static func server(
        idleTimeout: TimeAmount,
        connections: OpenConnections = OpenConnections(),
        addresses: AddressConnections? = nil,
        liveConnections: LiveConnections? = nil,
        hotDownloads: HotDownloads? = nil,
        metrics: RequestMetrics = RequestMetrics(),
        encryption: Encryption? = nil,
        proxies: TrustedProxies = TrustedProxies(),
        requests: RequestSink? = nil,
        logger: Logger
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            HTTPChannel(
                responder: responder,
                idleTimeout: idleTimeout,
                connections: connections,
                addresses: addresses,
                liveConnections: liveConnections,
                hotDownloads: hotDownloads,
                metrics: metrics,
                encryption: encryption,
                log: HotDownloadLog(metrics: metrics, logger: logger, proxies: proxies, sink: requests)
            )
        }
    }

    /// Creates the decoder of requests: the first one of a connection, and each that replaces a stopped one.
    static func decoder() -> ByteToMessageHandler<HTTPRequestDecoder> {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = RequestRefusal.largestHead
        limits.maxHeaderListSize = RequestRefusal.largestHead
        limits.maxHeaderFieldCount = RequestRefusal.maxHeaders
        // The bytes after a request with `Upgrade` are the next request: see RequestGate.
        return ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
        )
    }

    /// Removes the handlers of requests and responses, except the decoder, from a connection that becomes a WebSocket.
    static func removeHandlers(of pipeline: ChannelPipeline.SynchronousOperations) {
        func remove(_ type: (some RemovableChannelHandler).Type) {
            guard let context = try? pipeline.context(handlerType: type) else { return }
            pipeline.removeHandler(context: context, promise: nil)
        }
        remove(ClientPresence.self)
        remove(RequestTrailers.self)
        remove(ContinueHandler.self)
        remove(HTTP1ToHTTPServerCodec.self)
        remove(SendFileHandler.self)
        remove(HeadHandler.self)
        remove(ConnectionLifetime.self)
        remove(RequestGate.self)
        remove(HTTPResponseEncoder.self)
    }
}

/// The handlers of a connection, in the order in which a request passes them.
private struct HTTPChannel: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let idleTimeout: TimeAmount
    let connections: OpenConnections
    let addresses: AddressConnections?
    let liveConnections: LiveConnections?
    let hotDownloads: HotDownloads?
    let metrics: RequestMetrics
    let encryption: Encryption?
    let log: HotDownloadLog

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            guard addresses?.admit(channel) ?? true else { return try refused(channel) }
            // An upload that fills its buffers gets larger ones, because each read switches to the event loop and to a
            // task. The smallest one has the heads of most requests whole, as hot downloads need them.
            let allocator = AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 4096, maximum: 512 << 10)
            try channel.syncOptions?.setOption(.recvAllocator, value: allocator)
            let pipeline = channel.pipeline.syncOperations
            let activity = ConnectionActivity()
            let gate = RequestGate(
                connections: connections,
                activity: activity,
                liveConnections: liveConnections,
                metrics: metrics,
                logger: logger
            )
            let files = encryption?.files ?? .kernel
            if let encryption { try pipeline.addHandler(encryption.makeHandler()) }
            if let hotDownloads {
                try pipeline.addHandler(
                    HotDownloadHandler(downloads: hotDownloads, gate: gate, activity: activity, files: files, log: log)
                )
            }
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(HTTPConnection.decoder())
            try pipeline.addHandler(gate)
            try pipeline.addHandler(ConnectionLifetime(idleTimeout: idleTimeout, activity: activity))
            try pipeline.addHandler(HeadHandler())
            try pipeline.addHandler(SendFileHandler(files: files))
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: encryption != nil))
            try pipeline.addHandler(ContinueHandler())
            try pipeline.addHandler(RequestTrailers())
            try pipeline.addHandler(ClientPresence())
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
        }
    }

    /// A connection that closes at once: the address has too many.
    ///
    /// An error instead would end the listener, which reports errors of its connections as its own.
    private func refused(_ channel: any Channel) throws -> Value {
        try channel.pipeline.syncOperations.addHandler(DiscardedBytes())
        let value = try Value(wrappingChannelSynchronously: channel)
        channel.eventLoop.execute { channel.close(promise: nil) }
        return value
    }

    func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}

/// Drops the bytes of a connection that has no decoder: its reader expects requests.
private final class DiscardedBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}
