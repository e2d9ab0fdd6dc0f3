internal import Domain
internal import S3

/// A range of staged bytes whose plaintext is hashed while the digests of its content are computed; used by one thread.
final class HashedRange {
    private let range: S3StagedRange
    private(set) var hasher: PartHasher

    init(_ range: S3StagedRange, like digest: BlobDigest) {
        self.range = range
        hasher = PartHasher(like: digest)
    }

    /// The bytes as they are.
    func content() throws(S3Error) -> S3Content {
        try S3Content(size: range.size, reading: range.read) { hasher.update($0) }
    }

    /// The bytes as frames of a run, with a trailer behind them.
    ///
    /// - Parameters:
    ///   - run: The number of the first frame, and the key.
    ///   - trailer: The trailer; empty in front of further bytes.
    /// - Returns: The content.
    /// - Throws: `S3Error` if the bytes cannot be read.
    func content(sealing run: (first: Int64, key: FrameKey), trailer: [UInt8]) throws(S3Error) -> S3Content {
        let sealed = SealedContent(range, run, trailer: trailer) { [self] in hasher.update($0) }
        return try S3Content(size: sealed.size) { buffer, offset throws(S3Error) in
            try sealed.read(into: buffer, at: offset)
        }
    }
}
