internal import Crypto

/// Computes the digest of bytes in order, of the kind that the record has.
package struct BlobHasher: Sendable {
    private enum Kind: Sendable {
        case contentHash(ContentHasher)
        case sha256(SHA256)
    }

    private var kind: Kind

    /// Creates a hasher for bytes with a digest of this kind.
    package init(like digest: BlobDigest) {
        kind =
            switch digest {
            case .contentHash: .contentHash(ContentHasher())
            case .sha256: .sha256(SHA256())
            }
    }

    /// Adds the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch kind {
        case .contentHash(var hasher):
            hasher.update(bytes)
            kind = .contentHash(hasher)
        case .sha256(var hasher):
            hasher.update(bufferPointer: bytes)
            kind = .sha256(hasher)
        }
    }

    /// The digest of all bytes so far.
    package var digest: BlobDigest {
        switch kind {
        case .contentHash(let hasher): .contentHash(hasher.finalize())
        case .sha256(let hasher): .sha256(Array(hasher.finalize()).hexadecimal)
        }
    }
}
