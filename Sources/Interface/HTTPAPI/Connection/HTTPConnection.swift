package import HummingbirdCore
internal import Logging
package import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// How a connection speaks HTTP/1.1: Hummingbird's way, plus a strict reading of requests, `sendfile` and
/// `100 Continue`.
package enum HTTPConnection {
    /// - Parameters:
    ///   - idleTimeout: How long a connection may send nothing of a request before it is closed.
    ///   - connections: Knows the connections that are open; each of them adds itself.
    /// - Returns: What Hummingbird builds the server's connections with.
    package static func server(
        idleTimeout: TimeAmount,
        connections: OpenConnections = OpenConnections()
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            HTTPChannel(responder: responder, idleTimeout: idleTimeout, connections: connections)
        }
    }

    /// The decoder of requests; the first that a connection has, and each that follows a stopped one.
    static func decoder() -> ByteToMessageHandler<HTTPRequestDecoder> {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = RequestRefusal.largestHead
        limits.maxHeaderListSize = RequestRefusal.largestHead
        limits.maxHeaderFieldCount = RequestRefusal.maxHeaders
        // What lies behind a request that asks for another protocol is the next request: see RequestGate.
        return ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
        )
    }
}

/// The handlers of a connection, in the order in which a request passes them.
private struct HTTPChannel: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let idleTimeout: TimeAmount
    let connections: OpenConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // An upload that fills its buffers gets larger ones: each read costs a switch to the event loop and to a
            // task.
            let allocator = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 512 << 10)
            try channel.syncOptions?.setOption(.recvAllocator, value: allocator)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(HTTPConnection.decoder())
            try pipeline.addHandler(RequestGate(connections: connections, logger: logger))
            try pipeline.addHandler(SendFileHandler())
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(ContinueHandler())
            try pipeline.addHandler(RequestTrailers())
            try pipeline.addHandler(ClientPresence())
            try pipeline.addHandler(
                HTTPConnectionStateHandler(idleTimeout: Duration(idleTimeout), logger: logger)
            )
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
        }
    }

    func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}
