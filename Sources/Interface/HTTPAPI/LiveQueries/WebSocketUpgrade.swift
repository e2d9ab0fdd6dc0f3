internal import Domain
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1
internal import NIOWebSocket

/// Turns a connection of HTTP into a WebSocket: sends the response, and replaces the handlers.
///
/// The end of Hummingbird's pipeline stays: it receives nothing more, and its task ends with the channel.
struct WebSocketUpgrade {
    let handshake: WebSocketHandshake
    let head: HTTPRequestHead
    let connections: LiveConnections

    /// The maximum number of fragments of a message.
    private static let maxFragments = 1024

    /// - Parameter context: The context of the handler that holds the request. No response is outstanding, and the
    ///   decoder has stopped after the request.
    func perform(_ context: ChannelHandlerContext) {
        handshake.response(to: head, on: context.channel).assumeIsolated().whenComplete { result in
            do {
                context.write(NIOAny(HTTPServerResponsePart.head(try result.get())), promise: nil)
                context.writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil)), promise: nil)
                try replaceHandlers(of: context.pipeline.syncOperations, on: context.channel)
            } catch {
                context.close(promise: nil)
            }
        }
    }

    private func replaceHandlers(of pipeline: ChannelPipeline.SynchronousOperations, on channel: any Channel) throws {
        let isStopping = try pipeline.handler(type: RequestGate.self).isStopping
        let size = connections.limits.messageSize
        let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandlers(
            [
                WebSocketFrameEncoder(),
                ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: size)),
                FrameRules(),
                NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 0,
                    maxAccumulatedFrameCount: WebSocketUpgrade.maxFragments,
                    maxAccumulatedFrameSize: size
                ),
                LiveQueryHandler(connections, handshake, on: channel),
            ],
            position: .after(decoder.handler)
        )
        HTTP1Pipeline.removeHandlers(of: pipeline)
        // The decoder passes on the bytes after the request, which are the first frames.
        let removed = channel.eventLoop.makePromise(of: Void.self)
        removed.futureResult.whenSuccess { channel.pipeline.fireChannelReadComplete() }
        pipeline.removeHandler(context: decoder, promise: removed)
        // The event came before there was a handler that closes the WebSocket.
        if isStopping { pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }
}
