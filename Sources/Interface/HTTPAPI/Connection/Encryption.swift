internal import Glibc
package import NIOCore
package import NIOPosix

/// How connections are encrypted (TLS).
package struct Encryption: Sendable {
    /// Creates the handler of a new connection that decrypts what follows; called on its event loop.
    let makeHandler: @Sendable () -> any ChannelHandler
    /// Recognizes the error of a connection whose end the client did not announce.
    let isTruncation: @Sendable (any Error) -> Bool
    /// How files are sent: the kernel cannot encrypt them.
    var files: FileSending

    /// - Parameters:
    ///   - threads: A started pool that reads files, which is stopped after the last connection.
    ///   - isTruncation: Recognizes the error of a connection whose end the client did not announce.
    ///   - makeHandler: Creates the handler of a new connection that decrypts what follows; called on its event loop.
    package init(
        threads: NIOThreadPool,
        isTruncation: @escaping @Sendable (any Error) -> Bool,
        makeHandler: @escaping @Sendable () -> any ChannelHandler
    ) {
        self.makeHandler = makeHandler
        self.isTruncation = isTruncation
        files = .pieces { descriptor, range, eventLoop in
            threads.runIfActive(eventLoop: eventLoop) { try ByteBuffer(reading: range, of: descriptor) }
        }
    }
}

extension ByteBuffer {
    /// Reads a range of an open file, or its beginning if the file is shorter; blocks.
    ///
    /// - Throws: The system's error.
    fileprivate init(reading range: Range<Int64>, of descriptor: CInt) throws {
        self = ByteBufferAllocator().buffer(capacity: range.count)
        try writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { free in
            var filled = 0
            while filled < range.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: free[filled..<range.count])
                let count = pread(descriptor, rest.baseAddress, rest.count, off_t(range.lowerBound) + off_t(filled))
                guard count >= 0 else {
                    let number = errno
                    if number == EINTR { continue }
                    throw IOError(errnoCode: number, reason: "pread")
                }
                guard count > 0 else { break }
                filled += count
            }
            return filled
        }
    }
}
