internal import Crypto
package import Domain
internal import S3

/// Reads the blobs in a bucket for the scrubber, one piece at a time, and past the cache: the bytes come from the store,
/// and what clients read often stays cached.
package struct S3BlobInspection: BlobInspection {
    private let store: S3BlobStore

    /// The size of a piece in bytes.
    private static let pieceSize: Int64 = 4 << 20

    /// Creates the access to the blobs of a store; sends no request.
    package init(_ store: S3BlobStore) {
        self.store = store
    }

    package func inspect(
        _ file: FileEntry,
        pause: @escaping @Sendable (Int, Duration) async throws -> Void
    ) async throws -> BlobCondition {
        guard let object = try await object(of: file) else { return .missing }
        guard object.size == file.facts.size else {
            return .damaged("has \(object.size) bytes, not the \(file.facts.size) that were uploaded")
        }
        var digest = PieceDigest(like: file.facts.digest)
        var offset: Int64 = 0
        while offset < object.size {
            let began = ContinuousClock.now
            let range = offset..<min(object.size, offset + S3BlobInspection.pieceSize)
            let before = digest
            do {
                digest = try await store.threads.run { [client = store.bucket.client] in
                    var digest = before
                    try client.read(range, of: object) { digest.update($0) }
                    return digest
                }
            } catch let error as ServiceError where (error.cause as? S3Error)?.reason == .missing {
                return .missing
            }
            offset = range.upperBound
            try await pause(range.count, .now - began)
        }
        guard digest.value == file.facts.digest else {
            return .damaged("holds other bytes than were uploaded: their digest is not \(file.facts.digest)")
        }
        return .whole
    }

    package func identity(of file: FileEntry) async throws -> String? {
        try await object(of: file).map { "\($0.key) \($0.tag) \($0.size)" }
    }

    /// The object of the file's blob; `nil` if it is missing.
    private func object(of file: FileEntry) async throws -> S3Object? {
        try await store.threads.run { [bucket = store.bucket] in
            try bucket.listing(of: BlobName(file.key)).committed.first { $0.file == file.id }?.blob
        }
    }
}

/// Computes the digest of bytes in order, of the kind that the record has.
private enum PieceDigest {
    case contentHash(ContentHasher)
    case sha256(SHA256)

    init(like digest: BlobDigest) {
        switch digest {
        case .contentHash: self = .contentHash(ContentHasher())
        case .sha256: self = .sha256(SHA256())
        }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .contentHash(var hasher):
            hasher.update(bytes)
            self = .contentHash(hasher)
        case .sha256(var hasher):
            hasher.update(bufferPointer: bytes)
            self = .sha256(hasher)
        }
    }

    var value: BlobDigest {
        switch self {
        case .contentHash(let hasher): .contentHash(hasher.finalize())
        case .sha256(let hasher): .sha256(Array(hasher.finalize()).hexadecimal)
        }
    }
}
