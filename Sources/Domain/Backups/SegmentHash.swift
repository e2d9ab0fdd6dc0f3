internal import Crypto

/// The running digest of a segment's file while it is written.
package struct SegmentHash: Sendable {
    private var hash = SHA256()

    /// Creates the digest of no bytes.
    package init() {}

    /// Adds the next bytes.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: bytes)
    }

    /// The SHA-256 of all bytes so far.
    package var digest: [UInt8] { Array(hash.finalize()) }
}
