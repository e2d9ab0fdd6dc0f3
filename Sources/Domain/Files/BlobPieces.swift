package import NIOCore

/// The bytes of a part of a blob, in order; the next piece is read when it is asked for.
package struct BlobPieces: AsyncSequence, Sendable {
    /// Bytes that follow each other; never empty.
    package typealias Element = ByteBuffer
    /// What gives the next piece; nil at the end.
    package typealias Next = () async throws -> ByteBuffer?

    private let start: @Sendable () -> Next

    /// - Parameter start: Begins at the first byte.
    package init(_ start: @escaping @Sendable () -> Next) {
        self.start = start
    }

    /// Begins at the first byte.
    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: start())
    }

    /// Reads one piece after the other; used by one task.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let body: Next

        /// The next piece; nil at the end.
        package func next() async throws -> ByteBuffer? {
            try await body()
        }
    }
}

extension OpenBlob {
    /// The largest piece of ``pieces(of:)``: as much as makes the cost of a single read negligible, and as little as
    /// each of thousands of slow clients can hold.
    package static var pieceSize: Int64 { 256 << 10 }

    /// Reads one piece after the other.
    package func pieces(of range: Range<Int64>) -> BlobPieces {
        BlobPieces {
            var position = range.lowerBound
            return {
                guard position < range.upperBound else { return nil }
                let count = Int(Swift.min(Self.pieceSize, range.upperBound - position))
                let piece = try await read(at: position, count: count)
                guard piece.readableBytes > 0 else {
                    throw ServiceError.unreadable(UnreadableBlob("the bytes end at \(position) of \(range.upperBound)"))
                }
                position += Int64(piece.readableBytes)
                return piece
            }
        }
    }
}
