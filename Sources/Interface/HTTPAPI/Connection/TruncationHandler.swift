internal import NIOCore

/// Reports the end of an encrypted connection that its client did not announce as the end of any connection.
///
/// TLS calls it an error (RFC 8446 section 6.1), because an attacker can cut a connection off. Whether a request is
/// complete is known from its own framing, so to the handlers that follow it is only a client that has gone. The handler
/// follows that of TLS; used on its connection's event loop only.
final class TruncationHandler: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private let isTruncation: @Sendable (any Error) -> Bool

    /// - Parameter isTruncation: Recognizes the error of TLS.
    init(isTruncation: @escaping @Sendable (any Error) -> Bool) {
        self.isTruncation = isTruncation
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(isTruncation(error) ? ChannelError.eof : error)
    }
}
