internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1

/// A range of an open file, to be sent as the body of the response whose head was just written.
///
/// It passes through the pipeline as a user event, because Hummingbird's body parts carry only bytes. Between head and
/// end nothing else is written, and both take the same path, so the order is preserved.
struct SendFile: Sendable {
    let descriptor: CInt
    let range: Range<Int64>
    /// Called if the file is shorter than the range, before the connection is closed, so that a client that sees the end
    /// and asks again gets no prepared response with the same damage.
    let noteDamage: @Sendable () -> Void

    /// Returns when the socket has accepted the last byte; the descriptor must be open until then.
    ///
    /// A cancelled task closes the connection: a client that does not read would hold a stopping server otherwise.
    ///
    /// - Throws: ``FileEndedEarly`` if the file is shorter; the connection is closed then.
    func send(on channel: any Channel) async throws {
        try await withTaskCancellationHandler {
            try await channel.triggerUserOutboundEvent(self).get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

/// Sends ranges of files, usually by the kernel, so that a download's bytes never pass through the process.
///
/// It is placed between NIO's HTTP encoder and Hummingbird; used on its connection's event loop only.
final class SendFileHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let files: FileSending

    init(files: FileSending) {
        self.files = files
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let file = event as? SendFile else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        let sent = files.start(file, context) { [self] bytes, sent in
            context.writeAndFlush(wrapOutboundOut(.body(bytes)), promise: sent)
        }
        if let promise { sent.cascade(to: promise) }
    }
}
