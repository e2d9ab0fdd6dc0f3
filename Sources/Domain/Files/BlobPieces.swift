package import NIOCore

/// The bytes of a range of a blob, in order; each piece is read on demand.
package struct BlobPieces: AsyncSequence, Sendable {
    /// Consecutive bytes; never empty.
    package typealias Element = ByteBuffer
    /// Returns the next piece; `nil` at the end.
    package typealias Next = () async throws -> ByteBuffer?

    private let start: @Sendable () -> Next

    /// - Parameter start: Creates a reader that begins at the first byte.
    package init(_ start: @escaping @Sendable () -> Next) {
        self.start = start
    }

    /// Creates a reader that begins at the first byte.
    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: start())
    }

    /// Reads one piece after the other; used by one task.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let body: Next

        /// The next piece; `nil` at the end.
        package func next() async throws -> ByteBuffer? {
            try await body()
        }
    }
}

extension OpenBlob {
    /// The maximum size of a piece of ``pieces(of:)`` in bytes.
    ///
    /// Large enough to make the cost of a single read negligible, small enough that thousands of slow clients can each
    /// hold a piece.
    package static var pieceSize: Int64 { 256 << 10 }

    /// The bytes of a range in pieces.
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
