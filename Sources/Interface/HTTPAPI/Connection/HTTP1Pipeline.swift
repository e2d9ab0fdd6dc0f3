internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1

/// The handlers of a connection of HTTP/1.1.
struct HTTP1Pipeline {
    let services: ConnectionServices

    /// Adds the handlers, in the order in which a request passes them.
    ///
    /// - Parameters:
    ///   - channel: The connection; called on its event loop.
    ///   - activity: Records since when the connection is idle.
    ///   - tasks: The tasks of direct requests.
    ///   - logger: Receives refused requests.
    /// - Returns: The requests for Hummingbird.
    /// - Throws: An error of NIO if the connection is closed.
    func configure(
        _ channel: any Channel,
        _ activity: ConnectionActivity,
        _ tasks: DirectTasks,
        _ logger: Logger
    ) throws -> HTTPConnection.Requests {
        let pipeline = channel.pipeline.syncOperations
        let gate = RequestGate(
            connections: services.connections,
            activity: activity,
            liveConnections: services.liveConnections,
            metrics: services.metrics,
            dates: services.dates,
            logger: logger
        )
        let isEncrypted = services.encryption != nil
        var direct: DirectRequests?
        if let downloads = services.hotDownloads {
            direct = services.direct.map {
                DirectRequests(gate: gate, responder: $0, tasks: tasks, isEncrypted: isEncrypted)
            }
            try pipeline.addHandler(
                HotDownloadHandler(
                    downloads: downloads,
                    direct: direct,
                    gate: gate,
                    connections: services.connections,
                    activity: activity,
                    files: services.files,
                    log: services.log,
                    isEncrypted: isEncrypted
                )
            )
        }
        try pipeline.addHandler(LingeringCloseHandler())
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(HTTP1Pipeline.decoder())
        try pipeline.addHandler(gate)
        try pipeline.addHandler(ConnectionLifetime(idleTimeout: services.idleTimeout, activity: activity))
        try pipeline.addHandler(HeadHandler())
        try pipeline.addHandler(SendFileHandler(files: services.files))
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: isEncrypted))
        try pipeline.addHandler(ContinueHandler())
        try pipeline.addHandler(RequestTrailers())
        try pipeline.addHandler(ClientPresence())
        if let direct { try pipeline.addHandler(direct) }
        return try HTTPConnection.Requests(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true)
        )
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

    /// Replaces the decoder that has stopped, which passes on its unread bytes.
    ///
    /// - Parameters:
    ///   - context: The context of a handler of the connection; called on its event loop.
    ///   - body: Runs when the unread bytes have been passed on.
    /// - Throws: An error of NIO if the connection has no decoder, or is closed.
    static func replaceDecoder(in context: ChannelHandlerContext, then body: @escaping () -> Void) throws {
        let pipeline = context.pipeline.syncOperations
        let stopped = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(HTTP1Pipeline.decoder(), position: .after(stopped.handler))
        let removed = context.eventLoop.makePromise(of: Void.self)
        removed.futureResult.assumeIsolated().whenSuccess(body)
        pipeline.removeHandler(context: stopped, promise: removed)
    }

    /// Removes the handlers of requests and responses, except the decoder, from a connection that becomes a WebSocket.
    static func removeHandlers(of pipeline: ChannelPipeline.SynchronousOperations) {
        func remove(_ type: (some RemovableChannelHandler).Type) {
            guard let context = try? pipeline.context(handlerType: type) else { return }
            pipeline.removeHandler(context: context, promise: nil)
        }
        remove(DirectRequests.self)
        remove(ClientPresence.self)
        remove(RequestTrailers.self)
        remove(ContinueHandler.self)
        remove(HTTP1ToHTTPServerCodec.self)
        remove(SendFileHandler.self)
        remove(HeadHandler.self)
        remove(ConnectionLifetime.self)
        remove(RequestGate.self)
        remove(HTTPResponseEncoder.self)
        remove(LingeringCloseHandler.self)
    }
}
