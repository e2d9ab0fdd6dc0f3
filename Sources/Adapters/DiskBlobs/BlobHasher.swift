internal import Crypto
internal import Domain

/// Computes the digest of bytes in order, of the kind that the record has.
enum BlobHasher {
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

    var digest: BlobDigest {
        switch self {
        case .contentHash(let hasher): .contentHash(hasher.finalize())
        case .sha256(let hasher): .sha256(hasher.finalize().hexadecimal)
        }
    }
}
