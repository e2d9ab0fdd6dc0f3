internal import NIOCore

extension ChannelHandlerContext {
    /// Whether the socket has accepted all bytes that were written.
    var hasWrittenAll: Bool {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0
    }

    /// Flushes, and waits for the bytes that were written; for a handler that writes `IOData`.
    ///
    /// - Returns: Succeeds when the socket has accepted all of them; fails if the connection is closed before.
    func writtenAll() -> EventLoopFuture<Void> {
        writeAndFlush(NIOAny(IOData.byteBuffer(ByteBuffer())))
    }
}
