package import HummingbirdCore
package import NIOCore
internal import NIOHTTPTypesHTTP1

/// How a connection speaks HTTP/1.1: Hummingbird's way, plus `sendfile` and `100 Continue`.
package enum HTTPConnection {
    /// - Parameter idleTimeout: How long a connection may send nothing of a request before it is closed.
    /// - Returns: What Hummingbird builds the server's connections with.
    package static func server(idleTimeout: TimeAmount) -> HTTPServerBuilder {
        .http1(
            configuration: .init(
                additionalChannelHandlers: [
                    ContinueHandler(), RequestTrailers(), ClientPresence(), SendFileInstaller(),
                ],
                idleTimeout: idleTimeout
            )
        )
    }
}

/// Puts the ``SendFileHandler`` on the other side of Hummingbird's codec, where files can still be written.
private final class SendFileInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(SendFileHandler(), position: .before(codec))
            // An upload that fills its buffers gets larger ones: each read costs a turn of the event loop and of a task.
            let allocator = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 512 << 10)
            try context.channel.syncOptions?.setOption(.recvAllocator, value: allocator)
        } catch {
            // Hummingbird adds the codec just before; without it nothing on this connection could be answered.
            context.close(promise: nil)
        }
    }
}
