internal import NIOCore
internal import NIOHTTPTypes

/// Sends ranges of files on a stream of HTTP/2, in pieces, because each is framed and encrypted.
///
/// Used on its connection's event loop only.
final class StreamFileHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let files: FileSending

    init(files: FileSending) {
        self.files = files
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let file = event as? SendFile else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        let sent = files.start(file, context) { [self] data, sent in
            guard case .byteBuffer(let bytes) = data else {
                sent.fail(ChannelError.operationUnsupported)
                return
            }
            context.writeAndFlush(wrapOutboundOut(.body(bytes)), promise: sent)
        }
        if let promise { sent.cascade(to: promise) }
    }
}
