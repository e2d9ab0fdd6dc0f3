internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1

/// A part of an open file, to be sent as the body of the response whose head was just written.
///
/// It travels down the pipeline as a user event, because Hummingbird's own parts carry bytes only; between head and end
/// nothing else is written, and both take the same way, so the order holds.
struct SendFile: Sendable {
    let descriptor: CInt
    let range: Range<Int64>

    /// Returns when the socket took the last byte; the descriptor must be open until then.
    func send(on channel: any Channel) async throws {
        try await channel.triggerUserOutboundEvent(self).get()
    }
}

/// Hands parts of files to the kernel (`sendfile`), so that a download's bytes never pass through the process.
///
/// Sits between NIO's HTTP encoder and Hummingbird; used on its connection's event loop only.
final class SendFileHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let file = event as? SendFile else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        // NIO's handle wants to own the descriptor; it gets it back from us without closing, because the blob owns it.
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file.descriptor)
        let region = FileRegion(
            fileHandle: handle,
            readerIndex: Int(file.range.lowerBound),
            endIndex: Int(file.range.upperBound)
        )
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { result in
            _ = try? handle.takeDescriptorOwnership()
            promise?.completeWith(result)
        }
        context.writeAndFlush(wrapOutboundOut(.body(.fileRegion(region))), promise: sent)
    }
}
