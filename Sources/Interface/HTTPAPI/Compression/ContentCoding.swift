internal import NIOCore

/// The content codings in which this server sends JSON (RFC 9110 section 8.4.1), the preferred one first.
enum ContentCoding: String, CaseIterable {
    /// RFC 8878.
    case zstd
    /// RFC 1952.
    case gzip
}

/// Compresses one response piece by piece, in the format of one coding.
protocol CompressionStream: ~Copyable, SendableMetatype {
    /// - Throws: ``CompressionError`` if there is no memory.
    init() throws(CompressionError)

    /// Compresses the next piece.
    ///
    /// - Parameters:
    ///   - piece: At most 1 GB.
    ///   - isLast: Whether the stream ends with it.
    /// - Returns: The bytes that are complete, possibly none before the end.
    /// - Throws: ``CompressionError`` after a call with `isLast`.
    mutating func compress(_ piece: ByteBuffer, isLast: Bool) throws(CompressionError) -> ByteBuffer
}

/// A failure of a compression library, which is possible only without memory.
struct CompressionError: Error, CustomStringConvertible {
    /// The library and what it returned.
    let description: String
}
