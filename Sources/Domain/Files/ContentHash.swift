internal import Crypto

/// Qiniu's hash of a file: SHA-1 of each 4 MiB, and of those digests if there are several, behind a byte that tells
/// which (protocol/files 2.4, "qetag").
///
/// Blocks are hashed apart from each other, so that parts which came in any order need not be read again.
package enum ContentHash {
    /// The bytes of a block; the last one may be shorter.
    package static let blockSize: Int64 = 4 << 20

    /// How many blocks a file of a size has: one at least.
    package static func blockCount(of size: Int64) -> Int {
        max(1, Int((size + blockSize - 1) / blockSize))
    }

    /// The hash of a file whose blocks have these digests, 20 bytes each.
    package static func joining(_ blocks: [[UInt8]]) -> String {
        guard blocks.count != 1 else { return text(0x16, blocks[0]) }
        return text(0x96, Array(Insecure.SHA1.hash(data: blocks.flatMap(\.self))))
    }

    private static func text(_ mark: UInt8, _ digest: [UInt8]) -> String {
        ([mark] + digest).base64URL
    }
}

/// Takes the bytes of a file in order and gives its ``ContentHash``.
package struct ContentHasher: Sendable {
    private var blocks: [[UInt8]] = []
    private var current = Insecure.SHA1()
    private var remaining = ContentHash.blockSize

    /// Begins with no bytes.
    package init() {}

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            if remaining == 0 { endBlock() }
            let count = min(rest.count, Int(remaining))
            current.update(bufferPointer: UnsafeRawBufferPointer(rebasing: rest[..<count]))
            remaining -= Int64(count)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// The hash of all bytes.
    package consuming func finalize() -> String {
        endBlock()
        return ContentHash.joining(blocks)
    }

    private mutating func endBlock() {
        blocks.append(Array(current.finalize()))
        current = Insecure.SHA1()
        remaining = ContentHash.blockSize
    }
}
