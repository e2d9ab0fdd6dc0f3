internal import Glibc
internal import NIOCore

/// Sends short responses in front of all handlers of a connection.
///
/// NIO puts each write into a queue before it calls the kernel. For a short response that takes as long as everything
/// else that the server does for a hot download. So bytes go to the socket at once, with one system call, and only what
/// the socket does not accept goes to the queue. These rules make that safe:
///
/// - Bytes go past the queue only while it is empty, so they keep their order.
/// - The descriptor is used only while the channel is active, on the event loop, which alone closes it. So it is never
///   that of another connection.
/// - Errors are left to NIO: it gets what was not accepted, finds the same error and closes the connection.
///
/// Used on its connection's event loop only.
final class SocketOutput {
    private let context: ChannelHandlerContext
    private let channel: any Channel
    /// The socket; `nil` if the bytes change on their way to it, and on a channel without one.
    private let socket: NIOBSDSocket.Handle?
    /// Whether the queue can have bytes.
    private var hasQueued = true

    /// The maximum size in bytes of a body that is copied behind its head: up to it a copy takes less time than a second
    /// buffer in the queue.
    static let longestCopy = 16 << 10

    /// - Parameters:
    ///   - context: The first handler of the connection, or the first one after that which encrypts.
    ///   - isEncrypted: Whether there is one that encrypts.
    init(_ context: ChannelHandlerContext, isEncrypted: Bool) {
        self.context = context
        channel = context.channel
        socket = isEncrypted ? nil : try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable { $0 }
    }

    /// Allocates the buffers of heads.
    var allocator: ByteBufferAllocator { channel.allocator }

    /// Whether bytes can go past the queue at all.
    var isDirect: Bool { socket != nil }

    /// Records that another handler writes, whose bytes go to the queue.
    func noteWrite() {
        hasQueued = true
    }

    /// Whether the socket has accepted all bytes that were written.
    var hasSentAll: Bool {
        if hasQueued { hasQueued = !context.hasWrittenAll }
        return !hasQueued
    }

    /// Succeeds when the socket has accepted all bytes that were written; fails if the connection is closed before.
    func sentAll() -> EventLoopFuture<Void> {
        context.writtenAll()
    }

    /// Sends a head and its body.
    ///
    /// - Parameters:
    ///   - head: The bytes of the head.
    ///   - body: The bytes of the body; `nil` if there are none.
    /// - Returns: Whether the socket has accepted all bytes; if not, ``sentAll()`` tells when it has.
    func send(_ head: ByteBuffer, _ body: ByteBuffer? = nil) -> Bool {
        let accepted = acceptedAtOnce(head, body)
        guard accepted < head.readableBytes + (body?.readableBytes ?? 0) else { return true }
        queue(head, body, from: accepted)
        return hasSentAll
    }

    /// Sends a head, and as much of its file behind it as the socket accepts at once.
    ///
    /// - Parameters:
    ///   - head: The bytes of the head.
    ///   - file: A descriptor of the file.
    ///   - size: The size of the body in bytes.
    /// - Returns: The number of bytes of the file that the socket has accepted; the others must follow. `nil` if nothing
    ///   was sent, not even the head, because bytes cannot go past the queue now.
    func send(_ head: ByteBuffer, before file: CInt, _ size: Int64) -> Int64? {
        guard let socket, hasSentAll, channel.isActive else { return nil }
        // Without `MSG_MORE` the head would be a segment of its own, and wake the client.
        let accepted = head.withUnsafeReadableBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, SocketOutput.flags | CInt(MSG_MORE))
        }
        guard accepted > 0 else { return nil }
        guard accepted == head.readableBytes else {
            queue(head, nil, from: accepted)
            return 0
        }
        var start: off_t = 0
        // The caller sends the rest, also after an error of the file.
        return Int64(max(sendfile(socket, file, &start, Int(size)), 0))
    }

    /// The number of bytes that the socket accepts now, 0 or more.
    private func acceptedAtOnce(_ head: ByteBuffer, _ body: ByteBuffer?) -> Int {
        guard let socket, hasSentAll, channel.isActive else { return 0 }
        let accepted = head.withUnsafeReadableBytes { head in
            guard let body else { return Glibc.send(socket, head.baseAddress, head.count, SocketOutput.flags) }
            return body.withUnsafeReadableBytes { SocketOutput.send([head, $0], to: socket) }
        }
        return max(accepted, 0)
    }

    /// The event loop must not wait, and a closed connection is no reason for a signal.
    private static let flags = CInt(Int(MSG_DONTWAIT) | Int(MSG_NOSIGNAL))

    private static func send(_ parts: InlineArray<2, UnsafeRawBufferPointer>, to socket: NIOBSDSocket.Handle) -> Int {
        var vectors = (vector(parts[0]), vector(parts[1]))
        return withUnsafeMutablePointer(to: &vectors) { vectors in
            vectors.withMemoryRebound(to: iovec.self, capacity: 2) { vectors in
                var message = msghdr()
                message.msg_iov = vectors
                message.msg_iovlen = 2
                return sendmsg(socket, &message, flags)
            }
        }
    }

    private static func vector(_ bytes: UnsafeRawBufferPointer) -> iovec {
        iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }

    /// Passes the bytes behind the first `count` ones to NIO.
    private func queue(_ head: ByteBuffer, _ body: ByteBuffer?, from count: Int) {
        hasQueued = true
        var (head, body) = (head, body)
        let ofHead = min(count, head.readableBytes)
        head.moveReaderIndex(forwardBy: ofHead)
        body?.moveReaderIndex(forwardBy: count - ofHead)
        if let short = body, short.readableBytes <= SocketOutput.longestCopy, head.readableBytes > 0 {
            head.writeImmutableBuffer(short)
            body = nil
        }
        for bytes in [head, body].compactMap(\.self) where bytes.readableBytes > 0 {
            context.write(NIOAny(IOData.byteBuffer(bytes)), promise: nil)
        }
        context.flush()
    }
}
