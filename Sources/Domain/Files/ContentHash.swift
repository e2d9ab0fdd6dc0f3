internal import Crypto

/// Qiniu's hash of a file (protocol/files 2.4, "qetag"): a type byte and a SHA-1.
///
/// The SHA-1 is that of the file, or for several blocks of 4 MiB that of the blocks' digests, as the type byte
/// indicates. Blocks are hashed independently, so that parts that arrive out of order need not be read again.
package enum ContentHash {
    /// The size of a block in bytes; the last one can be shorter.
    package static let blockSize: Int64 = 4 << 20

    /// The number of blocks of a file of a size in bytes: at least one.
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

/// Computes the ``ContentHash`` of a file from its bytes in order.
package struct ContentHasher: Sendable {
    private var blocks: [[UInt8]] = []
    private var current = Insecure.SHA1()
    private var remaining = ContentHash.blockSize

    /// Creates a hasher without bytes.
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
