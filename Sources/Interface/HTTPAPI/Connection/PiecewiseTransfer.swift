internal import NIOCore

/// Sends a range of a file in pieces, each of which is read when the socket has accepted the one before.
///
/// Pieces begin small, so that ten thousand slow clients do not fill the memory, and grow while the socket accepts them
/// at once, because each piece costs two switches between threads.
///
/// Used on its connection's event loop only.
final class PiecewiseTransfer {
    /// The size in bytes of the first piece, and of one after a piece for which the socket had no room.
    static let smallest = 64 << 10
    /// The maximum size of a piece in bytes.
    static let largest = 128 << 10

    private let file: SendFile
    private let context: ChannelHandlerContext
    private let read: FileSending.Read
    private let write: (ByteBuffer, EventLoopPromise<Void>) -> Void
    private let ended: EventLoopPromise<Void>
    private var position: Int64
    private var size = PiecewiseTransfer.smallest
    /// Whether a piece is being written, so that its end means that the socket had room for all of it.
    private var isWriting = false

    /// Creates a transfer; the descriptor must be open until it ends.
    ///
    /// - Parameters:
    ///   - file: The range.
    ///   - context: The handler that sends.
    ///   - read: Reads a piece.
    ///   - write: Writes and flushes a piece.
    init(
        _ file: SendFile,
        _ context: ChannelHandlerContext,
        _ read: @escaping FileSending.Read,
        _ write: @escaping (ByteBuffer, EventLoopPromise<Void>) -> Void
    ) {
        self.file = file
        self.context = context
        self.read = read
        self.write = write
        ended = context.eventLoop.makePromise()
        position = file.range.lowerBound
    }

    /// Begins the transfer.
    ///
    /// - Returns: As ``FileSending/start(_:_:_:)``; no piece is being read any more then.
    func start() -> EventLoopFuture<Void> {
        sendNext()
        return ended.futureResult
    }

    private func sendNext() {
        guard position < file.range.upperBound else {
            ended.succeed()
            return
        }
        let piece = position..<min(file.range.upperBound, position + Int64(size))
        read(file.descriptor, piece, context.eventLoop).assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success(let bytes) where bytes.readableBytes == piece.count:
                position = piece.upperBound
                send(bytes)
            case .success:
                file.noteDamage()
                context.close(promise: nil)
                ended.fail(FileEndedEarly(end: file.range.upperBound))
            case .failure(let error):
                ended.fail(error)
            }
        }
    }

    private func send(_ bytes: ByteBuffer) {
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success:
                size = isWriting ? min(2 * size, PiecewiseTransfer.largest) : PiecewiseTransfer.smallest
                sendNext()
            case .failure(let error):
                ended.fail(error)
            }
        }
        isWriting = true
        write(bytes, sent)
        isWriting = false
    }
}
