internal import NIOCore

extension ChannelHandlerContext {
    /// Whether the socket has accepted all bytes that were written.
    var hasWrittenAll: Bool {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0
    }

    /// Calls a function when the socket has accepted all bytes that were written, or the connection is closed.
    ///
    /// Costs a promise; ask ``hasWrittenAll`` first. For a handler that writes `IOData`.
    ///
    /// - Parameter body: The function; its argument is whether the socket has accepted the bytes.
    func whenWritten(_ body: @escaping (Bool) -> Void) {
        let promise = eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { result in
            if case .success = result { body(true) } else { body(false) }
        }
        writeAndFlush(NIOAny(IOData.byteBuffer(ByteBuffer())), promise: promise)
    }
}
