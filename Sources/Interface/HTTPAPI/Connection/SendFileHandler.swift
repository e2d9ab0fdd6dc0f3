internal import Glibc
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

    /// Returns when the socket has accepted the last byte; the descriptor must be open until then.
    ///
    /// - Throws: ``FileEndedEarly`` if the file is shorter; the connection is closed then.
    func send(on channel: any Channel) async throws {
        try await channel.triggerUserOutboundEvent(self).get()
    }

    /// Whether the file still contains the whole range.
    fileprivate var isWhole: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && Int64(status.st_size) >= range.upperBound
    }
}

/// The error for a file that is shorter than the range to send.
struct FileEndedEarly: Error, CustomStringConvertible {
    let end: Int64

    var description: String { "the file ends before byte \(end)" }
}

/// Passes ranges of files to the kernel (`sendfile`), so that a download's bytes never pass through the process.
///
/// For a file that has become shorter `sendfile` returns 0, and NIO would call it again without end. So the handler
/// checks a file whose range the socket did not accept at once, then and each second until it is sent. A range that is
/// sent at once, such as that of a small file, costs no further system call. One that can never be sent occupies a core
/// for a second at most.
///
/// It is placed between NIO's HTTP encoder and Hummingbird; used on its connection's event loop only.
final class SendFileHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The interval between two checks of a file that is being sent.
    static let interval = TimeAmount.seconds(1)

    /// A range that is being sent.
    private final class Transfer {
        var isDone = false
        var isCutShort = false
        var watch: Scheduled<Void>?
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let file = event as? SendFile else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        // NIO's handle requires ownership of the descriptor; it is taken back without closing, because the blob owns
        // it.
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file.descriptor)
        let region = FileRegion(
            fileHandle: handle,
            readerIndex: Int(file.range.lowerBound),
            endIndex: Int(file.range.upperBound)
        )
        let transfer = Transfer()
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { result in
            transfer.isDone = true
            transfer.watch?.cancel()
            _ = try? handle.takeDescriptorOwnership()
            if transfer.isCutShort {
                promise?.fail(FileEndedEarly(end: file.range.upperBound))
            } else {
                promise?.completeWith(result)
            }
        }
        context.writeAndFlush(wrapOutboundOut(.body(.fileRegion(region))), promise: sent)
        look(at: file, transfer, context)
    }

    /// Closes the connection if the file can never be sent; otherwise checks it again later.
    private func look(at file: SendFile, _ transfer: Transfer, _ context: ChannelHandlerContext) {
        guard !transfer.isDone else { return }
        guard file.isWhole else {
            transfer.isCutShort = true
            context.close(promise: nil)
            return
        }
        transfer.watch = context.eventLoop.assumeIsolated().scheduleTask(in: SendFileHandler.interval) { [self] in
            look(at: file, transfer, context)
        }
    }
}
