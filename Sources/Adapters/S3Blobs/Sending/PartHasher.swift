internal import Crypto
internal import Domain

/// Computes the digest of bytes in order that begin at the start of a block of a ``ContentHash``.
struct PartHasher {
    private enum State {
        case blocks([[UInt8]], Insecure.SHA1, rest: Int64)
        case sha256(SHA256)
    }

    private var state: State

    init(like digest: BlobDigest) {
        state =
            switch digest {
            case .contentHash: .blocks([], Insecure.SHA1(), rest: ContentHash.blockSize)
            case .sha256: .sha256(SHA256())
            }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .sha256(var hasher):
            hasher.update(bufferPointer: bytes)
            state = .sha256(hasher)
        case .blocks(var blocks, var hasher, var rest):
            var bytes = bytes
            while !bytes.isEmpty {
                let count = min(bytes.count, Int(rest))
                hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
                rest -= Int64(count)
                guard rest == 0 else { continue }
                blocks.append(Array(hasher.finalize()))
                (hasher, rest) = (Insecure.SHA1(), ContentHash.blockSize)
            }
            state = .blocks(blocks, hasher, rest: rest)
        }
    }

    /// The digests of the blocks, of which the last one can be shorter; empty for a SHA-256.
    func finishedBlocks() -> [[UInt8]] {
        guard case .blocks(let blocks, let hasher, let rest) = state else { return [] }
        return rest == ContentHash.blockSize && !blocks.isEmpty ? blocks : blocks + [Array(hasher.finalize())]
    }

    /// The digest of all bytes.
    func finish() -> BlobDigest {
        switch state {
        case .sha256(let hasher): .sha256(Array(hasher.finalize()).hexadecimal)
        case .blocks: .contentHash(ContentHash.joining(finishedBlocks()))
        }
    }
}
