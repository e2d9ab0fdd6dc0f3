package import NIOCore

/// Bytes on their way in.
///
/// Several writers may write at the same time, each at an offset of its own; everything else is called by one task at a
/// time, while nobody writes.
package protocol StagedBlob: Sendable {
    /// Throws ``ServiceError/Code/storageFull`` if there is no space for so many bytes now, so that it is told before
    /// they are sent.
    func requireFreeSpace(for size: Int64) async throws

    /// How far the bytes reach, gaps among them.
    func extent() async throws -> Int64

    /// Begins to write at an offset, counted from the first byte; what stands there is overwritten.
    ///
    /// The digests are of the bytes that this writer takes.
    func write(at offset: Int64, digesting digests: Set<DigestKind>) -> any BlobWriter

    /// Up to `count` bytes; fewer only at the end.
    func read(at offset: Int64, count: Int) async throws -> ByteBuffer

    /// Returns when everything written is on the disk.
    func synchronize() async throws

    /// Cuts off what is behind `size` and tells what the bytes before it are; MD5 of a large file only if it is needed.
    ///
    /// Throws if the bytes do not reach as far.
    func finish(size: Int64, needsMD5: Bool) async throws -> StagedFacts

    /// Makes the finished bytes of a file visible under a key; on return, bytes and name survive a power cut.
    ///
    /// They stay staged as well until ``discard()``, so that a server which dies before the record is stored knows of
    /// it. Throws ``ServiceError/Code/duplicateValue`` if the key is taken; nothing is ever overwritten.
    func commit(as key: FileKey, of file: ObjectID) async throws

    /// Takes a commit back: the blob is gone, the bytes are staged as before.
    func revert(_ key: FileKey) async

    /// Removes the staged bytes; a committed blob stays.
    func discard() async
}

/// Takes bytes in order; used by one task at a time.
package protocol BlobWriter: Sendable {
    /// Adds bytes at the end.
    ///
    /// May return before they are written, and then reports a failed write at the next call. Throws
    /// ``ServiceError/Code/storageFull`` when there is no free space.
    func append(_ bytes: ByteBuffer) async throws

    /// Writes what is still held back, and tells the digests that were asked for.
    ///
    /// More may be added afterwards; digests are then of all of it.
    func finish() async throws -> [DigestKind: [UInt8]]

    /// Drops what is held back, and returns when nothing is being written any more, also in a cancelled task.
    func settle() async
}

/// A digest that clients announce.
package enum DigestKind: String, Sendable, Hashable, CaseIterable {
    case crc32
    case md5
    case sha1
    case sha256
}

/// A finished, uncommitted blob.
package struct StagedFacts: Sendable {
    /// Size and digests of all bytes.
    package let blob: BlobFacts
    /// The first bytes, up to ``headSize``, to tell the type from.
    package let head: ByteBuffer

    /// How many first bytes types are told from.
    package static let headSize = 64 << 10

    /// Takes what a store found.
    package init(blob: BlobFacts, head: ByteBuffer) {
        self.blob = blob
        self.head = head
    }
}
