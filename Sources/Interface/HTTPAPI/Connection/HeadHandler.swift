internal import NIOCore
internal import NIOHTTP1

/// Sends the head of a short response together with the beginning of its body, in one system call and one segment.
///
/// Head and body of a response arrive as separate writes, each followed by a flush, unless the body is in memory. So
/// the handler omits the flush after the head of a response whose length is known and at most ``longest``; the flush
/// after the first piece of the body, or after the end, sends both. Heads of streams, of events and of `100 Continue`
/// have no length and are sent at once.
///
/// It is placed between ``SendFileHandler`` and ``RequestGate``; used on its connection's event loop only.
final class HeadHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The maximum length in bytes of a body that its head waits for.
    ///
    /// The body of a longer response can take long to begin, for example if it is read from another machine.
    static let longest = 1 << 20

    private var isHeadWaiting = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) {
            let length = head.headers.first(name: "Content-Length").flatMap { Int($0) }
            isHeadWaiting = length.map { $0 <= HeadHandler.longest } ?? false
        } else {
            isHeadWaiting = false
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        if !isHeadWaiting { context.flush() }
    }
}
