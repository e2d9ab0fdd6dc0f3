internal import Glibc
internal import NIOCore

/// The error for a file that is shorter than the range to send.
struct FileEndedEarly: Error, CustomStringConvertible {
    let end: Int64

    var description: String { "the file ends before byte \(end)" }
}

/// Sends a range of a file with `sendfile`, and closes the connection if the file is shorter.
///
/// For a file that has become shorter `sendfile` returns 0, and NIO would call it again without end. So the transfer
/// checks a file whose range the socket did not accept at once, then and each second until it is sent. A range that is
/// sent at once, such as that of a small file, costs no further system call. One that can never be sent occupies a core
/// for a second at most.
///
/// Used on its connection's event loop only.
final class FileTransfer {
    /// The interval between two checks of a file that is being sent.
    static let interval = TimeAmount.seconds(1)

    private let file: SendFile
    private let handle: NIOFileHandle
    private var isDone = false
    private var isCutShort = false
    private var watch: Scheduled<Void>?

    /// Creates a transfer; the descriptor must be open until it ends.
    init(_ file: SendFile) {
        self.file = file
        // NIO's handle requires ownership of the descriptor; it is taken back without closing, because the blob owns
        // it.
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file.descriptor)
    }

    /// Begins the transfer.
    ///
    /// - Parameters:
    ///   - context: The handler that sends.
    ///   - write: Writes and flushes the region.
    /// - Returns: Succeeds when the socket has accepted the last byte; fails with ``FileEndedEarly`` or the error of the
    ///   connection.
    func start(
        _ context: ChannelHandlerContext,
        _ write: (FileRegion, EventLoopPromise<Void>) -> Void
    ) -> EventLoopFuture<Void> {
        let region = FileRegion(
            fileHandle: handle,
            readerIndex: Int(file.range.lowerBound),
            endIndex: Int(file.range.upperBound)
        )
        let sent = context.eventLoop.makePromise(of: Void.self)
        let ended = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { [self] result in
            isDone = true
            watch?.cancel()
            _ = try? handle.takeDescriptorOwnership()
            if isCutShort {
                ended.fail(FileEndedEarly(end: file.range.upperBound))
            } else {
                ended.completeWith(result)
            }
        }
        write(region, sent)
        check(context)
        return ended.futureResult
    }

    /// Closes the connection if the file can never be sent; otherwise checks it again later.
    private func check(_ context: ChannelHandlerContext) {
        guard !isDone else { return }
        guard isWhole else {
            isCutShort = true
            file.noteDamage()
            context.close(promise: nil)
            return
        }
        watch = context.eventLoop.assumeIsolated().scheduleTask(in: FileTransfer.interval) { [self] in check(context) }
    }

    /// Whether the file still contains the whole range.
    private var isWhole: Bool {
        var status = stat()
        return fstat(file.descriptor, &status) == 0 && Int64(status.st_size) >= file.range.upperBound
    }
}
