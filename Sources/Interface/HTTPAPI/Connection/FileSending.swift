internal import NIOCore

/// How the ranges of files are sent on a connection.
enum FileSending: Sendable {
    /// Reads a range of an open file, or its beginning if the file is shorter, on a thread for blocking calls.
    typealias Read = @Sendable (_ descriptor: CInt, Range<Int64>, any EventLoop) -> EventLoopFuture<ByteBuffer>

    /// By the kernel (`sendfile`), so that the bytes never enter the process.
    case kernel
    /// In pieces that are read and then written, because something above the socket changes the bytes.
    case pieces(Read)

    /// Begins to send a range of a file; its descriptor must be open until the end.
    ///
    /// Called on the connection's event loop.
    ///
    /// - Parameters:
    ///   - file: The range.
    ///   - context: The handler that sends.
    ///   - write: Writes and flushes the range or a piece of it.
    /// - Returns: Succeeds when the socket has accepted the last byte; fails with ``FileEndedEarly``, after which the
    ///   connection is closed, or with the error of the disk or the connection.
    func start(
        _ file: SendFile,
        _ context: ChannelHandlerContext,
        _ write: @escaping (IOData, EventLoopPromise<Void>) -> Void
    ) -> EventLoopFuture<Void> {
        switch self {
        case .kernel: FileTransfer(file).start(context) { write(.fileRegion($0), $1) }
        case .pieces(let read): PiecewiseTransfer(file, context, read) { write(.byteBuffer($0), $1) }.start()
        }
    }
}
